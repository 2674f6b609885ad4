"""Publications counted with finished classes forgotten are those of the whole net."""

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest
from cases import error_line
from hypothesis import given, settings
from hypothesis import strategies as st
from nights import at_night, by_day, spread
from theta_oracles import publications as listed

from kproof.errors import Infeasible, InvalidArgument
from kproof.models.attacks import BackgroundKnowledge, Person
from kproof.petri.net.firing import replay
from kproof.petri.papers.attackers import attacked, attacker
from kproof.petri.papers.gain import gain
from kproof.petri.papers.outcome import PublisherEnds
from kproof.petri.papers.p_plus_sensitive import p_plus_publisher
from kproof.petri.papers.publications import publications
from kproof.petri.papers.publisher import Publisher
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.spaces import marks
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.space import Budget

DOMAIN = ("HIV", "Flu", "Cancer", "Gout", "Cold")
CATEGORIES = {"HIV": 1, "Cancer": 1, "Gout": 2, "Flu": 3, "Cold": 3}


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[list[str]], int, str, tuple[str, ...]]:
    k = draw(st.integers(2, 3))
    domain = DOMAIN[: draw(st.integers(k, 5))]
    one = st.lists(st.sampled_from(domain), min_size=k, max_size=k + 1)
    classes = draw(st.lists(one, min_size=1, max_size=5))
    return classes, k, draw(st.sampled_from(["1/4", "1/2", "3/5", "1"])), domain


def publisher_of(
    drawn: tuple[list[list[str]], int, str, tuple[str, ...]], **options: object
) -> Publisher | None:
    classes, k, mu, domain = drawn
    try:
        return theta_publisher(classes, k=k, mu=mu, domain=domain, categories=CATEGORIES, **options)  # type: ignore[arg-type]
    except Infeasible:
        return None


