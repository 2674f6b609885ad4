"""Ladders: labels true of what lies below them, levels nested, and round trips through files."""

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import cases, error_line
from hypothesis import given, settings
from hypothesis import strategies as st
from shell import kproof as run
from shell import refused, typed
from tables import data_frame

import kproof
from kproof.errors import DataError, InvalidArgument
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, text
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.axes import axis
from kproof.models.tables.levels.ladders import helpful, ladder
from kproof.models.tables.table import Table
from kproof.models.tables.writers import hierarchy_rows, write_hierarchy
from kproof.proptests.labels.labels import covers

days = st.dates(date(1850, 1, 1), date(2150, 1, 1))
moments = st.datetimes(datetime(1850, 1, 1), datetime(2150, 1, 1)).map(
    lambda one: one.replace(microsecond=0)
)
clocks = st.times().map(lambda one: one.isoformat(timespec="minutes"))
wholes = st.integers(-150, 150)
decimals = st.decimals(-150, 150, places=1).map(float)
codes = st.text("0123", min_size=3, max_size=3)
lengths = st.text("abc", min_size=1, max_size=4)
KINDS = {
    "date": days,
    "date:year": days.map(str),
    "date:month,5y,20y": days,
    "datetime": moments,
    "datetime:day,quarter": moments.map(str),
    "week": days,
    "weekday": days,
    "time": clocks,
    "range:5,10,50": wholes,
    "range:2.5,5": decimals,
    "range:7,21;origin=3": wholes,
    "round:10,100": wholes,
    "round:1,3": decimals,
    "prefix": codes,
    "prefix:2": lengths,
    "beginning": lengths,
    "order:0<1<2<3<4<5<6": st.sampled_from("0123456"),
}


@settings(max_examples=25)
@pytest.mark.parametrize("spec", KINDS)
@given(data=st.data())
def test_labels_are_true_of_what_lies_below(spec, data):
    """Read by the property suite's own reader, which knows neither ladders nor their trees."""
    values = data.draw(st.lists(KINDS[spec], min_size=1, max_size=12, unique_by=text))
    tree = ladder(spec).taxonomy(values, "x")
    nodes = tree.of(values)
    for level in range(1, tree.top):
        of_value = [tree.labels[node] for node in tree.at_level(level)[nodes]]
        for value, label in zip(values, of_value, strict=True):
            if spec.startswith("order"):
                low, _, high = label.partition("..")
                assert low <= str(value) <= (high or low)
            else:
                assert covers(label, value, domain=values), label
            # What a label leaves out lies under another of its level.
            for other, its in zip(values, of_value, strict=True):
                if its != label and not spec.startswith(("order", "round")):
                    assert not covers(label, other, domain=values), label


@pytest.mark.parametrize("spec", KINDS)
@settings(max_examples=25)
@given(data=st.data())
def test_levels_nest_and_a_file_keeps_them(spec, data):
    values = data.draw(st.lists(KINDS[spec], min_size=1, max_size=12, unique_by=text))
    if data.draw(st.booleans()):
        values.append(MISSING)
    tree = ladder(spec).taxonomy(values, "x").fitted(values, column="x")
    nodes = tree.of(values)
    assert [tree.labels[node] for node in tree.at_level(0)[nodes]] == list(map(text, values))
    assert len(set(tree.at_level(tree.top)[nodes].tolist())) == 1
    for level in range(tree.top):
        low, high = tree.at_level(level)[nodes], tree.at_level(level + 1)[nodes]
        assert len(set(zip(low.tolist(), high.tolist(), strict=True))) == len(set(low.tolist()))
    back = Taxonomy.from_paths(hierarchy_rows(tree, values, "x"))
    assert back.top == tree.top
    at_home = back.of(values)
    for level in range(tree.top + 1):
        assert [back.labels[node] for node in back.at_level(level)[at_home]] == [
            tree.labels[node] for node in tree.at_level(level)[nodes]
        ]


