"""Random answers as columns of numbers, whatever a mechanism returns.

An answer is taken apart into its parts: an array, a tuple or a mapping into its entries, a text
into its lines and numbers. A part that is a number is a number of its column, with a second one
where a float would lose digits; anything else is a label, and labels are numbered by a hash of what
they say, so that a column is read alike in every run. What cannot be read is refused: an event in
it would be overlooked.
"""

import math
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np

from kproof.errors import InvalidArgument
from kproof.models.base.arrays import Floats

Columns: TypeAlias = dict[str, Floats]
"""What can be read of each answer, by a phrase; NaN where it says nothing."""
_DIFFERENCES = 64
"""Columns up to which differences of neighbouring ones are read."""
_COARSE = 20
"""Binary digits of a number that may have been rounded on purpose."""
_WHOLE, _LOW = 1 << 53, (1 << 48) - 1
"""Whole numbers from here on have floats in common; the bits of them that are read besides."""
_NUMBERS = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_READ = "a number, a text, a date or None, or an array, tuple, list, set or mapping of such"
_LINES = 64
"""Different lines of texts that are looked for one by one."""


def matrix_of(answers: Any, width: int | None = None) -> Floats:
    """Return answers as a matrix, NaN for what is missing, and their numbers of parts at its end.

    With a width answers have so many parts, whatever they have.

    >>> matrix_of(np.array([3.0, 4.0])).tolist()
    [[3.0, 1.0], [4.0, 1.0]]
    >>> matrix_of([(True, 2), (False,)]).tolist()
    [[1.0, 2.0, 2.0], [0.0, nan, 1.0]]
    """
    if isinstance(answers, np.ndarray) and answers.dtype.kind in "fiub":
        parts = _parts_of_array(answers.reshape(len(answers), -1))
        lengths = np.full(len(answers), float(parts.shape[1]))
    else:
        try:
            rows = [[*_parts(answer)] for answer in answers]
        except RecursionError:
            raise InvalidArgument("mechanism", "an answer in itself", _READ) from None
        lengths = np.array([len(row) for row in rows], dtype=np.float64)
        parts = np.full((len(rows), int(lengths.max(initial=0))), np.nan)
        for place, row in enumerate(rows):
            parts[place, : len(row)] = row
    # Answers that judge are read with the width of those that an event was learned on: what they
    # have more of shows in the number of parts.
    wide = parts.shape[1] if width is None else width
    matrix = np.full((len(parts), wide + 1), np.nan)
    matrix[:, : min(wide, parts.shape[1])] = parts[:, :wide]
    matrix[:, wide] = lengths
    return matrix


def name_columns(matrix: Floats) -> Columns:
    """Return the columns of a matrix of parts by their names."""
    width = matrix.shape[1] - 1
    names = [f"part {place}" for place in range(width)] if width > 1 else ["the answer"][:width]
    return dict(zip(names, matrix.T, strict=False))


def plain_columns(matrix: Floats) -> Columns:
    """Return what is read of each answer: its parts, what they make together, and all of it."""
    columns = name_columns(matrix)
    columns["the number of parts"] = matrix[:, -1]
    if len(columns) > 2:
        parts = matrix[:, :-1]
        missing = np.isnan(parts)
        columns["the sum of its parts"] = np.where(missing, 0.0, parts).sum(axis=1)
        largest = np.where(missing, -np.inf, parts)
        columns["its largest part"] = largest.max(axis=1)
        columns["the place of its largest part"] = largest.argmax(axis=1).astype(np.float64)
        columns["its least part"] = np.where(missing, np.inf, parts).min(axis=1)
        columns["all of it"] = _hash_rows(matrix)
    return columns


def differences(matrix: Floats) -> Floats:
    """Return the first part of each answer, and by how much each other differs from the last."""
    return np.diff(matrix[:, : min(_DIFFERENCES, matrix.shape[1] - 1)], axis=1, prepend=0.0)


def low_columns(matrix: Floats) -> Columns:
    """Return what floats show beside their size: how fine they are, and the sign of a zero.

    A number that was rounded after something was added to it is a multiple of a power of two that
    what was added alone need not be a multiple of (Mironov, CCS 2012).
    """
    columns = {
        f"the lowest bit of {name}": _lowest_bit(column)
        for name, column in name_columns(matrix).items()
    }
    if len(columns) > 1:
        columns["the lowest bit of any part"] = np.min([*columns.values()], axis=0)
    return columns


def _lowest_bit(column: Floats) -> Floats:
    """Return the exponent of the last bit that is set; of zeros, which sign they have.

    All numbers of few digits are alike: how large they are is read elsewhere.
    """
    finite = np.isfinite(column)
    fraction, exponent = np.frexp(np.where(finite, column, 0.0))
    # The fraction of a float has 53 bits, so that this is a whole number and nothing is rounded.
    whole = np.abs(fraction * 2.0**53).astype(np.int64)
    zeros = np.log2(np.maximum(whole & -whole, 1).astype(np.float64))
    coarse = np.where(np.signbit(column) & (column == 0), 3000.0, 2000.0)
    fine = finite & (whole != 0) & (zeros < 53 - _COARSE)
    lowest: Floats = np.where(fine, zeros + exponent - 53, coarse)
    return lowest


