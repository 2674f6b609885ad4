"""Limits on the sensitive values of a part: integer inequalities, decided exactly in kernels."""

from collections.abc import Sequence

import numpy as np

from kproof.models.base.arrays import Codes

Limits = tuple[int, int, int, int, int, int]
"""Limits on one sensitive column, as :func:`admissible` reads them."""

NO_LIMITS: Limits = (0, 1, 1, 0, 1, -1)
"""Allows everything; see :func:`admissible`."""


def limits_array(limits: Sequence[Limits]) -> Codes:
    """Return limits as kernels take them, shape (sensitive columns, 6)."""
    return np.array(limits, dtype=np.int64).reshape(-1, len(NO_LIMITS))


def at_least(a: int, b: int, c: int, d: int) -> bool:
    """Decide a·b >= c·d exactly for numbers of 0, ..., 2^63 - 1 whose products stay below 2^110.

    The difference of the rounded products is off by less than 2^60. Far from zero its sign is
    right; near zero the true difference fits in 64 bits, where arithmetic modulo 2^64 has it.
    """
    gap = np.float64(a) * np.float64(b) - np.float64(c) * np.float64(d)
    if gap > 2.0**61 or gap < -(2.0**61):
        return bool(gap > 0)
    return bool(np.int64(np.uint64(a) * np.uint64(b) - np.uint64(c) * np.uint64(d)) >= 0)


def admissible(counts: Codes, present: Codes, size: int, totals: Codes, limits: Codes) -> bool:
    """Say whether a part keeps every limit on the values of one sensitive column.

    ``counts`` and ``totals`` are the rows of each code in a part of ``size`` rows and in the whole
    table, ``present`` the codes with a positive count. ``limits`` are l; numerator and denominator
    of t, then of θ; the code that is no value for l, because nobody knows what it stands for, or
    -1. :data:`NO_LIMITS` allows everything.
    """
    ell, t_top, t_bottom, theta_top, theta_bottom, unknown = limits
    distinct = len(present)
    # What nobody recorded may be one of the others: it makes no part more diverse.
    if unknown >= 0 and counts[unknown] > 0 and distinct > 1:
        distinct -= 1
    if distinct < ell:
        return False
    # No distance of this kind is above 1, so that t = 1 allows every part.
    if t_top < t_bottom:
        # The distance between two laws on unordered values is the sum of what one has more:
        # Σ max(count/size - total/rows, 0) <= t, over the common denominator.
        rows = totals.sum()
        above = 0
        for value in present:
            above += max(counts[value] * rows - totals[value] * size, 0)
        if not at_least(t_top, size * rows, above, t_bottom):
            return False
    if theta_top > 0:
        # V of the ranks 1, 2, ... by falling frequency, size² times, against θ.
        falling = np.sort(counts[present])[::-1]
        first, second = 0, 0
        for rank in range(len(falling)):
            first += falling[rank] * (rank + 1)
            second += falling[rank] * (rank + 1) * (rank + 1)
        return at_least(size * second - first * first, theta_bottom, theta_top, size * size)
    return True


def all_admissible(counts: Codes, size: int, totals: Codes, limits: Codes) -> bool:
    """Say whether a part keeps the limits on each sensitive column.

    ``counts`` and ``totals`` have shape (sensitive columns, values), ``limits`` (sensitive columns,
    6).
    """
    for secret in range(len(totals)):
        tally = counts[secret]
        # Codes beyond a column's own have no rows, and so are not among those with a count.
        if not admissible(tally, np.flatnonzero(tally), size, totals[secret], limits[secret]):
            return False
    return True
