"""The lines of lattices, as they are written.

A coordinate on disk has seven decimals. A line is where its rounded coordinate says, and a point is
on one side of it or the other by comparing with that, so that whoever counts the points inside a
published shape finds what is published. Whoever stands on a line is left of it and below.

Lines end where the map does: at the poles, and half way round from its middle. The last cell before
an edge reaches to it, so that no cell is narrower than the others, and none is beyond.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kproof.models.base.arrays import Floats
from kproof.models.places.plane import DECIMALS, Plane

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


def _within(degrees: Floats, places: Codes, edge: float, cell: float) -> Floats:
    """Move lines with less than a cell to an edge of the map to it, and those beyond."""
    # The line in the middle is moved if there is one cell; it is that cell's first.
    ends = np.where(places > 0, edge, -edge)
    return np.where((edge - np.abs(degrees)) < cell, ends, degrees)
