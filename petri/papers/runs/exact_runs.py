"""All runs of a publisher at once: what happens in them, and who is disclosed, exactly.

A net that works in stages forgets its finished classes (:mod:`kproof.petri.spaces.stages`). That
changes neither which firings there are nor how many, so that each run has the same probability, and
tables can be taken whose whole state space nobody could explore. On the level of values an attack
on a class depends on that class alone: who is disclosed is a sum over the arcs on which a class is
forgotten, weighted forwards and backwards.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache

from kproof.models.attacks import Disclosure
from kproof.petri.papers.api import TableNet
from kproof.petri.papers.attackers import Attacker, evidence, hits, prepare, victims
from kproof.petri.papers.classes import ByRecord, ECs
from kproof.petri.papers.gain import class_token, restrict_to_class
from kproof.petri.papers.masking import MASKED
from kproof.petri.papers.runs.lessons import DISCLOSES, ClassLesson, Lesson
from kproof.petri.papers.runs.publisher_runs import class_of_victim, largest_bet
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.simulate import Arrivals, arrivals, every_run, forwards, worths_of
from kproof.petri.spaces.space import Budget, StateSpace
from kproof.petri.spaces.stages import StagedSpace, forget
from kproof.petri.spaces.tallies import Chance, Simulation, Tally


@dataclass(frozen=True)
class AllRuns:
    """All runs of a publisher's net."""

    net: TableNet
    """The net."""
    space: StateSpace
    """Its states, with finished classes forgotten where the net allows; perhaps a part of them."""
    staged: StagedSpace | None
    """The same, if classes are forgotten."""

    @classmethod
    def of(cls, net: TableNet, *, budget: Budget | None = None) -> AllRuns:
        """Explore the runs of a net; attackers and labels in it look at all classes again."""
        publisher = net.publisher
        if (
            not publisher.staged
            or net.attackers
            or MASKED in net.net.place
            or isinstance(publisher.kind, ByRecord)
        ):
            return cls(net, explore(net.net, budget=budget), None)
        staged = forget(net.net, publisher.staged, budget=budget)
        return cls(net, staged.space, staged)

    def simulation(self) -> Simulation:
        """Return what happens in all runs; NetError if one goes on for ever."""
        counted = every_run(self.space, watch=self.net.publisher.watch())
        return replace(counted, net=self.net.net.name)

    def lessons(self, attackers: Sequence[Attacker]) -> tuple[Lesson, ...]:
        """Return what each attacker learns from the publications; none if nothing is published.

        Shares are exact probabilities, of a publication, in place of intervals.
        """
        # Shares are of the publications: without any there is nothing to divide by.
        if not self._probability_of_publishing:
            return ()
        ready = (prepare(self.net.publisher, adversary) for adversary in attackers)
        return tuple(map(self._lesson, ready))

    @property
    def _probability_of_publishing(self) -> Fraction:
        """The probability that a run publishes."""
        return self._onwards[int(self.space.roots[0])]

    @cached_property
    def _ends(self) -> dict[int, ECs]:
        """What is published in each state that ends with a publication; what is left of it."""
        publisher, staged = self.net.publisher, self.staged
        if staged is None:
            return dict(publisher.every_publication(self.space))
        ends = [state for state in self.space.dead.tolist() if staged.ends[state]]
        return {
            state: tuple(map(class_token, staged.row(state)[int(staged.forgotten[state]) :]))
            for state in ends
        }

    @cached_property
    def _onwards(self) -> list[Fraction]:
        """By state, the probability that a run which is there publishes."""
        return self._backwards(dict.fromkeys(self._ends, Fraction(1)), ())

    def _backwards(self, ends: Mapping[int, Fraction], barred: Collection[int]) -> list[Fraction]:
        """Return by state the mean of what the ends are worth; barred arcs are worth nothing."""
        return worths_of(self.space, self._arrivals.order, ends, barred=barred)

    @cached_property
    def _arrivals(self) -> Arrivals:
        return arrivals(self.space)

    def _lesson(self, adversary: Attacker) -> Lesson:
        total = len(set(victims(self.net.publisher, adversary.background)))
        attack = self._attack_whole if self.staged is None else self._attack
        tally = attack(adversary)
        share = tally.people / total if total else Fraction(0)
        ways = self._arrivals.ways
        return Lesson(
            adversary.attack,
            tally.rule,
            sum(ways[state] for state in self._ends),
            total,
            _certainly(tally.anyone),
            (share, float(share), float(share)),
            None,
            None,
            tally.remarks,
            tuple(
                ClassLesson(at, _certainly(chance), tally.last_change(at))
                for at, chance in sorted(
                    tally.classes.items(), key=lambda pair: (-pair[1], pair[0])
                )
            ),
            tally.bet,
        )

    def _attack_whole(self, adversary: Attacker) -> _AttackTally:
        """Attack each publication of a space in which nothing is forgotten."""
        publisher, tally = self.net.publisher, _AttackTally()
        sought = set(victims(publisher, adversary.background))
        attack = lru_cache(maxsize=None)(lambda ecs: adversary(evidence(publisher, ecs)))
        for state, ecs in self._ends.items():
            weight = self._arrivals.probability[state] / self._probability_of_publishing
            disclosure, class_of = attack(ecs), class_of_victim(publisher, ecs)
            tally.take(disclosure)
            hit = Counter(class_of(row) for row in hits(disclosure) if row in sought)
            tally.anyone += weight * bool(hit)
            tally.add(hit, weight)
        return tally

    def _attack(self, adversary: Attacker) -> _AttackTally:
        """Attack each form that a class has where it is forgotten, or published at the end.

        A class that contradicts what is known makes the whole publication one that nothing is
        learnt from: then nobody is disclosed in other classes either.
        """
        assert self.staged is not None
        space, staged, tally = self.space, self.staged, _AttackTally()
        publisher = self.net.publisher

        @cache
        def attack(at: int, letter: object) -> Disclosure | None:
            knows = replace(adversary, background=restrict_to_class(adversary.background, at))
            return knows(evidence(publisher, (class_token(letter),)))

        def spell(state: int, letters: Iterable[object]) -> dict[int, Disclosure | None]:
            """Return what letters disclose by class, the first not forgotten in a state."""
            first = int(staged.forgotten[state])
            return {at: attack(at, letter) for at, letter in enumerate(letters, start=first)}

        arcs = {
            arc: spell(int(space.sources[arc]), letters)
            for arc, letters in staged.emissions.items()
        }
        ends = {state: spell(state, letters) for state, letters in self._ends.items()}
        contradicted = {arc for arc, learnt in arcs.items() if None in learnt.values()}
        possible = {state: Fraction(None not in learnt.values()) for state, learnt in ends.items()}
        onwards = self._backwards(possible, contradicted)
        # Each arc is one step, and the count that arrives with it says when a class was settled.
        ones = [1] * space.arcs
        for arc, state, chances in forwards(space, self._arrivals.order, ones, barred=contradicted):
            learnt = ends.get(state, {}) if arc is None else arcs.get(arc, {})
            if learnt and chances and onwards[state]:
                weight = onwards[state] / self._probability_of_publishing
                tally.take_classes(learnt, {step: p * weight for step, p in chances.items()})
        unsafe = {arc for arc, learnt in arcs.items() if any(learnt.values())}
        safe = {
            state: possible[state] * (not any(learnt.values())) for state, learnt in ends.items()
        }
        root = int(space.roots[0])
        # By the complement: ways on which several classes disclose someone would be counted twice.
        without = self._backwards(safe, contradicted | unsafe)[root]
        tally.anyone = (onwards[root] - without) / self._probability_of_publishing
        # Some publications contradict what she knows, which is said beside what others disclose.
        if onwards[root] < self._probability_of_publishing:
            tally.take(None)
        return tally


