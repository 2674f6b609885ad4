"""Models that bound the gain of an adversary on each value: beta-likeness and delta-disclosure.

q is the share of a sensitive value in a class, p its share in the published table; where values are
missing, both are those of the completion that is worst for the model. Sources: Cao and
Karras, "Publishing Microdata with a Robust Privacy Guarantee", VLDB 2012; Brickell and Shmatikov,
"The Cost of Privacy", KDD 2008.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from kproof.models.base.arrays import Codes, Flags
from kproof.models.base.classes import Classes, Histogram
from kproof.models.base.parameters import BETA, DELTA
from kproof.models.base.verdict import Figure, Verdict
from kproof.models.privacy.base import (
    CompletingModel,
    Joined,
    above,
    class_flags,
    extreme,
    first_of_each,
    positive,
    short_text,
    value_name,
)
from kproof.models.privacy.completions import KnownValues, open_to_doubt
from kproof.theory.exact.precision import START_BITS, decide, use_bits
from kproof.theory.exact.typed import Number, as_arb

NEAR = 1e-12
"""Distance of floats, beside numbers about 1, within which values are compared exactly."""

SMALLEST = 1e-300
"""Stands for a ratio of 0, so that it can be divided by."""


@dataclass(frozen=True, init=False)
class BasicBeta(CompletingModel):
    """No value gains more than beta > 0 in a class: (q - p)/p <= beta wherever q > p.

    Args:
        beta: Above 0.

    >>> classes = Classes(np.array([0, 0, 1, 1]), 2, np.array([0, 0, 0, 1]), ("Flu", "HIV"))
    >>> print(BasicBeta(1).check(classes))
    basic beta-likeness(beta=1): holds (largest gain: 1 (HIV), class 1)
    """

    title: ClassVar[str] = "basic beta-likeness"
    meaning: ClassVar[str] = "least beta"
    """The largest gain of a value in a class."""

    joined: ClassVar[Joined] = Joined.ALIKE
    against_table: ClassVar[bool] = True

    beta: Fraction

    def __init__(self, beta: Number) -> None:
        vars(self).update(beta=BETA.read(beta))

    def _flag_failing(self, classes: Classes) -> Flags:
        shares = Shares.of(classes, largest=True)
        gained = above(shares.counts * shares.rows, shares.sizes * shares.totals, self.beta + 1)
        return class_flags(shares.classes[gained], classes.count)

    def _check(self, classes: Classes) -> Verdict:
        shares = Shares.of(classes, largest=True)
        entry, ratio = shares.ratio(largest=True)
        gain, index = ratio - 1, int(shares.classes[entry])
        value = value_name(classes, int(shares.values[entry]))
        reason = f"largest gain: {short_text(gain, up=True)} ({value})"
        holds = gain <= self.beta
        return self._verdict(classes, index, holds, gain, reason, gain=gain, value=value)


@dataclass(frozen=True, init=False)
class EnhancedBeta(BasicBeta):
    """No value gains more than the smaller of beta > 0 and -ln p.

    The logarithm caps what frequent values may gain; where it is broken no beta helps, and the
    verdict's value is ``"none"``. Decided with balls: a gain is rational and ln p is not, unless
    both are 0. A share that rises from 3/4 to 1 gains 1/3, and -ln(3/4) is less than that:

    Args:
        beta: Above 0.

    >>> classes = Classes(np.array([0, 0, 1, 1]), 2, np.array([0, 0, 0, 1]), ("Flu", "HIV"))
    >>> print(EnhancedBeta(1).check(classes))
    enhanced beta-likeness(beta=1): fails (gain 0.3334 of Flu exceeds -ln p = 0.2877, class 0)
    """

    title: ClassVar[str] = "enhanced beta-likeness"

    def _flag_failing(self, classes: Classes) -> Flags:
        entries = Shares.of(classes, largest=True)
        shares = entries.totals / entries.rows
        gains, caps = entries.counts / entries.sizes / shares - 1, -np.log(shares)
        failing = gains > caps
        # So near to the cap, floats may be on either side of it.
        for entry in np.flatnonzero(np.abs(gains - caps) <= NEAR * (1 + caps)).tolist():
            gain = entries.gain(entry)
            failing[entry] = gain > 0 and _exceeds_log(gain, entries.share(entry))
        worse = class_flags(entries.classes[failing], classes.count)
        return worse | super()._flag_failing(classes)

    def _check(self, classes: Classes) -> Verdict:
        shares = Shares.of(classes, largest=True)
        for entry in _peaks(shares):
            gain, share = shares.gain(entry), shares.share(entry)
            if gain > 0 and _exceeds_log(gain, share):
                value = value_name(classes, int(shares.values[entry]))
                cap, index = -math.log(share), int(shares.classes[entry])
                reason = f"gain {short_text(gain, up=True)} of {value} exceeds -ln p = {cap:.4g}"
                return self._verdict(
                    classes, index, False, "none", reason, gain=gain, share=share, value=value
                )
        return super()._check(classes)


@dataclass(frozen=True, init=False)
class DeltaDisclosure(CompletingModel):
    """``|ln(q/p)| < delta``, delta > 0, for every class and every value of the table.

    A value that a class does not have gives ln 0, so the model fails for every delta unless each
    class has every value of the table; the verdict's value is then ``"none"``.

    Args:
        delta: Above 0.

    >>> of_row, codes = np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 0, 1])
    >>> classes = Classes(of_row, 2, codes, ("Flu", "HIV"))
    >>> print(DeltaDisclosure("0.3").check(classes))
    delta-disclosure(delta=0.3): holds (largest ratio of shares: 1.25 (HIV), class 1)
    """

    title: ClassVar[str] = "delta-disclosure"
    meaning: ClassVar[str] = "holds for every delta above"
    """The largest ``|ln(q/p)|``, rounded up; the model's inequality is strict."""

    joined: ClassVar[Joined] = Joined.ALIKE
    against_table: ClassVar[bool] = True

    delta: Fraction

    def __init__(self, delta: Number) -> None:
        vars(self).update(delta=DELTA.read(delta))

    def _flag_failing(self, classes: Classes) -> Flags:
        recorded = KnownValues.of(classes) if open_to_doubt(classes) else None
        present = classes.histogram if recorded is None else recorded.histogram
        occurring = np.count_nonzero(present.totals)
        failing = np.diff(present.starts) < occurring
        # Where there is one value, whatever is missing is that value too.
        if recorded is not None and occurring == 1:
            failing[:] = False
        # No ratio of counts has such a logarithm, and a larger fraction may be beyond all floats.
        delta = float(min(self.delta, Fraction(10**30)))
        for largest in (True, False):
            shares = Shares.of(classes, largest=largest)
            ratios = shares.counts / shares.sizes / (shares.totals / shares.rows)
            # An absent value has failed already.
            turned = np.maximum(np.where(largest, ratios, 1 / np.maximum(ratios, SMALLEST)), 1)
            gaps = np.log(turned) - delta
            worse = gaps > 0
            for entry in np.flatnonzero(np.abs(gaps) <= NEAR * (1 + delta)).tolist():
                ratio = shares.gain(entry) + 1
                ratio = ratio if largest or ratio == 0 else 1 / ratio
                worse[entry] = ratio > 1 and not _log_below(ratio, self.delta)
            failing |= class_flags(shares.classes[worse], classes.count)
        return failing

    def _check(self, classes: Classes) -> Verdict:
        recorded = KnownValues.of(classes) if open_to_doubt(classes) else None
        present = classes.histogram if recorded is None else recorded.histogram
        occurring = np.flatnonzero(present.totals)
        distinct = np.diff(present.starts)
        index = int(np.argmin(distinct))
        # Where there is one value, whatever is missing is that value too.
        if distinct[index] < len(occurring) and (recorded is None or len(occurring) > 1):
            values_there = present.values[present.starts[index] : present.starts[index + 1]]
            absent = value_name(classes, int(np.setdiff1d(occurring, values_there)[0]))
            may_be = "is" if recorded is None or not recorded.unknown[index] else "may be"
            reason = f"value {absent} {may_be} absent"
            return self._verdict(classes, index, False, "none", reason, absent=absent)
        rising, falling = (Shares.of(classes, largest=largest) for largest in (True, False))
        (up, highest), (down, lowest) = rising.ratio(largest=True), falling.ratio(largest=False)
        # By now every class has every value: no ratio is 0.
        sides = ((highest, up, rising), (1 / lowest, down, falling))
        ratio, entry, shares = max(sides, key=lambda side: side[0])
        value, index = value_name(classes, int(shares.values[entry])), int(shares.classes[entry])
        holds, least = ratio == 1 or _log_below(ratio, self.delta), _log_above(ratio)
        reason = f"largest ratio of shares: {short_text(ratio, up=True)} ({value})"
        return self._verdict(classes, index, holds, least, reason, ratio=ratio, value=value)


