"""Distinct, entropy and recursive diversity: counts, 60 digits, and integers where they fit."""

from collections import Counter
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from cases import cases
from class_oracles import classes_of, entropy
from hypothesis import given
from hypothesis import strategies as st

from kproof.models.base.classes import Classes
from kproof.models.privacy import DistinctL, EntropyL, RecursiveCL
from kproof.models.privacy.diversity import _equal, diversity_below, entropy_at_least

GROUPS = st.lists(
    st.lists(st.sampled_from("abcde"), min_size=1, max_size=8), min_size=1, max_size=6
)
COUNTS = st.lists(st.integers(1, 12), min_size=1, max_size=6)


@given(GROUPS, st.integers(1, 5))
def test_distinct(groups, ell):
    verdict = DistinctL(ell).check(classes_of(groups))
    distinct = [len(set(group)) for group in groups]
    assert verdict.value == min(distinct)
    assert verdict.holds == (min(distinct) >= ell)
    assert verdict.worst_class.index == distinct.index(min(distinct))


def at_least_by_integers(counts, ell):
    rows = sum(counts)
    product = 1
    for count in counts:
        product *= count**count
    return rows**rows * ell.denominator**rows >= ell.numerator**rows * product


@given(COUNTS, st.fractions(1, 7, max_denominator=20))
def test_entropy_against_ln_l_by_integers(counts, ell):
    assert entropy_at_least(counts, ell) == at_least_by_integers(counts, ell)


@cases(
    ([3, 3, 3], 3),
    ([4, 1, 1, 1, 1], 4),
    ([7], 1),
    ([8, 2, 2, 2, 2], 4),
    ([9, 1, 1, 1, 1, 1, 1, 1, 1, 1], 6),
)
def test_entropy_at_equality(counts, ell):
    """(9, 1 x 9) is 1/2 and nine times 1/18: its entropy is ln(2^(1/2) 18^(1/2)) = ln 6."""
    assert entropy_at_least(counts, Fraction(ell))
    assert not entropy_at_least(counts, ell + Fraction(1, 10**60))
    assert entropy_at_least(counts, max(Fraction(1), ell - Fraction(1, 10**60)))
    assert diversity_below(counts) == ell
    groups = [[value for value, count in enumerate(counts) for _ in range(count)]] * 2
    verdict = EntropyL(ell).check(classes_of(groups))
    assert (verdict.holds, verdict.value) == (True, ell)


@given(COUNTS)
def test_attained_l_is_rounded_down_to_a_float(counts):
    group = [value for value, count in enumerate(counts) for _ in range(count)]
    attained = diversity_below(counts)
    with mpmath.workdps(60):
        truth = mpmath.exp(entropy(group))
        if isinstance(attained, int):
            assert abs(truth - attained) < mpmath.mpf(10) ** -50
        else:
            assert (
                mpmath.mpf(attained) <= truth < mpmath.mpf(np.nextafter(attained, np.inf)) + 1e-30
            )


@given(GROUPS, st.sampled_from(["1", "1.5", "2", "2.5", "3"]))
def test_entropy_over_classes(groups, ell):
    verdict = EntropyL(ell).check(classes_of(groups))
    kinds = [sorted(Counter(group).values()) for group in groups]
    assert verdict.holds == all(at_least_by_integers(kind, Fraction(ell)) for kind in kinds)
    least = min(entropy(group) for group in groups)
    assert verdict.value == pytest.approx(float(mpmath.exp(least)), rel=1e-12)
    assert entropy(groups[verdict.worst_class.index]) == pytest.approx(float(least), abs=1e-12)


def test_between_neighbouring_floats_the_verdict_is_still_exact():
    group = ["a", "a", "b"]
    with mpmath.workdps(60):
        truth = Fraction(int(mpmath.floor(mpmath.exp(entropy(group)) * 10**40)), 10**40)
    verdict = EntropyL(truth).check(classes_of([group]))
    assert verdict.holds
    assert verdict.value < truth
    assert not EntropyL(truth + Fraction(1, 10**40)).check(classes_of([group]))


def test_equality_compares_exponents_and_not_only_primes():
    """Shares 1/2, 1/4, 1/4 have the entropy ln 2^(3/2), with no other prime than l = 2 has."""
    assert not _equal(Counter([2, 1, 1]), 4, Fraction(2))
    assert _equal(Counter([1, 1]), 2, Fraction(2))
    assert not _equal(Counter([1, 1]), 2, Fraction(10, 5 * 7))


def test_entropy_is_not_truncated_and_large_classes_are_decided():
    rows = 200_000
    codes = np.repeat(np.arange(1000), rows // 1000)
    of_row = np.zeros(rows, dtype=np.int64)
    classes = Classes(of_row, 1, codes, tuple(range(1000)))
    assert EntropyL(1000).check(classes).value == 1000
    assert EntropyL(1000).check(classes)
    codes[0] = 1
    verdict = EntropyL("999.9999").check(Classes(of_row, 1, codes, tuple(range(1000))))
    assert verdict.holds
    assert 999.9999 < verdict.value < 1000


def tail(group, ell):
    counts = sorted(Counter(group).values(), reverse=True)
    return counts[0], sum(counts[ell - 1 :])


@given(GROUPS, st.sampled_from(["0.5", "1", "1.5", "2", "3"]), st.integers(1, 4))
def test_recursive_runs_from_the_commonest_value(groups, c, ell):
    verdict = RecursiveCL(c, ell).check(classes_of(groups))
    tails = [tail(group, ell) for group in groups]
    assert verdict.holds == all(first < Fraction(c) * rest for first, rest in tails)
    if all(rest for _, rest in tails):
        ratios = [Fraction(first, rest) for first, rest in tails]
        assert verdict.value == max(ratios)
        assert verdict.worst_class.index == ratios.index(max(ratios))
    else:
        assert verdict.value == "none"
        assert len(set(groups[verdict.worst_class.index])) < ell


def test_recursive_is_not_computed_from_the_rarest_value():
    """With r = (4, 1, 1): 4 < 3 * (1 + 1), while the rarest value's 1 < c * 4 says nothing."""
    groups = [["a"] * 4 + ["b", "c"]]
    assert RecursiveCL("2.5", 2).check(classes_of(groups))
    assert not RecursiveCL(2, 2).check(classes_of(groups))
