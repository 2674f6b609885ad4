"""The atoms of a pair of laws, as balls: what both directions of a privacy loss are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import gcd

from flint import arb

from kproof.theory.exact.typed import as_arb
from kproof.theory.laws.base import LatticeLaw
from kproof.theory.profiles.lattice import ACCURATE_BITS


@dataclass(frozen=True, slots=True)
class Atoms:
    """Two laws P and Q on common points, at the working precision they were listed at."""

    first: tuple[arb, ...]
    second: tuple[arb, ...]
    """The masses of P and of Q at the points where both are positive, in the same order."""
    alone: arb
    """The mass of P where Q has none."""
    missing: arb
    """Upper bound on the mass of P at points that are not listed."""
    second_alone: arb
    second_missing: arb
    """The same with P and Q exchanged."""
    spans: tuple[tuple[arb, arb], ...] | None = None
    """Where an atom stands for a cell of a density: between which two numbers the log-likelihood
    ratio ln(P/Q) lies throughout the cell. None if the atoms are points."""

    def swap(self) -> Atoms:
        """Return the atoms with P and Q exchanged."""
        spans = self.spans and tuple((-high, -low) for low, high in self.spans)
        return Atoms(
            *(self.second, self.first, self.second_alone, self.second_missing),
            *(self.alone, self.missing, spans),
        )

    def largest_loss(self) -> arb:
        """Return the largest of ln(P/Q) over the listed points."""
        ratios = (u / v for u, v in zip(self.first, self.second, strict=True))
        return reduce(arb.max, (ratio.log() for ratio in ratios), arb.neg_inf())

    def sample(self, rate: arb) -> Atoms:
        """Return the atoms of rate·P + (1 - rate)·Q against Q, 0 < rate < 1.

        What Q has alone becomes common to both, so that afterwards only P can have more.
        """
        unsampled = 1 - rate
        first = [rate * u + unsampled * v for u, v in zip(self.first, self.second, strict=True)]
        second = list(self.second)
        spans = self.spans and [
            tuple((rate * end.exp() + unsampled).log() for end in span) for span in self.spans
        ]
        if not self.second_alone.is_zero():
            # Points that only Q had: all have the ratio 1 - rate now, so that one atom stands for
            # them.
            first.append(unsampled * self.second_alone)
            second.append(self.second_alone)
            if spans:
                spans = [*spans, (unsampled.log(), unsampled.log())]
        return Atoms(
            tuple(first),
            tuple(second),
            rate * self.alone,
            rate * self.missing + unsampled * self.second_missing,
            arb(0),
            self.second_missing,
            tuple((low, high) for low, high in spans) if spans else None,
        )


@dataclass(frozen=True, slots=True)
class RationalAtoms:
    """Two laws P and Q in rational masses: (mass of P, mass of Q) for each point."""

    masses: tuple[tuple[Fraction, Fraction], ...]

    def limit(self) -> Fraction:
        """Return the mass of P where Q has none."""
        return sum((p for p, q in self.masses if not q), start=Fraction(0))

    def total_variation(self) -> Fraction:
        """Return the largest difference of probabilities of one event."""
        return sum((max(p - q, Fraction(0)) for p, q in self.masses), start=Fraction(0))

    def swap(self) -> RationalAtoms:
        """Return the masses with P and Q exchanged."""
        return RationalAtoms(tuple((q, p) for p, q in self.masses))

    def sample(self, rate: Fraction) -> RationalAtoms:
        """Return rate·P + (1 - rate)·Q against Q."""
        return RationalAtoms(tuple((rate * p + (1 - rate) * q, q) for p, q in self.masses))

    def merge(self) -> RationalAtoms:
        """Return the atoms with those of equal likelihood ratio put together: no δ changes.

        >>> half = Fraction(1, 2)
        >>> RationalAtoms(((half, half), (half / 2, half), (half / 2, half * 0))).merge().masses
        ((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 4), Fraction(1, 2)), \
(Fraction(1, 4), Fraction(0, 1)))
        """
        sums: dict[Fraction | None, tuple[Fraction, Fraction]] = {}
        for p, q in self.masses:
            # None stands for an infinite ratio; a fraction is equal to another one exactly or not
            # at all.
            ratio = p / q if q else None
            p_before, q_before = sums.get(ratio, (Fraction(0), Fraction(0)))
            sums[ratio] = p_before + p, q_before + q
        return RationalAtoms(tuple(sums.values()))

    def balls(self) -> Atoms:
        """Return the atoms at the working precision."""
        shared = [(as_arb(p), as_arb(q)) for p, q in self.masses if p and q]
        first, second = zip(*shared, strict=True) if shared else ((), ())
        second_alone = self.swap().limit()
        return Atoms(first, second, as_arb(self.limit()), arb(0), as_arb(second_alone), arb(0))


class _Listed:
    """The masses of a lattice law by position, and what is known where none is listed."""

    def __init__(self, law: LatticeLaw, start: int, stride: int, tail: arb) -> None:
        self.start, self.stride, self.points = start, stride, law.points
        window = law.window(tail)
        self.known: dict[int, arb] = {}
        self.zeros: set[int] = set()
        self.missing = window.dropped
        for index, mass in enumerate(window.masses, start=window.start):
            place = start + index * stride
            if mass.is_zero():
                self.zeros.add(place)
            elif mass > 0 and mass.rel_accuracy_bits() >= ACCURATE_BITS:
                self.known[place] = mass
            else:
                # Of a mass that is hardly known no ratio is: as missing mass it only widens.
                self.missing += mass.abs_upper()

    def lacks(self, place: int) -> bool:
        """Say whether the law surely has no mass here."""
        index, off = divmod(place - self.start, self.stride)
        return bool(off) or not 0 <= index < self.points or place in self.zeros


def match_atoms(first: LatticeLaw, second: LatticeLaw, shift: Fraction, tail: int | None) -> Atoms:
    """Return the atoms of a law against another one, moved up by ``shift``.

    Points of total mass up to 2^-tail of each may be left out; a tail of None keeps all.
    """
    starts = first.origin, second.origin + shift
    # Both laws on one grid of whole numbers: whether two points are one is decided exactly.
    scale = 1
    for part in (*starts, first.step, second.step):
        scale = scale * part.denominator // gcd(scale, part.denominator)
    spare = arb(0) if tail is None else arb(2) ** -tail
    ours, theirs = (
        _Listed(law, int(start * scale), int(law.step * scale), spare)
        for law, start in zip((first, second), starts, strict=True)
    )
    shared = [place for place in ours.known if place in theirs.known]
    return Atoms(
        tuple(ours.known[place] for place in shared),
        tuple(theirs.known[place] for place in shared),
        *_alone_mass(ours, theirs),
        *_alone_mass(theirs, ours),
    )


def rational_pair(
    first: Mapping[Fraction, Fraction], second: Mapping[Fraction, Fraction], shift: Fraction
) -> RationalAtoms:
    """Return the same from exact masses by value."""
    none = Fraction(0)
    moved = {value + shift: mass for value, mass in second.items()}
    return RationalAtoms(
        tuple((first.get(x, none), moved.get(x, none)) for x in first.keys() | moved.keys())
    )


def _alone_mass(ours: _Listed, theirs: _Listed) -> tuple[arb, arb]:
    """Return what surely stands alone, and a bound on what is open."""
    alone, missing = arb(0), ours.missing
    for place, mass in ours.known.items():
        if place not in theirs.known:
            if theirs.lacks(place):
                alone += mass
            else:
                # It may have a partner that was not listed: then it is not alone, nor is its ratio
                # known.
                missing += mass.abs_upper()
    return alone, missing
