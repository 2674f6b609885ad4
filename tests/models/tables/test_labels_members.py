"""Labels that tell too much: long sets and dates are refused before anything is written."""

from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import cases, error_line
from shell import kproof as run
from shell import refused
from tables import sealed

import kproof
from kproof.errors import DataError, InvalidArgument
from kproof.models.base.missing import MISSING
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.labels import MOST_DATES, MOST_MEMBERS
from kproof.models.tables.levels.ladders import holds_dates, is_date
from kproof.models.tables.table import Table

METHODS = ("mondrian", "kaca", "theta-sensitive", "p-plus-sensitive", "kaca-hierarchical")


def days(count: int) -> list[date]:
    return [date(1980, 1, 5) + timedelta(days=400 * i) for i in range(count)]


def people(column: str, values: list[Any]) -> pd.DataFrame:
    return pd.DataFrame(
        {column: values, "ill": [["flu", "cold", "hiv"][i % 3] for i in range(len(values))]}
    )


def anonymized(frame: Any, column: str, method: str = "mondrian", **more: Any) -> Any:
    asked = {"theta-sensitive": {"mu": "1/100"}, "p-plus-sensitive": {"p": 2}}.get(method, {})
    kinds = {"flu": "1", "cold": "1", "hiv": "2"}
    roles = {"quasi_identifiers": [column], "sensitive": "ill", "categories": kinds}
    return kproof.anonymize(method, frame, **roles, **asked, **{"k": 12, **more})


@pytest.mark.parametrize("method", METHODS)
def test_a_set_of_more_than_eight_is_refused(method):
    towns = [f"town {i % (MOST_MEMBERS + 1)}" for i in range(18)]
    assert error_line(DataError, anonymized, people("town", towns), "town", method, k=18) == (
        "column town: a class would show a set of 9 values ('town 0', 'town 1', …), at most 8; "
        'give the column levels, by ladders={"town": "prefix"} or a hierarchy (taxonomies), or '
        "allow more (most_members=9)"
    )
    eight = [f"town {i % MOST_MEMBERS}" for i in range(16)]
    assert anonymized(people("town", eight), "town", method, k=16).count == 1


WRITTEN = {
    "ISO": "%Y-%m-%d",
    "ISO with a time": "%Y-%m-%dT%H:%M:%SZ",
    "ISO with a space": "%Y-%m-%d %H:%M",
    "German": "%d.%m.%Y",
    "American": "%m/%d/%Y",
    "short": "%d/%m/%y",
    "slashes": "%Y/%m/%d",
    "named": "%d %B %Y",
    "named first": "%b %d, %Y",
    "hyphens": "%d-%b-%Y",
}


@pytest.mark.parametrize("style", WRITTEN)
def test_dates_that_are_written(style):
    """They have a calendar; as codes they are a set, which may not be long."""
    written = [day.strftime(WRITTEN[style]) for day in days(12)]
    assert all(map(is_date, written))
    frame = people("born", written)
    if style == "short":
        with pytest.raises(DataError, match=r"column born: .* has a year of two digits; say the"):
            anonymized(frame, "born")
    else:
        assert anonymized(frame, "born").label(0) == "born=*"
    with pytest.raises(
        DataError, match=r"column born: .* a set of \d+ dates or times .* at most 3"
    ):
        anonymized(frame, "born", numeric=CODES)


CODES = {"born": False}


def in_polars(born: list[Any]) -> pl.DataFrame:
    return pl.from_pandas(people("born", [*range(12)])).with_columns(pl.Series("born", born))


