"""What a class holds, as small tuples that moves are remembered for, and what decides its moves."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from kproof.errors import TooLarge
from kproof.models.tables.theta.moves import Multiset, Threshold

Content: TypeAlias = tuple[tuple[int, int], ...]
"""The sensitive codes of a class, ascending, each with its frequency."""


@dataclass
class MoveBudget:
    """How many moves of the method may be looked at: a search ends by count, not by a clock."""

    most: int
    spent: int = 0

    def spend(self, moves: int = 1) -> None:
        """Count moves; more than may be looked at are a TooLarge."""
        self.spent += moves
        if self.spent > self.most:
            raise TooLarge(
                f"more than {self.most:,} moves of the method: what who knows it believes was not "
                "computed"
            )


Pairs = tuple[tuple[int, int], ...]
"""The value that leaves a class and the one that comes, for each exchange."""


@dataclass(frozen=True)
class Ties:
    """Ties that are decided evenly, as the paper leaves them, or by the rule of a program."""

    preference: tuple[int, ...]
    """Every code of the domain, in the order in which noise takes them by the rule."""
    even: bool = True
    """Whether each tie is decided evenly. If not, the lowest codes are exchanged, noise takes the
    first absent code, and rows of noise never move: what
    :func:`~kproof.models.tables.theta.method.theta_sensitive` does."""

    def exchanges(self, pairs: Pairs) -> Pairs:
        """Return the exchanges that may be made, each as likely as any other."""
        return pairs if self.even else pairs[:1]

    def noise(self, content: Content) -> list[int]:
        """Return the values that a row of noise may take, each as likely as any other."""
        absent = self.noise_in_order(content)
        return absent if self.even else absent[:1]

    def noise_in_order(self, content: Content) -> list[int]:
        """Return the absent values in the order in which noise takes them by the rule."""
        present = dict(content)
        return [code for code in self.preference if code not in present]


@dataclass(frozen=True, eq=False)
class MethodCase:
    """A publication as who knows the method takes it."""

    published: tuple[Content, ...]
    """Shape (classes,): what each class is published as."""
    sizes: tuple[int, ...]
    """Shape (classes,): its rows before any noise."""
    shares: Sequence[Fraction]
    """Shape (values,): the prior probability of each code."""
    threshold: Threshold
    """When a class passes."""
    ties: Ties
    """How they are decided."""
    effort: MoveBudget
    """What may be spent: a class of ten rows of a wide domain has millions of contents."""


def content_of(values: Multiset) -> Content:
    """Return a multiset as a content."""
    # One tuple for one content: what was worked out is remembered by it. No count of 0, either.
    return tuple(sorted((int(code), int(count)) for code, count in values.items() if count))


def size_of(content: Content) -> int:
    """Return how many rows there are."""
    return sum(count for _, count in content)


@lru_cache(maxsize=1 << 18)
def exchange(content: Content, leaves: int, comes: int) -> Content:
    """Return a class after one value left and another came."""
    return add(add(content, leaves, -1), comes, 1)


@lru_cache(maxsize=1 << 18)
def add(content: Content, code: int, rows: int) -> Content:
    """Return a class with more rows of a value, or fewer."""
    counts = dict(content)
    counts[code] = counts.get(code, 0) + rows
    return content_of(counts)


def without(content: Content, codes: Iterable[int]) -> Content:
    """Return a class without one row of each of some values."""
    for code in codes:
        content = add(content, code, -1)
    return content


def singles(content: Content) -> list[int]:
    """Return the values that occur once."""
    return [code for code, count in content if count == 1]
