"""What is claimed of tables that are anonymized by regions, tried on all small classes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement, product

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.base.classes import Classes
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.privacy.base import Model
from kproof.models.tables.recoding import recode

_VALUES = ("Flu", "Cold", "HIV")
_CATEGORIES = (0, 0, 1)


def count_lost_by_joining(model: Model, *, rows: int = 4, both: bool = False) -> int:
    """Return how many pairs of classes, of which one (or both) have a model, lose it when joined.

    All pairs of classes of up to so many rows are tried, of a table that has two rows more of each
    of three values. Against a table with these: the rest is a class that nobody judges.

    >>> from kproof.models.privacy import DistinctL, TCloseness
    >>> count_lost_by_joining(DistinctL(2)), count_lost_by_joining(TCloseness("1/3"), both=True)
    (0, 0)
    >>> count_lost_by_joining(TCloseness("1/5")) > 0
    True
    """
    lose = 0
    for left, right in product(_histograms(rows), repeat=2):
        union = [first + second for first, second in zip(left, right, strict=True)]
        totals = np.array(union) + 2
        has = [_has(model, histogram, totals) for histogram in (left, right)]
        if (all if both else any)(has) and not _has(model, union, totals):
            lose += 1
    return lose


def look_alikes(values: int = 5) -> tuple[int, int, int]:
    """Return how many pairs of classes on two sides of a cut have equal labels.

    All pairs of sets of the values on either side of the middle are tried, a missing value being
    the last: in a column of numbers, of names, and with a flat hierarchy.

    >>> look_alikes(6)
    (0, 0, 4)
    """
    numbers, names = tuple(range(values - 1)), tuple("abcdefg"[: values - 1])
    flat = Taxonomy.from_paths([(name, "*") for name in names])
    columns = (
        Column("number", _EMPTY, (*numbers, MISSING), numeric=True),
        Column("name", _EMPTY, (*names, MISSING), numeric=False),
        Column("name", _EMPTY, names, numeric=False, taxonomy=flat),
    )
    pairs = [_alike(column) for column in columns]
    return pairs[0], pairs[1], pairs[2]


_EMPTY = np.zeros(0, dtype=np.int32)


def _alike(column: Column) -> int:
    cut, alike = len(column.values) // 2, 0
    for left, right in product(_subsets(range(cut)), _subsets(range(cut, len(column.values)))):
        codes = np.array([*left, *right], dtype=np.int32)
        of_row = np.array([0] * len(left) + [1] * len(right), dtype=np.int64)
        labels = recode(replace(column, codes=codes), of_row, 2)
        alike += labels.label(0) == labels.label(1)
    return alike


def _subsets(codes: range) -> Iterator[tuple[int, ...]]:
    for chosen in product((False, True), repeat=len(codes)):
        if any(chosen):
            yield tuple(code for code, is_in in zip(codes, chosen, strict=True) if is_in)


def _histograms(rows: int) -> Iterator[tuple[int, ...]]:
    for size in range(1, rows + 1):
        for values in combinations_with_replacement(range(len(_VALUES)), size):
            yield tuple(values.count(code) for code in range(len(_VALUES)))


def _has(model: Model, histogram: Sequence[int], totals: Codes) -> bool:
    counts = np.array(histogram)
    # The rest of the table is class 1: models that compare with the table see all of it.
    remainder = totals - counts
    codes = np.repeat(np.tile(np.arange(len(_VALUES)), 2), np.concatenate([counts, remainder]))
    of_row, kinds = np.repeat([0, 1], [counts.sum(), remainder.sum()]), ("mild", "grave")
    classes = Classes(of_row, 2, codes, _VALUES, category=np.array(_CATEGORIES), categories=kinds)
    return not bool(model.failing(classes)[0])
