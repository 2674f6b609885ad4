"""The adversary of Table II: what is known beforehand decides the level, the level the theorem."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from kproof.errors import InvalidArgument
from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.theorems.bounds import exact_text
from kproof.theory.theorems.dependency import largest_neighbourhood, validate_graph
from kproof.theory.theorems.registry import RegisteredTheorem, theorem_for

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, slots=True)
class Adversary:
    """Background information about the cloaked data (Section II-C of the paper).

    >>> Adversary.of(s=1).level, Adversary.of(s=1, lambda1="0.1", lambda2="0.2").level
    ('I', 'IV')
    """

    s: Fraction = Fraction(1)
    """The shift of the sum between adjacent inputs; every level knows it."""
    dependency: nx.Graph | None = None
    """Dependency graph on the records 0, ..., n - 1; levels II and IV."""
    neighbourhood: int | None = None
    """In place of a graph: ``D = max |N_i| >= 1``, the most records any one depends on, itself
    included. At level IV: given what is known, which may tie others together."""
    lambda1: Fraction | None = None
    """In place of either: the fraction of users whose dependencies are known. Nothing more is
    said about them, so the sound reading is one group of ``ceil(lambda1 * n)`` records that
    may all depend on one another."""
    known: frozenset[int] | None = None
    """Indexes of the records whose exact values are known; levels III and IV."""
    lambda2: Fraction | None = None
    """In place of the indexes: their fraction. ``ceil(lambda2 * n)`` records count as known."""

    def __post_init__(self) -> None:
        if not self.s > 0:
            raise InvalidArgument("s", self.s, "s > 0")

    @classmethod
    def of(
        cls,
        *,
        s: Number = 1,
        dependency: nx.Graph | None = None,
        neighbourhood: int | None = None,
        lambda1: Number | None = None,
        known: Iterable[int] | None = None,
        lambda2: Number | None = None,
    ) -> Adversary:
        """Read and check typed values."""
        ways = {"dependency": dependency, "neighbourhood": neighbourhood, "lambda1": lambda1}
        dependences = [name for name, value in ways.items() if value is not None]
        if len(dependences) > 1:
            raise InvalidArgument("dependence", " and ".join(dependences), "only one of these")
        if known is not None and lambda2 is not None:
            raise InvalidArgument("known records", "known and lambda2", "only one of these")
        size = None if neighbourhood is None else integer("neighbourhood", neighbourhood, least=1)
        return cls(
            s=rational("s", s, above=0),
            dependency=dependency,
            neighbourhood=size,
            lambda1=None if lambda1 is None else rational("lambda1", lambda1, least=0, most=1),
            known=None if known is None else _indexes(known),
            lambda2=None if lambda2 is None else rational("lambda2", lambda2, least=0, below=1),
        )

    @property
    def knows_dependence(self) -> bool:
        """Whether dependence between records is part of the model (levels II and IV)."""
        return any(x is not None for x in (self.dependency, self.neighbourhood, self.lambda1))

    @property
    def knows_records(self) -> bool:
        """Whether exact values of records are known (levels III and IV)."""
        return self.known is not None or self.lambda2 is not None

    @property
    def level(self) -> str:
        """I, II, III or IV (Table II)."""
        return self._theorem.level

    @property
    def theorem(self) -> int:
        """The theorem that bounds this level: 2, 3, 4 or 5."""
        return self._theorem.number

    @property
    def _theorem(self) -> RegisteredTheorem:
        return theorem_for(dependent=self.knows_dependence, unknown_only=self.knows_records)

    def unknown(self, n: int) -> int:
        """Return how many of ``n`` records the adversary does not know; at least one."""
        count = 0
        if self.known is not None:
            count = len(self.known)
            if count and max(self.known) >= n:
                raise InvalidArgument("known", max(self.known), f"indexes of records, 0 to {n - 1}")
        elif self.lambda2 is not None:
            # Up: a record that is known in part counts as known.
            count = -((-self.lambda2 * n) // 1)
        if count >= n:
            raise InvalidArgument("known", f"{count} of {n} records", "at least one unknown record")
        return n - count

    def largest_neighbourhood(self, n: int, *, also_known: Collection[int] = ()) -> int:
        """Return ``D = max |N_i|`` among the unknown of ``n`` records; 1 without dependence.

        ``n``: number of records, the known ones included. ``also_known``: indexes of records beside
        ``known`` that are not random, such as a victim's.
        """
        unknown = self.unknown(n)
        if self.dependency is not None:
            indexes = (self.known or frozenset()) | frozenset(also_known)
            graph = validate_graph(self.dependency, n=n, known=indexes)
            return largest_neighbourhood(graph, indexes)
        if self.neighbourhood is not None:
            # Whatever was typed: no record is tied to more unknown ones than there are.
            return min(unknown, self.neighbourhood)
        if self.lambda1 is not None:
            # Up: a larger neighbourhood only weakens the bound.
            return max(1, min(unknown, -((-self.lambda1 * n) // 1)))
        return 1

    def parameters(self) -> dict[str, str]:
        """Return what is known as exact strings, for results."""
        exact = {"level": self.level, "s": exact_text(self.s)}
        for name in ("lambda1", "lambda2", "neighbourhood"):
            value = getattr(self, name)
            if value is not None:
                exact[name] = exact_text(value)
        if self.known is not None:
            exact["known"] = f"{len(self.known)} records"
        if self.dependency is not None:
            exact["dependency"] = f"graph with {self.dependency.number_of_edges()} edges"
        return exact


def _indexes(known: Iterable[int]) -> frozenset[int]:
    if isinstance(known, str | bytes) or not isinstance(known, Iterable):
        raise InvalidArgument("known", known, "indexes of records")
    return frozenset(integer("known", index, least=0) for index in known)
