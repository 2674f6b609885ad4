"""The trade-off curve of a privacy loss (f-DP): how well anyone can tell two worlds apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.precision import START_BITS, working_bits
from kproof.theory.exact.typed import Number, as_arb, rational
from kproof.theory.profiles.input import Grid, each, is_grid


@dataclass(frozen=True, slots=True)
class TradeOff:
    """The least error of the second kind of any test of one world against the other.

    A test rejects the first world at random with probability α at most, if that world is the true
    one (error of the first kind). The curve says how seldom, at best, it fails to reject when the
    second world is the true one (Dong, Roth, Su, *Gaussian differential privacy*, 2022). Both
    directions of the profile went into it, so it is the same for both worlds.

    Attributes
    ----------
    profile
        (ε, δ(ε)) as it was worked out, by rising ε, beginning with ε = 0.
    limit
        A lower bound on δ(ε) at every ε.
    """

    profile: tuple[tuple[Fraction, Enclosure], ...]
    limit: Enclosure

    def at(self, alpha: Number | Grid) -> Enclosure | tuple[Enclosure, ...]:
        """Return the error of the second kind at α.

        The lower end holds against every test: it is the largest of finitely many lines, two for
        each ε. The upper end is reached by some test: it is piecewise linear as well, between the
        lines that the profile's convexity in e^ε allows.

        Parameters
        ----------
        alpha
            From 0 to 1, or several such numbers.

        Raises
        ------
        InvalidArgument
            If a number is out of range.
        """
        levels = [rational("alpha", one, least=0, most=1) for one in each("alpha", alpha)]
        with working_bits(START_BITS):
            scales = [as_arb(epsilon).exp() for epsilon, _ in self.profile]
            highs = [arb(str(delta.upper)) for _, delta in self.profile]
            outer = list(zip(scales, highs, strict=True))
            inner = self._inner(scales)
            found = [
                Enclosure.from_arb(
                    _curve(outer, as_arb(level))
                    .lower()
                    .union(_curve(inner, as_arb(level)).upper()),
                    low=0,
                    high=1,
                )
                for level in levels
            ]
        return tuple(found) if is_grid(alpha) else found[0]

    def _inner(self, scales: Sequence[arb]) -> list[tuple[arb, arb]]:
        """Return the corners of a lower bound on δ as a function of e^ε.

        δ is convex in e^ε: beyond two points it lies above the line through them. Where the lines
        from the left and from the right meet is a corner.
        """
        lows = [arb(str(delta.lower)) for _, delta in self.profile]
        highs = [arb(str(delta.upper)) for _, delta in self.profile]
        limit = arb(str(self.limit.lower))
        count = len(scales)
        # Slopes of the extensions to the right and to the left of each point, as steep as can be.
        falls = [
            (highs[i - 1] - lows[i]) / (scales[i] - scales[i - 1]) if i else None
            for i in range(count)
        ]
        rises = [
            ((lows[i] - highs[i + 1]) / (scales[i + 1] - scales[i])).max(arb(0))
            if i + 1 < count
            else arb(0)
            for i in range(count)
        ]
        corners = []
        for i in range(count):
            corners.append((scales[i], lows[i].max(limit)))
            if i + 1 == count:
                break
            fall, rise = falls[i], rises[i + 1]
            start, end = scales[i], scales[i + 1]
            if fall is None:
                # Nothing to the left of ε = 0: only the line from the right bounds from below.
                corners.append((start, (lows[i + 1] + rise * (end - start)).max(limit)))
                continue
            gap = (lows[i] - lows[i + 1] - rise * (end - start)).max(arb(0))
            bend = fall - rise
            if bend > 0:
                place = (start + gap / bend).min(end)
                corners.append((place, (lows[i] - fall * (place - start)).max(limit)))
            else:
                corners.append((start, lows[i + 1]))
        last_fall = falls[-1]
        reach = arb(0)
        if last_fall is not None and last_fall > 0:
            reach = ((lows[-1] - limit) / last_fall).max(arb(0))
        return [*corners, (scales[-1] + reach, limit)]

    def to_dict(self) -> dict[str, object]:
        """Return the profile that the curve is made from."""
        return {
            "schema": 1,
            "profile": [
                {"epsilon": str(epsilon), "delta": delta.to_dict()}
                for epsilon, delta in self.profile
            ],
            "limit": self.limit.to_dict(),
        }


def _curve(corners: Sequence[tuple[arb, arb]], alpha: arb) -> arb:
    """Return the largest of max(0, 1 - δ - xα, (1 - δ - α)/x) over the corners (x, δ)."""
    best = arb(0)
    for scale, delta in corners:
        best = best.max(1 - delta - scale * alpha).max((1 - delta - alpha) / scale)
    return best
