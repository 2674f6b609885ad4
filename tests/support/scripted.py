"""Coins whose outcomes are said beforehand."""

from dataclasses import dataclass, field
from fractions import Fraction

from kproof.theory.exact.coins import CoinSource


@dataclass(frozen=True)
class ScriptedCoins(CoinSource):
    """CoinSource whose outcomes are said beforehand, with the chance that they come so."""

    outcomes: list[bool] = field(default_factory=list)
    chances: list[Fraction] = field(default_factory=list)

    def toss(self, chance: Fraction) -> bool:
        """Return the next outcome."""
        outcome = self.outcomes.pop(0)
        self.chances.append(chance if outcome else 1 - chance)
        return outcome

    def shuffle(self, places: list[int]) -> None:
        """Leave places in an order that no row has a say in: all orders are one outcome here."""
        places.sort()
