"""How many people of a population fit the labels of each class.

A label admits some values of its column. For every value the classes that admit it are one row of
bits; a person fits the classes whose bits are set in all columns. People with equal values are
counted together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kproof.errors import DataError, show
from kproof.models.base.arrays import Codes, Flags
from kproof.models.base.columns import Column, group_rows
from kproof.models.base.missing import MISSING, text
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.recoding import Recoded, covers, read
from kproof.models.tables.table import Table

Bits = NDArray[np.uint8]

_CELLS = 1 << 22
"""Pairs of a combination of values and a class that are looked at at a time: bounds the memory."""

_ANYTHING = "*"
"""The label of a value that was taken out."""


@dataclass(frozen=True, eq=False)
class Shows:
    """What the classes of a release show of one column."""

    name: str
    """The column's."""
    of_class: Codes
    """Shape (classes,): label of each class."""
    labels: tuple[str, ...]
    """As published."""
    recoded: Recoded | None = None
    """The release's own account of them, if it is at hand."""
    taxonomy: Taxonomy | None = None
    """The hierarchy whose nodes published labels are, if they are."""

    @classmethod
    def of(cls, recoded: Recoded) -> Shows:
        """Return what a release shows of a column."""
        of_class, labels = recoded.labels
        return cls(recoded.column.name, of_class, labels, recoded)

    def admits(self, column: Column) -> Flags:
        """Say, shape (labels, values), which labels admit which values of a population's column.

        A value that the table has not met is placed by the population's own hierarchy, such as the
        calendar of its dates; one without a place anywhere is refused.
        """
        values = column.values
        admitted = np.zeros((len(self.labels), len(values)), dtype=np.bool_)
        tree_of_labels = self.taxonomy or column.taxonomy
        if self.recoded is not None:
            tree_of_labels = self.recoded.column.taxonomy
            _, example = np.unique(self.of_class, return_index=True)
        for place, value in enumerate(values):
            met = tree_of_labels is None or value is MISSING or text(value) in tree_of_labels.index
            tree = tree_of_labels if met else column.taxonomy
            if not met and (tree is None or text(value) not in tree.index):
                raise DataError(
                    f"population: column {show(self.name)}: value {show(text(value))} has no "
                    "place in the hierarchy that labels come from; need one that has, or a Table "
                    "that is read with the same ladder"
                )
            if self.recoded is not None and met:
                admitted[:, place] = self.recoded.covers(value)[example]
            else:
                admitted[:, place] = [covers(label, value, taxonomy=tree) for label in self.labels]
        # Whatever hierarchy there is: it may have another root.
        admitted[[label == _ANYTHING for label in self.labels]] = True
        if tree_of_labels is None:
            _admit_beginnings(admitted, self.labels, [text(value) for value in values])
        return admitted


def _admit_beginnings(admitted: Flags, labels: Sequence[str], values: Sequence[str]) -> None:
    """Let labels admit the codes that begin as they do, where no hierarchy says what they are.

    Codes are cut to ``12***``; what is a value of the population itself stands for that alone.
    """
    whole_values = set(values)
    for row, label in zip(admitted, labels, strict=True):
        for element in read(label)[0]:
            begin = element.rstrip(_ANYTHING)
            if begin and begin != element and element not in whole_values:
                row |= [len(value) == len(element) and value.startswith(begin) for value in values]


