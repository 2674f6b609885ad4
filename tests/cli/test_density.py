"""``kproof anonymize density``: regions on disk, whole or not at all, and who can have asked."""

import re
from pathlib import Path

import networkx as nx
import pytest
from cases import cases
from shell import kproof, printed, refused, typed
from tables import rows_of

from kproof.models.papers.density_figures import FIGURES

WORDS = ("anonymize", "density", "--audience", "study")
_SIZES = ("--density-k", "4,3,2")


@pytest.fixture
def town(tmp_path: Path) -> Path:
    graph = nx.grid_2d_graph(4, 3)
    for place, node in enumerate(graph):
        graph.nodes[node].update(users=place % 4, x=node[0], y=node[1])
    nx.write_graphml(nx.convert_node_labels_to_integers(graph), tmp_path / "town.graphml")
    return tmp_path / "town.graphml"


def written(path: Path) -> dict[str, list[str]]:
    """Return the nodes of each region in a file."""
    regions: dict[str, list[str]] = {}
    for row in rows_of(path):
        regions.setdefault(row["region"], []).append(row["node"])
    return regions


def test_regions_are_written_and_accounted_for(town, tmp_path):
    path = tmp_path / "out.csv"
    lines = printed(*WORDS, "--graphml", str(town), "--k", "3", "-o", str(path)).splitlines()
    assert lines[0] == "nodes: 12, of them 3 without users"
    assert lines[4].startswith("method: density(reading=corrected, k=3, depth=1")
    assert lines[7].startswith("single crossings: 0 of ")
    assert lines[7].endswith("regions are one, 0 have users at one only")
    assert lines[-2].endswith("crossings; fewer than k for 0 of 18 users, one crossing for 0")
    assert lines[-1] == f"written: {path}"
    graph, regions = nx.read_graphml(town), written(path)
    assert sorted(node for region in regions.values() for node in region) == sorted(graph)
    for region in regions.values():
        assert nx.is_connected(graph.subgraph(region))
        assert sum(graph.nodes[node]["users"] for node in region) >= 3


def test_json(town, tmp_path):
    path = tmp_path / "out.csv"
    words = typed(
        "--graphml {town} --reading printed --density-k 4,3,2 -o {path}", town=town, path=path
    )
    document = kproof(*WORDS, *words, "--least-nodes", "1", "--json").document
    assert document["schema"] == 2
    assert document["parameters"]["levels"] == [4, 3, 2]
    assert document["requests"] == 9
    assert document["city"]["components"] == 1
    assert document["output"] == str(path)
    assert set(document["users_with_fewer_than_k"]) == {"by_k", "by_region", "by_region_and_k"}
    assert document["regions"] == len({row.split(",")[0] for row in path.read_text().split()[1:]})


def test_regions_of_a_single_crossing_are_refused_unless_told(town, tmp_path):
    path = tmp_path / "out.csv"
    words = typed(
        "--graphml {town} --reading printed --density-k 4,3,2 -o {path}", town=town, path=path
    )
    said = refused(*WORDS, *words)
    told = re.fullmatch(
        r"--least-nodes is not given: need 1 to publish them, or more: (\d+) of (\d+) "
        r"regions have users at"
        r" a single crossing, which says where they are",
        said,
    )
    assert told is not None
    assert not path.exists()
    document = kproof(*WORDS, *words, "--least-nodes", "1", "--json").document
    regions = written(path)
    users = nx.read_graphml(town).nodes(data="users")
    single = [one for one in regions.values() if sum(users[node] > 0 for node in one) == 1]
    assert list(map(int, told.groups())) == [len(single), len(regions)]
    assert document["single"]["at_one_node"] == len(single)
    assert document["single"]["of_one_node"] == sum(len(one) == 1 for one in regions.values())
    for least in ("2", "4"):
        assert kproof(*WORDS, *words, "--least-nodes", least).status == 0
        held = [sum(users[node] > 0 for node in one) for one in written(path).values()]
        assert min(held) >= int(least)


