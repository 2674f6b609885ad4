"""Cities, their road graph and the regions published of them."""

from itertools import product

import networkx as nx
import numpy as np
import pytest
from cases import cases, error_line
from hypothesis import given
from hypothesis import strategies as st

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.adjacency import adjacency, concatenate
from kproof.models.places.city.city import City, Coordinates
from kproof.models.places.regions import seal_regions

PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=20)


def refusal(*arguments: object, **options: object) -> str:
    message = error_line((DataError, InvalidArgument), City.of, *arguments, **options)
    assert "\n" not in message
    return message


@given(PAIRS, st.integers(7, 9))
def test_compressed_rows_are_the_simple_graph(pairs, nodes):
    graph = nx.Graph(pairs)
    graph.add_nodes_from(range(nodes))
    loops = [pair for pair in pairs if pair[0] == pair[1]]
    graph.remove_edges_from(loops)
    built = adjacency(nodes, pairs)
    assert {node: built.neighbours(node).tolist() for node in range(nodes)} == {
        node: sorted(graph[node]) for node in range(nodes)
    }
    assert built.degrees.tolist() == [graph.degree[node] for node in range(nodes)]
    assert list(map(tuple, built.edges.tolist())) == sorted(tuple(sorted(e)) for e in graph.edges)
    assert (built.loops, built.merged) == (len(loops), len(pairs) - len(loops) - len(graph.edges))
    pairs = product(range(nodes), repeat=2)
    assert all(built.joins(*pair) == graph.has_edge(*pair) for pair in pairs)
    of_node, count = built.components
    parts = sorted(map(sorted, nx.connected_components(graph)))
    assert count == len(parts)
    assert of_node.tolist() == [
        next(number for number, part in enumerate(parts) if node in part) for node in range(nodes)
    ]


def test_a_graph_without_nodes():
    empty = adjacency(0, [])
    assert (empty.nodes, empty.count, empty.components[1]) == (0, 0, 0)
    assert empty.edges.shape == (0, 2)


@cases(
    ([(0, 3)], "edges = (0, 3): need pairs of nodes from 0 to 2"),
    ([(-1, 0)], "edges = (-1, 0)"),
    ([(0, 1, 2)], "edges = (0, 1, 2)"),
    ([(0, 1), (2,)], "edges = 'rows of different lengths'"),
    ([(0.5, 1)], "edges = (0.5, 1)"),
)
def test_edges_that_are_none(edges, says):
    assert error_line(InvalidArgument, adjacency, 3, edges).startswith(says)


def test_lists_of_indexes_are_checked():
    with pytest.raises(InvalidArgument, match="regions = 3: need indexes from 0 to 2"):
        concatenate("regions", [[0], [3]], below=3)


@cases(
    (([], []), {}, "the city has no nodes"),
    (([1, -2], []), {"names": ["a", "b"]}, "node b has -2 users; need 0 or more"),
    (([1.5], []), {}, "users = 1.5: need a whole number"),
    (([[1]], []), {}, "users = (1, 1): need one number for each node"),
    (([1, 1], []), {"names": ["a"]}, "names = '1 names': need one for 2 nodes"),
    (([1, 1], []), {"names": ["a", "a"]}, "two nodes are called a"),
    (([1], []), {"x": [0]}, "x and y = 'one of them': need both or neither"),
    (([1], []), {"x": [0, 1], "y": [0]}, "x = (2,): need shape (1,)"),
    (([1], []), {"x": [np.nan], "y": [0]}, "node 0 has x = nan; need finite"),
    (
        ([1, 1], []),
        {"x": [0, 181], "y": [0, 0], "coordinates": "degrees"},
        "node 1 has x = 181.0; need from -180 to 180",
    ),
    (
        ([1], []),
        {"x": [0], "y": [-91], "coordinates": "degrees"},
        "node 0 has y = -91.0; need from -90 to 90",
    ),
    (([1], []), {"coordinates": "feet"}, "coordinates = feet: need plane or degrees"),
    (
        ([1, 1], [(0, 1)]),
        {"one_way": [(1, 1)]},
        "one_way = (1, 1): need pairs that are among the roads",
    ),
    (([1, 1, 1], [(0, 1)]), {"one_way": [(0, 2)]}, "one_way = (0, 2)"),
)
def test_what_is_no_city_is_refused(arguments, options, says):
    assert refusal(*arguments, **options).startswith(says)


def test_the_grid_is_the_grid_of_networkx():
    city = City.grid(4, 3, users=50, seed=7)
    grid = nx.grid_2d_graph(4, 3)
    expected = sorted(tuple(sorted((a * 3 + b, c * 3 + d))) for (a, b), (c, d) in grid.edges)
    assert list(map(tuple, city.roads.edges.tolist())) == expected
    assert (city.population, city.nodes) == (50, 12)
    assert (city.users == City.grid(4, 3, users=50, seed=7).users).all()
    assert (city.users != City.grid(4, 3, users=50, seed=8).users).any()
    assert (city.x[5], city.y[5]) == (2.0, 1.0)
    assert (City.grid(1, 1, users=0).population, City.grid().nodes) == (0, 25)


