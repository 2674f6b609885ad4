"""Random runs of a publisher, with what each does to its table and what attackers learn from it.

:func:`kproof.petri.spaces.simulate.simulate` counts firings and ends of any net. Of a publisher's
runs more is known: each publication is compared with the table, and attacked. The net cut by moves
is run by :class:`kproof.petri.papers.theta_runs.Course`, other nets by the firing rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import log, sqrt
from statistics import median
from typing import Any

import numpy as np

from kproof.errors import KProofError
from kproof.models.attacks import BackgroundKnowledge, Disclosure
from kproof.models.base.arrays import Codes
from kproof.models.base.parameters import SEED
from kproof.models.tables.coverage import coverage
from kproof.models.tables.queries import query_error
from kproof.models.tables.recoding import recode
from kproof.petri.net.firing import Trace
from kproof.petri.papers.account import Account, account, steps_in
from kproof.petri.papers.api import PUBLISHERS, TableNet
from kproof.petri.papers.attackers import (
    ATTACK,
    Attacker,
    attacked,
    attacker,
    evidence,
    hits,
    prepared,
    victims,
)
from kproof.petri.papers.classes import ECs, Tokens
from kproof.petri.papers.publisher import PartitionedTable, Publisher
from kproof.petri.papers.running import carried_out, processes
from kproof.petri.papers.theta_runs import Course, Move, naming_of, steps_of
from kproof.petri.papers.theta_sensitive import Cut
from kproof.petri.spaces.simulate import (
    Chance,
    Simulation,
    Walk,
    Walker,
    clopper_pearson,
    draws,
    tallied,
)
from kproof.theory.exact.typed import Number, integer, rational

QUERIES = 1000
"""Random COUNT queries that each publication of a table with quasi-identifiers is asked."""

BINS = 12
"""Bars of a distribution."""


@dataclass(frozen=True)
class Learned:
    """What one attack discloses after one publication.

    Attributes
    ----------
    attack
        Its name.
    victims
        People (on the level of values: one of each class) who were looked for.
    disclosed
        Those of them who are disclosed by the attack's rule.
    certainty
        The largest probability of a bet; None if nobody is matched.
    rule
        When someone counts as disclosed.
    remarks
        What else there is to say.
    """

    attack: str
    victims: int
    disclosed: int
    certainty: Fraction | None
    rule: str
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunFacts:
    """What is known of one run.

    Attributes
    ----------
    number
        Which run of the seed, from 1.
    walk
        Firings and ends.
    noise
        Rows that were added; None if nothing was published.
    moved
        Rows published in another class than they began in; None if nothing was, or the net does
        not say which rows move.
    added
        Relative error of counting the rows with a sensitive value, which only noise changes: the
        mean over the values of the table. None if nothing was published.
    query_error
        Mean relative errors of random COUNT queries over quasi-identifiers, of an analyst who
        spreads rows evenly and of one who counts every row that is not ruled out; None without
        quasi-identifiers, and where the net does not say which rows move.
    learned
        By attack.
    """

    number: int
    walk: Walk
    noise: int | None = None
    moved: int | None = None
    added: Fraction | None = None
    query_error: tuple[float, float] | None = None
    learned: tuple[Learned, ...] = ()


@dataclass(frozen=True)
class Task:
    """Which runs of which net: all that a process needs to make them.

    Attributes
    ----------
    name, classes, k, options
        The publisher, as in :data:`kproof.petri.papers.api.PUBLISHERS`.
    attackers
        Those who attack each publication.
    inside
        Whether they are part of the net, so that their success is a firing.
    seed
        Of the runs.
    steps
        Firings after which a run is broken off.
    judged
        Whether publications are compared with the table and attacked.
    """

    name: str
    classes: PartitionedTable
    k: int
    options: Mapping[str, object]
    attackers: tuple[Attacker, ...]
    inside: bool
    seed: int
    steps: int
    judged: bool

    def publisher(self) -> Publisher:
        """Return the publisher, its attackers included if they are part of it."""
        made = PUBLISHERS[self.name](self.classes, k=self.k, **self.options)
        return attacked(made, self.attackers) if self.inside else made


class Runner:
    """Makes runs of a task, one after another.

    Parameters
    ----------
    task
        What to run.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._publisher = task.publisher()
        # What is given inside the net is ready since it was built; see `attacked`.
        self._attackers = [prepared(self._publisher, one) for one in task.attackers]
        self._sought = [set(victims(self._publisher, one.background)) for one in self._attackers]
        self._walker: Walker | None = None
        self._start: Course | None = None
        if _is_cut_by_moves(self._publisher):
            self._start = Course(self._publisher)
        else:
            self._walker = Walker(self._publisher.net(), self._publisher.watch())
        formed = self._publisher.formed
        held = Counter(value for own in formed.values for value in own)
        self._held = [held[value] for value in formed.domain]
        self._began = {row: at for at, own in enumerate(formed.rows) for row in own}
        self._ranks: list[Codes] = []

    def run(self, number: int) -> RunFacts:
        """Return what is known of one run.

        Raises
        ------
        NetError
            If a function of the net raises.
        """
        task, publisher = self._task, self._publisher
        if self._start is None:
            assert self._walker is not None
            walk, marking = self._walker.ended(task.seed, number, task.steps)
            published = publisher.publications(marking) if walk.finished else ()
            if not (task.judged and published):
                return RunFacts(number, walk)
            ecs = published[0]
            return self._facts(number, walk, ecs, None, self._disclosures(ecs))
        course = self._start.copy()
        chance = draws(task.seed, number)
        naming = naming_of(task.seed, number)
        fired = Counter(str(one.move) for one in steps_of(course, chance, naming, task.steps))
        if course.ended is not Move.PUBLISH:
            ends = () if course.ended is None else ("infeasible",)
            return RunFacts(number, Walk(fired, ends, course.ended is not None))
        if not (task.judged or task.inside):
            return RunFacts(number, Walk(fired, ("published",)))
        ecs = course.classes(publisher)
        disclosures = self._disclosures(ecs)
        walk = self._attacked(fired, chance, disclosures)
        if not (task.judged and walk.finished):
            return RunFacts(number, walk)
        return self._facts(number, walk, ecs, course, disclosures)

    def baseline(self) -> tuple[float, float] | None:
        """Return the query error of the classes as they were formed."""
        if self._start is None:
            return None
        return self._asked(self._start)

    def _disclosures(self, ecs: ECs) -> list[Disclosure | None]:
        if not self._attackers:
            return []
        seen = evidence(self._publisher, ecs)
        return [one(seen) for one in self._attackers]

    def _attacked(
        self,
        fired: Counter[str],
        chance: Callable[[], float],
        disclosures: Sequence[Disclosure | None],
    ) -> Walk:
        """Let the attacks of the net happen, which succeed in any order."""
        if not self._task.inside:
            return Walk(fired, ("published",))
        able = [
            f"{ATTACK}{one.attack}"
            for one, found, sought in zip(
                self._attackers, disclosures, self._sought, strict=True
            )
            for row in hits(found)
            if row in sought
        ]
        left = self._task.steps - fired.total()
        for _ in range(min(left, len(able))):
            fired[able.pop(int(chance() * len(able)))] += 1
        if able:
            return Walk(fired, finished=False)
        successes = [
            f"{one.attack} succeeds"
            for one in self._attackers
            if fired[f"{ATTACK}{one.attack}"]
        ]
        some = ["some attack succeeds"] if successes else []
        return Walk(fired, ("published", *successes, *some))

    def _facts(
        self,
        number: int,
        walk: Walk,
        ecs: ECs,
        course: Course | None,
        disclosures: Sequence[Disclosure | None],
    ) -> RunFacts:
        publisher = self._publisher
        held: Counter[int] = Counter()
        for ec in ecs:
            held.update({int(value): n for value, n in publisher.kind.multiset(ec).items()})
        errors = [
            Fraction(held[value] - before, before)
            for value, before in enumerate(self._held)
            if before
        ]
        return RunFacts(
            number,
            walk,
            publisher.noise(ecs),
            None if course is None else self._moved(course),
            sum(errors, Fraction(0)) / len(errors),
            None if course is None else self._asked(course),
            tuple(map(self._learned, self._attackers, disclosures, self._sought)),
        )

    def _moved(self, course: Course) -> int:
        began = self._began
        return sum(
            row >= 0 and began[row] != at
            for at, own in enumerate(course.rows)
            for rows in own.values()
            for row in rows
        )

    def _asked(self, course: Course) -> tuple[float, float] | None:
        """Return the errors of COUNT queries on the classes of a run."""
        table = self._publisher.formed.table
        if table is None or not table.quasi_identifiers:
            return None
        count = len(course.rows)
        class_of = np.full(table.rows, -1, dtype=np.int64)
        for at, own in enumerate(course.rows):
            for rows in own.values():
                for row in rows:
                    if row >= 0:
                        class_of[row] = at
        recoded = [recode(one, class_of, count) for one in table.quasi_identifiers]
        covered = [coverage(one) for one in recoded]
        if not self._ranks:
            self._ranks = [
                np.asarray(one.rank_of[column.codes])
                for one, column in zip(covered, table.quasi_identifiers, strict=True)
            ]
        found = query_error(
            self._ranks,
            covered,
            np.array(course.sizes, dtype=np.int64),
            queries=QUERIES,
            dimension=min(2, len(covered)),
            seed=self._task.seed,
        )
        return found.uniform_mean, found.intersecting_mean

    def _learned(self, one: Attacker, found: Disclosure | None, sought: set[int]) -> Learned:
        if found is None:
            return Learned(one.attack, len(sought), 0, None, "", ("contradicted",))
        certainty = None if found.worst is None else found.worst.posterior
        disclosed = sum(row in sought for row in hits(found))
        return Learned(
            one.attack, len(sought), disclosed, certainty, found.rule, tuple(found.remarks)
        )


