"""Precision that rises until an answer is certain.

Arb's working precision is a global of FLINT's; it is set here and nowhere else, and always put
back. A comparison is never decided by a midpoint: it is repeated at higher precision until the
balls are apart, and if they never are, :class:`~kproof.errors.Undecided` is raised.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from flint import arb, ctx

from kproof.errors import Undecided

START_BITS = 128
MOST_BITS = 1 << 16
T = TypeVar("T")


@contextmanager
def use_bits(bits: int) -> Iterator[None]:
    """Run a block at the given Arb precision and restore the former one.

    >>> with use_bits(1000):
    ...     arb.pi().rel_accuracy_bits() > 990
    True
    """
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def ladder(start: int = START_BITS, most: int = MOST_BITS) -> Iterator[int]:
    """Yield precisions in bits, doubling from ``start`` up to ``most``."""
    bits = start
    while bits <= most:
        yield bits
        bits *= 2


def decide(question: Callable[[], T | None], quantity: str) -> T:
    """Ask at rising precision until the answer is something other than None.

    ``quantity``: what is decided, for the error message. Raises Undecided if the highest precision
    does not settle it (the two sides are then almost surely equal).

    >>> decide(lambda: floor_of(arb(7) / 2), "floor of 3.5")
    3
    """
    for bits in ladder():
        with use_bits(bits):
            answer = question()
        if answer is not None:
            return answer
    raise Undecided(f"{quantity} could not be decided at {MOST_BITS} bits")


def floor_of(ball: arb) -> int | None:
    """Return the floor shared by every number in the ball, or None if they differ."""
    if not ball.is_finite():
        return None
    low, high = ball.lower().floor().unique_fmpz(), ball.upper().floor().unique_fmpz()
    return int(low) if low is not None and low == high else None


def is_narrow(ball: arb, relative_width: float) -> bool:
    """Say whether twice the radius is at most ``relative_width`` times the smallest magnitude."""
    if ball.is_exact():
        return ball.is_finite()
    # A ball around 0 has `abs_lower` 0: it is never narrow, however small its radius.
    return bool(2 * ball.rad() <= arb(relative_width) * ball.abs_lower())
