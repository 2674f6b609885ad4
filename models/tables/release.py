"""Releases: what an anonymizer publishes, kept apart from the account of what it did.

A release holds the original table and the account: the group that the method left every row in,
swaps, noise rows, suppressed rows. Its classes are what a reader can tell apart: groups with equal
labels are one class, and every figure is one of classes. What leaves the house,
:meth:`Release.to_frame` and :meth:`Release.to_csv`, is written from labels and sensitive values
alone: no identifiers, no row numbers, no groups, and noise rows that look like any other.
"""

import html
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from kproof.arguments import PATH, check_arguments
from kproof.errors import InvalidArgument, one_of, printable, show
from kproof.forms import JsonForm, group
from kproof.models.base.arrays import Codes, Flags, Span, read_only
from kproof.models.base.beside import Beside
from kproof.models.base.classes import SUPPRESSED_ROWS, Classes, part_of
from kproof.models.base.columns import Column
from kproof.models.base.exposure import Exposure, describe_beside
from kproof.models.base.verdict import SCHEMA
from kproof.models.tables.frames import as_it_is, exposure_of, frame_of_columns
from kproof.models.tables.labels import require_short_labels
from kproof.models.tables.levels.base import ladder_of
from kproof.models.tables.recoding import MARK, Recoded, merge_equal_labels, recode
from kproof.models.tables.table import Table
from kproof.models.tables.writers import write_csv
from kproof.pictures import Drawing


