"""Values that people keep, in classes that they fill together with all their rows.

Three rows of flu and nine of gout among people with one, two, nine rows are no riddle: each value's
number of rows is the sum of whole people's. All ways to share them out are counted.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from assignments import kinds

MOST_STATES = 6_000
"""States after which a group of people is too large to be counted."""


def packed(
    labels: np.ndarray, person: np.ndarray, codes: np.ndarray
) -> dict[int, dict[int, float]]:
    """Return the chance of each value for everybody in groups that can be counted.

    ``labels`` says which row of the roster may be which published row. Groups are counted where
    classes do not overlap and hold as many rows as the roster has there.
    """
    first, kind = kinds(labels)
    if labels[first].sum(axis=0).max(initial=0) > 1:
        return {}
    class_of = np.full(labels.shape[1], -1)
    for index, row in enumerate(first):
        class_of[labels[row]] = index
    if (
        np.bincount(kind, minlength=len(first))
        != np.bincount(class_of[class_of >= 0], minlength=len(first))
    ).any():
        return {}
    visits: dict[int, list[int]] = defaultdict(list)
    for owner, place in zip(person.tolist(), kind.tolist(), strict=True):
        visits[owner].append(place)
    # People are in one group where a chain of classes joins them.
    group = list(range(len(first)))

    def root(node: int) -> int:
        while group[node] != node:
            group[node] = group[group[node]]
            node = group[node]
        return node

    for places in visits.values():
        for place in places:
            group[root(place)] = root(places[0])
    members: dict[int, list[int]] = defaultdict(list)
    for owner, places in visits.items():
        members[root(places[0])].append(owner)
    chances: dict[int, dict[int, float]] = {}
    for top, people in members.items():
        classes = [place for place in range(len(first)) if root(place) == top]
        chances |= _shared_out(people, visits, classes, class_of, codes)
    return chances


def _shared_out(
    people: list[int],
    visits: dict[int, list[int]],
    classes: list[int],
    class_of: np.ndarray,
    codes: np.ndarray,
) -> dict[int, dict[int, float]]:
    values = np.unique(codes[np.isin(class_of, classes)])
    left = tuple(
        int(((class_of == place) & (codes == value)).sum()) for value in values for place in classes
    )
    if len(people) > 14 or len(values) == 1:
        return {}
    people = sorted(people, key=lambda owner: -len(visits[owner]))
    needs = [tuple(visits[owner].count(place) for place in classes) for owner in people]
    wide = len(classes)
    known: dict[tuple[int, tuple[int, ...]], tuple[float, np.ndarray]] = {}

    def ways(at: int, rest: tuple[int, ...]) -> tuple[float, np.ndarray]:
        """Return the number of ways from here, and of those in which each person has each value."""
        table = np.zeros((len(people), len(values)))
        if at == len(people):
            return 1.0, table
        if (at, rest) in known:
            return known[at, rest]
        if len(known) > MOST_STATES:
            raise OverflowError
        total = 0.0
        for value in range(len(values)):
            part = rest[value * wide : (value + 1) * wide]
            after = tuple(have - need for have, need in zip(part, needs[at], strict=True))
            if min(after) >= 0:
                count, below = ways(
                    at + 1, rest[: value * wide] + after + rest[(value + 1) * wide :]
                )
                table += below
                table[at, value] += count
                total += count
        known[at, rest] = total, table
        return total, table

    try:
        total, table = ways(0, left)
    except OverflowError:
        return {}
    if not total:
        return {}
    return {
        owner: {int(values[v]): float(table[at, v] / total) for v in np.flatnonzero(table[at])}
        for at, owner in enumerate(people)
    }
