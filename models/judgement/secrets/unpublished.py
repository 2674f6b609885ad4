"""What an adversary knows of everybody beside the published cells, exactly."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.judgement.people import remember_by_column
from kproof.models.judgement.publication import (
    ColumnKnowledge,
    HiddenColumn,
    PublishedColumn,
    PublishedFile,
)
from kproof.models.judgement.secrets.views import views
from kproof.models.tables.encoding import is_number


@remember_by_column
def columns_not_published(publication: PublishedFile, _: str) -> tuple[PublishedColumn, ...]:
    """Return what is known of everybody and not published, row by row of what is.

    Beside what was said to be known, that is whatever looks so: dropping a column hides it from
    readers, not from who knows it anyway.

    >>> sex = HiddenColumn("sex", np.array([0, 1, 0]), ("f", "m"))
    >>> note = HiddenColumn("name", np.array([0, 1, 2]), ("Ann Lee", "Bo Kim", "Eva Cole"))
    >>> shown = PublishedFile((), source_row=np.array([2, 0, 1]), hidden=(sex, note))
    >>> [(column.name, column.codes.tolist()) for column in columns_not_published(shown, "")]
    [('sex', [0, 0, 1])]
    """
    declared = {column.name for column in (*publication.columns, *publication.left_out)}
    table, source_row = publication.table, publication.source_row
    if table is not None and table.person is not None:
        declared.add(table.person.name)
    if source_row is None:
        return publication.left_out
    hidden = (
        column for column in publication.hidden if column.name not in declared and column.known
    )
    return (*publication.left_out, *(_measure(column, source_row) for column in hidden))


@remember_by_column
def columns_known_exactly(publication: PublishedFile, _: str) -> tuple[PublishedColumn, ...]:
    """Return what is known of everybody, whether labels of it are published or nothing at all.

    A label hides an age from readers, not from who knows the age.
    """
    table, source_row = publication.table, publication.source_row
    columns = [*map(_as_numbers, columns_not_published(publication, ""))]
    if table is not None and source_row is not None:
        names = {column.name for column in columns}
        known_columns = (*table.quasi_identifiers, *table.other)
        labelled = (HiddenColumn.of(column) for column in known_columns if column.name not in names)
        columns += (_measure(column, source_row) for column in labelled)
    return tuple(columns)


def _measure(column: HiddenColumn, source_row: Codes) -> PublishedColumn:
    """Return a column by row of what is published, its texts as numbers if all are some."""
    codes = np.append(column.codes, -1)[source_row]
    published = PublishedColumn(column.name, ColumnKnowledge.KNOWN, codes, column.texts)
    if column.texts and all(map(is_number, column.texts)):
        return replace(published, numbers=tuple(map(Fraction, column.texts)))
    return _as_numbers(published)


def _as_numbers(column: PublishedColumn) -> PublishedColumn:
    """Return a column of dates, or of amounts with a unit, as numbers; any other as it is."""
    measured = (view for view in views(column)[1:] if view.numbers and view.atoms is None)
    return replace(next(measured, column), reading="")
