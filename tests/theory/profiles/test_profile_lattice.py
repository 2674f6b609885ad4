"""Profiles of arbitrary lattice laws against brute force, and what is done with vague masses."""

import math
import random
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from functools import partial

import mpmath
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import as_mpf, encloses, positive_excess

from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.typed import as_arb
from kproof.theory.laws import Binomial, FiniteLattice, PoissonBinomial, iid
from kproof.theory.laws.base import LatticeLaw
from kproof.theory.laws.windows import FloatWindow, Window
from kproof.theory.profiles import Direction, delta, epsilon

Masses = dict[Fraction, Fraction]
encloses_to_45 = partial(encloses, digits=45)


def best_event(law: Masses, other: Masses, scale: mpmath.mpf) -> mpmath.mpf:
    """Try every set of points."""
    points = sorted(law)
    best = mpmath.mpf(0)
    for mask in range(1 << len(points)):
        event = [x for i, x in enumerate(points) if mask >> i & 1]
        left = sum((law[x] for x in event), Fraction(0))
        right = sum((other.get(x, Fraction(0)) for x in event), Fraction(0))
        best = max(best, as_mpf(left) - scale * as_mpf(right))
    return best


def moved(law: Masses, shift: Fraction) -> Masses:
    return {x + shift: m for x, m in law.items()}


def truth(law: Masses, shift: Fraction, epsilon: Fraction, direction: Direction) -> mpmath.mpf:
    scale = mpmath.exp(as_mpf(epsilon))
    pair = law, moved(law, shift)
    return max(positive_excess(*p, scale) for p in direction.pick(pair, pair[::-1]))


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
            assert encloses_to_45(answer, truth(masses, steps * step, exponent, direction))


def test_no_event_beats_the_profile():
    masses = {
        Fraction(x): Fraction(w, 40) for x, w in {0: 3, 1: 9, 2: 4, 4: 14, 5: 2, 7: 8}.items()
    }
    for exponent in (Fraction(0), Fraction(1, 3), Fraction(2)):
        for shift in (1, 2, 3):
            scale = mpmath.exp(as_mpf(exponent))
            for direction, pair in (
                ("up", (masses, moved(masses, shift))),
                ("down", (moved(masses, shift), masses)),
            ):
                answer = delta(
                    FiniteLattice(masses), shift=shift, epsilon=exponent, direction=direction
                )
                assert encloses_to_45(answer, best_event(*pair, scale))


@pytest.mark.parametrize("shift", ["1/2", "0.3", 3, 5, 1000])
def test_no_common_value_means_delta_one(shift):
    law = FiniteLattice({0: "1/4", 1: "1/2", 2: "1/4"})
    assert delta(law, shift=shift, epsilon=5) == Enclosure.exactly(1)
    almost, whole = epsilon(law, shift=shift, delta=["0.999", 1])
    assert almost.lower == almost.upper == Decimal("Infinity")
    assert whole == Enclosure.exactly(0)


def test_a_shift_just_past_the_support():
    assert delta(FiniteLattice({0: "1/3", 1: "2/3"}), shift=2, epsilon=1) == Enclosure.exactly(1)


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
            assert encloses_to_45(answer, truth(law, Fraction(1), exponent, direction))


def test_sum_of_records_on_a_lattice_with_gaps():
    record = {Fraction(0): Fraction(1, 2), Fraction(2): Fraction(1, 3), Fraction(7): Fraction(1, 6)}
    law = convolved([record] * 12)
    for shift in (1, 2, 5):
        for exponent in (Fraction(0), Fraction(1, 2), Fraction(4)):
            answer = delta(iid(FiniteLattice(record), 12), shift=shift, epsilon=exponent)
            assert encloses_to_45(answer, truth(law, Fraction(shift), exponent, Direction.BOTH))


