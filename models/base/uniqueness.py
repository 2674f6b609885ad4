"""Rows that stand alone: by one column, or by it together with one or two others.

What is counted is exact. A row that two columns single out is singled out by any third with them,
so that three columns are only held against the rows that two of them leave in company; sets whose
bound does not exceed what was counted already are not counted at all. Of up to :data:`EXHAUSTIVE`
columns no set is left open otherwise. Of more, each column is counted with the :data:`STRONGEST`
ones alone, and every result bounds what the other sets may single out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.arrays import Codes, Flags, Integers

Columns = Sequence[Integers]
"""Shape (rows,) each: equal codes, equal values."""

EXHAUSTIVE = 40
"""Columns of which every set of two and three is counted or excluded by its bound."""

STRONGEST = 6
"""Columns that all the others are counted with where there are more than :data:`EXHAUSTIVE`."""

_DENSE = 4
"""Keys below so many times the rows are counted in an array, others by hashing."""

_CACHED = 1 << 28
"""Bytes of rows that pairs leave in company; what does not fit is counted again."""


@dataclass(frozen=True, slots=True)
class SinglingSet:
    """Columns that single out rows together."""

    columns: tuple[int, ...]
    """Their positions, in ascending order."""
    rows: int
    """Rows of which no other agrees on all of them."""
    at_most: int
    """Rows that no set of as many of the columns exceeds; ``rows`` where every set was looked at.
    Of :attr:`Uniqueness.with_one` and ``with_two``: no set with that column in it."""

    @property
    def searched(self) -> bool:
        """Whether no other set singles out more."""
        return self.at_most == self.rows


@dataclass(frozen=True, slots=True)
class Uniqueness:
    """How many rows one column singles out."""

    alone: int
    """Rows whose value no other row has."""
    with_one: SinglingSet | None = None
    """The set of two columns, this one among them, that singles out most rows of those that were
    counted; of several that do the first. None if there is no other column."""
    with_two: SinglingSet | None = None
    """The same of three columns."""


def alone(codes: Integers) -> int:
    """Return how many rows have a code that no other row has.

    >>> alone(np.array([0, 1, 1, 2]))
    2
    """
    if not len(codes):
        return 0
    # From 0 on: a missing value may be negative, and bincount takes no such number.
    return int(np.count_nonzero(np.bincount(codes - int(codes.min())) == 1))


def uniqueness(columns: Columns, *, exhaustive: int = EXHAUSTIVE) -> tuple[Uniqueness, ...]:
    """Return how many rows each column singles out, alone and with one or two of the others.

    Codes are equal where values are. A negative one stands for a missing value, which is a value
    like any other: a reader sees that it is missing. Of more than ``exhaustive`` columns, at least
    3, each is counted with the strongest alone, and bounded.

    >>> sex, ward, bed = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1])
    >>> [each.alone for each in uniqueness([sex, ward, bed])]
    [0, 0, 1]
    >>> uniqueness([sex, ward, bed])[0].with_one
    SinglingSet(columns=(0, 1), rows=4, at_most=4)
    """
    if not columns or not len(columns[0]):
        return tuple(Uniqueness(0) for _ in columns)
    search = _Search.of(columns, exhaustive)
    if search.wide:
        search.improve_by_the_strongest()
    else:
        # Pairs first: what they leave in company bounds the sets of three, most of which are then
        # never counted.
        for size in (2, 3):
            search.improve(combinations(search.core, size))
    pairs, triples = search.best[2], search.best[3]
    return tuple(map(Uniqueness, map(alone, columns), pairs, triples))


def jointly(
    columns: Columns, threshold: int, *, exhaustive: int = EXHAUSTIVE
) -> SinglingSet | None:
    """Return two or three columns that single out at least so many rows, or None if none do.

    Two are preferred to three; of several sets the one that singles out most is returned. If there
    are more than ``exhaustive`` columns and a set that was not counted may do so, the best of
    those counted is returned: its ``rows`` are fewer than ``threshold``, its ``at_most`` are not.

    >>> first, last = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> jointly([first, last], 4)
    SinglingSet(columns=(0, 1), rows=4, at_most=4)
    >>> jointly([first, first], 1) is None
    True
    """
    if len(columns) < 2 or not len(columns[0]):
        return None
    search = _Search.of(columns, exhaustive)
    # What all of them together do not single out no part of them does.
    if search.most < threshold:
        return None
    sets = []
    for size in (2, 3):
        search.improve(combinations(search.core, size))
        largest = search.largest(size)
        if largest is not None and largest.rows >= threshold:
            return largest
        sets.append(largest)
    possible = (best for best in reversed(sets) if best is not None and best.at_most >= threshold)
    return next(possible, None)


def best_sets(columns: Columns, *, exhaustive: int = EXHAUSTIVE) -> tuple[SinglingSet, ...]:
    """Return the two, and the three columns that single out most rows, where there are so many.

    Of more than ``exhaustive`` columns only sets of the strongest are counted, the others bounded.

    >>> first, last = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> best_sets([first, last])
    (SinglingSet(columns=(0, 1), rows=4, at_most=4),)
    """
    if len(columns) < 2 or not len(columns[0]):
        return ()
    search = _Search.of(columns, exhaustive)
    return tuple(search.overall(size) for size in (2, 3) if size <= len(columns))


@dataclass(frozen=True, slots=True)
class _Crowds:
    """Groups of rows by their lengths: at most the root of twice the rows are different."""

    lengths: Codes
    groups: Codes

    @classmethod
    def of(cls, counts: Codes) -> _Crowds:
        # Codes that no row has are no groups; without any count there has to be an entry to clear.
        groups = np.bincount(counts, minlength=1)
        groups[0] = 0
        lengths = np.flatnonzero(groups)
        return cls(lengths, groups[lengths])

    def bound(self, values: Codes) -> Codes:
        """Return, for each number of values, how many rows they single out in all groups."""
        # No group has more single rows than there are values, or than it has rows.
        shorter = np.searchsorted(self.lengths, values)
        rows = np.concatenate([[0], np.cumsum(self.lengths * self.groups)])
        longer = self.groups.sum() - np.concatenate([[0], np.cumsum(self.groups)])
        # A column of many values has no longer groups, and the product may exceed 64 bits.
        reached = np.minimum(values, self.lengths.max(initial=0))
        return np.asarray(rows[shorter] + longer[shorter] * reached)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two columns: how many rows they single out, and the rest in groups."""

    rows: int
    crowds: _Crowds

    def bound(self, values: int) -> int:
        """Return at most how many rows are singled out by a third column of so many values."""
        return self.rows + int(self.crowds.bound(np.array([values]))[0])


