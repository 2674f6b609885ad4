"""Reading files as they are distributed, and every way a file can be unusable."""

import csv
from fractions import Fraction
from pathlib import Path

import pytest
from cases import cases, error_line
from hypothesis import given, settings
from hypothesis import strategies as st
from public_data import data_file

from kproof.datasets import SHIPPED, Header, read_column, read_text_table
from kproof.errors import DataError, InvalidArgument

ADULT_HEAD = """\
39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, \
2174, 0, 40, United-States, <=50K
54, ?, 180211, Some-college, 10, Married-civ-spouse, ?, Husband, Asian-Pac-Islander, Male, \
0, 0, 60, South, >50K

"""


def write(folder: Path, text: str | bytes, name: str = "data.csv") -> str:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def values(*numbers: str | int) -> tuple[Fraction, ...]:
    return tuple(Fraction(number) for number in numbers)


def refusal(source: str, column: str | int = 1, header: str = "detect") -> str:
    message = error_line(DataError, read_column, source, column, header=header)
    assert "\n" not in message
    return message.removeprefix(source)


def test_a_plain_file_with_a_header(tmp_path):
    column = read_column(write(tmp_path, "name,age\nAda,36\nAlan,41.5\n"), "age")
    assert column.values == values("36", "41.5")
    assert (column.name, column.missing) == ("age", 0)


@pytest.mark.parametrize("separator", [",", ";", "\t", ", "])
def test_separators_are_found(tmp_path, separator):
    text = "\n".join(separator.join(row) for row in (["a", "b"], ["1", "2"], ["3", "4"]))
    assert read_column(write(tmp_path, text), "b").values == values(2, 4)


def test_a_comma_inside_cells_does_not_win_over_the_separator(tmp_path):
    table = read_text_table(write(tmp_path, "a;b\n1;2,5\n3;4\n"))
    assert table.names == ("a", "b")
    assert "decimal point" in refusal(table.source, "b")


def test_quotes_separators_and_line_ends_inside_cells(tmp_path):
    source = write(tmp_path, 'a,b\r\n"x, ""y""\nz",7\r\nw,oops\r\n')
    assert read_text_table(source).cells[0] == ('x, "y"\nz', "w")
    assert refusal(source, "b") == ", line 4: column 'b' has oops, need a number"


def test_a_byte_order_mark_is_not_part_of_the_first_name(tmp_path):
    assert read_column(write(tmp_path, b"\xef\xbb\xbfa,b\n1,2\n"), "a").values == values(1)


def test_a_file_without_a_header(tmp_path):
    source = write(tmp_path, "1,x\n2,y\n")
    assert read_text_table(source).names == ("column1", "column2")
    assert read_column(source, "column1").values == read_column(source, 1).values == values(1, 2)


@cases(("a,b", True), (",b", True), ("?,b", False), ("a,2019", False), ("NA,b", False))
def test_how_a_header_is_recognised(first, named, tmp_path):
    assert len(read_text_table(write(tmp_path, f"{first}\n1,2\n")).lines) == (1 if named else 2)


def test_the_header_can_be_said(tmp_path):
    source = write(tmp_path, "country,2019\nFR,1\n")
    assert read_text_table(source, header="yes").names == ("country", "2019")
    assert read_text_table(source, header=Header.NO).names == ("column1", "column2")
    with pytest.raises(InvalidArgument, match="header = maybe: need detect, yes or no"):
        read_text_table(source, header="maybe")


def test_a_name_wins_over_a_position(tmp_path):
    source = write(tmp_path, "2,1\n5,6\n")
    assert read_column(source, "2", header="yes").values == values(5)
    assert read_column(source, "2", header="no").values == values(1, 6)


def test_adult_without_header_gets_its_published_names(tmp_path):
    table = read_text_table(write(tmp_path, ADULT_HEAD))
    assert table.names[:3] == ("age", "workclass", "fnlwgt")
    assert table.names[-1] == "income"
    numeric = " ".join(table.names[position] for position in table.numeric)
    assert numeric == "age fnlwgt education-num capital-gain capital-loss hours-per-week"
    assert table.column("hours-per-week").values == values(40, 60)
    assert table.column(13).values == values(40, 60)


def test_the_test_half_of_adult_opens_with_a_comment_and_ends_classes_with_a_dot(tmp_path):
    text = "|1x3 Cross validator\n" + ADULT_HEAD.replace("50K", "50K.")
    assert read_column(write(tmp_path, text), "age").values == values(39, 54)


def test_fifteen_other_columns_are_not_taken_for_adult(tmp_path):
    row = ",".join(str(number) for number in range(15))
    assert read_text_table(write(tmp_path, row)).names[0] == "column1"


def test_missing_cells_are_counted(tmp_path):
    column = read_column(write(tmp_path, "a,b\n1,x\n?,x\n,x\n ? ,x\n2,x\n"), "a")
    assert column.values == values(1, 2)
    assert column.missing == 3


def test_blank_lines_are_not_rows(tmp_path):
    column = read_column(write(tmp_path, "a,b\n\n1,x\n   \n2,x\n\n\n"), "a")
    assert (column.values, column.missing) == (values(1, 2), 0)


def test_numbers_are_read_as_typed(tmp_path):
    column = read_column(write(tmp_path, "a,b\n0.1,x\n-2e3,x\n +7 ,x\n1e-9,x\n"), "a")
    assert column.values == values("1/10", -2000, 7, "1/1000000000")