@dataclass(frozen=True)
class Shares:
    """Shares of values in classes and in the table that a completion can bring about."""

    classes: Codes
    values: Codes
    """Shape (entries,): class index and value code."""
    counts: Codes
    sizes: Codes
    """Shape (entries,): the value's rows in the class, and the class's rows; q is their ratio."""
    totals: Codes
    """Shape (entries,): the value's rows in the table; p is their share of the rows."""
    rows: int
    """Rows of the table."""

    @classmethod
    def of(cls, classes: Classes, *, largest: bool) -> Shares:
        """Return the entries among which q/p is largest, or smallest, in any completion.

        With x of the missing values of a class and y of the others being a value, q/p is
        N (c + x)/(s (T + x + y)), which rises with x, as c <= T, and falls with y. So it is largest
        where the class's missing values are that value and no others are, and smallest where it
        is the other way round; what is left can always be another value, if there are two.
        """
        if not open_to_doubt(classes):
            return cls.from_counts(classes.histogram)
        recorded = KnownValues.of(classes)
        histogram, gaps = recorded.histogram, recorded.unknown
        elsewhere = int(gaps.sum()) - gaps
        of_class, of_value, counts = histogram.classes, histogram.values, histogram.counts
        # Where there is one value, whatever is missing is that value too.
        if len(recorded.domain) == 1:
            of_class = np.arange(len(recorded.sizes))
            of_value, counts = np.repeat(recorded.domain, len(of_class)), recorded.sizes
            totals = np.full(len(of_class), int(recorded.sizes.sum()))
            return cls(of_class, of_value, counts, recorded.sizes, totals, int(totals[0]))
        if largest:
            of_class, of_value, counts = _with_rarest(recorded)
        moved = gaps if largest else elsewhere
        return cls(
            classes=of_class,
            values=of_value,
            counts=counts + (gaps[of_class] if largest else 0),
            sizes=recorded.sizes[of_class],
            totals=histogram.totals[of_value] + moved[of_class],
            rows=int(recorded.sizes.sum()),
        )

    @classmethod
    def from_counts(cls, histogram: Histogram) -> Shares:
        """Return the shares as they are counted."""
        return cls(
            histogram.classes,
            histogram.values,
            histogram.counts,
            histogram.sizes[histogram.classes],
            histogram.totals[histogram.values],
            int(histogram.sizes.sum()),
        )

    def share(self, entry: int) -> Fraction:
        """Return p of an entry."""
        return Fraction(int(self.totals[entry]), self.rows)

    def gain(self, entry: int) -> Fraction:
        """Return (q - p)/p of an entry."""
        share = Fraction(int(self.counts[entry]), int(self.sizes[entry]))
        return share / self.share(entry) - 1

    def ratio(self, *, largest: bool) -> tuple[int, Fraction]:
        """Return the entry with the extreme q/p, and that."""
        return extreme(
            self.counts / self.sizes / (self.totals / self.rows),
            lambda entry: self.gain(entry) + 1,
            [self.counts, self.sizes, self.totals],
            largest=largest,
        )


