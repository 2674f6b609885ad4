"""Published heat maps read back: the squares of a GeoJSON file, whoever made it.

Coordinates are whole numbers of the last decimal, so that sides are the same or they are not.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from kproof.errors import DataError, InvalidArgument, TooLarge, show
from kproof.models.base.arrays import Codes, Floats
from kproof.models.places.city.city import MOST_USERS
from kproof.models.places.heatmap.release import Counted
from kproof.models.places.plane import DECIMALS
from kproof.models.places.position_cells import seconds_of

MOST_CELLS = 100_000_000
"""Most cells of the lattice that the sides of squares make together."""

_UNIT = 10**DECIMALS
_ENDS = (180, 90)


@dataclass(frozen=True, eq=False)
class MapFile:
    """A published heat map as its file says it."""

    source: str
    """The file, for messages."""
    counts: Codes | None = field(repr=False)
    """Shape (squares,): users or locations in each; None if the file is about squares alone."""
    counted: Counted | None
    """What is counted; None if the file does not say."""
    k: int | None
    """Fewest that are counted in a square with anybody; None if the file does not say."""
    period: tuple[int, int] | None
    """Seconds since 1970 from which and before which positions were counted; None if not said."""
    offsets: Codes = field(repr=False)
    rectangles: Codes = field(repr=False)
    """``rectangles[offsets[i]:offsets[i + 1]]`` are square i's: west, south, east, north."""

    @property
    def squares(self) -> int:
        """Number of squares, each of one rectangle or of several."""
        return len(self.offsets) - 1

    @cached_property
    def owner(self) -> Codes:
        """Shape (rectangles,): the square of each."""
        return np.repeat(np.arange(self.squares), np.diff(self.offsets))

    def name_square(self, square: int) -> str:
        """Return a square by its number in the file and its first corner."""
        west, south = (self.rectangles[self.offsets[square], :2] / _UNIT).tolist()
        return f"feature {square} (from {south:g}, {west:g})"


@dataclass(frozen=True, eq=False)
class CommonLattice:
    """The cells that all sides of some maps make together."""

    lon: Codes
    lat: Codes
    """Every coordinate of a side, ascending."""

    @classmethod
    def of(cls, *maps: MapFile) -> CommonLattice:
        """Return the lattice of some maps; TooLarge if it has more than :data:`MOST_CELLS`."""
        sides = np.concatenate([drawn.rectangles for drawn in maps])
        lon, lat = np.unique(sides[:, [0, 2]]), np.unique(sides[:, [1, 3]])
        if len(lon) * len(lat) > MOST_CELLS:
            raise TooLarge(f"{len(lon)} times {len(lat)} sides; need {MOST_CELLS} or fewer cells")
        return cls(lon, lat)

    def labels(self, drawn: MapFile) -> Codes:
        """Return the square of each cell, by rows from the south, -1 for none.

        Squares that overlap are a DataError: whoever is in both would count twice.
        """
        cells = np.full((len(self.lat) - 1, len(self.lon) - 1), -1, dtype=np.int64)
        # Every side is among the lattice's, so that a search finds the very line.
        across = np.searchsorted(self.lon, drawn.rectangles[:, [0, 2]])
        up = np.searchsorted(self.lat, drawn.rectangles[:, [1, 3]])
        rows = zip(across.tolist(), up.tolist(), drawn.owner.tolist(), strict=True)
        for (west, east), (south, north), square in rows:
            part = cells[south:north, west:east]
            if (part >= 0).any():
                earlier = int(part.max())
                raise DataError(f"{drawn.source}: features {earlier} and {square} overlap")
            part[:] = square
        return cells

    def squares_at(self, labels: Codes, lat: Floats, lon: Floats) -> Codes:
        """Return the square of each point, -1 for none; on a line it is the left and lower one."""
        # In degrees, the number that a reader of the file compares with.
        column = np.searchsorted(self.lon / _UNIT, lon, side="left") - 1
        row = np.searchsorted(self.lat / _UNIT, lat, side="left") - 1
        inside = (column >= 0) & (column < labels.shape[1]) & (row >= 0) & (row < labels.shape[0])
        squares = np.full(len(lat), -1, dtype=np.int64)
        squares[inside] = labels[row[inside], column[inside]]
        return squares


def read_map(source: str | Path) -> MapFile:
    """Read a heat map, or squares alone, from a GeoJSON file of polygons along the axes.

    Raises:
        DataError: If the file cannot be read, has no squares, a side that runs askew, more than
            seven decimals or some counts but not all; it names the feature.
    """
    try:
        text = Path(source).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"{source}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DataError(f"{source}: not a JSON document in UTF-8") from None
    return map_of(source, text)


