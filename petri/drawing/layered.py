"""Layered layout: where the nodes of a directed graph are drawn, and which way its arcs go.

Nodes stand in layers that are given. An arc that crosses layers has
a point of its own in each of them, and its label takes the room of a node, so that labels run into
nothing. Orders within layers are improved until arcs cross little; places within layers are those
that make arcs as straight as they can be. Nothing is left to chance: the same graph, the same
picture.

Source: Sugiyama, Tagawa and Toda, IEEE Transactions on Systems, Man, and Cybernetics 11(2), 1981.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

Floats = NDArray[np.float64]

_SWEEPS = 24


@dataclass(frozen=True)
class Extent:
    """The room a node takes, measured from its anchor, where arcs are aimed at."""

    left: float
    right: float
    height: float


@dataclass(frozen=True)
class Arc:
    """An arc, and the room of its label; None if it has none."""

    source: int
    target: int
    label: Extent | None = None


@dataclass(frozen=True)
class Layout:
    """A graph with coordinates; y grows downwards, and everything is within width and height."""

    nodes: tuple[tuple[float, float], ...]
    """Anchors, in the order of the nodes: x, and the middle of the node in y."""
    routes: tuple[tuple[tuple[float, float], ...], ...]
    """For each arc the points between its ends, from source to target; a label stands at the
    middle one."""
    width: float
    height: float
    """Of the picture."""


def layer_layout(
    boxes: Sequence[Extent],
    arcs: Sequence[Arc],
    ranks: Sequence[int],
    *,
    across: float = 18,
    down: float = 22,
) -> Layout:
    """Place a graph; nodes are numbered in the order of their boxes, and have layers from 0 on.

    A loop has no points; an arc within a layer has one, below the layer. ``across`` and ``down``
    are the least room between neighbours in a layer, and between layers. Layers stand further apart
    where an arc between them goes far aside: flat arcs would run into each other.

    >>> small = Extent(10, 10, 20)
    >>> layout = layer_layout([small] * 3, [Arc(0, 1), Arc(0, 2), Arc(1, 2)], [0, 1, 1])
    >>> [y for _, y in layout.nodes]
    [10.0, 52.0, 52.0]
    >>> layout.routes
    ((), (), ((29.0, 84.0),))
    """
    if not boxes:
        return Layout((), (), 0.0, 0.0)
    graph, chains = _with_points(boxes, arcs, ranks)
    box = dict(graph.nodes(data="box"))
    layers = _order_layers(graph)
    x = _x_positions(graph, layers, across)
    left = min(x[node] - box[node].left for node in graph)
    right = max(x[node] + box[node].right for node in graph)
    points: dict[int, tuple[float, float]] = {}
    y = 0.0
    for layer in layers:
        high = max((box[node].height for node in layer), default=0.0)
        for node in layer:
            points[node] = (round(float(x[node] - left), 1), round(y + high / 2, 1))
        bottom = y + high
        aside = max(
            (abs(float(x[below] - x[node])) for node in layer for below in graph.succ[node]),
            default=0.0,
        )
        y = bottom + down + min(max(aside - _ASIDE, 0.0) / _FLAT, _MOST_ROOM)
    return Layout(
        nodes=tuple(points[node] for node in range(len(boxes))),
        routes=tuple(tuple(points[node] for node in chain) for chain in chains),
        width=round(float(right - left), 1),
        height=round(bottom, 1),
    )


def _with_points(
    boxes: Sequence[Extent], arcs: Sequence[Arc], ranks: Sequence[int]
) -> tuple[nx.DiGraph[Any], list[list[int]]]:
    """Return the graph whose arcs go down by one layer each, and the points of each arc."""
    # Labels stand between the layers of nodes.
    factor = 2 if any(arc.label is not None for arc in arcs) else 1
    graph = nx.DiGraph()
    for node, (box, rank) in enumerate(zip(boxes, ranks, strict=True)):
        graph.add_node(node, layer=factor * rank, box=box)
    chains = []
    for arc in arcs:
        first, last = factor * ranks[arc.source], factor * ranks[arc.target]
        step = 1 if last >= first else -1
        # Within a layer the arc goes by the next one.
        between = [first + 1] if first == last else list(range(first + step, last, step))
        if arc.source == arc.target:
            between = []
        chain = list(range(len(graph), len(graph) + len(between)))
        for place, (point, rank) in enumerate(zip(chain, between, strict=True)):
            labelled = arc.label if place == len(chain) // 2 else None
            graph.add_node(point, layer=rank, box=labelled or _POINT)
        path = [arc.source, *chain, arc.target]
        layer = graph.nodes(data="layer")
        for tail, head in pairwise(path if chain or first != last else []):
            graph.add_edge(*((tail, head) if layer[tail] < layer[head] else (head, tail)))
        chains.append(chain)
    # The points of one arc above all should stand one below the other.
    for tail, head in graph.edges:
        graph.edges[tail, head]["weight"] = _WEIGHTS[(tail >= len(boxes)) + (head >= len(boxes))]
    return graph, chains


def _order_layers(graph: nx.DiGraph[Any]) -> list[list[int]]:
    """Return the layers such that few arcs cross: by means of neighbours, down and up."""
    rank = dict(graph.nodes(data="layer"))
    layers: list[list[int]] = [[] for _ in range(max(rank.values()) + 1)]
    # As a search in depth meets the nodes: a first order.
    met: dict[int, None] = {}
    for start in sorted(graph, key=rank.__getitem__):
        if start not in met:
            met |= dict.fromkeys(nx.dfs_preorder_nodes(graph, start))
    for node in met:
        layers[rank[node]].append(node)
    best, fewest = layers, _crossings(graph, layers)
    for sweep in range(_SWEEPS):
        near = graph.pred if sweep % 2 == 0 else graph.succ
        position = {node: place for layer in layers for place, node in enumerate(layer)}
        # The first layer of a sweep has no neighbours on that side and stays as it is.
        for number in range(len(layers))[:: 1 if sweep % 2 == 0 else -1]:
            mean = {
                node: fmean(position[neighbour] for neighbour in near[node] or (node,))
                for node in layers[number]
            }
            layer = sorted(layers[number], key=mean.__getitem__)
            layers = [*layers[:number], layer, *layers[number + 1 :]]
            position.update((node, place) for place, node in enumerate(layer))
        # A sweep may make it worse on the way to something better, so the best is remembered.
        if (crossings := _crossings(graph, layers)) < fewest:
            best, fewest = layers, crossings
    return best


def _crossings(graph: nx.DiGraph[Any], layers: Sequence[Sequence[int]]) -> int:
    position = {node: place for layer in layers for place, node in enumerate(layer)}
    total = 0
    for layer in layers:
        # Arcs cross as often as their lower ends are out of order.
        ends: list[int] = []
        for node in layer:
            lower = sorted(position[target] for target in graph.succ[node])
            total += sum(len(ends) - bisect_right(ends, end) for end in lower)
            # Only after they were counted: arcs of one node do not cross one another.
            for end in lower:
                insort(ends, end)
    return total


def _x_positions(graph: nx.DiGraph[Any], layers: Sequence[Sequence[int]], across: float) -> Floats:
    """Return where nodes stand in their layers: each as near as can be to its neighbours' mean."""
    box = graph.nodes(data="box")
    joined = graph.to_undirected()
    # Nobody pulls at what stands alone: it stays.
    joined.add_edges_from([(node, node) for node in nx.isolates(joined)])
    pull = nx.to_scipy_sparse_array(joined, nodelist=range(len(joined)), dtype=float, format="csr")
    weight = pull.sum(axis=1)
    rooms, x = [], np.zeros(len(graph))
    for layer in filter(None, layers):
        steps = [box[a].right + across + box[b].left for a, b in pairwise(layer)]
        offsets = np.concatenate([[0.0], np.cumsum(steps)])
        # All begin on one line at the left.
        x[layer] = offsets - offsets.mean()
        rooms.append((np.array(layer), pull[layer], weight[layer], offsets))
    for sweep in range(2 * _SWEEPS):
        for nodes, near, heavy, offsets in rooms[:: 1 if sweep % 2 == 0 else -1]:
            means = near @ x / heavy
            # With the offsets taken off, places have to be non-decreasing.
            x[nodes] = isotonic_regression(means - offsets, weights=heavy).x + offsets
    return x


_WEIGHTS = (1, 2, 8)
_POINT = Extent(1, 1, 0)
_ASIDE, _FLAT, _MOST_ROOM = 120.0, 8.0, 48.0
