"""What public functions ask of their arguments before they use them.

Most values are read where they are used, which also decides whether they are in range. What is no
value at all, such as a number in place of a dictionary, would fail somewhere inside with an error
that names nothing of what was called. So it is refused at the door, by the name that the caller
wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from os import PathLike
from typing import Any, ParamSpec, TypeVar

from kproof.errors import InvalidArgument

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Need:
    """What an argument has to be."""

    phrase: str
    """What would be accepted, as it follows "need"."""
    accepts: Callable[[Any], bool]
    """Whether a value is of that kind; it does not use up an iterator."""


def a(*kinds: type, phrase: str) -> Need:
    """Return the need of an instance of some class."""
    return Need(phrase, lambda value: isinstance(value, kinds))


FLAG = Need("True or False", lambda value: type(value).__name__ in {"bool", "bool_"})
TEXT = a(str, phrase="a text")
PATH = a(str, PathLike, phrase="the name of a file or a folder")
FUNCTION = Need("a function", callable)
DICTIONARY = Need("a dictionary", lambda value: hasattr(value, "items") and hasattr(value, "keys"))
NAMES = Need("a list of names", lambda value: isinstance(value, Iterable))
"""A single name passes: what is wrong with it is said where names are read."""
SEVERAL = Need(
    "a list", lambda value: isinstance(value, Iterable) and not isinstance(value, str | bytes)
)
CLUSTER = Need("a cluster from kproof.cluster.connect", lambda value: hasattr(value, "answers"))

ROLES = {
    "sensitive": Need("a name, or a list of names", NAMES.accepts),
    **dict.fromkeys(("quasi_identifiers", "both", "identifiers", "other", "drop"), NAMES),
    **dict.fromkeys(("categories", "taxonomies", "ladders", "least_levels"), DICTIONARY),
    **dict.fromkeys(("most_levels", "numeric", "missing_in"), DICTIONARY),
    "missing": NAMES,
    **dict.fromkeys(("person", "suppressed"), TEXT),
}
"""What is said of the columns of a table, wherever a function takes it."""


def check_arguments(**needs: Need) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Have a public function refuse arguments that are of no use to it.

    Needs come by the name of the argument, which may be among further keywords. None is accepted
    unless an argument that is named has another default.

    >>> @check_arguments(names=NAMES)
    ... def count(names):
    ...     return len(names)
    >>> count(["a", "b"])
    2
    >>> count(2)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: names = 2: need a list of names
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = signature(function).parameters
        order = tuple(parameters)
        required = {name for name, parameter in parameters.items() if parameter.default is not None}

        @wraps(function)
        def check_and_call(*args: P.args, **kwargs: P.kwargs) -> R:
            arguments = {**dict(zip(order, args, strict=False)), **kwargs}
            for name, need in needs.items():
                value = arguments.get(name)
                nothing = value is None and (name not in arguments or name not in required)
                if not nothing and not need.accepts(value):
                    raise InvalidArgument(name, value, need.phrase)
            return function(*args, **kwargs)

        return check_and_call

    return decorate


@contextmanager
def name_arguments(**names: str) -> Iterator[None]:
    """Tell of an argument by the name that the caller knows it by; a decorator as well.

    >>> with name_arguments(data="source"):
    ...     raise InvalidArgument("data", 3, "a file")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: source = 3: need a file
    """
    try:
        yield
    except InvalidArgument as error:
        if error.name not in names:
            raise
        raise InvalidArgument(names[error.name], error.value, error.admissible) from None
