"""Cities: a road network with coordinates and the number of users at every node.

Roads are walked in both directions; which of them are one-way for cars is kept beside. A city
never changes, so that a request and its answer speak of the same one.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kproof.errors import DataError, InvalidArgument, show
from kproof.forms import JsonForm
from kproof.models.base.adjacency import Adjacency, adjacency, node_pairs, read_only
from kproof.models.base.arrays import Codes, Floats
from kproof.models.base.parameters import SEED
from kproof.models.base.verdict import SCHEMA
from kproof.theory.exact.typed import choice, integer

MOST_USERS = 2**53
"""Most users of a city: their sums are exact in whatever arithmetic."""


class Coordinates(StrEnum):
    """What the two coordinates of a node are."""

    PLANE = "plane"
    """East and north on a plane, in metres or any one unit."""
    DEGREES = "degrees"
    """Longitude and latitude."""


@dataclass(frozen=True, eq=False)
class City:
    """A road network and where its users are; built by :meth:`of` or :meth:`from_networkx`."""

    names: Sequence[object] = field(repr=False)
    """Name of every node; a node's index is its place here."""
    roads: Adjacency = field(repr=False)
    """Which nodes a street joins, for walking. Counts streets given more than once (``merged``)
    and streets from a node to itself (``loops``), which are left out."""
    users: Codes = field(repr=False)
    """Shape (nodes,): users at each node, 0 or more."""
    x: Floats | None = field(default=None, repr=False)
    y: Floats | None = field(default=None, repr=False)
    """Shape (nodes,): east and north, or longitude and latitude; None if they are not known."""
    coordinates: Coordinates = Coordinates.PLANE
    """Which of the two."""
    one_way: Codes = field(default_factory=lambda: read_only(np.zeros((0, 2))), repr=False)
    """Shape (streets, 2): streets that may be driven in this direction only."""

    @classmethod
    def of(
        cls,
        users: ArrayLike,
        roads: ArrayLike | Iterable[tuple[int, int]],
        *,
        x: ArrayLike | None = None,
        y: ArrayLike | None = None,
        coordinates: Coordinates | str = Coordinates.PLANE,
        one_way: ArrayLike | Iterable[tuple[int, int]] = (),
        names: Sequence[object] | None = None,
    ) -> City:
        """Return the city of users, at most :data:`MOST_USERS`, and streets, pairs of node indexes.

        ``users``, ``x`` and ``y`` have the shape (nodes,). Coordinates are finite, both or neither;
        degrees are longitudes from -180 to 180 and latitudes from -90 to 90. ``one_way`` are those
        of the streets that are one-way from their start to their end. ``names`` are all different,
        0, 1, ... unless given. Errors name the node.

        >>> town = City.of([3, 0, 2], [(0, 1), (1, 2), (2, 1)])
        >>> town.nodes, town.population, town.roads.count, town.roads.merged
        (3, 5, 2, 1)
        >>> City.of([3, -1], [(0, 1)])
        Traceback (most recent call last):
        kproof.errors.DataError: node 1 has -1 users; need 0 or more
        """
        counts = _whole("users", users)
        labels: Sequence[object] = range(len(counts)) if names is None else tuple(names)
        if len(labels) != len(counts):
            raise InvalidArgument("names", f"{len(labels)} names", f"one for {len(counts)} nodes")
        if not isinstance(labels, range) and len(set(labels)) < len(labels):
            # The last place of each name; one that recurs is met before it.
            last = {name: place for place, name in enumerate(labels)}
            twice = next(name for place, name in enumerate(labels) if last[name] != place)
            raise DataError(f"two nodes are called {show(twice)}; need different names")
        negative = np.flatnonzero(counts < 0)
        if len(negative):
            node = int(negative[0])
            raise DataError(f"node {show(labels[node])} has {counts[node]} users; need 0 or more")
        # A sum of integers may run over; a sum of floats says whether it can.
        if counts.sum(dtype=np.float64) > 2 * MOST_USERS or counts.sum() > MOST_USERS:
            raise DataError(f"more than {MOST_USERS} users together; need fewer")
        kind = choice("coordinates", coordinates, Coordinates)
        streets = adjacency(len(counts), roads)
        directed = node_pairs("one_way", one_way, len(counts))
        for start, end in directed.tolist():
            if start == end or not streets.joins(start, end):
                raise InvalidArgument("one_way", (start, end), "pairs that are among the roads")
        east, north = _positions(x, y, labels, kind)
        one_way_streets = read_only(directed)
        return cls(labels, streets, read_only(counts), east, north, kind, one_way_streets)

    @property
    def degrees(self) -> tuple[Floats, Floats]:
        """Latitudes and longitudes of the nodes; DataError if the city has none."""
        if self.coordinates is not Coordinates.DEGREES or self.x is None or self.y is None:
            raise DataError("the city has no longitudes and latitudes")
        return self.y, self.x

    @classmethod
    def grid(cls, rows: int = 5, cols: int = 5, *, users: int = 100, seed: int = 0) -> City:
        """Return a grid of streets with users spread at random.

        Every user stands at any of the nodes with equal probability. Nodes are numbered row by row;
        x is the column and y the row.

        >>> city = City.grid(2, 3, users=10, seed=1)
        >>> city.nodes, city.population, city.roads.edges.tolist()
        (6, 10, [[0, 1], [0, 3], [1, 2], [1, 4], [2, 5], [3, 4], [4, 5]])
        """
        height, width = integer("rows", rows, least=1), integer("cols", cols, least=1)
        people = integer("users", users, least=0)
        nodes = np.arange(height * width, dtype=np.int64).reshape(height, width)
        across = np.column_stack([nodes[:, :-1].ravel(), nodes[:, 1:].ravel()])
        along = np.column_stack([nodes[:-1].ravel(), nodes[1:].ravel()])
        places = np.random.default_rng(SEED.read(seed)).integers(nodes.size, size=people)
        users_at = np.bincount(places, minlength=nodes.size)
        streets = np.concatenate([across, along])
        return cls.of(users_at, streets, x=nodes.ravel() % width, y=nodes.ravel() // width)

    @classmethod
    def from_networkx(cls, graph: Any, *, users: str = "users") -> City:
        """Return the city of a networkx graph of any kind, which stays as it is.

        Coordinates are read from the node attributes ``x`` and ``y``, or ``lon`` and ``lat``
        (degrees), or the pair ``pos``; all nodes have them, or none. The attribute ``users`` has
        the number of users; nodes without it have none. In a directed graph a street that leads one
        way only is a one-way street. Degrees under the names ``x`` and ``y`` are recognised by the
        graph attribute ``crs`` being EPSG:4326, as road networks of OpenStreetMap have it.

        >>> import networkx as nx
        >>> roads = nx.DiGraph([("a", "b"), ("b", "a"), ("b", "c")])
        >>> roads.nodes["a"]["users"] = 4
        >>> city = City.from_networkx(roads)
        >>> city.users.tolist(), city.one_way.tolist(), city.roads.merged
        ([4, 0, 0], [[1, 2]], 0)
        """
        names = tuple(graph.nodes)
        place = {name: index for index, name in enumerate(names)}
        pairs = np.array([(place[u], place[v]) for u, v in graph.edges()], dtype=np.int64)
        # Of no edges NumPy makes an array without a second axis.
        pairs = pairs.reshape(-1, 2)
        ways = dict.fromkeys(map(tuple, pairs.tolist() if graph.is_directed() else ()))
        x, y, kind = _coordinates_of(graph)
        city = cls.of(
            [_users_of(name, attributes.get(users, 0)) for name, attributes in graph.nodes.items()],
            pairs,
            x=x,
            y=y,
            coordinates=kind,
            one_way=[(u, v) for u, v in ways if u != v and (v, u) not in ways],
            names=names,
        )
        return city.merge_by_way(ways)

    def merge_by_way(self, ways: Collection[tuple[int, ...]]) -> City:
        """Return the city with only repeated directions counted as merged, not the way back."""
        # The graph of streets has no directions and counted the way back of each as given again.
        again = sum((v, u) in ways for u, v in ways if u < v)
        return replace(self, roads=replace(self.roads, merged=self.roads.merged - again))

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.names)

    @property
    def population(self) -> int:
        """Number of users."""
        return int(self.users.sum())

    @property
    def components(self) -> tuple[Codes, int]:
        """Component of each node, numbered by their first nodes, and how many there are."""
        return self.roads.components

    @cached_property
    def reachable(self) -> Codes:
        """Shape (nodes,): users in the component of each node, the most its regions can hold."""
        return self._in_component(self.users)

    @cached_property
    def reachable_nodes(self) -> Codes:
        """Shape (nodes,): nodes with users in the component of each node."""
        return self._in_component(self.users > 0)

    def _in_component(self, of_nodes: NDArray[Any]) -> Codes:
        of_node, count = self.components
        totals = np.zeros(count, dtype=np.int64)
        # A bincount with weights would add floats; whole numbers add up exactly.
        np.add.at(totals, of_node, of_nodes)
        return read_only(totals[of_node])

    def index(self, name: object) -> int:
        """Return the index of a node by its name.

        >>> City.of([1, 1], [(0, 1)], names=["mill", "bridge"]).index("bridge")
        1
        """
        try:
            return self._places[name]
        except (KeyError, TypeError):
            admissible = f"one of the {self.nodes} nodes of the city"
            raise InvalidArgument("target", name, admissible) from None

    def to_networkx(self) -> Any:
        """Return a networkx Graph with the users and coordinates as node attributes.

        Streets are undirected; an edge of a one-way street has the attribute ``one_way``, the
        pair of names from its start to its end.
        """
        import networkx as nx

        graph = nx.Graph()
        if self.coordinates is Coordinates.DEGREES:
            graph.graph["crs"] = _DEGREES
        for node, name in enumerate(self.names):
            graph.add_node(name, users=int(self.users[node]))
            if self.x is not None and self.y is not None:
                graph.nodes[name].update(x=float(self.x[node]), y=float(self.y[node]))
        names = self.names
        graph.add_edges_from((names[u], names[v]) for u, v in self.roads.edges.tolist())
        for start, end in self.one_way.tolist():
            graph.edges[names[start], names[end]]["one_way"] = (names[start], names[end])
        return graph

    def summary(self) -> str:
        """Return what the city is, in a few lines."""
        _, parts = self.components
        return (
            f"nodes: {self.nodes}, of them {self.empty_nodes} without users\n"
            f"users: {self.population}\n"
            f"streets: {self.roads.count} in {parts} components, {len(self.one_way)} one-way\n"
            f"left out: {self.roads.merged} repeated, {self.roads.loops} loops"
        )

    @property
    def empty_nodes(self) -> int:
        """Nodes without users."""
        return int(np.count_nonzero(self.users == 0))

    @property
    def _coordinate_system(self) -> Coordinates | None:
        """How coordinates are read; None without any."""
        return None if self.x is None else self.coordinates

    to_dict = JsonForm(
        "nodes empty_nodes users=population streets=roads.count components=components.1",
        "one_way=len(one_way) merged=roads.merged loops=roads.loops coordinates=_coordinate_system",
        schema=SCHEMA,
    )

    @cached_property
    def _places(self) -> dict[object, int]:
        return {name: place for place, name in enumerate(self.names)}


