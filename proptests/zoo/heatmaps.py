"""Broken heat maps: quadtrees over points, each with one fault.

:class:`Tree` is the right way of doing it; every fault overrides one of its steps.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar

from kproof.errors import InvalidArgument
from kproof.models.places.heatmap.release import SectorRelease, seal_sectors
from kproof.models.places.plane import EARTH_RADIUS, Box, Plane
from kproof.models.places.points import Points
from kproof.models.registry import Kind, Promise
from kproof.proptests.zoo.base import Faults, Member, largest

Rows = list[int]
Sectors = list[tuple[list[Box], Rows]]


@dataclass
class Tree:
    """A quadtree that publishes sectors of at least k users, without merging."""

    frame: Any
    k: int
    side: float
    counted: ClassVar[str] = "users"

    def release(self) -> SectorRelease:
        """Publish the sectors of the whole area."""
        self.points = Points.of(self.frame["lat"], self.frame["lon"], users=self.frame["user"])
        everything = list(range(self.points.count))
        self.refuse(everything)
        self.plane = self.middle()
        east, north = self.plane.metres(self.points.lat, self.points.lon)
        self.spots: list[tuple[float, float]] = list(
            zip(east.tolist(), north.tolist(), strict=True)
        )
        root = self.root()
        sectors = self.finish(self.sectors(root, everything))
        counts = [self.size(rows) for _, rows in sectors]
        areas = [sum(map(self.area, boxes)) for boxes, _ in sectors]
        return seal_sectors(
            self.points,
            [boxes for boxes, _ in sectors],
            counts=counts,
            areas=areas,
            plane=self.plane,
            root=root,
            counted=self.counted,
            method="quadtree",
            parameters={"min_k": self.k, "min_sector_length": self.side},
        )

    def refuse(self, rows: Rows) -> None:
        """Refuse what no sector can hold."""
        if self.size(rows) < self.k:
            raise InvalidArgument("min_k", self.k, f"at most {self.size(rows)}, the users")

    def middle(self) -> Plane:
        """Return a map around the points, the same whatever their order."""
        # fsum does not depend on the order of what it adds, and the order of the points must not
        # show.
        lat, lon = (math.fsum(axis.tolist()) for axis in (self.points.lat, self.points.lon))
        count = max(self.points.count, 1)
        return Plane(max(-89, min(89, round(lat / count))), round(lon / count))

    def root(self) -> Box:
        """Return a square on a grid that does not depend on the points."""
        side = float(self.side)
        while True:
            # It ends when a side is as long as the points are apart: the first of them is in one
            # cell, and all others are in that or in the next.
            west = min(math.floor(x / side) for x, _ in self.spots) * side
            south = min(math.floor(y / side) for _, y in self.spots) * side
            east, north = west + 2 * side, south + 2 * side
            if all(x <= east and y <= north for x, y in self.spots):
                return Box(west, south, east, north)
            side *= 2

    def size(self, rows: Rows) -> int:
        """Count the users of some points."""
        users = self.points.users
        return 0 if users is None else len(set(users[rows].tolist()))

    def area(self, box: Box) -> float:
        """Measure a rectangle in square metres; one beyond the edges of the map as it is drawn."""
        return self.plane.area(box) or box.width * box.height

    def small(self, box: Box) -> bool:
        """Say whether the quarters of a rectangle would be too small."""
        return min(box.width, box.height) < 2 * self.side

    def parts(self, box: Box, rows: Rows) -> list[Rows]:
        """Share points among the quarters; on a line they go west and south."""
        x, y = (box.west + box.east) / 2, (box.south + box.north) / 2
        quarters: list[Rows] = [[], [], [], []]
        for row in rows:
            quarters[(self.spots[row][0] > x) + 2 * (self.spots[row][1] > y)].append(row)
        return quarters

    def sectors(self, box: Box, rows: Rows) -> Sectors:
        """Publish a rectangle, or its quarters if each is empty or holds k."""
        # k users or fewer are never in two quarters that hold k each.
        if self.small(box) or self.size(rows) <= self.k:
            return [([box], rows)]
        parts = self.parts(box, rows)
        if any(0 < self.size(part) < self.k for part in parts):
            return self.short(box, parts)
        return self.quarters(box, parts)

    def quarters(self, box: Box, parts: list[Rows]) -> Sectors:
        """Publish the quarters of a rectangle."""
        return [
            sector
            for quarter, part in zip(box.quarters(), parts, strict=True)
            for sector in self.sectors(quarter, part)
        ]

    def short(self, box: Box, parts: list[Rows]) -> Sectors:
        """Publish a rectangle whole of which a quarter is short."""
        return [([box], [row for part in parts for row in part])]

    def finish(self, sectors: Sectors) -> Sectors:
        """Return the sectors as they are published."""
        return sectors


_broken = Faults(frozenset({Promise.K_ANONYMITY, Promise.PARTITION}))


@_broken("joined across nothing", "sector in one piece")
class _Anywhere(Tree):
    """Joins a short quarter to whichever other makes it large enough.

    A short sector is merged with the one that has most users, which may be the one across the
    corner: a sector in two pieces of which the reader sees which has the people.
    """

    def short(self, box: Box, parts: list[Rows]) -> Sectors:
        few = [place for place in range(4) if 0 < self.size(parts[place]) < self.k]
        largest = max(
            set(range(4)) - set(few), key=lambda place: self.size(parts[place]), default=None
        )
        if largest is None or self.size(parts[largest]) < self.k:
            return super().short(box, parts)
        quarters = box.quarters()
        joined = sorted([*few, largest])
        together = [row for place in joined for row in parts[place]]
        alone = [([quarters[place]], parts[place]) for place in range(4) if place not in joined]
        return [([quarters[place] for place in joined], together), *alone]


@_broken("short sectors published", "sector k")
class _Short(Tree):
    """The tree stops at sectors with fewer than the threshold, and its leaves are the map."""

    def short(self, box: Box, parts: list[Rows]) -> Sectors:
        return self.quarters(box, parts)


@_broken("both levels published", "partition")
class _Twice(Tree):
    """Parents are kept for zooming out.

    Subtracting the large children from the parent leaves what was hidden.
    """

    def quarters(self, box: Box, parts: list[Rows]) -> Sectors:
        return [*super().short(box, parts), *super().quarters(box, parts)]


@_broken("short sectors left out", "partition")
class _Omitting(_Short):
    """What is too small is not published.

    The hole says that somebody is there, fewer than k; an empty sector would have been published.
    """

    def finish(self, sectors: Sectors) -> Sectors:
        return [sector for sector in sectors if self.size(sector[1]) not in range(1, self.k)]


@_broken("one split too many", "sector side")
class _OneMore(Tree):
    """The least side is compared with the sector that is split, not with what it becomes."""

    def small(self, box: Box) -> bool:
        return min(box.width, box.height) < self.side


@_broken("square degrees", "sector density")
class _SquareDegrees(Tree):
    """Width times height of the coordinates: near the poles densities come out far too small."""

    def area(self, box: Box) -> float:
        lat, _ = self.plane.degrees(box.west, [box.south, box.north])
        parallel = EARTH_RADIUS * math.cos(math.radians(self.plane.latitude))
        return float(lat[1] - lat[0]) * math.degrees(box.width / parallel)


@_broken("Web-Mercator areas", "sector density")
class _Mercator(Tree):
    """Measures areas on a Web-Mercator map.

    Tiles of a web map are square in metres of its own; in Berlin an area is 2.7 times too large on
    it.
    """

    def area(self, box: Box) -> float:
        return super().area(box) / math.cos(math.radians(self.plane.latitude)) ** 2


@_broken("points called users", "sector k")
class _Locations(Tree):
    """One courier with a thousand points makes a sector of a thousand."""

    def size(self, rows: Rows) -> int:
        return len(rows)


@_broken("locations for people", "sector k")
class _CalledLocations(_Locations):
    """The map says that it counts locations, and one courier has a thousand of them."""

    counted = "locations"


@_broken("around the first point", "order of points", Promise.ORDER_INDEPENDENT)
class _FirstPoint(Tree):
    """Any origin will do for a map, so it takes the first row.

    Whose row comes first now decides the sectors, whose lines give the place away.
    """

    def middle(self) -> Plane:
        lat, lon = float(self.points.lat[0]), float(self.points.lon[0])
        return Plane(max(-89.0, min(89.0, lat)), lon)


@_broken("open borders", "points counted once")
class _OpenBorders(Tree):
    """Both comparisons are strict; who stands on a line is in no sector."""

    def parts(self, box: Box, rows: Rows) -> list[Rows]:
        x, y = (box.west + box.east) / 2, (box.south + box.north) / 2
        off = [row for row in rows if self.spots[row][0] != x and self.spots[row][1] != y]
        return super().parts(box, off)


@_broken("no place like one place", "publishes when it can")
class _OneSpot(Tree):
    """The bounding box of a crowd at one address has no area, so that a stadium is refused."""

    def root(self) -> Box:
        if len(set(self.spots)) == 1:
            raise InvalidArgument("points", self.spots[0], "at least two places")
        return super().root()


@_broken("sorts its input", "input unchanged")
class _Sorting(Tree):
    """_Sorting in place saves a copy, and the caller's next column no longer fits its rows."""

    def finish(self, sectors: Sectors) -> Sectors:
        ordered = self.frame.sort_values(["lat", "lon"], ascending=False)
        for name in self.frame:
            self.frame[name] = ordered[name].to_numpy()
        return sectors


