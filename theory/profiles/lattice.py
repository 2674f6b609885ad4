"""The privacy profile of any lattice law, from the balls of its masses.

The points are sorted once by their likelihood ratio, with prefix sums of both laws along the
order. At each ε a prefix surely belongs to the worst event and its contribution comes from the
sums; the few points whose ratio lies within the rounding margin of e^ε are weighed ball by ball,
and one whose sign stays open contributes an interval from 0. Nothing here assumes the ratio to be
monotone in the point.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import accumulate
from typing import Protocol

import numpy as np
from flint import arb
from numpy.typing import NDArray

from kproof.theory.laws import LatticeLaw, Window
from kproof.theory.profiles.exact_masses import rational_masses
from kproof.theory.profiles.side import ProfilePoint, Side

ACCURATE_BITS = 40
"""A mass known less accurately than this counts as dropped until the precision has risen."""
_MARGIN = 2.0**-36
"""Bounds the error of a float log ratio of two accurate masses, beside its own rounding."""


class ExactPair(Protocol):
    """Two laws in rational masses, where a tie has to be decided."""

    def limit(self) -> Fraction:
        """Return the mass that the first has at values that the second never takes."""

    def total_variation(self) -> Fraction:
        """Return the largest difference of probabilities of one event."""


@dataclass(frozen=True, slots=True)
class Ordered(Side):
    """One direction: pairs (u, v) of masses of P and Q by falling u/v, and what stands alone."""

    ratios: NDArray[np.float64]
    """-ln(u/v) as floats, ascending, shape (pairs,)."""
    gains: Sequence[arb]
    losses: Sequence[arb]
    """The u and the v in that order."""
    gained: Sequence[arb]
    lost: Sequence[arb]
    """Their sums before each position, one longer; ``gained`` starts with the mass that P has
    where Q has none."""
    dropped: arb
    """Upper bound on the mass that is in no pair and does not stand alone."""
    exact: Callable[[], ExactPair | None]
    """Works out both laws as rationals, where they are within reach."""

    def at(self, epsilons: Sequence[arb]) -> list[ProfilePoint]:
        """Return the profile at each ε."""
        largest = np.abs(self.ratios[[0, -1]]).max() if self.ratios.size else 0.0
        margin = _MARGIN + (1 + largest) * 2.0**-48
        # Beyond the largest ratio all ε are alike, and an ε may be too large for a float.
        levels = np.array([-min(float(epsilon.mid()), largest + 1) for epsilon in epsilons])
        sure = np.searchsorted(self.ratios, levels - margin, side="left")
        possible = np.searchsorted(self.ratios, levels + margin, side="right")
        places = zip(epsilons, sure, possible, strict=True)
        return [self._value(epsilon.exp(), int(i), int(j)) for epsilon, i, j in places]

    def _value(self, scale: arb, first: int, last: int) -> ProfilePoint:
        delta = self.gained[first] - scale * self.lost[first]
        # Floats put the pairs in order; of those too near to ε for them the balls decide.
        for i in range(first, last):
            delta += (self.gains[i] - scale * self.losses[i]).max(arb(0))
        if not self.dropped.is_zero():
            # The kept masses miss d in all, so P - e^ε Q exceeds what they make of it by at most d
            # and falls short of it by at most e^ε d, summed over any event.
            delta = (delta - scale * self.dropped).union(delta + self.dropped)
        return ProfilePoint(delta, self.lost[first])

    def limit(self) -> arb:
        """Return the mass that the other law cannot reach."""
        alone = self.gained[0]
        # A mass counts as alone where only its partner was dropped: with any dropped, none may be.
        return alone if self.dropped.is_zero() else arb(0).union(alone + self.dropped)

    def knee(self) -> arb:
        """Return the logarithm of the largest finite ratio."""
        if not self.ratios.size:
            return arb.neg_inf()
        top = self.ratios[0]
        # Twice: of two ratios that are compared both floats are off.
        margin = 2 * (_MARGIN + abs(top) * 2.0**-48)
        near = int(np.searchsorted(self.ratios, top + margin, side="right"))
        knee = self.gains[0] / self.losses[0]
        for i in range(1, near):
            knee = knee.max(self.gains[i] / self.losses[i])
        return knee.log()

    def exact_limit(self) -> Fraction | None:
        """Return the limit if the law's masses are rationals within reach."""
        exact = self.exact()
        return exact.limit() if exact else None

    def exact_start(self) -> Fraction | None:
        """Return the value at ε = 0 if the law's masses are rationals within reach."""
        exact = self.exact()
        return exact.total_variation() if exact else None


