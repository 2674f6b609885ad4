"""δ(ε) of a random number of uniform blocks: the profile of every block bound.

Let U be uniform on m points at distance h, D_j(ε) the profile of a sum of j independent copies
under a shift by q h, and N the number of records that show their block, a sum of independent 0/1
variables. The bound of every theorem on blocks is E D_N(ε).

D_j is worked out for all j at once: the masses of j + 1 blocks are sums over m neighbours of those
of j blocks. These sums have positive terms only, so that floats of 64 bits lose next to nothing,
and what they lose is bounded: every addition by a relative 2^-64, every mass that is left out by
itself. Where that is not enough, or floats are shorter here, every D_j is worked out in balls.

D_j falls as j rises: where a few digits do, N is put into parts, and D_j worked out at their ends
alone (:mod:`kproof.theory.profiles.uniform_sums`), in a time that hardly grows with the records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, log10
from typing import TypedDict, Unpack, overload

from flint import arb

from kproof.errors import TooLarge
from kproof.theory.exact import Enclosure, Number, integer, rational, use_bits
from kproof.theory.laws import FiniteLattice, IndependentSum, iid
from kproof.theory.laws.block_mass import MOST_BLOCK
from kproof.theory.laws.records import MOST_EQUAL
from kproof.theory.profiles import delta
from kproof.theory.profiles.block_floats import BITS, LONG, in_floats
from kproof.theory.profiles.input import Grid, each, is_grid
from kproof.theory.profiles.two_cells import ends
from kproof.theory.profiles.uniform_sums import uniform_profile

_DEPTHS = (256, 1024, 4096, 15000)
"""Bits of the masses that may be left out, tried in turn."""
_MOST_PARTS = 1 << 12
_PARTS, _MOST_SHARED = (5, 24), 5_000
"""Fewest and most parts where there are too many additions, and how many all ε share: a part costs
some twenty milliseconds for each ε."""
_FEW = 400
"""Up to so many blocks every D_j may be worked out in balls."""


class _How(TypedDict, total=False):
    """How far the sum is moved, and what width is worked for; see :func:`blocks_delta`."""

    steps: Number
    relative_width: Number


@overload
def blocks_delta(
    masses: Mapping[Fraction, int], *, block: Number, epsilon: Number, **how: Unpack[_How]
) -> Enclosure: ...
@overload
def blocks_delta(
    masses: Mapping[Fraction, int], *, block: Number, epsilon: Grid, **how: Unpack[_How]
) -> tuple[Enclosure, ...]: ...


def blocks_delta(
    masses: Mapping[Fraction, int],
    *,
    block: Number,
    epsilon: Number | Grid,
    steps: Number = 1,
    relative_width: Number = "1e-12",
) -> Enclosure | tuple[Enclosure, ...]:
    """Return E D_N(ε) in [0, 1], the δ of a random number of uniform blocks.

    Args:
        masses: How many records have each block mass, from 0 to 1. A record counts with that
            probability, independently of the others.
        block: m, the points of a block, from 2.
        epsilon: At least 0, exactly as typed; or a list, tuple or 1-D array of such.
        steps: q, the shift in distances of the points of a block.
        relative_width: Width of an enclosure over its magnitude that is worked for, from 1e-300 to
            below 1. For fewer than 400 records it is reached, elsewhere down to about 1e-12; an
            enclosure is as wide as it is, and never wrong. Beyond some ten thousand records it has
            three digits, or says that δ is next to nothing. Where floats are too short, 400 records
            or more are TooLarge.

    >>> print(blocks_delta({Fraction(4, 5): 100}, block=10, epsilon="0.1"))
    0.00007470075
    >>> print(blocks_delta({Fraction(1): 1}, block=2, epsilon=0))
    0.5
    """
    size = integer("block", block, least=2, most=MOST_BLOCK)
    width = rational("relative_width", relative_width, least=Fraction(1, 10**300), below=1)
    exponents = [rational("epsilon", value, least=0) for value in each("epsilon", epsilon)]
    shift = integer("steps", steps, least=1, most=MOST_BLOCK)
    answers = _answers(count_masses(masses), size, shift, exponents, width)
    return tuple(answers) if is_grid(epsilon) else answers[0]


def blocks_epsilon(
    masses: Mapping[Fraction, int],
    *,
    block: Number,
    delta: Number,
    steps: Number = 1,
    relative_width: Number = "1e-9",
    parts: Number | None = None,
) -> Enclosure:
    """Return the least ε at which E D_N(ε) is at most δ, exactly as typed, from 0 to 1.

    It is infinite if δ is less than what no ε can undo: the chance that no record shows its block,
    and more. With ``parts`` δ is compared by :func:`blocks_between` in so many: quick, and less
    narrow. The rest is as for :func:`blocks_delta`.

    >>> print(blocks_epsilon({Fraction(4, 5): 100}, block=10, delta="1e-5"))
    0.1246413
    >>> print(blocks_epsilon({Fraction(1, 2): 3}, block=2, delta="0.01"))
    Infinity
    """
    target = rational("delta", delta, least=0, most=1)
    width = rational("relative_width", relative_width, least=Fraction(1, 10**11), below=1)
    bits = 64 + (ceil(1 / target).bit_length() if target else 64)

    def meets(grid: Sequence[Fraction]) -> list[bool | None]:
        """Say of each ε whether δ is met; None where the enclosure leaves it open."""
        if parts is None:
            deltas = blocks_delta(masses, block=block, steps=steps, epsilon=list(grid))
        else:
            deltas = blocks_between(
                masses, block=block, steps=steps, epsilon=list(grid), parts=parts, bits=bits
            )
        # As fractions: a target such as 1/3 is no decimal.
        signs = [(Fraction(d.upper) <= target, Fraction(d.lower) > target) for d in deltas]
        return [met if met or missed else None for met, missed in signs]

    low, high = Fraction(0), Fraction(1)
    ends = meets([low, high])
    if not ends[1]:
        # Precision costs with ε: the largest is asked for only where it has to be.
        high = Fraction(_LARGEST)
        ends = [ends[0], *meets([high])]
    if ends[0]:
        return Enclosure.exactly(0)
    if not ends[1]:
        # Undecided at the largest ε says nothing of smaller ones.
        lower = Decimal(0) if ends[1] is None else Decimal("Infinity")
        return Enclosure(lower, Decimal("Infinity"))
    # Where all ε come at the price of one, many are looked at together.
    cuts = 2 if parts is not None else 12
    while high - low > width * high:
        # Ends that are far apart are cut by their ratio: nothing is known yet of the size of the
        # answer.
        if high <= 4 * low:
            grid = [low + (high - low) * Fraction(i, cuts) for i in range(1, cuts)]
        else:
            lowest = low or high / 2**24
            step = (high / lowest).__float__() ** (1 / cuts)
            grid = [lowest * Fraction(step**i) for i in range(1, cuts)]
        met = meets(grid)
        below = [epsilon for epsilon, is_met in zip(grid, met, strict=True) if is_met is False]
        above = [epsilon for epsilon, is_met in zip(grid, met, strict=True) if is_met]
        tighter = max([low, *below]), min([high, *above])
        if tighter != (low, high):
            low, high = tighter
        elif cuts <= 2:
            # Open in the middle; nearer to the ends it may not be.
            cuts *= 2
        else:
            break
    # The ends are fractions, of which each is rounded outward.
    return Enclosure(Enclosure.exactly(low).lower, Enclosure.exactly(high).upper)


_LARGEST = 10_000
"""Beyond this ε nothing changes that a decimal shows."""


def count_masses(masses: Mapping[Fraction, int]) -> dict[Fraction, int]:
    """Return how many records have each block mass in (0, 1], those with none left out."""
    counts: dict[Fraction, int] = {}
    for mass, count in masses.items():
        share = rational("block mass", mass, least=0, most=1)
        number = integer(f"records of block mass {share}", count, least=0, most=MOST_EQUAL)
        if share and number:
            counts[share] = counts.get(share, 0) + number
    return counts


def _number_of_blocks(masses: Mapping[Fraction, int]) -> IndependentSum:
    """Return the law of N, the number of records that show their block."""
    coins = [FiniteLattice.bernoulli(mass) for mass in masses]
    return IndependentSum(coins, counts=list(masses.values()))


def _answers(
    masses: Mapping[Fraction, int],
    size: int,
    shift: int,
    exponents: Sequence[Fraction],
    width: Fraction,
) -> list[Enclosure]:
    if not masses:
        return [Enclosure.exactly(1)] * len(exponents)
    number = _number_of_blocks(masses)
    best = [_NOTHING] * len(exponents)
    for depth in _DEPTHS if LONG else ():
        wide = [place for place, answer in enumerate(best) if answer.relative_width > width]
        try:
            answers = in_floats(number, size, shift, [exponents[place] for place in wide], depth)
        except TooLarge:
            if depth > _DEPTHS[0]:
                return best
            parts = min(_PARTS[1], max(_PARTS[0], _MOST_SHARED // (len(exponents) or 1)))
            return list(
                blocks_between(masses, block=size, epsilon=exponents, parts=parts, steps=shift)
            )
        for place, answer in zip(wide, answers, strict=True):
            best[place] = min(
                best[place], answer, key=lambda bound: (bound.relative_width, bound.upper)
            )
        if all(answer.relative_width <= width for answer in best):
            return best
    wide = [place for place, answer in enumerate(best) if answer.relative_width > width]
    if number.points <= _FEW:
        answers = _in_balls(number, size, shift, [exponents[place] for place in wide], width)
        for place, answer in zip(wide, answers, strict=True):
            best[place] = answer
    elif not LONG:
        reason = f"floats have too few bits here for more than {_FEW - 1}"
        raise TooLarge(f"{number.points - 1} records: {reason}")
    return best


_NOTHING = Enclosure(Decimal(0), Decimal(1))


def blocks_between(
    masses: Mapping[Fraction, int],
    *,
    block: Number,
    epsilon: Sequence[Number],
    parts: Number,
    steps: Number = 1,
    bits: Number = 64,
) -> tuple[Enclosure, ...]:
    """Return E D_N(ε) between sums over D_j at few numbers of blocks j: quick at any size.

    D_j falls as j rises; the numbers of blocks are put into ``parts``, as many as are asked for,
    and D_j taken at their ends: the enclosures are as wide as these make them. Masses below 2^-bits
    are left out: a smaller δ is bounded from above only. The rest is as for :func:`blocks_delta`.

    >>> print(*blocks_between({Fraction(7, 10): 10**6}, block=30, epsilon=[0], parts=8))
    [0.00005506, 0.00005512]
    """
    size = integer("block", block, least=2, most=MOST_BLOCK)
    exponents = [rational("epsilon", value, least=0) for value in epsilon]
    shift = integer("steps", steps, least=1, most=MOST_BLOCK)
    number = integer("parts", parts, least=1, most=_MOST_PARTS)
    depth = integer("bits", bits, least=16, most=_DEPTHS[-1])
    counts = count_masses(masses)
    if not counts:
        return (Enclosure.exactly(1),) * len(exponents)
    blocks = _number_of_blocks(counts)
    with use_bits(depth + BITS):
        window = blocks.window(arb(2) ** -depth)
        lower, upper = [arb(0)] * len(exponents), [window.dropped] * len(exponents)
        for end in ends(int(blocks.origin) + window.start, window.masses, number):
            profile = uniform_profile(end.coins, size, shift=shift, epsilons=exponents, bits=depth)
            for place, value in enumerate(profile):
                lower[place] += end.until * value
                upper[place] += end.since * value
        pairs = zip(lower, upper, strict=True)
        return tuple(Enclosure.from_arb(low.union(high), low=0, high=1) for low, high in pairs)


def _in_balls(
    number: IndependentSum, size: int, shift: int, exponents: Sequence[Fraction], width: Fraction
) -> list[Enclosure]:
    """Return E D_N(ε) from the certified profile of each number of blocks."""
    digits = max(25, ceil(-log10(width)) + 4)
    block = FiniteLattice.from_counts(dict.fromkeys(range(size), 1))
    with use_bits(4 * digits + 64):
        window = number.window(arb(0))
        totals = [arb(0)] * len(exponents)
        for count, weight in enumerate(window.masses, int(number.origin) + window.start):
            # No block hides nothing: D_0 is 1, and a sum of no terms has no law.
            if count == 0:
                totals = [total + weight for total in totals]
                continue
            profile = delta(
                iid(block, count), shift=shift, epsilon=list(exponents), relative_width=width / 100
            )
            for place, value in enumerate(profile):
                ball = arb(str(value.lower)).union(arb(str(value.upper)))
                totals[place] += weight * ball
        return [Enclosure.from_arb(total, digits=digits, low=0, high=1) for total in totals]
