"""Comparisons across colours: refused where they are built, or one answer from everything."""

import re
from collections import Counter

import pytest
from cases import cases, error_line
from hypothesis import Phase, given, settings
from nights import by_day
from random_nets import plain_space

from kproof.errors import NetError
from kproof.petri.net.colours import Colour, Dot, Enumeration, Integers, Open, Product, enumeration
from kproof.petri.net.compiled import compile_net
from kproof.petri.net.firing import bindings, replay
from kproof.petri.net.net import Net, NetBuilder
from kproof.petri.net.terms import (
    Constant,
    Function,
    Shift,
    Term,
    TermComparison,
    Variable,
    everything,
    tuple_of,
)
from kproof.petri.pnml.read import from_pnml
from kproof.petri.pnml.write import to_pnml
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.space import Budget, StateSpace
from kproof.proptests.strategies.nets import Crossing, crossings

LOW, HIGH = Integers("Low", 0, 3), Integers("High", 2, 9)
SUIT, CARD = enumeration("Suit", ["hearts", "spades"]), enumeration("Card", ["spades", "hearts"])
LEFT, RIGHT = Variable("i", LOW), Variable("j", HIGH)
S, C = Variable("s", SUIT), Variable("c", CARD)

STATES = 60

NAMES = {r"Amount|-1\.\.1": "Few", r"0\.\.3": "Low", r"2\.\.9": "High", "mark": "dot", "Toss": "T"}
"""What a file calls a range or product that it need not name, and ours."""


def kind(colour: Colour) -> object:
    """What a colour is, as PNML tells sorts apart: not by the names of ranges and products."""
    match colour:
        case Dot():
            return "dot"
        case Integers():
            return (colour.low, colour.high)
        case Product():
            return [kind(part) for part in colour.parts]
        case Enumeration():
            return (colour.name, colour.members, colour.cyclic)
    raise AssertionError(colour)


def forged(sign: str, left: Term, right: Term) -> TermComparison:
    """A comparison as it stood before anybody looked at its colours."""
    made = object.__new__(TermComparison)
    for name, value in {"sign": sign, "left": left, "right": right}.items():
        object.__setattr__(made, name, value)
    return made


def as_text(space: StateSpace) -> list[tuple[str, list[tuple[str, int]]]]:
    """States and arcs of a space by what they are called; a file knows tokens by their names."""
    return [
        (str(space.marking(at)), [(str(firing), to) for firing, to in space.successors(at)])
        for at in range(space.states)
    ]


