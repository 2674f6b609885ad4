"""What windows of all laws share: their budgets, the tail they may leave out, rounding to floats.

A window lists masses one by one, so its size is what exact answers cost.
"""

from dataclasses import dataclass

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from kproof.errors import InvalidArgument, TooLarge, Undecided
from kproof.theory.exact.precision import floor_of, use_bits

MOST_POINTS = 1 << 22
"""Most points of one law that are enclosed one by one; about a gigabyte at 128 bits."""
MOST_RING = 1 << 26
"""Most points of a floating transform; about three gigabytes while it runs."""
FLOAT_BITS = 96
"""Precision of the balls that are only wanted as floats."""
FLOAT_TAIL = arb(2) ** -80
"""Mass that may be left out of floats: far below what they resolve."""


@dataclass(frozen=True, slots=True)
class Window:
    """The masses of a lattice law at consecutive points, as balls."""

    start: int
    """Index of the first listed point; point ``i`` is ``origin + step * i``."""
    masses: list[arb]
    """Balls that contain the masses; non-negative."""
    dropped: arb
    """Upper bound on the mass at points not listed; exactly 0 when none were dropped."""


@dataclass(frozen=True, slots=True)
class FloatWindow:
    """The masses of a lattice law at consecutive points, as floats with an error bound."""

    start: int
    """Index of the first listed point."""
    masses: NDArray[np.float64]
    """Shape (points,)."""
    error: float
    """Upper bound on the sum of absolute errors of the masses plus the mass not listed."""


def as_floats(window: Window) -> FloatWindow:
    """Return a window as floats; the error bound holds without any assumption on floats.

    >>> floats = as_floats(Window(0, [arb(1) / 3, arb(2) / 3], arb(0)))
    >>> floats.masses, floats.error < 1e-15
    (array([0.33333333, 0.66666667]), True)
    """
    masses = np.array([float(mass) for mass in window.masses])
    # Ball by ball and not by a rule for rounding: masses of a window may themselves be wide balls.
    error = window.dropped
    with use_bits(FLOAT_BITS):
        for mass, value in zip(window.masses, masses.tolist(), strict=True):
            error += (mass - arb(value)).abs_upper()
        return FloatWindow(window.start, masses, float_above(error))


def float_above(bound: arb) -> float:
    """Return a float that is surely not below any number of the ball."""
    # `float` rounds to nearest, and what is below the least float to 0.
    return float(bound.abs_upper()) * (1 + 2.0**-50) + 5e-324


def whole_span(ball: arb) -> tuple[int, int]:
    """Return whole numbers with every number of the ball between them.

    >>> whole_span(arb(2.5, 1))
    (1, 4)
    """
    low, high = floor_of(ball.lower()), floor_of(ball.upper())
    if low is None or high is None:
        raise Undecided(f"a whole number near {ball} needs more than {ctx.prec} bits")
    return low, high + 1


def within_budget(
    required: int, subject: object, *, budget: int = MOST_POINTS, unit: str = "points"
) -> int:
    """Return ``required``, or say that it is too much for the subject.

    >>> within_budget(10**9, "Binomial(n=10**9, p=1/2)")
    Traceback (most recent call last):
        ...
    kproof.errors.TooLarge: Binomial(n=10**9, p=1/2): needs 1,000,000,000 points, the budget is \
4,194,304
    """
    if required > budget:
        raise TooLarge(f"{subject}: needs {required:,} {unit}, the budget is {budget:,}")
    return required


def least_tail(tail: arb) -> arb:
    """Return the lower end of a tail that may be left out, checked."""
    low = tail.lower()
    if not 0 <= low < 1:
        raise InvalidArgument("tail", tail.str(radius=False), "0 <= tail < 1")
    return low
