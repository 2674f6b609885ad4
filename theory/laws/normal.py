"""The normal law, by its exact mean and variance."""

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

    log_concave = True
    """Always."""

    def __init__(self, mean: Number, variance: Number) -> None:
        self.exact_mean = rational("mean", mean)
        self.exact_variance = rational("variance", variance, above=0)

    @property
    def name(self) -> str:
        """The law with its parameters."""
        return f"Normal(mean={self.exact_mean}, variance={self.exact_variance})"

    def mean(self) -> arb:
        """Return the mean as a ball."""
        return as_arb(self.exact_mean)

    def variance(self) -> arb:
        """Return the variance as a ball."""
        return as_arb(self.exact_variance)