@pytest.mark.parametrize("options", [{"rows": 0}, {"cols": 2.5}, {"users": -1}, {"seed": -1}])
def test_grids_that_are_none(options):
    with pytest.raises(InvalidArgument):
        City.grid(**options)


def test_parts_and_who_is_in_reach():
    city = City.of([1, 0, 4, 2], [(0, 1), (2, 3)])
    of_node, count = city.components
    assert (of_node.tolist(), count) == ([0, 0, 1, 1], 2)
    assert city.reachable.tolist() == [1, 1, 6, 6]
    assert "2 components" in city.summary()
    assert city.to_dict()["empty_nodes"] == 1


def test_a_directed_graph_keeps_its_one_way_streets():
    roads = nx.MultiDiGraph()
    roads.add_edges_from([("a", "b"), ("b", "a"), ("b", "c"), ("b", "c"), ("c", "c")])
    roads.add_node("d", users=3)
    before = sorted(roads.edges)
    city = City.from_networkx(roads)
    assert city.names == ("a", "b", "c", "d")
    assert [tuple(city.names[end] for end in way) for way in city.one_way] == [("b", "c")]
    # There and back is one street that nobody gave twice.
    assert (city.roads.count, city.roads.merged, city.roads.loops) == (2, 1, 1)
    assert (city.index("d"), city.users[3]) == (3, 3)
    assert sorted(roads.edges) == before


@cases(
    ({"x": 1.5, "y": 2}, Coordinates.PLANE, 1.5),
    ({"lon": 13.4, "lat": 52.5}, Coordinates.DEGREES, 13.4),
    ({"pos": (3, 4)}, Coordinates.PLANE, 3.0),
)
def test_coordinates_go_by_several_names(attributes, kind, x):
    graph = nx.Graph()
    graph.add_node(0, **attributes)
    city = City.from_networkx(graph)
    assert (city.coordinates, city.x.tolist()) == (kind, [x])


def test_the_system_of_a_downloaded_network():
    graph = nx.Graph(crs="epsg:4326")
    graph.add_node(0, x=13.4, y=52.5)
    assert City.from_networkx(graph).coordinates is Coordinates.DEGREES


@cases(
    ([{"x": 0, "y": 0}, {}], "node 1 has no x and y; others have them"),
    ([{"x": 0, "y": "north"}], "the nodes' x and y are not all numbers"),
    ([{"pos": 3}], "the nodes' pos and pos are not all numbers"),
    ([{"users": "many"}], "node 0 has many users; need a whole number"),
)
def test_attributes_that_do_not_fit(nodes, says):
    graph = nx.Graph()
    graph.add_nodes_from(enumerate(nodes))
    assert error_line(DataError, City.from_networkx, graph) == says


def test_to_networkx_and_back():
    places = {"x": [0, 1, 2], "y": [5, 5, 6], "coordinates": "degrees"}
    city = City.of([1, 2, 0], [(0, 1), (1, 2)], **places, one_way=[(2, 1)], names=["a", "b", "c"])
    graph = city.to_networkx()
    assert graph.edges["b", "c"]["one_way"] == ("c", "b")
    again = City.from_networkx(graph)
    assert again.users.tolist() == [1, 2, 0]
    assert again.coordinates is Coordinates.DEGREES
    assert again.roads.edges.tolist() == city.roads.edges.tolist()


def test_a_city_cannot_be_changed():
    users = np.array([1, 2])
    city = City.of(users, [(0, 1)], x=[0, 1], y=[0, 1])
    users[0] = 9
    assert city.users.tolist() == [1, 2]
    for array in (city.users, city.roads.targets, city.roads.edges, city.x):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_the_account_of_regions():
    city = City.of([3, 2, 0, 1], [(0, 1), (1, 2)])
    made = {"method": "by hand", "parameters": {"depth": 1}, "insufficient": [False, True, False]}
    release = seal_regions(city, [0, 3, 2], [[1, 0], [], [2]], k=[4, 4, 1], **made)
    assert [release.region(request).tolist() for request in range(3)] == [[0, 1], [], [2]]
    assert (release.sizes.tolist(), release.users.tolist()) == ([2, 0, 1], [5, 0, 0])
    assert release.to_dict()["insufficient"] == 1
    assert release.to_dict()["users"] == {"least": 0, "most": 5}
    assert release.summary().splitlines()[1] == "published: 2 of 3 requests"


@cases(
    ([4], [[0]], {}, "targets = 4"),
    ([0], [[0, 7]], {}, "regions = 7"),
    ([0], [], {}, "regions = '0 regions': need one for 1 targets"),
    ([0], [[0, 0]], {}, "regions = 'node 0 twice'"),
    ([0], [[0]], {"k": [1, 2]}, "k = (2,)"),
    ([0], [[0]], {"insufficient": [True, False]}, "insufficient = (2,)"),
)
def test_regions_that_do_not_fit(targets, regions, options, says):
    city = City.of([1, 1], [(0, 1)])
    asked = {"k": 1, "method": "", "parameters": {}} | options
    said = error_line(InvalidArgument, seal_regions, city, targets, regions, **asked)
    assert said.startswith(says)
