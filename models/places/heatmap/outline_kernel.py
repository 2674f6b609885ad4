"""The compiled part of drawing sectors: the outline of a few rectangles joined along their sides.

Coordinates are whole numbers, indexes into sorted lists of coordinates. Outlines are those of
RFC 7946: the outer ring has the area on its left, rings of holes have it on theirs too. Where two
parts of the area touch at a corner, rings part, so that no ring touches itself.

The compiled part of writing GeoJSON: texts put one after another.

The same few coordinates and figures occur time and again, so that each is written once, as a piece
of text, and a document is a list of pieces.
"""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.arrays import Codes, Flags
from kproof.models.base.compiled import compile_kernel
from kproof.models.places.heatmap.quadtree_kernel import lengthen

_EAST, _NORTH = (1, 0, -1, 0), (0, 1, 0, -1)


@compile_kernel(steps=lambda offsets: 10 * (np.diff(offsets) ** 2).sum())
def outlines(offsets: Codes, boxes: Codes) -> tuple[Codes, Codes, Codes]:
    """Return the outlines of areas made of rectangles, rows of west, south, east, north.

    The rectangles of area i are ``boxes[offsets[i]:offsets[i + 1]]``. Returned are the corners of
    all rings, rows of x and y, the first of a ring not repeated; starts of rings, with the end of
    the last; and rows of area and connected part, from 0, of each ring. The rings of a part are
    together, the outer one first.
    """
    # What is returned, with room to grow: x and y of a corner, the first corner of each ring and
    # the end of the last, and area and part of each ring. ``used`` corners and ``rings`` are there.
    corners = np.empty((4 * len(offsets), 2), dtype=np.int64)
    starts = np.zeros((len(offsets) + 1, 1), dtype=np.int64)
    whose = np.empty((len(offsets), 2), dtype=np.int64)
    used, rings = 0, 0
    for area in range(len(offsets) - 1):
        rectangles = boxes[offsets[area] : offsets[area + 1]]
        if len(rectangles) == 0:
            continue
        if len(rectangles) == 1:
            # Most areas are one rectangle, whose ring needs no grid: counterclockwise from the
            # south-western corner, as the general case has it.
            corners = lengthen(corners, used + 4)
            starts, whose = lengthen(starts, rings + 2), lengthen(whose, rings + 1)
            for corner in range(4):
                corners[used + corner, 0] = rectangles[0, 2 if 0 < corner < 3 else 0]
                corners[used + corner, 1] = rectangles[0, 3 if corner > 1 else 1]
            used += 4
            whose[rings, 0], whose[rings, 1] = area, 0
            rings += 1
            starts[rings, 0] = used
            continue
        # The lines on which sides are cut the area into a grid of few cells, whatever its extent.
        xs = _union(rectangles[:, 0], rectangles[:, 2])
        ys = _union(rectangles[:, 1], rectangles[:, 3])
        part_of, parts = _parts(rectangles, xs, ys)
        for part in range(parts):
            sides = _sides(part_of, part)
            # Sides that are on no ring yet. Each ring takes the one it begins with, so that the
            # scan meets each ring once.
            left = sides.copy()
            # The lowest side of the lowest cell is on the outer ring, which is thus the first.
            for row in range(sides.shape[1]):
                for column in range(sides.shape[0]):
                    if not left[column, row, 0]:
                        continue
                    ring = _ring(sides, left, column, row)
                    corners = lengthen(corners, used + len(ring))
                    starts, whose = lengthen(starts, rings + 2), lengthen(whose, rings + 1)
                    for corner in range(len(ring)):
                        corners[used, 0] = xs[ring[corner, 0]]
                        corners[used, 1] = ys[ring[corner, 1]]
                        used += 1
                    whose[rings, 0], whose[rings, 1] = area, part
                    rings += 1
                    starts[rings, 0] = used
    return corners[:used], starts[: rings + 1, 0], whose[:rings]


