"""Publications out of what there is: a release that was just made, or a file of anybody's."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import chain

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, text
from kproof.models.judgement.publication import (
    EarlierRelease,
    HiddenColumn,
    Knowledge,
    Making,
    Publication,
    PublishedColumn,
)
from kproof.models.tables.recoding import Recoded
from kproof.models.tables.release import Release

_ROWS_ARE_PEOPLE = "every row is about another person"


def of_release(
    release: Release,
    *,
    order: Codes | None = None,
    permuted: bool = False,
    from_known_alone: bool | None = None,
    exact: Iterable[str] = (),
    earlier: Iterable[EarlierRelease] = (),
    person_column: Column | None = None,
    hidden: Iterable[HiddenColumn] = (),
    answered: Iterable[str] = (),
    unconfirmed: Iterable[str] = (),
) -> Publication:
    """Return what a release publishes, with all that its publisher knows of it.

    Parameters
    ----------
    release
        What a method made.
    order
        Shape (rows,): the published order, as places in that of :meth:`Release.published`; None
        for that order itself.
    permuted
        Whether that order was drawn from the system's randomness.
    from_known_alone
        Whether classes were formed, and rows left out, without a look at secrets; None if only
        a table without any says so.
    exact
        Secret columns whose exact numbers somebody decided to publish.
    earlier
        What was published of the same people before.
    person_column
        Whom the rows of the source are about, where the table has no person column.
    hidden
        Columns of the source that are not published; that of persons is among them anyway.
    answered, unconfirmed
        What is taken on somebody's word, and what still has to be asked, a sentence each.

    Examples
    --------
    >>> from kproof.models.api import anonymize
    >>> made = anonymize(
    ...     "mondrian", "table-1a", k=4, quasi_identifiers=["Age"], sensitive="Disease",
    ...     identifiers=["ID", "Name"],
    ... )
    >>> publication = of_release(made)
    >>> [(column.name, column.knowledge.value) for column in publication.columns]
    [('Age', 'known'), ('Disease', 'secret')]
    >>> publication.rows, publication.people, publication.unit
    (12, 12, 'rows')
    """
    table = release.table
    places = np.arange(release.rows, dtype=np.int64) if order is None else np.asarray(order)
    recoded = {own.column.name: own for own in release.recoded}
    secret = {column.name for column in table.secrets}
    columns = tuple(
        _published(
            column, _knowledge(column.name, secret, table.both), places, recoded.get(column.name)
        )
        for column in release.published()
    )
    source_row = release.source_rows[places]
    whom = person_column if table.person is None else table.person
    person, concealed = None, list(hidden)
    if whom is not None:
        person = np.append(whom.codes.astype(np.int64), -1)[source_row]
        if whom.name not in [column.name for column in concealed]:
            concealed.append(HiddenColumn(whom.name, _texts(whom)))
    known_alone = not table.secrets if from_known_alone is None else from_known_alone
    return Publication(
        columns=columns,
        person=person,
        source_row=source_row,
        hidden=tuple(concealed),
        table=table,
        making=Making(release.method, release.parameters, permuted, known_alone, release),
        earlier=tuple(earlier),
        exact=frozenset(exact),
        unconfirmed=tuple(unconfirmed),
        answered=(*answered, *(() if person is not None else (_ROWS_ARE_PEOPLE,))),
    )


def _knowledge(name: str, secret: Iterable[str], both: Iterable[str]) -> Knowledge:
    if name in both:
        return Knowledge.BOTH
    return Knowledge.SECRET if name in secret else Knowledge.KNOWN


def _texts(column: Column) -> tuple[str, ...]:
    return tuple(text(value) for value in column.values if value is not MISSING)


def _published(
    column: Column, knowledge: Knowledge, places: Codes, recoded: Recoded | None
) -> PublishedColumn:
    """Return a column as a reader sees it; a label ``?`` is a cell with nothing in it."""
    texts = [text(value) for value in column.values]
    gap = text(MISSING)
    there = [place for place, cell in enumerate(texts) if cell != gap]
    codes = np.full(len(texts), -1, dtype=np.int64)
    codes[there] = np.arange(len(there))
    shown = tuple(texts[place] for place in there)
    numbers, atoms = None, None
    if knowledge is Knowledge.BOTH and recoded is not None:
        atoms = tuple(_atoms(recoded, cell) for cell in shown)
        if recoded.column.numeric:
            numbers = tuple(map(Fraction, dict.fromkeys(chain.from_iterable(atoms))))
    elif column.numeric and recoded is None:
        numbers = tuple(map(Fraction, shown))
    return PublishedColumn(
        column.name, knowledge, codes[column.codes[places]], shown, numbers, atoms
    )


def _atoms(recoded: Recoded, label: str) -> tuple[str, ...]:
    """Return the values of the source that a label covers."""
    of_class, labels = recoded.labels
    example = int(np.flatnonzero(of_class == labels.index(label))[0])
    return tuple(
        text(value)
        for value in recoded.column.values
        if value is not MISSING and recoded.covering(value)[example]
    )