_DEGREES = "EPSG:4326"


def _whole(name: str, values: ArrayLike) -> Codes:
    array = np.asarray(values)
    if array.ndim != 1:
        raise InvalidArgument(name, array.shape, "one number for each node")
    if not len(array):
        raise DataError("the city has no nodes")
    if array.dtype.kind not in "iu":
        checked = [integer(name, value, most=MOST_USERS) for value in array.tolist()]
        return np.array(checked, dtype=np.int64)
    # The largest unsigned numbers would be negative ones.
    numbers: Codes = np.minimum(array, 2 * MOST_USERS).astype(np.int64)
    return numbers


def _positions(
    x: ArrayLike | None, y: ArrayLike | None, names: Sequence[object], kind: Coordinates
) -> tuple[Floats | None, Floats | None]:
    if x is None and y is None:
        return None, None
    if x is None or y is None:
        raise InvalidArgument("x and y", "one of them", "both or neither")
    limits = (180.0, 90.0) if kind is Coordinates.DEGREES else (math.inf, math.inf)
    axes = []
    for axis, typed, limit in zip(("x", "y"), (x, y), limits, strict=True):
        values = np.array(typed, dtype=np.float64)
        if values.shape != (len(names),):
            raise InvalidArgument(axis, values.shape, f"shape ({len(names)},)")
        bad = np.flatnonzero(~(np.isfinite(values) & (np.abs(values) <= limit)))
        if len(bad):
            node = int(bad[0])
            need = "finite" if math.isinf(limit) else f"from -{limit:.0f} to {limit:.0f}"
            raise DataError(f"node {show(names[node])} has {axis} = {values[node]}; need {need}")
        values.flags.writeable = False
        axes.append(values)
    return axes[0], axes[1]


