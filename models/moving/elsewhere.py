"""Where else: what a cloaked log tells whoever knows one cell of a record about its other ones.

k says nothing of that: all candidates may have been in one place. A pair of slots is *certain* for
a cell if all records that show it in the first slot show one cell in the second. That is counted,
and ``elsewhere`` hides cells until every cell that is shown leaves at least so many different
entries in every other slot, or none; hidden is one entry. Records that are alike stay alike, so
that k holds as before. What is hidden hangs on later slots, so that it is known when a session is
over.
"""

from collections.abc import Iterator

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.moving.labels import HIDDEN
from kproof.models.moving.release import CloakedLog, by_slot

ABSENT = -1
"""The entry of a record that has not begun."""


def certain_elsewhere(release: CloakedLog) -> float:
    """Return the share of cells shown that follow from one other cell of the record.

    Counted are pairs of two cells of a record.

    >>> labels = np.array([2, 2, 3, 3, 2, 2, 2, 3])
    >>> certain_elsewhere(CloakedLog.of(np.tile(np.arange(4), 2), np.repeat([0, 1], 4), labels))
    0.375
    """
    certain = pairs = 0
    for _, table in by_session(release.record, release.slot, release.label):
        for slot in range(table.shape[1]):
            for visible, entries in _views(table, slot, np.ones(len(table), dtype=np.int64)):
                certain += int(visible[entries == 1].sum())
                pairs += int(visible.sum())
    return certain / pairs if pairs else 0.0


def least_elsewhere(release: CloakedLog) -> int | None:
    """Return how few entries a cell leaves in another slot; None if no record shows two cells."""
    least: list[int] = []
    for _, table in by_session(release.record, release.slot, release.label):
        for slot in range(table.shape[1]):
            for visible, entries in _views(table, slot, np.ones(len(table), dtype=np.int64)):
                least += entries[visible > 0].tolist()
    return min(least, default=None)


def hide_elsewhere(record: Codes, slot: Codes, label: Codes, least: int) -> Codes:
    """Return labels of which each leaves ``least`` entries or more in every other slot, or none.

    Where a cell leaves too few, either it is hidden, or what it tells of; whichever is less.

    >>> labels = np.array([2, 2, 3, 3, 2, 2, 2, 3])
    >>> hide_elsewhere(np.tile(np.arange(4), 2), np.repeat([0, 1], 4), labels, 2).tolist()
    [2, 2, 0, 0, 0, 0, 2, 3]
    """
    labels = label.copy()
    for rows, table in by_session(record, slot, label):
        # Records that are alike are treated alike: one of each is looked at.
        entries, of_record, count = np.unique(
            table, axis=0, return_inverse=True, return_counts=True
        )
        # Over and over: what is hidden in one slot may leave too few entries in another. Each turn
        # but the last hides a cell, so that this ends.
        while _hide_once(entries, count, least):
            pass
        places, columns = np.nonzero(rows >= 0)
        labels[rows[places, columns]] = entries[of_record.reshape(-1)[places], columns]
    return labels


def _hide_once(table: Codes, count: Codes, least: int) -> bool:
    """Hide what leaves too few entries, in each slot once; say whether anything was."""
    changed = False
    for slot in range(table.shape[1]):
        shows = table[:, slot] > HIDDEN
        _, group = np.unique(table[shows, slot], return_inverse=True)
        size = np.bincount(group, count[shows])
        views = [
            (visible, (visible > 0) & (entries < least))
            for visible, entries in _views(table, slot, count)
        ]
        if not any(short.any() for _, short in views):
            continue
        changed = True
        # In records: all that a cell tells of, against the cell itself.
        cost = sum((visible * short for visible, short in views), np.zeros(len(size)))
        itself = cost > size
        rows = np.flatnonzero(shows)
        columns = [column for column in range(table.shape[1]) if column != slot]
        for column, (_, short) in zip(columns, views, strict=True):
            follows = rows[(short & ~itself)[group]]
            # Who has not begun stays absent: hidden, they would have a row in the slot.
            table[follows, column] = np.minimum(table[follows, column], HIDDEN)
        table[rows[itself[group]], slot] = HIDDEN
    return changed


def _views(table: Codes, slot: int, count: Codes) -> Iterator[tuple[Codes, Codes]]:
    """Run through the other slots: by cell of a slot, rows that show a cell there, and entries.

    ``count`` says how many records have each row of the table.
    """
    shows = table[:, slot] > HIDDEN
    cells, group = np.unique(table[shows, slot], return_inverse=True)
    group = group.reshape(-1)
    for column in range(table.shape[1]):
        if column == slot:
            continue
        # Who has not begun is shown nowhere, as who is hidden.
        entry_of_row = np.maximum(table[shows, column], HIDDEN)
        values, entry = np.unique(entry_of_row, return_inverse=True)
        pairs = np.unique(group * len(values) + entry.reshape(-1))
        # Where nobody shows a cell there is no entry either, and nothing to divide by.
        entries = np.bincount(pairs // max(len(values), 1), minlength=len(cells))
        visible = np.bincount(group, count[shows] * (entry_of_row > HIDDEN), minlength=len(cells))
        yield visible.astype(np.int64), entries


def by_session(record: Codes, slot: Codes, label: Codes) -> Iterator[tuple[Codes, Codes]]:
    """Run through the sessions: shape (records, slots), the row of each entry, and its label.

    A session ends where no record goes on, later on either; rows come by slot. Where there is no
    row it is -1.
    """
    _, of_row = np.unique(record, return_inverse=True)
    of_row = of_row.reshape(-1)
    until = np.full(int(of_row.max(initial=-1)) + 1, np.iinfo(np.int64).min)
    np.maximum.at(until, of_row, slot)
    part: list[slice] = []
    last = np.iinfo(np.int64).min
    for rows in [*by_slot(slot), None]:
        if part and (rows is None or slot[rows.start] > last):
            whole = slice(part[0].start, part[-1].stop)
            numbers, place = np.unique(record[whole], return_inverse=True)
            column = np.repeat(np.arange(len(part)), [rows.stop - rows.start for rows in part])
            at = np.full((len(numbers), len(part)), -1)
            at[place.reshape(-1), column] = np.arange(whole.start, whole.stop)
            yield at, np.where(at < 0, ABSENT, label[at])
            part = []
        if rows is not None:
            part, last = [*part, rows], max(last, int(until[of_row[rows]].max()))
