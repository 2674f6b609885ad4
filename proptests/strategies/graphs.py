"""Strategies for social graphs, and the sources of cases made of them.

A graph is drawn as a number of users and numbers of edges in an order that does not depend on
that number, so that users and friendships can be taken away one by one when a case shrinks.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import chain, combinations
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from kproof.models.graphs.social import SocialGraph
from kproof.models.registry import Kind
from kproof.proptests.cases import GraphCase
from kproof.proptests.contract import Source

Edges = frozenset[tuple[int, int]]

_PARAMETERS: Mapping[str, SearchStrategy[Any]] = {
    "k": st.sampled_from((2, 3, 4, 1, 9)),
    "alpha": st.sampled_from(("1/2", "0", "1")),
    "beta": st.sampled_from(("1/2", "1")),
    "seed": st.integers(0, 3),
}


def edge(number: int) -> tuple[int, int]:
    """Return an edge by its number; edges among the first n users have the first numbers.

    >>> [edge(number) for number in range(6)]
    [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
    """
    high = 1
    while number >= high:
        number -= high
        high += 1
    return number, high


@st.composite
def edges_among(draw: DrawFn, *, users: int, most: int | None = None) -> Edges:
    """Draw friendships among users 0, ..., users - 1, at most so many."""
    pairs = users * (users - 1) // 2
    if not pairs:
        return frozenset()
    numbers = st.sets(st.integers(0, pairs - 1), max_size=pairs if most is None else most)
    return frozenset(map(edge, draw(numbers)))


@st.composite
def sparse_graphs(draw: DrawFn, *, most: int = 9) -> tuple[int, Edges]:
    """Draw a graph with any friendships, often disconnected."""
    users = draw(st.integers(0, most))
    return users, draw(edges_among(users=users))


@st.composite
def hubs(draw: DrawFn) -> tuple[int, Edges]:
    """Draw a graph in which user 0 is a friend of nearly everybody."""
    users = draw(st.integers(2, 10))
    star = {(0, friend) for friend in range(1, users)}
    away = draw(st.sets(st.integers(1, users - 1), max_size=2))
    edges = draw(edges_among(users=users, most=4))
    return users, frozenset(star - {(0, friend) for friend in away}) | edges


@st.composite
def cliques(draw: DrawFn) -> tuple[int, Edges]:
    """Draw groups in which everybody knows everybody, and a few friendships between them."""
    users, edges = 0, frozenset[tuple[int, int]]()
    for size in draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)):
        edges |= frozenset(combinations(range(users, users + size), 2))
        users += size
    return users, edges | draw(edges_among(users=users, most=2))


@st.composite
def loners(draw: DrawFn) -> tuple[int, Edges]:
    """Draw a small graph and users without friends, after or before those with."""
    users, edges = draw(sparse_graphs(most=5))
    alone, before = draw(st.integers(1, 6)), draw(st.booleans())
    shift = alone if before else 0
    return users + alone, frozenset((u + shift, v + shift) for u, v in edges)


PATHS: SearchStrategy[tuple[int, Edges]] = st.integers(1, 9).map(
    lambda users: (users, frozenset((user, user + 1) for user in range(users - 1)))
)
EMPTY: SearchStrategy[tuple[int, Edges]] = st.integers(0, 6).map(lambda users: (users, frozenset()))


@st.composite
def graph_cases(
    draw: DrawFn,
    parameters: frozenset[str] = frozenset({"k"}),
    *,
    graphs: SearchStrategy[tuple[int, Edges]] | None = None,
    attributes: bool = False,
) -> GraphCase:
    """Draw a social graph with the parameters of one publication.

    Args:
        parameters: Names of the parameters to draw values for; those that are not known are left
            out.
        graphs: Of users and friendships; any of this module's unless given.
        attributes: Whether users have an age and a town, some of them missing.
    """
    users, edges = draw(_ANY if graphs is None else graphs)
    columns: dict[str, tuple[object, ...]] = {}
    if attributes and users:
        for name, values in (("age", (30, 31, 45, None)), ("town", ("a", "b", None))):
            cells = draw(st.lists(st.sampled_from(values), min_size=users, max_size=users))
            # A column of which nothing is known is no column.
            columns[name] = tuple(cells) if any(cells) else (values[0], *cells[1:])
    drawn = {name: draw(strategy) for name, strategy in _PARAMETERS.items() if name in parameters}
    return GraphCase(
        users=users, friendships=tuple(sorted(edges)), attributes=columns, parameters=drawn
    )


def social_graphs(*, attributes: bool = False) -> SearchStrategy[SocialGraph]:
    """Return the strategy of graphs: hubs, cliques, paths, loners, disconnected, empty.

    Args:
        attributes: Whether users have an age and a town, some of them missing.
    """
    return graph_cases(frozenset(), attributes=attributes).map(lambda case: case.graph)


# The shortest way to draw some users is to be the one without friendships.
_ANY = st.one_of(sparse_graphs(), hubs(), cliques(), loners(), EMPTY, PATHS)


def _every_graph(parameters: frozenset[str]) -> Iterable[GraphCase]:
    """Run through every graph of up to four users, with k = 2 and 3."""
    defaults = {"alpha": "1/2", "beta": "1/2", "seed": 0}
    values = {name: value for name, value in defaults.items() if name in parameters}
    for users in range(5):
        pairs = [edge(number) for number in range(users * (users - 1) // 2)]
        for chosen in chain.from_iterable(
            combinations(pairs, size) for size in range(len(pairs) + 1)
        ):
            for k in (2, 3) if "k" in parameters else (None,):
                extra = {} if k is None else {"k": k}
                yield GraphCase(users, tuple(sorted(chosen)), parameters={**extra, **values})


_GRAPHS = {
    "sparse graphs": sparse_graphs(),
    "hubs": hubs(),
    "cliques": cliques(),
    "isolated users": loners(),
    "paths": PATHS,
    "no friendships": EMPTY,
}

SOURCES: tuple[Source, ...] = (
    *(
        Source(name, Kind.GRAPH, partial(graph_cases, graphs=graphs))
        for name, graphs in _GRAPHS.items()
    ),
    Source("attributes", Kind.GRAPH, partial(graph_cases, attributes=True)),
    Source.finite("every graph of four users", Kind.GRAPH, _every_graph),
)
"""The ways to draw social graphs."""
