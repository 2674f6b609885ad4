"""Explanations: how likely a block of a class is to have broken a rule, by exact counting.

A class holds the values of several blocks of people, nobody knows whose. Every way to give the
values to the people is as likely as any other, as long as a block breaks the rule, since otherwise
the blocks would have been published as they are: a multivariate hypergeometric law, conditioned.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from kproof.models.privacy.base import Model
from kproof.models.privacy.counting import AlphaK
from kproof.models.privacy.diversity import DistinctL

MOST_STEPS = 300_000
"""Ways to fill a block, one after the other, that a count of one class may look at."""

MOST_PARTS = 200
"""Blocks and values of one class, which are taken one inside another."""


@dataclass(frozen=True)
class Rule:
    """A rule that a block of rows breaks by how often values occur in it, whichever they are."""

    distinct: int
    """Fewest distinct values."""
    share: Fraction
    """Largest share of a value."""

    def breaks(self, counts: Sequence[int], size: int) -> bool:
        """Say whether a block breaks it; counts of values that cannot do so may be lumped last."""
        if max(counts, default=0) >= self.most(size):
            return True
        return self.distinct > 2 and sum(map(bool, counts)) < self.distinct

    def most(self, size: int) -> int:
        """Return how many equal values break the rule in a block of a size."""
        # The least whole number above the share of the size: equal to it is still allowed.
        by_share = self.share.numerator * size // self.share.denominator + 1
        # A block of one value alone has too few where two are asked for, whatever share is allowed;
        # more than its size is never reached.
        return min(by_share, size if self.distinct > 1 else size + 1)


def rule_of(models: Sequence[Model]) -> Rule | None:
    """Return models as a rule on counts; None if one of them is about something else."""
    if not all(isinstance(model, DistinctL | AlphaK) for model in models):
        return None
    return Rule(
        max((model.ell for model in models if isinstance(model, DistinctL)), default=1),
        min((model.alpha for model in models if isinstance(model, AlphaK)), default=Fraction(1)),
    )


def chances_of_blocks(
    blocks: Sequence[int], rest: int, counts: Mapping[int, int], rule: Rule, *, every: bool
) -> dict[int, dict[int, Fraction]] | None:
    """Return what is believed of whoever is in a block: by its size the chance of each value.

    Rows in no block (``rest``) explain nothing, and stand under -1. Every block breaks the rule if
    ``every``, otherwise one at least. None if there are too many ways to be counted; empty for each
    size if no block can break the rule, so that this column was not the reason.
    """
    # Each is a level of recursion, of which Python has about a thousand.
    if len(blocks) + len(counts) > MOST_PARTS:
        return None
    # A value that occurs less often breaks the rule in no block: lumped, such values cost no steps.
    # A rule on more than two distinct values has to tell all of them apart.
    fewest = min(map(rule.most, blocks)) if rule.distinct <= 2 else 0
    large = [value for value, count in counts.items() if count >= fewest]
    small = sum(counts.values()) - sum(counts[value] for value in large)
    start = (*(counts[value] for value in large), small)
    counter = _Counter(rule)
    kinds = {size: size for size in blocks} | ({-1: rest} if rest else {})
    believed = {}
    try:
        for kind, size in kinds.items():
            remaining = [*blocks]
            if kind >= 0:
                remaining.remove(kind)
            parts = [(length, True) for length in remaining] + (
                [(rest, False)] if rest and kind >= 0 else []
            )
            block = (size, kind >= 0)
            # Sorted, so that blocks of one size ask for what was counted already.
            weights, total = counter.weights(block, tuple(sorted(parts)), start, every=every)
            chances: dict[int, Fraction] = {}
            if total:
                for value, weight in zip(large, weights, strict=False):
                    chances[value] = Fraction(weight, total * size)
                # Lumped values are alike to the rule: what they weigh together is shared by how
                # often each is.
                for value in counts.keys() - chances.keys():
                    chances[value] = Fraction(weights[-1] * counts[value], total * size * small)
            believed[kind] = chances
    except OverflowError:
        return None
    return believed


_Block = tuple[int, bool]
"""Its size, and whether it is judged."""


class _Counter:
    """Counts the ways to give values to blocks in turn."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.steps = 0
        self.ways: dict[tuple[Any, ...], int] = {}

    def weights(
        self, block: _Block, blocks: tuple[_Block, ...], left: tuple[int, ...], *, every: bool
    ) -> tuple[list[int], int]:
        """Return, over all ways that fit, rows of a block with each value, and the ways."""
        weights, total = [0] * len(left), 0
        # At least one block breaks the rule: all ways, less those in which none does.
        for breaking, sign in ((True, 1),) if every else ((None, 1), (False, -1)):
            for fill, ways in self._fills(block, left, breaking):
                after = tuple(count - used for count, used in zip(left, fill, strict=True))
                count = sign * ways * self._count(blocks, after, breaking)
                total += count
                weights = list(map(sum, zip(weights, (count * x for x in fill), strict=True)))
        return weights, total

    def _count(
        self, blocks: tuple[_Block, ...], unplaced: tuple[int, ...], breaking: bool | None
    ) -> int:
        if not blocks:
            return 1
        key = (blocks, unplaced, breaking)
        if key not in self.ways:
            total = 0
            for fill, ways in self._fills(blocks[0], unplaced, breaking):
                unused = tuple(count - used for count, used in zip(unplaced, fill, strict=True))
                total += ways * self._count(blocks[1:], unused, breaking)
            self.ways[key] = total
        return self.ways[key]

    def _fills(
        self, block: _Block, unplaced: tuple[int, ...], breaking: bool | None
    ) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield the counts of values that a block may have, and in how many ways."""
        size, judged = block
        for fill in _splits(size, unplaced):
            self.steps += 1
            if self.steps > MOST_STEPS:
                # Raised: it ends all levels at once, and no half-counted total is kept.
                raise OverflowError
            # The last count is of lumped values, none of which breaks the rule for itself.
            judgeable = fill if self.rule.distinct > 2 else fill[:-1]
            if breaking is None or not judged or self.rule.breaks(judgeable, size) == breaking:
                yield fill, _multinomial(fill)


def _splits(size: int, unplaced: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the ways to take some of what is left."""
    if len(unplaced) == 1:
        if size <= unplaced[0]:
            yield (size,)
        return
    room = sum(unplaced[1:])
    # Not fewer than the other values leave room for: such a start leads to no split.
    for first in range(max(0, size - room), min(size, unplaced[0]) + 1):
        for counts in _splits(size - first, unplaced[1:]):
            yield (first, *counts)


def _multinomial(counts: Sequence[int]) -> int:
    ways, rows = 1, 0
    for count in counts:
        rows += count
        ways *= comb(rows, count)
    return ways
