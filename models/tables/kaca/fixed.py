r"""Fixed cells: KACA's answers for a service that is asked many times.

A service that clusters afresh for every window of days and every k publishes releases that differ
by a few records, and whoever subtracts them sees those. Here the records of closed days are
divided once. Groups of records (a section in an hour of a day) stand on a line in order of day,
quarter of the day, section and hour; neighbours are joined, the cell on the lowest rung first,
until each cell has k (:mod:`kproof.models.tables.kaca.line`). So

- cells of k are unions of cells of every smaller k;
- a day that is closed later changes no cell, since nothing is joined to a cell that is open;
- an answer consists of whole cells: a window that cuts a cell leaves it out.

Whatever answers are added or subtracted, the result counts whole cells of the smallest k that was
asked for. Records that arrive late stand on the line of the day on which they were seen.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from functools import lru_cache

import numpy as np

from kproof.errors import DataError, InvalidArgument, one_of
from kproof.models.base.arrays import Codes, ranges
from kproof.models.base.classes import Classes
from kproof.models.tables.kaca.clock import EVERYWHERE, PERIODS, REGION, WHOLE_DAY
from kproof.models.tables.kaca.line import join
from kproof.theory.exact.typed import integer

MOST_K = 1000
"""Largest k that cells are made for, if nobody says."""


def ladder(least: int = 5, most: int = MOST_K) -> tuple[int, ...]:
    """Return every k that a service answers: 1, 2, 4, 10, 20, 40, 100, ... times the least.

    With every k answered, whoever asks for one after the other reads off how many people a cell
    has, and how many more it has than a part of it. Here a k is at least twice the one below. So of
    a cell that is not one of the next k the number stays open by as many people as the least k has.

    >>> ladder(), ladder(3, 50)
    ((5, 10, 20, 50, 100, 200, 500, 1000), (3, 6, 12, 30))
    """
    least = integer("least", least, least=2)
    most = integer("most", most, least=least)
    rungs = [least * step * 10**power for power in range(len(str(most))) for step in (1, 2, 4)]
    return tuple(rung for rung in rungs if rung <= most)


_OTHER_QUARTER, _LATE = 1000, 2000
_LONGEST_ID = 200
_MOST_CACHED = 16
_MOST_PAIRS = 10_000_000
"""Of pairs of sections a table is made; sorting takes longer and less room."""


@dataclass(frozen=True, slots=True)
class TollRecords:
    """Exits of trucks, several in a row where day, hour, section and vehicle agree."""

    day: Codes
    """Shape (rows,): days since 1970-01-01."""
    hour: Codes
    """Shape (rows,): 0, ..., 23."""
    section: Codes
    """Shape (rows,): code of the section id."""
    sections: tuple[str, ...]
    """The ids by code, ascending."""
    count: Codes
    """Shape (rows,): how many exits."""
    cents: Codes
    """Shape (rows,): what they paid together, in hundredths."""
    vehicle: Codes | None = None
    """Shape (rows,): code of the vehicle, -1 where it is not known; None without a column of
    vehicles, when every exit counts as somebody's."""
    line: Codes | None = None
    """Shape (rows,): the day on whose line the row stands; later than ``day`` for late records."""

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.day)


@dataclass(frozen=True, slots=True)
class FlowLine:
    """What is published of all cells with one region and period."""

    region: str
    period: str
    """In the document's words."""
    trucks: int
    """How many exits."""
    mean_toll: Fraction
    """Exact, in the currency of the tolls."""


@dataclass(frozen=True)
class FlowAnswer:
    """What is published of a window of days."""

    k: int
    """Least number of people in a cell."""
    lines: tuple[FlowLine, ...]
    """Sorted by region, then by period."""
    cells: int
    """How many cells the lines stand for."""
    cut: int
    """How many cells reach out of the window and are left out."""
    cut_records: int
    """Exits in those, the ones outside the window included."""
    classes: Classes = field(repr=False, compare=False)
    """Rows of the lines' records, each in the class of its line, for a checker."""
    members: Codes = field(repr=False, compare=False)
    """Shape (rows,): the rows of the records that are published."""
    line_of: Codes = field(repr=False, compare=False)
    """Shape (rows,): the class of each of them."""

    @property
    def records(self) -> int:
        """Exits that the lines count."""
        return sum(line.trucks for line in self.lines)


