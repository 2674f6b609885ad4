"""The rules that make a cloaked log: groups that only ever part, slot by slot.

A *group* is the people who have had the same record so far. Groups never join, nobody leaves one
alone, and a group that parts leaves k on each side: so at every slot every record is shared by k
people or more, whoever looks at whichever slots. That is all the proof needs; which cells are shown
and where a group parts only decides how much is shown.

In each slot, those who wait in one cell no wider than ``widest`` make a group, if they are k. All
members of a group get one label: the smallest cell that has everybody, or hidden, if that is too
wide or somebody is unknown. A group that would be hidden parts: k or more members in one cell that
is no wider than ``widest`` go on by themselves, and all others are a remainder. It stays together,
as it may be shown in parts later, and takes others along until it has k.
"""

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kproof.errors import InvalidArgument
from kproof.models.base.arrays import Codes, Flags
from kproof.models.moving.cells import CellTree
from kproof.models.moving.labels import HIDDEN, UNKNOWN, spans
from kproof.models.moving.slots import Whereabouts
from kproof.models.moving.terms import AGE, DEADLINE, SESSION, WIDEST, K

ALONE = -1
"""The group of whoever has none."""
ELSEWHERE = np.iinfo(np.int64).min // 2
"""Since when somebody waits whom another node serves: longer than any deadline."""


@dataclass(frozen=True, eq=False)
class SlotRows:
    """What a slot adds to a cloaked log, and what its publisher knows beside it."""

    slot: int
    """The slot."""
    record: Codes = field(repr=False)
    label: Codes = field(repr=False)
    """Shape (rows,): what is published, by label and record."""
    person: Codes = field(repr=False)
    """Shape (rows,): whose row each is. It is not published."""
    waited: Codes = field(repr=False)
    """Shape (people newly served,): slots that each waited. It is not published."""


