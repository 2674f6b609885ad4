"""The standard state space report: what can be said of any net without asking.

Its sections are those of CPN Tools: statistics, boundedness, home markings, liveness and fairness.
What a partial space leaves open is None here and "unknown" in print, never a guess; bounds and
counts of a partial space are those of the part explored.

Source: Jensen and Kristensen, *Coloured Petri Nets*, 2009, chapter 8.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product as cartesian

import numpy as np

from kproof.errors import InvalidArgument, TooLarge
from kproof.petri.colours import Token
from kproof.petri.ctl import Flags
from kproof.petri.ctl_check import Checker
from kproof.petri.fairness import Fairness, fairness
from kproof.petri.firing import Firing
from kproof.petri.marking import Multiset
from kproof.petri.net import Transition
from kproof.petri.predicates import arcs_of
from kproof.petri.space import Completeness, Indexes, StateSpace
from kproof.theory.numbers import integer

SCHEMA = 1
"""Version of the JSON form of the report."""

LISTED = 20
"""How many markings a printed or JSON report lists."""


@dataclass(frozen=True)
class Bounds:
    """How many tokens a place has, over all markings.

    Attributes
    ----------
    place
        Its name.
    least, most
        Best integer bounds.
    lower, upper
        Best multi-set bounds: of each token the least and the largest count.
    """

    place: str
    least: int
    most: int
    lower: Multiset
    upper: Multiset


@dataclass(frozen=True)
class Liveness:
    """What a transition does, over all runs.

    Attributes
    ----------
    transition
        Its name.
    arcs
        How often it occurs in the state space; None if arcs were not kept.
    dead
        Whether it can occur in no reachable marking.
    live
        Whether it can occur again from every reachable marking.
    fairness
        How often it occurs in infinite runs.
    """

    transition: str
    arcs: int | None
    dead: bool | None
    live: bool | None
    fairness: Fairness | None


@dataclass(frozen=True)
class SccGraph:
    """The graph of strongly connected components.

    Attributes
    ----------
    nodes
        Number of components.
    arcs
        Number of arcs of the state space from one component to another.
    terminal
        Number of components that are explored completely and are never left.
    """

    nodes: int
    arcs: int
    terminal: int


@dataclass(frozen=True, eq=False)
class StandardReport:
    """The standard report on a state space.

    Attributes
    ----------
    space
        What it is about: states, arcs, seconds, status.
    scc
        None if arcs were not kept.
    bounds, transitions
        In the order of the net.
    home
        States that can be reached from every reachable state; None if unknown.
    dead
        States in which nothing can fire, of those explored.
    infinite
        Whether some run is infinite; if not, fairness says nothing.
    """

    space: StateSpace = field(repr=False)
    scc: SccGraph | None
    bounds: tuple[Bounds, ...]
    home: Indexes | None = field(repr=False)
    dead: Indexes = field(repr=False)
    transitions: tuple[Liveness, ...]
    infinite: bool | None

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form; of many markings the first :data:`LISTED` are listed."""
        space = self.space
        return {
            "schema": SCHEMA,
            "net": space.net.name,
            "statistics": {
                "states": space.states,
                "arcs": space.arcs,
                "seconds": space.seconds,
                "status": str(space.status),
                "stopped_by": space.stopped_by,
                "engine": space.engine,
                "scc_nodes": self.scc and self.scc.nodes,
                "scc_arcs": self.scc and self.scc.arcs,
            },
            "bounds": [
                {
                    "place": one.place,
                    "least": one.least,
                    "most": one.most,
                    "lower": _multiset(one.lower),
                    "upper": _multiset(one.upper),
                }
                for one in self.bounds
            ],
            "home_markings": self._markings(self.home),
            "dead_markings": self._markings(self.dead),
            "transitions": [
                {
                    "transition": one.transition,
                    "arcs": one.arcs,
                    "dead": one.dead,
                    "live": one.live,
                    "fairness": one.fairness and str(one.fairness),
                }
                for one in self.transitions
            ],
            "infinite_runs": self.infinite,
        }

    def __str__(self) -> str:
        """Return the report as plain text, in the sections of CPN Tools."""
        space = self.space
        lines = [
            "Statistics",
            f"  State space: {space.states} nodes, {space.arcs} arcs, {space.seconds:.3g} seconds, "
            f"{space.status}" + (f" (stopped by {space.stopped_by})" if space.stopped_by else ""),
        ]
        if self.scc is not None:
            lines.append(f"  SCC graph: {self.scc.nodes} nodes, {self.scc.arcs} arcs")
        lines += ["", "Best integer bounds (upper, lower)"]
        lines += [f"  {one.place}: {one.most}, {one.least}" for one in self.bounds]
        for title, upper in (("upper", True), ("lower", False)):
            lines += ["", f"Best {title} multi-set bounds"]
            lines += [
                f"  {one.place}: {_printed(one.upper if upper else one.lower)}"
                for one in self.bounds
            ]
        lines += ["", f"Home markings: {self._summary(self.home)}"]
        lines += [f"Dead markings: {self._summary(self.dead)}"]
        for title, kind in (("Dead", "dead"), ("Live", "live")):
            answers = [(one.transition, getattr(one, kind)) for one in self.transitions]
            lines.append(f"{title} transitions: {_named(answers)}")
        lines += ["", "Fairness"]
        if self.infinite is False:
            lines.append("  No infinite occurrence sequences.")
        else:
            lines += [
                f"  {one.transition}: {one.fairness or 'unknown'}" for one in self.transitions
            ]
        return "\n".join(lines)

    def _markings(self, states: Indexes | None) -> dict[str, object] | None:
        if states is None:
            return None
        listed = [str(self.space.marking(int(state))) for state in states[:LISTED]]
        return {"count": len(states), "listed": listed}

    def _summary(self, states: Indexes | None) -> str:
        if states is None:
            return "unknown"
        if len(states) == self.space.states:
            return "all"
        numbers = ", ".join(str(state) for state in states[:LISTED])
        more = f", … ({len(states)})" if len(states) > LISTED else ""
        return f"[{numbers}{more}]" if len(states) else "none"


