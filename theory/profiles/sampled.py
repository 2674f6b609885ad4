r"""What a table is worth if each row is kept by a fair coin and rare cells are dropped.

Each row is kept independently with chance β; a cell, which is a whole published row, is shown with
its count if at least k of its rows were kept, and otherwise not at all. Neighbours are tables that
differ by one row. Only the count of that row's cell differs in law: Bin(N, β) with the row,
Bin(N - 1, β) without it, both with everything below k merged into *hidden*. The profile is the
supremum over all N, hence over all tables, and it needs no belief about anybody: the coins are the
publisher's own.

*With the row against without it.* Let γ = 1 - (1 - β) e^-ε. The likelihood ratio N(1 - β)/(N - j)
of a count j exceeds e^ε exactly where j > γN. While γN <= k - 1 every shown count is on the telling
side, so the worst event is "shown", and its gain β f(k - 1) - (e^ε - 1) Pr[Bin(N - 1) >= k] rises
with N, f being the masses of Bin(N - 1, β). From then on every hidden count is on the other side,
so that hiding changes nothing, and the profile of the bare count falls with N: another row is the
same noise added to both laws. The supremum is attained at N* = ⌊(k - 1)/γ⌋ + 1:

.. math:: \delta_\uparrow(\varepsilon) = \Pr[\mathrm{Bin}(N^*, \beta) \ge k]
   - e^\varepsilon \Pr[\mathrm{Bin}(N^* - 1, \beta) \ge k].

*Without it against with it* is the mirror image, with γ' = 1 - (1 - β) e^ε and the event "hidden";
it is 0 once γ' <= 0. No ε makes δ less than β^k: with k rows of a kind, "shown" needs all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from typing import ClassVar, NamedTuple

from flint import arb

from kproof.errors import InvalidArgument
from kproof.theory.exact import Enclosure, Number, as_arb, integer, rational
from kproof.theory.exact.precision import floor_of, use_bits
from kproof.theory.profiles.binomial import MOST_TRIALS
from kproof.theory.profiles.binomial_tails import lower_tails, mass_at, upper_tail
from kproof.theory.profiles.inverse import solve
from kproof.theory.profiles.side import Goal, PrivacyProfile, ProfilePoint, Side

MOST_K = 10**6
"""Largest threshold; a search for one goes no further."""
_GOAL = Goal(1e-12)
_EXACT_BITS = 1 << 17
"""Largest integers that a rational answer may need."""


@dataclass(frozen=True, slots=True)
class _OneRow(Side, ABC):
    """One direction: tables with and without a row that is kept with chance β."""

    k: int
    beta: Fraction
    _sign: ClassVar[int]
    """γ of the worst sizes has e^ε to this power."""

    def sizes(self, epsilon: arb) -> list[int]:
        """Return ⌊(k - 1)/γ⌋ + 1, or two candidates where the ball does not decide; else none."""
        gamma = 1 - as_arb(1 - self.beta) * (self._sign * epsilon).exp()
        if not gamma > 0:
            return []
        ratio = (self.k - 1) / gamma
        least, most = floor_of(ratio.lower()), floor_of(ratio.upper())
        if least is None or most is None or most - least > 1 or most >= MOST_TRIALS:
            return []
        return sorted({least + 1, most + 1})

    def _point(self, epsilon: arb) -> ProfilePoint:
        """Return the supremum over the sizes that may be the worst; each is attained."""
        points = [self._gain(rows, epsilon) for rows in self.sizes(epsilon)]
        if not points:
            # Nothing is known where the precision decides nothing.
            return ProfilePoint(arb(0).union(arb(1)), arb(1))
        return ProfilePoint(reduce(arb.max, (point.delta for point in points)), points[-1].shifted)

    @abstractmethod
    def _gain(self, rows: int, epsilon: arb) -> ProfilePoint: ...

    def exact_start(self) -> Fraction | None:
        """Return β for k = 1, where δ does not depend on ε; otherwise no rational is worked out."""
        return self.beta if self.k == 1 else None


@dataclass(frozen=True, slots=True)
class _WithTheRow(_OneRow):
    """The table with the row against the table without it: the event is "shown"."""

    _sign: ClassVar[int] = -1

    def _gain(self, rows: int, epsilon: arb) -> ProfilePoint:
        # Fewer than k rows are never shown: without the row the event is empty, and the tail below
        # would begin at -1.
        if rows == self.k:
            return ProfilePoint(as_arb(self.beta) ** self.k, arb(0))
        # Pr[Bin(rows - 1) >= k], counted by the rows that were not kept: rows - 1 - k at most.
        unkept = next(lower_tails(rows - 1, 1 - self.beta, [rows - 1 - self.k]))
        tail = unkept.mass + unkept.below
        added = as_arb(self.beta) * mass_at(rows - 1, self.beta, self.k - 1)
        return ProfilePoint(added - epsilon.expm1() * tail, tail)

    def limit(self) -> arb:
        """Return β^k."""
        return as_arb(self.beta) ** self.k

    def knee(self) -> arb:
        """Return ln(k(1 - β)), from which on only tables with k rows of a kind count."""
        return as_arb(self.k * (1 - self.beta)).log().max(arb(0))

    def exact_limit(self) -> Fraction | None:
        """Return β^k if its integers stay small."""
        small = self.k * self.beta.denominator.bit_length() <= _EXACT_BITS
        return self.beta**self.k if small else None


@dataclass(frozen=True, slots=True)
class _WithoutTheRow(_OneRow):
    """The table without the row against the table with it: the event is "hidden"."""

    _sign: ClassVar[int] = 1

    def _point(self, epsilon: arb) -> ProfilePoint:
        if 1 - as_arb(1 - self.beta) * epsilon.exp() <= 0:
            return ProfilePoint(arb(0), arb(1))
        # `super()` would look for the class that `slots=True` has replaced.
        return _OneRow._point(self, epsilon)

    def _gain(self, rows: int, epsilon: arb) -> ProfilePoint:
        fewer = next(lower_tails(rows - 1, self.beta, [self.k - 1]))
        hidden = fewer.mass + fewer.below
        removed = as_arb(self.beta) * fewer.mass
        return ProfilePoint(epsilon.exp() * removed - epsilon.expm1() * hidden, hidden - removed)

    def knee(self) -> arb:
        """Return -ln(1 - β)."""
        return -as_arb(1 - self.beta).log()


def sampled_exact(
    k: Number, beta: Number, *, epsilon: Number | None = None, delta: Number | None = None
) -> Enclosure:
    """Return δ of an ε, or the reverse, of rows kept by coins in cells of at least k.

    It holds against everyone, for every table, for tables that differ by one row more or less, in
    both directions and for all events: the supremum, not a bound of it. 1 <= k <= 10⁶,
    0 < beta < 1, and exactly one of epsilon >= 0 and 0 <= delta <= 1; the least ε is infinite if
    delta is below β^k, which no ε reaches.

    >>> print(sampled_exact(20, "1/10", epsilon=1))
    2.760687e-15
    >>> print(sampled_exact(3, "1/2", delta="1/10"), sampled_exact(3, "1/2", delta="1/9"))
    Infinity Infinity
    """
    threshold = integer("k", k, least=1, most=MOST_K)
    chance = rational("beta", beta, above=0, below=1)
    sides = (_WithTheRow(threshold, chance), _WithoutTheRow(threshold, chance))
    # Gains are differences of terms up to e^ε times as large.
    profile = PrivacyProfile(lambda _: sides, 3 * threshold.bit_length() + 64)
    return solve(profile, _GOAL, epsilon=epsilon, delta=delta)


class WorstTables(NamedTuple):
    """A pair of tables at which the supremum is attained."""

    rows: int
    """Rows of one cell, the victim's among them."""
    present: bool
    """Whether the table with the victim's row is the likelier one; else it is the one without."""


