"""Whose rows stand in which class, and how a finding words people and chances."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from kproof.errors import show
from kproof.models.base.arrays import Codes, Flags
from kproof.models.base.columns import group_codes
from kproof.models.judgement.publication import PublishedColumn, PublishedFile
from kproof.models.tables.risk.chances import one_in, share_of

_Asked = TypeVar("_Asked")


def remember_by_column(
    answer: Callable[[PublishedFile, str], _Asked],
) -> Callable[[PublishedFile, str], _Asked]:
    """Return a function of a publication and a column that works once, as long as that lives."""
    # By weak references, so that what was worked out goes when its publication does.
    answers_of: WeakKeyDictionary[PublishedFile, dict[str, _Asked]] = WeakKeyDictionary()

    def once(publication: PublishedFile, name: str = "") -> _Asked:
        answers = answers_of.setdefault(publication, {})
        if name not in answers:
            answers[name] = answer(publication, name)
        return answers[name]

    return once


@dataclass(frozen=True, eq=False)
class PeopleInClasses:
    """The rows of each person by class; noise rows are nobody's.

    >>> people = PeopleInClasses.of(np.array([7, 7, 3, -1]), np.array([0, 0, 0, 0]))
    >>> people.count, people.person.tolist(), people.rows.tolist()
    (2, [0, 1], [1, 2])
    """

    count: int
    """How many people there are."""
    person: Codes
    """Shape (pairs,): person of each pair of a person and a class, from 0, ascending."""
    of_class: Codes
    """Shape (pairs,): its class; ascending within a person."""
    rows: Codes
    """Shape (pairs,): how many rows of the class are the person's."""
    of_row: Codes
    """Shape (rows,): person of each published row, from 0; -1 for noise."""

    @classmethod
    def of(cls, persons: Codes, class_of_row: Codes) -> PeopleInClasses:
        """Count rows by person (any number, -1 for nobody) and class, shape (rows,) both."""
        real = persons >= 0
        of_real, count = group_codes([(persons[real], limit_of(persons))], int(real.sum()))
        of_row = np.full(len(persons), -1, dtype=np.int64)
        of_row[real] = of_real
        classes = limit_of(class_of_row)
        # Both factors are at most the number of rows: a key fits in 64 bits.
        keys, rows = np.unique(of_real * classes + class_of_row[real], return_counts=True)
        person, of_class = np.divmod(keys, classes)
        return cls(count, person, of_class, rows.astype(np.int64), of_row)

    @cached_property
    def starts(self) -> Codes:
        """Shape (people,): first pair of each person."""
        # Persons ascend from 0 without a gap, so that each, the first included, is a step.
        return np.flatnonzero(np.diff(self.person, prepend=-1)).astype(np.int64)

    @cached_property
    def rows_of_person(self) -> Codes:
        """Shape (people,): published rows of each person."""
        # Weights are added up as floats, exact as long as there are fewer than 2^53 rows.
        return np.bincount(self.person, weights=self.rows, minlength=self.count).astype(np.int64)

    @cached_property
    def several(self) -> bool:
        """Whether anybody has more than one row."""
        return bool((self.rows_of_person > 1).any())

    @cached_property
    def lengths(self) -> Codes:
        """Shape (people,): in how many classes each person has rows."""
        return np.diff(np.append(self.starts, len(self.person)))

    @cached_property
    def _by_person(self) -> Codes:
        """Published rows by person, noise left out."""
        # Noise is -1, and so stands in front.
        return np.argsort(self.of_row, kind="stable")[np.count_nonzero(self.of_row < 0) :]

    def extremes(self, numbers: Codes) -> tuple[Codes, Codes]:
        """Return, shape (people,) each, the least and the greatest number in a person's rows."""
        ordered = numbers[self._by_person]
        # Everybody has a row: reduceat would make up a value for a run of none.
        opens = np.cumsum(self.rows_of_person) - self.rows_of_person
        return np.minimum.reduceat(ordered, opens), np.maximum.reduceat(ordered, opens)

    def any_class(self, flags: Flags) -> Flags:
        """Say, shape (people,), who has a row in one of the classes that are flagged."""
        return np.logical_or.reduceat(flags[self.of_class], self.starts)

    @cached_property
    def signatures(self) -> tuple[Codes, int]:
        """Group of each person, and how many there are: people with as many rows in every class.

        Their rows cannot be told apart by classes, whatever shows which rows belong together.
        """
        group = np.zeros(self.count, dtype=np.int64)
        groups = 0
        columns = [(self.of_class, limit_of(self.of_class)), (self.rows, limit_of(self.rows))]
        keys, size = group_codes(columns, len(self.person))
        # Who is in as many classes at a time: their pairs line up, place by place.
        for length in np.flatnonzero(np.bincount(self.lengths)).tolist():
            persons = np.flatnonzero(self.lengths == length)
            places = [keys[self.starts[persons] + place] for place in range(length)]
            signature, count = group_codes([(place, size) for place in places], len(persons))
            group[persons] = signature + groups
            groups += count
        return group, groups


def limit_of(codes: Codes) -> int:
    """Return a number above all codes."""
    return int(codes.max(initial=0)) + 1


@remember_by_column
def people_in(publication: PublishedFile, without: str) -> PeopleInClasses:
    """Return the people of a publication, for an adversary who may lack a column."""
    return PeopleInClasses.of(publication.persons, publication.classes_without(without)[0])


