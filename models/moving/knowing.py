"""Who knows some positions of a person: how many records fit them, exactly.

The observer knows a person's positions in some slots of a session. A record *fits* if it has a row
in one of these slots, and no row of it there shows a cell without the position: who is hidden or
has no row may be anybody. Records that are equal fit together, so that no fewer fit than there are
equal ones, or none does (M2). That bound is cheap; the figure itself tries every set of slots.

Sets of slots that no record has rows on both sides of need not be tried: the records that fit are
those of one side and those of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from kproof.errors import InvalidArgument
from kproof.forms import JsonForm
from kproof.models.base.arrays import Codes, Flags
from kproof.models.moving.elsewhere import ABSENT, by_session
from kproof.models.moving.labels import HIDDEN, UNKNOWN
from kproof.models.moving.observers import ClassCells, Presence, survivors
from kproof.models.moving.release import CloakedLog
from kproof.theory.exact.typed import Number, integer

HOME_WORK = "home-work"
"""How the knowledge of somebody's home and work is typed."""

WORK = 10**8
"""Pairs of a set of slots and a record or person in it that are looked at; ten seconds or so."""


@dataclass(frozen=True)
class PlacesKnown:
    """What an observer knows of a person beside a cloaked log; built by :meth:`of`."""

    positions: tuple[int, ...] = ()
    """Most positions that somebody knows; each number is judged."""
    home_work: bool = False
    """Whether home and work are known, and the slots in which the person was there: the commonest
    of the smallest cells by night, and the commonest by day."""
    night: tuple[int, int] = (22, 6)
    """Hours of UTC from which, and before which, it is night; the beginning of a slot decides."""
    sybils: int = 0
    """People of a group whom the observer controls."""

    @classmethod
    def of(
        cls, knows: Iterable[str] = (), *, night: str = "22-6", sybils: Number = 0
    ) -> PlacesKnown:
        """Read what was typed: numbers of positions, or :data:`HOME_WORK`.

        >>> PlacesKnown.of(["4", "home-work"], night="23-5").night
        (23, 5)
        """
        words = [*dict.fromkeys(knows)]
        for word in words:
            if word != HOME_WORK and not word.isdecimal():
                raise InvalidArgument("knows", word, f"a number of positions, or {HOME_WORK}")
        positions = (integer("knows", word, least=1) for word in words if word != HOME_WORK)
        hours = [*filter(str.isdecimal, night.split("-"))]
        start, end = map(int, hours) if len(hours) == 2 else (0, 0)
        # Put together again: a sign, a blank or a third number must not be passed over.
        if night != "-".join(hours) or start == end or max(start, end) > 23:
            raise InvalidArgument("night", night, "two different hours from 0 to 23, such as 22-6")
        most = integer("sybils", sybils, least=0)
        return cls(tuple(positions), HOME_WORK in words, (start, end), most)


@dataclass(frozen=True, eq=False)
class RecordFits:
    """How few records fit what somebody knows of a person; from :func:`count_fits`."""

    knows: str
    """What is known, in words."""
    least: int | None
    """Fewest records that fit, of all people and sets of slots that any record fits; None if there
    is none, and so nothing was judged."""
    exact: bool
    """Whether so few do; else no fewer do, as so many are equal, and not all sets were tried."""

    def __str__(self) -> str:
        """Return the figure in a sentence."""
        fits = f"no record fits, or {self.least} or more do"
        if self.least is None:
            fits = "judged: nothing, as no record fits anybody"
        bound = "" if self.exact else " (a bound, as there are too many sets of slots to try)"
        return f"anyone who knows {self.knows}: {fits}{bound}"

    to_dict = JsonForm("knows least exact", schema=1)


def count_fits(
    presence: Presence, release: CloakedLog, knowledge: PlacesKnown, period: int
) -> tuple[RecordFits, ...]:
    """Return how few records fit what is known, for each kind of knowledge.

    >>> slot, person = np.repeat([0, 1], 4), np.tile(np.arange(4), 2)
    >>> code = np.array([0, 0, 1, 1, 0, 1, 0, 1])
    >>> shown = CloakedLog.of(person, slot, code + 2)
    >>> where = Presence.of(slot, person, code, height=1)
    >>> [fits.least for fits in count_fits(where, shown, PlacesKnown.of(("1", "2")), 60)]
    [2, 1]
    """
    sessions = [
        _Session(presence, slots, table)
        for slots, table in (
            # Each slot of a session has a row of somebody: the largest number in its column.
            (release.slot[rows.max(axis=0)], table)
            for rows, table in by_session(release.record, release.slot, release.label)
        )
    ]
    fits = []
    for number in knowledge.positions:
        words = f"any {number} positions" if number > 1 else "any position"
        sets = (session.sets(number) for session in sessions)
        fits.append(_fewest(words, sessions, sets))
    if knowledge.home_work:
        start, end = knowledge.night
        words = f"home and work (night from {start} to {end} UTC)"
        located = _at_home_or_work(presence, period, knowledge.night)
        fits.append(_fewest(words, sessions, (session.patterns(located) for session in sessions)))
    return tuple(fits)


def _fewest(
    words: str, sessions: list[_Session], sets: Iterable[Iterable[tuple[Codes, Flags | None]]]
) -> RecordFits:
    """Return the fewest records that fit, over some sets of slots of each session.

    No fewer than the equal ones fit: once so few do, nothing is left to try.
    """
    bound = min((session.bound for session in sessions), default=0)
    least: int | None = None
    spent = 0
    for session, sets_of_slots in zip(sessions, sets, strict=True):
        for columns, people in sets_of_slots:
            # No set of slots leaves fewer: a record fits, and with it all that are equal.
            if least == bound:
                break
            if spent > WORK and least is not None:
                # Somebody fits; what is sure of the sets that were not tried is the bound.
                return RecordFits(words, bound, exact=False)
            spent += session.size
            least = session.fewest(columns, people, least)
    return RecordFits(words, least, exact=True)