def _with_rarest(recorded: KnownValues) -> tuple[Codes, Codes, Codes]:
    """Return the entries of a histogram and, where values are missing, the rarest one absent.

    Of the values that a class lacks, the rarest of the table gains most by its missing ones.
    """
    histogram = recorded.histogram
    ranked = recorded.domain[np.argsort(histogram.totals[recorded.domain], kind="stable")]
    additions: list[tuple[int, int]] = []
    for index in np.flatnonzero(recorded.unknown).tolist():
        start, end = histogram.starts[index : index + 2]
        present = set(histogram.values[start:end].tolist())
        absent = next((code for code in ranked.tolist() if code not in present), None)
        if absent is not None:
            additions.append((index, absent))
    added = np.array(additions, dtype=np.int64).reshape(-1, 2)
    return (
        np.concatenate([histogram.classes, added[:, 0]]),
        np.concatenate([histogram.values, added[:, 1]]),
        np.concatenate([histogram.counts, np.zeros(len(added), dtype=np.int64)]),
    )


def _peaks(entries: Shares) -> list[int]:
    """Return, for each value and each share it may have of the table, its largest of a class.

    Of entries with one share p of the table, the one with the largest share of its class gains
    most; the first such entry stands for them, by value and then by p.
    """
    kinds = np.unique(np.stack([entries.values, entries.totals]), axis=1, return_inverse=True)[1]
    kinds = kinds.reshape(-1)
    shares = entries.counts / entries.sizes
    best = np.zeros(int(kinds.max()) + 1)
    np.maximum.at(best, kinds, shares)
    # Correct rounding is monotone, so the exact maximum is among the largest floats.
    near = np.flatnonzero(shares == best[kinds])
    near = near[first_of_each([kinds[near], entries.counts[near], entries.sizes[near]])]
    peaks: dict[int, tuple[Fraction, int]] = {}
    for entry in near.tolist():
        share = Fraction(int(entries.counts[entry]), int(entries.sizes[entry]))
        if (kind := int(kinds[entry])) not in peaks or share > peaks[kind][0]:
            peaks[kind] = (share, entry)
    return [peaks[kind][1] for kind in sorted(peaks)]


def _exceeds_log(gain: Fraction, share: Fraction) -> bool:
    """Say whether a gain above 0 exceeds -ln share; share < 1, as the table's could not grow."""
    return decide(lambda: positive(as_arb(gain) + as_arb(share).log()), "a gain against -ln p")


def _log_below(ratio: Fraction, delta: Fraction) -> bool:
    """Say whether ln ratio < delta, for a ratio above 1."""
    return decide(lambda: positive(as_arb(delta) - as_arb(ratio).log()), "ln(q/p) against delta")


def _log_above(ratio: Fraction) -> Figure:
    """Return ln ratio for a ratio of at least 1: 0 if that is it, else rounded up."""
    if ratio == 1:
        return 0
    with use_bits(START_BITS):
        ball = as_arb(ratio).log()
        high = float(ball.upper())
        # A float that is nearest to the upper end may lie below it.
        while not ball <= high:
            high = math.nextafter(high, math.inf)
    return high
