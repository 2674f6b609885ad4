"""What commands print with ``--json`` where that is more than one result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kproof.errors import DataError
from kproof.forms import JsonForm
from kproof.notebooks import NotebookText
from kproof.pictures import Drawing

if TYPE_CHECKING:
    from fractions import Fraction

    from kproof.models.attacks.base import Disclosure
    from kproof.models.attacks.inference.bound import BoundBeside
    from kproof.models.attacks.inference.fu import FU
    from kproof.models.attacks.inference.traces import Traces
    from kproof.models.base.beside import Beside
    from kproof.models.base.exposure import Exposure
    from kproof.models.base.verdict import Verdict
    from kproof.models.frontier.comparison import Frontier
    from kproof.models.frontier.rivals import Rival
    from kproof.models.graphs.loss import GraphLoss
    from kproof.models.graphs.release import ClusterRelease, SupergraphRelease
    from kproof.models.judgement.findings import JudgedFinding, Judgement
    from kproof.models.judgement.thresholds import Thresholds
    from kproof.models.moving.judging import LogJudged
    from kproof.models.moving.publish import MovingAccount
    from kproof.models.papers.density_experiment import DensityExperiment
    from kproof.models.places.city.city import City
    from kproof.models.places.city.located import LocatedUsers
    from kproof.models.places.density.method import DensityRelease
    from kproof.models.places.heatmap.release import SectorRelease
    from kproof.models.places.kinds import KindsJudged
    from kproof.models.places.log import PositionLog
    from kproof.models.places.streets import StreetCounts
    from kproof.models.privacy.summary import Summary
    from kproof.models.publishing.published import Published
    from kproof.models.tables.proposals.proposal import RolesProposal
    from kproof.models.tables.release import Release
    from kproof.models.tables.risk.assessment import Risk
    from kproof.models.tables.sampled.certificate import SampledCertificate
    from kproof.models.tables.utility import Utility
    from kproof.petri.papers.runs.simulation import SimulationReport
    from kproof.petri.spaces.figures import Figure
    from kproof.petri.spaces.space import Budget
    from kproof.theory.exact.enclosure import Enclosure


@dataclass(frozen=True, slots=True, repr=False)
class AnonymizedTable(NotebookText):
    """A release of a table, and whether it may be published."""

    release: Release
    utility: Utility
    risk: Risk
    rival: Rival | None
    """A method or setting that loses at least 5 % less under the same promises, or null."""
    judgement: Judgement
    published: Published | None
    """How the safe path made it, or what it makes of a table whose release is not to be published;
    null for any other."""
    output: str | None
    """The file that was written; null if it is not to be published."""
    guarded: int
    """Cells that begin like a formula and were written so that no spreadsheet runs them."""

    def to_frame(self) -> object:
        """Return the rows of the safe path in the order in which they may be published.

        Raises:
            DataError: If they are not to be published.
        """
        from kproof.models.tables.frames import frame_of_columns

        if not self.judgement.green or self.published is None:
            raise DataError(f"there are no rows to publish: {self.judgement.sentence}")
        return frame_of_columns(self.published.columns, self.release.table.source)

    def plot(self, column: str | None = None) -> Drawing:
        """Draw a column before and after, by default the first quasi-identifier."""
        return self.release.plot(column)

    def __repr__(self) -> str:
        return f"{self.release!r}\n{self.judgement.sentence}"

    def __str__(self) -> str:
        return str(self.published or self.judgement)

    to_dict = JsonForm("*release utility risk rival judgement published output guarded", schema=2)


@dataclass(frozen=True, slots=True)
class SectionLine:
    """Records of some sections at some times."""

    section_region: str
    """Published sections."""
    time_period: str
    """Published times."""
    truck_count: int
    """Records."""
    avg_toll: float
    """Their mean, rounded to two digits."""
    k_anonymized: bool
    """Always true."""
    algorithm: str
    """KACA."""


@dataclass(frozen=True, slots=True)
class SectionLines:
    """Means by section and time of day."""

    success: bool
    """Always true."""
    data: tuple[SectionLine, ...]
    """The lines."""
    count: int
    """How many lines."""
    category: str
    """What kind of figures they are, as the service says it."""
    privacy_protection: Mapping[str, object]
    """How they were made, as the service says it."""

    to_dict = JsonForm(schema=1)


@dataclass(frozen=True, slots=True)
class AnonymizedCity:
    """Regions of a city, and what was drawn of them."""

    release: DensityRelease
    city: City
    regions: int | None = None
    """Regions that were written."""
    output: str | None = None
    """The file that was written."""
    experiment: DensityExperiment | None = None
    """Runs of the experiment."""
    figures: tuple[str, ...] | None = None
    """Drawings that were written."""
    located: LocatedUsers | None = None
    """What was read from a log of positions."""
    kinds: KindsJudged | None = None
    """What regions tell of kinds of place."""

    to_dict = JsonForm(
        "*release city regions? output? experiment? figures? located? kinds?", schema=2
    )


@dataclass(frozen=True, slots=True)
class AnonymizedGraph:
    """A published social graph."""

    release: ClusterRelease | SupergraphRelease
    loss: GraphLoss | None
    """What clusters lose."""
    output: str
    """The file that was written."""

    to_dict = JsonForm("*release loss? output", schema=2)


@dataclass(frozen=True, slots=True)
class AnonymizedPoints:
    """A heat map of points."""

    release: SectorRelease
    written: tuple[str, ...]
    """Files that were written."""
    kinds: KindsJudged | None = None
    """What sectors tell of kinds of place."""

    to_dict = JsonForm(
        "method=release.method parameters=release.parameters points=release.points.count",
        "users=release.points.people counted=release.counted plane=release.plane",
        "root=release.root.sides sectors=release.sectors written",
        "recognised=release.points.recognised set_apart=release.points.apart kinds?",
        schema=2,
    )


@dataclass(frozen=True, slots=True)
class AnonymizedLog:
    """A cloaked log of people who move."""

    log: PositionLog
    account: MovingAccount
    judged: LogJudged
    """What the exact attack finds in the files."""
    written: tuple[str, ...]
    """Files that were written."""

    to_dict = JsonForm("log account judged written", schema=1)


@dataclass(frozen=True, slots=True, repr=False)
class AttackJudged(NotebookText):
    """What an attack on a release discloses, and whether the release may be published."""

    found: Disclosure
    judgement: Judgement | None
    """Whether the release may be published; null where that was not judged."""

    def __repr__(self) -> str:
        return f"{self.found!r}\n{_sentence(self.judgement)}"

    def __str__(self) -> str:
        return f"{self.found}\n{self.judgement or _sentence(None)}"

    to_dict = JsonForm("*found.to_dict(limit) judgement", schema=2)


@dataclass(frozen=True, slots=True)
class InferenceAttack:
    """What an attack on traces or friends finds."""

    found: FU
    judged: int
    """People who were judged; 0 where there is nothing to choose from."""
    bound: BoundBeside | None
    """The paper's bound beside it; null if nobody asked."""
    traces: Traces | None = None
    """What was attacked, if it was read as traces."""

    to_dict = JsonForm(
        "*found judged bound recognised?=traces.points.recognised",
        "set_apart?=traces.points.apart",
        schema=2,
    )


