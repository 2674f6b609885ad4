"""The standard report: each figure from its definition on small spaces."""

import json
import random
from collections import Counter
from dataclasses import replace

import networkx as nx
import pytest
from cases import error_line
from graph_spaces import explored, graph_space, random_edges, reached
from small_nets import hourglass, parcels

from kproof.errors import InvalidArgument, TooLarge
from kproof.petri.logic.standard import dead_firings, live_firings, standard_report
from kproof.petri.net.colours import Open
from kproof.petri.net.net import NetBuilder
from kproof.petri.net.terms import Constant, Variable
from kproof.petri.spaces.space import StateSpace


def random_space(seed: int, *, expanded: int | None = None) -> StateSpace:
    rng = random.Random(seed)
    nodes = rng.randint(1, 8)
    edges = [*random_edges(rng, nodes), (0, "a", rng.randrange(nodes))]
    return graph_space(nodes, edges, rng.sample(range(nodes), 1), expanded=expanded)


def test_bounds_are_those_of_all_markings():
    space = explored(parcels())
    markings = [space.marking(state) for state in range(space.states)]
    for one in standard_report(space).bounds:
        bags = [Counter(dict(marking[one.place])) for marking in markings]
        assert (one.least, one.most) == (
            min(bag.total() for bag in bags),
            max(bag.total() for bag in bags),
        )
        upper, lower = Counter(), bags[0]
        for bag in bags:
            upper, lower = upper | bag, lower & bag
        assert dict(one.upper) == dict(upper)
        assert dict(one.lower) == dict(lower)
        rank = space.net.place[one.place].colour.rank
        assert list(one.upper) == sorted(one.upper, key=lambda entry: rank(entry[0]))
    van, door = standard_report(space).bounds
    assert (van.upper, van.lower) == ((("big", 2), ("small", 1)), ())
    assert door.most == 3


def test_components_home_markings_and_liveness_by_reachability():
    seen: Counter[str] = Counter()
    for seed in range(300):
        space = random_space(seed)
        graph = reached(space)
        report = standard_report(space)
        parts = list(nx.strongly_connected_components(graph))
        part_of = {state: i for i, part in enumerate(parts) for state in part}
        assert report.scc.nodes == len(parts)
        assert report.scc.arcs == sum(part_of[u] != part_of[v] for u, v in graph.edges())
        onward = {state: nx.descendants(graph, state) | {state} for state in graph}
        home = set.intersection(*onward.values())
        assert set(report.home.tolist()) == home
        assert report.dead.tolist() == [s for s in sorted(graph) if not graph.out_degree(s)]
        assert report.infinite == (not nx.is_directed_acyclic_graph(nx.DiGraph(graph)))
        seen["home" if home else "no home"] += 1
        firings = {space.firing(arc) for arc in range(space.arcs)}
        live = set()
        for firing in firings:
            there = {int(space.source(a)) for a in range(space.arcs) if space.firing(a) == firing}
            if all(onward[state] & there for state in graph):
                live.add(firing)
        assert set(live_firings(space)) == live
        seen["live instance" if live else "none"] += 1
        for one in report.transitions:
            there = {u for u, _, name in graph.edges(data="name") if name == one.transition}
            assert one.arcs == sum(name == one.transition for *_, name in graph.edges(data="name"))
            assert one.dead == (not there)
            assert one.live == all(onward[state] & there for state in graph)
            seen[f"dead {one.dead}"] += 1
            seen[f"live {one.live}"] += 1
    assert min(seen.values()) > 10, seen
    assert len(seen) == 8


def test_a_partial_report_is_silent_or_right():
    known: Counter[str] = Counter()
    for seed in range(300):
        whole = random_space(seed)
        part = random_space(seed, expanded=random.Random(seed).randrange(whole.states + 1))
        said, truth = standard_report(part), standard_report(whole)
        if said.home is not None:
            assert said.home.tolist() == truth.home.tolist()
            known["home"] += part.status == "partial"
        assert set(said.dead.tolist()) <= set(truth.dead.tolist())
        assert said.infinite in (None, truth.infinite)
        for one, other in zip(said.transitions, truth.transitions, strict=True):
            for name in ("dead", "live", "fairness"):
                if getattr(one, name) is not None:
                    assert getattr(one, name) == getattr(other, name), (seed, name)
                    known[name] += part.status == "partial"
    assert set(known) == {"home", "dead", "live", "fairness"}
    assert min(known.values()) > 1, known


