"""Scenes of dependent records: independent blocks of copies, and single records beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

from kproof.errors import InvalidArgument
from kproof.theory.exact.typed import Number, choice, integer, rational
from kproof.theory.falsify import order
from kproof.theory.falsify.scenes import RecordLike, Scene, as_record, positive, question_of
from kproof.theory.laws import Block, IndependentBlocks, Normal
from kproof.theory.reading import Reading
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.api import bound
from kproof.theory.theorems.bounds import Bound
from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.registry import theorem_of


class Lambda1(StrEnum):
    """What the lambda_1 of Theorems 3 and 5 is: the paper uses it both ways."""

    NEIGHBOURHOOD = "neighbourhood"
    """max |N_i|, as the statement has it: the size of a block."""
    FRACTION = "fraction"
    """The fraction of users that depend on others, as the text and the figures have it."""


@dataclass(frozen=True)
class Blocks(Scene):
    """Independent blocks of dependent records, and ``singles`` beside them (Theorems 3 and 5).

    In each block, with probability ``alike`` all records are copies of one draw, otherwise they
    are independent draws. In the first ``known`` blocks the adversary knows the first record, and
    it has its most likely value.

    >>> scene = Blocks.of(blocks=2, size=2, record={0: "1/2", 1: "1/2"}, known=2)
    >>> scene.law.points, scene.call
    (1, "blocks=2, size=2, record={0: '1/2', 1: '1/2'}, known=2")
    >>> Blocks.of(blocks=2, size=1, record={0: "1/2", 1: "1/2"}, known=2)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: known = 2: need an unknown record
    """

    blocks: int = 0
    size: int = 0
    record: order.Atoms = ()
    singles: int = 0
    alike: Fraction = Fraction(1)
    lambda1: Lambda1 = Lambda1.NEIGHBOURHOOD
    s: Fraction = Fraction(1)
    k: int = 1
    known: int = 0
    argument_names = ("n", "k", "known", "blocks", "size", "record", "singles", "alike")

    @classmethod
    def of(
        cls,
        *,
        blocks: Number,
        size: Number,
        record: RecordLike,
        singles: Number = 0,
        alike: Number = 1,
        lambda1: Lambda1 | str = Lambda1.NEIGHBOURHOOD,
        s: Number = 1,
        k: Number = 1,
        known: Number = 0,
        **question: Number | None,
    ) -> Blocks:
        """Read typed numbers and check their ranges."""
        count, width = integer("blocks", blocks, least=1), integer("size", size, least=1)
        alone = integer("singles", singles, least=0)
        together = rational("alike", alike, least=0, most=1)
        # The table of a block has values^size outcomes, unless all of its records are copies.
        if together < 1 and width > 6:
            raise InvalidArgument("size", size, "at most 6 records in a block unless alike = 1")
        known_blocks = integer("known", known, least=0, most=count)
        if known_blocks == count * width + alone:
            raise InvalidArgument("known", known, "an unknown record")
        law = as_record(record)
        if isinstance(law, Normal):
            raise InvalidArgument("record", record, "finitely many values in a block")
        return cls(
            **question_of(**question),
            blocks=count,
            size=width,
            record=law,
            singles=alone,
            alike=together,
            lambda1=choice("lambda1", lambda1, Lambda1),
            s=rational("s", s, above=0),
            k=integer("k", k, least=1, most=count * width + alone),
            known=known_blocks,
        )

    @property
    def n(self) -> int:
        """All records, the known ones included."""
        return self.blocks * self.size + self.singles

    @property
    def law(self) -> IndependentBlocks:
        """The law of the sum of the unknown records, given the known values."""
        return _conditional(*self._world)

    @property
    def _world(self) -> tuple[int, int, int, order.Atoms, Fraction, int]:
        """What the law depends on."""
        return self.blocks, self.size, self.singles, self.record, self.alike, self.known

    def bound(self, theorem: int, reading: Reading) -> Bound:
        """Return what Theorem 3 or 5 claims here.

        The paper's own statements take the unconditional moments of the unknown records, the
        corrected one takes those given the known values.
        """
        entry = theorem_of(theorem)
        if not entry.dependent:
            raise InvalidArgument("theorem", theorem, "3 or 5 for blocks of dependent records")
        if self.known and not entry.unknown_only:
            raise InvalidArgument("known", self.known, "0 with theorem 3")
        fraction = self.lambda1 is Lambda1.FRACTION
        indexes = [place * self.size for place in range(self.known)]
        adversary = Adversary.of(
            s=self.s,
            known=indexes if entry.unknown_only else None,
            neighbourhood=None if fraction else self.size,
            lambda1=Fraction(self.blocks * self.size, self.n) if fraction else None,
        )
        if reading is Reading.CORRECTED or not self.known:
            moments = _moments(self.law)
        else:
            moments = _sums_without_law(_unconditional(*self._world))
        return bound(
            theorem,
            reading=reading,
            moments=moments,
            adversary=adversary,
            k=self.k,
            epsilon=self.epsilon,
        )

    def simpler(self) -> Iterator[Blocks]:
        """Yield fewer or smaller blocks, a simpler law, less known, simpler s and epsilon."""
        for blocks in order.wholes(self.blocks, max(1, self.known)):
            yield self._resize(blocks=blocks)
        for blocks in order.wholes(self.blocks, 1):
            yield self._resize(blocks=blocks, known=min(self.known, blocks))
        for size in order.wholes(self.size, 1):
            yield self._resize(size=size)
        # As a fraction, lambda_1 is below 1.
        for singles in order.wholes(self.singles, int(self.lambda1 is Lambda1.FRACTION)):
            yield self._resize(singles=singles)
        yield from self._moves(
            known=order.wholes(self.known, 0),
            k=order.wholes(self.k, 1),
            record=order.simpler_atoms(self.record),
            alike=(1 - apart for apart in order.ancestors(1 - self.alike)),
            s=positive(self.s),
        )

    def _resize(self, **changes: Any) -> Blocks:
        """Return the scene with other numbers of records, written in one way only."""
        scene = replace(self, **changes)
        if scene.size == 1:
            # A block of one record is a single; nothing depends on anything.
            several = scene.blocks + scene.singles
            plain: Any = {"singles": 0, "alike": Fraction(1), "lambda1": Lambda1.NEIGHBOURHOOD}
            scene = replace(scene, blocks=several, **plain)
        # Where each block is one record, one has to stay unknown, or nothing would be random.
        blocks_known = min(scene.known, scene.blocks if scene.size > 1 else scene.blocks - 1)
        return replace(scene, known=blocks_known, k=min(scene.k, scene.n))

    @property
    def weight(self) -> tuple[int, int, int]:
        """n, k, and the heights of everything else."""
        numbers = sum(map(order.height, (1 - self.alike, self.s, self.epsilon, self.delta)))
        return self.n, self.k, numbers + order.atoms_height(self.record) + self.known


@lru_cache(maxsize=4096)
def _conditional(
    blocks: int, size: int, singles: int, record: order.Atoms, alike: Fraction, known: int
) -> IndependentBlocks:
    """Return the law of the sum of the unknown records given the first record of known blocks."""
    likeliest = max(record, key=lambda atom: atom[1])[0]
    law = _independent([(_joint(record, size, alike), blocks), (_joint(record, 1, alike), singles)])
    return law.given({place * size: likeliest for place in range(known)})


@lru_cache(maxsize=4096)
def _unconditional(
    blocks: int, size: int, singles: int, record: order.Atoms, alike: Fraction, known: int
) -> IndependentBlocks:
    """Return the law of the sum of the same records as if no value were known."""
    laws = [(_joint(record, size, alike), blocks - known), (_joint(record, 1, alike), singles)]
    if size > 1:
        laws.append((_joint(record, size - 1, alike), known))
    return _independent(laws)


@lru_cache(maxsize=4096)
def _moments(law: IndependentBlocks) -> Moments:
    return Moments.from_law(law)


@lru_cache(maxsize=4096)
def _sums_without_law(law: IndependentBlocks) -> Moments:
    """Return the sums without the law, which would say that they are not what is asked for."""
    return replace(Moments.from_law(law), joint=None, bernoulli=False)


def _independent(laws: list[tuple[Block, int]]) -> IndependentBlocks:
    present = [(law, count) for law, count in laws if count]
    return IndependentBlocks([law for law, _ in present], counts=[count for _, count in present])


@lru_cache
def _joint(record: order.Atoms, size: int, alike: Fraction) -> Block:
    """Return the joint law of copies of one draw with probability ``alike``, else of draws."""
    if alike == 1:
        return Block({(value,) * size: mass for value, mass in record})
    joint: dict[tuple[Fraction, ...], Fraction] = {}
    for atoms in product(record, repeat=size):
        outcome = tuple(value for value, _ in atoms)
        copies = atoms[0][1] if len(set(outcome)) == 1 else Fraction(0)
        apart = prod((mass for _, mass in atoms), start=Fraction(1))
        joint[outcome] = alike * copies + (1 - alike) * apart
    return Block(joint)
