"""Cells that people are shown in: a binary tree from roads, or from a grid of the globe.

They are made from the roads and the parameters alone, never from people: what decides where a cell
ends is public, so that the cells themselves tell nothing of anybody.

A city cut into a binary tree of connected cells, from its roads alone.

A set of crossings is halved by the distance from its far end. The nearer half is connected, as
shortest paths stay in it. The farther half may be in pieces; the largest stays, and what falls off
joins the nearer half, which it touches.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from typing import Any

import numpy as np

from kproof.errors import DataError
from kproof.models.base.arrays import Codes, Floats, read_only
from kproof.models.moving.labels import HEIGHT, HIDDEN, common, depths, labels_at, spans
from kproof.models.moving.terms import LEAST_NODES, LEAST_STREET
from kproof.models.places.city.city import City, Coordinates
from kproof.models.places.plane import DECIMALS, EARTH_RADIUS, Plane, plane_around
from kproof.models.places.points import Points

LARGEST_PART = 0.9
"""Share of the crossings that the largest part of a city has, at least."""

ZONE = 100_000
"""Metres from south to north in which columns of a grid are straight; no cell is larger."""


class CellTree(ABC):
    """A binary tree of places; its leaves have codes of :attr:`height` bits."""

    @property
    @abstractmethod
    def height(self) -> int:
        """Bits of a code."""

    @abstractmethod
    def codes(self, lat: Floats, lon: Floats) -> tuple[Codes, Floats]:
        """Return the code of each position, and the metres to where it is taken to be."""

    @abstractmethod
    def widths(self, labels: Codes) -> Floats:
        """Return the longer side in metres of each cell's box; infinite if hidden or too large."""

    @abstractmethod
    def outline(self, label: int) -> tuple[Floats, Floats]:
        """Return latitudes and longitudes of the corners around a cell, in their order."""

    def common(self, least: Codes, most: Codes) -> Codes:
        """Return the smallest cell that has the codes from ``least`` to ``most``."""
        return common(least, most, self.height)

    def widest(self, codes: Codes, metres: float) -> Codes:
        """Return the largest cell around each code that is no wider; hidden where there is none."""
        distinct, place = np.unique(codes, return_inverse=True)
        labels = np.full(len(distinct), HIDDEN)
        for depth in range(self.height, -1, -1):
            around = labels_at(distinct, depth, self.height)
            # A cell is no wider than those around it.
            labels = np.where(self.widths(around) <= metres, around, labels)
        return labels[place.reshape(-1)]


