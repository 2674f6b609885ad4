"""Runs instead of states: what happens how often when every choice is left to chance.

In each marking one of the firings that are enabled is taken, all of them equally likely. Random
runs estimate how often things happen; on a net whose runs all end, the state space gives the exact
probabilities over all of them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kproof.errors import InvalidArgument, NetError
from kproof.models.base.parameters import SEED
from kproof.petri.net.compiled import bindings_in, compile_net
from kproof.petri.net.firing import Trace
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net
from kproof.petri.spaces import tallies
from kproof.petri.spaces.space import Indexes, StateSpace
from kproof.petri.spaces.tallies import SeenMarking, Simulation, Tally, Watch
from kproof.stages import stage
from kproof.theory.exact.typed import Number, integer, rational

STEPS = 10_000
"""Firings after which a run is broken off if nothing is said."""


def simulate(
    net: Net,
    *,
    runs: Number,
    seed: Number = 0,
    watch: Watch | None = None,
    steps: Number = STEPS,
    confidence: Number = "0.95",
    progress: Callable[[int], object] | None = None,
) -> Simulation:
    """Return what happens in random runs.

    Args:
        seed: 0 or more; the same seed gives the same runs everywhere, and run i is the same however
            many there are.
        watch: What is looked for besides each transition.
        steps: Firings after which a run is broken off, at least 1.
        confidence: Of the intervals, between 0 and 1.
        progress: Called with the number of runs that are done, after each of them.

    Raises:
        NetError: If a function of the net raises.

    >>> from kproof.petri.net.colours import Dot
    >>> from kproof.petri.net.net import NetBuilder
    >>> from kproof.petri.net.terms import everything
    >>> coin = everything(Dot())
    >>> build = NetBuilder("coin")
    >>> build.place("In the air", Dot(), coin)
    >>> build.place("Won", Dot())
    >>> build.transition("heads", takes={"In the air": coin}, puts={"Won": coin})
    >>> build.transition("tails", takes={"In the air": coin})
    >>> watch = Watch(ends={"won": lambda marking: marking.total("Won") > 0})
    >>> print(simulate(build.net(), runs=100, watch=watch))
    100 random runs, seed 0
    <BLANKLINE>
           mean     least  most
    steps  1        1      1
    heads  0.59     0      1
    tails  0.41     0      1
    <BLANKLINE>
           share        0.95 interval
    won    0.59         0.487144 to 0.687381
    """
    total = integer("runs", runs, least=1)
    begun = SEED.read(seed)
    longest = integer("steps", steps, least=1)
    watched = Watch() if watch is None else watch
    walker = Walker(net, watched)
    walks = (walker.walk(begun, number, longest) for number in range(1, total + 1))
    return tally_walks(
        net, watched, walks, runs=total, seed=begun, confidence=confidence, progress=progress
    )


@dataclass(frozen=True)
class CountedRun:
    """What is counted of one run."""

    fired: Mapping[str, int]
    """How often each transition fired; those that did not may be left out."""
    ends: tuple[str, ...] = ()
    """Names of the ends of a :class:`Watch` that it came to."""
    finished: bool = True
    """Whether it came to an end, and was not broken off."""


def draws(seed: int, run: int) -> Callable[[], float]:
    """Return what decides the choices of one run, below 2^64: numbers from 0 to 1, 1 not included.

    Each run has a generator of its own, so that what happens in it does not depend on the runs
    before it, nor on which process makes it.
    """
    # random() is the one method whose values are promised to stay the same. Shifted, since a sum
    # or an exclusive or of both numbers would make runs of different seeds the same.
    return random.Random(seed << 64 | run).random


class Walker:
    """Random runs of one net; what is found out about a marking is kept for the next run."""

    def __init__(self, net: Net, watch: Watch) -> None:
        self._net = net
        self._watch = watch
        self._transitions = compile_net(net)
        self._graph: dict[Marking, SeenMarking] = {}
        self._start = self._node(net.initial)

    def walk(self, seed: int, number: int, steps: int) -> CountedRun:
        """Return what is counted of a run; it is broken off after so many firings."""
        return self.walk_to_end(seed, number, steps)[0]

    def walk_to_end(self, seed: int, number: int, steps: int) -> tuple[CountedRun, Marking]:
        """Return what is counted of a run, and the marking that it ends in."""
        chance = draws(seed, number)
        node = self._start
        fired: Counter[str] = Counter()
        for _ in range(steps):
            if not (options := self._successors(node)):
                break
            # Never past the last: a draw is 1 - 2**-53 at most, and n times that rounds below n.
            transition, node = options[int(chance() * len(options))]
            fired[transition] += 1
        # Asked once more: the last firing that is allowed may have led to an end.
        finished = not self._successors(node)
        return CountedRun(fired, node.ends(self._watch) if finished else (), finished), node.marking

    def trace(self, seed: int, number: int, steps: int) -> Trace:
        """Return a run, firing by firing: the one that :meth:`walk` counts."""
        chance = draws(seed, number)
        marking = self._net.initial
        path = []
        # Not through the graph of `walk`, which has no bindings; draws and options are the same.
        for _ in range(steps):
            options = list(bindings_in(self._net, self._transitions, marking))
            if not options:
                break
            transition, values = options[int(chance() * len(options))]
            marking = transition.after(self._net, values, marking)
            path.append((transition.firing(values), marking))
        return Trace(self._net.initial, tuple(path))

    def _node(self, marking: Marking) -> SeenMarking:
        return self._graph.setdefault(marking, SeenMarking(marking))

    def _successors(self, node: SeenMarking) -> list[tuple[str, SeenMarking]]:
        if node.next is None:
            node.next = [
                (able.transition.name, self._node(able.after(self._net, values, node.marking)))
                for able, values in bindings_in(self._net, self._transitions, node.marking)
            ]
        return node.next


def tally_walks(
    net: Net,
    watch: Watch,
    walks: Iterable[CountedRun],
    *,
    runs: int,
    seed: int,
    confidence: Number = "0.95",
    progress: Callable[[int], object] | None = None,
) -> Simulation:
    """Return what happens in runs that somebody makes, in the terms of :func:`simulate`."""
    level = rational("confidence", confidence, above=0, below=1)
    groups = tallies.groups_of(net, watch)
    counts: list[Counter[int]] = [Counter() for _ in groups]
    endings: Counter[str] = Counter()
    unfinished = 0
    with stage(f"simulating {net.name}", runs) as simulating:
        for number, walk in enumerate(walks, start=1):
            for tally, (_, members) in zip(counts, groups, strict=True):
                tally[sum(times for name, times in walk.fired.items() if name in members)] += 1
            endings.update(walk.ends)
            unfinished += not walk.finished
            simulating.advance(number)
            if progress is not None:
                progress(number)
    counted = [
        tallies.Tally(name, {count: Fraction(n, runs) for count, n in sorted(tally.items())})
        for (name, _), tally in zip(groups, counts, strict=True)
    ]
    ends = tuple(
        tallies.Chance.of(name, endings[name], runs, level, unfinished=unfinished)
        for name in watch.ends
    )
    return tallies.simulation_of(
        net, watch, counted, ends, runs=runs, seed=seed, unfinished=unfinished, level=level
    )


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
    dead = space.dead.tolist()
    chances = dict.fromkeys(watched.ends, Fraction(0))
    for state in dead:
        for name in SeenMarking(space.marking(state)).ends(watched):
            chances[name] += arriving.probability[state]
    ends = tuple(tallies.Chance(name, share, share, share) for name, share in chances.items())
    transitions = [space.store.firing(label).transition for label in range(space.store.labels)]
    counted = []
    for name, members in tallies.groups_of(space.net, watched):
        counts = np.array([fires in members for fires in transitions], dtype=np.int64)
        final: dict[int, Fraction] = {}
        for arc, _, shares in forwards(space, arriving.order, counts[space.labels].tolist()):
            if arc is None:
                _add(final, shares)
        counted.append(Tally(name, dict(sorted(final.items()))))
    return tallies.simulation_of(
        space.net, watched, counted, ends, runs=sum(arriving.ways[state] for state in dead)
    )


def forwards(
    space: StateSpace, order: Sequence[int], counts: Sequence[int], *, barred: Collection[int] = ()
) -> Iterator[tuple[int | None, int, dict[int, Fraction]]]:
    """Run through arcs and ends that no barred arc leads to: how probable they are, by a count.

    An arc comes with the state that it leads to, an end as None with itself. ``order`` has each
    state after all that lead to it, ``counts`` what each arc adds to the count.
    """
    # What is arriving at a state is forgotten once the run has left it: states are many.
    arriving: dict[int, dict[int, Fraction]] = {int(space.roots[0]): {0: Fraction(1)}}
    for state in order:
        # Nothing arrives where only barred arcs lead.
        chances = arriving.pop(state, {})
        first, last = int(space.starts[state]), int(space.starts[state + 1])
        if first == last:
            yield None, state, chances
            continue
        shares = {count: chance / (last - first) for count, chance in chances.items()}
        for arc, target in enumerate(space.targets[first:last].tolist(), start=first):
            if arc not in barred:
                after = {count + counts[arc]: share for count, share in shares.items()}
                yield arc, target, after
                _add(arriving.setdefault(target, {}), after)


def _add(total: dict[int, Fraction], shares: Mapping[int, Fraction]) -> None:
    for count, share in shares.items():
        total[count] = total.get(count, Fraction(0)) + share


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
        # A barred arc stays one of the choices: left out, it would make the others likelier.
        following = [nothing if arc in barred else worth[target] for arc, target in targets]
        worth[state] = choose(following) if following else ends.get(state, nothing)
    return worth


def in_order(space: StateSpace) -> list[int]:
    """Return the states, each after all that lead to it; NetError if a run goes on for ever."""
    waiting: Indexes = np.bincount(space.targets, minlength=space.states)
    arriving = waiting.tolist()
    # Grows while it is walked. What is on a cycle, or comes after one, waits for ever.
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
