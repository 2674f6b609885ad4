"""Algorithm 1 as it is printed, seen by who knows it."""

from functools import lru_cache
from itertools import combinations
from math import comb

from flint import fmpq

from kproof.models.attacks.knowing.contents import (
    Content,
    MethodCase,
    add,
    singles,
    size_of,
    without,
)
from kproof.models.attacks.knowing.exchanging import ExchangingRuns
from kproof.models.attacks.knowing.reach import Reach, exchanges_before
from kproof.models.attacks.knowing.runs import MethodArc, MethodState

_NOBODY = -1
"""Stands for a donor where no class is known to be one."""


class PrintedReach(Reach):
    """Contents from which a class can still come out of the printed algorithm as published.

    A donor is the class before its turn and is never judged again, so that it may hold anything
    once it gave something away. What a class gets in its own turn it has once and never gives away,
    as in the corrected algorithm: it exchanges as long as V < θ, and then repeats what it gives.
    """

    def _before_turn(self, _: int, position: int) -> frozenset[Content]:
        # Line 31: nobody but the class before it takes from a class.
        return self.before_gifts(range(max(position - 1, 0), position), position, passing=None)

    def ends(self, position: int) -> frozenset[Content]:
        """Return what a class may hold after its own turn."""
        ends = frozenset({self.published[position]})
        if position == len(self.published) - 2:
            ends |= frozenset(self.cross_moves(self.published[position]))
        return ends

    def _own(self, position: int) -> frozenset[Content]:
        ends, before = self.ends(position), set()
        for content in ends:
            for noise in combinations(singles(content), size_of(content) - self.sizes[position]):
                self.effort.spend()
                before.add(without(content, noise))
        return ends | self.closure(frozenset(before), exchanges_before, passing=False)


