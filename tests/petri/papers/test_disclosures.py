"""The attack nets against ``kproof attack`` on tables published as the nets publish them."""

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shell import kproof as run
from theta_oracles import TABLE_1A, TABLE_4B

import kproof
from kproof.errors import DataError
from kproof.models.attacks import BackgroundKnowledge, Person, attack
from kproof.petri.papers.api import TableNet
from kproof.petri.papers.attackers import AttackBeliefs, Attacker, attacker
from kproof.petri.papers.publisher import Names, classes_of
from kproof.petri.papers.report import report

CATEGORY = {
    "HIV": "grave", "Cancer": "grave", "Hepatitis": "liver", "Phthisis": "liver",
    "Asthma": "lung", "Obesity": "lung", "Indigestion": "gut", "Flu": "gut",
}  # fmt: skip
ATTACKS = ("sensitive-variance", "categorical-similarity", "linkage", "homogeneity")
TABLE_4A = classes_of("table-4a", k=4, sensitive="Disease", class_column="Class").values


def published_table(names: Names) -> pd.DataFrame:
    """Return classes of values as a table of rows that somebody published."""
    rows = [(f"class {at}", value) for at, one in enumerate(names) for value in one]
    return pd.DataFrame(rows, columns=["who", "disease"])


def on_the_table(
    names: Names, one: Attacker, known: Mapping[int, Sequence[str]], **options: Any
) -> Mapping[int, tuple[Fraction, dict[object, Fraction], bool]] | None:
    """Return, by class, what an attack on the table believes of the person of its first row."""
    starts = {at: sum(map(len, names[:at])) for at in range(len(names))}
    there = {value for own in names for value in own}
    people = tuple(
        Person(row=starts[at], excluded=tuple(v for v in known.get(at, ()) if v in there))
        for at in starts
    )
    try:
        found = attack(
            one.attack,
            published_table(names),
            background=BackgroundKnowledge(victims=people),
            tau=one.tau,
            quasi_identifiers=["who"],
            sensitive="disease",
            categories=CATEGORY if one.attack == "categorical-similarity" else None,
            **options,
        )
    except DataError:
        return None  # what she knows contradicts the table
    victims = {at: found.victim(at) for at in starts}
    hits = set(found.disclosed.tolist())
    return {at: (it.posterior, dict(it.distribution), at in hits) for at, it in victims.items()}


def require_the_same(
    made: TableNet, k: int, mu: str, known: Mapping[int, Sequence[str]]
) -> list[AttackBeliefs]:
    """Compare all beliefs of a net's attacks, and what SA Disc holds in the end."""
    space = made.explore()
    found = made.disclosures(space=space)
    assert [one.attack for one in found] == [one.attack for one in made.attackers]
    for one, beliefs in zip(made.attackers, found, strict=True):
        options = {"k": k, "mu": mu} if one.attack == "sensitive-variance" else {}
        expected = {
            belief.published: on_the_table(belief.published, one, known, **options)
            for belief in beliefs.beliefs
        }
        for belief in beliefs.beliefs:
            by_class = expected[belief.published]
            assert by_class is not None
            victim, at = belief.victim, belief.victim.row
            assert at is not None
            posterior, distribution, disclosed = by_class[at]
            assert type(victim.posterior) is Fraction
            assert victim.posterior == posterior == max(distribution.values())
            assert dict(victim.distribution) == distribution
            assert distribution[victim.guess] == posterior
            assert belief.disclosed == disclosed
            held = space.marking(belief.state)["SA Disc"]
            assert disclosed == any(token[:2] == (one.attack, at) for token in held)
    return list(found)


def made_of(
    classes: Sequence[Sequence[str]],
    k: int,
    mu: str,
    known: Mapping[int, Sequence[str]],
    tau: str,
    **options: Any,
) -> TableNet:
    people = tuple(Person(row=at, excluded=tuple(known.get(at, ()))) for at in range(len(classes)))
    knows = BackgroundKnowledge(victims=people)
    return kproof.net(
        options.pop("name", "theta-sensitive"),
        classes,
        k=k,
        categories=CATEGORY,
        attackers=[
            attacker(one, knows, tau=tau, **({"mu": mu} if one == ATTACKS[0] else {}))
            for one in ATTACKS
        ],
        **options,
    )


@pytest.mark.parametrize("table", [TABLE_4A, TABLE_4B])
@pytest.mark.parametrize("known", [{}, {0: ["HIV", "Cancer"], 2: ["Flu"]}])
def test_the_papers_published_tables(table, known):
    made = made_of(table, 4, "3/5", known, "1/2", name="p-plus-sensitive", p=1)
    assert all(one.full and one.beliefs for one in require_the_same(made, 4, "3/5", known))


def test_everything_that_table_1a_may_become():
    known = {0: ["HIV", "Cancer"]}
    knows = BackgroundKnowledge(victims=(Person(row=0, excluded=("HIV", "Cancer")),))
    made = kproof.net(
        "theta-sensitive", TABLE_1A, k=4, categories=CATEGORY, background=knows,
        attackers=["sensitive-variance", "categorical-similarity", "homogeneity"],
    )  # fmt: skip
    found = require_the_same(made, 4, "3/5", known)
    assert [len(one.beliefs) for one in found] == [120 - one.contradicted for one in found]
    # The gain is what homogeneity believes.
    worst = made.gain(knows).worst
    assert worst is not None
    assert found[2].worst is not None
    assert found[2].worst.victim.posterior == worst.certainty


@settings(deadline=None, max_examples=15)
@given(
    st.lists(
        st.lists(st.sampled_from(["HIV", "Cancer", "Flu", "Asthma"]), min_size=2, max_size=3),
        min_size=1,
        max_size=2,
    ),
    st.dictionaries(st.just(0), st.lists(st.sampled_from(["HIV", "Flu"]), max_size=1)),
    st.sampled_from(["1/2", "2/3", "1"]),
)
def test_small_tables(classes, known, tau):
    domain = ["HIV", "Cancer", "Flu", "Asthma"]
    require_the_same(made_of(classes, 2, "1/2", known, tau, domain=domain), 2, "1/2", known)


def test_the_command_says_the_same(tmp_path):
    made = made_of(TABLE_4A, 4, "3/5", {}, "1", name="p-plus-sensitive", p=1)
    (homogeneous,) = (one for one in made.disclosures() if one.attack == "homogeneity")
    assert homogeneous.worst is not None
    file = tmp_path / "published.csv"
    published_table(homogeneous.worst.published).to_csv(file, index=False)
    ran = run("attack", "homogeneity", str(file), "--qi", "who", "--sensitive", "disease", "--json")
    worst = json.loads(ran.out)["worst"]
    own = homogeneous.worst.to_dict()
    assert worst["posterior"] == own["posterior"] == "1/2"
    assert worst["guess"] == own["guess"]
    assert worst["distribution"] == own["distribution"]


def test_the_report_has_them():
    made = made_of([["HIV", "Cancer"]], 2, "3/5", {}, "1")
    found = report(made, made.explore())
    attacks = found.to_dict()["attacks"]
    assert isinstance(attacks, list)
    assert [(one["attack"], one["disclosed"]["final"]) for one in attacks] == [
        ("sensitive-variance", 0), ("categorical-similarity", 1), ("linkage", 0),
        ("homogeneity", 0),
    ]  # fmt: skip
    text = str(found)
    assert "  categorical-similarity: 1 of 1 beliefs are disclosures\n" in text
    assert "    worst: someone of class 0 has grave with probability 1\n" in text
