"""The least ε at which a composition on a grid has a given δ."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from flint import arb

from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.typed import as_arb
from kproof.theory.losses.grid import LossGrid
from kproof.theory.profiles.inverse import INFINITE, ZERO

_NARROW, _LEAST = 2.0**-44, 2.0**-60
"""How near two ends are brought to each other: relative to them, and at all."""


def least_epsilon(grid: LossGrid, target: Fraction) -> Enclosure:
    """Return the least ε >= 0 at which one direction has a δ of at most ``target``.

    The lower end is a number at which δ is surely above the target, the upper end one at which it
    is surely not.

    Args:
        grid: The composition.
        target: 0 < target < 1.
    """
    goal = as_arb(target)
    if grid.infinite > goal:
        return INFINITE
    start = grid.delta([arb(0)])[0]
    if start <= goal:
        return ZERO
    first, last = grid.bracket(max(float(target) - float(grid.infinite.mid()), 0.0))

    def above(epsilon: float) -> bool:
        return bool(grid.delta([arb(epsilon)])[0] > goal)

    def below(epsilon: float) -> bool:
        return bool(grid.delta([arb(epsilon)])[0] <= goal)

    # The bracket was a guess: it is widened until it surely holds the answer.
    back = max(last - first, 1e-6)
    while first > 0 and not above(first):
        first, last, back = max(0.0, first - back), first, 2 * back
    low, _ = _bisect(above, first, max(first, last))
    high = max(low, last)
    if not below(high):
        high = max(high, grid.largest * (1 + 2.0**-40))
        if not below(high):
            # Where the target is too near to the limit for the grid to tell.
            return Enclosure(Decimal(low), INFINITE.upper)
    _, high = _bisect(lambda epsilon: not below(epsilon), low, high)
    return Enclosure.from_arb(arb(low).union(arb(high)), low=0)


def _bisect(holds: Callable[[float], bool], low: float, high: float) -> tuple[float, float]:
    """Return two near numbers: a statement held at the first, or it is ``low``; not at the second.

    The statement is not asked at ``low`` and ``high`` themselves.
    """
    while high - low > max(_NARROW * high, _LEAST):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high
