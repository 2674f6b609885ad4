"""SNAKES and back: what is read runs as SNAKES runs it, and nothing that is read is run."""

import re
from collections import Counter
from itertools import product as cartesian
from typing import Any

import pytest
from cases import error_line
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from snakes_view import snakes_space

from kproof.errors import InvalidArgument, NetError
from kproof.petri.net.colours import DOT, Dot, Integers, Product, enumeration
from kproof.petri.net.firing import Firing
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net, NetBuilder
from kproof.petri.net.terms import Bag, Constant, Everything, Variable, everything, tuple_of
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.pnml.write import to_pnml
from kproof.petri.snakes.library import count_tokens, inward, library
from kproof.petri.snakes.read import from_snakes
from kproof.petri.snakes.write import to_snakes
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.space import Budget, StateSpace
from kproof.proptests.strategies.nets import nets

snakes, typing = library().nets, library().typing

Step = tuple[str, tuple[tuple[str, object], ...]]


def seen(net: Net, space: StateSpace, most: int) -> list[tuple[Marking, Counter[Any]]]:
    """Return the first states on the places of a net, with what fires and leads where.

    A net that was read back has places that hold all tokens of a colour, and variables that stand
    for the value of a term: neither adds a state or an arc.
    """

    def there(state: int) -> Marking:
        marking = space.marking(state)
        return Marking(tuple(one for one in marking if one[0] in net.place))

    def fired(firing: Firing) -> Step:
        own = {one.name for one in net.transition[firing.transition].variables}
        return firing.transition, tuple(one for one in firing.binding if one[0] in own)

    return [
        (
            there(state),
            Counter((fired(firing), there(to)) for firing, to in space.successors(state)),
        )
        for state in range(min(most, space.expanded))
    ]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(nets(functions=False))
def test_nets_come_back_from_snakes(net):
    subtracts = any(
        times < 0
        for one in net.transitions
        for arcs in (one.takes, one.reads, one.puts)
        for bag in arcs.values()
        for times, _ in bag.entries
    )
    petri = to_snakes(net)
    if subtracts:
        event("arcs that subtract")
        with pytest.raises(NetError, match=r"^transition t[0-9], place .*|^transition t[0-9]: "):
            from_snakes(petri)
        return
    budget = Budget(states=40)
    space = explore(net, engine="general", budget=budget)
    again = explore(from_snakes(petri), engine="general", budget=budget)
    # With two variables of one value, order may differ: states are compared as sets then.
    full = space.expanded == space.states and again.expanded == again.states
    mine, its = (seen(net, one, 10**6) for one in (space, again))
    if full:
        assert len(mine) == len(its)
        assert dict(mine) == dict(its)
    else:
        known = dict(its)
        shared = [state for state in mine if state[0] in known]
        # A root with more successors than the budget has states is not expanded.
        assert shared or not mine or not its
        assert all(known[marking] == arcs for marking, arcs in shared)


@given(
    copies=st.tuples(st.integers(1, 2), st.integers(0, 2)),
    others=st.lists(st.sampled_from("abc"), max_size=4),
)
def test_everything_comes_back_as_it_was_written(copies, others):
    seat, few = enumeration("Seat", "abc", cyclic=True), Integers("Few", 0, 1)
    pair, x, i = Product("Pair", (seat, few)), Variable("x", seat), Variable("i", few)
    alone = copies[0] * everything(seat) + Bag(tuple((1, Constant(one, seat)) for one in others))
    paired = copies[1] * tuple_of(x, everything(few)) + tuple_of(everything(seat), i)
    build = NetBuilder("all")
    build.place("P", seat, alone)
    build.place("Q", pair, everything(pair))
    build.place("F", few)
    build.transition("t", takes={"P": x, "F": i}, puts={"P": alone, "Q": paired})
    net = build.net()
    again = from_snakes(to_snakes(net))
    (mine,), (its,) = net.transitions, again.transitions
    least = copies[0] + min(others.count(letter) for letter in "abc")
    for bag in (again.place["P"].initial, its.puts["P"]):
        assert sum(times for times, term in bag.entries if isinstance(term, Everything)) == least
    assert again.initial == net.initial
    ((once, whole),) = again.place["Q"].initial.entries
    assert once == 1
    assert isinstance(whole, Everything)
    assert len(its.puts["Q"].entries) == len([entry for entry in paired.entries if entry[0]])
    for token, number in cartesian("abc", (0, 1)):
        binding = {"x": token, "i": number}
        for place in ("P", "Q"):
            assert its.puts[place].tokens(binding) == mine.puts[place].tokens(binding)


