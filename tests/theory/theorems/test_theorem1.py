"""Theorem 1: the prints typed again from the paper, the truth by exact sums."""

from fractions import Fraction

import mpmath
import pytest
from cases import cases, error_line
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles import as_fraction, as_mpf, binomial, both_ways, delta_all

from kproof.errors import InvalidArgument
from kproof.theory.theorems.api import bound, statement
from kproof.theory.theorems.bounds import ALL, Status
from kproof.theory.theorems.comparison import compare

exp, ln, sqrt = mpmath.exp, mpmath.log, mpmath.sqrt


def printed_delta(n, p, k, eps):
    """Statement 2, with the comma that is meant."""
    first = exp(-2 * (n * p - p * (n + 1) / (exp(eps) * (1 - p) + p)) ** 2 / n)
    second = exp(-2 * (n * p - (k - 1)) ** 2 / mpmath.mpf(n))
    third = exp(-2 * ((exp(eps) * n * p - 1 + p) / (exp(eps) * p + 1 - p)) ** 2 / n)
    return max(first - second, third)


def derived_delta(n, p, k, eps):
    """The last display of Appendix A."""
    first = exp(-2 * (n * p - p * (n + 1) / (exp(eps) * (1 - p) + p)) ** 2 / n)
    second = exp(-2 * (n * p - (k - 1)) ** 2 / mpmath.mpf(n))
    alpha = (exp(eps) * n * p - 1 + p) / (exp(eps) * p + 1 - p)
    return max(first - second, exp(-2 * (alpha - n * p) ** 2 / n))


def printed_epsilons(n, p, k, delta):
    """Both members of the maximum in statement 1."""
    mu = sqrt(-n * ln(delta + exp(-2 * (n * p - k + 1) ** 2 / mpmath.mpf(n))) / 2)
    low = ln(((n + 1) / (n * p - mu) - 1) * p / (1 - p))
    return low, ln(((n + 1) / (n - n * p - mu) - 1) * (1 - p) / p)


def close(enclosure, truth):
    exact = as_fraction(truth)
    slack = abs(exact) / 10**40
    return Fraction(enclosure.lower) - slack <= exact <= Fraction(enclosure.upper) + slack


points = [
    (1000, "0.3", 10, "0.2"),
    (60, "0.71", 33, "0.9"),
    (50, "1/2", 5, "1"),
    (400, "0.05", 3, "2"),
]


@pytest.mark.parametrize(("n", "p", "k", "epsilon"), points)
@cases(("printed", printed_delta), ("derived", derived_delta))
def test_statement_2_is_the_formula_of_the_paper(reading, formula, n, p, k, epsilon):
    with mpmath.workdps(60):
        truth = formula(n, as_mpf(p), k, as_mpf(epsilon))
        assert close(bound(1, n=n, p=p, k=k, epsilon=epsilon, reading=reading).delta, truth)


@cases((1000, "0.3", 10, "0.01"), (1000, "0.7", 10, "1e-6"), (300, "1/2", 9, "0.2"))
def test_statement_1_is_the_formula_of_the_paper(n, p, k, delta):
    with mpmath.workdps(60):
        low, high = printed_epsilons(n, as_mpf(p), k, as_mpf(delta))
        printed = bound(1, n=n, p=p, k=k, delta=delta, reading="printed")
        derived = bound(1, n=n, p=p, k=k, delta=delta, reading="derived")
        assert close(printed.epsilon, max(low, high))
        first_case = Fraction(p) < Fraction(1, 2) - Fraction(k, 2 * n)
        assert close(derived.epsilon, low if first_case else high)


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 40),
    st.fractions("1/40", "39/40", max_denominator=60),
    st.integers(1, 40),
    st.fractions(0, 4, max_denominator=50),
)
def test_corrected_is_the_exact_value_of_brute_force(n, p, k, epsilon):
    assume(k <= n)
    claim = bound(1, n=n, p=p, k=k, epsilon=epsilon)
    with mpmath.workdps(80):
        assert close(claim.delta, both_ways(delta_all, binomial(n, p, k), Fraction(1), epsilon))
    assert claim.holds
    assert claim.events == ALL
    assert claim.delta.relative_width < 1e-12


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 40),
    st.fractions("1/20", "19/20", max_denominator=40),
    st.integers(1, 40),
    st.fractions(0, 3, max_denominator=30),
)
def test_the_hoeffding_form_is_never_below_the_exact_value(n, p, k, epsilon):
    assume(k <= n)
    claim = bound(1, n=n, p=p, k=k, epsilon=epsilon, closed_form=True)
    with mpmath.workdps(50):
        truth = both_ways(delta_all, binomial(n, p, k), Fraction(1), epsilon)
        assert Fraction(claim.delta.upper) >= as_fraction(truth) - Fraction(1, 10**45)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(60, 150),
    st.fractions("1/3", "2/3", max_denominator=40),
    st.integers(1, 5),
    st.fractions("1/100", "9/10", max_denominator=200),
)
def test_the_hoeffding_epsilon_is_sound_where_it_applies(n, p, k, delta):
    claim = bound(1, n=n, p=p, k=k, delta=delta, closed_form=True)
    assume(claim.holds)
    with mpmath.workdps(50):
        at = Fraction(claim.epsilon.upper)
        assert as_fraction(both_ways(delta_all, binomial(n, p, k), Fraction(1), at)) <= delta


