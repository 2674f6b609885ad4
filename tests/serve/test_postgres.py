"""The same answers from PostgreSQL, which goes away and comes back."""

import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from cases import error_line

for _name in ("ibis", "duckdb", "psycopg"):
    pytest.importorskip(_name, reason="needs the extra serve and psycopg")

import psycopg  # noqa: E402
import pyarrow as pa  # noqa: E402
from dirty import every_cell, expected  # noqa: E402

from kproof import check  # noqa: E402
from kproof.datasets.exits import exit_transactions  # noqa: E402
from kproof.errors import DataError  # noqa: E402
from kproof.models.privacy import DistinctL, KAnonymity, TCloseness, ThetaSensitivity  # noqa: E402
from kproof.serve.flows import ServedAlgorithm, open_flows  # noqa: E402
from kproof.serve.source import SourceGone, TollColumns, TollSource  # noqa: E402

FOUND = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
BIN = FOUND[-1].parent if FOUND else None

Server = tuple[str, Callable[..., None]]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if BIN is None:
        pytest.skip("PostgreSQL of Debian is not installed")
    # It does not run as root, and its user has to reach the folder.
    user = "postgres" if os.getuid() == 0 else None
    folder = Path("/tmp") / f"kproof-pg-{os.getpid()}"
    folder.mkdir()
    if user is not None:
        shutil.chown(folder, user)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
    options += " -c fsync=off"

    def run(name: str, *words: str) -> None:
        command = [str(BIN / name), "-D", str(folder / "data"), *words]
        with (folder.parent / f"{folder.name}.log").open("w", encoding="utf-8") as log:
            subprocess.run(command, check=True, stdout=log, stderr=log, user=user, cwd="/")

    def control(word: str) -> None:
        more = ("-o", options) if word == "start" else ("-m", "immediate")
        run("pg_ctl", *more, "-w", word)

    run("initdb", "-A", "trust", "-U", "postgres", "--no-sync")
    control("start")
    try:
        yield f"postgres://postgres@127.0.0.1:{port}/postgres", control
    finally:
        control("stop")
        shutil.rmtree(folder)
        (folder.parent / f"{folder.name}.log").unlink()


def test_answers_are_those_of_duckdb(server, tmp_path):
    import duckdb

    url, control = server
    made = exit_transactions(300, seed=3, days=20)
    with psycopg.connect(url) as con:
        con.execute(
            "CREATE TABLE exits"
            " (plate text, section_id text, exit_time timestamp, toll numeric(9, 2))"
        )
        rows = list(zip(*made.values(), strict=True))
        con.cursor().executemany("INSERT INTO exits VALUES (%s, %s, %s, %s)", rows)
    file = str(tmp_path / "exits.db")
    other = duckdb.connect(file)
    other.register("made", pa.table(dict(made)))
    other.execute("CREATE TABLE exits AS SELECT * FROM made")
    other.close()

    columns = TollColumns(vehicle="plate")
    flows = open_flows(TollSource(columns, url), printed=True)
    answer = flows.answer(None, None, 5)
    assert answer == open_flows(TollSource(columns, file)).answer(None, None, 5)
    window = date(2023, 1, 3), date(2023, 1, 8), 5, ServedAlgorithm.PRINTED
    printed = flows.answer(*window)

    control("stop")
    assert "cannot be read" in error_line(SourceGone, flows.answer, *window)
    assert flows.answer(None, None, 5) == answer
    control("start")
    assert flows.answer(*window) == printed


def test_hours_are_those_of_the_declared_zone(server):
    """Whatever the zone of the database is and of who wrote the records."""
    url, _ = server
    with psycopg.connect(url) as con:
        con.execute("CREATE TABLE zoned (section_id text, exit_time timestamptz, toll numeric)")
        for moment in ("2023-07-01 16:30+00", "2023-07-01 12:40-04", "2023-07-02 00:59+08"):
            con.execute("INSERT INTO zoned VALUES ('G56', %s, 1.5)", [moment])
        con.execute("ALTER DATABASE postgres SET TimeZone = 'Asia/Tokyo'")
    for zone, day, hour in [
        ("UTC", date(2023, 7, 1), 16),
        ("Asia/Shanghai", date(2023, 7, 2), 0),
        ("America/New_York", date(2023, 7, 1), 12),
    ]:
        columns = TollColumns("zoned", zone=zone)
        flows = open_flows(TollSource(columns, url), least=3, printed=True)
        (line,) = flows.answer(day, day, 3)["data"]
        assert (line["time_period"], line["truck_count"]) == (f"时段({hour:02d}-{hour + 1:02d})", 3)
        assert flows.source.window(day, day, 5)["moment"].dt.hour.tolist() == [hour] * 3


def test_sampled_days_are_read_alike(server, tmp_path):
    import duckdb

    url, _ = server
    made = exit_transactions(300, seed=4, days=5)
    rows = list(zip(*made.values(), strict=True))
    file = str(tmp_path / "exits.db")
    with psycopg.connect(url) as con, duckdb.connect(file) as other:
        con.execute(
            "CREATE TABLE trips (plate text, section_id text, exit_time timestamp, toll numeric)"
        )
        con.cursor().executemany("INSERT INTO trips VALUES (%s, %s, %s, %s)", rows)
        con.execute("INSERT INTO trips VALUES (NULL, 'A', '2023-01-02', 1), ('x', 'A', NULL, 1)")
        con.execute("INSERT INTO trips VALUES ('x', 'A', '-infinity', 'infinity')")
        con.execute(
            "CREATE TABLE texts AS SELECT plate, section_id, exit_time::text, toll FROM trips"
        )
        other.register("made", pa.table(dict(made)))
        other.execute("CREATE TABLE trips AS SELECT * FROM made")
    columns, days = TollColumns("trips", vehicle="plate"), (date(2023, 1, 3), date(2023, 1, 6))
    for start in (None, days[0]):
        here, there = (
            TollSource(columns, place).first_exits(start, days[1]) for place in (file, url)
        )
        assert sorted(here) == sorted(there)
        assert len(here) > 50
    # A text that is no time keeps no other from being read.
    texts = TollSource(TollColumns("texts", vehicle="plate"), url)
    assert sorted(texts.first_exits(days[0], days[1])) == sorted(there)


