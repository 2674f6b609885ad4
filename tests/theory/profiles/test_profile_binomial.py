"""Profiles of binomial counts against rational sums on small n and 60 digits on large n."""

import math
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate

import mpmath
import pytest
from cases import cases, error_line
from flint import arb
from oracles import as_mpf, encloses, positive_excess

from kproof.errors import TooLarge
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.precision import use_bits
from kproof.theory.exact.typed import as_arb
from kproof.theory.laws import FiniteLattice, TruncatedBinomial
from kproof.theory.profiles import Direction, delta
from kproof.theory.profiles.binomial import binomial_sides
from kproof.theory.profiles.binomial_tails import lower_tails, mass_at

SHARES = ["1/2", "3/10", "1/100", "99/100", "2/3"]
EPSILONS = ["0", "1e-9", "0.1", "1", "7"]


@pytest.fixture(autouse=True)
def _sixty_digits():
    with mpmath.workdps(60), use_bits(192):
        yield


def exponential(epsilon: str | Fraction) -> mpmath.mpf:
    exact = Fraction(epsilon)
    return mpmath.exp(mpmath.mpf(exact.numerator) / exact.denominator)


def conditional_masses(n: int, p: Fraction, k: int) -> dict[int, Fraction]:
    weights = {j: math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1)}
    kept = sum(weights.values())
    return {j: weight / kept for j, weight in weights.items()}


@pytest.mark.parametrize("p", SHARES)
@pytest.mark.parametrize("n", [1, 2, 3, 7, 12])
def test_every_truncation_agrees_with_rational_sums(n, p):
    for k in range(n + 1):
        law = conditional_masses(n, Fraction(p), k)
        shifted = {x + 1: m for x, m in law.items()}
        for direction in (Direction.UP, Direction.DOWN):
            pair = direction.pick((law, shifted), (shifted, law))[0]
            answers = delta(
                TruncatedBinomial(n, p, k), epsilon=tuple(EPSILONS), direction=direction
            )
            for epsilon, answer in zip(EPSILONS, answers, strict=True):
                assert encloses(answer, positive_excess(*pair, exponential(epsilon)))
                assert answer.relative_width <= 1e-12


def test_both_is_the_larger_direction():
    law = TruncatedBinomial(30, "0.2", 3)
    for epsilon in EPSILONS:
        up, down, both = (delta(law, epsilon=epsilon, direction=d) for d in ("up", "down", "both"))
        assert both == max(up, down, key=float)


@cases((40, "0.3", 0), (40, "0.3", 12), (40, "0.3", 30), (25, "0.5", 11))
def test_closed_form_agrees_with_the_general_lattice_path(n, p, k):
    listed = FiniteLattice(conditional_masses(n, Fraction(p), k))
    for direction in Direction:
        closed, general = (
            delta(law, epsilon=["0", "1/3", "4"], direction=direction)
            for law in (TruncatedBinomial(n, p, k), listed)
        )
        for one, other in zip(closed, general, strict=True):
            assert max(one.lower, other.lower) <= min(one.upper, other.upper)


