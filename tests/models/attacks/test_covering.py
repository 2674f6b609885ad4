"""Sets that classes show, beside Python's own sets; and with thirty thousand labels."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kproof.models.attacks.covering import blocks, encode_labels, profiles
from kproof.models.base.columns import Column
from kproof.models.tables.coverage import coverage
from kproof.models.tables.recoding import recode

ROWS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), min_size=1, max_size=30)


@given(ROWS, st.booleans())
def test_sets_cover_what_is_in_them(rows, hidden):
    values = sorted({value for value, _ in rows})
    names = sorted({name for _, name in rows})
    codes = np.array([values.index(value) for value, _ in rows], dtype=np.int32)
    class_of = np.array([names.index(name) for _, name in rows])
    column = Column("town", codes, tuple(f"t{value}" for value in values), numeric=False)
    published = recode(column, class_of, len(names), hidden=0 if hidden else None)
    sets = [set(codes[class_of == own].tolist()) for own in range(len(names))]
    if hidden:
        sets[0] = set(range(len(values)))
    sparse, classes = encode_labels(published), np.arange(len(names))[::-1]
    asked = np.array([*range(len(values)), 0])
    mask = sparse.of_codes(asked, classes)
    assert mask.tolist() == [[code in sets[own] for own in classes] for code in asked.tolist()]
    for low in range(len(values)):
        for high in range(low, len(values)):
            reached = sparse.reach(classes, np.array(low), np.array(high)).tolist()
            assert reached == [not sets[own].isdisjoint(range(low, high + 1)) for own in classes]
    admitted = coverage(published)
    assert admitted.counts.tolist() == [len(own) for own in sets]
    for low in range(len(values)):
        for high in range(low, len(values)):
            within = [len(own & set(range(low, high + 1))) for own in sets]
            assert admitted.within(low, high).tolist() == within
    sizes = np.bincount(class_of, minlength=len(names))
    expected = [
        sum(size / len(own) for size, own in zip(sizes, sets, strict=True) if code in own)
        for code in range(len(values))
    ]
    assert admitted.spread(sizes) == pytest.approx(expected)


def test_thirty_thousand_labels_take_the_memory_of_their_rows():
    labels, rows = 30_000, 60_000
    codes = np.random.default_rng(2).permutation(np.arange(rows) % labels).astype(np.int32)
    class_of = np.argsort(np.argsort(codes, kind="stable")) // 5
    column = Column("town", codes, tuple(map(str, range(labels))), numeric=False)
    published = recode(column, class_of, rows // 5)
    tracemalloc.start()
    admitted = coverage(published)
    assert admitted.within(0, labels - 1).sum() == admitted.counts.sum()
    assert admitted.spread(np.full(rows // 5, 5)).sum() == pytest.approx(rows)
    people = profiles([encode_labels(published)], np.arange(0, rows, 100))
    covering = sum(len(classes) for _, classes in blocks(people, rows // 5))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert covering >= len(people.codes)
    # A mask of labels by classes would have 360 million cells.
    assert peak < 100 << 20
