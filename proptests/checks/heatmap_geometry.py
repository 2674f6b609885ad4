"""Where points, sides and areas of a heat map are, worked out without the code that drew it.

Areas on a plane are rationals, so that a partition without a gap adds up exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from kproof.models.places.heatmap.release import Counted, Sector, SectorRelease
from kproof.models.places.plane import EARTH_RADIUS, Box, Plane
from kproof.proptests.cases import PointsCase

ON_THE_LINE = 1e-6
"""Metres within which a point may count on either side of a border; in degrees 1e-5 of that."""


@dataclass(frozen=True)
class DrawnPoints:
    """The points of a case in the coordinates of a heat map.

    A point may count on either side of a border it is on: maps differ in that.
    """

    places: tuple[tuple[float, float], ...]
    """East and north of each point; one near the cut of the map is also at its other edge."""
    point: tuple[int, ...]
    """Which point each place is."""
    whose: Sequence[object]
    margin: float

    @classmethod
    def of(
        cls, heat: SectorRelease, case: PointsCase, counted: Counted | None = None
    ) -> DrawnPoints:
        """Return the points of a case; what is counted is what the map says unless it is given."""
        scale, middle, unit = 1.0, 0.0, 1.0
        if heat.plane is not None:
            scale, middle = math.cos(math.radians(heat.plane.latitude)), heat.plane.longitude
            unit = EARTH_RADIUS * math.pi / 180
        margin = ON_THE_LINE if heat.plane is not None else ON_THE_LINE * 1e-5
        places, point = [], []
        for row, (lat, lon) in enumerate(case.positions):
            north = (
                lat if heat.plane is None else EARTH_RADIUS * math.sin(math.radians(lat)) / scale
            )
            away = math.remainder(lon - middle, 360)
            # A point at the cut of the map is at both of its edges, and a sector at either may
            # count it.
            for turned in (away, away - 360, away + 360):
                if abs(turned) * unit * scale <= 180 * unit * scale + margin:
                    places.append((turned * unit * scale, north))
                    point.append(row)
        by_user = (counted or heat.counted) is Counted.USERS and case.users is not None
        whose = case.users if by_user and case.users else range(len(case.positions))
        return cls(tuple(places), tuple(point), whose, margin)

    def rows(self, sector: Sector, *, border: bool) -> tuple[int, ...]:
        """Return the points in a sector, with or without those on its border."""
        out = self.margin if border else -self.margin
        points = (
            point
            for point, (x, y) in zip(self.point, self.places, strict=True)
            if any(
                box.west - out <= x <= box.east + out and box.south - out <= y <= box.north + out
                for box in sector.boxes
            )
        )
        # Such a point is at two places, and still one point.
        return tuple(dict.fromkeys(points))

    def owners(self, sector: Sector, *, border: bool) -> set[object]:
        """Return whom or what a sector counts."""
        return {self.whose[row] for row in self.rows(sector, border=border)}


def share_an_edge(a: Box, b: Box, *, wraps: bool) -> bool:
    """Say whether two boxes touch along more than a point; in degrees also at the antimeridian."""
    # Floats are compared as they are: quarters of one box have the number of a shared side in
    # common.
    tall = min(a.north, b.north) > max(a.south, b.south)
    wide = min(a.east, b.east) > max(a.west, b.west)
    beside = a.east == b.west or b.east == a.west
    if wraps:
        beside |= 180.0 in (a.east, b.east) and -180.0 in (a.west, b.west)
    above = a.north == b.south or b.north == a.south
    return (tall and (beside or wide)) or (wide and above)


def exact_area(sides: list[float]) -> Fraction:
    """Return the area between sides in the order west, south, east, north, without rounding."""
    west, south, east, north = map(Fraction, sides)
    return (east - west) * (north - south)


def area_of(box: Box, plane: Plane | None) -> float:
    """Return the area of a box in square metres: on its map, or on the sphere in degrees."""
    if plane is not None:
        # A map has edges, and what is drawn beyond them is nowhere.
        scale = math.cos(math.radians(plane.latitude))
        wide, high = math.pi * EARTH_RADIUS * scale, EARTH_RADIUS / scale
        west, east = (min(max(side, -wide), wide) for side in (box.west, box.east))
        south, north = (min(max(side, -high), high) for side in (box.south, box.north))
        return float(exact_area([west, south, east, north]))
    band = math.sin(math.radians(box.north)) - math.sin(math.radians(box.south))
    return EARTH_RADIUS**2 * math.radians(box.east - box.west) * band


def side_lengths(box: Box, plane: Plane | None) -> tuple[float, float]:
    """Return width and height in metres; of a box in degrees the width where it is widest."""
    if plane is not None:
        return box.width, box.height
    widest = 0.0 if box.south <= 0 <= box.north else min(abs(box.south), abs(box.north))
    metres = EARTH_RADIUS * math.pi / 180
    return metres * box.width * math.cos(math.radians(widest)), metres * box.height
