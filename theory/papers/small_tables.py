"""What is claimed of releases, on tables so small that all coins can be tossed: laws in fractions.

Functions of this module are evidence of the ledger of releases. They share nothing with
:mod:`kproof.theory.profiles.sampled`: each law is written down outcome by outcome.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import comb, prod
from typing import Any, TypeAlias

from kproof.theory.exact.typed import Number, rational
from kproof.theory.laws.blocks import sum_by_key

Law: TypeAlias = Mapping[Any, Fraction]
"""The probability of each thing that may be published."""


def divergence(first: Law, second: Law, ratio: Number) -> Fraction:
    """Return the most that an event gains: sup P(O) - E Q(O), E being the ratio."""
    scale, none = rational("ratio", ratio, least=0), Fraction(0)
    gains = (mass - scale * second.get(outcome, none) for outcome, mass in first.items())
    return sum((gain for gain in gains if gain > 0), none)


def worst_of_tables(k: int, beta: Number, ratio: Number, *, rows: int) -> Fraction:
    """Return the most that a table of one cell gains over one with a row more or less (R7).

    ``k``: fewest kept rows of a cell that is shown. ``beta``: chance that a row is kept; 1 keeps
    all. ``ratio``: e^ε. ``rows``: most rows of the cell.

    >>> worst_of_tables(5, "1/10", 2, rows=20)
    Fraction(1573, 20000000)
    """
    laws = [_count_law(size, k, rational("beta", beta)) for size in range(rows + 1)]
    pairs = (pair for fewer, more in pairwise(laws) for pair in ((more, fewer), (fewer, more)))
    return max(divergence(*pair, ratio) for pair in pairs)


def larger_downwards(sizes: Sequence[int], parts: int) -> int:
    """Return how often the table with a row less gains more than that with a row more.

    Looked at is each size k, each chance of parts - 1 between 0 and 1, and each ratio e^ε of as
    many between 1 and 1/(1 - β), from where on the table with a row less gains nothing.

    >>> larger_downwards([2, 3], 4)
    0
    """
    exceeding = 0
    for k, share, step in product(sizes, range(1, parts), range(parts)):
        beta = Fraction(share, parts)
        ratio = 1 + (1 / (1 - beta) - 1) * Fraction(step, parts)
        downwards, upwards = (_worst_event(k, beta, ratio, more=more) for more in (False, True))
        exceeding += downwards > upwards
    return exceeding


def _worst_event(k: int, beta: Fraction, ratio: Fraction, *, more: bool) -> Fraction:
    """Return the gain at the worst number of rows, as R7 says where it is."""
    slope = 1 - (1 - beta) / ratio if more else 1 - (1 - beta) * ratio
    rows = (k - 1) // slope + 1
    with_it, without = (_count_law(size, k, beta) for size in (rows, rows - 1))
    return divergence(*((with_it, without) if more else (without, with_it)), ratio)


def _count_law(rows: int, k: int, beta: Fraction) -> Law:
    """Return the law of the count of a cell, None where fewer than k rows were kept."""
    masses = enumerate(_binomial(rows, beta))
    return sum_by_key((count if count >= k else None, mass) for count, mass in masses)


def _binomial(rows: int, beta: Fraction) -> list[Fraction]:
    return [comb(rows, hits) * beta**hits * (1 - beta) ** (rows - hits) for hits in range(rows + 1)]


def level_of_same_sample(ratio: Number, *, fresh: bool = False) -> Fraction:
    """Return δ where the levels are chosen by an ε₁-private step on the sample itself (R11).

    The victim and two rows; k = 2, β = 1/10. At each of two levels the victim shares a cell with
    one of them, and a level is three times as likely if that row was kept: ε₁ = ln 3, and the
    victim has no say in it. ``ratio``: e^(ε + ε₁). ``fresh``: choose on a second sample instead.

    >>> level_of_same_sample(1000), level_of_same_sample(1000, fresh=True) <= Fraction(1, 100)
    (Fraction(29, 2000), True)
    """
    beta = Fraction(1, 10)

    def law(victim: bool) -> Law:
        published: defaultdict[Any, Fraction] = defaultdict(Fraction)
        for coins in product((0, 1), repeat=5):
            own, chooser = (coins[0] * victim, *coins[1:3]), coins[3:] if fresh else coins[1:3]
            chance = prod((beta if coin else 1 - beta for coin in coins), start=Fraction(1))
            weights = [3**row for row in chooser]
            for level, weight in enumerate(weights):
                # The cell of the victim and its companion at this level, and the other row's.
                together = own[0] + own[1 + level] == 2
                published[level, together] += chance * Fraction(weight, sum(weights))
        return published

    return divergence(law(True), law(False), ratio)


def answers_to_questions(ratio: Number, *, adaptive: bool) -> Fraction:
    """Return δ of two questions, the second of which may depend on the first answer (R14).

    The other record is (1, 0, B) or (0, A, 0), evenly, A and B being fair coins; the victim adds 1
    to the second and the third number, or nothing. The sum of the first numbers is asked, and then
    that of the second: always, or if the first answer is 1; the third otherwise.

    >>> answers_to_questions(1, adaptive=True), answers_to_questions(1, adaptive=False)
    (Fraction(1, 1), Fraction(3, 4))
    """

    def law(victim: int) -> Law:
        published: defaultdict[Any, Fraction] = defaultdict(Fraction)
        for first, coin in product((0, 1), repeat=2):
            second, third = (0, coin) if first else (coin, 0)
            answer = second if first or not adaptive else third
            published[first, answer + victim] += Fraction(1, 4)
        return published

    return divergence(law(1), law(0), ratio)


Levels: TypeAlias = tuple[int, ...]
"""The level of each column; 0 is the value itself."""


def best_level(
    rows: Mapping[tuple[str, ...], int],
    hierarchies: Sequence[Mapping[str, Sequence[str]]],
    *,
    k: int,
    beta: Number,
) -> dict[Levels, Fraction]:
    """Return the law of the levels that show most of a sample, as ARX 3.9 chooses them.

    Each row is kept with chance β. Levels are scored by the kept rows in cells of at least k of
    them, each counting for 1 less the mean share of its levels' heights, and the best score wins;
    of equal ones that with the lower levels in all. ``DataDependentEDDPAlgorithm`` comes to it once
    it has seen all levels: its noise decides in which order it looks at them. ``rows``: how many
    there are of each kind. ``hierarchies``: for each column, the labels of each value from level 0
    up. ``k``, ``beta``: of the sample.
    """
    chance = rational("beta", beta, above=0, below=1)
    heights = [len(next(iter(hierarchy.values()))) - 1 for hierarchy in hierarchies]
    lattice = sorted(product(*(range(height + 1) for height in heights)), key=sum)
    # Scores in whole numbers: all heights multiplied out.
    whole = prod(heights)
    weights = [
        sum(whole - level * whole // height for level, height in zip(levels, heights, strict=True))
        for levels in lattice
    ]
    cells = [_cells(rows, hierarchies, levels) for levels in lattice]
    law: defaultdict[Levels, Fraction] = defaultdict(Fraction)
    for sample, mass in _samples(list(rows.values()), chance):
        counts = [[sum(sample[place] for place in cell) for cell in own] for own in cells]
        scores = [
            weight * sum(count for count in own if count >= k)
            for weight, own in zip(weights, counts, strict=True)
        ]
        # The lattice is sorted: of equal scores the first has the lowest levels.
        law[lattice[scores.index(max(scores))]] += mass
    return dict(law)


def _cells(
    rows: Mapping[tuple[str, ...], int],
    hierarchies: Sequence[Mapping[str, Sequence[str]]],
    levels: Levels,
) -> list[list[int]]:
    """Return which kinds of rows are in a cell together at these levels, by their places."""
    cells: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        columns = zip(hierarchies, row, levels, strict=True)
        cells[tuple(hierarchy[value][level] for hierarchy, value, level in columns)].append(place)
    return list(cells.values())


def _samples(sizes: Sequence[int], beta: Fraction) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Yield how many rows of each kind are kept, with the probability."""
    for pairs in product(*(enumerate(_binomial(size, beta)) for size in sizes)):
        yield tuple(hits for hits, _ in pairs), prod((mass for _, mass in pairs), start=Fraction(1))


def best_level_gap(ratio: Number, *, size: int, k: int, beta: Number) -> Fraction:
    """Return δ of publishing the best levels of a sample, at least: what the levels alone tell.

    There are two values of x and two of y, and ``size`` rows of each pair. The victim has a value
    of y that nobody else has. Shown at levels (1, 0) all other rows count for 1/2 each, and at (0,
    2) as well, where his counts, too: if he is kept, (0, 2) is the better one.

    >>> round(float(best_level_gap(5, size=4, k=5, beta="4/5")), 6)
    0.461698
    """
    pairs: dict[tuple[str, ...], int] = {(x, y): size for x in ("x1", "x2") for y in ("y1", "y2")}
    of_x = {x: (x, "*") for x in ("x1", "x2")}
    of_y = {y: (y, f"about {y}", "*") for y in ("y1", "y2", "y3")}
    without, present = (
        best_level(rows, (of_x, of_y), k=k, beta=beta)
        for rows in (pairs, pairs | {("x1", "y3"): 1})
    )
    return divergence(present, without, ratio)
