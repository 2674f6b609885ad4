"""Whom to leave out, so that the labels of the others lose less.

k records together are published no finer than the farthest of them allows. The table is cut into
parts of k records (:mod:`kproof.models.tables.cutting.least_loss`), and of each part that record
goes whose absence spares the others more than it costs itself. Then the rest is cut anew.

A part that is left with fewer than k records needs others, and what they lose is not seen. Parts of
k + 1 are tried too therefore: they can do without one.

Sensitive values have no say in this. Records with equal quasi-identifiers go together or stay
together, so that nobody learns from one that stays what another was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from kproof.models.base.arrays import Codes, Flags
from kproof.models.tables.cutting.least_loss import cut_where_least_is_lost
from kproof.models.tables.cutting.losses import SET, SPAN, UNIT, ColumnView, view
from kproof.models.tables.table import Table

ROUNDS = 8
"""Times that a table is cut; the sets after rounds 1, 2, 4, ... and the last are yielded."""


def sequences(table: Table, k: int, most_rows: int) -> Iterator[Iterator[Codes]]:
    """Yield sequences of sets of rows that might be left out; each set holds those before it.

    Sets of at most ``most_rows`` rows, ascending, so that k are left at least. They follow from the
    quasi-identifiers, k and the budget: neither sensitive values nor the order of the rows change
    whom they hold.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [20, 21, 22, 90]})
    >>> table = Table.from_frame(frame, quasi_identifiers=["age"])
    >>> [[rows.tolist() for rows in sets] for sets in sequences(table, 2, 1)]
    [[[2]], [[2]], [[3]]]
    """
    for size, relaxed in ((k, False), (k, True), (k + 1, False)):
        # Whatever the budget, k rows stay: without them there is no class.
        yield _rounds(table, size, min(most_rows, table.rows - k), relaxed=relaxed)


def _rounds(table: Table, size: int, most_rows: int, *, relaxed: bool) -> Iterator[Codes]:
    # Who is left out must not follow from sensitive values: it would tell of them.
    blind = replace(table, sensitive=None, categories=None, further=(), person=None)
    remaining, gone = np.arange(table.rows), np.zeros(0, dtype=np.int64)
    yielded = 0
    for number in range(1, ROUNDS + 1):
        remaining_table = blind.of_rows(remaining)
        parts = cut_where_least_is_lost(remaining_table, size, relaxed=relaxed).group_of
        out = _choose_rows(_Alike.of(remaining_table, parts), most_rows - len(gone))
        gone, remaining = np.sort(np.append(gone, remaining[out])), remaining[~out]
        # After 1, 2, 4, … rounds only: the method is run for each set, which costs more than a
        # round.
        if out.any() and number & (number - 1) == 0:
            yielded = len(gone)
            yield gone
        if not out.any() or len(gone) == most_rows:
            break
    if len(gone) > yielded:
        yield gone


@dataclass(frozen=True, eq=False)
class _Alike:
    """Records with equal quasi-identifiers, and what is gained if they are left out."""

    of_row: Codes
    """Shape (rows,): which of them each record is one of."""
    records: Codes
    """Shape (alike,): how many there are."""
    part: Codes
    """Shape (alike,): the part they are in; of several the one where most is gained."""
    gain: Codes
    """Shape (alike,): what the others lose less, less what they lose themselves; in units of
    which a column's label has at most :data:`~kproof.models.tables.cutting.losses.UNIT`."""

    @classmethod
    def of(cls, table: Table, parts: Codes) -> _Alike:
        """Look at records that are alike, part by part."""
        of_row, count = table.equivalence_classes
        keys, first, records = np.unique(
            parts * count + of_row, return_index=True, return_counts=True
        )
        part, alike = np.divmod(keys, count)
        # Those who are alike go together: only the others of the part are spared anything.
        neighbours = np.bincount(parts)[part] - records
        gain = np.zeros(len(keys), dtype=np.int64)
        for column in table.quasi_identifiers:
            column_view = view(column)
            ranks = column_view.rank_of[column.codes[first]]
            with_entry, without = _label_losses(column_view, ranks, part)
            # A row left out loses a whole unit in each column in place of its share of the label.
            gain += neighbours * (with_entry - without) - records * (UNIT - with_entry)
        # Largest gain first within those alike, and of equal gains the lower part: the
        # same on every platform.
        order = np.lexsort((part, -gain, alike))
        starts = np.searchsorted(alike[order], np.arange(count))
        return cls(
            of_row=of_row,
            records=np.bincount(of_row, minlength=count),
            part=part[order[starts]],
            # Over all parts that they are in, since they go from all of them at once.
            gain=np.add.reduceat(gain[order], starts),
        )


