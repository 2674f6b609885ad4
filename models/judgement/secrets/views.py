"""What a secret may be read as: cells that are written differently and mean the same.

``B20.0`` and ``B201`` are one illness, ``HIV (stage 1)`` and ``HIV (stage 2)`` as well, ``€ 52000``
and ``€ 52100`` one pay, ``HIV;Flu`` and ``HIV;Cold`` both name HIV. Each reading of a column is a
column, and is judged as one.

What an adversary knows of everybody beside the published cells, exactly.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.base.spellings import fold_spelling
from kproof.models.judgement.people import remember_by_column
from kproof.models.judgement.publication import (
    ColumnKnowledge,
    HiddenColumn,
    PublishedColumn,
    PublishedFile,
)
from kproof.models.judgement.thresholds import Thresholds
from kproof.models.tables.decimals import DecimalSign, plain_numbers
from kproof.models.tables.detection.dates import read_dates
from kproof.models.tables.encoding import is_number
from kproof.models.tables.levels.moments import DateFormat, SeveralFormats, split_time

_CODE = re.compile(r"([^\W\d_]+\d\w*)[.-].*")
"""Letters and digits, then what makes the code finer. A word, such as COVID, is no code."""
_CATEGORY = re.compile(r"([^\W\d_]\d\d)\w{1,2}")
"""A code of ICD-10 whose dot was left out: B201, E1190. Longer ones are numbers of something."""
_FIRST_WORD = re.compile(r"([^\W\d_][^\s(\[]+)[\s(\[].+")
"""A word of letters, then what makes it finer: HIV (stage 2)."""
_AMOUNT = re.compile(
    r"(?P<before>(?:\D*[^\w+.,-])?)(?P<number>[+-]?\d(?:[\d.,'’ \u00a0\u202f]*\d)?)"
    r"(?P<after>(?:[^\d.,].*)?)"
)
"""A number with its unit. Letters right before the digits make a code of it: P0017."""
_BETWEEN = re.compile(r"[;|,+/]")

_WRITTEN = Fraction(9, 10)
"""Of the distinct texts, how many have the same unit if a column is read as numbers."""
_MOST_PARTS = 4
"""Parts of a cell that are judged at a time, on average: bounds the memory."""


def views(column: PublishedColumn) -> tuple[PublishedColumn, ...]:
    """Return a secret column and what else it may be read as; numbers and labels as nothing else.

    >>> from kproof.models.judgement.publication import ColumnKnowledge
    >>> def readings(*texts):
    ...     codes = np.arange(len(texts))
    ...     return views(PublishedColumn("it", ColumnKnowledge.SECRET, codes, texts))[1:]
    >>> [code] = readings("B20.0", "B20.1", "C50")
    >>> code.reading, code.texts, code.codes.tolist()
    ('the first part of ', ('B20', 'C50'), [0, 0, 1])
    >>> [ill] = readings("HIV (stage 1)", "HIV (stage 2)", "gout")
    >>> ill.reading, ill.texts
    ('the first word of ', ('HIV', 'gout'))
    >>> [pay] = readings("€ 1200", "€ 900")
    >>> pay.reading, list(map(int, pay.numbers))
    ('the number in ', [1200, 900])
    >>> [ill] = readings("HIV;flu", "HIV;gout", "gout")
    >>> ill.reading, ill.atoms
    ('a part of ', (('hiv',), ('gout', 'hiv'), ('gout',)))
    """
    gaps = tuple(_with_gaps(column))
    if column.numbers is not None or column.atoms is not None or not column.texts:
        return (column, *gaps)
    measured = tuple(_days(column)) or tuple(_amounts(column))
    return (column, *gaps, *(measured or (*_first_parts(column), *_parts(column))))


def _with_gaps(column: PublishedColumn) -> Iterator[PublishedColumn]:
    """Yield a column in which nothing recorded is a value: no offence is a secret, too."""
    if column.texts and (column.codes < 0).any():
        atoms = None if column.atoms is None else (*column.atoms, ("",))
        # Numbers within a window are judged by the column itself.
        yield replace(
            column,
            codes=column.states,
            texts=(*column.texts, ""),
            numbers=None,
            atoms=atoms,
            reading="the value or gap of ",
        )


def _days(column: PublishedColumn) -> Iterator[PublishedColumn]:
    """Yield a column of dates as days, once for each order of day and month that it may have."""
    if (dates := read_dates(column.texts)) is None or not dates.formats:
        return
    patterns = ("|".join(dates.formats),) if dates.mixed else dates.formats
    for pattern in patterns:
        day_of = (SeveralFormats if dates.mixed else DateFormat)(pattern).read
        yield _measure(column, "the date in ", [_ordinal(day_of, cell) for cell in column.texts])


def _ordinal(day_of: Callable[[str], date | None], cell: str) -> Fraction | None:
    day = day_of(split_time(cell)[0])
    return None if day is None else Fraction(day.toordinal())


def _amounts(column: PublishedColumn) -> Iterator[PublishedColumn]:
    """Yield the numbers of a column that stand beside one unit."""
    # Digits alone that nobody counts as numbers were said to be codes.
    if all(map(is_number, column.texts)):
        return
    amounts = [_AMOUNT.fullmatch(cell.strip()) for cell in column.texts]
    units = [amount and (amount["before"].strip(), amount["after"].strip()) for amount in amounts]
    [(unit, texts)] = Counter(units).most_common(1)
    if unit is None or texts < _WRITTEN * len(units):
        return
    pairs = zip(amounts, units, strict=True)
    cells = [amount["number"] if amount and own == unit else "" for amount, own in pairs]
    readings = []
    # 1.200 may be either number, and both are judged.
    for sign in DecimalSign:
        plain = plain_numbers(cells, sign, {""})
        if not all(is_number(number or "0") for number in plain):
            continue
        numbers = [Fraction(number) if number else None for number in plain]
        # Most columns have one reading under either sign: judged once.
        if numbers not in readings:
            readings.append(numbers)
            yield _measure(column, "the number in ", numbers)


def _measure(
    column: PublishedColumn, reading: str, numbers: Sequence[Fraction | None]
) -> PublishedColumn:
    """Return a column whose texts are numbers; a text that is none shows no value."""
    present = tuple(number for number in numbers if number is not None)
    pairs = zip(column.texts, numbers, strict=True)
    atoms = tuple(() if number is None else (cell,) for cell, number in pairs)
    return replace(column, reading=reading, numbers=present, atoms=None if all(atoms) else atoms)


def _first_parts(column: PublishedColumn) -> Iterator[PublishedColumn]:
    """Yield what codes, and what words, are before what makes them finer, if that joins some."""
    readings = {"the first part of ": _first_part, "the first word of ": _first_word}
    for reading, first in readings.items():
        parts: dict[str, str] = {}
        # By what a reader takes for one: HIV (stage 1) and hiv (stage 2) begin alike.
        forms = [fold_spelling(part) for part in map(first, column.texts)]
        for form, cell in zip(forms, column.texts, strict=True):
            parts.setdefault(form, first(cell))
        # A reading that joins no two cells tells what the column tells.
        if len(parts) < len(forms):
            place = {form: index for index, form in enumerate(parts)}
            code = np.array([*(place[form] for form in forms), -1])
            texts = tuple(parts.values())
            yield replace(column, reading=reading, codes=code[column.codes], texts=texts)


def _first_part(cell: str) -> str:
    code = _CODE.fullmatch(cell.strip()) or _CATEGORY.fullmatch(cell.strip())
    return cell if code is None else code[1]


def _first_word(cell: str) -> str:
    words = _FIRST_WORD.fullmatch(cell.strip())
    return cell if words is None else words[1]


def _parts(column: PublishedColumn) -> Iterator[PublishedColumn]:
    """Yield the parts of cells that are sets, if some part is in several of them.

    A cell shows all of its parts, so that several may be certain; what nearly everybody has, or
    one text alone, tells no more than the column itself.
    """
    # In one search: most columns have no set, and a million cells need not be split to see it.
    if _BETWEEN.search("\n".join(column.texts)) is None:
        return
    rows = np.bincount(column.codes[column.codes >= 0], minlength=len(column.texts)).tolist()
    of_cell, texts, rows_with = [], Counter[str](), Counter[str]()
    for cell, count in zip(column.texts, rows, strict=True):
        pieces = [fold_spelling(piece) for piece in _BETWEEN.split(cell)]
        parts = {part for piece in pieces for part in (piece, _first_part(piece)) if part}
        of_cell.append(parts)
        # A part counts once in a cell, however often it stands there: parts are a set.
        texts.update(parts)
        rows_with.update(dict.fromkeys(parts, count))
    chosen: list[set[str]] = []
    room = 0
    # Ties by the part itself: sets of texts have another order in each process.
    for part in sorted(texts, key=lambda part: (-rows_with[part], part)):
        rare = rows_with[part] < Thresholds.common * column.rows
        if texts[part] > 1 and rare:
            room -= rows_with[part]
            # Each is a column of its own: none is left out, however many a cell has.
            if room < 0:
                chosen.append(set())
                room = max(_MOST_PARTS * column.rows - rows_with[part], 0)
            chosen[-1].add(part)
    for shared in chosen:
        atoms = tuple(tuple(sorted(parts & shared)) for parts in of_cell)
        yield replace(column, reading="a part of ", atoms=atoms, every=True)


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
    hidden = (own for own in publication.hidden if own.name not in declared and own.known)
    return (*publication.left_out, *(_as_shown(column, source_row) for column in hidden))


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
        columns += (_as_shown(column, source_row) for column in labelled)
    return tuple(columns)


def _as_shown(column: HiddenColumn, source_row: Codes) -> PublishedColumn:
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
