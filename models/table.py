"""Tables as the anonymizers see them: dictionary-encoded columns with roles.

Whatever a caller hands in (pandas, Polars, Arrow, a CSV file) becomes a Table once: integer codes
in NumPy arrays and one sorted tuple of values for each column. Missing is a value of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from kproof.models.taxonomy import Taxonomy


class Missing:
    """The one value that stands for "not there"; it equals only itself and sorts last."""

    _instance: Missing | None = None

    def __new__(cls) -> Missing:
        """Return the only instance."""
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        """Return what a table shows for it."""
        return "?"


MISSING = Missing()


@dataclass(frozen=True)
class Column:
    """One attribute, dictionary-encoded.

    Attributes
    ----------
    name
        As in the source.
    codes
        Shape (rows,): index into ``values``.
    values
        The distinct values in ascending order, :data:`MISSING` last if it occurs.
    numeric
        Whether the values are numbers (then generalized to ranges).
    taxonomy
        Generalization hierarchy of a categorical attribute, or None.
    """

    name: str
    codes: NDArray[np.int32]
    values: tuple[object, ...]
    numeric: bool
    taxonomy: Taxonomy | None = None

    @property
    def missing(self) -> int | None:
        """The code of :data:`MISSING`, or None if no value is missing."""
        last = len(self.values) - 1
        return last if last >= 0 and self.values[last] is MISSING else None


@dataclass(frozen=True)
class Table:
    """A microdata table with its roles.

    Attributes
    ----------
    rows
        Number of records.
    quasi_identifiers
        Columns an adversary may know.
    sensitive
        The column to protect, or None.
    categories
        Category of each sensitive value (Table 3 of the paper), or None.
    identifiers
        Names of columns that are never published.
    other
        Columns published as they are.
    source
        The caller's own frame, untouched; None for files and shipped tables.
    """

    rows: int
    quasi_identifiers: tuple[Column, ...]
    sensitive: Column | None = None
    categories: Mapping[object, object] | None = None
    identifiers: tuple[str, ...] = ()
    other: tuple[Column, ...] = ()
    source: object = field(default=None, repr=False, compare=False)
