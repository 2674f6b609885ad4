"""Composition: what a release tells beside earlier releases of the same people.

An adversary who knows who is in which class of each release crosses their secret values (exactly,
:mod:`kproof.models.judgement.releases.crossing`): whoever stayed has a value that both classes
have, and what one class has more than the other is that of people who came or left. So is what
classes together have more, if the same people are in them: their margins are subtracted, and those
of counts. Where a secret value occurs once in each release, its rows join, and what is known of
both singles out. Without a column that says whom rows are about, classes are compared by their
labels, at worst.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import chain, product
from math import comb, prod

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.base.columns import group_codes
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.judgement.findings import FindingStanding, JudgedCriterion, JudgedFinding, Remedy
from kproof.models.judgement.people import list_names, of_all
from kproof.models.judgement.publication import EarlierRelease, PublishedColumn, PublishedFile
from kproof.models.judgement.releases import crossing
from kproof.models.judgement.releases.overlap import covers_several, pair_classes_that_meet
from kproof.models.judgement.releases.receipts import SUFFIX
from kproof.models.judgement.secrets.beliefs import SecretBeliefs, SecretValues, surely
from kproof.models.judgement.secrets.views import views
from kproof.models.judgement.thresholds import GUESSED, Thresholds

MOST_CROSSINGS = 200_000
"""Meetings of classes, of people with several rows, that are looked at."""

MOST_STEPS = 20_000_000
"""Products of coefficients that counting people who stayed may take."""


def composition(publication: PublishedFile, thresholds: Thresholds) -> Iterator[JudgedFinding]:
    """Yield what a publication tells beside the releases before it, and did not tell alone."""
    if not publication.earlier:
        yield JudgedCriterion.COMPOSITION.met("no release is registered here", publication.people)
        return
    tally = _Tally(publication, thresholds)
    earlier = [tally.under_own_names(release) for release in publication.earlier]
    if followed := tuple(release for release in earlier if release.person is not None):
        # A copy that says whom rows are about stands for the file that was published.
        copies = [crossing.rows_in(release) for release in followed]
        earlier = [
            release
            for release in earlier
            if release in followed or crossing.rows_in(release) not in copies
        ]
    shared = {release: tally.secrets_in_all((release,)) for release in earlier}
    for release, names in shared.items():
        # Counts say nothing of who has a value in one column and another in the next.
        together = [] if release.counts or not names else [names]
        for some in dict.fromkeys([*together, *((name,) for name in names)]):
            tally.cross((release,), some, joins=some == names)
    # What two tell of somebody together, neither may tell beside this one. Those that nobody
    # follows stand first: with one of them people are compared by labels.
    with_rows = sorted(
        (release for release in earlier if not release.counts),
        key=lambda release: release.person is not None,
    )
    for several in dict.fromkeys([followed, tuple(with_rows)]):
        in_any = dict.fromkeys(chain(*(shared[release] for release in several)))
        in_all = tuple(n for n in in_any if all(n in shared[release] for release in several))
        for names in dict.fromkeys([in_all, *((name,) for name in in_any)]):
            having = [release for release in several if {*names} <= {*shared[release]}]
            # One by itself was crossed already.
            if names and len(having) > 1:
                tally.cross(having, names, joins=False)
    yield from tally.findings()


Releases = Sequence[EarlierRelease]
Sides = Sequence[crossing.ReleaseSide]


class _Tally:
    """Who is found out, over all releases and secret columns."""

    def __init__(self, publication: PublishedFile, thresholds: Thresholds) -> None:
        self.publication, self.thresholds = publication, thresholds
        self.certain: set[int] = set()
        self.sure: set[int] = set()
        self.gone: set[tuple[str, int]] = set()
        """Rows of earlier releases whose people are in no later one, and who are certain."""
        self.gone_sure: set[tuple[str, int]] = set()
        """Those of whom a bet is sure, certain or not."""
        self.joined: dict[int, Fraction] = {}
        self.at_worst: set[int] = set()
        self.gone_at_worst = False
        """Whether somebody who is in an earlier release only may be found out by labels."""
        self.open: list[str] = []
        self.renamed: list[str] = []
        """What earlier releases call columns, a few words each."""

    def under_own_names(self, release: EarlierRelease) -> EarlierRelease:
        """Return a release whose secrets have the names that the publication gives them.

        A heading is changed in a moment, and rows join by what stands under it.
        """
        names = {column.name for column in release.columns}
        own_names = {column.name for column in self.publication.columns}
        columns = list(release.columns)
        for secret in self.publication.secrets:
            for place, column in enumerate(columns):
                # Only what has no namesake on either side: a shared name is taken at its word.
                unmatched = column.name not in own_names and secret.name not in names
                if unmatched and crossing.as_often(secret, column):
                    self.renamed.append(
                        f"whose {list_names([column.name])} is {list_names([secret.name])}"
                    )
                    columns[place] = replace(column, name=secret.name, knowledge=secret.knowledge)
                    names.add(secret.name)
        return replace(release, columns=tuple(columns))

    @property
    def trees(self) -> Mapping[str, Taxonomy]:
        """The hierarchies of known columns, as far as the source says them."""
        table = self.publication.table
        columns = () if table is None else table.quasi_identifiers
        return {own.name: own.taxonomy for own in columns if own.taxonomy is not None}

    @property
    def beside(self) -> str:
        """The releases before, and what they call by another name."""
        names = f"beside {list_names(release.name for release in self.publication.earlier)}"
        return ", ".join([names, *self.renamed])

    @property
    def follow_advice(self) -> str:
        """What to do so that people are followed."""
        unfollowed = [release for release in self.publication.earlier if release.person is None]
        names = list_names(release.name for release in unfollowed)
        if all(release.counts for release in unfollowed):
            way = f"no person can be followed in the counts of {names}: leave out what is secret"
        elif self.publication.person is None:
            way = "name the column that says whom rows are about"
        else:
            way = (
                f"nothing says whom rows of {names} are about: name a copy that has the column of "
                "persons, or the key of its receipt (--key)"
            )
        # A file with a receipt is taken for one of the same people because of where it stands.
        receipts = list_names(f"{release.name}{SUFFIX}" for release in unfollowed if release.digest)
        if receipts != list_names(()):
            way += f"; or move {receipts} elsewhere if the rows of that file are of other people"
        return way

    def secrets_in_all(self, releases: Releases) -> tuple[str, ...]:
        """Return the columns that are secret in all, if what they tell can be computed."""
        every = [self.publication.columns, *(release.columns for release in releases)]
        for column in chain(*every):
            several = any(len(atoms) > 1 for atoms in column.atoms or ())
            if column.secret and (several or any(map(covers_several, column.texts))):
                self.open.append(
                    f"{column.name} is generalized, and what that tells beside "
                    f"{list_names(release.name for release in releases)} is not computed; publish "
                    "its values, or leave it out"
                )
                return ()
        names = [{column.name for column in columns if column.secret} for columns in every]
        secret = dict.fromkeys(column.name for column in self.publication.secrets)
        return tuple(name for name in secret if all(name in secrets for secrets in names))

    def cross(self, releases: Releases, names: Sequence[str], *, joins: bool) -> None:
        """Note whom the publication and earlier releases find out by some columns."""
        every = [self.publication.columns, *(release.columns for release in releases)]
        if releases[0].counts:
            # Columns of counts have no common rows: with others beside it lengths would differ.
            every[1] = tuple(column for column in every[1] if column.name in names)
        united = [
            crossing.unite_columns([crossing.column_of(columns, name) for columns in every])
            for name in names
        ]
        # What means the same has to be counted as the same value, too, not only believed so.
        as_cells, readings = [united], []
        if len(names) == 1:
            seen, rows = views(*united), [columns[0].rows for columns in every]
            readings = [[crossing.alike(view)] for view in seen[1:] if not view.every]
            as_cells += [[coarse] for view in seen for coarse in crossing.coarsen(view, rows)]
        respelt = [crossing.merge_spellings(column) for column in united]
        if any(merged is not column for merged, column in zip(respelt, united, strict=True)):
            as_cells.append(respelt)
        for columns in as_cells:
            self._cross(releases, every, columns, joins=joins)
        for columns in readings:
            # What is read of a text is no cell that rows join by.
            self._cross(releases, every, columns, joins=False)

    def _cross(
        self,
        releases: Releases,
        every: Sequence[Sequence[PublishedColumn]],
        united: Sequence[PublishedColumn],
        *,
        joins: bool,
    ) -> None:
        names = [column.name for column in united]
        persons = [self.publication.persons]
        for release, columns in zip(releases, every[1:], strict=True):
            nobody = np.full(columns[0].rows, -1, dtype=np.int64)
            persons.append(nobody if release.person is None else release.person)
        rows = np.cumsum([len(person) for person in persons])
        value, count = group_codes([column.key for column in united], int(rows[-1]))
        # A row of each united value, which says what any reading of the column makes of it.
        first = np.unique(value, return_index=True)[1]
        sides, known_of = [], []
        values = np.split(value, rows[:-1])
        for columns, of_rows, person in zip(every, values, persons, strict=True):
            shown = [column for column in columns if column.known and column.name not in names]
            known_of.append({column.name: column for column in shown})
            class_of, _ = group_codes([column.key for column in shown], len(person))
            sides.append(crossing.ReleaseSide(class_of, of_rows, person))
        meetings = None
        if releases[0].person is None:
            meetings = []
            for release, columns, side in zip(releases, every[1:], sides[1:], strict=True):
                pairs = pair_classes_that_meet(
                    every[0], sides[0].class_of, columns, side.class_of, self.trees
                )
                if pairs is None:
                    many = f"{release.name} has too many classes to be compared by labels"
                    self.open.append(f"{many}; {self.follow_advice}")
                    return
                meetings.append(pairs)
        beliefs = list(self._beliefs(releases, sides, meetings, labelled=all(known_of)))
        for view in chain(*map(views, united)):
            self._judge(view, view.codes[first], sides, beliefs, releases)
        if joins:
            exact = all(column.numbers is not None for column in united)
            # What both releases show in the same words is a part of what rows join by.
            words = {
                name: crossing.unite_columns([known_of[0][name], known_of[1][name]])
                for name in known_of[0].keys() & known_of[1].keys()
                if set(known_of[0][name].texts) == set(known_of[1][name].texts)
            }
            states = [(value, count), *(column.key for column in words.values())]
            keys = np.split(group_codes(states, int(rows[-1]))[0], rows[:-1])
            # A release that shows nothing else tells nothing more of whoever's rows join.
            if all({column.name for column in columns} - {*words, *names} for columns in every):
                self._join(sides, keys, None if meetings is None else {*meetings[0]}, exact)

    def _beliefs(
        self,
        releases: Releases,
        sides: Sides,
        meetings: Sequence[Sequence[tuple[int, int]]] | None,
        *,
        labelled: bool,
    ) -> Iterator[crossing.CrossedBelief]:
        if meetings is not None and len(meetings) > 1:
            many = crossing.of_labels_of_several(sides, meetings, MOST_CROSSINGS)
            yield from many or ()
            if many is None:
                names = list_names(release.name for release in releases)
                self.open.append(
                    f"{names} have too many classes to be compared by labels, all at once; "
                    f"{self.follow_advice}"
                )
        elif meetings is not None:
            # A table without labels meets every class: only what it has more or less tells.
            yield from crossing.of_labels(sides, meetings[0]) if labelled else ()
            yield from crossing.of_margins_at_worst(sides, meetings[0], self.thresholds.largest)
        elif all(len(rows) == 1 for side in sides for rows in side.rows_of.values()):
            yield from self._of_people(releases, sides)
        else:
            yield from self._of_rows(releases, sides)
        if meetings is None and len(sides) == 2:
            yield from crossing.of_margins(sides)

    def _of_people(self, releases: Releases, sides: Sides) -> Iterator[crossing.CrossedBelief]:
        """Yield what each meeting of classes tells of people with one row in each release."""
        meetings: dict[tuple[int, ...], set[int]] = defaultdict(set)
        for person in sides[0].rows_of:
            if all(person in side.rows_of for side in sides):
                meetings[tuple(side.rows_of[person][0][1] for side in sides)].add(person)
        steps = 0
        for meeting, people in meetings.items():
            counts = [side.counts[index] for side, index in zip(sides, meeting, strict=True)]
            # If all of a class stayed there is nothing to count: what both have is theirs.
            if len(people) < min(count.total() for count in counts):
                steps += len(counts[0]) * len(people) ** 2
            # Left open, not passed over: what is not counted must not read as a yes.
            if steps > MOST_STEPS:
                self.open.append(
                    f"classes have too many people in common with those of {releases[0].name} to "
                    "be counted; publish those classes again, or smaller ones"
                )
                return
            if not (believed := crossing.infer_shared_people(counts, len(people))):
                # Somebody's value changed: whoever takes it for the same multiplies nevertheless.
                believed = [{v: prod(count[v] for count in counts) for v in counts[0]}]
            alone = list(enumerate(meeting))
            yield crossing.CrossedBelief(people, believed[0], alone)
            if len(sides) == 2:
                # Not strict: where a value changed, nothing is believed of who is in one alone.
                for weights, (place, index) in zip(believed[1:], alone, strict=False):
                    remaining = sides[place].people_of[index] - people
                    yield crossing.CrossedBelief(remaining, weights, [(place, index)])

    def _of_rows(self, releases: Releases, sides: Sides) -> Iterator[crossing.CrossedBelief]:
        """Yield what is told of people with several rows: all together where they agree."""
        crossings, unread = 0, 0
        for person in sides[0].rows_of:
            by_side = [side.rows_of.get(person, []) for side in sides]
            # Whoever has one value in all rows is crossed by all of them at once; of others each
            # value is by itself, in every meeting of its classes.
            constant = len({value for rows in by_side for value, _ in rows}) == 1
            visits: list[Sequence[Sequence[tuple[int, int]]]] = []
            if constant and all(by_side):
                visits = [[[(s, i) for s, rows in enumerate(by_side) for _, i in rows]]]
            else:
                for value in set.intersection(*({value for value, _ in rows} for rows in by_side)):
                    classes = [{index for own, index in rows if own == value} for rows in by_side]
                    crossings += prod(map(len, classes))
                    if crossings > MOST_CROSSINGS:
                        unread += 1
                        break
                    visits.append([list(enumerate(meeting)) for meeting in product(*classes)])
            for visit in chain(*visits):
                rows = Counter(visit)
                start = sides[0].counts[visit[0][1]]
                # Several of her rows in one class are drawn without putting any back.
                weights = {
                    v: prod(comb(sides[s].counts[i][v], n) for (s, i), n in rows.items())
                    for v in start
                }
                yield crossing.CrossedBelief([person], weights, visit)
        if unread:
            self.open.append(
                f"{unread} people have too many rows to be crossed with "
                f"{list_names(release.name for release in releases)}; publish a row for each person"
            )

    def _judge(
        self,
        column: PublishedColumn,
        code_of: Codes,
        sides: Sides,
        beliefs: Sequence[crossing.CrossedBelief],
        releases: Releases,
    ) -> None:
        """Note of whom a column is certain or a sure bet together, and in no release alone."""
        # How common a value is, the release that leaves now says, and not all of them together.
        published = replace(column, codes=column.codes[: self.publication.rows])
        weights = [crossing.reduce_weights(belief.weights) for belief in beliefs]
        counts = [side.counts for side in sides]
        for values in SecretValues.each(published, self.thresholds.window):
            sure_of = partial(self._sure, values, code_of)
            # By the same measure: a class that is sure by itself is no fault of the other release.
            alone = [dict(zip(own, sure_of([*own.values()]), strict=True)) for own in counts]
            self._note(beliefs, sure_of(weights), alone, releases)

    def _sure(
        self, values: SecretValues, code_of: Codes, every: Sequence[crossing.Weights]
    ) -> list[tuple[bool, bool]]:
        """Say of each belief whether some value is certain, and whether it is a sure bet."""
        pairs = [(g, v, n) for g, weights in enumerate(every) for v, n in weights.items() if n]
        if not pairs:
            return [(False, False)] * len(every)
        group, value, weight = zip(*pairs, strict=True)
        # SecretBeliefs takes 64-bit weights of a group to sum to less than 2^50.
        kind = np.int64 if max(weight) < 1 << 32 else object
        counted = SecretBeliefs.count(
            np.array(group), code_of[list(value)], len(every), values, np.array(weight, kind)
        )
        judged = surely(counted, values, self.thresholds)
        return list(zip(judged.certain, judged.bet, strict=True))

    def _note(
        self,
        beliefs: Sequence[crossing.CrossedBelief],
        together: Sequence[tuple[bool, bool]],
        alone: Sequence[Mapping[int, tuple[bool, bool]]],
        releases: Releases,
    ) -> None:
        """Note the people of beliefs that are too sure, and are so in no release alone."""
        for belief, (certain, sure) in zip(beliefs, together, strict=True):
            before = [alone[place][index] for place, index in belief.alone]
            certain = certain and not any(certain_alone for certain_alone, _ in before)
            sure = sure and not any(sure_alone for _, sure_alone in before)
            present = {person for person in belief.people if person >= 0}
            if releases[0].person is None:
                self.at_worst |= present if certain or sure else set()
                self.gone_at_worst |= (certain or sure) and not present
                continue
            self.certain |= present if certain else set()
            self.sure |= present if sure else set()
            # What an earlier class has alone may be of people who are not in this release.
            if belief.alone[0][0]:
                gone = {(releases[0].name, person) for person in belief.people if person < 0}
                self.gone |= gone if certain else set()
                self.gone_sure |= gone if sure else set()

    def _join(
        self, sides: Sides, keys: Sequence[Codes], may: set[tuple[int, int]] | None, exact: bool
    ) -> None:
        """Join rows by keys that occur once in each release: secret values, and what both show.

        ``may`` has the classes that may share a person, None where people are followed.
        """
        side, earlier = sides
        single = [np.unique(codes, return_index=True, return_counts=True) for codes in keys]
        row_of, row_in = (
            dict(zip(v[n == 1].tolist(), r[n == 1].tolist(), strict=True)) for v, r, n in single
        )
        meetings: dict[tuple[int, int], set[int]] = defaultdict(set)
        for value in row_of.keys() & row_in.keys():
            row, match = row_of[value], row_in[value]
            meeting = int(side.class_of[row]), int(earlier.class_of[match])
            person = int(side.person[row])
            # A keyed receipt says which class somebody is in, and not which row.
            possible = person in earlier.people_of[meeting[1]] if may is None else meeting in may
            if person >= 0 and possible:
                meetings[meeting].add(person)
        for (first, second), joined in meetings.items():
            among = joined
            if may is None:
                among = side.people_of[first] & earlier.people_of[second]
            # Who stands among as many as in the class alone is not singled out by the join.
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
        beside = self.beside
        above = {person for person, chance in self.joined.items() if chance > limits.largest}
        certain = f"have a secret that is certain {beside}, and in no release alone"
        bet = f"have a secret that can be {GUESSED} {beside}, and not alone"
        joined = f"are singled out {beside}, whose rows join by exact values"
        broken = [
            (self.certain, len(self.gone), certain, Fraction(0)),
            (self.sure - self.certain, len(self.gone_sure - self.gone), bet, limits.bets),
            (above, 0, joined, limits.above),
        ]
        findings = []
        for hit, extra, words, limit in broken:
            if len(hit) + extra > limit * publication.people:
                leavers = f", and {extra} who are in an earlier release only," if extra else ""
                sentence = f"{of_all(len(hit), publication)}{leavers} {words}"
                findings.append(self._conclude(FindingStanding.BROKEN, sentence, hit, limit, extra))
        if self.at_worst:
            whom = f"up to {of_all(len(self.at_worst), publication)}"
            self.open.append(f"{whom} may be found out by labels {beside}; {self.follow_advice}")
        elif self.gone_at_worst:
            whom = "people in only one of two releases may be found out by subtraction"
            self.open.append(f"{whom} {beside}; {self.follow_advice}")
        opened = [*dict.fromkeys(self.open)]
        findings += [self._conclude(FindingStanding.OPEN, why, self.at_worst) for why in opened]
        sentence = f"nobody is found out {beside} who is not in one of them alone"
        yield from findings or [self._conclude(FindingStanding.MET, sentence, set())]

    def _conclude(
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
