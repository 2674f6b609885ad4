"""What is typed to make a privacy loss or to ask it: randomness, worlds, tables, accuracy."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from enum import StrEnum
from fractions import Fraction

from kproof.errors import InvalidArgument
from kproof.theory.exact.typed import Number, choice, integer, rational

MOST_RELEASES = 10**9


class Randomness(StrEnum):
    """What two releases of the same people have in common."""

    DISJOINT = "disjoint"
    """Given the world, the randomness of one is independent of that of the other."""
    SHARED = "shared"
    """They depend on the same random records."""


class World(StrEnum):
    """One of the two worlds that must not be told apart."""

    FIRST = "first"
    SECOND = "second"


def probabilities(name: str, masses: Mapping[Hashable, Number]) -> dict[Hashable, Fraction]:
    """Return a table of probabilities, checked, without zeros."""
    table = {
        outcome: rational(f"{name}[{outcome!r}]", mass, least=0, most=1)
        for outcome, mass in masses.items()
    }
    total = sum(table.values(), start=Fraction(0))
    if total != 1:
        raise InvalidArgument(f"sum of {name}", total, "exactly 1")
    return {outcome: mass for outcome, mass in table.items() if mass}


def require_disjoint(randomness: Randomness | str) -> None:
    """Refuse what nothing is known about."""
    if choice("randomness", randomness, Randomness) is Randomness.SHARED:
        raise InvalidArgument(
            "randomness",
            Randomness.SHARED.value,
            "disjoint: the joint law of releases that share random records is not known from the "
            "law of each; for sums of the same records, from_sums",
        )


def read_points(points: int) -> int:
    """Return the points of a loss grid as they were typed, 2**10 to 2**24."""
    return integer("points", points, least=1 << 10, most=1 << 24)
