"""QuadTreeHeatMap: a map cut into squares, finer where there are more people, at least k in each.

After "QuadTreeHeatMap" of the trajectory toolkit built on Domingo-Ferrer, Martínez and Sánchez,
"Decentralized k-anonymization of trajectories via privacy-preserving tit-for-tat", Computer
Communications 190 (2022), 57-68. The corrected reading, the default, mends what the description
leaves open or gets wrong; the printed one is there to be compared with
(:mod:`kproof.models.papers.quadtree_examples`).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import numpy as np

from kproof.errors import Infeasible, InvalidArgument, show
from kproof.models.base.adjacency import read_only
from kproof.models.base.arrays import Codes
from kproof.models.places.heatmap.lattice import Lattice, enclose_points, snap_points
from kproof.models.places.heatmap.quadtree_kernel import sectors
from kproof.models.places.heatmap.release import Counted, SectorRelease
from kproof.models.places.plane import Box
from kproof.models.places.points import Points
from kproof.theory.exact.typed import Number, choice, integer, rational
from kproof.theory.reading import PRINTED_OR_CORRECTED, Reading

SHORTEST, LONGEST = 1, 10_000_000
"""Metres between which ``min_sector_length`` may be."""

MOST_NAMED = 20
"""Columns that a message names."""


class Empty(StrEnum):
    """What becomes of a quarter without anybody in it."""

    PUBLISH = "publish"
    """It is a sector of its own, with a count of 0."""
    MERGE = "merge"
    """It is short like any other."""
    OMIT = "omit"
    """It is left out, and what is left out can be seen to be empty."""


def quadtree(
    points: Points,
    *,
    min_k: Number = 5,
    min_sector_length: Number = 100,
    merge_sectors: bool = True,
    split_n_locations: Number | None = None,
    count: Counted | str | None = None,
    empty: Empty | str | None = None,
    reading: Reading | str = Reading.CORRECTED,
) -> SectorRelease:
    """Publish how many people are where, in sectors of at least k.

    A square with more than ``split_n_locations`` is cut into quarters while their sides are at
    least ``min_sector_length``. Whoever stands on a line belongs to its left and lower side. A
    quarter that is not empty and has fewer than ``min_k`` is *short*.

    - Without merging, a square with a short quarter is published whole.
    - With merging, the shortest quarter joins a neighbour along an edge: the smallest with which it
      has k, else the largest, and so on until none is short. If such a union has 2 ``min_k`` or
      more, the fullest square in it is cut in turn, and the others join one of its quarters.

    Args:
        points: Positions; with or without users.
        min_k: Fewest in a sector that is not empty, 1 or more.
        min_sector_length: Least side of a sector in metres, 1 to 10,000,000.
        merge_sectors: Whether short quarters are merged.
        split_n_locations: Most in a square that is not cut, at least ``min_k``, its default.
        count: ``"users"`` or ``"locations"``. Unless given, users in the corrected and locations in
            the printed reading; where nothing is known of users it has to be given.
        empty: ``"publish"``, ``"merge"`` or ``"omit"``. Unless given, they are published in the
            corrected and left out in the printed reading.
        reading: ``"corrected"``: users are counted on an equal-area map, in metres, from a root
            that the extreme users do not show. ``"printed"``: locations are counted, as described,
            on a Web-Mercator map, in degrees, in the bounding box of the data.

    Fewer than ``min_k``, or a bounding box without an inside, are Infeasible.

    >>> from kproof.models.places.points import Points
    >>> trips = Points.of([0.0005] * 5 + [0.0015] * 6, [0.5005] * 5 + [0.5015] * 6)
    >>> heat = quadtree(trips, min_k=5, count="locations")
    >>> heat.counts.tolist(), round(heat.root.width)
    ([5, 0, 0, 6], 200)
    """
    reading = choice("reading", reading, PRINTED_OR_CORRECTED)
    printed = reading is Reading.PRINTED
    k = integer("min_k", min_k, least=1)
    most = k if split_n_locations is None else split_n_locations
    if (split := integer("split_n_locations", most, least=1)) < k:
        raise InvalidArgument("split_n_locations", split, f"at least min_k = {k}")
    length = rational("min_sector_length", min_sector_length)
    if not SHORTEST <= length <= LONGEST:
        admissible = f"{SHORTEST} to {LONGEST} metres"
        raise InvalidArgument("min_sector_length", min_sector_length, admissible)
    if not isinstance(merge_sectors, (bool, np.bool_)):
        raise InvalidArgument("merge_sectors", merge_sectors, "True or False")
    counted = choose_count(points, count, reading)
    empties = choice("empty", empty or ("omit" if printed else "publish"), Empty)
    total = points.people if counted is Counted.USERS else points.count
    if total is None or total < k:
        raise Infeasible(f"{total} {counted}; need at least min_k = {k}")
    lattice = enclose_points(points, length) if printed else snap_points(points, length)
    codes, whose = _in_order(lattice, points.users if counted is Counted.USERS else None)
    fill = empties is Empty.MERGE
    people, side = (total if len(whose) else 0), 1 << lattice.depth
    # Where there are no more than that, no square is cut: the kernel's integers have 64 bits.
    cut_above = min(split, max(points.count, k))
    squares, counts = sectors(codes, whose, people, side, k, cut_above, bool(merge_sectors), fill)
    parameters = {
        "min_k": k,
        "min_sector_length": int(length) if length.denominator == 1 else float(length),
        "merge_sectors": bool(merge_sectors),
        "split_n_locations": split,
        "count": str(counted),
        "empty": str(empties),
        "reading": reading.value,
    }
    return _release(points, lattice, squares, counts, empties, counted, parameters)


def choose_count(points: Points, count: Counted | str | None, reading: Reading) -> Counted:
    """Return what is counted; locations are, where nobody knows whose they are, only on demand."""
    chosen = None if count is None else choice("count", count, Counted)
    if points.users is None and chosen is not Counted.LOCATIONS:
        admissible = "locations, as nothing is known of users"
        if points.others:
            names = ", ".join(map(show, points.others[:MOST_NAMED]))
            unnamed = len(points.others) - MOST_NAMED
            names += f" or one of {unnamed} more" if unnamed > 0 else ""
            admissible += f"; or name the column of users, which may be {names}"
        raise InvalidArgument("count", count, admissible)
    if chosen is None:
        return Counted.LOCATIONS if reading is Reading.PRINTED else Counted.USERS
    return chosen


def _in_order(lattice: Lattice, users: Codes | None) -> tuple[Codes, Codes]:
    """Return the codes in ascending order and the user of each, if they count."""
    if users is None:
        return np.sort(lattice.codes), np.zeros(0, dtype=np.int64)
    # Not stable: of the points of one cell users are counted as a set, whatever their order.
    order = np.argsort(lattice.codes)
    return lattice.codes[order], users[order]


def _release(
    points: Points,
    lattice: Lattice,
    squares: Codes,
    counts: Codes,
    empties: Empty,
    counted: Counted,
    parameters: Mapping[str, object],
) -> SectorRelease:
    boxes, areas = lattice.boxes(*squares[:, :3].T)
    # What is beyond the edges of the map, where nobody is, is not there.
    present = areas > 0
    if empties is Empty.OMIT:
        present &= counts[squares[:, 3]] > 0
    squares, boxes, areas = squares[present], boxes[present], areas[present]
    # The squares of a sector stand together, and a sector all of which is beyond is gone.
    firsts = np.flatnonzero(np.diff(squares[:, 3], prepend=-1))
    counts, sector_areas = counts[squares[firsts, 3]], np.add.reduceat(areas, firsts)
    # Without their empty sectors, the rest need not fill a rectangle.
    root = None
    if empties is not Empty.OMIT:
        root = Box(*boxes[:, :2].min(axis=0).tolist(), *boxes[:, 2:].max(axis=0).tolist())
    densities = counts / sector_areas
    for array in (boxes, sector_areas, densities):
        array.flags.writeable = False
    return SectorRelease(
        points=points,
        plane=lattice.plane,
        root=root,
        offsets=read_only(np.append(firsts, len(squares))),
        boxes=boxes,
        counts=read_only(counts),
        areas=sector_areas,
        densities=densities,
        counted=counted,
        method="quadtree",
        parameters=parameters,
    )
