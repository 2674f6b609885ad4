"""Fixed cells: large enough, nested, settled for good, and useless to whoever subtracts."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from cases import error_line
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import data_frame

from kproof.models.privacy import KAnonymity
from kproof.models.tables.kaca.fixed import FixedCells, TollRecords
from kproof.models.tables.kaca.line import join
from kproof.models.tables.kaca.method import kaca
from kproof.models.tables.table import Table

SECTIONS = ("G5610", "G5611", "G5620", "S1", "S10")
MOST = 12


@st.composite
def record_sets(draw: st.DrawFn) -> TollRecords:
    rows = draw(st.integers(0, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    day = rng.integers(0, draw(st.integers(1, 8)), rows)
    late = rng.integers(0, 3, rows) * (rng.random(rows) < 0.2)
    vehicle = None
    if draw(st.booleans()):
        vehicle = rng.integers(-1, draw(st.integers(1, 30)), rows)
    return TollRecords(
        day=day,
        hour=rng.integers(0, 24, rows),
        section=rng.integers(0, len(SECTIONS), rows),
        sections=SECTIONS,
        count=np.ones(rows, dtype=np.int64) if vehicle is not None else rng.integers(1, 4, rows),
        cents=rng.integers(0, 10_000, rows),
        vehicle=vehicle,
        line=day + late,
    )


def taken(records: TollRecords, rows: object) -> TollRecords:
    columns = ("day", "hour", "section", "count", "cents", "vehicle", "line")
    found = {name: getattr(records, name) for name in columns}
    return replace(
        records, **{name: one if one is None else one[rows] for name, one in found.items()}
    )


def people(records: TollRecords, rows: object) -> int:
    if records.vehicle is None:
        return int(records.count[rows].sum())
    return len(set(records.vehicle[rows].tolist()) - {-1})


def content(records: TollRecords, rows: object) -> tuple[object, ...]:
    part = taken(records, rows)
    vehicle = part.count * 0 if part.vehicle is None else part.vehicle
    columns = (part.line, part.day, part.hour, part.section, vehicle, part.count, part.cents)
    return tuple(sorted(zip(*(one.tolist() for one in columns), strict=True)))


LADDERS = (None, (2, MOST), (2, 4, 8, MOST), (3, 6, MOST))


@given(record_sets(), st.sampled_from(LADDERS))
def test_cells_have_k_people_and_are_nested(records, rungs):
    cells = FixedCells(records, least=2, most=MOST, rungs=rungs)
    finer = None
    for k in rungs or range(2, MOST + 1):
        found = [set(rows.tolist()) for rows in cells.cells_of(k)]
        for rows in found:
            assert people(cells.records, sorted(rows)) >= k
        together = Counter(row for rows in found for row in rows)
        assert not together or max(together.values()) == 1
        if finer is not None:
            for rows in found:
                assert rows == set().union(*(one for one in finer if one & rows))
        finer = found


@given(record_sets(), st.integers(0, 10), st.sampled_from(LADDERS))
def test_a_day_that_is_closed_later_changes_no_cell(records, today, rungs):
    whole = FixedCells(records, least=2, most=MOST, rungs=rungs)
    seen = taken(records, np.asarray(records.line) < today)
    before = FixedCells(seen, least=2, most=MOST, rungs=rungs)
    for k in rungs or (2, 3, 5, 8, MOST):
        first = [content(before.records, rows) for rows in before.cells_of(k)]
        assert first == [content(whole.records, rows) for rows in whole.cells_of(k)][: len(first)]


@given(record_sets(), st.integers(0, 9), st.integers(0, 9), st.integers(2, MOST))
def test_an_answer_tells_the_truth_of_whole_cells(records, one, other, k):
    start, stop = sorted((one, other))
    cells = FixedCells(records, least=2, most=MOST)
    answer = cells.answer(start, stop, k)
    held, cut = [], 0
    for rows in cells.cells_of(k):
        inside = {start <= day <= stop for day in cells.records.day[rows].tolist()}
        low, high = cells.records.day[rows].min(), cells.records.day[rows].max()
        if inside == {True}:
            held += rows.tolist()
        elif low <= stop and high >= start:
            cut += int(cells.records.count[rows].sum())
    assert sorted(answer.members.tolist()) == sorted(held)
    assert answer.records == int(cells.records.count[held].sum())
    assert answer.cut_records == cut
    paid = sum((line.mean_toll * line.trucks for line in answer.lines), Fraction(0))
    assert paid * 100 == int(cells.records.cents[held].sum())
    if answer.lines:
        assert KAnonymity(k).check(answer.classes)
    for line in answer.lines:
        assert line.region == "全部区域" or any(
            name.startswith(line.region.removesuffix("区域")) for name in SECTIONS
        )


def blocks(rows: int, sets: list[frozenset[int]]) -> Counter[tuple[bool, ...]]:
    """What somebody can tell apart who knows which records every published line counts.

    That is more than any sum or difference of answers tells.
    """
    marks = Counter(tuple(row in one for one in sets) for row in range(rows))
    marks.pop((False,) * len(sets), None)
    return marks


def rows_of(mark: tuple[bool, ...], rows: int, sets: list[frozenset[int]]) -> list[int]:
    return [row for row in range(rows) if tuple(row in one for one in sets) == mark]


@settings(max_examples=25)
@given(record_sets(), st.data())
def test_an_adaptive_attacker_isolates_nobody(records, data):
    cells = FixedCells(records, least=3, most=MOST)
    asked = []
    start, stop, k = 0, 9, 3
    for _ in range(25):
        answer = cells.answer(start, stop, k)
        asked += [
            frozenset(answer.members[answer.line_of == index].tolist())
            for index in range(len(answer.lines))
        ]
        split = blocks(cells.records.rows, asked)
        # The next window is drawn towards the days of the smallest set told apart so far.
        days = [0, 9]
        if split:
            mark = min(split, key=lambda one: (split[one], one))
            rows = rows_of(mark, cells.records.rows, asked)
            assert people(cells.records, rows) >= 3
            days = cells.records.day[rows].tolist()
        shift = st.sampled_from((-1, 0, 1))
        start, stop = sorted((min(days) + data.draw(shift), max(days) + data.draw(shift)))
        k = data.draw(st.sampled_from((3, 3, 4, 5)))
    for mark in blocks(cells.records.rows, asked):
        assert people(cells.records, rows_of(mark, cells.records.rows, asked)) >= 3


def test_the_same_attacker_succeeds_where_each_window_is_clustered_afresh():
    """The document's algorithm: two windows, or one at two k, tell single records apart."""
    rng = np.random.default_rng(5)
    rows = 60
    frame = data_frame(
        day=rng.integers(0, 4, rows),
        section_id=[f"G56{one:03d}" for one in rng.integers(0, 40, rows)],
        exit_time=[f"{one:02d}:{two:02d}" for one, two in rng.integers(0, 24, (rows, 2))],
    )
    asked = []
    for start, stop, k in [(0, 3, 3), (0, 2, 3), (1, 3, 3), (0, 3, 4), (1, 2, 3)]:
        window = frame[frame["day"].between(start, stop)]
        table = Table.from_frame(window, quasi_identifiers=["section_id", "exit_time"])
        release = kaca(table, k=k, reading="printed", section="section_id", time="exit_time")
        asked += [
            frozenset(window.index[release.class_of == one].tolist())
            for one in range(release.count)
        ]
    assert min(blocks(rows, asked).values()) == 1


