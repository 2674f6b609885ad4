"""Cells of tables: what they stand for, and when two of them are the same."""

import math
import re
from collections.abc import Hashable
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Real
from typing import Any

from kproof.models.base.missing import MISSING

# Few digits, above all in exponents: Fraction would write 1e999999999 out.
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,300}\.?[0-9]{0,300}|\.[0-9]{1,300})(?:[eE][+-]?[0-9]{1,3})?")
_RATIO = re.compile(r"[+-]?[0-9]{1,300}/[0-9]{1,300}")
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T].*)?")
_CLOCK = re.compile(r"[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?")


def is_missing(value: object) -> bool:
    """Say whether a value stands for nothing: None, NaN, NaT or what a library has for them."""
    if value is None or value is MISSING or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, Real) and math.isnan(value)


def canonical(value: object) -> Hashable:
    """Return a value so that equal ones are equal: numbers exact, dates as times, text as text.

    >>> [canonical(value) == canonical(1) for value in (1.0, "1", True)]
    [True, False, False]
    """
    if is_missing(value):
        return MISSING
    if isinstance(value, str):
        return str(value)
    # Two equal sets may print their members in two orders: as texts they would be two classes.
    if isinstance(value, frozenset):
        return frozenset(map(canonical, value))
    # Labels of the calendar name noon whatever its zone, so that a point has none; but a reader who
    # sees the offsets tells noon in London from noon in Berlin.
    if isinstance(value, datetime) and value.tzinfo is not None:
        return "date", value.replace(tzinfo=None), value.utcoffset()
    exact = _number(value)
    if exact is not None:
        return exact
    return point(value) if isinstance(value, date) else str(value)


def same(first: object, second: object) -> bool:
    """Say whether two values are the same but for the type: ``34``, ``34.0`` and ``"34"`` are.

    An empty text and a missing value are, since a file has one way to write both.
    """
    return loose(first) == loose(second)


def loose(value: object) -> Hashable:
    """Return a value so that those that are the same but for the type are equal."""
    if is_missing(value) or value == "":
        return MISSING
    placed = point(value)
    return str(value) if placed is None else placed


def bare(part: str) -> str:
    """Return a text without the blanks around it, and without the quotes around the others."""
    text = part.strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if quoted else text


def point(value: object) -> tuple[str, Any] | None:
    """Return a place on a line for numbers, dates and times, with the line's name, or None."""
    if isinstance(value, str):
        return _point_of_text(value.strip())
    exact = _number(value)
    if exact is not None:
        return "number", exact
    # A datetime is a date as well, and would lose its time there.
    if isinstance(value, datetime):
        return "date", value.replace(tzinfo=None)
    if isinstance(value, date):
        return "date", datetime(value.year, value.month, value.day)
    return None


# A run asks for the same few texts hundreds of thousands of times.
@lru_cache(maxsize=1 << 16)
def _point_of_text(text: str) -> tuple[str, Any] | None:
    exact = _number_of_text(text)
    if exact is not None:
        return "number", exact
    try:
        if _ISO.fullmatch(text):
            return "date", datetime.fromisoformat(text).replace(tzinfo=None)
        if text == "24:00":
            # The end of a day, which no time of day reaches.
            return "time", time.max
        if _CLOCK.fullmatch(text):
            # 9:30 is no ISO time, and 09:30 is.
            hour, _, tail = text.partition(":")
            return "time", time.fromisoformat(f"{hour:0>2}:{tail}")
    except ValueError:
        pass
    return None


@lru_cache(maxsize=1 << 16)
def _number_of_text(text: str) -> Fraction | None:
    if _NUMBER.fullmatch(text):
        return Fraction(text)
    if _RATIO.fullmatch(text) and int(text.partition("/")[2]):
        return Fraction(text)
    return None


def _number(value: object) -> Fraction | None:
    """Return a number, or the one that a text shows, exactly."""
    if isinstance(value, str):
        return _number_of_text(value.strip())
    # By name as well: NumPy's truth values are no bool.
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return None
    if isinstance(value, Fraction):
        return value
    if isinstance(value, Decimal):
        return Fraction(value) if value.is_finite() else None
    if isinstance(value, Real) and math.isfinite(value):
        # The shortest decimal is what the number shows; a float's binary expansion is not.
        return Fraction(str(value))
    return None
