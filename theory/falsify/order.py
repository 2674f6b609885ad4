"""What "small" means for a witness: one total order, and the moves that make a number smaller.

The order is lexicographic: fewer records, then a smaller k, then a smaller sum of heights
(numerator plus denominator) of all rationals, then the parameters as text. A number moves to its
ancestors in the tree of Stern and Brocot, each of which has a smaller height; a law of one record
moves to laws with a value less, with simpler masses, or with values nearer to 0.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

Atoms: TypeAlias = "tuple[tuple[Fraction, Fraction], ...]"
"""A law of one record: values with their probabilities, by rising value."""


def height(value: Fraction | int | None) -> int:
    """Return numerator plus denominator, the sign not counted; 0 for nothing at all.

    >>> height(Fraction(-2, 3)), height(7), height(None)
    (5, 8, 0)
    """
    return 0 if value is None else abs(value.numerator) + value.denominator


def ancestors(value: Fraction) -> list[Fraction]:
    """Return simpler rationals near a number: its ancestors in the Stern-Brocot tree and 0.

    On a long straight stretch of the tree, a large term of the continued fraction, only those at
    halving distances from its end are taken. A negative number mirrors its absolute value.

    >>> [str(simpler) for simpler in ancestors(Fraction(3, 10))]
    ['0', '1', '1/2', '1/3', '1/4', '2/7']
    >>> [str(simpler) for simpler in ancestors(Fraction(-2))]
    ['0', '-1']
    """
    size, sign = abs(value), -1 if value < 0 else 1
    terms: list[int] = []
    near = {Fraction(0)}
    remainder = size
    # The continued fraction of a rational is finite, which ends the loop.
    while True:
        term = remainder.numerator // remainder.denominator
        near.update(_fraction_of_terms([*terms, last]) for last in (*wholes(term, 1), term))
        terms.append(term)
        if remainder == term:
            break
        remainder = 1 / (remainder - term)
    simpler = (sign * candidate for candidate in near if height(candidate) < height(size))
    return sorted(simpler, key=lambda candidate: (height(candidate), candidate))


def _fraction_of_terms(terms: list[int]) -> Fraction:
    """Return the value of a continued fraction."""
    value = Fraction(terms[-1])
    for term in reversed(terms[:-1]):
        value = term + 1 / value
    return value


def wholes(value: int, least: int) -> Iterator[int]:
    """Yield smaller whole numbers worth trying, none below ``least``.

    >>> list(wholes(9, 1)), list(wholes(1, 1))
    ([1, 5, 7, 8], [])
    """
    # Halving steps, so that a large number comes down fast; the last of them is 1.
    steps = {value - (value >> power) for power in range(1, value.bit_length())} | {least}
    return iter(sorted(step for step in steps if least <= step < value))


def atoms_height(atoms: Atoms) -> int:
    """Return the sum of the heights of all values and masses."""
    return sum(height(value) + height(mass) for value, mass in atoms)


def simpler_atoms(atoms: Atoms) -> Iterator[Atoms]:
    """Yield laws of one record that have a smaller height, at least two values each.

    >>> coin = ((Fraction(0), Fraction(2, 3)), (Fraction(1), Fraction(1, 3)))
    >>> [[str(mass) for _, mass in law] for law in simpler_atoms(coin)]
    [['1/2', '1/2']]
    """
    yielded = {atoms}
    for candidate in _nearby(atoms):
        law = tuple(sorted(candidate.items()))
        if law not in yielded and len(law) > 1 and atoms_height(law) < atoms_height(atoms):
            yielded.add(law)
            yield law


def _nearby(atoms: Atoms) -> Iterator[dict[Fraction, Fraction]]:
    values, masses = [value for value, _ in atoms], [mass for _, mass in atoms]
    even = Fraction(1, len(atoms))
    # Even masses first: the plainest law with these values.
    yield dict.fromkeys(values, even)
    for place, (value, mass) in enumerate(atoms):
        remaining = atoms[:place] + atoms[place + 1 :]
        if len(remaining) > 1:
            yield {x: m / (1 - mass) for x, m in remaining}
        for simpler in ancestors(mass):
            if 0 < simpler < 1:
                share = (1 - simpler) / (1 - mass)
                yield {x: m * share for x, m in remaining} | {value: simpler}
        for nearer in ancestors(value):
            if nearer not in values:
                yield dict(remaining) | {nearer: mass}
    for factor in (Fraction(1, 2), Fraction(1, 3), Fraction(2), Fraction(3)):
        yield {value * factor: mass for value, mass in atoms}
    yield {-value: mass for value, mass in atoms}
    # Moved by a constant a sum tells the same; a law with the value 0 is shorter to write.
    for shift in (values[0], values[-1]):
        yield {value - shift: mass for value, mass in zip(values, masses, strict=True)}
