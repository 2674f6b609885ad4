"""Cases of the kinds of data other than tables, and what is published of them.

A case holds plain values, so that it prints as the Python that builds it, and builds what an
anonymizer takes when asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from kproof.models.graphs.release import GraphRelease
    from kproof.models.graphs.social import SocialGraph
    from kproof.models.moving.release import CloakedLog
    from kproof.models.places.city.city import City
    from kproof.models.places.heatmap.release import SectorRelease
    from kproof.models.places.points import Points
    from kproof.models.places.regions import RegionRelease


@dataclass(frozen=True)
class CityCase:
    """A city, requests from some of its nodes, and their parameters."""

    users: tuple[int, ...]
    """Users at each node."""
    roads: tuple[tuple[int, int], ...]
    """Streets as pairs of nodes."""
    targets: tuple[int, ...]
    """Nodes from which there are requests; some may have no users."""
    positions: tuple[tuple[float, float], ...] | None = None
    """East and north of each node; node i is at (i, 0) unless given."""
    one_way: tuple[tuple[int, int], ...] = ()
    """Those of the streets that are one-way, from start to end."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Such as ``{"k": 3}``."""

    @cached_property
    def city(self) -> City:
        """The city as kproof's anonymizers take it."""
        from kproof.models.places.city.city import City

        places = self.positions or tuple((node, 0) for node in range(len(self.users)))
        x, y = ([place[axis] for place in places] for axis in (0, 1))
        return City.of(self.users, self.roads, x=x, y=y, one_way=self.one_way)


@dataclass(frozen=True)
class PointsCase:
    """Positions, whose they are, and the parameters of one heat map."""

    positions: tuple[tuple[float, float], ...]
    """Latitude and longitude of each point."""
    users: tuple[str, ...] | None = None
    """Whose each point is, or None."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Such as ``{"min_k": 3, "min_sector_length": 100}``."""

    @cached_property
    def points(self) -> Points:
        """The points as kproof's anonymizers take them."""
        from kproof.models.places.points import Points

        return Points.of(
            [lat for lat, _ in self.positions], [lon for _, lon in self.positions], users=self.users
        )


@dataclass(frozen=True)
class GraphCase:
    """Users, their friendships and attributes, and the parameters of one publication."""

    users: int
    """Number of users."""
    friendships: tuple[tuple[int, int], ...]
    """Pairs of users, each once, the lower one first."""
    attributes: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    """By name, a value for each user; None is missing."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Such as ``{"k": 3}``."""

    @cached_property
    def graph(self) -> SocialGraph:
        """The graph as kproof's anonymizers take it."""
        from kproof.models.graphs.social import SocialGraph

        return SocialGraph.from_edges(
            self.friendships, users=range(self.users), attributes=self.attributes
        )


@dataclass(frozen=True)
class LogCase:
    """People who move on a line of places, and the parameters of one cloaked log.

    The line has 2^bits places, and cells are its halves, their halves, and so on; the cell at depth
    d has the places whose codes begin with its d bits.
    """

    paths: tuple[tuple[str, ...], ...]
    """By person and slot, the places that are reported in it in the order of time: codes of as
    many bits, separated by spaces; empty if none is. Each person reports something."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Such as ``{"k": 2, "age": 1}``."""

    @property
    def bits(self) -> int:
        """Bits of a code."""
        # All codes of a log are of one length. Where nobody reports there are still two places.
        return max((len(code) for *_, code in self.reports), default=1)

    @property
    def slots(self) -> int:
        """Number of slots, which are numbered from 0."""
        return max(map(len, self.paths), default=0)

    @property
    def people(self) -> int:
        """Number of people who report anything; in the beginning of a log it may be few."""
        return sum(map(any, self.paths))

    @property
    def age(self) -> int:
        """Most slots that a position is used after its own; none if nothing is said."""
        return int(self.parameters.get("age", 0))

    @property
    def reports(self) -> list[tuple[int, int, str]]:
        """Slot, person and code of each report, in the order of time."""
        # A position's place in its slot is all the time it has: everybody's first one comes before
        # anybody's second one.
        timed = [
            (slot, place, person, code)
            for person, path in enumerate(self.paths)
            for slot, entry in enumerate(path)
            for place, code in enumerate(entry.split())
        ]
        return [(slot, person, code) for slot, _, person, code in sorted(timed)]

    def until(self, slots: int) -> LogCase:
        """Return the log as it is after so many slots."""
        return replace(self, paths=tuple(path[:slots] for path in self.paths))

    def codes_of(self, person: int) -> dict[int, str]:
        """Return the position of a person in each slot that has one.

        It is the first in the slot, else the last before it that is not too old.

        >>> LogCase((("0", "1 0", "", ""),), {"age": 1}).codes_of(0)
        {0: '0', 1: '1', 2: '0'}
        """
        codes: dict[int, str] = {}
        last, reported_in = "", 0
        for slot, entry in enumerate(self.paths[person]):
            if entry:
                # The first position stands for its own slot and the last one for those after it:
                # whoever reports again has moved on.
                codes[slot], last, reported_in = entry.split()[0], entry.split()[-1], slot
            elif last and slot - reported_in <= self.age:
                codes[slot] = last
        return codes


Case: TypeAlias = CityCase | PointsCase | GraphCase | LogCase


@dataclass(frozen=True)
class Publication:
    """What a subject published of a city, points, a social graph or a log."""

    release: RegionRelease | SectorRelease | GraphRelease | CloakedLog
    """As published."""
    changed: str = ""
    """What the subject changed in the input it was handed; empty if nothing."""


def group_size(case: Case) -> int | None:
    """Return the k of a case, whatever it is called, or None if it has none."""
    for name in ("k", "min_k"):
        if name in case.parameters:
            return int(case.parameters[name])
    return None


def with_group_size(case: Case, k: int) -> Case:
    """Return the case with another k; a split threshold is raised along with it."""
    changed = {name: k for name in ("k", "min_k") if name in case.parameters}
    split = case.parameters.get("split_n_locations")
    if split is not None and split < k:
        # A quadtree refuses a threshold below k, and that refusal would be taken for one of k.
        changed["split_n_locations"] = k
    return replace(case, parameters={**case.parameters, **changed})
