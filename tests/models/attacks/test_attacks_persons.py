"""People with several rows: what is certain of one of them, beside every way to hand rows out."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.models.attacks import BackgroundKnowledge, homogeneity
from kproof.models.attacks.evidence import PublishedClasses
from kproof.models.base.classes import Classes

ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 3)), min_size=2, max_size=8
)


@settings(deadline=None)
@given(ROWS, st.sampled_from([Fraction(1), Fraction(5, 6), Fraction(1, 2)]))
def test_persons_are_those_that_handing_out_rows_finds(
    rows: list[tuple[int, int, int]], tau: Fraction
) -> None:
    of_class, value, person = map(np.array, zip(*rows, strict=True))
    labels, of_row = np.unique(of_class, return_inverse=True)
    classes = Classes(of_row, len(labels), value, ("a", "b", "c"), person=person)
    found = homogeneity(PublishedClasses.of(classes), background=BackgroundKnowledge(), tau=tau)
    if not found.scope.several:
        assert found.persons is None
        return
    disclosed = set()
    for one, whose in {(int(c), int(p)) for c, p in zip(of_row, person, strict=True)}:
        values = value[of_row == one].tolist()
        own = int(np.count_nonzero((of_row == one) & (person == whose)))
        hands = list(combinations(values, own))
        for kind in set(values):
            if Fraction(sum(kind in hand for hand in hands), len(hands)) >= tau:
                disclosed.add(whose)
    assert found.persons == len(disclosed)
    assert bool(found) == bool(disclosed or len(found))
