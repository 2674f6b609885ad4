"""SNAKES as the judge: the same states, arcs and ends as the explorers and the firing rule."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from cases import error_line
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nights import by_day
from snakes_view import snakes_space
from theta_oracles import TABLE_1A

from kproof.errors import InvalidArgument, NetError
from kproof.models.attacks import BackgroundKnowledge, Person
from kproof.petri.net.colours import DOT, Colour, Dot, Integers, Open, Product, enumeration
from kproof.petri.net.compiled import compile_net
from kproof.petri.net.firing import Firing, firings, replay
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Choice, Net, NetBuilder
from kproof.petri.net.terms import (
    Bag,
    Constant,
    Function,
    Shift,
    Term,
    Variable,
    everything,
    tuple_of,
)
from kproof.petri.papers.attackers import attacked, attacker
from kproof.petri.papers.p_plus_sensitive import p_plus_publisher
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.snakes.write import to_snakes
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.space import Budget
from kproof.petri.spaces.unfolding import unfold
from kproof.proptests.strategies.nets import markings, nets

Arc = tuple[Marking, Firing, Marking]

NUMBERS = Open("Number", lambda token: isinstance(token, int))
FEW = Integers("Few", 0, 3)
RING = enumeration("Ring", "abc", cyclic=True)
N, R, F = Variable("n", NUMBERS), Variable("r", RING), Variable("f", FEW)
DOTS = Constant(DOT, Dot())

CATEGORY = {"a": 1, "b": 1, "c": 2, "d": 2}
TWO = (("a", "a"), ("b", "c"))
THREE = (("a", "a", "b"), ("b", "c", "d"), ("c", "c", "d"))


def by_snakes(net: Net, limit: int = 10_000) -> tuple[set[Marking], set[Arc]]:
    """Return the states whose successors SNAKES knows, and the arcs from them."""
    space = snakes_space(net, limit=limit)
    arcs = {
        (space.states[at], firing, space.states[to])
        for at, there in enumerate(space.arcs)
        for firing, to in there
    }
    return set(space.states[: len(space.arcs)]), arcs


def by_firing(net: Net, states: set[Marking]) -> set[Arc]:
    """Return the arcs from given states by the firing rule."""
    return {(state, *arc) for state in states for arc in firings(net, state)}


def by_engine(net: Net, states: Sequence[Marking], arcs: set[Arc], engine: str) -> set[Arc]:
    """Return the arcs from given states by an explorer that starts in all of them."""
    room = Budget(states=len(states) + len(arcs))
    space = explore(net, initial=states, engine=engine, budget=room)
    assert space.expanded >= len(states)
    return {
        (space.marking(state), firing, space.marking(to))
        for state in range(len(states))
        for firing, to in space.successors(state)
    }


def require_same_space(net: Net, engines: tuple[str, ...] = ("general", "packed")) -> int:
    """Compare complete spaces; return the number of states."""
    states, arcs = by_snakes(net)
    assert by_firing(net, states) == arcs
    ends = states - {source for source, _, _ in arcs}
    for engine in engines:
        space = explore(net, engine=engine)
        assert space.engine == engine
        found = [space.marking(state) for state in range(space.states)]
        assert len(found) == len(states)
        assert set(found) == states
        successors = [list(space.successors(state)) for state in range(space.states)]
        assert sum(map(len, successors)) == len(arcs) == space.arcs
        assert {
            (found[state], firing, found[to])
            for state, there in enumerate(successors)
            for firing, to in there
        } == arcs
        assert {found[state] for state in space.dead.tolist()} == ends
    return len(states)


SHIPPED: dict[str, Callable[[], Net]] = {
    **{
        f"theta {reading} {cut} {tokens}": lambda reading=reading, cut=cut, tokens=tokens: (
            theta_publisher(TWO, k=2, reading=reading, cut=cut, tokens=tokens).net()
        )
        for reading, cut in (("corrected", "moves"), ("corrected", "rules"), ("printed", "rules"))
        for tokens in ("values", "records")
    },
    "table 1a by moves": lambda: theta_publisher(TABLE_1A, k=4).net(),
    "table 1a by rules": lambda: theta_publisher(TABLE_1A, k=4, cut="rules").net(),
    "theta of three classes": lambda: theta_publisher(THREE, k=3).net(),
    "theta with padding": lambda: theta_publisher(
        (("a", "b"), ("c",)), k=2, padding="noise", cut="rules"
    ).net(),
    "theta of each class": lambda: theta_publisher(THREE, k=3, per_class_theta=True, mu=1).net(),
    "p-plus": lambda: p_plus_publisher(
        (("a", "c"), ("b", "d")), p=2, k=2, categories=CATEGORY
    ).net(),
    "p-plus that fails": lambda: p_plus_publisher(TWO, p=2, k=2, categories=CATEGORY).net(),
    "attacks on theta": lambda: attacked(
        theta_publisher(TWO, k=2, categories=CATEGORY),
        [attacker(one) for one in ("sensitive-variance", "categorical-similarity", "homogeneity")],
    ).net(),
    "attacks on p-plus": lambda: attacked(
        p_plus_publisher((("a", "c"), ("b", "d")), p=2, k=2, categories=CATEGORY),
        [attacker("linkage", BackgroundKnowledge(victims=(Person(row=1, excluded=("b",)),)))],
    ).net(),
}  # fmt: skip

DEAR = "table 1a by rules"
"""More markings than all others together, of a net whose smaller likes are among them."""


@pytest.mark.parametrize("name", [one for one in SHIPPED if by_day(one != DEAR, at_night=True)])
def test_shipped_nets(name):
    assert require_same_space(SHIPPED[name]()) > 3


# SNAKES tries every combination of single tokens.
CROWDED = 5


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(nets())
def test_random_nets(net):
    some = explore(net, engine="general", budget=Budget(states=10))
    if max(int(some.totals(place).max()) for place in net.place) > CROWDED:
        return
    states, arcs = by_snakes(net, limit=8)
    ordered = sorted(states, key=str)
    assert by_firing(net, states) == arcs
    assert by_engine(net, ordered, arcs, "general") == arcs
    if packable(net, ordered):
        assert by_engine(net, ordered, arcs, "packed") == arcs


def packable(net: Net, roots: Sequence[Marking]) -> bool:
    """Say whether what can ever fire is little enough to be listed."""
    try:
        unfold(net, compile_net(net), roots, work=2**14)
    except NetError:
        return False
    return True


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_markings_that_are_not_reached(data):
    net = data.draw(nets(places=2, transitions=2))
    marking = data.draw(markings(net, tokens=3))
    there = net.with_initial(
        {
            place.name: Bag(
                tuple(
                    (times, Constant(token, place.colour))
                    for token, times in marking[place.name].items()
                )
            )
            for place in net.places
        }
    )
    assert there.initial == marking
    space = snakes_space(there, limit=1)
    assert space.states[0] == marking
    assert {(firing, space.states[to]) for firing, to in space.arcs[0]} == set(
        firings(net, marking)
    )


def transition(
    places: dict[str, tuple[Colour, Bag | Term | None]], name: str = "t", **arcs: Any
) -> Net:
    """Return a net of one transition."""
    build = NetBuilder("one transition")
    for place, (colour, initial) in places.items():
        build.place(place, colour, initial)
    build.transition(name, **arcs)
    return build.net()


PAIRS = Product("Ring × Few", (RING, FEW))
BELOW = Function("below", lambda n: range(n))
EVEN = Variable("e", Open("Number", lambda token: isinstance(token, int) and token % 2 == 0))
LESS = Function("less", lambda n: n - 1, NUMBERS)


def number(value: int) -> Constant:
    return Constant(value, NUMBERS)


ODD_ONES: dict[str, Callable[[], Net]] = {
    "no arcs": lambda: transition({}),
    "a source": lambda: transition({"P": (Dot(), None)}, puts={"P": DOTS}),
    "a free variable": lambda: transition({"P": (RING, None)}, puts={"P": R}),
    "two free variables of one colour": lambda: transition(
        {"P": (PAIRS, None)},
        puts={"P": tuple_of(R, F)},
        guard=R.differs(Variable("s", RING)) & (Variable("g", FEW) > F),
    ),
    "taken and read": lambda: transition(
        {"P": (FEW, 2 * Constant(1, FEW) + Constant(2, FEW))}, takes={"P": F}, reads={"P": F}
    ),
    "read twice": lambda: transition({"P": (FEW, Constant(1, FEW))}, reads={"P": 2 * F}),
    "all but one": lambda: transition(
        {"P": (RING, everything(RING)), "Q": (RING, None)},
        takes={"P": everything(RING) - R},
        puts={"Q": everything(RING) - R},
    ),
    "all but one, read": lambda: transition(
        {"P": (RING, everything(RING)), "Q": (RING, 2 * Constant("a", RING))},
        takes={"Q": R},
        reads={"P": everything(RING) - R},
        puts={"P": R},
    ),
    "all but one that is not there": lambda: transition(
        {"P": (RING, everything(RING) - Constant("a", RING))}, takes={"P": everything(RING) - R}
    ),
    "a variable that does not take all there is": lambda: transition(
        {"P": (NUMBERS, number(2) + number(3))}, takes={"P": EVEN}, puts={"P": LESS(EVEN)}
    ),
    "pairs with all numbers": lambda: transition(
        {"P": (PAIRS, everything(PAIRS))},
        takes={"P": tuple_of(R, everything(FEW))},
        puts={"P": tuple_of(Shift(R, 1), everything(FEW))},
        guard=R.differs("c"),
    ),
    "successors that must meet": lambda: transition(
        {"P": (RING, everything(RING) + Constant("a", RING))},
        takes={"P": Shift(R, 1) + Shift(R, -1)},
        puts={"P": 2 * Shift(R, 2)},
    ),
    "a call on an input arc": lambda: transition(
        {"P": (NUMBERS, number(2) + number(3) + number(5))}, takes={"P": N + LESS(N)}, puts={"P": N}
    ),
    "a call in a tuple on an input arc": lambda: transition(
        {
            "P": (Product("Two", (NUMBERS, NUMBERS)), None),
            "Q": (
                Product("Two", (NUMBERS, NUMBERS)),
                Constant((2, 1), Product("Two", (NUMBERS, NUMBERS)))
                + Constant((2, 2), Product("Two", (NUMBERS, NUMBERS))),
            ),
        },
        takes={"Q": tuple_of(N, LESS(N))},
        puts={"P": tuple_of(N, N)},
    ),
    "choices of open colours": lambda: transition(
        {"P": (NUMBERS, number(3) + number(1))},
        takes={"P": N},
        puts={"P": Variable("m", NUMBERS)},
        choices=(
            Choice(Variable("m", NUMBERS), BELOW, (N,)),
            Choice(Variable("l", NUMBERS), BELOW, (Variable("m", NUMBERS),)),
        ),
    ),
    "a choice of what is bound": lambda: transition(
        {"P": (NUMBERS, number(3) + number(1)), "Q": (NUMBERS, number(4))},
        takes={"P": N},
        reads={"Q": Variable("m", NUMBERS)},
        choices=(Choice(N, BELOW, (Variable("m", NUMBERS),)),),
    ),
    "a choice of what is matched": lambda: transition(
        {"P": (RING, everything(RING))},
        takes={"P": Shift(R, 1)},
        puts={"P": R},
        choices=(Choice(R, Function("ends", lambda f: ["a", "c"]), (F,)),),
    ),
    "a choice from a free variable": lambda: transition(
        {"P": (FEW, None)},
        puts={"P": F},
        choices=(
            Choice(F, Function("to", lambda f: [f, 0]), (Variable("g", FEW),)),
            Choice(Variable("g", FEW), Function("same", lambda f: [f]), (F,)),
        ),
    ),
    "names that are no names": lambda: transition(
        {"P": (FEW, everything(FEW)), "all Few": (FEW, None)},
        name="P",
        takes={"P": Variable("while", FEW)},
        puts={"all Few": Variable("v0", FEW), "P": Variable("x'", FEW)},
        guard=Variable("_guard0", FEW).equals(Variable("x'", FEW))
        & (Variable("while", FEW) > Variable("v0", FEW)),
    ),
    "strings, tuples and truth values": lambda: transition(
        {
            "P": (Open("Any", lambda token: True), Constant("ab", Open("Any", lambda token: True))),
            "Q": (
                enumeration("Odd", [True, (), ("a", "b"), "ab", frozenset({1})]),
                everything(enumeration("Odd", [True, (), ("a", "b"), "ab", frozenset({1})])),
            ),
        },
        takes={
            "P": Variable("p", Open("Any", lambda token: True)),
            "Q": Variable("q", enumeration("Odd", [True, (), ("a", "b"), "ab", frozenset({1})])),
        },
    ),
}


@pytest.mark.parametrize("name", ODD_ONES)
def test_one_transition(name):
    net = ODD_ONES[name]()
    states, arcs = by_snakes(net, limit=12)
    assert arcs or name == "read twice"
    assert by_firing(net, states) == arcs
    assert by_engine(net, sorted(states, key=str), arcs, "general") == arcs
    assert by_engine(net, sorted(states, key=str), arcs, "packed") == arcs


def test_the_net_in_snakes():
    net = theta_publisher(TWO, k=2).net()
    petri = to_snakes(net)
    assert petri.name == net.name
    assert {place.name for place in petri.place()} == set(net.place)
    assert [one.name for one in petri.transition()] == [one.name for one in net.transitions]
    # The guard asks for what is offered, so that nothing else can be fired by hand either.
    chosen = to_snakes(ODD_ONES["choices of open colours"]()).transition("t")
    mode = next(one for one in chosen.modes() if one["n"] == 3)
    mode["m"] = 7
    assert "not enabled" in error_line(ValueError, chosen.fire, mode)


def test_a_limit_on_states():
    net = transition({"P": (Dot(), None)}, puts={"P": DOTS})
    space = snakes_space(net, limit=5)
    assert [marking.total("P") for marking in space.states] == [0, 1, 2, 3, 4]
    assert (len(space.arcs), space.complete) == (4, False)
    assert snakes_space(transition({}), limit=2).complete
    with pytest.raises(InvalidArgument, match="limit = 0: need a whole number limit >= 1"):
        snakes_space(net, limit=0)


@pytest.mark.parametrize("name", ["theta corrected moves values", "attacks on theta"])
def test_runs_of_the_explorer_replay_in_snakes(name):
    net = SHIPPED[name]()
    space = explore(net)
    trace = space.trace(int(space.dead[-1]))
    assert replay(net, trace) == trace.end
    petri = to_snakes(net)
    for firing, marking in trace.steps:
        node = petri.transition(firing.transition)
        (mode,) = (one for one in node.modes() if all(one[n] == v for n, v in firing.binding))
        node.fire(mode)
        found = {place.name: list(place.tokens) for place in petri.place()}
        assert {place for place, tokens in found.items() if tokens} == {
            place for place, _ in marking
        }
        for place, there in marking:
            assert Counter(found[place]) == dict(there)