@dataclass(frozen=True)
class Spread:
    """How a figure is distributed over the runs in which it is known.

    Attributes
    ----------
    name
        What it is.
    values
        Ascending; exact where the figure is.
    """

    name: str
    values: tuple[Fraction | float, ...]

    @property
    def mean(self) -> float:
        """The mean."""
        return float(sum(map(float, self.values)) / len(self.values))

    @property
    def middle(self) -> float:
        """The median."""
        return float(median(map(float, self.values)))

    @property
    def whole(self) -> bool:
        """Whether it is a count."""
        return all(isinstance(one, Fraction) and one.denominator == 1 for one in self.values)

    def bars(self) -> tuple[tuple[Fraction | float, Fraction | float, int], ...]:
        """Return up to :data:`BINS` intervals and how many values are in each.

        Of few different values each has a bar of its own, from itself to itself. Others are in
        intervals of equal width, ends included below and, in the last one, above.
        """
        counted = Counter(self.values)
        if len(counted) <= BINS:
            return tuple((one, one, counted[one]) for one in sorted(counted))
        low, high, whole = self.values[0], self.values[-1], self.whole
        width = -(-(high - low + 1) // BINS) if whole else (high - low) / BINS
        found = Counter(min(int((one - low) / width), BINS - 1) for one in self.values)
        return tuple(
            (
                low + at * width,
                low + (at + 1) * width - (1 if whole else 0),
                found[at],
            )
            for at in range(max(found) + 1)
        )

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        number: Callable[[Any], object] = int if self.whole else float
        return {
            "name": self.name,
            "runs": len(self.values),
            "mean": self.mean,
            "median": self.middle,
            "least": number(self.values[0]),
            "most": number(self.values[-1]),
            "bars": [
                {"from": number(first), "to": number(last), "runs": count}
                for first, last, count in self.bars()
            ],
        }


@dataclass(frozen=True)
class Lesson:
    """What an attacker learns over all publications.

    Attributes
    ----------
    attack
        Its name.
    rule
        When someone counts as disclosed.
    runs
        Publications that were attacked.
    victims
        Who were looked for in each.
    anyone
        How probable it is that a publication discloses anyone.
    share
        Mean share of the victims who are disclosed, and an interval for its expectation.
    disclosed
        The numbers of those who are disclosed.
    certainty
        The largest probabilities of a bet.
    remarks
        What else there is to say.
    """

    attack: str
    rule: str
    runs: int
    victims: int
    anyone: Chance
    share: tuple[Fraction, float, float]
    disclosed: Spread
    certainty: Spread | None
    remarks: tuple[str, ...]

    @classmethod
    def of(cls, found: Sequence[Learned], confidence: Fraction) -> Lesson:
        """Collect what one attack disclosed after each publication."""
        runs, first = len(found), found[0]
        any_ = sum(one.disclosed > 0 for one in found)
        anyone = Chance(
            "anyone is disclosed", Fraction(any_, runs), *clopper_pearson(any_, runs, confidence)
        )
        shares = [
            Fraction(one.disclosed, one.victims) if one.victims else Fraction(0) for one in found
        ]
        mean = sum(shares, Fraction(0)) / runs
        low, high = hoeffding(mean, runs, confidence)
        bets = sorted(one.certainty for one in found if one.certainty is not None)
        return cls(
            first.attack,
            next((one.rule for one in found if one.rule), ""),
            runs,
            first.victims,
            anyone,
            (mean, low, high),
            Spread("disclosed", tuple(sorted(Fraction(one.disclosed) for one in found))),
            Spread("largest probability of a bet", tuple(bets)) if bets else None,
            tuple(dict.fromkeys(remark for one in found for remark in one.remarks)),
        )

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        mean, low, high = self.share
        return {
            "attack": self.attack,
            "rule": self.rule,
            "publications": self.runs,
            "victims": self.victims,
            "anyone": self.anyone.to_dict(),
            "share": {"mean": str(mean), "lower": low, "upper": high},
            "disclosed": self.disclosed.to_dict(),
            "certainty": self.certainty and self.certainty.to_dict(),
            "remarks": list(self.remarks),
        }


@dataclass(frozen=True)
class SampleRun:
    """One run, told step by step.

    Attributes
    ----------
    number
        Which run of the seed.
    account
        What it did to the table; None for nets without a θ.
    trace
        Its firings and markings, where the whole table fits on a line; None otherwise.
    fired
        How often each transition fired.
    end
        How it ended, in a word.
    """

    number: int
    account: Account | None
    trace: Trace | None = field(repr=False)
    fired: Mapping[str, int]
    end: str

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            "run": self.number,
            "end": self.end,
            "fired": dict(self.fired),
            "account": self.account and self.account.to_dict(),
        }


