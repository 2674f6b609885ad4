"""Hierarchical KACA against its definitions in rationals."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import column

from kproof.errors import InvalidArgument, TooLarge
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.kaca.hierarchical import Weights, hierarchy, kaca_hierarchical, step_costs
from kproof.models.tables.table import Table

TREE = Taxonomy.from_paths(
    [("a", "x", "p", "*"), ("b", "x", "p", "*"), ("c", "y", "p", "*"), ("d", "q", "*")]
)
PATHS = {path[-1]: [*path] for path in ("*pxa", "*pxb", "*pyc", "*qdd")}
NAMES = ("f", "m", "o")
LETTERS = tuple("abcd")


def table(rows: Sequence[tuple[int, str, str]]) -> Table:
    ages, names, letters = zip(*rows, strict=True)
    return Table(
        len(rows), (column("age", ages), column("sex", names), column("letter", letters, tree=TREE))
    )


def halvings(values: Sequence[int]) -> dict[object, list[object]]:
    """Paths from the root by cutting a sorted list as evenly as powers of two allow."""
    count, depth = len(values), 0
    while 2**depth < count:
        depth += 1
    return {
        value: [Fraction(2**level * place, count).__floor__() for level in range(depth + 1)]
        for place, value in enumerate(values)
    }


def whd(high: int, low: int, levels: int, height: bool) -> Fraction:
    """WHD of generalizing from level ``low`` to ``high``; level 1 is the root."""

    def weight(level: int) -> Fraction:
        return Fraction(1, level - 1) if height else Fraction(1)

    above = sum((weight(j) for j in range(high + 1, low + 1)), Fraction(0))
    return above / sum((weight(j) for j in range(2, levels + 1)), Fraction(0))


class Plain:
    """Merging as defined: classes are lists of rows, labels are nodes named by their paths."""

    def __init__(self, rows: Sequence[tuple[int, str, str]], k: int, *, height: bool) -> None:
        self.height = height
        ages = halvings(sorted({row[0] for row in rows}))
        names = {value: ["*", value] for value in sorted({row[1] for row in rows})}
        if len(names) == 1:
            names = {value: ["*"] for value in names}
        self.paths = [ages, names, PATHS]
        self.levels = [max(len(next(iter(paths.values()))), 1) for paths in (ages, names, PATHS)]
        classes = [[i for i, other in enumerate(rows) if other == row] for row in sorted(set(rows))]
        labels = [
            tuple(tuple(paths[value]) for paths, value in zip(self.paths, row, strict=True))
            for row in sorted(set(rows))
        ]
        while min(map(len, classes)) < k:
            small = min(range(len(classes)), key=lambda c: (len(classes[c]), c))
            others = [c for c in range(len(classes)) if c != small]
            near = min(others, key=lambda c: (self.apart(classes, labels, small, c), c))
            first, second = sorted((small, near))
            labels[first] = self.joint(labels[first], labels[second])
            classes[first] = classes[first] + classes[second]
            del classes[second], labels[second]
        self.class_of = [-1] * len(rows)
        for index, members in enumerate(classes):
            for row in members:
                self.class_of[row] = index

    @staticmethod
    def joint(one: tuple, other: tuple) -> tuple:
        found = []
        for here, there in zip(one, other, strict=True):
            shared = 0
            while shared < min(len(here), len(there)) and here[shared] == there[shared]:
                shared += 1
            found.append(here[:shared])
        return tuple(found)

    def apart(self, classes: list, labels: list, one: int, other: int) -> Fraction:
        both = self.joint(labels[one], labels[other])
        total = Fraction(0)
        for c in (one, other):
            for label, joint, levels in zip(labels[c], both, self.levels, strict=True):
                if levels > 1:
                    total += len(classes[c]) * whd(len(joint), len(label), levels, self.height)
        return total


records = st.tuples(st.integers(20, 30), st.sampled_from(NAMES), st.sampled_from(LETTERS))


@given(st.lists(records, min_size=4, max_size=24), st.integers(2, 4), st.booleans())
def test_equals_the_definition(rows, k, height):
    weights = "height" if height else "uniform"
    release = kaca_hierarchical(table(rows), k=k, weights=weights)
    assert release.class_of.tolist() == Plain(rows, k, height=height).class_of


@given(st.lists(records, min_size=6, max_size=30), st.integers(2, 5))
def test_every_class_holds_k_whatever_the_order(rows, k):
    found = kaca_hierarchical(table(rows), k=k).class_of
    assert np.bincount(found).min() >= k
    assert kaca_hierarchical(table(rows[::-1]), k=k).class_of[::-1].tolist() == found.tolist()


def test_hierarchies():
    missing = column("age", [20, 30, 40, MISSING])
    assert hierarchy(missing).tolist() == [[0, 0, 0, 0], [0, 0, 1, 2], [0, 1, 2, 4]]
    assert hierarchy(column("age", [MISSING, 20])).tolist() == [[0, 0], [0, 2]]
    assert hierarchy(column("age", [20])).tolist() == [[0]]
    assert hierarchy(column("age", [MISSING], numeric=True)).tolist() == [[0]]
    assert hierarchy(column("sex", ["f", "m"])).tolist() == [[0, 0], [0, 1]]
    assert hierarchy(column("sex", ["f"])).tolist() == [[0]]
    for count in range(1, 40):
        levels = hierarchy(column("n", list(range(count))))
        assert len(set(levels[-1].tolist())) == count
        for upper, lower in pairwise(levels):
            assert np.array_equal(lower // 2, upper)


def test_missing_values_are_merged_last():
    ages = column("age", [20, 21, MISSING, MISSING, 40, 41])
    assert kaca_hierarchical(Table(6, (ages,)), k=2).class_of.tolist() == [0, 0, 2, 2, 1, 1]


def test_costs_sum_to_one():
    for weights in Weights:
        for steps in range(1, 12):
            costs = step_costs(steps, weights)
            assert (costs[0], costs[-1]) == (0, 1)
            for level, cost in enumerate(costs):
                assert cost == whd(1, level + 1, steps + 1, weights is Weights.HEIGHT)


def test_errors():
    held = table([(20, "f", "a"), (21, "m", "b"), (22, "f", "c")])
    with pytest.raises(InvalidArgument, match="k = 4: need 2 <= k <= 3, the number of records"):
        kaca_hierarchical(held, k=4)
    with pytest.raises(InvalidArgument, match="weights = odd: need uniform or height"):
        kaca_hierarchical(held, k=2, weights="odd")
    # Heights 20, ..., 4 have harmonic sums with coprime numerators of ever more digits.
    rows = np.arange(1 << 12, dtype=np.int32)
    columns = (Column(f"q{d}", rows % (1 << d), (*range(1 << d),), True) for d in range(4, 13))
    wide = Table(1 << 12, tuple(columns))
    with pytest.raises(TooLarge, match="do not fit in 64 bits"):
        kaca_hierarchical(wide, k=2, weights="height")
