"""What Rocq is asked, what it answers, and that its definitions are those that Python evaluates."""

import re
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb, floor, prod

import mpmath
import pytest
import sympy as sp

from kproof.theory.kernel.statements import MODELS, ROCQ, SOURCES, STATEMENTS
from kproof.theory.laws.finite import FiniteLattice
from kproof.theory.laws.sums import iid
from kproof.theory.papers.small_tables import worst_of_tables
from kproof.theory.profiles import exact
from kproof.theory.profiles.blocks import blocks_delta
from kproof.theory.reading import Reading
from kproof.theory.theorems.symbolic import Between
from kproof.theory.theorems.theorem1 import DOWN, EPSILON, UP, K, N, P
from kproof.theory.theorems.theorem1 import STATEMENTS as THEOREM_1


def test_nothing_is_taken_without_proof():
    for source in (*SOURCES, MODELS):
        text = re.sub(r"\(\*.*?\*\)", "", source.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(r"\b(Admitted|admit|Axiom|Parameter|Conjecture|Abort)\b", text)
    assert sorted((*SOURCES, MODELS)) == sorted(ROCQ.glob("*.v"))


# The definitions of theory/rocq, written once more in fractions: masses as lists. -----------------

Law = list[Fraction]


def hockey(e: Fraction | mpmath.mpf, f: Law, g: Law) -> Fraction | mpmath.mpf:
    """``hockey``."""
    size = max(len(f), len(g))
    wide = [[*one, *[Fraction(0)] * (size - len(one))] for one in (f, g)]
    return sum((max(_of(e, a) - e * _of(e, b), 0 * e) for a, b in zip(*wide, strict=True)), 0 * e)


def _of(e: Fraction | mpmath.mpf, x: Fraction) -> Fraction | mpmath.mpf:
    return x if isinstance(e, Fraction) else mpmath.mpf(x.numerator) / x.denominator


def times(f: Law, g: Law) -> Law:
    """Return the product of two polynomials."""
    out = [Fraction(0)] * (len(f) + len(g) - 1)
    for (i, a), (j, b) in product(enumerate(f), enumerate(g)):
        out[i + j] += a * b
    return out


def block(m: int, h: int) -> Law:
    """``block``."""
    return [Fraction(int(x % h == 0), m) for x in range((m - 1) * h + 1)]


def told(e: mpmath.mpf, m: int, h: int, s: int, j: int, *, up: bool) -> mpmath.mpf:
    """``told_up`` and ``told_down``."""
    f: Law = [Fraction(1)]
    for _ in range(j):
        f = times(f, block(m, h))
    moved = [Fraction(0)] * s + f
    return hockey(e, f, moved) if up else hockey(e, moved, f)


@pytest.mark.parametrize(("m", "h", "steps"), [(2, 1, 1), (3, 2, 1), (5, 1, 2)])
@pytest.mark.parametrize("epsilon", ["0", "1/10", "3/2"])
def test_the_block_bound_of_rocq_is_the_one_of_python(m, h, steps, epsilon):
    masses = [Fraction(1, 3), Fraction(3, 4), Fraction(3, 4), Fraction(1)]
    counts: Law = [Fraction(1)]
    for b in masses:
        counts = times(counts, [1 - b, b])
    with mpmath.workdps(40):
        e = mpmath.exp(mpmath.mpf(Fraction(epsilon).numerator) / Fraction(epsilon).denominator)
        means = [
            sum(_of(e, w) * told(e, m, h, steps * h, j, up=up) for j, w in enumerate(counts))
            for up in (True, False)
        ]
        ours = blocks_delta(
            {b: masses.count(b) for b in masses},
            block=m,
            epsilon=epsilon,
            steps=steps,
            relative_width="1e-20",
        )
        assert abs(max(means) - mpmath.mpf(str(ours.lower))) < mpmath.mpf(10) ** -12


def test_the_divergence_of_rocq_is_the_one_of_python():
    record = FiniteLattice({0: "1/4", 1: "1/2", 3: "1/4"})
    masses: Law = [Fraction(1)]
    for _ in range(4):
        masses = times(masses, [Fraction(1, 4), Fraction(1, 2), Fraction(0), Fraction(1, 4)])
    moved = [Fraction(0), *masses]
    with mpmath.workdps(40):
        e = mpmath.exp(mpmath.mpf(1) / 3)
        larger = max(hockey(e, masses, moved), hockey(e, moved, masses))
        ours = exact(iid(record, 4), shift=1, epsilon="1/3")
        assert abs(larger - mpmath.mpf(str(ours.lower))) < mpmath.mpf(10) ** -12


def test_the_thresholds_and_gains_of_rocq_are_those_of_python():
    statement = THEOREM_1[Reading.CORRECTED]
    (gains,) = (one for one in statement.formulas["delta"].args if isinstance(one, sp.Max))
    cases = product((1, 4, 7), (1, 2, 7), (Fraction(1, 5), Fraction(3, 4)), (1, Fraction(5, 2), 40))
    for n, k, p, e in cases:
        if k > n:
            continue
        mass = [comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n + 1)]

        def between(a: int, b: int, mass: Law = mass) -> Fraction:
            return sum((mass[i] for i in range(max(a, 0), min(b, len(mass)))), Fraction(0))

        at = {N: n, K: k, P: sp.Rational(p), sp.exp(EPSILON): sp.Rational(Fraction(e))}
        w, d = (int(statement.where[one].subs(at)) for one in (UP, DOWN))
        q, top = 1 - p, n + 1
        # threshold_up and threshold_down.
        assert k <= w <= n
        assert all(i * (e * q + p) <= p * top for i in range(k + 1, w + 1))
        assert all(p * top <= i * (e * q + p) for i in range(w + 1, n + 1))
        assert k < d <= n + 1
        assert all(e * p * top <= i * (q + e * p) for i in range(d, n + 1))
        assert all(i * (q + e * p) <= e * p * top for i in range(k + 1, d))
        # delta_up and delta_down, before the division.
        of_rocq = {
            UP: between(k, w + 1) - e * between(k, w),
            DOWN: between(d - 1, n + 1) - e * between(d, n + 1),
        }
        for name, end in ((UP, w), (DOWN, d)):
            (gain,) = (one for one in gains.args if one.has(name))
            value = gain.subs({**at, name: end}).replace(
                Between, lambda a, b, *_: sp.Rational(between(int(a), int(b) + 1))
            )
            assert value == sp.Rational(of_rocq[name])
    assert len(STATEMENTS) >= 15