def count_fitting(columns: Sequence[Shows], population: Table) -> tuple[Codes, int]:
    """Count the people of a population who fit each class, and those who fit none.

    ``columns`` are what the classes show, by quasi-identifier; labels of several may fit a person.
    The population has a row for each person, with these quasi-identifiers; or several, and a person
    column: whoever has a row that fits a class fits it.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [20, 25, 31, 70]})
    >>> people = Table.from_frame(frame, quasi_identifiers=["age"])
    >>> ages = Shows("age", np.array([0, 1]), ("[20-29]", "[25-39]"))
    >>> sizes, outside = count_fitting([ages], people)
    >>> sizes.tolist(), outside
    ([2, 2], 1)
    """
    classes = len(columns[0].of_class)
    counterparts, bits = _bits_of(columns, population)
    # Rows that are looked at: one of each combination of values, of each person if that matters.
    person = population.person
    several = person is not None and len(person.values) < population.rows
    together = [*counterparts, person] if several and person is not None else counterparts
    of_row, count = group_rows(together, population.rows)
    _, first = np.unique(of_row, return_index=True)
    times = np.bincount(of_row, minlength=count)
    if several and person is not None:
        # Rows of one person side by side, so that reduceat can join their bits.
        first = first[np.argsort(person.codes[first], kind="stable")]
        opens = np.flatnonzero(np.diff(person.codes[first], prepend=-1))
        times = np.ones(len(opens), dtype=np.int64)
    else:
        opens = np.arange(count)
    ends = np.append(opens[1:], count)
    sizes, outside = np.zeros(classes, dtype=np.int64), 0
    step = max(1, _CELLS // max(classes, 1))
    for start in range(0, len(opens), step):
        chunk = slice(start, start + step)
        # A chunk ends between two people: rows of one in two of them would count the person twice.
        rows = first[opens[chunk][0] : ends[chunk][-1]]
        fits = _fits(counterparts, bits, rows)
        if several:
            # People fit what any of their rows fits, and count once.
            fits = np.bitwise_or.reduceat(fits, opens[chunk] - opens[chunk][0], axis=0)
        weight = times[chunk]
        outside += int(weight[~fits.any(axis=1)].sum())
        # Without the count, the bits that fill the last byte up would be classes, too.
        sizes += weight @ np.unpackbits(fits, axis=1, count=classes)
    return sizes, outside


def _bits_of(columns: Sequence[Shows], population: Table) -> tuple[list[Column], list[Bits]]:
    """Return the population's columns, and of each a bit for each class that admits a value.

    Shape (values, classes / 8).
    """
    by_name = {column.name: column for column in population.quasi_identifiers}
    counterparts = [by_name[column.name] for column in columns]
    return counterparts, [
        np.packbits(shows.admits(column)[shows.of_class].T, axis=1)
        for shows, column in zip(columns, counterparts, strict=True)
    ]


def _fits(columns: Sequence[Column], bits: Sequence[Bits], rows: Codes) -> Bits:
    every = zip(bits, columns, strict=True)
    fits = np.bitwise_and.reduce([own_bits[column.codes[rows]] for own_bits, column in every])
    return np.asarray(fits, dtype=np.uint8)


def own_classes(columns: Sequence[Shows], population: Table) -> tuple[Codes, Codes]:
    """Return the first class that each row of a population fits, and how many classes it fits.

    Shape (rows,) each; -1 and 0 if it fits none. The arguments are as for :func:`count_fitting`.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [20, 25, 31, 70]})
    >>> people = Table.from_frame(frame, quasi_identifiers=["age"])
    >>> ages = Shows("age", np.array([0, 1]), ("[20-29]", "[25-39]"))
    >>> first, many = own_classes([ages], people)
    >>> first.tolist(), many.tolist()
    ([0, 0, 1, -1], [1, 2, 1, 0])
    """
    counterparts, bits = _bits_of(columns, population)
    of_row, count = group_rows(counterparts, population.rows)
    _, example = np.unique(of_row, return_index=True)
    classes = len(columns[0].of_class)
    first, many = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    step = max(1, _CELLS // max(classes, 1))
    for start in range(0, count, step):
        rows = example[start : start + step]
        fits = np.unpackbits(_fits(counterparts, bits, rows), axis=1, count=classes)
        many[start : start + step] = fits.sum(axis=1)
        # 0 also where none fits, which the number that fit tells apart below.
        first[start : start + step] = fits.argmax(axis=1)
    return np.where(many > 0, first, -1)[of_row], many[of_row]
