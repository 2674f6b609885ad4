"""Whoever scans every window and every k finds no set of one to four people."""

import random
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kproof.errors import DataError, InvalidArgument
from kproof.models.tables.kaca.fixed import FixedCells, TollRecords, ladder

LEAST = 5
Run = tuple[int, int]
"""First and last day, both included."""


def days_of(vehicles: Sequence[Iterable[int]]) -> TollRecords:
    """Exits of one section and hour: day by day, who leaves."""
    day, vehicle = np.array(
        [(number, one) for number, people in enumerate(vehicles) for one in people], dtype=np.int64
    ).T
    same = np.zeros(len(day), dtype=np.int64)
    return TollRecords(
        day, same + 8, same, ("G5",), count=same + 1, cents=same + 100, vehicle=vehicle
    )


class Scanner:
    """What follows from all answers, for whoever knows how cells are made.

    People of a run of days are at least the largest k for which it is a cell, and at most its
    exits. A cell that was joined to the next day had fewer than k people, and so have the last days
    if they are in no cell of k.
    """

    def __init__(self, records: TollRecords, scanned: Sequence[int], **made: Any) -> None:
        self.asked, self.exits = 0, {}
        self.low: dict[Run, int] = {}
        self.high: dict[Run, int] = {}
        cells, last, finer = FixedCells(records, **made), int(records.day.max()), list[Run]()
        for k in scanned:
            runs = self.scan(cells, last, k)
            for run in runs:
                self.low[run] = k
            for run in finer:
                whole = next((one for one in runs if one[0] <= run[0] and run[1] <= one[1]), None)
                # The right one of what was joined may have had k people before.
                if whole is not None and run != whole and run[1] != whole[1]:
                    self.bound(run, k - 1)
            ends = runs[-1][1] if runs else -1
            tail = [run for run in finer if run[0] > ends]
            if tail:
                self.bound((tail[0][0], tail[-1][1]), k - 1)
            finer = runs

    def bound(self, run: Run, most: int) -> None:
        self.high[run] = min(self.high.get(run, most), most)

    def scan(self, cells: FixedCells, last: int, k: int) -> list[Run]:
        """Return the cells of k: the smallest windows that are answered."""
        runs: list[Run] = []
        for stop in range(last + 1):
            for start in range(stop, -1, -1):
                self.asked += 1
                try:
                    records = cells.answer(start, stop, k).records
                except InvalidArgument:
                    return runs
                if records and not any(start <= one[0] and one[1] <= stop for one in runs):
                    runs.append((start, stop))
                    self.exits[start, stop] = records
                    self.bound((start, stop), records)
        return runs

    def isolated(self) -> list[tuple[Run, Run]]:
        """Return runs and parts of them where one to four people are known to be in no part."""
        claims = []
        for run, most in self.high.items():
            # A run has as many people as the largest of its parts at least.
            least = max((low for one, low in self.low.items() if inside(one, run)), default=0)
            for part, low in self.low.items():
                if part != run and inside(part, run):
                    more, fewer = least - self.high[part], most - low
                    if more >= 1 and fewer < LEAST:
                        claims.append((run, part))
        return claims


def inside(part: Run, run: Run) -> bool:
    return run[0] <= part[0] and part[1] <= run[1]


def people(vehicles: Sequence[Iterable[int]], run: Run) -> set[int]:
    return set().union(*vehicles[run[0] : run[1] + 1])


def world(seed: int) -> list[list[int]]:
    """Days with few trucks, many of which come again."""
    draw = random.Random(seed)
    often = range(draw.randint(6, 20))
    days, new = [], 1000
    for _ in range(draw.randint(3, 12)):
        again = draw.sample(often, min(len(often), draw.randint(3, 12)))
        fresh = range(new, new + draw.choice((0, 0, 1, 2, 3, 30)))
        new += 100
        days.append([*again, *fresh])
    return days


MONDAY = [[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6]]
"""Six trucks leave on Monday, and six on Tuesday, one of them new."""


