"""The search itself: every case of a box, simplest first, decided by enclosures; then shrinking.

Nothing is sampled and nothing is screened in floating point: each case compares the upper end of
the claim with the lower end of the exact value. The first case that refutes the claim is the
simplest of the box. The search then moves to simpler cases that refute it too, in the box or not,
until no move leads to one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from html import escape
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias

from kproof.errors import InvalidArgument
from kproof.forms import JsonForm
from kproof.theory.falsify.families import Family, Question
from kproof.theory.falsify.gap import Gap, Target
from kproof.theory.falsify.scenes import Scene
from kproof.theory.theorems.bounds import SCHEMA

if TYPE_CHECKING:
    from kproof.cluster import Cluster

Judge: TypeAlias = "Callable[[Scene], Target]"
_TOGETHER = 200
"""Cases that are looked at in one task of a cluster."""


class SearchOutcome(StrEnum):
    """What a search ends with."""

    FOUND = "found"
    """A case at which the claim is surely below the truth."""
    NONE = "none"
    """No such case in the box; beyond it nothing is said."""


class Under(StrEnum):
    """Which hypotheses have to hold where a claim is refuted."""

    PRINTED = "printed"
    """Those that the statement names."""
    ALL = "all"
    """Those that its proof needs, stated or not."""


@dataclass(frozen=True)
class Search:
    """The answer of :func:`kproof.theory.falsify.api.falsify`."""

    bound: str
    """What was searched, such as ``theorem 2, printed``."""
    outcome: SearchOutcome
    """Found, or none in the box."""
    under: Under
    """The hypotheses that had to hold."""
    witness: Gap | None
    """The shrunk witness, or None; ``witness.call`` reproduces it."""
    first: str | None
    """The call at the first case of the box that refutes the claim, before shrinking."""
    moves: int
    """How many moves led from there to the witness."""
    family: str
    box: Mapping[str, Sequence[str]]
    """Name of the family and the values it combines."""
    cases: int
    claims: int
    """Those at which the bound claims anything under these hypotheses."""
    vacuous: int
    tight: int
    """The claims that hold for every law, and those whose enclosure overlaps that of the exact
    value."""
    elapsed: float = field(compare=False, repr=False)
    """Seconds; no part of equality."""

    def __str__(self) -> str:
        empty = f", {self.vacuous} of them vacuous," if self.vacuous else ""
        cases = f"{self.claims} claims{empty} at {self.cases} cases of {self.family}"
        if self.witness is None:
            return f"{self.bound}: no witness among {cases} ({_extent(self.box)})"
        return f"{self.bound}: {self.witness.call}: {self.witness} (after {cases})"

    to_dict = JsonForm(schema=SCHEMA)

    def _repr_html_(self) -> str:
        rows = {
            "outcome": self.outcome.value,
            "hypotheses": self.under.value,
            "cases": f"{self.cases}, of which {self.claims} with a claim",
            "box": _extent(self.box),
        }
        if self.witness is not None:
            rows |= {"witness": str(self.witness), "call": self.witness.call}
        cells = "".join(
            f"<tr><th>{name}</th><td>{escape(text)}</td></tr>" for name, text in rows.items()
        )
        return f"<table><caption>{escape(self.bound)}</caption>{cells}</table>"


@dataclass
class _Tally:
    """What was found at some cases, up to the first one that refutes the claim."""

    cases: int = 0
    claims: int = 0
    vacuous: int = 0
    tight: int = 0
    reason: str = "it has no value there"
    refuted: tuple[Scene, Gap] | None = None


def search(
    judge: Judge,
    *,
    bound: str,
    family: Family,
    question: Question,
    under: Under,
    cluster: Cluster | None = None,
) -> Search:
    """Look at every case of a box until one refutes the claim, and shrink it.

    With a cluster, cases are looked at together; what is found is the same.
    """
    start = perf_counter()
    cases = family.cases(question)
    outcome = (
        _look(cases, judge, under) if cluster is None else _together(cluster, cases, judge, under)
    )
    if not outcome.claims:
        need = f"a bound that claims something in the box: {outcome.reason}"
        raise InvalidArgument("bound", bound, need)
    witness, first, moves = None, None, 0
    if outcome.refuted is not None:
        first = outcome.refuted[1].call
        witness, moves = _shrink(*outcome.refuted, judge, under)
    return Search(
        bound=bound,
        outcome=SearchOutcome.NONE if witness is None else SearchOutcome.FOUND,
        under=under,
        witness=witness,
        first=first,
        moves=moves,
        family=type(family).__name__,
        box=family.box(question),
        cases=outcome.cases,
        claims=outcome.claims,
        vacuous=outcome.vacuous,
        tight=outcome.tight,
        elapsed=perf_counter() - start,
    )


def _look(cases: Sequence[Scene], judge: Judge, under: Under) -> _Tally:
    """Look at cases until one refutes the claim."""
    outcome = _Tally()
    for scene in cases:
        outcome.cases += 1
        try:
            target = judge(scene)
        except (ArithmeticError, ValueError) as failure:
            # A bound without a value is passed over; one that is asked wrongly is so at every case.
            if isinstance(failure, InvalidArgument):
                raise
            outcome.reason = str(failure)
            continue
        if not _is_made(target, under):
            outcome.reason = "; ".join(target.broken or target.hidden) or outcome.reason
            continue
        outcome.claims += 1
        # No law refutes it, and the exact value costs most.
        if target.vacuous:
            outcome.vacuous += 1
            continue
        gap = target.beside_truth(scene)
        if gap.refutes:
            outcome.refuted = scene, gap
            break
        outcome.tight += gap.tight
    return outcome


def _together(cluster: Cluster, cases: Sequence[Scene], judge: Judge, under: Under) -> _Tally:
    """Look at cases in several processes; return what one process finds that looks in order."""
    parts = [cases[first : first + _TOGETHER] for first in range(0, len(cases), _TOGETHER)]
    by_part: dict[int, _Tally] = {}
    for place, part in cluster.answers(_look, parts, judge, under, doing="looking at cases"):
        by_part[place] = part
        refuted = min((i for i, answer in by_part.items() if answer.refuted), default=len(parts))
        # Parts come in any order; the answer is final once all before the first refuted one are in.
        if all(position in by_part for position in range(refuted)):
            break
    outcome = _Tally()
    for place in sorted(by_part):
        part = by_part[place]
        outcome = _Tally(
            outcome.cases + part.cases,
            outcome.claims + part.claims,
            outcome.vacuous + part.vacuous,
            outcome.tight + part.tight,
            # A part of which every case makes a claim has no reason of its own.
            part.reason if part.claims < part.cases else outcome.reason,
            part.refuted,
        )
        if part.refuted is not None:
            break
    return outcome


def _shrink(scene: Scene, gap: Gap, judge: Judge, under: Under) -> tuple[Gap, int]:
    """Return the witness at which no move leads to a simpler one, and how many moves it took."""
    moves = 0
    # Every move lowers the key, and no chain of falling keys is endless.
    while True:
        simpler = {neighbour for neighbour in scene.simpler() if neighbour.key < scene.key}
        # Sorted, since a set has no order: the witness is the same in every run.
        for candidate in sorted(simpler, key=lambda neighbour: neighbour.key):
            smaller = _refutation(candidate, judge, under)
            if smaller is not None:
                scene, gap = candidate, smaller
                moves += 1
                break
        else:
            return gap, moves


def _refutation(scene: Scene, judge: Judge, under: Under) -> Gap | None:
    """Return the gap if the claim is made at this scene and is false there."""
    try:
        target = judge(scene)
    # A move may lead beyond what the bound takes, where it claims nothing.
    except (ArithmeticError, ValueError):
        return None
    if target.vacuous or not _is_made(target, under):
        return None
    gap = target.beside_truth(scene)
    return gap if gap.refutes else None


def _is_made(target: Target, under: Under) -> bool:
    """Say whether anything is claimed, under the hypotheses that have to hold."""
    if target.claimed is None or target.broken:
        return False
    return under is Under.PRINTED or not target.hidden


def _extent(box: Mapping[str, Sequence[str]]) -> str:
    parts = []
    for name, values in box.items():
        if len(values) > 4:
            parts.append(f"{name}: {len(values)} from {values[0]} to {values[-1]}")
        else:
            parts.append(f"{name}: {', '.join(values)}")
    return "; ".join(parts)
