"""Pairs of laws: what one release looks like in the two worlds that it must not tell apart.

P is the law in the first world and Q in the second. A pair lists its atoms on request, at the
working precision in force, so that every question is answered at the precision it needs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isqrt, log, sqrt
from typing import ClassVar

from flint import arb

from kproof.errors import InvalidArgument
from kproof.theory.exact import as_arb, use_bits
from kproof.theory.laws import LatticeLaw, Law, Normal
from kproof.theory.losses.atoms import Atoms, RationalAtoms, match_atoms, rational_pair
from kproof.theory.profiles.exact_masses import rational_masses
from kproof.theory.profiles.gaussian import normal_cdf

CELLS = 1 << 13
"""Cells that a normal law is cut into where no closed form is at hand."""
FEW = 512
"""Points up to which atoms are merged exactly before they become balls."""
_REACH = 38
"""Standard deviations that the cells cover at most; Φ(-38) < 1e-315."""


class Pair(ABC):
    """The laws of one release in two worlds."""

    @property
    @abstractmethod
    def name(self) -> str:
        """One line for tables and JSON."""

    @property
    @abstractmethod
    def points(self) -> int:
        """How many points the larger of the two supports may span."""

    @abstractmethod
    def sides(self, tail: int | None) -> tuple[Atoms, Atoms]:
        """Return the atoms of P against Q, and of Q against P, at the working precision.

        Points of total mass up to 2^-tail may be left out; a tail of None keeps all of them.
        """

    @property
    def kinds(self) -> int:
        """How many atoms there are at most, those of equal likelihood ratio together."""
        exact = self.exact() if self.points <= FEW else None
        return len(exact.masses) if exact else self.points

    @property
    def discrete(self) -> bool:
        """Whether the atoms are points rather than cells of a density."""
        return True

    @property
    def is_bounded(self) -> bool:
        """Whether the largest loss is that of a point that is listed."""
        return self.discrete

    @property
    def equal(self) -> bool:
        """Whether both laws are surely the same, so that nothing is lost."""
        exact = self.exact() if self.points <= FEW else None
        return exact is not None and all(p == q for p, q in exact.masses)

    def exact(self) -> RationalAtoms | None:
        """Return the masses as rationals, where they are within reach."""
        return None

    def group(self, size: int) -> Pair:
        """Return the pair for ``size`` victims in place of one; refused where it does not tell."""
        if size == 1:
            return self
        raise InvalidArgument(
            "size", size, f"1: {self.name} does not tell what a second victim would change"
        )


@dataclass(frozen=True, slots=True)
class LawPair(Pair):
    """A lattice law against another one, or itself, moved up by a shift of any sign."""

    first: LatticeLaw
    second: LatticeLaw
    shift: Fraction

    @property
    def name(self) -> str:
        """Both laws, or the law and its shift."""
        if self.first is self.second:
            return f"{self.first.name}, shift {self.shift}"
        moved = f" + {self.shift}" if self.shift else ""
        return f"{self.first.name} against {self.second.name}{moved}"

    @property
    def points(self) -> int:
        """Points of the larger support."""
        return max(self.first.points, self.second.points)

    @property
    def equal(self) -> bool:
        """Whether both laws are surely the same."""
        # `super()` would look for the class that `slots=True` has replaced.
        return not self.shift if self.first is self.second else Pair.equal.__get__(self)

    def sides(self, tail: int | None) -> tuple[Atoms, Atoms]:
        """Return both directions."""
        exact = self.exact() if self.points <= FEW else None
        up = exact.balls() if exact else match_atoms(self.first, self.second, self.shift, tail)
        return up, up.swap()

    def exact(self) -> RationalAtoms | None:
        """Return the masses as rationals, points of equal likelihood ratio together."""
        first = rational_masses(self.first)
        second = first if self.first is self.second else rational_masses(self.second)
        if first is None or second is None:
            return None
        return rational_pair(first, second, self.shift).merge()

    def group(self, size: int) -> LawPair:
        """Return the law against itself, moved ``size`` times as far."""
        if size > 1 and self.first is not self.second:
            need = "1: two laws that differ by more than a shift are about one victim"
            raise InvalidArgument("size", size, need)
        return LawPair(self.first, self.second, size * self.shift)


@dataclass(frozen=True, slots=True)
class TablePair(Pair):
    """Two tables of rational probabilities over the same outcomes, which may be anything."""

    outcomes: tuple[Hashable, ...]
    masses: RationalAtoms

    @property
    def name(self) -> str:
        """The number of outcomes."""
        return f"two tables over {len(self.outcomes)} outcomes"

    @property
    def points(self) -> int:
        """The number of outcomes."""
        return len(self.outcomes)

    def sides(self, tail: int | None) -> tuple[Atoms, Atoms]:
        """Return both directions, whatever the tail."""
        del tail
        up = self.masses.merge().balls()
        return up, up.swap()

    def exact(self) -> RationalAtoms:
        """Return the masses."""
        return self.masses.merge()


@dataclass(frozen=True, slots=True)
class NormalPair(Pair):
    """Two normal laws of one variance; only the distance of their means counts."""

    squared: Fraction
    """m² = s²/σ², which is rational when m need not be."""

    @property
    def name(self) -> str:
        """The noise, in units of the shift."""
        if self.equal:
            return "two equal normal laws"
        variance = 1 / self.squared
        sigma = Fraction(isqrt(variance.numerator), isqrt(variance.denominator))
        spread = f"sigma {sigma}" if sigma**2 == variance else f"variance {variance}"
        return f"normal noise of {spread} for a shift of 1"

    @property
    def equal(self) -> bool:
        """Whether the means are the same."""
        return not self.squared

    points: ClassVar[int] = CELLS
    discrete: ClassVar[bool] = False

    def sides(self, tail: int | None) -> tuple[Atoms, Atoms]:
        """Return the masses of cells of equal length.

        With P = N(0, 1) and Q = N(m, 1), ln(P/Q) = m²/2 - m x falls along the cells.
        """
        m = as_arb(self.squared).sqrt()
        ends, beyond = normal_cells(m, tail)
        masses = [normal_masses(ends, arb(0)), normal_masses(ends, m)]
        losses = [m * m / 2 - m * end for end in ends]
        spans = tuple((after, before) for before, after in pairwise(losses))
        up = Atoms(masses[0], masses[1], arb(0), beyond, arb(0), beyond, spans)
        return up, up.swap()

    def group(self, size: int) -> NormalPair:
        """Return the pair at ``size`` times the distance."""
        return NormalPair(self.squared * size**2)


@dataclass(frozen=True, slots=True)
class SampledPair(Pair):
    """A pair in which the victim's record is in the sample with some probability only."""

    pair: Pair
    """The pair for a victim who is surely in the sample."""
    rate: Fraction
    """The probability, 0 < rate < 1."""
    second: bool
    """Whether Q is the world with the victim's record; else P is."""

    @property
    def name(self) -> str:
        """The pair and the rate."""
        where = "" if self.second else ", the victim in the first world"
        return f"{self.pair.name}, on a Poisson sample at rate {self.rate}{where}"

    @property
    def points(self) -> int:
        """Points of the pair."""
        return self.pair.points

    @property
    def discrete(self) -> bool:
        """Whether the atoms of the pair are points."""
        return self.pair.discrete

    @property
    def is_bounded(self) -> bool:
        """Whether a point of the pair has its largest loss."""
        return self.pair.is_bounded

    def sides(self, tail: int | None) -> tuple[Atoms, Atoms]:
        """Return both directions."""
        up, down = self.pair.sides(tail)
        mixed = (down if self.second else up).sample(as_arb(self.rate))
        return (mixed.swap(), mixed) if self.second else (mixed, mixed.swap())

    def exact(self) -> RationalAtoms | None:
        """Return the masses as rationals, where those of the pair are."""
        masses = self.pair.exact()
        if masses is None:
            return None
        if self.second:
            return masses.swap().sample(self.rate).swap().merge()
        return masses.sample(self.rate).merge()


