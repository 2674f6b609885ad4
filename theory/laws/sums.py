"""Sums of independent lattice laws, each term a record, by exact product of polynomials.

The n-fold sum of a law on d points needs about log2(n) products of polynomials. Only points that
matter are carried along (see :mod:`kproof.theory.laws.kernels`), and far tails are reached by
tilting (:mod:`kproof.theory.laws.tilting`). Floats come from the discrete Fourier transform
(:mod:`kproof.theory.laws.fourier`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import gcd, lcm
from typing import Self

from flint import arb

from kproof.arguments import a, check_arguments
from kproof.errors import InvalidArgument
from kproof.theory.exact.typed import Number, integer
from kproof.theory.laws.base import LatticeLaw, RecordsLaw
from kproof.theory.laws.fourier import by_fourier
from kproof.theory.laws.kernels import inner_loss, power, product, single, window_of
from kproof.theory.laws.records import (
    MOST_EQUAL,
    MOST_RECORDS,
    exact_known_values,
    improbable,
    repetitions,
)
from kproof.theory.laws.terms import Summands, interval
from kproof.theory.laws.tilting import tilt
from kproof.theory.laws.windows import MOST_POINTS, FloatWindow, Window, least_tail, within_budget

_MOST_TRANSFORMS = 128
_DEEP = arb(2) ** -400
_LONG = 1 << 14


class SumOfTerms(RecordsLaw):
    """The law of a sum of independent terms; what is a record is left to subclasses."""

    @property
    @abstractmethod
    def terms(self) -> tuple[tuple[LatticeLaw, int], ...]:
        """The different laws of the terms and how many terms have each."""

    @cached_property
    def _random_terms(self) -> tuple[tuple[LatticeLaw, int], ...]:
        """The terms that are not constant, with sums among them taken apart."""
        counts: Counter[LatticeLaw] = Counter()
        for law, count in self.terms:
            # Taken apart, equal laws within different sums are one power and not several products.
            if isinstance(law, SumOfTerms):
                for inner, times in law._random_terms:
                    counts[inner] += times * count
            elif law.points > 1:
                counts[law] += count
        return tuple(counts.items())

    @property
    def origin(self) -> Fraction:
        """The least value."""
        return sum((law.origin * count for law, count in self.terms), start=Fraction(0))

    @cached_property
    def step(self) -> Fraction:
        """The greatest number that divides the steps of all terms that vary; 1 if none does."""
        steps = {law.step for law, _ in self._random_terms}
        scale = lcm(*(step.denominator for step in steps))
        return Fraction(gcd(*(int(step * scale) for step in steps)) or 1, scale)

    @property
    def points(self) -> int:
        """How many lattice points there are from the least to the greatest value."""
        return 1 + sum(t.times * t.scale * (t.law.points - 1) for t in self._summands)

    @cached_property
    def _summands(self) -> tuple[Summands, ...]:
        return tuple(
            Summands(law, count, 1 if law.step == self.step else int(law.step / self.step))
            for law, count in self._random_terms
        )

    @property
    def _spread(self) -> int:
        """How many points the different terms span, one of each."""
        return sum(term.scale * term.law.points for term in self._summands)

    @property
    def log_concave(self) -> bool:
        """Whether all terms that vary are known to be, on the same step."""
        # On a coarser lattice a law has gaps, and no law with gaps is log-concave.
        return all(term.scale == 1 and term.law.log_concave for term in self._summands)

    def mean(self) -> arb:
        """Return the mean as a ball."""
        return sum((count * law.mean() for law, count in self.terms), arb(0))

    def variance(self) -> arb:
        """Return the variance as a ball."""
        return sum((count * law.variance() for law, count in self._random_terms), arb(0))

    def window(self, tail: arb) -> Window:
        """Return the masses at the current working precision.

        When points are left out, balls may be wider by up to ``tail`` in all.
        """
        spare = least_tail(tail)
        if not self._random_terms:
            return Window(0, [arb(1)], arb(0))
        if self.points > MOST_POINTS:
            required = interval(self._summands, spare)[1] if spare > 0 else self.points
            within_budget(required, self)
        # Tilting pays where masses of very different size are listed; it lists each law whole.
        if 0 < spare < _DEEP and self.points > _LONG and self._spread <= MOST_POINTS:
            return tilt(self._summands, spare)
        # Three things lose this much for each term: its window, its power and its product.
        loss = inner_loss(spare) / (3 * len(self._random_terms))
        kernels = [
            power(single(term.law.window(loss / term.times)).spread(term.scale), term.times, loss)
            for term in self._summands
        ]
        # Neighbours are multiplied first: in this order factors of like size meet.
        kernels.sort(key=lambda kernel: kernel.length)
        return window_of(product(kernels, loss * len(kernels)), spare)

    def float_window(self) -> FloatWindow:
        """Return the masses as floats.

        By discrete Fourier transform, with the error bound and the assumptions stated in
        :func:`kproof.theory.laws.fourier.by_fourier`. Sums that are constant, or of more than 128
        different terms on at most 2**22 points, are rounded from certified masses instead: that
        costs less. Raises TooLarge if more than 2**26 points are needed.
        """
        if 0 < len(self._random_terms) <= _MOST_TRANSFORMS or self.points > MOST_POINTS:
            return by_fourier(self._summands, self)
        return super().float_window()


class IndependentSum(SumOfTerms):
    """The sum of independent records, each with a lattice law of its own.

    ``laws``: the laws of the records. ``counts``: how many records have each law, in the order of
    ``laws``; 1 each unless given. Records are numbered from 0 in this order.

    >>> from kproof.theory.laws import FiniteLattice, PoissonBinomial
    >>> coin, die = PoissonBinomial(["1/2"]), FiniteLattice({i: "1/6" for i in range(1, 7)})
    >>> law = IndependentSum([coin, die], counts=[2, 1])
    >>> law.records, law.points, law.log_concave
    ((0, 1, 2), 8, True)
    >>> law.given({2: 4}).window(arb(0)).masses
    [0.250000000000000, 0.500000000000000, 0.250000000000000]
    """

    independent = True
    """Always: the records are independent of one another."""

    def __init__(
        self, laws: Sequence[LatticeLaw], *, counts: Sequence[Number] | None = None
    ) -> None:
        groups: list[tuple[LatticeLaw, Sequence[int]]] = []
        first = 0
        for place, law in enumerate(laws):
            if not isinstance(law, LatticeLaw):
                raise InvalidArgument(f"laws[{place}]", law, "a law on a lattice")
        for law, count in zip(laws, repetitions(counts, len(laws)), strict=True):
            groups.append((law, range(first, first + count)))
            first += count
        self._groups = tuple(groups)

    @property
    def name(self) -> str:
        """The different laws, with their counts."""
        parts = [f"{count} x {law.name}" for law, count in self.terms[:3]]
        unlisted = len(self.terms) - len(parts)
        return f"IndependentSum({', '.join(parts)}{f', {unlisted} more laws' if unlisted else ''})"

    @cached_property
    def terms(self) -> tuple[tuple[LatticeLaw, int], ...]:
        """The different laws of the records and how many records have each."""
        counts: Counter[LatticeLaw] = Counter()
        for law, indexes in self._groups:
            counts[law] += len(indexes)
        return tuple(counts.items())

    @property
    def records(self) -> tuple[int, ...]:
        """Indexes of the unknown records, rising."""
        listing = sum(len(indexes) for _, indexes in self._groups)
        within_budget(listing, self, budget=MOST_RECORDS, unit="records")
        return tuple(sorted(chain.from_iterable(indexes for _, indexes in self._groups)))

    def of_records(self) -> Iterator[tuple[int, LatticeLaw]]:
        """Yield the index and the law of each unknown record."""
        return ((index, law) for law, indexes in self._groups for index in indexes)

    def given(self, known: Mapping[int, Number]) -> Self:
        """Return the law of the sum of the other records; the known values do not change it."""
        values = exact_known_values(known, frozenset(self.records), self)
        groups: list[tuple[LatticeLaw, Sequence[int]]] = []
        for law, indexes in self._groups:
            fixed = [index for index in indexes if index in values]
            # A law may have millions of values: they are listed only where one has to be checked.
            possible = {value for value, _ in _pairs(law)} if fixed else set()
            for index in fixed:
                if values[index] not in possible:
                    raise improbable({index: values[index]})
            unknown = [index for index in indexes if index not in values] if fixed else indexes
            if unknown:
                groups.append((law, unknown))
        # Not by __init__, which would number the records that are left anew.
        law = type(self).__new__(type(self))
        law._groups = tuple(groups)
        law._known = self.known | values.keys()
        return law

    def marginals(self) -> list[list[tuple[Fraction, arb]]]:
        """Return the law of each record; records of one law share one list."""
        pairs: dict[int, list[tuple[Fraction, arb]]] = {}
        for law, indexes in self._groups:
            pairs.update(dict.fromkeys(indexes, _pairs(law)))
        return [pairs[index] for index in self.records]

    def groups(self) -> list[Sequence[int]]:
        """Return every record by itself."""
        return [(index,) for index in self.records]


@check_arguments(law=a(LatticeLaw, phrase="a law on a lattice"))
def iid(law: LatticeLaw, n: Number) -> IndependentSum:
    """Return the law of the sum of ``n`` independent records of one law.

    Args:
        law: The law of one record.
        n: Number of records, from 1 to 10**15.

    >>> from kproof.theory.laws import FiniteLattice
    >>> iid(FiniteLattice({0: "1/2", 2: "1/2"}), 10).step
    Fraction(2, 1)
    """
    return IndependentSum([law], counts=[integer("n", n, least=1, most=MOST_EQUAL)])


def _pairs(law: LatticeLaw) -> list[tuple[Fraction, arb]]:
    """Return the values of a law with their probabilities, those that are surely 0 left out."""
    window = law.window(arb(0))
    masses = enumerate(window.masses, start=window.start)
    return [(law.origin + law.step * i, mass) for i, mass in masses if not mass.is_zero()]
