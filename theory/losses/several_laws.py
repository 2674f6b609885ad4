"""The worst two cells of a histogram whose rows follow several laws, and paths between cells.

Of each law some records are unknown. Where some of them can be in either of two cells, these are
coins that hide the victim's move between the two (:mod:`kproof.theory.profiles.two_cells`). Mass
from elsewhere can be thinned in after the fact, so δ falls in the probability that any law has of
either cell: a cell in which every law is at least as likely as in each of two others is in no
worst pair.

Where no record can be in both, the move is hidden step by step: along a path of cells whose
neighbours share a law. On a shortest path no law has three of its cells, so the coins of different
steps are different records, and the steps compose.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

from kproof.errors import TooLarge
from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.losses.coins import CoinsPair, path
from kproof.theory.losses.loss import PrivacyLoss
from kproof.theory.profiles.input import Direction
from kproof.theory.profiles.two_cells import MOST_COMBINED, MOST_OTHERS, Others, two_cells

if TYPE_CHECKING:
    import networkx as nx

MOST_PAIRS = 200
"""Most pairs of cells that are worked out, of either kind."""
MOST_CELLS = 2_000
"""Most cells of several laws: pairs of them are counted."""


class BelievedLaw(NamedTuple):
    """Records that fall into cells by the same law."""

    others: int
    """How many there are that the adversary does not know, beside the victim's."""
    masses: Mapping[str, Fraction]
    """The probability of each cell; a cell that is not named has none."""


class WorstOfLaws(NamedTuple):
    """The pair of cells of which most is told."""

    delta: Decimal
    """No reader is told more of any pair, in either direction, whatever else she sees of the
    others; rounded up."""
    cells: tuple[str, ...]
    """The victim's cell in the likelier world, the cells of the path, and the other one."""
    assumption: str
    """What a path assumes of software that proves nothing; else empty."""


def worst_of_laws(laws: Sequence[BelievedLaw], *, epsilon: Number, k: Number = 1) -> WorstOfLaws:
    """Return the worst pair of cells of a histogram of independent records of several laws.

    Counts below ``k`` are hidden; 1 hides none. Where there are many pairs, or no record can be in
    both cells, the bound is that of counts that are not. There may be 2 to 2,000 cells in all; if
    more than 200 pairs could be the worst it is TooLarge.
    >>> half = Fraction(1, 2)
    >>> young = BelievedLaw(3, {"20s": half, "30s": half})
    >>> old = BelievedLaw(2, {"30s": half, "40s": half})
    >>> worst = worst_of_laws([young, old], epsilon=0)
    >>> round(worst.delta, 6), worst.cells
    (Decimal('0.625000'), ('20s', '30s', '40s'))
    """
    import networkx as nx

    exponent, least = rational("epsilon", epsilon, least=0), integer("k", k, least=1)
    for law in laws:
        integer("others", law.others, least=0, most=MOST_OTHERS)
    cells = list(dict.fromkeys(cell for law in laws for cell in law.masses))
    integer("number of cells", len(cells), least=2, most=MOST_CELLS)
    links = _links(laws)
    links.add_nodes_from(cells)
    if not nx.is_connected(links):
        parts = nx.connected_components(links)
        return WorstOfLaws(Decimal(1), (min(next(parts)), min(next(parts))), "")
    pairs = list(combinations(cells, 2))
    apart = [pair for pair in pairs if not links.has_edge(*pair)]
    beside = [pair for pair in pairs if links.has_edge(*pair)]
    if least == 1 or len(beside) > MOST_PAIRS:
        rare = _candidates(laws, cells)
        beside, least = [pair for pair in beside if rare.issuperset(pair)], 1
    paths: dict[tuple[tuple[CoinsPair, int], ...], tuple[str, ...]] = {}
    for pair in apart:
        steps = nx.dijkstra_path(links, *pair, weight="length")
        # Paths of the same releases tell the same: the first pair stands for all of them.
        paths.setdefault(path([_coins(laws, *step) for step in pairwise(steps)]), tuple(steps))
        if max(len(beside), len(paths)) > MOST_PAIRS:
            break
    if max(len(beside), len(paths)) > MOST_PAIRS:
        reason = f"more than {MOST_PAIRS} pairs of cells could be the worst: join cells, or laws"
        raise TooLarge(reason)
    worst = _worst_beside(laws, beside, exponent, least)
    for releases, steps in paths.items():
        losses = [PrivacyLoss(releases, side) for side in _SIDES]
        up, down = (loss.delta(exponent).upper for loss in losses)
        worst = _worse(worst, (up, down), steps, losses[0].assumption)
    return worst