def test_without_a_file_the_grid_is_cloaked_and_targets_are_named():
    first = kproof(
        *WORDS, "--requesting", "3", "--requesting", "24", "--seed", "1", "--json"
    ).document
    assert (first["requests"], first["city"]["nodes"], first["city"]["users"]) == (2, 25, 30)
    assert refused(*WORDS, "--requesting", "25").startswith(
        "--requesting = 25: need one of the 25 nodes"
    )
    assert refused(*WORDS, "--requesting", "x").startswith(
        "--requesting = x: need one of the 25 nodes"
    )


def test_the_experiment_is_drawn(town, tmp_path):
    folder = tmp_path / "results"
    out = printed(
        *WORDS, "--figures", str(folder), "--requests", "5", "--seed", "2", "--draw", "nodes"
    )
    assert sorted(path.name for path in folder.iterdir()) == sorted([*FIGURES, "runs.csv"])
    assert out.splitlines()[-1] == f"written: {folder / 'runs.csv'}"
    words = ("--graphml", str(town), "--density-k", "3", "--thresholds", "")
    document = kproof(
        *WORDS, *words, "--figures", str(folder), "--requests", "5", "--json"
    ).document
    assert document["experiment"]["summary"]["runs"] == 5
    assert {run["k"] for run in document["experiment"]["runs"]} == {3}


@cases(
    (("--nodes", "n.csv"), "files = --nodes: need --nodes and --edges, or --graphml"),
    (("--osm", "a.osm", "--graphml", "b.graphml"), "files = '--graphml --osm': need"),
    (("--osm", "a.csv"), "--osm = a.csv: need a file called *.osm, or packed"),
    (("--graphml", "a.osm.bz2"), "--graphml = a.osm.bz2: need a file called *.graphml"),
    (("--osm", "a.osm.pbf"), "a.osm.pbf: OpenStreetMap PBF is not read"),
    (("--osm", "none.XML.gz"), "none.XML.gz: cannot be read: No such file"),
    (("--osm", "none.osm"), "none.osm: cannot be read: No such file"),
    (("--nodes", "none.csv", "--edges", "none.csv"), "none.csv: no such file"),
    (("--k", "0"), "--k = 0: need a whole number"),
    (("--density-k", "5"), "--density-k = (5,): need 3 numbers"),
    (("--reading", "odd"), "--reading = odd: need printed or corrected"),
    (("--named", "users"), "--named = users: need NAME=VALUE"),
    (("--named", "hue=red", "--osm", "a.osm"), "--named = hue: need one of node"),
    (("--least-nodes", "0"), "--least-nodes = 0: need a whole number"),
    (("--least-nodes", "18"), "none of 17 requests can be served"),
    (("--k", "31"), "none of 17 requests can be served"),
    (("--users", "0"), "none of 0 requests can be served"),
)
def test_bad_words_are_answered_in_one_line(words, says):
    assert refused(*WORDS, *words).startswith(says)


def test_nothing_is_written_on_error(town, tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("before")
    before = town.read_bytes()
    refused(*WORDS, "--graphml", str(town), "--k", "19", "-o", str(path))
    assert path.read_text() == "before"
    said = refused(*WORDS, "--graphml", str(town), "-o", str(town))
    assert said.endswith("need another file than those that are read")
    assert town.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [path, town]
    osm = tmp_path / "town.osm"
    osm.write_text(
        '<osm><node id="1" lat="1" lon="1"/><node id="2" lat="1" lon="1"/><way id="3">'
        '<nd ref="1"/><nd ref="2"/><tag k="highway" v="path"/></way></osm>'
    )
    assert refused(*WORDS, "--osm", str(osm)).endswith(
        "no users; say --users N or --named users=NAME"
    )
    assert kproof(*WORDS, "--osm", str(osm), "--users", "20").status == 0
