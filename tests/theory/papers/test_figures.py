"""Panels of Figures 2 to 5: printed values, data that exist, and settings that cannot be."""

from fractions import Fraction
from itertools import product

import mpmath as mp
import numpy as np
import pytest
from cases import error_line
from paper_curves import PRINTED, c_prime

from kproof.errors import InvalidArgument
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.papers import figure_settings
from kproof.theory.papers.figures import SETTINGS, SIZES, CertifiedPoints, Curve, formula, printed
from kproof.theory.papers.figures_possible import COINS, group_law, possible


def real(x: Fraction) -> mp.mpf:
    return mp.mpf(x.numerator) / x.denominator


def cdf(x: mp.mpf) -> mp.mpf:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def normal(epsilon: mp.mpf, m: mp.mpf) -> mp.mpf:
    return cdf(m / 2 - epsilon / m) - mp.exp(epsilon) * cdf(-m / 2 - epsilon / m)


def close(value: Enclosure, wanted: mp.mpf) -> bool:
    gap = mp.mpf(str(value.upper)) - wanted
    return bool(abs(gap) < mp.mpf("1e-11") * abs(wanted))


@pytest.mark.parametrize("name", SETTINGS)
def test_printed_panels_are_the_captions(name):
    panel = printed(name)
    assert [curve.n for curve in panel.curves] == list(SIZES)
    for curve in panel.curves:
        assert isinstance(curve, Curve)
        for part in (Fraction(0), Fraction(3, 7), Fraction(1)):
            x = curve.lower + part * (curve.upper - curve.lower)
            with mp.workdps(40):
                assert close(curve.at(x), PRINTED[name](mp.mpf(curve.n), real(x)))


def by_hand(masses: list[mp.mpf], shift: int, epsilon: mp.mpf) -> mp.mpf:
    """Return the least delta of a list of masses and its shift: the larger of both sums."""
    moved = [mp.mpf(0)] * shift + masses
    still = masses + [mp.mpf(0)] * shift
    factor = mp.exp(epsilon)
    there = mp.fsum(max(a - factor * b, 0) for a, b in zip(still, moved, strict=True))
    return max(there, mp.fsum(max(b - factor * a, 0) for a, b in zip(still, moved, strict=True)))


def test_exact_values_of_figure_4_by_hand():
    for name in ("4a", "4b"):
        exact = possible(name).curve("exact")
        assert isinstance(exact, CertifiedPoints)
        assert len(exact.values) == 19
        for x, value in exact.values:
            m = int(40 * (1 - x))
            with mp.workdps(40):
                masses = [mp.binomial(m, j) / mp.mpf(2) ** m for j in range(m + 1)]
                if name == "4a":
                    epsilon = c_prime(mp.mpf(m), 10, 1) / mp.sqrt(mp.mpf(m) / 4)
                    assert close(value, by_hand(masses, 1, epsilon))
                else:
                    # The least epsilon: delta = 1/4 is kept there and not a little below.
                    at = mp.mpf(str(value.upper))
                    assert by_hand(masses, 1, at) <= mp.mpf("0.25") + mp.mpf("1e-20")
                    if at:
                        assert by_hand(masses, 1, at * (1 - mp.mpf("1e-9"))) > mp.mpf("0.25")


def test_a_group_is_what_its_members_do():
    for size in (1, 2, 3, 5):
        masses = dict.fromkeys(range(size + 1), Fraction(0))
        for members in product((0, 1), repeat=size):
            masses[sum(members)] += Fraction(2, 5) / 2**size
        masses[0] += Fraction(3, 10)
        masses[size] += Fraction(3, 10)
        assert dict(group_law(size).atoms) == masses


def test_exact_values_of_groups_by_convolution():
    exact = possible("3b").curve("exact")
    assert isinstance(exact, CertifiedPoints)
    # The sum of pairs through its characteristic function, in floats.
    pairs = 3125
    angles = 2 * np.pi * np.arange(2 * pairs + 1) / (2 * pairs + 1)
    one = np.exp(1j * angles)
    masses = np.fft.fft((0.4 + 0.2 * one + 0.4 * one**2) ** pairs).real / len(angles)
    for x, value in exact.values[:6]:
        there = np.concatenate([masses, np.zeros(10)]) - np.exp(float(x)) * np.concatenate(
            [np.zeros(10), masses]
        )
        assert float(value) == pytest.approx(np.maximum(there, 0).sum(), rel=1e-9)


def test_corrected_curves_are_the_corrected_theorems():
    with mp.workdps(30):
        curve = possible("2b").curve("corrected")
        assert isinstance(curve, Curve)
        constant = (mp.sqrt(10) + 3) / (6 * mp.sqrt(2 * mp.pi))
        epsilon = c_prime(mp.mpf(10_000), 10, 7) * 7 / 50
        wanted = normal(epsilon, mp.mpf(7) / 50) + constant / 100 * (1 + mp.exp(epsilon))
        assert close(curve.at(7), wanted)
        n = mp.mpf(6250) * 10**8
        curve = possible("3b").curve("corrected", int(n))
        assert isinstance(curve, Curve)
        variance, epsilon = n * 2 / 5, mp.mpf("0.3")
        radicand = 4 * (n / 8) / variance ** mp.mpf("1.5")
        radicand += mp.sqrt(28 * 8) / (mp.sqrt(mp.pi) * variance) * mp.sqrt(n / 16)
        stein = (2 / mp.pi) ** mp.mpf("0.25") * mp.sqrt(radicand)
        wanted = normal(epsilon, 10**5 / mp.sqrt(variance)) + 2 * stein * (1 + mp.exp(epsilon))
        assert close(curve.at("0.3"), wanted)


