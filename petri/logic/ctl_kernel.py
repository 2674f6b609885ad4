"""The compiled part of model checking: one backward and one forward walk over the arcs.

A state space of a million states is walked in a fraction of a second. Modules import this one
inside the functions that need it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.compiled import compile_kernel

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]


@compile_kernel(steps=lambda begins, origins: len(begins) + len(origins))
def attractor_of(
    begins: Numbers, origins: Numbers, goal: Flags, allowed: Flags, exits: Numbers
) -> Flags:
    """Return the goal and the allowed states that so many of their arcs lead into the result.

    Args:
        begins, origins: Shapes (states + 1,) and (arcs,): the arcs into state s come from the
            states ``origins[begins[s]:begins[s + 1]]``.
        goal, allowed: Shape (states,).
        exits: Shape (states,): how many arcs; 1 for "some path", all there are for "every path". A
            state that needs 0 is not attracted. Used up.
    """
    attractor = goal.copy()
    # A queue of states of the attractor; each enters it once, so that it ends.
    waiting = np.empty(len(goal), dtype=np.int64)
    last = 0
    for state in range(len(goal)):
        if goal[state]:
            waiting[last] = state
            last += 1
    first = 0
    while first < last:
        state = waiting[first]
        first += 1
        for arc in range(begins[state], begins[state + 1]):
            origin = origins[arc]
            if allowed[origin] and not attractor[origin]:
                exits[origin] -= 1
                if exits[origin] == 0:
                    attractor[origin] = True
                    waiting[last] = origin
                    last += 1
    return attractor


@compile_kernel(steps=lambda starts, targets: len(starts) + len(targets))
def walk(
    starts: Numbers, targets: NDArray[np.integer], usable: Flags, sources: Numbers, goal: Flags
) -> tuple[int, Numbers]:
    """Walk breadth-first until an arc leads to the goal, after one step or more.

    Args:
        starts, targets: The arcs.
        usable: Shape (arcs,): which of them may be walked.
        sources: Distinct states to begin with.
        goal: Shape (states,).

    Returns:
        The arc that leads to the goal, -1 if none does; and for each state the arc by which it was
        met, -1 for a source, -2 for a state not met.
    """
    met_by = np.full(len(goal), -2, dtype=np.int64)
    # A queue: states come out in the order of their distance, so that the first arc found to lead
    # to the goal ends a walk of the fewest arcs. Each enters it once, so that it ends.
    waiting = np.empty(len(goal), dtype=np.int64)
    last = 0
    for state in sources:
        met_by[state] = -1
        waiting[last] = state
        last += 1
    first = 0
    while first < last:
        state = waiting[first]
        first += 1
        for arc in range(starts[state], starts[state + 1]):
            if usable[arc]:
                target = targets[arc]
                # Asked before whether it was met: a source may be the goal, after one step or more.
                if goal[target]:
                    return arc, met_by
                if met_by[target] == -2:
                    met_by[target] = arc
                    waiting[last] = target
                    last += 1
    return -1, met_by
