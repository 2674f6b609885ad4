"""Moving users who ask again and again, and the attack that intersects their regions.

At every time each user asks from where they are, and the requests of one user can be told to be
of one user: a pseudonym, a session. The observer keeps those who fit every region so far. That
everyone in a region gets the same one holds at each time alone: over time the cells change with
the users, so that candidates are lost in the corrected reading too. That no region is published
is seen as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kproof.errors import InvalidArgument
from kproof.models.base.adjacency import read_only
from kproof.models.base.arrays import Codes
from kproof.models.base.parameters import SEED
from kproof.models.base.verdict import SCHEMA
from kproof.models.places.city.city import City
from kproof.models.places.density.method import DensityRelease, density
from kproof.theory.exact.typed import Number, choice, integer, rational


class Observer(StrEnum):
    """What an observer knows besides the regions and where everybody is at each time."""

    PRESENCE = "presence"
    """Nothing: whoever is inside all the regions may be the one."""
    METHOD = "method"
    """How regions are made: only those who would have had these regions may be."""


@dataclass(frozen=True, eq=False)
class Journeys:
    """Where each user is at each time; built by :meth:`of` or :func:`random_walks`."""

    city: City
    """The roads; its own users do not count."""
    positions: Codes = field(repr=False)
    """Shape (times, users): node of each user."""

    @classmethod
    def of(cls, city: City, positions: ArrayLike) -> Journeys:
        """Return the journeys along nodes of a city, by time and user; not everyone walks.

        >>> street = City.of([0, 0, 0], [(0, 1), (1, 2)])
        >>> Journeys.of(street, [[0, 1, 1], [1, 1, 2]]).at(1).users.tolist()
        [0, 2, 1]
        """
        nodes = np.asarray(positions)
        if nodes.ndim != 2 or nodes.dtype.kind not in "iu" or not len(nodes):
            raise InvalidArgument("positions", nodes.shape, "whole numbers by time and user")
        outside = nodes[(nodes < 0) | (nodes >= city.nodes)]
        if len(outside):
            raise InvalidArgument("positions", outside[0], f"nodes from 0 to {city.nodes - 1}")
        return cls(city, read_only(nodes))

    @property
    def times(self) -> int:
        """Number of times."""
        return len(self.positions)

    @property
    def users(self) -> int:
        """Number of users."""
        return int(self.positions.shape[1])

    def at(self, time: int) -> City:
        """Return the city with its users as they are at a time."""
        counts = np.bincount(self.positions[time], minlength=self.city.nodes)
        return replace(self.city, users=read_only(counts))


@dataclass(frozen=True, eq=False)
class Intersection:
    """Who fits the regions of each user so far; from :func:`intersection_attack`."""

    observer: Observer
    """What the observer knows."""
    releases: tuple[DensityRelease, ...] = field(repr=False)
    """What was published at each time, with a request from every node that has users."""
    counts: Codes = field(repr=False)
    """Shape (times, users): candidates left for each user after each time, the user included;
    0 while nothing of them has been published."""
    k: Codes = field(repr=False)
    """Shape (times, users): users the region of each user had to hold."""
    groups: Codes = field(repr=False)
    """Shape (times, users): users of one group have had the same regions so far."""
    candidate_sets: tuple[tuple[Codes, ...], ...] = field(repr=False)
    """By time and group, the candidates in ascending order."""

    def candidates(self, user: int, *, time: int = -1) -> Codes:
        """Return the users who fit the regions of a user up to a time, the last unless given."""
        return self.candidate_sets[time][int(self.groups[time, user])]

    @property
    def short(self) -> tuple[int, ...]:
        """At each time, users for whom fewer candidates are left than the k of their region."""
        served = self.counts > 0
        return tuple(np.count_nonzero(served & (self.counts < self.k), axis=1).tolist())

    @property
    def identified(self) -> tuple[int, ...]:
        """At each time, users who are the only candidate left."""
        return tuple(np.count_nonzero(self.counts == 1, axis=1).tolist())

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form: figures by time."""
        times = []
        for counts, short, alone in zip(self.counts, self.short, self.identified, strict=True):
            served = counts[counts > 0]
            mean = float(served.mean()) if len(served) else None
            figures = {"served": len(served), "fewer_than_k": short, "identified": alone}
            times.append(figures | {"mean_candidates": mean})
        users = self.counts.shape[1]
        return {"schema": SCHEMA, "observer": str(self.observer), "users": users, "times": times}


