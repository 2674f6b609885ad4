"""The inner loop of KACA's partition: cut where the labels of both sides lose least.

A part of 2k records or more is cut in two. Every column and every position in the order of that
column is tried: one sweep from either end gives what the labels of the two sides would lose. What
a label loses is a whole number of units, so that sums do not depend on their order or on the
machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.compiled import compiled

Ints = NDArray[np.int64]
Ranks = NDArray[np.int32]

SPAN, SET, TREE = 0, 1, 2

UNIT = 1 << 30
"""What a label that says nothing loses."""


class Losses(NamedTuple):
    """What the label of a class loses, for all columns, as flat arrays.

    Attributes
    ----------
    kinds, starts
        Shape (columns,): SPAN, SET or TREE, and where a column's entries of the others begin.
    units
        SPAN: the place of each rank, a label losing what lies between its ends, at most
        :data:`UNIT`. SET: the loss of
        a set of one, two, ... values. TREE: the loss of each node.
    nodes, parents, ends
        TREE: the node of each rank; the parent and the last descendant of each node.
    """

    kinds: Ints
    starts: Ints
    units: Ints
    nodes: Ints
    parents: Ints
    ends: Ints


def sweep(ranks: Ranks, order: Ints, losses: Losses, seen: Ints, stamp: int, lost: Ints) -> None:
    """Fill ``lost[i]`` with what the first i + 1 records in an order lose as one class.

    ``ranks`` has shape (rows, columns); ``seen`` is scratch in which no entry equals ``stamp``.
    """
    columns = ranks.shape[1]
    # The label of the records so far, by column: the ends of a span, how many values a set holds,
    # the lowest node above all. Each record can only widen it.
    low, high = ranks[order[0]].astype(np.int64), ranks[order[0]].astype(np.int64)
    held = np.zeros(columns, dtype=np.int64)
    above = np.zeros(columns, dtype=np.int64)
    for column in range(columns):
        above[column] = losses.nodes[losses.starts[column] + low[column]]
    for position in range(len(order)):
        total = 0
        for column in range(columns):
            start, rank = losses.starts[column], ranks[order[position], column]
            if losses.kinds[column] == SPAN:
                low[column] = min(low[column], rank)
                high[column] = max(high[column], rank)
                span = losses.units[start + high[column]] - losses.units[start + low[column]]
                total += min(span, UNIT)
            elif losses.kinds[column] == SET:
                if seen[start + rank] != stamp:
                    seen[start + rank] = stamp
                    held[column] += 1
                total += losses.units[start + held[column] - 1]
            else:
                # Nodes are numbered depth first: below a node are those up to its last descendant.
                node, top = losses.nodes[start + rank], above[column]
                while node < top or losses.ends[start + top] < node:
                    top = losses.parents[start + top]
                above[column] = top
                total += losses.units[start + top]
        lost[position] = total * (position + 1)


def sorted_along(part: Ints, along: Ranks, tally: Ints) -> Ints:
    """Return records in ascending order of their ranks, equal ones as they are.

    ``tally`` is zeros, longer than any rank, and zeros again afterwards.
    """
    # Counting goes over all ranks between low and high, sorting over the records.
    low, high = along.min(), along.max()
    if high - low >= 4 * len(part):
        return part[np.argsort(along, kind="mergesort")]
    for rank in along:
        tally[rank] += 1
    before = 0
    for rank in range(low, high + 1):
        equal = tally[rank]
        tally[rank] = before
        before += equal
    found = np.empty_like(part)
    for position in range(len(part)):
        rank = along[position]
        found[tally[rank]] = part[position]
        tally[rank] += 1
    tally[low : high + 1] = 0
    return found


@compiled(steps=lambda ranks, k: 10 * ranks.size * (len(ranks) // k).bit_length())
def cheapest(
    ranks: Ranks, order: Ints, losses: Losses, k: int, aligned: bool
) -> tuple[Ints, int, int]:
    """Partition records into classes of k or more.

    Of all cuts that leave k records and a tenth of the part on either side, the one that loses
    least is made; among equals the more balanced one, then the first column's, then the first
    position. Records of equal rank keep their order. A part whose records are all equal stays
    whole.

    Parameters
    ----------
    ranks
        Shape (rows, columns).
    order
        All records, in the order that settles ties. Overwritten.
    losses
        What labels lose.
    k
        Least number of records in a class.
    aligned
        Whether one side of every cut must hold a multiple of k; where values rarely repeat, this
        leaves fewer records beyond k in the classes.

    Returns
    -------
    tuple
        Class of each record, classes numbered from the left; how many; what they lose in all.
    """
    rows, columns = ranks.shape
    class_of = np.empty(rows, dtype=np.int64)
    seen = np.zeros(len(losses.units), dtype=np.int64)
    tally = np.zeros(len(losses.units), dtype=np.int64)
    left, right = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
    # Parts that wait are disjoint and hold k records or more.
    stack = np.empty((rows // k + 1, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = 0, rows
    waiting, count, stamp, total = 1, 0, 0, 0
    while waiting:
        waiting -= 1
        first, last = int(stack[waiting, 0]), int(stack[waiting, 1])
        size = last - first
        part = order[first:last].copy()
        chosen, best, cut = part, np.int64(-1), 0
        least = max(k, size // 10)
        for column in range(columns):
            if size < 2 * k:
                break
            along = sorted_along(part, ranks[part, column], tally)
            if ranks[along[0], column] == ranks[along[-1], column]:
                continue
            # From the front and from the back, each with a stamp of its own: the loss of every cut
            # is then a sum of two.
            stamp += 2
            sweep(ranks, along, losses, seen, stamp, left)
            sweep(ranks, along[::-1].copy(), losses, seen, stamp - 1, right)
            for here in range(least, size - least + 1):
                if aligned and here % k and (size - here) % k:
                    continue
                loss = left[here - 1] + right[size - here - 1]
                closer = min(here, size - here) > min(cut, size - cut)
                if best < 0 or loss < best or (loss == best and closer):
                    chosen, best, cut = along, loss, here
        if cut:
            order[first:last] = chosen
            stack[waiting, 0], stack[waiting, 1] = first + cut, last
            stack[waiting + 1, 0], stack[waiting + 1, 1] = first, first + cut
            waiting += 2
            continue
        stamp += 1
        sweep(ranks, part, losses, seen, stamp, left)
        total += left[size - 1]
        class_of[part] = count
        count += 1
    return class_of, count, total
