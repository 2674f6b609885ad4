"""The inequalities that moments of real data cannot break, checked exactly.

Typed moments are the one input that can be impossible without looking it. Every check compares
squares or fourth powers of rationals, so no root is rounded, and the error names the inequality.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from kproof.errors import Infeasible, shown

if TYPE_CHECKING:
    from kproof.theory.theorems.moments import RecordMoments


def require_feasible(m: RecordMoments) -> None:
    """Check the moment inequalities of one random variable, exactly."""
    if m.second < m.mean**2:
        raise Infeasible(
            f"second = {m.second} < mean^2 = {m.mean**2}: need E D^2 >= (E D)^2 (variance >= 0)"
        )
    if m.fourth is not None and m.fourth < m.second**2:
        raise Infeasible(
            f"fourth = {m.fourth} < second^2 = {m.second**2}: need E D^4 >= (E D^2)^2 (Lyapunov)"
        )
    if m.variance == 0:
        for name, moment, power in (("third", m.third, 3), ("fourth", m.fourth, 4)):
            if moment is not None and moment != m.mean**power:
                raise Infeasible(
                    f"{name} = {shown(moment)}: need E D^{power} = (E D)^{power} when the "
                    "variance is 0"
                )
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

    def refuse(name: str, given: str, inequality: str) -> None:
        raise Infeasible(f"{name} = {s[name]} with n = {n}, {given}: need {inequality}")

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
                    f"variance = {shown(variance)}, fourth = {shown(s['fourth'])}",
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
            refuse(
                "absolute_third",
                f"sigma_cubed = {s['sigma_cubed']}",
                "sum E|X_i|^3 >= sum sigma_i^3",
            )
    # |E D^3| <= (E D^4)^(3/4) and power means.
    if {"raw_third", "raw_fourth"} <= s.keys() and s["raw_third"] ** 4 > n * s["raw_fourth"] ** 3:
        refuse(
            "raw_third",
            f"raw_fourth = {s['raw_fourth']}",
            "(sum E D_i^3)^4 <= n * (sum E D_i^4)^3",
        )
