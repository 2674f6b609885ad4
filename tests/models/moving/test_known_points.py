"""Two points known: the attacks of scikit-mobility, written here once more, on cloaked logs.

LocationSequenceAttack knows places and their order, LocationTimeAttack places and times; the risk
of a person is the largest of one over the trajectories that match any two points (all of them, if
there are fewer), hidden ones left out. Pellungrini et al., ACM TIST 9(3), 31, 2017.
"""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from public_data import data_file

from kproof.models.moving.cell_files import cells_document, cells_in
from kproof.models.moving.cells import GridCells
from kproof.models.moving.publish import cloak_log
from kproof.models.moving.rules import Mover
from kproof.models.moving.slots import every_slot
from kproof.models.moving.terms import LogTerms
from kproof.models.places.log import PositionLog
from kproof.proptests.subjects.logs import HalvedLine

HOUR = 1212912000
"""8 June 2008, 08:00 UTC."""


def in_order(path, points):
    """Say whether places are visited in the order of some points, perhaps with others between."""
    visits = iter(place for _, place in path)
    return all(place in visits for _, place in points)


def at_times(path, points):
    """Say whether places are visited at the times of some points."""
    return set(points) <= set(path)


def largest_risk(paths, match, known=2):
    """Return the largest risk of anybody, from (slot, place) by person in the order of time."""
    same, fewest = Counter(map(tuple, paths)), len(paths)
    for path in same:
        for points in combinations(path, min(known, len(path))):
            fewest = min(fewest, sum(same[other] for other in same if match(other, points)))
            if fewest == 1:
                return Fraction(1)
    return Fraction(1, fewest)


def paths_of(person, slot, place):
    """Return the path of each person, in the order of time."""
    paths = {}
    for who, when, where in sorted(zip(person, slot, place, strict=True)):
        paths.setdefault(who, []).append((when, where))
    return list(paths.values())


@given(st.integers(0, 10**6), st.integers(2, 4))
def test_two_points_leave_k_records(seed, k):
    rng = np.random.default_rng(seed)
    slot, person = np.repeat(np.arange(3), 14), np.tile(np.arange(14), 3)
    code = (rng.integers(0, 3, 14)[person] + rng.integers(0, 2, 42)) % 4
    there = rng.random(42) < 0.9
    mover = Mover(HalvedLine(2), k=k, key=seed, session=3, widest=2)
    steps = [mover.step(*row) for row in every_slot(slot[there], person[there], code[there])]
    rows = [
        (int(record), step.slot, int(label))
        for step in steps
        for record, label in zip(step.record, step.label, strict=True)
        if label
    ]
    if rows:
        for match in (in_order, at_times):
            assert largest_risk(paths_of(*zip(*rows, strict=True)), match) <= Fraction(1, k)


def test_cabs_of_an_hour_are_certain_before_and_one_of_five_after():
    table = pd.read_parquet(data_file("cabs_dataset_20080608.parquet"))
    seconds = (pd.to_datetime(table["timestamp"]) - pd.Timestamp(0)) // pd.Timedelta("1s")
    table = table.assign(time=seconds)[(seconds >= HOUR) & (seconds < HOUR + 3600)]
    log = PositionLog.of(
        table["lat"], table["lon"], users=table["user_id"], time=table["time"], far=None
    )
    first = np.unique(log.person * 4 + (log.time - HOUR) // 900, return_index=True)[1]
    spots = list(zip(log.lat[first], log.lon[first], strict=True))
    before = paths_of(log.person[first], log.time[first] // 900, spots)
    file = cells_in(cells_document(GridCells(375)).encode(), "cells")
    terms = LogTerms(900, age=1, k=5, session=4, widest=Fraction(3000), deadline=2)
    release = cloak_log(log, file, terms, seed=1).release
    shown = release.label > 0
    columns = (release.record, release.slot, release.label)
    after = paths_of(*(column[shown].tolist() for column in columns))
    for match in (in_order, at_times):
        assert largest_risk(before, match) == 1
        assert largest_risk(after, match) == Fraction(1, 5)