def worst_tables(k: Number, beta: Number, *, epsilon: Number) -> WorstTables | None:
    """Return where :func:`sampled_exact` has its δ; None if the precision does not tell.

    >>> worst_tables(5, "1/10", epsilon=1)
    WorstTables(rows=6, present=True)
    """
    threshold = integer("k", k, least=1, most=MOST_K)
    chance = rational("beta", beta, above=0, below=1)
    with use_bits(3 * threshold.bit_length() + 256):
        exponent = as_arb(rational("epsilon", epsilon, least=0))
        up, down = _WithTheRow(threshold, chance), _WithoutTheRow(threshold, chance)
        present = not up.at([exponent])[0].delta < down.at([exponent])[0].delta
        sizes = (up if present else down).sizes(exponent)
    return WorstTables(sizes[0], present) if sizes else None


def least_sum(k: int, beta: Fraction, epsilon: Fraction) -> Decimal:
    """Return the least δ↑(ε₁) + δ↓(ε - ε₁) over 65 values of ε₁, rounded up."""
    up, down = _WithTheRow(k, beta), _WithoutTheRow(k, beta)
    with use_bits(3 * k.bit_length() + 128):
        splits = [as_arb(epsilon * part / 64) for part in range(65)]
        # The exponents at which the second is taken are the same ones, from the other end.
        pairs = zip(up.at(splits), reversed(down.at(splits)), strict=True)
        least = reduce(arb.min, ((first.delta + second.delta).upper() for first, second in pairs))
        return Enclosure.from_arb(least, low=0, high=1).upper


def shown_share(sizes: Mapping[int, int], k: Number, beta: Number) -> Enclosure:
    """Return the expected share of rows that are published, from the cells of each number of rows.

    >>> shown_share({2: 1, 1: 5}, 2, "1/2").upper
    Decimal('0.07142857142857142857142858')
    """
    threshold = integer("k", k, least=1, most=MOST_K)
    chance = rational("beta", beta, above=0, below=1)
    rows = sum(size * cells for size, cells in sizes.items())
    with use_bits(128):
        # A row is shown if it is kept and so are k - 1 others of its cell.
        rows_shown = sum(
            (size * cells * upper_tail(size - 1, chance, threshold - 1))
            for size, cells in sizes.items()
        )
        return Enclosure.from_arb(as_arb(chance) * rows_shown / rows, low=0, high=1)


def least_threshold(beta: Number, *, epsilon: Number, delta: Number) -> int:
    """Return the least k at which rows kept with chance beta are worth (ε, δ), 0 < δ <= 1.

    >>> least_threshold("1/10", epsilon=1, delta="1e-9")
    12
    """
    target = rational("delta", delta, above=0, most=1)

    def suffices(k: int) -> bool:
        value = sampled_exact(k, beta, epsilon=epsilon)
        # δ is irrational unless ε = 0 or it is β^k; a target inside the enclosure counts as missed.
        return Fraction(value.upper) <= target

    high = 1
    while not suffices(high):
        if high >= MOST_K:
            raise InvalidArgument("delta", delta, f"more: k = {MOST_K} does not reach it")
        high = min(2 * high, MOST_K)
    # Half of it did not suffice, unless it is 1.
    return bisect_left(range(high), True, lo=high // 2 + 1, key=suffices)
