"""Exploring a net: every marking it can reach.

Two engines find the same states and arcs in the same order. The general one takes any net; the
packed one holds markings as bits and runs compiled, on nets with few different firings. Where a
budget allows for a part only, the order of the search decides which part it is.
"""

import gc
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum

import numpy as np

from kproof.errors import InvalidArgument, NetError
from kproof.petri.net.compiled import Compiled, compile_net
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net
from kproof.petri.spaces.interned import Interned
from kproof.petri.spaces.limits import EXPLORING, Clock, Ended
from kproof.petri.spaces.orders import Order
from kproof.petri.spaces.packed import Packed
from kproof.petri.spaces.space import Budget, Completeness, StateSpace
from kproof.petri.spaces.unfolding import unfold
from kproof.theory.exact.typed import choice

YOUNG = 2**20
"""New objects after which the collector looks at these."""
OLD = 2**10
"""Such looks after which it looks at older objects as well."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Let the collector look less often, and at new objects only.

    A search makes millions of tuples that nobody drops. A collector that walks over all of them
    takes seconds, which no budget sees coming, and finds nothing.
    """
    before = gc.get_threshold()
    # A threshold of 0 is a collector that somebody switched off, and it stays off.
    if before[0]:
        gc.set_threshold(max(before[0], YOUNG), max(before[1], OLD), before[2])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def spare(owner: object) -> None:
    """Let the collector pass over all objects there are now for as long as ``owner`` lives.

    Garbage among them is kept as long. The owner has to be so new that none of them refers to it.
    """
    gc.freeze()
    # Of several owners the first to go ends it for all: then the collector is slow, and no more.
    weakref.finalize(owner, gc.unfreeze).atexit = False


SMALL = 2**16
"""Looks at a transition up to which the general engine is done before the packed one is ready."""
MANY = 10_000
"""States from which the collector of cyclic garbage passes over what the general engine holds."""


class Engine(StrEnum):
    """What explores a net."""

    AUTO = "auto"
    GENERAL = "general"
    PACKED = "packed"


