"""t-closeness: how far the sensitive values of a class may lie from those of the table.

t-closeness with missing values: how far a class may lie from the table in the worst completion.

For one class the earth mover's distance is a norm of the difference of two distributions, both of
which are linear in the completion. A convex function is largest at a corner: all missing values of
the class are one value, and all others of the table are one value. Trying every pair of values is
therefore exact. When all values are equally far apart no pairs need be tried: the value that the
class has most too many of takes its missing ones, and the one it has most too few of the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kproof.errors import InvalidArgument, TooLarge
from kproof.models.base.arrays import Codes, Flags
from kproof.models.base.classes import Classes
from kproof.models.base.parameters import T
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.base.verdict import Verdict
from kproof.models.privacy import earthmover
from kproof.models.privacy.base import CompletingModel, Joined, above, extreme, short_text
from kproof.models.privacy.completions import KnownValues, open_to_doubt, without_missing
from kproof.theory.exact.typed import Number, choice


class Distance(StrEnum):
    """The ground distance between two sensitive values."""

    EQUAL = "equal"
    """1 between any two: the earth mover's distance is the total variation."""
    ORDERED = "ordered"
    """The difference of ranks among the values that occur, over the largest."""
    HIERARCHICAL = "hierarchical"
    """The height at which they meet in a taxonomy, over its height."""


@dataclass(frozen=True, init=False)
class TCloseness(CompletingModel):
    """No class is further than t, from 0 to 1, from the table, as the earth moves.

    The table is the published one. With missing values the distance is the largest over all
    completions. Ordered :class:`Distance` needs numeric values, hierarchical a taxonomy of the
    sensitive values, and no other takes one. Source: Li, Li and Venkatasubramanian, ICDE 2007.

    Args:
        t: 0 <= t <= 1.
        distance: Ground distance, see :class:`Distance`. Ordered needs numeric values.
        taxonomy: Hierarchy of the sensitive values; with hierarchical distance, and only then.

    >>> import numpy as np
    >>> salaries = (3, 4, 5, 6, 7, 8, 9, 10, 11)
    >>> of_row = np.repeat([0, 1, 2], 3)
    >>> classes = Classes(of_row, 3, np.array([0, 1, 2, 3, 5, 8, 4, 6, 7]), salaries, ordered=True)
    >>> print(TCloseness("0.4", distance="ordered").check(classes))
    t-closeness(t=0.4, ordered): holds (largest distance from the table: 0.375, class 0)
    """

    title: ClassVar[str] = "t-closeness"
    meaning: ClassVar[str] = "least t"
    """The largest distance of a class from the table."""

    joined: ClassVar[Joined] = Joined.ALIKE
    against_table: ClassVar[bool] = True

    t: Fraction
    distance: Distance
    taxonomy: Taxonomy | None

    def __init__(
        self,
        t: Number,
        *,
        distance: Distance | str = Distance.EQUAL,
        taxonomy: Taxonomy | None = None,
    ) -> None:
        distance = choice("distance", distance, Distance)
        if (distance == Distance.HIERARCHICAL) != (taxonomy is not None):
            source = "none" if taxonomy is None else taxonomy.source
            admissible = 'a taxonomy with distance="hierarchical", and only then'
            raise InvalidArgument("taxonomy", source, admissible)
        vars(self).update(t=T.read(t), distance=distance, taxonomy=taxonomy)

    def _check(self, classes: Classes) -> Verdict:
        distances = self._distances(classes)
        near = distances.numerators.astype(float) / distances.sizes / distances.constant
        keys = [distances.sizes, distances.numerators]
        index, farthest = extreme(near, distances.at, keys, largest=True)
        reason = f"largest distance from the table: {short_text(farthest, up=True)}"
        holds = farthest <= self.t
        return self._verdict(classes, index, holds, farthest, reason, distance=farthest)

    def _flag_failing(self, classes: Classes) -> Flags:
        distances = self._distances(classes)
        return above(distances.numerators, distances.sizes, self.t * distances.constant)

    def _distances(self, classes: Classes) -> earthmover.Distances:
        if self.distance is Distance.ORDERED and not classes.ordered:
            admissible = "numeric sensitive values, or another distance"
            raise InvalidArgument("distance", self.distance, admissible)
        if open_to_doubt(classes):
            return self._farthest(classes)
        if self.taxonomy is not None:
            return earthmover.hierarchical_distance(
                classes.histogram, classes.values, self.taxonomy
            )
        if self.distance is Distance.EQUAL:
            return earthmover.equal_distance(classes.histogram)
        if not without_missing(classes):
            admissible = "another distance, as a missing value has no rank among the others"
            raise InvalidArgument("distance", self.distance, admissible)
        return earthmover.rank_distance(classes.histogram)

    def _farthest(self, classes: Classes) -> earthmover.Distances:
        """Return how far each class may lie, whatever its missing values are."""
        recorded = KnownValues.of(classes)
        if self.taxonomy is not None:
            return farthest_hierarchical(recorded, classes.values, self.taxonomy)
        if self.distance is Distance.EQUAL:
            return farthest_equal(recorded)
        return farthest_ordered(recorded)


