"""Theta-sensitivity: the variance of the ranks of the values of every class is at least theta."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kproof.models.classes import Classes, Codes, Histogram
from kproof.models.privacy.base import Floats, Model, extreme, ranked, shown
from kproof.models.verdict import Verdict
from kproof.theory import theta as theory
from kproof.theory.bounds import shown_exactly
from kproof.theory.numbers import Number, integer, rational


@dataclass(frozen=True, init=False)
class ThetaSensitivity(Model):
    """Classes of k people whose variance V is at least theta = mu (k^2 - 1)/12.

    Definition 10 of Khan et al., Electronics 2020, 9(5), 716, with the variance that its text
    means: ranks of the values by falling frequency, over all published rows, noise included, and
    equality allowed. See :mod:`kproof.theory.theta` for what this does guarantee.

    Parameters
    ----------
    k
        At least 2.
    mu
        At least 0.
    per_class
        Compute theta from each class's own size instead of k.

    Examples
    --------
    The third class of the paper's Table 4a has V = 11/16; theta is 3/4 for mu = 3/5:

    >>> classes = Classes(
    ...     np.array([0, 0, 0, 0]), 1, np.array([0, 1, 2, 2]), ("HIV", "Cancer", "Flu")
    ... )
    >>> print(ThetaSensitivity(4, "3/5").check(classes))
    theta-sensitivity(k=4, mu=0.6): fails (theta up to mu = 0.55: least V is 0.6875, class 0)
    >>> print(ThetaSensitivity(4, "0.55").check(classes))
    theta-sensitivity(k=4, mu=0.55): holds (theta up to mu = 0.55: least V is 0.6875, class 0)
    """

    k: int
    mu: Fraction
    per_class: bool

    def __init__(self, k: Number, mu: Number, *, per_class: bool = False) -> None:
        object.__setattr__(self, "k", integer("k", k, least=2))
        object.__setattr__(self, "mu", rational("mu", mu, least=0))
        object.__setattr__(self, "per_class", per_class)

    @property
    def name(self) -> str:
        """``theta-sensitivity(k=..., mu=...)``."""
        own = ", per class" if self.per_class else ""
        return f"theta-sensitivity(k={self.k}, mu={shown_exactly(self.mu)}{own})"

    @property
    def meaning(self) -> str:
        """The largest mu whose theta no class falls below."""
        return "largest mu"

    def _check(self, classes: Classes) -> Verdict:
        found = classes.histogram
        # A class of one row has theta 0 by its own size, which it reaches whatever mu is.
        sizes = found.sizes if self.per_class else np.full_like(found.sizes, self.k)
        bounded = np.flatnonzero(sizes > 1)
        if len(bounded) == 0:
            reason = "every class is a single row"
            return self._verdict(classes, 0, True, "any", reason, k=self.k)
        widths = Widths.of(found)
        yardstick = (sizes[bounded].astype(np.float64) ** 2 - 1) / 12
        place, mu = extreme(
            widths.approximate[bounded] / yardstick,
            lambda place: (
                widths.at(int(bounded[place])) / theory.theta(int(sizes[bounded[place]]), 1)
            ),
            [key[bounded] for key in (sizes, *widths.keys)],
            largest=False,
        )
        index = int(bounded[place])
        width = widths.at(index)
        return self._verdict(
            classes,
            index,
            mu >= self.mu,
            mu,
            f"theta up to mu = {shown(mu, up=False)}: least V is {shown(width, up=False)}",
            k=self.k,
            V=width,
            theta=theory.theta(int(sizes[index]), self.mu),
        )


@dataclass(frozen=True)
class Widths:
    """V of every class.

    Attributes
    ----------
    approximate
        Shape (classes,): within three roundings.
    keys
        Arrays that together determine V.
    found
        The histogram it comes from.
    """

    approximate: Floats
    keys: tuple[Codes, ...]
    found: Histogram

    @classmethod
    def of(cls, found: Histogram) -> Widths:
        """Compute V of every class from its sorted counts."""
        counts = ranked(found)
        starts = found.starts[:-1]
        values = np.diff(found.starts)
        rank = np.arange(1, len(counts) + 1) - np.repeat(starts, values)
        first = np.add.reduceat(counts * rank, starts)
        second = np.add.reduceat(counts * rank * rank, starts)
        sizes = found.sizes
        approximate = (sizes * second - first * first) / (sizes * sizes)
        # m second and first^2 are at most (m d)^2; what may not fit in 64 bits is done alone.
        for index in np.flatnonzero(sizes.astype(np.float64) * values >= 2.0**31).tolist():
            first[index], second[index] = -1 - index, 0
            approximate[index] = float(_exact(found, index))
        return cls(approximate, (sizes, first, second), found)

    def at(self, index: int) -> Fraction:
        """Return V of one class, exactly."""
        return _exact(self.found, index)


def _exact(found: Histogram, index: int) -> Fraction:
    return theory.variance(found.counts[found.starts[index] : found.starts[index + 1]].tolist())
