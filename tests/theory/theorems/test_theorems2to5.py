"""Theorems 2 to 5: prints typed again from the paper; corrected bounds against brute force."""

from fractions import Fraction
from itertools import product

import mpmath
import networkx as nx
import pytest
from cases import cases, error_line
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles import (
    as_fraction,
    binomial,
    both_ways,
    convolved,
    delta_all,
    delta_half_lines,
    delta_intervals,
)

from kproof.errors import InvalidArgument
from kproof.theory.reading import Reading
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.api import bound, statement
from kproof.theory.theorems.bounds import ALL, INTERVALS, Status
from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.record_moments import RecordMoments

exp, ln, sqrt, pi = mpmath.exp, mpmath.log, mpmath.sqrt, mpmath.pi
COIN = RecordMoments.of("0.3", "0.3", "0.3", "0.3")
SKEWED = RecordMoments.from_column([0, 0, 0, 1, 5])


def close(enclosure, truth):
    exact = as_fraction(truth)
    slack = abs(exact) / 10**30
    return Fraction(enclosure.lower) - slack <= exact <= Fraction(enclosure.upper) + slack


def least_c(n):
    z = sqrt(mpmath.lambertw(mpmath.mpf(n) / (2 * pi)).real)
    return (z + sqrt(z**2 + 2)) / 2


def gaussian(eps, m):
    return mpmath.ncdf(m / 2 - eps / m) - exp(eps) * mpmath.ncdf(-m / 2 - eps / m)


def printed_2(n, k, s, eps1, v, third, sigma3):
    c = max(least_c(n), sqrt(eps1 * (mpmath.mpf(k) / s + mpmath.mpf(1) / 2)))
    delta = mpmath.mpf("1.1182") * third / sigma3 * (1 + exp(sqrt(s**2 * ln(n) / v))) + 1 / sqrt(n)
    return c * s / sqrt(v), delta


def printed_3(n, lambda1, sigma, chi3, xi4, eps, *, inner):
    factor = 1 + exp(eps)
    root = sqrt(
        lambda1**2 / sigma**3 * chi3
        + lambda1**3 * sqrt(26) / (sigma**2 * sqrt(pi)) * sqrt(xi4 * (factor if inner else 1))
    )
    return 2 * (2 / pi) ** (mpmath.mpf(1) / 4) * root * (1 if inner else factor) + 1 / sqrt(n)


@pytest.mark.parametrize("reading", ["printed", "derived"])
@pytest.mark.parametrize("theorem", [2, 4])
def test_theorems_2_and_4_are_the_formulas_of_the_paper(theorem, reading):
    known = {"lambda2": "0.25"} if theorem == 4 else {}
    adversary = Adversary.of(s=2, **known)
    claim = bound(
        theorem, moments=COIN, n=4000, k=7, epsilon1="0.1", adversary=adversary, reading=reading
    )
    with mpmath.workdps(50):
        n = 3000 if theorem == 4 else 4000
        p = mpmath.mpf(3) / 10
        v, third = n * p * (1 - p), n * (p - 3 * p * p + 2 * p**3)
        epsilon, delta = printed_2(n, 7, 2, mpmath.mpf("0.1"), v, third, n * sqrt(p * (1 - p)) ** 3)
        assert close(claim.epsilon, epsilon)
        assert close(claim.delta, delta)


@cases((3, "printed", True), (3, "derived", False), (5, "printed", False), (5, "derived", False))
def test_theorems_3_and_5_are_the_formulas_of_the_paper(theorem, reading, inner):
    known = {"lambda2": "0.5"} if theorem == 5 else {}
    adversary = Adversary.of(s=1, neighbourhood=3, **known)
    claim = bound(
        theorem, moments=COIN, n=20_000, epsilon="0.75", adversary=adversary, reading=reading
    )
    with mpmath.workdps(50):
        n = 10_000 if theorem == 5 else 20_000
        sigma = sqrt(n * mpmath.mpf("0.21"))
        raw = n * mpmath.mpf("0.3")
        assert close(claim.delta, printed_3(n, 3, sigma, raw, raw, mpmath.mpf("0.75"), inner=inner))