class Mover:
    """Makes a cloaked log slot by slot; what is out never has to be taken back.

    People are numbered from 0. ``key``, a secret number below 2^256, decides the numbers of
    records, and who of several at one place goes with a group; the same key, slots and positions
    give the same rows. ``area``, a node and how many there are, says that others serve the people
    who wait in cells of other areas; see :mod:`kproof.models.moving.nodes`.

    >>> from kproof.models.moving.cells import GridCells
    >>> mover = Mover(GridCells(500), k=2, key=1)
    >>> rows = mover.step(5, np.array([0, 1, 2]), np.array([8, 8, 9000]))
    >>> rows.record.tolist(), rows.person.tolist(), len(set(rows.label.tolist()))
    ([0, 1], [1, 0], 1)
    """

    def __init__(
        self,
        cells: CellTree,
        *,
        k: Any,
        key: int,
        session: Any = SESSION.default,
        widest: Any = WIDEST.default,
        deadline: Any = DEADLINE.default,
        age: Any = AGE.default,
        area: tuple[int, int] = (0, 1),
    ) -> None:
        self.cells = cells
        self._area = area
        self.k = K.read(k)
        self.session = SESSION.read(session)
        self.widest = float(WIDEST.read(widest))
        self.deadline = DEADLINE.read(deadline)
        self._key = key.to_bytes(32, "little")
        self._where = Whereabouts(AGE.read(age))
        self._start: int | None = None
        self._records = 0
        self._group, self._since, self._record = (np.zeros(0, dtype=np.int64) for _ in range(3))
        self._groups = 0

    def step(self, slot: int, person: Codes, code: Codes) -> SlotRows:
        """Return the rows of the next slot.

        ``person`` and ``code`` are the positions reported in it, in the order of time for each
        person, UNKNOWN for a place outside all cells. Slots come one after another, also those that
        nobody reports in.
        """
        if len(code) and not UNKNOWN <= code.min() <= code.max() < 1 << self.cells.height:
            raise InvalidArgument("code", int(code.max()), f"codes of {self.cells.height} bits")
        codes = self._where.at(slot, person, code)
        self._start = slot if self._start is None else self._start
        # Counted from the first: a slot before 1970 is negative, which has a meaning of its own.
        now = slot - self._start
        if now % self.session == 0:
            # All sessions end together, so that no record ends for a reason of its own.
            self._group, self._since, self._record = (np.zeros(0, dtype=np.int64) for _ in range(3))
        self._grow(len(codes))
        waited = self._form(now, codes)
        members = np.flatnonzero(self._group != ALONE)
        self._part(now, members, codes[members])
        labels = self._labels(self._group[members], codes[members])
        record = self._record[members]
        # By what is published: in the order of people, rows would say who is who.
        order = np.lexsort((record, labels))
        return SlotRows(slot, record[order], labels[order], members[order], waited)

    def hand_over(self, people: Codes) -> None:
        """Take note that other nodes serve people from now on, until the session ends."""
        self._grow(int(people.max(initial=-1)) + 1)
        self._since[people] = ELSEWHERE

    def _grow(self, people: int) -> None:
        more = max(0, people - len(self._group))
        self._group = np.append(self._group, np.full(more, ALONE))
        self._since = np.append(self._since, np.full(more, UNKNOWN))
        self._record = np.append(self._record, np.full(more, ALONE))

    def _form(self, now: int, codes: Codes) -> Codes:
        """Make groups of those who wait in one cell, and return how long each of them waited."""
        self._since[(self._since == UNKNOWN) & (codes != UNKNOWN)] = now
        waiting = np.flatnonzero(
            (self._group == ALONE) & (codes != UNKNOWN) & (now - self._since <= self.deadline)
        )
        # Cells inside one with too few people have no more of them: the largest decides.
        labels = self.cells.widest(codes[waiting], self.widest)
        cells, of_label, count = np.unique(labels, return_inverse=True, return_counts=True)
        of_label = of_label.reshape(-1)
        served = (count >= self.k) & (cells != HIDDEN)
        served &= areas_of(cells, self._area[1], self.cells.height) == self._area[0]
        joins = served[of_label]
        members = waiting[joins]
        # Those of one cell are together; numbers of groups are never used again.
        self._group[members] = self._groups + of_label[joins]
        self._groups += len(cells)
        # Numbers are dealt out by chance: in the order of people they would say who is who.
        self._record[members] = numbers_of(self._key, now, members, self._records)
        self._records += len(members)
        waited: Codes = now - self._since[members]
        return waited

    def _labels(self, group: Codes, codes: Codes) -> Codes:
        """Return the label of each member: the smallest cell that has all the group, or hidden."""
        order = np.lexsort((codes, group))
        first = np.flatnonzero(np.diff(group[order], prepend=ALONE))
        size = np.diff(first, append=len(order))
        low, high = codes[order][first], codes[order][first + size - 1]
        # Codes begin with the unknown. A cell for the others would say where somebody is not:
        # even without a limit of width, who is unknown is in no cell.
        cell = np.where(low == UNKNOWN, HIDDEN, self.cells.common(np.maximum(low, 0), high))
        cell = np.where(self.cells.widths(cell) <= self.widest, cell, HIDDEN)
        labels = np.empty(len(order), dtype=np.int64)
        labels[order] = np.repeat(cell, size)
        return labels

    def _part(self, now: int, members: Codes, codes: Codes) -> None:
        """Part the groups that would be hidden: who can be shown with k others, and a remainder.

        The remainder stays one group, as it may be shown in parts later on.
        """
        hidden = self._labels(self._group[members], codes) == HIDDEN
        members, codes = members[hidden], codes[hidden]
        cell = self.cells.widest(np.maximum(codes, 0), self.widest)
        cell[codes == UNKNOWN] = HIDDEN
        # Who goes along, of several in one cell, is a matter of chance.
        ranks = ranks_of(self._key, now, members, b"part")
        order = np.lexsort((ranks, cell, self._group[members]))
        members, cell, group = members[order], cell[order], self._group[members[order]]
        first = np.flatnonzero(
            (np.diff(group, prepend=ALONE) != 0) | (np.diff(cell, prepend=0) != 0)
        )
        size = np.diff(first, append=len(members))
        along = _take_along(group[first], size, (size >= self.k) & (cell[first] != HIDDEN), self.k)
        place = np.arange(len(members)) - np.repeat(first, size)
        parts = place >= np.repeat(along, size)
        segment = np.repeat(np.arange(len(size)), size)
        self._group[members[parts]] = self._groups + segment[parts]
        self._groups += len(size)


