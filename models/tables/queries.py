"""How wrong a release answers: random COUNT queries on the original and on the published table.

A query asks how many rows lie in a box: a run of values for each of a few quasi-identifiers. It is
drawn around a random record, so that its true answer is at least 1 and the relative error exists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kproof.errors import InvalidArgument
from kproof.models.base.arrays import Codes, Floats, Integers
from kproof.models.base.parameters import SEED
from kproof.models.tables.coverage import Coverage
from kproof.theory.exact.typed import Number, integer, rational


@dataclass(frozen=True, eq=False)
class Queries:
    """COUNT queries over ranks of quasi-identifiers."""

    columns: Codes
    """Shape (queries, dimension): which quasi-identifiers a query restricts."""
    low: Codes
    high: Codes
    """Shape (queries, dimension): the ranks it asks for, ends included."""

    def count(self, ranks: Sequence[Integers], sizes: Codes | None = None) -> Codes:
        """Return the rows in each box, given each column's ranks of shape (rows,).

        Every row counts once, or as often as ``sizes``, shape (rows,), says.
        """
        highest = int(self.high.max())
        # Small integers: a column of ranks is read once for each query and bound.
        narrow = [
            column_ranks.astype(np.min_scalar_type(int(column_ranks.max(initial=0))))
            for column_ranks in ranks
        ]
        counts = np.empty(len(self.columns), dtype=np.int64)
        for first in np.unique(self.columns[:, 0]).tolist():
            # In the order of the first column a box is a slice, a third of the rows or fewer.
            order = np.argsort(narrow[first], kind="stable")
            ends = np.append(0, np.cumsum(np.bincount(narrow[first], minlength=highest + 1)))
            in_order = [column_ranks[order] for column_ranks in narrow]
            weights = None if sizes is None else sizes[order]
            for query in np.flatnonzero(self.columns[:, 0] == first).tolist():
                run = slice(ends[self.low[query, 0]], ends[self.high[query, 0] + 1])
                hits = np.ones(run.stop - run.start, dtype=np.bool_)
                for place, column in enumerate(self.columns[query, 1:].tolist(), 1):
                    hits &= in_order[column][run] >= self.low[query, place]
                    hits &= in_order[column][run] <= self.high[query, place]
                inside = hits if weights is None else weights[run][hits]
                counts[query] = inside.sum()
        return counts

    def estimate(self, covered: Sequence[Coverage], sizes: Codes) -> tuple[Floats, Codes]:
        """Return two answers from published classes: the expected rows, and the rows not ruled out.

        ``covered`` is what labels admit, by quasi-identifier; ``sizes``, shape (classes,), are
        rows.
        """
        counts = [cover.counts for cover in covered]
        alone = [bool((admitted == 1).all()) for admitted in counts]
        # Every class is a point, inside of a box or not: both answers are one count of rows.
        if all(alone):
            possible = self.count([cover.only_ranks for cover in covered], sizes)
            return possible.astype(np.float64), possible
        expected = np.empty(len(self.columns))
        possible = np.empty(len(self.columns), dtype=np.int64)
        for query, columns in enumerate(self.columns.tolist()):
            limits = [
                (column, int(self.low[query, place]), int(self.high[query, place]))
                for place, column in enumerate(columns)
            ]
            touched = np.ones(len(sizes), dtype=np.bool_)
            for column, low, high in limits:
                touched &= covered[column].meets(low, high)
            # Most classes are ruled out: shares are worked out for the others alone.
            among = np.flatnonzero(touched)
            share = np.ones(len(among))
            for column, low, high in limits:
                if not alone[column]:
                    # As if columns were independent within a class: its labels say no more.
                    share *= covered[column].within(low, high, among) / counts[column][among]
            rows = sizes[among]
            expected[query], possible[query] = (share * rows).sum(), rows.sum()
        return expected, possible


@dataclass(frozen=True, slots=True)
class QueryError:
    """Relative errors ``|published - true| / true`` of random COUNT queries."""

    queries: int
    dimension: int
    selectivity: Fraction
    seed: int
    """How they were drawn."""
    attained: float
    """Mean share of the rows that the queries select."""
    uniform_mean: float
    uniform_median: float
    """Errors of an analyst who spreads the rows of a class evenly over the values it admits."""
    intersecting_mean: float
    intersecting_median: float
    """Errors of one who counts every row whose labels meet the box, as the paper does."""


def random_queries(
    ranks: Sequence[Integers], *, queries: Number, dimension: Number, selectivity: Number, seed: int
) -> Queries:
    """Draw boxes of about a given share of the rows.

    Each restricts ``dimension`` columns, drawn without replacement, to a window of consecutive rows
    in the order of the column, widened to whole values. The window's share is the least w/n with
    (w/n)^dimension >= selectivity, and it contains a random record at a random place; boxes are
    that selective where columns are independent and values rare.

    Args:
        ranks: Each of shape (rows,): ranks by column.
        queries: How many, at least 1.
        dimension: Columns in a query, from 1 to their number.
        selectivity: 0 < selectivity <= 1.
        seed: Of NumPy's PCG64.
    """
    count = integer("queries", queries, least=1)
    width = integer("dimension", dimension, least=1, most=len(ranks))
    share = rational("selectivity", selectivity, above=0, most=1)
    rows = len(ranks[0])
    window = _window(rows, share, width)
    # By name: NumPy may change what default_rng is, and with it which queries are asked.
    draw = np.random.Generator(np.random.PCG64(SEED.read(seed)))
    # The first places of a random order are columns drawn without replacement, all queries at once.
    columns = draw.random((count, len(ranks))).argsort(axis=1, kind="stable")[:, :width]
    # Boxes are drawn around rows, so that none is empty: errors are shares of the true answer.
    anchors = draw.integers(0, rows, count)
    low, high = np.empty_like(columns), np.empty_like(columns)
    for column, column_ranks in enumerate(ranks):
        query, place = np.nonzero(columns == column)
        totals = np.bincount(column_ranks)
        ends = np.cumsum(totals)
        rank = column_ranks[anchors[query]].astype(np.int64)
        # A random one of the rows with the anchor's value: a window lies around a row, not around a
        # value, which may be wider than it.
        position = ends[rank] - 1 - draw.integers(0, totals[rank])
        start = position - draw.integers(0, window, len(query))
        # Moved in from the ends, not cut: every window has as many rows.
        start = np.clip(start, 0, rows - window)
        low[query, place] = np.searchsorted(ends, start, side="right")
        high[query, place] = np.searchsorted(ends, start + window - 1, side="right")
    return Queries(columns.astype(np.int64), low.astype(np.int64), high.astype(np.int64))


def query_error(
    ranks: Sequence[Integers],
    covered: Sequence[Coverage],
    sizes: Codes,
    *,
    queries: Number = 1000,
    dimension: Number = 2,
    selectivity: Number = "0.1",
    seed: int = 0,
) -> QueryError:
    """Compare the answers of a release with those of its table.

    Args:
        ranks: Each of shape (rows,): the original ranks by quasi-identifier.
        covered: What labels admit, in the same ranks.
        sizes: Shape (classes,): published rows of each class, noise included.
        queries, dimension, selectivity, seed: See :func:`random_queries`.
    """
    if not ranks or len(ranks[0]) == 0:
        raise InvalidArgument("table", "empty", "a row and a quasi-identifier to ask about")
    boxes = random_queries(
        ranks, queries=queries, dimension=dimension, selectivity=selectivity, seed=seed
    )
    true = boxes.count(ranks)
    expected, possible = boxes.estimate(covered, sizes)
    uniform = np.abs(expected - true) / true
    intersecting = np.abs(possible - true) / true
    return QueryError(
        queries=len(true),
        dimension=boxes.columns.shape[1],
        selectivity=rational("selectivity", selectivity),
        seed=int(seed),
        attained=float(true.mean() / len(ranks[0])),
        uniform_mean=float(uniform.mean()),
        uniform_median=float(np.median(uniform)),
        intersecting_mean=float(intersecting.mean()),
        intersecting_median=float(np.median(intersecting)),
    )


def _window(rows: int, share: Fraction, dimension: int) -> int:
    """Return the least w with (w/rows)^dimension >= share, in integers on every platform."""
    low, high = 1, rows
    while low < high:
        middle = (low + high) // 2
        if middle**dimension * share.denominator >= share.numerator * rows**dimension:
            high = middle
        else:
            low = middle + 1
    return low
