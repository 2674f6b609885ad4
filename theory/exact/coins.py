"""Exact coins: events whose chance is a rational number, or e^-x of one, and no float near it.

A float coin of chance 1/10 has another chance than 1/10, by which no theorem was proved. Random
bits come from the operating system. Bits of a seed repeat a run in a test, and whoever knows the
seed knows every coin, so that nothing made with them is fit to be published.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, MutableSequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True)
class CoinSource:
    """A source of independent events of exact chances.

    >>> coins = CoinSource.of_seed(1)
    >>> sum(coins.toss(Fraction(1, 10)) for _ in range(1000))
    98
    """

    bits: Callable[[int], int]
    """``bits(n)`` returns n uniform bits as a number from 0 to 2^n - 1."""
    seeded: bool
    """Whether somebody else can compute them."""

    @classmethod
    def of_system(cls) -> CoinSource:
        """Return coins that nobody can predict, of the operating system's random bits."""
        return cls(secrets.randbits, seeded=False)

    @classmethod
    def of_seed(cls, seed: int) -> CoinSource:
        """Return the same coins for the same seed, for tests."""
        return cls(random.Random(seed).getrandbits, seeded=True)

    def below(self, limit: int) -> int:
        """Return a uniform number from 0 to ``limit`` - 1."""
        width = (limit - 1).bit_length()
        while True:
            # What a remainder would give is not uniform unless the limit is a power of two.
            number = self.bits(width) if width else 0
            if number < limit:
                return number

    def toss(self, chance: Fraction) -> bool:
        """Return whether an event of this chance, from 0 to 1, occurs."""
        return self.below(chance.denominator) < chance.numerator

    def toss_exp(self, exponent: Fraction) -> bool:
        """Return whether an event of chance e^-exponent occurs, for an exponent from 0.

        For exponents up to 1 the number of coins x, x/2, x/3, … in a row that come up is even with
        chance e^-x (Canonne, Kamath, Steinke, The Discrete Gaussian, 2020, Algorithm 1).
        """
        # In factors of e^-1: below, the exponent is itself taken for a chance.
        while exponent > 1:
            if not self.toss_exp(Fraction(1)):
                return False
            exponent -= 1
        draws = 1
        while self.toss(exponent / draws):
            draws += 1
        # One more than the coins in a row that came up: even is odd here.
        return draws % 2 == 1

    def laplace(self, rate: Fraction) -> int:
        """Return two-sided geometric noise: z with a probability in proportion to e^(-rate |z|).

        Canonne, Kamath, Steinke, Algorithm 2; a tail is drawn in steps of 1/rate, so that small
        rates are no slower.
        """
        while True:
            start = self.below(rate.denominator)
            if not self.toss_exp(Fraction(start, rate.denominator)):
                continue
            whole = 0
            while self.toss_exp(Fraction(1)):
                whole += 1
            # With the rate n/d, x = start + d · whole falls by e^(-1/d) a step, so that ⌊x/n⌋ falls
            # by e^(-n/d).
            size = (start + rate.denominator * whole) // rate.numerator
            negative = bool(self.bits(1))
            # Nothing has two signs; it would be twice as likely as it should.
            if size or not negative:
                return -size if negative else size

    def shuffle(self, places: MutableSequence[Any]) -> None:
        """Put what there is into an order in which all orders are equally likely."""
        for last in range(len(places) - 1, 0, -1):
            # Among the places that are not settled yet, its own included: with all places as
            # partners n^n equally likely ways would have to fall alike onto n! orders.
            partner = self.below(last + 1)
            places[last], places[partner] = places[partner], places[last]
