"""Classes of a table as tokens, and the moves of Algorithm 1 on them.

A class is a sorted tuple, on the level of values of pairs (value, count), on the level of records
of record numbers. Both kinds of token are numbers that are shown as what they stand for. The moves
themselves are those of :mod:`kproof.models.tables.theta.moves`; here they are put to work on
tokens, once for every net that is made of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol, TypeAlias

from kproof.models.tables.theta import moves as theta_moves
from kproof.models.tables.theta.moves import Multiset, Threshold
from kproof.petri.net.colours import Hashed, Named

EC: TypeAlias = tuple[Any, ...]
"""An equivalence class."""
ECs: TypeAlias = tuple[EC, ...]
"""The classes of a table, in order."""


class Tokens(StrEnum):
    """What the tokens of a class know."""

    VALUES = "values"
    """How often it has each sensitive value."""
    RECORDS = "records"
    """Which records it has: what else they carry moves with the sensitive value."""


class SensitiveValue(Named):
    """A sensitive value: its position in the domain, shown as the value itself."""

    name: object

    def __new__(cls, code: int, name: object) -> SensitiveValue:
        """Name a position of the domain."""
        instance = super().__new__(cls, code)
        instance.name = name
        return instance

    def __str__(self) -> str:
        return str(self.name)

    __repr__ = __str__


class Record(Named):
    """A record: its number, with the sensitive value it carries.

    Numbers from ``rows`` on, of which a table has none, are those of noise.
    """

    single = True
    value: SensitiveValue
    dummy: bool

    def __new__(cls, number: int, value: SensitiveValue, *, dummy: bool = False) -> Record:
        """Make a record of its number and value."""
        instance = super().__new__(cls, number)
        instance.value, instance.dummy = value, dummy
        return instance

    def __str__(self) -> str:
        return f"{'noise' if self.dummy else int(self)}:{self.value}"

    __repr__ = __str__


class ClassTokens(Protocol):
    """What differs between the two kinds of class tokens.

    A *unit* is what an exchange moves: a value, or a record.
    """

    def form(self, records: Iterable[Record]) -> EC:
        """Return a class of records."""

    def multiset(self, ec: EC) -> Multiset:
        """Return the frequency of each value."""

    def units(self, ec: EC, value: int) -> tuple[int, ...]:
        """Return what may move out of a class that has a value."""

    def exchange(self, receiver: EC, donor: EC, x: int, y: int) -> tuple[EC, EC]:
        """Return two classes after unit x of one and unit y of the other changed places."""

    def with_noise(self, ec: EC, value: int) -> EC:
        """Return a class with one more row, which is no person's."""


class ByValue:
    """Classes as pairs of value and count; a unit is a value."""

    def form(self, records: Iterable[Record]) -> EC:
        """Count the values."""
        return _frozen(Counter(record.value for record in records))

    def multiset(self, ec: EC) -> Multiset:
        """Return the pairs as a mapping."""
        return dict(ec)

    def units(self, ec: EC, value: int) -> tuple[int, ...]:
        """Return the value, if the class has it."""
        return tuple(unit for unit, _ in ec if unit == value)

    def exchange(self, receiver: EC, donor: EC, x: int, y: int) -> tuple[EC, EC]:
        """Exchange one x and one y."""
        after = theta_moves.swap(self.multiset(receiver), self.multiset(donor), x, y)
        return _frozen(after[0]), _frozen(after[1])

    def with_noise(self, ec: EC, value: int) -> EC:
        """Count one more."""
        return _frozen(theta_moves.add_noise(self.multiset(ec), value))


class ByRecord:
    """Classes as sorted record numbers; a unit is a record. Noise rows never move.

    They may carry any value of the domain, and are numbered from ``rows`` on, higher than any
    record, by their value.
    """

    def __init__(self, domain: tuple[SensitiveValue, ...], rows: int) -> None:
        self._domain = domain
        self._rows = rows

    def form(self, records: Iterable[Record]) -> EC:
        """Sort the records."""
        return tuple(sorted(records))

    def multiset(self, ec: EC) -> Multiset:
        """Count the values of the records."""
        return Counter(record.value for record in ec)

    def units(self, ec: EC, value: int) -> tuple[int, ...]:
        """Return the records with the value that are people's."""
        return tuple(record for record in ec if record.value == value and not record.dummy)

    def exchange(self, receiver: EC, donor: EC, x: int, y: int) -> tuple[EC, EC]:
        """Exchange two records."""
        return _replace_unit(receiver, x, y), _replace_unit(donor, y, x)

    def with_noise(self, ec: EC, value: int) -> EC:
        """Add a dummy record."""
        row = Record(self._rows + value, self._domain[value], dummy=True)
        return tuple(sorted((*ec, row)))


@dataclass(frozen=True)
class Plan:
    """What Algorithm 1 may do with the current class, over every tie."""

    passes: bool
    """V ≥ θ; then nothing else is to be done."""
    donor: int | None = None
    """The class an exchange is made with, or None."""
    pairs: tuple[tuple[int, int], ...] = ()
    """Unit of the current class and unit of the donor's, for each exchange."""
    noise: tuple[int, ...] = ()
    """Values that a noise row may carry; empty unless no exchange is possible."""

    @property
    def stuck(self) -> bool:
        """Whether V < θ and nothing can be done about it."""
        return not (self.passes or self.pairs or self.noise)


