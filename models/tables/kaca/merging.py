"""The inner loop of hierarchical KACA: merging the smallest class with the nearest."""

from __future__ import annotations

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.base.compiled import compile_kernel


def distance(
    first: int, second: int, nodes: Codes, costs: Codes, levels: Codes, sizes: Codes, limit: int
) -> int:
    """Return how far two classes are apart, or ``limit`` as soon as it is reached."""
    total = 0
    for column in range(costs.shape[0]):
        shared = min(levels[first, column], levels[second, column])
        meet = 0
        while meet < shared and nodes[first, column, meet + 1] == nodes[second, column, meet + 1]:
            meet += 1
        total += sizes[first] * (costs[column, levels[first, column]] - costs[column, meet])
        total += sizes[second] * (costs[column, levels[second, column]] - costs[column, meet])
        if total >= limit:
            return limit
    return total


@compile_kernel(steps=lambda nodes, costs: len(nodes) ** 2 * len(costs))
def merge(nodes: Codes, costs: Codes, lowest: Codes, sizes: Codes, k: int) -> Codes:
    """Merge classes until each has k records; return the lowest number each was merged with.

    Args:
        nodes: Shape (classes, columns, levels): the nodes above each class, from the root.
        costs: Shape (columns, levels): cost of generalizing from each level to the root.
        lowest: Shape (columns,): the lowest level, on which all classes are at first.
        sizes: Shape (classes,): records of each; k or more in all. Overwritten.
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
            candidate = int(alive[place])
            if candidate != smallest:
                # No farther than the best so far is looked: most distances end in their first
                # column.
                gap = distance(smallest, candidate, nodes, costs, levels, sizes, best)
                if gap < best:
                    nearest, best = candidate, gap
        survivor, gone = min(smallest, nearest), max(smallest, nearest)
        for column in range(columns):
            shared = min(levels[survivor, column], levels[gone, column])
            meet = 0
            while (
                meet < shared and nodes[survivor, column, meet + 1] == nodes[gone, column, meet + 1]
            ):
                meet += 1
            levels[survivor, column] = meet
        sizes[survivor] += sizes[gone]
        into[gone] = survivor
        alive = alive[alive != gone]
    # A class is merged into a lower number only, so one pass upwards resolves chains.
    for number in range(count):
        into[number] = into[into[number]]
    return into
