"""How KACA looks at quasi-identifiers: an order for each, and what a label of each loses.

A view puts a column's values in an order and says what is lost when a class publishes some of
them together, as a share of the column's range: for numbers the span, for times of day the arc,
for values with a taxonomy (and section ids, by common prefix) the leaves below the lowest common
node, for other values the size of their set. This is the normalized certainty penalty (NCP) of
Xu, Wang, Pei, Wang, Shi and Fu, KDD 2006. Nothing is lost where all records agree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, text
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.axes import axis
from kproof.models.tables.kaca.clock import MINUTES, minutes_of, prefix_tree, widest_gap
from kproof.models.tables.kaca.kernel import SET, SPAN, TREE, UNIT, Losses
from kproof.models.tables.table import Table

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ColumnView:
    """One column as KACA sees it.

    Attributes
    ----------
    rank_of
        Shape (values,): rank of each code.
    kind
        SPAN, SET or TREE.
    units
        See :class:`~kproof.models.tables.kaca.kernel.Losses`.
    nodes
        TREE: the node of each rank.
    tree
        TREE: the tree.
    """

    rank_of: Ints
    kind: int
    units: Ints
    nodes: Ints | None = None
    tree: Taxonomy | None = None


def views(table: Table, *, section: str | None, time: str | None) -> tuple[ColumnView, ...]:
    """Return a view of each quasi-identifier; those named are section ids and times of day."""
    found = []
    for column in table.quasi_identifiers:
        if column.name == time:
            found.append(_clock(column))
        elif column.name == section:
            found.append(_sections(column))
        elif column.numeric:
            found.append(_numbers(column))
        elif column.taxonomy is not None and column.nodes is not None:
            found.append(_in_tree(column.taxonomy, column.nodes))
        else:
            found.append(_names(column))
    return tuple(found)


def losses(seen: tuple[ColumnView, ...]) -> Losses:
    """Return what labels lose, in the form the kernel reads."""
    lengths = [max(len(one.units), len(one.rank_of)) for one in seen]

    def flat(arrays: list[Ints | None]) -> Ints:
        pieces = [np.zeros(length, dtype=np.int64) for length in lengths]
        for piece, array in zip(pieces, arrays, strict=True):
            if array is not None:
                piece[: len(array)] = array
        return np.concatenate(pieces)

    return Losses(
        kinds=np.array([one.kind for one in seen], dtype=np.int64),
        starts=np.cumsum([0, *lengths[:-1]]).astype(np.int64),
        units=flat([one.units for one in seen]),
        nodes=flat([one.nodes for one in seen]),
        parents=flat([None if one.tree is None else one.tree.parents for one in seen]),
        ends=flat([None if one.tree is None else one.tree.ends for one in seen]),
    )


def ranks(table: Table, seen: tuple[ColumnView, ...]) -> NDArray[np.int32]:
    """Return each record's rank in each view, shape (rows, columns)."""
    columns = zip(table.quasi_identifiers, seen, strict=True)
    return np.stack([one.rank_of[column.codes] for column, one in columns], 1).astype(np.int32)


def _numbers(column: Column) -> ColumnView:
    places = axis(column if column.missing is None else _known(column)).places
    units = np.rint(places * UNIT).astype(np.int64)
    if column.missing is not None:
        # Beside numbers a missing value may be any of them, so that the label says nothing.
        units = np.append(units, 2 * UNIT)
    return ColumnView(np.arange(len(units)), SPAN, units)


def _known(column: Column) -> Column:
    """Return a column without its missing value; only its values are looked at."""
    return replace(column, values=column.values[:-1])


def _clock(column: Column) -> ColumnView:
    minutes = minutes_of(column)
    there = minutes >= 0
    origin = widest_gap(minutes[there].tolist()) if there.any() else 0
    # A missing time comes last, a whole day after the others begin.
    since = np.where(there, (minutes - origin) % MINUTES, MINUTES)
    distinct, rank_of = np.unique(since, return_inverse=True)
    units = distinct * UNIT // MINUTES
    return ColumnView(rank_of.reshape(-1).astype(np.int64), SPAN, units.astype(np.int64))


def _sections(column: Column) -> ColumnView:
    known = [text(value) for value in column.values if value is not MISSING]
    tree, node_of = prefix_tree(known)
    if column.missing is not None:
        last = len(tree.labels)
        tree = Taxonomy((*tree.labels, text(MISSING)), np.append(tree.parents, 0), tree.source)
        nodes = np.array([*(node_of[one] for one in known), last], dtype=np.int64)
    else:
        nodes = np.array([node_of[one] for one in known], dtype=np.int64)
    return _in_tree(tree, nodes)


def _in_tree(tree: Taxonomy, nodes: Ints) -> ColumnView:
    order = np.argsort(nodes, kind="stable")
    rank_of = np.empty(len(nodes), dtype=np.int64)
    rank_of[order] = np.arange(len(nodes))
    leaves = tree.leaves
    units = np.where(leaves > 1, leaves * UNIT // int(leaves[0]), 0)
    return ColumnView(rank_of, TREE, units.astype(np.int64), nodes[order], tree)


def _names(column: Column) -> ColumnView:
    count = len(column.values)
    sizes = np.arange(1, count + 1, dtype=np.int64)
    units = np.where(sizes > 1, sizes * UNIT // count, 0)
    return ColumnView(np.arange(count), SET, units)
