"""State predicates: formulas about one marking, and counts of tokens to compare in them.

What counts tokens or looks at arcs is evaluated for all states at once; a Python predicate is
asked about one marking after another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kproof.errors import InvalidArgument, NetError, show
from kproof.petri.logic.ctl import Atom, Flags, Known
from kproof.petri.net.colours import Colour, Product, Token
from kproof.petri.net.marking import Marking, Multiset
from kproof.petri.net.signs import SIGNS, Compares, signed_sum
from kproof.petri.spaces.space import StateSpace


@dataclass(frozen=True)
class Dead(Atom):
    """Nothing can fire."""

    def evaluate(self, space: StateSpace, tick: Callable[[], object] = int) -> Known:
        """Look for states without arcs; of states that were not expanded nothing is known."""
        tick()
        return _from_arcs(space, np.diff(space.starts) == 0)

    def __str__(self) -> str:
        return "dead"


@dataclass(frozen=True)
class Enabled(Atom):
    """A transition can fire."""

    transition: str
    """Its name."""
    binding: tuple[tuple[str, Token], ...] = ()
    """Pairs of variable and value, in any order: with these values; none for any binding."""

    def evaluate(self, space: StateSpace, tick: Callable[[], object] = int) -> Known:
        """Look for arcs of the transition; of states not expanded nothing is known."""
        enabled = np.zeros(space.states, dtype=np.bool_)
        enabled[space.sources[arcs_of(space, self.transition, self.binding, tick=tick)]] = True
        return _from_arcs(space, enabled)

    def __str__(self) -> str:
        values = "".join(f", {name}={value}" for name, value in self.binding)
        return f"enabled({_quote(self.transition)}{values})"


@dataclass(frozen=True)
class Holds(Atom):
    """A Python predicate of the marking; called once for every state."""

    name: str
    """For reports."""
    predicate: Callable[[Marking], bool] = field(repr=False)
    """Says of a marking whether it holds."""

    def evaluate(self, space: StateSpace, tick: Callable[[], object] = int) -> Known:
        """Ask the predicate about every marking."""
        holds = np.zeros(space.states, dtype=np.bool_)
        for state in range(space.states):
            tick()
            holds[state] = _ask(self.name, self.predicate, space.marking(state))
        return Known.certain(holds)

    def __str__(self) -> str:
        return _quote(self.name)


@dataclass(frozen=True)
class HoldsIn(Atom):
    """A Python predicate of the tokens of one place; called once for each multiset it ever has."""

    name: str
    """For reports."""
    place: str
    """Name of the place."""
    predicate: Callable[[Multiset], bool] = field(repr=False)
    """Says of pairs of token and count, in the order of the colour set, whether it holds."""

    def evaluate(self, space: StateSpace, tick: Callable[[], object] = int) -> Known:
        """Ask the predicate about every multiset of the place."""
        # For its NetError: a space takes an unknown place for a wrong argument of its caller.
        space.net.place_named(self.place)
        multisets, of_state = space.multisets(self.place)
        holds = np.zeros(len(multisets), dtype=np.bool_)
        for number, multiset in enumerate(multisets):
            tick()
            holds[number] = _ask(self.name, self.predicate, multiset)
        return Known.certain(holds[of_state])

    def __str__(self) -> str:
        return _quote(self.name)


@dataclass(frozen=True)
class TokenCount(Compares["Compared"]):
    """A whole number read off a marking: a sum of token counts and a constant."""

    terms: tuple[tuple[int, str, Token | None], ...] = ()
    """Triples of coefficient, place, and token; None for all tokens of the place."""
    constant: int = 0
    """Added."""

    def __add__(self, other: TokenCount | int) -> TokenCount:
        added = _as_count(other)
        return TokenCount(self.terms + added.terms, self.constant + added.constant)

    __radd__ = __add__

    def __rmul__(self, factor: int) -> TokenCount:
        return TokenCount(
            tuple((factor * times, place, token) for times, place, token in self.terms),
            factor * self.constant,
        )

    def __sub__(self, other: TokenCount | int) -> TokenCount:
        return self + (-1) * _as_count(other)

    def __rsub__(self, other: int) -> TokenCount:
        return (-1) * self + other

    def compare(self, sign: str, other: TokenCount | int) -> Compared:
        """Return the formula that compares it with another count, or with a whole number."""
        return Compared(self, sign, _as_count(other))

    def values(self, space: StateSpace) -> NDArray[Any]:
        """Return its value in every state; Python's own integers if 64 bits may be too few."""
        parts = [(times, _tokens(space, place, token)) for times, place, token in self.terms]
        # Counts come in narrow types, in which a product wraps around without a word.
        largest = sum(abs(times) * int(counts.max(initial=0)) for times, counts in parts)
        exact = np.int64 if largest + abs(self.constant) < 2**62 else object
        total: NDArray[Any] = np.full(space.states, self.constant, dtype=exact)
        for times, counts in parts:
            total = total + times * counts.astype(exact)
        return total

    def __str__(self) -> str:
        text = signed_sum(
            (
                (times, f"marked({_quote(place)})")
                if token is None
                else (times, f"token({_quote(place)}, {_literal(token)})")
                for times, place, token in self.terms
            ),
            "*",
        )
        if not text:
            return str(self.constant)
        return f"{text} {'+-'[self.constant < 0]} {abs(self.constant)}" if self.constant else text


