"""Products of pairs, atom by atom: exact composition where there are few atoms.

k equal releases whose atoms are m have C(k + m - 1, m - 1) different products: what counts is how
often each atom comes up. Randomized response composed a thousand times has 1,001.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from math import comb

import numpy as np
from flint import arb

from kproof.theory.losses.atoms import Atoms, RationalAtoms
from kproof.theory.profiles.lattice import ExactPair, Ordered, in_order

MOST_PRODUCTS = 1 << 13
"""Most atoms of a product that are enumerated."""

_MOST_RATIONAL_BITS = 1 << 22


def products_of(counts: Sequence[tuple[int, int]]) -> int:
    """Return how many atoms a product has, at most.

    Parameters
    ----------
    counts
        (atoms of a pair, how often it is composed) for each pair.

    Examples
    --------
    >>> products_of([(2, 1000)]), products_of([(100, 2), (3, 1)])
    (1001, 15150)
    """
    total = 1
    for atoms, times in counts:
        total *= comb(times + atoms - 1, times) if atoms else 0
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
    return Atoms(
        tuple(first),
        tuple(second),
        any_of((atoms.alone, times) for atoms, times in factors),
        any_of((atoms.missing, times) for atoms, times in factors),
        any_of((atoms.second_alone, times) for atoms, times in factors),
        any_of((atoms.second_missing, times) for atoms, times in factors),
    )


def any_of(chances: Iterator[tuple[arb, int]] | Sequence[tuple[arb, int]]) -> arb:
    """Return the probability that one of some independent events happens.

    Parameters
    ----------
    chances
        (probability, number of independent trials) for each kind of event.

    Examples
    --------
    >>> any_of([(arb(0.5), 2)])
    0.750000000000000
    """
    logs = arb(0)
    for chance, times in chances:
        if chance >= 1:
            return arb(1)
        if not chance.is_zero():
            logs += times * (-chance).log1p()
    return -logs.expm1()


def rational_product(factors: Sequence[tuple[RationalAtoms | None, int]]) -> ExactPair | None:
    """Return the product in rationals, None where that is out of reach."""
    found = [(Fraction(1), Fraction(1))]
    bits = 0
    for atoms, times in factors:
        if atoms is None:
            return None
        parts = atoms.masses
        kinds = comb(times + len(parts) - 1, times)
        bits += times * max(
            p.denominator.bit_length() + q.denominator.bit_length() for p, q in parts
        )
        if len(found) * kinds * bits > _MOST_RATIONAL_BITS:
            return None
        powers = [
            (
                ways * _product(parts[i][0] ** n for i, n in enumerate(ns) if n),
                ways * _product(parts[i][1] ** n for i, n in enumerate(ns) if n),
            )
            for ns, ways in _multinomials(len(parts), times)
        ]
        found = [(p * x, q * y) for p, q in found for x, y in powers]
    return RationalAtoms(tuple(found))


def ordered(atoms: Atoms, exact: Callable[[], ExactPair | None]) -> Ordered:
    """Return one direction of a profile from its atoms."""
    logs = np.array(
        [float((u / v).log().mid()) for u, v in zip(atoms.first, atoms.second, strict=True)],
        dtype=np.float64,
    )
    order = np.argsort(-logs, kind="stable").tolist()
    return in_order(
        -logs[order],
        [atoms.first[i] for i in order],
        [atoms.second[i] for i in order],
        atoms.alone,
        atoms.missing.max(atoms.second_missing),
        exact,
    )


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
    if kinds == 0:
        return
    if kinds == 1:
        yield (total,), 1
        return
    for first in range(total + 1):
        ways = comb(total, first)
        for rest, others in _multinomials(kinds - 1, total - first):
            yield (first, *rest), ways * others


def _product(values: Iterator[Fraction]) -> Fraction:
    found = Fraction(1)
    for value in values:
        found *= value
    return found
