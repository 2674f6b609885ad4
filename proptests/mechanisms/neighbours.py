"""Pairs of neighbouring data sets: which there are, how they are drawn, made small and repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import ceil, floor
from typing import Any, TypeAlias

import numpy as np
from hypothesis import strategies as st

from kproof.errors import InvalidArgument
from kproof.proptests.running import draw_silently
from kproof.theory.exact.typed import Number, choice, integer, rational

Data: TypeAlias = tuple[float, ...]
Pair: TypeAlias = tuple[Data, Data]


class NeighbourRelation(StrEnum):
    """What two data sets differ in that nobody is to tell apart."""

    ADD_REMOVE = "add-remove"
    """One record more or less."""
    REPLACE_ONE = "replace-one"
    """The value of one record."""
    ONE_ANSWER = "one-answer"
    """One of several exact answers, by at most 1."""
    EACH_ANSWER = "each-answer"
    """All exact answers, each by at most 1, as of queries that one person changes by 1 (StatDP)."""


@dataclass(frozen=True)
class DataNeighbours:
    """Records, or exact answers of queries, and how two sets of them differ."""

    relation: NeighbourRelation
    """What they differ in."""
    length: int
    """Records at most, or answers."""
    low: Fraction
    """The least value."""
    high: Fraction
    """The largest value."""
    whole: bool
    """Whether values are whole numbers."""

    @classmethod
    def of(
        cls,
        relation: NeighbourRelation | str = NeighbourRelation.ADD_REMOVE,
        *,
        length: Number = 5,
        low: Number = 0,
        high: Number = 2,
        whole: bool = False,
    ) -> DataNeighbours:
        """Return them as they were typed, checked.

        >>> DataNeighbours.of("replace-one", high="1/2").high
        Fraction(1, 2)
        """
        least, most = rational("low", low), rational("high", high)
        if not least < most:
            raise InvalidArgument("high", high, f"more than low, which is {low}")
        count = integer("length", length, least=1, most=1000)
        return cls(choice("neighbours", relation, NeighbourRelation), count, least, most, whole)

    @property
    def pairs(self) -> st.SearchStrategy[Pair]:
        """Draws pairs; the hard ones of the literature are among them, and simple ones."""
        if self.relation in (NeighbourRelation.ADD_REMOVE, NeighbourRelation.REPLACE_ONE):
            return _record_pairs(self)
        # A move out of the range is drawn in again, and may leave nothing that differs.
        moved = _draw_moved_pair(self).filter(lambda pair: pair[0] != pair[1])
        return st.sampled_from(self.patterns) | moved if self.patterns else moved

    @property
    def patterns(self) -> list[Pair]:
        """Pairs that are looked at whatever is drawn."""
        if self.relation in (NeighbourRelation.ADD_REMOVE, NeighbourRelation.REPLACE_ONE):
            return _record_patterns(self)
        return _patterns(self)

    def require_pair(self, first: Any, second: Any) -> None:
        """Refuse two data sets that are no neighbours."""
        if not self._are_related(first, second):
            raise InvalidArgument("case", f"{first} and {second}", f"neighbours: {self}")

    def _are_related(self, first: Any, second: Any) -> bool:
        if any(not self.low <= value <= self.high for value in (*first, *second)):
            return False
        if self.relation is NeighbourRelation.ADD_REMOVE:
            longer, shorter = sorted((first, second), key=len, reverse=True)
            gone = (longer[:place] + longer[place + 1 :] for place in range(len(longer)))
            return len(longer) == len(shorter) + 1 and tuple(shorter) in map(tuple, gone)
        if len(first) != len(second):
            return False
        moves = [abs(a - b) for a, b in zip(first, second, strict=True) if a != b]
        if self.relation is NeighbourRelation.REPLACE_ONE:
            return len(moves) == 1
        # A sum of floats may be an ulp beyond.
        near = bool(moves) and all(move <= 1 + 1e-9 for move in moves)
        return near and (self.relation is NeighbourRelation.EACH_ANSWER or len(moves) == 1)

    def __str__(self) -> str:
        return f"{self.relation}, {self.length} values from {self.low} to {self.high} at most"

    @property
    def values(self) -> st.SearchStrategy[float]:
        """Draws one value."""
        low, high = float(self.low), float(self.high)
        ends = st.sampled_from([low, high])
        if self.whole:
            return ends | st.integers(ceil(self.low), floor(self.high)).map(float)
        # A tenth is no float: what is added to one is rounded.
        return ends | st.integers(0, 10).map(lambda tenth: low + (high - low) * tenth / 10)

    def inside(self, values: Iterable[Any]) -> Data:
        """Return values, those out of range drawn in to its ends."""
        return tuple(float(min(max(value, self.low), self.high)) for value in values)


@st.composite
def _record_pairs(draw: st.DrawFn, neighbours: DataNeighbours) -> Pair:
    common = draw(st.lists(neighbours.values, max_size=neighbours.length - 1))
    # Who differs may be anyone: some functions spare the last.
    place = draw(st.integers(0, len(common)))
    before, after = common[:place], common[place:]
    own = draw(neighbours.values)
    if neighbours.relation is NeighbourRelation.ADD_REMOVE:
        return (*before, own, *after), (*before, *after)
    replacement = draw(neighbours.values.filter(lambda value: value != own))
    return (*before, own, *after), (*before, replacement, *after)


def _record_patterns(neighbours: DataNeighbours) -> list[Pair]:
    """Return the pairs of least and of most, each alone and among as many as there may be."""
    low, high = float(neighbours.low), float(neighbours.high)
    pairs: list[Pair]
    if neighbours.relation is NeighbourRelation.ADD_REMOVE:
        pairs = [((high,), ()), ((low,), ())]
        pairs += [((v,) * neighbours.length, (v,) * (neighbours.length - 1)) for v in (high, low)]
    else:
        pairs = [
            ((high, *(v,) * few), (low, *(v,) * few))
            for few in (0, neighbours.length - 1)
            for v in (high, low)
        ]
    return [*dict.fromkeys(pairs)]


def _patterns(neighbours: DataNeighbours) -> list[Pair]:
    """Return the pairs of StatDP (Ding et al., CCS 2018, Table 2), drawn in to the range."""
    count, half = neighbours.length, neighbours.length // 2
    ones, zeros = [1] * count, [0] * count
    pairs = [(ones, [0, *ones[1:]]), (ones, [2, *ones[1:]])]
    if neighbours.relation is NeighbourRelation.EACH_ANSWER:
        pairs += [
            (ones, [2, *zeros[1:]]),
            (ones, [0] + [2] * (count - 1)),
            (ones, [2] * half + zeros[half:]),
            (ones, [2] * count),
            (ones, zeros),
            (ones[:half] + zeros[half:], zeros[:half] + ones[half:]),
        ]
    inside = [(neighbours.inside(first), neighbours.inside(second)) for first, second in pairs]
    return [pair for pair in dict.fromkeys(inside) if pair[0] != pair[1]]


@st.composite
def _draw_moved_pair(draw: st.DrawFn, neighbours: DataNeighbours) -> Pair:
    count = neighbours.length
    base = draw(st.lists(neighbours.values, min_size=count, max_size=count))
    steps = st.sampled_from([0.0, 1.0, -1.0])
    if neighbours.relation is NeighbourRelation.EACH_ANSWER:
        moves = draw(st.lists(steps, min_size=count, max_size=count))
    else:
        place, step = draw(st.integers(0, count - 1)), draw(steps)
        moves = [step if index == place else 0.0 for index in range(count)]
    moved = [value + move for value, move in zip(base, moves, strict=True)]
    return neighbours.inside(base), neighbours.inside(moved)


class Numbers(tuple[float, ...]):
    """Numbers that a mechanism is handed as an array, however few they are."""

    __slots__ = ()


def is_numbers(data: Any) -> bool:
    """Say whether data are numbers that a mechanism is handed as an array."""
    if isinstance(data, Numbers):
        return True
    # Whole numbers and truth values are of somebody's own strategy, and handed on as they are.
    return isinstance(data, tuple) and bool(data) and all(type(entry) is float for entry in data)


def hand(data: Any) -> Any:
    """Return what a mechanism is handed: an array of numbers, or what a strategy of its own drew.

    It is a new one each time, so that nothing is remembered in it.
    """
    return np.array(data, dtype=np.float64) if is_numbers(data) else deepcopy(data)


def draw_pairs(pairs: st.SearchStrategy[Any], count: int, seed: int) -> list[tuple[Any, Any]]:
    """Return different pairs, some of a number of draws."""
    drawn: dict[str, tuple[Any, Any]] = {}

    def collect(pair: tuple[Any, Any]) -> None:
        drawn.setdefault(repr(pair), pair)

    draw_silently(pairs, collect, examples=count, seed=seed)
    return [*drawn.values()]


def make_small(
    pairs: st.SearchStrategy[Any], refuted: Callable[[Any], bool], *, count: int, seed: int
) -> None:
    """Ask of smaller and smaller pairs whether they refute a claim, beginning with those drawn."""

    class Refuted(Exception):  # it is no error of the program
        """What Hypothesis is to find the smallest pair for."""

    def ask(pair: Any) -> None:
        if refuted(pair):
            raise Refuted

    draw_silently(pairs, ask, examples=count, seed=seed, shrinking=True, fails=Refuted)
