"""Counting worlds: in how many ways the people an adversary knows something of fit the rows.

A world assigns every person a published row of their own. What is known of a person's value or
place limits which rows can be theirs; everyone else is free. Only ratios of numbers of worlds
matter, so only the people something is known of have to be placed: the others fill the rows that
are left in equally many ways. The numbers are permanents of 0/1 matrices with many equal columns,
which are merged. Few people are counted by inclusion and exclusion over who shares a row, many by
the numbers of rows used; a budget ends what would still be too large.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import factorial

from kproof.errors import TooLarge

BUDGET = 100_000
"""Most states that one count keeps at a time."""

FEW = 9
"""Most people who are counted by inclusion and exclusion, in 3**people steps."""


def placements(rows: Sequence[int], admissible: Sequence[Sequence[int]]) -> int:
    """Return in how many ways people get rows of their own.

    ``rows`` has the number of rows of each kind, ``admissible`` the kinds that each person's row
    may be of. Two people who share three rows, one of them not on the first row:

    >>> placements([1, 2], [[0, 1], [1]])
    4
    >>> placements([1], [[0], [0]])
    0
    """
    if len(admissible) <= FEW:
        return by_subsets(rows, admissible)
    return by_usage(rows, admissible)


def by_subsets(rows: Sequence[int], admissible: Sequence[Sequence[int]]) -> int:
    """Count by inclusion and exclusion; any number of kinds, few people.

    The maps of people to rows are sorted by which people share a row. By Moebius inversion over
    set partitions, those without sharing number the sum over partitions of the product over
    blocks B of (-1)^(|B|-1) (|B|-1)! times the rows that may be anyone's in B; the sum is built up
    by the block of the first person.
    """
    size = 1 << len(admissible)
    common = [0] * size
    for kind, count in enumerate(rows):
        block = sum(1 << person for person, kinds in enumerate(admissible) if kind in kinds)
        common[block] += count
    for person in range(len(admissible)):
        for block in range(size):
            if not block >> person & 1:
                # Summed over supersets: what a larger set may share, each block in it may share.
                common[block] += common[block | 1 << person]
    sizes = ((block.bit_count() - 1, common[block]) for block in range(1, size))
    signed = [(-1) ** joined * factorial(joined) * rows for joined, rows in sizes]
    ways = [1] + [0] * (size - 1)
    for people in range(1, size):
        # The block of the first person: others would count each way to form blocks again.
        first = people & -people
        remaining = subset = people ^ first
        while True:
            ways[people] += signed[(first | subset) - 1] * ways[remaining ^ subset]
            if not subset:
                break
            # The next smaller subset; the empty one is the last.
            subset = (subset - 1) & remaining
    return ways[-1]


def by_usage(rows: Sequence[int], admissible: Sequence[Sequence[int]]) -> int:
    """Count person by person, by how many rows of each kind are used; few kinds, many people."""
    states = {(0,) * len(rows): 1}
    # Whoever has least choice first, so that states multiply late.
    for kinds in sorted(admissible, key=len):
        after: dict[tuple[int, ...], int] = {}
        for used, ways in states.items():
            for kind in kinds:
                free = rows[kind] - used[kind]
                if free > 0:
                    used_after = (*used[:kind], used[kind] + 1, *used[kind + 1 :])
                    after[used_after] = after.get(used_after, 0) + ways * free
        if len(after) > BUDGET:
            raise TooLarge(
                f"background knowledge of {len(admissible)} people who may share rows: "
                f"more than {BUDGET} states; name fewer people or know them by class"
            )
        states = after
    return sum(states.values())


class Component:
    """People something is known of, linked by rows they may share, and those rows.

    ``rows`` has the number of rows of each cell (rows of one class with one value), ``people`` the
    cells that each person's row may be in.
    """

    def __init__(self, rows: Mapping[int, int], people: Mapping[int, frozenset[int]]) -> None:
        patterns: dict[tuple[int, ...], int] = {}
        self._kind: dict[int, int] = {}
        self._rows: list[int] = []
        for cell in sorted(rows):
            # Cells that the same people may be on are one kind: their rows differ in nothing.
            pattern = tuple(person for person, cells in people.items() if cell in cells)
            kind = patterns.setdefault(pattern, len(patterns))
            if kind == len(self._rows):
                self._rows.append(0)
            self._rows[kind] += rows[cell]
            self._kind[cell] = kind
        self._people = {
            person: tuple(kind for pattern, kind in patterns.items() if person in pattern)
            for person in people
        }
        self._counts: dict[tuple[int | None, tuple[int, ...] | None], int] = {}

    def worlds(self, *, without: int | None = None) -> int:
        """Return the number of worlds, one person left out."""
        return self._free(None, without)

    def share(self, cell: int, *, without: int | None = None) -> Fraction:
        """Return the share of worlds in which a row of a cell is free, as a victim needs it."""
        return Fraction(self._free(self._kind[cell], without), self.worlds(without=without))

    def _free(self, kind: int | None, without: int | None) -> int:
        """Return the number of worlds that leave one row of a kind free, one person left out."""
        # Whom one leaves out matters only through the rows that can be theirs.
        left_out = None if without is None else self._people[without]
        if (kind, left_out) not in self._counts:
            # Taken away, the row is nobody's: over all worlds that is the chance that it is free.
            rows = [count - (index == kind) for index, count in enumerate(self._rows)]
            kinds_of_others = [kinds for person, kinds in self._people.items() if person != without]
            self._counts[kind, left_out] = placements(rows, kinds_of_others)
        return self._counts[kind, left_out]


def components(
    people: Mapping[int, frozenset[int]],
) -> list[tuple[dict[int, frozenset[int]], frozenset[int]]]:
    """Split people into groups that share no cell, each with its cells.

    >>> [sorted(found) for found, _ in components({0: frozenset({1}), 1: frozenset({2}),
    ...                                            2: frozenset({1, 5})})]
    [[0, 2], [1]]
    """
    parent = {person: person for person in people}

    def root(person: int) -> int:
        while parent[person] != person:
            # Halved on the way, so that long chains are walked once.
            parent[person] = parent[parent[person]]
            person = parent[person]
        return person

    first: dict[int, int] = {}
    for person, cells in people.items():
        for cell in cells:
            parent[root(person)] = root(first.setdefault(cell, person))
    grouped: dict[int, dict[int, frozenset[int]]] = {}
    for person, cells in people.items():
        grouped.setdefault(root(person), {})[person] = cells
    return [(group, frozenset().union(*group.values())) for group in grouped.values()]
