"""Exchanges and ends of classes in both readings of Algorithm 1, and the reading that is meant."""

from abc import abstractmethod
from collections.abc import Iterable
from functools import lru_cache
from itertools import product

from flint import fmpq

from kproof.models.attacks.knowing.contents import (
    Content,
    MethodCase,
    add,
    exchange,
    size_of,
    without,
)
from kproof.models.attacks.knowing.reach import Reach
from kproof.models.attacks.knowing.runs import FINISHED, MethodArc, MethodState, Runs
from kproof.models.tables.theta import moves

_FIELD = 32
"""Bits of a count that is packed beside others; no class has as many rows."""


class ExchangingRuns(Runs):
    """Runs of a method that goes through its classes in order and exchanges values between them."""

    def __init__(self, case: MethodCase, reach: Reach) -> None:
        super().__init__(case)
        self.ties = case.ties
        self.reach = reach
        self._ranges: list[tuple[int, int]] = []
        self._totals = self._totals_from_class_on()
        self._guards = _pack([1 << _FIELD - 1] * len(case.shares))
        self.offers = lru_cache(maxsize=1 << 18)(self._offers)
        self.narrow = lru_cache(maxsize=1 << 18)(self._narrow)

    @abstractmethod
    def gives(self, content: Content) -> bool:
        """Say whether a later class that holds this may give a value away."""

    def possible(self, position: int) -> Iterable[Content]:
        """Return what a class may have held at first if it was published so."""
        return self.reach.before_turn(0, position)

    def leads_on(self, state: MethodState) -> bool:
        """Say whether the values of the classes that may change can be those that are published.

        An exchange takes nothing away and adds nothing; noise is single.
        """
        first = state.stage
        while first and state.known[first - 1] != FINISHED:
            first -= 1
        shown, real = self._totals[first]
        ranges = [self._range(number) for number in state.known[first:]]
        least, most = sum(low for low, _ in ranges), sum(high for _, high in ranges)
        # A guard above each field is lent to it; where it is gone, the field was too small.
        guards = self._guards
        return not (guards & ~((shown | guards) - least) or guards & ~((most | guards) - real))

    def finish(
        self, state: MethodState, content: Content, chance: fmpq | None = None
    ) -> list[MethodArc]:
        """Go on with the next class, or end; by default for certain."""
        chance = fmpq(1) if chance is None else chance
        stage, noise = state.stage, state.noise
        if stage == self.last:
            ended = {stage: (content, noise[1])}
            if stage and (before := self.content_of(state, stage - 1)) is not None:
                ended[stage - 1] = (before, noise[0])
        else:
            # The class before the last may still exchange with it.
            ended = {stage: (content, noise[1])} if stage < self.last - 1 else {}
        # Finished otherwise it is another publication: the run ends without a chance.
        if any(content != self.published[place] for place, (content, _) in ended.items()):
            return []
        finished = tuple((place, without(*parts)) for place, parts in ended.items())
        if stage == self.last:
            return [MethodArc(chance, None, finished)]
        learned = dict.fromkeys(ended, FINISHED)
        for position in range(stage + 1, self.last + 1):
            share, learned[position] = self.narrow(stage + 1, position, state.known[position])
            chance *= share
        following = state.learn(learned)._replace(stage=stage + 1, noise=(noise[1], ()))
        return [MethodArc(chance, following, finished)] if chance else []

    def _narrow(self, stage: int, position: int, number: int) -> tuple[fmpq, int]:
        """Return a distribution without what a class cannot hold any more at a stage."""
        possible = self.reach.before_turn(stage, position)
        weights = self.distributions[number].items()
        return self.number({content: weight for content, weight in weights if content in possible})

    def _offers(
        self, stage: int, content: Content, position: int, number: int
    ) -> tuple[list[tuple[fmpq, int, int]], tuple[fmpq, int]]:
        """Return what a later class of some distribution may give the one that is worked on.

        For each exchange its chance and the distributions of both classes afterwards; the chance
        that none is possible, and the distribution if so.
        """
        reach, counts = self.reach, dict(content)
        leaving = moves.most_frequent_values(counts)
        gifts: dict[tuple[int, int], dict[Content, fmpq]] = {}
        refusing: dict[Content, fmpq] = {}
        for donor, weight in self.distributions[number].items():
            self.effort.spend()
            coming = moves.back_check(counts, dict(donor)) if self.gives(donor) else ()
            pairs = self.ties.exchanges(tuple(product(leaving, coming)))
            # By what it holds alone: that it refuses says something of it, too.
            if not pairs:
                refusing[donor] = weight
            for x, y in pairs:
                after = exchange(donor, y, x)
                if after in reach.before_turn(stage, position):
                    weights = gifts.setdefault((x, y), {})
                    weights[after] = weights.get(after, fmpq(0)) + weight / len(pairs)
        exchanges = []
        for (x, y), weights in gifts.items():
            received = exchange(content, x, y)
            if received in reach.own[stage]:
                share, donor_left = self.number(weights)
                exchanges.append((share, self.sure(received), donor_left))
        return exchanges, self.number(refusing)

    def exchange_back(self, state: MethodState, content: Content) -> list[MethodArc]:
        """Exchange with the class before the last; nothing if no exchange is possible.

        An exchange that cannot lead to the publication has no chance here, so that nobody takes it
        for none.
        """
        stage, (dummies, own_dummies) = state.stage, state.noise
        before = self.content_of(state, stage - 1) if stage else None
        if before is None:
            return []
        able = moves.cross_check(dict(content), dict(before))
        if not self.ties.even:
            # Noise is never exchanged: it is single, and all that a class has of its value.
            able = tuple((x, y) for x, y in able if y not in dummies)
        arcs = []
        pairs = self.ties.exchanges(able)
        for x, y in pairs:
            received, returned = exchange(content, x, y), exchange(before, y, x)
            possible = received in self.reach.own[stage] and returned in self.reach.own[stage - 1]
            noise = (dummies, own_dummies)
            if y in dummies:
                noise = (tuple(code for code in dummies if code != y), (*own_dummies, y))
            after = state.learn({stage: self.sure(received), stage - 1: self.sure(returned)})
            arcs.append(MethodArc(fmpq(int(possible), len(pairs)), after._replace(noise=noise)))
        return arcs

    def _range(self, number: int) -> tuple[int, int]:
        """Return the least and the largest count of each value in a distribution, packed."""
        while len(self._ranges) <= number:
            contents = [dict(content) for content in self.distributions[len(self._ranges)]]
            counts = [[own.get(code, 0) for own in contents] for code in range(len(self.shares))]
            self._ranges.append((_pack(map(min, counts)), _pack(map(max, counts))))
        return self._ranges[number]

    def _totals_from_class_on(self) -> list[tuple[int, int]]:
        """Return how often each value is published from each class on, with noise and without."""
        shown, real = [0] * len(self.shares), [0] * len(self.shares)
        totals = []
        for content, size in zip(reversed(self.published), reversed(self.sizes), strict=True):
            noisy = size_of(content) > size
            for code, count in content:
                shown[code] += count
                # Noise occurs once: which single values are noise is open, and none counts as real.
                real[code] += count - (noisy and count == 1)
            totals.append((_pack(shown), _pack(real)))
        return totals[::-1]