@dataclass(frozen=True, slots=True)
class _Company:
    """The rows that two columns do not single out, and keys that are equal where both agree."""

    left: NDArray[np.int32]
    keys: NDArray[np.int32]


@dataclass
class _Search:
    """Columns over rows of which equal ones are one, and the best sets counted so far."""

    columns: list[NDArray[np.unsignedinteger[Any]]]
    sizes: list[int]
    single: Flags
    most: int
    wide: bool
    best: dict[int, list[SinglingSet | None]]
    pairs: dict[tuple[int, int], _Pair] = field(default_factory=dict)
    company: dict[tuple[int, int], _Company] = field(default_factory=dict)
    cached: int = 0

    @classmethod
    def of(cls, columns: Columns, exhaustive: int) -> _Search:
        """Fold rows that agree on every column: no set of columns singles one of them out."""
        lows = [int(codes.min()) for codes in columns]
        sizes = [int(codes.max()) - low + 1 for codes, low in zip(columns, lows, strict=True)]
        first, single = _fold(columns, lows, sizes)
        # As narrow as they fit, since codes are read again for every set of columns.
        spans = zip(columns, lows, map(np.min_scalar_type, sizes), strict=True)
        folded = [(codes[first] - low).astype(kind) for codes, low, kind in spans]
        best: dict[int, list[SinglingSet | None]] = {size: [None] * len(columns) for size in (2, 3)}
        most, wide = int(np.count_nonzero(single)), len(columns) > exhaustive
        return cls(folded, sizes, single, most, wide, best)

    def improve(self, sets: Iterable[tuple[int, ...]]) -> None:
        """Count sets of two or three columns that may be the best of one of their columns."""
        # Largest bounds first: what they count lets those behind be passed over uncounted.
        for bound, places in sorted((-self._most(places), places) for places in sets):
            best = self.best[len(places)]
            counted = {place: -1 if (of := best[place]) is None else of.rows for place in places}
            if min(counted.values()) >= -bound:
                continue
            rows = self._count(places)
            for place in places:
                if counted[place] < rows:
                    best[place] = SinglingSet(places, rows, rows)

    def improve_by_the_strongest(self) -> None:
        """Count each column with the strongest, and its best pair with them; bound the others."""
        hubs = self.strongest(STRONGEST)
        everywhere = range(len(self.sizes))
        self.improve({_key(place, hub) for place in everywhere for hub in hubs if hub != place})
        for place in everywhere:
            # Sets with one pair follow each other, so that its rows are still at hand.
            if (pair := self.best[2][place]) is not None:
                self.improve([_key(*pair.columns, hub) for hub in hubs if hub not in pair.columns])
        pairs = self.bounds.pairs.copy()
        # Sets with a strongest column were counted, or could not be best: no bound is due for them.
        pairs[hubs] = pairs[:, hubs] = 0
        for size, limits in ((2, pairs.max(axis=1)), (3, self.bounds.triples)):
            for place, best in enumerate(self.best[size]):
                if best is not None:
                    at_most = max(best.rows, int(limits[place]))
                    self.best[size][place] = replace(best, at_most=at_most)

    def largest(self, size: int) -> SinglingSet | None:
        """Return the best set of so many columns that was counted, and what no other exceeds."""
        sets = [best for best in self.best[size] if best is not None]
        return self._with_bound(max(sets, key=lambda best: best.rows)) if sets else None

    def overall(self, size: int) -> SinglingSet:
        """Find the set of so many columns that singles out most rows; of several the first."""
        sets = sorted((-self._most(places), places) for places in combinations(self.core, size))
        first = sets[0][1]
        largest, columns = self._count(first), first
        for bound, places in sets[1:]:
            if -bound <= largest:
                # No set from here on singles out more.
                break
            if (rows := self._count(places)) > largest:
                largest, columns = rows, places
        return self._with_bound(SinglingSet(columns, largest, largest))

    @cached_property
    def core(self) -> Sequence[int]:
        """The columns of which all sets are looked at."""
        return sorted(self.strongest(2 * STRONGEST)) if self.wide else range(len(self.sizes))

    @cached_property
    def crowds(self) -> list[_Crowds]:
        """The groups of each column, of rows that can be singled out."""
        # Rows with an equal one are never singled out: without them the bound is tighter and still
        # true.
        return [_Crowds.of(np.bincount(codes[self.single])) for codes in self.columns]

    @cached_property
    def bounds(self) -> _Bounds:
        """What no set can exceed, from the groups of single columns alone."""
        return _Bounds.of(self.crowds, self.sizes, self.most)

    def strongest(self, count: int) -> list[int]:
        """Return the columns of which two rows agree least often, as many as are wanted."""
        agreeing = [int((crowd.groups * crowd.lengths**2).sum()) for crowd in self.crowds]
        return sorted(range(len(agreeing)), key=agreeing.__getitem__)[:count]

    def _with_bound(self, best: SinglingSet) -> SinglingSet:
        if len(self.core) == len(self.sizes):
            return best
        if len(best.columns) == 2:
            pairs = self.bounds.pairs.copy()
            pairs[np.ix_(self.core, self.core)] = 0
            limit = int(pairs.max())
        else:
            # A set of three exceeds the bound of none of its columns: the third largest holds.
            limit = int(np.sort(self.bounds.triples)[-3])
        return replace(best, at_most=max(best.rows, limit))

    def _most(self, places: tuple[int, ...]) -> int:
        """Return at most how many rows a set singles out, without counting them."""
        # Each row that is singled out has a combination of values to itself.
        bound = min(self.most, prod(self.sizes[place] for place in places))
        for third in places if len(places) == 3 else ():
            if (pair := self.pairs.get(_without(places, third))) is not None:
                bound = min(bound, pair.bound(self.sizes[third]))
        return bound

    def _count(self, places: tuple[int, ...]) -> int:
        if len(places) == 2:
            if places not in self.pairs:
                self._divide(places)
            return self.pairs[places].rows
        choices = [
            (self.company[pair], pair, third)
            for third in places
            if (pair := _without(places, third)) in self.company
        ]
        if choices:
            # Whichever pair is taken, the answer is the same: the one that leaves fewest rows to be
            # counted.
            company, pair, third = min(choices, key=lambda choice: len(choice[0].left))
        else:
            pair, third = _without(places, places[2]), places[2]
            company = self._divide(pair)
        keys = _wide(company.keys, self.sizes[third]) + self.columns[third][company.left]
        counts, of_row = _count_keys(keys)
        # A row that stands for several equal ones is never singled out, though its key occurs once.
        shared = ~self.single[company.left]
        twice = np.count_nonzero(counts[of_row[shared]] == 1)
        return self.pairs[pair].rows + int(np.count_nonzero(counts == 1) - twice)

    def _divide(self, places: tuple[int, int]) -> _Company:
        """Count two columns and keep the rows that they leave in company while there is room."""
        first, last = places
        keys = _wide(self.columns[first], self.sizes[last]) + self.columns[last]
        counts, of_row = _count_keys(keys)
        # A row that stands for several stays in company even if its key occurs once: no column
        # singles it out.
        out = (counts[of_row] == 1) & self.single
        company_rows = np.flatnonzero(~out).astype(np.int32)
        company = _Company(company_rows, of_row[company_rows].astype(np.int32))
        crowds = _Crowds.of(np.bincount(company.keys))
        self.pairs[places] = _Pair(int(np.count_nonzero(out)), crowds)
        self.company[places] = company
        self.cached += 8 * len(company_rows)
        # Of many columns hardly a pair is asked for again.
        room = _CACHED >> 2 if self.wide else _CACHED
        # The oldest go; the newest stays even if it is too large, since sets with its pair follow.
        while self.cached > room and len(self.company) > 1:
            self.cached -= 8 * len(self.company.pop(next(iter(self.company))).left)
        return company


