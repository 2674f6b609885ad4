"""Theorem 2: level I. Independent records; a normal approximation by Berry and Esseen.

As printed, the third central moment is signed where the inequality needs E|X|^3 (so that delta can
come out negative), its denominator is sum sigma_i^3 where (sum sigma_i^2)^(3/2) is needed, the
factor exp(sqrt(s^2 ln n / V)) is left over from another choice of epsilon, and the conclusion is
drawn for all events from a distance that controls half-lines and intervals only. The corrected
statement (C3) mends each and holds for every epsilon >= 0. Theorem 4 is built from the same text.
"""

from collections.abc import Mapping
from dataclasses import replace

import sympy as sp

from kproof.theory.reading import Reading
from kproof.theory.theorems import lemma1
from kproof.theory.theorems.statements import Requirement, Statement, by_reading
from kproof.theory.theorems.sums import Sums, sums

KAPPA = sp.Symbol(r"\kappa", positive=True)
BERRY_ESSEEN = sp.Symbol("C_0", positive=True)
LYAPUNOV = sp.Symbol("L", nonnegative=True)

# 2 * 0.5591, Tyurin's constant, as the paper prints it.
_TWICE_TYURIN = sp.Rational("1.1182")
INDEPENDENT_CONSTANT = sp.Rational("0.5583")
"""Berry-Esseen constant for independent records (Shevtsova 2013)."""
IDENTICAL_CONSTANT = sp.Rational("0.4690")
"""Berry-Esseen constant for independent records of one law (Shevtsova 2013)."""
BERNOULLI_CONSTANT = (sp.sqrt(10) + 3) / (6 * sp.sqrt(2 * sp.pi))
"""Berry-Esseen constant for the binomial (Schulz 2016), 0.409732...: its usual five digits,
0.40973, are rounded down and so no bound."""


def build(theorem: int, over: Sums, appendix: str) -> Mapping[Reading, Statement]:
    """Return the three readings of Theorem 2 or 4 in the given symbols."""
    epsilon = lemma1.C_PRIME * lemma1.S / sp.sqrt(over.variance)
    left_over = sp.exp(sp.sqrt(lemma1.S**2 * sp.log(over.n) / over.variance))
    normal = lemma1.gaussian_delta(lemma1.EPSILON, lemma1.S / sp.sqrt(over.variance))
    beside_normal = KAPPA * BERRY_ESSEEN * (LYAPUNOV * (1 + sp.exp(lemma1.EPSILON)))
    lyapunov = over.absolute_third / over.variance ** sp.Rational(3, 2)
    remark = "The third moment is signed: delta may come out negative or too small."
    printed = Statement(
        theorem,
        Reading.PRINTED,
        f"Theorem {theorem}",
        {
            "epsilon": epsilon,
            "delta": _TWICE_TYURIN * over.third / over.sigma_cubed * (1 + left_over)
            + 1 / sp.sqrt(over.n),
        },
        {**lemma1.least_c(over.n), **lemma1.c_prime()},
        (
            Requirement("variance > 0", over.variance, sp.Integer(0), strict=True),
            Requirement("epsilon1 < 1", sp.Integer(1), lemma1.EPSILON1, strict=True, hidden=True),
        ),
        remark,
        over.notation(),
    )
    unchanged = f"The appendix derives the statement as printed. {remark}"
    derived = replace(printed, reading=Reading.DERIVED, source=appendix, remark=unchanged)
    corrected = replace(
        printed,
        reading=Reading.CORRECTED,
        source="C3: exact Gaussian profile plus Berry-Esseen",
        formulas={"epsilon": epsilon, "delta": sp.Min(1, normal + beside_normal)},
        where={**printed.where, LYAPUNOV: lyapunov},
        requires=printed.requires[:1],
        remark="kappa is 1 for half-lines and, if the sum is log-concave, for every event; 2j "
        "for unions of j intervals.",
    )
    return by_reading(printed, derived, corrected)


STATEMENTS = build(2, sums(unknown_only=False), "Appendix C, (23) and (25)")
