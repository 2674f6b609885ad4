"""Background knowledge and taxonomies shrink to the least that shows a planted fault."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, find, settings
from nights import by_day

from kproof.models.attacks.background import BackgroundKnowledge, Matching, Person
from kproof.proptests.contract import TableCase
from kproof.proptests.strategies import background_knowledge, hierarchies, taxonomies

MANY = settings(
    max_examples=500, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)
PATIENTS = TableCase(
    {"age": (20, 20, 40, 40), "town": ("u", "b", "u", None), "ill": ("Flu", "HIV", "Flu", None)},
    ("age", "town"),
    "ill",
)
SEEDS = by_day(1, at_night=3)
KNOWLEDGE: dict[str, tuple[Callable[[BackgroundKnowledge], object], BackgroundKnowledge]] = {
    "somebody is known": (
        lambda known: known.victims,
        BackgroundKnowledge(victims=(Person(row=0),)),
    ),
    "a value somebody does not have": (
        lambda known: any(one.excluded for one in known.victims or ()),
        BackgroundKnowledge(victims=(Person(row=0, excluded=("HIV",)),)),
    ),
    "somebody known by their looks": (
        lambda known: any(one.quasi_identifiers for one in known.members),
        BackgroundKnowledge(members=(Person(quasi_identifiers={"age": 20}, value="Flu"),)),
    ),
    "a victim and a member": (
        lambda known: known.victims and known.members,
        BackgroundKnowledge(victims=(Person(row=0),), members=(Person(row=1),)),
    ),
    "matching by cover": (
        lambda known: known.matching is Matching.COVER,
        BackgroundKnowledge(matching=Matching.COVER),
    ),
}


def smallest(strategy: Any, wanted: Callable[[Any], object], seed: int) -> Any:
    return find(strategy, lambda one: bool(wanted(one)), settings=MANY, random=Random(seed))


@pytest.mark.parametrize("fault", KNOWLEDGE)
def test_knowledge_shrinks_to_what_matters(fault):
    wanted, expected = KNOWLEDGE[fault]
    for seed in range(SEEDS):
        assert smallest(background_knowledge(PATIENTS), wanted, seed) == expected


TREES: dict[str, tuple[Callable[[dict[str, str]], object], dict[str, str]]] = {
    "any tree": (lambda tree: True, {"a": "*", "b": "*", "c": "*", "*": "*"}),
    "two values below one inner node": (
        lambda tree: list(tree.values()).count("A") > 1,
        {"a": "*", "b": "A", "c": "A", "A": "*", "*": "*"},
    ),
    "two inner nodes beside each other": (
        lambda tree: {tree.get("A"), tree.get("B")} == {"*"},
        {"a": "*", "b": "A", "c": "B", "A": "*", "B": "*", "*": "*"},
    ),
    "three levels": (
        lambda tree: tree.get("B") == "A",
        {"a": "*", "b": "*", "c": "B", "B": "A", "A": "*", "*": "*"},
    ),
}


@pytest.mark.parametrize("fault", TREES)
def test_hierarchies_shrink_to_few_inner_nodes(fault):
    wanted, expected = TREES[fault]
    for seed in range(SEEDS):
        assert smallest(hierarchies(["a", "b", "c"]), wanted, seed) == expected


def test_taxonomies_shrink_to_one_inner_node():
    for seed in range(SEEDS):
        found = smallest(taxonomies(["a", "b"]), lambda tree: tree.height > 1, seed)
        assert (found.labels, found.height) == (("*", "a", "A", "b"), 2)
