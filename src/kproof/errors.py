"""The errors a user of kproof can meet; the lowest layer, imports nothing of the project.

Every message names what was wrong, which value, and what would be admissible, in one line: the
command line prints it as it stands and exits with status 2.
"""

from __future__ import annotations


class KProofError(Exception):
    """Base of every error kproof raises on purpose."""


class InvalidArgument(KProofError, ValueError):
    """An argument is outside what it may be.

    Parameters
    ----------
    name
        The argument as the caller wrote it.
    value
        The offending value; long ones are shortened.
    admissible
        What would have been accepted, as a phrase that follows "need".

    Examples
    --------
    >>> raise InvalidArgument("p", 1.5, "0 < p < 1")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: p = 1.5: need 0 < p < 1
    """

    def __init__(self, name: str, value: object, admissible: str) -> None:
        self.name = name
        self.value = value
        self.admissible = admissible
        super().__init__(f"{name} = {shown(value)}: need {admissible}")

    def __reduce__(self) -> tuple[type[InvalidArgument], tuple[str, object, str]]:
        """Be made again in another process."""
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


def shown(value: object, limit: int = 60) -> str:
    """Return ``value`` as one short printable line; a string in quotes only if it needs them.

    Examples
    --------
    >>> shown("0.3"), shown("a  b"), shown(10**80, limit=10)
    ('0.3', "'a b'", '100000000…')
    """
    if isinstance(value, str):
        plain = value.isprintable() and value and " " not in value
        text = value if plain else repr(value)
    else:
        try:
            text = str(value)
        except ValueError:  # Python's limit on the digits of a printed integer
            text = "a number too long to print"
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
