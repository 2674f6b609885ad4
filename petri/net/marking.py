"""Places and markings: which tokens are where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from kproof.errors import NetError, show
from kproof.petri.net.colours import Colour, Token
from kproof.petri.net.terms import NOTHING, Bag

Multiset = tuple[tuple[Token, int], ...]
"""Tokens with their counts, in the order of the colour set; no count is zero."""


@dataclass(frozen=True)
class Place:
    """A place: a multiset of tokens of one colour set."""

    name: str
    """Unique in the net."""
    colour: Colour
    """What its tokens are."""
    initial: Bag = NOTHING
    """The bag of its initial tokens; has no variables."""
    note: str = ""
    """What it stands for, for documents."""

    def require(self, tokens: Iterable[Token]) -> None:
        """Raise NetError if a token is not of the place's colour."""
        for token in tokens:
            self.colour.require(token, f"place {self.name}")


@dataclass(frozen=True)
class Marking:
    """The tokens of every place, in a form that is equal exactly if the markings are."""

    places: tuple[tuple[str, Multiset], ...]
    """Pairs of place name and multiset, in the order of the net; empty places are left out."""

    @classmethod
    def of(cls, places: Sequence[Place], tokens: Mapping[str, Mapping[Token, int]]) -> Marking:
        """Put tokens into canonical order; NetError if those of an open colour have none."""
        multisets = []
        for place in places:
            entries = [(token, n) for token, n in tokens.get(place.name, {}).items() if n]
            if len(entries) > 1:
                rank = place.colour.rank
                try:
                    entries.sort(key=lambda entry: rank(entry[0]))
                except TypeError as error:
                    first, second = _without_order([token for token, _ in entries], rank)
                    raise NetError(
                        f"place {place.name}: tokens {show(first)} and {show(second)} cannot be "
                        "put in order"
                    ) from error
            if entries:
                multisets.append((place.name, tuple(entries)))
        return cls(tuple(multisets))

    @cached_property
    def _by_name(self) -> dict[str, dict[Token, int]]:
        return {name: dict(multiset) for name, multiset in self.places}

    def __getitem__(self, place: str) -> Mapping[Token, int]:
        return self._by_name.get(place, {})

    def __iter__(self) -> Iterator[tuple[str, Multiset]]:
        return iter(self.places)

    def total(self, place: str) -> int:
        """Return how many tokens a place has."""
        return sum(self[place].values())

    def __str__(self) -> str:
        shown_places = []
        for name, multiset in self.places:
            tokens = ", ".join(str(token) if n == 1 else f"{n}·{token}" for token, n in multiset)
            shown_places.append(f"{name}: {tokens}")
        return "; ".join(shown_places) or "empty"


def _without_order(tokens: Sequence[Token], rank: Callable[[Token], Any]) -> tuple[Token, Token]:
    """Return two tokens that cannot be compared."""
    for first, second in combinations(tokens, 2):
        # Both ways round: which of the two sorting tried is not known.
        try:
            _ = rank(first) < rank(second), rank(second) < rank(first)
        except TypeError:
            return first, second
    return tokens[0], tokens[1]
