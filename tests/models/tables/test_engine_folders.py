"""Tables that are folders: what their names say of rows, object stores, lakes, and odd names."""

import sqlite3
from pathlib import Path
from urllib.parse import quote

import polars as pl
import pytest
from cases import cases, error_line

import kproof
from kproof.errors import DataError
from kproof.models.privacy import DistinctL, KAnonymity

pytest.importorskip("duckdb")

ROWS = pl.DataFrame(
    {
        "year": ["2024", "2023", "07", "NULL", "", None, "a/b", "x=y", "it's %41", "ü "] * 3,
        "sex": ["f", "m", None, "f", "m"] * 6,
        "ill": ["Flu", "HIV", "Flu"] * 10,
    }
)
ROLES = {"quasi_identifiers": ["year", "sex"], "sensitive": "ill"}
MODELS = [KAnonymity(2), DistinctL(2)]


def verdicts(source: object) -> list[dict[str, object]]:
    return [verdict.to_dict() for verdict in kproof.check(source, MODELS, **ROLES)]


def by_value(folder: Path, *columns: str) -> Path:
    """Write the rows as Hive does: quoted values name folders, and a gap has a name of its own."""
    for values, rows in ROWS.group_by(*columns):
        place = folder
        for column, value in zip(columns, values, strict=True):
            text = "__HIVE_DEFAULT_PARTITION__" if value is None else quote(str(value), safe=" ")
            place /= f"{column}={text}"
        rows.drop(*columns).write_parquet(place / "part 0[1].parquet", mkdir=True)
    return folder


@cases("year", "year sex", "sex year")
def test_names_of_folders_are_columns(columns, tmp_path):
    folder = by_value(tmp_path / "visits", *columns.split())
    (folder / "_SUCCESS").touch()
    assert verdicts(folder) == verdicts(ROWS)


def test_a_folder_of_a_value_may_be_empty(tmp_path):
    folder = by_value(tmp_path / "visits", "year")
    (folder / "year=2030").mkdir()
    assert verdicts(folder) == verdicts(ROWS)


@cases(
    ("year=1/sex=f", "folders say other columns of it than of"),
    ("sex=f", "folders say other columns of it than of"),
    ("year=1/old", "old in it is a folder"),
)
def test_folders_that_differ(place, says, tmp_path):
    folder = by_value(tmp_path / "visits", "year")
    ROWS.drop("year").write_parquet(folder / place / "0.parquet", mkdir=True)
    assert says in error_line(DataError, verdicts, folder)


def test_a_column_of_files_and_folders(tmp_path):
    ROWS.write_parquet(tmp_path / "year=1" / "0.parquet", mkdir=True)
    says = error_line(DataError, verdicts, tmp_path)
    assert says.endswith("column year also stands in the name of a folder")


def test_an_object_store(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    store.put(str(by_value(tmp_path / "visits", "year")), "/bucket/visits", recursive=True)
    try:
        assert verdicts("memory://bucket/visits/") == verdicts(ROWS)
        (file, *_) = store.find("/bucket/visits")
        with store.open("/bucket/visits/notes.txt", "w") as notes:
            notes.write("nothing")
        says = error_line(DataError, verdicts, "memory://bucket/visits")
        assert "notes.txt in it is no file *.parquet" in says
        (verdict,) = kproof.check(
            f"memory:/{file}", KAnonymity(1), quasi_identifiers=["sex"], sensitive="ill"
        )
        assert verdict.holds
    finally:
        store.rm("/bucket", recursive=True)
    says = error_line(DataError, verdicts, "memory://bucket/visits")
    assert "no such folder, or an empty one" in says


def test_s3(tmp_path, monkeypatch):
    pytest.importorskip("s3fs")
    server = pytest.importorskip("moto.server").ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "somebody",
        "AWS_SECRET_ACCESS_KEY": "hushhush",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
    }.items():
        monkeypatch.setenv(name, value)
    import s3fs

    try:
        store = s3fs.S3FileSystem()
        store.mkdir("bucket")
        store.put(str(by_value(tmp_path / "visits", "year")), "bucket/visits", recursive=True)
        assert verdicts("s3://bucket/visits/") == verdicts(ROWS)
        for place in ("s3://elsewhere/visits", "s3://bucket/nothing"):
            assert error_line(DataError, verdicts, place).startswith(place)
    finally:
        server.stop()


def test_delta(tmp_path):
    lake = pytest.importorskip("deltalake")
    place = str(tmp_path / "visits")
    lake.write_deltalake(place, ROWS.to_arrow(), partition_by=["year"])
    lake.write_deltalake(place, ROWS.head(5).to_arrow(), mode="append")
    assert verdicts(f"delta:{place}") == verdicts(pl.concat([ROWS, ROWS.head(5)]))
    # Its files are still there.
    lake.DeltaTable(place).delete("sex = 'f'")
    remaining = pl.concat([ROWS, ROWS.head(5)]).filter(pl.col("sex").ne_missing("f"))
    assert verdicts(f"delta:{place}") == verdicts(remaining)
    assert f"judge delta:{place}" in error_line(DataError, verdicts, place)
    assert error_line(DataError, verdicts, f"delta:{tmp_path / 'none'}")


def test_iceberg(tmp_path):
    catalog_of = pytest.importorskip(
        "pyiceberg.catalog.memory", reason="pyiceberg is not installed", exc_type=ImportError
    )
    catalog = catalog_of.InMemoryCatalog("made up", warehouse=str(tmp_path))
    catalog.create_namespace("town")
    table = catalog.create_table("town.visits", schema=ROWS.to_arrow().schema)
    table.append(ROWS.to_arrow())
    table.delete("sex = 'f'")
    remaining = ROWS.filter(pl.col("sex").ne_missing("f"))
    metadata = catalog.load_table("town.visits").metadata_location
    assert verdicts(f"iceberg:{metadata}") == verdicts(remaining)


NAME, SCHEMA = 'a."b"; c', "s.t'"


def test_names_with_dots_and_quotes(tmp_path):
    import duckdb

    address = f"duckdb:{tmp_path / 'a.db'}?table={quote(NAME)}"
    schema, name = SCHEMA, NAME.replace('"', '""')
    with duckdb.connect(str(tmp_path / "a.db")) as connection:
        connection.execute(f'CREATE SCHEMA "{schema}"')
        connection.register("rows", ROWS.to_arrow())
        connection.execute(f'CREATE TABLE "{name}" AS SELECT * FROM rows')
        connection.execute(f'CREATE TABLE "{schema}"."{name}" AS SELECT * FROM rows LIMIT 1')
    assert verdicts(address) == verdicts(ROWS)
    assert verdicts(f"{address}&schema={quote(schema)}") == verdicts(ROWS.head(1))
    # Nothing takes a name apart.
    assert error_line(DataError, verdicts, f"duckdb:{tmp_path / 'a.db'}?table=main.b")


@pytest.mark.filterwarnings("ignore:.*infer_string.* option is deprecated")
def test_names_of_sqlite(tmp_path):
    pytest.importorskip("ibis")
    connection = sqlite3.connect(tmp_path / "a.sqlite")
    name = NAME.replace('"', '""')
    with connection:
        connection.execute(f'CREATE TABLE "{name}" (year TEXT, sex TEXT, ill TEXT)')
        connection.executemany(f'INSERT INTO "{name}" VALUES (?, ?, ?)', ROWS.rows())
    connection.close()
    address = f"sqlite:{tmp_path / 'a.sqlite'}?table={quote(NAME)}"
    assert verdicts(address) == verdicts(f"{address}&schema=main") == verdicts(ROWS)
