"""Tables as the anonymizers see them: dictionary-encoded columns with roles.

Whatever a caller hands in (pandas, Polars, Arrow, a CSV file) becomes a Table once: integer codes
in NumPy arrays and one sorted tuple of values for each column. Missing is a value of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.beside import Beside
from kproof.models.base.missing import MissingAs

if TYPE_CHECKING:
    from kproof.models.base.taxonomy import Taxonomy
    from kproof.theory.exact.typed import Number

Codes = NDArray[np.int64]


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

    def __reduce__(self) -> str:
        """Stay the only instance through copies and processes."""
        return "MISSING"


MISSING = Missing()


def text(value: object) -> str:
    """Return what a table shows for a value.

    Examples
    --------
    >>> text(34), text(0.5), text("a b"), text(MISSING), text(date(2020, 4, 26))
    ('34', '0.5', 'a b', '?', '2020-04-26')
    """
    return value.isoformat() if isinstance(value, date) else str(value)


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

    @cached_property
    def nodes(self) -> Codes | None:
        """The taxonomy's node of each code, or None without a taxonomy."""
        return None if self.taxonomy is None else self.taxonomy.of(self.values, column=self.name)


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
    beside
        Columns of the source without a role, and how many rows each singles out.
    missing_as
        What a missing sensitive value is taken for.
    most_members
        Most members of a set that a label may show; None for the limits of
        :mod:`kproof.models.tables.labels`.
    """

    rows: int
    quasi_identifiers: tuple[Column, ...]
    sensitive: Column | None = None
    categories: Mapping[object, object] | None = None
    identifiers: tuple[str, ...] = ()
    other: tuple[Column, ...] = ()
    source: object = field(default=None, repr=False, compare=False)
    beside: tuple[Beside, ...] = ()
    missing_as: MissingAs = MissingAs.WORST_CASE
    most_members: int | None = None

    @classmethod
    def from_frame(
        cls,
        frame: object,
        *,
        quasi_identifiers: Iterable[str],
        sensitive: str | None = None,
        identifiers: Iterable[str] = (),
        other: Iterable[str] = (),
        categories: Mapping[object, object] | None = None,
        taxonomies: Mapping[str, Taxonomy] | None = None,
        numeric: Mapping[str, bool] | None = None,
        missing_as: MissingAs | str = MissingAs.WORST_CASE,
        most_members: Number | None = None,
    ) -> Table:
        """Encode a pandas, Polars or PyArrow frame, which stays as it is.

        Rows are counted by position, whatever the index. None, NaN and NaT become
        :data:`MISSING`. Columns without a role are never published; one that singles out nearly
        every row stops whatever would be said of the table (:mod:`kproof.models.base.beside`).

        Parameters
        ----------
        frame
            Any eager frame that Narwhals knows.
        quasi_identifiers
            Columns an adversary may know; at least one.
        sensitive
            The column to protect.
        identifiers
            Columns that must never be published.
        other
            Columns published as they are.
        categories
            Category of every sensitive value; categories rank by first appearance.
        taxonomies
            Generalization hierarchies by column.
        numeric
            By column: True reads text as numbers, False treats numbers as codes without order.
            Unless said otherwise a column of numbers is numeric, unless it has a taxonomy.
        missing_as
            What a missing sensitive value is taken for: ``"worst-case"``, ``"value"`` or
            ``"exclude"``; see :class:`~kproof.models.base.missing.MissingAs`.
        most_members
            Most members of a set that a label may show, at least 1; by default 8, and 3 if they
            are dates.

        Raises
        ------
        DataError
            If a column is unknown, occurs twice, has no values or mixes kinds of values.
        InvalidArgument
            If the roles contradict one another.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"age": [34, 40, None], "disease": ["HIV", "Flu", "Flu"]})
        >>> table = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="disease")
        >>> table.quasi_identifiers[0].values, table.sensitive.codes.tolist()
        ((34, 40, ?), [1, 0, 0])
        >>> Table.from_frame(frame, quasi_identifiers=["height"])
        Traceback (most recent call last):
            ...
        kproof.errors.DataError: no column height; there are age, disease
        """
        from kproof.models.tables.frames import table_of_frame
        from kproof.models.tables.roles import Roles

        return table_of_frame(
            frame,
            Roles.of(
                quasi_identifiers=quasi_identifiers,
                sensitive=sensitive,
                identifiers=identifiers,
                other=other,
                categories=categories,
                taxonomies=taxonomies,
                numeric=numeric,
                missing_as=missing_as,
                most_members=most_members,
            ),
        )

    @cached_property
    def equivalence_classes(self) -> tuple[Codes, int]:
        """Class of each row, and how many there are: rows that agree on every quasi-identifier.

        Classes are numbered in ascending order of their quasi-identifiers' codes.
        """
        return group_rows(self.quasi_identifiers, self.rows)

    @cached_property
    def category_codes(self) -> tuple[Codes, tuple[object, ...]] | None:
        """Category code of each sensitive code and the categories by rank; None without them."""
        if self.categories is None or self.sensitive is None:
            return None
        ranked = tuple(dict.fromkeys(self.categories.values()))
        codes = [
            ranked.index(self.categories[value]) if value in self.categories else len(ranked)
            for value in self.sensitive.values
        ]
        known = ranked if len(ranked) not in codes else (*ranked, MISSING)
        return np.array(codes, dtype=np.int64), known


def group_rows(columns: Sequence[Column], rows: int) -> tuple[Codes, int]:
    """Give equal rows of some columns one number.

    Returns
    -------
    tuple
        Class of each row, in ascending order of the codes from the first column to the last, and
        the number of classes.

    Examples
    --------
    >>> ages = Column("age", np.array([1, 0, 1], dtype=np.int32), (34, 40), numeric=True)
    >>> of_row, count = group_rows([ages], 3)
    >>> of_row.tolist(), count
    ([1, 0, 1], 2)
    """
    keys, count = np.zeros(rows, dtype=np.int64), 1
    for column in columns:
        # Group numbers stay below rows and codes below 2^31, so the product fits in 64 bits.
        keys, count = _ranked(keys * len(column.values) + column.codes, count * len(column.values))
    return keys, count


def _ranked(keys: Codes, limit: int) -> tuple[Codes, int]:
    """Replace keys below a limit by their ranks among those that occur."""
    if limit <= max(4 * len(keys), 1 << 16):
        present = np.bincount(keys, minlength=limit) > 0
        return (np.cumsum(present) - 1)[keys], int(np.count_nonzero(present))
    from pandas import factorize

    # Hashing beats sorting all rows: only the distinct keys are sorted.
    codes, distinct = factorize(keys)
    order = np.argsort(distinct, kind="stable")
    ranks = np.empty(len(distinct), dtype=np.int64)
    ranks[order] = np.arange(len(distinct))
    return ranks[codes], len(distinct)
