"""Lattices under quadtrees: which cell each point is in, and where the cells are.

A *snapped* lattice is one of squares of the least side, on an equal-area map whose middle is on
whole degrees, around a root that no single point decides. A *bounding* lattice cuts the bounding
box of the data on a Web-Mercator map. Of both, lines are where they are written
(:mod:`kproof.models.places.heatmap.lattice_lines`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from kproof.errors import DataError, Infeasible, InvalidArgument
from kproof.models.base.arrays import Codes, Floats
from kproof.models.places.heatmap.lattice_lines import (
    MERCATOR_RADIUS,
    Lines,
    MercatorLines,
    PlaneLines,
    find_lines,
)
from kproof.models.places.heatmap.quadtree_kernel import DEEPEST, interleave
from kproof.models.places.plane import DECIMALS, Plane, plane_around
from kproof.models.places.points import Points

MERCATOR_LIMIT = 85.05
"""Degrees of latitude at which a Web-Mercator map ends."""

_FINE = 1 << 20
"""Parts of a metre to which sides are rounded up, so that their multiples are exact floats."""

_BATCH = 1 << 20
"""Points that are projected at a time, to save memory."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """Cells of a root that is halved ``depth`` times in both directions."""

    codes: Codes = field(repr=False)
    """Shape (points,): Morton code of each point's cell."""
    depth: int
    """The root has ``2 ** depth`` columns and rows."""
    plane: Plane | None
    """The map the cells are on; None if it is Web Mercator."""
    lines: Lines
    """Where its lines are."""
    west: int
    south: int
    """Column and row of the root's corner."""

    def boxes(self, columns: Codes, rows: Codes, sides: Codes) -> tuple[Floats, Floats]:
        """Return west, south, east, north of squares of cells, and their areas.

        They are in metres on the plane; on Web Mercator in degrees, and the areas are as large as
        they are drawn there. A square beyond the edges of the map has no area.
        """
        # Each line is worked out once, so that it is the same number wherever it is a side.
        across, ups = (
            np.unique(np.stack([first, first + sides]), return_inverse=True)
            for first in (self.west + columns, self.south + rows)
        )
        east, north = self.lines.meridians(across[0]), self.lines.parallels(ups[0])
        x, y = self.lines.metres(east, north)
        # Some versions of NumPy return what is inverse in one dimension.
        wide, high = across[1].reshape(2, -1), ups[1].reshape(2, -1)
        areas = (x[wide[1]] - x[wide[0]]) * (y[high[1]] - y[high[0]])
        if self.plane is None:
            x, y = east / 10**DECIMALS, north / 10**DECIMALS
        return np.column_stack([x[wide[0]], y[high[0]], x[wide[1]], y[high[1]]]), areas


def snap_points(points: Points, side: Fraction) -> Lattice:
    """Return the lattice of squares with a given side around some points.

    The root is two by two squares of the smallest size that will do, where sizes are that of a cell
    doubled time and again and squares of each size are counted from the middle of the map. Cells
    are larger than the given side by as much as rounding may take from them when they are written.

    >>> near = snap_points(Points.of([0.0015, 0.0005], [0.5015, 0.5005]), Fraction(100))
    >>> near.plane, near.depth, near.boxes(*np.array([[0], [0], [2]]))[0].round(1).tolist()
    (Plane(latitude=0, longitude=0.5), 1, [[0.0, 0.0, 200.0, 200.0]])
    """
    plane = plane_around(points)
    lost = math.radians(10**-DECIMALS) * plane.pole
    lines = PlaneLines(plane, math.ceil((side + Fraction(lost)) * _FINE) / _FINE)
    east = np.empty(points.count, dtype=np.int32)
    north = np.empty(points.count, dtype=np.int32)
    for start in range(0, points.count, _BATCH):
        batch = slice(start, start + _BATCH)
        east[batch], north[batch] = _cells(lines, points.lat[batch], points.lon[batch])
    depth, west, south = 1, int(east.min()), int(north.min())
    reach = int(east.max()), int(north.max())
    while True:
        half = 1 << (depth - 1)
        corner = west // half * half, south // half * half
        if all(high < low + 2 * half for low, high in zip(corner, reach, strict=True)):
            break
        depth += 1
    if depth > DEEPEST:
        raise InvalidArgument("min_sector_length", side, "more, as the points are so far apart")
    codes = interleave(east, north, *corner)
    return Lattice(codes, depth, plane, lines, *corner)


def _cells(lines: PlaneLines, lat: Floats, lon: Floats) -> tuple[Codes, Codes]:
    """Return the column and the row of points, by the lines as they are written."""
    plane = lines.plane
    x, y = plane.metres(lat, lon)
    east, north = (np.ceil(metres / lines.unit).astype(np.int64) - 1 for metres in (x, y))
    # Of the two names of the cut, and of the antimeridian, the eastern one is left of it.
    turns = (lon <= plane.longitude - 180).astype(np.int64) - (lon > plane.longitude + 180)
    return (
        find_lines(east, lon, lines.meridians, turns),
        # Nobody is south of the pole, and who is at it is north of its line.
        find_lines(north, np.maximum(lat, np.nextafter(-90, 0)), lines.parallels),
    )


def enclose_points(points: Points, side: Fraction) -> Lattice:
    """Return the bounding box of points on a Web-Mercator map, halved down to a given side."""
    steep = np.flatnonzero(np.abs(points.lat) > MERCATOR_LIMIT)
    if len(steep):
        spot = f"point {steep[0]} has latitude {points.lat[steep[0]]}"
        raise DataError(f"{spot}; a Web-Mercator map ends at {MERCATOR_LIMIT}")
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
    low, high = (tuple(map(float, of((points.lon, points.lat), axis=1))) for of in (np.min, np.max))
    lines = MercatorLines(west, south, width, height, (*low, *high), cells)
    east, north = (
        find_lines(
            np.clip(np.ceil((metres - begin) / size) - 1, 0, cells - 1),
            # Whoever stands on the first line is in the first cell.
            np.maximum(degrees, np.nextafter(line(np.array([0]))[0] / 10**DECIMALS, np.inf)),
            line,
        ).astype(np.int32)
        for metres, begin, size, degrees, line in (
            (x, west, width, points.lon, lines.meridians),
            (y, south, height, points.lat, lines.parallels),
        )
    )
    return Lattice(interleave(east, north, 0, 0), depth, None, lines, 0, 0)
