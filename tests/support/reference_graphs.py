"""Small sound anonymizers of social graphs, on which the checks of the suite are tried."""

from functools import cache
from itertools import combinations

from kproof.models.registry import Kind, Promise
from kproof.proptests.subjects.native import native_subject


def anonymous_degrees(degrees, k):
    """Falling degrees raised so that each occurs k times, with the least sum (Liu, Terzi)."""

    @cache
    def best(end):
        if end == 0:
            return 0, ()
        options = []
        for start in range(max(0, end - 2 * k + 1), end - k + 1):
            if start == 0 or start >= k:
                cost, groups = best(start)
                raised = (degrees[start],) * (end - start)
                options.append((cost + sum(raised) - sum(degrees[start:end]), groups + raised))
        return min(options)

    return best(len(degrees))[1]


def realised(graph, wanted):
    """The graph with edges added until node i has ``wanted[i]``, or None if greed fails."""
    found = graph.copy()
    left = {node: wanted[node] - graph.degree[node] for node in graph}
    while any(left.values()):
        node = max(left, key=lambda one: (left[one], -one))
        free = [one for one in found if one != node and left[one] > 0 and one not in found[node]]
        chosen = sorted(free, key=lambda one: (-left[one], one))[: left[node]]
        if len(chosen) < left[node]:
            return None
        for one in chosen:
            found.add_edge(node, one)
            left[one] -= 1
        left[node] = 0
    return found


def k_degree(graph, k):
    """A supergraph in which every degree occurs k times; the complete one if nothing else does."""
    if not 1 <= k <= len(graph):
        raise ValueError(f"k = {k}: need 1 <= k <= {len(graph)}")
    start = dict(graph.degree)
    for _ in range(2 * len(graph)):
        order = sorted(graph, key=lambda node: (-start[node], node))
        raised = anonymous_degrees([start[node] for node in order], k)
        found = realised(graph, dict(zip(order, raised, strict=True)))
        if found is not None:
            return found
        lowest = min(graph, key=lambda node: (start[node], node))
        start[lowest] = min(start[lowest] + 1, len(graph) - 1)
    full = graph.copy()
    full.add_edges_from(combinations(graph, 2))
    return full


def clusters(graph, k):
    """Clusters of at least k, grown along friendships from whoever has most of them."""
    if not 1 <= k <= len(graph):
        raise ValueError(f"k = {k}: need 1 <= k <= {len(graph)}")
    free, found = set(graph), []
    while len(free) >= k:
        cluster = {max(free, key=lambda node: (graph.degree[node], -node))}
        free -= cluster
        while len(cluster) < k:
            near = max(free, key=lambda node: (len(set(graph[node]) & cluster), -node))
            cluster.add(near)
            free.remove(near)
        found.append(cluster)
    for node in sorted(free):
        max(found, key=lambda cluster: len(set(graph[node]) & cluster)).add(node)
    return found


K_DEGREE = native_subject(
    k_degree,
    kind=Kind.GRAPH,
    promises=frozenset({Promise.DEGREE, Promise.SUPERGRAPH}),
    name="k-degree by dynamic programming",
)
CLUSTERS = native_subject(
    clusters,
    kind=Kind.GRAPH,
    promises=frozenset({Promise.CLUSTER_SIZE, Promise.PARTITION}),
    name="greedy clusters",
)
REFERENCES = (K_DEGREE, CLUSTERS)
