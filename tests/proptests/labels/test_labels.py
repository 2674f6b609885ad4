"""Reading labels: every notation covers what it says and nothing else; kproof's own exactly."""

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.models.base.missing import MISSING
from kproof.models.tables.recoding import covers as kproof_covers
from kproof.models.tables.recoding import write_label
from kproof.proptests.contract import TableCase, TablePublication
from kproof.proptests.labels.cells import canonical, is_missing, point, same
from kproof.proptests.labels.labels import covers, own_covering
from kproof.proptests.labels.matching import fits, rows_unmatched, with_sensitive

PLACES = {"Ulm": "Germany", "Bonn": "Germany", "Rome": "Italy", "Germany": "*", "Italy": "*"}
DAY = date(2020, 5, 17)


@cases(
    (34, [34, 34.0, "34", Decimal(34), np.int64(34)], [35, None, "a"]),
    ("0.1", [0.1, Fraction(1, 10)], [0.1000001]),
    ("1/3", [Fraction(1, 3)], [0.333]),
    ("a b", ["a b"], ["a", None]),
    (True, [True, "True"], [False, 1]),
    ("20-30", [20, 25, 30, "25"], [19, 31, None]),
    ("-5--1", [-5, -3], [0, 5]),
    ("20..30", [20, 30], [31]),
    ("20 to 30", [20, 30], [31]),
    ("20~30", [20, 25, 30], [31]),
    ("[20, 30]", [20, 25, 30], [19, 31]),
    ("[20-30]", [20, 25, 30], [19, 31]),
    ("(20, 30]", [21, 30], [20, 31]),
    ("[20, 30)", [20, 29], [30]),
    ("(20-30)", [21, 29], [20, 30]),
    ("[20, inf)", [20, 10**9], [19]),
    ("(-inf, 20]", [-(10**9), 20], [21]),
    (">= 40", [40, 41], [39, None]),
    (">40", [41], [40]),
    ("≤ 40", [40, -1], [41]),
    ("<40", [39], [40]),
    ("40+", [40, 99], [39]),
    (pd.Interval(20, 30, closed="left"), [20, 29], [30, None]),
    (pd.Interval(20, 30), [21, 30], [20]),
    ((20, 30), [20, 25, 30], [31]),
    ([20, 30], [20, 25, 30], [31]),
    ({20, 30}, [20, 30], [25]),
    (frozenset({"a", "b"}), ["a", "b"], ["c"]),
    (("a", "b", "c"), ["a", "b", "c"], ["d"]),
    ("a, b", ["a", "b"], ["c", None]),
    ("a~b", ["a", "b"], ["c"]),
    ("a;b", ["a", "b"], ["c"]),
    ("a|b", ["a", "b"], ["c"]),
    ("{a, b}", ["a", "b"], ["c"]),
    ("{'a', 'b'}", ["a", "b"], ["c"]),
    ("['a', \"b\"]", ["a", "b"], ["c"]),
    ("('a', 'b')", ["a", "b"], ["c"]),
    ("frozenset({'a', 'b'})", ["a", "b"], ["c"]),
    ("{a}", ["a"], ["b"]),
    ("{1, 5}", [1, 5], [3]),
    ("{[1-3], 7}", [1, 2, 3, 7], [5]),
    ("a, b, c", ["a, b", "b, c", "a"], ["a, c"]),
    ("476**", [47677, "47600"], ["4767", 47577]),
    ("476*", [4761, 47611, "476"], [4751]),
    ("*77", [477, "47677"], [478]),
    ("4*6*7", [42617], [426177, 52617]),
    ("G56155区域", ["G56155", "G5615530120"], ["G56156", None]),
    ("G56155区域或未知", ["G5615530120", None], ["S1"]),
    ("全部区域", ["G5", "S1"], [None]),
    ("2020-05-01-2020-06-01", [DAY, datetime(2020, 5, 17, 8), "2020-05-17"], [date(2020, 7, 1)]),
    ("[2020-05-01, 2020-06-01]", [DAY], [date(2020, 4, 30)]),
    ("2020-05-17", [DAY, datetime(2020, 5, 17)], [date(2020, 5, 18)]),
    ("08:00-09:30", ["08:15", "9:30"], ["09:31", 8]),
    ("{a\\, b, c}", ["a, b", "c"], ["d"]),
    ("?", ["?", None], ["a", 3]),
    ("{25, ?}", [25, None], [26]),
)
def test_notations(label, inside, outside):
    for value in inside:
        assert covers(label, value) is True, value
    for value in outside:
        assert not covers(label, value), value


@cases("*", "**", "Any", "~any", "ALL", "suppressed", None, float("nan"))
def test_a_label_for_everything(label):
    for value in (3, "a", None, DAY):
        assert covers(label, value) is True


def test_an_empty_cell_leaves_open_what_it_stands_for():
    for domain in (["x", "y"], ["x", None], [3, 4]):
        assert all(covers("", value, domain=domain) for value in domain)
    assert covers("", "x", domain=["x", ""]) is False