def standard_report(space: StateSpace) -> StandardReport:
    """Return the standard report on a state space.

    Examples
    --------
    >>> from kproof.petri.colours import Dot
    >>> from kproof.petri.explore import explore
    >>> from kproof.petri.net import NetBuilder
    >>> from kproof.petri.terms import everything
    >>> build = NetBuilder("hourglass")
    >>> build.place("Above", Dot(), 2 * everything(Dot()))
    >>> build.place("Below", Dot())
    >>> build.transition("fall", takes={"Above": everything(Dot())},
    ...                  puts={"Below": everything(Dot())})
    >>> report = standard_report(explore(build.net()))
    >>> report.bounds[0].most, report.home.tolist(), report.infinite
    (2, [2], False)
    """
    checker = Checker(space)
    full = space.status is Completeness.FULL
    scc, terminal = _scc(checker) if space.arcs_kept else (None, None)
    return StandardReport(
        space=space,
        scc=scc,
        bounds=tuple(place_bounds(space, place.name) for place in space.net.places),
        home=_home(space, terminal),
        dead=space.dead,
        transitions=tuple(_liveness(checker, one.name, terminal) for one in space.net.transitions),
        infinite=_infinite(space, full=full),
    )


def place_bounds(space: StateSpace, place: str) -> Bounds:
    """Return the bounds of a place over the states explored."""
    totals = space.totals(place)
    tokens, counts = space.counts(place)
    lower, upper = counts.min(axis=0), counts.max(axis=0)
    return Bounds(
        place,
        int(totals.min()),
        int(totals.max()),
        tuple((token, int(n)) for token, n in zip(tokens, lower, strict=True) if n),
        tuple((token, int(n)) for token, n in zip(tokens, upper, strict=True) if n),
    )


def live_firings(space: StateSpace) -> tuple[Firing, ...]:
    """Return the transition instances that can occur again from every reachable marking.

    Raises
    ------
    InvalidArgument
        If the space is partial, so that they are unknown, or arcs were not kept.
    """
    _require_full(space)
    _, terminal = _scc(Checker(space))
    live = np.flatnonzero(_everywhere(space, terminal))
    return tuple(space.store.firing(int(label)) for label in live)


def dead_firings(space: StateSpace, *, most: int = 100_000) -> tuple[Firing, ...]:
    """Return the transition instances that occur in no reachable marking.

    An instance gives each variable of a transition a value of its colour set such that the guard
    holds and every choice offers what is chosen.

    Parameters
    ----------
    space
        Full, with its arcs.
    most
        How many combinations of values are tried at most, for each transition.

    Raises
    ------
    InvalidArgument
        If the space is partial, or a variable has an open colour set.
    TooLarge
        If a transition has more combinations of values.
    """
    _require_full(space)
    integer("most", most, least=1)
    seen = {space.store.firing(int(label)) for label in np.unique(space.labels)}
    return tuple(
        firing
        for transition in space.net.transitions
        for firing in _instances(transition, most)
        if firing not in seen
    )


