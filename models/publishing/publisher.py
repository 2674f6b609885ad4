"""What a publisher has: the table with its roles, what is never published of it, for whom it is.

All of that is the same whatever is tried; a release by any method becomes a publication here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from kproof.datasets import MISSING_CELLS
from kproof.errors import show
from kproof.models.base.arrays import Codes
from kproof.models.base.beside import Part
from kproof.models.base.columns import Column
from kproof.models.judgement.findings import Judgement
from kproof.models.judgement.judge import judge
from kproof.models.judgement.publication import EarlierRelease, HiddenColumn, PublishedFile
from kproof.models.judgement.reading import of_release
from kproof.models.judgement.rows.repeats import persons_among, words_about
from kproof.models.judgement.thresholds import Audience
from kproof.models.tables.readers import AS_FOUND, FileLayout, table_of
from kproof.models.tables.release import Release
from kproof.models.tables.roles import Roles
from kproof.models.tables.table import Table
from kproof.theory.exact.typed import Number, integer


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
        answered: Iterable[str] = (),
    ) -> TablePublisher:
        """Return the publisher of a table, whatever of its source is not in it read again.

        ``source`` is the file or frame that it was read from, with its ``layout``; None if it is at
        nobody's hand. With ``rows_are_people`` no column is taken for the one that says whom rows
        are about. The others are as the fields.
        """
        answered = [*answered]
        source = table.source if source is None else source
        names = never_published(table)
        columns: tuple[Column, ...] = ()
        if source is not None:
            columns = columns_of_source(source, names, layout)
        elif names:
            answered.append(f"no published cell repeats a word of {', '.join(map(show, names))}")
        public = (*table.quasi_identifiers, *table.other)
        if table.person is None and not rows_are_people:
            person = persons_among(columns, table.identifiers, public)
            if person is not None:
                # From here on k counts people, whatever is tried: rows of one person hide nobody.
                table = replace(table, person=person)
                word, questions = words_about(person, public)
                answered.append(word)
                unconfirmed = (*unconfirmed, *questions)
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

        ``asking`` says whether what somebody has to confirm stands against it; not while settings
        are tried. The others are as for :func:`kproof.models.judgement.reading.of_release`.
        """
        shown_columns = {column.name for column in release.published()}
        public = (*self.table.quasi_identifiers, *self.table.other)
        return of_release(
            release,
            order=order,
            permuted=permuted,
            from_known_alone=from_known_alone,
            exact=self.exact,
            earlier=self.earlier,
            person_column=self.table.person,
            hidden=self.hidden,
            left_out=[column for column in public if column.name not in shown_columns],
            withheld=[column for column in self.table.secrets if column.name not in shown_columns],
            rows_are_people=self.rows_are_people,
            answered=self.answered,
            unconfirmed=self.unconfirmed if asking else (),
        )

    def shuffle(
        self, release: Release, seed: Number | None = None, *, asking: bool = True
    ) -> tuple[Codes, PublishedFile]:
        """Return an order of rows, and a release of classes from known columns alone in it."""
        order = order_of(release.rows, seed)
        return order, self.publication(
            release, order=order, permuted=seed is None, from_known_alone=True, asking=asking
        )

    def judge(self, publication: PublishedFile) -> Judgement:
        """Judge a publication for the audience."""
        return judge(publication, audience=self.audience)


def never_published(table: Table) -> tuple[str, ...]:
    """Return the columns of a source that no release shows."""
    roleless = [column.name for column in table.beside if column.part is Part.NONE]
    return (*table.identifiers, *table.dropped, *roleless)


def columns_of_source(
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


def order_of(rows: int, seed: Number | None = None) -> Codes:
    """Return an order of rows, from the system's randomness unless there is a seed.

    >>> order_of(4, 1).tolist()
    [0, 1, 2, 3]
    """
    if seed is not None:
        rng = np.random.default_rng(integer("seed", seed, least=0))
        return rng.permutation(rows).astype(np.int64)
    # Ranks of 64 random bits each: every order is as likely, but for a chance of rows squared in
    # 2^65 that two are equal. A generator with a state could be followed from the order itself.
    keys = np.frombuffer(os.urandom(8 * rows), dtype=np.uint64)
    return np.argsort(keys).astype(np.int64)
