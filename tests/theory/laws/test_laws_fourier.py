"""The transform's error bound against certified masses, and its assumption against 50 digits."""

import numpy as np
import pytest
from flint import arb
from mpmath import mp

from kproof.errors import TooLarge
from kproof.theory.exact.precision import use_bits
from kproof.theory.laws import (
    Binomial,
    FiniteLattice,
    FloatWindow,
    IndependentSum,
    LatticeLaw,
    PoissonBinomial,
    Window,
    fourier,
    iid,
)
from kproof.theory.laws.fourier import PASS_ERROR

AGES = {17 + i: (i % 7 + 1) * (74 - i) for i in range(74)}
PARITY = {0: 10**9, 1: 1, 2: 10**9}

LAWS = {
    "many terms": iid(FiniteLattice.from_counts(AGES), 3_000),
    "few terms": iid(FiniteLattice.from_counts(AGES), 2),
    "nearly periodic": iid(FiniteLattice.from_counts(PARITY), 1_000),
    "several steps": IndependentSum(
        [FiniteLattice({0: 0.5, "1/2": 0.5}), FiniteLattice({-3: 0.9, 4: 0.1}), Binomial(40, 0.3)],
        counts=[100, 50, 3],
    ),
    "skewed": iid(FiniteLattice({0: "0.99", 1: "0.009", 90: "0.001"}), 900),
    "sum of sums": iid(iid(FiniteLattice.from_counts(AGES), 50), 40),
    "one large step": IndependentSum(
        [FiniteLattice({0: 0.5, 1: 0.5}), FiniteLattice({0: "0.999999", 1024: "0.000001"})],
        counts=[64, 20],
    ),
}


def distance(floats: FloatWindow, window: Window) -> float:
    """Return an upper bound on the total error of floats, from certified masses."""
    low = min(floats.start, window.start)
    high = max(floats.start + floats.masses.size, window.start + len(window.masses))
    listed = dict(enumerate(floats.masses.tolist(), start=floats.start))
    with use_bits(128):
        total = window.dropped
        for index in range(low, high):
            place = index - window.start
            mass = window.masses[place] if 0 <= place < len(window.masses) else arb(0)
            total += abs(mass - listed.get(index, 0.0))
        return float(total.upper())


def certified(law: LatticeLaw) -> Window:
    with use_bits(128):
        return law.window(arb("1e-30"))


@pytest.mark.parametrize("name", LAWS)
def test_certified_masses_are_within_the_bound(name):
    floats = LAWS[name].float_window()
    assert distance(floats, certified(LAWS[name])) <= floats.error < 1e-11
    assert (floats.masses >= 0).all()


@pytest.mark.parametrize("name", LAWS)
def test_without_balls_the_bound_is_wider_and_still_holds(name, monkeypatch):
    refined = LAWS[name].float_window()
    monkeypatch.setattr(fourier, "_MOST_ROOTS", 0)
    floats = LAWS[name].float_window()
    assert distance(floats, certified(LAWS[name])) <= floats.error < 1e-8
    assert floats.error >= refined.error


def test_coefficients_are_refined_worst_first(monkeypatch):
    law = LAWS["many terms"]
    errors = []
    for roots in (0, 74, 74 * 4, 1 << 16):
        monkeypatch.setattr(fourier, "_MOST_ROOTS", roots)
        errors.append(law.float_window().error)
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < errors[0] / 100


def test_the_assumed_error_of_a_pass_is_not_exceeded():
    length = 2**12
    data = np.random.default_rng(5).random(length) ** 8
    data /= data.sum()
    spectrum = np.fft.rfft(data)
    bound = 12 * PASS_ERROR * data.sum()
    with mp.workdps(50):
        exact = [mp.mpf(x) for x in data.tolist()]
        for frequency in (0, 1, 2, 3, 5, 700, 1023, 1024, 2047, 2048):
            root = mp.expjpi(-2 * mp.mpf(frequency) / length)
            value, turn = mp.mpc(0), mp.mpc(1)
            for x in exact:
                value, turn = value + x * turn, turn * root
            assert abs(mp.mpc(complex(spectrum[frequency])) - value) <= bound


def test_a_ring_much_shorter_than_the_support():
    law = iid(FiniteLattice({0: 0.5, 1: 0.5}), 10**6)
    floats = law.float_window()
    assert floats.masses.size < 12_000 < law.points
    assert distance(floats, certified(Binomial(10**6, 0.5))) <= floats.error < 1e-12


def test_many_different_terms_are_rounded_from_balls():
    law = PoissonBinomial([f"{i}/401" for i in range(1, 401)])
    floats = law.float_window()
    assert distance(floats, certified(law)) <= floats.error < 1e-16


def test_sums_beyond_the_largest_ring_are_refused():
    law = iid(FiniteLattice({0: 0.5, 1: 0.25, 100_000: 0.25}), 10**6)
    with pytest.raises(TooLarge, match="needs 1,073,741,824 points, the budget is 67,108,864"):
        law.float_window()
