"""Coins that hide a move along one edge: what is told if their number is told as well.

Each of some records is, with some probability, in one of the two cells of an edge. A path of edges
a = c_0, ..., c_r = b from independent records is a composition: the histogram is a function of the
r counts, each of which the move of the victim from b to a raises by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from flint import arb

from kproof.theory.losses.atoms import Atoms
from kproof.theory.losses.pairs import Pair
from kproof.theory.profiles.two_cells import Others, coin_masses, coin_numbers, ends

_PARTS = 96
"""Numbers of coins that are told apart; fewer coins stand for more, which tells no less."""


@dataclass(frozen=True)
class CoinsPair(Pair):
    """The victim at the first end of an edge against the victim at the second.

    >>> from fractions import Fraction
    >>> from kproof.theory.losses import PrivacyLoss
    >>> half = Fraction(1, 2)
    >>> edges = [PrivacyLoss.of(CoinsPair((Others(n, half, half),))) for n in (3, 2)]
    >>> print(edges[0].compose(edges[1], randomness="disjoint").delta(0))
    0.625
    """

    others: tuple[Others, ...]
    """The records of the edge, by law."""

    @property
    def name(self) -> str:
        """How many records there are."""
        return f"coins of {sum(law.records for law in self.others)} records"

    @property
    def points(self) -> int:
        """Atoms, at most."""
        coins = sum(law.records + 2 for law in self.others)
        return coins * int(self._parts ** len(self.others))

    @property
    def _parts(self) -> int:
        return max(2, int(_PARTS ** (1 / len(self.others)))) if self.others else 1

    def sides(self, tail: int | None) -> tuple[Atoms, Atoms]:
        """Return both directions; an upper bound of either where coins are taken together."""
        numbers, dropped = coin_numbers(self.others, 256 if tail is None else tail)
        listed = [list(ends(first, masses, self._parts)) for first, masses in numbers]
        first, second, alone, second_alone = [], [], arb(0), arb(0)
        for places in product(*listed):
            weight = prod((place.since for place in places), start=arb(1))
            law = coin_masses([place.coins for place in places], [law.theta for law in self.others])
            # Q is the number of coins that show the first end, P one more.
            first += [weight * mass for mass in law[:-1]]
            second += [weight * mass for mass in law[1:]]
            alone += weight * law[-1]
            second_alone += weight * law[0]
        up = Atoms(tuple(first), tuple(second), alone, dropped, second_alone, dropped)
        return up, up.swap()


def path(edges: Sequence[Sequence[Others]]) -> tuple[tuple[CoinsPair, int], ...]:
    """Return the releases that a path of edges amounts to, equal ones together.

    A record that can be in one end alone shows that end, and hides nothing.
    """
    hiding = [tuple(law for law in edge if law.first and law.second) for edge in edges]
    pairs = [CoinsPair(edge) for edge in hiding]
    return tuple((pair, pairs.count(pair)) for pair in dict.fromkeys(pairs))
