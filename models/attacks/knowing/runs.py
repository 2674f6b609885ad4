"""Sums over the runs of a method, with what an adversary knows of each class as their states.

Classes are worked on in order, and a class is looked at before its turn only as a possible donor.
So of a later class she needs a distribution of its contents given what was seen of it: that it was
no donor, or that it gave y for x. Runs that know the same of every class are one state;
probabilities of ending in the publication are summed backwards over the states, those of arriving
forwards, and both meet where a class is finished.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import factorial
from typing import NamedTuple

from flint import fmpq

from kproof.errors import DataError
from kproof.models.attacks.knowing.contents import Content, MethodCase, size_of

FINISHED = -1
"""Number of the distribution of a class that changes no more, and of what has no chance."""


class MethodState(NamedTuple):
    """Where the method is, and what is known of every class."""

    stage: int
    """The class that is worked on."""
    known: tuple[int, ...]
    """Number of the distribution of each class; FINISHED if it changes no more."""
    noise: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    """What is noise in the class before the one that is worked on, and in that one."""
    memory: tuple[bool | int, ...] = ()
    """What else the method remembers."""

    def learn(self, learned: Mapping[int, int]) -> MethodState:
        """Return the state with other distributions of some classes."""
        numbers = (learned.get(place, number) for place, number in enumerate(self.known))
        return self._replace(known=tuple(numbers))


class MethodArc(NamedTuple):
    """What may happen in a state."""

    chance: fmpq
    target: MethodState | None
    """None where everything is published."""
    finished: tuple[tuple[int, Content], ...] = ()
    """Classes that change no more, with what is somebody's in them."""


class RunSums(NamedTuple):
    """What was summed up."""

    chance: fmpq
    """Of the publication."""
    held: tuple[dict[Content, fmpq], ...]
    """For each class, what may be somebody's in it when it changes no more, and the chance that it
    is and that the publication comes out."""
    states: int

    @property
    def posteriors(self) -> tuple[dict[int, Fraction], ...]:
        """For each class, the probability of every value that somebody in it may have."""
        posteriors = []
        for contents in self.held:
            counts: dict[int, fmpq] = defaultdict(lambda: fmpq(0))
            for content, chance in contents.items():
                for code, count in content:
                    counts[code] += chance * count
            people = sum(counts.values(), fmpq(0))
            posteriors.append(
                {code: fraction_of(count / people) for code, count in sorted(counts.items())}
            )
        return tuple(posteriors)


