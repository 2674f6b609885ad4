"""Composition: what a release tells beside earlier releases of the same people.

An adversary who knows who is in which class of each release crosses their secret values (exactly,
:mod:`kproof.models.judgement.shared_people`): whoever stayed has a value that both classes have,
and what one class has more than the other is that of people who came or left. Where a secret value
occurs once in each release, its rows join, and what is known of both singles out. Without a column
that says whom rows are about, classes are compared by their labels, at worst.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import comb, prod

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.base.columns import group_codes
from kproof.models.judgement.judgement import Criterion, Finding, Remedy, Standing
from kproof.models.judgement.overlap import meeting_classes
from kproof.models.judgement.publication import EarlierRelease, Publication, PublishedColumn
from kproof.models.judgement.shared_people import Chances, Value, chances_of_shared
from kproof.models.judgement.thresholds import Thresholds

MOST_CROSSINGS = 200_000
"""Pairs of rows of people with several rows that are looked at."""


def composition(publication: Publication, thresholds: Thresholds) -> Iterator[Finding]:
    """Yield what a publication tells beside the releases before it, and did not tell alone."""
    if not publication.earlier:
        yield Finding(
            Criterion.COMPOSITION,
            Standing.MET,
            "no release is registered here",
            people=publication.people,
        )
        return
    tally = _Tally(publication, thresholds)
    for release in publication.earlier:
        tally.read((release,))
    followed = tuple(one for one in publication.earlier if one.person is not None)
    if len(followed) > 1:
        tally.read(followed)
    yield from tally.findings()


@dataclass(frozen=True, eq=False)
class _Side:
    """One release, as classes of people and of values."""

    class_of: list[int]
    """Class of each row by what is known."""
    values: list[Value]
    """The shared secret values of each row."""
    person: list[int]
    """Whom each row is about, -1 for somebody else."""
    counts: Mapping[int, Counter[Value]]
    """By class, how often each value occurs."""

    @classmethod
    def of(
        cls, columns: Sequence[PublishedColumn], person: Codes, names: Sequence[str], exact: bool
    ) -> _Side:
        """Group the rows of a release; what is inferred is not known."""
        rows = len(person)
        known = [column for column in columns if column.known and column.name not in names]
        class_of, _ = group_codes([(one.states, len(one.texts) + 1) for one in known], rows)
        named = {column.name: column for column in columns}
        cells = []
        for column in (named[name] for name in names):
            written: Sequence[object] = column.texts
            if exact and column.numbers is not None:
                written = column.numbers
            cells.append([[*written, None][code] for code in column.codes.tolist()])
        side = cls(class_of.tolist(), list(zip(*cells, strict=True)), person.tolist(), {})
        counts: dict[int, Counter[Value]] = defaultdict(Counter)
        for index, value in zip(side.class_of, side.values, strict=True):
            counts[index][value] += 1
        return cls(side.class_of, side.values, side.person, counts)

    @cached_property
    def rows_of(self) -> Mapping[int, list[int]]:
        """The rows of each person who is in the publication."""
        rows: dict[int, list[int]] = defaultdict(list)
        for row, person in enumerate(self.person):
            if person >= 0:
                rows[person].append(row)
        return rows

    @cached_property
    def people_of(self) -> Mapping[int, set[int]]:
        """The people of each class who are in the publication."""
        people: dict[int, set[int]] = defaultdict(set)
        for index, person in zip(self.class_of, self.person, strict=True):
            if person >= 0:
                people[index].add(person)
        return people

    @cached_property
    def one_row_each(self) -> bool:
        """Whether nobody has several rows."""
        return all(len(rows) == 1 for rows in self.rows_of.values())


@dataclass(eq=False)
class _Shares:
    """What everybody knows of the secret columns: how common each value is."""

    columns: Sequence[PublishedColumn]
    thresholds: Thresholds
    exact: bool
    judged: dict[int, tuple[bool, bool, Fraction]] = field(default_factory=dict)

    @cached_property
    def _ascending(self) -> list[list[Fraction]]:
        return [
            sorted(
                column.numbers[code] for code in column.codes.tolist() if code >= 0
            )
            if self.exact and column.numbers is not None
            else []
            for column in self.columns
        ]

    @cached_property
    def _counts(self) -> list[Counter[object]]:
        return [
            Counter(column.texts[code] for code in column.codes.tolist() if code >= 0)
            for column in self.columns
        ]

    def of(self, place: int, value: object) -> Fraction:
        """Return the share of the publication that has a value, or a number near it."""
        ascending = self._ascending[place]
        if isinstance(value, Fraction):
            low, high = self._window(value)
            there = bisect_right(ascending, high) - bisect_left(ascending, low)
        else:
            there = self._counts[place][value]
        return Fraction(there, max(self.columns[place].rows, 1))

    def _window(self, value: Fraction) -> tuple[Fraction, Fraction]:
        reach = abs(value) * self.thresholds.window
        return value - reach, value + reach

    def judge(self, chances: Chances) -> tuple[bool, bool, Fraction]:
        """Say whether somebody is found out for certain, whether for sure, and the largest chance.

        Values that so many have that they tell nothing are left out.
        """
        certain, sure, largest = False, False, Fraction(0)
        for place in range(len(self.columns)):
            for value, weight in self._marginal(chances, place):
                if weight * largest.denominator <= largest.numerator * chances.total:
                    continue
                share = self.of(place, value)
                if share >= self.thresholds.common:
                    continue
                largest = min(Fraction(weight, chances.total), Fraction(1))
                certain |= largest == 1
            sure |= any(
                Fraction(weight, chances.total) >= self.of(place, value) + self.thresholds.gain
                for value, weight in self._marginal(chances, place)
                if weight >= self.thresholds.gain * chances.total
            )
        return certain, sure, largest

    def _marginal(self, chances: Chances, place: int) -> list[tuple[object, int]]:
        """Return the weight of each value of one column; of a number, of all near it."""
        weights: Counter[object] = Counter()
        for value, weight in chances.weights.items():
            if weight and value[place] is not None:
                weights[value[place]] += weight
        numbers = sorted(value for value in weights if isinstance(value, Fraction))
        if not numbers:
            return list(weights.items())
        sums = [0]
        for number in numbers:
            sums.append(sums[-1] + weights[number])
        near = []
        for number in numbers:
            low, high = self._window(number)
            near.append(
                (number, sums[bisect_right(numbers, high)] - sums[bisect_left(numbers, low)])
            )
        return near


class _Tally:
    """Who is found out, over all releases and secret columns."""

    def __init__(self, publication: Publication, thresholds: Thresholds) -> None:
        self.publication = publication
        self.thresholds = thresholds
        self.certain: set[int] = set()
        self.sure: set[int] = set()
        self.joined: dict[int, Fraction] = {}
        self.gone: dict[str, set[int]] = defaultdict(set)
        """Rows of an earlier release whose people are in no later one, and are found out."""
        self.at_worst: set[int] = set()
        self.largest = Fraction(0)
        self.open: list[str] = []

    def read(self, releases: Sequence[EarlierRelease]) -> None:
        """Cross the publication with earlier releases, in what is secret in all."""
        names = ", ".join(release.name for release in releases)
        for columns in (self.publication.columns, *(release.columns for release in releases)):
            for column in columns:
                if column.secret and any(len(atoms) > 1 for atoms in column.atoms or ()):
                    self.open.append(
                        f"{column.name} is generalized, and what that tells beside {names} is not "
                        "computed; publish its values, or leave it out"
                    )
                    return
        secret = [
            {column.name for column in release.columns if column.secret} for release in releases
        ]
        shared = [
            column.name
            for column in self.publication.secrets
            if all(column.name in names for names in secret)
        ]
        whole = tuple(shared)
        for names in dict.fromkeys([whole, *((name,) for name in shared)] if shared else []):
            self._cross(releases, names, joins=names == whole and len(releases) == 1)

    def _cross(
        self, releases: Sequence[EarlierRelease], names: Sequence[str], *, joins: bool
    ) -> None:
        every = [self.publication.columns, *(release.columns for release in releases)]
        named = [{column.name: column for column in columns} for columns in every]
        exact = all(one[name].numbers is not None for name in names for one in named)
        persons = [self.publication.persons] + [
            np.full(release.columns[0].rows, -1) if release.person is None else release.person
            for release in releases
        ]
        sides = [
            _Side.of(columns, person, names, exact)
            for columns, person in zip(every, persons, strict=True)
        ]
        shares = _Shares([named[0][name] for name in names], self.thresholds, exact)
        followed = releases[0].person is not None
        meetings = None
        if not followed:
            meetings = meeting_classes(every[0], sides[0].class_of, every[1], sides[1].class_of)
            self._by_labels(releases[0], sides, shares, meetings)
        elif all(side.one_row_each for side in sides):
            self._by_people(releases, sides, shares)
        else:
            self._by_rows(releases, sides, shares)
        if joins and (followed or meetings is not None):
            self._join(sides[0], sides[1], None if meetings is None else set(meetings), exact)

    def _by_people(
        self, releases: Sequence[EarlierRelease], sides: Sequence[_Side], shares: _Shares
    ) -> None:
        """Judge each meeting of classes, of people who have one row in each release."""
        alone = [_alone(side, shares) for side in sides]
        there = [
            {person: side.class_of[rows[0]] for person, rows in side.rows_of.items()}
            for side in sides
        ]
        meetings: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for person in there[0]:
            if all(person in classes for classes in there[1:]):
                meetings[tuple(classes[person] for classes in there)].append(person)
        for meeting, people in meetings.items():
            counts = [side.counts[index] for side, index in zip(sides, meeting, strict=True)]
            both, others = chances_of_shared(counts, len(people))
            if both is None or not both.total:
                # Somebody's value changed: whoever takes it for the same multiplies nevertheless.
                weights = {value: prod(one[value] for one in counts) for value in counts[0]}
                both = Chances(weights, sum(weights.values()))
            before = [flags[index] for flags, index in zip(alone, meeting, strict=True)]
            if both.total:
                self._mark(people, shares.judge(both), before)
            if len(sides) > 2:
                continue
            for side, index, rest, flags in zip(sides, meeting, others, before, strict=True):
                if rest is not None and rest.total:
                    verdict = shares.judge(rest)
                    self._mark(side.people_of[index] - set(people), verdict, [flags])
                    if side is sides[1] and verdict[0] and not flags[0]:
                        self.gone[releases[0].name] |= {
                            row
                            for row, of_row in enumerate(side.class_of)
                            if of_row == index and side.person[row] < 0
                        }

    def _by_rows(
        self, releases: Sequence[EarlierRelease], sides: Sequence[_Side], shares: _Shares
    ) -> None:
        """Judge people with several rows: together where they agree, else row by row."""
        alone = [_alone(side, shares) for side in sides]
        judged: dict[tuple[int, ...], tuple[bool, bool, Fraction]] = {}
        crossings, unread = 0, 0
        for person in sides[0].rows_of:
            if not all(person in side.rows_of for side in sides):
                continue
            held = [
                [(side.values[row], side.class_of[row]) for row in side.rows_of[person]]
                for side in sides
            ]
            if len({value for rows in held for value, _ in rows}) == 1:
                visited = [Counter(index for _, index in rows) for rows in held]
                chances = _of_constant(sides, visited)
                before = [flags[i] for flags, one in zip(alone, visited, strict=True) for i in one]
                self._mark([person], shares.judge(chances), before)
                continue
            for value in set.intersection(*({one for one, _ in rows} for rows in held)):
                visits = [{index for one, index in rows if one == value} for rows in held]
                crossings += prod(map(len, visits))
                if crossings > MOST_CROSSINGS:
                    unread += 1
                    break
                for meeting in product(*visits):
                    if meeting not in judged:
                        ones = [Counter([index]) for index in meeting]
                        judged[meeting] = shares.judge(_of_constant(sides, ones))
                    before = [flags[i] for flags, i in zip(alone, meeting, strict=True)]
                    self._mark([person], judged[meeting], before)
        if unread:
            names = ", ".join(release.name for release in releases)
            self.open.append(
                f"{unread} people have too many rows to be crossed with {names}; publish a row "
                "for each person"
            )

    def _by_labels(
        self,
        release: EarlierRelease,
        sides: Sequence[_Side],
        shares: _Shares,
        meetings: Sequence[tuple[int, int]] | None,
    ) -> None:
        """Judge, of nobody in particular, classes whose labels may be of the same person."""
        if meetings is None:
            self.open.append(
                f"{release.name} has too many classes to be compared by labels; name the column "
                "that says whom rows are about"
            )
            return
        alone = [_alone(side, shares) for side in sides]
        seen = [Counter(pair[place] for pair in meetings) for place in (0, 1)]
        rows_of: dict[int, set[int]] = defaultdict(set)
        for index, person in zip(sides[0].class_of, sides[0].person, strict=True):
            rows_of[index].add(person)
        for first, second in meetings:
            counts = [sides[0].counts[first], sides[1].counts[second]]
            fits = (counts[0] & counts[1]).total()
            if not fits:
                continue
            # Classes that meet no other hold the same people but for those who came or left.
            people = fits if seen[0][first] == seen[1][second] == 1 else 1
            both, [left, came] = chances_of_shared(counts, people)
            for chances in (both, left if people > 1 else None, came if people > 1 else None):
                if chances is None:
                    continue
                certain, sure, _ = shares.judge(chances)
                if (certain and not alone[0][first][0]) or (sure and not alone[0][first][1]):
                    self.at_worst |= rows_of[first] - {-1}

    def _join(
        self, side: _Side, other: _Side, may: set[tuple[int, int]] | None, numbers: bool
    ) -> None:
        """Join rows by secret values that occur once in each release.

        ``may`` has the classes that may share a person, None where people are followed.
        """
        row_of, row_in = _single(side.values), _single(other.values)
        pairs = [(row_of[value], row_in[value]) for value in row_of.keys() & row_in.keys()]
        if may is None:
            pairs = [pair for pair in pairs if side.person[pair[0]] == other.person[pair[1]]]
        meetings: dict[tuple[int, int], set[int]] = defaultdict(set)
        for row, match in pairs:
            if side.person[row] >= 0:
                meetings[side.class_of[row], other.class_of[match]].add(side.person[row])
        for (first, second), joined in meetings.items():
            if may is not None and (first, second) not in may:
                continue
            among = joined
            if may is None:
                among = side.people_of[first] & other.people_of[second]
            if len(among) == len(side.people_of[first]):
                continue
            if may is not None and not numbers:
                # Words may well occur once in each release and be of different people.
                self.at_worst |= joined
                continue
            for person in joined:
                chance = Fraction(1, len(among))
                self.joined[person] = max(chance, self.joined.get(person, chance))

    def _mark(
        self,
        people: Iterable[int],
        verdict: tuple[bool, bool, Fraction],
        before: Sequence[tuple[bool, bool]],
    ) -> None:
        """Note people whom releases find out together and none of them alone."""
        certain, sure, largest = verdict
        if certain and not any(one for one, _ in before):
            self.certain.update(people)
        if sure and not any(one for _, one in before):
            self.sure.update(people)
        if not any(one for one, _ in before):
            self.largest = max(self.largest, largest)

    def findings(self) -> Iterator[Finding]:
        """Yield what stands against the publication, or that nothing does."""
        limits, people = self.thresholds, self.publication.people
        names = ", ".join(release.name for release in self.publication.earlier)
        unit, broken = self.publication.unit, False
        gone = sum(map(len, self.gone.values()))
        if self.certain or gone:
            before = f", and {gone} who are only in an earlier release," if gone else ""
            yield self._finding(
                Standing.BROKEN,
                f"{len(self.certain)} of {people} {unit}{before} are found out for certain by "
                f"whoever reads {names} beside this release",
                self.certain,
                Fraction(1),
                extra=gone,
            )
            broken = True
        bets = self.sure - self.certain
        if len(bets) > limits.bets * people:
            yield self._finding(
                Standing.BROKEN,
                f"{len(bets)} of {people} {unit} are a sure bet for whoever reads {names} beside "
                "this release",
                bets,
                self.largest,
            )
            broken = True
        above = {person for person, chance in self.joined.items() if chance > limits.largest}
        if len(above) > limits.above * people:
            yield self._finding(
                Standing.BROKEN,
                f"rows join with those of {names} by exact secret values, and what is known of "
                f"both picks {len(above)} of {people} {unit} with more than "
                f"{limits.largest} chance",
                above,
                max(self.joined[person] for person in above),
                limits.largest,
            )
            broken = True
        if self.at_worst - self.certain:
            self.open.append(
                f"up to {len(self.at_worst)} of {people} {unit} may be found out by labels that "
                f"meet those of {names}; name the column that says whom rows are about"
            )
        for sentence in self.open:
            yield self._finding(Standing.OPEN, sentence, self.at_worst, None)
        if not broken and not self.open:
            yield self._finding(
                Standing.MET,
                f"nobody is found out by whoever reads {names} beside this release",
                set(),
                self.largest,
            )

    def _finding(
        self,
        standing: Standing,
        sentence: str,
        hit: set[int],
        figure: Fraction | None,
        threshold: Fraction | None = None,
        *,
        extra: int = 0,
    ) -> Finding:
        rows = np.isin(self.publication.persons, np.fromiter(hit, dtype=np.int64, count=len(hit)))
        remedies = {Standing.BROKEN: Remedy.REUSE_CLASSES, Standing.OPEN: Remedy.CONFIRM}
        return Finding(
            Criterion.COMPOSITION,
            standing,
            sentence,
            hit=len(hit) + extra,
            people=self.publication.people,
            figure=figure,
            threshold=threshold,
            remedy=remedies.get(standing),
            victims=np.flatnonzero(rows).astype(np.int64),
        )


def _alone(side: _Side, shares: _Shares) -> Mapping[int, tuple[bool, bool]]:
    """Return by class whether a release alone finds its people out, for certain or for sure."""
    return {
        index: shares.judge(Chances(counts, counts.total()))[:2]
        for index, counts in side.counts.items()
    }


def _of_constant(sides: Sequence[_Side], visited: Sequence[Counter[int]]) -> Chances:
    """Return what is believed of a person all of whose rows have one value."""
    classes = [
        (side.counts[index], rows)
        for side, visits in zip(sides, visited, strict=True)
        for index, rows in visits.items()
    ]
    weights = {
        value: prod(comb(counts[value], rows) for counts, rows in classes)
        for value in classes[0][0]
    }
    return Chances(weights, sum(weights.values()))


def _single(values: Sequence[Value]) -> dict[Value, int]:
    """Return the row of each value that occurs once and of which something was recorded."""
    counts = Counter(values)
    return {
        value: row
        for row, value in enumerate(values)
        if counts[value] == 1 and any(cell is not None for cell in value)
    }
