"""Columns of positions from files, whatever their format; what they mean is decided elsewhere.

CSV (or a sheet), Parquet and GeoParquet, NDJSON, GeoJSON and GPX. Nothing in a file is executed:
a GPX file with a document type, and so with entities, is refused.
"""

import json
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np

from kproof.datasets import read_text_table
from kproof.datasets.opening import open_text
from kproof.datasets.parquet import require_size
from kproof.errors import DataError, InvalidArgument, show

NAMESPACES = ("www.topografix.com/GPX/1/1", "www.topografix.com/GPX/1/0", "")
"""Of the elements of a GPX file, after ``://``; those of extensions are passed over."""

_WGS84 = ("OGC:CRS84", "EPSG:4326")
_WKB_POINT = 21
"""Bytes of a point in two dimensions: order, type and two coordinates."""


@dataclass(frozen=True, eq=False)
class PositionColumns:
    """The columns of a file, and those whose meaning the format itself tells."""

    source: str
    """The file, for messages."""
    names: tuple[str, ...]
    """Of the columns, as spelled in the file."""
    column: Callable[[int], Sequence[Any]] = field(repr=False)
    """Cells of the column at a place: texts, numbers, None, or an array."""
    lines: np.ndarray[Any, np.dtype[np.int64]] = field(repr=False)
    """Shape (rows,): where each row stands in the file."""
    unit: str
    """What ``lines`` count: line, row (from 1) or feature (from 0)."""
    by_meaning: Mapping[str, Sequence[Any]] = field(default_factory=dict, repr=False)
    """Columns of ``lat``, ``lon``, ``user`` or ``time`` that the format itself names."""

    def place_of(self, row: int) -> str:
        """Return where a row stands, for messages."""
        return f"{self.source}, {self.unit} {self.lines[row]}"


def read_columns(source: str | Path) -> PositionColumns:
    """Return the columns of a file; the ending of its name tells the format.

    ``.parquet`` and ``.pq``; ``.geojson`` and ``.json``; ``.ndjson``, ``.jsonl``, ``.geojsonl``
    and ``.geojsons``; ``.gpx``; any other is a CSV file with names in its first row.
    """
    if (reader := _READERS.get(Path(source).suffix.lower())) is not None:
        return reader(str(source))
    table = read_text_table(source, header="yes")
    lines = np.array(table.lines, dtype=np.int64)
    return PositionColumns(str(source), table.names, table.cells.__getitem__, lines, "line")


def columns_of_arrays(source: str, columns: Mapping[str, Sequence[Any]]) -> PositionColumns:
    """Return columns at hand by their meaning: ``lat``, ``lon``, ``user`` and ``time``."""
    lengths = {meaning: len(cells) for meaning, cells in columns.items()}
    for meaning, length in lengths.items():
        if length != lengths["lat"]:
            raise InvalidArgument(meaning, f"{length} rows", f"{lengths['lat']}, as in lat")
    lines = np.arange(1, lengths["lat"] + 1)
    return PositionColumns(source, (), lambda _: (), lines, "row", columns)


def _parquet(source: str) -> PositionColumns:
    from pyarrow import ArrowException, parquet, types

    try:
        schema = parquet.read_schema(source)
        metadata = parquet.read_metadata(source)
        require_size(source, metadata)
        rows = metadata.num_rows
    except (OSError, ValueError, ArrowException) as error:
        reason = getattr(error, "strerror", None) or "not a Parquet file"
        raise DataError(f"{source}: cannot be read: {reason}") from None

    def column(place: int) -> Sequence[Any]:
        name = schema.names[place]
        try:
            table = parquet.read_table(source, columns=[name])
            chunks, kind = table.column(0), table.column(0).type
            fast = types.is_integer(kind) or types.is_floating(kind) or types.is_timestamp(kind)
            # Missing whole numbers would become floats, which cannot tell users above 2**53 apart.
            whole = fast and not chunks.null_count
            values: Sequence[Any] = chunks.to_numpy() if whole else chunks.to_pylist()
        except (OSError, ValueError, ArrowException) as error:
            reason = str(error).partition("\n")[0]
            raise DataError(f"{source}: {name} cannot be read: {reason}") from None
        if len(values) != rows:
            raise DataError(f"{source}: {name} has {len(values)} of {rows} rows")
        return values

    lines = np.arange(1, rows + 1)
    if b"geo" not in (schema.metadata or {}):
        return PositionColumns(source, tuple(schema.names), column, lines, "row")
    if (geometry := _geometry(source, schema.metadata[b"geo"])) not in schema.names:
        raise DataError(f"{source}: no geometry column {show(geometry)}")
    lon, lat = _wkb_points(source, column(schema.names.index(geometry)))
    free = [place for place, name in enumerate(schema.names) if name != geometry]
    return PositionColumns(
        source,
        tuple(schema.names[place] for place in free),
        lambda place: column(free[place]),
        lines,
        "row",
        {"lat": lat, "lon": lon},
    )


