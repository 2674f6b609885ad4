"""Rows that stand alone: by one column, or by it together with one or two others.

Every figure is exact. A row that two columns single out is singled out by any third with them, so
that three columns are only held against the rows that two of them leave in company; combinations
whose bound does not exceed what was found already are not counted at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.arrays import Codes

_DENSE = 4
"""Keys below so many times the rows are counted in an array, others by sorting."""


@dataclass(frozen=True, slots=True)
class SinglingSet:
    """Columns that single out rows together.

    Attributes
    ----------
    columns
        Their positions, in ascending order.
    rows
        Rows of which no other agrees on all of them.
    """

    columns: tuple[int, ...]
    rows: int


@dataclass(frozen=True, slots=True)
class Uniqueness:
    """How many rows one column singles out.

    Attributes
    ----------
    alone
        Rows whose value no other row has.
    with_one, with_two
        The set of two, and of three columns, this one among them, that singles out most rows; of
        several that do the first. None where there are too few columns.
    """

    alone: int
    with_one: SinglingSet | None = None
    with_two: SinglingSet | None = None


def alone(codes: NDArray[np.integer[Any]]) -> int:
    """Return how many rows have a code that no other row has.

    Examples
    --------
    >>> alone(np.array([0, 1, 1, 2]))
    2
    """
    if not len(codes):
        return 0
    return int(np.count_nonzero(np.bincount(codes - int(codes.min())) == 1))


def uniqueness(columns: Sequence[NDArray[np.integer[Any]]]) -> tuple[Uniqueness, ...]:
    """Return how many rows each column singles out, alone and with one or two of the others.

    Parameters
    ----------
    columns
        Shape (rows,) each: equal where values are. A negative code stands for a missing value,
        which is a value like any other: a reader sees that it is missing.

    Examples
    --------
    >>> sex, ward, bed = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1])
    >>> [one.alone for one in uniqueness([sex, ward, bed])]
    [0, 0, 1]
    >>> uniqueness([sex, ward, bed])[0].with_one
    SinglingSet(columns=(0, 1), rows=4)
    """
    if not columns or not len(columns[0]):
        return tuple(Uniqueness(0) for _ in columns)
    search = _Search.of(columns)
    for size in (2, 3):
        search.improve(size)
    found = zip(columns, search.best[2], search.best[3], strict=True)
    return tuple(Uniqueness(alone(codes), one, two) for codes, one, two in found)


def jointly(columns: Sequence[NDArray[np.integer[Any]]], least: int) -> SinglingSet | None:
    """Return two or three columns that single out at least so many rows, or None.

    Two are preferred to three; of several sets the one that singles out most is returned.

    Examples
    --------
    >>> first, last = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> jointly([first, last], 4)
    SinglingSet(columns=(0, 1), rows=4)
    >>> jointly([first, first], 1) is None
    True
    """
    if len(columns) < 2 or not len(columns[0]):
        return None
    search = _Search.of(columns)
    # What all of them together do not single out no part of them does.
    if search.most < least:
        return None
    for size in (2, 3):
        search.improve(size)
        sets = [one for one in search.best[size] if one is not None and one.rows >= least]
        if sets:
            return max(sets, key=lambda one: one.rows)
    return None


def best_sets(columns: Sequence[NDArray[np.integer[Any]]]) -> tuple[SinglingSet, ...]:
    """Return the two, and the three columns that single out most rows, where there are so many.

    Parameters
    ----------
    columns
        As for :func:`uniqueness`.

    Examples
    --------
    >>> first, last = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> best_sets([first, last])
    (SinglingSet(columns=(0, 1), rows=4),)
    """
    if len(columns) < 2 or not len(columns[0]):
        return ()
    search = _Search.of(columns)
    return tuple(search.overall(size) for size in (2, 3) if size <= len(columns))


@dataclass(slots=True)
class _Pair:
    """Two columns: how many rows they single out, and the rest in groups."""

    rows: int
    left: Codes
    """Rows that are not singled out."""
    keys: Codes
    """Of those rows: equal where both columns agree."""
    reach: Codes
    """Groups of more than j rows, for j = 0, 1, ...: their sum up to s bounds what s values do."""

    def bound(self, values: int) -> int:
        """Return at most how many rows are singled out by a third column of so many values."""
        # No group has more single rows than the third column has values, or than it has rows.
        return self.rows + int(self.reach[:values].sum())


@dataclass(slots=True)
class _Search:
    """Columns over rows of which equal ones are one, and the best sets found so far."""

    columns: list[Codes]
    sizes: list[int]
    single: NDArray[np.bool_]
    most: int
    best: dict[int, list[SinglingSet | None]]
    pairs: dict[tuple[int, int], _Pair] = field(default_factory=dict)

    @classmethod
    def of(cls, columns: Sequence[NDArray[np.integer[Any]]]) -> _Search:
        """Fold rows that agree on every column: no set of columns singles one of them out."""
        plain = [np.asarray(codes, dtype=np.int64) - int(codes.min()) for codes in columns]
        sizes = [int(codes.max()) + 1 for codes in plain]
        first, single = _folded(plain, sizes)
        none: list[SinglingSet | None] = [None] * len(columns)
        return cls(
            [codes[first] for codes in plain],
            sizes,
            single,
            int(np.count_nonzero(single)),
            {2: list(none), 3: list(none)},
        )

    def improve(self, size: int) -> None:
        """Find for each column the best set of two or three columns that it belongs to."""
        best = self.best[size]
        sets = [
            (-self._bound(places), places) for places in combinations(range(len(self.sizes)), size)
        ]
        for bound, places in sorted(sets):
            improves = [
                place for place in places if (known := best[place]) is None or known.rows < -bound
            ]
            if not improves:
                continue
            found = SinglingSet(places, self._count(places))
            for place in improves:
                known = best[place]
                if known is None or known.rows < found.rows:
                    best[place] = found

    def overall(self, size: int) -> SinglingSet:
        """Find the set of so many columns that singles out most rows; of several the first."""
        sets = sorted(
            (-self._bound(places), places) for places in combinations(range(len(self.sizes)), size)
        )
        first = sets[0][1]
        best = SinglingSet(first, self._count(first))
        for bound, places in sets[1:]:
            if -bound <= best.rows:
                # No set from here on singles out more.
                break
            rows = self._count(places)
            if rows > best.rows:
                best = SinglingSet(places, rows)
        return best

    def _bound(self, places: tuple[int, ...]) -> int:
        """Return at most how many rows a set singles out, without counting them."""
        values = 1
        for place in places:
            values *= self.sizes[place]
        found = min(self.most, values)
        if len(places) == 3:
            for third in places:
                pair = self.pairs.get(_without(places, third))
                if pair is not None:
                    found = min(found, pair.bound(self.sizes[third]))
        return found

    def _count(self, places: tuple[int, ...]) -> int:
        if len(places) == 2:
            return self._pair((places[0], places[1])).rows
        held = [
            (self.pairs[one], third)
            for third in places
            if (one := _without(places, third)) in self.pairs
        ]
        pair, third = (
            min(held, key=lambda one: len(one[0].left))
            if held
            else (self._pair(_without(places, places[2])), places[2])
        )
        keys = pair.keys * self.sizes[third] + self.columns[third][pair.left]
        counts, of_row = _counted(keys)
        return pair.rows + int(np.count_nonzero((counts[of_row] == 1) & self.single[pair.left]))

    def _pair(self, places: tuple[int, int]) -> _Pair:
        if places not in self.pairs:
            one, other = places
            keys = self.columns[one] * self.sizes[other] + self.columns[other]
            counts, of_row = _counted(keys)
            out = (counts[of_row] == 1) & self.single
            left = np.flatnonzero(~out)
            crowds = np.bincount(np.bincount(of_row[left], minlength=len(counts)))
            crowds[0] = 0
            reach = crowds[::-1].cumsum()[::-1][1:]
            self.pairs[places] = _Pair(int(np.count_nonzero(out)), left, of_row[left], reach)
        return self.pairs[places]


def _without(places: tuple[int, ...], third: int) -> tuple[int, int]:
    one, other = (place for place in places if place != third)
    return one, other


def _folded(columns: Sequence[Codes], sizes: Sequence[int]) -> tuple[Codes, NDArray[np.bool_]]:
    """Return one row of each kind, and whether it is the only one of its kind."""
    keys, limit = np.zeros(len(columns[0]), dtype=np.int64), 1
    for codes, size in zip(columns, sizes, strict=True):
        if limit * size >= 1 << 62:
            counts, keys = _counted(keys)
            limit = len(counts)
        keys, limit = keys * size + codes, limit * size
    counts, of_row = _counted(keys)
    first = np.full(len(counts), -1, dtype=np.int64)
    first[of_row[::-1]] = np.arange(len(of_row) - 1, -1, -1)
    there = first >= 0
    return first[there], counts[there] == 1


def _counted(keys: Codes) -> tuple[Codes, Codes]:
    """Return how often each key occurs, and the place of each row's key among those counts."""
    if not len(keys):
        return keys, keys
    if int(keys.max()) < _DENSE * len(keys) + (1 << 16):
        return np.bincount(keys), keys
    from pandas import factorize

    # Hashing beats sorting: the order of the keys is of no use here.
    of_row, _ = factorize(keys)
    return np.bincount(of_row), of_row.astype(np.int64, copy=False)
