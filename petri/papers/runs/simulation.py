"""Random runs of a publisher, summed up: what happens, what it costs, and what attackers learn.

:func:`kproof.petri.spaces.simulate.simulate` counts firings and ends of any net. Of a publisher's
runs more is known: each publication is compared with the table, and attacked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from kproof.errors import KProofError
from kproof.forms import ABSENT, JsonForm, group
from kproof.models.attacks import BackgroundKnowledge
from kproof.models.base.parameters import SEED
from kproof.petri.net.net import Net
from kproof.petri.papers.api import TableNet
from kproof.petri.papers.attackers import Attacker, attacker, prepare
from kproof.petri.papers.head import NetHead, TableSource
from kproof.petri.papers.publisher import Publisher
from kproof.petri.papers.runs.account import Account
from kproof.petri.papers.runs.lessons import Lesson, Spread
from kproof.petri.papers.runs.publisher_runs import Learned, RunFacts, Runner, SampleRun, Task
from kproof.petri.papers.runs.run_pool import carry_out, processes
from kproof.petri.spaces.simulate import CountedRun, Walker, tally_walks
from kproof.petri.spaces.tallies import Simulation, Watch
from kproof.theory.exact.typed import Number, integer, rational

LISTED_FIRINGS = 100
"""Firings of a run of any net that are told."""


@dataclass(frozen=True, slots=True)
class ToldRun:
    """A run that is told step by step."""

    run: SampleRun
    """Which."""
    account: Account | None = ABSENT
    """What it did to the table; None for nets without a θ."""
    firings: tuple[str, ...] | None = None
    """Its first firings; None where the account tells of them."""

    to_dict = JsonForm("*run account~ firings?")


@dataclass(frozen=True, slots=True)
class AnyNetRuns:
    """Runs of any net."""

    simulation: Simulation
    """What they do."""
    samples: tuple[ToldRun, ...]
    """Runs that are told step by step."""

    to_dict = JsonForm("*simulation samples")


@dataclass(frozen=True)
class PublisherSimulation:
    """Runs of a publisher's net and what came of them."""

    net: TableNet
    """The net."""
    simulation: Simulation
    """Firings and ends."""
    facts: tuple[RunFacts, ...] = field(repr=False)
    """Of each run, by number; empty if all runs were taken at once, with their probabilities."""
    samples: tuple[SampleRun, ...] = field(repr=False)
    """Runs that are told step by step."""
    formed_error: tuple[float, float] | None
    """Query error of the classes as they were formed, as :attr:`RunFacts.query_error`."""
    attackers: tuple[Attacker, ...]
    """Those who attacked each publication."""
    of_all: tuple[Lesson, ...] = ()
    """What each of them learns, if all runs were taken."""

    @cached_property
    def spreads(self) -> tuple[Spread, ...]:
        """How what happens to the table is distributed over the runs that publish."""
        swapping = self.net.publisher.watch().groups.get("swaps", frozenset())
        published = [run for run in self.facts if run.noise is not None]
        errors = [run.query_error for run in published if run.query_error is not None]
        exact: dict[str, list[int | Fraction | None]] = {
            "swaps": [
                sum(times for name, times in run.walk.fired.items() if name in swapping)
                for run in published
            ],
            "noise rows": [run.noise for run in published],
            "rows in another class": [run.moved for run in published],
            "error of counting a sensitive value": [run.added for run in published],
        }
        values: dict[str, list[Fraction | float]] = {
            name: [Fraction(figure) for figure in figures if figure is not None]
            for name, figures in exact.items()
        }
        values["query error, rows spread evenly"] = [uniform for uniform, _ in errors]
        values["query error, rows not ruled out"] = [intersecting for _, intersecting in errors]
        return tuple(Spread(name, tuple(sorted(data))) for name, data in values.items() if data)

    @cached_property
    def lessons(self) -> tuple[Lesson, ...]:
        """What each attacker learns."""
        if not self.facts:
            return self.of_all
        by_attack: dict[str, list[Learned]] = {}
        for run in self.facts:
            for learned in run.learned:
                by_attack.setdefault(learned.attack, []).append(learned)
        level = self.simulation.confidence
        return tuple(Lesson.of(after_each, level) for after_each in by_attack.values())

    @property
    def narratives(self) -> tuple[ToldRun, ...]:
        """Runs that are told step by step."""
        return tuple(ToldRun(run, run.account) for run in self.samples)

    to_dict = JsonForm(
        "*simulation distributions=spreads",
        group(
            "query_error_as_formed",
            "Query error of the classes as they were formed; null without quasi-identifiers.",
            "uniform=formed_error.0 intersecting=formed_error.1",
            unless="formed_error",
        ),
        "attackers=lessons samples=narratives",
    )


