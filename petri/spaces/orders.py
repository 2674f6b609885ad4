"""In which order a search takes up the states it has met, which decides what a budget leaves out.

Breadth first finds shortest runs but reaches ends last; depth first and along runs it reaches ends
soon. Whatever the order, the states are numbered in the end as breadth-first search would number
them, so that the whole space is the same for every order.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
            least = before if before < len(waiting) else 0
            drawn = self._draw.randrange(least, len(waiting))
            waiting[drawn], waiting[-1] = waiting[-1], waiting[drawn]
        return waiting.pop()


@dataclass(frozen=True)
class Renumbered:
    """States and arcs in another order.

    Attributes
    ----------
    states
        Shape (states,): the former number of each state.
    starts, targets, labels, parents
        As in :class:`kproof.petri.spaces.space.StateSpace`.
    """

    states: Indexes
    starts: Indexes
    targets: Indexes
    labels: NDArray[Any]
    parents: Indexes


def breadth_first(
    expanded: Sequence[int],
    starts: Indexes,
    targets: Indexes,
    labels: NDArray[Any],
    roots: int,
) -> Renumbered:
    """Number states as breadth-first search over the arcs found meets them.

    States without arcs, because they were not expanded, come after all others, as they do in a
    breadth-first search that ends early.

    Parameters
    ----------
    expanded
        The expanded states.
    starts
        Shape (expanded + 1,): the arcs of the n-th of them are ``starts[n]:starts[n + 1]``.
    targets, labels
        Shape (arcs,): state each arc leads to, and what fires.
    roots
        Number of states the search began with: 0, 1, and so on. All others can be reached.

    Examples
    --------
    From 0 one gets to 1 and 2; only 0 and 2, which leads to 3 and back, were expanded:

    >>> found = breadth_first([0, 2], np.array([0, 2, 4]), np.array([1, 2, 3, 0]), np.arange(4), 1)
    >>> found.states.tolist(), found.targets.tolist(), found.parents.tolist()
    ([0, 2, 1, 3], [2, 1, 3, 0], [-1, 1, 0, 2])
    """
    position = {state: number for number, state in enumerate(expanded)}
    begins, leads = starts.tolist(), targets.tolist()
    parent = dict.fromkeys(range(roots), -1)
    met = list(parent)
    for state in met:  # grows meanwhile
        if (at := position.get(state)) is None:
            continue
        for arc in range(begins[at], begins[at + 1]):
            if parent.setdefault(leads[arc], arc) == arc:
                met.append(leads[arc])
    first = [state for state in met if state in position]
    order = np.array([*first, *(one for one in met if one not in position)], dtype=np.int64)
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    rows = np.array([position[state] for state in first], dtype=np.int64)
    lengths = np.diff(starts)[rows]
    after = np.zeros(len(order) + 1, dtype=np.int64)
    after[1 : len(first) + 1] = np.cumsum(lengths)
    after[len(first) + 1 :] = len(targets)
    arcs = np.repeat(starts[rows] - after[: len(first)], lengths) + np.arange(len(targets))
    moved = np.empty_like(arcs)
    moved[arcs] = np.arange(len(arcs))
    parents = np.array([parent[state] for state in order.tolist()], dtype=np.int64)
    parents[parents >= 0] = moved[parents[parents >= 0]]
    return Renumbered(order, after, number[targets[arcs]], labels[arcs], parents)
