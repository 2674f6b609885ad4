"""E D_N(ε): beside every outcome listed with rationals, and beside what it must and must not be."""

import math
from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import product
from unittest import mock

import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import law_of_blocks

from kproof.errors import InvalidArgument
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.laws import FiniteLattice, IndependentSum
from kproof.theory.laws.block_mass import block_mass
from kproof.theory.profiles import block_floats, blocks, delta
from kproof.theory.profiles.blocks import blocks_between, blocks_delta

BETAS = st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(4, 5), Fraction(1, 7), Fraction(0)])


def by_listing(betas: Sequence[Fraction], size: int, scale: Fraction, steps: int = 1) -> Fraction:
    """Return E D_N for e^ε = scale, every set of records that show their block listed."""
    total = Fraction(0)
    for shown in product([False, True], repeat=len(betas)):
        chance = math.prod(
            (beta if one else 1 - beta for beta, one in zip(betas, shown, strict=True)),
            start=Fraction(1),
        )
        law = law_of_blocks(size, sum(shown))
        total += chance * sum(
            (max(p - scale * law.get(x - steps, Fraction(0)), Fraction(0)) for x, p in law.items()),
            Fraction(0),
        )
    return total


def masses(betas: Sequence[Fraction]) -> dict[Fraction, int]:
    """Return how many records have each mass."""
    found: dict[Fraction, int] = defaultdict(int)
    for beta in betas:
        found[beta] += 1
    return dict(found)


@settings(deadline=None)
@given(st.lists(BETAS, min_size=1, max_size=6), st.integers(2, 4), st.integers(1, 5))
def test_at_zero_it_is_what_listing_finds_exactly(betas, size, steps):
    found = blocks_delta(masses(betas), block=size, steps=steps, epsilon=0)
    assert by_listing(betas, size, Fraction(1), steps) in found
    assert found.relative_width <= 1e-12


@settings(deadline=None)
@given(
    st.lists(BETAS, min_size=1, max_size=5),
    st.integers(2, 4),
    st.sampled_from(["0.01", "0.3", "1", "2.5", "800"]),
    st.integers(1, 5),
)
def test_elsewhere_it_is_between_what_listing_finds_around_it(betas, size, epsilon, steps):
    found = blocks_delta(masses(betas), block=size, steps=steps, epsilon=epsilon)
    below = Fraction(math.exp(min(float(epsilon), 700.0))) * (1 - Fraction(1, 10**14))
    least = by_listing(betas, size, below * (1 + Fraction(1, 10**13)), steps)
    assert Fraction(found.lower) <= by_listing(betas, size, below, steps)
    assert Fraction(found.upper) >= least
    assert found.relative_width <= 1e-12


@settings(deadline=None, max_examples=25)
@given(
    st.lists(BETAS, min_size=1, max_size=12),
    st.integers(2, 9),
    st.lists(st.sampled_from(["0", "0.02", "0.5", "3"]), min_size=1, max_size=3, unique=True),
    st.integers(1, 12),
)
def test_floats_of_64_bits_and_balls_agree(betas, size, epsilons, steps):
    found = blocks_delta(masses(betas), block=size, steps=steps, epsilon=epsilons)
    with mock.patch.object(blocks, "LONG", new=False):
        certain = blocks_delta(masses(betas), block=size, steps=steps, epsilon=epsilons)
    for one, other in zip(found, certain, strict=True):
        assert one.lower <= other.upper
        assert other.lower <= one.upper


def test_many_records_beside_balls():
    # Some hundred blocks, whose masses are gone through from the middle of their number on.
    betas = {Fraction(9, 10): 180, Fraction(1, 3): 60}
    grid = ["0", "0.05", "0.4", "2"]
    found = blocks_delta(betas, block=7, epsilon=grid)
    with mock.patch.object(blocks, "LONG", new=False):
        certain = blocks_delta(betas, block=7, epsilon=grid)
    assert all(one.relative_width <= 1e-12 for one in found)
    for one, other in zip(found, certain, strict=True):
        assert one.lower <= other.upper
        assert other.lower <= one.upper


def test_small_answers_keep_their_digits():
    found = blocks_delta({Fraction(73, 100): 1000}, block=30, epsilon=1)
    assert found.upper < Enclosure.exactly(Fraction(1, 10**470)).upper
    assert found.relative_width <= 1e-12


