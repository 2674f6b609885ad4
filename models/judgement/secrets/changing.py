"""Secrets that change from row to row: what is believed of each row, and of any row of a person.

What is a person's for good makes some rows of a class more likely to be hers than others, and
sharpens what is believed of the rest of these rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import repeat
from math import comb

import numpy as np

from kproof.models.base.arrays import Codes, Flags, Floats
from kproof.models.judgement.people import PeopleInClasses, distinct, spread
from kproof.models.judgement.publication import PublishedColumn
from kproof.models.judgement.secrets.beliefs import (
    SecretBeliefs,
    SecretValues,
    Sure,
    Whole,
    are_sure_bets,
    sum_by_group,
    sum_by_key,
    surely,
    wide,
)
from kproof.models.judgement.secrets.joined import (
    NEARLY_ALL,
    CaseCells,
    JoinedRows,
    Posterior,
    falling,
)
from kproof.models.judgement.thresholds import Thresholds


def flag_unsure_changes(
    joined: JoinedRows, column: PublishedColumn, windows: list[SecretValues], thresholds: Thresholds
) -> Sure:
    """Say, shape (people,), whose value of a column that changes somebody is too sure of.

    Under any of its windows, at least one, which differ in nothing but what is as good as a value.

    Of one row: the share of the value among the rows that may be it. Of any row of a person: one
    less the chance that all of her rows are among those without the value, against the same chance
    in the whole release, which grows with the number of her rows as well.
    """
    group, groups = joined.groups
    by_pair = SecretBeliefs.count(joined.counts[2], column.codes, len(joined.counts[0]), windows[0])
    flags = np.zeros((2, groups.count + 1), dtype=np.bool_)
    tops = _Tops(joined, by_pair, windows, thresholds)
    for posterior in tops.parts():
        # Beliefs of each row are by value: mixing them takes most of the time, and serves all.
        cases = _Cases.of(joined, posterior, by_pair)
        for values in windows:
            sure = surely(cases.beliefs, values, thresholds)
            # Every group has a case: reduceat would make up a value for a run of none.
            certain = np.logical_or.reduceat(sure.certain, cases.opens)
            bet = np.logical_or.reduceat(sure.bet, cases.opens)
            # Values that a label spreads its mass over are no whole rows, which this counts.
            if values.scale == 1:
                any_certain, any_bet = cases.any_row(values, thresholds, ~(certain & bet))
                certain, bet = certain | any_certain, bet | any_bet
            flags[:, posterior.groups] |= np.stack([certain, bet])
    return Sure(flags[0][group], flags[1][group])


_MIXED = 1 << 21
"""Values of pairs that are mixed at a time, where the groups can be cut so: bounds the memory."""

_SLACK = 1e-6
"""Far more than floats are wrong by in sums of 2^28 chances, the most that are added up."""


@dataclass(frozen=True, eq=False)
class _Tops:
    """Bounds on what a row tells, in floats: whom they leave out no value can be too sure of.

    A bet is sure if a chance reaches a limit, which is higher for common values. So each pair of a
    class and a tuple has the largest quotient of a chance and its limit; mixed as the tuples are,
    no quotient of any group is above its mean. Most groups of a large table stay below 1.
    """

    joined: JoinedRows
    by_pair: SecretBeliefs
    windows: Sequence[SecretValues]
    thresholds: Thresholds

    def parts(self) -> Iterator[Posterior]:
        """Yield the groups that somebody may be too sure of, piece by piece."""
        counts = np.bincount(self.by_pair.group, minlength=len(self.by_pair.total))
        top = cache(self._top)
        for posterior, cells in zip(self.joined.posteriors, self.joined.cells, strict=True):
            entry, _, pair = cells
            possible = np.flatnonzero(self._possible(posterior, cells, top))
            sizes = np.bincount(posterior.group[entry], counts[pair], len(posterior.groups))
            piece = np.cumsum(sizes[possible]) // _MIXED
            for number in np.unique(piece).tolist():
                yield posterior.among(possible[piece == number])

    def _possible(
        self, posterior: Posterior, cells: CaseCells, top: Callable[[int, int], Floats]
    ) -> Flags:
        groups, (entry, case, pair) = self.joined.groups[1], cells
        if not len(posterior.groups):
            return np.zeros(0, dtype=np.bool_)
        lengths = groups.lengths[posterior.groups]
        opens = np.cumsum(lengths) - lengths
        times = groups.rows[spread(groups.starts[posterior.groups], lengths)[0]]
        rows = np.add.reduceat(times, opens)
        chance = (posterior.weight / posterior.total[posterior.group]).astype(np.float64)[entry]
        of_row = np.bincount(case, chance * top(1, 1)[pair], len(times))
        possible = np.asarray(np.maximum.reduceat(of_row, opens) >= 1 - _SLACK)
        several = rows[rows > 1]
        if not len(several) or all(values.scale > 1 for values in self.windows):
            return possible
        # Bounds hold for whoever has more rows: those of a few numbers serve all.
        steps = np.unique(np.quantile(several, np.arange(8) / 8, method="lower")).astype(np.int64)
        step = np.searchsorted(steps, rows, side="right")
        for number, fewest in enumerate(steps.tolist(), start=1):
            mixed = np.bincount(case, chance * top(fewest, int(times.max()))[pair], len(times))
            possible |= (step == number) & (np.add.reduceat(mixed * times, opens) >= 1 - _SLACK)
        return possible

    def _top(self, rows: int, times: int) -> Floats:
        """Return, shape (pairs,), the largest quotient of a chance and its limit.

        For people with at least so many ``rows``, of which at most so many ``times`` are in a
        class.
        """
        by_pair, gain, common = self.by_pair, float(self.thresholds.gain), self.thresholds.common
        group, total = by_pair.group, by_pair.total
        top = np.zeros(len(total))
        for values in self.windows:
            share = (values.share / values.rows).astype(np.float64)
            # Drawing with replacement misses a value more often: this is at most the exact share
            # of people of whom some row has it.
            base = share if values.every else 1 - (1 - share) ** rows
            limit = base + gain
            # What most people have in some row cannot be a bet, but may be certain: if so for each
            # tuple some class has too few rows without it.
            certain = np.where((limit > 1 + _SLACK) & (base < float(common) + _SLACK), 1.0, np.inf)
            if values.every:
                limit = np.minimum(limit, 1)
            else:
                limit[limit > 1 + _SLACK] = np.inf
            # A window's centre need not be in the pair. Whose least rank there is this one, the
            # last such window reaches farthest.
            ranks = np.arange(len(share))
            last = np.searchsorted(values.low, ranks, side="right")
            first = np.searchsorted(values.high, ranks, side="right")
            ends = np.stack([first, last], axis=1).ravel()
            reach = [np.minimum.reduceat(np.append(own, np.inf), ends) for own in (limit, certain)]
            lowest = [limits[::2] for limits in reach]
            mass = by_pair.within(group, by_pair.rank, values.high[last - 1][by_pair.rank], values)
            # Where nothing is recorded any value may be, those of other pairs as well.
            anywhere = [limits.min(initial=np.inf) for limits in lowest]
            sides = (
                (group, mass + by_pair.missing[group], [own[by_pair.rank] for own in lowest]),
                (np.arange(len(total)), by_pair.missing, anywhere),
            )
            for pair, own, (bet, sure) in sides:
                quotient = (own / total[pair]).astype(np.float64) / bet
                whole = np.asarray(own > total[pair] - times, dtype=np.float64) / sure
                np.maximum.at(top, pair, np.maximum(quotient, whole))
        return top


@dataclass(frozen=True, eq=False)
class _Cases:
    """The rows of groups of people by class; a group and one of its classes are a case."""

    joined: JoinedRows
    posterior: Posterior
    by_pair: SecretBeliefs
    """Values by pair of a class and a tuple of constant secrets."""
    opens: Codes
    """Shape (groups,): first case of each group."""
    lengths: Codes
    """Shape (groups,): how many it has."""
    of_class: Codes
    """Shape (cases,): the class."""
    times: Codes
    """Shape (cases,): how many of a person's rows are in it."""
    beliefs: SecretBeliefs
    """What is believed of one row of each case."""

    @classmethod
    def of(cls, joined: JoinedRows, posterior: Posterior, by_pair: SecretBeliefs) -> _Cases:
        """Mix the values of each class by what is believed of the constant secrets."""
        groups = joined.groups[1]
        lengths = groups.lengths[posterior.groups]
        opens = np.cumsum(lengths) - lengths
        places, _ = spread(groups.starts[posterior.groups], lengths)
        of_class = groups.of_class[places]
        case, entry = spread(opens[posterior.group], lengths[posterior.group])
        rows, pair = joined.rows_with(of_class[case], posterior.secret[entry])
        # The falling factorial has the number of rows among its factors: this leaves no rest.
        weight = posterior.weight[entry] // rows
        weight = wide(weight, int(by_pair.total.max(initial=1)))
        first = np.searchsorted(by_pair.group, np.arange(len(by_pair.total) + 1))
        at, own = spread(first[pair], first[pair + 1] - first[pair])
        size = int(by_pair.rank.max(initial=0)) + 1
        keys, mixed = sum_by_key(
            case[own] * size + by_pair.rank[at], weight[own] * by_pair.weight[at]
        )
        group, rank = np.divmod(keys, size)
        total = sum_by_group(case, weight * by_pair.total[pair], len(places))
        missing = sum_by_group(case, weight * by_pair.missing[pair], len(places))
        beliefs = SecretBeliefs(group, rank, mixed, total, missing)
        return cls(
            joined, posterior, by_pair, opens, lengths, of_class, groups.rows[places], beliefs
        )

    def any_row(
        self, values: SecretValues, thresholds: Thresholds, candidates: Flags
    ) -> tuple[Flags, Flags]:
        """Say of which groups that are asked for some row surely has some value."""
        groups, total = len(self.opens), self.posterior.total
        rows = np.add.reduceat(self.times, self.opens)
        group, rank, expected = self._expectation(values)
        likely = (candidates & (rows > 1))[group]
        # No chance of any row is larger than the sum of the chances of all, and no share of people
        # with any such row smaller than the share of rows.
        enough = are_sure_bets(
            expected, total[group], values.share[rank], values.rows, thresholds.gain
        )
        likely &= enough | np.asarray(expected >= total[group], dtype=np.bool_)
        group, rank = group[likely], rank[likely]
        flags = np.zeros((2, groups), dtype=np.bool_)
        if not len(group):
            return flags[0], flags[1]
        none = self._none(group, rank, values).astype(object)
        most = int(rows.max()) + 1
        cases, case = np.unique(values.share[rank] * most + rows[group], return_inverse=True)
        # Chances that none of as many rows of the whole release has it.
        base = [
            Fraction(comb(values.rows - share, own), comb(values.rows, own))
            for share, own in map(divmod, cases.tolist(), repeat(most))
        ]
        rare = np.array([1 - chance < thresholds.common for chance in base], dtype=np.bool_)
        limits = [chance - thresholds.gain for chance in base]
        above = np.array([limit.numerator for limit in limits], dtype=object)
        below = np.array([limit.denominator for limit in limits], dtype=object)
        flags[0, group[(none == 0) & rare[case]]] = True
        # Multiplied out in Python's integers: rounding would lose a bet that is just sure.
        bet = none * below[case] <= total[group].astype(object) * above[case]
        flags[1, group[bet.astype(np.bool_)]] = True
        return flags[0], flags[1]

    def _expectation(self, values: SecretValues) -> tuple[Codes, Codes, Whole]:
        """Return groups, values, and how many of a person's rows are expected to have them."""
        beliefs, groups, size = self.beliefs, len(self.opens), len(values.low) + 1
        group_of_case = np.repeat(np.arange(groups), self.lengths)
        keys = group_of_case[beliefs.group] * size + beliefs.rank
        if values.plain:
            keys, expected = sum_by_key(keys, beliefs.weight * self.times[beliefs.group])
            missing = sum_by_group(group_of_case, beliefs.missing * self.times, groups)
            group, rank = np.divmod(keys, size)
            return group, rank, expected + missing[group]
        group, rank = np.divmod(distinct(keys), size)
        case, own = spread(self.opens[group], self.lengths[group])
        low, high = values.low[rank][own], values.high[rank][own]
        mass = beliefs.within(case, low, high, values) + beliefs.missing[case]
        return group, rank, sum_by_group(own, mass * self.times[case], len(group))

    def _none(self, group: Codes, rank: Codes, values: SecretValues) -> Whole:
        """Return the weight of all ways in which none of a person's rows has a value."""
        posterior = self.posterior
        first = np.searchsorted(posterior.group, np.arange(len(self.opens) + 1))
        entry, own = spread(first[group], first[group + 1] - first[group])
        weight = np.ones(len(entry), dtype=posterior.weight.dtype)
        for turn in range(int(self.lengths.max(initial=1))):
            more = self.lengths[group[own]] > turn
            case, value = self.opens[group[own[more]]] + turn, rank[own[more]]
            rows, pair = self.joined.rows_with(self.of_class[case], posterior.secret[entry[more]])
            having = self.by_pair.within(pair, values.low[value], values.high[value], values)
            having = having + self.by_pair.missing[pair]
            weight[more] *= falling((rows - having).astype(weight.dtype), self.times[case])
        return sum_by_group(own, weight, len(group))


