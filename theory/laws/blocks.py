"""Independent blocks of records with any joint law inside: households, visits, repeated answers.

Inside a block everything is exact rational arithmetic on its table; the sum over blocks is a sum of
independent terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations
from typing import TYPE_CHECKING, TypeVar

from flint import arb

from kproof.errors import InvalidArgument, show
from kproof.theory.exact.typed import Number, as_arb, integer, rational
from kproof.theory.laws.base import LatticeLaw
from kproof.theory.laws.finite import FiniteLattice
from kproof.theory.laws.records import MOST_RECORDS, exact_known_values, improbable, repetitions
from kproof.theory.laws.sums import SumOfTerms
from kproof.theory.laws.windows import within_budget

if TYPE_CHECKING:
    import networkx as nx

MOST_SPLIT = 10
"""Largest block whose groups of records are all looked at; the work doubles with each record."""
K = TypeVar("K")
Outcome = TypeVar("Outcome", bound="Sequence[Number]")


class Block:
    """The joint law of a few records.

    ``joint``: the probability of each tuple of values; all tuples have the same length, at least 1.

    >>> twins = Block({(0, 0): "2/5", (1, 1): "2/5", (0, 1): "1/10", (1, 0): "1/10"})
    >>> twins, twins.marginal(0).exact_mean, twins.sum.exact_variance
    (Block(2 records, 4 outcomes), Fraction(1, 2), Fraction(4, 5))
    >>> twins.given({0: 1}).sum.exact_mean
    Fraction(4, 5)
    >>> Block({(0, 0): "1/2", (1,): "1/2"})
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: joint[(1,)] = (1,): need 2 values, as many as the first outcome
    """

    def __init__(self, joint: Mapping[Outcome, Number]) -> None:
        masses: dict[tuple[Fraction, ...], Fraction] = {}
        size = len(next(iter(joint), ()))
        if not size:
            raise InvalidArgument("joint", joint, "at least one outcome of at least one value")
        for outcome, mass in joint.items():
            name = f"joint[{show(outcome)}]"
            if len(outcome) != size:
                raise InvalidArgument(name, outcome, f"{size} values, as many as the first outcome")
            values = tuple(rational(f"value in {name}", value) for value in outcome)
            # Outcomes that were typed in different ways, "1" and "1.0", may be the same values.
            masses[values] = masses.get(values, Fraction(0)) + rational(name, mass, least=0, most=1)
        total = _total(masses.values())
        if total != 1:
            raise InvalidArgument("sum of joint", total, "exactly 1")
        # Sorted: the hash goes through them in order, and equality does not. Without zeros: an
        # outcome that cannot occur makes no other law.
        self._joint = {outcome: mass for outcome, mass in sorted(masses.items()) if mass}

    def __repr__(self) -> str:
        return f"Block({self.size} records, {len(self._joint)} outcomes)"

    @property
    def size(self) -> int:
        """How many records the block has."""
        return len(next(iter(self._joint)))

    @property
    def outcomes(self) -> tuple[tuple[tuple[Fraction, ...], Fraction], ...]:
        """The tuples of values with their probabilities, none of them 0."""
        return tuple(self._joint.items())

    @cached_property
    def sum(self) -> FiniteLattice:
        """The law of the sum of the block's records."""
        return FiniteLattice(sum_by_key((_total(o), mass) for o, mass in self._joint.items()))

    def marginal(self, position: Number) -> FiniteLattice:
        """Return the law of one record, positions counted from 0."""
        place = integer("position", position, least=0, most=self.size - 1)
        return FiniteLattice(sum_by_key((o[place], mass) for o, mass in self._joint.items()))

    def part(self, positions: Sequence[int]) -> Block:
        """Return the joint law of the records at some positions, in this order.

        >>> Block({(0, 0, 1): "1/2", (1, 1, 1): "1/2"}).part((1, 2)).outcomes[0]
        ((Fraction(0, 1), Fraction(1, 1)), Fraction(1, 2))
        """
        return Block(
            sum_by_key((tuple(o[p] for p in positions), m) for o, m in self._joint.items())
        )

    def probability(self, known: Mapping[int, Number]) -> Fraction:
        """Return the probability that the records at these positions have these values."""
        return _total(self._outcomes_with(known).values())

    def given(self, known: Mapping[int, Number]) -> Block:
        """Return the joint law of the other records, in their order."""
        agreeing = self._outcomes_with(known)
        total = _total(agreeing.values())
        if not total:
            raise improbable(known)
        unknown = [place for place in range(self.size) if place not in known]
        if not unknown:
            raise InvalidArgument("known", known, f"at most {self.size - 1} of the records")
        joint = ((tuple(o[p] for p in unknown), mass / total) for o, mass in agreeing.items())
        return Block(sum_by_key(joint))

    @cached_property
    def factors(self) -> tuple[tuple[int, ...], ...]:
        """The finest groups of positions that are independent of one another, exactly.

        Blocks of more than ten records are told to be one group unless all their records are
        independent.

        >>> fair = {(a, b): "1/4" for a in (0, 1) for b in (0, 1)}
        >>> Block(fair).factors, Block({(0, 0): "1/2", (1, 1): "1/2"}).factors
        (((0,), (1,)), ((0, 1),))
        """
        places = tuple(range(self.size))
        # Each against all later ones together: records may be independent in pairs and not in
        # threes.
        if all(self.splits((place,), places[place + 1 :]) for place in places):
            return tuple((place,) for place in places)
        if self.size > MOST_SPLIT:
            return (places,)
        groups: list[tuple[int, ...]] = []
        while places:
            first, *later = places
            sizes = range(len(places))
            # Small ones first, so that what splits off has no part that would.
            candidates = ((first, *chosen) for n in sizes for chosen in combinations(later, n))
            # The last candidate is all that remains, which is independent of nothing: one is always
            # found.
            group = next(
                g for g in candidates if self.splits(g, tuple(p for p in places if p not in g))
            )
            groups.append(group)
            places = tuple(place for place in places if place not in group)
        return tuple(groups)

    def splits(self, left: Sequence[int], right: Sequence[int]) -> bool:
        """Say whether the records at some positions are independent of those at others."""
        first = sum_by_key((tuple(o[p] for p in left), mass) for o, mass in self._joint.items())
        second = sum_by_key((tuple(o[p] for p in right), mass) for o, mass in self._joint.items())
        joint = sum_by_key(
            ((tuple(o[p] for p in left), tuple(o[p] for p in right)), mass)
            for o, mass in self._joint.items()
        )
        # A pair that never occurs is not among the joint masses, and its product is not 0.
        return len(joint) == len(first) * len(second) and all(
            mass == first[a] * second[b] for (a, b), mass in joint.items()
        )

    def admits(self, edges: Collection[tuple[int, int]]) -> bool:
        """Say whether these edges between positions make a dependency graph, exactly.

        Sets without an edge between them must be independent; it is enough to look at each set
        beside all positions that it has no edge to. Blocks of more than ten records admit only
        graphs with all edges inside their factors.
        """
        near: dict[int, set[int]] = {place: {place} for place in range(self.size)}
        for i, j in edges:
            near[i].add(j)
            near[j].add(i)
        if all(j in near[i] for group in self.factors for i in group for j in group):
            return True
        # What is not decided is not admitted.
        if self.size > MOST_SPLIT:
            return False
        sizes = range(1, self.size)
        for members in chain.from_iterable(combinations(range(self.size), n) for n in sizes):
            beside = set().union(*(near[place] for place in members))
            if not self.splits(members, sorted(near.keys() - beside)):
                return False
        return True

    @cached_property
    def neighbourhood(self) -> int:
        """The least ``D = max |N_i|`` that the block is seen to have.

        That of the graph of pairs that depend on each other, where this is a dependency graph,
        else the largest factor. No dependency graph has less than the first.
        """
        largest = max(map(len, self.factors))
        if self.size > MOST_SPLIT:
            return largest
        pairs = [
            (i, j) for i, j in combinations(range(self.size), 2) if not self.splits((i,), (j,))
        ]
        ends = Counter(chain.from_iterable(pairs))
        # Three records may depend on one another while every two are independent: pairs alone would
        # give too small a D.
        return 1 + max(ends.values(), default=0) if self.admits(pairs) else largest

    def _outcomes_with(self, known: Mapping[int, Number]) -> dict[tuple[Fraction, ...], Fraction]:
        values = exact_known_values(known, range(self.size), self)

        def agrees(outcome: tuple[Fraction, ...]) -> bool:
            return all(outcome[place] == value for place, value in values.items())

        return {outcome: mass for outcome, mass in self._joint.items() if agrees(outcome)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Block) and self._joint == other._joint

    def __hash__(self) -> int:
        return hash(self.outcomes)


