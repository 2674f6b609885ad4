"""What a publisher has: the table with its roles, what is never published of it, for whom it is.

All of that is the same whatever is tried; a release by any method becomes a publication here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from kproof.datasets import MISSING_CELLS
from kproof.errors import said, shown
from kproof.models.base.arrays import Codes
from kproof.models.base.beside import Part
from kproof.models.base.columns import Column
from kproof.models.judgement.judge import judge
from kproof.models.judgement.judgement import Judgement
from kproof.models.judgement.publication import EarlierRelease, HiddenColumn, PublishedFile
from kproof.models.judgement.reading import of_release
from kproof.models.judgement.repeats import MOST_ROWS, tells
from kproof.models.judgement.thresholds import Audience
from kproof.models.tables.readers import AS_FOUND, FileLayout, table_of
from kproof.models.tables.release import Release
from kproof.models.tables.roles import Roles
from kproof.models.tables.table import Table


@dataclass(frozen=True, kw_only=True, eq=False)
class TablePublisher:
    """A table that somebody wants to publish, and what only they know of it."""

    table: Table
    """With its roles; the column that says whom rows are about is among them."""
    audience: Audience = Audience.PUBLIC
    """Whom the release is for."""
    hidden: tuple[HiddenColumn, ...] = field(default=(), repr=False)
    """Columns of the source that are never published."""
    earlier: tuple[EarlierRelease, ...] = ()
    """What was published of the same people before."""
    exact: frozenset[str] = frozenset()
    """Secret columns whose cells somebody decided to publish as they stand."""
    rows_are_people: bool = False
    """Whether somebody said that every row is about another person."""
    unconfirmed: tuple[str, ...] = ()
    """What somebody has to confirm first, a sentence each."""
    answered: tuple[str, ...] = ()
    """What is taken on somebody's word, a sentence each."""

    @classmethod
    def of(
        cls,
        table: Table,
        source: object = None,
        *,
        layout: FileLayout = AS_FOUND,
        rows_are_people: bool = False,
        audience: Audience = Audience.PUBLIC,
        earlier: Iterable[EarlierRelease] = (),
        exact: Iterable[str] = (),
        unconfirmed: Iterable[str] = (),
    ) -> TablePublisher:
        """Return the publisher of a table, whatever of its source is not in it read again.

        Parameters
        ----------
        table
            What is to be published.
        source, layout
            The file or frame that it was read from, and how; None if it is at nobody's hand.
        rows_are_people
            Whether somebody said that every row is about another person: no column is then taken
            for the one that says whom rows are about.
        audience, earlier, exact, unconfirmed
            As the fields.
        """
        answered = []
        source = table.source if source is None else source
        names = never_published(table)
        columns: tuple[Column, ...] = ()
        if source is not None:
            columns = hidden_columns(source, names, layout)
        elif names:
            answered.append(f"no published cell repeats a word of {', '.join(map(shown, names))}")
        person = None if rows_are_people else persons_among(columns, table)
        if table.person is None and person is not None:
            table = replace(table, person=person)
            answered.append(
                f"{shown(person.name)} says whom rows are about: {len(person.values):,} people; if "
                f"every row is a person's own, say {said('rows_are_people')}"
            )
            if not _keeps_something(person, table):
                # People of one name, or rows of one person? Either answer may be the worse one.
                unconfirmed = (
                    *unconfirmed,
                    f"{shown(person.name)} repeats, and nothing known is the same in its rows: "
                    f"name the column that says whom rows are about ({said('person')}), or say "
                    f"that every row is a person's own ({said('rows_are_people')})",
                )
        return cls(
            table=table,
            audience=audience,
            hidden=tuple(map(HiddenColumn.of, columns)),
            earlier=tuple(earlier),
            exact=frozenset(exact),
            rows_are_people=rows_are_people,
            unconfirmed=tuple(unconfirmed),
            answered=tuple(answered),
        )

    def publication(
        self,
        release: Release,
        *,
        order: Codes | None = None,
        permuted: bool = False,
        from_known_alone: bool | None = None,
        asking: bool = True,
    ) -> PublishedFile:
        """Return what leaves if a release of the table is published.

        Parameters
        ----------
        release, order, permuted, from_known_alone
            As for :func:`kproof.models.judgement.reading.of_release`.
        asking
            Whether what somebody has to confirm stands against it; not while settings are tried.
        """
        shown_columns = {column.name for column in release.published()}
        known = (*self.table.quasi_identifiers, *self.table.other)
        return of_release(
            release,
            order=order,
            permuted=permuted,
            from_known_alone=from_known_alone,
            exact=self.exact,
            earlier=self.earlier,
            person_column=self.table.person,
            hidden=self.hidden,
            left_out=[column for column in known if column.name not in shown_columns],
            rows_are_people=self.rows_are_people,
            answered=self.answered,
            unconfirmed=self.unconfirmed if asking else (),
        )

    def judge(self, publication: PublishedFile) -> Judgement:
        """Judge a publication for the audience."""
        return judge(publication, audience=self.audience)


def never_published(table: Table) -> tuple[str, ...]:
    """Return the columns of a source that no release shows."""
    roleless = [column.name for column in table.beside if column.part is Part.NONE]
    return (*table.identifiers, *table.dropped, *roleless)


def hidden_columns(
    source: object, names: tuple[str, ...], layout: FileLayout
) -> tuple[Column, ...]:
    """Return columns of a source as texts."""
    if not names:
        return ()
    roles = Roles.of(
        quasi_identifiers=None,
        other=names,
        # Numbers that nobody publishes need no sign for decimals: they are read as they stand.
        numeric=dict.fromkeys(names, False),
        missing=MISSING_CELLS,
    )
    return table_of(source, roles, layout).other


def persons_among(columns: Iterable[Column], table: Table) -> Column | None:
    """Return the column that seems to say whom rows are about; None if none does.

    An identifier of which a tenth of the rows repeat a value does, unless values stand in more than
    a hundred rows, as those of an officer or a ward; so does another column that is not published,
    if its values stand in two to twenty rows and some known column is the same in all rows of
    nearly each. Of several the one with the fewest people is the worst case.

    Examples
    --------
    >>> import numpy as np
    >>> who = Column("account", np.array([0, 0, 1, 1], dtype=np.int32), ("A", "B"), False)
    >>> sex = Column("sex", np.array([0, 0, 1, 1], dtype=np.int32), ("f", "m"), False)
    >>> day = Column("day", np.array([0, 1, 0, 1], dtype=np.int32), (1, 2), True)
    >>> persons_among([who], Table(4, (sex, day))).name, persons_among([who], Table(4, (day,)))
    ('account', None)
    """
    candidates = [column for column in columns if _repeats(column, table)]
    return min(candidates, key=lambda column: len(column.values), default=None)


def _repeats(column: Column, table: Table) -> bool:
    people = len(column.values)
    if column.missing is not None or people < 2:
        return False
    if column.name in table.identifiers:
        return 10 * people <= 9 * table.rows <= 9 * MOST_ROWS * people
    return _keeps_something(column, table) and 2 * people <= table.rows <= 20 * people


def _keeps_something(person: Column, table: Table) -> bool:
    """Say whether some known column is the same in all rows of nearly each person."""
    return any(
        len(own.values) > 1 and tells(person, own, table.rows)
        for own in (*table.quasi_identifiers, *table.other)
    )
