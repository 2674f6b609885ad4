"""The ledger of CA, IA and BE: its calls are checked by other means."""

from itertools import combinations

import networkx as nx

from kproof.models.papers.social_examples import fewest_added, users_known_by_degrees


def test_the_middle_of_a_path_is_alone():
    path = nx.path_graph(5)
    about = {node: sorted(path.degree(other) for other in path[node]) for node in path}
    assert [node for node in path if list(about.values()).count(about[node]) == 1] == [2]
    assert users_known_by_degrees(path.edges(), 2) == (2,)


def test_fewest_edges_of_a_star():
    star = nx.star_graph(4)
    absent = list(nx.non_edges(star))
    for size in range(3):
        for more in combinations(absent, size):
            grown = nx.Graph([*star.edges(), *more])
            counts = [degree for _, degree in grown.degree()]
            assert any(counts.count(degree) == 1 for degree in counts)
    assert fewest_added(star.edges(), 2) == 3
