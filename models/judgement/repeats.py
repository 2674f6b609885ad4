"""Whether rows seem to be several of one person, though nobody said whom they are about."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.base.columns import Column, group_rows
from kproof.models.base.missing import text
from kproof.models.tables.detection.types import NAMES_PEOPLE, detect
from kproof.models.tables.table import Table

MOST_ROWS = 100
"""Rows of a person at most, on average: what repeats more often is no person."""

_TIMES = 10
"""So many times more pairs of rows that look alike than chance makes are no chance."""

_FEW = 3
"""Values of a column that no place tells of its people, as their sex is."""

_LEAST = 20
"""People from which on it is no accident that one column tells another."""


def repeated(table: Table) -> tuple[str, ...]:
    """Return known columns that repeat as they do in several rows of one person; none if none do.

    Either the values of one column name or number people, or tell a measured number or one of two
    or three values, such as an account its holder's age or sex: zip codes tell towns, but neither
    of these. Or rows agree in all known
    columns, or all but one, ten times as often as they would if columns had nothing to do with one
    another, and values stand in two to a hundred rows. Columns that another one tells are left out
    of that, as a town beside its zip code.

    Examples
    --------
    >>> who = Column("account", np.arange(40, dtype=np.int32) // 2, tuple(range(20)), False)
    >>> age = Column("age", np.arange(40, dtype=np.int32) // 2, tuple(range(30, 50)), True)
    >>> repeated(Table(40, (who, age))), repeated(Table(40, (age,)))
    (('account',), ())
    """
    known = [
        column
        for column in (*table.quasi_identifiers, *table.other)
        if len(column.values) > 1 and column.missing is None
    ]
    personal = [column for column in known if column.numeric or len(column.values) <= _FEW]
    for column in known:
        people = len(column.values)
        plausible = 3 * people <= 2 * table.rows <= 2 * MOST_ROWS * people and people >= _LEAST
        if not column.numeric and plausible:
            told = (own for own in personal if own is not column)
            if _names_people(column) or any(tells(column, own, table.rows) for own in told):
                return (column.name,)
    free: list[Column] = []
    for column in sorted(known, key=lambda column: -len(column.values)):
        if not any(tells(other, column, table.rows) for other in free):
            free.append(column)
    # A day or a ward may be another in each row of a person.
    for columns in (free, *([own for own in free if own is not less] for less in free)):
        if len(columns) > 1 and _too_often(columns, table.rows):
            return tuple(column.name for column in columns)
    return ()


def _names_people(column: Column) -> bool:
    values = [text(value) for value in column.values]
    alone = int((np.bincount(column.codes) == 1).sum())
    return detect(column.name, values, present=len(column.codes), alone=alone).type in NAMES_PEOPLE


def _too_often(columns: Sequence[Column], rows: int) -> bool:
    """Say whether rows agree in some columns far more often than by chance."""
    of_row, count = group_rows(columns, rows)
    expected = Fraction(rows * (rows - 1), 2)
    for column in columns:
        expected *= Fraction(2 * _pairs(column.codes.astype(np.int64)), rows * (rows - 1))
    sizes = np.bincount(of_row, minlength=count)
    several = 2 * int(sizes[sizes > 1].sum()) >= rows
    plausible = 3 * count <= 2 * rows <= 2 * MOST_ROWS * count
    return several and plausible and _pairs(of_row) >= _TIMES * expected


def tells(column: Column, other: Column, rows: int) -> bool:
    """Say whether who knows a value of one column nearly always knows that of another."""
    return 20 * group_rows((column, other), rows)[1] <= 21 * len(column.values)


def _pairs(codes: Codes) -> int:
    """Return how many pairs of rows agree."""
    sizes = np.bincount(codes).astype(object)
    return int((sizes * (sizes - 1) // 2).sum())
