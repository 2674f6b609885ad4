"""What public functions ask of their arguments before they use them.

Most values are read where they are used, which also decides whether they are in range. What is no
value at all, such as a number in place of a dictionary, would fail somewhere inside with an error
that names nothing of what was called. So it is refused at the door, by the name that the caller
wrote.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, signature
from os import PathLike
from typing import Any, ParamSpec, TypeVar

from kproof.errors import InvalidArgument, one_of

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


# By its name: a bool of NumPy passes, and NumPy is not imported for it.
FLAG = Need("True or False", lambda value: type(value).__name__ in {"bool", "bool_"})
TEXT = a(str, phrase="a text")
PATH = a(str, PathLike, phrase="the name of a file or a folder")
FUNCTION = Need("a function", callable)
DICTIONARY = a(Mapping, phrase="a dictionary")
"""A frame or a series of pandas has keys and items as well."""


def _may_be_names(value: Any) -> bool:
    # A frame runs through the names of its columns, and is no list of names.
    if isinstance(value, bytes) or hasattr(value, "columns"):
        return False
    # Only lists and tuples are looked into: an iterator would be used up before the names are read.
    whole = not isinstance(value, list | tuple) or all(isinstance(item, Hashable) for item in value)
    return isinstance(value, Iterable) and whole


NAMES = Need("a list of names", _may_be_names)
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
    "missing": Need(
        "a text, or a list of them",
        lambda value: NAMES.accepts(value) and not DICTIONARY.accepts(value),
    ),
    **dict.fromkeys(("person", "suppressed"), TEXT),
}
"""What is said of the columns of a table, wherever a function takes it."""


WORDS = {
    "qi": "quasi_identifiers",
    "identifier": "identifiers",
    "taxonomy": "taxonomies",
    "ladder": "ladders",
    "least_level": "least_levels",
    "most_level": "most_levels",
}
"""What the command line calls roles of columns that are called otherwise in the library."""


@contextmanager
def library_words(options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give options as the library calls them; its errors call them as the caller did.

    >>> with library_words({"qi": "age, zip", "k": 3}) as arguments:
    ...     print(arguments)
    {'quasi_identifiers': ['age', 'zip'], 'k': 3}
    """
    option_of: dict[str, str] = {}
    arguments: dict[str, Any] = {}
    for option, value in options.items():
        name = WORDS.get(option, option)
        if name in arguments:
            # Were the last one taken, what the first one says would be dropped without a word.
            raise InvalidArgument(option, value, f"{option} or {option_of[name]}, not both")
        # Only the words of the command line are cut at commas: the library's take a text for one
        # name, which may hold a comma.
        if option in ("qi", "identifier") and isinstance(value, str):
            value = [part.strip() for part in value.split(",")]
        option_of[name], arguments[name] = option, value
    with name_arguments(**option_of):
        yield arguments


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
    >>> count()
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: names is not given: need a list of names
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        call_signature = signature(function)
        parameters = call_signature.parameters
        order = tuple(parameters)
        required = {name for name, parameter in parameters.items() if parameter.default is not None}

        @wraps(function)
        def check_and_call(*args: P.args, **kwargs: P.kwargs) -> R:
            with library_words(kwargs if "quasi_identifiers" in needs else {}) as words:
                keywords: Any = words or kwargs
                arguments = {**dict(zip(order, args, strict=False)), **keywords}
                for name, need in needs.items():
                    value = arguments.get(name)
                    left_out = value is None and (name not in arguments or name not in required)
                    if not left_out and not need.accepts(value):
                        raise InvalidArgument(name, value, need.phrase)
                # `bind` only tests the call: a TypeError from within the function would be a fault
                # of ours, and must not be told as one of the caller's.
                try:
                    call_signature.bind(*args, **keywords)
                except TypeError:
                    _refuse(parameters, arguments, needs)
                    raise
                return function(*args, **keywords)

        return check_and_call

    return decorate


def _refuse(
    parameters: Mapping[str, Parameter], arguments: Mapping[str, object], needs: Mapping[str, Need]
) -> None:
    """Refuse arguments that a function lacks, or that it needs and were not said."""
    takes_any = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values())
    names = [name for name in parameters if name != "cls"]
    for name, value in arguments.items():
        if name not in parameters and not takes_any:
            raise InvalidArgument(name, value, one_of(name, names))
    for name, parameter in parameters.items():
        variable = parameter.kind in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
        if name not in arguments and parameter.default is Parameter.empty and not variable:
            phrase = needs[name].phrase if name in needs else "a value"
            raise InvalidArgument(name, None, phrase)


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
