"""Properties of a net by name, and the verdicts on them.

A property is a formula with a name, or a demand of fairness. On a full state space its verdict is
true or false; or it is not applicable, if nothing that the property speaks of ever happens. On a
partial one it is unknown if what was not explored could change it; a counterexample that was found
stays one, and so does an example. It is also unknown if the time for judging was over.

What the words mean, with t a transition and several initial markings taken together:

==============  ================================================================================
invariant       holds in every reachable marking
bound           a place never has more tokens
reachable       holds in some reachable marking
deadlock        nothing can fire only where that is allowed
home            can be reached from every reachable marking
live            from every reachable marking, t can occur again
possible        t can occur in some reachable marking
terminating     no run goes on for ever
leads to        whenever the first holds, on every run the second does then or later
fair, just, …   see :mod:`kproof.petri.logic.fairness`
==============  ================================================================================
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

import numpy as np

from kproof.errors import InvalidArgument, show
from kproof.forms import JsonForm
from kproof.petri.logic import fairness
from kproof.petri.logic.ctl import AF, AG, EF, EU, Formula, Not, Truth
from kproof.petri.logic.ctl_check import Checker, Walk, evidence, extend, has_evidence
from kproof.petri.logic.ctl_text import parse
from kproof.petri.logic.fairness import Recurrence
from kproof.petri.logic.predicates import Dead, Enabled, Holds, marked
from kproof.petri.net.colours import Token
from kproof.petri.net.firing import Trace
from kproof.petri.net.marking import Marking
from kproof.petri.spaces.limits import Clock, Ended, clock_for_judging
from kproof.petri.spaces.space import StateSpace
from kproof.theory.exact.typed import integer

State = Formula | Callable[[Marking], bool] | str
"""A predicate: a formula, a Python function of the marking, or text for :func:`parse`."""


class TruthValue(StrEnum):
    """What is known of a property."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"
    VACUOUS = "not applicable"
    """Nothing that the property speaks of happens, so that nothing was judged."""


class Roots(StrEnum):
    """In which of several initial markings a formula has to hold."""

    EVERY = "every"
    SOME = "some"


@dataclass(frozen=True)
class PropertyVerdict:
    """What exploration says of a property."""

    name: str
    """Of the property."""
    outcome: TruthValue
    """True, false, unknown because the space is partial or the time was over, or not applicable."""
    trace: Trace | None
    """If false, the run that shows it, as short as :mod:`kproof.petri.logic.ctl_check` says; if
    true and one run is enough to show that, that run; else None. It can be replayed."""
    reason: str
    """One sentence for a reader."""

    def __str__(self) -> str:
        return f"{self.name}: {self.outcome} ({self.reason})"

    def __bool__(self) -> bool:
        """Return whether the property is known to be true."""
        return self.outcome is TruthValue.TRUE

    @property
    def _trace(self) -> object:
        """A run that shows it; None if there is none."""
        return None if self.trace is None else trace_dict(self.trace)

    to_dict = JsonForm("name outcome reason trace=_trace")


@runtime_checkable
class Property(Protocol):
    """What can be asked of a state space."""

    @property
    def name(self) -> str:
        """How reports call it."""

    def decide(self, checker: Checker) -> PropertyVerdict:
        """Return the verdict."""


