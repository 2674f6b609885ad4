"""A secret that is a person's for good, but was not recorded in each of her rows.

A cell in which nothing was recorded may show any value. For each value the worst is taken: that
all such cells of her classes show it.
"""

from __future__ import annotations

import numpy as np

from kproof.models.judgement.people import Flags, PeopleInClasses, distinct, spread
from kproof.models.judgement.publication import PublishedColumn
from kproof.models.judgement.secrets.beliefs import (
    SecretBeliefs,
    SecretValues,
    Sure,
    Whole,
    added,
    surely,
)
from kproof.models.judgement.secrets.joined import NEARLY_ALL, JoinedRows, falling
from kproof.models.judgement.thresholds import Thresholds


def recorded_alike(people: PeopleInClasses, column: PublishedColumn) -> Flags:
    """Say, shape (people,), who shows one value at most, beside cells with nothing in them."""
    empty = column.codes < 0
    # An empty cell is above every text here and below every text there: only texts can differ.
    first = people.extremes(np.where(empty, len(column.texts), column.codes))[0]
    return np.asarray(first >= people.extremes(column.codes)[1])


def with_gaps(
    joined: JoinedRows, column: PublishedColumn, values: SecretValues, thresholds: Thresholds
) -> Sure:
    """Say, shape (people,), whose value somebody is too sure of if it is constant but for gaps.

    Only people with several rows are judged, if nearly all of them show one value at most.
    """
    people = joined.people
    several, alike = people.rows_of_person > 1, recorded_alike(people, column)
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
    total = added(holder, plain, groups.count)
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
