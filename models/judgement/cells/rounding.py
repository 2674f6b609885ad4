"""Rounding of exact numbers and times until few people hold a value of their own.

A salary to the cent is a key to any other list that has it. Numbers are rounded by steps of 1, 2
and 5 times a power of ten, times by their units; what is compared is whole numbers and fractions.
"""

import re
from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from enum import IntEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kproof.models.base.arrays import Codes
from kproof.models.tables.encoding import is_number

MOST = Fraction(1, 100)
"""Share of people who may hold a value of their own after rounding."""


class TimeUnit(IntEnum):
    """Units of times, with the signs of ``2020-01-31T12:30:45`` that are shown."""

    SECOND = 19
    MINUTE = 16
    HOUR = 13
    DAY = 10
    MONTH = 7
    YEAR = 4


def extremes(codes: Codes, size: int, person: Codes | None = None) -> tuple[Codes, Codes]:
    """Return the least and the greatest person who hold each value; rows are people without one.

    They are equal where a value is one person's own, and (rows, -1) where nobody holds it.

    >>> low, high = extremes(np.array([0, 0, 1, -1]), 2, np.array([7, 7, 8, 8]))
    >>> low.tolist(), high.tolist()
    ([7, 8], [7, 8])
    """
    holders = np.arange(len(codes)) if person is None else person
    held_by = (codes >= 0) & (holders >= 0)
    low = np.full(size, int(holders.max(initial=0)) + 1, dtype=np.int64)
    high = np.full(size, -1, dtype=np.int64)
    np.minimum.at(low, codes[held_by], holders[held_by])
    np.maximum.at(high, codes[held_by], holders[held_by])
    return low, high


def people(codes: Codes, person: Codes | None = None) -> int:
    """Return how many people there are, with a value or without one."""
    if person is None:
        return len(codes)
    return int(np.count_nonzero(np.bincount(person[person >= 0])))


