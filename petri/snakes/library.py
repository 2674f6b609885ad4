"""The SNAKES library, which is optional, and how its types and tokens correspond to colours.

Only here is SNAKES imported. Its black token is the token of :class:`~kproof.petri.net.colours.Dot`
wherever a colour has one; every other token is itself on both sides.
"""

import warnings
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from kproof.errors import KProofError, NetError
from kproof.petri.net.colours import DOT, Colour, Dot, Enumeration, Integers, Open, Product, Token

PLAIN = (bool, int, float, str, type(None))
"""Types of what is read as a token, besides the black token and tuples of such."""


def is_plain(token: object) -> bool:
    """Say whether a token is plain data: a number, text, a truth value, None, or a tuple of such.

    >>> is_plain((1, ("a", None))), is_plain(object())
    (True, False)
    """
    if type(token) is tuple:
        return all(map(is_plain, token))
    # Exact types: a subclass may do anything when it is compared.
    return type(token) in PLAIN


ANY = Open("any", is_plain)
"""Of a place of which SNAKES does not say what its tokens are."""
INTEGER = Open("integer", lambda token: type(token) in (bool, int))
"""Of a place of whole numbers, as many as there are."""
TEXT = Open("text", lambda token: type(token) is str)
"""Of a place of text."""
INSTANCES = {int: INTEGER, str: TEXT}
"""Colours of the types that SNAKES calls tInteger and tString."""


@lru_cache(maxsize=1)
def library() -> Any:
    """Return what is needed of SNAKES: ``nets``, ``typing`` and its errors."""
    with warnings.catch_warnings():
        # SNAKES 0.9 is written for older versions of Python.
        warnings.simplefilter("ignore")
        import snakes.nets
        import snakes.typing
    return SimpleNamespace(
        nets=snakes.nets,
        typing=snakes.typing,
        DomainError=snakes.DomainError,
        ModeError=snakes.ModeError,
    )


def type_of(colour: Colour) -> Any:
    """Return the type of SNAKES that has the tokens of a colour."""
    typing = library().typing
    match colour:
        case Dot():
            return library().nets.tBlackToken
        case Integers():
            return typing.Range(colour.low, colour.high + 1)
        case Enumeration():
            return typing.OneOf(*colour.members)
        case Product():
            return typing.CrossProduct(*map(type_of, colour.parts))
        case Open() if colour.holds is ANY.holds:
            return typing.tAll
        case Open():
            for kind, open_colour in INSTANCES.items():
                if colour.holds is open_colour.holds:
                    return typing.Instance(kind)
    return typing.TypeCheck(unlike_values(lambda token: token in colour))


def unlike_values(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose errors SNAKES does not take for "not enabled"."""

    def call_refusing(*values: Any) -> Any:
        try:
            return call(*values)
        except NetError as error:
            raise KProofError(str(error)) from error

    return call_refusing


def outward(colour: Colour, token: Token) -> Any:
    """Return a token of ours as one of SNAKES."""
    return _replace_dots(colour, token, DOT, library().nets.dot)


def inward(colour: Colour, token: Any) -> Token:
    """Return a token of SNAKES as one of ours."""
    ours: Token = _replace_dots(colour, token, library().nets.dot, DOT)
    return ours


def _replace_dots(colour: Colour, token: Any, old: object, new: object) -> Any:
    if isinstance(colour, Product):
        if not isinstance(token, tuple) or len(token) != len(colour.parts):
            return token
        pairs = zip(colour.parts, token, strict=True)
        return tuple(_replace_dots(part, element, old, new) for part, element in pairs)
    return new if isinstance(colour, Dot) and token == old else token


def count_tokens(tokens: Any, colour: Colour) -> Counter[Token]:
    """Return a multiset of SNAKES, which knows counts but iterates over single tokens."""
    return Counter({inward(colour, token): tokens(token) for token in tokens.domain()})


def natural(colour: Colour) -> bool:
    """Say whether the order of a colour is the one that Python has for its tokens.

    >>> from kproof.petri.net.colours import Integers, enumeration
    >>> natural(Integers("Few", 0, 3)), natural(enumeration("Pip", ["spades", "hearts"]))
    (True, False)
    """
    if isinstance(colour, Product):
        return all(map(natural, colour.parts))
    if isinstance(colour, Dot):
        return False
    if colour.values is None:
        return True
    values: list[Any] = list(colour.values)
    try:
        return values == sorted(values)
    except TypeError:
        return False
