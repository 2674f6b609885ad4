"""Cities from files, beside networkx, pandas and a plain count; and files that must be refused."""

import bz2
import gzip
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from cases import cases, error_line
from public_data import data_file

import kproof
from kproof.errors import DataError, InvalidArgument
from kproof.models.base import xml_stream
from kproof.models.inputs import as_kind
from kproof.models.places.city.city import City, Coordinates
from kproof.models.places.city.files import read_city, spread
from kproof.models.registry import Kind

NODES = "osmid,lat,lon,users\na,50.1,8.1,2\nb,50.2,8.2,0\nc,50.3,8.3,5\n"
EDGES = "from_,to,oneway\na,b,False\nb,c,True\n"


def csv(folder: Path, nodes: str = NODES, edges: str = EDGES, **options: Any) -> City:
    (folder / "nodes.csv").write_text(nodes)
    (folder / "edges.csv").write_text(edges)
    return read_city(folder / "nodes.csv", edges=folder / "edges.csv", **options)


def markup(path: Path, text: str, **options: Any) -> City:
    path.write_text(text)
    return read_city(path, **options)


def test_nodes_and_streets_from_csv(tmp_path):
    city = csv(tmp_path)
    assert city.names == ("a", "b", "c")
    assert city.users.tolist() == [2, 0, 5]
    assert city.roads.edges.tolist() == [[0, 1], [1, 2]]
    assert city.one_way.tolist() == [[1, 2]]
    assert city.coordinates is Coordinates.DEGREES
    assert (np.asarray(city.x).tolist(), np.asarray(city.y)[0]) == ([8.1, 8.2, 8.3], 50.1)


def test_columns_under_other_names_and_a_plane(tmp_path):
    ends = {"start": "one", "end": "two"}
    columns = {"node": "key", "x": "east", "y": "north", "users": "homes"} | ends
    nodes = "key,east,north,homes\n1,0,0,4\n2,1,0,1\n"
    city = csv(tmp_path, nodes, "one,two\n1,2\n", columns=columns)
    assert city.users.tolist() == [4, 1]
    assert city.coordinates is Coordinates.PLANE
    assert csv(tmp_path, coordinates="plane").coordinates is Coordinates.PLANE


def test_directions_of_streets(tmp_path):
    nodes = "id,users\n1,1\n2,1\n3,1\n4,1\n"
    edges = "u,v,oneway\n1,2,yes\n2,1,yes\n2,3,-1\n3,4,true\n3,4,no\n4,1,1\n4,1,1\n1,1,no\n"
    city = csv(tmp_path, nodes, edges)
    # 1-2 both ways; 2-3 against its direction; 3-4 both ways after all; 4-1 twice; a loop.
    assert city.one_way.tolist() == [[2, 1], [3, 0]]
    assert (city.roads.count, city.roads.merged, city.roads.loops) == (4, 2, 1)


def test_users_are_spread_with_a_seed(tmp_path):
    one, two = (csv(tmp_path, users=1000, seed=7).users for _ in range(2))
    assert one.tolist() == two.tolist()
    assert one.sum() == 1000
    assert (np.abs(one - 1000 / 3) < 100).all()
    assert csv(tmp_path, users=1000, seed=8).users.tolist() != one.tolist()
    assert spread(City.grid(2, 2), 0).population == 0


@cases(
    (NODES, EDGES + "c,x,no\n", "edges.csv, line 4: a street leads to x, which is no node"),
    (NODES, EDGES + "c,a,maybe\n", "edges.csv, line 4: one-way is maybe; need yes, no or -1"),
    (NODES + "a,1,1,1\n", EDGES, "nodes.csv: two nodes are called a"),
    (NODES + "d,91,1,1\n", EDGES, "nodes.csv: node d has y = 91.0; need from -90 to 90"),
    (NODES + "d,nan,1,1\n", EDGES, "nodes.csv, line 5: y is nan; need a number"),
    (NODES + "d,,1,1\n", EDGES, "nodes.csv, line 5: y is ''; need a number"),
    (NODES + "d,1,1,-1\n", EDGES, "nodes.csv, line 5: -1 users; need a whole number"),
    (NODES + "d,1,1,1.5\n", EDGES, "nodes.csv, line 5: 1.5 users; need a whole number"),
    (NODES + "d,1\n", EDGES, "nodes.csv, line 5"),
    ("a,b\n1,2\n", EDGES, "nodes.csv: no column for node: need one of osmid"),
    ("id,lat\n1,2\n", EDGES, "nodes.csv: no column for x"),
    (NODES, "from_\na\n", "edges.csv: no column for end: need one of to_"),
    (NODES, "", "edges.csv"),
)
def test_bad_csv_is_refused_by_line(nodes, edges, message, tmp_path):
    with pytest.raises(DataError, match=message):
        csv(tmp_path, nodes, edges)