def test_every_form_is_read_or_named_as_in_duckdb(server):
    url, _ = server
    rows = list(every_cell())
    with psycopg.connect(url) as con:
        con.execute("CREATE TABLE dirty (section_id text, exit_time text, toll text)")
        insert = "INSERT INTO dirty VALUES (%s, %s, %s)"
        con.cursor().executemany(insert, [[text for text, _ in row] for row in rows])
    exits, unread, cents = expected(rows)
    read, reasons = TollSource(TollColumns("dirty"), url).exits_before(date(2030, 1, 1))
    assert reasons == unread
    assert sum(read["cents"].to_pylist()) == cents
    assert sum(read["count"].to_pylist()) == sum(exits.values())


def test_a_poisoned_row_stops_no_day(server):
    url, _ = server
    with psycopg.connect(url) as con:
        con.execute("CREATE TABLE poisoned (section_id text, exit_time timestamp, toll numeric)")
        for toll in ("NaN", "infinity", "-infinity", "1e400", "-1"):
            con.execute("INSERT INTO poisoned VALUES ('G5', '2023-01-02', %s::numeric)", [toll])
        for moment in ("infinity", "-infinity", "4000-01-01 BC", "20000-01-01"):
            con.execute("INSERT INTO poisoned VALUES ('G5', %s::timestamp, 1)", [moment])
        con.execute("INSERT INTO poisoned SELECT 'G5', '2023-01-02', 1 FROM generate_series(1, 9)")
    flows = open_flows(TollSource(TollColumns("poisoned"), url))
    assert flows.unread == {"toll not from 0 to 100000000": 5, "time outside 1900 to 9999": 4}
    (line,) = flows.answer(None, None, 5)["data"]
    assert (line["truck_count"], line["avg_toll"]) == (9, 1.0)


def test_money_is_refused_at_the_start(server):
    url, _ = server
    with psycopg.connect(url) as con:
        con.execute("CREATE TABLE paid (section_id text, exit_time timestamp, toll money)")
        con.execute("INSERT INTO paid VALUES ('G5', '2023-01-02', '1.50')")
    with pytest.raises(DataError, match="column toll holds money: need numbers or texts"):
        TollSource(TollColumns("paid"), url).check()


def test_a_table_is_checked_where_it_is(server):
    """Verdicts pushed into PostgreSQL are those of memory, with decimals and missing values."""
    url, _ = server
    rows = [
        (age, price, disease)
        for age in (30, 31, None)
        for price in (Decimal("1.50"), Decimal("2.05"))
        for disease in ("Flu", "HIV", "Flu", None)
    ]
    with psycopg.connect(url) as con:
        con.execute("CREATE TABLE visits (age int, price numeric(5, 2), disease text)")
        con.cursor().executemany("INSERT INTO visits VALUES (%s, %s, %s)", rows)
    kinds = pa.schema(
        [("age", pa.int32()), ("price", pa.decimal128(5, 2)), ("disease", pa.string())]
    )
    names = ("age", "price", "disease")
    here = pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows], kinds)
    models = (KAnonymity(2), DistinctL(2), TCloseness("1/2"), ThetaSensitivity(2, "1/2"))

    def judged(data: object) -> list[dict[str, object]]:
        found = check(data, models, quasi_identifiers=["age", "price"], sensitive="disease")
        return [one.to_dict() for one in found]

    assert judged(f"{url}?table=visits") == judged(here)
    assert "?table=nothing: " in error_line(DataError, judged, f"{url}?table=nothing")


def test_texts_that_a_collation_takes_for_one(server):
    url, _ = server
    collation = "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
    with psycopg.connect(url) as con:
        con.execute(f"CREATE COLLATION any_case {collation}")
        con.execute("CREATE TABLE found (disease text COLLATE any_case)")
        con.execute("INSERT INTO found VALUES ('Flu'), ('flu'), (NULL)")
        (count,) = con.execute("SELECT count(DISTINCT disease) FROM found").fetchone() or (0,)
    assert count == 1
    (verdict,) = check(f"{url}?table=found", KAnonymity(1), quasi_identifiers=["disease"])
    assert verdict.value == 1


def test_numbers_that_are_equal_and_do_not_look_it(server):
    url, _ = server
    with psycopg.connect(url) as con:
        con.execute("CREATE TABLE scales (free numeric, two numeric(9, 2))")
        con.execute("INSERT INTO scales VALUES (1.0, 1.0), (1.00, 1.00)")
    with pytest.raises(DataError, match="column free: a numeric of any scale"):
        check(f"{url}?table=scales", KAnonymity(1), quasi_identifiers=["free"], drop=["two"])
    (verdict,) = check(
        f"{url}?table=scales", KAnonymity(1), quasi_identifiers=["two"], drop=["free"]
    )
    assert verdict.value == 2
