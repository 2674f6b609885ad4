"""Files: CSV as it is distributed, Parquet, and what is refused in one line."""

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cases import error_line
from hypothesis import given
from hypothesis import strategies as st
from public_data import data_file

from kproof.errors import DataError
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING
from kproof.models.tables.readers import read_classes, read_table

TEXT = """\
name, age, zip, sex, disease
Ada, 36, 01234, f, Flu
Bob, ?, 14208, ?, HIV
Cyd, 4.50, 14208,, Flu
"""


def cells(column: Column) -> list[object]:
    return [column.values[code] for code in column.codes]


def refusal(read: Callable[[], object]) -> str:
    message = error_line(DataError, read)
    assert "\n" not in message
    return message


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    path.write_text(TEXT)
    return path


def test_columns_are_numeric_if_all_their_cells_are(path):
    table = read_table(path, quasi_identifiers=["age", "zip", "sex"], sensitive="disease")
    age, postcode, sex = table.quasi_identifiers
    assert (cells(age), age.numeric) == ([36, MISSING, 4.5], True)
    assert (cells(postcode), postcode.numeric) == (["01234", "14208", "14208"], False)
    assert cells(sex) == ["f", MISSING, MISSING]
    assert (table.rows, table.source) == (3, None)


def test_codes_with_zeros_can_be_made_numbers_and_numbers_codes(path):
    table = read_table(path, quasi_identifiers=["age", "zip"], numeric={"age": False, "zip": True})
    age, postcode = table.quasi_identifiers
    assert (cells(age), age.numeric) == (["36", MISSING, "4.50"], False)
    assert (cells(postcode), postcode.numeric) == ([1234, 14208, 14208], True)


def test_the_caller_says_what_is_missing(path):
    table = read_table(path, quasi_identifiers=["sex", "name"], missing=["Ada"])
    sex, name = table.quasi_identifiers
    assert cells(sex) == ["f", "?", ""]
    assert cells(name) == [MISSING, "Bob", "Cyd"]


def test_files_that_cannot_be_used(tmp_path, path):
    def message(text: str | bytes, *names: str) -> str:
        wrong = tmp_path / "wrong.csv"
        wrong.write_bytes(text if isinstance(text, bytes) else text.encode())
        said = refusal(lambda: read_table(wrong, quasi_identifiers=names))
        assert said.startswith(str(wrong))
        return said.removeprefix(str(wrong))

    assert message("a,b\n1,2\n3\n", "a") == ", line 3: 1 cells where the first row has 2"
    assert "byte 0xe9 is not UTF-8" in message(b"a,b\n1,\xe9\n", "a")
    assert message("a,b\n", "a") == ": the table has no rows"
    assert message("", "a") == ": the file has no rows"
    assert message("a,a\n1,2\n", "a") == ": column a is there 2 times; rename one"
    assert message("a,b\n1,2\n", "c") == ": no column c; there are a, b"
    assert message("a,b\n?,2\n?,3\n", "a") == ": column a has no values: all are missing"
    assert "no such file" in refusal(lambda: read_table("none.csv", quasi_identifiers=["a"]))
    said = refusal(lambda: read_table(path, quasi_identifiers=["sex"], numeric={"sex": True}))
    assert said == f"{path}: column sex has f; need numbers"


def test_parquet(tmp_path):
    path = tmp_path / "data.parquet"
    pd.DataFrame({"age": [36, None, 4], "sex": ["f", "m", None], "name": list("abc")}).to_parquet(
        path
    )
    for read in (read_table,):
        table = read(path, quasi_identifiers=["age"], sensitive="sex", identifiers=["name"])
        assert cells(table.quasi_identifiers[0]) == [36, MISSING, 4]
    assert read_classes(path, quasi_identifiers=["sex"]).sizes.tolist() == [1, 1, 1]
    said = refusal(lambda: read_table(path, quasi_identifiers=["height"]))
    assert said == f"{path}: no column height; there are age, sex, name"
    path.write_text("no parquet")
    said = refusal(lambda: read_table(path, quasi_identifiers=["age"]))
    assert said == f"{path}: cannot be read: not a Parquet file"
    said = refusal(lambda: read_table(tmp_path / "no.parquet", quasi_identifiers=["age"]))
    assert said.endswith("no.parquet: cannot be read: No such file or directory")


def test_classes_of_a_published_file(tmp_path):
    path = tmp_path / "published.csv"
    path.write_text("age,sex,disease\n[3-5],f,Flu\n[3-5],f,HIV\n?,m,Flu\n,m,Flu\n007,m,Flu\n")
    ranks = {"HIV": "grave", "Flu": "mild"}
    classes = read_classes(
        path, quasi_identifiers=["age", "sex"], sensitive="disease", categories=ranks
    )
    found = [(classes.label(index), int(classes.sizes[index])) for index in range(classes.count)]
    assert found == [("age=007, sex=m", 1), ("age=[3-5], sex=f", 2), ("age=?, sex=m", 2)]
    assert (classes.values, classes.categories) == (("Flu", "HIV"), ("grave", "mild"))
    assert classes.category.tolist() == [1, 0]


@given(
    rows=st.lists(
        st.tuples(st.sampled_from(["1", "2", "10", "?", ""]), st.text("ab,'\" é", max_size=3)),
        min_size=1,
        max_size=8,
    )
)
def test_what_was_written_is_read(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("csv") / "data.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows(
            [("n", "t", "x"), *((*r, "x") for r in rows)]
        )
    expected = [
        [MISSING if cell.strip() in ("?", "") else cell.strip() for cell in column]
        for column in zip(*rows, strict=True)
    ]
    there = [name for name, column in zip("nt", expected, strict=True) if set(column) - {MISSING}]
    table = read_table(path, quasi_identifiers=["x", *there], header="yes")
    found = {column.name: cells(column) for column in table.quasi_identifiers}
    for name, column in zip("nt", expected, strict=True):
        if name == "n" and name in there:
            numbers = [cell if cell is MISSING else int(str(cell)) for cell in column]
            assert found[name] == numbers
        elif name in there:
            assert found[name] == column


def test_adult_as_distributed():
    adult = data_file("adult.data")
    table = read_table(adult, quasi_identifiers=["age", "workclass", "sex"], sensitive="occupation")
    age, workclass, sex = table.quasi_identifiers
    assert table.rows == 32561
    assert (age.values[0], age.values[-1], age.numeric) == (17, 90, True)
    assert np.count_nonzero(workclass.codes == workclass.missing) == 1836
    assert sex.values == ("Female", "Male")
    assert len(table.sensitive.values) == 15


def test_text_among_numbers_is_named_and_can_be_declared(tmp_path):
    path = tmp_path / "mixed.csv"
    path.write_text("age,dis\n20,a\n21,b\nNA,a\n22,b\n", encoding="utf-8")
    with pytest.raises(DataError, match="column age mixes numbers and text: NA among numbers"):
        read_table(path, quasi_identifiers=["age"], sensitive="dis")
    declared = read_table(path, quasi_identifiers=["age"], sensitive="dis", missing=["NA"])
    assert declared.quasi_identifiers[0].numeric
    codes = read_table(path, quasi_identifiers=["age"], sensitive="dis", numeric={"age": False})
    assert not codes.quasi_identifiers[0].numeric
