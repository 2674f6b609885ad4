"""Rows that fit several classes are shared out exactly if there is a way."""

from collections import Counter, defaultdict
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kproof.models.judgement.rows.matching import share_out

ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 3)), min_size=1, max_size=6
)


@given(ROWS, st.lists(st.integers(0, 2), min_size=6, max_size=6), st.booleans())
def test_a_way_is_found_if_there_is_one(rows, shown, alone):
    fits = [[0, 1], [1, 2], [0, 1, 2]]
    combination, key, unit = (np.array(part) for part in zip(*rows, strict=True))
    unit = np.arange(len(rows)) if alone else unit
    wanted = Counter(zip(shown, key.tolist(), strict=False))

    def right(classes: tuple[int, ...]) -> bool:
        of_unit = defaultdict(set)
        for place, own, who in zip(classes, combination.tolist(), unit.tolist(), strict=True):
            if place not in fits[own]:
                return False
            of_unit[own, who].add(place)
        together = all(len(places) == 1 for places in of_unit.values())
        return together and Counter(zip(classes, key.tolist(), strict=True)) <= wanted

    classes = share_out(fits, combination, key, unit, wanted)
    if classes is None:
        assert not any(map(right, product(range(3), repeat=len(rows))))
    else:
        assert right(tuple(classes.tolist()))
