"""Cells of one size on the whole globe, the same ones whatever the data.

A grid that is laid out from the data, at their bounding box or their median, moves with them: it
shows the points that decide it, and these stand exactly on its lines. Here rows are counted from
the south pole and columns from the antimeridian, and a point on a line belongs to its south-western
side, so that every point is in one cell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kproof.models.base.arrays import Floats
from kproof.models.places.plane import EARTH_RADIUS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from kproof.models.base.arrays import Codes


@dataclass(frozen=True, slots=True)
class GlobeGrid:
    """Rows of equal height, each cut into columns of equal width.

    >>> grid = GlobeGrid(400)
    >>> rows, columns = grid.cells([37.7, 37.7, -90], [-122.4, -122.4001, 0])
    >>> rows.tolist(), columns.tolist()
    ([35498, 35498, 0], [12669, 12669, 1])
    """

    side: float
    """Least height of a cell, and least width in the middle of its row, in metres, above 0; of a
    cell that is not the whole globe or a whole row."""

    @property
    def rows(self) -> int:
        """Number of rows from pole to pole."""
        return max(1, math.floor(math.pi * EARTH_RADIUS / self.side))

    def columns(self, rows: Codes) -> Codes:
        """Return the number of columns of some rows."""
        middle = np.radians(-90 + 180 * (rows + 0.5) / self.rows)
        # Beside a pole less than one side fits around it: the row is one cell.
        around = np.floor(2 * np.pi * EARTH_RADIUS * np.cos(middle) / self.side)
        return np.maximum(1, around).astype(np.int64)

    def cells(self, lat: ArrayLike, lon: ArrayLike) -> tuple[Codes, Codes]:
        """Return the row and the column of points in degrees."""
        north, east = np.asarray(lat, dtype=np.float64), np.asarray(lon, dtype=np.float64)
        # The antimeridian is one line by two names.
        east = np.where(east == -180, 180, east)
        rows = _parts(north, -90, 180, np.full(north.shape, self.rows))
        return rows, _parts(east, -180, 360, self.columns(rows))

    def boxes(self, rows: Codes, columns: Codes) -> tuple[Floats, Floats, Floats, Floats]:
        """Return west, south, east and north of cells in degrees."""
        wide, high = self.columns(rows), np.full(np.shape(rows), self.rows)
        west, east = (_line(index, -180, 360, wide) for index in (columns, columns + 1))
        south, north = (_line(index, -90, 180, high) for index in (rows, rows + 1))
        return west, south, east, north


def _line(part: Codes, first: float, span: float, parts: Codes) -> Floats:
    """Return where a part of a span begins."""
    return np.asarray(first + span * part / parts)


def _parts(position: Floats, first: float, span: float, parts: Codes) -> Codes:
    """Return in which of its equal parts each place of a span is; on a line in the one before."""
    part = np.ceil((position - first) / span * parts).astype(np.int64) - 1
    # What was rounded is off by one part at most; the lines as they are published decide.
    part -= position <= _line(part, first, span, parts)
    part += position > _line(part + 1, first, span, parts)
    return np.clip(part, 0, parts - 1)
