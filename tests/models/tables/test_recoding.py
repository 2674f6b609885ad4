"""Labels: truthful, least, unambiguous, and read back, whatever the values look like."""

import datetime as dt
from fractions import Fraction

import numpy as np
import pytest
from cases import error_line
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.encoding import encode
from kproof.models.tables.recoding import covers, read, recode, write_label

NASTY = st.text(st.sampled_from(list("ab ,\\{}?e[]-*=;'\n")), max_size=4)
NUMBERS = st.one_of(
    st.integers(-20, 20), st.floats(-1e6, 1e6, allow_nan=False), st.sampled_from([1e22, -1e-7])
)


def column_of(cells: list[object], **options: object) -> Column:
    uniques = [cell for cell in dict.fromkeys(cells) if cell is not MISSING]
    codes = [-1 if cell is MISSING else uniques.index(cell) for cell in cells]
    return encode("x", np.array(codes), uniques, **options)


@st.composite
def classed(draw: st.DrawFn, values: st.SearchStrategy[object]) -> tuple[list[object], list[int]]:
    """Cells with gaps, not all missing, and a class for each; every class occurs."""
    domain = draw(st.lists(values, min_size=1, max_size=6, unique=True))
    some = st.sampled_from([*domain, MISSING])
    cells = [domain[0], *draw(st.lists(some, max_size=12))]
    drawn = draw(st.lists(st.integers(-1, 3), min_size=len(cells), max_size=len(cells)))
    used = sorted({index for index in drawn if index >= 0})
    return cells, [used.index(index) if index >= 0 else -1 for index in drawn]


def members(cells: list[object], of_row: list[int]) -> list[set[object]]:
    return [
        {cell for cell, index in zip(cells, of_row, strict=True) if index == one}
        for one in range(max(of_row, default=-1) + 1)
    ]


@settings(max_examples=200)
@given(drawn=classed(NASTY))
def test_sets_cover_their_values_and_no_others(drawn):
    cells, of_row = drawn
    column = column_of(cells)
    classes = members(cells, of_row)
    recoded = recode(column, np.array(of_row), len(classes))
    labels = [recoded.label(index) for index in range(len(classes))]
    for label, held in zip(labels, classes, strict=True):
        for value in column.values:
            assert covers(label, value) == (value in held)
    for value in column.values:
        assert recoded.covers(value).tolist() == [value in held for held in classes]
    for one, label in zip(classes, labels, strict=True):
        for other, second in zip(classes, labels, strict=True):
            assert (one == other) == (label == second)


@settings(max_examples=200)
@given(drawn=classed(NUMBERS), probe=NUMBERS)
def test_ranges_cover_what_lies_between(drawn, probe):
    cells, of_row = drawn
    column = column_of(cells)
    classes = members(cells, of_row)
    recoded = recode(column, np.array(of_row), len(classes))
    for value in [*column.values, probe]:
        expected = []
        for held in classes:
            numbers = [Fraction(str(one)) for one in held if one is not MISSING]
            if value is MISSING:
                expected.append(MISSING in held)
            else:
                exact = Fraction(str(value))
                expected.append(bool(numbers) and min(numbers) <= exact <= max(numbers))
        assert recoded.covers(value).tolist() == expected
        labels = [recoded.label(index) for index in range(len(classes))]
        assert [covers(label, value) for label in labels] == expected


TREE = {"a": "{x", "b": "{x", "c": "y, z", "{x": "*", "y, z": "*", "d": "*"}


