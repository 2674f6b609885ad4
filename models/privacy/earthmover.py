"""Earth mover's distances between each class and the whole table, in exact integers.

Each function returns numerators over m N times a constant of its own, where m is the size of a
class and N that of the table: with integers throughout, the distance is the exact rational that
t-closeness is defined by (Li, Li and Venkatasubramanian, ICDE 2007).
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.base.classes import Histogram
from kproof.models.base.taxonomy import Taxonomy

_CELLS = 1 << 22
"""Cells of a dense block of classes and values worked on at once."""


@dataclass(frozen=True)
class Distances:
    """The distance of each class as ``numerators / (sizes * constant)``."""

    numerators: Codes
    """Shape (classes,): int64, or Python ints where 64 bits might not hold them."""
    constant: int
    """The same for every class."""
    sizes: Codes
    """Shape (classes,): rows of each class."""

    def at(self, index: int) -> Fraction:
        """Return the distance of one class."""
        return Fraction(int(self.numerators[index]), int(self.sizes[index]) * self.constant)


def equal_distance(histogram: Histogram) -> Distances:
    """Return the distance when all values are equally far apart: the total variation.

    Only values that a class has more of than its share move, so absent ones need no look.
    """
    rows = int(histogram.sizes.sum())
    share = histogram.sizes[histogram.classes] * histogram.totals[histogram.values]
    excess = histogram.counts * rows - share
    sums = np.add.reduceat(np.maximum(excess, 0), histogram.starts[:-1])
    return Distances(sums, rows, histogram.sizes)


def rank_distance(histogram: Histogram) -> Distances:
    """Return the distance when values are ranked: the mean gap of the distribution functions.

    The ranks are those of the values that occur in the table. Between two values of a class its
    distribution function is constant and the table's rises, so the gap changes sign at most once,
    at a place found by bisection: the work is per entry, not per class and value.
    """
    rows = int(histogram.sizes.sum())
    occurring = np.flatnonzero(histogram.totals)
    if (steps := len(occurring) - 1) == 0:
        return Distances(np.zeros(len(histogram.sizes), dtype=np.int64), rows, histogram.sizes)
    below = np.cumsum(histogram.totals[occurring])[:-1]
    kind = _kind(int(histogram.sizes.max()) * rows * steps)
    area = np.concatenate([[0], np.cumsum(below.astype(kind))])
    start = np.searchsorted(occurring, histogram.values)
    running = np.cumsum(histogram.counts)
    first = histogram.starts[:-1]
    running = running - (running[first] - histogram.counts[first])[histogram.classes]
    end = np.append(start[1:], steps)
    end[histogram.starts[1:] - 1] = steps
    sizes = histogram.sizes[histogram.classes]
    reached = running * rows
    # Between two values a class keeps its share while the table's rises: they cross once or never.
    # Rounded up: the table has caught up where its count times the size is what the class has.
    turn = np.clip(np.searchsorted(below, -(-reached // sizes)), start, end)
    sizes, reached = sizes.astype(kind), reached.astype(kind)
    ahead = reached * (turn - start) - sizes * (area[turn] - area[start])
    behind = sizes * (area[end] - area[turn]) - reached * (end - turn)
    # Before its first value a class has nothing yet and the table is ahead.
    sums = histogram.sizes.astype(kind) * area[start[first]]
    return Distances(sums + np.add.reduceat(ahead + behind, first), rows * steps, histogram.sizes)


def hierarchical_distance(
    histogram: Histogram, values: tuple[object, ...], taxonomy: Taxonomy
) -> Distances:
    """Return the distance when values are as far apart as the height at which they meet.

    With h(n) the height of a node above its deepest leaf and 0 for a value, the ground distance
    h(meet) / H is the length of a path whose edges weigh half the difference of heights. On a tree
    the earth mover's distance is the sum over edges of weight times net flow, and the net flow into
    a subtree is the difference of its shares.
    """
    rows = int(histogram.sizes.sum())
    tree = taxonomy.fitted(values, column="sensitive")
    nodes = tree.of(values, column="sensitive")
    order = np.argsort(nodes, kind="stable")
    places = nodes[order]
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    height, inner = tree.heights, np.arange(1, len(tree.labels))
    # A value is a leaf of height 0 right below its node; where the node is a leaf, they are one.
    low = np.concatenate([np.searchsorted(places, inner), np.arange(len(places))])
    high = np.concatenate(
        [np.searchsorted(places, tree.ends[inner], side="right"), np.arange(len(places)) + 1]
    )
    weight = np.concatenate([height[tree.parents[inner]] - height[inner], height[places]])
    used = (high > low) & (weight > 0)
    low, high, weight = low[used], high[used], weight[used]
    totals = histogram.totals[order]
    # All classes at once, a row of every value for each, would not fit.
    block = max(1, _CELLS // (len(values) + len(weight)))
    kind = _kind(int(histogram.sizes.max()) * rows * int(weight.sum()))
    sums: Codes = np.zeros(len(histogram.sizes), dtype=kind)
    for begin in range(0, len(histogram.sizes), block):
        stop = min(begin + block, len(histogram.sizes))
        entries = slice(histogram.starts[begin], histogram.starts[stop])
        dense = np.zeros((stop - begin, len(values)), dtype=np.int64)
        of_class, of_value = histogram.classes[entries] - begin, rank[histogram.values[entries]]
        dense[of_class, of_value] = histogram.counts[entries]
        surplus = dense * rows - histogram.sizes[begin:stop, None] * totals
        before = np.zeros((stop - begin, len(values) + 1), dtype=np.int64)
        np.cumsum(surplus, axis=1, out=before[:, 1:])
        flows = np.abs(before[:, high] - before[:, low]).astype(kind)
        sums[begin:stop] = flows @ weight.astype(kind)
    return Distances(sums, 2 * rows * max(tree.height, 1), histogram.sizes)


def _kind(bound: int) -> type:
    """Return the type of integer that holds sums of a few terms of at most ``bound``."""
    return np.int64 if bound < 1 << 60 else object