def hide(j: int, g: Law) -> Law:
    """``hide``: the masses up to j at 0, and those above it where they are."""
    return [sum(g[: j + 1], Fraction(0)), *[Fraction(0)] * j, *g[j + 1 :]]


def test_the_worst_table_of_rocq_is_that_of_python():
    for k, p, e in product(
        (1, 2, 4), (Fraction(1, 3), Fraction(4, 5)), (Fraction(3, 2), Fraction(3))
    ):
        counts = [[Fraction(1)]]
        for _ in range(40):
            counts.append(times(counts[-1], [1 - p, p]))
        pairs = [(hide(k - 1, b), hide(k - 1, a)) for a, b in pairwise(counts)]
        up = max(hockey(e, with_it, without) for with_it, without in pairs)
        down = max(hockey(e, without, with_it) for with_it, without in pairs)
        # ``shown`` and ``unshown`` at w, the whole part of j/γ; w is at least j there.
        w = (k - 1) // (1 - (1 - p) / e)
        after, before = counts[w + 1], counts[w]
        assert up == sum(after[k:], Fraction(0)) - e * sum(before[k:], Fraction(0))
        if (gamma := 1 - (1 - p) * e) > 0:
            w = (k - 1) // gamma
            after, before = counts[w + 1], counts[w]
            assert down == sum(before[:k], Fraction(0)) - e * sum(after[:k], Fraction(0))
        else:
            assert down == 0
        assert worst_of_tables(k, p, e, rows=40) == max(up, down)


def coins_tell(e: Fraction, s: list[Fraction], theta: list[Fraction]) -> Fraction:
    """``coins_tell``."""
    total = Fraction(0)
    for size in range(len(s) + 1):
        for chosen in combinations(range(len(s)), size):
            heads: Law = [Fraction(1)]
            for i in chosen:
                heads = times(heads, [1 - theta[i], theta[i]])
            chance = prod(x if i in chosen else 1 - x for i, x in enumerate(s))
            total += chance * hockey(e, [Fraction(0), *heads], heads)
    return total


def edges_tell(e: Fraction, edges: list[Law], *, up: bool) -> Fraction:
    """``edges_tell`` of all records."""
    moved, still = (
        [[*front, *law, *back] for law in edges] for front, back in (([0], []), ([], [0]))
    )
    first, second = (moved, still) if up else (still, moved)
    return sum(
        (
            max(Fraction(0), Fraction(prod(a) - e * prod(b)))
            for a, b in zip(product(*first), product(*second), strict=True)
        ),
        Fraction(0),
    )


