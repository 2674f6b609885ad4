"""The inner loop of least-loss cuts: where the labels of both sides lose least.

A part of 2k records or more is cut in two. Every column and every position in the order of that
column is tried: one sweep from either end gives what the labels of the two sides would lose. What
a label loses is a whole number of units, so that sums do not depend on their order or on the
machine.
"""

from typing import NamedTuple

import numpy as np

from kproof.models.base.arrays import Codes, Ranks, put
from kproof.models.base.compiled import compile_kernel
from kproof.models.tables.cutting.limits import all_admissible
from kproof.models.tables.cutting.losses import Losses, sort_along, sweep


class Rules(NamedTuple):
    """Which cuts may be made."""

    relaxed: bool
    """Whether records of equal rank may go to either side."""
    share: int
    """A part of n records is cut with n // share or more on either side if such a cut may be made,
    and with k on both sides otherwise. A large share finds what loses less, a small one bounds
    how often records are looked at."""
    aligned: bool
    """Whether one side must hold a multiple of k; where values rarely repeat, this leaves fewer
    records beyond k in the classes."""


def _records_looked_at(ranks: Ranks, k: int) -> int:
    return 10 * ranks.size * (len(ranks) // k).bit_length()


# Modular: at_least multiplies modulo 2^64 on purpose.
@compile_kernel(steps=_records_looked_at, modular=True)
def least_loss(
    ranks: Ranks,
    order: Codes,
    losses: Losses,
    sensitive: Ranks,
    totals: Codes,
    k: int,
    rules: Rules,
    limits: Codes,
) -> tuple[Codes, Codes, Codes, int]:
    """Cut records into parts of k or more.

    Of all cuts that may be made, the one that loses least is made; among equals the more balanced
    one, then the first column's, then the first position. Records of equal rank keep their order.
    A part whose records are all equal stays whole.

    Args:
        ranks: Shape (rows, columns).
        order: All records, in the order that settles ties. Overwritten.
        losses, rules: What labels lose, and which cuts may be made.
        sensitive, totals, limits: Shape (sensitive columns, rows), (sensitive columns, values) and
            (sensitive columns, 6): codes of each record, rows of each code, and limits as in
            :func:`~kproof.models.tables.cutting.limits.admissible`; no columns without limits.
        k: Least number of records on each side.

    Returns:
        Class of each row, classes numbered from the left; the cut that made each class; the cut
        that made the part which each cut was made in, -1 standing for the whole table; and what the
        classes lose in all. A cut has a lower number than those within its sides.
    """
    rows, columns = ranks.shape
    class_of = np.empty(rows, dtype=np.int64)
    last_stamp = np.zeros(len(losses.units), dtype=np.int64)
    tally = np.zeros(len(losses.units), dtype=np.int64)
    left, right = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
    limited = len(totals) > 0
    ahead, behind = np.zeros_like(totals), np.zeros_like(totals)
    # Parts that wait are disjoint and hold k records or more.
    stack = np.empty((rows // k + 1, 3), dtype=np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, rows, -1
    made_by = np.empty(rows // k + 1, dtype=np.int64)
    above = np.empty(rows // k + 1, dtype=np.int64)
    waiting, count, cuts, stamp, total = 1, 0, 0, 0, 0
    while waiting:
        waiting -= 1
        first, last = int(stack[waiting, 0]), int(stack[waiting, 1])
        maker = int(stack[waiting, 2])
        size = last - first
        part = order[first:last].copy()
        # The best of all cuts, and the best of those with a share on either side.
        chosen, best, cut = part, np.int64(-1), 0
        level_chosen, level_best, level_cut = part, np.int64(-1), 0
        least_side = max(k, size // rules.share)
        for column in range(columns):
            if size < 2 * k:
                break
            along = sort_along(part, ranks[part, column], tally)
            if ranks[along[0], column] == ranks[along[-1], column]:
                continue
            # From the front and from the back, each with a stamp of its own: the loss of every cut
            # is then a sum of two.
            stamp += 2
            sweep(ranks, along, losses, last_stamp, stamp, left)
            sweep(ranks, along[::-1].copy(), losses, last_stamp, stamp - 1, right)
            if limited:
                ahead[:], behind[:] = 0, 0
                for secret in range(len(totals)):
                    for record in part:
                        behind[secret, sensitive[secret, record]] += 1
            # From 1, not from k: what either side holds is counted on by one record at a time.
            for front in range(1, size - k + 1):
                for secret in range(len(totals)):
                    value = sensitive[secret, along[front - 1]]
                    ahead[secret, value] += 1
                    behind[secret, value] -= 1
                if front < k or (rules.aligned and front % k and (size - front) % k):
                    continue
                before, after = ranks[along[front - 1], column], ranks[along[front], column]
                if before == after and not rules.relaxed:
                    continue
                level = least_side <= front <= size - least_side
                loss = left[front - 1] + right[size - front - 1]
                balance = min(front, size - front)
                better = best < 0 or loss < best
                better = better or (loss == best and balance > min(cut, size - cut))
                level_better = level and (level_best < 0 or loss < level_best)
                level_better = level_better or (
                    level and loss == level_best and balance > min(level_cut, size - level_cut)
                )
                if not (better or level_better):
                    continue
                # Limits last: they cost most, and few cuts are the best so far.
                if limited and not (
                    all_admissible(ahead, front, totals, limits)
                    and all_admissible(behind, size - front, totals, limits)
                ):
                    continue
                if better:
                    chosen, best, cut = along, loss, front
                if level_better:
                    level_chosen, level_best, level_cut = along, loss, front
        # A level cut comes before a better one: it bounds how many parts a record is in, one by
        # one.
        if level_cut:
            chosen, cut = level_chosen, level_cut
        if cut:
            put(order, first, chosen)
            # The left side lies on top: it is done first, and classes are numbered from the left.
            stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = first + cut, last, cuts
            stack[waiting + 1, 0], stack[waiting + 1, 1] = first, first + cut
            stack[waiting + 1, 2] = cuts
            above[cuts] = maker
            cuts += 1
            waiting += 2
            continue
        stamp += 1
        sweep(ranks, part, losses, last_stamp, stamp, left)
        total += left[size - 1]
        class_of[part] = count
        made_by[count] = maker
        count += 1
    return class_of, made_by[:count], above[:cuts], total
