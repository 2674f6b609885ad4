"""Terms and conditions as the text of an expression of SNAKES, where it can be written out.

Constants are written as literals, the successor as a table that is looked up, and an order that is
not Python's as a table of positions. :mod:`kproof.petri.snakes.expressions` reads the same back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kproof.petri.net import terms
from kproof.petri.net.colours import LISTED, Colour, Dot, Product, Token
from kproof.petri.net.writing import successors
from kproof.petri.snakes.library import is_plain, natural

BLACK = "dot"
"""What the black token is called in expressions; ``net.globals`` has it."""

# What is written is one of these, whatever the net has.
_SIGNS = {sign: sign for sign in ("==", "!=", "<", "<=", ">", ">=")}


class _Unwritten(Exception):
    """There is no text for something."""


def text_of(part: terms.Condition | terms.Term, names: Mapping[str, str]) -> str | None:
    """Return a condition or a term as text, or None if it has functions or values with no literal.

    Args:
        part: Any condition or term.
        names: What variables are called in the text; identifiers.

    >>> from kproof.petri.net.colours import enumeration
    >>> ring = enumeration("Ring", "ab", cyclic=True)
    >>> x = terms.Variable("x", ring)
    >>> text_of(x.equals("a") | (terms.Shift(x, 1) > "a"), {"x": "x"})
    "((x == 'a') or ({'a': 'b', 'b': 'a'}[x] > 'a'))"
    """
    try:
        return _text(part, names)
    except _Unwritten:
        return None


def _text(part: terms.Condition | terms.Term, names: Mapping[str, str]) -> str:
    match part:
        case terms.Variable():
            return names[part.name]
        case terms.Constant():
            return _literal(part.token, part.of)
        case terms.TupleOf():
            return _tuple(_text(element, names) for element in part.parts)
        case terms.Shift():
            colour = part.colour
            turned = {
                token: _literal(to, colour) for token, to in successors(colour, part.by).items()
            }
            return f"{_table(colour, turned)}[{_text(part.term, names)}]"
        case terms.TermComparison():
            left, right = _text(part.left, names), _text(part.right, names)
            colour = part.left.colour
            if part.sign not in ("==", "!=") and not natural(colour):
                ranks = _table(colour, colour.ranks if _is_small(colour) else {})
                left, right = f"{ranks}[{left}]", f"{ranks}[{right}]"
            return f"({left} {_SIGNS[part.sign]} {right})"
        case terms.Negation():
            return f"(not {_text(part.part, names)})"
        case terms.AllOf() | terms.AnyOf():
            every = isinstance(part, terms.AllOf)
            parts = [_text(operand, names) for operand in part.parts]
            return f"({(' and ' if every else ' or ').join(parts)})" if parts else str(every)
    raise _Unwritten


def _is_small(colour: Colour) -> bool:
    return colour.size is not None and colour.size <= LISTED


def _table(colour: Colour, values: Mapping[Token, object]) -> str:
    if not values:
        raise _Unwritten
    return f"{{{', '.join(f'{_literal(token, colour)}: {its}' for token, its in values.items())}}}"


def _literal(token: Token, colour: Colour) -> str:
    if isinstance(colour, Dot):
        return BLACK
    if isinstance(colour, Product) and isinstance(token, tuple):
        pairs = zip(token, colour.parts, strict=True)
        return _tuple(_literal(element, part) for element, part in pairs)
    if not is_plain(token) or isinstance(token, float):
        raise _Unwritten
    return repr(token)


def _tuple(parts: Iterable[str]) -> str:
    return f"({''.join(f'{part}, ' for part in parts)})"
