"""Dependency graphs: which records are independent of which, validated before they are used.

Stein's bound needs more than "record i is independent of the records outside N_i" one at a time:
it needs a *dependency graph*, in which any two sets of records without an edge between them are
jointly independent. The graph is the caller's claim; its form is checked here.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations
from typing import TYPE_CHECKING

from kproof.errors import InvalidArgument

if TYPE_CHECKING:
    import networkx as nx


def validate_graph(graph: nx.Graph, *, n: int, known: Collection[int] = ()) -> nx.Graph:
    """Return the graph if it can be a dependency graph on the records 0, ..., n - 1.

    Args:
        graph: Undirected and simple, with one node for every record; a graph whose attribute
            ``records`` is n (``graph.graph["records"] = n``) says itself that records without a
            node are tied to none. A self-loop is allowed and ignored: every record depends on
            itself.
        n: Number of records.
        known: Records whose values are known; the graph may leave all of them out.

    """
    import networkx as nx

    if not isinstance(graph, nx.Graph):
        raise InvalidArgument("dependency", type(graph).__name__, "a networkx.Graph")
    if graph.is_directed():
        need = "an undirected networkx.Graph (dependence has no direction)"
        raise InvalidArgument("dependency", graph, need)
    if graph.is_multigraph():
        raise InvalidArgument("dependency", graph, "a simple networkx.Graph")
    for node in graph:
        if isinstance(node, bool) or not isinstance(node, int) or not 0 <= node < n:
            raise InvalidArgument("dependency node", node, f"a record index 0, ..., {n - 1}")
    if graph.graph.get("records") == n:
        return graph
    excused = {index for index in known if index < n and index not in graph}
    # Every node is a record of its own, so that their number says how many records lack one.
    if n - graph.number_of_nodes() > len(excused):
        first = next(i for i in range(n) if i not in graph and i not in excused)
        typed, gap = f"graph with {graph.number_of_nodes()} nodes", f"record {first} is missing"
        need = f"a node for each of the {n} records ({gap}; add isolated nodes)"
        raise InvalidArgument("dependency", typed, need)
    return graph


def largest_neighbourhood(graph: nx.Graph, known: Collection[int] = ()) -> int:
    """Return ``D = max |N_i|`` over the records that are not known, with i in its own N_i.

    The graph is that of the records before any is known. What is known may tie others together:
    two coins are independent until their sum is told. Given the known records, two unknown ones
    are neighbours if they were before, or if a path of known records leads from one to the other;
    for sets of records without such ties, what is known falls apart into one part beside each, so
    that they are independent given all of it.

    >>> import networkx as nx
    >>> largest_neighbourhood(nx.path_graph(5)), largest_neighbourhood(nx.path_graph(5), {1, 3})
    (3, 3)
    """
    fixed = set(known) & set(graph)
    around = _around(graph, fixed)
    largest, unions = 1, dict[frozenset[int], set[int]]()
    for node in graph:
        if node in fixed:
            continue
        beside = [record for record in graph[node] if record != node and record not in fixed]
        known_beside = [record for record in graph[node] if record in fixed]
        ties = frozenset(around[record][0] for record in known_beside)
        if not ties:
            largest = max(largest, 1 + len(beside))
            continue
        # Records beside the same known ones share one set: written out for each it would be square.
        if ties not in unions:
            unions[ties] = set().union(*dict(around[record] for record in known_beside).values())
        # It holds the node too, which lies beside the known ones that it is tied to.
        union = unions[ties]
        largest = max(largest, len(union) + sum(record not in union for record in beside))
    return largest


def graph_of_unknown(graph: nx.Graph, known: Collection[int] = ()) -> nx.Graph:
    """Return the dependency graph of the records that are not known, given those that are.

    >>> import networkx as nx
    >>> sorted(graph_of_unknown(nx.path_graph(5), {1, 3}).edges)
    [(0, 2), (2, 4)]
    """
    import networkx as nx

    fixed = set(known) & set(graph)
    unknown = nx.Graph(graph.subgraph(set(graph) - fixed))
    unknown.add_nodes_from(set(range(graph.graph.get("records", 0))) - set(known))
    for _, together in _around(graph, fixed).values():
        unknown.add_edges_from(combinations(together, 2))
    return unknown


def _around(graph: nx.Graph, fixed: Collection[int]) -> dict[int, tuple[int, set[int]]]:
    """Return, for each known record, its group of connected known ones and what lies around it."""
    import networkx as nx

    groups: dict[int, tuple[int, set[int]]] = {}
    for number, together in enumerate(nx.connected_components(graph.subgraph(fixed))):
        around = {record for node in together for record in graph[node] if record not in fixed}
        groups |= dict.fromkeys(together, (number, around))
    return groups
