"""Nets whose functions go wrong: one clear error, the same from whatever runs them."""

import pickle
from collections.abc import Callable

import pytest
from snakes_view import snakes_space

from kproof.errors import NetError
from kproof.petri.net.colours import Colour, Hashed, Integers, Open, Product, enumeration
from kproof.petri.net.firing import firings
from kproof.petri.net.net import Choice, Net, NetBuilder
from kproof.petri.net.terms import (
    TRUE,
    AllOf,
    AnyOf,
    Bag,
    Condition,
    Constant,
    Function,
    Shift,
    Term,
    Variable,
    tuple_of,
)
from kproof.petri.spaces.explore import explore

RUNS: dict[str, Callable[[Net], object]] = {
    "firing rule": lambda net: list(firings(net, net.initial)),
    "general": lambda net: explore(net, engine="general"),
    "packed": lambda net: explore(net, engine="packed"),
    "auto": lambda net: explore(net),
    "SNAKES": snakes_space,
}

NUMBERS = Open("Number", lambda token: isinstance(token, int))
FEW = Integers("Few", 0, 4)
ANY = Open("Any", lambda token: True)
RING = enumeration("Ring", (0, 1, 2), cyclic=True)
PAIR = Product("Pair", (FEW, FEW))
PICKY = Open("Picky", lambda token: bool(token.bit_length()))
N, F, A = Variable("n", NUMBERS), Variable("f", FEW), Variable("a", ANY)


class Untrue:
    """Neither true nor false."""

    def __bool__(self) -> bool:
        raise ArithmeticError("who knows")

    def __repr__(self) -> str:
        return "untrue"


def broken(value: int) -> int:
    raise LookupError(f"nothing at {value}")


FAILS = Function("fails", broken, NUMBERS)
LISTED = Function("listed", lambda n: [n], NUMBERS)
DOUBLED = Function("doubled", lambda n: 2 * n, FEW)
NAMED = Function("named", lambda a: str(a), ANY)


def net(
    *,
    takes: Bag | Term = N,
    puts: Term | None = None,
    to: Colour = NUMBERS,
    guard: Condition = TRUE,
    choice: tuple[Variable, Function] | None = None,
) -> Net:
    """Return a net with two 3s, from which a step makes something."""
    build = NetBuilder("faulty")
    variable = next(iter(Bag.of(takes).variables()))
    build.place("In", variable.of, 2 * Constant(3, variable.of))
    build.place("Out", to)
    build.transition(
        "step",
        takes={"In": takes},
        puts={} if puts is None else {"Out": puts},
        guard=guard,
        choices=() if choice is None else (Choice(*choice, (variable,)),),
    )
    return build.net()


FAULTS: dict[str, tuple[Net, str]] = {
    "a function of a token raises": (
        net(puts=FAILS(N)),
        r"function fails\(3\) raised LookupError: 'nothing at 3'",
    ),
    "a function of a guard raises": (
        net(guard=FAILS(N)),
        r"function fails\(3\) raised LookupError",
    ),
    "a function on an input arc raises": (
        net(takes=N + FAILS(N)),
        r"function fails\(3\) raised LookupError",
    ),
    "a function of a choice raises": (
        net(choice=(F, FAILS)),
        r"function fails\(3\) raised LookupError",
    ),
    "a choice fails while it is listed": (
        net(choice=(F, Function("slowly", lambda n: (1 // one for one in (1, 0))))),
        r"function slowly\(3\) raised ZeroDivisionError",
    ),
    "a choice cannot be listed": (
        net(choice=(F, DOUBLED)),
        r"function doubled\(3\) raised TypeError: .*not iterable",
    ),
    "a token outside its colour": (
        net(puts=DOUBLED(N), to=FEW),
        r"place Out: token 6 is not of colour Few",
    ),
    "a choice outside its colour": (
        net(choice=(F, Function("both", lambda n: (n, 2 * n)))),
        r"transition step: both offers 6, which is not of colour Few",
    ),
    "a token that cannot be hashed": (
        net(puts=Function("listed", lambda a: [a], ANY)(N), to=ANY),
        r"\[3\]",
    ),
    "a choice that cannot be hashed": (
        net(choice=(A, Function("lists", lambda n: [[n]]))),
        r"transition step: lists offers \[3\], which is not of colour Any",
    ),
    "what is demanded cannot be hashed": (net(takes=N + LISTED(N)), r"\[3\]"),
    "a condition that is neither true nor false": (
        net(guard=Function("moot", lambda n: Untrue())(N)),
        r"untrue is neither true nor false",
    ),
    "an order between what has none": (net(takes=A, guard=NAMED(A) > A), r"3 and 3 have no order"),
    "a colour that cannot tell": (
        net(takes=A, puts=Function("text", str, PICKY)(A), to=PICKY),
        r"colour Picky: on 3 the predicate raised AttributeError",
    ),
    "a successor of what is not of the colour": (
        net(puts=Shift(Function("strange", lambda n: -n, RING)(N), 1), to=RING),
        r"strange\(n\)\+1: token -3 is not of colour Ring",
    ),
    "a successor of what cannot be hashed": (
        net(takes=N, guard=Shift(Function("listed", lambda n: [n], RING)(N), 1).equals(0)),
        r"listed\(n\)\+1: token \[3\] is not of colour Ring",
    ),
    "an order of a tuple with too many parts": (
        net(takes=F, guard=Function("three", lambda f: (f, f, f), PAIR)(F) < tuple_of(F, F)),
        r"colour Pair has no token \(3, 3, 3\)",
    ),
    "fewer than none": (
        net(takes=F, puts=Constant(1, FEW) - Function("same", lambda f: f, FEW)(F), to=FEW),
        r"1 - same\(f\): -1 of token 3",
    ),
}


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("fault", FAULTS)
def test_one_clear_error(fault, run):
    faulty, message = FAULTS[fault]
    with pytest.raises(NetError, match=message) as caught:
        RUNS[run](faulty)
    assert type(caught.value) is NetError
    assert "\n" not in str(caught.value)


def test_tokens_without_an_order_are_those_that_have_none() -> None:
    build = NetBuilder("mixed")
    bag = Constant(1, ANY) + Constant(2, ANY) + Constant("a", ANY)
    build.place("In", ANY, bag)
    with pytest.raises(NetError, match="place In: tokens 1 and a cannot be put in order"):
        build.net()


def test_brackets_of_conditions_of_one_part() -> None:
    low, high = F < 2, F > 3
    both = AllOf((low & high,))
    assert str(~both) == "not (f < 2 and f > 3)"
    assert str(both | low) == "(f < 2 and f > 3) or f < 2"
    assert str(AnyOf((low | high,)) & low) == "(f < 2 or f > 3) and f < 2"
    assert str(~AllOf((low,))) == "not f < 2"
    assert str(~AllOf()) == "not true"


def test_a_hash_that_is_kept_stays_in_its_process() -> None:
    row = Hashed(("HIV", ("Flu", "Flu")))
    assert hash(row) == hash(tuple(row))
    assert b"_hash" not in pickle.dumps(row)
    again = pickle.loads(pickle.dumps(row))
    assert type(again) is Hashed
    assert again == row
