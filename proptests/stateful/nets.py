"""A net run by its firing rule, with its explorer looking on.

The explorers compute states and arcs with generated code, interned tokens or packed bits. Here a
run chosen by Hypothesis fires one enabled binding after another, by the rule as it is defined, and
every marking on the way is looked up in what was explored.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from hypothesis import event, reject
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kproof.errors import NetError
from kproof.petri.net.firing import Firing, firings
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.space import Budget, StateSpace

Explorer = Callable[[Net], StateSpace]
Quantity = Callable[[Marking], object]


class NetRun(RuleBasedStateMachine):
    """One run of a net beside its state space; made by :func:`net_machine`."""

    drawn: ClassVar[st.SearchStrategy[tuple[Net, StateSpace]]]
    conserved: ClassVar[tuple[Quantity, ...]] = ()

    net: Net
    """What runs."""
    space: StateSpace
    """What was explored of it."""
    marking: Marking
    """Where the run is."""
    enabled: list[tuple[Firing, Marking]]
    """What can happen there, by the firing rule."""

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        """Put the net into its initial marking."""
        self.net, self.space = data.draw(self.drawn, label="net")
        self.start = self.net.initial
        self._arrive(self.start)

    @precondition(lambda self: self.enabled)
    @rule(data=st.data())
    def fire(self, data: st.DataObject) -> None:
        """Fire one of the bindings that are enabled."""
        chosen = data.draw(st.integers(0, len(self.enabled) - 1), label="which")
        firing, marking = self.enabled[chosen]
        # Looked up before the run goes on: the arcs are those of the marking that it leaves.
        before = self._state_with_arcs()
        self._arrive(marking)
        if before is not None:
            arcs = [arc for arc in self.space.successors(before) if arc[0] == firing]
            assert [state for _, state in arcs] == [self.space.find(marking)], (
                f"{firing} leads to {marking}; the state space has it lead to"
                f" {', '.join(str(self.space.marking(state)) for _, state in arcs) or 'nothing'}"
            )

    @precondition(lambda self: not self.enabled)
    @rule()
    def begin_again(self) -> None:
        """Start over where nothing can fire."""
        event(f"ended in {'a deadlock' if self.marking != self.start else 'the beginning'}")
        self._arrive(self.start)

    @invariant()
    def is_a_state(self) -> None:
        """Look for the marking among the states."""
        full = self.space.full
        # Where the budget ended an exploration, a marking may be one that it did not come to.
        is_state = self.space.find(self.marking) is not None
        assert is_state or not full, f"the state space does not have {self.marking}"

    @invariant()
    def same_firings(self) -> None:
        """Compare what can happen, and that nothing can, with the arcs of the state."""
        state = self._state_with_arcs()
        if state is None:
            return
        explored = [firing for firing, _ in self.space.successors(state)]
        enabled = [firing for firing, _ in self.enabled]
        assert explored == enabled, (
            f"in {self.marking} there are {_join(enabled)}; explored: {_join(explored)}"
        )
        dead = state in self.space.dead
        assert dead == (not enabled), f"{self.marking} is {'' if dead else 'not '}called dead"

    @invariant()
    def is_conserved(self) -> None:
        """Compare what no firing may change with what it was in the beginning."""
        for quantity in self.conserved:
            was, now = quantity(self.start), quantity(self.marking)
            if was != now:
                raise AssertionError(f"{self.marking}: {now}, which was {was}")

    def _arrive(self, marking: Marking) -> None:
        self.marking = marking
        self.enabled = list(firings(self.net, marking))

    def _state_with_arcs(self) -> int | None:
        """Return the state of the marking if its arcs are known."""
        state = self.space.find(self.marking)
        # A state that was not expanded has no arcs yet, which does not say that nothing can fire
        # there.
        return state if state is not None and state < self.space.expanded else None


def net_machine(
    net: Net | st.SearchStrategy[Net],
    *,
    explorer: Explorer | None = None,
    conserved: tuple[Quantity, ...] = (),
) -> type[NetRun]:
    """Return the state machine of a net beside its explorer.

    Args:
        net: A net, which is explored once, or a strategy of nets, each explored when it is drawn.
            Nets the explorer refuses with a :class:`~kproof.errors.NetError` are not run.
        explorer: Returns the state space of a net; by default that of
            :func:`kproof.petri.spaces.explore.explore` within 2,000 states.
        conserved: Functions of a marking that have one value throughout a run.

    >>> from kproof.petri.papers.theta_sensitive import theta_publisher
    >>> from kproof.proptests.stateful import run
    >>> net = theta_publisher([["HIV", "HIV"], ["Flu", "Cancer"]], k=2).net()
    >>> run(net_machine(net), examples=20) is None
    True
    >>> masked = net_machine(net, conserved=(lambda marking: marking.total("MMT"),))
    >>> print(run(masked, examples=20))  # doctest: +ELLIPSIS
    PublshdData: ...: 0, which was 1
    """
    exploring: Explorer = explorer or partial(explore, budget=Budget(states=2_000))

    def with_space(sample: Net) -> tuple[Net, StateSpace]:
        try:
            return sample, exploring(sample)
        except NetError:
            reject()

    strategy: st.SearchStrategy[Any] = (
        st.just((net, exploring(net))) if isinstance(net, Net) else net.map(with_space)
    )
    members = {
        "__doc__": "Runs of a net beside its state space.",
        "drawn": strategy,
        "conserved": conserved,
    }
    return type("NetMachine", (NetRun,), members)


def _join(firings: list[Firing]) -> str:
    return ", ".join(map(str, firings)) or "no firings"