def test_a_corrected_epsilon_is_the_least_of_its_grid():
    proved = possible("4b").curve("corrected")
    assert isinstance(proved, CertifiedPoints)
    assert [x for x, _ in proved.values] == [Fraction(j, 20) for j in range(1, 9)]
    constant = (mp.sqrt(10) + 3) / (6 * mp.sqrt(2 * mp.pi))
    for x, value in proved.values:
        m, at = 40 * (1 - real(x)), mp.mpf(str(value.upper))

        def delta(epsilon: mp.mpf, m: mp.mpf = m) -> mp.mpf:
            return normal(epsilon, 2 / mp.sqrt(m)) + constant / mp.sqrt(m) * (1 + mp.exp(epsilon))

        assert delta(at) <= mp.mpf("0.25") < delta(at - mp.mpf("0.001"))


@pytest.mark.parametrize("name", SETTINGS)
def test_a_bound_is_never_below_what_is_true_of_these_coins(name):
    panel = possible(name)
    exact = panel.curve("exact")
    assert isinstance(exact, CertifiedPoints)
    assert tuple(x for x, _ in exact.values) == COINS[name].points
    for curve in panel.curves:
        if curve.kind == "corrected" and curve.n == exact.n:
            known = dict(curve.values) if isinstance(curve, CertifiedPoints) else None
            for x, value in exact.values:
                bound = curve.at(x) if isinstance(curve, Curve) else known and known.get(x)
                assert not bound or bound.upper >= value.lower


def test_least_numbers_of_records():
    # 1,562,500 records with sigma_i = 1/25 have V = 2500 and sum sigma_i^3 = 100 exactly.
    each = Fraction(1, 25)
    assert (1_562_500 * each**2, 1_562_500 * each**3) == (2500, 100)
    assert figure_settings.least_n("2b", 1) == 1_562_500
    assert figure_settings.moment_objection("2b", 1_562_500, 1) == ""
    # By power means n >= V^3 / (sum sigma_i^3)^2.
    assert Fraction(2500**3, 100**2) == 1_562_500
    # 625 records of 1/5 have sum D^3 = 5 and sum D^4 = 1.
    assert (625 * Fraction(1, 5) ** 3, 625 * Fraction(1, 5) ** 4) == (5, 1)
    assert figure_settings.least_n("3a", 1) == 625
    assert figure_settings.least_n("4a", "0.05") is None
    assert str(figure_settings.excess("4a")) == "10/x"
    assert figure_settings.least_n("2a", 1) == 1
    # Fig. 5(a): (5 x)^4 <= m (25 x^2)^3 needs m = 100 unknown records at x = 1/50.
    assert (5 * Fraction(1, 50)) ** 4 == 100 * (25 * Fraction(1, 50) ** 2) ** 3
    assert figure_settings.least_n("5a", "0.02") == next(
        n for n in range(200) if -(-n * 98 // 100) >= 100
    )
    assert figure_settings.moment_objection("4a", 1, "0.5").endswith("<= (sum sigma_i^2)^(3/2)")


def test_the_least_neighbourhood_is_one_that_data_need():
    for name, x in (("3a", "0.5"), ("5a", "0.3"), ("5b", "0.3")):
        totals = figure_settings.sums_at(name, x)
        for n in (100, 12_345, 10**7):
            unknown = n * (1 - {"3a": 0.0, "5a": 0.3, "5b": 0.1}[name])
            most = np.sqrt(unknown * float(totals["raw_fourth"]))
            found = figure_settings.least_neighbourhood(name, n, x)
            assert found - 1 < float(totals["variance_of_sum"]) / most <= found * (1 + 1e-12)
    # The inequality behind it, where everything is summed by hand: groups of equal values.
    random = np.random.default_rng(3)
    for _ in range(50):
        size, groups = random.integers(1, 5), random.integers(1, 4)
        values = random.normal(size=(groups, 6))
        chances = random.dirichlet(np.ones(6), size=groups)
        means, squares = (chances * values).sum(1), (chances * values**2).sum(1)
        variance = (size**2 * (squares - means**2)).sum()
        fourth = size * (chances * values**4).sum()
        assert variance <= size * np.sqrt(size * groups * fourth) * (1 + 1e-12)


def test_settings_that_cannot_be():
    assert figure_settings.objection("2a", 100, 1) == ""
    assert figure_settings.objection("2b", 1_562_500, 5) == ""
    assert figure_settings.objection("3b", 20_000, "0.5") == "lambda1 = 1/5: need max |N_i| >= 18"
    assert figure_settings.objection("3a", 6_250_000, 1) == ""
    assert figure_settings.objection("3a", 6_249_999, 1) == "lambda1 = 1: need max |N_i| >= 2"
    for n in SIZES:
        for x in ("0.05", "0.5", "0.95"):
            assert figure_settings.objection("4a", n, x)
            assert figure_settings.objection("5a", n, x)


def test_what_is_not_there():
    assert "panel = 6a: need 2a to 5c" in error_line(InvalidArgument, possible, "6a")
    with pytest.raises(InvalidArgument, match="shrinking = True: need it with a panel against"):
        formula("2a", shrinking=True)
    with pytest.raises(InvalidArgument, match="need one of as printed with n = 100"):
        printed("2a").curve("exact")
    curve = printed("2a").curves[0]
    assert isinstance(curve, Curve)
    assert "x = 11: need 1 <= x <= 10" in error_line(InvalidArgument, curve.at, 11)
    with pytest.raises(InvalidArgument, match="one of 3a, 3b, 5a, 5b"):
        figure_settings.least_neighbourhood("4a", 100, "0.5")
