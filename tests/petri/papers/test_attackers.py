"""Attackers in the nets against counting by hand: what lies in SA Disc, and when nothing does."""

from collections import Counter
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest
from cases import cases, error_line
from hypothesis import given, settings
from hypothesis import strategies as st
from net_runs import reached
from theta_oracles import TABLE_1A, spread

from kproof.errors import DataError, InvalidArgument
from kproof.models.attacks import BackgroundKnowledge, Matching, Person
from kproof.models.tables.table import Table
from kproof.petri.net.firing import replay
from kproof.petri.papers.attackers import attacked, attacker, evidence
from kproof.petri.papers.outcome import PublisherEnds
from kproof.petri.papers.p_plus_sensitive import p_plus_publisher
from kproof.petri.papers.publisher import Publisher, classes_of
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.spaces.explore import explore

CATEGORY = {"a": 1, "b": 1, "c": 2, "d": 2}
DISEASES = {
    "HIV": 1, "Cancer": 1, "Hepatitis": 2, "Phthisis": 2,
    "Asthma": 3, "Obesity": 3, "Indigestion": 4, "Flu": 4,
}  # fmt: skip


def held(publisher: Publisher) -> set[tuple[Any, str, int, str]]:
    """Return publication, attack, victim and what is disclosed, over all ends."""
    return {
        (publisher.names(ecs), attack, int(victim), str(what))
        for marking in reached(publisher.net()).ends
        for ecs in publisher.publications(marking)
        for attack, victim, what in marking["SA Disc"]  # each token a triple
    }


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.lists(st.sampled_from("abcd"), min_size=2, max_size=4), min_size=1, max_size=2),
    st.sets(st.sampled_from("abcd"), max_size=2),
)
def test_each_attack_holds_what_counting_says(classes, excluded):
    knows = BackgroundKnowledge(
        victims=tuple(
            Person(row=at, excluded=tuple(sorted(excluded))) for at in range(len(classes))
        )
    )
    publisher = attacked(
        p_plus_publisher(classes, p=1, k=2, categories=CATEGORY, domain="abcd"),
        [
            attacker("sensitive-variance", knows, mu="0.6"),
            attacker("categorical-similarity", knows),
            attacker("homogeneity", knows),
            attacker("linkage", knows),
        ],
    )
    expected = set()
    contradicted = any(not set(one) - excluded for one in classes)
    names = tuple(tuple(sorted(one)) for one in classes)
    for at, one in enumerate(classes):
        left = Counter(value for value in one if value not in excluded)
        if contradicted:
            break
        top = min(value for value in left if left[value] == max(left.values()))
        if len(left) == 1:
            expected |= {(names, "homogeneity", at, top), (names, "linkage", at, top)}
        kinds = {CATEGORY[value] for value in left}
        if len(kinds) == 1:
            expected.add((names, "categorical-similarity", at, str(*kinds)))
        if spread(left.values()) < Fraction(6, 10) * 3 / 12:
            expected.add((names, "sensitive-variance", at, top))
    assert held(publisher) == expected


def test_rule_1_finds_the_third_class_of_table_4a():
    found = held(
        attacked(
            p_plus_publisher(
                classes_of("table-4a", k=4, sensitive="Disease", class_column="Class"),
                p=2, k=4, categories=DISEASES,
            ),
            [attacker("sensitive-variance")],
        )
    )  # fmt: skip
    assert {(attack, victim, what) for _, attack, victim, what in found} == {
        ("sensitive-variance", 2, "Flu")
    }


def test_rule_9_holds_without_background_knowledge_and_fails_with_it():
    alone = attacked(
        theta_publisher(TABLE_1A, k=4), [attacker("sensitive-variance"), attacker("homogeneity")]
    )
    outcome = PublisherEnds.of(alone, explore(alone.net()))
    assert outcome.verdicts["the adversary gains nothing"]
    assert len(outcome.publications) == 120

    knows = BackgroundKnowledge(victims=(Person(row=0, excluded=("HIV", "Cancer")),))
    informed = attacked(theta_publisher(TABLE_1A, k=4), [attacker("sensitive-variance", knows)])
    net = informed.net()
    space = explore(net)
    outcome = PublisherEnds.of(informed, space)
    assert not outcome.verdicts["the adversary gains nothing"]
    end = replay(net, space.trace(outcome.disclosing[0]))
    ((attack, victim, what),) = end["SA Disc"]
    assert (attack, victim) == ("sensitive-variance", 0)
    # What is left of the first class are two diseases, V = 1/4 < 3/4.
    ((ecs),) = informed.publications(end)
    left = Counter(v for v in informed.names(ecs)[0] if v not in ("HIV", "Cancer"))
    assert spread(left.values()) == Fraction(1, 4)
    assert str(what) in left


def test_categorical_similarity_succeeds_at_k_2():
    publisher = attacked(
        theta_publisher([["HIV", "Cancer"]], k=2, categories=DISEASES),
        [
            attacker("categorical-similarity"),
            attacker("sensitive-variance"),
            attacker("homogeneity"),
        ],
    )
    assert held(publisher) == {((("Cancer", "HIV"),), "categorical-similarity", 0, "1")}