def test_options_are_checked_before_files_are_read():
    for options, message in (
        ({"edges": None}, "edges is not given: need the file with the streets"),
        ({"columns": {"colour": "x"}}, "columns = colour: need one of node"),
        ({"coordinates": "miles"}, "coordinates = miles: need plane or degrees"),
        ({"users": -1}, "users = -1"),
        ({"seed": "x"}, "seed = x"),
    ):
        with pytest.raises(InvalidArgument, match=message):
            read_city("nowhere.csv", **options)
    with pytest.raises(InvalidArgument, match=r"none; town\.osm has its own"):
        read_city("town.osm", edges="edges.csv")
    assert "PBF is not read; convert it" in error_line(DataError, read_city, "town.osm.pbf")


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_graphml_as_networkx_reads_it(tmp_path, kind):
    graph = kind([(0, 1), (1, 2), (2, 1), (1, 1), (3, 4), (0, 1)])
    for node in graph:
        graph.nodes[node].update(x=node / 8, y=-node, users=node % 3)
    nx.write_graphml(graph, tmp_path / "town.graphml")
    city = read_city(tmp_path / "town.graphml")
    theirs = City.from_networkx(nx.read_graphml(tmp_path / "town.graphml"))
    assert city.names == theirs.names
    for ours, other in (
        (city.users, theirs.users),
        (city.roads.edges, theirs.roads.edges),
        (city.one_way, theirs.one_way),
        (city.x, theirs.x),
        (city.y, theirs.y),
    ):
        assert np.asarray(ours).tolist() == np.asarray(other).tolist()
    roads, expected = city.roads, theirs.roads
    assert (roads.merged, roads.loops) == (expected.merged, expected.loops)
    assert city.to_dict() == theirs.to_dict()


GRAPHML = """<?xml version="1.0" encoding="utf-8"?>
<g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns">
  <g:key id="k0" for="node" attr.name="users"><g:default>3</g:default></g:key>
  <g:key id="k1" for="node" attr.name="lon"/><g:key id="k2" for="node" attr.name="lat"/>
  <g:key id="k3" for="edge" attr.name="oneway"/><g:key id="k4" for="graph" attr.name="crs"/>
  <g:graph edgedefault="undirected">
    <g:node id="a"><g:data key="k1">8</g:data><g:data key="k2">50</g:data></g:node>
    <g:node id="b"><g:data key="k1">9</g:data><g:data key="k2">51</g:data>
      <g:data key="k0">1</g:data></g:node>
    <g:edge source="a" target="b"><g:data key="k3">-1</g:data></g:edge>
    <g:data key="k4">plain</g:data>
  </g:graph>
</g:graphml>"""


def test_graphml_with_prefixes_defaults_and_directions(tmp_path):
    city = markup(tmp_path / "town.graphml", GRAPHML)
    assert city.users.tolist() == [3, 1]
    assert city.coordinates is Coordinates.DEGREES
    assert city.one_way.tolist() == [[1, 0]]
    other = GRAPHML.replace('"lon"', '"x"').replace('"lat"', '"y"')
    assert markup(tmp_path / "a.graphml", other).coordinates is Coordinates.PLANE
    other = other.replace("plain", "EPSG:4326")
    assert markup(tmp_path / "b.graphml", other).coordinates is Coordinates.DEGREES
    people = markup(tmp_path / "c.graphml", GRAPHML, columns={"users": "lon"})
    assert people.users.tolist() == [8, 9]


@cases(
    ('target="b"', 'target="x"', "a street leads to x, which is no node"),
    ('source="a" ', "", "<edge> has no source"),
    ('key="k1"', 'key="k9"', "line 7: data of key k9, which is not declared"),
    ("g:edge", "g:hyperedge", "a hyperedge; need edges between two nodes"),
    ('<g:data key="k1">8</g:data>', "", "node a has no lon; others have it"),
    (">8<", ">east<", "node a: lon is east; need a number"),
    (">8<", ">181<", "node a has x = 181.0; need from -180 to 180"),
    (">1</g:data></g:node>", ">one</g:data></g:node>", "node b: one users"),
    (' for="node" attr.name="lat"/>', ' for="node" attr.name="l"/>', "one coordinate of two"),
    ("</g:graph>", "", "line 13: not well-formed: mismatched tag"),
    ("g:graphml", "g:html", "starts with <html>; need <graphml>"),
    ('encoding="utf-8"', 'encoding="koi8-r"', "encoding koi8-r; need one of utf-8"),
)
def test_bad_graphml_is_refused(old, new, message, tmp_path):
    assert old in GRAPHML
    with pytest.raises(DataError, match=message):
        markup(tmp_path / "town.graphml", GRAPHML.replace(old, new))


