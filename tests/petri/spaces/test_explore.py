"""The explorers against the firing rule: same states, same arcs, same order, on any net."""

import gc
import os
import sys
import weakref
from typing import Any

import numpy as np
import pytest
from apart import python
from cases import cases, error_line
from nights import by_day
from random_nets import PlainSpace, plain_space, random_net

from kproof.errors import InvalidArgument, NetError
from kproof.petri.net.colours import Colour, Dot, Integers, Open, enumeration
from kproof.petri.net.compiled import compile_net
from kproof.petri.net.firing import firings, replay
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Choice, Net, NetBuilder
from kproof.petri.net.terms import (
    AllOf,
    Bag,
    Constant,
    Function,
    Shift,
    Term,
    Variable,
    everything,
    tuple_of,
)
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.spaces import explore as front
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.space import Budget, Completeness, StateSpace
from kproof.petri.spaces.unfolding import unfold

ENGINES = ("general", "packed")
DOT = Constant("•", Dot())
NUMBERS = Open("Number", lambda token: isinstance(token, int))
N = Variable("n", NUMBERS)
THREE = Constant(3, NUMBERS)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def philosophers(count: int) -> Net:
    seats = enumeration("Seat", range(count), cyclic=True)
    x = Variable("x", seats)
    right = Shift(x, 1)
    build = NetBuilder(f"{count} philosophers")
    for place in ("Think", "Fork", "Left", "Right", "Eat"):
        build.place(place, seats, everything(seats) if place in ("Think", "Fork") else None)
    build.transition("left", takes={"Think": x, "Fork": x}, puts={"Left": x})
    build.transition("right", takes={"Think": x, "Fork": right}, puts={"Right": x})
    build.transition("then right", takes={"Left": x, "Fork": right}, puts={"Eat": x})
    build.transition("then left", takes={"Right": x, "Fork": x}, puts={"Eat": x})
    build.transition("leave", takes={"Eat": x}, puts={"Think": x, "Fork": x + right})
    return build.net()


def counter(most: int | None = None, *, start: int = 1, gain: int = 1) -> Net:
    """One place that gains so many tokens at a time, if it has fewer than so many."""
    build = NetBuilder("counter")
    build.place("Room", Dot(), None if most is None else most * DOT)
    build.place("Count", Dot(), start * DOT)
    takes: dict[str, Term] = {} if most is None else {"Room": DOT}
    build.transition("up", takes=takes, reads={"Count": DOT}, puts={"Count": gain * DOT})
    return build.net()


def one_step(
    term: Term | None = None, colour: Colour = NUMBERS, *, start: Bag | Term = THREE, **asks: Any
) -> Net:
    """A place with the number 3, or what else it starts with, from which ``term`` is made."""
    build = NetBuilder("one step")
    build.place("In", NUMBERS, start)
    build.place("Out", colour)
    puts = {} if term is None else {"Out": term}
    build.transition("step", takes={"In": N}, puts=puts, **asks)
    return build.net()


def require_same(space: StateSpace, plain: PlainSpace) -> None:
    assert [space.marking(state) for state in range(space.states)] == plain.states
    assert space.expanded == len(plain.arcs)
    found = [list(space.successors(state)) for state in range(space.states)]
    assert found == plain.arcs + [[]] * (space.states - space.expanded)
    full = space.expanded == space.states
    assert space.status is (Completeness.FULL if full else Completeness.PARTIAL)
    assert space.stopped_by == (None if full else "states")
    for state, marking in enumerate(plain.states):
        assert space.find(marking) == state
    first: dict[int, int] = {}
    for arc, target in enumerate(space.targets.tolist()):
        if target not in space.roots:
            first.setdefault(target, arc)
    expected = [first.get(state, -1) for state in range(space.states)]
    assert space.parents.tolist() == expected


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_philosophers(count, engine):
    net = philosophers(count)
    space = explore(net, engine=engine)
    arcs = 7 * count * 3 ** (count - 2)
    assert (space.states, space.arcs, space.engine) == (3**count, arcs, engine)
    require_same(space, plain_space(net))


