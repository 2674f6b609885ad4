"""What is known of people, as a table without a secret, and classes that are formed from it alone.

Whoever knows the register of all people and the method forms the same classes. So they tell nothing
but what stands in them: no class is as it is because of somebody's secret.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from kproof.errors import show, spell
from kproof.models.base.beside import Part
from kproof.models.base.columns import Column, group_rows, rename_values
from kproof.models.base.missing import MISSING, text
from kproof.models.judgement.cells.contents import (
    EXACT,
    OTHER,
    OWN,
    CellKind,
    HiddenTokens,
    find_identifying_cells,
)
from kproof.models.judgement.cells.rounding import least_step, round_texts
from kproof.models.judgement.publication import HiddenColumn
from kproof.models.methods import METHODS
from kproof.models.tables.levels.ladders import MOST_VALUES, with_levels
from kproof.models.tables.persons import release_of_people
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table
from kproof.models.tables.utility import loss_of

_NAMING = (CellKind.CONTACT, CellKind.IDENTIFIER_NUMBER, CellKind.HIDDEN_TOKEN, CellKind.FREE_TEXT)
MOST_OTHERS: Mapping[CellKind, Fraction] = {**dict.fromkeys(_NAMING, EXACT), CellKind.UNREAD: OWN}
"""Share of people up to which such cells become others: a column of more is no column of values,
and is left out."""

SMALL = 2_000
"""Rows up to which clustering is tried, too: it loses less of few rows, and takes their square."""

_WAYS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("mondrian", {"partitioning": "relaxed"}),
    ("kaca", {}),
)


def prepare(table: Table, steps: Mapping[str, Fraction] | None = None) -> Table:
    """Return a table as the safe path takes it.

    What was to be shown unchanged is known, and generalized; what has no role is left out; numbers
    of secret columns are rounded, to multiples of their ``steps``.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [30, 31], "town": ["Ulm", "Bonn"], "pay": [99, 151]})
    >>> table = Table.from_frame(
    ...     frame, quasi_identifiers=["age"], other=["town"], sensitive="pay"
    ... )
    >>> rounded = prepare(table, {"pay": Fraction(50)})
    >>> [column.name for column in rounded.quasi_identifiers], rounded.sensitive.values
    (['age', 'town'], (100, 150))
    """
    most_members = MOST_VALUES if table.most_members is None else table.most_members
    public = (*table.quasi_identifiers, *table.other)
    return without_roleless(table).with_columns(
        [with_levels(column, most_members) for column in public],
        [_round(column, (steps or {}).get(column.name)) for column in table.secrets],
        # Categories are of values that rounding may have changed, and nothing is promised of them.
        categories=None,
        other=(),
        most_members=most_members,
    )


def without_roleless(table: Table) -> Table:
    """Return a table that leaves its columns without a role out."""
    roleless = sorted(column.name for column in table.beside if column.part is Part.NONE)
    absent = tuple(column for column in table.beside if column.part is Part.ABSENT)
    return replace(table, beside=absent, dropped=(*table.dropped, *roleless))


def with_others(
    table: Table, hidden: Iterable[HiddenColumn] = (), exact: Collection[str] = ()
) -> tuple[Table, tuple[str, ...]]:
    """Return a table without the few secret texts that may name somebody, and what was noted.

    ``hidden`` columns of its source are not published; the cells of ``exact`` ones somebody read,
    and decided to publish as they stand.

    >>> import pandas as pd
    >>> ill = ["flu", "HIV"] * 20 + ["flu, Ann Lee"]
    >>> frame = pd.DataFrame({"age": range(41), "ill": ill})
    >>> table = Table.from_frame(frame, sensitive="ill", quasi_identifiers=["age"])
    >>> others, notes = with_others(table)
    >>> others.sensitive.values, notes[0][:60]
    (('HIV', 'flu', 'other'), 'cells of ill that may name somebody are published as other: ')
    """
    person = None if table.person is None else table.person.codes.astype(np.int64)
    tokens = HiddenTokens.of(hidden, person)
    renamed: dict[str, Column] = {}
    notes = []
    twofold = [column for column in table.quasi_identifiers if column.name in table.both]
    for column in (*table.secrets, *twofold):
        if column.numeric or column.taxonomy is not None or column.name in exact:
            continue
        cells = HiddenColumn.of(column)
        rows = [
            doubtful.victims
            for doubtful in find_identifying_cells(cells, person, hidden=tokens, secret=True)
            # Cells of another kind are not few enough by any share.
            if doubtful.share <= MOST_OTHERS.get(doubtful.kind, -1)
        ]
        if not rows:
            continue
        victims = np.unique(np.concatenate(rows))
        # All rows with the text: left in one of them it would say what the others were.
        codes = {*column.codes[victims].tolist()}
        values = [OTHER if code in codes else value for code, value in enumerate(column.values)]
        renamed[column.name] = rename_values(column, values)
        notes.append(
            f"cells of {show(column.name)} that may name somebody are published as {OTHER}: "
            f"{len(victims):,}; {spell('exact', [column.name])} publishes all as they stand"
        )
    public, secrets = (
        [renamed.get(column.name, column) for column in columns]
        for columns in (table.quasi_identifiers, table.secrets)
    )
    return table.with_columns(public, secrets), tuple(notes)


def without(table: Table, names: Collection[str]) -> Table:
    """Return a table that does not publish some of its columns."""
    public, secrets = (
        [column for column in columns if column.name not in names]
        for columns in (table.quasi_identifiers, table.secrets)
    )
    return table.with_columns(
        public,
        secrets,
        both=tuple(name for name in table.both if name not in names),
        dropped=(*table.dropped, *names),
    )


def form_classes(table: Table, k: int) -> Release:
    """Return a release in classes of k people that are formed from known columns alone.

    Of several ways to form them the one that loses least is taken, which depends on known columns
    alone, too. The table is one that :func:`prepare` returns, of at least k people.
    """
    if not table.quasi_identifiers:
        everybody = np.zeros(table.rows, dtype=np.int64)
        return seal(table, everybody, method="one-class", parameters={})
    # Not even the method may see a secret, or classes could be formed by it.
    releases: list[Release] = [
        release_of_people(METHODS[name].run, table.without_secrets, {"k": k, **settings})
        for name, settings in _WAYS
        if name != "kaca" or table.rows <= SMALL
    ]
    return replace(min(releases, key=loss_of), table=table)


def row_level(table: Table) -> tuple[str, ...]:
    """Return the known columns in which rows of a person differ.

    >>> import pandas as pd
    >>> visits = pd.DataFrame({"who": [1, 1, 2], "age": [30, 30, 31], "month": [1, 2, 1]})
    >>> row_level(Table.from_frame(visits, quasi_identifiers=["age", "month"], person="who"))
    ('month',)
    """
    if (person := table.person) is None:
        return ()
    return tuple(
        column.name
        for column in table.quasi_identifiers
        if group_rows((person, column), table.rows)[1] > len(person.values)
    )


def step_for(column: Column, person: Column | None) -> Fraction | None:
    """Return the least of 1, 2, 5, 10, ... that few numbers of one person alone are multiples of.

    >>> pay = Column("pay", np.arange(100, dtype=np.int32), tuple(range(1000, 1100)), True)
    >>> step_for(pay, None)
    Fraction(5, 1)
    """
    codes = column.codes.astype(np.int64)
    whom = None if person is None else person.codes.astype(np.int64)
    step = least_step([text(value) for value in column.values], codes, whom)
    return None if step is None else Fraction(step)


def _round(column: Column, step: Fraction | None) -> Column:
    if step is None or not column.numeric:
        return column
    width = Decimal(step.numerator) / Decimal(step.denominator)
    cells = round_texts([text(value) for value in column.values], width)
    numbers = [Fraction(cell) for cell in cells if cell != text(MISSING)]
    plain = [int(value) if value.denominator == 1 else float(value) for value in numbers]
    return rename_values(column, [*plain, *column.values[len(plain) :]])
