"""Small tables: columns by their cells, frames, files, a release by the class of each row."""

import csv
from collections.abc import Sequence
from numbers import Number
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table


def column(
    name: str, cells: Sequence[Any], *, numeric: bool | None = None, tree: Taxonomy | None = None
) -> Column:
    """Return a column of cells, whose values are in their order and missing ones last.

    It is numeric where its values are numbers, unless that is said; its taxonomy gets a place for
    missing cells.
    """
    known = sorted({cell for cell in cells if cell is not MISSING})
    values = (*known, MISSING) if MISSING in cells else tuple(known)
    codes = np.array([values.index(cell) for cell in cells], dtype=np.int32)
    if numeric is None:
        numeric = bool(known) and all(isinstance(value, Number) for value in known)
    fitted = None if tree is None else tree.fitted(values, column=name)
    return Column(name, codes, values, numeric, fitted)


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file by the names of its columns."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def sealed(table: Table, class_of: Sequence[int], **account: Any) -> Release:
    """Return the release that puts each row into a class, made by no method."""
    about = {"method": "m", "parameters": {}} | account
    return seal(table, np.array(class_of), **about)


def data_frame(**columns: Any) -> pd.DataFrame:
    """Return a pandas frame of columns by name."""
    return pd.DataFrame(columns)