def test_corrected_formulas():
    with mpmath.workdps(50):
        n, p = 4000, mpmath.mpf(3) / 10
        v = n * p * (1 - p)
        ratio = n * p * (1 - p) * (p**2 + (1 - p) ** 2) / v ** mpmath.mpf(1.5)
        schulz = (sqrt(10) + 3) / (6 * sqrt(2 * pi))
        eps = mpmath.mpf("0.5")
        claim = bound(2, moments=COIN, n=n, epsilon="0.5")
        assert close(claim.delta, gaussian(eps, 1 / sqrt(v)) + schulz * ratio * (1 + exp(eps)))
        assert claim.events == ALL
        unions = bound(2, moments=SKEWED, n=n, epsilon="0.5", events="unions:3")
        mean = mpmath.mpf(6) / 5
        v = n * (mpmath.mpf(26) / 5 - mean**2)
        absolute = n * (3 * mean**3 + abs(1 - mean) ** 3 + (5 - mean) ** 3) / 5
        error = mpmath.mpf("0.469") * absolute / v ** mpmath.mpf(1.5)
        assert close(unions.delta, gaussian(eps, 1 / sqrt(v)) + 6 * error * (1 + exp(eps)))
        dependent = bound(
            3, moments=SKEWED, n=10**10, epsilon="0.5", adversary=Adversary.of(neighbourhood=2)
        )
        n = 10**10
        v, absolute = v * 10**10 / 4000, absolute * 10**10 / 4000
        fourth = n * (3 * mean**4 + (1 - mean) ** 4 + (5 - mean) ** 4) / 5
        wasserstein = 4 / v ** mpmath.mpf(1.5) * absolute + sqrt(28) * 2 ** mpmath.mpf(1.5) / (
            sqrt(pi) * v
        ) * sqrt(fourth)
        error = (2 / pi) ** (mpmath.mpf(1) / 4) * sqrt(wasserstein)
        assert close(dependent.delta, gaussian(eps, 1 / sqrt(v)) + 2 * error * (1 + exp(eps)))
        assert dependent.events == INTERVALS


def test_epsilon1_solves_the_circle_by_default():
    free = bound(2, moments=COIN, n=10_000, k=500, reading="printed")
    again = bound(
        2, moments=COIN, n=10_000, k=500, reading="printed", epsilon1=str(free.epsilon.upper)
    )
    assert float(again.epsilon) == pytest.approx(float(free.epsilon), rel=1e-20)
    assert float(free.epsilon) == pytest.approx((500 + 0.5) / 2100, rel=1e-12)


laws = st.dictionaries(
    st.integers(-3, 4).map(Fraction), st.integers(1, 9), min_size=2, max_size=4
).map(lambda d: {x: Fraction(w, sum(d.values())) for x, w in d.items()})


@settings(max_examples=50, deadline=None)
@given(laws, st.integers(1, 9), st.integers(1, 3), st.fractions(0, 3, max_denominator=20))
def test_corrected_theorem_2_is_never_below_the_truth_of_its_events(law, n, s, epsilon):
    total = convolved([law] * n)
    moments = Moments.iid(RecordMoments.from_pairs(law.items()), n=n)
    for events, measure in (("half-lines", delta_half_lines), ("intervals", delta_intervals)):
        claim = bound(2, moments=moments, s=s, epsilon=epsilon, events=events)
        with mpmath.workdps(40):
            truth = both_ways(measure, total, Fraction(s), epsilon)
            assert Fraction(claim.delta.upper) >= as_fraction(truth) - Fraction(1, 10**35)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.fractions("1/20", "19/20", max_denominator=40), min_size=1, max_size=14),
    st.integers(1, 3),
    st.fractions(0, 3),
)
def test_for_coins_the_corrected_theorem_covers_every_event(chances, s, epsilon):
    records = [RecordMoments.of(p, p, p, p) for p in chances]
    claim = bound(2, moments=Moments.of_records(records), s=s, epsilon=epsilon)
    assert claim.events == ALL
    total = convolved({Fraction(1): p, Fraction(0): 1 - p} for p in chances)
    with mpmath.workdps(40):
        truth = both_ways(delta_all, total, Fraction(s), epsilon)
        assert Fraction(claim.delta.upper) >= as_fraction(truth) - Fraction(1, 10**35)


