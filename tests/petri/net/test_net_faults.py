"""Nets whose functions go wrong: one clear error, the same from whatever runs them."""

from collections.abc import Callable

import pytest
from snakes_view import snakes_space

from kproof.errors import NetError
from kproof.petri.net.colours import Colour, Integers, Open
from kproof.petri.net.firing import firings
from kproof.petri.net.net import Choice, Net, NetBuilder
from kproof.petri.net.terms import TRUE, Bag, Condition, Constant, Function, Term, Variable
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
