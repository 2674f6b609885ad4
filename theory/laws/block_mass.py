"""Block masses: how much of a law is a mixture of uniform blocks, whatever the rest of it is.

A *block* of a shift s is the uniform law on m points ``x, x + s, ..., x + (m - 1) s``. The block
mass of a law is the largest total weight of blocks below it: the law is then, with that
probability, a random start plus a uniform block, and anything else otherwise. It is the one number
that the block bounds (:mod:`kproof.theory.theorems.blocks`) need of a record.

Which blocks fit is a linear program whose matrix has consecutive ones: a block of starting point i
uses points i to i + m - 1 of one residue class. Taking from left to right as much as fits is
optimal (raising an earlier start and lowering the next ones by as much breaks no constraint and
loses nothing), and by duality the optimum is m times the least mass of a set of points that meets
every m neighbours. Both are worked out in whole numbers; that they agree proves either.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from flint import arb

from kproof.errors import InvalidArgument
from kproof.notebooks import latex_value
from kproof.theory.exact import Number, integer, rational, use_bits
from kproof.theory.laws.base import LatticeLaw
from kproof.theory.laws.finite import FiniteLattice

MOST_BLOCK = 1 << 20
"""Most points of a block."""
_FINEST = 1 << 160
"""Masses that are no rationals are rounded down to multiples of one over this."""


@dataclass(frozen=True)
class BlockMass:
    """The block mass of a law, with what shows that it is reached and cannot be larger.

    >>> coin = FiniteLattice({0: "1/2", 1: "1/2"})
    >>> block_mass(coin, block=2).mass
    Fraction(1, 1)
    >>> die = FiniteLattice({face: "1/6" for face in range(1, 7)})
    >>> hidden = block_mass(die, block=4)
    >>> hidden.mass, hidden.starts, hidden.met
    (Fraction(2, 3), ((Fraction(1, 1), Fraction(2, 3)),), (Fraction(3, 1),))
    """

    block: int
    """m, the points of a block, at least 2."""
    shift: Fraction
    """s, the distance of its points, positive."""
    mass: Fraction
    """The total weight, from 0 to 1."""
    starts: tuple[tuple[Fraction, Fraction], ...] = field(repr=False)
    """The blocks that are below the law together: (first point, weight), weights above 0."""
    met: tuple[Fraction, ...] = field(repr=False)
    """Points of the law of which every block of ``shift`` holds one; m times their mass is
    ``mass``, so that no other choice of blocks weighs more."""
    largest: bool = True
    """Whether the masses were known exactly. Otherwise they were rounded down, and ``mass`` is a
    lower bound that is reached."""

    def _repr_latex_(self) -> str:
        relation = "=" if self.largest else r"\ge"
        return f"$b_{{{self.block}}} {relation} {latex_value(self.mass)}$"

    def proves(self, masses: Mapping[Fraction, Fraction]) -> bool:
        """Say whether blocks and points met prove the mass for a law with these masses.

        ``masses``: the probability of each value, none of them 0.
        """
        none = Fraction(0)
        used: dict[Fraction, Fraction] = defaultdict(Fraction)
        for start, weight in self.starts:
            for place in range(self.block):
                used[start + place * self.shift] += weight / self.block
        # A block of negative weight would make room for others under the law.
        below = all(weight > 0 for _, weight in self.starts) and all(
            weight <= masses.get(point, none) for point, weight in used.items()
        )
        reached = sum((weight for _, weight in self.starts), none) == self.mass
        # A point outside the law weighs nothing: it proves no less and no more.
        met = sum((masses.get(point, none) for point in self.met), none) * self.block
        return below and reached and met == self.mass and self._meets_all(masses)

    def _meets_all(self, masses: Mapping[Fraction, Fraction]) -> bool:
        """Say whether every block inside the support holds a point met."""
        met = set(self.met)
        return all(
            any(point + place * self.shift in met for place in range(self.block))
            for point in masses
            if all(point + place * self.shift in masses for place in range(self.block))
        )


def block_mass(law: LatticeLaw, *, block: Number, shift: Number = 1) -> BlockMass:
    """Return the largest total weight of uniform blocks below a law.

    Args:
        law: Of one record. Of tables of probabilities, columns included, and of counts the masses
            are exact; those of other laws are rounded down, and so is the answer.
        block: m, from 2.
        shift: s > 0.

    Returns:
        With mass 0 if no m points at distance s all have a positive probability.

    Raises:
        InvalidArgument: If an argument is out of range or the law is not on a lattice.
        TooLarge: If the law has more points than its budget.

    >>> from kproof.theory.laws import empirical
    >>> ages = empirical([20, 21, 21, 22, 30])
    >>> [str(block_mass(ages, block=m).mass) for m in (2, 3, 4)]
    ['4/5', '3/5', '0']
    >>> block_mass(ages, block=1)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: block = 1: need a whole number 2 <= block <= 1048576
    """
    size = integer("block", block, least=2, most=MOST_BLOCK)
    distance = rational("shift", shift, above=0)
    if not isinstance(law, LatticeLaw):
        raise InvalidArgument("law", getattr(law, "name", law), "a law on a lattice")
    masses, exact = _masses(law)
    return _largest(masses, size, distance, exact=exact)


def longest_block(law: LatticeLaw, *, shift: Number = 1) -> int:
    """Return the most points at distance ``shift`` in a row that all have positive probability.

    >>> longest_block(FiniteLattice({0: "1/4", 1: "1/4", 3: "1/4", 5: "1/4"}))
    2
    """
    masses, _ = _masses(law)
    return max(map(len, _runs(masses, rational("shift", shift, above=0))), default=0)


def _masses(law: LatticeLaw) -> tuple[dict[Fraction, Fraction], bool]:
    """Return the probabilities above 0 by value, and whether they are exact."""
    if isinstance(law, FiniteLattice):
        return dict(law.atoms), True
    with use_bits(192):
        window = law.window(arb(2) ** -256)
        lower = {}
        for place, mass in enumerate(window.masses, start=window.start):
            # Down: less mass weakens what is built on it, and more would make it false.
            units = (mass.lower() * _FINEST).floor().unique_fmpz() if mass > 0 else None
            lower[law.origin + law.step * place] = int(units or 0)
    return {point: Fraction(units, _FINEST) for point, units in lower.items() if units}, False


def _runs(masses: Mapping[Fraction, Fraction], shift: Fraction) -> list[list[Fraction]]:
    """Return the values in runs whose neighbours are ``shift`` apart, each as long as it gets."""
    runs = []
    for point in sorted(masses):
        # A run begins where nothing is one shift before, so that no point is walked over twice.
        if point - shift not in masses:
            run = [point]
            while run[-1] + shift in masses:
                run.append(run[-1] + shift)
            runs.append(run)
    return runs


def _largest(
    masses: Mapping[Fraction, Fraction], size: int, shift: Fraction, *, exact: bool
) -> BlockMass:
    scale = lcm(*(mass.denominator for mass in masses.values()))
    starts: list[tuple[Fraction, Fraction]] = []
    met: list[Fraction] = []
    total = 0
    for run in _runs(masses, shift):
        # Whole numbers, as packing subtracts and compares only: a Fraction takes a gcd each time.
        weights = [int(masses[point] * scale) for point in run]
        packing = _pack(weights, size)
        total += sum(packing)
        records = ((run[place], weight * size) for place, weight in enumerate(packing) if weight)
        starts += [(point, Fraction(weight, scale)) for point, weight in records]
        met += [run[place] for place in _least_hitting_set(weights, size)]
    return BlockMass(size, shift, Fraction(total * size, scale), tuple(starts), tuple(met), exact)


def _pack(weights: Sequence[int], size: int) -> list[int]:
    """Return how much to take of the ``size`` from each place on, all that fits from the left.

    >>> _pack([1, 2, 3, 1], 2)
    [1, 1, 1]
    """
    unpacked = list(weights)
    packing = []
    for start in range(len(weights) - size + 1):
        common = min(unpacked[start : start + size])
        packing.append(common)
        if common:
            for place in range(start, start + size):
                unpacked[place] -= common
    return packing


def _least_hitting_set(weights: Sequence[int], size: int) -> list[int]:
    """Return places of least weight of which every ``size`` in a row hold one.

    >>> _least_hitting_set([1, 2, 3, 1], 2)
    [1, 3]
    """
    if len(weights) < size:
        return []
    cost: list[int] = []
    before: list[int] = []
    for place, weight in enumerate(weights):
        # Between hits more than `size` places apart a whole block would fit that holds none.
        first = range(max(place - size, 0), place)
        best = min(first, key=cost.__getitem__, default=-1)
        # Before the first `size` places there is no block that would have to be met.
        if place < size:
            best = -1
        cost.append(weight + (cost[best] if best >= 0 else 0))
        before.append(best)
    last = range(len(weights) - size, len(weights))
    place = min(last, key=cost.__getitem__)
    places = []
    while place >= 0:
        places.append(place)
        place = before[place]
    return places[::-1]
