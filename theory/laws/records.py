"""What all laws of records share: reading what is known, and graphs of what depends on what."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from kproof.errors import InvalidArgument
from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.laws.windows import within_budget

if TYPE_CHECKING:
    import networkx as nx

MOST_RECORDS = 1 << 24
"""Most records that are listed one by one."""
MOST_EQUAL = 10**15
"""Most records of one law."""
MOST_EDGES = 1 << 21
"""Most edges of a dependency graph; about half a gigabyte of networkx."""


def exact_known_values(
    known: Mapping[int, Number], records: Collection[int], law: object
) -> dict[int, Fraction]:
    """Return the known values, exact, by index.

    >>> exact_known_values({1: 0.5}, range(3), "law")
    {1: Fraction(1, 2)}
    >>> exact_known_values({3: 0.5}, range(3), "law")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: known index = 3: need one of the 3 unknown records of law
    """
    values = {}
    for index, value in known.items():
        place = integer("known index", index)
        if place not in records:
            admissible = f"one of the {len(records)} unknown records of {law}"
            raise InvalidArgument("known index", index, admissible)
        values[place] = rational(f"known[{place}]", value)
    return values


def improbable(values: Mapping[int, Number]) -> InvalidArgument:
    """Return the error for known values that have probability zero.

    >>> improbable({3: 7}), improbable({3: 7, 4: 0.5})
    (InvalidArgument('known[3] = 7: need a value of positive probability'),
     InvalidArgument('known = {3: 7, 4: 0.5}: need values of positive probability together'))
    """
    if len(values) == 1:
        ((index, value),) = values.items()
        return InvalidArgument(f"known[{index}]", value, "a value of positive probability")
    listing = {index: _Plain(value) for index, value in values.items()}
    return InvalidArgument("known", listing, "values of positive probability together")


def repetitions(counts: Sequence[Number] | None, laws: int) -> list[int]:
    """Return how often each of some laws occurs: once unless counts are given.

    >>> repetitions(None, 2), repetitions([3, 4], 2)
    ([1, 1], [3, 4])
    >>> repetitions([3], 2)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: counts = [3]: need one for each of the 2 laws
    """
    if not laws:
        raise InvalidArgument("laws", [], "at least one")
    if counts is None:
        return [1] * laws
    if len(counts) != laws:
        raise InvalidArgument("counts", counts, f"one for each of the {laws} laws")
    return [
        integer(f"counts[{place}]", count, least=1, most=MOST_EQUAL)
        for place, count in enumerate(counts)
    ]


def cliques(groups: Iterable[Sequence[int]], law: object) -> nx.Graph:
    """Return the graph in which each group is a clique and no edge leaves it.

    Raises TooLarge if it has more than 2**21 edges.

    >>> sorted(cliques([(0, 1), (2,)], "law").edges)
    [(0, 1)]
    """
    import networkx as nx

    parts = list(groups)
    edges = sum(len(part) * (len(part) - 1) // 2 for part in parts)
    # Before there is a graph: cliques grow with the square of the group.
    within_budget(edges, f"dependency graph of {law}", budget=MOST_EDGES, unit="edges")
    graph = nx.Graph()
    for part in parts:
        graph.add_nodes_from(part)
        graph.add_edges_from(combinations(part, 2))
    return graph


class _Plain:
    """A number that prints without its type, inside a collection too."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __repr__(self) -> str:
        return str(self._value)
