"""The variance of ranks, against every partition of every class of up to thirty rows."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from cases import cases, error_line
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.errors import Infeasible, InvalidArgument
from kproof.theory.theorems.theta import (
    largest_feasible_k,
    largest_feasible_mu,
    largest_variance,
    mu_for_full_diversity,
    supremum_variance,
    theta,
    theta_guarantees,
    variance,
    widest_ever,
    widest_frequencies,
)

MUS = [Fraction(text) for text in ("0", "1/10", "1/3", "1/2", "11/20", "3/5", "17/25", "9/10", "1")]


def partitions(rows, most=None):
    if rows == 0:
        yield ()
    for first in range(min(rows, most or rows), 0, -1):
        for rest in partitions(rows - first, first):
            yield (first, *rest)


def by_rows(frequencies):
    """V as the variance of the list of weights, row by row, about its mean."""
    weights = [x for x, f in enumerate(frequencies, 1) for _ in range(f)]
    mean = Fraction(sum(weights), len(weights))
    return sum((x - mean) ** 2 for x in weights) / len(weights)


@cache
def extremes(rows):
    """Largest V for each number of distinct values, and for each largest count."""
    by_values, by_count = {}, {}
    for part in partitions(rows):
        first = sum(f * x for x, f in enumerate(part, 1))
        width = Fraction(rows * sum(f * x * x for x, f in enumerate(part, 1)) - first**2, rows**2)
        by_values[len(part)] = max(width, by_values.get(len(part), width))
        by_count[part[0]] = max(width, by_count.get(part[0], width))
    return by_values, by_count


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8).filter(any))
@settings(max_examples=60, deadline=None)
def test_variance_is_that_of_the_weights_row_by_row(frequencies):
    assert variance(frequencies) == by_rows(sorted(frequencies, reverse=True))


def test_the_figures_the_paper_prints():
    assert variance([1] * 4) == Fraction("1.25")
    assert variance([1, 1, 2]) == Fraction("0.6875")
    assert [variance([1] * m) for m in (2, 3, 4, 5)] == [
        Fraction(1, 4),
        Fraction(2, 3),
        Fraction(5, 4),
        2,
    ]
    assert theta(4, "0.6") == Fraction("0.75")


@pytest.mark.parametrize("rows", range(1, 31))
def test_guarantees_and_widths_against_every_partition(rows):
    by_values, by_count = extremes(rows)
    for values in range(1, rows + 2):
        widest = max(width for d, width in by_values.items() if d <= values)
        assert largest_variance(rows, values) == widest
        found = widest_frequencies(rows, values)
        assert (sum(found), by_rows(found)) == (rows, widest)
        assert len(found) <= values
    for mu in MUS:
        threshold = mu * (rows**2 - 1) / 12
        found = theta_guarantees(rows, mu)
        assert found.least_values == min(d for d, v in by_values.items() if v >= threshold)
        assert found.largest_count == max(c for c, v in by_count.items() if v >= threshold)
        assert by_rows(found.fewest) >= threshold
        assert len(found.fewest) == found.least_values
        assert by_rows(found.most_concentrated) >= threshold
        assert max(found.most_concentrated) == found.largest_count


@pytest.mark.parametrize("rows", range(2, 31))
def test_mu_for_full_diversity_is_the_infimum_and_not_attained(rows):
    _, by_count = extremes(rows)
    repeated = max(width for count, width in by_count.items() if count > 1)
    infimum = mu_for_full_diversity(rows)
    assert infimum == repeated / Fraction(rows**2 - 1, 12)
    assert theta_guarantees(rows, infimum).largest_count == 2
    assert theta_guarantees(rows, infimum + Fraction(1, 10**9)).largest_count == 1


def test_three_fifths_forces_full_diversity_up_to_four_rows_only():
    assert [m for m in range(2, 60) if mu_for_full_diversity(m) < Fraction(3, 5)] == [2, 3, 4]


def test_guarantees_of_a_class_larger_than_k():
    for rows, k, mu in [(6, 4, Fraction(3, 5)), (9, 4, Fraction(1)), (5, 3, Fraction(3, 2))]:
        threshold = mu * (k**2 - 1) / 12
        by_values, by_count = extremes(rows)
        found = theta_guarantees(rows, mu, k=k)
        assert found.least_values == min(d for d, v in by_values.items() if v >= threshold)
        assert found.largest_count == max(c for c, v in by_count.items() if v >= threshold)
        assert found.largest_share == Fraction(found.largest_count, rows)


def widths_by_knapsack(rows):
    """Largest V with at most 1, ..., rows values, from the layers t = 1, 2, ... of a class.

    A layer of c values adds c rows, c(c + 1)/2 to the sum of weights and c(c + 1)(2c + 1)/6 to
    that of their squares, so V is a function of the sums of c, c^2 and c^3: keep the largest last
    for each pair of the first two.
    """
    cubes = np.full((rows + 1, rows**2 + 1), -1, dtype=np.int64)
    cubes[0, 0] = 0
    widths = []
    for part in range(1, rows + 1):
        for total in range(part, rows + 1):
            before = cubes[total - part, : rows**2 + 1 - part**2]
            taken = np.where(before >= 0, before + part**3, -1)
            np.maximum(cubes[total, part**2 :], taken, out=cubes[total, part**2 :])
        squares = np.flatnonzero(cubes[rows] >= 0)
        first = (squares + rows) // 2
        second = (2 * cubes[rows, squares] + 3 * squares + rows) // 6
        widths.append(Fraction(int((rows * second - first**2).max()), rows**2))
    return widths


@pytest.mark.parametrize("rows", [61, 100])
def test_larger_classes_by_a_knapsack_over_layers(rows):
    widths = widths_by_knapsack(rows)
    assert [largest_variance(rows, values) for values in range(1, rows + 1)] == widths
    for mu in MUS[1:]:
        found = theta_guarantees(rows, mu)
        assert widths[found.least_values - 1] >= found.theta
        assert found.least_values == 1 or widths[found.least_values - 2] < found.theta


def test_two_hundred_rows():
    found = theta_guarantees(200, "0.6")
    assert (found.least_values, found.largest_count) == (135, 66)
    assert by_rows(found.fewest) >= found.theta
    assert by_rows([67] + [1] * 133) < found.theta <= by_rows([66] + [1] * 134)


@pytest.mark.parametrize("values", range(1, 8))
def test_supremum_is_attained_by_its_class_and_exceeded_by_none(values):
    supremum = supremum_variance(values)
    assert by_rows(widest_ever(values)) == supremum
    for rows in range(1, 31):
        assert max(v for d, v in extremes(rows)[0].items() if d <= values) <= supremum
    assert largest_variance(5 * sum(widest_ever(values)), values) == supremum


def test_the_infeasible_example_of_four_rows_and_three_values():
    assert supremum_variance(3) == Fraction(25, 36) < theta(4, "0.6")
    assert largest_feasible_mu(4, 3) == Fraction(5, 9)
    assert largest_feasible_k("0.6", 3) == 3


@pytest.mark.parametrize("values", range(2, 20))
@pytest.mark.parametrize("mu", ["1/10", "3/5", "1", "2"])
def test_feasible_k_and_mu_are_each_other_s_inverse(values, mu):
    largest = largest_feasible_k(mu, values)
    assert largest < 2 or largest_feasible_mu(largest, values) >= Fraction(mu)
    assert largest_feasible_mu(largest + 1, values) < Fraction(mu)


def test_v_is_not_monotone_in_risk():
    assert variance([3, 1, 1, 1, 1, 1]) >= theta(8, "1/2") > variance([2, 2, 2, 2])


@cases(
    (lambda: variance([0, 0]), "frequencies = [0, 0]: need counts >= 0, at least one positive"),
    (lambda: variance([2, -1]), "frequencies = [2, -1]"),
    (lambda: theta(0, 1), "k = 0: need a whole number k >= 1"),
    (lambda: theta(4, -1), "mu = -1: need mu >= 0"),
    (lambda: largest_feasible_mu(1, 4), "k = 1: need a whole number k >= 2"),
    (lambda: largest_feasible_k(0, 4), "mu = 0: need mu > 0"),
    (lambda: mu_for_full_diversity(1), "rows = 1: need a whole number rows >= 2"),
    (lambda: widest_frequencies(4, 0), "values = 0: need a whole number values >= 1"),
)
def test_errors_name_the_argument_and_its_range(call, message):
    assert error_line(InvalidArgument, call).startswith(message)


def test_a_theta_no_class_reaches_is_refused_with_the_largest_mu():
    with pytest.raises(Infeasible, match=r"no class of 3 rows .* largest is 2/3, so mu <= 8/15"):
        theta_guarantees(3, "0.6", k=4)
