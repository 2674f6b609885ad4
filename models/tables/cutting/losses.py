"""What the labels of records lose as more and more of them are one class, in whole numbers.

What a label loses is a number of units, so that sums do not depend on their order or on the
machine. Kernels call these functions; they are compiled with them.

Quasi-identifiers as cuts see them: an order for each, and what a label of each loses.

A view puts a column's values in an order and says what is lost when a class publishes some of
them together, as a share of the column's range: for numbers the span, for values with a taxonomy
the leaves below the published node, for other values the size of their set. This is the
normalized certainty penalty (NCP) of Xu, Wang, Pei, Wang, Shi and Fu, KDD 2006. Nothing is lost
where all records agree.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from kproof.models.base.arrays import Codes, Ranks
from kproof.models.base.columns import Column
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.axes import axis
from kproof.models.tables.table import Table

SPAN, SET, TREE = 0, 1, 2

UNIT = 1 << 30
"""What a label that says nothing loses."""


class Losses(NamedTuple):
    """What the label of a class loses, for all columns, as flat arrays."""

    kinds: Codes
    starts: Codes
    """Shape (columns,): SPAN, SET or TREE, and where a column's entries of the others begin."""
    units: Codes
    """SPAN: the place of each rank, a label losing what lies between its ends, at most ``tops``.
    SET: the loss of a set of one, two, ... values. TREE: the loss of each node."""
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
        # Below 2^62: a label loses 2^30 at most, and rows times columns stay below 2^32.
        lost[position] = total * (position + 1)


def sort_along(part: Codes, along: Ranks, tally: Codes) -> Codes:
    """Return records in ascending order of their ranks, equal ones as they are.

    ``tally`` is zeros, longer than any rank, and zeros again afterwards.
    """
    # Counting goes over all ranks between low and high, sorting over the records.
    low, high = along.min(), along.max()
    if high - low >= 4 * len(part):
        # Stable, by the name that Numba has for it.
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


@dataclass(frozen=True, eq=False)
class ColumnView:
    """One column as cuts see it."""

    rank_of: Codes
    """Shape (values,): rank of each code."""
    kind: int
    """SPAN, SET or TREE."""
    units: Codes
    """See :class:`~kproof.models.tables.cutting.losses.Losses`."""
    nodes: Codes | None = None
    """TREE: the node of each rank."""
    tree: Taxonomy | None = None
    """TREE: the tree."""


def view(column: Column) -> ColumnView:
    """Return the view of a column."""
    if column.numeric:
        return _numbers(column)
    if column.taxonomy is not None and column.nodes is not None:
        return _in_tree(column.taxonomy, column.nodes)
    return _names(column)


def losses(views: Sequence[ColumnView], weights: Sequence[Fraction]) -> Losses:
    """Return what labels lose, in the form the kernel reads.

    Weights say how much the loss of each column counts, above 0; the largest counts as 1.
    """
    # The largest counts as 1, so that no weight makes a sum larger than it would be without any.
    shares = [weight / max(weights) for weight in weights]
    lengths = [max(len(view.units), len(view.rank_of)) for view in views]

    def flat(arrays: list[Codes | None]) -> Codes:
        # All arrays of a column are filled up to one length: `starts` holds for each of them.
        pieces = [np.zeros(length, dtype=np.int64) for length in lengths]
        for piece, array in zip(pieces, arrays, strict=True):
            if array is not None:
                piece[: len(array)] = array
        return np.concatenate(pieces)

    return Losses(
        kinds=np.array([view.kind for view in views], dtype=np.int64),
        starts=np.cumsum([0, *lengths[:-1]]).astype(np.int64),
        units=flat([_weigh(view.units, share) for view, share in zip(views, shares, strict=True)]),
        nodes=flat([view.nodes for view in views]),
        parents=flat([None if view.tree is None else view.tree.parents for view in views]),
        ends=flat([None if view.tree is None else view.tree.ends for view in views]),
        tops=np.array([int(UNIT * share) for share in shares], dtype=np.int64),
    )


def _weigh(units: Codes, share: Fraction) -> Codes:
    if share == 1:
        return units
    # Rounded down one by one, which keeps their order: no wider label loses less
    # than a narrower one.
    return np.array([int(unit * share) for unit in units.tolist()], dtype=np.int64)


def ranks(table: Table, views: Sequence[ColumnView]) -> Ranks:
    """Return each record's rank in each view, shape (rows, columns)."""
    columns = zip(table.quasi_identifiers, views, strict=True)
    return np.stack([view.rank_of[column.codes] for column, view in columns], 1).astype(np.int32)


def _in_tree(tree: Taxonomy, nodes: Codes) -> ColumnView:
    """Return the view of values that have nodes in a tree."""
    order = np.argsort(nodes, kind="stable")
    rank_of = np.empty(len(nodes), dtype=np.int64)
    rank_of[order] = np.arange(len(nodes))
    leaves = tree.leaves
    units = np.where(leaves > 1, leaves * UNIT // int(leaves[0]), 0)
    return ColumnView(rank_of, TREE, units.astype(np.int64), nodes[order], tree)


def _numbers(column: Column) -> ColumnView:
    # Only its values are looked at: those of records may be missing.
    recorded = column.values[: column.missing]
    places = axis(replace(column, values=recorded)).places
    units = np.rint(places * UNIT).astype(np.int64)
    if column.missing is not None:
        # Beside numbers a missing value may be any of them, so that the label says nothing.
        units = np.append(units, 2 * UNIT)
    return ColumnView(np.arange(len(units)), SPAN, units)


def _names(column: Column) -> ColumnView:
    count = len(column.values)
    sizes = np.arange(1, count + 1, dtype=np.int64)
    units = np.where(sizes > 1, sizes * UNIT // count, 0)
    return ColumnView(np.arange(count), SET, units)
