"""What every privacy profile offers, and its evaluation at rising precision.

A profile compares a law P with a shifted copy Q. One direction of it, as a function of ε, is the
supremum over events O of P(O) - e^ε Q(O): convex and decreasing in e^ε. The binomial, lattice and
Gaussian profiles each implement :class:`Side` at one working precision; :func:`evaluate` raises
the precision until every value is as narrow as asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import ceil, log2, log10
from typing import NamedTuple

from flint import arb

from kproof.errors import Undecided
from kproof.theory.exact.enclosure import DIGITS, Enclosure
from kproof.theory.exact.precision import START_BITS, is_narrow, ladder, use_bits
from kproof.theory.exact.typed import Number, as_arb, rational

FLOOR = arb(10) ** -1000
"""Below this a law too long to list whole is only bounded from above."""
DEEPEST_TAIL = 4096
"""Bits of the tail that is left out before the floor counts."""


class ProfilePoint(NamedTuple):
    """A profile at one ε."""

    delta: arb
    """Encloses sup P(O) - e^ε Q(O)."""
    shifted: arb
    """Q(O) of an event that attains it, up to rounding; minus the slope of delta in e^ε. It
    steers the search for the inverse and proves nothing."""


class Effort(NamedTuple):
    """How hard to try."""

    bits: int
    """Arb's working precision."""
    tail: int | None
    """Points of total mass up to 2^-tail may be left out; None keeps them all."""


class Side:
    """One direction of a profile, at the working precision it was built at.

    A profile is positive at every ε: the laws here have finite support, so that a shift always
    uncovers some of it, or a Gaussian tail. What a side does not say is as for the latter.
    """

    def at(self, epsilons: Sequence[arb]) -> list[ProfilePoint]:
        """Return the profile at each ε >= 0, in the order given."""
        return [self._point(epsilon) for epsilon in epsilons]

    def _point(self, epsilon: arb) -> ProfilePoint:
        raise NotImplementedError

    def limit(self) -> arb:
        """Return the limit for ε → ∞: the mass of the points that Q cannot reach."""
        return arb(0)

    def knee(self) -> arb:
        """Return the least real ε from which the profile is constant; infinite if there is none."""
        return arb.pos_inf()

    def exact_limit(self) -> Fraction | None:
        """Return the limit as a rational, if it is one and cheap enough to work out."""
        return Fraction(0)

    def exact_start(self) -> Fraction | None:
        """Return the value at ε = 0 as a rational, if it is one and cheap enough to work out."""
        return None


@dataclass(frozen=True, slots=True)
class Goal:
    """How narrow an answer must be, and what follows from it."""

    relative_width: float

    @classmethod
    def of(cls, relative_width: Number) -> Goal:
        """Read a width relative to the magnitude, from 1e-300 to below 1."""
        finest = Fraction(1, 10**300)
        return cls(float(rational("relative_width", relative_width, least=finest, below=1)))

    @property
    def digits(self) -> int:
        """Digits of each end, enough for outward rounding to be lost in the width."""
        return max(DIGITS, ceil(-log10(self.relative_width)) + 4)

    def bits(self, *, lost: int) -> int:
        """Return a first precision, given how many bits cancellation may cost."""
        return max(START_BITS, 24 + ceil(-log2(self.relative_width)) + lost)

    def accepts(self, ball: arb) -> bool:
        """Say whether the ball is narrow enough, with half the width left for rounding."""
        return is_narrow(ball, self.relative_width / 2)


@dataclass(frozen=True, slots=True)
class PrivacyProfile:
    """A law compared with its shift: how to make the sides, and how hard to try."""

    build: Callable[[int | None], Sequence[Side]]
    """Makes the wanted sides at the working precision in force, given the tail of an Effort."""
    lost: int
    """Bits that cancellation may cost."""
    tails: Sequence[int] = ()
    """The tails to try first, as in :class:`Effort`; none unless leaving them out pays."""

    def efforts(self, goal: Goal) -> Iterator[Effort]:
        """Yield what to try in turn: leaving out tails first, then whole laws, rising."""
        bits = goal.bits(lost=self.lost)
        yield from (Effort(bits, tail) for tail in self.tails)
        yield from (Effort(rising, None) for rising in ladder(bits))


def evaluate(profile: PrivacyProfile, epsilons: Sequence[Fraction], goal: Goal) -> list[Enclosure]:
    """Return the largest of the sides at each ε >= 0, as narrow as the goal asks."""
    narrow: dict[int, Enclosure] = {}
    for effort in profile.efforts(goal):
        waiting = [i for i in range(len(epsilons)) if i not in narrow]
        with use_bits(effort.bits):
            exponents = [as_arb(epsilons[i]) for i in waiting]
            balls = _largest(profile.build(effort.tail), exponents)
            # A tail this deep left out and still nothing certain: below the floor, and said so.
            floor = effort.tail is not None and effort.tail >= DEEPEST_TAIL
            for i, ball in zip(waiting, balls, strict=True):
                if goal.accepts(ball) or (floor and ball.upper() < FLOOR):
                    narrow[i] = Enclosure.from_arb(ball, digits=goal.digits, low=0, high=1)
        if len(narrow) == len(epsilons):
            return [narrow[i] for i in range(len(epsilons))]
    raise Undecided(f"delta could not be enclosed to a relative width of {goal.relative_width:g}")


def _largest(sides: Sequence[Side], exponents: Sequence[arb]) -> list[arb]:
    rows = zip(*(side.at(exponents) for side in sides), strict=True)
    return [reduce(arb.max, (point.delta for point in row)) for row in rows]