class FixedCells:
    """Records of closed days, divided once for every k.

    Every k from ``least``, which is 2 or more and what is promised of all answers together, to
    ``most`` is answered; or those in ``rungs``, ascending, such as those of :func:`ladder`. How
    cells are joined hangs on nothing but for which of them there are enough people. A section id of
    more than 200 signs is a DataError.

    >>> cells = FixedCells(TollRecords(
    ...     day=np.array([0, 0, 0, 0, 0, 1]), hour=np.array([8, 8, 9, 20, 20, 8]),
    ...     section=np.array([0, 0, 1, 2, 2, 2]), sections=("G5611", "G5612", "S10"),
    ...     count=np.ones(6, dtype=np.int64), cents=np.full(6, 1250),
    ... ), least=2)
    >>> [(line.region, line.period, line.trucks) for line in cells.answer(0, 0, 2).lines]
    [('G561区域', '上午时段(06-12)', 3), ('S10区域', '时段(20-21)', 2)]
    >>> cells.answer(0, 1, 4).records, cells.answer(1, 1, 2).lines
    (5, ())
    >>> cells.answer(0, 1, 1)
    Traceback (most recent call last):
    kproof.errors.InvalidArgument: k = 1: need a whole number 2 <= k <= 1000
    """

    def __init__(
        self,
        records: TollRecords,
        *,
        least: int = 5,
        most: int = MOST_K,
        rungs: tuple[int, ...] | None = None,
    ) -> None:
        self.least = integer("least", least if rungs is None else rungs[0], least=2)
        self.most = integer("most", most if rungs is None else rungs[-1], least=self.least)
        self.rungs = rungs
        if any(len(section) > _LONGEST_ID for section in records.sections):
            raise DataError(f"a section id has more than {_LONGEST_ID} signs")
        self.records = records = _in_line(records)
        self._line = records.day if records.line is None else records.line
        self._starts = _groups(records, self._line)
        first = self._starts[:-1]
        self._count_shared_signs = _count_shared_signs(records, first)
        # The earliest day of a group and of all after it.
        self._earliest = np.minimum.accumulate(records.day[first][::-1])[::-1]
        # A cache for each instance: one of the class would keep all instances and their records.
        self._cells = lru_cache(maxsize=_MOST_CACHED)(self._cell_bounds)
        self._until, self._open_above = join(
            self._starts,
            records.count,
            np.empty(0, dtype=np.int64) if records.vehicle is None else _previous(records.vehicle),
            _apart(records, self._line, first, self._count_shared_signs),
            self._line[first],
            _rung_of_size(self.most, rungs),
        )

    def answer(self, start: int, stop: int, k: int) -> FlowAnswer:
        """Return what is published of the days from ``start`` to ``stop``, both included.

        Both are days since 1970-01-01.
        """
        k = self.require(k)
        if start > stop:
            raise InvalidArgument("start_date", _iso(start), f"a day up to {_iso(stop)}")
        begins, ends = self._cells(k)
        records = self.records
        # No record stands on a line before its own day, and only late ones on a later one: outside
        # of these groups there is nothing of the window.
        first = np.searchsorted(self._line[self._starts[:-1]], start)
        last = np.searchsorted(self._earliest, stop, side="right")
        near = slice(
            int(np.searchsorted(ends, first, side="right")), int(np.searchsorted(begins, last))
        )
        begins, ends = begins[near], ends[near]
        rows = self._starts
        low = _reduce_stretches(np.minimum, records.day, rows[begins], rows[ends])
        high = _reduce_stretches(np.maximum, records.day, rows[begins], rows[ends])
        whole = (low >= start) & (high <= stop)
        cut = (low <= stop) & (high >= start) & ~whole
        trucks = _reduce_stretches(np.add, records.count, rows[begins], rows[ends])
        return self._answer(
            k, begins[whole], ends[whole], cut=int(cut.sum()), cut_records=int(trucks[cut].sum())
        )

    def require(self, k: int) -> int:
        """Return a k that is answered."""
        k = integer("k", k, least=self.least, most=self.most)
        if self.rungs is not None and k not in self.rungs:
            raise InvalidArgument("k", k, one_of(k, self.rungs))
        return k

    def days(self) -> tuple[int, int] | None:
        """Return the first and the last day of a record in a cell; None without any."""
        begins, ends = self._cells(self.least)
        if not len(begins):
            return None
        days = self.records.day[: self._starts[ends[-1]]]
        return int(days.min()), int(days.max())

    def cells_of(self, k: int) -> list[Codes]:
        """Return the rows of each cell of k, in the order of :attr:`records`."""
        begins, ends = self._cells(self.require(k))
        spans = zip(self._starts[begins].tolist(), self._starts[ends].tolist(), strict=True)
        return [np.arange(*span) for span in spans]

    def _cell_bounds(self, k: int) -> tuple[Codes, Codes]:
        """Return the first group of each cell of k, and the one after its last."""
        begins = np.flatnonzero(self._until >= k)
        # A cell that stays open ends the line: nothing behind it is in a cell of this k.
        opened = np.flatnonzero(self._open_above < k)
        end = int(opened[0]) if len(opened) else len(self._until)
        begins = begins[begins < end]
        return begins, np.append(begins[1:], end)[: len(begins)]

    def _answer(
        self, k: int, begins: Codes, ends: Codes, *, cut: int, cut_records: int
    ) -> FlowAnswer:
        records, rows = self.records, self._starts
        names: dict[tuple[str, str], int] = {}
        of_cell = np.array(
            [names.setdefault(label, len(names)) for label in self._labels(begins, ends)],
            dtype=np.int64,
        )
        lengths = rows[ends] - rows[begins]
        members = ranges(rows[begins], lengths)
        of_row = np.repeat(of_cell, lengths)
        trucks = np.zeros(len(names), dtype=np.int64)
        paid = np.zeros(len(names), dtype=np.int64)
        np.add.at(trucks, of_row, records.count[members])
        np.add.at(paid, of_row, records.cents[members])
        lines = [
            FlowLine(*name, int(trucks[at]), Fraction(int(paid[at]), 100 * int(trucks[at])))
            for name, at in names.items()
        ]
        if records.vehicle is None:
            # The checker sees a row for each exit.
            classes = Classes(np.repeat(of_row, records.count[members]), len(names))
        else:
            classes = Classes(of_row, len(names), person=records.vehicle[members])
        return FlowAnswer(
            k=k,
            lines=tuple(sorted(lines, key=lambda line: (line.region, line.period))),
            cells=len(begins),
            cut=cut,
            cut_records=cut_records,
            classes=classes,
            members=members,
            line_of=of_row,
        )

    def _labels(self, begins: Codes, ends: Codes) -> Iterable[tuple[str, str]]:
        """Return the region and period of each cell: true of all its records, and no wider."""
        if not len(begins):
            return []
        records, rows = self.records, self._starts
        early = _reduce_stretches(np.minimum, records.hour, rows[begins], rows[ends]).tolist()
        late = _reduce_stretches(np.maximum, records.hour, rows[begins], rows[ends]).tolist()
        # What consecutive ids have in common all of them have; the first has nothing before it.
        shared = _reduce_stretches(
            np.minimum, self._count_shared_signs, begins + 1, ends, none=_LONGEST_ID
        ).tolist()
        firsts = [records.sections[code] for code in records.section[rows[begins]].tolist()]
        return [
            (_region(name[:size]), _period(*hours))
            for name, size, hours in zip(firsts, shared, zip(early, late, strict=True), strict=True)
        ]