def test_classes_of_fairness():
    """Rounds 0 → 1 → 2 → 0; from 1 a detour; from 0 one may also stay."""
    edges = [(0, "go", 1), (1, "on", 2), (1, "off", 0), (2, "back", 0)]
    by_name = {
        one.transition: one.fairness.value
        for one in standard_report(graph_space(3, edges)).transitions
    }
    assert by_name == {"go": "impartial", "on": "just", "off": "just", "back": "fair"}
    staying = graph_space(3, [*edges, (0, "stay", 0)])
    by_name = {one.transition: one.fairness.value for one in standard_report(staying).transitions}
    assert by_name["go"] == "no fairness"
    assert by_name["back"] == "fair"


def test_dead_instances_are_the_rest_of_those_that_could_be():
    dead = [str(firing) for firing in dead_firings(explored(parcels()))]
    assert dead == [
        "deliver(h=1, s=huge)",
        "deliver(h=2, s=huge)",
        "return(h=3, s=big)",
        "lose(s=huge)",
    ]
    with pytest.raises(TooLarge, match="deliver has 9 combinations of values: need at most 8"):
        dead_firings(explored(parcels()), most=8)


def test_instances_of_open_colours_cannot_be_listed():
    anything = Open("Any", lambda value: isinstance(value, int))
    x = Variable("x", anything)
    build = NetBuilder("open")
    build.place("P", anything, Constant(1, anything))
    build.transition("drop", takes={"P": x})
    with pytest.raises(InvalidArgument, match="variable x of transition drop = Any"):
        dead_firings(explored(build.net()))


def test_instances_of_a_partial_space_are_not_guessed():
    part = explored(parcels(), expanded=1)
    for ask in (live_firings, dead_firings):
        assert "status = partial: need a full state space" in error_line(InvalidArgument, ask, part)


def test_without_arcs_bounds_and_dead_markings_remain():
    whole = explored(parcels())
    report = standard_report(replace(whole, targets=whole.targets[:0], labels=whole.labels[:0]))
    assert report.bounds == standard_report(whole).bounds
    assert report.dead.tolist() == whole.dead.tolist()
    assert (report.scc, report.home, report.infinite) == (None, None, None)
    assert {one.live for one in report.transitions} == {None}
    assert "Home markings: unknown" in str(report)


PRINTED = """\
Statistics
  State space: 3 nodes, 2 arcs, 0 seconds, explored all states
  SCC graph: 3 nodes, 2 arcs

Best integer bounds (upper, lower)
  Above: 2, 0
  Below: 2, 0

Best upper multi-set bounds
  Above: 2`•
  Below: 2`•

Best lower multi-set bounds
  Above: empty
  Below: empty

Home markings: [2]
Dead markings: [2]
Dead transitions: turn
Live transitions: none

Fairness
  No infinite occurrence sequences."""


def test_the_printed_report_has_the_sections_of_cpn_tools():
    assert str(standard_report(explored(hourglass()))) == PRINTED


def test_a_partial_report_prints_what_is_unknown():
    text = str(standard_report(explored(hourglass(), expanded=1)))
    for line in (
        "at least 2 nodes, at least 1 arcs, 0 seconds, explored in part, stopped by the budget of "
        "10,000,000 states",
        "SCC graph: 2 nodes so far, 1 arcs so far",
        "Above: at least 2, 1 so far",
        "Below: at least 1, 0",
        "Below: at least 1`•",
        "Above: 1`• so far",
        "Below: empty",
        "Home markings: unknown",
        "Dead markings: none so far",
        "Dead transitions: none so far; unknown: turn",
        "Live transitions: unknown",
        "fall: unknown",
    ):
        assert line in text


def test_the_json_form_is_plain():
    written = json.loads(json.dumps(standard_report(explored(hourglass())).to_dict()))
    assert written["statistics"]["scc_nodes"] == {"final": 3}
    assert written["bounds"][0]["upper"] == {"final": [["•", 2]]}
    assert written["dead_markings"] == {"count": {"final": 1}, "listed": {"final": ["Below: 2·•"]}}
    assert written["transitions"][1] == {
        "transition": "turn",
        "arcs": {"final": 0},
        "dead": True,
        "live": False,
        "fairness": None,
    }
    assert written["infinite_runs"] is False
