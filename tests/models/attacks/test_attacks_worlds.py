"""Counting worlds against permutations written out."""

from fractions import Fraction
from itertools import permutations
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kproof.errors import TooLarge
from kproof.models.attacks import worlds
from kproof.models.attacks.worlds import Component, by_subsets, by_usage, components, placements


def injective(cells, people):
    """Count maps of people to rows of their own; ``cells`` gives the cell of each row."""
    chosen = permutations(range(len(cells)), len(people))
    return sum(
        all(cells[row] in allowed for row, allowed in zip(rows, people, strict=True))
        for rows in chosen
    )


@st.composite
def situations(draw):
    rows = draw(st.lists(st.integers(0, 3), min_size=4, max_size=4))
    allowed = st.frozensets(st.integers(0, 3), min_size=1)
    return rows, draw(st.lists(allowed, max_size=4))


@given(situations())
def test_placements_count_injective_maps(situation):
    rows, people = situation
    cells = [cell for cell, count in enumerate(rows) for _ in range(min(count, 2))]
    rows = [min(count, 2) for count in rows]
    kinds = [sorted(one) for one in people]
    expected = injective(cells, people)
    assert placements(rows, kinds) == by_subsets(rows, kinds) == by_usage(rows, kinds) == expected


@given(
    st.lists(st.integers(0, 9), min_size=5, max_size=5),
    st.lists(st.frozensets(st.integers(0, 4), min_size=1), min_size=5, max_size=8),
)
def test_both_ways_of_counting_agree(rows, people):
    kinds = [sorted(one) for one in people]
    assert by_subsets(rows, kinds) == by_usage(rows, kinds)


@given(situations())
def test_a_components_share_is_a_ratio_of_counts(situation):
    rows, people = situation
    rows = [1 + min(count, 1) for count in rows]
    for group, reached in components(dict(enumerate(people))):
        component = Component({cell: rows[cell] for cell in reached}, group)
        own = [cell for cell in sorted(reached) for _ in range(rows[cell])]
        for left_out in [None, *group]:
            others = [cells for person, cells in group.items() if person != left_out]
            total = injective(own, others)
            assert component.worlds(without=left_out) == total
            for cell in reached if total else ():
                rest = own.copy()
                rest.remove(cell)
                share = Fraction(injective(rest, others), total)
                assert component.share(cell, without=left_out) == share


def test_components_partition_people_and_share_no_cell():
    found = components({name: frozenset(name) for name in ("ab", "bc", "de", "f", "fg", "x")})
    assert sorted(sorted(group) for group, _ in found) == [["ab", "bc"], ["de"], ["f", "fg"], ["x"]]
    assert sorted(cell for _, reached in found for cell in reached) == sorted(set("abcdefgx"))


def test_equal_cells_are_merged_so_that_many_people_stay_countable():
    rows = dict.fromkeys(range(40), 5)
    people = {person: frozenset(range(1, 40)) for person in range(30)}
    assert Component(rows, people).worlds() == prod(range(39 * 5, 39 * 5 - 30, -1))


def test_what_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(worlds, "BUDGET", 20)
    with pytest.raises(TooLarge, match="10 people who may share rows"):
        placements([9] * 8, [range(8)] * 10)
    assert placements([9] * 8, [range(8)] * 9) == 72 * 71 * 70 * 69 * 68 * 67 * 66 * 65 * 64
