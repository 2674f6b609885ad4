"""All runs of a net whose runs end, with the exact probability of each.

The choices in a marking are equally likely, as in :mod:`kproof.petri.spaces.simulate`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kproof.errors import InvalidArgument, NetError
from kproof.petri.spaces import tallies
from kproof.petri.spaces.space import Indexes, StateSpace
from kproof.petri.spaces.tallies import Simulation, Tally, Watch


def every_run(space: StateSpace, *, watch: Watch | None = None) -> Simulation:
    """Return what happens over all runs of a net, with exact probabilities.

    The space has to be full, with its arcs and one initial marking. ``watch`` is what is looked for
    besides each transition.

    Raises:
        NetError: If some run goes on for ever.

    >>> from kproof.petri.spaces.explore import explore
    >>> from kproof.petri.papers.theta_sensitive import theta_publisher
    >>> net = theta_publisher([["HIV", "HIV"], ["Flu", "Cancer"]], k=2).net()
    >>> simulation = every_run(explore(net), watch=Watch())
    >>> simulation.runs, simulation.steps.shares
    (2, {3: Fraction(1, 1)})
    """
    if not space.full:
        raise InvalidArgument("runs", "all", "a full state space, or a number of runs")
    if len(space.roots) != 1:
        raise InvalidArgument("roots", len(space.roots), "one initial marking")
    watched = Watch() if watch is None else watch
    arriving = arrivals(space)
    order, ways, probability = arriving.order, arriving.ways, arriving.probability
    dead = space.dead.tolist()
    chances = dict.fromkeys(watched.ends, Fraction(0))
    for state in dead:
        for name in tallies.SeenMarking(space.marking(state)).ends(watched):
            chances[name] += probability[state]
    ends = tuple(tallies.Chance(name, share, share, share) for name, share in chances.items())
    transitions = [space.store.firing(label).transition for label in range(space.store.labels)]
    counted = [
        _tally(
            space,
            order,
            name,
            np.array([fires in members for fires in transitions], dtype=np.int64),
        )
        for name, members in tallies.groups_of(space.net, watched)
    ]
    return tallies.simulation_of(
        space.net, watched, counted, ends, runs=sum(ways[state] for state in dead)
    )


@dataclass(frozen=True)
class Arrivals:
    """How the runs of a space come to its states."""

    order: list[int]
    """The states, each after all that lead to it."""
    ways: list[int]
    """By state: how many ways lead to it."""
    probability: list[Fraction]
    """By state: how probable it is that a run comes there."""


def arrivals(space: StateSpace) -> Arrivals:
    """Return how the runs of a full space come to its states; NetError if one goes on for ever."""
    order = in_order(space)
    root = int(space.roots[0])
    ways = [0] * space.states
    probability = [Fraction(0)] * space.states
    ways[root], probability[root] = 1, Fraction(1)
    for state in order:
        first, last = int(space.starts[state]), int(space.starts[state + 1])
        for target in space.targets[first:last].tolist():
            ways[target] += ways[state]
            probability[target] += probability[state] / (last - first)
    return Arrivals(order, ways, probability)


def mean(worths: Sequence[Fraction]) -> Fraction:
    """Return what a choice is worth whose outcomes are equally likely."""
    return sum(worths, Fraction(0)) / len(worths)


def worths_of(
    space: StateSpace,
    order: Sequence[int],
    ends: Mapping[int, Fraction],
    *,
    barred: Collection[int] = (),
    choose: Callable[[Sequence[Fraction]], Fraction] = mean,
) -> list[Fraction]:
    """Return by state what the ends of its runs are worth.

    Args:
        space: A full state space.
        order: Its states, each after all that lead to it.
        ends: What dead states are worth; others are worth nothing.
        barred: Arcs that are worth nothing, wherever they lead.
        choose: What a choice is worth, of the worths of its arcs.
    """
    nothing = Fraction(0)
    worth = [nothing] * space.states
    for state in reversed(order):
        first, last = int(space.starts[state]), int(space.starts[state + 1])
        targets = enumerate(space.targets[first:last].tolist(), start=first)
        following = [nothing if arc in barred else worth[target] for arc, target in targets]
        worth[state] = choose(following) if following else ends.get(state, nothing)
    return worth


def in_order(space: StateSpace) -> list[int]:
    """Return the states, each after all that lead to it; NetError if a run goes on for ever."""
    waiting: Indexes = np.bincount(space.targets, minlength=space.states)
    arriving = waiting.tolist()
    order = [state for state, count in enumerate(arriving) if not count]
    for state in order:
        for target in space.targets[space.starts[state] : space.starts[state + 1]].tolist():
            arriving[target] -= 1
            if not arriving[target]:
                order.append(target)
    if len(order) < space.states:
        raise NetError(
            f"net {space.net.name}: some run goes on for ever; say how many runs to sample"
        )
    return order


def _tally(space: StateSpace, order: list[int], name: str, counts: Indexes) -> Tally:
    """Return the distribution of the firings of some labels over all runs."""
    arriving: list[dict[int, Fraction] | None] = [None] * space.states
    arriving[int(space.roots[0])] = {0: Fraction(1)}
    final: dict[int, Fraction] = {}
    for state in order:
        shares = arriving[state] or {}
        arriving[state] = None
        first, last = int(space.starts[state]), int(space.starts[state + 1])
        if first == last:
            for count, share in shares.items():
                final[count] = final.get(count, Fraction(0)) + share
            continue
        share_of = {count: share / (last - first) for count, share in shares.items()}
        steps = counts[space.labels[first:last]].tolist()
        for target, step in zip(space.targets[first:last].tolist(), steps, strict=True):
            sums = arriving[target]
            if sums is None:
                sums = arriving[target] = {}
            for count, share in share_of.items():
                sums[count + step] = sums.get(count + step, Fraction(0)) + share
    return Tally(name, dict(sorted(final.items())))
