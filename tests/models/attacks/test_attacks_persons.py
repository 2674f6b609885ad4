"""People with several rows: what is certain of one of them, beside every way to hand rows out."""

from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kproof.models.attacks import BackgroundKnowledge, Person
from kproof.models.attacks.evidence import PublishedClasses
from kproof.models.attacks.likeliest import categorical_similarity, homogeneity, linkage
from kproof.models.base.classes import Classes

ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 3)), min_size=2, max_size=8
)


KINDS = np.array([0, 1, 0])
"""The category of each value."""


@given(ROWS, st.sampled_from([Fraction(1), Fraction(5, 6), Fraction(1, 2)]), st.booleans())
def test_persons_are_those_that_handing_out_rows_finds(rows, tau, by_category):
    of_class, value, person = map(np.array, zip(*rows, strict=True))
    labels, of_row = np.unique(of_class, return_inverse=True)
    kinds = {"category": KINDS, "categories": ("x", "y")}
    classes = Classes(of_row, len(labels), value, ("a", "b", "c"), person=person, **kinds)
    attack = categorical_similarity if by_category else homogeneity
    disclosure = attack(PublishedClasses.of(classes), background=BackgroundKnowledge(), tau=tau)
    if not disclosure.scope.several:
        assert disclosure.persons is None
        return
    told = KINDS[value] if by_category else value
    disclosed = set()
    for one, whose in {(int(c), int(p)) for c, p in zip(of_row, person, strict=True)}:
        values = told[of_row == one].tolist()
        own = int(np.count_nonzero((of_row == one) & (person == whose)))
        hands = list(combinations(values, own))
        for kind in set(values):
            if Fraction(sum(kind in hand for hand in hands), len(hands)) >= tau:
                disclosed.add(whose)
    assert disclosure.persons == len(disclosed)
    assert bool(disclosure) == bool(disclosed or len(disclosure))


def test_persons_are_not_judged_with_what_is_known_of_some():
    person, values = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    classes = Classes(np.zeros(4, dtype=int), 1, values, ("a", "b"), person=person)
    knows = BackgroundKnowledge(victims=(Person(row=0, excluded=("a",)),))
    disclosure = linkage(PublishedClasses.of(classes), background=knows)
    assert disclosure.persons is None
    assert "several rows has a value was not judged" in str(disclosure)