BILLION = """<?xml version="1.0"?>
<!DOCTYPE graphml [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<graphml><graph edgedefault="directed"><node id="&b;"/></graph></graphml>"""


def test_xml_is_not_trusted(tmp_path, monkeypatch):
    with pytest.raises(DataError, match=r"line 2: a document type .DOCTYPE. is refused"):
        markup(tmp_path / "town.graphml", BILLION)
    with pytest.raises(DataError, match="undefined entity"):
        markup(tmp_path / "b.graphml", GRAPHML.replace(">8<", ">&x;<"))
    with pytest.raises(DataError, match=r"town\.graphml: has no graph"):
        markup(tmp_path / "town.graphml", "<graphml/>")
    graph = '<graph edgedefault="directed"/>'
    text = f"<graphml>{graph}{graph}</graphml>"
    with pytest.raises(DataError, match="a second graph; need one"):
        markup(tmp_path / "town.graphml", text)
    packed = tmp_path / "bomb.graphml.bz2"
    packed.write_bytes(bz2.compress(b"<graphml>" + b" " * 10_000_000))
    monkeypatch.setattr(xml_stream, "BYTES", 2**20)
    assert "more than 1 MiB, the largest document" in error_line(DataError, read_city, packed)
    with pytest.raises(DataError, match=r"nowhere.osm: cannot be read: No such file"):
        read_city(tmp_path / "nowhere.osm")


OSM = """<?xml version='1.0' encoding='UTF-8'?>
<osm version="0.6"><bounds minlon="0" minlat="0" maxlon="1" maxlat="1"/>
<node id="1" lat="50" lon="8"/><node id="2" lat="50" lon="8.1"/><node id="3" lat="50" lon="8.2"/>
<node id="4" lat="51" lon="8.1"/><node id="5" lat="49" lon="8.1"/><node id="6" lat="1" lon="1"/>
<node id="7" visible="false"/>
<way id="10"><nd ref="1"/><nd ref="2"/><nd ref="3"/><nd ref="99"/><nd ref="6"/>
  <tag k="highway" v="residential"/><tag k="oneway" v="yes"/></way>
<way id="11"><nd ref="5"/><nd ref="2"/><nd ref="4"/><tag k="highway" v="footway"/></way>
<way id="12"><nd ref="4"/><nd ref="6"/><tag k="highway" v="construction"/></way>
<way id="13"><nd ref="4"/><nd ref="6"/><tag k="building" v="yes"/></way>
<way id="14"><nd ref="4"/><nd ref="6"/><tag k="highway" v="steps"/><tag k="area" v="yes"/></way>
<relation id="20"><member type="way" ref="10"/><tag k="highway" v="primary"/></relation>
</osm>"""


def test_osm_streets_cross_and_end(tmp_path):
    city = markup(tmp_path / "town.osm", OSM)
    assert city.names == ("1", "2", "3", "4", "5")
    named = {tuple(sorted(city.names[v] for v in e)) for e in city.roads.edges.tolist()}
    assert named == {("1", "2"), ("2", "3"), ("2", "5"), ("2", "4")}
    assert [[city.names[v] for v in way] for way in city.one_way.tolist()] == [
        ["1", "2"],
        ["2", "3"],
    ]
    assert city.coordinates is Coordinates.DEGREES


def test_osm_bends_are_left_out_and_directions_kept(tmp_path):
    bent = OSM.replace('<nd ref="5"/><nd ref="2"/>', '<nd ref="5"/>')
    assert "2" not in markup(tmp_path / "town.osm", bent).names
    for old, new, ways in (
        ('v="yes"/></way>\n<way id="11"', 'v="-1"/></way>\n<way id="11"', [["2", "1"], ["3", "2"]]),
        ('v="yes"/></way>\n<way id="11"', 'v="reversible"/></way>\n<way id="11"', []),
        (
            '<tag k="oneway" v="yes"/>',
            '<tag k="junction" v="roundabout"/>',
            [["1", "2"], ["2", "3"]],
        ),
    ):
        assert old in OSM
        city = markup(tmp_path / "town.osm", OSM.replace(old, new))
        assert sorted([city.names[v] for v in way] for way in city.one_way.tolist()) == ways


def test_packed_files_and_torn_ones(tmp_path):
    plain = markup(tmp_path / "town.osm", OSM).to_dict()
    for suffix, pack in ((".bz2", bz2.compress), (".gz", gzip.compress)):
        path, packed = tmp_path / f"town.osm{suffix}", pack(OSM.encode())
        path.write_bytes(packed)
        assert read_city(path).to_dict() == plain
        path.write_bytes(packed[:-20])
        with pytest.raises(DataError, match=r"town\.osm.*: cannot be read|not well-formed"):
            read_city(path)
    for text, message in (
        (OSM[:600], "not well-formed"),
        (OSM.replace('lat="51" ', ""), "line 4: <node> has no lat"),
        (OSM.replace('lat="51"', 'lat="fifty"'), "line 4: lat is fifty; need a number"),
        (OSM.replace('lat="51"', 'lat="91"'), "node 4 has y = 91.0; need from -90 to 90"),
        ("<osm/>", "has no streets"),
        ("", "no element found"),
    ):
        with pytest.raises(DataError, match=message):
            markup(tmp_path / "town.osm", text)


