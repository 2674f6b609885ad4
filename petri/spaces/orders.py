"""In which order a search takes up the states it has met, which decides what a budget leaves out.

Breadth first finds shortest runs but reaches ends last; depth first and along runs it reaches ends
soon. Whatever the order, the states are numbered in the end as breadth-first search would number
them, so that the whole space is the same for every order.
"""

import random
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.compiled import compile_kernel
from kproof.petri.spaces.space import Indexes


class Order(StrEnum):
    """Which of the states that were met is expanded next."""

    BREADTH = "breadth"
    """The one that was met first."""
    DEPTH = "depth"
    """The one that was met last."""
    RUNS = "runs"
    """A random one of those just met, so that a run goes on; if there is none, of all."""


class Waiting:
    """The states that were met and are not expanded yet, for any order but breadth first.

    Draws are the same in every run of the program.
    """

    def __init__(self, order: Order) -> None:
        self._runs = order is Order.RUNS
        self._draw = random.Random(0)
        self._states: list[int] = []
        self._met = 0

    def take(self, states: int) -> int | None:
        """Return the state to expand next, or None if all are, when so many states are known."""
        waiting = self._states
        before = len(waiting)
        waiting.extend(range(self._met, states))
        self._met = states
        if not waiting:
            return None
        if self._runs:
            # Among those just met, which lie on top, so that the run goes on; else among all.
            start = before if before < len(waiting) else 0
            position = self._draw.randrange(start, len(waiting))
            # To the end first: a pop amid the list would move all that is behind.
            waiting[position], waiting[-1] = waiting[-1], waiting[position]
        return waiting.pop()


@dataclass(frozen=True)
class Renumbered:
    """States and arcs in another order."""

    states: Indexes
    """Shape (states,): the former number of each state."""
    starts: Indexes
    targets: Indexes
    labels: NDArray[Any]
    parents: Indexes
    """As in :class:`kproof.petri.spaces.space.StateSpace`."""


def breadth_first(
    expanded: Indexes, starts: Indexes, targets: Indexes, labels: NDArray[Any], parents: Indexes
) -> Renumbered:
    """Give states the numbers with which breadth-first search over the arcs found meets them.

    States that were not expanded come after all others, as they do in a breadth-first search that
    ends early. The arcs of the n-th expanded state are ``starts[n]:starts[n + 1]``; ``targets`` and
    ``labels`` have the shape (arcs,), and ``parents`` (states,): some arc to each state, -1 for the
    roots, which come first.

    From 0 one gets to 1 and 2; only 0 and 2, which leads to 3 and back, were expanded:

    >>> renumbered = breadth_first(np.array([0, 2]), np.array([0, 2, 4]), np.array([1, 2, 3, 0]),
    ...                       np.arange(4), np.array([-1, 0, 1, 2]))
    >>> renumbered.states.tolist(), renumbered.targets.tolist(), renumbered.parents.tolist()
    ([0, 2, 1, 3], [2, 1, 3, 0], [-1, 1, 0, 2])
    """
    states, roots = len(parents), int((parents < 0).sum())
    position = np.full(states, -1, dtype=np.int64)
    position[expanded] = np.arange(len(expanded))
    met, first_arc = search_from(position, starts, targets, roots)
    has_arcs = position[met] >= 0
    order = np.concatenate((met[has_arcs], met[~has_arcs]))
    number = np.empty(states, dtype=np.int64)
    number[order] = np.arange(states)
    rows = position[met[has_arcs]]
    lengths = np.diff(starts)[rows]
    # States that were not expanded come last, and all begin where the arcs end.
    after = np.full(states + 1, len(targets), dtype=np.int64)
    after[: len(rows) + 1] = np.concatenate(([0], np.cumsum(lengths)))
    # New position to old arc: states in their new order, each with its arcs as they stood.
    arcs = np.repeat(starts[rows] - after[: len(rows)], lengths) + np.arange(len(targets))
    moved = np.empty_like(arcs)
    moved[arcs] = np.arange(len(arcs))
    arrived = first_arc[order]
    # Parents are arcs and moved with them; the -1 of a root stays.
    arrived[arrived >= 0] = moved[arrived[arrived >= 0]]
    return Renumbered(order, after, number[targets[arcs]], labels[arcs], arrived)


@compile_kernel(steps=lambda position, targets: len(position) + len(targets))
def search_from(
    position: Indexes, starts: Indexes, targets: Indexes, roots: int
) -> tuple[Indexes, Indexes]:
    """Return the states as breadth-first search meets them, and the arc by which it meets each.

    Args:
        position: Shape (states,): which row of ``starts`` has a state's arcs; -1 for none.
        starts, targets: As in :func:`breadth_first`.
        roots: The states below this one are met without an arc; -1 stands for it.
    """
    met = np.empty(len(position), dtype=np.int64)
    # -2 for what is not met, since -1 is met without an arc.
    arcs = np.full(len(position), -2, dtype=np.int64)
    for state in range(roots):
        met[state] = state
        arcs[state] = -1
    first, last = 0, roots
    while first < last:
        row = position[met[first]]
        first += 1
        # Not expanded: it is met and numbered all the same, and leads nowhere that is known.
        if row < 0:
            continue
        for arc in range(starts[row], starts[row + 1]):
            target = targets[arc]
            if arcs[target] == -2:
                arcs[target] = arc
                met[last] = target
                last += 1
    return met, arcs
