"""Publications out of what there is: a release that was just made, or a file of anybody's."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from kproof.datasets import MISSING_CELLS
from kproof.models.base.arrays import Codes
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, text
from kproof.models.judgement.publication import (
    ColumnKnowledge,
    EarlierRelease,
    HiddenColumn,
    Making,
    PublishedColumn,
    PublishedFile,
)
from kproof.models.judgement.releases.receipts import Receipt, receipt_beside
from kproof.models.judgement.rows.matching import Original, match
from kproof.models.judgement.rows.repeats import persons_among, without_gaps, words_about
from kproof.models.tables.encoding import is_number
from kproof.models.tables.readers import Cells, FileLayout, names_of, read_cells
from kproof.models.tables.recoding import Recoded
from kproof.models.tables.release import Release
from kproof.models.tables.roles import Roles
from kproof.models.tables.table import Table


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
    left_out: Iterable[Column] = (),
    withheld: Iterable[Column] = (),
    rows_are_people: bool = False,
    answered: Iterable[str] = (),
    unconfirmed: Iterable[str] = (),
) -> PublishedFile:
    """Return what a release publishes, with all that its publisher knows of it.

    ``order``, shape (rows,), has the published order as places in that of
    :meth:`Release.published`; ``permuted`` says that it was drawn from the system's randomness.
    ``from_known_alone``: classes were formed, and rows left out, without a look at secrets; None if
    only a table without any says so. ``exact`` are secret columns that somebody decided to publish
    as they stand; ``person_column`` says whom the rows of the source are about where the table does
    not; ``hidden``, ``left_out`` and ``withheld`` are columns of the source that stay: all, known
    ones and secret ones. ``answered`` and ``unconfirmed`` are sentences: what is taken on
    somebody's word, and what is still asked.

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
    recoded = {recoding.column.name: recoding for recoding in release.recoded}
    secret = {column.name for column in table.secrets}
    columns = []
    for column in release.published():
        knowledge = _knowledge(column.name, secret, table.both)
        columns.append(_publish(column, knowledge, places, recoded.get(column.name)))
    source_row = release.source_rows[places]
    whom = person_column if table.person is None else table.person
    person, concealed = None, list(hidden)
    if whom is not None:
        # Noise is row -1 of the source: the entry that is appended makes it nobody's.
        person = np.append(whom.codes.astype(np.int64), -1)[source_row]
        if whom.name not in [column.name for column in concealed]:
            concealed.append(HiddenColumn.of(whom))
    # Without secrets there was nothing else to look at.
    known_alone = not table.secrets if from_known_alone is None else from_known_alone
    known_columns, secrets = (
        tuple(_publish(column, knowledge, source_row, None) for column in stay)
        for stay, knowledge in (
            (left_out, ColumnKnowledge.KNOWN),
            (withheld, ColumnKnowledge.SECRET),
        )
    )
    return PublishedFile(
        columns=tuple(columns),
        person=person,
        source_row=source_row,
        hidden=tuple(concealed),
        left_out=known_columns,
        withheld=secrets,
        table=table,
        rows_are_people=rows_are_people,
        making=Making(release.method, release.parameters, permuted, known_alone, release),
        earlier=tuple(earlier),
        exact=frozenset(exact),
        unconfirmed=tuple(unconfirmed),
        answered=tuple(answered),
    )


