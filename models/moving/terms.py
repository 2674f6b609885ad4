"""What is asked of a cloaked log, and what it was made with: parameters, and its first line.

This module imports nothing heavy: the help texts are made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

from kproof.errors import DataError, InvalidArgument, show
from kproof.models.base.parameters import GROUP_K, Exact, Parameter, Whole

FIRST = "# kproof cloaked log 1"
"""What the first line of a file begins with."""

K = GROUP_K.but(help="fewest people who share a record", example="10")
SESSION = Whole("session", "most slots of a record", default=4, least=1)
WIDEST = Exact("widest", "longest side of a cell that is shown", default=1500, above=0, unit="m")
DEADLINE = Whole("deadline", "most slots that somebody waits for a group", default=2, least=0)
ELSEWHERE = Whole(
    "elsewhere", "fewest entries that one cell leaves in any other slot", default=1, least=1
)
AGE = Whole("age", "most slots that a position is used after its own", default=1, least=0)
LEAST_NODES = Whole("least_nodes", "fewest crossings of a cell", default=4, least=1)
LEAST_STREET = Exact(
    "least_street", "least length of the streets of a cell", default=200, least=0, unit="metres"
)
GRID = Exact(
    "grid", "longest side of the smallest squares", unit="metres", least=1, most=100_000
)  # fmt: skip
SNAP = Exact(
    "snap", "longest way of a position to its crossing", default=500, least=0, unit="metres"
)
FAR = Exact(
    "far",
    "how many times the median distance from the median position is too far, 0 if nothing is",
    default=50,
    least=0,
)

_UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86_400}


@dataclass(frozen=True)
class Period(Parameter[int]):
    """A length of time in whole seconds, typed with a unit.

    >>> PERIOD.read("15min"), PERIOD.read(900), PERIOD.read("2h")
    (900, 900, 7200)
    >>> PERIOD.read("soon")
    Traceback (most recent call last):
    kproof.errors.InvalidArgument: period = soon: need seconds, or a number with s, min, h or d
    """

    def read(self, value: object) -> int:
        """Return the seconds that were typed, at least one."""
        text = str(value).strip()
        digits = text.rstrip("abcdefghijklmnopqrstuvwxyz")
        scale = _UNITS.get(text[len(digits) :].strip() or "s")
        count = digits.strip()
        if scale is None or not (count.isascii() and count.isdigit()) or not 0 < int(count) < 10**9:
            raise InvalidArgument(self.name, value, self.range)
        return int(count) * scale

    @property
    def range(self) -> str:
        """How it is typed."""
        return "seconds, or a number with s, min, h or d"


PERIOD = Period("period", "length of a slot of the clock", default="15min", example="15min")


@dataclass(frozen=True)
class LogTerms:
    """What a cloaked log was made with; its first line says it."""

    period: int
    """Seconds of a slot."""
    age: int = 0
    """Most slots that a position is used after its own."""
    snap: Fraction | None = None
    """Metres from a crossing beyond which a position does not count; None if all count."""
    k: int | None = None
    """Fewest people who share a record; None if nothing is promised."""
    session: int | None = None
    """Most slots of a record."""
    widest: Fraction | None = None
    """Longest side in metres of a cell that is shown."""
    deadline: int | None = None
    """Most slots that somebody waits."""
    elsewhere: int | None = None
    """Fewest different entries that a cell leaves in any other slot; None if it may be one."""
    cells: str | None = None
    """SHA-256 of the file of cells; None if it does not say which they are."""
    far: Fraction | None = None
    """Median distances from the median position that set a position apart; 0 if none does."""

    @property
    def line(self) -> str:
        """The first line of a file."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        return "; ".join([FIRST, *(f"{key}={value}" for key, value in values if value is not None)])

    @classmethod
    def of(cls, line: str, place: str) -> LogTerms:
        """Read the first line of a file."""
        pairs = [part.strip().partition("=") for part in line.removeprefix(FIRST).split(";")[1:]]
        typed = {key: value for key, _, value in pairs}
        # Of a term that stands there twice, another reader may take the other value.
        if len(typed) < len(pairs):
            names = [key for key, _, _ in pairs]
            twice = next(key for key in names if names.count(key) > 1)
            raise DataError(f"{place}, line 1: {show(twice)} stands there twice; need it once")
        # A term of a later version may be a promise that this one would not judge.
        unknown = typed.keys() - _READERS.keys() - {"cells"}
        if unknown or "period" not in typed:
            fault = show(min(unknown)) if unknown else "no period"
            raise DataError(f"{place}, line 1: {fault} among its terms; need a file of kproof")
        try:
            read: dict[str, Any] = {
                key: value if key == "cells" else _READERS[key].read(value)
                for key, value in typed.items()
            }
        except InvalidArgument as error:
            raise DataError(f"{place}, line 1: {error}") from None
        return cls(**read)

    def but(self, **typed: object) -> LogTerms:
        """Return the terms with what was said beside the file, where it says nothing of it.

        Raises:
            InvalidArgument: If it says otherwise.
        """
        changed = {}
        for key, value in typed.items():
            if value is None:
                continue
            read, own = _READERS[key].read(value), getattr(self, key)
            # Whether records have a larger k may be asked; where people were may not be changed.
            if key == "k" and self.k is not None and read < self.k:
                raise InvalidArgument(key, value, f"{self.k} or more, as the file says")
            if key != "k" and self.cells is not None and own not in (None, read):
                raise InvalidArgument(key, value, f"{own}, as the file says, or nothing")
            changed[key] = read
        return replace(self, **changed)


_READERS: Mapping[str, Parameter[Any]] = {
    term.name: term for term in (PERIOD, AGE, SNAP, FAR, K, SESSION, WIDEST, DEADLINE, ELSEWHERE)
}
