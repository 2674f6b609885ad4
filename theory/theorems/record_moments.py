"""Moments of records, with the inequalities that moments of real data cannot break.

Typed moments are the one input that can be impossible without looking it. Every check compares
squares or fourth powers of rationals, so no root is rounded, and the error names the inequality.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from flint import arb

from kproof.errors import Infeasible, InvalidArgument, show
from kproof.theory.exact.typed import Number, as_arb, rational, whole_power
from kproof.theory.laws.data import empirical

Value: TypeAlias = "Fraction | arb"


@dataclass(frozen=True, slots=True)
class RecordMoments:
    """Moments of one record D.

    Raises:
        Infeasible: If no random variable has these moments; the message names the violated
            inequality.

    >>> coin = RecordMoments.of("1/2", "1/2", "1/2", "1/2")
    >>> coin.variance, coin.is_bernoulli
    (Fraction(1, 4), True)
    >>> RecordMoments.of(2, 3)
    Traceback (most recent call last):
        ...
    kproof.errors.Infeasible: second = 3 < mean^2 = 4: need E D^2 >= (E D)^2 (variance >= 0)
    """

    mean: Fraction
    second: Fraction
    third: Fraction | None = None
    fourth: Fraction | None = None
    """E D, E D^2, E D^3, E D^4 (the paper's pi, phi^2, chi^3, xi^4). Third and fourth may be
    None where they are not known."""
    absolute_third: Fraction | None = None
    """``E|D - E D|^3``, or None; where it is None the theorems use its upper bound
    sqrt(Var D * E(D - E D)^4)."""

    def __post_init__(self) -> None:
        _require_feasible(self)

    @classmethod
    def of(
        cls,
        mean: Number,
        second: Number,
        third: Number | None = None,
        fourth: Number | None = None,
        absolute_third: Number | None = None,
    ) -> RecordMoments:
        """Read typed numbers (each the decimal that was typed) and check them."""
        optional = {"third": third, "fourth": fourth, "absolute_third": absolute_third}
        return cls(
            rational("mean", mean),
            rational("second", second, least=0),
            **{name: None if x is None else rational(name, x) for name, x in optional.items()},
        )

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[Fraction, Fraction]]) -> RecordMoments:
        """Return the moments of a finite law given as (value, probability) pairs, exactly."""
        law = list(pairs)
        raw = [sum((w * x**r for x, w in law), Fraction(0)) for r in range(5)]
        if raw[0] != 1:
            raise InvalidArgument("probabilities", raw[0], "a sum of exactly 1")
        absolute = sum((w * abs(x - raw[1]) ** 3 for x, w in law), Fraction(0))
        return cls(raw[1], raw[2], raw[3], raw[4], absolute)

    @classmethod
    def from_column(cls, values: Sequence[Number], *, name: str = "column") -> RecordMoments:
        """Return the moments of one record drawn at random from a column of numbers.

        >>> RecordMoments.from_column([1, 2, 2, 3]).mean
        Fraction(2, 1)
        """
        return cls.from_pairs(empirical(values, name=name).atoms)

    @property
    def variance(self) -> Fraction:
        """E D^2 - (E D)^2."""
        return self.second - self.mean**2

    @property
    def third_central(self) -> Fraction | None:
        """E(D - E D)^3, the signed moment that the paper's Theorem 2 prints."""
        if self.third is None:
            return None
        return self.third - 3 * self.second * self.mean + 2 * self.mean**3

    @property
    def fourth_central(self) -> Fraction | None:
        """E(D - E D)^4."""
        if self.third is None or self.fourth is None:
            return None
        m = self.mean
        return self.fourth - 4 * self.third * m + 6 * self.second * m**2 - 3 * m**4

    @property
    def is_bernoulli(self) -> bool:
        """Whether the moments force D to be 0 or 1: E(D^2 - D)^2 = 0."""
        if self.third is None or self.fourth is None:
            return False
        return self.fourth - 2 * self.third + self.second == 0

    @property
    def squared_gap(self) -> Fraction | None:
        """The square of how far the two values lie apart that the moments force D to have.

        None if they do not: only where Pearson's inequality is an equality are there two values.
        """
        third, fourth, spread = self.third_central, self.fourth_central, self.variance
        if third is None or fourth is None or not spread:
            return None
        if fourth * spread != third**2 + spread**3:
            return None
        return 4 * spread + (third / spread) ** 2

    def absolute_third_at_most(self) -> Value | None:
        """Return ``E|D - E D|^3``, or its Cauchy-Schwarz upper bound, or None if not known."""
        if self.absolute_third is not None:
            return self.absolute_third
        if self.is_bernoulli:
            p = self.mean
            return p * (1 - p) * (p**2 + (1 - p) ** 2)
        if self.fourth_central is None:
            return None
        return as_arb(self.variance * self.fourth_central).sqrt()


def _require_feasible(m: RecordMoments) -> None:
    """Check the moment inequalities of one random variable, exactly."""
    if m.second < m.mean**2:
        need = "E D^2 >= (E D)^2 (variance >= 0)"
        raise Infeasible(f"second = {m.second} < mean^2 = {m.mean**2}: need {need}")
    if m.fourth is not None and m.fourth < m.second**2:
        need = "E D^4 >= (E D^2)^2 (Lyapunov)"
        raise Infeasible(f"fourth = {m.fourth} < second^2 = {m.second**2}: need {need}")
    # A constant fixes all of its moments, which the inequalities below do not say of each.
    if m.variance == 0:
        for name, moment, power in (("third", m.third, 3), ("fourth", m.fourth, 4)):
            if moment is not None and moment != m.mean**power:
                need = f"E D^{power} = (E D)^{power} when the variance is 0"
                raise Infeasible(f"{name} = {show(moment)}: need {need}")
    third, fourth = m.third_central, m.fourth_central
    # Pearson: kurtosis >= skewness^2 + 1; with the variance, this is the whole condition for four
    # moments (the Hankel matrix of 1, E D, ..., E D^4 is positive semidefinite).
    if (
        third is not None
        and fourth is not None
        and (fourth * m.variance < third**2 + m.variance**3)
    ):
        raise Infeasible(
            f"central moments {m.variance}, {third}, {fourth}: need mu4 * mu2 >= mu3^2 + mu2^3 "
            "(Pearson's inequality; rounded moments may just miss it: give fractions)"
        )
    if m.absolute_third is not None:
        if m.absolute_third**2 < m.variance**3:
            raise Infeasible(
                f"absolute_third = {m.absolute_third}: need E|D - E D|^3 >= sigma^3 (Lyapunov)"
            )
        if third is not None and m.absolute_third < abs(third):
            raise Infeasible(
                f"absolute_third = {m.absolute_third} < {abs(third)}: need E|X|^3 >= |E X^3|"
            )
        if fourth is not None and m.absolute_third**2 > m.variance * fourth:
            raise Infeasible(
                f"absolute_third = {m.absolute_third}: need (E|X|^3)^2 <= E X^2 * E X^4 "
                "(Cauchy-Schwarz)"
            )


def require_feasible_sums(n: int, s: Mapping[str, Fraction]) -> None:
    """Check the inequalities that sums over n records obey, exactly (squares, no roots)."""
    variance = s.get("variance")

    def refuse(name: str, condition: str, inequality: str) -> None:
        raise Infeasible(f"{name} = {s[name]} with n = {n}, {condition}: need {inequality}")

    for name, inequality in (
        ("sigma_cubed", "sum sigma_i^3 >= (sum sigma_i^2)^(3/2) / sqrt(n) (power means)"),
        ("absolute_third", "sum E|X_i|^3 >= (sum sigma_i^2)^(3/2) / sqrt(n) (Lyapunov)"),
    ):
        if variance is not None and name in s and s[name] ** 2 * n < variance**3:
            refuse(name, f"variance = {variance}", inequality)
    if variance is not None and "sigma_cubed" in s and s["sigma_cubed"] ** 2 > variance**3:
        refuse("sigma_cubed", f"variance = {variance}", "sum sigma_i^3 <= (sum sigma_i^2)^(3/2)")
    if variance is not None and "fourth" in s:
        for name in ("third", "sigma_cubed"):
            if s.get(name, Fraction(0)) ** 2 > variance * s["fourth"]:
                refuse(
                    name,
                    f"variance = {show(variance)}, fourth = {show(s['fourth'])}",
                    "(third sum)^2 <= sum sigma_i^2 * sum E X_i^4 (Cauchy-Schwarz)",
                )
    if variance == 0 and s.get("third", Fraction(0)) != 0:
        refuse("third", "variance = 0", "0 when no record varies")
    if variance is not None and "fourth" in s and s["fourth"] * n < variance**2:
        refuse("fourth", f"variance = {variance}", "n * sum E X_i^4 >= (sum sigma_i^2)^2")
    if variance is not None and "raw_fourth" in s and s["raw_fourth"] * n < variance**2:
        refuse("raw_fourth", f"variance = {variance}", "n * sum E D_i^4 >= (sum sigma_i^2)^2")
    if variance is not None and "variance_of_sum" in s and s["variance_of_sum"] > n * variance:
        refuse("variance_of_sum", f"variance = {variance}", "Var sum D_i <= n * sum Var D_i")
    if "absolute_third" in s:
        if abs(s.get("third", Fraction(0))) > s["absolute_third"]:
            refuse("absolute_third", f"third = {s['third']}", "sum E|X_i|^3 >= |sum E X_i^3|")
        if s["absolute_third"] < s.get("sigma_cubed", Fraction(0)):
            least = f"sigma_cubed = {s['sigma_cubed']}"
            refuse("absolute_third", least, "sum E|X_i|^3 >= sum sigma_i^3")
    # |E D^3| <= (E D^4)^(3/4) and power means.
    if {"raw_third", "raw_fourth"} <= s.keys() and s["raw_third"] ** 4 > n * s["raw_fourth"] ** 3:
        refuse(
            "raw_third", f"raw_fourth = {s['raw_fourth']}", "(sum E D_i^3)^4 <= n * (sum E D_i^4)^3"
        )


def ball_moments(pairs: Sequence[tuple[Fraction, arb]]) -> tuple[arb, ...]:
    """Return variance, third, |third|, sigma^3, fourth central, raw third and raw fourth.

    Of one record, from balls of its masses, as conditional laws give them.

    >>> ball_moments([(Fraction(0), arb("0.5")), (Fraction(1), arb("0.5"))])[0]
    0.250000000000000
    """
    values = [(as_arb(x), w) for x, w in pairs]
    mean = sum((w * x for x, w in values), arb(0))
    central = [(x - mean, w) for x, w in values]

    def moment(order: int, pairs: list[tuple[arb, arb]]) -> arb:
        return sum((w * whole_power(x, order) for x, w in pairs), arb(0))

    # The ball of a small variance reaches below 0, where its root has no value.
    spread = moment(2, central).nonnegative_part()
    absolute = moment(3, [(abs(x), w) for x, w in central])
    third, fourth = moment(3, central), moment(4, central)
    raw = moment(3, values), moment(4, values)
    return (spread, third, absolute, spread * spread.sqrt(), fourth, *raw)
