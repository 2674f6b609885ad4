"""Cities from files: CSV tables of nodes and streets, GraphML, and OpenStreetMap XML.

Names of nodes are texts, as the file has them. Users come from a column of the file, or are spread
at random with a seed. What the file says of components and one-way streets, and what was left out
of it, is in :meth:`City.summary <kproof.models.places.city.city.City.summary>`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from kproof.datasets import read_text_table
from kproof.datasets.tables import TextTable
from kproof.errors import DataError, InvalidArgument, one_of, show
from kproof.models.base.adjacency import read_only
from kproof.models.base.parameters import SEED
from kproof.models.places.city.city import City, Coordinates
from kproof.models.places.city.markup import (
    COLUMNS,
    DEGREES,
    Draft,
    city_of,
    decimal,
    direction,
    from_graphml,
    from_osm,
    node_of,
    people,
)
from kproof.theory.exact.typed import Number, choice, integer

MOST_SPREAD = 10**8
"""Most users that are spread at random, a number each while they are."""


def read_city(
    source: str | Path,
    *,
    edges: str | Path | None = None,
    users: Number | None = None,
    seed: Number = 0,
    columns: Mapping[str, str] | None = None,
    coordinates: Coordinates | str | None = None,
) -> City:
    """Read a road network from a file of any of the formats.

    ``source`` is a GraphML file (``.graphml``), an OpenStreetMap XML file (``.osm``, ``.xml``),
    either possibly packed (``.bz2``, ``.gz``), or a CSV file with a row for each node, and then
    ``edges`` one with a row for each street. ``users`` of them, at most :data:`MOST_SPREAD`, are
    each spread to any node with equal probability, by ``seed``, instead of those in the file.
    ``columns`` says what columns or attributes are called, if not one of :data:`COLUMNS`: keys are
    ``node``, ``x``, ``y``, ``users``, ``start``, ``end``, ``one_way``. Coordinates are
    ``"degrees"`` or ``"plane"``; else columns called longitude and latitude are degrees, and so is
    OpenStreetMap. Errors name the file and the line.

    >>> read_city("nodes.csv")
    Traceback (most recent call last):
    kproof.errors.InvalidArgument: edges is not given: need the file with the streets of nodes.csv
    """
    for name in columns or {}:
        if name not in COLUMNS:
            raise InvalidArgument("columns", name, one_of(name, COLUMNS))
    if coordinates is not None:
        choice("coordinates", coordinates, Coordinates)
    count = None if users is None else integer("users", users, least=0, most=MOST_SPREAD)
    start = SEED.read(seed)
    if (kind := _format(source)) == "csv":
        if edges is None:
            raise InvalidArgument("edges", None, f"the file with the streets of {source}")
        draft = _from_csv(source, edges, columns or {})
    elif edges is not None:
        raise InvalidArgument("edges", str(edges), f"none; {source} has its own")
    elif kind == "graphml":
        draft = from_graphml(source, columns or {})
    else:
        draft = from_osm(source)
    if coordinates is not None:
        draft.kind = Coordinates(coordinates)
    try:
        city = city_of(draft)
    except DataError as error:
        raise DataError(f"{source}: {error}") from None
    return city if count is None else spread(city, count, seed=start)


def spread(city: City, users: Number, *, seed: Number = 0) -> City:
    """Return the city with other users, each at any node with equal probability.

    >>> spread(City.of([0, 0, 9], [(0, 1)]), 5, seed=1).users.tolist()
    [1, 2, 2]
    """
    count = integer("users", users, least=0, most=MOST_SPREAD)
    places = np.random.default_rng(SEED.read(seed)).integers(city.nodes, size=count)
    return replace(city, users=read_only(np.bincount(places, minlength=city.nodes)))


def _format(source: str | Path) -> str:
    suffixes = [suffix.lower() for suffix in Path(source).suffixes]
    if suffixes and suffixes[-1] in (".bz2", ".gz"):
        suffixes.pop()
    last = suffixes[-1] if suffixes else ""
    # By name, or it would be read as a CSV file, which any other ending is.
    if last == ".pbf":
        raise DataError(f"{source}: OpenStreetMap PBF is not read; convert it to .osm or .osm.bz2")
    return {".graphml": "graphml", ".osm": "osm", ".xml": "osm"}.get(last, "csv")


def read_nodes(source: str | Path, columns: Mapping[str, str] | None = None) -> Draft:
    """Read a CSV file with a row for each node, without streets."""
    draft, columns = Draft(), columns or {}
    nodes = read_text_table(source, header="yes")
    draft.names = [cell.strip() for cell in _cells(nodes, "node", columns)]
    east = _position(nodes, "x", columns)
    # With one coordinate both are asked for, and the one that is missing is named.
    if east is not None or _position(nodes, "y", columns) is not None:
        draft.x = _decimals(nodes, "x", columns)
        draft.y = _decimals(nodes, "y", columns)
        if east is not None and nodes.names[east].lower() in DEGREES:
            draft.kind = Coordinates.DEGREES
    if "users" in columns or _position(nodes, "users", columns) is not None:
        counts = zip(_cells(nodes, "users", columns), nodes.lines, strict=True)
        draft.users = [people(cell, f"{nodes.source}, line {line}") for cell, line in counts]
    return draft


def _from_csv(source: str | Path, edges: str | Path, columns: Mapping[str, str]) -> Draft:
    draft = read_nodes(source, columns)
    place = {name: index for index, name in enumerate(draft.names)}
    streets = read_text_table(edges, header="yes")
    ends = (_cells(streets, "start", columns), _cells(streets, "end", columns))
    has_ways = "one_way" in columns or _position(streets, "one_way", columns) is not None
    ways: Sequence[str] = _cells(streets, "one_way", columns) if has_ways else [""] * len(ends[0])
    for line, start, end, way in zip(streets.lines, *ends, ways, strict=True):
        location = f"{streets.source}, line {line}"
        pair = node_of(start.strip(), place, location), node_of(end.strip(), place, location)
        # In a table of somebody's own an unknown word is a slip, and no street of both directions.
        if (towards := direction(way)) is None:
            raise DataError(f"{location}: one-way is {show(way)}; need yes, no or -1")
        draft.add(pair, towards)
    return draft


def _decimals(table: TextTable, field: str, columns: Mapping[str, str]) -> list[float]:
    cells = zip(_cells(table, field, columns), table.lines, strict=True)
    return [decimal(cell, field, f"{table.source}, line {line}") for cell, line in cells]


def _position(table: TextTable, field: str, columns: Mapping[str, str]) -> int | None:
    if field in columns:
        return table.position(columns[field])
    lower = [name.lower() for name in table.names]
    return next((lower.index(name) for name in COLUMNS[field] if name in lower), None)


def _cells(table: TextTable, field: str, columns: Mapping[str, str]) -> Sequence[str]:
    if (position := _position(table, field, columns)) is None:
        accepted = ", ".join(COLUMNS[field])
        raise DataError(f"{table.source}: no column for {field}: need one of {accepted}")
    return table.cells[position]