def test_large_coin_counts_where_the_bound_says_something():
    law = binomial(400, Fraction(1, 2))
    claim = bound(2, moments=RecordMoments.of(*["0.5"] * 4), n=400, epsilon="0.3")
    assert Fraction(claim.delta.upper) < Fraction(1, 10)
    with mpmath.workdps(40):
        truth = both_ways(delta_all, law, Fraction(1), Fraction(3, 10))
        assert as_fraction(truth) <= Fraction(claim.delta.upper)


def test_a_misaligned_shift_of_coins_is_not_claimed_for_every_event():
    claim = bound(2, moments=COIN, n=100, s="0.5", epsilon=1, events="all")
    assert not claim.applies
    assert claim.delta.lower == claim.delta.upper == 1


def test_all_events_need_a_reason():
    refused = bound(2, moments=SKEWED, n=10**6, epsilon=1, events="all")
    assert (refused.applies, refused.delta.lower) == (False, 1)
    answered = bound(2, moments=SKEWED, n=10**6, epsilon=1, events="all", assume=["log-concavity"])
    assert (answered.applies, answered.holds) == (True, False)
    assert answered.events == ALL
    assert [h.name for h in answered.assumed] == ["log-concave records"]
    stein = bound(
        3, moments=SKEWED, n=10**6, epsilon=1, events="all", adversary=Adversary.of(neighbourhood=2)
    )
    assert (stein.applies, stein.delta.lower) == (False, 1)


@settings(max_examples=25, deadline=None)
@given(
    st.dictionaries(
        st.tuples(st.integers(0, 2), st.integers(0, 2)), st.integers(1, 6), min_size=2, max_size=6
    ),
    st.integers(1, 4),
    st.fractions(0, 2, max_denominator=10),
)
def test_corrected_theorem_3_holds_for_pairs_of_dependent_records(joint, blocks, epsilon):
    weight = sum(joint.values())
    pair = {}
    first, second = {}, {}
    for (a, b), w in joint.items():
        mass = Fraction(w, weight)
        pair[Fraction(a + b)] = pair.get(Fraction(a + b), Fraction(0)) + mass
        first[Fraction(a)] = first.get(Fraction(a), Fraction(0)) + mass
        second[Fraction(b)] = second.get(Fraction(b), Fraction(0)) + mass
    mean = sum(x * w for x, w in pair.items())
    spread = sum((x - mean) ** 2 * w for x, w in pair.items()) * blocks
    assume(spread > 0)
    records = [RecordMoments.from_pairs(law.items()) for law in (first, second)] * blocks
    plain = Moments.of_records(records)
    moments = Moments.typed(
        plain.n,
        variance=plain.variance,
        variance_of_sum=spread,
        absolute_third=plain.absolute_third,
        fourth=plain.fourth,
    )
    graph = nx.Graph([(2 * i, 2 * i + 1) for i in range(blocks)])
    total = convolved([pair] * blocks)
    claim = bound(3, moments=moments, epsilon=epsilon, adversary=Adversary.of(dependency=graph))
    with mpmath.workdps(40):
        truth = both_ways(delta_intervals, total, Fraction(1), epsilon)
        assert Fraction(claim.delta.upper) >= as_fraction(truth) - Fraction(1, 10**35)


def test_the_printed_delta_of_theorem_2_can_be_negative_and_is_refused_by_no_one_but_us():
    left = RecordMoments.from_column([0, *[1] * 9])  # third central moment below 0
    claim = bound(2, moments=left, n=1000, reading="printed")
    assert claim.delta.upper < 0
    assert any("negative" in flag for flag in claim.flags)


