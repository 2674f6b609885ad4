"""Cells that identify, asked of every column of a publication, whatever its role."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np

from kproof.errors import spell
from kproof.models.base.missing import MISSING, text
from kproof.models.judgement.cells.contents import (
    CROWD,
    CellKind,
    HiddenTokens,
    IdentifyingCells,
    find_identifying_cells,
    unread_texts,
)
from kproof.models.judgement.findings import FindingStanding, JudgedCriterion, JudgedFinding, Remedy
from kproof.models.judgement.publication import HiddenColumn, PublishedFile
from kproof.models.judgement.thresholds import Thresholds
from kproof.models.tables.table import Table


def find_identifying(publication: PublishedFile, thresholds: Thresholds) -> Iterator[JudgedFinding]:
    """Find cells that name people, or lead to another list that does.

    >>> from kproof.models.judgement.publication import ColumnKnowledge, PublishedColumn
    >>> from kproof.models.judgement.thresholds import THRESHOLDS
    >>> call = PublishedColumn("call", ColumnKnowledge.SECRET, np.array([0]), ("+49 30 1234567",))
    >>> next(find_identifying(PublishedFile((call,)), THRESHOLDS["public"])).sentence
    'call identifies people: telephone numbers in 1 cell'
    """
    hidden, common = _words_not_published(publication), _common(publication.table)
    table = publication.table
    known_columns = () if table is None else table.quasi_identifiers
    trees = {column.name for column in known_columns if column.taxonomy is not None}
    whom = None if table is None or table.person is None else table.person.codes.astype(np.int64)
    # Whose are the texts of a set only the original can say.
    unread = {
        column.name: unread_texts(HiddenColumn.of(column), whom)
        for column in known_columns
        if table is not None and column.name in table.both and not column.numeric
    }
    limits = {CellKind.OWN_VALUE: thresholds.own, CellKind.EXACT_NUMBER: thresholds.single}
    identified = False
    for column in publication.columns:
        for cells in find_identifying_cells(
            column,
            publication.person,
            hidden=hidden,
            covered=column.name in trees,
            # Labels may be ranges; whether what they cover was measured their words tell.
            measured=True if column.numbers is not None else None,
            secret=column.secret,
            exact=column.name in publication.exact,
            common=common.get(column.name, frozenset()),
            unread=unread.get(column.name),
        ):
            identified = True
            asks = cells.kind is CellKind.UNREAD
            sentence = f"{column.name} identifies people: {cells.phrase}"
            yield JudgedFinding(
                JudgedCriterion.CELLS,
                FindingStanding.OPEN if asks else FindingStanding.BROKEN,
                _question(cells) if asks else sentence,
                hit=cells.people,
                people=publication.people,
                figure=cells.share,
                # A share is tolerated of these two kinds alone: of any other one cell is too many.
                threshold=None if asks else limits.get(cells.kind, Fraction(0)),
                columns=(column.name,),
                remedy=_REMEDIES.get(cells.kind, Remedy.LEAVE_OUT),
                victims=cells.victims,
            )
    if not identified:
        yield JudgedCriterion.CELLS.met(
            "no cell has contact data, an official number, a word of a column that is not "
            "published or free text, no column is one of names, and few hold a value of their own",
            publication.people,
        )


_REMEDIES = {CellKind.UNREAD: Remedy.CONFIRM, CellKind.EXACT_NUMBER: Remedy.ROUND}


def _question(cells: IdentifyingCells) -> str:
    """Return what somebody has to read; who sees the finding alone must not see the texts."""
    return (
        f"{cells.column}: {cells.phrase}, such as names, several words or an address that few "
        f"people have: look at them, and say {spell('exact', [cells.column])} if none names a "
        f"person, else {spell('drop', [cells.column])}"
    )


def _words_not_published(publication: PublishedFile) -> HiddenTokens | None:
    """Return the words of columns that are not published, of people who were left out as well."""
    columns, rows = publication.hidden, publication.source_row
    if not columns or rows is None:
        return HiddenTokens.of(columns) if columns else None
    sources = len(columns[0].codes)
    # A cell may name somebody whose own row was left out.
    gone = np.setdiff1d(np.arange(sources), rows)
    places = np.concatenate([rows, gone])
    table, persons = publication.table, publication.persons
    if publication.person is not None and table is not None and table.person is not None:
        absent = table.person.codes[gone].astype(np.int64)
    else:
        # Above all numbers in the file: whoever was left out is none of its people.
        absent = int(persons.max(initial=-1)) + 1 + np.arange(len(gone), dtype=np.int64)
    words = (replace(own, codes=np.append(own.codes, -1)[places]) for own in columns)
    return HiddenTokens.of(words, np.concatenate([persons, absent]))


def _common(table: Table | None) -> Mapping[str, frozenset[str]]:
    """Return the values of the source that a crowd of people shares, by column."""
    if table is None:
        return {}
    person = None if table.person is None else table.person.codes.astype(np.int64)
    common = {}
    for column in (*table.quasi_identifiers, *table.secrets, *table.other):
        codes = column.codes.astype(np.int64)
        if person is not None:
            # Each person once for a value: eleven visits of one patient are no crowd.
            codes = np.unique(np.stack([codes, person]), axis=1)[0]
        people = np.bincount(codes, minlength=len(column.values))
        counts = zip(column.values, people.tolist(), strict=True)
        shared = (value for value, count in counts if count >= CROWD and value is not MISSING)
        common[column.name] = frozenset(map(text, shared))
    return common
