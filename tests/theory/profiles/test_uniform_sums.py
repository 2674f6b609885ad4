"""Sums of uniform blocks by Fourier sums in balls, beside counting and the exact profile."""

from decimal import Decimal
from fractions import Fraction

import pytest
from cases import cases
from flint import arb
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nights import at_night
from oracles import hockey_stick, law_of_blocks

from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.laws import FiniteLattice, iid
from kproof.theory.profiles import delta
from kproof.theory.profiles.blocks import blocks_between, blocks_delta, blocks_epsilon
from kproof.theory.profiles.uniform_sums import uniform_profile


def enclosed(ball: arb) -> Enclosure:
    return Enclosure.from_arb(ball, low=0, high=1)


# Masses are told apart by more bits after one was multiplied by e^20.
@example(4, 2, 1, Fraction(20), 32)
@settings(deadline=None)
@given(
    st.integers(0, 8),
    st.integers(2, 5),
    st.integers(1, 5),
    st.sampled_from([Fraction(1, 100), Fraction(1, 3), Fraction(1), Fraction(3), Fraction(20)]),
    st.sampled_from([32, 64, 200]),
)
def test_it_is_between_what_counting_finds_around_it(count, size, steps, epsilon, bits):
    law = law_of_blocks(size, count)
    balls = uniform_profile(count, size, shift=steps, epsilons=[0, epsilon], bits=bits)
    exact, rough = map(enclosed, balls)
    assert hockey_stick(law, steps, Fraction(1)) in exact
    # e^ε lies between its partial sums and a little more.
    power = term = Fraction(1)
    for place in range(1, 60):
        term *= epsilon / place
        power += term
    assert Fraction(rough.lower) <= hockey_stick(law, steps, power)
    assert Fraction(rough.upper) >= hockey_stick(law, steps, power + Fraction(1, 10**40))
    assert all(ball.rad() < arb(2) ** (8 - bits) for ball in balls)


@cases(
    (300, 2, 1, "0.05", 64),
    (300, 2, 1, "0.9", 400),
    (500, 30, 1, "0.01", 64),
    (500, 30, 7, "0.2", 300),
    (2000, 3, 2, "0.1", 200),
    (40, 100, 99, "0.4", 100),
)
def test_long_sums_agree_with_the_exact_profile(count, size, steps, epsilon, bits):
    law = iid(FiniteLattice.from_counts(dict.fromkeys(range(size), 1)), count)
    exact = delta(law, shift=steps, epsilon=epsilon)
    [ball] = uniform_profile(count, size, shift=steps, epsilons=[Fraction(epsilon)], bits=bits)
    found = enclosed(ball)
    assert found.lower <= exact.upper
    assert exact.lower <= found.upper
    assert ball.rad() < arb(2) ** (16 - bits) * count * size


def test_what_is_too_small_to_be_told_is_bounded_from_above():
    [ball] = uniform_profile(5000, 30, shift=1, epsilons=[Fraction(1)], bits=64)
    found = enclosed(ball)
    assert found.lower == 0 < found.upper < Decimal("1e-12")


@settings(deadline=None, max_examples=30)
@given(
    st.dictionaries(
        st.sampled_from([Fraction(1, 5), Fraction(2, 3), Fraction(1)]),
        st.integers(1, 40),
        min_size=1,
    ),
    st.integers(2, 9),
    st.integers(1, 4),
    st.sampled_from(["0", "0.01", "0.3"]),
    st.sampled_from([1, 3, 1000]),
)
def test_parts_hold_what_each_number_of_blocks_gives(masses, size, steps, epsilon, parts):
    exact = blocks_delta(masses, block=size, steps=steps, epsilon=epsilon)
    [found] = blocks_between(masses, block=size, steps=steps, epsilon=[epsilon], parts=parts)
    assert found.lower <= exact.upper
    assert exact.lower <= found.upper
    if parts == 1000:
        assert found.upper - found.lower < Decimal("1e-14")


def test_a_million_records_in_parts():
    [found] = blocks_between({Fraction(7, 10): 10**6}, block=30, epsilon=[0], parts=32)
    # The largest mass of a normal law of that variance is all of it, but for a millionth.
    normal = 1 / (2 * 3.141592653589793 * 700_000 * (30**2 - 1) / 12) ** 0.5
    assert float(found.lower) < normal * (1 + 1e-4)
    assert normal * (1 - 1e-4) < float(found.upper)
    assert found.relative_width < 1e-3


@pytest.mark.parametrize("delta_", ["0.01", *at_night("1e-3", "1e-5")])
def test_the_inverse_in_parts_holds_the_inverse(delta_):
    masses = {Fraction(4, 5): 30, Fraction(1, 2): 20}
    exact = blocks_epsilon(masses, block=8, delta=delta_)
    found = blocks_epsilon(masses, block=8, delta=delta_, parts=20, relative_width="0.01")
    assert found.lower <= exact.upper
    assert exact.lower <= found.upper
    assert found.relative_width < 0.4
    at = Fraction(exact.upper)
    assert Fraction(blocks_delta(masses, block=8, epsilon=at).upper) <= Fraction(delta_)