class PrintedRuns(ExchangingRuns):
    """Runs of the algorithm line by line.

    They are those of :func:`kproof.models.tables.theta.runs.adjust_printed`, over all ties. It
    remembers how many turns of line 9 are left, and the last class of which is known that its first
    variance exceeded θ, since it was asked for a value: it is published as its neighbour left it.
    ``by_rules`` says that a class of V = θ is stuck, for want of a branch of Rule (6), where line
    10 has it pass.
    """

    def __init__(self, case: MethodCase, *, by_rules: bool) -> None:
        reach = PrintedReach(case)
        super().__init__(case, reach)
        self.by_rules = by_rules
        self.ends = lru_cache(maxsize=None)(reach.ends)
        self.memory = (len(case.published), _NOBODY)
        self.exceeds = lru_cache(maxsize=None)(
            lambda content: case.threshold.exceeds(dict(content))
        )
        self.split = lru_cache(maxsize=1 << 18)(self._split)
        self.noise_needed = lru_cache(maxsize=None)(self._noise_needed)

    def gives(self, _: Content) -> bool:
        """Say yes: whoever is asked passed at first, and is never judged again (line 6)."""
        return True

    def arcs(self, state: MethodState) -> list[MethodArc]:
        """Return what may happen in a turn of line 9."""
        stage, (turns, donor) = state.stage, state.memory
        if not turns:
            return self._stop(state)
        content = self.content_of(state, stage)
        if content is None:
            return self.reveal(state)
        if content not in self.reach.own[stage]:
            return []
        after = state._replace(memory=(turns - 1, donor))
        if donor == stage or self.exceeds(content):
            return self.finish(after, content)
        if self.reach.passes(content):
            return [] if self.by_rules else self.finish(after, content)
        if stage == self.last:
            return self._end_last(after, content)
        return self._ask_next(after, content)

    def _stop(self, state: MethodState) -> list[MethodArc]:
        """Publish every class that was not reached as it is (line 49)."""
        # The class before the last is open as long as the last may exchange with it.
        first = state.stage - (state.stage == self.last > 0)
        chance, finished = fmpq(1), []
        for position in range(first, self.last + 1):
            content = self.published[position]
            chance *= self.distributions[state.known[position]].get(content, fmpq(0))
            noise = state.noise[0] if position < state.stage else state.noise[1]
            finished.append((position, without(content, noise)))
        return [MethodArc(chance, None, tuple(finished))]

    def _end_last(self, state: MethodState, content: Content) -> list[MethodArc]:
        """Exchange once with the class before, and add noise if that is not enough."""
        exchanges = self.exchange_back(state, content)
        if not exchanges:
            return self._add_noise(state, content, fmpq(1))
        arcs: list[MethodArc] = []
        for chance, target, _ in exchanges:
            assert target is not None
            received = self.content_of(target, target.stage)
            if not chance or received is None:
                continue
            if self.reach.passes(received):
                arcs += self.finish(target, received, chance)
            else:
                arcs += self._add_noise(target, received, chance)
        return arcs

    def _ask_next(self, state: MethodState, content: Content) -> list[MethodArc]:
        """Exchange with the next class if its first variance exceeded θ, else add noise."""
        stage, (turns, donor) = state.stage, state.memory
        following = stage + 1
        number = state.known[following]
        arcs: list[MethodArc] = []
        share = fmpq(1)
        if donor != following:
            (unable, number_unable), (share, number) = self.split(number)
            if unable:
                # Of a class that gives nothing only that is known: its V is at most θ.
                without_donor = state.learn({following: number_unable})
                arcs += self._add_noise(without_donor, content, unable)
            if not share:
                return arcs
        state = state._replace(memory=(turns, following))
        gifts, (refused, refusing) = self.offers(stage, content, following, number)
        if refused:
            # Neither class changes any more: the same happens in every turn that is left.
            stuck = state.learn({following: refusing})._replace(memory=(0, following))
            arcs.append(MethodArc(share * refused, stuck))
        for gift, received, donor_left in gifts:
            after = state.learn({stage: received, following: donor_left})
            (outcome,) = self.distributions[received]
            if self.exceeds(outcome):
                arcs += self.finish(after, outcome, share * gift)
            else:
                arcs.append(MethodArc(share * gift, after))
        return arcs

    def _split(self, number: int) -> list[tuple[fmpq, int]]:
        """Return the parts of a distribution with V at most θ, and above it."""
        weights = self.distributions[number].items()
        return [
            self.number({own: weight for own, weight in weights if self.exceeds(own) is above})
            for above in (False, True)
        ]

    def _add_noise(self, state: MethodState, content: Content, chance: fmpq) -> list[MethodArc]:
        """Fill the class up until V > θ, and go on (line 43).

        How many rows that takes depends on how often values occur alone, so that evenly decided
        ties make every set of so many absent values as likely as any other.
        """
        needed = self.noise_needed(content)
        absent = len(self.shares) - len(content)
        if needed is None:
            return []
        stage, (before, here) = state.stage, state.noise
        arcs = []
        for wider in self.ends(stage):
            present = dict(content)
            noise = tuple(code for code, _ in wider if code not in present)
            if size_of(wider) - size_of(content) != needed or without(wider, noise) != content:
                continue
            if self.ties.even:
                share = chance / comb(absent, needed)
            elif set(noise) == set(self.ties.noise_in_order(content)[:needed]):
                share = chance
            else:
                continue
            noise = tuple(sorted((*here, *noise)))
            filled = state.learn({stage: self.sure(wider)})._replace(noise=(before, noise))
            arcs += self.finish(filled, wider, share)
        return arcs

    def _noise_needed(self, content: Content) -> int | None:
        """Return how many rows of noise a class gets; None if there are not so many values."""
        present = dict(content)
        absent = [code for code in range(len(self.shares)) if code not in present]
        # Any absent values will do: V depends on how often values occur, not on which.
        for number, code in enumerate(absent, 1):
            content = add(content, code, 1)
            if self.exceeds(content):
                return number
        return None
