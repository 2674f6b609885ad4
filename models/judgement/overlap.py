"""Labels of two releases that may be of one person: sets, ranges and marks that meet.

Whoever has no column that says whom rows are about can follow people by their labels only. Two
classes may share a person if the labels of every column that both show have a value in common.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from kproof.errors import DataError
from kproof.models.judgement.publication import PublishedColumn
from kproof.models.tables.recoding import MARK, read

MOST_MEETINGS = 1_000_000
"""Pairs of classes that are compared."""

_NUMBER = r"-?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"[\[(]?({_NUMBER})(?:(?:-|\.\.|,\s*)({_NUMBER}))?[\])]?")


def meeting_classes(
    columns: Sequence[PublishedColumn],
    class_of: Sequence[int],
    others: Sequence[PublishedColumn],
    class_in: Sequence[int],
) -> list[tuple[int, int]] | None:
    """Return the pairs of classes of two releases whose labels may be of one person.

    Parameters
    ----------
    columns, class_of
        Of one release, and the class of each row.
    others, class_in
        Of the other release.

    Returns
    -------
    list of tuple or None
        None if there are too many to be compared.
    """
    first_row = np.unique(class_of, return_index=True)[1]
    first_in = np.unique(class_in, return_index=True)[1]
    if len(first_row) * len(first_in) > MOST_MEETINGS:
        return None
    meets = np.ones((len(first_row), len(first_in)), dtype=np.bool_)
    named = {column.name: column for column in others if column.known}
    for column in columns:
        match = named.get(column.name)
        if not column.known or match is None:
            continue
        table = np.ones((len(column.texts) + 1, len(match.texts) + 1), dtype=np.bool_)
        words = _words(column) & _words(match)
        for code in range(len(column.texts)):
            for other in range(len(match.texts)):
                table[code, other] = _meet(column, code, match, other, words)
        meets &= table[np.ix_(column.states[first_row], match.states[first_in])]
    return [(int(one), int(other)) for one, other in np.argwhere(meets)]


def _words(column: PublishedColumn) -> set[str]:
    return {element for text in column.texts for element in _elements(text)}


def _meet(
    column: PublishedColumn, code: int, match: PublishedColumn, other: int, words: set[str]
) -> bool:
    if column.atoms is not None and match.atoms is not None:
        return not set(column.atoms[code]).isdisjoint(match.atoms[other])
    labels = column.texts[code], match.texts[other]
    if labels_meet(*labels):
        return True
    # A word that one release lacks may stand for several of its words: Europe beside France.
    unknown = (set(_elements(labels[0])) | set(_elements(labels[1]))) - words
    return any(_span(word) is None and MARK not in word for word in unknown)


def labels_meet(label: str, other: str) -> bool:
    """Say whether a value may be behind both of two labels.

    Examples
    --------
    >>> labels_meet("[20-29]", "{25, 40}"), labels_meet("[20-29]", "30-39"), labels_meet("*", "f")
    (True, False, True)
    >>> labels_meet("12*", "123*"), labels_meet("12*", "13*"), labels_meet("f", "m")
    (True, False, False)
    """
    return any(
        _elements_meet(one, another) for one in _elements(label) for another in _elements(other)
    )


def _elements(label: str) -> tuple[str, ...]:
    try:
        elements, missing = read(label)
    except DataError:
        return (MARK,)
    # Nobody knows what a missing value stands for.
    return (MARK,) if missing else elements


def _elements_meet(one: str, other: str) -> bool:
    if one == other:
        return True
    spans = [_span(one), _span(other)]
    if spans[0] is not None and spans[1] is not None:
        (low, high), (least, most) = spans
        return low <= most and least <= high
    stems = [text.rstrip(MARK) for text in (one, other)]
    if stems == [one, other]:
        return False
    if stems[0] != one and stems[1] != other:
        return stems[0].startswith(stems[1]) or stems[1].startswith(stems[0])
    starred, plain = stems if stems[0] != one else stems[::-1]
    return plain.startswith(starred)


def _span(text: str) -> tuple[Fraction, Fraction] | None:
    match = _RANGE.fullmatch(text)
    if match is None:
        return None
    low, high = Fraction(match[1]), Fraction(match[2] or match[1])
    return (low, high) if low <= high else None
