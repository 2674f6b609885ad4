"""Suppressed rows of somebody's release: those that show a mark in every quasi-identifier.

What the mark is, the reader of a published table says. A marked row that shows nothing else tells
of nobody and is left out of account. One that shows more is judged: whoever fits no other class is
known to be among the marked rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kproof.errors import DataError
from kproof.models.base.arrays import Flags
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, text
from kproof.models.tables.encoding import encode, is_number
from kproof.models.tables.roles import Encoded, Roles


def without_blank_rows(read: Encoded, roles: Roles) -> tuple[Encoded, int]:
    """Return what was read without the suppressed rows that show nothing, and how many these are.

    A sensitive value that shows the mark is missing. A row with missing values in place of marks
    shows nothing if that is so of all suppressed rows. Other rows must be there.

    >>> roles = Roles.of(quasi_identifiers=["age"], suppressed="*")
    >>> ages = Column("age", np.array([0, 1, 0], dtype=np.int32), ("*", "[20-29]"), numeric=False)
    >>> others, blank = without_blank_rows(Encoded(3, {"age": ages}), roles)
    >>> others.rows, blank
    (1, 2)
    """
    mark = roles.suppressed
    if mark is None:
        return read, 0
    marked = np.ones(read.rows, dtype=np.bool_)
    for name in roles.quasi_identifiers:
        marked &= shows_mark(read.columns[name], mark)
    blank, empty = marked.copy(), marked.copy()
    for name in roles.encoded:
        if name not in roles.quasi_identifiers:
            shows = shows_mark(read.columns[name], mark)
            blank &= shows
            empty &= shows | (read.columns[name].codes == read.columns[name].missing)
    # Where others show a value, one that nobody recorded is a value of somebody among them.
    if np.array_equal(empty, marked):
        blank = empty
    count = int(np.count_nonzero(blank))
    if count == read.rows:
        raise DataError(f"all {count} rows are suppressed: they show {mark} and nothing else")
    remaining = {}
    for name, column in read.columns.items():
        unmarked = _unmark(column, mark) if name in roles.secrets else column
        remaining[name] = replace(unmarked, codes=unmarked.codes[~blank])
    return replace(read, rows=read.rows - count, columns=remaining), count


def shows_mark(column: Column, mark: str) -> Flags:
    """Say of each row whether it shows the mark."""
    marks = np.array([text(value) == mark for value in column.values], dtype=np.bool_)
    return np.asarray(marks[column.codes])


def _unmark(column: Column, mark: str) -> Column:
    """Return a column of values that are missing where it shows the mark."""
    values = [value for value in column.values if value is not MISSING and text(value) != mark]
    if len(values) == len(column.values):
        return column
    place = {value: position for position, value in enumerate(values)}
    codes = np.array([place.get(value, -1) for value in column.values])[column.codes]
    numbers = all(is_number(text(value)) for value in values)
    return encode(column.name, codes, values, numeric=True if numbers else None)
