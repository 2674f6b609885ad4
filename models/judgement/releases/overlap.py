"""Labels of two releases that may be of one person: sets, ranges and marks that meet.

Without a column that says whom rows are about, people are followed by their labels. Two classes may
share a person if the labels of every column that both show have a value in common.
"""

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain

import numpy as np

from kproof.errors import DataError
from kproof.models.base.arrays import Codes
from kproof.models.judgement.publication import PublishedColumn
from kproof.models.tables.recoding import MARK, read

MOST_MEETINGS = 1_000_000
"""Pairs of classes that are compared."""

Columns = Sequence[PublishedColumn]
# Of as many digits as cells are read as numbers: a longer one is a word, which may be anything.
_NUMBER = r"-?\d{1,401}(?:\.\d{1,400})?"
_RANGE = re.compile(rf"\[?({_NUMBER})(?:-({_NUMBER}))?\]?")


def pair_classes_that_meet(
    columns: Columns, class_of: Codes, earlier: Columns, class_in: Codes
) -> list[tuple[int, int]] | None:
    """Return pairs of classes, given by row, whose labels may be one person's; None if too many."""
    first = np.unique(class_of, return_index=True)[1]
    second = np.unique(class_in, return_index=True)[1]
    if len(first) * len(second) > MOST_MEETINGS:
        return None
    meets = np.ones((len(first), len(second)), dtype=np.bool_)
    by_name = {column.name: column for column in earlier if column.known}
    for column in columns:
        match = by_name.get(column.name)
        if not column.known or match is None:
            continue
        # A word that one release lacks may stand for words of it: Europe beside France.
        words = _words(column) & _words(match)
        # The last line and column are of empty cells, which may be anybody's.
        table = np.ones((len(column.texts) + 1, len(match.texts) + 1), dtype=np.bool_)
        for code, label in enumerate(column.texts):
            for place, counterpart in enumerate(match.texts):
                unknown = (_elements(label) | _elements(counterpart)) - words
                table[code, place] = labels_meet(label, counterpart) or any(
                    _span(word) is None and MARK not in word for word in unknown
                )
        meets &= table[np.ix_(column.states[first], match.states[second])]
    return [(int(row), int(match)) for row, match in np.argwhere(meets)]


def labels_meet(label: str, counterpart: str) -> bool:
    """Say whether a value may be behind both of two labels.

    >>> labels_meet("[20-29]", "{25, 40}"), labels_meet("[20-29]", "30-39"), labels_meet("*", "f")
    (True, False, True)
    >>> labels_meet("12*", "123*"), labels_meet("12*", "13*"), labels_meet("f", "m")
    (True, False, False)
    """
    return any(
        _meet(word, another) for word in _elements(label) for another in _elements(counterpart)
    )


def covers_several(label: str) -> bool:
    """Say whether a label stands for several values: a range, a set or a mark.

    >>> [covers_several(label) for label in ("[20-29]", "{a, b}", "12*", "[29]", "20-29", "flu")]
    [True, True, True, False, False, False]
    """
    low, high = (_span(label) if label.startswith("[") else None) or (0, 0)
    return low != high or len(_elements(label)) > 1 or label.endswith(MARK)


def columns_meet(texts: Iterable[str], own: Iterable[str], *, generalized: bool) -> bool:
    """Say whether some value may be behind a text of both of two columns.

    Numbers do if those of one column begin before those of the other end, however they are rounded.
    A word may stand for several others where it is generalized.

    >>> columns_meet(["[20-29]"], ["31", "47"], generalized=True)
    False
    >>> [columns_meet(["EU"], ["F"], generalized=generalized) for generalized in (False, True)]
    [False, True]
    """
    elements = [set(chain(*map(_elements, labels))) for labels in (texts, own)]
    spans = [[span for span in map(_span, members) if span is not None] for members in elements]
    # What is marked may have any value.
    if any(MARK in element for element in chain(*elements)):
        return True
    # Only if all are numbers: what a word among them stands for has no ends.
    if all(map(len, spans)) and list(map(len, spans)) == list(map(len, elements)):
        first, second = ([*chain(*ends)] for ends in spans)
        return max(min(first), min(second)) <= min(max(first), max(second))
    return generalized or not elements[0].isdisjoint(elements[1])


def _words(column: PublishedColumn) -> set[str]:
    return {word for label in column.texts for word in _elements(label)}


def _elements(label: str) -> set[str]:
    try:
        elements, missing = read(label)
    except DataError:
        # What nobody can read may stand for anything, as a mark does.
        return {MARK}
    # Nobody knows what a missing value stands for.
    return {MARK} if missing else set(elements)


def _meet(first: str, second: str) -> bool:
    spans = _span(first), _span(second)
    if spans[0] is not None and spans[1] is not None:
        return max(spans[0][0], spans[1][0]) <= min(spans[0][1], spans[1][1])
    # Of 12* and 123* one stem begins with the other, whichever is shorter.
    if MARK in first + second:
        stems = first.rstrip(MARK), second.rstrip(MARK)
        return stems[0].startswith(stems[1]) or stems[1].startswith(stems[0])
    return first == second


def _span(text: str) -> tuple[Fraction, Fraction] | None:
    match = _RANGE.fullmatch(text)
    return None if match is None else (Fraction(match[1]), Fraction(match[2] or match[1]))
