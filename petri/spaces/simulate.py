"""Runs instead of states: what happens how often when every choice is left to chance.

In each marking one of the firings that are enabled is taken, all of them equally likely. Random
runs estimate how often things happen; on a net whose runs all end, the state space gives the exact
probabilities over all of them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from kproof.models.base.parameters import SEED
from kproof.petri.net.compiled import bindings_in, compile_net
from kproof.petri.net.firing import Trace
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net
from kproof.petri.spaces import tallies
from kproof.petri.spaces.tallies import SeenMarking, Simulation, Watch
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
    # random() is the one method whose values are promised to stay the same.
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
            transition, node = options[int(chance() * len(options))]
            fired[transition] += 1
        finished = not self._successors(node)
        return CountedRun(fired, node.ends(self._watch) if finished else (), finished), node.marking

    def trace(self, seed: int, number: int, steps: int) -> Trace:
        """Return a run, firing by firing: the one that :meth:`walk` counts."""
        chance = draws(seed, number)
        marking = self._net.initial
        path = []
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
        for done, walk in enumerate(walks, start=1):
            for tally, (_, members) in zip(counts, groups, strict=True):
                tally[sum(times for name, times in walk.fired.items() if name in members)] += 1
            endings.update(walk.ends)
            unfinished += not walk.finished
            simulating.advance(done)
            if progress is not None:
                progress(done)
    counted = [
        tallies.Tally(name, {count: Fraction(n, runs) for count, n in sorted(tally.items())})
        for (name, _), tally in zip(groups, counts, strict=True)
    ]
    ends = tuple(
        tallies.Chance(
            name,
            Fraction(endings[name], runs),
            # A run that was broken off may still come to this end, or not: it counts above only.
            tallies.clopper_pearson(endings[name], runs, level)[0],
            tallies.clopper_pearson(endings[name] + unfinished, runs, level)[1],
        )
        for name in watch.ends
    )
    return tallies.simulation_of(
        net, watch, counted, ends, runs=runs, seed=seed, unfinished=unfinished, level=level
    )