def test_pittsburgh_as_pandas_and_networkx_read_it():
    nodes, edges = data_file("pgh_nodes.csv"), data_file("pgh_edges.csv")
    city = read_city(nodes, edges=edges)
    frame = pd.read_csv(edges, usecols=["from_", "to", "oneway"], dtype={"oneway": str})
    graph = nx.MultiGraph(list(frame[["from_", "to"]].itertuples(index=False, name=None)))
    graph.add_nodes_from(pd.read_csv(nodes)["osmid"])
    assert (city.nodes, city.roads.loops) == (20_930, nx.number_of_selfloops(graph))
    simple = nx.Graph(graph)
    simple.remove_edges_from(list(nx.selfloop_edges(simple)))
    assert city.roads.count == simple.number_of_edges()
    sizes = sorted(map(len, nx.connected_components(simple)))
    assert np.sort(np.bincount(city.components[0])).tolist() == sizes
    assert sizes[-1] == 20_652


def test_west_oakland_is_read():
    city = read_city(data_file("West-Oakland.osm.bz2"), users=100)
    assert (city.nodes, city.roads.count, city.population) == (54, 62, 100)
    assert (kproof.anonymize("density", city, k=5).users >= 0).all()


def test_whatever_is_at_hand(tmp_path):
    csv(tmp_path)
    files = (tmp_path / "nodes.csv", str(tmp_path / "edges.csv"))
    (tmp_path / "town.osm").write_text(OSM)
    grid = City.grid(2, 2)
    found = [(grid, 4), (nx.path_graph(3), 3), (files, 3)]
    for given, count in [*found, (tmp_path / "town.osm", 5), (str(tmp_path / "town.osm"), 5)]:
        city = as_kind(Kind.CITY, given)
        assert isinstance(city, City)
        assert city.nodes == count
    assert as_kind(Kind.CITY, grid) is grid


def test_points_and_graphs_at_hand(tmp_path):
    import polars as pl

    frame = pd.DataFrame({"Latitude": [1.5, 2], "lon": [3, 4.25], "UserID": ["a", "b"]})
    frame.to_csv(tmp_path / "points.csv", index=False)
    frame.to_parquet(tmp_path / "points.parquet")
    plain = [frame, pl.DataFrame(frame.to_dict("list")), tmp_path / "points.csv"]
    for given in [*plain, tmp_path / "points.parquet"]:
        points = as_kind(Kind.POINTS, given)
        assert (points.lat.tolist(), points.lon.tolist()) == ([1.5, 2.0], [3.0, 4.25])
        assert points.names == ("a", "b")
        assert as_kind(Kind.POINTS, points) is points
    assert as_kind(Kind.POINTS, frame[["Latitude", "lon"]]).users is None
    (tmp_path / "friends.tsv").write_text("0\t1\n1\t2\n")
    graph = as_kind(Kind.GRAPH, tmp_path / "friends.tsv")
    assert (graph.names, graph.friends.count) == ((0, 1, 2), 2)
    assert as_kind(Kind.GRAPH, graph) is graph
    assert as_kind(Kind.GRAPH, nx.cycle_graph(5)).friends.count == 5


def test_what_is_not_at_hand(tmp_path):
    (tmp_path / "three.csv").write_text("a,b,c\n1,2,3\n")
    (tmp_path / "bad.csv").write_text("lat,lon\n1,east\n")
    (tmp_path / "bad.parquet").write_text("no")
    for kind, given, message in (
        (Kind.CITY, 3, "data = int: need a City"),
        (Kind.CITY, ["a.csv"], "data = list"),
        (Kind.GRAPH, {}, "data = dict: need a SocialGraph"),
        (Kind.POINTS, 3, "data = int: need Points"),
        (Kind.GRAPH, tmp_path / "three.csv", "is not two users; need two"),
        (Kind.POINTS, tmp_path / "three.csv", "no column for lat: need lat, latitude or y"),
        (Kind.POINTS, tmp_path / "bad.csv", "line 2: lon is east; need a number"),
        (Kind.POINTS, tmp_path / "bad.parquet", "bad.parquet: "),
        (Kind.POINTS, tmp_path / "none.parquet", "none.parquet: "),
        (Kind.POINTS, pd.DataFrame({"lat": [1]}), "the frame: no column for lon"),
    ):
        with pytest.raises((DataError, InvalidArgument), match=message):
            as_kind(kind, given)
