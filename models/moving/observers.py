"""Who may be behind each record of a cloaked log: the exact attack, whoever made the log.

An observer knows where everybody is in every slot and keeps, for a record, those who were inside
each cell that it shows. More slots never leave more candidates, so that the record as a whole is
the finest knowledge of this kind, and what holds of it holds of any set of slots.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from kproof.errors import DataError
from kproof.forms import JsonForm
from kproof.models.attacks.intersection import Observer
from kproof.models.base.arrays import Codes, Flags, ranges
from kproof.models.moving.labels import HIDDEN, UNKNOWN, spans
from kproof.models.moving.release import CloakedLog, by_slot
from kproof.models.moving.slots import Whereabouts, every_slot

PAIRS = 4_000_000
"""Pairs of a class and a candidate that are looked at together; 100 MB or so."""


@dataclass(frozen=True, eq=False)
class Presence:
    """Where everybody is in every slot; built by :meth:`of`."""

    slot: Codes = field(repr=False)
    person: Codes = field(repr=False)
    code: Codes = field(repr=False)
    """Shape (known positions,): a code for whoever has a position in a slot, by slot and code."""
    people: int
    """Number of people, those without any position included."""
    height: int
    """Bits of a code."""

    @classmethod
    def of(
        cls,
        slot: Codes,
        person: Codes,
        code: Codes,
        *,
        height: int,
        age: int = 0,
        last: int | None = None,
        people: int | None = None,
    ) -> Presence:
        """Return where people are who report codes in slots, in the order of time for each.

        ``age`` is that of :class:`~kproof.models.moving.slots.Whereabouts`; ``last`` is the last
        slot that is looked at, if not that of the last report.
        """
        where, parts = Whereabouts(age), []
        for number, who, reported in every_slot(slot, person, code, last=last):
            codes = where.at(number, who, reported)
            located = np.flatnonzero(codes != UNKNOWN)
            # By code, so that whoever is in a cell is one run of rows.
            located = located[np.argsort(codes[located], kind="stable")]
            parts.append((np.full(len(located), number), located, codes[located]))
        empty = np.zeros(0, dtype=np.int64)
        slots, persons, codes = (
            np.concatenate([empty, *(part[column] for part in parts)]) for column in range(3)
        )
        count = int(person.max(initial=-1)) + 1 if people is None else people
        return cls(slots, persons, codes, people=count, height=height)

    def rows_of(self, slot: int) -> slice:
        """Return where the positions of a slot stand."""
        first, behind = np.searchsorted(self.slot, [slot, slot + 1]).tolist()
        return slice(first, behind)

    @property
    def most_known(self) -> int:
        """Most people with a position in one slot; 0 without any."""
        return int(np.unique(self.slot, return_counts=True)[1].max(initial=0))


@dataclass(frozen=True, eq=False)
class RecordCandidates:
    """How many people may be behind each record of a cloaked log; from :func:`intersect`."""

    observer: Observer
    """What the observer knows."""
    records: Codes = field(repr=False)
    """Shape (records,): numbers of the records, ascending."""
    counts: Codes = field(repr=False)
    """Shape (records,): candidates for each."""
    example: Codes = field(repr=False)
    """Who the candidates of the record with the fewest are, ascending; of the method, the numbers
    of the records that are equal to it."""

    @property
    def judged(self) -> int:
        """Number of records."""
        return len(self.records)

    @property
    def least(self) -> int | None:
        """Fewest candidates of a record; None if there is no record."""
        return int(self.counts.min()) if self.judged else None

    @property
    def identified(self) -> int:
        """Records with one candidate."""
        return int(np.count_nonzero(self.counts == 1))

    @property
    def worst(self) -> int | None:
        """The first record with the fewest candidates; None if there is none."""
        return int(self.records[np.argmin(self.counts)]) if self.judged else None

    def below(self, k: int) -> int:
        """Return the number of records with fewer than k candidates."""
        return int(np.count_nonzero(self.counts < k))

    to_dict = JsonForm("observer judged least identified worst", schema=1)


def intersect(
    presence: Presence, release: CloakedLog, *, observer: Observer | str = Observer.PRESENCE
) -> RecordCandidates:
    """Return who may be behind each record, exactly.

    *Presence* keeps whoever was inside all the cells that the record shows; a hidden cell excludes
    nobody, an unknown position is in no cell. *Method* also knows the program and its draws; of
    the people whom presence keeps, those stay who have the same record. Their number is that of the
    equal records, as numbers of records are drawn and say nothing.

    Four people, two slots, two cells; each slot alone has two in each cell:

    >>> slot, person = np.repeat([0, 1], 4), np.tile(np.arange(4), 2)
    >>> code = np.array([0, 0, 1, 1, 0, 1, 0, 1])
    >>> shown = CloakedLog.of(person, slot, code + 2)
    >>> where = Presence.of(slot, person, code, height=1)
    >>> intersect(where, shown).least, intersect(where, shown, observer="method").identified
    (1, 4)
    """
    knows = Observer(observer)
    records, class_of = release.classes()
    sizes = np.bincount(class_of)
    if knows is Observer.METHOD:
        equal = sizes[class_of]
        worst = class_of[np.argmin(equal)] if len(records) else -1
        return RecordCandidates(knows, records, equal, records[class_of == worst])
    # A label has a 1 before its bits, so that it is one bit longer than the code of a leaf.
    beyond = np.flatnonzero(release.label >> (presence.height + 1))
    if len(beyond):
        raise DataError(
            f"record {release.record[beyond[0]]} shows a cell of more than {presence.height} bits;"
            " need the cells that this log was made with"
        )
    # Of a class that shows no cell nobody is excluded, and it is in no pair below.
    counts = np.full(len(sizes), presence.people, dtype=np.int64)
    example = np.arange(presence.people)
    fewest = presence.people + 1
    shown = _cells_shown(presence, release, records, class_of)
    for classes, candidate_of, candidate in survivors(presence, shown):
        tally = np.bincount(candidate_of, minlength=len(sizes))[classes]
        counts[classes] = tally
        if tally.min() < fewest:
            fewest = int(tally.min())
            example = np.sort(candidate[candidate_of == classes[np.argmin(tally)]])
    return RecordCandidates(knows, records, counts[class_of], example)


@dataclass(frozen=True, eq=False)
class ClassCells:
    """The cells that classes of records show: a row for each class and slot with a cell."""

    number: Codes
    """Shape (rows,): the class."""
    slot: Codes
    """Shape (rows,): ascending."""
    low: Codes
    high: Codes
    """Shape (rows,): the first code inside, and the first one behind."""
    first: Codes
    """Shape (rows,): where those inside begin among the positions of everybody."""
    inside: Codes
    """Shape (rows,): people inside."""

    @classmethod
    def of(cls, presence: Presence, number: Codes, slot: Codes, label: Codes) -> ClassCells:
        """Return the cells of classes in slots, which come ascending, and how many are inside."""
        low, high = spans(label, presence.height)
        first, inside = (np.empty(len(slot), dtype=np.int64) for _ in range(2))
        for rows in by_slot(slot):
            here = presence.rows_of(int(slot[rows.start]))
            first[rows] = here.start + np.searchsorted(presence.code[here], low[rows])
            behind = here.start + np.searchsorted(presence.code[here], high[rows])
            inside[rows] = behind - first[rows]
        return cls(number, slot, low, high, first, inside)

    def everybody(self) -> tuple[Codes, Codes]:
        """Return, for each person in each cell, the class and the position among everybody's."""
        return np.repeat(self.number, self.inside), ranges(self.first, self.inside)

    def part(self, classes: Codes) -> ClassCells:
        """Return the rows of some classes, which come ascending."""
        # Clipped: a number above all classes is held against the last, which it does not equal.
        place = np.minimum(np.searchsorted(classes, self.number), len(classes) - 1)
        return self.rows(classes[place] == self.number)

    def rows(self, chosen: Codes | Flags) -> ClassCells:
        """Return some of the rows."""
        return ClassCells(*(vars(self)[name][chosen] for name in vars(self)))


