"""State spaces: what an explorer found, as arrays, and how to walk on it.

States are numbered in the order in which breadth-first search meets them, roots first, those that
were not expanded last; the arcs of one state stand together, in the order of the net's transitions
and their bindings. Both orders are the same in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sized
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kproof.errors import InvalidArgument
from kproof.forms import JsonForm
from kproof.petri.net.colours import Token
from kproof.petri.net.firing import Firing, Trace, firings
from kproof.petri.net.marking import Marking, Multiset
from kproof.petri.net.net import Net
from kproof.petri.spaces.figures import Figure, Finality, at_least, so_far

Indexes = NDArray[np.int64]
Counts = NDArray[Any]
"""Whole numbers; of a narrow type if they are small, Python's own if they are beyond 64 bits."""


class Completeness(StrEnum):
    """How much of a state space was explored."""

    FULL = "full"
    PARTIAL = "partial"


class InPart:
    """What may be known in part only, as its ``status`` says."""

    status: Completeness

    @property
    def full(self) -> bool:
        """Whether this is all there is, so that figures are final."""
        return self.status is Completeness.FULL

    def figures_of(self, counts: str, changing: str = "") -> dict[str, Figure]:
        """Return attributes as figures, by name: counts can only grow, others may change."""
        values = {name: getattr(self, name) for name in f"{counts} {changing}".split()}
        return {
            name: so_far(value, final=self.full)
            if name in changing.split()
            else at_least(len(value) if isinstance(value, Sized) else value, final=self.full)
            for name, value in values.items()
        }


@dataclass(frozen=True)
class Budget:
    """When an exploration stops, full or not; None means no limit.

    There are limits unless somebody lifts them: a net without bound would go on until the machine
    is full.

    >>> Budget().words("seconds"), Budget(states=1).words("states")
    ('60 seconds', '1 states')
    """

    states: int | None = 10_000_000
    """Most states."""
    seconds: float | None = 60
    """Longest time, of exploring and of judging what was found; exploring stops after three
    quarters of it."""
    megabytes: float | None = 1_000
    """Most memory for states and arcs."""

    def words(self, limit: str) -> str:
        """Return one of the limits as text."""
        most = getattr(self, limit)
        return f"{most:,} {limit}" if isinstance(most, int) else f"{most:g} {limit}"

    to_dict = JsonForm()


@dataclass(frozen=True)
class Extremes:
    """How many tokens a place has at least and at most in some states."""

    least: int
    most: int
    """Of all tokens together."""
    lower: Multiset
    upper: Multiset
    """Of each token, in the order of the colour set; those that are never there are left out."""


class _Store(Protocol):
    """The explorer's own store of markings and firings; what each returns, the space says."""

    @property
    def labels(self) -> int: ...
    def marking(self, state: int) -> Marking: ...
    def find(self, marking: Marking) -> int | None: ...
    def firing(self, label: int) -> Firing: ...
    def multisets(self, place: str) -> tuple[tuple[Multiset, ...], Indexes]: ...
    def counts(self, place: str) -> tuple[tuple[Token, ...], Counts]: ...
    def totals(self, place: str) -> Counts: ...
    def column(self, place: str, token: Token) -> Counts: ...
    def extremes(self, place: str, tick: Callable[[], object]) -> Extremes: ...