class _AttackTally:
    """What an attack on all publications comes to."""

    def __init__(self) -> None:
        self.rule, self.remarks = "", tuple[str, ...]()
        self.bet: Fraction | None = None
        self.anyone = self.people = Fraction(0)
        self.classes: defaultdict[int, Fraction] = defaultdict(Fraction)
        self.steps: dict[int, defaultdict[int, Fraction]] = {}

    def take(self, disclosure: Disclosure | None) -> None:
        """Note the rule, and the largest probability of a bet."""
        if disclosure is None:
            self.remarks = ("some publications contradict what is known",)
            return
        self.rule = disclosure.rule
        if (bet := largest_bet(disclosure)) is not None:
            self.bet = max(self.bet or Fraction(0), bet)

    def add(self, people: Mapping[int, int], weight: Fraction) -> None:
        """Note that so many people of each class are disclosed with some probability."""
        for at, count in people.items():
            self.classes[at] += weight
            self.people += weight * count

    def last_change(self, at: int) -> Tally | None:
        """Return the steps after which a class changes no more where someone is disclosed."""
        steps = self.steps.get(at)
        if steps is None:
            return None
        total = self.classes[at]
        return Tally("step, settled", {step: steps[step] / total for step in sorted(steps)})

    def take_classes(
        self, learnt: Mapping[int, Disclosure | None], chances: Mapping[int, Fraction]
    ) -> None:
        """Note what is learnt of classes, each by itself, which are settled by some steps."""
        for at, disclosure in learnt.items():
            self.take(disclosure)
            if disclosure:
                self.add({at: len(disclosure.disclosed)}, sum(chances.values(), Fraction(0)))
                steps = self.steps.setdefault(at, defaultdict(Fraction))
                for step, chance in chances.items():
                    steps[step] += chance


def _certainly(chance: Fraction) -> Chance:
    return Chance(DISCLOSES, chance, chance, chance)