@cases(
    (LEFT, RIGHT, "Low with High"),
    (S, C, "Suit with Card"),
    (S, Variable("t", enumeration("Suit", ["spades", "hearts"])), "two different colours"),
    (LEFT, Variable("i2", Integers("Low", 0, 4)), "two different colours called Low"),
    (LEFT, S, "Low with Suit"),
    (tuple_of(LEFT, S), tuple_of(RIGHT, S), "'Low × Suit' with 'High × Suit'"),
    (tuple_of(LEFT, S), tuple_of(S, LEFT), "'Low × Suit' with 'Suit × Low'"),
    (tuple_of(LEFT, LEFT), tuple_of(LEFT, LEFT, LEFT), "'Low × Low' with 'Low × Low × Low'"),
    (tuple_of(LEFT), LEFT, "Low"),
    (Function("half", lambda n: n // 2, LOW)(LEFT), RIGHT, "Low with High"),
    (Constant(2, LOW), Constant(2, HIGH), "Low with High"),
    (Variable("n", Open("Number", bool)), LEFT, "Number with Low"),
)
@pytest.mark.parametrize("sign", ["equals", "differs", "__lt__", "__le__", "__gt__", "__ge__"])
def test_a_comparison_across_colours_is_refused_where_it_is_built(left, right, colours, sign):
    for one, other in ((left, right), (right, left)):
        with pytest.raises(NetError, match="compares ") as caught:
            getattr(one, sign)(other)
        assert "\n" not in str(caught.value)
        if (one, other) == (left, right):
            assert colours in str(caught.value)


def test_the_line_names_the_comparison_and_both_colours():
    with pytest.raises(NetError, match=r"^i < j: compares Low with High$"):
        _ = LEFT < RIGHT
    assert error_line(NetError, S.equals, C) == "s == c: compares Suit with Card"
    assert "colour Low has no token 7" in error_line(NetError, LEFT.equals, 7)


def test_a_multiset_is_no_side_of_a_comparison():
    ring = enumeration("Ring", "ab", cyclic=True)
    for wrong in (
        lambda: LEFT.equals(everything(LOW)),
        lambda: tuple_of(LEFT, everything(SUIT)) < tuple_of(LEFT, S),
        lambda: Shift(everything(ring), 1),
        lambda: Function("same", lambda n: n, LOW)(everything(LOW)),
    ):
        assert "a multiset stands where one value is needed" in error_line(NetError, wrong)


def test_other_names_of_the_same_tokens_may_be_compared():
    same = Variable("k", Integers("Digit", 0, 3))
    for guard in (same >= LEFT, tuple_of(LEFT, S) <= tuple_of(same, S), LEFT.equals(same)):
        build = NetBuilder("names")
        build.place("P", LOW, everything(LOW))
        build.transition("go", takes={"P": LEFT}, guard=guard)
        require_one_answer(build.net())


def worded(message: str) -> str:
    """What a message says is compared, by one name for each colour."""
    found = message.partition("compares ")[2].replace("'", "")
    for other, name in NAMES.items():
        found = re.sub(other, name, found)
    return found.replace("Coin × Few", "T")


def require_one_answer(net: Net) -> None:
    """Hold every engine, replaying, and writing and reading to the firing rule."""
    plain = plain_space(net, most=STATES)
    budget = Budget(states=STATES)
    spaces = [explore(net, engine=engine, budget=budget) for engine in ("general", "packed")]
    for space in spaces:
        assert [space.marking(at) for at in range(space.states)] == plain.states
        assert [list(space.successors(at)) for at in range(space.expanded)] == plain.arcs
        last = space.states - 1
        assert replay(net, space.trace(last)) == space.marking(last)
    if all(colour.size is not None for colour in net.colours):
        read = explore(from_pnml(to_pnml(net)), engine="general", budget=budget)
        assert as_text(read) == as_text(spaces[0])


def test_random_nets_across_colours_have_one_answer():
    seen: Counter[str] = Counter()

    @settings(
        max_examples=by_day(25, at_night=150),
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
    )
    @given(crossings())
    def draw(one: Crossing) -> None:
        legal = kind(one.left.colour) == kind(one.right.colour)
        other = one.left.colour.name != one.right.colour.name
        seen[f"{'legal' if legal else 'illegal'}, {'crossing' if other else 'plain'}"] += 1
        if legal:
            require_one_answer(one.with_guard(TermComparison(one.sign, one.left, one.right)))
            return
        with pytest.raises(NetError, match="compares ") as refused:
            TermComparison(one.sign, one.left, one.right)
        # A file that has it all the same is refused in the same words.
        text = to_pnml(one.with_guard(forged(one.sign, one.left, one.right)))
        with pytest.raises(NetError, match="compares ") as caught:
            from_pnml(text)
        sentences = {worded(str(error.value)) for error in (refused, caught)}
        assert len(sentences) == 1

    draw()
    for crossing in ("legal, crossing", "illegal, crossing"):
        assert seen[crossing] > by_day(2, at_night=20)


@pytest.mark.parametrize("colour", [LOW, SUIT])
def test_what_a_function_gives_has_no_rank_unless_it_is_a_token(colour):
    x = Variable("x", colour)
    wild = Function("wild", lambda _: 17, colour)
    build = NetBuilder("wild")
    build.place("P", colour, everything(colour))
    build.transition("go", takes={"P": x}, guard=x < wild(x))
    net = build.net()
    (transition,) = net.transitions
    (made,) = compile_net(net)
    for search in (
        lambda: bindings(transition, net.initial),
        lambda: made.bindings([net.initial["P"]]),
        lambda: explore(net, engine="general"),
        lambda: explore(net, engine="packed"),
    ):
        with pytest.raises(NetError, match=f"colour {colour.name} has no token 17"):
            search()


def test_a_guard_that_python_has_compared_already_is_no_condition():
    low = Integers("Low", 0, 3)
    i, j = Variable("i", low), Variable("j", low)
    builder = NetBuilder("net")
    builder.place("p", low)
    with pytest.raises(NetError, match=r"guard False is no condition; say i.equals\(j\), not i"):
        builder.transition("t", takes={"p": i}, guard=i == j)
