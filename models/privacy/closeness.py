"""t-closeness: how far the sensitive values of a class may lie from those of the table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import ClassVar

from kproof.errors import InvalidArgument
from kproof.models.base.arrays import Flags
from kproof.models.base.classes import Classes
from kproof.models.base.parameters import T
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.base.verdict import Verdict
from kproof.models.privacy.base import CompletingModel, Joined, above, extreme, short_text
from kproof.models.privacy.completions import KnownValues, open_to_doubt, without_missing
from kproof.models.privacy.earthmover import (
    Distances,
    equal_distance,
    hierarchical_distance,
    rank_distance,
)
from kproof.models.privacy.farthest import farthest_equal, farthest_hierarchical, farthest_ordered
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
        object.__setattr__(self, "t", T.read(t))
        object.__setattr__(self, "distance", distance)
        object.__setattr__(self, "taxonomy", taxonomy)

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

    def _distances(self, classes: Classes) -> Distances:
        if self.distance is Distance.ORDERED and not classes.ordered:
            admissible = "numeric sensitive values, or another distance"
            raise InvalidArgument("distance", self.distance, admissible)
        if open_to_doubt(classes):
            return self._farthest(classes)
        if self.taxonomy is not None:
            return hierarchical_distance(classes.histogram, classes.values, self.taxonomy)
        if self.distance is Distance.EQUAL:
            return equal_distance(classes.histogram)
        if not without_missing(classes):
            admissible = "another distance, as a missing value has no rank among the others"
            raise InvalidArgument("distance", self.distance, admissible)
        return rank_distance(classes.histogram)

    def _farthest(self, classes: Classes) -> Distances:
        """Return how far each class may lie, whatever its missing values are."""
        recorded = KnownValues.of(classes)
        if self.taxonomy is not None:
            return farthest_hierarchical(recorded, classes.values, self.taxonomy)
        if self.distance is Distance.EQUAL:
            return farthest_equal(recorded)
        return farthest_ordered(recorded)
