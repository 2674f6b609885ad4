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

from kproof.models.base.arrays import Codes, ranges
from kproof.models.base.columns import group_codes
from kproof.models.tables.recoding import Recoded

Mask = NDArray[np.bool_]
Integers = NDArray[np.integer[Any]]

CELLS = 1 << 23
"""Pairs of person and class compared at a time: bounds the memory, not the result."""

_FAN = 4
"""Boxes in the box around them."""

_DENSE = 64
"""Pairs that are compared, bit by bit, in the time that a class takes to go down one box."""


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
    def reach(self, classes: Codes, low: Integers, high: Integers) -> Mask:
        """Say whether classes show a code from ``low`` to ``high``; the three are broadcast."""

    @property
    @abstractmethod
    def alone(self) -> Codes:
        """Shape (classes,): the code that is all that a class shows, -1 where there may be more."""

    def of_codes(self, codes: Integers, classes: Codes) -> Mask:
        """Return, shape (codes, classes), which of some classes cover which codes."""
        return self.reach(classes, codes[:, None], codes[:, None])


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

    @property
    def alone(self) -> Codes:
        """Shape (classes,): the code that is all that a class shows, -1 where there may be more."""
        # A class without a range shows the gap and nothing else.
        gap = -1 if self.missing_code is None else self.missing_code
        low, high = (np.where(self.low > self.high, gap, end) for end in (self.low, self.high))
        return np.where((low == high) & (~self.missing | (low == gap)), low, -1)

    def reach(self, classes: Codes, low: Integers, high: Integers) -> Mask:
        """Say whether classes show a code from ``low`` to ``high``; the three are broadcast."""
        reached: Mask = (self.low[classes] <= high) & (low <= self.high[classes])
        if self.missing_code is not None:
            within = (low <= self.missing_code) & (self.missing_code <= high)
            reached |= within & self.missing[classes]
        return reached


@dataclass(frozen=True)
class Sets(Coded):
    """A column of which each class shows a set of codes."""

    of_class: Codes
    """Shape (classes,): which of the distinct sets each class shows."""
    starts: Codes
    members: Codes
    """The distinct sets: set s holds the codes ``members[starts[s]:starts[s + 1]]``."""

    @property
    def alone(self) -> Codes:
        """Shape (classes,): the code that is all that a class shows, -1 where there may be more."""
        single = np.diff(self.starts) == 1
        return np.where(single, self.members[self.starts[:-1]], -1)[self.of_class]

    @cached_property
    def _keys(self) -> tuple[int, Codes]:
        """More than any code, and set by set its members, each set that much above the last."""
        size = int(max(self.codes.max(initial=-1), self.members.max(initial=-1))) + 1
        of_member = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        # One more than all, which a search beyond the last set reads.
        return size, np.append(of_member * size + self.members, np.iinfo(np.int64).max)

    def of_codes(self, codes: Integers, classes: Codes) -> Mask:
        """Return, shape (codes, classes), which of some classes cover which codes."""
        distinct, row = np.unique(codes, return_inverse=True)
        sets, column = np.unique(self.of_class[classes], return_inverse=True)
        sizes = np.diff(self.starts)[sets]
        member = self.members[ranges(self.starts[sets], sizes)]
        place = np.searchsorted(distinct, member)
        # What is above all codes is placed behind the last, where it equals nothing.
        shown = np.append(distinct, -1)[place] == member
        holds = np.zeros((len(distinct), len(sets)), dtype=np.bool_)
        holds[place[shown], np.repeat(np.arange(len(sets)), sizes)[shown]] = True
        mask: Mask = holds[row][:, column]
        return mask

    def reach(self, classes: Codes, low: Integers, high: Integers) -> Mask:
        """Say whether classes show a code from ``low`` to ``high``; the three are broadcast."""
        size, keys = self._keys
        shown, low, high = np.broadcast_arrays(self.of_class[classes], low, high)
        least, greatest = self.members[self.starts[:-1]], self.members[self.starts[1:] - 1]
        reached: Mask = (least[shown] <= high) & (low <= greatest[shown])
        # Few sets have gaps, and only there is it asked whether the least member from low on is
        # above high.
        gaps = greatest - least >= np.diff(self.starts)
        doubtful = reached & gaps[shown]
        # No code reaches the size, so that a member of the next set is above every high end.
        first = shown[doubtful] * size
        following = keys[np.searchsorted(keys, first + low[doubtful])]
        reached[doubtful] = following <= first + high[doubtful]
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


