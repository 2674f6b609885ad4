"""How the checks see a publication: groups of rows, with what is known of who is in them.

A group is what a reader cannot tell apart: published rows that are equal in all that is published,
but the sensitive value. With an account (a kproof release) a group is rows with equal labels, its
people are counted without noise and its values are the originals' own, whatever the published
columns say. Without one, a column that is in no role of the case counts as much as a
quasi-identifier, and so does the index of a frame; what does not count is that which follows from
the rest of the row and its place among the rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kproof.models.base.missing import MISSING
from kproof.models.tables.release import Release
from kproof.proptests.contract import TableCase, TablePublication, Trial
from kproof.proptests.judgement import Unjudged
from kproof.proptests.labels.cells import canonical
from kproof.proptests.oracles import Rows

Labels = tuple[Hashable, ...]


@dataclass(frozen=True)
class Group:
    """An equivalence class of a publication."""

    label: str
    """What is published of it besides sensitive values, on one line."""
    rows: Rows
    """Its sensitive values and people."""
    input_rows: tuple[int, ...]
    """The originals in it; empty if there is no account."""
    output_rows: tuple[int, ...]
    """The published rows that bear its label."""


@dataclass(frozen=True)
class View:
    """A publication beside the case it was made of."""

    case: TableCase
    publication: TablePublication

    @classmethod
    def of(cls, trial: Trial) -> View:
        """Return the view of a trial's publication; without one a check has nothing to judge."""
        if not isinstance(trial.outcome, TablePublication):
            raise Unjudged
        return cls(trial.case, trial.outcome)

    @property
    def release(self) -> Release | None:
        """The account, if there is one."""
        release: Release | None = self.publication.release
        return release

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The classes, by the account if there is one, else by the published columns."""
        if self.release is None:
            return self.reader_groups
        groups = []
        for index, members in enumerate(self.members):
            # The originals' own values: whether these are what is published is for another check.
            values = _take(self.original_values, members) + self.noise[index]
            groups.append(
                Group(
                    self.release.label(index),
                    Rows(values, len(members)),
                    members,
                    self.by_label.get(self.class_labels[index], ()),
                )
            )
        return tuple(groups)

    @cached_property
    def reader_groups(self) -> tuple[Group, ...]:
        """The classes as a reader sees them, noise and all: rows that nothing tells apart."""
        values = self.values_published
        return tuple(
            Group(self.describe(rows[0]), Rows(_take(values, rows), len(rows)), (), rows)
            for rows in self._alike((*self.names, *self.besides)).values()
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers that are published."""
        return tuple(name for name in self.case.quasi_identifiers if name in self.columns)

    @cached_property
    def columns(self) -> Mapping[str, tuple[object, ...]]:
        """All that is published of each row, levels of an index among it."""
        return self.publication.everything

    @cached_property
    def besides(self) -> tuple[str, ...]:
        """What else is published and counts: neither sensitive nor a repetition.

        A column that repeats the sensitive one tells nothing new, nor does an index that counts
        the rows with equal labels: whoever sees the rows can count them.
        """
        secret = self.values_published
        besides = [name for name in self.columns if name not in (*self.names, self.case.sensitive)]
        besides = [name for name in besides if secret is None or self._cells(name) != secret]
        for name in self.publication.index:
            # Beside what is left, so that of two levels that count each within the other one stays.
            names = [*self.names, *(column for column in besides if column != name)]
            if name in besides and _is_count(self._cells(name), self._alike(names)):
                besides.remove(name)
        return tuple(besides)

    @cached_property
    def by_label(self) -> Mapping[Labels, tuple[int, ...]]:
        """The published rows by their labels on the quasi-identifiers."""
        return self._alike(self.names)

    def _alike(self, names: Iterable[str]) -> Mapping[Labels, tuple[int, ...]]:
        cells = [self._cells(name) for name in names]
        rows_of: dict[Labels, list[int]] = {}
        for row in range(self.publication.rows):
            rows_of.setdefault(tuple(column[row] for column in cells), []).append(row)
        return {labels: tuple(rows) for labels, rows in rows_of.items()}

    def _cells(self, name: str) -> tuple[Hashable, ...]:
        """Return a column so that equal cells are equal; it may be shorter than it should be."""
        cells = tuple(map(canonical, self.columns[name]))
        return cells + (MISSING,) * (self.publication.rows - len(cells))

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The originals in each class of the account."""
        if self.release is None:
            return ()
        class_of = self.release.class_of
        return tuple(
            tuple(np.flatnonzero(class_of == index).tolist()) for index in range(self.release.count)
        )

    @cached_property
    def noise(self) -> tuple[tuple[Hashable, ...], ...]:
        """The values of the noise rows in each class of the account; None without a column."""
        if self.release is None:
            return ()
        values: list[list[Hashable]] = [[] for _ in range(self.release.count)]
        column = self.release.table.sensitive
        pairs = zip(self.release.noise_class, self.release.noise_value, strict=True)
        for index, code in pairs:
            values[index].append(None if column is None else canonical(column.values[code]))
        return tuple(map(tuple, values))

    @cached_property
    def class_labels(self) -> tuple[Labels, ...]:
        """The labels of each class of the account, in the form of :attr:`by_label`."""
        if self.release is None:
            return ()
        recoded = {recoding.column.name: recoding for recoding in self.release.recoded}
        return tuple(
            tuple(canonical(recoded[name].label(index)) for name in self.names)
            for index in range(self.release.count)
        )

    @cached_property
    def original_values(self) -> tuple[Hashable, ...] | None:
        """The sensitive value of each original; None without such a column."""
        return self._values(self.case.columns)

    @cached_property
    def values_published(self) -> tuple[Hashable, ...] | None:
        """The sensitive value of each published row; None if they are not published."""
        return self._values(self.columns)

    @cached_property
    def categories(self) -> Mapping[Hashable, object]:
        """Category of each sensitive value, equal values being equal."""
        return {
            canonical(value): category for value, category in (self.case.categories or {}).items()
        }

    def describe(self, row: int) -> str:
        """Return what is published of a row besides its sensitive value, on one line."""
        cells = (f"{name}={self.columns[name][row]}" for name in (*self.names, *self.besides))
        return ", ".join(cells) or "of all rows"

    def _values(self, columns: Mapping[str, tuple[object, ...]]) -> tuple[Hashable, ...] | None:
        if self.case.sensitive is None or self.case.sensitive not in columns:
            return None
        return tuple(map(canonical, columns[self.case.sensitive]))


def _is_count(cells: tuple[Hashable, ...], alike: Mapping[Labels, tuple[int, ...]]) -> bool:
    """Say whether cells count the rows of each group from 0 or from 1, as they stand."""
    places = {row: place for rows in alike.values() for place, row in enumerate(rows)}
    # All groups from 0 or all from 1: numbers that begin otherwise here and there tell groups
    # apart.
    return any(
        all(cells[row] == first + place for row, place in places.items()) for first in (0, 1)
    )


def _take(values: tuple[Hashable, ...] | None, rows: tuple[int, ...]) -> tuple[Hashable, ...]:
    return () if values is None else tuple(values[row] for row in rows)