def by_snakes(petri: Any, net: Net, most: int = 400) -> tuple[set[Marking], set[Any]]:
    """Return the states and arcs of SNAKES itself, in our markings."""
    graph = snakes.StateGraph(petri)

    def marking(found: Any) -> Marking:
        tokens = {one.name: count_tokens(found(one.name), one.colour) for one in net.places}
        return Marking.of(net.places, tokens)

    states, arcs = [], set()
    for at in graph:
        assert at < most
        states.append(marking(graph[at]))
        for to, transition, mode in graph.successors(at):
            variables = net.transition[transition.name].variables
            binding = tuple((one.name, inward(one.of, mode[one.name])) for one in variables)
            arcs.add((states[-1], Firing(transition.name, binding), marking(graph[to])))
    return set(states), arcs


def petri_net(
    places: dict[str, tuple[Any, ...]],
    transitions: dict[str, tuple[str, dict[str, Any], dict[str, Any]]],
    **known: Any,
) -> Any:
    """Return a net of SNAKES: places with tokens and types, transitions with guard and arcs."""
    petri = snakes.PetriNet("by hand")
    for name, value in {"dot": snakes.dot, **known}.items():
        petri.globals[name] = value
    for name, there in places.items():
        petri.add_place(snakes.Place(name, *there))
    for name, (guard, takes, puts) in transitions.items():
        petri.add_transition(snakes.Transition(name, snakes.Expression(guard)))
        for place, label in takes.items():
            petri.add_input(place, name, label)
        for place, label in puts.items():
            petri.add_output(place, name, label)
    return petri


V, X, E = snakes.Value, snakes.Variable, snakes.Expression


def philosophers(count: int = 4) -> Any:
    """Return the philosophers as somebody writes them in SNAKES, without types."""
    seats = list(range(count))
    right = "y == (x + 1) % count"
    both = snakes.MultiArc([E("x"), E("(x + 1) % count")])
    return petri_net(
        {"Think": (seats,), "Fork": (seats,), "Left": ([],), "Eat": ([],)},
        {
            "left": ("True", {"Think": X("x"), "Fork": X("x")}, {"Left": X("x")}),
            "right": (right, {"Left": X("x"), "Fork": X("y")}, {"Eat": X("x")}),
            "end": ("True", {"Eat": X("x")}, {"Think": X("x"), "Fork": both}),
        },
        count=count,
    )


def counters() -> Any:
    """Return a net in which types, tests, tuples and every operator matter."""
    return petri_net(
        {
            "Pair": ([(0, "a"), (2, "b")], typing.CrossProduct(typing.Range(0, 4), typing.tString)),
            "Limit": ([3], typing.tInteger),
            "Dots": ([snakes.dot] * 2,),
            "Sign": (["-"], typing.OneOf("-", "+")),
        },
        {
            # Out of Range(0, 4) SNAKES does not fire.
            "up": (
                "not (n * 2 - 1 == 7) and 0 <= n < top",
                {
                    "Pair": snakes.Tuple([X("n"), X("s")]),
                    "Limit": snakes.Test(X("top")),
                    "Dots": V(snakes.dot),
                },
                {"Pair": snakes.Tuple([E("n + 2"), X("s")]), "Dots": E("dot")},
            ),
            "flip": (
                "s != 'b' or n // 2 == 1",
                {"Pair": snakes.Tuple([X("n"), X("s")]), "Sign": X("g"), "Dots": V(snakes.dot)},
                {"Pair": E("(n % 2, s)"), "Sign": E("{'-': '+', '+': '-'}[g]")},
            ),
        },
    )


