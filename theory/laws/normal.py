"""The normal law, by its exact mean and variance."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from kproof.theory.exact.typed import Number, as_arb, rational
from kproof.theory.laws.base import Law


class Normal(Law):
    """A normal law.

    Args:
        mean: Its mean.
        variance: Its variance, more than 0.

    >>> Normal(0, 2.25)
    Normal(mean=0, variance=9/4)
    """

    def __init__(self, mean: Number, variance: Number) -> None:
        self._mean = rational("mean", mean)
        self._variance = rational("variance", variance, above=0)

    @property
    def name(self) -> str:
        """The law with its parameters."""
        return f"Normal(mean={self._mean}, variance={self._variance})"

    @property
    def exact_mean(self) -> Fraction:
        """The mean."""
        return self._mean

    @property
    def exact_variance(self) -> Fraction:
        """The variance."""
        return self._variance

    def mean(self) -> arb:
        """Return the mean as a ball."""
        return as_arb(self._mean)

    def variance(self) -> arb:
        """Return the variance as a ball."""
        return as_arb(self._variance)

    @property
    def log_concave(self) -> bool:
        """Always true."""
        return True
