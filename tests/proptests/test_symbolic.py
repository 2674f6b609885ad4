"""The pure cores on symbols, and a fault that only symbols find."""

from collections.abc import Callable
from fractions import Fraction
from importlib.util import find_spec
from itertools import combinations

import pytest
from cases import error_line
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.errors import InvalidArgument
from kproof.models.tables.theta import moves
from kproof.proptests.symbolic import PROVIDER, symbolic
from kproof.theory.exact.typed import integer, rational
from kproof.theory.theorems import theta

needs_crosshair = pytest.mark.skipif(
    find_spec(PROVIDER) is None, reason="needs the extra kproof[symbolic]"
)

frequencies = st.lists(st.integers(1, 1000), min_size=1, max_size=3)
multisets = st.dictionaries(st.integers(0, 3), st.integers(1, 5), min_size=1, max_size=3)


def pairwise(counts: list[int]) -> int:
    """Return N²·V as the sum over pairs of rows of their squared difference in rank."""
    ranked = list(enumerate(sorted(counts, reverse=True)))
    return sum((i - j) ** 2 * f * g for (i, f), (j, g) in combinations(ranked, 2))


def same_variance(variance: Callable[[list[int]], int]) -> Callable[[], None]:
    """Return the test that a variance is the one of the definition."""

    @given(frequencies)
    def test(counts: list[int]) -> None:
        assert variance(counts) == pairwise(counts)

    return test


def v_of_a_class(counts: list[int]) -> int:
    return int(theta.variance(counts) * sum(counts) ** 2)


def forgets_a_row(counts: list[int]) -> int:
    """Return N²·V, wrong where its first two values, or all three, have 1009 rows."""
    size = first = second = 0
    for weight, count in enumerate(sorted(counts, reverse=True), start=1):
        size += count
        first += weight * count
        second += weight * weight * count - (size == 1009)
    return size * second - first * first


@needs_crosshair
@pytest.mark.parametrize("variance", [moves.integer_variance, v_of_a_class])
def test_v_is_the_definition_on_symbols(variance):
    symbolic(examples=40)(same_variance(variance))()


@needs_crosshair
def test_symbols_find_a_fault_in_v_that_chance_does_not():
    by_chance = settings(max_examples=150, derandomize=True, database=None, deadline=None)
    by_chance(same_variance(forgets_a_row))()
    with pytest.raises(AssertionError):
        symbolic(examples=150)(same_variance(forgets_a_row))()


@needs_crosshair
def test_the_threshold_is_the_inequality_on_symbols():
    threshold = moves.Threshold(Fraction(3, 5), 4)

    @symbolic(examples=40)
    @given(frequencies)
    def test(counts: list[int]) -> None:
        passes = threshold.passes(dict(enumerate(counts)))
        assert passes == (4 * pairwise(counts) >= 3 * sum(counts) ** 2)

    test()


@needs_crosshair
def test_moves_keep_rows_and_widen_the_receiver_on_symbols():
    @symbolic(examples=25)
    @given(multisets, multisets)
    def test(receiver: dict[int, int], donor: dict[int, int]) -> None:
        coming = moves.back_check(receiver, donor)
        assert all(one in donor and one not in receiver for one in coming)
        for x in moves.most_frequent_values(receiver):
            for y in coming:
                got, gave = moves.swap(receiver, donor, x, y)
                assert sum(got.values()) == sum(receiver.values())
                assert sum(gave.values()) == sum(donor.values())
                assert pairwise(list(got.values())) >= pairwise(list(receiver.values()))
        for x, y in moves.cross_check(receiver, donor):
            assert (y, x) in moves.cross_check(donor, receiver)

    test()


@needs_crosshair
def test_whole_numbers_are_read_as_typed_on_symbols():
    @symbolic(examples=25)
    @given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6))
    def test(value: int, least: int) -> None:
        assert rational("x", value) == value
        if value >= least:
            assert integer("k", value, least=least) == value
        else:
            with pytest.raises(InvalidArgument):
                integer("k", value, least=least)

    test()


@pytest.mark.skipif(find_spec(PROVIDER) is not None, reason="the extra is installed")
def test_without_the_extra_it_is_said_what_is_missing():
    assert "need the extra kproof[symbolic]" in error_line(InvalidArgument, symbolic)
