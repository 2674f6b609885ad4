"""The moves of Algorithm 1 against first principles, and the net they span against the paper."""

from collections import Counter
from fractions import Fraction
from itertools import product

from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from theta_oracles import TABLE_1A, TABLE_4B, TABLE_8A, TABLE_8B, publications, spread

from kproof.models.tables.theta import moves

frequencies = st.lists(st.integers(1, 6), min_size=1, max_size=7)
multisets = st.dictionaries(st.integers(0, 6), st.integers(1, 4), min_size=1)


@given(frequencies)
def test_variance(counts):
    assert moves.variance(dict(enumerate(counts))) == spread(counts)
    assert Fraction(moves.integer_variance(counts), sum(counts) ** 2) == spread(counts)


@given(frequencies, st.integers(1, 20), st.integers(2, 8), st.booleans())
def test_a_class_passes_from_theta_on(counts, twentieths, k, per_class):
    mu = Fraction(twentieths, 20)
    m = sum(counts) if per_class else k
    threshold = moves.Threshold(mu, k, per_class)
    assert threshold.passes(dict(enumerate(counts))) == (spread(counts) >= mu * (m * m - 1) / 12)


def test_equality_passes():
    assert moves.Threshold(Fraction(11, 20), 4).passes({0: 2, 1: 1, 2: 1})
    assert not moves.Threshold(Fraction(11, 20) + Fraction(1, 10**30), 4).passes({0: 2, 1: 1, 2: 1})
    # Floats decide this one wrongly: theta is the variance of (2, 1, 1, 1) exactly.
    assert moves.Threshold(Fraction(17, 25), 5).passes({0: 2, 1: 1, 2: 1, 3: 1})


@given(multisets, multisets)
def test_checks_list_every_choice(one, other):
    top = {v for v in one if all(one[v] >= n for n in one.values())}
    assert moves.most_frequent_values(one) == tuple(sorted(top))
    fresh = [v for v in other if v not in one]
    best = max((other[v] for v in fresh), default=0)
    assert moves.back_check(one, other) == tuple(sorted(v for v in fresh if other[v] == best))
    tops = ({v for v in own if own[v] == max(own.values())} for own in (one, other))
    mine, theirs = tops
    pairs = {(x, y) for x, y in product(mine, theirs) if x not in other and y not in one}
    assert moves.cross_check(one, other) == tuple(sorted(pairs))
    assert list(moves.absent(one, range(7))) == sorted(set(range(7)) - set(one))


@given(multisets, multisets)
def test_swaps_keep_records_and_raise_the_receiver(receiver, donor):
    before = (dict(receiver), dict(donor))
    for x in moves.most_frequent_values(receiver):
        for y in moves.back_check(receiver, donor):
            new, left = moves.swap(receiver, donor, x, y)
            assert Counter(new) + Counter(left) == Counter(receiver) + Counter(donor)
            assert sum(new.values()) == sum(receiver.values())
            assert min(new.values()) > 0
            assert min(left.values(), default=1) > 0
            repeated = receiver[x] > 1
            assert (moves.variance(new) > moves.variance(receiver)) == repeated
            assert repeated or moves.variance(new) == moves.variance(receiver)
    for x, y in moves.cross_check(receiver, donor):
        _, left = moves.swap(receiver, donor, x, y)
        assert moves.variance(left) >= moves.variance(donor)
    assert (receiver, donor) == before


@given(multisets, st.integers(0, 6))
def test_noise_adds_one_row(values, value):
    before = dict(values)
    assert Counter(moves.add_noise(values, value)) == Counter(values) + Counter([value])
    assert values == before


@given(st.integers(2, 6), st.data())
def test_reinforcement_reaches_whatever_can_be_reached(domain, data):
    counts = sorted(
        data.draw(st.lists(st.integers(1, 6), min_size=domain, max_size=domain)), reverse=True
    )
    k = data.draw(st.integers(2, 7))
    largest = min(Fraction(1), Fraction((2 * domain - 1) ** 2, 36) * 12 / (k * k - 1))
    mu = largest * data.draw(st.fractions(0, 1).filter(lambda share: share > 0))
    added = moves.reinforcement(tuple(counts), moves.Threshold(mu, k))
    assert min(added) >= 0
    total = [was + more for was, more in zip(counts, added, strict=True)]
    assert spread(total) >= mu * (k * k - 1) / 12


def test_reinforcement_attains_the_supremum():
    # 25/36 = theta(4, 5/9) is attained by (8, 5, 5) and its multiples only.
    added = moves.reinforcement((2, 1, 1), moves.Threshold(Fraction(5, 9), 4))
    assert spread([2 + added[0], 1 + added[1], 1 + added[2]]) == Fraction(25, 36)


@cases((TABLE_1A, TABLE_8A), (TABLE_4B, TABLE_8B), ids=["8a", "8b"])
def test_the_papers_outcome_is_reachable(start, printed):
    domain = {value for values in TABLE_1A for value in values}
    found = publications(start, Fraction(3, 4), domain)
    assert tuple(tuple(sorted(values)) for values in printed) in found
