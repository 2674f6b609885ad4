"""A designer's answers: met at the answer, missed just outside, and nothing smaller does."""

from fractions import Fraction

import mpmath
import pytest
from cases import cases, error_line
from oracles import as_fraction, binomial, both_ways, delta_all

from kproof.errors import Infeasible, InvalidArgument
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.api import bound
from kproof.theory.theorems.design import design
from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.record_moments import RecordMoments

COIN = RecordMoments.of("0.3", "0.3", "0.3", "0.3")
_AGES = (17, 22, 25, 31, 38, 40, 47, 53, 66, 90)
AGES = RecordMoments.from_column(_AGES)


def certified(found):
    assert Fraction(found.inside.delta.upper) <= found.delta
    assert found.outside is None or Fraction(found.outside.delta.upper) > found.delta


@pytest.mark.parametrize(("p", "k"), [("0.3", 1), ("0.5", 4), ("0.8", 7)])
def test_fewest_tuples_of_theorem_1_by_brute_force_over_every_smaller_n(p, k):
    found = design("n", theorem=1, p=p, k=k, epsilon="0.8", delta="0.05")
    certified(found)
    with mpmath.workdps(40):
        truths = {
            n: as_fraction(
                both_ways(delta_all, binomial(n, Fraction(p), k), Fraction(1), Fraction(4, 5))
            )
            for n in range(k, int(found.answer) + 1)
        }
    assert [n for n, truth in truths.items() if truth <= Fraction(1, 20)] == [found.answer]


@cases(
    (2, {}),
    (3, {"neighbourhood": 2}),
    (4, {"lambda2": "0.3"}),
    (5, {"neighbourhood": 2, "lambda2": "0.1"}),
)
def test_fewest_records(theorem, fixed):
    found = design("n", theorem=theorem, record=COIN, epsilon=1, delta="0.3", **fixed)
    certified(found)
    again = bound(
        theorem, moments=COIN, n=int(found.answer), epsilon=1, adversary=Adversary.of(**fixed)
    )
    assert again == found.inside
    assert found.next_value == found.answer - 1


def test_largest_shift_is_whole_for_coins_and_a_decimal_otherwise():
    coins = design("s", record=COIN, n=10_000, epsilon="0.5", delta="0.05")
    certified(coins)
    assert coins.answer.denominator == 1
    ages = design("s", record=AGES, n=10_000, epsilon="0.5", delta="0.2")
    certified(ages)
    assert float(ages.next_value / ages.answer) == pytest.approx(1, abs=2e-5)


def test_least_variance_keeps_the_shape():
    found = design("variance", record=AGES, n=10_000, s=500, epsilon="0.5", delta="0.2")
    certified(found)
    assert float(found.answer) == pytest.approx(float(found.inside.parameters["variance"]))
    wider = RecordMoments.from_column([1000 * age for age in _AGES])
    larger = bound(2, moments=Moments.iid(wider, n=10_000), s=500, epsilon="0.5")
    assert Fraction(larger.delta.upper) <= Fraction(1, 5)


def test_largest_fractions_count_records():
    known = design("lambda2", theorem=4, record=AGES, n=10_000, epsilon="0.5", delta="0.2")
    certified(known)
    assert (known.answer * 10_000).denominator == 1
    dependent = design("lambda1", theorem=3, record=AGES, n=10**9, epsilon="0.5", delta="0.9")
    certified(dependent)
    assert dependent.next_value - dependent.answer == Fraction(1, 10**9)


def test_an_end_of_the_range_has_nothing_outside():
    """One symmetric two-point record left unknown still meets a target this weak."""
    signs = RecordMoments.from_column([-1, 1])
    found = design(
        "lambda2", theorem=4, record=signs, n=50, s="0.001", epsilon=0, delta="0.99",
        events="half-lines",
    )  # fmt: skip
    assert (found.answer, found.outside, found.next_value) == (Fraction(49, 50), None, None)


@cases(
    ("s", {"record": AGES, "n": 20}),
    ("lambda2", {"record": AGES, "n": 20, "theorem": 4}),
    ("variance", {"record": AGES, "n": 20}),
    ("lambda1", {"record": AGES, "n": 20, "theorem": 3}),
    ("n", {"record": COIN, "s": 10**9}),
)
def test_a_target_nothing_meets_is_said_to_be_one(quantity, given):
    with pytest.raises(Infeasible):
        design(quantity, epsilon="0.1", delta="1e-9", **given)


@cases(
    ("mu", {}, "quantity = mu: need n, variance, sigma, s, lambda1, lambda2 or beta"),
    ("n", {"record": COIN, "n": 5}, "n = 5: need no value"),
    ("n", {}, "record is not given"),
    ("s", {"record": COIN}, "n is not given"),
    ("lambda2", {"record": COIN, "n": 5}, "theorem = 2: need 4 or 5 with lambda2"),
    ("lambda1", {"record": COIN, "n": 5}, "theorem = 2: need 3 or 5 with lambda1"),
    ("s", {"theorem": 1, "p": "0.5", "k": 2}, "the only one that Theorem 1 has"),
    ("n", {"theorem": 1, "p": "0.5"}, "k is not given: need a value with theorem 1"),
    ("n", {"record": COIN, "delta": 0}, "delta = 0: need 0 < delta < 1"),
    ("n", {"record": COIN, "theorem": 3, "lambda1": "0.1"}, "neighbourhood in its place"),
)
def test_bad_questions_are_named(quantity, given, message):
    assert message in error_line(
        InvalidArgument, design, quantity, **{"epsilon": 1, "delta": "0.1", **given}
    )
