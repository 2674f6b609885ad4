"""Broken cloaking of requests from a road network.

Each function is whole but for one thing; what is right is shared by all.
"""

from collections import deque
from collections.abc import Collection, Iterable
from itertools import count
from typing import Any

from kproof.models.registry import Kind, Promise
from kproof.proptests.zoo.base import Faults, Member, largest
from kproof.proptests.zoo.heatmaps import MEMBERS as HEAT_MAPS

_broken = Faults(frozenset({Promise.K_ANONYMITY, Promise.CONNECTIVITY}))


def _users(graph: Any, nodes: Iterable[int]) -> int:
    return sum(graph.nodes[node]["users"] for node in nodes)


def _walk(graph: Any, start: int, *, ordered: bool = True) -> list[int]:
    """Return the nodes in reach, breadth first, neighbours in ascending order or as they come."""
    # A dictionary is a set that keeps the order of arrival, which is what is wanted of it.
    reached, ahead = {start: None}, deque([start])
    while ahead:
        neighbours = graph[ahead.popleft()]
        for near in sorted(neighbours) if ordered else neighbours:
            if near not in reached:
                reached[near] = None
                ahead.append(near)
    return list(reached)


def _until(graph: Any, nodes: Iterable[int], k: int) -> set[int] | None:
    """Return the first of some nodes that hold k users together, or None if all do not."""
    region: set[int] = set()
    for node in nodes:
        region.add(node)
        if _users(graph, region) >= k:
            return region
    return None


@_broken("nearest as the crow flies", "connected region")
def crow_flies(graph: Any, target: int, k: int) -> Collection[int] | None:
    """Use a spatial index, which finds neighbours faster than the road network.

    Across a river the region is in two pieces, and whoever asked is in the one that has the
    target's street.
    """
    centre = graph.nodes[target]

    def distance(node: int) -> tuple[float, int]:
        spot = graph.nodes[node]
        return (centre["x"] - spot["x"]) ** 2 + (centre["y"] - spot["y"]) ** 2, node

    in_reach = set(_walk(graph, target))
    region = _until(graph, sorted(graph, key=distance), k)
    return region if _users(graph, in_reach) >= k else None


@_broken("target left out", "contains target")
def without_target(graph: Any, target: int, k: int) -> Collection[int] | None:
    """Take the target out where the region stays connected and large enough.

    The exact node is taken out so that nobody sees it; the answer is then about a place where the
    user is not, and everybody in the region is known not to have asked.
    """
    region = _until(graph, _walk(graph, target), k)
    if region is None or len(region) < 2:
        return region
    remaining = region - {target}
    joined = set(_walk(graph.subgraph(remaining), min(remaining))) == remaining
    return remaining if joined and _users(graph, remaining) >= k else region


@_broken("k nodes for k users", "region k")
def count_nodes(graph: Any, target: int, k: int) -> Collection[int] | None:
    """Count nodes for users, which are as many in a city with one user at every node.

    At night the business district has many nodes and one user.
    """
    around = _walk(graph, target)
    if _users(graph, around) < k:
        return None
    return around[:k]


@_broken("a region of one's own", "reciprocal", Promise.RECIPROCITY)
def own_region(graph: Any, target: int, k: int) -> Collection[int] | None:
    """Grow a region around each target, which is another one for each of its users.

    The region is large enough, but it is a function of where the user is: whoever knows the method
    keeps the few users whose own request would have given it.
    """
    return _until(graph, _walk(graph, target), k)


@_broken("whatever there is", "region k")
def whatever_there_is(graph: Any, target: int, k: int) -> Collection[int] | None:
    """End the search when nodes run out or k is reached, and never ask which it was.

    The inhabitants of an island of two are published as two.
    """
    around = _walk(graph, target)
    return _until(graph, around, k) or around


@_broken("marks what it has seen", "input unchanged")
def marks_as_seen(graph: Any, target: int, k: int) -> Collection[int] | None:
    """Mark the nodes of a region in the graph it was handed.

    Marks on the nodes save a set; they are still there on the next request, and in whatever the
    caller writes to disk.
    """
    region = _until(graph, _walk(graph, target), k)
    for node in region or ():
        graph.nodes[node]["seen"] = True
    return region


_TURNS = count()


@_broken("takes turns", "deterministic")
def take_turns(graph: Any, target: int, k: int) -> Collection[int] | None:
    """Meant to spread the load of answers.

    Two answers to one request can be intersected.
    """
    order = _walk(graph, target)
    # The count goes on through all cases, so that the same case falls on either turn.
    if next(_TURNS) % 2:
        sizes = [set(_walk(graph, target)[:size]) for size in range(1, len(order) + 1)]
        return next((nodes for nodes in reversed(sizes) if _users(graph, nodes) >= k), None)
    return _until(graph, order, k)


@_broken("runs dry", "refuses clearly")
def runs_dry(graph: Any, target: int, k: int) -> Collection[int] | None:
    """Take the next node of a queue that may be empty.

    The loop asks for users, not for nodes that are left, and ends in an IndexError about an empty
    queue.
    """
    ahead, region = deque(_walk(graph, target)), set[int]()
    while _users(graph, region) < k:
        region.add(ahead.popleft())
    return region


@_broken("more than k", "publishes when it can")
def more_than_k(graph: Any, target: int, k: int) -> Collection[int] | None:
    """Ask for more than k, and refuse a component of exactly k.

    k others and oneself, although k counts oneself: a street of exactly k is told that it is too
    small.
    """
    return _until(graph, _walk(graph, target), k + 1)


@_broken("one-way streets", "publishes when it can")
def one_way_only(graph: Any, target: int, k: int) -> Collection[int] | None:
    """Take the directed graph of the download as it comes.

    People walk against the traffic, and a dead end for cars is none for them.
    """

    class Driven:
        def __getitem__(self, node: int) -> list[int]:
            ways = graph[node].items()
            return [near for near, data in ways if data.get("one_way", (node,))[0] == node]

    return _until(graph, _walk(Driven(), target), k)


@_broken("in pairs", "monotone in k")
def in_pairs(graph: Any, target: int, k: int) -> Collection[int] | None:
    """Let two join at each step, and give up where that cannot come out even.

    A step that adds two at a time cannot reach an odd number; k = 3 is served where k = 2 is not.
    """
    around = _walk(graph, target)
    if k % 2 == 0 and _users(graph, around) % 2 == 1:
        return None
    return _until(graph, around, k)


@_broken("neighbours in the order of a set", "hash seed")
def by_name(graph: Any, target: int, k: int) -> Collection[int] | None:
    """Visit neighbours in the order of a set of their names.

    The nodes of the file have names, and a set of names is in another order in each process: two
    servers answer one request with two regions, which can be intersected.
    """

    class Named:
        def __getitem__(self, node: int) -> list[int]:
            # Texts, since whole numbers are hashed alike in each process.
            names = {f"node {near}" for near in graph[node]}
            return [int(name.removeprefix("node ")) for name in names]

    return _until(graph, _walk(Named(), target, ordered=False), k)


@_broken("region of a busier day", "fresh process")
def as_ever(graph: Any, target: int, k: int) -> Collection[int] | None:
    """Look for the largest number of users that anybody has asked for."""
    return own_region(graph, target, largest(k, "city"))


MEMBERS: tuple[Member, ...] = (*_broken.members(Kind.CITY), *HEAT_MAPS)
"""Broken anonymizers of cities and points."""
