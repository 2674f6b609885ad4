"""Small towns that show what a heat map tells: the evidence of its ledger.

Every function returns plain values, so that a line of Python and its value say it all.

The two readings of QuadTreeHeatMap side by side: what each publishes of the same points.

What a release claims of itself is not believed here: users are counted again, areas measured on the
globe, and the outermost points looked for among the sides that are published.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.places.heatmap.quadtree import quadtree
from kproof.models.places.heatmap.release import SectorRelease
from kproof.models.places.heatmap.shapes import degrees
from kproof.models.places.plane import DECIMALS, EARTH_RADIUS, Box, globe_area
from kproof.models.places.points import Points
from kproof.theory.reading import PRINTED_OR_CORRECTED, Reading


@dataclass(frozen=True, slots=True)
class ReadingFigures:
    """What one reading publishes."""

    reading: Reading
    """Which one it is."""
    sectors: int
    """How many, those without anybody included."""
    people: int
    """Fewest users in a sector that is not empty; points, if nothing is known of users."""
    short: int
    """Sectors that are not empty with fewer than ``min_k`` of them."""
    extremes: int
    """How many of the four outermost coordinates of the points are published."""
    area_error: float
    """Largest factor by which an area is too large."""


def compare(points: Points, **options: Any) -> tuple[ReadingFigures, ReadingFigures]:
    """Return what the printed and the corrected reading publish of the same points.

    ``options`` are parameters of :func:`~kproof.models.places.heatmap.quadtree.quadtree`, for both.
    Each counts what is its default; points without users need ``count="locations"``.

    >>> rng = np.random.default_rng(0)
    >>> lat, lon = 60 + rng.normal(0, 0.02, 500), 25 + rng.normal(0, 0.04, 500)
    >>> printed, corrected = compare(Points.of(lat, lon, users=rng.integers(0, 60, 500)))
    >>> printed.short > 0, printed.extremes, round(printed.area_error, 1)
    (True, 4, 4.0)
    >>> corrected.short, corrected.extremes, corrected.area_error
    (0, 0, 1.0)
    """
    printed, corrected = (
        figures_of(quadtree(points, reading=reading, **options)) for reading in PRINTED_OR_CORRECTED
    )
    return printed, corrected


def figures_of(release: SectorRelease) -> ReadingFigures:
    """Return what a release of quadtree publishes."""
    people = people_in(release)
    people, points, sides = people[people > 0], release.points, degrees(release)
    lon = points.lon
    if release.plane is not None:
        # As the sides have them: around the middle of the map, past the antimeridian if need be.
        lon = release.plane.longitude + np.mod(lon - release.plane.longitude + 180, 360) - 180
    extent = np.concatenate([sides[:, :2].min(axis=0), sides[:, 2:].max(axis=0)])
    outermost = [lon.min(), points.lat.min(), lon.max(), points.lat.max()]
    areas = np.add.reduceat([globe_area(Box(*box)) for box in sides.tolist()], release.offsets[:-1])
    return ReadingFigures(
        reading=Reading(str(release.parameters["reading"])),
        sectors=release.sectors,
        people=int(people.min()),
        short=int(np.count_nonzero(people < int(str(release.parameters["min_k"])))),
        extremes=int(np.count_nonzero(np.abs(extent - outermost) < 10.0**-DECIMALS)),
        area_error=round(float((release.areas / areas).max()), 6),
    )


def people_in(release: SectorRelease) -> Codes:
    """Count users (points without users) in each sector; one on a border counts on both sides."""
    points = release.points
    # In degrees here, in metres below: more than rounding moves a border or a point on it.
    x, y, margin = points.lon, points.lat, 1e-9
    if release.plane is not None:
        x, y = release.plane.metres(points.lat, points.lon)
        margin = 1e-6
    user_of_point = np.arange(points.count) if points.users is None else points.users
    order = np.argsort(x, kind="stable")
    x, y, user_of_point = x[order], y[order], user_of_point[order]
    counts = np.zeros(release.sectors, dtype=np.int64)
    firsts = np.searchsorted(x, release.boxes[:, 0] - margin)
    lasts = np.searchsorted(x, release.boxes[:, 2] + margin, side="right")
    for sector in range(release.sectors):
        members = []
        for box in range(release.offsets[sector], release.offsets[sector + 1]):
            column = slice(firsts[box], lasts[box])
            _, south, _, north = release.boxes[box]
            level = (y[column] >= south - margin) & (y[column] <= north + margin)
            members.append(user_of_point[column][level])
        counts[sector] = len(np.unique(np.concatenate(members)))
    return counts


_METRE = math.degrees(1 / EARTH_RADIUS)


def town(people: str, *, latitude: float = 0) -> Points:
    """Return points in blocks of 100 m: rows from north to south, blocks from west to east.

    A letter is a point of that user in the middle of its block; ``|`` ends a block, ``/`` a row.

    >>> points = town("ab|/|aa")
    >>> points.count, points.people
    (4, 2)
    """
    # Written from the north, and counted from the south as latitudes are.
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
    heat = quadtree(town(people), **options)
    full = quadtree(town(people), **{**options, "empty": "publish"})
    return float(heat.areas.sum() / full.areas.sum())