def _coordinates_of(graph: Any) -> tuple[list[float] | None, list[float] | None, Coordinates]:
    """Return the coordinates of a networkx graph under whichever names it has them."""
    degrees = str(graph.graph.get("crs", "")).upper() == _DEGREES
    plane = Coordinates.DEGREES if degrees else Coordinates.PLANE
    lon_lat = ("lon", "lat", Coordinates.DEGREES)
    for first, second, kind in (("x", "y", plane), lon_lat, ("pos", "pos", plane)):
        present = [first in data and second in data for data in graph.nodes.values()]
        if not any(present):
            continue
        if not all(present):
            name = list(graph.nodes)[present.index(False)]
            raise DataError(f"node {show(name)} has no {first} and {second}; others have them")
        try:
            nodes = graph.nodes.values()
            spots = [d["pos"] if first == "pos" else (d[first], d[second]) for d in nodes]
            return [float(x) for x, _ in spots], [float(y) for _, y in spots], kind
        except (TypeError, ValueError):
            raise DataError(f"the nodes' {first} and {second} are not all numbers") from None
    return None, None, Coordinates.PLANE


def _users_of(name: object, value: object) -> int:
    try:
        return integer("users", value)
    except InvalidArgument:
        raise DataError(f"node {show(name)} has {show(value)} users; need a whole number") from None
