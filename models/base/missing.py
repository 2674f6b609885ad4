"""Missing values: the one value that stands for them, how it is shown, and what it is taken for.

A cell without a value is not evidence of diversity: nobody knows what it stands for. Unless a
caller says otherwise, whatever is judged has to hold for every completion: every way to fill in
the missing values of a column with values that occur in it.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Any


class Missing:
    """The one value that stands for "not there"; it equals only itself and sorts last."""

    _instance: Missing | None = None

    def __new__(cls) -> Missing:
        """Return the only instance."""
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        """Return what a table shows for it."""
        return "?"

    def __reduce__(self) -> str:
        """Stay the only instance through copies and processes."""
        # By name: pickle and copy look the global up, so that `is MISSING` holds in every process.
        return "MISSING"


MISSING = Missing()
"""The value of a cell in which nothing was recorded."""


def is_missing(value: Any) -> bool:
    """Say whether a value stands for "not there": None, NaN, NaT, pandas' NA.

    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    try:
        # NaN and NaT alone differ from themselves. Asking for their types would import pandas, and
        # miss what NumPy and Decimal call so.
        return value is None or bool(value != value)
    except TypeError:
        # NA is neither like itself nor unlike.
        return True


def text(value: object) -> str:
    """Return what a table shows for a value.

    >>> text(34), text(0.5), text("a b"), text(MISSING), text(date(2020, 4, 26))
    ('34', '0.5', 'a b', '?', '2020-04-26')
    """
    # Not isinstance: a text of NumPy or of an enumeration becomes a plain one below.
    if type(value) is str:
        return value
    # A datetime by str has a space where ISO 8601 has a T.
    return value.isoformat() if isinstance(value, date) else str(value)


def missing_values(count: int) -> str:
    """Return how many sensitive values are missing, as the beginning of a sentence.

    >>> missing_values(1), missing_values(3)
    ('1 sensitive value is missing', '3 sensitive values are missing')
    """
    return "1 sensitive value is missing" if count == 1 else f"{count} sensitive values are missing"


class MissingAs(StrEnum):
    """What models and attacks take a missing sensitive value for."""

    WORST_CASE = "worst-case"
    """Any value that the column has: what is judged holds for every way to fill them in."""
    VALUE = "value"
    """A value of its own, as if a reader learned something by it."""
    EXCLUDE = "exclude"
    """Nothing: the row counts as a person, its sensitive value is not judged."""

    @property
    def sentence(self) -> str:
        """What a verdict says of missing values under this policy."""
        return {
            MissingAs.WORST_CASE: "taken as the worst case",
            MissingAs.VALUE: "counted as a value of its own",
            MissingAs.EXCLUDE: "excluded",
        }[self]
