r"""What a report of a place tells of where somebody is: the least exponent per unit of distance.

A channel answers a cell by a report with known probabilities, exact rationals. It is
:math:`\varepsilon`-private for a distance *d* between cells if for every two cells and every report

.. math:: K(x)(z) \le e^{\varepsilon d(x, x')} K(x')(z).

Where *d* is the length of shortest paths along links, ratios multiply along a path, so that links
decide: the least :math:`\varepsilon` is the largest ln of a ratio over the length of its link. A
link that is longer than a way around it asks for no more than that way does.

Source: Andrés, Bordenabe, Chatzikokolakis, Palamidessi, "Geo-indistinguishability", CCS 2013;
Chatzikokolakis et al., "Broadening the scope of differential privacy using metrics", PETS 2013.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import TypeAlias

from kproof.errors import InvalidArgument, TooLarge, show
from kproof.theory.exact import Enclosure, Number, as_arb, integer, rational, use_bits
from kproof.theory.exact.coins import CoinSource
from kproof.theory.profiles.inverse import INFINITE

MOST_CELLS = 1_000
"""Most cells of a channel; a million probabilities."""
Link: TypeAlias = tuple[str, str] | tuple[str, str, Number]
"""Two cells that are 1 apart, or so far."""
Links: TypeAlias = Mapping[tuple[str, str], Fraction]
"""Two cells each, and how far they are apart."""


@dataclass(frozen=True)
class DistanceExponent:
    """What a channel tells per unit of distance."""

    epsilon: Enclosure
    """The least ε, infinite if some report is possible at one end of a link only; per report."""
    ratio: Fraction | None
    """The largest ratio over the link that decides; None if it is infinite."""
    link: tuple[str, str]
    """The cell at which the report is likelier, and its neighbour."""
    length: Fraction
    """Of the link."""
    report: str
    """The report that tells most."""

    def after(self, reports: Number) -> Enclosure:
        """Return ε of several independent reports from one place: it adds up, and is no less."""
        return _exponent(self.ratio, self.length / integer("reports", reports, least=1))


@dataclass(frozen=True)
class Channel:
    """What is reported from each cell, with what probability."""

    cells: tuple[str, ...]
    reports: tuple[str, ...]
    weights: tuple[tuple[int, ...], ...]
    """Shape (cells, reports): whole numbers in proportion to the probabilities of each cell."""
    links: Links
    """Which cells are neighbours, each pair once, and how far apart. Of cells between which no
    links lead nothing is promised."""

    @classmethod
    def of(cls, rows: Mapping[str, Mapping[str, Number]], links: Iterable[Link]) -> Channel:
        """Return the channel of given probabilities.

        Args:
            rows: For each cell the probability of every report; those left out are 0. They sum to
                exactly 1.
            links: Pairs of neighbours with how far they are apart, above 0; 1 if it is left out.

        >>> told = {"a": {"a": "2/3", "b": "1/3"}, "b": {"a": "1/3", "b": "2/3"}}
        >>> print(Channel.of(told, [("a", "b")]).exponent.epsilon)
        0.6931472
        """
        if not 2 <= len(rows) <= MOST_CELLS:
            raise InvalidArgument("cells", len(rows), f"2 to {MOST_CELLS:,}")
        reports = tuple(dict.fromkeys(report for row in rows.values() for report in row))
        weights = []
        for cell, row in rows.items():
            shares = [
                rational(f"p of {show(report)} at {show(cell)}", row.get(report, 0), least=0)
                for report in reports
            ]
            if (total := sum(shares)) != 1:
                raise InvalidArgument(f"probabilities at {show(cell)}", str(total), "1 in all")
            # A unit for each cell: reports are drawn from its whole numbers, and only its own sum
            # matters.
            unit = lcm(*(share.denominator for share in shares))
            weights.append(tuple(int(share * unit) for share in shares))
        return cls(tuple(rows), reports, tuple(weights), _links_of(links, rows))

    @cached_property
    def exponent(self) -> DistanceExponent:
        """What it tells per unit of distance."""
        if not self.links:
            raise InvalidArgument("links", "none", "two neighbours or more")
        at = {cell: position for position, cell in enumerate(self.cells)}
        exponents = []
        for ends, length in self.links.items():
            # Both ways: a report that is likelier here says nothing of how much likelier another is
            # there.
            for here, there in (ends, ends[::-1]):
                ratio, report = self._largest_ratio(at[here], at[there])
                epsilon = _exponent(ratio, length)
                exponents.append(
                    DistanceExponent(epsilon, ratio, (here, there), length, self.reports[report])
                )
        return max(exponents, key=lambda exponent: exponent.epsilon.upper)

    def report_from(self, cell: str, coins: CoinSource) -> str:
        """Draw a report from a cell, with exactly its probabilities."""
        if cell not in self.cells:
            raise InvalidArgument("cell", cell, "a cell of the channel")
        row = self.weights[self.cells.index(cell)]
        number = coins.below(sum(row))
        for report, weight in zip(self.reports, row, strict=True):
            if number < weight:
                return report
            number -= weight
        raise AssertionError("a number below the sum of all weights")

    def _largest_ratio(self, here: int, there: int) -> tuple[Fraction | None, int]:
        """Return how many times likelier a report is here than there at most, and which report."""
        likely, unlikely = self.weights[here], self.weights[there]
        top, bottom, at = 0, 1, 0
        for position, (weight_here, weight_there) in enumerate(zip(likely, unlikely, strict=True)):
            if weight_here and not weight_there:
                return None, position
            # Cross-multiplied: fractions would be shortened a million times.
            if weight_there and weight_here * bottom > top * weight_there:
                top, bottom, at = weight_here, weight_there, position
        return Fraction(top * sum(unlikely), bottom * sum(likely)), at


def truncated_geometric(links: Iterable[Link], ratio: Number) -> Channel:
    """Return the channel that reports a cell with a probability in proportion to ratio^hops.

    Its weights are whole numbers, so that it can be drawn exactly. The number of cells that are
    near differs from cell to cell, and so does the sum that probabilities are divided by: ε per hop
    is more than ln(1/ratio), which is what the formula without borders gives.

    Args:
        links: As for :meth:`Channel.of`; hops are counted, and their lengths have to be equal.
        ratio: Between 0 and 1.

    >>> print(truncated_geometric(grid_links(7, 7), "1/2").exponent.epsilon)
    0.9115551
    """
    share = rational("ratio", ratio, above=0, below=1)
    links = list(links)
    cells = list(dict.fromkeys(cell for link in links for cell in link[:2]))
    if not 2 <= len(cells) <= MOST_CELLS:
        raise TooLarge(f"{len(cells):,} cells; a channel has 2 to {MOST_CELLS:,}")
    between = _links_of(links, cells)
    if len(set(between.values())) > 1:
        raise InvalidArgument("links", "of several lengths", "one length: hops are counted")
    hops = _hops(cells, between)
    longest = max(map(max, hops))
    if min(map(min, hops)) < 0:
        raise InvalidArgument("links", "in pieces", "a way from every cell to every other")
    # Times denominator^longest: whole numbers, from which coins draw exactly.
    weight = [
        share.numerator**hop * share.denominator ** (longest - hop) for hop in range(longest + 1)
    ]
    rows = []
    for from_cell in hops:
        row = [weight[hop] for hop in from_cell]
        common = gcd(*row)
        rows.append(tuple(entry // common for entry in row))
    return Channel(tuple(cells), tuple(cells), tuple(rows), between)


def geometric_ratio(rows: Number, columns: Number, ratio: Number) -> Fraction:
    """Return by how much a truncated geometric channel on a grid tells neighbours apart, exactly.

    >>> geometric_ratio(7, 7, "1/2")
    Fraction(316, 127)
    """
    largest = truncated_geometric(grid_links(rows, columns), ratio).exponent.ratio
    assert largest is not None
    return largest


def grid_links(rows: Number, columns: Number) -> list[tuple[str, str]]:
    """Return the links of a grid whose cells are named ``row-column``, from 1, each to the next.

    >>> grid_links(1, 3)
    [('1-1', '1-2'), ('1-2', '1-3')]
    """
    down, across = (
        integer(name, number, least=1, most=MOST_CELLS)
        for name, number in (("rows", rows), ("columns", columns))
    )
    cells = [(row, column) for row in range(1, down + 1) for column in range(1, across + 1)]
    ends = [
        ((row, column), after)
        for row, column in cells
        for after in ((row, column + 1), (row + 1, column))
        if after[0] <= down and after[1] <= across
    ]
    return [("{}-{}".format(*here), "{}-{}".format(*there)) for here, there in ends]


def _links_of(links: Iterable[Link], cells: Iterable[str]) -> Links:
    """Return links with their lengths, of the cells there are, each pair once."""
    cell_names, between = set(cells), dict[tuple[str, str], Fraction]()
    for link in links:
        ends, length = (link[0], link[1]), link[2] if len(link) == 3 else 1
        where = f"{show(ends[0])} to {show(ends[1])}"
        if ends[0] == ends[1] or not cell_names.issuperset(ends):
            raise InvalidArgument("links", where, "two different cells of the channel")
        if ends in between or ends[::-1] in between:
            raise InvalidArgument("links", where, "each once")
        between[ends] = rational(f"length of {where}", length, above=0)
    return between


def _hops(cells: Sequence[str], links: Links) -> list[list[int]]:
    """Return shape (cells, cells): the fewest links between two cells, -1 if there are none."""
    import networkx as nx

    hops = dict(nx.all_pairs_shortest_path_length(nx.Graph(links.keys())))
    return [[hops[here].get(there, -1) for there in cells] for here in cells]


def _exponent(ratio: Fraction | None, length: Fraction) -> Enclosure:
    with use_bits(256):
        if ratio is None:
            return INFINITE
        return Enclosure.from_arb(as_arb(ratio).log() / as_arb(length), low=0)
