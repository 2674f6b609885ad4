"""How many records with a block mass a target needs (B7)."""

from __future__ import annotations

from fractions import Fraction

from kproof.errors import InvalidArgument
from kproof.theory.exact.typed import Number, rational
from kproof.theory.profiles.blocks import blocks_delta


def blocks_design(
    *, beta: Number, block: Number, epsilon: Number, delta: Number, most: int = 1 << 20
) -> int:
    """Return the fewest records with a block mass for which the bound meets a target (B7).

    Parameters
    ----------
    beta, block
        Block mass of every record, for blocks of that many points the shift apart.
    epsilon, delta
        The target: ε at least 0, δ above 0.
    most
        More records than this are not tried.

    Raises
    ------
    InvalidArgument
        If an argument is out of range, or ``most`` records are not enough.

    Examples
    --------
    >>> blocks_design(beta="0.8", block=10, epsilon="0.1", delta="1e-3")
    48
    """
    share = rational("beta", beta, above=0, most=1)
    target = rational("delta", delta, above=0, most=1)

    def met(count: int) -> bool:
        found = blocks_delta({share: count}, block=block, epsilon=epsilon, relative_width="1e-6")
        return Fraction(found.upper) <= target

    low, high = 0, 1
    while not met(high):
        low, high = high, 2 * high
        if high > most:
            raise InvalidArgument(
                "delta", delta, f"a larger one: {most} records with block mass {beta} do not do"
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if met(middle) else (middle, high)
    return high


__all__ = ["blocks_design"]
