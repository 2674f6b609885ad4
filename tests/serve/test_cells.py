"""The life of a file of cells: shared, taken over, moved, and what comes late."""

import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cases import cases, error_line
from difference import Subtracter

pytest.importorskip("ibis", reason="needs the extra serve")
duckdb = pytest.importorskip("duckdb", reason="needs the extra serve")

from late import FIRST, year  # noqa: E402

from kproof.errors import DataError, InvalidArgument  # noqa: E402
from kproof.serve import flows as served  # noqa: E402
from kproof.serve.flows import ExactFlows, open_flows, prepare_flows  # noqa: E402
from kproof.serve.sampled import prepare_sampled  # noqa: E402
from kproof.serve.source import SourceGone, TollColumns, TollSource  # noqa: E402

Row = tuple[str, str, str, float]
COLUMNS = TollColumns(vehicle="plate")


def exit_on(day: int, hour: int, truck: str, toll: float = 1.0) -> Row:
    return truck, "G5", f"{FIRST + timedelta(day)} {hour:02}:00:00", toll


def filled(path: Path, rows: Sequence[Row]) -> Path:
    with duckdb.connect(str(path)) as con:
        con.execute(
            "CREATE TABLE IF NOT EXISTS exits "
            "(plate VARCHAR, section_id VARCHAR, exit_time TIMESTAMP, toll DOUBLE)"
        )
        con.executemany("INSERT INTO exits VALUES (?, ?, ?, ?)", rows)
    return path


def changed(path: Path, text: str) -> None:
    with duckdb.connect(str(path)) as con:
        con.execute(text)


def days_of(name: str, days: int, trucks: int = 8) -> list[Row]:
    return [exit_on(day, 8, f"{name}{one}") for day in range(days) for one in range(trucks)]


def flows_of(path: Path, cells: Path, closed: int, **more: Any) -> ExactFlows:
    flows = prepare_flows(
        TollSource(COLUMNS, str(path)), str(cells), today=lambda: FIRST + timedelta(closed), **more
    )
    try:
        flows.start()
    finally:
        # A service that is not needed any more gives its lock back.
        flows.sealed.close()
    return flows


def trucks(flows: ExactFlows) -> int:
    return sum(line["truck_count"] for line in flows.answer(None, None, 5)["data"])


def test_a_process_seals_others_read_and_take_over(tmp_path):
    path, cells = filled(tmp_path / "exits.db", days_of("v", 9)), tmp_path / "cells.db"
    code = f"""
        from datetime import date, timedelta
        from kproof.serve.flows import open_flows
        from kproof.serve.source import TollColumns, TollSource
        closed = [3]
        flows = open_flows(
            TollSource(TollColumns(vehicle="plate"), {str(path)!r}), {str(cells)!r},
            today=lambda: date.fromisoformat({str(FIRST)!r}) + timedelta(closed[0]),
        )
        while True:
            print(flows.sealed.leads, flush=True)
            closed[0] = int(input())
            flows.refresh()
    """
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", textwrap.dedent(code)]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        closed = [3]
        source = TollSource(COLUMNS, str(path))
        today = lambda: FIRST + timedelta(closed[0])  # noqa: E731
        readers = [open_flows(source, str(cells), today=today) for _ in range(3)]
        assert [(one.sealed.leads, trucks(one)) for one in readers] == [(False, 24)] * 3
        closed[0] = 4
        for one in readers:
            one.refresh()
        assert [(one.due, one.generation, trucks(one)) for one in readers] == [(True, 1, 24)] * 3
        process.stdin.write("4\n")
        process.stdin.flush()
        assert process.stdout.readline() == "True\n"
        for one in readers:
            one.refresh()
        assert [(one.due, one.generation, trucks(one)) for one in readers] == [(False, 2, 32)] * 3
        process.kill()
    closed[0] = 6
    for one in readers:
        one.refresh()
    assert [(one.sealed.leads, trucks(one)) for one in readers] == [(True, 48)] + [(False, 48)] * 2
    # Whoever reads needs no database, and starts without one.
    gone = TollSource(COLUMNS, str(tmp_path / "exits.db"))
    path.rename(tmp_path / "away.db")
    closed[0] = 7
    assert trucks(open_flows(gone, str(cells), today=today)) == 48
    for one in readers:
        one.sealed.close()


