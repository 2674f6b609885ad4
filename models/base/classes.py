"""Equivalence classes as the checkers and attacks see them: integer codes, nothing else.

A published table, wherever it came from, is reduced to this view: which class each published row
is in, which sensitive value it carries, and whether a real person stands behind it. Every privacy
model is computed from the histogram of values in classes, so that one pass over the rows serves
them all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.arrays import Codes
from kproof.models.base.beside import Beside
from kproof.models.base.missing import MISSING, MissingAs


@dataclass(frozen=True)
class Histogram:
    """How often each sensitive value occurs in each class, in coordinate form.

    The entries are sorted by class, then by value, and none is zero.

    Attributes
    ----------
    classes, values, counts
        Shape (entries,): class index, value code, number of rows.
    starts
        Shape (classes + 1,): the entries of class c are ``starts[c]:starts[c + 1]``.
    sizes
        Shape (classes,): rows of each class.
    totals
        Shape (values,): rows with each value in the whole table.
    """

    classes: Codes
    values: Codes
    counts: Codes
    starts: Codes
    sizes: Codes
    totals: Codes


@dataclass(frozen=True)
class Classes:
    """The equivalence classes of published rows.

    Attributes
    ----------
    of_row
        Shape (rows,): class index 0, ..., count - 1 of each published row; every class occurs.
    count
        Number of classes.
    sensitive
        Shape (rows,): code of each row's sensitive value; None if the table has none.
    values
        The sensitive value of each code, in a fixed order (the domain, absent values included).
    ordered
        Whether that order means something (numeric values): then t-closeness may use it.
    real
        Shape (rows,): False for noise rows; None if every row is a person's.
    category
        Shape (values,): category code of each sensitive value; None if there are no categories.
    categories
        The category of each category code.
    label
        Describes a class by its published quasi-identifiers, for verdicts.
    beside
        Columns of the same table that are left out of account.
    missing_as
        What a missing sensitive value is taken for.
    judged
        Shape (rows,): whether the row's sensitive value counts; None if every one does.
    """

    of_row: Codes
    count: int
    sensitive: Codes | None = None
    values: tuple[object, ...] = ()
    ordered: bool = False
    real: NDArray[np.bool_] | None = None
    category: Codes | None = None
    categories: tuple[object, ...] = ()
    label: Callable[[int], str] = field(default=str, repr=False, compare=False)
    beside: tuple[Beside, ...] = ()
    missing_as: MissingAs = MissingAs.WORST_CASE
    judged: NDArray[np.bool_] | None = None

    @cached_property
    def unknown(self) -> NDArray[np.bool_]:
        """Shape (rows,): whether the row's sensitive value is missing."""
        if self.sensitive is None:
            return np.zeros(len(self.of_row), dtype=np.bool_)
        gap = np.array([value is MISSING for value in self.values], dtype=np.bool_)
        return np.asarray(gap[self.sensitive], dtype=np.bool_)

    @cached_property
    def sizes(self) -> Codes:
        """Rows of each class, noise included."""
        return np.bincount(self.of_row, minlength=self.count).astype(np.int64)

    @cached_property
    def real_sizes(self) -> Codes:
        """Real people in each class: what k-anonymity counts."""
        if self.real is None:
            return self.sizes
        return np.bincount(self.of_row[self.real], minlength=self.count).astype(np.int64)

    @cached_property
    def histogram(self) -> Histogram:
        """Sensitive values of all published rows, noise included: what an adversary sees."""
        if self.sensitive is None:
            raise ValueError("these classes have no sensitive attribute")
        counted = slice(None) if self.judged is None else self.judged
        return histogram(
            self.of_row[counted], self.sensitive[counted], self.count, len(self.values)
        )


def histogram(of_row: Codes, codes: Codes, classes: int, values: int) -> Histogram:
    """Count codes in classes.

    Parameters
    ----------
    of_row, codes
        Shape (rows,): class index and value code of each row.
    classes, values
        How many there are.

    Examples
    --------
    >>> found = histogram(np.array([0, 0, 1]), np.array([2, 2, 0]), 2, 3)
    >>> found.counts.tolist(), found.starts.tolist()
    ([2, 1], [0, 1, 2])
    """
    keys = of_row.astype(np.int64) * values + codes
    if classes * values <= max(4 * len(keys), 1 << 20):
        dense = np.bincount(keys, minlength=classes * values)
        present = np.flatnonzero(dense)
        counts = dense[present]
    else:
        present, counts = np.unique(keys, return_counts=True)
    of_class, of_value = np.divmod(present, values) if values else (present, present)
    starts = np.searchsorted(of_class, np.arange(classes + 1))
    return Histogram(
        classes=of_class.astype(np.int64),
        values=of_value.astype(np.int64),
        counts=counts.astype(np.int64),
        starts=starts.astype(np.int64),
        sizes=np.bincount(of_row, minlength=classes).astype(np.int64),
        totals=np.bincount(codes, minlength=values).astype(np.int64),
    )
