"""What the attacks report, on releases, published frames and arrays."""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from tables import data_frame

from kproof.errors import DataError, InvalidArgument
from kproof.models.attacks import (
    ATTACKS,
    BackgroundKnowledge,
    Matching,
    Person,
    PublishedClasses,
    attack,
)
from kproof.models.attacks.base import largest, reach
from kproof.models.attacks.posteriors import believe
from kproof.models.attacks.variance import variances
from kproof.models.base.classes import Classes
from kproof.models.registry import Kind
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table

PEOPLE = data_frame(
    age=[25, 31, 33, 40, 47, 52],
    zip=["142", "142", "143", "143", "144", "144"],
    disease=["Flu", "Flu", "HIV", "Flu", "HIV", "HIV"],
)


TABLES = [name for name, registered in ATTACKS.items() if registered.kind is Kind.TABLE]
WITHOUT_CATEGORIES = [name for name in TABLES if name != "categorical-similarity"]


def release_of(class_of, **account):
    table = Table.from_frame(PEOPLE, quasi_identifiers=["age", "zip"], sensitive="disease")
    return seal(table, np.array(class_of), method="test", parameters={}, **account)


@st.composite
def rows(draw):
    size = draw(st.integers(1, 14))
    codes = st.lists(st.integers(0, 3), min_size=size, max_size=size)
    _, of_row = np.unique(draw(codes), return_inverse=True)
    values = np.array(draw(codes)), tuple("abcd")
    kinds = {"category": np.array([0, 1, 1, 0]), "categories": ("x", "y")}
    return Classes(of_row, int(of_row.max()) + 1, *values, **kinds)


@given(rows())
def test_shares_categories_and_variances_of_classes(classes):
    evidence, everyone = PublishedClasses.of(classes), BackgroundKnowledge()
    by_value = attack("homogeneity", evidence)
    by_category = attack("categorical-similarity", evidence)
    by_variance = attack("sensitive-variance", evidence)
    theta = Fraction(max(int(classes.sizes.min()), 2) ** 2 - 1, 20)
    disclosed = []
    for row, c in enumerate(classes.of_row.tolist()):
        own = classes.sensitive[classes.of_row == c].tolist()
        kinds = ["xyyx"[code] for code in own]
        most = max(own.count(code) for code in own)
        victim = by_value.victim(row)
        assert victim.posterior == Fraction(most, len(own))
        assert "abcd".index(victim.guess) == min(x for x in own if own.count(x) == most)
        assert victim.distribution == {"abcd"[x]: Fraction(own.count(x), len(own)) for x in own}
        assert victim.right == (victim.guess == "abcd"[int(classes.sensitive[row])])
        assert by_category.victim(row).distribution == {
            kind: Fraction(kinds.count(kind), len(own)) for kind in kinds
        }
        counts = sorted((own.count(code) for code in set(own)), reverse=True)
        first = sum(Fraction(f * x, len(own)) for x, f in enumerate(counts, 1))
        second = sum(Fraction(f * x * x, len(own)) for x, f in enumerate(counts, 1))
        found = by_variance.victim(row).figures["V"]
        assert found == second - first * first
        disclosed += [row] if found < theta else []
    assert by_variance.disclosed.tolist() == disclosed
    assert by_variance.rule == f"V < {theta}"
    beliefs = believe(evidence, everyone)
    top, bottom = variances(beliefs)
    first = by_variance.victim(int(np.argmax(beliefs.group == 0)))
    assert Fraction(int(top[0]), int(bottom[0])) == first.figures["V"]


@given(rows(), st.sampled_from(["ratio", "difference"]))
def test_skewness_bets_on_the_largest_gain(classes, gain):
    disclosure = attack("skewness", classes, gain=gain, least="1/4")
    sensitive = classes.sensitive.tolist()
    gains = []
    for row, c in enumerate(classes.of_row.tolist()):
        own = classes.sensitive[classes.of_row == c].tolist()
        each = {}
        for code in sorted(set(own)):
            before = Fraction(sensitive.count(code), len(sensitive))
            after = Fraction(own.count(code), len(own))
            each[code] = after / before if gain == "ratio" else after - before
        best = max(each.values())
        victim = disclosure.victim(row)
        assert victim.figures["gain"] == best
        code = min(code for code, one in each.items() if one == best)
        assert victim.guess == "abcd"[code]
        assert victim.posterior == Fraction(own.count(code), len(own))
        assert victim.figures["prior"] == Fraction(sensitive.count(code), len(sensitive))
        gains.append(best)
    assert disclosure.disclosed.tolist() == [
        i for i, one in enumerate(gains) if one >= Fraction(1, 4)
    ]
    assert disclosure.worst.figures["gain"] == max(gains)


