"""Where people are in each slot, a period of the clock: the one definition, of publisher and judge.

The position in a slot is the first in it, else the last one before it if that is of at most ``age``
slots ago. Older is unknown.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from kproof.errors import InvalidArgument
from kproof.models.base.arrays import Codes
from kproof.models.moving.labels import UNKNOWN
from kproof.models.places.log import PositionLog


@dataclass(eq=False)
class Whereabouts:
    """Where people are, slot by slot; what is reported comes in the order of time."""

    age: int
    """Most slots that a position stands for somebody who reports nothing, 0 or more."""
    slot: int | None = None
    """The slot that was reported last; None before the first."""
    _last: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)
    _when: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)

    def at(self, slot: int, person: Codes, code: Codes) -> Codes:
        """Return the code of each person in a slot, :data:`UNKNOWN` for whoever has none.

        ``person`` and ``code`` are the reports of that slot alone, in the order of time; a person
        may have several. Slots come one after another, also those that nobody reports in.

        >>> where = Whereabouts(age=1)
        >>> where.at(7, np.array([0, 1, 0]), np.array([5, 6, 4])).tolist()
        [5, 6]
        >>> where.at(8, np.array([1]), np.array([7])).tolist()
        [4, 7]
        >>> where.at(9, np.array([2]), np.array([0])).tolist()
        [-1, 7, 0]
        """
        if self.slot is not None and slot != self.slot + 1:
            raise InvalidArgument("slot", slot, f"{self.slot + 1}, the next one")
        people = max(len(self._last), int(person.max(initial=-1)) + 1)
        more = people - len(self._last)
        self._last = np.append(self._last, np.full(more, UNKNOWN))
        # Never seen is longer ago than any age.
        self._when = np.append(self._when, np.full(more, np.iinfo(np.int64).min // 2))
        codes = np.where(slot - self._when <= self.age, self._last, UNKNOWN)
        # Of several values for an index, NumPy keeps the last: the first report, read backwards.
        codes[person[::-1]] = code[::-1]
        self._last[person] = code
        self._when[person] = slot
        self.slot = slot
        return codes


def reports_of(log: PositionLog, code: Codes) -> tuple[Codes, Codes, Codes]:
    """Return person, time and code of all that a log reports, by person and time.

    ``code`` is that of each row, :data:`UNKNOWN` if its position does not count. A row that was set
    apart has none either: its person is no longer where they were.
    """
    person = np.concatenate([log.person, log.lost_person])
    time = np.concatenate([log.time, log.lost_time])
    codes = np.append(code, np.full(len(log.lost_time), UNKNOWN))
    order = np.lexsort((time, person))
    return person[order], time[order], codes[order]


def every_slot(
    slot: Codes, person: Codes, code: Codes, *, last: int | None = None
) -> Iterator[tuple[int, Codes, Codes]]:
    """Return each slot from the first to the last, with the people and codes reported in it.

    The arrays are of one length and come in the order of time for each person.
    """
    if not len(slot):
        return
    order = np.argsort(slot, kind="stable")
    slot, person, code = slot[order], person[order], code[order]
    first = int(slot[0])
    until = int(slot[-1]) if last is None else last
    starts = np.searchsorted(slot, np.arange(first, until + 2))
    for number, (start, stop) in enumerate(pairwise(starts.tolist())):
        yield first + number, person[start:stop], code[start:stop]
