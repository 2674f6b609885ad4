"""Tables that are folders: what their names say of rows, object stores, lakes, and odd names."""

import json
import random
import sqlite3
from itertools import product
from pathlib import Path
from urllib.parse import quote

import polars as pl
import pyarrow.parquet as parquet
import pytest
from cases import cases, error_line
from nights import by_day

import kproof
from kproof.errors import DataError
from kproof.models.privacy import DistinctL, KAnonymity
from kproof.models.tables.engines import is_judged_there

duckdb = pytest.importorskip("duckdb")

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


def test_a_backslash_before_a_zero_is_a_part_of_a_name(tmp_path):
    file = tmp_path / r"visits\0.db"
    with duckdb.connect(str(file)) as connection:
        connection.register("rows", ROWS.to_arrow())
        connection.execute("CREATE TABLE visits AS FROM rows")
    assert verdicts(f"duckdb:{file}?table=visits") == verdicts(ROWS)
    (tmp_path / r"visits\0").mkdir()
    assert is_judged_there(str(tmp_path / r"visits\0"))


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
    assert says.endswith("column year stands there twice; rename one")


def place_rows(folder: Path, place: str, **columns: object) -> Path:
    """Write rows below a folder: as many as ``ill`` has, four of both values."""
    pl.DataFrame({"ill": ["Flu", "HIV"] * 2} | columns).write_parquet(folder / place, mkdir=True)
    return folder


def check_rows(source: object, *names: str, **roles: object) -> list[object]:
    """Return what two models say of rows, or raise what they are refused with."""
    judged = kproof.check(source, MODELS, quasi_identifiers=names, sensitive="ill", **roles)
    return [verdict.to_dict() for verdict in judged]


@cases(
    ("year=2024", "year=2025"),
    ("year=2024/month=1", "year=2024/month=2"),
    ("year=2024/month=1", "year=2025/month=1"),
)
def test_links_are_followed(plain, place, tmp_path):
    folder = place_rows(tmp_path / "a", f"{plain}/0.parquet", age=[1] * 4)
    place_rows(tmp_path / "b", "0.parquet", ill=["HIV"], age=[7])
    (folder / place).parent.mkdir(exist_ok=True)
    (folder / place).symlink_to(tmp_path / "b", target_is_directory=True)
    columns = [part.partition("=")[0] for part in place.split("/")]
    (least, _) = check_rows(folder, "age", drop=columns)
    assert least["value"] == "1"


@cases(
    ("year=2025", "nowhere", "year=2025 in it cannot be read (No such file"),
    ("year=2024/1.parquet", "nowhere", "1.parquet in it cannot be read (No such file"),
    ("year=2025", "a", ". and year=2025 in it are the same; remove the link"),
    ("year=2024/month=1", "a/year=2024", "year=2024/month=1 in it are the same"),
    ("year=2025", "a/year=2024", "year=2024 and year=2025 in it are the same"),
    (
        "year=2024/1.parquet",
        "a/year=2024/0.parquet",
        "0.parquet and year=2024/1.parquet in it are the same",
    ),
)
def test_links_that_lead_nowhere_or_back(place, target, says, tmp_path):
    folder = place_rows(tmp_path / "a", "year=2024/0.parquet", age=[1] * 4)
    (folder / place).symlink_to(tmp_path / target)
    assert says in error_line(DataError, check_rows, folder, "age", drop=["year"])


ONE = "takes columns {} and {} for one; rename one"


@cases(
    ("zip=1/Zip=1", ["age"], ONE.format("zip", "Zip")),
    ("zip=1/zip=2", ["age"], "column zip stands there twice"),
    ("AGE=1", ["age"], ONE.format("age", "AGE")),
    ("", ["age", "Age"], ONE.format("age", "Age")),
    ("year=1", ["age", "Age"], ONE.format("age", "Age")),
    ("", ["age", "Age", "age_1"], ONE.format("age", "Age")),
    ("", ["age", "Kproof Rows"], "a column is called 'Kproof Rows'; rename it"),
    ("Kproof File=1", ["age"], "a column is called 'Kproof File'; rename it"),
    ("=1", ["age"], "its folder =1 names no column"),
    ("zip=%FF", ["age"], "the name is not UTF-8; rename it"),
    ("%FE=1", ["age"], "the name is not UTF-8; rename it"),
    ("zip=\udcff", ["age"], "the name is not UTF-8; rename it"),
)
def test_names_that_would_become_alike(place, columns, says, tmp_path):
    rows = {column: [1] * 4 for column in columns}
    (tmp_path / place).mkdir(parents=True, exist_ok=True)
    with open(tmp_path / place / "0.parquet", "wb") as file:
        pl.DataFrame({"ill": ["Flu"] * 4} | rows).write_parquet(file)
    assert says in error_line(DataError, check_rows, tmp_path, "age")