def test_the_printed_theorem_says_nothing_below_its_own_epsilon():
    claim = bound(2, moments=COIN, n=10_000, epsilon="0.01", reading="printed")
    assert not claim.applies
    assert any("c' s / sigma" in reason for reason in claim.reasons)


def test_epsilon_of_one_or_more_is_outside_the_proof():
    claim = bound(2, moments=COIN, n=20, reading="printed")
    assert "epsilon1 < 1" in {h.name for h in claim.hypotheses if h.status is Status.FAILS}


@pytest.mark.parametrize("theorem", [2, 3, 4, 5])
def test_a_sum_that_is_not_known_is_named(theorem):
    adversary = Adversary.of(
        s=1,
        **{2: {}, 3: {"neighbourhood": 2}, 4: {"known": []}, 5: {"neighbourhood": 2, "known": []}}[
            theorem
        ],
    )
    bare = Moments.typed(100, variance=25)
    for reading in Reading:
        claim = bound(theorem, moments=bare, adversary=adversary, reading=reading, epsilon=1)
        assert not claim.applies
        assert any("delta needs" in reason for reason in claim.reasons)
    assert claim.delta.lower == 1


def test_theorem_4_over_given_indexes_is_theorem_2_over_the_rest():
    records = [RecordMoments.from_column([0, i, 2 * i]) for i in range(1, 7)]
    seen = bound(
        4, moments=Moments.of_records(records), adversary=Adversary.of(known=[0, 2]), epsilon=1
    )
    rest = Moments.of_records([records[i] for i in (1, 3, 4, 5)])
    assert seen.delta == bound(2, moments=rest, epsilon=1).delta
    alone = bound(2, moments=Moments.of_records(records), epsilon=1, others_only=True, victim=5)
    assert alone.delta == bound(2, moments=Moments.of_records(records[:5]), epsilon=1).delta


def test_knowing_more_never_lowers_the_corrected_delta():
    deltas = [
        bound(
            4, moments=SKEWED, n=10_000, epsilon="0.1", adversary=Adversary.of(lambda2=known)
        ).delta
        for known in ("0", "0.2", "0.5", "0.9", "0.999")
    ]
    assert [d.upper for d in deltas] == sorted(d.upper for d in deltas)


@cases(
    ({"theorem": 3}, "theorem = 3: need theorem 2 for an adversary of level I"),
    ({"theorem": 7}, "theorem = 7"),
    ({"moments": None}, "exactly one of the two"),
    ({"data": [1, 2]}, "exactly one of the two"),
    ({"n": None}, "n is not given: need a value for n"),
    ({"p": "0.5"}, "no p with theorems 2 to 5"),
    ({"delta": "0.5"}, "no delta"),
    ({"s": 0}, "s = 0"),
    ({"epsilon1": 0}, "epsilon1 = 0"),
    ({"events": "squares"}, "events = squares"),
    ({"k": 0}, "k = 0"),
    ({"epsilon": -1}, "epsilon = -1"),
    ({"n": 1, "others_only": True}, "0 other records"),
)
def test_bad_input_is_named(given, message):
    arguments = {"theorem": 2, "moments": COIN, "n": 100, **given}
    assert message in error_line(InvalidArgument, bound, arguments.pop("theorem"), **arguments)


def test_typed_sums_are_already_over_the_others():
    with pytest.raises(InvalidArgument, match="leave the victim's record out"):
        bound(2, moments=Moments.typed(10, variance=5), others_only=True)
    with pytest.raises(InvalidArgument, match="n = 10, which the moments are sums over"):
        bound(2, moments=Moments.typed(10, variance=5), n=11)


def test_every_statement_has_latex_and_reads_as_json():
    for theorem, reading in product(range(1, 6), Reading):
        text = statement(theorem, reading)
        assert text.latex().count("&=") == len(text.formulas) + len(text.where)
    document = bound(
        5, moments=COIN, n=100, adversary=Adversary.of(lambda1="0.1", lambda2="0.1")
    ).to_dict()
    assert document["delta"] == {"lower": "1", "upper": "1"}
    assert document["events"] == "intervals"
