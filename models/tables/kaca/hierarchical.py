"""KACA proper: k-anonymization by clustering in attribute hierarchies.

Every set of records that agree on their quasi-identifiers is a class at first. While one has
fewer than k records it is merged with the class that is nearest, distances being measured by how
far up the hierarchies of the attributes the two have to be generalized.

The inner loop of hierarchical KACA: merging the smallest class with the nearest.

Source: J. Li, R. C.-W. Wong, A. W.-C. Fu, J. Pei, "Achieving k-Anonymity by Clustering in
Attribute Hierarchical Structures", DaWaK 2006. The definitions are given here as recalled, not
checked against the printed paper.
"""

from enum import StrEnum
from fractions import Fraction
from itertools import accumulate
from math import lcm

import numpy as np

from kproof.errors import TooLarge
from kproof.models.base.arrays import Codes
from kproof.models.base.columns import Column
from kproof.models.base.compiled import compile_kernel
from kproof.models.tables.axes import group_size
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table
from kproof.theory.exact.typed import choice


class Weights(StrEnum):
    """What a step of generalization costs, before the steps of an attribute are made to sum to 1.

    Levels are counted from the root, which is level 1.
    """

    UNIFORM = "uniform"
    """Every step costs the same."""
    HEIGHT = "height"
    """The step from level j to level j - 1 costs 1/(j - 1): steps near the root cost most."""


def kaca_hierarchical(table: Table, *, k: int, weights: Weights | str = Weights.UNIFORM) -> Release:
    """Publish a table in classes merged by hierarchical distance.

    Generalizing an attribute from level p to level q, of h levels, costs
    WHD(p, q) = Σ_{j=q+1..p} w_j / Σ_{j=2..h} w_j; a record costs the sum over its attributes; two
    classes C₁, C₂ are ``|C₁| cost(C₁ → C₁₂) + |C₂| cost(C₂ → C₁₂)`` apart, C₁₂ being the lowest
    generalization that covers both.

    The class to merge next is the smallest and the class it joins the nearest one. Ties go to the
    class with the record that comes first when records are sorted by their quasi-identifiers, the
    first column first. The paper picks the class to merge at random. Distances are compared
    exactly. Neither the order of records nor the sensitive values matter. Time is quadratic in
    the number of distinct records.

    The hierarchy of a column is its taxonomy, values at less than full depth being repeated
    downwards; for numbers, repeated halving of the list of the distinct values; for other values
    two levels. A missing value is right below the root.

    Args:
        table: At least k records and one quasi-identifier.
        k: Least number of records in a class, from 2.
        weights: ``"uniform"`` or ``"height"``.

    Raises:
        TooLarge: If distances do not fit in 64 bits.

    >>> import pandas as pd
    >>> from kproof.models.tables.table import Table
    >>> frame = pd.DataFrame({"age": [20, 21, 60, 61], "sex": ["f", "f", "m", "m"]})
    >>> table = Table.from_frame(frame, quasi_identifiers=["age", "sex"])
    >>> kaca_hierarchical(table, k=2).class_of.tolist()
    [0, 0, 1, 1]
    """
    size = group_size(table, k)
    weights = choice("weights", weights, Weights)
    group_of, count = table.equivalence_classes
    _, example = np.unique(group_of, return_index=True)
    levels = [hierarchy(column) for column in table.quasi_identifiers]
    shares = [step_costs(len(above) - 1, weights) for above in levels]
    # Over their least common denominator costs are whole numbers.
    unit = lcm(*(cost.denominator for column in shares for cost in column))
    costs = [[int(cost * unit) for cost in column] for column in shares]
    # Two classes have the table's rows together at most, and each pays at most
    # this in every column.
    if max(map(max, costs)) * len(costs) * table.rows >= 1 << 62:
        raise TooLarge("distances between classes do not fit in 64 bits; use uniform weights")
    depth = max(map(len, levels))
    nodes = np.zeros((count, len(levels), depth), dtype=np.int64)
    paid = np.zeros((len(levels), depth), dtype=np.int64)
    for column, (above, cost) in enumerate(zip(levels, costs, strict=True)):
        codes = table.quasi_identifiers[column].codes[example]
        nodes[:, column, : len(above)] = above[:, codes].T
        paid[column, : len(cost)] = cost
    lowest = np.array([len(above) - 1 for above in levels], dtype=np.int64)
    sizes = np.bincount(group_of, minlength=count).astype(np.int64)
    into = merge(nodes, paid, lowest, sizes, size)
    class_of = np.unique(into[group_of], return_inverse=True)[1].reshape(-1).astype(np.int64)
    parameters = {"k": size, "weights": str(weights)}
    return seal(table, class_of, method="kaca-hierarchical", parameters=parameters)


def hierarchy(column: Column) -> Codes:
    """Return the node above each value at each level, shape (levels, values), the root first.

    Nodes of one level are equal numbers exactly if they are the same node.

    >>> ages = Column("age", np.array([0], dtype=np.int32), (20, 30, 40), True)
    >>> hierarchy(ages).tolist()
    [[0, 0, 0], [0, 0, 1], [0, 1, 2]]
    """
    count = len(column.values)
    codes = np.arange(count, dtype=np.int64)
    if column.taxonomy is not None and column.nodes is not None:
        tree, nodes = column.taxonomy, column.nodes
        return np.stack([tree.at_depth(depth)[nodes] for depth in range(tree.height + 1)])
    if not column.numeric:
        return np.stack([np.zeros(count, dtype=np.int64), codes][: min(count, 2)])
    present = count if column.missing is None else count - 1
    # Some level tells all known values apart, and one below the root the missing one from them.
    steps = max(max(present - 1, 0).bit_length(), int(count > present > 0))
    return np.stack(
        [
            np.where(codes < present, (codes << step) // max(present, 1), (1 << step) * (step > 0))
            for step in range(steps + 1)
        ]
    )


def step_costs(steps: int, weights: Weights) -> list[Fraction]:
    """Return what it costs to generalize to the root from each level, the root first.

    >>> print(*step_costs(2, Weights.UNIFORM), *step_costs(2, Weights.HEIGHT))
    0 1/2 1 0 2/3 1
    """
    costs = [Fraction(1, step if weights is Weights.HEIGHT else 1) for step in range(1, steps + 1)]
    total = sum(costs, Fraction(0))
    return [Fraction(0), *accumulate(cost / total for cost in costs)]


def meeting_level(first: int, second: int, column: int, nodes: Codes, levels: Codes) -> int:
    """Return the lowest level at which two classes are one node of a column; the root is 0."""
    shared = min(levels[first, column], levels[second, column])
    meet = 0
    while meet < shared and nodes[first, column, meet + 1] == nodes[second, column, meet + 1]:
        meet += 1
    return meet


def distance(
    first: int, second: int, nodes: Codes, costs: Codes, levels: Codes, sizes: Codes, limit: int
) -> int:
    """Return how far two classes are apart, or ``limit`` as soon as it is reached."""
    total = 0
    for column in range(costs.shape[0]):
        meet = meeting_level(first, second, column, nodes, levels)
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
                # Strictly: of equals the lowest number stays, as those alive are in order.
                if gap < best:
                    nearest, best = candidate, gap
        survivor, gone = min(smallest, nearest), max(smallest, nearest)
        for column in range(columns):
            levels[survivor, column] = meeting_level(survivor, gone, column, nodes, levels)
        sizes[survivor] += sizes[gone]
        into[gone] = survivor
        alive = alive[alive != gone]
    # A class is merged into a lower number only, so one pass upwards resolves chains.
    for number in range(count):
        into[number] = into[into[number]]
    return into
