"""Models that bound the gain of an adversary on each value: beta-likeness and delta-disclosure.

q is the share of a sensitive value in a class, p its share in the published table. Sources: Cao and
Karras, "Publishing Microdata with a Robust Privacy Guarantee", VLDB 2012; Brickell and Shmatikov,
"The Cost of Privacy", KDD 2008.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kproof.models.classes import Classes, Histogram
from kproof.models.privacy.base import Model, extreme, first_of_each, shown, value_name, values_of
from kproof.models.verdict import Figure, Verdict
from kproof.theory.bounds import shown_exactly
from kproof.theory.numbers import Number, as_arb, rational
from kproof.theory.precision import START_BITS, decided, working_bits


@dataclass(frozen=True, init=False)
class BasicBeta(Model):
    """No value gains more than beta in a class: (q - p)/p <= beta wherever q > p.

    Parameters
    ----------
    beta
        Above 0.

    Examples
    --------
    >>> classes = Classes(np.array([0, 0, 1, 1]), 2, np.array([0, 0, 0, 1]), ("Flu", "HIV"))
    >>> print(BasicBeta(1).check(classes))
    basic beta-likeness(beta=1): holds (largest gain: 1 (HIV), class 1)
    """

    beta: Fraction

    def __init__(self, beta: Number) -> None:
        object.__setattr__(self, "beta", rational("beta", beta, above=0))

    @property
    def name(self) -> str:
        """``basic beta-likeness(beta=...)``."""
        return f"basic beta-likeness(beta={shown_exactly(self.beta)})"

    @property
    def meaning(self) -> str:
        """The largest gain of a value in a class."""
        return "least beta"

    def _check(self, classes: Classes) -> Verdict:
        found = classes.histogram
        entry, ratio = _ratio(found, largest=True)
        gain = ratio - 1
        value = value_name(classes, int(found.values[entry]))
        return self._verdict(
            classes,
            int(found.classes[entry]),
            gain <= self.beta,
            gain,
            f"largest gain: {shown(gain, up=True)} ({value})",
            gain=gain,
            value=value,
        )


@dataclass(frozen=True, init=False)
class EnhancedBeta(Model):
    """No value gains more than the smaller of beta and -ln p.

    The logarithm caps what frequent values may gain; where it is broken no beta helps, and the
    verdict's value is ``"none"``. Decided with balls: a gain is rational and ln p is not, unless
    both are 0.

    Parameters
    ----------
    beta
        Above 0.

    Examples
    --------
    A share that rises from 3/4 to 1 gains 1/3, and -ln(3/4) is less than that:

    >>> classes = Classes(np.array([0, 0, 1, 1]), 2, np.array([0, 0, 0, 1]), ("Flu", "HIV"))
    >>> print(EnhancedBeta(1).check(classes))
    enhanced beta-likeness(beta=1): fails (gain 0.3334 of Flu exceeds -ln p = 0.2877, class 0)
    """

    beta: Fraction

    def __init__(self, beta: Number) -> None:
        object.__setattr__(self, "beta", rational("beta", beta, above=0))

    @property
    def name(self) -> str:
        """``enhanced beta-likeness(beta=...)``."""
        return f"enhanced beta-likeness(beta={shown_exactly(self.beta)})"

    @property
    def meaning(self) -> str:
        """The largest gain of a value in a class, if none exceeds -ln p."""
        return "least beta"

    def _check(self, classes: Classes) -> Verdict:
        found = classes.histogram
        for entry in _peaks(found):
            gain, share = _gain(found, entry), _share(found, entry)
            if gain > 0 and _exceeds_log(gain, share):
                value = value_name(classes, int(found.values[entry]))
                cap = -math.log(share)
                return self._verdict(
                    classes,
                    int(found.classes[entry]),
                    False,
                    "none",
                    f"gain {shown(gain, up=True)} of {value} exceeds -ln p = {cap:.4g}",
                    gain=gain,
                    share=share,
                    value=value,
                )
        basic = BasicBeta(self.beta)._check(classes)
        return Verdict(
            self.name, basic.holds, basic.value, self.meaning, basic.worst_class, basic.reason
        )


@dataclass(frozen=True, init=False)
class DeltaDisclosure(Model):
    """``|ln(q/p)| < delta`` for every class and every value of the table.

    A value that a class does not have gives ln 0, so the model fails for every delta unless each
    class has every value of the table; the verdict's value is then ``"none"``.

    Parameters
    ----------
    delta
        Above 0.

    Examples
    --------
    >>> of_row, codes = np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 0, 1])
    >>> classes = Classes(of_row, 2, codes, ("Flu", "HIV"))
    >>> print(DeltaDisclosure("0.3").check(classes))
    delta-disclosure(delta=0.3): holds (largest ratio of shares: 1.25 (HIV), class 1)
    """

    delta: Fraction

    def __init__(self, delta: Number) -> None:
        object.__setattr__(self, "delta", rational("delta", delta, above=0))

    @property
    def name(self) -> str:
        """``delta-disclosure(delta=...)``."""
        return f"delta-disclosure(delta={shown_exactly(self.delta)})"

    @property
    def meaning(self) -> str:
        """The largest ``|ln(q/p)|``, rounded up; the model's inequality is strict."""
        return "holds for every delta above"

    def _check(self, classes: Classes) -> Verdict:
        found = classes.histogram
        values = values_of(classes)
        index = int(np.argmin(values))
        occurring = np.flatnonzero(found.totals)
        if values[index] < len(occurring):
            own = found.values[found.starts[index] : found.starts[index + 1]]
            absent = value_name(classes, int(np.setdiff1d(occurring, own)[0]))
            return self._verdict(
                classes, index, False, "none", f"value {absent} is absent", absent=absent
            )
        (up, most), (down, least) = _ratio(found, largest=True), _ratio(found, largest=False)
        entry, ratio = (up, most) if most >= 1 / least else (down, 1 / least)
        value = value_name(classes, int(found.values[entry]))
        return self._verdict(
            classes,
            int(found.classes[entry]),
            ratio == 1 or _log_below(ratio, self.delta),
            _log_above(ratio),
            f"largest ratio of shares: {shown(ratio, up=True)} ({value})",
            ratio=ratio,
            value=value,
        )


