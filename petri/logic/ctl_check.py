"""Deciding formulas on a state space, and walking it for evidence.

On a partial space every answer has two sides: what holds whatever lies beyond the states that
were expanded, and what is not refuted by those that were. Both are exact fixed points on the
explored part, with the unknown states taken at their worst and at their best.

Evidence, the run that shows why a formula holds or fails, follows the formula from outside in, each
part of the run as short as it can be once the parts before it are given:

- a path is one of the fewest firings from any of the states it may begin in;
- a lasso, evidence that something never happens, has the fewest firings up to a marking on a cycle
  of markings without it, and then the fewest in a cycle through that marking; the total of the two
  need not be the least. If a dead marking is met first, the run ends there.

So the counterexample of an invariant is shortest outright. What every run or no run does has no
one run that shows it; evidence of it is the state. Of several things that hold together, the first
that a run shows is shown; of several that might have failed, the one that takes the fewest steps.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kproof.errors import NetError, show
from kproof.models.base.compiled import compile_kernel
from kproof.petri.logic.ctl import AU, EU, EX, And, Atom, Flags, Formula, Known, Not
from kproof.petri.spaces.limits import Clock, endless_clock
from kproof.petri.spaces.space import Indexes, StateSpace, graph_of, strong_components

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


Item = TypeVar("Item")


@dataclass(frozen=True)
class Walk:
    """A run as arcs."""

    start: int
    end: int
    """States it begins and ends in."""
    arcs: tuple[int, ...] = ()
    """One after another."""
    loop: int | None = None
    """For a lasso, the number of arcs before its cycle."""


class Checker:
    """A state space with what is known of each formula in each state, computed once."""

    def __init__(self, space: StateSpace, clock: Clock | None = None) -> None:
        self.space = space
        self.clock = endless_clock() if clock is None else clock
        self._by_formula: dict[Formula, Known] = {}

    @property
    def components(self) -> tuple[int, Indexes]:
        """The strongly connected components, unless the clock leaves too little time for them."""
        # What is computed already costs nothing, and no clock refuses it.
        if "components" not in self.space.__dict__:
            self._pass()
        return self.space.components

    def with_clock(self, items: Iterable[Item]) -> Iterator[Item]:
        """Run through items, looking at the clock at each."""
        for item in items:
            self.clock.tick()
            yield item

    def _pass(self) -> None:
        """Stop before a pass over all arcs if the clock leaves too little time for it."""
        self.clock.allow(self.space.states + self.space.arcs)

    def evaluate(self, formula: Formula) -> Known:
        """Return in which states a formula surely holds, and in which it possibly does."""
        return self.evaluate_core(formula.core())

    def evaluate_core(self, formula: Formula) -> Known:
        """Return the same for a formula in core form."""
        if formula not in self._by_formula:
            self._by_formula[formula] = self._decide(formula)
        return self._by_formula[formula]

    def _decide(self, formula: Formula) -> Known:
        if isinstance(formula, Atom):
            self.clock.tick()
            return formula.evaluate(self.space, self.clock.tick)
        if isinstance(formula, Not):
            return ~self.evaluate_core(formula.part)
        if isinstance(formula, And):
            conjunction = Known.certain(np.ones(self.space.states, dtype=np.bool_))
            for part in formula.parts:
                conjunction &= self.evaluate_core(part)
            return conjunction
        self.space.require_arcs()
        self._pass()
        if isinstance(formula, EX):
            goal = self.evaluate_core(formula.part)
            return Known(
                self._some_arc_into(goal.surely), self._some_arc_into(goal.possibly) | self.frontier
            )
        if isinstance(formula, EU | AU):
            return self._until(formula)
        raise NetError(f"{show(str(formula))} is no formula that can be decided")

    def _until(self, formula: EU | AU) -> Known:
        before, goal = self.evaluate_core(formula.before), self.evaluate_core(formula.goal)
        every = isinstance(formula, AU)
        # Past the edge anything may happen, the goal included: at best it is ahead of every state
        # that was not expanded and is still on its way.
        beyond = self.frontier & before.possibly
        surely = self._attract(goal.surely, before.surely, every=every)
        # Then both sides are one fixed point, which is not computed twice.
        if before.is_certain and goal.is_certain and not beyond.any():
            return Known.certain(surely)
        possibly = self._attract(goal.possibly | beyond, before.possibly, every=every)
        return Known(surely, possibly)

    @cached_property
    def frontier(self) -> Flags:
        """Shape (states,): of which states the arcs are not known."""
        flags = np.zeros(self.space.states, dtype=np.bool_)
        flags[self.space.expanded :] = True
        return flags

    @cached_property
    def quiet(self) -> Flags:
        """Shape (states,): in which states nothing can fire."""
        quiet: Flags = np.diff(self.space.starts) == 0
        return quiet & ~self.frontier

    def shortest(self, sources: Indexes, goal: Flags, *, within: Flags | None = None) -> Walk:
        """Return a walk of the fewest arcs from some source to the goal, which can be reached.

        Before it reaches the goal it stays within some states, if these are given.
        """
        at_once = sources[goal[sources]]
        if len(at_once):
            return Walk(int(at_once[0]), int(at_once[0]))
        usable = np.ones(self.space.arcs, dtype=np.bool_)
        if within is not None:
            usable = (within | goal)[self.space.targets]
        return self.walk(sources, goal, usable)

    def walk_to(self, state: int) -> Walk:
        """Return the walk by which a state was met first, one of the fewest arcs from a root."""
        root, arcs = self.space.path(state, self.clock.tick)
        return Walk(root, state, arcs)

    def cycle(self, state: int, usable: Flags) -> Walk:
        """Return a shortest cycle through a state that is on one, over the usable arcs."""
        goal: Flags = np.zeros(self.space.states, dtype=np.bool_)
        goal[state] = True
        return self.walk(np.array([state]), goal, usable)

    def on_cycle(self, usable: Flags) -> Flags:
        """Return which states are on a cycle of usable arcs."""
        space = self.space
        self._pass()
        usable = usable & self._within_components
        if not usable.any():
            return np.zeros(space.states, dtype=np.bool_)
        origins, ends = space.sources[usable], space.targets[usable]
        # The arcs of a state stand together: those left of them begin after as many usable ones.
        starts = np.concatenate([[0], np.cumsum(usable)])[space.starts]
        count, of_state = strong_components(starts, ends)
        cyclic: Flags = np.bincount(of_state, minlength=count)[of_state] > 1
        # A component of one state is a cycle only if an arc leads from it to itself.
        cyclic[ends[origins == ends]] = True
        return cyclic

    def walk(self, sources: Indexes, goal: Flags, usable: Flags) -> Walk:
        """Return a walk of one arc or more to the goal, of the fewest; the goal can be reached."""
        space = self.space
        self._pass()
        last, met_by = walk(space.starts, space.targets, usable, sources, goal)
        arcs: list[int] = []
        arc = int(last)
        while True:
            arcs.append(arc)
            state = self.space.source(arc)
            arc = int(met_by[state])
            if arc < 0:
                return Walk(state, int(space.targets[last]), tuple(reversed(arcs)))

    @cached_property
    def _within_components(self) -> Flags:
        """Shape (arcs,): which arcs stay in a strongly connected component; no cycle has others."""
        _, component = self.components
        staying: Flags = component[self.space.sources] == component[self.space.targets]
        return staying

    @cached_property
    def _backwards(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the arcs into each state begin, and the states they come from."""
        self._pass()
        # Parallel arcs stay entries of their own, as they have to: `exits` counts each of them.
        inverse = graph_of(self.space.starts, self.space.targets).tocsc()
        return inverse.indptr.astype(np.int64), inverse.indices.astype(np.int64)

    def _attract(self, goal: Flags, allowed: Flags, *, every: bool) -> Flags:
        self._pass()
        begins, origins = self._backwards
        # States without arcs have 0 exits, which no countdown reaches: under AU what ended without
        # the goal fails, and what was not expanded is taken at its worst.
        exits = np.diff(self.space.starts) if every else np.ones(self.space.states, dtype=np.int64)
        return attractor_of(begins, origins, goal, allowed, exits)

    def _some_arc_into(self, flags: Flags) -> Flags:
        sources = np.zeros(self.space.states, dtype=np.bool_)
        sources[self.space.sources[flags[self.space.targets]]] = True
        return sources


