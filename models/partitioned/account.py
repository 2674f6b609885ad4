"""What was done to a folder of files, in numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kproof.forms import JsonForm, group
from kproof.models.base.verdict import SCHEMA
from kproof.models.tables.release import plain_parameter
from kproof.notebooks import NotebookText


@dataclass(frozen=True)
class FolderRelease(NotebookText):
    """The account of a release that is a folder of Parquet files."""

    source: str
    output: str
    """The data and the folder of the release."""
    method: str
    parameters: Mapping[str, object]
    """What was asked for."""
    rows: int
    published: int
    noise: int
    suppressed: int
    swaps: int
    """Original rows; published rows, of which noise; original rows left out; exchanges."""
    classes: int
    """How many a reader can tell apart."""
    smallest: int
    largest: int
    """People in the smallest and the largest one."""
    penalties: Mapping[str, float]
    """Mean NCP of the original rows by quasi-identifier, 1 for those that are left out."""
    judged: tuple[str, ...]
    """Names of the privacy models that every class was found to have before anything was
    published."""
    regions: int
    cut: int
    """How many regions there were in the end, and how many the table was cut into."""
    again: int
    """How often regions were made one because they lacked apart what was promised."""
    files: tuple[str, ...] = field(repr=False)
    """Names of the files of the release."""
    where: str
    processes: int
    retried: int
    """Who worked, how many they were at the start, and how often work was begun anew because a
    process was ended."""

    @property
    def penalty(self) -> float:
        """The mean over quasi-identifiers of what labels lose (NCP), from 0 to 1."""
        return sum(self.penalties.values()) / len(self.penalties)

    def summary(self) -> str:
        """Return what was published and what it took, in a few lines."""
        parameters = ", ".join(
            f"{name}={value}" for name, value in self.parameters.items() if value is not None
        )
        joined = f", {self.cut - self.regions} cuts taken back" if self.regions < self.cut else ""
        retried = f", {self.retried} tasks begun again" if self.retried else ""
        return "\n".join(
            (
                f"method: {self.method}({parameters})",
                f"published: {self.published} of {self.rows} rows in {self.classes} classes, "
                f"{self.smallest} to {self.largest} people",
                f"noise rows: {self.noise}",
                f"suppressed rows: {self.suppressed}",
                f"swaps: {self.swaps}",
                f"judged of every class: {'; '.join(self.judged)}",
                f"regions: {self.regions}{joined}",
                f"work: {self.processes} {self.where}{retried}",
                f"certainty penalty: {self.penalty:.4f} (0 loses nothing, 1 everything)",
            )
        )

    @property
    def _plain_parameters(self) -> Mapping[str, object]:
        """What it was asked for."""
        return {name: plain_parameter(value) for name, value in self.parameters.items()}

    to_dict = JsonForm(
        "method parameters=_plain_parameters",
        group("rows", "Rows.", "original=rows published noise suppressed swaps"),
        group("classes", "Classes of the release.", "count=classes smallest largest"),
        "penalty penalties judged",
        group("regions", "Parts anonymized one by one.", "count=regions cut joined_again=again"),
        group("work", "Who did it.", "where processes retried"),
        "source output files",
        schema=SCHEMA,
    )