def _union(low: Codes, high: Codes) -> Codes:
    """Return the distinct values of two short arrays in ascending order."""
    # An area has a few rectangles: inserting is several times faster than a general sort.
    distinct = np.empty(2 * len(low), dtype=np.int64)
    used = 0
    for index in range(2 * len(low)):
        value = low[index // 2] if index % 2 == 0 else high[index // 2]
        place = used
        while place > 0 and distinct[place - 1] >= value:
            place -= 1
        if place < used and distinct[place] == value:
            continue
        for after in range(used, place, -1):
            distinct[after] = distinct[after - 1]
        distinct[place] = value
        used += 1
    return distinct[:used]


def _parts(rectangles: Codes, xs: Codes, ys: Codes) -> tuple[Codes, int]:
    """Return the connected part of each cell of the grid of all sides, -1 outside."""
    # By column and row: -1 outside, -2 inside a rectangle and not reached yet, else the part.
    part_of = np.full((len(xs) - 1, len(ys) - 1), -1, dtype=np.int64)
    for box in rectangles:
        west, east = np.searchsorted(xs, box[0]), np.searchsorted(xs, box[2])
        south, north = np.searchsorted(ys, box[1]), np.searchsorted(ys, box[3])
        part_of[west:east, south:north] = -2
    queue = np.empty((part_of.size, 2), dtype=np.int64)
    parts = 0
    for row in range(part_of.shape[1]):
        for column in range(part_of.shape[0]):
            if part_of[column, row] != -2:
                continue
            # Breadth first; a cell is marked when it enters the queue, so that it enters once.
            part_of[column, row] = parts
            queue[0, 0], queue[0, 1] = column, row
            front, last = 0, 1
            while front < last:
                x, y = queue[front, 0], queue[front, 1]
                front += 1
                for way in range(4):
                    i, j = x + _EAST[way], y + _NORTH[way]
                    if _at(part_of, i, j) == -2:
                        part_of[i, j] = parts
                        queue[last, 0], queue[last, 1] = i, j
                        last += 1
            parts += 1
    return part_of, parts


def _at(part_of: Codes, column: int, row: int) -> int:
    on_grid = 0 <= column < part_of.shape[0] and 0 <= row < part_of.shape[1]
    return part_of[column, row] if on_grid else -1


def _sides(part_of: Codes, part: int) -> Flags:
    """Return where a ring goes on from each corner: east, north, west or south."""
    # A side goes counterclockwise around its cell: the southern one east, the eastern one north.
    # Between two cells of the part there is none. At a corner, one side goes each way at most.
    across, up = part_of.shape
    sides = np.zeros((across + 1, up + 1, 4), dtype=np.bool_)
    for column in range(across):
        for row in range(up):
            if part_of[column, row] != part:
                continue
            sides[column, row, 0] = _at(part_of, column, row - 1) != part
            sides[column + 1, row, 1] = _at(part_of, column + 1, row) != part
            sides[column + 1, row + 1, 2] = _at(part_of, column, row + 1) != part
            sides[column, row + 1, 3] = _at(part_of, column - 1, row) != part
    return sides


def _ring(sides: Flags, left: Flags, column: int, row: int) -> Codes:
    """Return the corners of the ring that goes east from a corner; its sides are left no more."""
    turns = np.empty((sides.size, 2), dtype=np.int64)
    used, way = 0, 0
    x, y = column, row
    # Every corner has as many sides that end as that begin, so that the walk comes back to its
    # first side, which is then no longer left.
    while left[x, y, way]:
        left[x, y, way] = False
        x, y = x + _EAST[way], y + _NORTH[way]
        # Right, ahead, left: at a corner where two cells touch, right leads to the other one.
        for turn in (3, 0, 1):
            onward = (way + turn) % 4
            if sides[x, y, onward]:
                break
        if onward != way:
            turns[used, 0], turns[used, 1] = x, y
            used += 1
        way = onward
    return turns[:used].copy()


Bytes = NDArray[np.uint8]


class Fixed(IntEnum):
    """The pieces that every document has, as indexes into :data:`TEXTS`."""

    POLYGON = 0
    POLYGONS = 1
    POSITION = 2
    RING = 3
    PART = 4
    POLYGON_END = 5
    POLYGONS_END = 6
    AREA = 7
    DENSITY = 8
    END = 9


TEXTS = (
    '{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[',
    '{"type":"Feature","geometry":{"type":"MultiPolygon","coordinates":[[[',
    ",",
    "],[",
    "]],[[",
    ']]},"properties":{"count":',
    ']]]},"properties":{"count":',
    ',"area":',
    ',"density":',
    "}},\n",
)


@compile_kernel(steps=lambda corners, rings: corners.size + 5 * len(rings))
def pieces_of(corners: Codes, starts: Codes, rings: Codes, figures: Codes) -> tuple[Codes, int]:
    """Return the pieces of all features, and how many features there are.

    ``corners`` and ``figures`` have pieces: of the longitude and latitude of each corner, and of
    the count, area and density of each sector. ``starts`` and ``rings`` are those of
    :class:`~kproof.models.places.heatmap.shapes.Outlines`.
    """
    # A corner takes two pieces and a comma; a ring one before it, two for its first corner again
    # and, if it ends a feature, seven.
    pieces = np.empty(3 * len(corners) + 10 * len(rings), dtype=np.int64)
    used, features, last = 0, 0, len(rings) - 1
    for ring in range(len(rings)):
        sector, part = rings[ring]
        if ring == 0 or rings[ring - 1, 0] != sector:
            features += 1
            # Parts are numbered, so that the last ring of a sector tells how many there are.
            end = ring
            while end < last and rings[end + 1, 0] == sector:
                end += 1
            several = rings[end, 1] > 0
            pieces[used] = Fixed.POLYGONS if several else Fixed.POLYGON
        else:
            pieces[used] = Fixed.RING if rings[ring - 1, 1] == part else Fixed.PART
        used += 1
        # GeoJSON closes a ring with its first position.
        first = starts[ring]
        for corner in range(first, starts[ring + 1] + 1):
            source = corner if corner < starts[ring + 1] else first
            if corner > first:
                pieces[used] = Fixed.POSITION
                used += 1
            pieces[used], pieces[used + 1] = corners[source]
            used += 2
        if ring == end:
            pieces[used] = Fixed.POLYGONS_END if several else Fixed.POLYGON_END
            pieces[used + 1] = figures[sector, 0]
            pieces[used + 2] = Fixed.AREA
            pieces[used + 3] = figures[sector, 1]
            pieces[used + 4] = Fixed.DENSITY
            pieces[used + 5] = figures[sector, 2]
            pieces[used + 6] = Fixed.END
            used += 7
    return pieces[:used], features


@compile_kernel(steps=lambda pieces, offsets: (offsets[pieces + 1] - offsets[pieces]).sum() // 3)
def concatenate(pieces: Codes, texts: Bytes, offsets: Codes) -> Bytes:
    """Return pieces one after another; piece i is ``texts[offsets[i]:offsets[i + 1]]``."""
    # Byte by byte: pieces are a few bytes long, for which a slice each would take longer.
    document = np.empty((offsets[pieces + 1] - offsets[pieces]).sum(), dtype=np.uint8)
    used = 0
    for piece in pieces:
        for place in range(offsets[piece], offsets[piece + 1]):
            document[used] = texts[place]
            used += 1
    return document
