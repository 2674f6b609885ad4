"""Terms and conditions as the text of an expression of SNAKES, where it can be written out.

Constants are written as literals, the successor as a table that is looked up, and an order that is
not Python's as a table of positions. :mod:`kproof.petri.snakes.expressions` reads the same back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kproof.petri.net.colours import LISTED, Colour, Dot, Product, Token
from kproof.petri.net.terms import (
    AllOf,
    AnyOf,
    Condition,
    Constant,
    Negation,
    Shift,
    Term,
    TermComparison,
    TupleOf,
    Variable,
)
from kproof.petri.net.writing import shifted
from kproof.petri.snakes.library import is_plain, natural

BLACK = "dot"
"""What the black token is called in expressions; ``net.globals`` has it."""

# What is written is one of these, whatever the net has.
_SIGNS = {sign: sign for sign in ("==", "!=", "<", "<=", ">", ">=")}


class _Unwritten(Exception):
    """There is no text for something."""


def condition_text(condition: Condition, names: Mapping[str, str]) -> str | None:
    """Return a condition as text, or None if it has functions or values with no literal.

    Parameters
    ----------
    condition
        Any condition.
    names
        What variables are called in the text; identifiers.

    Examples
    --------
    >>> from kproof.petri.net.colours import enumeration
    >>> ring = enumeration("Ring", "ab", cyclic=True)
    >>> x = Variable("x", ring)
    >>> condition_text(x.equals("a") | (Shift(x, 1) > "a"), {"x": "x"})
    "((x == 'a') or ({'a': 'b', 'b': 'a'}[x] > 'a'))"
    """
    try:
        return _condition(condition, names)
    except _Unwritten:
        return None


def equation_text(name: str, term: Term, names: Mapping[str, str]) -> str | None:
    """Return the condition that a variable of SNAKES has the value of a term, or None."""
    try:
        return f"({name} == {_term(term, names)})"
    except _Unwritten:
        return None


def term_text(term: Term, names: Mapping[str, str]) -> str | None:
    """Return a term as text, or None; see :func:`condition_text`."""
    try:
        return _term(term, names)
    except _Unwritten:
        return None


def _condition(condition: Condition, names: Mapping[str, str]) -> str:
    if isinstance(condition, TermComparison):
        sides = [_term(side, names) for side in (condition.left, condition.right)]
        colour = condition.left.colour
        if condition.sign not in ("==", "!=") and not natural(colour):
            ranks = _table(colour, colour.ranks if _listed(colour) else {})
            sides = [f"{ranks}[{side}]" for side in sides]
        return f"({sides[0]} {_SIGNS[condition.sign]} {sides[1]})"
    if isinstance(condition, Negation):
        return f"(not {_condition(condition.part, names)})"
    if isinstance(condition, AllOf | AnyOf):
        every = isinstance(condition, AllOf)
        parts = [_condition(part, names) for part in condition.parts]
        return f"({(' and ' if every else ' or ').join(parts)})" if parts else str(every)
    raise _Unwritten


def _term(term: Term, names: Mapping[str, str]) -> str:
    if isinstance(term, Variable):
        return names[term.name]
    if isinstance(term, Constant):
        return _literal(term.token, term.of)
    if isinstance(term, TupleOf):
        return _tuple(_term(part, names) for part in term.parts)
    if isinstance(term, Shift):
        colour = term.colour
        turned = {one: _literal(other, colour) for one, other in shifted(colour, term.by).items()}
        return f"{_table(colour, turned)}[{_term(term.term, names)}]"
    raise _Unwritten


def _listed(colour: Colour) -> bool:
    return colour.size is not None and colour.size <= LISTED


def _table(colour: Colour, values: Mapping[Token, object]) -> str:
    if not values:
        raise _Unwritten
    return f"{{{', '.join(f'{_literal(one, colour)}: {its}' for one, its in values.items())}}}"


def _literal(token: Token, colour: Colour) -> str:
    if isinstance(colour, Dot):
        return BLACK
    if isinstance(colour, Product) and isinstance(token, tuple):
        pairs = zip(token, colour.parts, strict=True)
        return _tuple(_literal(one, part) for one, part in pairs)
    if not is_plain(token) or isinstance(token, float):
        raise _Unwritten
    return repr(token)


def _tuple(parts: Iterable[str]) -> str:
    return f"({''.join(f'{part}, ' for part in parts)})"
