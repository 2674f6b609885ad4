"""The engine: a subject, checks and sources in, one result for each check out.

Finite sources come first: what they find is smallest as it stands. A check that has failed looks
no further, whatever sources are left.
"""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any

from kproof.errors import InvalidArgument, one_of
from kproof.proptests.contract import Check, CheckResult, CheckStatus, Source, Subject, Trial
from kproof.proptests.judgement import Violation
from kproof.proptests.profiles import Profile
from kproof.proptests.running import (
    Finding,
    Looks,
    OnFinding,
    RunningChecks,
    exhaust,
    look,
    pare,
    shrink,
    sweep,
)
from kproof.stages import Stage, stage

_DRAWING = Fraction(3, 4)
"""Share of a budget that cases are drawn in; the rest is for making what fails small."""
_DEAR = 5
"""How many calls of a plain check one call of a costly check is worth."""


def hold(
    subject: Subject,
    checks: Sequence[Check],
    sources: Sequence[Source],
    *,
    profile: Profile,
    seed: int = 0,
    expected_failures: Mapping[str, str] | None = None,
    every_case: bool = False,
    on_finding: OnFinding | None = None,
    budget: RunBudget | None = None,
) -> tuple[CheckResult, ...]:
    """Hold a subject to checks on cases from sources; return a result for each check that applies.

    Checks that do not apply to the subject and sources of another kind of data are left out; it is
    refused if none is left, or if a failure is expected of a check that is not there. Warnings are
    no part of any promise and are silenced. With ``every_case`` costly checks look at every case,
    too. ``on_finding`` is told of a check that fails unexpectedly, before its case is made small.
    Once a ``budget`` is spent no further case is shown; it says which sources that cut short.
    """
    expected = expected_failures or {}
    applied = [check for check in checks if check.applies_to(subject)]
    of_kind = [source for source in sources if source.kind == subject.kind]
    if not applied:
        names = ", ".join(sorted(promise.value for promise in subject.promises)) or "none"
        raise InvalidArgument("promises", names, "promises that some check is about")
    if not of_kind:
        raise InvalidArgument("sources", "", f"a source of {subject.kind} cases")
    require_known_failures(expected, applied)
    run = _Run(subject, applied, profile, seed, every_case, _announcer(on_finding, expected))
    budget = budget or RunBudget()
    # Finite sources come first, and what a warning says is nobody's promise.
    ordered = sorted(of_kind, key=lambda source: source.exhaust is None)
    dear = shares(ordered, profile.costly)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with stage(f"cases for {subject.name}", len(ordered)) as progress:
            for position, (source, costly) in enumerate(zip(ordered, dear, strict=True)):
                progress.advance(position, f"{subject.name}: cases from {source.name}")
                run.take(source, costly, progress, budget, Fraction(position + 1, len(ordered)))
    return tuple(run.result(check, ordered, expected.get(check.name)) for check in applied)


def _announcer(on_finding: OnFinding | None, expected: Collection[str]) -> OnFinding | None:
    if on_finding is None:
        return None

    def announce(name: str, sentence: str) -> None:
        if name not in expected:
            on_finding(name, sentence)

    return announce


def require_known_failures(expected: Iterable[str], checks: Iterable[Check]) -> None:
    """Refuse the name of an expected failure that no check has."""
    names = [check.name for check in checks]
    for name in expected:
        if name not in names:
            raise InvalidArgument("expected_failures", name, one_of(name, names))


@dataclass
class RunBudget:
    """The seconds that a run may take, by the clock, and what that cut short."""

    seconds: Fraction | None = None
    """None if it takes what it takes."""
    clock: Callable[[], float] = time.monotonic
    """Says how late it is, in seconds."""
    cut_short: list[str] = field(default_factory=list)
    """Names of the sources of which not every case was shown."""

    def __post_init__(self) -> None:
        self._start = self.clock()

    def over(self, share: Fraction) -> bool:
        """Say whether a share of it is spent."""
        return self.seconds is not None and self.clock() - self._start >= share * self.seconds


