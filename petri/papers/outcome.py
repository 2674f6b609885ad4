"""What came of a publisher: every publication, every other end, and what holds of them all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from kproof.petri.papers.classes import ECs
from kproof.petri.papers.publisher import DISCLOSED, GAINS_NOTHING, INFEASIBLE, Names, Publisher
from kproof.petri.spaces.figures import Figure, so_far
from kproof.petri.spaces.limits import Clock, Ended, clock_for_judging
from kproof.petri.spaces.space import Completeness, InPart, StateSpace


@dataclass(frozen=True)
class PublisherEnds(InPart):
    """The ends of a state space; of a partial one, those that were reached."""

    publications: Mapping[Names, int]
    """By the sensitive values of the published classes: the first end that has them."""
    noise: tuple[int, ...]
    """The numbers of noise rows that occur, ascending."""
    infeasible: tuple[int, ...]
    """Ends in which nothing is published because V ≥ θ (or another check) cannot be met."""
    stuck: tuple[int, ...]
    """Ends in which nothing is published and nothing says why: defects of the net."""
    disclosing: tuple[int, ...]
    """States, ends or not, in which an adversary holds something."""
    publisher: Publisher = field(repr=False)
    space: StateSpace = field(repr=False)
    """Where they come from."""
    status: Completeness = Completeness.FULL
    """Whether these are all ends: the space is full, and the time for judging was not over."""

    @classmethod
    def of(
        cls, publisher: Publisher, space: StateSpace, *, clock: Clock | None = None
    ) -> PublisherEnds:
        """Collect the ends of a publisher's state space, until the clock is over.

        >>> from kproof.petri.spaces.explore import explore
        >>> from kproof.petri.papers.theta_sensitive import theta_publisher
        >>> publisher = theta_publisher([["HIV", "HIV"], ["Flu", "Cancer"]], k=2)
        >>> ends = PublisherEnds.of(publisher, explore(publisher.net()))
        >>> list(ends.publications)[0], ends.noise, ends.verdicts["V >= theta in every class"]
        ((('Cancer', 'HIV'), ('Flu', 'HIV')), (0,), True)
        """
        publications: dict[Names, int] = {}
        noise, infeasible, stuck = set(), [], []
        disclosing: list[int] = []
        clock = clock_for_judging(space) if clock is None else clock
        status = space.status
        try:
            for state in space.dead.tolist():
                clock.tick()
                marking = space.marking(state)
                published = publisher.publications(marking)
                if marking[INFEASIBLE]:
                    infeasible.append(state)
                elif not published:
                    stuck.append(state)
                for ecs in published:
                    publications.setdefault(publisher.names(ecs), state)
                    noise.add(publisher.noise(ecs))
            if DISCLOSED in space.net.place:
                disclosing = space.totals(DISCLOSED).nonzero()[0].tolist()
        except Ended:
            status = Completeness.PARTIAL
        states = tuple(infeasible), tuple(stuck), tuple(disclosing)
        return cls(publications, tuple(sorted(noise)), *states, publisher, space, status)

    @property
    def figures(self) -> dict[str, Figure]:
        """The numbers of publications and of other ends, and the numbers of noise rows."""
        return self.figures_of("publications infeasible stuck disclosing", "noise")

    @property
    def noise_rows(self) -> str:
        """The numbers of noise rows in words."""
        return so_far(", ".join(map(str, self.noise)), final=self.full).of(empty="none")

    @property
    def verdicts(self) -> dict[str, bool | None]:
        """What holds of all ends, by its name.

        None is what nobody can say: that something holds of ends of which not all are known, of
        publications where there is none, or of an adversary who judged nobody.
        """
        verdicts = {"ends are publications or infeasible": self._verdict(not self.stuck)}
        for name, holds in self._of_publications.items():
            verdicts[name] = self._verdict(holds, about=bool(self.publications))
        if DISCLOSED in self.space.net.place:
            judges = self.publisher.judges
            judged = judges is None or any(map(judges, self._publications))
            verdicts[GAINS_NOTHING] = self._verdict(not self.disclosing, about=judged)
        return verdicts

    @property
    def _publications(self) -> Iterator[ECs]:
        """The published classes, of each publication once."""
        for state in self.publications.values():
            yield from self.publisher.publications(self.space.marking(state))

    def _verdict(self, holds: bool, *, about: bool = True) -> bool | None:
        """Return a verdict on what the known ends do not refute, if there is what it is about."""
        # One end refutes in a part as well; that all is well takes every end, and one at least.
        return ((self.full and about) or None) if holds else False

    @property
    def _of_publications(self) -> dict[str, bool]:
        """What no known publication refutes."""
        publisher = self.publisher
        sizes = (len(ec) for names in self.publications for ec in names)
        holds = {"k rows in every class": all(size >= publisher.k for size in sizes)}
        if len(self.space.roots) == 1:
            # From several tables there is none to compare a publication with.
            before = Counter(value for members in publisher.formed.values for value in members)
            holds["records are kept, noise apart"] = all(
                before <= Counter(value for ec in names for value in ec)
                for names in self.publications
            )
        if publisher.threshold is not None:
            holds["V >= theta in every class"] = all(
                publisher.reaches_theta(ec) for ecs in self._publications for ec in ecs
            )
        return holds
