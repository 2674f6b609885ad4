"""Secrets that change from row to row: what is believed of each row, and of any row of a person.

What is a person's for good makes some rows of a class more likely to be hers than others, and
sharpens what is believed of the rest of these rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import repeat
from math import comb

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.judgement.beliefs import (
    SecretBeliefs,
    SecretValues,
    Sure,
    Whole,
    added,
    summed,
    surely,
    wide,
)
from kproof.models.judgement.joined import JoinedRows, Posterior, falling
from kproof.models.judgement.people import Flags, distinct, spread
from kproof.models.judgement.publication import PublishedColumn
from kproof.models.judgement.thresholds import Thresholds


def changing(
    joined: JoinedRows,
    column: PublishedColumn,
    windows: Sequence[SecretValues],
    thresholds: Thresholds,
) -> Sure:
    """Say, shape (people,), whose value of a column that changes somebody is too sure of.

    Under any of its windows, at least one, which differ in nothing but what is as good as a value.

    Of one row: the share of the value among the rows that may be it. Of any row of a person: one
    less the chance that all of her rows are among those without the value, against the same chance
    in the whole release, which grows with the number of her rows as well.
    """
    group, groups = joined.groups
    by_pair = SecretBeliefs.counted(
        joined.counts[2], column.codes, len(joined.counts[0]), windows[0]
    )
    flags = np.zeros((2, groups.count + 1), dtype=np.bool_)
    for posterior in joined.posteriors:
        # Beliefs of each row are by value: mixing them takes most of the time, and serves all.
        cases = _Cases.of(joined, posterior, by_pair)
        for values in windows:
            sure = surely(cases.beliefs, values, thresholds)
            certain = np.logical_or.reduceat(sure.certain, cases.opens)
            bet = np.logical_or.reduceat(sure.bet, cases.opens)
            # Values that a label spreads its mass over are no whole rows, which this counts.
            if values.scale == 1:
                any_certain, any_bet = cases.any_row(values, thresholds, ~(certain & bet))
                certain, bet = certain | any_certain, bet | any_bet
            flags[:, posterior.groups] |= np.stack([certain, bet])
    return Sure(flags[0][group], flags[1][group])


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
        keys, mixed = summed(case[own] * size + by_pair.rank[at], weight[own] * by_pair.weight[at])
        group, rank = np.divmod(keys, size)
        total = added(case, weight * by_pair.total[pair], len(places))
        missing = added(case, weight * by_pair.missing[pair], len(places))
        beliefs = SecretBeliefs(group, rank, mixed, total, missing)
        return cls(
            joined, posterior, by_pair, opens, lengths, of_class, groups.rows[places], beliefs
        )

    def any_row(
        self, values: SecretValues, thresholds: Thresholds, asked: Flags
    ) -> tuple[Flags, Flags]:
        """Say of which groups that are asked for some row surely has some value."""
        groups, total = len(self.opens), self.posterior.total
        rows = np.add.reduceat(self.times, self.opens)
        group, rank, expected = self._expected(values)
        likely = (asked & (rows > 1))[group]
        likely &= self._enough(expected, total[group], values.share[rank], values.rows, thresholds)
        group, rank = group[likely], rank[likely]
        flags = np.zeros((2, groups), dtype=np.bool_)
        if not len(group):
            return flags[0], flags[1]
        none = self._none(group, rank, values).astype(object)
        most = int(rows.max()) + 1
        known, case = np.unique(values.share[rank] * most + rows[group], return_inverse=True)
        # Chances that none of as many rows of the whole release has it.
        base = [
            Fraction(comb(values.rows - share, own), comb(values.rows, own))
            for share, own in map(divmod, known.tolist(), repeat(most))
        ]
        rare = np.array([1 - chance < thresholds.common for chance in base], dtype=np.bool_)
        limits = [chance - thresholds.gain for chance in base]
        above = np.array([limit.numerator for limit in limits], dtype=object)
        below = np.array([limit.denominator for limit in limits], dtype=object)
        flags[0, group[(none == 0) & rare[case]]] = True
        bet = none * below[case] <= total[group].astype(object) * above[case]
        flags[1, group[bet.astype(np.bool_)]] = True
        return flags[0], flags[1]

    def _expected(self, values: SecretValues) -> tuple[Codes, Codes, Whole]:
        """Return groups, values, and how many of a person's rows are expected to have them."""
        beliefs, groups, size = self.beliefs, len(self.opens), len(values.low) + 1
        group_of_case = np.repeat(np.arange(groups), self.lengths)
        keys = group_of_case[beliefs.group] * size + beliefs.rank
        if values.plain:
            keys, expected = summed(keys, beliefs.weight * self.times[beliefs.group])
            missing = added(group_of_case, beliefs.missing * self.times, groups)
            group, rank = np.divmod(keys, size)
            return group, rank, expected + missing[group]
        group, rank = np.divmod(distinct(keys), size)
        case, own = spread(self.opens[group], self.lengths[group])
        low, high = values.low[rank][own], values.high[rank][own]
        mass = beliefs.within(case, low, high, values) + beliefs.missing[case]
        return group, rank, added(own, mass * self.times[case], len(group))

    @staticmethod
    def _enough(
        expected: Whole, total: Whole, share: Codes, rows: int, thresholds: Thresholds
    ) -> Flags:
        """Say of which values enough is expected for a second look.

        No chance of any row is larger than the sum of the chances of all, and no share of people
        with any such row smaller than the share of rows.
        """
        gain = thresholds.gain
        most = int(expected.max(initial=1)) * rows * gain.denominator * 4
        expected, total = wide(expected, most), wide(total, most)
        bet = expected * (rows * gain.denominator) >= total * (
            share * gain.denominator + rows * gain.numerator
        )
        return np.asarray(bet | (expected >= total), dtype=np.bool_)

    @property
    def _most_cases(self) -> int:
        return int(self.lengths.max(initial=1))

    def _none(self, group: Codes, rank: Codes, values: SecretValues) -> Whole:
        """Return the weight of all ways in which none of a person's rows has a value."""
        posterior = self.posterior
        first = np.searchsorted(posterior.group, np.arange(len(self.opens) + 1))
        entry, own = spread(first[group], first[group + 1] - first[group])
        weight = np.ones(len(entry), dtype=posterior.weight.dtype)
        for turn in range(self._most_cases):
            more = self.lengths[group[own]] > turn
            case, value = self.opens[group[own[more]]] + turn, rank[own[more]]
            rows, pair = self.joined.rows_with(self.of_class[case], posterior.secret[entry[more]])
            having = self.by_pair.within(pair, values.low[value], values.high[value], values)
            having = having + self.by_pair.missing[pair]
            weight[more] *= falling((rows - having).astype(weight.dtype), self.times[case])
        return added(own, weight, len(group))
