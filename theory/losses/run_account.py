"""ε and δ of a training run in both directions, and how a claim of ε stands beside them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from kproof.errors import InvalidArgument, Undecided
from kproof.forms import JsonForm
from kproof.theory.exact import Enclosure
from kproof.theory.losses.events import NeighbouringRelation, ToolClaim, TrainingRun
from kproof.theory.losses.grid import POINTS
from kproof.theory.losses.loss import PrivacyLoss
from kproof.theory.profiles.input import Direction

_WIDE = 0.02
"""Relative width from which a finer grid is tried."""
LEAST_DELTA = Fraction(1, 10**300)
"""Least δ above 0 that is asked about: what is smaller is no float."""
_NUDGE = Fraction(1, 1 << 40)
_SIDES = (Direction.UP, Direction.DOWN)


class ClaimStanding(StrEnum):
    """How a claim of ε at some δ stands beside the enclosure."""

    REFUTED = "refuted"
    """No ε of the enclosure is as claimed."""
    UPHELD = "upheld"
    """Every ε of the enclosure is as claimed."""
    UNDECIDED = "undecided"
    """The claim is within the enclosure."""
    NOT_JUDGED = "not judged"
    """The claim is about other neighbours."""


@dataclass(frozen=True, slots=True)
class AccountedPoint:
    """ε or δ of a run, the other one being given."""

    given: str
    """Which is given, epsilon or delta."""
    value: Fraction
    """The one that is given."""
    added: Enclosure
    """The other one if the record is in the second world alone; of a replaced record, either."""
    removed: Enclosure
    """If it is in the first world alone."""
    either: Enclosure
    """The larger of both: what a claim is about."""

    to_dict = JsonForm("given value=str(value) added removed either")


@dataclass(frozen=True, slots=True)
class AccountedClaim:
    """A claim, and how it stands."""

    claim: ToolClaim
    epsilon: Enclosure
    """What ε is at the δ of the claim, the larger of both directions."""
    standing: ClaimStanding
    """Refuted, upheld or undecided; not judged if it is about other neighbours."""

    to_dict = JsonForm(
        "standing by=claim.by least=str(claim.least) most=str(claim.most) delta=str(claim.delta)",
        "neighbours=claim.neighbours epsilon",
    )


@dataclass(frozen=True, slots=True)
class RunAccount:
    """What a training run loses, and how a claim stands beside it."""

    neighbours: NeighbouringRelation
    """Which data sets are compared."""
    releases: tuple[str, ...]
    """The different releases, and how often each is made."""
    points: tuple[AccountedPoint, ...]
    """ε at each δ and δ at each ε that was asked about."""
    claim: AccountedClaim | None
    """The claim, if there is one."""
    notes: tuple[str, ...]
    """What was taken on the word of the file, and of software."""

    to_dict = JsonForm("neighbours releases points claim notes", schema=1)


def account_for(
    run: TrainingRun,
    *,
    deltas: Sequence[Fraction] = (),
    epsilons: Sequence[Fraction] = (),
    claim: ToolClaim | None = None,
) -> RunAccount:
    """Return what a run loses at each δ and ε, and how a claim, by default its own, stands.

    >>> from kproof.theory.losses.events import NeighbouringRelation, TrainingRun
    >>> from kproof.theory.losses.pairs import NormalPair
    >>> add = NeighbouringRelation.ADD_OR_REMOVE_ONE
    >>> run = TrainingRun(((NormalPair(Fraction(1)), 1),), add, None)
    >>> claim = ToolClaim(Fraction(0), Fraction(4), Fraction(1, 10**5), add, "somebody")
    >>> account = account_for(run, claim=claim)
    >>> print(account.points[0].either, account.claim.standing)
    4.377178 refuted
    """
    claim = claim or run.claim
    for delta in (*deltas, *([claim.delta] if claim else [])):
        if 0 < delta < LEAST_DELTA:
            raise InvalidArgument("delta", "less than 1e-300", "0, or at least 1e-300")
    if claim is not None and claim.delta not in deltas:
        # The δ of the claim is asked about in any case: ε at another one says nothing of it.
        deltas = (*deltas, claim.delta)
    points = enclose_run(run, deltas=deltas, epsilons=epsilons)
    judged = None
    if claim is not None:
        at = next(point for point in points if (point.given, point.value) == ("delta", claim.delta))
        judged = AccountedClaim(claim, at.either, judge(claim, run.neighbours, at.either))
    releases = tuple(
        f"{'once' if times == 1 else f'{times:,} times'}: {pair.name}"
        for pair, times in run.releases
    )
    assumption = PrivacyLoss(run.releases).assumption
    notes = (
        "not judged: whether the run was as the file says, each sample and each noise drawn "
        "independently",
        *([f"assumed: {assumption}"] if assumption else []),
    )
    return RunAccount(run.neighbours, releases, points, judged, notes)


def enclose_run(
    run: TrainingRun, *, deltas: Sequence[Fraction] = (), epsilons: Sequence[Fraction] = ()
) -> tuple[AccountedPoint, ...]:
    """Return ε at each δ in [0, 1] and δ at each ε >= 0, in this order."""
    losses = [PrivacyLoss(run.releases, side) for side in _SIDES]
    either_way = PrivacyLoss(run.releases)

    def epsilon_at(loss: PrivacyLoss, at: Fraction, points: int) -> Enclosure:
        return loss.epsilon(at, points=points)

    points = []
    for at in deltas:
        added, removed = (_narrow(epsilon_at, loss, at) for loss in losses)
        # At δ = 0 one of the two is known to be infinite where nobody says which.
        either = _larger(added, removed) if at else either_way.epsilon(at)
        points.append(AccountedPoint("delta", at, added, removed, either))
    for at in epsilons:
        added, removed = (_narrow(_delta_at, loss, at) for loss in losses)
        points.append(AccountedPoint("epsilon", at, added, removed, _larger(added, removed)))
    return tuple(points)


def judge(claim: ToolClaim, neighbours: NeighbouringRelation, epsilon: Enclosure) -> ClaimStanding:
    """Return how a claim stands beside what ε is at its δ, for the larger of both directions."""
    if claim.neighbours is not neighbours:
        return ClaimStanding.NOT_JUDGED
    if _exceeds(epsilon.lower, claim.most) or not _reaches(epsilon.upper, claim.least):
        return ClaimStanding.REFUTED
    if not _exceeds(epsilon.upper, claim.most) and _reaches(epsilon.lower, claim.least):
        return ClaimStanding.UPHELD
    return ClaimStanding.UNDECIDED


def _exceeds(end: Decimal, claimed: Fraction) -> bool:
    return not end.is_finite() or Fraction(end) > claimed


def _reaches(end: Decimal, claimed: Fraction) -> bool:
    return not end.is_finite() or Fraction(end) >= claimed


def _narrow(
    answer: Callable[[PrivacyLoss, Fraction, int], Enclosure], loss: PrivacyLoss, at: Fraction
) -> Enclosure:
    """Return an answer, from a finer grid if the usual one leaves it wide."""
    first = answer(loss, at, POINTS)
    if not loss.assumption or first.relative_width <= _WIDE:
        return first
    # Both enclose it, and a finer grid need not be narrower at both ends.
    second = answer(loss, at, 4 * POINTS)
    return Enclosure(max(first.lower, second.lower), min(first.upper, second.upper))


def _delta_at(loss: PrivacyLoss, at: Fraction, points: int) -> Enclosure:
    try:
        return loss.delta(at, points=points)
    except Undecided:
        # The loss can be ε itself, and no precision shows that two numbers are equal. δ falls in ε.
        above, below = (loss.delta(at * scale) for scale in (1 - _NUDGE, 1 + _NUDGE))
        return Enclosure(below.lower, above.upper)


def _larger(first: Enclosure, second: Enclosure) -> Enclosure:
    return Enclosure(max(first.lower, second.lower), max(first.upper, second.upper))
