"""Runs instead of states: what happens how often when every choice is left to chance.

In each marking one of the firings that are enabled is taken, all of them equally likely. Random
runs estimate how often things happen; on a net whose runs all end, the state space gives the exact
probabilities over all of them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor

import numpy as np

from kproof.errors import InvalidArgument, NetError
from kproof.forms import JsonForm
from kproof.models.base.parameters import SEED
from kproof.petri.net.compiled import compiled, enabled
from kproof.petri.net.firing import Trace
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net
from kproof.petri.spaces.figures import Figure, Known, at_least, so_far
from kproof.petri.spaces.space import Indexes, StateSpace
from kproof.stages import stage
from kproof.theory.exact.typed import Number, integer, rational

SCHEMA = 2
"""Version of the JSON form of a simulation."""

STEPS = 10_000
"""Firings after which a run is broken off if nothing is said."""

DIGITS = 6
"""Decimal digits of the ends of intervals, which are rounded outward."""


@dataclass(frozen=True)
class Watch:
    """What is looked for in runs, besides each transition."""

    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By name, transitions whose firings are counted together."""
    ends: Mapping[str, Callable[[Marking], bool]] = field(default_factory=dict)
    """By name, predicates of the marking in which a run ends."""


@dataclass(frozen=True)
class Tally:
    """How often something happens in a run."""

    name: str
    """What is counted."""
    shares: Mapping[int, Fraction]
    """By count, ascending: the share of the runs, or the probability, that have it."""

    @property
    def mean(self) -> Fraction:
        """The mean count."""
        return sum((count * share for count, share in self.shares.items()), Fraction(0))

    @property
    def least(self) -> int:
        """The smallest count that occurs."""
        return min(self.shares)

    @property
    def most(self) -> int:
        """The largest count that occurs."""
        return max(self.shares)

    def figures(self, *, final: bool = True) -> tuple[Figure, Figure, Figure]:
        """Return the mean, the least and the largest count; runs broken off would count more."""
        return (
            at_least(self.mean, final=final),
            so_far(self.least, final=final),
            at_least(self.most, final=final),
        )

    def _shares(self, *, final: bool = True) -> Figure:
        """Return the share of the runs with each number."""
        return so_far(self.shares, final=final)

    to_dict = JsonForm(
        "name mean=figures(final).0 least=figures(final).1 most=figures(final).2",
        "shares=_shares(final)",
    )
    """Shares as exact strings; ``final`` is whether no run was broken off, by default so."""


@dataclass(frozen=True)
class Chance:
    """How probable it is that a run ends in a certain way."""

    name: str
    """The way."""
    share: Fraction
    """Of the runs; the probability if all runs were taken."""
    lower: Fraction
    upper: Fraction
    """Clopper-Pearson interval for the probability; both are the probability if it is known. A
    run that was broken off may end in any way, so it counts against the lower end and for the
    upper one."""

    def _figure(self, *, final: bool = True) -> Known:
        """Return how probable it is."""
        return at_least(self.share, final=final)

    to_dict = JsonForm("name share=_figure(final) lower upper")
    """``final`` is whether no run was broken off, by default so."""


