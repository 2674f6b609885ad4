"""What an answer rests on: decided where the input decides it, conditional where it does not.

The oracle lists every outcome of every record, conditions by counting, and shares no code with
the laws.
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise, product
from math import prod

import mpmath
import networkx as nx
import numpy as np
import pytest
from cases import cases, error_line
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from oracles import as_fraction, both_ways, delta_all, delta_half_lines, delta_intervals

from kproof.errors import InvalidArgument
from kproof.theory.laws import (
    Block,
    FiniteLattice,
    IndependentBlocks,
    IndependentSum,
    MarkovChain,
    PoissonBinomial,
)
from kproof.theory.reading import Reading
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.api import bound
from kproof.theory.theorems.bounds import ALL, HALF_LINES, Status
from kproof.theory.theorems.comparison import Standing, compare
from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.record_moments import RecordMoments

COIN = RecordMoments.of(*["1/2"] * 4)
XOR = {(0, 0, 0): "1/4", (0, 1, 1): "1/4", (1, 0, 1): "1/4", (1, 1, 0): "1/4"}
TWINS = {(0, 0): "1/2", (1, 1): "1/2"}


def status(claim, name):
    """Return what is known of one hypothesis, None if the claim has none of that name."""
    return next((h.status for h in claim.hypotheses if h.name == name), None)


# Laws beside moments


@cases(
    (["1/10"] * 100 + ["1/5"] * 100, "need a law of 100 records, as the moments are, not of"),
    (["1/2"] * 99 + ["1/3"], "need a law of records whose sum of variance is that of the"),
)
def test_a_law_of_other_records_vouches_for_nothing(chances, message):
    # The first has the variance of a hundred coins.
    with pytest.raises(InvalidArgument, match=message):
        bound(2, moments=COIN, n=100, epsilon="0.5", law=PoissonBinomial(chances))
    given = IndependentSum([FiniteLattice({0: "1/5", "5/4": "4/5"})] * 100)
    with pytest.raises(InvalidArgument, match="whose sum of third is that of the moments"):
        bound(2, moments=COIN, n=100, epsilon="0.5", law=given)


def test_a_law_of_the_records_decides_what_they_depend_on():
    found = bound(2, moments=COIN, n=100, epsilon="0.5", law=PoissonBinomial(["1/2"] * 100))
    assert status(found, "independent records") is Status.HOLDS
    assert found.holds


# Records that depend on one another


def test_xor_triples_are_not_independent_however_their_variances_add_up():
    law = IndependentBlocks([Block(XOR)], counts=[4000])
    found = compare(2, moments=Moments.from_law(law), epsilon="0.5")
    claim = found.bounds[Reading.CORRECTED]
    assert claim.delta.lower == 1
    assert claim.events != ALL
    assert status(claim, "independent records") is Status.FAILS
    assert status(claim, "log-concave records") is None
    assert found.exact.lower == 1
    assert found.standing("corrected") is Standing.INAPPLICABLE


@pytest.mark.parametrize("names", [["independence"], ["independence", "log-concavity"]])
def test_what_a_law_contradicts_cannot_be_assumed(names):
    law = IndependentBlocks([Block(XOR)], counts=[40])
    claim = bound(2, moments=Moments.from_law(law), epsilon="0.5", assume=names)
    assert not claim.applies
    assert claim.delta.lower == 1
    beside = compare(2, moments=COIN, n=120, law=law, epsilon="0.5", assume=names)
    assert beside.standing("corrected") is Standing.INAPPLICABLE


def test_chains_are_independent_only_where_they_forget():
    tied = MarkovChain(["1/2", "1/2"], [["2/3", "1/3"], ["1/3", "2/3"]], values=[0, 1], n=20)
    free = MarkovChain(["1/4", "3/4"], [["2/3", "1/3"]] * 2, values=[0, 1], n=20)
    for law, expected in ((tied, Status.FAILS), (free, Status.HOLDS)):
        claim = bound(2, moments=Moments.from_law(law), epsilon=1)
        assert status(claim, "independent records") is expected
    assert bound(2, moments=Moments.from_law(free), epsilon=1).holds


def test_a_chain_may_be_tied_without_being_correlated():
    """From 0 to 0 and from the ends to either end: the mean of the next is always 0."""
    ends, still = ["1/2", 0, "1/2"], [0, 1, 0]
    law = MarkovChain(["1/4", "1/2", "1/4"], [ends, still, ends], values=[-1, 0, 1], n=50)
    found = compare(2, moments=Moments.from_law(law), epsilon=1, assume=["independence"])
    claim = found.bounds[Reading.CORRECTED]
    detail = next(h.detail for h in claim.hypotheses if h.name == "independent records")
    assert "MarkovChain" in detail
    assert found.standing("corrected") is Standing.INAPPLICABLE
    assert found.exact.lower > Fraction(1, 2)


def test_blocks_of_independent_records_are_seen_to_be():
    pair = {(a, b): Fraction(1, 6) for a in (0, 1) for b in (0, 1, 2)}
    claim = bound(2, moments=Moments.from_law(IndependentBlocks([pair], counts=[30])), epsilon=1)
    assert claim.holds
    assert status(claim, "independent records") is Status.HOLDS


# Neighbourhoods


def test_an_impossible_neighbourhood_fails_for_a_law_and_for_sums():
    copies = IndependentBlocks([Block({(0,) * 3000: "1/2", (1,) * 3000: "1/2"})])
    typed = Moments.typed(
        3000, variance=750, variance_of_sum=2_250_000, absolute_third=375, fourth=Fraction(375, 2)
    )
    for moments in (Moments.from_law(copies), typed):
        adversary = Adversary.of(neighbourhood=1)
        claim = bound(
            3, moments=moments, adversary=adversary, epsilon="0.5", assume=["dependency-graph"]
        )
        assert status(claim, "dependency graph") is Status.FAILS
        assert claim.delta.lower == 1
    enough = bound(3, moments=typed, adversary=Adversary.of(neighbourhood=3000), epsilon="0.5")
    assert status(enough, "dependency graph") is Status.HOLDS


def test_a_graph_is_decided_by_the_law_that_is_there():
    moments = Moments.from_law(IndependentBlocks([Block(XOR)], counts=[3]))
    path = nx.Graph([(3 * i + j, 3 * i + j + 1) for i in range(3) for j in range(2)])
    single = nx.Graph([(3 * i, 3 * i + 1) for i in range(3)])
    single.add_nodes_from(range(9))
    for graph, expected in ((path, Status.HOLDS), (single, Status.FAILS)):
        claim = bound(3, moments=moments, adversary=Adversary.of(dependency=graph), epsilon=1)
        assert status(claim, "dependency graph") is expected
    for size, expected in ((3, Status.HOLDS), (2, Status.FAILS)):
        claim = bound(3, moments=moments, adversary=Adversary.of(neighbourhood=size), epsilon=1)
        assert status(claim, "dependency graph") is expected


masses = st.lists(st.integers(0, 4), min_size=8, max_size=8).filter(any)


@settings(max_examples=60, deadline=None)
@given(masses, st.sets(st.sampled_from([(0, 1), (0, 2), (1, 2)])))
def test_a_graph_on_three_bits_is_one_of_dependency_by_counting(weights, edges):
    outcomes = list(product((0, 1), repeat=3))
    joint = {o: Fraction(w, sum(weights)) for o, w in zip(outcomes, weights, strict=True) if w}
    near = {i: {i} | {j for e in edges for j in e if i in e} for i in range(3)}

    def shared(places):
        counts = Counter()
        for outcome, mass in joint.items():
            counts[tuple(outcome[p] for p in places)] += mass
        return counts

    apart = [
        (a, b)
        for a in ([0], [1], [2], [0, 1], [0, 2], [1, 2])
        for b in ([0], [1], [2], [0, 1], [0, 2], [1, 2])
        if not set(b) & set().union(*(near[i] for i in a))
    ]
    independent = all(
        shared(a + b)[x + y] == shared(a)[x] * shared(b)[y]
        for a, b in apart
        for x in product((0, 1), repeat=len(a))
        for y in product((0, 1), repeat=len(b))
    )
    assert Block(joint).admits(edges) is independent


@settings(max_examples=60, deadline=None)
@given(masses)
def test_no_graph_on_three_bits_has_less_than_the_neighbourhood_said(weights):
    outcomes = list(product((0, 1), repeat=3))
    block = Block({o: Fraction(w, sum(weights)) for o, w in zip(outcomes, weights, strict=True)})
    pairs = [(0, 1), (0, 2), (1, 2)]
    sizes = []
    for chosen in product((False, True), repeat=3):
        edges = [e for e, there in zip(pairs, chosen, strict=True) if there]
        if block.admits(edges):
            sizes.append(1 + max(Counter(i for e in edges for i in e).values(), default=0))
    assert min(sizes) == block.neighbourhood


def test_uncorrelated_records_are_owed_and_cannot_be_assumed_against_the_variance():
    who = Adversary.of(neighbourhood=2)
    open_ = bound(3, moments=COIN, n=10**8, adversary=who, epsilon=1)
    assert {h.name for h in open_.owed} == {"dependency graph", "uncorrelated records"}
    sums = {"variance": 25, "variance_of_sum": 40, "absolute_third": 30, "fourth": 40}
    assume = ["uncorrelated", "dependency-graph"]
    against = bound(3, moments=Moments.typed(100, **sums), adversary=who, epsilon=1, assume=assume)
    assert status(against, "uncorrelated records") is Status.FAILS


# Known records


def test_known_coins_leave_the_moments_of_a_law():
    coins = Moments.from_law(PoissonBinomial(["1/2"] * 100))
    found = compare(4, moments=coins, epsilon="0.5", adversary=Adversary.of(known=range(99)))
    assert found.bounds[Reading.CORRECTED].parameters["n"] == "1"
    assert float(found.exact) == pytest.approx(0.5)
    assert found.bounds[Reading.CORRECTED].delta.upper >= found.exact.lower
    fraction = bound(4, moments=coins, epsilon="0.5", adversary=Adversary.of(lambda2="0.99"))
    assert fraction.parameters["n"] == "1"


def test_known_records_that_others_depend_on_need_their_values():
    law = IndependentBlocks([TWINS], counts=[50])
    who = Adversary.of(known=[0], dependency=law.dependency())
    with pytest.raises(InvalidArgument, match=r"known = 0: need their values, Moments.from_law"):
        bound(5, moments=Moments.from_law(law), adversary=who, epsilon=1)
    told = bound(5, moments=Moments.from_law(law.given({0: 1})), adversary=who, epsilon=1)
    assert status(told, "conditional moments") is Status.HOLDS
    assert told.parameters["n"] == "99"
    moments = Moments.from_law(law)
    with pytest.raises(InvalidArgument, match="the indexes of the known records"):
        bound(5, moments=moments, adversary=Adversary.of(lambda2="0.1", neighbourhood=2), epsilon=1)


def test_a_fixed_victim_leaves_the_moments_of_a_law():
    law = IndependentSum([FiniteLattice({0: "1/2", 1: "1/2"}), FiniteLattice({0: "1/3", 1: "2/3"})])
    claim = bound(2, moments=Moments.from_law(law), epsilon=1, others_only=True, victim=1)
    assert claim.parameters["variance"].startswith("0.25")
    twins = Moments.from_law(IndependentBlocks([TWINS]))
    with pytest.raises(InvalidArgument, match="need their values"):
        bound(2, moments=twins, epsilon=1, others_only=True, victim=0)


# Moments and laws that contradict each other


@cases({0: "1/2", 2: "1/2"}, {0: "1/3", 1: "2/3"}, {-1: "1/8", 0: "1/4", 1: "5/8"}, ids=str)
def test_a_law_with_other_moments_than_its_record_is_refused(law):
    with pytest.raises(InvalidArgument, match="a law with the moments of the record"):
        Moments.iid(COIN, n=100, law=FiniteLattice(law))
    assert Moments.iid(COIN, n=100, law=FiniteLattice({0: "1/2", 1: "1/2"})).n == 100


def test_a_law_of_the_sum_with_another_variance_is_refused():
    dice = FiniteLattice(dict.fromkeys(range(1, 7), "1/6"))
    typed = Moments.typed(10, variance=5, variance_of_sum=5, absolute_third=9)
    with pytest.raises(InvalidArgument, match="the variance of the moments"):
        compare(2, moments=typed, law=IndependentSum([dice], counts=[10]), epsilon=1)


def test_nobody_is_a_bernoulli_record_by_saying_so():
    with pytest.raises(InvalidArgument, match="bernoulli = True"):
        Moments(n=100, variance=Fraction(25), absolute_third=Fraction(25), bernoulli=True)


def test_two_values_that_the_shift_steps_between_are_not_log_concave_on_any_word():
    apart = RecordMoments.of(1, 2, 4, 8)  # 0 or 2
    names = ["independence", "log-concavity"]
    claim = bound(2, moments=apart, n=10**6, epsilon=1, s=1, assume=names)
    assert status(claim, "log-concave records") is Status.FAILS
    assert claim.delta.lower == 1
    aligned = bound(2, moments=apart, n=10**6, epsilon=1, s=2, assume=names)
    assert status(aligned, "log-concave records") is Status.ASSUMED


# Words


def test_an_owed_hypothesis_is_conditional_in_every_form():
    claim = bound(2, moments=COIN, n=10_000, epsilon="0.5")
    assert (claim.applies, claim.holds) == (True, False)
    assert str(claim).endswith("conditional on independent records")
    assert "conditional on independent records" in claim._repr_html_()
    assert claim.to_dict()["conditional_on"] == ["independent records"]
    found = compare(2, moments=COIN, n=10_000, epsilon="0.5")
    assert found.standing("corrected") is Standing.CONDITIONAL
    said = compare(2, moments=COIN, n=10_000, epsilon="0.5", assume=("independence",))
    assert said.standing("corrected") is Standing.ASSUMED
    assert said.bounds[Reading.CORRECTED].holds
    assert str(said.bounds[Reading.CORRECTED]).endswith("assuming independent records: your word")
    law = compare(2, moments=Moments.from_law(PoissonBinomial(["1/2"] * 100)), epsilon="0.5")
    assert law.standing("corrected") is Standing.SOUND


@pytest.mark.parametrize("name", ["corrected", "printed", Reading.DERIVED])
def test_a_reading_may_be_named(name):
    found = compare(1, n=60, p="0.71", k=33, epsilon="0.9")
    assert found.standing(name) is found.standing(Reading(name))
    assert found.claimed(name) == found.claimed(Reading(name))
    assert found.ratio(name) == found.ratio(Reading(name))
    assert "reading = fixed" in error_line(InvalidArgument, found.standing, "fixed")


# No corrected bound below the truth


def weighted(weights, keys):
    total = sum(weights)
    return {key: Fraction(w, total) for key, w in zip(keys, weights, strict=True) if w}


def shares(count):
    return st.lists(st.integers(0, 5), min_size=count, max_size=count).filter(any)


def copies(block, times):
    """Return the joint law of independent copies of a block, by listing."""
    joint = {(): Fraction(1)}
    for _ in range(times):
        joint = {a + b: p * q for a, p in joint.items() for b, q in block.items()}
    return joint


@st.composite
def worlds(draw):
    """Return a law of records and the probability of each outcome, made apart from each other."""
    kind = draw(st.sampled_from(["independent", "iid", "blocks", "chain"]))
    if kind in ("independent", "iid"):
        different = 1 if kind == "iid" else draw(st.integers(1, 4))
        laws = [weighted(draw(shares(3)), (0, 1, 3)) for _ in range(different)]
        times = draw(st.integers(1, 5)) if kind == "iid" else 1
        joint = {
            tuple(x for x, _ in atoms): prod((m for _, m in atoms), start=Fraction(1))
            for atoms in product(*(law.items() for law in laws * times))
        }
        return IndependentSum([FiniteLattice(law) for law in laws], counts=[times] * different), (
            joint
        )
    if kind == "blocks":
        block = weighted(draw(shares(8)), list(product((0, 1), repeat=3)))
        times = draw(st.integers(1, 2))
        return IndependentBlocks([block], counts=[times]), copies(block, times)
    rows = [weighted(draw(shares(2)), (0, 1)) for _ in range(3)]
    n = draw(st.integers(1, 5))
    matrix = [[row.get(0, 0), row.get(1, 0)] for row in rows]
    joint = {
        path: prob
        for path in product((0, 1), repeat=n)
        if (
            prob := rows[0].get(path[0], Fraction(0))
            * prod((rows[1 + a].get(b, Fraction(0)) for a, b in pairwise(path)), start=Fraction(1))
        )
    }
    return MarkovChain(matrix[0], matrix[1:], values=[0, 1], n=n), joint


def independent(joint):
    """Say whether an outcome's probability is always the product of its records'."""
    size = len(next(iter(joint)))
    single = [Counter() for _ in range(size)]
    for outcome, mass in joint.items():
        for place, value in enumerate(outcome):
            single[place][value] += mass
    return all(
        joint.get(outcome, Fraction(0))
        == prod((single[i][v] for i, v in enumerate(outcome)), start=Fraction(1))
        for outcome in product(*single)
    )


MEASURES = {ALL: delta_all, HALF_LINES: delta_half_lines}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds(), st.data())
def test_no_corrected_bound_is_below_the_truth(world, data):
    law, joint = world
    n = len(next(iter(joint)))
    known = data.draw(st.sets(st.integers(0, n - 1), max_size=n - 1), label="known")
    told = data.draw(st.sampled_from(sorted(joint)), label="outcome")
    size = data.draw(st.none() | st.integers(1, n), label="neighbourhood")
    epsilon = data.draw(st.fractions(0, 2, max_denominator=10), label="epsilon")
    shift = data.draw(st.integers(1, 3), label="shift")
    events = data.draw(st.sampled_from(["half-lines", "intervals"]), label="events")
    left = {o: m for o, m in joint.items() if all(o[i] == told[i] for i in known)}
    unknown = [i for i in range(n) if i not in known]
    conditional, total = Counter(), Counter()
    for outcome, mass in left.items():
        conditional[tuple(outcome[i] for i in unknown)] += mass / sum(left.values())
        total[Fraction(sum(outcome[i] for i in unknown))] += mass / sum(left.values())
    adversary = Adversary.of(s=shift, neighbourhood=size, known=known or None)
    names = ["dependency-graph", "uncorrelated"] if size else ["independence", "log-concavity"]
    given = law.given({i: told[i] for i in known}) if known else law
    claim = bound(
        adversary.theorem,
        moments=Moments.from_law(given),
        adversary=adversary,
        k=1,
        epsilon=epsilon,
        events=events,
        assume=data.draw(st.sampled_from([(), names])),
    )
    assert not claim.owed
    measure = MEASURES.get(claim.events, delta_intervals)
    with mpmath.workdps(40):
        truth = as_fraction(both_ways(measure, dict(total), Fraction(shift), epsilon))
    assert Fraction(claim.delta.upper) >= truth - Fraction(1, 10**30)
    if size is None and not independent(dict(conditional)):
        assert status(claim, "independent records") is Status.FAILS
        assert claim.delta.lower == 1
    if known and independent(joint):
        # What is known of independent records need not be told.
        plain = bound(
            adversary.theorem,
            moments=Moments.from_law(law),
            adversary=adversary,
            k=1,
            epsilon=epsilon,
            events=events,
        )
        assert Fraction(plain.delta.upper) >= truth - Fraction(1, 10**30)


@settings(max_examples=60, deadline=None)
@given(worlds(), st.fractions(0, 2, max_denominator=10))
def test_a_promise_that_is_true_leads_to_no_bound_below_the_truth(world, epsilon):
    """Marginal moments alone: conditional, and right wherever what it is conditional on is true."""
    law, joint = world
    size = len(next(iter(joint)))
    records = []
    for place in range(size):
        single = Counter()
        for outcome, mass in joint.items():
            single[Fraction(outcome[place])] += mass
        records.append(RecordMoments.from_pairs(single.items()))
    moments = Moments.of_records(records)
    assume(moments.variance > 0)
    open_ = bound(2, moments=moments, epsilon=epsilon, k=1)
    assert not open_.holds
    assert [h.name for h in open_.owed] == ["independent records"]
    found = compare(2, moments=moments, law=law, epsilon=epsilon, k=1, assume=["independence"])
    claim = found.bounds[Reading.CORRECTED]
    if not independent(joint):
        assert found.standing("corrected") is Standing.INAPPLICABLE
    elif claim.events == ALL:
        assert Fraction(claim.delta.upper) >= Fraction(found.exact.lower)


def summed(groups):
    """Return the masses of a sum of independent groups of records, by repeated convolution."""
    total = np.array([1.0])
    for law, count in groups:
        for _ in range(count):
            total = np.convolve(total, law)
    return total


def least_delta(masses, shift, epsilon, events):
    """Return the least delta of floats: for every event, for intervals, or for half-lines."""
    room = np.zeros(shift)
    pairs = [np.append(masses, room), np.append(room, masses)]
    found = 0.0
    for one, other in (pairs, pairs[::-1]):
        gain = one - math.exp(epsilon) * other
        ends = np.append(0, np.cumsum(gain))
        if events == ALL:
            found = max(found, gain[gain > 0].sum())
        elif events == HALF_LINES:
            found = max(found, ends.max(), (ends[-1] - ends).max())
        else:
            found = max(found, (ends - np.minimum.accumulate(ends)).max())
    return found


many = st.lists(
    st.tuples(
        st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(lambda w: sum(map(bool, w)) > 1),
        st.integers(80, 400),
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    many,
    st.integers(1, 3),
    st.sampled_from(["half-lines", "intervals"]),
    st.floats(0, 1),
    st.data(),
)
def test_where_corrected_bounds_say_something_they_are_not_below_the_truth(
    groups, shift, events, epsilon, data
):
    laws = [
        FiniteLattice({x: Fraction(w, sum(weights)) for x, w in enumerate(weights) if w})
        for weights, _ in groups
    ]
    counts = [count for _, count in groups]
    known = data.draw(st.sets(st.integers(0, counts[0] - 1), max_size=40), label="known")
    claim = bound(
        4 if known else 2,
        moments=Moments.from_law(IndependentSum(laws, counts=counts)),
        adversary=Adversary.of(s=shift, known=known or None),
        epsilon=repr(epsilon),
        events=events,
    )
    # Hypothesis complains if too few draws are left; a bound of 1 would be no test at all.
    assume(claim.delta.upper < 1)
    floats = [np.array(weights) / sum(weights) for weights, _ in groups]
    left = [counts[0] - len(known), *counts[1:]]
    truth = least_delta(summed(zip(floats, left, strict=True)), shift, epsilon, claim.events)
    assert claim.holds
    assert float(claim.delta.upper) >= truth - 1e-9


def test_records_without_neighbours_have_the_variance_of_independent_ones():
    moments = {"variance": "1/4", "absolute_third": "1/8", "fourth": "1/16"}
    n = 10**12
    sums = {name: Fraction(value) * n for name, value in moments.items()}
    for variance_of_sum, status in ((n // 5, Status.FAILS), (n // 4, Status.HOLDS)):
        typed = Moments.typed(n, **sums, variance_of_sum=variance_of_sum)
        adversary = Adversary.of(s=1, neighbourhood=1)
        found = bound(
            3, moments=typed, adversary=adversary, epsilon="0.5", assume=("dependency-graph",)
        )
        assert found.holds is (status is Status.HOLDS)
        failing = [h.name for h in found.hypotheses if h.status is Status.FAILS]
        assert failing == (["dependency graph"] if status is Status.FAILS else [])
