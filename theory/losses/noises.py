"""Pairs of laws of noise that is no lattice law: Laplace, discrete Laplace, several normal laws.

With them stands the pair that an (ε, δ) guarantee amounts to when nothing else is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

from flint import arb

from kproof.theory.exact import as_arb
from kproof.theory.losses.atoms import Atoms
from kproof.theory.losses.pairs import CELLS, Pair, normal_cells, normal_masses

MOST_STEPS = 10_000
"""Largest sensitivity of discrete Laplace noise, in its steps: each has an atom."""


@dataclass(frozen=True, slots=True)
class LaplacePair(Pair):
    """A Laplace law against itself, moved by some multiple of its scale."""

    distance: Fraction
    """μ > 0: how far it is moved, over its scale. The loss lies between -μ and μ."""

    points: ClassVar[int] = CELLS
    discrete: ClassVar[bool] = False
    is_bounded: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """The noise, in units of the shift."""
        return f"Laplace noise of scale {1 / self.distance} for a shift of 1"

    def sides(self, tail: int | None) -> tuple[Atoms, Atoms]:
        """Return the half-lines on which the loss stands still, and cells between them.

        With P = L(0, 1), Q = L(μ, 1) the loss is μ up to 0, μ - 2x up to μ, and -μ from there on.
        """
        del tail
        mu = as_arb(self.distance)
        ends = [mu * i / CELLS for i in range(CELLS + 1)]
        # The masses of P and Q between two ends, (e^-a - e^-b)/2 and (e^(b-μ) - e^(a-μ))/2, without
        # the digits that the differences lose.
        share = -(-(mu / CELLS)).expm1() / 2
        first = [(-low).exp() * share for low in ends[:-1]]
        second = [(high - mu).exp() * share for high in ends[1:]]
        spans = [(mu - 2 * high, mu - 2 * low) for low, high in pairwise(ends)]
        half, far, none = arb(1) / 2, (-mu).exp() / 2, arb(0)
        up = Atoms(
            (half, *first, far), (far, *second, half), *(none,) * 4, ((mu, mu), *spans, (-mu, -mu))
        )
        return up, up.swap()

    def group(self, size: int) -> LaplacePair:
        """Return the pair at ``size`` times the distance."""
        return LaplacePair(self.distance * size)


@dataclass(frozen=True, slots=True)
class DiscreteLaplacePair(Pair):
    """The law on whole numbers in proportion to e^(-a|x|) against itself, moved by some steps."""

    rate: Fraction
    """a > 0."""
    steps: int
    """From 1 to :data:`MOST_STEPS`."""

    @property
    def name(self) -> str:
        """The parameters."""
        return f"discrete Laplace noise of rate {self.rate} for a shift of {self.steps}"

    @property
    def points(self) -> int:
        """One for each value that the loss can have."""
        return self.steps + 1

    def sides(self, tail: int | None) -> tuple[Atoms, Atoms]:
        """Return both directions; on either side of the two centres the loss stands still."""
        del tail
        a, s = as_arb(self.rate), self.steps
        outer = 1 / (1 + (-a).exp())
        inner = (a / 2).tanh()
        first = [outer, *(inner * (-a * x).exp() for x in range(1, s)), outer * (-a * s).exp()]
        up = Atoms(tuple(first), tuple(first[::-1]), *(arb(0),) * 4)
        return up, up.swap()


@dataclass(frozen=True, slots=True)
class GuaranteePair(Pair):
    """The most that a mechanism with pure ε and δ can tell: it tells all, or a coin of odds e^ε."""

    epsilon: Fraction
    delta: Fraction
    """Both at least 0, δ below 1."""

    points: ClassVar[int] = 4

    @property
    def name(self) -> str:
        """The parameters."""
        return f"a guarantee, epsilon = {self.epsilon}, delta = {self.delta}"

    def sides(self, tail: int | None) -> tuple[Atoms, Atoms]:
        """Return both directions, which are alike."""
        del tail
        odds, alone = as_arb(self.epsilon).exp(), as_arb(self.delta)
        more = (1 - alone) * odds / (1 + odds)
        less = (1 - alone) / (1 + odds)
        up = Atoms((more, less), (less, more), alone, arb(0), alone, arb(0))
        return up, up.swap()


@dataclass(frozen=True, slots=True)
class NormalsPair(Pair):
    """A normal law against a mixture of itself, moved up by several distances."""

    parts: tuple[tuple[Fraction, Fraction], ...]
    """(distance over the standard deviation, at least 0; weight, above 0); weights sum to 1."""

    points: ClassVar[int] = CELLS
    discrete: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """How many distances there are."""
        return f"normal noise for a random shift, one of {len(self.parts)}"

    def sides(self, tail: int | None) -> tuple[Atoms, Atoms]:
        """Return the masses of cells of equal length.

        ln(Q/P) is that of the mean of e^(c x - c²/2) over the distances c >= 0: it rises with x.
        """
        parts = [(as_arb(distance), as_arb(weight)) for distance, weight in self.parts]
        ends, beyond = normal_cells(as_arb(max(c for c, _ in self.parts)), tail)
        first = normal_masses(ends, arb(0))
        columns = [[weight * mass for mass in normal_masses(ends, c)] for c, weight in parts]
        second = tuple(sum(masses, arb(0)) for masses in zip(*columns, strict=True))
        losses = [
            -sum((weight * (c * x - c * c / 2).exp() for c, weight in parts), arb(0)).log()
            for x in ends
        ]
        spans = tuple((after, before) for before, after in pairwise(losses))
        up = Atoms(first, second, arb(0), beyond, arb(0), beyond, spans)
        return up, up.swap()