@dataclass(frozen=True, slots=True)
class LossesPair(Pair):
    """Laws of the privacy loss in each direction, as another library gives them.

    The two directions may belong to different pairs of laws: each of them dominates.
    """

    source: str
    up: tuple[tuple[Fraction, Fraction], ...]
    down: tuple[tuple[Fraction, Fraction], ...]
    """(loss, probability) under the law on the left, as the exact value of each float."""
    up_infinite: Fraction
    down_infinite: Fraction
    """Probability of an infinite loss."""

    @property
    def name(self) -> str:
        """The source."""
        return f"privacy loss from {self.source}"

    @property
    def points(self) -> int:
        """The number of losses."""
        return max(len(self.up), len(self.down))

    def sides(self, tail: int | None) -> tuple[Atoms, Atoms]:
        """Return both directions."""
        del tail
        return _of_losses(self.up, self.up_infinite), _of_losses(self.down, self.down_infinite)


def pair_of_shift(law: Law, shift: Fraction) -> Pair:
    """Return the pair of a lattice or normal law and itself moved up by a shift of any sign."""
    if isinstance(law, Normal):
        return NormalPair(shift**2 / law.exact_variance)
    if not isinstance(law, LatticeLaw):
        raise InvalidArgument("law", getattr(law, "name", law), "a lattice law or a normal law")
    return LawPair(law, law, shift)


