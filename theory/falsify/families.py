"""Boxes to search in: finite families of scenes, each searched in full, smallest scene first.

A family is a frozen dataclass whose fields are the values to combine. To define another one,
subclass :class:`Family` and write its method ``scenes``.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from fractions import Fraction
from itertools import product
from typing import Any

from kproof.errors import InvalidArgument
from kproof.theory.falsify.blocks import Blocks, Lambda1
from kproof.theory.falsify.order import Atoms
from kproof.theory.falsify.scenes import Count, Record, Records, Scene, field_text
from kproof.theory.laws import FiniteLattice, Normal
from kproof.theory.reading import Reading


class Question(StrEnum):
    """What is given at every point of a search."""

    EPSILON = "epsilon"
    DELTA = "delta"
    OWN = "own"
    """Nothing: the theorem names its epsilon itself."""


def fractions_to(denominator: int) -> tuple[Fraction, ...]:
    """Return the rationals strictly between 0 and 1 with denominators up to the one given.

    >>> [str(value) for value in fractions_to(4)]
    ['1/4', '1/3', '1/2', '2/3', '3/4']
    """
    return tuple(sorted({Fraction(a, b) for b in range(2, denominator + 1) for a in range(1, b)}))


_EPSILONS = tuple(map(Fraction, ("1/100", "1/10", "1/2", "1", "2", "3")))
_DELTAS = tuple(map(Fraction, ("1/1000", "1/100", "1/10", "1/4", "1/2")))


def _atoms(*laws: Mapping[int, str]) -> tuple[Atoms, ...]:
    return tuple(FiniteLattice(law).atoms for law in laws)


COINS = _atoms(
    {0: "1/2", 1: "1/2"},
    {0: "1/3", 1: "2/3"},
    {0: "2/3", 1: "1/3"},
    {0: "1/10", 1: "9/10"},
    {0: "9/10", 1: "1/10"},
)
"""0/1 records, even and skewed to either side."""

NEGATIVE = _atoms(
    {-1: "1/2", 1: "1/2"}, {-1: "1/2", 0: "1/2"}, {-1: "7/8", 0: "1/8"}, {-2: "1/3", 1: "2/3"}
)
"""Records with values below 0: raw third moments that vanish or are negative."""

WIDE = _atoms(
    {0: "1/2", 2: "1/2"},
    {0: "1/4", 3: "3/4"},
    {0: "1/4", 1: "1/2", 2: "1/4"},
    {0: "1/2", 1: "1/4", 3: "1/4"},
)
"""Records whose lattice is wider than 1, and records of three values."""


@dataclass(frozen=True)
class Family(ABC):
    """A box of scenes."""

    epsilons: tuple[Fraction, ...] = _EPSILONS
    deltas: tuple[Fraction, ...] = _DELTAS
    """The epsilons, or the deltas, at which a bound is evaluated unless it names its own."""

    @abstractmethod
    def scenes(self) -> Iterator[Scene]:
        """Yield every scene of the box once, nothing asked yet."""

    def cases(self, question: Question) -> list[Scene]:
        """Return every scene with every question, simplest first.

        >>> cases = Counts(sizes=(1, 2), chances=fractions_to(3), epsilons=(Fraction(1),)).cases(
        ...     Question.EPSILON
        ... )
        >>> len(cases), cases[0].call, cases[-1].call
        (9, "n=1, p='1/2', k=1, epsilon=1", "n=2, p='2/3', k=2, epsilon=1")
        """
        levels: list[dict[str, Fraction]] = [{}]
        if question is Question.EPSILON:
            levels = [{"epsilon": value} for value in self.epsilons]
        elif question is Question.DELTA:
            levels = [{"delta": value} for value in self.deltas]
        cases = [replace(scene, **level) for scene in self.scenes() for level in levels]
        if not cases:
            raise InvalidArgument("family", type(self).__name__, "a box with at least one case")
        # In the order that shrinking lowers: the first case that refutes is the simplest of the
        # box.
        return sorted(cases, key=lambda scene: scene.key)

    def box(self, question: Question) -> dict[str, list[str]]:
        """Return the values combined, as they would be typed."""
        levels = {Question.EPSILON: "epsilons", Question.DELTA: "deltas"}
        unused = {"epsilons", "deltas"} - {levels.get(question)}
        used = [field.name for field in fields(self) if field.name not in unused]
        return {name: [field_text(x).strip("'") for x in getattr(self, name)] for name in used}


@dataclass(frozen=True)
class Counts(Family):
    """Truncated binomial counts (Theorem 1): each n, each p, each k up to n."""

    sizes: tuple[int, ...] = tuple(range(1, 13))
    """The n."""
    chances: tuple[Fraction, ...] = fractions_to(6)
    """The p, 0 < p < 1."""
    least: tuple[int, ...] = tuple(range(1, 13))
    """The k; None is every k from 1 to n."""

    def scenes(self) -> Iterator[Count]:
        """Yield the counts."""
        for n, p, k in product(self.sizes, self.chances, self.least):
            if k <= n:
                yield Count(n=n, p=p, k=k)


@dataclass(frozen=True)
class IndependentRecords(Family):
    """Sums of n independent records of one law (Theorems 2 and 4)."""

    sizes: tuple[int, ...] = (1, 2, 3, 4, 6, 9, 12, 16, 25, 36, 64, 100)
    """The n."""
    records: tuple[Record, ...] = (*COINS, *NEGATIVE, *WIDE, Normal(0, 1), Normal(0, 4))
    """Laws of one record: a tuple of (value, probability) pairs, or a Normal."""
    shifts: tuple[Fraction, ...] = (Fraction(1), Fraction(2), Fraction(1, 2))
    """The s."""
    least: tuple[int, ...] = (1,)
    """The k."""
    known: tuple[int, ...] = (0,)
    """How many records are known."""

    def scenes(self) -> Iterator[Records]:
        """Yield the sums that leave a record unknown."""
        for n, record, s, k, count in product(
            self.sizes, self.records, self.shifts, self.least, self.known
        ):
            if count < n and k <= n:
                yield Records(n=n, record=record, s=s, k=k, known=count)


@dataclass(frozen=True)
class DependentRecords(Family):
    """Sums of records in blocks of copies, with independent ones beside them (Theorems 3 and 5)."""

    blocks: tuple[int, ...] = (1, 2, 4, 9, 25, 100, 400)
    sizes: tuple[int, ...] = (1, 2, 3)
    singles: tuple[int, ...] = (0, 10, 100)
    """Blocks, records in one, and records beside them."""
    records: tuple[Atoms, ...] = (COINS[0], COINS[1], NEGATIVE[0], NEGATIVE[2], WIDE[0])
    """Laws of one record, as (value, probability) pairs."""
    alike: tuple[Fraction, ...] = (Fraction(1), Fraction(1, 2))
    """Probability that a block is made of copies of one draw."""
    lambda1: tuple[Lambda1, ...] = tuple(Lambda1)
    """What lambda_1 is taken to be."""
    shifts: tuple[Fraction, ...] = (Fraction(1), Fraction(2), Fraction(1, 2))
    least: tuple[int, ...] = (1,)
    """The s and the k."""
    known: tuple[int, ...] = (0,)
    """In how many blocks the adversary knows a record."""

    def scenes(self) -> Iterator[Blocks]:
        """Yield the sums that leave a record unknown."""
        names = ("blocks", "size", "singles", "record", "alike", "lambda1", "s", "k", "known")
        records = (self.blocks, self.sizes, self.singles, self.records, self.alike, self.lambda1)
        for values in product(*records, self.shifts, self.least, self.known):
            numbers: dict[str, Any] = dict(zip(names, values, strict=True))
            scene = Blocks(**numbers)
            # A block of one record is a single, and a fraction of users that depend is below 1.
            neighbourhood = scene.lambda1 is Lambda1.NEIGHBOURHOOD
            plain = scene.singles > 0 or neighbourhood
            if scene.size == 1:
                plain = scene.singles == 0 and scene.alike == 1 and neighbourhood
            if (
                plain
                and scene.known <= scene.blocks
                and scene.known < scene.n
                and scene.k <= scene.n
            ):
                yield scene


def of_counts(_reading: Reading) -> Family:
    """Return the box of Theorem 1."""
    return Counts()


def of_independent(_reading: Reading) -> Family:
    """Return the box of Theorem 2."""
    return IndependentRecords()


def of_independent_known(_reading: Reading) -> Family:
    """Return the box of Theorem 4."""
    return IndependentRecords(sizes=(2, 3, 5, 8, 13, 21, 34, 55), known=(1, 4))


def of_dependent(reading: Reading, known: tuple[int, ...] = (0,)) -> Family:
    """Return the box of Theorem 3.

    The Stein bounds of corrected Theorems 3 and 5 fall below 1 only for thousands of records, and
    so their boxes have a few large scenes.
    """
    if reading is not Reading.CORRECTED:
        return DependentRecords(known=known)
    return DependentRecords(
        blocks=(9, 4_000),
        sizes=(1, 2),
        singles=(0,),
        records=(COINS[0], WIDE[0]),
        alike=(Fraction(1),),
        shifts=(Fraction(1), Fraction(2)),
        epsilons=(Fraction(1, 10),),
        known=known,
    )


def of_dependent_known(reading: Reading) -> Family:
    """Return the box of Theorem 5."""
    return of_dependent(reading, known=(1, 9))
