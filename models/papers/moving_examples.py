"""A few people who move between two places: the evidence of the ledger on cloaked logs.

A person is a word with a place for each slot: ``01`` was in place 0 and then in place 1.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np

from kproof.models.attacks.intersection import Observer
from kproof.models.moving.cells import GridCells
from kproof.models.moving.elsewhere import certain_elsewhere
from kproof.models.moving.labels import labels_at
from kproof.models.moving.observers import Presence, intersect
from kproof.models.moving.release import CloakedLog
from kproof.models.moving.rules import Mover

_CELLS = GridCells(1000.0)
_PLACES = np.array([0, 1 << 20])
"""Codes of two squares that no shown square has both of."""


def _where(people: tuple[str, ...]) -> tuple[Presence, np.ndarray]:
    places = np.array([[int(place) for place in word] for word in people]).T
    slot, person = np.indices(places.shape).reshape(2, -1)
    code = _PLACES[places.ravel()]
    return Presence.of(slot, person, code, height=_CELLS.height), _PLACES[places]


def _least(presence: Presence, release: CloakedLog) -> tuple[int, ...]:
    results = (intersect(presence, release, observer=observer) for observer in Observer)
    return tuple(result.least or 0 for result in results)


def fewest_by_slot(*people: str, ends: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Return the fewest candidates of a record that shows the place in each slot.

    The first number is that of an observer who knows where everybody is; the second, of one who
    also knows the method. Records end before the slots ``ends``, if any are said.

    >>> fewest_by_slot("00", "00"), fewest_by_slot("00", "00", ends=(2, 1))
    ((2, 2), (2, 1))
    """
    presence, _ = _where(people)
    until = np.array(ends or [len(people[0])] * len(people))
    shown = presence.slot < until[presence.person]
    labels = labels_at(presence.code, _CELLS.height, _CELLS.height)
    rows = (column[shown] for column in (presence.person, presence.slot, labels))
    return _least(presence, CloakedLog.of(*rows))


def _cloak(people: tuple[str, ...], **terms: Any) -> tuple[Presence, CloakedLog, np.ndarray]:
    presence, codes = _where(people)
    mover = Mover(_CELLS, k=2, key=0, widest=1000, **terms)
    steps = [mover.step(slot, np.arange(len(people)), code) for slot, code in enumerate(codes)]
    slot = np.repeat([rows.slot for rows in steps], [len(rows.record) for rows in steps])
    record, label, person = (
        np.concatenate([getattr(rows, name) for rows in steps])
        for name in ("record", "label", "person")
    )
    return presence, CloakedLog.of(record, slot, label), person


def fewest_of_rules(people: int, slots: int) -> tuple[int, ...]:
    """Return the fewest candidates in all worlds of two places, if the rules cloak them for k = 2.

    The numbers are those of the two observers, and the fewest records, if any, that fit what
    somebody knows: a person's places in whichever slots.

    >>> fewest_of_rules(2, 2)
    (2, 2, 2)
    """
    least = [people, people, people]
    words = ["".join(places) for places in product("01", repeat=slots)]
    for world in product(words, repeat=people):
        presence, release, _ = _cloak(world, session=slots)
        if not release.rows:
            continue
        # Where a record has no row it is 0, as where it is hidden: it fits anybody.
        labels = np.zeros((slots, int(release.record.max()) + 1), dtype=np.int64)
        labels[release.slot, release.record] = release.label
        truth = labels_at(_where(world)[1], _CELLS.height, _CELLS.height)
        fits = (labels[:, None] == truth[:, :, None]) | (labels[:, None] == 0)
        fitting = (
            fits[list(slot)].all(axis=0).sum(axis=1)
            for count in range(slots + 1)
            for slot in combinations(range(slots), count)
        )
        counts = np.concatenate([*fitting])
        result = (*_least(presence, release), int(counts[counts > 0].min()))
        least = [min(pair) for pair in zip(least, result, strict=True)]
    return tuple(least)


def count_linked(*people: str) -> int:
    """Return how many people are identified by whoever links their records of one slot each."""
    presence, release, person = _cloak(people, session=1)
    return intersect(presence, CloakedLog.of(person, release.slot, release.label)).identified


def elsewhere(*people: str) -> float:
    """Return the share of cells shown that follow from one other cell of the record."""
    return certain_elsewhere(_cloak(people, session=len(people[0]))[1])


def count_near_others(*paths: Sequence[int], delta: int) -> tuple[Fraction, int]:
    """Return how far (k, delta)-anonymity moves people, and how many their own path still finds.

    All of them are one cluster. In each slot, whoever is more than delta/2 from the mean of all is
    moved towards it until they are not; paths are published without names. Somebody is found if
    the published path nearest to theirs, by the squares of all distances, is theirs alone.

    Args:
        paths: Where each person is on a line in each slot, in metres.
        delta: Width of the uncertainty, in metres.

    Source: Abul, Bonchi, Nanni, "Never Walk Alone", ICDE 2008; the flaw is that of Trujillo-Rasua
    and Domingo-Ferrer, "On the privacy offered by (k, delta)-anonymity", Information Systems 38(4),
    2013.

    >>> count_near_others((0, 0), (100, 100), delta=200)
    (Fraction(0, 1), 2)
    """
    means = [Fraction(sum(slot), len(paths)) for slot in zip(*paths, strict=True)]
    half = Fraction(delta, 2)
    moved = [
        [
            min(max(Fraction(at), mean - half), mean + half)
            for at, mean in zip(path, means, strict=True)
        ]
        for path in paths
    ]
    far = max(
        abs(new - at)
        for path, shown in zip(paths, moved, strict=True)
        for at, new in zip(path, shown, strict=True)
    )
    alone = 0
    for person, path in enumerate(paths):
        apart = [sum((new - x) ** 2 for x, new in zip(path, shown, strict=True)) for shown in moved]
        alone += apart[person] == min(apart) and apart.count(min(apart)) == 1
    return far, alone