@dataclass(frozen=True)
class Simulation:
    """What happened in some runs, or in all of them."""

    net: str
    """Name of the net."""
    exact: bool
    """Whether all runs were taken, each with its probability."""
    runs: int
    """How many: sampled, or in all."""
    seed: int | None
    """Of the sample; None for all runs."""
    steps: Tally
    """Firings of a run."""
    transitions: tuple[Tally, ...]
    """Firings of each transition, in the order of the net."""
    groups: tuple[Tally, ...]
    """Firings of transitions that are counted together."""
    ends: tuple[Chance, ...]
    """How runs end."""
    unfinished: int
    """Runs that were broken off; the firings up to there are counted, and what they would have
    ended in is unknown. With any, counts and shares are at least what they are."""
    confidence: Fraction
    """Of the intervals."""

    @property
    def final(self) -> bool:
        """Whether every run came to its end."""
        return not self.unfinished

    @property
    def _confidence(self) -> Fraction | None:
        """Of the intervals; None if all runs were taken."""
        return None if self.exact else self.confidence

    to_dict = JsonForm(
        "net exact runs seed unfinished steps=steps.to_dict(final)",
        "transitions=transitions.to_dict(final) groups=groups.to_dict(final)",
        "ends=ends.to_dict(final) confidence=_confidence",
        schema=SCHEMA,
    )

    def __str__(self) -> str:
        if self.exact:
            lines = [f"all {self.runs} runs, each choice uniform"]
        else:
            lines = [f"{self.runs} random runs, seed {self.seed}"]
        if self.unfinished:
            lines[0] += f"; {self.unfinished} broken off, so counts and shares are at least these"
        counted = [self.steps, *self.groups, *self.transitions]
        names = [*(tally.name for tally in counted), *(chance.name for chance in self.ends)]
        width = max(map(len, names))
        # With runs broken off every figure says so for itself.
        wide = 7 if self.final else 16
        lines += ["", f"{'':{width}}  {'mean':{wide}}  {'least':{wide - 2}}  most"]
        for tally in counted:
            mean, low, high = tally.figures(final=self.final)
            if tally.mean:
                mean = replace(mean, value=_short(tally.mean))
            lines.append(f"{tally.name:{width}}  {mean!s:{wide}}  {low!s:{wide - 2}}  {high}")
        if self.ends:
            interval = "" if self.exact else f"  {float(self.confidence):.4g} interval"
            kind = "probability" if self.exact else f"{'share':{wide + 4}}"
            lines += ["", f"{'':{width}}  {kind}{interval}"]
        for chance in self.ends:
            share = at_least(_short(chance.share) if chance.share else 0, final=self.final)
            line = f"{chance.name:{width}}  {share!s:{wide + 4}}"
            if not self.exact:
                line += f"  {float(chance.lower):.6f} to {float(chance.upper):.6f}"
            elif chance.share.denominator > 1:
                line += f" = {chance.share}"
            lines.append(line)
        return "\n".join(line.rstrip() for line in lines)


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
        net: Any net.
        runs: How many, at least 1.
        seed: 0 or more; the same seed gives the same runs everywhere, and run i is the same however
            many there are.
        watch: What is looked for besides each transition.
        steps: Firings after which a run is broken off, at least 1.
        confidence: Of the intervals, between 0 and 1.
        progress: Called with the number of runs that are done, after each of them.

    Raises:
        InvalidArgument: If a number is out of its range.
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
    return tallied(
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
    """Return what decides the choices of one run: numbers from 0 to 1, 1 not included.

    Each run has a generator of its own, so that what happens in it does not depend on the runs
    before it, nor on which process makes it.

    Args:
        seed: 0 or more.
        run: From 1 on, below 2^64.
    """
    # random() is the one method whose values are promised to stay the same.
    return random.Random(seed << 64 | run).random


class Walker:
    """Random runs of one net; what is found out about a marking is kept for the next run.

    Args:
        net, watch: As for :func:`simulate`.
    """

    def __init__(self, net: Net, watch: Watch) -> None:
        self._net = net
        self._watch = watch
        self._transitions = compiled(net)
        self._graph: dict[Marking, _Node] = {}
        self._start = self._node(net.initial)

    def walk(self, seed: int, number: int, steps: int) -> CountedRun:
        """Return what is counted of a run; it is broken off after so many firings.

        Raises:
            NetError: If a function of the net raises.
        """
        return self.ended(seed, number, steps)[0]

    def ended(self, seed: int, number: int, steps: int) -> tuple[CountedRun, Marking]:
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
            options = list(enabled(self._net, self._transitions, marking))
            if not options:
                break
            transition, values = options[int(chance() * len(options))]
            marking = transition.after(self._net, values, marking)
            path.append((transition.firing(values), marking))
        return Trace(self._net.initial, tuple(path))

    def _node(self, marking: Marking) -> _Node:
        return self._graph.setdefault(marking, _Node(marking))

    def _successors(self, node: _Node) -> list[tuple[str, _Node]]:
        if node.next is None:
            node.next = [
                (able.transition.name, self._node(able.after(self._net, values, node.marking)))
                for able, values in enabled(self._net, self._transitions, node.marking)
            ]
        return node.next


def tallied(
    net: Net,
    watch: Watch,
    walks: Iterable[CountedRun],
    *,
    runs: int,
    seed: int,
    confidence: Number = "0.95",
    progress: Callable[[int], object] | None = None,
) -> Simulation:
    """Return what happens in runs that somebody makes.

    Args:
        net, watch: Whose runs they are, and what is looked for.
        walks: The runs, as many as ``runs``.
        seed: Theirs.
        confidence, progress: As for :func:`simulate`.
    """
    level = rational("confidence", confidence, above=0, below=1)
    groups = _groups(net, watch)
    tallies: list[Counter[int]] = [Counter() for _ in groups]
    endings: Counter[str] = Counter()
    unfinished = 0
    with stage(f"simulating {net.name}", runs) as simulating:
        for done, walk in enumerate(walks, start=1):
            for tally, (_, members) in zip(tallies, groups, strict=True):
                tally[sum(times for name, times in walk.fired.items() if name in members)] += 1
            endings.update(walk.ends)
            unfinished += not walk.finished
            simulating.reached(done)
            if progress is not None:
                progress(done)
    counted = [
        Tally(name, {count: Fraction(n, runs) for count, n in sorted(tally.items())})
        for (name, _), tally in zip(groups, tallies, strict=True)
    ]
    ends = tuple(
        Chance(
            name,
            Fraction(endings[name], runs),
            clopper_pearson(endings[name], runs, level)[0],
            clopper_pearson(endings[name] + unfinished, runs, level)[1],
        )
        for name in watch.ends
    )
    return _simulation(
        net, watch, counted, ends, runs=runs, seed=seed, unfinished=unfinished, level=level
    )


def every_run(space: StateSpace, *, watch: Watch | None = None) -> Simulation:
    """Return what happens over all runs of a net, with exact probabilities.

    Args:
        space: A full state space with its arcs and one initial marking, without cycles.
        watch: What is looked for besides each transition.

    Raises:
        InvalidArgument: If the space is partial or has several initial markings.
        NetError: If some run goes on for ever.

    >>> from kproof.petri.spaces.explore import explore
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
    >>> found = every_run(explore(build.net()), watch=watch)
    >>> found.runs, found.ends[0].share, found.steps.shares
    (2, Fraction(1, 2), {1: Fraction(1, 1)})
    """
    if not space.full:
        raise InvalidArgument("runs", "all", "a full state space, or a number of runs")
    if len(space.roots) != 1:
        raise InvalidArgument("roots", len(space.roots), "one initial marking")
    watched = Watch() if watch is None else watch
    order = _in_order(space)
    root = int(space.roots[0])
    ways = [0] * space.states
    probability = [Fraction(0)] * space.states
    ways[root], probability[root] = 1, Fraction(1)
    for state in order:
        first, last = int(space.starts[state]), int(space.starts[state + 1])
        for target in space.targets[first:last].tolist():
            ways[target] += ways[state]
            probability[target] += probability[state] / (last - first)
    dead = space.dead.tolist()
    chances = dict.fromkeys(watched.ends, Fraction(0))
    for state in dead:
        for name in _Node(space.marking(state)).ends(watched):
            chances[name] += probability[state]
    ends = tuple(Chance(name, share, share, share) for name, share in chances.items())
    transitions = [space.store.firing(label).transition for label in range(space.store.labels)]
    counted = [
        _tally(
            space,
            order,
            name,
            np.array([fires in members for fires in transitions], dtype=np.int64),
        )
        for name, members in _groups(space.net, watched)
    ]
    return _simulation(space.net, watched, counted, ends, runs=sum(ways[state] for state in dead))


def clopper_pearson(
    successes: Number, runs: Number, confidence: Number = "0.95"
) -> tuple[Fraction, Fraction]:
    """Return an interval that has a probability with at least this confidence.

    Args:
        successes: From 0 to ``runs``.
        runs: At least 1.
        confidence: Between 0 and 1.

    Returns:
        Its ends, rounded outward to :data:`DIGITS` decimal digits.

    Source: Clopper and Pearson, Biometrika 26(4), 1934.

    >>> lower, upper = clopper_pearson(3, 10)
    >>> float(lower), float(upper)
    (0.066739, 0.652453)
    >>> clopper_pearson(11, 10)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: successes = 11: need a whole number 0 <= successes <= 10
    """
    from scipy.special import betaincinv

    total = integer("runs", runs, least=1)
    hits = integer("successes", successes, least=0, most=total)
    tail = float((1 - rational("confidence", confidence, above=0, below=1)) / 2)
    unit = 10**DIGITS
    # The inverse is accurate to far more digits than are kept; the margin is for its last ones.
    margin = 1e-9
    lower = upper = Fraction(0)
    if hits:
        end = float(betaincinv(hits, total - hits + 1, tail))
        lower = Fraction(max(floor((end - margin) * unit), 0), unit)
    if hits == total:
        upper = Fraction(1)
    else:
        end = float(betaincinv(hits + 1, total - hits, 1 - tail))
        upper = Fraction(min(ceil((end + margin) * unit), unit), unit)
    return lower, upper


@dataclass(eq=False)
class _Node:
    """A marking that runs came through, and what can happen there once that is known."""

    marking: Marking
    next: list[tuple[str, _Node]] | None = None
    _ends: tuple[str, ...] | None = None

    def ends(self, watch: Watch) -> tuple[str, ...]:
        """Return the predicates of ends that hold here."""
        if self._ends is None:
            self._ends = tuple(name for name, is_so in watch.ends.items() if is_so(self.marking))
        return self._ends


def _groups(net: Net, watch: Watch) -> list[tuple[str, frozenset[str]]]:
    """Return what is tallied: all transitions together, those of each group, each by itself."""
    return [
        ("steps", frozenset(net.transition)),
        *watch.groups.items(),
        *((name, frozenset({name})) for name in net.transition),
    ]


def _simulation(
    net: Net,
    watch: Watch,
    counted: Sequence[Tally],
    ends: tuple[Chance, ...],
    *,
    runs: int,
    seed: int | None = None,
    unfinished: int = 0,
    level: Fraction = Fraction(1),
) -> Simulation:
    offset = 1 + len(watch.groups)
    return Simulation(
        net=net.name,
        exact=seed is None,
        runs=runs,
        seed=seed,
        steps=counted[0],
        transitions=tuple(counted[offset:]),
        groups=tuple(counted[1:offset]),
        ends=ends,
        unfinished=unfinished,
        confidence=level,
    )


def _short(number: Fraction) -> str:
    return f"{float(number):.4g}"


def _in_order(space: StateSpace) -> list[int]:
    """Return the states, each after all that lead to it."""
    waiting: Indexes = np.bincount(space.targets, minlength=space.states)
    left = waiting.tolist()
    order = [state for state, count in enumerate(left) if not count]
    for state in order:
        for target in space.targets[space.starts[state] : space.starts[state + 1]].tolist():
            left[target] -= 1
            if not left[target]:
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
