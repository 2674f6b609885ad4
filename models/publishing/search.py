"""The search on the safe path: settings from the one that loses least, until one is safe.

What depends on known columns alone comes first: the least k with which nobody is singled out, and
columns left out until labels lose no more than half. Only then secrets are looked at. What a
finding asks for is mended where that is possible; if larger classes are needed, the largest is
judged first, since a column has to go if even that is broken.

What the choice of a setting tells: that others were not taken for the sake of somebody's secret.

Classes are formed from known columns alone, but the least k that is safe is chosen by a look at
secrets, and an adversary who knows the list knows which k failed. She holds every world for
possible in which people of a published class have the secrets of that class in another way; worlds
in which the smaller k would not have failed are ruled out. So worlds are drawn, and the judge is
asked of the smaller k in each. Of those in which it fails nobody may be at fault in more than
half, unless she is so nearly as often in all of them: then its failure tells nothing new of her.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain

import numpy as np

from kproof.errors import InvalidArgument, show
from kproof.models.base.arrays import Codes
from kproof.models.base.columns import Column, group_codes
from kproof.models.judgement.classes.singling import find_singled_out
from kproof.models.judgement.findings import (
    FindingStanding,
    JudgedCriterion,
    JudgedFinding,
    Judgement,
    Remedy,
)
from kproof.models.judgement.people import PeopleInClasses
from kproof.models.judgement.publication import PublishedFile
from kproof.models.judgement.secrets.exclusion import exclusion, exclusive_kinds
from kproof.models.judgement.secrets.inference import inference
from kproof.models.judgement.thresholds import THRESHOLDS, Thresholds
from kproof.models.publishing.known import form_classes, prepare, row_level, step_for, without
from kproof.models.publishing.published import Cost, TriedSetting, percent
from kproof.models.publishing.publisher import TablePublisher
from kproof.models.tables.release import Release
from kproof.models.tables.table import Table
from kproof.models.tables.utility import utility
from kproof.stages import stage

MOST_LOSS = 0.5
"""Labels that lose more are worth less than the column that costs most: it is left out first."""

MOST_JUDGED = 20
"""Settings that are judged at most: of 30,000 rows each takes about a second."""

MOST_COSTS = 8
"""Columns without which classes are formed anew, to say what they cost."""

_BINS = 50


@dataclass
class SafeCandidate:
    """A release that is tried."""

    k: int
    release: Release
    publication: PublishedFile
    """Fewest people in a class, the classes, and the cells, in an order that was drawn."""
    losses: dict[str, float]
    """Mean NCP of each known column."""
    judgement: Judgement | None = None
    """None as long as nobody judged it."""
    choice: tuple[JudgedFinding, ...] = ()
    """What it tells that this one was chosen."""

    @property
    def loss(self) -> float:
        """Mean NCP of all labels."""
        return sum(self.losses.values()) / max(len(self.losses), 1)

    @property
    def blank(self) -> list[str]:
        """Known columns whose values differ, and whose labels do not."""
        alike = [coded.column.name for coded in self.release.recoded if len(coded.labels[1]) == 1]
        return [name for name in alike if self.losses[name]]

    @property
    def against(self) -> tuple[JudgedFinding, ...]:
        """What stands against it."""
        return () if self.judgement is None else self.judgement.broken

    @property
    def of_secrets(self) -> bool:
        """Whether something else than the size of classes stands against it."""
        criteria = {finding.criterion for finding in self.against}
        return bool(criteria) and JudgedCriterion.SINGLING_OUT not in criteria


@dataclass
class SafeSearch:
    """What was tried so far, and what was decided for all that comes."""

    publisher: TablePublisher
    """Whose table it is."""
    full: Table
    """The table with all its columns, as :func:`prepare` returns it: levels are drawn once."""
    ladder: Sequence[int]
    """Class sizes, ascending."""
    keep: frozenset[str]
    """Columns that stay."""
    attempts: list[TriedSetting] = field(default_factory=list)
    """In the order in which they were made."""
    notes: list[str] = field(default_factory=list)
    """What was decided, a sentence each."""
    left_out: tuple[str, ...] = ()
    """Columns that are not published any more."""
    telling: dict[str, str] = field(default_factory=dict)
    """Known columns among them that tell a secret, and what was noted of each."""
    steps: dict[str, Fraction] = field(default_factory=dict)
    """By secret column what its numbers are rounded to."""
    rejected: PublishedFile | None = None
    """The last that was not taken for the sake of secrets. Of those before it, in smaller classes,
    it is the more surprising that they should have been safe."""
    place: int = 0
    """In the ladder: the least classes that were large enough so far."""
    judged: int = 0
    """How many settings were."""

    def best(self) -> SafeCandidate:
        """Return the first candidate that nothing stands against; else the last that was tried."""
        while True:
            candidate = self._form_large_enough()
            if self._leave_out_blank(candidate):
                continue
            self._judge(candidate)
            if self._out_of_tries:
                return candidate
            if self._mend(candidate):
                continue
            larger = self._larger(candidate) if candidate.of_secrets else candidate
            # Classes that hide all that is known hide the secrets: rather something goes.
            hides_all = len(larger.blank) == len(larger.losses)
            telling = larger if larger.of_secrets or not hides_all else candidate
            if telling.of_secrets and not self._out_of_tries and self._leave_out_telling(telling):
                continue
            candidate = larger
            # Larger classes may have lost what smaller ones showed.
            if self._out_of_tries or not self._leave_out_blank(candidate):
                return candidate

    def _form_large_enough(self) -> SafeCandidate:
        """Return the least classes that are large enough, in labels that do not lose too much."""
        while True:
            candidate = self._form(self.ladder[self.place])
            while self._singles_out(candidate) and self.place + 1 < len(self.ladder):
                self.place += 1
                candidate = self._form(self.ladder[self.place])
            dearest = self._dearest(candidate)
            if candidate.loss <= MOST_LOSS or dearest is None:
                break
            self.attempts.append(self.setting(candidate))
            self._leave_out(
                [dearest], f"with it, generalizing costs {percent(candidate.loss)} of the detail"
            )
        # With fewer columns smaller classes may do; all were too small for more columns.
        while self.place:
            smaller = self._form(self.ladder[self.place - 1])
            if self._singles_out(smaller):
                break
            self.place -= 1
            candidate = smaller
        return candidate

    def _singles_out(self, candidate: SafeCandidate) -> bool:
        findings = find_singled_out(candidate.publication, THRESHOLDS[self.publisher.audience])
        return any(finding.standing is not FindingStanding.MET for finding in findings)

    def _larger(self, candidate: SafeCandidate) -> SafeCandidate:
        """Return the least larger classes that are safe; the largest if none are."""
        sizes = [size for size in self.ladder if size > candidate.k]
        largest = candidate
        # The largest first: if even those are not safe, none between need be judged.
        while sizes:
            largest = self._form(sizes.pop())
            if largest.loss <= MOST_LOSS or self._dearest(largest) is None:
                break
        if largest.k > candidate.k:
            self._judge(largest)
        if largest.against:
            return largest
        for size in sizes:
            between = self._form(size)
            self._judge(between)
            if not between.against:
                return between
            self.rejected = between.publication
        # Judged before the others were rejected, which tells something, too.
        self._judge(largest)
        return largest

    @property
    def _out_of_tries(self) -> bool:
        return self.judged >= MOST_JUDGED

    def _form(self, k: int) -> SafeCandidate:
        table = without(prepare(self.full, self.steps), self.left_out)
        with stage(f"forming classes of {k}"):
            release = form_classes(table, k)
            _, publication = self.publisher.shuffle(release, asking=False)
        return SafeCandidate(k, release, publication, losses_of(release))

    def _judge(self, candidate: SafeCandidate) -> None:
        with stage(f"judging classes of {candidate.k}"):
            candidate.judgement = self.publisher.judge(candidate.publication)
            # Of what is broken nobody asks what its choice tells: it is not chosen.
            candidate.choice = () if candidate.against else self._choice(candidate.publication)
            candidate.judgement = candidate.judgement.beside(candidate.choice)
        self.judged += 1
        self.attempts.append(self.setting(candidate))

    def setting(self, candidate: SafeCandidate) -> TriedSetting:
        """Return how the last candidate was made."""
        return attempt_of(
            candidate.k, candidate.release, candidate.judgement, self.left_out, self.steps
        )

    def _choice(self, chosen: PublishedFile) -> tuple[JudgedFinding, ...]:
        """Return what it tells that this setting was chosen, if another was not."""
        if self.rejected is None:
            return ()
        if tells_little(chosen, self.rejected, THRESHOLDS[self.publisher.audience]):
            sentence = "that smaller groups were not safe gives nobody away"
            return (JudgedCriterion.MINIMALITY.met(sentence, chosen.people),)
        sentence = "that smaller groups were not safe shows because of whose secrets"
        met = JudgedCriterion.MINIMALITY.met(sentence, chosen.people)
        return (replace(met, standing=FindingStanding.BROKEN, remedy=Remedy.LEAVE_OUT),)

    def _mend(self, candidate: SafeCandidate) -> bool:
        """Do what findings ask for beside larger classes; False if they ask for nothing else."""
        for finding in candidate.against:
            names = self._removable(candidate, finding.columns)
            # A secret that links rows may stay if known columns no longer tell the rows apart.
            linking = finding.criterion is JudgedCriterion.LINKAGE
            if finding.remedy is Remedy.LEAVE_OUT and names and not linking:
                if finding.criterion is JudgedCriterion.INFERENCE:
                    # What goes for the sake of a secret stays, as it does not hide the secret.
                    self._keep_after_all()
                return self._leave_out(names, finding.sentence)
        for finding in candidate.against:
            if finding.remedy is Remedy.ROUND and self._round(finding.columns):
                return True
        if not candidate.of_secrets:
            return False
        if differing := self._removable(candidate, row_level(candidate.release.table)):
            return self._leave_out(differing, "rows of a person differ in it")
        self.rejected = candidate.publication
        return False

    def _round(self, names: Iterable[str]) -> bool:
        """Round numbers of columns so far that few occur once; False if they are already."""
        secrets = {column.name: column for column in self.publisher.table.secrets}
        fresh = [name for name in names if name in secrets and name not in self.steps]
        for name in fresh:
            if (step := step_for(secrets[name], self.publisher.table.person)) is None:
                return False
            self.steps[name] = step
            self.notes.append(f"{show(name)} is rounded to multiples of {self.steps[name]}")
        return bool(fresh)

    def _may_go(self, candidate: SafeCandidate, name: str) -> bool:
        """Say whether a column may be left out: not what somebody keeps, nor the last one."""
        table = candidate.release.table
        published = {column.name for column in (*table.quasi_identifiers, *table.secrets)}
        return name in published and name not in self.keep and len(published) > 1

    def _removable(self, candidate: SafeCandidate, names: Iterable[str]) -> list[str]:
        """Return which of some columns may be left out together: one of the table has to stay."""
        table = candidate.release.table
        # Each by itself may go where both are the last two: together they are cut short.
        free = [name for name in names if self._may_go(candidate, name)]
        return free[: len(table.quasi_identifiers) + len(table.secrets) - 1]

    def _leave_out(self, names: Sequence[str], why: str) -> bool:
        self.left_out = (*self.left_out, *names)
        # Other columns make other classes: what was rejected says nothing of these.
        self.rejected = None
        self.notes.append(f"left out {', '.join(map(show, names))}: {why}")
        return True

    def _leave_out_blank(self, candidate: SafeCandidate) -> bool:
        """Leave out what shows the same label in every row, and tells a reader nothing."""
        names = self._removable(candidate, candidate.blank)
        return bool(names) and self._leave_out(names, "every row would have the same label")

    def _keep_after_all(self) -> None:
        """Take back that known columns were left out because they tell a secret."""
        self.left_out = tuple(name for name in self.left_out if name not in self.telling)
        self.notes = [note for note in self.notes if note not in self.telling.values()]
        self.telling.clear()

    def _dearest(self, candidate: SafeCandidate) -> str | None:
        """Return the column whose labels lose most; None if it is the last, or all are kept."""
        free = {name: loss for name, loss in candidate.losses.items() if name not in self.keep}
        if len(candidate.losses) < 2 or not free:
            return None
        return max(free, key=free.__getitem__)

    def _leave_out_telling(self, candidate: SafeCandidate) -> bool:
        """Leave out what tells secrets: a column that is one itself, or what goes with one most."""
        table = candidate.release.table
        for finding in candidate.against:
            if finding.criterion is JudgedCriterion.LINKAGE:
                linking = {
                    column.name: len(column.values)
                    for column in table.secrets
                    if column.name in finding.columns and self._may_go(candidate, column.name)
                }
                if linking:
                    most_telling = max(linking, key=linking.__getitem__)
                    return self._leave_out([most_telling], finding.sentence)
            of_both = [name for name in finding.columns if name in table.both]
            names = self._removable(candidate, of_both)
            if finding.criterion is JudgedCriterion.INFERENCE and names:
                return self._leave_out(names, finding.sentence)
        telling = {name for finding in candidate.against for name in finding.columns}
        secrets = [column for column in table.secrets if column.name in telling] or [*table.secrets]
        free = [
            column
            for column in table.quasi_identifiers
            if self._may_go(candidate, column.name) and len(column.values) > 1
        ]
        if not free or not secrets:
            return False
        if len(free) == 1 and self._may_go(candidate, secrets[0].name) and len(table.secrets) > 1:
            # Nothing known would be left: rather one secret goes, and what went for its sake stays.
            self._keep_after_all()
            why = f"known columns tell it: {candidate.against[0].sentence}"
            return self._leave_out([secrets[0].name], why)
        # Where a finding names what teaches a secret, nothing else need go.
        teaching = [column for column in free if column.name in telling]
        nearest = max(teaching or free, key=lambda column: goes_with(column, secrets[0]))
        why = f"it goes with {show(secrets[0].name)}: {candidate.against[0].sentence}"
        self._leave_out([nearest.name], why)
        self.telling[nearest.name] = self.notes[-1]
        return True


def goes_with(public: Column, secret: Column) -> int:
    """Return how many rows have the secret that is most frequent beside what is known of them.

    >>> sex = Column("sex", np.array([0, 0, 1, 1], dtype=np.int32), ("f", "m"), False)
    >>> ill = Column("ill", np.array([0, 0, 0, 1], dtype=np.int32), ("cold", "flu"), False)
    >>> goes_with(sex, ill), goes_with(ill, ill)
    (3, 4)
    """
    beside, hidden = _bin(public), _bin(secret)
    width = int(hidden.max()) + 1
    counts = np.bincount(beside * width + hidden, minlength=(int(beside.max()) + 1) * width)
    return int(counts.reshape(-1, width).max(axis=1).sum())


def _bin(column: Column) -> Codes:
    """Return codes of at most fifty runs of neighbouring values, each of about as many rows."""
    before = np.cumsum(np.bincount(column.codes, minlength=len(column.values)))
    if len(column.values) <= _BINS:
        return column.codes.astype(np.int64)
    # One more than the rows, so that the last value is in the last run and not in one more.
    return (before[column.codes] * _BINS // (len(column.codes) + 1)).astype(np.int64)


def costs_of(best: SafeCandidate) -> Iterator[Cost]:
    """Yield what known columns cost, by classes that are formed without them, the dearest first."""
    table, losses = best.release.table, best.losses
    if len(losses) < 2:
        return
    costs = []
    for name in sorted(losses, key=lambda name: -losses[name])[:MOST_COSTS]:
        with stage(f"asking what {name} costs"):
            remaining = losses_of(form_classes(without(table, [name]), best.k))
        costs.append(Cost(name, losses[name], sum(remaining.values()) / len(remaining)))
    yield from sorted(costs, key=lambda cost: cost.without)


def losses_of(release: Release) -> dict[str, float]:
    """Return the mean NCP of each known column; empty if there is none."""
    public = release.table.quasi_identifiers
    return dict(utility(release, queries=0).penalties) if public else {}


def attempt_of(
    k: int,
    release: Release,
    judgement: Judgement | None,
    left_out: tuple[str, ...],
    steps: Mapping[str, Fraction],
) -> TriedSetting:
    """Return a setting with what became of it."""
    losses, outcome, worst = losses_of(release), "loses too much", ""
    if judgement is not None:
        outcome = judgement.outcome.value
        worst = "" if judgement.green else judgement.findings[0].sentence
    loss = sum(losses.values()) / max(len(losses), 1)
    return TriedSetting(k, left_out, dict(steps), loss, outcome, worst)


WORLDS = 40
"""Worlds that are drawn."""

FEWEST = 8
"""Worlds in which the smaller k fails, from which on it can be said who is at fault in them."""


def tells_little(chosen: PublishedFile, rejected: PublishedFile, thresholds: Thresholds) -> bool:
    """Say whether what is published, and that another setting failed, accuse nobody.

    ``rejected`` has the same people in smaller classes, which failed the limits because of secrets.
    """
    failing = 0
    at_fault = np.zeros(rejected.rows, dtype=np.int64)
    for world in worlds(chosen, rejected):
        broken = [
            finding.victims
            for finding in chain(inference(world, thresholds), exclusion(world, thresholds))
            if finding.standing is FindingStanding.BROKEN
        ]
        if broken:
            failing += 1
            at_fault[np.unique(np.concatenate(broken))] += 1
    seldom = 2 * at_fault <= failing
    # at_fault / failing - at_fault / WORLDS <= 1/10 in whole numbers.
    nothing_new = 10 * at_fault * (WORLDS - failing) <= failing * WORLDS
    # Fail closed: of few failures nobody can say who is at fault in half of them.
    return failing >= FEWEST and bool((seldom | nothing_new).all())


def worlds(chosen: PublishedFile, rejected: PublishedFile) -> Iterator[PublishedFile]:
    """Yield a publication with the secrets of others, as far as the chosen one leaves that open.

    The chosen one says whose secrets may be whose: those of people with as many rows in each of its
    classes, and of the same kind where some secrets go with a kind alone. The rejected one is of
    the same rows of the source, in another order.
    """
    class_of, _ = chosen.classes
    people = PeopleInClasses.of(chosen.persons, class_of)
    signature, signatures = people.signatures
    kinds = [
        (people.extremes(kind.members.astype(np.int64))[1], 2)
        for secret in chosen.secrets
        for kind in exclusive_kinds(chosen, secret.name)
    ]
    group = group_codes([(signature, signatures), *kinds], people.count)[0][people.of_row]
    if chosen.source_row is None or rejected.source_row is None:
        raise InvalidArgument("chosen", "a file", "publications whose source is known")
    # Both have every row of the source once: places in the other by the row that each was.
    in_rejected = np.argsort(rejected.source_row)[chosen.source_row]
    before = np.lexsort((class_of, people.of_row, group))
    # Drawn alike each time: a judgement of the same release must not change.
    rng = np.random.default_rng(0)
    # People of a group have as many rows in each class: ordered by group, person and class, each
    # takes the rows of another, place by place, and all of them stay in their classes.
    for _ in range(WORLDS):
        turn = rng.permutation(people.count)[people.of_row]
        after = np.lexsort((class_of, turn, group))
        columns = []
        for column in rejected.columns:
            if column.secret and not column.known:
                codes = column.codes.copy()
                codes[in_rejected[before]] = column.codes[in_rejected[after]]
                column = replace(column, codes=codes)
            columns.append(column)
        yield replace(rejected, columns=tuple(columns))
