"""What whoever knows the method believes after the ends of a net, beside every table there is."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product

import pytest
from cases import cases

from kproof.models.attacks.knowing.beliefs import method_beliefs
from kproof.models.tables.theta.moves import Threshold
from kproof.petri.papers.method_known import MOST_PUBLICATIONS, method_known
from kproof.petri.papers.p_plus_sensitive import p_plus_publisher
from kproof.petri.papers.publisher import Publisher
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.simulate import arrivals

CATEGORIES = {"A": 1, "B": 2, "C": 2}


def publisher_of(net: str, classes: list[tuple[str, ...]]) -> Publisher:
    if net != "p+":
        return theta_publisher(classes, k=2, mu="1/2", domain="ABC", reading=net)
    return p_plus_publisher(classes, p=2, k=2, domain="ABC", categories=CATEGORIES)


@cases(("corrected", 1), ("printed", 1), ("p+", 1), ("p+", 2))
def test_it_is_what_all_tables_say(net, classes):
    """Where records stay in their classes, noise is what an original does not have."""
    joint: dict[object, Counter[tuple[str, ...]]] = defaultdict(Counter)
    known = {}
    for values in product("ABC", repeat=2 * classes):
        formed = [values[at : at + 2] for at in range(0, len(values), 2)]
        publisher = publisher_of(net, formed)
        space = explore(publisher.net())
        chances = arrivals(space).probability
        ends = list(publisher.every_publication(space))
        for state, ecs in ends:
            joint[publisher.names(ecs)][values] += chances[state]  # type: ignore[assignment]
        for _, ecs in ends:
            known[publisher.names(ecs)] = method_known(publisher, [ecs], every=False)
    for names, tables in joint.items():
        total, largest = sum(tables.values()), Fraction(0)
        for place, value in product(range(2 * classes), "ABC"):
            chance = sum(chance for table, chance in tables.items() if table[place] == value)
            largest = max(largest, Fraction(chance) / Fraction(total))
        assert known[names].largest == largest
        assert known[names].certain == (largest == 1)


@pytest.mark.parametrize("mu", ["1/2", "1"])
def test_the_printed_net_publishes_with_the_chances_that_are_summed(mu):
    """A net that is stuck at V = θ publishes nothing, which mu = 1 makes common."""
    chance_of: Counter[object] = Counter()
    for values in product("ABC", repeat=4):
        classes = [values[:2], values[2:]]
        publisher = theta_publisher(classes, k=2, mu=mu, domain="ABC", reading="printed")
        space = explore(publisher.net())
        chances = arrivals(space).probability
        for state, ecs in publisher.every_publication(space):
            chance_of[publisher.names(ecs)] += Fraction(chances[state]) / 81  # type: ignore[assignment]
    for names, chance in chance_of.items():
        beliefs = method_beliefs(
            [Counter("ABC".index(str(name)) for name in ec) for ec in names],  # type: ignore[attr-defined]
            threshold=Threshold(Fraction(mu), 2), shares=[Fraction(1, 3)] * 3, people=[2, 2],
            reading="printed", by_rules=True,
        )  # fmt: skip
        assert beliefs.probability == chance


@pytest.mark.parametrize("net", ["corrected", "printed"])
@pytest.mark.parametrize("classes", [("AAA", "BCD"), ("ABB", "ABB"), ("AA", "BB", "ABC")])
def test_values_that_change_places_are_believed_alike(net, classes):
    """What is worked out once for publications of one form is what each tells by itself."""
    publisher = theta_publisher(classes, k=len(classes[0]), mu="3/5", domain="ABCD", reading=net)
    ends = {ecs: None for _, ecs in publisher.every_publication(explore(publisher.net()))}
    together = method_known(publisher, ends, every=True)
    alone = [method_known(publisher, [ecs], every=True) for ecs in ends]
    assert together.publications == min(len(ends), MOST_PUBLICATIONS)
    alone = alone[: together.publications]
    assert together.certain == sum(answer.certain for answer in alone)
    for name in ("largest", "largest_by_rule"):
        assert getattr(together, name) == max(getattr(answer, name) for answer in alone)


def test_what_is_not_computed_is_said():
    pair = [["A", "A"], ["B", "C"]]
    padded = theta_publisher([["A", "A"], ["B"]], k=2, domain="ABC", padding="noise")
    records = theta_publisher(pair, k=2, tokens="records")
    for publisher, why in ((padded, "padding"), (records, "labels")):
        answer = method_known(publisher, [], every=True)
        assert why in answer.unjudged
        assert str(answer).startswith("not judged; ")
