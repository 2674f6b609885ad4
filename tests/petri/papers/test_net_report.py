"""The report on a net: its figures against the plain firing rule, its text against a snapshot."""

from collections import Counter
from typing import Any

import pytest
from net_runs import reached
from shell import same_as_snapshot

from kproof.petri.logic.properties import bound, deadlock, temporal
from kproof.petri.logic.standard import LISTED
from kproof.petri.net.colours import Dot, Open, enumeration
from kproof.petri.net.firing import replay
from kproof.petri.net.net import Net, NetBuilder
from kproof.petri.net.terms import Constant, Function, Shift, Variable, everything
from kproof.petri.papers.api import TableNet, net
from kproof.petri.papers.publisher import classes_in_words, classes_of
from kproof.petri.papers.report import report
from kproof.petri.papers.theta_properties import publisher_properties
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.space import Budget

ONE_SWAP = [["HIV", "HIV"], ["Flu", "Cancer"]]


def of_table(*classes: list[str], k: int, **options: Any) -> tuple[TableNet, Any]:
    made = net("theta-sensitive", classes, k=k, **options)
    return made, report(made, made.explore(), properties=publisher_properties(made.publisher))


def carousel() -> Net:
    """Two riders on three seats, always moving on; a third transition never fires."""
    seats = enumeration("Seat", ["a", "b", "c"], cyclic=True)
    x = Variable("x", seats)
    build = NetBuilder("carousel")
    build.place("Free", seats, Constant("c", seats))
    build.place("Taken", seats, Constant("a", seats) + Constant("b", seats))
    build.transition(
        "move", takes={"Taken": x, "Free": Shift(x, 1)}, puts={"Taken": Shift(x, 1), "Free": x}
    )
    build.transition("fall", takes={"Free": 2 * x})
    return build.net()


def test_figures_against_the_firing_rule():
    made, found = of_table(*ONE_SWAP, k=2)
    plain = reached(made.net)
    document = found.to_dict()
    statistics = document["statistics"]
    assert (statistics["states"]["final"], statistics["arcs"]["final"]) == plain.count
    assert statistics["status"] == "full"
    ends = {
        tuple(made.publisher.names(ecs))
        for end in plain.ends
        for ecs in made.publisher.publications(end)
    }
    assert document["publications"] == {"final": len(ends)} == {"final": 2}
    assert {tuple(map(tuple, one)) for one in document["published"]["final"]} == ends
    assert document["dead_markings"]["count"] == {"final": len(plain.ends)}
    for one in document["bounds"]:
        totals = [marking.total(one["place"]) for marking in plain.arcs]
        assert (one["least"], one["most"]) == ({"final": min(totals)}, {"final": max(totals)})
    # Of tables no colour set is listed, so that dead instances are unknown.
    assert document["dead_instances"] is None
    assert document["live_instances"] == {"count": 0, "listed": []}


def test_instances_of_any_net():
    found = report(None, explore(carousel()))
    document: dict[str, Any] = found.to_dict()
    assert document["publications"] is None
    assert document["statistics"]["states"] == {"final": 3}
    assert document["home_markings"]["count"] == {"final": 3}
    live, dead = document["live_instances"], document["dead_instances"]
    assert sorted(live["listed"]) == ["move(x=a)", "move(x=b)", "move(x=c)"]
    assert sorted(dead["listed"]) == ["fall(x=a)", "fall(x=b)", "fall(x=c)"]
    text = str(found)
    assert "home markings: all" in text
    assert "dead transitions: fall" in text
    assert "live transitions: move" in text


def test_a_refuted_property_comes_with_a_run_that_replays():
    space = explore(carousel())
    asked = [bound("Taken", 1), deadlock(), temporal("free", "AG token(Free, c)")]
    found = report(None, space, properties=asked)
    assert [one.name for one in found.refuted] == ["at most 1 in Taken", "free"]
    for one in found.refuted:
        assert one.trace is not None
        replay(space.net, one.trace)
    assert "Against free" in str(found)
    assert "move with x = b" in str(found)


def test_part_of_a_space_is_told_to_be_one():
    made = net("theta-sensitive", ONE_SWAP, k=2)
    space = made.explore(budget=Budget(states=3))
    found = report(made, space, properties=publisher_properties(made.publisher))
    assert {str(one.outcome) for one in found.verdicts} == {"unknown"}
    assert found.refuted == ()
    assert found.dead is None
    assert found.live is None
    text = str(found)
    assert "in part, stopped by the budget of " in text
    assert "home markings: unknown" in text
    assert "live transitions: unknown" in text


def test_long_lists_are_cut_and_counted():
    made, found = of_table(["a", "a", "b", "b"], ["c", "d", "e", "f"], ["g", "g", "g", "h"], k=4)
    document = found.to_dict()
    publications = made.outcome().publications
    assert document["publications"] == {"final": len(publications)} == {"final": 120}
    assert len(document["published"]["final"]) == LISTED
    upper = next(one for one in document["bounds"] if one["place"] == "PublshdData")
    assert (len(upper["upper"]["final"]), upper["upper_tokens"]) == (LISTED, {"final": 120})


def test_the_gain_is_that_of_the_worst_table():
    made, found = of_table(["a", "a", "b"], ["b", "b", "c"], k=3, mu="0.3", domain="abcd")
    assert found.published is not None
    worst = max(
        max(Counter(one).values()) / len(one)
        for names in made.outcome().publications
        for one in names
    )
    assert float(found.published.gain.worst.certainty) == pytest.approx(worst)
    without = report(made, made.explore(), gain=False)
    assert without.to_dict()["gain"] is None
    assert "adversary believes" not in str(without)


def test_an_open_colour_set_has_no_dead_instances():
    numbers = Open("Number", lambda token: isinstance(token, int))
    n = Variable("n", numbers)
    half = Function("half", lambda n: n // 2, numbers)
    build = NetBuilder("halving")
    build.place("N", numbers, Constant(12, numbers))
    build.transition("halve", takes={"N": n}, puts={"N": half(n)}, guard=n.differs(0))
    found = report(None, explore(build.net()))
    assert found.dead is None
    assert len(found.live or ()) == 0
    assert found.to_dict()["infinite_runs"] is False


def test_the_text():
    made = net("theta-sensitive", "table-4b", k=4, sensitive="Disease")
    published = classes_of("table-8b", k=4, sensitive="Disease", class_column="Class").values
    reaches = {"Table 8b": published, "Table 4b": made.publisher.formed.values}
    asked = publisher_properties(made.publisher, reaches=reaches)
    same_as_snapshot("net-report.txt", str(report(made, made.explore(), properties=asked)))


def test_words():
    assert classes_in_words((("Flu", "HIV"), ("Flu",))) == "Flu, HIV | Flu"
    build = NetBuilder("none")
    build.place("P", Dot(), everything(Dot()))
    assert "integer" in str(report(None, explore(build.net())))