def test_a_near_tie_of_gains_is_decided_exactly():
    """The two ratios differ by less than a float can tell."""
    first, second = 10**8, 10**8 + 1
    counts = np.array([first, second])
    prior = np.array([first + 1, second + 1])
    from kproof.models.attacks.skewness import Gain, _bets, _Stakes

    parts = {"starts": np.array([0, 2]), "codes": np.array([0, 1])}
    stakes = _Stakes(**parts, weight=counts, before=prior, totals=np.array([first + second]))
    assert first / prior[0] == pytest.approx(second / prior[1], rel=1e-15)
    assert Fraction(second, second + 1) > Fraction(first, first + 1)
    assert _bets(stakes, 10**9, Gain.RATIO).tolist() == [1]


@given(
    st.lists(st.tuples(st.integers(0, 10**18), st.integers(1, 10**18)), min_size=1, max_size=6),
    st.fractions(0, 1, max_denominator=10**9),
)
def test_fractions_are_compared_exactly(pairs, bound):
    top, bottom = (np.array(side) for side in zip(*pairs, strict=True))
    each = [Fraction(n, d) for n, d in pairs]
    assert reach(top, bottom, bound).tolist() == [one >= bound for one in each]
    assert largest(top, bottom, np.arange(len(pairs))) == each.index(max(each))


def test_swapped_classes_overlap_so_that_cover_knows_less_than_class():
    release = release_of([0, 1, 0, 1, 2, 2])
    by_class = attack("homogeneity", release)
    assert by_class.disclosed.tolist() == [1, 3, 4, 5]
    cover = attack("linkage", release, background={"matching": "cover", "columns": ["age"]})
    # 31 lies in [25-33] and in [31-40]: four rows, of which three have the flu.
    assert cover.victim(1).posterior == Fraction(3, 4)
    assert cover.victim(1).candidates == 4
    assert cover.victim(1).figures == {"identification": Fraction(1, 4)}
    # The zip code does not help: 142 lies in {142, 143} of either class.
    assert attack("linkage", release).victim(1).posterior == Fraction(3, 4)
    assert by_class.victim(1).posterior == 1


def test_a_victim_given_by_quasi_identifiers():
    release = release_of([0, 0, 0, 1, 1, 1])
    bob = Person(quasi_identifiers={"age": "32.5"}, excluded=("HIV",), name="Bob")
    knows = BackgroundKnowledge(victims=(bob, Person(quasi_identifiers={"age": 99})))
    disclosure = attack("linkage", release, background=knows)
    bob, nobody = disclosure.victim(0), disclosure.victim(1)
    assert (bob.who, bob.guess, bob.posterior, bob.right) == ("Bob", "Flu", 1, None)
    assert (nobody.who, nobody.guess, nobody.posterior) == ("age=99", None, 0)
    assert nobody.distribution == {}
    assert disclosure.unmatched == 1
    assert disclosure.to_dict()["right"] is None


def test_a_wrong_belief_is_told_apart():
    """A noise row that is taken for a person's misleads."""
    release = release_of([0, 0, 1, 1, 2, 2], noise_class=np.array([2]), noise_value=np.array([0]))
    knows = {"victims": [{"row": 4, "excluded": ["HIV"]}]}
    disclosure = attack("linkage", release, background=knows | {"matching": "class"})
    assert (disclosure.worst.guess, disclosure.worst.posterior, disclosure.worst.right) == (
        "Flu",
        1,
        False,
    )
    assert (len(disclosure), disclosure.right) == (1, 0)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_published_frame_is_attacked_through_its_labels(frame):
    shown = frame(
        {
            "age": ["[25-33]", "[25-33]", "[40-52]", "[40-52]"],
            "zip": ["{142, 143}", "{142, 143}", "144", "144"],
            "disease": ["Flu", "HIV", "HIV", "HIV"],
        }
    )
    roles = {"quasi_identifiers": ["age", "zip"], "sensitive": "disease"}
    disclosure = attack("homogeneity", shown, **roles)
    assert [one.who for one in map(disclosure.victim, disclosure.disclosed)] == ["row 2", "row 3"]
    ann = {"name": "Ann", "quasi_identifiers": {"age": 45, "zip": "144"}}
    bob = {"name": "Bob", "quasi_identifiers": {"age": "30"}, "excluded": ["HIV"]}
    linked = attack("linkage", shown, background={"victims": [ann, bob]}, **roles)
    assert [linked.victim(i).guess for i in (0, 1)] == ["HIV", "Flu"]
    assert len(linked) == 2
    with pytest.raises(InvalidArgument, match="victims given by theirs"):
        attack("linkage", shown, **roles)
    tall = {"victims": [{"quasi_identifiers": {"height": 1}}]}
    with pytest.raises(DataError, match="height is not a quasi-identifier of the release: age, zi"):
        attack("linkage", shown, background=tall, **roles)