@dataclass(frozen=True)
class PublisherSimulation:
    """Runs of a publisher's net and what came of them.

    Attributes
    ----------
    net
        The net.
    simulation
        Firings and ends.
    facts
        Of each run, by number; empty if all runs were taken at once, with their probabilities.
    samples
        Runs that are told step by step.
    formed_error
        Query error of the classes as they were formed, as :attr:`RunFacts.query_error`.
    attackers
        Those who attacked each publication.
    """

    net: TableNet
    simulation: Simulation
    facts: tuple[RunFacts, ...] = field(repr=False)
    samples: tuple[SampleRun, ...] = field(repr=False)
    formed_error: tuple[float, float] | None
    attackers: tuple[Attacker, ...]

    @cached_property
    def spreads(self) -> tuple[Spread, ...]:
        """How what happens to the table is distributed over the runs that publish."""
        exact: dict[str, list[Any]] = {
            "noise rows": [one.noise for one in self.facts],
            "rows in another class": [one.moved for one in self.facts],
            "error of counting a sensitive value": [one.added for one in self.facts],
        }
        asked = [one.query_error for one in self.facts if one.query_error is not None]
        found = [
            (name, [Fraction(one) for one in values if one is not None])
            for name, values in exact.items()
        ]
        errors = [
            ("query error, rows spread evenly", [one[0] for one in asked]),
            ("query error, rows not ruled out", [one[1] for one in asked]),
        ]
        return tuple(
            Spread(name, tuple(sorted(values))) for name, values in (*found, *errors) if values
        )

    @cached_property
    def lessons(self) -> tuple[Lesson, ...]:
        """What each attacker learns."""
        level = self.simulation.confidence
        by_attack: dict[str, list[Learned]] = {}
        for one in self.facts:
            for learned in one.learned:
                by_attack.setdefault(learned.attack, []).append(learned)
        return tuple(Lesson.of(found, level) for found in by_attack.values())

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form: that of the simulation, and what is known besides."""
        error = self.formed_error
        return {
            **self.simulation.to_dict(),
            "distributions": [one.to_dict() for one in self.spreads],
            "query_error_as_formed": error and {"uniform": error[0], "intersecting": error[1]},
            "attackers": [one.to_dict() for one in self.lessons],
            "samples": [one.to_dict() for one in self.samples],
        }


def simulated(
    net: TableNet,
    *,
    runs: Number,
    seed: Number = 0,
    steps: Number | None = None,
    confidence: Number = "0.95",
    samples: Number = 0,
    judged: bool = False,
    background: BackgroundKnowledge | None = None,
    jobs: Number | None = None,
    progress: Callable[[int], object] | None = None,
) -> PublisherSimulation:
    """Return what happens in random runs of a publisher's net.

    Parameters
    ----------
    net
        From :func:`kproof.petri.papers.api.net`.
    runs, seed, confidence, progress
        As for :func:`kproof.petri.spaces.simulate.simulate`, which takes the same runs.
    steps
        Firings after which a run is broken off; by default 10,000, and 20 more for each row.
    samples
        How many runs, from the first on, are told step by step; at most ``runs`` are.
    judged
        Whether each publication is compared with the table and attacked, by the net's attackers
        or, if it has none, by those of :func:`usual_attackers`.
    background
        What the usual attackers know.
    jobs
        Processes, at least 1; by default as many as there are processors if that pays.

    Raises
    ------
    InvalidArgument
        If a number is out of its range.
    DataError
        If a process is ended from outside.

    Examples
    --------
    >>> from kproof.petri.papers.api import net
    >>> made = net("theta-sensitive", [["Flu", "Flu"], ["Cancer", "HIV"]], k=2)
    >>> found = simulated(made, runs=100, judged=True)
    >>> [one.mean for one in found.spreads], found.lessons[0].anyone.share
    ([0.0, 2.0, 0.0], Fraction(0, 1))
    """
    total = integer("runs", runs, least=1)
    told = min(integer("samples", samples, least=0), total)
    level = rational("confidence", confidence, above=0, below=1)
    asked = None if jobs is None else integer("jobs", jobs, least=1)
    publisher = net.publisher
    task = Task(
        publisher.name,
        publisher.formed,
        publisher.k,
        publisher.options,
        net.attackers or (usual_attackers(publisher, background) if judged else ()),
        bool(net.attackers),
        SEED.read(seed),
        default_steps(publisher) if steps is None else integer("steps", steps, least=1),
        judged,
    )
    rows = sum(map(len, publisher.formed.values))
    facts: list[RunFacts] = []

    def walks() -> Iterable[Walk]:
        for one in carried_out(task, total, processes(rows, total, asked)):
            facts.append(one)
            yield one.walk

    simulation = tallied(
        net.net,
        publisher.watch(),
        walks(),
        runs=total,
        seed=task.seed,
        confidence=level,
        progress=progress,
    )
    return PublisherSimulation(
        net,
        simulation,
        tuple(sorted(facts, key=lambda one: one.number)),
        _samples(net, task, told),
        Runner(replace(task, attackers=(), inside=False)).baseline() if judged else None,
        task.attackers,
    )


def default_steps(publisher: Publisher) -> int:
    """Return the firings after which a run is broken off if nothing is said."""
    return 10_000 + 20 * sum(map(len, publisher.formed.values))


def usual_attackers(
    publisher: Publisher, background: BackgroundKnowledge | None = None
) -> tuple[Attacker, ...]:
    """Return the attacks that a publication is tried with if nobody names any.

    Homogeneity and sensitive variance, and categorical similarity where each value has a category.
    """
    names = ["homogeneity", "sensitive-variance", "categorical-similarity"]
    if any(value not in publisher.formed.categories for value in publisher.formed.domain):
        names.pop()
    found = []
    for name in names:
        one = attacker(name, background)
        try:
            prepared(publisher, one)
        except KProofError:
            continue
        found.append(one)
    return tuple(found)


def sampled(net: TableNet, count: int, *, seed: int, steps: int) -> tuple[SampleRun, ...]:
    """Return the first runs of a seed, step by step; they end, or are broken off after ``steps``."""
    publisher = net.publisher
    task = Task(
        publisher.name,
        publisher.formed,
        publisher.k,
        publisher.options,
        net.attackers,
        bool(net.attackers),
        seed,
        steps,
        judged=False,
    )
    return _samples(net, task, count)


def hoeffding(mean: Fraction, runs: int, confidence: Fraction) -> tuple[float, float]:
    """Return an interval for the expectation of something from 0 to 1, by its mean over runs.

    It has the expectation with at least this confidence, whatever the distribution is.

    Source: Hoeffding, Journal of the American Statistical Association 58, 1963.

    Examples
    --------
    >>> low, high = hoeffding(Fraction(1, 2), 100, Fraction(95, 100))
    >>> round(low, 4), round(high, 4)
    (0.3642, 0.6358)
    """
    wide = sqrt(log(2 / float(1 - confidence)) / (2 * runs))
    # Rounding must not make the interval narrower.
    return max(float(mean) - wide - 1e-12, 0.0), min(float(mean) + wide + 1e-12, 1.0)


def _samples(net: TableNet, task: Task, count: int) -> tuple[SampleRun, ...]:
    if not count:
        return ()
    publisher = net.publisher
    inside = task.attackers if task.inside else ()
    runner = Runner(replace(task, attackers=inside, judged=False))
    found = []
    for number in range(1, count + 1):
        walk = runner.run(number).walk
        told, trace = None, None
        if _is_cut_by_moves(publisher):
            course = Course(publisher)
            chance, naming = draws(task.seed, number), naming_of(task.seed, number)
            steps = list(steps_of(course.copy(), chance, naming, task.steps))
            told = account(publisher, course, steps, rows=True)
        else:
            trace = Walker(net.net, publisher.watch()).trace(task.seed, number, task.steps)
            if publisher.threshold is not None:
                told = account(
                    publisher,
                    Course(publisher),
                    steps_in(publisher, trace),
                    rows=publisher.options["tokens"] == Tokens.RECORDS,
                )
        end = walk.ends[0] if walk.finished else "broken off"
        found.append(SampleRun(number, told, trace, walk.fired, end))
    return tuple(found)


def _is_cut_by_moves(publisher: Publisher) -> bool:
    return publisher.options.get("cut") == Cut.MOVES
