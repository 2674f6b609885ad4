"""The binomial laws at sizes where only logarithms and high precision can check them."""

from fractions import Fraction

import mpmath
import pytest
from flint import arb
from mpmath import mp

from kproof.errors import TooLarge
from kproof.theory.exact.precision import use_bits
from kproof.theory.laws import Binomial, TruncatedBinomial, Window


def log_mass(n: int, p: str, j: int) -> mpmath.mpf:
    chance = mp.mpf(p)
    log_choose = mp.loggamma(n + 1) - mp.loggamma(j + 1) - mp.loggamma(n - j + 1)
    return log_choose + j * mp.log(chance) + (n - j) * mp.log1p(-chance)


def close(ball: arb, value: mpmath.mpf, digits: int) -> bool:
    found = mp.mpf(ball.mid().str(60, radius=False))
    return bool(abs(found - value) <= abs(value) * mp.mpf(10) ** -digits)


def windows(law: TruncatedBinomial, tail: str) -> Window:
    with use_bits(192):
        return law.window(arb(tail))


@pytest.mark.parametrize(("tail", "digits"), [("1e-30", 30), ("1e-1000", 45)])
def test_every_listed_mass_of_a_large_binomial_is_accurate(tail, digits):
    window = windows(Binomial(200_000, "0.37"), tail)
    with mp.workdps(60):
        for place in range(0, len(window.masses), len(window.masses) // 40):
            truth = mp.exp(log_mass(200_000, "0.37", window.start + place))
            assert close(window.masses[place], truth, digits)


def test_the_tail_left_out_is_bounded_tightly():
    n, p = 50_000, "0.2"
    window = windows(Binomial(n, p), "1e-25")
    end = window.start + len(window.masses)
    with mp.workdps(60):
        above = mp.fsum(mp.exp(log_mass(n, p, j)) for j in range(end, end + 400))
        below = mp.fsum(mp.exp(log_mass(n, p, j)) for j in range(window.start - 400, window.start))
        dropped = mp.mpf(window.dropped.mid().str(40, radius=False))
        assert above + below < dropped < mp.mpf("1e-25")
        assert dropped < 10 * (above + below)
        assert mp.mpf("1e-29") < dropped


def test_a_truncated_binomial_is_the_binomial_over_its_tail():
    n, p, k = 3_000, "0.11", 420
    window = windows(TruncatedBinomial(n, p, k), "0")
    with mp.workdps(60):
        kept = mp.fsum(mp.exp(log_mass(n, p, j)) for j in range(k, n + 1))
        for j in (k, k + 1, 470, 1_500, n):
            assert close(window.masses[j - k], mp.exp(log_mass(n, p, j)) / kept, 40)


@pytest.mark.parametrize(("p", "k"), [("0.3", 29_950), ("0.3", 35_000), ("0.001", 99_990)])
def test_moments_under_a_condition(p, k):
    n = 100_000
    law = TruncatedBinomial(n, p, k)
    with mp.workdps(80):
        top = range(k, min(n, k + 3_000) + 1)
        shape = [mp.mpf(1)]
        for j in top[:-1]:
            shape.append(shape[-1] * (n - j) * mp.mpf(p) / ((j + 1) * (1 - mp.mpf(p))))
        total = mp.fsum(shape)
        mean = mp.fsum(j * w for j, w in zip(top, shape, strict=True)) / total
        spread = mp.fsum((j - mean) ** 2 * w for j, w in zip(top, shape, strict=True)) / total
        with use_bits(128):
            assert close(law.mean(), mean, 30)
            assert close(law.variance(), spread, 30)
            assert law.variance().rel_accuracy_bits() > 120


def test_the_largest_counts_have_moments_and_windows_where_they_are_narrow():
    n = 10**15
    law = TruncatedBinomial(n, "1e-9", 5)
    with use_bits(128):
        assert 999_999 < law.variance() < 10**6
        assert abs(len(law.window(arb("1e-20")).masses) - 2 * 10**3 * 9.6) < 2_000
        edge = TruncatedBinomial(n, "1/2", n - 1).window(arb(0)).masses
    # Pr[n] / Pr[n-1] = p / (n q) = 1 / n
    assert (edge[1] * (n + 1)).contains(1)


def test_windows_that_are_too_wide_say_how_wide():
    with pytest.raises(TooLarge, match=r"p=1/10000\): needs 8,0\d\d,\d\d\d points, the budget"):
        Binomial(10**15, "1e-4").window(arb("1e-30"))
    with pytest.raises(TooLarge, match="needs 10,000,001 points, the budget is 4,194,304"):
        Binomial(10**7, "1/2").window(arb(0))


def test_a_binomial_is_the_truncated_one_without_a_condition():
    assert Binomial(10, "0.5") == TruncatedBinomial(10, "1/2", 0)
    assert hash(Binomial(10, "0.5")) == hash(TruncatedBinomial(10, "1/2", 0))
    assert Binomial(10, "0.5") != TruncatedBinomial(10, "1/2", 1)
    law = TruncatedBinomial("60", 0.71, 33.0)
    assert (law.n, law.p, law.k) == (60, Fraction(71, 100), 33)
