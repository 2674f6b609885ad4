r"""What sampled cells are worth if neighbours differ in the values of one row.

The row is in cell a of one table and in cell b of the other. With N_a and N_b other rows in the two
cells, the count of a is Bin(N_a + 1, β) against Bin(N_a, β), that of b Bin(N_b, β) against
Bin(N_b + 1, β), independent of each other, each hidden below k. What is sought is the supremum over
both sizes; the other direction is the same pair of cells exchanged.

*A finite search.* Hiding less tells more, and the profile of bare counts falls as rows are added.
So all sizes N_a >= A are below the pair with N_a = A whose first cell is never hidden, and the same
for N_b. The supremum is that of a box and of its border; where the border is below the box it is
attained in the box, otherwise an enclosure remains.

*Few of the pairs are looked at.* A pair is at most δ_a(ε₁) + δ_b(ε - ε₁) for every ε₁, each from
one cell alone. Pairs are taken in the order of this bound until the bound of the next one is below
the best value.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

import numpy as np
from flint import arb

from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.precision import floor_of, is_narrow, working_bits
from kproof.theory.exact.typed import Number, as_arb, integer, rational

MOST_K = 100
"""Largest threshold that is searched: the box grows with k, and its pairs with the square."""

_MOST_ROWS = 1600
_WIDTH = 1e-12
_BITS = 192
_SPLITS = 8
_UP = 1 + 2.0**-40
"""More than what rounding a bound to a float may take from it."""


@dataclass(frozen=True)
class _Count:
    """The published count of a cell with some rows, at the working precision."""

    rows: int
    beta: Fraction
    least: int
    """Counts below it are hidden; 0 hides none."""

    @cached_property
    def shown(self) -> list[arb]:
        """The masses of the counts from ``least`` to the number of rows."""
        odds = as_arb(self.beta / (1 - self.beta))
        mass, masses = as_arb(1 - self.beta) ** self.rows, []
        for count in range(self.rows + 1):
            if count >= self.least:
                masses.append(mass)
            mass = mass * (self.rows - count) / (count + 1) * odds
        return masses

    @cached_property
    def hidden(self) -> arb:
        """The mass of all counts below ``least``."""
        return (1 - sum(self.shown, arb(0))).max(arb(0)) if self.least else arb(0)

    @cached_property
    def sums(self) -> list[arb]:
        """The masses of the first shown counts, of none to all of them."""
        return list(accumulate(self.shown, initial=arb(0)))

    def atoms(self) -> list[arb]:
        """Return the masses, that of *hidden* first."""
        return [self.hidden, *self.shown]


@dataclass(frozen=True)
class _Cell:
    """A cell with some other rows: its count with the row, and without it."""

    present: _Count
    absent: _Count

    @classmethod
    def of(cls, others: int, beta: Fraction, least: int) -> _Cell:
        return cls(_Count(others + 1, beta, least), _Count(others, beta, least))

    def alone(self, ratios: list[arb], *, leaves: bool) -> list[float]:
        """Return an upper bound of this cell's own profile at each e^ε."""
        left, right = self.present.atoms(), self.absent.atoms()
        right = [*right, *[arb(0)] * (len(left) - len(right))]
        if not leaves:
            left, right = right, left
        return [
            float(
                sum(
                    ((p - e * q).max(arb(0)) for p, q in zip(left, right, strict=True)), arb(0)
                ).upper()
            )
            * _UP
            for e in ratios
        ]


def _pair(a: _Cell, b: _Cell, beta: Fraction, ratio: arb) -> arb:
    """Return sup P(O) - e^ε Q(O) for the row in a against the row in b."""
    stays = as_arb(1 - beta)
    total = arb(0)
    absent = [a.absent.hidden, *a.absent.shown]
    others = b.absent.rows
    for place, present in enumerate(a.present.atoms()):
        before = absent[place] if place < len(absent) else arb(0)
        if not present > 0:
            total += (present - ratio * before).max(arb(0))
            continue
        # The likelihood ratio of b's shown counts falls with the count, so that the worst event
        # takes those below a limit; where its ball does not decide, each is judged by itself.
        limit = (others + 1) * (1 - ratio * stays * before / present)
        low, high = (floor_of(end) for end in (limit.lower(), limit.upper()))
        if low is None or high is None:
            return arb(0).union(arb(1))
        shown = len(b.absent.shown)
        sure = min(max(low - b.absent.least, 0), shown)
        last = min(max(high + 1 - b.absent.least, 0), shown)
        total += present * b.absent.sums[sure] - ratio * before * b.present.sums[sure]
        for count in range(sure, last):
            gain = present * b.absent.shown[count] - ratio * before * b.present.shown[count]
            total += gain.max(arb(0))
        total += (present * b.absent.hidden - ratio * before * b.present.hidden).max(arb(0))
    return total


def replaced_delta(k: Number, beta: Number, *, epsilon: Number) -> Enclosure:
    """Return δ of rows kept by coins in cells of at least k, for tables that differ in a row.

    Parameters
    ----------
    k
        Rows of a cell that are kept at least, or else the cell is not shown; 1 to 100.
    beta
        Chance that a row is kept, 0 < beta < 1.
    epsilon
        At least 0.

    Returns
    -------
    Enclosure
        Of the supremum over all tables and events. It is narrow where a pair of cells attains it,
        and wide where larger cells could not be excluded.

    Examples
    --------
    >>> print(replaced_delta(3, "1/2", epsilon="0.3"))
    0.1652465
    """
    threshold = integer("k", k, least=1, most=MOST_K)
    chance = rational("beta", beta, above=0, below=1)
    exponent = rational("epsilon", epsilon, least=0)
    with working_bits(_BITS + 2 * threshold):
        ratio = as_arb(exponent).exp()
        size = 2 * threshold + 4
        while True:
            best, rest = _search(threshold, chance, ratio, exponent, size)
            value = best.union(best.max(rest))
            # In the regime of the floor β^k larger cells are exactly as good: no box is above them.
            if is_narrow(value, _WIDTH) or 2 * size > _MOST_ROWS:
                return Enclosure.from_arb(value, low=0, high=1)
            size *= 2


def _search(k: int, beta: Fraction, ratio: arb, epsilon: Fraction, size: int) -> tuple[arb, arb]:
    """Return the largest value of the box of sizes below ``size``, and of its border."""
    cells = [_Cell.of(others, beta, k) for others in range(size)] + [_Cell.of(size, beta, 0)]
    splits = [as_arb(epsilon * part / _SPLITS).exp() for part in range(_SPLITS + 1)]
    leaving = np.array([cell.alone(splits, leaves=True) for cell in cells])
    coming = np.array([cell.alone(splits[::-1], leaves=False) for cell in cells])
    bounds = np.full((size + 1, size + 1), np.inf)
    for part in range(_SPLITS + 1):
        np.minimum(bounds, leaving[:, part, None] + coming[None, :, part], out=bounds)
    order = np.argsort(-bounds, axis=None, kind="stable")
    inside, outside = arb(0), arb(0)
    for place in order:
        first, second = divmod(int(place), size + 1)
        largest = inside.max(outside)
        if bounds[first, second] < largest.lower():
            # A border that was not looked at is below what was.
            break
        value = _pair(cells[first], cells[second], beta, ratio)
        if size in (first, second):
            outside = outside.max(value)
        else:
            inside = inside.max(value)
    return inside, outside


__all__ = ["MOST_K", "replaced_delta"]
