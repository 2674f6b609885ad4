"""Bounded model checking against exploring the same net."""

from collections.abc import Callable
from itertools import combinations_with_replacement

import pytest
from cases import error_line

from kproof.errors import InvalidArgument, NetError
from kproof.petri.logic.smt import Outcome, unreachable_within
from kproof.petri.net.colours import Dot, Open, enumeration
from kproof.petri.net.firing import Trace, replay
from kproof.petri.net.net import Net, NetBuilder
from kproof.petri.net.terms import Bag, Constant, Shift, Variable, everything
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.space import StateSpace

DOT = Constant("•", Dot())


def dining(seats: int) -> Net:
    colour = enumeration("Seat", range(seats), cyclic=True)
    x = Variable("x", colour)
    build = NetBuilder(f"dining {seats}")
    for name in ("Think", "Fork"):
        build.place(name, colour, everything(colour))
    for name in ("Left", "Eat"):
        build.place(name, colour)
    build.transition("left", takes={"Think": x, "Fork": x}, puts={"Left": x})
    build.transition("right", takes={"Left": x, "Fork": Shift(x, 1)}, puts={"Eat": x})
    build.transition("leave", takes={"Eat": x}, puts={"Think": x, "Fork": x + Shift(x, 1)})
    return build.net()


def depth(net: Net, wanted: Callable[[StateSpace, int], bool]) -> int | None:
    """Fewest firings to a marking, by exploring: the first state of the search that has it."""
    space = explore(net)
    for state in range(space.states):
        if wanted(space, state):
            return len(space.trace(state).steps)
    return None


@pytest.mark.parametrize("seats", [2, 3])
def test_the_deadlock_of_the_philosophers_is_found_at_its_depth(seats):
    net = dining(seats)
    dead = set(explore(net).dead.tolist())
    nearest = depth(net, lambda _, state: state in dead)
    assert nearest == seats
    assert unreachable_within(net, nearest - 1).outcome is Outcome.BOUNDED
    proof = unreachable_within(net, nearest)
    assert proof.outcome is Outcome.REFUTED
    (trace,) = proof.witness
    assert isinstance(trace, Trace)
    end = replay(net, trace)
    assert end == trace.end
    assert end.total("Left") == seats
    assert explore(net).find(end) in dead


@pytest.mark.parametrize(("tokens", "steps"), [(1, 2), (2, 5)])
def test_a_goal_is_reached_at_its_depth(tokens, steps):
    net = dining(3)
    nearest = depth(net, lambda space, state: space.marking(state).total("Eat") >= tokens)
    goal = {"Eat": tokens}
    assert (nearest is None) == (unreachable_within(net, steps, goal).outcome is Outcome.BOUNDED)
    if nearest is not None:
        assert unreachable_within(net, nearest - 1, goal).outcome is Outcome.BOUNDED
        (trace,) = unreachable_within(net, steps, goal).witness
        assert replay(net, trace).total("Eat") >= tokens


def doubling() -> Net:
    colour = enumeration("C", "abc", cyclic=True)
    x = Variable("x", colour)
    build = NetBuilder("doubling")
    for name in "AB":
        build.place(name, colour)
    build.transition("pair", takes={"A": 2 * x}, puts={"B": Shift(x, 1)})
    build.transition("back", takes={"B": x}, puts={"A": x}, guard=x.equals("a"))
    return build.net()


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("steps", [1, 3])
def test_an_unknown_initial_marking_means_every_one(size, steps):
    net = doubling()
    colour = net.place["A"].colour
    goal = {"B": {"a": 2}}
    found = []
    for tokens in combinations_with_replacement("abc", size):
        bag = Bag(tuple((1, Constant(token, colour)) for token in tokens))
        space = explore(net.with_initial({"A": bag}))
        found += [
            len(space.trace(state).steps)
            for state in range(space.states)
            if space.marking(state)["B"].get("a", 0) >= 2
        ]
    proof = unreachable_within(net, steps, goal, free={"A": size})
    assert (proof.outcome is Outcome.REFUTED) == any(n <= steps for n in found)
    if proof.outcome is Outcome.REFUTED:
        (trace,) = proof.witness
        assert trace.start.total("A") == size
        assert replay(net, trace)["B"]["a"] >= 2


def test_a_run_that_is_shorter_than_the_bound_counts():
    assert unreachable_within(dining(2), 6).outcome is Outcome.REFUTED


def test_a_marking_that_has_the_goal_at_once_needs_no_step():
    net = dining(2)
    proof = unreachable_within(net, 0, {"Think": 2})
    assert proof.outcome is Outcome.REFUTED
    assert proof.witness == (Trace(net.initial),)


def test_bad_questions_are_refused():
    net = dining(2)
    assert error_line(InvalidArgument, unreachable_within, net, -1).startswith("steps = -1: need")
    assert "has no place Spoon" in error_line(NetError, unreachable_within, net, 1, {"Spoon": 1})
    with pytest.raises(NetError, match=r"has no place Spoon"):
        unreachable_within(net, 1, free={"Spoon": 1})
    with pytest.raises(InvalidArgument, match=r"^goal Eat = 7: need a token of colour Seat"):
        unreachable_within(net, 1, {"Eat": {7: 1}})
    numbers = Open("Number", lambda value: isinstance(value, int))
    build = NetBuilder("open")
    build.place("A", numbers)
    build.place("B", Dot(), DOT)
    build.transition("go", takes={"B": DOT})
    with pytest.raises(NetError, match=r"^place A: colour Number is open"):
        unreachable_within(build.net(), 1, free={"A": 1})