@dataclass(frozen=True)
class Temporal:
    """A formula that holds in every, or in some, initial marking."""

    name: str
    """How reports call it."""
    formula: Formula
    """What holds."""
    roots: Roots = Roots.EVERY
    """Which initial markings have to have it."""
    about: Formula | None = None
    """What the property speaks of: if no reachable marking has it, nothing was judged."""
    absent: str = ""
    """How a report says that there was nothing."""

    def decide(self, checker: Checker) -> PropertyVerdict:
        """Return the verdict on the formula in the initial markings."""
        verdict = self._decide(checker)
        if self.about is None or verdict.outcome is not TruthValue.TRUE:
            return verdict
        spoken_of = checker.evaluate(self.about)
        # Possibly is enough: that nothing was judged is said where surely nothing has it.
        if spoken_of.possibly.any():
            return verdict
        reason = f"{self.absent}: {checker.space.states} states"
        return PropertyVerdict(self.name, TruthValue.VACUOUS, None, reason)

    def _decide(self, checker: Checker) -> PropertyVerdict:
        core = self.formula.core()
        if (goal := self._over_all(core)) is not None:
            return self._search(checker, goal)
        truth = checker.evaluate_core(core)
        roots = checker.space.roots
        surely, possibly = truth.surely[roots], truth.possibly[roots]
        some = self.roots is Roots.SOME
        if surely.any() if some else surely.all():
            # One run shows something of one root; that it holds in each of several, no run can
            # show.
            walk = None
            if (some or len(roots) == 1) and has_evidence(core, holds=True):
                walk = evidence(checker, core, holds=True, sources=roots[surely])
            return _verdict(self, TruthValue.TRUE, checker, walk)
        if possibly.any() if some else possibly.all():
            return _verdict(self, TruthValue.UNKNOWN, checker, None)
        walk = evidence(checker, core, holds=False, sources=roots[~possibly])
        return _verdict(self, TruthValue.FALSE, checker, walk)

    def _over_all(self, core: Formula) -> Formula | None:
        """Return what is to be found somewhere, if that is all there is to the property."""
        every = self.roots is Roots.EVERY
        # "Nowhere" of every root and "somewhere" of one are about all states together; "somewhere"
        # of every root is not, as a state that one root reaches says nothing of another.
        sought = core.part if every and isinstance(core, Not) else core
        if isinstance(sought, EU) and sought.before == Truth(True):
            return sought.goal if (sought is not core) is every else None
        return None

    def _search(self, checker: Checker, goal: Formula) -> PropertyVerdict:
        """Look through all states, each of which can be reached; needs no arcs of its own.

        States are numbered as breadth-first search met them: the first is one of the nearest.
        """
        truth = checker.evaluate_core(goal)
        reached, missing = TruthValue.TRUE, TruthValue.FALSE
        if self.roots is Roots.EVERY:
            reached, missing = missing, reached
        if truth.surely.any():
            walk = checker.walk_to(int(np.flatnonzero(truth.surely)[0]))
            walk = extend(checker, walk, goal, holds=True)
            return _verdict(self, reached, checker, walk)
        # Behind the frontier there may be states that nobody has met.
        if truth.possibly.any() or checker.frontier.any():
            return _verdict(self, TruthValue.UNKNOWN, checker, None)
        return _verdict(self, missing, checker, None)


@dataclass(frozen=True)
class Fair:
    """That a transition is treated fairly in every infinite run."""

    name: str
    """How reports call it."""
    transition: str
    """Name of the transition."""
    demand: Recurrence
    """How often it has to occur."""

    def decide(self, checker: Checker) -> PropertyVerdict:
        """Return the verdict; if false, the trace is a lasso without the transition."""
        walk = fairness.neglect(checker, self.transition, self.demand)
        if walk is not None:
            return _verdict(self, TruthValue.FALSE, checker, walk)
        if checker.frontier.any():
            return _verdict(self, TruthValue.UNKNOWN, checker, None)
        if not checker.on_cycle(np.ones(checker.space.arcs, dtype=np.bool_)).any():
            reason = f"no run is infinite: {checker.space.states} states"
            return PropertyVerdict(self.name, TruthValue.VACUOUS, None, reason)
        return _verdict(self, TruthValue.TRUE, checker, None)


def check(
    space: StateSpace, properties: Iterable[Property], *, clock: Clock | None = None
) -> tuple[PropertyVerdict, ...]:
    """Decide properties on a state space with its arcs, full or partial, in their order.

    What is not decided once the clock is over is unknown; by default it is over with the seconds
    that exploring left.

    Raises:
        NetError: If a property names what the net does not have, or a predicate raises.
    """
    checker = Checker(space, clock_for_judging(space) if clock is None else clock)
    return tuple(_decide_in_time(prop, checker) for prop in properties)


def _decide_in_time(prop: Property, checker: Checker) -> PropertyVerdict:
    try:
        return prop.decide(checker)
    except Ended as ended:
        reason = f"judging {checker.space.states} states was stopped by {ended.limit}"
        return PropertyVerdict(prop.name, TruthValue.UNKNOWN, None, reason)


def invariant(
    name: str, state: State, *, about: Formula | None = None, absent: str = ""
) -> Temporal:
    """Return the property that a predicate holds in every reachable marking.

    ``about`` is what the predicate speaks of, ``absent`` how a report says that no reachable
    marking has it: the property is then not applicable.
    """
    return Temporal(name, AG(predicate(name, state)), about=about, absent=absent)


def bound(place: str, most: int, *, name: str | None = None) -> Temporal:
    """Return the property that a place never has more tokens.

    >>> print(bound("Eat", 2).formula)
    AG (marked(Eat) <= 2)
    """
    most = integer("most", most, least=0)
    return Temporal(name or f"at most {most} in {place}", AG(marked(place) <= most))


