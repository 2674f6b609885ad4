"""What several classes tell of the people who are in all of them: exact counts of who has what.

An adversary knows who is in which class of each release, and the secret values of every class, not
whose they are. Every way to give the values of each class to its people, in which whoever is in
several classes has one value, is as likely as any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate
from math import comb, perm, prod

Value = tuple[object, ...]
"""The values of the secret columns that releases share; None where nothing was recorded."""

MOST_STEPS = 2_000_000
"""Products of coefficients that a count may take; beyond it a bound stands in its place."""


@dataclass(frozen=True)
class Chances:
    """What an adversary believes of some people who are alike to her.

    Examples
    --------
    >>> Chances({("flu",): 1, ("cold",): 3}, 4).of(("cold",))
    Fraction(3, 4)
    """

    weights: Mapping[Value, int]
    """By value; a value that nobody has may be left out."""
    total: int
    """What weights are shares of: their sum, or less where they are bounds."""

    def of(self, value: Value) -> Fraction:
        """Return the chance of a value."""
        return min(Fraction(self.weights.get(value, 0), self.total), Fraction(1))


def chances_of_shared(
    classes: Sequence[Counter[Value]], people: int
) -> tuple[Chances | None, list[Chances | None]]:
    """Return what classes tell of the people who are in all of them, and of the others in each.

    The others are taken to be in no class but one.

    Parameters
    ----------
    classes
        How often each value occurs in each; two at least.
    people
        How many are in all of them, from 1.

    Returns
    -------
    tuple
        None stands for people that there are none of; for all, if no way fits the classes: somebody
        has another value in the other release.

    Examples
    --------
    >>> first = Counter({("hiv",): 1, ("flu",): 1, ("cold",): 1})
    >>> second = Counter({("hiv",): 1, ("flu",): 1, ("gout",): 1})
    >>> both, [left, came] = chances_of_shared([first, second], 2)
    >>> both.of(("flu",)), left.of(("cold",)), came.of(("gout",))
    (Fraction(1, 2), Fraction(1, 1), Fraction(1, 1))
    """
    most = {
        value: least
        for value in classes[0]
        if (least := min(counts[value] for counts in classes)) > 0
    }
    sizes = [counts.total() for counts in classes]
    if sum(most.values()) < people:
        return None, [None] * len(classes)
    if people > 1 and len(most) * people * people > MOST_STEPS:
        return _bounds(classes, most, people)
    expected, total = _expected(classes, most, people)
    both = Chances(expected, total * people)
    others = [
        Chances(
            {value: counts[value] * total - expected.get(value, 0) for value in counts},
            total * (size - people),
        )
        if size > people
        else None
        for counts, size in zip(classes, sizes, strict=True)
    ]
    return both, others


def _expected(
    classes: Sequence[Counter[Value]], most: Mapping[Value, int], people: int
) -> tuple[dict[Value, int], int]:
    """Return, as numerators over the second, how many of the shared people have each value."""
    if people == 1:
        weights = {value: prod(counts[value] for counts in classes) for value in most}
        return weights, sum(weights.values())
    first, *rest = classes
    # x shared people with a value: chosen in the first class, placed in each of the others.
    ways = {
        value: [
            comb(first[value], x) * prod(perm(counts[value], x) for counts in rest)
            for x in range(min(least, people) + 1)
        ]
        for value, least in most.items()
    }
    order = list(ways)
    multiply = partial(_product, degree=people)
    before = [*accumulate((ways[value] for value in order), multiply, initial=[1])]
    after = [*accumulate((ways[value] for value in reversed(order)), multiply, initial=[1])]
    expected = {}
    for place, value in enumerate(order):
        others = multiply(before[place], after[len(order) - place - 1])
        expected[value] = sum(
            x * count * others[people - x]
            for x, count in enumerate(ways[value])
            if people - x < len(others)
        )
    return expected, before[-1][people]


def _product(first: list[int], second: list[int], degree: int) -> list[int]:
    """Return the product of two polynomials up to a degree."""
    product = [0] * min(len(first) + len(second) - 1, degree + 1)
    for power, coefficient in enumerate(first):
        for other, factor in enumerate(second[: len(product) - power]):
            product[power + other] += coefficient * factor
    return product


def _bounds(
    classes: Sequence[Counter[Value]], most: Mapping[Value, int], people: int
) -> tuple[Chances, list[Chances | None]]:
    """Return upper bounds: of a value no more people have it than fit, and no fewer than must."""
    fits = sum(most.values())
    least = {value: max(0, people - fits + own) for value, own in most.items()}
    others = [
        Chances(
            {value: counts[value] - least.get(value, 0) for value in counts},
            counts.total() - people,
        )
        if counts.total() > people
        else None
        for counts in classes
    ]
    return Chances(most, people), others
