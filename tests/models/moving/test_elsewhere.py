"""What one cell of a record tells of its other ones, beside a plain look at every pair."""

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kproof.models.moving.elsewhere import certain_elsewhere, hide_elsewhere, least_elsewhere
from kproof.models.moving.release import CloakedLog

Sessions = list[list[list[int | None]]]

tables = st.lists(
    st.integers(1, 4).flatmap(
        lambda slots: st.lists(
            st.lists(st.sampled_from([None, 0, 2, 3, 3]), min_size=slots, max_size=slots),
            min_size=1, max_size=8,
        )
    ),
    min_size=1, max_size=2,
)  # fmt: skip


def log_of(sessions: Sessions) -> CloakedLog:
    """A log of sessions: what each record shows in each slot, None before it begins."""
    rows, number, first = [], 0, 0
    for session in sessions:
        for shown in session:
            # A record that has begun goes on to the end.
            begun = next((at for at, label in enumerate(shown) if label is not None), len(shown))
            rows += [(number, first + at, shown[at] or 0) for at in range(begun, len(shown))]
            number += 1
        first += len(session[0])
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return CloakedLog.of(*columns)


def views(log: CloakedLog) -> list[list[int]]:
    """What the records that show a cell in a slot show in another slot of theirs: nowhere is 0."""
    shown: dict[int, dict[int, int]] = defaultdict(dict)
    for record, slot, label in zip(
        *(c.tolist() for c in (log.record, log.slot, log.label)), strict=True
    ):
        shown[record][slot] = label
    slots = sorted(set(log.slot.tolist()))
    seen = []
    for slot in slots:
        for label in {entries.get(slot, 0) for entries in shown.values()} - {0}:
            there = [entries for entries in shown.values() if entries.get(slot, 0) == label]
            others = set(slots) - {slot}
            seen += [[entries.get(other, 0) for entries in there] for other in others]
    return [entries for entries in seen if any(entries)]


@given(tables)
def test_what_is_certain_is_what_all_records_with_a_cell_show(sessions):
    log = log_of(sessions)
    pairs = [entry for entries in views(log) for entry in entries if entry]
    certain = [e for entries in views(log) if len(set(entries)) == 1 for e in entries]
    assert certain_elsewhere(log) == (len(certain) / len(pairs) if pairs else 0)
    assert least_elsewhere(log) == min((len(set(entries)) for entries in views(log)), default=None)


@given(tables, st.integers(1, 4))
def test_hidden_cells_leave_enough_and_records_that_are_alike_stay_alike(sessions, least):
    log = log_of(sessions)
    labels = hide_elsewhere(log.record, log.slot, log.label, least)
    after = CloakedLog.of(log.record, log.slot, labels)
    assert set(np.flatnonzero(labels != log.label)) <= set(np.flatnonzero(log.label))
    assert not labels[labels != log.label].any()
    assert all(len(set(entries)) >= least for entries in views(after))
    assert (least_elsewhere(after) or least) >= least
    if least == 1:
        assert (labels == log.label).all()
    (numbers, before), (_, now) = log.classes(), after.classes()
    for number in range(len(numbers)):
        assert len(set(now[before == before[number]].tolist())) == 1
