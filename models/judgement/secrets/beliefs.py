"""What an adversary believes of a secret value, in whole numbers, and where that is too sure.

Beliefs are held by groups: a class, or people whose rows stand in the same classes. A group's
belief is a weight for each value; its probability is that weight over the group's total. Nothing
here is a float: probabilities are compared by cross-multiplication, in 64 bits where they fit, else
in Python's integers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.arrays import Codes, Flags
from kproof.models.judgement.people import spread
from kproof.models.judgement.publication import PublishedColumn
from kproof.models.judgement.thresholds import Thresholds

Whole = NDArray[Any]
"""Whole numbers: int64, or Python's integers as objects where those would overflow."""

_FITS = 1 << 62

BITS = 50
"""Weights of a group have fewer bits in all, if they are held in 64."""


@dataclass(frozen=True, eq=False)
class SecretValues:
    """What a secret column may be: its values by rank, and which of them are as good as one."""

    low: Codes
    """Shape (values,): the least rank that is within the window of each value."""
    high: Codes
    """Shape (values,): one more than the greatest."""
    starts: Codes
    """Shape (texts + 1,): the text with code t stands for ``ranks[starts[t]:starts[t + 1]]``."""
    ranks: Codes
    """Ranks of the values that texts stand for."""
    scale: int
    """What a row weighs: a multiple of how many values any text stands for."""
    share: Codes
    """Shape (values,): weight of the window of each value in all rows."""
    rows: int
    """Weight of all rows, those included in which nothing is recorded."""
    every: bool = False
    """Whether a text stands for all of its values at once, and not for one of them."""

    @property
    def plain(self) -> bool:
        """Whether each value is as good as itself alone."""
        return bool((self.high - self.low == 1).all())

    @property
    def single(self) -> bool:
        """Whether each text stands for one value."""
        return len(self.ranks) == len(self.starts) - 1 and bool((np.diff(self.starts) == 1).all())

    def common(self, share: Fraction) -> bool:
        """Say whether every value, whatever is as good as it included, has at least a share."""
        rarest = int(self.share.min(initial=self.rows))
        return rarest * share.denominator >= self.rows * share.numerator

    @classmethod
    def of(cls, column: PublishedColumn, window: Fraction) -> SecretValues:
        """Return the values of a column with the relative window alone; see :meth:`each`."""
        return next(cls.each(column, window))

    @classmethod
    def each(cls, column: PublishedColumn, window: Fraction) -> Iterator[SecretValues]:
        """Order the values of a column and count how common each is, once for each window.

        ``window`` is a relative distance within which numbers are the same value; 0 for equal
        cells alone.

        >>> from kproof.models.judgement.publication import ColumnKnowledge
        >>> pay = PublishedColumn(
        ...     "pay", ColumnKnowledge.SECRET, np.array([0, 1, 2]), ("100", "96", "90"),
        ...     (Fraction(100), Fraction(96), Fraction(90)),
        ... )
        >>> [values.share.tolist() for values in SecretValues.each(pay, Fraction(1, 20))]
        [[1, 2, 2], [1, 1, 1]]
        """
        if column.atoms is None:
            count, sizes = len(column.texts), np.ones(len(column.texts), dtype=np.int64)
            members = np.arange(count, dtype=np.int64)
        else:
            place = {atom: index for index, atom in enumerate(dict.fromkeys(chain(*column.atoms)))}
            count = len(place)
            sizes = np.array([len(atoms) for atoms in column.atoms], dtype=np.int64)
            members = np.array([place[atom] for atom in chain(*column.atoms)], dtype=np.int64)
        scaled = None
        if column.numbers is not None and window and count:
            order, scaled = _sort_numbers(column.numbers, window)
            rank = np.empty(count, dtype=np.int64)
            rank[order] = np.arange(count)
            members = rank[members]
        # Each of the n values of a text has 1/n of its row: over a common multiple weights stay
        # whole.
        scale = 1 if column.every else lcm(*np.unique(sizes[sizes > 0]).tolist())
        starts = np.concatenate([[0], np.cumsum(sizes)])
        low, high = np.arange(count), np.arange(1, count + 1)
        bare = cls(low, high, starts, members, scale, low, column.rows * scale, column.every)
        recorded = column.codes[column.codes >= 0]
        everybody = np.zeros(len(recorded), dtype=np.int64)
        overall = SecretBeliefs.count(everybody, recorded, 1, bare)
        total = overall.up_to_rank(count)
        windows = [(low, high)] if scaled is None else _windows(scaled, total[1:], window)
        for low, high in windows:
            yield replace(bare, low=low, high=high, share=total[high] - total[low])


