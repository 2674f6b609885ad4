"""The inner loop of Mondrian: cutting records in two until no admissible cut is left.

Everything here works on integer codes. The records of a part lie side by side in arrays that are
rearranged in place, and parts wait on an explicit stack, so that ten million records need no
recursion and no more memory than two copies of the codes.
"""

import numpy as np

from kproof.models.base.arrays import Codes, Floats, Ranks, put, put_rows
from kproof.models.base.compiled import compile_kernel
from kproof.models.tables.cutting.limits import all_admissible


def median_of(ranks: Ranks, low: int, high: int, tally: Codes) -> tuple[int, int, int]:
    """Return the lower median of the ranks, how many lie below it, and how many equal it.

    ``tally`` is zeros, longer than any rank, and zeros again afterwards.
    """
    # The lower median: of an even number, the left half ends with it.
    half = (len(ranks) + 1) // 2
    # Counting goes over all ranks between low and high, sorting over the records.
    if high - low >= 4 * len(ranks):
        ascending = np.sort(ranks)
        median = ascending[half - 1]
        below = np.searchsorted(ascending, median, side="left")
        return median, below, np.searchsorted(ascending, median, side="right") - below
    for rank in ranks:
        tally[rank] += 1
    median, below = low, 0
    while below + tally[median] < half:
        below += tally[median]
        median += 1
    equal = tally[median]
    # Cleared where something was counted only: to clear all at each part costs parts times ranks.
    tally[low : high + 1] = 0
    return median, below, equal


def keeps_limits(
    ranks: Ranks, sensitive: Ranks, median: int, quota: int, totals: Codes, limits: Codes
) -> bool:
    """Say whether both sides of a cut are admissible; see :func:`partition` for the cut."""
    left, right = np.zeros_like(totals), np.zeros_like(totals)
    size = 0
    for row in range(len(ranks)):
        goes_left = ranks[row] < median
        if ranks[row] == median and quota > 0:
            goes_left, quota = True, quota - 1
        size += goes_left
        side = left if goes_left else right
        for secret in range(len(totals)):
            side[secret, sensitive[secret, row]] += 1
    return all_admissible(left, size, totals, limits) and all_admissible(
        right, len(ranks) - size, totals, limits
    )


def _cells_looked_at(ranks: Ranks, totals: Codes, k: int) -> int:
    # Each level of cuts goes over all records, and halving down to parts of k takes as many levels
    # as this number has bits.
    parts = len(ranks) // k
    return 2 * ranks.size * parts.bit_length() + parts * totals.size


