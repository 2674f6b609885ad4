"""Notations met in published libraries: a list of one text, and words joined by hyphens."""

import math
from datetime import date
from decimal import Decimal
from itertools import product

import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.models.tables.recoding import write_label
from kproof.proptests.labels.labels import covers


@cases(
    (["b,a"], ["a", "b"], ["c", "b,"]),
    # Of several elements each is a value as it stands, with whatever commas are in it.
    (["b,a", "c"], ["b,a", "c"], ["a", "b"]),
    ("a-b", ["a", "b", "a-b"], ["c"]),
    ("a-b-c", ["a", "b", "c"], ["d", "a-c"]),
    # A hyphen between words and numbers is part of a name.
    ("a-1", ["a-1"], ["a", 1, "1"]),
    ("a-0", ["a-0"], ["a", 0, "0"]),
    # A sign is no separator, and beside another separator a hyphen is none.
    ("{-8, ?}", [-8, None], [8]),
    ("{x-y, z}", ["x-y", "z"], ["x", "y"]),
    ("20-30", [20, 25, 30], [19, 31]),
    ("2000-01-02", ["2000-01-02"], [2000, 1]),
)
def test_met_elsewhere(label, inside, outside):
    assert [covers(label, value) for value in inside] == [True] * len(inside)
    assert not any(covers(label, value) for value in outside)


# What stands for something in some notation, and blanks, quotes and separators.
ODD = (
    *("", " ", "\t", "\xa0", "a ", " a", "a,b", "a, b", "a;b", "a|b", "a-b", "a~b", "{a", "}"),
    *("(a)", "[a]", "{a}", "'a'", '"', "it's", "\\", "\n", "?", "*", "a*", "nan", "any", "1"),
    *("01", "1e3", "20-30", ">=3", "4+", "2020", "2020-05", "Monday", "12:30", "1±2", "1,000"),
    *("区域", "A区域或未知", ",", "|", "~", "-", " to ", "1 to 2", "[1, 2)", "['a']", "''"),
    *("' '", "a'", "-1", "1/2", "\x00"),
)
NUMBERS = (
    0,
    -1,
    2,
    0.5,
    -0.0,
    1e-7,
    2**53 + 1,
    Decimal("1.10"),
    math.inf,
    1000,
    date(2019, 12, 31),
)
NOTATIONS = [
    lambda members, separator=separator, ends=ends: (
        ends[:1] + separator.join(map(str, members)) + ends[1:]
    )
    for separator, ends in product((",", ", ", ";", "; ", "|", " | ", "~"), ("", "{}", "[]", "()"))
]
NOTATIONS += [list, tuple, set, lambda members: "-".join(map(str, members))]
NOTATIONS += [
    lambda members, kind=kind: repr(kind(members)) for kind in (list, tuple, set, frozenset)
]
NOTATIONS += [lambda members: write_label([str(member) for member in members], missing=False)]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from([*ODD, *NUMBERS]), unique_by=repr, min_size=1, max_size=5), st.data()
)
def test_no_notation_denies_a_member(domain, data):
    members = data.draw(st.lists(st.sampled_from(domain), unique_by=repr, min_size=1))
    for write in NOTATIONS:
        label = write(members)
        denied = [value for value in members if covers(label, value, domain=domain) is False]
        assert denied == [], label


@pytest.mark.parametrize("write", NOTATIONS)
def test_every_notation_denies_what_is_no_member(write):
    for members in (["ab"], ["ab", "cd"], ["cd", "ef", "x"]):
        label, domain = write(members), ["ab", "cd", "ef", "x", None]
        assert [covers(label, value, domain=domain) for value in domain] == [
            value in members for value in domain
        ]