def test_nodes_of_a_hierarchy():
    assert covers("Germany", "Ulm", hierarchy=PLACES) is True
    assert covers("Germany", "Rome", hierarchy=PLACES) is False
    assert covers("Germany", None, hierarchy=PLACES) is False
    assert covers("Germany, Rome", "Bonn", hierarchy=PLACES) is True
    assert covers("Top", None, hierarchy={"a": "Top", "Top": "Top"}) is True
    assert covers("Top", "a", hierarchy={"a": "Top", "Top": "Top"}) is True
    assert covers("Top", "b", hierarchy={"a": "Top", "Top": "Top"}) is False


@pytest.mark.parametrize("label", ["a mess", "20 or so", "[a", "30-20", "{a", "[)"])
def test_what_cannot_be_read(label):
    assert covers(label, 25) is None
    assert covers(label, "b", domain=["a", "b"]) is None
    assert covers(label, label, domain=["a", "b"]) is True
    assert covers(label, "b", domain=["b", label]) is False


def test_the_same_cell_by_another_type():
    assert same(1, 1.0)
    assert same("1", 1)
    assert same("1e2", 100)
    assert same("", None)
    assert same(DAY, "2020-05-17")
    assert same(DAY, pd.Timestamp(DAY))
    assert not same("a", "A")
    assert not same(True, 1)
    assert canonical("1") != canonical(1)
    assert canonical("1") != canonical("1.0")
    assert canonical(1) == canonical(1.0) == canonical(np.float64(1))
    assert canonical(0.1) == Fraction(1, 10)
    # As texts these equal sets differ: 0 and 8 fall into one slot, and the first one stays there.
    assert canonical(frozenset([0, 8])) == canonical(frozenset([8, 0.0]))
    noons = [datetime(2020, 1, 1, 12, tzinfo=timezone(timedelta(hours=hours))) for hours in (0, 1)]
    assert canonical(noons[0]) != canonical(noons[1])
    assert same(noons[0], noons[1])
    assert is_missing(pd.NA)
    assert is_missing(pd.NaT)
    assert is_missing(MISSING)
    assert not is_missing("")
    assert point("25:99") is None
    assert point("9:30:15") == point("09:30:15") != point("9:30") == point("09:30:00")
    assert point("2020-13-01") is None
    assert point(float("inf")) is None


texts = st.text(st.sampled_from("ab,\\{}?[]- 12e"), max_size=4)


@settings(max_examples=300, deadline=None)
@given(st.lists(texts, min_size=1, max_size=3, unique=True), st.booleans(), texts)
def test_own_labels_of_texts_cover_their_elements_only(elements, gap, other):
    reading = own_covering(write_label(elements, missing=gap))
    assert reading is not None
    assert all(map(reading, elements))
    assert reading(None) == gap
    assert reading(other) == (other in elements)


numbers = st.one_of(st.integers(-30, 30), st.sampled_from([0.5, -2.25, 1e-7, 3.0]))


@settings(max_examples=200, deadline=None)
@given(numbers, numbers, st.booleans(), numbers)
def test_own_labels_of_numbers_cover_their_range_only(low, high, gap, other):
    low, high = sorted((low, high))
    label = write_label([f"[{low}-{high}]" if low < high else str(low)], missing=gap)
    reading = own_covering(label)
    assert reading is not None
    assert reading(low)
    assert reading(high)
    assert reading(other) == (low <= other <= high)
    assert reading(None) == gap
    assert kproof_covers(label, other) == reading(other)
    assert covers(label, other) == reading(other)


def test_an_own_label_that_is_none():
    for label in ("{a", "{", "{a}b}", "{a\\}"):
        assert own_covering(label) is None
    germany = own_covering("{Germany, ?}", hierarchy=PLACES)
    assert germany is not None
    assert [germany(value) for value in ("Ulm", "Rome", None)] == [True, False, True]
    star = own_covering("*")
    assert star is not None
    assert star("Ulm")


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 5), st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_a_maximum_matching_leaves_as_few_rows_as_can_be(rows, originals, seed):
    table = np.random.default_rng(seed).random((rows, originals)) < 0.35
    left = rows_unmatched(table)
    seats = [*range(originals), *([None] * rows)]
    best = min(
        sum(seat is None or not table[row, seat] for row, seat in enumerate(chosen))
        for chosen in permutations(seats, rows)
    )
    assert len(left) == best


def test_what_fits_whom():
    columns = {"age": (25, 31, None), "town": ("Ulm", "Rome", "Bonn"), "ill": ("Flu", "HIV", "Flu")}
    case = TableCase(columns, ("age", "town"), "ill", hierarchies={"town": PLACES})
    published = TablePublication(
        {"age": ("20-30", "*"), "town": ("Germany", "odd"), "ill": ("HIV", "Flu")}
    )
    possible, unreadable = fits(case, published)
    # What cannot be read may be anybody's.
    assert possible.tolist() == [[True, False, False], [True, True, True]]
    assert [(one.column, one.label, one.rows) for one in unreadable] == [("town", "odd", (1,))]
    assert with_sensitive(possible, case, published).tolist() == [
        [False, False, False],
        [True, False, True],
    ]
    # A column that is not published covers everybody.
    bare = TablePublication({"ill": ("HIV", "Flu")})
    possible, unreadable = fits(case, bare)
    assert possible.all()
    assert with_sensitive(possible, case, bare).tolist() == [
        [False, True, False],
        [True, False, True],
    ]