def _instances(transition: Transition, most: int) -> list[Firing]:
    combinations = 1
    for variable in transition.variables:
        if variable.of.size is None:
            raise InvalidArgument(
                f"variable {variable.name} of transition {transition.name}",
                variable.of.name,
                "a finite colour set, to tell which of its instances are dead",
            )
        combinations *= variable.of.size
    if combinations > most:
        raise TooLarge(
            f"transition {transition.name} has {combinations} combinations of values: "
            f"need at most {most}"
        )
    names = [variable.name for variable in transition.variables]
    found = []
    for values in cartesian(*(variable.of.values or () for variable in transition.variables)):
        binding: dict[str, Token] = dict(zip(names, values, strict=True))
        offered = all(
            binding[choice.variable.name]
            in choice.function.of(tuple(one.value(binding) for one in choice.arguments))
            for choice in transition.choices
        )
        if offered and transition.guard.holds(binding):
            found.append(Firing(transition.name, tuple(sorted(binding.items()))))
    return found


def _scc(checker: Checker) -> tuple[SccGraph, Indexes]:
    """Return the component graph, and the terminal component of each state; -1 for no terminal."""
    space = checker.space
    count, of_state = space.components
    leaving = of_state[space.sources] != of_state[space.targets]
    terminal: Flags = np.ones(count, dtype=np.bool_)
    terminal[of_state[space.sources[leaving]]] = False
    terminal[of_state[checker.unexpanded]] = False
    number = np.cumsum(terminal) - 1
    found: Indexes = np.where(terminal[of_state], number[of_state], -1).astype(np.int64)
    return SccGraph(count, int(leaving.sum()), int(terminal.sum())), found


def _home(space: StateSpace, terminal: Indexes | None) -> Indexes | None:
    """Return the one terminal component; of two, neither can be reached from the other."""
    if terminal is None:
        return None
    if (terminal > 0).any():
        return np.empty(0, dtype=np.int64)
    if space.status is not Completeness.FULL:
        return None
    return np.flatnonzero(terminal == 0).astype(np.int64)


def _everywhere(space: StateSpace, terminal: Indexes) -> Flags:
    """Return shape (labels,): which firings occur in every terminal component."""
    component = terminal[space.sources]
    inside = component >= 0
    components = int(terminal.max()) + 1
    pairs = np.unique(space.labels[inside].astype(np.int64) * components + component[inside])
    found: Flags = np.bincount(pairs // components, minlength=space.store.labels) == components
    return found


def _liveness(checker: Checker, transition: str, terminal: Indexes | None) -> Liveness:
    space = checker.space
    if terminal is None:
        return Liveness(transition, None, None, None, None)
    full = space.status is Completeness.FULL
    occurs = arcs_of(space, transition)
    there = np.unique(terminal[space.sources[occurs]])
    everywhere = int((there >= 0).sum()) == int(terminal.max()) + 1
    kind = fairness(checker, transition)
    return Liveness(
        transition,
        int(occurs.sum()),
        not occurs.any() if full or occurs.any() else None,
        everywhere if full or not everywhere else None,
        kind if full or kind is Fairness.NONE else None,
    )


def _infinite(space: StateSpace, *, full: bool) -> bool | None:
    if not space.arcs_kept:
        return None
    count, _ = space.components
    cyclic = count < space.states or bool((space.sources == space.targets).any())
    return cyclic if full or cyclic else None


def _require_full(space: StateSpace) -> None:
    if space.status is not Completeness.FULL:
        raise InvalidArgument("status", str(space.status), "a full state space")


def _multiset(multiset: Multiset) -> list[list[object]]:
    return [[str(token), count] for token, count in multiset]


def _printed(multiset: Multiset) -> str:
    return " + ".join(f"{count}`{token}" for token, count in multiset) or "empty"


def _named(answers: list[tuple[str, bool | None]]) -> str:
    if all(answer is None for _, answer in answers) and answers:
        return "unknown"
    named = ", ".join(name for name, answer in answers if answer) or "none"
    unknown = ", ".join(name for name, answer in answers if answer is None)
    return f"{named} (unknown: {unknown})" if unknown else named
