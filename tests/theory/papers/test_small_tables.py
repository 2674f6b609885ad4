"""Laws of small tables, against tossing the coin of every row."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product

import pytest

from kproof.theory.papers.small_tables import best_level, best_level_gap, worst_of_tables
from kproof.theory.profiles.sampled import sampled_exact

X = {"a": ("a", "*"), "b": ("b", "*")}
Y = {"1": ("1", "low", "*"), "2": ("2", "low", "*"), "3": ("3", "high", "*")}


def by_hand(rows: list[tuple[str, ...]], k: int, beta: Fraction) -> dict[tuple[int, ...], Fraction]:
    law: defaultdict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for coins in product((0, 1), repeat=len(rows)):
        kept = [row for row, coin in zip(rows, coins, strict=True) if coin]
        best: tuple[int, ...] = (0, 0)
        score = Fraction(-1)
        # Levels in the order of their sum, and a later one only if it is better.
        for levels in sorted(product(range(2), range(3)), key=sum):
            cells = Counter((X[x][levels[0]], Y[y][levels[1]]) for x, y in kept)
            shown = sum(size for size in cells.values() if size >= k)
            value = shown * (2 - Fraction(levels[0], 1) - Fraction(levels[1], 2))
            if value > score:
                best, score = levels, value
        law[best] += beta ** sum(coins) * (1 - beta) ** (len(rows) - sum(coins))
    return dict(law)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_best_levels_are_those_of_every_sample(k):
    rows: dict[tuple[str, ...], int] = {
        ("a", "1"): 2,
        ("a", "3"): 1,
        ("b", "1"): 1,
        ("b", "2"): 2,
        ("b", "3"): 1,
    }
    listed = [row for row, number in rows.items() for _ in range(number)]
    beta = Fraction(2, 3)
    assert best_level(rows, (X, Y), k=k, beta=beta) == by_hand(listed, k, beta)


def test_best_levels_tell_more_than_is_claimed_and_than_a_sample_may():
    # e^ε = 5 for the rows, e^0.1 for the search.
    assert best_level_gap("5.53", size=4, k=5, beta="4/5") > Fraction("0.3")
    assert sampled_exact(5, "4/5", epsilon="1.6095").upper < Fraction("0.33")
    # Of a function of the sample δ is β at most, from -ln(1 - β) on.
    assert best_level_gap(5, size=4, k=5, beta="4/5") <= Fraction(4, 5)


def test_the_worst_of_small_tables_is_what_the_closed_form_says():
    assert worst_of_tables(4, "1/2", Fraction(3, 2), rows=30) == Fraction(3, 32)
    assert worst_of_tables(3, 1, 10**9, rows=3) == 1
