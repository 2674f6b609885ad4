"""Claims beside the truth: refuted, sound, vacuous, or about something else."""

from fractions import Fraction

import mpmath
import pytest
from oracles import as_fraction, binomial, both_ways, convolved, delta_all

from kproof.errors import InvalidArgument
from kproof.theory.laws import IndependentBlocks, MarkovChain
from kproof.theory.reading import Reading
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.comparison import Standing, compare, compare_grid
from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.record_moments import RecordMoments

PRINTED, DERIVED, CORRECTED = Reading


def test_a_refuted_print_of_theorem_1():
    found = compare(1, n=1000, p="0.05", k=40, epsilon=1)
    assert found.standing(DERIVED) is Standing.REFUTED
    assert found.standing(CORRECTED) is Standing.SOUND
    assert found.ratio(DERIVED) < 1 <= found.ratio(CORRECTED) * (1 + 1e-12)
    with mpmath.workdps(60):
        truth = as_fraction(
            both_ways(delta_all, binomial(1000, Fraction(1, 20), 40), Fraction(1), Fraction(1))
        )
    assert abs(Fraction(found.exact.lower) / truth - 1) < 1e-12


def test_a_delta_in_and_an_epsilon_out():
    found = compare(1, n=1000, p="0.3", k=10, delta="0.001")
    assert found.quantity == "epsilon"
    assert found.standing(CORRECTED) is Standing.SOUND
    assert set(found.to_dict()["exact"]) == {"epsilon", "events", "note"}


def test_a_refuted_print_of_theorem_2_is_negative_where_the_truth_is_not():
    found = compare(2, data=([0] + [1] * 9) * 100, epsilon="0.9")
    assert found.bounds[PRINTED].delta.upper < 0
    assert found.standing(PRINTED) is Standing.REFUTED
    assert found.standing(CORRECTED) is Standing.CONDITIONAL
    assert "1000" in found.note


def test_a_column_gives_the_exact_value_of_its_sum():
    found = compare(2, data=[1, 2, 2, 7], s=1, epsilon="0.5")
    law = {Fraction(1): Fraction(1, 4), Fraction(2): Fraction(1, 2), Fraction(7): Fraction(1, 4)}
    with mpmath.workdps(60):
        truth = as_fraction(both_ways(delta_all, convolved([law] * 4), Fraction(1), Fraction(1, 2)))
    assert Fraction(found.exact.lower) <= truth + Fraction(1, 10**40)
    assert Fraction(found.exact.upper) >= truth - Fraction(1, 10**40)


def test_an_unknown_law_is_not_guessed():
    moments = RecordMoments.of(2, 5, 14, 45)
    found = compare(2, moments=moments, n=100, epsilon=1)
    assert found.exact is None
    assert "do not determine" in found.note
    assert found.standing(CORRECTED) is Standing.CONDITIONAL
    answered = compare(2, moments=moments, n=100, epsilon=1, assume=["independence"])
    assert answered.standing(CORRECTED) is Standing.UNKNOWN_ASSUMED
    dependent = compare(3, data=[1, 2, 3] * 50, epsilon=1, adversary=Adversary.of(lambda1="0.5"))
    assert dependent.exact is None
    assert "dependent" in dependent.note


def test_a_lattice_too_fine_for_an_exact_value_is_said_to_be_one():
    found = compare(2, data=[1, 2**60, 3, 2**59 + 5] * 50, epsilon=1)
    assert found.exact is None
    assert "points" in found.note


def test_blocks_and_chains_have_the_truth_beside_theorems_3_and_5():
    pair = {(0, 0): "3/8", (0, 1): "1/8", (1, 0): "1/8", (1, 1): "3/8"}
    law = IndependentBlocks([pair], counts=[200])
    graph = law.dependency()
    adversary = Adversary.of(dependency=graph)
    found = compare(3, law=law, moments=Moments.from_law(law), adversary=adversary, epsilon="0.1")
    one = {Fraction(0): Fraction(3, 8), Fraction(1): Fraction(1, 4), Fraction(2): Fraction(3, 8)}
    with mpmath.workdps(40):
        truth = both_ways(delta_all, convolved([one] * 200), Fraction(1), Fraction(1, 10))
        assert float(found.exact) == pytest.approx(float(truth), rel=1e-12)
    assert found.standing(CORRECTED) is Standing.VACUOUS
    known = {0: 1, 3: 0}
    given = law.given(known)
    adversary = Adversary.of(dependency=graph, known=known)
    seen = compare(
        5, law=given, moments=Moments.from_law(given), adversary=adversary, epsilon="0.1"
    )
    assert seen.bounds[CORRECTED].parameters["n"] == "398"
    assert float(seen.exact) > float(found.exact)
    chain = MarkovChain(
        initial=["1/2", "1/2"], transition=[["2/3", "1/3"], ["1/3", "2/3"]], values=[0, 1], n=40
    )
    adversary = Adversary.of(dependency=chain.dependency())
    walked = compare(
        3, law=chain, moments=Moments.from_law(chain), adversary=adversary, epsilon="0.5"
    )
    assert walked.standing(CORRECTED) is Standing.VACUOUS
    assert 0 < float(walked.exact) < 1


def test_the_printed_variance_overstates_what_a_known_twin_leaves():
    """Theorem 5 with unconditional moments: two equal records, one known, nothing is left."""
    law = IndependentBlocks([{(0, 0): "1/2", (1, 1): "1/2"}], counts=[1]).given({0: 1})
    moments = Moments.from_law(law)
    assert moments.n == 1
    assert moments.variance_of_sum == 0


def test_the_exact_value_is_worked_out_as_asked():
    # Wider than 24 standard deviations may be, on as few points as that takes.
    given = {"data": [0, 1, *[0, 1000] * 9], "s": 1, "epsilon": "0.01"}
    auto, always, never = (compare(2, exact=how, **given) for how in ("auto", "always", "never"))
    assert "from floats with a bound on their error" in auto.note
    assert "floats" not in always.note
    assert never.exact is None
    assert "not asked for" in never.note
    assert auto.exact is not None
    assert always.exact is not None
    assert auto.exact.lower <= always.exact.lower
    assert always.exact.upper <= auto.exact.upper
    assert "floats" not in compare(2, data=[0, 1, 1, 5], s=1).note
    assert compare(1, n=9, p="0.5", k=2, epsilon=1, exact="never").exact is None
    with pytest.raises(InvalidArgument, match="exact = perhaps: need auto, always or never"):
        compare(2, exact="perhaps", **given)


def test_a_grid_is_the_comparison_at_each_point():
    given = {"data": [1, 2, 2, 5, 9], "s": 1, "assume": ["independence"]}
    points = ["0", "0.3", "1"]
    found = compare_grid(2, epsilon=points, **given)
    assert [one.to_dict() for one in found] == [
        compare(2, epsilon=epsilon, **given).to_dict() for epsilon in points
    ]
    assert all(one.blocks is not None for one in found)
