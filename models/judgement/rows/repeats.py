"""Whom rows seem to be about, and whether several are of one person, where nobody said."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from kproof.errors import show, spell
from kproof.models.base.arrays import Codes
from kproof.models.base.columns import Column, group_rows
from kproof.models.base.missing import text
from kproof.models.tables.detection.types import NAMES_PEOPLE, detect
from kproof.models.tables.table import Table

MOST_ROWS = 100
"""Rows of a person at most, on average: what repeats more often is no person."""

TIMES = 10
"""So many times more pairs of rows that look alike than chance makes are no chance."""

_FEW = 3
"""Values of a column that no place tells of its people, as their sex is."""

_LEAST = 20
"""People from which on it is no accident that one column tells another."""


def persons_among(
    columns: Iterable[Column], identifiers: Collection[str], known: Sequence[Column]
) -> Column | None:
    """Return the column that seems to say whom rows are about; None if none does.

    An identifier, or another column whose values name or number people, does if a tenth of the rows
    repeat a value, but values stand in no more than a hundred rows, as those of an officer or a
    ward do. Where fewer repeat, it does if most of what is known is the same in their rows: else
    they are two people of one name. Any other column does if values stand in two to twenty rows and
    something known is the same in all rows of nearly each. Of several the one with the fewest
    people is the worst case. Of whom nobody recorded who they are, each is somebody else.
    ``columns`` are not published, or have no role; ``known`` are what an adversary knows of
    everybody.

    >>> who = Column("account", np.array([0, 0, 1, 1], dtype=np.int32), ("A", "B"), False)
    >>> sex = Column("sex", np.array([0, 0, 1, 1], dtype=np.int32), ("f", "m"), False)
    >>> day = Column("day", np.array([0, 1, 0, 1], dtype=np.int32), (1, 2), True)
    >>> persons_among([who], [], [sex, day]).name, persons_among([who], [], [day])
    ('account', None)
    """
    candidates = []
    for column in columns:
        person = without_gaps(column)
        people, rows = len(person.values), len(person.codes)
        if 2 <= people < rows <= MOST_ROWS * people:
            if column.name in identifiers or _names_people(column):
                chosen = 10 * people <= 9 * rows or _nearly_one(person, known)
            else:
                chosen = 2 * people <= rows <= 20 * people and keeps_something(person, known)
            candidates += [person] * chosen
    return min(candidates, key=lambda person: len(person.values), default=None)


def without_gaps(person: Column) -> Column:
    """Return a column of people in which every row without one is of somebody of its own."""
    if person.missing is None:
        return person
    codes = person.codes.copy()
    gaps = np.flatnonzero(codes == person.missing)
    codes[gaps] += np.arange(len(gaps), dtype=codes.dtype)
    # No cell holds such a text, so that nobody is taken for the same person elsewhere.
    nobody = (f"\0{row}" for row in gaps.tolist())
    return replace(person, codes=codes, values=(*person.values[: person.missing], *nobody))


def words_about(person: Column, known: Sequence[Column]) -> tuple[str, tuple[str, ...]]:
    """Return what is taken on somebody's word if a column is taken for people, and what is asked.

    >>> who = Column("name", np.array([0, 0, 1, 1], dtype=np.int32), ("Ann", "Bo"), False)
    >>> words_about(who, [])[0][:43]
    'name says whom rows are about: 2 people; if'
    """
    name, people = show(person.name), len(person.values)
    claim = "every row is a person's own"
    word = f"{name} says whom rows are about: {people:,} people; if {claim}, say "
    word += spell("rows_are_people")
    if keeps_something(person, known):
        return word, ()
    # People of one name, or rows of one person? Either answer may be the worse one.
    return word, (
        f"{name} repeats, and nothing known is the same in its rows: name the column that says "
        f"whom rows are about ({spell('person')}), or say that {claim}, whomever {name} names "
        f"({spell('rows_are_people')})",
    )


def keeps_something(person: Column, known: Iterable[Column]) -> bool:
    """Say whether some known column is the same in all rows of nearly each person."""
    rows = len(person.codes)
    return any(len(column.values) > 1 and tells(person, column, rows) for column in known)


def _nearly_one(person: Column, known: Iterable[Column]) -> bool:
    """Say whether most known columns are the same in all rows of nearly each who has several."""
    several = np.flatnonzero(np.bincount(person.codes)[person.codes] > 1)
    # Whoever has one row agrees with herself, and would make every column look like hers.
    codes, again = np.unique(person.codes[several], return_inverse=True)
    several_of = replace(person, codes=again.astype(np.int32), values=tuple(codes.tolist()))
    constant = [
        tells(several_of, replace(column, codes=column.codes[several]), len(several))
        for column in known
        if len(column.values) > 1
    ]
    return 2 * sum(constant) > len(constant)


def find_repeats(table: Table) -> tuple[str, ...]:
    """Return known columns that repeat as they do in several rows of one person; none if none do.

    Either the values of one column name or number people, or tell a measured number or one of two
    or three values, such as an account its holder's age or sex: zip codes tell towns, but neither
    of these. Or rows agree in all known columns, or all but one, ten times as often as they would
    if columns had nothing to do with one another, and values stand in two to a hundred rows.
    Columns that another one tells are left out of that, as a town beside its zip code.

    >>> who = Column("account", np.arange(40, dtype=np.int32) // 2, tuple(range(20)), False)
    >>> age = Column("age", np.arange(40, dtype=np.int32) // 2, tuple(range(30, 50)), True)
    >>> find_repeats(Table(40, (who, age))), find_repeats(Table(40, (age,)))
    (('account',), ())
    """
    every = (*table.quasi_identifiers, *table.other)
    varying = [column for column in every if len(column.values) > 1 and column.missing is None]
    personal = [column for column in varying if column.numeric or len(column.values) <= _FEW]
    for column in varying:
        people = len(column.values)
        plausible = 3 * people <= 2 * table.rows <= 2 * MOST_ROWS * people and people >= _LEAST
        if not column.numeric and plausible:
            traits = (trait for trait in personal if trait is not column)
            if _names_people(column) or any(tells(column, trait, table.rows) for trait in traits):
                return (column.name,)
    free: list[Column] = []
    # The finest first: what tells others stays, and they go.
    for column in sorted(varying, key=lambda column: -len(column.values)):
        if not any(tells(teller, column, table.rows) for teller in free):
            free.append(column)
    # A day or a ward may be another in each row of a person.
    for columns in (free, *([member for member in free if member is not less] for less in free)):
        if len(columns) > 1 and _too_often(columns, table.rows):
            return tuple(column.name for column in columns)
    return ()


def _names_people(column: Column) -> bool:
    values = [text(value) for value in column.values[: column.missing]]
    rows = np.bincount(column.codes)[: len(values)]
    present, alone = int(rows.sum()), int((rows == 1).sum())
    return detect(column.name, values, present=present, alone=alone).type in NAMES_PEOPLE


def _too_often(columns: Sequence[Column], rows: int) -> bool:
    """Say whether rows agree in some columns far more often than by chance."""
    of_row, count = group_rows(columns, rows)
    expected = Fraction(rows * (rows - 1), 2)
    for column in columns:
        expected *= Fraction(2 * pairs_alike(column.codes.astype(np.int64)), rows * (rows - 1))
    plausible = 3 * count <= 2 * rows <= 2 * MOST_ROWS * count
    return mostly_repeats(of_row) and plausible and pairs_alike(of_row) >= TIMES * expected


def mostly_repeats(of_row: Codes) -> bool:
    """Say whether half of the rows have another one in their group."""
    sizes = np.bincount(of_row)
    return 2 * int(sizes[sizes > 1].sum()) >= len(of_row)


def tells(column: Column, trait: Column, rows: int) -> bool:
    """Say whether who knows a value of one column nearly always knows that of another."""
    # As many pairs as values if each value has one of the other: one in twenty may have two.
    return 20 * group_rows((column, trait), rows)[1] <= 21 * len(column.values)


def pairs_alike(codes: Codes) -> int:
    """Return how many pairs of rows agree."""
    sizes = np.bincount(codes).astype(object)
    return int((sizes * (sizes - 1) // 2).sum())
