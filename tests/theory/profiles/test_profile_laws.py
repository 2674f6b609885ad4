"""What is true of every privacy profile, whatever the law."""

import math
from fractions import Fraction

import mpmath
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.laws import Binomial, FiniteLattice, IndependentSum, Normal, TruncatedBinomial
from kproof.theory.laws.base import LatticeLaw, Law
from kproof.theory.profiles import Direction, delta

counts = st.lists(st.integers(0, 30), min_size=2, max_size=8).filter(any)
epsilons = st.fractions(0, 5, max_denominator=50)
directions = st.sampled_from(Direction)
chances = st.fractions("1/50", "49/50", max_denominator=50)
calm = settings(max_examples=60, deadline=None)


@st.composite
def truncated(draw: st.DrawFn) -> TruncatedBinomial:
    n = draw(st.integers(1, 60))
    return TruncatedBinomial(n, draw(chances), draw(st.integers(0, n)))


@st.composite
def finite(draw: st.DrawFn) -> FiniteLattice:
    return FiniteLattice.from_counts(dict(enumerate(draw(counts))))


lattice_laws = st.one_of(truncated(), finite())
normals = st.builds(Normal, st.just(0), st.fractions("1/20", 50, max_denominator=20))
laws: st.SearchStrategy[Law] = st.one_of(lattice_laws, normals)


def surely_above(one: Enclosure, other: Enclosure) -> bool:
    return one.lower > other.upper


def masses(law: LatticeLaw) -> dict[Fraction, Fraction]:
    """Return the law by definition, in rationals."""
    if isinstance(law, FiniteLattice):
        return dict(law.atoms)
    assert isinstance(law, TruncatedBinomial)
    weights = {
        Fraction(j): math.comb(law.n, j) * law.p**j * (1 - law.p) ** (law.n - j)
        for j in range(law.k, law.n + 1)
    }
    total = sum(weights.values())
    return {j: w / total for j, w in weights.items()}


@calm
@given(laws, epsilons, epsilons, directions)
def test_never_rises(law, first, second, direction):
    low, high = sorted([first, second])
    at_low, at_high = delta(law, epsilon=[low, high], direction=direction)
    assert not surely_above(at_high, at_low)


@calm
@given(laws, st.lists(epsilons, min_size=3, max_size=3, unique=True), directions)
def test_convex_in_the_exponential(law, exponents, direction):
    exponents.sort()
    with mpmath.workdps(50):
        left, middle, right = (
            mpmath.exp(mpmath.mpf(e.numerator) / e.denominator) for e in exponents
        )
        answers = delta(law, epsilon=exponents, direction=direction)
        ends = [mpmath.mpf(str(answers[i].upper)) for i in (0, 2)]
        chord = ((right - middle) * ends[0] + (middle - left) * ends[1]) / (right - left)
        assert mpmath.mpf(str(answers[1].lower)) <= chord * (1 + mpmath.mpf(10) ** -30)


@calm
@given(lattice_laws, st.integers(1, 3), directions)
def test_at_zero_it_is_the_total_variation_distance(law, shift, direction):
    assume(shift < law.points)
    law_masses = masses(law)
    shifted = {x + shift: m for x, m in law_masses.items()}
    everywhere = set(law_masses) | set(shifted)
    distance = sum(abs(law_masses.get(x, 0) - shifted.get(x, 0)) for x in everywhere) / 2
    assert distance in delta(law, shift=shift, epsilon=0, direction=direction)


@calm
@given(lattice_laws, epsilons)
def test_the_directions_are_dual(law, exponent):
    """D_y(Q‖P) = 1 - y + y D_{1/y}(P‖Q), with D at 1/y < 1 by definition."""
    assume(law.points > 1)
    with mpmath.workdps(60):
        scale = mpmath.exp(mpmath.mpf(exponent.numerator) / exponent.denominator)

        def real(value: Fraction) -> mpmath.mpf:
            return mpmath.mpf(value.numerator) / value.denominator

        law_masses = masses(law)
        shift = law.step
        reverse = sum(
            max(real(m) - real(law_masses.get(x - shift, Fraction(0))) / scale, 0)
            for x, m in law_masses.items()
        )
        dual = 1 - scale + scale * reverse
        answer = delta(law, shift=shift, epsilon=exponent, direction="down")
        slack = mpmath.mpf(10) ** -50 * scale
        assert (
            mpmath.mpf(str(answer.lower)) - slack <= dual <= mpmath.mpf(str(answer.upper)) + slack
        )


@calm
@given(counts, epsilons, st.fractions(-9, 9, max_denominator=9), st.integers(1, 3))
def test_translation_changes_nothing_and_reflection_swaps_directions(weights, exponent, by, shift):
    law = FiniteLattice.from_counts(dict(enumerate(weights)))
    moved = FiniteLattice.from_counts({i + by: w for i, w in enumerate(weights)})
    mirrored = FiniteLattice.from_counts({-i: w for i, w in enumerate(weights)})
    up, down, both = (delta(law, shift=shift, epsilon=exponent, direction=d) for d in Direction)
    assert delta(moved, shift=shift, epsilon=exponent, direction="up") == up
    for mine, theirs in (("up", down), ("down", up), ("both", both)):
        answer = delta(mirrored, shift=shift, epsilon=exponent, direction=mine)
        assert max(answer.lower, theirs.lower) <= min(answer.upper, theirs.upper)


@calm
@given(finite(), finite(), epsilons, directions)
def test_an_independent_record_more_never_raises_it(law, record, exponent, direction):
    shift = law.step
    alone = delta(law, shift=shift, epsilon=exponent, direction=direction)
    together = delta(
        IndependentSum([law, record]), shift=shift, epsilon=exponent, direction=direction
    )
    assert not surely_above(together, alone)


@calm
@given(st.integers(1, 300), chances, epsilons)
def test_a_trial_more_never_raises_it(n, p, exponent):
    fewer, more = (delta(Binomial(m, p), epsilon=exponent) for m in (n, n + 1))
    assert not surely_above(more, fewer)


@calm
@given(truncated(), epsilons)
def test_truncation_costs_at_most_the_boundary_atom(law, exponent):
    """Z delta_k(ε) <= delta_0(ε) + e^ε Pr[M = k-1], and delta_k(ε) >= Pr[M = k | M >= k]."""
    n, p, k = law.n, law.p, law.k
    weights = [math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(n + 1)]
    kept = sum(weights[k:])
    cut = delta(law, epsilon=exponent, direction="up")
    whole = delta(Binomial(n, p), epsilon=exponent, direction="up")
    assert Fraction(cut.upper) >= weights[k] / kept
    boundary = weights[k - 1] * Fraction(str(mpmath.exp(float(exponent)))) if k else 0
    assert Fraction(cut.lower) * kept <= Fraction(whole.upper) + boundary * (1 + Fraction(1, 10**9))


@calm
@given(normals, st.fractions("1/10", 3, max_denominator=10), epsilons)
def test_a_larger_shift_of_a_log_concave_law_never_lowers_it(law, shift, exponent):
    nearer, farther = (delta(law, shift=s, epsilon=exponent) for s in (shift, 2 * shift))
    assert not surely_above(nearer, farther)