def test_a_source_is_known_by_its_content(tmp_path):
    path, cells = filled(tmp_path / "exits.db", days_of("v", 5)), tmp_path / "cells.db"
    before = flows_of(path, cells, 5).answer(None, None, 5)
    # Another place, another table, other names of columns: the same exits.
    moved = path.rename(tmp_path / "moved.db")
    changed(moved, "ALTER TABLE exits RENAME toll TO paid")
    source = TollSource(TollColumns(toll="paid", vehicle="plate"), str(moved))
    for _ in range(2):
        flows = open_flows(source, str(cells), today=lambda: FIRST + timedelta(5))
        assert flows.answer(None, None, 5) == before
        flows.sealed.close()
    # Other exits at the place that the file knows, or elsewhere.
    for name in ("moved.db", "other.db"):
        other = tmp_path / name
        other.unlink(missing_ok=True)
        filled(other, days_of("w", 6))
        changed(other, "ALTER TABLE exits RENAME toll TO paid")
        source = TollSource(TollColumns(toll="paid", vehicle="plate"), str(other))
        flows = prepare_flows(source, str(cells), today=lambda: FIRST + timedelta(6))
        with pytest.raises(DataError, match=r"another source, .* of 40 sealed exits .* has 0"):
            flows.start()
        assert flows.sealed.until == FIRST + timedelta(5)
        flows.sealed.close()
    # None of the sealed days: only the operator knows.
    new = filled(tmp_path / "new.db", [exit_on(5, 8, f"v{one}") for one in range(8)])
    with pytest.raises(DataError, match=r"none of the sealed days.*--rebind"):
        flows_of(new, cells, 6)
    assert trucks(flows_of(new, cells, 6, rebind=True)) == 48
    assert trucks(flows_of(new, cells, 6)) == 48
    with pytest.raises(SourceGone):
        flows_of(tmp_path / "none.db", cells, 6)


def test_what_changes_after_a_day_is_closed(tmp_path, capfd):
    path, cells = filled(tmp_path / "exits.db", days_of("v", 3)), tmp_path / "cells.db"
    flows_of(path, cells, 2)
    # A lowered toll, and a late exit of the same truck in the same hour; a late one beside an exit
    # that is as it was; a deleted exit; one that has another toll.
    changed(path, "UPDATE exits SET toll = 0.4 WHERE plate = 'v0' AND exit_time < '2023-01-03'")
    filled(path, [exit_on(0, 8, "v0", 0.2), exit_on(0, 8, "v1", 7.0)])
    changed(path, "DELETE FROM exits WHERE plate = 'v2' AND exit_time < '2023-01-03'")
    changed(path, "UPDATE exits SET toll = 9 WHERE plate = 'v3' AND exit_time < '2023-01-03'")
    flows = flows_of(path, cells, 3)
    with duckdb.connect(str(cells)) as con:
        late = con.execute(
            "SELECT vehicle, cents FROM sealed WHERE day < line ORDER BY 1"
        ).fetchall()
    assert late == [("v0", 30), ("v1", 700)]
    assert flows.sealed.changes == (2, 1, 1)
    assert "2 exits came late" in capfd.readouterr().err
    assert trucks(flows) == 26


def test_a_day_is_closed_some_hours_after_its_end(tmp_path, monkeypatch):
    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime(2023, 1, 4, 5, 59, tzinfo=UTC) + later

    path = filled(tmp_path / "exits.db", days_of("v", 5))
    monkeypatch.setattr(served, "datetime", Clock)
    flows, later = prepare_flows(TollSource(COLUMNS, str(path)), close_after=6), timedelta(0)
    flows.start()
    assert (flows.sealed.until, flows.due) == (date(2023, 1, 3), False)
    filled(path, [exit_on(1, 20, "late")])
    later = timedelta(minutes=1)
    flows.refresh()
    assert (flows.sealed.until, trucks(flows)) == (date(2023, 1, 4), 17)


