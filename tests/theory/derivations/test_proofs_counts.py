"""What is derived for Theorem 1 is what ``bound`` computes: the formulas, at points, by mpmath."""

from fractions import Fraction

import mpmath
import pytest
import sympy as sp
from cases import cases

from kproof.theory.derivations.derivation import StepStanding
from kproof.theory.derivations.evidence import judge_all
from kproof.theory.derivations.notation import proofs
from kproof.theory.theorems.api import bound

COUNTS, EXACT_COUNTS = proofs("counts"), proofs("exact_counts")


def distribution(m: int, n: int, p: Fraction) -> Fraction:
    return sum(
        (sp.binomial(n, x) * p**x * (1 - p) ** (n - x) for x in range(int(m) + 1)), Fraction(0)
    )


def value(gain: sp.Expr, found: sp.Expr, n: int, p: Fraction, k: int, epsilon: str) -> mpmath.mpf:
    """Return the derived gain, divided by Pr[M >= k], with 40 digits."""
    exact = {
        COUNTS["n"]: n,
        COUNTS["p"]: sp.Rational(p),
        COUNTS["k"]: k,
        COUNTS["E"]: sp.exp(sp.Rational(epsilon)),
    }
    at = {EXACT_COUNTS["w"]: int(sp.floor(found.subs(exact))), **exact}
    filled = gain.subs(at).replace(
        COUNTS["F"], lambda m, n, p: sp.Rational(distribution(int(m), int(n), Fraction(p.p, p.q)))
    )
    kept = 1 - distribution(k - 1, n, p)
    return mpmath.mpf(str(sp.N(filled, 40))) / (mpmath.mpf(kept.numerator) / kept.denominator)


@pytest.mark.parametrize("epsilon", ["1/100", "1", "3"])
@cases((3, "1/2", 2), (9, "2/3", 1), (12, "1/5", 12), (20, "9/10", 7))
def test_what_is_derived_is_what_is_computed(n, p, k, epsilon):
    chance = Fraction(p)
    with mpmath.workdps(40):
        up = value(EXACT_COUNTS["up_gain"], EXACT_COUNTS["up_found"], n, chance, k, epsilon)
        down = value(EXACT_COUNTS["down_gain"], EXACT_COUNTS["down_found"], n, chance, k, epsilon)
        found = bound(1, n=n, p=p, k=k, epsilon=epsilon).delta
        assert found is not None
        assert abs(max(up, down) - mpmath.mpf(str(found.lower))) <= mpmath.mpf(10) ** -12


@pytest.mark.parametrize("name", ["theorem-1", "closed-form-upward", "closed-form-downward"])
def test_nothing_is_assumed(name):
    assert {one.standing for one in judge_all(name)} == {StepStanding.DEFINED, StepStanding.PROVED}


@pytest.mark.parametrize(("n", "p"), [(1, "1/2"), (7, "1/10"), (12, "2/3")])
def test_the_inequality_of_hoeffding(n, p):
    """What is derived, beside the tails themselves."""
    chance = Fraction(p)
    for m in range(n + 1):
        most = mpmath.exp(-2 * (m - mpmath.mpf(float(n * chance))) ** 2 / n) + 1e-12
        below, above = distribution(m, n, chance), 1 - distribution(m - 1, n, chance)
        assert (below if m <= n * chance else above) <= most
