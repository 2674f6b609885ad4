"""One subject on the cases of one source: a sweep for every check at once, and shrinking.

In a sweep every check looks at each case, so that the anonymizer runs once for all of them. A check
that fails is remembered and looks no further; Hypothesis then looks for the smallest case on which
that one check fails, from the same seed, and a greedy pass leaves out of it what it can. The cases
of a finite source come in the order the source gives them, smallest first, and need the pass only.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from kproof.proptests.contract import Check, NoAnswer, Source, Subject, TableCase, Trial
from kproof.proptests.judgement import InDoubt, Judgement, Kept, NotApplicable, Violation
from kproof.proptests.paring import pare_case
from kproof.proptests.supports import beyond
from kproof.proptests.time_limit import NAME, late, share_of_patience

if TYPE_CHECKING:
    from hypothesis import settings
    from hypothesis.strategies import SearchStrategy


@dataclass(frozen=True)
class Finding:
    """A case on which a check fails."""

    case: Any
    outcome: Any
    violation: Violation
    """What was put to the subject, what it answered and what is wrong with that."""
    number: int
    """Which case of its source it was, the first being 1."""


OnFinding: TypeAlias = Callable[[str, str], None]
"""Takes the name of a check that fails and what is wrong, in a sentence."""


@dataclass(kw_only=True)
class Looks:
    """How often checks looked at cases, and what came of it."""

    looked: Counter[str] = field(default_factory=Counter)
    published: Counter[str] = field(default_factory=Counter)
    judged: Counter[str] = field(default_factory=Counter)
    """By check: cases it looked at, those of them on which the subject published, and those that
    it judged."""
    unjudged: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By check and reason: cases that it looked at and did not judge."""
    doubts: set[tuple[str, str]] = field(default_factory=set)
    """The checks and reasons of those that were in doubt."""
    spent: Counter[str] = field(default_factory=Counter)
    """By check: the nanoseconds that it took."""


@dataclass
class RunningChecks(Looks):
    """Checks at work on the cases of one subject, and what they have seen so far."""

    subject: Subject
    """Whose cases they are."""
    live: list[Check]
    """The checks that have not failed yet, those that are costly and those that are not."""
    share: int | None = None
    """How many cases costly checks look at, of those that are published the most varied ones;
    None if they look at every case."""
    most_varied: list[tuple[int, int, Trial]] = field(default_factory=list)
    """Those cases as far as is known: how varied each is, its number, and the trial."""
    findings: dict[str, Finding] = field(default_factory=dict)
    """By check: where it failed first."""
    number: int = 0
    """Cases shown."""
    spared: int = 0
    """Cases that were not shown, since the subject says that it does not take such."""
    waited: Fraction = Fraction(0)
    """Share of the patience that calls without an answer have taken; at 1 they stop."""
    over: Callable[[], bool] = lambda: False
    """Whether the time of the source is up, so that it shows no further case."""
    stopped: bool = False
    """Whether it was."""
    on_finding: OnFinding | None = None
    """What is told of a check and its finding as soon as there is one, before it is made small."""

    def show(self, case: Any) -> None:
        """Let every live check look at a case; what the subject says it does not take is none."""
        if self.over():
            self.stopped = True
            raise TimeIsUp
        if beyond(self.subject, case) is not None:
            self.spared += 1
            return
        self.number += 1
        trial = Trial(self.subject, case)
        # A copy: a check that fails leaves the list.
        for check in tuple(self.live):
            if not (check.costly and self.share is not None):
                self._judge(check, trial, self.number)
        # A costly look at a refusal, or at a case with nothing to tell, would be wasted.
        if self.share and any(check.costly for check in self.live) and trial.published:
            self.most_varied.append((variety(case), -self.number, trial))
            # Of cases that are as varied the first stays, hence the minus; trials have no order.
            self.most_varied.sort(key=lambda row: row[:2], reverse=True)
            del self.most_varied[self.share :]
        self.waited += share_of_patience(trial.outcome)
        if self.waited >= 1:
            self.live.clear()

    def finish(self) -> int:
        """Let costly checks look at what was kept for them; return how many cases were missing."""
        # As they were drawn: what fails first is then the case of the lowest number, from which a
        # search begins.
        for _, number, trial in sorted(self.most_varied, key=lambda row: -row[1]):
            for check in tuple(self.live):
                if check.costly:
                    self._judge(check, trial, -number)
        return max((self.share or 0) - len(self.most_varied), 0)

    def _judge(self, check: Check, trial: Trial, number: int) -> None:
        self.looked[check.name] += 1
        # The call itself is no check's own time, whoever looks first.
        self.published[check.name] += trial.published
        began = time.perf_counter_ns()
        judgement = look(check, trial)
        self.spent[check.name] += time.perf_counter_ns() - began
        if isinstance(judgement, NotApplicable):
            self.unjudged[check.name, judgement.reason] += 1
            if isinstance(judgement, InDoubt):
                self.doubts.add((check.name, judgement.reason))
            return
        self.judged[check.name] += 1
        if isinstance(judgement, Violation):
            self.findings[check.name] = Finding(trial.case, trial.outcome, judgement, number)
            self.live.remove(check)
            if self.on_finding is not None:
                self.on_finding(check.name, judgement.sentence)


