"""Two releases crossed: columns as one, and what classes tell of who is in both or in one only.

What several classes tell of the people who are in all of them: exact counts of who has what.

An adversary knows who is in which class of each release, and the secret values of every class, not
whose they are. Every way to give the values of each class to its people, in which whoever is in
several classes has one value, is as likely as any other.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate, chain, product
from math import ceil, comb, floor, gcd, lcm, perm, prod

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.judgement.publication import EarlierRelease, PublishedColumn
from kproof.models.tables.doubts import forms_of


@dataclass(frozen=True, eq=False)
class ReleaseSide:
    """One release, as classes of people and of values."""

    class_of: Codes
    """Class of each row by what is known."""
    value: Codes
    """Which of the values that releases share each row has."""
    person: Codes
    """Whom each row is about, -1 for somebody who is not in the publication."""

    @cached_property
    def counts(self) -> Mapping[int, Counter[int]]:
        """By class, how often each value occurs."""
        counts: dict[int, Counter[int]] = defaultdict(Counter)
        for index, value in zip(self.class_of.tolist(), self.value.tolist(), strict=True):
            counts[index][value] += 1
        return counts

    @cached_property
    def rows_of(self) -> Mapping[int, list[tuple[int, int]]]:
        """Value and class of the rows of each person who is in the publication."""
        rows: dict[int, list[tuple[int, int]]] = defaultdict(list)
        every = (self.person.tolist(), self.value.tolist(), self.class_of.tolist())
        for person, value, index in zip(*every, strict=True):
            if person >= 0:
                rows[person].append((value, index))
        return rows

    @cached_property
    def whom(self) -> Codes:
        """Whom each row is about; who is in an earlier release only is -1 less the row."""
        # A number for each row: with one in common, all who left would count as one.
        return np.where(self.person < 0, -1 - np.arange(len(self.person)), self.person)

    @cached_property
    def people_of(self) -> Mapping[int, set[int]]:
        """The people of each class."""
        people: dict[int, set[int]] = defaultdict(set)
        for person, index in zip(self.whom.tolist(), self.class_of.tolist(), strict=True):
            people[index].add(person)
        return people


@dataclass(frozen=True, eq=False)
class CrossedBelief:
    """What is believed of some people, and the classes in which they are known anyway."""

    people: Iterable[int]
    weights: Weights
    alone: Sequence[tuple[int, int]]
    """Side and class."""


def of_labels(
    sides: Sequence[ReleaseSide], meetings: Sequence[tuple[int, int]]
) -> Iterator[CrossedBelief]:
    """Yield what classes tell, at worst, of anybody whom the labels of both may be of."""
    first, second = (Counter(meeting[place] for meeting in meetings) for place in (0, 1))
    for index, match in meetings:
        counts = [sides[0].counts[index], sides[1].counts[match]]
        fits = (counts[0] & counts[1]).total()
        # Classes that meet no other hold the same people, but for those who came or left. Of others
        # nobody knows how many are in both: one, or as many as can be.
        matched = first[index] == second[match] == 1
        for people in {fits} if matched else {1, fits}:
            for weights in infer_shared_people(counts, people) if fits else []:
                yield CrossedBelief(sides[0].people_of[index], weights, [(0, index), (1, match)])


def of_labels_of_several(
    sides: Sequence[ReleaseSide], meetings: Sequence[Sequence[tuple[int, int]]], most: int
) -> list[CrossedBelief] | None:
    """Return what classes of several releases tell, at worst, of one person who may be in each.

    ``meetings`` has the pairs of the first side's classes and those of each other side; None if
    there are more than ``most`` ways to take a class of each.
    """
    beliefs: list[CrossedBelief] = []
    for index, values in sides[0].counts.items():
        # Of classes with the same values one is enough: whose they are nobody knows.
        choices = [
            {frozenset(side.counts[match].items()): match for own, match in pairs if own == index}
            for side, pairs in zip(sides[1:], meetings, strict=True)
        ]
        if len(beliefs) + prod(map(len, choices)) > most:
            return None
        for matches in product(*(choice.values() for choice in choices)):
            classes = [(place + 1, match) for place, match in enumerate(matches)]
            weights = {
                value: prod((sides[s].counts[i][value] for s, i in classes), start=count)
                for value, count in values.items()
            }
            alone = [(0, index), *classes]
            beliefs.append(CrossedBelief(sides[0].people_of[index], weights, alone))
    return beliefs


def of_margins(sides: Sequence[ReleaseSide]) -> Iterator[CrossedBelief]:
    """Yield what classes that share people, put together, tell of who is in one release only.

    All other people of these classes are in both, so that what one has more is of those few. More
    classes tell no more: their difference is the sum of those of their parts.
    """
    counts = [Counter(side.whom.tolist()) for side in sides]
    classes = [{p: [i for _, i in rows] for p, rows in side.rows_of.items()} for side in sides]
    links = [
        link
        for person in classes[0].keys() & classes[1].keys()
        for first, second in [(classes[0][person], classes[1][person])]
        # A star of links joins as much as every pair would, which of a person with ten thousand
        # rows are too many.
        for link in chain(product(first, second[:1]), product(first[:1], second))
    ]
    for part in _connect(links):
        groups = [_values_of(side, part[place]) for place, side in enumerate(sides)]
        members = set().union(*(sides[0].people_of[index] for index in part[0]))
        # Rows, not people: whoever has two rows before and one now is in both with one of them.
        shared = sum(min(counts[0][person], counts[1][person]) for person in members)
        alone = [group.total() - shared for group in groups]
        for place, unit in enumerate(margins_of(groups, alone)):
            surplus = groups[place] - groups[1 - place]
            for index in part[place] if unit else ():
                side = sides[place]
                rows = {p: counts[place][p] - counts[1 - place][p] for p in side.people_of[index]}
                rows = {person: count for person, count in rows.items() if count > 0}
                weights = {v: unit[v] * n for v, n in side.counts[index].items() if v in unit}
                # Beliefs are whole numbers: only proportions count.
                scale = lcm(*(Fraction(weight).denominator for weight in weights.values()))
                scaled = {value: int(weight * scale) for value, weight in weights.items()}
                yield CrossedBelief(rows, scaled, [(place, index)])
                # Whoever has more rows than there are without a value has it in one of them.
                further = alone[place] - max(surplus.values())
                for person in (p for p, count in rows.items() if count > max(further, 1)):
                    values = (v for v in surplus if rows[person] > alone[place] - surplus[v])
                    yield from (CrossedBelief([person], {v: 1}, [(place, index)]) for v in values)


def of_margins_at_worst(
    sides: Sequence[ReleaseSide], meetings: Sequence[tuple[int, int]], largest: Fraction
) -> Iterator[CrossedBelief]:
    """Yield what margins tell if as few people are in one release only as can be.

    A difference of fewer people than a class must have may be told apart by their classes.
    """
    parts = _connect(meetings)
    every = [set().union(*(part[place] for part in parts)) for place in (0, 1)]
    for part in (*parts, *([every] if len(parts) > 1 else [])):
        groups = [_values_of(side, part[place]) for place, side in enumerate(sides)]
        margins = [groups[0] - groups[1], groups[1] - groups[0]]
        # Among so few each has a chance above the limit: every value counts as if it were alone.
        few = sum(margin.total() for margin in margins) * largest < 1
        for side, classes, margin in zip(sides, part, margins, strict=True):
            people = set().union(*(side.people_of[index] for index in classes))
            for weights in [{value: 1} for value in margin] if few else [margin] if margin else []:
                yield CrossedBelief(people, weights, [])


def _values_of(side: ReleaseSide, classes: Iterable[int]) -> Counter[int]:
    """Return how often each value occurs in some classes."""
    counts: Counter[int] = Counter()
    for index in classes:
        counts.update(side.counts[index])
    return counts


def _connect(links: Iterable[tuple[int, int]]) -> list[tuple[list[int], list[int]]]:
    """Return the classes of each side that links connect, however many links lie between."""
    part_of: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for link in links:
        part, linked = (part_of.setdefault(node, {node}) for node in enumerate(link))
        if part is not linked:
            # The smaller into the larger, so that no class moves more often than sizes can double.
            less, larger = sorted((part, linked), key=len)
            larger |= less
            part_of.update(dict.fromkeys(less, larger))
    # By identity: sets are no keys, and a part is listed once for each of its classes.
    parts = {id(part): part for part in part_of.values()}.values()
    first, second = ([sorted(i for p, i in part if p == side) for part in parts] for side in (0, 1))
    return list(zip(first, second, strict=True))


def reduce_weights(weights: Weights) -> Weights:
    """Return weights without what divides all of them."""
    # Only proportions count, and small numbers fit 64 bits.
    divisor = gcd(*weights.values()) or 1
    return {value: weight // divisor for value, weight in weights.items()}


def as_often(own: PublishedColumn, earlier: PublishedColumn) -> bool:
    """Say whether values occur so nearly as often in two columns that they are of the same people.

    Between quite other people, the sum of the squared differences, each over its total, is about
    one less than there are values; of two values nothing follows.
    """
    codes = np.split(merge_spellings(unite_columns([own, earlier])).codes + 1, [own.rows])
    # Place 0 is that of empty cells, which are cut off: gaps are no value that both have.
    size = max(int(values.max(initial=0)) for values in codes) + 1
    counts = [np.bincount(values, minlength=size)[1:] for values in codes]
    total = counts[0] + counts[1]
    occurring = np.flatnonzero(total)
    distance = ((counts[0] - counts[1])[occurring] ** 2 / total[occurring]).sum()
    return len(occurring) > 2 and bool(4 * distance < len(occurring) - 1)


def rows_in(release: EarlierRelease) -> tuple[tuple[str, ...], Counter[tuple[str | None, ...]]]:
    """Return the names of a release's columns and how often it has each row; none of counts."""
    columns = sorted(release.columns, key=lambda column: column.name)
    rows = () if release.counts else zip(*(column.cells for column in columns), strict=True)
    return tuple(column.name for column in columns), Counter(rows)