def _share(found: Histogram, entry: int) -> Fraction:
    """Return p of an entry's value."""
    return Fraction(int(found.totals[found.values[entry]]), int(found.sizes.sum()))


def _gain(found: Histogram, entry: int) -> Fraction:
    """Return (q - p)/p of an entry."""
    own = Fraction(int(found.counts[entry]), int(found.sizes[found.classes[entry]]))
    return own / _share(found, entry) - 1


def _ratio(found: Histogram, *, largest: bool) -> tuple[int, Fraction]:
    """Return the entry with the extreme q/p, and that."""
    sizes, totals = found.sizes[found.classes], found.totals[found.values]
    return extreme(
        found.counts / sizes / (totals / int(found.sizes.sum())),
        lambda entry: _gain(found, entry) + 1,
        [found.counts, sizes, totals],
        largest=largest,
    )


def _peaks(found: Histogram) -> list[int]:
    """Return, for each value that occurs, the first entry with its largest share of a class."""
    sizes = found.sizes[found.classes]
    shares = found.counts / sizes
    best = np.zeros(len(found.totals))
    np.maximum.at(best, found.values, shares)
    # Correct rounding is monotone, so the exact maximum is among the largest floats.
    near = np.flatnonzero(shares == best[found.values])
    near = near[first_of_each([found.values[near], found.counts[near], sizes[near]])]
    peaks: dict[int, tuple[Fraction, int]] = {}
    for entry in near.tolist():
        share = Fraction(int(found.counts[entry]), int(sizes[entry]))
        code = int(found.values[entry])
        if code not in peaks or share > peaks[code][0]:
            peaks[code] = (share, entry)
    return [peaks[code][1] for code in sorted(peaks)]


def _exceeds_log(gain: Fraction, share: Fraction) -> bool:
    """Say whether a gain above 0 exceeds -ln share; share < 1, as the table's could not grow."""

    def apart() -> bool | None:
        gap = as_arb(gain) + as_arb(share).log()
        return True if gap > 0 else False if gap < 0 else None

    return decided(apart, "a gain against -ln p")


def _log_below(ratio: Fraction, delta: Fraction) -> bool:
    """Say whether ln ratio < delta, for a ratio above 1."""

    def apart() -> bool | None:
        gap = as_arb(delta) - as_arb(ratio).log()
        return True if gap > 0 else False if gap < 0 else None

    return decided(apart, "ln(q/p) against delta")


def _log_above(ratio: Fraction) -> Figure:
    """Return ln ratio for a ratio of at least 1: 0 if that is it, else rounded up."""
    if ratio == 1:
        return 0
    with working_bits(START_BITS):
        ball = as_arb(ratio).log()
        high = float(ball.upper())
        while not ball <= high:
            high = math.nextafter(high, math.inf)
    return high
