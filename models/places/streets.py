"""Persons per street with noise: a map of traffic that is worth the same against everyone.

Streets are those of a road network that nobody's data chose, and all of them are published, also
those that nobody was in. One person counts on ``most`` streets at most, the first that they were
in, once each. To every count two-sided geometric noise of rate ε/most is added, drawn exactly. So
the whole of a person's log, in it or not, moves the chances of any map by a factor of e^ε at most.

Source: :mod:`kproof.theory.profiles.noisy_counts`; the seed's "differential privacy integration for
edge weights".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt

import numpy as np

from kproof.errors import DataError
from kproof.forms import JsonForm
from kproof.models.base.adjacency import read_only
from kproof.models.base.arrays import Codes, Floats
from kproof.models.base.parameters import Exact, Whole
from kproof.models.places.city.city import City, Coordinates
from kproof.models.places.city.located import next_crossings
from kproof.models.places.log import PositionLog
from kproof.models.places.plane import plane_around
from kproof.models.places.points import Points
from kproof.theory.exact.coins import CoinSource
from kproof.theory.exact.typed import Number
from kproof.theory.profiles.noisy_counts import MOST_COUNTS

EPSILON = Exact(
    "epsilon", "what the whole log of a person is worth", least=Fraction(1, 1000), most=100
)
MOST = Whole(
    "most", "streets that a person counts on at most", default=20, least=1, most=MOST_COUNTS
)
SNAP = Exact(
    "snap", "longest way of a position to its crossing", default=100, least=0, unit="metres"
)
CLEAR = 2
"""Standard deviations of the noise from which a count is called clear of it."""


@dataclass(frozen=True, eq=False)
class StreetCounts:
    """Persons per street with noise, and what its publisher knows of them."""

    city: City
    """Whose streets they are, in the order of its edges."""
    persons: Codes = field(repr=False)
    """Shape (streets,): with noise; some are below 0. This is what is published."""
    epsilon: Fraction
    most: int
    """Streets that one person counts on at most."""
    fit: bool
    """Whether nobody can compute the noise."""
    exact: Codes = field(repr=False)
    """Shape (streets,): without noise. It is not published, nor is anything below."""
    people: int
    """Who counted on some street."""
    cut: int
    """Who was in more streets than count."""
    far: int
    """Positions too far from a crossing."""

    @property
    def rate(self) -> Fraction:
        """Rate of the noise."""
        return self.epsilon / self.most

    @property
    def deviation(self) -> float:
        """Standard deviation of the noise."""
        fall = float(np.exp(-float(self.rate)))
        return sqrt(2 * fall) / (1 - fall)

    @property
    def clear(self) -> Codes:
        """Shape (streets,): whether a published count is clear of the noise; it tells no more."""
        return read_only(self.persons >= CLEAR * self.deviation)

    @property
    def busiest_error(self) -> float:
        """Median relative error of the busiest tenth of the streets."""
        busiest = np.argsort(-self.exact, kind="stable")[: max(1, len(self.exact) // 10)]
        error = np.abs(self.persons[busiest] - self.exact[busiest])
        # An error of a street without anybody counts as if one person were there.
        return float(np.median(error / np.maximum(self.exact[busiest], 1)))

    @property
    def unreadable(self) -> float:
        """Share of the streets with somebody in them whose count is not clear of the noise."""
        busy = self.exact > 0
        return float((busy & (self.clear == 0)).sum() / max(1, busy.sum()))

    def to_csv(self) -> str:
        """Return what is published: a row for each street, its terms above."""
        names = self.city.names
        head = f"# kproof streets epsilon={self.epsilon} most={self.most} rate={self.rate}"
        head += "\n" if self.fit else " unfit to publish: noise of a seed\n"
        rows = (
            f"{names[start]},{names[end]},{persons},{clear}\n"
            for (start, end), persons, clear in zip(
                self.city.roads.edges.tolist(),
                self.persons.tolist(),
                np.where(self.clear, "yes", "no").tolist(),
                strict=True,
            )
        )
        return head + "start,end,persons,clear\n" + "".join(rows)

    to_dict = JsonForm(
        "streets=city.roads.count epsilon most rate deviation fit people cut far busiest_error",
        "unreadable",
    )


def count_streets(
    log: PositionLog,
    city: City,
    *,
    epsilon: Number,
    most: Number = 20,
    snap: Number = 100,
    coins: CoinSource | None = None,
) -> StreetCounts:
    """Count the persons of a log in each street of a city, with noise.

    A position counts on the street at its nearest crossing that it is nearest to. No position may
    have been left out by what others' are: read the log with ``far=None``.

    Args:
        log: Who was where and when.
        city: Its streets, with crossings in degrees; its own users are not looked at.
        epsilon: What the whole log of a person is worth, 1/1000 to 100.
        most: Streets on which a person counts at most, the first that they were in.
        snap: Metres from the nearest crossing within which a position counts.
        coins: For tests; those of the operating system by default.

    Raises:
        DataError: If the city has no coordinates in degrees or no street.

    >>> city = City.of([0] * 3, [(0, 1), (1, 2)], x=[0, 0.001, 0.002], y=[0] * 3,
    ...                coordinates="degrees")
    >>> log = PositionLog.of([0, 0, 0], [0, 0.0004, 0.0018], users="aab", time=[0, 60, 0])
    >>> counts = count_streets(log, city, epsilon=2, most=1, coins=CoinSource.of_seed(1))
    >>> counts.exact.tolist(), counts.rate, round(counts.deviation, 2), counts.fit
    ([1, 1], Fraction(2, 1), 0.6, False)
    """
    budget, limit = EPSILON.read(epsilon), MOST.read(most)
    if city.x is None or city.y is None or city.coordinates is not Coordinates.DEGREES:
        raise DataError("the crossings have no latitudes and longitudes; need columns lat, lon")
    edges = city.roads.edges
    if not len(edges):
        raise DataError("the city has no street")
    street, near = _streets(log.lat, log.lon, city, edges, float(SNAP.read(snap)))
    # Without any position near, noise alone is published: a refusal would say that nobody was.
    # The first rows of each pair of a person and a street, in the order of people and times.
    person, used = log.person[near], street[near]
    pairs = person * len(edges) + used
    _, first = np.unique(pairs, return_index=True)
    # In the order of people and times again: the first streets of each are those that count.
    first.sort()
    person, used = person[first], used[first]
    starts = np.r_[np.flatnonzero(np.diff(person, prepend=-1)), len(person)]
    ranks = np.arange(len(person)) - np.repeat(starts[:-1], np.diff(starts))
    # Nobody counts on more streets than the noise is made to hide.
    exact = np.bincount(used[ranks < limit], minlength=len(edges)).astype(np.int64)
    source = CoinSource.of_system() if coins is None else coins
    rate = budget / limit
    # On every street: without noise, a 0 would say for certain that nobody was there.
    noise = np.array([source.laplace(rate) for _ in range(len(edges))], dtype=np.int64)
    return StreetCounts(
        city,
        read_only(exact + noise),
        budget,
        limit,
        not source.seeded,
        read_only(exact),
        people=len(starts) - 1,
        cut=int((np.diff(starts) > limit).sum()),
        far=int((~near).sum()),
    )


def _streets(
    lat: Floats, lon: Floats, city: City, edges: Codes, snap: float
) -> tuple[Codes, Codes]:
    """Return the street of each position, and whether it is near enough to a crossing."""
    node, metres = next_crossings(city, lat, lon)
    # The map is made of the crossings, never of positions.
    plane = plane_around(Points.of(*city.degrees))
    crossings = np.column_stack(plane.metres(*city.degrees))
    places = np.column_stack(plane.metres(lat, lon))
    street = np.zeros(len(places), dtype=np.int64)
    least = np.full(len(places), np.inf)
    offsets, targets = city.roads.offsets, city.roads.targets
    # Streets come by their smaller and then by their larger end.
    ends = np.column_stack([np.repeat(np.arange(city.nodes), city.roads.degrees), targets])
    ends.sort(axis=1)
    numbers = edges @ (city.nodes, 1)
    of_arc = np.searchsorted(numbers, ends @ (city.nodes, 1))
    # By the first, second, third, ... street of every crossing: as many turns as the busiest has.
    for turn in range(int(city.roads.degrees.max())):
        rows = np.flatnonzero(city.roads.degrees[node] > turn)
        arc = offsets[node[rows]] + turn
        start, end = crossings[node[rows]], crossings[targets[arc]]
        along = end - start
        # Two crossings at one spot have a street without a length, all of which is its start.
        length = np.maximum((along**2).sum(axis=1), 1e-12)
        share = np.clip(((places[rows] - start) * along).sum(axis=1) / length, 0, 1)
        apart = np.hypot(*(places[rows] - start - share[:, None] * along).T)
        # Ties by the number of the street, so that they do not hang on the order of neighbours.
        better = (apart < least[rows]) | ((apart == least[rows]) & (of_arc[arc] < street[rows]))
        street[rows[better]], least[rows[better]] = of_arc[arc][better], apart[better]
    # A crossing without any street counts nobody.
    return street, (metres <= snap) & np.isfinite(least)
