"""Answers about a database: divided once, kept, checked, and no SQL but our own."""

import asyncio
import csv
import io
import json
import os
import signal
import sys
import textwrap
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from apart import python
from cases import cases, error_line

from kproof.datasets.exits import exit_transactions
from kproof.errors import DataError, InvalidArgument
from kproof.outputs import remove_scratch

pytest.importorskip("ibis", reason="needs the extra serve")
duckdb = pytest.importorskip("duckdb", reason="needs the extra serve")

import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

from kproof.serve import flows as served  # noqa: E402
from kproof.serve.closed import NotSealed  # noqa: E402
from kproof.serve.flows import ServedAlgorithm, Withheld, open_flows  # noqa: E402
from kproof.serve.posted import Answered, NoRoom, Workers  # noqa: E402
from kproof.serve.source import SourceGone, TollColumns, TollSource  # noqa: E402
from kproof.serve.terms import terms_of  # noqa: E402

START = date(2023, 1, 2)
ROWS = 300
DAYS = 20


def database(path: Path, rows: int = ROWS) -> Path:
    made = exit_transactions(rows, seed=3, days=DAYS)
    con = duckdb.connect(str(path))
    con.execute(
        "CREATE TABLE exits (plate VARCHAR, section_id VARCHAR, exit_time TIMESTAMP, toll DOUBLE)"
    )
    con.register("made", pa.table(dict(made)))
    con.execute("INSERT INTO exits SELECT plate, section_id, exit_time::TIMESTAMP, toll FROM made")
    con.close()
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return database(tmp_path_factory.mktemp("flows") / "exits.db")


def records(answer: Any) -> int:
    return sum(line["truck_count"] for line in answer["data"])


def statistics(answer: Any) -> Any:
    return answer["privacy_protection"]["statistics"]


def test_the_answer_is_of_the_form_of_the_document(made):
    answer = open_flows(TollSource(TollColumns(), str(made))).answer(START, None, 5)
    assert list(answer) == ["success", "data", "count", "category", "privacy_protection"]
    assert list(answer["data"][0]) == [
        "section_region",
        "time_period",
        "truck_count",
        "avg_toll",
        "k_anonymized",
        "algorithm",
    ]
    assert all(line["truck_count"] >= 5 for line in answer["data"])
    about = statistics(answer)
    assert about["total_records"] == records(answer) + about["suppressed_records"]
    # Fewer than k may stand at the end of the line, in no cell yet.
    assert ROWS - 5 < about["total_records"] <= ROWS


def test_a_window_that_cuts_a_cell_says_so(made):
    flows = open_flows(TollSource(TollColumns(), str(made)))
    answers = [flows.answer(START + timedelta(one), START + timedelta(one), 20) for one in range(9)]
    assert any(statistics(one)["suppressed_records"] for one in answers)
    for one in answers:
        cut = statistics(one)["suppressed_records"]
        assert cut == 0 or cut >= 20
        assert ("略去" in one["privacy_protection"]["clustering"]["description"]) == bool(cut)


def test_csv_and_duckdb_give_the_same_answer(made, tmp_path):
    columns = exit_transactions(ROWS, seed=3, days=DAYS)
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n")
    write.writerow(columns)
    write.writerows(zip(*columns.values(), strict=True))
    out.write("x,,2023-01-02 10:00:00,5\nx,G5,yesterday,5\nx,G5,2023-01-02 10:00:00,dear\n")
    path = tmp_path / "exits.csv"
    path.write_text(out.getvalue(), encoding="utf-8")
    kind = TollColumns(vehicle="plate")
    from_csv = open_flows(TollSource(kind, csv=str(path)))
    assert sum(from_csv.unread.values()) == 3
    assert from_csv.answer(None, None, 5) == open_flows(TollSource(kind, str(made))).answer(
        None, None, 5
    )


