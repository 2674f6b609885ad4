"""Which blocks give the least bound: all are compared roughly, the best worked out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import sqrt

from kproof.forms import JsonForm
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.typed import Number, rational
from kproof.theory.profiles.blocks import blocks_between, blocks_delta, blocks_epsilon
from kproof.theory.theorems.bounds import shown_exactly


@dataclass(frozen=True, slots=True)
class BlockChoice:
    """Blocks that may be taken, and the masses for them of the records that count."""

    block: int
    """m, points of a block."""
    distance: Fraction
    """How far they lie apart; the shift is a multiple of it."""
    masses: Mapping[Fraction, int]
    """How many of the records that count have each block mass."""


@dataclass(frozen=True, slots=True)
class BlockMass:
    """A block mass, and whose it is."""

    mass: Fraction
    """What both values of a block have."""
    records: int
    """How many records have it."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A choice of blocks, and what it gives."""

    block: int
    """m, points of a block."""
    distance: Fraction
    """How far they lie apart; the shift is a multiple of it."""
    masses: Mapping[Fraction, int]
    """How many of the records that count have each block mass."""
    epsilon: Enclosure
    delta: Enclosure
    """What holds: the δ that follows for the ε. Of choices that are not taken the δ may be wide,
    and where a δ was asked for the ε is the one that the first choice needs."""

    @property
    def counted(self) -> tuple[BlockMass, ...]:
        """How many of the records that count have each block mass."""
        return tuple(BlockMass(mass, count) for mass, count in self.masses.items())

    to_dict = JsonForm("block distance epsilon delta", exact=shown_exactly)


LENGTHS = tuple(
    sorted(
        {
            *range(2, 11),
            *(
                m * 10**e // 10
                for e in range(1, 6)
                for m in (12, 15, 20, 25, 30, 35, 40, 45, 50, 60, 80, 100)
            ),
        }
    )
)
"""The lengths of blocks that are thought of."""

_MOST_TRIED = 6
"""How many choices are compared, those whose blocks have the largest variance together."""

_MOST_REFINED = 3
"""How many choices are worked out beyond the first comparison."""

_NOTHING = Decimal("1e-12")
"""A δ below which it does not matter which of several choices has the least."""

_PARTS, _FINE_PARTS = 5, 24
"""Parts of the numbers of blocks where choices are compared, and for one that may be taken."""

_MOST_BITS = 192
"""Below 2^-192 δ is told no better where there are too many records."""

_MOST_WORK = 100_000_000
"""Additions up to which the bound is worked out to all its digits; half a second or so."""


def least(
    choices: Sequence[BlockChoice], shift: Fraction, epsilon: Number | None, delta: Number | None
) -> tuple[Tried, tuple[Tried, ...]]:
    """Return the choice that gives the least bound, and all that were tried, by block.

    Parameters
    ----------
    choices
        At least one.
    shift
        A multiple of the distance of every choice.
    epsilon, delta
        Exactly one of them, as typed.
    """
    choices = sorted(choices, key=_worth, reverse=True)[:_MOST_TRIED]
    if epsilon is not None:
        at = rational("epsilon", epsilon, least=0)
    else:
        # All are compared at the ε that the first, whose blocks vary most, needs for that δ.
        needed = _epsilon(choices[0], shift, delta, _PARTS).upper
        at = Fraction(needed) if needed.is_finite() else Fraction(1)
    parts = 1 if len(choices) == 1 else _PARTS
    tried = [_at(one, at, _between(one, shift, at, parts)) for one in choices]
    # Where all that is known of δ is that it is next to nothing, the order of the choices says
    # which has the least.
    places = sorted(range(len(tried)), key=lambda place: (tried[place].delta.lower, place))
    best = places[0]
    if delta is not None:
        one = choices[best]
        found = _epsilon(one, shift, delta, None if _affordable(one) else _FINE_PARTS)
        target = Enclosure.exactly(rational("delta", delta, least=0, most=1))
        tried[best] = Tried(one.block, one.distance, one.masses, found, target)
    else:
        for turn, place in enumerate(places[:_MOST_REFINED]):
            reached = tried[best].delta.upper
            if turn and (reached < _NOTHING or reached <= tried[place].delta.lower):
                break
            tried[place] = _at(choices[place], at, _refined(choices[place], shift, at))
            best = min(best, place, key=lambda one: tried[one].delta.upper)
    return tried[best], tuple(sorted(tried, key=lambda one: (one.block, one.distance)))


def _at(one: BlockChoice, epsilon: Fraction, delta: Enclosure) -> Tried:
    return Tried(one.block, one.distance, one.masses, Enclosure.exactly(epsilon), delta)


def _between(
    one: BlockChoice, shift: Fraction, epsilon: Fraction, parts: int, bits: int = 64
) -> Enclosure:
    return blocks_between(
        one.masses,
        block=one.block,
        steps=int(shift / one.distance),
        epsilon=[epsilon],
        parts=parts,
        bits=bits,
    )[0]


def _refined(one: BlockChoice, shift: Fraction, epsilon: Fraction) -> Enclosure:
    """Return δ to all its digits, or as narrow as many records allow."""
    if _affordable(one):
        steps = int(shift / one.distance)
        return blocks_delta(one.masses, block=one.block, steps=steps, epsilon=epsilon)
    found = _between(one, shift, epsilon, _FINE_PARTS)
    if found.lower > 0:
        return found
    return _between(one, shift, epsilon, _PARTS, bits=_MOST_BITS)


def _epsilon(
    one: BlockChoice, shift: Fraction, delta: Number | None, parts: int | None
) -> Enclosure:
    assert delta is not None
    return blocks_epsilon(
        one.masses,
        block=one.block,
        steps=int(shift / one.distance),
        delta=delta,
        parts=parts,
        relative_width="1e-9" if parts is None else "0.001",
    )


def _affordable(one: BlockChoice) -> bool:
    """Return whether the bound can be worked out for each number of blocks."""
    count, size = sum(one.masses.values()), one.block
    spread = sum(float(mass * (1 - mass)) * number for mass, number in one.masses.items())
    rows = min(count, 37 * sqrt(spread) + 64)
    points = min(count * size / 2, 2 * size * sqrt(320 * count))
    return rows * points * size.bit_length() <= _MOST_WORK


def _worth(choice: BlockChoice) -> Fraction:
    """Return the variance that the blocks of a choice have together, up to a constant."""
    total = sum((mass * count for mass, count in choice.masses.items()), Fraction(0))
    return total * (choice.block**2 - 1) * choice.distance**2


__all__ = ["LENGTHS", "BlockChoice", "Tried", "least"]
