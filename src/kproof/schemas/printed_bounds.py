"""What commands on claims, bounds and laws print with ``--json``, where it is several results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from kproof.forms import ABSENT, JsonForm, group

if TYPE_CHECKING:
    from kproof.theory.derivations.evidence import Derived
    from kproof.theory.exact.enclosure import Enclosure
    from kproof.theory.ledger import Claim
    from kproof.theory.profiles.channels import DistanceExponent
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

    def _in_order_of(self, known: T, sought: T) -> tuple[T, T, T]:
        return (known, sought, ABSENT) if self.given == "delta" else (ABSENT, known, sought)

    @property
    def _unless_asked(self) -> tuple[str | None, str | None, str | None]:
        """The exact value; None if it is the one that was asked for."""
        return self._in_order_of(self.value, None)

    @property
    def _answers(self) -> tuple[Enclosure | None, Enclosure | None, Enclosure | None]:
        """The value; None where it was given."""
        return self._in_order_of(None, self.answer)

    # The one that is given comes first.
    to_dict = JsonForm(
        group(
            "given",
            "What was asked at; one of the two is null.",
            "delta~=_unless_asked.0 epsilon=_unless_asked.1 delta~=_unless_asked.2",
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
class ExactPlaces:
    """What reports of places tell per unit of distance."""

    channel: str
    """What was judged."""
    cells: int
    """How many cells it has."""
    reports: int
    """Independent reports from one place."""
    exponent: DistanceExponent
    """Of one report."""
    epsilon: Enclosure
    """Of all of them, per unit of distance."""
    alone: tuple[str, ...]
    """Cells that no link reaches: of them nothing is said."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader must not overlook."""
        alone = ""
        if self.alone:
            more = f" and {len(self.alone) - 1} more" if len(self.alone) > 1 else ""
            alone = f"; no link reaches {self.alone[0]}{more}"
        return (
            "the chances of any report differ by a factor of e^(epsilon d) at most between places "
            f"at distance d; of places between which no links lead nothing is said{alone}",
            "every further report from the same place costs as much again, also tomorrow's",
        )

    to_dict = JsonForm(
        "channel cells reports epsilon per_report=exponent.epsilon ratio=exponent.ratio",
        "link=exponent.link length=exponent.length report=exponent.report alone notes=remarks",
        schema=1,
    )


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
