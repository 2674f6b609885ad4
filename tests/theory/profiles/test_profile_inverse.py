"""epsilon(δ): what it promises about delta(ε), and the cases no enclosure can decide."""

import math
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.theory import laws
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.profiles import delta, epsilon

INFINITY = Decimal("Infinity")
TINY = Fraction(1, 10**9)

LAWS = [
    laws.Binomial(1_000, "0.3"),
    laws.TruncatedBinomial(60, "0.71", 33),
    laws.TruncatedBinomial(200, "0.2", 60),
    laws.PoissonBinomial(["0.1", "0.5", "0.9", "0.35"] * 5),
    laws.FiniteLattice.from_counts({0: 3, 1: 9, 2: 4, 4: 14, 5: 2, 6: 8}),
    laws.Normal(0, 9),
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
@pytest.mark.parametrize("direction", ["up", "down", "both"])
def test_the_profile_reaches_the_target_just_there(law, direction):
    start = Fraction(delta(law, epsilon=0, direction=direction).lower)
    targets = [start * Fraction(i, 20) for i in range(1, 20)] + [start * Fraction(99999, 100000)]
    for target, found in zip(
        targets, epsilon(law, delta=targets, direction=direction), strict=True
    ):
        if found.upper == INFINITY:
            assert found.lower == INFINITY
            late = delta(
                law, epsilon=2_000 if isinstance(law, laws.Normal) else 60, direction=direction
            )
            assert late.lower > target
            continue
        assert found.lower > 0
        assert found.relative_width <= 1e-12
        below, above = Fraction(found.lower) * (1 - TINY), Fraction(found.upper)
        before, after = delta(law, epsilon=[below, above], direction=direction)
        assert before.lower > target
        assert after.lower <= target


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 30), min_size=2, max_size=8).filter(any),
    st.fractions("1/1000", 1, max_denominator=1000),
    st.sampled_from(["up", "down", "both"]),
)
def test_any_law_by_the_definition_of_the_infimum(weights, target, direction):
    law = laws.FiniteLattice.from_counts(dict(enumerate(weights)))
    found = epsilon(law, delta=target, direction=direction)
    if found.lower.is_finite():
        assert delta(law, epsilon=Fraction(found.upper), direction=direction).lower <= target
    if found.lower > 0:
        point = min(found.lower, Decimal(60))
        before = delta(law, epsilon=Fraction(point) * (1 - TINY), direction=direction)
        assert before.upper >= target
        assert before.upper > target or found.lower.is_infinite()


def test_deep_targets():
    law = laws.Binomial(100_000, "0.3")
    targets = ["1e-20", "1e-300", "1e-1000", "1e-5000"]
    for target, enclosure in zip(targets, epsilon(law, delta=targets), strict=True):
        assert enclosure.relative_width <= 1e-12
        before, after = delta(law, epsilon=(Fraction(enclosure.lower), Fraction(enclosure.upper)))
        assert before.lower > Decimal(target) >= after.lower


def test_grid_is_the_single_answers():
    law = laws.TruncatedBinomial(500, "0.4", 150)
    targets = [Fraction(i, 1000) for i in range(1, 40)]
    for target, answer in zip(targets, epsilon(law, delta=targets), strict=True):
        alone = epsilon(law, delta=target)
        assert max(alone.lower, answer.lower) <= min(alone.upper, answer.upper)


def test_a_target_that_is_the_limit_is_decided_in_rationals():
    # Pr[M = 0] = 1/4 and the ratio above is 2: from ln 2 on only that atom is left.
    for law in (laws.Binomial(2, "1/2"), laws.FiniteLattice({0: "1/4", 1: "1/2", 2: "1/4"})):
        found = epsilon(law, delta="1/4")
        assert found.relative_width <= 1e-12
        assert found.lower < Decimal("0.6931471805599453094172321214581765680755") < found.upper
        assert epsilon(law, delta="0.2499999999999999999999").lower == INFINITY
        assert epsilon(law, delta="0.25000001").upper < found.lower


def test_limits_that_no_ball_holds_exactly():
    for law, limit, ratio in [
        (laws.Binomial(5, "1/3"), Fraction(32, 243), Fraction(5, 2)),
        (laws.TruncatedBinomial(4, "1/3", 3), Fraction(8, 9), None),
        (laws.FiniteLattice({0: "1/5", 1: "3/5", 2: "1/5"}), Fraction(1, 5), Fraction(3)),
    ]:
        up = epsilon(law, delta=limit, direction="up")
        if ratio is None:
            # From 3 to 4 the masses fall, so at ε = 0 only the atom is left as it is.
            assert up == Enclosure.exactly(0)
        else:
            with mpmath.workdps(50):
                log = mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator)
                assert mpmath.mpf(str(up.lower)) <= log <= mpmath.mpf(str(up.upper))
            assert up.relative_width <= 1e-12


