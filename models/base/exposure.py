"""Rows of a published table that whoever knows columns beside the quasi-identifiers finds.

Classes speak of a reader who knows the quasi-identifiers and nothing else. Columns that are
published as they are say more: one of them, two or three, or one together with the published
quasi-identifiers may single out rows, which no model of classes looks at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kproof.errors import show
from kproof.forms import JsonForm
from kproof.models.base.arrays import Codes, Integers
from kproof.models.base.beside import Beside
from kproof.models.base.uniqueness import alone, best_sets

WIDEST = 12
"""Columns of which every set of two and three is looked at; of more, sets of the strongest."""


@dataclass(frozen=True, slots=True)
class Singled:
    """Columns, and how many rows they single out."""

    columns: tuple[str, ...]
    """Their names."""
    rows: int
    """Rows of which no other agrees on all of them."""
    at_most: int | None = None
    """Rows that no set of as many columns exceeds, if more than ``rows``: not every set was
    counted; else None."""

    to_dict = JsonForm("columns rows at_most?")


@dataclass(frozen=True, eq=False)
class Exposure:
    """What columns published as they are single out, counted when it is asked for.

    >>> beds, wards = np.array([0, 1, 2, 2]), np.array([0, 0, 0, 1])
    >>> found = Exposure(np.array([0, 0, 1, 1]), ("bed", "ward"), (beds, wards))
    >>> found.by_one, found.together
    (Singled(columns=('bed',), rows=2, at_most=None),
     (Singled(columns=('bed', 'ward'), rows=4, at_most=None),))
    >>> print(found)
    other columns: of 4 rows bed singles out 2, bed and ward 4
    >>> found.but(["bed"]).by_one
    Singled(columns=('ward',), rows=1, at_most=None)
    """

    of_row: Codes
    """Shape (rows,): class of each published row."""
    names: tuple[str, ...]
    """The columns that are published as they are."""
    codes: tuple[Integers, ...]
    """Shape (rows,) each: equal where values are; a missing value is one like any other."""

    @property
    def rows(self) -> int:
        """Published rows."""
        return len(self.of_row)

    @cached_property
    def each(self) -> tuple[Singled, ...]:
        """What each column singles out by itself."""
        return tuple(map(Singled, ((name,) for name in self.names), map(alone, self.codes)))

    @cached_property
    def each_with(self) -> tuple[Singled, ...]:
        """What each column singles out together with the published quasi-identifiers."""
        pairs = zip(self.names, self.codes, strict=True)
        return tuple(Singled((name,), _alone_together(self.of_row, codes)) for name, codes in pairs)

    @cached_property
    def without(self) -> int:
        """Rows that the published quasi-identifiers single out by themselves."""
        return alone(self.of_row)

    @property
    def by_one(self) -> Singled | None:
        """The column that singles out most rows; None without columns."""
        return _most(self.each)

    @property
    def with_quasi_identifiers(self) -> Singled | None:
        """The column that does so with the quasi-identifiers; None without columns."""
        return _most(self.each_with)

    @cached_property
    def together(self) -> tuple[Singled, ...]:
        """The two, and the three columns that single out most rows, where there are so many.

        Of more than :data:`WIDEST` columns those that single out most of the sets that were
        counted, and a bound of all others.
        """
        together = []
        for best in best_sets(self.codes, exhaustive=WIDEST):
            names = tuple(self.names[place] for place in best.columns)
            together.append(Singled(names, best.rows, None if best.searched else best.at_most))
        return tuple(together)

    def but(self, names: Collection[str]) -> Exposure:
        """Return what is left of it without some of the columns."""
        remaining = [i for i, name in enumerate(self.names) if name not in names]
        # What was counted is kept with the object, and would be counted again in a copy.
        if len(remaining) == len(self.names):
            return self
        columns = tuple(self.names[i] for i in remaining), tuple(self.codes[i] for i in remaining)
        return Exposure(self.of_row, *columns)

    def __str__(self) -> str:
        """Return a line; empty if no row is singled out that classes do not tell of."""
        with_them, phrases = self.with_quasi_identifiers, list[str]()
        by_one, largest = self.by_one, 0
        # A set that singles out no more than a smaller one says nothing more.
        for singled in (by_one, *self.together):
            if singled is not None and singled.rows > largest:
                largest = singled.rows
                verb = " singles out" if len(singled.columns) == 1 else " single out"
                verb = "" if phrases else verb
                phrases.append(f"{_enumeration(singled.columns)}{verb} {singled.rows:,}")
        alone_already = max(self.without, by_one.rows if by_one else 0)
        if with_them is not None and with_them.rows > alone_already:
            verb = "" if phrases else " single out"
            who = f"the quasi-identifiers with {_enumeration(with_them.columns)}{verb}"
            phrases.append(f"{who} {with_them.rows:,} (without it {self.without:,})")
        for best in self.together:
            if best.at_most is not None:
                sets = f"other sets of {len(best.columns)} of the {len(self.names)} columns"
                phrases.append(f"{sets} at most {best.at_most:,}")
        if not phrases:
            return ""
        rows = "row" if self.rows == 1 else "rows"
        return f"other columns: of {self.rows:,} {rows} {', '.join(phrases)}"

    to_dict = JsonForm(
        "rows by_one=each together with_quasi_identifiers=each_with",
        "quasi_identifiers_alone=without",
    )


def describe_beside(exposure: Exposure | None, columns: Iterable[Beside]) -> str:
    """Return what columns single out that do not give everybody away; empty if nothing.

    A column that gives nearly everybody away says so where it is named, and whatever it singles out
    with others says less.
    """
    if exposure is None:
        return ""
    return str(exposure.but([column.name for column in columns if column.gives_away]))


def _most(sets: Sequence[Singled]) -> Singled | None:
    return max(sets, key=lambda singled: singled.rows, default=None)


def _alone_together(of_row: Codes, codes: Integers) -> int:
    if not len(of_row):
        return 0
    low = int(codes.min())
    # Codes from 0 to below the factor: different pairs of class and code have different keys.
    keys = of_row * (int(codes.max()) - low + 1) + (codes - low)
    return int(np.count_nonzero(np.unique(keys, return_counts=True)[1] == 1))


def _enumeration(names: Sequence[str]) -> str:
    *first, last = map(show, names)
    return f"{', '.join(first)} and {last}" if first else last