@pytest.mark.parametrize(("n", "p", "k"), [(12, "1/3", 2), (30, "0.71", 11), (25, "0.5", 1)])
@pytest.mark.parametrize("delta", ["0.3", "0.05", "1e-3"])
def test_corrected_epsilon_inverts_the_exact_profile(n, p, k, delta):
    claim = bound(1, n=n, p=p, k=k, delta=delta)
    law = binomial(n, Fraction(p), k)
    with mpmath.workdps(60):
        if claim.epsilon.upper.is_finite():
            at = both_ways(delta_all, law, Fraction(1), Fraction(claim.epsilon.upper))
            assert as_fraction(at) <= Fraction(delta)
        if claim.epsilon.lower > 0:
            before = min(claim.epsilon.lower, 10**6)
            at = both_ways(delta_all, law, Fraction(1), Fraction(before) * Fraction(999_999, 10**6))
            assert as_fraction(at) > Fraction(delta)


def test_the_printed_delta_can_be_below_the_boundary_atom():
    """Z6: Pr[M = k | M >= k] has no counterpart under the shift; the print forgets it."""
    claim = bound(1, n=1000, p="0.05", k=40, epsilon=1, reading="derived")
    atom = binomial(1000, Fraction(1, 20), 40)[Fraction(40)]
    assert claim.holds
    assert Fraction(claim.delta.upper) < atom


def test_hypotheses_are_decided_exactly_and_named():
    # np = 3 and mu = sqrt(n ln(1/...)/2): the printed statement 1 needs np - mu > k.
    claim = bound(1, n=10, p="0.3", k=3, delta="0.5", reading="printed")
    assert "np - mu > k" in {h.name for h in claim.hypotheses if h.status is Status.FAILS}
    assert not claim.holds
    small = bound(1, n=100, p="0.3", k=3, epsilon="0.01", reading="printed")
    assert [h.name for h in small.hypotheses if h.status is Status.FAILS] == [
        "epsilon >= ln(1 + 1/(n min(p, 1-p)))"
    ]


def test_a_printed_formula_without_a_value_says_so():
    claim = bound(1, n=10, p="0.9", k=1, delta="1e-9", reading="printed")
    assert claim.epsilon is None
    assert any("epsilon has a value" in reason for reason in claim.reasons)


def released(others, p, k):
    """The law of the released count with the victim's tuple out, and with it in, by counting."""
    count = binomial(others, p, 0)
    laws = []
    for victim in (0, 1):
        there = {x + victim: mass for x, mass in count.items() if x + victim >= k}
        total = sum(there.values())
        laws.append({x: mass / total for x, mass in there.items()})
    return laws


