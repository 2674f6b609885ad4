"""p-sensitivity, p+ and (p, alpha), theta-sensitivity: brute force and the paper's tables."""

from fractions import Fraction

import numpy as np
import pytest
from class_oracles import classes_of, width
from hypothesis import given
from hypothesis import strategies as st
from theta_oracles import CATEGORY as DISEASES
from theta_oracles import TABLE_4A, TABLE_4B

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.classes import Classes
from kproof.models.base.missing import MISSING
from kproof.models.privacy import PAlphaSensitive, PPlusSensitive, PSensitive, ThetaSensitivity

GROUPS = st.lists(
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=8), min_size=1, max_size=6
)
CATEGORY = {"a": 0, "b": 0, "c": 1, "d": 1, "e": 2, "f": 3}


def of_table(groups):
    category = {name: rank - 1 for name, rank in DISEASES.items()}
    return classes_of(groups, category=category, categories=(1, 2, 3, 4))


def in_letters(groups):
    return classes_of(groups, values=tuple("abcdef"), category=CATEGORY, categories="wxyz")


def test_table_4a_is_2_plus_sensitive_4_anonymous():
    verdict = PPlusSensitive(2, 4).check(of_table(TABLE_4A))
    assert (verdict.holds, verdict.value) == (True, 2)
    assert not PPlusSensitive(3, 4).check(of_table(TABLE_4A))


def test_table_4b_is_3_1_sensitive_4_anonymous():
    verdict = PAlphaSensitive(3, 1, 4).check(of_table(TABLE_4B))
    assert (verdict.holds, verdict.value) == (True, 1)
    assert not PAlphaSensitive(3, "1.01", 4).check(of_table(TABLE_4B))
    assert not PAlphaSensitive(4, 1, 4).check(of_table(TABLE_4B))


def test_theta_of_tables_4a_and_4b():
    for table in (TABLE_4A, TABLE_4B):
        verdict = ThetaSensitivity(4, "3/5").check(of_table(table))
        assert (verdict.holds, verdict.value) == (False, Fraction(11, 20))
        assert verdict.worst_class.figures["V"] == Fraction(11, 16)
        assert ThetaSensitivity(4, "0.55").check(of_table(table))


@given(GROUPS, st.integers(1, 4), st.integers(1, 4))
def test_p_and_p_plus(groups, p, k):
    enough = min(map(len, groups)) >= k
    values = [len(set(group)) for group in groups]
    verdict = PSensitive(p, k).check(in_letters(groups))
    assert (verdict.value, verdict.holds) == (min(values), min(values) >= p and enough)
    kinds = [len({CATEGORY[value] for value in group}) for group in groups]
    verdict = PPlusSensitive(p, k).check(in_letters(groups))
    assert (verdict.value, verdict.holds) == (min(kinds), min(kinds) >= p and enough)
    if enough:
        assert verdict.worst_class.index == kinds.index(min(kinds))


@given(GROUPS, st.integers(1, 4), st.fractions(0, 3, max_denominator=6), st.integers(1, 4))
def test_p_alpha(groups, p, alpha, k):
    given_weights = {"w": "0", "x": "1/2", "y": "0.7", "z": 1}
    for weights, by_code in [
        (None, [Fraction(code, 3) for code in range(4)]),
        (given_weights, [Fraction(text) for text in ("0", "1/2", "7/10", "1")]),
    ]:
        verdict = PAlphaSensitive(p, alpha, k, weights=weights).check(in_letters(groups))
        sums = [sum(by_code[CATEGORY[value]] for value in set(group)) for group in groups]
        values = [len(set(group)) for group in groups]
        assert verdict.value == min(sums)
        assert verdict.holds == (
            min(sums) >= alpha and min(values) >= p and min(map(len, groups)) >= k
        )
        if not verdict.holds:
            worst = groups[verdict.worst_class.index]
            light = sum(by_code[CATEGORY[value]] for value in set(worst)) < alpha
            assert light or len(set(worst)) < p or len(worst) < k


def test_weights_that_need_large_denominators_are_exact():
    weights = {letter: f"1/{10**20 + offset}" for offset, letter in enumerate("wxyz")}
    verdict = PAlphaSensitive(1, 0, 1, weights=weights).check(in_letters([["f", "a"], ["a", "c"]]))
    assert verdict.value == Fraction(1, 10**20) + Fraction(1, 10**20 + 3)


