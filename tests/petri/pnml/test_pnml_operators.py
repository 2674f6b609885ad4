"""Functions by terms: written as named operators with their meaning, read back, never run."""

from collections.abc import Callable
from itertools import product as cartesian
from typing import Any

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from kproof.errors import NetError
from kproof.petri.net import terms
from kproof.petri.net.colours import Integers, enumeration
from kproof.petri.net.definitions import defined
from kproof.petri.net.net import Net, NetBuilder
from kproof.petri.pnml.read import from_pnml
from kproof.petri.pnml.write import to_pnml
from kproof.petri.spaces.explore import explore

SEAT = enumeration("Seat", "abcd", cyclic=True)
X, Y, Z = (terms.Variable(name, SEAT) for name in "xyz")
LEFT = defined("left", [X], terms.Shift(X, -1))
BESIDE = defined("beside", [X, Y], Y.equals(LEFT(X)) | X.equals(LEFT(Y)))
PAIR = defined("pair", [X, Y], terms.tuple_of(Y, LEFT(X)))

Meaning = Callable[[int, int], bool]
"""A condition on the numbers of two seats, in Python."""


def asks(guard: terms.Condition) -> Net:
    build = NetBuilder("seats")
    build.place("P", SEAT, terms.everything(SEAT))
    build.place("Q", PAIR(X, Y).colour)
    build.transition("sit", takes={"P": Y + Z}, puts={"Q": PAIR(Z, Y)}, guard=guard)
    return build.net()


def truths(function: terms.Function) -> list[Any]:
    return [function.of(pair) for pair in cartesian("abcd", repeat=2)]


@st.composite
def conditions(draw: st.DrawFn, depth: int = 3) -> tuple[terms.Condition, Meaning]:
    """Conditions on x and y, and the same in Python on the numbers of their values."""
    form = draw(st.sampled_from(("compare", "call", "not", "and", "or")[: 5 if depth else 2]))
    if form == "compare":
        by, less = draw(st.integers(-3, 3)), draw(st.booleans())
        shifted = terms.Shift(X, by)
        if less:
            return shifted < Y, lambda x, y: (x + by) % 4 < y
        return shifted.equals(Y), lambda x, y: (x + by) % 4 == y
    if form == "call":
        return BESIDE(Y, LEFT(X)), lambda x, y: abs(y - (x - 1) % 4) in (1, 3)
    one, first = draw(conditions(depth - 1))
    if form == "not":
        return ~one, lambda x, y: not first(x, y)
    two, second = draw(conditions(depth - 1))
    if form == "and":
        return one & two, lambda x, y: first(x, y) and second(x, y)
    return one | two, lambda x, y: first(x, y) or second(x, y)


@given(drawn=conditions())
def test_what_is_read_back_means_the_same(drawn):
    condition, meaning = drawn
    net = asks(defined("asked", [X, Y], condition)(Y, Z))
    back = from_pnml(to_pnml(net))
    # x + 0 and x - 3 come back as x and x + 1; what came back stays.
    assert from_pnml(to_pnml(back)) == back
    (function,) = {back.transitions[0].guard.function}  # type: ignore[attr-defined]
    assert truths(function) == [meaning(x, y) for x, y in cartesian(range(4), repeat=2)]
    assert explore(back).states == explore(net).states


def test_they_are_symmetric_nets_and_name_what_they_are():
    always = defined("always", [], terms.TRUE)
    text = to_pnml(asks(BESIDE(Y, Z) & always()))
    assert "grammar/symmetricnet" in text
    assert "beside(x ∈ Seat, y ∈ Seat) = y == left(x) or x == left(y)" in text
    # The transition's y is another one than that of the operators, whose ids are their own.
    assert text.count("<variabledecl") == 1 + 2 + 2 + 2


def test_what_is_no_function():
    few = terms.Variable("i", Integers("Few", 0, 3))
    for made, line in (
        (lambda: defined("f", [X, X], X.equals(X)), "two parameters have one name: x, x"),
        (lambda: defined("f", [X], Y.equals(X)), "y is no parameter"),
        (lambda: defined("f", [], terms.everything(SEAT)), "a multiset stands where"),
        (lambda: BESIDE(X), "beside takes 2 arguments"),
        (lambda: LEFT(few), "compares Seat with Few"),
    ):
        with pytest.raises(NetError, match=line):
            made()


OPERATOR = """<namedoperator id="{name}" name="{name}"><parameter><variabledecl id="{name}x"
name="x"><usersort declaration="Seat"/></variabledecl></parameter><def>{body}</def></namedoperator>
"""
VARIABLE = '<variable refvariable="{name}x"/>'


def apply(name: str, *operands: str) -> str:
    return (
        f'<useroperator declaration="{name}">'
        + "".join(f"<subterm>{operand}</subterm>" for operand in operands)
        + "</useroperator>"
    )


def document(*operators: tuple[str, str]) -> str:
    """Return the file of a net with more operators declared."""
    written = "".join(
        OPERATOR.format(name=name, body=body.replace("{x}", VARIABLE.format(name=name)))
        for name, body in operators
    )
    return to_pnml(asks(BESIDE(Y, Z))).replace("</declarations>", f"{written}</declarations>")


def doubled(count: int) -> list[tuple[str, str]]:
    """Return operators each of which asks the one before it twice."""
    first = ("p0", "<equality><subterm>{x}</subterm><subterm>{x}</subterm></equality>")
    both = "<and><subterm>{0}</subterm><subterm>{0}</subterm></and>"
    return [first] + [
        (f"p{n}", both.replace("{0}", apply(f"p{n - 1}", "{x}"))) for n in range(1, count)
    ]


@cases(
    ([("f", apply("g", "{x}")), ("g", apply("f", "{x}"))], "operator is made of itself"),
    ([("f", apply("f", "{x}"))], "the operator is made of itself"),
    ([("f", '<variable refvariable="z"/>')], "there is no variable z"),
    ([("f", apply("left"))], "left takes 1 arguments"),
    ([("f", '<all><usersort declaration="Seat"/></all>')], "a multiset stands where"),
    ([("left", "{x}")], "the id is taken by namedoperator"),
    (doubled(20), "stands for more than 10,000 elements"),
    ([(f"n{n}", apply(f"n{n - 1}" if n else "left", "{x}")) for n in range(60)], "50 levels"),
)
def test_faults_are_named_on_one_line(operators, line):
    with pytest.raises(NetError, match=line) as caught:
        from_pnml(document(*operators))
    assert "line " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_parameter_is_no_variable_of_the_net():
    text = document(("f", "{x}"))
    assert from_pnml(text).transitions == from_pnml(document()).transitions
    with pytest.raises(NetError, match="there is no variable fx"):
        from_pnml(text.replace('<variable refvariable="z"', '<variable refvariable="fx"', 1))


def test_a_python_function_is_still_refused():
    built = terms.Function("built", lambda seat: seat == "a")
    with pytest.raises(NetError, match="its meaning is not in the file"):
        from_pnml(to_pnml(asks(built(Y) & terms.Constant("a", SEAT).differs(Z))))
