"""From which contents a class can come out of the corrected algorithm as it was published.

A run that cannot end in the publication is not worth following; what is left out here would be
summed up to nothing. Forty rows of six values have 32,000 states that matter; without this module
nobody would live to see them.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from kproof.models.attacks.knowing.contents import (
    Content,
    MethodCase,
    add,
    exchange,
    singles,
    size_of,
)


class Reach:
    """Contents from which a class can still come out as published, whatever the others do.

    In its own turn a class with V < θ has a value that it repeats, since distinct values have V ≥
    θ. So what it gives away it keeps, and what it gets, by exchange or as noise, it has once and
    never gives away: a published single value may have come, and a published value that may have
    been given is still there. Noise comes after all exchanges, but in the last class, which may
    exchange once noise has changed what it repeats.
    """

    def __init__(self, case: MethodCase) -> None:
        self.published, self.sizes, self.effort = case.published, case.sizes, case.effort
        self.passes = lru_cache(maxsize=None)(lambda content: case.threshold.passes(dict(content)))
        self.own = [self._own(position) for position in range(len(case.published))]
        """What each class may hold from the beginning of its own turn on."""
        self.before_turn = lru_cache(maxsize=None)(self._before_turn)

    def _before_turn(self, stage: int, position: int) -> frozenset[Content]:
        """Return what a class may hold when classes from ``stage`` on may still take from it."""
        return self.before_gifts(range(stage, position), position, passing=True)

    def before_gifts(
        self, receivers: Iterable[int], position: int, *, passing: bool | None
    ) -> frozenset[Content]:
        """Return what a class may hold before some others take from it."""
        exchanges = {
            (x, y)
            for receiver in receivers
            for x, _ in self.published[receiver]
            for y in singles(self.published[receiver])
            if x != y
        }

        def givings(content: Content) -> Iterator[Content]:
            """Run through what the class may have held before it gave y for x."""
            # A class with noise in it has had its turn, and donors give before theirs.
            if size_of(content) == self.sizes[position]:
                present = dict(content)
                yield from (exchange(content, x, y) for x, y in exchanges if x in present)

        return self.closure(self.own[position], givings, passing=passing)

    def _own(self, position: int) -> frozenset[Content]:
        last, size = len(self.published) - 1, self.sizes[position]
        ends = frozenset({self.published[position]})
        if position == last:
            return self.closure(ends, lambda content: _own_moves(content, size), passing=False)
        if position == last - 1:
            ends = self.closure(ends, self.cross_moves, passing=True)
        noisy, contents = set(ends), set(ends)
        for _ in range(size_of(self.published[position]) - size):
            contents = {
                narrower
                for content in contents
                for code in singles(content)
                # Only a class that fails gets noise.
                if not self.passes(narrower := add(content, code, -1))
            }
            noisy |= contents
        return frozenset(noisy) | self.closure(frozenset(contents), exchanges_before, passing=False)

    def cross_moves(self, content: Content) -> Iterator[Content]:
        """Run through what the class before the last may have held before the last one took y."""
        taker = self.published[-1]
        in_taker = dict(taker)
        for x in singles(content):
            if x in in_taker:
                yield from (exchange(content, x, y) for y in singles(taker) if x != y)

    def closure(
        self,
        start: frozenset[Content],
        before: Callable[[Content], Iterable[Content]],
        *,
        passing: bool | None,
    ) -> frozenset[Content]:
        """Return what leads to ``start`` by moves from classes that pass, that do not, or any."""
        reached, todo = set(start), list(start)
        while todo:
            for content in before(todo.pop()):
                self.effort.spend()
                if not content or content in reached:
                    continue
                if passing is None or self.passes(content) is passing:
                    reached.add(content)
                    todo.append(content)
        return frozenset(reached)


def exchanges_before(content: Content) -> Iterator[Content]:
    """Run through what a class may have held before it got y for a most frequent x."""
    for y in singles(content):
        for x, count in content:
            # With one row more, which it gave for y, x was among the most frequent.
            if x != y and count + 1 >= max(most for _, most in content):
                yield exchange(content, y, x)


def _own_moves(content: Content, size: int) -> Iterator[Content]:
    """Run through what the last class may have held before any move of its own turn."""
    yield from exchanges_before(content)
    if size_of(content) > size:
        yield from (add(content, code, -1) for code in singles(content))
