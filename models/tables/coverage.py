"""What the labels of a release leave open: the values each class admits of a column, and the loss.

A column's values are put in an order in which most labels are runs: numbers ascending, values of
a taxonomy in its leaf order, others as they come. A label then admits a run of ranks, or a set of
them, and a missing value beside it.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from kproof.models.base.arrays import Codes, Flags, Floats
from kproof.models.base.columns import Column
from kproof.models.tables.recoding import Recoded, holders_of

_LARGE = 1e300
"""Numbers up to this are floats, and so are their differences."""


@dataclass(frozen=True, eq=False)
class Coverage:
    """The values that each class's label admits of one column."""

    rank_of: Codes
    """Shape (values,): rank of each code."""
    first: Codes
    last: Codes
    """Shape (classes,): the run of ranks a label admits; ``first > last`` if it is empty."""
    beside: Flags
    """Shape (classes,): whether the missing value is admitted beside the run."""
    missing: int
    """Rank of the missing value; -1 if none is missing."""
    starts: Codes | None = field(default=None, repr=False)
    holders: Codes | None = field(default=None, repr=False)
    """For a column that publishes sets, else None: rank r is in the sets of the classes
    ``holders[starts[r]:starts[r + 1]]``."""

    def within(self, low: int, high: int, classes: Codes | slice = slice(None)) -> Codes:
        """Return how many values with ranks ``low``, ..., ``high`` some classes admit."""
        if self.starts is not None and self.holders is not None:
            # The sets of neighbouring ranks stand side by side: a class is there once
            # for each of its values.
            within = self.holders[self.starts[low] : self.starts[high + 1]]
            return np.bincount(within, minlength=len(self.first))[classes]
        last, first = np.minimum(self.last[classes], high), np.maximum(self.first[classes], low)
        run = np.maximum(last - first + 1, 0)
        return np.asarray(run + (self.beside[classes] if low <= self.missing <= high else 0))

    def meets(self, low: int, high: int) -> Flags:
        """Say of each class whether it admits a value with a rank ``low``, ..., ``high``."""
        if self.starts is not None and self.holders is not None:
            # Marked and not counted: a class that is there several times is met once.
            met: Flags = np.zeros(len(self.first), dtype=np.bool_)
            met[self.holders[self.starts[low] : self.starts[high + 1]]] = True
            return met
        met = np.maximum(self.first, low) <= np.minimum(self.last, high)
        return met | self.beside if low <= self.missing <= high else met

    @property
    def counts(self) -> Codes:
        """How many values each class admits."""
        return self.within(0, len(self.rank_of) - 1)

    @property
    def only_ranks(self) -> Codes:
        """The rank of the one value that each class admits, if each admits one."""
        if self.starts is not None and self.holders is not None:
            ranks = np.empty(len(self.first), dtype=np.int64)
            ranks[self.holders] = np.repeat(np.arange(len(self.rank_of)), np.diff(self.starts))
            return ranks
        return np.where(self.first <= self.last, self.first, self.missing)

    def spread(self, sizes: Codes) -> Floats:
        """Return the expected rows with each rank if rows are spread evenly over what is admitted.

        ``sizes`` has shape (classes,).
        """
        per_value = sizes / self.counts
        if self.starts is not None and self.holders is not None:
            ranks = np.repeat(np.arange(len(self.rank_of)), np.diff(self.starts))
            spread = np.bincount(ranks, per_value[self.holders], minlength=len(self.rank_of))
            return spread.astype(np.float64)
        steps = np.zeros(len(self.rank_of) + 1)
        runs = self.first <= self.last
        # Each run adds its share where it begins and takes it away behind its end, so that classes
        # times values are never made; several runs may begin at one rank.
        np.add.at(steps, self.first[runs], per_value[runs])
        np.add.at(steps, self.last[runs] + 1, -per_value[runs])
        expected = np.cumsum(steps)[:-1]
        if self.missing >= 0:
            expected[self.missing] += per_value[self.beside].sum()
        # What should cancel out may leave floats just below 0.
        return np.maximum(expected, 0)