def test_a_target_that_is_the_total_variation_is_decided_in_rationals():
    largest = Fraction(math.comb(7, 2) * 2**5, 3**7)
    assert epsilon(laws.Binomial(7, "1/3"), delta=largest) == Enclosure.exactly(0)
    assert epsilon(laws.Binomial(7, "1/3"), delta=largest - TINY).lower > 0
    law = laws.FiniteLattice({0: "1/7", 1: "2/7", 2: "4/7"})
    assert epsilon(law, delta=Fraction(4, 7)) == Enclosure.exactly(0)


def test_the_limit_of_each_direction_is_its_own():
    law = laws.FiniteLattice({0: "1/7", 1: "4/7", 2: "2/7"})
    found = epsilon(law, delta=Fraction(2, 7), direction="down")
    assert found.lower < Decimal("0.6931471805599453094172321214581765680755") < found.upper
    assert found.relative_width <= 1e-12


@pytest.mark.parametrize("variance", ["1e-4", "1e-16", "1e-24"])
def test_profiles_that_are_flat_before_they_fall(variance):
    # The shift is 100 to 10^12 standard deviations; the tangent at 0 leads nowhere.
    law = laws.Normal(0, variance)
    for target in ("0.9", "0.5", "1e-3", "1e-300"):
        found = epsilon(law, delta=target)
        assert found.relative_width <= 1e-12
        low, high = Fraction(found.lower), Fraction(found.upper)
        assert delta(law, epsilon=low * (1 - TINY)).lower > Decimal(target)
        assert delta(law, epsilon=high).lower <= Decimal(target)


# The sum of four coins is 0 with two thirds to the fourth; the chain knows this as a ball only.
THIRDS = laws.PoissonBinomial(["1/3"] * 4)
AS_CHAIN = laws.MarkovChain(["2/3", "1/3"], [["2/3", "1/3"]] * 2, values=[0, 1], n=4)


def test_an_undecidable_target_gets_a_true_enclosure():
    at_limit = epsilon(AS_CHAIN, delta=Fraction(16, 81), direction="up")
    assert at_limit.upper == INFINITY
    with mpmath.workdps(30):
        assert abs(mpmath.mpf(str(at_limit.lower)) - mpmath.log(2)) < 1e-9
    at_start = epsilon(AS_CHAIN, delta=Fraction(32, 81), direction="up")
    assert at_start.lower == 0
    assert at_start.upper < Decimal("1e-30")


def test_exact_masses_decide_what_balls_cannot():
    at_limit = epsilon(THIRDS, delta=Fraction(16, 81), direction="up")
    assert at_limit.relative_width <= 1e-12
    with mpmath.workdps(30):
        assert abs(mpmath.mpf(str(at_limit.lower)) - mpmath.log(2)) < 1e-20
    assert epsilon(THIRDS, delta=Fraction(32, 81), direction="up") == Enclosure.exactly(0)
    count = epsilon(laws.Binomial(4, "1/3"), shift=2, delta=Fraction(48, 81), direction="up")
    assert count.relative_width <= 1e-12


@pytest.mark.parametrize("direction", ["up", "down", "both"])
def test_a_constant_profile_is_answered_at_its_only_value(direction):
    """The sums 0 and 3 are equally likely here, so that a shift by 3 shows no ratio but 1."""
    law = laws.PoissonBinomial(["3/4", "2/5", "1/3"])
    assert epsilon(law, shift=3, delta="9/10", direction=direction) == Enclosure.exactly(0)
    twice = laws.MarkovChain(["1/3", "1/3", "1/3"], [["1", 0, 0]] * 3, values=[0, 1, 2], n=1)
    # 1/3 is a ball here: 2/3 is the limit and the value at 0, and no computation says so.
    found = epsilon(twice, shift=2, delta=Fraction(2, 3), direction=direction)
    assert (found.lower, found.upper) == (0, INFINITY)


def test_the_ends_of_the_range():
    nothing, everything = epsilon(laws.Binomial(10, "0.4"), delta=[0, 1])
    assert nothing == Enclosure(INFINITY, INFINITY)
    assert everything == Enclosure.exactly(0)
    assert epsilon(laws.TruncatedBinomial(9, "0.4", 9), delta="0.5").lower == INFINITY


def test_narrower_on_request():
    found = epsilon(laws.Binomial(100, "0.3"), delta="0.01", relative_width="1e-60")
    assert (found.upper - found.lower) / found.upper < Decimal("1e-60")
    before, after = delta(
        laws.Binomial(100, "0.3"),
        epsilon=[Fraction(found.lower), Fraction(found.upper)],
        relative_width="1e-70",
    )
    assert before.lower >= Decimal("0.01") >= after.lower