def _pack(counts: Iterable[int]) -> int:
    """Return counts as one number, so that all are added or compared at once."""
    return sum(count << _FIELD * place for place, count in enumerate(counts))


class CorrectedRuns(ExchangingRuns):
    """Runs of the corrected algorithm, see :func:`kproof.models.tables.theta.method`."""

    def gives(self, content: Content) -> bool:
        """Say whether V ≥ θ."""
        return bool(self.reach.passes(content))

    def arcs(self, state: MethodState) -> list[MethodArc]:
        """Return the moves of the class that is worked on."""
        stage = state.stage
        content = self.content_of(state, stage)
        if content is None:
            return self.reveal(state)
        if content not in self.reach.own[stage]:
            return []
        if self.reach.passes(content):
            return self.finish(state, content)
        if stage < self.last:
            return self._exchange_later(state, content)
        return self.exchange_back(state, content) or self._add_noise(state, content, fmpq(1))

    def _exchange_later(self, state: MethodState, content: Content) -> list[MethodArc]:
        """Exchange with the first later class that can, or else add noise."""
        stage, numbers = state.stage, list(state.known)
        arcs: list[MethodArc] = []
        chance = fmpq(1)
        for position in range(stage + 1, self.last + 1):
            gifts, (share, refusing) = self.offers(stage, content, position, numbers[position])
            for gift, received, donor_left in gifts:
                after = list(numbers)
                after[stage], after[position] = received, donor_left
                arcs.append(MethodArc(chance * gift, state._replace(known=tuple(after))))
            if not share:
                return arcs
            # Seen to refuse, a class is known better: its distribution goes on without who gives.
            numbers[position] = refusing
            chance *= share
        return arcs + self._add_noise(state._replace(known=tuple(numbers)), content, chance)

    def _add_noise(self, state: MethodState, content: Content, chance: fmpq) -> list[MethodArc]:
        """Add a row with a value that is absent from the class."""
        stage, (before, here) = state.stage, state.noise
        codes = self.ties.noise(content)
        arcs = []
        for code in codes:
            wider = add(content, code, 1)
            if wider in self.reach.own[stage]:
                after = state.learn({stage: self.sure(wider)})
                noise = (before, tuple(sorted((*here, code))))
                arcs.append(MethodArc(chance / len(codes), after._replace(noise=noise)))
        return arcs
