"""A cloaked log as arrays: a label for each record in each slot of its session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.arrays import Codes, read_only


@dataclass(frozen=True, eq=False)
class CloakedLog:
    """What is published of people who move; built by :meth:`of`."""

    record: Codes = field(repr=False)
    """Shape (rows,): number of the record."""
    slot: Codes = field(repr=False)
    """Shape (rows,): the slot, a period of the clock counted from the epoch."""
    label: Codes = field(repr=False)
    """Shape (rows,): the cell that is shown, or hidden (:mod:`kproof.models.moving.labels`)."""

    @classmethod
    def of(cls, record: Codes, slot: Codes, label: Codes) -> CloakedLog:
        """Return the log of three columns, its rows by slot, label and record.

        That order says nothing of who is who: rows of a slot with one label are in the order of
        their numbers, which are drawn.
        """
        columns = [np.array(column, dtype=np.int64) for column in (record, slot, label)]
        if len({column.shape for column in columns}) > 1 or columns[0].ndim != 1:
            raise InvalidArgument("record", np.shape(record), "columns of one length")
        record, slot, label = columns
        order = np.lexsort((record, label, slot))
        record, slot, label = record[order], slot[order], label[order]
        by_record = np.lexsort((slot, record))
        numbers, times = record[by_record], slot[by_record]
        twice = np.flatnonzero((numbers[1:] == numbers[:-1]) & (times[1:] == times[:-1]))
        if len(twice):
            raise DataError(f"record {numbers[twice[0]]} has two cells in one slot; need one")
        return cls(read_only(record), read_only(slot), read_only(label))

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.record)

    def classes(self) -> tuple[Codes, Codes]:
        """Return the numbers of all records, ascending, and the class of each.

        Records of one class have the same labels in the same slots, so that nobody tells them
        apart. Classes are numbered from 0.
        """
        numbers, of_row = np.unique(self.record, return_inverse=True)
        cells, cell = np.unique(self.label, return_inverse=True)
        class_of = np.zeros(len(numbers), dtype=np.int64)
        used = 1
        for rows in by_slot(self.slot):
            present = of_row[rows]
            # Who is not in this slot stays in a class of its old number: the new numbers are
            # larger, so that records that are and are not there part.
            # A class and a cell are one number: pairs are sorted ten times as slowly.
            _, refined = np.unique(class_of[present] * len(cells) + cell[rows], return_inverse=True)
            class_of[present] = used + refined
            used += int(refined.max()) + 1
        _, class_of = np.unique(class_of, return_inverse=True)
        return numbers, class_of


def by_slot(slot: Codes) -> Iterator[slice]:
    """Return where the rows of each slot are, of slots in ascending order."""
    starts = np.flatnonzero(np.diff(slot, prepend=slot[:1] - 1)).tolist()
    yield from map(slice, starts, [*starts[1:], len(slot)])
