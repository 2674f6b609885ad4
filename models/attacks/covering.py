"""Which classes cover which quasi-identifiers: what an adversary without class ids can tell.

A published class shows a range or a set for each column. A person whose value lies in it may be in
the class. After swaps the ranges of different classes overlap, so a person may fit several.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.arrays import Codes
from kproof.models.tables.recoding import Recoded, holders_of

Mask = NDArray[np.bool_]
Integers = NDArray[np.integer[Any]]

CELLS = 1 << 23
"""Pairs of person and class compared at a time: bounds the memory, not the result."""


@dataclass(frozen=True)
class Shown:
    """One published column."""

    name: str
    """Its name."""
    covering: Callable[[object], Mask] = field(repr=False, compare=False)
    """``covering(value)`` returns, shape (classes,), which classes cover a value as typed."""


@dataclass(frozen=True)
class Coded(Shown, ABC):
    """One published column with the microdata at hand."""

    codes: Integers = field(repr=False)
    """Shape (persons,): code of each person's own value."""

    @abstractmethod
    def of_codes(self, codes: Integers, classes: Codes) -> Mask:
        """Return, shape (codes, classes), which of some classes cover which codes."""

    @abstractmethod
    def of_any(self, codes: Integers) -> Mask:
        """Return, shape (all classes,), a superset of those that cover one of the codes."""


@dataclass(frozen=True)
class Ranges(Coded):
    """A column of which each class shows a range of codes, and perhaps a missing value."""

    low: Codes
    high: Codes
    """Shape (classes,): ends of each class's range; ``low > high`` is no range."""
    missing: Mask
    """Shape (classes,): whether the class shows a missing value as well."""
    missing_code: int | None = None
    """The code of a missing value, or None if no value is missing."""

    def of_codes(self, codes: Integers, classes: Codes) -> Mask:
        """Return, shape (codes, classes), which of some classes cover which codes."""
        column = codes[:, None]
        covers: Mask = (self.low[classes] <= column) & (column <= self.high[classes])
        if self.missing_code is not None:
            covers |= (column == self.missing_code) & self.missing[classes]
        return covers

    def of_any(self, codes: Integers) -> Mask:
        """Return, shape (all classes,), a superset of those that cover one of the codes."""
        reached: Mask = (self.low <= codes.max()) & (self.high >= codes.min()) | self.missing
        return reached


@dataclass(frozen=True)
class Sets(Coded):
    """A column of which each class shows a set of codes."""

    of_class: Codes
    """Shape (classes,): which of the distinct sets each class shows."""
    starts: Codes
    members: Codes
    """The distinct sets: set s holds the codes ``members[starts[s]:starts[s + 1]]``."""

    @cached_property
    def _holders(self) -> tuple[Codes, Codes]:
        size = int(max(self.codes.max(initial=-1), self.members.max(initial=-1))) + 1
        return holders_of(self.starts, self.members, size)

    def of_codes(self, codes: Integers, classes: Codes) -> Mask:
        """Return, shape (codes, classes), which of some classes cover which codes."""
        sets, column = np.unique(self.of_class[classes], return_inverse=True)
        # Only the sets that are shown here: 10^5 sets of 10^5 codes have no room as a whole.
        place = np.full(len(self.starts), -1, dtype=np.int64)
        place[sets] = np.arange(len(sets))
        begins, holders = self._holders
        holds = np.zeros((len(codes), len(sets)), dtype=np.bool_)
        for row, code in zip(holds, codes.tolist(), strict=True):
            holding = place[holders[begins[code] : begins[code + 1]]]
            row[holding[holding >= 0]] = True
        mask: Mask = holds[:, column]
        return mask

    def of_any(self, codes: Integers) -> Mask:
        """Return, shape (all classes,), a superset of those that cover one of the codes."""
        begins, holders = self._holders
        holding = np.zeros(len(self.starts) - 1, dtype=np.bool_)
        for code in np.unique(codes).tolist():
            holding[holders[begins[code] : begins[code + 1]]] = True
        reached: Mask = holding[self.of_class]
        return reached


