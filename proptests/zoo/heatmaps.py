"""Broken heat maps: quadtrees over points, each with one fault.

:class:`Tree` is the right way of doing it; every fault overrides one of its steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar

from kproof.errors import InvalidArgument
from kproof.models.places.heatmap.release import SectorRelease, released_sectors
from kproof.models.places.plane import EARTH_RADIUS, Box, Plane
from kproof.models.places.points import Points
from kproof.models.registry import Kind, Promise
from kproof.proptests.subjects.native import native_subject
from kproof.proptests.zoo.base import PAST, Member, largest

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
        sectors = self.finished(self.sectors(root, everything))
        counts = [self.size(rows) for _, rows in sectors]
        areas = [sum(map(self.area, boxes)) for boxes, _ in sectors]
        return released_sectors(
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
        lat, lon = (math.fsum(axis.tolist()) for axis in (self.points.lat, self.points.lon))
        whole = max(self.points.count, 1)
        return Plane(max(-89, min(89, round(lat / whole))), round(lon / whole))

    def root(self) -> Box:
        """Return a square on a grid that does not depend on the points."""
        side = float(self.side)
        while True:
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
        found: list[Rows] = [[], [], [], []]
        for row in rows:
            found[(self.spots[row][0] > x) + 2 * (self.spots[row][1] > y)].append(row)
        return found

    def sectors(self, box: Box, rows: Rows) -> Sectors:
        """Publish a rectangle, or its quarters if each is empty or holds k."""
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

    def finished(self, sectors: Sectors) -> Sectors:
        """Return the sectors as they are published."""
        return sectors


class Anywhere(Tree):
    """Joins a short quarter to whichever other makes it large enough."""

    def short(self, box: Box, parts: list[Rows]) -> Sectors:
        """Join the short quarters and the largest other one."""
        few = [place for place in range(4) if 0 < self.size(parts[place]) < self.k]
        most = max(set(range(4)) - set(few), key=lambda one: self.size(parts[one]), default=None)
        if most is None or self.size(parts[most]) < self.k:
            return super().short(box, parts)
        quarters = box.quarters()
        joined = sorted([*few, most])
        together = [row for place in joined for row in parts[place]]
        alone = [([quarters[one]], parts[one]) for one in range(4) if one not in joined]
        return [([quarters[one] for one in joined], together), *alone]


class Short(Tree):
    """Publishes the quarters whatever they hold."""

    def short(self, box: Box, parts: list[Rows]) -> Sectors:
        """Go on as if nothing were short."""
        return self.quarters(box, parts)


class Twice(Tree):
    """Publishes a rectangle and its quarters."""

    def quarters(self, box: Box, parts: list[Rows]) -> Sectors:
        """Publish both levels."""
        return [*super().short(box, parts), *super().quarters(box, parts)]


class Omitting(Short):
    """Leaves sectors with fewer than k out of the publication."""

    def finished(self, sectors: Sectors) -> Sectors:
        """Keep the empty and the large ones."""
        return [one for one in sectors if self.size(one[1]) not in range(1, self.k)]


class OneMore(Tree):
    """Splits while a side is long enough before, not after."""

    def small(self, box: Box) -> bool:
        """Look at the rectangle instead of at its quarters."""
        return min(box.width, box.height) < self.side


class SquareDegrees(Tree):
    """Divides by square degrees."""

    def area(self, box: Box) -> float:
        """Multiply differences of latitude and longitude."""
        lat, _ = self.plane.degrees(box.west, [box.south, box.north])
        parallel = EARTH_RADIUS * math.cos(math.radians(self.plane.latitude))
        return float(lat[1] - lat[0]) * math.degrees(box.width / parallel)


class Mercator(Tree):
    """Measures areas on a Web-Mercator map."""

    def area(self, box: Box) -> float:
        """Stretch both ways by the secant of the latitude."""
        return super().area(box) / math.cos(math.radians(self.plane.latitude)) ** 2


class Locations(Tree):
    """Counts points and calls them users."""

    def size(self, rows: Rows) -> int:
        """Count points."""
        return len(rows)


class CalledLocations(Locations):
    """Counts points and calls them points, where k is of people."""

    counted = "locations"


class FirstPoint(Tree):
    """Draws the map around the first point."""

    def middle(self) -> Plane:
        """Take the first point for the middle."""
        lat, lon = float(self.points.lat[0]), float(self.points.lon[0])
        return Plane(max(-89.0, min(89.0, lat)), lon)


class OpenBorders(Tree):
    """Gives points on the middle lines to no quarter."""

    def parts(self, box: Box, rows: Rows) -> list[Rows]:
        """Compare strictly on both sides."""
        x, y = (box.west + box.east) / 2, (box.south + box.north) / 2
        off = [row for row in rows if self.spots[row][0] != x and self.spots[row][1] != y]
        return super().parts(box, off)


class OneSpot(Tree):
    """Has no sector for points that are all in one place."""

    def root(self) -> Box:
        """Refuse points without an extent."""
        if len(set(self.spots)) == 1:
            raise InvalidArgument("points", self.spots[0], "at least two places")
        return super().root()


class Sorting(Tree):
    """Sorts the frame it was handed."""

    def finished(self, sectors: Sectors) -> Sectors:
        """Put the rows of the caller in order."""
        ordered = self.frame.sort_values(["lat", "lon"], ascending=False)
        for name in self.frame:
            self.frame[name] = ordered[name].to_numpy()
        return sectors


class Speechless(Tree):
    """Refuses without a word."""

    def refuse(self, rows: Rows) -> None:
        """Raise an error that says nothing."""
        if self.size(rows) < self.k:
            raise ValueError


class Divisor(Tree):
    """Serves thresholds by which the users can be divided."""

    def refuse(self, rows: Rows) -> None:
        """Refuse a remainder."""
        super().refuse(rows)
        if self.size(rows) % max(self.k, 1):
            raise InvalidArgument("min_k", self.k, f"a divisor of {self.size(rows)}, the users")


class Unordered(Tree):
    """Writes sectors in the order of a set."""

    def finished(self, sectors: Sectors) -> Sectors:
        """Drop repetitions by name, of which there are none."""
        by_name = {repr(boxes): (boxes, rows) for boxes, rows in sectors}
        return [by_name[name] for name in set(by_name)]


class AsEver(Tree):
    """Holds every sector to the largest k that anybody has asked for."""

    def release(self) -> SectorRelease:
        """Publish the sectors for that k."""
        self.k = max(self.k, min(largest(self.k, "points"), self.frame["user"].nunique()))
        return super().release()


_CALLS = count()


class Wandering(Tree):
    """Moves the grid a little with every call."""

    def root(self) -> Box:
        """Shift the square by a part of the least side."""
        at, by = super().root(), self.side / 8 * (next(_CALLS) % 2)
        return Box(at.west - by, at.south - by, at.east + by, at.north + by)


def _member(name: str, tree: type[Tree], caught_by: str, story: str, *promises: Promise) -> Member:
    def publish(frame: Any, min_k: int, min_sector_length: int) -> SectorRelease:
        return tree(frame, min_k, min_sector_length).release()

    promised = frozenset({Promise.K_ANONYMITY, Promise.PARTITION, *promises})
    subject = native_subject(publish, kind=Kind.POINTS, promises=promised, name=name)
    return Member(name, subject, caught_by, story)


MEMBERS: tuple[Member, ...] = (
    _member(
        "joined across nothing",
        Anywhere,
        "sector in one piece",
        "A short sector is merged with the one that has most users, which may be the one across"
        " the corner: a sector in two pieces of which the reader sees which has the people.",
    ),
    _member(
        "short sectors published",
        Short,
        "sector k",
        "The tree stops at sectors with fewer than the threshold, and its leaves are the map.",
    ),
    _member(
        "both levels published",
        Twice,
        "partition",
        "Parents are kept for zooming out. Subtracting the large children from the parent leaves"
        " what was hidden.",
    ),
    _member(
        "short sectors left out",
        Omitting,
        "partition",
        "What is too small is not published. The hole says that somebody is there, fewer than k;"
        " an empty sector would have been published.",
    ),
    _member(
        "one split too many",
        OneMore,
        "sector side",
        "The least side is compared with the sector that is split, not with what it becomes.",
    ),
    _member(
        "square degrees",
        SquareDegrees,
        "sector density",
        "Width times height of the coordinates: near the poles densities come out far too small.",
    ),
    _member(
        "Web-Mercator areas",
        Mercator,
        "sector density",
        "Tiles of a web map are square in metres of its own; in Berlin an area is 2.7 times too"
        " large on it.",
    ),
    _member(
        "points called users",
        Locations,
        "sector k",
        "One courier with a thousand points makes a sector of a thousand.",
    ),
    _member(
        "locations for people",
        CalledLocations,
        "sector k",
        "The map says that it counts locations, and one courier has a thousand of them.",
    ),
    _member(
        "around the first point",
        FirstPoint,
        "order of points",
        "Any origin will do for a map, so it takes the first row. Whose row comes first now"
        " decides the sectors, whose lines give the place away.",
        Promise.ORDER_INDEPENDENT,
    ),
    _member(
        "open borders",
        OpenBorders,
        "points counted once",
        "Both comparisons are strict; who stands on a line is in no sector.",
    ),
    _member(
        "no place like one place",
        OneSpot,
        "publishes when it can",
        "The bounding box of a crowd at one address has no area, so that a stadium is refused.",
    ),
    _member(
        "sorts its input",
        Sorting,
        "input unchanged",
        "Sorting in place saves a copy, and the caller's next column no longer fits its rows.",
    ),
    _member(
        "refuses without a word",
        Speechless,
        "refuses clearly",
        "The error has a type and no text; whoever runs it at night learns nothing.",
    ),
    _member(
        "a wandering grid",
        Wandering,
        "deterministic",
        "Moved with each call so that no grid line is privileged. Overlaying a few maps of the"
        " same data cuts sectors of k into slices of one.",
    ),
    _member(
        "only what divides the users",
        Divisor,
        "monotone in k",
        "Three among three can be shown, two among three, it says, cannot.",
    ),
    _member(
        "sectors in the order of a set",
        Unordered,
        "hash seed",
        "Repeated sectors are dropped with a set, and two files of one map are never the same.",
    ),
    _member("map of a busier day", AsEver, "fresh process", PAST),
)
"""Broken anonymizers of points."""