class Runs(ABC):
    """The runs of a method that end in a publication."""

    def __init__(self, case: MethodCase) -> None:
        self.effort = case.effort
        self.published, self.sizes, self.last = case.published, case.sizes, len(case.published) - 1
        self.shares = [fmpq(share.numerator, share.denominator) for share in case.shares]
        self.memory: tuple[bool | int, ...] = ()
        """What the method remembers at first, besides the classes."""
        self.distributions: list[dict[Content, fmpq]] = []
        self._numbers: dict[tuple[tuple[Content, fmpq], ...], int] = {}
        # Runs of different tables meet in the same states.
        self._arcs: dict[MethodState, list[MethodArc]] = {}
        # On the instance, so that it goes with it.
        self.sure = lru_cache(maxsize=1 << 18)(self._number_of)

    @abstractmethod
    def possible(self, position: int) -> Iterable[Content]:
        """Return what a class may have held at first if it was published so."""

    @abstractmethod
    def arcs(self, state: MethodState) -> list[MethodArc]:
        """Return what may happen in a state; what cannot lead to the publication may be missing."""

    def leads_on(self, _: MethodState) -> bool:
        """Say whether a state may lead to the publication; one that may not is not followed."""
        return True

    def sums(self) -> RunSums:
        """Sum backwards and forwards over the states; a DataError if no run ends as published."""
        prior, start = self._start()
        if not prior or not (sums := self.sums_from(start)).chance:
            raise DataError("the method publishes no table so")
        return sums._replace(chance=prior * sums.chance)

    def sums_of(self, table: Sequence[Content]) -> RunSums:
        """Return the sums over the runs from one table; the chance may be 0."""
        return self.sums_from(MethodState(0, tuple(map(self.sure, table)), memory=self.memory))

    def sums_from(self, start: MethodState) -> RunSums:
        """Sum backwards and forwards over the states that one leads to."""
        # Each state after those it leads to: ends are summed in this order, arrivals against it.
        order = self._explore(start)
        ending: dict[MethodState, fmpq] = {}
        for state in order:
            chances = (arc.chance * _end(ending, arc.target) for arc in self._arcs[state])
            ending[state] = sum(chances, fmpq(0))
        arriving: dict[MethodState, fmpq] = defaultdict(lambda: fmpq(0), {start: fmpq(1)})
        held: tuple[dict[Content, fmpq], ...] = tuple({} for _ in self.published)
        for state in reversed(order):
            for arc in self._arcs[state]:
                through = arriving[state] * arc.chance
                chance = through * _end(ending, arc.target)
                if not chance:
                    continue
                if arc.target is not None:
                    arriving[arc.target] += through
                for position, content in arc.finished:
                    held[position][content] = held[position].get(content, fmpq(0)) + chance
        return RunSums(ending[start], held, len(order))

    def originals(self, position: int) -> dict[Content, fmpq]:
        """Return what a class may have held at first if it was published so, with prior chances."""
        return {
            content: self._prior(content)
            for content in self.possible(position)
            if size_of(content) == self.sizes[position]
        }

    def number(self, weights: Mapping[Content, fmpq]) -> tuple[fmpq, int]:
        """Return the sum of weights, and the number of the distribution that they are shares of."""
        total = sum(weights.values(), fmpq(0))
        if not total:
            return total, FINISHED
        # Sorted and of sum 1: one distribution has one number, whichever moves led to it.
        key = tuple(sorted((content, weight / total) for content, weight in weights.items()))
        number = self._numbers.setdefault(key, len(self.distributions))
        if number == len(self.distributions):
            self.distributions.append(dict(key))
        return total, number

    def reveal(self, state: MethodState) -> list[MethodArc]:
        """Return an arc for each content of the class that is worked on."""
        # In its own turn only: until then one state stands for all contents of a class.
        here = self.distributions[state.known[state.stage]]
        return [
            MethodArc(chance, state.learn({state.stage: self.sure(content)}))
            for content, chance in here.items()
        ]

    def content_of(self, state: MethodState, position: int) -> Content | None:
        """Return what a class holds; None if that is not certain."""
        distribution = self.distributions[state.known[position]]
        return next(iter(distribution)) if len(distribution) == 1 else None

    def _number_of(self, content: Content) -> int:
        return self.number({content: fmpq(1)})[1]

    def _start(self) -> tuple[fmpq, MethodState]:
        """Return the prior chance of contents that may lead to the publication, and the state."""
        chance, numbers = fmpq(1), []
        for position in range(len(self.sizes)):
            share, number = self.number(self.originals(position))
            chance *= share
            numbers.append(number)
        return chance, MethodState(0, tuple(numbers), memory=self.memory)

    def _prior(self, content: Content) -> fmpq:
        # A multinomial: whose which value is does not show in a content.
        chance = fmpq(factorial(size_of(content)))
        for code, count in content:
            chance *= self.shares[code] ** count / factorial(count)
        return chance

    def _explore(self, start: MethodState) -> list[MethodState]:
        """Find what may happen in each state; return all states, each after those it leads to."""
        arcs = self._arcs
        order: list[MethodState] = []
        visited: set[MethodState] = set()
        # Every move goes on, widens a class or gives it one more value: no state comes again in a
        # run, so that depth first is enough to order them.
        stack: list[tuple[MethodState, bool]] = [(start, False)]
        while stack:
            state, explored = stack.pop()
            if explored:
                order.append(state)
            elif state not in visited:
                visited.add(state)
                # Each class of a state is compared with what is published.
                self.effort.spend(len(self.published))
                if state not in arcs:
                    arcs[state] = [
                        arc
                        for arc in self.arcs(state)
                        if arc.chance and (arc.target is None or self.leads_on(arc.target))
                    ]
                stack.append((state, True))
                stack += [(arc.target, False) for arc in arcs[state] if arc.target is not None]
        return order


def _end(ending: Mapping[MethodState, fmpq], target: MethodState | None) -> fmpq:
    return fmpq(1) if target is None else ending[target]


def fraction_of(number: fmpq) -> Fraction:
    """Return a number of flint as one of Python."""
    return Fraction(int(number.p), int(number.q))
