"""CTL against its definition on graphs, in full and in part."""

import operator
import random

import networkx as nx
import numpy as np
import pytest
from cases import cases, error_line
from graph_spaces import explored, graph_space, node, on_cycles, random_edges, reached
from nights import by_day

from kproof.errors import InvalidArgument, NetError
from kproof.petri.logic.ctl import (
    AF,
    AG,
    AU,
    AX,
    EF,
    EG,
    EU,
    EX,
    And,
    Formula,
    Implies,
    Not,
    Or,
    Truth,
)
from kproof.petri.logic.ctl_check import Checker, evidence
from kproof.petri.logic.ctl_text import DEEPEST, parse
from kproof.petri.logic.predicates import Dead, Enabled, Holds, HoldsIn, marked, token
from kproof.petri.net.colours import enumeration
from kproof.petri.net.firing import replay
from kproof.petri.net.net import Net, NetBuilder
from kproof.petri.net.terms import Shift, Variable, everything, tuple_of
from kproof.petri.spaces.space import StateSpace

UNARY = (EX, AX, EF, AF, EG, AG, Not)


def random_formula(rng: random.Random, nodes: int, depth: int) -> Formula:
    if depth == 0 or rng.random() < 0.1:
        value = rng.randrange(nodes)
        return rng.choice(
            (Truth(rng.random() < 0.5), Dead(), Enabled("a"), token("At", value) >= 1)
            + (Not(token("At", value) >= 1),) * 3
        )
    kind = rng.randrange(10)
    one = random_formula(rng, nodes, depth - 1)
    if kind < 7:
        return UNARY[kind](one)
    other = random_formula(rng, nodes, depth - 1)
    return rng.choice(
        (And((one, other)), Or((one, other)), Implies(one, other))
        + (EU(one, other), AU(one, other)) * 2
    )


def satisfying(space: StateSpace, formula: Formula) -> set[int]:
    """States in which a formula holds, as the definition over maximal paths has it."""
    graph = nx.DiGraph(reached(space))
    states = set(graph)
    dead = {state for state in states if not graph.out_degree(state)}

    def forever(inside: set[int]) -> set[int]:
        """States with a maximal path inside."""
        part = graph.subgraph(inside)
        return backwards(part, (dead & inside) | on_cycles(part))

    def backwards(part: nx.DiGraph, goal: set[int]) -> set[int]:
        return goal.union(*(nx.ancestors(part, one) for one in goal))

    def until(before: set[int], goal: set[int]) -> set[int]:
        part = graph.subgraph(before | goal).copy()
        part.remove_edges_from([edge for edge in part.edges if edge[0] not in before])
        return backwards(part, goal)

    def of(one: Formula) -> set[int]:
        match one:
            case Truth(value):
                return states if value else set()
            case Dead():
                return dead
            case Not(part):
                return states - of(part)
            case And(parts):
                return set.intersection(*map(of, parts))
            case Or(parts):
                return set.union(*map(of, parts))
            case Implies(premise, conclusion):
                return (states - of(premise)) | of(conclusion)
            case EX(part):
                inside = of(part)
                return {state for state in states if inside & set(graph.successors(state))}
            case AX(part):
                inside = of(part)
                return {state for state in states if inside >= set(graph.successors(state))}
            case EF(part):
                return until(states, of(part))
            case EU(before, goal):
                return until(of(before), of(goal))
            case EG(part):
                return forever(of(part))
            case AG(part):
                return states - until(states, states - of(part))
            case AF(part):
                return states - forever(states - of(part))
            case AU(before, goal):
                without = states - of(goal)
                return states - until(without, without - of(before)) - forever(without)
            case Enabled(transition):
                return {
                    state
                    for state in states
                    if transition in {firing.transition for firing, _ in space.successors(state)}
                }
        marked_nodes = [node(space.marking(state)) for state in sorted(states)]
        wanted = one.left.terms[0][2]
        return {state for state in states if marked_nodes[state] == wanted}

    return of(formula)


def random_case(seed: int) -> tuple[random.Random, int, list, list[int], Formula]:
    rng = random.Random(seed)
    nodes = rng.randint(1, 7)
    edges = [*random_edges(rng, nodes), (0, "a", rng.randrange(nodes))]
    roots = sorted(rng.sample(range(nodes), rng.randint(1, min(2, nodes))))
    return rng, nodes, edges, roots, random_formula(rng, nodes, rng.randint(1, 4))