def _rung_of_size(most: int, rungs: tuple[int, ...] | None) -> Codes:
    """Return for each number of people the largest k that it suffices for, or 0."""
    sizes = np.arange(most + 1, dtype=np.int64)
    if rungs is None:
        return sizes
    steps = np.array((0, *rungs), dtype=np.int64)
    return steps[np.searchsorted(steps, sizes, side="right") - 1]


def _in_line(records: TollRecords) -> TollRecords:
    """Return records in order of line, lateness, quarter of the day, section and hour."""
    line = records.day if records.line is None else records.line
    vehicle = records.vehicle
    # Line, lateness, quarter, section and hour in one number: each key of a sort takes its time.
    late = records.day < line
    first = ((line - line.min(initial=0)) * 2 + ~late) * 4 + records.hour // 6
    key = (first * max(1, len(records.sections)) + records.section) * 24 + records.hour
    # Without late rows the day is that of the line, and one key sorts faster than two.
    order = np.lexsort((records.day, key)) if late.any() else np.argsort(key, kind="stable")
    return TollRecords(
        day=records.day[order],
        hour=records.hour[order],
        section=records.section[order],
        sections=records.sections,
        count=records.count[order],
        cents=records.cents[order],
        vehicle=None if vehicle is None else vehicle[order],
        line=line[order],
    )


