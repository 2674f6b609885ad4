"""Exact coins: every outcome has its chance, worked out over all bits."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import exp

import pytest

from kproof.theory.exact.coins import CoinSource


def law(program, *, depth):
    """The chance of each result over all bits, and that of runs that need more than ``depth``."""
    masses: Counter[object] = Counter()
    open_ends = [((), Fraction(1))]
    left = Fraction(0)

    class More(Exception):
        """A run that needs more bits than it has."""

    while open_ends:
        script, mass = open_ends.pop()
        numbers, used = list(script), 0

        def bits(width: int, numbers: list[int] = numbers) -> int:
            nonlocal used
            used += width
            if not numbers:
                raise More(width)
            return numbers.pop(0)

        try:
            masses[program(CoinSource(bits, seeded=True))] += mass
        except More as more:
            width = more.args[0]
            if used > depth:
                left += mass
                continue
            open_ends += [((*script, number), mass / 2**width) for number in range(2**width)]
    return dict(masses), left


@pytest.mark.parametrize(
    "chance", [Fraction(1, 2), Fraction(1, 3), Fraction(3, 10), Fraction(6, 7)]
)
def test_a_toss_has_its_chance(chance):
    masses, left = law(lambda coins: coins.toss(chance), depth=16)
    assert left < Fraction(1, 25)
    # Whatever is left is decided in the same shares.
    assert masses[True] == chance * (1 - left)


@pytest.mark.parametrize("chance", [Fraction(0), Fraction(1)])
def test_what_is_certain_needs_no_bits(chance):
    assert law(lambda coins: coins.toss(chance), depth=0) == ({chance == 1: 1}, 0)


def test_every_order_is_equally_likely():
    def program(coins: CoinSource) -> object:
        places = [0, 1, 2]
        coins.shuffle(places)
        return tuple(places)

    masses, left = law(program, depth=14)
    assert masses.keys() == {*permutations(range(3))}
    [mass] = {*masses.values()}
    assert mass == (1 - left) / 6
    assert left < Fraction(1, 100)


@pytest.mark.parametrize("exponent", [Fraction(0), Fraction(1, 2), Fraction(1), Fraction(3, 2)])
def test_a_toss_of_an_exponential(exponent):
    masses, left = law(lambda coins: coins.toss_exp(exponent), depth=13)
    assert masses.get(True, 0) <= exp(-exponent) <= masses.get(True, 0) + left
    assert left < Fraction(1, 20)


def test_the_system_has_bits_of_its_own():
    coins = CoinSource.of_system()
    assert not coins.seeded
    assert CoinSource.of_seed(1).seeded
    assert len({coins.bits(64) for _ in range(20)}) == 20
    assert {coins.below(5) for _ in range(200)} == set(range(5))
