"""What commands print with ``--json`` where that is more than one result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from kproof.forms import ABSENT, JsonForm, group

if TYPE_CHECKING:
    from kproof.models.attacks.base import Disclosure
    from kproof.models.attacks.inference.bound import BoundBeside
    from kproof.models.attacks.inference.fu import FU
    from kproof.models.base.beside import Beside
    from kproof.models.base.exposure import Exposure
    from kproof.models.base.verdict import Verdict
    from kproof.models.frontier.comparison import Frontier
    from kproof.models.frontier.rivals import Rival
    from kproof.models.graphs.loss import GraphLoss
    from kproof.models.graphs.release import ClusterRelease, SupergraphRelease
    from kproof.models.judgement.judgement import JudgedFinding, Judgement
    from kproof.models.judgement.thresholds import Thresholds
    from kproof.models.papers.density_experiment import DensityExperiment
    from kproof.models.places.city.city import City
    from kproof.models.places.density.method import DensityRelease
    from kproof.models.places.heatmap.release import SectorRelease
    from kproof.models.privacy.summary import Summary
    from kproof.models.publishing.published import Published
    from kproof.models.tables.proposals.proposal import RolesProposal
    from kproof.models.tables.release import Release
    from kproof.models.tables.risk.assessment import Risk
    from kproof.models.tables.sampled.certificate import SampledCertificate
from kproof.models.tables.utility import Utility
    from kproof.petri.papers.simulation import SimulationReport
    from kproof.petri.spaces.figures import Figure
    from kproof.theory.derivations.evidence import Derived
    from kproof.theory.exact.enclosure import Enclosure
    from kproof.theory.ledger import Claim
    from kproof.theory.profiles.several import CellDelta
    from kproof.theory.recheck import CertificateReport
    from kproof.theory.theorems.blocks.bound import BlockBound
    from kproof.theory.theorems.bounds import ProvedBound
    from kproof.theory.theorems.comparison import Comparison
    from kproof.theory.theorems.design import Design
    from kproof.theory.theorems.releases.bounds import ReleaseBound
    from kproof.theory.theorems.releases.sampled import ReleaseDesign


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AnonymizedTable:
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

    to_dict = JsonForm("*release city regions? output? experiment? figures?", schema=2)


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

    to_dict = JsonForm(
        "method=release.method parameters=release.parameters points=release.points.count",
        "users=release.points.people counted=release.counted plane=release.plane",
        "root=release.root.sides sectors=release.sectors written",
        schema=2,
    )


@dataclass(frozen=True, slots=True)
class AttackJudged:
    """What an attack on a release discloses, and whether the release may be published."""

    found: Disclosure
    judgement: Judgement | None
    """Whether the release may be published; null where that was not judged."""

    to_dict = JsonForm("*found.to_dict(limit) judgement", schema=2)


@dataclass(frozen=True, slots=True)
class InferenceAttack:
    """What an attack on traces or friends finds."""

    found: FU
    judged: int
    """People who were judged; 0 where there is nothing to choose from."""
    bound: BoundBeside | None
    """The paper's bound beside it; null if nobody asked."""

    to_dict = JsonForm("*found judged bound", schema=2)


@dataclass(frozen=True, slots=True)
class Audited:
    """Claims of papers."""

    claims: tuple[Claim, ...]
    """Those that were asked for."""
    derivations: tuple[Derived, ...] | None
    """Machine-checked derivations, if they were judged."""
    failures: Mapping[str, tuple[str, ...]] | None
    """Evidence that did not return what it must, by claim, if it was run."""
    written: Mapping[str, int]
    """How many files of each kind were written."""

    to_dict = JsonForm("claims derivations? failures? written", schema=1)


@dataclass(frozen=True, slots=True)
class Rechecked:
    """Certificates that were checked again."""

    certificates: tuple[CertificateReport, ...]
    """Each file."""
    changed_formulas: tuple[str, ...]
    """Formulas that are no longer those that kproof evaluates."""
    manifests: Mapping[str, str]
    """Each manifest among the files: where it differs from the one that is expected."""
    missing: tuple[str, ...]
    """Certificates of the manifest that were not judged."""

    to_dict = JsonForm(schema=1)


@dataclass(frozen=True, slots=True)
class TheoremCompared:
    """A theorem at one point, or at several."""

    first: Comparison
    grid: tuple[Comparison, ...] | None
    """The same for each value that was given, if there are several."""
    notes: tuple[str, ...]
    """Remarks."""

    @property
    def _one(self) -> Comparison | None:
        return None if self.grid else self.first

    to_dict = JsonForm(
        "theorem=first.theorem quantity=first.quantity *_one? points?=grid notes", schema=1
    )


