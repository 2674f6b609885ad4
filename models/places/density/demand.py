"""What a region has to hold: the density around a node selects k; crossings are a floor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kproof.errors import InvalidArgument
from kproof.models.base.adjacency import read_only
from kproof.models.base.arrays import Codes
from kproof.models.places.city.city import City
from kproof.models.places.density.kernel import densities
from kproof.theory.exact.typed import Number, integer

THRESHOLDS = (4, 10)
"""Densities from which a node is of medium and of high density."""

LEVELS = (10, 5, 2)
"""The k of a node of low, medium and high density."""

LARGEST = 2**53
"""Largest number that a demand is made of."""

BALL = 5
"""Nodes within one hop of an inner node of a grid, itself included; what adaptive depth aims at."""


@dataclass(frozen=True)
class Demand:
    """What a region has to hold: users, by the density around the request's node, and nodes."""

    depth: int | None = 1
    """Hops within which users count; None for adaptive: as many as it takes to have
    :data:`BALL` nodes, of which the users are scaled to :data:`BALL` nodes."""
    thresholds: tuple[int, ...] = THRESHOLDS
    """Rising densities that part the classes."""
    levels: tuple[int, ...] = LEVELS
    """The k of each class, one more than thresholds."""
    k: int = 1
    """Least k of all classes."""
    least_nodes: int = 1
    """Fewest nodes with users of a region. Where all its users are at one node, whoever knows
    where people are knows where the request is from, however many they are."""

    @classmethod
    def of(
        cls,
        *,
        depth: Number = 1,
        thresholds: Iterable[Number] | Number = THRESHOLDS,
        levels: Iterable[Number] | Number = LEVELS,
        k: Number = 1,
        least_nodes: Number = 1,
    ) -> Demand:
        """Read a demand as it was typed; several numbers may be a text, separated by commas.

        >>> Demand.of(thresholds="3,8,20", levels="20,10,5,2", k=4).classes([0, 8, 21]).tolist()
        [0, 2, 3]
        """
        hops = None if depth == "adaptive" else integer("depth", depth, least=0, most=LARGEST)
        steps = _numbers("thresholds", thresholds, least=0)
        k_levels = _numbers("levels", levels, least=1)
        if any(step >= following for step, following in pairwise(steps)):
            raise InvalidArgument("thresholds", steps, "rising whole numbers")
        if len(k_levels) != len(steps) + 1:
            admissible = f"{len(steps) + 1} numbers, one more than thresholds"
            raise InvalidArgument("levels", k_levels, admissible)
        smallest, nodes = (
            integer(name, value, least=1, most=LARGEST)
            for name, value in (("k", k), ("least_nodes", least_nodes))
        )
        return cls(hops, steps, k_levels, smallest, nodes)

    def density(self, city: City) -> Codes:
        """Return the users around each node.

        >>> street = City.of([1, 2, 4, 8], [(0, 1), (1, 2), (2, 3)])
        >>> Demand().density(street).tolist(), Demand(depth=0).density(street).tolist()
        ([3, 7, 14, 12], [1, 2, 4, 8])
        """
        roads, ball = city.roads, BALL if self.depth is None else 0
        return read_only(densities(roads.offsets, roads.targets, city.users, self.depth or 0, ball))

    def classes(self, density: Sequence[int] | Codes) -> Codes:
        """Return the class of each density: 0 is the lowest."""
        return read_only(np.searchsorted(np.array(self.thresholds), density, side="right"))

    def k_at(self, density: Codes) -> Codes:
        """Return the k of each density."""
        return read_only(np.maximum(np.array(self.levels)[self.classes(density)], self.k))


def _numbers(name: str, values: Iterable[Number] | Number, *, least: int) -> tuple[int, ...]:
    if isinstance(values, str):
        parts: Iterable[Number] = [part for part in values.split(",") if part.strip()]
    elif isinstance(values, Iterable):
        parts = values
    else:
        parts = [values]
    return tuple(integer(name, part, least=least, most=LARGEST) for part in parts)
