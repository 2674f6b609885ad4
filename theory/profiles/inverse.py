"""The inverse of a privacy profile: the least ε at which delta(ε) is at most a target.

The search is Newton's method and proves nothing. The proof is two evaluations: the profile is
above the target just below the answer, and not above it just above. Targets that cannot be told
from the limit of the profile, or from its value at ε = 0, are settled exactly where the law allows
it and otherwise get an enclosure that is true either way.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from flint import arb

from kproof.errors import InvalidArgument, Undecided
from kproof.theory.exact import Number, as_arb, rational, use_bits
from kproof.theory.exact.enclosure import Enclosure, hull, largest
from kproof.theory.profiles.side import Goal, PrivacyProfile, ProfilePoint, Side, evaluate

_TIE_BITS = 512
_FAR_BITS = 64
_ROUNDS = 200
ZERO = Enclosure(Decimal(0), Decimal(0))
INFINITE = Enclosure(Decimal("Infinity"), Decimal("Infinity"))


def solve(
    profile: PrivacyProfile, goal: Goal, *, epsilon: Number | None, delta: Number | None
) -> Enclosure:
    """Return δ of an ε, or the least ε of a δ; exactly one of them is there."""
    if (epsilon is None) == (delta is None):
        raise InvalidArgument("(epsilon, delta)", (epsilon, delta), "exactly one of the two")
    if delta is None:
        return evaluate(profile, [rational("epsilon", epsilon, least=0)], goal)[0]
    return invert(profile, [rational("delta", delta, least=0, most=1)], goal)[0]


def invert(profile: PrivacyProfile, targets: Sequence[Fraction], goal: Goal) -> list[Enclosure]:
    """Return, for each target in [0, 1], the least ε >= 0 at which no side exceeds the target.

    It is infinite where the target is below the limit of a side. Where a target agrees with that
    limit, or with the value at ε = 0, to more than a hundred digits and no exact comparison is at
    hand, the enclosure is wide: its upper end is infinite, or its lower end 0.
    """
    answers: list[list[Enclosure | None]] = []
    for effort in profile.efforts(goal):
        with use_bits(effort.bits):
            sides = profile.build(effort.tail)
            answers = answers or [[None] * len(targets) for _ in sides]
            for side, column in zip(sides, answers, strict=True):
                waiting = [i for i, answer in enumerate(column) if answer is None]
                fresh = _Inversion(side, goal).of([targets[i] for i in waiting])
                for i, answer in zip(waiting, fresh, strict=True):
                    column[i] = answer
        rows = [[answer for answer in row if answer] for row in zip(*answers, strict=True)]
        if all(len(row) == len(answers) for row in rows):
            return [largest(row) for row in rows]
    raise Undecided(f"epsilon could not be enclosed to a relative width of {goal.relative_width:g}")


class _Inversion:
    """Answers what can be answered about one side at its precision."""

    def __init__(self, side: Side, goal: Goal) -> None:
        self.side = side
        self.goal = goal

    def of(self, targets: Sequence[Fraction]) -> list[Enclosure | None]:
        """Return the inverse at each target, None where the precision is too low."""
        if not targets:
            return []
        start, limit = self.side.at([arb(0)])[0], self.side.limit()
        answers: list[Enclosure | None] = [None] * len(targets)
        searches: dict[int, _Search] = {}
        for i, target in enumerate(targets):
            level = as_arb(target)
            if target == 0:
                answers[i] = INFINITE
            elif start.delta <= level:
                answers[i] = ZERO
            elif limit > level:
                answers[i] = INFINITE
            elif not start.delta > level:
                answers[i] = self._near_start(start.delta, target)
            elif not limit < level:
                answers[i] = self._near_limit(limit, target)
            else:
                searches[i] = _Search(level, start, self.goal.relative_width / 16)
        self._run(list(searches.values()))
        for i, search in searches.items():
            answers[i] = search.answer
        return answers

    def _run(self, searches: Sequence[_Search]) -> None:
        """Search, prove, and search on where a proof failed for a reason."""
        for _ in range(_ROUNDS):
            moving = [search for search in searches if not search.settled]
            if moving:
                values = self.side.at([search.point for search in moving])
                for search, value in zip(moving, values, strict=True):
                    search.move(value)
            elif not self._prove([search for search in searches if search.answer is None]):
                return

    def _prove(self, searches: Sequence[_Search]) -> bool:
        """Answer the searches whose roots are proved, and say whether others search on."""
        # A fifth of the width to either side, where the search stopped within a sixteenth: what is
        # left of the width pays for rounding the ends outward.
        slack = arb(self.goal.relative_width) / 5
        # Numbers, not balls: δ is proved at them, and the root lies between.
        ends = [((s.point * (1 - slack)).mid(), (s.point * (1 + slack)).mid()) for s in searches]
        values = self.side.at([end for pair in ends for end in pair])
        for search, (low, high), below, above in zip(
            searches, ends, values[::2], values[1::2], strict=True
        ):
            if above.delta > search.target:
                search.reopen(high, search.high)
            elif below.delta <= search.target:
                search.reopen(search.low, low)
            elif below.delta > search.target and above.delta <= search.target:
                search.answer = self._between(low, high)
        return not all(search.settled for search in searches)

    def _between(self, low: arb, high: arb) -> Enclosure:
        digits = self.goal.digits
        return hull(Enclosure.from_arb(low, digits=digits), Enclosure.from_arb(high, digits=digits))

    def _near_limit(self, limit: arb, target: Fraction) -> Enclosure | None:
        """Answer for a target that the limit's ball contains."""
        knee = self.side.knee()
        if self.side.exact_limit() == target:
            return self._between(knee, knee) if self.goal.accepts(knee) else None
        if limit.rel_accuracy_bits() < _TIE_BITS:
            return None
        # The nearest to the knee first: the first one that is proved is the best.
        lows = [(knee.lower() * (1 - arb(2) ** -k)).lower() for k in range(40, 0, -1)]
        values = self.side.at([low.max(arb(0)) for low in lows])
        for low, value in zip(lows, values, strict=True):
            if low > 0 and value.delta > as_arb(target):
                return self._between(low, arb.pos_inf())
        return Enclosure(ZERO.lower, INFINITE.upper)

    def _near_start(self, start: arb, target: Fraction) -> Enclosure | None:
        """Answer for a target that the ball of the value at ε = 0 contains."""
        if self.side.exact_start() == target:
            return ZERO
        if start.rel_accuracy_bits() < _TIE_BITS:
            return None
        # The smallest first: the first one that is proved is the best.
        highs = [arb(2) ** -k for k in range(_TIE_BITS, -_FAR_BITS, -8)]
        for high, value in zip(highs, self.side.at(highs), strict=True):
            if value.delta <= as_arb(target):
                return self._between(arb(0), high)
        # The profile may be constant: then its value at 0 is its limit as well.
        return Enclosure(ZERO.lower, INFINITE.upper)


