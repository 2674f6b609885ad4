"""Sequences of cells as rows: each person's row hangs on that person's positions alone."""

from collections import Counter

import numpy as np
import pytest
from cases import error_line
from hypothesis import given
from hypothesis import strategies as st

from kproof.errors import InvalidArgument
from kproof.models.moving.cells import GridCells
from kproof.models.moving.sequences import Sequences
from kproof.models.places.log import PositionLog
from kproof.models.tables.sampled import sampled

CELLS = GridCells(1000)

logs = st.lists(
    st.tuples(st.sampled_from("abcd"), st.integers(-3, 6), st.sampled_from([52.0, 52.02, 52.5])),
    min_size=1, max_size=30, unique_by=lambda row: row[:2],
)  # fmt: skip


def sequences(rows: list[tuple[str, int, float]], **how: int) -> Sequences:
    log = PositionLog.of(
        [row[2] for row in rows], [13] * len(rows), users=[row[0] for row in rows],
        time=[60 * row[1] + 600 for row in rows], far=None,
    )  # fmt: skip
    return Sequences.of(log, CELLS, start=600, period=60, session=3, **how)


def by_hand(rows: list[tuple[str, int, float]], age: int) -> Counter[tuple[float | None, ...]]:
    """The latitude that stands for each person in each slot."""
    found = Counter[tuple[float | None, ...]]()
    for who in {row[0] for row in rows}:
        at = {slot: lat for person, slot, lat in rows if person == who}
        known = tuple(
            next((at[slot - back] for back in range(age + 1) if slot - back in at), None)
            for slot in range(3)
        )
        found[known] += any(lat is not None for lat in known)
    return +found


@given(logs, st.integers(0, 2))
def test_a_row_is_what_stands_for_a_person_in_each_slot(rows, age):
    expected = by_hand(rows, age)
    made = sequences(rows, age=age)
    codes, _ = CELLS.codes(np.array([52.0, 52.02, 52.5]), np.array([13.0] * 3))
    label_of = dict(zip([52.0, 52.02, 52.5], (codes | 1 << CELLS.height).tolist(), strict=True))
    assert Counter(map(tuple, made.labels.tolist())) == Counter(
        {tuple(label_of.get(lat, 0) for lat in known): n for known, n in expected.items()}
    )


@given(logs, st.sampled_from("abcd"))
def test_without_a_person_one_row_is_missing_and_no_other_differs(rows, gone):
    fewer = [row for row in rows if row[0] != gone]
    if not fewer:
        return
    whole, part = (Counter(map(tuple, sequences(r, age=1).labels.tolist())) for r in (rows, fewer))
    assert not part - whole
    assert (whole - part).total() <= 1


def test_the_rows_are_those_of_a_sampled_table():
    made = sequences([(f"p{number}", slot, 52.0) for number in range(40) for slot in (0, 2)])
    release = sampled(made.table, levels=made.levels, k=3, beta="1/2", person=None, test_seed=4)
    assert (
        release.names[:3]
        == made.names
        == tuple(f"1970-01-01T00:{minute}:00Z" for minute in (10, 11, 12))
    )
    assert {row[1] for row in release.rows} == {"unknown"}
    assert 10 < len(release.rows) < 30
    assert 0.99 < made.shown(3, "1/2") <= 1
    assert made.shown(1000, "1/2") < 1e-9


def test_what_is_asked_has_to_fit():
    with pytest.raises(InvalidArgument, match="a multiple of the period"):
        Sequences.of(
            PositionLog.of([1], [1], users="a", time=[1]), CELLS, start=30, period=60, session=1
        )
    assert "depth = 99" in error_line(InvalidArgument, sequences, [("a", 0, 52.0)], depth=99)
