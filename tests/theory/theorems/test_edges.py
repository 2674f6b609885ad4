"""Faults that reviews found once: each stays found."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from cases import cases, error_line

from kproof.errors import DataError, Infeasible, InvalidArgument
from kproof.theory.laws import FiniteLattice, IndependentBlocks, MarkovChain, Normal, iid
from kproof.theory.profiles import exact
from kproof.theory.reading import Reading
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.api import bound, statement
from kproof.theory.theorems.bounds import ALL, Events, Status
from kproof.theory.theorems.comparison import Standing, compare
from kproof.theory.theorems.design import design
from kproof.theory.theorems.lemma1 import EPSILON, minimal_c
from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.record_moments import RecordMoments
from kproof.theory.theorems.statements import Statement
from kproof.theory.theorems.theorem1 import K, N, P

COIN = RecordMoments.of("1/2", "1/2", "1/2", "1/2")


def names(claim, status):
    return {h.name for h in claim.hypotheses if h.status is status}


def test_a_victim_does_not_bring_back_the_known_records():
    million = Moments.iid(COIN, n=10**6)
    seen = Adversary.of(lambda2="0.9")
    with_victim = bound(
        4, moments=million, adversary=seen, epsilon="0.1", others_only=True, victim=0
    )
    without = bound(4, moments=million, adversary=seen, epsilon="0.1", others_only=True)
    assert with_victim.delta == without.delta
    assert with_victim.parameters["n"] == "99999"


def test_records_that_differ_need_a_named_victim():
    mixed = Moments.of_records([COIN] * 5 + [RecordMoments.of(*["0.1"] * 4)] * 5)
    with pytest.raises(InvalidArgument, match="victim is not given"):
        bound(4, moments=mixed, adversary=Adversary.of(known=[0]), epsilon=1, others_only=True)
    assert "victim = 9" in error_line(InvalidArgument, bound, 2, moments=mixed, epsilon=1, victim=9)
    already = bound(
        4, moments=mixed, adversary=Adversary.of(known=[0]), epsilon=1, others_only=True, victim=0
    )
    assert already.parameters["n"] == "9"


def test_a_design_uses_all_that_is_given_or_refuses_it():
    with pytest.raises(InvalidArgument, match="theorem = 2: need theorem 4"):
        design("n", epsilon=1, delta="0.1", record=COIN, lambda2="0.9")
    with pytest.raises(InvalidArgument, match="theorem = 2: need theorem 3"):
        design("n", epsilon=1, delta="0.1", record=COIN, neighbourhood=3)
    with pytest.raises(InvalidArgument, match="neighbourhood = 3"):
        design("lambda1", theorem=3, epsilon=1, delta="0.1", record=COIN, n=9, neighbourhood=3)
    with pytest.raises(InvalidArgument, match="0/1 values"):
        design("variance", epsilon=1, delta="0.1", record=COIN, n=100)
    with pytest.raises(InvalidArgument, match="variance 0"):
        design("s", epsilon=1, delta="0.1", record=RecordMoments.of(1, 1, 1, 1), n=100)
    three = design("n", theorem="3", neighbourhood=2, epsilon=1, delta="0.5", record=COIN)
    assert three.inside.theorem == 3


def test_sigma_is_the_root_of_the_variance():
    record = RecordMoments.from_column([1, 2, 2, 7])
    fixed = {"epsilon": "0.5", "delta": "0.2", "record": record, "n": 10_000, "s": 50}
    variance, sigma = design("variance", **fixed), design("sigma", **fixed)
    assert float(sigma.answer) == pytest.approx(float(variance.answer) ** 0.5, rel=1e-5)
    for found in (variance, sigma):
        assert (
            Fraction(found.inside.delta.upper)
            <= Fraction(1, 5)
            < Fraction(found.outside.delta.lower)
        )


def test_typed_sums_with_a_known_fraction_count_all_records():
    typed = Moments.typed(1, variance=1, absolute_third=1, fourth=1)
    claim = bound(
        5, moments=typed, adversary=Adversary.of(lambda2="0.4", neighbourhood=1), epsilon=1
    )
    assert claim.parameters["n"] == "1"
    listed = Moments.typed(2, variance=1, absolute_third=1, fourth=1)
    found = compare(
        5, moments=listed, epsilon=1, adversary=Adversary.of(known=range(5), neighbourhood=1)
    )
    assert found.exact is None


def test_dependence_that_the_input_shows_is_not_taken_for_independence():
    walk = MarkovChain(["1/2", "1/2"], [["0.99", "0.01"], ["0.01", "0.99"]], values=[0, 1], n=400)
    found = compare(2, law=walk, moments=Moments.from_law(walk), epsilon="0.1")
    corrected = found.bounds[Reading.CORRECTED]
    assert corrected.delta.lower == 1
    assert "independent records" in names(corrected, Status.FAILS)
    typed = Moments.typed(10_000, variance=10_000, variance_of_sum=1, absolute_third=10_000)
    assert not bound(2, moments=typed, epsilon=1).applies


def test_log_concavity_is_looked_at_where_it_can_be():
    halves = compare(2, moments=COIN, n=10**4, epsilon=1, s="1/2", assume=["log-concavity"])
    assert halves.standing(Reading.CORRECTED) is Standing.INAPPLICABLE
    gap = compare(2, data=[0, 2] * 500, s=1, epsilon=1, assume=["log-concavity"])
    assert gap.bounds[Reading.CORRECTED].delta.lower == 1
    dice = bound(2, data=[1, 2, 3, 4, 5, 6] * 100, epsilon="0.1")
    assert dice.events == ALL
    assert "log-concave records" in names(dice, Status.HOLDS)


def test_a_promise_that_does_not_hold_is_told_from_a_refuted_theorem():
    false = compare(
        2, moments=Moments.typed(100, variance=10**6, absolute_third=10**8), epsilon="0.1",
        assume=["log-concavity"], law=FiniteLattice({0: "1/2", 2000: "1/2"}), s=1,
    )  # fmt: skip
    assert false.standing(Reading.CORRECTED) is Standing.OWED_FALSE


def test_equal_moments_are_not_equal_laws():
    assert not Moments.of_records([RecordMoments.of(0, 1, 0, 3)] * 200).identical
    assert Moments.of_records([COIN] * 5).identical


def test_values_at_the_mean_and_records_without_spread():
    law = iid(FiniteLattice({-1: "1/3", 0: "1/3", 1: "1/3"}), 100)
    assert 0 < float(bound(2, moments=Moments.from_law(law), epsilon=1).delta) <= 1
    frozen = MarkovChain(["1/3", "2/3"], [[1, 0], [0, 1]], values=[0, 1], n=5).given({0: 1})
    moments = Moments.from_law(frozen)
    assert moments.variance.contains(0)
    known = Adversary.of(dependency=frozen.dependency(), known=[0])
    assert bound(5, moments=moments, adversary=known, epsilon=1).delta.lower == 1


@pytest.mark.parametrize("reading", list(Reading))
def test_a_constant_column_and_missing_sums_have_answers(reading):
    constant = bound(2, data=[3] * 10, reading=reading, epsilon=1)
    assert "variance > 0" in names(constant, Status.FAILS)
    bare = bound(2, moments=Moments.typed(10, third=1), epsilon=1, reading=reading)
    assert any("needs" in reason for reason in bare.reasons)


def test_numbers_beyond_any_exponent_and_deep_thresholds():
    assert float(exact(Normal(0, 1), epsilon=1, shift="1e-10")) == 0.0
    assert exact(Normal(0, 1), epsilon="1e9", shift="1e-10").lower == 0
    assert float(bound(1, n=100, p="0.3", k=5, epsilon=20_000).delta) == pytest.approx(3.520814e-10)
    assert bound(2, moments=COIN, n=100, epsilon=1, s="1e5000").delta.lower == 1
    for given in ({"n": "1e9999"}, {"n": 10**5000}):
        with pytest.raises(InvalidArgument):
            bound(2, moments=COIN, epsilon=1, **given)


def test_one_reader_for_every_column():
    narrow = pd.Series([0.1, 0.2, 0.3], dtype="float32")
    assert RecordMoments.from_column(narrow).variance == Fraction(1, 150)
    for bad in ("012", b"012", {1: 2}, {1, 2}, 5, np.array(3), np.eye(2), [0, [1]]):
        with pytest.raises(DataError):
            bound(2, data=bad, epsilon=1)
    assert bound(2, data=(x for x in [1, 2, 3]), epsilon=1).parameters["n"] == "3"


def test_graphs_of_conditioned_laws_are_accepted():
    pair = {(0, 0): "3/8", (0, 1): "1/8", (1, 0): "1/8", (1, 1): "3/8"}
    base = IndependentBlocks([pair], counts=[5])
    law = base.given({0: 1, 7: 0})
    for graph in (base.dependency(), law.dependency()):
        adversary = Adversary.of(dependency=graph, known=[0, 7])
        claim = bound(5, moments=Moments.from_law(law), adversary=adversary, epsilon=1)
        assert claim.parameters["n"] == "8"


@cases(
    (lambda: Adversary.of(known=5), "known = 5"),
    (lambda: Adversary.of(known="12"), "known = 12"),
    (lambda: Adversary(s=Fraction(-1)), "s = -1"),
    (lambda: Events(-1), "unions:-1"),
    (lambda: Events(2.5), "unions:2.5"),
    (lambda: bound(2, moments=[1, 2], n=10), "moments = "),
    (lambda: bound(2, moments=COIN, n=10, adversary={"s": 1}), "adversary = "),
    (lambda: bound(2, moments=COIN, n=10, k=11), "k = 11: need a whole number 1 <= k <= 10"),
    (lambda: bound(2, moments=COIN, n=10, closed_form=True), "closed_form"),
    (lambda: bound(1, n=9, p="0.5", k=2, epsilon=1, events="all"), "no events with theorem 1"),
    (
        lambda: bound(1, n=9, p="0.5", k=2, epsilon=1, assume=["independence"]),
        "assume = independence: need nothing with theorem 1",
    ),
    (lambda: bound(2, moments=COIN, n=9, assume="independence"), "a collection of names"),
    (lambda: bound(3, moments=COIN, n=9, assume=["independence"]), "with theorem 3 one of"),
    (lambda: compare(2, moments=COIN, n=10, reading="corrected"), "all readings are compared"),
    (lambda: minimal_c(n=100, delta1="0.5"), "exactly one of the two"),
)
def test_nonsense_is_named(call, message):
    assert message in error_line(InvalidArgument, call)


@cases(
    (lambda: RecordMoments.of(1, 1, 1, 100), "when the variance is 0"),
    (lambda: Moments.typed(100, variance=0, third=1000), "no record varies"),
    (lambda: Moments.typed(100, variance=25, third=1000, fourth=7), "Cauchy-Schwarz"),
    (lambda: Moments.typed(100, variance=25, sigma_cubed=100, fourth=7), "Cauchy-Schwarz"),
)
def test_more_impossible_moments(call, message):
    with pytest.raises(Infeasible, match=message):
        call()


def test_generated_code_agrees_with_the_certified_value_for_every_reading_of_theorem_1():
    grid = np.array([0.2, 0.5, 1.0, 2.0])
    for reading in Reading:
        text: Statement = statement(1, reading)
        fast = text.to_numpy("delta", [N, P, K, EPSILON])(200, 0.3, 7, grid)
        for epsilon, value in zip(grid.tolist(), fast.tolist(), strict=True):
            sure = bound(1, n=200, p="0.3", k=7, epsilon=epsilon, reading=reading).delta
            assert value == pytest.approx(float(sure), rel=1e-8)


def test_many_c_from_an_array():
    assert minimal_c(n=np.array([10, 1000])) == (minimal_c(n=10), minimal_c(n=1000))


def test_a_ratio_no_float_can_hold_is_left_out():
    found = compare(2, data=[25, 40, 40, 48], s="1e400")
    assert found.ratio(Reading.PRINTED) is None
    assert found.to_dict()["readings"]["printed"]["ratio_to_exact"] is None


def test_a_negative_delta_is_refuted_without_an_exact_value():
    moments = RecordMoments.of("1.8", "3.6", "7.2", "14.4")  # 0 or 2, mostly 2
    found = compare(2, moments=moments, n=1000)
    assert found.exact is None
    assert found.bounds[Reading.PRINTED].delta.upper < 0
    assert found.standing(Reading.PRINTED) is Standing.REFUTED


def test_below_the_floor_a_long_law_is_bounded_from_above():
    found = exact(iid(FiniteLattice(dict.fromkeys(range(100), "1/100")), 800), epsilon=1)
    assert found.lower == 0
    assert 0 < found.upper < Fraction(1, 10**1000)
