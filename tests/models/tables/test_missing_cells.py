"""One meaning of "missing": the same rows make the same table from CSV, Parquet and frames."""

import csv
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import error_line
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import kproof
from kproof.datasets import LOOK_MISSING, read_column
from kproof.errors import DataError, InvalidArgument
from kproof.models.base.missing import MISSING
from kproof.models.tables.readers import read_classes, read_table

CELLS = st.sampled_from(["HIV", "Flu", "?", "", " ? ", "  ", "none", "x y"])
ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6)
ROLES = {"quasi_identifiers": ["town"], "sensitive": "ill"}


def _sources(rows: list[tuple[str, str]], folder: Path) -> list[object]:
    columns = {name: [row[place] for row in rows] for place, name in enumerate(("town", "ill"))}
    with (folder / "rows.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)
    parquet.write_table(pa.table(columns), folder / "rows.parquet")
    # The spaces around a cell are no part of it in a CSV file.
    plain = {name: [cell.strip() for cell in cells] for name, cells in columns.items()}
    nulls = {
        name: [None if cell in ("", "?") else cell for cell in cells]
        for name, cells in plain.items()
    }
    return [
        folder / "rows.csv",
        folder / "rows.parquet",
        pd.DataFrame(columns),
        pl.DataFrame(plain),
        pl.DataFrame(nulls, schema={"town": pl.String, "ill": pl.String}),
        pd.DataFrame(nulls, dtype="object"),
    ]


def _read(source: object, **more: Any) -> object:
    try:
        table = read_table(source, **ROLES, **more)
    except DataError as error:
        return str(error).rpartition("column ")[2]
    return [
        [str(column.values[code]).strip() for code in column.codes]
        for column in (*table.quasi_identifiers, table.sensitive)
        if column is not None
    ]


@given(rows=ROWS)
def test_the_source_does_not_matter(rows, tmp_path_factory):
    found = [_read(source) for source in _sources(rows, tmp_path_factory.mktemp("rows"))]
    assert all(one == found[0] for one in found), found


def test_the_classes_are_the_same(tmp_path):
    for source in _sources([("A", "Flu"), ("?", "HIV"), ("", "?"), ("A", "")], tmp_path):
        classes = read_classes(source, **ROLES)
        assert sorted(classes.sizes.tolist()) == [2, 2]
        assert MISSING in classes.values


def test_said_cells_replace_the_usual_ones(tmp_path):
    for source in _sources([("A", "-"), ("B", "Flu"), ("?", "HIV")], tmp_path)[:4]:
        table = read_table(source, **ROLES, missing=["-"])
        assert table.sensitive.values == ("Flu", "HIV", MISSING)
        assert table.quasi_identifiers[0].values == ("?", "A", "B")


@pytest.mark.parametrize("cell", sorted(LOOK_MISSING))
def test_what_looks_missing_is_asked_about_everywhere(cell, tmp_path):
    file, columns, *frames = _sources([("A", cell.upper()), ("B", "Flu")], tmp_path)[:4]
    # Each reading of a Parquet file is a process: what is read there goes the way of a frame.
    for source in (file, *frames, *([columns] if cell == "na" else [])):
        assert "looks like a missing value" in error_line(DataError, read_table, source, **ROLES)
        with pytest.raises(DataError, match="looks like a missing value"):
            kproof.check(source, kproof.KAnonymity(2), **ROLES)
        assert read_table(source, **ROLES, missing=[cell.upper()]).sensitive is not None
        assert read_table(source, **ROLES, missing_as="value").sensitive is not None


def test_a_text_for_missing_is_no_kind_beside_numbers():
    frame = pd.DataFrame({"town": [1, 2, "?"], "ill": ["Flu", "HIV", "Flu"]}, dtype=object)
    [town] = read_table(frame, **ROLES).quasi_identifiers
    assert (town.values, town.numeric) == ((1, 2, MISSING), True)


def test_numbers_for_a_bound_follow_the_same_rule(tmp_path):
    path = tmp_path / "ages.csv"
    path.write_text('age\n34\n?\n" "\n40\n')
    assert read_column(path, "age").missing == 2
    path.write_text("age\n34\nNA\n40\n")
    with pytest.raises(DataError, match="line 3: column 'age' has NA, need a number; if it is"):
        read_column(path, "age")
    assert read_column(path, "age", missing=["NA"]).missing == 1
    path.write_text("age\n34\n-99\n40\n")
    assert read_column(path, "age", missing=["-99"]).missing == 1


def test_one_text_is_no_list_of_cells():
    with pytest.raises(InvalidArgument, match="missing = NA: need a list of cells"):
        read_table("table-1a", quasi_identifiers=["Age"], missing="NA")
