"""The state graph of SNAKES: its reference semantics, and the slowest of the explorers."""

from dataclasses import dataclass

from kproof.errors import KProofError, NetError
from kproof.petri.net.firing import Firing
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net
from kproof.petri.snakes.library import library
from kproof.petri.snakes.write import SnakesView
from kproof.theory.exact.typed import integer


@dataclass(frozen=True)
class SnakesSpace:
    """The state graph of SNAKES."""

    states: tuple[Marking, ...]
    """Markings, in the order in which SNAKES met them; the initial one first."""
    arcs: tuple[frozenset[tuple[Firing, int]], ...]
    """For each state whose successors were asked for, what can fire and the state it leads to."""

    @property
    def complete(self) -> bool:
        """Whether the successors of every state are there."""
        return len(self.arcs) == len(self.states)


def snakes_space(net: Net, *, limit: int = 10_000) -> SnakesSpace:
    """Return the state space of a net as SNAKES finds it, asking for no successors at the limit."""
    most = integer("limit", limit, least=1)
    view = SnakesView(net)
    graph = library().nets.StateGraph(view.petri)
    arcs = []
    try:
        for number in graph:
            found = graph.successors(number)
            arcs.append(frozenset((view.firing(*fired), to) for to, *fired in found))
            if len(graph) >= most:
                break
    except KProofError as error:
        raise NetError(str(error)) from error
    return SnakesSpace(tuple(view.marking(graph[at]) for at in range(len(graph))), tuple(arcs))
