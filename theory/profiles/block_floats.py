"""E D_N(ε) in floats of 64 bits, with a bound on all that they lose.

The masses of j + 1 blocks are sums over m neighbours of those of j blocks. These sums have positive
terms only: every addition loses a relative 2^-64 at most, every mass that is left out itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isqrt
from typing import TypeAlias

import numpy as np
from flint import arb
from numpy.typing import NDArray

from kproof.errors import TooLarge
from kproof.theory.exact import Enclosure, as_arb, use_bits
from kproof.theory.laws import FiniteLattice, IndependentSum, iid

Long: TypeAlias = "NDArray[np.longdouble]"
_U = np.longdouble(2) ** -64
"""How far an operation on floats of 64 bits is off, relatively."""
LONG = np.finfo(np.longdouble).nmant >= 63
"""Whether floats have 64 bits here, and exponents that reach beyond 1e-4800."""
BITS = 160
_MOST_STEPS = 6_000_000_000
"""Most additions for one answer; some ten seconds."""


@dataclass
class _Tally:
    """The sum over numbers of blocks, with a bound on its error, one entry for each ε."""

    sums: Long
    errors: Long

    def add(self, weight: np.longdouble, values: Long, errors: Long) -> None:
        """Add one number of blocks."""
        self.sums += weight * values
        self.errors += weight * (errors + 8 * _U * values)


def in_floats(
    number: IndependentSum, size: int, shift: int, exponents: Sequence[Fraction], depth: int
) -> list[Enclosure]:
    """Return E D_N(ε), masses of total 2^-depth being left out at every turn."""
    with use_bits(BITS):
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
    # Added up from the end: a total minus what has gone would cancel.
    after = np.append(np.cumsum(weights[::-1])[::-1][1:], np.longdouble(0))
    remaining = np.zeros(len(exponents), np.longdouble)
    for place, weight in enumerate(weights):
        # The profile falls with the number of blocks, so that what follows is at most this times
        # the weight that remains.
        values, errors = blocks.profile(shift, scales, beyond)
        tally.add(weight, values, errors)
        remaining = after[place] * (values + errors)
        # What may still come is added to the upper end, and moves it by a relative 2^-48 at most.
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
        steps = (last - count + 1) * length
        if steps * size.bit_length() > _MOST_STEPS:
            need = f"{last} blocks of {size} points need about {steps:.1e} masses"
            raise TooLarge(f"{need}; take a shorter block")
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
        lower, loss = _floats(masses[begin:], keep=True)
        blocks = cls(count, size, window.start + begin, lower, 4 * _U, bits)
        # Twice: what is left out on the left is missing on the right as well, which mirrors it.
        blocks._lost = loss + 2 * _up(
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
        # Of a law with one mode the left half rises: whatever is small stands at its beginning.
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
    with use_bits(BITS):
        return Enclosure.from_arb(ends[0].union(ends[1]), low=0, high=1)