@dataclass(frozen=True, eq=False)
class Release:
    """The outcome of an anonymizer."""

    table: Table
    """The original table."""
    group_of: Codes = field(repr=False)
    """Shape (rows,): group that the method left each original row in, -1 if it is left out of the
    file. An account, not published: see :attr:`class_of`."""
    groups: int = field(repr=False)
    """Number of groups; as many as classes, or more."""
    method: str
    """Name of the anonymizer."""
    parameters: Mapping[str, object]
    """What it was asked for."""
    noise_group: Codes = field(repr=False)
    noise_value: Codes = field(repr=False)
    """Shape (noise rows,): group and sensitive code of each row that is nobody's."""
    swaps: Codes = field(repr=False)
    """Shape (swaps, 2): pairs of rows that changed places, in order."""
    formed_as: Codes | None = field(default=None, repr=False)
    """``group_of`` before the swaps; None if there were none to account for."""
    levels: Mapping[str, int] | None = None
    """Level of its taxonomy at which each quasi-identifier named shows all rows; None if labels
    follow the rows of each class."""
    hidden_group: int | None = field(default=None, repr=False)
    """The group of suppressed rows that are published with :data:`MARK` in every
    quasi-identifier; None if there are none."""
    budget: Fraction | None = None
    """Largest share of rows that might be suppressed; None if nobody said."""

    def __repr__(self) -> str:
        """Say how it was made and what came out, in a line that fits a terminal."""
        rows = f"{self.rows} of {self.table.rows} rows"
        return f"Release({self.method}: {rows} in {self.count} classes)"

    @property
    def rows(self) -> int:
        """Published rows, noise and marked ones included."""
        dropped = np.count_nonzero(self.group_of < 0)
        return self.table.rows - int(dropped) + len(self.noise_group)

    @cached_property
    def suppressed(self) -> Codes:
        """The original rows of whose quasi-identifiers nothing is published."""
        out = self.group_of < 0
        if self.hidden_group is not None:
            out = out | (self.group_of == self.hidden_group)
        return np.flatnonzero(out).astype(np.int64)

    @property
    def marked(self) -> bool:
        """Whether suppressed rows are published with :data:`MARK` in every quasi-identifier."""
        return self.hidden_group is not None

    @property
    def hidden_class(self) -> int | None:
        """The class of the marked rows; None if there are none."""
        return None if self.hidden_group is None else int(self.class_of_group[self.hidden_group])

    @property
    def people(self) -> int | None:
        """How many people the published rows are about; None without a person column."""
        person = self.table.person
        return None if person is None else len(np.unique(person.codes[self.group_of >= 0]))

    @property
    def class_of_group(self) -> Codes:
        """Shape (groups,): class of each group, classes numbered by their first group."""
        return self._classes_by_label[0]

    @property
    def count(self) -> int:
        """Number of classes that a reader can tell apart."""
        return len(self._classes_by_label[1])

    @cached_property
    def class_of(self) -> Codes:
        """Shape (rows,): class of each original row by its labels, -1 if it is not in the file."""
        # No two groups look alike, so that classes are groups: nothing is
        # renumbered or labelled twice.
        if self.count == self.groups:
            return self.group_of
        # Group -1 reads the last place.
        return read_only(np.append(self.class_of_group, -1)[self.group_of])

    @cached_property
    def noise_class(self) -> Codes:
        """Shape (noise rows,): class of each row that is nobody's."""
        return read_only(self.class_of_group[self.noise_group])

    @cached_property
    def recoded(self) -> tuple[Recoded, ...]:
        """What each class publishes, by quasi-identifier."""
        if self.count == self.groups:
            return self._labels_of_groups
        return self._recode(self.class_of, self.count, self.hidden_class)

    @cached_property
    def _labels_of_groups(self) -> tuple[Recoded, ...]:
        return self._recode(self.group_of, self.groups, self.hidden_group)

    def _recode(self, of_row: Codes, count: int, hidden: int | None) -> tuple[Recoded, ...]:
        levels = self.levels or {}
        return tuple(
            recode(column, of_row, count, level=levels.get(column.name), hidden=hidden)
            for column in self.table.quasi_identifiers
        )

    @cached_property
    def _classes_by_label(self) -> tuple[Codes, Codes]:
        """Return the class of each group, and the first group of each class."""
        return merge_equal_labels(self._labels_of_groups, self.groups)

    def label(self, index: int) -> str:
        """Return what a class publishes, on one line."""
        if index == self.hidden_class:
            return SUPPRESSED_ROWS
        shown = (f"{coded.column.name}={coded.label(index)}" for coded in self.recoded)
        return printable(", ".join(shown))

    def classes(self, which: Literal["published", "formed"] = "published") -> Classes:
        """Return the published rows as checkers and attacks see them.

        Original rows come first, in their order, then the noise rows.

        Args:
            which: ``"published"``: the classes as a reader of the release can tell them apart, rows
                with equal labels being one. ``"formed"``: the groups as the method left them, which
                no reader sees; whatever is said of one names it ``group 3 as formed``.
        """
        if which not in ("published", "formed"):
            raise InvalidArgument("classes", which, "published or formed")
        published = self.group_of >= 0
        if which == "published":
            of_row = np.concatenate([self.class_of[published], self.noise_class])
            count, label = self.count, self.label
        else:
            of_row = np.concatenate([self.group_of[published], self.noise_group])
            count, label = self.groups, self._label_of_group
        sensitive = self.table.sensitive
        classes = Classes(
            of_row,
            count,
            label=label,
            beside=self.beside,
            person=self._persons(published),
            exposure=self.exposure,
        )
        if sensitive is None:
            return self._without_marked(classes, which)
        if len(self.noise_group):
            real = np.arange(len(of_row)) < np.count_nonzero(published)
            classes = replace(classes, real=real)
        codes = np.concatenate([sensitive.codes[published].astype(np.int64), self.noise_value])
        further = tuple(_rows_of(column, published) for column in self.table.further)
        judged = self.table.secret_columns | {"further": further}
        return replace(classes, sensitive=codes, **judged)

    def _persons(self, published: Flags) -> Codes | None:
        """Return whom the published rows are about; noise is about nobody."""
        if (person := self.table.person) is None:
            return None
        nobody = np.full(len(self.noise_group), -1, dtype=np.int64)
        return np.concatenate([person.codes[published].astype(np.int64), nobody])

    def _without_marked(self, classes: Classes, which: str) -> Classes:
        """Leave out marked rows that show nothing else, which nobody can learn anything from."""
        hidden = self.hidden_class if which == "published" else self.hidden_group
        # Columns published as they are show something of a marked row, which is judged then.
        if hidden is None or self.table.other:
            return classes
        rows = int(classes.sizes[hidden])
        return replace(part_of(classes, np.arange(classes.count) != hidden), suppressed=rows)

    @property
    def beside(self) -> tuple[Beside, ...]:
        """The columns published as they are, which classes leave out of account."""
        return tuple(map(as_it_is, self.table.other))

    @cached_property
    def exposure(self) -> Exposure | None:
        """What the columns published as they are single out among the published rows."""
        published = self.group_of >= 0
        as_is = [_rows_of(column, published) for column in self.table.other]
        # A table with such columns has no noise rows.
        return exposure_of(self.class_of[published], as_is)

    @property
    def not_published(self) -> tuple[str, ...]:
        """The columns of the source that are left out: identifiers, dropped, without a role."""
        table = self.table
        person = () if table.person is None else (table.person.name,)
        beside = (column.name for column in table.beside)
        return (*table.identifiers, *person, *table.dropped, *beside)

    def _label_of_group(self, index: int) -> str:
        return f"{self.label(int(self.class_of_group[index]))}, group {index + 1} as formed"

    def covering(self, values: Mapping[str, object]) -> Codes:
        """Return the classes whose labels cover what is known of a person.

        Swapped records widen ranges, so that a person may fit classes they are not in.

        Args:
            values: Value by quasi-identifier; :data:`~kproof.models.base.missing.MISSING` for one
                that is known to be missing. Columns that are left out are not known.
        """
        recoded = {coded.column.name: coded for coded in self.recoded}
        fits: Flags = np.ones(self.count, dtype=np.bool_)
        for name, value in values.items():
            if name not in recoded:
                raise InvalidArgument("values", name, one_of(name, recoded))
            fits = fits & recoded[name].covers(value)
        return np.flatnonzero(fits).astype(np.int64)

    @property
    def swapped(self) -> int:
        """Original rows that ended in another group than the one they were formed in."""
        if self.formed_as is None:
            return 0
        return int(np.count_nonzero(self.formed_as != self.group_of))

    def to_frame(self, *, class_column: str | None = None) -> object:
        """Return the published rows as a frame of the kind the table came from.

        Rows are ordered by class, then by sensitive value, then as in the source, so that a row's
        place tells neither groups nor noise apart. Quasi-identifiers are text. A table that came
        from a file gives a pandas frame.

        Args:
            class_column: Name of a further column that numbers the classes, from 1: rows with equal
                labels have one number. None publishes no such column.
        """
        return frame_of_columns(self.published(class_column=class_column), self.table.source)

    @check_arguments(path=PATH)
    def to_csv(self, path: str | Path, *, class_column: str | None = None) -> int:
        """Write the published rows as CSV, whole or not at all.

        A text that a spreadsheet would run as a formula (it opens with ``=``, ``+``, ``-`` or
        ``@``) is written with an apostrophe before it.

        Returns:
            How many cells were written so, the header's included.
        """
        return write_csv(path, self.published(class_column=class_column))

    def published(self, *, class_column: str | None = None) -> tuple[Column, ...]:
        """Return the published columns, row by row in the published order.

        Raises:
            DataError: If a label would show more than it may (:mod:`kproof.models.tables.labels`).
        """
        # At the gate and not in the method: whatever made the release, nothing is written past it.
        require_short_labels(self.table, self.recoded)
        table, rows = self.table, np.flatnonzero(self.group_of >= 0)
        order = self._order
        of_row = np.concatenate([self.class_of[rows], self.noise_class])[order]
        columns = []
        if class_column is not None:
            sources = (*table.quasi_identifiers, *table.secrets, *table.other)
            if class_column in [column.name for column in sources]:
                raise InvalidArgument("class_column", class_column, "a name no column has")
            names = tuple(range(1, self.count + 1))
            columns.append(Column(class_column, of_row.astype(np.int32), names, numeric=True))
        labels = [(coded.column, *coded.labels) for coded in self.recoded]
        columns += [
            Column(column.name, of_class[of_row].astype(np.int32), texts, numeric=column.numeric)
            for column, of_class, texts in labels
        ]
        values = [(column, column.codes[rows]) for column in (*table.further, *table.other)]
        if table.sensitive is not None:
            # First of the values; it alone has a value in noise rows.
            values.insert(0, (table.sensitive, self._sensitive_codes.astype(np.int32)))
        columns += [
            Column(column.name, codes[order], column.values, numeric=column.numeric)
            for column, codes in values
        ]
        return tuple(columns)

    @cached_property
    def source_rows(self) -> Codes:
        """Shape (rows,): original row that each row of :meth:`published` was, -1 for noise."""
        nobody = np.full(len(self.noise_group), -1, dtype=np.int64)
        return read_only(np.concatenate([np.flatnonzero(self.group_of >= 0), nobody])[self._order])

    @cached_property
    def _sensitive_codes(self) -> Codes:
        """Shape (rows,): sensitive code of original rows that are published, then of noise."""
        if (sensitive := self.table.sensitive) is None:
            return np.zeros(self.rows, dtype=np.int64)
        codes = sensitive.codes[self.group_of >= 0].astype(np.int64)
        return np.concatenate([codes, self.noise_value])

    @cached_property
    def _order(self) -> Codes:
        """Shape (rows,): place of each published row among original rows, then noise."""
        table, published = self.table, self.group_of >= 0
        of_row = np.concatenate([self.class_of[published], self.noise_class])
        codes = self._sensitive_codes
        if table.further or table.person is not None:
            # Rows of one person stand together in many a source: nothing but what is published
            # may settle their places.
            beside = [column.codes[published] for column in (*table.further, *table.other)]
            return np.lexsort(np.stack([*reversed(beside), codes, of_row])).astype(np.int64)
        # One stable sort by a combined key; classes x values stays far below 2^63.
        size = 1 if table.sensitive is None else len(table.sensitive.values)
        return np.argsort(of_row * size + codes, kind="stable").astype(np.int64)

    def plot(self, column: str | None = None) -> Drawing:
        """Draw a column before and after, by default the first quasi-identifier there is."""
        from kproof.models.tables.plots import before_after_svg

        names = [shown.name for shown in (*self.table.quasi_identifiers, *self.table.secrets)]
        return Drawing(before_after_svg(self, column or next(iter(names), "")))

    def summary(self) -> str:
        """Return what was published and what it took, in a few lines."""
        return "\n".join(f"{name}: {value}" for name, value in self._account().items())

    @property
    def _plain_parameters(self) -> Mapping[str, object]:
        """What it was asked for."""
        return {name: plain_parameter(value) for name, value in self.parameters.items()}

    @property
    def _share(self) -> Fraction:
        """Share of the table that was left out."""
        return Fraction(len(self.suppressed), self.table.rows)

    @property
    def _mark(self) -> str | None:
        """What stands for quasi-identifiers of rows left out; None where they are dropped."""
        return MARK if self.marked else None

    @property
    def _sizes(self) -> Span:
        return Span.of(self.classes().sizes) or Span(0, 0)

    to_dict = JsonForm(
        "method parameters=_plain_parameters",
        group(
            "rows",
            "Rows, and what was done to them.",
            "original=table.rows published=rows noise=len(noise_group) suppressed=len(suppressed)",
            "swaps=len(swaps) moved=swapped",
        ),
        "people",
        group(
            "suppression",
            "What was left out.",
            "rows=len(suppressed) share=_share budget mark=_mark",
        ),
        group(
            "classes",
            "Classes of the release.",
            "count smallest=_sizes.least largest=_sizes.most groups_formed=groups",
        ),
        "quasi_identifiers=table.quasi_identifiers.name levels sensitive=table.sensitive.name",
        "further_sensitive=table.further.name ladders=_ladders left_out=beside exposure",
        "not_published",
        schema=SCHEMA,
    )
    """The account in numbers, no records."""

    def _account(self) -> dict[str, str]:
        settings = ", ".join(
            f"{name}={_parameter_text(value)}" for name, value in self.parameters.items()
        )
        sizes = self.classes().sizes
        spread = f"{sizes.min()} to {sizes.max()} rows" if self.count else "none"
        alike = self.groups - self.count
        joined = f", {self.groups} groups as formed" if alike else ""
        people = {}
        if self.table.person is not None and self.count:
            sizes = self.classes().real_sizes
            several = f"{self.people}, {sizes.min()} to {sizes.max()} in a class"
            people = {"people": several}
        return {
            "method": f"{self.method}({settings})",
            "published": (
                f"{self.rows} of {self.table.rows} rows in {self.count} classes{joined}, {spread}"
            ),
            **people,
            "noise rows": str(len(self.noise_group)),
            "suppressed rows": self._account_of_rows(),
            "swaps": f"{len(self.swaps)}, which moved {self.swapped} rows",
        } | self._remarks()

    def _remarks(self) -> dict[str, str]:
        """Return what stands beside the classes in the release, and what does not."""
        remarks = {}
        levels = [f"{show(name)}={level}" for name, level in (self.levels or {}).items()]
        levels += [f"{show(name)} by {ladder}" for name, ladder in self._ladders.items()]
        if levels:
            remarks["levels"] = ", ".join(levels)
        if self.beside:
            remarks["not considered"] = ", ".join(map(str, self.beside))
        name, _, exposure = describe_beside(self.exposure, self.beside).partition(": ")
        if exposure:
            remarks[name] = exposure
        if self.not_published:
            remarks["not published"] = ", ".join(map(show, self.not_published))
        return remarks

    @property
    def _ladders(self) -> dict[str, str]:
        """The ladder of each column that has one, and how it read what was written."""
        columns = self.table.quasi_identifiers
        ladders = {column.name: ladder_of(column.taxonomy) for column in columns}
        return {name: ladder for name, ladder in ladders.items() if ladder}

    def _account_of_rows(self) -> str:
        count = len(self.suppressed)
        account = str(count)
        if self.budget is not None:
            account += f" of at most {int(self.budget * self.table.rows)}"
        if count:
            account += f", {MARK} in every quasi-identifier" if self.marked else ", not in the file"
        if self.marked and any(
            column.most_level is not None for column in self.table.quasi_identifiers
        ):
            account += ", whatever its highest level"
        return account

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
            f"<td style='text-align:left'>{html.escape(value)}</td></tr>"
            for name, value in self._account().items()
        )
        return f"<table>{rows}</table>"


def _rows_of(column: Column, rows: Flags) -> Column:
    return replace(column, codes=column.codes[rows])


def _parameter_text(value: object) -> str:
    """Return a parameter as the account shows it; values by column in braces."""
    if not isinstance(value, Mapping):
        return str(value)
    return "{" + ", ".join(f"{name}: {entry}" for name, entry in value.items()) + "}"


def plain_parameter(value: object) -> object:
    """Return a parameter as JSON has it; what JSON does not know as text."""
    if isinstance(value, Mapping):
        return {str(name): plain_parameter(entry) for name, entry in value.items()}
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)
