"""Tables: roles, encoding, missing values and everything that is refused."""

import copy
import datetime as dt
import pickle
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from cases import cases, error_line
from hypothesis import given
from hypothesis import strategies as st
from tables import data_frame

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.columns import Column, group_rows
from kproof.models.base.missing import MISSING, text
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.encoding import encode, is_number
from kproof.models.tables.readers import read_table
from kproof.models.tables.table import Table

FRAME = data_frame(
    name=["Ada", "Bob", "Cyd", "Dan"],
    age=[36, 41, 36, 20],
    sex=["f", "m", None, "m"],
    disease=["Flu", "HIV", "Flu", "Cancer"],
)


def refusal(frame: object = FRAME, **roles: object) -> str:
    roles = {"quasi_identifiers": ["age"]} | roles
    return error_line((DataError, InvalidArgument), Table.from_frame, frame, **roles)


def test_roles_and_codes():
    table = Table.from_frame(
        FRAME, quasi_identifiers=["age", "sex"], sensitive="disease", identifiers=["name"]
    )
    age, sex = table.quasi_identifiers
    assert (table.rows, age.numeric, sex.numeric) == (4, True, False)
    assert age.values == (20, 36, 41)
    assert age.codes.tolist() == [1, 2, 1, 0]
    assert sex.values == ("f", "m", MISSING)
    assert (sex.codes.tolist(), sex.missing, age.missing) == ([0, 1, 2, 1], 2, None)
    assert table.sensitive.values == ("Cancer", "Flu", "HIV")
    assert table.identifiers == ("name",)
    assert age.codes.dtype == np.int32


@cases(
    ({"quasi_identifiers": ["height"]}, "no column height; there are name, age, sex, disease"),
    ({"quasi_identifiers": []}, "quasi_identifiers = '': need at least one column"),
    ({"quasi_identifiers": "age"}, "quasi_identifiers = age: need a list of column names"),
    ({"quasi_identifiers": [3]}, "quasi_identifiers = 3: need column names, which are text"),
    (
        {"quasi_identifiers": ["age"], "sensitive": "age"},
        "sensitive = age: need a column that is not among quasi_identifiers already",
    ),
    (
        {"quasi_identifiers": ["age", "age"]},
        "quasi_identifiers = age: need a column that is not among quasi_identifiers already",
    ),
    (
        {"identifiers": ["age"]},
        "identifiers = age: need a column that is not among quasi_identifiers already",
    ),
    ({"sensitive": "nothing"}, "no column nothing;"),
    ({"identifiers": ["nothing"]}, "no column nothing;"),
    ({"numeric": {"name": True}}, "numeric = name: need the name of a column with a role"),
    (
        {"taxonomies": {"sex": Taxonomy.from_dict({"f": "*", "m": "*"})}},
        "taxonomies = sex: need the name of a quasi-identifier",
    ),
    ({"categories": {"Flu": 1}}, "categories = given: need a sensitive column with them"),
    (
        {"sensitive": "disease", "categories": {"Flu": 1, "HIV": 2}},
        "column disease: value Cancer has no category; give every sensitive value one",
    ),
    (
        {"quasi_identifiers": ["sex"], "taxonomies": {"sex": Taxonomy.from_dict({"f": "*"})}},
        "column sex: value m is not in taxonomy; add a path for it",
    ),
    ({"quasi_identifiers": ["sex"], "numeric": {"sex": True}}, "column sex has f; need numbers"),
)
def test_roles_that_do_not_fit_are_refused(roles, says):
    assert refusal(**roles).startswith(says)


@cases(
    ([34, "n/a"], "column age mixes a number and text: 34 and n/a; need one kind"),
    ([1, True], "column age mixes a number and a truth value: 1 and True; need one kind"),
    (["a", dt.date(2020, 1, 1)], "column age mixes a date and text: 2020-01-01 and a"),
    ([None, np.nan], "column age has no values: all are missing"),
    ([1.0, np.inf], "column age has inf; need finite numbers"),
    ([[1], [2]], "column age has [1] of type list; need numbers, text, truth values or dates"),
    ([], "the table has no rows"),
)
def test_values_that_do_not_fit_are_refused(values, says):
    frame = pd.DataFrame({"age": pd.Series(values, dtype=object)})
    assert refusal(frame).startswith(says)


def test_numbers_keep_their_look():
    gaps = pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": [1.0, 2.0, 3.0], "c": [2**60, 1, 2**60 + 1]})
    table = Table.from_frame(gaps, quasi_identifiers=["a", "b", "c"])
    shown = [[text(value) for value in column.values] for column in table.quasi_identifiers]
    assert shown == [["1", "3", "?"], ["1.0", "2.0", "3.0"], ["1", str(2**60), str(2**60 + 1)]]


