"""The trade-off curve of a privacy loss (f-DP): how well anyone can tell two worlds apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import overload

from flint import arb

from kproof.theory.exact import Enclosure, Number, as_arb, rational
from kproof.theory.exact.precision import START_BITS, use_bits
from kproof.theory.profiles.input import Grid, each, is_grid

Point = tuple[arb, arb]


@dataclass(frozen=True, slots=True)
class TradeOff:
    """The least error of the second kind of any test of one world against the other.

    A test rejects the world that it tests, if that is the true one, with probability at most α
    (error of the first kind). The curve says how often, at least, it keeps that world when the
    other one is true (Dong, Roth, Su, *Gaussian differential privacy*, 2022). Tests may use
    chance.

    Write H(x) for the largest Q(O) - x P(O) over all events, x >= 0. With P the tested world the
    curve is sup 1 - H(x) - xα. H is convex and falls, H(0) = 1, H(e^ε) is the backward δ, and
    H(e^-ε) is 1 - e^-ε (1 - the forward δ). Each x gives a line that no test is below. Between two
    known points, H lies above the two lines that continue it from either side; so finitely many
    lines are above the curve as well.
    """

    epsilons: tuple[Fraction, ...]
    """The ε at which both directions were worked out, rising from 0."""
    forward: tuple[Enclosure, ...]
    """δ of the tested world against the other, at each ε."""
    backward: tuple[Enclosure, ...]
    """δ of the other world against the tested one, at each ε."""
    limit: Fraction
    """A number that ``backward`` does not fall below at any ε."""

    @overload
    def at(self, alpha: Number) -> Enclosure: ...
    @overload
    def at(self, alpha: Grid) -> tuple[Enclosure, ...]: ...

    def at(self, alpha: Number | Grid) -> Enclosure | tuple[Enclosure, ...]:
        """Return the error of the second kind at α in [0, 1], as wide as known points are apart."""
        levels = [rational("alpha", value, least=0, most=1) for value in each("alpha", alpha)]
        with use_bits(START_BITS):
            above, below = self._points(upper=True), self._points(upper=False)
            below = _corners(above, below, as_arb(self.limit))
            errors = []
            for level in map(as_arb, levels):
                error = _highest(above, level).lower().union(_highest(below, level).upper())
                errors.append(Enclosure.from_arb(error, low=0, high=1))
        return tuple(errors) if is_grid(alpha) else errors[0]

    def _points(self, *, upper: bool) -> list[Point]:
        """Return (x, an end of H(x)) by rising x, beginning with x = 0."""

        def end(delta: Enclosure) -> arb:
            return as_arb(Fraction(delta.upper if upper else delta.lower))

        scales = [as_arb(epsilon).exp() for epsilon in self.epsilons]
        forward = [
            (1 / scale, 1 - (1 - end(delta)) / scale)
            for scale, delta in zip(scales, self.forward, strict=True)
        ]
        backward = [(scale, end(delta)) for scale, delta in zip(scales, self.backward, strict=True)]
        # At ε = 0 both are the same point.
        return [(arb(0), arb(1)), *forward[::-1], *backward[1:]]

    def to_dict(self) -> dict[str, object]:
        """Return what the curve is made from."""
        curves = zip(self.epsilons, self.forward, self.backward, strict=True)
        profile = [
            {"epsilon": str(at), "forward": there.to_dict(), "backward": back.to_dict()}
            for at, there, back in curves
        ]
        return {"schema": 1, "profile": profile, "limit": str(self.limit)}


def _corners(above: Sequence[Point], below: Sequence[Point], limit: arb) -> list[Point]:
    """Return the corners of a function that H is not below, from points that H lies between.

    Between x and the next point H is at least the line through x and what is to its left, and at
    least the line through the next point and what is to its right. Wherever the two are cut, the
    left one serves up to there and the right one from there on; near where they meet is best.
    """
    xs, lows, highs = [x for x, _ in below], [y for _, y in below], [y for _, y in above]
    last = len(xs) - 1
    corners = list(below)
    for i, (start, end) in enumerate(pairwise(xs)):
        # Both as steep as H can be there: steeper than -1 it is nowhere.
        fall = (highs[i - 1] - lows[i]) / (start - xs[i - 1]) if i else arb(1)
        next_fall = arb(0)
        if i + 2 <= last:
            next_fall = ((lows[i + 1] - highs[i + 2]) / (xs[i + 2] - end)).max(arb(0))
        gap = lows[i] - lows[i + 1] - next_fall * (end - start)
        cut = _near_meeting(start, gap, fall - next_fall)
        corners.append(
            (cut, (lows[i] - fall * (cut - start)).min(lows[i + 1] + next_fall * (end - cut)))
        )
    fall = (highs[-2] - lows[-1]) / (xs[-1] - xs[-2])
    cut = _near_meeting(xs[-1], lows[-1] - limit, fall)
    corners.append((cut, (lows[-1] - fall * (cut - xs[-1])).min(limit)))
    return corners


def _near_meeting(start: arb, gap: arb, bend: arb) -> arb:
    """Return an exact number near the place where two lines meet; any would do."""
    return (start + gap / bend).mid() if gap > 0 and bend > 0 else start.mid()


def _highest(points: Sequence[Point], alpha: arb) -> arb:
    """Return the largest of 0 and 1 - y - xα over points (x, y)."""
    return reduce(arb.max, (1 - y - x * alpha for x, y in points), arb(0))
