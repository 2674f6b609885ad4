"""What lies before the adversary: published classes, what they cover, and who is in them.

The attacks work on this view alone, so they run on a release with its microdata, on a bare
published frame, and on arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kproof.errors import DataError, InvalidArgument, did_you_mean, show
from kproof.models.attacks.covering import Mask, Shown, encode_labels
from kproof.models.base.arrays import Codes
from kproof.models.base.classes import Classes, Histogram, histogram
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, text
from kproof.models.privacy.completions import open_to_doubt
from kproof.models.tables.encoding import is_number
from kproof.models.tables.published import classes_of_table
from kproof.models.tables.recoding import covers
from kproof.models.tables.release import Release
from kproof.models.tables.table import Table
from kproof.theory.exact.typed import rational


@dataclass(frozen=True)
class PublishedClasses:
    """Published classes and the people behind them.

    >>> rows = Classes(np.array([0, 0, 1]), 2, np.array([0, 1, 1]), ("Flu", "HIV"))
    >>> PublishedClasses.of(rows).class_of.tolist()
    [0, 0, 1]
    """

    classes: Classes
    """The published rows, noise included."""
    class_of: Codes
    """Shape (persons,): class each person's record is published in, -1 if it is not in the file."""
    actual: Codes
    """Shape (persons,): code of the sensitive value each person really has."""
    columns: tuple[Shown, ...] = field(default=(), repr=False)
    """What each class shows of each quasi-identifier; () if that is not known."""
    hidden: int | None = None
    """The class of marked suppressed rows, which may be anybody's; None if there is none."""
    microdata: bool = False
    """Whether the people are those of the source table, and not just the published rows."""

    @classmethod
    def of(cls, classes: Classes, columns: Sequence[Shown] = ()) -> PublishedClasses:
        """Take the published rows that are not noise as the people, in their order."""
        if classes.sensitive is None:
            raise InvalidArgument("sensitive", None, "the column an attack is to disclose")
        real = slice(None) if classes.real is None else classes.real
        return cls(classes, classes.of_row[real], classes.sensitive[real], tuple(columns))

    @classmethod
    def of_release(cls, release: Release, target: str | None = None) -> PublishedClasses:
        """Take a release with its microdata: everyone in the table, the suppressed included."""
        classes = aim(release.classes(), target)
        sensitive = next(column for column in release.table.secrets if column.name == classes.name)
        return cls(
            classes=classes,
            class_of=release.class_of,
            actual=sensitive.codes.astype(np.int64),
            columns=tuple(encode_labels(published) for published in release.recoded),
            hidden=release.hidden_class,
            microdata=True,
        )

    @classmethod
    def of_published(cls, table: Table, target: str | None = None) -> PublishedClasses:
        """Take a published table, its quasi-identifiers being labels; its rows are the people."""
        classes = aim(classes_of_table(table), target)
        # Rows of a class have equal labels: any shows them.
        first = np.unique(classes.of_row, return_index=True)[1]
        hidden = table.class_of_mark
        columns = [_show_labels(column, first, hidden) for column in table.quasi_identifiers]
        return replace(cls.of(classes, columns), hidden=hidden)

    def histogram(self, *, noise: bool) -> Histogram:
        """Return the values in classes with or without the noise rows."""
        return self.classes.histogram if noise else self._real

    @cached_property
    def _real(self) -> Histogram:
        classes = self.classes
        if (real := classes.real) is None or classes.sensitive is None:
            return classes.histogram
        of_row, sensitive = classes.of_row[real], classes.sensitive[real]
        return histogram(of_row, sensitive, classes.count, len(classes.values))

    @property
    def missing(self) -> int | None:
        """The code of a missing sensitive value; None if every published value is there."""
        classes = self.classes
        if not classes.unknown.any():
            return None
        return next(code for code, value in enumerate(classes.values) if value is MISSING)

    @property
    def doubtful(self) -> bool:
        """Whether what is disclosed depends on what missing values are."""
        return open_to_doubt(self.classes)

    @cached_property
    def commonest(self) -> int:
        """The commonest sensitive value that is there, by code."""
        # A copy: the histogram is held, and others read it.
        totals = self.classes.histogram.totals.copy()
        if self.missing is not None:
            totals[self.missing] = 0
        return int(np.argmax(totals))

    def value_code(self, value: object) -> int:
        """Return the code of a sensitive value as typed, which the release must know."""
        code = self._codes.get(_value_text(value), self._codes.get(_text(value)))
        if code is None:
            values = self.classes.values
            examples = ", ".join(show(text(value), 20) for value in values[:8])
            ellipsis = ", …" if len(values) > 8 else ""
            raise DataError(
                f"sensitive value {show(_value_text(value))} does not occur: {examples}{ellipsis}"
            )
        return code

    @cached_property
    def _codes(self) -> dict[str, int]:
        # As shown comes last, so that texts "1" and "1.0" stay apart where both occur.
        values = list(enumerate(self.classes.values))
        return {write(value): code for write in (_text, _value_text) for code, value in values}

    def column(self, name: str) -> Shown:
        """Return a quasi-identifier by name; an error if there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        names = ", ".join(column.name for column in self.columns) or "none at hand"
        raise DataError(f"{show(name)} is not a quasi-identifier of the release: {names}")

    def covers(self, quasi_identifiers: Mapping[str, object]) -> Mask:
        """Return, shape (classes,), which classes cover some values as typed."""
        mask: NDArray[np.bool_] = np.ones(self.classes.count, dtype=np.bool_)
        for name, value in quasi_identifiers.items():
            mask &= self.column(name).covering(value)
        return mask


def aim(classes: Classes, target: str | None) -> Classes:
    """Return classes whose sensitive column is the one that an attack is to disclose."""
    if classes.sensitive is None:
        raise InvalidArgument("sensitive", None, "the column an attack is to disclose")
    if target is not None and target not in classes.secrets:
        names = ", ".join(show(name) for name in classes.secrets if name) or "it has no name"
        names += did_you_mean(target, filter(None, classes.secrets))
        raise InvalidArgument("target", target, f"one of the sensitive columns: {names}")
    return classes if target is None else classes.of(target)


def _show_labels(column: Column, first: Codes, hidden: int | None) -> Shown:
    """Return what classes show of a column of labels; the hidden class may have any value."""
    of_class = column.codes[first]

    def covers(value: object) -> Mask:
        covers = [_covers(text(label), value) for label in column.values]
        mask = np.array(covers, dtype=np.bool_)[of_class]
        if hidden is not None:
            mask[hidden] = True
        return mask

    return Shown(column.name, covers)


def _covers(label: str, value: object) -> bool:
    """Say whether a label covers a value as typed: a number in quotes is a number as well."""
    # JSON has no other word for a cell in which nothing is.
    if value is None:
        value = MISSING
    # As typed first: a code such as 0123 is a text that no number equals.
    if covers(label, value):
        return True
    return isinstance(value, str) and is_number(value) and covers(label, rational("value", value))


def _value_text(value: object) -> str:
    return text(MISSING if value is None else value)


def _text(value: object) -> str:
    """Return one text for a number, however it was typed: 1, 1.0 and "1.00" are one."""
    shows = _value_text(value)
    return str(rational("value", shows)) if is_number(shows) else shows
