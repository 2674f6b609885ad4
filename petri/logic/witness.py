"""Evidence: the run that shows why a formula holds or fails.

Evidence follows the formula from outside in, each part of the run as short as it can be once the
parts before it are given:

- a path is one of the fewest firings from any of the states it may begin in;
- a lasso, evidence that something never happens, has the fewest firings up to a marking on a cycle
  of markings without it, and then the fewest in a cycle through that marking; the total of the two
  need not be the least. If a dead marking is met first, the run ends there.

So the counterexample of an invariant is shortest outright. What every run or no run does has no
one run that shows it; evidence of it is the state. Of several things that hold together, the first
that a run shows is shown; of several that might have failed, the one that takes the fewest steps.
"""

from __future__ import annotations

import numpy as np

from kproof.petri.logic.ctl import AU, EU, EX, And, Formula, Not
from kproof.petri.logic.ctl_check import Checker, Walk
from kproof.petri.spaces.space import Indexes


def evidence(checker: Checker, formula: Formula, *, holds: bool, sources: Indexes) -> Walk:
    """Return a walk that shows that a formula in core form holds, or that it fails.

    It begins in one of ``sources``: states in which that is sure, one or more, ascending.
    """
    if isinstance(formula, Not):
        return evidence(checker, formula.part, holds=not holds, sources=sources)
    if isinstance(formula, And) and holds:
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
    if stops[walk.end]:
        return walk
    return _join(walk, checker.cycle(walk.end, avoiding), loop=len(walk.arcs))


def _join(walk: Walk, tail: Walk, *, loop: int | None) -> Walk:
    return Walk(walk.start, tail.end, walk.arcs + tail.arcs, loop)