def evidence(checker: Checker, formula: Formula, *, holds: bool, sources: Indexes) -> Walk:
    """Return a walk that shows that a formula in core form holds, or that it fails.

    It begins in one of ``sources``: states in which that is sure, one or more, ascending.
    """
    if isinstance(formula, Not):
        return evidence(checker, formula.part, holds=not holds, sources=sources)
    if isinstance(formula, And) and holds:
        # One run cannot show two things that lie apart. If no part has one, the state is shown.
        for part in formula.parts:
            if has_evidence(part, holds=True):
                return evidence(checker, part, holds=True, sources=sources)
    if isinstance(formula, And) and not holds:
        return _shortest_failure(checker, formula, sources)
    if isinstance(formula, EX) and holds:
        goal = checker.evaluate_core(formula.part).surely
        walk = checker.walk(sources, goal, np.ones(checker.space.arcs, dtype=np.bool_))
        return extend(checker, walk, formula.part, holds=True)
    if isinstance(formula, EU) and holds:
        # Within what is sure: over a state that is only possible the run would show nothing.
        goal = checker.evaluate_core(formula.goal).surely
        walk = checker.shortest(sources, goal, within=checker.evaluate_core(formula.before).surely)
        return extend(checker, walk, formula.goal, holds=True)
    if isinstance(formula, AU) and not holds:
        return _never(checker, formula, sources)
    return Walk(int(sources[0]), int(sources[0]))