def column_of(columns: Sequence[PublishedColumn], name: str) -> PublishedColumn:
    """Return the column of a name."""
    return next(column for column in columns if column.name == name)


def unite_columns(columns: Sequence[PublishedColumn]) -> PublishedColumn:
    """Return a column with the rows of several; numbers are alike if they are equal."""
    # As numbers only if all are: 7 and 7.0 in a column of texts may be two things.
    exact = all(column.numbers is not None for column in columns)
    place: dict[object, int] = {}
    codes, texts, numbers = [], [], []
    for column in columns:
        keys: Sequence[Fraction | str] = column.texts
        if exact and column.numbers is not None:
            keys = column.numbers
        for text, value in zip(column.texts, keys, strict=True):
            if value not in place:
                place[value] = len(place)
                texts.append(text)
                numbers.append(value)
        # The code -1 of an empty cell picks the last entry, and stays -1.
        codes.append(np.array([*map(place.__getitem__, keys), -1], dtype=np.int64)[column.codes])
    measured = tuple(number for number in numbers if isinstance(number, Fraction))
    united, exactly = np.concatenate(codes), measured if exact else None
    return replace(columns[0], codes=united, texts=tuple(texts), numbers=exactly, atoms=None)


def merge_spellings(column: PublishedColumn) -> PublishedColumn:
    """Return a column in which two ways to write a value are one text; itself if there are none.

    A release is written by another hand than the one before: its HIV is hiv, its 5 % is 0.05.
    """
    forms = forms_of(column.texts)
    place = {form: index for index, form in enumerate(dict.fromkeys(forms))}
    if column.numbers is not None or len(place) == len(forms):
        return column
    code = np.array([*(place[form] for form in forms), -1])
    texts = tuple(dict(zip(reversed(forms), reversed(column.texts), strict=True))[f] for f in place)
    return replace(column, codes=code[column.codes], texts=texts)


