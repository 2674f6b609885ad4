"""Density-aware cloaking once more, on networkx graphs and lists, without a care for time."""

from collections import deque
from fractions import Fraction
from typing import Any

import networkx as nx

from kproof.models.places.city.city import City


def graph_of(city: City) -> Any:
    graph = nx.Graph()
    graph.add_nodes_from(range(city.nodes))
    graph.add_edges_from(city.roads.edges.tolist())
    return graph


def density_of(city: City, node: int, depth: int | None) -> int:
    graph, users = graph_of(city), city.users.tolist()
    hops = nx.single_source_shortest_path_length(graph, node)
    if depth is not None:
        return sum(users[other] for other, far in hops.items() if far <= depth)
    for reach in range(max(hops.values()) + 1):
        ball = [other for other, far in hops.items() if far <= reach]
        if len(ball) >= 5:
            return int(sum(users[other] for other in ball) * Fraction(5, len(ball)))
    return sum(users[other] for other in hops)


def k_of(density: int, thresholds: tuple[int, ...], levels: tuple[int, ...], least: int) -> int:
    level = levels[-1]
    for threshold, value in reversed(list(zip(thresholds, levels, strict=False))):
        if density < threshold:
            level = value
    return max(level, least)


def region_of(city: City, node: int, k: int, least: int = 1) -> list[int]:
    """Return the region that grows node by node from a node, empty if it never holds k.

    Users have to be at ``least`` of its nodes.
    """
    graph, users = graph_of(city), city.users.tolist()
    waiting, seen, region, total = deque([node]), {node}, [], 0
    while waiting and (total < k or sum(users[one] > 0 for one in region) < least):
        near = waiting.popleft()
        region.append(near)
        total += users[near]
        for other in sorted(graph[near]):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    held = sum(users[one] > 0 for one in region)
    return sorted(region) if total >= k and held >= least else []


def cells_of(
    city: City, wanted: list[int], allowed: list[bool], least: int
) -> tuple[list[int], list[int]]:
    """Return the cell of each node, and the k of each cell, by the rule of the kernel."""
    graph, users = graph_of(city), city.users.tolist()
    inside = graph.subgraph([node for node in graph if allowed[node]])
    order = []
    for start in sorted(inside):
        if start not in order:
            sweep, seen = deque([start]), {start}
            while sweep:
                near = sweep.popleft()
                order.append(near)
                for other in sorted(inside[near]):
                    if other not in seen:
                        seen.add(other)
                        sweep.append(other)

    def people(nodes: list[int]) -> int:
        return sum(users[node] for node in nodes)

    def need(nodes: list[int]) -> int:
        return max((wanted[node] for node in nodes if users[node]), default=1)

    def lacks(nodes: list[int]) -> bool:
        return people(nodes) < need(nodes) or sum(users[node] > 0 for node in nodes) < least

    cells = {}
    taken = set()
    for start in order:
        if start in taken:
            continue
        cell = []
        waiting, seen = deque([start]), {start}
        while waiting and lacks(cell):
            near = waiting.popleft()
            cell.append(near)
            for other in sorted(inside[near]):
                if other not in seen and other not in taken:
                    seen.add(other)
                    waiting.append(other)
        taken |= set(cell)
        cells[len(cells)] = cell
    joined = {}
    for number in range(len(cells)):
        here = number
        while here in joined:
            here = joined[here]
        while lacks(cells[here]):
            beside = {
                name
                for name, cell in cells.items()
                if name != here and any(graph.has_edge(u, v) for u in cell for v in cells[here])
            }
            best = min(beside, key=lambda name: (people(cells[name]), name))
            cells[best] += cells.pop(here)
            joined[here] = best
            here = best
    found = [-1] * city.nodes
    asked = []
    for number, cell in enumerate(sorted(cells.values(), key=min)):
        asked.append(need(cell))
        for node in cell:
            found[node] = number
    return found, asked


def allowed_of(city: City, wanted: list[int], least: int) -> list[bool]:
    """Return which nodes can be in a cell: those who cannot be served go, one at a time."""
    graph, users = graph_of(city), city.users.tolist()
    kept = set(graph)
    while True:
        for part in nx.connected_components(graph.subgraph(kept)):
            people = sum(users[node] for node in part)
            gone = {node for node in part if people < (wanted[node] if users[node] else 1)}
            gone |= part if sum(users[node] > 0 for node in part) < least else set()
            if gone:
                kept -= {min(gone)}
                break
        else:
            return [node in kept for node in graph]
