"""How a method decides between moves that it may make, as far as an adversary knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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

    def noise(self, content: Sequence[tuple[int, int]]) -> list[int]:
        """Return the values that a row of noise may take, each as likely as any other."""
        absent = self.noise_in_order(content)
        return absent if self.even else absent[:1]

    def noise_in_order(self, content: Sequence[tuple[int, int]]) -> list[int]:
        """Return the absent values in the order in which noise takes them by the rule."""
        held = dict(content)
        return [code for code in self.preference if code not in held]
