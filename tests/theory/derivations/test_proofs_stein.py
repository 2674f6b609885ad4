"""Lemma 2, Theorems 3 and 5, C4 and C5 derived: what holds, what it rests on, and why no less."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb

import mpmath
import pytest
import sympy as sp
from cases import cases

from kproof.theory.derivations.deciders import judge
from kproof.theory.derivations.derivation import Derivation, Step, StepStanding, uses
from kproof.theory.derivations.evidence import judge_all
from kproof.theory.derivations.formulas import at_most
from kproof.theory.derivations.notation import proofs
from kproof.theory.derivations.proofs.catalogue import derivation
from kproof.theory.reading import Reading
from kproof.theory.theorems import lemma1, theorem3
from kproof.theory.theorems.sums import sums

HALF = Fraction(1, 2)
LEMMA_2, THEOREM_3, THEOREM_5 = (derivation(name) for name in ("lemma-2", "theorem-3", "theorem-5"))
EXACT_LAWS = derivation("c5-laws")
STEIN = proofs("stein")["stein"]


@cases(
    (LEMMA_2, ["berry-esseen"]),
    (THEOREM_3, ["ramps", "stein", "integrated", "stein-independent"]),
    (THEOREM_5, ["ramps", "stein", "integrated"]),
    (EXACT_LAWS, []),
    ids=lambda one: getattr(one, "name", ""),
)
def test_everything_else_is_decided(derivation, assumed):
    found = judge_all(derivation.name)
    assert not [(one.step.id, one.found) for one in found if one.standing is StepStanding.FAILED]
    assert [one.step.id for one in found if one.standing is StepStanding.ASSUMED] == assumed


def judged_with(derivation: Derivation, changed: Step) -> StepStanding:
    """Return how a changed step stands, with no more steps around it than it uses."""
    wanted = {changed.id}
    for step in reversed(derivation.steps):
        if step.id in wanted:
            wanted |= set(uses(changed if step.id == changed.id else step))
    kept = [changed if one.id == changed.id else one for one in derivation.steps]
    steps = tuple(one for one in kept if one.id in wanted)
    found = judge(Derivation("changed", "", steps, (changed.id,)))
    assert not [one.step.id for one in found[:-1] if one.standing is StepStanding.FAILED]
    return found[-1].standing


def without(*ids: str) -> Callable[[Step], Step]:
    return lambda step: replace(step, follows=tuple(x for x in step.follows if x not in ids))


def given_up_to(kept: int) -> Callable[[Step], Step]:
    return lambda step: replace(step, given=step.given[:kept])


def with_factor(old: sp.Expr, new: sp.Expr) -> Callable[[Step], Step]:
    return lambda step: replace(step, claim=step.claim.subs(old, new))


@cases(
    (LEMMA_2, "coins", given_up_to(1)),
    (THEOREM_3, "one-group", given_up_to(2)),
    (THEOREM_3, "atom", given_up_to(2)),
    (THEOREM_3, "atom", lambda s: replace(s, claim=at_most(s.claim.lhs, s.claim.rhs / 2))),
    (THEOREM_3, "width", lambda s: replace(s, claim=at_most(2 * s.claim.lhs, s.claim.rhs))),
    (THEOREM_3, "kolmogorov", given_up_to(0)),
    (THEOREM_3, "close", without("stein")),
    (THEOREM_3, "half-lines", with_factor(STEIN, STEIN / 2)),
    (THEOREM_3, "interval", lambda s: replace(s, claim=at_most(s.claim.lhs, STEIN))),
    (THEOREM_3, "interval", without("close-left")),
    (THEOREM_3, "there-and-back", given_up_to(2)),
    (THEOREM_3, "theorem-3", given_up_to(1)),
    (THEOREM_3, "theorem-3", without("profile")),
    (THEOREM_3, "theorem-3-half-lines", without("half-lines-back")),
    (THEOREM_3, "theorem-3-mirrored", without("half-lines")),
    (THEOREM_3, "cubed", given_up_to(0)),
    (THEOREM_3, "printed-constant", without("stein-independent")),
    (THEOREM_3, "printed-constant", given_up_to(0)),
    (THEOREM_5, "left-on-average", lambda s: replace(s, claim=at_most(s.claim.rhs, s.claim.lhs))),
    (EXACT_LAWS, "never-negative", without("event")),
    (EXACT_LAWS, "window", without("masses")),
    (EXACT_LAWS, "window", without("masses-moved")),
    (EXACT_LAWS, "no-event-gains-more", without("never-negative")),
)
def test_no_part_is_idle(derivation, name, change):
    """Without one of its premises or hypotheses, or claiming more, a step is not decided."""
    step = derivation[name]
    changed = replace(change(step), printed=None)
    assert changed != replace(step, printed=None)
    assert judged_with(derivation, changed) is StepStanding.FAILED


def test_what_is_refuted_is_what_is_printed():
    over = sums(unknown_only=False)
    root = sp.sqrt(
        proofs("stein")["printed_radicand"](
            theorem3.LAMBDA1, theorem3.SIGMA, over.raw_third, over.raw_fourth
        )
    )
    quarter = (2 / sp.pi) ** sp.Rational(1, 4)
    ours = 2 * quarter * root * (1 + sp.exp(lemma1.EPSILON)) + 1 / sp.sqrt(over.n)
    assert sp.simplify(theorem3.STATEMENTS[Reading.DERIVED].formulas["delta"] - ours) == 0


def coins(n: int) -> dict[int, Fraction]:
    """Return the law of the sum of n fair signs."""
    return {2 * i - n: Fraction(comb(n, i), 2**n) for i in range(n + 1)}


@pytest.mark.parametrize("n", [1, 2, 4, 9, 16, 64])
def test_the_assumed_bounds_on_fair_signs(n):
    """Distances of n fair signs from the normal law, integrated, against every assumed step."""
    law, below = coins(n), Fraction(0)
    root = mpmath.sqrt(n)
    kolmogorov = wasserstein = mpmath.mpf(0)
    ends = [-12, *(x / root for x in law), 12]
    for (low, high), mass in zip(pairwise(ends), [*law.values(), Fraction(0)], strict=True):
        level = mpmath.mpf(below.numerator) / below.denominator

        def off(x: mpmath.mpf, level: mpmath.mpf = level) -> mpmath.mpf:
            return abs(level - mpmath.ncdf(x))

        middle = mpmath.sqrt(2) * mpmath.erfinv(2 * level - 1) if 0 < level < 1 else low
        cuts = [low, middle, high] if low < middle < high else [low, high]
        wasserstein += mpmath.quad(off, cuts)
        kolmogorov = max(kolmogorov, off(low), off(high))
        below += mass
    third = fourth = n
    stein = third / root**3 + mpmath.sqrt(28 * fourth) / (mpmath.sqrt(mpmath.pi) * n)
    alone = third / root**3 + mpmath.sqrt(2 * fourth) / (mpmath.sqrt(mpmath.pi) * n)
    assert wasserstein <= alone <= stein
    assert kolmogorov <= (2 / mpmath.pi) ** 0.25 * mpmath.sqrt(wasserstein)
    assert kolmogorov <= 0.5591 * third / root**3


def test_raw_moments_of_a_shifted_coin():
    """Four records that are -4 or -3: the printed radicand in exact moments."""
    third = sum(HALF * x**3 for x in (-4, -3)) * 4
    fourth = sum(HALF * x**4 for x in (-4, -3)) * 4
    assert third + mpmath.sqrt(26 * fourth) / mpmath.sqrt(mpmath.pi) < 0


def test_a_fraction_is_no_neighbourhood():
    """399 copies of a fair coin and one more coin: the least sum has no counterpart."""
    n = 400
    law = {(n - 1) * one + other: HALF**2 for one, other in product((0, 1), repeat=2)}
    mean = sum(x * p for x, p in law.items())
    variance = sum((x - mean) ** 2 * p for x, p in law.items())
    assert variance == Fraction((n - 1) ** 2 + 1, 4)
    share, sigma = mpmath.mpf(n - 1) / n, mpmath.sqrt(variance.numerator) / 2
    radicand = share**2 / sigma**3 * n / 2
    radicand += share**3 * mpmath.sqrt(26 * n / 2) / (sigma**2 * mpmath.sqrt(mpmath.pi))
    claimed = 2 * (2 / mpmath.pi) ** 0.25 * mpmath.sqrt(radicand) * 2.1 + 1 / mpmath.sqrt(n)
    assert claimed < mpmath.mpf(law[0].numerator) / law[0].denominator


def independent(outcomes, one, others):
    """Return whether two groups of records are independent when all outcomes are equally likely."""
    left = [tuple(x[place] for place in one) for x in outcomes]
    right = [tuple(x[place] for place in others) for x in outcomes]
    pairs = list(zip(left, right, strict=True))
    return all(
        pairs.count((a, b)) * len(outcomes) == left.count(a) * right.count(b)
        for a, b in product(set(left), set(right))
    )


def test_neighbourhoods_alone_are_not_enough():
    """Three pairs of signs with one common product."""
    outcomes = [x for x in product((-1, 1), repeat=6) if x[0] * x[1] == x[2] * x[3] == x[4] * x[5]]
    for place in range(6):
        pair = {place, place ^ 1}
        assert independent(outcomes, (place,), tuple(i for i in range(6) if i not in pair))
    assert not independent(outcomes, (0, 1), (2, 3))
    assert Fraction(sum(sum(x) == 0 for x in outcomes), len(outcomes)) >= HALF
    assert Fraction(sum(sum(x) ** 2 for x in outcomes), len(outcomes)) == 6


def test_what_is_known_joins_what_is_not():
    """Two coins are independent, and not any more once their sum is known to be 1."""
    outcomes = list(product((0, 1), repeat=2))
    assert independent(outcomes, (0,), (1,))
    assert not independent([x for x in outcomes if sum(x) == 1], (0,), (1,))


def test_constants():
    assert [d for d in range(1, 50) if 28 * d**3 <= 26 * d**6] == list(range(2, 50))


@cases(
    ({0: "1/2", 1: "1/4", 3: "1/4"}, 1),
    ({0: "1/8", 1: "1/2", 2: "3/8"}, 1),
    ({0: "1/5", 1: "1/5", 2: "1/5", 5: "2/5"}, 2),
)
@pytest.mark.parametrize("factor", [Fraction(1), Fraction(3, 2), Fraction(4)])
def test_the_sum_of_positive_parts_over_all_events(typed, shift, factor):
    """C5 against the gain of every event, and a window against the whole."""
    law = {x: Fraction(p) for x, p in typed.items()}
    points = range(max(law) + shift + 1)
    gain = {x: law.get(x, Fraction(0)) - factor * law.get(x - shift, Fraction(0)) for x in points}
    events = (c for size in range(len(points) + 1) for c in combinations(points, size))
    best = max(sum((gain[x] for x in event), Fraction(0)) for event in events)
    parts = {x: max(one, Fraction(0)) for x, one in gain.items()}
    assert best == sum(parts.values())
    for end in points:
        inside = sum(parts[x] for x in points if x <= end)
        assert inside <= best <= inside + sum(p for x, p in law.items() if x > end)
