"""A publishing service for requests from a city whose users move, come and go."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    consumes,
    initialize,
    multiple,
    precondition,
    rule,
)

from kproof.models.attacks.intersection import Observer
from kproof.models.places.regions import RegionRelease
from kproof.proptests.cases import CityCase, Publication
from kproof.proptests.contract import Trial
from kproof.proptests.stateful.composition import Candidates
from kproof.proptests.stateful.service import Service
from kproof.proptests.strategies.places import Roads, grids, planar_roads

Moment = Mapping[int, int]
"""By person, the node they are at."""

_SIZES = st.sampled_from((2, 3, 4))


class CityService(Service):
    """Users appear, move along streets, ask for a region from where they are, and disappear.

    Attributes:
        layout: The roads.
        where: By person, the node they are at now.
        moments: By request, where everybody was.
    """

    people: Bundle[int] = Bundle("people")

    def __init__(self) -> None:
        super().__init__()
        self.layout = Roads(((0, 0),), ())
        self.where: dict[int, int] = {}
        self.moments: list[Moment] = []
        self._appeared = 0

    @initialize(layout=st.one_of(grids(most=3), planar_roads(nodes=6)))
    def begin(self, layout: Roads) -> None:
        """Lay out the roads."""
        self.layout = layout

    @rule(target=people, nodes=st.lists(st.integers(0, 8), min_size=1, max_size=4))
    def appear(self, nodes: list[int]) -> MultipleResults[int]:
        """Add users at nodes, counted on from the first where there are not so many."""
        numbers = range(self._appeared, self._appeared + len(nodes))
        count = len(self.layout.positions)
        self.where |= {number: node % count for number, node in zip(numbers, nodes, strict=True)}
        self._appeared += len(nodes)
        return multiple(*numbers)

    @rule(person=consumes(people))
    def disappear(self, person: int) -> None:
        """Take a user away."""
        del self.where[person]

    @rule(person=people, turn=st.integers(0, 3))
    def move(self, person: int, turn: int) -> None:
        """Let a user walk along one street, if there is one."""
        node = self.where[person]
        # The other end of each street.
        near = sorted({sum(road) - node for road in self.layout.roads if node in road})
        self.where[person] = near[turn % len(near)] if near else node

    @rule(person=people, k=_SIZES)
    def ask(self, person: int, k: int) -> None:
        """Let one user ask."""
        self.publish((person,), k)

    @precondition(lambda self: self.where)
    @rule(k=_SIZES)
    def ask_all(self, k: int) -> None:
        """Let everybody ask at once."""
        self.publish(tuple(self.where), k)

    @precondition(lambda self: self.history)
    @rule(number=st.integers(0, 20))
    def ask_as_before(self, number: int) -> None:
        """Repeat an earlier request for the city as it was then."""
        place = number % len(self.history)
        answer = self.history[place]
        self.moments.append(self.moments[place])
        self.request(answer.case, answer.people)

    def publish(self, people: tuple[int, ...], k: int) -> object:
        """Ask for the regions of some users where they are, and return the answer."""
        users = [0] * len(self.layout.positions)
        for node in self.where.values():
            users[node] += 1
        sizes: dict[str, Any] = dict.fromkeys({"k", "min_k"} & self.subject.parameters, k)
        case = CityCase(
            users=tuple(users),
            roads=self.layout.roads,
            targets=tuple(self.where[person] for person in people),
            positions=self.layout.positions,
            parameters={**sizes, **self.options},
        )
        self.moments.append(dict(self.where))
        return self.request(case, people)

    def candidates(self, observer: Observer = Observer.PRESENCE) -> list[Candidates]:
        """Return who may be the one that asked, for everyone who did and was served.

        Args:
            observer: ``PRESENCE``: whoever is in all the regions. ``METHOD``: only those whose own
                requests would have been answered alike, with the same region or with none.
        """
        sets: dict[int, list[frozenset[int]]] = {}
        served = set()
        for place, (answer, moment) in enumerate(zip(self.history, self.moments, strict=True)):
            fitting = self._by_method(place) if observer is Observer.METHOD else None
            for person, region in _regions(answer.outcome, answer.people):
                candidates = frozenset(user for user, node in moment.items() if node in region)
                if region:
                    served.add(person)
                if fitting is not None:
                    candidates = frozenset(
                        user for user in moment if fitting[moment[user]] == region
                    )
                elif not region:
                    continue
                sets.setdefault(person, []).append(candidates)
        return [Candidates(person, person, tuple(sets[person])) for person in sorted(served)]

    def _by_method(self, place: int) -> Mapping[int, frozenset[int]]:
        """Return the region of every node with users, as a service without a past gives it."""
        case: CityCase = self.history[place].case
        occupied = tuple(sorted(set(self.moments[place].values())))
        outcome = Trial(self.fresh(), replace(case, targets=occupied)).outcome
        return dict(_regions(outcome, occupied))


def _regions(outcome: object, whose: tuple[int, ...]) -> Iterator[tuple[int, frozenset[int]]]:
    """Run through the regions of requests, empty for those that are not served."""
    release = outcome.release if isinstance(outcome, Publication) else None
    for request, person in enumerate(whose):
        nodes = release.region(request).tolist() if isinstance(release, RegionRelease) else []
        yield person, frozenset(nodes)