def coarsen(column: PublishedColumn, rows: Sequence[int]) -> Iterator[PublishedColumn]:
    """Yield a column as releases show it that round it, or cut its times, where not all do alike.

    The column has those of all releases, of so many ``rows`` each. Whoever is 1234 in one and 1200
    in the next is 1200 in both once the first is rounded, too.

    >>> from kproof.models.judgement.publication import ColumnKnowledge
    >>> texts = ("1234", "2017", "1200", "2000")
    >>> pay = PublishedColumn(
    ...     "pay", ColumnKnowledge.SECRET, np.arange(4), texts, tuple(map(Fraction, texts))
    ... )
    >>> [view.numbers for view in coarsen(pay, [2, 2])][-2]
    (Fraction(1200, 1), Fraction(2000, 1))
    """
    sides = np.split(column.codes, np.cumsum(rows)[:-1])
    shown = [np.unique(side[side >= 0]).tolist() for side in sides]
    if column.numbers is not None and column.atoms is None:
        numbers = column.numbers
        least = [_step([numbers[code] for code in codes]) for codes in shown]
        steps = [step for step in least if step]
        # Of few numbers nobody knows the step: any between what both are multiples of will do.
        tried = (step for step in STEPS if steps and min(steps) < step <= max(steps))
        for step in tried:
            halves = [floor(number / step + Fraction(1, 2)) * step for number in numbers]
            yield unite_columns([replace(column, numbers=tuple(halves))])
            # A number that was rounded before may stand on a half that it came to from below.
            down = [ceil(number / step - Fraction(1, 2)) * step for number in numbers]
            if down != halves:
                yield unite_columns([replace(column, numbers=tuple(down))])
    elif column.atoms is None and all(map(_MOMENT.fullmatch, column.texts)):
        lengths = {min(len(column.texts[code]) for code in codes) for codes in shown if codes}
        for length in sorted(lengths) if len(lengths) > 1 else ():
            place: dict[str, int] = {}
            cut = [place.setdefault(text[:length], len(place)) for text in column.texts]
            codes = np.array([*cut, -1])[column.codes]
            yield replace(column, codes=codes, texts=tuple(place))