def of_file(
    source: object,
    original: object = None,
    *,
    rows_are_people: bool = False,
    exact: Iterable[str] = (),
    earlier: Iterable[EarlierRelease] = (),
    answered: Iterable[str] = (),
    unconfirmed: Iterable[str] = (),
    **roles: Any,
) -> PublishedFile:
    """Return what a file publishes: every column of it, whatever anybody says of them.

    A column is known unless somebody says that it is secret; identifiers and a person column that
    the file has are known, too. Figures are those of the people of the ``original``, if it is
    there. ``roles`` also say how a file is read, as for
    :func:`kproof.models.tables.readers.read_published`; the others are as for :func:`of_release`.

    >>> shown = of_file("table-4a", quasi_identifiers=["Age"], sensitive="Disease")
    >>> [(column.name, column.knowledge.value) for column in shown.columns][:3]
    [('ID', 'known'), ('Class', 'known'), ('Age', 'known')]
    """
    # False answers a question, such as whether a column is of numbers; an empty list names nothing.
    roles = {name: value for name, value in roles.items() if value or value is False}
    # Whom rows are about, and names, may be columns of the original alone.
    alone = {name: roles[name] for name in {"identifiers", "drop", "person"} & {*roles}}
    applicable = roles if original is None else roles_shown(roles, source, original) | alone
    applicable = {name: value for name, value in applicable.items() if name not in _LAYOUT}
    layout = FileLayout.of(**{name: roles.pop(name) for name in _LAYOUT & {*roles}})
    gaps = roles.get("missing") or MISSING_CELLS
    cells = read_cells(source, layout, gaps)
    receipt = receipt_beside(source) if isinstance(source, (str, Path)) else None
    declared = Roles.of(**{"quasi_identifiers": None, **applicable})

    words: list[tuple[str, tuple[str, ...]]] = []

    def whom_in(beside: Cells, table: Table | None = None) -> Column | None:
        if table is None and declared.person in beside.names:
            return without_gaps(_column(beside, declared.person))
        if rows_are_people:
            return None
        if table is None:
            # A file by itself has no exact values: columns are compared as they are published.
            names, secrets = (*declared.quasi_identifiers, *declared.other), declared.secrets
            shown = [_column(beside, name) for name in names]
        else:
            shown = [*table.quasi_identifiers, *table.other]
            secrets = tuple(column.name for column in table.secrets)
        role_names = {*(column.name for column in shown), *secrets}
        roleless = [_column(beside, name) for name in beside.names if name not in role_names]
        if (person := persons_among(roleless, declared.identifiers, shown)) is not None:
            words.append(words_about(person, shown))
        return person

    matched = None
    if original is not None:
        made_here = receipt is not None
        matched = match(cells, original, layout, roles, whom=whom_in, made_here=made_here)
    # These may be columns of the original alone; all others have to be in the file.
    replace(declared, identifiers=(), drop=(), person=None).find(cells.names)
    columns = tuple(
        _of_cells(cells, place, declared, receipt, matched) for place in range(len(cells.names))
    )
    beside = cells if matched is None else matched.cells
    parts = zip(beside.names, beside.codes, beside.texts, strict=True)
    hidden = tuple(HiddenColumn(*part) for part in parts if part[0] not in cells.names)
    whom = whom_in(cells) if matched is None else matched.table.person
    source_row = None if matched is None else matched.source_row
    person = None if whom is None else whom.codes.astype(np.int64)
    if matched is not None and person is not None:
        # Where rows were not found again nobody knows whose they are: not those at the same place.
        person = None if source_row is None else np.append(person, -1)[source_row]
    making = None
    if receipt is not None:
        making = Making(
            receipt.method, receipt.parameters, receipt.permuted, receipt.from_known_alone
        )
    doubts = [matched.doubt] if matched is not None and matched.doubt else []
    return PublishedFile(
        columns=columns,
        person=person,
        source_row=source_row,
        hidden=hidden,
        withheld=() if source_row is None else _withheld(hidden, roles, source_row),
        table=None if matched is None else matched.table,
        rows_are_people=rows_are_people,
        making=making,
        earlier=tuple(earlier),
        exact=frozenset(exact),
        unconfirmed=(*unconfirmed, *chain(*(questions for _, questions in words)), *doubts),
        answered=(*answered, *(word for word, _ in words)),
    )


def _withheld(
    hidden: Iterable[HiddenColumn], roles: Mapping[str, Any], source_row: Codes
) -> tuple[PublishedColumn, ...]:
    """Return the secrets among columns of the source that are not published."""
    sensitive = roles.get("sensitive", ())
    secrets = {*((sensitive,) if isinstance(sensitive, str) else sensitive), *roles.get("both", ())}
    return tuple(
        PublishedColumn(
            own.name, ColumnKnowledge.SECRET, np.append(own.codes, -1)[source_row], own.texts
        )
        for own in hidden
        if own.name in secrets
    )


