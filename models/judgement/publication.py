"""What is judged: the cells that leave, in their order, and what its publisher knows of them.

A publication is the file, not a table with roles. Every column of it may be known to an adversary,
confidential, or both; there is no third part. Beside the cells stands what only the publisher has:
whom each row is about, the row of the source that it was, columns that stay, how it was made, and
what was published of the same people before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from kproof.models.base.arrays import Codes, Floats
from kproof.models.base.columns import Column, group_codes
from kproof.models.base.missing import MISSING, text
from kproof.models.tables.proposals.proposal import role_of
from kproof.models.tables.proposals.roles_file import Role
from kproof.models.tables.release import Release
from kproof.models.tables.table import Table

_FARTHEST = Fraction(10**150)
"""From 0; of larger numbers nobody asks which is the nearer one."""


class ColumnKnowledge(StrEnum):
    """What an adversary knows of a published column before the release."""

    KNOWN = "known"
    """The value of everybody, exactly: from a register, a newspaper, an acquaintance."""
    SECRET = "secret"
    """Nothing: it is what she wants to learn."""
    BOTH = "known and secret"
    """Nobody can say: judged as known where it singles out, as secret where it is inferred."""


@dataclass(frozen=True, eq=False)
class PublishedColumn:
    """One column of the file.

    >>> sex = PublishedColumn("sex", ColumnKnowledge.KNOWN, np.array([0, 1, 0]), ("f", "m"))
    >>> sex.known, sex.secret, sex.rows
    (True, False, 3)
    """

    name: str
    """As the header has it."""
    knowledge: ColumnKnowledge
    """What the adversary knows of it."""
    codes: Codes = field(repr=False)
    """Shape (rows,): index into ``texts``, -1 for a cell in which nothing was recorded."""
    texts: tuple[str, ...] = field(repr=False)
    """The distinct cells as they are written."""
    numbers: tuple[Fraction, ...] | None = field(default=None, repr=False)
    """The measured number that each text is; None for codes and words. Of generalized labels: the
    number that each distinct atom is, in the order in which atoms first occur."""
    atoms: tuple[tuple[str, ...], ...] | None = field(default=None, repr=False)
    """The values of the source that each text covers, for generalized labels; None if each text
    covers itself alone. A text that covers none shows no value."""
    every: bool = False
    """Whether a text shows all of its atoms, as a set does, and not one of them."""
    reading: str = ""
    """What of the cells it is, to stand before the name; empty for the cells themselves."""

    @property
    def known(self) -> bool:
        """Whether the adversary is taken to know it."""
        return self.knowledge is not ColumnKnowledge.SECRET

    @property
    def secret(self) -> bool:
        """Whether it is what she wants to learn."""
        return self.knowledge is not ColumnKnowledge.KNOWN

    @property
    def rows(self) -> int:
        """Published rows."""
        return len(self.codes)

    @property
    def states(self) -> Codes:
        """Shape (rows,): the codes with one more for *nothing recorded*, none negative."""
        return np.where(self.codes < 0, len(self.texts), self.codes).astype(np.int64)

    @property
    def key(self) -> tuple[Codes, int]:
        """The states and what they are below, by which :func:`group_codes` groups rows."""
        return self.states, len(self.texts) + 1

    @cached_property
    def floats(self) -> Floats:
        """Shape (numbers + 1,): the numbers as floats, and NaN, which the code -1 picks.

        What is farther from 0 than 1e150 is taken for that, so that squares are floats, too.
        """
        numbers = self.numbers or ()
        try:
            floats = [*map(float, numbers)]
        except OverflowError:
            # One such number is rare, and asking all of them beforehand would take long.
            floats = [float(max(-_FARTHEST, min(number, _FARTHEST))) for number in numbers]
        return np.clip([*floats, np.nan], float(-_FARTHEST), float(_FARTHEST))

    @property
    def cells(self) -> np.ndarray[Any, np.dtype[np.object_]]:
        """Shape (rows,): the text of each row, None where nothing was recorded."""
        # The code -1 of an empty cell picks the last entry, which is None.
        return np.array([*self.texts, None], dtype=object)[self.codes]


@dataclass(frozen=True, eq=False)
class HiddenColumn:
    """A column of the source that is not published, such as names."""

    name: str
    """As in the source."""
    codes: Codes = field(repr=False)
    """Shape (rows of the source,): index into ``texts``, -1 for an empty cell."""
    texts: tuple[str, ...] = field(repr=False)
    """Its distinct cells."""

    @cached_property
    def known(self) -> bool:
        """Whether it looks like what an adversary may know of everybody, whatever its role is."""
        return role_of(self.name, self.codes, self.texts) in (Role.QUASI_IDENTIFIER, Role.BOTH)

    @classmethod
    def of(cls, column: Column) -> HiddenColumn:
        """Return a column of a table."""
        texts = tuple(text(value) for value in column.values if value is not MISSING)
        # MISSING is the last value, so that the codes of all others are places among the texts.
        codes = column.codes.astype(np.int64)
        return cls(column.name, np.where(codes < len(texts), codes, -1), texts)


@dataclass(frozen=True, eq=False)
class EarlierRelease:
    """What was published of some of the same people before."""

    name: str
    """Of its file."""
    columns: tuple[PublishedColumn, ...]
    """All of it."""
    person: Codes | None = field(default=None, repr=False)
    """Shape (rows,): whom each row is about, numbered as in the publication that is judged; -1 for
    somebody who is not in that; None if nobody knows, so that people are followed by labels."""
    digest: str = ""
    """SHA-256 of the file, if a receipt says it."""
    counts: bool = False
    """Whether it counts people by value, one column at a time: its columns are of no rows."""


@dataclass(frozen=True, eq=False)
class Making:
    """How the publication was made, all of which the adversary knows but for random draws."""

    method: str
    """Name of a registered method, or ``as-is``."""
    parameters: Mapping[str, object] = field(default_factory=dict)
    """What it was asked for."""
    permuted: bool = False
    """Whether rows were put into an order drawn from the system's randomness."""
    from_known_alone: bool = False
    """Whether which rows share a class was decided without a look at any secret column."""
    release: Release | None = field(default=None, repr=False)
    """The account of the method, from which classes can be formed again without secrets."""


