"""What an adversary believes of every victim: exact posteriors as whole-number weights.

Victims with the same evidence share one group of weights; fractions are made only for what is
shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.arrays import Codes

Weights = NDArray[Any]
"""int64, or Python ints in an object array where those would not fit."""

_SAFE = 1 << 62


def weights(numbers: Sequence[int]) -> Weights:
    """Return whole numbers as int64, or as Python ints if one of them does not fit."""
    small = all(abs(number) < _SAFE for number in numbers)
    return np.array(numbers, dtype=np.int64 if small else object)


def products(left: Weights, right: Weights) -> tuple[Weights, Weights]:
    """Return both arrays in a form in which their products are exact."""
    reach = [max(int(np.abs(array).max(initial=0)), 1) for array in (left, right)]
    # As Python's integers, by their sizes beforehand: a product that wrapped around looks like any.
    if left.dtype == object or right.dtype == object or reach[0] * reach[1] >= _SAFE:
        return left.astype(object), right.astype(object)
    return left, right


def best_of(score: Weights, starts: Codes) -> Codes:
    """Return the entry of largest score of each group; the first among equals.

    >>> best_of(np.array([1, 3, 3, 2]), np.array([0, 3, 4])).tolist()
    [1, 3]
    """
    top = np.maximum.reduceat(score, starts[:-1])
    hits = np.flatnonzero(score == np.repeat(top, np.diff(starts)))
    # The first hit from a group's start on is its own: each group attains its top.
    return np.asarray(hits[np.searchsorted(hits, starts[:-1])])


@dataclass(frozen=True)
class Beliefs:
    """Weights of values for groups of victims, in coordinate form."""

    rows: Codes
    """Shape (victims,): row of each victim in the microdata, -1 if given otherwise."""
    group: Codes
    """Shape (victims,): group each victim belongs to, -1 if no published row can be theirs."""
    starts: Codes
    """Shape (groups + 1,): the entries of group g are ``starts[g]:starts[g + 1]``, at least one."""
    codes: Codes
    weight: Weights
    """Shape (entries,): a value's code and its positive weight, ascending codes in each group."""
    candidates: Codes
    """Shape (groups,): published rows that can be the victim's by class or quasi-identifiers."""
    names: Mapping[int, str] = field(default_factory=dict)
    """Names of victims by position, for those that are not called by their row."""

    @classmethod
    def of(
        cls, rows: Codes, place_of: Codes, entries: tuple[Codes, Codes, Weights], candidates: Codes
    ) -> Beliefs:
        """Return beliefs about people by place, such as their class; a place of -1 is none.

        ``entries`` are place, code and weight, ascending; ``candidates`` has the shape (places,).
        """
        place, codes, weight = entries
        groups, starts = np.unique(place, return_index=True)
        group_of = np.full(len(candidates) + 1, -1, dtype=np.int64)
        group_of[groups] = np.arange(len(groups))
        return cls(
            rows=rows,
            # Place -1, a suppressed record, reads the last entry: no group.
            group=group_of[place_of],
            starts=np.append(starts, len(place)).astype(np.int64),
            codes=codes,
            weight=weight,
            candidates=candidates[groups],
        )

    @cached_property
    def totals(self) -> Weights:
        """Shape (groups,): the weights of each group added up."""
        total: Weights = np.add.reduceat(self.weight, self.starts[:-1])
        return total

    @property
    def of_entry(self) -> Codes:
        """Shape (entries,): the group of each entry."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def best(self, score: Weights | None = None) -> Codes:
        """Return the entry of largest weight (or score) of each group; the first among equals."""
        return best_of(self.weight if score is None else score, self.starts)

    def by_category(self, category: Codes) -> Beliefs:
        """Return the same beliefs about categories; ``category`` gives that of each code."""
        return self._merge(category[self.codes])

    def gaps(self, missing: int) -> Weights:
        """Return, shape (groups,), the weight of rows whose value is missing."""
        gaps = np.zeros(len(self.starts) - 1, dtype=self.weight.dtype)
        gap = self.codes == missing
        gaps[self.of_entry[gap]] = self.weight[gap]
        return gaps

    def fill_missing(self, missing: int, fill: Codes) -> Beliefs:
        """Return the beliefs in which a missing value is that of its group, shape (groups,)."""
        return self._merge(np.where(self.codes == missing, fill[self.of_entry], self.codes))

    def concentrate(self, missing: int, otherwise: int) -> Beliefs:
        """Return the beliefs in which missing values are the most probable value of each group.

        No other way to fill them in makes a bet more probable. Where nothing else is possible they
        are ``otherwise``.
        """
        # A gap weighs nothing here, so that it is chosen only where a group has nothing else.
        recorded = np.where(self.codes == missing, 0, self.weight)
        fill = self.codes[self.best(recorded)]
        return self.fill_missing(missing, np.where(fill == missing, otherwise, fill))

    def without(self, code: int) -> Beliefs:
        """Return the beliefs with one value ruled out; who has no other is unmatched."""
        remaining = self.codes != code
        entries = (self.of_entry[remaining], self.codes[remaining], self.weight[remaining])
        beliefs = Beliefs.of(self.rows, self.group, entries, self.candidates)
        return replace(beliefs, names=self.names)

    def _merge(self, renamed: Codes) -> Beliefs:
        """Return the beliefs with new codes of the entries, equal ones of a group added up."""
        kinds = int(renamed.max(initial=0)) + 1
        keys = self.of_entry * kinds + renamed
        order = np.argsort(keys, kind="stable")
        distinct, first = np.unique(keys[order], return_index=True)
        of_group, codes = np.divmod(distinct, kinds)
        weight = np.add.reduceat(self.weight[order], first)
        starts = np.searchsorted(of_group, np.arange(len(self.starts))).astype(np.int64)
        return replace(self, starts=starts, codes=codes.astype(np.int64), weight=weight)

    def posterior(self, victim: int) -> dict[int, Fraction]:
        """Return the chance of each value code for one victim; empty if unmatched."""
        group = int(self.group[victim])
        if group < 0:
            return {}
        entries = slice(int(self.starts[group]), int(self.starts[group + 1]))
        total = int(self.totals[group])
        pairs = zip(self.codes[entries], self.weight[entries], strict=True)
        return {int(code): Fraction(int(weight), total) for code, weight in pairs}


def gather(
    rows: Sequence[int], chances: Sequence[dict[int, Fraction]], candidates: Sequence[int]
) -> Beliefs:
    """Put chances worked out one by one into coordinate form, a group for each victim."""
    group: list[int] = []
    starts = [0]
    codes: list[int] = []
    numbers: list[int] = []
    sizes: list[int] = []
    for chance, count in zip(chances, candidates, strict=True):
        # Ascending, and none of 0: what Beliefs promises of its entries.
        positive = {code: weight for code, weight in sorted(chance.items()) if weight}
        group.append(len(sizes) if positive else -1)
        if positive:
            codes += list(positive)
            numbers += whole(list(positive.values()))
            starts.append(len(codes))
            sizes.append(count)
    return Beliefs(
        rows=np.array(rows, dtype=np.int64),
        group=np.array(group, dtype=np.int64),
        starts=np.array(starts, dtype=np.int64),
        codes=np.array(codes, dtype=np.int64),
        weight=weights(numbers),
        candidates=np.array(sizes, dtype=np.int64),
    )


def whole(numbers: Sequence[Fraction]) -> list[int]:
    """Return the smallest whole numbers in the same proportion.

    >>> whole([Fraction(1, 2), Fraction(1, 3)])
    [3, 2]
    """
    scale = lcm(*(number.denominator for number in numbers))
    scaled = [int(number * scale) for number in numbers]
    common = gcd(*scaled) or 1
    return [number // common for number in scaled]
