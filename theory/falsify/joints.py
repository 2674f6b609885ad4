"""Scenes of a few records with any joint law, and what the block bounds claim of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise, product
from math import prod
from types import MappingProxyType
from typing import Any

import networkx as nx

from kproof.errors import InvalidArgument
from kproof.theory.exact import Enclosure, Number, rational
from kproof.theory.falsify.families import Family
from kproof.theory.falsify.order import height
from kproof.theory.falsify.scenes import Scene, positive, question_of
from kproof.theory.laws import Block, FiniteLattice, IndependentBlocks, IndependentSum, MarkovField
from kproof.theory.laws.block_mass import block_mass
from kproof.theory.laws.blocks import sum_by_key
from kproof.theory.laws.independent_sets import independent_set
from kproof.theory.profiles.blocks import blocks_delta
from kproof.theory.reading import Reading
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.blocks import block_bound
from kproof.theory.theorems.bounds import Bound

Outcomes = tuple[tuple[tuple[int, ...], Fraction], ...]
"""Values of all records, and the probability that they have them."""


@dataclass(frozen=True)
class Joint(Scene):
    """A few records with a joint law; the first is ``known`` with its likeliest value, or not.

    >>> Joint.of(joint={(0, 0): "1/2", (1, 1): "1/2"}).call
    "joint={(0, 0): '1/2', (1, 1): '1/2'}"
    """

    joint: Outcomes = ()
    s: Fraction = Fraction(1)
    known: bool = False
    argument_names = ("joint", "known")

    @classmethod
    def of(
        cls,
        *,
        joint: Mapping[tuple[int, ...], Number],
        s: Number = 1,
        known: bool = False,
        **question: Number | None,
    ) -> Joint:
        """Read typed numbers and check their ranges."""
        outcomes = ((tuple(map(int, values)), mass) for values, mass in Block(joint).outcomes)
        law, shift = tuple(outcomes), rational("s", s, above=0)
        return cls(**question_of(**question), joint=law, s=shift, known=known)

    @property
    def n(self) -> int:
        """How many records there are."""
        return len(self.joint[0][0])

    @property
    def law(self) -> IndependentBlocks:
        """The law of the sum of what is not known."""
        law = IndependentBlocks([dict(self.joint)])
        if not self.known:
            return law
        # Of equally likely values the least, or a witness would depend on how outcomes are listed.
        likeliest = max(_marginal(self.joint, 0).items(), key=lambda pair: (pair[1], -pair[0]))
        return law.given({0: likeliest[0]})

    def bound(self, theorem: int, reading: Reading) -> Bound:
        """Refuse: the shipped theorems have scenes of their own."""
        raise InvalidArgument("theorem", theorem, f"a function; {reading.value} has other scenes")

    def simpler(self) -> Iterator[Joint]:
        """Yield simpler s and epsilon; joint laws are listed, simplest first."""
        yield from self._moves(s=positive(self.s))

    @property
    def weight(self) -> tuple[int, int, int]:
        """Records, outcomes, and the heights of everything else."""
        masses = sum(height(mass) for _, mass in self.joint)
        return self.n, len(self.joint), masses + height(self.s) + height(self.epsilon)


@dataclass(frozen=True)
class JointRecords(Family):
    """All joint laws of a few records with probabilities on a grid (block bounds)."""

    epsilons: tuple[Fraction, ...] = (Fraction(0), Fraction(1, 5), Fraction(1))
    sizes: tuple[int, ...] = (1, 2, 3)
    """How many records."""
    values: tuple[int, ...] = (2,)
    """How many values, from 0, each may have."""
    parts: tuple[int, ...] = (4,)
    """Probabilities are multiples of 1/parts."""
    shifts: tuple[Fraction, ...] = (Fraction(1),)
    """The s."""
    known: tuple[bool, ...] = (False,)
    """Whether the first record is known."""

    def scenes(self) -> Iterator[Joint]:
        """Yield every joint law of the box."""
        for n, values, parts, s, is_known in product(
            self.sizes, self.values, self.parts, self.shifts, self.known
        ):
            if is_known and n == 1:
                continue
            cells = list(product(range(values), repeat=n))
            # Stars and bars: between two bars stand as many parts as the cell has of the
            # probability.
            for bars in combinations(range(parts + len(cells) - 1), len(cells) - 1):
                ends = (-1, *bars, parts + len(cells) - 1)
                counts = [after - before - 1 for before, after in pairwise(ends)]
                masses = (Fraction(count, parts) for count in counts)
                outcomes = ((cell, mass) for cell, mass in zip(cells, masses, strict=True) if mass)
                yield Joint(joint=tuple(outcomes), s=s, known=is_known)


def of_blocks(_reading: Reading) -> Family:
    """Return the box of block bounds, in which :func:`of_independent` makes their claim."""
    return JointRecords(values=(2, 3), sizes=(1, 2))


def of_independent(joint: Outcomes, s: Fraction, epsilon: Fraction) -> Enclosure | None:
    """B1, where the records are independent."""
    laws = _independent(joint)
    if laws is None:
        return None
    return block_bound(law=IndependentSum(laws), s=s, epsilon=epsilon).delta


def of_least_mass(joint: Outcomes, s: Fraction, epsilon: Fraction) -> Enclosure | None:
    """B2, where the records are independent: of those with the largest block mass alone."""
    laws = _independent(joint)
    if laws is None:
        return None
    masses = [block_mass(law, block=2, shift=s).mass for law in laws]
    largest = max(masses)
    if not largest:
        return None
    share = Fraction(masses.count(largest), len(masses))
    scene: dict[str, Any] = {"beta": largest, "block": 2, "least_share": share}
    return block_bound(n=len(laws), **scene, s=s, epsilon=epsilon).delta


def of_group(joint: Outcomes, s: Fraction, epsilon: Fraction, known: bool) -> Enclosure:
    """B5a, or B6 if the first record is known: all records are one group."""
    adversary = Adversary.of(s=s, known=[0] if known else None)
    law = IndependentBlocks([dict(joint)])
    return block_bound(law=law, adversary=adversary, epsilon=epsilon).delta


def of_field(joint: Outcomes, s: Fraction, epsilon: Fraction, known: bool) -> Enclosure | None:
    """B5b, or B6 if the first record is known, where every combination of values is possible."""
    field = _field(joint)
    if field is None:
        return None
    adversary = Adversary.of(s=s, known=[0] if known else None)
    return block_bound(law=field, adversary=adversary, epsilon=epsilon).delta


def of_dependency_graph(joint: Outcomes, s: Fraction, epsilon: Fraction) -> Enclosure | None:
    """B5b with a graph that is none: edges between records that depend on each other in pairs."""
    n = len(joint[0][0])
    graph = nx.empty_graph(n)
    for i, j in combinations(range(n), 2):
        pair = sum_by_key(((values[i], values[j]), mass) for values, mass in joint)
        first, second = _marginal(joint, i), _marginal(joint, j)
        if any(pair.get((a, b), 0) != first[a] * second[b] for a in first for b in second):
            graph.add_edge(i, j)
    masses: Counter[Fraction] = Counter()
    for record in independent_set(graph, dict.fromkeys(range(n), 1)):
        laws = _conditional_laws(joint, record, sorted(graph.neighbors(record))).values()
        masses[min(block_mass(FiniteLattice(law), block=2, shift=s).mass for law in laws)] += 1
    return blocks_delta(masses, block=2, epsilon=epsilon)


def of_same_mean(joint: Outcomes, s: Fraction, epsilon: Fraction) -> Enclosure | None:
    """B1 with a binomial number of blocks that has the mean of N."""
    laws = _independent(joint)
    if laws is None:
        return None
    masses = [block_mass(law, block=2, shift=s).mass for law in laws]
    mean = sum(masses, Fraction(0)) / len(masses)
    return blocks_delta({mean: len(masses)}, block=2, epsilon=epsilon)


def _conditional_laws(
    joint: Outcomes, record: int, near: list[int]
) -> dict[tuple[int, ...], dict[int, Fraction]]:
    """Return the law of a record given each combination of values that others can have."""
    laws: dict[tuple[int, ...], dict[int, Fraction]] = {}
    for values, mass in joint:
        law = laws.setdefault(tuple(values[neighbour] for neighbour in near), {})
        law[values[record]] = law.get(values[record], Fraction(0)) + mass
    return {
        condition: {value: mass / sum(law.values(), Fraction(0)) for value, mass in law.items()}
        for condition, law in laws.items()
    }


@lru_cache(maxsize=4096)
def _marginal(joint: Outcomes, record: int) -> Mapping[int, Fraction]:
    # The cache hands the same masses to everyone.
    return MappingProxyType(sum_by_key((values[record], mass) for values, mass in joint))


def _independent(joint: Outcomes) -> list[FiniteLattice] | None:
    """Return the laws of records that are independent of one another, or None."""
    masses = dict(joint)
    marginals = [_marginal(joint, record) for record in range(len(joint[0][0]))]
    for values in product(*marginals):
        mass = prod((law[x] for law, x in zip(marginals, values, strict=True)), start=Fraction(1))
        if masses.get(values, Fraction(0)) != mass:
            return None
    return [FiniteLattice(dict(law)) for law in marginals]


def _field(joint: Outcomes) -> MarkovField | None:
    """Return the field with the fewest edges that a positive joint law is."""
    masses, n = dict(joint), len(joint[0][0])
    values = [sorted({outcome[record] for outcome in masses}) for record in range(n)]
    # Most laws that are searched lack a combination: that is seen before anything is added up.
    if len(masses) < prod(map(len, values)):
        return None
    cells = list(product(*values))
    graph = nx.empty_graph(n)
    for record_a, record_b in combinations(range(n), 2):
        if any(_ratio(masses, cell, record_a, record_b, values) for cell in cells):
            graph.add_edge(record_a, record_b)
    near = {record: sorted(graph.neighbors(record)) for record in range(n)}
    return MarkovField(graph, {r: _conditional_laws(joint, r, near[r]) for r in range(n)})


def _ratio(
    masses: Mapping[tuple[int, ...], Fraction],
    cell: tuple[int, ...],
    record_a: int,
    record_b: int,
    values: list[list[int]],
) -> bool:
    """Return whether an odds ratio of two records given all others is not 1."""

    def at(first: int, second: int) -> Fraction:
        moved = list(cell)
        moved[record_a], moved[record_b] = first, second
        return masses[tuple(moved)]

    # Against the least values of both alone: every other odds ratio is a product of these.
    first, second = values[record_a], values[record_b]
    return any(
        at(a, b) * at(first[0], second[0]) != at(a, second[0]) * at(first[0], b)
        for a, b in product(first, second)
    )
