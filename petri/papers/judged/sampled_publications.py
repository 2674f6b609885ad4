"""Random runs of a publisher, as far as they refute what is said of every publication.

A run that breaks a promise, ends without a publication or discloses someone settles that this
happens; how often it does, intervals say. Beliefs are those of an adversary who has not read the
algorithm.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from kproof.models.attacks import BackgroundKnowledge
from kproof.petri.papers.attackers import Attacker, evidence
from kproof.petri.papers.classes import EC, ByRecord, ECs
from kproof.petri.papers.gain import ClassBelief, beliefs_about_class, restrict_to_class
from kproof.petri.papers.publications import ENDS, KEPT, ROWS_OF_K, SENSITIVE
from kproof.petri.papers.publisher import Publisher
from kproof.petri.papers.runs.theta_runs import ThetaMove, ThetaRun, namer_of, steps_of
from kproof.petri.spaces.limits import Clock, Ended
from kproof.petri.spaces.simulate import draws
from kproof.petri.spaces.tallies import Chance
from kproof.theory.theorems.theta import variance

ROWS = 1_000_000
"""Rows of all random runs together, about."""
MOST_RUNS, LEAST_RUNS = 1_000, 20
"""Random runs, however few or many rows there are."""
UNPUBLISHED, CERTAIN = "every run publishes", "nobody's value is certain, the method unknown"

UNNAMED = -1
"""The position of any class of whose people an adversary knows nothing in particular."""


class AdversaryOfClasses:
    """What somebody makes of one class at a time; each class is judged once."""

    def __init__(
        self, publisher: Publisher, knows: BackgroundKnowledge, attackers: tuple[Attacker, ...]
    ) -> None:
        self.publisher, self.knows, self.attackers = publisher, knows, attackers
        self.named = frozenset(
            person.row
            for background in (knows, *(attacker.background for attacker in attackers))
            for person in (*(background.victims or ()), *background.members)
            if person.row is not None
        )
        self._beliefs: dict[tuple[int, EC], tuple[ClassBelief | None, bool]] = {}
        self._disclosures: dict[tuple[str, int, EC], bool | None] = {}

    def belief(self, position: int, ec: EC) -> tuple[ClassBelief | None, bool]:
        """Return the most certain belief about a class, and whether her knowledge allows it."""
        # Of people of whom nothing is known the class says all: one answer serves all positions.
        key = (position if position in self.named else UNNAMED, ec)
        if key not in self._beliefs:
            beliefs = beliefs_about_class(self.publisher, *key, self.knows)
            most = max(beliefs or (), key=lambda belief: belief.certainty, default=None)
            self._beliefs[key] = most, beliefs is not None
        return self._beliefs[key]

    def discloses(self, adversary: Attacker, position: int, ec: EC) -> bool | None:
        """Say whether an attack discloses someone of a class; None if it cannot be so published."""
        key = (adversary.attack, position if position in self.named else UNNAMED, ec)
        if key not in self._disclosures:
            about = restrict_to_class(adversary.background, key[1])
            result = replace(adversary, background=about)(evidence(self.publisher, (ec,)))
            self._disclosures[key] = None if result is None else bool(len(result.disclosed))
        return self._disclosures[key]


class PublicationSample:
    """Random runs, and what they refute."""

    def __init__(self, adversary: AdversaryOfClasses, seed: int) -> None:
        publisher = adversary.publisher
        self.publisher, self.adversary, self.seed = publisher, adversary, seed
        self.runs = self.unfinished = 0
        self.published: set[ECs] = set()
        self.hits: Counter[str] = Counter()
        """By what may happen, how many runs have it."""
        self.first: dict[str, int] = {}
        """The number of the first of them."""
        self.worst: ClassBelief | None = None
        self.believed = False
        """Whether some publication agrees with what is known, and there is a belief about it."""
        self.believes = not isinstance(publisher.kind, ByRecord)
        self._start = ThetaRun(publisher)
        self._steps = 10_000 + 20 * publisher.rows
        self._intact: dict[EC, tuple[str, ...]] = {}
        self._values = publisher.count_values(self._start.classes(publisher))

    def take(self, clock: Clock) -> None:
        """Take runs until there are enough of them, or the clock is over."""
        most = min(MOST_RUNS, max(LEAST_RUNS, ROWS // self.publisher.rows))
        for number in range(1, most + 1):
            try:
                # A set: runs are counted, and many classes of one run may have the same fault.
                happened = set(self._happenings(number, clock))
            except Ended:
                self.unfinished = 1
                return
            self.runs += 1
            self.hits.update(happened)
            for name in happened:
                self.first.setdefault(name, number)

    def _happenings(self, number: int, clock: Clock) -> Iterator[str]:
        """Run through what happens in a run, by name."""
        course = self._start.copy()
        chance, naming = draws(self.seed, number), namer_of(self.seed, number)
        for _ in steps_of(course, chance, naming, self._steps):
            clock.tick()
        if course.ended is not ThetaMove.PUBLISH:
            yield UNPUBLISHED if course.ended is ThetaMove.INFEASIBLE else ENDS
            return
        ecs = course.classes(self.publisher)
        # By `subtract`, as minus would drop what falls below zero: a row that was lost.
        added = self.publisher.count_values(ecs)
        added.subtract(self._values)
        if min(added.values()) < 0 or added.total() != course.noise:
            yield KEPT
        for ec in ecs:
            clock.tick()
            if ec not in self._intact:
                self._intact[ec] = tuple(self._breaches(ec))
            yield from self._intact[ec]
        if self.believes:
            yield from self._learnt(ecs, clock)
        self.published.add(ecs)

    def _breaches(self, ec: EC) -> Iterator[str]:
        threshold = self.publisher.threshold
        assert threshold is not None
        counts = self.publisher.kind.multiset(ec)
        size = sum(counts.values())
        if size < self.publisher.k:
            yield ROWS_OF_K
        if variance(counts.values()) < threshold.at(size):
            yield SENSITIVE

    def _learnt(self, ecs: ECs, clock: Clock) -> Iterator[str]:
        """Run through the ways in which someone is disclosed by a publication."""
        strongest: ClassBelief | None = None
        possible = True
        for position, ec in enumerate(ecs):
            clock.tick()
            belief, agrees = self.adversary.belief(position, ec)
            possible &= agrees
            if belief is not None and (strongest is None or belief.certainty > strongest.certainty):
                strongest = replace(belief, victim=position)
        if possible and strongest is not None:
            self.believed = True
            if self.worst is None or strongest.certainty > self.worst.certainty:
                self.worst = strongest
            if strongest.certainty == 1:
                yield CERTAIN
        for adversary in self.adversary.attackers:
            outcomes = []
            for position, ec in enumerate(ecs):
                clock.tick()
                outcomes.append(self.adversary.discloses(adversary, position, ec))
            # What contradicts her knowledge teaches her nothing.
            if None not in outcomes and True in outcomes:
                yield nobody_by(adversary)

    def chance(self, name: str, event: str, level: Fraction) -> Chance:
        """Return how probable an event is; a run that was broken off may have it or not."""
        total, broken = self.runs + self.unfinished, self.unfinished
        return Chance.of(name, self.hits[event], total, level, unfinished=broken)


def nobody_by(adversary: Attacker) -> str:
    """Return the name of the claim that an attack discloses nobody."""
    return f"{adversary.attack} discloses nobody, the method unknown"