def test_random_nets(engine):
    sizes = []
    for seed in range(by_day(80, at_night=250)):
        net = random_net(seed)
        plain = plain_space(net, most=40)
        require_same(explore(net, engine=engine, budget=Budget(states=40)), plain)
        sizes.append(len(plain.states))
    assert sum(size > 3 for size in sizes) > by_day(30, at_night=100)


@pytest.mark.parametrize("order", ["depth", "runs"])
def test_orders_of_the_search_on_random_nets(order):
    ends = 0
    for seed in range(60):
        net = random_net(seed)
        whole = explore(net, engine="general", budget=Budget(states=40))
        part = explore(net, budget=Budget(states=max(1, whole.states // 2)), order=order)
        require_part(net, part)
        if whole.status is Completeness.FULL:
            # The order decides nothing but which part is found.
            require_same(explore(net, order=order), plain_space(net))
            assert {part.marking(state) for state in range(part.states)} <= {
                whole.marking(state) for state in range(whole.states)
            }
            assert all(whole.find(part.marking(state)) in whole.dead for state in part.dead)
            ends += len(part.dead)
    assert ends > 5


def require_part(net: Net, part: StateSpace) -> None:
    """Hold a part that was found in any order to the firing rule and to breadth-first numbers."""
    depths = []
    for state in range(part.states):
        assert part.find(part.marking(state)) == state
        trace = part.trace(state)
        assert replay(net, trace) == part.marking(state)
        depths.append(len(trace.steps))
    # What was not expanded comes last; both parts are in the order of shortest runs.
    assert depths[: part.expanded] == sorted(depths[: part.expanded])
    assert depths[part.expanded :] == sorted(depths[part.expanded :])
    for state in range(part.states):
        found = [(firing, part.marking(target)) for firing, target in part.successors(state)]
        assert found == (list(firings(net, part.marking(state))) if state < part.expanded else [])
        for _, target in part.successors(state):
            assert depths[target] <= depths[state] + 1


def test_a_budget_leaves_ends_to_a_search_in_depth():
    classes = [["a", "a", "b", "b"], ["a", "c", "d", "e"], ["b", "c", "d", "e"]] * 4
    net = theta_publisher(classes, k=4).net()
    few = Budget(states=600)
    found = {order: explore(net, budget=few, order=order) for order in ("breadth", "depth", "runs")}
    assert not len(found["breadth"].dead)
    for order in ("depth", "runs"):
        space = found[order]
        assert space.stopped_by == "states"
        assert len(space.dead) > 20
        assert all(space.marking(int(end))["PublshdData"] for end in space.dead)


def test_packed_philosophers_take_less_than_a_hundred_bytes_a_state():
    space = explore(philosophers(10), engine="packed")
    assert (space.states, space.arcs) == (59_049, 459_270)
    arrays = (space.starts, space.targets, space.labels, space.parents)
    assert sum(array.nbytes for array in arrays) + 8 * space.states <= 92 * space.states
    stuck = (space.totals("Left") == 10) | (space.totals("Right") == 10)
    assert np.array_equal(space.dead, np.flatnonzero(stuck))
    assert len(space.dead) == 2


def test_counts_that_outgrow_their_fields(engine):
    net = counter(40, gain=20)
    space = explore(net, engine=engine)
    require_same(space, plain_space(net))
    assert space.totals("Count").tolist() == [1 + 20 * step for step in range(41)]
    assert space.counts("Count")[1].tolist() == [[1 + 20 * step] for step in range(41)]


def test_every_place_outgrows_its_field(engine):
    build = NetBuilder("ring")
    for place in range(13):
        build.place(f"P{place}", Dot(), 3 * DOT if place == 0 else None)
    for place in range(13):
        build.transition(f"t{place}", takes={f"P{place}": DOT}, puts={f"P{(place + 1) % 13}": DOT})
    net = build.net()
    space = explore(net, engine=engine)
    require_same(space, plain_space(net))
    assert space.states == 455


def test_an_unbounded_net_ends_with_the_budget(engine):
    space = explore(counter(), engine=engine, budget=Budget(states=3000))
    assert (space.states, space.expanded, space.arcs) == (3000, 2999, 2999)
    assert (space.status, space.stopped_by) == (Completeness.PARTIAL, "states")
    assert space.totals("Count")[-1] == 3000
    assert space.find(counter(start=3001).initial) is None
    assert not len(space.dead)


def test_an_expansion_that_is_undone_leaves_nothing(engine):
    net = philosophers(4)
    markings = plain_space(net).states
    for most in range(1, 40):
        space = explore(net, engine=engine, budget=Budget(states=most))
        require_same(space, plain_space(net, most=most))
        known = [space.find(marking) for marking in markings]
        assert known == [*range(space.states), *[None] * (len(markings) - space.states)]


def test_counts_beyond_a_word():
    net = counter(start=10**30, gain=2**61)
    with pytest.raises(NetError, match="the count of a token exceeds 62 bits"):
        explore(net, engine="packed")
    space = explore(net, budget=Budget(states=3))
    assert space.totals("Count").tolist() == [10**30 + 2**61 * step for step in range(3)]


def test_the_search_goes_on_when_the_packed_one_cannot(monkeypatch):
    monkeypatch.setattr(front, "SMALL", 5)
    net = counter(20, gain=2**60)
    assert "62 bits" in error_line(NetError, explore, net, engine="packed")
    space = explore(net)
    assert space.engine == "general"
    require_same(space, plain_space(net))
    assert explore(one_step(Function("same", int, NUMBERS)(N))).engine == "general"
    assert explore(joined()).engine == "general"
    assert explore(philosophers(4)).engine == "packed"
    require_same(explore(philosophers(4)), plain_space(philosophers(4)))


def test_several_roots_share_states(engine):
    net = philosophers(3)
    whole = plain_space(net)
    roots = [whole.states[5], whole.states[-1], whole.states[5], whole.states[0]]
    space = explore(net, initial=iter(roots), engine=engine)
    require_same(space, plain_space(net, roots))
    assert space.roots.tolist() == [0, 1, 2]
    assert space.states == len(whole.states)
    few = explore(net, initial=roots, engine=engine, budget=Budget(states=2))
    assert (few.states, few.expanded, few.arcs, few.stopped_by) == (2, 0, 0, "states")


def test_the_smallest_nets(engine):
    empty = NetBuilder("empty")
    space = explore(empty.net(), engine=engine)
    assert (space.states, space.arcs, space.dead.tolist()) == (1, 0, [0])
    assert space.marking(0) == Marking(())
    empty.transition("idle")
    space = explore(empty.net(), engine=engine)
    assert (space.states, space.arcs, space.targets.tolist()) == (1, 1, [0])
    stuck = NetBuilder("stuck")
    stuck.place("P", NUMBERS)
    stuck.transition("never", takes={"P": N}, puts={"P": N})
    space = explore(stuck.net(), engine=engine)
    assert (space.states, space.arcs, space.labels.tolist()) == (1, 0, [])
    assert space.counts("P")[1].shape == (1, 0)
    assert space.totals("P").tolist() == [0]
    assert space.multisets("P")[0] == ((),)


def test_a_loop_that_changes_nothing(engine):
    seats = enumeration("Seat", "ab")
    x = Variable("x", seats)
    build = NetBuilder("loop")
    build.place("P", seats, 2 * everything(seats))
    build.transition("turn", takes={"P": 2 * x}, puts={"P": x + x}, reads={"P": everything(seats)})
    build.transition("look", reads={"P": 2 * x})
    net = build.net()
    space = explore(net, engine=engine)
    require_same(space, plain_space(net))
    assert (space.states, space.arcs) == (1, 2)


@pytest.mark.parametrize("net", [philosophers(4), counter(12, gain=9), random_net(17)])
def test_columns_of_the_store(net, engine):
    space = explore(net, engine=engine, budget=Budget(states=200))
    markings = [space.marking(state) for state in range(space.states)]
    for place in net.place:
        tokens, counts = space.counts(place)
        assert list(tokens) == sorted(tokens, key=net.place[place].colour.rank)
        assert all(counts.any(axis=0))
        seen = [dict(zip(tokens, row, strict=True)) for row in counts.tolist()]
        assert [{t: n for t, n in one.items() if n} for one in seen] == [
            dict(marking[place]) for marking in markings
        ]
        assert space.totals(place).tolist() == [marking.total(place) for marking in markings]
        multisets, which = space.multisets(place)
        true = [tuple(marking[place].items()) for marking in markings]
        assert [multisets[number] for number in which] == true
        assert list(multisets) == list(dict.fromkeys(true))
    with pytest.raises(InvalidArgument, match=r"place = Nowhere: need a place of net"):
        space.totals("Nowhere")


def test_arcs_need_not_be_kept(engine):
    net = philosophers(4)
    kept, counted = (explore(net, engine=engine, keep_arcs=keep) for keep in (True, False))
    assert not len(counted.targets)
    assert not counted.arcs_kept
    assert (counted.arcs, counted.states) == (kept.arcs, kept.states)
    assert np.array_equal(counted.starts, kept.starts)
    assert np.array_equal(counted.parents, kept.parents)
    assert np.array_equal(counted.dead, kept.dead)
    assert list(counted.successors(7)) == list(kept.successors(7))
    for state in kept.dead.tolist():
        assert counted.trace(state) == kept.trace(state)
        assert replay(net, counted.trace(state)) == counted.marking(state)
    with pytest.raises(InvalidArgument, match="keep_arcs"):
        _ = counted.components


@pytest.mark.parametrize(
    ("engine", "order"), [*((engine, "breadth") for engine in ENGINES), ("auto", "runs")]
)
def test_time_and_memory_run_out(engine, order):
    begun = explore(philosophers(4), engine=engine, order=order, budget=Budget(seconds=0))
    assert (begun.states, begun.expanded, begun.stopped_by) == (1, 0, "seconds")
    budget = Budget(states=None, megabytes=0.5)
    space = explore(counter(), engine=engine, order=order, budget=budget)
    assert space.stopped_by == "megabytes"
    assert 100 < space.expanded < space.states < 100_000


def test_the_collector_passes_over_a_large_space_while_it_lives():
    threshold, frozen = gc.get_threshold(), gc.get_freeze_count()
    space = explore(counter(), engine="general", budget=Budget(states=front.MANY + 1))
    assert gc.get_threshold() == threshold
    assert gc.get_freeze_count() > frozen + front.MANY
    store = weakref.ref(space.store)
    del space
    assert gc.get_freeze_count() == 0
    gc.collect()
    assert store() is None


@cases(
    (Budget(states=0), r"states = 0: need a whole number states >= 1"),
    (Budget(seconds=-1), r"seconds = -1: need seconds >= 0"),
    (Budget(megabytes=-0.5), r"megabytes = -0\.5: need megabytes >= 0"),
)
def test_budgets_that_make_no_sense(budget, message):
    with pytest.raises(InvalidArgument, match=message):
        explore(counter(), budget=budget)


def test_bad_calls():
    net = philosophers(2)
    with pytest.raises(InvalidArgument, match="engine = fast: need auto, general or packed"):
        explore(net, engine="fast")
    with pytest.raises(InvalidArgument, match="order = deep: need breadth, depth or runs"):
        explore(net, order="deep")
    with pytest.raises(InvalidArgument, match="keep_arcs = False: need True with order = runs"):
        explore(net, order="runs", keep_arcs=False)
    assert "initial = 'no marking'" in error_line(InvalidArgument, explore, net, initial=[])
    with pytest.raises(NetError, match="has no place Spoon"):
        explore(net, initial=[Marking((("Spoon", ((1, 1),)),))])
    with pytest.raises(NetError, match="place Fork: token 9 is not of colour Seat"):
        explore(net, initial=[Marking((("Fork", ((9, 1),)),))])


def fails(value: int) -> int:
    return value // 0


NAMED = Function("quotient", fails, NUMBERS)


def test_a_function_that_raises_is_named(engine):
    choice = Choice(Variable("y", NUMBERS), NAMED, (N,))
    for net in (one_step(NAMED(N)), one_step(guard=NAMED(N)), one_step(choices=(choice,))):
        with pytest.raises(NetError, match=r"function quotient\(3\) raised ZeroDivisionError"):
            explore(net, engine=engine)


def test_a_function_that_fails_while_it_lists_is_named():
    listing = Function("listing", lambda n: (n // (n - at) for at in (1, n)))
    choice = Choice(Variable("y", NUMBERS), listing, (N,))
    with pytest.raises(NetError, match=r"function listing\(3\) raised ZeroDivisionError"):
        explore(one_step(choices=(choice,)))


def test_tokens_outside_their_colour(engine):
    few = Integers("Few", 0, 4)
    doubled = Function("doubled", lambda n: 2 * n, few)
    message = r"transition step, place Out: token 6 is not of colour Few"
    with pytest.raises(NetError, match=message):
        explore(one_step(doubled(N), few), engine=engine)
    choice = Choice(Variable("y", few), Function("both", lambda n: (n, 2 * n)), (N,))
    with pytest.raises(NetError, match="transition step: both offers 6, which is not of colour"):
        explore(one_step(choices=(choice,)), engine=engine)


def test_tokens_that_cannot_be_compared(engine):
    mixed = Open("Mixed", lambda token: True)
    x, y = Variable("x", mixed), Variable("y", mixed)
    build = NetBuilder("compared")
    build.place("In", mixed, Constant(3, mixed))
    build.place("Out", mixed, Constant("three", mixed))
    build.transition("step", takes={"In": x, "Out": y}, guard=x < y)
    with pytest.raises(NetError, match="x < y: 3 and three have no order"):
        explore(build.net(), engine=engine)


def test_tokens_that_cannot_be_hashed(engine):
    anything = Open("Anything", lambda token: True)
    listed = Function("listed", lambda n: [n], anything)
    y = Variable("y", anything)
    with pytest.raises(NetError, match=r"step, place Out: token \[3\] is not of colour"):
        explore(one_step(listed(N), anything), engine=engine)
    choice = Choice(y, Function("offers", lambda n: [[n]]), (N,))
    with pytest.raises(NetError, match=r"offers offers \[3\], which is not of colour"):
        explore(one_step(choices=(choice,)), engine=engine)
    guard = Function("both", lambda n: np.ones(2))(N)
    with pytest.raises(NetError, match=r"both\(n\): \[1. 1.\] is neither true nor false"):
        explore(one_step(guard=guard), engine=engine)


def test_true_is_not_one_to_a_function(engine):
    truth, few = enumeration("Truth", [False, True]), Integers("Few", 0, 1)
    texts = Open("Text", lambda token: isinstance(token, str))
    named = Function("named", str, texts)
    build = NetBuilder("types")
    build.place("Truth", truth, everything(truth))
    build.place("Few", few, everything(few))
    build.place("Text", texts)
    for colour in (truth, few):
        one = Variable("x", colour)
        build.transition(colour.name, takes={colour.name: one}, puts={"Text": named(one)})
    net = build.net()
    require_same(explore(net, engine=engine), plain_space(net))


def test_coefficients_too_long_to_print():
    huge = 10**5000
    build = NetBuilder("huge")
    build.place("P", Dot(), huge * DOT)
    build.transition("half", takes={"P": (huge // 2) * DOT})
    assert explore(build.net()).states == 3


def test_tokens_without_an_order(engine):
    mixed = Open("Mixed", lambda token: True)
    named = Function("named", str, mixed)
    x = Variable("x", mixed)
    build = NetBuilder("mixed")
    build.place("In", mixed, Constant(3, mixed) + Constant(4, mixed))
    build.transition("step", takes={"In": x}, puts={"In": named(x)})
    assert "cannot be put in order" in error_line(NetError, plain_space, build.net())
    assert "cannot be put in order" in error_line(NetError, explore, build.net(), engine=engine)


def test_a_function_that_is_never_reached_with_it_may_raise(monkeypatch):
    """Saturation tries tokens that are never together; the true search does not mind."""
    monkeypatch.setattr(front, "SMALL", 1)
    few = Integers("Few", 0, 4)
    m, n = Variable("m", few), Variable("n", few)
    below = Function("below", lambda m, n: [1, 0][m - n - 1] if m > n else 1 // 0, few)
    build = NetBuilder("apart")
    build.place("High", few, Constant(4, few))
    build.place("Low", few, Constant(3, few))
    build.transition("sink", takes={"High": m, "Low": n}, puts={"High": n, "Low": below(m, n)})
    net = build.net()
    with pytest.raises(NetError):
        explore(net, engine="packed")
    assert "below" in error_line(NetError, explore, net)


def test_interrupts_pass():
    def interrupted(_: int) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explore(one_step(Function("slow", interrupted, NUMBERS)(N)))


def wide(places: int) -> Net:
    """More nested loops than Python compiles."""
    few = Integers("Few", 0, 1)
    build = NetBuilder("wide")
    variables = [Variable(f"x{place}", few) for place in range(places)]
    for place in range(places):
        build.place(f"P{place}", few, Constant(place % 2, few))
    build.transition(
        "all",
        takes={f"P{place}": one for place, one in enumerate(variables)},
        puts={"P0": variables[1]},
    )
    return build.net()


def deep() -> Net:
    """A condition with more parentheses than Python compiles."""
    guard = N.equals(3)
    condition = guard & guard
    for _ in range(150):
        condition = ~(condition & guard)
    return one_step(guard=condition)


def subtracting() -> Net:
    """An arc that asks for y alone, so that x may be a token that is not there."""
    few = Integers("Few", 0, 2)
    x, y = Variable("x", few), Variable("y", few)
    build = NetBuilder("subtracting")
    build.place("P", few, 2 * Constant(1, few) + Constant(2, few))
    build.place("Q", few)
    build.transition("step", takes={"P": x + y - x}, puts={"Q": x})
    return build.net()


def subtracting_pairs() -> Net:
    """The same with tuples, from which y is known only after the tuple with x cancels."""
    few = Integers("Few", 0, 2)
    x, y = Variable("x", few), Variable("y", few)
    first, second = tuple_of(x, Constant(0, few)), tuple_of(y, Constant(1, few))
    build = NetBuilder("subtracting pairs")
    pairs = [Constant(pair, first.colour) for pair in ((0, 1), (1, 1), (2, 2))]
    build.place("P", first.colour, pairs[0] + pairs[1] + pairs[2])
    build.transition("step", takes={"P": first + second - first})
    return build.net()


def unhashable() -> Net:
    """A function whose value cannot be hashed, as the argument of another."""
    listed = Function("listed", lambda n: [n], NUMBERS)
    first = Function("first", lambda values: values[0] + 1 < 6, NUMBERS)
    eight, nine = Constant(8, NUMBERS), Constant(9, NUMBERS)
    return one_step(nine, start=THREE + eight, guard=first(listed(N)))


def lookalikes() -> Net:
    """Open colours of one name that admit different values."""
    even = Open("Number", lambda token: isinstance(token, int) and token % 2 == 0)
    e = Variable("e", even)
    build = NetBuilder("lookalikes")
    build.place("In", NUMBERS, Constant(3, NUMBERS) + Constant(4, NUMBERS))
    build.place("Out", NUMBERS)
    build.transition("step", takes={"In": e}, puts={"Out": e})
    return build.net()


def joined() -> Net:
    """Tuples with constants and calls in them, matched against bound variables."""
    seats = enumeration("Seat", "abc", cyclic=True)
    few = Integers("Few", 0, 3)
    x, n = Variable("x", seats), Variable("n", few)
    less = Function("less", lambda n: max(n - 1, 0), few)
    build = NetBuilder("joined")
    both = tuple_of(x, n).colour
    pairs = [Constant(pair, both) for pair in (("a", 2), ("b", 2), ("b", 3), ("c", 0))]
    build.place("Pair", both, pairs[0] + 2 * pairs[1] + pairs[2] + pairs[3])
    build.place("Seat", seats, everything(seats))
    build.transition(
        "down",
        takes={"Pair": tuple_of(x, n), "Seat": Shift(x, 1)},
        puts={"Pair": tuple_of(x, less(n)), "Seat": Shift(x, -1)},
        guard=AllOf((n > 0, x.differs("c"))),
    )
    build.transition("zero", takes={"Pair": 2 * tuple_of(x, Constant(0, few))}, puts={"Seat": x})
    build.transition("call", reads={"Pair": tuple_of(x, less(n))}, takes={"Seat": x}, guard=n > 2)
    return build.net()


@pytest.mark.parametrize(
    "make", [deep, subtracting, subtracting_pairs, unhashable, lookalikes, joined]
)
def test_unusual_nets(make):
    net = make()
    plain = plain_space(net, most=300)
    assert len(plain.arcs[0]) > 0
    require_same(explore(net, engine="general", budget=Budget(states=300)), plain)
    require_same(explore(net, engine="packed", budget=Budget(states=300)), plain)


def test_what_is_subtracted_need_not_be_there():
    net = subtracting()
    first = [firing for firing, _ in firings(net, net.initial)]
    # P has 1 and 2 for y; x is any of 0, 1, 2.
    assert [dict(one.binding) for one in first] == [
        {"x": x, "y": y} for x in (0, 1, 2) for y in (1, 2)
    ]
    build = NetBuilder("open")
    build.place("In", NUMBERS)
    with pytest.raises(NetError, match="nothing binds variable n of the open colour Number"):
        build.transition("step", takes={"In": 2 * N - N})


def test_more_bindings_than_anyone_wants():
    few = Integers("Few", 0, 1024)
    x, y = Variable("x", few), Variable("y", few)
    build = NetBuilder("many")
    build.place("Q", few)
    build.transition("step", puts={"Q": x + y})
    with pytest.raises(NetError, match="transition step: more than 1,048,576 bindings"):
        explore(build.net(), budget=Budget(states=2))


def test_more_loops_than_python_compiles():
    for places in (8, 25):
        net = wide(places)
        require_same(explore(net), plain_space(net))
        assert explore(net).states == 2


def test_unfolding():
    net = philosophers(4)
    transitions = compile_net(net)
    found = unfold(net, transitions, [net.initial])
    assert len(found.fields) == len(found.instances) == 20
    assert [one.transition.transition.name for one in found.instances] == [
        transition.name for transition in net.transitions for _ in range(4)
    ]
    leaving = found.instances[-1]
    assert [(found.fields[field], change) for field, change in leaving.change] == [
        ((4, 3), -1),
        ((0, 3), 1),
        ((1, 3), 1),
        ((1, 0), 1),
    ]
    assert [(found.fields[field], least) for field, least in leaving.demand] == [((4, 3), 1)]
    with pytest.raises(NetError, match="more than 19 different firings"):
        unfold(net, transitions, [net.initial], instances=19)
    with pytest.raises(NetError, match="too many combinations"):
        unfold(net, transitions, [net.initial], work=30)
    plus = Function("plus", lambda n: n + 1, NUMBERS)
    build = NetBuilder("endless")
    build.place("In", NUMBERS, THREE)
    build.transition("step", takes={"In": N}, puts={"In": plus(N)})
    with pytest.raises(NetError, match=r"too many combinations|different firings"):
        unfold(build.net(), compile_net(build.net()), [build.net().initial], instances=500)


SEEDED = """
from random_nets import random_net
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.space import Budget
for seed in range(12):
    space = explore(random_net(seed), budget=Budget(states=50))
    print([str(space.marking(state)) for state in range(space.states)], space.targets.tolist())
    print([str(space.firing(arc)) for arc in range(space.arcs)])
"""


def test_the_order_does_not_depend_on_hashes():
    outputs = []
    for seed in ("1", "2"):
        path = os.pathsep.join(sys.path)
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        done = python("-c", SEEDED, env=environment, check=True)
        outputs.append(done.stdout)
    assert len(outputs[0]) > 1000
    assert outputs[0] == outputs[1]
