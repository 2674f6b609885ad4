"""What the safe path came to: the release and its order, the judgement, and what was tried."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Annotated

from kproof.errors import show
from kproof.forms import JsonForm
from kproof.models.base.arrays import Codes
from kproof.models.base.columns import Column
from kproof.models.base.missing import text
from kproof.models.base.verdict import SCHEMA
from kproof.models.judgement.findings import (
    FindingStanding,
    JudgedFinding,
    Judgement,
    JudgementOutcome,
)
from kproof.models.judgement.publication import PublishedFile
from kproof.models.judgement.releases.receipts import Receipt
from kproof.models.tables.release import Release
from kproof.models.tables.writers import write_digested_csv
from kproof.notebooks import NotebookText
from kproof.outputs import together

_MANY = 5
"""Columns from which on a line counts them, and does not name them."""


@dataclass(frozen=True)
class TriedSetting:
    """One setting, and what became of it."""

    k: int
    """Fewest people in a class."""
    left_out: tuple[str, ...]
    """Columns that are not published, beside those that never are."""
    rounded: Mapping[str, Fraction]
    """By secret column what its numbers are rounded to."""
    loss: float
    """Mean NCP of the labels that are published: 0 loses nothing, 1 everything."""
    outcome: Annotated[str, ("enum", (*JudgementOutcome, "loses too much"))]
    """What was judged; ``loses too much`` where nobody went on to judge it."""
    worst: str
    """The worst finding in one sentence; empty if there is none."""

    def __str__(self) -> str:
        less = f" without {_names(self.left_out)}" if self.left_out else ""
        worst = f": {self.worst}" if self.worst else ""
        return f"k = {self.k}{less}, loss {percent(self.loss)}: {self.outcome}{worst}"

    to_dict = JsonForm()


@dataclass(frozen=True)
class Cost:
    """What a known column costs."""

    column: str
    """Its name."""
    own: float
    """Mean NCP of its own labels."""
    without: float
    """Mean NCP of all other columns once it is left out, in classes formed anew."""


@dataclass(frozen=True, eq=False)
class Published(NotebookText):
    """A release on the safe path; see :func:`kproof.models.publishing.path.on_safe_path`."""

    release: Release
    """The classes, as they were formed from known columns alone; secrets are rounded already."""
    order: Codes = field(repr=False)
    """Shape (rows,): the published order, as places in that of the release."""
    publication: PublishedFile = field(repr=False)
    """The cells that are written, in their order."""
    judgement: Judgement
    """What follows for whoever reads them."""
    setting: TriedSetting
    """How it was made."""
    attempts: tuple[TriedSetting, ...]
    """All that was tried."""
    costs: tuple[Cost, ...] = ()
    """What known columns cost, the dearest first."""
    notes: tuple[str, ...] = ()
    """What was decided on the way, a sentence each."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """What is written, row by row."""
        return tuple(replace(own, codes=own.codes[self.order]) for own in self.release.published())

    def write(self, path: str | Path, *, receipt: bool = True, key: bytes | None = None) -> int:
        """Write the rows as CSV with their receipt, both or neither, whatever the judgement.

        Returns as :func:`write_rows` does. The key is for digests of people in the receipt, see
        :class:`~kproof.models.judgement.releases.receipts.Receipt`; None to follow nobody.
        """
        publication = self.publication if receipt else None
        return write_rows(path, self.columns, publication, self.release.table.person, key=key)

    @property
    def advice(self) -> tuple[str, ...]:
        """What each column costs, where leaving it out saves something; a sentence each."""
        loss = self.setting.loss
        return tuple(
            f"without {show(cost.column)}, generalizing costs {percent(cost.without)} of the "
            f"detail instead of {percent(loss)}"
            for cost in self.costs
            if percent(cost.without) != percent(loss) and cost.without < loss
        )

    def __str__(self) -> str:
        """Return the outcome, what stands against it, the settings, and what columns cost."""
        return "\n".join(
            [judgement_lines(self.judgement), self.settings, *self.notes, *self.advice]
        )

    @property
    def settings(self) -> str:
        """How the release was made, and what it loses."""
        release, setting = self.release, self.setting
        sizes = release.classes().real_sizes
        people = "people" if release.table.person is not None else "rows"
        how = f"{release.rows} of {release.table.rows} rows in {release.count} groups"
        spread = f"of {sizes.min()} to {sizes.max()} {people}"
        if release.method == "as-is":
            return f"{how} {spread}, as they are in the source"
        # A share of what is left says nothing of columns that are gone whole.
        names = [column.name for column in release.table.quasi_identifiers]
        labelled = _names(names) if len(names) < _MANY else f"{len(names)} known columns"
        lost = (
            f"generalizing {labelled} costs {percent(setting.loss)} of the detail"
            if names
            else "no label is shown"
        )
        less = f"; without column {_names(setting.left_out)}" if setting.left_out else ""
        return (
            f"{how} {spread}, formed from known columns alone ({release.method}, k = {setting.k}); "
            f"{lost}{less}"
        )

    to_dict = JsonForm("judgement setting attempts costs notes", schema=SCHEMA)


def write_rows(
    path: str | Path,
    columns: Sequence[Column],
    publication: PublishedFile | None,
    person: Column | None,
    *,
    key: bytes | None = None,
) -> int:
    """Write rows as CSV with the receipt of a publication, if there is one, both or neither.

    The receipt has the name of the file with ``.kproof.json`` after it. ``person`` says whom the
    rows of the source are about, ``key`` is the key of digests of them.

    Returns:
        How many cells were written with an apostrophe, so that no spreadsheet runs them.
    """
    with together():
        guarded, digest = write_digested_csv(path, columns)
        if publication is not None:
            day = date.today().isoformat()
            names = () if person is None else tuple(map(text, person.values))
            Receipt.of(publication, sha256=digest, day=day, key=key, names=names).write(path)
    return guarded


def judgement_lines(judgement: Judgement) -> str:
    """Return what was judged, then whatever else stands against it or is on somebody's word."""
    lines = lines_against(judgement.findings)[1:]
    words = [f"on your word: {word}" for word in judgement.answered]
    return "\n".join([judgement.sentence, *lines, *words])


def lines_against(findings: Iterable[JudgedFinding]) -> list[str]:
    """Return a line for each finding that is not met."""
    return [
        f"{finding.standing.value}: {finding.sentence}"
        for finding in findings
        if finding.standing is not FindingStanding.MET
    ]


def percent(share: float) -> str:
    """Return a share from 0 to 1 in percent.

    >>> percent(0.4249), percent(0.006), percent(0)
    ('42 %', '0.6 %', '0 %')
    """
    return f"{100 * share:.2g} %" if 0 < share < 0.0995 else f"{100 * share:.0f} %"


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(show, names))
