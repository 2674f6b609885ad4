"""The rules against every set of slots, after every slot, and against rules with a fault."""

from dataclasses import dataclass
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from cases import error_line
from hypothesis import given
from hypothesis import strategies as st
from moving_oracles import equal, fewest, fits, whereabouts
from nights import spread

from kproof.errors import InvalidArgument
from kproof.models.moving import rules
from kproof.models.moving.cells import CellTree, GridCells
from kproof.models.moving.labels import HIDDEN, UNKNOWN, depths, labels_at
from kproof.models.moving.nodes import MovingNodes
from kproof.models.moving.rules import ALONE, Mover
from kproof.models.moving.slots import every_slot


@dataclass(frozen=True)
class Halves(CellTree):
    """A line of places, halved."""

    height: int = 3

    def codes(self, lat, lon):
        raise NotImplementedError

    outline = codes

    def widths(self, labels):
        return np.where(labels == HIDDEN, np.inf, 2.0 ** (self.height - depths(labels)))


@st.composite
def reports(draw, people=8, height=3, slots=4):
    """Reports of a few people, of whom most stay near where they were; some say nothing."""
    rows = []
    first = draw(st.sampled_from([-2, 5]))
    for person in range(draw(st.integers(2, people))):
        code = draw(st.integers(0, 2**height - 1))
        for slot in range(first, first + slots):
            if draw(st.integers(0, 5)):
                rows.append((slot, person, code))
            code = min(max(code + draw(st.integers(-1, 1)), 0), 2**height - 1)
    return sorted(rows)


options = st.fixed_dictionaries(
    {
        "k": st.integers(2, 3),
        "session": st.integers(1, 4),
        "widest": st.sampled_from([1, 2, 4, 8]),
        "deadline": st.integers(0, 2),
        "age": st.integers(0, 1),
    }
)


def stepped(mover, rows):
    """Return {record: {slot: label}} after every slot."""
    records = {}
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    for slot, person, code in every_slot(*columns):
        out = mover.step(slot, person, code)
        for record, label in zip(out.record.tolist(), out.label.tolist(), strict=True):
            records.setdefault(record, {})[slot] = label
        yield slot, records


def is_safe(rows, mover, *, age=None):
    """Say whether no observer is below k, at any slot: presence, method, and known points."""
    height, k = mover.cells.height, mover.k
    people = 1 + max((person for _, person, _ in rows), default=-1)
    used = mover._where.age if age is None else age
    for slot, records in stepped(mover, rows):
        slots = range(min(row[0] for row in rows), slot + 1)
        table = whereabouts([row for row in rows if row[0] <= slot], used, people, slots)
        counts = [fewest(table, records, people, height), equal(records)]
        counts += fits(table, records, people, height) if people < 6 else []
        if any(count is not None and count < k for count in counts):
            return False
    return True


@given(reports(), options, st.integers(0, 3))
def test_no_observer_is_below_k_at_any_slot(rows, asked, key):
    assert is_safe(rows, Mover(Halves(), key=key, **asked))


@pytest.mark.parametrize("session", [1, 2])
def test_every_world_of_four_people_two_slots_and_two_cells(session):
    cells = Halves(1)
    for places in spread(product(range(2), repeat=8), 3):
        rows = [(slot, person, places[4 * slot + person]) for slot in (0, 1) for person in range(4)]
        for widest in (1, 2):
            assert is_safe(rows, Mover(cells, k=2, key=0, session=session, widest=widest))


@given(reports(people=20), options)
def test_groups_part_and_never_join_and_keep_k(rows, asked):
    mover = Mover(Halves(), key=1, **asked)
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    before, first = np.zeros(0, dtype=np.int64), None
    for slot, person, code in every_slot(*columns):
        first = slot if first is None else first
        mover.step(slot, person, code)
        group = mover._group
        assert (np.unique(group[group != ALONE], return_counts=True)[1] >= asked["k"]).all()
        if (slot - first) % asked["session"]:
            # Who is together now was together before, or waited.
            for number in np.unique(group[: len(before)][before != ALONE]):
                assert number != ALONE
                members = np.flatnonzero(group[: len(before)] == number)
                assert len(set(before[members].tolist())) == 1
        before = group.copy()


@given(reports(people=20), options)
def test_who_is_shown_is_inside_and_cells_are_no_wider_than_asked(rows, asked):
    mover = Mover(Halves(), key=1, **asked)
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    people = 1 + max((person for _, person, _ in rows), default=-1)
    for slot, person, code in every_slot(*columns):
        out = mover.step(slot, person, code)
        table = whereabouts(rows, asked["age"], people, [slot])
        shown = out.label != HIDDEN
        codes = np.array([table[slot, who] for who in out.person[shown].tolist()], dtype=float)
        depth = depths(out.label[shown])
        assert (labels_at(codes.astype(int), depth, 3) == out.label[shown]).all()
        assert (mover.cells.widths(out.label[shown]) <= asked["widest"]).all()
        assert (out.waited <= asked["deadline"]).all()


