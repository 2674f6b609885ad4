"""What several classes tell of the people who are in all of them: exact counts of who has what.

An adversary knows who is in which class of each release, and the secret values of every class, not
whose they are. Every way to give the values of each class to its people, in which whoever is in
several classes has one value, is as likely as any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate
from math import comb, perm, prod

Weights = Mapping[int, int]
"""By value what its chance is proportional to; empty if nothing is believed."""


def infer_shared_people(classes: Sequence[Counter[int]], people: int) -> list[Weights]:
    """Return what classes tell of the people who are in all of them, then of the others in each.

    The others are taken to be in no other of these classes. Empty if no way fits: somebody has
    another value in the other release. Costs as many products as there are values times people
    squared.

    >>> first, second = Counter(["hiv", "flu", "cold"]), Counter(["hiv", "flu", "gout"])
    >>> both, left, came = infer_shared_people([first, second], 2)
    >>> both, left, came
    ({'hiv': 1, 'flu': 1}, {'cold': 1}, {'gout': 1})
    """
    largest = {value: min(counts[value] for counts in classes) for value in classes[0]}
    largest = {value: smallest for value, smallest in largest.items() if smallest}
    fits = sum(largest.values())
    if fits < people:
        return []
    if people == 1:
        expected = {value: prod(counts[value] for counts in classes) for value in largest}
        ways = sum(expected.values())
    # All that the classes have in common is of the shared people: there is one way.
    elif fits == people:
        expected, ways = largest, 1
    else:
        expected, ways = _expect(classes, largest, people)
    separate = [{v: n * ways - expected.get(v, 0) for v, n in counts.items()} for counts in classes]
    return [{v: n for v, n in weights.items() if n} for weights in (expected, *separate)]


def margins_of(
    groups: Sequence[Counter[int]], alone: Sequence[int]
) -> Iterator[dict[int, Fraction | int]]:
    """Yield for each of two groups what a row of each value weighs to be of who is in it alone.

    = The groups are all rows of some people, but for who came or left; ``alone`` says how many rows
    of each are of people whom the other lacks.

    >>> before, after = Counter(["hiv", "flu", "flu"]), Counter(["flu", "flu"])
    >>> left, came = margins_of([before, after], [1, 0])
    >>> left, came
    ({'hiv': Fraction(3, 1)}, {})
    """
    for group, counterpart, rows in zip(groups, groups[::-1], alone, strict=True):
        extra = group - counterpart
        spread = max(rows - extra.total(), 0) if extra else 0
        yield {
            value: Fraction(extra[value] * group.total(), count) + spread
            if extra[value]
            else spread
            for value, count in group.items()
            if extra[value] or spread
        }


def _expect(
    classes: Sequence[Counter[int]], largest: Mapping[int, int], people: int
) -> tuple[dict[int, int], int]:
    """Return, as numerators over the second, how many of the shared people have each value."""
    first, *further = classes
    # x shared people with a value: chosen in the first class, placed in each of the others.
    ways = []
    for value, smallest in largest.items():
        own, elsewhere = first[value], [counts[value] for counts in further]
        shared = range(min(smallest, people) + 1)
        ways.append([comb(own, x) * prod(perm(count, x) for count in elsewhere) for x in shared])
    multiply = partial(_product, degree=people)
    # All factors but one, for each: of those before it and those after it.
    before = list(accumulate(ways, multiply, initial=[1]))
    after = list(accumulate(reversed(ways), multiply, initial=[1]))
    expected = {}
    for place, value in enumerate(largest):
        weighted = [x * count for x, count in enumerate(ways[place])]
        without = multiply(before[place], after[len(ways) - place - 1])
        together = multiply(weighted, without)
        expected[value] = together[people] if people < len(together) else 0
    return expected, before[-1][people]


def _product(first: list[int], second: list[int], degree: int) -> list[int]:
    """Return the product of two polynomials up to a degree."""
    product = [0] * min(len(first) + len(second) - 1, degree + 1)
    for power, coefficient in enumerate(first):
        for second_power, factor in enumerate(second[: len(product) - power]):
            product[power + second_power] += coefficient * factor
    return product
