"""Social graphs and what is published of them."""

import networkx as nx
import pytest
from cases import cases, error_line

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.missing import MISSING
from kproof.models.graphs.release import seal_clusters, seal_graph
from kproof.models.graphs.social import SocialGraph

STAR = SocialGraph.from_edges([(0, 1), (0, 2), (0, 3)])


def test_friendships_are_mutual_and_simple():
    given = nx.MultiDiGraph([("a", "b"), ("b", "a"), ("b", "c"), ("b", "c"), ("c", "c")])
    given.add_node("d")
    graph = SocialGraph.from_networkx(given)
    assert graph.names == ("a", "b", "c", "d")
    assert graph.friends.edges.tolist() == [[0, 1], [1, 2]]
    assert (graph.friends.merged, graph.friends.loops) == (2, 1)
    assert graph.degrees.tolist() == [1, 2, 1, 0]
    assert graph.index("c") == 2
    assert given.number_of_edges() == 5
    assert graph.to_dict()["isolated"] == 1
    assert graph.summary().splitlines()[0] == "users: 4, of them 1 without friends"


@cases(
    ([("a", "b")], {"users": ["a"]}, "a friendship names b, who is not among the users"),
    ([], {"users": ["a", "b", "a"]}, "user a occurs twice"),
    ([("a", "b")], {"attributes": {"age": [1]}}, "age = '1 values': need one for each of 2"),
    ([("a", "b")], {"attributes": {"age": [1, "x"]}}, "column age mixes a number and text"),
    ([("a", "b")], {"attributes": {"age": [None, None]}}, "column age has no values"),
)
def test_what_is_no_graph_is_refused(edges, options, says):
    assert error_line(
        (DataError, InvalidArgument), SocialGraph.from_edges, edges, **options
    ).startswith(says)


@pytest.mark.parametrize("name", ["e", ["a"]])
def test_an_unknown_user_has_no_index(name):
    assert "one of the 4 users" in error_line(InvalidArgument, STAR.index, name)


def test_attributes_are_columns():
    given = nx.Graph()
    given.add_node("a", age=40, town="x")
    given.add_node("b", town="y")
    graph = SocialGraph.from_networkx(given, attributes=["age", "town"])
    age, town = graph.attributes
    assert (age.values, age.codes.tolist(), age.numeric) == ((40, MISSING), [0, 1], True)
    assert (town.values, town.numeric) == (("x", "y"), False)
    assert dict(graph.to_networkx().nodes(data=True)) == dict(given.nodes(data=True))
    with pytest.raises(DataError, match="column height has no values"):
        SocialGraph.from_networkx(given, attributes=["height"])


def test_nobody_at_all():
    nobody = SocialGraph.from_edges([])
    assert (nobody.users, nobody.to_dict()["largest_degree"]) == (0, 0)
    assert seal_clusters(nobody, [], method="", parameters={}).count == 0


def test_a_published_graph_counts_ends():
    made = {"method": "by hand", "parameters": {"k": 2}}
    release = seal_graph(STAR, [(0, 1), (2, 2), (3, 4)], vertices=[3, 2, 1, 0, -1], **made)
    assert release.degrees.tolist() == [1, 1, 2, 1, 1]
    assert release.to_dict()["nobody"] == 1
    assert "5 vertices for 4 users, 1 nobody's" in release.summary()


def test_clusters_are_counted_unless_they_count_themselves():
    graph = SocialGraph.from_networkx(nx.cycle_graph(4))
    release = seal_clusters(graph, [0, 0, 1, -1], method="by hand", parameters={"k": 1})
    assert (release.sizes.tolist(), release.inner.tolist()) == ([2, 1], [1, 0])
    assert (release.joined.tolist(), release.weights.tolist()) == ([[0, 1]], [1])
    assert release.to_dict()["left_out"] == 1
    assert "2 clusters for 4 users, 1 to 2 users each" in release.summary()
    told = seal_clusters(
        graph, [0, 0, 1, 1], method="", parameters={}, inner=[7, 0], between={(1, 0): 5}
    )
    counts = told.inner.tolist(), told.joined.tolist(), told.weights.tolist()
    assert counts == ([7, 0], [[0, 1]], [5])


@cases(
    ([0, 0], {}, "cluster_of = (2,): need shape (4,)"),
    ([0, 0, 0, -2], {}, "cluster_of = -2"),
    ([0, 0, 1, 1], {"inner": [1]}, "inner = (1,): need shape (2,)"),
    ([0, 0, 1, 1], {"between": {(0, 2): 1}}, "between = (0, 2)"),
    ([0, 0, 1, 1], {"between": {(1, 1): 1}}, "between = 'a cluster and itself'"),
)
def test_clusters_that_do_not_fit(cluster_of, options, says):
    assert error_line(
        InvalidArgument, seal_clusters, STAR, cluster_of, method="", parameters={}, **options
    ).startswith(says)


@cases(([(0, 4)], None, "edges = (0, 4)"), ([], [4], "vertices = 4: need users from 0 to 3, or -1"))
def test_graphs_that_do_not_fit(edges, vertices, says):
    assert error_line(
        InvalidArgument, seal_graph, STAR, edges, vertices=vertices, method="", parameters={}
    ).startswith(says)
