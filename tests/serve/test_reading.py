"""Every row is read or counted by why it is not, and no row stops another."""

import csv
import gzip
import sqlite3
from collections import Counter
from datetime import date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from unicodedata import category

import pyarrow as pa
import pytest
from cases import cases, error_line
from dirty import Row, drawn, every_cell, expected
from jsonschema import validate
from nights import by_day

pytest.importorskip("ibis", reason="needs the extra serve")
duckdb = pytest.importorskip("duckdb", reason="needs the extra serve")

import kproof.serve.lines  # noqa: E402
from kproof.errors import DataError  # noqa: E402
from kproof.serve.flows import open_flows  # noqa: E402
from kproof.serve.lines import count_lines  # noqa: E402
from kproof.serve.reading import read_vehicles  # noqa: E402
from kproof.serve.schema import FLOW_ANSWER  # noqa: E402
from kproof.serve.source import SourceGone, TollColumns, TollSource  # noqa: E402

EPOCH, LATE = date(1970, 1, 1), date(2030, 1, 1)
GOOD = [(f"v{hour}", "G5", f"2023-01-02 0{hour}:00:00", 1.0) for hour in range(8)]


def texts(rows: list[Row]) -> list[tuple[str | None, ...]]:
    return [tuple(text for text, _ in row) for row in rows]


def add(path: Path, rows: list[Any], kinds: str = "VARCHAR, VARCHAR, VARCHAR") -> None:
    with duckdb.connect(str(path)) as con:
        section, time, toll = kinds.split(", ")
        con.execute(
            "CREATE TABLE IF NOT EXISTS exits "
            f"(section_id {section}, exit_time {time}, toll {toll})"
        )
        if rows:
            con.executemany("INSERT INTO exits VALUES (?, ?, ?)", rows)


def require_all(source: TollSource, rows: list[Row], broken: int = 0) -> None:
    """Hold what is read against what a person reads, to the row and to the hundredth."""
    exits, unread, cents = expected(rows)
    read, reasons = source.exits_before(LATE)
    if broken:
        assert reasons.pop("broken line of the file") == broken
    assert reasons == unread
    counted: Counter[object] = Counter()
    for row in read.to_pylist():
        counted[row["section"], EPOCH + timedelta(row["day"]), row["hour"]] += row["count"]
    assert counted == exits
    assert sum(read["cents"].to_pylist()) == cents
    assert sum(counted.values()) + sum(reasons.values()) == len(rows)


def test_every_form_is_read_or_named(tmp_path):
    rows = list(every_cell())
    add(tmp_path / "exits.db", texts(rows))
    require_all(TollSource(TollColumns(), str(tmp_path / "exits.db")), rows)


@pytest.mark.parametrize("first", range(0, by_day(25, at_night=10_000), 25))
def test_random_tables_reconcile_to_the_row(tmp_path, first):
    for seed in range(first, first + 25):
        rows = drawn(seed, 1 + seed * 7 % 175)
        add(tmp_path / f"{seed}.db", texts(rows))
        require_all(TollSource(TollColumns(), str(tmp_path / f"{seed}.db")), rows)


