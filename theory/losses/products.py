"""Products of pairs, atom by atom: exact composition where there are few atoms.

k equal releases whose atoms are m have C(k + m - 1, m - 1) different products: what counts is how
often each atom comes up. Randomized response composed a thousand times has 1,001.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from math import comb, prod
from operator import itemgetter

import numpy as np
from flint import arb

from kproof.theory.losses.atoms import Atoms, RationalAtoms
from kproof.theory.profiles.lattice import ACCURATE_BITS, ExactPair, Ordered, in_order

MOST_PRODUCTS = 1 << 13
"""Most atoms of a product that are enumerated."""
_MOST_RATIONAL_BITS = 1 << 22


def products_of(counts: Sequence[tuple[int, int]]) -> int:
    """Return how many atoms a product has, at most, from (atoms, times composed) of each pair.

    >>> products_of([(2, 1000)]), products_of([(100, 2), (3, 1)])
    (1001, 15150)
    """
    total = 1
    for atoms, times in counts:
        total *= comb(times + atoms - 1, times) if atoms else 0
        # Above every limit already: to go on would make huge numbers and decide nothing.
        if total > 1 << 64:
            break
    return total


def product(factors: Sequence[tuple[Atoms, int]]) -> Atoms:
    """Return the atoms of several pairs composed, each as often as told; no cells among them."""
    first, second = [arb(1)], [arb(1)]
    for atoms, times in factors:
        ours, theirs = _powers(atoms, times)
        first = [u * x for u in first for x in ours]
        second = [v * y for v in second for y in theirs]

    def mass(name: str) -> arb:
        return any_of([(getattr(atoms, name), times) for atoms, times in factors])

    outside = mass("alone"), mass("missing"), mass("second_alone"), mass("second_missing")
    return Atoms(tuple(first), tuple(second), *outside)


def any_of(kinds: Sequence[tuple[arb, int]]) -> arb:
    """Return the probability that some event happens, from (probability, independent trials).

    >>> any_of([(arb(0.5), 2)]).contains(arb(0.75))
    True
    """
    # Of each chance both ends, so that one that may be 1 leaves nothing undefined.
    ends = []
    for part in (arb.lower, arb.upper):
        logs = arb(0)
        for chance, times in kinds:
            end = part(chance)
            if end >= 1:
                logs = arb.neg_inf()
                break
            # By `log1p` and `expm1`: a chance of 2^-1000 is lost in 1 minus it.
            logs += times * (-end.max(arb(0))).log1p()
        ends.append(-logs.expm1())
    return ends[0].union(ends[1])


def rational_product(factors: Sequence[tuple[RationalAtoms | None, int]]) -> ExactPair | None:
    """Return the product in rationals, None where that is out of reach."""
    pairs = [(Fraction(1), Fraction(1))]
    bits = 0
    for atoms, times in factors:
        if atoms is None:
            return None
        ours, theirs = zip(*atoms.masses, strict=True)
        kinds = comb(times + len(ours) - 1, times)
        bits += times * max(
            p.denominator.bit_length() + q.denominator.bit_length() for p, q in atoms.masses
        )
        # Before the powers are made: they are what takes time and memory.
        if len(pairs) * kinds * bits > _MOST_RATIONAL_BITS:
            return None
        powers = [
            (ways * _product(ours, ns), ways * _product(theirs, ns))
            for ns, ways in _multinomials(len(ours), times)
        ]
        pairs = [(p * x, q * y) for p, q in pairs for x, y in powers]
    return RationalAtoms(tuple(pairs))


def order_atoms(atoms: Atoms, exact: Callable[[], ExactPair | None]) -> Ordered:
    """Return one direction of a profile; atoms of too inaccurate a ratio are dropped."""
    dropped = atoms.missing.max(atoms.second_missing)
    accurate: list[tuple[float, arb, arb]] = []
    for u, v in zip(atoms.first, atoms.second, strict=True):
        ratio = u / v
        if ratio.rel_accuracy_bits() >= ACCURATE_BITS:
            accurate.append((-float(ratio.log().mid()), u, v))
        else:
            dropped += u.abs_upper().max(v.abs_upper())
    # By the floats alone: of balls that overlap neither is the smaller one.
    accurate.sort(key=itemgetter(0))
    ratios, first, second = map(list, zip(*accurate, strict=True)) if accurate else ([], [], [])
    order = np.array(ratios, dtype=np.float64)
    return in_order(order, first, second, atoms.alone, dropped, exact)


def _powers(atoms: Atoms, times: int) -> tuple[list[arb], list[arb]]:
    """Return the atoms of one pair composed with itself."""
    if times == 1:
        return list(atoms.first), list(atoms.second)
    ours, theirs = (_tables(masses, times) for masses in (atoms.first, atoms.second))
    first, second = [], []
    for ns, ways in _multinomials(len(atoms.first), times):
        u, v = arb(ways), arb(ways)
        for i, n in enumerate(ns):
            if n:
                u *= ours[i][n]
                v *= theirs[i][n]
        first.append(u)
        second.append(v)
    return first, second


def _tables(masses: Sequence[arb], times: int) -> list[list[arb]]:
    """Return all powers that can occur of each mass."""
    return [
        list(accumulate([mass] * times, lambda power, base: power * base, initial=arb(1)))
        for mass in masses
    ]


def _multinomials(kinds: int, total: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield every way to write ``total`` as an ordered sum, and its multinomial coefficient."""
    if kinds < 2:
        yield from [((total,), 1)] * kinds
        return
    for first in range(total + 1):
        ways = comb(total, first)
        for tail, tail_ways in _multinomials(kinds - 1, total - first):
            yield (first, *tail), ways * tail_ways


def _product(masses: Sequence[Fraction], powers: Sequence[int]) -> Fraction:
    factors = (mass**n for mass, n in zip(masses, powers, strict=True) if n)
    return prod(factors, start=Fraction(1))
