"""Tables as the anonymizers see them: dictionary-encoded columns with roles.

Whatever a caller hands in (pandas, Polars, Arrow, a CSV file) becomes a Table once: integer codes
in NumPy arrays and one sorted tuple of values for each column. Missing is a value of its own.

Suppressed rows of somebody's release: those that show a mark in every quasi-identifier.

What the mark is, the reader of a published table says. A marked row that shows nothing else tells
of nobody and is left out of account. One that shows more is judged: whoever fits no other class is
known to be among the marked rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from kproof.arguments import ROLES, check_arguments
from kproof.errors import DataError, InvalidArgument, did_you_mean, show
from kproof.models.base.arrays import Codes, Flags
from kproof.models.base.beside import Beside, Part
from kproof.models.base.columns import Column, group_rows
from kproof.models.base.missing import MISSING, MissingAs, text
from kproof.models.tables.encoding import encode, is_number
from kproof.models.tables.frames import columns_of_frame
from kproof.models.tables.roles import Encoded, RoleOptions, Roles


@dataclass(frozen=True)
class Table:
    """A microdata table with its roles."""

    rows: int
    """Number of records."""
    quasi_identifiers: tuple[Column, ...]
    """Columns an adversary may know."""
    sensitive: Column | None = None
    """The column to protect, the first if there are several; or None."""
    categories: Mapping[object, object] | None = None
    """Category of each value of it (Table 3 of the paper), or None."""
    identifiers: tuple[str, ...] = ()
    """Names of columns that are never published."""
    other: tuple[Column, ...] = ()
    """Columns published as they are."""
    source: object = field(default=None, repr=False, compare=False)
    """The caller's own frame, untouched; None for files and shipped tables."""
    beside: tuple[Beside, ...] = ()
    """Columns of the source without a role, and how many rows each singles out."""
    missing_as: MissingAs = MissingAs.WORST_CASE
    """What a missing sensitive value is taken for."""
    most_members: int | None = None
    """Most members of a set that a label may show; None for the limits of
    :mod:`kproof.models.tables.labels`."""
    dropped: tuple[str, ...] = ()
    """Names of columns that somebody decided to leave out."""
    further: tuple[Column, ...] = ()
    """The other columns to protect."""
    person: Column | None = None
    """The column that says whom each row is about, never published; None if every row is a
    person's own."""
    mark: str | None = None
    """Of a published table: what suppressed rows show in every quasi-identifier; None if nobody
    said."""
    blank_rows: int = 0
    """Of a published table: suppressed rows that show nothing, and are not among the rows."""
    totals: tuple[Codes, ...] | None = field(default=None, repr=False, compare=False)
    """Of a part of a larger table: by sensitive column, shape (values,), how often each value
    occurs in that; None if this is the whole table."""
    both: tuple[str, ...] = ()
    """Names of the quasi-identifiers that are secret, too: judged as known and as sensitive."""

    def __repr__(self) -> str:
        """Say what it is about, in a line that fits a terminal."""
        names = ", ".join(column.name for column in self.quasi_identifiers)
        secret = f"; sensitive: {self.sensitive.name}" if self.sensitive is not None else ""
        return f"Table({self.rows} rows; quasi-identifiers: {names or 'none'}{secret})"

    @classmethod
    @check_arguments(**ROLES)
    def from_frame(cls, frame: object, **roles: Unpack[RoleOptions]) -> Table:
        """Encode a pandas, Polars or PyArrow frame, which stays as it is.

        Rows are counted by position, whatever the index. None, NaN, NaT and the texts in
        ``missing`` become :data:`MISSING`. Columns without a role are never published; one that
        singles out nearly every row stops whatever would be said of the table
        (:mod:`kproof.models.base.beside`).

        Args:
            frame: Any eager frame that Narwhals knows.
            quasi_identifiers: Columns an adversary may know; at least one.
            sensitive: The column to protect, or several.
            both: Quasi-identifiers that are sensitive, too; they need not be listed as known.
            person: The column that says whom each row is about: k then counts people. Never
                published.
            absent: Person columns that the source lacks; answers say that rows are counted.
            identifiers: Columns that must never be published.
            other: Columns published as they are.
            drop: Columns that are left out, because somebody decided so.
            categories: Category of every value of the first sensitive column; categories rank by
                first appearance.
            taxonomies: Generalization hierarchies by column.
            ladders: By column what draws a hierarchy above its values, such as ``"date"`` or
                ``"range:5,10"``; see :func:`kproof.models.tables.levels.ladders.ladder`. Dates and
                times without a hierarchy get ``date``, ``datetime`` or ``time`` by themselves.
            least_levels, most_levels: By column the lowest and the highest level that may be
                published, by number from 0, the value itself, or by the ladder's name for it.
            numeric: By column: True reads text as numbers, False treats numbers, dates and times as
                codes without order. By default numbers without a taxonomy are numeric.
            missing_as: What a missing sensitive value is taken for: ``"worst-case"``, ``"value"``
                or ``"exclude"``; see :class:`~kproof.models.base.missing.MissingAs`.
            most_members: Most members of a set that a label may show, at least 1; by default 8, and
                3 if they are dates.
            missing: Texts that mean "nobody recorded it", whatever spaces stand around them; ``""``
                and ``"?"`` unless said.
            missing_in: The same by column, in place of ``missing`` for it.
            suppressed: Of a published frame: what suppressed rows show in every quasi-identifier.

        Raises:
            DataError: If a column is unknown, occurs twice, has no values or mixes kinds of values.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"age": [34, 40, None], "disease": ["HIV", "Flu", "Flu"]})
        >>> table = Table.from_frame(frame, quasi_identifiers=["age"], sensitive="disease")
        >>> table.quasi_identifiers[0].values, table.sensitive.codes.tolist()
        ((34, 40, ?), [1, 0, 0])
        >>> Table.from_frame(frame, quasi_identifiers=["height"])
        Traceback (most recent call last):
        kproof.errors.DataError: no column height; there are age, disease
        """
        checked = Roles.of(**roles)
        return cls.of(checked, columns_of_frame(frame, checked))

    @classmethod
    def of(cls, roles: Roles, read: Encoded) -> Table:
        """Put encoded columns together; taxonomies and categories must fit their values."""
        if read.rows == 0:
            raise DataError("the table has no rows")
        read, blank_rows = without_blank_rows(read, roles)
        columns = read.columns
        sensitive = None if roles.sensitive is None else columns[roles.sensitive]
        further = tuple(columns[name] for name in roles.further)
        judged = () if read.published else tuple(columns[name] for name in roles.both)
        for column in (sensitive, *further, *judged):
            roles.require_clear(column)
        person = None if roles.person is None else columns[roles.person]
        if person is not None:
            roles.require_persons(person)
        return cls(
            rows=read.rows,
            quasi_identifiers=tuple(
                roles.place(columns[name], published=read.published)
                for name in roles.quasi_identifiers
            ),
            sensitive=sensitive,
            categories=roles.categories_of(sensitive),
            identifiers=roles.identifiers,
            other=tuple(columns[name] for name in roles.other),
            source=read.source,
            beside=(*read.beside, *(Beside(name, Part.ABSENT) for name in roles.absent)),
            missing_as=roles.missing_as,
            most_members=roles.most_members,
            dropped=roles.drop,
            further=further,
            person=person,
            mark=roles.suppressed,
            blank_rows=blank_rows,
            both=roles.both,
        )

    @property
    def secrets(self) -> tuple[Column, ...]:
        """All sensitive columns."""
        return () if self.sensitive is None else (self.sensitive, *self.further)

    def with_columns(
        self, public: Sequence[Column], secrets: Sequence[Column], **changes: Any
    ) -> Table:
        """Return the table with other quasi-identifiers and sensitive columns."""
        return replace(
            self,
            quasi_identifiers=tuple(public),
            sensitive=secrets[0] if secrets else None,
            further=tuple(secrets[1:]),
            **changes,
        )

    @property
    def without_secrets(self) -> Table:
        """The table for a method that may see no sensitive value."""
        return self.with_columns(self.quasi_identifiers, ())

    def only_secret(self, method: str) -> Column | None:
        """Return the sensitive column, for a method that promises something of one."""
        if self.further:
            names = ", ".join(show(column.name) for column in self.secrets)
            raise DataError(
                f"{method} keeps its promise for one sensitive column, not for {names}; mondrian "
                "keeps l, t and mu for all of them"
            )
        return self.sensitive

    def by_secret(self, name: str, setting: object) -> tuple[Any, ...]:
        """Return what is asked of each sensitive column; None where nothing is.

        The setting of the parameter ``name`` is one value for all columns, or values by column.
        """
        if not isinstance(setting, Mapping):
            return (setting,) * len(self.secrets)
        names = [column.name for column in self.secrets]
        for column, value in setting.items():
            if column not in names:
                listed = ", ".join(map(show, names)) or "there is none"
                admissible = f"one of the sensitive columns: {listed}{did_you_mean(column, names)}"
                raise InvalidArgument(name, f"{column}={value}", admissible)
        return tuple(setting.get(column) for column in names)

    @cached_property
    def equivalence_classes(self) -> tuple[Codes, int]:
        """Class of each row, and how many there are: rows that agree on every quasi-identifier.

        Classes are numbered in ascending order of their quasi-identifiers' codes.
        """
        return group_rows(self.quasi_identifiers, self.rows)

    def of_rows(self, rows: Codes) -> Table:
        """Return the table that has only some of its rows, in the order of their positions.

        Columns keep their values, but for people who have no row any more.

        >>> ages = Column("age", np.array([1, 0, 1], dtype=np.int32), (25, 26), numeric=True)
        >>> Table(3, (ages,)).of_rows(np.array([0, 2])).quasi_identifiers[0].codes.tolist()
        [1, 1]
        """

        def select(value: Any) -> Any:
            # Columns alone have rows: totals are those of the larger table, and stay.
            if isinstance(value, Column):
                return replace(value, codes=value.codes[rows])
            return tuple(map(select, value)) if isinstance(value, tuple) else value

        every = {field.name: select(getattr(self, field.name)) for field in fields(self)}
        if self.person is not None:
            present, codes = np.unique(every["person"].codes, return_inverse=True)
            people = tuple(self.person.values[code] for code in present.tolist())
            every["person"] = replace(
                self.person, codes=codes.reshape(-1).astype(np.int32), values=people
            )
        # Without the frame, which has rows that the table has no more.
        return Table(**(every | {"rows": len(rows), "source": None}))

    @cached_property
    def class_of_mark(self) -> int | None:
        """The class of :attr:`equivalence_classes` that shows the mark alone; None without one."""
        if self.mark is None:
            return None
        shows = [shows_mark(column, self.mark) for column in self.quasi_identifiers]
        rows = np.flatnonzero(np.logical_and.reduce(shows))
        return int(self.equivalence_classes[0][rows[0]]) if len(rows) else None

    @property
    def secret_columns(self) -> dict[str, Any]:
        """What classes say of the sensitive columns, besides the codes of rows."""
        sensitive, category = self.sensitive, self.category_codes
        codes, names = (None, ()) if category is None else category
        return {
            "values": () if sensitive is None else sensitive.values,
            "ordered": sensitive is not None and sensitive.numeric,
            "name": "" if sensitive is None else sensitive.name,
            "category": codes,
            "categories": names,
            "missing_as": self.missing_as,
            "further": self.further,
        }

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
        categories = ranked if len(ranked) not in codes else (*ranked, MISSING)
        return np.array(codes, dtype=np.int64), categories


