"""Lattices under quadtrees: which cell each point is in, and where the cells are.

A *snapped* lattice is one of squares of the least side, on an equal-area map whose middle is on
whole degrees, around a root that no single point decides. A *bounding* lattice cuts the bounding
box of the data on a Web-Mercator map.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from kproof.errors import DataError, Infeasible, InvalidArgument
from kproof.models.plane import STEEPEST, Box, Floats, Plane
from kproof.models.points import Points
from kproof.models.table import Codes

MERCATOR_RADIUS = 6_378_137.0
"""Metres; of Web Mercator."""

MERCATOR_LIMIT = 85.05
"""Degrees of latitude at which a Web-Mercator map ends."""

_FINE = 1 << 20
"""Parts of a metre to which sides are rounded up, so that their multiples are exact floats."""

_BATCH = 1 << 20
"""Points that are projected at a time, to save memory."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """Cells of a root that is halved ``depth`` times in both directions.

    Attributes
    ----------
    codes
        Shape (points,): Morton code of each point's cell.
    depth
        The root has ``2 ** depth`` columns and rows.
    plane
        The map the cells are on; None if it is Web Mercator.
    west, south
        The root's corner in metres.
    width, height
        Sides of a cell in metres.
    """

    codes: Codes = field(repr=False)
    depth: int
    plane: Plane | None
    west: float
    south: float
    width: float
    height: float

    @property
    def root(self) -> Box:
        """The whole area, as a release has it."""
        [sides], _ = self.boxes(*(np.array([index]) for index in (0, 0, 1 << self.depth)))
        return Box(*sides.tolist())

    def boxes(self, columns: Codes, rows: Codes, sides: Codes) -> tuple[Floats, Floats]:
        """Return west, south, east, north of squares of cells, and their areas.

        They are in metres on the plane; on Web Mercator in degrees, and the areas are as large as
        they are drawn there.
        """
        west, east = (self.west + self.width * at for at in (columns, columns + sides))
        south, north = (self.south + self.height * at for at in (rows, rows + sides))
        areas = (east - west) * (north - south)
        if self.plane is None:
            west, east = (np.degrees(at / MERCATOR_RADIUS) for at in (west, east))
            south, north = (
                np.degrees(np.arctan(np.sinh(at / MERCATOR_RADIUS))) for at in (south, north)
            )
        return np.column_stack([west, south, east, north]), areas


def snapped(points: Points, side: Fraction) -> Lattice:
    """Return the lattice of squares with a given side around some points.

    The root is two by two squares of the smallest size that will do, where sizes are the given one
    doubled time and again and squares of each size are counted from the middle of the map.

    Raises
    ------
    InvalidArgument
        If the points are too far apart for sides so short.

    Examples
    --------
    >>> near = snapped(Points.of([0.0015, 0.0005], [0.5015, 0.5005]), Fraction(100))
    >>> near.plane, near.root
    (Plane(latitude=0, longitude=0.5), Box(west=0.0, south=0.0, east=200.0, north=200.0))
    """
    from kproof.models.quadtree_kernel import DEEPEST, columns, interleaved

    plane, unit = plane_around(points), math.ceil(side * _FINE) / _FINE
    east = np.empty(points.count, dtype=np.int32)
    north = np.empty(points.count, dtype=np.int32)
    for start in range(0, points.count, _BATCH):
        batch = slice(start, start + _BATCH)
        x, y = plane.metres(points.lat[batch], points.lon[batch])
        east[batch], north[batch] = columns(x, unit), columns(y, unit)
    depth, west, south = 1, int(east.min()), int(north.min())
    reach = int(east.max()), int(north.max())
    while True:
        half = 1 << (depth - 1)
        corner = west // half * half, south // half * half
        if all(most < least + 2 * half for least, most in zip(corner, reach, strict=True)):
            break
        depth += 1
    if depth > DEEPEST:
        raise InvalidArgument("min_sector_length", side, "more, as the points are so far apart")
    codes = interleaved(east, north, *corner)
    return Lattice(codes, depth, plane, corner[0] * unit, corner[1] * unit, unit, unit)


def bounding(points: Points, side: Fraction) -> Lattice:
    """Return the bounding box of points on a Web-Mercator map, halved down to a given side.

    Raises
    ------
    DataError
        If a point is too near a pole.
    Infeasible
        If the box has no inside.
    """
    from kproof.models.quadtree_kernel import DEEPEST, interleaved

    steep = np.flatnonzero(np.abs(points.lat) > MERCATOR_LIMIT)
    if len(steep):
        row = int(steep[0])
        raise DataError(
            f"point {row} has latitude {points.lat[row]}; "
            f"a Web-Mercator map ends at {MERCATOR_LIMIT}"
        )
    x = MERCATOR_RADIUS * np.radians(points.lon)
    y = MERCATOR_RADIUS * np.arctanh(np.sin(np.radians(points.lat)))
    west, south = float(x.min()), float(y.min())
    spans = float(x.max()) - west, float(y.max()) - south
    if not all(spans):
        raise Infeasible("the points are on one line, so that their bounding box has no inside")
    depth = 0
    while depth < DEEPEST and min(spans) / 2 ** (depth + 1) >= side:
        depth += 1
    cells = 1 << depth
    width, height = (span / cells for span in spans)
    east, north = (
        np.clip(np.ceil((at - least) / size) - 1, 0, cells - 1).astype(np.int32)
        for at, least, size in ((x, west, width), (y, south, height))
    )
    return Lattice(interleaved(east, north, 0, 0), depth, None, west, south, width, height)


def plane_around(points: Points) -> Plane:
    """Return a map around some points that tells little of any of them.

    Its parallel is the mean of their latitudes, both rounded to whole degrees. It is cut in the
    middle of the widest stretch of whole degrees without points, or at the antimeridian.

    Examples
    --------
    >>> plane_around(Points.of([-17.2, -16.9], [179.9, -179.8]))
    Plane(latitude=-17, longitude=-180.0)
    """
    # Sums of whole numbers are exact, so that the order of the points does not matter.
    mean = Fraction(int(np.rint(points.lat).sum()), points.count)
    latitude = round(min(max(mean, Fraction(-STEEPEST)), Fraction(STEEPEST)))
    found = np.bincount(np.floor(points.lon + 180).astype(np.int64) % 360, minlength=360)
    taken = np.flatnonzero(found)
    gaps = np.diff(taken, append=taken[0] + 360) - 1
    widest = int(np.argmax(gaps))
    if not gaps[widest]:
        return Plane(latitude, 0)
    # The middle of the map is half the way round from the middle of the gap.
    opposite = taken[widest] + 1 + gaps[widest] / 2 + 180
    return Plane(latitude, float((opposite % 360) - 180))