@dataclass(frozen=True)
class Compared(Atom):
    """A comparison of two counts; ``sign`` is one of ``== != < <= > >=``."""

    left: TokenCount
    sign: str
    right: TokenCount

    needs_brackets: ClassVar[bool] = True

    def evaluate(self, space: StateSpace, tick: Callable[[], object] = int) -> Known:
        """Compare in every state."""
        tick()
        return Known.certain(SIGNS[self.sign](self.left.values(space), self.right.values(space)))

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right}"


def marked(place: str) -> TokenCount:
    """Return the number of tokens in a place.

    >>> print(marked("Eat") + 2 * marked("Wait") <= 5)
    marked(Eat) + 2*marked(Wait) <= 5
    """
    return TokenCount(((1, place, None),))


def token(place: str, value: Token) -> TokenCount:
    """Return how often a place has a token.

    >>> print(token("Fork", ("left", 3)) >= 1)
    token(Fork, (left, 3)) >= 1
    """
    return TokenCount(((1, place, value),))


def arcs_of(
    space: StateSpace,
    transition: str,
    binding: tuple[tuple[str, Token], ...] = (),
    *,
    tick: Callable[[], object] = int,
) -> Flags:
    """Return shape (arcs,): on which arcs a transition fires, with these values of variables.

    Calls ``tick`` again and again meanwhile; whatever it raises ends the search.

    Raises:
        NetError: If there is no such transition or variable.
    """
    if transition not in space.net.transition:
        raise NetError(f"net {space.net.name} has no transition {show(transition)}")
    variables = {variable.name for variable in space.net.transition[transition].variables}
    for name, _ in binding:
        if name not in variables:
            raise NetError(f"transition {transition} has no variable {show(name)}")
    space.require_arcs()
    position = list(space.net.transition).index(transition)
    # By labels, each looked at once, and not by arcs, of which there may be thousands for each.
    labels = space.transitions_of(tick) == position
    if binding:
        assignment = set(binding)
        for label in np.flatnonzero(labels).tolist():
            tick()
            labels[label] = assignment <= set(space.store.firing(label).binding)
    fires: Flags = labels[space.labels]
    return fires


def token_of(colour: Colour, literal: Token) -> Token:
    """Return the token of a colour set that a value stands for; NetError if there is none.

    A value that is no token, but is written like exactly one of a finite set, stands for that:
    text does not tell the number 3 from the name ``"3"``.

    >>> from kproof.petri.net.colours import enumeration
    >>> token_of(enumeration("Seat", ["1", "2"]), 2)
    '2'
    """
    if literal in colour:
        return literal
    if isinstance(colour, Product):
        if isinstance(literal, tuple) and len(literal) == len(colour.parts):
            return tuple(map(token_of, colour.parts, literal))
        alike: list[Token] = []
    else:
        alike = [token for token in colour.values or () if str(token) == str(literal)]
    if len(alike) != 1:
        raise NetError(f"colour {colour.name} has no token {show(literal)}")
    return alike[0]


def _tokens(space: StateSpace, place: str, value: Token | None) -> NDArray[Any]:
    colour = space.net.place_named(place).colour
    return space.totals(place) if value is None else space.column(place, token_of(colour, value))


def _ask(name: str, predicate: Callable[[Any], bool], about: Marking | Multiset) -> bool:
    try:
        return bool(predicate(about))
    except Exception as error:
        raise NetError(
            f"predicate {show(name)} raised {type(error).__name__} ({show(str(error))}) "
            f"for {show(str(about))}"
        ) from error


def _as_count(value: TokenCount | int) -> TokenCount:
    if isinstance(value, TokenCount):
        return value
    # To Python a truth value is a number; to who wrote it, it is a comparison that went wrong.
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidArgument("count", value, "a whole number or a sum of marked() and token()")
    return TokenCount((), value)


def _from_arcs(space: StateSpace, flags: Flags) -> Known:
    """Return what the arcs of a state tell, which is nothing where they are not known."""
    if space.expanded == space.states:
        return Known.certain(flags)
    surely, possibly = flags.copy(), flags
    surely[space.expanded :] = False
    possibly[space.expanded :] = True
    return Known(surely, possibly)


def _quote(name: str) -> str:
    return name if name.isidentifier() else f'"{name}"'


def _literal(value: Token) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal, value))})"
    return _quote(value) if isinstance(value, str) else str(value)
