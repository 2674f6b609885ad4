"""Social graphs in and out of files: what is read, what is refused, what is written."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from cases import cases, error_line
from social_graphs import gowalla_path
from tables import rows_of

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.missing import MISSING
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.graphs.files import read_graph
from kproof.models.graphs.kdegree.method import k_degree
from kproof.models.graphs.sangreea.method import sangreea
from kproof.models.graphs.social import SocialGraph
from kproof.models.graphs.writers import number_vertices, write_graph

GRAPHML = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{keys}'
    '<graph edgedefault="undirected">{inside}</graph></graphml>'
)


def friendships(graph: SocialGraph) -> set[tuple[object, object]]:
    return {(graph.names[one], graph.names[other]) for one, other in graph.friends.edges.tolist()}


def read(tmp_path: Path, text: str, name: str = "friends.tsv", **options: Any) -> SocialGraph:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_graph(path, **options)


@cases(
    "2\t10\n10\t7\n",
    "10,7\n2,10\n",
    "2 ; 10\n10;7",
    "# Nodes: 3\n# FromNodeId\tToNodeId\n2\t10\n\n10\t7\n",
    "% a comment\r\n2 10\r\n7   10\r\n",
    "source,target\n2,10\n10,7\n",
    "who\twhom\n2\t10\n10\t7\n",
    '\ufeff"2","10"\n"7","10"\n',
)
def test_ways_to_write_the_same_friendships(text, tmp_path):
    graph = read(tmp_path, text)
    assert graph.names == (2, 7, 10)
    assert friendships(graph) == {(2, 10), (7, 10)}


def test_headers(tmp_path):
    assert read(tmp_path, "user,friend\nann,bob\n").names == ("ann", "bob")
    assert read(tmp_path, "ann,eve\nann,bob\n").names == ("ann", "bob", "eve")
    assert read(tmp_path, "ann,eve\nann,bob\n", header="yes").names == ("ann", "bob")
    assert read(tmp_path, "user,friend\nann,bob\n", header="no").users == 4
    assert read(tmp_path, "1 2\n3 4\n").users == 4
    assert read(tmp_path, "1 2").users == 2


def test_names_that_are_codes_stay_texts(tmp_path):
    assert read(tmp_path, "007,8\n").names == ("007", "8")
    assert read(tmp_path, "-7,8\n").names == (-7, 8)


def test_repeated_friendships_directions_and_loops_are_counted(tmp_path):
    graph = read(tmp_path, "a b\nb a\na b\nc c\nb c\n")
    assert friendships(graph) == {("a", "b"), ("b", "c")}
    assert (graph.friends.merged, graph.friends.loops) == (2, 1)


def test_the_order_of_lines_does_not_matter(tmp_path):
    one, other = read(tmp_path, "b a\nc b\n"), read(tmp_path, "b c\na b\n")
    assert one.names == other.names
    assert one.friends.targets.tolist() == other.friends.targets.tolist()


def test_users_with_attributes(tmp_path):
    users = tmp_path / "users.csv"
    users.write_text(
        "id,age,zip,town,name\n3,40,01,Ulm,C\n1,?,02,Bonn,A\n2,30.5,01,,B\n9,30,2,Ulm,D\n"
    )
    tree = Taxonomy.from_paths([("Ulm", "South", "*"), ("Bonn", "West", "*")])
    roles = {"attributes": ["age", "zip", "town"], "codes": ["zip"], "taxonomies": {"town": tree}}
    graph = read(tmp_path, "1 2\n2 3\n", users=users, **roles)
    assert graph.names == (1, 2, 3, 9)
    assert graph.degrees.tolist() == [1, 2, 1, 0]
    age, code, town = graph.attributes
    assert [age.values[one] for one in age.codes] == [MISSING, 30.5, 40, 30]
    assert (age.numeric, code.numeric, town.numeric) == (True, False, False)
    assert [code.values[one] for one in code.codes] == ["02", "01", "01", "2"]
    assert town.taxonomy.labels[:4] == ("*", "South", "Ulm", "West")
    assert [town.values[one] for one in town.codes] == ["Bonn", MISSING, "Ulm", "Ulm"]


@cases(
    ("id,age\n1,3\n", {}, "friends.tsv: 2 is not among the users of"),
    ("id,age\n1,3\n2,4\n1,5\n", {}, "users.csv: user 1 occurs twice"),
    ("id,age\n1,3\n,4\n", {}, "users.csv, line 3: a user without a name"),
    ("id,age\n1,3\n2,4\n", {"attributes": ["zip"]}, "users.csv: no one column zip after the"),
    ("id,age\n1,3\n2\n", {}, "users.csv, line 3"),
    ("id,age\n1,?\n2,\n", {"attributes": ["age"]}, "column age has no values"),
    ("id,age\n1,3\n2,4\n", {"codes": ["age"]}, "codes = age: need names of attributes"),
)
def test_bad_users(users, options, says, tmp_path):
    path = tmp_path / "users.csv"
    path.write_text(users)
    assert says in error_line(
        (DataError, InvalidArgument), read, tmp_path, "1 2\n", users=path, **options
    )


@cases(
    ("", "friends.tsv: no friendships between two users"),
    ("# only a comment\n", "no friendships"),
    ("1 1\n", "no friendships between two users"),
    ("1 2\n3\n", "friends.tsv, line 2: 3 is not two users"),
    ("1\t2\t0.5\n", "line 1: '1\\t2\\t0.5' is not two users"),
    ("1,2\n3 4\n", "line 2: '3 4' is not two users"),
    ("1,2\n3,\n", "line 2: 3, is not two users"),
    ("1 2\n3 \0\n", "line 2: a NUL byte"),
)
def test_bad_lists(text, says, tmp_path):
    assert says in error_line(DataError, read, tmp_path, text)


def test_files_that_are_no_text(tmp_path):
    with pytest.raises(DataError, match="cannot be read: No such file"):
        read_graph(tmp_path / "none.tsv")
    path = tmp_path / "friends.tsv"
    path.write_bytes(b"1 2\n\xff\xfe 3\n")
    assert "not UTF-8 text" in error_line(DataError, read_graph, path)
    with pytest.raises(InvalidArgument, match="users is not given: need the file with age"):
        read(tmp_path, "1 2\n", attributes=["age"])


def test_graphml_of_every_kind_of_graph(tmp_path):
    for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph):
        given = kind([("10", "2"), ("2", "10"), ("2", "7"), ("7", "7")])
        given.add_node("11", age=40, town="Ulm")
        given.nodes["2"]["age"] = 30
        path = tmp_path / "friends.graphml"
        nx.write_graphml(given, path)
        graph = read_graph(path, attributes=["age", "town"])
        assert graph.names == (2, 7, 10, 11)
        assert friendships(graph) == {(2, 10), (2, 7)}
        assert graph.friends.merged == given.number_of_edges() - 3
        assert graph.friends.loops == 1
        age, town = graph.attributes
        assert [age.values[one] for one in age.codes] == [30, MISSING, MISSING, 40]
        assert age.numeric
        assert [town.values[one] for one in town.codes][3] == "Ulm"


@cases(
    ("<graphml><graph edgedefault='undirected'><node id='a'/>", "not well-formed"),
    ("", "not well-formed: no element found"),
    ("<gexf/>", "starts with <gexf>; need <graphml>"),
    ("<graphml/>", "has no graph"),
    (
        '<!DOCTYPE g [<!ENTITY a "aaa"><!ENTITY b "&a;&a;">]><graphml>&b;</graphml>',
        "a document type (DOCTYPE) is refused",
    ),
    ('<!DOCTYPE g SYSTEM "file:///etc/passwd"><graphml/>', "a document type (DOCTYPE) is refused"),
    (GRAPHML.format(keys="", inside="<node id='a'/><node id='a'/>"), "user a occurs twice"),
    (GRAPHML.format(keys="", inside="<node/>"), "a node without an id"),
    (
        GRAPHML.format(keys="", inside="<node id='a'/><edge source='a' target='b'/>"),
        "b is in an edge and is no node",
    ),
    (GRAPHML.format(keys="", inside="<edge source='a'/>"), "an edge without a target"),
    (GRAPHML.format(keys="", inside="<hyperedge/>"), "a hyperedge"),
    (GRAPHML.format(keys="", inside="<node id='a'><graph/></node>"), "a second graph"),
    (GRAPHML.format(keys="", inside="<node id='a'><data key='d9'>1</data></node>"), "not GraphML"),
    (
        GRAPHML.format(
            keys="<key id='k' for='node' attr.name='age' attr.type='int'/>",
            inside="<node id='a'><data key='k'>x</data></node>",
        ),
        "not GraphML",
    ),
    (GRAPHML.format(keys="", inside="<node id='a'/><node id='b'/>"), "no friendships"),
)
def test_bad_graphml(text, says, tmp_path):
    said = error_line(DataError, read, tmp_path, text, "friends.graphml")
    assert says in said
    assert str(tmp_path / "friends.graphml") in said


def test_graphml_has_its_own_nodes_and_attributes(tmp_path):
    path = tmp_path / "friends.graphml"
    nx.write_graphml(nx.Graph([("a", "b")]), path)
    with pytest.raises(InvalidArgument, match="no file beside GraphML"):
        read_graph(path, users=tmp_path / "users.csv")
    with pytest.raises(DataError, match="no node has an attribute age"):
        read_graph(path, attributes=["age"])


def star() -> SocialGraph:
    return SocialGraph.from_edges(
        [("hub", name) for name in "abcde"], attributes={"age": [20, 30, 30, 40, 50, None]}
    )


@pytest.mark.parametrize("ending", ["tsv", "csv", "graphml"])
def test_a_published_graph_read_back_is_the_graph(tmp_path, ending):
    release = k_degree(star(), k=3)
    numbers = number_vertices(release, seed=5)
    path, key = tmp_path / f"out.{ending}", tmp_path / "key.csv"
    write_graph(path, release, numbers, key=key)
    number_of = {row["user"]: int(row["vertex"]) for row in rows_of(key)}
    assert sorted(number_of.values()) == list(range(6))
    wanted = {
        frozenset((number_of[str(star().names[one])], number_of[str(star().names[other])]))
        for one, other in release.edges.tolist()
    }
    assert {frozenset(pair) for pair in friendships(read_graph(path))} == wanted
    assert "hub" not in path.read_text()


def test_vertices_without_edges_are_told(tmp_path):
    release = k_degree(SocialGraph.from_edges([(0, 1)], users=range(5)), k=2)
    write_graph(tmp_path / "out.tsv", release, number_vertices(release, seed=0))
    first, *edges = (tmp_path / "out.tsv").read_text().splitlines()
    assert first == "# vertices 0 to 4"
    assert len(edges) == 1
    write_graph(tmp_path / "out.graphml", release, number_vertices(release, seed=0))
    assert nx.read_graphml(tmp_path / "out.graphml").number_of_nodes() == 5


def test_published_clusters(tmp_path):
    release = sangreea(star(), k=2)
    # An order that is not its own inverse.
    numbers = np.array([1, 2, 0])
    write_graph(tmp_path / "out.json", release, numbers, key=tmp_path / "key.csv")
    write_graph(tmp_path / "out.graphml", release, numbers)
    document = json.loads((tmp_path / "out.json").read_text())
    cluster_of = {row["user"]: int(row["cluster"]) for row in rows_of(tmp_path / "key.csv")}
    sizes = Counter(cluster_of.values())
    assert [one["size"] for one in document["clusters"]] == [sizes[c] for c in range(3)]
    ends = [sorted((cluster_of["hub"], cluster_of[name])) for name in "abcde"]
    inner = Counter(one for one, other in ends if one == other)
    assert [one["inner"] for one in document["clusters"]] == [inner[c] for c in range(3)]
    between = Counter((one, other) for one, other in ends if one != other)
    told = {tuple(one["clusters"]): one["weight"] for one in document["between"]}
    assert told == dict(between)
    back = nx.read_graphml(tmp_path / "out.graphml")
    for cluster, one in enumerate(document["clusters"]):
        data = back.nodes[str(cluster)]
        assert (data["size"], data["inner"]) == (one["size"], one["inner"])
        assert data["label age"] == one["labels"]["age"]
    assert {
        tuple(sorted((int(u), int(v)))): weight for u, v, weight in back.edges(data="weight")
    } == told


def test_numbers_are_drawn():
    release = k_degree(SocialGraph.from_networkx(nx.cycle_graph(60)), k=2)
    assert number_vertices(release, seed=1).tolist() == number_vertices(release, seed="1").tolist()
    assert number_vertices(release, seed=1).tolist() != number_vertices(release, seed=2).tolist()
    # Two fresh orders of sixty are equal with a probability below 1e-81.
    assert number_vertices(release).tolist() != number_vertices(release).tolist()
    assert "seed = -1" in error_line(InvalidArgument, number_vertices, release, seed=-1)


def test_nothing_is_written_on_error(tmp_path):
    release = k_degree(star(), k=3)
    numbers = number_vertices(release, seed=5)
    key = tmp_path / "key.csv"
    key.write_text("before")
    with pytest.raises(InvalidArgument, match=r"need a name ending in \.tsv or \.csv"):
        write_graph(tmp_path / "out.json", release, numbers, key=key)
    with pytest.raises(DataError, match="cannot be written"):
        write_graph(tmp_path / "no" / "out.tsv", release, numbers, key=key)
    assert key.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["key.csv"]


def test_a_name_that_is_a_formula_is_defused_in_the_key(tmp_path):
    release = k_degree(SocialGraph.from_edges([("=1+1", "b"), ("b", "c")]), k=3)
    write_graph(
        tmp_path / "out.tsv", release, number_vertices(release, seed=0), key=tmp_path / "key.csv"
    )
    assert "'=1+1" in (tmp_path / "key.csv").read_text()


def test_gowalla_as_distributed():
    graph = read_graph(gowalla_path())
    assert graph.names == tuple(range(4515))
    assert (graph.friends.count, int(graph.degrees.max())) == (53246, 1539)
    assert graph.friends.components[1] == 1


def test_a_name_that_no_file_can_have():
    assert "cannot be read: embedded null" in error_line(DataError, read_graph, "a\0b")