# Modular: at_least multiplies modulo 2^64 on purpose.
@compile_kernel(steps=_cells_looked_at, modular=True)
def partition(
    ranks: Ranks,
    places: Floats,
    starts: Codes,
    order: Codes,
    sensitive: Ranks,
    totals: Codes,
    k: int,
    relaxed: bool,
    limits: Codes,
) -> tuple[Codes, Codes, Codes]:
    """Cut records into parts of at least k.

    A cut at a column's median sends the records below it to the left and, of those equal to it, the
    first ``quota`` in the present order; the sides keep that order. Strict cuts have a quota of all
    or none; a relaxed one sends records equal to the median to either side. ``ranks``, ``order``
    and ``sensitive``, of shape (rows, columns), (rows,) and (sensitive columns, rows), are the
    records in the order that settles ties, ``order`` holding their row numbers; they are
    overwritten. The places of column c's ranks are ``places[starts[c]:starts[c + 1]]``. ``totals``
    and ``limits`` are as for :func:`kproof.models.tables.cutting.kernel.least_loss`, which returns
    the same, but for what the classes lose.
    """
    rows, columns = ranks.shape
    class_of = np.empty(rows, dtype=np.int64)
    # Records first, ..., last - 1 of every array belong to one part. The ``kept`` arrays hold the
    # right side while the left one is moved forward in place: the order within both stays, which
    # is what settles ties.
    longest = 0
    for column in range(columns):
        longest = max(longest, starts[column + 1] - starts[column])
    tally = np.zeros(longest, dtype=np.int64)
    kept_ranks, kept_order = np.empty_like(ranks), np.empty_like(order)
    kept_sensitive = np.empty_like(sensitive)
    limited = len(totals) > 0
    # Parts that wait are disjoint and hold k records or more.
    stack = np.empty((rows // k + 1, 3), dtype=np.int64)
    # A row is the first record, the one after the last, and the cut that made the part. A part of
    # fewer than k is never made, so there are at most rows // k at any time, and as many classes.
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, rows, -1
    waiting, count, cuts = 1, 0, 0
    made_by = np.empty(rows // k + 1, dtype=np.int64)
    above = np.empty(rows // k + 1, dtype=np.int64)
    low, high = np.empty(columns, dtype=np.int32), np.empty(columns, dtype=np.int32)
    width = np.empty(columns, dtype=np.float64)
    while waiting:
        waiting -= 1
        first, last = int(stack[waiting, 0]), int(stack[waiting, 1])
        maker = int(stack[waiting, 2])
        size = last - first
        middle = first
        # Fewer records than 2k have no cut that leaves k on both sides.
        if size >= 2 * k:
            put(low, 0, ranks[first])
            put(high, 0, ranks[first])
            for row in range(first, last):
                for column in range(columns):
                    low[column] = min(low[column], ranks[row, column])
                    high[column] = max(high[column], ranks[row, column])
            for column in range(columns):
                start = starts[column]
                width[column] = places[start + high[column]] - places[start + low[column]]
                # A column of one value cannot be cut, even where its place has no width.
                if low[column] == high[column]:
                    width[column] = -1.0
            # Widest column first; the first of equals, since argmax takes that.
            for _ in range(columns):
                column = int(np.argmax(width))
                if width[column] < 0:
                    break
                width[column] = -1.0
                along = ranks[first:last, column]
                median, below, equal = median_of(along, low[column], high[column], tally)
                # Strict cuts try the side of the median on which the halves differ less, then the
                # other. A relaxed cut has one try; -1 is none.
                if relaxed:
                    # At least 1, as fewer than half lie below the median: never mistaken for none.
                    quotas = ((size + 1) // 2 - below, -1)
                elif min(below + equal, size - below - equal) >= min(below, size - below):
                    quotas = (equal, 0)
                else:
                    quotas = (0, equal)
                for quota in quotas:
                    cut = below + quota
                    if quota < 0 or min(cut, size - cut) < k:
                        continue
                    if limited and not keeps_limits(
                        along, sensitive[:, first:last], median, quota, totals, limits
                    ):
                        continue
                    middle = first + cut
                    break
                if middle > first:
                    break
        # No column can be cut, so the part is a class.
        if middle == first:
            for row in range(first, last):
                class_of[order[row]] = count
            made_by[count] = maker
            count += 1
            continue
        # ``column``, ``median`` and ``quota`` are still those of the cut that ended the loops.
        to, aside = first, 0
        for row in range(first, last):
            goes_left = ranks[row, column] < median
            if ranks[row, column] == median and quota > 0:
                goes_left, quota = True, quota - 1
            if goes_left:
                put(ranks[to], 0, ranks[row])
                order[to] = order[row]
                for secret in range(len(totals)):
                    sensitive[secret, to] = sensitive[secret, row]
                to += 1
            else:
                put(kept_ranks[aside], 0, ranks[row])
                kept_order[aside] = order[row]
                for secret in range(len(totals)):
                    kept_sensitive[secret, aside] = sensitive[secret, row]
                aside += 1
        put_rows(ranks, middle, kept_ranks[:aside])
        put(order, middle, kept_order[:aside])
        for secret in range(len(totals)):
            put(sensitive[secret], middle, kept_sensitive[secret, :aside])
        # The left side lies on top: it is done first, and classes are numbered from the left.
        stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = middle, last, cuts
        stack[waiting + 1, 0], stack[waiting + 1, 1], stack[waiting + 1, 2] = first, middle, cuts
        above[cuts] = maker
        cuts += 1
        waiting += 2
    return class_of, made_by[:count], above[:cuts]
