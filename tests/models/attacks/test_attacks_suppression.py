"""What being left out tells: posteriors by enumerating worlds."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from cases import cases
from hypothesis import assume, given
from hypothesis import strategies as st
from tables import data_frame, sealed

from kproof.errors import DataError, InvalidArgument
from kproof.models.attacks import BackgroundKnowledge, Person, attack
from kproof.models.attacks.background import Matching
from kproof.models.tables.suppression.method import with_mark
from kproof.models.tables.table import Table

COVER = Matching.COVER


def release_of(ages, diseases, groups, *, marked):
    frame = pd.DataFrame({"age": ages, "disease": diseases})
    made = sealed(Table.from_frame(frame, quasi_identifiers=["age"], sensitive="disease"), groups)
    return with_mark(made) if marked else made


def covering(age, ages, groups):
    """Return the groups whose range of ages a person fits."""
    fitted = set()
    for group in set(groups) - {-1}:
        own = [a for a, of in zip(ages, groups, strict=True) if of == group]
        fitted |= {group} if min(own) <= age <= max(own) else set()
    return fitted


def worlds(victim, members, ages, diseases, groups):
    """Return the chance of each value over all ways to give the people rows of their own."""
    people = [victim, *members]
    rows = range(len(ages))
    found = Counter()
    for placed in permutations(rows, len(people)):
        # A row of group -1 shows no age, so that it may be anybody's.
        fits = all(
            groups[row] == -1 or groups[row] in covering(ages[person], ages, groups)
            for person, row in zip(people, placed, strict=True)
        )
        known = all(
            diseases[person] == diseases[row]
            for person, row in zip(people[1:], placed[1:], strict=True)
        )
        if fits and known:
            found[diseases[placed[0]]] += 1
    total = sum(found.values())
    return {value: Fraction(count, total) for value, count in found.items()}


TABLES = st.integers(3, 7).flatmap(
    lambda rows: st.tuples(
        st.lists(st.integers(0, 9), min_size=rows, max_size=rows),
        st.lists(st.sampled_from(["Flu", "HIV", "Flue"]), min_size=rows, max_size=rows),
        st.lists(st.sampled_from([-1, -1, 0, 1]), min_size=rows, max_size=rows),
        st.lists(st.integers(0, rows - 1), max_size=2, unique=True),
    )
)


@given(table=TABLES)
def test_posteriors_are_shares_of_worlds(table):
    ages, diseases, groups, members = table
    assume(-1 in groups and max(groups) >= 0)
    place = {group: rank for rank, group in enumerate(sorted(set(groups) - {-1}))}
    groups = [place.get(group, -1) for group in groups]
    knows = BackgroundKnowledge(matching=COVER, members=tuple(Person(row=row) for row in members))
    others = [row for row in range(len(ages)) if row not in members]
    out = [row for row in others if not covering(ages[row], ages, groups)]
    marked = release_of(ages, diseases, groups, marked=True)
    dropped = release_of(ages, diseases, groups, marked=False)
    # Who knows what every value's total is knows what is in the rows that were dropped.
    totals = Counter(diseases)
    for found in (
        attack("suppression", marked, background=knows),
        attack("suppression", dropped, background=knows, totals="known"),
        attack("suppression", dropped, background=knows, totals=totals),
    ):
        assert found.beliefs.rows.tolist() == out
        for position, row in enumerate(out):
            expected = worlds(row, members, ages, diseases, groups)
            assert found.victim(position).distribution == expected
            assert found.victim(position).right == (found.victim(position).guess == diseases[row])
        assert len(found.disclosed) == sum(
            max(worlds(row, members, ages, diseases, groups).values()) == 1 for row in out
        )


AGES, DISEASES = [20, 21, 22, 90, 95], ["Flu", "HIV", "Flu", "HIV", "HIV"]
GROUPS = [0, 0, 0, -1, -1]


def test_dropped_rows_tell_nothing_without_totals():
    disclosure = attack("suppression", release_of(AGES, DISEASES, GROUPS, marked=False))
    assert (disclosure.victims, disclosure.unmatched, len(disclosure)) == (2, 2, 0)
    assert disclosure.remarks[0] == "3 people fit a published class and were not judged"
    left_out = "2 known to be left out; of values in rows that were dropped"
    assert disclosure.remarks[1].startswith(left_out)
    dropped = release_of(AGES, DISEASES, GROUPS, marked=False)
    known = attack("suppression", dropped, totals="Flu=2, HIV=3")
    assert len(known) == known.right == 2
    assert len(known.remarks) == 1
    assert known.to_dict()["remarks"] == list(known.remarks)


def test_everybody_may_be_marked_to_other_attacks():
    marked = release_of(AGES, DISEASES, GROUPS, marked=True)
    knows = BackgroundKnowledge(victims=(Person(row=0),), matching=COVER)
    assert attack("linkage", marked, background=knows).beliefs.candidates.tolist() == [5]
    assert attack("homogeneity", marked).disclosed.tolist() == [3, 4]


def test_by_class_she_knows_whose_rows_were_left_out():
    knows = BackgroundKnowledge(matching=Matching.CLASS)
    overlapping = release_of([20, 22, 21], ["Flu", "HIV", "HIV"], [0, 0, -1], marked=True)
    assert attack("suppression", overlapping, background=knows).beliefs.rows.tolist() == [2]
    assert attack("suppression", overlapping).victims == 0


def test_a_published_file_says_what_its_mark_is():
    rows = data_frame(age=["*", "*", "[20-29]", "[20-29]"], disease=["HIV", "HIV", "Flu", "HIV"])
    people = (("Bob", 90), ("Eve", 25))
    victims = tuple(Person(quasi_identifiers={"age": age}, name=name) for name, age in people)
    knows = BackgroundKnowledge(victims=victims)
    asked = {"background": knows, "quasi_identifiers": ["age"], "sensitive": "disease"}
    disclosure = attack("suppression", rows, **asked, suppressed="*")
    assert str(disclosure) == (
        "suppression: 1 of 1 person disclosed (posterior >= 1); worst Bob: HIV with probability 1; "
        "1 person fits a published class and was not judged"
    )
    assert attack("suppression", rows, **asked).unmatched == 1
    with pytest.raises(InvalidArgument, match="no microdata are at hand"):
        attack("suppression", rows, **asked, totals="known")


@cases(
    ("Flu", InvalidArgument, "need VALUE=COUNT,VALUE=COUNT,... or known"),
    ("Flu=x", InvalidArgument, "totals of Flu = x"),
    ("Flu=2,Ebola=3", DataError, "sensitive value Ebola does not occur"),
    ("Flu=1,HIV=3", DataError, "totals: 1 more rows have Flu than there are"),
)
def test_totals_are_read_strictly(totals, error, message):
    with pytest.raises(error, match=message):
        attack("suppression", release_of(AGES, DISEASES, GROUPS, marked=False), totals=totals)


def test_noise_that_she_takes_for_real_makes_totals_useless():
    frame = pd.DataFrame({"age": AGES, "disease": DISEASES})
    table = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="disease")
    noisy = sealed(table, GROUPS, noise_class=np.array([0]), noise_value=np.array([1]))
    with pytest.raises(InvalidArgument, match="tells noise rows from real ones"):
        attack("suppression", noisy, totals="known")
    sees = replace(BackgroundKnowledge(matching=COVER), noise_recognised=True)
    disclosure = attack("suppression", noisy, totals="known", background=sees)
    assert [disclosure.victim(position).posterior for position in range(2)] == [1, 1]