def test_a_person_is_followed_through_exchanges():
    # Row 0 or row 1 goes to the second class; its labels and the first's then cover 0 to 2.
    frame = pd.DataFrame({"age": [0, 1, 2, 3], "disease": ["HIV", "HIV", "Flu", "Cancer"]})
    table = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="disease")
    formed = classes_of(table, k=2)
    by_class = BackgroundKnowledge(victims=(Person(row=0, excluded=("Flu", "Cancer")),))
    outcomes = held(
        attacked(theta_publisher(formed, k=2, tokens="records"), [attacker("linkage", by_class)])
    )
    # Whoever has neither the flu nor cancer has HIV, in whichever class they are.
    assert {(victim, what) for _, _, victim, what in outcomes} == {(0, "HIV")}
    assert len(outcomes) == 2

    nothing_else = BackgroundKnowledge(victims=(Person(row=0),))
    halves = attacked(
        theta_publisher(formed, k=2, tokens="records"),
        [attacker("linkage", nothing_else, tau="1/2")],
    )
    for marking in reached(halves.net()).ends:
        (ecs,) = halves.publications(marking)
        (own,) = (ec for ec in ecs if 0 in ec)
        ((_, _, what),) = marking["SA Disc"]
        assert str(what) == min(frame["disease"][record] for record in own)

    cover = BackgroundKnowledge(victims=(Person(row=0),), matching=Matching.COVER)
    alone = attacked(
        theta_publisher(formed, k=2, tokens="records"), [attacker("linkage", cover, tau="1/2")]
    )
    certain = attacked(theta_publisher(formed, k=2, tokens="records"), [attacker("linkage", cover)])
    assert not held(certain)
    for marking in reached(alone.net()).ends:
        (ecs,) = alone.publications(marking)
        ages = [[int(record) for record in ec] for ec in ecs]
        covering = [one for one in ages if min(one) <= 0 <= max(one)]
        pool = Counter(frame["disease"][row] for one in covering for row in one)
        share = Fraction(max(pool.values()), sum(pool.values()))
        assert bool(marking["SA Disc"]) == (share >= Fraction(1, 2))


def test_classes_with_equal_labels_are_one_to_an_attacker():
    for ages, sizes in (([1, 1, 1, 1], [4]), ([1, 1, 2, 2], [2, 2])):
        frame = pd.DataFrame({"age": ages, "disease": ["HIV", "Flu", "HIV", "Cancer"]})
        table = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="disease")
        publisher = theta_publisher(classes_of(table, k=2), k=2, tokens="records")
        found = evidence(publisher, publisher.formed.tokens("records")[2])
        assert found.classes.sizes.tolist() == sizes
        assert found.class_of.tolist() == [row * len(sizes) // 4 for row in range(4)]


def test_one_who_recognises_noise():
    for recognised in (False, True):
        knows = BackgroundKnowledge(victims=(Person(row=1),), noise_recognised=recognised)
        publisher = attacked(
            theta_publisher([["HIV", "HIV"]], k=2, domain=["Flu", "HIV"], tokens="records"),
            [attacker("linkage", knows)],
        )
        assert bool(held(publisher)) == recognised


def test_knowledge_that_contradicts_a_publication_discloses_nothing():
    knows = BackgroundKnowledge(victims=(Person(row=0, excluded=("a", "b")),))
    assert not held(attacked(theta_publisher([["a", "b"]], k=2), [attacker("linkage", knows)]))


@cases(
    (InvalidArgument, [], "one attack or more"),
    (InvalidArgument, [attacker("homogeneity"), attacker("homogeneity")], "each once"),
    (InvalidArgument, [attacker("categorical-similarity")], "categories = 'none for a'"),
    (
        InvalidArgument,
        [attacker("linkage", BackgroundKnowledge(victims=(Person(row=3),)))],
        "row = 3",
    ),
    (
        InvalidArgument,
        [attacker("linkage", BackgroundKnowledge(members=(Person(row=0),)))],
        "member 0",
    ),
    (
        DataError,
        [attacker("linkage", BackgroundKnowledge(victims=(Person(row=0, excluded=("z",)),)))],
        "value z is not in the domain",
    ),
)
def test_bad_attackers(error, attackers, message):
    with pytest.raises(error, match=message):
        attacked(theta_publisher([["a", "b"]], k=2), attackers)


def test_bad_attacks():
    assert "attack = guess" in error_line(InvalidArgument, attacker, "guess")
    assert "mu = 1" in error_line(InvalidArgument, attacker, "homogeneity", mu=1)


def test_by_name_she_knows_the_class_unless_told_otherwise():
    assert attacker("linkage") == attacker("linkage")
    cover = BackgroundKnowledge(matching=Matching.COVER)
    publisher = theta_publisher([["HIV", "Flu"]], k=2)
    with pytest.raises(InvalidArgument, match=r"matching = cover: need the microdata's quasi"):
        attacked(publisher, [attacker("linkage", cover)])
    # Found out before anything was added.
    assert "BK" not in publisher.net().place
