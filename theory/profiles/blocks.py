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
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, isqrt, log10
from typing import TypeAlias, overload

import numpy as np
from flint import arb
from numpy.typing import NDArray

from kproof.errors import TooLarge
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.precision import working_bits
from kproof.theory.exact.typed import Number, as_arb, integer, rational
from kproof.theory.laws.block_mass import MOST_BLOCK
from kproof.theory.laws.finite import FiniteLattice
from kproof.theory.laws.records import MOST_EQUAL
from kproof.theory.laws.sums import IndependentSum, iid
from kproof.theory.profiles import delta
from kproof.theory.profiles.input import Grid, each, is_grid
from kproof.theory.profiles.uniform_sums import uniform_profile

Long: TypeAlias = "NDArray[np.longdouble]"

_U = np.longdouble(2) ** -64
"""How far an operation on floats of 64 bits is off, relatively."""

_LONG = np.finfo(np.longdouble).nmant >= 63
"""Whether floats have 64 bits here, and exponents that reach beyond 1e-4800."""

_BITS = 160
_DEPTHS = (256, 1024, 4096, 15000)
"""Bits of the masses that may be left out, tried in turn."""

_MOST_STEPS = 6_000_000_000
"""Most additions for one answer; some ten seconds."""

_MOST_PARTS = 1 << 12

_PARTS, _MOST_SHARED = (5, 24), 5_000
"""Fewest and most parts where there are too many additions, and how many all ε share: a part costs
some twenty milliseconds for each ε."""

_FEW = 400
"""Up to so many blocks every D_j may be worked out in balls."""


@overload
def blocks_delta(
    masses: Mapping[Fraction, int],
    *,
    block: Number,
    epsilon: Number,
    steps: Number = ...,
    relative_width: Number = ...,
) -> Enclosure: ...
@overload
def blocks_delta(
    masses: Mapping[Fraction, int],
    *,
    block: Number,
    epsilon: Grid,
    steps: Number = ...,
    relative_width: Number = ...,
) -> tuple[Enclosure, ...]: ...


