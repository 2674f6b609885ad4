"""A sketch of a table: some of its different rows, chosen by chance, and how often each occurs.

Every combination of values has a number between 0 and 2⁶⁴ that is as good as drawn at random; those
with the least numbers are kept. Two sketches are put together by keeping the least of both. So the
sketch of a table depends neither on the order of its rows nor on how they were dealt out to files,
and neither do cuts that are chosen by it. That is all it decides: nothing is promised by it.

Source: Cohen and Kaplan, "Summarizing data using bottom-k sketches", PODC 2007.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.arrays import Codes
from kproof.models.partitioned.pieces import Rows

KEPT = 1 << 16
"""Combinations that a sketch keeps."""

_ODD = 0x9E3779B97F4A7C15
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


@dataclass(frozen=True, eq=False)
class Sketch:
    """The combinations with the least numbers."""

    numbers: NDArray[np.uint64] = field(repr=False)
    """Shape (combinations,): ascending, each its own."""
    codes: Rows = field(repr=False)
    """Shape (combinations, columns)."""
    rows: Codes = field(repr=False)
    """Shape (combinations,): how often each occurs."""

    @classmethod
    def of(cls, codes: Rows, size: int = KEPT) -> Sketch:
        """Sketch rows of codes, by ``size`` combinations at most.

        >>> rows = np.array([[3, 1], [2, 5], [3, 1]], dtype=np.int32)
        >>> sketch = Sketch.of(rows)
        >>> sorted(zip(sketch.codes.tolist(), sketch.rows.tolist()))
        [([2, 5], 1), ([3, 1], 2)]
        """
        return _least(_numbers(codes), codes, np.ones(len(codes), dtype=np.int64), size)

    @classmethod
    def together(cls, sketches: Iterable[Sketch], size: int = KEPT) -> Sketch:
        """Put sketches together that kept as many each."""
        every = tuple(sketches)
        return _least(
            # The smallest numbers of all are among the smallest of each part: nothing is lost by
            # sketching parts first.
            np.concatenate([sketch.numbers for sketch in every]),
            np.concatenate([sketch.codes for sketch in every]),
            np.concatenate([sketch.rows for sketch in every]),
            size,
        )


def _least(numbers: NDArray[np.uint64], codes: Rows, rows: Codes, size: int) -> Sketch:
    # `unique` also sorts, so that the first `size` are the smallest.
    smallest, first, place = np.unique(numbers, return_index=True, return_inverse=True)
    counts = np.bincount(place.reshape(-1), rows, minlength=len(smallest)).astype(np.int64)
    return Sketch(smallest[:size], codes[first[:size]], counts[:size])


def _numbers(codes: Rows) -> NDArray[np.uint64]:
    """Return a number for each row, equal where rows are: SplitMix64, a column at a time."""
    mixed = np.zeros(len(codes), dtype=np.uint64)
    for column in codes.T:
        # Arrays of unsigned numbers wrap around without a word.
        mixed = (mixed ^ column.astype(np.uint64)) + np.uint64(_ODD)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(_FIRST)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(_SECOND)
        mixed = mixed ^ (mixed >> np.uint64(31))
    return mixed
