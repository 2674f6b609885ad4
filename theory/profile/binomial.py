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
from kproof.theory.binomial_tails import Tail, lower_tails, mass_at
from kproof.theory.numbers import as_arb
from kproof.theory.precision import floor_of
from kproof.theory.profile.side import Value

MOST_TRIALS = 10**100
"""Largest n of the certified closed form."""

_EXACT_BITS = 1 << 17
"""Largest integers that an exact comparison with the limit may need."""


@dataclass(frozen=True, slots=True)
class HalfLines:
    """The profile of M ~ Bin(n, p) given low <= M <= high, against M + 1.

    Attributes
    ----------
    n, p
        The law before conditioning, 0 < p < 1.
    low, high
        The support left by the conditioning; one of them is an end of 0..n.
    kept
        Pr[low <= M <= high].
    """

    n: int
    p: Fraction
    low: int
    high: int
    kept: arb

    def at(self, epsilons: Sequence[arb]) -> list[Value]:
        """Return the profile at each ε."""
        cuts = [self._cut(epsilon) for epsilon in epsilons]
        points = sorted({sure for sure, _ in cuts})
        tails = self._tails(points)
        return [
            self._value(epsilon, sure, possible, tails[sure])
            for epsilon, (sure, possible) in zip(epsilons, cuts, strict=True)
        ]

    def _cut(self, epsilon: arb) -> tuple[int, int]:
        """Return the largest m surely and the largest m possibly with f(m) >= e^ε f(m-1)."""
        p = as_arb(self.p)
        place = p * (self.n + 1) / (epsilon.exp() * (1 - p) + p)
        sure, possible = floor_of(place.lower()), floor_of(place.upper())
        if sure is None or possible is None:
            # An e^ε beyond Arb's exponents is beyond every ratio.
            return self.low, self.low
        return self._within(sure), self._within(possible)

    def _within(self, m: int) -> int:
        return min(self.high, max(self.low, m))

    def _tails(self, points: Sequence[int]) -> dict[int, Tail]:
        """Return mass at and kept mass below each point, both relative to the kept mass."""
        above = [point for point in points if point > self.low]
        tails = {self.low: Tail(mass_at(self.n, self.p, self.low) / self.kept, arb(0))}
        if self.low > 0 and above:
            cut_off, *found = lower_tails(self.n, self.p, [self.low, *above])
            removed = cut_off.below
        else:
            found, removed = list(lower_tails(self.n, self.p, above)), arb(0)
        for point, tail in zip(above, found, strict=True):
            tails[point] = Tail(tail.mass / self.kept, (tail.below - removed) / self.kept)
        return tails

    def _value(self, epsilon: arb, sure: int, possible: int, tail: Tail) -> Value:
        if possible - sure > 4:
            return Value(arb(0).union(arb(1)), tail.below)
        delta = tail.mass - epsilon.expm1() * tail.below
        mass, scale = tail.mass, epsilon.exp()
        for m in range(sure + 1, possible + 1):
            following = mass * as_arb(self._ratio(m))
            delta += (following - scale * mass).max(arb(0))
            mass = following
        return Value(delta, tail.below)

    def _ratio(self, m: int) -> Fraction:
        return (self.n - m + 1) * self.p / (m * (1 - self.p))

    def limit(self) -> arb:
        """Return the mass of the lowest point, which M + 1 cannot reach."""
        return mass_at(self.n, self.p, self.low) / self.kept

    def knee(self) -> arb:
        """Return the logarithm of the likelihood ratio just above the lowest point."""
        if self.low == self.high:
            return arb.neg_inf()
        return as_arb(self._ratio(self.low + 1)).log()

    def exact_limit(self) -> Fraction | None:
        """Return the mass of the lowest point if the integers stay small enough."""
        return self._exact_mass(self.low)

    def exact_start(self) -> Fraction | None:
        """Return the largest mass, which is what is left at ε = 0, under the same condition."""
        return self._exact_mass(self._within(int(self.p * (self.n + 1))))

    def _exact_mass(self, m: int) -> Fraction | None:
        if self.n * self.p.denominator.bit_length() > _EXACT_BITS:
            return None
        odds, against = self.p.numerator, self.p.denominator - self.p.numerator
        weight = comb(self.n, self.low) * odds**self.low * against ** (self.n - self.low)
        total = wanted = 0
        for j in range(self.low, self.high + 1):
            total += weight
            wanted = weight if j == m else wanted
            weight = weight * (self.n - j) * odds // ((j + 1) * against)
        return Fraction(wanted, total)


def binomial_sides(n: int, p: Fraction, k: int) -> tuple[HalfLines, HalfLines]:
    """Return both directions, up then down, of M ~ Bin(n, p) given M >= k.

    Raises
    ------
    TooLarge
        If n is beyond ``MOST_TRIALS``.
    """
    if n > MOST_TRIALS:
        raise TooLarge(f"n = {n:.3e}: the certified profile of a binomial needs n <= 1e100")
    q = 1 - p
    if k == 0:
        kept = arb(1)
    elif k <= n * p:
        kept = 1 - sum(next(lower_tails(n, p, [k - 1])), arb(0))
    else:
        kept = sum(next(lower_tails(n, q, [n - k])), arb(0))
    return HalfLines(n, p, k, n, kept), HalfLines(n, q, 0, n - k, kept)