@_broken("refuses without a word", "refuses clearly")
class _Speechless(Tree):
    """The error has a type and no text; whoever runs it at night learns nothing."""

    def refuse(self, rows: Rows) -> None:
        if self.size(rows) < self.k:
            raise ValueError


@_broken("only what divides the users", "monotone in k")
class _Divisor(Tree):
    """Three among three can be shown, two among three, it says, cannot."""

    def refuse(self, rows: Rows) -> None:
        super().refuse(rows)
        if self.size(rows) % max(self.k, 1):
            raise InvalidArgument("min_k", self.k, f"a divisor of {self.size(rows)}, the users")


@_broken("sectors in the order of a set", "hash seed")
class _Unordered(Tree):
    """Repeated sectors are dropped with a set, and two files of one map are never the same."""

    def finish(self, sectors: Sectors) -> Sectors:
        # By texts: their hashes are others in each process, while those of numbers are not.
        by_name = {repr(boxes): (boxes, rows) for boxes, rows in sectors}
        return [by_name[name] for name in set(by_name)]


@_broken("map of a busier day", "fresh process")
class _AsEver(Tree):
    """Holds every sector to the largest k that anybody has asked for."""

    def release(self) -> SectorRelease:
        self.k = max(self.k, min(largest(self.k, "points"), self.frame["user"].nunique()))
        return super().release()


_CALLS = count()


@_broken("a wandering grid", "deterministic")
class _Wandering(Tree):
    """Moved with each call so that no grid line is privileged.

    Overlaying a few maps of the same data cuts sectors of k into slices of one.
    """

    def root(self) -> Box:
        box, shift = super().root(), self.side / 8 * (next(_CALLS) % 2)
        return Box(box.west - shift, box.south - shift, box.east + shift, box.north + shift)


def _anonymizer(tree: type[Tree]) -> Callable[..., SectorRelease]:
    def publish(frame: Any, min_k: int, min_sector_length: int) -> SectorRelease:
        return tree(frame, min_k, min_sector_length).release()

    return publish


MEMBERS: tuple[Member, ...] = _broken.members(Kind.POINTS, _anonymizer)
"""Broken anonymizers of points."""
