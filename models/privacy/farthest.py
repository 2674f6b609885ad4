"""t-closeness with missing values: how far a class may lie from the table in the worst completion.

For one class the earth mover's distance is a norm of the difference of two distributions, both of
which are linear in the completion. A convex function is largest at a corner: all missing values of
the class are one value, and all others of the table are one value. Trying every pair of values is
therefore exact. When all values are equally far apart no pairs need be tried: the value that the
class has most too many of takes its missing ones, and the one it has most too few of the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kproof.errors import TooLarge
from kproof.models.base.arrays import Codes
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.privacy.completions import KnownValues
from kproof.models.privacy.earthmover import Distances

BUDGET = 300_000_000
"""Most terms that are added up before a worst case is given up."""

Whole = NDArray[np.generic]


def farthest_equal(recorded: KnownValues) -> Distances:
    """Return the largest distance of each class when all values are equally far apart."""
    rows, domain = int(recorded.sizes.sum()), recorded.domain
    elsewhere = int(recorded.unknown.sum()) - recorded.unknown
    _within(len(recorded.sizes) * len(domain), "equal")
    sums = np.zeros(len(recorded.sizes), dtype=np.int64)
    if len(domain) > 1:
        for index, surplus in enumerate(_surplus(recorded)):
            size, gaps = int(recorded.sizes[index]), int(recorded.unknown[index])
            high, low = int(np.argmax(surplus)), int(np.argmin(surplus))
            if high == low:
                low = 1 - high
            surplus[high] += gaps * (rows - size)
            surplus[low] -= int(elsewhere[index]) * size
            sums[index] = np.maximum(surplus, 0).sum()
    return Distances(sums, rows, recorded.sizes)


def farthest_ordered(recorded: KnownValues) -> Distances:
    """Return the largest distance of each class when values are ranked."""
    steps = len(recorded.domain) - 1
    below = np.tril(np.ones((max(steps, 0), steps + 1), dtype=np.int64))
    return _by_pairs(
        recorded, below, np.ones(max(steps, 0), dtype=np.int64), max(steps, 1), "ordered"
    )


def farthest_hierarchical(
    recorded: KnownValues, values: tuple[object, ...], taxonomy: Taxonomy
) -> Distances:
    """Return the largest distance of each class when values meet in a hierarchy."""
    occurring = tuple(values[code] for code in recorded.domain)
    tree = taxonomy.fitted(occurring, column="sensitive")
    nodes = tree.of(occurring, column="sensitive")
    height, inner = tree.heights, np.arange(1, len(tree.labels))
    # The mass below each edge: of a subtree, or of one value right below its node.
    subtree = (inner[:, None] <= nodes) & (nodes <= tree.ends[inner][:, None])
    edges = np.concatenate([subtree, np.eye(len(nodes), dtype=bool)]).astype(np.int64)
    weight = np.concatenate([height[tree.parents[inner]] - height[inner], height[nodes]])
    used = edges.any(axis=1) & (weight > 0)
    scale = 2 * max(tree.height, 1)
    return _by_pairs(recorded, edges[used], weight[used], scale, "hierarchical")


def _by_pairs(
    recorded: KnownValues, edges: Codes, weight: Codes, scale: int, name: str
) -> Distances:
    """Return the largest sum of weighted flows over all pairs of values, class by class."""
    rows, width = int(recorded.sizes.sum()), len(recorded.domain)
    elsewhere = int(recorded.unknown.sum()) - recorded.unknown
    options = np.where(recorded.unknown > 0, width, 1)
    _within(int((options * np.where(elsewhere > 0, width, 1)).sum()) * max(len(weight), 1), name)
    sums: list[int] = []
    for index, surplus in enumerate(_surplus(recorded)):
        size, gaps = int(recorded.sizes[index]), int(recorded.unknown[index])
        gained = edges * (gaps * (rows - size)) if gaps else edges[:, :1] * 0
        lost = edges * (int(elsewhere[index]) * size) if elsewhere[index] else edges[:, :1] * 0
        base = edges @ surplus
        best = 0
        for column in gained.T:
            flows = np.abs((base + column)[:, None] - lost)
            best = max(best, int((weight @ flows).max(initial=0)))
        sums.append(best)
    kind = np.int64 if max(sums, default=0) < 1 << 62 else object
    return Distances(np.array(sums, dtype=kind), rows * scale, recorded.sizes)


def _surplus(recorded: KnownValues) -> Codes:
    """Return, by class, its known counts times the rows minus its size times the table's."""
    rows, histogram = int(recorded.sizes.sum()), recorded.histogram
    if rows * rows * max(len(recorded.domain), 1) >= 1 << 58:
        raise TooLarge(f"the worst case of missing values among {rows} rows; see missing_as")
    dense = np.zeros((len(recorded.sizes), len(recorded.domain)), dtype=np.int64)
    dense[histogram.classes, np.searchsorted(recorded.domain, histogram.values)] = histogram.counts
    return dense * rows - recorded.sizes[:, None] * histogram.totals[recorded.domain]


def _within(terms: int, name: str) -> None:
    if terms > BUDGET:
        raise TooLarge(
            f"t-closeness ({name}) for every way to fill in missing values: {terms} terms, at most "
            f"{BUDGET}; say missing_as value or exclude"
        )
