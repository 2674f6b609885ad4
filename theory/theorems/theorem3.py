"""Theorem 3: level II. Records with a dependency graph; a normal approximation by Stein's method.

The paper applies Ross (2011, Theorem 3.6) with raw signed moments where centred variables and
absolute third moments are needed, with lambda_1^3 sqrt(26) for D^(3/2) sqrt(28), and with lambda_1
at once a fraction below 1 and the size of a neighbourhood. The corrected statement (C4) uses the
theorem as Ross proves it. Theorem 5 is built from the same text.
"""

from collections.abc import Mapping
from dataclasses import replace

import sympy as sp

from kproof.theory.reading import Reading
from kproof.theory.theorems import lemma1
from kproof.theory.theorems.statements import Requirement, Statement, by_reading
from kproof.theory.theorems.sums import Sums, sums
from kproof.theory.theorems.theorem2 import KAPPA

LAMBDA1 = sp.Symbol(r"\lambda_1", nonnegative=True)
NEIGHBOURHOOD = sp.Symbol("D", integer=True, positive=True)
SIGMA = sp.Symbol(r"\sigma", positive=True)
STEIN = sp.Symbol(r"\Delta", nonnegative=True)


def build(theorem: int, over: Sums, appendix: str) -> Mapping[Reading, Statement]:
    """Return the three readings of Theorem 3 or 5 in the given symbols."""
    epsilon = lemma1.C_PRIME * lemma1.S / SIGMA
    factor = 1 + sp.exp(lemma1.EPSILON)
    quarter = (2 / sp.pi) ** sp.Rational(1, 4)

    def formula(under_the_root: sp.Expr, outside: sp.Expr) -> sp.Expr:
        second = LAMBDA1**3 * sp.sqrt(26) / (SIGMA**2 * sp.sqrt(sp.pi)) * sp.sqrt(under_the_root)
        root = sp.sqrt(LAMBDA1**2 / SIGMA**3 * over.raw_third + second)
        return 2 * quarter * root * outside + 1 / sp.sqrt(over.n)

    derived = formula(over.raw_fourth, factor)
    # Only Theorem 3's statement has the factor under the inner root; (36) and Theorem 5 do not.
    stated = formula(over.raw_fourth * factor, sp.Integer(1)) if theorem == 3 else derived
    stein = quarter * sp.sqrt(
        NEIGHBOURHOOD**2 / SIGMA**3 * over.absolute_third
        + sp.sqrt(28)
        * NEIGHBOURHOOD ** sp.Rational(3, 2)
        / (sp.sqrt(sp.pi) * SIGMA**2)
        * sp.sqrt(over.fourth)
    )
    variance = over.variance_of_sum
    printed_statement = Statement(
        theorem,
        Reading.PRINTED,
        f"Theorem {theorem}",
        {"epsilon": epsilon, "delta": stated},
        {SIGMA: sp.sqrt(variance), **lemma1.least_c(over.n), **lemma1.c_prime()},
        (
            Requirement("variance of the sum > 0", variance, sp.Integer(0), strict=True),
            Requirement("epsilon1 < 1", sp.Integer(1), lemma1.EPSILON1, strict=True, hidden=True),
            Requirement("lambda1 = max |N_i| >= 1", LAMBDA1, sp.Integer(1), "delta", hidden=True),
        ),
        "Raw signed moments stand where centred absolute ones are needed.",
        over.notation(),
    )
    derived_statement = replace(
        printed_statement,
        reading=Reading.DERIVED,
        source=appendix,
        formulas={"epsilon": epsilon, "delta": derived},
        remark="1 + e^epsilon stands outside the root. Raw signed moments as printed.",
    )
    normal = lemma1.gaussian_delta(lemma1.EPSILON, lemma1.S / SIGMA)
    corrected = replace(
        printed_statement,
        reading=Reading.CORRECTED,
        source="C4: exact Gaussian profile plus Ross's Theorem 3.6",
        formulas={"epsilon": epsilon, "delta": sp.Min(1, normal + KAPPA * STEIN * factor)},
        where={**printed_statement.where, STEIN: stein},
        requires=printed_statement.requires[:1],
        remark="kappa is 1 for half-lines, 2j for unions of j intervals.",
    )
    return by_reading(printed_statement, derived_statement, corrected)


STATEMENTS = build(3, sums(unknown_only=False), "Appendix D, (33) and (36)")
