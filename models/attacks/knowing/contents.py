"""What a class holds, as small tuples that moves are remembered for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from kproof.errors import TooLarge
from kproof.models.tables.theta.moves import Multiset

Content: TypeAlias = tuple[tuple[int, int], ...]
"""The sensitive codes of a class, ascending, each with its frequency."""


@dataclass
class MoveBudget:
    """How many moves of the method may be looked at: a search ends by count, not by a clock."""

    most: int
    spent: int = 0

    def spend(self, moves: int = 1) -> None:
        """Count moves.

        Raises:
            TooLarge: If there are more than may be looked at.
        """
        self.spent += moves
        if self.spent > self.most:
            raise TooLarge(
                f"more than {self.most:,} moves of the method: what who knows it believes was not "
                "computed"
            )


def content_of(values: Multiset) -> Content:
    """Return a multiset as a content."""
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
