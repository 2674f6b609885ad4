"""The inner loop of hierarchical KACA: merging the smallest class with the nearest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.compiled import compiled

Ints = NDArray[np.int64]


def distance(
    one: int, other: int, nodes: Ints, costs: Ints, levels: Ints, sizes: Ints, limit: int
) -> int:
    """Return how far two classes are apart, or ``limit`` as soon as it is reached."""
    total = 0
    for column in range(costs.shape[0]):
        shared = min(levels[one, column], levels[other, column])
        meet = 0
        while meet < shared and nodes[one, column, meet + 1] == nodes[other, column, meet + 1]:
            meet += 1
        total += sizes[one] * (costs[column, levels[one, column]] - costs[column, meet])
        total += sizes[other] * (costs[column, levels[other, column]] - costs[column, meet])
        if total >= limit:
            return limit
    return total


@compiled(steps=lambda nodes, costs: len(nodes) ** 2 * len(costs))
def merge(nodes: Ints, costs: Ints, lowest: Ints, sizes: Ints, k: int) -> Ints:
    """Merge classes until each has k records.

    Parameters
    ----------
    nodes
        Shape (classes, columns, levels): the nodes above each class, from the root.
    costs
        Shape (columns, levels): cost of generalizing from each level to the root.
    lowest
        Shape (columns,): the lowest level, on which all classes are at first.
    sizes
        Shape (classes,): records of each; k or more in all. Overwritten.
    k
        Least number of records in a class.

    Returns
    -------
    ndarray
        Shape (classes,): the lowest number of the classes that each was merged with.
    """
    count, columns = nodes.shape[0], nodes.shape[1]
    levels = np.empty((count, columns), dtype=np.int64)
    for column in range(columns):
        levels[:, column] = lowest[column]
    into = np.arange(count)
    # Classes are few where many records agree; those that are gone leave the list.
    alive = np.arange(count)
    while True:
        smallest = int(alive[np.argmin(sizes[alive])])
        if sizes[smallest] >= k:
            break
        nearest, best = -1, int(np.iinfo(np.int64).max)
        for place in range(len(alive)):
            other = int(alive[place])
            if other != smallest:
                gap = distance(smallest, other, nodes, costs, levels, sizes, best)
                if gap < best:
                    nearest, best = other, gap
        kept, gone = min(smallest, nearest), max(smallest, nearest)
        for column in range(columns):
            shared = min(levels[kept, column], levels[gone, column])
            meet = 0
            while meet < shared and nodes[kept, column, meet + 1] == nodes[gone, column, meet + 1]:
                meet += 1
            levels[kept, column] = meet
        sizes[kept] += sizes[gone]
        into[gone] = kept
        alive = alive[alive != gone]
    # A class is merged into a lower number only, so one pass upwards resolves chains.
    for one in range(count):
        into[one] = into[into[one]]
    return into
