"""What all rows of a person tell together, where a secret is a person's for good.

Who has the same illness in every row has, in each of her classes, a row with that illness. If the
rows of a person that agree are equally likely to be hers, a secret weighs the product of how often
it occurs in her classes: n (n - 1) ... where several of her rows are in one class. People whose
rows stand in the same classes are believed the same, and are one group.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.arrays import Codes, Flags
from kproof.models.base.columns import group_codes
from kproof.models.judgement.people import (
    PeopleInClasses,
    limit_of,
    people_in,
    remember_by_column,
    spread,
)
from kproof.models.judgement.publication import ColumnKnowledge, PublishedColumn, PublishedFile
from kproof.models.judgement.secrets.beliefs import (
    BITS,
    SecretBeliefs,
    SecretValues,
    Sure,
    Whole,
    sum_by_group,
    surely,
)
from kproof.models.judgement.thresholds import Thresholds

CaseCells = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]

NEARLY_ALL = Fraction(9, 10)
"""Of the people with several rows, who have a secret for good if it is taken for such a one."""

MOST_PAIRS = 1 << 28
"""More pairs of a group and a tuple than this are too many to judge: it would take minutes."""

_PAIRS = 1 << 20
"""Pairs of a group and a tuple that are looked at at a time: bounds the memory."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """Weights of tuples of constant secrets, of some groups of people."""

    groups: Codes
    """Shape (groups,): which groups these are."""
    group: Codes
    """Shape (pairs,): place in ``groups``, ascending."""
    secret: Codes
    """Shape (pairs,): tuple."""
    weight: Whole
    """Shape (pairs,): weight of the tuple, above 0."""
    total: Whole
    """Shape (groups,): weight of all tuples."""

    def among(self, places: Codes) -> Posterior:
        """Return some of the groups; ``places`` ascending."""
        place = np.full(len(self.groups), -1, dtype=np.int64)
        place[places] = np.arange(len(places))
        group = place[self.group]
        own = group >= 0
        secret, weight = self.secret[own], self.weight[own]
        return Posterior(self.groups[places], group[own], secret, weight, self.total[places])


@dataclass(frozen=True, eq=False)
class JoinedRows:
    """The rows of a publication by class and by the tuple of secrets that are a person's for good.

    A secret is taken for one if it is the same in all rows of nearly everybody who has several.
    Whose secrets change all the same is no member of any group.
    """

    people: PeopleInClasses
    steady: Flags
    """Shape (people,): whose constant secrets are constant."""
    class_of_row: Codes
    """Shape (rows,): class, all known columns taken together."""
    secret: Codes
    """Shape (rows,): tuple of constant secrets, from 0; all 0 if there are none."""
    fixed: tuple[str, ...]
    """Names of these secrets."""

    @cached_property
    def counts(self) -> tuple[Codes, Codes, Codes]:
        """Distinct pairs of a class and a tuple, their rows, and the pair of each row."""
        states = [(self.class_of_row, limit_of(self.class_of_row)), (self.secret, self.tuples)]
        pair, count = group_codes(states, len(self.secret))
        keys = np.empty(count, dtype=np.int64)
        # Ascending, as group_codes numbers pairs in their order: rows_with searches them.
        keys[pair] = self.class_of_row * self.tuples + self.secret
        return keys, np.bincount(pair, minlength=count), pair

    @cached_property
    def tuples(self) -> int:
        """What all tuples are below."""
        return limit_of(self.secret)

    def rows_with(self, of_class: Codes, secret: Codes) -> tuple[Codes, Codes]:
        """Return how many rows of some classes have some tuples, and the place of each pair."""
        keys, rows, _ = self.counts
        sought = of_class * self.tuples + secret
        if self._place_of_key is None:
            place = np.minimum(np.searchsorted(keys, sought), len(keys) - 1)
        else:
            # The last place is for tuples that no class has: those of a gap that never occurs.
            place = self._place_of_key[np.minimum(sought, len(self._place_of_key) - 1)]
        return np.where(keys[place] == sought, rows[place], 0), place

    @cached_property
    def _place_of_key(self) -> Codes | None:
        # A table of all keys is read several times as fast as it is searched.
        keys, limit = self.counts[0], (int(self.class_of_row.max(initial=-1)) + 1) * self.tuples
        if limit > max(4 * len(self.secret), 1 << 16):
            return None
        place = np.zeros(limit + 1, dtype=np.int64)
        place[keys] = np.arange(len(keys))
        return place

    @cached_property
    def groups(self) -> tuple[Codes, PeopleInClasses]:
        """Group of each person, -1 of who is in none; and groups in the place of their people.

        The class with the fewest tuples comes first, the others as they are.
        """
        signature, signatures = self.people.signatures
        members = np.flatnonzero(self.steady)
        of_member, count = group_codes([(signature[members], signatures)], len(members))
        group = np.full(self.people.count, -1, dtype=np.int64)
        group[members] = of_member
        example = np.empty(count, dtype=np.int64)
        example[of_member] = members
        places, of_pair = spread(self.people.starts[example], self.people.lengths[example])
        of_class, rows = self.people.of_class[places], self.people.rows[places]
        tuples = np.bincount(self.counts[0] // self.tuples)
        # The class of fewest tuples first: only what is possible in the first is looked at.
        order = np.lexsort([tuples[of_class], of_pair])
        groups = PeopleInClasses(
            len(example), of_pair[order], of_class[order], rows[order], np.zeros(0, dtype=np.int64)
        )
        return group, groups

    @cached_property
    def heavy(self) -> Flags:
        """Shape (groups,): whose weights may need more than 64 bits."""
        groups = self.groups[1]
        # The weights of all tuples together are at most a product with a class size for each row.
        # The exponent of frexp: each size is below two to that power.
        bits = np.frexp(np.bincount(self.class_of_row))[1]
        product_bits = groups.rows * bits[groups.of_class]
        return np.asarray(np.add.reduceat(product_bits, groups.starts) > BITS)

    @cached_property
    def _runs(self) -> tuple[Codes, Codes]:
        """Return first place and number of the tuples in the first class of each group."""
        groups, keys = self.groups[1], self.counts[0]
        # Who has a tuple for good has it in the first class, too: no other can be hers.
        base = groups.of_class[groups.starts]
        first = np.searchsorted(keys, base * self.tuples)
        return first, np.searchsorted(keys, (base + 1) * self.tuples) - first

    @property
    def pairs(self) -> int:
        """How many pairs of a group and a tuple have to be looked at."""
        return int(self._runs[1].sum()) if self.people.several else 0

    @cached_property
    def posteriors(self) -> tuple[Posterior, ...]:
        """What is believed of the constant secrets of each group, piece by piece."""
        first, width = self._runs
        pieces = []
        # Apart: a group that needs Python's integers would slow the others down.
        for wide in (False, True):
            chosen = np.flatnonzero(self.heavy == wide)
            piece = np.cumsum(width[chosen]) // _PAIRS
            for number in np.unique(piece).tolist():
                part, kind = chosen[piece == number], object if wide else int
                pieces.append(self._posterior(part, first[part], width[part], kind))
        return tuple(pieces)

    @cached_property
    def cells(self) -> tuple[CaseCells, ...]:
        """For each posterior: entry, case and pair of each tuple in each class of its group.

        A case is a group and one of its classes. Every column is judged by them, so they are held,
        in 32 bits.
        """
        groups, by_posterior = self.groups[1], []
        for posterior in self.posteriors:
            lengths = groups.lengths[posterior.groups]
            opens = np.cumsum(lengths) - lengths
            of_class = groups.of_class[spread(groups.starts[posterior.groups], lengths)[0]]
            case, entry = spread(opens[posterior.group], lengths[posterior.group])
            pair = self.rows_with(of_class[case], posterior.secret[entry])[1]
            narrow = (entry.astype(np.int32), case.astype(np.int32), pair.astype(np.int32))
            by_posterior.append(narrow)
        return tuple(by_posterior)

    def _posterior(self, chosen: Codes, first: Codes, width: Codes, kind: type) -> Posterior:
        groups, (keys, rows, _) = self.groups[1], self.counts
        places, group = spread(first, width)
        secret = keys[places] % self.tuples
        weight = falling(rows[places].astype(kind), groups.rows[groups.starts[chosen]][group])
        for turn in range(1, int(groups.lengths[chosen].max(initial=0))):
            longer = groups.lengths[chosen][group] > turn
            pair = groups.starts[chosen[group[longer]]] + turn
            matching, _ = self.rows_with(groups.of_class[pair], secret[longer])
            weight[longer] *= falling(matching.astype(kind), groups.rows[pair])
            # At once: what a class rules out is not looked at in the next.
            possible = weight > 0
            secret, group, weight = secret[possible], group[possible], weight[possible]
        possible = weight > 0
        secret, group, weight = secret[possible], group[possible], weight[possible]
        return Posterior(chosen, group, secret, weight, sum_by_group(group, weight, len(chosen)))

    def constant(
        self, column: PublishedColumn, values: SecretValues, thresholds: Thresholds
    ) -> Sure:
        """Say, shape (people,), whose value of a constant secret somebody is too sure of."""
        code = np.full(self.tuples, -1, dtype=np.int64)
        code[self.secret] = column.codes
        group, groups = self.groups
        flags = np.zeros((2, groups.count + 1), dtype=np.bool_)
        for posterior in self.posteriors:
            codes, count = code[posterior.secret], len(posterior.groups)
            beliefs = SecretBeliefs.count(posterior.group, codes, count, values, posterior.weight)
            sure = surely(beliefs, values, thresholds)
            flags[:, posterior.groups] = sure.certain, sure.bet
        # Who is in no group has -1, and reads the last flag, which nothing sets.
        return Sure(flags[0][group], flags[1][group])

    def settles(self, column: PublishedColumn) -> bool:
        """Whether tuples of constant secrets say what a column shows."""
        code = np.full(self.tuples, -1, dtype=np.int64)
        code[self.secret] = column.codes
        # Of two codes in one tuple the last is left, and the other reads back wrong.
        return np.array_equal(code[self.secret], column.codes)


@remember_by_column
def join_rows(publication: PublishedFile, without: str) -> JoinedRows:
    """Return the rows of a publication with the secrets that are a person's for good.

    A column that is known and secret is taken for secret if it is to be inferred (``without``).
    """
    people, fixed = people_in(publication, without), []
    several = people.rows_of_person > 1
    steady = np.ones(people.count, dtype=np.bool_)
    for column in publication.secrets if people.several else ():
        # What is known as well has its part in the classes already.
        if column.knowledge is ColumnKnowledge.SECRET or column.name == without:
            # By states: a gap beside a value is a change here; with_gaps judges what it may hide.
            lowest, greatest = people.extremes(column.states)
            constant = lowest == greatest
            if int((constant & several).sum()) >= NEARLY_ALL * int(several.sum()):
                steady &= constant
                fixed.append(column)
    secret, _ = group_codes([column.key for column in fixed], publication.rows)
    of_row, names = publication.classes_without(without)[0], (column.name for column in fixed)
    return JoinedRows(people, steady, of_row, secret, tuple(names))


def falling(numbers: Whole, factors: Codes) -> Whole:
    """Return n (n - 1) ... with so many factors, elementwise.

    >>> falling(np.array([4, 4, 1]), np.array([1, 3, 2])).tolist()
    [4, 24, 0]
    """
    product = numbers.copy()
    for step in range(1, int(factors.max(initial=1))):
        further = factors > step
        # Past 0 the factors are negative, but 0 was one of them: the product stays 0.
        product[further] *= numbers[further] - step
    return product
