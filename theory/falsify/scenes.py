"""Scenes: the points of a search, at each of which the exact law of the sum is known.

The fields of a scene are the arguments of the call that reproduces it. A scene also knows what each
theorem claims there and which scenes are simpler.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self, TypeAlias

from kproof.errors import InvalidArgument
from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.falsify.order import (
    Atoms,
    ancestors,
    atoms_height,
    height,
    simpler_atoms,
    wholes,
)
from kproof.theory.laws import FiniteLattice, Law, Normal, TruncatedBinomial, iid
from kproof.theory.reading import Reading
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.api import bound
from kproof.theory.theorems.assumptions import Assumption
from kproof.theory.theorems.bounds import Bound
from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.record_moments import RecordMoments
from kproof.theory.theorems.registry import theorem_of

Record: TypeAlias = "Atoms | Normal"
RecordLike: TypeAlias = "Mapping[Any, Number] | FiniteLattice | Normal"


@dataclass(frozen=True)
class Scene(ABC):
    """A point of a search."""

    epsilon: Fraction | None = None
    """Where delta is asked for; None is the epsilon that the theorem itself gives."""
    delta: Fraction | None = None
    """In place of it: where epsilon is asked for."""
    argument_names: ClassVar[Sequence[str]]
    """Fields and properties that a bound may ask for, beside the shift s."""

    @property
    @abstractmethod
    def law(self) -> Law:
        """The law of the sum of what the adversary does not know, given what it knows."""

    @property
    def shift(self) -> Fraction:
        """The shift of that sum between adjacent inputs: the field s, and 1 where there is none."""
        return Fraction(getattr(self, "s", 1))

    @abstractmethod
    def bound(self, theorem: int, reading: Reading) -> Bound:
        """Return what a shipped theorem claims here."""

    def arguments(self) -> dict[str, object]:
        """Return what a bound written as a function may ask for, by name, and ε or δ."""
        own = {name: getattr(self, name) for name in self.argument_names}
        return {**own, "s": self.shift, **self._question()}

    @abstractmethod
    def simpler(self) -> Iterator[Self]:
        """Yield scenes that are one move away and may be simpler."""

    @property
    @abstractmethod
    def weight(self) -> tuple[int, int, int]:
        """Records, k, and the sum of the heights of all rationals."""

    @property
    def key(self) -> tuple[tuple[int, int, int], str]:
        """What the total order of simplicity compares."""
        # With the call the order is total: otherwise a witness would depend on how scenes are
        # listed.
        return self.weight, self.call

    @property
    def call(self) -> str:
        """The fields that differ from their defaults, as arguments of a call."""
        # epsilon and delta, which the base class declares, read best at the end.
        own = sorted(fields(self), key=lambda field: field.name in ("epsilon", "delta"))
        values = ((field.name, getattr(self, field.name), field.default) for field in own)
        return ", ".join(
            f"{name}={field_text(value)}" for name, value, usual in values if value != usual
        )

    def _question(self) -> dict[str, Fraction]:
        levels = {"epsilon": self.epsilon, "delta": self.delta}
        return {name: value for name, value in levels.items() if value is not None}

    def _moves(self, **moves: Iterable[Any]) -> Iterator[Self]:
        """Yield the scenes with one field moved: those given, and where the scene is asked."""
        if self.epsilon is not None:
            moves["epsilon"] = positive(self.epsilon)
        if self.delta is not None:
            moves["delta"] = (delta for delta in positive(self.delta) if delta < 1)
        for name, values in moves.items():
            for value in values:
                yield replace(self, **{name: value})


@dataclass(frozen=True)
class Count(Scene):
    """The count of Theorem 1: M ~ Bin(n, p) given M >= k, shifted by one.

    >>> scene = Count.of(n=2, p="0.5", k=1, epsilon=1)
    >>> scene.law, scene.call
    (TruncatedBinomial(n=2, p=1/2, k=1), "n=2, p='1/2', k=1, epsilon=1")
    """

    n: int = 0
    p: Fraction = Fraction(0)
    k: int = 0
    argument_names = ("n", "p", "k")

    @classmethod
    def of(cls, *, n: Number, p: Number, k: Number, **question: Number | None) -> Count:
        """Read typed numbers and check their ranges."""
        count = integer("n", n, least=1)
        least, chance = integer("k", k, least=1, most=count), rational("p", p, above=0, below=1)
        return cls(**question_of(**question), n=count, p=chance, k=least)

    @property
    def law(self) -> TruncatedBinomial:
        """The truncated binomial law."""
        return TruncatedBinomial(self.n, self.p, self.k)

    def bound(self, theorem: int, reading: Reading) -> Bound:
        """Return what Theorem 1 claims here."""
        if not theorem_of(theorem).counts:
            raise InvalidArgument("theorem", theorem, "theorem 1 for a truncated count")
        return bound(
            1, reading=reading, n=self.n, p=self.p, k=self.k, epsilon=self.epsilon, delta=self.delta
        )

    def simpler(self) -> Iterator[Count]:
        """Yield smaller n and k, and simpler p, epsilon and delta."""
        for n in wholes(self.n, 1):
            yield replace(self, n=n, k=min(self.k, n))
            # n and k fall together as well: how far they are apart may be what matters.
            if self.k - (self.n - n) >= 1:
                yield replace(self, n=n, k=self.k - (self.n - n))
        yield from self._moves(k=wholes(self.k, 1), p=(p for p in positive(self.p) if p < 1))

    @property
    def weight(self) -> tuple[int, int, int]:
        """n, k, and the heights of p, epsilon and delta."""
        return self.n, self.k, height(self.p) + height(self.epsilon) + height(self.delta)


@dataclass(frozen=True)
class Records(Scene):
    """n independent records of one law, the first ``known`` of them known (Theorems 2 and 4).

    >>> scene = Records.of(n=3, record={0: "1/2", 2: "1/2"}, s=1)
    >>> scene.call
    "n=3, record={0: '1/2', 2: '1/2'}"
    >>> Records.of(n=3, record={0: 1})
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: record = {0: 1}: need at least two values
    """

    n: int = 0
    record: Record = ()
    s: Fraction = Fraction(1)
    k: int = 1
    known: int = 0
    argument_names = ("n", "k", "known", "record")

    @classmethod
    def of(
        cls,
        *,
        n: Number,
        record: RecordLike,
        s: Number = 1,
        k: Number = 1,
        known: Number = 0,
        **question: Number | None,
    ) -> Records:
        """Read typed numbers and check their ranges."""
        count = integer("n", n, least=1)
        return cls(
            **question_of(**question),
            n=count,
            record=as_record(record),
            s=rational("s", s, above=0),
            k=integer("k", k, least=1, most=count),
            known=integer("known", known, least=0, most=count - 1),
        )

    @property
    def law(self) -> Law:
        """The law of the sum of the unknown records."""
        unknown = self.n - self.known
        if isinstance(self.record, Normal):
            return Normal(unknown * self.record.exact_mean, unknown * self.record.exact_variance)
        return iid(FiniteLattice(dict(self.record)), unknown)

    def bound(self, theorem: int, reading: Reading) -> Bound:
        """Return what a theorem claims here; 3 and 5 take each record as its own neighbourhood."""
        entry = theorem_of(theorem)
        if entry.counts:
            raise InvalidArgument("theorem", theorem, "2 to 5 for a sum of records")
        law = None if isinstance(self.record, Normal) else FiniteLattice(dict(self.record))
        adversary = Adversary.of(
            s=self.s,
            known=range(self.known) if entry.unknown_only else None,
            neighbourhood=1 if entry.dependent else None,
        )
        moments = Moments.iid(self._moments, n=self.n, law=law)
        assume = (Assumption.LOG_CONCAVITY,) if law is None and not entry.dependent else ()
        point: dict[str, Any] = {"k": self.k, "epsilon": self.epsilon, "assume": assume}
        return bound(theorem, reading=reading, moments=moments, adversary=adversary, **point)

    @cached_property
    def _moments(self) -> RecordMoments:
        if isinstance(self.record, Normal):
            m, v = self.record.exact_mean, self.record.exact_variance
            return RecordMoments(m, m**2 + v, m**3 + 3 * m * v, m**4 + 6 * m**2 * v + 3 * v**2)
        return RecordMoments.from_pairs(self.record)

    def arguments(self) -> dict[str, object]:
        """Return n, s, k, known, epsilon or delta, and sums over the unknown records.

        The sums are mean, variance, third (central, signed), absolute_third, fourth (central),
        raw_third and raw_fourth, all exact; absolute_third is None for a normal record.
        """
        unknown, moments = self.n - self.known, self._moments
        sums = {
            "mean": moments.mean,
            "variance": moments.variance,
            "third": moments.third_central,
            "absolute_third": moments.absolute_third,
            "fourth": moments.fourth_central,
            "raw_third": moments.third,
            "raw_fourth": moments.fourth,
        }
        totals = {name: None if x is None else unknown * x for name, x in sums.items()}
        return {**super().arguments(), **totals}

    def simpler(self) -> Iterator[Records]:
        """Yield fewer records, smaller k, a simpler law of a record, simpler s and epsilon."""
        for n in wholes(self.n, self.known + 1):
            yield replace(self, n=n, k=min(self.k, n))
        # As many unknown records as before: the law of their sum stays, and most likely the
        # refutation.
        for count in wholes(self.known, 0):
            yield replace(self, n=self.n - self.known + count, k=1, known=count)
        record = simpler_records(self.record)
        yield from self._moves(
            known=wholes(self.known, 0), k=wholes(self.k, 1), record=record, s=positive(self.s)
        )

    @property
    def weight(self) -> tuple[int, int, int]:
        """n, k, and the heights of everything else."""
        numbers = height(self.s) + height(self.epsilon) + height(self.delta) + self.known
        return self.n, self.k, numbers + _record_height(self.record)


def as_record(record: object) -> Record:
    """Read the law of one record: a mapping of values to masses, a finite law, or a normal one."""
    if isinstance(record, Normal):
        return record
    if isinstance(record, FiniteLattice):
        law = record
    elif isinstance(record, Mapping):
        law = FiniteLattice(record)
    else:
        need = "a mapping of values to masses, a FiniteLattice or a Normal"
        raise InvalidArgument("record", record, need)
    if law.points == 1:
        raise InvalidArgument("record", record, "at least two values")
    return law.atoms


def simpler_records(record: Record) -> Iterator[Record]:
    """Yield simpler laws of one record."""
    if not isinstance(record, Normal):
        yield from simpler_atoms(record)
        return
    for mean in ancestors(record.exact_mean):
        yield Normal(mean, record.exact_variance)
    for variance in positive(record.exact_variance):
        yield Normal(record.exact_mean, variance)


def positive(value: Fraction) -> Iterator[Fraction]:
    """Yield the simpler rationals near a number that are more than 0."""
    return (candidate for candidate in ancestors(value) if candidate > 0)


def _record_height(record: Record) -> int:
    if isinstance(record, Normal):
        return height(record.exact_mean) + height(record.exact_variance)
    return atoms_height(record)


def question_of(
    epsilon: Number | None = None, delta: Number | None = None
) -> dict[str, Fraction | None]:
    """Read where a scene is asked: at an epsilon, at a delta, or not yet."""
    if epsilon is not None and delta is not None:
        raise InvalidArgument("epsilon, delta", f"{epsilon}, {delta}", "one of the two")
    return {
        "epsilon": None if epsilon is None else rational("epsilon", epsilon, least=0),
        "delta": None if delta is None else rational("delta", delta, above=0, below=1),
    }


def field_text(value: object) -> str:
    """Return a field as it would be typed."""
    if isinstance(value, Normal):
        return f"Normal({field_text(value.exact_mean)}, {field_text(value.exact_variance)})"
    if isinstance(value, StrEnum):
        return repr(value.value)
    if isinstance(value, Fraction):
        return str(value) if value.denominator == 1 else repr(str(value))
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return "{" + ", ".join(f"{field_text(x)}: {field_text(m)}" for x, m in value) + "}"
    return repr(value)
