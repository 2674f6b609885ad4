"""What arrays hold, by name, and how kernels copy them."""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
"""Whole numbers that stand for something: values, classes, nodes, cells."""

Ranks = NDArray[np.int32]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Integers = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Span:
    """From the least to the most of some numbers."""

    least: int
    """The least of them."""
    most: int
    """The most of them."""

    @classmethod
    def of(cls, values: Codes) -> Span | None:
        """Return the span of whole numbers; None if there are none."""
        return cls(int(values.min()), int(values.max())) if len(values) else None


def read_only(array: Codes) -> Codes:
    """Return the array, which nobody can write to from now on."""
    array.flags.writeable = False
    return array


def ranges(first: Codes, count: Codes) -> Codes:
    """Return whole numbers from each first one on, as many as its count.

    >>> ranges(np.array([7, 3]), np.array([2, 3])).tolist()
    [7, 8, 3, 4, 5]
    """
    # Two arrays of the final length, and no loop over the ranges.
    behind = np.cumsum(count)
    return np.repeat(first - behind + count, count) + np.arange(count.sum())


log_gamma = np.vectorize(lgamma, otypes=[np.float64])
"""The logarithm of the gamma function, number by number."""


def number_by_first(values: NDArray[Any]) -> tuple[Codes, NDArray[Any]]:
    """Number values by first appearance: the number of each, -1 for NaN and None, and the values.

    Raises:
        TypeError: If an object among them cannot be looked up.

    >>> codes, distinct = number_by_first(np.array([7.5, 3.0, np.nan, 7.5]))
    >>> codes.tolist(), distinct.tolist()
    ([0, 1, -1, 0], [7.5, 3.0])
    >>> number_by_first(np.array(["b", "a", "b", None], dtype=object))[0].tolist()
    [0, 1, 0, -1]
    """
    if values.dtype == object:
        # What differs from itself is NaN, whatever its type.
        place: dict[Any, int] = {}
        codes = [
            -1 if value is None or value != value else place.setdefault(value, len(place))
            for value in values
        ]
        # Filled, not made of a list: of tuples, NumPy would make a matrix.
        distinct = np.empty(len(place), dtype=object)
        distinct[:] = list(place)
        return np.array(codes, dtype=np.int64), distinct
    # NaN alone differs from itself.
    filled = values == values
    numbers = np.full(len(values), -1, dtype=np.int64)
    numbers[filled], first = renumber(values[filled])
    return numbers, values[filled][first]


def renumber(labels: NDArray[Any]) -> tuple[Codes, Codes]:
    """Number labels 0, 1, ... as they come; return that of each, and where each stands first."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    # `unique` is in the order of values; the rank of where a value stands first is its number.
    number[np.argsort(first)] = np.arange(len(first))
    return number[inverse.reshape(-1)], np.sort(first).astype(np.int64)


def put(target: NDArray[Any], first: int, values: NDArray[Any]) -> None:
    """Write values into an array from a place on; kernels call it.

    An assignment to a slice does the same, but compiling its first takes seconds, for the text of
    the error of unequal lengths.

    >>> row = np.zeros(4, dtype=np.int64)
    >>> put(row, 1, np.array([5, 6]))
    >>> row.tolist()
    [0, 5, 6, 0]
    """
    for index in range(len(values)):
        target[first + index] = values[index]


def put_rows(target: NDArray[Any], first: int, rows: NDArray[Any]) -> None:
    """Write rows into an array from a row on; kernels call it, for the reason of :func:`put`.

    >>> square = np.zeros((2, 2), dtype=np.int64)
    >>> put_rows(square, 1, np.array([[5, 6]]))
    >>> square.tolist()
    [[0, 0], [5, 6]]
    """
    for index in range(len(rows)):
        for column in range(rows.shape[1]):
            target[first + index, column] = rows[index, column]