def encode_labels(published: Recoded) -> Coded:
    """Return what the classes of a release show of a column, ready for all its people at once.

    >>> from kproof.models.tables.recoding import recode
    >>> from kproof.models.base.columns import Column
    >>> lands = np.array([0, 1, 2], dtype=np.int32)
    >>> found = Column("land", lands, ("CA", "PK", "US"), numeric=False)
    >>> coded = encode_labels(recode(found, np.array([0, 1, 0]), 2))
    >>> coded.of_codes(lands, np.array([0, 1])).tolist()
    [[True, False], [False, True], [True, False]]
    """
    column = published.column
    if published.starts is not None and published.members is not None:
        of_class, _ = published.labels
        _, first = np.unique(of_class, return_index=True)
        lengths = np.diff(published.starts)[first]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        # Member i of a label is member i of the first class that shows it.
        places = np.repeat(published.starts[first] - starts[:-1], lengths) + np.arange(starts[-1])
        members = published.members[places]
        return Sets(column.name, published.covers, column.codes, of_class, starts, members)
    low, high, missing = published.low, published.high, column.missing
    codes: Integers = column.codes
    if published.nodes is not None and column.taxonomy is not None and column.nodes is not None:
        # Nodes are numbered so that those below one follow it: a node covers a range of them.
        low, high = published.nodes, column.taxonomy.ends[published.nodes]
        codes = column.nodes[codes]
        missing = None if missing is None else int(column.nodes[missing])
    return Ranges(column.name, published.covers, codes, low, high, published.missing, missing)


@dataclass(frozen=True)
class Profiles:
    """The distinct combinations of quasi-identifiers among some people."""

    codes: Codes
    """Shape (profiles, columns): sorted, the column with most values first."""
    of_person: Codes
    """Shape (persons,): profile of each person."""
    columns: tuple[Coded, ...]
    """The columns in the order of ``codes``."""


def profiles(columns: Sequence[Coded], persons: Codes) -> Profiles:
    """Group people, given by index, by their own values on some columns.

    >>> both = np.array([0]), np.array([0, 2]), np.array([0, 1])
    >>> sex = Sets("sex", bool, np.array([1, 0, 1]), *both)
    >>> profiles([sex], np.array([0, 2])).of_person.tolist()
    [0, 0]
    """
    own_codes = [(column, column.codes[persons].astype(np.int64)) for column in columns]
    # Sorted by the column with most values, the people of one block reach few classes.
    own_codes.sort(key=lambda pair: -int(pair[1].max(initial=0)))
    keys = np.zeros(len(persons), dtype=np.int64)
    for _, codes in own_codes:
        # Ranks instead of codes keep the combined key small whatever the number of columns.
        keys = np.unique(keys, return_inverse=True)[1] * (int(codes.max(initial=0)) + 1) + codes
    _, first, of_person = np.unique(keys, return_index=True, return_inverse=True)
    codes = np.stack([codes[first] for _, codes in own_codes], axis=1)
    return Profiles(codes, of_person.astype(np.int64), tuple(column for column, _ in own_codes))


def blocks(groups: Profiles, classes: int) -> Iterator[tuple[slice, Codes, Codes]]:
    """Yield slices of profiles, and ascending pairs of a place in one and its cover, a class."""
    count = len(groups.codes)
    step = max(1, CELLS // max(classes, 1))
    for start in range(0, count, step):
        block = slice(start, min(start + step, count))
        codes = groups.codes[block]
        reached = np.ones(classes, dtype=np.bool_)
        for position, column in enumerate(groups.columns):
            reached &= column.of_any(codes[:, position])
        candidates = np.flatnonzero(reached).astype(np.int64)
        # Eight classes to a byte, and each value of a column looked up once: most pairs are none.
        bits = np.full((len(codes), -(-len(candidates) // 8)), 255, dtype=np.uint8)
        for position, column in enumerate(groups.columns):
            distinct, row = np.unique(codes[:, position], return_inverse=True)
            bits &= np.packbits(column.of_codes(distinct, candidates), axis=1)[row]
        profile, byte = np.nonzero(bits)
        pair, bit = np.nonzero(np.unpackbits(bits[profile, byte, None], axis=1))
        yield block, profile[pair], candidates[8 * byte[pair] + bit]