BUDGET = 300_000_000
"""Most terms that are added up before a worst case is given up."""

Whole = NDArray[np.generic]


def farthest_equal(recorded: KnownValues) -> earthmover.Distances:
    """Return the largest distance of each class when all values are equally far apart."""
    rows, domain = int(recorded.sizes.sum()), recorded.domain
    elsewhere = int(recorded.unknown.sum()) - recorded.unknown
    _within(len(recorded.sizes) * len(domain), "equal")
    sums = np.zeros(len(recorded.sizes), dtype=np.int64)
    if len(domain) > 1:
        for index, surplus in enumerate(_surplus(recorded)):
            size, gaps = int(recorded.sizes[index]), int(recorded.unknown[index])
            high, low = int(np.argmax(surplus)), int(np.argmin(surplus))
            # Where all surpluses are equal both are the first, and moving rows takes two values.
            if high == low:
                low = 1 - high
            surplus[high] += gaps * (rows - size)
            surplus[low] -= int(elsewhere[index]) * size
            sums[index] = np.maximum(surplus, 0).sum()
    return earthmover.Distances(sums, rows, recorded.sizes)


def farthest_ordered(recorded: KnownValues) -> earthmover.Distances:
    """Return the largest distance of each class when values are ranked."""
    steps = len(recorded.domain) - 1
    below = np.tril(np.ones((steps, steps + 1), dtype=np.int64))
    return _by_pairs(recorded, below, np.ones(steps, dtype=np.int64), max(steps, 1), "ordered")


def farthest_hierarchical(
    recorded: KnownValues, values: tuple[object, ...], taxonomy: Taxonomy
) -> earthmover.Distances:
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
) -> earthmover.Distances:
    """Return the largest sum of weighted flows over all pairs of values, class by class."""
    rows, width = int(recorded.sizes.sum()), len(recorded.domain)
    elsewhere = int(recorded.unknown.sum()) - recorded.unknown
    # Counted beforehand: a search that is too long is refused, not begun.
    options = np.where(recorded.unknown > 0, width, 1)
    _within(int((options * np.where(elsewhere > 0, width, 1)).sum()) * max(len(weight), 1), name)
    sums: list[int] = []
    for index, surplus in enumerate(_surplus(recorded)):
        size, gaps = int(recorded.sizes[index]), int(recorded.unknown[index])
        # One column of zeros where nothing is missing: there is one way to fill it in.
        gained = edges * (gaps * (rows - size)) if gaps else edges[:, :1] * 0
        lost = edges * (int(elsewhere[index]) * size) if elsewhere[index] else edges[:, :1] * 0
        base = edges @ surplus
        best = 0
        for column in gained.T:
            flows = np.abs((base + column)[:, None] - lost)
            best = max(best, int((weight @ flows).max(initial=0)))
        sums.append(best)
    kind = np.int64 if max(sums, default=0) < 1 << 62 else object
    return earthmover.Distances(np.array(sums, dtype=kind), rows * scale, recorded.sizes)


def _surplus(recorded: KnownValues) -> Codes:
    """Return, by class, its known counts times the rows minus its size times the table's."""
    rows, histogram = int(recorded.sizes.sum()), recorded.histogram
    # Room for sums of these products over all values.
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