def without_blank_rows(read: Encoded, roles: Roles) -> tuple[Encoded, int]:
    """Return what was read without the suppressed rows that show nothing, and how many these are.

    A sensitive value that shows the mark is missing. A row with missing values in place of marks
    shows nothing if that is so of all suppressed rows. Other rows must be there.

    >>> roles = Roles.of(quasi_identifiers=["age"], suppressed="*")
    >>> ages = Column("age", np.array([0, 1, 0], dtype=np.int32), ("*", "[20-29]"), numeric=False)
    >>> others, blank = without_blank_rows(Encoded(3, {"age": ages}), roles)
    >>> others.rows, blank
    (1, 2)
    """
    if (mark := roles.suppressed) is None:
        return read, 0
    marked = np.ones(read.rows, dtype=np.bool_)
    for name in roles.quasi_identifiers:
        marked &= shows_mark(read.columns[name], mark)
    blank, empty = marked.copy(), marked.copy()
    for name in roles.encoded:
        if name not in roles.quasi_identifiers:
            shows = shows_mark(read.columns[name], mark)
            blank &= shows
            empty &= shows | (read.columns[name].codes == read.columns[name].missing)
    # Where others show a value, one that nobody recorded is a value of somebody among them.
    if np.array_equal(empty, marked):
        blank = empty
    if (count := int(np.count_nonzero(blank))) == read.rows:
        raise DataError(f"all {count} rows are suppressed: they show {mark} and nothing else")
    remaining = {}
    for name, column in read.columns.items():
        unmarked = _unmark(column, mark) if name in roles.secrets else column
        remaining[name] = replace(unmarked, codes=unmarked.codes[~blank])
    return replace(read, rows=read.rows - count, columns=remaining), count


def shows_mark(column: Column, mark: str) -> Flags:
    """Say of each row whether it shows the mark."""
    marks = np.array([text(value) == mark for value in column.values], dtype=np.bool_)
    return np.asarray(marks[column.codes])


def _unmark(column: Column, mark: str) -> Column:
    """Return a column of values that are missing where it shows the mark."""
    values = [value for value in column.values if value is not MISSING and text(value) != mark]
    if len(values) == len(column.values):
        return column
    place = {value: position for position, value in enumerate(values)}
    codes = np.array([place.get(value, -1) for value in column.values])[column.codes]
    # The mark made texts of numbers: without it they may be numbers again.
    numbers = all(is_number(text(value)) for value in values)
    return encode(column.name, codes, values, numeric=True if numbers else None)
