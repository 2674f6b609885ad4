"""The number of successes in independent trials with probabilities of their own."""

from collections.abc import Sequence
from fractions import Fraction

from kproof.errors import InvalidArgument
from kproof.theory.exact.typed import Number, rational
from kproof.theory.laws.base import LatticeLaw
from kproof.theory.laws.finite import FiniteLattice
from kproof.theory.laws.sums import IndependentSum


class PoissonBinomial(IndependentSum):
    """The number of successes in independent trials; trial i is record i and is 0 or 1.

    Args:
        ps: The probability of success of each trial, from 0 to 1.

    >>> law = PoissonBinomial([0.5, "1/4", 1])
    >>> law, law.mean(), law.log_concave
    (PoissonBinomial(3 trials), 1.75000000000000, True)
    >>> law.given({0: 1}).mean()
    1.25000000000000
    """

    def __init__(self, ps: Sequence[Number]) -> None:
        if isinstance(ps, str) or len(ps) == 0:
            raise InvalidArgument("ps", ps, "a sequence of at least one probability")
        trials: dict[Fraction, list[int]] = {}
        for index, p in enumerate(ps):
            trials.setdefault(rational(f"ps[{index}]", p, least=0, most=1), []).append(index)
        self._groups: tuple[tuple[LatticeLaw, Sequence[int]], ...] = tuple(
            (FiniteLattice.bernoulli(p), indexes) for p, indexes in trials.items()
        )

    @property
    def name(self) -> str:
        """The number of trials."""
        trials = sum(len(indexes) for _, indexes in self._groups)
        return f"PoissonBinomial({trials} trial{'s' if trials != 1 else ''})"