KINDS = {
    "date objects": lambda: people("born", days(12)),
    "pandas": lambda: people("born", list(pd.to_datetime(days(12)))),
    "polars dates": lambda: in_polars(days(12)),
    "polars times": lambda: in_polars([datetime(1980, 1, 1) + timedelta(i) for i in range(12)]),
    "arrow": lambda: pa.table({"born": days(12), "ill": ["flu", "cold", "hiv"] * 4}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_dates_of_every_kind_of_frame(kind):
    label = anonymized(KINDS[kind](), "born").label(0)
    assert label == ("born=1980-01" if kind == "polars times" else "born=*")
    with pytest.raises(DataError, match=r"column born: .* dates or times .* at most 3"):
        anonymized(KINDS[kind](), "born", numeric=CODES)


@pytest.mark.parametrize("distinct", [MOST_DATES, MOST_DATES + 1])
def test_a_few_dates_are_a_label(distinct):
    frame = people("born", [days(distinct)[i % distinct] for i in range(12)])
    if distinct <= MOST_DATES:
        assert anonymized(frame, "born", numeric=CODES).count == 1
    else:
        with pytest.raises(DataError, match=r'a set of 4 dates .* by ladders={"born": "date"} or'):
            anonymized(frame, "born", numeric=CODES)


def test_the_limit_can_be_raised_by_name_and_lowered():
    frame = people("born", days(12))
    assert anonymized(frame, "born", most_members=12, numeric=CODES).count == 1
    with pytest.raises(DataError, match=r"a set of 12 dates or times .* at most 11"):
        anonymized(frame, "born", most_members=11, numeric=CODES)
    with pytest.raises(DataError, match=r"a set of 2 values .* at most 1"):
        anonymized(people("town", ["a", "b"] * 6), "town", most_members=1)
    with pytest.raises(InvalidArgument, match="most_members = 0: need a whole number"):
        anonymized(frame, "born", most_members=0)


def test_hierarchies_and_ranges_are_not_sets():
    levels = Taxonomy.from_paths(
        [(str(day), f"{day.year // 10 * 10}s", "*") for day in days(12)], source="years"
    )
    frame = people("born", [str(day) for day in days(12)])
    assert anonymized(frame, "born", taxonomies={"born": levels}).label(0) == "born=*"
    numbers = people("born", [day.toordinal() for day in days(12)])
    assert anonymized(numbers, "born").label(0).startswith("born=[")
    with pytest.raises(DataError, match="a set of 12 values"):
        anonymized(numbers, "born", numeric={"born": False})


def test_a_missing_value_is_a_member():
    towns = [*(f"town {i}" for i in range(MOST_MEMBERS)), None]
    with pytest.raises(DataError, match="a set of 9 values"):
        anonymized(people("town", towns), "town", k=9)


def test_a_release_made_by_hand_is_not_written_either(tmp_path):
    frame = people("born", days(12))
    table = Table.from_frame(frame, quasi_identifiers=["born"], sensitive="ill", numeric=CODES)
    found = sealed(table, np.zeros(12, dtype=int))
    for call in (found.to_frame, lambda: found.to_csv(tmp_path / "out.csv"), found.published):
        assert "a set of 12 dates or times" in error_line(DataError, call)
    assert list(tmp_path.iterdir()) == []


@cases("HIV", "12345", "1980", "3-4", "1.5", "2020-13-01", "[20-30]", "12/7", "Mayor", "a 1")
def test_what_is_no_date(value):
    assert not is_date(value)


def test_most_values_decide():
    assert holds_dates(("2020-01-01", "2020-01-02", "unknown", MISSING))
    assert not holds_dates(("2020-01-01", "unknown", "none"))
    assert not holds_dates((MISSING,))
    assert is_date(time(8, 15))
    assert is_date("8:15 pm")


def test_the_command_writes_nothing(tmp_path):
    data, out = tmp_path / "data.csv", tmp_path / "out.csv"
    people("born", days(12)).to_csv(data, index=False)
    out.write_text("before")
    line = "anonymize mondrian --audience study {} --qi born --sensitive ill --k 12 --code born"
    words = line.format(data).split()
    said = refused(*words, "-o", str(out))
    assert said.startswith("column born: a class would show a set of 12 dates or times")
    assert out.read_text() == "before"
    assert run(*words, "-o", str(out), "--most-members", "12").status == 0
    assert "1980-01-05" in out.read_text()
    attacked = ("attack", "linkage", "mondrian", *words[4:])
    assert refused(*attacked).startswith("column born: a class would show")
    assert run(*attacked, "--most-members", "12").status in (0, 1)
