"""The exponential bound beside every log-concave law on a small support, and exact values."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest
from cases import cases, error_line
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from nights import by_day, spread
from oracles import hockey_stick

from kproof.errors import InvalidArgument
from kproof.theory.laws import FiniteLattice, IndependentSum, PoissonBinomial, iid
from kproof.theory.profiles import delta
from kproof.theory.profiles.exponential import exponential_delta


def exp_above(epsilon: Fraction) -> Fraction:
    """Return a rational a little above e^ε."""
    power = term = Fraction(1)
    for place in range(1, 40):
        term *= epsilon / place
        power += term
    return power + Fraction(1, 10**20)


def log_concave(points: int, parts: int) -> list[dict[int, Fraction]]:
    """Return all log-concave laws on 0, ..., points - 1 in multiples of 1/parts."""
    return [
        {x: Fraction(number, parts) for x, number in enumerate(numbers)}
        for numbers in product(range(1, parts + 1), repeat=points)
        if sum(numbers) == parts
        and all(
            numbers[i] ** 2 >= numbers[i - 1] * numbers[i + 1] for i in range(1, len(numbers) - 1)
        )
    ]


@pytest.mark.parametrize("shift", [1, 2])
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 5), Fraction(1)])
def test_no_sum_of_small_log_concave_laws_beats_it(shift, epsilon):
    laws = [*log_concave(2, 6), *log_concave(3, 8), *log_concave(4, 9)]
    assert len(laws) > 15
    said = 0
    for one, other in spread(combinations_with_replacement(laws, 2), 3):
        total: dict[int, Fraction] = defaultdict(Fraction)
        for (x, p), (y, q) in product(one.items(), other.items()):
            total[x + y] += p * q
        law = IndependentSum([FiniteLattice(one), FiniteLattice(other)])
        found = exponential_delta(law, shift=shift, epsilon=epsilon)
        scale = exp_above(epsilon)
        assert Fraction(found.upper) >= hockey_stick(total, shift, scale)
        assert Fraction(found.upper) >= hockey_stick(total, -shift, scale)
        said += found.upper < 1
    assert said > by_day(6, at_night=20) or (shift, epsilon) != (1, 0)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.fractions(Fraction(1, 100), Fraction(99, 100)), min_size=1, max_size=60),
    st.integers(1, 3),
    st.sampled_from(["0", "0.05", "0.5", "3", "20"]),
)
def test_no_poisson_binomial_beats_it(chances, shift, epsilon):
    law = PoissonBinomial(chances)
    found = exponential_delta(law, shift=shift, epsilon=epsilon)
    assert found.upper >= delta(law, shift=shift, epsilon=epsilon).lower


def test_its_distance_from_the_truth_does_not_grow_with_n():
    ratios = []
    for n in (100, 10_000, 1_000_000):
        law = iid(FiniteLattice.bernoulli(Fraction(1, 2)), n)
        epsilon = Fraction(6, int(n**0.5))
        exact = delta(law, epsilon=epsilon) if n < 10**6 else None
        found = exponential_delta(law, epsilon=epsilon)
        if exact is not None:
            ratios.append(float(found.upper) / float(exact.lower))
    assert max(ratios) < 60
    assert exponential_delta(iid(FiniteLattice.bernoulli(Fraction(1, 2)), 10**9), epsilon="0.01")


def test_the_largest_mass_of_a_log_concave_law():
    for law in [*log_concave(3, 9), *log_concave(4, 9), *log_concave(5, 9)]:
        mean = sum(x * p for x, p in law.items())
        variance = sum((x - mean) ** 2 * p for x, p in law.items())
        root = (1 + 8 * arb(variance.numerator) / variance.denominator).sqrt()
        most = max(law.values())
        assert arb(most.numerator) / most.denominator <= 4 / (3 + root)


def test_grids_fall_and_constant_sums_say_nothing():
    found = exponential_delta(PoissonBinomial(["1/3"] * 500), epsilon=["0", "0.1", "0.2"])
    assert found[0].upper > found[1].upper > found[2].upper
    assert exponential_delta(PoissonBinomial([1, 0]), epsilon=1).upper == 1


@cases(
    (FiniteLattice({0: "2/5", 1: "1/5", 2: "2/5"}), 1, "need log-concave records"),
    (FiniteLattice.bernoulli(Fraction(1, 2)), "1/2", "need a multiple of the lattice's step 1"),
    (FiniteLattice.bernoulli(Fraction(1, 2)), 0, "need shift > 0"),
)
def test_what_it_is_not_for(law, shift, says):
    assert says in error_line(InvalidArgument, exponential_delta, law, epsilon=1, shift=shift)