def test_a_file_that_somebody_else_holds_is_refused(tmp_path, monkeypatch):
    path, cells = filled(tmp_path / "exits.db", days_of("v", 3)), tmp_path / "cells.db"
    flows_of(path, cells, 2)
    monkeypatch.setattr("kproof.serve.closed._PATIENCE", 0.1)
    code = f"import duckdb; c = duckdb.connect({str(cells)!r}); print(1, flush=True); input()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(DataError, match=r"cells: .* cannot be used: .*lock"):
            flows_of(path, cells, 3)
        process.kill()
    assert trucks(flows_of(path, cells, 3)) == 24
    with pytest.raises(DataError, match="cannot be used"):
        flows_of(path, tmp_path / "no" / "cells.db", 3)


def test_late_exits_cost_few_others_and_nobody_is_isolated():
    lost, least, flows = year(30, 300, close_after=3)
    assert lost <= 0.02
    assert least >= 5
    assert flows.sealed.changes[0] > 100
    attacker = Subtracter(
        lambda *window: flows.answer(*window), FIRST, FIRST + timedelta(29), 5, rungs=(5, 10)
    )
    attacker.run(400)
    assert attacker.isolated == []


@cases(
    (TollColumns(), "who is counted"),
    (TollColumns(vehicle="driver"), "who is counted"),
    (TollColumns(vehicle="plate", zone="Europe/London"), "time zone"),
)
def test_days_are_divided_once_whoever_is_counted(columns, name, tmp_path):
    # Most exits have no plate, so that an exit is recognised without one.
    path, cells = filled(tmp_path / "exits.db", days_of("v", 4)), tmp_path / "cells.db"
    changed(path, "UPDATE exits SET plate = NULL WHERE hash(rowid) % 3 > 0")
    changed(path, "ALTER TABLE exits ADD driver VARCHAR")
    source = TollSource(COLUMNS, str(path))
    flows = open_flows(source, str(cells), today=lambda: FIRST + timedelta(3))
    # Beside one that seals, and after it.
    for rebind in (False, True):
        for closed in (3, 4):
            with pytest.raises(DataError, match=f"divided for {name} = .*a new file"):
                open_flows(
                    TollSource(columns, str(path)),
                    str(cells),
                    today=lambda closed=closed: FIRST + timedelta(closed),
                    rebind=rebind,
                )
        flows.sealed.close()
    flows_of(path, cells, 4)


def test_cells_that_do_not_say_who_is_counted_are_refused(tmp_path):
    path, cells = filled(tmp_path / "exits.db", days_of("v", 3)), tmp_path / "cells.db"
    flows_of(path, cells, 3)
    changed(cells, "DROP TABLE terms")
    with pytest.raises(DataError, match=r"who is counted = [?], by an earlier version"):
        flows_of(path, cells, 3)


def test_two_that_start_at_once_have_the_cells_of_the_first(tmp_path):
    source = TollSource(COLUMNS, str(filled(tmp_path / "exits.db", days_of("v", 3))))
    other = TollSource(COLUMNS, str(filled(tmp_path / "other.db", days_of("w", 3))))
    first, second, third = (
        prepare_flows(one, str(tmp_path / "cells.db"), today=lambda: FIRST + timedelta(3))
        for one in (source, source, other)
    )
    assert first.sealed.leads
    with ThreadPoolExecutor() as both:
        starts = [both.submit(later.start) for later in (second, third)]
        time.sleep(0.3)
        first.start()
        starts[0].result(timeout=20)
        assert "is of another source" in error_line(DataError, starts[1].result, timeout=20)
    assert second.answer(None, None, 5) == first.answer(None, None, 5)


