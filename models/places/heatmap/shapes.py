"""The shapes of published sectors in degrees: one outline each, however many rectangles it is.

Coordinates are kept as indexes into the few that occur, so that neighbours share them exactly. A
root may reach beyond the edges of the map, where nobody is; shapes end there.
"""

from dataclasses import dataclass

import numpy as np

from kproof.models.base.arrays import Codes, Floats
from kproof.models.places.heatmap.outline_kernel import outlines
from kproof.models.places.heatmap.release import SectorRelease
from kproof.models.places.plane import DECIMALS

MOST = 0.98
"""Share of the count that is shown at first; the rest may be far away."""


@dataclass(frozen=True, eq=False)
class Outlines:
    """Outlines of sectors, built by :func:`shapes`."""

    lon: Floats
    lat: Floats
    """Every coordinate that occurs, ascending."""
    corners: Codes
    """Rows of indexes into ``lon`` and ``lat``, ring after ring, the first one not repeated."""
    starts: Codes
    """Ring r is ``corners[starts[r]:starts[r + 1]]``, counterclockwise unless it is a hole."""
    rings: Codes
    """Rows of sector and part of each ring, ascending; the first of a part is the outer one."""


def shapes(release: SectorRelease, *, split: bool) -> Outlines:
    """Return the outlines of all sectors.

    With ``split``, shapes are cut at the antimeridian and longitudes are from -180 to 180; without,
    they run on beyond, from one edge of the map to the other.
    """
    sector = np.repeat(np.arange(release.sectors), np.diff(release.offsets))
    # Rounded before neighbours are joined, so that their common side is one number.
    sides = degrees(release).round(DECIMALS)
    if split:
        # Three times, a turn apart: what a copy has beyond the globe is clipped to no width.
        turned = [np.clip(sides + np.array([turn, 0, turn, 0]), *_GLOBE) for turn in (-360, 0, 360)]
        sides, sector = np.concatenate(turned).round(DECIMALS), np.tile(sector, 3)
    visible = (sides[:, 0] < sides[:, 2]) & (sides[:, 1] < sides[:, 3])
    sides, sector = sides[visible], sector[visible]
    # The three copies of a sector stand together again.
    order = np.argsort(sector, kind="stable")
    sides, sector = sides[order], sector[order]
    lon, across = np.unique(sides[:, [0, 2]], return_inverse=True)
    lat, up = np.unique(sides[:, [1, 3]], return_inverse=True)
    across, up = across.reshape(-1, 2), up.reshape(-1, 2)
    boxes = np.column_stack([across[:, 0], up[:, 0], across[:, 1], up[:, 1]])
    offsets = np.searchsorted(sector, np.arange(release.sectors + 1))
    return Outlines(lon, lat, *outlines(offsets, boxes))


def frame(release: SectorRelease) -> tuple[float, float, float, float]:
    """Return west, south, east, north of where most people are, with a margin, to be shown first.

    That is around the densest sectors that have :data:`MOST` of the count together. Longitudes run
    on at the antimeridian.
    """
    densest = np.argsort(-release.densities, kind="stable")
    running = np.cumsum(release.counts[densest])
    until = int(np.searchsorted(running, MOST * running[-1])) + 1
    sector = np.repeat(np.arange(release.sectors), np.diff(release.offsets))
    sides = degrees(release)[np.isin(sector, densest[:until])]
    low, high = sides[:, :2].min(axis=0), sides[:, 2:].max(axis=0)
    margin = 0.03 * (high - low)
    west, south = (low - margin).tolist()
    east, north = (high + margin).tolist()
    return west, south, east, north


_GLOBE = (np.array([-180, -90, -180, -90]), np.array([180, 90, 180, 90]))


def degrees(release: SectorRelease) -> Floats:
    """Return west, south, east, north of all rectangles in degrees.

    Longitudes run on at the antimeridian. Where a rectangle is beyond the edges of the map it has
    no width or no height.
    """
    if release.plane is None:
        return release.boxes
    plane = release.plane
    parallel = plane.parallel
    sides = np.empty_like(release.boxes)
    away = np.degrees(release.boxes[:, [0, 2]] / parallel)
    sides[:, [0, 2]] = plane.longitude + np.clip(away, -180, 180)
    sides[:, [1, 3]], _ = plane.degrees(0.0, release.boxes[:, [1, 3]])
    return sides
