"""Points from files: CSV, Parquet and GeoJSON, with their columns by name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kproof.datasets import read_text_table
from kproof.errors import DataError, InvalidArgument, did_you_mean, show
from kproof.models.places.city.draft import decimal
from kproof.models.places.points import Points

COLUMNS: Mapping[str, Sequence[str]] = {
    "lat": ("lat", "latitude"),
    "lon": ("lon", "longitude", "lng"),
    "user": ("user", "user_id", "userid", "users"),
}
"""What columns are called, in any case, if nothing is said; the first that is there counts."""


def read_points(
    source: str | Path, *, lat: str | None = None, lon: str | None = None, user: str | None = None
) -> Points:
    """Read points from a file.

    That is a Parquet file (``.parquet``, ``.pq``), a GeoJSON file of points (``.geojson``,
    ``.json``), or a CSV file with names of columns in its first row. ``lat``, ``lon`` and ``user``
    name the columns, of GeoJSON the property with the user, if not one of :data:`COLUMNS`. Without
    a column of users nothing is known of them, and the other columns are kept as
    :attr:`~kproof.models.places.points.Points.others`.

    >>> read_points("table-1a")
    Traceback (most recent call last):
        ...
    kproof.errors.DataError: table-1a: no column for lat: need lat or latitude
    """
    typed = {"lat": lat, "lon": lon, "user": user}
    column_names = {field: name for field, name in typed.items() if name is not None}
    suffix = Path(source).suffix.lower()
    if suffix in (".geojson", ".json"):
        for field in ("lat", "lon"):
            if field in column_names:
                raise InvalidArgument(field, column_names[field], f"nothing; {source} is GeoJSON")
        columns = _from_geojson(source, column_names)
    elif suffix in (".parquet", ".pq"):
        columns = _from_parquet(source, column_names)
    else:
        columns = _from_csv(source, column_names)
    try:
        return points_of(columns)
    except DataError as error:
        raise DataError(f"{source}: {error}") from None


def points_of(columns: Mapping[str, Any]) -> Points:
    """Return the points of columns by meaning, as readers have them: lat, lon, user or others."""
    return Points.of(
        columns["lat"], columns["lon"], users=columns.get("user"), others=columns.get("others", ())
    )


def others_of(names: Sequence[str], positions: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """Return the columns that were not taken, as ``others``, if none of those taken has users.

    >>> others_of(["uid", "lat", "lon"], {"lat": 1, "lon": 2})
    {'others': ('uid',)}
    >>> others_of(["user", "lat", "lon"], {"user": 0, "lat": 1, "lon": 2})
    {}
    """
    if "user" in positions:
        return {}
    used = positions.values()
    return {"others": tuple(name for place, name in enumerate(names) if place not in used)}


def columns_of_points(
    source: str | Path, names: Sequence[str], column_names: Mapping[str, str] | None = None
) -> dict[str, int]:
    """Return the positions of the columns ``lat``, ``lon`` and, if there is one, ``user``.

    ``column_names`` holds those columns' names that are not among :data:`COLUMNS`; ``source`` is
    for messages.
    """
    column_names = column_names or {}
    lower = [name.strip().lower() for name in names]
    positions = {}
    for field, headings in COLUMNS.items():
        if field in column_names:
            name = column_names[field]
            if name not in names:
                available = show(", ".join(names)) + did_you_mean(name, names)
                raise DataError(f"{source}: no column {show(name)}; there are {available}")
            positions[field] = names.index(name)
            continue
        place = next((lower.index(name) for name in headings if name in lower), None)
        if place is not None:
            positions[field] = place
        elif field != "user":
            raise DataError(f"{source}: no column for {field}: need {' or '.join(headings)}")
    return positions


def users_in(source: str | Path, cells: Sequence[str], lines: Sequence[int]) -> list[str]:
    """Return the users of a column of texts; an empty cell is an error that names its line."""
    for cell, line in zip(cells, lines, strict=True):
        if not cell.strip():
            raise DataError(f"{source}, line {line}: no user")
    # Whoever is written with a space behind is not somebody else.
    return [cell.strip() for cell in cells]


def _from_csv(source: str | Path, column_names: Mapping[str, str]) -> dict[str, Any]:
    table = read_text_table(source, header="yes")
    positions = columns_of_points(source, table.names, column_names)
    columns: dict[str, Any] = dict(others_of(table.names, positions))
    for field, place in positions.items():
        cells = table.cells[place]
        if field == "user":
            columns[field] = users_in(source, cells, table.lines)
            continue
        read: dict[str, float] = {}
        for cell, line in zip(cells, table.lines, strict=True):
            if cell not in read:
                read[cell] = decimal(cell, table.names[place], f"{source}, line {line}")
        columns[field] = [read[cell] for cell in cells]
    return columns


def _from_parquet(source: str | Path, column_names: Mapping[str, str]) -> dict[str, Any]:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise DataError("reading Parquet needs pyarrow: pip install 'kproof[parquet]'") from None
    try:
        with open(source, "rb") as file:
            names = parquet.read_schema(file).names
            positions = columns_of_points(source, names, column_names)
            needed_columns = [names[position] for position in positions.values()]
            table = parquet.read_table(file, columns=needed_columns)
    except (OSError, ArrowException) as error:
        reason = getattr(error, "strerror", None) or "not a Parquet file"
        raise DataError(f"{source}: cannot be read: {reason}") from None
    # A missing cell among numbers becomes NaN, which is neither a position nor a user.
    columns = {field: table[names[position]].to_numpy() for field, position in positions.items()}
    return columns | others_of(names, positions)


def _from_geojson(source: str | Path, column_names: Mapping[str, str]) -> dict[str, Any]:
    try:
        document = json.loads(Path(source).read_text(encoding="utf-8-sig"))
        features = document["features"]
        kinds = [feature["geometry"]["type"] for feature in features]
        spots = [feature["geometry"]["coordinates"] for feature in features]
        properties = [feature.get("properties") or {} for feature in features]
    except OSError as error:
        raise DataError(f"{source}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise DataError(f"{source}: not a JSON document in UTF-8") from None
    except (TypeError, KeyError, AttributeError):
        raise DataError(f"{source}: not a GeoJSON FeatureCollection of points") from None
    for number, (kind, spot) in enumerate(zip(kinds, spots, strict=True)):
        pair = kind == "Point" and isinstance(spot, list) and len(spot) >= 2
        if not pair or not all(type(coordinate) in (int, float) for coordinate in spot[:2]):
            raise DataError(f"{source}: feature {number} is no point with two coordinates")
    for number, entry in enumerate(properties):
        if not isinstance(entry, dict):
            raise DataError(f"{source}: feature {number} has properties without names")
    columns: dict[str, Any] = {"lon": [s[0] for s in spots], "lat": [s[1] for s in spots]}
    names = sorted({name for entry in properties for name in entry})
    user = column_names.get("user")
    if user is None:
        lower = {name.strip().lower(): name for name in names}
        user = next((lower[name] for name in COLUMNS["user"] if name in lower), None)
    elif user not in names:
        raise DataError(f"{source}: no property {show(user)}")
    if user is not None:
        columns["user"] = [entry.get(user) for entry in properties]
    else:
        columns["others"] = names
    return columns