def test_with_every_k_a_scan_isolates_a_truck():
    scanned = Scanner(days_of(MONDAY), range(5, 12))
    assert scanned.isolated() == [((0, 1), (0, 0)), ((0, 1), (1, 1))]
    assert Scanner(days_of(MONDAY), ladder(), rungs=ladder()).isolated() == []
    found = 0
    for seed in range(15):
        days = world(seed)
        scanned = Scanner(days_of(days), range(5, 60))
        for run, part in scanned.isolated():
            found += 1
            assert 1 <= len(people(days, run) - people(days, part)) < LEAST
    assert found > 2


def scan_worlds(queries: int) -> int:
    asked = seed = 0
    while asked < queries:
        days = world(seed)
        rungs = ladder(LEAST, (1000, 50, 12)[seed % 3])
        scanned = Scanner(days_of(days), rungs, rungs=rungs)
        assert scanned.isolated() == [], seed
        for run, low in scanned.low.items():
            # What the attacker believes is true.
            assert low <= len(people(days, run)) <= scanned.high[run], seed
        asked, seed = asked + scanned.asked, seed + 1
    return seed


def test_with_a_ladder_a_scan_isolates_nobody():
    assert scan_worlds(100_000) > 500


def test_cells_hang_on_rungs_alone():
    """Worlds whose runs of days are on the same rungs, with as many exits, are divided alike."""
    same: dict[object, set[object]] = {}
    rungs = (5, 10, 20)
    for seed in range(3000):
        draw = random.Random(seed)
        days = [draw.sample(range(12), draw.choice((5, 6, 7))) for _ in range(4)]
        runs = [(start, stop) for stop in range(4) for start in range(stop + 1)]
        on = tuple(max(k for k in (0, *rungs) if k <= len(people(days, run))) for run in runs)
        cells = FixedCells(days_of(days), rungs=rungs)
        shape = tuple(
            tuple(cells.records.day[rows].tolist()) for k in rungs for rows in cells.cells_of(k)
        )
        of = (on, tuple(map(len, days)))
        same.setdefault(of, set()).add(shape)
    assert max(map(len, same.values())) == 1
    assert len(same) < 1500


duckdb = pytest.importorskip("duckdb", reason="needs the extra serve")
pytest.importorskip("ibis", reason="needs the extra serve")


@pytest.fixture
def exits(tmp_path: Path) -> Path:
    path = tmp_path / "exits.db"
    with duckdb.connect(str(path)) as con:
        con.execute(
            "CREATE TABLE exits (plate INT, section_id VARCHAR, exit_time TIMESTAMP, toll DOUBLE)"
        )
        for number, trucks in enumerate([*MONDAY, range(7, 37)]):
            day = date(2023, 1, 2) + timedelta(number)
            rows = [(truck, "G5", f"{day} 08:00:00", 1.0) for truck in trucks]
            con.executemany("INSERT INTO exits VALUES (?, ?, ?, ?)", rows)
    return path


def test_no_refusal_counts_people_and_no_other_k_is_answered(exits, tmp_path):
    from kproof.serve.flows import open_flows
    from kproof.serve.source import TollColumns, TollSource

    source, cells = TollSource(TollColumns(vehicle="plate"), str(exits)), str(tmp_path / "c.db")
    flows = open_flows(source, cells)
    assert flows.rungs == (5, 10, 20, 50, 100, 200, 500, 1000)
    for k in range(1, 1100):
        if k in flows.rungs:
            # 37 people in all: from 50 on there is nothing, and nothing says how many are missing.
            assert bool(flows.answer(None, None, k)["data"]) == (k <= 20)
        else:
            with pytest.raises(InvalidArgument, match=f"^k = {k}: need (one of 5, 10|a whole)"):
                flows.answer(None, None, k)
    flows.sealed.close()
    # The k are fixed with the cells.
    for more in ({"least": 6}, {"most": 100}):
        with pytest.raises(DataError, match=r"is divided for other k \(5, 10, 20, 50, 100, 200"):
            open_flows(source, cells, **more)
    assert open_flows(source, cells).rungs == flows.rungs
    before = tmp_path / "before.db"
    open_flows(source, str(before)).sealed.close()
    with duckdb.connect(str(before)) as con:
        con.execute("DROP TABLE ladder")
    with pytest.raises(DataError, match="every number, by an earlier version"):
        open_flows(source, str(before))