def test_a_missing_value_has_no_weight_and_does_not_rank():
    values, kinds = ("Flu", "HIV", MISSING), ("grave", "mild", MISSING)
    rows = np.zeros(3, dtype=int), 1, np.arange(3), values
    classes = Classes(*rows, category=np.array([1, 0, 2]), categories=kinds)
    assert PAlphaSensitive(1, 0, 1).check(classes).value == 1
    assert PAlphaSensitive(1, 0, 1, weights={"grave": 1, "mild": 2}).check(classes).value == 3


def test_categories_and_weights_that_are_not_there():
    with pytest.raises(DataError, match="give each sensitive value one"):
        PPlusSensitive(2, 2).check(classes_of([["a"]]))
    with pytest.raises(DataError, match="give each sensitive value one"):
        PAlphaSensitive(2, 1, 2).check(classes_of([["a"]]))
    with pytest.raises(InvalidArgument, match=r"weights = \['w'\]: need a weight of category x"):
        PAlphaSensitive(2, 1, 2, weights={"w": 1}).check(in_letters([["a"]]))
    with pytest.raises(InvalidArgument, match="weight of w = -1"):
        PAlphaSensitive(2, 1, 2, weights={"w": -1})


@given(GROUPS, st.integers(2, 6), st.sampled_from(["0", "0.5", "0.55", "0.6", "0.68", "1"]))
def test_theta_of_k(groups, k, mu):
    verdict = ThetaSensitivity(k, mu).check(classes_of(groups))
    widths = [width(group) for group in groups]
    theta = Fraction(mu) * (k**2 - 1) / 12
    assert verdict.value == 12 * min(widths) / (k**2 - 1)
    assert verdict.holds == (min(widths) >= theta and min(map(len, groups)) >= k)
    if min(map(len, groups)) >= k:
        assert verdict.worst_class.index == widths.index(min(widths))
        assert verdict.worst_class.figures["theta"] == theta


@given(GROUPS, st.sampled_from(["0", "0.5", "0.55", "0.6", "0.68", "1"]))
def test_theta_of_each_class(groups, mu):
    verdict = ThetaSensitivity(2, mu, per_class=True).check(classes_of(groups))
    mus = [12 * width(group) / (len(group) ** 2 - 1) for group in groups if len(group) > 1]
    assert verdict.value == (min(mus) if mus else "any")
    assert verdict.holds == (all(one >= Fraction(mu) for one in mus) and min(map(len, groups)) > 1)


def test_equality_that_floats_miss_passes():
    """k = 5 with one repetition is exactly mu = 0.68, where V * 12 / 24 in floats is not."""
    groups = [["a", "a", "b", "c", "d"]]
    assert ThetaSensitivity(5, "0.68").check(classes_of(groups))
    assert not ThetaSensitivity(5, "0.680000000000000001").check(classes_of(groups))


def test_noise_widens_v_and_does_not_count_for_k():
    padded = classes_of([["a", "a", "b", "c", "d"]], noise=[4])
    assert ThetaSensitivity(4, "0.6").check(padded)
    assert ThetaSensitivity(5, "0.6").check(padded).worst_class.figures == {"people": 4}


def test_v_of_classes_too_large_for_64_bits():
    codes = np.concatenate([np.random.default_rng(0).integers(0, 100_000, 200_000), [0, 0, 1]])
    of_row = np.concatenate([np.zeros(200_000, dtype=np.int64), [1, 1, 1]])
    classes = Classes(of_row, 2, codes, tuple(range(100_000)))
    counts = np.sort(np.bincount(codes[:200_000], minlength=100_000))[::-1].tolist()
    first = sum(count * rank for rank, count in enumerate(counts, 1))
    second = sum(count * rank**2 for rank, count in enumerate(counts, 1))
    large = Fraction(200_000 * second - first**2, 200_000**2)
    verdict = ThetaSensitivity(2, 0, per_class=True).check(classes)
    assert verdict.value == min(12 * large / (200_000**2 - 1), Fraction(1, 3))
    assert ThetaSensitivity(2, 0).check(classes).value == 12 * Fraction(2, 9) / 3