def suits() -> Any:
    """Return a net whose guard compares as Python does, not in the order of the type."""
    of = typing.OneOf("spades", "hearts", "clubs")
    both = snakes.MultiArc([X("x"), X("y")])
    return petri_net(
        {"P": (["spades", "hearts", "clubs"], of), "Least": ([], of)},
        {"t": ("x < y", {"P": both}, {"P": X("y"), "Least": X("x")})},
    )


@pytest.mark.parametrize("made", [philosophers, counters, suits])
def test_nets_written_in_snakes(made):
    net = from_snakes(made())
    states, arcs = by_snakes(made(), net)
    assert len(states) > 3
    for engine in ("general", "packed"):
        space = explore(net, engine=engine)
        found = [space.marking(state) for state in range(space.states)]
        assert set(found) == states
        assert {
            (found[at], firing, found[to])
            for at in range(space.states)
            for firing, to in space.successors(at)
        } == arcs


def test_colours_are_those_of_the_types():
    net = from_snakes(counters())
    assert {one.name: one.colour.name for one in net.places} == {
        "Pair": "Pair", "Limit": "integer", "Dots": "dot", "Sign": "Sign",
    }  # fmt: skip
    assert net.place["Sign"].colour == enumeration("Sign", "-+", cyclic=True)
    assert str(net.initial) == "Pair: (0, 'a'), (2, 'b'); Limit: 3; Dots: 2·•; Sign: -"
    assert [str(one) for one in net.transition["flip"].puts.values()][1] == "g+1"


def test_colours_that_are_given():
    pairs = Product("Pairs", (Integers("Few", 0, 3), Integers("Few", 0, 3)))
    untyped = petri_net(
        {"P": ([(0, 3)],)},
        {"t": ("x < y", {"P": snakes.Tuple([X("x"), X("y")])}, {"P": E("(x + 1, y)")})},
    )
    with pytest.raises(NetError, match=r"^transition t, place P: a tuple of 2, but the place is"):
        from_snakes(untyped)
    assert explore(from_snakes(untyped, colours={"P": pairs})).states == 4
    with pytest.raises(InvalidArgument, match=r"^colours = Q: need names of places"):
        from_snakes(untyped, colours={"Q": pairs})
    with pytest.raises(NetError, match=r"^place P: token \(0, 3\) is not of colour dot"):
        from_snakes(untyped, colours={"P": Dot()})


class Trap:
    """Takes note of being looked into."""

    touched = 0

    def __eq__(self, other: object) -> bool:
        Trap.touched += 1
        return False

    def __hash__(self) -> int:
        Trap.touched += 1
        return 7

    def __repr__(self) -> str:
        Trap.touched += 1
        return "trap"


class Sly(str):
    """Text that is more than text."""


