"""Heat maps on squares that are there already: those of a file, such as an earlier map."""

from __future__ import annotations

import numpy as np

from kproof.errors import DataError, Infeasible
from kproof.models.base.adjacency import read_only
from kproof.models.base.arrays import Codes
from kproof.models.places.heatmap.map_files import CommonLattice, MapFile
from kproof.models.places.heatmap.quadtree import choose_count
from kproof.models.places.heatmap.release import Counted, SectorRelease
from kproof.models.places.kinds import KindsAsked, KindsJudged
from kproof.models.places.plane import DECIMALS, EARTH_RADIUS
from kproof.models.places.points import Points
from kproof.theory.exact.typed import Number, integer
from kproof.theory.reading import Reading


def count_in(squares: MapFile, points: Points, counted: Counted) -> Codes:
    """Return how many users or locations are in each square; on a line in the left, lower one."""
    lattice = CommonLattice.of(squares)
    at = lattice.squares_at(lattice.labels(squares), points.lat, points.lon)
    inside = at >= 0
    if counted is Counted.USERS:
        assert points.users is not None
        # Each pair of a square and a user once, however many points they have there.
        pairs = np.column_stack([at[inside], points.users[inside]])
        return np.bincount(np.unique(pairs, axis=0)[:, 0], minlength=squares.squares)
    return np.bincount(at[inside], minlength=squares.squares)


def judge_map_kinds(
    demand: KindsAsked, squares: MapFile, points: Points, source: str
) -> KindsJudged:
    """Judge the kinds of place of the points of a file in the squares of a map."""
    lattice = CommonLattice.of(squares)
    cells = lattice.labels(squares)
    degrees = points.lat, points.lon
    kinds = demand.read(source, points.line, degrees)
    at = lattice.squares_at(cells, *degrees)
    place = at if kinds.degrees is None else lattice.squares_at(cells, *kinds.degrees)
    inside = np.flatnonzero(at >= 0)
    if not len(inside):
        raise DataError(f"{squares.source}: no position of {source} is in a square")
    person = None if points.users is None else points.users[inside]
    return demand.judge(at[inside], kinds, inside, (at == place)[inside], person=person)


def map_on(
    squares: MapFile, points: Points, *, min_k: Number = 5, count: Counted | str | None = None
) -> SectorRelease:
    """Return the heat map on fixed squares; those with fewer than k are left out, empty ones too.

    A square that is left out has none to k - 1: were empty squares shown, the others that are left
    out would be known to have somebody. Whoever is in no square is not counted.

    Raises:
        Infeasible: If no square has k.
    """
    k = integer("min_k", min_k, least=1)
    counted = choose_count(points, count, Reading.CORRECTED)
    counts = count_in(squares, points, counted)
    shown = np.flatnonzero(counts >= k)
    if not len(shown):
        raise Infeasible(f"no square of {squares.source} has min_k = {k}; {counts.max()} at most")
    rows = np.isin(squares.owner, shown)
    boxes = squares.rectangles[rows] / 10**DECIMALS
    offsets = np.append(0, np.cumsum(np.diff(squares.offsets)[shown]))
    sines = np.diff(np.sin(np.radians(boxes[:, [1, 3]])), axis=1)[:, 0]
    by_box = EARTH_RADIUS**2 * np.radians(boxes[:, 2] - boxes[:, 0]) * sines
    # Every square has a rectangle; of none, reduceat would return its neighbour's area.
    areas = np.add.reduceat(by_box, offsets[:-1])
    densities = counts[shown] / areas
    for array in (boxes, areas, densities):
        array.flags.writeable = False
    return SectorRelease(
        points=points,
        plane=None,
        root=None,
        offsets=read_only(offsets),
        boxes=boxes,
        counts=read_only(counts[shown]),
        areas=areas,
        densities=densities,
        counted=counted,
        method="quadtree",
        parameters={"min_k": k, "count": str(counted), "cells": squares.source},
    )
