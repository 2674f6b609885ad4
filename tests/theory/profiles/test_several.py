"""Several sums of the same records: every outcome listed, with rationals alone."""

import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import TypeAlias

import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.errors import InvalidArgument
from kproof.theory.laws import FiniteLattice, iid
from kproof.theory.laws import several_sums as module
from kproof.theory.laws.several_sums import several_sums
from kproof.theory.profiles import delta
from kproof.theory.profiles.several import several_delta

Vector: TypeAlias = "tuple[Fraction, ...]"
Masses: TypeAlias = "dict[Vector, Fraction]"

VALUES = st.sampled_from([Fraction(0), Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3)])
LAWS = st.dictionaries(VALUES, st.integers(1, 3), min_size=1, max_size=3).map(
    FiniteLattice.from_counts
)


def outcomes(laws: Sequence[FiniteLattice], sums: Sequence[Sequence[int]]) -> Masses:
    """Return the probability of each vector of sums."""
    found: Masses = defaultdict(Fraction)
    for drawn in product(*(law.atoms for law in laws)):
        vector = tuple(sum((drawn[i][0] for i in members), Fraction(0)) for members in sums)
        found[vector] += math.prod((mass for _, mass in drawn), start=Fraction(1))
    return found


def by_listing(laws, sums, victim, shift, epsilon):
    """Return the larger of both directions, as a float."""
    before = outcomes(laws, sums)
    moved = [shift * (victim in members) for members in sums]
    after = {
        tuple(x + by for x, by in zip(vector, moved, strict=True)): mass
        for vector, mass in before.items()
    }
    scale = math.exp(epsilon)

    def beyond(left: Masses, right: Masses) -> float:
        none = Fraction(0)
        return sum(max(0.0, float(p) - scale * float(right.get(x, none))) for x, p in left.items())

    return max(beyond(before, after), beyond(after, before))


@st.composite
def published(draw: st.DrawFn) -> tuple[list[FiniteLattice], list[list[int]]]:
    """Draw up to four records and up to three sums of them."""
    laws = draw(st.lists(LAWS, min_size=1, max_size=4))
    members = st.lists(st.integers(0, len(laws) - 1), min_size=1, unique=True)
    return laws, draw(st.lists(members, min_size=1, max_size=3))


@settings(deadline=None)
@given(published(), st.sampled_from([Fraction(1), Fraction(2), Fraction(1, 2)]), st.booleans())
def test_what_is_told_together_is_what_listing_every_outcome_finds(drawn, shift, at_zero):
    laws, members = drawn
    epsilon = 0.0 if at_zero else 0.25
    found = several_delta(several_sums(laws, members), epsilon=epsilon, shift=shift)
    for one in found.cells:
        victim = one.cell.first
        expected = by_listing(laws, members, victim, shift, epsilon)
        assert one.exact
        assert float(one.together) == pytest.approx(expected, rel=1e-9, abs=1e-12)
        for place, value in zip(one.cell.sums, one.alone, strict=True):
            own = by_listing(laws, [members[place]], victim, shift, epsilon)
            assert float(value) == pytest.approx(own, rel=1e-9, abs=1e-12)
            assert one.together.upper >= value.lower
    assert float(found.delta) == pytest.approx(
        max(by_listing(laws, members, one.cell.first, shift, epsilon) for one in found.cells),
        rel=1e-9,
        abs=1e-12,
    )


@settings(deadline=None, max_examples=30)
@given(published(), st.sampled_from([Fraction(1), Fraction(1, 2)]))
def test_with_the_victim_fixed_the_others_are_random(drawn, shift):
    laws, members = drawn
    found = several_delta(several_sums(laws, members), epsilon=0, shift=shift, others_only=True)
    for one in found.cells:
        # The record left out is one of the first law of its cell.
        fixed = list(laws)
        fixed[one.cell.first] = FiniteLattice({0: 1})
        expected = by_listing(fixed, members, one.cell.first, shift, 0.0)
        assert float(one.together) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_two_harmless_sums_give_a_record_away():
    # The finding that composition of releases of the same records rests on sand.
    age = FiniteLattice(dict.fromkeys(range(20, 70), "1/50"))
    sums = several_sums(age, [range(200), range(199)], n=200)
    found = several_delta(sums, epsilon="0.5", others_only=True)
    assert found.worst.cell.count == 1
    assert found.worst.determined
    assert found.delta.lower == 1
    assert all(value.upper < 1e-9 for value in found.worst.alone)


def test_the_same_sum_again_tells_nothing_new():
    die = FiniteLattice(dict.fromkeys(range(1, 7), "1/6"))
    once = delta(iid(die, 30), epsilon="0.2")
    assert several_delta(several_sums(die, [range(30)] * 5, n=30), epsilon="0.2").delta == once


def test_a_total_and_the_totals_of_its_groups_tell_as_much_as_the_smallest_group():
    die = FiniteLattice(dict.fromkeys(range(1, 7), "1/6"))
    sums = several_sums(die, [range(30), range(10), range(10, 30)], n=30)
    found = several_delta(sums, epsilon="0.2")
    assert found.worst.cell.count == 10
    assert found.delta == delta(iid(die, 10), epsilon="0.2")


def test_beyond_the_budget_the_answer_is_a_bound_and_says_so():
    # Two overlapping sums of values with long steps: the joint lattice is out of reach.
    long = FiniteLattice({0: "1/2", 1: "1/4", 100_003: "1/4"})
    found = several_delta(several_sums(long, [range(4), range(2, 6)], n=6), epsilon=0)
    assert not any(one.exact for one in found.cells)
    assert all("<=" in str(one) for one in found.cells)
    expected = by_listing([long] * 6, [range(4), range(2, 6)], 0, Fraction(1), 0.0)
    first = found.cells[0]
    assert float(first.together.lower) <= expected <= float(first.together.upper)


@cases(
    (FiniteLattice({0: 1}), [[0]], None, "n is not given: need the number of records of that law"),
    ([FiniteLattice({0: 1})], [[0]], 1, "n = 1: need none: each record has a law of its own"),
    ([0], [[0]], None, r"records\[0\] = 0: need a table of probabilities"),
    ([FiniteLattice({0: 1})], [], None, "sums = 0: need 1 to 64 of them"),
    ([FiniteLattice({0: 1})], [[1]], None, r"sums\[0\] = 1: need a record, 0 to 0"),
    ([FiniteLattice({0: 1})], [[True]], None, r"sums\[0\] = True: need a record, 0 to 0"),
    ([FiniteLattice({0: 1})], [[0, 0]], None, r"sums\[0\] = 0: need each record once"),
    (
        [FiniteLattice({0: 1})],
        [[0], []],
        None,
        r"length of sums\[1\] = 0: need at least one record",
    ),
)
def test_what_makes_no_sense_is_refused(records, sums, n, told):
    with pytest.raises(InvalidArgument, match=told):
        module.several_sums(records, sums, n=n)  # type: ignore[arg-type]
