"""Whole sequences of cells as rows of a sampled table: (ε, δ) per person for a session at once.

A row is one person's: the cell at one fixed depth in every slot of a session, or unknown. Cells,
depth, slots and the beginning of the session are chosen without the log, so that a row hangs on the
positions of that person alone, and R7 holds of the table: a person in the log or not, for all slots
together. Sequences that fewer than k of those drawn share are left out. Several sessions of the
same people add up (R12).

Source: Li, Qardaji, Su, "On Sampling, Anonymization, and Differential Privacy: Or, k-Anonymization
Meets Differential Privacy", ASIACCS 2012, for one table; here with its exact δ.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from kproof.datasets import TextTable
from kproof.errors import InvalidArgument
from kproof.models.base.arrays import Codes
from kproof.models.moving.cells import CellTree
from kproof.models.moving.labels import UNKNOWN, labels_at, name
from kproof.models.moving.slots import Whereabouts, every_slot, reports_of
from kproof.models.places.log import PositionLog
from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.profiles.sampled import shown_share

UNKNOWN_NAME = "unknown"
"""What a row has for a slot without a position."""


@dataclass(frozen=True, eq=False)
class Sequences:
    """Who was where in a session, a row for each person with a position in it."""

    labels: Codes = field(repr=False)
    """Shape (people, slots): cells at the depth; 0 where the position is unknown."""
    first: int
    """The first slot, a period of the clock counted from the epoch."""
    period: int
    """Seconds of a slot."""
    depth: int
    """Of all cells."""

    @classmethod
    def of(
        cls,
        log: PositionLog,
        cells: CellTree,
        *,
        depth: Number | None = None,
        start: int,
        period: int,
        session: int,
        age: int = 0,
        snap: float | None = None,
    ) -> Sequences:
        """Return the sequences of a log in one session.

        No row of the log may hang on those of others: read it with ``far=None``.

        Args:
            log: Who was where and when.
            cells: Cells that nobody's data chose.
            depth: Of the cells that are shown; by default the deepest.
            start: When the session begins, in seconds since 1970; a multiple of ``period``.
            period: Seconds of a slot.
            session: How many slots.
            age: Slots for which a position stands for somebody who reports nothing.
            snap: Metres from a crossing within which a position counts; None for all.

        Nobody may have a position in the session; there are no rows then, and an error would tell.

        >>> from kproof.models.moving.cells import GridCells
        >>> log = PositionLog.of([52, 52.1, 52], [13, 13, 13], users="aab", time=[0, 70, 5],
        ...                        far=None)
        >>> rows = Sequences.of(log, GridCells(500), start=0, period=60, session=2)
        >>> (rows.labels > 0).tolist()
        [[True, True], [True, False]]
        """
        at = cells.height if depth is None else integer("depth", depth, least=1, most=cells.height)
        # Slots are those of the clock, counted from 1970: another start is in the middle of one.
        if start % period:
            raise InvalidArgument("start", start, f"a multiple of the period, {period} seconds")
        first = start // period
        code, metres = cells.codes(log.lat, log.lon)
        if snap is not None:
            code = np.where(metres <= snap, code, UNKNOWN)
        person, time, code = reports_of(log, code)
        slot = time // period
        # Reports of so many slots before the session may still stand for somebody in it.
        rows = (slot >= first - age) & (slot < first + session)
        person, slot, code = person[rows], slot[rows], code[rows]
        labels = np.zeros((log.people, session), dtype=np.int64)
        where = Whereabouts(age)
        for number, who, here in every_slot(slot, person, code, last=first + session - 1):
            codes = where.at(number, who, here)
            if number >= first:
                # Codes reach to the largest number that has reported; the others stay unknown.
                located = np.flatnonzero(codes != UNKNOWN)
                labels[located, number - first] = labels_at(codes[located], at, cells.height)
        # Who has no position in the session has no row; that hangs on their own positions alone.
        labels = labels[labels.any(axis=1)]
        return cls(labels, first, period, at)

    @property
    def names(self) -> tuple[str, ...]:
        """When each slot begins."""
        slots = range(self.first, self.first + self.labels.shape[1])
        times = (datetime.fromtimestamp(slot * self.period, UTC) for slot in slots)
        return tuple(f"{time:%Y-%m-%dT%H:%M:%SZ}" for time in times)

    @property
    def table(self) -> TextTable:
        """A row for each person, without a name."""
        words = {word: name(word) for word in np.unique(self.labels).tolist()} | {0: UNKNOWN_NAME}
        columns = tuple(tuple(words[word] for word in column) for column in self.labels.T.tolist())
        return TextTable("the log", self.names, columns, tuple(range(1, len(self.labels) + 1)))

    @property
    def levels(self) -> tuple[str, ...]:
        """What the sampled table shows of each column: the cell as it stands."""
        return tuple(f"{slot}=value" for slot in self.names)

    def shown(self, k: Number, beta: Number) -> float:
        """Return the expected share of those drawn whose sequence is shown; for the publisher."""
        if not (sizes := Counter(Counter(map(tuple, self.labels.tolist())).values())):
            return 0.0
        return float(shown_share(sizes, k, beta)) / float(rational("beta", beta, above=0))
