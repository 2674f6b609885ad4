"""Runs of a publisher's net, one by one, with what each does to its table and who learns from it.

The net cut by moves is run by :class:`kproof.petri.papers.runs.theta_runs.ThetaRun`, other nets by
the firing rule; the runs of a seed are the same. A :class:`Task` says which runs are wanted, in a
form that another process can be handed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from kproof.forms import JsonForm
from kproof.models.attacks import Disclosure
from kproof.models.base.arrays import Codes
from kproof.models.tables.coverage import coverage
from kproof.models.tables.queries import query_error
from kproof.models.tables.recoding import recode
from kproof.petri.net.firing import Trace
from kproof.petri.papers.api import PUBLISHERS, TableNet
from kproof.petri.papers.attackers import Attacker, attacked, evidence, hits, prepare, victims
from kproof.petri.papers.classes import ByRecord, ECs, Tokens
from kproof.petri.papers.masking import GENERALIZE, MASKED, masked
from kproof.petri.papers.publisher import ATTACK, PartitionedTable, Publisher
from kproof.petri.papers.runs.account import Account, account, steps_in
from kproof.petri.papers.runs.theta_runs import RunStep, ThetaMove, ThetaRun, namer_of, steps_of
from kproof.petri.papers.theta_sensitive import Cut
from kproof.petri.spaces.simulate import STEPS, CountedRun, Walker, draws

MOST_PLAYED = 400
"""Rows of a table up to which the markings of a run are kept, so that it can be played."""
QUERIES = 1000
"""Random COUNT queries that each publication of a table with quasi-identifiers is asked."""


@dataclass(frozen=True, slots=True)
class ClassDisclosed:
    """A class in which an attack discloses someone after one publication."""

    at: int
    """Its number, from 0."""
    people: int
    """How many are disclosed."""
    settled: int | None = None
    """The step, from 1, after which the class can change no more; None if the run does not say."""
    fired: int | None = None
    """The first step in which the attack fires on one of them; None if it is no part of the net."""


@dataclass(frozen=True)
class Learned:
    """What one attack discloses after one publication."""

    attack: str
    """Its name."""
    victims: int
    """People (on the level of values: one of each class) who were looked for."""
    disclosed: int
    """Those of them who are disclosed by the attack's rule."""
    certainty: Fraction | None
    """The largest probability of a bet; None if nobody is matched."""
    rule: str
    """When someone counts as disclosed."""
    remarks: tuple[str, ...] = ()
    """What else there is to say."""
    classes: tuple[ClassDisclosed, ...] = ()
    """Where those are who are disclosed."""


@dataclass(frozen=True)
class RunFacts:
    """What is known of one run."""

    number: int
    """Which run of the seed, from 1."""
    walk: CountedRun
    """Firings and ends."""
    noise: int | None = None
    """Rows that were added; None if nothing was published."""
    moved: int | None = None
    """Rows published in another class than they began in; None if nothing was, or the net does
    not say which rows move."""
    added: Fraction | None = None
    """Relative error of counting the rows with a sensitive value, which only noise changes: the
    mean over the values of the table. None if nothing was published."""
    query_error: tuple[float, float] | None = None
    """Mean relative errors of random COUNT queries over quasi-identifiers, of an analyst who
    spreads rows evenly and of one who counts every row that is not ruled out; None without
    quasi-identifiers, and where the net does not say which rows move."""
    learned: tuple[Learned, ...] = ()
    """By attack."""


@dataclass(frozen=True)
class SampleRun:
    """One run, told step by step."""

    number: int
    """Which run of the seed."""
    account: Account | None
    """What it did to the table; None for nets without a θ."""
    trace: Trace | None = field(repr=False)
    """Its firings and markings; None where the account tells all of them."""
    fired: Mapping[str, int]
    """How often each transition fired."""
    end: str
    """How it ended, in a word."""
    course: Trace | None = field(default=None, repr=False)
    """Its firings and markings, also where the account tells all of them; None for a large
    table, whose markings would fill books."""

    @property
    def steps(self) -> int:
        """Its firings."""
        return sum(self.fired.values())

    to_dict = JsonForm("run=number end fired")