def _geometry(source: str, metadata: bytes) -> str:
    """Return the name of the geometry column of a GeoParquet file, whose degrees are WGS 84's."""
    try:
        document = json.loads(metadata)
        name = document["primary_column"]
        column = document["columns"][name]
        encoding, crs = column["encoding"], column.get("crs", _WGS84[0])
        if isinstance(crs, dict):
            crs = f"{crs['id']['authority']}:{crs['id']['code']}"
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        raise DataError(f"{source}: its GeoParquet metadata cannot be read") from None
    if encoding != "WKB":
        raise DataError(f"{source}: geometry encoded as {show(encoding)}; need WKB")
    if crs not in _WGS84:
        raise DataError(f"{source}: coordinates of {show(crs)}; need {' or '.join(_WGS84)}")
    return str(name)


def _wkb_points(source: str, cells: Sequence[Any]) -> tuple[list[float], list[float]]:
    lon, lat = [np.nan] * len(cells), [np.nan] * len(cells)
    for row, cell in enumerate(cells):
        if cell is None:
            continue
        order = "<" if cell[:1] == b"\x01" else ">"
        # Of type 1, or 1001, 2001 or 3001 with a height, a measure or both behind the coordinates.
        if len(cell) < _WKB_POINT or struct.unpack_from(order + "I", cell, 1)[0] % 1000 != 1:
            raise DataError(f"{source}, row {row + 1}: no point of two coordinates")
        lon[row], lat[row] = struct.unpack_from(order + "2d", cell, 5)
    return lon, lat


def _ndjson(source: str) -> PositionColumns:
    objects, lines = [], []
    try:
        with open_text(source) as file:
            for line, text in enumerate(file, 1):
                # A record separator begins each text of a GeoJSON text sequence (RFC 8142).
                if text := text.strip().lstrip("\x1e"):
                    try:
                        objects.append(json.loads(text))
                    except (ValueError, RecursionError):
                        raise DataError(f"{source}, line {line}: not a JSON document") from None
                    lines.append(line)
    except FileNotFoundError:
        raise DataError(f"{source}: cannot be read: No such file or directory") from None
    if not objects:
        raise DataError(f"{source}: the file has no rows")
    for line, entry in zip(lines, objects, strict=True):
        if not isinstance(entry, dict):
            raise DataError(f"{source}, line {line}: not a JSON object")
    rows = np.array(lines, dtype=np.int64)
    if "geometry" in objects[0]:
        return _features(source, objects, rows, "line")
    return _by_name(source, objects, rows, "line", {})