@given(tables(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_they_are_those_of_the_whole_net(drawn, per_class):
    publisher = publisher_of(drawn, per_class_theta=per_class)
    if publisher is None:
        return
    found = publications(publisher)
    whole = PublisherEnds.of(publisher, explore(publisher.net()))
    assert set(found) == set(whole.publications)
    assert found.words.count == len(whole.publications)
    assert tuple(found.noise) == whole.noise
    assert bool(found.infeasible) == bool(whole.infeasible)
    assert found.stuck == len(whole.stuck) == 0
    assert found.verdicts == whole.verdicts
    assert found.found.space.states <= whole.space.states
    for names in list(found)[:3]:
        end = replay(publisher.net(), found.run(names))
        assert publisher.names(publisher.publications(end)[0]) == names


def test_they_are_those_of_the_whole_net_for_every_small_table():
    """Up to three classes of two, and two of three, over three values, names apart."""
    for count, size, mu in ((1, 2, "1"), (2, 2, "1"), (3, 2, "1"), (2, 3, "2/3")):
        first = [tuple("AAA"[:size]), tuple("ABC"[:size]), ("A", "A", "B")][:size]
        rest = [list(combinations_with_replacement("ABC", size))] * (count - 1)
        for classes in spread(product(first, *rest), 3):
            publisher = theta_publisher(classes, k=size, mu=mu, domain="ABC")
            whole = PublisherEnds.of(publisher, explore(publisher.net()))
            found = publications(publisher)
            assert set(found) == set(whole.publications), classes
            assert found.verdicts == whole.verdicts


@given(tables())
@settings(max_examples=15, deadline=None)
def test_they_are_those_of_an_oracle(drawn):
    publisher = publisher_of(drawn)
    if publisher is None or publisher.threshold is None:
        return
    classes, k, _, domain = drawn
    start = tuple(tuple(sorted(one)) for one in classes)
    wanted = listed(start, publisher.threshold.at(k), set(domain))
    found = {
        tuple(tuple(sorted(map(str, one))) for one in names) for names in publications(publisher)
    }
    assert found == wanted


@st.composite
def knowledge(draw: st.DrawFn) -> BackgroundKnowledge:
    def person(*, member: bool) -> st.SearchStrategy[Person]:
        row = st.just(0)
        values = st.sampled_from(DOMAIN[:2])
        if member:
            return st.builds(Person, row=row, value=values)
        return st.builds(Person, row=row, excluded=st.lists(values, max_size=2).map(tuple))

    victims = draw(st.none() | st.lists(person(member=False), min_size=1, max_size=1).map(tuple))
    members = draw(st.lists(person(member=True), max_size=1).map(tuple)) if victims is None else ()
    return BackgroundKnowledge(victims=victims, members=members)


@given(tables(), knowledge())
@settings(max_examples=30, deadline=None)
def test_beliefs_and_attacks_are_those_of_the_whole_net(drawn, knows):
    publisher = publisher_of(drawn)
    # Where everybody is a member there is nobody to look for, which is refused.
    if publisher is None or (knows.members and len(publisher.formed.values) == 1):
        return
    names = ("homogeneity", "categorical-similarity", "sensitive-variance")
    attackers = [attacker(name, knows, tau="2/3" if name == "homogeneity" else 1) for name in names]
    found = publications(publisher, background=knows, attackers=attackers)
    whole = gain(publisher, explore(publisher.net()), knows)
    assert found.beliefs is not None
    assert found.beliefs.contradicted == whole.contradicted
    assert found.beliefs.beliefs == len(whole.beliefs)
    assert found.beliefs.certain == whole.certain
    certainties = {one.victim: one.certainty for one in found.beliefs.worst}
    assert certainties == {row: one.certainty for row, one in whole.by_victim.items()}
    for name, one in zip(names, attackers, strict=True):
        attacking = publisher_of(drawn)
        assert attacking is not None
        attacking = attacked(attacking, [one])
        ends = explore(attacking.net())
        disclosed = {
            attacking.names(attacking.publications(ends.marking(state))[0])
            for state in ends.dead.tolist()
            if ends.marking(state).total("SA Disc")
        }
        assert (found.disclosing[name] or 0) == len(disclosed)


def test_records_are_told_apart():
    classes = [["HIV", "HIV"], ["Flu", "Cancer"], ["Flu", "Flu"]]
    publisher = theta_publisher(classes, k=2, tokens="records")
    found = publications(publisher)
    space = explore(publisher.net())
    assert {(word,) for word in found.words} == {
        publisher.publications(space.marking(state))
        for state in space.dead.tolist()
        if publisher.publications(space.marking(state))
    }
    assert found.beliefs is None
    with pytest.raises(InvalidArgument, match="level = records: need values"):
        publications(publisher, attackers=[attacker("homogeneity")])


def test_forty_rows_and_a_hundred():
    values = random.Random(1).choices(range(6), [1 / (i + 1) for i in range(6)], k=100)
    for rows, count in ((40, 594_864), *at_night((100, 8_033_551_259_904))):
        classes = [values[at : at + 4] for at in range(0, rows, 4)]
        found = publications(theta_publisher(classes, k=4, domain=range(6)))
        assert found.words.count == sum(found.noise.values()) == count
        assert found.full
        assert set(found.verdicts.values()) == {True}
        # Every drawn publication is one that the net can publish, at every size.
        for names in found.sample(2, seed=7):
            end = replay(found.found.net, found.run(names))
            assert found.publisher.names(found.publisher.publications(end)[0]) == names


def test_a_part_says_so():
    classes = [["HIV", "HIV"], ["Flu", "Cancer"], ["Flu", "Flu"], ["Cancer", "HIV"]]
    publisher = theta_publisher(classes, k=2)
    every = publications(publisher)
    found = publications(publisher, budget=Budget(states=every.found.space.states - 1))
    assert not found.full
    # Depth first, so that a part of the states has ends.
    assert set() != set(found) <= set(every)
    assert found.to_dict()["publications"] == {"at_least": found.words.count}
    assert set(found.verdicts.values()) == {None}
    # Nor does a budget of no time say anything.
    found = publications(publisher, budget=Budget(seconds=0))
    assert found.figures["publications"].of("publications") == "0 publications so far"
    assert found.beliefs is None
    assert set(found.verdicts.values()) == {None}


def test_what_does_not_work_in_stages_is_refused():
    publisher = p_plus_publisher([["HIV", "Flu"]], p=2, k=2, categories=CATEGORIES)
    with pytest.raises(InvalidArgument, match="need theta-sensitive, which works in stages"):
        publications(publisher)
    by_rules = theta_publisher([["HIV", "Flu"]], k=2, cut="rules")
    assert "net" in error_line(InvalidArgument, publications, by_rules)


def test_the_documents_table():
    from kproof.petri.papers.publisher import classes_of

    formed = classes_of("table-1a", k=4, sensitive="Disease")
    found = publications(theta_publisher(formed, k=4, mu="3/5"))
    assert found.words.count == 120
    assert found.beliefs is not None
    most = found.beliefs.most_certain
    assert most is not None
    assert most.certainty >= Fraction(1, 4)
    assert Counter(len(names) for names in found) == {len(formed.values): 120}


def test_our_own_functions_give_the_same_whatever_a_mark_stands_for(monkeypatch):
    """They are not read (:mod:`kproof.petri.spaces.marks`), so that each call is made again."""
    draw = random.Random(5)
    plainly = marks._watch_call
    calls = 0

    def checked(call: Callable[..., object], *, passes: bool) -> Callable[..., object]:
        watched = plainly(call, passes=passes)

        def twice(*arguments: object) -> object:
            nonlocal calls
            result = watched(*arguments)
            if marks.first_mark(arguments) is not None:
                calls += 1
                for item in (((0, 4),), ((draw.randrange(6), 1), (7, draw.randint(1, 9))), None):
                    other = call(*(_filled(argument, item) for argument in arguments))
                    assert _filled(other, item) == _filled(result, item)
            return result

        return twice

    monkeypatch.setattr(marks, "_watch_call", checked)
    for seed in range(by_day(1, at_night=6)):
        values = random.Random(seed).choices("abcdef", [6, 3, 2, 2, 1, 1], k=20)
        classes = [values[at : at + 4] for at in range(0, 20, 4)]
        publications(theta_publisher(classes, k=4, domain="abcdef"))
    assert calls > 100


def _filled(value: object, item: object) -> object:
    """Return something with another item in the place of each mark."""
    if type(value) is marks.Forgotten:
        return item
    return tuple(_filled(e, item) for e in value) if isinstance(value, (tuple, list)) else value
