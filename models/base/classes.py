"""Equivalence classes as the checkers and attacks see them: integer codes, nothing else.

A published table, wherever it came from, is reduced to this view: which class each published row
is in, which sensitive value it carries, and whether a real person stands behind it. Every privacy
model is computed from the histogram of values in classes, so that one pass over the rows serves
them all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kproof.errors import DataError, printable, show, spell
from kproof.models.base.arrays import Codes, Flags
from kproof.models.base.beside import Beside
from kproof.models.base.columns import Column, group_codes
from kproof.models.base.exposure import Exposure
from kproof.models.base.missing import MISSING, MissingAs, missing_values, text

SUPPRESSED_ROWS = "suppressed rows"
"""What the class of rows is called that show the mark in every quasi-identifier."""


@dataclass(frozen=True)
class Histogram:
    """How often values occur in classes: entries above 0, sorted by class, then by value."""

    classes: Codes
    values: Codes
    counts: Codes
    """Shape (entries,): class index, value code, number of rows."""
    starts: Codes
    """Shape (classes + 1,): the entries of class c are ``starts[c]:starts[c + 1]``."""
    sizes: Codes
    """Shape (classes,): rows of each class."""
    totals: Codes
    """Shape (values,): rows with each value in the whole table."""


@dataclass(frozen=True)
class Classes:
    """The equivalence classes of published rows."""

    of_row: Codes
    """Shape (rows,): class index 0, ..., count - 1 of each published row; every class occurs."""
    count: int
    """Number of classes."""
    sensitive: Codes | None = None
    """Shape (rows,): code of each row's sensitive value; None if the table has none."""
    values: tuple[object, ...] = ()
    """The sensitive value of each code, in a fixed order (the domain, absent values included)."""
    ordered: bool = False
    """Whether that order means something (numeric values): then t-closeness may use it."""
    real: Flags | None = None
    """Shape (rows,): False for noise rows; None if every row is a person's."""
    category: Codes | None = None
    """Shape (values,): category code of each sensitive value; None if there are no categories."""
    categories: tuple[object, ...] = ()
    """The category of each category code."""
    label: Callable[[int], str] = field(default=str, repr=False, compare=False)
    """Describes a class by its published quasi-identifiers, for verdicts."""
    beside: tuple[Beside, ...] = ()
    """Columns of the same table that are left out of account."""
    missing_as: MissingAs = MissingAs.WORST_CASE
    """What a missing sensitive value is taken for."""
    judged: Flags | None = None
    """Shape (rows,): whether the row's sensitive value counts; None if every one does."""
    name: str = ""
    """Name of the sensitive column; empty if nobody gave it one."""
    further: tuple[Column, ...] = ()
    """The other sensitive columns; :meth:`of` puts one of them in the place of the first."""
    known: tuple[str, ...] = ()
    """Names of sensitive columns that are taken for quasi-identifiers."""
    person: Codes | None = None
    """Shape (rows,): code of the person whom each row is about, -1 where it is nobody's; None if
    every row is a person's own."""
    suppressed: int = 0
    """Published rows that are left out of account because they show nothing at all."""
    exposure: Exposure | None = field(default=None, repr=False, compare=False)
    """What columns published as they are single out in the whole table; None without any."""
    weight: Codes | None = None
    """Shape (rows,): how many published rows each of these stands for, all of one class and one
    sensitive value; None if each is one. People and noise are then not told apart."""

    def __repr__(self) -> str:
        """Say how many there are, in a line that fits a terminal."""
        return f"Classes({self.count} of {len(self.of_row)} rows)"

    @property
    def rows(self) -> int:
        """How many published rows there are."""
        return len(self.of_row) if self.weight is None else int(self.weight.sum())

    def counted(self, rows: Flags) -> Codes:
        """Return, shape (classes,), how many published rows of each class are among some."""
        weight = None if self.weight is None else self.weight[rows]
        return tally(self.of_row[rows], self.count, weight)

    @property
    def gaps(self) -> int:
        """How many published rows have no sensitive value."""
        unknown = self.unknown
        return int(np.count_nonzero(unknown) if self.weight is None else self.weight[unknown].sum())

    @cached_property
    def unknown(self) -> Flags:
        """Shape (rows,): whether the row's sensitive value is missing."""
        if self.sensitive is None:
            return np.zeros(len(self.of_row), dtype=np.bool_)
        gap = np.array([value is MISSING for value in self.values], dtype=np.bool_)
        return np.asarray(gap[self.sensitive], dtype=np.bool_)

    @cached_property
    def sizes(self) -> Codes:
        """Rows of each class, noise included."""
        return tally(self.of_row, self.count, self.weight)

    @cached_property
    def real_sizes(self) -> Codes:
        """Real people in each class: what k-anonymity counts, whatever rows they have."""
        if self.person is not None:
            return np.bincount(self.people.classes, minlength=self.count).astype(np.int64)
        if self.real is None:
            return self.sizes
        return np.bincount(self.of_row[self.real], minlength=self.count).astype(np.int64)

    @cached_property
    def histogram(self) -> Histogram:
        """Sensitive values of all published rows, noise included: what an adversary sees."""
        if self.sensitive is None:
            raise ValueError("these classes have no sensitive attribute")
        # A slice, as a mask of all rows would copy them.
        return self.histogram_of(slice(None) if self.judged is None else self.judged)

    def histogram_of(self, rows: Flags | slice) -> Histogram:
        """Return the sensitive values of some rows, in every class."""
        if self.sensitive is None:
            raise ValueError("these classes have no sensitive attribute")
        weight, codes = None if self.weight is None else self.weight[rows], self.sensitive[rows]
        return histogram(self.of_row[rows], codes, self.count, len(self.values), weight)

    @cached_property
    def people(self) -> PersonRows:
        """Who has how many rows in which class, if somebody said whom the rows are about."""
        if self.person is None:
            raise ValueError("these classes have no person column")
        real = self.person >= 0
        return PersonRows.of(self.of_row[real], self.person[real])

    @property
    def secrets(self) -> tuple[str, ...]:
        """The names of the sensitive columns, the one that is judged first."""
        first = () if self.sensitive is None else (self.name,)
        return (*first, *(column.name for column in self.further))

    @property
    def each(self) -> tuple[Classes, ...]:
        """The same classes once for each sensitive column."""
        return (self, *(self.of(column.name) for column in self.further))

    def of(self, name: str) -> Classes:
        """Return the same classes with another of the :attr:`secrets` in the place of the first.

        Categories are those of the first column and do not follow.

        >>> pay = Column("pay", np.array([0, 1], dtype=np.int32), (10, 20), numeric=True)
        >>> rows = Classes(
        ...     np.array([0, 0]), 1, np.array([0, 0]), ("Flu",), name="disease", further=(pay,)
        ... )
        >>> rows.of("pay").values, rows.of("pay").secrets
        ((10, 20), ('pay', 'disease'))
        """
        if name == self.name or self.sensitive is None:
            return self
        chosen = next(column for column in self.further if column.name == name)
        current = Column(self.name, self.sensitive.astype(np.int32), self.values, self.ordered)
        return replace(
            self,
            name=chosen.name,
            sensitive=chosen.codes.astype(np.int64),
            values=chosen.values,
            ordered=chosen.numeric,
            category=None,
            categories=(),
            further=(current, *(column for column in self.further if column is not chosen)),
        )

    def refine_by_others(self) -> Classes:
        """Return what is one class to a reader who knows the other sensitive values of a person.

        They are quasi-identifiers to her, as Machanavajjhala et al. (l-diversity, ACM TKDD 2007)
        take them where there are several sensitive attributes. None of these values may be missing,
        unless that is taken for a value: which rows she takes for one class then depends on what
        they are.

        >>> pay = Column("pay", np.array([0, 1, 0], dtype=np.int32), (10, 20), numeric=True)
        >>> rows = Classes(np.zeros(3, dtype=int), 1, np.array([0, 1, 1]), ("Flu", "HIV"),
        ...     name="disease", further=(pay,))
        >>> rows.refine_by_others().of_row.tolist(), rows.refine_by_others().label(1)
        ([0, 1, 0], '0, pay=20')
        """
        if not self.further:
            return self
        for column in self.further:
            gone = column.missing
            gaps = 0 if gone is None else int(np.count_nonzero(column.codes == gone))
            if gaps and self.missing_as is not MissingAs.VALUE:
                raise DataError(
                    f"column {show(column.name)}: {missing_values(gaps)}, so that nobody can say "
                    "what a reader learns who knows such values; count what is missing as a value "
                    f"of its own ({spell('missing_as', 'value')})"
                )
        codes = [(column.codes, len(column.values)) for column in self.further]
        of_row, count = group_codes([(self.of_row, self.count), *codes], len(self.of_row))
        first = np.unique(of_row, return_index=True)[1]

        def label(index: int) -> str:
            row = int(first[index])
            values = (f"{c.name}={text(c.values[c.codes[row]])}" for c in self.further)
            return printable(", ".join([self.label(int(self.of_row[row])), *values]))

        secrets = self.secrets[1:]
        return replace(self, of_row=of_row, count=count, label=label, known=secrets, further=())