@dataclass(frozen=True, slots=True)
class ProvedCompared:
    """What a bound that is in no paper proves at one point, or at several."""

    theorem: str
    """What stands where others have a number."""
    single: ProvedBound | None
    """What it proves at the point, if there is one."""
    grid: tuple[ProvedBound, ...] | None
    """The same for each value that was given, if there are several."""
    notes: tuple[str, ...]
    """Remarks."""

    to_dict = JsonForm("theorem *single? points?=grid notes", schema=1)


@dataclass(frozen=True, slots=True)
class BlocksCompared(ProvedCompared):
    """What blocks prove at one point, or at several."""

    single: BlockBound | None
    """What they prove at the point, if there is one."""
    grid: tuple[BlockBound, ...] | None
    """The same for each value that was given, if there are several."""


@dataclass(frozen=True, slots=True)
class ReleaseCompared(ProvedCompared):
    """What a table as a whole is worth at one point, or at several."""

    single: ReleaseBound | None
    """What is proved at the point, if there is one."""
    grid: tuple[ReleaseBound, ...] | None
    """The same for each value that was given, if there are several."""


@dataclass(frozen=True, slots=True)
class ReleasesDesigned:
    """Which k meets a target for each chance of a row."""

    epsilon: str
    """As typed."""
    delta: str
    """As typed."""
    neighbours: str
    """Which tables are compared: add or replace."""
    designs: tuple[ReleaseDesign, ...]
    """The least k for each chance."""
    notes: tuple[str, ...]
    """Remarks."""

    to_dict = JsonForm(
        group("target", "What was asked for.", "epsilon delta"),
        "neighbours designs notes",
        schema=1,
    )


@dataclass(frozen=True, slots=True)
class Checked:
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
class Designed:
    """The answer to a design question."""

    found: Design
    notes: Sequence[str]
    """Remarks."""

    to_dict = JsonForm("*found notes", schema=1)


@dataclass(frozen=True, slots=True)
class ExactPoint:
    """ε and δ, one of them given."""

    given: str
    """Which."""
    value: str
    """The one that was given, exact."""
    answer: Enclosure
    """The other one."""

    def _ordered(self, given: T, wanted: T) -> tuple[T, T, T]:
        return (given, wanted, ABSENT) if self.given == "delta" else (ABSENT, given, wanted)

    @property
    def _given(self) -> tuple[str | None, str | None, str | None]:
        """The exact value; None if it is the one that was asked for."""
        return self._ordered(self.value, None)

    @property
    def _answers(self) -> tuple[Enclosure | None, Enclosure | None, Enclosure | None]:
        """The value; None where it was given."""
        return self._ordered(None, self.answer)

    # The one that is given comes first.
    to_dict = JsonForm(
        group(
            "given",
            "What was asked at; one of the two is null.",
            "delta~=_given.0 epsilon=_given.1 delta~=_given.2",
        ),
        "delta~=_answers.0 epsilon=_answers.1 delta~=_answers.2",
    )


@dataclass(frozen=True, slots=True)
class ExactProfile:
    """Exact ε or δ of a law, at one point or at several."""

    law: str
    """The law."""
    shift: str
    """How far one record moves the sum, exact."""
    direction: str
    """Which way."""
    notes: tuple[str, ...]
    """Remarks."""
    point: ExactPoint | None
    points: tuple[ExactPoint, ...] | None
    """The same for each value that was given, if there are several."""

    to_dict = JsonForm("law shift direction notes *point? points?", schema=2)


@dataclass(frozen=True, slots=True)
class ExactSeveral:
    """Exact δ of several sums."""

    shift: str
    """How far one record moves its sums, exact."""
    epsilon: str
    """Exact."""
    sums: tuple[str, ...]
    """Names of the sums."""
    delta: Enclosure
    """Exact delta."""
    cells: tuple[CellDelta, ...]
    """Records by the sums that they count in."""
    notes: tuple[str, ...]
    """Remarks."""

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
    """The budget that stopped exploring; null if none."""
    exact: bool | None = None
    """Whether all runs were taken; null if that is unknown."""
    runs: int | None = None
    """How many; null if that is unknown."""

    to_dict = JsonForm("net exact runs states stopped_by", schema=2)


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
