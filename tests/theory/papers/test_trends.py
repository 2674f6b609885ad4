"""Trends of the paper's figures against mpmath, and the rows of the ledger that rest on them."""

import doctest
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from cases import error_line
from flint import arb
from paper_curves import PRINTED, SHRINKING

from kproof.errors import InvalidArgument, Undecided
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.papers.claims import FIGURES
from kproof.theory.papers.figures import (
    SETTINGS,
    SIZES,
    CertifiedPoints,
    CurveOrigin,
    N,
    X,
    formula,
)
from kproof.theory.papers.slopes import Slopes
from kproof.theory.papers.trends import (
    Monotonicity,
    Trend,
    everywhere,
    ratio_trend,
    run_of,
    trend,
    trend_of,
)
from kproof.theory.theorems.symbolic import Phi

CURVES = [(name, False) for name in SETTINGS] + [(name, True) for name in SHRINKING]


def printed(name: str, n: int, x: Fraction, *, shrinking: bool) -> mp.mpf:
    source = SHRINKING if shrinking else PRINTED
    return source[name](mp.mpf(n), mp.mpf(x.numerator) / x.denominator)


def holds(direction: Monotonicity, first: mp.mpf, second: mp.mpf) -> bool:
    if direction is Monotonicity.CONSTANT:
        return bool(abs(first - second) < mp.mpf("1e-25"))
    return bool(first < second if direction is Monotonicity.RISES else first > second)


@pytest.mark.parametrize(("name", "shrinking"), CURVES)
@pytest.mark.parametrize("n", [SIZES[0], SIZES[-1]])
def test_a_trend_is_what_many_points_show(name, shrinking, n):
    found = trend(name, n, shrinking=shrinking)
    setting = SETTINGS[name]
    assert (found.runs[0].lower, found.runs[-1].upper) == (setting.lower, setting.upper)
    for run in found.runs:
        step = (run.upper - run.lower) / 12
        with mp.workdps(40):
            values = [
                printed(name, n, run.lower + j * step, shrinking=shrinking) for j in range(13)
            ]
        assert all(holds(run.direction, a, b) for a, b in pairwise(values))
    for left, right in pairwise(found.runs):
        assert left.direction is not right.direction
        assert 0 <= right.lower - left.upper <= (setting.upper - setting.lower) / 10**5


@pytest.mark.parametrize(("name", "shrinking"), CURVES)
def test_slopes_over_a_box_hold_the_slopes_at_its_points(name, shrinking):
    setting, over = SETTINGS[name], Slopes(formula(name, shrinking=shrinking), X)
    random = np.random.default_rng(7)
    for _ in range(4):
        share, n = Fraction(int(random.integers(5, 95)), 100), int(random.integers(200, 10**6))
        x = setting.lower + (setting.upper - setting.lower) * share
        width = (setting.upper - setting.lower) / 1000
        boxed = over({X: arb(float(x)).union(arb(float(x + width))), N: arb(n).union(arb(n + 5))})
        with mp.workdps(40):
            a, b = (
                printed(name, n + 2, x + width * part, shrinking=shrinking)
                for part in (Fraction(1, 4), Fraction(3, 4))
            )
            secant = 2 * (b - a) * width.denominator / width.numerator
        assert boxed.value.contains(arb(mp.nstr(a, 30)))
        # A kink between the two points puts the secant between the slopes on its sides.
        assert boxed.slope.contains(arb(mp.nstr(secant, 25), abs(float(secant)) * 1e-15))


def test_every_rule_of_a_slope():
    x = sp.Symbol("x")
    for expression in (
        x**3,
        1 / x,
        sp.sqrt(x) * sp.log(x),
        sp.exp(-x) * Phi(x),
        sp.LambertW(x) / sp.pi,
        sp.Max(x, 2 - x),
        sp.Min(x, x**2) ** sp.Rational(5, 3),
    ):
        own = expression.replace(Phi, lambda y: (1 + sp.erf(y / sp.sqrt(2))) / 2)
        with mp.workdps(30):
            value = sp.lambdify(x, own, "mpmath")
            slope = mp.diff(value, mp.mpf("1.3"))
        found = Slopes(expression, x)({x: arb("1.3")})
        assert found.value.overlaps(arb(mp.nstr(value(mp.mpf("1.3")), 15), 1e-13))
        assert found.slope.overlaps(arb(mp.nstr(slope, 15), 1e-12))
        assert found.slope.rad() < 1e-12


def test_a_dent_between_any_sampled_points_is_found():
    dent = X - sp.exp(-(((X - sp.Rational(7005, 10**4)) * 10**4) ** 2)) / 100
    assert (np.diff(sp.lambdify(X, dent)(np.linspace(0, 1, 1001))) > 0).all()
    found = run_of(dent, 0, 1)
    assert found.directions == (Monotonicity.RISES, Monotonicity.FALLS, Monotonicity.RISES)


def test_what_cannot_be_decided_is_said():
    assert "no sign from" in error_line(Undecided, run_of, X**3, -1, 1)
    assert "at an end" in error_line(Undecided, run_of, (X - 1) ** 2, 1, 2)
    # What has no value has no trend, not even where its argument is constant.
    assert "on too many pieces" in error_line(Undecided, run_of, sp.log(X - 5) + X, 1, 2)
    assert "on too many pieces" in error_line(Undecided, run_of, sp.log(sp.Max(-1, -X)), 2, 3)
    with pytest.raises(Undecided, match="panel 5a: no direction"):
        everywhere("5a", least_n=7000, most_n=7400, lower="0.2", upper="0.2")
    assert "a formula in x alone" in error_line(InvalidArgument, run_of, X + N, 0, 1)
    with pytest.raises(InvalidArgument, match="other = 2c: need a panel against s"):
        ratio_trend("2a", "2c", 100, upper=9)


def test_single_points_are_compared_by_their_enclosures():
    def points(*ends: tuple[str, str]) -> Trend:
        values = tuple((Fraction(j), Enclosure(*map(Decimal, one))) for j, one in enumerate(ends))
        return trend_of(CertifiedPoints(CurveOrigin.EXACT, 10, values))

    assert str(points(("0", "0"), ("0", "0"), ("1", "2"), ("3", "4"), ("1", "2"))) == (
        "is constant until 1, rises from 1 until 3, falls from 3"
    )
    with pytest.raises(Undecided):
        points(("1", "2"), ("2", "3"))
    with pytest.raises(Undecided):
        points(("1", "2"), ("1", "2"))


def test_ends_of_runs_are_rounded_inward():
    found = run_of((X - sp.Rational(123456, 100000)) ** 2, 1, 2)
    assert str(found) == "falls until 1.234, rises from 1.235"
    assert found.on(1, "1.2345") is Monotonicity.FALLS
    assert found.on("1.23", "1.24") is None


@pytest.mark.parametrize("claim", FIGURES.claims, ids=lambda claim: claim.id)
def test_the_evidence_of_a_row_holds(claim):
    assert claim.evidence
    assert claim.corrected.endswith(".")
    for one in claim.evidence:
        example = doctest.DocTestParser().get_doctest(one.example, {}, claim.id, None, None)
        told: list[str] = []
        failed, tried = doctest.DocTestRunner().run(example, out=told.append)
        assert (failed, tried) == (0, len(one.imports) + 1), "".join(told)


def test_the_rows_are_numbered():
    names = [claim.id for claim in FIGURES.claims]
    assert names == [f"F{number}" for number in range(1, len(names))] + ["Z32"]
