"""Chances of picking a person's row, exactly: from how many people stand behind each class."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np

from kproof.forms import JsonForm
from kproof.models.base.arrays import Codes

_LONGEST = 40
"""Characters of a rational in JSON; a mean over many classes may have thousands."""


@dataclass(frozen=True, slots=True)
class Chances:
    """How likely the people of a release are to be found, by somebody who picks at random."""

    people: int
    """Whose chances they are."""
    largest: Fraction | None
    """The largest chance, from 0 to 1; None, as is the mean, if there are no people."""
    mean: Fraction | None
    """The mean over people; times ``people`` it is how many rows somebody gets right who looks
    for all of them, in expectation."""
    above: int
    """People whose chance is above the threshold."""
    alone: int
    """People whom nobody else is taken for: their chance is 1."""

    to_dict = JsonForm(exact=lambda chance: json_chance(chance))


def chances(people: Codes, candidates: Codes, threshold: Fraction) -> Chances:
    """Return the chances of people who are each one of some candidates.

    Args:
        people: Shape (classes,): people of each class; classes without any count for nothing.
        candidates: Shape (classes,): among how many somebody has to pick, at least as many as
            people.
        threshold: What a chance is compared with, from 0 to 1.

    >>> picked = chances(np.array([2, 3]), np.array([4, 3]), Fraction(1, 4))
    >>> picked.largest, picked.mean, picked.above, picked.alone
    (Fraction(1, 3), Fraction(3, 10), 3, 0)
    """
    occupied = people > 0
    people, candidates = people[occupied], candidates[occupied]
    if not (count := int(people.sum())):
        return Chances(0, None, None, 0, 0)
    # By size first: a million classes have few different chances, and fractions are slow.
    sizes, of_class = np.unique(candidates, return_inverse=True)
    with_size = np.zeros(len(sizes), dtype=np.int64)
    np.add.at(with_size, of_class, people)
    pairs = list(zip(with_size.tolist(), sizes.tolist(), strict=True))
    return Chances(
        people=count,
        largest=Fraction(1, int(sizes[0])),
        mean=_sum(Fraction(*pair) for pair in pairs) / count,
        above=sum(many for many, size in pairs if Fraction(1, size) > threshold),
        alone=sum(many for many, size in pairs if size == 1),
    )


def share_of(hit: int, people: int, unit: str) -> str:
    """Return how many people, of how many.

    >>> share_of(3, 4, "people"), share_of(4, 4, "people")
    ('3 of 4 people', 'all 4 people')
    """
    return f"all {hit:,} {unit}" if hit == people > 1 else f"{hit:,} of {people:,} {unit}"


def one_in(chance: Fraction | float, *, digits: int = 3) -> str:
    """Return x where a chance is 1 in x, rounded down, so that the chance is not understated.

    >>> one_in(Fraction(1, 5)), one_in(Fraction(3, 25)), one_in(Fraction(3, 20))
    ('5', '8.33', '6.66')
    """
    inverse = 1 / chance if isinstance(chance, Fraction) else Fraction(1 / chance)
    if inverse.denominator == 1:
        return f"{inverse.numerator:,}"
    rounded = _digits(inverse, digits, up=False)
    return f"{int(rounded):,}" if rounded == int(rounded) else f"{rounded:f}"


def json_chance(value: Fraction | None) -> str | None:
    """Return a chance as JSON has it: exact if that is short, else rounded up to 12 digits.

    >>> json_chance(Fraction(1, 3)), json_chance(Fraction(1)), json_chance(Fraction(1, 3**80))
    ('1/3', '1', '6.76549570119E-39')
    """
    if value is None:
        return None
    exact = str(value)
    return exact if len(exact) <= _LONGEST else str(_digits(value, 12, up=True))


def _digits(value: Fraction, digits: int, *, up: bool) -> Decimal:
    # A Decimal of a whole number is exact however long it is: the division alone rounds, once.
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def _sum(parts: Iterable[Fraction]) -> Fraction:
    """Add in pairs: denominators stay short for as long as they can."""
    sums = list(parts)
    while len(sums) > 1:
        sums = [sum(sums[place : place + 2], Fraction(0)) for place in range(0, len(sums), 2)]
    return sums[0]