def test_lines_that_are_no_rows_are_counted(tmp_path):
    # An empty text and a missing one are the same in a CSV file.
    rows = [row for row in drawn(4, 300) if row[0][0] != ""]
    path = tmp_path / "exits.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file, lineterminator="\n")
        write.writerow(TollColumns().all)
        for number, row in enumerate(texts(rows)):
            write.writerow(row)
            if number % 100 == 50:
                file.write("G5,2023-01-02 08:00:00,1,more\nG5\n")
    require_all(
        TollSource(TollColumns(), csv=str(path)), rows, broken=2 * ((len(rows) + 49) // 100)
    )


def test_a_poisoned_row_stops_no_day(tmp_path):
    """Numbers and times that no calendar has, each alone in a table, at the start and later."""
    bad: list[tuple[Any, ...]] = [
        ("G5", "2023-01-02 08:00:00", float("nan")),
        ("G5", "2023-01-02 08:00:00", float("inf")),
        ("G5", "2023-01-02 08:00:00", 1e300),
        ("G5", "2023-01-02 08:00:00", -1e300),
        ("G5", "infinity", 1.0),
        ("G5", "-infinity", 1.0),
        ("G5", "290000-01-01 (BC) 00:00:00", 1.0),
        ("G5", None, None),
        ("x" * 300, "2023-01-02 08:00:00", 1.0),
    ]
    good = [row[1:] for row in GOOD]
    for number, row in enumerate(bad):
        path = tmp_path / f"{number}.db"
        add(path, [*good, row], "VARCHAR, TIMESTAMP, DOUBLE")
        today = [date(2023, 1, 3)]
        flows = open_flows(TollSource(TollColumns(), str(path)), today=lambda day=today: day[0])
        assert sum(flows.unread.values()) == 1
        assert flows.answer(None, None, 5)["data"][0]["truck_count"] == 8
        later = datetime(2023, 1, 3, 8)
        add(path, [row, *[("G5", later.isoformat(), 1.0)] * 6], "VARCHAR, TIMESTAMP, DOUBLE")
        today[0] += timedelta(1)
        flows.refresh()
        assert sum(flows.unread.values()) == 2
        assert sum(line["truck_count"] for line in flows.answer(None, None, 5)["data"]) == 14


def test_what_is_not_read_is_said(tmp_path, capfd):
    """In the answer, the state and the line for the operator, also after a restart."""
    path, cells = tmp_path / "exits.db", str(tmp_path / "cells.db")
    good = [row[1:] for row in GOOD]
    add(path, [*good, *[("G5", "soon", "1")] * 7, *[("G5", good[0][1], "dear")] * 2])
    today = [date(2023, 1, 3)]
    unread = {"time in no known form": 7, "toll in no known form": 2}
    for _ in range(2):
        source = TollSource(TollColumns(), str(path))
        flows = open_flows(source, cells, today=lambda: today[0])
        assert flows.unread == unread
        assert flows.remark == (
            "; 9 rows are not read (time in no known form: 7; toll in no known form: 2)"
        )
        answer = flows.answer(None, None, 5)
        validate(answer, FLOW_ANSWER)
        about = answer["privacy_protection"]["statistics"]
        # Two rows are fewer than k: to show them would be to count two people.
        assert about["unread_records"] == flows.state["unread"] == {"time in no known form": 7}
        assert (about["total_records"], about["suppressed_records"]) == (15, 7)
        assert about["retention_rate"] == 53.33
        flows.sealed.close()
    flows = open_flows(source, cells, today=lambda: today[0])
    shown = [dict(flows.state["unread"])]
    for night in range(6):
        add(path, [("G5", "soon", "1")] * (night % 3))
        today[0] += timedelta(1)
        flows.refresh()
        shown.append(dict(flows.state["unread"]))
    numbers = [one["time in no known form"] for one in shown]
    assert all(after == before or after - before >= 5 for before, after in pairwise(numbers))
    assert numbers == [7, 7, 7, 7, 7, 7, 13]
    assert "kproof: 15 rows are not read (time in no known form: 13" in capfd.readouterr().err


@cases(
    (("G5", "03/04/2023 08:15", "1"), "have a time with the day or month first"),
    (("G5", "1672647311", "1"), "have a time as seconds since 1970"),
    (("G5", "2023-01-02", "13,75"), "have a toll with a decimal comma"),
    (("G5", "soon", "1"), None),
)
def test_a_form_that_is_not_read_is_refused_by_name(cells, says, tmp_path):
    good = [row[1:] for row in GOOD] * 100
    for bad in (2, 40):
        path = tmp_path / f"{bad}.db"
        add(path, [*good, *[cells] * bad])
        if bad == 2 or says is None:
            assert sum(open_flows(TollSource(TollColumns(), str(path))).unread.values()) == bad
        else:
            with pytest.raises(DataError, match=f"40 of 840 rows {says}") as error:
                open_flows(TollSource(TollColumns(), str(path)))
            assert not {"03/04", "1672647311", "13,75"} & {*str(error.value).split()}
    add(tmp_path / "none.db", [("G5", "soon", "dear")] * 10)
    with pytest.raises(DataError, match=r"10 rows are not read .*, and there are no others"):
        open_flows(TollSource(TollColumns(), str(tmp_path / "none.db")))


def test_a_column_of_something_else_is_refused(tmp_path):
    for number, (kinds, value, says) in enumerate(
        [
            ("VARCHAR, BIGINT, DOUBLE", ("G5", 1672647300, 1.0), "exit_time holds int64"),
            ("VARCHAR, TIME, DOUBLE", ("G5", "08:00:00", 1.0), "exit_time holds time"),
            ("VARCHAR, TIMESTAMP, BOOLEAN", ("G5", "2023-01-02", True), "toll holds boolean"),
        ]
    ):
        add(tmp_path / f"{number}.db", [value], kinds)
        with pytest.raises(DataError, match=f"column {says}: need"):
            open_flows(TollSource(TollColumns(), str(tmp_path / f"{number}.db")))


@cases(
    ("DATE", ("294300-01-01", "infinity", "0044-03-15 (BC)", "9999-12-31", "1899-12-31")),
    ("TIMESTAMPTZ", ("294247-01-10 04:00:54+00", "infinity", "-infinity", "10000-01-01")),
    ("TIMESTAMP_S", ("290000-01-10 04:00:54", "infinity")),
    ("TIMESTAMP_NS", ("infinity", "1700-01-01")),
)
def test_no_time_stops_the_other_rows(kind, far, tmp_path):
    path = tmp_path / "exits.db"
    add(path, [("G5", "2023-01-02", 1.0), ("G5", None, 1.0)], f"VARCHAR, {kind}, DOUBLE")
    add(path, [("G5", text, 1.0) for text in far])
    exits, unread = TollSource(TollColumns(zone="Asia/Shanghai"), str(path)).exits_before(LATE)
    assert sum(exits["count"].to_pylist()) == 1
    assert unread == {"no time": 1, "time outside 1900 to 9999": len(far)}


def plates(path: Path, *names: str | None) -> TollSource:
    with duckdb.connect(str(path)) as con:
        con.execute(
            "CREATE TABLE exits (section_id VARCHAR, toll DOUBLE, plate VARCHAR, exit_time VARCHAR)"
        )
        con.executemany(
            "INSERT INTO exits VALUES ('G5', 1, ?, '2023-01-02 08:00')", [[one] for one in names]
        )
    return TollSource(TollColumns(vehicle="plate"), str(path))


def test_a_plate_is_one_vehicle_however_it_is_spelled(tmp_path):
    one = [
        "京P1",
        "京P1 ",
        " 京P1",
        "京P1\t",
        "京p1",
        "京Ｐ１",
        "京 P1",
        "京P\u200b1",
        "\ufeff京P1",
    ]
    one += [f"京P1{blank}" for blank in "\u00a0\u3000\u2003\u00ad\u2060\ufe0f\u3164"]
    nobody = ["", " - ", "N/A", "unknown", "NULL", "?", "\u00a0", "\u200b", "－", None]
    source = plates(tmp_path / "exits.db", *one, "京P2", *nobody)
    exits, unread = source.exits_before(LATE)
    found = dict(zip(exits["vehicle"].to_pylist(), exits["count"].to_pylist(), strict=True))
    assert (found, unread) == ({"京p1": len(one), "京p2": 1, None: len(nobody)}, {})
    assert source.first_exits(None, LATE) == [(19359, "G5")] * 2
    assert set(source.window(EPOCH, LATE, 99)["vehicle"].dropna()) == {"京p1", "京p2"}


def test_what_is_not_seen_makes_no_second_vehicle():
    unseen = [
        sign
        for sign in map(chr, range(0x110000))
        if category(sign) in ("Zs", "Zl", "Zp", "Cc", "Cf")
    ]
    spelled = pa.array([f"{sign}A{sign}1{sign}" for sign in unseen] + unseen)
    assert read_vehicles(spelled).to_pylist() == ["a1"] * len(unseen) + [None] * len(unseen)


HEAD = "section_id,exit_time,toll,plate"
LINES = [f"G5,2023-01-02 08:{number % 60:02d}:00,12.5,P{number}" for number in range(100)]
DAMAGED = {
    "open": {50: '"AB'},
    "open twice": {20: '"AB', 80: '"AB'},
    "closed far below": {20: '"AB', 80: 'AB"'},
    "closed early": {50: '"A"B'},
    "a backslash": {50: '"A\\"B"'},
    "a long cell": {50: "x" * 3_000_000},
    "too many cells": {50: "P,Q"},
    "two lines in a cell": {50: '"A\nB"'},
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_no_line_of_a_file_is_lost_unsaid(damage, tmp_path):
    """A row is read, or its lines are counted; the others are served."""
    cells = DAMAGED[damage]
    texts = [
        line if number not in cells else f"G5,2023-01-02 08:00:00,12.5,{cells[number]}"
        for number, line in enumerate(LINES)
    ]
    path = tmp_path / "exits.csv"
    path.write_text("\n".join([HEAD, *texts]), encoding="utf-8")
    source = TollSource(TollColumns(vehicle="plate"), csv=str(path))
    source.check()
    exits, unread = source.exits_before(LATE)
    lost = sum(unread.values())
    assert set(unread) == {"broken line of the file"}
    assert sum(exits["count"].to_pylist()) + lost == len("\n".join(texts).splitlines())
    if lost > 9:
        says = f"{lost} of 100 rows have a broken line of the file: need as many cells"
        for read in (lambda: open_flows(source), lambda: source.first_exits(None, LATE)):
            with pytest.raises(DataError, match=says):
                read()


@pytest.mark.parametrize(("usual", "other"), [("\n", "\r\n"), ("\r\n", "\n"), ("\n", "\r")])
def test_lines_that_end_in_two_ways_are_refused(usual, other, tmp_path):
    path = tmp_path / "exits.csv"
    source = TollSource(TollColumns(), csv=str(path))
    path.write_bytes((HEAD + usual + usual.join(LINES)).encode())
    assert sum(source.exits_before(LATE)[0]["count"].to_pylist()) == 100
    text = HEAD + usual + usual.join(LINES[:50]) + other + usual.join(LINES[50:])
    path.write_bytes(text.encode())
    assert "its lines end with CR" in error_line(DataError, open_flows, source)


@cases("", "\n", "a", "a\n", "a\nb", "a\n\n\nb\n", "\r\na\r\n", "a\rb\r", "aaaa\r\n\r\nb")
def test_lines_are_counted_whatever_the_block(text, tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(text.encode())
    with gzip.open(tmp_path / "a.gz", "wb") as file:
        file.write(text.encode())
    for size in range(1, 8):
        monkeypatch.setattr(kproof.serve.lines, "_BLOCK", size)
        for name in ("a", "a.gz"):
            assert count_lines(str(tmp_path / name)) == len(text.split())


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_the_first_line_says_how_cells_are_divided(sign, tmp_path):
    path = tmp_path / "exits.csv.gz"
    columns = sign.join(["Plate", "", "plate", " toll ", "Plate", "section_id", "exit_time"])
    with gzip.open(path, "wb") as file:
        file.write(b"\xef\xbb\xbf" + columns.encode() + b"\n")
        for row in range(9):
            cells = ["a", "", f"P{row}", '"1.5"', "b", "G5", "2023-01-02 08:15"]
            file.write(sign.join(cells).encode() + b"\n")
    source = TollSource(TollColumns(vehicle="plate"), csv=str(path))
    assert len(source.exits_before(LATE)[0]) == 9
    path.write_bytes(path.read_bytes()[:-20])
    assert "cannot be read" in error_line(SourceGone, source.exits_before, LATE)


def test_a_name_of_a_file_is_no_pattern(tmp_path):
    for name, rows in (("exits[1].csv", 8), ("exits1.csv", 9)):
        (tmp_path / name).write_text("\n".join([HEAD, *LINES[:rows]]), encoding="utf-8")
    source = TollSource(TollColumns(), csv=str(tmp_path / "exits[1].csv"))
    assert sum(source.exits_before(LATE)[0]["count"].to_pylist()) == 8


@pytest.mark.filterwarnings("ignore:.*infer_string.* option is deprecated")
@pytest.mark.parametrize("address", ["duckdb://{}", "sqlite://{}", "{}"])
def test_no_database_is_made(address, tmp_path):
    path = tmp_path / "none.db"
    with pytest.raises(SourceGone, match="cannot be read"):
        TollSource(TollColumns(), address.format(path)).check()
    assert not list(tmp_path.iterdir())
    if address.startswith("sqlite"):
        con = sqlite3.connect(path)
        con.execute("CREATE TABLE exits (section_id TEXT, exit_time TEXT, toll REAL)")
        con.execute("INSERT INTO exits VALUES ('G5', '2023-01-02 08:15', 1.5)")
        con.commit()
        con.close()
    else:
        add(path, [("G5", "2023-01-02 08:15", 1.5)])
    assert TollSource(TollColumns(), address.format(path)).exits_before(LATE)[1] == {}


def test_decimals_of_many_digits_are_read(tmp_path):
    add(tmp_path / "a.db", [("G5", "2023-01-02", 1)] * 9, "VARCHAR, DATE, DECIMAL(38,30)")
    (row,) = TollSource(TollColumns(), str(tmp_path / "a.db")).exits_before(LATE)[0].to_pylist()
    assert (row["count"], row["cents"]) == (9, 900)
