"""Sets of so many coins of which no other has more variance and less third moment at once.

A coin with variance v has third absolute moment v - 2 v². Coins of one variance are one type, so
that a choice says how many of each type it takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from kproof.forms import JsonForm
from kproof.models.base.arrays import Codes

Link: TypeAlias = "tuple[Link | None, int, int]"
"""A choice as a chain: what was chosen before, a type, and how many of it."""

State: TypeAlias = "tuple[int, int, Link | None]"
"""Variance and third moment so far, in whole units, and what was chosen."""


@dataclass(frozen=True)
class CoinSet:
    """A set of coins, the one it is for included."""

    variance: float
    third: float
    """Sums of p(1 - p) and of E|D - p|³."""
    size: int
    """Coins, the one it is for and those without variance included."""
    chosen: tuple[tuple[int, int], ...] = field(repr=False)
    """Type and number of each type of the others."""

    to_dict = JsonForm("size variance third")


@dataclass(frozen=True, eq=False)
class Types:
    """The coins there are to choose from, and the one for which they are chosen."""

    variances: tuple[int, ...]
    """Of each type, in units of 1/unit."""
    counts: tuple[int, ...]
    """How many coins there are of each type."""
    own: int
    """Variance of the coin they are chosen for."""
    unit: int
    """Units in 1."""

    def third(self, variance: int) -> int:
        """Return the third absolute moment of a coin, in units of 1/unit²."""
        return variance * (self.unit - 2 * variance)

    def choice(self, coins: Sequence[tuple[int, int]]) -> CoinSet:
        """Return a choice with its sums."""
        variance = self.own + sum(self.variances[kind] * times for kind, times in coins)
        third = self.third(self.own)
        third += sum(self.third(self.variances[kind]) * times for kind, times in coins)
        size = 1 + sum(times for _, times in coins)
        return CoinSet(variance / self.unit, third / self.unit**2, size, tuple(coins))


def exact_front(types: Types, partners: int, *, most: int) -> tuple[CoinSet, ...] | None:
    """Return every undominated choice of so many others, by rising variance.

    Types are added one after another; of choices with equally many coins that are dominated none
    can become undominated. Choices with equal sums are one. The search gives up, and returns None,
    after looking at ``most`` choices.
    """
    layers: list[list[State]] = [[] for _ in range(partners + 1)]
    layers[0] = [(types.own, types.third(types.own), None)]
    tried = 0
    for kind, (variance, count) in enumerate(zip(types.variances, types.counts, strict=True)):
        third = types.third(variance)
        # From the largest size down, or a type would be taken again by those who took it already.
        for size in range(partners, -1, -1):
            states = list(layers[size])
            for times in range(1, min(count, size) + 1):
                states += [
                    (v + times * variance, a + times * third, (before, kind, times))
                    for v, a, before in layers[size - times]
                ]
            tried += len(states)
            if tried > most:
                return None
            layers[size] = _front(states)
    return tuple(types.choice(_choices(link)) for _, _, link in layers[partners])


def _front(states: list[State]) -> list[State]:
    """Return those which no other beats, by rising variance."""
    # By falling variance: a choice is beaten if one that came before has no larger third moment.
    front: list[State] = []
    for state in sorted(states, key=lambda candidate: (-candidate[0], candidate[1])):
        if not front or state[1] < front[-1][1]:
            front.append(state)
    return front[::-1]


def _choices(link: Link | None) -> list[tuple[int, int]]:
    counts = []
    while link is not None:
        link, kind, times = link
        counts.append((kind, times))
    return counts[::-1]


def hull_corners(types: Types, partners: int) -> tuple[CoinSet, ...]:
    """Return the corners of the front's convex hull, by rising variance.

    Each corner has the largest w V - A for some weight w >= 0: the best coins one by one. Between
    two neighbouring corners no choice lies below the line that joins them.
    """
    values = np.array(types.variances, dtype=np.float64) / types.unit
    counts = np.array(types.counts, dtype=np.int64)
    thirds = values * (1 - 2 * values)

    def best(weight: float | None) -> CoinSet:
        # Without a weight variance alone counts, and of equal ones the third moment.
        keys = (thirds, -values) if weight is None else (-values, thirds - weight * values)
        return types.choice(_first(np.lexsort(keys), counts, partners))

    ends = [best(0.0), best(None)]
    if ends[1].variance <= ends[0].variance:
        return (ends[0],)
    corners, waiting = [ends[0]], [(ends[0], ends[1])]
    while waiting:
        low, high = waiting.pop()
        weight = (high.third - low.third) / (high.variance - low.variance)
        middle = best(weight)
        gain = weight * (middle.variance - low.variance) - (middle.third - low.third)
        between = low.variance < middle.variance < high.variance
        # Below that it is rounding: a choice on the line itself is no corner.
        if between and gain > 1e-12 * (low.third + high.third):
            waiting += [(middle, high), (low, middle)]
        else:
            corners.append(high)
    return tuple(corners)


def _first(order: Codes, counts: Codes, partners: int) -> list[tuple[int, int]]:
    """Take so many coins in an order of types."""
    before = np.cumsum(counts[order]) - counts[order]
    times = np.clip(partners - before, 0, counts[order])
    used = np.flatnonzero(times)
    return sorted(zip(order[used].tolist(), times[used].tolist(), strict=True))
