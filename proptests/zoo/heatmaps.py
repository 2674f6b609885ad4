"""Broken heat maps: quadtrees over points, each with one fault.

:class:`Tree` is the right way of doing it; every fault overrides one of its steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from kproof.errors import InvalidArgument
from kproof.models.heatmap import SectorRelease, released_sectors
from kproof.models.plane import EARTH_RADIUS, Box, Plane
from kproof.models.points import Points
from kproof.models.registry import Claim, Kind
from kproof.proptests.native import native_subject
from kproof.proptests.zoo.base import Member

Rows = list[int]
Sectors = list[tuple[list[Box], Rows]]


@dataclass
class Tree:
    """A quadtree that publishes sectors of at least k users, without merging."""

    frame: Any
    k: int
    side: float

    def release(self) -> SectorRelease:
        """Publish the sectors of the whole area."""
        self.points = Points.of(self.frame["lat"], self.frame["lon"], users=self.frame["user"])
        everything = list(range(self.points.count))
        self.refuse(everything)
        self.plane = self.middle()
        east, north = self.plane.metres(self.points.lat, self.points.lon)
        self.spots: list[tuple[float, float]] = list(
            zip(east.tolist(), north.tolist(), strict=True)
        )
        root = self.root()
        sectors = self.finished(self.sectors(root, everything))
        counts = [self.size(rows) for _, rows in sectors]
        areas = [sum(map(self.area, boxes)) for boxes, _ in sectors]
        return released_sectors(
            self.points,
            [boxes for boxes, _ in sectors],
            counts=counts,
            areas=areas,
            plane=self.plane,
            root=root,
            counted="users",
            method="quadtree",
            parameters={"min_k": self.k, "min_sector_length": self.side},
        )

    def refuse(self, rows: Rows) -> None:
        """Refuse what no sector can hold."""
        if self.size(rows) < self.k:
            raise InvalidArgument("min_k", self.k, f"at most {self.size(rows)}, the users")

    def middle(self) -> Plane:
        """Return a map around the points, the same whatever their order."""
        lat, lon = (math.fsum(axis.tolist()) for axis in (self.points.lat, self.points.lon))
        whole = max(self.points.count, 1)
        return Plane(max(-89, min(89, round(lat / whole))), round(lon / whole))

    def root(self) -> Box:
        """Return a square on a grid that does not depend on the points."""
        side = float(self.side)
        while True:
            west = min(math.floor(x / side) for x, _ in self.spots) * side
            south = min(math.floor(y / side) for _, y in self.spots) * side
            east, north = west + 2 * side, south + 2 * side
            if all(x <= east and y <= north for x, y in self.spots):
                return Box(west, south, east, north)
            side *= 2

    def size(self, rows: Rows) -> int:
        """Count the users of some points."""
        users = self.points.users
        return 0 if users is None else len(set(users[rows].tolist()))

    def area(self, box: Box) -> float:
        """Measure a rectangle in square metres."""
        return box.width * box.height

    def small(self, box: Box) -> bool:
        """Say whether the quarters of a rectangle would be too small."""
        return min(box.width, box.height) < 2 * self.side

    def parts(self, box: Box, rows: Rows) -> list[Rows]:
        """Share points among the quarters; on a line they go west and south."""
        x, y = (box.west + box.east) / 2, (box.south + box.north) / 2
        found: list[Rows] = [[], [], [], []]
        for row in rows:
            found[(self.spots[row][0] > x) + 2 * (self.spots[row][1] > y)].append(row)
        return found

    def sectors(self, box: Box, rows: Rows) -> Sectors:
        """Publish a rectangle, or its quarters if each is empty or holds k."""
        if self.small(box) or self.size(rows) <= self.k:
            return [([box], rows)]
        parts = self.parts(box, rows)
        if any(0 < self.size(part) < self.k for part in parts):
            return self.short(box, rows, parts)
        return self.quarters(box, parts)

    def quarters(self, box: Box, parts: list[Rows]) -> Sectors:
        """Publish the quarters of a rectangle."""
        return [
            sector
            for quarter, part in zip(box.quarters(), parts, strict=True)
            for sector in self.sectors(quarter, part)
        ]

    def short(self, box: Box, rows: Rows, parts: list[Rows]) -> Sectors:  # noqa: ARG002
        """Publish a rectangle whole of which a quarter is short."""
        return [([box], rows)]

    def finished(self, sectors: Sectors) -> Sectors:
        """Return the sectors as they are published."""
        return sectors