@given(st.lists(days, min_size=2, max_size=12, unique=True), st.data())
def test_a_class_of_dates_has_the_finest_label_of_the_calendar(held, data):
    """The lowest common node, from the definition of month, quarter, year and decade."""
    part = data.draw(st.lists(st.sampled_from(held), min_size=1, unique=True))
    first, last = min(part), max(part)
    if first == last:
        wanted = first.isoformat()
    elif (first.year, first.month) == (last.year, last.month):
        wanted = f"{first.year}-{first.month:02d}"
    elif (first.year, (first.month - 1) // 3) == (last.year, (last.month - 1) // 3):
        wanted = f"{first.year}-Q{(first.month - 1) // 3 + 1}"
    elif first.year == last.year:
        wanted = str(first.year)
    else:
        wanted = f"{first.year // 10}0s" if first.year // 10 == last.year // 10 else "*"
    written = [f"{day.day}.{day.month}.{day.year}" for day in part]
    every = [f"{day.day}.{day.month}.{day.year}" for day in held]
    label = ladder("date").taxonomy(every, "born").label_of(written)
    assert label == (written[0] if first == last else wanted)


@given(st.lists(days, min_size=2, max_size=15))
def test_cuts_are_in_time_however_dates_are_written(held):
    frame = pd.DataFrame({"born": [f"{day.day}.{day.month}.{day.year}" for day in held]})
    table = Table.from_frame(frame, quasi_identifiers=["born"])
    ranks = axis(table.quasi_identifiers[0]).ranks.tolist()
    pairs = list(zip(held, ranks, strict=True))
    assert all((one < other) == (low < high) for one, low in pairs for other, high in pairs)


def patients(rows: int = 60) -> pd.DataFrame:
    draw = np.random.default_rng(7)
    born = [date(1950, 1, 1) + timedelta(days=int(one)) for one in draw.integers(0, 20000, rows)]
    return data_frame(
        born=[day.strftime("%d/%m/%Y") for day in born],
        zip=[f"{one:05d}" for one in draw.integers(53700, 53800, rows).tolist()],
        ill=draw.choice(["flu", "cold", "hiv"], rows).tolist(),
    )


ROLES = {"quasi_identifiers": ["born", "zip"], "sensitive": "ill"}


@pytest.mark.parametrize("method", ["mondrian", "kaca", "kaca-hierarchical", "p-plus-sensitive"])
def test_dates_get_a_calendar_by_themselves_and_codes_a_ladder(method):
    more = {}
    if method == "p-plus-sensitive":
        more = {"p": 2, "categories": {"flu": "1", "cold": "1", "hiv": "2"}}
    more |= {"ladders": {"zip": "prefix"}, "least_levels": {"born": "month"}}
    release = kproof.anonymize(method, patients(), **ROLES, k=5, **more)
    frame = release.to_frame()
    assert all(re.fullmatch(r"\d{4}(-\d\d|-Q[1-4])?|\d{3}0s|\*", one) for one in frame["born"])
    assert all(re.fullmatch(r"[\d*]{5}|\*", one) for one in frame["zip"])
    assert "levels: born by date (written DD/MM/YYYY), zip by prefix" in release.summary()
    assert release.to_dict()["ladders"] == {"born": "date (written DD/MM/YYYY)", "zip": "prefix"}
    assert frame.groupby(["born", "zip"]).size().min() >= 5


def test_levels_by_name_and_number_and_what_is_refused():
    frame = patients()

    def column(**more: Any) -> Column:
        return Table.from_frame(frame, **ROLES, **more).quasi_identifiers[0]

    assert column(least_levels={"born": "year"}).least_level == 3
    assert column(most_levels={"born": 3}).most_level == 3
    assert column(least_levels={"born": "3"}).least_level == 3
    for level, option in ((9, "least_levels"), ("century", "most_levels"), (-1, "least_levels")):
        assert error_line(InvalidArgument, column, **{option: {"born": level}}) == (
            f"{option} = born={level}: need a level of ladder date (written DD/MM/YYYY), 0 to 5: "
            "0 value, 1 month, 2 quarter, 3 year, 4 decade, 5 *"
        )
    with pytest.raises(InvalidArgument, match="most_levels = born=1: need at least the least"):
        column(least_levels={"born": 2}, most_levels={"born": 1})
    with pytest.raises(InvalidArgument, match="least_levels = zip: need a column with a hierarchy"):
        column(least_levels={"zip": 1})
    with pytest.raises(InvalidArgument, match="ladders = ill: need the name of a quasi-identifier"):
        column(ladders={"ill": "prefix"})
    tree = Taxonomy.from_paths([(one, "*") for one in set(frame["zip"])])
    with pytest.raises(InvalidArgument, match="ladders = zip: need a ladder or a taxonomy"):
        column(ladders={"zip": "prefix"}, taxonomies={"zip": tree})
    # As codes dates stay as they are.
    assert column(numeric={"born": False}).taxonomy is None


def test_a_most_level_is_kept_or_refused():
    frame = patients()
    tree = kproof.anonymize("mondrian", frame, **ROLES, k=5, ladders={"zip": "prefix"})
    assert {one for one in tree.to_frame()["born"] if one.endswith("s") or one == "*"}
    with pytest.raises(DataError, match=r"column born: \d+ of \d+ classes would show a higher le"):
        kproof.anonymize(
            "mondrian", frame, **ROLES, k=5, ladders={"zip": "prefix"}, most_levels={"born": 3}
        )
    few = frame.assign(born=["01/02/1980", "13/02/1980"] * 30)
    roles = ROLES | {"ladders": {"zip": "prefix"}}
    assert kproof.anonymize("mondrian", few, **roles, k=40, most_levels={"born": "month"}).count
    with pytest.raises(DataError, match="higher level than 0, such as 1980-02; allow a higher"):
        kproof.anonymize("mondrian", few, **roles, k=40, most_levels={"born": 0})


def test_published_labels_are_no_dates():
    """What somebody published is taken as it stands: two days are two labels."""
    frame = pd.DataFrame({"born": ["03/04/2020", "04/03/2020"] * 2, "ill": ["a", "b", "c", "d"]})
    [verdict] = kproof.check(
        frame, kproof.KAnonymity(2), quasi_identifiers=["born"], sensitive="ill"
    )
    assert verdict.holds


def missing_tree(spec: str, values: Sequence[object]) -> str:
    return error_line((DataError, InvalidArgument), lambda: ladder(spec).taxonomy(values, "x"))


@cases(
    ("date", [], "column x has no values: all are missing"),
    ("date", ["2020-04-26 10:15"], "2020-04-26 10:15' has a time of day; use the ladder datet"),
    ("date:week", ["2020-04-26"], "decade or years, such as 20y; weeks and days of the week"),
    ("date:year,month", ["2020-04-26"], "need steps from the finest, one dividing the next: month"),
    ("date:decade,15y", ["2020-04-26"], "need steps from the finest"),
    ("date:month,month", ["2020-04-26"], "need steps from the finest"),
    ("date;zone=UTC", ["2020-04-26"], "need ;format=… or ;from=… behind date, once"),
    ("date;format=%d/%m", ["26/04"], "format = %d/%m: need day, month and year"),
    ("datetime;zone=Mars", ["2020-04-26"], "zone = Mars: need a time zone, such as Europe/B"),
    ("time", ["2020-04-26"], "column x: 2020-04-26 is no time; need such as 2023-01-02 13:45"),
    ("time:quarter,hour", ["08:15"], "need of minute, hour, quarter, in this order"),
    ("range", [3], "need at least one width, such as 5,10,20"),
    ("range:5,12", [3], "each width a multiple of the one before, unlike 12"),
    ("range:0", [3], "need widths above 0"),
    ("range:5", ["many"], 'column x: many is no number; say missing=["many"] if it stands'),
    ("prefix:2,3", ["123"], "need falling numbers of characters, such as 3,2"),
    ("prefix", ["53*"], "column x: 53* has the sign * of what is left out; give it a hierarchy"),
    ("prefix", ["x" * 40], "has 40 characters; say how many of them the levels show"),
    ("datetime;zone=Asia/Tokyo", ["9999-12-31T23:00Z"], "is in no year of the calendar there"),
    ("order:low<low", ["low"], "need different categories, low<medium<high"),
    ("order:low<high", ["middle"], "column x: middle is not among low<high; add it to the order"),
    ("order:low<high", ["*"], "the value * looks like the highest level of order:low<high"),
    ("flat", ["f", "*"], "the value * looks like the highest level of flat"),
    ("flat:2", ["f"], "ladder = flat:2: need flat alone; it has no steps"),
    ("beginning:3", ["f"], "ladder = beginning:3: need beginning alone; it has no steps"),
    ("prefix", [" 12"], "column x: ' 12' has spaces around it; strip the values"),
)
def test_bad_input(spec, values, says):
    assert says in missing_tree(spec, values)


def test_what_would_help_is_named():
    def named(*values: object) -> str:
        return helpful(Column("x", np.zeros(1, dtype=np.int32), values, numeric=False))

    assert named("2020-01-01", "2020-01-02") == "date"
    assert named("7", "23", MISSING) == "range:10,100"
    assert named("53715", "53703") == "prefix"
    assert named("Bonn", "Ulm") == "flat"


def test_rounding_says_how_far_off_it_is():
    values = [*range(-200, 201), *(Fraction(one, 4) for one in range(-40, 40))]
    tree = ladder("round:10,100").taxonomy(values, "x")
    for value in values:
        for node in tree.ancestors(tree.index[text(value)])[:-1]:
            middle, _, off = tree.labels[node].partition("±")
            assert abs(value - Fraction(middle)) <= Fraction(off)
    wide = {label for label in tree.labels if "±55" in label}
    assert wide == {f"{middle}±55" for middle in range(-200, 201, 100)}


def test_the_command_writes_what_the_option_reads(tmp_path):
    data, tree, out = tmp_path / "data.csv", tmp_path / "born.csv", tmp_path / "out.csv"
    frame = patients()
    frame.loc[0, "born"] = None
    frame.to_csv(data, index=False)
    ran = run("hierarchy", str(data), "--column", "born", "--ladder", "date:year", "-o", str(tree))
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("born by date:year (written DD/MM/YYYY): ")
    lines = tree.read_text(encoding="utf-8").splitlines()
    assert lines[-1] == "?;?;*"
    assert all(re.fullmatch(r"\d\d/\d\d/(\d{4});\1;\*", line) for line in lines[:-1])
    asked = ("--qi", "born,zip", "--sensitive", "ill", "--k", "9")
    words = ("anonymize", "mondrian", "--audience", "study", str(data), *asked)
    ladders = ("--ladder", "zip=prefix:4,3,2", "-o", str(out))
    assert run(*words, *ladders, "--taxonomy", f"born={tree}").status == 0
    by_file = out.read_text()
    assert run(*words, *ladders, "--ladder", "born=date:year").status == 0
    assert out.read_text() == by_file
    document = run("hierarchy", str(data), "--column", "born", "-o", str(tree), "--json").document
    assert document["labels"][-1] == 1
    before = tree.read_text()
    said = refused("hierarchy", str(data), "--column", "zip", "--ladder", "date", "-o", str(tree))
    assert said.startswith(f"{data}: column zip: ")
    assert refused("hierarchy", str(data), "--column", "ill", "-o", str(tree)) == (
        "--ladder is not given: need --ladder for ill, which holds no dates; flat is the value or *"
    )
    assert tree.read_text() == before
    ran = run("hierarchy", str(data), "--column", "ill", "--ladder", "flat", "-o", str(tree))
    assert ran.out.startswith("ill by flat (the value or *): ")
    assert all(re.fullmatch(r"[^;]+;\*", line) for line in tree.read_text().splitlines())


def test_a_label_with_a_semicolon_comes_back(tmp_path):
    path = tmp_path / "tree.csv"
    tree = Taxonomy.from_paths([("a;b", 'say "x"', "*"), ("c", "c", "*")])
    assert write_hierarchy(path, tree, ["c", "a;b"], "x") == 2
    assert Taxonomy.from_csv(path).labels == tree.labels


@cases(
    ("a;;*\nb;x;*\n", "path a;;* has an empty label"),
    ("a;x;*\nb;y\n", "paths end at both * and y; need one root"),
    ("a;x;x;y;*\nb;x;y;y;*\n", "at level 1 x stands for values that are x and y at level 2;"),
    ("a;x;*\n", "value b is not in"),
)
def test_a_file_with_gaps_or_levels_that_part_again(lines, says, tmp_path):
    data, tree, out = (tmp_path / name for name in ("data.csv", "tree.csv", "out.csv"))
    data.write_text("x,ill\na,flu\nb,hiv\n")
    tree.write_text(lines)
    line = "anonymize mondrian --audience study {data} --qi x --sensitive ill --k 2 -o {out}"
    said = refused(*typed(line, data=data, out=out), "--taxonomy", f"x={tree}")
    assert "column x: " in said
    assert says in said
    assert not out.exists()


def test_codes_that_lost_zeros_are_masked_as_if_they_had_them():
    tree = ladder("prefix:3;width=5").taxonomy(["1067", "01069", "10115"], "plz")
    assert set(tree.labels) == {"*", "010**", "101**", "1067", "01069", "10115"}
    assert ladder("prefix:3;width=5").spec == "prefix:3;width=5"
    for wrong in ("prefix;width=x", "prefix;width=0", "flat;width=5"):
        with pytest.raises(InvalidArgument):
            ladder(wrong)


def test_dates_written_in_several_formats_are_read_if_no_day_has_two_readings():
    tree = ladder("date:month;format=%d.%m.%Y|%Y-%m-%d").taxonomy(["26.4.2020", "2020-04-03"], "a")
    assert "2020-04" in tree.labels
    with pytest.raises(DataError, match="is 2020-04-03 or 2020-03-04 by the formats that are said"):
        ladder("date;format=%d/%m/%Y|%m/%d/%Y").taxonomy(["03/04/2020"], "a")
    assert "day, month and year" in error_line(InvalidArgument, ladder, "date;format=%d.%m.%Y|%m")