@cases(
    ("abc", "has abc, need a number"),
    ("nan", 'if it is missing, say missing=["nan"]'),
    ("-INF", "need a finite number"),
    ('"1,234"', "no thousands separator"),
    ("2008/06", "has 2008/06, need a number"),
    ("1e700", "need a number"),
    ("1e-700", "need a number"),
    ("1e99999", "need a number"),
    ("0x10", "need a number"),
    ("1_000", "need a number"),
)
def test_cells_that_are_not_numbers(cell, says, tmp_path):
    message = refusal(write(tmp_path, f"a,b\n1,x\n{cell},x\n"), "a")
    assert message.startswith(", line 3: column 'a' has ")
    assert says in message


@cases(
    (b"", ": the file has no rows"),
    (b"\n\n", ": the file has no rows"),
    (b"a,b\n", ": column 'a' has no values (0 missing)"),
    (b"a,b\n?,1\n,2\n", ": column 'a' has no values (2 missing)"),
    (b"a,b\n1,2\n3\n", ", line 3: 1 cells where the first row has 2"),
    (b"a,b\n1,2\n3,4,5\n", ", line 3: 3 cells where the first row has 2"),
    (
        b"a,b\n1,2\n\x00,4\n",
        ", line 3: a NUL byte; save the file as UTF-8 text, or say its encoding if that is "
        'UTF-16: encoding="utf-16-le"',
    ),
    (
        b"a,b\n\xff,2\n",
        ": byte 0xff is not UTF-8; save the file as UTF-8, or say its encoding: "
        'encoding="cp1252" (Windows, Western Europe) or latin-1',
    ),
    (b"a,a\n1,2\n", ": column 'a' is there 2 times; say 1, 2"),
    (
        b'a,b\n"' + b"9" * 200_000 + b'",1\n',
        ", line 2: a cell of over 131072 characters; is a quotation mark left open?",
    ),
)
def test_files_that_cannot_be_used(text, says, tmp_path):
    assert refusal(write(tmp_path, text), "a") == says


def test_files_that_cannot_be_opened(tmp_path):
    assert refusal(str(tmp_path / "none.csv")).startswith(": no such file, and not a shipped table")
    assert "cannot be read" in refusal(str(tmp_path))
    assert "cannot be read" in refusal("a\0b")


@pytest.mark.parametrize("column", ["c", "0", "3", "-1", 0, 3, "²", "9" * 5000, ""])
def test_unknown_columns_are_answered_with_the_known_ones(tmp_path, column):
    message = refusal(write(tmp_path, "a,b\n1,2\n"), column)
    assert message.startswith(": no column ")
    assert message.endswith("; it has a, b")


def test_a_column_of_a_broken_byte_elsewhere_is_refused_too(tmp_path):
    body = b"a,b\n" + b"1,2\n" * 5000 + b"3,\xe9\n"
    assert "byte 0xe9 is not UTF-8" in refusal(write(tmp_path, body), "a")


def test_the_shipped_tables_can_be_read_and_saved(tmp_path):
    for name, shipped in SHIPPED.items():
        table = read_text_table(name)
        again = read_text_table(write(tmp_path, shipped.text))
        assert (table.names, table.cells) == (again.names, again.cells)
        assert shipped.title
        assert shipped.origin


def test_table_1a_is_the_published_one():
    table = read_text_table("table-1a")
    ages = "34 40 26 25 40 48 45 40 40 37 36 35"
    codes = "14247 14208 14205 14242 14054 13073 14066 14063 14243 14203 14204 14247"
    assert table.cells[0] == tuple(str(number) for number in range(1, 13))
    assert table.cells[2] == tuple(ages.split())
    assert table.cells[3] == tuple(codes.split())
    assert table.cells[5][-1] == "Indigestion"
    assert table.cells[1][8] == "YIN LI"


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=12).map(str.strip)


@settings(deadline=None, max_examples=60)
@given(
    rows=st.lists(st.tuples(CELLS, st.decimals(-1000, 1000, places=3), CELLS), min_size=1),
    separator=st.sampled_from([",", ";", "\t"]),
)
def test_what_a_csv_writer_wrote_is_read_back(tmp_path_factory, rows, separator):
    path = tmp_path_factory.mktemp("csv") / "data.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=separator, quoting=csv.QUOTE_ALL)
        writer.writerows([("first", "second", "third"), *rows])
    table = read_text_table(path)
    assert table.names == ("first", "second", "third")
    assert list(table.cells[0]) == [row[0] for row in rows]
    assert list(table.column("second").values) == [Fraction(str(row[1])) for row in rows]


def test_adult_as_distributed():
    adult = data_file("adult.data")
    ages = read_column(adult, "age")
    assert (len(ages.values), ages.missing, sum(ages.values)) == (32561, 0, 1256257)
    assert read_text_table(adult).cells[1].count("?") == 1836


@cases(
    'age,ill\n30,flu\n40,"cold\n50,flu\n',
    'age,ill\n30,flu\n40,"cold',
    'age,ill\n30,flu\n40,"cold\n\n\n',
)
def test_a_quotation_mark_that_is_left_open_is_told_with_its_line(text, tmp_path):
    assert ", line 3: a quotation mark is opened and not closed" in refusal(write(tmp_path, text))


def test_a_cell_with_lines_is_a_cell(tmp_path):
    path = write(tmp_path, 'ill,age\nflu,30\n"cold\nor ""flu""\n",40')
    assert read_text_table(path).cells[0] == ("flu", 'cold\nor "flu"\n')
