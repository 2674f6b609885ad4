"""SaNGreeA: the fast search, the dense one and an oracle of its own agree, ties included."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from cases import cases, error_line
from hypothesis import given
from hypothesis import strategies as st
from social_graphs import gowalla

from kproof.errors import InvalidArgument, TooLarge
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.graphs.loss import graph_loss
from kproof.models.graphs.release import seal_clusters
from kproof.models.graphs.sangreea.method import sangreea
from kproof.models.graphs.social import SocialGraph
from kproof.models.tables.recoding import read
from kproof.proptests.labels.labels import covers

PATHS = [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "z", "*"), ("d", "*")]
ABOVE = {path[0]: path[1:] for path in PATHS}
HEIGHT = 3
WEIGHTS = [("1/2", "1/2"), ("0", "1"), ("1", "0"), ("1/3", "0.7")]


@st.composite
def graphs(draw: st.DrawFn, *, most: int = 9) -> dict[str, Any]:
    """Draw users, friendships, and perhaps ages, towns and whether towns have a taxonomy."""
    users = draw(st.integers(2, most))
    pairs = list(combinations(range(users), 2))
    found = {"users": users, "edges": draw(st.lists(st.sampled_from(pairs)))}
    for name, values in (("age", [20, 30, 50, 80, None]), ("town", ["a", "b", "c", "d", None])):
        if draw(st.booleans()):
            column = draw(st.lists(st.sampled_from(values), min_size=users, max_size=users))
            # A column of which nothing is known is no column.
            found[name] = [values[0] if not any(column) else column[0], *column[1:]]
    found["tree"] = draw(st.booleans())
    return found


def built(drawn: dict[str, Any]) -> SocialGraph:
    attributes = {name: drawn[name] for name in ("age", "town") if name in drawn}
    trees = {"town": Taxonomy.from_paths(PATHS)} if drawn["tree"] and "town" in drawn else {}
    return SocialGraph.from_edges(
        drawn["edges"], users=range(drawn["users"]), attributes=attributes, taxonomies=trees
    )


def height(label: str) -> int:
    """Steps from a label of PATHS down to the deepest leaf below it."""
    return max(path.index(label) for path in PATHS if label in path)


def lost(drawn: dict[str, Any], members: list[int]) -> Fraction:
    """Return the NGIL of some users as a cluster of their own."""
    shares = []
    for name in ("age", "town"):
        if name not in drawn:
            continue
        values = [drawn[name][user] for user in members]
        known = [value for value in values if value is not None]
        everywhere = [value for value in drawn[name] if value is not None]
        if len(known) < len(values):
            shares.append(Fraction(1 if known else 0))
        elif name == "age":
            span = max(everywhere) - min(everywhere)
            shares.append(Fraction(max(known) - min(known), span) if span else Fraction(0))
        elif drawn["tree"]:
            above = [(value, *ABOVE[value]) for value in known]
            lowest = next(one for one in above[0] if all(one in path for path in above))
            shares.append(Fraction(height(lowest), HEIGHT))
        else:
            shares.append(Fraction(int(len(set(known)) > 1)))
    return sum(shares, Fraction(0)) / len(shares) if shares else Fraction(0)


def oracle(drawn: dict[str, Any], k: int, alpha: Fraction, beta: Fraction) -> list[int]:
    """Return the cluster of each user, from the rows of the adjacency matrix."""
    users = drawn["users"]
    graph = nx.Graph(drawn["edges"])
    graph.add_nodes_from(range(users))
    matrix = nx.to_numpy_array(graph, nodelist=range(users), dtype=int)

    def cost(cluster: list[int], user: int) -> Fraction:
        apart = Fraction(0)
        for member in cluster:
            others = [one for one in range(users) if one not in (user, member)]
            differ = int((matrix[user, others] != matrix[member, others]).sum())
            apart += Fraction(differ, max(users - 2, 1))
        return alpha * lost(drawn, [*cluster, user]) + beta * apart / len(cluster)

    free = set(range(users))
    clusters = []
    while len(free) >= k:
        cluster = [min(free, key=lambda user: (-matrix[user].sum(), user))]
        free -= set(cluster)
        while len(cluster) < k:
            costs = {user: cost(cluster, user) for user in free}
            cluster.append(min(free, key=lambda user: (costs[user], user)))
            free.discard(cluster[-1])
        clusters.append(cluster)
    for user in sorted(free):
        min(clusters, key=lambda cluster: cost(cluster, user)).append(user)
    return [next(i for i, one in enumerate(clusters) if user in one) for user in range(users)]


@given(graphs(), st.data())
def test_both_searches_choose_what_the_definitions_say(drawn, data):
    k = data.draw(st.integers(2, drawn["users"]))
    alpha, beta = data.draw(st.sampled_from(WEIGHTS))
    graph = built(drawn)
    wanted = oracle(drawn, k, Fraction(alpha), Fraction(beta))
    for search in ("pruned", "dense"):
        release = sangreea(graph, k=k, alpha=alpha, beta=beta, search=search)
        assert release.cluster_of.tolist() == wanted, search


@given(graphs(), st.data())
def test_what_is_published_is_true(drawn, data):
    k = data.draw(st.integers(2, drawn["users"]))
    release = sangreea(built(drawn), k=k)
    of_user = release.cluster_of.tolist()
    assert release.sizes.tolist() == [of_user.count(one) for one in range(release.count)]
    assert k <= release.sizes.min()
    assert release.sizes.max() <= max(2 * k - 1, k)
    edges = {tuple(sorted(edge)) for edge in drawn["edges"]}
    between = Counter(tuple(sorted((of_user[one], of_user[other]))) for one, other in edges)
    stated = {(cluster, cluster): n for cluster, n in enumerate(release.inner.tolist()) if n}
    stated |= dict(zip(map(tuple, release.joined.tolist()), release.weights.tolist(), strict=True))
    assert stated == dict(between)
    for user, cluster in enumerate(of_user):
        labels = release.labels(cluster)
        assert set(labels) == {"age", "town"} & set(drawn)
        for name, label in labels.items():
            value = drawn[name][user]
            above = ABOVE.get(value, ("*",)) if drawn["tree"] and name == "town" else ()
            told, _ = read(label)
            assert covers(label, value) or set(above) & set(told)


def test_on_a_larger_graph_both_searches_agree():
    graph = SocialGraph.from_networkx(nx.barabasi_albert_graph(70, 2, seed=5))
    fast = sangreea(graph, k=5)
    dense = sangreea(graph, k=5, search="dense")
    assert fast.cluster_of.tolist() == dense.cluster_of.tolist()
    assert graph_loss(fast) == graph_loss(dense)


@pytest.mark.parametrize(("users", "k"), [(14, 5), (17, 6), (11, 4), (23, 6)])
def test_who_is_left_joins_one_after_another(users, k):
    rng = np.random.default_rng(users)
    drawn = {
        "users": users,
        "edges": rng.integers(0, users, (2 * users, 2)).tolist(),
        "age": rng.integers(20, 30, users).tolist(),
        "tree": False,
    }
    drawn["edges"] = [(one, other) for one, other in drawn["edges"] if one != other]
    for alpha, beta in WEIGHTS:
        wanted = oracle(drawn, k, Fraction(alpha), Fraction(beta))
        graph = built(drawn)
        for search in ("pruned", "dense"):
            release = sangreea(graph, k=k, alpha=alpha, beta=beta, search=search)
            assert release.cluster_of.tolist() == wanted


def test_ties_go_to_the_first_user():
    square = SocialGraph.from_edges([(0, 1), (1, 2), (2, 3), (0, 3)])
    # All have two friends; 0 begins, and 2, across, has the same friends.
    assert sangreea(square, k=2).cluster_of.tolist() == [0, 1, 0, 1]
    nobody = SocialGraph.from_edges([], users=range(5))
    assert sangreea(nobody, k=2).cluster_of.tolist() == [0, 0, 1, 1, 0]


def test_only_the_ratio_of_the_weights_matters():
    graph = SocialGraph.from_edges(
        [(0, 1), (1, 2), (3, 4), (4, 5), (2, 5)], attributes={"age": [20, 80, 70, 30, 25, 75]}
    )
    one, other = sangreea(graph, k=3, alpha="1/3"), sangreea(graph, k=3, alpha=4, beta=6)
    same = sangreea(graph, k=3, alpha="0.2", beta="0.3")
    assert same.cluster_of.tolist() == other.cluster_of.tolist()
    assert one.parameters["alpha"] == "1/3"
    by_age = sangreea(graph, k=3, alpha=1, beta=0)
    assert sorted(by_age.labels(c)["age"] for c in (0, 1)) == ["[20-30]", "[70-80]"]


def test_the_graph_stays_as_it_is():
    graph = SocialGraph.from_edges([(0, 1), (1, 2), (2, 3)], attributes={"age": [1, 2, 3, None]})
    before = graph.friends.targets.tolist(), graph.attributes[0].codes.tolist()
    sangreea(graph, k=2)
    assert (graph.friends.targets.tolist(), graph.attributes[0].codes.tolist()) == before


@cases(
    ({"k": 1}, "k = 1: need a whole number k >= 2"),
    ({"k": 5}, "k = 5: need 2 <= k <= 4, the number of users"),
    ({"k": "x"}, "k = x: need a whole number"),
    ({"k": 2, "alpha": -1}, "alpha = -1: need alpha >= 0"),
    ({"k": 2, "beta": "nan"}, "beta = nan: need beta >= 0"),
    ({"k": 2, "alpha": 0, "beta": 0}, "alpha, beta = '0, 0': need at least one"),
    ({"k": 2, "search": "fast"}, "search = fast: need pruned or dense"),
)
def test_bad_parameters(given, says):
    graph = SocialGraph.from_edges([(0, 1), (1, 2), (2, 3)])
    assert error_line(InvalidArgument, sangreea, graph, **given).startswith(says)


def test_costs_that_do_not_fit_are_refused():
    graph = SocialGraph.from_edges([(0, 1), (1, 2)], attributes={"age": [1, 2, 3]})
    with pytest.raises(TooLarge, match="simpler weights"):
        sangreea(graph, k=2, alpha=Fraction(1, 10**12 + 39), beta=Fraction(1, 10**12 + 61))


def test_what_is_lost_by_hand():
    graph = SocialGraph.from_edges(
        [(0, 1), (1, 2), (0, 2), (2, 3)],
        users=range(5),
        attributes={"age": [20, 30, 40, 60, 60], "town": list("aabcd")},
        taxonomies={"town": Taxonomy.from_paths(PATHS)},
    )
    release = seal_clusters(
        graph, [0, 0, 0, 1, 1], method="by hand", parameters={}, attributes=graph.attributes
    )
    loss = graph_loss(release)
    # A triangle loses nothing; one of six pairs between the clusters: 2 (1 - 1/6) of 20/4.
    assert loss.structure == Fraction(5, 3) / 5
    # Ages 20 of 40 and 0; towns a, a, b under x (height 1 of 3), c, d under the root.
    assert loss.attributes == (3 * (Fraction(1, 2) + Fraction(1, 3)) + 2 * Fraction(1)) / 2 / 5
    assert loss.to_dict() == {"schema": 2, "attributes": "9/20", "structure": "1/3"}


@given(graphs(most=7), st.data())
def test_structure_lost_is_the_expected_number_of_wrong_pairs(drawn, data):
    graph, users = built(drawn), drawn["users"]
    of_user = data.draw(st.lists(st.integers(0, 2), min_size=users, max_size=users))
    release = seal_clusters(graph, of_user, method="m", parameters={})
    edges = {frozenset(edge) for edge in drawn["edges"]}
    groups = {}
    for pair in combinations(range(users), 2):
        where = tuple(sorted(of_user[one] for one in pair))
        groups.setdefault(where, []).append(int(frozenset(pair) in edges))
    # A pair with or without a friendship is said to have one with the share of its group.
    wrong = Fraction(0)
    for there in groups.values():
        share = Fraction(sum(there), len(there))
        wrong += sum((1 - share if one else share) for one in there)
    assert graph_loss(release).structure == wrong / Fraction(users * (users - 1), 4)


def test_gowalla():
    graph = gowalla()
    release = sangreea(graph, k=6)
    assert release.sizes.min() == 6
    assert release.inner.sum() + release.weights.sum() == 53246
    # Random clusters of these sizes tell less: the greedy choice is worth its while.
    mixed = np.random.default_rng(0).permutation(release.cluster_of)
    other = seal_clusters(graph, mixed, method="random", parameters={})
    assert release.inner.sum() > 5 * other.inner.sum()
