"""Moments of the records, as the theorems use them, with the checks no real data can fail.

The paper writes mean(D) = pi, mean(D^2) = phi^2, mean(D^3) = chi^3, mean(D^4) = xi^4: its letters
stand for roots, the squares and cubes are the raw moments. Here a record carries its raw moments,
and :class:`Moments` the sums over the records whose values the adversary does not know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import arb

from kproof.errors import InvalidArgument, one_of
from kproof.theory.exact import Number, as_arb, integer, rational, use_bits
from kproof.theory.laws import FiniteLattice, RecordsLaw
from kproof.theory.laws.data import tally_numbers
from kproof.theory.laws.records import MOST_EQUAL
from kproof.theory.theorems.record_moments import (
    RecordMoments,
    Value,
    ball_moments,
    require_feasible_sums,
)

_SUMS = (
    "variance",
    "variance_of_sum",
    "third",
    "absolute_third",
    "sigma_cubed",
    "fourth",
    "raw_third",
    "raw_fourth",
)

SUM_BITS = 512
"""Precision of sums with roots in them; far beyond what any printed digit needs."""


@dataclass(frozen=True)
class Moments:
    """Sums of moments over the records the adversary does not know.

    Build one with :meth:`iid`, :meth:`of_records`, :meth:`from_law` or :meth:`typed`. A sum that
    is None is not known; a theorem that needs it says so.
    """

    n: int
    """Number of records summed over."""
    variance: Value | None = None
    """Sum of Var D_i."""
    variance_of_sum: Value | None = None
    """Var of the sum of D_i; equals ``variance`` for uncorrelated records. None means: not
    given, taken as ``variance`` with a hypothesis that the caller owes."""
    third: Value | None = None
    absolute_third: Value | None = None
    """Sums of E(D_i - E D_i)^3 and of ``E|D_i - E D_i|^3`` (an upper bound is allowed)."""
    sigma_cubed: Value | None = None
    """Sum of (Var D_i)^(3/2)."""
    fourth: Value | None = None
    """Sum of E(D_i - E D_i)^4."""
    raw_third: Value | None = None
    raw_fourth: Value | None = None
    """Sums of E D_i^3 and E D_i^4."""
    identical: bool = False
    """All records have one law."""
    bernoulli: bool = False
    """Every record is 0 or 1."""
    records: Mapping[int, RecordMoments] | RecordMoments | None = field(default=None, repr=False)
    """The moments of each record, or of every one; None where only sums are known."""
    law: FiniteLattice | None = field(default=None, repr=False, compare=False)
    """The law of every record, where it is known."""
    joint: RecordsLaw | None = field(default=None, repr=False, compare=False)
    """The law of all the records together, where it is known; it decides what they depend on."""

    def __post_init__(self) -> None:
        # A flag that nothing shows would buy a smaller constant and, by log-concavity, all events.
        if self.bernoulli and self.records is None and self.joint is None:
            raise InvalidArgument("bernoulli", True, "records or a law that show it")

    @classmethod
    def iid(cls, record: RecordMoments, *, n: Number, law: FiniteLattice | None = None) -> Moments:
        """Sum the moments of ``n`` records of one law, which may be given too.

        >>> coin = RecordMoments.of("1/2", "1/2", "1/2", "1/2")
        >>> Moments.iid(coin, n=100).variance
        Fraction(25, 1)
        >>> Moments.iid(coin, n=100, law=FiniteLattice({0: "1/2", 2: "1/2"}))
        Traceback (most recent call last):
            ...
        kproof.errors.InvalidArgument: law = FiniteLattice(2 values from 0 to 2): need a law with \
the moments of the record: mean = 1/2, not 1
        """
        if law is not None:
            _require_moments(law, record)
        return cls._of_one(record, integer("n", n, least=1, most=MOST_EQUAL), law)

    @classmethod
    def _of_one(cls, record: RecordMoments, n: int, law: FiniteLattice | None) -> Moments:
        return replace(_sum_records(n, [(record, n)], record), identical=True, law=law)

    @classmethod
    def of_column(cls, values: Sequence[Number], *, n: Number | None = None) -> Moments:
        """Sum the moments of records drawn from a column: as many as it has, or ``n``."""
        counts = tally_numbers(values, name="data")
        law = FiniteLattice.from_counts(counts)
        rows = sum(counts.values()) if n is None else n
        count = integer("n", rows, least=1, most=MOST_EQUAL)
        return cls._of_one(RecordMoments.from_pairs(law.atoms), count, law)

    def rescaled(self, variance: Fraction) -> Moments:
        """Return the sums of the same records scaled to another variance of their sum.

        The shape of each record's law stays: standardised moments do not move.
        """
        if self.variance is None or not self.variance > 0:
            raise InvalidArgument("variance", self.variance, "records that vary")
        with use_bits(SUM_BITS):
            # The square of the factor, which itself need not be rational: powers of its root scale
            # the rest.
            square = as_arb(variance) / _ball(self.variance)
            factors = dict.fromkeys(("third", "absolute_third", "sigma_cubed"), square.sqrt() ** 3)
            factors |= {"variance_of_sum": square, "fourth": square.sqrt() ** 4}
            sums: dict[str, Any] = {
                name: None if getattr(self, name) is None else _ball(getattr(self, name)) * factor
                for name, factor in factors.items()
            }
            # Raw moments, and what else is known of the records, do not scale with the variance.
            return Moments(self.n, variance, **sums, identical=self.identical)

    @classmethod
    def of_records(cls, records: Sequence[RecordMoments]) -> Moments:
        """Sum the moments of records that each have a law of their own."""
        if not records:
            raise InvalidArgument("records", "[]", "at least one record")
        return _sum_records(len(records), list(Counter(records).items()), dict(enumerate(records)))

    @classmethod
    def from_law(cls, law: RecordsLaw) -> Moments:
        """Sum the exact moments of the records of a law, and keep the law.

        The law decides what its records depend on. With known records that are independent of the
        others the moments of these are used; with known records that are not, the values matter:
        ``Moments.from_law(law.given(known))`` are the moments that Theorem 5 needs.
        """
        with use_bits(SUM_BITS):
            # Records of one law share one list, so that a long sum is one product.
            marginals = law.marginals()
            shared = {id(pairs): pairs for pairs in marginals}
            counts = Counter(map(id, marginals))
            parts = [(ball_moments(pairs), counts[key]) for key, pairs in shared.items()]
            variance, *absolutes = (
                sum((moments[i] * count for moments, count in parts), arb(0)) for i in range(7)
            )
            names = ("third", "absolute_third", "sigma_cubed", "fourth", "raw_third", "raw_fourth")
            sums: dict[str, Any] = dict(zip(names, absolutes, strict=True))
            # A ball around 0 is no 0, though it is not unequal to it: its value may occur.
            masses = (pair for pairs in shared.values() for pair in pairs)
            support = {x for x, mass in masses if not mass.is_zero()}
            return cls(
                n=len(marginals),
                variance=variance,
                variance_of_sum=law.variance(),
                **sums,
                identical=law.independent and len(counts) == 1,
                bernoulli=support <= {Fraction(0), Fraction(1)},
                joint=law,
            )

    @classmethod
    def typed(cls, n: int, **sums: Number | None) -> Moments:
        """Take the sums themselves, as the paper's figures do, and check what can be checked.

        They are any of the attributes ``variance`` ... ``raw_fourth``.

        >>> Moments.typed(100, variance=2500, sigma_cubed=100)
        Traceback (most recent call last):
            ...
        kproof.errors.Infeasible: sigma_cubed = 100 with n = 100, variance = 2500: need \
