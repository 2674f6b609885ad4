"""Dictionary encoding: the distinct values of a column become a sorted, checked domain.

Frames and files find the distinct values their own way; what a column of them may be, in which
order they stand and what is said when they do not go together is decided here, once.
"""

import math
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np

from kproof.errors import DataError, show
from kproof.models.base.arrays import Integers
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, text

# So many digits at most: Python refuses to read thousands, and Fraction writes exponents out.
_INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d{0,400})")
_DECIMAL = re.compile(
    r"[+-]?(?:(?:0|[1-9]\d{0,400})(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,3})?"
)
_LARGEST_WHOLE = 2**53


def encode(
    name: str, codes: Integers, uniques: Sequence[object], *, numeric: bool | None = None
) -> Column:
    """Sort the distinct values of a column and number its rows accordingly.

    ``codes``, shape (rows,), is the index of each row's value in ``uniques``, -1 where it is
    missing. True as ``numeric`` reads text as numbers, False makes numbers codes without an order
    that matters; None takes numbers as numbers and text as text.

    >>> column = encode("age", np.array([1, 0, -1]), [40, 34])
    >>> column.values, column.codes.tolist()
    ((34, 40, ?), [0, 1, 2])
    """
    if not len(codes):
        raise DataError("the table has no rows")
    if not len(uniques):
        raise DataError(f"column {show(name)} has no values: all are missing")
    kind = one_kind(name, uniques)
    values: Sequence[object] = uniques
    if kind == "text" and numeric:
        values = [_read(name, str(value)) for value in uniques]
        kind = "a number"
    elif kind == "a number":
        values = _finite(name, uniques, partial=bool(codes.min(initial=0) < 0))
    # Texts that are one number, such as 1 and 1.0, are one value from here on.
    distinct: list[Any] = list(dict.fromkeys(values))
    distinct.sort()
    place = {value: position for position, value in enumerate(distinct)}
    # The last entry is where -1 points to.
    ranks = np.array([*map(place.__getitem__, values), len(distinct)], dtype=np.int32)
    ranked = ranks[codes]
    domain = (*distinct, MISSING) if codes.min(initial=0) < 0 else tuple(distinct)
    return Column(name, ranked, domain, numeric=kind == "a number" and numeric is not False)


def one_kind(name: str, values: Iterable[object]) -> str:
    """Return the kind of all values."""
    by_kind: dict[str, object] = {}
    all_values = list(values)
    # Texts are by far the commonest, and the slowest to be told from numbers one by one.
    for value in all_values[:1] if set(map(type, all_values)) == {str} else all_values:
        if (kind := _kind(value)) is None:
            raise DataError(
                f"column {show(name)} has {show(value)} of type {type(value).__name__}; "
                "need numbers, text, truth values or dates"
            )
        by_kind.setdefault(kind, value)
    if len(by_kind) > 1:
        # By the names of the kinds: the message is the same in whatever order rows stand.
        (first, first_value), (second, second_value), *_ = sorted(by_kind.items())
        raise DataError(
            f"column {show(name)} mixes {first} and {second}: {show(text(first_value))} and "
            f"{show(text(second_value))}; need one kind"
        )
    return next(iter(by_kind))


def is_number(cell: str) -> bool:
    """Say whether a cell of a file is a number, and not a code such as ``007``.

    >>> is_number("-1.50"), is_number("007"), is_number("1e5"), is_number("")
    (True, False, True, False)
    """
    return _DECIMAL.fullmatch(cell) is not None


def _kind(value: object) -> str | None:
    # In this order: a truth value is a number, and a datetime a date.
    if isinstance(value, (bool, np.bool_)):
        return "a truth value"
    if isinstance(value, (Real, Decimal)):
        return "a number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, datetime):
        return "a time"
    return "a date" if isinstance(value, date) else None


def _finite(name: str, values: Sequence[Any], *, partial: bool) -> list[object]:
    """Return numbers as plain Python ones.

    A frame that has no missing integers stores a column of integers with gaps as floats; read as
    what they were, they keep their look in labels.
    """
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    for value in plain:
        if not math.isfinite(value):
            raise DataError(f"column {show(name)} has {value}; need finite numbers")
    # Beside a gap, frames make floats of whole numbers.
    integral = all(
        isinstance(value, float) and value.is_integer() and abs(value) <= _LARGEST_WHOLE
        for value in plain
    )
    return [int(value) for value in plain] if partial and integral else plain


def _read(name: str, cell: str) -> object:
    """Return the number a text shows: an int, a float that equals it, or a Fraction."""
    if _INTEGER.fullmatch(cell) or (cell.isascii() and cell.isdigit()):
        return int(cell)
    if not is_number(cell):
        raise DataError(f"column {show(name)} has {show(cell)}; need numbers")
    exact, near = Fraction(cell), float(cell)
    # A float only if it shows what was typed: 0.1 does for 0.1, and for nothing else.
    return near if math.isfinite(near) and Fraction(repr(near)) == exact else exact