@dataclass
class _Run(Looks):
    """What is known so far of a subject under its checks."""

    subject: Subject
    checks: Sequence[Check]
    profile: Profile
    seed: int
    every_case: bool
    on_finding: OnFinding | None = None
    findings: dict[str, tuple[Source, Finding, str | None]] = field(default_factory=dict)
    """By check that fails: the source in which it did, the smallest case, and the check that this
    case was looked for on behalf of, if another one."""
    exhausted: list[str] = field(default_factory=list)
    owed: int = 0
    waited: Fraction = Fraction(0)

    def take(
        self, source: Source, costly: int, progress: Stage, budget: RunBudget, share: Fraction
    ) -> None:
        """Show the cases of a source to the checks that have not failed yet.

        By the end of this source that share of the budget may be spent.
        """
        live = [check for check in self.checks if check.name not in self.findings]
        if not live or self.waited >= 1:
            return
        profile = self.profile
        cases = max(profile.examples // source.worth, 1)
        if source.exhaust is not None:
            cases = profile.finite
        running = RunningChecks(self.subject, live, None if self.every_case else costly + self.owed)
        running.waited, running.on_finding = self.waited, self.on_finding
        # Every source has its turn, and what it finds is made small within what is left for that.
        running.over = partial(budget.over, share * _DRAWING)
        began = time.perf_counter_ns()
        over = partial(budget.over, 1 - _DRAWING + share * _DRAWING)
        if source.exhaust is not None:
            every = map(self.subject.pin, source.exhaust(self.subject.case_parameters))
            if exhaust(running, every, most=cases):
                self.exhausted.append(source.name)
        else:
            sweep(running, source, examples=cases, seed=self.seed)
        if running.stopped:
            budget.cut_short.append(source.name)
        # What a source had too little for is made good by the next one.
        self.owed, self.waited = running.finish(), running.waited
        self.looked += running.looked
        self.published += running.published
        self.judged += running.judged
        self.unjudged += running.unjudged
        self.doubts |= running.doubts
        # What cases and calls took, the checks share: each of them asked for it.
        calls_of_all = time.perf_counter_ns() - began - running.spent.total()
        self.spent += running.spent + Counter({c.name: calls_of_all // len(live) for c in live})
        # In the order of the checks, guarantees first: of what one case breaks, the gravest promise
        # is the one that the case is looked for and made small for.
        for check in self.checks:
            if check.name in running.findings:
                # A fault mostly breaks several promises, and one small case shows that.
                shared = self._cause(check)
                if shared is not None:
                    self.findings[check.name] = source, *shared
                    continue
                progress.advance(
                    progress.done, f"looking for a smaller input that breaks {check.name}"
                )
                finding, began = running.findings[check.name], time.perf_counter_ns()
                # Each further cause has half the calls, so that all have less than twice as many.
                causes = sum(cause is None for _, _, cause in self.findings.values())
                calls = profile.shrinking // (_DEAR if check.costly else 1) >> causes
                if source.exhaust is None:
                    how: Any = {"examples": cases, "seed": self.seed, "calls": calls, "over": over}
                    finding = shrink(finding, check, self.subject, source, **how)
                finding = pare(finding, check, self.subject, calls=calls, over=over)
                self.spent[check.name] += time.perf_counter_ns() - began
                self.findings[check.name] = source, finding, None

    def _cause(self, check: Check) -> tuple[Finding, str] | None:
        """Return the smallest case of another check that fails on it, too, and that check."""
        for name, (_, finding, cause) in self.findings.items():
            if cause is not None:
                continue
            trial = Trial(self.subject, finding.case)
            # The answer is known: a subject that takes turns might give another one.
            trial.__dict__["outcome"] = finding.outcome
            judgement = look(check, trial)
            if isinstance(judgement, Violation):
                return replace(finding, violation=judgement), name
        return None

    def result(self, check: Check, sources: Sequence[Source], reason: str | None) -> CheckResult:
        """Return how one check ended."""
        names = [source.name for source in sources]
        result = CheckResult(
            self.subject,
            check,
            self._status(check, names, reason),
            self.looked[check.name],
            self.published[check.name],
            self.judged[check.name],
            ", ".join(names),
            reason=reason,
            seed=self.seed,
            exhausted=tuple(self._whole(check)),
            unjudged=tuple(
                (why, cases)
                for (name, why), cases in self.unjudged.most_common()
                if name == check.name
            ),
            doubts=tuple(sorted(why for name, why in self.doubts if name == check.name)),
            seconds=self.spent[check.name] / 1e9,
        )
        if check.name not in self.findings:
            return result
        source, finding, cause = self.findings[check.name]
        return replace(
            result,
            source=source.name,
            case=finding.case,
            outcome=finding.outcome,
            violation=finding.violation,
            cause=cause,
        )

    def _status(self, check: Check, sources: Sequence[str], reason: str | None) -> CheckStatus:
        if check.name in self.findings:
            return CheckStatus.FAILED if reason is None else CheckStatus.EXPECTED
        # Before an expected failure is called mended: of a check that judged nothing nobody knows.
        if not self.judged[check.name]:
            return CheckStatus.NOT_APPLICABLE
        if reason is not None:
            return CheckStatus.FIXED
        doubted = any(name == check.name for name, _ in self.doubts)
        # As lists: finite sources come first, so that they are equal only if there are no others
        # and all of each was shown.
        complete = self._whole(check) == sources and not doubted
        return CheckStatus.EXHAUSTED if complete else CheckStatus.PASSED

    def _whole(self, check: Check) -> Sequence[str]:
        """Return the finite sources of which a check was shown every case; a costly one is not."""
        return [] if check.costly and not self.every_case else self.exhausted


def shares(sources: Sequence[Source], costly: int) -> tuple[int, ...]:
    """Return how many costly cases fall to each source, spread evenly, the first ones first.

    Cases of finite sources are small, and what a costly check looks for shows in large ones: they
    get none where there are others. What is owed by one source is looked at in the next, so that
    nothing may be left to the last one: if it happened to publish nothing, nothing would be seen.

    >>> from kproof.models.registry import Kind
    >>> drawn = Source("drawn", Kind.TABLE, draw=print)
    >>> finite = Source("finite", Kind.TABLE, draw=print, exhaust=print)
    >>> shares([finite, drawn, drawn, drawn], 1), shares([finite, finite], 3)
    ((0, 1, 0, 0), (2, 1))
    """
    sampled = [source.exhaust is None for source in sources]
    if not any(sampled):
        sampled = [True] * len(sampled)
    many, place, counts = sum(sampled), 0, []
    for draws in sampled:
        # Rounded up, so that the first of them has at least as many as the last.
        counts.append(-(-costly * (place + 1) // many) + (-costly * place // many) if draws else 0)
        place += draws
    return tuple(counts)
