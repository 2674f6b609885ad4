"""What engines take for equal and a reader does not: no class may look larger than it is."""

import shutil
import sqlite3
from decimal import Decimal
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import cases, error_line

import kproof
from kproof.errors import DataError
from kproof.models.privacy import KAnonymity

pytestmark = [
    pytest.mark.filterwarnings("ignore:Dask support is moving:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*infer_string.* option is deprecated"),
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame.reset_index"),
]

LARGE = 2**53


def least(source: object, *names: str) -> int:
    (verdict,) = kproof.check(source, KAnonymity(1), quasi_identifiers=names or ("a",))
    assert isinstance(verdict.value, int)
    return verdict.value


def refusal(source: object) -> str:
    return error_line(DataError, least, source)


def sqlite(folder: Path, declared: str, *cells: object) -> str:
    place = folder / "a.sqlite"
    connection = sqlite3.connect(place)
    with connection:
        connection.execute(f"CREATE TABLE t (a {declared})")
        connection.executemany("INSERT INTO t VALUES (?)", [(cell,) for cell in cells])
    connection.close()
    return f"sqlite:{place}?table=t"


@cases(
    ("TEXT COLLATE NOCASE", ("Flu", "flu")),
    ("TEXT COLLATE RTRIM", ("x", "x ")),
    ("INTEGER", (LARGE, LARGE + 1, None, None)),
    ("INTEGER", (2**63 - 1, 2**63 - 2, -(2**63), None)),
)
def test_sqlite_groups_what_is_equal(declared, cells, tmp_path):
    pytest.importorskip("ibis")
    assert least(sqlite(tmp_path, declared, *cells)) == 1


@cases(
    ("INTEGER", (1, 1.5), "declared Int64, and has cells of type real"),
    ("INTEGER", (1, "one"), "declared Int64, and has cells of type text"),
    ("BOOLEAN", (1, 2), "other numbers than 0 and 1"),
    ("DATE", ("2024-01-02", "2024-01-02 10:00"), "SQLite has no Date of its own"),
    ("DECIMAL(9, 1)", (1.01, 1.02), "SQLite has no Decimal"),
)
def test_cells_of_sqlite_that_would_be_made_equal(declared, cells, says, tmp_path):
    pytest.importorskip("ibis")
    assert says in refusal(sqlite(tmp_path, declared, *cells))


def test_nothing_is_made_that_is_not_there(tmp_path):
    for scheme in ("sqlite:", "sqlite://", "duckdb:", "duckdb://"):
        assert "no such file" in refusal(f"{scheme}{tmp_path / 'none.db'}?table=t")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("through_ibis", [False, True])
def test_collations_of_duckdb(through_ibis):
    duckdb = pytest.importorskip("duckdb")
    backend = pytest.importorskip("ibis").duckdb.connect()
    connection = backend.con if through_ibis else duckdb.connect()
    connection.execute("CREATE TABLE own (a VARCHAR COLLATE NOCASE)")
    connection.execute("INSERT INTO own VALUES ('é'), ('É'), (NULL)")
    connection.execute("CREATE TABLE plain AS SELECT 'x' AS a UNION ALL SELECT 'X'")
    connection.execute("SET default_collation = 'nocase'")
    for name in ("own", "plain"):
        assert least(backend.table(name) if through_ibis else connection.table(name)) == 1


@cases("INTERVAL 1 MONTH", "1::UHUGEINT", "'a'::BLOB", "TIME '10:00'", "MAP {'x': 1}")
def test_types_that_an_engine_shows_in_its_own_way(cell):
    with pytest.importorskip("duckdb").connect() as connection:
        assert "column a: holds" in refusal(connection.sql(f"SELECT {cell} AS a"))