def _of_losses(losses: tuple[tuple[Fraction, Fraction], ...], infinite: Fraction) -> Atoms:
    first = tuple(as_arb(mass) for _, mass in losses)
    second = tuple(as_arb(mass) * (-as_arb(loss)).exp() for loss, mass in losses)
    # What else Q has lies where P has nothing: a loss of minus infinity, which nobody lists. Floats
    # that are rounded up leave less than nothing of it.
    second_alone = (1 - sum(second, arb(0))).max(arb(0))
    return Atoms(first, second, as_arb(infinite), arb(0), second_alone, arb(0))


def normal_cells(farthest: arb, tail: int | None) -> tuple[list[arb], arb]:
    """Return ends of cells for unit normal laws with means from 0 to ``farthest``.

    The second value bounds the mass of each law beyond the cells, which is at most 2^-tail.
    """
    # 2Φ(-r) <= e^(-r²/2). Farther out than asked, rare large losses would only make the grid wide.
    # A hundredth more than the root, which is more than a float loses of it.
    reach = _REACH if tail is None else min(_REACH, sqrt(2 * log(2) * tail) + 0.01)
    width = (farthest + 2 * reach) / CELLS
    return [-reach + width * i for i in range(CELLS + 1)], (2 * normal_cdf(arb(-reach))).upper()


def normal_masses(ends: list[arb], mean: arb) -> tuple[arb, ...]:
    """Return the masses of N(mean, 1) between neighbouring ends, each from its nearer tail."""
    # The tail at distance t loses the digits of t², the difference of two tails at most ten: with
    # these bits some 70 remain, and the grid takes the 53 of a float.
    farthest = 1 + int(float((ends[-1] - ends[0]).abs_upper()))
    with use_bits(80 + 2 * farthest.bit_length()):
        root = arb(2).sqrt()
        places = [(end - mean) / root for end in ends]
        middle = sum(1 for place in places[1:-1] if place < 0)
        tails = [(z if i > middle else -z).erfc() / 2 for i, z in enumerate(places)]
        masses = [abs(before - after) for before, after in pairwise(tails)]
        # In the cell of the mean the ends have different tails: their difference is no mass.
        masses[middle] = 1 - tails[middle] - tails[middle + 1]
        return tuple(masses)