def has_evidence(formula: Formula, *, holds: bool) -> bool:
    """Say whether one run can show that a formula in core form holds, or that it fails."""
    if isinstance(formula, Not):
        return has_evidence(formula.part, holds=not holds)
    if isinstance(formula, And):
        return any(has_evidence(part, holds=holds) for part in formula.parts)
    return isinstance(formula, EX | EU) if holds else isinstance(formula, AU)


def extend(checker: Checker, walk: Walk, formula: Formula, *, holds: bool) -> Walk:
    """Return a walk with the evidence, from its end on, that a formula holds or fails there."""
    tail = evidence(checker, formula, holds=holds, sources=np.array([walk.end]))
    return _join(walk, tail, loop=None if tail.loop is None else len(walk.arcs) + tail.loop)


def _shortest_failure(checker: Checker, formula: And, sources: Indexes) -> Walk:
    # Some part fails in some source for sure: else the conjunction would not fail there for sure.
    walks = []
    for part in formula.parts:
        # Evidence may begin only where it is sure, and parts may fail in different sources.
        failing = sources[~checker.evaluate_core(part).possibly[sources]]
        if len(failing):
            walks.append(evidence(checker, part, holds=False, sources=failing))
    return min(walks, key=lambda walk: len(walk.arcs))


def _never(checker: Checker, formula: AU, sources: Indexes) -> Walk:
    """Walk on without the goal until ``before`` fails, nothing can fire, or a cycle closes."""
    # Where the goal is only possible a run is no counterexample: it has to miss the goal for sure.
    without = ~checker.evaluate_core(formula.goal).possibly
    broken = without & ~checker.evaluate_core(formula.before).possibly
    avoiding = without[checker.space.sources]
    stops = broken | (without & checker.quiet)
    walk = checker.shortest(sources, stops | checker.on_cycle(avoiding), within=without)
    if broken[walk.end]:
        return extend(checker, walk, formula.before, holds=False)
    # An end is asked for before a cycle: a run that stops needs no repetition to be believed.
    if stops[walk.end]:
        return walk
    return _join(walk, checker.cycle(walk.end, avoiding), loop=len(walk.arcs))


def _join(walk: Walk, tail: Walk, *, loop: int | None) -> Walk:
    return Walk(walk.start, tail.end, walk.arcs + tail.arcs, loop)
