"""Histograms by brute force: every way in which records fall into cells, all in fractions."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod

Release = Mapping[Hashable, Fraction]
Belief = Mapping[str, Fraction]


def histogram(others: Sequence[Belief], victim: str, k: int = 1) -> Release:
    """The law of the counts of all cells, those below k hidden, with a victim of a known cell."""
    chances = defaultdict(Fraction)
    for cells in product(*others):
        counts = Counter((victim, *cells))
        shown = frozenset((cell, count) for cell, count in counts.items() if count >= k)
        chances[shown] += prod(
            (law[cell] for law, cell in zip(others, cells, strict=True)), start=Fraction(1)
        )
    return chances


def divergence(left: Release, right: Release, ratio: Fraction) -> Fraction:
    """The largest left(O) - ratio right(O) over all events O."""
    gains = (max(Fraction(0), p - ratio * right.get(o, Fraction(0))) for o, p in left.items())
    return sum(gains, Fraction(0))
