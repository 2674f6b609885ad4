"""Properties by name: verdicts, the runs that show them, and what a part of a space leaves open."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from cases import error_line
from graph_spaces import digraph, explored, graph_space, node, random_edges, reached
from nights import by_day

from kproof.errors import InvalidArgument, NetError
from kproof.petri.logic.ctl import AF, AG, EF, EG
from kproof.petri.logic.predicates import Dead, marked, token
from kproof.petri.logic.properties import (
    Property,
    PropertyVerdict,
    TruthValue,
    at,
    bound,
    check,
    deadlock,
    fair,
    home,
    impartial,
    invariant,
    just,
    leads_to,
    live,
    possible,
    reachable,
    temporal,
    terminating,
)
from kproof.petri.net.colours import Dot, enumeration
from kproof.petri.net.firing import replay
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net, NetBuilder
from kproof.petri.net.terms import Constant, Shift, Variable, everything
from kproof.petri.spaces.space import StateSpace


def decided(space: StateSpace, asked: Property) -> PropertyVerdict:
    (verdict,) = check(space, [asked])
    if verdict.trace is not None:
        assert replay(space.net, verdict.trace) == verdict.trace.end
        assert space.find(verdict.trace.start) in space.roots
    return verdict


def random_space(seed: int, nodes: int = 8) -> StateSpace:
    rng = random.Random(seed)
    return graph_space(
        nodes, random_edges(rng, nodes), rng.sample(range(nodes), rng.choice((1, 2)))
    )


def distances(space: StateSpace) -> dict[int, int]:
    """Fewest steps from any root."""
    graph = nx.DiGraph(reached(space))
    graph.add_edges_from(("start", int(root)) for root in space.roots)
    found = nx.single_source_shortest_path_length(graph, "start")
    return {state: steps - 1 for state, steps in found.items() if state != "start"}


def test_broken_invariants_have_the_shortest_counterexample():
    lengths = []
    for seed in range(300):
        space = random_space(seed)
        bad = seed % 8
        far = [s for s in range(space.states) if node(space.marking(s)) == bad]
        verdict = decided(space, invariant("never", lambda marking, bad=bad: node(marking) != bad))
        assert verdict.outcome == ("false" if far else "true")
        sought = decided(space, reachable("there", token("At", bad) >= 1))
        assert sought.outcome == ("true" if far else "false")
        for one in (verdict, sought):
            assert (one.trace is not None) == bool(far)
            if one.trace is not None:
                assert node(one.trace.end) == bad
                assert len(one.trace.steps) == distances(space)[far[0]]
                assert str(len(one.trace.steps)) in one.reason
                lengths.append(len(one.trace.steps))
    assert max(lengths) >= 3


def test_home_live_possible_deadlock_and_termination_by_reachability():
    seen: dict[tuple[str, str], int] = {}
    for seed in range(300):
        space = random_space(seed)
        graph = nx.DiGraph(reached(space))
        onward = {s: nx.descendants(graph, s) | {s} for s in graph}
        firing_a = {
            s for s in graph if "a" in {firing.transition for firing, _ in space.successors(s)}
        }
        dead = {s for s in graph if not graph.out_degree(s)}
        target = space.marking(seed % space.states)
        has_a = "a" in space.net.transition
        expected = {
            home("home", at(target)): all(seed % space.states in onward[s] for s in graph),
            deadlock(): not dead,
            deadlock(at(target)): dead <= {seed % space.states},
            terminating(): nx.is_directed_acyclic_graph(graph),
            leads_to("after", at(space.marking(0)), Dead()): (
                not any(nx.simple_cycles(graph.subgraph(onward[0])))
            ),
        }
        if has_a:
            expected[live("a")] = all(onward[s] & firing_a for s in graph)
            expected[possible("a")] = bool(firing_a)
        for asked, holds in expected.items():
            verdict = decided(space, asked)
            assert bool(verdict) == holds, (seed, asked.name)
            assert verdict.outcome is (TruthValue.TRUE if holds else TruthValue.FALSE)
            key = (asked.name, str(verdict.outcome))
            seen[key] = seen.get(key, 0) + 1
    assert len(seen) >= 12
    assert min(seen.values()) >= 3, seen


def circuits(space: StateSpace) -> Iterator[tuple[set[int], set[str]]]:
    """States and transitions that some infinite run has infinitely often: all such pairs."""
    edges = list(reached(space).edges(keys=True, data="name"))
    for size in range(1, len(edges) + 1):
        for chosen in combinations(edges, size):
            part = digraph([(u, str(key), v) for u, v, key, _ in chosen], [])
            if nx.is_strongly_connected(part):
                yield set(part), {name for *_, name in chosen}


def test_fairness_is_that_of_every_set_a_run_may_visit_for_ever():
    seen: dict[str, set[bool]] = {}
    for seed in range(200):
        rng = random.Random(seed)
        space = graph_space(4, [*random_edges(rng, 4, "ab")[:7], (0, "a", 1)], [rng.randrange(4)])
        enabling = {
            s for s in range(space.states) if "a" in {f.transition for f, _ in space.successors(s)}
        }
        endless = list(circuits(space))
        cyclic = bool(endless)
        neglecting = [states for states, names in endless if "a" not in names]
        for asked, holds in {
            impartial("a"): not neglecting,
            fair("a"): not any(states & enabling for states in neglecting),
            just("a"): not any(states <= enabling for states in neglecting),
        }.items():
            verdict = decided(space, asked)
            assert bool(verdict) == (holds and cyclic), (seed, asked)
            if not cyclic:
                assert (verdict.outcome, verdict.trace) == (TruthValue.VACUOUS, None)
                assert verdict.reason.startswith("no run is infinite")
                continue
            seen.setdefault(asked.name, set()).add(holds)
            if verdict.trace is not None:
                loop = verdict.trace.loop
                assert loop is not None
                assert "a" not in {firing.transition for firing, _ in verdict.trace.steps[loop:]}
                visited = {space.find(marking) for _, marking in verdict.trace.steps[loop:]}
                assert visited in neglecting
                if asked == fair("a"):
                    assert visited & enabling
                if asked == just("a"):
                    assert visited <= enabling
    assert all(answers == {True, False} for answers in seen.values())
    assert len(seen) == 3


def test_a_partial_space_decides_only_what_the_rest_cannot_change():
    counted = dict.fromkeys(TruthValue, 0)
    for seed in range(by_day(90, at_night=250)):
        whole = random_space(seed)
        rng = random.Random(seed)
        cut = rng.randrange(len(whole.roots), whole.states + 1) if whole.states > 1 else 1
        roots = [whole.marking(int(root)) for root in whole.roots]
        part = explored(whole.net, initial=roots, expanded=cut)
        spot = rng.randrange(8)
        here = token("At", spot) >= 1
        asked: list[Property] = [
            invariant("never", ~here),
            reachable("there", here),
            deadlock(),
            home("home", here),
            terminating(),
            leads_to("then", here, Dead()),
            temporal("always possible", "AG (EX true)"),
            *(
                kind(name)
                for name in whole.net.transition
                for kind in (impartial, fair, just, live)
            ),
        ]
        for one in asked:
            in_part, in_whole = decided(part, one), decided(whole, one)
            if in_part.outcome is TruthValue.UNKNOWN:
                assert part.status == "partial"
                assert in_part.trace is None
                assert str(part.states) in in_part.reason
            else:
                assert in_part.outcome == in_whole.outcome, (seed, one.name)
            counted[in_part.outcome] += 1
        if part.status == "full":
            continue
        found = any(node(part.marking(s)) == spot for s in range(part.states))
        assert decided(part, asked[0]).outcome == ("false" if found else "unknown")
        assert decided(part, asked[1]).outcome == ("true" if found else "unknown")
    assert min(counted.values()) > by_day(18, at_night=50), counted


def test_every_and_some_root():
    space = graph_space(4, [(0, "a", 1), (2, "a", 3)], [2, 0])
    here = token("At", 3) >= 1
    assert decided(space, reachable("three", here))
    verdict = decided(space, temporal("three from everywhere", EF(here)))
    assert verdict.outcome is TruthValue.FALSE
    assert verdict.trace is not None
    assert node(verdict.trace.start) == 0
    both = decided(space, temporal("on from everywhere", "EX true"))
    assert both.outcome is TruthValue.TRUE
    assert both.trace is None
    assert decided(space, temporal("from none", EF(token("At", 0) >= 2))).outcome == "false"


def test_one_run_is_shown_where_one_is_enough():
    space = graph_space(3, [(0, "a", 1), (1, "a", 2), (2, "b", 0)])
    last = token("At", 2) >= 1
    assert len(decided(space, temporal("some", EF(last))).trace.steps) == 2
    assert decided(space, temporal("some", EG(~(token("At", 0) >= 2)))).trace.loop == 0
    assert decided(space, temporal("all", AF(last))).trace is None
    assert len(decided(space, temporal("not never", ~AG(~last))).trace.steps) == 2
    assert decided(space, temporal("not all", ~AF(token("At", 0) >= 2))).trace.loop == 0


def philosophers(count: int) -> Net:
    seats = enumeration("Seat", range(count), cyclic=True)
    x = Variable("x", seats)
    build = NetBuilder("philosophers")
    build.place("Think", seats, everything(seats))
    build.place("Fork", seats, everything(seats))
    build.place("Wait", seats)
    build.place("Eat", seats)
    build.transition("left", takes={"Think": x, "Fork": x}, puts={"Wait": x})
    build.transition("right", takes={"Wait": x, "Fork": Shift(x, 1)}, puts={"Eat": x})
    build.transition("leave", takes={"Eat": x}, puts={"Think": x, "Fork": x + Shift(x, 1)})
    return build.net()


def test_philosophers_who_take_the_left_fork_first():
    space = explored(philosophers(4))
    stuck = decided(space, deadlock())
    assert stuck.outcome is TruthValue.FALSE
    assert len(stuck.trace.steps) == 4
    assert stuck.trace.end.total("Wait") == 4
    assert decided(space, deadlock("marked(Wait) == 4"))
    assert decided(space, bound("Eat", 2))
    crowd = decided(space, bound("Eat", 1))
    assert len(crowd.trace.steps) == 4
    assert decided(
        space, invariant("forks", (marked("Fork") + marked("Wait") + 2 * marked("Eat")).equals(4))
    )
    starving = decided(space, leads_to("fed", "token(Wait, 0)", "token(Eat, 0)"))
    assert starving.outcome is TruthValue.FALSE
    passed = [starving.trace.start, *(marking for _, marking in starving.trace.steps)]
    waiting = next(i for i, marking in enumerate(passed) if 0 in marking["Wait"])
    assert not any(0 in marking["Eat"] for marking in passed[waiting:])
    assert waiting == 1
    assert starving.trace.loop is not None
    assert not decided(space, live("leave"))
    assert decided(space, possible("leave", binding={"x": 3}))
    assert str(crowd) == "at most 1 in Eat: false (counterexample of 4 steps)"
    assert crowd.to_dict()["trace"]["loop"] is None
    assert len(crowd.to_dict()["trace"]["steps"]) == 4


def test_invariants_need_no_arcs_and_the_rest_says_that_it_does():
    whole = explored(philosophers(4))
    without = replace(whole, targets=whole.targets[:0], labels=whole.labels[:0])
    assert decided(without, bound("Eat", 2))
    for asked in (bound("Eat", 1), deadlock()):
        assert decided(without, asked).trace == decided(whole, asked).trace
    for asked in (live("leave"), terminating(), fair("leave"), possible("left")):
        with pytest.raises(InvalidArgument, match="keep_arcs = False: need True"):
            check(without, [asked])


def test_a_growing_net_is_decided_as_far_as_it_goes():
    build = NetBuilder("growing")
    build.place("P", Dot())
    build.transition("more", puts={"P": everything(Dot())})
    part = explored(build.net(), expanded=5)
    full = decided(part, bound("P", 3))
    assert full.outcome is TruthValue.FALSE
    assert len(full.trace.steps) == 4
    assert decided(part, bound("P", 9)).outcome is TruthValue.UNKNOWN
    assert decided(part, terminating()).outcome is TruthValue.UNKNOWN
    assert decided(part, reachable("many", marked("P") >= 5))


@pytest.mark.parametrize("wrong", [7, None, np.array([1])])
def test_what_is_no_predicate_is_refused(wrong):
    with pytest.raises(InvalidArgument, match="need a formula, its text, or a function"):
        invariant("odd", wrong)


def test_names_are_checked_when_a_property_is_decided():
    space = explored(philosophers(2))
    assert "no place Spoon" in error_line(NetError, check, space, [bound("Spoon", 1)])
    assert "no transition jump" in error_line(NetError, check, space, [fair("jump")])
    with pytest.raises(NetError, match="predicate sure raised"):
        check(space, [invariant("sure", lambda marking: marking.nothing)])


def test_constant_markings():
    space = explored(philosophers(2))
    assert decided(space, home("start", at(space.net.initial))).outcome is TruthValue.FALSE
    other: Marking = space.net.marking({"Think": Constant(0, space.net.place["Think"].colour)})
    assert decided(space, reachable("other", at(other))).outcome is TruthValue.FALSE
