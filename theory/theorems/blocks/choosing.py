"""Which blocks give the least bound: all are compared roughly, the best worked out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import sqrt

from kproof.forms import JsonForm
from kproof.theory.exact import Enclosure, Number, rational
from kproof.theory.profiles.blocks import blocks_between, blocks_delta, blocks_epsilon
from kproof.theory.theorems.bounds import exact_text


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
class CountedMass:
    """A block mass, and whose it is."""

    mass: Fraction
    """What both values of a block have."""
    records: int
    """How many records have it."""


@dataclass(frozen=True, slots=True)
class Tried(BlockChoice):
    """A choice of blocks, and what it gives."""

    epsilon: Enclosure
    delta: Enclosure
    """What holds: the δ that follows for the ε. Of choices that are not taken the δ may be wide,
    and where a δ was asked for the ε is the one that the first choice needs."""

    @property
    def counted(self) -> tuple[CountedMass, ...]:
        """How many of the records that count have each block mass."""
        return tuple(CountedMass(mass, count) for mass, count in self.masses.items())

    to_dict = JsonForm("block distance epsilon delta", exact=exact_text)


_ROUND = (12, 15, 20, 25, 30, 35, 40, 45, 50, 60, 80, 100)
LENGTHS = (*range(2, 11), *(m * 10**e // 10 for e in range(1, 6) for m in _ROUND))
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
    """Return the choice that gives the least bound at an ε or a δ, and all tried, by block."""
    choices = sorted(choices, key=_worth, reverse=True)[:_MOST_TRIED]
    if epsilon is not None:
        level = rational("epsilon", epsilon, least=0)
    else:
        # All are compared at the ε that the first, whose blocks vary most, needs for that δ.
        upper = _epsilon(choices[0], shift, delta, _PARTS).upper
        level = Fraction(upper) if upper.is_finite() else Fraction(1)
    parts = 1 if len(choices) == 1 else _PARTS
    tried = [_at(choice, level, _between(choice, shift, level, parts)) for choice in choices]
    # Where all that is known of δ is that it is next to nothing, the order of the choices says
    # which has the least.
    places = sorted(range(len(tried)), key=lambda place: (tried[place].delta.lower, place))
    best = places[0]
    if delta is not None:
        choice = choices[best]
        least_epsilon = _epsilon(choice, shift, delta, None if _affordable(choice) else _FINE_PARTS)
        target = Enclosure.exactly(rational("delta", delta, least=0, most=1))
        tried[best] = Tried(choice.block, choice.distance, choice.masses, least_epsilon, target)
    else:
        for turn, place in enumerate(places[:_MOST_REFINED]):
            reached = tried[best].delta.upper
            # The others begin no lower than this one: none can be less than what is reached.
            if turn and (reached < _NOTHING or reached <= tried[place].delta.lower):
                break
            tried[place] = _at(choices[place], level, _refine(choices[place], shift, level))
            best = min(best, place, key=lambda index: tried[index].delta.upper)
    return tried[best], tuple(sorted(tried, key=lambda option: (option.block, option.distance)))


def _at(choice: BlockChoice, epsilon: Fraction, delta: Enclosure) -> Tried:
    return Tried(choice.block, choice.distance, choice.masses, Enclosure.exactly(epsilon), delta)


def _between(
    choice: BlockChoice, shift: Fraction, epsilon: Fraction, parts: int, bits: int = 64
) -> Enclosure:
    steps, sizes = int(shift / choice.distance), {"parts": parts, "bits": bits}
    masses, block = choice.masses, choice.block
    return blocks_between(masses, block=block, steps=steps, epsilon=[epsilon], **sizes)[0]


def _refine(choice: BlockChoice, shift: Fraction, epsilon: Fraction) -> Enclosure:
    """Return δ to all its digits, or as narrow as many records allow."""
    if _affordable(choice):
        steps = int(shift / choice.distance)
        return blocks_delta(choice.masses, block=choice.block, steps=steps, epsilon=epsilon)
    delta = _between(choice, shift, epsilon, _FINE_PARTS)
    if delta.lower > 0:
        return delta
    return _between(choice, shift, epsilon, _PARTS, bits=_MOST_BITS)


def _epsilon(
    choice: BlockChoice, shift: Fraction, delta: Number | None, parts: int | None
) -> Enclosure:
    assert delta is not None
    return blocks_epsilon(
        choice.masses,
        block=choice.block,
        steps=int(shift / choice.distance),
        delta=delta,
        parts=parts,
        relative_width="1e-9" if parts is None else "0.001",
    )


def _affordable(choice: BlockChoice) -> bool:
    """Return whether the bound can be worked out for each number of blocks."""
    # Floats will do: what is counted here decides how the bound is worked out, never what it is.
    count, size = sum(choice.masses.values()), choice.block
    spread = sum(float(mass * (1 - mass)) * number for mass, number in choice.masses.items())
    rows = min(count, 37 * sqrt(spread) + 64)
    points = min(count * size / 2, 2 * size * sqrt(320 * count))
    return rows * points * size.bit_length() <= _MOST_WORK


def _worth(choice: BlockChoice) -> Fraction:
    """Return the variance that the blocks of a choice have together, up to a constant."""
    total = sum((mass * count for mass, count in choice.masses.items()), Fraction(0))
    return total * (choice.block**2 - 1) * choice.distance**2
