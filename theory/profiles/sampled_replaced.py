r"""What sampled cells are worth if neighbours differ in the values of one row.

The row is in cell a of one table and in cell b of the other. With N_a and N_b other rows in the two
cells, the count of a is Bin(N_a + 1, β) against Bin(N_a, β), that of b Bin(N_b, β) against
Bin(N_b + 1, β), independent of each other, each hidden below k. What is sought is the supremum over
both sizes; the other direction is the same pair of cells exchanged.

The supremum is larger than that of a row more or less, by no fixed factor: 1.001 times as large at
k = 8, β = 0.1, ε = 1, 1.987 times at k = 50, β = 0.5, ε = 1, and 2.73 times at k = 50, β = 0.1,
ε = 0.1, since both cells tell of the row and share ε.

*A finite search.* Hiding less tells more, and the profile of bare counts falls as rows are added.
So all sizes N_a >= A are below the pair with N_a = A whose first cell is never hidden, and the same
for N_b. The supremum is that of a box and of its border; where the border is below the box it is
attained in the box, otherwise an enclosure remains.

*Few of the pairs are looked at.* A pair is at most δ_a(ε₁) + δ_b(ε - ε₁) for every ε₁, each from
one cell alone. Pairs are taken in the order of this bound until the bound of the next one is below
the best value, or until the work has a limit: then an enclosure remains.

*No search at all* is needed for the same bound over all pairs at once, from the two directions of
:mod:`kproof.theory.profiles.sampled`. It is up to three times as large as the supremum, which in
turn is at least that of a row more or less: one of the two cells may be left out.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from flint import arb

from kproof.theory.exact import Enclosure, Number, as_arb, integer, rational
from kproof.theory.exact.precision import is_narrow, use_bits
from kproof.theory.profiles.hidden_pairs import HiddenCell, delta_of_hidden_pair
from kproof.theory.profiles.sampled import MOST_K, least_sum, sampled_exact

_MOST_SEARCHED = 100
"""Largest threshold that is searched: the box grows with k, and its pairs with the square."""
_MOST_ROWS = 1600
_MOST_COUNTS = 200_000
"""Counts of a first cell that are gone through in one box."""
_WIDTH = 1e-12
_BITS = 192
_SPLITS = 8


def _cell(beside: int, beta: Fraction, least: int) -> HiddenCell:
    """Return what is published of a cell with some other rows, with the row and without it."""
    odds, masses = as_arb(beta / (1 - beta)), []
    for rows in (beside + 1, beside):
        mass, law = as_arb(1 - beta) ** rows, []
        for count in range(rows + 1):
            law.append(mass)
            mass = mass * (rows - count) / (count + 1) * odds
        masses.append(law)
    stays = as_arb(1 - beta)
    # f_N(j)/f_{N+1}(j) = (N + 1 - j)/((N + 1)(1 - beta)), N being the others.
    return HiddenCell.of(
        masses[0], masses[1], least, lambda level: (beside + 1) * (1 - level * stays)
    )


class ReplacedDelta(NamedTuple):
    """What replacing a row is worth, and where."""

    delta: Enclosure
    """Of the supremum over all tables and events. It is narrow where a pair of cells attains it,
    and wide where larger cells could not be excluded."""
    others: tuple[int, int] | None
    """Other rows in the cell that the row leaves and in the one that it joins, for the largest
    value; None where nothing was searched."""


def worst_replacement(k: Number, beta: Number, *, epsilon: Number) -> ReplacedDelta:
    """Return δ of rows kept by coins in cells of at least k, for tables that differ in a row.

    1 <= k <= 10⁶, and a row is kept with chance 0 < beta < 1.

    >>> worst_replacement(3, "1/2", epsilon="0.3").others
    (3, 3)
    """
    threshold = integer("k", k, least=1, most=MOST_K)
    chance = rational("beta", beta, above=0, below=1)
    exponent = rational("epsilon", epsilon, least=0)
    quick = _without_search(threshold, chance, exponent)
    if threshold > _MOST_SEARCHED:
        return ReplacedDelta(quick, None)
    with use_bits(_BITS + 2 * threshold):
        ratio = as_arb(exponent).exp()
        size = 2 * threshold + 4
        while True:
            box = _search(threshold, chance, ratio, exponent, size)
            value = box.inside.union(box.inside.max(box.beyond))
            # In the regime of the floor β^k larger cells are exactly as good: no box is above them.
            if is_narrow(value, _WIDTH) or 2 * size > _MOST_ROWS or box.tired:
                delta = Enclosure.from_arb(value, low=0, high=1)
                lower, upper = max(delta.lower, quick.lower), min(delta.upper, quick.upper)
                return ReplacedDelta(Enclosure(lower, upper), box.others)
            size *= 2


def delta_of_replacement(k: Number, beta: Number, *, epsilon: Number) -> Enclosure:
    """Return the δ of :func:`worst_replacement`, which takes the same.

    >>> print(delta_of_replacement(3, "1/2", epsilon="0.3"))
    0.1652465
    """
    return worst_replacement(k, beta, epsilon=epsilon).delta


def _without_search(k: int, beta: Fraction, epsilon: Fraction) -> Enclosure:
    """Return what a row more or less is worth, up to the least sum of both directions."""
    lower = sampled_exact(k, beta, epsilon=epsilon).lower
    return Enclosure(lower, max(lower, least_sum(k, beta, epsilon)))


class _BoxValues(NamedTuple):
    """What a box of sizes and its border came to."""

    inside: arb
    """The largest value of the box, or of those of its pairs that were looked at."""
    beyond: arb
    """No pair of the border, and none that was not looked at, has a larger one."""
    others: tuple[int, int] | None
    """The pair with the largest value of the box."""
    tired: bool
    """Whether pairs were left that could be larger."""


def _search(k: int, beta: Fraction, ratio: arb, epsilon: Fraction, size: int) -> _BoxValues:
    """Return the largest value of the box of sizes below ``size``, and of its border."""
    cells = [_cell(worst, beta, k) for worst in range(size)] + [_cell(size, beta, 0)]
    splits = [as_arb(epsilon * part / _SPLITS).exp() for part in range(_SPLITS + 1)]
    leaving = np.array([cell.alone(splits, leaves=True) for cell in cells])
    coming = np.array([cell.alone(splits[::-1], leaves=False) for cell in cells])
    bounds = np.full((size + 1, size + 1), np.inf)
    for part in range(_SPLITS + 1):
        # A sum may be rounded down by 2^-53 of itself, and both of its terms are 2^-40 too large.
        np.minimum(bounds, leaving[:, part, None] + coming[None, :, part], out=bounds)
    order = np.argsort(-bounds, axis=None, kind="stable")
    inside, beyond, worst, counts = arb(0), arb(0), None, 0
    for place in order:
        first, second = divmod(int(place), size + 1)
        if bounds[first, second] < inside.max(beyond).lower():
            # A border that was not looked at is below what was.
            break
        # Bounds fall along the order: this one is above all pairs that are not looked at any more.
        if counts > _MOST_COUNTS:
            return _BoxValues(inside, beyond.max(arb(bounds[first, second])), worst, True)
        value = delta_of_hidden_pair(cells[first], cells[second], ratio)
        counts += len(cells[first].absent.shown)
        if size in (first, second):
            beyond = beyond.max(value)
        else:
            if value.mid() > inside.mid():
                worst = first, second
            inside = inside.max(value)
    return _BoxValues(inside, beyond, worst, False)