def random_walks(
    city: City, *, times: Number = 10, stay: Number = "1/2", seed: Number = 0
) -> Journeys:
    """Return the journeys of the city's users, who walk at random.

    Of the times the first is where they are. A user does not move with probability ``stay``;
    otherwise each street is as likely.

    >>> walks = random_walks(City.grid(3, 3, users=4, seed=1), times=3, seed=1)
    >>> walks.times, walks.users
    (3, 4)
    """
    count = integer("times", times, least=1)
    resting = rational("stay", stay)
    if not 0 <= resting <= 1:
        raise InvalidArgument("stay", stay, "0 <= stay <= 1")
    # Another stream than that of users spread with the same seed.
    rng = np.random.default_rng((2, SEED.read(seed)))
    roads = city.roads
    positions = np.repeat(np.arange(city.nodes, dtype=np.int64), city.users)
    moments = [positions]
    for _ in range(count - 1):
        degrees = roads.degrees[positions]
        moving = (rng.random(len(positions)) >= float(resting)) & (degrees > 0)
        # An empty range is an error, and where no road is nobody moves anyway.
        chosen = rng.integers(0, np.maximum(degrees, 1))
        positions = positions.copy()
        positions[moving] = roads.targets[roads.offsets[positions[moving]] + chosen[moving]]
        moments.append(positions)
    return Journeys(city, read_only(np.stack(moments)))


def intersection_attack(
    journeys: Journeys, *, observer: Observer | str = Observer.METHOD, **options: Any
) -> Intersection:
    """Cloak every user at every time, and return who may be behind each series of regions.

    All users ask at all times; ``options`` are those of
    :func:`kproof.models.places.density.method.density`, without targets. Two who are together at
    first and part are told apart:

    >>> street = City.of([0, 0, 0, 0], [(0, 1), (1, 2), (2, 3)])
    >>> walks = Journeys.of(street, [[0, 0, 3, 3], [0, 3, 0, 3]])
    >>> found = intersection_attack(walks, levels=2, thresholds=(), least_nodes=1)
    >>> found.counts.tolist(), found.identified
    ([[2, 2, 2, 2], [1, 1, 1, 1]], (0, 4))
    """
    knows = choice("observer", observer, Observer)
    if "targets" in options:
        raise InvalidArgument("targets", options["targets"], "none; all users ask")
    groups = np.zeros(journeys.users, dtype=np.int64)
    sets = [read_only(np.arange(journeys.users))]
    served = np.zeros(journeys.users, dtype=np.bool_)
    releases, counts, asked_k, parts, candidate_sets = [], [], [], [], []
    for time in range(journeys.times):
        release = density(journeys.at(time), **options)
        positions = journeys.positions[time]
        region_of = _region_numbers(release)[positions]
        # Once told apart, users stay so: groups are only ever cut.
        pairs, groups = np.unique(np.stack([groups, region_of]), axis=1, return_inverse=True)
        # Some versions of NumPy return this in two dimensions.
        groups = groups.reshape(-1)
        sets = [
            _narrow(release, positions, region_of, knows, sets[before], region)
            for before, region in pairs.T.tolist()
        ]
        # Before the first region nothing of a user is out: all would be candidates of nothing.
        served = served | (region_of >= 0)
        sizes = np.array([len(members) for members in sets], dtype=np.int64)
        releases.append(release)
        counts.append(np.where(served, sizes[groups], 0))
        asked_k.append(release.wanted[positions])
        parts.append(groups)
        candidate_sets.append(tuple(sets))
    return Intersection(
        observer=knows,
        releases=tuple(releases),
        counts=read_only(np.stack(counts)),
        k=read_only(np.stack(asked_k)),
        groups=read_only(np.stack(parts)),
        candidate_sets=tuple(candidate_sets),
    )


def _region_numbers(release: DensityRelease) -> Codes:
    """Return a number for each node, the same for those with one region, -1 for none."""
    numbers = np.full(release.city.nodes, -1, dtype=np.int64)
    number: dict[bytes, int] = {}
    for request, node in enumerate(release.targets.tolist()):
        if not release.insufficient[request]:
            numbers[node] = number.setdefault(release.region(request).tobytes(), request)
    return numbers


def _narrow(
    release: DensityRelease,
    positions: Codes,
    region_of: Codes,
    observer: Observer,
    before: Codes,
    region: int,
) -> Codes:
    """Return those of the candidates who fit one more region, given by one of its requests."""
    if observer is Observer.METHOD:
        # -1 as well: that no region is published is seen, and only some would have had none.
        fits = region_of[before] == region
    elif region >= 0:
        fits = np.isin(positions[before], release.region(region))
    else:
        return before
    return read_only(before[fits])