def with_pseudonym(publication: PublishedFile) -> PublishedFile:
    """Return a publication in which a published secret says whom rows are about, if nothing else.

    Where nobody said whose rows are, every row counts as a person of its own. A secret whose values
    stand in two to twenty rows on average, most known columns being the same in all rows of each,
    shows which rows belong together: a device, an account. Of several the one with the fewest
    values is the worst case.

    >>> from kproof.models.judgement.publication import ColumnKnowledge, PublishedColumn
    >>> rows = np.repeat(np.arange(4), 2)
    >>> age = PublishedColumn("age", ColumnKnowledge.KNOWN, rows // 2, ("30", "40"))
    >>> phone = PublishedColumn("phone", ColumnKnowledge.SECRET, rows, ("P1", "P2", "P3", "P4"))
    >>> with_pseudonym(PublishedFile((age, phone))).unit
    'people'
    """
    return _reveal_pseudonym(publication, "") or publication


@remember_by_column
def _reveal_pseudonym(publication: PublishedFile, _: str) -> PublishedFile | None:
    # None in place of the publication itself: what is remembered of it must not keep it alive.
    pseudonyms: dict[int, PublishedColumn] = {}
    if publication.person is not None or publication.rows_are_people:
        return None
    for column in publication.secrets:
        present = column.codes[column.codes >= 0]
        values = len(distinct(present))
        # By the cells that are there: gaps are nobody's pseudonym, and would raise its average.
        repeated = values > 1 and 2 * values <= len(present) <= 20 * values
        if repeated and not column.known and _links_rows(column, publication):
            pseudonyms[values] = column
    if not pseudonyms:
        return None
    codes = pseudonyms[min(pseudonyms)].codes
    # Of whom nobody recorded who they are, each is somebody else.
    whom = np.where(codes < 0, codes.max() + np.cumsum(codes < 0), codes)
    return replace(publication, person=whom.astype(np.int64))


def _links_rows(secret: PublishedColumn, publication: PublishedFile) -> bool:
    """Say whether most known columns that differ at all are the same for each value of a secret.

    If each class shows one value of it, it tells no rows apart.
    """
    recorded = np.flatnonzero(secret.codes >= 0)
    of_value, values = group_codes([(secret.codes[recorded], len(secret.texts))], len(recorded))

    def pairs_with(codes: Codes, count: int) -> tuple[int, int]:
        of_row, kinds = group_codes([(codes[recorded], count)], len(recorded))
        return group_codes([(of_value, values), (of_row, kinds)], len(recorded))[1], kinds

    pairs, classes = pairs_with(*publication.classes)
    if pairs == classes:
        return False
    counts = [pairs_with(codes, limit) for _, codes, limit in exact_columns(publication)]
    constant = [pairs == values for pairs, count in counts if count > 1]
    # Where no known column differs at all nothing speaks for it: 0 is no more than half of 0.
    return 2 * sum(constant) > len(constant)


def exact_columns(publication: PublishedFile) -> Iterator[tuple[str, Codes, int]]:
    """Yield known columns of all rows, of the source without labels, and what codes are below."""
    table, source_row = publication.table, publication.source_row
    if table is None or source_row is None:
        for column in publication.known:
            yield column.name, *column.key
    else:
        for source in (*table.quasi_identifiers, *table.other):
            noise = len(source.values)
            # Row -1 of the source picks the last entry: noise is a value of its own.
            codes = np.append(source.codes.astype(np.int64), noise)[source_row]
            yield source.name, codes, noise + 1


def distinct(keys: Codes) -> Codes:
    """Return ascending distinct keys; sorting 64-bit numbers is faster than hashing them."""
    keys = np.sort(keys)
    # Keys are at least 0: the first one differs from -1 and is never lost.
    return keys[np.flatnonzero(np.diff(keys, prepend=-1))]


def spread(starts: Codes, lengths: Codes) -> tuple[Codes, Codes]:
    """Return all places of some runs, one after another, and the run of each.

    >>> spread(np.array([5, 0]), np.array([2, 1]))
    (array([5, 6, 0]), array([0, 0, 1]))
    """
    run = np.repeat(np.arange(len(lengths)), lengths)
    return np.arange(len(run)) + np.repeat(starts - np.cumsum(lengths) + lengths, lengths), run


def rows_of(people: PeopleInClasses, persons: Flags) -> Codes:
    """Return the published rows of people who are flagged, shape (people,)."""
    # Rows of noise are nobody's: their -1 picks the entry that is appended.
    flagged = np.append(persons, False)
    return np.flatnonzero(flagged[people.of_row]).astype(np.int64)


@remember_by_column
def row_of_each(publication: PublishedFile, _: str) -> Codes:
    """Return a published row of each person, in the order of the source, where that is known.

    The published order is drawn anew each time, and what is drawn by seed from rows must be the
    same for a setting that is tried and for the release that is written.

    >>> person, source_row = np.array([4, 4, -1, 2]), np.array([1, 0, -1, 2])
    >>> row_of_each(PublishedFile((), person=person, source_row=source_row)).tolist()
    [1, 3]
    """
    persons, source_row = publication.persons, publication.source_row
    rows = np.arange(len(persons)) if source_row is None else np.argsort(source_row, kind="stable")
    rows = rows[persons[rows] >= 0]
    first = np.unique(persons[rows], return_index=True)[1]
    return rows[np.sort(first)]


def list_names(names: Iterable[str]) -> str:
    """Return names of columns in a row, or *nothing* if there are none."""
    return ", ".join(map(show, names)) or "nothing"


def of_all(hit: int, publication: PublishedFile) -> str:
    """Return how many people, of how many.

    >>> of_all(3, PublishedFile(()))
    '3 of 0 rows'
    """
    return share_of(hit, publication.people, publication.unit)


def one_of(chance: Fraction) -> str:
    """Return a chance in words.

    >>> one_of(Fraction(1, 11)), one_of(Fraction(1))
    ('1 in 11', '1 in 1')
    """
    return f"1 in {one_in(chance)}"