def _geojson(source: str) -> PositionColumns:
    try:
        document = json.loads(Path(source).read_text(encoding="utf-8-sig"))
        features = document["features"]
        lines = np.arange(len(features))
    except OSError as error:
        raise DataError(f"{source}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise DataError(f"{source}: not a JSON document in UTF-8") from None
    except (TypeError, KeyError, AttributeError):
        raise DataError(f"{source}: not a GeoJSON FeatureCollection of points") from None
    return _features(source, features, lines, "feature")


def _features(source: str, features: Sequence[Any], lines: Any, unit: str) -> PositionColumns:
    spots, properties = [], []
    for number, feature in zip(lines, features, strict=True):
        where = f"{source}: {unit} {number}"
        try:
            kind, spot = feature["geometry"]["type"], feature["geometry"]["coordinates"]
            entry = feature.get("properties") or {}
        except (TypeError, KeyError, AttributeError):
            raise DataError(f"{where} is no GeoJSON feature with a point") from None
        pair = kind == "Point" and isinstance(spot, list) and len(spot) >= 2
        # By type: in Python true is an int, and no degree.
        if not pair or not all(type(degree) in (int, float) for degree in spot[:2]):
            raise DataError(f"{where} is no point with two coordinates")
        if not isinstance(entry, dict):
            raise DataError(f"{where} has properties without names")
        spots.append(spot)
        properties.append(entry)
    degrees = {"lon": [spot[0] for spot in spots], "lat": [spot[1] for spot in spots]}
    return _by_name(source, properties, lines, unit, degrees)


def _by_name(
    source: str, entries: Sequence[Any], lines: Any, unit: str, degrees: Mapping[str, Sequence[Any]]
) -> PositionColumns:
    # A dict and no set: columns stand in the order in which objects first name them.
    names = tuple({name: None for entry in entries for name in entry})
    return PositionColumns(
        source, names, lambda at: [entry.get(names[at]) for entry in entries], lines, unit, degrees
    )


def _gpx(source: str) -> PositionColumns:
    try:
        with open(source, "rb") as file:
            reader = _Gpx(source)
            reader.parser.ParseFile(file)
    except OSError as error:
        raise DataError(f"{source}: cannot be read: {error.strerror}") from None
    except expat.ExpatError as error:
        raise DataError(f"{source}: not well-formed XML: {error}") from None
    if not reader.lines:
        raise DataError(f"{source}: no points; need wpt, rtept or trkpt of GPX")
    # A file is one device's, unless somebody says that its tracks are different people's.
    users = [Path(source).stem] * len(reader.lines)
    by_meaning: dict[str, Sequence[Any]]
    by_meaning = {"lat": reader.lat, "lon": reader.lon, "time": reader.times, "user": users}
    # By number until the end of the file: two tracks may have one name, or none.
    tracks = [reader.names.get(track, "") for track in reader.tracks]
    lines = np.array(reader.lines, dtype=np.int64)
    return PositionColumns(source, ("name",), lambda _: tracks, lines, "line", by_meaning)


class _Gpx:
    """The points of a GPX file, from the events of a parser."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lat: list[str | None] = []
        self.lon: list[str | None] = []
        self.times: list[str | None] = []
        self.lines: list[int] = []
        self.tracks: list[int] = []
        """Number of the track or route of each point, -1 for a waypoint."""
        self.names: dict[int, str] = {}
        """By track, if it has one."""
        self._path: list[str] = []
        self._text = ""
        self._track = -1
        self.parser = expat.ParserCreate(namespace_separator="}")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters

    # Entities are declared in a document type; a few lines of them expand to gigabytes.
    def _refuse_doctype(self, *_: object) -> None:
        raise DataError(
            f"{self.source}, line {self.parser.CurrentLineNumber}: a document type (DOCTYPE) is "
            "refused, and entities with it"
        )

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        namespace, _, tag = name.rpartition("}")
        self._text = ""
        self._path.append(tag if namespace.partition("://")[2] in NAMESPACES else "")
        if self._path[0] != "gpx":
            raise DataError(f"{self.source}: {show(tag)} is no GPX file")
        # By the path, which has no name for elements of extensions: one called rte is no route.
        if self._path[-1] in ("trk", "rte"):
            self._track += 1
        elif self._path[-1] in ("wpt", "rtept", "trkpt"):
            self.lat.append(attributes.get("lat"))
            self.lon.append(attributes.get("lon"))
            self.times.append(None)
            self.lines.append(self.parser.CurrentLineNumber)
            self.tracks.append(-1 if tag == "wpt" else self._track)

    def _end(self, _: str) -> None:
        tag = self._path.pop()
        parent = self._path[-1] if self._path else ""
        if tag == "time" and parent in ("wpt", "rtept", "trkpt"):
            self.times[-1] = self._text
        elif tag == "name" and parent in ("trk", "rte"):
            self.names[self._track] = self._text.strip()
        self._text = ""

    def _characters(self, text: str) -> None:
        self._text += text


_READERS: Mapping[str, Callable[[str], PositionColumns]] = {
    **dict.fromkeys((".parquet", ".pq"), _parquet),
    **dict.fromkeys((".geojson", ".json"), _geojson),
    **dict.fromkeys((".ndjson", ".jsonl", ".geojsonl", ".geojsons"), _ndjson),
    ".gpx": _gpx,
}
ENDINGS = frozenset((*_READERS, ".csv", ".tsv", ".txt", ".xlsx"))
"""What names of files of positions end in, as a rule."""
