"""The paper's claims on its nets: those that hold, those that fail, and properties that notice."""

from collections import Counter
from fractions import Fraction

import pytest
from cases import cases
from theta_oracles import TABLE_1A, TABLE_4B, TABLE_8A, TABLE_8B, spread

from kproof.petri.logic.properties import PropertyVerdict, check
from kproof.petri.net.firing import replay
from kproof.petri.net.terms import Function, Variable
from kproof.petri.papers.attackers import attacked, attacker
from kproof.petri.papers.p_plus_sensitive import p_plus_publisher
from kproof.petri.papers.publisher import Publisher
from kproof.petri.papers.theta_properties import publisher_properties
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.spaces.explore import explore

ENDS = "ends are publications or infeasible"
ROWS = "k rows in every class"
PEOPLE = "k people in every class"
V = "V >= theta in every class"
KEPT = "records are kept, noise apart"
NOTHING = "the adversary gains nothing"


def verdicts(publisher: Publisher, **reaches: object) -> dict[str, PropertyVerdict]:
    net = publisher.net()
    found = check(explore(net), publisher_properties(publisher, reaches=reaches))
    for one in found:
        if one.trace is not None:
            assert replay(net, one.trace) == one.trace.end
    return {one.name: one for one in found}


@pytest.mark.parametrize("cut", ["moves", "rules"])
@cases((TABLE_1A, TABLE_8A, 1), (TABLE_4B, TABLE_8B, 0))
def test_the_corrected_net_keeps_every_promise(table, target, noise, cut):
    publisher = theta_publisher(table, k=4, mu="3/5", cut=cut)
    found = verdicts(publisher, target=target, itself=table)
    assert {name for name, one in found.items() if not one} == {"itself can be published"}
    assert {ENDS, ROWS, V, KEPT, "every run ends"} < set(found)
    (ecs,) = publisher.publications(found["target can be published"].trace.end)
    published = publisher.names(ecs)
    assert [Counter(one) for one in published] == [Counter(one) for one in target]
    assert sum(map(len, published)) == 12 + noise


def test_the_printed_net_publishes_below_theta_and_gets_stuck():
    publisher = theta_publisher(TABLE_1A, k=4, mu="3/5", reading="printed")
    found = verdicts(publisher)
    assert [name for name, one in found.items() if not one] == [V]
    (ecs,) = publisher.publications(found[V].trace.end)
    assert min(spread(Counter(one).values()) for one in publisher.names(ecs)) < Fraction(3, 4)
    stuck = verdicts(theta_publisher(TABLE_1A, k=4, mu="11/20", reading="printed"))
    assert [name for name, one in stuck.items() if one.outcome == "false"] == [ENDS]
    assert stuck[ENDS].trace.end.total("PublshdData") == 0


@pytest.mark.parametrize("cut", ["moves", "rules"])
def test_of_records_noise_does_not_count_as_people(cut):
    table = [["HIV", "HIV"], ["Flu"]]
    found = verdicts(theta_publisher(table, k=2, cut=cut, tokens="records", padding="noise"))
    assert [name for name, one in found.items() if not one] == [PEOPLE]
    whole = verdicts(theta_publisher([["HIV", "HIV"], ["Flu", "HIV"]], k=2, tokens="records"))
    assert all(whole.values())
    assert PEOPLE in whole


def test_the_claim_of_rule_9_has_a_counterexample():
    table = [["HIV", "Cancer"], ["HIV", "HIV"]]
    categories = {"HIV": "A", "Cancer": "A", "Flu": "B"}
    publisher = theta_publisher(table, k=2, domain=["HIV", "Cancer", "Flu"], categories=categories)
    found = verdicts(attacked(publisher, [attacker("categorical-similarity")]))
    assert [name for name, one in found.items() if not one] == [NOTHING]
    assert found[NOTHING].trace.end.total("SA Disc") == 1


def test_the_base_model_promises_rows_but_no_variance():
    found = verdicts(
        p_plus_publisher([["HIV", "HIV", "Flu"]], k=3, p=2, categories={"HIV": "A", "Flu": "B"})
    )
    assert V not in found
    assert all(found.values())
    assert verdicts(p_plus_publisher([["HIV", "HIV"]], k=2, p=2, categories={"HIV": "A"}))[ENDS]


def test_v_equal_to_theta_is_enough():
    publisher = theta_publisher(TABLE_1A, k=4, mu="11/20")
    space = explore(publisher.net())
    published = [
        publisher.names(ecs)
        for state in space.dead.tolist()
        for ecs in publisher.publications(space.marking(state))
    ]
    assert min(spread(Counter(one).values()) for names in published for one in names) == Fraction(
        11, 16
    )
    assert all(verdicts(publisher).values())


def test_a_publisher_that_loses_or_changes_records_is_noticed():
    def spoiled(name: str, spoil: object, tokens: str) -> dict[str, PropertyVerdict]:
        publisher = theta_publisher([["a", "b"], ["b", "c"]], k=2, tokens=tokens)
        (classes,) = publisher.formed.tokens(tokens)[2:]
        ecs = Variable("ecs", publisher.colour)
        changed = Function(name, spoil, publisher.colour)
        publisher.build.transition(
            name,
            takes={"PublshdData": ecs},
            puts={"PublshdData": changed(ecs)},
            guard=ecs.differs(spoil(classes)),
        )
        return verdicts(publisher)

    lost = spoiled("lose", lambda ecs: ((ecs[0][0],), ecs[1]), "records")
    assert {name for name, one in lost.items() if not one} >= {ROWS, PEOPLE, V, KEPT}
    for tokens, repeat in (
        ("records", lambda ecs: (ecs[0], (ecs[0][1], *ecs[1]))),
        ("values", lambda ecs: (ecs[1], ecs[1])),
    ):
        twice = spoiled("repeat", repeat, tokens)
        assert {name for name, one in twice.items() if not one} == {KEPT}
