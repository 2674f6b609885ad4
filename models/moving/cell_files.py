"""Cells on disk: a GeoJSON file of their own, which every release that uses them names by SHA-256.

Of roads it has the crossings of each smallest cell, so that whoever has it finds the cell of any
position; of a grid, which covers the globe, how long the sides are. Two releases with one file of
cells can be compared; those with different ones are refused together.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.arrays import read_only
from kproof.models.moving.cells import CellTree, GridCells, RoadCells
from kproof.models.moving.labels import HEIGHT, labels_of, name, spans
from kproof.models.moving.terms import GRID


@dataclass(frozen=True, eq=False)
class CellsFile:
    """Cells, and the file that they are in."""

    cells: CellTree
    """What is in it."""
    digest: str
    """SHA-256 of its bytes, in hexadecimal digits."""
    place: str
    """What messages call it."""


def cells_document(cells: RoadCells | GridCells) -> str:
    """Return cells as a GeoJSON feature collection; the same cells always give the same text."""
    lines: list[str] = []
    if isinstance(cells, GridCells):
        about = {"cells": "grid", "metres": repr(float(cells.metres))}
    else:
        about = {"cells": "roads"}
        # Leaf by leaf, and crossings as they come: the same cells are the same bytes.
        order = np.lexsort((np.arange(len(cells.leaf)), cells.leaf))
        first = np.flatnonzero(np.diff(cells.leaf[order], prepend=-1))
        spots = list(zip(cells.lon.tolist(), cells.lat.tolist(), strict=True))
        for members in np.split(order, first[1:]):
            geometry = {"type": "MultiPoint", "coordinates": [spots[node] for node in members]}
            properties = {"cell": name(int(cells.leaf[members[0]]))}
            feature = {"type": "Feature", "geometry": geometry, "properties": properties}
            lines.append(json.dumps(feature))
    member = json.dumps(about | {"content": _content(about, map(json.loads, lines))})
    inside = ",\n".join(lines)
    return f'{{"type": "FeatureCollection", "kproof": {member}, "features": [\n{inside}\n]}}\n'


def _content(about: dict[str, str], features: Iterable[object]) -> str:
    """Return the SHA-256 of what a file says, whatever its spaces."""
    return sha256(json.dumps([about, list(features)], sort_keys=True).encode()).hexdigest()


def read_cells(path: str | Path) -> CellsFile:
    """Read a file of cells.

    Raises:
        DataError: If it cannot be read, is no such file, or was edited.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    return cells_in(data, str(path))


def cells_in(data: bytes, place: str) -> CellsFile:
    """Return the cells of a file of these bytes."""
    need = "a file of cells that kproof anonymize moving wrote"
    try:
        document = json.loads(data)
        about, features = dict(document["kproof"]), document["features"]
        content, kind = about.pop("content"), about["cells"]
        intact = content == _content(about, features)
    except (ValueError, RecursionError, TypeError, KeyError):
        raise DataError(f"{place}: is not {need}") from None
    # Edited cells may have been drawn around somebody.
    if not intact:
        raise DataError(f"{place}: was edited, as its cells are not those that it was written with")
    try:
        # A kind of a later version must not be taken for roads.
        if kind not in ("grid", "roads"):
            raise ValueError
        cells = _grid(about) if kind == "grid" else _roads(features, place)
    except (TypeError, KeyError, ValueError, IndexError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{place}: is not {need}") from None
    return CellsFile(cells, sha256(data).hexdigest(), place)


def _grid(about: dict[str, str]) -> GridCells:
    try:
        return GridCells(float(GRID.read(about["metres"])))
    except InvalidArgument as error:
        raise ValueError from error


def _roads(features: list[dict[str, dict[str, object]]], place: str) -> RoadCells:
    names = [str(feature["properties"]["cell"]) for feature in features]
    spots = [feature["geometry"]["coordinates"] for feature in features]
    numbers = range(1, len(names) + 1)
    labels = labels_of(names, place, numbers)
    sizes = [len(points) for points in spots]  # type: ignore[arg-type]
    lon, lat = np.array(
        [point for points in spots for point in points],  # type: ignore[attr-defined]
        dtype=np.float64,
    ).T
    inside = (np.abs(lat) <= 90) & (np.abs(lon) <= 180)
    # Every code is in one leaf: as for the leaves of a binary tree, one begins where another ends.
    low, high = spans(np.sort(labels), HEIGHT)
    order = np.argsort(low)
    whole = [0, *high[order].tolist()] == [*low[order].tolist(), 1 << HEIGHT]
    if not (inside.all() and whole and min(sizes) > 0 and labels.min() > 0):
        raise DataError(f"{place}: its cells are no binary tree of places on the globe")
    return RoadCells(lat, lon, read_only(np.repeat(labels, sizes)))