class _Search:
    """The search for one root: a point between two others, and where to go next."""

    def __init__(self, target: arb, start: ProfilePoint, tolerance: float) -> None:
        self.target = target
        self.tolerance = tolerance
        self.point = self.low = arb(0)
        self.high = self.step = arb.pos_inf()
        self.stalled = 0
        self.settled = False
        self.answer: Enclosure | None = None
        self.move(start)

    def reopen(self, low: arb, high: arb) -> None:
        """Search on between narrower bounds: where a profile is flat, small steps mean little."""
        self.low, self.high = low, high
        self.point = self._middle()
        self.settled = False

    def move(self, value: ProfilePoint) -> None:
        """Take in the profile at ``point`` and move on."""
        # By middles: they only say where to look, and what is answered is proved in `_prove`.
        delta = value.delta.mid()
        if delta > self.target.mid():
            self.low = self.point
        else:
            self.high = self.point
        proposal = self._newton(delta, value.shifted.mid())
        if proposal is not None and not self.high.is_finite():
            # Where the profile is still flat a tangent leads absurdly far.
            proposal = proposal.min(2 * self.low + 1)
        # At the root a step may leave the bracket by rounding alone: look at its size first.
        if proposal is not None and self._is_small(proposal):
            self.settled = True
        elif proposal is None or not self.low < proposal < self.high or self._stalls(proposal):
            proposal = self._middle()
            self.settled = self._is_small(proposal)
        self.point = proposal

    def _is_small(self, proposal: arb) -> bool:
        return bool(abs(proposal - self.point) <= self.tolerance * proposal)

    def _stalls(self, proposal: arb) -> bool:
        """Say whether this is the second step in a row that did not halve the one before."""
        step = abs(proposal - self.point)
        self.stalled = 0 if step < self.step / 2 else self.stalled + 1
        self.step = step
        if self.stalled < 2:
            return False
        self.stalled, self.step = 0, arb.pos_inf()
        return True

    def _middle(self) -> arb:
        if not self.high.is_finite():
            # Doubled, since nobody knows how far off the root is; 1 more, to get away from 0.
            return 2 * self.low + 1
        return ((self.low + self.high) / 2).mid()

    def _newton(self, delta: arb, shifted: arb) -> arb | None:
        """Newton's step on ln delta in ε from afar, on delta in e^ε nearby.

        Profiles fall like a Gaussian tail, so their logarithm is what a tangent follows well; and
        they are convex and piecewise linear in e^ε, so there the last steps are monotone.
        """
        if not (delta > 0 and shifted > 0):
            return None
        scale = self.point.exp()
        logarithm = (delta / self.target).log()
        if abs(logarithm) > 1:
            return (self.point + logarithm * delta / (scale * shifted)).mid()
        tangent = scale + (delta - self.target) / shifted
        return tangent.log().mid() if tangent > 1 else None
