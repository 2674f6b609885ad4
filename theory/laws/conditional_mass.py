r"""Block masses of records that depend on one another, given what ties them together.

The block bound (B1) needs independent summands. Dependent records offer them in two ways.

*Groups that are independent of one another.* Let G be a group, i one of its records and b(r) the
block mass of X_i given that the rest of the group is r. Given r, the sum over the group is X_i and
a constant, so that its law is at least :math:`\sum_r P(r)\, b(r)\,(U * \nu_r)`, which is
:math:`\bar b\,(U * \nu)` with :math:`\bar b = E\,b(R)`. The sums over different groups are
independent; B1 for these sums has one label for each group, with

.. math:: \min_r b(r) \;\le\; E\,b(R) \;\le\; b\Bigl(\sum_{j \in G} X_j\Bigr).

All three are sound, for any choice of i; the last is taken here. (The mean is sound because the
rests of different groups are independent, and so the labels are.)

*A Markov random field.* Let I be a set of records of which no two are neighbours. Given all others,
the records of I are independent, and X_i has the law that its table gives for the values of its
neighbours. With b_i the least block mass over all these laws, B1 holds given the others, with N a
Poisson-binomial number with the b_i, and joint convexity of the hockey-stick divergence takes the
mean over them. Here only the *least* mass is sound: neighbours that two records of I share tie
their labels together, and E D_N is no function of the means alone. A Markov chain is a field on a
path, its states taken for the records.

What is known (B6): given the values of the known records, groups stay independent of one another
and a field stays a field. Where the values are told, the conditional law is judged
(:meth:`~kproof.theory.laws.RecordsLaw.given`); where only the indexes are, the least mass over all
values of positive probability.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import log
from typing import TypeAlias

from kproof.errors import InvalidArgument
from kproof.forms import JsonForm
from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.laws.base import LatticeLaw, RecordsLaw
from kproof.theory.laws.block_mass import block_mass
from kproof.theory.laws.blocks import Block, IndependentBlocks
from kproof.theory.laws.fields import MarkovField
from kproof.theory.laws.finite import FiniteLattice
from kproof.theory.laws.independent_sets import along_path, independent_set
from kproof.theory.laws.markov import MarkovChain
from kproof.theory.laws.sums import IndependentSum

Masses: TypeAlias = "Mapping[Fraction, int]"
"""How many records have each block mass."""
Worth: TypeAlias = "Callable[[Masses], float | Fraction]"
"""What a choice of records comes to, such as the certified delta; the least is chosen."""
_Measure: TypeAlias = Callable[[LatticeLaw], Fraction]


class Separation(StrEnum):
    """What makes the counted records independent of one another."""

    GROUPS = "groups"
    """They are in groups that are independent: one record stands for each group."""
    FIELD = "field"
    """No two are neighbours in a Markov random field, and all others are given."""


@dataclass(frozen=True)
class ConditionalMasses:
    """The records that a block bound may count, and their block masses."""

    masses: Masses
    """How many of the counted records have each mass, all positive."""
    records: tuple[int, ...]
    """The counted records, rising."""
    how: Separation
    """What makes them independent of one another."""
    block: int
    shift: Fraction
    """The block that the masses are of: uniform on 0, shift, ..., (block - 1) shift."""
    owed: tuple[str, ...] = ()
    """What was taken on the caller's word."""

    @property
    def mean(self) -> Fraction:
        """The mean of the number N of blocks."""
        return sum((mass * count for mass, count in self.masses.items()), start=Fraction(0))

    to_dict = JsonForm("masses counted=len(records) how block shift owed")


def conditional_masses(
    law: RecordsLaw | MarkovField,
    *,
    block: Number,
    shift: Number = 1,
    known: Collection[int] | Mapping[int, Number] = (),
    worth: Worth | None = None,
) -> ConditionalMasses:
    """Return block masses with which B1 bounds the sum of dependent records.

    Args:
        law: Independent records, independent groups, a Markov chain or a Markov random field.
        block: Points of a block, at least 2.
        shift: Distance of its points, positive.
        known: Records whose values are known: the values by index, or only the indexes; then the
            masses hold whatever the values are.
        worth: How good a choice of records is, less being better; by default the records with the
            largest sum of masses are chosen.

    Why these masses are sound stands at the head of this module.

    Every second record of a chain counts. The neighbours of the first are one state, not two:

    >>> sticky = MarkovChain([0.5, 0.5], [["3/4", "1/4"], ["1/4", "3/4"]], values=[0, 1], n=5)
    >>> masses = conditional_masses(sticky, block=2)
    >>> masses.records, dict(masses.masses)
    ((0, 2, 4), {Fraction(1, 2): 2, Fraction(1, 5): 1})
    >>> conditional_masses(sticky, block=2, known={2: 1}).records
    (0, 4)
    """
    size = integer("block", block, least=2)
    step = rational("shift", shift, above=0)
    if not isinstance(law, IndependentSum | IndependentBlocks | MarkovChain | MarkovField):
        admissible = "independent records, independent groups, a Markov chain or a Markov field"
        raise InvalidArgument("law", law, admissible)
    if isinstance(known, Mapping):
        law, known = (law.given(known) if known else law), ()
    hidden = indexes_of(known, law.records) if known else frozenset()

    @cache
    def measure(lattice: LatticeLaw) -> Fraction:
        return block_mass(lattice, block=size, shift=step).mass

    owed: tuple[str, ...] = ()
    how = Separation.GROUPS
    if isinstance(law, IndependentSum):
        masses = _alone(law, measure, hidden)
    elif isinstance(law, IndependentBlocks):
        masses = _in_groups(law, measure, hidden)
    else:
        how = Separation.FIELD
        if isinstance(law, MarkovChain):
            sets = _along_chain(law, measure, hidden)
        else:
            owed = law.owed
            sets = _in_field(law, measure, hidden)
        # Each of the sets proves a bound by itself, so that the best may be chosen after all were
        # seen.
        masses = min(sets, key=lambda candidate: (worth or _few)(_count_masses(candidate)))
    return ConditionalMasses(_count_masses(masses), tuple(sorted(masses)), how, size, step, owed)