@dataclass(frozen=True, eq=False)
class RoadCells(CellTree):
    """Cells of crossings; built by :meth:`of`, or read from a file."""

    lat: Floats = field(repr=False)
    lon: Floats = field(repr=False)
    """Shape (crossings,): degrees."""
    leaf: Codes = field(repr=False)
    """Shape (crossings,): label of the smallest cell of each."""
    left_out: int = 0
    """Crossings of the city that no street joins with the largest part."""

    @classmethod
    def of(
        cls,
        city: City,
        *,
        least_nodes: object = LEAST_NODES.default,
        least_street: object = LEAST_STREET.default,
    ) -> RoadCells:
        """Return the cells of a city's largest part, by walking distance.

        Raises:
            DataError: If the city has no coordinates in degrees, or is in pieces: its largest part
                has less than :data:`LARGEST_PART` of the crossings.

        >>> town = City.of([0] * 4, [(0, 1), (1, 2), (2, 3)], x=[0, 0.01, 0.02, 0.03], y=[0] * 4,
        ...                coordinates="degrees")
        >>> [int(label) for label in RoadCells.of(town, least_nodes=2).leaf]
        [3, 3, 2, 2]
        """
        least = LEAST_NODES.read(least_nodes)
        metres = LEAST_STREET.read(least_street)
        if city.x is None or city.y is None or city.coordinates is not Coordinates.DEGREES:
            raise DataError("the crossings have no latitudes and longitudes; need columns lat, lon")
        part, parts = city.components
        sizes = np.bincount(part)
        inside = np.flatnonzero(part == np.argmax(sizes))
        if len(inside) < LARGEST_PART * city.nodes:
            raise DataError(
                f"the city is in {parts} pieces, and the largest has {len(inside)} of"
                f" {city.nodes} crossings; need the roads of one town"
            )
        # As they are written: whoever reads the file of cells finds the same nearest crossings.
        lat = np.round(city.y[inside], DECIMALS)
        lon = np.round(city.x[inside], DECIMALS)
        place = np.full(city.nodes, -1)
        place[inside] = np.arange(len(inside))
        edges = place[city.roads.edges]
        edges = edges[(edges >= 0).all(axis=1)]
        x, y = plane_around(Points.of(lat, lon)).metres(lat, lon)
        apart = np.hypot(*(axis[edges[:, 0]] - axis[edges[:, 1]] for axis in (x, y)))
        # No street is without length: shortest paths would not say which crossing comes first.
        lengths = np.maximum(1, np.round(1000 * apart)).astype(np.int64)
        roads: list[list[tuple[int, int]]] = [[] for _ in range(len(inside))]
        for (start, end), length in zip(edges.tolist(), lengths.tolist(), strict=True):
            roads[start].append((end, length))
            roads[end].append((start, length))
        leaf = np.empty(len(inside), dtype=np.int64)
        for bits, members in halve(roads, least_nodes=least, least_street=int(1000 * metres)):
            leaf[members] = int("1" + bits, 2)
        return cls(lat, lon, read_only(leaf), city.nodes - len(inside))

    @cached_property
    def height(self) -> int:
        """Bits of a code: the depth of the deepest leaf."""
        return int(depths(self.leaf).max())

    @cached_property
    def _codes(self) -> Codes:
        """The code of each crossing: leaves that are not as deep end in zeros."""
        depth = depths(self.leaf)
        return (self.leaf ^ (np.int64(1) << depth)) << (self.height - depth)

    def common(self, least: Codes, most: Codes) -> Codes:
        """Return the smallest cell that has the codes from ``least`` to ``most``."""
        labels = super().common(least, most)
        # A leaf that is not as deep as the deepest goes by its own name.
        codes, first = self._leaves
        place = np.minimum(np.searchsorted(codes, least), len(codes) - 1)
        return np.where(depths(labels) == self.height, self.leaf[first[place]], labels)

    @cached_property
    def _leaves(self) -> tuple[Codes, Codes]:
        """The codes of the leaves, ascending, and a crossing of each."""
        codes, first = np.unique(self._codes, return_index=True)
        return codes, first

    def widest(self, codes: Codes, metres: float) -> Codes:
        """Return the largest cell around each code of a crossing that is no wider."""
        # A slot asks for a few codes, and every slot does: all leaves are looked at once.
        leaves, _ = self._leaves
        if metres not in self._widest:
            self._widest[metres] = super().widest(leaves, metres)
        return self._widest[metres][np.searchsorted(leaves, codes, side="right") - 1]

    @cached_property
    def _widest(self) -> dict[float, Codes]:
        """By width, the largest cell around each leaf."""
        return {}

    @cached_property
    def _plane(self) -> tuple[Plane, Any]:
        """A map around the city, and its crossings for looking up the nearest."""
        from scipy.spatial import KDTree

        plane = plane_around(Points.of(self.lat, self.lon))
        return plane, KDTree(np.column_stack(plane.metres(self.lat, self.lon)))

    def codes(self, lat: Floats, lon: Floats) -> tuple[Codes, Floats]:
        """Return the code of the nearest crossing of each position, and the metres to it."""
        plane, crossings = self._plane
        metres, nearest = crossings.query(np.column_stack(plane.metres(lat, lon)))
        return self._codes[nearest], np.asarray(metres, dtype=np.float64)

    @cached_property
    def _widths(self) -> tuple[Codes, Floats]:
        """All labels, ascending, and the width of each."""
        plane, _ = self._plane
        order = np.argsort(self._codes, kind="stable")
        codes = self._codes[order]
        axes = [axis[order] for axis in plane.metres(self.lat, self.lon)]
        labels, widths = [], []
        for depth in range(self.height + 1):
            at_depth, first = np.unique(labels_at(codes, depth, self.height), return_index=True)
            sides = [
                np.maximum.reduceat(axis, first) - np.minimum.reduceat(axis, first) for axis in axes
            ]
            labels.append(at_depth)
            widths.append(np.maximum(*sides))
        # Labels of a depth are larger than those of all depths above it.
        return np.concatenate(labels), np.concatenate(widths)

    def outline(self, label: int) -> tuple[Floats, Floats]:
        """Return the corners of the least convex area with all crossings of a cell.

        Of crossings on a line it is as thin; of a single one it is that point.
        """
        from scipy.spatial import ConvexHull, QhullError

        low, high = spans(np.array([label]), self.height)
        inside = (self._codes >= low) & (self._codes < high)
        spots = np.unique(np.column_stack([self.lat[inside], self.lon[inside]]), axis=0)
        try:
            corners = spots[ConvexHull(spots).vertices]
        except (QhullError, ValueError):
            # Sorted: the ends of the line are the first and the last.
            corners = spots[[0, -1]]
        return corners[:, 0], corners[:, 1]

    def widths(self, labels: Codes) -> Floats:
        """Return the longer side of the box around each cell's crossings."""
        every_label, widths = self._widths
        # A label that is no cell of the tree, hidden among them, is too wide for any limit.
        place = np.minimum(np.searchsorted(every_label, labels), len(every_label) - 1)
        return np.where(every_label[place] == labels, widths[place], np.inf)