def roles_shown(roles: Mapping[str, Any], source: object, original: object) -> dict[str, Any]:
    """Return the roles of an original as those of a file that lacks some of its columns.

    >>> roles_shown({"other": ["Name", "Zip"], "sensitive": "Disease"}, "table-4a", "table-1a")
    {'other': ('Zip',), 'sensitive': ('Disease',)}
    """
    layout = FileLayout.of(**{name: roles[name] for name in _LAYOUT & {*roles}})
    gone = set(names_of(original, layout)).difference(names_of(source, layout))
    applicable = {name: value for name, value in roles.items() if name not in _GENERALIZING}
    for name in ("quasi_identifiers", "both", "sensitive", "other", "identifiers", "drop"):
        if applicable.get(name):
            columns = (applicable[name],) if isinstance(applicable[name], str) else applicable[name]
            applicable[name] = tuple(column for column in columns if column not in gone) or None
    for name in ("numeric", "missing_in"):
        settings = applicable.get(name) or {}
        applicable[name] = {key: settings[key] for key in settings if key not in gone}
    if applicable.get("person") in gone:
        applicable["absent"] = (applicable.pop("person"),)
    # None for a file that shows nothing that anybody knows.
    always = "quasi_identifiers"
    return {name: value for name, value in applicable.items() if value or name == always}


def _column(cells: Cells, name: str) -> Column:
    """Return a column of texts."""
    place = cells.names.index(name)
    codes, texts = cells.codes[place], cells.texts[place]
    gaps = codes < 0
    values = (*texts, MISSING) if gaps.any() else texts
    return Column(name, np.where(gaps, len(texts), codes).astype(np.int32), values, numeric=False)


_GENERALIZING = {"taxonomies", "ladders", "least_levels", "most_levels"}
_LAYOUT = {"header", "encoding", "sheet", "decimal"}


def _of_cells(
    cells: Cells, place: int, roles: Roles, receipt: Receipt | None, matched: Original | None
) -> PublishedColumn:
    name, texts, codes = cells.names[place], cells.texts[place], cells.codes[place]
    gaps = roles.gap_texts_of(name)
    codes = np.where(np.array([*(cell in gaps for cell in texts), True])[codes], -1, codes)
    knowledge = _knowledge(name, roles.secrets, roles.both)
    if receipt is not None and receipt.columns.get(name, knowledge) is not knowledge:
        # What was said then and what is said now may both be wrong.
        knowledge = ColumnKnowledge.BOTH
    numbers, atoms = None, None
    if knowledge is ColumnKnowledge.BOTH and matched is not None and name in matched.covered:
        # The last label is that of an empty cell; a text that covers nothing is its own value.
        covered = matched.covered[name]
        atoms = tuple(members or (cell,) for cell, members in zip(texts, covered, strict=False))
    values = texts if atoms is None else tuple(dict.fromkeys(chain.from_iterable(atoms)))
    if knowledge is not ColumnKnowledge.KNOWN and roles.is_numeric(name) is not False and values:
        # A number for each value or for none: they are read by the places of the values.
        numbers = tuple(map(Fraction, values)) if all(map(is_number, values)) else None
    return PublishedColumn(name, knowledge, codes, texts, numbers, atoms)


def _knowledge(name: str, secret: Iterable[str], twofold: Iterable[str]) -> ColumnKnowledge:
    # Asked first: both parts are judged, whatever else the name is listed as.
    if name in twofold:
        return ColumnKnowledge.BOTH
    return ColumnKnowledge.SECRET if name in secret else ColumnKnowledge.KNOWN


def _publish(
    column: Column, knowledge: ColumnKnowledge, places: Codes, recoded: Recoded | None
) -> PublishedColumn:
    """Return a column as a reader sees it; a label ``?`` is a cell with nothing in it."""
    texts = [text(value) for value in column.values]
    gap = text(MISSING)
    filled = [place for place, cell in enumerate(texts) if cell != gap]
    codes = np.full(len(texts), -1, dtype=np.int64)
    codes[filled] = np.arange(len(filled))
    labels = tuple(texts[place] for place in filled)
    numbers, atoms = None, None
    if knowledge is ColumnKnowledge.BOTH and recoded is not None:
        atoms = tuple(_atoms(recoded, cell) for cell in labels)
        if recoded.column.numeric:
            numbers = tuple(map(Fraction, dict.fromkeys(chain.from_iterable(atoms))))
    elif column.numeric and recoded is None:
        numbers = tuple(map(Fraction, labels))
    return PublishedColumn(
        column.name, knowledge, codes[column.codes[places]], labels, numbers, atoms
    )


def _atoms(recoded: Recoded, label: str) -> tuple[str, ...]:
    """Return the values of the source that a label covers."""
    of_class, labels = recoded.labels
    example = int(np.flatnonzero(of_class == labels.index(label))[0])
    return tuple(
        text(value)
        for value in recoded.column.values
        if value is not MISSING and recoded.covers(value)[example]
    )
