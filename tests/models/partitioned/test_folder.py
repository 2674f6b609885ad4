"""Folders anonymized by regions: every promise is held by the ordinary checkers."""

import errno
import json
import random
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from cases import cases
from clusters import threads
from hypothesis import given, settings
from hypothesis import strategies as st
from nights import by_day
from pyarrow import parquet

import kproof
from kproof.cluster import Cluster
from kproof.errors import DataError, Infeasible, InvalidArgument
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.methods import METHODS
from kproof.models.partitioned import folder as driver
from kproof.models.partitioned import work
from kproof.models.partitioned.account import FolderRelease
from kproof.models.partitioned.folder import anonymize_folder
from kproof.models.registry import Kind
from kproof.models.tables.readers import read_table
from kproof.models.tables.suppression.promised import promises_of
from kproof.models.tables.utility import utility

FLAT = Taxonomy.from_paths([(leaf, "*") for leaf in "abcd"])
DEEP = Taxonomy.from_paths(
    [("a", "west", "*"), ("b", "west", "*"), ("c", "east", "*"), ("d", "east", "*")]
)
ROLES = {
    "quasi_identifiers": ["age", "place", "code"],
    "sensitive": "illness",
    "identifiers": ["name"],
}
CATEGORIES = {"Flu": "mild", "Cold": "mild", "HIV": "grave", "Gout": "grave"}
ASKED = {
    "mondrian": [
        {"k": 2},
        {"k": 2, "partitioning": "relaxed"},
        {"k": 2, "cuts": "median", "l": 2},
        {"k": 3, "t": "1/2", "l": 2},
        {"k": 2, "mu": "1/2"},
    ],
    "theta-sensitive": [{"k": 2, "mu": "1/2"}, {"k": 3}],
    "p-plus-sensitive": [{"k": 2, "p": 2}],
    "p-alpha-sensitive": [{"k": 2, "p": 2, "alpha": "1/2"}],
    "kaca": [{"k": 2}, {"k": 3, "clustering": "k-means"}],
    "kaca-hierarchical": [{"k": 2}],
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with threads() as found:
        yield found


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    ages, codes = st.integers(20, 60) | st.none(), st.sampled_from(["1", "01", "1 ", None])
    ills = st.sampled_from(["Flu", "Flu", "Cold", "HIV", "Gout"])
    row = st.tuples(ages, st.sampled_from("abcd"), codes, ills)
    rows = draw(st.lists(row, min_size=3, max_size=40))
    age, *texts = zip(*rows, strict=True)
    columns = {"name": [f"n{number}" for number in range(len(rows))]}
    columns |= {"age": pa.array(age, pa.int64())}
    for name, cells in zip(("place", "code", "illness"), texts, strict=True):
        columns[name] = pa.array(cells, pa.string())
    return pa.table(columns)


def pieces(table: pa.Table, count: int, home: Path) -> Path:
    """Write a table as so many files, as even as they come."""
    data = home / "data"
    data.mkdir()
    for number in range(count):
        rows = range(number, table.num_rows, count)
        parquet.write_table(table.take(pa.array(rows, pa.int64())), data / f"{number}.parquet")
    return data


def released(
    method: str,
    table: pa.Table,
    count: int,
    regions: int,
    cluster: Cluster,
    home: Path,
    **asked: Any,
) -> tuple[FolderRelease, pa.Table]:
    home.mkdir(exist_ok=True)
    data = pieces(table, count, home)
    found = anonymize_folder(
        method, data, home / "out", cluster=cluster, regions=regions, **{**ROLES, **asked}
    )
    assert sorted(path.name for path in home.iterdir()) == ["data", "out"]
    assert sorted(path.name for path in (home / "out").iterdir()) == list(found.files)
    return found, parquet.read_table(home / "out")


def rows_of(table: pa.Table) -> Counter[tuple[object, ...]]:
    return Counter(zip(*(column.to_pylist() for column in table.columns), strict=True))


def test_every_method_for_tables_is_tried():
    own = {one.name for one in METHODS.values() if one.kind is Kind.TABLE and not one.whole}
    assert own == ASKED.keys()


@pytest.mark.parametrize("method", ASKED)
@given(
    table=tables(),
    count=st.integers(1, 7),
    regions=st.integers(1, 7),
    flat=st.booleans(),
    choice=st.integers(0, 4),
    order=st.randoms(use_true_random=False),
)
@settings(max_examples=by_day(2, at_night=5))
def test_what_is_promised_holds_for_all_regions_together(
    method, table, count, regions, flat, choice, order, cluster, tmp_path_factory
):
    asked = ASKED[method][choice % len(ASKED[method])]
    about = {
        "taxonomies": {"place": FLAT if flat else DEEP},
        "missing_as": "value",
        "categories": CATEGORIES if "p" in asked else None,
        "most_members": 100,
    }
    mixed = list(range(table.num_rows))
    order.shuffle(mixed)
    homes = [tmp_path_factory.mktemp("run") for _ in range(2)]
    try:
        found, out = released(method, table, count, regions, cluster, homes[0], **asked, **about)
    except (Infeasible, InvalidArgument, DataError) as refused:
        # Whatever is refused by regions is refused as a whole: cuts can be taken back.
        with pytest.raises(type(refused)):
            kproof.anonymize(method, table, **asked, **about, **ROLES)
        return
    assert "name" not in out.column_names
    assert out.num_rows == found.published == table.num_rows + found.noise - found.suppressed
    assert found.rows == table.num_rows
    roles = {name: ROLES[name] for name in ("quasi_identifiers", "sensitive")}
    whole = dict(about)
    about.pop("taxonomies"), about.pop("most_members")
    arguments = METHODS[method].complete_arguments(asked)
    models = promises_of(METHODS[method], arguments, read_table(table, **ROLES, missing_as="value"))
    for model in (*models.every, *models.of.get("illness", ())):
        for data in (out, homes[0] / "out"):
            (verdict,) = kproof.check(data, model, **roles, **about)
            assert verdict.holds, (str(verdict), out.to_pydict())
    kept = kproof.check(out, kproof.KAnonymity(1), **roles, **about)[0]
    assert kept.value == found.smallest or found.noise
    if found.noise == found.suppressed == 0:
        # What is published of illnesses is what there was.
        assert rows_of(out.select(["illness"])) == rows_of(table.select(["illness"]))
    if method == "mondrian" and asked.get("partitioning") != "relaxed":
        # Neither the order of rows nor how they were dealt out to files matters.
        other = table.take(pa.array(mixed, pa.int64()))
        again = released(method, other, 8 - count, regions, cluster, homes[1], **asked, **whole)
        assert rows_of(again[1]) == rows_of(out)


_MORE = ("Flu", "HIV", "HIV", "Gout")


def test_classes_of_two_regions_that_look_alike_reach_theta_together(cluster, tmp_path):
    """(2, 1, 1) and (1, 2, 1) reach 11/16 each, and (3, 3, 2) has 39/64 only."""
    ills = ["Flu", "Flu", "HIV", "Gout", "Flu", "HIV", "HIV", "Gout"]
    table = pa.table({"place": list("aabbccdd"), "illness": ills})
    roles = {"quasi_identifiers": ["place"], "identifiers": ()}
    asked = {"k": 4, "mu": "11/20", "taxonomies": {"place": FLAT}, **roles}
    apart, _ = released("mondrian", table, 2, 2, cluster, tmp_path / "k", **{**asked, "mu": None})
    # One class to a reader, although there are two regions.
    assert (apart.regions, apart.classes, apart.largest) == (2, 1, 8)
    with pytest.raises(Infeasible, match="of the whole table has variance 39/64"):
        released("mondrian", table, 2, 2, cluster, tmp_path / "theta", **asked)
    found, out = released("theta-sensitive", table, 2, 2, cluster, tmp_path / "noise", **asked)
    assert (found.cut, found.regions, found.again) == (2, 1, 1)
    (verdict,) = kproof.check(
        out, kproof.ThetaSensitivity(4, "11/20"), quasi_identifiers=["place"], sensitive="illness"
    )
    assert verdict.holds


def test_closeness_is_to_the_whole_table(cluster, tmp_path):
    """Each region by itself is all alike; against the table it is not."""
    table = pa.table({"age": [1, 1, 2, 2, 3, 3, 4, 4], "illness": ["Flu"] * 4 + ["HIV"] * 4})
    roles = {"quasi_identifiers": ["age"], "identifiers": ()}
    found, _ = released("mondrian", table, 1, 2, cluster, tmp_path / "a", k=2, t="1/4", **roles)
    assert (found.cut, found.regions, found.classes) == (2, 1, 1)
    found, _ = released("mondrian", table, 1, 2, cluster, tmp_path / "b", k=2, t="1/2", **roles)
    assert (found.regions, found.classes) == (2, 4)


def test_what_it_costs_is_counted_as_in_memory(cluster, tmp_path):
    chance = random.Random(7)
    table = pa.table(
        {
            "name": [str(number) for number in range(4000)],
            "age": [chance.randint(18, 90) for _ in range(4000)],
            "place": [chance.choice("abcd") for _ in range(4000)],
            "code": [str(chance.randint(1, 30)) for _ in range(4000)],
            "illness": [chance.choice(list(CATEGORIES)) for _ in range(4000)],
        }
    )
    asked = {"k": 5, "taxonomies": {"place": DEEP}}
    whole = kproof.anonymize("mondrian", table, **ROLES, **asked)
    one, _ = released("mondrian", table, 3, 1, cluster, tmp_path / "1", **asked)
    costs = utility(whole, queries=0)
    assert one.penalties == pytest.approx(costs.penalties, rel=1e-12)
    assert (one.classes, one.regions) == (costs.classes, 1)
    several, _ = released("mondrian", table, 3, 6, cluster, tmp_path / "6", **asked)
    assert several.regions == 6
    assert several.penalty == pytest.approx(one.penalty, rel=0.1)
    json.dumps(several.to_dict())
    assert "regions: 6" in several.summary()


@cases(
    ({"age": pa.array(["30", "31"])}, "column age holds string, and int64 in"),
    ({"age": pa.array([30, 31], pa.int32())}, "column age holds int32, and int64 in"),
    ({"when": pa.array([1, 2])}, "column when holds int64, and nothing in"),
)
def test_files_that_differ(columns, says, cluster, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    parquet.write_table(pa.table({"age": [30, 31]}), data / "a.parquet")
    parquet.write_table(pa.table({"age": [30, 31]} | columns), data / "b.parquet")
    with pytest.raises(DataError, match=f"b.parquet: {says}"):
        anonymize_folder(
            "mondrian", data, tmp_path / "out", quasi_identifiers=["age"], k=2, cluster=cluster
        )
    assert not (tmp_path / "out").exists()


def test_nothing_is_published_of_what_is_broken(cluster, tmp_path, monkeypatch):
    data = tmp_path / "data"
    data.mkdir()
    asked = {"quasi_identifiers": ["age"], "k": 2, "cluster": cluster}
    whole = data / "a.parquet"
    parquet.write_table(pa.table({"age": list(range(50))}), whole)
    (data / "b.parquet").write_bytes(whole.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"b.parquet: cannot be read: not a whole Parquet file"):
        anonymize_folder("mondrian", data, tmp_path / "out", **asked)
    (data / "b.parquet").unlink()

    def full(path: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(work, "scratch", full)
        with pytest.raises(DataError, match="encoding a piece: No space left on device"):
            anonymize_folder("mondrian", data, tmp_path / "out", **asked)
    with monkeypatch.context() as patch:
        patch.setattr(driver, "publish_folder", lambda files, home: full(home))
        with pytest.raises(OSError, match="No space left"):
            anonymize_folder("mondrian", data, tmp_path / "out", **asked)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@cases(
    ("full-domain", {}, "need another one for a folder: it shows all rows of a column"),
    ("density", {}, "need a method for tables"),
    ("mondrian", {"regions": 0}, "regions = 0"),
    ("mondrian", {"output": "data"}, "the folder is not empty"),
    ("mondrian", {"output": "data/out"}, "need a folder outside of the data"),
    ("mondrian", {"output": "no/out"}, "there is no folder"),
    ("mondrian", {"data": "nothing"}, "no such file or folder"),
    ("mondrian", {"quasi_identifiers": ["size"]}, "no column size; there are age"),
    ("mondrian", {"t": "1/2", "suppress": "5%"}, "none beside t for a folder"),
    ("theta-sensitive", {"classes": [1, 2], "sensitive": "age"}, "nothing for a folder"),
    ("mondrian", {"k": 60}, "the whole table: 50 rows"),
    ("mondrian", {"quasi_identifiers": [], "drop": ["age"]}, "at least one column"),
)
def test_bad_requests(method, more, says, cluster, tmp_path):
    (tmp_path / "data").mkdir()
    parquet.write_table(pa.table({"age": list(range(50))}), tmp_path / "data" / "a.parquet")
    asked = {"data": "data", "output": "out", "quasi_identifiers": ["age"], "k": 2, **more}
    data, output = (tmp_path / str(asked.pop(name)) for name in ("data", "output"))
    if method != "mondrian":
        asked.pop("k", None) if method == "density" else None
    with pytest.raises((DataError, Infeasible, InvalidArgument), match=says):
        anonymize_folder(method, data, output, cluster=cluster, **asked)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_gaps_and_not_a_number_are_one_value(cluster, tmp_path):
    table = pa.table({"pay": [float("nan"), None, 1.0, 1.0, -0.0, 0.0], "name": ["x"] * 6})
    asked = {"k": 2, "quasi_identifiers": ["pay"], "sensitive": None}
    found, out = released("mondrian", table, 3, 3, cluster, tmp_path / "a", **asked)
    assert found.classes == 3
    assert Counter(out["pay"].to_pylist()) == {"?": 2, "1": 2, "0": 2}
    assert Fraction(found.smallest) == 2


def test_dates_times_decimals_and_truth_values(cluster, tmp_path):
    draws = random.Random(3).choices(range(10**6), k=200)
    table = pa.table(
        {
            "born": [date(1950 + at % 50, 1, 1 + at % 28) for at in draws],
            "seen": [datetime(2024, 1 + at % 12, 1, at // 12 % 24) for at in draws],
            "pay": pa.array([Decimal(1000 + at % 4000) / 100 for at in draws], pa.decimal128(9, 2)),
            "member": [at % 2 == 0 for at in draws],
        }
    )
    roles = {"quasi_identifiers": table.column_names}
    asked = {"k": 4, "sensitive": None, "identifiers": ()} | roles
    found, out = released("mondrian", table, 3, 4, cluster, tmp_path / "a", **asked)
    assert found.regions == 4
    for data in (out, tmp_path / "a" / "out"):
        (verdict,) = kproof.check(data, kproof.KAnonymity(4), **roles)
        assert (verdict.holds, verdict.value) == (True, found.smallest)
    assert {str(kind) for kind in out.schema.types} == {"string"}