@rare_collections()
def explore(
    net: Net,
    *,
    initial: Iterable[Marking] | None = None,
    budget: Budget | None = None,
    engine: Engine | str = Engine.AUTO,
    keep_arcs: bool = True,
    order: Order | str = Order.BREADTH,
) -> StateSpace:
    """Return the state space of a net.

    States are numbered as breadth-first search meets them, roots first; the arcs of a state stand
    in the order of :func:`kproof.petri.net.firing.firings`. Neither depends on the engine, nor, if
    the space is full, on the order of the search.

    Args:
        net: Any net.
        initial: Markings to begin with instead of the net's own; equal ones count once.
        budget: When to stop: at least one state, and seconds and megabytes of 0 or more. By default
            ten million states, 60 seconds and 1 GB. A state whose successors would exceed the
            states is left unexpanded, and so is one whose bindings take too long to find. Of the
            seconds a quarter is kept for judging.
        engine: ``"general"`` for tuples and any net; ``"packed"`` for bits and compiled loops, if
            not too much can fire; ``"auto"`` for the general one, and the packed one where the
            states become many and no function is called.
        keep_arcs: Whether arcs are kept or only counted; without them a state takes a third of the
            memory, and traces take longer to find.
        order: Which part is explored if the budget ends the search: ``"breadth"`` the states that
            the fewest firings lead to; ``"depth"`` and ``"runs"`` some that many firings lead to,
            where runs end. ``"depth"`` goes on from the state met last; ``"runs"`` takes random
            runs through states not met before, the same ones in every call. Both use the general
            engine and keep arcs, and a trace is then a shortest run through the part that was
            explored. In a net that has infinitely many states they may follow one run forever.

    Raises:
        NetError: If a function raises, a token is not of its place's colour, tokens cannot be put
            in order, or the packed engine was asked for and cannot take the net: more than 2¹⁵
            different firings, counts beyond 62 bits, or what
            :func:`kproof.petri.spaces.unfolding.unfold` refuses.
        InvalidArgument: If the engine or the order is unknown, the engine or ``keep_arcs`` is not
            for the order, there is no marking to begin with, or a limit is out of range.

    >>> from kproof.petri.net.colours import Dot
    >>> from kproof.petri.net.net import NetBuilder
    >>> from kproof.petri.net.terms import Constant
    >>> dot = Constant("•", Dot())
    >>> build = NetBuilder("producer")
    >>> build.place("Buffer", Dot())
    >>> build.transition("produce", puts={"Buffer": dot})
    >>> space = explore(build.net(), budget=Budget(states=5))
    >>> space.states, space.arcs, space.expanded, space.stopped_by
    (5, 4, 4, 'states')
    >>> print(space.marking(4))
    Buffer: 4·•
    >>> explore(build.net(), order="depth", engine="packed")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: engine = packed: need general or auto with order = depth
    """
    budget = budget or Budget()
    # Before the roots are checked and the net is compiled: that takes time of the budget, too.
    clock = Clock(budget, share=EXPLORING)
    chosen = choice("engine", engine, Engine)
    ordering = choice("order", order, Order)
    if ordering is not Order.BREADTH:
        if chosen is Engine.PACKED:
            raise InvalidArgument("engine", engine, f"general or auto with order = {ordering}")
        if not keep_arcs:
            raise InvalidArgument("keep_arcs", keep_arcs, f"True with order = {ordering}")
    roots = _roots(net, initial)
    transitions = compile_net(net, clock.tick)
    search: Interned | Packed
    # Of the first branch, whose search never runs: the others say what stopped theirs.
    stopped: str | None = "states"
    if clock.states is not None and len(roots) > clock.states:
        search = Interned(net, transitions, roots[: clock.states], keep_arcs=keep_arcs)
    elif chosen is Engine.PACKED:
        try:
            search, stopped = _run_packed(net, transitions, roots, clock, keep_arcs=keep_arcs)
        except Ended as ended:
            # No unfolding, no packed search: one that never ran still has the roots for its states.
            search, stopped = Interned(net, transitions, roots, keep_arcs=keep_arcs), ended.limit
    elif ordering is not Order.BREADTH:
        search = Interned(net, transitions, roots, keep_arcs=keep_arcs, order=ordering)
        stopped = search.run(clock)
    else:
        search = Interned(net, transitions, roots, keep_arcs=keep_arcs)
        # Unfolding would call functions far more often than the search does.
        may_pack = chosen is Engine.AUTO and not any(transition.calls for transition in transitions)
        small = SMALL // max(1, len(transitions))
        stopped = search.run(clock, until=small if may_pack else None)
        # A net that is done by now is not worth the unfolding.
        if stopped is None and search.expanded < search.states:
            try:
                search, stopped = _run_packed(net, transitions, roots, clock, keep_arcs=keep_arcs)
            # What unfolding refuses may need tokens that never meet. The search goes on where it
            # was and says if it is real.
            except NetError:
                stopped = search.run(clock)
            except Ended as ended:
                stopped = ended.limit
    starts, targets, labels, parents = search.arrays
    space = StateSpace(
        net=net,
        status=Completeness.FULL if stopped is None else Completeness.PARTIAL,
        stopped_by=stopped,
        engine=Engine.GENERAL if isinstance(search, Interned) else Engine.PACKED,
        seconds=clock.seconds,
        roots=np.flatnonzero(parents < 0),
        starts=starts,
        targets=targets,
        labels=labels,
        parents=parents,
        expanded=search.expanded,
        store=search,
        budget=budget,
        left=None if budget.seconds is None else max(0.0, float(budget.seconds) - clock.seconds),
    )
    if isinstance(search, Interned) and space.states > MANY:
        spare(space)
    return space


def _run_packed(
    net: Net,
    transitions: Sequence[Compiled],
    roots: Sequence[Marking],
    clock: Clock,
    *,
    keep_arcs: bool,
) -> tuple[Packed, str | None]:
    """Return the packed search after it ran, and what stopped it."""
    unfolding = unfold(net, transitions, roots, tick=clock.tick)
    search = Packed(net, unfolding, roots, keep_arcs=keep_arcs)
    return search, search.run(clock)


def _roots(net: Net, initial: Iterable[Marking] | None) -> list[Marking]:
    """Return the different initial markings, checked."""
    roots = list(dict.fromkeys((net.initial,) if initial is None else initial))
    if not roots:
        raise InvalidArgument("initial", "no marking", "one marking or more")
    for root in roots:
        for name, multiset in root:
            net.place_named(name).require(token for token, _ in multiset)
    return roots
