"""Smallest examples for what a paper says of θ-sensitivity, found by exhaustive search.

Classes are multisets of the diseases of Table 3 of Khan et al., Electronics 2020, 9(5), 716, or
falling frequencies where values do not matter. Searches go by size, so what they return is
smallest; of equals it is the first in alphabetical order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import chain, combinations_with_replacement, count, product

from kproof.datasets import read_text_table
from kproof.errors import InvalidArgument
from kproof.models.base.parameters import GROUP_K, REACHABLE_MU
from kproof.models.papers.theta_tables import categories
from kproof.models.tables.theta.moves import (
    Multiset,
    Threshold,
    absent,
    add_noise,
    back_check,
    cross_check,
    most_frequent_values,
    swap,
)
from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.theorems import theta as theory

Diseases = tuple[str, ...]


class Advantage(StrEnum):
    """What an adversary who knows a person's class gains from it."""

    SHARE = "share"
    """The commonest value is more probable."""
    VALUES = "values"
    """There are fewer values to choose from."""


@dataclass(frozen=True)
class Publications:
    """What Algorithm 1 can publish, over every tie."""

    classes: frozenset[tuple[Diseases, ...]]
    """Each outcome: the classes in order, each in alphabetical order."""
    noise: tuple[int, ...]
    """The numbers of noise rows that occur, ascending."""

    @property
    def count(self) -> int:
        """How many outcomes there are."""
        return len(self.classes)

    def reaches(self, outcome: Iterable[Iterable[str]]) -> bool:
        """Say whether classes, in order, can be published."""
        return tuple(tuple(sorted(values)) for values in outcome) in self.classes


def publications(
    start: Sequence[Sequence[str]], *, k: Number, mu: Number, domain: Iterable[str] | None = None
) -> Publications:
    """Explore every run of the corrected Algorithm 1 on classes as they were formed.

    A class is its sensitive values, and θ is μ(k² − 1)/12. Noise is drawn from ``domain``, by
    default the diseases of Table 3.

    Table 4b becomes Table 8b without noise:

    >>> outcomes = publications(diseases("table-4b"), k=4, mu="0.6")
    >>> outcomes.reaches(diseases("table-8b")), outcomes.count, outcomes.noise
    (True, 16, (0,))
    """
    names = sorted(str(value) for value in categories()) if domain is None else sorted(domain)
    threshold = Threshold(REACHABLE_MU.read(mu), GROUP_K.read(k))
    code = {name: index for index, name in enumerate(names)}
    first = tuple(_freeze(Counter(code[value] for value in values)) for values in start)
    # Counts are sorted pairs, so that runs that come to the same classes are one state.
    waiting, visited, final = [(first, 0)], set(), set()
    while waiting:
        if (state := waiting.pop()) in visited:
            continue
        visited.add(state)
        classes, current = state
        if current == len(classes):
            final.add(classes)
        elif threshold.passes(dict(classes[current])):
            waiting.append((classes, current + 1))
        else:
            waiting += [(after, current) for after in _steps(classes, current, threshold, names)]
    outcomes = frozenset(
        tuple(tuple(names[value] for value, n in counts for _ in range(n)) for counts in classes)
        for classes in final
    )
    rows = sum(map(len, start))
    noise = {sum(map(len, classes)) - rows for classes in outcomes}
    return Publications(outcomes, tuple(sorted(noise)))


_Frozen = tuple[tuple[int, int], ...]


def _steps(
    classes: tuple[_Frozen, ...], current: int, threshold: Threshold, domain: Sequence[str]
) -> Iterator[tuple[_Frozen, ...]]:
    """Yield the classes after each exchange that is possible, or after each noise row."""
    values = [dict(counts) for counts in classes]
    present, last = values[current], len(values) - 1
    moves: list[tuple[int, int, int]] = []
    if current < last:
        # The first class that can give is the donor, as in the algorithm; ties are among values.
        for donor in range(current + 1, last + 1):
            gives = threshold.passes(values[donor])
            donations = back_check(present, values[donor]) if gives else ()
            if donations:
                moves = [(donor, x, y) for x in most_frequent_values(present) for y in donations]
                break
    # The last class has none behind it, and exchanges with the one before.
    elif last:
        moves = [(last - 1, x, y) for x, y in cross_check(present, values[last - 1])]
    for donor, x, y in moves:
        receiver, giver = swap(present, values[donor], x, y)
        yield _with(classes, {current: receiver, donor: giver})
    if not moves:
        for value in absent(present, range(len(domain))):
            yield _with(classes, {current: add_noise(present, value)})


def _with(classes: tuple[_Frozen, ...], changed: dict[int, dict[int, int]]) -> tuple[_Frozen, ...]:
    return tuple(
        _freeze(changed[place]) if place in changed else counts
        for place, counts in enumerate(classes)
    )


def _freeze(values: Multiset) -> _Frozen:
    return tuple(sorted(values.items()))


def diseases(name: str) -> tuple[Diseases, ...]:
    """Return the diseases of each class of a published table; of Table 1a by fours, in its order.

    >>> diseases("table-4a")[2], len(diseases("table-1a"))
    (('HIV', 'Cancer', 'Flu', 'Flu'), 3)
    """
    table = read_text_table(name)
    values = table.cells[table.names.index("Disease")]
    if "Class" not in table.names:
        return tuple(values[start : start + 4] for start in range(0, len(values), 4))
    of_row = table.cells[table.names.index("Class")]
    return tuple(
        tuple(value for value, label in zip(values, of_row, strict=True) if label == class_label)
        for class_label in dict.fromkeys(of_row)
    )