def test_many_points_whose_ratio_ties_with_the_threshold():
    # Every ratio of this geometric law is 2, so at ε near ln 2 nothing but balls can decide.
    masses = {Fraction(i): Fraction(2**i, 2**30 - 1) for i in range(30)}
    near = Fraction(str(mpmath.log(2)))
    for exponent in (near, near - Fraction(1, 10**25), near + Fraction(1, 10**25)):
        for direction in Direction:
            answer = delta(FiniteLattice(masses), epsilon=exponent, direction=direction)
            assert encloses_to_45(answer, truth(masses, Fraction(1), exponent, direction))
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
    """A law that first hides some points, or shows them as balls around zero."""

    name = "Clouded"
    origin = Fraction(0)
    step = Fraction(1)
    log_concave = False
    points = property(lambda self: 1 << 20)

    def __init__(self, masses: list[Fraction], hidden: set[int], *, vague: bool = False) -> None:
        self.masses, self.hidden, self.vague = masses, hidden, vague
        self.asked_for_all: list[bool] = []

    def mean(self) -> arb:
        raise AssertionError("not asked for")

    variance = mean

    def window(self, tail: arb) -> Window:
        self.asked_for_all.append(tail.is_zero())
        balls = [as_arb(mass) for mass in self.masses]
        if tail.is_zero():
            return Window(0, balls, arb(0))
        gone = [balls[i] for i in self.hidden]
        for i in self.hidden:
            balls[i] = arb(0).union(3 * balls[i]) if self.vague else arb(0)
        return Window(0, balls, arb(0) if self.vague else sum(gone, arb(0)).upper())

    def float_window(self) -> FloatWindow:
        raise AssertionError("not asked for")


def fair(n: int) -> list[Fraction]:
    return [Fraction(math.comb(n, j), 2**n) for j in range(n + 1)]


def ends(n: int, width: int) -> set[int]:
    return set(range(width)) | set(range(n + 1 - width, n + 1))


def by_place(masses: list[Fraction]) -> Masses:
    return {Fraction(i): mass for i, mass in enumerate(masses) if mass}


@pytest.mark.parametrize("vague", [False, True])
@pytest.mark.parametrize("exponent", ["0", "0.5", "2"])
@pytest.mark.parametrize("width", ["1e-12", "0.5", "0.99"])
def test_dropped_and_vague_masses_never_make_an_answer_wrong(vague, exponent, width):
    apart = [Fraction(w, 1000) for w in (400, 400, 0, 0, 0, 0, 200)]
    slight = [Fraction(w, 1000) for w in (400, 599, 0, 0, 0, 0, 1)]
    for masses, hidden in (
        (fair(60), ends(60, 3)),
        (fair(60), ends(60, 12)),
        (fair(60), ends(60, 20)),
        (fair(60), {30, 31}),
        (apart, {6}),
        (apart, {0}),
        (slight, {6}),
    ):
        for direction in Direction:
            answer = delta(
                Clouded(masses, hidden, vague=vague),
                epsilon=exponent,
                direction=direction,
                relative_width=width,
            )
            expected = truth(by_place(masses), Fraction(1), Fraction(exponent), direction)
            assert encloses_to_45(answer, expected)
            assert answer.relative_width <= float(width)


def test_a_coarse_window_is_enough_where_its_tails_do_not_matter():
    clouded = Clouded(fair(60), ends(60, 8))
    delta(clouded, epsilon="0.1", relative_width="0.01")
    assert clouded.asked_for_all == [False]


@pytest.mark.parametrize("target", ["0.01", "1e-9"])
@pytest.mark.parametrize("width", ["1e-3", "1e-12"])
def test_inverse_with_hidden_tails(target, width):
    # At 1e-9 the edge of the first window looks like an atom larger than the target.
    law = by_place(fair(60))
    found = epsilon(Clouded(fair(60), set(range(9))), delta=target, relative_width=width)
    low, high = (
        truth(law, Fraction(1), Fraction(end), Direction.BOTH) for end in (found.lower, found.upper)
    )
    assert high <= mpmath.mpf(target) <= low
    assert found.relative_width <= float(width)


class Blurred(Clouded):
    """Two points whose second mass is known to 41 bits only, and sits off the middle."""

    points = property(lambda self: 2)

    def window(self, tail: arb) -> Window:
        mass = as_arb(self.masses[1])
        middle = (mass * (1 - arb(2) ** -42)).mid()
        return Window(0, [as_arb(self.masses[0]), arb(middle, mass / 2**41)], arb(0))


def test_a_ratio_is_never_decided_closer_than_the_masses_are_known():
    masses = [Fraction(1, 3), Fraction(2, 3)]
    exponent = Fraction(mpmath.nstr(mpmath.log(2) - mpmath.mpf(2) ** -43, 50))
    answer = delta(Blurred(masses, set()), epsilon=exponent, direction="up", relative_width="1e-9")
    assert encloses_to_45(answer, truth(by_place(masses), Fraction(1), exponent, Direction.UP))
