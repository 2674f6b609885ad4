"""The symbols of Theorems 2 to 5: sums over all records, or over those the adversary misses.

Theorems 4 and 5 are Theorems 2 and 3 with every sum over the unknown records and n(1 - lambda_2)
for n. Both pairs are therefore built from one text, once with each set of symbols.
"""

from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache

import sympy as sp

from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.symbolic import Value


@dataclass(frozen=True, slots=True)
class Sums:
    """One symbol for each sum a theorem uses; ``n`` counts the records summed over."""

    n: sp.Symbol
    variance: sp.Symbol
    variance_of_sum: sp.Symbol
    third: sp.Symbol
    sigma_cubed: sp.Symbol
    absolute_third: sp.Symbol
    fourth: sp.Symbol
    raw_third: sp.Symbol
    raw_fourth: sp.Symbol

    def values(self, moments: Moments) -> dict[sp.Symbol, Value]:
        """Return the known sums of some moments, by symbol."""
        values = {getattr(self, part.name): getattr(moments, part.name) for part in fields(self)}
        values[self.n] = Fraction(moments.n)
        values[self.absolute_third] = moments.absolute_third_at_most
        if moments.variance_of_sum is None:
            values[self.variance_of_sum] = moments.variance
        return {symbol: value for symbol, value in values.items() if value is not None}

    def notation(self) -> dict[sp.Symbol, str]:
        """Return the paper's notation of each symbol, as LaTeX."""
        over = r"\sum_{i\notin\Gamma}" if self.n.name != "n" else r"\sum_i"
        return {
            self.n: r"n(1-\lambda_2)" if self.n.name != "n" else "n",
            self.variance: rf"\left({over}(\varphi_i^2-\pi_i^2)\right)",
            self.variance_of_sum: rf"\operatorname{{Var}}{over} D_i",
            self.third: rf"{over}(\chi_i^3-3\varphi_i^2\pi_i+2\pi_i^3)",
            self.sigma_cubed: rf"{over}(\varphi_i^2-\pi_i^2)^{{3/2}}",
            self.absolute_third: rf"{over}\operatorname{{E}}|D_i-\pi_i|^3",
            self.fourth: rf"{over}\operatorname{{E}}(D_i-\pi_i)^4",
            self.raw_third: rf"{over}\chi_i^3",
            self.raw_fourth: rf"{over}\xi_i^4",
        }


@cache
def sums(*, unknown_only: bool) -> Sums:
    """Return the symbols of Theorems 2 and 3, or of 4 and 5."""
    mark = "_unknown" if unknown_only else ""
    positive = {"n", "variance", "variance_of_sum", "sigma_cubed"}
    signed = {"third", "raw_third"}
    symbols = {
        name: sp.Symbol(
            name + mark,
            real=True,
            positive=True if name in positive else None,
            nonnegative=None if name in signed else True,
        )
        for name in (part.name for part in fields(Sums))
    }
    return Sums(**symbols)
