"""Every law against its masses enumerated in rational arithmetic, and against its own contract."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise, product
from math import comb

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.theory.exact.precision import use_bits
from kproof.theory.laws import (
    Binomial,
    Block,
    FiniteLattice,
    IndependentBlocks,
    IndependentSum,
    LatticeLaw,
    MarkovChain,
    PoissonBinomial,
    RecordsLaw,
    TruncatedBinomial,
    iid,
)

Masses = dict[Fraction, Fraction]

DIE: Masses = {Fraction(face): Fraction(1, 6) for face in range(1, 7)}
SKEW: Masses = {
    Fraction(0): Fraction(7, 10),
    Fraction(3, 2): Fraction(1, 5),
    Fraction(4): Fraction(1, 10),
}
COIN: Masses = {Fraction(0): Fraction(2, 3), Fraction(1): Fraction(1, 3)}


def added(pairs: Iterable[tuple[Fraction, Fraction]]) -> Masses:
    masses: Masses = {}
    for value, mass in pairs:
        masses[value] = masses.get(value, Fraction(0)) + mass
    return {value: mass for value, mass in sorted(masses.items()) if mass}


def convolved(*laws: Masses) -> Masses:
    total: Masses = {Fraction(0): Fraction(1)}
    for law in laws:
        total = added((x + y, p * q) for x, p in total.items() for y, q in law.items())
    return total


def binomial(n: int, p: Fraction, k: int) -> Masses:
    masses = {Fraction(j): comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1)}
    total = sum(masses.values())
    return {j: mass / total for j, mass in masses.items()}


def chain(initial, matrix, values, n, known):
    pairs = []
    for path in product(range(len(values)), repeat=n):
        if all(values[path[i]] == value for i, value in known.items()):
            mass = initial[path[0]]
            for here, there in pairwise(path):
                mass *= matrix[here][there]
            rest = (values[s] for i, s in enumerate(path) if i not in known)
            pairs.append((sum(rest, start=Fraction(0)), mass))
    evidence = sum(mass for _, mass in pairs)
    return added((value, mass / evidence) for value, mass in pairs)


INITIAL = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
MATRIX = [
    [Fraction(3, 4), Fraction(1, 4), Fraction(0)],
    [Fraction(1, 5), Fraction(2, 5), Fraction(2, 5)],
    [Fraction(1, 2), Fraction(0), Fraction(1, 2)],
]
VALUES = [Fraction(1), Fraction(5, 2), Fraction(1)]
TWINS = {(0, 0): "2/5", (1, 1): "1/5", (0, 3): "3/10", (2, 0): "1/10"}
TWINS_SUM: Masses = {
    Fraction(0): Fraction(2, 5),
    Fraction(2): Fraction(3, 10),
    Fraction(3): Fraction(3, 10),
}

ZOO: dict[str, tuple[Callable[[], LatticeLaw], Masses]] = {
    "binomial": (lambda: Binomial(9, "0.3"), binomial(9, Fraction(3, 10), 0)),
    "binomial-far": (lambda: TruncatedBinomial(40, "1/9", 31), binomial(40, Fraction(1, 9), 31)),
    "binomial-near": (lambda: TruncatedBinomial(30, 0.7, 20), binomial(30, Fraction(7, 10), 20)),
    "binomial-one-left": (lambda: TruncatedBinomial(7, 0.7, 7), {Fraction(7): Fraction(1)}),
    "finite": (lambda: FiniteLattice(SKEW), SKEW),
    "constant": (lambda: FiniteLattice({"2.5": 1}), {Fraction(5, 2): Fraction(1)}),
    "poisson-binomial": (
        lambda: PoissonBinomial(["1/3", "1/3", "1/3", 0, 1, 0.2]),
        convolved(COIN, COIN, COIN, {Fraction(1): Fraction(1)}, binomial(1, Fraction(1, 5), 0)),
    ),
    "dice": (lambda: iid(FiniteLattice(DIE), 5), convolved(*[DIE] * 5)),
    "mixed-steps": (
        lambda: IndependentSum(
            [FiniteLattice(SKEW), FiniteLattice(DIE), FiniteLattice({"1/7": 1})], counts=[2, 3, 4]
        ),
        convolved(SKEW, SKEW, DIE, DIE, DIE, {Fraction(4, 7): Fraction(1)}),
    ),
    "nested": (
        lambda: IndependentSum(
            [iid(FiniteLattice(DIE), 2), TruncatedBinomial(5, "1/2", 2)], counts=[2, 1]
        ),
        convolved(DIE, DIE, DIE, DIE, binomial(5, Fraction(1, 2), 2)),
    ),
    "constant-sum": (lambda: iid(FiniteLattice({"1/3": 1}), 6), {Fraction(2): Fraction(1)}),
    "chain": (
        lambda: MarkovChain(INITIAL, MATRIX, VALUES, 6),
        chain(INITIAL, MATRIX, VALUES, 6, {}),
    ),
    "chain-known": (
        lambda: MarkovChain(INITIAL, MATRIX, VALUES, 7).given({2: 1, 3: 1, 6: 2.5}),
        chain(INITIAL, MATRIX, VALUES, 7, {2: Fraction(1), 3: Fraction(1), 6: Fraction(5, 2)}),
    ),
    "blocks": (
        lambda: IndependentBlocks([Block(TWINS)], counts=[3]),
        convolved(TWINS_SUM, TWINS_SUM, TWINS_SUM),
    ),
}


def holds(ball: arb, value: Fraction) -> bool:
    return bool((ball * value.denominator).contains(value.numerator))


def index_of(law: LatticeLaw, value: Fraction) -> int:
    index = (value - law.origin) / law.step
    assert index.denominator == 1
    assert 0 <= index < law.points
    return int(index)


def check_window(law: LatticeLaw, truth: Masses, tail: str) -> None:
    with use_bits(128):
        window = law.window(arb(tail))
        assert window.dropped <= arb(tail)
        at = {index_of(law, value): mass for value, mass in truth.items()}
        listed = range(window.start, window.start + len(window.masses))
        assert listed.start >= 0
        assert listed.stop <= law.points
        slack = Fraction(0)
        for index, ball in zip(listed, window.masses, strict=True):
            assert holds(ball, at.get(index, Fraction(0)))
            assert ball >= 0 or ball.contains(0)
            slack += Fraction(float(ball.rad()))
        unlisted = sum((at[index] for index in at if index not in listed), start=Fraction(0))
        assert holds(window.dropped.union(arb(0)), unlisted)
        assert slack <= Fraction(tail) + Fraction(1, 2**100)


@pytest.mark.parametrize("tail", ["0", "1e-30", "1e-6", "0.05"])
@pytest.mark.parametrize("name", ZOO)
def test_windows_contain_the_enumerated_masses(name, tail):
    make, truth = ZOO[name]
    check_window(make(), truth, tail)


@pytest.mark.parametrize("name", ZOO)
def test_everything_is_listed_without_a_tail(name):
    make, _ = ZOO[name]
    law = make()
    window = law.window(arb(0))
    assert window.start == 0
    assert len(window.masses) == law.points
    assert window.dropped.is_zero()


@pytest.mark.parametrize("name", ZOO)
def test_floats_are_within_their_bound(name):
    make, truth = ZOO[name]
    law = make()
    floats = law.float_window()
    assert floats.error < 1e-12
    left = {index_of(law, value): mass for value, mass in truth.items()}
    error = Fraction(0)
    for index, mass in enumerate(floats.masses.tolist(), start=floats.start):
        assert mass >= 0
        error += abs(Fraction(mass) - left.pop(index, Fraction(0)))
    assert error + sum(left.values()) <= Fraction(floats.error)


@pytest.mark.parametrize("name", ZOO)
def test_moments_are_those_of_the_enumerated_masses(name):
    make, truth = ZOO[name]
    mean = sum(value * mass for value, mass in truth.items())
    variance = sum((value - mean) ** 2 * mass for value, mass in truth.items())
    with use_bits(128):
        law = make()
        assert holds(law.mean(), mean)
        assert holds(law.variance(), variance)
        assert law.mean().rel_accuracy_bits() > 100
        assert law.variance().rel_accuracy_bits() > 100 or variance == 0


@pytest.mark.parametrize("name", ZOO)
def test_log_concave_is_never_claimed_wrongly(name):
    make, truth = ZOO[name]
    law = make()
    masses = [truth.get(law.origin + law.step * i, Fraction(0)) for i in range(law.points)]
    inner = all(b * b >= a * c for a, b, c in zip(masses, masses[1:], masses[2:], strict=False))
    gapless = all(masses[i] for i in range(min(index_of(law, v) for v in truth), len(masses) - 1))
    assert not law.log_concave or (inner and gapless)


def test_log_concave_is_claimed_where_it_is_known():
    claimed = {name for name, (make, _) in ZOO.items() if make().log_concave}
    assert claimed == {
        "binomial",
        "binomial-far",
        "binomial-near",
        "binomial-one-left",
        "constant",
        "poisson-binomial",
        "dice",
        "nested",
        "constant-sum",
    }


@pytest.mark.parametrize("name", ZOO)
def test_marginals_sum_to_one_and_give_the_mean(name):
    law = ZOO[name][0]()
    if not isinstance(law, RecordsLaw):
        return
    with use_bits(128):
        marginals = law.marginals()
        assert len(marginals) == len(law.records)
        mean = arb(0)
        for pairs in marginals:
            assert sum((mass for _, mass in pairs), arb(0)).overlaps(arb(1))
            assert sorted({value for value, _ in pairs}) == [value for value, _ in pairs]
            mean += sum(
                (mass * value.numerator / value.denominator for value, mass in pairs), arb(0)
            )
        assert mean.overlaps(law.mean())
        assert sorted(law.dependency()) == list(law.records)


@st.composite
def finite_laws(draw: st.DrawFn) -> Masses:
    values = draw(
        st.lists(
            st.fractions(min_value=-5, max_value=5, max_denominator=4),
            min_size=1,
            max_size=4,
            unique=True,
        )
    )
    weights = [draw(st.integers(1, 9)) for _ in values]
    return {v: Fraction(w, sum(weights)) for v, w in zip(values, weights, strict=True)}


@given(
    parts=st.lists(st.tuples(finite_laws(), st.integers(1, 4)), min_size=1, max_size=3),
    tail=st.sampled_from(["0", "1e-20", "1e-3", "0.3"]),
)
@settings(max_examples=60, deadline=None)
def test_sums_of_any_finite_laws(parts, tail):
    truth = convolved(*(law for law, count in parts for _ in range(count)))
    law = IndependentSum([FiniteLattice(m) for m, _ in parts], counts=[c for _, c in parts])
    check_window(law, truth, tail)
    floats = law.float_window()
    dense = np.zeros(law.points)
    dense[floats.start : floats.start + floats.masses.size] = floats.masses
    exact = [float(truth.get(law.origin + law.step * i, Fraction(0))) for i in range(law.points)]
    assert np.abs(dense - exact).sum() <= floats.error + 1e-15


@st.composite
def chains(draw: st.DrawFn) -> tuple[MarkovChain, Masses]:
    states, n = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    weights = st.lists(st.integers(0, 3), min_size=states, max_size=states).filter(any)

    def row() -> list[Fraction]:
        drawn = draw(weights)
        return [Fraction(w, sum(drawn)) for w in drawn]

    initial, matrix = row(), [row() for _ in range(states)]
    values = [Fraction(draw(st.integers(0, 2))) for _ in range(states)]
    path = [draw(st.sampled_from([s for s in range(states) if initial[s]]))]
    while len(path) < n:
        path.append(draw(st.sampled_from([s for s in range(states) if matrix[path[-1]][s]])))
    known = {i: values[path[i]] for i in draw(st.sets(st.integers(0, n - 1)))}
    law = MarkovChain(initial, matrix, values, n).given(known)
    return law, chain(initial, matrix, values, n, known)


@given(drawn=chains(), tail=st.sampled_from(["0", "1e-20", "0.1"]))
@settings(max_examples=80, deadline=None)
def test_any_chain_with_anything_known(drawn, tail):
    law, truth = drawn
    check_window(law, truth, tail)
    mean = sum(value * mass for value, mass in truth.items())
    assert holds(law.mean(), mean)
    assert holds(law.variance(), sum((v - mean) ** 2 * mass for v, mass in truth.items()))


@given(
    n=st.integers(1, 25),
    p=st.fractions(min_value=0, max_value=1, max_denominator=50).filter(lambda p: 0 < p < 1),
    k=st.integers(0, 25),
    tail=st.sampled_from(["0", "1e-20", "1e-4", "0.3"]),
)
@settings(max_examples=80, deadline=None)
def test_any_truncated_binomial(n, p, k, tail):
    least = min(n, k)
    law, truth = TruncatedBinomial(n, p, least), binomial(n, p, least)
    check_window(law, truth, tail)
    mean = sum(value * mass for value, mass in truth.items())
    with use_bits(128):
        assert holds(law.mean(), mean)
        variance = law.variance()
        assert holds(variance, sum((v - mean) ** 2 * mass for v, mass in truth.items()))
        assert variance.rel_accuracy_bits() > 110 or least == n
