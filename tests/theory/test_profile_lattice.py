"""Profiles of arbitrary lattice laws against brute force, and what is done with vague masses."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.theory.enclosure import Enclosure
from kproof.theory.laws import Binomial, FiniteLattice, PoissonBinomial, iid
from kproof.theory.laws.base import FloatWindow, LatticeLaw, Window
from kproof.theory.numbers import as_arb
from kproof.theory.profile import Direction, delta, epsilon

Masses = dict[Fraction, Fraction]


def real(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def excess(law: Masses, other: Masses, scale: mpmath.mpf) -> mpmath.mpf:
    """Sum the positive parts of P - e^ε Q, point by point."""
    return sum(max(real(m) - scale * real(other.get(x, Fraction(0))), 0) for x, m in law.items())


def best_event(law: Masses, other: Masses, scale: mpmath.mpf) -> mpmath.mpf:
    """Try every set of points."""
    points = sorted(law)
    best = mpmath.mpf(0)
    for mask in range(1 << len(points)):
        event = [x for i, x in enumerate(points) if mask >> i & 1]
        left = sum((law[x] for x in event), Fraction(0))
        right = sum((other.get(x, Fraction(0)) for x in event), Fraction(0))
        best = max(best, real(left) - scale * real(right))
    return best


def moved(law: Masses, shift: Fraction) -> Masses:
    return {x + shift: m for x, m in law.items()}


def truth(law: Masses, shift: Fraction, epsilon: Fraction, direction: Direction) -> mpmath.mpf:
    scale = mpmath.exp(real(epsilon))
    pair = law, moved(law, shift)
    return max(excess(*p, scale) for p in direction.pick(pair, pair[::-1]))


def encloses(enclosure: Enclosure, value: mpmath.mpf) -> bool:
    low, high = mpmath.mpf(str(enclosure.lower)), mpmath.mpf(str(enclosure.upper))
    slack = mpmath.mpf(10) ** -45
    return low * (1 - slack) <= value <= high * (1 + slack)


@pytest.fixture(autouse=True)
def _sixty_digits():
    with mpmath.workdps(60):
        yield


weights = st.dictionaries(st.integers(-6, 12), st.integers(1, 50), min_size=1, max_size=9)


@settings(max_examples=80, deadline=None)
@given(weights, st.integers(1, 20), st.fractions(0, 6, max_denominator=20), st.integers(1, 4))
def test_any_law_with_holes_agrees_with_brute_force(counts, steps, exponent, stretch):
    step = Fraction(1, stretch)
    total = sum(counts.values())
    masses = {i * step: Fraction(w, total) for i, w in counts.items()}
    for direction in Direction:
        answer = delta(
            FiniteLattice(masses), shift=steps * step, epsilon=exponent, direction=direction
        )
        assert answer.relative_width <= 1e-12
        with mpmath.workdps(60):
            assert encloses(answer, truth(masses, steps * step, exponent, direction))


def test_no_event_beats_the_profile():
    masses = {
        Fraction(x): Fraction(w, 40) for x, w in {0: 3, 1: 9, 2: 4, 4: 14, 5: 2, 7: 8}.items()
    }
    for exponent in (Fraction(0), Fraction(1, 3), Fraction(2)):
        for shift in (1, 2, 3):
            scale = mpmath.exp(real(exponent))
            for direction, pair in (
                ("up", (masses, moved(masses, shift))),
                ("down", (moved(masses, shift), masses)),
            ):
                answer = delta(
                    FiniteLattice(masses), shift=shift, epsilon=exponent, direction=direction
                )
                assert encloses(answer, best_event(*pair, scale))


@pytest.mark.parametrize("shift", ["1/2", "0.3", 3, 5, 1000])
def test_no_common_value_means_delta_one(shift):
    law = FiniteLattice({0: "1/4", 1: "1/2", 2: "1/4"})
    assert delta(law, shift=shift, epsilon=5) == Enclosure.exactly(1)
    almost, whole = epsilon(law, shift=shift, delta=["0.999", 1])
    assert almost.lower == almost.upper == Decimal("Infinity")
    assert whole == Enclosure.exactly(0)


def test_misaligned_shift_on_a_coarse_lattice():
    law = FiniteLattice({0: "1/4", 2: "1/2", 4: "1/4"})
    assert law.step == 2
    assert delta(law, shift=1, epsilon=1) == Enclosure.exactly(1)
    assert delta(law, shift=2, epsilon=0).upper < 1


def convolved(laws: list[Masses]) -> Masses:
    total: Masses = {Fraction(0): Fraction(1)}
    for law in laws:
        added: Masses = defaultdict(Fraction)
        for x, m in total.items():
            for y, w in law.items():
                added[x + y] += m * w
        total = dict(added)
    return total


def test_poisson_binomial_against_convolution():
    draw = random.Random(5)
    shares = [Fraction(draw.randint(1, 99), 100) for _ in range(40)]
    law = convolved([{Fraction(0): 1 - p, Fraction(1): p} for p in shares])
    grid = [Fraction(i, 4) for i in range(20)]
    for direction in Direction:
        answers = delta(PoissonBinomial(shares), epsilon=grid, direction=direction)
        for exponent, answer in zip(grid, answers, strict=True):
            assert encloses(answer, truth(law, Fraction(1), exponent, direction))


def test_sum_of_records_on_a_lattice_with_gaps():
    record = {Fraction(0): Fraction(1, 2), Fraction(2): Fraction(1, 3), Fraction(7): Fraction(1, 6)}
    law = convolved([record] * 12)
    for shift in (1, 2, 5):
        for exponent in (Fraction(0), Fraction(1, 2), Fraction(4)):
            answer = delta(iid(FiniteLattice(record), 12), shift=shift, epsilon=exponent)
            assert encloses(answer, truth(law, Fraction(shift), exponent, Direction.BOTH))


def test_many_points_whose_ratio_ties_with_the_threshold():
    # Every ratio of this geometric law is 2, so at ε near ln 2 nothing but balls can decide.
    masses = {Fraction(i): Fraction(2**i, 2**30 - 1) for i in range(30)}
    near = Fraction(str(mpmath.log(2)))
    for exponent in (near, near - Fraction(1, 10**25), near + Fraction(1, 10**25)):
        for direction in Direction:
            answer = delta(FiniteLattice(masses), epsilon=exponent, direction=direction)
            assert encloses(answer, truth(masses, Fraction(1), exponent, direction))
            assert answer.relative_width <= 1e-12


def test_wide_laws_leave_out_tails_and_still_tell_the_truth():
    # 5,000 points, so that a window without its tails is tried first; at the larger ε it is too
    # coarse, and the profile is far below what was left out.
    n, share = 4_999, Fraction(1, 5)
    for exponent in (Fraction(1, 10), Fraction(3, 2)):
        closed = delta(Binomial(n, share), epsilon=exponent)
        listed = delta(iid(FiniteLattice({0: 1 - share, 1: share}), n), epsilon=exponent)
        assert max(closed.lower, listed.lower) <= min(closed.upper, listed.upper)
        assert listed.relative_width <= 1e-12


class Clouded(LatticeLaw):
    """A binomial law that hides its tails, or shows them as balls around zero."""

    def __init__(self, n: int, hidden: int, *, vague: bool) -> None:
        self.n, self.hidden, self.vague = n, hidden, vague
        self.calls: list[bool] = []

    name = "Clouded"
    origin = Fraction(0)
    step = Fraction(1)
    log_concave = False
    points = property(lambda self: 1 << 20)

    def mean(self) -> arb:
        return as_arb(Fraction(self.n, 2))

    def variance(self) -> arb:
        return as_arb(Fraction(self.n, 4))

    def window(self, tail: arb) -> Window:
        self.calls.append(tail.is_zero())
        exact = [as_arb(Fraction(math.comb(self.n, j), 2**self.n)) for j in range(self.n + 1)]
        if tail.is_zero():
            return Window(0, exact, arb(0))
        left, right = exact[: self.hidden], exact[self.n + 1 - self.hidden :]
        inner = exact[self.hidden : self.n + 1 - self.hidden]
        if self.vague:
            left, right = ([arb(0).union(3 * mass) for mass in side] for side in (left, right))
            return Window(0, left + inner + right, arb(0))
        return Window(self.hidden, inner, sum(left + right, arb(0)).upper())

    def float_window(self) -> FloatWindow:
        raise AssertionError("not asked for")


@pytest.mark.parametrize("vague", [False, True])
@pytest.mark.parametrize("exponent", ["0", "0.5", "2"])
def test_dropped_and_vague_masses_never_make_an_answer_wrong(vague, exponent):
    n = 60
    law = {Fraction(j): Fraction(math.comb(n, j), 2**n) for j in range(n + 1)}
    for hidden in (3, 12, 20):
        for width in ("1e-12", "0.5"):
            clouded = Clouded(n, hidden, vague=vague)
            answer = delta(clouded, epsilon=exponent, relative_width=width)
            assert encloses(answer, truth(law, Fraction(1), Fraction(exponent), Direction.BOTH))
            assert answer.relative_width <= float(width)


def test_a_coarse_window_is_enough_where_its_tails_do_not_matter():
    clouded = Clouded(60, 8, vague=False)
    delta(clouded, epsilon="0.1", relative_width="0.01")
    assert clouded.calls == [False]


def test_inverse_with_hidden_tails():
    law = {Fraction(j): Fraction(math.comb(60, j), 2**60) for j in range(61)}
    found = epsilon(Clouded(60, 8, vague=False), delta="0.01", relative_width="1e-3")
    low, high = (
        truth(law, Fraction(1), Fraction(end), Direction.BOTH) for end in (found.lower, found.upper)
    )
    assert high <= mpmath.mpf("0.01") <= low
