"""What every law offers: the contract between the laws and the profile engine.

A law is the distribution of one real quantity, the published aggregate whose shift an adversary
tries to see. It is immutable; numbers inside it are exact rationals. Balls are made only on
request, at Arb's current working precision.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from flint import arb

from kproof.theory.exact import Number, use_bits
from kproof.theory.laws.records import cliques
from kproof.theory.laws.windows import FLOAT_BITS, FLOAT_TAIL, FloatWindow, Window, as_floats

if TYPE_CHECKING:
    import networkx as nx


class Law(ABC):
    """The distribution of one real quantity."""

    def __repr__(self) -> str:
        return self.name

    @property
    @abstractmethod
    def name(self) -> str:
        """One line for tables and JSON, such as ``TruncatedBinomial(n=60, p=71/100, k=33)``."""

    @abstractmethod
    def mean(self) -> arb:
        """Return the mean as a ball."""

    @abstractmethod
    def variance(self) -> arb:
        """Return the variance as a ball."""

    @property
    @abstractmethod
    def log_concave(self) -> bool:
        """Whether the density or the lattice masses are *known* to be log-concave.

        Then the likelihood ratio of a shift (by a multiple of the lattice step) is monotone and
        half-lines are the worst events. False means unknown or not.
        """


class LatticeLaw(Law):
    """A law on the points ``origin + step * i``, 0 <= i < ``points``."""

    @property
    @abstractmethod
    def origin(self) -> Fraction:
        """The point of index 0."""

    @property
    @abstractmethod
    def step(self) -> Fraction:
        """The distance of neighbouring points, positive."""

    @property
    @abstractmethod
    def points(self) -> int:
        """How many points the support may span; may be astronomically large."""

    @abstractmethod
    def window(self, tail: arb) -> Window:
        """Return the masses at the current working precision.

        ``tail``: points may be left out as long as their total mass is at most this; 0 keeps all.
        Raises TooLarge if more than 2**22 points may be needed.
        """

    def float_window(self) -> FloatWindow:
        """Return the masses as floats, rounded from balls, with a bound on the total error."""
        with use_bits(FLOAT_BITS):
            return as_floats(self.window(FLOAT_TAIL))


class RecordsLaw(LatticeLaw):
    """The law of a sum of records, which still knows its records (Theorems 3 to 5)."""

    _known: Collection[int] = frozenset()

    @property
    def independent(self) -> bool:
        """Whether the law shows that the records are independent of one another."""
        return all(len(group) == 1 for group in self.groups())

    @property
    def known(self) -> frozenset[int]:
        """Indexes of the records whose values were given; see :meth:`given`."""
        return frozenset(self._known)

    @property
    @abstractmethod
    def records(self) -> tuple[int, ...]:
        """Indexes of the records whose sum this is the law of; the known ones are not in it."""

    @abstractmethod
    def given(self, known: Mapping[int, Number]) -> RecordsLaw:
        """Return the law of the sum of the other records, conditional on the known values.

        Raises InvalidArgument if an index is not one of ``records``, or the values have probability
        zero together with those that are already known.
        """

    @abstractmethod
    def marginals(self) -> list[list[tuple[Fraction, arb]]]:
        """Return (value, probability) pairs of each record in ``records``, in that order."""

    @abstractmethod
    def groups(self) -> list[Sequence[int]]:
        """Return the records in groups that the law shows to be independent of one another."""

    def dependency(self) -> nx.Graph:
        """Return a dependency graph on ``records``: sets with no edge between are independent.

        Each group is a clique, and no edge joins two groups. Raises TooLarge if it has more than
        2**21 edges.
        """
        return cliques(self.groups(), self)

    @property
    def neighbourhood(self) -> int:
        """``D = max |N_i|`` in the sparsest dependency graph that the law shows."""
        return 1 if self.independent else max(map(len, self.groups()), default=1)

    def admits(self, graph: nx.Graph) -> bool:
        """Say whether the law shows that this is a dependency graph of its records.

        Every graph with all edges inside each group is one; False means that the law does not
        show it.
        """
        return self.independent or all(
            # A graph with too few edges for a group is turned down before its pairs are listed.
            2 * graph.number_of_edges() >= len(group) * (len(group) - 1)
            and all(graph.has_edge(i, j) for i, j in combinations(group, 2))
            for group in self.groups()
        )
