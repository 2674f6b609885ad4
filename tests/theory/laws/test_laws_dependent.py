"""Chains and blocks: independence where it must appear, conditioning, dependency graphs."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import networkx as nx
import pytest
from cases import cases
from flint import arb

from kproof.errors import InvalidArgument, TooLarge
from kproof.theory.exact.precision import use_bits
from kproof.theory.laws import Block, FiniteLattice, IndependentBlocks, MarkovChain, iid

STICKY = [["9/10", "1/10"], ["2/10", "8/10"]]


def counted(tenths: Sequence[Sequence[int]], n: int, known: dict[int, int]) -> list[int]:
    """Return weights of the sum of unknown records of a 0/1 chain, by recursion over whole numbers.

    The chain starts in either state with equal weight.
    """
    table = [[1], [1]] if 0 in known else [[1, 0], [0, 1]]
    if 0 in known:
        table[1 - known[0]] = [0]
    for time in range(1, n):
        moved = [
            [tenths[0][s] * a + tenths[1][s] * b for a, b in zip(*table, strict=True)]
            for s in (0, 1)
        ]
        if time in known:
            moved[1 - known[time]] = [0] * len(moved[0])
            table = moved
        else:
            table = [[*moved[0], 0], [0, *moved[1]]]
    return [a + b for a, b in zip(*table, strict=True)]


@pytest.mark.parametrize("tail", ["0", "1e-25"])
@pytest.mark.parametrize("known", [{}, {0: 1}, {i: i // 9 % 2 for i in range(0, 240, 4)}])
def test_a_long_chain_by_recursion(known, tail):
    n = 240
    weights = counted([[9, 1], [2, 8]], n, known)
    total = sum(weights)
    law = MarkovChain(["1/2", "1/2"], STICKY, [0, 1], n)
    with use_bits(128):
        law = law.given(known) if known else law
        window = law.window(arb(tail))
        assert window.dropped <= arb(tail)
        for index, ball in enumerate(window.masses, start=window.start):
            assert (ball * total).contains(weights[index])
        listed = sum(weights[window.start : window.start + len(window.masses)])
        assert arb(total - listed) / total <= window.dropped
        assert tail != "0" or min(ball.rel_accuracy_bits() for ball in window.masses) > 100
        mean = Fraction(sum(i * w for i, w in enumerate(weights)), total)
        square = Fraction(sum(i * i * w for i, w in enumerate(weights)), total) - mean**2
        assert (law.mean() * mean.denominator).contains(mean.numerator)
        assert (law.variance() * square.denominator).contains(square.numerator)
        assert law.variance().rel_accuracy_bits() > 110


def test_a_chain_with_equal_rows_is_independent():
    row = ["1/5", "3/10", "1/2"]
    law = MarkovChain(row, [row] * 3, [0, 2, 3], 50)
    same = iid(FiniteLattice({0: "1/5", 2: "3/10", 3: "1/2"}), 50)
    with use_bits(128):
        assert law.points == same.points
        for one, other in zip(law.window(arb(0)).masses, same.window(arb(0)).masses, strict=True):
            assert one.overlaps(other)
        assert law.variance().overlaps(same.variance())


def test_marginals_given_the_neighbours():
    law = MarkovChain([1, 0], STICKY, [0, 1], 4).given({2: 1})
    with use_bits(128):
        first, second, last = law.marginals()
    assert [value for value, _ in first] == [0]
    assert first[0][1].contains(1)
    # Pr[X1 = 1 | X0 = 0, X2 = 1] = 1/10 8/10 / (1/10 8/10 + 9/10 1/10)
    assert [value for value, _ in second] == [0, 1]
    assert (second[1][1] * 17).contains(8)
    assert (last[1][1] * 10).contains(8)


def test_a_known_state_cuts_the_chain_and_a_shared_value_does_not():
    matrix = [["1/2", "1/4", "1/4"], ["1/3", "1/3", "1/3"], ["1/4", "1/4", "1/2"]]
    law = MarkovChain(matrix[1], matrix, [0, 1, 1], 7)
    assert nx.utils.graphs_equal(law.dependency(), nx.complete_graph(7))
    state = law.given({3: 0}).dependency()
    assert sorted(map(sorted, nx.connected_components(state))) == [[0, 1, 2], [4, 5, 6]]
    assert set(law.given({3: 1}).dependency().edges) == set(combinations([0, 1, 2, 4, 5, 6], 2))


def test_a_shared_value_cuts_where_only_one_state_is_possible():
    forced = [[0, 1, 0], [0, "1/2", "1/2"], ["1/2", 0, "1/2"]]
    law = MarkovChain([1, 0, 0], forced, [0, 1, 1], 4).given({1: 1})
    assert not law.dependency().has_edge(0, 2)
    assert law.dependency().has_edge(2, 3)


def test_a_value_told_apart_by_the_future_cuts_the_chain_too():
    # Only state 2 leads to the value 5 of state 3.
    matrix = [["1/3", "1/3", "1/3", 0], ["1/2", "1/2", 0, 0], [0, 0, "1/2", "1/2"], [0, 0, 0, 1]]
    law = MarkovChain(["1/2", "1/2", 0, 0], matrix, [0, 1, 1, 5], 6)
    known = law.given({2: 1, 4: 5})
    assert sorted(map(sorted, nx.connected_components(known.dependency()))) == [[0, 1], [3], [5]]
    values = [[value for value, _ in pairs] for pairs in known.marginals()]
    assert values == [[0, 1], [0, 1], [1, 5], [5]]
    assert nx.number_connected_components(law.given({2: 1}).dependency()) == 1


def test_evidence_accumulates():
    law = MarkovChain(["1/2", "1/2"], STICKY, [0, 1], 6)
    at_once, in_turn = law.given({1: 0, 4: 1}), law.given({4: 1}).given({1: 0})
    assert at_once.records == in_turn.records == (0, 2, 3, 5)
    for one, other in zip(
        at_once.window(arb(0)).masses, in_turn.window(arb(0)).masses, strict=True
    ):
        assert one.overlaps(other)
    assert law.records == tuple(range(6))


def test_when_the_whole_chain_is_known_nothing_is_left():
    law = MarkovChain(["1/2", "1/2"], STICKY, [0, 1], 2).given({0: 1, 1: 0})
    assert (law.records, law.points, law.marginals()) == ((), 1, [])
    assert law.window(arb(0)).masses[0].contains(1)
    assert law.dependency().number_of_nodes() == 0


@cases(
    ({1: 2}, r"known\[1\] = 2: need a value of positive probability"),
    ({0: 1}, r"known\[0\] = 1: need a value of positive probability"),
    ({1: 1, 2: 1}, r"known = \{1: 1, 2: 1\}: need values of positive probability together"),
    ({5: 0}, "known index = 5: need one of the 5 unknown records"),
    ({1: "x"}, r"known\[1\] = x: need a finite number"),
)
def test_impossible_evidence_is_refused(known, message):
    never_twice = MarkovChain([1, 0], [["1/2", "1/2"], [1, 0]], [0, 1], 5)
    with pytest.raises(InvalidArgument, match=message):
        never_twice.given(known)


def test_improbable_evidence_does_not_spoil_the_window():
    # The evidence has probability 10^-60; what is cut before the division weighs 10^60 times more.
    rare = Fraction(1, 10**20)
    matrix = [[1 - rare, rare], [1 - rare, rare]]
    law = MarkovChain(matrix[0], matrix, [0, 1], 63).given({10: 1, 20: 1, 30: 1})
    with use_bits(128):
        window = law.window(arb("1e-50"))
        assert window.dropped <= arb("1e-50")
        assert abs(window.masses[1] / (60 * arb("1e-20")) - 1) < 1e-15


def test_chains_too_large():
    with pytest.raises(TooLarge, match="needs 10,000,001 points"):
        MarkovChain([1, 0], STICKY, [0, 10_000], 1_000).given({0: 0}) and MarkovChain(
            [1, 0], [[0, 1], [1, 0]], [0, 1], 10**7
        ).window(arb(0))
    with pytest.raises(TooLarge, match=r"dependency graph of .* needs 12,497,500 edges"):
        MarkovChain(["1/2", "1/2"], STICKY, [0, 1], 5_000).dependency()


def test_a_block_conditions_exactly():
    block = Block({(0, 0, 1): "1/4", (0, 1, 1): "1/4", (1, 1, 0): "1/3", (1, 0, 0): "1/6"})
    assert block.marginal(1).exact_mean == Fraction(7, 12)
    assert block.probability({0: 0, 2: 1}) == Fraction(1, 2)
    assert block.given({1: 1}).outcomes == (
        ((Fraction(0), Fraction(1)), Fraction(3, 7)),
        ((Fraction(1), Fraction(0)), Fraction(4, 7)),
    )
    with pytest.raises(InvalidArgument, match=r"known = \{0: 0, 2: 0\}: need values of positive"):
        block.given({0: 0, 2: 0})
    with pytest.raises(InvalidArgument, match="need at most 2 of the records"):
        block.given({0: 0, 1: 0, 2: 1})
    with pytest.raises(InvalidArgument, match="known index = 3: need one of the 3 unknown records"):
        block.given({3: 0})


def test_blocks_keep_their_records_together():
    pair = {(0, 0): "1/2", (1, 1): "1/2"}
    law = IndependentBlocks([pair, Block({(0,): "1/4", (4,): "3/4"})], counts=[2, 2])
    assert law.records == (0, 1, 2, 3, 4, 5)
    assert sorted(law.dependency().edges) == [(0, 1), (2, 3)]
    assert (law.step, law.points) == (2, 7)
    known = law.given({0: 1, 4: 4})
    assert known.records == (1, 2, 3, 5)
    assert known.marginals()[0] == [(Fraction(1), arb(1))]
    assert (known.origin, known.variance()) == (1, 1 + 3)
    with pytest.raises(InvalidArgument, match=r"known = \{2: 0, 3: 1\}: need values of positive"):
        law.given({2: 0, 3: 1})
    assert law.given({2: 0, 3: 0}).records == (0, 1, 4, 5)
    assert law.name == "IndependentBlocks(4 blocks, 6 records)"


def test_equal_blocks_share_their_marginals():
    law = IndependentBlocks([{(0, 1): "1/2", (1, 0): "1/2"}], counts=[300])
    assert len({id(pairs) for pairs in law.marginals()}) == 2
    assert law.variance() == 0
    assert law.window(arb(0)).masses == [1]
    assert law.origin == 300
