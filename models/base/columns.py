"""Columns: one attribute of a table, and the rows that agree on several."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.arrays import Codes
from kproof.models.base.missing import MISSING
from kproof.models.base.taxonomy import Taxonomy


@dataclass(frozen=True)
class Column:
    """One attribute, dictionary-encoded."""

    name: str
    """As in the source."""
    codes: NDArray[np.int32]
    """Shape (rows,): index into ``values``."""
    values: tuple[object, ...]
    """The distinct values in ascending order, :data:`MISSING` last if it occurs."""
    numeric: bool
    """Whether the values are numbers (then generalized to ranges)."""
    taxonomy: Taxonomy | None = None
    """Generalization hierarchy of a categorical attribute, or None."""
    least_level: int = 0
    """Lowest level of the taxonomy that is published; 0 publishes values themselves."""
    most_level: int | None = None
    """Highest level that may be published; None for the root."""

    def __repr__(self) -> str:
        """Name it, in a line that fits a terminal."""
        return f"Column({self.name!r}, {len(self.values)} values in {len(self.codes)} rows)"

    @property
    def missing(self) -> int | None:
        """The code of :data:`MISSING`, or None if no value is missing."""
        last = len(self.values) - 1
        return last if last >= 0 and self.values[last] is MISSING else None

    @cached_property
    def nodes(self) -> Codes | None:
        """The node that stands for each code at the least level, or None without a taxonomy."""
        if self.taxonomy is None:
            return None
        nodes = self.taxonomy.of(self.values, column=self.name)
        return self.taxonomy.at_level(self.least_level)[nodes] if self.least_level else nodes


def rename_values(column: Column, values: Sequence[Any]) -> Column:
    """Return a column with another value for each of its own, of which some may be equal.

    >>> ages = Column("age", np.array([1, 0, 2], dtype=np.int32), (34, 40, 41), numeric=True)
    >>> rename_values(ages, [40, 30, 40]).values
    (30, 40)
    """
    # The code of a missing value is the last one, and None is no bound: what is there in either
    # case.
    present = values[: column.missing]
    distinct = sorted(set(present))
    place = {value: index for index, value in enumerate(distinct)}
    code_of = [place[value] for value in present] + [len(distinct)] * (len(values) - len(present))
    codes = np.array(code_of, dtype=np.int32)[column.codes]
    return replace(column, codes=codes, values=(*distinct, *values[len(present) :]))


def group_rows(columns: Sequence[Column], rows: int) -> tuple[Codes, int]:
    """Give equal rows of some columns one number.

    Returned are the class of each row, in ascending order of the codes from the first column to the
    last, and the number of classes.

    >>> ages = Column("age", np.array([1, 0, 1], dtype=np.int32), (34, 40), numeric=True)
    >>> of_row, count = group_rows([ages], 3)
    >>> of_row.tolist(), count
    ([1, 0, 1], 2)
    """
    return group_codes([(column.codes, len(column.values)) for column in columns], rows)


def group_codes(columns: Sequence[tuple[NDArray[Any], int]], rows: int) -> tuple[Codes, int]:
    """Give rows that agree in every array one number, as :func:`group_rows` does for columns.

    Each array has codes from 0, shape (rows,), and comes with what all of them are below.

    >>> of_row, count = group_codes([(np.array([0, 0, 1]), 2), (np.array([2, 2, 0]), 3)], 3)
    >>> of_row.tolist(), count
    ([0, 0, 1], 2)
    """
    keys, count = np.zeros(rows, dtype=np.int64), 1
    for codes, limit in columns:
        # Group numbers stay below rows and codes below 2^31, so the product fits in 64 bits.
        keys, count = _rank(keys * limit + codes, count * limit)
    return keys, count


def _rank(keys: Codes, limit: int) -> tuple[Codes, int]:
    """Replace keys below a limit by their ranks among those that occur."""
    # Marking what occurs goes over all keys below the limit, sorting over the rows.
    if limit <= max(4 * len(keys), 1 << 16):
        present = np.bincount(keys, minlength=limit) > 0
        return (np.cumsum(present) - 1)[keys], int(np.count_nonzero(present))
    distinct, ranks = np.unique(keys, return_inverse=True)
    return ranks.reshape(-1), len(distinct)
