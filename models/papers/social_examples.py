"""Smallest examples for what published social graphs do not promise: evidence of the ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np

from kproof.models.graphs.baseline.method import baseline_set
from kproof.models.graphs.kdegree.method import additions, k_degree
from kproof.models.graphs.sangreea.method import sangreea
from kproof.models.graphs.social import SocialGraph
from kproof.theory.exact.typed import Number
from kproof.theory.theorems.api import bound
from kproof.theory.theorems.record_moments import RecordMoments

Edges = Iterable[tuple[int, int]]


def users_known_by_degrees(edges: Edges, k: int, users: int | None = None) -> tuple[int, ...]:
    """Return who is alone with their friends' numbers of friends in a k-degree release.

    >>> users_known_by_degrees([(0, 1), (1, 2), (2, 3), (3, 4)], 2)
    (2,)
    """
    release = k_degree(_graph(edges, users), k=k)
    friends: dict[int, list[int]] = {user: [] for user in range(release.graph.users)}
    for user, friend in release.edges.tolist():
        friends[user].append(int(release.degrees[friend]))
        friends[friend].append(int(release.degrees[user]))
    degrees_of_friends = [tuple(sorted(degrees)) for degrees in friends.values()]
    times = Counter(degrees_of_friends)
    return tuple(user for user, degrees in enumerate(degrees_of_friends) if times[degrees] == 1)


def smallest_recognised(k: int, most: int = 5) -> tuple[int, int] | None:
    """Return the fewest users, and friendships, of a graph in which somebody is recognised."""
    for users in range(k, most + 1):
        for edges in _graphs(users):
            if users_known_by_degrees(edges, k, users):
                return users, len(edges)
    return None


def edges_added(edges: Edges, k: int) -> tuple[int, int]:
    """Return how many edges the least sum of additions asks for, and how many were added."""
    result = additions(_graph(edges), k)
    return result.least, len(result.edges)


def fewest_added(edges: Edges, k: int) -> int:
    """Return the fewest edges that make a graph k-degree anonymous, by trying all.

    >>> loose = [(0, 1), (0, 2), (0, 4), (2, 4)]
    >>> edges_added(loose, 2), fewest_added(loose, 2)
    ((2, 5), 2)
    """
    graph = _graph(edges)
    present = set(map(tuple, graph.friends.edges.tolist()))
    absent = [pair for pair in combinations(range(graph.users), 2) if pair not in present]
    sets = (extra for size in range(len(absent) + 1) for extra in combinations(absent, size))
    return next(len(extra) for extra in sets if _anonymous(graph, extra, k))


def certain_pairs(edges: Edges, k: int) -> int:
    """Return of how many pairs of users clusters tell for certain whether they are friends."""
    release = sangreea(_graph(edges), k=k)
    sizes = release.sizes.tolist()
    counts = {(c, c): inner for c, inner in enumerate(release.inner.tolist())}
    joined = map(tuple, release.joined.tolist())
    counts |= dict(zip(joined, release.weights.tolist(), strict=True))
    certain = 0
    for cluster in range(release.count):
        for neighbour in range(cluster, release.count):
            size = sizes[cluster]
            pairs = size * (size - 1) // 2 if cluster == neighbour else size * sizes[neighbour]
            # No friendship, or as many as there can be: then every pair is told.
            certain += pairs if counts.get((cluster, neighbour), 0) in (0, pairs) else 0
    return certain


def cloaking_set(
    edges: Edges, user: int, *, users: int, k: int, epsilon: Number
) -> tuple[int, ...]:
    """Return the set in which BE cloaks a user."""
    return baseline_set(_graph(edges, users), user, k=k, epsilon=epsilon).members


def users_alone_in_set(edges: Edges, k: int) -> tuple[int, ...]:
    """Return the users whose set is that of nobody else.

    >>> users_alone_in_set([(0, 1), (1, 2), (2, 3)], 3)
    (2,)
    """
    graph = _graph(edges)
    sets = [baseline_set(graph, user, k=k).members for user in range(graph.users)]
    times = Counter(sets)
    return tuple(user for user, members in enumerate(sets) if times[members] == 1)


def ring(users: int, k: int, most: int) -> tuple[int, str]:
    """Return the size of a user's set, and its exact delta, where everybody has two friends."""
    graph = SocialGraph.from_edges([(user, (user + 1) % users) for user in range(users)])
    cloak = baseline_set(graph, 0, k=k, most=most)
    return len(cloak.members), f"{float(cloak.profile.upper):.4f}"


def sparse_bound(k: int, *, friends: int, users: int) -> str:
    """Return the bound of k users with so many friends each, at epsilon 1.

    >>> sparse_bound(6, friends=10, users=4515)
    '1'
    """
    p = Fraction(friends, users - 1)
    result = bound(2, moments=RecordMoments(p, p, p, p), n=k, epsilon=1, k=k)
    return str(result.delta)


def _graph(edges: Edges, users: int | None = None) -> SocialGraph:
    pairs = list(edges)
    count = 1 + max(map(max, pairs)) if users is None else users
    return SocialGraph.from_edges(pairs, users=range(count))


def _graphs(users: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Run through the graphs on some users, those with fewer friendships first."""
    pairs = list(combinations(range(users), 2))
    for size in range(1, len(pairs) + 1):
        yield from combinations(pairs, size)


def _anonymous(graph: SocialGraph, extra: Edges, k: int) -> bool:
    ends = [end for edge in extra for end in edge]
    degrees = graph.degrees + np.bincount(np.array(ends, dtype=np.int64), minlength=graph.users)
    return min(Counter(degrees.tolist()).values()) >= k
