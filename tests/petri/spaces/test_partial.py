"""What a part of a space, or half a judgement, says: nothing that the whole could contradict."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from cases import cases
from nights import by_day
from random_nets import random_net
from small_nets import hourglass, parcels, philosophers

from kproof.errors import KProofError
from kproof.petri.logic.properties import (
    TruthValue,
    bound,
    check,
    deadlock,
    fair,
    invariant,
    leads_to,
    live,
    temporal,
    terminating,
)
from kproof.petri.logic.smt import Outcome as Solved
from kproof.petri.logic.smt import unreachable_within
from kproof.petri.logic.standard import standard_report
from kproof.petri.net.colours import Dot, Integers, Open
from kproof.petri.net.net import Net, NetBuilder
from kproof.petri.net.terms import AllOf, Constant, Function, TermComparison, Variable, everything
from kproof.petri.papers import method_known
from kproof.petri.papers.api import TableNet, net
from kproof.petri.papers.attackers import attacker
from kproof.petri.papers.report import NetReport, report
from kproof.petri.papers.theta_properties import publisher_properties
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.figures import Finality
from kproof.petri.spaces.limits import Clock, Ended
from kproof.petri.spaces.simulate import simulate
from kproof.petri.spaces.space import Budget, Extremes, StateSpace
from kproof.petri.spaces.tallies import Watch
from kproof.report.nets import page_of

DOT = everything(Dot())
TABLES = {
    "swaps": [["HIV", "HIV"], ["Flu", "Cancer"]],
    "choices": [["a", "a", "a", "b"], ["b", "b", "c", "d"], ["c", "e", "f", "d"]],
}


class Counted(Clock):
    """A clock that ends at the n-th look, however fast the machine is."""

    def __init__(self, looks: int) -> None:
        super().__init__(Budget(states=None, seconds=None, megabytes=None))
        self.looks = looks

    def tick(self, more: int = 0) -> int:
        self.looks -= 1
        if self.looks < 0:
            raise Ended("seconds")
        return 0

    def allow(self, work: int) -> None:
        self.tick()


def published(name: str) -> TableNet:
    attackers = [attacker("homogeneity")]
    return net("theta-sensitive", TABLES[name], k=len(TABLES[name][0]), attackers=attackers)


def judged(made: TableNet | Net, space: StateSpace, clock: Clock | None = None) -> NetReport:
    """Everything that can be said of a space, with properties asked."""
    if isinstance(made, TableNet):
        asked = publisher_properties(made.publisher)
        return report(made, space, properties=asked, clock=clock)
    names = list(made.transition)[:2]
    asked = (deadlock(), terminating(), *map(live, names), *map(fair, names))
    return report(None, space, properties=asked, clock=clock)


def contradictions(part: object, whole: object, where: str = "") -> list[str]:
    """Where a document about a part says something that the one about the whole denies.

    A plain or final value has to be that of the whole; "at least" has to be no more, of a list or a
    mapping it is about each entry; "so far" and null leave everything open.
    """
    if part is None or part == whole:
        return []
    if isinstance(part, dict) and set(part) == {"so_far"}:
        return []
    if isinstance(part, dict) and set(part) == {"at_least"}:
        return [] if no_more(part["at_least"], whole["final"]) else [f"{where}: {part} of {whole}"]
    if isinstance(part, dict) and isinstance(whole, dict) and set(part) == set(whole):
        pairs = [(key, part[key], whole[key]) for key in part]
    elif isinstance(part, list) and isinstance(whole, list) and len(part) == len(whole):
        pairs = [(str(at), *pair) for at, pair in enumerate(zip(part, whole, strict=True))]
    else:
        return [f"{where}: {part} for {whole}"]
    return [one for key, *pair in pairs for one in contradictions(*pair, where=f"{where}/{key}")]


def no_more(part: Any, whole: Any) -> bool:
    if isinstance(part, list):
        more = dict(whole)
        return all(count <= more[token] for token, count in part)
    return part <= whole


ABOUT = ("seconds", "status", "stopped_by", "budget", "judging_stopped_by", "engine")


def said(found: NetReport) -> Any:
    """The JSON document, without what is about the exploration and the runs that are shown."""
    document = json.loads(json.dumps(found.to_dict()))
    for name in ABOUT:
        del document["statistics"][name]
    for one in document["properties"]:
        if one["outcome"] == "unknown":
            one["outcome"] = None
        del one["reason"], one["trace"]
    return document


NETS: dict[str, Callable[[], TableNet | Net]] = {
    "swaps": lambda: published("swaps"),
    "choices": lambda: published("choices"),
    "philosophers": philosophers,
    "hourglass": hourglass,
    "parcels": parcels,
}


def net_of(made: TableNet | Net) -> Net:
    return made.net if isinstance(made, TableNet) else made


@pytest.mark.parametrize("engine", ["general", "packed"])
@pytest.mark.parametrize("name", NETS)
def test_no_figure_of_a_part_can_be_taken_for_one_of_the_whole(name, engine):
    made = NETS[name]()
    space = explore(net_of(made), engine=engine)
    whole = said(judged(made, space))
    states = space.states
    for most in {*range(1, min(states, 12)), states // 2, states - 1} - {0}:
        part = explore(net_of(made), engine=engine, budget=Budget(states=most))
        assert contradictions(said(judged(made, part)), whole) == []


def test_random_nets_in_part():
    seen = 0
    for seed in range(by_day(40, at_night=120)):
        made = random_net(seed)
        space = explore(made, engine="general", budget=Budget(states=40))
        if space.stopped_by is not None or not made.transitions:
            continue
        whole = said(judged(made, space))
        for most in range(1, space.states):
            order = ("breadth", "depth", "runs")[(seed + most) % 3]
            part = explore(made, engine="general", budget=Budget(states=most), order=order)
            assert contradictions(said(judged(made, part)), whole) == [], (seed, most)
            seen += 1
    assert seen > by_day(15, at_night=50)


@pytest.mark.parametrize("name", NETS)
def test_what_was_not_judged_in_time_is_open(name, monkeypatch):
    # What who knows the method believes is judged anew at each look, and takes seconds.
    monkeypatch.setattr(method_known, "MOST_PUBLICATIONS", 3)
    made = NETS[name]()
    space = explore(net_of(made), engine="general")
    whole = said(judged(made, space))
    assert not judged(made, space, Counted(10**9)).standard.stopped_by
    open_, looks = 0, 0
    while True:
        found = judged(made, space, Counted(looks))
        assert contradictions(said(found), whole) == [], looks
        if said(found) == whole:
            break
        assert found.open
        open_ += 1
        looks = looks + 1 if looks < by_day(8, at_night=30) else 2 * looks
    assert open_ > 5


def lines_of(text: str) -> dict[str, str]:
    found = (line.strip().partition(": ") for line in text.splitlines())
    return {name: rest for name, _, rest in found}


def test_the_text_of_a_part():
    made = published("choices")
    found = judged(made, made.explore(budget=Budget(states=12)))
    text = str(found)
    lines = lines_of(text)
    assert "at least 12 nodes, at least" in lines["state space"]
    assert re.fullmatch(r"\d+ nodes so far, \d+ arcs so far, 0 terminal so far", lines["SCC graph"])
    assert lines["home markings"] == "unknown"
    assert lines["dead markings"] == "none so far"
    assert "0 publications so far, noise rows none so far" in text
    assert lines["ends without"] == "0 infeasible so far, 0 stuck so far"
    assert lines["worst"] == "unknown"
    assert lines["dead transition instances"] == lines["live transition instances"] == "unknown"
    assert "none so far; unknown: " in lines["dead transitions"]
    assert lines["live transitions"] == "unknown"
    assert not re.search(r"\b(true|false)\b", text)
    # A lower bound of nothing is decided; every other nothing is only so far.
    rows = re.findall(r"^  (?:PublshdData|SA Disc|Infeasible) +(.*)$", text, flags=re.MULTILINE)
    assert rows == ["0 so far, 0  none so far; none"] * 3


def words(page: str) -> str:
    body = re.sub(r"<(style|svg).*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def test_the_page_of_a_part():
    made = published("choices")
    text = words(page_of(judged(made, made.explore(budget=Budget(states=12)))))
    for line in (
        "States at least 12",
        "SCC nodes 12 so far",
        "publications 0 so far",
        "noise rows none so far",
        "ends that are infeasible 0 so far",
        "ends that are stuck 0 so far",
        "states in which an attacker holds something 0 so far",
        "What an adversary believes Unknown",
        "home markings unknown",
        "dead markings none so far",
        "dead transitions none so far; unknown:",
        "live transitions unknown",
        "dead transition instances unknown",
        "Those that were explored so far.",
    ):
        assert line in text, line
    assert not re.search(r"\b(true|false|all)\b", text.partition("Its states")[0])


def test_a_figure_has_one_of_few_standings():
    assert {str(one) for one in Finality} == {"final", "at least", "so far", "unknown"}


def slow(values: int, variables: int) -> Net:
    """A transition whose guard tries all values of its variables and holds for none."""
    colour = Integers("N", 0, values - 1)
    drawn = [Variable(f"v{number}", colour) for number in range(variables)]
    never = [TermComparison("<", drawn[-1], Constant(0, colour))]
    # What is asked before the last value is known rules nothing out.
    always = [one.equals(one) for one in drawn]
    build = NetBuilder("slow")
    build.place("P", Dot(), DOT)
    build.transition("first", takes={"P": DOT}, puts={"P": 2 * DOT})
    build.transition("try", takes={"P": DOT}, guard=AllOf((*always, *never)))
    return build.net()


@pytest.mark.parametrize("engine", ["auto", "general"])
@cases(
    (100, 8),
    (2, 40),
    (10**9, 1),
    (10**9, 3),
    ids=["many", "more loops than the compiler takes", "one large set", "large sets"],
)
def test_a_budget_of_seconds_ends_a_search_for_bindings(values, variables, engine):
    # Without that the search takes a day or all of the memory.
    space = explore(slow(values, variables), engine=engine, budget=Budget(seconds=0.4))
    assert (space.stopped_by, space.states, space.expanded, space.arcs) == ("seconds", 1, 0, 0)
    assert space.left is not None
    assert {one.outcome for one in check(space, [bound("P", 5), terminating()])} == {"unknown"}


def test_a_budget_of_seconds_ends_the_unfolding():
    def pause(number: int) -> bool:
        clock.tick()
        return number >= 0

    clock = Counted(5)
    numbers = Open("Number", lambda token: isinstance(token, int))
    n = Variable("n", numbers)
    build = NetBuilder("unfolded")
    build.place("P", numbers, Constant(0, numbers))
    grown = Function("grown", lambda number: min(number + 1, 50), numbers)
    build.transition("grow", takes={"P": n}, puts={"P": grown(n)}, guard=Function("ok", pause)(n))
    space = explore(build.net(), engine="packed", budget=Budget(seconds=0))
    assert (space.stopped_by, space.states, space.expanded) == ("seconds", 1, 0)


@pytest.mark.parametrize("name", ["philosophers", "parcels", "swaps"])
def test_a_state_whose_expansion_is_ended_is_undone(name, monkeypatch):
    made = net_of(NETS[name]())
    whole = explore(made, engine="general")
    for looks in range(0, 60, 3):
        monkeypatch.setattr(
            "kproof.petri.spaces.explore.Clock", lambda *_, n=looks, **__: Counted(n)
        )
        part = explore(made, engine="general")
        monkeypatch.undo()
        assert part.states <= whole.states
        assert part.starts[-1] == len(part.targets) == len(part.labels)
        for state in range(part.states):
            assert part.marking(state) == whole.marking(state)
            assert part.find(whole.marking(state)) == state
        for state in range(part.expanded):
            assert list(part.successors(state)) == list(whole.successors(state))


def test_judging_keeps_to_what_exploring_left():
    space = explore(philosophers(), budget=Budget(seconds=0))
    assert space.left == 0
    (verdict,) = check(space, [temporal("none", "EF dead")])
    assert verdict.outcome is TruthValue.UNKNOWN
    assert "stopped by seconds" in verdict.reason
    found = report(None, space, properties=[bound("Eat", 1)])
    assert found.standard.stopped_by == "seconds"
    assert {one.most for one in found.standard.bounds} == {None}
    assert "Best integer bounds (upper, lower)\n  Think: unknown, unknown" in str(found.standard)
    assert explore(philosophers(), budget=Budget(seconds=None)).left is None


def test_a_slow_predicate_is_stopped():
    asked = 0

    def counting(_: object) -> bool:
        nonlocal asked
        asked += 1
        return True

    space = explore(philosophers())
    (verdict,) = check(space, [invariant("slow", counting)], clock=Counted(3))
    assert verdict.outcome is TruthValue.UNKNOWN
    assert asked < space.states


def test_without_publications_nothing_is_promised():
    table = [["HIV"] * 4 + ["Flu"]]
    made = net("theta-sensitive", table, k=3, mu="37/100", attackers=["homogeneity"])
    space = made.explore()
    found = made.outcome(space)
    assert not found.publications
    assert found.verdicts == {
        "ends are publications or infeasible": True,
        "k rows in every class": None,
        "records are kept, noise apart": None,
        "V >= theta in every class": None,
        "the adversary gains nothing": None,
    }
    verdicts = {one.name: one for one in check(space, publisher_properties(made.publisher))}
    for name in (
        "k rows in every class",
        "V >= theta in every class",
        "the adversary gains nothing",
    ):
        assert verdicts[name].outcome is TruthValue.VACUOUS
        assert "nothing is published" in verdicts[name].reason
        assert not verdicts[name]


def test_what_never_begins_leads_to_nothing():
    space = explore(philosophers())
    never = leads_to("never", "marked(Eat) >= 2", "marked(Eat) >= 9")
    once = leads_to("once", "marked(Eat) >= 1", "marked(Eat) >= 1")
    outcomes = [one.outcome for one in check(space, [never, once])]
    assert outcomes == [TruthValue.VACUOUS, TruthValue.TRUE]


def test_runs_that_are_broken_off_leave_their_ends_open():
    watch = Watch(ends={"empty": lambda marking: not marking.places})
    found = simulate(philosophers(), runs=3, steps=10, watch=watch)
    assert (found.unfinished, found.final) == (3, False)
    (end,) = found.ends
    assert (end.share, end.lower, end.upper) == (0, 0, 1)
    document: Any = found.to_dict()
    assert document["ends"][0]["share"] == {"at_least": "0"}
    assert document["steps"]["mean"] == {"at_least": "10"}
    assert document["steps"]["least"] == {"so_far": 10}
    assert document["steps"]["most"] == {"at_least": 10}
    text = str(found)
    assert re.search(r"^steps +at least 10 +10 so far +at least 10$", text, flags=re.MULTILINE)
    assert re.search(r"^empty +0 so far +0.000000 to 1.000000$", text, flags=re.MULTILINE)


def test_no_counterexample_up_to_a_depth_proves_nothing():
    build = NetBuilder("late")
    build.place("P", Dot(), 3 * DOT)
    build.transition("go", takes={"P": DOT})
    outcomes = [unreachable_within(build.net(), steps).outcome for steps in range(5)]
    assert outcomes == [Solved.BOUNDED] * 3 + [Solved.REFUTED] * 2


def plain_bounds(space: StateSpace, place: str) -> Extremes:
    """The bounds from a matrix with a row for each state and a column for each token."""
    totals = space.totals(place)
    tokens, counts = space.counts(place)
    lower, upper = (
        tuple((token, int(n)) for token, n in zip(tokens, bound, strict=True) if n)
        for bound in (counts.min(axis=0), counts.max(axis=0))
    )
    return Extremes(int(totals.min()), int(totals.max()), lower, upper)


@pytest.mark.parametrize("engine", ["general", "packed"])
def test_sparse_bounds_are_the_plain_ones(engine):
    compared = 0
    for seed in range(by_day(40, at_night=120)):
        made = random_net(seed)
        for states in (1, 7, 40):
            try:
                space = explore(made, engine=engine, budget=Budget(states=states))
            except KProofError:
                continue
            for place in made.places:
                assert space.extremes(place.name) == plain_bounds(space, place.name)
                tokens, counts = space.counts(place.name)
                for at, token in enumerate(tokens):
                    assert space.column(place.name, token).tolist() == counts[:, at].tolist()
                compared += 1
    assert compared > by_day(300, at_night=1000)


@pytest.mark.parametrize("engine", ["general", "packed"])
def test_bounds_beyond_a_word(engine):
    colour = Integers("N", 0, 3)
    build = NetBuilder("large")
    build.place("P", colour, 2**61 * everything(colour))
    n = Variable("n", colour)
    build.transition("go", takes={"P": 2 * n}, puts={"P": n})
    space = explore(build.net(), engine=engine, budget=Budget(states=20))
    found = space.extremes("P")
    assert found.most == 4 * 2**61 == int(space.totals("P").max())
    assert found.least == int(space.totals("P").min()) < found.most
    assert found.upper == tuple((token, 2**61) for token in range(4))


def test_bounds_of_a_place_that_gathers_tokens():
    numbers = Open("Number", lambda token: isinstance(token, int))
    n = Variable("n", numbers)
    following = Function("next", lambda number: number + 1, numbers)
    build = NetBuilder("gathering")
    build.place("Next", numbers, Constant(0, numbers))
    build.place("Seen", numbers)
    build.transition("see", takes={"Next": n}, puts={"Next": following(n), "Seen": n})
    found = standard_report(explore(build.net(), budget=Budget(states=500))).bounds[1]
    assert (found.least, found.most, found.lower) == (0, 499, ())
    assert found.upper == tuple((token, 1) for token in range(499))