@dataclass(frozen=True)
class PersonRows:
    """Who has how many rows in which class, in coordinate form."""

    classes: Codes
    persons: Codes
    rows: Codes
    """Shape (entries,): class, person, and how many rows of the class are theirs; none is 0."""

    @classmethod
    def of(cls, of_row: Codes, person: Codes) -> PersonRows:
        """Count rows.

        >>> found = PersonRows.of(np.array([0, 0, 0, 1]), np.array([7, 7, 8, 7]))
        >>> found.rows.tolist(), found.several, found.apart
        ([2, 1, 1], 1, 1)
        """
        span = int(person.max(initial=-1)) + 1
        keys, rows = np.unique(of_row.astype(np.int64) * span + person, return_counts=True)
        classes, persons = np.divmod(keys, span) if span else (keys, keys)
        return cls(classes.astype(np.int64), persons.astype(np.int64), rows.astype(np.int64))

    @property
    def several(self) -> int:
        """People with more than one row."""
        return int(np.count_nonzero(np.bincount(self.persons, self.rows) > 1))

    @property
    def apart(self) -> int:
        """People with rows in more than one class."""
        return int(np.count_nonzero(np.bincount(self.persons) > 1))

    def most(self, count: int) -> Codes:
        """Return, shape (count,), the most rows that one person has in each class."""
        largest = np.zeros(count, dtype=np.int64)
        # A class occurs once for each of its people, and an assignment would leave it the last
        # one's rows.
        np.maximum.at(largest, self.classes, self.rows)
        return largest