def ranks_of(key: bytes, now: int, people: Codes, purpose: bytes) -> NDArray[np.uint64]:
    """Return a rank for each person, which nobody can compute without the key.

    A generator of numbers could be run back from the order of records in known classes, and would
    then say who of a class has which record.
    """
    # By purpose and slot, too: a rank that shows once must tell nothing of another.
    keyed = blake2b(key=key, person=purpose, salt=now.to_bytes(8, "little"), digest_size=8)

    def rank(person: int) -> int:
        ranked = keyed.copy()
        ranked.update(person.to_bytes(8, "little"))
        return int.from_bytes(ranked.digest(), "little")

    return np.fromiter(map(rank, people.tolist()), dtype=np.uint64, count=len(people))


def numbers_of(key: bytes, now: int, people: Codes, first: int) -> Codes:
    """Return the numbers of the records of people, from ``first`` on, in the order of ranks."""
    numbers = np.empty(len(people), dtype=np.int64)
    order = np.argsort(ranks_of(key, now, people, b"record"), kind="stable")
    numbers[order] = first + np.arange(len(people))
    return numbers


def areas_of(labels: Codes, areas: int, height: int) -> Codes:
    """Return the area of each cell, of so many that divide all codes: where the cell begins."""
    first, _ = spans(labels, height)
    return first * areas >> height


def _take_along(group: Codes, size: Codes, large: Flags, k: int) -> Codes:
    """Return how many people of each part of a group stay with the remainder.

    Parts come by group; ``large`` says which can be shown for themselves. All the others are the
    remainder. One with fewer than k people takes along who is to spare in the largest parts, or,
    if that is not enough, all of the smallest: nobody is ever fewer than k.

    >>> _take_along(np.array([7, 7, 7]), np.array([1, 4, 8]), np.array([False, True, True]), 4)
    array([1, 0, 3])
    >>> _take_along(np.array([7, 7]), np.array([1, 5]), np.array([False, True]), 4)
    array([1, 5])
    """
    _, number = np.unique(group, return_inverse=True)
    groups = int(number.max(initial=-1)) + 1
    remainder = np.bincount(number, np.where(large, 0, size), groups).astype(np.int64)
    # A remainder of nobody needs nobody; any other has to be of k.
    need = np.where(remainder > 0, np.maximum(k - remainder, 0), 0)
    spare = np.where(large, size - k, 0)
    enough = np.bincount(number, spare, groups) >= need
    # The largest first, so that parts stay large enough to part again.
    order = np.lexsort((-spare, number))
    before = np.cumsum(spare[order]) - spare[order]
    start = np.full(groups, np.iinfo(np.int64).max)
    np.minimum.at(start, number[order], before)
    along = np.empty(len(size), dtype=np.int64)
    along[order] = np.clip(need[number[order]] - (before - start[number[order]]), 0, spare[order])
    # Without enough to spare, the smallest large part goes as a whole.
    order = np.lexsort((size, ~large, number))
    smallest = order[np.flatnonzero(np.diff(number[order], prepend=-1))]
    along[~enough[number]] = 0
    short = smallest[~enough]
    along[short] = size[short]
    return np.where(large, along, size)