def variety(case: Any) -> int:
    """Return how much there is in a case for a costly check to see.

    >>> variety(TableCase({"age": (34, 34, 34)}, ("age",), None))
    1
    >>> variety(TableCase({"age": (34, 35, 36)}, ("age",), None))
    3
    """
    if not isinstance(case, TableCase):
        # A case of another kind is as varied as it is long to write: each node, road or user is in
        # it.
        return len(repr(case))
    # As texts, so that 1 and True are two values and NaN is one.
    cells = (map(repr, case.columns[name]) for name in case.quasi_identifiers)
    return len(set(zip(*cells, strict=True)))


class _Enough(BaseException):
    """Leaves Hypothesis, which catches every ``Exception`` to replay it."""


class TimeIsUp(_Enough):
    """The time of a source or of a search is up."""


class _Fails(Exception):  # it is no error of the program
    """What Hypothesis is to find the smallest case for."""


_LATE = NotApplicable("there was no answer in time")


def look(check: Check, trial: Trial) -> Judgement:
    """Return what a check says of a trial; an error inside the check carries the case.

    That there was no answer in time is for one check to say, and nothing to the others. A check
    that says nothing, or something else than a judgement, raises TypeError.
    """
    if check.name != NAME and late(trial.outcome):
        return _LATE
    try:
        judgement: object = check.function(trial)
        if not isinstance(judgement, (Violation, Kept, NotApplicable)):
            # A check that falls off its end would pass whatever it is shown.
            raise TypeError(
                f"it returned {judgement!r}; a check returns a Violation, Kept or NotApplicable"
            )
        return judgement
    except NoAnswer:
        # It asked for more than one answer, and one of them did not come.
        return _LATE
    except Exception as error:
        error.add_note(f"in check {check.name!r} of {trial.subject.name}, on {trial.case!r}")
        raise


def exhaust(running: RunningChecks, cases: Iterable[Any], *, most: int) -> bool:
    """Show the cases of a finite source and say whether that was all, none of them spared."""
    remaining = iter(cases)
    for case in islice(remaining, most):
        if not running.live:
            return False
        try:
            running.show(case)
        except TimeIsUp:
            return False
    # Asked for one more: at the limit, it is open whether that was all.
    return next(remaining, None) is None and not running.spared


def sweep(running: RunningChecks, source: Source, *, examples: int, seed: int) -> None:
    """Show cases drawn from a source until there are enough or every check has failed."""

    def show(case: Any) -> None:
        running.show(case)
        if not running.live:
            raise _Enough

    draw_cases(show, running.subject, source, examples=examples, seed=seed)


