"""The terms of an independent sum, and where their sum almost surely lies."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from flint import arb

from kproof.theory.exact import as_arb, use_bits
from kproof.theory.laws.base import LatticeLaw
from kproof.theory.laws.windows import FLOAT_BITS, whole_span


class Summands(NamedTuple):
    """Independent terms of one law, whose step is ``scale`` times the step of their sum."""

    law: LatticeLaw
    times: int
    scale: int


def interval(terms: Sequence[Summands], tail: arb) -> tuple[int, int]:
    """Return the first index and the number of points that carry all but ``tail`` > 0 of the mass.

    The sum has index 0 where all terms have.
    """
    last = sum(times * scale * (law.points - 1) for law, times, scale in terms)
    largest = max(scale * (law.points - 1) for law, _, scale in terms)
    with use_bits(FLOAT_BITS):
        mean = variance = arb(0)
        for law, times, scale in terms:
            unit = as_arb(law.step / scale)
            mean += times * (law.mean() - as_arb(law.origin)) / unit
            variance += times * law.variance() / unit**2
        reach = bernstein(variance, largest, tail)
        low, high = whole_span((mean - reach).union(mean + reach))
    start = max(0, low)
    return start, min(last, high) - start + 1


def bernstein(variance: arb, largest: Fraction | int, tail: arb) -> arb:
    """Return a distance from its mean that a sum of independent terms exceeds rarely.

    Both sides together carry at most ``tail`` > 0. Bernstein's inequality: for independent centred
    terms of absolute value at most M (``largest``) and variances of sum V (``variance``),
    Pr[S >= t] <= exp(-t² / (2V + 2Mt/3)).

    >>> bernstein(arb(25), 1, arb("1e-12")).str(4)
    '[48.24 +/- 2.08e-4]'
    """
    weight = (2 / tail).log()
    linear = weight * as_arb(largest) / 3
    return linear + (linear**2 + 2 * variance * weight).sqrt()
