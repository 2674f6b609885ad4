"""The two readings of QuadTreeHeatMap side by side: what each publishes of the same points.

What a release claims of itself is not believed here: users are counted again, areas measured on the
globe, and the outermost points looked for among the sides that are published.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.places.heatmap.quadtree import quadtree
from kproof.models.places.heatmap.release import SectorRelease
from kproof.models.places.heatmap.shapes import degrees
from kproof.models.places.plane import DECIMALS, Box, globe_area
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