def _groups(records: TollRecords, line: Codes) -> Codes:
    """Return where each group of records begins, and the number of rows."""
    if not records.rows:
        return np.zeros(1, dtype=np.int64)
    new = np.ones(records.rows, dtype=np.bool_)
    new[1:] = False
    for column in (line, records.day, records.section, records.hour):
        new[1:] |= column[1:] != column[:-1]
    return np.append(np.flatnonzero(new), records.rows).astype(np.int64)


def _count_shared_signs(records: TollRecords, first: Codes) -> Codes:
    """Return how many signs the section of each group shares with that of the group before it."""
    if not len(first):
        return np.zeros(0, dtype=np.int64)
    width = max(1, *(len(section) for section in records.sections))
    signs = np.array(records.sections, dtype=f"U{width}").view(np.int32)
    signs = signs.reshape(len(records.sections), width)
    codes = records.section[first]
    pairs, which = _pairs(codes, len(records.sections))
    alike = signs[pairs[:, 0]] == signs[pairs[:, 1]]
    lengths = np.array([len(section) for section in records.sections], dtype=np.int64)
    # Short ids are filled up alike: without their lengths, the filling would count as shared.
    common = np.minimum(np.cumprod(alike, axis=1).sum(axis=1), lengths[pairs].min(axis=1))
    return np.append(0, common[which]).astype(np.int64)


def _pairs(codes: Codes, count: int) -> tuple[Codes, Codes]:
    """Return the different pairs of neighbouring codes, and which of them each is."""
    keys = codes[:-1] * count + codes[1:]
    if count**2 > _MOST_PAIRS:
        distinct, which = np.unique(keys, return_inverse=True)
    else:
        # Marking the pairs that occur takes less than sorting, where all pairs have room.
        present = np.zeros(count**2, dtype=np.int64)
        present[keys] = 1
        distinct = np.flatnonzero(present)
        which = (np.cumsum(present) - 1)[keys]
    return np.stack([distinct // count, distinct % count], axis=1), which


def _apart(records: TollRecords, line: Codes, first: Codes, shared: Codes) -> Codes:
    """Return how far each group is from the one before it on the line of the same day."""
    apart = _LONGEST_ID - shared
    if len(first) > 1:
        quarter = records.hour[first] // 6
        late = records.day[first] != line[first]
        apart[1:][quarter[1:] != quarter[:-1]] = _OTHER_QUARTER
        # After the quarters: lateness outweighs them.
        apart[1:][late[1:] != late[:-1]] = _LATE
        section = records.section[first]
        apart[1:][(section[1:] == section[:-1]) & (apart[1:] < _OTHER_QUARTER)] = 0
    return apart


def _previous(vehicle: Codes) -> Codes:
    """Return the last row before each of the same vehicle."""
    order = np.argsort(vehicle, kind="stable")
    previous = np.full(len(vehicle), -1, dtype=np.int64)
    repeats = vehicle[order[1:]] == vehicle[order[:-1]]
    previous[order[1:][repeats]] = order[:-1][repeats]
    # A vehicle that is not known hides nobody.
    previous[vehicle < 0] = len(vehicle)
    return previous


def _reduce_stretches(
    function: np.ufunc, values: Codes, begins: Codes, ends: Codes, none: int | None = None
) -> Codes:
    """Reduce the values of each stretch; ``none`` stands for an empty stretch."""
    if not len(begins):
        return np.zeros(0, dtype=np.int64)
    # Between two stretches reduceat reduces what belongs to neither; every second one is ours.
    bounds = np.stack([begins, ends], axis=1).reshape(-1)
    fill = 0 if none is None else none
    reduced = np.asarray(function.reduceat(np.append(values, fill), bounds)[::2])
    if none is not None:
        reduced = np.where(begins < ends, reduced, none)
    return reduced


def _region(beginning: str) -> str:
    return beginning + REGION if beginning else EVERYWHERE


def _period(early: int, late: int) -> str:
    if early == late:
        return f"时段({early:02d}-{early + 1:02d})"
    return PERIODS[early // 6] if early // 6 == late // 6 else WHOLE_DAY


def _iso(day: int) -> str:
    return date.fromordinal(day + date(1970, 1, 1).toordinal()).isoformat()