@dataclass(frozen=True)
class GridCells(CellTree):
    """Squares on the globe, their sides no longer than some metres, and squares of squares.

    Rows are counted from the south pole. Of a zone of rows, :data:`ZONE` metres high, columns are
    those of the parallel nearest to the equator, so that no square is wider than it is called.

    >>> grid = GridCells(500)
    >>> code, metres = grid.codes(np.array([37.7, 37.7001]), np.array([-122.4, -122.4]))
    >>> grid.height, bool(code[0] ^ code[1] < 4), metres.tolist()
    (33, True, [0.0, 0.0])
    >>> grid.widths(grid.widest(code, 3000)).tolist()
    [2000.0, 2000.0]
    """

    metres: float
    """Longest side of the smallest squares, 1 to 100,000."""

    @property
    def _rows(self) -> int:
        return math.ceil(math.pi * EARTH_RADIUS / self.metres)

    @property
    def _zone_bits(self) -> int:
        """Rows and columns of the largest squares, as a power of two."""
        return math.ceil(math.log2(ZONE / self.metres))

    @property
    def _column_bits(self) -> int:
        return math.ceil(2 * math.pi * EARTH_RADIUS / self.metres).bit_length()

    @cached_property
    def height(self) -> int:
        """Bits of a code: of the zone, of the column of large squares, and of places in them."""
        zones = self._rows >> self._zone_bits
        return zones.bit_length() + self._column_bits + self._zone_bits

    def widest(self, codes: Codes, metres: float) -> Codes:
        """Return the largest square around each code that is no wider; hidden where there is none.

        All squares of a depth are as wide, so that no code is looked at for it.
        """
        depth = np.flatnonzero(self.widths(np.int64(1) << np.arange(self.height + 1)) <= metres)
        if not len(depth):
            return np.full(len(codes), HIDDEN)
        # Widths fall with the depth: the first that is narrow enough is the largest square.
        return labels_at(codes, int(depth[0]), self.height)

    def _columns(self, zone: Codes) -> Codes:
        """Return the number of columns of each zone of rows."""
        size = self._zone_bits
        edges = np.stack([zone << size, (zone + 1) << size]) * 180 / self._rows - 90
        # A zone across the equator is widest there, not at one of its edges.
        nearest = np.where(edges[0] * edges[1] <= 0, 0, np.abs(edges).min(axis=0))
        parallel = np.cos(np.radians(np.minimum(nearest, 90)))
        columns = np.ceil(2 * math.pi * EARTH_RADIUS * parallel / self.metres)
        return np.maximum(columns, 1).astype(np.int64)

    def outline(self, label: int) -> tuple[Floats, Floats]:
        """Return the four corners of a square, or of two of them, no larger than a zone."""
        size = self._zone_bits
        low, high = spans(np.array([label]), self.height)
        code = np.concatenate([low, high - 1])
        above = code >> 2 * size
        zone = above >> (self._column_bits - size)
        row, column = zone, above & ((1 << (self._column_bits - size)) - 1)
        for bit in range(2 * size - 1, 0, -2):
            row = row << 1 | (code >> bit & 1)
            column = column << 1 | (code >> (bit - 1) & 1)
        lat = (np.array([row[0], row[1] + 1]) / self._rows * 180 - 90).clip(-90, 90)
        columns = self._columns(zone[:1])
        lon = np.minimum(np.array([column[0], column[1] + 1]) / columns, 1) * 360 - 180
        return lat[[0, 0, 1, 1]], lon[[0, 1, 1, 0]]

    def codes(self, lat: Floats, lon: Floats) -> tuple[Codes, Floats]:
        """Return the code of the smallest square of each position, which is where it is."""
        size = self._zone_bits
        row = np.floor((np.asarray(lat) + 90) / 180 * self._rows).astype(np.int64)
        row = np.clip(row, 0, self._rows - 1)
        zone = row >> size
        columns = self._columns(zone)
        # The antimeridian is one line by two names.
        turn = np.mod(np.asarray(lon) + 180, 360) / 360
        # Below 1 as a turn is, its product may still be rounded up to the number of columns.
        column = np.minimum(np.floor(turn * columns).astype(np.int64), columns - 1)
        code = zone << (self._column_bits - size) | column >> size
        for bit in range(size - 1, -1, -1):
            code = code << 2 | ((row >> bit & 1) << 1) | (column >> bit & 1)
        return code, np.zeros(len(code))

    def widths(self, labels: Codes) -> Floats:
        """Return the longest side that a square of each label's size has anywhere."""
        below = self.height - depths(labels)
        # After an odd number of halvings a cell is two squares, as long as the next larger one.
        sides = self.metres * 2.0 ** ((below + 1) // 2)
        # Deeper than the leaves there are no cells; larger than the zones they are no squares.
        real = (labels != HIDDEN) & (below >= 0) & (below <= 2 * self._zone_bits)
        return np.where(real, sides, np.inf)


Lengths = Sequence[Sequence[tuple[int, int]]]
"""For each crossing its neighbours, each with the length of the street in millimetres."""


def halve(roads: Lengths, *, least_nodes: int, least_street: int) -> list[tuple[str, list[int]]]:
    """Return the leaves of the tree as bits and crossings, in the order of their bits.

    The roads are connected. Each leaf has ``least_nodes`` crossings and ``least_street``
    millimetres of street between them, or is the whole city. Halves are cut as long as both have.

    >>> street = [[(1, 100)], [(0, 100), (2, 100)], [(1, 100), (3, 100)], [(2, 100)]]
    >>> halve(street, least_nodes=2, least_street=0)
    [('0', [2, 3]), ('1', [0, 1])]
    >>> halve(street, least_nodes=2, least_street=101)
    [('', [0, 1, 2, 3])]
    """
    leaves = []
    waiting = [("", list(range(len(roads))))]
    while waiting:
        bits, members = waiting.pop()
        # Two walks through all members are dear: too few for two leaves need none.
        halves = _halves(roads, members) if len(members) >= 2 * least_nodes else ()
        if len(bits) == HEIGHT or not halves or any(
            len(half) < least_nodes or _street(roads, half) < least_street for half in halves
        ):  # fmt: skip
            leaves.append((bits, sorted(members)))
            continue
        # The first half is popped first, so that leaves come in the order of their bits.
        waiting += [(bits + "1", halves[1]), (bits + "0", halves[0])]
    return leaves


def _halves(roads: Lengths, members: list[int]) -> tuple[list[int], list[int]]:
    """Return two connected halves of a connected set of two crossings or more."""
    inside = set(members)
    # The end that is farthest from any crossing is an end of a long path, if not of the longest.
    far_end = _by_distance(roads, inside, min(members))[-1]
    order = _by_distance(roads, inside, far_end)
    near, far = order[: len(order) // 2], set(order[len(order) // 2 :])
    pieces = []
    while far:
        # From the least, not from whichever a set yields first.
        piece = _piece(roads, far, min(far))
        far -= piece
        pieces.append(piece)
    # The first of the largest, so that the same roads have the same cells everywhere.
    largest = max(pieces, key=len)
    return near + sorted(inside.difference(near, largest)), sorted(largest)


def _by_distance(roads: Lengths, inside: set[int], source: int) -> list[int]:
    """Return the crossings of a connected set by their distance from one, on streets in the set.

    Distances are whole millimetres: sums of floats would decide ties by the machine.
    """
    settled: dict[int, None] = {}
    heap = [(0, source)]
    while heap:
        distance, node = heappop(heap)
        if node in settled:
            continue
        settled[node] = None
        for neighbour, length in roads[node]:
            if neighbour in inside and neighbour not in settled:
                heappush(heap, (distance + length, neighbour))
    return list(settled)


def _piece(roads: Lengths, inside: set[int], source: int) -> set[int]:
    reached, queue = {source}, deque([source])
    while queue:
        for neighbour, _ in roads[queue.popleft()]:
            if neighbour in inside and neighbour not in reached:
                reached.add(neighbour)
                queue.append(neighbour)
    return reached


def _street(roads: Lengths, members: Iterable[int]) -> int:
    inside = set(members)
    # From both ends each street is met once.
    lengths = (length for node in inside for end, length in roads[node] if end in inside)
    return sum(lengths) // 2
