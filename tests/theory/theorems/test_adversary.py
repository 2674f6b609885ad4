"""Table II: what is known makes the level; dependency graphs are validated."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import networkx as nx
import pytest
from cases import cases, error_line

from kproof.errors import InvalidArgument
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.dependency import largest_neighbourhood, validate_graph


@cases(
    ({}, "I", 2),
    ({"lambda1": "0.1"}, "II", 3),
    ({"neighbourhood": 3}, "II", 3),
    ({"dependency": nx.path_graph(4)}, "II", 3),
    ({"lambda2": "0.1"}, "III", 4),
    ({"known": [0, 3]}, "III", 4),
    ({"lambda1": 0, "lambda2": 0}, "IV", 5),
    ({"dependency": nx.path_graph(4), "known": [1]}, "IV", 5),
)
def test_table_ii(knowledge, level, theorem):
    adversary = Adversary.of(s=1, **knowledge)
    assert (adversary.level, adversary.theorem) == (level, theorem)
    assert adversary.parameters()["level"] == level


def test_a_fraction_counts_whole_records_upward():
    assert Adversary.of(lambda2="0.25").unknown(10) == 7
    assert Adversary.of(lambda2=0).unknown(10) == 10
    assert Adversary.of(known=[1, 2, 2]).unknown(10) == 8
    assert Adversary.of(lambda1="0.25").largest_neighbourhood(10) == 3
    assert Adversary.of(lambda1=0).largest_neighbourhood(10) == 1
    assert Adversary.of(lambda1=1, lambda2="0.5").largest_neighbourhood(10) == 5
    assert Adversary.of(neighbourhood=4).largest_neighbourhood(3) == 3
    assert Adversary.of().largest_neighbourhood(10) == 1


def test_neighbourhoods_of_a_graph():
    graph = nx.star_graph(5)
    assert Adversary.of(dependency=graph).largest_neighbourhood(6) == 6
    # The hub's value ties its leaves together.
    assert Adversary.of(dependency=graph, known=[0]).largest_neighbourhood(6) == 5
    assert largest_neighbourhood(validate_graph(nx.Graph([(0, 0), (0, 1), (1, 1)]), n=2)) == 2


@cases(
    ({"s": 0}, "s = 0: need s > 0"),
    ({"lambda1": "1.1"}, "lambda1 = 1.1: need 0 <= lambda1 <= 1"),
    ({"lambda2": 1}, "lambda2 = 1: need 0 <= lambda2 < 1"),
    ({"neighbourhood": 0}, "neighbourhood = 0"),
    ({"lambda1": "0.1", "neighbourhood": 2}, "only one of these"),
    ({"lambda2": "0.1", "known": [1]}, "only one of these"),
    ({"known": [-1]}, "known = -1"),
    ({"s": float("nan")}, "s = nan"),
)
def test_bad_knowledge_is_named(knowledge, message):
    assert message in error_line(InvalidArgument, Adversary.of, **knowledge)


@cases(
    (nx.DiGraph([(0, 1), (1, 2)]), "undirected"),
    (nx.MultiGraph([(0, 1), (0, 1), (1, 2)]), "a simple networkx.Graph"),
    (nx.path_graph(2), "record 2 is missing"),
    (nx.Graph([(0, 1), (1, 7)]), "dependency node = 7"),
    (nx.Graph([("a", "b")]), "dependency node = a"),
    ({0: [1]}, "a networkx.Graph"),
)
def test_a_graph_that_is_no_dependency_graph_is_refused(graph, message):
    assert message in error_line(InvalidArgument, validate_graph, graph, n=3)


def test_someone_must_be_unknown():
    with pytest.raises(InvalidArgument, match="3 of 3 records"):
        Adversary.of(known=[0, 1, 2]).unknown(3)
    with pytest.raises(InvalidArgument, match="0 to 2"):
        Adversary.of(known=[5]).unknown(3)
    assert Adversary.of(lambda2="0.9999").s == Fraction(1)


def sums_of_coins(graph: nx.Graph) -> Counter[tuple[int, ...]]:
    """Return the joint law of records that each add up the coins on their edges.

    Sets of records without an edge between them share no coin, so that the graph is one of
    dependency.
    """
    edges = list(graph.edges)
    law: Counter[tuple[int, ...]] = Counter()
    for coins in product((0, 1), repeat=len(edges)):
        law[
            tuple(sum(c for c, e in zip(coins, edges, strict=True) if node in e) for node in graph)
        ] += 1
    return law


def tied_in_pairs(graph: nx.Graph, known: tuple[int, ...]) -> int:
    """Return the largest number of records that one depends on in pairs, some values known."""
    law = sums_of_coins(graph)
    free = [node for node in graph if node not in known]
    ties = {node: {node} for node in free}
    for told in {tuple(values[node] for node in known) for values in law}:
        left = {v: w for v, w in law.items() if tuple(v[node] for node in known) == told}
        total = sum(left.values())
        for one, other in combinations(free, 2):
            pairs: Counter[tuple[int, int]] = Counter()
            first: Counter[int] = Counter()
            second: Counter[int] = Counter()
            for values, weight in left.items():
                pairs[values[one], values[other]] += weight
                first[values[one]] += weight
                second[values[other]] += weight
            if any(pairs[a, b] * total != first[a] * second[b] for a in first for b in second):
                ties[one].add(other)
                ties[other].add(one)
    return max(map(len, ties.values()))


@cases(
    (nx.path_graph(3), (1,)),
    (nx.path_graph(5), (1, 3)),
    (nx.path_graph(5), (1, 2)),
    (nx.star_graph(4), (0,)),
    (nx.cycle_graph(5), (0, 2)),
    (nx.Graph([(0, 1), (1, 2), (3, 4)]), (1, 4)),
    ids=str,
)
def test_what_is_known_ties_others_together(graph, known):
    assert tied_in_pairs(graph, known) == largest_neighbourhood(graph, known)
    restricted = graph.subgraph(set(graph) - set(known))
    assert largest_neighbourhood(graph, known) >= largest_neighbourhood(restricted)