@dataclass(frozen=True, eq=False)
class PublishedFile:
    """The cells that are to leave, and what the publisher knows of them.

    Build one from a release with :func:`kproof.models.judgement.reading.of_release`, from a file
    with :func:`kproof.models.judgement.reading.of_file`.
    """

    columns: tuple[PublishedColumn, ...]
    """Every column of the file, in its order."""
    person: Codes | None = field(default=None, repr=False)
    """Shape (rows,): whom each row is about, from 0; -1 for a row that is nobody's (noise). None
    if every row is taken for a person of its own, which the signer answers for."""
    source_row: Codes | None = field(default=None, repr=False)
    """Shape (rows,): row of the source that each row was, -1 for noise; None without the source."""
    hidden: tuple[HiddenColumn, ...] = ()
    """Columns of the source that are not published."""
    left_out: tuple[PublishedColumn, ...] = ()
    """Known columns of the source that are not published, row by row of what is."""
    withheld: tuple[PublishedColumn, ...] = ()
    """Secret columns of the source that are not published, row by row of what is."""
    table: Table | None = field(default=None, repr=False)
    """The source with its roles; None without it."""
    making: Making | None = None
    """How it was made; None if nobody knows, so that nobody can say what the method gives away."""
    earlier: tuple[EarlierRelease, ...] = ()
    """What was published of the same people before, as far as anybody says."""
    exact: frozenset[str] = frozenset()
    """Secret columns whose cells somebody decided to publish as they stand."""
    rows_are_people: bool = False
    """Whether somebody said that every row is about another person, whatever repeats."""
    unconfirmed: tuple[str, ...] = ()
    """What somebody has to confirm before anything may be decided, a sentence each."""
    answered: tuple[str, ...] = ()
    """What is taken on the signer's word, a sentence each."""

    @property
    def rows(self) -> int:
        """Published rows."""
        return self.columns[0].rows if self.columns else 0

    @cached_property
    def persons(self) -> Codes:
        """Shape (rows,): whom each row is about; rows themselves where nobody said."""
        return np.arange(self.rows, dtype=np.int64) if self.person is None else self.person

    @cached_property
    def people(self) -> int:
        """How many people the rows are about."""
        # Numbers have gaps where people of the source were left out: the largest is no count.
        real = self.persons[self.persons >= 0]
        return group_codes([(real, int(real.max(initial=0)) + 1)], len(real))[1]

    @property
    def unit(self) -> str:
        """What is counted, in the plural: people, or rows where every row is taken for one."""
        return "rows" if self.person is None else "people"

    @property
    def known(self) -> tuple[PublishedColumn, ...]:
        """Columns that the adversary is taken to know."""
        return tuple(column for column in self.columns if column.known)

    @property
    def secrets(self) -> tuple[PublishedColumn, ...]:
        """Columns that she wants to learn."""
        return tuple(column for column in self.columns if column.secret)

    @cached_property
    def classes(self) -> tuple[Codes, int]:
        """Class of each row, and how many there are: rows with equal cells in known columns."""
        return self.classes_without("")

    def classes_without(self, name: str) -> tuple[Codes, int]:
        """Return the classes of an adversary who lacks a column: to infer it, she must."""
        columns = [column for column in self.known if column.name != name]
        return group_codes([column.key for column in columns], self.rows)
