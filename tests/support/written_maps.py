"""Heat maps as a reader has them: areas and counts from the text of a GeoJSON file alone.

Nothing of kproof is used. Sides of shapes run along meridians and parallels, as RFC 7946 has it of
straight lines between positions; areas are integrals over bands between parallels.
"""

import json
import math
from bisect import bisect_left
from fractions import Fraction
from itertools import pairwise
from typing import Any

RADIUS = 6_371_007.2
"""Metres; of the sphere with the area of the WGS 84 ellipsoid."""

_NODES = (-0.8611363115940526, -0.3399810435848563, 0.3399810435848563, 0.8611363115940526)
_WEIGHTS = (0.3478548451374538, 0.6521451548625461, 0.6521451548625461, 0.3478548451374538)

Ring = list[tuple[Fraction, Fraction]]


def features(text: str) -> list[dict[str, Any]]:
    """Return count, area, density and rings of each feature, numbers as they are written."""
    found = []
    for one in json.loads(text, parse_float=str, parse_int=str)["features"]:
        parts = one["geometry"]["coordinates"]
        parts = [parts] if one["geometry"]["type"] == "Polygon" else parts
        rings = [[(Fraction(x), Fraction(y)) for x, y in ring] for part in parts for ring in part]
        told = {name: Fraction(value) for name, value in one["properties"].items()}
        found.append({**told, "rings": rings})
    return found


def area(rings: list[Ring]) -> float:
    """Return the area of a shape on the sphere: the integral of its width over latitude."""
    lats = sorted({y for ring in rings for _, y in ring})
    bands = []
    for low, high in pairwise(lats):
        middle = (low + high) / 2
        across = sorted(
            x
            for ring in rings
            for (x, y), (_, z) in pairwise(ring)
            if min(y, z) < middle < max(y, z)
        )
        wide = sum((b - a for a, b in zip(across[::2], across[1::2], strict=True)), Fraction(0))
        bands.append(math.radians(wide) * _of_cosine(low, high))
    return RADIUS**2 * math.fsum(bands)


def _of_cosine(low: Fraction, high: Fraction) -> float:
    """Integrate the cosine between two latitudes by Gauss's rule on parts of at most a degree."""
    steps = max(1, math.ceil(high - low))
    half = (high - low) / steps / 2
    terms = []
    for step in range(steps):
        middle = low + half * (2 * step + 1)
        terms += [
            weight * math.cos(math.radians(middle + half * Fraction(node)))
            for node, weight in zip(_NODES, _WEIGHTS, strict=True)
        ]
    return math.radians(half) * math.fsum(terms)


def rows_inside(rings: list[Ring], spots: list[tuple[Fraction, Fraction]]) -> list[int]:
    """Return which points, longitude and latitude ascending, are in a shape.

    Whoever is on a line is left of it and below; the antimeridian is at 180, and the south pole a
    little north of itself.
    """
    uprights = [
        (x, min(y, z), max(y, z)) for ring in rings for (x, y), (_, z) in pairwise(ring) if y != z
    ]
    first = bisect_left(spots, (min(x for x, _, _ in uprights), Fraction(-91)))
    last = bisect_left(spots, (max(x for x, _, _ in uprights), Fraction(91)))
    found = []
    for row in range(first, last):
        x, y = spots[row]
        up = max(y, Fraction(-90) + Fraction(1, 10**30))
        if sum(x <= at and low < up <= high for at, low, high in uprights) % 2:
            found.append(row)
    return found


def turned(lon: str, lat: str) -> tuple[Fraction, Fraction]:
    """Return a position as it is written, the antimeridian at 180."""
    east = Fraction(lon)
    return (Fraction(180) if east == -180 else east), Fraction(lat)