@pytest.mark.parametrize("block", range(4))
def test_every_state_has_what_the_definition_says(block):
    for seed in range(150 * block, 150 * (block + 1)):
        _, nodes, edges, roots, formula = random_case(seed)
        space = graph_space(nodes, edges, roots)
        known = Checker(space).evaluate(formula)
        assert set(np.flatnonzero(known.surely)) == satisfying(space, formula), str(formula)
        assert (known.surely == known.possibly).all()


def test_a_part_of_a_space_never_contradicts_the_whole():
    decided = 0
    for seed in range(400):
        rng, nodes, edges, roots, formula = random_case(seed)
        whole = graph_space(nodes, edges, roots)
        part = graph_space(nodes, edges, roots, expanded=rng.randrange(whole.states + 1))
        truth = Checker(whole).evaluate(formula).surely[: part.states]
        known = Checker(part).evaluate(formula)
        assert not (known.surely & ~known.possibly).any()
        assert not (known.surely & ~truth).any(), str(formula)
        assert not (~known.possibly & truth).any(), str(formula)
        decided += int((known.surely | ~known.possibly)[part.expanded == part.states :].sum())
    assert decided > 200


def test_what_is_unknown_depends_on_what_was_not_explored():
    """Some completion of the part makes an unknown formula true, another makes it false."""
    checker = Checker(graph_space(3, [(0, "a", 1), (0, "a", 2), (1, "b", 0)], expanded=2))
    goal = token("At", 2) >= 1
    expected = {
        EF(goal): ("true", "true"),
        AF(goal): ("false", "false"),
        EF(Dead()): ("unknown", "unknown"),
        AG(EF(goal)): ("unknown", "unknown"),
        EG(~goal): ("true", "true"),
        EX(EX(token("At", 0) >= 1)): ("true", "false"),
        EX(EX(token("At", 1) >= 1)): ("unknown", "true"),
    }
    for formula, said_of_both in expected.items():
        known = checker.evaluate(formula)
        said = tuple(
            "true" if sure else "unknown" if perhaps else "false"
            for sure, perhaps in zip(known.surely[:2], known.possibly[:2], strict=True)
        )
        assert said == said_of_both, str(formula)


def test_dead_markings_end_paths():
    checker = Checker(graph_space(2, [(0, "a", 1)]))
    here = token("At", 1) >= 1
    last = {
        EX(Truth(True)): False,
        AX(Truth(False)): True,
        AF(here): True,
        AF(~here): False,
        EG(here): True,
        AG(here): True,
        AU(~here, here): True,
        EU(here, ~here): False,
    }
    for formula, holds in last.items():
        assert checker.evaluate(formula).surely[1] == holds, str(formula)


def shows(
    space: StateSpace, formula: Formula, visited: list[int], loop: int | None, holds: bool
) -> bool:
    """Say whether a run through some states shows that a formula in core form holds or fails."""

    def has(part: Formula, at: int) -> bool:
        return visited[at] in satisfying(space, part)

    def shown(one: Formula, at: int, holds: bool) -> bool:
        if has(one, at) is not holds:
            return False
        rest = range(at, len(visited))
        match one:
            case Not(part):
                return shown(part, at, not holds)
            case And(parts) if holds and any(shown(part, at, True) for part in parts):
                return True
            case And(parts) if not holds:
                return any(shown(part, at, False) for part in parts)
            case EX(part) if holds:
                return at + 1 < len(visited) and shown(part, at + 1, True)
            case EU(before, goal) if holds:
                return any(
                    shown(goal, end, True) and all(has(before, i) for i in range(at, end))
                    for end in rest
                )
            case AU(before, goal) if not holds:
                maximal = loop is not None or not list(space.successors(visited[-1]))
                never = maximal and not any(has(goal, i) for i in rest)
                return never or any(
                    shown(before, end, False) and not any(has(goal, i) for i in range(at, end + 1))
                    for end in rest
                )
        return at == len(visited) - 1

    return shown(formula, 0, holds)