def part_of(classes: Classes, chosen: Flags) -> Classes:
    """Return some of the classes, numbered anew, as if the rows of the others were not published.

    >>> rows = Classes(np.array([0, 1, 1, 2]), 3)
    >>> part_of(rows, np.array([True, False, True])).of_row.tolist()
    [0, 1]
    """
    rows, old = chosen[classes.of_row], np.flatnonzero(chosen)
    place = np.cumsum(chosen) - 1

    def of(array: NDArray[Any] | None) -> Any:
        return None if array is None else array[rows]

    return replace(
        classes,
        of_row=place[classes.of_row[rows]],
        count=len(old),
        sensitive=of(classes.sensitive),
        real=of(classes.real),
        judged=of(classes.judged),
        further=tuple(replace(column, codes=column.codes[rows]) for column in classes.further),
        person=of(classes.person),
        weight=of(classes.weight),
        # Whoever labels a class knows it by the number that it had.
        label=lambda index: classes.label(int(old[index])),
    )


def tally(codes: Codes, span: int, weight: Codes | None = None) -> Codes:
    """Count codes below a span, each as often as its weight says; together below 2⁵³.

    >>> tally(np.array([2, 0, 2]), 4, np.array([5, 1, 1])).tolist()
    [1, 0, 6, 0]
    """
    # Sums of whole numbers below 2^53 are exact in floats, in which bincount adds.
    return np.bincount(codes, weight, minlength=span).astype(np.int64)


def histogram(
    of_row: Codes, codes: Codes, classes: int, values: int, weight: Codes | None = None
) -> Histogram:
    """Count codes in classes: shape (rows,), and how many rows each stands for if not one.

    >>> found = histogram(np.array([0, 0, 1]), np.array([2, 2, 0]), 2, 3)
    >>> found.counts.tolist(), found.starts.tolist()
    ([2, 1], [0, 1, 2])
    """
    # Class and value may be narrow numbers, of which the product is not.
    keys = of_row.astype(np.int64) * values + codes
    # Counting goes over all pairs of a class and a value, sorting over the rows.
    if classes * values <= max(4 * len(keys), 1 << 20):
        dense = tally(keys, classes * values, weight)
        present = np.flatnonzero(dense)
        counts = dense[present]
    elif weight is None:
        present, counts = np.unique(keys, return_counts=True)
    else:
        present, place = np.unique(keys, return_inverse=True)
        counts = tally(place.reshape(-1), len(present), weight)
    # Without values there are no entries, and nothing to divide by.
    of_class, of_value = np.divmod(present, values) if values else (present, present)
    # Entries are in the order of their classes, so that a class without any begins where it ends.
    starts = np.searchsorted(of_class, np.arange(classes + 1))
    return Histogram(
        classes=of_class.astype(np.int64),
        values=of_value.astype(np.int64),
        counts=counts.astype(np.int64),
        starts=starts.astype(np.int64),
        sizes=tally(of_row, classes, weight),
        totals=tally(codes, values, weight),
    )