def tails_by_summation(n: int, p: Fraction, m: int) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Return Pr[M = m] and Pr[M < m], term by term in 60 digits."""
    top = mpmath.loggamma(n + 1) - mpmath.loggamma(m + 1) - mpmath.loggamma(n - m + 1)
    mass = mpmath.exp(top + m * mpmath.log(as_mpf(p)) + (n - m) * mpmath.log(as_mpf(1 - p)))
    term, below = mass, mpmath.mpf(0)
    for j in range(m, 0, -1):
        term = term * j * (p.denominator - p.numerator) / ((n - j + 1) * p.numerator)
        below += term
        if term < below * mpmath.mpf(10) ** -58:
            break
    return mass, below


@cases(
    (400_000, "1/2", 200_000),  # broad: by the integral
    (10**6, "1/3", 333_000),
    (10**6, "999/1000", 998_990),
    (10**12, "1/10000000", 99_900),
    (10**5, "3/10", 2_089),  # steep: by the series, far below 1e-10000
    (10**15, "3/10", 136_190_471_422_000),
    (10**4, "1e-4", 1),
)
def test_tails_agree_with_summation(n, p, m):
    with mpmath.workdps(80):
        mass, below = tails_by_summation(n, Fraction(p), m)
        truths = -mpmath.log(mass), below / mass
    tail = next(lower_tails(n, Fraction(p), [m]))
    for ball, truth in zip((-tail.mass.log(), tail.below / tail.mass), truths, strict=True):
        enclosure = Enclosure.from_arb(ball, digits=40)
        assert enclosure.relative_width < 1e-30
        assert encloses(enclosure, truth)


def test_integral_agrees_with_integers_at_high_precision():
    n, m = 20_000, 9_990
    weights = accumulate(range(1, m), lambda c, j: c * (n - j + 1) // j, initial=1)
    below = Fraction(sum(weights), 2**n)
    with use_bits(2048):
        ball = next(lower_tails(n, Fraction(1, 2), [m])).below
        assert ball.rel_accuracy_bits() > 2000
        assert ball.contains(arb(below.numerator) / below.denominator)


def test_walking_and_jumping_give_the_same_tails():
    n, p = 10**6, Fraction(3, 10)
    walked = list(lower_tails(n, p, range(299_000, 299_050)))
    for step in (0, 7, 49):
        mass = mass_at(n, p, 299_000 + step)
        fresh = next(lower_tails(n, p, [299_000 + step]))
        assert mass.overlaps(walked[step].mass)
        assert fresh.below.overlaps(walked[step].below)
        assert walked[step].below.rel_accuracy_bits() > 90


@pytest.mark.parametrize("epsilon", ["0.01", "0.3", "1"])
@pytest.mark.parametrize("k", [0, 25_000])
def test_large_counts_agree_with_summation(epsilon, k):
    n, p = 100_000, Fraction(3, 10)
    scale = exponential(epsilon)
    place = int(mpmath.floor(as_mpf(p) * (n + 1) / (scale * as_mpf(1 - p) + as_mpf(p))))
    with mpmath.workdps(80):
        kept = 1 - sum(tails_by_summation(n, p, k - 1)) if k else mpmath.mpf(1)
        removed = sum(tails_by_summation(n, p, k - 1)) if k else mpmath.mpf(0)
        candidates = []
        for m in (max(place, k) + step for step in (0, 1, 2)):
            mass, below = tails_by_summation(n, p, m)
            candidates.append((mass + (1 - scale) * (below - removed)) / kept)
    answer = delta(TruncatedBinomial(n, p, k), epsilon=epsilon, direction="up")
    assert encloses(answer, max(candidates))
    assert answer.relative_width <= 1e-12


def test_a_thousand_digits_below_one():
    answer = delta(TruncatedBinomial(100_000, "0.3", 0), epsilon="0.85")
    assert answer.upper < Decimal("1e-2000")
    assert answer.lower > 0
    assert answer.relative_width <= 1e-12


def test_ties_at_epsilon_zero_are_not_decided_but_do_not_matter():
    # p(n+1) is whole, so two masses are equal and the threshold is exactly a lattice point.
    answer = delta(TruncatedBinomial(9, "1/2", 0), epsilon=0)
    assert Fraction(math.comb(9, 4), 2**9) in answer


def test_a_ball_of_exponents_gets_the_profile_of_each_of_them():
    side = binomial_sides(40, Fraction(1, 3), 0)[0]
    for centre in (Fraction(i, 40) for i in range(1, 40)):
        radius = Fraction(1, 60)
        value = side.at([arb(as_arb(centre), as_arb(radius))])[0].delta
        for end in (centre - radius, centre + radius):
            answer = delta(TruncatedBinomial(40, "1/3", 0), epsilon=end, direction="up")
            assert value.overlaps(as_arb(Fraction(answer.lower)))
            assert value.overlaps(as_arb(Fraction(answer.upper)))


def test_grids_are_the_single_answers():
    law = TruncatedBinomial(5_000, "0.4", 1_900)
    grid = [Fraction(i, 50) for i in range(60)]
    for epsilon, answer in zip(grid, delta(law, epsilon=grid), strict=True):
        alone = delta(law, epsilon=epsilon)
        assert max(alone.lower, answer.lower) <= min(alone.upper, answer.upper)
        assert answer.relative_width <= 1e-12


def test_narrower_on_request():
    answer = delta(TruncatedBinomial(1_000, "0.3", 10), epsilon="0.2", relative_width="1e-80")
    assert answer.lower < answer.upper
    assert (answer.upper - answer.lower) / answer.upper < 1e-80


def test_the_largest_counts():
    up, down = binomial_sides(10**60, Fraction(3, 10), 0)
    with use_bits(1024):
        for side in (up, down):
            value = side.at([arb(0)])[0].delta
            # At ε = 0 it is the largest mass, about 1/sqrt(2π npq).
            assert abs(value * (2 * arb.pi() * arb("0.21")).sqrt() * arb(10) ** 30 - 1) < 1e-25
    assert "n <= 1e100" in error_line(TooLarge, binomial_sides, 10**101, Fraction(3, 10), 0)
