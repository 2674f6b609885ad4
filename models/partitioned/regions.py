"""Regions: a table cut along its quasi-identifiers, so that every record's region is known.

A cut says of one column which ranks go left. Regions are the last parts of a tree of cuts. They
cover all records whatever the cuts were chosen by, and records of equal quasi-identifiers are in
one region. A cut can be taken back: then all regions below it are one.

A sketch of a table: some of its different rows, chosen by chance, and how often each occurs.

Every combination of values has a number between 0 and 2⁶⁴ that is as good as drawn at random; those
with the least numbers are kept. Two sketches are put together by keeping the least of both. So the
sketch of a table depends neither on the order of its rows nor on how they were dealt out to files,
and neither do cuts that are chosen by it. That is all it decides: nothing is promised by it.

Source: Cohen and Kaplan, "Summarizing data using bottom-k sketches", PODC 2007.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.arrays import Codes, Floats
from kproof.models.partitioned.pieces import Rows
from kproof.models.tables.cutting.losses import SET, SPAN, UNIT, ColumnView, view
from kproof.models.tables.table import Table

KEPT = 1 << 16
"""Combinations that a sketch keeps."""

_ODD = 0x9E3779B97F4A7C15
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


@dataclass(frozen=True, eq=False)
class Sketch:
    """The combinations with the least numbers."""

    numbers: NDArray[np.uint64] = field(repr=False)
    """Shape (combinations,): ascending, each its own."""
    codes: Rows = field(repr=False)
    """Shape (combinations, columns)."""
    rows: Codes = field(repr=False)
    """Shape (combinations,): how often each occurs."""

    @classmethod
    def of(cls, codes: Rows, size: int = KEPT) -> Sketch:
        """Sketch rows of codes, by ``size`` combinations at most.

        >>> rows = np.array([[3, 1], [2, 5], [3, 1]], dtype=np.int32)
        >>> sketch = Sketch.of(rows)
        >>> sorted(zip(sketch.codes.tolist(), sketch.rows.tolist()))
        [([2, 5], 1), ([3, 1], 2)]
        """
        return _least(_numbers(codes), codes, np.ones(len(codes), dtype=np.int64), size)

    @classmethod
    def together(cls, sketches: Iterable[Sketch], size: int = KEPT) -> Sketch:
        """Put sketches together that kept as many each."""
        every = tuple(sketches)
        return _least(
            # The smallest numbers of all are among the smallest of each part: nothing is lost by
            # sketching parts first.
            np.concatenate([sketch.numbers for sketch in every]),
            np.concatenate([sketch.codes for sketch in every]),
            np.concatenate([sketch.rows for sketch in every]),
            size,
        )


def _least(numbers: NDArray[np.uint64], codes: Rows, rows: Codes, size: int) -> Sketch:
    # `unique` also sorts, so that the first `size` are the smallest.
    smallest, first, place = np.unique(numbers, return_index=True, return_inverse=True)
    counts = np.bincount(place.reshape(-1), rows, minlength=len(smallest)).astype(np.int64)
    return Sketch(smallest[:size], codes[first[:size]], counts[:size])


def _numbers(codes: Rows) -> NDArray[np.uint64]:
    """Return a number for each row, equal where rows are: SplitMix64, a column at a time."""
    # Combinations that share a number by chance are one: cuts alone depend on it, no promise.
    mixed = np.zeros(len(codes), dtype=np.uint64)
    for column in codes.T:
        # Arrays of unsigned numbers wrap around without a word.
        mixed = (mixed ^ column.astype(np.uint64)) + np.uint64(_ODD)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(_FIRST)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(_SECOND)
        mixed = mixed ^ (mixed >> np.uint64(31))
    return mixed


_SHARE = 3
"""A cut leaves a third on either side, if one does."""


@dataclass(frozen=True, eq=False)
class Regions:
    """A tree of cuts."""

    column: Codes
    rank: Codes
    """Shape (nodes,): the column that a node is cut along, by its place, and the largest rank that
    goes left; -1 for a node that is not cut, a region."""
    left: Codes
    parent: Codes
    """Shape (nodes,): the left node below a cut, the right one being the next; the node above, -1
    for the first node, which is the whole table."""
    rank_of: tuple[Codes, ...] = field(repr=False)
    """The rank of each code, by column."""

    @property
    def leaves(self) -> tuple[int, ...]:
        """The nodes that are not cut."""
        return tuple(np.flatnonzero(self.column < 0).tolist())

    def of(self, codes: Rows) -> Codes:
        """Return the region of each record, shape (rows,); quasi-identifiers come first."""
        region_of = np.zeros(len(codes), dtype=np.int64)
        # Nodes below have larger numbers, so that one pass sees each cut before those below it.
        for node in np.flatnonzero(self.column >= 0).tolist():
            rows = np.flatnonzero(region_of == node)
            along = int(self.column[node])
            ranks = self.rank_of[along][codes[rows, along]]
            region_of[rows] = self.left[node] + (ranks > self.rank[node])
        return region_of

    def below(self, node: int) -> tuple[int, ...]:
        """Return the regions at or below a node."""
        if self.column[node] < 0:
            return (node,)
        return tuple(leaf for leaf in self.leaves if node in self.above(leaf))

    def above(self, node: int) -> tuple[int, ...]:
        """Return a node and all above it, the whole table last."""
        path = [node]
        while self.parent[path[-1]] >= 0:
            path.append(int(self.parent[path[-1]]))
        return tuple(path)

    def meet(self, nodes: Sequence[int]) -> int:
        """Return the lowest node above some."""
        first, *paths = (self.above(node) for node in nodes)
        return next(node for node in first if all(node in path for path in paths))


def regions(
    table: Table, sketch: Sketch, count: int, weights: Sequence[Fraction] | None = None
) -> Regions:
    """Cut a table into regions of about as many records.

    The region with most records is cut next, along the column after which labels of the two sides
    lose least (NCP) if it is cut near the median, or where a third is on either side. The sketch
    stands for the rows, which are not looked at. There are ``count`` regions, fewer if records that
    agree on all quasi-identifiers are too many. ``weights`` say how much the loss of each
    quasi-identifier counts.
    """
    views = tuple(map(view, table.quasi_identifiers))
    shares = [1.0] * len(views) if weights is None else [float(weight) for weight in weights]
    ranks = np.stack([view.rank_of[sketch.codes[:, i]] for i, view in enumerate(views)], axis=1)
    nodes: list[list[int]] = [[-1, -1, -1, -1]]
    # By node the sketched rows in it; None once nothing is left to cut.
    waiting: dict[int, Codes] = {0: np.arange(len(ranks))}
    while len(nodes) // 2 + 1 < count and waiting:
        # The largest region first, of equals the one made first: the tree depends on the table
        # alone.
        node = max(waiting, key=lambda region: (int(sketch.rows[waiting[region]].sum()), -region))
        rows = waiting.pop(node)
        cut = _best_cut(ranks[rows], sketch.rows[rows].astype(float), views, shares)
        if cut is None:
            continue
        along, rank = cut
        goes_left = ranks[rows, along] <= rank
        nodes[node][:3] = along, rank, len(nodes)
        for part in (rows[goes_left], rows[~goes_left]):
            waiting[len(nodes)] = part
            nodes.append([-1, -1, -1, node])
    column, rank_, first_below, parent = np.array(nodes, dtype=np.int64).T
    return Regions(column, rank_, first_below, parent, tuple(column.rank_of for column in views))


def _best_cut(
    ranks: Codes, rows: Floats, views: Sequence[ColumnView], shares: Sequence[float]
) -> tuple[int, int] | None:
    """Return the column and the rank after which sides lose least; None if records agree."""
    best: tuple[bool, float, float, int, int] | None = None
    for along in range(ranks.shape[1]):
        distinct, place = np.unique(ranks[:, along], return_inverse=True)
        # Nothing to cut: one of the sides would be empty.
        if len(distinct) == 1:
            continue
        up_to = np.cumsum(np.bincount(place.reshape(-1), rows))
        smaller = np.minimum(up_to, up_to[-1] - up_to)[:-1]
        for target in (1 / 2, 1 / _SHARE, 1 - 1 / _SHARE):
            position = int(np.argmin(np.abs(up_to[:-1] - target * up_to[-1])))
            uneven = bool(smaller[position] * (_SHARE + 1) <= up_to[-1])
            goes_left = ranks[:, along] <= distinct[position]
            lost = sum(
                _label_loss(ranks[side], views, shares) * float(rows[side].sum())
                for side in (goes_left, ~goes_left)
            )
            # An uneven cut only if there is no other, since False comes first; of equal losses the
            # more even one, then the column and the rank decide, so that no order of rows does.
            candidate = (uneven, lost, -float(smaller[position]), along, int(distinct[position]))
            if best is None or candidate < best:
                best = candidate
    return None if best is None else best[3:]


def _label_loss(ranks: Codes, views: Sequence[ColumnView], shares: Sequence[float]) -> float:
    """Return what one label for some records would lose."""
    total = 0.0
    for column, (column_view, share) in enumerate(zip(views, shares, strict=True)):
        present = ranks[:, column]
        low, high = int(present.min()), int(present.max())
        if column_view.kind == SPAN:
            units = min(int(column_view.units[high] - column_view.units[low]), UNIT)
        elif column_view.kind == SET or column_view.tree is None or column_view.nodes is None:
            units = int(column_view.units[len(np.unique(present)) - 1])
        else:
            # Ranks ascend with nodes.
            ends = column_view.nodes[[low, high]]
            units = int(column_view.units[int(column_view.tree.meet(ends[:1], ends[1:])[0])])
        total += share * units
    return total