def tables(laws: list[dict[str, Fraction]], victim: str) -> dict[tuple[str, ...], Fraction]:
    """``pr_table``: how likely the counts are, as the sorted cells of all records."""
    law: dict[tuple[str, ...], Fraction] = {}
    for cells in product(*laws):
        seen = tuple(sorted((victim, *cells)))
        law[seen] = law.get(seen, Fraction(0)) + prod(
            (one[cell] for one, cell in zip(laws, cells, strict=True)), start=Fraction(1)
        )
    return law


def told_by_tables(e: Fraction, laws: list[dict[str, Fraction]], a: str, b: str) -> Fraction:
    """Return the least delta of ``close_tables``."""
    first, second = tables(laws, a), tables(laws, b)
    return sum(
        (max(Fraction(0), mass - e * second.get(seen, 0)) for seen, mass in first.items()),
        Fraction(0),
    )


SOME_LAWS = [
    {"a": Fraction(1, 2), "b": Fraction(1, 4), "c": Fraction(1, 4)},
    {"a": Fraction(1, 10), "b": Fraction(3, 5), "d": Fraction(3, 10)},
    {"a": Fraction(1, 3), "b": Fraction(1, 3), "c": Fraction(1, 3)},
    {"a": Fraction(0), "b": Fraction(1, 2), "e": Fraction(1, 2)},
]


def test_the_coins_of_rocq_are_what_tables_tell():
    e = Fraction(3, 2)
    for a, b in (("a", "b"), ("b", "a")):
        s = [law[a] + law[b] for law in SOME_LAWS]
        theta = [law[a] / (law[a] + law[b]) for law in SOME_LAWS]
        bound = coins_tell(e, s, theta)
        # Two may be in c: less than the bound. Without the third each has a cell of his own.
        assert told_by_tables(e, SOME_LAWS, a, b) <= bound
        own = [*SOME_LAWS[:2], SOME_LAWS[3]]
        exact = coins_tell(e, [s[0], s[1], s[3]], [theta[0], theta[1], theta[3]])
        assert told_by_tables(e, own, a, b) == exact
        assert a == "b" or bound == Fraction(7, 15)


@pytest.mark.parametrize("e", [Fraction(1), Fraction(6, 5), Fraction(3)])
def test_the_closed_form_of_rocq_is_what_tables_of_one_law_tell(e):
    law = {"a": Fraction(1, 10), "b": Fraction(3, 10), "c": Fraction(2, 5), "d": Fraction(1, 5)}
    pairs = {(a, b): told_by_tables(e, [law] * 4, a, b) for a, b in product(law, law) if a != b}
    for (a, b), delta in pairs.items():
        s, theta, total = law[a] + law[b], law[a] / (law[a] + law[b]), Fraction(0)
        for m in range(5):
            w = floor(e * theta * (m + 1) / (1 - theta + e * theta))
            mass = [comb(m, i) * theta**i * (1 - theta) ** (m - i) for i in range(m + 1)]
            gain = sum(mass[w:], Fraction(0)) - e * sum(mass[w + 1 :], Fraction(0))
            total += comb(4, m) * s**m * (1 - s) ** (4 - m) * gain
        assert total == delta
    assert max(pairs.values()) == max(pairs["a", "d"], pairs["d", "a"])


def test_the_edges_of_rocq_are_what_tables_of_a_path_tell():
    half = Fraction(1, 2)
    edges = [[comb(n, i) * half**n for i in range(n + 1)] for n in (3, 2)]
    assert edges_tell(Fraction(2), edges, up=True) == Fraction(15, 32)
    thetas = [[Fraction(1, 3), Fraction(3, 4)], [half], [Fraction(1, 5), Fraction(2, 3)]]
    laws, edges = [], []
    for (near, far), chances in zip(pairwise("abcd"), thetas, strict=True):
        edges.append([Fraction(1)])
        for theta in chances:
            edges[-1] = times(edges[-1], [1 - theta, theta])
            laws.append({near: theta, far: 1 - theta})
    for e in (Fraction(1), Fraction(3, 2), Fraction(4)):
        assert edges_tell(e, edges, up=True) == told_by_tables(e, laws, "a", "d")
        assert edges_tell(e, edges, up=False) == told_by_tables(e, laws, "d", "a")
