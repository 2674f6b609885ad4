"""Quasi-identifiers as axes: an order for every column, and a place for every value.

Partitioning anonymizers cut records along a column, so every column needs an order that its
labels respect: numbers by value, values with a taxonomy in the tree's leaf order (so that a run of
neighbours has a low common node), other values in the column's own order. A missing value is the
last on its axis. Widths are compared between columns by places normalised to 0, ..., 1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.arrays import Codes, Floats, Ranks
from kproof.models.base.columns import Column
from kproof.models.base.parameters import GROUP_K
from kproof.models.tables.table import Table


@dataclass(frozen=True, eq=False)
class Axis:
    """One column as an axis."""

    ranks: Ranks
    """Shape (rows,): each record's rank along the axis."""
    places: Floats
    """Shape (values,): ascending, from 0 for the first rank to 1 for the last; all 0 if the
    column has one value."""


def axis(column: Column) -> Axis:
    """Return the axis of a column.

    Numbers lie where they are in their range and a missing one lies one mean gap above the
    largest; other values are spread evenly.

    >>> from kproof.models.base.missing import MISSING
    >>> ages = Column("age", np.array([2, 0, 1, 3], dtype=np.int32), (10, 30, 50, MISSING), True)
    >>> axis(ages).places.round(3).tolist()
    [0.0, 0.333, 0.667, 1.0]
    """
    order = axis_order(column)
    ranks = column.codes
    if order is not None:
        rank_of = np.empty(len(order), dtype=np.int32)
        rank_of[order] = np.arange(len(order), dtype=np.int32)
        ranks = rank_of[column.codes]
    return Axis(np.ascontiguousarray(ranks, dtype=np.int32), _places(column))


def group_size(table: Table, k: object) -> int:
    """Return k if a table has quasi-identifiers and enough records for it."""
    size = GROUP_K.read(k)
    if table.rows < 2:
        raise DataError(f"the table has {table.rows} record; need 2 at least, for a class of 2")
    if size > table.rows:
        raise InvalidArgument("k", size, f"2 <= k <= {table.rows}, the number of records")
    if not table.quasi_identifiers:
        raise InvalidArgument("quasi_identifiers", "none", "at least one column to generalize")
    return size


def axes(table: Table) -> tuple[Ranks, Floats, Codes]:
    """Return all axes of a table in the form kernels read.

    That is ranks of shape (rows, columns), the places of all columns end to end, and where each
    column's begin, shape (columns + 1,).
    """
    all_axes = [axis(column) for column in table.quasi_identifiers]
    lengths = [len(axis.places) for axis in all_axes]
    return (
        np.stack([axis.ranks for axis in all_axes], axis=1),
        np.concatenate([axis.places for axis in all_axes]),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
    )


def ranks_and_places(table: Table) -> tuple[Ranks, Floats]:
    """Return the rank and the place of each row's value on each axis, shape (columns, rows)."""
    all_axes = [axis(column) for column in table.quasi_identifiers]
    ranks = np.stack([axis.ranks for axis in all_axes])
    return ranks, np.stack([axis.places[axis.ranks] for axis in all_axes])


def extents(places: Floats, block: Codes) -> Floats:
    """Return how far a block of rows, at least one, extends along each axis; kernels call it.

    ``places`` has shape (columns, rows): the place of each row's value on each axis.

    >>> extents(np.array([[0.0, 0.5, 1.0], [0.25, 0.0, 1.0]]), np.array([0, 1])).tolist()
    [0.5, 0.25]
    """
    widths = np.empty(len(places))
    for column in range(len(places)):
        low = high = places[column, block[0]]
        for row in block:
            low, high = min(low, places[column, row]), max(high, places[column, row])
        widths[column] = high - low
    return widths


def axis_order(column: Column) -> Codes | None:
    """Return the codes of a column in the order of its axis; None if that is their own order."""
    if column.nodes is None or column.numeric:
        return None
    nodes = column.nodes.copy()
    if column.missing is not None:
        # Wherever the tree has its leaf ?, which may lie amid the others.
        nodes[column.missing] = np.iinfo(np.int64).max
    return np.argsort(nodes, kind="stable").astype(np.int64)


def _places(column: Column) -> Floats:
    count = len(column.values)
    even = np.arange(count, dtype=np.float64) / max(count - 1, 1)
    recorded: Any = column.values if column.missing is None else column.values[:-1]
    if not column.numeric or len(recorded) < 2:
        return even
    try:
        numbers = [float(value) for value in recorded]
    # Numbers beyond all floats keep their order, at equal distances.
    except OverflowError:
        return even
    span = numbers[-1] - numbers[0]
    # The difference of two finite floats may be infinite.
    if not 0 < span < float("inf"):
        return even
    top = numbers[-1]
    if column.missing is not None:
        top += span / (len(numbers) - 1)
        numbers.append(top)
    return (np.array(numbers) - numbers[0]) / (top - numbers[0])
