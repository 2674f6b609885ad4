"""t-closeness, beta-likeness and delta-disclosure against fractions, linear programs and digits."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from cases import error_line
from class_oracles import classes_of, digits, ordered_emd, ratios, table_of, transport, variation
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.classes import Classes, Histogram
from kproof.models.base.missing import MISSING
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.privacy import BasicBeta, DeltaDisclosure, EnhancedBeta, TCloseness, earthmover
from kproof.models.privacy.likeness import Shares, _peaks

NUMBERS = st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=7), min_size=1, max_size=6)
LETTERS = st.lists(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=7), min_size=1, max_size=5
)

# Leaves at different depths, an inner node (flu) that is itself a value, and an unused branch.
VIRAL = ("viral", "infection", "*")
TREE = Taxonomy.from_paths(
    [("a", *VIRAL), ("b", *VIRAL), ("c", "infection", "*"), ("d", "*"), ("z", "other", "*")]
)


@given(NUMBERS, st.fractions(0, 1, max_denominator=12))
def test_equal_distance_is_the_total_variation(groups, t):
    verdict = TCloseness(t).check(classes_of(groups))
    found = [variation(group, table_of(groups)) for group in groups]
    assert (verdict.value, verdict.holds) == (max(found), max(found) <= t)
    assert verdict.worst_class.index == found.index(max(found))


@given(NUMBERS, st.fractions(0, 1, max_denominator=12))
def test_ordered_distance_is_the_mean_gap(groups, t):
    values = tuple(range(9))
    verdict = TCloseness(t, distance="ordered").check(
        classes_of(groups, values=values, ordered=True)
    )
    found = [ordered_emd(group, table_of(groups)) for group in groups]
    assert (verdict.value, verdict.holds) == (max(found), max(found) <= t)
    assert verdict.worst_class.index == found.index(max(found))


def test_the_salaries_of_the_t_closeness_paper():
    """Li, Li and Venkatasubramanian, Section 4: D[P1, Q] = 0.375, D[P2, Q] = 0.167."""
    salaries = list(range(3, 12))
    for group, expected in [([3, 4, 5], "3/8"), ([6, 8, 11], "1/6")]:
        rest = [salary for salary in salaries if salary not in group]
        groups = [group, rest[:3], rest[3:]]
        index = 0
        distances = earthmover.rank_distance(classes_of(groups, ordered=True).histogram)
        assert distances.at(index) == Fraction(expected)


@given(groups=LETTERS)
@settings(max_examples=25)
def test_distances_solve_the_transport_problem(groups):
    table = table_of(groups)
    classes = classes_of(groups, values=tuple("abcdz"), ordered=True)
    found = classes.histogram
    tree = earthmover.hierarchical_distance(found, classes.values, TREE)
    equal = earthmover.equal_distance(found)
    for index, group in enumerate(groups):
        far = transport(group, table, lambda x, y: TREE.distance(TREE.index[x], TREE.index[y]))
        assert float(tree.at(index)) == pytest.approx(far, abs=1e-7)
        far = transport(group, table, lambda x, y: Fraction(x != y))
        assert float(equal.at(index)) == pytest.approx(far, abs=1e-7)


@given(groups=st.lists(st.lists(st.sampled_from(["a", "b", "viral", "d"]), min_size=1), min_size=1))
@settings(max_examples=15)
def test_a_value_that_is_an_inner_node_lies_at_its_height(groups):
    classes = classes_of(groups)
    found = earthmover.hierarchical_distance(classes.histogram, classes.values, TREE)
    for index, group in enumerate(groups):
        far = transport(
            group, table_of(groups), lambda x, y: TREE.distance(TREE.index[x], TREE.index[y])
        )
        assert float(found.at(index)) == pytest.approx(far, abs=1e-7)


def test_a_flat_taxonomy_is_the_equal_distance_and_missing_hangs_below_the_root():
    groups = [["a", "a", "b"], ["b", "c", "c", "c"]]
    flat = Taxonomy.from_paths([("a", "*"), ("b", "*"), ("c", "*")])
    model = TCloseness(1, distance="hierarchical", taxonomy=flat)
    assert model.check(classes_of(groups)).value == TCloseness(1).check(classes_of(groups)).value
    missing = Classes(np.array([0, 0, 1]), 2, np.array([0, 1, 0]), ("a", MISSING))
    assert model.check(missing).value == TCloseness(1).check(missing).value


@given(groups=NUMBERS.filter(lambda groups: len(set(table_of(groups))) > 1))
@settings(max_examples=30)
def test_big_integers_and_small_blocks_change_nothing(groups):
    classes = classes_of(groups, ordered=True)
    tree = Taxonomy.from_paths([(n, f"half {n % 2}", "*") for n in range(1, 7)])

    def both():
        found = classes.histogram
        return (
            earthmover.rank_distance(found),
            earthmover.hierarchical_distance(found, classes.values, tree),
        )

    small = both()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(earthmover, "_kind", lambda bound: object)
        patch.setattr(earthmover, "_CELLS", 1)
        large = both()
        verdict = TCloseness(1, distance="ordered").check(classes)
    for before, after in zip(small, large, strict=True):
        assert before.numerators.tolist() == after.numerators.tolist()
        assert (before.constant, after.numerators.dtype) == (after.constant, np.dtype(object))
    assert verdict == TCloseness(1, distance="ordered").check(classes)


def test_one_class_is_the_table_and_t_does_not_depend_on_the_order_of_classes():
    for distance in ("equal", "ordered"):
        model = TCloseness(0, distance=distance)
        assert model.check(classes_of([[1, 2, 2, 3]], ordered=True)).value == 0
    groups = [[1, 1, 2], [2, 3, 3], [1, 3]]
    values = {
        TCloseness(1).check(classes_of([groups[i] for i in order])).value
        for order in [(0, 1, 2), (2, 0, 1), (1, 2, 0)]
    }
    assert len(values) == 1


def test_distances_that_do_not_fit_the_values():
    with pytest.raises(InvalidArgument, match="need numeric sensitive values"):
        TCloseness(1, distance="ordered").check(classes_of([["a"]]))
    assert "taxonomy = none" in error_line(InvalidArgument, TCloseness, 1, distance="hierarchical")
    assert "only then" in error_line(InvalidArgument, TCloseness, 1, taxonomy=TREE)
    with pytest.raises(DataError, match=r"column sensitive: value q is not in taxonomy"):
        TCloseness(1, distance="hierarchical", taxonomy=TREE).check(classes_of([["q"]]))


@given(LETTERS, st.sampled_from(["1/3", "0.5", "1", "2"]))
def test_basic_beta(groups, beta):
    verdict = BasicBeta(beta).check(classes_of(groups))
    table = table_of(groups)
    gains = [max(ratios(group, table).values()) - 1 for group in groups]
    assert (verdict.value, verdict.holds) == (max(gains), max(gains) <= Fraction(beta))
    assert gains[verdict.worst_class.index] == max(gains)


@given(LETTERS, st.sampled_from(["1/3", "0.5", "1", "2"]))
def test_enhanced_beta(groups, beta):
    verdict = EnhancedBeta(beta).check(classes_of(groups))
    table = table_of(groups)
    basic, capped = True, True
    for group in groups:
        for value, ratio in ratios(group, table).items():
            p = Fraction(table.count(value), len(table))
            if ratio > 1:
                basic &= ratio - 1 <= Fraction(beta)
                with mpmath.workdps(50):
                    capped &= bool(digits(ratio - 1) <= -mpmath.log(digits(p)))
    assert verdict.holds == (basic and capped)
    assert (verdict.value == "none") == (not capped)
    if capped:
        assert verdict.value == BasicBeta(beta).check(classes_of(groups)).value


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_the_largest_share_of_a_value_is_found_where_floats_agree(order):
    """Two neighbours of a Farey sequence: their difference is 1 over the product of sizes."""
    size = 10**9 + 7
    other = pow(5 * 10**8, -1, size)
    shares = [Fraction(5 * 10**8, size), Fraction((5 * 10**8 * other - 1) // size, other)][order]
    counts, sizes = (
        [getattr(one, part) for one in shares] for part in ("numerator", "denominator")
    )
    assert counts[0] / sizes[0] == counts[1] / sizes[1]
    found = Histogram(
        classes=np.array([0, 1]),
        values=np.array([0, 0]),
        counts=np.array(counts),
        starts=np.array([0, 1, 2]),
        sizes=np.array(sizes),
        totals=np.array([sum(counts)]),
    )
    assert _peaks(Shares.from_counts(found)) == [shares.index(max(shares))]


@given(LETTERS, st.sampled_from(["0.1", "0.5", "1", "2"]))
def test_delta_disclosure(groups, delta):
    verdict = DeltaDisclosure(delta).check(classes_of(groups))
    table = table_of(groups)
    found = [ratio for group in groups for ratio in ratios(group, table).values()]
    if 0 in found:
        assert (verdict.holds, verdict.value) == (False, "none")
        assert verdict.worst_class.figures["absent"] not in groups[verdict.worst_class.index]
        return
    with mpmath.workdps(50):
        largest = max(abs(mpmath.log(digits(ratio))) for ratio in found)
        assert verdict.holds == bool(largest < digits(Fraction(delta)))
        assert largest <= mpmath.mpf(verdict.value) <= largest * (1 + mpmath.mpf(2) ** -51)


def test_delta_disclosure_sees_losses_as_well_as_gains():
    """Shares 1/10 against 2/10 lose by the factor 2; the gain is only 9/8."""
    groups = [["a"] * 9 + ["b"], ["a"] * 7 + ["b"] * 3]
    verdict = DeltaDisclosure("0.7").check(classes_of(groups))
    assert verdict.worst_class.figures["ratio"] == 2
    assert verdict.holds
    assert not DeltaDisclosure("0.69").check(classes_of(groups))


def test_one_value_gains_nothing():
    groups = [["a", "a"], ["a"]]
    for model in (BasicBeta("0.1"), EnhancedBeta("0.1"), DeltaDisclosure("0.1")):
        verdict = model.check(classes_of(groups))
        assert (verdict.holds, verdict.value) == (True, 0)
