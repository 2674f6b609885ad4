"""The inequalities that sums of moments of real data cannot break, checked exactly.

Typed sums are the one input that can be impossible without looking it. Every check compares
squares or fourth powers of rationals, so no root is rounded, and the error names the inequality.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from kproof.errors import Infeasible, shown


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
            "raw_third", f"raw_fourth = {s['raw_fourth']}", "(sum E D_i^3)^4 <= n * (sum E D_i^4)^3"
        )
