"""The parameters of methods and privacy models, each declared once: type, range and wording.

``K.read("4")`` is how a function reads an argument; the same object gives the command line an
option, its help and its range. A method or model that needs a narrower range or another default
derives it, ``K.but(least=2)``, and says so where it is registered. This module imports nothing
heavy: the help texts are made from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Generic, TypeVar

from kproof.errors import InvalidArgument

T_co = TypeVar("T_co", covariant=True)
_Own = TypeVar("_Own", bound="Parameter[Any]")


@dataclass(frozen=True)
class Parameter(ABC, Generic[T_co]):
    """A parameter of a method or a privacy model.

    Attributes
    ----------
    name
        As Python and JSON have it; the command line writes ``-`` for ``_``.
    help
        What it is, as a phrase that begins with a small letter.
    default
        What holds if it is not given; None if nothing does, or the method decides.
    required
        Whether it must be given.
    unit
        Of a quantity, such as metres.
    """

    name: str
    help: str
    default: object = None
    required: bool = False
    unit: str = ""

    @abstractmethod
    def read(self, value: object) -> T_co:
        """Return the value of an argument as it was typed.

        Raises
        ------
        InvalidArgument
            If it is none of this type, or out of range; names the parameter and the range.
        """

    @property
    def range(self) -> str:
        """What it may be, as a short formula or list of words; empty if anything goes."""
        return ""

    @property
    def option(self) -> str:
        """The option of the command line, such as ``--min-k``."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def line(self) -> str:
        """Its help as one sentence, with unit and range.

        Examples
        --------
        >>> K.line
        'Fewest people in a class (k >= 1).'
        """
        about = ", ".join(part for part in (self.unit, self.range) if part)
        text = f"{self.help} ({about})" if about else self.help
        return f"{text[0].upper()}{text[1:]}."

    def but(self: _Own, **changes: Any) -> _Own:
        """Return the parameter with another range, default or help.

        Examples
        --------
        >>> K.but(least=2).range
        'k >= 2'
        """
        return replace(self, **changes)


@dataclass(frozen=True)
class Whole(Parameter[int]):
    """A whole number in a range.

    Examples
    --------
    >>> K.read("4")
    4
    >>> K.but(least=2).read(1)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: k = 1: need a whole number k >= 2
    """

    least: int | None = None
    most: int | None = None

    def read(self, value: object) -> int:
        """Return the whole number that was typed."""
        from kproof.theory.exact.typed import integer

        return integer(self.name, value, least=self.least, most=self.most)

    @property
    def range(self) -> str:
        """Such as ``k >= 1``."""
        return _between(self.name, None, self.least, None, self.most)


@dataclass(frozen=True)
class Exact(Parameter[Fraction]):
    """A rational number in a range.

    Examples
    --------
    >>> MU.read("3/5")
    Fraction(3, 5)
    >>> T.read(2)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: t = 2: need 0 <= t <= 1
    """

    above: int | None = None
    least: int | None = None
    below: int | None = None
    most: int | None = None

    def read(self, value: object) -> Fraction:
        """Return the rational that was typed."""
        from kproof.theory.exact.typed import rational

        ends = {"above": self.above, "least": self.least, "below": self.below, "most": self.most}
        return rational(self.name, value, **ends)

    @property
    def range(self) -> str:
        """Such as ``0 <= t <= 1``."""
        return _between(self.name, self.above, self.least, self.below, self.most)


@dataclass(frozen=True)
class Choice(Parameter[str]):
    """One of a few words.

    Examples
    --------
    >>> order = Choice("order", "which come first", words=("rising", "falling"))
    >>> order.line
    'Which come first (rising or falling).'
    >>> order.read("random")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: order = random: need one of rising, falling
    """

    words: tuple[str, ...] = ()

    def read(self, value: object) -> str:
        """Return the word."""
        if value not in self.words:
            raise InvalidArgument(self.name, value, f"one of {', '.join(self.words)}")
        return str(value)

    @property
    def range(self) -> str:
        """The words."""
        *others, last = self.words
        return f"{', '.join(others)} or {last}"


@dataclass(frozen=True)
class Switch(Parameter[bool]):
    """Yes or no.

    Examples
    --------
    >>> merge = Switch("merge", "whether small classes are merged", default=True)
    >>> merge.read("false"), merge.read(True)
    (False, True)
    """

    def read(self, value: object) -> bool:
        """Return True or False, typed as such or as a word."""
        word = str(value).lower() if isinstance(value, (bool, str)) else ""
        if word not in ("true", "false"):
            raise InvalidArgument(self.name, value, "true or false")
        return word == "true"


@dataclass(frozen=True)
class Names(Parameter[tuple[str, ...]]):
    """Names, separated by commas where they are typed.

    Examples
    --------
    >>> Names("known", "who is known").read("Ann, Bob")
    ('Ann', 'Bob')
    """

    def read(self, value: object) -> tuple[str, ...]:
        """Return the names."""
        given = value.split(",") if isinstance(value, str) else [str(name) for name in _each(value)]
        return tuple(name for part in given if (name := part.strip()))


@dataclass(frozen=True)
class Free(Parameter[object]):
    """Whatever the method itself reads, such as a list or one of several types."""

    def read(self, value: object) -> object:
        """Return the value as it is."""
        return value


def _each(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, (tuple, list, set, frozenset)) else (value,)


def _between(
    name: str, above: int | None, least: int | None, below: int | None, most: int | None
) -> str:
    low = f"{above} < {name}" if above is not None else f"{least} <= {name}"
    high = f"{name} < {below}" if below is not None else f"{name} <= {most}"
    if above is None and least is None:
        return "" if below is None and most is None else high
    if below is None and most is None:
        return f"{name} > {above}" if above is not None else f"{name} >= {least}"
    return f"{low}{high.removeprefix(name)}"


K = Whole("k", "fewest people in a class", required=True, least=1)
"""The k of k-anonymity. A model judges any; a method that forms classes needs at least 2."""

GROUP_K = K.but(least=2)
"""The k of whatever forms classes itself."""

L = Whole("l", "fewest distinct sensitive values in a class", least=1)
P = Whole("p", "fewest distinct sensitive values in a class", least=1)
T = Exact("t", "largest distance of a class from the table", least=0, most=1)
MU = Exact("mu", "share of the variance of a fully diverse class", least=0)
"""The factor of theta = mu (k^2 - 1) / 12; no class has more than 1."""

REACHABLE_MU = MU.but(above=0, least=None, most=1)
"""A mu that makes a demand and that some class meets."""

C = Exact("c", "largest ratio of the commonest value to the tail", above=0)
ALPHA = Exact("alpha", "least weight of a class", least=0)
SHARE = Exact("alpha", "largest share of one value in a class", above=0, most=1)
BETA = Exact("beta", "largest gain of a value in a class", above=0)
DELTA = Exact("delta", "largest logarithm of a ratio of shares", above=0)
EPSILON = Exact("epsilon", "exponent of the likelihood ratio", least=0)
TAU = Exact("tau", "least probability that counts as disclosure", above=0, most=1)
SEED = Whole("seed", "start of whatever is random", default=0, least=0)