def reachable(name: str, state: State) -> Temporal:
    """Return the property that a predicate holds in some reachable marking."""
    return Temporal(name, EF(predicate(name, state)), Roots.SOME)


def deadlock(allowed: State = "false", *, name: str = "ends only where allowed") -> Temporal:
    """Return the property that nothing can fire only where a predicate allows that."""
    return Temporal(name, AG(Dead().implies(predicate("allowed", allowed))))


def home(name: str, state: State) -> Temporal:
    """Return the property that from every reachable marking one with a predicate is reachable.

    If the predicate is that of one marking, this is a home marking; else it is a home space.
    """
    return Temporal(name, AG(EF(predicate(name, state))))


def live(transition: str, *, binding: dict[str, Token] | None = None) -> Temporal:
    """Return the property that from every reachable marking a transition can occur again."""
    enabled = Enabled(transition, tuple((binding or {}).items()))
    return Temporal(f"{_call_text(enabled)} is live", AG(EF(enabled)))


def possible(transition: str, *, binding: dict[str, Token] | None = None) -> Temporal:
    """Return the property that a transition can occur in some reachable marking."""
    enabled = Enabled(transition, tuple((binding or {}).items()))
    return Temporal(f"{_call_text(enabled)} is possible", EF(enabled), Roots.SOME)


def terminating(*, name: str = "every run ends") -> Temporal:
    """Return the property that no run goes on for ever."""
    return Temporal(name, AF(Dead()))


def leads_to(name: str, cause: State, effect: State) -> Temporal:
    """Return the property that where one predicate holds, another does later on every run."""
    then = AF(predicate(f"{name}: effect", effect))
    first = predicate(f"{name}: cause", cause)
    return Temporal(name, AG(first.implies(then)), about=first, absent="the first never holds")


def temporal(name: str, formula: Formula | str) -> Temporal:
    """Return the property that a formula holds in every initial marking."""
    return Temporal(name, predicate(name, formula))


def impartial(transition: str) -> Fair:
    """Return the property that every infinite run has a transition infinitely often."""
    return Fair(f"{transition} is impartial", transition, Recurrence.ALWAYS)


def fair(transition: str) -> Fair:
    """Return the property that a transition enabled infinitely often occurs infinitely often."""
    return Fair(f"{transition} is fair", transition, Recurrence.IF_ENABLED_AGAIN_AND_AGAIN)


def just(transition: str) -> Fair:
    """Return the property that a transition that stays enabled occurs."""
    return Fair(f"{transition} is just", transition, Recurrence.IF_ENABLED_FROM_THEN_ON)


def predicate(name: str, state: State) -> Formula:
    """Return the formula of a predicate given in any of its forms."""
    if isinstance(state, Formula):
        return state
    if isinstance(state, str):
        return parse(state)
    if not callable(state):
        raise InvalidArgument(show(name), state, "a formula, its text, or a function of a marking")
    return Holds(name, state)


def at(marking: Marking) -> Holds:
    """Return the predicate that the marking is exactly this one."""
    return Holds(f"marking {show(str(marking))}", marking.__eq__)


def trace_dict(trace: Trace) -> dict[str, object]:
    """Return the JSON form of a trace: firings and markings as text."""
    return {
        "start": str(trace.start),
        "steps": [
            {"firing": str(firing), "marking": str(marking)} for firing, marking in trace.steps
        ],
        "loop": trace.loop,
    }


def _verdict(
    prop: Temporal | Fair, outcome: TruthValue, checker: Checker, walk: Walk | None
) -> PropertyVerdict:
    space = checker.space
    trace = None if walk is None else space.along(walk.start, walk.arcs, loop=walk.loop)
    if outcome is TruthValue.UNKNOWN:
        reason = f"exploration stopped at {space.states} states"
    elif walk is None:
        reason = f"{space.states} states"
        if checker.frontier.any():
            reason += " so far, whatever follows"
    else:
        steps = len(walk.arcs)
        kind = "example" if outcome is TruthValue.TRUE else "counterexample"
        reason = f"{kind} of {steps} {'step' if steps == 1 else 'steps'}"
        if walk.loop is not None:
            reason += f", the last {steps - walk.loop} of them again and again"
    return PropertyVerdict(prop.name, outcome, trace, reason)


def _call_text(enabled: Enabled) -> str:
    values = ", ".join(f"{name}={value}" for name, value in enabled.binding)
    return f"{enabled.transition}({values})" if values else enabled.transition
