"""The errors a user of kproof can meet; the lowest layer, imports nothing of the project.

Every message names what was wrong, which value, and what would be admissible, in one line: the
command line prints it as it stands and exits with status 2.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches


class KProofError(Exception):
    """Base of every error kproof raises on purpose: one line, whatever a name in it holds."""

    def __str__(self) -> str:
        """Return the message; what cannot be printed, a line break in a file's name, is escaped."""
        return printable(super().__str__())


class InvalidArgument(KProofError, ValueError):
    """An argument is outside what it may be.

    Every public function raises it for a value outside the range or the form that its docstring
    states, and for a name that nothing has. A section on what is raised says when else it is.

    Args:
        name: The argument as the caller wrote it.
        value: The offending value; long ones are shortened.
        admissible: What would have been accepted, as a phrase that follows "need".

    >>> raise InvalidArgument("p", 1.5, "0 < p < 1")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: p = 1.5: need 0 < p < 1
    """

    def __init__(self, name: str, value: object, admissible: str) -> None:
        self.name = name
        self.value = value
        self.admissible = admissible
        stated = f"{name} is not given" if value is None else f"{name} = {show(value)}"
        super().__init__(f"{stated}: need {admissible}")

    def __reduce__(self) -> tuple[type[InvalidArgument], tuple[str, object, str]]:
        """Be made again in another process."""
        # By default an exception is unpickled from its message alone, and this one takes three
        # arguments.
        return type(self), (self.name, self.value, self.admissible)


class DataError(KProofError, ValueError):
    """A file or a column cannot be used as data; the message names which and why."""


class Infeasible(KProofError, ValueError):
    """The values are fine one by one but no law has them together; names the inequality."""


class Undecided(KProofError, ArithmeticError):
    """A comparison could not be decided at the highest working precision."""


class NetError(KProofError, ValueError):
    """A Petri net cannot be built, read or run; names the place, transition or function."""


class TooLarge(KProofError, ValueError):
    """An exact computation would need more points than its budget allows."""


class MissingExtra(ModuleNotFoundError):
    """A library is not installed that comes with an extra; says what to type.

    It is no KProofError: whoever tries things and takes an error for a refusal must not take this
    for one, and go on to another answer.

    >>> raise MissingExtra("z3", "nets")
    Traceback (most recent call last):
        ...
    kproof.errors.MissingExtra: z3 is not installed: pip install 'kproof[nets]'
    """

    def __init__(self, library: str, extra: str) -> None:
        self.library = library
        self.extra = extra
        super().__init__(f"{library} is not installed: pip install 'kproof[{extra}]'", name=library)

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        """Be made again in another process."""
        return type(self), (self.library, self.extra)


def one_of(value: object, names: Iterable[object], *, first: str = "one of") -> str:
    """Return what would have been accepted in place of a name, the nearest of them once more.

    >>> one_of("mondrain", ["kaca", "mondrian"])
    'one of kaca, mondrian; did you mean mondrian?'
    >>> one_of("something else", ["kaca", "mondrian"])
    'one of kaca, mondrian'
    """
    listed = [str(name) for name in names]
    return f"{first} {', '.join(listed)}{did_you_mean(value, listed)}"


def did_you_mean(value: object, names: Iterable[object]) -> str:
    """Return the end of a message: the one of some names that is like a value; empty if none is.

    Capitals, hyphens and underlines make no difference; a beginning that only one name has will do.

    >>> did_you_mean("zip_coed", ["Age", "Zip Code"]), did_you_mean("zip", ["Age", "Zip Code"])
    ("; did you mean 'Zip Code'?", "; did you mean 'Zip Code'?")
    """
    if not isinstance(value, str):
        return ""
    typed, plain = _plain(value), {_plain(str(name)): str(name) for name in names}
    near = get_close_matches(typed, plain, n=1, cutoff=_ALIKE)
    # One or two letters begin a single name by chance only.
    begun = [name for name in plain if name.startswith(typed)] if len(typed) > 2 else []
    if not near and len(begun) == 1:
        near = begun
    return f"; did you mean {show(plain[near[0]])}?" if near else ""


_ALIKE = 0.65
"""How much a name has in common with the one that was meant: one letter of three may be wrong."""


def _plain(name: str) -> str:
    return name.casefold().replace("_", " ").replace("-", " ")


Wording = Callable[[str, object], str]
"""How an argument and a value of it are written; None where only the argument is meant."""


def spell(argument: str, value: object = None) -> str:
    """Return an argument and a value of it as whoever called kproof writes them.

    The value is a list, or a dictionary by column, where the argument takes one; None names the
    argument alone.

    >>> print(spell("missing", ["NA"]), spell("numeric", {"zip": False}), spell("identifiers"))
    missing=["NA"] numeric={"zip": False} identifiers
    >>> from kproof.cli.base.options import as_typed
    >>> with speak(as_typed):
    ...     print(spell("missing", ["NA"]), spell("numeric", {"zip": False}), spell("identifiers"))
    --missing=NA --code zip --identifier
    """
    return _wording.get()(argument, value)


@contextmanager
def speak(wording: Wording) -> Iterator[None]:
    """Write arguments in another way than Python's.

    It is a function at the top of a module: other processes are told its name.
    """
    before = _wording.set(wording)
    try:
        yield
    finally:
        _wording.reset(before)


def spoken() -> Wording:
    """Return how arguments are written now, for another process."""
    return _wording.get()


def _in_python(argument: str, value: object) -> str:
    return argument if value is None else f"{argument}={_literal(value)}"


def _literal(value: object) -> str:
    if isinstance(value, str):
        text = value if len(value) <= _LONG else f"{value[: _LONG - 1]}…"
        # JSON leaves signs that turn the direction of writing as they are; `repr` escapes them.
        return json.dumps(text, ensure_ascii=False) if text.isprintable() else repr(text)
    if isinstance(value, Mapping):
        pairs = (f"{_literal(name)}: {_literal(entry)}" for name, entry in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return str(value)


_LONG = 60
"""Characters of a value that are shown."""

_wording: ContextVar[Wording] = ContextVar("wording", default=_in_python)


def printable(text: str) -> str:
    r"""Return a text with what a terminal would obey, or not show, as escapes.

    A cell of a file could otherwise move the cursor and write a verdict of its own.

    >>> printable("Saint-Prex 1"), printable("1\x1b[2Kholds"), printable("1\n2")
    ('Saint-Prex 1', '1\\x1b[2Kholds', '1\\n2')
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


def show(value: object, limit: int = _LONG) -> str:
    """Return ``value`` as one short printable line; a string in quotes only if it needs them.

    >>> show("0.3"), show("a  b"), show(10**80, limit=10)
    ('0.3', "'a b'", '100000000…')
    """
    if isinstance(value, str):
        # Values come from files of strangers: a control character could rewrite the line on a
        # terminal.
        plain = value.isprintable() and value and " " not in value
        text = value if plain else repr(value)
    else:
        try:
            text = str(value)
        except ValueError:  # Python's limit on the digits of a printed integer
            text = "a number too long to print"
    # One line, whatever the text of a value is: that of a frame has many.
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