def flag_single_values(people: PeopleInClasses, column: PublishedColumn) -> Flags:
    """Say, shape (people,), who shows one value at most, beside cells with nothing in them."""
    empty = column.codes < 0
    # An empty cell is above every text here and below every text there: only texts can differ.
    first = people.extremes(np.where(empty, len(column.texts), column.codes))[0]
    return np.asarray(first >= people.extremes(column.codes)[1])


def with_gaps(
    joined: JoinedRows, column: PublishedColumn, values: SecretValues, thresholds: Thresholds
) -> Sure:
    """Say, shape (people,), whose value somebody is too sure of if it is constant but for gaps.

    A cell in which nothing was recorded may show any value. For each value the worst is taken:
    that all such cells of her classes show it. Only people with several rows are judged, if nearly
    all of them show one value at most.
    """
    people = joined.people
    several, alike = people.rows_of_person > 1, flag_single_values(people, column)
    nobody = np.zeros(people.count, dtype=np.bool_)
    if int((several & alike).sum()) < NEARLY_ALL * int(several.sum()):
        return Sure(nobody, nobody)
    members, names = several & alike, (column.name,)
    constant = JoinedRows(people, members, joined.class_of_row, column.states, names)
    group, groups = constant.groups
    keys, gap = constant.counts[0], len(column.texts)
    first = np.searchsorted(keys, groups.of_class * constant.tuples)
    last = np.searchsorted(keys, groups.of_class * constant.tuples + gap)
    places, case = spread(first, last - first)
    rank = values.ranks[keys[places] % constant.tuples]
    size = len(values.low) + 1
    holder, rank = np.divmod(distinct(groups.person[case] * size + rank), size)
    # Only asked where each text stands for one value: the inverse of a permutation.
    code = np.argsort(values.ranks)[rank]
    kind = object if constant.heavy.any() else np.int64
    plain: Whole = np.ones(len(code), dtype=kind)
    filled = plain.copy()
    for turn in range(int(groups.lengths.max(initial=0))):
        longer = groups.lengths[holder] > turn
        pair = groups.starts[holder[longer]] + turn
        rows = constant.rows_with(groups.of_class[pair], code[longer])[0].astype(kind)
        # Without a gap anywhere its key would be that of the next class's first value.
        empty = constant.rows_with(groups.of_class[pair], np.full(len(pair), gap))[0] * (
            constant.tuples > gap
        )
        plain[longer] *= falling(rows, groups.rows[pair])
        filled[longer] *= falling(rows + empty, groups.rows[pair])
    total = sum_by_group(holder, plain, groups.count)
    nothing = np.zeros(groups.count, dtype=kind)
    mass = SecretBeliefs(holder, rank, plain, total, nothing).mass(values) - plain + filled
    # Each value is believed in a world of its own: what is empty shows it.
    total = total[holder] - plain + filled
    possible = total > 0
    holder, rank, mass, total = holder[possible], rank[possible], mass[possible], total[possible]
    worlds = SecretBeliefs(np.arange(len(rank)), rank, mass, total, np.zeros_like(total))
    sure = surely(worlds, values, thresholds)
    flags = np.zeros((2, groups.count + 1), dtype=np.bool_)
    flags[0, holder[sure.certain]] = True
    flags[1, holder[sure.bet]] = True
    return Sure(flags[0][group], flags[1][group])