def shrink(
    finding: Finding,
    check: Check,
    subject: Subject,
    source: Source,
    *,
    examples: int,
    seed: int,
    calls: int,
    over: Callable[[], bool],
) -> Finding:
    """Return the smallest case on which a check fails that was found within some calls.

    The cases are those of the sweep once more. Up to the one that failed they are known to pass,
    unless the check is costly and did not look at all of them.
    """
    best, number, called = finding, 0, 0
    # A costly check passed cases over, so that one before its finding may fail as well.
    first = 1 if check.costly else finding.number

    def fails(case: Any) -> None:
        nonlocal best, number, called
        if beyond(subject, case) is not None:
            return
        number += 1
        # Drawn again from the same seed, so that these passed; asking again would spend the calls.
        if number < first:
            return
        called += 1
        if called > calls or over():
            raise _Enough
        trial = Trial(subject, case)
        judgement = look(check, trial)
        # By the time that was waited: late answers would else be waited for call after call.
        called += int(calls * share_of_patience(trial.outcome))
        if isinstance(judgement, Violation):
            best = Finding(case, trial.outcome, judgement, finding.number)
            raise _Fails

    draw_cases(fails, subject, source, examples=examples, seed=seed, shrinking=True)
    return best


def pare(
    finding: Finding, check: Check, subject: Subject, *, calls: int, over: Callable[[], bool]
) -> Finding:
    """Return a finding of which no single part can be left out, if the calls suffice for that."""
    best = finding

    def fails_without(case: Any) -> tuple[bool, int]:
        nonlocal best
        # Paring lowers a k, and an anonymizer that is fixed to one would be asked with another.
        trial = Trial(subject, subject.pin(case))
        if over():
            # As dear as all calls there are, which ends the search with the finding that it has.
            return False, calls
        if beyond(subject, trial.case) is not None:
            return False, 0
        judgement = look(check, trial)
        if isinstance(judgement, Violation):
            best = Finding(trial.case, trial.outcome, judgement, finding.number)
        return isinstance(judgement, Violation), 1 + int(calls * share_of_patience(trial.outcome))

    pare_case(finding.case, fails_without, calls=calls)
    return best


def draw_cases(
    show: Callable[[Any], None],
    subject: Subject,
    source: Source,
    *,
    examples: int,
    seed: int,
    shrinking: bool = False,
) -> None:
    """Show the cases of a source, or look for the smallest that fails."""
    cases = source.draw(subject.case_parameters).map(subject.pin)
    draw_silently(cases, show, examples=examples, seed=seed, shrinking=shrinking)


def draw_silently(
    cases: SearchStrategy[Any],
    show: Callable[[Any], None],
    *,
    examples: int,
    seed: int,
    shrinking: bool = False,
    fails: type[Exception] = _Fails,
) -> None:
    """Run Hypothesis in silence, with no memory of earlier runs.

    ``show`` raises ``fails`` for what is to be made small; the last such case stands.
    """
    from hypothesis import Phase, given
    from hypothesis import seed as seeded
    from hypothesis.errors import Flaky

    broken: list[Exception] = []

    def attempt(case: Any) -> None:
        try:
            show(case)
        except fails:
            raise
        except Exception as error:
            # A defect of a check surfaces as it is, not shrunk and not reported by Hypothesis.
            broken.append(error)
            raise _Enough from None

    phases = [Phase.generate, *([Phase.shrink] if shrinking else [])]
    silence = in_silence(max_examples=examples, phases=phases)
    run = seeded(seed)(silence(given(cases)(attempt)))
    # A subject that answers one case in two ways is flaky.
    with suppress(_Enough, *((fails, Flaky) if shrinking else ())):
        run()
    if broken:
        raise broken[0]


def in_silence(**options: Any) -> settings:
    """Return settings of Hypothesis that print nothing and remember nothing, with these options."""
    from hypothesis import HealthCheck, Verbosity, settings

    return settings(
        # A failure that Hypothesis remembers of an earlier run would come first, and the same seed
        # would no longer show the same cases.
        database=None,
        deadline=None,
        derandomize=False,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        **options,
    )