def indexes_of(
    known: Collection[int], records: Collection[int], *, name: str = "known"
) -> frozenset[int]:
    """Return indexes as a set if all of them are records."""
    present = records if isinstance(records, range) else frozenset(records)
    for index in known:
        # True is an int to Python, and would be record 1.
        if isinstance(index, bool) or not isinstance(index, int) or index not in present:
            raise InvalidArgument(name, index, f"indexes of the {len(records)} records")
    return frozenset(known)


def _alone(law: IndependentSum, measure: _Measure, hidden: frozenset[int]) -> dict[int, Fraction]:
    """Return the mass of each independent record."""
    unknown = ((index, law) for index, law in law.of_records() if index not in hidden)
    return _positive((index, measure(record)) for index, record in unknown)


def _in_groups(
    law: IndependentBlocks, measure: _Measure, hidden: frozenset[int]
) -> dict[int, Fraction]:
    """Return the mass of one record of each group that is independent of the others."""
    # Blocks that are one object, of which the same places are known, share what they come to.
    shared: dict[tuple[int, frozenset[int]], list[tuple[int, Fraction]]] = {}
    masses: dict[int, Fraction] = {}
    for block, indexes in law.members:
        places = frozenset(place for place, index in enumerate(indexes) if index in hidden)
        key = id(block), places
        if key not in shared:
            parts = (_of_group(block.part(f), f, places, measure) for f in block.factors)
            shared[key] = [part for part in parts if part is not None]
        masses |= _positive((indexes[place], mass) for place, mass in shared[key])
    return masses


def _of_group(
    group: Block, places: Sequence[int], hidden: frozenset[int], measure: _Measure
) -> tuple[int, Fraction] | None:
    """Return the place that stands for a group, and the least mass of its sum."""
    known_places = [i for i, place in enumerate(places) if place in hidden]
    unknown = [place for place in places if place not in hidden]
    if not unknown:
        return None
    if not known_places:
        return unknown[0], measure(group.sum)
    # The bound holds whatever the adversary knows of the others: the least mass over all that these
    # can be.
    cases = {tuple(outcome[i] for i in known_places) for outcome, _ in group.outcomes}
    sums = (group.given(dict(zip(known_places, values, strict=True))).sum for values in cases)
    return unknown[0], min(map(measure, sums))


def _along_chain(
    chain: MarkovChain, measure: _Measure, hidden: frozenset[int]
) -> Iterator[dict[int, Fraction]]:
    """Yield sets of records of a chain, no two beside each other, with their least masses."""
    least_masses: dict[frozenset[FiniteLattice], Fraction] = {}
    masses = []
    for index, laws in zip(chain.records, chain.conditional_laws(), strict=True):
        if laws not in least_masses:
            least_masses[laws] = min(map(measure, laws))
        if index not in hidden:
            masses.append((index, least_masses[laws]))
    # Between two stretches the chain forgets its state: records there are not neighbours.
    stretch = {index: i for i, group in enumerate(chain.groups()) for index in group}
    # Records that are not beside each other in time are no neighbours: those between are given.
    joined = [
        later == earlier + 1 and stretch[earlier] == stretch[later]
        for (earlier, _), (later, _) in pairwise(masses)
    ]
    # A long chain has few different masses.
    for weigh in map(cache, _WEIGHTS):
        chosen = along_path([weigh(mass) for _, mass in masses], joined)
        yield dict(masses[place] for place in chosen)


def _in_field(
    field: MarkovField, measure: _Measure, hidden: frozenset[int]
) -> Iterator[dict[int, Fraction]]:
    """Yield independent sets of the unknown records of a field, with their least masses."""
    unknown = [index for index in field.records if index not in hidden]
    masses = {index: min(map(measure, field.conditional_laws(index))) for index in unknown}
    graph = field.graph.subgraph(masses)
    for weigh in _WEIGHTS:
        chosen = independent_set(graph, {index: weigh(mass) for index, mass in masses.items()})
        yield {index: masses[index] for index in chosen}


def _logarithm(mass: Fraction) -> int:
    """Return what a record adds to the exponent of P(N = 0)."""
    # A float will do: weights choose the set, and what is proved of it uses the exact masses.
    exponent = -log(1 - mass) if mass < 1 else _MOST_LOGARITHM
    return round(_SCALE * min(_MOST_LOGARITHM, exponent))


_SCALE = 1 << 20
_MOST_LOGARITHM = 40
# Which set is best depends on the profile: E D_N is near a power of N for epsilon = 0, and decays
# like E q^N for larger ones, with q near 0 if blocks are long. Each weight is one of these cases.
_WEIGHTS: tuple[Callable[[Fraction], int], ...] = (
    lambda mass: int(_SCALE * mass),
    lambda mass: _logarithm(mass / 2),
    _logarithm,
    lambda mass: 1 if mass else 0,
)


def _few(masses: Masses) -> Fraction:
    """Say that the set with the largest mean of N is best."""
    return -sum((mass * count for mass, count in masses.items()), start=Fraction(0))


def _count_masses(masses: Mapping[int, Fraction]) -> dict[Fraction, int]:
    counts = Counter(mass for mass in masses.values() if mass)
    return dict(sorted(counts.items(), reverse=True))


def _positive(masses: Iterable[tuple[int, Fraction]]) -> dict[int, Fraction]:
    return {index: mass for index, mass in masses if mass}
