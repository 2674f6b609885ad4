"""The evaluator of SymPy expressions against 60-digit mpmath and exact sums."""

from fractions import Fraction
from math import comb

import mpmath
import numpy as np
import pytest
import sympy as sp
from cases import cases
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.precision import use_bits
from kproof.theory.exact.typed import as_arb
from kproof.theory.theorems.symbolic import (
    Between,
    NoValueError,
    Phi,
    compile_expression,
    enclose,
    mass_between,
)

x, y = sp.symbols("x y")


def binomial_mass(a: int, b: int, n: int, p: Fraction) -> Fraction:
    return sum(
        (comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(max(a, 0), min(b, n) + 1)),
        Fraction(0),
    )


def as_fraction(value: mpmath.mpf) -> Fraction:
    sign, mantissa, exponent, _ = value._mpf_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** exponent


@cases(
    (sp.exp(x) * sp.log(1 + x**2), lambda t: mpmath.exp(t) * mpmath.log(1 + t**2)),
    (sp.sqrt(x) + x ** sp.Rational(1, 3), lambda t: mpmath.sqrt(t) + mpmath.cbrt(t)),
    (sp.LambertW(x / (2 * sp.pi)), lambda t: mpmath.lambertw(t / (2 * mpmath.pi)).real),
    (Phi(-x) - sp.E * Phi(-x - 1), lambda t: mpmath.ncdf(-t) - mpmath.e * mpmath.ncdf(-t - 1)),
    (sp.Max(x, 1 / x, sp.pi), lambda t: max(t, 1 / t, mpmath.pi)),
    (sp.Min(x, 2) ** sp.Rational(-3, 2), lambda t: min(t, mpmath.mpf(2)) ** mpmath.mpf(-1.5)),
    (x ** y.subs(y, x), lambda t: t**t),
)
@pytest.mark.parametrize("point", [Fraction(1, 7), Fraction(3), Fraction(271, 10)])
def test_balls_contain_the_60_digit_value(expression, reference, point):
    with mpmath.workdps(60):
        truth = as_fraction(mpmath.mpf(reference(mpmath.mpf(point.numerator) / point.denominator)))
    found = enclose(expression, {x: point})
    slack = abs(truth) / 10**50
    enclosure = Enclosure.from_arb(found)
    assert Fraction(enclosure.lower) - slack <= truth <= Fraction(enclosure.upper) + slack
    assert enclosure.relative_width < 1e-14


@given(st.fractions(-50, 50), st.fractions(-50, 50))
def test_rational_expressions_stay_exact(a, b):
    found = enclose((x + y) ** 3 / 7 - sp.Max(x, y) * sp.floor(x), {x: a, y: b})
    truth = (a + b) ** 3 / 7 - max(a, b) * (a.numerator // a.denominator)
    with use_bits(4000):
        assert (found * truth.denominator).contains(as_arb(truth.numerator))
    assert enclose(sp.floor(x * 10**12), {x: Fraction(1, 3)}) == 10**12 // 3


def test_floor_at_an_exact_integer_is_decided_because_the_argument_is_rational():
    # e^0 = 1 stays rational: 10 * 3/10 is 3, not a ball around it.
    assert enclose(sp.floor(10 * x * sp.exp(y)), {x: Fraction(3, 10), y: Fraction(0)}) == 3


def test_piecewise_runs_only_the_branch_that_applies():
    guarded = sp.Piecewise((sp.log(x), sp.StrictLessThan(y, x)), (sp.Integer(-1), True))
    assert enclose(guarded, {x: Fraction(-2), y: Fraction(0)}) == -1
    assert enclose(guarded, {x: Fraction(1), y: Fraction(0)}) == 0


@cases((sp.log(x), "log"), (sp.sqrt(x), "sqrt"), (1 / (x + 1), "1/"), (sp.exp(sp.sqrt(x)), "sqrt"))
def test_where_a_formula_has_no_value_the_part_is_named(expression, part):
    with pytest.raises(NoValueError, match=part):
        enclose(expression, {x: Fraction(-1)})


def test_wide_input_gives_a_wide_answer_instead_of_endless_precision():
    found = enclose(x**2, {x: arb(3, 1e-6)})
    assert found.contains(9)
    assert found.rad() < 1e-4


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), st.fractions("1/50", "49/50", max_denominator=60), st.data())
def test_binomial_masses_against_exact_sums(n, p, data):
    a = data.draw(st.integers(-2, n + 2))
    b = data.draw(st.integers(-2, n + 2))
    truth = binomial_mass(a, b, n, p)
    found = mass_between(a, b, n, p)
    with use_bits(400):
        assert found.contains(as_arb(truth)) or found.overlaps(as_arb(truth))
    fast = compile_expression(Between(*sp.symbols("a b n p")), list(sp.symbols("a b n p")))
    assert float(fast(a, b, n, float(p))) == pytest.approx(float(truth), rel=1e-9, abs=1e-13)


def test_generated_code_is_vectorised_and_agrees_with_the_balls():
    expression = Phi(x / 2 - y / x) - sp.exp(y) * Phi(-x / 2 - y / x)
    fast = compile_expression(expression, [x, y])(np.array([0.5, 1.0, 2.0]), 0.25)
    for point, value in zip((0.5, 1.0, 2.0), fast, strict=True):
        ball = enclose(expression, {x: Fraction(point), y: Fraction(1, 4)})
        assert value == pytest.approx(float(ball.mid()), rel=1e-12)
