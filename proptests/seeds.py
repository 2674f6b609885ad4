"""The suite with one seed after the other, or several at a time on a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kproof.cluster import Cluster
from kproof.errors import InvalidArgument
from kproof.forms import JsonForm
from kproof.models.base.parameters import SEED
from kproof.proptests.api import check_anonymizer, options_of_several_runs
from kproof.proptests.contract import Answer
from kproof.proptests.results import SCHEMA
from kproof.stages import count_parts
from kproof.theory.exact.typed import Number


@dataclass(frozen=True)
class SeedRun:
    """How an anonymizer fared with one seed, in words."""

    seed: int
    """The seed."""
    answer: Answer
    """Kept, broken or open."""
    failing: tuple[str, ...]
    """Names of the checks that fail."""
    report: str = field(repr=False)
    """The whole report of the run."""

    to_dict = JsonForm("seed answer failing")


@dataclass(frozen=True)
class SeedRuns:
    """How an anonymizer fared with several seeds."""

    runs: tuple[SeedRun, ...]
    """One for each seed, in their order."""

    @property
    def answer(self) -> Answer:
        """Broken if a run found a failure; kept if in every run what is promised was."""
        answers = {run.answer for run in self.runs}
        if Answer.BROKEN in answers:
            return Answer.BROKEN
        return Answer.KEPT if answers == {Answer.KEPT} else Answer.OPEN

    @property
    def failing(self) -> Mapping[str, tuple[int, ...]]:
        """The seeds with which each check fails, by its name."""
        seeds_of: dict[str, list[int]] = {}
        for run in self.runs:
            for name in run.failing:
                seeds_of.setdefault(name, []).append(run.seed)
        return {name: tuple(seeds) for name, seeds in seeds_of.items()}

    def report(self) -> str:
        """Return the report of the first run with each failure, and a line for every check."""
        reports: list[str] = []
        reported: set[str] = set()
        for run in self.runs:
            # A fault is mostly seen with every seed; only a run with a new one has a page.
            if not reported.issuperset(run.failing):
                reported.update(run.failing)
                reports.append(run.report)
        lines = [
            f"{name}: fails with {len(seeds)} of {len(self.runs)} seeds, first {seeds[0]}"
            for name, seeds in self.failing.items()
        ]
        numbers = ", ".join(str(run.seed) for run in self.runs if run.answer is Answer.OPEN)
        if numbers:
            lines.append(f"the question is open with seeds: {numbers}")
        seeds = f"seeds {self.runs[0].seed} to {self.runs[-1].seed}"
        lines.append(f"{seeds}: {len(self.runs)} runs, {self.answer.value}")
        return "\n\n".join([*reports, "\n".join(lines)])

    to_dict = JsonForm("answer runs", schema=SCHEMA)


def check_seeds(
    anonymizer: Any, /, seeds: Iterable[Number], *, cluster: Cluster | None = None, **options: Any
) -> SeedRuns:
    """Hold an anonymizer to what it promises, once with each of several seeds.

    Options are those of :func:`kproof.check_anonymizer` but ``seed`` and ``on_fail``. A cluster
    (see :func:`kproof.cluster.connect`) makes several runs at a time; a function cannot be given a
    time limit there.

    >>> def nothing_done(frame, quasi_identifiers, k):
    ...     return frame
    >>> found = check_seeds(nothing_done, [0, 1], profile="quick", max_examples=5)
    >>> found.answer.value, found.failing["k-anonymity"]
    ('broken', (0, 1))
    """
    numbers = [SEED.read(seed) for seed in seeds]
    if not numbers:
        raise InvalidArgument("seeds", "none", "at least one")
    for name in ("seed", "on_fail"):
        if name in options:
            raise InvalidArgument(name, options[name], "seeds in its place, and no on_fail")
    options = options_of_several_runs(options)
    if cluster is None:
        every = count_parts("verifying with seeds", numbers)
        return SeedRuns(tuple(_run(seed, anonymizer, options) for seed in every))
    answers = dict(cluster.answers(_run, numbers, anonymizer, options, doing="verifying"))
    # They come as workers are done, which is another order each time.
    return SeedRuns(tuple(answers[place] for place in range(len(numbers))))


def _run(seed: int, anonymizer: Any, options: Mapping[str, Any]) -> SeedRun:
    results = check_anonymizer(anonymizer, seed=seed, on_fail="return", **options)
    failing = tuple(failure.check.name for failure in results.failures)
    return SeedRun(seed, results.answer, failing, results.report())