def coverage(recoded: Recoded) -> Coverage:
    """Return what the labels of a column admit.

    >>> from kproof.models.tables.recoding import recode
    >>> ages = Column("age", np.array([0, 1, 2, 2], dtype=np.int32), (25, 26, 40), numeric=True)
    >>> found = coverage(recode(ages, np.array([0, 0, 0, 1]), 2))
    >>> found.counts.tolist(), found.within(1, 2).tolist()
    ([3, 1], [2, 1])
    """
    column, size = recoded.column, len(recoded.column.values)
    missing = -1 if column.missing is None else column.missing
    if recoded.starts is not None and recoded.members is not None:
        # A run is empty for every class here: what a set admits, a missing value included,
        # is in `holders` alone.
        begins, holders = holders_of(recoded.starts, recoded.members, size)
        none = np.zeros(len(recoded.starts) - 1, dtype=np.int64)
        return Coverage(np.arange(size), none, none - 1, none > 0, missing, begins, holders)
    if recoded.nodes is not None and column.taxonomy is not None and column.nodes is not None:
        order = np.argsort(column.nodes, kind="stable")
        rank_of = np.empty(size, dtype=np.int64)
        rank_of[order] = np.arange(size)
        leaves = column.nodes[order]
        first = np.searchsorted(leaves, recoded.nodes)
        # A subtree is a run of nodes, and values stand in the order of theirs: so
        # is what a node admits.
        last = np.searchsorted(leaves, column.taxonomy.ends[recoded.nodes], side="right") - 1
        missing = -1 if missing < 0 else int(rank_of[missing])
        # A node above the leaf ? admits it within its run, where it must not count again.
        beside = recoded.missing & ((missing < first) | (missing > last))
        return Coverage(rank_of, first, last, beside, missing)
    return Coverage(np.arange(size), recoded.low, recoded.high, recoded.missing, missing)


def penalties(recoded: Recoded) -> Floats:
    """Return the normalized certainty penalty (NCP) of each class in a column, from 0 to 1.

    The span of a range over that of the column; for a taxonomy the leaves below the published
    node over all leaves, for a set its size over the number of values. A single value costs
    nothing. Missing values among others count as one more value; among numbers, of which
    they might be any, they cost 1. So does the mark of rows that are left out.

    Source: Xu, Wang, Pei, Wang, Shi and Fu, "Utility-based anonymization using local recoding",
    KDD 2006.

    >>> from kproof.models.tables.recoding import recode
    >>> ages = Column("age", np.array([0, 1, 2, 2], dtype=np.int32), (20, 30, 60), numeric=True)
    >>> penalties(recode(ages, np.array([0, 0, 1, 1]), 2)).tolist()
    [0.25, 0.0]
    """
    column = recoded.column
    if recoded.starts is not None:
        admitted, all_of_them = np.diff(recoded.starts), len(column.values)
    elif recoded.nodes is not None and column.taxonomy is not None:
        covered = coverage(recoded)
        admitted = column.taxonomy.leaves[recoded.nodes] + covered.beside
        all_of_them = int(column.taxonomy.leaves[0])
    else:
        runs = recoded.low <= recoded.high
        places = _places(column)
        spans = np.zeros(len(recoded.low))
        spans[runs] = places[recoded.high[runs]] - places[recoded.low[runs]]
        penalty = np.where(runs & recoded.missing, 1.0, spans)
        return _hide(penalty, recoded.hidden)
    return _hide(np.where(admitted > 1, admitted / all_of_them, 0.0), recoded.hidden)


def _hide(penalty: Floats, hidden: int | None) -> Floats:
    if hidden is not None:
        penalty[hidden] = 1.0
    return penalty


def _places(column: Column) -> Floats:
    """Return where each number lies in its column, from 0 to 1; a missing one at 0."""
    recorded: Any = column.values if column.missing is None else column.values[:-1]
    places = np.zeros(len(column.values))
    if len(recorded) > 1:
        # Two floats may lie too far apart for a float, and a whole number beyond all of them; from
        # a Decimal no float can be taken. Fractions have none of that.
        ends = max(-recorded[0], recorded[-1])
        if ends > _LARGE or not set(map(type, recorded)) <= {int, float}:
            recorded = [Fraction(value) for value in recorded]
        span = recorded[-1] - recorded[0]
        places[: len(recorded)] = [float((value - recorded[0]) / span) for value in recorded]
    return places
