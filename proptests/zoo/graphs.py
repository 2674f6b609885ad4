"""Broken anonymizers of social graphs: repeated degrees and clusters, each with one fault."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, count
from typing import Any

from kproof.errors import InvalidArgument
from kproof.models.graphs.release import ClusterRelease, seal_clusters
from kproof.models.graphs.social import SocialGraph
from kproof.models.registry import Kind, Promise
from kproof.models.tables.recoding import recode
from kproof.proptests.zoo.base import Faults, Member, largest

_degrees = Faults(frozenset({Promise.DEGREE, Promise.SUPERGRAPH}))
_clusters = Faults(frozenset({Promise.CLUSTER_SIZE, Promise.PARTITION, Promise.TRUTHFUL}))


def _refuse(graph: Any, k: int) -> None:
    if not 1 <= k <= len(graph):
        raise InvalidArgument("k", k, f"1 <= k <= {len(graph)}, the users")


def _raise_by_runs(graph: Any, k: int) -> dict[int, int]:
    """Raise degrees, falling, to the greatest of each run of k, or 2k - 1 at the end."""
    order = sorted(graph, key=lambda node: (-graph.degree[node], node))
    degrees = {}
    for place, node in enumerate(order):
        first = place - place % k
        # Fewer than k at the end join the run before them.
        if len(order) - first < k:
            first -= k
        degrees[node] = graph.degree[order[first]]
    return degrees


def _fill(graph: Any, degrees: dict[int, int]) -> Any:
    """Add the edges that are missing, as far as that goes, largest need first."""
    filled = graph.copy()
    pairs = sorted(
        combinations(sorted(graph), 2),
        key=lambda pair: -sum(degrees[node] - graph.degree[node] for node in pair),
    )
    for u, v in pairs:
        if not filled.has_edge(u, v) and all(
            filled.degree[node] < degrees[node] for node in (u, v)
        ):
            filled.add_edge(u, v)
    return filled


def _repeats(graph: Any, k: int) -> bool:
    return all(times >= k for times in Counter(dict(graph.degree).values()).values())


def _whole(graph: Any, k: int) -> Any:
    """Return the graph filled up, or the complete one where that is not enough."""
    _refuse(graph, k)
    published = _fill(graph, _raise_by_runs(graph, k))
    if not _repeats(published, k):
        published.add_edges_from(combinations(sorted(graph), 2))
    return published


@_degrees("degrees wanted, not reached", "k-degree")
def publish_unrealised(graph: Any, k: int) -> Any:
    """Publish what was reached of the wanted degrees.

    The sequence of degrees is anonymous; no graph has it together with the friendships that are
    there, and what was reached of it is published.
    """
    _refuse(graph, k)
    return _fill(graph, _raise_by_runs(graph, k))


@_degrees("friendships taken away", "supergraph")
def prune(graph: Any, k: int) -> Any:
    """Leave an empty graph, which has one degree.

    It also says nothing true about who knows whom.
    """
    _refuse(graph, k)
    published = _fill(graph, _raise_by_runs(graph, k))
    if not _repeats(published, k):
        published.remove_edges_from(list(published.edges))
    return published


@_degrees("friends with themselves", "simple graph")
def loops(graph: Any, k: int) -> Any:
    """Add to degrees by loops, which need no second user.

    Readers who drop loops, as most do, see the degrees as they were.
    """
    _refuse(graph, k)
    degrees = _raise_by_runs(graph, k)
    full = _fill(graph, degrees)
    # A loop counts twice for a degree.
    full.add_edges_from((node, node) for node in graph if degrees[node] - full.degree[node] == 2)
    return full if _repeats(full, k) else _whole(graph, k)


@_degrees("users without friends lost", "supergraph")
def without_loners(graph: Any, k: int) -> Any:
    """Write the graph as a list of edges, in which nobody without friends occurs."""
    full = _whole(graph, k)
    return full.edge_subgraph(list(full.edges)).copy() if full.number_of_edges() else full


@_degrees("hidden among nobodies", "k-degree")
def nobodies(graph: Any, k: int) -> Any:
    """Made-up users fill the degrees up to k.

    Whoever knows how many users there are, or sees the made-up ones have only one another, takes
    them out again.
    """
    _refuse(graph, k)
    published = graph.copy()
    fresh = count(len(graph))
    for degree, times in Counter(dict(graph.degree).values()).items():
        for _ in range(k - times):
            # A vertex with that many neighbours of its own, k of each of which are alike.
            hub = next(fresh)
            published.add_node(hub)
            published.add_edges_from((hub, next(fresh)) for _ in range(degree))
    return published


@_degrees("friendships added in place", "input unchanged")
def in_place(graph: Any, k: int) -> Any:
    """Add friendships to the graph that was handed over.

    The graph of the caller is the one that is published, and the next measurement of what was lost
    compares it with itself.
    """
    published = _whole(graph, k)
    graph.add_edges_from(published.edges)
    return graph


@_degrees("divides by friendships", "refuses clearly")
def divides(graph: Any, k: int) -> Any:
    """Publish the complete graph where there are more users than friendships.

    Users by friendship, of which there are none in the network of the first day: it ends in a
    ZeroDivisionError.
    """
    _refuse(graph, k)
    published = _whole(graph, k)
    if len(graph) / graph.number_of_edges() > 1:
        published.add_edges_from(combinations(sorted(graph), 2))
    return published


_TURNS = count()


def _cluster_in_order(graph: Any, k: int, *, order: list[int] | None = None) -> list[list[int]]:
    """Cut the users in their order into clusters of k, the last one larger."""
    _refuse(graph, k)
    users = sorted(graph) if order is None else order
    starts = range(0, len(users) - k + 1, k)
    # Where fewer than k would be left, a cluster takes all there are.
    return [users[start : start + k if start + 2 * k <= len(users) else None] for start in starts]


@_clusters("a remainder of fewer than k", "cluster size")
def remainder(graph: Any, k: int) -> list[list[int]]:
    """Users are cut into runs of k, and the last run is what there is."""
    _refuse(graph, k)
    users = sorted(graph)
    return [users[start : start + k] for start in range(0, len(users), k)]


@_clusters("who is left over is left out", "every user in a cluster")
def leave_out(graph: Any, k: int) -> list[list[int]]:
    """Every cluster has k; up to k - 1 users are in none, and nobody is told."""
    _refuse(graph, k)
    return [cluster for cluster in remainder(graph, k) if len(cluster) == k]


@_clusters("up and down by turns", "deterministic")
def by_turns(graph: Any, k: int) -> list[list[int]]:
    """Two publications of one graph can be intersected, down to a single user."""
    return _cluster_in_order(graph, k, order=sorted(graph, reverse=next(_TURNS) % 2 == 1))


@_clusters("in the order of a set", "hash seed")
def by_hash(graph: Any, k: int) -> list[list[int]]:
    """Cut the users in the order of a set of their names.

    A set of names is in one order here and in another in the next process, and so are the clusters:
    two runs can be intersected.
    """
    # As texts: whole numbers have the same hashes in each process.
    return _cluster_in_order(graph, k, order=[int(name) for name in {str(user) for user in graph}])


@_clusters("clusters of a busier day", "fresh process")
def as_ever(graph: Any, k: int) -> list[list[int]]:
    """Make clusters as large as anybody has asked for."""
    _refuse(graph, k)
    return _cluster_in_order(graph, min(largest(k, "graph"), len(graph)))


@_clusters("not k of everybody", "publishes when it can")
def cautious(graph: Any, k: int) -> list[list[int]]:
    """Strictly less where less or equal is meant: a graph of exactly k users is refused."""
    if k >= len(graph):
        raise InvalidArgument("k", k, f"k < {len(graph)}, the users")
    return _cluster_in_order(graph, k)


@_clusters("only what comes out even", "monotone in k")
def evenly(graph: Any, k: int) -> list[list[int]]:
    """Three users can be hidden among three but, it says, not among two."""
    _refuse(graph, k)
    if k < 1 or len(graph) % k:
        raise InvalidArgument("k", k, f"a divisor of {len(graph)}, the users")
    return _cluster_in_order(graph, k)


def _release(graph: Any, k: int) -> ClusterRelease:
    names = dict.fromkeys(name for data in graph.nodes.values() for name in data)
    social = SocialGraph.from_networkx(graph, attributes=names)
    cluster_of = [0] * social.users
    for index, cluster in enumerate(_cluster_in_order(graph, k)):
        for user in cluster:
            cluster_of[user] = index
    return seal_clusters(
        social, cluster_of, method="in order", parameters={"k": k}, attributes=social.attributes
    )


@_clusters("counted from both sides", "cluster counts")
def count_from_both_sides(graph: Any, k: int) -> ClusterRelease:
    """Each user's friendships are added up, so that those between clusters count twice."""
    release = _release(graph, k)
    return replace(release, weights=release.weights * 2)


@_clusters("labels from before", "cluster labels")
def stale_labels(graph: Any, k: int) -> ClusterRelease:
    """Labels are written when a cluster has k users; who joins later is not covered by them."""
    release = _release(graph, k)
    early = release.cluster_of.copy()
    for cluster in range(release.count):
        early[(release.cluster_of == cluster).nonzero()[0][k:]] = -1
    labels = tuple(
        recode(attribute.column, early, release.count) for attribute in release.attributes
    )
    return replace(release, attributes=labels)


MEMBERS: tuple[Member, ...] = (*_degrees.members(Kind.GRAPH), *_clusters.members(Kind.GRAPH))
"""Broken anonymizers of social graphs."""