REFUSED: dict[str, tuple[Any, str]] = {
    "a call": (petri_net({"P": ([1],)}, {"t": ("trap(x)", {"P": X("x")}, {})}, trap=print),
        r"transition t: expression trap\(x\): read are comparisons"),
    "a comprehension": (petri_net({"P": ([1],)}, {"t": ("[y for y in x]", {"P": X("x")}, {})}),
        r"transition t: expression '\[y for y in x\]': read are"),
    "an attribute": (petri_net({"P": ([1],)}, {"t": ("x.real > 0", {"P": X("x")}, {})}),
        r"transition t: expression 'x.real > 0': read are"),
    "a power": (petri_net({"P": ([1],)}, {"t": ("True", {"P": X("x")}, {"P": E("9**9**9")})}),
        r"transition t: expression 9\*\*9\*\*9: read are"),
    "a name": (petri_net({"P": ([1],)}, {"t": ("x < secret", {"P": X("x")}, {})}, secret=Trap()),
        "transition t: expression 'x < secret': no input arc binds secret"),
    "a lambda in a table": (
        petri_net({"P": ([1],)}, {"t": ("{1: lambda: 0}[x]", {"P": X("x")}, {})}),
        r"transition t: expression '\{1: lambda: 0\}\[x\]': a table has more than constants"),
    "a flush": (petri_net({"P": ([1],)}, {"t": ("True", {"P": snakes.Flush("x")}, {})}),
        "transition t, place P: of class Flush is not read"),
    "a test beside": (petri_net({"P": ([1],)},
        {"t": ("True", {"P": snakes.MultiArc([snakes.Test(X("x")), X("y")])}, {})}),
        "transition t, place P: Test beside other annotations is not read"),
    "a source": (petri_net({"P": ([1],)}, {"t": ("True", {}, {"P": V(1)})}),
        "transition t: has no inputs, and SNAKES never fires such a transition"),
    "a type that is a function": (petri_net({"P": ([], typing.TypeCheck(print))}, {}),
        "place P: type of class TypeCheck is not read"),
    "a type of objects": (petri_net({"P": ([], typing.OneOf(Trap()))}, {}),
        "place P: type of class OneOf is not read"),
    "two colours": (
        petri_net({"P": ([1],), "Q": ([1], typing.tInteger)},
        {"t": ("True", {"P": X("x"), "Q": X("x")}, {})}),
        "transition t, place Q: variable x is of any elsewhere and of integer here"),
    "text that is more": (petri_net({"P": ([Sly("a")],)}, {}),
        "place P: token of class Sly is no plain data"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_one_line(name):
    petri, message = REFUSED[name]
    assert re.search(f"^({message})", error_line(NetError, from_snakes, petri))


def test_places_and_transitions_of_plugins():
    petri = petri_net({"P": ([1],)}, {})
    petri.add_place(type("Guarded", (snakes.Place,), {})("Q"))
    assert error_line(NetError, from_snakes, petri) == "place Q: is a Guarded, not a plain Place"
    petri = petri_net({"P": ([1],)}, {})
    petri.add_transition(type("Timed", (snakes.Transition,), {})("t"))
    with pytest.raises(NetError, match=r"^transition t: is a Timed, not a plain Transition$"):
        from_snakes(petri)


def test_arithmetic_has_a_place_in_pnml():
    text = to_pnml(from_snakes(philosophers()))
    assert "(x + 1) % count" in text
    assert "highlevelnet" in text


def test_objects_are_not_looked_into():
    petri = petri_net({"P": ([Trap()],)}, {})
    Trap.touched = 0
    with pytest.raises(NetError, match=r"^place P: token of class Trap is no plain data$"):
        from_snakes(petri)
    assert Trap.touched == 0


def test_nets_with_functions_stay_in_snakes():
    net = theta_publisher((("a", "a"), ("b", "c")), k=2).net()
    assert len(snakes_space(net).states) == explore(net).states
    with pytest.raises(NetError, match=r"^place .*: type of class TypeCheck is not read"):
        from_snakes(to_snakes(net))


def test_black_tokens_are_those_of_snakes():
    net = from_snakes(counters())
    assert to_snakes(net).place("Dots").tokens == snakes.MultiSet([snakes.dot] * 2)
    assert net.initial["Dots"] == {DOT: 2}


def test_what_is_no_net():
    with pytest.raises(InvalidArgument, match=r"^petri_net = str: need a snakes.nets.PetriNet$"):
        from_snakes("net.pnml")


def test_chained_comparisons_go_no_further_than_they_are_true() -> None:
    petri = snakes.PetriNet("chain")
    petri.add_place(snakes.Place("At", [0, 2]))
    guard = snakes.Expression("(0 < n < 6 // n) == True")
    petri.add_transition(snakes.Transition("step", guard))
    petri.add_input("At", "step", snakes.Variable("n"))
    assert [mode["n"] for mode in petri.transition("step").modes()] == [2]
    space = explore(from_snakes(petri))
    assert [str(firing) for firing, _ in space.successors(0)] == ["step(n=2)"]