@pytest.mark.parametrize(("size", "beta", "n"), [(2, "0.6", 4), (4, "0.5", 3), (3, "0.8", 4)])
@pytest.mark.parametrize("epsilon", ["0", "0.3", "1.5"])
def test_the_law_with_its_rest_far_away_attains_it(size, beta, n, epsilon):
    share = Fraction(beta)
    far = 10 * size * n
    law = FiniteLattice({**dict.fromkeys(range(size), share / size), far: 1 - share})
    assert block_mass(law, block=size).mass == share
    found = delta(IndependentSum([law], counts=[n]), epsilon=epsilon)
    claim = blocks_delta({share: n}, block=size, epsilon=epsilon)
    assert found.lower <= claim.upper
    assert claim.lower <= found.upper


def test_a_rest_that_hides_the_number_stays_below_it():
    betas = [Fraction(1, 2), Fraction(1, 3), Fraction(3, 4)]

    def law(at: int) -> IndependentSum:
        return IndependentSum(
            [
                FiniteLattice(
                    {0: beta / 2 + (0 if at else 1 - beta), 1: beta / 2}
                    | ({at: 1 - beta} if at else {})
                )
                for beta in betas
            ]
        )

    claim = blocks_delta(masses(betas), block=2, epsilon=0)
    assert str(delta(law(0), epsilon=0)) == "0.4427083"
    assert str(claim) == "0.5260417"
    assert delta(law(100), epsilon=0).lower <= claim.upper
    assert claim.lower <= delta(law(100), epsilon=0).upper


def test_a_binomial_of_the_same_mean_would_be_unsound():
    apart = blocks_delta({Fraction(1): 2, Fraction(0): 1}, block=2, epsilon=0)
    evened = blocks_delta({Fraction(2, 3): 3}, block=2, epsilon=0)
    assert Fraction(1, 2) in apart
    assert str(evened) == "0.4814815"


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.dictionaries(st.integers(0, 5), st.integers(1, 4), min_size=1, max_size=5),
        min_size=1,
        max_size=4,
    ),
    st.integers(2, 4),
    st.sampled_from([1, 2]),
    st.sampled_from(["0", "0.2", "1"]),
)
def test_it_bounds_every_sum_of_records_with_these_block_masses(counts, size, shift, epsilon):
    laws = [FiniteLattice.from_counts(one) for one in counts]
    shares = [block_mass(law, block=size, shift=shift).mass for law in laws]
    claim = blocks_delta(masses(shares), block=size, epsilon=epsilon)
    assert delta(IndependentSum(laws), shift=shift, epsilon=epsilon).lower <= claim.upper


@cases(
    ({"masses": {Fraction(3, 2): 1}}, "block mass = 3/2: need 0 <= block mass <= 1"),
    ({"masses": {Fraction(1, 2): -1}}, "records of block mass 1/2 = -1: need a whole number"),
    ({"block": 1}, "block = 1: need a whole number 2 <= block"),
    ({"epsilon": -1}, "epsilon = -1: need epsilon >= 0"),
    ({"relative_width": 1}, "relative_width = 1: need"),
)
def test_what_makes_no_sense_is_refused(given, told):
    asked: dict[str, object] = {"masses": {Fraction(1, 2): 3}, "block": 2, "epsilon": 0} | given
    with pytest.raises(InvalidArgument, match=told):
        blocks_delta(asked.pop("masses"), **asked)  # type: ignore[arg-type]


def test_where_there_are_too_many_records_it_answers_in_parts(monkeypatch):
    epsilons = ["0", "1/100", "1/10"]
    large = {Fraction(7, 10): 10**5}
    answers = blocks_delta(large, block=30, epsilon=epsilons)
    others = blocks_between(large, block=30, epsilon=epsilons, parts=48)
    for answer, other in zip(answers, others, strict=True):
        assert max(answer.lower, other.lower) <= min(answer.upper, other.upper)
    assert answers[0].relative_width < Fraction(1, 100)
    assert answers[1].upper < Decimal("1e-12")
    masses = {Fraction(3, 4): 500}
    exact = blocks_delta(masses, block=5, epsilon=epsilons)
    monkeypatch.setattr(block_floats, "_MOST_STEPS", 1)
    for wide, narrow in zip(blocks_delta(masses, block=5, epsilon=epsilons), exact, strict=True):
        assert wide.lower <= narrow.lower <= narrow.upper <= wide.upper
