"""The least variance V that a class can have, whatever its missing sensitive values are.

V is the variance of the ranks 1, 2, ... of the values by falling frequency. It does not always fall
with concentration: (4, 2, 2) has V = 11/16 and (3, 3, 2) has 39/64. If the ranks stayed as they
are, V would be concave in the completion and least where all missing values are one, the one whose
rank is nearest to the mean; that is a lower bound, and exact where the frequencies still fall.
Where they do not, all completions are gone through, by how many rows they have of each rank.
"""

from collections.abc import Sequence
from fractions import Fraction

from kproof.theory.theorems.theta import variance

BUDGET = 50_000
"""Most states that one class is gone through with; beyond it the lower bound stands."""


def lower_bound(counts: Sequence[int], missing: int) -> Fraction:
    """Return a number that V, of falling counts beside missing values, is below in no completion.

    >>> lower_bound([3, 2, 2], 1), lower_bound([3], 1)
    (Fraction(39, 64), Fraction(0, 1))
    """
    if not counts:
        return Fraction(0)
    rows = sum(counts)
    mean, spread = _mean(counts), variance(counts)
    # Missing rows widen least at the whole rank that is nearest to the mean.
    off = mean - round(mean)
    total = rows + missing
    return Fraction(rows, total) * spread + Fraction(rows * missing, total * total) * off * off


def least_width(counts: Sequence[int], missing: int, domain: int) -> tuple[Fraction, bool]:
    """Return the least V of all completions, and whether it is certain that one attains it.

    Of falling ``counts`` of the values that are there, and a ``domain`` of at least as many.

    >>> least_width([3, 2, 2], 1, 3)
    (Fraction(39, 64), True)
    >>> least_width([1, 1, 1], 1, 3), lower_bound([1, 1, 1], 1)
    ((Fraction(11, 16), True), Fraction(1, 2))
    """
    bound = lower_bound(counts, missing)
    if not counts or not missing:
        return bound, True
    place = round(_mean(counts)) - 1
    # All that is missing may take the value nearest to the mean without rising above the one before
    # it: then the bound is attained.
    if place == 0 or counts[place - 1] >= counts[place] + missing:
        return bound, True
    width = _search(counts, missing, domain)
    return (bound, False) if width is None else (width, True)


def _mean(counts: Sequence[int]) -> Fraction:
    return Fraction(sum(rank * count for rank, count in enumerate(counts, 1)), sum(counts))


def _search(counts: Sequence[int], missing: int, domain: int) -> Fraction | None:
    """Return the least V by going through all falling frequencies; None beyond the budget.

    A state is the missing rows placed so far, the last frequency and the sum of the ranks; of the
    sums of their squares only the least can lead to the least V.
    """
    total = sum(counts) + missing
    # Values that no row has yet: more of them than rows are missing cannot get one.
    frequencies = [*counts, *[0] * min(missing, domain - len(counts))]
    states = {(0, total, 0): 0}
    for rank, lowest in enumerate(frequencies, 1):
        after: dict[tuple[int, int, int], int] = {}
        for (placed, last, first), second in states.items():
            # Not above the rank before: frequencies fall, so that each completion is met once.
            for count in range(lowest, min(last, lowest + missing - placed) + 1):
                state = (placed + count - lowest, count, first + count * rank)
                squares = second + count * rank * rank
                # Of ways that agree in all else the least sum of squares stays the least.
                if squares < after.get(state, squares + 1):
                    after[state] = squares
            if len(after) > BUDGET:
                return None
        states = after
    return min(
        Fraction(second, total) - Fraction(first, total) ** 2
        for (placed, _, first), second in states.items()
        if placed == missing
    )