@dataclass(frozen=True)
class Task:
    """Which runs of which net: all that a process needs to make them."""

    name: str
    classes: PartitionedTable
    k: int
    options: Mapping[str, object]
    """The publisher, as in :data:`kproof.petri.papers.api.PUBLISHERS`."""
    attackers: tuple[Attacker, ...]
    """Those who attack each publication."""
    inside: bool
    """Whether they are part of the net, so that their success is a firing."""
    masks: bool
    """Whether the net generalizes quasi-identifiers."""
    seed: int
    """Of the runs."""
    steps: int
    """Firings after which a run is broken off."""
    judged: bool
    """Whether publications are compared with the table and attacked."""

    @classmethod
    def of(
        cls,
        net: TableNet,
        *,
        seed: int,
        steps: int | None = None,
        attackers: tuple[Attacker, ...] | None = None,
        judged: bool = False,
    ) -> Task:
        """Return runs of a net, with its own attackers unless others are named.

        They are broken off after :data:`~kproof.petri.spaces.simulate.STEPS` firings, and 20 more
        for each row, unless another number is given.
        """
        publisher = net.publisher
        made_of = publisher.name, publisher.formed, publisher.k, publisher.options
        attacks = net.attackers if attackers is None else attackers, bool(net.attackers)
        limit = STEPS + 20 * publisher.rows if steps is None else steps
        return cls(*made_of, *attacks, MASKED in net.net.place, seed, limit, judged)

    def publisher(self) -> Publisher:
        """Return the publisher, its attackers included if they are part of it."""
        publisher = PUBLISHERS[self.name](self.classes, k=self.k, **self.options)
        if self.masks:
            publisher = masked(publisher)
        return attacked(publisher, self.attackers) if self.inside else publisher

    def samples(self, numbers: Sequence[int]) -> tuple[SampleRun, ...]:
        """Return runs by number, step by step; each ends or is broken off."""
        if not numbers:
            return ()
        # What is told are firings, and attackers beside the net fire nothing.
        acting = self.attackers if self.inside else ()
        runner = Runner(replace(self, attackers=acting, judged=False))
        return tuple(map(runner.sample, numbers))


