"""How a caller says which profile is wanted: the direction, the shift, one number or several."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from kproof.errors import InvalidArgument
from kproof.theory.exact.typed import Number, rational
from kproof.theory.laws.base import LatticeLaw, Law

T = TypeVar("T")
Grid: TypeAlias = "tuple[Number, ...] | list[Any] | NDArray[Any]"
"""Several numbers at once; the answer is then a tuple."""


class Direction(StrEnum):
    """Which of the two laws stands on the left of the inequality."""

    UP = "up"
    """F against F + s."""
    DOWN = "down"
    """F + s against F."""
    BOTH = "both"
    """The larger of the two, which is what privacy asks for."""

    def pick(self, up: T, down: T) -> tuple[T, ...]:
        """Return those of the two that this direction asks for."""
        return {Direction.UP: (up,), Direction.DOWN: (down,), Direction.BOTH: (up, down)}[self]


def shift_in_steps(law: Law, shift: Number) -> tuple[LatticeLaw, int | None]:
    """Return a lattice law and the shift in lattice steps, None if it leaves no value in common.

    >>> from kproof.theory.laws.binomial import TruncatedBinomial
    >>> law = TruncatedBinomial(4, "1/2", 3)
    >>> [shift_in_steps(law, shift)[1] for shift in (1, "1/2", 2)]
    [1, None, None]
    """
    distance = rational("shift", shift, above=0)
    if not isinstance(law, LatticeLaw):
        raise InvalidArgument("law", getattr(law, "name", law), "a lattice law or a normal law")
    steps = distance / law.step
    overlap = steps.denominator == 1 and steps < law.points
    return law, steps.numerator if overlap else None


def is_grid(value: object) -> bool:
    """Say whether several numbers were given."""
    return isinstance(value, list | tuple | range | np.ndarray) or hasattr(value, "to_numpy")


def each(name: str, value: Number | Grid) -> Sequence[object]:
    """Return the numbers of a list, tuple, range or 1-D array, or the single number."""
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if isinstance(value, np.ndarray):
        if value.ndim != 1:
            raise InvalidArgument(f"shape of {name}", value.shape, "a number or a 1-D array")
        return list(value)
    return value if isinstance(value, list | tuple | range) else [value]
