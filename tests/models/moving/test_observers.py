"""The attack on a cloaked log against the plain form: every person, every set of slots."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from moving_oracles import candidates, equal, fewest, whereabouts

from kproof.errors import DataError
from kproof.models.moving.labels import common, depths, labels_of, name, spans
from kproof.models.moving.observers import Presence, intersect
from kproof.models.moving.release import CloakedLog

HEIGHT, SLOTS = 3, range(10, 14)


@st.composite
def attacked(draw):
    people = draw(st.integers(1, 6))
    report = st.tuples(
        st.sampled_from(SLOTS), st.integers(0, people - 1), st.integers(0, 2**HEIGHT - 1)
    )
    reports = sorted(draw(st.lists(report, max_size=20)), key=lambda row: row[0])
    label = st.integers(0, 2 ** (HEIGHT + 1) - 1)
    shown = st.dictionaries(st.sampled_from(SLOTS), label, min_size=1)
    records = dict(enumerate(draw(st.lists(shown, min_size=1, max_size=5)), start=7))
    return people, reports, draw(st.integers(0, 2)), records


def log_of(records):
    rows = [(number, *row) for number, shown in records.items() for row in shown.items()]
    return CloakedLog.of(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)


def presence_of(people, reports, age):
    columns = np.array(reports, dtype=np.int64).reshape(-1, 3).T
    return Presence.of(*columns, height=HEIGHT, age=age, last=SLOTS[-1], people=people)


@given(attacked())
def test_candidates_are_those_who_were_in_every_cell(case):
    people, reports, age, records = case
    table = whereabouts(reports, age, people, SLOTS)
    presence, release = presence_of(people, reports, age), log_of(records)
    found = intersect(presence, release)
    expected = {
        number: candidates(table, shown, people, HEIGHT) for number, shown in records.items()
    }
    assert dict(zip(found.records.tolist(), found.counts.tolist(), strict=True)) == {
        number: len(who) for number, who in expected.items()
    }
    assert set(found.example.tolist()) == expected[found.worst]
    # The record as a whole is the finest knowledge of its slots.
    assert found.least == fewest(table, records, people, HEIGHT)
    known = intersect(presence, release, observer="method")
    assert known.least == equal(records)


@given(attacked(), st.integers(1, 5))
def test_few_pairs_at_a_time_give_the_same(case, pairs):
    people, reports, age, records = case
    presence, release = presence_of(people, reports, age), log_of(records)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kproof.models.moving.observers.PAIRS", pairs)
        small = intersect(presence, release)
    whole = intersect(presence, release)
    assert small.counts.tolist() == whole.counts.tolist()


def test_a_log_that_does_not_fit_leaves_nobody():
    presence = presence_of(2, [(10, 0, 1), (10, 1, 1)], 0)
    late = CloakedLog.of(*np.array([[1], [13], [1]]))
    assert intersect(presence, late).least == 0
    deep = CloakedLog.of(*np.array([[1], [10], [1 << 5]]))
    with pytest.raises(DataError, match="more than 3 bits"):
        intersect(presence, deep)
    with pytest.raises(DataError, match="record 1 has two cells in one slot"):
        CloakedLog.of(*np.array([[1, 1], [10, 10], [1, 2]]))


@given(st.integers(0, 2**52 - 1), st.integers(0, 2**52 - 1))
def test_labels_are_the_first_bits(one, other):
    label = int(common(np.array([min(one, other)]), np.array([max(one, other)]), 52)[0])
    bits = [f"{code:052b}" for code in (one, other)]
    same = next((place for place in range(52) if bits[0][place] != bits[1][place]), 52)
    assert name(label) == "c" + bits[0][:same]
    assert depths(np.array([label])).tolist() == [same]
    assert labels_of([name(label)], "a.csv", [2]).tolist() == [label]
    low, high = spans(np.array([label]), 52)
    assert low[0] <= one < high[0]
    assert high[0] - low[0] == 2 ** (52 - same)


@pytest.mark.parametrize("cell", ["", "0110", "c012", "hiden", "c" + "0" * 53])
def test_names_of_cells_are_read_strictly(cell):
    with pytest.raises(DataError, match=r"a.csv, line 3: cell is .*; need hidden, or c and"):
        labels_of([cell], "a.csv", [3])