def _worst_beside(
    laws: Sequence[BelievedLaw], pairs: Sequence[tuple[str, str]], epsilon: Fraction, k: int
) -> WorstOfLaws:
    """Return the worst of pairs that some record can be in both of."""

    def of(pair: tuple[str, str], combined: int) -> tuple[Decimal, Decimal]:
        sides = two_cells(_coins(laws, *pair), epsilon=epsilon, k=k, combined=combined)
        return sides.first.upper, sides.second.upper

    worst = WorstOfLaws(Decimal(0), (), "")
    rough = {pair: of(pair, _ROUGH) for pair in pairs}
    for pair, above in sorted(rough.items(), key=lambda item: -max(item[1])):
        # Rough values are never too small, and fall: no pair that follows can be worse.
        if max(above) <= worst.delta:
            break
        worst = _worse(worst, of(pair, MOST_COMBINED), pair)
    return worst


_ROUGH = 100
"""Combinations of numbers of coins that are gone through to see which pairs can be the worst."""
_SIDES = (Direction.UP, Direction.DOWN)


def _links(laws: Sequence[BelievedLaw]) -> nx.Graph:
    """Return which cells some record can be in both of, and how well that hides a move."""
    import networkx as nx

    links = nx.Graph()
    for law in laws:
        possible = {cell: mass for cell, mass in law.masses.items() if mass and law.others}
        for first, second in combinations(possible, 2):
            coins = 2 * law.others * min(possible[first], possible[second])
            before = links.get_edge_data(first, second, {"coins": 0})["coins"]
            links.add_edge(first, second, coins=before + coins)
    for _, _, link in links.edges(data=True):
        # Fewest steps first, then those with the most coins.
        link["length"] = MOST_CELLS + 1 / (1 + float(link["coins"]))
    return links


def _coins(laws: Sequence[BelievedLaw], first: str, second: str) -> list[Others]:
    """Return the records that can be in either of two cells."""
    none = Fraction(0)
    pairs = [(law, law.masses.get(first, none), law.masses.get(second, none)) for law in laws]
    return [Others(law.others, a, b) for law, a, b in pairs if a or b]


def _candidates(laws: Sequence[BelievedLaw], cells: Sequence[str]) -> set[str]:
    """Return the cells that may be in a worst pair: at most one other is nowhere likelier."""
    masses = {cell: tuple(law.masses.get(cell, Fraction(0)) for law in laws) for cell in cells}
    # In this order whatever is nowhere likelier than a cell comes before it. Rivals that are left
    # out have two that are rarer still.
    ranked = sorted(cells, key=lambda cell: masses[cell])
    undominated: list[str] = []
    for cell in ranked:
        rarer = sum(all(map(operator.le, masses[rival], masses[cell])) for rival in undominated)
        if rarer < 2:
            undominated.append(cell)
    return set(undominated)


def _worse(
    worst: WorstOfLaws, ways: tuple[Decimal, Decimal], cells: tuple[str, ...], assumption: str = ""
) -> WorstOfLaws:
    """Return the worse of what was and of a pair, the victim's likelier cell first."""
    # The first pair is taken even if its δ is 0: an answer names cells.
    if worst.cells and max(ways) <= worst.delta:
        return worst
    return WorstOfLaws(max(ways), cells if ways[0] >= ways[1] else cells[::-1], assumption)
