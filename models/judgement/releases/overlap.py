"""Labels of two releases that may be of one person: sets, ranges and marks that meet.

Without a column that says whom rows are about, people are followed by their labels. Two classes may
share a person if the labels of every column that both show have a value in common.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from fractions import Fraction
from itertools import chain

import numpy as np

from kproof.errors import DataError
from kproof.models.base.arrays import Codes
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.judgement.publication import PublishedColumn
from kproof.models.tables.recoding import MARK, read

MOST_MEETINGS = 1_000_000
"""Pairs of classes that are compared."""

Columns = Sequence[PublishedColumn]
# Of as many digits as cells are read as numbers: a longer one is a word, which may be anything.
_NUMBER = r"-?\d{1,401}(?:\.\d{1,400})?"
_RANGE = re.compile(rf"\[?({_NUMBER})(?:-({_NUMBER}))?[\])]?")
_PERIOD = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d)(?:T.*)?)?|-Q(?P<quarter>[1-4])"
    r"|-W(?P<week>\d\d|\*\*)|(?P<decade>s))?|\[(?P<first>\d{4})-(?P<last>\d{4})\]"
)
_CLOCK = re.compile(r"\[?(\d\d):(\d\d)(?::[\d.]+)?(?:-(\d\d):(\d\d)\))?")
_BORDER = re.compile(r"\d|[^\w\s]|\s")
"""Where a word may end that a longer one makes finer: B20 and B20.1, Europe and Europe, west."""


def pair_classes_that_meet(
    columns: Columns,
    class_of: Codes,
    earlier: Columns,
    class_in: Codes,
    trees: Mapping[str, Taxonomy] | None = None,
) -> list[tuple[int, int]] | None:
    """Return pairs of classes, given by row, whose labels may be one person's; None if too many.

    ``trees`` are the hierarchies of columns, in which a word stands for others.
    """
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
        above = _ancestors((trees or {}).get(column.name), words)
        # The last line and column are of empty cells, which may be anybody's.
        table = np.ones((len(column.texts) + 1, len(match.texts) + 1), dtype=np.bool_)
        for code, label in enumerate(column.texts):
            for place, counterpart in enumerate(match.texts):
                unknown = (_elements(label) | _elements(counterpart)) - words
                table[code, place] = (
                    labels_meet(label, counterpart)
                    or any(not _spans(word) and MARK not in word for word in unknown)
                    or any(
                        first in above.get(second, ()) or second in above.get(first, ())
                        for first in _elements(label)
                        for second in _elements(counterpart)
                    )
                )
        meets &= table[np.ix_(column.states[first], match.states[second])]
    return [(int(row), int(match)) for row, match in np.argwhere(meets)]


def labels_meet(label: str, counterpart: str) -> bool:
    """Say whether a value may be behind both of two labels.

    >>> labels_meet("[20-29]", "{25, 40}"), labels_meet("[20-29]", "30-39"), labels_meet("*", "f")
    (True, False, True)
    >>> labels_meet("12*", "123*"), labels_meet("12*", "13*"), labels_meet("f", "m")
    (True, False, False)
    >>> labels_meet("2020-01", "2020-01-15"), labels_meet("2020-Q1", "2020-04")
    (True, False)
    """
    return any(
        _meet(word, another) for word in _elements(label) for another in _elements(counterpart)
    )


def covers_several(label: str) -> bool:
    """Say whether a label stands for several values: a range, a set or a mark.

    >>> [covers_several(label) for label in ("[20-29]", "{a, b}", "12*", "[29]", "20-29", "flu")]
    [True, True, True, False, False, False]
    """
    low, high = (_span(label) if label.startswith("[") else None) or (Fraction(0), Fraction(0))
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


def _ancestors(tree: Taxonomy | None, words: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """Return the words of a hierarchy above each of some of its words."""
    if tree is None:
        return {}
    return {
        word: frozenset(tree.labels[node] for node in tree.ancestors(tree.index[word]))
        for word in words
        if word in tree.index
    }


def _meet(first: str, second: str) -> bool:
    spans = _spans(first), _spans(second)
    # A year is a number, too: what both may be is compared.
    if shared := spans[0].keys() & spans[1].keys():
        return any(
            max(spans[0][kind][0], spans[1][kind][0]) <= min(spans[0][kind][1], spans[1][kind][1])
            for kind in shared
        )
    ends = zip((first, second), spans, strict=True)
    cut = [word.startswith("[") or [*span] == ["day"] for word, span in ends]
    if MARK in first + second and not any(cut):
        # Of 12* and 123* one stem begins with the other, whichever is shorter.
        stems = first.rstrip(MARK), second.rstrip(MARK)
        return stems[0].startswith(stems[1]) or stems[1].startswith(stems[0])
    # A number, a day or a range may be behind any word, and behind any mark.
    if MARK in first + second or bool(spans[0]) != bool(spans[1]) or spans[0]:
        return True
    short, long = sorted((first, second), key=len)
    return long.startswith(short) and (
        first == second or _BORDER.match(long, len(short)) is not None
    )


def _span(text: str) -> tuple[Fraction, Fraction] | None:
    match = _RANGE.fullmatch(text)
    if match is None:
        return None
    low, high = Fraction(match[1]), Fraction(match[2] or match[1])
    # 2020-01 is a month, and not all from 2020 down to 1.
    return (low, high) if low <= high else None


def _spans(text: str) -> Mapping[str, tuple[Fraction, Fraction]]:
    """Return from where to where a label reaches: as numbers, as days and as minutes of a day."""
    spans = {"number": _span(text), "day": _days(text), "minute": _minutes(text)}
    return {kind: span for kind, span in spans.items() if span is not None}


def _days(text: str) -> tuple[Fraction, Fraction] | None:
    """Return the first day and the last that a label of the calendar stands for.

    A day may be the first of a week.

    >>> labels_meet("2020-W53", "2021-01"), labels_meet("2020s", "[1980-1999]")
    (True, False)
    """
    if (match := _PERIOD.fullmatch(text)) is None:
        return None
    part = match.groupdict()
    year = int(part["year"] or part["first"])
    try:
        if part["week"]:
            weeks = (1, 52) if part["week"] == MARK * 2 else (int(part["week"]),) * 2
            first = date.fromisocalendar(year, weeks[0], 1)
            # A year has 52 weeks or 53.
            last = date.fromisocalendar(year, weeks[1], 7) + timedelta(7 * (weeks[0] < weeks[1]))
        elif part["day"]:
            first = date(year, int(part["month"]), int(part["day"]))
            last = first + timedelta(6)
        else:
            months = (1, 12)
            if part["month"] or part["quarter"]:
                end = int(part["month"] or 3 * int(part["quarter"]))
                months = (end - 2 * bool(part["quarter"]), end)
            years = 9 if part["decade"] else int(part["last"] or year) - year
            first = date(year, months[0], 1)
            behind = 12 * (year + years) + months[1]
            last = date(behind // 12, behind % 12 + 1, 1) - timedelta(1)
    except (ValueError, OverflowError):
        return None
    return Fraction(first.toordinal()), Fraction(last.toordinal())


def _minutes(text: str) -> tuple[Fraction, Fraction] | None:
    """Return the first minute of a day and the last that a label stands for."""
    if (match := _CLOCK.fullmatch(text)) is None:
        return None
    first = 60 * int(match[1]) + int(match[2])
    last = first if match[3] is None else 60 * int(match[3]) + int(match[4]) - 1
    return Fraction(first), Fraction(last)