def test_evidence_of_every_shape_replays_and_shows_what_it_is_for():
    lassos = 0
    for seed in range(500):
        _, nodes, edges, roots, formula = random_case(seed)
        space = graph_space(nodes, edges, roots)
        checker = Checker(space)
        core = formula.core()
        surely = checker.evaluate_core(core).surely
        for holds in (True, False):
            sources = np.flatnonzero(surely == holds)
            if len(sources):
                walk = evidence(checker, core, holds=holds, sources=sources)
                trace = space.along(walk.start, walk.arcs, loop=walk.loop)
                assert walk.start in sources
                assert replay(space.net, trace) == trace.end
                visited = [walk.start, *(int(space.targets[arc]) for arc in walk.arcs)]
                assert shows(space, core, visited, walk.loop, holds), str(formula)
                lassos += walk.loop is not None
    assert lassos > 30


def test_paths_and_lassos_are_as_short_as_promised():
    kinds = {"path": 0, "lasso": 0, "dead": 0}
    for seed in range(400):
        rng = random.Random(seed)
        nodes = rng.randint(2, 9)
        space = graph_space(nodes, random_edges(rng, nodes))
        graph = nx.DiGraph(reached(space))
        checker = Checker(space)
        held = set(rng.sample(range(nodes), rng.randint(1, nodes)))
        inside = {s for s in graph if node(space.marking(s)) in held}
        formula = Holds("inside", lambda marking, held=held: node(marking) in held)
        root = np.array([0])
        if set(graph) - inside:
            walk = evidence(checker, AG(formula).core(), holds=False, sources=root)
            near = min(nx.shortest_path_length(graph, 0, s) for s in set(graph) - inside)
            assert len(walk.arcs) == near
            kinds["path"] += 1
        if 0 in satisfying_forever(graph, inside):
            walk = evidence(checker, EG(formula).core(), holds=True, sources=root)
            part = graph.subgraph(inside)
            distance = nx.single_source_shortest_path_length(part, 0)
            ends = {s for s in inside if not graph.out_degree(s)}
            nearest = min(distance[s] for s in (ends | on_cycles(part)) & set(distance))
            visited = [0, *(int(space.targets[arc]) for arc in walk.arcs)]
            assert set(visited) <= inside
            stem = len(walk.arcs) if walk.loop is None else walk.loop
            assert stem == nearest
            if walk.loop is None:
                assert visited[-1] in ends
                kinds["dead"] += 1
            else:
                begin = visited[stem]
                again = min(
                    1 + nx.shortest_path_length(part, after, begin)
                    for after in part.successors(begin)
                    if nx.has_path(part, after, begin)
                )
                assert visited[-1] == begin
                assert len(walk.arcs) - stem == again
                kinds["lasso"] += 1
    assert min(kinds.values()) > 20, kinds


def satisfying_forever(graph: nx.DiGraph, inside: set[int]) -> set[int]:
    part = graph.subgraph(inside)
    goal = on_cycles(part) | {s for s in inside if not graph.out_degree(s)}
    return goal.union(*(nx.ancestors(part, one) for one in goal))


def among(nodes: list[int]) -> Formula:
    return Or(tuple(token("At", one) >= 1 for one in nodes))


def test_until_keeps_to_the_states_before_its_goal():
    """Shortest paths and nearest ends are those of the part of the graph they may go through."""
    paths = ends = longer = 0  # longer: where other ways are shorter
    for seed in range(by_day(120, at_night=300)):
        rng = random.Random(seed)
        onward = [(u, "a", u + d) for u in range(9) for d in rng.sample((1, 2, 3), 2)]
        edges = [*onward, *((rng.randrange(12), "a", rng.randrange(12)) for _ in range(2))]
        space = graph_space(12, edges)
        graph = nx.DiGraph(reached(space))
        before = among([0, *rng.sample(range(1, 12), 7)])
        goal = among([11, rng.randrange(1, 12)])
        checker = Checker(space)
        ok, end = satisfying(space, before), satisfying(space, goal)
        for formula, holds, part, stops in (
            (EU(before, goal), True, ok | end, end),
            (AU(before, goal), False, set(graph) - end, set(graph) - end - ok),
        ):
            core = formula.core()
            if (0 in satisfying(space, formula)) is not holds:
                continue
            walk = evidence(checker, core, holds=holds, sources=np.array([0]))
            visited = [0, *(int(space.targets[arc]) for arc in walk.arcs)]
            assert shows(space, core, visited, walk.loop, holds)
            inside = graph.subgraph(part)
            if not holds:
                stops |= {s for s in part if not graph.out_degree(s)} | on_cycles(inside)
            inside = inside.copy()
            inside.remove_edges_from([edge for edge in inside.edges if edge[0] in stops])
            distance = nx.single_source_shortest_path_length(inside, 0)
            steps = min(distance[s] for s in stops if s in distance)
            assert (len(walk.arcs) if walk.loop is None else walk.loop) == steps
            anywhere = nx.single_source_shortest_path_length(graph, 0)
            longer += steps > min(anywhere[s] for s in stops)
            paths += holds
            ends += not holds
    assert min(paths, ends, longer) > by_day(2, at_night=5), (paths, ends, longer)


