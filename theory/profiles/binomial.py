"""The privacy profile of a binomial count, truncated from below or not, shifted by one.

The likelihood ratio f(j)/f(j-1) = (n-j+1)p/(jq) falls with j, so the worst events are {M <= m} with
m = ⌊p(n+1)/(e^ε q+p)⌋ kept within the support, and delta(ε) = Pr[M <= m] - e^ε Pr[M <= m-1]. The
other direction is the same statement about n - M. This is the exact form of Theorem 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from flint import arb

from kproof.errors import TooLarge
from kproof.theory.exact import Enclosure, Number, as_arb, integer, rational
from kproof.theory.exact.precision import floor_of
from kproof.theory.laws.binomial import MOST_TRIALS as MOST_OTHERS
from kproof.theory.profiles.binomial_tails import Tail, lower_tails, mass_at
from kproof.theory.profiles.inverse import solve
from kproof.theory.profiles.side import Goal, PrivacyProfile, ProfilePoint, Side

MOST_TRIALS = 10**100
"""Largest n of the certified closed form."""
_GOAL = Goal(1e-12)
_EXACT_BITS = 1 << 17
"""Largest integers that an exact comparison with the limit may need."""


@dataclass(frozen=True, slots=True)
class HalfLines(Side):
    """The profile of M ~ Bin(n, p) given low <= M <= high, against M + 1.

    What M + 1 is conditioned on may differ by one count at one end; then ``scale`` and ``first``
    say how.
    """

    n: int
    p: Fraction
    """The law before conditioning, 0 < p < 1."""
    low: int
    high: int
    """The support left by the conditioning; one of them is an end of 0..n."""
    remaining: arb
    """Pr[low <= M <= high]."""
    scale: arb | None = None
    """``remaining`` over the probability of what M + 1 is conditioned on; None for 1."""
    first: arb | None = None
    """Pr[M + 1 = low] before conditioning over ``remaining``, where M + 1 has that value too; None
    where it has not."""

    def at(self, epsilons: Sequence[arb]) -> list[ProfilePoint]:
        """Return the profile at each ε, from one walk over the tails."""
        cuts = [self._cut(epsilon) for epsilon in epsilons]
        tails = self._tails(sorted({sure for sure, _ in cuts}))
        pairs = zip(epsilons, cuts, strict=True)
        return [self._value(epsilon, *cut, tails[cut[0]]) for epsilon, cut in pairs]

    def _cut(self, epsilon: arb) -> tuple[int, int]:
        """Return the largest m surely and the largest m possibly with f(m) >= e^ε f(m-1)."""
        p = as_arb(self.p)
        place = p * (self.n + 1) / (self._factor(epsilon) * (1 - p) + p)
        sure, possible = floor_of(place.lower()), floor_of(place.upper())
        if sure is None or possible is None:
            # An e^ε beyond Arb's exponents is beyond every ratio.
            return self.low, self.low
        return self._within(sure), self._within(possible)

    def _within(self, m: int) -> int:
        return min(self.high, max(self.low, m))

    def _tails(self, points: Sequence[int]) -> dict[int, Tail]:
        """Return mass at and remaining mass below each point, relative to all that remains."""
        above = [point for point in points if point > self.low]
        tails = {self.low: Tail(mass_at(self.n, self.p, self.low) / self.remaining, arb(0))}
        if self.low > 0 and above:
            cut_off, *lower = lower_tails(self.n, self.p, [self.low, *above])
            removed = cut_off.below
        else:
            lower, removed = list(lower_tails(self.n, self.p, above)), arb(0)
        for point, tail in zip(above, lower, strict=True):
            tails[point] = Tail(tail.mass / self.remaining, (tail.below - removed) / self.remaining)
        return tails

    def _value(self, epsilon: arb, sure: int, possible: int, tail: Tail) -> ProfilePoint:
        # The worst end is not pinned down at this precision; the answer is as wide as it can be,
        # and a higher precision is tried.
        if possible - sure > 4:
            return ProfilePoint(arb(0).union(arb(1)), tail.below)
        mass, scale = tail.mass, self._factor(epsilon)
        # e^ε - 1 would cancel for small ε.
        less = epsilon.expm1() if self.scale is None else scale - 1
        delta = mass - less * tail.below
        shifted = tail.below
        if self.first is not None:
            # Where even the lowest count is rarer in M than e^ε times that in M + 1, no event is.
            delta = (delta - scale * self.first).max(arb(0))
            shifted += self.first
        for m in range(sure + 1, possible + 1):
            following = mass * as_arb(self._ratio(m))
            delta += (following - scale * mass).max(arb(0))
            mass = following
        return ProfilePoint(delta, shifted)

    def _factor(self, epsilon: arb) -> arb:
        """Return e^ε in units of the masses of M, unconditioned."""
        return epsilon.exp() if self.scale is None else epsilon.exp() * self.scale

    def _ratio(self, m: int) -> Fraction:
        return (self.n - m + 1) * self.p / (m * (1 - self.p))

    def limit(self) -> arb:
        """Return the mass of the lowest point, if M + 1 cannot reach it."""
        if self.first is not None:
            return arb(0)
        return mass_at(self.n, self.p, self.low) / self.remaining

    def knee(self) -> arb:
        """Return the logarithm of the largest finite likelihood ratio."""
        lowest = self.low + (self.first is None)
        if lowest > self.high:
            return arb.neg_inf()
        ratio = as_arb(self._ratio(lowest))
        return (ratio if self.scale is None else ratio / self.scale).log()

    def exact_limit(self) -> Fraction | None:
        """Return the limit if the integers stay small enough."""
        return self._exact_mass(self.low) if self.first is None else Fraction(0)

    def exact_start(self) -> Fraction | None:
        """Return the largest mass, which is what is left at ε = 0, under the same condition."""
        if self.scale is not None:
            return None
        return self._exact_mass(self._within(int(self.p * (self.n + 1))))

    def _exact_mass(self, m: int) -> Fraction | None:
        if self.n * self.p.denominator.bit_length() > _EXACT_BITS:
            return None
        odds, against = self.p.numerator, self.p.denominator - self.p.numerator
        weight = comb(self.n, self.low) * odds**self.low * against ** (self.n - self.low)
        total = weight_m = 0
        for j in range(self.low, self.high + 1):
            total += weight
            weight_m = weight if j == m else weight_m
            # Without a rest: the next weight is a whole number too.
            weight = weight * (self.n - j) * odds // ((j + 1) * against)
        return Fraction(weight_m, total)


def binomial_sides(n: int, p: Fraction, k: int) -> tuple[HalfLines, HalfLines]:
    """Return both directions, up then down, of M ~ Bin(n, p) given M >= k; n <= 1e100."""
    released = _at_least(n, p, k)
    return HalfLines(n, p, k, n, released), HalfLines(n, 1 - p, 0, n - k, released)


def others_sides(n: int, p: Fraction, k: int) -> tuple[HalfLines, HalfLines]:
    """Return both directions of a count of n others and a victim, given that it is at least k.

    Without the victim the count is M ~ Bin(n, p) given M >= k, with it M + 1 given M >= k - 1.
    The first direction has the count without the victim on the left.
    """
    out, into = _at_least(n, p, k), _at_least(n, p, k - 1)
    return (
        HalfLines(n, p, k, n, out, scale=out / into, first=mass_at(n, p, k - 1) / out),
        HalfLines(n, 1 - p, 0, n - k + 1, into, scale=into / out),
    )


def others_exact(
    n: Number, p: Number, k: Number, *, epsilon: Number | None = None, delta: Number | None = None
) -> Enclosure:
    """Return the exact delta of an epsilon, or the reverse, of a count with the victim or without.

    The others are random, the victim's tuple is not: O ~ Bin(n, p) counts the others, and the count
    released is O or O + 1. It is released only if it is at least k, so that the two laws are those
    of O given O >= k and of O + 1 given O >= k - 1. Neither is a shift of the other: a truncation
    that comes after the victim leaves no count that only one of them has at the lower end. The
    answer is for all events and both directions. 1 <= k <= n <= 10**15 and 0 < p < 1; exactly one
    of epsilon >= 0 and 0 <= delta <= 1.

    >>> print(others_exact(59, "1/5", 31, epsilon=2))
    9.472157e-25
    """
    count = integer("n - 1 (others only)", n, least=1, most=MOST_OTHERS)
    size = integer("k", k, least=1, most=count)
    chance = rational("p", p, above=0, below=1)
    lost = 3 * count.bit_length() + 40
    profile = PrivacyProfile(lambda _: others_sides(count, chance, size), lost)
    return solve(profile, _GOAL, epsilon=epsilon, delta=delta)


def _at_least(n: int, p: Fraction, k: int) -> arb:
    """Return Pr[M >= k]."""
    if n > MOST_TRIALS:
        raise TooLarge(f"n = {n:.3e}: the certified profile of a binomial needs n <= 1e100")
    if k == 0:
        return arb(1)
    # From the shorter tail: 1 minus a number near 1 would keep no digits of a rare event.
    if k <= n * p:
        return 1 - sum(next(lower_tails(n, p, [k - 1])), arb(0))
    return sum(next(lower_tails(n, 1 - p, [n - k])), arb(0))
