"""What the options of commands share: types, groups of them, grids of numbers, who works."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from fractions import Fraction
from io import StringIO
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeAlias,
    TypeVar,
    dataclass_transform,
    get_type_hints,
)

from cyclopts import Group, Parameter

from kproof.errors import InvalidArgument

if TYPE_CHECKING:
    from kproof.cluster import Cluster
    from kproof.theory.exact.typed import Number

JSON: TypeAlias = Annotated[
    bool, Parameter(negative=(), help="Print one JSON document instead of text.")
]
"""The switch ``--json``, which has no ``--no-json``."""

SWITCH: TypeAlias = Annotated[bool, Parameter(negative=())]
"""A switch that has no ``--no-`` form."""

HEADER: TypeAlias = Annotated[
    Literal["detect", "yes", "no"],
    Parameter(help="Whether the first row of the file names the columns."),
]
"""The option ``--header``."""

MISSING: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        negative=(),
        show_default=False,
        help="A cell that stands for a value that is not recorded; may be repeated. "
        "If not given: ? and the empty cell.",
    ),
]
"""The option ``--missing``; an empty tuple stands for the usual cells."""


REPEATED: TypeAlias = Annotated[tuple[str, ...], Parameter(negative=(), show_default=False)]
"""An option that may be repeated, each time with one value, which may have commas in it."""

SEPARATED = "separated by commas"
"""What marks an option whose values are names, joined by :func:`join`."""

NAMES: TypeAlias = Annotated[REPEATED, SEPARATED]
"""An option that may be repeated, each time with names separated by commas."""


@dataclass(frozen=True, kw_only=True)
class OptionGroup:
    """Options that stand together: each field is one, and its docstring the help."""

    def keywords(self) -> dict[str, Any]:
        """Return the fields that are not None, as keywords."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}

    def words(self, group: type[OptionGroup] | None = None) -> list[str]:
        """Return the words that say the options again, of all or a group, on a command line."""
        hints = get_type_hints(type(self), include_extras=True)
        words: list[str] = []
        for field in fields(group or self):
            value = getattr(self, field.name)
            if value == field.default or value in ("", ()):
                continue
            about = getattr(hints[field.name], "__metadata__", ())
            names = (name for note in about if note is not SEPARATED for name in note.name or ())
            option = next(names, f"--{field.name.replace('_', '-')}")
            if SEPARATED in about:
                value = join(split(value))
            for text in value if isinstance(value, tuple) else (value,):
                if field.name == "missing":  # a cell may begin with a hyphen
                    words.append(f"{option}={text}")
                else:
                    words += [option] if text is True else [option, text]
        return words


_Group = TypeVar("_Group", bound=OptionGroup)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def option_group(group: Group | None = None) -> Callable[[type[_Group]], type[_Group]]:
    """Return what makes a class below :class:`OptionGroup` a group of options under a heading."""

    def declare(of: type[_Group]) -> type[_Group]:
        options = dataclass(frozen=True, kw_only=True)(of)
        # cyclopts looks up names in the module of a class, which lacks those that fields of a class
        # above it, in another module, are annotated with.
        vars(options)["__init__"].__annotations__ = get_type_hints(options, include_extras=True)
        # An option without a heading is not one under the heading None.
        everywhere = Parameter(name="*") if group is None else Parameter(name="*", group=group)
        return everywhere(options)

    return declare


def split(options: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names in options that hold several, separated by commas.

    A name that has a comma in it is quoted, as in a CSV file.

    >>> split(("age, sex", "zip", 'x, "last, first"'))
    ('age', 'sex', 'zip', 'x', 'last, first')
    """
    names: list[str] = []
    for option in options:
        # The reader of CSV files is for quotes alone: it refuses line ends that names may have.
        quoted = '"' in option
        names += next(csv.reader([option], skipinitialspace=True)) if quoted else option.split(",")
    return tuple(name.strip() for name in names if name.strip())


def join(names: Iterable[str]) -> str:
    """Return names as one value of an option, as :func:`split` reads it.

    >>> join(["age", "last, first"])
    'age,"last, first"'
    """
    text = StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return text.getvalue()


MOST_POINTS = 100_000
"""Longest grid a command computes."""


@dataclass(frozen=True, slots=True)
class OptionValues:
    """The values an option stands for."""

    values: tuple[Fraction, ...]
    """In the order typed, exact."""
    typed: tuple[Number, ...]
    """The same as typed, for messages."""
    single: bool
    """Whether one value was typed, rather than a list or a range."""


def grid(name: str, text: str) -> OptionValues:
    """Read ``0.1``, ``0.1,0.5,1`` or ``start:stop:count`` (both ends included).

    >>> grid("epsilon", "0.1:0.4:4").values
    (Fraction(1, 10), Fraction(1, 5), Fraction(3, 10), Fraction(2, 5))
    >>> grid("epsilon", "0.1:0.4")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: epsilon = 0.1:0.4: need a number, a,b,c or start:stop:count
    """
    from kproof.theory.exact.typed import integer, rational

    if ":" in text:
        parts = text.split(":")
        if len(parts) != 3:
            raise InvalidArgument(name, text, "a number, a,b,c or start:stop:count")
        start, stop = rational(f"{name} start", parts[0]), rational(f"{name} stop", parts[1])
        count = integer(f"{name} count", parts[2], least=2, most=MOST_POINTS)
        if start >= stop:
            raise InvalidArgument(name, text, "start < stop")
        step = (stop - start) / (count - 1)
        # Exact, so that the last value is the end that was typed and not a float beside it.
        values = tuple(start + step * i for i in range(count))
        return OptionValues(values, values, single=False)
    parts = text.split(",")
    if len(parts) > MOST_POINTS:
        raise InvalidArgument(name, text, f"at most {MOST_POINTS} values")
    values = tuple(rational(name, part) for part in parts)
    return OptionValues(values, tuple(parts), single=len(parts) == 1)


_WORK = Group("Who works", sort_key=6)


@option_group(_WORK)
class Scheduler(OptionGroup):
    """A scheduler of Dask."""

    scheduler: str | None = None
    """Address of a scheduler of Dask or Spark whose processes do the work, such as
    tcp://10.0.0.1:8786 or spark://host:7077. They see the same files by the same names."""

    @contextmanager
    def cluster(self, jobs: str | None = None) -> Iterator[Cluster | None]:
        """Give the processes that were asked for; None if none were.

        Jobs are processes of this machine, in place of a scheduler.
        """
        if self.scheduler is None and jobs is None:
            yield None
            return
        from kproof.cluster import connect
        from kproof.theory.exact.typed import integer

        if self.scheduler is not None and jobs is not None:
            raise InvalidArgument("jobs", jobs, "none beside --scheduler")
        workers = 1 if jobs is None else integer("jobs", jobs, least=1)
        with connect(self.scheduler, workers=workers) as cluster:
            yield cluster