def _sentence(judgement: Judgement | None) -> str:
    return "not judged for publication" if judgement is None else judgement.sentence


@dataclass(frozen=True, slots=True, repr=False)
class Checked(NotebookText):
    """Whether a table satisfies privacy models."""

    rows: int
    """Rows of the table."""
    classes: int
    """Its equivalence classes."""
    left_out: tuple[Beside, ...]
    """Columns that were not looked at."""
    exposure: Exposure | None
    """What columns published as they are single out; null without any."""
    verdicts: tuple[Verdict, ...]
    """One for each model."""
    attained: tuple[Summary, ...]
    """What is attained by sensitive column, if no model was asked for."""
    risk: Risk | None
    judgement: Judgement | None
    """Whether the file may be published; null where that was not judged."""
    sizes: tuple[int, ...] = ()
    """People in each class, or rows where rows are people."""

    def plot(self) -> Drawing:
        """Draw how many people are in classes of which size."""
        from kproof.models.tables.plots import sizes_svg

        return Drawing(sizes_svg(self.sizes))

    def __repr__(self) -> str:
        """Say what holds, and whether it may be published, in two lines."""
        words = [f"{verdict.name} {verdict.word}" for verdict in self.verdicts]
        answer = ", ".join(words) or f"{self.attained[0]}".partition("\n")[0]
        head = f"{self.rows:,} rows in {self.classes:,} classes: {answer}"
        return f"Checked({head})\n{_sentence(self.judgement)}"

    def __str__(self) -> str:
        """Return the judgement, then what was found of each model."""
        return "\n".join(
            [_sentence(self.judgement)]
            + [f"{finding}" for finding in (self.judgement.against if self.judgement else ())]
            + [f"{answer}" for answer in (*self.verdicts, *self.attained)]
        )

    @property
    def _first(self) -> Summary | None:
        """What is attained, if no model was asked for."""
        return self.attained[0] if self.attained else None

    @property
    def _further(self) -> tuple[Summary, ...] | None:
        """What is attained for further sensitive columns."""
        return self.attained[1:] if self.attained else None

    to_dict = JsonForm(
        "rows classes left_out exposure verdicts attained?=_first attained_further?=_further",
        "risk? judgement",
        schema=2,
    )


@dataclass(frozen=True, slots=True)
class MethodsCompared:
    """Methods and settings side by side."""

    found: Frontier
    picture: str | None
    """A drawing that was written."""
    output: str | None
    """A file with the same figures that was written."""

    to_dict = JsonForm("*found picture? output?", schema=2)