@cases(("a%2Fb", "a%2fb"), ("a b", "a%20b"), ("%C3%A9", "é"))
def test_a_value_that_two_folders_spell(first, second, tmp_path):
    for value in (first, second):
        place_rows(tmp_path, f"zip={value}/0.parquet")
    assert check_rows(tmp_path, "zip")[0]["value"] == "8"


def test_columns_inside_of_a_column_are_no_columns(tmp_path):
    place_rows(tmp_path, "year=1/0.parquet", age=[1] * 4, record=[{"Age": 1, "in": {"ILL": 2}}] * 4)
    assert check_rows(tmp_path, "age", drop=["year", "record"])[0]["value"] == "4"


@cases("x.y", 'x"y', "x.")
def test_names_that_duckdb_takes_apart(name, tmp_path):
    place_rows(tmp_path, f"{name}=1/0.parquet", x=[{"y": 1}] * 4)
    says = error_line(DataError, check_rows, tmp_path, name, drop=["x"])
    assert f"column {name}: the engine takes a name apart at" in says


def test_columns_of_duckdb_that_differ_in_case():

    with duckdb.connect() as connection:
        rows = connection.sql("SELECT 1 AS age, 'a' AS ill, range AS AGE FROM range(4)")
        says = error_line(DataError, check_rows, rows, "age", drop=["AGE"])
        assert ONE.format("age", "AGE") in says
        rows = connection.sql("SELECT 1 AS age, 'a' AS ill")
        assert "no column AGE" in error_line(DataError, check_rows, rows, "AGE")


ODD = ["", None, " a", "a ", "a", "\n", "\0", "e\u0301", "é", "ß", "ss", "E", "e", "a/b", "a%2Fb"]
ODD += ["%", "NULL", "null", "x=y", "01", "1", "1.0", "true", "'", '"', "*", "[1]", "..", "+", "🙂"]
NAMES = ["zip", "Zip", "é", "e\u0301", "a b", "a/b", "it's"]
NAMES += ["x.y", 'x"y', "x=y", "[1]*?", "ILL", "ß"]
REFUSED = {"x.y", 'x"y', "ILL"}


def spell(text: str | None, chance: random.Random) -> str:
    """Return one of the ways in which a folder's name says a text."""
    if text is None:
        return "__HIVE_DEFAULT_PARTITION__"
    whole = quote(text, safe="")
    plain = text if not {*text} & {*"/%=\0"} else whole
    return chance.choice([whole, plain, "".join(f"%{byte:02x}" for byte in text.encode())])


@pytest.mark.parametrize("seed", range(by_day(12, at_night=600)))
def test_odd_names_and_values(seed, tmp_path):
    """Rows below folders are judged as in memory, or refused for a name that no engine keeps."""
    chance = random.Random(seed)
    names = chance.sample(NAMES, chance.randint(1, 3))
    values = chance.sample(ODD, 4)
    rows = [
        {name: chance.choice(values) for name in names} | {"ill": chance.choice(["Flu", "HIV"])}
        for _ in range(40)
    ]
    folder = tmp_path / "a"
    for number, row in enumerate(rows):
        keys = [f"{spell(name, chance)}={spell(row[name], chance)}" for name in names]
        pl.DataFrame({"ill": [row["ill"]]}).write_parquet(
            folder.joinpath(*keys, f"{number}.parquet"), mkdir=True
        )
    moved = chance.choice(sorted(folder.iterdir()))
    moved.rename(tmp_path / "moved")
    moved.symlink_to(tmp_path / "moved", target_is_directory=True)
    if REFUSED & {*names} or {"zip", "Zip"} <= {*names}:
        assert error_line(DataError, check_rows, folder, *names)
        return
    schema = dict.fromkeys((*names, "ill"), pl.String)
    assert check_rows(folder, *names) == check_rows(pl.DataFrame(rows, schema=schema), *names)


