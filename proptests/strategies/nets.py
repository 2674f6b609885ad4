"""Strategies for small coloured nets with every kind of colour, term and arc, and for markings.

Whatever explores, writes or reads nets can be held to its word on these.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product as cartesian
from typing import Any, TypeVar

from hypothesis import strategies as st

from kproof.petri.net import terms
from kproof.petri.net.colours import (
    Colour,
    Dot,
    Enumeration,
    Integers,
    Open,
    Product,
    Token,
    enumeration,
)
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Choice, Net, NetBuilder
from kproof.theory.exact.typed import integer

Kind = TypeVar("Kind")

_DOT = Dot()
_SUIT = enumeration("Suit", ["hearts", "spades"])
_RING = enumeration("Ring", ["x", "y", "z"], cyclic=True)
_COIN = enumeration("Coin", ["head", "tail"], cyclic=True)
_FEW = Integers("Few", -1, 1)
_NUMBER = Open("Number", lambda token: isinstance(token, int))
_FINITE: tuple[Colour, ...] = (
    _DOT,
    _SUIT,
    _RING,
    _COIN,
    _FEW,
    Product("Coin × Few", (_COIN, _FEW)),
)
_TWINS: tuple[tuple[Colour, Colour], ...] = (
    (_FEW, Integers("Amount", -1, 1)),
    (_FINITE[-1], Product("Toss", (_COIN, Integers("Amount", -1, 1)))),
    (_DOT, Dot("mark")),
)
"""Colours with others that have the same tokens under another name."""

_OTHERS: tuple[Colour, ...] = (
    Integers("Low", 0, 3),
    Integers("High", 2, 9),
    enumeration("Pip", ["spades", "hearts"]),
    enumeration("Glyph", ["x", "y", "z"], cyclic=True),
    Product("Few × Coin", (_FEW, _COIN)),
    Product("Coin × Low", (_COIN, Integers("Low", 0, 3))),
)
"""Colours that share tokens with others and are not the same."""

_OPEN: tuple[Colour, ...] = (_NUMBER, Product("Ring × Number", (_RING, _NUMBER)))

_TURNED = {"x": "z", "y": "z", "z": "x"}
_MAKING: tuple[tuple[terms.Function, Colour], ...] = (
    (terms.Function("half", lambda n: n // 2, _NUMBER), _NUMBER),
    (terms.Function("next", lambda n: n + 1, _NUMBER), _NUMBER),
    (terms.Function("sign", lambda n: (n > 0) - (n < 0), _FEW), _NUMBER),
    (terms.Function("turned", _TURNED.__getitem__, _RING), _RING),
)
"""Functions with the colour of their argument."""

_COMPARISONS: tuple[Callable[[terms.Term, Any], terms.Condition], ...] = (
    terms.Term.differs,
    terms.Term.equals,
    terms.Term.__lt__,
    terms.Term.__le__,
    terms.Term.__gt__,
    terms.Term.__ge__,
)

_SIGNS = ("==", "!=", "<", "<=", ">", ">=")

_ASKING: tuple[tuple[terms.Function, Colour], ...] = (
    (terms.Function("even", lambda n: n % 2 == 0), _NUMBER),
    (terms.Function("last", lambda r: r == "z"), _RING),
)
_OFFERING: tuple[tuple[terms.Function, Colour, Colour], ...] = (
    (terms.Function("below", lambda n: range(min(n, 2))), _NUMBER, _NUMBER),
    (terms.Function("between", lambda n: iter((n, 0, n // 2, 0))), _FEW, _NUMBER),
    (terms.Function("others", lambda r: [letter for letter in "zxy" if letter != r]), _RING, _RING),
)
"""Functions with the colours of their argument and of what they offer."""


def nets(
    *, places: int = 4, transitions: int = 4, functions: bool = True
) -> st.SearchStrategy[Net]:
    """Draw small coloured nets; many are unbounded, and many have dead transitions.

    Colours are dots, enumerations, cyclic ones, integers, products, and open ones. Arcs have
    variables, constants, tuples, successors, calls, coefficients, all tokens of a colour, and all
    but some; transitions have reads, guards, choices, and variables that nothing binds. They
    shrink to one empty place of dots. There are at most so many ``places``, 1 or more, and
    ``transitions``. Without ``functions``, and with them open colours and choices, a net can be
    written as PNML and read again.

    >>> from hypothesis import find
    >>> net = find(nets(), lambda net: any(transition.reads for transition in net.transitions))
    >>> [(place.name, place.colour.name) for place in net.places]
    [('P0', 'dot')]
    >>> [list(transition.reads) for transition in net.transitions]
    [['P0']]
    """
    return _nets(
        integer("places", places, least=1),
        integer("transitions", transitions, least=0),
        functions=functions,
    )


@dataclass(frozen=True)
class Crossing:
    """A net, and a comparison that may be of different colours to guard a transition with."""

    net: Net
    """Without the comparison; of finite colours, without functions."""
    transition: str
    """Name of the transition it is for."""
    left: terms.Term
    sign: str
    right: terms.Term
    """What is compared, and how; the comparison is yet to be built."""

    def with_guard(self, condition: terms.Condition) -> Net:
        """Return the net with one condition more at the transition."""
        transitions = tuple(
            replace(t, guard=t.guard & condition) if t.name == self.transition else t
            for t in self.net.transitions
        )
        return replace(self.net, transitions=transitions)


def crossings() -> st.SearchStrategy[Crossing]:
    """Draw comparisons across colours, some of which are legal, with nets to put them into.

    A comparison is legal if both colours have the same tokens in the same order: products and
    ranges under another name. It is not between ranges that overlap, enumerations with the same
    members, or products of other parts.

    >>> from hypothesis import Phase, find, settings
    >>> first = settings(phases=[Phase.generate], database=None, derandomize=True)
    >>> one = find(crossings(), lambda one: one.left.colour.name == "Low", settings=first)
    >>> one.transition in one.net.transition, one.sign in ("==", "!=", "<", "<=", ">", ">=")
    (True, True)
    """
    return _crossings()


def markings(
    net: Net, *, tokens: int = 4, of: Mapping[str, st.SearchStrategy[Any]] | None = None
) -> st.SearchStrategy[Marking]:
    """Draw markings of a net, reachable or not.

    They shrink to the empty marking. A place has at most ``tokens``; ``of`` draws those of open
    colours, by name, which otherwise are the tokens that the net's initial marking has of them.

    >>> from hypothesis import find
    >>> from kproof.petri.net.colours import Integers
    >>> from kproof.petri.net.net import NetBuilder
    >>> build = NetBuilder("two")
    >>> build.place("P", Integers("Few", 0, 9))
    >>> build.place("Q", Integers("Few", 0, 9))
    >>> print(find(markings(build.net()), lambda one: one.total("Q") > 1))
    Q: 2·0
    """
    limit = integer("tokens", tokens, least=0)
    strategies = {
        place.name: st.lists(strategy, max_size=limit)
        for place in net.places
        if not (strategy := _tokens(net, place.colour, of or {})).is_empty
    }
    return st.fixed_dictionaries(strategies).map(
        lambda bags: net.marking(
            {
                name: terms.Bag(
                    tuple((1, terms.Constant(token, net.place[name].colour)) for token in some)
                )
                for name, some in bags.items()
            }
        )
    )


def _tokens(
    net: Net, colour: Colour, of: Mapping[str, st.SearchStrategy[Any]]
) -> st.SearchStrategy[Any]:
    """Return a strategy for the tokens of a colour."""
    if colour.name in of:
        return of[colour.name]
    if colour.values is not None:
        return st.sampled_from(colour.values)
    if isinstance(colour, Product):
        return st.tuples(*(_tokens(net, part, of) for part in colour.parts))
    initial = dict.fromkeys(
        token
        for place in net.places
        for outer in net.initial[place.name]
        for token in _parts(place.colour, outer, colour)
    )
    return st.sampled_from(list(initial)) if initial else st.nothing()


def _parts(colour: Colour, token: Token, target: Colour) -> list[Token]:
    """Return what a token has of a colour."""
    if colour == target:
        return [token]
    if isinstance(colour, Product) and isinstance(token, tuple):
        pairs = zip(colour.parts, token, strict=True)
        return [piece for part, its in pairs for piece in _parts(part, its, target)]
    return []


@st.composite
def _nets(draw: st.DrawFn, places: int, transitions: int, *, functions: bool) -> Net:
    build = NetBuilder("drawn")
    colours: dict[str, Colour] = {}
    specs = draw(st.lists(_places(functions=functions), min_size=1, max_size=places))
    for number, (colour, initial) in enumerate(specs):
        colours[f"P{number}"] = colour
        build.place(f"P{number}", colour, initial)
    inscribed = st.lists(_transitions(colours, functions=functions), max_size=transitions)
    for number, inscriptions in enumerate(draw(inscribed)):
        build.transition(f"t{number}", **inscriptions)
    return build.net()


@st.composite
def _places(draw: st.DrawFn, *, functions: bool) -> tuple[Colour, terms.Bag]:
    """Draw a colour and initial tokens of it."""
    colour = draw(st.sampled_from(_FINITE + _OPEN if functions else _FINITE))
    entry = st.tuples(st.integers(1, 2), _constants(colour))
    all_of_it = entry if colour.size is None else st.just((1, terms.everything(colour)))
    return colour, terms.Bag(tuple(draw(st.lists(st.one_of(entry, entry, all_of_it), max_size=3))))


def _constants(colour: Colour) -> st.SearchStrategy[terms.Constant]:
    return _one_of(terms.Constant(token, colour) for token in _few_tokens(colour))


def _few_tokens(colour: Colour) -> tuple[Token, ...]:
    """Return the tokens of a colour; of an open one so few that they meet."""
    if colour.values is not None:
        return colour.values
    if isinstance(colour, Product):
        return tuple(cartesian(*map(_few_tokens, colour.parts)))
    return (0, 1, 5)


@dataclass(frozen=True)
class _Scope:
    """What the inscriptions of one transition are drawn from."""

    places: Mapping[str, Colour]
    """Colours of the places."""
    functions: bool
    """Whether there may be calls."""
    bound: dict[terms.Variable, None] = field(default_factory=dict)
    """Variables of open colours that have a value; drawing adds to them."""


@st.composite
def _transitions(
    draw: st.DrawFn, places: Mapping[str, Colour], *, functions: bool
) -> dict[str, Any]:
    """Draw what :meth:`NetBuilder.transition` takes."""
    scope = _Scope(places, functions)
    return {
        # In this order: what takes, reads and choices bind is what guards and puts may speak of.
        "takes": _sum(draw(st.lists(_arcs(scope, binding=True), max_size=2))),
        "reads": _sum(draw(st.lists(_arcs(scope, binding=True), max_size=1))),
        "choices": tuple(draw(st.lists(_choices(scope), max_size=1))) if functions else (),
        "guard": terms.AllOf(tuple(draw(st.lists(_conditions(scope), max_size=1)))),
        "puts": _sum(draw(st.lists(_arcs(scope, binding=False), max_size=2))),
    }


def _sum(arcs: Iterable[tuple[str, terms.Bag]]) -> dict[str, terms.Bag]:
    total: dict[str, terms.Bag] = {}
    for name, bag in arcs:
        # Two arcs of one place are one arc: a dictionary would keep the second alone.
        total[name] = total.get(name, terms.NOTHING) + bag
    return total


@st.composite
def _arcs(draw: st.DrawFn, scope: _Scope, *, binding: bool) -> tuple[str, terms.Bag]:
    """Draw a place and a bag; variables of open colours are new only where that binds them."""
    name = draw(_one_of(scope.places))
    return name, draw(_bags(scope, scope.places[name], binding=binding))


@st.composite
def _bags(draw: st.DrawFn, scope: _Scope, colour: Colour, *, binding: bool) -> terms.Bag:
    kind = draw(st.integers(0, 10))
    if kind > 6 and colour.size is not None:
        if kind > 8 and isinstance(colour, Product):
            first, *parts = colour.parts
            tail = [draw(_terms(scope, part, binding=binding)) for part in parts]
            return terms.Bag.of(terms.TupleOf((terms.everything(first), *tail)))
        if kind % 2:
            return terms.Bag.of(terms.everything(colour))
        return terms.everything(colour) - draw(_terms(scope, colour, binding=False))
    term = draw(_terms(scope, colour, binding=binding))
    return draw(st.sampled_from([1, 1, 1, 2])) * term


@st.composite
def _terms(draw: st.DrawFn, scope: _Scope, colour: Colour, *, binding: bool) -> terms.Term:
    makers = [maker for maker in _MAKING if maker[0].result == colour]
    kind = draw(st.integers(0, 6))
    if kind > 2 and isinstance(colour, Product):
        return terms.TupleOf(
            tuple([draw(_terms(scope, part, binding=binding)) for part in colour.parts])
        )
    if kind > 4 and isinstance(colour, Enumeration) and colour.cyclic:
        leaf = draw(_leaves(scope, colour, binding=binding))
        return terms.Shift(leaf, draw(st.sampled_from([1, -1, 2])))
    if kind > 3 and scope.functions and makers:
        function, argument = draw(st.sampled_from(makers))
        return terms.Call(function, (draw(_leaves(scope, argument, binding=False)),))
    return draw(_leaves(scope, colour, binding=binding))


@st.composite
def _leaves(draw: st.DrawFn, scope: _Scope, colour: Colour, *, binding: bool) -> terms.Term:
    """Draw a constant or a variable; one of an open colour must be bound or become so."""
    variables = _variables(colour)
    if colour.size is None and not binding:
        variables = [variable for variable in variables if variable in scope.bound]
    if draw(st.integers(0, 3)) == 0 or not variables:
        return draw(_constants(colour))
    variable = draw(st.sampled_from(variables))
    if colour.size is None:
        scope.bound[variable] = None
    return variable


@st.composite
def _choices(draw: st.DrawFn, scope: _Scope) -> Choice:
    function, argument, offered = draw(st.sampled_from(_OFFERING))
    term = draw(_leaves(scope, argument, binding=False))
    chosen = draw(st.sampled_from(_variables(offered)))
    if chosen.of.size is None:
        scope.bound[chosen] = None
    return Choice(chosen, function, (term,))


def _conditions(scope: _Scope) -> st.SearchStrategy[terms.Condition]:
    comparisons = st.one_of(_comparisons(scope), _questions(scope))
    simple = comparisons if scope.functions else _comparisons(scope)
    return st.one_of(
        simple,
        simple.map(lambda condition: ~condition),
        st.builds(lambda left, right: left & right, simple, simple),
        st.builds(lambda left, right: left | right, simple, simple),
    )


@st.composite
def _comparisons(draw: st.DrawFn, scope: _Scope) -> terms.Condition:
    colour = draw(_one_of(scope.places.values()))
    compared: Callable[[terms.Term, terms.Term], terms.Condition] = draw(
        st.sampled_from(_COMPARISONS)
    )
    left = draw(_terms(scope, colour, binding=False))
    return compared(left, draw(_terms(scope, colour, binding=False)))


@st.composite
def _crossings(draw: st.DrawFn) -> Crossing:
    net = draw(_nets(3, 3, functions=False).filter(lambda net: net.transitions))
    scope = _Scope({}, functions=False)
    pairs = st.tuples(*[st.sampled_from(_FINITE + _OTHERS)] * 2)
    # Twins twice, as few of the other pairs may be compared.
    left, right = draw(st.one_of(pairs, st.sampled_from(_TWINS), st.sampled_from(_TWINS)))
    return Crossing(
        net,
        draw(st.sampled_from(net.transitions)).name,
        draw(_terms(scope, left, binding=False)),
        draw(st.sampled_from(_SIGNS)),
        draw(_terms(scope, right, binding=False)),
    )


@st.composite
def _questions(draw: st.DrawFn, scope: _Scope) -> terms.Condition:
    function, argument = draw(st.sampled_from(_ASKING))
    return terms.Call(function, (draw(_leaves(scope, argument, binding=False)),))


def _one_of(values: Iterable[Kind]) -> st.SearchStrategy[Kind]:
    """Draw one of some values.

    From a single value nothing would be drawn. As each is there twice, a net with fewer places or
    tokens is drawn like one with more, and shrinks to it.
    """
    return st.sampled_from(2 * tuple(values))


def _variables(colour: Colour) -> list[terms.Variable]:
    """Return the variables that there are of a colour."""
    letter = "".join(word[0].lower() for word in colour.name.split(" × "))
    return [terms.Variable(f"{letter}{number}", colour) for number in (1, 2)]
