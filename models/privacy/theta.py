"""Theta-sensitivity: the variance of the ranks of the values of every class is at least theta."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from kproof.models.base.arrays import Codes, Flags, Floats
from kproof.models.base.classes import Classes, Histogram
from kproof.models.base.parameters import GROUP_K, MU
from kproof.models.base.verdict import Verdict
from kproof.models.privacy.base import SLACK, CompletingModel, extreme, short_text, sort_counts
from kproof.models.privacy.completions import KnownValues, open_to_doubt
from kproof.models.privacy.narrowest import least_width, lower_bound
from kproof.theory.exact.typed import Number
from kproof.theory.theorems import theta as theory


@dataclass(frozen=True, init=False)
class ThetaSensitivity(CompletingModel):
    """Classes of k >= 2 people whose variance V is at least theta = mu (k^2 - 1)/12, mu >= 0.

    Definition 10 of Khan et al., Electronics 2020, 9(5), 716, with the variance that its text
    means: ranks of the values by falling frequency, over all published rows, noise included, and
    equality allowed. If ``per_class``, theta is that of each class's own size instead of k. With
    missing values V is the least of all completions, or where that cannot be had within a budget a
    lower bound of it, and the verdict's reason says so. See :mod:`kproof.theory.theorems.theta` for
    what this does guarantee.

    The third class of the paper's Table 4a has V = 11/16; theta is 3/4 for mu = 3/5:

    Args:
        k: At least 2.
        mu: At least 0.
        per_class: Compute theta from each class's own size instead of k.

    >>> classes = Classes(
    ...     np.array([0, 0, 0, 0]), 1, np.array([0, 1, 2, 2]), ("HIV", "Cancer", "Flu")
    ... )
    >>> print(ThetaSensitivity(4, "3/5").check(classes))
    theta-sensitivity(k=4, mu=0.6): fails (theta up to mu = 0.55: least V is 0.6875, class 0)
    >>> print(ThetaSensitivity(4, "0.55").check(classes))
    theta-sensitivity(k=4, mu=0.55): holds (theta up to mu = 0.55: least V is 0.6875, class 0)
    """

    title: ClassVar[str] = "theta-sensitivity"
    meaning: ClassVar[str] = "largest mu"
    """The largest mu whose theta no class falls below."""

    k: int
    mu: Fraction
    per_class: bool

    def __init__(self, k: Number, mu: Number, *, per_class: bool = False) -> None:
        vars(self).update(k=GROUP_K.read(k), mu=MU.read(mu), per_class=per_class)

    def _flag_failing(self, classes: Classes) -> Flags:
        recorded = KnownValues.of(classes) if open_to_doubt(classes) else None
        own_sizes = classes.histogram.sizes if recorded is None else recorded.sizes
        sizes = own_sizes if self.per_class else np.full_like(own_sizes, self.k)
        widths = Widths.of(classes.histogram) if recorded is None else Widths.least(recorded)
        # No class reaches such a theta, and a larger fraction may be beyond all floats.
        threshold = float(min(self.mu, Fraction(10**30))) * (sizes.astype(np.float64) ** 2 - 1) / 12
        gaps = widths.approximate - threshold
        failing = (gaps < 0) | (classes.real_sizes < self.k)
        near = np.abs(gaps) <= SLACK * (1 + threshold)
        # A bound that is too low need not be V.
        near[list(widths.loose)] |= gaps[list(widths.loose)] < 0
        for index in np.flatnonzero(near & (classes.real_sizes >= self.k)).tolist():
            widths.sharpen(index)
            failing[index] = widths.at(index) < theory.theta(int(sizes[index]), self.mu)
        return failing

    def _check(self, classes: Classes) -> Verdict:
        recorded = KnownValues.of(classes) if open_to_doubt(classes) else None
        own_sizes = classes.histogram.sizes if recorded is None else recorded.sizes
        # A class of one row has theta 0 by its own size, which it reaches whatever mu is.
        sizes = own_sizes if self.per_class else np.full_like(own_sizes, self.k)
        bounded = np.flatnonzero(sizes > 1)
        if len(bounded) == 0:
            reason = "every class is a single row"
            return self._verdict(classes, 0, True, "any", reason, k=self.k)
        yardstick = (sizes[bounded].astype(np.float64) ** 2 - 1) / 12
        widths = Widths.of(classes.histogram) if recorded is None else Widths.least(recorded)
        # A class may be the least by its bound alone: sharpened, it gives way to another. Each is
        # sharpened once, so that it ends.
        while True:
            place, mu = extreme(
                widths.approximate[bounded] / yardstick,
                lambda place: (
                    widths.at(int(bounded[place])) / theory.theta(int(sizes[bounded[place]]), 1)
                ),
                [key[bounded] for key in (sizes, *widths.keys)],
                largest=False,
            )
            index = int(bounded[place])
            if not widths.sharpen(index):
                break
        width = widths.at(index)
        phrase = "least V is" if index not in widths.loose else "V is nowhere below"
        attained = f"{phrase} {short_text(width, up=False)}"
        reason = f"theta up to mu = {short_text(mu, up=False)}: {attained}"
        figures = {"V": width, "theta": theory.theta(int(sizes[index]), self.mu)}
        return self._verdict(classes, index, mu >= self.mu, mu, reason, k=self.k, **figures)


@dataclass
class Widths:
    """V of every class."""

    approximate: Floats
    """Shape (classes,): within three roundings."""
    keys: tuple[Codes, ...]
    """Arrays that together determine V."""
    histogram: Histogram
    """The histogram it comes from."""
    recorded: KnownValues | None = None
    """What is missing, if V is the least of all completions; bounds by class that are replaced
    by V itself where it matters."""
    bounds: dict[int, Fraction] = field(default_factory=dict)
    """Lower bounds, or V, of the classes with missing values."""
    loose: set[int] = field(default_factory=set)
    """Those of which only a lower bound can be had."""

    @classmethod
    def of(cls, histogram: Histogram) -> Widths:
        """Compute V of every class from its sorted counts; each has a row."""
        counts = sort_counts(histogram)
        starts = histogram.starts[:-1]
        values = np.diff(histogram.starts)
        rank = np.arange(1, len(counts) + 1) - np.repeat(starts, values)
        first = np.add.reduceat(counts * rank, starts)
        second = np.add.reduceat(counts * rank * rank, starts)
        sizes = histogram.sizes
        approximate = (sizes * second - first * first) / (sizes * sizes)
        # m second and first^2 are at most (m d)^2; what may not fit in 64 bits is done alone.
        for index in np.flatnonzero(sizes.astype(np.float64) * values >= 2.0**31).tolist():
            # A key that no sums have, so that it is never taken for another class's.
            first[index], second[index] = -1 - index, 0
            approximate[index] = float(_exact(histogram, index))
        return cls(approximate, (sizes, first, second), histogram)

    @classmethod
    def least(cls, recorded: KnownValues) -> Widths:
        """Bound V of every class from below, over all ways to fill in what is missing."""
        complete = np.flatnonzero(recorded.unknown == 0)
        count = len(recorded.sizes)
        approximate = np.zeros(count)
        keys = tuple(np.zeros(count, dtype=np.int64) for _ in range(3))
        if len(complete):
            full = cls.of(_only(recorded.histogram, complete))
            approximate[complete] = full.approximate
            for key, part in zip(keys, full.keys, strict=True):
                key[complete] = part
        bounds = {}
        # A bound first: it is quick, and most classes are never the least by it.
        for index in np.flatnonzero(recorded.unknown).tolist():
            bounds[index] = lower_bound(
                _counts(recorded.histogram, index), int(recorded.unknown[index])
            )
            approximate[index] = float(bounds[index])
            # Each class with gaps is alone of its kind.
            keys[0][index] = -1 - index
        return cls(approximate, keys, recorded.histogram, recorded, bounds, set(bounds))

    def sharpen(self, index: int) -> bool:
        """Replace a bound by V, if that is to be had; say whether anything changed."""
        if self.recorded is None or index not in self.loose:
            return False
        before, counts = self.bounds[index], _counts(self.recorded.histogram, index)
        gaps, domain = int(self.recorded.unknown[index]), len(self.recorded.domain)
        width, certain = least_width(counts, gaps, domain)
        if not certain:
            return False
        self.loose.discard(index)
        self.bounds[index] = width
        self.approximate[index] = float(width)
        return width != before

    def at(self, index: int) -> Fraction:
        """Return V of one class, exactly, or the bound that stands for it."""
        return self.bounds[index] if index in self.bounds else _exact(self.histogram, index)


def _exact(histogram: Histogram, index: int) -> Fraction:
    return theory.variance(_counts(histogram, index))


def _counts(histogram: Histogram, index: int) -> list[int]:
    """Return how many rows of a class have each value that is there, in falling order."""
    own = slice(histogram.starts[index], histogram.starts[index + 1])
    return sorted(histogram.counts[own].tolist(), reverse=True)


def _only(histogram: Histogram, chosen: Codes) -> Histogram:
    """Return some classes of a histogram, ascending."""
    place = np.full(len(histogram.sizes), -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    entries = place[histogram.classes] >= 0
    of_class = place[histogram.classes[entries]]
    return Histogram(
        classes=of_class,
        values=histogram.values[entries],
        counts=histogram.counts[entries],
        starts=np.searchsorted(of_class, np.arange(len(chosen) + 1)).astype(np.int64),
        sizes=histogram.sizes[chosen],
        totals=histogram.totals,
    )