def test_text_is_read_as_numbers_on_request():
    cells = ["10", "9", "007", "2.50", "0.10000000000000000000000001"]
    column = encode("x", np.arange(5), cells, numeric=True)
    assert column.values == (Fraction("0.10000000000000000000000001"), 2.5, 7, 9, 10)
    assert [column.values[code] for code in column.codes] == [10, 9, 7, 2.5, column.values[0]]


def test_numbers_can_be_codes():
    table = Table.from_frame(FRAME, quasi_identifiers=["age"], numeric={"age": False})
    assert not table.quasi_identifiers[0].numeric


def test_a_taxonomy_makes_numbers_categorical():
    decades = Taxonomy.from_paths([(36, "30s", "*"), (41, "40s", "*"), (20, "20s", "*")])
    table = Table.from_frame(FRAME, quasi_identifiers=["age"], taxonomies={"age": decades})
    (age,) = table.quasi_identifiers
    assert not age.numeric
    assert age.nodes is not None
    assert [decades.labels[node] for node in age.nodes] == ["20", "36", "41"]


def test_dates_and_truth_values_are_kept():
    frame = data_frame(
        when=pd.to_datetime(["2020-02-01", None, "2020-01-01"]),
        day=[dt.date(2020, 1, 2), None, dt.date(2020, 1, 1)],
        flag=[True, False, True],
        price=[Decimal("1.50"), Decimal("1.25"), None],
    )
    table = Table.from_frame(frame, quasi_identifiers=list(frame.columns))
    when, day, flag, price = table.quasi_identifiers
    assert text(when.values[0]) == "2020-01-01T00:00:00"
    assert day.values == (dt.date(2020, 1, 1), dt.date(2020, 1, 2), MISSING)
    assert flag.values == (False, True)
    assert (price.values, price.numeric) == ((Decimal("1.25"), Decimal("1.50"), MISSING), True)


def test_categories_rank_by_first_appearance_and_match_by_text():
    frame = pd.DataFrame({"age": [1, 2, 3], "code": [30, 10, 20]})
    ranks = {"20": "grave", "10": "mild", "30": "grave"}
    table = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="code", categories=ranks)
    assert table.category_codes is not None
    codes, categories = table.category_codes
    assert (codes.tolist(), categories) == ([1, 0, 0], ("grave", "mild"))


def test_a_missing_sensitive_value_has_a_category_of_its_own():
    frame = pd.DataFrame({"age": [1, 2], "disease": ["Flu", None]})
    table = Table.from_frame(
        frame, quasi_identifiers=["age"], sensitive="disease", categories={"Flu": 1}
    )
    assert table.category_codes[0].tolist() == [0, 1]
    assert table.category_codes[1] == (1, MISSING)


def test_missing_is_one_value_everywhere():
    # Bytes made on this line, no input: pools pickle tables, and MISSING is compared by identity.
    assert pickle.loads(pickle.dumps(MISSING)) is MISSING
    assert copy.deepcopy((MISSING,))[0] is MISSING
    assert str(MISSING) == "?"


@pytest.mark.parametrize("cell", ["0", "-1", "+5", "1.", ".5", "1.50", "1e5", "-1.5E-3"])
def test_cells_that_are_numbers(cell):
    assert is_number(cell)


@cases("", "+", ".", "007", "-01", "1,5", "1/2", "e5", "nan", "0x1", "٣")
def test_cells_that_are_not(cell):
    assert not is_number(cell)


WIDE = tuple(range(1 << 20))


@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1)), min_size=1),
    wide=st.booleans(),
)
def test_rows_are_grouped_by_equality_in_order(rows, wide):
    # Wide domains go through hashing, narrow ones through counting.
    domain = WIDE if wide else WIDE[:4]
    columns = [
        Column(str(i), np.array(codes, dtype=np.int32), domain, numeric=True)
        for i, codes in enumerate(zip(*rows, strict=True))
    ]
    of_row, count = group_rows(columns, len(rows))
    classes = sorted(set(rows))
    assert count == len(classes)
    assert [classes[index] for index in of_row] == rows


def test_equivalence_classes_of_a_table():
    of_row, count = Table.from_frame(FRAME, quasi_identifiers=["age"]).equivalence_classes
    members = defaultdict(list)
    for row, index in enumerate(of_row.tolist()):
        members[index].append(row)
    assert (dict(members), count) == ({0: [3], 1: [0, 2], 2: [1]}, 3)


def test_what_is_wrong_with_a_ladder_is_told_with_its_column():
    with pytest.raises(InvalidArgument, match="ladder = Age=range:5,12: need each width a multi"):
        read_table("table-1a", quasi_identifiers=["Age"], ladders={"Age": "range:5,12"})