def _cells_shown(
    presence: Presence, release: CloakedLog, records: Codes, class_of: Codes
) -> ClassCells:
    """Return what the first record of each class shows."""
    _, first = np.unique(class_of, return_index=True)
    place = np.searchsorted(records, release.record)
    chosen = (first[class_of[place]] == place) & (release.label != HIDDEN)
    number, slot = class_of[place[chosen]], release.slot[chosen]
    return ClassCells.of(presence, number, slot, release.label[chosen])


def survivors(presence: Presence, shown: ClassCells) -> Iterator[tuple[Codes, Codes, Codes]]:
    """Return some classes at a time, with pairs of a class and a person who was in all its cells.

    Whoever fits is in the cell with the fewest people: those alone are looked at in other slots.
    That index makes the attack linear in what it looks at; all people for all records would not be.
    """
    # Each class begins with its cell of fewest people, from where candidates only become fewer.
    order = np.lexsort((shown.inside, shown.number))
    _, first = np.unique(shown.number[order], return_index=True)
    narrowest = order[first]
    # As many classes at a time as have so many candidates together, one at least.
    batches = np.cumsum(shown.inside[narrowest]) // PAIRS
    for batch in np.unique(batches):
        chosen = narrowest[batches == batch]
        classes = np.sort(shown.number[chosen])
        owner, row = shown.rows(chosen).everybody()
        yield classes, *_filter_pairs(presence, shown.part(classes), owner, presence.person[row])


def _filter_pairs(
    presence: Presence, shown: ClassCells, owner: Codes, person: Codes
) -> tuple[Codes, Codes]:
    """Return those pairs of a class and a person who was in every cell that the class shows."""
    least, most = int(shown.number.min()), int(shown.number.max())
    for rows in by_slot(shown.slot):
        here = presence.rows_of(int(shown.slot[rows.start]))
        codes = np.full(presence.people, UNKNOWN)
        codes[presence.person[here]] = presence.code[here]
        # A class that shows nothing in this slot excludes nobody, not even who is unknown.
        low = np.full(most - least + 1, UNKNOWN)
        high = np.full(most - least + 1, np.iinfo(np.int64).max)
        low[shown.number[rows] - least] = shown.low[rows]
        high[shown.number[rows] - least] = shown.high[rows]
        where = codes[person]
        fits = (low[owner - least] <= where) & (where < high[owner - least])
        owner, person = owner[fits], person[fits]
    return owner, person
