"""The lattice of levels: its nodes, what their labels cost, and which rows they show alike.

A node is one level for each quasi-identifier, from the column's least level to its highest. A
column without a hierarchy has two levels, the value and the root. A node lies
below another if no level is higher; the rows of a class of the lower one are in one class of the
other, since values with one label at a level have one at every higher level. Nodes are numbered
from 0, the finest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np

from kproof.errors import InvalidArgument, TooLarge, one_of, spell
from kproof.models.base.arrays import Codes, Flags, Floats
from kproof.models.base.columns import Column, group_rows
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.levels.codes import FlatLadder
from kproof.models.tables.table import Table

MOST_NODES = 5_000_000
"""Nodes of the largest lattice that is searched."""


class Measure(StrEnum):
    """What a published label costs, from 0 to 1; a row left out costs 1."""

    PENALTY = "penalty"
    """Its normalized certainty penalty: the share of the hierarchy's leaves that it covers, 0 for
    one. The mean over rows and columns is the ``penalty`` of :func:`kproof.utility`."""
    HEIGHT = "height"
    """Its level over the highest one: 1 less the precision of Sweeney (2002)."""


@dataclass(frozen=True, eq=False)
class ColumnLevels:
    """The levels of one column that are admitted."""

    column: Column
    taxonomy: Taxonomy
    levels: tuple[int, ...]
    """Levels of the taxonomy, in rising order."""
    weight: Fraction
    measure: Measure
    """The column's share of the loss, and what a label costs."""

    @cached_property
    def nodes(self) -> Codes:
        """Shape (levels, values): the node that stands for each code at each level."""
        node_of_code = self.taxonomy.of(self.column.values, column=self.column.name)
        return np.stack([self.taxonomy.at_level(level)[node_of_code] for level in self.levels])

    @cached_property
    def codes(self) -> tuple[Codes, tuple[int, ...]]:
        """The nodes of each level as codes from 0, and how many there are."""
        by_level = [np.unique(row, return_inverse=True) for row in self.nodes]
        codes = np.stack([of_value.reshape(-1) for _, of_value in by_level]).astype(np.int64)
        return codes, tuple(len(distinct) for distinct, _ in by_level)

    @cached_property
    def costs(self) -> tuple[tuple[Fraction, ...], ...]:
        """Cost to a row of each code at each level, weight included."""
        if self.measure is Measure.HEIGHT:
            top = max(self.taxonomy.top, 1)
            return tuple(
                (self.weight * Fraction(level, top),) * len(self.column.values)
                for level in self.levels
            )
        leaves = self.taxonomy.leaves[self.nodes].tolist()
        every = int(self.taxonomy.leaves[0])
        # A share is the same object for every value that has it.
        price = {count: self.weight * Fraction(count, every) for row in leaves for count in row}
        price[1] = Fraction(0)
        return tuple(tuple(price[count] for count in row) for row in leaves)


