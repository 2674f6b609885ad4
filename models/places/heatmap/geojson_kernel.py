"""The compiled part of writing GeoJSON: texts put one after another.

The same few coordinates and figures occur time and again, so that each is written once, as a piece
of text, and a document is a list of pieces.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.arrays import Codes
from kproof.models.base.compiled import compile_kernel

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
