"""Composition: what a release tells beside earlier releases of the same people.

An adversary who knows who is in which class of each release crosses their secret values (exactly,
:mod:`kproof.models.judgement.shared_people`): whoever stayed has a value that both classes have,
and what one class has more than the other is that of people who came or left. Where a secret value
occurs once in each release, its rows join, and what is known of both singles out. Without a column
that says whom rows are about, classes are compared by their labels, at worst.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, product
from math import comb, gcd, prod

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.base.columns import group_codes
from kproof.models.judgement.beliefs import SecretBeliefs, SecretValues, surely
from kproof.models.judgement.judgement import (
    FindingStanding,
    JudgedCriterion,
    JudgedFinding,
    Remedy,
)
from kproof.models.judgement.overlap import meeting_classes
from kproof.models.judgement.people import named, of_all
from kproof.models.judgement.publication import EarlierRelease, PublishedColumn, PublishedFile
from kproof.models.judgement.shared_people import Weights, believed_of
from kproof.models.judgement.thresholds import Thresholds

MOST_CROSSINGS = 200_000
"""Meetings of classes, of people with several rows, that are looked at."""

MOST_STEPS = 20_000_000
"""Products of coefficients that counting people who stayed may take."""


def composition(publication: PublishedFile, thresholds: Thresholds) -> Iterator[JudgedFinding]:
    """Yield what a publication tells beside the releases before it, and did not tell alone."""
    if not publication.earlier:
        sentence = "no release is registered here"
        yield JudgedFinding(
            JudgedCriterion.COMPOSITION, FindingStanding.MET, sentence, people=publication.people
        )
        return
    tally = _Tally(publication, thresholds)
    followed = tuple(one for one in publication.earlier if one.person is not None)
    for releases in (*((one,) for one in publication.earlier), *[followed][: len(followed) - 1]):
        shared = tally.shared(releases)
        for names in dict.fromkeys([shared, *((name,) for name in shared)] if shared else []):
            tally.cross(releases, names, joins=names == shared and len(releases) == 1)
    yield from tally.findings()


@dataclass(frozen=True, eq=False)
class _Side:
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
    def people_of(self) -> Mapping[int, set[int]]:
        """The people of each class; those who are in an earlier release only are -1 less a row."""
        people: dict[int, set[int]] = defaultdict(set)
        for row, index in enumerate(self.class_of.tolist()):
            person = int(self.person[row])
            people[index].add(person if person >= 0 else -1 - row)
        return people


@dataclass(frozen=True, eq=False)
class _Belief:
    """What is believed of some people, and the classes in which they are known anyway."""

    people: Iterable[int]
    weights: Weights
    alone: Sequence[tuple[int, int]]
    """Side and class."""


class _Tally:
    """Who is found out, over all releases and secret columns."""

    def __init__(self, publication: PublishedFile, thresholds: Thresholds) -> None:
        self.publication, self.thresholds = publication, thresholds
        self.certain: set[int] = set()
        self.sure: set[int] = set()
        self.gone: set[tuple[str, int]] = set()
        """Rows of earlier releases whose people are in no later one."""
        self.joined: dict[int, Fraction] = {}
        self.at_worst: set[int] = set()
        self.open: list[str] = []

    def shared(self, releases: Sequence[EarlierRelease]) -> tuple[str, ...]:
        """Return the columns that are secret in all, if what they tell can be computed."""
        every = [self.publication.columns, *(release.columns for release in releases)]
        for column in chain(*every):
            if column.secret and any(len(atoms) > 1 for atoms in column.atoms or ()):
                self.open.append(
                    f"{column.name} is generalized, and what that tells beside "
                    f"{named(one.name for one in releases)} is not computed; publish its values, "
                    "or leave it out"
                )
                return ()
        names = [{column.name for column in columns if column.secret} for columns in every]
        return tuple(
            name
            for name in dict.fromkeys(column.name for column in self.publication.secrets)
            if all(name in one for one in names)
        )

    def cross(
        self, releases: Sequence[EarlierRelease], names: Sequence[str], *, joins: bool
    ) -> None:
        """Note whom the publication and earlier releases find out by some columns."""
        every = [self.publication.columns, *(release.columns for release in releases)]
        united = [_united([_named(columns, name) for columns in every]) for name in names]
        persons = [self.publication.persons] + [
            np.full(one.columns[0].rows, -1, dtype=np.int64) if one.person is None else one.person
            for one in releases
        ]
        rows = np.cumsum([len(person) for person in persons])
        value, count = group_codes(
            [(column.states, len(column.texts) + 1) for column in united], int(rows[-1])
        )
        first = np.unique(value, return_index=True)[1][:count]
        sides = []
        for columns, own, person in zip(every, np.split(value, rows[:-1]), persons, strict=True):
            known = [one for one in columns if one.known and one.name not in names]
            states = [(one.states, len(one.texts) + 1) for one in known]
            sides.append(_Side(group_codes(states, len(person))[0], own, person))
        meetings = None
        if releases[0].person is None:
            meetings = meeting_classes(every[0], sides[0].class_of, every[1], sides[1].class_of)
            if meetings is None:
                self.open.append(
                    f"{releases[0].name} has too many classes to be compared by labels; name the "
                    "column that says whom rows are about"
                )
                return
        beliefs = list(self._beliefs(releases, sides, meetings))
        for column in united:
            self._judge(column, column.codes[first], sides, beliefs, releases)
        if joins:
            exact = all(column.numbers is not None for column in united)
            self._join(sides[0], sides[1], None if meetings is None else set(meetings), exact)

    def _beliefs(
        self,
        releases: Sequence[EarlierRelease],
        sides: Sequence[_Side],
        meetings: Sequence[tuple[int, int]] | None,
    ) -> Iterator[_Belief]:
        if meetings is not None:
            yield from _of_labels(sides, meetings)
        elif all(len(rows) == 1 for side in sides for rows in side.rows_of.values()):
            yield from self._of_people(releases, sides)
        else:
            yield from self._of_rows(releases, sides)

    def _of_people(
        self, releases: Sequence[EarlierRelease], sides: Sequence[_Side]
    ) -> Iterator[_Belief]:
        """Yield what each meeting of classes tells of people with one row in each release."""
        meetings: dict[tuple[int, ...], set[int]] = defaultdict(set)
        for person in sides[0].rows_of:
            if all(person in side.rows_of for side in sides):
                meetings[tuple(side.rows_of[person][0][1] for side in sides)].add(person)
        steps = 0
        for meeting, people in meetings.items():
            counts = [side.counts[index] for side, index in zip(sides, meeting, strict=True)]
            if len(people) < min(one.total() for one in counts):
                steps += len(counts[0]) * len(people) ** 2
            if steps > MOST_STEPS:
                self.open.append(
                    f"classes have too many people in common with those of {releases[0].name} to "
                    "be counted; publish those classes again, or smaller ones"
                )
                return
            believed = believed_of(counts, len(people))
            if not believed:
                # Somebody's value changed: whoever takes it for the same multiplies nevertheless.
                believed = [{v: prod(one[v] for one in counts) for v in counts[0]}]
            alone = list(enumerate(meeting))
            yield _Belief(people, believed[0], alone)
            if len(sides) == 2:
                for weights, (place, index) in zip(believed[1:], alone, strict=False):
                    others = sides[place].people_of[index] - people
                    yield _Belief(others, weights, [(place, index)])

    def _of_rows(
        self, releases: Sequence[EarlierRelease], sides: Sequence[_Side]
    ) -> Iterator[_Belief]:
        """Yield what is told of people with several rows: all together where they agree."""
        crossings, unread = 0, 0
        for person in sides[0].rows_of:
            held = [side.rows_of.get(person, []) for side in sides]
            constant = len({value for rows in held for value, _ in rows}) == 1
            visits: list[Sequence[Sequence[tuple[int, int]]]] = []
            if constant and all(held):
                visits = [
                    [[(place, index) for place, rows in enumerate(held) for _, index in rows]]
                ]
            else:
                for value in set.intersection(*({value for value, _ in rows} for rows in held)):
                    classes = [{index for own, index in rows if own == value} for rows in held]
                    crossings += prod(map(len, classes))
                    if crossings > MOST_CROSSINGS:
                        unread += 1
                        break
                    visits.append([list(enumerate(meeting)) for meeting in product(*classes)])
            for visit in chain(*visits):
                rows = Counter(visit)
                start = sides[0].counts[visit[0][1]]
                weights = {
                    v: prod(comb(sides[s].counts[i][v], n) for (s, i), n in rows.items())
                    for v in start
                }
                yield _Belief([person], weights, visit)
        if unread:
            self.open.append(
                f"{unread} people have too many rows to be crossed with "
                f"{named(one.name for one in releases)}; publish a row for each person"
            )

    def _judge(
        self,
        column: PublishedColumn,
        code_of: Codes,
        sides: Sequence[_Side],
        beliefs: Sequence[_Belief],
        releases: Sequence[EarlierRelease],
    ) -> None:
        """Note of whom a column is certain or a sure bet together, and in no release alone."""
        own = replace(column, codes=column.codes[: self.publication.rows])
        values = SecretValues.of(own, self.thresholds.window)

        def sure_of(every: Sequence[Weights]) -> list[tuple[bool, bool]]:
            pairs = [(group, v, n) for group, one in enumerate(every) for v, n in one.items() if n]
            if not pairs:
                return [(False, False)] * len(every)
            group, value, weight = zip(*pairs, strict=True)
            kind = np.int64 if max(weight) < 1 << 32 else object
            counted = SecretBeliefs.counted(
                np.array(group), code_of[list(value)], len(every), values, np.array(weight, kind)
            )
            judged = surely(counted, values, self.thresholds)
            some = [any(one.values()) for one in every]
            return list(zip(judged.certain & some, judged.bet & some, strict=True))

        alone = [
            dict(zip(side.counts, sure_of(list(side.counts.values())), strict=True))
            for side in sides
        ]
        together = sure_of([_reduced(belief.weights) for belief in beliefs])
        for belief, (certain, sure) in zip(beliefs, together, strict=True):
            before = [alone[place][index] for place, index in belief.alone]
            certain = certain and not any(one for one, _ in before)
            sure = sure and not any(one for _, one in before)
            there = {person for person in belief.people if person >= 0}
            if releases[0].person is None:
                self.at_worst |= there if certain or sure else set()
                continue
            self.certain |= there if certain else set()
            self.sure |= there if sure else set()
            if certain:
                gone = {(releases[0].name, person) for person in belief.people if person < 0}
                self.gone |= gone if belief.alone[0][0] else set()

    def _join(
        self, side: _Side, other: _Side, may: set[tuple[int, int]] | None, exact: bool
    ) -> None:
        """Join rows by secret values that occur once in each release.

        ``may`` has the classes that may share a person, None where people are followed.
        """
        single = [
            np.unique(one.value, return_index=True, return_counts=True) for one in (side, other)
        ]
        row_of, row_in = (
            dict(zip(v[n == 1].tolist(), r[n == 1].tolist(), strict=True)) for v, r, n in single
        )
        meetings: dict[tuple[int, int], set[int]] = defaultdict(set)
        for value in row_of.keys() & row_in.keys():
            row, match = row_of[value], row_in[value]
            meeting = int(side.class_of[row]), int(other.class_of[match])
            person = int(side.person[row])
            same = person == other.person[match] if may is None else meeting in may
            if person >= 0 and same:
                meetings[meeting].add(person)
        for (first, second), joined in meetings.items():
            among = joined
            if may is None:
                among = side.people_of[first] & other.people_of[second]
            if len(among) < len(side.people_of[first]):
                if may is not None and not exact:
                    # Words may well occur once in each release and be of different people.
                    self.at_worst |= joined
                    continue
                chance = Fraction(1, len(among))
                for person in joined:
                    self.joined[person] = max(chance, self.joined.get(person, chance))

    def findings(self) -> Iterator[JudgedFinding]:
        """Yield what stands against the publication, or that nothing does."""
        limits, publication = self.thresholds, self.publication
        beside = f"beside {named(release.name for release in publication.earlier)}"
        above = {person for person, chance in self.joined.items() if chance > limits.largest}
        left = f", and {len(self.gone)} who are in an earlier release only," if self.gone else ""
        broken = [
            (self.certain, f"{left} are certain {beside}, and in no release alone", Fraction(0)),
            (self.sure - self.certain, f" are a sure bet {beside}, and alone are not", limits.bets),
            (above, f" are singled out {beside}, whose rows join by exact values", limits.above),
        ]
        findings = []
        for hit, words, limit in broken:
            extra = len(self.gone) if hit is self.certain else 0
            if len(hit) + extra > limit * publication.people:
                sentence = f"{of_all(len(hit), publication)}{words}"
                findings.append(self._finding(FindingStanding.BROKEN, sentence, hit, limit, extra))
        if self.at_worst:
            self.open.append(
                f"up to {of_all(len(self.at_worst), publication)} may be found out by labels "
                f"{beside}; name the column that says whom rows are about"
            )
        opened = [*dict.fromkeys(self.open)]
        findings += [self._finding(FindingStanding.OPEN, one, self.at_worst) for one in opened]
        sentence = f"nobody is found out {beside} who is not in one of them alone"
        yield from findings or [self._finding(FindingStanding.MET, sentence, set())]

    def _finding(
        self,
        standing: FindingStanding,
        sentence: str,
        hit: set[int],
        threshold: Fraction | None = None,
        extra: int = 0,
    ) -> JudgedFinding:
        people = self.publication.people
        remedies = {
            FindingStanding.BROKEN: Remedy.REUSE_CLASSES,
            FindingStanding.OPEN: Remedy.CONFIRM,
        }
        return JudgedFinding(
            JudgedCriterion.COMPOSITION,
            standing,
            sentence,
            hit=len(hit) + extra,
            people=people,
            figure=None if threshold is None else Fraction(len(hit) + extra, max(people, 1)),
            threshold=threshold,
            remedy=remedies.get(standing),
            victims=np.flatnonzero(np.isin(self.publication.persons, sorted(hit))).astype(np.int64),
        )


def _of_labels(sides: Sequence[_Side], meetings: Sequence[tuple[int, int]]) -> Iterator[_Belief]:
    """Yield what classes tell, at worst, of anybody whom the labels of both may be of."""
    first, second = (Counter(meeting[place] for meeting in meetings) for place in (0, 1))
    for one, other in meetings:
        counts = [sides[0].counts[one], sides[1].counts[other]]
        fits = (counts[0] & counts[1]).total()
        # Classes that meet no other hold the same people, but for those who came or left. Of others
        # nobody knows how many are in both: one, or as many as can be.
        same = first[one] == second[other] == 1
        for people in {fits} if same else {1, fits}:
            for weights in believed_of(counts, people) if fits else []:
                yield _Belief(sides[0].people_of[one], weights, [(0, one), (1, other)])


def _named(columns: Sequence[PublishedColumn], name: str) -> PublishedColumn:
    return next(column for column in columns if column.name == name)


def _united(columns: Sequence[PublishedColumn]) -> PublishedColumn:
    """Return a column with the rows of several; numbers are alike if they are equal."""
    exact = all(column.numbers is not None for column in columns)
    place: dict[object, int] = {}
    codes, texts, numbers = [], [], []
    for column in columns:
        own: Sequence[Fraction | str] = column.texts
        if exact and column.numbers is not None:
            own = column.numbers
        for text, value in zip(column.texts, own, strict=True):
            if value not in place:
                place[value] = len(place)
                texts.append(text)
                numbers.append(value)
        codes.append(np.array([*(place[value] for value in own), -1], dtype=np.int64)[column.codes])
    measured = tuple(one for one in numbers if isinstance(one, Fraction))
    return replace(
        columns[0],
        codes=np.concatenate(codes),
        texts=tuple(texts),
        numbers=measured if exact else None,
        atoms=None,
    )


def _reduced(weights: Weights) -> Weights:
    divisor = gcd(*weights.values()) or 1
    return {value: weight // divisor for value, weight in weights.items()}