def map_of(source: str | Path, text: str) -> MapFile:
    """Return the heat map of a GeoJSON text; ``source`` is for messages."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise DataError(f"{source}: not a JSON document in UTF-8") from None
    features = document.get("features") if isinstance(document, dict) else None
    if not isinstance(features, list) or not features:
        raise DataError(f"{source}: not a GeoJSON FeatureCollection of squares")
    rectangles, counts = [], []
    for number, feature in enumerate(features):
        where = f"{source}: feature {number}"
        try:
            geometry, entry = feature["geometry"], feature.get("properties") or {}
            kind, coordinates = geometry["type"], geometry["coordinates"]
            counts.append(entry.get("count"))
        except (TypeError, KeyError, AttributeError):
            raise DataError(f"{where} is no GeoJSON feature with a polygon") from None
        if kind not in ("Polygon", "MultiPolygon"):
            raise DataError(f"{where} is a {show(kind)}; need a Polygon or MultiPolygon")
        parts = [coordinates] if kind == "Polygon" else coordinates
        if not isinstance(parts, list) or not all(isinstance(part, list) for part in parts):
            raise DataError(f"{where} has no rings")
        rings = [ring for part in parts for ring in part]
        rectangles.append(_rectangles(where, rings))
    # By type: in Python true is an int, and equal to 1.
    whole = [type(count) is int and 0 <= count <= MOST_USERS for count in counts]
    if not all(whole) and any(count is not None for count in counts):
        number = whole.index(False)
        raise DataError(f"{source}: feature {number} has no count; need a whole number, 0 or more")
    return MapFile(
        source=str(source),
        counts=np.array(counts, dtype=np.int64) if all(whole) else None,
        counted=_member(source, document, "counted", Counted),
        k=_member(source, document, "k", _whole),
        period=_period(source, document),
        offsets=np.cumsum([0, *map(len, rectangles)]),
        rectangles=np.concatenate(rectangles),
    )


def _whole(value: Any) -> int:
    if type(value) is not int or value < 1:
        raise ValueError
    return value


def _member(source: str | Path, document: dict[str, Any], name: str, read: Any) -> Any:
    if (value := document.get(name)) is None:
        return None
    try:
        return read(value)
    except (ValueError, TypeError):
        raise DataError(f"{source}: {name} is {show(value)}, which no map says") from None


def _period(source: str | Path, document: dict[str, Any]) -> tuple[int, int] | None:
    ends = document.get("from"), document.get("to")
    # With one end alone, nobody can say that two periods are apart: so nothing is said.
    if None in ends:
        return None
    try:
        start, end = seconds_of("from", str(ends[0])), seconds_of("to", str(ends[1]))
    except InvalidArgument as error:
        raise DataError(f"{source}: {error}") from None
    if start >= end:
        raise DataError(f"{source}: from {ends[0]} is not before to {ends[1]}")
    return start, end


def _rectangles(where: str, rings: Any) -> Codes:
    """Return rectangles that have the inside of some rings together, by the even-odd rule."""
    uprights = []
    for ring in rings:
        try:
            degrees = np.array(ring, dtype=np.float64)[:, :2]
        except (TypeError, ValueError, IndexError, OverflowError):
            raise DataError(f"{where} has a ring without coordinates") from None
        # Written so that NaN is refused as well; before anything is multiplied, which may run over.
        if not (np.abs(degrees) <= np.array(_ENDS[: degrees.shape[1]])).all():
            raise DataError(f"{where} has a corner that is not on the globe")
        corners = degrees * _UNIT
        if len(corners) < 5 or corners.shape[1] < 2 or (corners[0] != corners[-1]).any():
            raise DataError(f"{where} has a ring that is not closed; need four corners or more")
        whole = np.rint(corners)
        # A decimal of seven places times 10**7 is off a whole number by far less, by rounding.
        if (np.abs(whole - corners) > 1e-3).any():
            raise DataError(f"{where} has coordinates of more than {DECIMALS} decimals")
        ends = np.column_stack([whole[:-1], whole[1:]]).astype(np.int64)
        if ((ends[:, 0] != ends[:, 2]) & (ends[:, 1] != ends[:, 3])).any():
            raise DataError(f"{where} has a side that is not along an axis; need squares")
        uprights.append(ends[ends[:, 1] != ends[:, 3]])
    sides = np.concatenate(uprights) if uprights else np.zeros((0, 4), dtype=np.int64)
    if not len(sides):
        raise DataError(f"{where} has no inside")
    lon, lat = np.unique(sides[:, 0]), np.unique(sides[:, [1, 3]])
    crossings = np.zeros((len(lat) - 1, len(lon)), dtype=np.bool_)
    for x, start, end in sides[:, [0, 1, 3]].tolist():
        low, high = np.searchsorted(lat, sorted((start, end)))
        # Two sides in one place cancel out, as the even-odd rule has it.
        crossings[low:high, np.searchsorted(lon, x)] ^= True
    inside = np.logical_xor.accumulate(crossings, axis=1)[:, :-1]
    if not inside.any():
        raise DataError(f"{where} has no inside")
    # A run of cells in a row is one rectangle.
    edges = np.diff(np.pad(inside, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    row, first = np.nonzero(edges == 1)
    _, last = np.nonzero(edges == -1)
    return np.column_stack([lon[first], lat[row], lon[last], lat[row + 1]])