@dataclass(frozen=True, slots=True)
class ReleasesComposed:
    """What releases tell together."""

    releases: tuple[str, ...]
    """The files; the last one is judged beside the others."""
    rows: int
    """Rows of the last."""
    people: int
    """People they are about."""
    unit: str
    """What is counted: people, or rows where nobody says whose."""
    audience: str
    """Whom it is for."""
    thresholds: Thresholds
    findings: tuple[JudgedFinding, ...]
    """What was found."""

    to_dict = JsonForm(schema=1)


@dataclass(frozen=True, slots=True)
class ShippedData:
    """A data set that comes with kproof."""

    name: str
    """What commands call it."""
    title: str
    """Title."""
    origin: str
    """Where it is printed."""
    rows: int
    """How many there are."""
    columns: tuple[str, ...]
    """Names of columns."""
    numeric: tuple[str, ...]
    """Those with numbers."""
    cells: tuple[tuple[str, ...], ...] | None
    """The rows, if one data set was named."""

    to_dict = JsonForm("name title origin rows columns numeric cells?")


@dataclass(frozen=True, slots=True)
class DataListed:
    """The data sets of the papers."""

    datasets: tuple[ShippedData, ...]
    """Each."""

    to_dict = JsonForm(schema=1)


@dataclass(frozen=True, slots=True)
class HierarchyWritten:
    """A hierarchy that was written."""

    column: str
    """The column."""
    ladder: str
    """The ladder."""
    values: int
    """Distinct values."""
    output: str
    """The file that was written."""
    labels: tuple[int, ...]
    """Distinct labels at each level."""

    to_dict = JsonForm(schema=1)


@dataclass(frozen=True, slots=True)
class NetExported:
    """Files that a net was written to."""

    net: str
    """Its name."""
    written: tuple[str, ...]
    """The files."""

    to_dict = JsonForm(schema=1)


@dataclass(frozen=True, slots=True)
class UnknownRuns:
    """What is known of a net whose runs are not all known."""

    net: str
    """Its name."""
    states: Figure
    """States, of which there are more."""
    stopped_by: str | None
    """The limit that stopped exploring; null if none."""
    budget: Budget
    """What exploring was allowed to take."""
    exact: bool | None = None
    """Whether all runs were taken; null if that is unknown."""
    runs: int | None = None
    """How many; null if that is unknown."""

    to_dict = JsonForm("net exact runs states stopped_by budget", schema=2)


@dataclass(frozen=True, slots=True)
class NetRuns:
    """Runs of a net, all or some of them; what is known of it where neither is."""

    found: UnknownRuns | SimulationReport

    to_dict = JsonForm("*found", schema=2)


@dataclass(frozen=True, slots=True)
class RolesProposed:
    """Proposed roles of columns."""

    proposal: RolesProposal
    output: str | None
    """The roles file that was written."""

    to_dict = JsonForm("*proposal output?", schema=2)


@dataclass(frozen=True, slots=True)
class StreetsWritten:
    """What was published of persons per street; figures of the counts are for their owner alone."""

    counts: StreetCounts
    """The counts, and what their publisher knows."""
    half: Fraction
    """Half of the ε of a person."""
    delta: Enclosure
    """δ at that ε."""
    written: tuple[str, ...]
    """The file."""

    @property
    def text(self) -> str:
        """The result in a few lines."""
        from kproof.theory.theorems.bounds import exact_text

        counts, half = self.counts, exact_text(self.half)
        busiest, unreadable = 100 * counts.busiest_error, 100 * counts.unreadable
        lines = [
            f"worth: epsilon = {exact_text(counts.epsilon)}, delta = 0 for the whole log of a "
            f"person; delta = {self.delta} at epsilon = {half}",
            f"noise: {counts.city.roads.count:,} streets, standard deviation "
            f"{counts.deviation:.1f}; a person counts on {counts.most} streets at most",
            "for you alone, and not to be published:",
            f"  {counts.people:,} people counted, {counts.cut:,} of them on fewer streets than "
            f"they were in; {counts.far:,} positions are far from any crossing",
            f"  the busiest tenth of the streets is off by {busiest:.0f} % in the median",
            f"  {unreadable:.0f} % of the streets with anybody in them are not clear of the noise",
            "each further map of the same people costs epsilon once more",
        ]
        if not counts.fit:
            lines.append("unfit to publish: the noise came from a seed")
        return "\n".join(lines)

    to_dict = JsonForm("counts half_epsilon=half delta_at_half=delta written", schema=1)


@dataclass(frozen=True, slots=True)
class SampledWritten:
    """What was published of rows kept by coins; the counts of rows are for their owner alone."""

    original: int
    """Rows of the source, not to be published."""
    rows: int
    """Rows of the file."""
    certificate: SampledCertificate
    """Of the file."""
    written: tuple[str, ...]
    """The file and that of its certificate."""

    to_dict = JsonForm(schema=1)
