"""The law of what leaves, over all outcomes of the coins, never exceeds the certificate."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product

import pytest
from cases import cases
from scripted import ScriptedCoins

from kproof.datasets import TextTable
from kproof.models.tables.sampled import method, sampled

Law = Mapping[str, Fraction]
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def table(*cells: str) -> TextTable:
    """A table of one column, a person in each row."""
    return TextTable("a test", ("cell",), (cells,), tuple(range(len(cells))))


def law_of(
    cells: Sequence[str], monkeypatch: pytest.MonkeyPatch, *, k: int, beta: Fraction, epsilon: str
) -> tuple[Law, Mapping[str, Fraction]]:
    """The law of the two files that leave, and the bounds of the certificate by neighbours."""
    law = defaultdict(Fraction)
    for outcomes in product((False, True), repeat=len(cells)):
        coins = ScriptedCoins(lambda _: 0, seeded=False, outcomes=list(outcomes))
        monkeypatch.setattr(method.CoinSource, "of_system", lambda coins=coins: coins)
        release = sampled(
            table(*cells), levels=["cell=value"], k=k, beta=beta, person=None, epsilons=[epsilon]
        )
        assert coins.outcomes == []
        law[release.to_csv() + release.certificate.to_text()] += math.prod(coins.chances)
    assert sum(law.values()) == 1
    return law, {bound.neighbours: Fraction(bound.delta) for bound in release.certificate.bounds}


def divergence(first: Law, second: Law, epsilon: str) -> float:
    """The largest gain of an event."""
    power = Fraction(math.exp(float(epsilon)))
    return float(sum(max(0, mass - power * second.get(key, 0)) for key, mass in first.items()))


@cases((3, HALF, "0.3", 4), (2, THIRD, "0.2", 3))
def test_a_row_more_is_worth_what_the_certificate_says(k, beta, epsilon, attained, monkeypatch):
    gains = {}
    for rows in range(k, 7):
        cells = ["a"] * rows
        with_row, bounds = law_of(cells, monkeypatch, k=k, beta=beta, epsilon=epsilon)
        if rows > k:
            without, _ = law_of(cells[1:], monkeypatch, k=k, beta=beta, epsilon=epsilon)
            up = divergence(with_row, without, epsilon)
            gains[rows] = max(up, divergence(without, with_row, epsilon))
            assert gains[rows] <= bounds["add"] + Fraction(1, 10**15)
    # Attained where the theorem says.
    assert max(gains, key=gains.__getitem__) == attained
    assert gains[attained] == pytest.approx(float(bounds["add"]), rel=1e-12)


@pytest.mark.parametrize("others", [("b", "b"), ("b", "c", "d")])
def test_other_cells_change_nothing(others, monkeypatch):
    asked = {"k": 2, "beta": THIRD, "epsilon": "0.2"}
    with_row, bounds = law_of(["a"] * 3 + [*others], monkeypatch, **asked)
    without, _ = law_of(["a"] * 2 + [*others], monkeypatch, **asked)
    assert divergence(with_row, without, "0.2") == pytest.approx(float(bounds["add"]), rel=1e-12)


def test_a_row_with_other_values_is_worth_less_than_the_certificate_says(monkeypatch):
    asked = {"k": 3, "beta": HALF, "epsilon": "0.3"}
    first, bounds = law_of(list("aaaabbb"), monkeypatch, **asked)
    second, _ = law_of(list("aaabbbb"), monkeypatch, **asked)
    gain = divergence(first, second, "0.3")
    # The worst pair of all (R9), above what a row more or less is worth.
    assert gain == pytest.approx(0.165246508723937233, rel=1e-12)
    assert bounds["add"] < gain <= bounds["replace"]


def test_the_cell_is_the_whole_row():
    """A unique sensitive value in a large class is not shown."""
    classes, values = ["x"] * 40, ["flu"] * 39 + ["rare"]
    rows = TextTable("a test", ("class", "ill"), (tuple(classes), tuple(values)), tuple(range(40)))
    for seed in range(20):
        asked = {"levels": ["class=value,ill=value"], "k": 2, "beta": "9/10", "test_seed": seed}
        release = sampled(rows, **asked, person=None, epsilons=[1])
        assert {row[1] for row in release.rows} <= {"flu"}


def test_rows_come_in_an_order_of_their_own():
    rows = table(*"aaaaaaaabbbbbbbb")
    asked = {"levels": ["cell=value"], "k": 1, "beta": "1/2", "person": None, "epsilons": [1]}
    releases = [sampled(rows, **asked, test_seed=seed) for seed in range(40)]
    orders = {"".join(row[0] for row in release.rows) for release in releases}
    assert sum("ba" in order for order in orders) > 35


def test_levels_are_chosen_on_a_sample_of_their_own(monkeypatch):
    """Which levels are shown hangs on the first coins, the rows on the others."""
    cells = ("aa", "ab", "ba", "bb")
    tree = [["cell=value"], ["cell=range:1"]]
    choices = defaultdict(set)
    monkeypatch.setattr(ScriptedCoins, "toss_exp", lambda self, exponent: exponent == 0)
    for outcomes in product((False, True), repeat=8):
        coins = ScriptedCoins(lambda _: 0, seeded=False, outcomes=list(outcomes))
        monkeypatch.setattr(method.CoinSource, "of_system", lambda coins=coins: coins)
        release = sampled(
            table(*cells), levels=tree, k=2, beta="1/2", person=None, choose=1, epsilons=[1]
        )
        assert coins.outcomes == []
        choices[outcomes[:4]].add(release.certificate.levels[0].rule)
        if release.certificate.levels[0].rule != "value":
            # Every text is * there, so that all kept rows are one cell.
            assert len(release.rows) in (0, 2, 3, 4)
    assert all(len(rules) == 1 for rules in choices.values())
    # The score is the rows beyond the first of each cell: 0 for values that are all different.
    assert choices[True, True, False, False] == {"range:1;origin=0"}
