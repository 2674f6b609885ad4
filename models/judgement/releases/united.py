"""Columns of several releases as one, so that what they show may be compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from kproof.models.judgement.publication import EarlierRelease, PublishedColumn


def as_often(own: PublishedColumn, other: PublishedColumn) -> bool:
    """Say whether values occur so nearly as often in two columns that they are of the same people.

    Between quite other people, the sum of the squared differences, each over its total, is about
    one less than there are values; of two values nothing follows.
    """
    codes = np.split(united_of([own, other]).codes + 1, [own.rows])
    size = max(int(values.max(initial=0)) for values in codes) + 1
    counts = [np.bincount(values, minlength=size)[1:] for values in codes]
    total = counts[0] + counts[1]
    occurring = np.flatnonzero(total)
    distance = ((counts[0] - counts[1])[occurring] ** 2 / total[occurring]).sum()
    return len(occurring) > 2 and bool(4 * distance < len(occurring) - 1)


def rows_in(release: EarlierRelease) -> tuple[tuple[str, ...], Counter[tuple[str | None, ...]]]:
    """Return the names of a release's columns and how often it has each row; none of counts."""
    columns = sorted(release.columns, key=lambda column: column.name)
    rows = () if release.counts else zip(*(column.cells for column in columns), strict=True)
    return tuple(column.name for column in columns), Counter(rows)


def column_of(columns: Sequence[PublishedColumn], name: str) -> PublishedColumn:
    """Return the column of a name."""
    return next(column for column in columns if column.name == name)


def united_of(columns: Sequence[PublishedColumn]) -> PublishedColumn:
    """Return a column with the rows of several; numbers are alike if they are equal."""
    exact = all(column.numbers is not None for column in columns)
    place: dict[object, int] = {}
    codes, texts, numbers = [], [], []
    for column in columns:
        keys: Sequence[Fraction | str] = column.texts
        if exact and column.numbers is not None:
            keys = column.numbers
        for text, value in zip(column.texts, keys, strict=True):
            if value not in place:
                place[value] = len(place)
                texts.append(text)
                numbers.append(value)
        codes.append(
            np.array([*(place[value] for value in keys), -1], dtype=np.int64)[column.codes]
        )
    measured = tuple(number for number in numbers if isinstance(number, Fraction))
    united, exactly = np.concatenate(codes), measured if exact else None
    return replace(columns[0], codes=united, texts=tuple(texts), numbers=exactly, atoms=None)


def alike(view: PublishedColumn) -> PublishedColumn:
    """Return a reading of a column in which equal numbers are one text."""
    return view if view.numbers is None or view.atoms is not None else united_of([view])