def test_json_form_and_readable_line():
    disclosure = attack("homogeneity", release_of([0, 0, 1, 1, 2, 2]))
    document = disclosure.to_dict(limit=1)
    assert json.loads(json.dumps(document)) == document
    assert document["disclosed"] == 4
    assert document["right"] == 4
    assert document["listed"] == len(document["persons"]) == 1
    assert document["worst"] == {
        "who": "row 0",
        "row": 0,
        "guess": "Flu",
        "posterior": "1",
        "distribution": {"Flu": "1"},
        "candidates": 2,
        "figures": {},
        "right": True,
    }
    assert document["mean_posterior"] == pytest.approx(5 / 6)
    assert str(disclosure) == (
        "homogeneity: 4 of 6 people disclosed (posterior >= 1); worst row 0: Flu with probability 1"
    )
    assert "<p>homogeneity" in disclosure._repr_html_()
    assert "&gt;=" in disclosure._repr_html_()


def test_nobody_left_to_attack():
    gone = release_of([-1] * 6)
    for name in WITHOUT_CATEGORIES:
        disclosure = attack(name, gone)
        assert (bool(disclosure), disclosure.worst, disclosure.unmatched) == (False, None, 6)
        assert disclosure.mean == 0.0
        assert name in str(disclosure)
    everyone = BackgroundKnowledge(
        members=tuple(Person(row=row) for row in range(6)), matching=Matching.COVER
    )
    assert attack("homogeneity", release_of([0, 0, 1, 1, 2, 2]), background=everyone).victims == 0


@cases(
    ({"name": "homogeneity", "tau": 0}, "tau = 0: need 0 < tau <= 1"),
    ({"name": "homogeneity", "tau": "1.01"}, "tau = 1.01"),
    ({"name": "homogeneity", "mu": 1}, "mu = 1: need an option of homogeneity: none"),
    ({"name": "skewness", "gain": "log"}, "gain = log: need ratio or difference"),
    ({"name": "skewness", "least": 0}, "least = 0: need least > 0"),
    ({"name": "skewness", "gain": "difference", "least": 2}, "least = 2"),
    ({"name": "sensitive-variance", "criterion": "x"}, "criterion = x: need variance or posterior"),
    ({"name": "sensitive-variance", "k": 1}, "k = 1"),
    ({"name": "similarity"}, "name = similarity: need one of homogeneity"),
    ({"name": "homogeneity", "sensitive": "disease"}, "a frame or file with the roles"),
)
def test_what_is_refused(arguments, message):
    name = arguments.pop("name")
    with pytest.raises(InvalidArgument, match=message):
        attack(name, release_of([0, 0, 1, 1, 2, 2]), **arguments)


def test_every_attack_is_described():
    for name, one in ATTACKS.items():
        assert one.name == name
        assert one.summary
        assert one.source
    assert tuple(ATTACKS["sensitive-variance"].parameters) == ("mu", "k", "criterion")


def test_a_release_is_left_as_it_was():
    release = release_of([0, 1, 0, 1, 2, 2])
    before = release.class_of.copy(), release.table.sensitive.codes.copy()
    for name in WITHOUT_CATEGORIES:
        attack(name, release, background={"members": [{"row": 0}]})
    assert (release.class_of == before[0]).all()
    assert (release.table.sensitive.codes == before[1]).all()


def test_the_largest_fraction_is_found_where_floats_put_them_the_wrong_way_round():
    base = 2**53
    top, bottom = np.array([base + 3, base + 1]), np.array([base + 2, base])
    assert top[0] / bottom[0] > top[1] / bottom[1]
    assert Fraction(base + 3, base + 2) < Fraction(base + 1, base)
    assert largest(top, bottom, np.arange(2)) == 1
