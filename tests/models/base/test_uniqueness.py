"""Rows that one, two or three columns single out: every figure beside a count of tuples."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from single_rows import columns_of, single

from kproof.models.base import uniqueness as module
from kproof.models.base.beside import Part, count_together
from kproof.models.base.uniqueness import best_sets, jointly, uniqueness

CODES = st.integers(0, 6)
TABLES = columns_of(CODES, least=-1, rows=24, columns=(1, 5))
WIDE = columns_of(CODES, least=-1, rows=16, columns=(4, 8))


def counted(columns: Sequence[Sequence[int]], places: Sequence[int]) -> int:
    return single(*(columns[place] for place in places))


@given(TABLES, st.integers(1, 24))
def test_as_many_as_counting_finds(columns, least):
    places = range(len(columns))
    arrays = [np.array(codes) for codes in columns]
    best = {}
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


def test_many_rows_take_the_same_answer_from_hashing():
    rng = np.random.default_rng(7)
    columns = [rng.integers(0, 3000, 4000) for _ in range(3)]
    singled = uniqueness(columns)
    assert singled[0].with_one.rows == counted(columns, singled[0].with_one.columns)
    assert singled[2].with_two.rows == counted(columns, (0, 1, 2))


def test_narrow_codes_have_wide_keys():
    # NumPy 1 keeps a product as narrow as its codes: 91 of 300 rows were counted.
    columns = list(np.random.default_rng(3).integers(0, 250, (3, 300)))
    joined = uniqueness(columns)[0].with_one
    assert joined.rows == counted(columns, joined.columns) == 300


@settings(max_examples=300)
@given(WIDE, st.integers(1, 16))
def test_what_is_not_counted_of_many_columns_stays_below_its_bound(columns, least):
    places = range(len(columns))
    arrays = [np.array(codes) for codes in columns]
    rows = {
        chosen: counted(columns, chosen) for size in (2, 3) for chosen in combinations(places, size)
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "STRONGEST", 2)
        singled = uniqueness(arrays, exhaustive=3)
        largest = best_sets(arrays, exhaustive=3)
        together = jointly(arrays, least, exhaustive=3)
    for place, own in zip(places, singled, strict=True):
        for size, best in ((2, own.with_one), (3, own.with_two)):
            assert best.rows == rows[best.columns]
            assert place in best.columns
            of_place = (rows[one] for one in rows if len(one) == size and place in one)
            assert best.rows <= max(of_place) <= best.at_most
    for size, best in zip((2, 3), largest, strict=True):
        assert best.rows == rows[best.columns]
        assert best.rows <= max(rows[one] for one in rows if len(one) == size) <= best.at_most
    if together is None:
        assert max(rows.values()) < least
    else:
        assert together.rows == rows[together.columns]
        assert together.at_most >= least


def test_a_thousand_columns_end():
    rng = np.random.default_rng(5)
    three = [rng.permutation(3) for _ in range(1000)]
    assert all(own.with_two and own.with_two.searched for own in uniqueness(three))
    flags = [rng.integers(0, 2, 300) for _ in range(1000)]
    best = uniqueness(flags)[0].with_two
    assert best.at_most == 8  # three flags have no more values
    assert jointly(flags, 270) is None


def test_what_was_left_open_of_many_columns_is_refused():
    # Each half of the columns tells rows of its own half alone, and none tells nearly every row.
    rng = np.random.default_rng(6)
    columns = [rng.integers(0, 30, 900) for _ in range(60)]
    columns = [
        np.where(np.arange(900) % 2 == at % 2, codes, 30) for at, codes in enumerate(columns)
    ]
    best = jointly(columns, 810)
    assert best.rows < 810 <= best.at_most
    judged = count_together([(f"c{at}", Part.NONE, codes) for at, codes in enumerate(columns)])
    (refused,) = (one for one in judged if one.identifies)
    assert refused.tells.endswith(f"{best.rows} of 900 rows, and other sets at most {best.at_most}")