def test_late_records_stand_on_the_line_of_the_next_day(made, tmp_path):
    copy, cells = database(tmp_path / "exits.db"), str(tmp_path / "cells.db")
    half = START + timedelta(DAYS // 2)
    today = [half]
    flows = open_flows(TollSource(TollColumns(), str(copy)), cells, today=lambda: today[0])
    before = [flows.answer(START, half - timedelta(1), k) for k in (5, 10, 20)]
    flows.sealed.close()
    con = duckdb.connect(str(copy))
    con.execute("INSERT INTO exits VALUES ('x', 'G5610', '2023-01-03 04:00:00', 10.5)")
    con.close()
    # Neither a new start nor a later day changes what was answered, but for cells that reach on.
    again = open_flows(TollSource(TollColumns(), str(copy)), cells, today=lambda: today[0])
    assert [again.answer(START, half - timedelta(1), k) for k in (5, 10, 20)] == before
    today[0] = START + timedelta(DAYS)
    again.refresh()
    for k, old in zip((5, 10, 20), before, strict=True):
        assert again.answer(START, half - timedelta(1), k)["data"] == old["data"]
    held = again.sealed.records(people=False)
    assert held.line is not None
    (late,) = (held.day < held.line).nonzero()[0].tolist()
    assert held.line[late] == (half - date(1970, 1, 1)).days
    assert int(held.count.sum()) == ROWS + 1
    assert again.sealed.changes == (1, 0, 0)
    again.sealed.close()


def test_a_seal_that_is_killed_leaves_no_day_half_sealed(made, tmp_path):
    cells = str(tmp_path / "cells.db")
    first = open_flows(
        TollSource(TollColumns(), str(made)), cells, today=lambda: START + timedelta(5)
    )
    before = first.answer(START, START + timedelta(4), 5)
    first.sealed.close()
    found, _ = first.source.exits_before(date(2023, 2, 1))
    pq.write_table(found, tmp_path / "found.parquet")
    terms = terms_of(TollColumns(), 0)
    code = f"""
        import os, signal
        from datetime import date
        from pyarrow.parquet import read_table
        from kproof.serve.sealed import SealedExits
        cells = SealedExits({cells!r}, {first.sealed.source!r}, {first.rungs!r}, {terms!r})
        # Killed between what is written of the days and that they are sealed.
        connect = cells._connect
        class Killing:
            def __init__(self, store):
                self.store = store
            def __getattr__(self, name):
                return getattr(self.store, name)
            def execute(self, text, *more):
                if text.startswith("DELETE FROM sealing"):
                    print("written", flush=True)
                    os.kill(os.getpid(), signal.SIGKILL)
                return self.store.execute(text, *more)
        cells._connect = lambda **how: Killing(connect(**how))
        cells.seal(read_table({str(tmp_path / "found.parquet")!r}), date(2023, 2, 1))
    """
    done = python("-c", textwrap.dedent(code))
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "written\n"), done.stderr
    again = open_flows(
        TollSource(TollColumns(), str(made)), cells, today=lambda: START + timedelta(5)
    )
    assert again.answer(START, START + timedelta(4), 5) == before


def test_cells_answer_while_the_database_is_gone(tmp_path):
    path = database(tmp_path / "exits.db")
    today = [START + timedelta(9)]
    flows = open_flows(TollSource(TollColumns(), str(path)), printed=True, today=lambda: today[0])
    before = flows.answer(None, None, 5)
    os.rename(path, tmp_path / "away.db")
    today[0] += timedelta(3)
    assert "cannot be read" in error_line(SourceGone, flows.refresh)
    assert flows.answer(None, None, 5) == before
    with pytest.raises(SourceGone):
        flows.answer(None, None, 5, ServedAlgorithm.PRINTED)
    os.rename(tmp_path / "away.db", path)
    flows.refresh()
    assert records(flows.answer(None, None, 5)) > records(before)


@contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond so many bytes, as on a disk that is full."""
    limits = pytest.importorskip("resource", reason="needs limits of POSIX")
    soft, hard = limits.getrlimit(limits.RLIMIT_FSIZE)
    limits.setrlimit(limits.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        limits.setrlimit(limits.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_seals_no_day(made, tmp_path):
    today = [START + timedelta(9)]
    cells = str(tmp_path / "cells.db")
    flows = open_flows(TollSource(TollColumns(), str(made)), cells, today=lambda: today[0])
    before = flows.answer(None, None, 5)
    today[0] += timedelta(3)
    with no_file_beyond(1024), pytest.raises(NotSealed, match="Could not write file"):
        flows.refresh()
    assert flows.answer(None, None, 5) == before
    # What the file has is whole for whoever opens it next, and there is room again.
    flows.sealed.close()
    again = open_flows(
        TollSource(TollColumns(), str(made)), cells, today=lambda: START + timedelta(9)
    )
    assert again.answer(None, None, 5) == before
    again.today = lambda: today[0]
    with no_file_beyond(1024), pytest.raises(NotSealed):
        again.refresh()
    again.refresh()
    assert records(again.answer(None, None, 5)) > records(before)


def test_a_file_that_finds_no_room_is_refused():
    async def part() -> AsyncIterator[bytes]:
        yield b"Age\n" * 1000

    async def send() -> None:
        await Workers(10_000, 5.0, asyncio.Semaphore(1)).run(["check", "FILE"], {}, part())

    with no_file_beyond(1024), pytest.raises(NoRoom):
        asyncio.run(send())


def test_only_folders_of_kproof_are_removed(tmp_path):
    for name in ("kproof-1", "other"):
        (tmp_path / name).mkdir()
    remove_scratch(tmp_path / "kproof-1")
    assert "no temporary folder" in error_line(DataError, remove_scratch, tmp_path / "other")
    assert [one.name for one in tmp_path.iterdir()] == ["other"]


def test_hours_are_those_of_the_declared_zone(tmp_path):
    """A moment is in the zone's hour and day; a day is over when it is over there."""
    path = str(tmp_path / "zoned.db")
    con = duckdb.connect(path)
    con.execute("CREATE TABLE exits (section_id VARCHAR, exit_time TIMESTAMPTZ, toll DOUBLE)")
    con.executemany("INSERT INTO exits VALUES ('G56', ?, 1)", [["2023-07-01 16:30:00+00"]] * 5)
    con.close()
    for zone, day, hour in [
        ("UTC", date(2023, 7, 1), 16),
        ("Asia/Shanghai", date(2023, 7, 2), 0),
        ("America/New_York", date(2023, 7, 1), 12),
    ]:
        answer = open_flows(TollSource(TollColumns(zone=zone), path)).answer(day, day, 5)
        (line,) = answer["data"]
        assert line["time_period"] == f"时段({hour:02d}-{hour + 1:02d})"
    with pytest.raises(InvalidArgument, match=r"time_zone = .*DROP.*: need a name"):
        open_flows(TollSource(TollColumns(zone="'; DROP"), path))
    late = datetime(2023, 7, 1, 20, tzinfo=UTC)
    assert served.day_in("Asia/Shanghai", late) == date(2023, 7, 2)


def test_the_checker_withholds_what_is_too_small(made, monkeypatch):
    """A fault of the cells does not leave the house."""
    flows = open_flows(TollSource(TollColumns(), str(made)))
    honest = served.FixedCells.answer

    def faulty(self: Any, start: int, stop: int, k: int) -> Any:
        return replace(honest(self, start, stop, 5), k=k)

    monkeypatch.setattr(served.FixedCells, "answer", faulty)
    flows.answer(None, None, 5)
    assert "fails" in error_line(Withheld, flows.answer, None, None, 50)

    def wrong(self: Any, start: int, stop: int, k: int) -> Any:
        found = honest(self, start, stop, k)
        return replace(found, lines=found.lines[1:])

    monkeypatch.setattr(served.FixedCells, "answer", wrong)
    assert "do not add up" in error_line(Withheld, flows.answer, None, None, 5)