def apart(one, other, epsilon):
    """The least delta for every event, of one law against the other."""
    scale = exp(as_mpf(epsilon))
    return sum(
        max(as_mpf(m) - scale * as_mpf(other.get(x, Fraction(0))), 0) for x, m in one.items()
    )


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 30),
    st.fractions("1/40", "39/40", max_denominator=60),
    st.integers(1, 30),
    st.fractions(0, 4, max_denominator=50),
)
def test_others_only_truncates_the_count_that_is_released(others, p, k, epsilon):
    assume(k <= others)
    claim = bound(1, n=others + 1, p=p, k=k, epsilon=epsilon, others_only=True)
    found = compare(1, n=others + 1, p=p, k=k, epsilon=epsilon, others_only=True)
    with mpmath.workdps(80):
        out, into = released(others, p, k)
        truth = max(apart(out, into, epsilon), apart(into, out, epsilon))
        assert close(claim.delta, truth)
        assert close(found.exact, truth)
    assert claim.holds
    assert claim.delta.relative_width < 1e-12


@pytest.mark.parametrize(("others", "p", "k"), [(12, "1/3", 2), (29, "0.71", 25), (25, "0.5", 1)])
@pytest.mark.parametrize("delta", ["0.3", "0.05", "1e-3"])
def test_others_only_gives_an_epsilon_too(others, p, k, delta):
    claim = bound(1, n=others + 1, p=p, k=k, delta=delta, others_only=True)
    out, into = released(others, Fraction(p), k)
    with mpmath.workdps(60):
        at = Fraction(claim.epsilon.upper)
        assert max(apart(out, into, at), apart(into, out, at)) <= as_mpf(Fraction(delta))
        if claim.epsilon.lower > 0:
            before = Fraction(claim.epsilon.lower) * Fraction(999_999, 10**6)
            assert max(apart(out, into, before), apart(into, out, before)) > as_mpf(Fraction(delta))


def test_a_count_truncated_after_the_victim_has_no_atom_of_its_own_at_k():
    claim = bound(1, n=60, p="1/5", k=31, epsilon=2, others_only=True)
    assert float(claim.delta) == pytest.approx(9.472157e-25, rel=1e-6)
    assert float(bound(1, n=59, p="1/5", k=31, epsilon=2).delta) == pytest.approx(0.785, abs=1e-3)


def test_a_likelihood_ratio_of_exactly_one_is_no_obstacle():
    """8 others, p = 6/7, k = 7: the two laws agree at 8, so that a cut may be on either side."""
    claim = bound(1, n=9, p="6/7", k=7, epsilon=0, others_only=True)
    out, into = released(8, Fraction(6, 7), 7)
    truth = sum(max(mass - into.get(x, 0), 0) for x, mass in out.items())
    assert Fraction(claim.delta.lower) <= truth <= Fraction(claim.delta.upper)


def test_the_closed_form_is_not_proved_for_a_fixed_victim():
    with pytest.raises(InvalidArgument, match="closed_form = True: need it without others_only"):
        bound(1, n=60, p="1/5", k=3, epsilon=2, others_only=True, closed_form=True)


@cases(
    ({"n": 0}, "n = 0"),
    ({"n": 10**16}, "n = 10000000000000000: need a whole number 1 <= n <= 1000000000000000"),
    ({"n": 5, "k": 6}, "k = 6: need a whole number 1 <= k <= 5"),
    ({"k": 0}, "k = 0"),
    ({"p": 1}, "p = 1: need 0 < p < 1"),
    ({"p": "nan"}, "p = nan"),
    ({"p": None}, "p is not given"),
    ({"epsilon": -1}, "epsilon = -1"),
    ({"epsilon": None}, "exactly one of the two"),
    ({"delta": "0.1"}, "exactly one of the two"),
    ({"epsilon": None, "delta": 1}, "delta = 1: need 0 < delta < 1"),
    ({"s": 2}, "no s with theorem 1"),
    ({"reading": "fixed"}, "reading = fixed"),
)
def test_bad_input_is_named(given, message):
    good = {"n": 50, "p": "0.4", "k": 5, "epsilon": 1}
    assert message in error_line(InvalidArgument, bound, 1, **{**good, **given})


def test_latex_comes_from_the_formula_that_is_evaluated():
    text = statement(1, "corrected").latex()
    assert r"\Pr\left[k \le M \le m_{\uparrow}\right]" in text
    assert r"\left\lfloor" in text
