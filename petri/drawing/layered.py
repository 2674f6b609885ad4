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

_SWEEPS = 24


@dataclass(frozen=True)
class Box:
    """The room a node takes, measured from its anchor, where arcs are aimed at."""

    left: float
    right: float
    height: float


@dataclass(frozen=True)
class Arc:
    """An arc, and the room of its label; None if it has none."""

    source: int
    target: int
    label: Box | None = None


@dataclass(frozen=True)
class Layout:
    """A graph with coordinates; y grows downwards, and everything is within width and height.

    Attributes
    ----------
    nodes
        Anchors, in the order of the nodes: x, and the middle of the node in y.
    routes
        For each arc the points between its ends, from source to target.
    labels
        For each arc the anchor of its label; None if it has none.
    width, height
        Of the picture.
    """

    nodes: tuple[tuple[float, float], ...]
    routes: tuple[tuple[tuple[float, float], ...], ...]
    labels: tuple[tuple[float, float] | None, ...]
    width: float
    height: float


def layered(
    boxes: Sequence[Box],
    arcs: Sequence[Arc],
    ranks: Sequence[int],
    *,
    across: float = 18,
    down: float = 22,
) -> Layout:
    """Place a graph.

    Parameters
    ----------
    boxes
        Room of each node; nodes are numbered in this order.
    arcs
        Between nodes. A loop has no points; an arc within a layer has one, below the layer.
    ranks
        The layer of each node, from 0 on.
    across, down
        Least room between neighbours in a layer, and between layers.

    Examples
    --------
    >>> small = Box(10, 10, 20)
    >>> found = layered([small] * 3, [Arc(0, 1), Arc(0, 2), Arc(1, 2)], [0, 1, 1])
    >>> [y for _, y in found.nodes]
    [10.0, 52.0, 52.0]
    >>> found.routes
    ((), (), ((29.0, 84.0),))
    """
    graph = _Graph(boxes, arcs, ranks)
    graph.order()
    return graph.placed(across, down)


