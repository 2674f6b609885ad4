"""The firing rule run to the end, breadth first: an explorer with no tricks."""

from collections import deque
from dataclasses import dataclass

from kproof.petri.net.firing import Firing, firings
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net


@dataclass(frozen=True)
class Reached:
    """Every marking with what it leads to, in the order in which they are met."""

    arcs: dict[Marking, list[tuple[Firing, Marking]]]

    @property
    def ends(self) -> list[Marking]:
        """The markings in which nothing can fire."""
        return [marking for marking, out in self.arcs.items() if not out]

    @property
    def count(self) -> tuple[int, int]:
        """States and arcs."""
        return len(self.arcs), sum(map(len, self.arcs.values()))


def reached(net: Net) -> Reached:
    """Explore a net by the firing rule alone."""
    arcs = {}
    waiting = deque([net.initial])
    while waiting:
        marking = waiting.popleft()
        if marking in arcs:
            continue
        arcs[marking] = list(firings(net, marking))
        waiting.extend(target for _, target in arcs[marking])
    return Reached(arcs)