def _hash_rows(matrix: Floats) -> Floats:
    """Return a number for each row, the same for equal rows; equal ones of others cost power."""
    # Adding 0.0 turns -0.0 into 0.0: they are equal, and their bits are not.
    bits = np.ascontiguousarray(matrix + 0.0).view(np.uint64)
    weights = np.random.default_rng(0).integers(1 << 63, size=bits.shape[1], dtype=np.uint64)
    # By odd numbers, so that a product loses no bit.
    mixed = (bits ^ (bits >> np.uint64(29))) * (weights * np.uint64(2) + np.uint64(1))
    # To 53 bits, which a float holds.
    sums = mixed.sum(axis=1, dtype=np.uint64) >> np.uint64(11)
    return np.asarray(sums, dtype=np.float64)


def _parts_of_array(array: Any) -> Floats:
    """Return an array of numbers as floats, with a second column of each whose floats lose digits.

    Numbers of people and times in nanoseconds are beyond what floats tell apart.
    """
    parts = array.astype(np.float64)
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        # Negative numbers wrap around, and keep the low bits that tell them from their neighbours.
        beyond = array.astype(np.uint64) & np.uint64(_LOW)
        if (np.abs(parts) >= _WHOLE).any():
            parts = np.hstack([parts, beyond.astype(np.float64)])
    elif array.dtype.kind == "f" and array.dtype.itemsize > 8:
        lost = (array - parts.astype(array.dtype)).astype(np.float64)
        parts = np.hstack([parts, lost])
    return np.asarray(parts, dtype=np.float64)


def _parts(answer: Any) -> Iterator[float]:
    if isinstance(answer, np.generic):
        answer = _plain(answer)
    # Before numbers and texts, of which members of an IntEnum or StrEnum are some.
    if isinstance(answer, Enum):
        answer = f"{type(answer).__name__}.{answer.name}"
    if isinstance(answer, (int, float, Decimal, Fraction)):
        yield from _digits(answer)
    elif isinstance(answer, complex):
        yield from (answer.real, answer.imag)
    elif isinstance(answer, str):
        yield from _text_parts(answer)
    elif isinstance(answer, Mapping):
        # Their order says something, too.
        yield _number("\n".join(map(repr, answer)))
        for key in sorted(answer, key=repr):
            yield _number(repr(key))
            yield from _parts(answer[key])
    elif isinstance(answer, (set, frozenset)):
        # Equal sets come in any order, and their members may be of kinds that do not compare.
        for part in sorted(answer, key=repr):
            yield from _parts(part)
    elif isinstance(answer, (tuple, list, np.ndarray)):
        for part in answer:
            yield from _parts(part)
    elif isinstance(answer, (datetime, date, timedelta)):
        yield from _time_parts(answer)
    elif answer is None or isinstance(answer, (bytes, time)):
        yield _number(repr(answer))
    else:
        raise InvalidArgument("mechanism", f"an answer of type {type(answer).__name__}", _READ)


def _plain(scalar: np.generic) -> Any:
    """Return a scalar of NumPy as Python has it; a long double in two parts."""
    value = scalar.item()
    if not isinstance(value, np.generic):
        return value
    short = float(scalar)
    return short, float(scalar - type(scalar)(short))  # type: ignore[operator]


def _digits(number: Any) -> Iterator[float]:
    """Yield a number, and what a float of it loses."""
    try:
        short = float(number)
    except OverflowError:
        short = math.inf if number > 0 else -math.inf
    yield short
    if isinstance(number, int) and abs(number) >= _WHOLE:
        yield float(number & _LOW)
    elif isinstance(number, (Decimal, Fraction)) and math.isfinite(short):
        yield float(Fraction(number) - Fraction(short))


def _time_parts(value: Any) -> Iterator[float]:
    if isinstance(value, timedelta):
        yield from _digits(value // timedelta(microseconds=1))
    # A datetime is a date as well, so that it has to be asked for first.
    elif isinstance(value, datetime):
        yield from _digits((value.replace(tzinfo=None) - datetime.min) // timedelta(microseconds=1))
        yield _number(str(value.tzinfo))
    else:
        yield float(value.toordinal())


def _text_parts(text: str) -> Iterator[float]:
    """Yield what a text says: which it is, its lines in any order, and its numbers, if few."""
    # In an order of their own: a shuffle would leave nothing that is seen twice.
    yield _number("\n".join(sorted(text.split("\n"))))
    if "\n" in text:
        yield float(text.count("\n") + 1)
        yield _number(text)
        return
    numbers = _NUMBERS.findall(text)
    if 0 < len(numbers) <= _DIFFERENCES:
        yield _number(_NUMBERS.sub("#", text))
        for number in numbers:
            yield float(number)


def lines_of(answers: Any) -> dict[str, int]:
    """Return how many answers have each line of a text, of the commonest lines."""
    counts: dict[str, int] = {}
    for answer in answers:
        for line in _lines(answer):
            counts[line] = counts.get(line, 0) + 1
    # Ties by the line itself, so that the same answers are read alike in every run.
    few = sorted(counts, key=lambda line: (-counts[line], line))[:_LINES]
    return {line: counts[line] for line in few}


def line_columns(answers: Any, lines: Mapping[str, int]) -> Columns:
    """Return for each line whether an answer has it."""
    if not lines:
        return {}
    sets = [_lines(answer) for answer in answers]
    return {
        f"whether {line!r} is there": np.array([line in there for there in sets], dtype=np.float64)
        for line in lines
    }


def _lines(answer: Any) -> set[str]:
    texts = (answer,) if isinstance(answer, str) else answer
    if not isinstance(texts, (tuple, list)):
        return set()
    return {line for text in texts if isinstance(text, str) for line in text.split("\n")}


def _number(text: str) -> float:
    """Return a whole number for a text, of 48 bits, so that it is never near a small number."""
    return float(
        (1 << 48)
        + int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).digest())
    )
