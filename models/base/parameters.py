"""The parameters of methods and privacy models, each declared once: type, range and wording.

``K.read("4")`` is how a function reads an argument; the same object gives the command line an
option, its help and its range. A method or model that needs a narrower range or another default
derives it, ``K.but(least=2)``, and says so where it is registered. This module imports nothing
heavy: the help texts are made from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from kproof.errors import InvalidArgument, show

if TYPE_CHECKING:
    from kproof.models.base.taxonomy import Taxonomy

T_co = TypeVar("T_co", covariant=True)
_Own = TypeVar("_Own", bound="Parameter[Any]")


@dataclass(frozen=True)
class Parameter(ABC, Generic[T_co]):
    """A parameter of a method or a privacy model."""

    name: str
    """As Python and JSON have it; the command line writes ``-`` for ``_``."""
    help: str
    """What it is, as a phrase that begins with a small letter."""
    default: object = None
    """What holds if it is not given; None if nothing does, or the method decides."""
    required: bool = False
    """Whether it must be given."""
    unit: str = ""
    """Of a quantity, such as metres."""
    typed: str = ""
    """The option of the command line, if it is called otherwise: names separated by spaces."""
    example: str = ""
    """A value to try it with."""
    purpose: str = ""
    """What it is for, where that is not plain, as the end of a sentence."""

    @abstractmethod
    def read(self, value: object) -> T_co:
        """Return the value of an argument as it was typed."""

    @property
    def range(self) -> str:
        """What it may be, in a few words; empty if anything goes."""
        return ""

    @property
    def key(self) -> str:
        """What the command line calls it in messages, and scripts in keywords."""
        return (self.typed or self.name).split()[0]

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the command line, such as ``--min-k``; the first is the usual one."""
        return tuple(f"--{word.replace('_', '-')}" for word in (self.typed or self.name).split())

    @property
    def line(self) -> str:
        """Its help as one sentence, with unit and range.

        >>> K.line
        'Fewest people in a class (at least 1).'
        """
        about = ", ".join(part for part in (self.unit, self.range) if part)
        text = f"{self.help} ({about})" if about else self.help
        return f"{text[0].upper()}{text[1:]}{self.purpose}."

    def but(self: _Own, **changes: Any) -> _Own:
        """Return the parameter with another range, default or help.

        >>> K.but(least=2).range
        'at least 2'
        """
        return replace(self, **changes)