sum sigma_i^3 >= (sum sigma_i^2)^(3/2) / sqrt(n) (power means)
        """
        count = integer("n", n, least=1, most=MOST_EQUAL)
        for name in sums:
            if name not in _SUMS:
                raise InvalidArgument("sum", name, one_of(name, _SUMS))
        signed = {"third", "raw_third"}
        exact: dict[str, Any] = {
            name: rational(name, value, least=None if name in signed else 0)
            for name, value in sums.items()
            if value is not None
        }
        require_feasible_sums(count, exact)
        return cls(n=count, **exact)

    @cached_property
    def absolute_third_at_most(self) -> Value | None:
        """Sum of ``E|D_i - E D_i|^3`` or the bound sqrt(sum Var D_i * sum E(D_i - E D_i)^4)."""
        if self.absolute_third is not None or self.variance is None or self.fourth is None:
            return self.absolute_third
        with use_bits(SUM_BITS):
            return (_ball(self.variance) * _ball(self.fourth)).sqrt()

    def of_unknown(self, n: int, known: frozenset[int] | None = None) -> Moments:
        """Return the sums over the ``n`` records that remain when the ``known`` are left out.

        Typed sums are over the unknown records already and are returned as they are; what a law of
        records says of its records given others is the affair of
        :mod:`kproof.theory.theorems.unknown`.

        """
        if self.records is None or n == self.n:
            return self
        if isinstance(self.records, RecordMoments):
            return Moments._of_one(self.records, n, self.law)
        if known is None:
            need = "the indexes of the known records: these records differ"
            raise InvalidArgument("known", None, need)
        unknown = [record for index, record in self.records.items() if index not in known]
        return Moments.of_records(unknown)


def _sum_records(
    n: int,
    groups: list[tuple[RecordMoments, int]],
    records: Mapping[int, RecordMoments] | RecordMoments,
) -> Moments:
    with use_bits(SUM_BITS):
        variance = sum((r.variance * c for r, c in groups), Fraction(0))
        cubed = sum(((as_arb(r.variance) ** 3).sqrt() * c for r, c in groups), arb(0))
        return Moments(
            n=n,
            variance=variance,
            third=_total((r.third_central, c) for r, c in groups),
            absolute_third=_total((r.absolute_third_at_most(), c) for r, c in groups),
            sigma_cubed=cubed,
            fourth=_total((r.fourth_central, c) for r, c in groups),
            raw_third=_total((r.third, c) for r, c in groups),
            raw_fourth=_total((r.fourth, c) for r, c in groups),
            # Equal moments do not make equal laws, except on two known points.
            identical=len(groups) == 1 and groups[0][0].is_bernoulli,
            bernoulli=all(r.is_bernoulli for r, _ in groups),
            records=records,
        )


def _total(parts: Iterable[tuple[Value | None, int]]) -> Value | None:
    total: Value = Fraction(0)
    for value, count in parts:
        if value is None:
            # Of a sum with an unknown part nothing is known: left out, it would count as 0.
            return None
        if isinstance(total, Fraction) and isinstance(value, Fraction):
            total += value * count
        else:
            total = _ball(total) + _ball(value) * count
    return total


def _ball(value: Value) -> arb:
    return as_arb(value) if isinstance(value, Fraction) else value


def _require_moments(law: FiniteLattice, record: RecordMoments) -> None:
    """Refuse a law whose moments are not those of a record."""
    actual = RecordMoments.from_pairs(law.atoms)
    for name in ("mean", "second", "third", "fourth", "absolute_third"):
        typed, true = getattr(record, name), getattr(actual, name)
        if typed is not None and typed != true:
            raise InvalidArgument(
                "law", law, f"a law with the moments of the record: {name} = {typed}, not {true}"
            )