@dataclass(frozen=True, eq=False)
class StateSpace(InPart):
    """The markings a net can reach, and the firings between them."""

    net: Net
    """What was explored."""
    status: Completeness
    """Whether everything was; if not, states from ``expanded`` on have no arcs here."""
    stopped_by: str | None
    """What ended a partial exploration: ``"states"``, ``"seconds"`` or ``"megabytes"``."""
    engine: str
    """Which explorer did it, for the statistics."""
    seconds: float
    """How long it took."""
    roots: Indexes = field(repr=False)
    """Shape (roots,): states exploration began with."""
    starts: Indexes = field(repr=False)
    """Shape (states + 1,): the arcs of state s are ``starts[s]:starts[s + 1]``."""
    targets: NDArray[np.integer] = field(repr=False)
    """Shape (arcs,): state each arc leads to; empty if arcs were counted but not kept."""
    labels: NDArray[np.integer] = field(repr=False)
    """Shape (arcs,): what fires, as the store numbers it; empty if arcs were not kept."""
    parents: Indexes = field(repr=False)
    """Shape (states,): arc by which breadth-first search meets each state; -1 for a root."""
    expanded: int = field(repr=False)
    """States below this one have all their arcs."""
    store: _Store = field(repr=False)
    """Markings and firings."""
    budget: Budget = field(default_factory=Budget, repr=False)
    """What it was allowed to take."""
    left: float | None = field(default=None, repr=False)
    """Seconds of the budget that exploring left for judging; None if there is no limit."""

    @property
    def states(self) -> int:
        """Number of markings."""
        return len(self.starts) - 1

    @property
    def extent(self) -> str:
        """How much was explored, in words, and of a part the limit that ended it."""
        if self.stopped_by is None:
            return "all states"
        return f"in part, stopped by the budget of {self.budget.words(self.stopped_by)}"

    @property
    def arcs(self) -> int:
        """Number of firings, counted once for each marking they are enabled in."""
        return int(self.starts[-1])

    @property
    def arcs_kept(self) -> bool:
        """Whether ``targets`` and ``labels`` are there; all but the arrays works without them."""
        return len(self.targets) == self.arcs

    def marking(self, state: int) -> Marking:
        """Return the marking of a state."""
        if not 0 <= state < self.states:
            raise InvalidArgument("state", state, f"0 to {self.states - 1}")
        return self.store.marking(state)

    def find(self, marking: Marking) -> int | None:
        """Return the state of a marking, or None if it is not among those explored."""
        return self.store.find(marking)

    def multisets(self, place: str) -> tuple[tuple[Multiset, ...], Indexes]:
        """Return the different multisets a place has, and shape (states,): which of them.

        What holds of a marking because of one place needs to be decided only once for each.
        """
        return self.store.multisets(self._require_place(place))

    def counts(self, place: str) -> tuple[tuple[Token, ...], Counts]:
        """Return the tokens a place has in some state, in order, and how many in each state.

        The counts have shape (states, tokens).
        """
        return self.store.counts(self._require_place(place))

    def totals(self, place: str) -> Counts:
        """Return shape (states,): how many tokens a place has in each state."""
        return self.store.totals(self._require_place(place))

    def column(self, place: str, token: Token) -> Counts:
        """Return shape (states,): how often a place has a token in each state."""
        return self.store.column(self._require_place(place), token)

    def extremes(self, place: str, tick: Callable[[], object] = int) -> Extremes:
        """Return the least and the largest counts of a place over the states explored.

        Calls ``tick`` again and again meanwhile; whatever it raises ends the search.
        """
        return self.store.extremes(self._require_place(place), tick)

    def source(self, arc: int) -> int:
        """Return the state an arc starts from."""
        # `right`: a state without arcs begins where the next one does, and is no arc's source.
        return int(np.searchsorted(self.starts, arc, side="right")) - 1

    def firing(self, arc: int) -> Firing:
        """Return what fires on an arc."""
        return self.step(arc)[0]

    def step(self, arc: int) -> tuple[Firing, int]:
        """Return what fires on an arc, and the state it leads to."""
        if self.arcs_kept:
            return self.store.firing(int(self.labels[arc])), int(self.targets[arc])
        return self._fire_again(arc)

    def successors(self, state: int) -> Iterator[tuple[Firing, int]]:
        """Run through the firings of a state and the states they lead to."""
        yield from map(self.step, range(int(self.starts[state]), int(self.starts[state + 1])))

    @cached_property
    def sources(self) -> Indexes:
        """Shape (arcs,): state each arc starts from."""
        return np.repeat(np.arange(self.states), np.diff(self.starts)).astype(np.int64)

    def transitions_of(self, tick: Callable[[], object]) -> Indexes:
        """Return shape (labels,): position in the net of the transition each label is a firing of.

        Calls ``tick`` while they are worked out first.
        """
        # Worked out here and not as a cached property, which could not hand the tick on.
        if not self._of_labels:
            positions = {t.name: number for number, t in enumerate(self.net.transitions)}
            positions_of_labels = []
            for label in range(self.store.labels):
                tick()
                positions_of_labels.append(positions[self.store.firing(label).transition])
            self._of_labels.append(np.array(positions_of_labels, dtype=np.int64))
        return self._of_labels[0]

    @cached_property
    def _of_labels(self) -> list[Indexes]:
        """The one array of transitions, once it is known."""
        return []

    @cached_property
    def dead(self) -> Indexes:
        """The explored states in which nothing can fire."""
        # States that were not expanded have no arcs here, and may have successors all the same.
        return np.flatnonzero(np.diff(self.starts)[: self.expanded] == 0).astype(np.int64)

    def trace(self, state: int) -> Trace:
        """Return a run from a root to a state, a shortest one through what was explored."""
        return self.along(*self.path(state))

    def path(self, state: int, tick: Callable[[], object] = int) -> tuple[int, tuple[int, ...]]:
        """Return the root and the arcs of the run of :meth:`trace`, calling ``tick`` meanwhile."""
        arcs: list[int] = []
        # Every parent arc starts from a state that was met before, so that this comes to a root.
        while (arc := int(self.parents[state])) >= 0:
            tick()
            arcs.append(arc)
            state = self.source(arc)
        return state, tuple(reversed(arcs))

    def along(self, state: int, arcs: tuple[int, ...], *, loop: int | None = None) -> Trace:
        """Return the run from a state over given arcs."""
        steps = tuple((firing, self.marking(target)) for firing, target in map(self.step, arcs))
        return Trace(self.marking(state), steps, loop)

    @cached_property
    def components(self) -> tuple[int, Indexes]:
        """Number of strongly connected components, and the component of each state; needs arcs."""
        self.require_arcs()
        return strong_components(self.starts, self.targets)

    def require_arcs(self) -> None:
        """Raise InvalidArgument if arcs were not kept."""
        if not self.arcs_kept:
            raise InvalidArgument("keep_arcs", False, "True when the space is explored")

    def _require_place(self, place: str) -> str:
        if place not in self.net.place:
            raise InvalidArgument("place", place, f"a place of net {self.net.name}")
        return place

    def _fire_again(self, arc: int) -> tuple[Firing, int]:
        """Find again, by the firing rule, an arc that was not kept: their order is the same."""
        state = self.source(arc)
        number = arc - int(self.starts[state])
        firing, marking = next(islice(firings(self.net, self.marking(state)), number, None))
        target = self.find(marking)
        assert target is not None
        return firing, target


