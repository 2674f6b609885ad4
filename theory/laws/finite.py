"""Any law on finitely many rational values with rational probabilities, kept exactly.

The values lie on the coarsest lattice that holds them all, and the masses are integers over one
total, so that a column of counts and a table of probabilities are the same thing.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import gcd, lcm
from typing import TypeVar

import numpy as np
from flint import arb

from kproof.errors import InvalidArgument, show
from kproof.theory.exact.typed import Number, as_arb, integer, rational
from kproof.theory.laws.base import LatticeLaw
from kproof.theory.laws.windows import FloatWindow, Window, least_tail, within_budget

Value = TypeVar("Value", bound="Number")
_ZERO, _ONE = Fraction(0), Fraction(1)


class FiniteLattice(LatticeLaw):
    """A law on finitely many values.

    Args:
        masses: The probability of each value. Values whose probability is 0 are left out; values
            that are the same number, such as ``0.5`` and ``"1/2"``, are added up.

    >>> die = FiniteLattice({face: "1/6" for face in range(1, 7)})
    >>> die, die.step, die.exact_mean, die.log_concave
    (FiniteLattice(6 values from 1 to 6), Fraction(1, 1), Fraction(7, 2), True)
    """

    def __init__(self, masses: Mapping[Value, Number]) -> None:
        added: dict[Fraction, Fraction] = {}
        for value, mass in masses.items():
            point = rational("value", value)
            name = f"mass of {show(point)}"
            added[point] = added.get(point, Fraction(0)) + rational(name, mass, least=0, most=1)
        total = sum(added.values(), start=Fraction(0))
        if total != 1:
            raise InvalidArgument("sum of masses", total, "exactly 1")
        common = lcm(*(mass.denominator for mass in added.values()))
        self._set_weights({point: int(mass * common) for point, mass in added.items()})

    @classmethod
    def bernoulli(cls, p: Number) -> FiniteLattice:
        """Return the law of one trial: 1 with probability ``p``, else 0.

        >>> FiniteLattice.bernoulli("0.3").exact_variance
        Fraction(21, 100)
        """
        chance = rational("p", p, least=0, most=1)
        law = cls.__new__(cls)
        if 0 < chance < 1:
            law._assign(
                _ZERO, _ONE, (0, 1), (chance.denominator - chance.numerator, chance.numerator)
            )
        else:
            law._assign(chance, _ONE, (0,), (1,))
        return law

    @classmethod
    def from_counts(cls, counts: Mapping[Value, Number]) -> FiniteLattice:
        """Return the law in which each value is as likely as it is frequent.

        >>> FiniteLattice.from_counts({17: 3, 90: 1}).atoms
        ((Fraction(17, 1), Fraction(3, 4)), (Fraction(90, 1), Fraction(1, 4)))
        """
        added: dict[Fraction, int] = {}
        for value, count in counts.items():
            point = rational("value", value)
            added[point] = added.get(point, 0) + integer(f"count of {show(point)}", count, least=0)
        if not any(added.values()):
            raise InvalidArgument("counts", "{}" if not counts else "all 0", "one that is positive")
        law = cls.__new__(cls)
        law._set_weights(added)
        return law

    def _set_weights(self, weights: Mapping[Fraction, int]) -> None:
        """Take weights that need no more checks, at least one of them positive."""
        points = sorted(point for point, weight in weights.items() if weight)
        scale = lcm(*(point.denominator for point in points))
        places = [point.numerator * (scale // point.denominator) for point in points]
        # A single value has no gaps, and `gcd` of nothing is 0: its step is then 1.
        gap = gcd(*(after - before for before, after in pairwise(places))) or scale
        # Reduced, since laws are compared and hashed by their weights.
        shared = gcd(*(weights[point] for point in points))
        self._assign(
            points[0],
            Fraction(gap, scale),
            tuple((place - places[0]) // gap for place in places),
            tuple(weights[point] // shared for point in points),
        )

    def _assign(
        self, origin: Fraction, step: Fraction, indexes: tuple[int, ...], weights: tuple[int, ...]
    ) -> None:
        self._origin = origin
        self._step = step
        self._indexes = indexes
        self._weights = weights
        self._total = sum(weights)

    @property
    def name(self) -> str:
        """The number of values and their range."""
        if len(self._indexes) == 1:
            return f"FiniteLattice(only {self._origin})"
        last = self._origin + self._step * self._indexes[-1]
        return f"FiniteLattice({len(self._indexes)} values from {self._origin} to {last})"

    @property
    def origin(self) -> Fraction:
        """The least value."""
        return self._origin

    @property
    def step(self) -> Fraction:
        """The greatest number that divides all gaps; 1 if there is only one value."""
        return self._step

    @property
    def points(self) -> int:
        """How many lattice points there are from the least to the greatest value."""
        return self._indexes[-1] + 1

    @cached_property
    def atoms(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The values with their probabilities, none of them 0, by rising value."""
        return tuple(
            (self._origin + self._step * index, Fraction(weight, self._total))
            for index, weight in zip(self._indexes, self._weights, strict=True)
        )

    @cached_property
    def exact_mean(self) -> Fraction:
        """The mean."""
        first = sum(w * i for w, i in zip(self._weights, self._indexes, strict=True))
        return self._origin + self._step * Fraction(first, self._total)

    @cached_property
    def exact_variance(self) -> Fraction:
        """The variance."""
        first = sum(w * i for w, i in zip(self._weights, self._indexes, strict=True))
        second = sum(w * i * i for w, i in zip(self._weights, self._indexes, strict=True))
        return self._step**2 * Fraction(second * self._total - first**2, self._total**2)

    def mean(self) -> arb:
        """Return the mean as a ball."""
        return as_arb(self.exact_mean)

    def variance(self) -> arb:
        """Return the variance as a ball."""
        return as_arb(self.exact_variance)

    @cached_property
    def log_concave(self) -> bool:
        """Whether no mass inside is 0 and each squared is at least its neighbours' product."""
        weights = self._weights
        return len(weights) == self.points and all(
            middle * middle >= before * after
            for before, middle, after in zip(weights, weights[1:], weights[2:], strict=False)
        )

    def window(self, tail: arb) -> Window:
        """Return all masses, whatever the tail."""
        least_tail(tail)
        masses = [arb(0)] * within_budget(self.points, self)
        total = arb(self._total)
        for index, weight in zip(self._indexes, self._weights, strict=True):
            masses[index] = arb(weight) / total
        return Window(0, masses, arb(0))

    def float_window(self) -> FloatWindow:
        """Return all masses, each correctly rounded."""
        masses = np.zeros(within_budget(self.points, self))
        # Python's integers divide with one rounding, even where neither fits into a float.
        masses[list(self._indexes)] = [weight / self._total for weight in self._weights]
        # Half a unit in the last place of masses that add up to 1, and for each subnormal the least
        # float.
        return FloatWindow(0, masses, 2.0**-53 + len(self._weights) * 5e-324)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FiniteLattice) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        return self._origin, self._step, self._indexes, self._weights