@dataclass(frozen=True)
class Whole(Parameter[int]):
    """A whole number in a range.

    >>> K.read("4")
    4
    >>> K.but(least=2).read(1)
    Traceback (most recent call last):
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
        """Such as ``at least 1``."""
        return _between(None, self.least, None, self.most)


@dataclass(frozen=True)
class Exact(Parameter[Fraction]):
    """A rational number in a range.

    >>> MU.read("3/5")
    Fraction(3, 5)
    >>> T.read(2)
    Traceback (most recent call last):
    kproof.errors.InvalidArgument: t = 2: need 0 <= t <= 1
    """

    above: int | None = None
    least: Fraction | int | None = None
    below: int | None = None
    most: int | None = None

    def read(self, value: object) -> Fraction:
        """Return the rational that was typed."""
        from kproof.theory.exact.typed import rational

        ends = {"above": self.above, "least": self.least, "below": self.below, "most": self.most}
        return rational(self.name, value, **ends)

    @property
    def range(self) -> str:
        """Such as ``0 to 1``."""
        return _between(self.above, self.least, self.below, self.most)


@dataclass(frozen=True)
class Share(Parameter[Fraction]):
    """A share from 0 to 1, which may be typed in per cent.

    >>> SUPPRESS.read("5%"), SUPPRESS.read(0.05)
    (Fraction(1, 20), Fraction(1, 20))
    >>> SUPPRESS.read("105%")
    Traceback (most recent call last):
    kproof.errors.InvalidArgument: suppress = 105%: need 0 to 1, or 0% to 100%
    >>> SAMPLE.read("0%")
    Traceback (most recent call last):
    kproof.errors.InvalidArgument: sample = 0%: need above 0 and at most 1, or above 0%
    and at most 100%
    """

    positive: bool = False
    """Whether 0 is none."""

    def read(self, value: object) -> Fraction:
        """Return the share that was typed."""
        from kproof.theory.exact.typed import rational

        percent = isinstance(value, str) and value.strip().endswith("%")
        # Divided below as a rational: 5% is 1/20, and no float.
        typed = str(value).strip()[:-1] if percent else value
        try:
            scale = 100 if percent else 1
            low = {"above": 0} if self.positive else {"least": 0}
            return rational(self.name, typed, **low, most=scale) / scale
        except InvalidArgument:
            # With the value as it was typed: 105% and not the 105 that was read of it.
            raise InvalidArgument(self.name, value, self.range) from None

    @property
    def range(self) -> str:
        """Both ways to type it."""
        if self.positive:
            return "above 0 and at most 1, or above 0% and at most 100%"
        return "0 to 1, or 0% to 100%"


def format_by_column(values: Mapping[str, object]) -> str:
    """Return values by column as they are typed.

    >>> format_by_column({"age": 2, "zip": 1})
    'age=2, zip=1'
    """
    return ", ".join(f"{name}={value}" for name, value in values.items())


@dataclass(frozen=True)
class ForColumns(Parameter[Mapping[str, Any]]):
    """Something for each of some columns, typed as ``age=2,zip=1``.

    >>> COLUMN_LEVELS.read("age=2, zip=1")
    {'age': 2, 'zip': 1}
    >>> COLUMN_LEVELS.read("age")
    Traceback (most recent call last):
    kproof.errors.InvalidArgument: levels = age: need COLUMN=NUMBER,COLUMN=NUMBER,...
    """

    each: Parameter[Any] = Whole("number", "number")
    """What there is for a column."""

    def read(self, value: object) -> Mapping[str, Any]:
        """Return what there is by column."""
        values = value if isinstance(value, Mapping) else values_by_column(self.name, value)
        if values is None:
            raise InvalidArgument(self.name, value, "COLUMN=NUMBER,COLUMN=NUMBER,...")
        return {name: self._one(name, value) for name, value in values.items()}

    def _one(self, column: str, value: object) -> Any:
        try:
            return self.each.read(value)
        except InvalidArgument as error:
            raise InvalidArgument(self.name, f"{column}={value}", error.admissible) from None

    @property
    def range(self) -> str:
        """How it is typed."""
        return f"COLUMN={self.each.name.upper()},..."


@dataclass(frozen=True)
class Word(Parameter[str]):
    """One of a few words.

    >>> order = Word("order", "which come first", words=("rising", "falling"))
    >>> order.line
    'Which come first (rising or falling).'
    >>> order.read("random")
    Traceback (most recent call last):
    kproof.errors.InvalidArgument: order = random: need rising or falling
    """

    words: tuple[str, ...] = ()

    def read(self, value: object) -> str:
        """Return the word."""
        if value not in self.words:
            raise InvalidArgument(self.name, value, self.range)
        return str(value)

    @property
    def range(self) -> str:
        """The words."""
        *former, last = self.words
        return f"{', '.join(former)} or {last}"


@dataclass(frozen=True)
class Switch(Parameter[bool]):
    """Yes or no.

    >>> merge = Switch("merge", "whether small classes are merged", default=True)
    >>> merge.read("false"), merge.read(True)
    (False, True)
    """

    def read(self, value: object) -> bool:
        """Return True or False, typed as such or as a word."""
        # Not by its truth: "false" is true, and so are 2 and "no".
        word = str(value).lower() if isinstance(value, (bool, str)) else ""
        if word not in ("true", "false"):
            raise InvalidArgument(self.name, value, "true or false")
        return word == "true"


@dataclass(frozen=True)
class Names(Parameter[tuple[object, ...]]):
    """Names, separated by commas where they are typed.

    >>> known = Names("known", "who is known")
    >>> known.read("Ann, Bob"), known.read([3, 5])
    (('Ann', 'Bob'), (3, 5))
    """

    def read(self, value: Any) -> tuple[object, ...]:
        """Return the names."""
        if not isinstance(value, str):
            return tuple(value)
        return tuple(name for part in value.split(",") if (name := part.strip()))


@dataclass(frozen=True)
class Text(Parameter[object]):
    """What the method itself reads, such as a number or a word, or a list of numbers."""

    def read(self, value: object) -> object:
        """Return the value as it is."""
        return value


@dataclass(frozen=True)
class Value(Text):
    """A value of Python that no option can carry."""


@dataclass(frozen=True)
class ByColumn(Parameter[object]):
    """What may be asked of every sensitive column alike, or of some by name.

    >>> ell = ByColumn.of(L)
    >>> ell.read("3"), ell.read("disease=3, pay=2"), ell.read({"pay": 2})
    (3, {'disease': 3, 'pay': 2}, {'pay': 2})
    >>> ell.read("pay")
    Traceback (most recent call last):
    kproof.errors.InvalidArgument: l = pay: need a whole number l >= 1
    """

    one: Parameter[Any] = field(default_factory=lambda: Text("", ""))
    """What is asked of a column."""

    @classmethod
    def of(cls, parameter: Parameter[Any]) -> ByColumn:
        """Return a parameter that may be given by column."""
        shared = {of.name: getattr(parameter, of.name) for of in fields(Parameter)}
        return cls(**shared | {"required": False}, one=parameter)

    def read(self, value: Any) -> object:
        """Return the value, or values by column."""
        values = value if isinstance(value, Mapping) else values_by_column(self.name, value)
        if values is None:
            return self.one.read(value)
        return {column: self.one.read(value) for column, value in values.items()}

    @property
    def range(self) -> str:
        """What a value may be."""
        return self.one.range


def values_by_column(name: str, value: object) -> dict[str, str] | None:
    """Read ``NAME=VALUE,NAME=VALUE``; None if it is one value for all.

    >>> values_by_column("l", "disease=3,pay=2"), values_by_column("l", "3")
    ({'disease': '3', 'pay': '2'}, None)
    """
    if not isinstance(value, str) or "=" not in value:
        return None
    by_column: dict[str, str] = {}
    for part in value.split(","):
        # At the last sign: a column may have one in its name.
        column, _, entry = (word.strip() for word in part.rpartition("="))
        if not column or not entry:
            raise InvalidArgument(name, value, "one value, or COLUMN=VALUE,COLUMN=VALUE")
        # Which of two values holds would depend on who reads: neither is taken.
        if column in by_column:
            raise InvalidArgument(name, value, f"{show(column)} once")
        by_column[column] = entry
    return by_column


@dataclass(frozen=True)
class Hierarchy(Parameter["Taxonomy"]):
    """A taxonomy, or the file it is in."""

    def read(self, value: Any) -> Taxonomy:
        """Return the taxonomy."""
        from kproof.models.base.taxonomy import Taxonomy

        return value if isinstance(value, Taxonomy) else Taxonomy.from_csv(value)


def _between(
    above: int | None, least: Fraction | int | None, below: int | None, most: int | None
) -> str:
    low = f"above {above}" if above is not None else "" if least is None else f"at least {least}"
    high = f"below {below}" if below is not None else "" if most is None else f"at most {most:,}"
    if least is not None and most is not None:
        return f"{least} to {most:,}"
    return ", ".join(part for part in (low, high) if part)


K = Whole("k", "fewest people in a class", required=True, example="5", least=1)
"""The k of k-anonymity as models judge it; what forms groups asks for :data:`GROUP_K`."""

GROUP_K = K.but(least=2)
L = Whole("l", "fewest distinct sensitive values in a class", example="2", least=1)
ENTROPY_L = Exact(
    "l",
    "least number of values in a class, as its entropy counts them",
    typed="entropy_l",
    example="2",
    least=1,
)
P = Whole("p", "fewest distinct sensitive values in a class", example="2", least=1)
T = Exact("t", "largest distance of a class from the table", example="1/5", least=0, most=1)
MU = Exact("mu", "share of the variance of a fully diverse class", example="1/2", least=0)
"""The factor of theta = mu (k^2 - 1) / 12; what forms classes asks :data:`REACHABLE_MU`."""

REACHABLE_MU = MU.but(above=0, least=None, most=1)
WITHHOLD = Exact(
    "withhold",
    "chance with which a class that reaches theta is withheld",
    default="1/5",
    above=0,
    below=1,
)

ALPHA = Exact("alpha", "least weight of a class", example="1", least=0)
SHARE = Exact(
    "alpha", "largest share of a value in a class", typed="share", example="1/2", above=0, most=1
)
C = Exact(
    "c",
    "strict upper bound of the ratio of the commonest value to the tail",
    example="3/2",
    above=0,
)
BETA = Exact("beta", "largest gain of a value in a class", example="1", above=0)
DELTA = Exact(
    "delta",
    "strict upper bound of the absolute logarithm of a ratio of shares",
    example="1",
    above=0,
)
EPSILON = Exact("epsilon", "exponent of the likelihood ratio", example="1", least=0)
TAU = Exact("tau", "least probability that counts as disclosure", default="1", above=0, most=1)
THRESHOLD = Exact(
    "threshold",
    "chance of being found above which people are counted",
    default="0.2",
    least=0,
    most=1,
)
SAMPLE = Share(
    "sample",
    "share of the population that is in the table",
    purpose=", from which the risk among the population is estimated",
    positive=True,
)
SUPPRESS = Share("suppress", "largest share of rows that may be left out", default="0")
SUPPRESSED = Word(
    "suppressed",
    "what becomes of rows left out: drop, or mark with * in every quasi-identifier",
    default="drop",
    words=("drop", "mark"),
)
COLUMN_LEVELS = ForColumns(
    "levels",
    "levels of columns that are fixed; 0 is the value itself",
    each=Whole("level", "level", least=0),
)
COLUMN_WEIGHT = ForColumns(
    "weight",
    "how much the loss of a column counts; 1 if it is not named",
    each=Exact("weight", "weight", above=0),
)
SEED = Whole("seed", "seed of all random choices", default=0, least=0)
READING = Word(
    "reading",
    "how the source is read; printed keeps its defects",
    default="corrected",
    words=("printed", "corrected"),
)