def test_slots_come_one_after_another_and_codes_are_those_of_the_cells():
    mover = Mover(Halves(), k=2, key=0)
    nobody = np.zeros(0, dtype=np.int64)
    mover.step(3, nobody, nobody)
    with pytest.raises(InvalidArgument, match=r"slot = 5: need 4, the next one"):
        mover.step(5, nobody, nobody)
    with pytest.raises(InvalidArgument, match=r"code = 8: need codes of 3 bits"):
        mover.step(4, np.array([0]), np.array([8]))
    assert "k = 1" in error_line(InvalidArgument, Mover, Halves(), k=1, key=0)


# Rules with a fault. Each is a publisher that looks reasonable, and the plain form finds it out.


def alone(group, size, large, k):
    """Leave the remainder as small as it is."""
    return np.where(large, 0, size)


class CellsPerSlot(Mover):
    """Keep k in each slot, and forget the groups of the one before."""

    def step(self, slot, person, code):
        self._group[:] = ALONE
        numbers = self._record.copy()
        out = super().step(slot, person, code)
        again = np.where(out.person < len(numbers), 0, ALONE)
        again[again == 0] = numbers[out.person[again == 0]]
        record = np.where(again == ALONE, out.record, again)
        self._record[out.person] = record
        return rules.SlotRows(slot, record, out.label, out.person, out.waited)


class UnknownShown(Mover):
    """Show the cell of those whose positions are known, for all."""

    def _labels(self, group, codes):
        known = codes != UNKNOWN
        labels = np.full(len(codes), HIDDEN)
        labels[known] = super()._labels(group[known], codes[known])
        for number in np.unique(group):
            labels[group == number] = labels[group == number].max()
        return labels


class Leaving(Mover):
    """End the record of whoever is unknown."""

    def step(self, slot, person, code):
        out = super().step(slot, person, code)
        here = np.isin(out.person, person)
        return rules.SlotRows(slot, out.record[here], out.label[here], out.person[here], out.waited)


class Joining(Mover):
    """Join groups that are in one cell."""

    def _part(self, now, members, codes):
        super()._part(now, members, codes)
        labels = self._labels(self._group[members], codes)
        for label in np.unique(labels[labels != HIDDEN]):
            self._group[members[labels == label]] = self._groups
            self._groups += 1


class LeavingAlone(Mover):
    """Let whoever is elsewhere leave a group, and hide them."""

    def _part(self, now, members, codes):
        with patch.object(rules, "_take_along", alone):
            super()._part(now, members, codes)


class Prefixes(LeavingAlone):
    """Publish the beginning of a record as long as k share it, and stop then."""

    def step(self, slot, person, code):
        out = super().step(slot, person, code)
        stops = out.person[out.label == HIDDEN]
        self._group[stops] = ALONE
        self._since[stops] = -(10**6)
        goes = out.label != HIDDEN
        return rules.SlotRows(slot, out.record[goes], out.label[goes], out.person[goes], out.waited)


FAULTS = {
    "cells per slot": (CellsPerSlot, None),
    "unknown shown": (UnknownShown, None),
    "an end of its own": (Leaving, None),
    "groups that join": (Joining, None),
    "leaving alone": (LeavingAlone, None),
    "prefixes": (Prefixes, None),
    "a stale position": (Mover, 0),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_rules_with_a_fault_are_refuted(fault):
    kind, age = FAULTS[fault]
    rng = np.random.default_rng(1)
    for _ in range(400):
        people = int(rng.integers(4, 8))
        rows = [
            (slot, person, int(rng.integers(0, 4)))
            for slot in range(3)
            for person in range(people)
            if rng.random() < 0.8
        ]
        mover = kind(Halves(2), k=2, key=0, session=3, widest=2, deadline=1, age=1)
        if rows and not is_safe(rows, mover, age=age):
            return
    pytest.fail("nobody was below k in 400 random logs")


def same_rows(mover, nodes, columns):
    """Say whether a mover and some nodes give the same rows in every slot."""
    for reported in every_slot(*columns):
        whole, together = mover.step(*reported), nodes.step(*reported)
        for name in ("record", "label", "person"):
            assert getattr(whole, name).tolist() == getattr(together, name).tolist()
        assert sorted(whole.waited.tolist()) == sorted(together.waited.tolist())


@given(reports(), options, st.sampled_from([1, 2, 3, 8]))
def test_any_number_of_nodes_makes_the_same_log(rows, asked, count):
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    nodes = MovingNodes(Halves(), nodes=count, key=5, **asked)
    same_rows(Mover(Halves(), key=5, **asked), nodes, columns)


def test_nodes_in_processes_of_their_own_make_the_same_log():
    rng = np.random.default_rng(2)
    cells = GridCells(500)
    slot = np.repeat(np.arange(4), 300)
    person = np.tile(np.arange(300), 4)
    codes, _ = cells.codes(48 + rng.random(1200) / 20, 11 + rng.random(1200) / 20)
    asked = {"k": 3, "session": 3, "widest": 3000}
    with MovingNodes(cells, nodes=2, key=9, processes=True, **asked) as nodes:
        same_rows(Mover(cells, key=9, **asked), nodes, (slot, person, codes))
    broken = MovingNodes(cells, nodes=2, key=9, processes=True, **asked)
    with broken, pytest.raises(InvalidArgument, match="code"):
        broken.step(0, np.array([0]), np.array([-2]))