class _Graph:
    """The nodes, and a point of each arc in every layer between its ends, all numbered alike."""

    def __init__(self, boxes: Sequence[Box], arcs: Sequence[Arc], ranks: Sequence[int]) -> None:
        self.nodes = len(boxes)
        self.boxes = list(boxes)
        # Labels stand between the layers of nodes.
        factor = 2 if any(arc.label is not None for arc in arcs) else 1
        self.rank = [factor * rank for rank in ranks]
        self.above: list[list[int]] = [[] for _ in boxes]
        self.below: list[list[int]] = [[] for _ in boxes]
        self.chains = [self._chain(arc) for arc in arcs]
        self.labels = [
            _middle(chain) if arc.label is not None else None
            for arc, chain in zip(arcs, self.chains, strict=True)
        ]
        self.layers: list[list[int]] = [[] for _ in range(max(self.rank, default=-1) + 1)]
        for node in self._met():
            self.layers[self.rank[node]].append(node)

    def _chain(self, arc: Arc) -> list[int]:
        """Add the points of an arc and return them, from its source to its target."""
        if arc.source == arc.target:
            return []
        first, last = self.rank[arc.source], self.rank[arc.target]
        step = 1 if last >= first else -1
        # Within a layer the arc goes by the next one.
        ranks = [first + 1] if first == last else list(range(first + step, last, step))
        points = []
        for number, rank in enumerate(ranks):
            points.append(len(self.boxes))
            labelled = arc.label is not None and number == len(ranks) // 2
            self.boxes.append(arc.label if labelled and arc.label else _POINT)
            self.rank.append(rank)
            self.above.append([])
            self.below.append([])
        for one, other in pairwise([arc.source, *points, arc.target]):
            high, low = (one, other) if self.rank[one] < self.rank[other] else (other, one)
            self.below[high].append(low)
            self.above[low].append(high)
        return points

    def _met(self) -> list[int]:
        """Return all nodes and points as a search in depth meets them: a first order."""
        found: dict[int, None] = {}
        for start in sorted(range(len(self.boxes)), key=lambda node: self.rank[node]):
            waiting = [start]
            while waiting:
                node = waiting.pop()
                if node not in found:
                    found[node] = None
                    waiting += reversed(self.below[node])
        return list(found)

    def order(self) -> None:
        """Reorder the layers so that few arcs cross: by means of neighbours, down and up."""
        best, fewest = [list(layer) for layer in self.layers], self._crossings()
        for sweep in range(_SWEEPS):
            downward = sweep % 2 == 0
            near = self.above if downward else self.below
            layers = self.layers[1:] if downward else self.layers[-2::-1]
            position = {node: at for layer in self.layers for at, node in enumerate(layer)}
            for layer in layers:
                mean = {
                    node: sum(position[one] for one in near[node]) / len(near[node])
                    if near[node]
                    else position[node]
                    for node in layer
                }
                layer.sort(key=lambda node: mean[node])
                position.update((node, at) for at, node in enumerate(layer))
            if (crossings := self._crossings()) < fewest:
                best, fewest = [list(layer) for layer in self.layers], crossings
        self.layers = best

    def _crossings(self) -> int:
        position = {node: at for layer in self.layers for at, node in enumerate(layer)}
        total = 0
        for layer in self.layers:
            # Arcs cross as often as their lower ends are out of order.
            ends: list[int] = []
            for node in layer:
                lower = sorted(position[one] for one in self.below[node])
                total += sum(len(ends) - bisect_right(ends, end) for end in lower)
                for end in lower:
                    insort(ends, end)
        return total

    def placed(self, across: float, down: float) -> Layout:
        """Give nodes and points coordinates."""
        x = [0.0] * len(self.boxes)
        for layer in self.layers:
            self._set_apart(layer, [(0.0, 1)] * len(layer), x, across)
        for sweep in range(2 * _SWEEPS):
            downward = sweep % 2 == 0
            for layer in self.layers if downward else reversed(self.layers):
                self._set_apart(layer, [self._wanted(node, x) for node in layer], x, across)
        least = min((x[node] - box.left for node, box in enumerate(self.boxes)), default=0.0)
        most = max((x[node] + box.right for node, box in enumerate(self.boxes)), default=0.0)
        y, middle = 0.0, {}
        for rank, layer in enumerate(self.layers):
            high = max((self.boxes[node].height for node in layer), default=0.0)
            middle[rank] = y + high / 2
            y += high + down
        at = [(round(x[n] - least, 1), round(middle[self.rank[n]], 1)) for n in range(len(x))]
        return Layout(
            nodes=tuple(at[: self.nodes]),
            routes=tuple(tuple(at[node] for node in chain) for chain in self.chains),
            labels=tuple(None if node is None else at[node] for node in self.labels),
            width=round(most - least, 1),
            height=round(max(y - down, 0.0), 1),
        )

    def _wanted(self, node: int, x: Sequence[float]) -> tuple[float, int]:
        """Return the mean of where a node's neighbours are, and its weight."""
        near = self.above[node] + self.below[node]
        # The points of one arc above all should stand one below the other.
        weights = [_WEIGHTS[(node >= self.nodes) + (one >= self.nodes)] for one in near]
        if not near:
            return x[node], 1
        total = sum(weights)
        return sum(w * x[one] for w, one in zip(weights, near, strict=True)) / total, total

    def _set_apart(
        self,
        layer: Sequence[int],
        wanted: Sequence[tuple[float, int]],
        x: list[float],
        across: float,
    ) -> None:
        """Put a layer as near as can be, by least squares, to where its nodes are wanted."""
        offsets = [0.0]
        for one, other in pairwise(layer):
            offsets.append(offsets[-1] + self.boxes[one].right + across + self.boxes[other].left)
        # With the offsets taken off, it has to be non-decreasing: pool neighbours that are not.
        pools: list[tuple[float, int, int]] = []
        for (want, weight), offset in zip(wanted, offsets, strict=False):
            mean, count = want - offset, 1
            while pools and pools[-1][0] >= mean:
                before, heavy, size = pools.pop()
                mean = (mean * weight + before * heavy) / (weight + heavy)
                weight, count = weight + heavy, count + size
            pools.append((mean, weight, count))
        means = [mean for mean, _, count in pools for _ in range(count)]
        for node, mean, offset in zip(layer, means, offsets, strict=False):
            x[node] = mean + offset


_WEIGHTS = (1, 2, 8)
_POINT = Box(1, 1, 0)


def _middle(chain: Sequence[int]) -> int | None:
    return chain[len(chain) // 2] if chain else None
