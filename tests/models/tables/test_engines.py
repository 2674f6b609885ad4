"""Data judged where they are: the verdicts are those of the same rows in memory, byte for byte."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shutil import which
from typing import Any

import pandas as pd
import polars as pl
import pytest
from cases import cases, error_line
from hypothesis import given, settings
from hypothesis import strategies as st
from nights import by_day
from shell import kproof as command
from shell import refused

import kproof
from kproof.errors import DataError, InvalidArgument
from kproof.models import privacy
from kproof.models.base.missing import MissingAs
from kproof.models.tables.readers import read_classes

MODELS = (
    privacy.KAnonymity(2),
    privacy.DistinctL(2),
    privacy.EntropyL(2),
    privacy.AlphaK("1/2", 2),
    privacy.TCloseness("1/3"),
    privacy.RecursiveCL(4, 2),
    privacy.BasicBeta(1),
    privacy.EnhancedBeta(1),
    privacy.DeltaDisclosure(1),
    privacy.PSensitive(2, 2),
    privacy.PPlusSensitive(2, 2),
    privacy.PAlphaSensitive(2, "1/2", 2),
    privacy.ThetaSensitivity(2, "1/2"),
)
ROLES = {
    "quasi_identifiers": ["age", "zip"],
    "sensitive": "disease",
    "categories": {"HIV": "grave", "Gout": "mild", "Flu": "mild"},
}

pytestmark = [
    # Said by the libraries of one another.
    pytest.mark.filterwarnings("ignore:Dask support is moving:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*infer_string.* option is deprecated"),
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame.reset_index"),
]

Source = Callable[[pd.DataFrame, Path], object]


def _parquet(frame: pd.DataFrame, folder: Path) -> object:
    whole = folder / "pieces"
    whole.mkdir(exist_ok=True)
    for old in whole.iterdir():
        old.unlink()
    half, rows = max(1, len(frame) // 2), pl.from_pandas(frame)
    for number, piece in enumerate((rows[:half], rows[half:])):
        if number == 0 or len(piece):
            piece.write_parquet(whole / f"{number}.parquet")
    return whole


def _duckdb_file(frame: pd.DataFrame, folder: Path) -> object:
    duckdb = pytest.importorskip("duckdb")
    place = folder / "rows.db"
    place.unlink(missing_ok=True)
    with duckdb.connect(str(place)) as connection:
        connection.register("given", frame)
        connection.execute('CREATE TABLE "the rows" AS SELECT * FROM given')
    return f"duckdb:{place}?table=the%20rows"


def _sqlite(frame: pd.DataFrame, folder: Path) -> object:
    ibis = pytest.importorskip("ibis")
    place = folder / "rows.sqlite"
    place.unlink(missing_ok=True)
    connection = ibis.sqlite.connect(place)
    connection.create_table("held", ibis.memtable(pl.from_pandas(frame).to_arrow()))
    connection.disconnect()
    return f"sqlite://{place}?table=held"


def _relation(frame: pd.DataFrame, folder: Path) -> object:
    return pytest.importorskip("duckdb").from_df(frame)


def _dask(frame: pd.DataFrame, folder: Path) -> object:
    dask = pytest.importorskip("dask.dataframe")
    return dask.from_pandas(frame, npartitions=min(3, max(1, len(frame))))


SOURCES = {
    "Polars": lambda frame, folder: pl.from_pandas(frame).lazy(),
    "a relation of DuckDB": _relation,
    "a file of DuckDB": _duckdb_file,
    "a folder of Parquet": _parquet,
    "Ibis over SQLite": _sqlite,
    "Dask": _dask,
}


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    codes, ills = ["10", "1 0", "ü", "", None], ["Flu", "HIV", "Gout", None]
    row = st.tuples(st.integers(30, 32) | st.none(), st.sampled_from(codes), st.sampled_from(ills))
    rows = draw(st.lists(row, min_size=1, max_size=12))
    frame = pd.DataFrame(rows, columns=["age", "zip", "disease"])
    return frame.astype({"age": "Int64", "zip": "object", "disease": "object"})


def judged(data: object, **more: Any) -> list[str]:
    """Return the verdicts, or the refusal; the data are read once for all models."""
    found = []
    said = {name: value for name, value in more.items() if value is not None}
    try:
        classes = read_classes(data, **ROLES, **said)
    except DataError as refusal:
        return [str(refusal)]
    for model in MODELS:
        try:
            (verdict,) = kproof.check(classes, model)
        except DataError as refusal:
            found.append(str(refusal))
        else:
            found.append(json.dumps(verdict.to_dict(), sort_keys=True))
    return found


@pytest.mark.parametrize("name", SOURCES)
@given(frame=frames(), how=st.sampled_from([None, *MissingAs]))
@settings(max_examples=by_day(10, at_night=200))
def test_the_verdicts_are_those_of_rows_in_memory(name, frame, how, tmp_path_factory):
    source = SOURCES[name](frame, tmp_path_factory.getbasetemp())
    assert judged(source, missing_as=how) == judged(pl.from_pandas(frame), missing_as=how)


@pytest.mark.parametrize("name", SOURCES)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from([0.0, 0.1, 1.5, None]), st.integers(1, 4) | st.none()),
        min_size=1,
        max_size=12,
    )
)
@settings(max_examples=6)
def test_numbers_as_keys_and_as_what_is_sensitive(name, rows, tmp_path_factory):
    frame = pd.DataFrame(rows, columns=["at", "pay"]).astype({"at": "Float64", "pay": "Int64"})
    source = SOURCES[name](frame, tmp_path_factory.getbasetemp())
    roles = {"quasi_identifiers": ["at"], "sensitive": "pay"}
    told = []
    for data in (source, pl.from_pandas(frame)):
        try:
            verdicts = kproof.check(data, privacy.TCloseness("1/3", distance="ordered"), **roles)
        except (DataError, InvalidArgument) as refusal:
            told.append(str(refusal))
        else:
            told.append(json.dumps(verdicts[0].to_dict(), sort_keys=True))
    assert told[0] == told[1]


@pytest.mark.parametrize("name", SOURCES)
def test_a_zero_with_a_sign_is_not_taken_for_one_without(name, tmp_path):
    frame = pd.DataFrame({"at": [0.0] * 3 + [-0.0] * 2})
    roles = {"quasi_identifiers": ["at"]}
    assert not kproof.check(frame, kproof.KAnonymity(3), **roles)[0].holds
    there = partial(kproof.check, SOURCES[name](frame, tmp_path), kproof.KAnonymity(3), **roles)
    if name in ("a file of DuckDB", "Ibis over SQLite"):
        # They store a zero without its sign, so that nobody sees one.
        assert there()[0].holds
    else:
        assert "at: has -0.0, which the engine takes for 0.0" in error_line(DataError, there)


def test_several_sensitive_columns():
    ills = ["Flu", "Flu", "HIV", "HIV", "Flu", "HIV"]
    frame = pl.DataFrame({"age": [1, 1, 1, 1, 2, 2], "disease": ills, "pay": [1, 1, 2, 3, 1, 1]})
    roles = {"quasi_identifiers": ["age"], "sensitive": ["disease", "pay"]}
    for known in (False, True):
        here = kproof.check(frame, privacy.DistinctL(2), **roles, known_sensitive=known)
        there = kproof.check(frame.lazy(), privacy.DistinctL(2), **roles, known_sensitive=known)
        assert [one.to_dict() for one in here] == [one.to_dict() for one in there]


def test_what_is_left_out_is_named():
    frame = pl.DataFrame({"id": [1, 2], "age": [3, 3], "note": ["a", "b"]})
    (verdict,) = kproof.check(
        frame.lazy(),
        privacy.KAnonymity(2),
        quasi_identifiers=["age"],
        identifiers=["id"],
        drop=["note"],
    )
    assert verdict.holds
    assert [one.name for one in verdict.scope.left_out] == ["id", "note"]
    with pytest.raises(DataError, match="column note singles out 2 of 2 rows and has no role"):
        kproof.check(
            frame.lazy(), privacy.KAnonymity(2), quasi_identifiers=["age"], identifiers=["id"]
        )


@st.composite
def frames_of_people(draw: st.DrawFn) -> pd.DataFrame:
    row = st.tuples(
        st.integers(1, 4),
        st.sampled_from(["30", "31", "*"]),
        st.sampled_from(["10", "*"]),
        st.sampled_from(["Flu", "HIV", None]),
        st.sampled_from(["a", "b", "c"]),
    )
    columns = ["id", "age", "zip", "disease", "note"]
    return pd.DataFrame(draw(st.lists(row, min_size=1, max_size=9)), columns=columns)


@pytest.mark.parametrize("name", SOURCES)
@given(
    frame=frames_of_people(),
    roles=st.fixed_dictionaries(
        {},
        optional={"person": st.just("id"), "other": st.just(["note"]), "suppressed": st.just("*")},
    ),
)
@settings(max_examples=by_day(10, at_night=170), deadline=None)
def test_what_needs_rows_is_judged_by_rows(name, frame, roles, tmp_path_factory):
    source = SOURCES[name](frame, tmp_path_factory.mktemp("rows"))
    columns = [column for column in frame if column not in ("age", "zip", "disease")]
    assigned = {*roles.get("other", ()), roles.get("person")}
    drop = [] if frame.id.sum() % 2 else [column for column in columns if column not in assigned]
    said = {**roles, "drop": drop}
    assert judged(source, **said) == judged(frame, **said)


def test_the_risk_of_rows_that_are_there():
    frame = pl.DataFrame({"age": [1, 1, 2], "disease": ["Flu", "HIV", "Flu"]})
    roles = {"quasi_identifiers": ["age"], "sensitive": "disease"}
    here, there = (kproof.risk(rows, **roles).to_dict() for rows in (frame, frame.lazy()))
    assert here == there


def test_times_with_a_zone_are_refused():
    times = pl.Series([1, 2]).cast(pl.Datetime("us", "Europe/Rome"))
    with pytest.raises(DataError, match="column at: times with a zone"):
        kproof.check(
            pl.DataFrame({"at": times}).lazy(), privacy.KAnonymity(1), quasi_identifiers=["at"]
        )


def test_files_that_differ_are_refused(tmp_path):
    pl.DataFrame({"age": [1, 2]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"age": ["3"]}).write_parquet(tmp_path / "b.parquet")
    says = r"b\.parquet: column age holds VARCHAR, and BIGINT in"
    with pytest.raises(DataError, match=says):
        kproof.check(tmp_path, privacy.KAnonymity(1), quasi_identifiers=["age"])
    (tmp_path / "b.parquet").write_bytes((tmp_path / "a.parquet").read_bytes()[:100])
    with pytest.raises(DataError, match=r"b\.parquet: "):
        kproof.check(tmp_path, privacy.KAnonymity(1), quasi_identifiers=["age"])


def test_the_command(tmp_path):
    frame = pd.DataFrame({"age": [1, 1, 2], "disease": ["Flu", "HIV", "Flu"]})
    source = str(_duckdb_file(frame, tmp_path))
    asked = ("--qi", "age", "--sensitive", "disease")
    there = command("check", "--models-only", source, *asked, "--k", "1", "--json")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    here = command(
        "check", "--models-only", str(tmp_path / "rows.csv"), *asked, "--k", "1", "--json"
    )
    assert command("check", "--models-only", source, *asked, "--k", "2").status == 1
    assert there.document["verdicts"] == here.document["verdicts"]
    assert "k=1" in command("check", "--models-only", source, *asked).out


def test_spark():
    """Slow to begin with, so once, on one table."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    if which("java") is None:
        pytest.skip("Java is not installed")
    rows = [(30 + i % 3, "ab"[i % 2], ["Flu", "HIV", None][i % 3]) for i in range(30)]
    build = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = build.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    try:
        there = spark.createDataFrame(rows, "age long, zip string, disease string")
        here = pl.DataFrame(rows, schema=["age", "zip", "disease"], orient="row")
        assert judged(there) == judged(here)
    finally:
        spark.stop()


@cases(
    ("duckdb:missing.db?table=t", "missing.db: no such file"),
    ("duckdb:missing.db", "need ?table=NAME at its end"),
    ("postgres://me:secret@127.0.0.1:1/x?table=t", "postgres://me:…@127.0.0.1:1/x"),
    ("nonsense://x?table=t", "nonsense://x"),
    (".", "a folder without files *.parquet"),
)
def test_what_cannot_be_opened(source, says, here):
    told = refused("check", "--models-only", source, "--qi", "age", "--k", "2")
    assert says in told
    assert "secret" not in told