def graph_of(starts: Indexes, targets: NDArray[np.integer]) -> Any:
    """Return the graph of arcs as a sparse matrix of SciPy: a row for each source."""
    from scipy.sparse import csr_matrix

    states = len(starts) - 1
    # One byte for each arc, for only where there is one counts; parallel arcs stay entries of their
    # own.
    weights = np.ones(len(targets), dtype=np.int8)
    return csr_matrix((weights, targets, starts), shape=(states, states))


def strong_components(starts: Indexes, targets: NDArray[np.integer]) -> tuple[int, Indexes]:
    """Return the number of strongly connected components, and the component of each state."""
    from scipy.sparse.csgraph import connected_components

    graph = graph_of(starts, targets)
    count, of_state = connected_components(graph, directed=True, connection="strong")
    return int(count), of_state.astype(np.int64)


@dataclass(frozen=True)
class Bounds:
    """How many tokens a place has, over all markings; None if the time for judging was over."""

    place: str
    """Its name."""
    least: int | None = None
    """The least number of tokens."""
    most: int | None = None
    """The largest number of tokens."""
    lower: Multiset | None = None
    """Of each token the least count."""
    upper: Multiset | None = None
    """Of each token the largest count."""

    def figures(self, *, full: bool = True) -> tuple[Figure, Figure, Figure, Figure]:
        """Return most, least, and the numbers of tokens of the upper and lower multi-set bound.

        A lower bound of nothing is final whatever was not explored.
        """
        if self.lower is None or self.upper is None:
            return (Figure(None, Finality.UNKNOWN),) * 4
        return (
            at_least(self.most, final=full),
            # No count is below zero, so that what was not explored cannot lower it further.
            so_far(self.least, final=full or not self.least),
            at_least(len(self.upper), final=full),
            so_far(len(self.lower), final=full or not self.lower),
        )

    def _lower(self, *, full: bool = True, listed: int | None = None) -> Figure:
        """Return the least multi-set, pairs of a token and how often."""
        return _figure_of(self.figures(full=full)[3], self.lower, listed)

    def _upper(self, *, full: bool = True, listed: int | None = None) -> Figure:
        """Return the largest multi-set, pairs of a token and how often."""
        return _figure_of(self.figures(full=full)[2], self.upper, listed)

    def _tokens(
        self, *, full: bool = True, listed: int | None = None
    ) -> tuple[Figure, Figure] | None:
        """Return the tokens of the lower and the upper multi-set; None where all are listed."""
        return None if listed is None else (self.figures(full=full)[3], self.figures(full=full)[2])

    to_dict = JsonForm(
        "place least=figures(full).1 most=figures(full).0 lower=_lower(full,listed)",
        "lower_tokens?=_tokens(full,listed).0 upper=_upper(full,listed)",
        "upper_tokens?=_tokens(full,listed).1",
    )


def _figure_of(figure: Figure, tokens: Multiset | None, listed: int | None) -> Figure:
    pairs = None if tokens is None else [[str(token), count] for token, count in tokens[:listed]]
    return replace(figure, value=pairs)
