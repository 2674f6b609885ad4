"""Whether several secrets together repeat as they do in several rows of one person.

A blood group is nobody's name, and a blood group with an insurer, a drug and a habit is nearly one.
Where nobody said whose rows are whose, rows that agree in several secrets and far more often than
chance in something known are rows of one person, or of people who belong together.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, islice

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.base.columns import group_codes
from kproof.models.judgement.people import exact_columns
from kproof.models.judgement.publication import PublishedColumn, PublishedFile
from kproof.models.judgement.rows.repeats import MOST_ROWS, TIMES, mostly_repeats, pairs_alike
from kproof.models.judgement.secrets.views import columns_not_published

MOST_SETS = 32
"""Sets of secrets that are looked at at most, those of most columns first."""

MOST_CELLS = 1 << 23
"""Rows of all sets that are looked at at most: of a million rows eight sets."""

MOST_TOGETHER = 20
"""Rows of people who belong together at most, on average."""

FEWEST_GROUPS = 20
"""Of rows that agree, from which on it is no accident that others do not."""

MOST_COMPARED = 1 << 17
"""Rows that are compared in known columns at most: of more, those with every n-th combination."""


def find_repeats_together(publication: PublishedFile) -> tuple[str, ...]:
    """Return secrets, and a known column, that repeat as a person's rows do; none if none do.

    Pairs of rows that agree in all of these secrets agree in the known column ten times as often as
    any two rows, at least half of the rows have another that agrees in all of them, and so stand in
    two to a hundred rows. Every set of at least two secrets is looked at, from all of them down, as
    far as :data:`MOST_SETS` and :data:`MOST_CELLS` reach.

    >>> from kproof.models.judgement.publication import ColumnKnowledge
    >>> rows = np.repeat(np.arange(40), 3)
    >>> age = PublishedColumn("age", ColumnKnowledge.KNOWN, rows % 23, tuple(map(str, range(23))))
    >>> secrets = [
    ...     PublishedColumn(name, ColumnKnowledge.SECRET, rows // step % 7, tuple("abcdefg"))
    ...     for name, step in (("blood", 1), ("drug", 7))
    ... ]
    >>> find_repeats_together(PublishedFile((age, *secrets)))
    ('blood', 'drug', 'age')
    """
    secrets = _unknown(publication)
    rows = publication.rows
    if rows < 2:
        return ()
    known_columns = [
        (name, codes, limit, pairs_alike(codes))
        for name, (codes, limit) in codes_in_source(publication).items()
        # What more than a tenth of all pairs share cannot be shared ten times as often.
        if TIMES * 2 * pairs_alike(codes) <= rows * (rows - 1)
    ]
    for columns in _sets(secrets, rows) if known_columns else ():
        compared = _rows_to_compare(columns, rows)
        of_row, count = _group(columns, compared)
        agreeing = pairs_alike(of_row)
        for name, codes, limit, alike in known_columns:
            pairs = [(of_row, count), (codes[compared], limit)]
            person, people = group_codes(pairs, len(compared))
            plausible = 3 * people <= 2 * len(person) <= 2 * MOST_ROWS * people
            # Both shares over their pairs, multiplied out.
            often = pairs_alike(person) * rows * (rows - 1) >= 2 * TIMES * alike * agreeing > 0
            if plausible and often and mostly_repeats(person):
                return (*(column.name for column in columns), name)
    return ()


def codes_in_source(publication: PublishedFile) -> dict[str, tuple[Codes, int]]:
    """Return what is known of everybody, published or not: codes of all rows, and their limit."""
    columns = {column.name: column.key for column in columns_not_published(publication, "")}
    return columns | {name: (codes, limit) for name, codes, limit in exact_columns(publication)}


def find_agreeing_secrets(publication: PublishedFile) -> tuple[str, ...]:
    """Return secrets that agree for no reason but that people belong together; none if none do.

    Three of them at least agree together in two to twenty rows of different people, and two rows
    that agree in all but one agree in that one twice as often as rows that agree in any other one
    alone: a household has its rent, debt and faith in common, of which none tells the others.

    >>> from kproof.models.judgement.publication import ColumnKnowledge
    >>> home, rng = np.repeat(np.arange(60), 3), np.random.default_rng(0)
    >>> secrets = [
    ...     PublishedColumn(
    ...         name, ColumnKnowledge.SECRET, rng.integers(0, 9, 60)[home], tuple("abcdefghi")
    ...     )
    ...     for name in ("rent", "debt", "faith")
    ... ]
    >>> find_agreeing_secrets(PublishedFile(tuple(secrets)))
    ('rent', 'debt', 'faith')
    """
    # Rows of a person agree with one another anyway.
    _, rows = np.unique(publication.persons, return_index=True)
    rows = rows[publication.persons[rows] >= 0]
    counted = _Agreement(rows, publication.rows)
    secrets = _unknown(publication)
    for columns in _sets(secrets, max(publication.rows, 1)):
        if len(columns) > 2 and counted.beyond_chance(columns):
            return tuple(column.name for column in columns)
    return ()


def _unknown(publication: PublishedFile) -> list[PublishedColumn]:
    """Return the secrets that nobody knows, published or not: who belongs together stays so."""
    return [column for column in (*publication.secrets, *publication.withheld) if not column.known]


class _Agreement:
    """How often some of the rows agree in columns."""

    def __init__(self, rows: Codes, of: int) -> None:
        self.rows = rows
        self._flags = np.zeros(of, dtype=np.bool_)
        self._flags[rows] = True
        self._pairs: dict[frozenset[str], int] = {}

    def alike(self, columns: Sequence[PublishedColumn]) -> int:
        """Return how many pairs of rows agree in all columns."""
        if (names := frozenset(column.name for column in columns)) not in self._pairs:
            self._pairs[names] = pairs_alike(_group(columns, self.rows)[0])
        return self._pairs[names]

    def beyond_chance(self, columns: Sequence[PublishedColumn]) -> bool:
        """Say whether rows agree in all columns too often for what each tells of another."""
        compared = _rows_to_compare(columns, len(self._flags))
        of_row, groups = _group(columns, compared[self._flags[compared]])
        plausible = 3 * groups <= 2 * len(of_row) <= 2 * MOST_TOGETHER * groups
        if groups < FEWEST_GROUPS or not plausible or not mostly_repeats(of_row):
            return False
        # What one column tells of another, an illness of its drug, two of them tell hardly better.
        return all(
            # alike(all) / alike(rest) against alike(pair) / alike(partner), multiplied out.
            self.alike(columns) * self.alike([partner])
            >= 2 * self.alike(rest) * self.alike([column, partner])
            for column in columns
            if (rest := [member for member in columns if member is not column])
            for partner in rest
        )


def _group(columns: Iterable[PublishedColumn], rows: Codes) -> tuple[Codes, int]:
    """Return the group of each of some rows, and how many there are: rows alike in all columns."""
    states = [(column.states[rows], len(column.texts) + 1) for column in columns]
    return group_codes(states, len(rows))


def _sets(secrets: list[PublishedColumn], rows: int) -> Iterator[tuple[PublishedColumn, ...]]:
    sets = chain.from_iterable(combinations(secrets, size) for size in range(len(secrets), 1, -1))
    return islice(sets, min(MOST_SETS, MOST_CELLS // rows))


def _rows_to_compare(columns: Sequence[PublishedColumn], rows: int) -> Codes:
    """Return all rows of every n-th combination, by its hash, so that few enough are compared."""
    if rows <= MOST_COMPARED:
        return np.arange(rows)
    # Unsigned, so that products wrap around without a word; the factor is 2^64 over the golden
    # ratio. Rows that agree have one hash, so that no pair of them is torn apart.
    hashed = np.zeros(rows, dtype=np.uint64)
    for column in columns:
        hashed = (hashed ^ (hashed >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
        hashed += column.states.astype(np.uint64)
    hashed = (hashed ^ (hashed >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    # The upper half: to it every bit of a state has been carried.
    return np.flatnonzero((hashed >> np.uint64(32)) % np.uint64(-(-rows // MOST_COMPARED)) == 0)