@dataclass(frozen=True, eq=False)
class LevelLattice:
    """The nodes of a table's levels, and its distinct records."""

    table: Table
    """Whose levels they are; each of its quasi-identifiers has a taxonomy."""
    columns: tuple[ColumnLevels, ...]
    """The levels of each quasi-identifier, the column with most values first."""
    records: Codes = field(repr=False)
    rows: Codes = field(repr=False)
    """Shape (records, columns) and (records,): codes of each distinct record, and its rows."""
    record_of: Codes = field(repr=False)
    """Shape (table rows,): the record of each row."""

    @classmethod
    def of(
        cls,
        table: Table,
        *,
        levels: Mapping[str, int] | None = None,
        weight: Mapping[str, Fraction] | None = None,
        measure: Measure = Measure.PENALTY,
    ) -> LevelLattice:
        """Return the lattice of a table.

        Its quasi-identifiers without a taxonomy get the ladder ``flat``. Levels are fixed by
        column, and ``weight`` is above 0 by column, 1 for one that is not named. With more than
        :data:`MOST_NODES` nodes the table is TooLarge.
        """
        names = [column.name for column in table.quasi_identifiers]
        fixed, weights = dict(levels or {}), dict.fromkeys(names, Fraction(1)) | dict(weight or {})
        for word, settings in (("levels", fixed), ("weight", weights)):
            for name in settings:
                if name not in names:
                    raise InvalidArgument(word, name, one_of(name, names))
        # Weights become shares, so that a row left out, which costs 1, costs as much as all
        # columns at their root.
        total = sum(weights.values(), Fraction(0))
        columns = []
        for column in sorted(table.quasi_identifiers, key=lambda column: -len(column.values)):
            share = weights[column.name] / total
            columns.append(_column_levels(column, fixed.get(column.name), share, measure))
        placed = {axis.column.name: axis.column for axis in columns}
        # In the table's own order: columns were sorted for the kernel alone.
        table = replace(table, quasi_identifiers=tuple(placed[name] for name in names))
        if (nodes := prod(len(axis.levels) for axis in columns)) > MOST_NODES:
            sizes = " x ".join(str(len(axis.levels)) for axis in columns)
            longest = columns[0]
            level = {longest.column.name: longest.levels[-1] // 2}
            raise TooLarge(
                f"the lattice of levels has {sizes} = {nodes:,} nodes, and at most "
                f"{MOST_NODES:,} are searched; fix the levels of some columns, such as "
                f"{spell('levels', level)}"
            )
        record_of, count = group_rows([axis.column for axis in columns], table.rows)
        first = np.zeros(count, dtype=np.int64)
        # Any row will do: those of one record have the same values.
        first[record_of] = np.arange(table.rows)
        records = np.stack([axis.column.codes[first] for axis in columns], axis=1)
        return cls(
            table,
            tuple(columns),
            np.ascontiguousarray(records, dtype=np.int64),
            np.bincount(record_of, minlength=count).astype(np.int64),
            record_of,
        )

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of levels of each column."""
        return tuple(len(axis.levels) for axis in self.columns)

    def __len__(self) -> int:
        return prod(self.sizes)

    def places(self, node: int) -> tuple[int, ...]:
        """Return the place of each column's level among those admitted."""
        return tuple(int(place) for place in np.unravel_index(node, self.sizes))

    def node(self, places: tuple[int, ...]) -> int:
        """Return the node with some places of its levels."""
        return int(np.ravel_multi_index(places, self.sizes))

    def levels(self, node: int) -> dict[str, int]:
        """Return the level of each column at a node, in the order of the table's columns."""
        by_name = {
            axis.column.name: axis.levels[place]
            for axis, place in zip(self.columns, self.places(node), strict=True)
        }
        return {column.name: by_name[column.name] for column in self.table.quasi_identifiers}

    def at(self, levels: Mapping[str, int]) -> int:
        """Return the node at some levels, one for each column."""
        places = []
        for axis in self.columns:
            if (level := levels.get(axis.column.name)) not in axis.levels:
                choices = ", ".join(map(str, axis.levels))
                raise InvalidArgument(f"level of {axis.column.name}", level, f"one of {choices}")
            places.append(axis.levels.index(level))
        return self.node(tuple(places))

    def classes(self, node: int) -> tuple[Codes, int]:
        """Return the class of each row at a node, and how many there are."""
        of_record, count = self.classes_of_records(node)
        return of_record[self.record_of], count

    def classes_of_records(self, node: int) -> tuple[Codes, int]:
        """Return the class of each distinct record at a node, and how many there are."""
        columns = []
        for column, (axis, place) in enumerate(zip(self.columns, self.places(node), strict=True)):
            codes, counts = axis.codes
            of_record = codes[place][self.records[:, column]].astype(np.int32)
            columns.append(Column(axis.column.name, of_record, tuple(range(counts[place])), False))
        return group_rows(columns, len(self.records))

    @cached_property
    def layout(self) -> tuple[Codes, Codes, Floats]:
        """Codes and costs of the columns end to end, level by level, and where each begins."""
        begins = np.cumsum([0, *(axis.nodes.size for axis in self.columns)])
        up = np.concatenate([axis.codes[0].reshape(-1) for axis in self.columns])
        cost = [float(price) for axis in self.columns for row in axis.costs for price in row]
        return begins.astype(np.int64), up, np.array(cost)

    @cached_property
    def distinct(self) -> Codes:
        """Shape (columns, most levels): number of codes of a column at a level."""
        counts = np.ones((len(self.sizes), max(self.sizes)), dtype=np.int64)
        for row, axis in zip(counts, self.columns, strict=True):
            row[: len(axis.levels)] = axis.codes[1]
        return counts

    @cached_property
    def plain(self) -> Floats:
        """Shape (columns, most levels): mean cost of a column's labels, every row published."""
        costs = np.zeros(self.distinct.shape)
        everybody = np.ones(self.table.rows, dtype=np.bool_)
        for row, axis in zip(costs, self.columns, strict=True):
            for place in range(len(axis.levels)):
                row[place] = float(_paid(axis, place, everybody) / self.table.rows)
        return costs

    @cached_property
    def least_losses(self) -> Floats:
        """Shape (nodes,): what the labels of each node cost if every row is published."""
        losses = np.zeros(1)
        for size, costs in zip(self.sizes, self.plain, strict=True):
            # The last column varies fastest, as nodes are numbered.
            losses = np.add.outer(losses, costs[:size])
        return losses.reshape(-1)

    def approximate_loss(self, node: int, published: Flags) -> float:
        """Return :meth:`loss` in floats, for records that are published, shape (records,)."""
        rows = self.rows * published
        paid = self.table.rows - float(rows.sum())
        begins, _, cost = self.layout
        for column, place in enumerate(self.places(node)):
            width = len(self.columns[column].column.values)
            start = int(begins[column]) + place * width
            # A sum, not a product of vectors: threads of BLAS are slower than none at this size.
            paid += float((cost[start + self.records[:, column]] * rows).sum())
        return paid / self.table.rows

    def loss(self, node: int, published: Flags) -> Fraction:
        """Return the mean loss of a row at a node; one that is not published costs 1.

        ``published`` has shape (table rows,).
        """
        paid = Fraction(int(np.count_nonzero(~published)))
        for axis, place in zip(self.columns, self.places(node), strict=True):
            paid += _paid(axis, place, published)
        return paid / self.table.rows


def _paid(axis: ColumnLevels, place: int, published: Flags) -> Fraction:
    """Return what the labels of a column cost all published rows together."""
    times = np.bincount(axis.column.codes[published], minlength=len(axis.column.values)).tolist()
    # Rows are added up by cost first: few costs differ, and fractions are slow.
    by_cost: dict[Fraction, int] = {}
    for price, rows in zip(axis.costs[place], times, strict=True):
        by_cost[price] = by_cost.get(price, 0) + rows
    return sum((price * rows for price, rows in by_cost.items()), Fraction(0))


def _column_levels(
    column: Column, level: int | None, weight: Fraction, measure: Measure
) -> ColumnLevels:
    if (tree := column.taxonomy) is None:
        # It refuses the value *, which the root would show for every other one.
        tree = FlatLadder().taxonomy(column.values, column.name)
        tree = tree.fitted(column.values, column=column.name)
        column = replace(column, taxonomy=tree, numeric=False)
    low, high = column.least_level, tree.top
    if column.most_level is not None:
        high = column.most_level
    if level is not None and not low <= level <= high:
        admissible = f"a level of column {column.name}, {low} to {high}"
        raise InvalidArgument("levels", f"{column.name}={level}", admissible)
    levels = tuple(range(low, high + 1)) if level is None else (level,)
    return ColumnLevels(column, tree, levels, weight, measure)
