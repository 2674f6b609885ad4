"""Social graphs: users, who is a friend of whom, and what is known of each user.

Friendship is mutual and simple. Attributes are columns as tables have them, so that graphs and
tables generalize attributes by the same means.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from kproof.errors import DataError, InvalidArgument, show
from kproof.forms import JsonForm
from kproof.models.base.adjacency import Adjacency, adjacency
from kproof.models.base.arrays import Codes
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, is_missing
from kproof.models.base.parameters import GROUP_K
from kproof.models.base.verdict import SCHEMA
from kproof.models.tables.encoding import encode

if TYPE_CHECKING:
    from kproof.models.base.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False)
class SocialGraph:
    """Users and friendships; built by :meth:`from_edges` or :meth:`from_networkx`."""

    names: tuple[object, ...] = field(repr=False)
    """Name of every user; a user's index is the place here."""
    friends: Adjacency = field(repr=False)
    """Who is a friend of whom. Counts friendships given more than once (``merged``) and of users
    with themselves (``loops``), which are left out."""
    attributes: tuple[Column, ...] = ()
    """Further columns, a value for each user."""

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[tuple[object, object]],
        *,
        users: Iterable[object] | None = None,
        attributes: Mapping[str, Sequence[object]] | None = None,
        taxonomies: Mapping[str, Taxonomy] | None = None,
    ) -> SocialGraph:
        """Return the graph of pairs of users, in any order and direction.

        ``users`` are all of them, also those without friends; by first appearance among the pairs
        unless given. ``attributes`` have, by name, a value for each user in that order, None if it
        is missing; ``taxonomies``, by attribute, a hierarchy above its values, which are then
        categories. No user occurs twice, and no attribute mixes kinds of values.

        >>> graph = SocialGraph.from_edges(
        ...     [("ada", "bob"), ("bob", "ada"), ("bob", "cyd")], attributes={"age": [36, 41, None]}
        ... )
        >>> graph.names, graph.friends.edges.tolist(), graph.friends.merged
        (('ada', 'bob', 'cyd'), [[0, 1], [1, 2]], 1)
        >>> graph.attributes[0].values
        (36, 41, ?)
        >>> SocialGraph.from_edges([("ada", "bob")], users=["ada"])
        Traceback (most recent call last):
        kproof.errors.DataError: a friendship names bob, who is not among the users
        """
        pairs = list(edges)
        names = tuple(dict.fromkeys(chain.from_iterable(pairs)) if users is None else users)
        place = {name: index for index, name in enumerate(names)}
        if len(place) < len(names):
            twice = next(name for index, name in enumerate(names) if place[name] != index)
            raise DataError(f"user {show(twice)} occurs twice; need different names")
        indexes = []
        for user, friend in pairs:
            for name in (user, friend):
                if name not in place:
                    raise DataError(f"a friendship names {show(name)}, who is not among the users")
            indexes.append((place[user], place[friend]))
        value_of, trees = attributes or {}, taxonomies or {}
        for name in trees:
            if name not in value_of:
                raise InvalidArgument("taxonomies", name, "names of attributes")
        columns = (
            _column(name, values, len(names), trees.get(name)) for name, values in value_of.items()
        )
        return cls(names, adjacency(len(names), indexes), tuple(columns))

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        *,
        attributes: Iterable[str] = (),
        taxonomies: Mapping[str, Taxonomy] | None = None,
    ) -> SocialGraph:
        """Return the graph of a networkx graph of any kind, which stays as it is.

        Directions are dropped: there and back is one friendship, counted in ``friends.merged``.
        Users without one of the node attributes that are kept have a missing value.

        >>> import networkx as nx
        >>> SocialGraph.from_networkx(nx.star_graph(3)).friends.degrees.tolist()
        [3, 1, 1, 1]
        """
        nodes = graph.nodes
        values = {name: [data.get(name) for data in nodes.values()] for name in attributes}
        return cls.from_edges(graph.edges(), users=nodes, attributes=values, taxonomies=taxonomies)

    @property
    def users(self) -> int:
        """Number of users."""
        return len(self.names)

    @property
    def degrees(self) -> Codes:
        """Shape (users,): number of friends of each user."""
        return self.friends.degrees

    def index(self, name: object) -> int:
        """Return the index of a user by name."""
        try:
            return self._places[name]
        except (KeyError, TypeError):
            raise InvalidArgument("user", name, f"one of the {self.users} users") from None

    def to_networkx(self) -> Any:
        """Return a networkx Graph with the attributes; a missing value is no attribute."""
        import networkx as nx

        graph = nx.Graph()
        graph.add_nodes_from(self.names)
        names = self.names
        graph.add_edges_from((names[u], names[v]) for u, v in self.friends.edges.tolist())
        for column in self.attributes:
            for name, code in zip(names, column.codes.tolist(), strict=True):
                if column.values[code] is not MISSING:
                    graph.nodes[name][column.name] = column.values[code]
        return graph

    def summary(self) -> str:
        """Return what the graph is, in a few lines."""
        return (
            f"users: {self.users}, of them {self.isolated} without friends\n"
            f"friendships: {self.friends.count} in {self.friends.components[1]} components\n"
            f"attributes: {', '.join(column.name for column in self.attributes) or 'none'}\n"
            f"left out: {self.friends.merged} repeated, {self.friends.loops} loops"
        )

    @property
    def isolated(self) -> int:
        """Users without friends."""
        return int(np.count_nonzero(self.degrees == 0))

    @property
    def largest_degree(self) -> int:
        """Most friends of a user."""
        return int(self.degrees.max(initial=0))

    to_dict = JsonForm(
        "users isolated friendships=friends.count components=friends.components.1",
        "largest_degree attributes=attributes.name merged=friends.merged loops=friends.loops",
        schema=SCHEMA,
    )

    @cached_property
    def _places(self) -> dict[object, int]:
        return {name: place for place, name in enumerate(self.names)}


def cluster_size(graph: SocialGraph, k: object) -> int:
    """Return k if it is a whole number from 2 to the users of a graph."""
    if (size := GROUP_K.read(k)) > graph.users:
        raise InvalidArgument("k", size, f"2 <= k <= {graph.users}, the number of users")
    return size


def _column(name: str, values: Sequence[object], users: int, taxonomy: Taxonomy | None) -> Column:
    if len(values) != users:
        raise InvalidArgument(name, f"{len(values)} values", f"one for each of {users} users")
    code_of: dict[object, int] = {}
    codes = [-1 if is_missing(cell) else code_of.setdefault(cell, len(code_of)) for cell in values]
    # None leaves it to the values; under a hierarchy even numbers are categories.
    numeric = None if taxonomy is None else False
    column = encode(name, np.array(codes, dtype=np.int64), list(code_of), numeric=numeric)
    if taxonomy is None:
        return column
    return replace(column, taxonomy=taxonomy.fitted(column.values, column=name))
