"""Moments of one record from balls of its masses, as conditional laws give them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import arb

from kproof.theory.exact.typed import as_arb, whole_power


def ball_moments(pairs: Sequence[tuple[Fraction, arb]]) -> tuple[arb, ...]:
    """Return variance, third, |third|, sigma^3, fourth central, raw third and raw fourth.

    >>> ball_moments([(Fraction(0), arb("0.5")), (Fraction(1), arb("0.5"))])[0]
    0.250000000000000
    """
    values = [(as_arb(x), w) for x, w in pairs]
    mean = sum((w * x for x, w in values), arb(0))
    central = [(x - mean, w) for x, w in values]

    def moment(order: int, pairs: list[tuple[arb, arb]]) -> arb:
        return sum((w * whole_power(x, order) for x, w in pairs), arb(0))

    spread = moment(2, central).nonnegative_part()
    return (
        spread,
        moment(3, central),
        moment(3, [(abs(x), w) for x, w in central]),
        spread * spread.sqrt(),
        moment(4, central),
        moment(3, values),
        moment(4, values),
    )