def blocks(groups: Profiles, classes: int) -> Iterator[tuple[Codes, Codes]]:
    """Yield ascending pairs of a profile and a class that covers it; all of a profile together.

    Profiles lie along a curve that keeps near ones together, in boxes within boxes. A class goes
    down into the boxes that its labels reach, so that the work follows the pairs there are: each
    profile beside each class would be 10^12 of them for a million rows. Where classes reach into
    most boxes, that is cheaper all the same.
    """
    alone = [column.alone for column in groups.columns]
    if all((codes >= 0).all() for codes in alone):
        yield _equal(groups, alone)
        return
    order = _along_curve(groups.codes)
    low = high = groups.codes[order].T
    boxes = [(low, high)]
    while low.shape[1] > 1:
        cuts = np.arange(0, low.shape[1], _FAN)
        low, high = np.minimum.reduceat(low, cuts, axis=1), np.maximum.reduceat(high, cuts, axis=1)
        boxes.append((low, high))
    every = np.arange(classes, dtype=np.int64)
    # A stack: only the boxes beside one way down wait, not all of a level.
    pending = [(len(boxes) - 1, *_pairs_reaching(groups, low, high, np.zeros_like(every), every))]
    while pending:
        depth, box, covering = pending.pop()
        if not len(box):
            continue
        first, last = int(box.min()), int(box.max()) + 1
        inside = order[first * _FAN**depth : last * _FAN**depth]
        candidates = np.flatnonzero(np.bincount(covering, minlength=classes))
        cells = len(inside) * len(candidates)
        dense = bool(depth) and cells <= _DENSE * len(box)
        if (cells if dense else 8 * len(box)) > CELLS and last - first > 1:
            # Between boxes, so that all pairs of a profile come out together, as callers rely on.
            middle = (first + last) // 2
            sides = (box >= middle, box < middle)
            pending += [(depth, box[side], covering[side]) for side in sides]
        elif dense:
            yield _beside_all(groups, np.sort(inside), candidates)
        elif depth:
            low, high = boxes[depth - 1]
            inner = range(min(_FAN, low.shape[1]))
            parts = [_pairs_reaching(groups, low, high, box * _FAN + at, covering) for at in inner]
            deeper, covering = (np.concatenate(part) for part in zip(*parts, strict=True))
            pending.append((depth - 1, deeper, covering))
        else:
            pairs = np.sort(order[box] * classes + covering)
            profile = pairs // classes
            yield profile, pairs - profile * classes


def _equal(groups: Profiles, alone: Sequence[Codes]) -> tuple[Codes, Codes]:
    """Return the pairs if each class shows one code of each column, as a table does as it is."""
    count = len(groups.codes)
    joint = [np.concatenate([own, shown]) for own, shown in zip(groups.codes.T, alone, strict=True)]
    keys, kinds = group_codes(
        [(codes, int(codes.max(initial=0)) + 1) for codes in joint], len(joint[0])
    )
    profile_of = np.full(kinds, -1, dtype=np.int64)
    profile_of[keys[:count]] = np.arange(count)
    profile = profile_of[keys[count:]]
    covering = np.argsort(profile, kind="stable")
    # A class that shows what nobody has is nobody's.
    covering = covering[profile[covering] >= 0]
    return profile[covering], covering


def _beside_all(groups: Profiles, profiles: Codes, candidates: Codes) -> tuple[Codes, Codes]:
    """Return the pairs among some profiles and classes, each beside each."""
    # Eight classes to a byte, and each value of a column looked up once: most pairs are none.
    bits = np.full((len(profiles), -(-len(candidates) // 8)), 255, dtype=np.uint8)
    for codes, column in zip(groups.codes[profiles].T, groups.columns, strict=True):
        distinct, row = np.unique(codes, return_inverse=True)
        # The last byte is filled up with zeros, so that no class beyond the last comes out.
        bits &= np.packbits(column.of_codes(distinct, candidates), axis=1)[row]
    place, byte = np.nonzero(bits)
    pair, bit = np.nonzero(np.unpackbits(bits[place, byte, None], axis=1))
    return profiles[place[pair]], candidates[8 * byte[pair] + bit]


def _pairs_reaching(
    groups: Profiles, low: Codes, high: Codes, box: Codes, covering: Codes
) -> tuple[Codes, Codes]:
    """Return the pairs of box and class of which the class reaches into the box."""
    # The last box of a level may have fewer than all its parts.
    inside_level = box < low.shape[1]
    box, covering = box[inside_level], covering[inside_level]
    # Pairs that one column rules out are not looked at in the next; the finest comes first.
    for column, least, greatest in zip(groups.columns, low, high, strict=True):
        reached = column.reach(covering, least[box], greatest[box])
        box, covering = box[reached], covering[reached]
    return box, covering


def _along_curve(codes: Codes) -> Codes:
    """Return the order of points, shape (points, columns), along a Z-order curve.

    Source: G. M. Morton, "A computer oriented geodetic data base", IBM, 1966.
    """
    widths = [int(column.max(initial=0)).bit_length() for column in codes.T]
    digits = [
        (place, width - 1 - level)
        for level in range(max(widths, default=0))
        for place, width in enumerate(widths)
        if level < width
    ]
    key = np.zeros(len(codes), dtype=np.int64)
    # What fits a key: the order makes blocks small, and no result rests on it.
    for place, shift in digits[:62]:
        key = key * 2 + (codes[:, place] >> shift & 1)
    return np.argsort(key, kind="stable")