def test_of_two_failures_the_nearer_is_shown():
    space = graph_space(4, [(0, "a", 1), (1, "a", 2), (2, "a", 3)])
    near, far = (AG(~(token("At", one) >= 1)) for one in (1, 3))
    for both in (And((near, far)), And((far, near))):
        assert evidence(Checker(space), both.core(), holds=False, sources=np.array([0])).end == 1


def test_where_the_first_part_of_an_until_breaks_the_run_shows_why():
    space = graph_space(4, [(0, "a", 1), (1, "a", 2), (2, "a", 3)])
    formula = AU(AX(~(token("At", 2) >= 1)), token("At", 3) >= 1)
    assert evidence(Checker(space), formula.core(), holds=False, sources=np.array([0])).end == 2


def test_evidence_from_a_part_is_evidence_in_the_whole():
    shown_of = {True: 0, False: 0}
    for seed in range(500):
        rng, nodes, edges, roots, formula = random_case(seed)
        whole = graph_space(nodes, edges, roots)
        part = graph_space(nodes, edges, roots, expanded=rng.randrange(whole.states + 1))
        checker = Checker(part)
        core = formula.core()
        known = checker.evaluate_core(core)
        for holds, sure in ((True, known.surely), (False, ~known.possibly)):
            sources = np.flatnonzero(sure)
            if len(sources) and part.status == "partial":
                walk = evidence(checker, core, holds=holds, sources=sources)
                visited = [walk.start, *(int(part.targets[arc]) for arc in walk.arcs)]
                assert shows(whole, core, visited, walk.loop, holds), str(formula)
                shown_of[holds] += 1
    assert min(shown_of.values()) > 50, shown_of


def test_an_open_end_that_breaks_a_path_leaves_nothing_open():
    checker = Checker(graph_space(3, [(0, "a", 1), (1, "a", 2)], expanded=1))
    start, last = token("At", 0) >= 1, token("At", 2) >= 1
    for formula in (EU(start, last), AU(start, last)):
        assert not checker.evaluate(formula).possibly.any()


def tables() -> Net:
    """Guests come to a table with one of two meals, and leave."""
    seats = enumeration("Seat", ["1", "2"], cyclic=True)
    meals = enumeration("Meal", ["soup", "fish of the day"])
    x, m = Variable("x", seats), Variable("m", meals)
    build = NetBuilder("tables")
    build.place("Free", seats, 2 * everything(seats))
    build.place("Eats now", tuple_of(x, m).colour)
    build.transition("come", takes={"Free": x}, puts={"Eats now": tuple_of(x, m)})
    build.transition("go", takes={"Eats now": tuple_of(x, m)}, puts={"Free": Shift(x, 1)})
    return build.net()


COUNTED = {
    "marked(Free) >= 3": lambda m: m.total("Free") >= 3,
    "token(Free, 1)": lambda m: m["Free"].get("1", 0) >= 1,
    'token(Free, "2") == 2': lambda m: m["Free"].get("2", 0) == 2,
    'marked(Free) - 2*token("Eats now", (1, "fish of the day")) < 1': (
        lambda m: m.total("Free") - 2 * m["Eats now"].get(("1", "fish of the day"), 0) < 1
    ),
    '-1 + marked("Eats now") != token(Free, 1) + 1': (
        lambda m: m.total("Eats now") - 1 != m["Free"].get("1", 0) + 1
    ),
    '3 >= marked("Eats now") and not (2 <= marked(Free) or dead)': (
        lambda m: m.total("Eats now") < 4 and m.total("Free") < 2
    ),
    'marked(Free) <= 1 -> token("Eats now", (2, soup))': (
        lambda m: m.total("Free") > 1 or ("2", "soup") in m["Eats now"]
    ),
}


