"""Rows that one, two or three columns single out: every figure beside a count of tuples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.models.base.uniqueness import jointly, uniqueness


def counted(columns: Sequence[Sequence[int]], places: Sequence[int]) -> int:
    rows = list(zip(*(columns[place] for place in places), strict=True))
    return sum(times == 1 for times in Counter(rows).values())


TABLES = st.integers(1, 24).flatmap(
    lambda rows: st.lists(
        st.integers(0, 6).flatmap(
            lambda most: st.lists(st.integers(-1, most), min_size=rows, max_size=rows)
        ),
        min_size=1,
        max_size=5,
    )
)


@settings(deadline=None)
@given(TABLES, st.integers(1, 24))
def test_as_many_as_counting_finds(columns: list[list[int]], least: int) -> None:
    places = range(len(columns))
    arrays = [np.array(codes) for codes in columns]
    best: dict[int, int] = {}
    for place, found in zip(places, uniqueness(arrays), strict=True):
        assert found.alone == counted(columns, [place])
        for size, one in ((2, found.with_one), (3, found.with_two)):
            sets = [other for other in combinations(places, size) if place in other]
            assert (one is None) == (not sets)
            if one is not None:
                assert place in one.columns
                assert one.rows == counted(columns, one.columns)
                assert one.rows == max(counted(columns, other) for other in sets)
                best[size] = max(best.get(size, 0), one.rows)
    together = jointly(arrays, least)
    assert (together is None) == (max(best.values(), default=0) < least)
    if together is not None:
        size = min(size for size, rows in best.items() if rows >= least)
        assert (len(together.columns), together.rows) == (size, best[size])


def test_many_rows_take_the_same_answer_from_hashing() -> None:
    rng = np.random.default_rng(7)
    columns = [rng.integers(0, 3000, 4000) for _ in range(3)]
    found = uniqueness(columns)
    assert found[0].with_one is not None
    assert found[0].with_one.rows == counted(columns, found[0].with_one.columns)
    assert found[2].with_two is not None
    assert found[2].with_two.rows == counted(columns, (0, 1, 2))