@dataclass(frozen=True, slots=True)
class _Bounds:
    """What sets of columns cannot exceed, from the groups of single columns."""

    pairs: Codes
    """Shape (columns, columns): both together; 0 on the diagonal."""
    triples: Codes
    """Shape (columns,): any three with this one."""

    @classmethod
    def of(cls, crowds: Sequence[_Crowds], sizes: Sequence[int], limit: int) -> _Bounds:
        # Two others have at most the product of their sizes of values: that of the largest two.
        by_size = np.argsort(sizes)[::-1]
        values = np.asarray(sizes, dtype=np.int64)
        pairs, triples = [], []
        for place, crowd in enumerate(crowds):
            largest, second = by_size[by_size != place][:2]
            is_largest = np.arange(len(values)) == largest
            pairs.append(crowd.bound(values))
            triples.append(crowd.bound(values * np.where(is_largest, *values[[second, largest]])))
        # What bounds one column of a set bounds the set: the smaller of two bounds holds.
        bounds = [np.minimum(np.minimum(b, np.transpose(b)), limit) for b in (pairs, triples)]
        for bound in bounds:
            np.fill_diagonal(bound, 0)
        # A third is bound by the first two, and so is each of them: the second largest holds.
        return cls(bounds[0], np.sort(bounds[1], axis=1)[:, -2])


