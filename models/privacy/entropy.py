"""Entropy of a class, compared with certainty.

A class of m rows with counts c_i has the entropy ln m - sum c_i ln c_i / m. Its exponential is
at least l exactly if m^m >= l^m * product c_i^c_i, a comparison of integers too large to write
down, but not to decide.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from flint import arb, fmpz

from kproof.models.base.arrays import Floats
from kproof.models.base.classes import Histogram
from kproof.theory.exact.precision import START_BITS, decide, use_bits
from kproof.theory.exact.typed import as_arb


def entropies(histogram: Histogram) -> Floats:
    """Return the entropy of each class in nats, within :func:`float_error`."""
    terms = histogram.counts * np.log(histogram.counts)
    sums = np.add.reduceat(terms, histogram.starts[:-1])
    return np.asarray(np.log(histogram.sizes) - sums / histogram.sizes, dtype=np.float64)


def float_error(histogram: Histogram) -> float:
    """Return a bound on the error of :func:`entropies`.

    A sum of d positive terms is off by at most d units of rounding, relatively, and the sum over
    m is at most ln m; the factors leave room for the logarithms' own errors.
    """
    values = int(np.diff(histogram.starts).max())
    return 1e-12 + 4 * (values + 8) * 2.0**-52 * (1 + math.log(int(histogram.sizes.max())))


def entropy_at_least(counts: Sequence[int], ell: Fraction) -> bool:
    """Say whether the entropy of counts is at least ln l.

    >>> entropy_at_least([4, 1, 1, 1, 1], Fraction(4)), entropy_at_least([2, 1], Fraction(2))
    (True, False)
    """
    if ell > len(counts):
        return False
    multiplicity, rows = Counter(counts), sum(counts)

    def apart() -> bool | None:
        terms = (count * times * arb(count).log() for count, times in multiplicity.items())
        gap = rows * (arb(rows) / as_arb(ell)).log() - sum(terms, arb())
        return True if gap > 0 else False if gap < 0 else None

    with use_bits(START_BITS):
        first = apart()
    if first is not None:
        return first
    return _equal(multiplicity, rows, ell) or decide(apart, "an entropy against ln l")


def diversity_below(counts: Sequence[int]) -> int | float:
    """Return the exponential of the entropy of counts: exact if whole, else rounded down.

    >>> diversity_below([1, 1, 1]), diversity_below([4, 1, 1, 1, 1])
    (3, 4)
    >>> round(diversity_below([2, 1]), 6)
    1.889882
    """
    rows = sum(counts)
    with use_bits(START_BITS):
        terms = sum((count * arb(count).log() for count in counts), arb())
        ball = (arb(rows).log() - terms / rows).exp()
        integer = ball.unique_fmpz()
        low = float(ball.lower())
        # A float that is nearest to the lower end may lie above it.
        while not arb(low) <= ball:
            low = math.nextafter(low, 0)
    if integer is not None and _equal(Counter(counts), rows, Fraction(int(integer))):
        return int(integer)
    return low


def _equal(multiplicity: Counter[int], rows: int, ell: Fraction) -> bool:
    """Say whether m^m equals l^m times the product of all c^c, prime by prime."""
    exponents: Counter[int] = Counter()
    for factor, power in fmpz(rows).factor():
        exponents[int(factor)] += int(power) * rows
    for count, times in multiplicity.items():
        for factor, power in fmpz(count).factor():
            exponents[int(factor)] -= int(power) * count * times
    top, bottom = ell.numerator, ell.denominator
    for prime, exponent in exponents.items():
        valuation = 0
        while top % prime == 0:
            top, valuation = top // prime, valuation + 1
        while bottom % prime == 0:
            bottom, valuation = bottom // prime, valuation - 1
        if valuation * rows != exponent:
            return False
    # What is left over is a power of primes that no count has.
    return top == bottom == 1
