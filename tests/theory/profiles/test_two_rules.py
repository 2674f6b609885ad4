"""Two rules about sampled releases: each figure of the page of findings is computed."""

import re
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from math import comb, exp, expm1, floor
from pathlib import Path

import pytest

from kproof.theory.papers.small_tables import level_of_same_sample
from kproof.theory.profiles.sampled import least_threshold, sampled_exact
from kproof.theory.theorems.releases.sampled import release_bound

PAGE = Path(__file__).parents[3] / "docs" / "findings.md"
BETA = Fraction(1, 10)
Release = tuple[str, tuple[tuple[str, int], ...]]

CELLS = {
    "first": {"victim": "x", "a": "x", "b": "y"},
    "second": {"victim": "x", "a": "y", "b": "x"},
}
"""The cell of each row at each level: at either, the victim has one row beside his own."""
RIVAL = {"first": "a", "second": "b"}
"""The row whose being sampled makes a level three times as likely."""


def released(rows: tuple[str, ...], *, fresh: bool) -> dict[Release, Fraction]:
    """Return the law of what is published, the level chosen on this sample or on a fresh one."""
    law: defaultdict[Release, Fraction] = defaultdict(Fraction)
    coins = list(product((False, True), repeat=len(rows)))
    for toss, choosing in product(coins, coins if fresh else [None]):
        sample = {row for row, kept in zip(rows, toss, strict=True) if kept}
        chooser = {row for row, kept in zip(rows, choosing or toss, strict=True) if kept}
        chance = Fraction(1)
        for kept in (*toss, *(choosing or ())):
            chance *= BETA if kept else 1 - BETA
        weights = {level: 3 ** (rival in chooser) for level, rival in RIVAL.items()}
        for level, weight in weights.items():
            counts = Counter(CELLS[level][row] for row in sample)
            shown = tuple(sorted((cell, size) for cell, size in counts.items() if size >= 2))
            law[level, shown] += chance * Fraction(weight, sum(weights.values()))
    return dict(law)


def gap(scale: Fraction, *, fresh: bool) -> Fraction:
    """Return δ at e^ε = scale, of all events, with the victim's row against without it."""
    larger = released(("victim", "a", "b"), fresh=fresh)
    smaller = released(("a", "b"), fresh=fresh)
    parts = (larger[key] - scale * smaller.get(key, Fraction(0)) for key in larger)
    return sum((part for part in parts if part > 0), Fraction(0))


@pytest.mark.parametrize("scale", [Fraction(27, 5), Fraction(100), Fraction(10**12)])
def test_levels_chosen_on_the_sample_exceed_what_the_rule_claims(scale):
    assert gap(scale, fresh=False) == Fraction(29, 2000)  # 27/5: ln 1.8 for rows, ln 3 for levels
    assert level_of_same_sample(scale) == Fraction(29, 2000)
    claimed = sampled_exact(2, BETA, epsilon=1)  # ln 1.8 < 1
    assert claimed.lower <= Fraction(1, 100) <= claimed.upper < Fraction(29, 2000)
    assert level_of_same_sample(scale, fresh=True) == gap(scale, fresh=True) <= Fraction(1, 100)


def test_the_page_says_the_witness():
    assert "29/2000" in PAGE.read_text("utf-8")


def older_bound(k: int, beta: float, epsilon: float) -> float:
    """Return the largest tail of Bin(n, β) beyond γ n, n at least k/γ − 1; no term is taken off."""
    gamma = 1 - (1 - beta) * exp(-epsilon)
    first = max(floor(k / gamma - 1), 1)

    def tail(n: int) -> float:
        start = floor(gamma * n) + 1
        return sum(comb(n, j) * beta**j * (1 - beta) ** (n - j) for j in range(start, n + 1))

    return max(tail(n) for n in range(first, first + 60) if n >= k / gamma - 1)


def test_the_table_of_the_page_is_what_both_formulas_give():
    rows = re.findall(
        r"^\| (\d+) \| ([\d/]+) \| (\S+) \| (\S+) \| (\S+) \|$", PAGE.read_text("utf-8"), re.M
    )
    assert len(rows) == 4
    for k, beta, epsilon, exact, older in rows:
        bound = release_bound(k=int(k), beta=beta, epsilon=epsilon)
        assert f"{float(str(bound.delta)):.2e}" == exact
        assert f"{older_bound(int(k), float(Fraction(beta)), float(epsilon)):.1e}" == older


def test_the_least_k_of_the_page():
    beta = Fraction(-expm1(-0.1)).limit_denominator(10**9)
    assert least_threshold(beta, epsilon="0.1", delta="1e-5") == 26
    assert next(k for k in range(2, 80) if older_bound(k, float(beta), 0.1) <= 1e-5) == 49
    assert "k = 26 is enough, and the older bound asks for 49" in PAGE.read_text("utf-8")