def category_counts(name: str, *, noise: Sequence[int] = ()) -> tuple[int, ...]:
    """Return how many categories of Table 3 each class of a published table has.

    ``noise`` are rows, counted from 1 through the table, that are left out.

    Table 8a, and Table 8a without its noise row:

    >>> category_counts("table-8a"), category_counts("table-8a", noise=[13])
    ((3, 4, 3), (3, 4, 2))
    """
    kind, row, counts = categories(), 1, []
    for members in diseases(name):
        people = [value for place, value in enumerate(members, row) if place not in noise]
        counts.append(len({kind[value] for value in people}))
        row += len(members)
    return tuple(counts)


def variances(name: str) -> tuple[Fraction, ...]:
    """Return V of each class of a published table.

    >>> [str(value) for value in variances("table-4a")]
    ['5/4', '5/4', '11/16']
    """
    return tuple(theory.variance(Counter(values).values()) for values in diseases(name))


def category_alone(mu: Number) -> Diseases:
    """Return the smallest class of one category of Table 3 whose V reaches θ of its own size.

    Categorical similarity (Definition 5) succeeds, the sensitive variance attack does not.

    >>> category_alone("0.6")
    ('Asthma', 'Obesity')
    """
    share = REACHABLE_MU.read(mu)
    return _smallest(lambda values: _kinds(values) == 1 and not _low(values, share))


def variance_alone(mu: Number) -> Diseases:
    """Return the smallest class of several categories whose V is below θ of its own size.

    The sensitive variance attack succeeds, categorical similarity does not.

    >>> variance_alone("0.6")
    ('Asthma', 'Asthma', 'Cancer')
    """
    share = REACHABLE_MU.read(mu)
    return _smallest(lambda values: _kinds(values) > 1 and _low(values, share))


def _smallest(accept: Callable[[Diseases], bool]) -> Diseases:
    names = sorted(str(value) for value in categories())
    sizes = range(2, len(names) + 1)
    classes = chain.from_iterable(combinations_with_replacement(names, size) for size in sizes)
    return next(filter(accept, classes))


def _kinds(values: Diseases) -> int:
    kind = categories()
    return len({kind[value] for value in values})


def _low(values: Diseases, mu: Fraction) -> bool:
    return theory.variance(Counter(values).values()) < theory.theta(len(values), mu)


def smallest_repetition(mu: Number) -> tuple[int, ...]:
    """Return the smallest class, as frequencies, that has V ≥ θ of its own size and a repetition.

    >>> smallest_repetition("0.6"), smallest_repetition("0.5")
    ((2, 1, 1, 1), (2, 1, 1))
    """
    if (share := rational("mu", mu, above=0)) >= 1:
        raise InvalidArgument("mu", mu, "0 < mu < 1; at 1 every class that passes is fully diverse")
    size = 2
    while theory.mu_for_full_diversity(size) < share:
        size += 1
    return (2, *(1,) * (size - 2))


def together(*classes: Sequence[int], mu: Number) -> tuple[bool, ...]:
    """Say of each of some classes, and of the class of all their rows, whether V ≥ θ.

    A class is how often each value occurs, the values in one order; k is the rows of the first.

    >>> together((2, 1, 1), (1, 2, 1), mu="0.55")
    (True, True, False)
    >>> together((2, 1, 1), (2, 1, 1), mu="0.55")
    (True, True, True)
    """
    theta = theory.theta(sum(classes[0]), mu)
    union = [sum(counts) for counts in zip(*classes, strict=True)]
    return tuple(theory.variance(counts) >= theta for counts in (*classes, union))


def inversion(risk: Advantage | str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the smallest two classes of one size, the wider of which is at the greater risk.

    Wider, with a value that is more probable:

    >>> wider, narrower = inversion(Advantage.SHARE)
    >>> wider, narrower, theory.variance(wider) > theory.variance(narrower)
    ((3, 1, 1), (2, 2, 1), True)
    """
    by_share = Advantage(risk) is Advantage.SHARE
    for size in count(2):
        for wider, narrower in product(sorted(_partitions(size, size), reverse=True), repeat=2):
            riskier = wider[0] > narrower[0] if by_share else len(wider) < len(narrower)
            if riskier and theory.variance(wider) > theory.variance(narrower):
                return wider, narrower
    raise AssertionError("sizes do not end")


def _partitions(rows: int, largest: int) -> Iterator[tuple[int, ...]]:
    if rows == 0:
        yield ()
    for first in range(min(rows, largest), 0, -1):
        for remainder in _partitions(rows - first, first):
            yield (first, *remainder)


def classes_cross_swaps_narrow(most: Number) -> tuple[tuple[int, ...], ...]:
    """Return the classes, as frequencies, whose V falls when they give in a cross swap.

    Such a class gives one of its most frequent values for one that it does not have. All classes of
    at most so many rows are tried.

    >>> classes_cross_swaps_narrow(8)
    ()
    """
    return tuple(
        sizes
        for rows in range(1, integer("most", most, least=1) + 1)
        for sizes in _partitions(rows, rows)
        if theory.variance((sizes[0] - 1, *sizes[1:], 1)) < theory.variance(sizes)
    )


def told_apart(left: Diseases, right: Diseases, *, mu: Number) -> bool:
    """Say whether no run of Algorithm 1 publishes the same diseases for two classes.

    Two tables that differ in one person and never give one publication differ by more than any
    e^epsilon: one outcome has probability 1 under one and 0 under the other.

    >>> told_apart(("HIV", "Flu"), ("Cancer", "Flu"), mu="0.6")
    True
    """
    first = publications([left], k=len(left), mu=mu)
    return first.classes.isdisjoint(publications([right], k=len(right), mu=mu).classes)
