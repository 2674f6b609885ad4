"""The worst cells of rows of several laws, against whole histograms of small tables."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, permutations

import pytest
from histogram_oracles import divergence, histogram
from nights import by_day

from kproof.errors import InvalidArgument, TooLarge
from kproof.theory.losses.several_laws import BelievedLaw, worst_of_laws
from kproof.theory.theorems.releases.believed import table_bound

HALF = Fraction(1, 2)
E = Fraction("1.648721270700128146848650787814163571653776100710148")
"""e^(1/2), rounded up in the last digit: what is told beyond it is told beyond the number."""


def drawn(draw: random.Random, cells: str, *, overlapping: bool) -> list[BelievedLaw]:
    """Return two or three laws; each has all cells, or two neighbours only."""
    laws = []
    for start in range(len(cells) - 1 if not overlapping else draw.randint(2, 3)):
        own = cells if overlapping else cells[start : start + 2]
        weights = [draw.randint(1, 5) for _ in own]
        masses = {
            cell: Fraction(weight, sum(weights)) for cell, weight in zip(own, weights, strict=True)
        }
        laws.append(BelievedLaw(draw.randint(1, 2), masses))
    return laws


TABLES = by_day(6, at_night=20)


@pytest.mark.parametrize("overlapping", [True, False])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_pair_of_cells_tells_more(overlapping, k):
    draw = random.Random(k + 10 * overlapping)
    attained = 0
    for _ in range(TABLES):
        cells = "abcd"[: draw.randint(2, 4)]
        laws = drawn(draw, cells, overlapping=overlapping)
        records = [dict(law.masses) for law in laws for _ in range(law.others)]
        worst = worst_of_laws(laws, epsilon=HALF, k=k)
        tables = {cell: histogram(records, cell, k) for cell in cells}
        exact = {
            pair: divergence(tables[pair[0]], tables[pair[1]], E) for pair in permutations(cells, 2)
        }
        assert max(exact.values()) <= Fraction(worst.delta)
        if k == 1 and not overlapping:
            # Which rows can be where is seen of a chain: the bound of the pair is its value.
            own = exact[worst.cells[0], worst.cells[-1]]
            attained += Fraction(worst.delta) <= own * (1 + Fraction(1, 10**8)) + Fraction(
                1, 10**12
            )
    assert attained == (TABLES if k == 1 and not overlapping else 0)


def test_a_pair_that_is_left_out_is_no_worse():
    draw = random.Random(2)
    for _ in range(20):
        laws = drawn(draw, "abcde", overlapping=True)
        pairs = [
            worst_of_laws(
                [
                    BelievedLaw(law.others, {cell: law.masses[cell] for cell in pair})
                    for law in laws
                ],
                epsilon=HALF,
            ).delta
            for pair in combinations("abcde", 2)
        ]
        assert worst_of_laws(laws, epsilon=HALF).delta == max(pairs)


def test_cells_that_nothing_links_hide_nobody_and_many_pairs_are_refused():
    apart = [BelievedLaw(5, {"a": HALF, "b": HALF}), BelievedLaw(5, {"c": HALF, "d": HALF})]
    worst = worst_of_laws(apart, epsilon=1)
    assert (worst.delta, len(worst.cells)) == (1, 2)
    crossed = [
        BelievedLaw(5, {str(cell): Fraction(2 * weight, 420) for cell, weight in enumerate(order)})
        for order in (range(1, 21), range(20, 0, -1))
    ]
    with pytest.raises(TooLarge, match="more than 200 pairs"):
        worst_of_laws(
            [
                BelievedLaw(
                    5, {str(cell): Fraction(2 * weight, 930) for cell, weight in enumerate(order)}
                )
                for order in (range(1, 31), range(30, 0, -1))
            ],
            epsilon=1,
        )
    assert worst_of_laws(crossed, epsilon=1).delta > 0


def test_the_bound_of_a_table_of_several_laws():
    laws = [
        BelievedLaw(200, {"20s": HALF, "30s": HALF}),
        BelievedLaw(100, {"30s": Fraction(2, 5), "40s": Fraction(3, 5)}),
    ]
    bound = table_bound(belief=laws, epsilon=HALF)
    assert bound.attained == "a row is in 40s and not in 20s, by way of 30s"
    assert (bound.row, bound.parameters["rows"], str(bound.delta)) == ("R5", "301", "[0, 0.002942]")
    # Of Poisson numbers of rows only the mean of each cell matters.
    merged = {"20s": Fraction(100, 300), "30s": Fraction(140, 300), "40s": Fraction(60, 300)}
    unknown = {"epsilon": HALF, "k": 5, "total": "poisson"}
    assert (
        table_bound(belief=laws, **unknown).delta
        == table_bound(belief=merged, rows=301, **unknown).delta
    )
    for wrong in ({"rows": 301}, {"rows_known": 3}):
        with pytest.raises(InvalidArgument, match="the column others says how many rows"):
            table_bound(belief=laws, epsilon=1, **wrong)
