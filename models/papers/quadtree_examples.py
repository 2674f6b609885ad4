"""Small towns that show what a heat map tells: the evidence of its ledger.

Every function returns plain values, so that a line of Python and its value say it all.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kproof.models.papers.quadtree_readings import figures_of
from kproof.models.places.heatmap.quadtree import quadtree
from kproof.models.places.plane import EARTH_RADIUS
from kproof.models.places.points import Points

_METRE = math.degrees(1 / EARTH_RADIUS)


def town(people: str, *, latitude: float = 0) -> Points:
    """Return points in blocks of 100 m: rows from north to south, blocks from west to east.

    A letter is a point of that user in the middle of its block; ``|`` ends a block, ``/`` a row.

    >>> points = town("ab|/|aa")
    >>> points.count, points.people
    (4, 2)
    """
    rows = people.split("/")[::-1]
    spots = [
        (latitude + (100 * north + 50) * _METRE, 0.5 + (100 * east + 50) * _METRE, user)
        for north, row in enumerate(rows)
        for east, block in enumerate(row.split("|"))
        for user in block
    ]
    lat, lon, users = zip(*spots, strict=True)
    return Points.of(lat, lon, users=users)


def counts(people: str, **options: Any) -> tuple[int, ...]:
    """Return the counts of a town's sectors, from the south-west on.

    >>> counts("aa|bb/cc|dd", min_k=2), counts("aa|bb/cc|dd", min_k=2, count="locations")
    ((2, 2), (2, 2, 2, 2))
    """
    return tuple(quadtree(town(people), **options).counts.tolist())


def fewest_users(people: str, **options: Any) -> int:
    """Return the fewest different users in a sector of a town that is not empty.

    >>> fewest_users("aa|bb/cc|dd", min_k=2, count="locations")
    1
    """
    return figures_of(quadtree(town(people), **options)).people


def rectangles(people: str, **options: Any) -> tuple[int, ...]:
    """Return how many squares each sector of a town is made of.

    >>> rectangles("ab|cd/e|fg", min_k=2)
    (2, 1, 1)
    """
    heat = quadtree(town(people), **options)
    return tuple(np.diff(heat.offsets).tolist())


def extremes_shown(people: str, **options: Any) -> int:
    """Return how many of the four outermost coordinates of a town's points are published.

    >>> extremes_shown("ab|/|cd", min_k=2, reading="printed")
    4
    """
    return figures_of(quadtree(town(people), **options)).extremes


def area_factor(latitude: float, **options: Any) -> float:
    """Return the factor by which the area of a town at some latitude is too large.

    >>> area_factor(60, reading="printed"), area_factor(60)
    (4.01, 1.0)
    """
    heat = quadtree(town("abc|/|def", latitude=latitude), **options)
    return round(figures_of(heat).area_error, 2)


def share_covered(people: str, **options: Any) -> float:
    """Return the share of the root's area that has a sector.

    >>> share_covered("ab|/|cd", min_k=2, empty="omit"), share_covered("ab|/|cd", min_k=2)
    (0.5, 1.0)
    """
    heat, full = (
        quadtree(town(people), **options),
        quadtree(town(people), **{**options, "empty": "publish"}),
    )
    return float(heat.areas.sum() / full.areas.sum())
