"""Cities from markup: GraphML, and OpenStreetMap XML.

What has been read of a city, before it is one: the part that all formats share.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np

from kproof.errors import DataError, InvalidArgument, show
from kproof.models.base.xml_stream import parse
from kproof.models.places.city.city import MOST_USERS, City, Coordinates
from kproof.theory.exact.typed import integer, rational

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "node": ("osmid", "node", "node_id", "id", "name"),
    "x": ("lon", "longitude", "lng", "x"),
    "y": ("lat", "latitude", "y"),
    "users": ("users", "population"),
    "start": ("from_", "from", "u", "source", "start"),
    "end": ("to_", "to", "v", "target", "end"),
    "one_way": ("oneway", "one_way"),
}
"""What each column may be called, in any case; the first that is there counts."""

DEGREES = ("lon", "longitude", "lng", "lat", "latitude")
"""Names that say that coordinates are degrees."""


@dataclass
class Draft:
    """What has been read of a city."""

    names: list[str] = field(default_factory=list)
    """Of the nodes."""
    x: list[float] = field(default_factory=list)
    y: list[float] = field(default_factory=list)
    """Of each node; empty if the file has none."""
    kind: Coordinates = Coordinates.PLANE
    """What they are."""
    users: list[int] = field(default_factory=list)
    """At each node; empty if the file has none."""
    streets: list[tuple[int, int]] = field(default_factory=list)
    """Pairs of node indexes."""
    one_way: list[bool] = field(default_factory=list)
    """Whether each street may be driven in this direction only."""

    def add(self, ends: tuple[int, int], towards: int) -> None:
        """Add a street: one-way along its ends (1), against them (-1), or not (0)."""
        self.streets.append(ends[::-1] if towards < 0 else ends)
        self.one_way.append(towards != 0)


def city_of(draft: Draft) -> City:
    """Return the city, or raise the errors of :meth:`City.of`."""
    ways = {
        way
        for (u, v), one_way in zip(draft.streets, draft.one_way, strict=True)
        for way in (((u, v),) if one_way else ((u, v), (v, u)))
    }
    city = City.of(
        draft.users or np.zeros(len(draft.names), dtype=np.int64),
        draft.streets,
        x=draft.x or None,
        y=draft.y or None,
        coordinates=draft.kind,
        # Sorted: a set has an order of its own, and one-way streets are what a city says.
        one_way=sorted((u, v) for u, v in ways if u != v and (v, u) not in ways),
        names=draft.names,
    )
    return city.merge_by_way(set(draft.streets))


def direction(text: str) -> int | None:
    """Return 1 for a one-way street, -1 for one against its direction, 0 for none."""
    if (word := text.strip().lower()) in ("yes", "true", "1"):
        return 1
    if word in ("-1", "reverse"):
        return -1
    return 0 if word in ("no", "false", "0", "") else None


def node_of(name: str, place: Mapping[str, int], location: str) -> int:
    """Return the index of a node at which a street ends."""
    if name not in place:
        raise DataError(f"{location}: a street leads to {show(name)}, which is no node")
    return place[name]


def people(text: str, location: str) -> int:
    """Read a number of users."""
    try:
        return integer("users", text, least=0, most=MOST_USERS)
    except InvalidArgument:
        need = f"a whole number, 0 to {MOST_USERS}"
        raise DataError(f"{location}: {show(text)} users; need {need}") from None


def decimal(text: str, column: str, location: str = "") -> float:
    """Read a coordinate."""
    try:
        return float(rational(column, text))
    except (InvalidArgument, OverflowError):
        before = f"{location}: " if location else ""
        raise DataError(f"{before}{column} is {show(text)}; need a number") from None


NO_STREETS = frozenset(
    (
        *("abandoned", "bus_stop", "construction", "corridor", "demolished", "disused"),
        *("elevator", "no", "planned", "platform", "proposed", "raceway", "razed"),
        *("rest_area", "services"),
    )
)
"""Values of the OpenStreetMap tag ``highway`` that nobody walks or drives on."""


@dataclass
class _GraphML:
    """Takes what a GraphML file says of nodes, edges and their attributes."""

    keys: dict[str, tuple[str, str]] = field(default_factory=dict)
    defaults: dict[str, dict[str, str]] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    nodes: list[dict[str, str]] = field(default_factory=list)
    edges: list[tuple[str, str, bool, dict[str, str]]] = field(default_factory=list)
    about: dict[str, str] = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)
    directed: bool = False
    open: list[str] = field(default_factory=list)
    graphs: int = 0
    key: str = ""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.open.append(tag)
        if tag == "graph":
            # A graph inside a node is one as well: its nodes would join those of the outer one.
            self.graphs += 1
            if self.graphs > 1:
                raise DataError("a second graph; need one")
            self.directed = _attribute(tag, attributes, "edgedefault") == "directed"
        elif tag == "key":
            self.key = _attribute(tag, attributes, "id")
            name = attributes.get("attr.name", self.key)
            self.keys[self.key] = (attributes.get("for", "all"), name)
        elif tag == "node":
            self.names.append(_attribute(tag, attributes, "id"))
            self.own = {}
            self.nodes.append(self.own)
        elif tag == "edge":
            ends = _attribute(tag, attributes, "source"), _attribute(tag, attributes, "target")
            directed = attributes.get("directed")
            self.own = {}
            way = self.directed if directed is None else directed == "true"
            self.edges.append((*ends, way, self.own))
        elif tag == "data":
            self.key = _attribute(tag, attributes, "key")
            if self.key not in self.keys:
                raise DataError(f"data of key {show(self.key)}, which is not declared")
        elif tag == "hyperedge":
            raise DataError("a hyperedge; need edges between two nodes")

    def end(self, tag: str, text: str) -> None:
        self.open.pop()
        parent = self.open[-1] if self.open else ""
        if tag == "default" and parent == "key":
            element, name = self.keys[self.key]
            self.defaults.setdefault(element, {})[name] = text.strip()
        elif tag == "data" and parent in ("node", "edge", "graph"):
            # The graph's own data may stand behind its nodes.
            attributes = self.about if parent == "graph" else self.own
            attributes[self.keys[self.key][1]] = text.strip()


def from_graphml(source: str | Path, columns: Mapping[str, str]) -> Draft:
    """Read one graph, directed or not, with the attributes of its nodes."""
    names_of = {**COLUMNS, **{field: (columns[field],) for field in COLUMNS & columns.keys()}}
    document = _GraphML()
    parse(source, document, root="graphml")
    if not document.graphs:
        raise DataError(f"{source}: has no graph")
    base = {**document.defaults.get("all", {}), **document.defaults.get("node", {})}
    nodes = [{**base, **attributes} for attributes in document.nodes]
    draft = Draft(names=document.names)
    place = {name: index for index, name in enumerate(document.names)}
    # One name for all nodes: a node with lon beside one with x would mix degrees and metres.
    for axis, into in (("x", draft.x), ("y", draft.y)):
        name = next((n for n in names_of[axis] if any(n in node for node in nodes)), None)
        if name is None:
            continue
        for node, attributes in zip(document.names, nodes, strict=True):
            if name not in attributes:
                raise DataError(f"{source}: node {show(node)} has no {name}; others have it")
            into.append(decimal(attributes[name], name, f"{source}: node {show(node)}"))
        if name.lower() in DEGREES or "4326" in document.about.get("crs", ""):
            draft.kind = Coordinates.DEGREES
    if len(draft.x) != len(draft.y):
        raise DataError(f"{source}: nodes have one coordinate of two")
    name = next((n for n in names_of["users"] if any(n in node for node in nodes)), None)
    if name is None and "users" in columns:
        raise DataError(f"{source}: no node has {show(columns['users'])}")
    if name is not None:
        draft.users = [
            people(attributes.get(name, "0"), f"{source}: node {show(node)}")
            for node, attributes in zip(document.names, nodes, strict=True)
        ]
    base = {**document.defaults.get("all", {}), **document.defaults.get("edge", {})}
    for start, end, directed, attributes in document.edges:
        pair = node_of(start, place, str(source)), node_of(end, place, str(source))
        words = [attributes.get(n, base.get(n, "")) for n in names_of["one_way"]]
        # A directed graph has a two-way street as two edges; what they say is of no account.
        towards = 1 if directed else direction(next(filter(None, words), "")) or 0
        draft.add(pair, towards)
    return draft


@dataclass
class _OSM:
    """Takes the nodes and streets of an OpenStreetMap file."""

    nodes: dict[str, tuple[float, float]] = field(default_factory=dict)
    ways: list[tuple[list[str], dict[str, str]]] = field(default_factory=list)
    way: tuple[list[str], dict[str, str]] | None = None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "node":
            name = _attribute(tag, attributes, "id")
            # What was deleted has no place.
            if attributes.get("visible") != "false":
                lon, lat = (decimal(_attribute(tag, attributes, n), n) for n in ("lon", "lat"))
                self.nodes[name] = (lon, lat)
        elif tag == "way":
            self.way = ([], {})
        elif self.way is not None and tag == "nd":
            self.way[0].append(_attribute(tag, attributes, "ref"))
        elif self.way is not None and tag == "tag":
            key, value = _attribute(tag, attributes, "k"), _attribute(tag, attributes, "v")
            self.way[1][key] = value

    def end(self, tag: str, _: str) -> None:
        if tag == "way" and self.way is not None:
            kind = self.way[1].get("highway", "no")
            if kind not in NO_STREETS and self.way[1].get("area") != "yes":
                self.ways.append(self.way)
            self.way = None


def from_osm(source: str | Path) -> Draft:
    """Read streets with their crossings and ends as nodes; bends in between are left out."""
    document = _OSM()
    parse(source, document, root="osm")
    if not document.ways:
        raise DataError(f"{source}: has no streets, that is no ways with the tag highway")
    pieces = [
        (piece, tags)
        for refs, tags in document.ways
        for piece in _cut_at_unknown_nodes(refs, document)
    ]
    # An end is a node even where a single street has it.
    uses = Counter(name for piece, _ in pieces for name in (*piece, piece[0], piece[-1]))
    draft = Draft(kind=Coordinates.DEGREES)
    place: dict[str, int] = {}
    for name, (lon, lat) in document.nodes.items():
        if uses[name] > 1:
            place[name] = len(place)
            draft.names.append(name)
            draft.x.append(lon)
            draft.y.append(lat)
    for piece, tags in pieces:
        crossings = [place[name] for name in piece if name in place]
        implied = "yes" if tags.get("junction") in ("roundabout", "circular") else ""
        # Words such as reversible are of no one direction.
        towards = direction(tags.get("oneway", implied)) or 0
        for step in pairwise(crossings):
            draft.add(step, towards)
    return draft


def _cut_at_unknown_nodes(refs: Iterable[str], document: _OSM) -> Iterator[list[str]]:
    """Cut a way where it leaves the extract: at nodes that the file does not have."""
    for present, names in groupby(refs, key=document.nodes.__contains__):
        piece = list(names)
        if present and len(piece) > 1:
            yield piece


def _attribute(tag: str, attributes: Mapping[str, str], name: str) -> str:
    if name not in attributes:
        raise DataError(f"<{tag}> has no {name}")
    return attributes[name]
