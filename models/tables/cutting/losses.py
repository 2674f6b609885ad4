"""What the labels of records lose as more and more of them are one class, in whole numbers.

What a label loses is a number of units, so that sums do not depend on their order or on the
machine. Kernels call these functions; they are compiled with them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kproof.models.base.arrays import Codes, Ranks

SPAN, SET, TREE = 0, 1, 2

UNIT = 1 << 30
"""What a label that says nothing loses."""


class Losses(NamedTuple):
    """What the label of a class loses, for all columns, as flat arrays."""

    kinds: Codes
    starts: Codes
    """Shape (columns,): SPAN, SET or TREE, and where a column's entries of the others begin."""
    units: Codes
    """SPAN: the place of each rank, a label losing what lies between its ends, at most
    ``tops``. SET: the loss of
    a set of one, two, ... values. TREE: the loss of each node."""
    nodes: Codes
    parents: Codes
    ends: Codes
    """TREE: the node of each rank; the parent and the last descendant of each node."""
    tops: Codes
    """Shape (columns,): what a label that says nothing loses."""


def sweep(
    ranks: Ranks, order: Codes, losses: Losses, last_stamp: Codes, stamp: int, lost: Codes
) -> None:
    """Fill ``lost[i]`` with what the first i + 1 records in an order lose as one class.

    ``ranks`` has shape (rows, columns); ``last_stamp`` is scratch in which no entry is ``stamp``.
    """
    columns = ranks.shape[1]
    # The label of the records so far, by column: the ends of a span, how many values a set holds,
    # the lowest node above all; and what it loses. Most records widen no label: what follows is
    # passed over for them.
    low, high = ranks[order[0]].astype(np.int64), ranks[order[0]].astype(np.int64)
    set_sizes = np.zeros(columns, dtype=np.int64)
    above = np.zeros(columns, dtype=np.int64)
    label = np.zeros(columns, dtype=np.int64)
    total = 0
    for column in range(columns):
        above[column] = losses.nodes[losses.starts[column] + low[column]]
        if losses.kinds[column] == TREE:
            label[column] = losses.units[losses.starts[column] + above[column]]
            total += label[column]
    for position in range(len(order)):
        record = order[position]
        for column in range(columns):
            start, rank = losses.starts[column], ranks[record, column]
            if losses.kinds[column] == SPAN:
                if low[column] <= rank <= high[column]:
                    continue
                low[column] = min(low[column], rank)
                high[column] = max(high[column], rank)
                span = losses.units[start + high[column]] - losses.units[start + low[column]]
                wider = min(span, losses.tops[column])
            elif losses.kinds[column] == SET:
                if last_stamp[start + rank] == stamp:
                    continue
                last_stamp[start + rank] = stamp
                set_sizes[column] += 1
                wider = losses.units[start + set_sizes[column] - 1]
            else:
                # Nodes are numbered depth first: below a node are those up to its last descendant.
                node, top = losses.nodes[start + rank], above[column]
                if top <= node <= losses.ends[start + top]:
                    continue
                while node < top or losses.ends[start + top] < node:
                    top = losses.parents[start + top]
                above[column] = top
                wider = losses.units[start + top]
            total += wider - label[column]
            label[column] = wider
        lost[position] = total * (position + 1)


def sort_along(part: Codes, along: Ranks, tally: Codes) -> Codes:
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
    ascending = np.empty_like(part)
    for position in range(len(part)):
        rank = along[position]
        ascending[tally[rank]] = part[position]
        tally[rank] += 1
    tally[low : high + 1] = 0
    return ascending