@settings(max_examples=200)
@given(drawn=classed(st.sampled_from("abcd")), gap=st.booleans())
def test_nodes_cover_what_is_below(drawn, gap):
    cells, of_row = drawn
    tree = Taxonomy.from_dict(TREE | ({"?": "*"} if gap else {}))
    bare = column_of(cells)
    taxonomy = tree.fitted(bare.values, column="x")
    column = Column("x", bare.codes, bare.values, numeric=False, taxonomy=taxonomy)
    classes = members(cells, of_row)
    recoded = recode(column, np.array(of_row), len(classes))
    for index, held in enumerate(classes):
        there = sorted(str(one) for one in held if one is not MISSING)
        above = {"ab": "{x", "a": "a", "b": "b", "c": "c", "d": "d", "": None}
        node = above.get("".join(there), "*")
        below = {"{x": "ab", "*": "abcd"}.get(str(node), str(node))
        label = recoded.label(index)
        for value in column.values:
            if value is MISSING:
                expected = value in held or node == "*"
            else:
                expected = str(value) in below and node is not None
            assert covers(label, value, taxonomy=taxonomy) == expected
            assert bool(recoded.covers(value)[index]) == expected
        assert label.startswith("{") or label in {"a", "b", "c", "d", "*", "?"}


def test_labels_as_published():
    ages = column_of([25, 26, 40, MISSING, -3])
    recoded = recode(ages, np.array([0, 0, 1, 1, 2]), 3)
    assert [recoded.label(i) for i in range(3)] == ["[25-26]", "{40, ?}", "-3"]
    assert recode(ages, np.array([0, 0, 0, 0, 0]), 1).label(0) == "{[-3-40], ?}"
    days = column_of([dt.date(2020, 1, 2), dt.date(2020, 1, 1)])
    assert recode(days, np.array([0, 0]), 1).label(0) == "{2020-01-01, 2020-01-02}"
    recoded = recode(column_of([10, 9, 10], numeric=False), np.array([0, 0, 1]), 2)
    assert [recoded.label(i) for i in range(2)] == ["{9, 10}", "10"]
    assert covers("{9, 10}", 9)
    assert not covers("{9, 10}", 9.5)


def test_a_root_needs_no_mark_for_a_missing_value():
    column = column_of(["a", "c", MISSING, "b"])
    tree = Taxonomy.from_dict({"a": "x", "b": "x", "x": "*", "c": "*"})
    fitted = tree.fitted(column.values, column="x")
    placed = Column("x", column.codes, column.values, numeric=False, taxonomy=fitted)
    for of_row, labels in (
        ([0, 0, 0, 0], ("*",)),
        ([0, 1, 0, 0], ("{x, ?}", "c")),
        ([0, 0, 1, 0], ("*", "?")),
        ([0, 1, 1, 1], ("a", "*")),
    ):
        recoded = recode(placed, np.array(of_row), len(labels))
        assert tuple(recoded.label(index) for index in range(len(labels))) == labels


def test_labels_do_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(7)
    cells = list("dacbdbca")
    of_row = np.array([0, 0, 0, 1, 1, 1, 2, 2])
    whole = recode(column_of(cells), of_row, 3)
    for _ in range(5):
        order = rng.permutation(8)
        again = recode(column_of([cells[i] for i in order]), of_row[order], 3)
        assert [again.label(i) for i in range(3)] == [whole.label(i) for i in range(3)]


@settings(max_examples=200)
@given(elements=st.lists(NASTY, unique=True), missing=st.booleans())
def test_what_is_written_is_read_back(elements, missing):
    label = write_label(elements, missing=missing or not elements)
    assert read(label) == (tuple(elements), missing or not elements)


@pytest.mark.parametrize("label", ["{a", "{a}b", "{a, {b}}", "{a\\}"])
def test_broken_sets_are_refused(label):
    assert "opens a brace and is not a set" in error_line(DataError, read, label)


def test_a_text_is_not_looked_for_among_numbers():
    ages = recode(column_of([25, 26]), np.array([0, 0]), 1)
    assert "x = young" in error_line(InvalidArgument, ages.covers, "young")
    assert ages.covers("25.5").tolist() == [True]


def test_sets_of_many_values():
    rng = np.random.default_rng(3)
    codes, of_row = rng.integers(0, 100, 2000), rng.integers(0, 400, 2000)
    of_row[:400] = np.arange(400)
    column = encode("x", codes, [f"v{code:02}" for code in range(100)])
    recoded = recode(column, of_row, 400)
    for index in range(400):
        held = sorted({f"v{code:02}" for code in codes[of_row == index]})
        assert read(recoded.label(index)) == (tuple(held), False)