@cases(
    *product(
        ("", "memory:/", "a link to a folder", "a link to a file"),
        ("_delta_log/0.json", ".hoodie/x", "metadata/v1.metadata.json"),
    )
)
def test_a_part_of_a_lake(way, log, tmp_path):
    """Below its log a folder has rows that were deleted; another folder may be called metadata."""
    fsspec = pytest.importorskip("fsspec")
    part = place_rows(tmp_path / "lake", "year=1/0.parquet", age=[1] * 4) / "year=1"
    whole = f"memory:/{part}" if way == "memory:/" else part
    (tmp_path / "link").mkdir()
    if way == "a link to a folder":
        whole = tmp_path / "link" / "year"
        whole.symlink_to(part, target_is_directory=True)
    elif way == "a link to a file":
        whole = tmp_path / "link"
        (whole / "0.parquet").symlink_to(part / "0.parquet")
    store = fsspec.filesystem("memory" if way == "memory:/" else "file")
    try:
        if way == "memory:/":
            store.put(str(part), str(part), recursive=True)
        for name in ("metadata/notes", log):
            if name == log:
                assert check_rows(whole, "age")[0]["value"] == "4"
            store.makedirs(f"{tmp_path}/lake/{Path(name).parent}", exist_ok=True)
            store.pipe_file(f"{tmp_path}/lake/{name}", b"{}")
        assert "a part of a lake, whose log" in error_line(DataError, check_rows, whole, "age")
    finally:
        if way == "memory:/":
            store.rm(str(tmp_path), recursive=True)


def test_a_file_of_iceberg_says_so(tmp_path):
    rows = ROWS.to_arrow().replace_schema_metadata({"iceberg.schema": "{}"})
    parquet.write_table(rows, tmp_path / "0.parquet")
    assert "is a part of an Iceberg table" in error_line(DataError, verdicts, tmp_path)


@cases("_1.parquet", ".1.parquet", "_year=1/1.parquet", ".year=1/1.parquet")
def test_files_that_other_readers_pass_over(place, tmp_path):
    folder = place_rows(tmp_path, "0.parquet", age=[1] * 4)
    place_rows(folder, place, age=[1] * 4)
    assert f"pass over {place} in it" in error_line(DataError, check_rows, folder, "age")


def test_an_object_store(tmp_path):
    store = pytest.importorskip("fsspec").filesystem("memory")
    store.put(str(by_value(tmp_path / "visits", "year")), "/bucket/visits", recursive=True)
    try:
        assert verdicts("memory://bucket/visits/") == verdicts(ROWS)
        (file, *_) = store.find("/bucket/visits")
        store.pipe_file("/bucket/twice//0.parquet", store.cat_file(file))
        says = error_line(DataError, verdicts, "memory://bucket/twice")
        assert "names no column" in says
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
        # Consoles make folders so.
        for folder in ("", "year=2024/", "year=2030/"):
            store.call_s3("put_object", Bucket="bucket", Key=f"visits/{folder}", Body=b"")
        store.invalidate_cache()
        assert verdicts("s3://bucket/visits/") == verdicts(ROWS)
        store.call_s3("put_object", Bucket="bucket", Key="visits/year=2030/", Body=b"PAR1")
        store.invalidate_cache()
        says = error_line(DataError, verdicts, "s3://bucket/visits")
        assert "an object called like a folder" in says
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


MAPPING = "delta.columnMapping"


def test_columns_of_delta_that_have_other_names_in_files(tmp_path):
    lake = pytest.importorskip("deltalake")
    place = str(tmp_path / "visits")
    lake.write_deltalake(place, ROWS.to_arrow())
    (log,) = (tmp_path / "visits" / "_delta_log").glob("*.json")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    (protocol,) = (line["protocol"] for line in lines if "protocol" in line)
    protocol |= {"minReaderVersion": 2, "minWriterVersion": 5}
    (about,) = (line["metaData"] for line in lines if "metaData" in line)
    schema = json.loads(about["schemaString"])
    for number, field in enumerate(schema["fields"], start=1):
        other = {"year": "sex", "sex": "year"}.get(field["name"], field["name"])
        field["metadata"] = {f"{MAPPING}.id": number, f"{MAPPING}.physicalName": other}
    about["schemaString"] = json.dumps(schema)
    for mode in ("name", "id"):
        about["configuration"] = {f"{MAPPING}.mode": mode, f"{MAPPING}.maxColumnId": "3"}
        log.write_text("".join(json.dumps(line) + "\n" for line in lines))
        assert f"{MAPPING}.mode is {mode}" in error_line(DataError, verdicts, f"delta:{place}")


def test_iceberg(tmp_path):
    catalog = pytest.importorskip(
        "pyiceberg.catalog.memory", reason="pyiceberg is not installed", exc_type=ImportError
    ).InMemoryCatalog("made up", warehouse=str(tmp_path))
    catalog.create_namespace("town")
    table = catalog.create_table("town.visits", schema=ROWS.to_arrow().schema)
    table.append(ROWS.to_arrow())
    table.delete("sex = 'f'")
    remaining = ROWS.filter(pl.col("sex").ne_missing("f"))
    metadata = catalog.load_table("town.visits").metadata_location
    assert verdicts(f"iceberg:{metadata}") == verdicts(remaining)


NAME, SCHEMA = 'a."b"; c', "s.t'"


def test_names_with_dots_and_quotes(tmp_path):

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