def blocks_delta(
    masses: Mapping[Fraction, int],
    *,
    block: Number,
    epsilon: Number | Grid,
    steps: Number = 1,
    relative_width: Number = "1e-12",
) -> Enclosure | tuple[Enclosure, ...]:
    """Return E D_N(ε), the δ of a random number of uniform blocks.

    Args:
        masses: How many records have each block mass, from 0 to 1. A record counts with that
            probability, independently of the others.
        block: m, the points of a block, from 2.
        epsilon: At least 0, exactly as typed; or a list, tuple or 1-D array of such.
        steps: q, the shift in distances of the points of a block.
        relative_width: Width of an enclosure over its magnitude that is worked for, from 1e-300 to
            below 1. For fewer than 400 records it is reached, elsewhere down to about 1e-12; an
            enclosure is as wide as it is, and never wrong. Beyond some ten thousand records it has
            three digits, or says that δ is next to nothing.

    Returns:
        One for each ε, within [0, 1].

    Raises:
        InvalidArgument: If an argument is out of range.
        TooLarge: If floats are too short here, and there are 400 records or more.

    >>> print(blocks_delta({Fraction(4, 5): 100}, block=10, epsilon="0.1"))
    0.00007470075
    >>> print(blocks_delta({Fraction(1): 1}, block=2, epsilon=0))
    0.5
    """
    size = integer("block", block, least=2, most=MOST_BLOCK)
    width = rational("relative_width", relative_width, least=Fraction(1, 10**300), below=1)
    exponents = [rational("epsilon", value, least=0) for value in each("epsilon", epsilon)]
    shift = integer("steps", steps, least=1, most=MOST_BLOCK)
    answers = _answers(counted(masses), size, shift, exponents, width)
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
    """Return the least ε at which E D_N(ε) is at most δ.

    Args:
        masses, block, steps: As for :func:`blocks_delta`.
        delta: From 0 to 1, exactly as typed.
        relative_width: Width of the enclosure over its magnitude that is worked for.
        parts: Compare δ by :func:`blocks_between` in so many parts: quick, and less narrow.

    Returns:
        Enclosure: Infinite if δ is less than what no ε can undo: the chance that no record shows
        its block, and more.

    Raises:
        InvalidArgument: If an argument is out of range.
        TooLarge: If there are more records than can be gone through.

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
        return [
            True
            if Fraction(value.upper) <= target
            else False
            if Fraction(value.lower) > target
            else None
            for value in deltas
        ]

    low, high = Fraction(0), Fraction(1)
    ends = meets([low, high])
    if not ends[1]:
        # Precision costs with ε: the largest is asked for only where it has to be.
        high = Fraction(_LARGEST)
        ends = [ends[0], *meets([high])]
    if ends[0]:
        return Enclosure.exactly(0)
    if not ends[1]:
        return Enclosure(
            Decimal(0) if ends[1] is None else Decimal("Infinity"), Decimal("Infinity")
        )
    # Where all ε come at the price of one, many are looked at together.
    cuts = 2 if parts is not None else 12
    while high - low > width * high:
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
    return Enclosure(Enclosure.exactly(low).lower, Enclosure.exactly(high).upper)


_LARGEST = 10_000
"""Beyond this ε nothing changes that a decimal shows."""


def counted(masses: Mapping[Fraction, int]) -> dict[Fraction, int]:
    """Return how many records have each block mass, those with none left out.

    Raises:
        InvalidArgument: If a mass is outside [0, 1] or a number of records is not whole.
    """
    counts: dict[Fraction, int] = {}
    for mass, count in masses.items():
        share = rational("block mass", mass, least=0, most=1)
        number = integer(f"records of block mass {share}", count, least=0, most=MOST_EQUAL)
        if share and number:
            counts[share] = counts.get(share, 0) + number
    return counts


def _answers(
    masses: Mapping[Fraction, int],
    size: int,
    shift: int,
    exponents: Sequence[Fraction],
    width: Fraction,
) -> list[Enclosure]:
    if not masses:
        return [Enclosure.exactly(1)] * len(exponents)
    number = IndependentSum(
        [FiniteLattice.bernoulli(mass) for mass in masses], counts=list(masses.values())
    )
    best = [_NOTHING] * len(exponents)
    for depth in _DEPTHS if _LONG else ():
        wide = [place for place, answer in enumerate(best) if answer.relative_width > width]
        try:
            answers = _in_floats(number, size, shift, [exponents[place] for place in wide], depth)
        except TooLarge:
            if depth > _DEPTHS[0]:
                return best
            parts = min(_PARTS[1], max(_PARTS[0], _MOST_SHARED // (len(exponents) or 1)))
            return list(
                blocks_between(masses, block=size, epsilon=exponents, parts=parts, steps=shift)
            )
        for place, answer in zip(wide, answers, strict=True):
            best[place] = min(
                best[place],
                answer,
                key=lambda enclosure: (enclosure.relative_width, enclosure.upper),
            )
        if all(answer.relative_width <= width for answer in best):
            return best
    wide = [place for place, answer in enumerate(best) if answer.relative_width > width]
    if number.points <= _FEW:
        answers = _in_balls(number, size, shift, [exponents[place] for place in wide], width)
        for place, answer in zip(wide, answers, strict=True):
            best[place] = answer
    elif not _LONG:
        raise TooLarge(
            f"{number.points - 1} records: floats have too few bits here for more than {_FEW - 1}"
        )
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

    D_j falls as j rises; the numbers of blocks are put into parts, and D_j taken at their ends.

    Args:
        masses, block, steps: As for :func:`blocks_delta`.
        epsilon: Each at least 0, exactly as typed.
        parts: How many parts, from 1; the enclosures are as wide as these make them.
        bits: Masses below 2^-bits are left out: a smaller δ is bounded from above only.

    >>> print(*blocks_between({Fraction(7, 10): 10**6}, block=30, epsilon=[0], parts=8))
    [0.00005506, 0.00005512]
    """
    size = integer("block", block, least=2, most=MOST_BLOCK)
    exponents = [rational("epsilon", value, least=0) for value in epsilon]
    shift = integer("steps", steps, least=1, most=MOST_BLOCK)
    number = integer("parts", parts, least=1, most=_MOST_PARTS)
    depth = integer("bits", bits, least=16, most=_DEPTHS[-1])
    counts = counted(masses)
    if not counts:
        return (Enclosure.exactly(1),) * len(exponents)
    blocks = IndependentSum(
        [FiniteLattice.bernoulli(mass) for mass in counts], counts=list(counts.values())
    )
    with working_bits(depth + _BITS):
        window = blocks.window(arb(2) ** -depth)
        first, last = int(blocks.origin) + window.start, len(window.masses) - 1
        stride = max(1, -(-last // number))
        ends = [*range(0, last, stride), last]
        lower, upper = [arb(0)] * len(exponents), [window.dropped] * len(exponents)
        # Up to each end, and from each end on; to the next one in both cases.
        before, after = [-1, *ends], [*ends[1:], last + 1]
        for end, previous, following in zip(ends, before, after, strict=False):
            until = sum(window.masses[previous + 1 : end + 1], arb(0))
            since = sum(window.masses[end:following], arb(0))
            profile = uniform_profile(
                first + end, size, shift=shift, epsilons=exponents, bits=depth
            )
            for place, value in enumerate(profile):
                lower[place] += until * value
                upper[place] += since * value
        return tuple(
            Enclosure.from_arb(low.union(high), low=0, high=1)
            for low, high in zip(lower, upper, strict=True)
        )


@dataclass
class _Tally:
    """The sum over numbers of blocks, with a bound on its error, one entry for each ε."""

    sums: Long
    errors: Long

    def add(self, weight: np.longdouble, values: Long, errors: Long) -> None:
        """Add one number of blocks."""
        self.sums += weight * values
        self.errors += weight * (errors + 8 * _U * values)


def _in_floats(
    number: IndependentSum, size: int, shift: int, exponents: Sequence[Fraction], depth: int
) -> list[Enclosure]:
    """Return E D_N(ε), masses of total 2^-depth being left out at every turn."""
    with working_bits(_BITS):
        window = number.window(arb(2) ** -depth)
        first = int(number.origin) + window.start
        weights, off = _floats(window.masses)
        missing = _up(window.dropped) + off
        # e^ε and e^ε - 1 each from balls: the second from the first in floats would cancel.
        scales = _floats([as_arb(value).exp() for value in exponents], keep=True)[0]
        beyond = _floats([as_arb(value).expm1() for value in exponents], keep=True)[0]
        blocks = _Blocks.of(first, size, depth, first + len(weights) - 1)
    tally = _Tally(np.zeros(len(exponents), np.longdouble), np.zeros(len(exponents), np.longdouble))
    # What may still come, when a number of blocks has been dealt with.
    after = np.append(np.cumsum(weights[::-1])[::-1][1:], np.longdouble(0))
    remaining = np.zeros(len(exponents), np.longdouble)
    for place, weight in enumerate(weights):
        # The profile falls with the number of blocks, so that what follows is at most this times
        # the weight that remains.
        values, errors = blocks.profile(shift, scales, beyond)
        tally.add(weight, values, errors)
        remaining = after[place] * (values + errors)
        if bool((remaining <= _U * 2**16 * tally.sums).all()):
            break
        blocks.step()
    slack = tally.errors + (len(weights) + 16) * _U * tally.sums
    lower, upper = tally.sums - slack, tally.sums + slack + remaining * (1 + 64 * _U) + missing
    return [_enclosure(low, high) for low, high in zip(lower, upper, strict=True)]


class _Blocks:
    """The law of a sum of j uniform blocks, its left half, for rising j.

    Masses of the left half rise, and each is off by at most a relative ``error``; all masses that
    are left out, on either side, add up to at most ``lost``.
    """

    def __init__(
        self, count: int, size: int, start: int, masses: Long, error: np.longdouble, least: int
    ) -> None:
        self.count = count
        self._size = size
        self._start = start
        self._masses = masses
        self._error = error
        self._lost = np.longdouble(2) ** -least if count else np.longdouble(0)
        self._least = np.longdouble(2) ** -least

    @classmethod
    def of(cls, count: int, size: int, depth: int, last: int) -> _Blocks:
        """Return ``count`` blocks, for which up to ``last`` are wanted."""
        bits = depth + 64
        length = min((last * (size - 1)) // 2 + 1, ceil(2 * size * (last * bits) ** 0.5))
        if (last - count + 1) * length * size.bit_length() > _MOST_STEPS:
            raise TooLarge(
                f"{last} blocks of {size} points need about {(last - count + 1) * length:.1e} "
                "masses; take a shorter block"
            )
        if count == 0:
            return cls(0, size, 0, np.ones(1, np.longdouble), np.longdouble(0), bits)
        law = iid(FiniteLattice.from_counts(dict.fromkeys(range(size), 1)), count)
        window = law.window(arb(2) ** -bits)
        middle = (count * (size - 1)) // 2
        # The window's ends are known least accurately: they are left out, as all below them is.
        masses = window.masses[: middle - window.start + 1]
        begin = next(
            (i for i, mass in enumerate(masses) if mass > 0 and mass.rel_accuracy_bits() >= 72),
            len(masses) - 1,
        )
        left, off = _floats(masses[begin:], keep=True)
        blocks = cls(count, size, window.start + begin, left, 4 * _U, bits)
        blocks._lost = off + 2 * _up(
            sum((mass.abs_upper() for mass in masses[:begin]), window.dropped)
        )
        return blocks

    def step(self) -> None:
        """Go on to one block more."""
        size, count = self._size, self.count
        padded = np.concatenate(
            [np.zeros(size - 1, np.longdouble), self._until((count + 1) * (size - 1) // 2)]
        )
        # A sliding sum that subtracts what leaves the window would cancel in the tail; sums of
        # positive terms keep the relative error that this class promises.
        self._masses = _window_sums(padded, size)[size - 1 :] / size
        self.count += 1
        self._error += (size.bit_length() + size.bit_count()) * _U
        # What lies outside both halves is as little as this, at each step anew.
        small = int(np.searchsorted(self._masses, self._least, side="right"))
        if small:
            self._lost += 2 * self._masses[:small].sum() * (1 + small * _U) * (1 + self._error)
            self._masses = self._masses[small:]
            self._start += small

    def _until(self, last: int) -> Long:
        """Return the masses from the first that is kept to ``last``, beyond the middle or not."""
        places = np.arange(self._start + len(self._masses), last + 1, dtype=np.int64)
        mirrored = self.count * (self._size - 1) - places - self._start
        right = np.where(mirrored >= 0, self._masses[np.maximum(mirrored, 0)], np.longdouble(0))
        return np.concatenate([self._masses, right])

    def profile(self, shift: int, scales: Long, beyond: Long) -> tuple[Long, Long]:
        """Return D_j where e^ε and e^ε - 1 are given, and bounds on the errors.

        An event x <= t is worst, with the last t at which the mass is at least e^ε times the one
        ``shift`` before. Where rounding leaves it open which that is, the masses in doubt count as
        error. It never lies more than half a shift beyond the middle.
        """
        width = self.count * (self._size - 1)
        if width < shift:
            return np.ones(len(scales), np.longdouble), np.zeros(len(scales), np.longdouble)
        masses = self._until((width + shift) // 2)
        sums, added = _cumulate(masses)
        heads = _window_sums(masses, shift)
        # Ratios fall with the point; here they rise. Of the first points they are infinite.
        later, earlier = masses[shift:], masses[: len(masses) - shift]
        ratios = later[::-1] / earlier[::-1]
        # A ratio of two masses is off by the errors of both, and by the division.
        margin = 4 * self._error + 8 * _U
        over = len(ratios) - np.searchsorted(ratios, scales, side="left")
        doubtful = np.zeros(len(scales), np.longdouble)
        if len(ratios):
            within, outside = np.maximum(over, 1) - 1, np.minimum(over, len(ratios) - 1)
            close = (ratios[-1 - within] < scales * (1 + margin)) & (over > 0)
            close |= (ratios[-1 - outside] > scales * (1 - margin)) & (over < len(ratios))
            near = len(ratios) - np.searchsorted(ratios, scales[close] * (1 - margin), side="left")
            doubtful[close] = margin * sums[np.minimum(near + shift, len(masses)) - 1]
        last = np.minimum(over + shift, len(masses)) - 1
        before = np.where(over > 0, sums[np.maximum(last - shift, 0)], np.longdouble(0))
        shifted = np.where(over > 0, beyond * before, np.longdouble(0))
        head = heads[last]
        roundings = added + shift.bit_length() + shift.bit_count() + 8
        off = (self._error + roundings * _U) * (head + 2 * shifted)
        lost = np.where(over > 0, scales, np.longdouble(1)) * self._lost
        return head - shifted, (off + 2 * doubtful) * (1 + 64 * _U) + lost


def _window_sums(values: Long, size: int) -> Long:
    """Return the sum of each value and the ``size - 1`` before it, from positive terms alone.

    >>> _window_sums(np.arange(5, dtype=np.longdouble), 3).astype(float).tolist()
    [0.0, 1.0, 3.0, 6.0, 9.0]
    """
    sums, width = values, 1
    for bit in bin(size)[3:]:
        doubled = sums.copy()
        doubled[width:] += sums[:-width]
        sums, width = doubled, 2 * width
        if bit == "1":
            longer = sums.copy()
            longer[width:] += values[:-width]
            sums, width = longer, width + 1
    return sums


def _cumulate(values: Long) -> tuple[Long, int]:
    """Return the sums of the values up to each, and by how many roundings one is off at most.

    Sums of rows first, then of their totals: fewer roundings than one after the other.

    >>> sums, roundings = _cumulate(np.arange(10, dtype=np.longdouble))
    >>> sums.astype(float).tolist(), roundings
    ([0.0, 1.0, 3.0, 6.0, 10.0, 15.0, 21.0, 28.0, 36.0, 45.0], 8)
    """
    width = isqrt(len(values)) + 1
    rows = -(-len(values) // width)
    padded = np.zeros(rows * width, np.longdouble)
    padded[: len(values)] = values
    within = np.cumsum(padded.reshape(rows, width), axis=1)
    before = np.concatenate([[np.longdouble(0)], np.cumsum(within[:-1, -1])])
    return (within + before[:, None]).reshape(-1)[: len(values)], rows + width + 1


def _in_balls(
    number: IndependentSum, size: int, shift: int, exponents: Sequence[Fraction], width: Fraction
) -> list[Enclosure]:
    """Return E D_N(ε) from the certified profile of each number of blocks."""
    digits = max(25, ceil(-log10(width)) + 4)
    block = FiniteLattice.from_counts(dict.fromkeys(range(size), 1))
    with working_bits(4 * digits + 64):
        window = number.window(arb(0))
        totals = [arb(0)] * len(exponents)
        for count, weight in enumerate(window.masses, int(number.origin) + window.start):
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


def _floats(balls: Sequence[arb], *, keep: bool = False) -> tuple[Long, np.longdouble]:
    """Return the middles of balls as floats of 64 bits, and what their radii add up to.

    A float is off by at most a relative 2^-63 beside that. Balls of less than 72 accurate bits
    become 0, which counts as well, unless all are to be kept.
    """
    floats = np.zeros(len(balls), np.longdouble)
    off = np.longdouble(0)
    for place, ball in enumerate(balls):
        if keep or ball.rel_accuracy_bits() >= 72:
            mantissa, exponent = ball.mid().man_exp()
            number, power = int(mantissa), int(exponent)
            excess = max(number.bit_length() - 64, 0)
            number >>= excess
            high, low = np.longdouble(number >> 32), np.longdouble(number & 0xFFFFFFFF)
            floats[place] = np.ldexp(high * np.longdouble(2**32) + low, power + excess)
        else:
            off += _up(ball.abs_upper())
    return floats, off


def _up(ball: arb) -> np.longdouble:
    """Return a float at least as large as a ball of numbers from 0."""
    top, _ = _floats([ball.upper()], keep=True)
    return np.longdouble(top[0] * (1 + 4 * _U))


def _enclosure(low: np.longdouble, high: np.longdouble) -> Enclosure:
    """Return the enclosure of two floats of 64 bits, within [0, 1]."""
    ends = []
    for end in (max(low, np.longdouble(0)), min(max(high, np.longdouble(0)), np.longdouble(1))):
        mantissa, power = np.frexp(end)
        significand = int(np.ldexp(mantissa, 64))
        ends.append(arb(significand) * arb(2) ** (int(power) - 64))
    with working_bits(_BITS):
        return Enclosure.from_arb(ends[0].union(ends[1]), low=0, high=1)


__all__ = ["blocks_between", "blocks_delta", "blocks_epsilon", "counted"]
