"""State spaces by the firing rule alone, of nets and of graphs that are written down."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np

from kproof.petri.net.colours import Integers, Token
from kproof.petri.net.firing import Firing, firings
from kproof.petri.net.marking import Marking, Multiset
from kproof.petri.net.net import Choice, Net, NetBuilder
from kproof.petri.net.terms import Constant, Function, Variable
from kproof.petri.spaces.space import Completeness, Extremes, StateSpace

Edge = tuple[int, str, int]
"""Node, transition, node."""


@dataclass
class PlainStore:
    """Markings and firings in lists."""

    net: Net
    markings: list[Marking]
    known: list[Firing]

    def marking(self, state: int) -> Marking:
        return self.markings[state]

    def find(self, marking: Marking) -> int | None:
        return self.markings.index(marking) if marking in self.markings else None

    def firing(self, label: int) -> Firing:
        return self.known[label]

    @property
    def labels(self) -> int:
        return len(self.known)

    def multisets(self, place: str) -> tuple[tuple[Multiset, ...], np.ndarray]:
        each = [tuple(marking[place].items()) for marking in self.markings]
        different = tuple(dict.fromkeys(each))
        return different, np.array([different.index(one) for one in each], dtype=np.int64)

    def counts(self, place: str) -> tuple[tuple[Token, ...], np.ndarray]:
        rank = self.net.place[place].colour.rank
        tokens = sorted({token for one in self.markings for token in one[place]}, key=rank)
        rows = [[one[place].get(token, 0) for token in tokens] for one in self.markings]
        return tuple(tokens), np.array(rows).reshape(len(rows), len(tokens))

    def totals(self, place: str) -> np.ndarray:
        return np.array([one.total(place) for one in self.markings])

    def column(self, place: str, token: Token) -> np.ndarray:
        return np.array([one[place].get(token, 0) for one in self.markings])

    def extremes(self, place: str, tick: Callable[[], object]) -> Extremes:
        tick()
        tokens, counts = self.counts(place)
        totals = self.totals(place)
        lower, upper = (
            tuple((token, int(n)) for token, n in zip(tokens, bound, strict=True) if n)
            for bound in (counts.min(axis=0), counts.max(axis=0))
        )
        return Extremes(int(totals.min()), int(totals.max()), lower, upper)


def explored(
    net: Net, *, initial: Iterable[Marking] | None = None, expanded: int | None = None
) -> StateSpace:
    """Breadth-first search over ``firings``; stops once so many states are expanded."""
    markings = list(dict.fromkeys(initial if initial is not None else [net.initial]))
    number = {marking: state for state, marking in enumerate(markings)}
    roots = np.arange(len(markings))
    parents = [-1] * len(markings)
    starts, targets, labels = [0], [], []
    label_of = {}
    state = 0
    while state < len(markings) and (expanded is None or state < expanded):
        for firing, marking in firings(net, markings[state]):
            if marking not in number:
                number[marking] = len(markings)
                markings.append(marking)
                parents.append(len(targets))
            targets.append(number[marking])
            labels.append(label_of.setdefault(firing, len(label_of)))
        starts.append(len(targets))
        state += 1
    full = state == len(markings)
    starts += [len(targets)] * (len(markings) - state)
    return StateSpace(
        net=net,
        status=Completeness.FULL if full else Completeness.PARTIAL,
        stopped_by=None if full else "states",
        engine="firing rule",
        seconds=0.0,
        roots=roots,
        starts=np.array(starts, dtype=np.int64),
        targets=np.array(targets, dtype=np.int32),
        labels=np.array(labels, dtype=np.int32),
        parents=np.array(parents, dtype=np.int64),
        expanded=state,
        store=PlainStore(net, markings, list(label_of)),
    )


def graph_net(nodes: int, edges: Sequence[Edge], start: int = 0) -> Net:
    """Return a net that walks on a graph: place At holds the node, transitions are edges."""
    colour = Integers("Node", 0, nodes - 1)
    x, y = Variable("x", colour), Variable("y", colour)
    build = NetBuilder("graph")
    build.place("At", colour, Constant(start, colour))
    for name in sorted({name for _, name, _ in edges}):
        onward = {
            node: sorted({v for u, one, v in edges if (u, one) == (node, name)})
            for node in range(nodes)
        }
        choice = Choice(y, Function(f"after_{name}", onward.__getitem__), (x,))
        build.transition(name, takes={"At": x}, puts={"At": y}, choices=(choice,))
    return build.net()


def graph_space(
    nodes: int, edges: Sequence[Edge], roots: Sequence[int] = (0,), expanded: int | None = None
) -> StateSpace:
    net = graph_net(nodes, edges, roots[0])
    at = Integers("Node", 0, nodes - 1)
    initial = [net.marking({"At": Constant(root, at)}) for root in roots]
    return explored(net, initial=initial, expanded=expanded)


def random_edges(rng: random.Random, nodes: int, names: str = "abc") -> list[Edge]:
    count = rng.randint(0, 2 * nodes)
    edges = {(rng.randrange(nodes), rng.choice(names), rng.randrange(nodes)) for _ in range(count)}
    return sorted(edges)


def node(marking: Marking) -> int:
    """Return the node a marking of a graph's net stands for."""
    (at,) = marking["At"]
    assert isinstance(at, int)
    return at


def digraph(edges: Iterable[Edge], nodes: Iterable[int]) -> nx.MultiDiGraph:
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((u, v, name) for u, name, v in edges)
    return graph


def reached(space: StateSpace) -> nx.MultiDiGraph:
    """Return the part of a space that was explored, its states as nodes, names as keys."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(space.states))
    for state in range(space.states):
        for number, (firing, target) in enumerate(space.successors(state)):
            graph.add_edge(state, target, key=number, name=firing.transition)
    return graph


def on_cycles(graph: nx.MultiDiGraph | nx.DiGraph) -> set[int]:
    """Return the nodes on some cycle."""
    found = {u for u, v in graph.edges() if u == v}
    for part in nx.strongly_connected_components(graph):
        if len(part) > 1:
            found |= part
    return found
