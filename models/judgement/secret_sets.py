"""Whether several secrets together repeat as they do in several rows of one person.

A blood group is nobody's name, and a blood group with an insurer, a drug and a habit is nearly one.
Where nobody said whose rows are whose, rows that agree in several secrets and far more often than
chance in something known are rows of one person, or of people who belong together.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.base.columns import group_codes
from kproof.models.judgement.people import known_exactly
from kproof.models.judgement.publication import PublishedColumn, PublishedFile
from kproof.models.judgement.repeats import MOST_ROWS, TIMES, pairs_alike

MOST_SETS = 32
"""Sets of secrets that are looked at at most, those of most columns first."""

MOST_CELLS = 1 << 23
"""Rows of all sets that are looked at at most: of a million rows eight sets."""

MOST_COMPARED = 1 << 17
"""Rows that are compared in known columns at most: of more, those with every n-th combination."""


def repeated_together(publication: PublishedFile) -> tuple[str, ...]:
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
    >>> repeated_together(PublishedFile((age, *secrets)))
    ('blood', 'drug', 'age')
    """
    secrets = [column for column in publication.secrets if not column.known]
    rows = publication.rows
    if rows < 2:
        return ()
    known = [
        (name, codes, limit, pairs_alike(codes))
        for name, codes, limit in known_exactly(publication)
        if TIMES * 2 * pairs_alike(codes) <= rows * (rows - 1)
    ]
    for columns in _sets(secrets, rows) if known else ():
        compared = _compared(columns, rows)
        states = [(column.states[compared], len(column.texts) + 1) for column in columns]
        of_row, count = group_codes(states, len(compared))
        agreeing = pairs_alike(of_row)
        for name, codes, limit, alike in known:
            pairs = [(of_row, count), (codes[compared], limit)]
            person, people = group_codes(pairs, len(compared))
            plausible = 3 * people <= 2 * len(person) <= 2 * MOST_ROWS * people
            # Both shares over their pairs, multiplied out.
            often = pairs_alike(person) * rows * (rows - 1) >= 2 * TIMES * alike * agreeing > 0
            if plausible and often and _several(person, people):
                return (*(column.name for column in columns), name)
    return ()


def _sets(secrets: list[PublishedColumn], rows: int) -> Iterator[tuple[PublishedColumn, ...]]:
    sets = (
        columns for size in range(len(secrets), 1, -1) for columns in combinations(secrets, size)
    )
    return islice(sets, min(MOST_SETS, MOST_CELLS // rows))


def _compared(columns: tuple[PublishedColumn, ...], rows: int) -> Codes:
    """Return all rows of every n-th combination, by its hash, so that few enough are compared."""
    if rows <= MOST_COMPARED:
        return np.arange(rows)
    hashed = np.zeros(rows, dtype=np.uint64)
    for column in columns:
        hashed = (hashed ^ (hashed >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
        hashed += column.states.astype(np.uint64)
    hashed = (hashed ^ (hashed >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    return np.flatnonzero((hashed >> np.uint64(32)) % np.uint64(-(-rows // MOST_COMPARED)) == 0)


def _several(person: Codes, people: int) -> bool:
    sizes = np.bincount(person, minlength=people)
    return 2 * int(sizes[sizes > 1].sum()) >= len(person)