def least_step(
    texts: Sequence[str], codes: Codes, person: Codes | None = None, *, most: Fraction = MOST
) -> Decimal | None:
    """Return the least step of 1, 2, 5, 10, ... that leaves few people a number of their own.

    ``most`` is the share of people who may hold a value of their own. The last decimal of the
    column if no rounding is needed; None if none is enough.

    >>> least_step(["1234.50", "1234.80", "1250"], np.array([0, 1, 2]), most=Fraction(1, 3))
    Decimal('1')
    """
    numbers = [place for place, text in enumerate(texts) if is_number(text)]
    scaled, decimals = _scale([texts[place] for place in numbers])
    people_in_all = people(codes, person)
    order = np.argsort(scaled, kind="stable")
    places, scaled = np.asarray(numbers, dtype=np.int64)[order], scaled[order]
    low, high = (ends[places] for ends in extremes(codes, len(texts), person))
    unit, largest = 1, max(map(abs, scaled.tolist()), default=0)
    # From twice the largest number on all are 0, and no larger step helps.
    while unit <= 20 * (largest + 1):
        for step in (unit, 2 * unit, 5 * unit):
            # Halves up in whole numbers, as cells are written afterwards.
            alone = _count_alone((2 * scaled + step) // (2 * step), low, high)
            if alone * most.denominator <= most.numerator * people_in_all:
                smallest: Decimal = Decimal(step) / 10**decimals
                return smallest
        unit *= 10
    return None


def steps(sources: Sequence[str], shown: Sequence[str]) -> list[Decimal]:
    """Return the steps numbers of a file may be rounded to, from the largest to the last decimal.

    >>> [float(step) for step in steps(["1234.5", "1300"], ["1202", "1300"])]
    [2.0, 1.0, 0.5, 0.2, 0.1]
    """
    _, decimals = _scale([text for text in sources if is_number(text)])
    exact = [Decimal(text) for text in shown]
    largest = max((number.adjusted() for number in exact), default=0)
    with localcontext(_EXACT):
        powers = [Decimal(1).scaleb(power) for power in range(largest + 1, -decimals - 1, -1)]
        every = [digit * power for power in powers for digit in (5, 2, 1)]
        # As decimals: the rest of a division of floats is hardly ever 0.
        return [step for step in every if not any(number % step for number in exact)]


def round_texts(texts: Sequence[str], step: Decimal) -> tuple[str, ...]:
    """Return the numbers among texts as multiples of a step, halves up, others as they are.

    They have the decimals of the step, so that a number is written in one way; with the last
    decimal of all of them as the step nothing changes, and ``1234.50`` stays as it was typed.

    >>> round_texts(["1234.50", "-7", "?"], Decimal(5)), round_texts(["1234.50"], Decimal("0.01"))
    (('1235', '-5', '?'), ('1234.50',))
    """
    numbers = [text for text in texts if is_number(text)]
    scaled, decimals = _scale(numbers)
    if step <= Decimal(1).scaleb(-decimals):
        return tuple(texts)
    exponent = step.normalize().as_tuple().exponent
    digits = max(0, -exponent) if isinstance(exponent, int) else 0
    with localcontext(_EXACT):
        width = int(step.scaleb(decimals))
        # Python's numbers: a step may be longer than any machine word.
        multiples = [(2 * n + width) // (2 * width) * width for n in scaled.tolist()]
        written = [f"{Decimal(n).scaleb(-decimals):.{digits}f}" for n in multiples]
    of_text = dict(zip(numbers, written, strict=True))
    return tuple(of_text.get(text, text) for text in texts)


def least_unit(
    texts: Sequence[str], codes: Codes, person: Codes | None = None, *, most: Fraction = MOST
) -> TimeUnit | None:
    """Return the least unit of ISO 8601 times that leaves few people a time of their own.

    >>> days = ["2020-01-31", "2020-01-30", "2020-02-01", "2020-02-02"]
    >>> least_unit(days, np.arange(4))
    <TimeUnit.MONTH: 7>
    """
    low, high = extremes(codes, len(texts), person)
    # From seconds up, as they are declared: the first that is enough loses least.
    for unit in TimeUnit:
        keys, group = np.unique(np.array(truncate_texts(texts, unit)), return_inverse=True)
        order = np.argsort(group, kind="stable")
        alone = _count_alone(group[order], low[order], high[order]) if len(keys) else 0
        if alone * most.denominator <= most.numerator * people(codes, person):
            return unit
    return None


def truncate_texts(texts: Sequence[str], unit: TimeUnit) -> tuple[str, ...]:
    """Return ISO 8601 dates and times down to a unit, other texts as they are.

    >>> truncate_texts(["2020-01-31T12:30:45Z", "2020-01-31", "never"], TimeUnit.HOUR)
    ('2020-01-31T12', '2020-01-31', 'never')
    """
    # Units are lengths: the signs of a moment go from the largest unit to the least.
    return tuple(text[:unit] if _MOMENT.match(text) else text for text in texts)


# A number that is read has at most 400 digits on either side of its point.
_EXACT = Context(prec=3000)
_MOMENT = re.compile(r"\d{4}-\d\d(?:-\d\d(?:[T ]\d\d(?::\d\d(?::\d\d(?:\.\d+)?)?)?)?)?(?![\d-])")


def _scale(numbers: Sequence[str]) -> tuple[NDArray[np.generic], int]:
    """Return numbers as whole ones of their last decimal, and how many decimals that are."""
    exact = [Decimal(number) for number in numbers]
    exponents = [value.as_tuple().exponent for value in exact]
    decimals = max((-exponent for exponent in exponents if isinstance(exponent, int)), default=0)
    # Not below 0, as 1E+3 would have it: ten to that power is a float.
    decimals = max(0, decimals)
    with localcontext(_EXACT):
        scaled = [int(value.scaleb(decimals)) for value in exact]
    # Room for steps of two hundred times the largest, which least_step tries: of longer numbers
    # all are Python's, slow and exact.
    small = all(-(1 << 54) < number < 1 << 54 for number in scaled)
    return np.array(scaled, dtype=np.int64 if small else object), decimals


def _count_alone(group: NDArray[np.generic], low: Codes, high: Codes) -> int:
    """Return how many people hold a value of their own, of groups that follow each other."""
    occupied = high >= 0
    group, low, high = group[occupied], low[occupied], high[occupied]
    if not len(group):
        return 0
    starts = np.concatenate([[0], np.flatnonzero(group[1:] != group[:-1]) + 1])
    first, last = np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
    # Whoever alone holds several groups is one person.
    return int(np.count_nonzero(np.bincount(first[first == last])))