@dataclass(frozen=True, slots=True)
class Shifted:
    """Rational masses by value, against themselves shifted."""

    masses: Mapping[Fraction, Fraction]
    shift: Fraction

    def limit(self) -> Fraction:
        """Return the mass at values that the shifted law never takes."""
        alone = (m for x, m in self.masses.items() if x - self.shift not in self.masses)
        return sum(alone, start=Fraction(0))

    def total_variation(self) -> Fraction:
        """Return the largest difference of probabilities of one event."""
        none = Fraction(0)
        pairs = ((m, self.masses.get(x - self.shift, none)) for x, m in self.masses.items())
        return sum((max(p - q, none) for p, q in pairs), start=none)


def lattice_sides(law: LatticeLaw, steps: int, tail: int | None) -> tuple[Ordered, Ordered]:
    """Return both directions, up then down, at the working precision.

    The shift is ``steps`` >= 1 lattice steps. Points of total mass up to 2^-tail may be left out;
    a tail of None keeps them all.
    """
    window = law.window(arb(0) if tail is None else arb(2) ** -tail)
    accurate, dropped = _accurate(window)
    nothing: list[arb | None] = [None] * min(steps, len(accurate))
    from_below, from_above = nothing + accurate[:-steps], accurate[steps:] + nothing
    pairs = [(u, v) for u, v in zip(accurate, from_below, strict=True) if u and v]
    logs = np.array([float((u / v).log().mid()) for u, v in pairs], dtype=np.float64)
    order = np.argsort(-logs, kind="stable")
    gains, losses = [pairs[i][0] for i in order], [pairs[i][1] for i in order]
    falling = -logs[order]
    masses = cache(partial(rational_masses, law))

    def shift_by(offset: int) -> Shifted | None:
        terms = masses()
        return None if terms is None else Shifted(terms, law.step * offset)

    ours, theirs = _alone(accurate, from_below), _alone(accurate, from_above)
    up, down = partial(shift_by, steps), partial(shift_by, -steps)
    return (
        in_order(falling, gains, losses, ours, dropped, up),
        in_order(-falling[::-1], losses[::-1], gains[::-1], theirs, dropped, down),
    )


def _accurate(window: Window) -> tuple[list[arb | None], arb]:
    """Return the masses that are known accurately, and a bound on all others together."""
    masses: list[arb | None] = []
    dropped = window.dropped
    for mass in window.masses:
        accurate = mass > 0 and mass.rel_accuracy_bits() >= ACCURATE_BITS
        masses.append(mass if accurate else None)
        if not accurate and not mass.is_zero():
            dropped = dropped + mass.abs_upper()
    return masses, dropped


def _alone(masses: list[arb | None], moved: list[arb | None]) -> arb:
    return sum((u for u, v in zip(masses, moved, strict=True) if u and not v), arb(0))


def in_order(
    ratios: NDArray[np.float64],
    gains: list[arb],
    losses: list[arb],
    alone: arb,
    dropped: arb,
    exact: Callable[[], ExactPair | None],
) -> Ordered:
    """Return one direction from pairs that are in order already, with their sums."""
    gained = list(accumulate(gains, initial=alone))
    lost = list(accumulate(losses, initial=arb(0)))
    return Ordered(ratios, gains, losses, gained, lost, dropped, exact)
