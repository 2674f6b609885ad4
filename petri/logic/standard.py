"""The standard state space report: what can be said of any net without asking.

Its sections are those of CPN Tools: statistics, boundedness, home markings, liveness and fairness.
What a partial space leaves open is None here and "unknown" in print, never a guess; so is what the
time for judging did not suffice for. Bounds and counts of a partial space are those of the part
explored, and are called "at least" or "so far" (:mod:`kproof.petri.spaces.figures`).

Source: Jensen and Kristensen, *Coloured Petri Nets*, 2009, chapter 8.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import product as cartesian
from typing import TypeVar

import numpy as np

from kproof.errors import InvalidArgument, TooLarge
from kproof.forms import JsonForm, group
from kproof.petri.logic.ctl import Flags
from kproof.petri.logic.ctl_check import Checker
from kproof.petri.logic.fairness import Fairness, fairness
from kproof.petri.logic.predicates import arcs_of
from kproof.petri.net.colours import Token
from kproof.petri.net.firing import Firing
from kproof.petri.net.marking import Multiset
from kproof.petri.net.net import Transition
from kproof.petri.spaces.figures import Figure, Finality, Known, at_least, so_far
from kproof.petri.spaces.limits import Clock, Ended, clock_for_judging
from kproof.petri.spaces.space import Bounds, Indexes, StateSpace
from kproof.theory.exact.typed import integer

SCHEMA = 2
"""Version of the JSON form of the report."""

Part = TypeVar("Part")

LISTED = 20
"""How many markings a printed or JSON report lists."""


@dataclass(frozen=True)
class Liveness:
    """What a transition does, over all runs."""

    transition: str
    """Its name."""
    arcs: int | None = None
    """How often it occurs in the state space; None if arcs were not kept."""
    dead: bool | None = None
    """Whether it can occur in no reachable marking."""
    live: bool | None = None
    """Whether it can occur again from every reachable marking."""
    fairness: Fairness | None = None
    """How often it occurs in infinite runs."""

    def _arcs(self, *, full: bool = True) -> Figure:
        """Return how often it fires."""
        return at_least(self.arcs, final=full)

    def _fairness(self, *, infinite: bool | None = None) -> Fairness | None:
        """Return how fair it is; None if unknown, or if no run is infinite."""
        # Where no run is infinite there is nothing to be fair in.
        return None if infinite is False else self.fairness

    to_dict = JsonForm("transition arcs=_arcs(full) dead live fairness=_fairness(infinite)")


@dataclass(frozen=True, slots=True)
class ListedMarkings:
    """Markings, the first of them by name."""

    count: Known
    """How many there are."""
    listed: Known
    """The first of them."""


@dataclass(frozen=True)
class SccGraph:
    """The graph of strongly connected components."""

    nodes: int
    """Number of components."""
    arcs: int
    """Number of arcs of the state space from one component to another."""
    terminal: int
    """Number of components that are explored completely and are never left."""


@dataclass(frozen=True, eq=False)
class StandardReport:
    """The standard report on a state space."""

    space: StateSpace = field(repr=False)
    """What it is about: states, arcs, seconds, status."""
    scc: SccGraph | None
    """None if arcs were not kept."""
    bounds: tuple[Bounds, ...]
    home: Indexes | None = field(repr=False)
    """States that can be reached from every reachable state; None if unknown."""
    dead: Indexes = field(repr=False)
    """States in which nothing can fire, of those explored."""
    transitions: tuple[Liveness, ...]
    """In the order of the net."""
    infinite: bool | None
    """Whether some run is infinite; if not, fairness says nothing."""
    stopped_by: str | None = None
    """What ended the judging before all was judged; None if nothing did."""

    @property
    def full(self) -> bool:
        """Whether everything was explored, so that figures are final."""
        return self.space.full

    @property
    def statistics(self) -> dict[str, Figure]:
        """States, arcs, and nodes, arcs and terminal nodes of the graph of components."""
        space, scc, full = self.space, self.scc, self.full
        return {
            "states": at_least(space.states, final=full),
            "arcs": at_least(space.arcs, final=full),
            "scc_nodes": so_far(None if scc is None else scc.nodes, final=full),
            "scc_arcs": so_far(None if scc is None else scc.arcs, final=full),
            "scc_terminal": at_least(None if scc is None else scc.terminal, final=full),
        }

    @property
    def _home(self) -> ListedMarkings | None:
        """Markings that can always be reached again; None if unknown."""
        return self._markings(self.home, final=True)

    @property
    def _dead(self) -> ListedMarkings | None:
        """Markings where nothing can fire; None if unknown."""
        return self._markings(self.dead, final=self.full)

    to_dict = JsonForm(
        "net=space.net.name",
        group(
            "statistics",
            "The state space.",
            "states=statistics.states arcs=statistics.arcs scc_nodes=statistics.scc_nodes",
            "scc_arcs=statistics.scc_arcs scc_terminal=statistics.scc_terminal",
            "seconds=space.seconds status=space.status stopped_by=space.stopped_by",
            "budget=space.budget judging_stopped_by=stopped_by engine=space.engine",
        ),
        "bounds=bounds.to_dict(full,listed) home_markings=_home dead_markings=_dead",
        "transitions=transitions.to_dict(full,infinite) infinite_runs=infinite",
        schema=SCHEMA,
    )
    """Of many markings the first :data:`LISTED` are listed; ``listed`` is how many tokens of a
    multi-set bound are, with their number, by default all."""

    def __str__(self) -> str:
        space, figures = self.space, self.statistics
        lines = [
            "Statistics",
            f"  State space: {figures['states'].of('nodes')}, {figures['arcs'].of('arcs')}, "
            f"{space.seconds:.3g} seconds, explored {space.extent}",
        ]
        if self.stopped_by is not None:
            lines.append(f"  Judging was stopped by {self.stopped_by}")
        scc = f"{figures['scc_nodes'].of('nodes')}, {figures['scc_arcs'].of('arcs')}"
        lines.append(f"  SCC graph: {'unknown' if self.scc is None else scc}")
        rows = [(bounds, *bounds.figures(full=self.full)) for bounds in self.bounds]
        lines += ["", "Best integer bounds (upper, lower)"]
        lines += [f"  {bounds.place}: {high}, {low}" for bounds, high, low, _, _ in rows]
        for side, at in (("upper", 2), ("lower", 3)):
            lines += ["", f"Best {side} multi-set bounds"]
            lines += [
                _line(bounds.place, getattr(bounds, side), figures[at].standing)
                for bounds, *figures in rows
            ]
        lines += ["", f"Home markings: {self._state_list(self.home, final=True)}"]
        lines += [f"Dead markings: {self._state_list(self.dead, final=self.full)}"]
        for title, kind in (("Dead", "dead"), ("Live", "live")):
            lines.append(f"{title} transitions: {self.names_of(kind)}")
        lines += ["", "Fairness"]
        if self.infinite is False:
            lines.append("  No infinite occurrence sequences.")
        else:
            lines += [
                f"  {entry.transition}: {entry.fairness or 'unknown'}" for entry in self.transitions
            ]
        return "\n".join(lines)

    def summary(self, states: Indexes | None, *, final: bool, listed: int) -> str:
        """Return states in words: all, none, or their number and the first of them."""
        if states is None:
            return "unknown"
        if final and len(states) == self.space.states:
            return "all"
        if not len(states):
            return "none" if final else "none so far"
        numbers = ", ".join(str(state) for state in states[:listed])
        count = at_least(len(states), final=final)
        return f"{count}: {numbers}{', …' if len(states) > listed else ''}"

    def _state_list(self, states: Indexes | None, *, final: bool) -> str:
        """Return states as CPN Tools lists them."""
        summary, colon, numbers = self.summary(states, final=final, listed=LISTED).partition(": ")
        if not colon or states is None:
            return summary
        many = f" ({summary})" if len(states) > LISTED else ""
        return f"{'' if final else 'at least '}[{numbers}{many}]"

    def names_of(self, kind: str) -> str:
        """Return the transitions that are surely ``"dead"`` or ``"live"``, and the open ones."""
        answers = [(liveness.transition, getattr(liveness, kind)) for liveness in self.transitions]
        unknown = ", ".join(name for name, answer in answers if answer is None)
        if answers and all(answer is None for _, answer in answers):
            return "unknown"
        names = so_far(", ".join(name for name, answer in answers if answer), final=not unknown)
        return names.of(empty="none") + (f"; unknown: {unknown}" if unknown else "")

    def _markings(self, states: Indexes | None, *, final: bool) -> ListedMarkings | None:
        if states is None:
            return None
        listed = [str(self.space.marking(int(state))) for state in states[:LISTED]]
        return ListedMarkings(at_least(len(states), final=final), so_far(listed, final=final))


def standard_report(space: StateSpace, *, clock: Clock | None = None) -> StandardReport:
    """Return the standard report on a state space, full or partial; without arcs it says less.

    The clock says when to stop judging; by default once the seconds are over that exploring left.

    >>> from kproof.petri.net.colours import Dot
    >>> from kproof.petri.spaces.explore import explore
    >>> from kproof.petri.net.net import NetBuilder
    >>> from kproof.petri.net.terms import everything
    >>> build = NetBuilder("hourglass")
    >>> build.place("Above", Dot(), 2 * everything(Dot()))
    >>> build.place("Below", Dot())
    >>> build.transition("fall", takes={"Above": everything(Dot())},
    ...                  puts={"Below": everything(Dot())})
    >>> report = standard_report(explore(build.net()))
    >>> report.bounds[0].most, report.home.tolist(), report.infinite
    (2, [2], False)
    """
    judge = _Judge(Checker(space, clock_for_judging(space) if clock is None else clock))
    scc, terminal = judge.part(lambda: _scc(judge.checker)) or (None, None)
    return StandardReport(
        space=space,
        scc=scc,
        bounds=tuple(
            judge.part(partial(judge.bounds, place.name)) or Bounds(place.name)
            for place in space.net.places
        ),
        home=_home(space, terminal),
        dead=space.dead,
        transitions=tuple(
            judge.part(partial(_liveness, judge.checker, transition.name, terminal))
            or Liveness(transition.name)
            for transition in space.net.transitions
        ),
        infinite=judge.part(lambda: _infinite(judge.checker)),
        # Last: arguments are worked out in order, and each of those above may end the clock.
        stopped_by=judge.stopped_by,
    )


@dataclass
class _Judge:
    """Judges part by part; what comes after the end of the clock stays open."""

    checker: Checker
    stopped_by: str | None = None

    def part(self, judge: Callable[[], Part]) -> Part | None:
        """Return what one part comes to, or None if the clock ends it."""
        try:
            return judge()
        except Ended as ended:
            self.stopped_by = ended.limit
            return None

    def bounds(self, place: str) -> Bounds:
        """Return the bounds of a place."""
        self.checker.clock.tick()
        return Bounds(place, **vars(self.checker.space.extremes(place, self.checker.clock.tick)))


def live_firings(space: StateSpace, *, clock: Clock | None = None) -> tuple[Firing, ...]:
    """Return the transition instances that can occur again from every reachable marking.

    Those of a partial space are unknown. Raises Ended if a clock is given and it is over.
    """
    _require_full(space)
    checker = Checker(space, clock)
    space.require_arcs()
    components = _scc(checker)
    assert components is not None
    live = np.flatnonzero(_everywhere(space, components[1]))
    return tuple(checker.with_clock(space.store.firing(int(label)) for label in live))


def dead_firings(
    space: StateSpace, *, most: int = 100_000, clock: Clock | None = None
) -> tuple[Firing, ...]:
    """Return the transition instances that occur in no reachable marking of a full space.

    An instance gives each variable of a transition a value of its colour set such that the guard
    holds and every choice offers what is chosen; variables of open colours are refused.

    Raises:
        Ended: If the clock is over; without one it never is.
        TooLarge: If a transition has more than ``most`` combinations of values.
    """
    _require_full(space)
    integer("most", most, least=1)
    checker = Checker(space, clock)
    labels = np.unique(space.labels).tolist()
    occurring = set(checker.with_clock(space.store.firing(label) for label in labels))
    return tuple(
        firing
        for transition in space.net.transitions
        for firing in _instances(transition, most, checker)
        if firing not in occurring
    )


def _instances(transition: Transition, limit: int, checker: Checker) -> list[Firing]:
    combinations = 1
    for variable in transition.variables:
        if variable.of.size is None:
            raise InvalidArgument(
                f"variable {variable.name} of transition {transition.name}",
                variable.of.name,
                "a finite colour set, to tell which of its instances are dead",
            )
        combinations *= variable.of.size
    # Before anything is listed: there is no end to some products.
    if combinations > limit:
        raise TooLarge(
            f"transition {transition.name} has {combinations} combinations of values: "
            f"need at most {limit}"
        )
    names = [variable.name for variable in transition.variables]
    firings = []
    sets = (variable.of.values or () for variable in transition.variables)
    for values in checker.with_clock(cartesian(*sets)):
        binding: dict[str, Token] = dict(zip(names, values, strict=True))
        offered = all(
            binding[choice.variable.name]
            in choice.function.of(tuple(argument.value(binding) for argument in choice.arguments))
            for choice in transition.choices
        )
        if offered and transition.guard.holds(binding):
            firings.append(Firing(transition.name, tuple(sorted(binding.items()))))
    return firings


def _scc(checker: Checker) -> tuple[SccGraph, Indexes] | None:
    """Return the component graph, and the terminal component of each state; -1 for no terminal."""
    space = checker.space
    if not space.arcs_kept:
        return None
    count, of_state = checker.components
    leaving = of_state[space.sources] != of_state[space.targets]
    terminal: Flags = np.ones(count, dtype=np.bool_)
    terminal[of_state[space.sources[leaving]]] = False
    # Nobody knows where states lead that were not expanded.
    terminal[of_state[checker.frontier]] = False
    number = np.cumsum(terminal) - 1
    terminal_of_state: Indexes = np.where(terminal[of_state], number[of_state], -1).astype(np.int64)
    return SccGraph(count, int(leaving.sum()), int(terminal.sum())), terminal_of_state


def _home(space: StateSpace, terminal: Indexes | None) -> Indexes | None:
    """Return the one terminal component; of two, neither can be reached from the other."""
    if terminal is None:
        return None
    # Two are none, in a part as well: from a terminal component nothing leads to another.
    if (terminal > 0).any():
        return np.empty(0, dtype=np.int64)
    if not space.full:
        return None
    return np.flatnonzero(terminal == 0).astype(np.int64)


def _everywhere(space: StateSpace, terminal: Indexes) -> Flags:
    """Return shape (labels,): which firings occur in every terminal component."""
    component = terminal[space.sources]
    final = component >= 0
    components = int(terminal.max()) + 1
    # A number for each pair of label and component: it counts once, however many arcs have it.
    pairs = np.unique(space.labels[final].astype(np.int64) * components + component[final])
    everywhere: Flags = np.bincount(pairs // components, minlength=space.store.labels) == components
    return everywhere


def _liveness(checker: Checker, transition: str, terminal: Indexes | None) -> Liveness:
    space = checker.space
    if terminal is None:
        return Liveness(transition)
    full = space.full
    occurs = arcs_of(space, transition, tick=checker.clock.tick)
    components = np.unique(terminal[space.sources[occurs]])
    # In a part without any terminal component this is 0 == 0, which below claims nothing.
    everywhere = int((components >= 0).sum()) == int(terminal.max()) + 1
    kind = fairness(checker, transition)
    return Liveness(
        transition,
        int(occurs.sum()),
        # What occurs in a part occurs; what does not may still do so beyond it.
        not occurs.any() if full or occurs.any() else None,
        # A terminal component is explored and never left: what is missing there is not live.
        everywhere if full or not everywhere else None,
        # A lasso that was met stays one, whatever was not explored.
        kind if full or kind is Fairness.NONE else None,
    )


def _infinite(checker: Checker) -> bool | None:
    space = checker.space
    if not space.arcs_kept:
        return None
    count, _ = checker.components
    # A cycle is a component of several states, or an arc from a state to itself.
    cyclic = count < space.states or bool((space.sources == space.targets).any())
    return cyclic if space.full or cyclic else None


def _require_full(space: StateSpace) -> None:
    if not space.full:
        raise InvalidArgument("status", str(space.status), "a full state space")


def _line(place: str, multiset: Multiset | None, finality: Finality) -> str:
    printed = " + ".join(f"{count}`{token}" for token, count in multiset or ())
    figure = Figure(None if multiset is None else printed, finality)
    return f"  {place}: {figure.of(empty='empty')}"