@pytest.mark.parametrize("text", COUNTED)
def test_counts_are_read_and_printed(text):
    space = explored(tables())
    formula = parse(text)
    found = Checker(space).evaluate(formula).surely
    assert list(found) == [COUNTED[text](space.marking(s)) for s in range(space.states)]
    assert 0 < found.sum() < space.states
    assert parse(str(formula)) == formula


def test_random_formulas_print_as_they_are_read():
    for seed in range(300):
        formula = random_case(seed)[-1]
        assert parse(str(formula)).core() == formula.core(), str(formula)


def test_a_predicate_of_one_place_is_asked_once_for_each_multiset():
    asked = []

    def crowded(multiset: object) -> bool:
        asked.append(multiset)
        return len(multiset) > 1

    space = explored(tables())
    known = Checker(space).evaluate(HoldsIn("crowded", "Free", crowded))
    assert list(known.surely) == [len(space.marking(s)["Free"]) > 1 for s in range(space.states)]
    assert len(asked) == len(set(asked)) < space.states


def test_bindings_are_told_apart():
    space = explored(tables())
    first = Enabled("come", (("x", "1"),))
    expected = [space.marking(s)["Free"].get("1", 0) > 0 for s in range(space.states)]
    assert list(Checker(space).evaluate(first).surely) == expected
    assert not all(expected)


def test_large_counts_stay_exact():
    build = NetBuilder("crowd")
    seats = enumeration("Seat", ["a"])
    x = Variable("x", seats)
    build.place("Many", seats, (2**62) * everything(seats))
    build.place("Few", seats)
    build.transition("move", takes={"Many": x}, puts={"Few": x}, guard=x.differs("a"))
    checker = Checker(explored(build.net()))
    assert checker.evaluate(4 * marked("Many") - 1 > 0).surely.all()
    assert checker.evaluate((4 * marked("Many")).equals(2**64)).surely.all()


WRONG = {
    "": "a formula at character 1, not the end",
    "AG (EF": "a formula at character 7, not the end",
    "AG (dead": ") at character 9, not the end",
    "dead dead": "the end at character 6, not 'dead'",
    "marked(P) >=": "a number, marked() or token() at character 13",
    "marked(": "a place at character 8",
    "token(P)": ", at character 8, not ')'",
    "token(P, -x)": "a number at character 11, not 'x'",
    "E[dead and dead]": "U at character 16, not ']'",
    "finished": "one of marked(), token(), enabled(), dead, final at character 1, not 'finished'",
    "dead ; import os": "the end at character 6, not ';'",
    "__import__('os')": "one of marked()",
    "9999999999999999999999": "a formula at character 1, not '9'",
    "(" * 500: f"at most {DEEPEST} levels of nesting",
    "not " * 500 + "dead": f"at most {DEEPEST} levels of nesting",
    "dead -> " * 500 + "dead": f"at most {DEEPEST} levels of nesting",
    "token(P, " + "(" * 500: f"at most {DEEPEST} levels of nesting",
}


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_text_that_is_no_formula_is_refused_where_it_goes_wrong(text):
    assert WRONG[text] in error_line(InvalidArgument, parse, text, {"final": Dead()})


def test_long_chains_are_read():
    assert parse(" and ".join(["dead"] * 5000)) == And((Dead(),) * 5000)


@cases(
    (marked("Nowhere") >= 1, "net tables has no place Nowhere"),
    (token("Free", 7) >= 1, "colour Seat has no token 7"),
    (token("Free", (1, 2)) >= 1, "colour Seat has no token"),
    (Enabled("jump"), "net tables has no transition jump"),
    (Enabled("come", (("z", 1),)), "transition come has no variable z"),
    (HoldsIn("p", "Nowhere", bool), "net tables has no place Nowhere"),
    (Holds("odd", lambda marking: 1 // 0), "predicate odd raised ZeroDivisionError"),
    (HoldsIn("odd", "Free", lambda tokens: 1 // 0), "predicate odd raised ZeroDivisionError"),
)
def test_what_the_net_does_not_have_is_named(formula, message):
    with pytest.raises(NetError, match=r"^[^\n]*$") as error:
        Checker(explored(tables())).evaluate(formula)
    assert message in str(error.value)


@pytest.mark.parametrize("number", [1.5, True, "2"])
def test_counts_are_compared_with_whole_numbers(number):
    assert "count = " in error_line(InvalidArgument, operator.ge, marked("Free"), number)
