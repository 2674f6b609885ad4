"""FU, the fraction of identified users: what an inference attack gets right, ties shared exactly.

An attack ranks the places where a victim may be. Where several rank first it picks one of them,
each as likely, and instead of tossing that coin the chance is kept as a fraction. What differs
from one draw of background knowledge to the next is told apart from that: :func:`interval`.

Source: Section IV of Zhao et al., IEEE Internet of Things J. 2019, which reports FU in percent.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from kproof.errors import InvalidArgument
from kproof.forms import JsonForm
from kproof.models.base.arrays import Codes
from kproof.models.base.verdict import SCHEMA


@dataclass(frozen=True, eq=False)
class FU:
    """What an attack on every victim comes to."""

    attack: str
    """Name of the attack."""
    parameters: Mapping[str, object]
    """What the adversary knew."""
    victims: Codes = field(repr=False)
    """Shape (victims,): index of each user that was looked for."""
    right: Codes = field(repr=False)
    """Shape (victims,): places that rank first and are the victim's own."""
    tied: Codes = field(repr=False)
    """Shape (victims,): places that rank first; 0 if every place is excluded."""
    known: int
    """Users of whom everything is known beforehand; they are not among the victims."""
    sanity: Fraction | None
    """1/k, the chance to point at one of k without knowledge; None if the release names no k."""

    @cached_property
    def identified(self) -> Fraction:
        """Expected number of victims identified, exact."""
        tie = self.tied > 0
        # By the size of the tie: few sizes occur, and a fraction for each victim would take long.
        # Weights are floats, and exact: there are fewer than 2^53 places.
        counts = np.bincount(self.tied[tie], weights=self.right[tie]).tolist()
        shares = (Fraction(int(count), size) for size, count in enumerate(counts) if count)
        return sum(shares, Fraction(0))

    @property
    def value(self) -> Fraction:
        """FU, exact: the expected share of victims identified."""
        return self.identified / len(self.victims)

    @property
    def with_known(self) -> Fraction:
        """The share identified of all users, those known beforehand counted as identified."""
        return (self.identified + self.known) / (len(self.victims) + self.known)

    @cached_property
    def deviation(self) -> float:
        """Standard deviation of the share identified that the coins among ties bring."""
        chance = self.right / np.maximum(self.tied, 1)
        return math.sqrt(float((chance * (1 - chance)).sum())) / len(self.victims)

    @property
    def certain(self) -> int:
        """Victims identified without a tie."""
        return int(np.count_nonzero((self.tied > 0) & (self.right == self.tied)))

    @property
    def misled(self) -> int:
        """Victims whose own place is not among those that rank first."""
        return int(np.count_nonzero(self.right == 0))

    def chance(self, place: int) -> Fraction:
        """Return the probability that one victim, by place, is identified."""
        if not 0 <= place < len(self.victims):
            raise InvalidArgument("place", place, f"0 <= place < {len(self.victims)}")
        return Fraction(int(self.right[place]), max(int(self.tied[place]), 1))

    def summary(self) -> str:
        """Return the figures in a few lines."""
        settings = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        lines = [
            f"{self.attack}({settings})",
            f"FU: {float(self.value):.4%} of {len(self.victims)} victims, {self.certain} for sure",
        ]
        if self.sanity is not None:
            lines.append(f"sanity bound 1/k: {float(self.sanity):.4%}")
        if self.known:
            lines.append(f"known beforehand: {self.known}")
        return "\n".join(lines)

    to_dict = JsonForm(
        "attack parameters victims=len(victims) known identified fu=value fu_decimal=float(value)",
        "fu_with_known=float(with_known) deviation certain misled sanity",
        schema=SCHEMA,
    )


@dataclass(frozen=True)
class Interval:
    """Mean of several measurements, and how far from the truth it may be."""

    mean: float
    """Of the measurements."""
    half: float
    """Half the width of the confidence interval around it."""
    count: int
    """Number of measurements."""

    @property
    def lower(self) -> float:
        """Lower end."""
        return self.mean - self.half

    @property
    def upper(self) -> float:
        """Upper end."""
        return self.mean + self.half


def interval(values: Sequence[float | Fraction], *, level: float = 0.95) -> Interval:
    """Return Student's confidence interval, of a level in (0, 1), of the mean of measurements.

    They are independent; the half width of one alone is infinite.

    >>> found = interval([1, 2, 3])
    >>> found.mean, round(found.half, 3)
    (2.0, 2.484)
    >>> interval([])
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: values = []: need at least one
    """
    if not values:
        raise InvalidArgument("values", values, "at least one")
    if not 0 < level < 1:
        raise InvalidArgument("level", level, "0 < level < 1")
    # Exact: of nearly equal values the spread would be what rounding left of it.
    exact = [Fraction(value) for value in values]
    count = len(exact)
    mean = sum(exact, Fraction(0)) / count
    if count == 1:
        return Interval(float(mean), math.inf, 1)
    from scipy.special import stdtrit

    spread = sum(((value - mean) ** 2 for value in exact), Fraction(0)) / (count - 1)
    quantile = float(stdtrit(count - 1, (1 + level) / 2))
    return Interval(float(mean), quantile * math.sqrt(spread / count), count)
