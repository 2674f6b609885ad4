"""The register: releases that are out already, read from their files and receipts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from kproof.datasets import MISSING_CELLS
from kproof.errors import DataError, one_of, shown
from kproof.models.base.arrays import Codes
from kproof.models.base.columns import group_codes
from kproof.models.judgement.publication import EarlierRelease, Knowledge, PublishedColumn
from kproof.models.judgement.receipts import Receipt, digest_of, receipt_beside
from kproof.models.tables.encoding import is_number
from kproof.models.tables.readers import AS_FOUND, Cells, FileLayout, read_cells


def earlier_from(
    paths: Iterable[str | Path],
    *,
    known: Collection[str] = (),
    secret: Collection[str] = (),
    person: str | None = None,
    people: Mapping[str, int] | None = None,
    key: bytes | None = None,
    layout: FileLayout = AS_FOUND,
    missing: Collection[str] = MISSING_CELLS,
) -> tuple[EarlierRelease, ...]:
    """Read releases that are out already.

    A column plays the part that the receipt beside the file says, otherwise that of the release
    that is judged; one that neither names is known. People are followed by a column of the file,
    or by the digests of the receipt: then the receipt says in which class somebody is, and which
    row of it is hers nobody does.

    Parameters
    ----------
    paths
        The files.
    known, secret
        Columns of the release that is judged; one may be both.
    person
        The column that says whom a row is about, in files that have it.
    people
        Number of each person in the release that is judged, by what that column says.
    key
        For digests of people.
    layout, missing
        How the files are to be read.

    Raises
    ------
    DataError
        If a file cannot be read, its receipt is of another, or it has no column in common.
    """
    return tuple(
        _read(str(path), known, secret, person, people, key, layout, missing) for path in paths
    )


def _read(
    path: str,
    known: Collection[str],
    secret: Collection[str],
    person: str | None,
    people: Mapping[str, int] | None,
    key: bytes | None,
    layout: FileLayout,
    missing: Collection[str],
) -> EarlierRelease:
    receipt = receipt_beside(path)
    cells = read_cells(path, layout, missing)
    columns = columns_of(cells, known, secret, leaving=person, receipt=receipt)
    if not {column.name for column in columns} & {*known, *secret}:
        names = ", ".join(map(shown, [*known, *secret]))
        raise DataError(f"{path}: has none of the columns {names}; name a release of these people")
    whom = None
    if people is not None and person in cells.names:
        whom = persons_of(cells, person, people)
    elif people is not None and receipt is not None and receipt.people and key is not None:
        whom = _placed(columns, receipt, people, key, path)
    digest = "" if receipt is None else receipt.sha256
    return EarlierRelease(path, columns, whom, digest)


def columns_of(
    cells: Cells,
    known: Collection[str],
    secret: Collection[str],
    *,
    leaving: str | None = None,
    receipt: Receipt | None = None,
) -> tuple[PublishedColumn, ...]:
    """Return the columns of a file as a judgement reads them.

    Parameters
    ----------
    cells
        The file.
    known, secret
        Names of columns; one that is neither is known.
    leaving
        The column that says whom rows are about, which was not published.
    receipt
        What was said of the columns when the file was published.
    """
    columns = []
    for name, codes, texts in zip(cells.names, cells.codes, cells.texts, strict=True):
        if name == leaving:
            continue
        knowledge = Knowledge.KNOWN
        if name in secret:
            knowledge = Knowledge.BOTH if name in known else Knowledge.SECRET
        if receipt is not None:
            knowledge = receipt.columns.get(name, knowledge)
        numbers = None
        if knowledge is Knowledge.SECRET and texts and all(map(is_number, texts)):
            numbers = tuple(map(Fraction, texts))
        columns.append(PublishedColumn(name, knowledge, codes, texts, numbers))
    return tuple(columns)


def persons_of(cells: Cells, person: str, people: Mapping[str, int]) -> Codes:
    """Return whom each row of a file is about, -1 for somebody who has no number.

    Raises
    ------
    DataError
        If there is no such column.
    """
    if person not in cells.names:
        raise DataError(f"person = {person}: need {one_of(person, cells.names)}")
    place = cells.names.index(person)
    number = [people.get(text, -1) for text in cells.texts[place]]
    return np.array([*number, -1], dtype=np.int64)[cells.codes[place]]


def _placed(
    columns: Sequence[PublishedColumn],
    receipt: Receipt,
    people: Mapping[str, int],
    key: bytes,
    path: str,
) -> Codes:
    """Give each person as many rows of her class as a receipt says, whichever these are."""
    rows = columns[0].rows
    by_name = {column.name: column for column in columns}
    absent = [name for name in receipt.known if name not in by_name]
    if absent:
        raise DataError(f"{path}: its receipt has a column {shown(absent[0])} that the file lacks")
    every = [by_name[name] for name in receipt.known]
    class_of, _ = group_codes([(one.states, len(one.texts) + 1) for one in every], rows)
    free: dict[tuple[str | None, ...], list[int]] = defaultdict(list)
    written = [[*column.texts, None] for column in every]
    first: dict[int, tuple[str | None, ...]] = {}
    for row, index in enumerate(class_of.tolist()):
        if index not in first:
            first[index] = tuple(
                texts[column.codes[row]] for texts, column in zip(written, every, strict=True)
            )
        free[first[index]].append(row)
    persons = np.full(rows, -1, dtype=np.int64)
    for name, number in people.items():
        for index in receipt.class_of(name, key=key):
            left = free[receipt.classes[index]]
            if not left:
                raise DataError(f"{path}: its receipt has more people in a class than rows")
            persons[left.pop()] = number
    return persons