def _label_losses(column_view: ColumnView, ranks: Codes, part: Codes) -> tuple[Codes, Codes]:
    """Return what the label of each entry's part loses with the entry, and without it.

    ``ranks`` and ``part`` have shape (entries,); parts are ascending, and none is empty.
    """
    starts = np.flatnonzero(np.diff(part, prepend=-1))
    ends = np.append(starts[1:], len(part))
    place = np.cumsum(np.diff(part, prepend=-1) > 0) - 1
    order = np.lexsort((ranks, part))
    ascending = ranks[order]
    if column_view.kind == SET:
        return _set_losses(column_view, ascending, part, order, starts)
    # Where an entry is the first or the last of its part, the next one takes its place.
    low, high = ascending[starts], ascending[ends - 1]
    at_first = np.zeros(len(part), dtype=np.bool_)
    at_last = at_first.copy()
    at_first[order[starts]] = True
    at_last[order[ends - 1]] = True
    second = ascending[np.minimum(starts + 1, ends - 1)]
    second_last = ascending[np.maximum(ends - 2, starts)]
    with_entry = _span_loss(column_view, low, high)[place]
    without = _span_loss(
        column_view,
        np.where(at_first, second[place], low[place]),
        np.where(at_last, second_last[place], high[place]),
    )
    alone = (ends - starts == 1)[place]
    # A part without its only entry has no label that could lose anything.
    return with_entry, np.where(alone, 0, without)


def _span_loss(column_view: ColumnView, low: Codes, high: Codes) -> Codes:
    """Return what labels lose that cover ranks from low to high; of one rank, as it is alone."""
    if column_view.kind == SPAN:
        return np.asarray(np.minimum(column_view.units[high] - column_view.units[low], UNIT))
    if column_view.tree is None or column_view.nodes is None:
        raise TypeError("a column without ranges or sets needs a tree")
    meets = column_view.tree.meet(column_view.nodes[low], column_view.nodes[high])
    return np.asarray(column_view.units[meets])


def _set_losses(
    column_view: ColumnView, ascending: Codes, part: Codes, order: Codes, starts: Codes
) -> tuple[Codes, Codes]:
    sorted_part = part[order]
    new = (np.diff(ascending, prepend=-1) != 0) | (np.diff(sorted_part, prepend=-1) != 0)
    members = np.add.reduceat(new.astype(np.int64), starts)
    place = np.cumsum(np.diff(sorted_part, prepend=-1) > 0) - 1
    value = np.cumsum(new) - 1
    # The set gets smaller only where nobody else in the part has the value.
    only = np.bincount(value)[value] == 1
    with_entry = column_view.units[members - 1][place]
    without = column_view.units[np.maximum(members[place] - only, 1) - 1]
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return with_entry[back], without[back]


def _choose_rows(alike: _Alike, most_rows: int) -> Flags:
    """Say of each record whether it is left out: one set of equal records of each part."""
    # Ties by number, so that the same rows are left out on every platform.
    order = np.lexsort((np.arange(len(alike.gain)), -alike.gain))
    order = order[alike.gain[order] > 0]
    # The best of each part only: once it is gone, the gains of others in its part are not true.
    order = order[np.sort(np.unique(alike.part[order], return_index=True)[1])]
    chosen = np.zeros(len(alike.gain), dtype=np.bool_)
    remaining = most_rows
    for group in order.tolist():
        # A set that does not fit is passed over and not cut; a smaller one behind it may still fit.
        if alike.records[group] <= remaining:
            chosen[group] = True
            remaining -= int(alike.records[group])
    return chosen[alike.of_row]