def test_servers_that_close_days_otherwise_share_no_file(tmp_path):
    path, cells = filled(tmp_path / "exits.db", days_of("v", 3)), str(tmp_path / "cells.db")
    source = TollSource(COLUMNS, str(path))
    open_flows(source, cells, today=lambda: FIRST + timedelta(3), close_after=48).sealed.close()
    with pytest.raises(DataError, match=r"divided for when days are closed = \W?48 hours after"):
        open_flows(source, cells, today=lambda: FIRST + timedelta(3))
    cells = str(tmp_path / "sampled.db")
    prepare_sampled(source, cells, k=5, beta="1/2", close_after=48, today=lambda: FIRST).start()
    assert "other terms" in error_line(DataError, prepare_sampled, source, cells, k=5, beta="1/2")


@pytest.mark.parametrize("path", ["", " ", ":memory:", ":memory:x"])
def test_no_file_of_cells_is_not_meant_by_an_odd_name(path, here):
    """A variable that is not set would lose the closed days, and open them again."""
    source = TollSource(COLUMNS, str(filled(here / "exits.db", days_of("v", 3))))
    assert "need the name of a file" in error_line(InvalidArgument, open_flows, source, path)
    assert [file.name for file in here.iterdir()] == ["exits.db"]


def test_nothing_is_written_to_what_is_no_file_of_cells(tmp_path):
    path = filled(tmp_path / "exits.db", days_of("v", 2))
    link, other = tmp_path / "link.db", filled(tmp_path / "other.db", days_of("w", 2))
    link.symlink_to(path)
    before = {file: (file.read_bytes(), file.stat().st_mode) for file in (path, other)}
    for cells in (path, link):
        with pytest.raises(InvalidArgument, match="a file of its own, not that of the exits"):
            flows_of(path, cells, 2)
        with pytest.raises(InvalidArgument, match="a file of its own"):
            prepare_sampled(TollSource(COLUMNS, str(path)), str(cells), k=5, beta="1/2")
    with pytest.raises(DataError, match=r"something else .table exits.; need a file of cells"):
        flows_of(path, other, 2)
    assert {file: (file.read_bytes(), file.stat().st_mode) for file in before} == before
    assert not list(tmp_path.glob("*.lock"))


def test_a_link_to_a_file_of_cells_has_its_lock(tmp_path):
    path, cells = filled(tmp_path / "exits.db", days_of("v", 5)), tmp_path / "cells.db"
    link, closed = tmp_path / "link.db", [3]
    link.symlink_to(cells)
    both = [
        open_flows(
            TollSource(COLUMNS, str(path)), str(one), today=lambda: FIRST + timedelta(closed[0])
        )
        for one in (cells, link)
    ]
    assert [one.sealed.leads for one in both] == [True, False]
    # Without locks both lead: the second takes what the first has sealed, and goes on.
    both[1].sealed._lock = both[0].sealed._lock
    for closed[0] in (4, 5):
        for one in both:
            one.refresh()
        assert [trucks(one) for one in both] == [8 * closed[0]] * 2
    both[0].sealed.close()


def test_a_clock_that_was_ahead_is_said_aloud(tmp_path, capfd):
    path, cells = filled(tmp_path / "exits.db", days_of("v", 3)), tmp_path / "cells.db"
    assert not flows_of(path, cells, 9).ahead
    assert "clock" not in capfd.readouterr().err
    assert flows_of(path, cells, 3).ahead.startswith(f"days before {FIRST + timedelta(9)} are ")
    assert "the clock says" in capfd.readouterr().err


def test_another_database_of_the_same_name_is_not_taken(tmp_path, monkeypatch):
    cells = tmp_path / "cells.db"
    for folder, name in (("a", "v"), ("b", "w")):
        (tmp_path / folder).mkdir()
        filled(tmp_path / folder / "exits.db", days_of(name, 3))
        monkeypatch.chdir(tmp_path / folder)
        if name == "v":
            flows_of(Path("exits.db"), cells, 3)
    with pytest.raises(DataError, match="of 24 sealed exits the database has 0"):
        flows_of(Path("exits.db"), cells, 3)
    # The same place, and no day is due.
    monkeypatch.chdir(tmp_path / "a")
    (tmp_path / "b" / "exits.db").replace("exits.db")
    with pytest.raises(DataError, match="of 24 sealed exits the database has 0"):
        flows_of(Path("exits.db"), cells, 3)
