"""k-degree anonymity: least additions, and graphs that have the degrees and all friendships."""

from collections import Counter
from itertools import chain, combinations, product
from typing import Any

import networkx as nx
import numpy as np
import pytest
from cases import cases, error_line
from hypothesis import example, given, settings
from hypothesis import strategies as st
from social_graphs import gowalla, graph_of

from kproof.errors import InvalidArgument
from kproof.models.graphs.kdegree import kernel as kdegree_kernel
from kproof.models.graphs.kdegree.method import additions, k_degree, least_anonymous_degrees
from kproof.models.graphs.release import SupergraphRelease
from kproof.models.graphs.social import SocialGraph


def is_anonymous(degrees: Any, k: int) -> bool:
    return min(Counter(degrees).values()) >= k


def as_networkx(release: SupergraphRelease) -> nx.MultiGraph:
    """Return the published graph, with loops and repeated edges if there were any."""
    graph = nx.MultiGraph()
    graph.add_nodes_from(range(len(release.vertices)))
    graph.add_edges_from(release.edges.tolist())
    return graph


def check(release: SupergraphRelease, k: int) -> None:
    """Assert everything that is claimed of a release."""
    published = as_networkx(release)
    simple = nx.Graph(published)
    assert simple.number_of_edges() == published.number_of_edges()
    assert nx.number_of_selfloops(published) == 0
    assert is_anonymous([degree for _, degree in published.degree()], k)
    original = release.graph.friends.edges.tolist()
    assert all(simple.has_edge(*edge) for edge in original)
    assert release.vertices.tolist() == list(range(release.graph.users))
    assert release.edges.tolist() == sorted(release.edges.tolist())


@given(st.lists(st.integers(0, 4), min_size=1, max_size=5), st.integers(1, 5))
@settings(max_examples=200)
def test_no_anonymous_degrees_above_need_less(degrees, k):
    k = min(k, len(degrees))
    found = least_anonymous_degrees(degrees, k).tolist()
    assert all(new >= old for new, old in zip(found, degrees, strict=True))
    assert is_anonymous(found, k)
    every = product(*(range(degree, 5) for degree in degrees))
    assert sum(found) == min(sum(one) for one in every if is_anonymous(one, k))


@given(st.lists(st.integers(0, 60), min_size=2, max_size=24), st.integers(2, 6))
@example([9, 8, 8, 8, 8, 1, 1], 3)
def test_the_least_sum_over_all_ways_to_cut(degrees, k):
    k = min(k, len(degrees))
    falling = sorted(degrees, reverse=True)
    least = {0: 0}
    for end in range(1, len(falling) + 1):
        ways = [
            least[start] + falling[start] * (end - start) - sum(falling[start:end])
            for start in least
            if end - start >= k
        ]
        if ways:
            least[end] = min(ways)
    raised = least_anonymous_degrees(degrees, k)
    assert raised.sum() - sum(degrees) == least[len(degrees)]
    assert is_anonymous(raised.tolist(), k)


def test_the_order_of_degrees_is_kept():
    assert least_anonymous_degrees([2, 5, 3, 5, 3], 2).tolist() == [3, 5, 3, 5, 3]
    assert least_anonymous_degrees([7, 1], 2).tolist() == [7, 7]
    # Two and three, or three and two: both cost two, and the later run is the shorter one.
    assert least_anonymous_degrees([3, 3, 1, 0, 0], 2).tolist() == [3, 3, 3, 0, 0]


@pytest.mark.parametrize("users", [2, 3, 4])
def test_every_small_graph(users):
    pairs = list(combinations(range(users), 2))
    subsets = list(chain.from_iterable(combinations(pairs, n) for n in range(len(pairs) + 1)))
    for chosen in subsets:
        graph = SocialGraph.from_edges(chosen, users=range(users))
        for k in range(2, users + 1):
            check(k_degree(graph, k=k), k)
            added = additions(graph, k)
            possible = [
                len(more) - len(chosen)
                for more in subsets
                if set(more) >= set(chosen)
                and is_anonymous([sum(v in e for e in more) for v in range(users)], k)
            ]
            assert added.least <= min(possible) <= len(added.edges)
            # One round reaches the least sum, which then is the least number of edges.
            assert added.rounds > 1 or len(added.edges) == added.least == min(possible)


@given(st.integers(2, 14), st.integers(0, 2**91 - 1), st.integers(2, 14))
@settings(max_examples=200)
def test_any_graph(users, mask, k):
    k = min(k, users)
    check(k_degree(graph_of(users, mask), k=k), k)


def test_a_graph_that_is_anonymous_stays():
    cycle = SocialGraph.from_networkx(nx.cycle_graph(9))
    assert k_degree(cycle, k=9).edges.tolist() == cycle.friends.edges.tolist()
    nobody = SocialGraph.from_edges([], users=range(4))
    assert k_degree(nobody, k=3).edges.tolist() == []


def test_the_least_counts_whole_edges():
    # One end is missing, which half an edge would be.
    added = additions(SocialGraph.from_edges([(0, 1)], users=range(3)), 2)
    assert (added.least, sorted(added.edges.tolist())) == (1, [[0, 2], [1, 2]])


def test_few_more_edges_than_the_least():
    graph = SocialGraph.from_networkx(nx.barabasi_albert_graph(400, 3, seed=1))
    added = additions(graph, 5)
    assert added.least < len(added.edges) <= 2 * added.least
    check(k_degree(graph, k=5), 5)


def test_those_who_miss_most_are_joined_first():
    empty = np.zeros(6, dtype=np.int64), np.zeros(0, dtype=np.int64)
    missing = np.array([1, 3, 2, 1, 1])
    one, other = kdegree_kernel.add_edges(*empty, missing)
    assert missing.tolist() == [0, 0, 0, 0, 0]
    assert Counter(chain(one.tolist(), other.tolist())) == {0: 1, 1: 3, 2: 2, 3: 1, 4: 1}
    # 1 takes 2, who misses next most, and not three of those who miss one.
    assert {frozenset(pair) for pair in zip(one.tolist(), other.tolist(), strict=True)} >= {
        frozenset({1, 2})
    }


@cases(
    (1, "k = 1: need a whole number k >= 2"),
    (4, "k = 4: need 2 <= k <= 3, the number of users"),
    (2.5, "k = 2.5: need a whole number"),
)
def test_bad_k(k, says):
    graph = SocialGraph.from_edges([(0, 1), (1, 2)])
    assert error_line(InvalidArgument, k_degree, graph, k=k).startswith(says)


def test_bad_degrees():
    assert "degrees = " in error_line(InvalidArgument, least_anonymous_degrees, [1.5, 2], 2)
    with pytest.raises(InvalidArgument, match="k = 3: need a whole number 1 <= k <= 2"):
        least_anonymous_degrees([1, 2], 3)


def test_gowalla():
    graph, k = gowalla(), 25
    release = k_degree(graph, k=k)
    check(release, k)
    # At least half the sum of additions, and in practice what the largest degrees need.
    least = -(-int((least_anonymous_degrees(graph.degrees, k) - graph.degrees).sum()) // 2)
    assert least <= len(release.edges) - 53246 < 2 * least