def _key(*places: int) -> tuple[int, ...]:
    return tuple(sorted(places))


def _without(places: tuple[int, ...], third: int) -> tuple[int, int]:
    first, last = (place for place in places if place != third)
    return first, last


def _fold(columns: Columns, lows: Sequence[int], sizes: Sequence[int]) -> tuple[Codes, Flags]:
    """Return one row of each kind, and whether it is the only one of its kind."""
    keys, limit = np.zeros(len(columns[0]), dtype=np.int64), 1
    for codes, low, size in zip(columns, lows, sizes, strict=True):
        # Before a key could overflow: numbering those that occur makes room for the next column.
        if limit * size >= 1 << 62:
            counts, keys = _count_keys(keys)
            limit = len(counts)
        keys, limit = keys * size + codes - low, limit * size
    counts, of_row = _count_keys(keys)
    first = np.full(len(counts), -1, dtype=np.int64)
    # Backwards: the first row of each kind is written last, and stays.
    first[of_row[::-1]] = np.arange(len(of_row) - 1, -1, -1)
    filled = first >= 0
    return first[filled], counts[filled] == 1


def _wide(codes: NDArray[np.integer[Any]], size: int) -> Codes:
    # Codes are as narrow as they can be, and a product as narrow as they are would wrap around;
    # by NumPy 1 it would be even of a 64-bit number.
    product: Codes = np.multiply(codes, size, dtype=np.int64)
    return product


def _count_keys(keys: Codes) -> tuple[Codes, Codes]:
    """Return how often each key occurs, and the place of each row's key among those counts."""
    if not len(keys):
        return keys, keys
    if int(keys.max()) < _DENSE * len(keys) + (1 << 16):
        # Keys are their own places among the counts here, of which many may be 0.
        return np.bincount(keys), keys
    _, of_row, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return counts, of_row.reshape(-1)