def test_people_are_counted_not_exits():
    records = TollRecords(
        day=np.zeros(6, dtype=np.int64),
        hour=np.full(6, 8),
        section=np.zeros(6, dtype=np.int64),
        sections=("G5",),
        count=np.full(6, 10),
        cents=np.full(6, 100),
        vehicle=np.array([0, 0, 0, 1, 1, -1]),
    )
    cells = FixedCells(records, least=2)
    assert cells.answer(0, 0, 2).records == 60
    assert cells.answer(0, 0, 3).records == 0


@settings(max_examples=20)
@given(record_sets())
def test_machine_code_joins_as_the_plain_function_does(records):
    rows = np.arange(records.rows + 1)
    previous = np.empty(0, dtype=np.int64)
    order = np.argsort(np.asarray(records.line), kind="stable")
    lines = records.section[order], np.asarray(records.line)[order]
    asked = (rows, records.count[order], previous, *lines, np.arange(MOST + 1))
    for plain, fast in zip(join.plain(*asked), join.fast(*asked), strict=True):
        assert plain.tolist() == fast.tolist()


def test_no_records_and_no_cells():
    empty = np.empty(0, dtype=np.int64)
    cells = FixedCells(TollRecords(empty, empty, empty, (), empty, empty), least=2)
    answer = cells.answer(0, 9, 2)
    assert (answer.lines, answer.cells, answer.cut, cells.days()) == ((), 0, 0, None)


def test_what_is_out_of_range_is_named():
    empty = np.empty(0, dtype=np.int64)
    records = TollRecords(empty, empty, empty, (), empty, empty)
    assert "least = 1: need a whole number" in error_line(ValueError, FixedCells, records, least=1)
    with pytest.raises(ValueError, match=r"k = 2: need a whole number 3 <= k <= 9"):
        FixedCells(records, least=3, most=9).answer(0, 1, 2)
    with pytest.raises(ValueError, match=r"start_date = 1970-01-03: need a day up to 1970-01-02"):
        FixedCells(records).answer(2, 1, 5)
