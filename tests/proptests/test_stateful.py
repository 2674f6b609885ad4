"""Services and nets with a past: what holds of them, what is caught, and what does not compose."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from theta_oracles import TABLE_1A

from kproof.errors import InvalidArgument
from kproof.models.attacks.intersection import Journeys, Observer, intersection_attack
from kproof.models.registry import Kind, Promise
from kproof.petri.net.firing import firings
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net
from kproof.petri.papers.api import net as net_for
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.space import Budget, StateSpace
from kproof.proptests.contract import Subject
from kproof.proptests.stateful import (
    INVARIANTS,
    Candidates,
    Composed,
    ServiceBroken,
    net_machine,
    publishing_service,
    run,
)
from kproof.proptests.strategies.nets import nets
from kproof.proptests.strategies.places import Roads, grids, planar_roads
from kproof.proptests.subjects.registered import own_subject, own_subjects
from kproof.proptests.zoo.stateful import MEMBERS, member
from kproof.proptests.zoo.tables import HEALTHY

DEMAND = {"levels": (3, 2), "thresholds": (3,)}
PRINTED = replace(
    own_subject("density", Promise.K_ANONYMITY, Promise.CONNECTIVITY), name="density, printed"
)
TABLES = [subject for subject in own_subjects() if subject.kind is Kind.TABLE]


@pytest.mark.parametrize("subject", [HEALTHY, *TABLES], ids=lambda subject: subject.name)
def test_anonymizers_of_tables_keep_their_promises_over_time(subject):
    assert run(publishing_service(subject), examples=5, steps=8) is None


@pytest.mark.parametrize("subject", [own_subject("density"), PRINTED], ids=lambda one: one.name)
def test_density_keeps_its_promises_while_users_move(subject):
    reading = "printed" if subject is PRINTED else "corrected"
    machine = publishing_service(subject, options={"reading": reading, **DEMAND})
    assert run(machine, examples=20) is None


def test_the_printed_reading_is_not_reciprocal_over_time():
    machine = publishing_service(own_subject("density"), options={"reading": "printed", **DEMAND})
    found = run(machine, examples=100, smallest=False)
    assert isinstance(found, ServiceBroken)
    assert found.invariant == "reciprocal"


@pytest.mark.parametrize("broken", MEMBERS, ids=lambda one: one.name)
def test_a_broken_service_is_caught(broken):
    machine = publishing_service(broken.opens, only=[broken.caught_by])
    found = run(machine, examples=300, smallest=False)
    assert isinstance(found, ServiceBroken)
    assert found.invariant == broken.caught_by
    # The first request of a run cannot be it: each of them is right until there is a past.
    assert len(found.history) > 1


def test_what_breaks_shrinks_to_few_requests_for_few_people():
    machine = publishing_service(member("one sheet for all").opens, only=INVARIANTS)
    found = run(machine, examples=300, steps=6)
    assert isinstance(found, ServiceBroken)
    assert len(found.history) == 2
    assert max(len(answer.people) for answer in found.history) <= 4


def test_only_tables_and_cities_are_served():
    with pytest.raises(InvalidArgument, match="tables or of cities"):
        publishing_service(own_subject("k-degree"))


# Composition: what follows is no fault of an anonymizer, and the smallest case of it stands here.


def _driven(subject: Subject, **options: Any) -> Any:
    return publishing_service(subject, only=(), composing=True, options=options)()


@cases(
    (own_subject("mondrian", "k-anonymity", "l-diversity"), {"k": 2, "l": 2}),
    (own_subject("theta-sensitive"), {"k": 2, "mu": "1"}),
    (HEALTHY, {"k": 2}),
    ids=["mondrian", "theta-sensitive", "sorted groups"],
)
@pytest.mark.parametrize("corrected", [True, False], ids=["corrected", "replaced"])
def test_two_publications_of_three_records_disclose_a_value(subject, parameters, corrected):
    service = _driven(subject)
    service.arrive(records=[(0, "a", "a"), (0, "a", "b")])
    assert service.publish(parameters).columns["s"] in (("a", "b"), ("b", "a"))
    if corrected:
        service.correct(person=1, record=(0, "a", "c"))
    else:
        service.leave(person=1)
        service.arrive(records=[(0, "a", "c")])
    with pytest.raises(Composed, match=r"person 0: \{a, b\} and \{a, c\} leave a alone") as caught:
        service.publish(parameters)
    # Each has two people and two values; only one record differs.
    published = [Counter(answer.outcome.columns["s"]) for answer in caught.value.history]
    assert [sorted(one.values()) for one in published] == [[1, 1], [1, 1]]
    assert published[0].keys() & published[1].keys() == {"a"}
    assert caught.value.candidates == Candidates(0, "a", (frozenset("ab"), frozenset("ac")))


def test_composition_is_found_and_is_no_broken_promise():
    found = run(publishing_service(HEALTHY, composing=True), examples=300, smallest=False)
    assert isinstance(found, Composed)
    person, sets = found.candidates.person, []
    for answer in found.history:
        if not answer.published or person not in answer.people:
            continue
        row = answer.people.index(person)
        known = [answer.case.columns[name][row] for name in ("age", "town")]
        if answer.case.columns["s"][row] == found.candidates.truth:
            labels = zip(*answer.outcome.columns.values(), strict=True)
            sets.append({s for *own, s in labels if all(map(_covers, own, known))})
    assert [frozenset(one) for one in sets] == list(found.candidates.sets)
    assert set.intersection(*sets) == {found.candidates.truth}
    assert min(map(len, sets)) > 1


def _covers(label: object, value: object) -> bool:
    """Read a label of the sorted groups: one value, or the tuple of several."""
    return value in label if isinstance(label, tuple) else value == label


def test_two_regions_tell_who_is_in_both():
    service = _driven(
        own_subject("density"), reading="corrected", levels=2, thresholds=(), least_nodes=1
    )
    service.appear(nodes=[0, 0])
    service.ask(person=0, k=2)
    service.disappear(person=1)
    service.appear(nodes=[0])
    with pytest.raises(Composed, match=r"person 0: \{0, 1\} and \{0, 2\} leave 0 alone"):
        service.ask(person=0, k=2)


@st.composite
def walks(draw: st.DrawFn) -> tuple[Roads, list[list[int]]]:
    layout = draw(st.one_of(grids(most=3), planar_roads(nodes=6)))
    users = draw(st.integers(1, 7))
    node = st.integers(0, len(layout.positions) - 1)
    moments = st.lists(st.lists(node, min_size=users, max_size=users), min_size=1, max_size=4)
    return layout, draw(moments)


@settings(max_examples=60, deadline=None)
@given(walks(), st.sampled_from(["corrected", "printed"]))
def test_the_intersection_attack_agrees_with_what_the_service_finds(walk, reading):
    layout, moments = walk
    service = publishing_service(PRINTED, options={"reading": reading, **DEMAND})()
    service.begin(layout=layout)
    service.appear(nodes=moments[0])
    for positions in moments:
        service.where = dict(enumerate(positions))
        service.ask_all(k=2)
    city = service.history[0].case.city
    for observer in Observer:
        attack = intersection_attack(
            Journeys.of(city, moments), observer=observer, reading=reading, k=2, **DEMAND
        )
        found = {one.person: one.left for one in service.candidates(observer)}
        for user in range(len(moments[0])):
            served = attack.counts[-1, user] > 0
            assert served == (user in found)
            if served:
                assert frozenset(attack.candidates(user).tolist()) == found[user]
                assert user in found[user]


# Nets beside their explorers.


def _rows(marking: Marking) -> int:
    begun: list[Any] = [*marking["MMT"], *marking["Infeasible"]]
    tables: list[Any] = [*marking["PublshdData"], *(ecs for _, ecs in begun)]
    return sum(count for table in tables for one in table for _, count in one)


THETA = [
    pytest.param({"cut": "moves"}, id="moves"),
    pytest.param({"cut": "rules"}, id="rules"),
    pytest.param({"reading": "printed"}, id="printed"),
]


@pytest.mark.parametrize("options", THETA)
def test_theta_nets_run_as_they_were_explored(options):
    publisher = theta_publisher(TABLE_1A, k=4, mu="3/5", **options)
    assert run(net_machine(publisher.net()), examples=8, steps=25) is None


def test_people_are_conserved_and_noise_is_seen():
    settled = theta_publisher([["a", "a", "b"], ["c", "d", "b"]], k=3, mu="1/2").net()
    assert run(net_machine(settled, conserved=(_rows,)), examples=20) is None
    noisy = theta_publisher([["a", "a"]], k=2, mu="1", domain="ab").net()
    found = run(net_machine(noisy, conserved=(_rows,)), examples=20)
    assert found is not None
    assert str(found).endswith(": 3, which was 2")


@cases(("p-plus-sensitive", {"p": 1}), ("theta-sensitive", {"mu": "1/2"}), ids=["p-plus", "theta"])
def test_nets_with_attackers_run_as_they_were_explored(name, options):
    made = net_for(
        name,
        [["a", "a", "b"], ["c", "c", "c"]],
        k=3,
        categories={"a": "A", "b": "B", "c": "A"},
        attackers=["homogeneity", "categorical-similarity"],
        **options,
    )
    assert run(net_machine(made.net), examples=20) is None


@pytest.mark.parametrize("engine", ["general", "packed"])
def test_any_net_runs_as_it_was_explored(engine):
    def explored(net: Net) -> StateSpace:
        return explore(net, budget=Budget(states=60), engine=engine)

    drawn = nets(functions=engine == "general")
    assert run(net_machine(drawn, explorer=explored), examples=20, steps=8) is None


def _without_an_arc(net: Net) -> StateSpace:
    space = explore(net)
    source = space.source(space.arcs - 1)
    starts = space.starts.copy()
    starts[source + 1 :] -= 1
    return replace(space, starts=starts, targets=space.targets[:-1], labels=space.labels[:-1])


def _astray(net: Net) -> StateSpace:
    space = explore(net)
    targets = space.targets.copy()
    targets[-1] = 0
    return replace(space, targets=targets)


def _begun_later(net: Net) -> StateSpace:
    _, later = next(firings(net, net.initial))
    return explore(net, initial=[later])


@cases(
    (_begun_later, "the state space does not have"),
    (_without_an_arc, "explored: no firings"),
    (_astray, "the state space has it lead to"),
)
def test_an_explorer_that_errs_is_caught(explorer, message):
    net = theta_publisher([["a", "a"], ["b", "c"]], k=2, mu="1").net()
    found = run(net_machine(net, explorer=explorer), examples=60, smallest=False)
    assert found is not None
    assert message in str(found)