@dataclass(frozen=True, eq=False)
class _Session:
    """The slots of a session, what records show in them, and where people are."""

    presence: Presence
    slots: Codes
    """Shape (slots,): ascending."""
    table: Codes
    """Shape (records, slots): the label of each record, ABSENT where it has no row."""

    @cached_property
    def _classes(self) -> tuple[Codes, Codes]:
        """Different records, and how many are equal to each."""
        return np.unique(self.table, axis=0, return_counts=True)

    @property
    def bound(self) -> int:
        """Fewest equal records."""
        return int(self._classes[1].min())

    @property
    def size(self) -> int:
        """What a set of slots costs: the different records and the people."""
        return len(self._classes[0]) + self.presence.people

    @cached_property
    def _codes(self) -> Codes:
        """Shape (people, slots): where everybody is."""
        codes = np.full((self.presence.people, len(self.slots)), UNKNOWN)
        for column, slot in enumerate(self.slots.tolist()):
            here = self.presence.rows_of(slot)
            codes[self.presence.person[here], column] = self.presence.code[here]
        return codes

    def sets(self, most: int) -> Iterator[tuple[Codes, None]]:
        """Run through the sets of so many slots or fewer; fewer may be fit where more are not.

        Single slots come first: whatever fits a set fits a slot of it, so that even if not all are
        tried it is known whether any record fits anybody.
        """
        every = range(len(self.slots))
        for size in range(1, min(most, len(every)) + 1):
            for columns in combinations(every, size):
                yield np.array(columns), None

    def patterns(self, located: Flags) -> list[tuple[Codes, Flags]]:
        """Return the different sets of slots of people, who is flagged in them, and who has each.

        ``located`` has a flag for each position of the presence.
        """
        flags = np.zeros(self._codes.shape, dtype=np.bool_)
        for column, slot in enumerate(self.slots.tolist()):
            here = self.presence.rows_of(slot)
            flags[self.presence.person[here], column] = located[here]
        distinct, of_person = np.unique(flags, axis=0, return_inverse=True)
        return [
            (np.flatnonzero(pattern), of_person.reshape(-1) == number)
            for number, pattern in enumerate(distinct)
            if pattern.any()
        ]

    def fewest(self, columns: Codes, people: Flags | None, least: int | None) -> int | None:
        """Return the fewest records that fit somebody known in some slots, or ``least``, if less.

        None if none fits anybody.
        """
        entries, sizes = self._classes
        part = entries[:, columns]
        cells = part > HIDDEN
        shows = cells.any(axis=1)
        anybody = int(sizes[~shows & (part != ABSENT).any(axis=1)].sum())
        # Those who show no cell in these slots fit everybody: with them alone it is not less.
        if least is not None and anybody >= least:
            return least
        # To whoever knows nothing of the other slots, records that are alike in these are equal.
        part, size = np.maximum(part[shows], HIDDEN), sizes[shows]
        key = np.zeros(len(part), dtype=np.int64)
        for column in part.T:
            values, rank = np.unique(column, return_inverse=True)
            # Numbered anew each time: below the records times their values, a key fits 64 bits.
            key = np.unique(key * len(values) + rank.reshape(-1), return_inverse=True)[1]
        _, first, of_record = np.unique(key, return_index=True, return_inverse=True)
        weight = np.bincount(of_record.reshape(-1), size)
        number, column = np.nonzero(part[first].T > HIDDEN)[::-1]
        shown = ClassCells.of(
            self.presence, number, self.slots[columns[column]], part[first][number, column]
        )
        fits = np.full(self.presence.people, anybody, dtype=np.float64)
        for _, owner, person in survivors(self.presence, shown):
            fits += np.bincount(person, weight[owner], minlength=len(fits))
        # Nobody can know a position that somebody does not have.
        judged = (self._codes[:, columns] != UNKNOWN).all(axis=1) & (fits > 0)
        if people is not None:
            judged &= people
        counts = fits[judged].tolist()
        return int(min(counts if least is None else [*counts, least], default=0)) or None


def _at_home_or_work(presence: Presence, period: int, night: tuple[int, int]) -> Flags:
    """Say of each position whether it is the person's home, by night, or work, by day."""
    start, end = night
    hour = presence.slot * period % 86_400 // 3600
    # Modulo a day, so that a night may go past midnight.
    dark = (hour - start) % 24 < (end - start) % 24
    located = np.zeros(len(hour), dtype=np.bool_)
    for rows in (np.flatnonzero(dark), np.flatnonzero(~dark)):
        person, code = presence.person[rows], presence.code[rows]
        order = np.lexsort((code, person))
        new = np.diff(person[order], prepend=-1) != 0
        new |= np.diff(code[order], prepend=-1) != 0
        place = np.cumsum(new) - 1
        count = np.bincount(place)
        first = order[new]
        # Of places that are as common the first counts, so that everybody has one.
        rank = np.lexsort((code[first], -count, person[first]))
        commonest = rank[np.diff(person[first][rank], prepend=-1) != 0]
        usual = np.zeros(len(count), dtype=np.bool_)
        usual[commonest] = True
        located[rows[order]] = usual[place]
    return located
