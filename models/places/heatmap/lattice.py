"""Lattices under quadtrees: which cell each point is in, and where the cells are.

A *snapped* lattice is one of squares of the least side, on an equal-area map whose middle is on
whole degrees, around a root that no single point decides. A *bounding* lattice cuts the bounding
box of the data on a Web-Mercator map. Of both, lines are where they are written.

A coordinate on disk has seven decimals. A line is where its rounded coordinate says, and a point is
on one side of it or the other by comparing with that, so that whoever counts the points inside a
published shape finds what is published. Whoever stands on a line is left of it and below.

Lines end where the map does: at the poles, and half way round from its middle. The last cell before
an edge reaches to it, so that no cell is narrower than the others, and none is beyond.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kproof.errors import DataError, Infeasible, InvalidArgument
from kproof.models.base.arrays import Codes, Floats
from kproof.models.places.heatmap.quadtree_kernel import DEEPEST, interleave
from kproof.models.places.plane import DECIMALS, Plane, plane_around
from kproof.models.places.points import Points

if TYPE_CHECKING:
    from kproof.models.base.arrays import Codes


MERCATOR_RADIUS = 6_378_137.0
"""Metres; of Web Mercator."""

_TICKS = 10**DECIMALS
"""Units of the last decimal in a degree."""

_TURN = 360 * _TICKS


@dataclass(frozen=True, slots=True)
class PlaneLines:
    """Lines at equal distances on an equal-area map, counted from its middle.

    >>> lines = PlaneLines(Plane(0, 0.5), 100)
    >>> lines.meridians(np.array([0, 1, 10**6])).tolist()
    [5000000, 5008993, 1805000000]
    """

    plane: Plane
    """The map."""
    unit: float
    """The distance in metres."""

    def meridians(self, columns: Codes) -> Codes:
        """Return the western lines of columns."""
        half = np.pi * self.plane.parallel
        metres = _within(np.asarray(columns * self.unit), columns, half, self.unit)
        return _ticks(self.plane.longitude + 180 * (metres / half))

    def parallels(self, rows: Codes) -> Codes:
        """Return the southern lines of rows."""
        top = self.plane.pole
        metres = _within(np.asarray(rows * self.unit), rows, top, self.unit)
        return _ticks(np.degrees(np.arcsin(metres / top)))

    def metres(self, east: Codes, north: Codes) -> tuple[Floats, Floats]:
        """Return lines in metres on the map."""
        away = (east - round(self.plane.longitude * _TICKS)) / _TICKS
        up = np.sin(np.radians(north / _TICKS))
        return self.plane.parallel * np.radians(away), self.plane.pole * up


@dataclass(frozen=True, slots=True)
class MercatorLines:
    """Lines that cut a box on a Web-Mercator map into columns and rows of equal size."""

    west: float
    south: float
    """Its corner in metres."""
    width: float
    height: float
    """Of a cell, in metres."""
    edges: tuple[float, ...]
    """West, south, east and north of the box in degrees."""
    cells: int
    """Columns, and rows."""

    def meridians(self, columns: Codes) -> Codes:
        """Return the western lines of columns."""
        ticks = _ticks(np.degrees((self.west + self.width * columns) / MERCATOR_RADIUS))
        return self._outward(ticks, columns, self.edges[0], self.edges[2])

    def parallels(self, rows: Codes) -> Codes:
        """Return the southern lines of rows."""
        metres = self.south + self.height * rows
        ticks = _ticks(np.degrees(np.arctan(np.sinh(metres / MERCATOR_RADIUS))))
        return self._outward(ticks, rows, self.edges[1], self.edges[3])

    def metres(self, east: Codes, north: Codes) -> tuple[Floats, Floats]:
        """Return lines in metres on the map."""
        x, y = np.radians(east / _TICKS), np.radians(north / _TICKS)
        return MERCATOR_RADIUS * x, MERCATOR_RADIUS * np.arctanh(np.sin(y))

    def _outward(self, ticks: Codes, places: Codes, low: float, high: float) -> Codes:
        """Put the first and the last line where nobody is outside when they are rounded."""
        first, last = round(low * _TICKS), round(high * _TICKS)
        # Compared as they are read back: what is rounded inwards gives way by one last decimal.
        first -= first / _TICKS > low
        last += last / _TICKS < high
        return np.where(places <= 0, first, np.where(places >= self.cells, last, ticks))


Lines: TypeAlias = PlaneLines | MercatorLines
"""Where lines are, in last decimals of a degree; longitudes run on at the antimeridian."""


def find_lines(
    guess: Codes, degrees: Floats, line: Callable[[Codes], Codes], turns: Codes | None = None
) -> Codes:
    """Return between which lines points are, from a guess of their columns or rows that is near.

    ``degrees`` are coordinates as they are; ``turns`` are the whole turns from them to where
    lines run on.
    """
    away = 0 if turns is None else _TURN * turns

    def to_degrees(places: Codes) -> Floats:
        return np.asarray((line(places) - away) / _TICKS)

    between = guess.astype(np.int64)
    while True:
        # Rounding and the edges of the map move a line by less than a cell.
        moved = (degrees > to_degrees(between + 1)).astype(np.int64) - (
            degrees <= to_degrees(between)
        )
        if not moved.any():
            return between
        between += moved


def _ticks(degrees: Floats) -> Codes:
    return np.asarray(np.rint(degrees * _TICKS).astype(np.int64))


def _within(metres: Floats, places: Codes, edge: float, cell: float) -> Floats:
    """Move lines with less than a cell to an edge of the map to it, and those beyond."""
    # The line in the middle is moved if there is one cell; it is that cell's first.
    ends = np.where(places > 0, edge, -edge)
    return np.where((edge - np.abs(metres)) < cell, ends, metres)


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
    # Rounded up: lines are rounded to decimals, and no side may become shorter than was asked.
    lines = PlaneLines(plane, math.ceil((side + Fraction(lost)) * _FINE) / _FINE)
    # A side has a metre or more and the tallest map 365,000 km from its middle to the pole: 32 bits
    # hold every column and row.
    east = np.empty(points.count, dtype=np.int32)
    north = np.empty(points.count, dtype=np.int32)
    for start in range(0, points.count, _BATCH):
        batch = slice(start, start + _BATCH)
        east[batch], north[batch] = _cells(lines, points.lat[batch], points.lon[batch])
    depth, west, south = 1, int(east.min()), int(north.min())
    reach = int(east.max()), int(north.max())
    while True:
        half = 1 << (depth - 1)
        # Floored, not truncated: columns west of the middle are below 0.
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
    # Of a line, no cell has an area, and a density would be divided by 0.
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
