"""Floating profiles against certified ones and against 40 digits, and enclosures from floats."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.errors import InvalidArgument
from kproof.theory.laws import Binomial, FiniteLattice, Normal, TruncatedBinomial, iid
from kproof.theory.laws.base import LatticeLaw
from kproof.theory.laws.windows import FloatWindow
from kproof.theory.profiles import delta
from kproof.theory.profiles.floats import delta_float, delta_within, gaussian_delta_float


def grid_for(deviation: float) -> np.ndarray:
    """From 0 to where δ falls below 1e-290, and beyond."""
    near = np.linspace(0, 40 / deviation, 23)
    return np.concatenate([[0.0, 1e-9, 1e-4], near, [1.0, 7.3, 50.0, 800.0]])


@pytest.mark.parametrize("p", ["0.3", "1/2", "1/1000", "0.999"])
@pytest.mark.parametrize("n", [1, 2, 17, 1_000, 100_000, 4_000_000])
def test_counts_agree_with_the_certified_profile(n, p):
    share = Fraction(p)
    deviation = math.sqrt(n * share * (1 - share))
    at_mean = int(n * share)
    for k in sorted({0, 1, at_mean, min(n, int(at_mean + 3 * deviation)), n}):
        law = TruncatedBinomial(n, p, k)
        grid = grid_for(deviation)
        for direction in ("up", "down", "both"):
            floats = delta_float(law, epsilon=grid, direction=direction)
            certified = delta(law, epsilon=grid[floats > 1e-290], direction=direction)
            for enclosure, value in zip(certified, floats[floats > 1e-290], strict=True):
                assert abs(value / float(enclosure) - 1) < 1e-9


def test_the_last_digits_above_1e_290():
    law = Binomial(100_000, "0.3")
    grid = np.linspace(0.2, 0.27, 40)
    floats = delta_float(law, epsilon=grid)
    assert floats.min() < 1e-280
    for enclosure, value in zip(delta(law, epsilon=grid), floats, strict=True):
        assert value < 1e-290 or abs(value / float(enclosure) - 1) < 1e-9


def test_a_very_broad_count_is_taken_from_the_certified_profile():
    values = delta_float(Binomial(10**13, "1/2"), epsilon=[[0, 1e-7], [1e-6, 2e-6]])
    assert values.shape == (2, 2)
    # Moivre: δ(0) is the largest mass, 1/sqrt(2π n/4) up to a relative 1/(4n).
    assert abs(values[0, 0] * math.sqrt(math.pi * 1e13 / 2) - 1) < 1e-12


@pytest.mark.parametrize("m", [1e-8, 1e-3, 0.5, 1.0, 1.0001, 4.0, 60.0])
def test_gaussian_agrees_with_mpmath(m):
    grid = np.concatenate([[0.0], m * np.linspace(0, 36, 30) + m * m / 2])
    floats = gaussian_delta_float(grid, m)
    with mpmath.workdps(60):
        for epsilon, value in zip(grid.tolist(), floats.tolist(), strict=True):
            x = mpmath.mpf(epsilon) / m
            half = mpmath.mpf(m) / 2
            root = mpmath.sqrt(2)
            truth = mpmath.erfc((x - half) / root) / 2
            truth -= mpmath.exp(epsilon) * mpmath.erfc((x + half) / root) / 2
            assert truth < 1e-290 or abs(value / truth - 1) < 1e-9


def test_normal_law_uses_the_gaussian_form():
    values = delta_float(Normal(3, 16), shift=2, epsilon=[0.1, 2.0])
    for enclosure, value in zip(
        delta(Normal(3, 16), shift=2, epsilon=[0.1, 2.0]), values, strict=True
    ):
        assert abs(value / float(enclosure) - 1) < 1e-12


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 50), min_size=2, max_size=12).filter(any),
    st.integers(1, 14),
    st.sampled_from(["up", "down", "both"]),
)
def test_enclosures_from_floats_overlap_the_certified_ones(weights, shift, direction):
    law = FiniteLattice.from_counts(dict(enumerate(weights)))
    grid = ["0", "1/3", "2", "20", "1000"]
    certified = delta(law, shift=shift, epsilon=grid, direction=direction)
    coarse = delta_within(law, shift=shift, epsilon=grid, direction=direction)
    floats = delta_float(
        law, shift=shift, epsilon=[float(Fraction(e)) for e in grid], direction=direction
    )
    for exact, wide, value in zip(certified, coarse, floats, strict=True):
        assert wide.lower <= exact.lower
        assert exact.upper <= wide.upper
        assert abs(value - float(exact)) < 1e-13
    assert float(coarse[1].upper - coarse[1].lower) < 1e-12


def test_enclosures_from_a_transformed_sum():
    law = iid(FiniteLattice({0: "1/2", 1: "1/3", 5: "1/6"}), 300)
    grid = ["0", "0.05", "0.4"]
    for exact, wide in zip(delta(law, epsilon=grid), delta_within(law, epsilon=grid), strict=True):
        assert wide.lower <= exact.lower
        assert exact.upper <= wide.upper
        assert wide.upper - wide.lower < 1e-10


class Stated(LatticeLaw):
    """A law that states floating masses and their error."""

    name = "Stated"
    origin = Fraction(0)
    step = Fraction(1)
    log_concave = False
    points = property(lambda self: self.masses.size)

    def __init__(self, masses: list[float], error: float) -> None:
        self.masses, self.error = np.array(masses), error

    def mean(self):
        raise AssertionError("not asked for")

    variance = mean

    def window(self, tail):
        raise AssertionError("not asked for")

    def float_window(self) -> FloatWindow:
        return FloatWindow(0, self.masses, self.error)


@given(
    st.lists(st.tuples(st.integers(1, 50), st.floats(-1, 1)), min_size=2, max_size=8),
    st.sampled_from(["0", "0.3", "2", "6"]),
    st.sampled_from(["up", "down"]),
)
@settings(max_examples=60, deadline=None)
def test_enclosures_allow_for_the_stated_error(points, exponent, direction):
    total = sum(weight for weight, _ in points)
    exact = FiniteLattice.from_counts({i: weight for i, (weight, _) in enumerate(points)})
    error = 1e-6 * sum(abs(push) for _, push in points) + 1e-15
    stated = Stated([weight / total + 1e-6 * push for weight, push in points], error)
    wide = delta_within(stated, epsilon=[exponent], direction=direction)[0]
    truth = delta(exact, epsilon=exponent, direction=direction)
    assert wide.lower <= truth.lower
    assert truth.upper <= wide.upper


def test_a_scale_past_all_floats_promises_nothing_from_below():
    # The ratio 2^600 is less than e^1000 but more than the largest scale that is multiplied out.
    assert delta_within(Stated([2.0**-600, 1.0], 0.0), epsilon=[1000], direction="up")[0].lower == 0


def test_no_common_value():
    law = FiniteLattice({0: "1/2", 2: "1/2"})
    assert delta_float(law, shift=1, epsilon=[0.0, 3.0]).tolist() == [1.0, 1.0]
    assert [str(e) for e in delta_within(law, shift=4, epsilon=[1])] == ["1"]


@pytest.mark.parametrize("bad", [-0.1, math.nan, math.inf])
def test_bad_epsilon(bad):
    with pytest.raises(InvalidArgument, match="need finite epsilon >= 0"):
        delta_float(Binomial(5, "0.5"), epsilon=[0.0, bad])
