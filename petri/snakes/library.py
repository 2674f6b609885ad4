"""The SNAKES library, which is optional, and how its types and tokens correspond to colours.

Only here is SNAKES imported. Its black token is the token of :class:`~kproof.petri.net.colours.Dot`
wherever a colour has one; every other token is itself on both sides.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from kproof.errors import InvalidArgument
from kproof.petri.net.colours import DOT, Colour, Dot, Open, Product, Token

PLAIN = (bool, int, float, str, type(None))
"""Types of what is read as a token, besides the black token and tuples of such."""


def is_plain(token: object) -> bool:
    """Say whether a token is plain data: a number, text, a truth value, None, or a tuple of such.

    >>> is_plain((1, ("a", None))), is_plain(object())
    (True, False)
    """
    if type(token) is tuple:
        return all(map(is_plain, token))
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
    """Return what is needed of SNAKES: ``nets``, ``typing`` and its errors.

    Raises:
        InvalidArgument: If SNAKES is not installed.
    """
    try:
        with warnings.catch_warnings():
            # SNAKES 0.9 is written for older versions of Python.
            warnings.simplefilter("ignore")
            import snakes.nets
            import snakes.typing
    except ImportError as error:
        raise InvalidArgument("SNAKES", "not installed", "pip install 'kproof[snakes]'") from error
    return SimpleNamespace(
        nets=snakes.nets,
        typing=snakes.typing,
        DomainError=snakes.DomainError,
        ModeError=snakes.ModeError,
    )


def has_dots(colour: Colour) -> bool:
    """Say whether tokens of a colour are black tokens, or tuples with black tokens."""
    if isinstance(colour, Product):
        return any(map(has_dots, colour.parts))
    return isinstance(colour, Dot)


def outward(colour: Colour) -> Callable[[Any], Any]:
    """Return the function that makes a token of SNAKES of one of ours."""
    return _dot_mapping(colour, DOT, library().nets.dot)


def inward(colour: Colour) -> Callable[[Any], Token]:
    """Return the function that makes a token of ours of one of SNAKES."""
    return _dot_mapping(colour, library().nets.dot, DOT)


def count_tokens(tokens: Any, colour: Colour) -> Counter[Token]:
    """Return a multiset of SNAKES, which knows counts but iterates over single tokens."""
    ours = inward(colour)
    return Counter({ours(token): tokens(token) for token in tokens.domain()})


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


def _dot_mapping(colour: Colour, old: object, new: object) -> Callable[[Any], Any]:
    if not has_dots(colour):
        return lambda token: token
    if isinstance(colour, Product):
        parts = [_dot_mapping(part, old, new) for part in colour.parts]

        def mapped(token: Any) -> Any:
            if not isinstance(token, tuple) or len(token) != len(parts):
                return token
            return tuple(part(its) for part, its in zip(parts, token, strict=True))

        return mapped
    return lambda token: new if token == old else token