@dataclass(frozen=True)
class SimulationReport:
    """All that is told of runs of a net."""

    net: Net
    """The net."""
    simulation: Simulation
    """Firings and ends."""
    head: NetHead | None = None
    """What was asked of a net of the paper; None for others."""
    known: PublisherSimulation | None = None
    """What else is known of such a net's runs; None for others."""
    samples: tuple[SampleRun, ...] = ()
    """Runs that are told step by step."""

    @classmethod
    def of_publisher(
        cls, known: PublisherSimulation, source: TableSource | None
    ) -> SimulationReport:
        """Return the report on a publisher's runs, and where its table comes from."""
        head = NetHead(known.net, source, known.attackers)
        return cls(known.net.net, known.simulation, head, known, known.samples)

    @classmethod
    def of_all_runs(
        cls,
        net: TableNet,
        simulation: Simulation,
        source: TableSource | None,
        *,
        samples: int,
        seed: int,
        attackers: tuple[Attacker, ...] = (),
        lessons: tuple[Lesson, ...] = (),
    ) -> SimulationReport:
        """Return the report on all runs of a publisher, with a few random ones as samples."""
        runs = Task.of(net, seed=seed).samples(range(1, samples + 1))
        who = attackers or net.attackers
        publisher_runs = PublisherSimulation(net, simulation, (), runs, None, who, lessons)
        return cls.of_publisher(publisher_runs, source)

    @classmethod
    def of_net(
        cls, net: Net, simulation: Simulation, *, samples: int, seed: int, steps: int
    ) -> SimulationReport:
        """Return the report on runs of any net, with the first runs of the seed as samples."""
        walker = Walker(net, Watch())
        runs = []
        for number in range(1, min(samples, simulation.runs) + 1):
            walk = walker.walk(seed, number, steps)
            trace = walker.trace(seed, number, steps)
            end = "ended" if walk.finished else "broken off"
            runs.append(SampleRun(number, None, trace, walk.fired, end, trace))
        return cls(net, simulation, samples=tuple(runs))

    @property
    def _narratives(self) -> tuple[ToldRun, ...]:
        """Runs that are told step by step."""
        return tuple(
            ToldRun(
                run, firings=tuple(str(firing) for firing, _ in run.trace.steps[:LISTED_FIRINGS])
            )
            for run in self.samples
            if run.trace is not None
        )

    @property
    def _answer(self) -> PublisherSimulation | AnyNetRuns:
        """What is known of the runs."""
        return self.known or AnyNetRuns(self.simulation, self._narratives)

    to_dict = JsonForm("*_answer head")


def simulate_publisher(
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

    Args:
        net: From :func:`kproof.petri.papers.api.net`.
        runs, seed, confidence, progress: As for :func:`kproof.petri.spaces.simulate.simulate`,
            which takes the same runs.
        steps: Firings after which a run is broken off; by default 10,000, and 20 more for each row.
        samples: How many runs, from the first on, are told step by step; at most ``runs`` are. The
            last of them is the first run in which someone is disclosed, if no other one is.
        judged: Whether each publication is compared with the table and attacked, by the net's
            attackers or, if it has none, by those of :func:`usual_attackers`.
        background: What the usual attackers know.
        jobs: Processes, at least 1; by default as many as there are processors if that pays.

    Raises:
        DataError: If a process is ended from outside.

    >>> from kproof.petri.papers.api import net
    >>> made = net("theta-sensitive", [["Flu", "Flu"], ["Cancer", "HIV"]], k=2)
    >>> simulation = simulate_publisher(made, runs=100, judged=True)
    >>> [spread.mean for spread in simulation.spreads], simulation.lessons[0].anyone.share
    ([1.0, 0.0, 2.0, 0.0], Fraction(0, 1))
    """
    total = integer("runs", runs, least=1)
    listed = min(integer("samples", samples, least=0), total)
    level = rational("confidence", confidence, above=0, below=1)
    most_jobs = None if jobs is None else integer("jobs", jobs, least=1)
    publisher = net.publisher
    task = Task.of(
        net,
        seed=SEED.read(seed),
        steps=None if steps is None else integer("steps", steps, least=1),
        attackers=net.attackers or (usual_attackers(publisher, background) if judged else ()),
        judged=judged,
    )
    facts: list[RunFacts] = []

    def walks() -> Iterable[CountedRun]:
        # Taken down on the way: `tally_walks` runs through them once and keeps none.
        for run in carry_out(task, total, processes(publisher.rows, total, most_jobs)):
            facts.append(run)
            yield run.walk

    simulation = tally_walks(
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
        # They came as processes were done: a report must not depend on how fast those were.
        tuple(sorted(facts, key=lambda run: run.number)),
        task.samples(numbers_of_samples(facts, listed)),
        Runner(replace(task, attackers=(), inside=False)).baseline() if judged else None,
        task.attackers,
    )


def numbers_of_samples(facts: Iterable[RunFacts], count: int) -> list[int]:
    """Return the numbers of so many runs, one in which someone is disclosed among them."""
    numbers = list(range(1, count + 1))
    disclosing = min(
        (run.number for run in facts if any(learned.disclosed for learned in run.learned)),
        default=0,
    )
    # One among the first is told anyway; and if no run is to be told, neither is this one.
    return [*numbers[:-1], disclosing] if disclosing > count > 0 else numbers


def usual_attackers(
    publisher: Publisher, background: BackgroundKnowledge | None = None
) -> tuple[Attacker, ...]:
    """Return the attacks that a publication is tried with if nobody names any.

    Homogeneity and sensitive variance, and categorical similarity where each value has a category.
    """
    names = ["homogeneity", "sensitive-variance"]
    if all(value in publisher.formed.categories for value in publisher.formed.domain):
        names.append("categorical-similarity")
    usable = []
    for name in names:
        # Nobody asked for these by name: one that cannot be tried here is left out.
        with suppress(KProofError):
            usual = attacker(name, background)
            prepare(publisher, usual)
            usable.append(usual)
    return tuple(usable)
