"""Completions: every way to give the missing sensitive values of a release a value.

A missing value may be any value that occurs among the published rows. Where a model looks at each
class by itself and a class is worse the more its rows agree, the worst completion is known: all
missing values of a class are its commonest value. For no other completion are the counts, sorted,
as concentrated (they majorize all others), and distinct values, categories, entropy and tails fall
with concentration. Models that compare with the whole table, and theta, have modules of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kproof.errors import DataError
from kproof.models.base.arrays import Codes
from kproof.models.base.classes import Classes, Histogram
from kproof.models.base.missing import MISSING, MissingAs


@dataclass(frozen=True)
class KnownValues:
    """What is known of the sensitive values of classes, and how many are not."""

    histogram: Histogram
    """The histogram of the values that are there; a class may have none."""
    unknown: Codes
    """Shape (classes,): missing values of each class."""
    sizes: Codes
    """Shape (classes,): rows of each class, those without a value included."""
    domain: Codes
    """The codes that occur, ascending: what a missing value may be."""

    @classmethod
    def of(cls, classes: Classes) -> KnownValues:
        """Split the rows of classes by whether their sensitive value is there."""
        if classes.sensitive is None:
            raise ValueError("these classes have no sensitive attribute")
        recorded = ~classes.unknown
        histogram = classes.histogram_of(recorded)
        unknown = classes.counted(~recorded)
        return cls(histogram, unknown, histogram.sizes + unknown, np.flatnonzero(histogram.totals))


def open_to_doubt(classes: Classes) -> bool:
    """Say whether a verdict has to hold for several completions.

    Where no value is there at all, all are taken for one and the same, which is the worst.
    """
    worst = classes.missing_as is MissingAs.WORST_CASE and classes.sensitive is not None
    return worst and bool(classes.unknown.any()) and not classes.unknown.all()


def commonest(classes: Classes, *, otherwise: int | None = None) -> Classes:
    """Return the completion that gives each missing value its class's commonest value.

    Where no value is there in a class it is ``otherwise``, or the commonest of the table.

    >>> rows = Classes(np.zeros(4, dtype=int), 1, np.array([0, 0, 1, 2]), ("Flu", "HIV", MISSING))
    >>> commonest(rows).sensitive.tolist()
    [0, 0, 1, 0]
    """
    recorded, sensitive = KnownValues.of(classes).histogram, classes.sensitive
    if sensitive is None:
        raise ValueError("these classes have no sensitive attribute")
    fallback = int(np.argmax(recorded.totals)) if otherwise is None else otherwise
    top = np.full(classes.count, fallback, dtype=np.int64)
    # By class and rising count, so that the last entry written is the largest, the first of equals.
    order = np.lexsort((-recorded.values, recorded.counts, recorded.classes))
    top[recorded.classes[order]] = recorded.values[order]
    filled = np.where(classes.unknown, top[classes.of_row], sensitive)
    return replace(classes, sensitive=filled)


def exclude_missing(classes: Classes) -> Classes:
    """Return classes whose missing sensitive values are not judged; each has another one."""
    recorded = KnownValues.of(classes)
    empty = np.flatnonzero(recorded.histogram.sizes == 0)
    if len(empty):
        raise DataError(
            f"class {classes.label(int(empty[0]))}: every sensitive value is missing, so that "
            "nothing is left to judge; take missing values for the worst case or for a value"
        )
    return replace(classes, judged=~classes.unknown)


def without_missing(classes: Classes) -> bool:
    """Say whether every sensitive value that is judged is there."""
    judged = classes.judged
    gaps = classes.unknown if judged is None else classes.unknown & judged
    return not gaps.any() or not any(value is MISSING for value in classes.values)