class IndependentBlocks(SumOfTerms):
    """The sum of records in independent blocks.

    Args:
        blocks: The joint laws, as :class:`Block` or as the mapping that makes one.
        counts: How many blocks have each law, in the order of ``blocks``; 1 each unless given.
            Records are numbered from 0, block by block.

    >>> twins = Block({(0, 0): "3/8", (1, 1): "3/8", (0, 1): "1/8", (1, 0): "1/8"})
    >>> law = IndependentBlocks([twins], counts=[50])
    >>> law.variance(), sorted(law.dependency().edges)[:2]
    (37.5000000000000, [(0, 1), (2, 3)])
    >>> law.given({0: 1}).marginals()[0][1][1]
    0.750000000000000
    """

    def __init__(
        self,
        blocks: Sequence[Block | Mapping[Outcome, Number]],
        *,
        counts: Sequence[Number] | None = None,
    ) -> None:
        members: list[tuple[Block, tuple[int, ...]]] = []
        first = 0
        for block, count in zip(blocks, repetitions(counts, len(blocks)), strict=True):
            law = block if isinstance(block, Block) else Block(block)
            within_budget(first + law.size * count, "blocks", budget=MOST_RECORDS, unit="records")
            for _ in range(count):
                members.append((law, tuple(range(first, first + law.size))))
                first += law.size
        self._members = tuple(members)

    @classmethod
    def placed(cls, members: Iterable[tuple[Block, Sequence[int]]]) -> IndependentBlocks:
        """Return the law of blocks whose records have indexes of their own.

        ``members``: each block with the indexes of its records, in the order of its positions.

        >>> twins = Block({(0, 0): "3/8", (1, 1): "3/8", (0, 1): "1/8", (1, 0): "1/8"})
        >>> IndependentBlocks.placed([(twins, (0, 3)), (twins, (1, 2))]).groups()
        [(0, 3), (1, 2)]
        >>> IndependentBlocks.placed([(twins, (0, 2))])
        Traceback (most recent call last):
            ...
        kproof.errors.InvalidArgument: indexes = (0, 2): need 0 to 1, each once
        """
        law = cls.__new__(cls)
        law._members = tuple((block, tuple(indexes)) for block, indexes in members)
        # Asked for its refusal of no blocks at all; there are no counts here.
        repetitions(None, len(law._members))
        for block, indexes in law._members:
            if len(indexes) != block.size:
                raise InvalidArgument("indexes", indexes, f"{block.size}, one for each record")
        listing = law.records
        if sorted(listing) != list(range(len(listing))):
            raise InvalidArgument("indexes", listing, f"0 to {len(listing) - 1}, each once")
        return law

    @property
    def members(self) -> tuple[tuple[Block, tuple[int, ...]], ...]:
        """Each block with the indexes of its unknown records."""
        return self._members

    @property
    def name(self) -> str:
        """The numbers of blocks and records."""
        return f"IndependentBlocks({len(self._members)} blocks, {len(self.records)} records)"

    @cached_property
    def terms(self) -> tuple[tuple[LatticeLaw, int], ...]:
        """The different laws of block sums and how many blocks have each."""
        counts: Counter[LatticeLaw] = Counter(block.sum for block, _ in self._members)
        return tuple(counts.items())

    @property
    def records(self) -> tuple[int, ...]:
        """Indexes of the unknown records, block by block; rising unless they were placed."""
        return tuple(index for _, indexes in self._members for index in indexes)

    def given(self, known: Mapping[int, Number]) -> IndependentBlocks:
        """Return the law of the sum of the other records, given the values of these."""
        values = exact_known_values(known, frozenset(self.records), self)
        members: list[tuple[Block, tuple[int, ...]]] = []
        # Blocks that are one object, of which the same is known, share what is left of them.
        conditional: dict[tuple[int, tuple[tuple[int, Fraction], ...]], Block] = {}
        for block, indexes in self._members:
            fixed = {place: values[i] for place, i in enumerate(indexes) if i in values}
            unknown = tuple(i for i in indexes if i not in values)
            case = (id(block), tuple(fixed.items()))
            if case not in conditional:
                if fixed and not block.probability(fixed):
                    raise improbable({indexes[place]: value for place, value in fixed.items()})
                if unknown:
                    conditional[case] = block.given(fixed) if fixed else block
            if unknown:
                members.append((conditional[case], unknown))
        # Not by `placed`, which wants the indexes 0 to n - 1, each once: known records are missing
        # here.
        law = IndependentBlocks.__new__(IndependentBlocks)
        law._members = tuple(members)
        law._known = self.known | values.keys()
        return law

    def marginals(self) -> list[list[tuple[Fraction, arb]]]:
        """Return the law of each unknown record; equal blocks share their lists."""
        laws: dict[Block, list[list[tuple[Fraction, arb]]]] = {}
        for block in dict.fromkeys(block for block, _ in self._members):
            laws[block] = [
                [(value, as_arb(mass)) for value, mass in block.marginal(place).atoms]
                for place in range(block.size)
            ]
        return [pairs for block, _ in self._members for pairs in laws[block]]

    @property
    def independent(self) -> bool:
        """Whether the records of every block are independent of one another, exactly."""
        return all(len(block.factors) == block.size for block in self._kinds)

    @property
    def _kinds(self) -> Iterable[Block]:
        """The blocks, each object once; to compare their laws would cost more."""
        return {id(block): block for block, _ in self._members}.values()

    def groups(self) -> list[Sequence[int]]:
        """Return the factors of every block."""
        factors = ((indexes, part) for block, indexes in self._members for part in block.factors)
        return [tuple(indexes[place] for place in part) for indexes, part in factors]

    @property
    def neighbourhood(self) -> int:
        """``D = max |N_i|`` in the sparsest dependency graph that the law shows."""
        return max((block.neighbourhood for block in self._kinds), default=1)

    def admits(self, graph: nx.Graph) -> bool:
        """Say whether this is a dependency graph of the records, exactly for small blocks."""
        admitted: set[tuple[int, tuple[tuple[int, int], ...]]] = set()
        for block, indexes in self._members:
            # Only edges within a block are looked at: with one more elsewhere a graph claims less.
            pairs = combinations(range(block.size), 2)
            edges = tuple(pair for pair in pairs if graph.has_edge(*(indexes[i] for i in pair)))
            if (id(block), edges) not in admitted and not block.admits(edges):
                return False
            admitted.add((id(block), edges))
        return True


def sum_by_key(pairs: Iterable[tuple[K, Fraction]]) -> dict[K, Fraction]:
    """Return the sums of the masses by key."""
    sums: dict[K, Fraction] = {}
    for key, mass in pairs:
        sums[key] = sums.get(key, Fraction(0)) + mass
    return sums


def _total(numbers: Iterable[Fraction]) -> Fraction:
    return sum(numbers, start=Fraction(0))