def test_a_view_reaches_no_other_file(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    (tmp_path / "other.csv").write_text("a\n1\n")
    with duckdb.connect(str(tmp_path / "a.db")) as connection:
        connection.execute(f"CREATE VIEW t AS SELECT * FROM read_csv('{tmp_path}/other.csv')")
    assert "Permission Error" in refusal(f"duckdb:{tmp_path}/a.db?table=t")


def test_whole_numbers_of_dask_that_became_floats(tmp_path):
    dask = pytest.importorskip("dask.dataframe")
    for large, folder in ((LARGE, tmp_path / "large"), (30, tmp_path / "small")):
        folder.mkdir()
        pl.DataFrame({"a": [large, large + 1]}).write_parquet(folder / "0.parquet")
        gaps = pl.DataFrame({"a": [None, None]}, schema={"a": pl.Int64})
        gaps.write_parquet(folder / "1.parquet")
        assert least(folder) == 1
    assert "floats of whole numbers" in refusal(dask.read_parquet(tmp_path / "large"))
    roles = {"quasi_identifiers": ["a"]}
    here = kproof.check(pl.read_parquet(tmp_path / "small"), KAnonymity(2), **roles)
    there = kproof.check(dask.read_parquet(tmp_path / "small"), KAnonymity(2), **roles)
    assert here[0].to_dict() == there[0].to_dict()


def test_mixed_objects_of_dask():
    dask = pytest.importorskip("dask")
    frame = pd.DataFrame({"a": pd.Series([1, True, 1.0], dtype=object)})
    with dask.config.set({"dataframe.convert-string": False}):
        mixed = pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=2)
        assert "was said to hold texts" in refusal(mixed)
        frame = pd.DataFrame({"a": [b"x", "x"]})
        assert least(frame) == 1
        mixed = pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=1)
        assert "column a: holds bytes" in refusal(mixed)


def test_decimals_that_are_equal_and_do_not_look_it():
    assert least(pd.DataFrame({"a": [Decimal("1.0"), Decimal("1.00")]})) == 1
    assert least(pl.DataFrame({"a": [Decimal("1.0"), Decimal("1.00")]})) == 2


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_times_that_differ_by_nanoseconds(kind):
    times = pl.Series([1, 2]).cast(pl.Datetime("ns"))
    held = times.to_pandas() if kind is pd.DataFrame else times
    assert "finer than a microsecond" in refusal(kind({"a": held}))


@pytest.mark.parametrize(("unit", "away"), [("ms", 2**61), ("s", 2**58)])
def test_times_that_wrap_around_to_one_another(unit, away):
    times = pa.array([0, away], pa.timestamp(unit))
    with pytest.raises(DataError, match="too far away"):
        kproof.check(pa.table({"a": times}), kproof.KAnonymity(2), quasi_identifiers=["a"])


FOUND = {
    "a folder": lambda folder: (folder / "old").mkdir(),
    "a folder of a value beside files": lambda folder: pl.DataFrame({"a": [1, 1]}).write_parquet(
        folder / "year=2024" / "0.parquet", mkdir=True
    ),
    "the log of a lake": lambda folder: pl.DataFrame({"a": [1]}).write_parquet(
        folder / "_delta_log" / "0.parquet", mkdir=True
    ),
    "a part that is being written": lambda folder: (folder / "1.parquet.tmp").write_bytes(b"PAR1"),
    "a hidden part": lambda folder: (folder / ".1.parquet.Xq2").write_bytes(b"PAR1"),
    "a part without rows": lambda folder: (folder / "1.parquet").touch(),
    "half a part": lambda folder: (folder / "1.parquet").write_bytes(
        (folder / "0.parquet").read_bytes()[:-20]
    ),
}


@pytest.mark.parametrize("what", FOUND)
def test_a_folder_is_judged_as_a_whole_or_not(what, tmp_path):
    pytest.importorskip("duckdb")
    pl.DataFrame({"a": [1, 1]}).write_parquet(tmp_path / "0.parquet")
    FOUND[what](tmp_path)
    assert refusal(tmp_path)


@pytest.mark.parametrize("name", ["1.PARQUET", "1.pq", "[0].parquet", "*.parquet"])
def test_no_file_is_passed_over_or_taken_for_a_pattern(name, tmp_path):
    pytest.importorskip("duckdb")
    folder = tmp_path / "a=5[0]"
    folder.mkdir()
    pl.DataFrame({"a": [1, 1]}).write_parquet(folder / "0.parquet")
    (folder / "_SUCCESS").touch()
    (folder / ".0.parquet.crc").touch()
    assert least(folder) == 2
    pl.DataFrame({"a": [7]}).write_parquet(folder / name)
    assert least(folder) == 1


@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_spark():
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    builder = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    try:
        texts = session.sql("SELECT * FROM VALUES ('Flu'), ('flu'), (NULL) AS t(a)")
        assert least(texts) == 1
        whole = session.sql(f"SELECT * FROM VALUES ({LARGE}L), ({LARGE + 1}L), (NULL) AS t(a)")
        assert least(whole) == 1
        assert "collate" in refusal(texts.selectExpr("a COLLATE UTF8_LCASE AS a"))
    finally:
        session.stop()
