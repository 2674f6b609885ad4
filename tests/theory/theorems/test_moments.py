"""Moments against exact sums; the feasibility checks refuse the impossible and nothing else."""

from fractions import Fraction

import pytest
from cases import cases, error_line
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.errors import DataError, Infeasible, InvalidArgument
from kproof.theory.exact.typed import as_arb
from kproof.theory.laws import MarkovChain
from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.record_moments import RecordMoments

columns = st.lists(st.fractions(-20, 20, max_denominator=30), min_size=1, max_size=12)


def central(values, r, *, absolute=False):
    mean = Fraction(sum(values), len(values))
    parts = [(abs(v - mean) if absolute else v - mean) ** r for v in values]
    return Fraction(sum(parts), len(values))


@given(columns)
def test_every_moment_of_a_column_is_the_exact_one_and_is_never_refused(values):
    found = RecordMoments.from_column(values)
    assert found.mean == Fraction(sum(values), len(values))
    assert found.variance == central(values, 2)
    assert found.third_central == central(values, 3)
    assert found.fourth_central == central(values, 4)
    assert found.absolute_third == central(values, 3, absolute=True)
    assert found.fourth == Fraction(sum(v**4 for v in values), len(values))
    assert found.is_bernoulli == (set(values) <= {0, 1})


@given(columns)
def test_the_upper_bound_of_the_absolute_moment_is_one(values):
    full = RecordMoments.from_column(values)
    most = RecordMoments(full.mean, full.second, full.third, full.fourth).absolute_third_at_most()
    if isinstance(most, Fraction):
        assert most == full.absolute_third
    else:
        assert not most < as_arb(full.absolute_third)


@given(st.lists(columns, min_size=1, max_size=5))
def test_sums_over_different_records(many):
    found = Moments.of_records([RecordMoments.from_column(column) for column in many])
    assert found.n == len(many)
    assert found.variance == sum(central(c, 2) for c in many)
    assert found.third == sum(central(c, 3) for c in many)
    assert found.absolute_third == sum(central(c, 3, absolute=True) for c in many)
    assert found.fourth == sum(central(c, 4) for c in many)
    assert found.raw_fourth == sum(Fraction(sum(v**4 for v in c), len(c)) for c in many)
    cubed = sum(float(central(c, 2)) ** 1.5 for c in many)
    assert float(found.sigma_cubed) == pytest.approx(cubed, rel=1e-12, abs=1e-12)


@settings(deadline=None)
@given(st.lists(columns, min_size=1, max_size=4))
def test_typed_sums_of_real_records_are_never_refused(many):
    real = Moments.of_records([RecordMoments.from_column(column) for column in many])
    n = real.n
    exact = {
        "variance": real.variance,
        "third": real.third,
        "absolute_third": real.absolute_third,
        "fourth": real.fourth,
        "raw_third": real.raw_third,
        "raw_fourth": real.raw_fourth,
    }
    assert Moments.typed(n, **exact).absolute_third == real.absolute_third
    assert Moments.typed(n, raw_third=real.raw_third, raw_fourth=real.raw_fourth).n == n


@cases(
    ((2, 3), r"\(E D\)\^2 \(variance >= 0\)"),
    ((0, 1, 0, "0.9"), r"\(Lyapunov\)"),
    ((0, 1, 2, 4), r"Pearson"),
    ((3, 9, 28), r"variance is 0"),
    ((0, 1, 0, 3, "0.9"), r"E\|D - E D\|\^3 >= sigma\^3"),
    ((0, 1, 2, 9, "1.5"), r"E\|X\|\^3 >= \|E X\^3\|"),
    ((0, 1, 0, 2, "1.5"), r"Cauchy-Schwarz"),
)
def test_impossible_moments_are_refused_with_the_inequality(moments, inequality):
    with pytest.raises(Infeasible, match=inequality):
        RecordMoments.of(*moments)


@cases(
    ({"variance": 2500, "sigma_cubed": 100}, "power means"),
    ({"variance": 1, "sigma_cubed": 2}, r"sum sigma_i\^3 <="),
    ({"variance": 2500, "absolute_third": 1}, "Lyapunov"),
    ({"variance": 100, "fourth": 1}, r"n \* sum E X_i\^4"),
    ({"variance": 100, "raw_fourth": 1}, r"n \* sum E D_i\^4"),
    ({"variance": 1, "variance_of_sum": 101}, r"Var sum D_i <= n"),
    ({"third": -3, "absolute_third": 2}, r"\|sum E X_i\^3\|"),
    ({"sigma_cubed": 3, "absolute_third": 2}, r"sum sigma_i\^3"),
    ({"raw_third": 100, "raw_fourth": 1}, r"\(sum E D_i\^3\)\^4"),
)
def test_impossible_sums_are_refused_with_the_inequality(sums, inequality):
    with pytest.raises(Infeasible, match=inequality):
        Moments.typed(100, **sums)


def test_the_settings_of_figure_2b_need_more_than_a_million_records():
    with pytest.raises(Infeasible):
        Moments.typed(1_562_499, variance=2500, third=1, sigma_cubed=100)
    assert Moments.typed(1_562_500, variance=2500, third=1, sigma_cubed=100).n == 1_562_500


def test_bad_input_is_named():
    assert "age: has no rows" in error_line(DataError, RecordMoments.from_column, [], name="age")
    with pytest.raises(DataError, match=r"age: row 1 \(the first is row 0\) is nan"):
        RecordMoments.from_column([1.0, float("nan")], name="age")
    with pytest.raises(DataError, match=r"age: row 2 \(the first is row 0\) is 'x y'"):
        RecordMoments.from_column(["1", "2", "x y"], name="age")
    assert "sum = skew" in error_line(InvalidArgument, Moments.typed, 10, skew=1)
    assert "variance = -1" in error_line(InvalidArgument, Moments.typed, 10, variance=-1)
    assert "records" in error_line(InvalidArgument, Moments.of_records, [])


def test_of_unknown_leaves_the_known_records_out():
    laws = [RecordMoments.from_column([0, i]) for i in range(1, 5)]
    full = Moments.of_records(laws)
    assert full.of_unknown(3, frozenset({0})) == Moments.of_records(laws[1:])
    assert "these records differ" in error_line(InvalidArgument, full.of_unknown, 3)
    assert Moments.iid(laws[0], n=10).of_unknown(4) == Moments.iid(laws[0], n=4)


@pytest.mark.parametrize(("mass", "bernoulli"), [(arb(0), True), (arb(0, 1e-60), False)])
def test_a_value_that_may_occur_is_no_coin(mass, bernoulli, monkeypatch):
    chain = MarkovChain(["1/2", "1/2"], [["1/2", "1/2"], ["1/2", "1/2"]], [0, 1], 3)
    coin = [(Fraction(value), arb("0.5")) for value in (0, 1)]
    monkeypatch.setattr(MarkovChain, "marginals", lambda _: [[*coin, (Fraction(2), mass)]] * 3)
    assert Moments.from_law(chain).bernoulli == bernoulli


def test_bernoulli_absolute_moment_in_closed_form():
    p = Fraction(1, 7)
    typed = RecordMoments.of(p, p, p, p)
    direct = p * (1 - p) ** 3 + (1 - p) * p**3
    assert typed.absolute_third_at_most() == direct
