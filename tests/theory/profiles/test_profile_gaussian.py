"""The Gaussian profile against mpmath, far beyond where a float ends."""

from fractions import Fraction

import mpmath
import pytest
from flint import arb

from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.precision import use_bits
from kproof.theory.laws import Normal
from kproof.theory.profiles import delta, epsilon
from kproof.theory.profiles.gaussian import GaussianSide, normal_cdf


def by_definition(exponent: Fraction, m: mpmath.mpf) -> mpmath.mpf:
    """Φ(a) - e^ε Φ(b), with sixty digits to lose."""
    with mpmath.workdps(120):
        value = mpmath.mpf(exponent.numerator) / exponent.denominator

        def phi(x: mpmath.mpf) -> mpmath.mpf:
            return mpmath.erfc(-x / mpmath.sqrt(2)) / 2

        return phi(m / 2 - value / m) - mpmath.exp(value) * phi(-m / 2 - value / m)


def encloses(enclosure: Enclosure, value: mpmath.mpf) -> bool:
    with mpmath.workdps(60):
        low, high = mpmath.mpf(str(enclosure.lower)), mpmath.mpf(str(enclosure.upper))
        slack = mpmath.mpf(10) ** -50
        return low * (1 - slack) <= value <= high * (1 + slack)


@pytest.mark.parametrize(
    ("variance", "exponent"),
    [(v, e) for v in ("1/1000000", "0.25", "2") for e in ("0", "1e-12", "0.3", "1", "20")]
    + [("1e12", e) for e in ("0", "1e-12", "1e-6", "1e-4", "1e-3")],
)
def test_agrees_with_mpmath(variance, exponent):
    with mpmath.workdps(130):
        exact = Fraction(variance)
        m = 3 / mpmath.sqrt(mpmath.mpf(exact.numerator) / exact.denominator)
        expected = by_definition(Fraction(exponent), m)
    answer = delta(Normal(17, variance), shift=3, epsilon=exponent)
    assert answer.relative_width <= 1e-12
    assert encloses(answer, expected)


def test_a_thousand_digits_below_one():
    answer = delta(Normal(0, 1), epsilon=70)
    assert answer.lower > 0
    assert answer.upper < Enclosure.from_arb(arb(10) ** -1000).lower
    assert answer.relative_width <= 1e-12
    assert encloses(answer, by_definition(Fraction(70), mpmath.mpf(1)))


@pytest.mark.parametrize("x", ["-1e7", "-300", "-3", "-1e-9", "0", "0.4", "12"])
@pytest.mark.parametrize("radius", ["0", "1e-9"])
def test_cdf_of_a_ball_contains_that_of_its_ends(x, radius):
    with use_bits(128), mpmath.workdps(60):
        ball = normal_cdf(arb(x, radius))
        for end in (mpmath.mpf(x) - mpmath.mpf(radius), mpmath.mpf(x) + mpmath.mpf(radius)):
            truth = mpmath.erfc(-end / mpmath.sqrt(2)) / 2
            assert ball.overlaps(arb(mpmath.nstr(truth, 55)))
        assert ball.rel_accuracy_bits() > (75 if radius == "0" else 4)


def test_far_beyond_the_exponents_of_decimals():
    with use_bits(256):
        ball = GaussianSide(Fraction(9, 10**12)).at([arb(20)])[0].delta
        assert ball.rel_accuracy_bits() > 80
    with mpmath.workdps(120):
        truth = by_definition(Fraction(20), mpmath.mpf(3) / 10**6)
        assert ball.overlaps(arb(mpmath.nstr(truth, 60)))


def test_both_directions_agree_and_the_mean_does_not_matter():
    answers = {
        delta(Normal(mean, 2), epsilon="0.7", direction=direction)
        for mean in (0, "-1e9")
        for direction in ("up", "down", "both")
    }
    assert len(answers) == 1


def test_ball_form_follows_the_working_precision():
    for bits in (64, 128, 512):
        with use_bits(bits):
            ball = GaussianSide(Fraction(2)).at([arb("0.5")])[0].delta
            assert ball.rel_accuracy_bits() > bits - 12
    with mpmath.workdps(120):
        expected = by_definition(Fraction(1, 2), mpmath.sqrt(2))
    assert encloses(Enclosure.from_arb(ball, digits=50), expected)


@pytest.mark.parametrize("target", ["0.3", "1e-5", "1e-300", "1e-1000"])
def test_inverse(target):
    found = epsilon(Normal(0, 4), shift=3, delta=target)
    assert found.relative_width <= 1e-12
    with mpmath.workdps(60):
        at_low, at_high = (
            by_definition(Fraction(end), mpmath.mpf("1.5")) for end in (found.lower, found.upper)
        )
        assert at_high <= mpmath.mpf(target) <= at_low


def test_ends_of_the_inverse():
    none, all_of_it, most = epsilon(Normal(0, 1), delta=[0, 1, "0.4"])
    assert none.lower == none.upper == float("inf")
    assert all_of_it == most == Enclosure.exactly(0)
