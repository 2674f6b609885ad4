"""Models of diversity: distinct, entropy and recursive (c,l)-diversity.

Entropy of a class, compared with certainty.

A class of m rows with counts c_i has the entropy ln m - sum c_i ln c_i / m. Its exponential is
at least l exactly if m^m >= l^m * product c_i^c_i, a comparison of integers too large to write
down, but not to decide.

Source: Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, "l-Diversity: Privacy beyond
k-Anonymity", ICDE 2006. A missing sensitive value is a value like any other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log
from typing import ClassVar

import numpy as np
from flint import arb, fmpz

from kproof.models.base.arrays import Codes, Flags, Floats
from kproof.models.base.classes import Classes, Histogram
from kproof.models.base.parameters import ENTROPY_L, C, L
from kproof.models.base.verdict import RowsKnown, Verdict
from kproof.models.privacy.base import (
    ConcentrationModel,
    CountModel,
    Joined,
    above,
    extreme,
    fewest,
    first_of_each,
    positive,
    short_text,
    sort_counts,
    values_of,
)
from kproof.theory.exact.precision import START_BITS, decide, use_bits
from kproof.theory.exact.typed import Number, as_arb


@dataclass(frozen=True, init=False)
class DistinctL(CountModel):
    """Every class has at least l distinct sensitive values, l >= 1.

    Args:
        ell: The l of l-diversity, at least 1.

    >>> classes = Classes(np.array([0, 0, 1]), 2, np.array([0, 1, 1]), ("Flu", "HIV"))
    >>> print(DistinctL(2).check(classes))
    l-diversity(l=2): fails (fewest distinct values in a class: 1, class 1)
    """

    title: ClassVar[str] = "l-diversity"
    rows_known: ClassVar[RowsKnown] = RowsKnown.ALL_BUT_ONE
    meaning: ClassVar[str] = "largest l"
    """The fewest distinct values in a class."""

    counted: ClassVar[str] = "distinct values"
    reads: ClassVar[str] = "ell"

    ell: int

    def __init__(self, ell: Number) -> None:
        vars(self).update(ell=L.read(ell))

    def counts(self, classes: Classes) -> Codes:
        """Return the number of distinct values of each class."""
        return values_of(classes)


@dataclass(frozen=True, init=False)
class EntropyL(ConcentrationModel):
    """The entropy of the sensitive values of every class is at least ln l.

    l >= 1 need not be whole. Decided with certainty: near equality, where floats cannot tell, by
    balls of rising precision and, if these do not part, by comparing prime factors. Shares 1/2 and
    four times 1/8 have exactly the entropy of four equal shares:

    Args:
        ell: The l of entropy l-diversity, at least 1; need not be whole.

    >>> codes = np.array([0, 0, 0, 0, 1, 2, 3, 4])
    >>> classes = Classes(np.zeros(8, dtype=int), 1, codes, tuple("abcde"))
    >>> print(EntropyL(4).check(classes))
    entropy l-diversity(l=4): holds (least exponential of the entropy of a class: 4, class 0)
    >>> EntropyL("4.000000000000000001").check(classes).holds
    False
    """

    title: ClassVar[str] = "entropy l-diversity"
    rows_known: ClassVar[RowsKnown] = RowsKnown.ALL_BUT_ONE
    meaning: ClassVar[str] = "largest l"
    """The exponential of the least entropy: exact if whole, else rounded down."""

    joined: ClassVar[Joined] = Joined.ALIKE

    ell: Fraction

    def __init__(self, ell: Number) -> None:
        vars(self).update(ell=ENTROPY_L.read(ell))

    @property
    def fewest_rows(self) -> int:
        """No class of fewer rows has an entropy of ln l."""
        return ceil(self.ell)

    def _flag_failing(self, classes: Classes) -> Flags:
        histogram = classes.histogram
        # No class has so many values, and a larger fraction may be beyond all floats.
        entropy, least = entropies(histogram), log(min(self.ell, Fraction(1 << 62)))
        room = 4 * float_error(histogram)
        failing = entropy < least
        kinds: dict[tuple[int, ...], bool] = {}
        counts = sort_counts(histogram)
        # Within the error of floats, frequencies decide: once for each pattern, as balls are slow.
        for index in np.flatnonzero(np.abs(entropy - least) <= room).tolist():
            pattern = tuple(counts[histogram.starts[index] : histogram.starts[index + 1]].tolist())
            if pattern not in kinds:
                kinds[pattern] = not entropy_at_least(pattern, self.ell)
            failing[index] = kinds[pattern]
        return failing

    def _check(self, classes: Classes) -> Verdict:
        histogram = classes.histogram
        entropy = entropies(histogram)
        # Twice: the least float and that of the least class may both be off.
        near = np.flatnonzero(entropy <= entropy.min() + 2 * float_error(histogram))
        # Classes with the same frequencies have the same entropy: one of each kind is enough.
        sizes, values = histogram.sizes[near], values_of(classes)[near]
        # Where all values are as frequent, size and number of values say all; others stay apart.
        level = np.maximum.reduceat(histogram.counts, histogram.starts[:-1])[near] * values == sizes
        firsts = near[first_of_each([sizes, values, np.where(level, -1, near)])]
        kinds: dict[tuple[int, ...], int] = {}
        counts = sort_counts(histogram)
        for index in firsts.tolist():
            pattern = tuple(counts[histogram.starts[index] : histogram.starts[index + 1]].tolist())
            kinds.setdefault(pattern, index)
        attained = [(diversity_below(pattern), index) for pattern, index in kinds.items()]
        value, index = min(attained)
        holds = all(entropy_at_least(pattern, self.ell) for pattern in kinds)
        least = short_text(Fraction(value), up=False)
        reason = f"least exponential of the entropy of a class: {least}"
        return self._verdict(classes, index, holds, value, reason, entropy=float(entropy[index]))


@dataclass(frozen=True, init=False)
class RecursiveCL(ConcentrationModel):
    """The commonest value of every class is rare beside the tail: r_1 < c (r_l + ... + r_d).

    The frequencies r_1 >= ... >= r_d run from the commonest value to the rarest; c > 0 and l >= 1.
    A class of fewer than l values has an empty tail and fails for every c.

    Args:
        c: Above 0.
        ell: The l of (c,l)-diversity, at least 1.

    >>> classes = Classes(np.zeros(5, dtype=int), 1, np.array([0, 0, 0, 1, 2]), tuple("abc"))
    >>> print(RecursiveCL(2, 2).check(classes))
    recursive (c,l)-diversity(c=2, l=2): holds (largest ratio of commonest to tail: 1.5, class 0)
    >>> print(RecursiveCL("1.5", 2).check(classes))
    recursive (c,l)-diversity(c=1.5, l=2): fails (largest ratio of commonest to tail: 1.5, class 0)
    """

    title: ClassVar[str] = "recursive (c,l)-diversity"
    rows_known: ClassVar[RowsKnown] = RowsKnown.ALL_BUT_ONE
    meaning: ClassVar[str] = "holds for every c above"
    """The infimum of c, itself excluded because the model's inequality is strict."""

    joined: ClassVar[Joined] = Joined.ALIKE

    c: Fraction
    ell: int

    def __init__(self, c: Number, ell: Number) -> None:
        vars(self).update(c=C.read(c), ell=L.read(ell))

    @property
    def fewest_rows(self) -> int:
        """A class has l distinct values, or its tail is empty."""
        return self.ell

    def _flag_failing(self, classes: Classes) -> Flags:
        commonest, tail = self._tails(classes.histogram)
        # Turned round: an empty tail is no divisor, and is above nothing, so that the model fails.
        return ~above(tail, commonest, 1 / self.c)

    def _tails(self, histogram: Histogram) -> tuple[Codes, Codes]:
        """Return the frequency of the commonest value of each class, and of its tail."""
        counts = sort_counts(histogram)
        rank = np.arange(len(counts)) - histogram.starts[histogram.classes]
        tail = np.add.reduceat(np.where(rank >= self.ell - 1, counts, 0), histogram.starts[:-1])
        return counts[histogram.starts[:-1]], tail

    def _check(self, classes: Classes) -> Verdict:
        histogram = classes.histogram
        index, values = fewest(values_of(classes))
        if values < self.ell:
            reason = f"fewest distinct values in a class: {values}, so its tail is empty"
            return self._verdict(classes, index, False, "none", reason, values=values)
        commonest, tail = self._tails(histogram)
        index, ratio = extreme(
            commonest / tail,
            lambda index: Fraction(int(commonest[index]), int(tail[index])),
            [commonest, tail],
            largest=True,
        )
        reason = f"largest ratio of commonest to tail: {short_text(ratio, up=True)}"
        figures = {"commonest": int(commonest[index]), "tail": int(tail[index])}
        return self._verdict(classes, index, ratio < self.c, ratio, reason, **figures)


def entropies(histogram: Histogram) -> Floats:
    """Return the entropy of each class in nats, within :func:`float_error`."""
    # Counts are of values that occur: none is 0.
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
    # The entropy of d values is at most ln d.
    if ell > len(counts):
        return False
    multiplicity, rows = Counter(counts), sum(counts)

    def apart() -> bool | None:
        terms = (count * times * arb(count).log() for count, times in multiplicity.items())
        return positive(rows * (arb(rows) / as_arb(ell)).log() - sum(terms, arb()))

    with use_bits(START_BITS):
        first = apart()
    if first is not None:
        return first
    # Equality first: balls around equal numbers never part.
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
        # m^m over all c^c has to be the m-th power of l: prime by prime, m times its exponent.
        if valuation * rows != exponent:
            return False
    # What is left over is a power of primes that no count has.
    return top == bottom == 1
