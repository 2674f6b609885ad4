"""``--law``, ``--field`` and ``--groups`` end to end: what is read, and what is refused."""

import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import networkx as nx
import pytest
from cases import cases, error_line
from shell import kproof, refused

from kproof.cli.bounds.laws import TieOptions, read_groups
from kproof.errors import DataError, InvalidArgument
from kproof.theory.laws.conditional_mass import conditional_masses
from kproof.theory.laws.typed_mass import INDEPENDENT_GROUPS, LEAST_MASS, MARKOV_FIELD

CHAIN = {
    "kind": "chain",
    "initial": ["1/3", "2/3"],
    "transition": [["3/5", "2/5"], ["1/5", "4/5"]],
    "values": [0, 1],
    "n": 8,
}
TABLE = {
    "records": [0, 1],
    "rows": [
        {"given": [0], "law": {"0": "2/3", "1": "1/3"}},
        {"given": [1], "law": {"0": "1/3", "1": "2/3"}},
    ],
}
FIELD = {"kind": "field", "n": 2, "edges": [[0, 1]], "tables": [TABLE]}
GRAPH = {"kind": "field", "n": 5, "edges": [[0, 1], [1, 2], [2, 3], [3, 4]]}


@pytest.fixture(autouse=True)
def _folder(here: Path) -> None:
    for name, document in {"chain": CHAIN, "field": FIELD, "graph": GRAPH}.items():
        Path(f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    nx.write_graphml(nx.path_graph(5), "path.graphml")
    Path("groups.txt").write_text("# couples\n0 1\n2, 3\n\n", encoding="utf-8")
    Path("edges.txt").write_text("0 1\n1 2\n", encoding="utf-8")


def test_the_exact_value_of_a_chain_in_a_file():
    found = kproof("exact", "file", "--law", "chain.json", "--epsilon", "0", "--json").document
    steps = [[Fraction(3, 5), Fraction(2, 5)], [Fraction(1, 5), Fraction(4, 5)]]
    sums = [Fraction(0)] * 10
    for path in product((0, 1), repeat=8):
        mass = Fraction(1 + path[0], 3)
        for time in range(7):
            mass *= steps[path[time]][path[time + 1]]
        sums[sum(path)] += mass
    delta = sum(max(Fraction(0), sums[i] - (sums[i - 1] if i else 0)) for i in range(9))
    assert Fraction(found["delta"]["lower"]) <= delta <= Fraction(found["delta"]["upper"])


def test_a_bound_for_a_law_in_a_file():
    ran = kproof("bound", "3", "--law", "chain.json", "--epsilon", "0.5", "--json")
    corrected = json.loads(ran.out)["readings"]["corrected"]
    assert {one["status"] for one in corrected["hypotheses"]} == {"holds"}
    assert json.loads(ran.out)["exact"]["note"] == "MarkovChain(2 states, 8 records)"
    field = kproof("exact", "file", "--law", "field.json", "--epsilon", "0", "--json").document
    assert Fraction(field["delta"]["lower"]) <= Fraction(1, 3) <= Fraction(field["delta"]["upper"])


@pytest.mark.parametrize("file", ["path.graphml", "graph.json"])
def test_a_graph_is_the_field_that_somebody_says_it_is(file):
    found = TieOptions(field=file).records(block=4, mass="0.3", known=[2])["masses"]
    assert len(found.records) == 2
    assert not {2} & set(found.records)
    assert found.masses == {Fraction(3, 10): 2}
    assert found.owed == (MARKOV_FIELD, LEAST_MASS)
    with pytest.raises(InvalidArgument, match="n = 6: need 5, the records of the file"):
        TieOptions(field=file).records(block=4, mass="0.3", n=6)


def test_groups_and_laws_count_records():
    grouped = TieOptions(groups="groups.txt").records(block=4, mass="0.3", n=6)["masses"]
    assert (grouped.records, grouped.owed) == ((0, 2, 4, 5), (INDEPENDENT_GROUPS, LEAST_MASS))
    for options in (TieOptions(field="field.json"), TieOptions(law="field.json")):
        found = conditional_masses(options.records(block=None)["law"], block=2)
        assert (found.masses, found.owed) == ({Fraction(2, 3): 1}, ())


@cases(
    (TieOptions(field="a.json", groups="b"), {}, "field = 'with --groups': need only one of these"),
    (
        TieOptions(field="graph.json"),
        {},
        "beta is not given: need the least block mass of a record",
    ),
    (TieOptions(law="chain.json"), {"mass": 1}, "beta = 1: need none: the laws in the file say it"),
    (TieOptions(groups="groups.txt"), {"mass": 1}, "n is not given: need the number of records"),
    (TieOptions(groups="groups.txt"), {"mass": 1, "n": 3}, "groups = 3: need indexes of the 3"),
)
def test_options_that_do_not_go_together(options, given, message):
    assert error_line(InvalidArgument, options.records, block=2, **given).startswith(message)


def test_files_that_are_no_field():
    # The edges of a dependency graph are not taken for a field by accident.
    pictures = {
        "edges.txt": "edges.txt: need a .graphml or .json file with the graph of a Markov field",
        "chain.json": "chain.json: kind = chain: need field, a graph with or without tables",
    }
    for name, (graph, message) in {
        "directed.graphml": (nx.DiGraph([(0, 1)]), "a directed graph; need an undirected one"),
        "shifted.graphml": (nx.Graph([(1, 2)]), "field node = 2: need the 2 records 0 to 1"),
        "named.graphml": (nx.Graph([("a", "b")]), "id a; need the index of a record"),
        "loop.graphml": (nx.Graph([(0, 0)]), "field edge = '0 - 0': need edges between two"),
    }.items():
        nx.write_graphml(graph, name)
        pictures[name] = message
    for name, message in pictures.items():
        with pytest.raises(DataError) as refusal:
            TieOptions(field=name).records(block=2, mass=1)
        assert message in str(refusal.value)
        assert "\n" not in str(refusal.value)
    Path("groups.txt").write_text("0 1\n2 x\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"groups\.txt, line 2: x, need indexes of records from 0"):
        read_groups("groups.txt")


@cases(
    ("exact file --law graph.json --epsilon 1", "graph.json: law of kind field: no key tables"),
    ("exact file --law none.json --epsilon 1", "none.json: cannot be read: No such file"),
    ("bound 1 --law chain.json --n 3", "theorem = 1: need 2 to 5"),
    ("bound 2 --law chain.json --data table-1a --column Age", "--law = 'with records'"),
    ("bound 2 --law chain.json --n 3", "--n = 3: need 8, the records of the file, or no n"),
)
def test_one_line_on_the_command_line(words, message):
    assert refused(*words.split()).startswith(message)