class Runner:
    """Makes runs of a task, one after another."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._publisher = task.publisher()
        # What is given inside the net is ready since it was built; see `attacked`.
        self._attackers = [prepare(self._publisher, who) for who in task.attackers]
        self._sought = [set(victims(self._publisher, who.background)) for who in self._attackers]
        self._walker: Walker | None = None
        self._start: ThetaRun | None = None
        if is_cut_by_moves(self._publisher):
            self._start = ThetaRun(self._publisher)
        else:
            self._walker = Walker(self._publisher.net(), self._publisher.watch())
        formed = self._publisher.formed
        counts = Counter(value for values in formed.values for value in values)
        self._counts = [counts[value] for value in formed.domain]
        self._began = {row: number for number, rows in enumerate(formed.rows) for row in rows}
        self._ranks: list[Codes] = []

    def run(self, number: int) -> RunFacts:
        """Return what is known of one run."""
        task, publisher = self._task, self._publisher
        if self._start is None:
            assert self._walker is not None
            walk, marking = self._walker.walk_to_end(task.seed, number, task.steps)
            published = publisher.publications(marking) if walk.finished else ()
            if not (task.judged and published):
                return RunFacts(number, walk)
            learnt = self._disclosures(published[0])
            return self._facts(number, walk, published[0], None, learnt, _Timing({}, None))
        course, chance = self._start.copy(), draws(task.seed, number)
        fired: Counter[str] = Counter()
        passed: dict[int, int] = {}
        for step in self._steps(course, number, chance):
            fired[str(step.move)] += 1
            if step.move is ThetaMove.PASS:
                passed[step.c] = fired.total()
        if course.ended is not ThetaMove.PUBLISH:
            ends = () if course.ended is None else ("infeasible",)
            return RunFacts(number, CountedRun(fired, ends, course.ended is not None))
        attacks = task.judged or task.inside
        ecs = course.classes(publisher) if attacks else ()
        disclosures = self._disclosures(ecs) if attacks else []
        last = fired.total()
        # The last class may still change the one before it: both are settled by the publication.
        settled = {c: passed.get(c, last) for c in range(len(course.counts) - 2)}
        timing = _Timing(settled, last)
        walk = self._follow_up(fired, chance, ecs, disclosures, timing.fired)
        if not (task.judged and walk.finished):
            return RunFacts(number, walk)
        return self._facts(number, walk, ecs, course, disclosures, timing)

    def sample(self, number: int) -> SampleRun:
        """Return one run step by step, with what it did to the table."""
        task, publisher, walk = self._task, self._publisher, self.run(number).walk
        changes: Account | None = None
        trace: Trace | None = None
        course: Trace | None = None
        if self._start is not None:
            steps = list(self._steps(self._start.copy(), number, draws(task.seed, number)))
            changes = account(publisher, self._start.copy(), steps, rows=True)
            if publisher.rows <= MOST_PLAYED:
                # The same run, with what follows the publication: see `theta_runs`.
                walker = Walker(publisher.net(), publisher.watch())
                course = walker.trace(task.seed, number, task.steps)
        else:
            assert self._walker is not None
            course = trace = self._walker.trace(task.seed, number, task.steps)
            if publisher.threshold is not None:
                names_rows = publisher.options["tokens"] == Tokens.RECORDS
                steps = steps_in(publisher, trace)
                changes = account(publisher, ThetaRun(publisher), steps, rows=names_rows)
        end = walk.ends[0] if walk.finished else "broken off"
        return SampleRun(number, changes, trace, walk.fired, end, course)

    def _steps(
        self, course: ThetaRun, number: int, chance: Callable[[], float]
    ) -> Iterator[RunStep]:
        return steps_of(course, chance, namer_of(self._task.seed, number), self._task.steps)

    def baseline(self) -> tuple[float, float] | None:
        """Return the query error of the classes as they were formed."""
        return None if self._start is None else self._query_errors(self._start)

    def _disclosures(self, ecs: ECs) -> list[Disclosure | None]:
        if not self._attackers:
            return []
        published = evidence(self._publisher, ecs)
        return [attacker(published) for attacker in self._attackers]

    def _follow_up(
        self,
        fired: Counter[str],
        chance: Callable[[], float],
        ecs: ECs,
        disclosures: Sequence[Disclosure | None],
        at: dict[tuple[str, int], int],
    ) -> CountedRun:
        """Let happen what follows a publication in the net, in any order: masking and attacks.

        ``at`` is filled with the step of each attack on a victim that fires.
        """
        acting = self._attackers if self._task.inside else []
        # In the order of the net's transitions and bindings, which the numbers drawn count along.
        able: list[tuple[str, int]] = [(GENERALIZE, -1)] if self._task.masks else []
        able += [
            (attacker.attack, row)
            for attacker, disclosure, sought in zip(acting, disclosures, self._sought, strict=False)
            for row in hits(disclosure)
            if row in sought
        ]
        remaining = self._task.steps - fired.total()
        # One number for each firing, as a walker of any net draws: runs of a seed stay the same.
        for _ in range(min(remaining, len(able))):
            name, row = able.pop(int(chance() * len(able)))
            fired[name if row < 0 else f"{ATTACK}{name}"] += 1
            at[name, row] = fired.total()
        if able:
            return CountedRun(fired, finished=False)
        successes = [
            f"{attacker.attack} succeeds"
            for attacker in self._attackers
            if fired[f"{ATTACK}{attacker.attack}"]
        ]
        some = ["some attack succeeds"] if successes else []
        judges = self._publisher.judges if self._task.inside else None
        if judges is not None and not judges(ecs):
            some.append("some attack judges nobody")
        return CountedRun(fired, ("published", *successes, *some))

    def _facts(
        self,
        number: int,
        walk: CountedRun,
        ecs: ECs,
        course: ThetaRun | None,
        disclosures: Sequence[Disclosure | None],
        timing: _Timing,
    ) -> RunFacts:
        publisher = self._publisher
        class_of = class_of_victim(publisher, ecs)
        counts = publisher.count_values(ecs)
        errors = [
            Fraction(counts[value] - before, before)
            for value, before in enumerate(self._counts)
            if before
        ]
        return RunFacts(
            number,
            walk,
            publisher.noise(ecs),
            None if course is None else self._count_moves(course),
            # Not by zero: every row of the table has a value of the domain.
            sum(errors, Fraction(0)) / len(errors),
            None if course is None else self._query_errors(course),
            tuple(
                lesson_of(attacker, disclosure, sought, class_of, timing)
                for attacker, disclosure, sought in zip(
                    self._attackers, disclosures, self._sought, strict=True
                )
            ),
        )

    def _count_moves(self, course: ThetaRun) -> int:
        # Noise has numbers below 0, and began in no class.
        began = self._began
        return sum(
            row >= 0 and began[row] != c
            for c, ec in enumerate(course.rows)
            for rows in ec.values()
            for row in rows
        )

    def _query_errors(self, course: ThetaRun) -> tuple[float, float] | None:
        """Return the errors of COUNT queries on the classes of a run."""
        table = self._publisher.formed.table
        if table is None or not table.quasi_identifiers:
            return None
        count = len(course.rows)
        class_of = np.full(table.rows, -1, dtype=np.int64)
        for c, ec in enumerate(course.rows):
            for rows in ec.values():
                for row in rows:
                    if row >= 0:
                        class_of[row] = c
        recoded = [recode(column, class_of, count) for column in table.quasi_identifiers]
        covered = list(map(coverage, recoded))
        # Of the table and not of a run: worked out once for all of them.
        if not self._ranks:
            self._ranks = [
                np.asarray(covers.rank_of[column.codes])
                for covers, column in zip(covered, table.quasi_identifiers, strict=True)
            ]
        error = query_error(
            self._ranks,
            covered,
            np.array(course.sizes, dtype=np.int64),
            queries=QUERIES,
            dimension=min(2, len(covered)),
            seed=self._task.seed,
        )
        return error.uniform_mean, error.intersecting_mean


@dataclass(frozen=True, slots=True)
class _Timing:
    """When things were settled in a run."""

    settled: Mapping[int, int]
    """By class, the step after which it changes no more."""
    published: int | None
    """The step of the publication, which settles all others; None if the run does not say."""
    fired: dict[tuple[str, int], int] = field(default_factory=dict)
    """By attack and victim, the step in which the attack fires."""


def class_of_victim(publisher: Publisher, ecs: ECs) -> Callable[[int], int]:
    """Return the function that says in which published class a victim is."""
    if not isinstance(publisher.kind, ByRecord):
        return int
    places = {int(record): c for c, ec in enumerate(ecs) for record in ec if not record.dummy}
    # Whoever was left out is in no class.
    return lambda victim: places.get(victim, -1)


def largest_bet(disclosure: Disclosure) -> Fraction | None:
    """Return the largest probability of a bet on anyone; None if nobody is matched.

    Whom an attack counts as the worst case goes by its rule, such as the least variance.
    """
    groups = np.unique(disclosure.beliefs.group)
    groups = groups[groups >= 0]
    if not len(groups):
        return None
    chances = (disclosure.numerators / disclosure.denominators)[groups].astype(np.float64)
    # Of many classes few are near the largest: only these are compared exactly.
    near = groups[chances >= chances.max() * (1 - 1e-9)]
    return max(
        Fraction(int(disclosure.numerators[group]), int(disclosure.denominators[group]))
        for group in near
    )


def lesson_of(
    attacker: Attacker,
    disclosure: Disclosure | None,
    sought: Collection[int],
    class_of: Callable[[int], int],
    timing: _Timing,
) -> Learned:
    """Return what an attack disclosed, and in which classes."""
    if disclosure is None:
        return Learned(attacker.attack, len(sought), 0, None, "", ("contradicted",))
    beside = str(disclosure.scope).removeprefix("; ")
    remarks = (*disclosure.remarks, beside) if beside else disclosure.remarks
    victims_in: dict[int, list[int]] = {}
    for row in hits(disclosure):
        if row in sought:
            victims_in.setdefault(class_of(row), []).append(row)
    classes = tuple(
        ClassDisclosed(
            c,
            len(rows),
            timing.settled.get(c, timing.published),
            min((timing.fired[attacker.attack, row] for row in rows), default=None)
            if all((attacker.attack, row) in timing.fired for row in rows)
            else None,
        )
        for c, rows in sorted(victims_in.items())
    )
    disclosed = sum(hit.people for hit in classes)
    who = attacker.attack, len(sought), disclosed
    return Learned(*who, largest_bet(disclosure), disclosure.rule, tuple(remarks), classes)


def is_cut_by_moves(publisher: Publisher) -> bool:
    """Say whether a publisher's net is one that a ThetaRun runs."""
    return publisher.options.get("cut") == Cut.MOVES
