"""Block masses: blocks and points met prove each other; a linear program finds the same."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from kproof.errors import InvalidArgument
from kproof.theory.laws import Binomial, FiniteLattice, Normal
from kproof.theory.laws.block_mass import block_mass, longest_block


def by_program(masses: dict[int, Fraction], size: int, shift: int) -> float:
    """Return the largest weight of blocks below a law on whole numbers, by linear programming."""
    low, high = min(masses), max(masses)
    starts = range(low, high + 1)
    points = range(low, high + size * shift + 1)
    matrix = np.array(
        [
            [any(start + i * shift == point for i in range(size)) / size for start in starts]
            for point in points
        ]
    )
    limits = [float(masses.get(point, 0)) for point in points]
    return -float(linprog(-np.ones(len(starts)), A_ub=matrix, b_ub=limits, method="highs").fun)


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("shift", [1, 2])
def test_every_law_of_few_weights_has_the_mass_that_a_linear_program_finds(size, shift):
    for weights in product(range(3), repeat=5):
        if not any(weights):
            continue
        law = FiniteLattice.from_counts(dict(enumerate(weights)))
        found = block_mass(law, block=size, shift=shift)
        assert found.proves(dict(law.atoms))
        # By duality, what proves itself is the optimum; the program is asked of some.
        if sum(weights) % 5 == 0:
            masses = {int(value): mass for value, mass in law.atoms}
            assert float(found.mass) == pytest.approx(by_program(masses, size, shift), abs=1e-9)


@settings(deadline=None)
@given(
    st.dictionaries(
        st.fractions(0, 12, max_denominator=3), st.integers(1, 9), min_size=1, max_size=14
    ),
    st.integers(2, 6),
    st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(2), Fraction(5, 7)]),
)
def test_blocks_and_points_met_prove_the_mass(counts, size, shift):
    law = FiniteLattice.from_counts(counts)
    found = block_mass(law, block=size, shift=shift)
    assert found.proves(dict(law.atoms))
    assert found.largest
    assert (found.mass > 0) == (longest_block(law, shift=shift) >= size)


def test_a_wrong_mass_is_not_proved():
    law = FiniteLattice({0: "1/2", 1: "1/4", 2: "1/4"})
    found = block_mass(law, block=2)
    masses = dict(law.atoms)
    assert found.mass == Fraction(1, 2)
    assert found.proves(masses)
    for change in (
        {"mass": Fraction(3, 4)},
        {"starts": ((Fraction(0), Fraction(1)),)},
        {"met": (Fraction(0),)},
        {"met": (Fraction(2),)},
        {"met": (Fraction(9),)},
    ):
        assert not replace(found, **change).proves(masses)  # type: ignore[arg-type]


def test_overlap_is_a_lower_bound_that_a_coin_beats():
    assert block_mass(FiniteLattice({0: "1/2", 1: "1/2"}), block=2).mass == 1
    ages = FiniteLattice.from_counts({20: 3, 21: 5, 22: 4, 23: 1})
    overlap = sum(
        min(dict(ages.atoms).get(x, Fraction(0)), dict(ages.atoms).get(x - 1, Fraction(0)))
        for x in range(20, 25)
    )
    assert block_mass(ages, block=2).mass >= overlap


def test_masses_that_are_balls_are_rounded_down():
    exact = FiniteLattice.from_counts({0: 1, 1: 4, 2: 6, 3: 4, 4: 1})
    rounded = block_mass(Binomial(4, "1/2"), block=3)
    least = block_mass(exact, block=3).mass
    assert not rounded.largest
    assert least - Fraction(1, 10**30) < rounded.mass <= least


@cases(
    ({"block": 1}, "block = 1: need a whole number 2 <= block"),
    ({"block": 2, "shift": 0}, "shift = 0: need shift > 0"),
    ({"law": Normal(mean=0, variance=1), "block": 2}, "need a law on a lattice"),
)
def test_what_makes_no_sense_is_refused(given, told):
    law = given.pop("law", FiniteLattice({0: 1}))
    with pytest.raises(InvalidArgument, match=told):
        block_mass(law, **given)  # type: ignore[arg-type]
