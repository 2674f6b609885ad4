"""Neighbourhoods of dependency graphs: against the definition, and at the size of real files."""

from pathlib import Path

import networkx as nx
import pytest
from apart import python
from cases import error_line
from hypothesis import given
from hypothesis import strategies as st
from nights import by_day
from shell import kproof, refused

from kproof.errors import InvalidArgument
from kproof.theory.theorems.dependency import (
    graph_of_unknown,
    largest_neighbourhood,
    validate_graph,
)


def by_definition(graph: nx.Graph, known: set[int]) -> set[tuple[int, int]]:
    """Return the pairs of unknown records with a path between them whose inside is all known."""
    unknown = sorted(set(graph) - known)
    return {
        (a, b)
        for a in unknown
        for b in unknown
        if a < b and nx.has_path(graph.subgraph({a, b} | known), a, b)
    }


@st.composite
def graphs(draw: st.DrawFn) -> tuple[nx.Graph, set[int]]:
    n = draw(st.integers(1, 9))
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    ends = st.integers(0, n - 1)
    graph.add_edges_from(draw(st.lists(st.tuples(ends, ends), max_size=14)))
    return graph, draw(st.sets(ends, max_size=n - 1))


@given(graphs())
def test_what_is_known_ties_what_lies_around_it(drawn):
    graph, known = drawn
    pairs = by_definition(graph, known)
    found = graph_of_unknown(graph, known)
    assert {tuple(sorted(edge)) for edge in found.edges if edge[0] != edge[1]} == pairs
    assert set(found) == set(graph) - known
    sizes = [1 + sum(node in pair for pair in pairs) for node in set(graph) - known]
    assert largest_neighbourhood(graph, known) == max(sizes)


def test_records_without_a_node_are_tied_to_none_only_where_the_graph_says_so():
    graph = nx.Graph([(0, 2)])
    with pytest.raises(InvalidArgument, match="record 1 is missing; add isolated nodes"):
        validate_graph(graph, n=4)
    with pytest.raises(InvalidArgument, match="record 3 is missing"):
        validate_graph(graph, n=4, known={1, 7})
    assert validate_graph(graph, n=4, known={1, 3}) is graph
    graph.graph["records"] = 4
    assert validate_graph(graph, n=4) is graph
    assert set(graph_of_unknown(graph)) == {0, 1, 2, 3}
    assert "record 1 is missing" in error_line(InvalidArgument, validate_graph, graph, n=5)


def test_a_star_around_a_known_record_is_counted_without_being_written_out():
    rays = 200_000
    assert largest_neighbourhood(nx.star_graph(rays), {0}) == rays


BOUND = [
    *("bound", "3", "--mean", "3", "--second", "10", "--third", "40", "--fourth", "200"),
    *("--epsilon", "0.1", "--json"),
]


def test_ten_million_records_stay_within_a_gigabyte(tmp_path):
    """Only records with an edge take memory; the peak is that of a process of its own."""
    if not Path("/proc/self/status").exists():
        pytest.skip("the system does not tell the peak of a process")
    path = tmp_path / "edges.txt"
    path.write_text(
        "".join(f"{i} {i + 1}\n" for i in range(0, by_day(20_000, at_night=200_000), 2)),
        encoding="utf-8",
    )
    words = [*BOUND, "--n", "10000000", "--dependency", str(path)]
    code = (
        "import sys; from kproof.cli import main; status = main(sys.argv[1:]);"
        "lines = open('/proc/self/status').read().splitlines();"
        "sys.stderr.write(next(line.split()[1] for line in lines if line.startswith('VmHWM')));"
        "sys.exit(status)"
    )
    ran = python("-c", code, *words)
    assert ran.returncode in {1, 4}, ran.stderr
    assert int(ran.stderr) < 1 << 20  # kilobytes


def test_a_file_of_more_edges_than_fit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("kproof.cli.bounds.inputs.MOST_EDGES", 2)
    path = tmp_path / "edges.txt"
    path.write_text("0 1\n1 2\n2 3\n", encoding="utf-8")
    words = [*BOUND, "--n", "100", "--dependency", str(path)]
    assert refused(*words) == f"{path}: over 2 edges; give --neighbourhood in its place"
    path.write_text("0 1\n1 2\n", encoding="utf-8")
    assert kproof(*words).status in {1, 4}