@cases(
    (TollColumns(table="exit; DROP TABLE exits"), "no table 'exit; DROP TABLE exits'"),
    (TollColumns(toll='toll" FROM exits --'), "no column 'toll\" FROM exits --'"),
)
def test_names_are_looked_up_not_pasted(columns, told, made):
    assert told in error_line(DataError, open_flows, TollSource(columns, str(made)))


def test_what_is_out_of_range_is_named(made, tmp_path):
    flows = open_flows(TollSource(TollColumns(), str(made)))
    with pytest.raises(InvalidArgument, match="k = 4: need a whole number 5 <= k <= 1000"):
        flows.answer(None, None, 4)
    for algorithm in ServedAlgorithm:
        with pytest.raises(InvalidArgument, match="k = 400: need one of 5, 10, 20, 50, 100, 200, "):
            flows.answer(None, None, 400, algorithm)
    with pytest.raises(InvalidArgument, match="start_date = 2023-01-09: need a day up to"):
        flows.answer(date(2023, 1, 9), date(2023, 1, 8), 5)
    with pytest.raises(InvalidArgument, match="algorithm = printed: need cells"):
        flows.answer(None, None, 5, ServedAlgorithm.PRINTED)
    with pytest.raises(SourceGone, match="cannot be read"):
        open_flows(TollSource(TollColumns(), str(tmp_path / "none.db")))
    (tmp_path / "not.db").write_text("not a database", encoding="utf-8")
    with pytest.raises(DataError, match="cannot be used"):
        open_flows(TollSource(TollColumns(), str(made)), str(tmp_path / "not.db"))


def test_an_agent_is_told_the_same(made):
    pytest.importorskip("mcp", reason="needs the extra serve")
    import anyio
    from jsonschema import validate
    from mcp import Client

    from kproof.serve.agents import TOOL, agent_server
    from kproof.serve.schema import FLOW_ANSWER, FLOW_EXAMPLE

    today = [START + timedelta(9)]
    flows = open_flows(TollSource(TollColumns(), str(made)), today=lambda: today[0])
    validate(FLOW_EXAMPLE, FLOW_ANSWER)

    async def ask() -> tuple[Any, Any, Any]:
        async with Client(agent_server(flows)) as client:
            listed = await client.list_tools()
            arguments = {"start_date": "2023-01-03", "end_date": "2023-01-09", "k": 10}
            good = await client.call_tool(TOOL, arguments)
            bad = await client.call_tool(TOOL, {"k": 2})
            before = await client.call_tool(TOOL, {})
            today[0] += timedelta(3)
            later.append((before, await client.call_tool(TOOL, {})))
            return listed.tools, good, bad

    later: list[tuple[Any, Any]] = []
    (tool,), good, bad = anyio.run(ask)
    assert (tool.name, tool.output_schema) == (TOOL, FLOW_ANSWER)
    answer = flows.answer(date(2023, 1, 3), date(2023, 1, 9), 10)
    assert good.structured_content == answer
    assert json.loads(good.content[0].text) == answer
    validate(answer, FLOW_ANSWER)
    ((before, after),) = later
    # The days that were closed in the meantime, as over HTTP.
    assert after.structured_content == flows.answer(None, None, flows.rungs[0])
    assert after.structured_content != before.structured_content
    assert bad.is_error
    assert "k = 2: need a whole number" in bad.content[0].text


def test_a_worker_has_the_modules_of_the_server(tmp_path, monkeypatch):
    workers = Workers(10_000, 60.0, asyncio.Semaphore(1))

    def run() -> Answered:
        return asyncio.run(workers.run(["exact", "binomial", "--json"], {"n": "3", "p": "1/2"}))

    assert run().status in (2, 0)
    # A package before it in the server's own path is the one of its workers.
    (tmp_path / "kproof").mkdir()
    (tmp_path / "kproof" / "__init__.py").write_text("import nowhere", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    failed = run()
    assert failed.status == 1
    assert not failed.answers
    assert failed.fault == "status 1, ModuleNotFoundError: No module named 'nowhere'"
    assert Answered(1, "", "ValueError: Alice has flu", {}).fault == "status 1, ValueError"
