"""The least ε at which a composition on a grid has a given δ."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import inf, nextafter

from flint import arb

from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.typed import as_arb
from kproof.theory.losses.grid import LossGrid
from kproof.theory.profiles.inverse import INFINITE, ZERO

_HALVINGS = 48


def least_epsilon(grid: LossGrid, target: Fraction) -> Enclosure:
    """Return the least ε >= 0 at which one direction has a δ of at most ``target``.

    The lower end is a number at which δ is surely above the target, the upper end one at which it
    is surely not.

    Parameters
    ----------
    grid
        The composition.
    target
        0 < target < 1.
    """
    wanted = as_arb(target)
    if grid.infinite > wanted:
        return INFINITE
    start = grid.delta([arb(0)])[0]
    if start <= wanted:
        return ZERO
    first, last = grid.bracket(max(float(target) - float(grid.infinite.mid()), 0.0))

    def above(epsilon: float) -> bool:
        return bool(grid.delta([arb(epsilon)])[0] > wanted)

    def not_above(epsilon: float) -> bool:
        return bool(grid.delta([arb(epsilon)])[0] <= wanted)

    while first > 0 and not above(first):
        first, last = max(0.0, 2 * first - last - 1e-9), max(first, 1e-9)
    low = _last(above, first, last) if above(first) else 0.0
    if not not_above(last):
        last = grid.largest
        if not not_above(nextafter(last, inf)):
            return Enclosure(Decimal(low), Decimal("Infinity"))
    high = _last(lambda epsilon: not not_above(epsilon), low, last)
    return Enclosure(Decimal(low), Decimal(nextafter(high, inf)))


def _last(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return a number up to which a statement, true at ``low``, still holds."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