_MOMENT = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:[T ].*)?)?)?")

STEPS = tuple(digit * Fraction(10) ** power for power in range(-9, 13) for digit in (1, 2, 5))
"""What numbers are rounded to, ascending."""


def _step(numbers: Sequence[Fraction]) -> Fraction | None:
    """Return the largest step that all numbers are multiples of; None if all are 0, or none is."""
    common = lcm(*(number.denominator for number in numbers))
    whole = gcd(*(int(number * common) for number in numbers))
    divisor = Fraction(whole, common)
    return next((step for step in reversed(STEPS) if not divisor % step), None) if whole else None


def alike(view: PublishedColumn) -> PublishedColumn:
    """Return a reading of a column in which equal numbers are one text."""
    return view if view.numbers is None or view.atoms is not None else unite_columns([view])


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
    if (fits := sum(largest.values())) < people:
        return []
    # The polynomials below would say the same of one person, in many more steps.
    if people == 1:
        expected = {value: prod(counts[value] for counts in classes) for value in largest}
        ways = sum(expected.values())
    # All that the classes have in common is of the shared people: there is one way.
    elif fits == people:
        expected, ways = largest, 1
    else:
        expected, ways = _expect(classes, largest, people)
    # Whole numbers throughout: over one number of ways, what a class has less what is shared.
    separate = [{v: n * ways - expected.get(v, 0) for v, n in counts.items()} for counts in classes]
    return [{v: n for v, n in weights.items() if n} for weights in (expected, *separate)]


def margins_of(
    groups: Sequence[Counter[int]], alone: Sequence[int]
) -> Iterator[dict[int, Fraction | int]]:
    """Yield for each of two groups what a row of each value weighs to be of who is in it alone.

    The groups are all rows of some people, but for who came or left; ``alone`` says how many rows
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
        # The coefficient of all shared people: ways, each times how many of them have the value.
        together = multiply(weighted, without)
        expected[value] = together[people] if people < len(together) else 0
    return expected, before[-1][people]


def _product(first: list[int], second: list[int], degree: int) -> list[int]:
    """Return the product of two polynomials up to a degree."""
    # Higher powers stand for more people than are shared, and no later factor lowers them.
    product = [0] * min(len(first) + len(second) - 1, degree + 1)
    for power, coefficient in enumerate(first):
        for second_power, factor in enumerate(second[: len(product) - power]):
            product[power + second_power] += coefficient * factor
    return product