def _sort_numbers(numbers: tuple[Fraction, ...], window: Fraction) -> tuple[Codes, Whole]:
    """Return values by ascending number, and their numbers over a common denominator."""
    # Over one denominator windows have exact ends, where floats would round a number in or out.
    common = lcm(*(number.denominator for number in numbers))
    exact = [number.numerator * (common // number.denominator) for number in numbers]
    # Room for the ends of a window, and for the distance of the farthest numbers.
    bound = max(map(abs, exact)) * 2 * (window.denominator + window.numerator)
    scaled = np.array(exact, dtype=np.int64 if bound < _FITS else object)
    order = np.argsort(scaled, kind="stable")
    return order, scaled[order]


def _windows(scaled: Whole, running: Whole, window: Fraction) -> Iterator[tuple[Codes, Codes]]:
    """Yield the ranks between which the window of each value lies, the relative one first."""
    rows = int(running[-1])
    # Rounded up: rounded down, a value would count before its twentieth of the rows is reached.
    fifth, last = (np.searchsorted(running, -(-rows * part // 20)) for part in (1, 19))
    distance = scaled[last] - scaled[fifth]
    # Both sides times the denominator of the window: nothing is divided.
    centre, before = scaled * window.denominator, None
    for width in (np.abs(scaled), np.minimum(np.abs(scaled), distance)):
        # Both ends belong to the window: a guess that is off by just so much is as good.
        low = np.searchsorted(centre, centre - width * window.numerator, side="left")
        high = np.searchsorted(centre, centre + width * window.numerator, side="right")
        if before is None or not np.array_equal((low, high), before):
            yield low, high
        before = low, high


@dataclass(frozen=True, eq=False)
class SecretBeliefs:
    """Weights of values by group."""

    group: Codes
    """Shape (pairs,): group of each pair of a group and a value, ascending."""
    rank: Codes
    """Shape (pairs,): the value, by rank; ascending within a group."""
    weight: Whole
    """Shape (pairs,): its weight, above 0."""
    total: Whole
    """Shape (groups,): weight of all values and of *nothing recorded*."""
    missing: Whole
    """Shape (groups,): weight of *nothing recorded*, which may be any value."""

    @classmethod
    def count(
        cls,
        group: Codes,
        codes: Codes,
        size: int,
        values: SecretValues,
        weight: Whole | None = None,
    ) -> SecretBeliefs:
        """Count what rows show (-1: nothing), or weighted pairs, by group; shape (rows,) each."""
        if weight is None:
            # Of the rows, not of the distinct pairs of them: a group weighs as much as its rows.
            texts, bound = len(values.starts), len(group)
            # Nothing recorded is -1: moved up by one it is a key as the texts are.
            keys, counts = _count_keys(group * texts + codes + 1, size * texts)
            group, codes = np.divmod(keys, texts)
            codes, weight = codes - 1, counts.astype(np.int64)
        else:
            bound = 1 << BITS
        # Before it is multiplied: afterwards an overflow could not be seen.
        weight = wide(weight, bound * values.scale) * values.scale
        total = sum_by_group(group, weight, size)
        missing = sum_by_group(group, weight * (codes < 0), size)
        recorded = codes >= 0
        group, codes, weight = group[recorded], codes[recorded], weight[recorded]
        sizes = np.diff(values.starts)[codes]
        # A text stands for each of its values alike, or for all of them.
        places, pair = spread(values.starts[codes], sizes)
        keys = group[pair] * max(len(values.low), 1) + values.ranks[places]
        if not values.every:
            # Leaves no rest: the scale is a multiple of every size.
            weight = weight // np.maximum(sizes, 1)
        keys, weight = sum_by_key(keys, weight[pair])
        group, rank = np.divmod(keys, max(len(values.low), 1))
        return cls(group, rank, weight, total, missing)

    def mass(self, values: SecretValues) -> Whole:
        """Return, shape (pairs,), the weight of each value's window within its group."""
        if values.plain:
            return self.weight
        return self.within(self.group, values.low[self.rank], values.high[self.rank], values)

    def up_to_rank(self, values: int) -> Whole:
        """Return, shape (values + 1,), the weight of all values below each rank, of one group."""
        share = np.zeros(values, dtype=self.weight.dtype)
        share[self.rank] = self.weight
        return np.concatenate([[0], np.cumsum(share)])

    @cached_property
    def _prefix_sums(self) -> Whole:
        return np.concatenate([np.zeros(1, dtype=self.weight.dtype), np.cumsum(self.weight)])

    def within(self, group: Codes, low: Codes, high: Codes, values: SecretValues) -> Whole:
        """Return the weight of ranks from ``low`` to before ``high`` within some groups."""
        # One more than there are ranks: the end behind the last one is no key of the next group.
        size = len(values.low) + 1
        key = self.group * size + self.rank
        first = np.searchsorted(key, group * size + low)
        last = np.searchsorted(key, group * size + high)
        # Sums of all groups may wrap around in 64 bits; differences within a group do not.
        return np.asarray(self._prefix_sums[last] - self._prefix_sums[first])


@dataclass(frozen=True, eq=False)
class Sure:
    """Groups that are too sure of some value."""

    certain: Flags
    """Shape (groups,): a value has probability 1, and is not what nearly everybody has."""
    bet: Flags
    """Shape (groups,): a value is as much more probable than its share as makes a bet sure."""


def surely(beliefs: SecretBeliefs, values: SecretValues, thresholds: Thresholds) -> Sure:
    """Say which groups are too sure; what nobody recorded counts for whatever is worst."""
    mass = beliefs.mass(values) + beliefs.missing[beliefs.group]
    total, share = beliefs.total[beliefs.group], values.share[beliefs.rank]
    common, rows = thresholds.common, values.rows
    rare = wide(share, rows * common.denominator) * common.denominator < rows * common.numerator
    bet = are_sure_bets(mass, total, share, rows, thresholds.gain)
    return Sure(_any(beliefs, (mass == total) & rare), _any(beliefs, bet))


def are_sure_bets(mass: Whole, total: Whole, share: Whole, rows: int, gain: Fraction) -> Flags:
    """Say, elementwise, whether mass / total is at least share / rows + gain."""
    # Multiplied out: with floats a bet that is just sure would fall on either side.
    bound = int(np.maximum(mass, total).max(initial=1)) * rows * 4 * gain.denominator
    mass, total, share = wide(mass, bound), wide(total, bound), wide(share, bound)
    limit = share * gain.denominator + rows * gain.numerator
    return np.asarray(mass * (rows * gain.denominator) >= total * limit, dtype=np.bool_)


def _any(beliefs: SecretBeliefs, flags: Whole) -> Flags:
    groups = np.zeros(len(beliefs.total), dtype=np.bool_)
    groups[beliefs.group[flags.astype(np.bool_)]] = True
    return groups


def wide(numbers: Whole, most: int) -> Whole:
    """Return numbers as Python's integers if what comes of them may be too much for 64 bits."""
    return numbers.astype(object) if most >= _FITS else numbers


def sum_by_group(group: Codes, weight: Whole, groups: int) -> Whole:
    """Return, shape (groups,), the weights of each group added up."""
    total = np.zeros(groups, dtype=weight.dtype)
    # Not by bincount, whose weights are floats.
    np.add.at(total, group, weight)
    return total


def _count_keys(keys: Codes, limit: int) -> tuple[Codes, Codes]:
    """Return ascending distinct keys below a limit, and how often each occurs."""
    # Rows are counted in a table of all keys where that is no larger than sorting them.
    if limit > max(4 * len(keys), 1 << 16):
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys, minlength=1)
    occurring = np.flatnonzero(counts)
    return occurring, counts[occurring]


def sum_by_key(keys: Codes, weight: Whole) -> tuple[Codes, Whole]:
    """Return ascending distinct keys, and the weights of each added up."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[starts], np.add.reduceat(weight[order], starts)
