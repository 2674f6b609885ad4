"""The attack on a cloaked log against the plain form: every person, every set of slots."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from cases import cases, error_line
from hypothesis import given, settings
from hypothesis import strategies as st
from moving_oracles import candidates, covers, equal, fewest, whereabouts

from kproof.errors import DataError, InvalidArgument
from kproof.models.moving import knowing
from kproof.models.moving.knowing import PlacesKnown, count_fits
from kproof.models.moving.labels import common, depths, labels_of, name, spans
from kproof.models.moving.observers import Presence, intersect
from kproof.models.moving.release import CloakedLog

HEIGHT, SLOTS, HOUR = 3, range(10, 14), 3600


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
    assert intersect(presence, release, observer="method").least == equal(records)


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
    assert intersect(presence, CloakedLog.of(*np.array([[1], [13], [1]]))).least == 0
    deep = CloakedLog.of(*np.array([[1], [10], [1 << 5]]))
    assert "more than 3 bits" in error_line(DataError, intersect, presence, deep)
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


def fitting(records, table, person, known):
    """How many records have a row in a known slot, and none that shows another cell there."""
    return sum(
        any(slot in shown for slot in known)
        and all(covers(shown.get(slot, 0), table[slot, person], HEIGHT) for slot in known)
        for shown in records.values()
    )


def least(counts):
    return min((count for count in counts if count), default=None)


def of_sets(records, table, people, most):
    return least(
        fitting(records, table, person, known)
        for person in range(people)
        for size in range(1, most + 1)
        for known in combinations([s for s in SLOTS if table[s, person] is not None], size)
    )


def of_home_and_work(records, table, people, night):
    counts = []
    for person in range(people):
        there = set()
        for dark in (True, False):
            slots = [s for s in SLOTS if (s % 24 in night) == dark]
            places = Counter(table[s, person] for s in slots)
            del places[None]
            if places:
                usual = min(places, key=lambda code: (-places[code], code))
                there |= {s for s in slots if table[s, person] == usual}
        sessions = sessions_of(records)
        counts += [fitting(records, table, person, there & slots) for slots in sessions]
    return least(counts)


def sessions_of(records):
    """Sets of slots that no record goes on from into another."""
    parts = []
    for slot in SLOTS:
        if any(min(shown) < slot <= max(shown) for shown in records.values()):
            parts[-1].add(slot)
        else:
            parts.append({slot})
    return parts


@st.composite
def crowded(draw):
    """People in two places, and records of these, hidden or with gaps: many fit."""
    people = draw(st.integers(1, 3))
    place = st.sampled_from([None, 0, 7])
    reports = [
        (slot, person, code)
        for slot in SLOTS
        for person in range(people)
        if (code := draw(place)) is not None
    ]
    shown = st.dictionaries(st.sampled_from(SLOTS), st.sampled_from([0, 8, 15]), min_size=1)
    entries = draw(st.lists(shown, min_size=1, max_size=4))
    copies = [shown for shown in entries for _ in range(draw(st.integers(1, 3)))]
    return people, reports, draw(st.integers(0, 1)), dict(enumerate(copies))


how_tried = st.sampled_from(["all", "until the bound", "out of time"])


@settings(max_examples=300)
@given(crowded(), st.integers(1, 5), how_tried)
def test_records_that_fit_are_counted_for_all_sets_of_slots(case, most, tried):
    people, reports, age, records = case
    table = whereabouts(reports, age, people, SLOTS)
    known = PlacesKnown.of((str(most), "home-work"), night="11-14")
    with pytest.MonkeyPatch.context() as patch:
        if tried == "all":
            patch.setattr(knowing._Session, "bound", 0)
        if tried == "out of time":
            patch.setattr(knowing, "WORK", 0)
        positions, places = count_fits(
            presence_of(people, reports, age), log_of(records), known, HOUR
        )
    expected = of_sets(records, table, people, most)
    at_home = of_home_and_work(records, table, people, {11, 12, 13})
    for found, true in ((positions, expected), (places, at_home)):
        if found.exact:
            assert found.least == true
        else:
            # What was not tried is no less than the bound, and something fits.
            assert found.least == equal(records) <= true
    assert positions.exact or tried == "out of time"
    # M2: whoever knows any positions finds none, or as many as are equal.
    assert expected is None or expected >= equal(records)


@cases(
    ({"knows": ("four",)}, "knows = four: need a number of positions, or home-work"),
    ({"knows": ("0",)}, "knows = 0: need"),
    ({"night": "6-06"}, "night = 6-06: need two different hours from 0 to 23"),
    ({"night": "22-24"}, "night = 22-24"),
    ({"sybils": "-1"}, "sybils = -1"),
)
def test_what_is_no_knowledge_is_refused(asked, message):
    with pytest.raises(InvalidArgument, match=message):
        PlacesKnown.of(**asked)