class Moves:
    """The moves on class tokens; pure functions, each computed once for the same arguments.

    >>> from fractions import Fraction
    >>> hiv, flu = SensitiveValue(0, "HIV"), SensitiveValue(1, "Flu")
    >>> flus = ((flu, 2),)
    >>> moves = Moves(ByValue(), Threshold(Fraction(3, 5), 2), (hiv, flu))
    >>> moves.plan(0, (flus,)).noise
    (HIV,)
    >>> moves.plan(0, (flus, ((hiv, 1), (flu, 1)))).pairs
    ((Flu, HIV),)
    """

    def __init__(
        self, kind: ClassTokens, threshold: Threshold, domain: tuple[SensitiveValue, ...]
    ) -> None:
        """Take what noise may carry as the domain."""
        self.kind = kind
        self.threshold = threshold
        self.domain = domain
        # On the instance: decorated methods would share one cache, and keep every table alive in
        # it.
        remembered = lru_cache(maxsize=1 << 18)
        self.multiset = remembered(kind.multiset)
        self.passes = remembered(lambda ec: threshold.passes(self.multiset(ec)))
        self.forward = remembered(self._forward)
        self.backward = remembered(self._backward)
        # Equal classes are one object: tables share them, and are soon found equal.
        self._shared = remembered(lambda ec: ec)
        self.exchange = remembered(lambda *move: tuple(map(self._shared, kind.exchange(*move))))
        self._with_noise = remembered(lambda *move: self._shared(kind.with_noise(*move)))
        # The values of the domain that a class does not have.
        self.absent = remembered(lambda ec: tuple(theta_moves.absent(self.multiset(ec), domain)))
        # Of whole tables only the last few are asked about again.
        self.plan = lru_cache(maxsize=1 << 10)(self._plan)

    def size(self, ec: EC) -> int:
        """Return the published rows of a class."""
        return sum(self.multiset(ec).values())

    def variance(self, ec: EC) -> Fraction:
        """Return V of a class."""
        return theta_moves.variance(self.multiset(ec))

    def donor(self, c: int, ecs: ECs, wide: Callable[[int], bool]) -> int | None:
        """Return the first class after c that is wide and has a value absent from class c."""
        for b in range(c + 1, len(ecs)):
            if wide(b) and self.forward(ecs[c], ecs[b]):
                return b
        return None

    def swap(self, c: int, b: int, x: int, y: int, ecs: ECs) -> ECs:
        """Return the classes after unit x of class c and unit y of class b changed places."""
        changed = list(ecs)
        changed[c], changed[b] = self.exchange(ecs[c], ecs[b], x, y)
        # A table is looked up again and again, and its hash goes through all classes: it is kept.
        return Hashed(changed)

    def widen(self, c: int, value: int, ecs: ECs) -> ECs:
        """Return the classes with one more row of a value in class c."""
        return Hashed((*ecs[:c], self._with_noise(ecs[c], value), *ecs[c + 1 :]))

    def _forward(self, receiver: EC, donor: EC) -> tuple[tuple[int, int], ...]:
        """Return the units that a class may exchange with a later one."""
        counts, donor_counts = self.multiset(receiver), self.multiset(donor)
        units = self.kind.units
        # Noise does not move: a value that only noise has is none that the donor could give.
        able = {value: n for value, n in donor_counts.items() if units(donor, value)}
        coming = theta_moves.back_check(counts, able)
        return tuple(
            (x, y)
            for gives in theta_moves.most_frequent_values(counts)
            for x in units(receiver, gives)
            for value in coming
            for y in units(donor, value)
        )

    def _backward(self, last: EC, previous: EC) -> tuple[tuple[int, int], ...]:
        """Return the units that the last class may exchange with the one before it."""
        units = self.kind.units
        return tuple(
            (x, y)
            for gives, gets in theta_moves.cross_check(self.multiset(last), self.multiset(previous))
            for x in units(last, gives)
            for y in units(previous, gets)
        )

    def _plan(self, c: int, ecs: ECs) -> Plan:
        if self.passes(ecs[c]):
            return Plan(True)
        if c < len(ecs) - 1:
            donor = self.donor(c, ecs, lambda b: self.passes(ecs[b]))
            if donor is not None:
                return Plan(False, donor, self.forward(ecs[c], ecs[donor]))
        # Only the last class turns back, and a class that is alone has nobody to turn to.
        elif c and (pairs := self.backward(ecs[c], ecs[c - 1])):
            return Plan(False, c - 1, pairs)
        return Plan(False, noise=self.absent(ecs[c]))


def _frozen(values: Multiset) -> EC:
    return tuple(sorted(values.items()))


def _replace_unit(ec: EC, leaves: int, comes: int) -> EC:
    return tuple(sorted((*(unit for unit in ec if unit != leaves), comes)))
