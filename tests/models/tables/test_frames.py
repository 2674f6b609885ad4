"""Frames of every kind in, the same kind out, and never written to."""

import copy
import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from tables import data_frame, sealed

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING
from kproof.models.tables.frames import frame_of_columns
from kproof.models.tables.published import classes_of_frame
from kproof.models.tables.table import Table

Maker = Callable[[dict[str, list[object]]], object]
KINDS = [pd.DataFrame, pl.DataFrame, pa.table]
DATA = {
    "age": [40, 34, 26, 34],
    "country": ["USA", "Japan", None, "USA"],
    "disease": ["Flu", "HIV", "Flu", "HIV"],
}


def columns_of(table: Table) -> list[tuple[list[object], bool]]:
    every = (*table.quasi_identifiers, *((table.sensitive,) if table.sensitive else ()))
    return [([one.values[code] for code in one.codes], one.numeric) for one in every]


@pytest.mark.parametrize("make", KINDS)
def test_all_kinds_give_the_same_table(make):
    table = Table.from_frame(make(DATA), quasi_identifiers=["age", "country"], sensitive="disease")
    assert columns_of(table) == [
        ([40, 34, 26, 34], True),
        (["USA", "Japan", MISSING, "USA"], False),
        (["Flu", "HIV", "Flu", "HIV"], False),
    ]
    assert table.quasi_identifiers[0].values == (26, 34, 40)


@pytest.mark.parametrize("make", KINDS)
def test_the_same_kind_comes_out(make):
    source = make(DATA)
    table = Table.from_frame(source, quasi_identifiers=["age", "country"], sensitive="disease")
    frame = sealed(table, [0, 0, 1, 1]).to_frame()
    assert type(frame) is type(source)
    rows = frame.to_pandas() if not isinstance(frame, pd.DataFrame) else frame
    assert rows.to_dict("list") == {
        "age": ["[34-40]", "[34-40]", "[26-34]", "[26-34]"],
        "country": ["{Japan, USA}", "{Japan, USA}", "{USA, ?}", "{USA, ?}"],
        "disease": ["Flu", "HIV", "Flu", "HIV"],
    }


@cases([0, 0, 0, 0], [3, 2, 1, 0], ["x", "y", "x", None], [7.5, np.nan, 7.5, 1.0])
def test_an_index_never_matters(index):
    plain = pd.DataFrame(DATA)
    odd = pd.DataFrame(DATA)
    odd.index = pd.Index(index)
    roles = {"quasi_identifiers": ["age", "country"], "sensitive": "disease"}
    table = Table.from_frame(odd, **roles)
    assert columns_of(table) == columns_of(Table.from_frame(plain, **roles))
    frame = sealed(table, [0, 1, 0, 1]).to_frame()
    assert list(frame.index) == [0, 1, 2, 3]
    assert list(frame.columns) == ["age", "country", "disease"]
    sizes = classes_of_frame(odd, quasi_identifiers=["age"], sensitive="disease").sizes
    assert sizes.tolist() == [1, 2, 1]


@pytest.mark.parametrize("make", KINDS)
def test_the_source_is_unchanged(make):
    source = make(DATA)
    before = copy.deepcopy(source)
    table = Table.from_frame(source, quasi_identifiers=["age", "country"], sensitive="disease")
    sealed(table, [0, 0, 1, 1]).to_frame()
    assert source.equals(before)


@pytest.mark.parametrize("make", KINDS)
def test_every_kind_of_nothing_is_missing(make):
    nothing = {
        "float": [1.5, None, 2.5],
        "text": [None, "a", "b"],
        "time": [None, dt.datetime(2020, 1, 1), None],
        "bool": [True, None, False],
    }
    table = Table.from_frame(make(nothing), quasi_identifiers=list(nothing))
    missing = [[value is MISSING for value in values] for values, _ in columns_of(table)]
    assert missing == [[value is None for value in values] for values in nothing.values()]


def test_nan_is_missing_in_polars_and_nat_in_pandas():
    floats = Table.from_frame(pl.DataFrame({"x": [1.5, float("nan")]}), quasi_identifiers=["x"])
    assert columns_of(floats) == [([1.5, MISSING], True)]
    times = pd.DataFrame({"x": [pd.NaT, pd.Timestamp("2020-01-01")], "y": [pd.NA, 2]})
    table = Table.from_frame(times, quasi_identifiers=["x", "y"])
    assert [values[0] for values, _ in columns_of(table)] == [MISSING, MISSING]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_of_any_unit(unit):
    frame = pd.DataFrame({"x": np.array(["2020-01-01T10:30", "NaT"], dtype=f"M8[{unit}]")})
    table = Table.from_frame(frame, quasi_identifiers=["x"])
    assert table.quasi_identifiers[0].values == (dt.datetime(2020, 1, 1, 10, 30), MISSING)


