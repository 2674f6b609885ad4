"""Heat maps: sectors of the plane or the globe with the number of users or points in each.

What a map promises (sectors that cut the area into disjoint parts, enough users in each) is not
decided here: a release records what was published, whatever it is, so that it can be checked.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from kproof.errors import InvalidArgument
from kproof.forms import JsonForm
from kproof.models.base.adjacency import read_only
from kproof.models.base.arrays import Codes, Floats
from kproof.models.base.parameters import format_by_column
from kproof.models.base.verdict import SCHEMA
from kproof.models.places.plane import Box, Plane
from kproof.models.places.points import Points
from kproof.theory.exact.typed import choice


class Counted(StrEnum):
    """What a sector counts."""

    USERS = "users"
    """Each user once in each sector, however many points they have there."""
    LOCATIONS = "locations"
    """Every point; one person with many points is many."""


@dataclass(frozen=True, slots=True)
class Sector:
    """One published sector."""

    boxes: tuple[Box, ...]
    """The rectangles it is made of; more than one if it was merged."""
    count: int
    """Users or locations in it."""
    area: float
    """Square metres."""
    density: float
    """Count by square metre."""

    to_dict = JsonForm("boxes=boxes.sides count area density")


@dataclass(frozen=True, eq=False)
class SectorRelease:
    """A published heat map; built by :func:`seal_sectors`."""

    points: Points
    """The original points."""
    plane: Plane | None
    """The map on which the sectors are drawn, in metres; None if they are in degrees."""
    root: Box | None
    """The published area, that of all sectors together; None if nothing is said of it."""
    offsets: Codes = field(repr=False)
    boxes: Floats = field(repr=False)
    """``boxes[offsets[i]:offsets[i + 1]]`` are sector i's: west, south, east, north."""
    counts: Codes = field(repr=False)
    """Shape (sectors,): users or locations in each, as published."""
    areas: Floats = field(repr=False)
    """Shape (sectors,): square metres, as published."""
    densities: Floats = field(repr=False)
    """Shape (sectors,): count by square metre, as published."""
    counted: Counted
    """What is counted."""
    method: str
    """Name of the anonymizer."""
    parameters: Mapping[str, object]
    """What it was asked for."""

    @property
    def sectors(self) -> int:
        """Number of sectors."""
        return len(self.counts)

    def sector(self, index: int) -> Sector:
        """Return one sector."""
        rows = self.boxes[self.offsets[index] : self.offsets[index + 1]]
        boxes = tuple(Box(*row) for row in rows.tolist())
        area, density = float(self.areas[index]), float(self.densities[index])
        return Sector(boxes, int(self.counts[index]), area, density)

    def summary(self) -> str:
        """Return what was published and what it took, in a few lines."""
        merged = int(np.count_nonzero(np.diff(self.offsets) > 1))
        return (
            f"method: {self.method}({format_by_column(self.parameters)})\n"
            f"published: {self.sectors} sectors, {merged} of them merged\n"
            f"counted: {self.whom}; {self._spread}"
        )

    @property
    def whom(self) -> str:
        """What was counted, in words: persons are users, each once in a sector."""
        if self.counted is Counted.LOCATIONS:
            return f"locations, not persons: {self.points.count}"
        return f"persons, by user: {self.points.people} with {self.points.count} points"

    @property
    def _spread(self) -> str:
        # Of nobody the least is not 0: k is about sectors with somebody in them.
        occupied = self.counts[self.counts > 0]
        if not len(occupied):
            return "nobody in any sector"
        spread = f"{occupied.min()} to {occupied.max()} in a sector"
        empty = self.sectors - len(occupied)
        return spread + (f", none in {empty}" if empty else "")

    @property
    def _sectors_as_published(self) -> tuple[Sector, ...]:
        """The sectors as published."""
        return tuple(map(self.sector, range(self.sectors)))

    to_dict = JsonForm(
        "method parameters points=points.count users=points.people counted plane root=root.sides",
        "sectors=_sectors_as_published",
        schema=SCHEMA,
    )


def seal_sectors(
    points: Points,
    sectors: Iterable[Sequence[Box]],
    *,
    counts: ArrayLike,
    areas: ArrayLike,
    plane: Plane | None,
    root: Box | None,
    counted: Counted | str,
    method: str,
    parameters: Mapping[str, object],
    densities: ArrayLike | None = None,
) -> SectorRelease:
    """Close an anonymizer's work: check that the arrays fit together and seal them.

    Each sector has one or more rectangles, a count of 0 or more, and square metres above 0;
    densities are ``counts / areas`` unless given.

    >>> trips = Points.of([0, 0.0005], [0, 0.0005])
    >>> heat = seal_sectors(
    ...     trips, [[Box(0, 0, 128, 128)]], counts=[2], areas=[16384], plane=Plane(0, 0),
    ...     root=Box(0, 0, 128, 128), counted="locations", method="by hand", parameters={}
    ... )
    >>> heat.sectors, heat.sector(0).density
    (1, 0.0001220703125)
    """
    counted = choice("counted", counted, Counted)
    if counted == Counted.USERS and points.users is None:
        raise InvalidArgument("counted", counted, "locations, as nothing is known of users")
    parts = [tuple(boxes) for boxes in sectors]
    if not all(parts):
        raise InvalidArgument("sectors", "one without a box", "at least one box in each")
    number, measured = np.array(counts), np.array(areas, dtype=np.float64)
    if number.shape != (len(parts),) or (number.dtype.kind not in "iu" and len(parts)):
        raise InvalidArgument("counts", counts, f"{len(parts)} whole numbers")
    if measured.shape != (len(parts),) or not (np.isfinite(measured) & (measured > 0)).all():
        raise InvalidArgument("areas", areas, f"{len(parts)} finite numbers above 0")
    dense = number / measured if densities is None else np.array(densities, dtype=np.float64)
    if dense.shape != measured.shape:
        raise InvalidArgument("densities", dense.shape, f"shape ({len(parts)},)")
    # Of no sectors NumPy makes an array without a second axis.
    rows = np.array([box.sides for part in parts for box in part], dtype=np.float64).reshape(-1, 4)
    for array in (rows, measured, dense):
        array.flags.writeable = False
    return SectorRelease(
        points=points,
        plane=plane,
        root=root,
        offsets=read_only(np.cumsum([0, *map(len, parts)])),
        boxes=rows,
        counts=read_only(number),
        areas=measured,
        densities=dense,
        counted=Counted(counted),
        method=method,
        parameters=dict(parameters),
    )
