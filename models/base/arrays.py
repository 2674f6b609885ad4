"""What arrays hold, by name, and how kernels copy them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
"""Whole numbers that stand for something: values, classes, nodes, cells."""

Ranks = NDArray[np.int32]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


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
    behind = np.cumsum(count)
    return np.repeat(first - behind + count, count) + np.arange(count.sum())


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