@pytest.mark.parametrize("make", KINDS)
def test_a_day_is_a_date_in_every_kind_of_frame(make):
    days = [dt.date(2020, 4, 26), dt.date(2000, 1, 1)]
    table = Table.from_frame(make({"born": days}), quasi_identifiers=["born"])
    assert table.quasi_identifiers[0].values == tuple(sorted(days))
    assert {type(value) for value in table.quasi_identifiers[0].values} == {dt.date}


def test_nullable_and_categorical_columns():
    frame = data_frame(
        whole=pd.array([2**60 + 1, None, 3], dtype="Int64"),
        kind=pd.Categorical(["b", None, "a"], categories=["c", "b", "a"]),
    )
    table = Table.from_frame(frame, quasi_identifiers=["whole", "kind"])
    assert columns_of(table) == [([2**60 + 1, MISSING, 3], True), (["b", MISSING, "a"], False)]
    enum = pl.DataFrame({"kind": pl.Series(["b", "a"], dtype=pl.Categorical)})
    (kind,) = Table.from_frame(enum, quasi_identifiers=["kind"]).quasi_identifiers
    assert kind.values == ("a", "b")


@cases(
    pd.DataFrame([[1, 2, 3]], columns=["age", "x", "x"]),
    pa.Table.from_arrays([pa.array([1])] * 3, names=["age", "x", "x"]),
)
def test_duplicate_names_are_refused(frame):
    with pytest.raises(DataError, match="column x is there 2 times; rename one"):
        Table.from_frame(frame, quasi_identifiers=["age"])


@pytest.mark.parametrize("data", [[1, 2], {"age": [1]}, 3, pl.LazyFrame({"age": [1]})])
def test_what_is_no_frame_is_refused(data):
    with pytest.raises(InvalidArgument, match="need a pandas, Polars or PyArrow table"):
        Table.from_frame(data, quasi_identifiers=["age"])


def test_published_frames_may_mix_kinds():
    frame = data_frame(
        age=pd.Series([34, "34", "[34-40]", None, np.nan], dtype=object), s=list("aabbc")
    )
    classes = classes_of_frame(frame, quasi_identifiers=["age"], sensitive="s")
    assert classes.of_row.tolist() == [0, 0, 1, 2, 2]
    assert [classes.label(i) for i in range(3)] == ["age=34", "age=[34-40]", "age=?"]
    assert classes.values == ("a", "b", "c")
    assert not classes.ordered


def test_published_columns_may_be_all_missing():
    frame = pd.DataFrame({"age": [None, None], "s": [1, 2]})
    classes = classes_of_frame(frame, quasi_identifiers=["age"], sensitive="s")
    assert (classes.count, classes.ordered) == (1, True)
    with pytest.raises(DataError, match="the table has no rows"):
        classes_of_frame(frame[:0], quasi_identifiers=["age"])


@pytest.mark.parametrize("kind", KINDS)
@cases(
    ((Fraction(1, 3), 1, MISSING), ["1/3", "1", None]),
    ((Decimal("0.5"), 1, MISSING), ["0.5", "1", None]),
    ((0.5, 1, MISSING), [0.5, 1.0, None]),
)
def test_mixed_numbers_get_one_type(values, found, kind):
    column = Column("x", np.array([1, 0, 2], dtype=np.int32), values, numeric=True)
    frame = frame_of_columns([column], kind({"y": [1]}))
    rows = frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()
    assert [None if pd.isna(cell) else cell for cell in rows["x"]] == [found[1], found[0], None]


@given(
    rows=st.lists(
        st.tuples(
            st.none() | st.integers(-5, 5), st.none() | st.text("ab?", max_size=2), st.booleans()
        ),
        min_size=1,
        max_size=12,
    )
)
def test_encoding_loses_nothing(rows):
    columns = [list(column) for column in zip(*rows, strict=True)]
    names = [f"c{i}" for i, cells in enumerate(columns) if any(cell is not None for cell in cells)]
    data = {f"c{i}": cells for i, cells in enumerate(columns)}
    for make in KINDS:
        table = Table.from_frame(make(data), quasi_identifiers=names, missing=())
        for name, (values, _) in zip(names, columns_of(table), strict=True):
            assert [None if value is MISSING else value for value in values] == data[name]


def test_a_signaling_nan_is_named():
    frame = pd.DataFrame({"pay": [Decimal("sNaN"), Decimal(1)]})
    for read in (Table.from_frame, classes_of_frame):
        with pytest.raises(DataError, match="column pay has a Decimal that is a signaling NaN"):
            read(frame, quasi_identifiers=["pay"])
