"""Large independent sets of a graph: records of which no two are neighbours.

Any independent set serves a proof, so that what is here may search as it likes. Forests, bipartite
graphs of moderate size and small graphs are solved exactly; elsewhere the heaviest record in
relation to its neighbours is taken, again and again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx as nx

MOST_CLIQUE = 36
"""Most nodes of a component that is searched through branch and bound."""
MOST_FLOW = 1500
"""Most nodes of a bipartite component that is solved by a minimum cut."""


def independent_set(graph: nx.Graph, weights: Mapping[int, int]) -> frozenset[int]:
    """Return an independent set of large weight.

    ``graph``: undirected and simple. ``weights``: a whole number for each node, at least 0; nodes
    of weight 0 are not taken. Returns nodes without an edge between any two. Its weight is the
    largest for forests, for bipartite components of up to 1500 nodes and for components of up to
    36.

    In a bipartite graph the nodes outside a vertex cover of least weight, which a minimum cut
    finds, are an independent set of largest weight (König 1931). The greedy rule is GWMIN of
    Sakai, Togasaki and Yamazaki, *Discrete Applied Mathematics* 126 (2003).

    >>> import networkx as nx
    >>> path = nx.path_graph(5)
    >>> sorted(independent_set(path, dict.fromkeys(path, 1)))
    [0, 2, 4]
    >>> sorted(independent_set(path, {0: 1, 1: 5, 2: 1, 3: 2, 4: 1}))
    [1, 3]
    """
    import networkx as nx

    chosen: set[int] = set()
    # Without weight a node adds nothing, and could only join components that can be solved apart.
    positive = graph.subgraph(node for node in graph if weights[node] > 0)
    for component in nx.connected_components(positive):
        # Component by component the best sets add up, and small components can be solved exactly
        # even where the graph cannot.
        part = positive.subgraph(component)
        if part.number_of_edges() == len(component) - 1:
            chosen |= _of_tree(part, weights)
        elif len(component) <= MOST_FLOW and nx.is_bipartite(part):
            chosen |= _of_bipartite(part, weights)
        elif len(component) <= MOST_CLIQUE:
            chosen |= _of_few(part, weights)
        else:
            chosen |= _greedy(part, weights)
    return frozenset(chosen)


def along_path(weights: Sequence[int], joined: Sequence[bool]) -> list[int]:
    """Return the positions of an independent set of largest weight on a path.

    ``weights``: of each position, at least 0; positions of weight 0 are not taken. ``joined``:
    whether each position has an edge to the next one; one entry less than ``weights``.

    >>> along_path([1, 5, 1, 4, 1], [True] * 4), along_path([2, 2, 2], [True, False])
    ([1, 3], [0, 2])
    """
    # Best weights up to a position, with it and without it.
    included: list[int] = []
    skipped: list[int] = []
    for place, weight in enumerate(weights):
        before = (included[-1], skipped[-1]) if place else (0, 0)
        apart = place == 0 or not joined[place - 1]
        skipped.append(max(before))
        included.append(weight + (max(before) if apart else before[1]))
    chosen: list[int] = []
    free = True
    for place in range(len(weights) - 1, -1, -1):
        if free and weights[place] and included[place] > skipped[place]:
            chosen.append(place)
            free = place == 0 or not joined[place - 1]
        else:
            free = True
    return chosen[::-1]


def _of_tree(tree: nx.Graph, weights: Mapping[int, int]) -> set[int]:
    """Solve a tree from its leaves to its root and back."""
    import networkx as nx

    root = next(iter(tree))
    parents = {root: root, **{child: parent for parent, child in nx.bfs_edges(tree, root)}}
    included = {node: weights[node] for node in tree}
    skipped = dict.fromkeys(tree, 0)
    # In the order of the search: from the back each node comes before its parent.
    for node in reversed(parents):
        if node != root:
            included[parents[node]] += skipped[node]
            skipped[parents[node]] += max(included[node], skipped[node])
    chosen: set[int] = set()
    for node, parent in parents.items():
        if included[node] > skipped[node] and (node == root or parent not in chosen):
            chosen.add(node)
    return chosen


def _of_bipartite(graph: nx.Graph, weights: Mapping[int, int]) -> set[int]:
    import networkx as nx

    side, _ = nx.bipartite.sets(graph)
    network = nx.DiGraph()
    for node in graph:
        if node in side:
            network.add_edge("source", node, capacity=weights[node])
            network.add_edges_from((node, neighbour) for neighbour in graph[node])
        else:
            network.add_edge(node, "sink", capacity=weights[node])
    # Edges between the sides have no capacity limit, so that a least cut is a vertex cover of least
    # weight; the nodes outside of it are an independent set of largest weight (König).
    _, (near, _) = nx.minimum_cut(network, "source", "sink")
    # Outside the cover: nodes of the source's side that it still reaches, others that it does not.
    return {node for node in graph if (node in near) == (node in side)}


def _of_few(graph: nx.Graph, weights: Mapping[int, int]) -> set[int]:
    import networkx as nx

    apart = nx.complement(graph)
    nx.set_node_attributes(apart, dict(weights), "weight")
    clique, _ = nx.max_weight_clique(apart, weight="weight")
    return set(clique)


def _greedy(graph: nx.Graph, weights: Mapping[int, int]) -> set[int]:
    """Take the node of largest weight over one more than its neighbours, drop these, repeat."""
    degree = {node: len(graph[node]) for node in graph}
    candidates, chosen = set(graph), set[int]()
    heap = _heap_entries(graph, weights, degree)
    heapify(heap)
    while heap:
        rank, node = heappop(heap)
        # An entry whose node has lost neighbours since is stale: a better one is in the heap.
        if node not in candidates or rank != -weights[node] / (degree[node] + 1):
            continue
        chosen.add(node)
        gone = {neighbour for neighbour in graph[node] if neighbour in candidates}
        candidates -= {node, *gone}
        changed = set()
        for neighbour in gone:
            for beyond in graph[neighbour]:
                if beyond in candidates:
                    degree[beyond] -= 1
                    changed.add(beyond)
        for entry in _heap_entries(sorted(changed), weights, degree):
            heappush(heap, entry)
    return chosen


def _heap_entries(
    nodes: Iterable[int], weights: Mapping[int, int], degree: Mapping[int, int]
) -> list[tuple[float, int]]:
    return [(-weights[node] / (degree[node] + 1), node) for node in nodes]
