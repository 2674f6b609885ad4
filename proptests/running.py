"""One subject on the cases of one source: a sweep for every check at once, and shrinking.

In a sweep every check looks at each case, so that the anonymizer runs once for all of them. A
check that fails is remembered and looks no further; Hypothesis then looks for the smallest case on
which that one check fails, from the same seed. The cases of a finite source come in the order the
source gives them, smallest first, and need no shrinking.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as seeded
from hypothesis.errors import Flaky

from kproof.proptests.contract import (
    Check,
    InDoubt,
    Judgement,
    Kept,
    NoAnswer,
    NotApplicable,
    Source,
    Subject,
    Trial,
    Violation,
)
from kproof.proptests.supports import beyond
from kproof.proptests.time_limit import NAME, late, waited


@dataclass(frozen=True)
class Finding:
    """A case on which a check fails.

    Attributes
    ----------
    case, outcome, violation
        What was put to the subject, what it answered and what is wrong with that.
    number
        Which case of its source it was, the first being 1.
    """

    case: Any
    outcome: Any
    violation: Violation
    number: int


@dataclass
class Watch:
    """Checks at work on the cases of one subject, and what they have seen so far.

    Attributes
    ----------
    subject
        Whose cases they are.
    live
        The checks that have not failed yet, those that are costly and those that are not.
    stride
        Costly checks look at one case in so many, or at the next one after it that is published;
        0 if they look at none.
    owed
        Cases that costly checks have still to look at.
    looked, published, judged
        By check: cases it looked at, those of them on which the subject published, and those that
        it judged.
    unjudged
        By check and reason: cases that it looked at and did not judge.
    doubts
        The checks and reasons of those that were in doubt.
    found
        By check: where it failed first.
    number
        Cases shown.
    spared
        Cases that were not shown, since the subject says that it does not take such.
    waited
        Share of the patience that calls without an answer have taken; at 1 the watch ends.
    """

    subject: Subject
    live: list[Check]
    stride: int = 1
    owed: int = 0
    looked: Counter[str] = field(default_factory=Counter)
    published: Counter[str] = field(default_factory=Counter)
    judged: Counter[str] = field(default_factory=Counter)
    unjudged: Counter[tuple[str, str]] = field(default_factory=Counter)
    doubts: set[tuple[str, str]] = field(default_factory=set)
    found: dict[str, Finding] = field(default_factory=dict)
    number: int = 0
    spared: int = 0
    waited: Fraction = Fraction(0)

    def show(self, case: Any) -> None:
        """Let every live check look at a case; what the subject says it does not take is none."""
        if beyond(self.subject, case) is not None:
            self.spared += 1
            return
        self.number += 1
        trial = Trial(self.subject, case)
        if self.stride > 0 and self.number % self.stride == 0:
            self.owed += 1
        # A costly look at a refusal would be wasted; it waits for a case that is published.
        due = self.owed > 0 and (trial.published or self.stride == 1)
        if due:
            self.owed -= 1
        for check in tuple(self.live):
            if check.costly and not due:
                continue
            judgement = look(check, trial)
            self.looked[check.name] += 1
            self.published[check.name] += trial.published
            if isinstance(judgement, NotApplicable):
                self.unjudged[check.name, judgement.reason] += 1
                if isinstance(judgement, InDoubt):
                    self.doubts.add((check.name, judgement.reason))
                continue
            self.judged[check.name] += 1
            if isinstance(judgement, Violation):
                self.found[check.name] = Finding(case, trial.outcome, judgement, self.number)
                self.live.remove(check)
        self.waited += waited(trial.outcome)
        if self.waited >= 1:
            self.live.clear()


class _Enough(BaseException):
    """Leaves Hypothesis, which catches every ``Exception`` to replay it."""


class _Fails(Exception):  # it is no error of the program
    """What Hypothesis is to find the smallest case for."""


_LATE = NotApplicable("there was no answer in time")


def look(check: Check, trial: Trial) -> Judgement:
    """Return what a check says of a trial; an error inside the check carries the case.

    That there was no answer in time is for one check to say, and nothing to the others.

    Raises
    ------
    TypeError
        If it says nothing, or something else than a judgement.
    """
    if check.name != NAME and late(trial.outcome):
        return _LATE
    try:
        said: object = check.function(trial)
        if not isinstance(said, (Violation, Kept, NotApplicable)):
            # A check that falls off its end would pass whatever it is shown.
            raise TypeError(
                f"it returned {said!r}; a check returns a Violation, Kept or NotApplicable"
            )
        return said
    except NoAnswer:
        # It asked for more than one answer, and one of them did not come.
        return _LATE
    except Exception as error:
        error.add_note(f"in check {check.name!r} of {trial.subject.name}, on {trial.case!r}")
        raise


def exhaust(watch: Watch, cases: Iterable[Any], *, most: int) -> bool:
    """Show the cases of a finite source and say whether that was all, none of them spared."""
    rest = iter(cases)
    for case in islice(rest, most):
        if not watch.live:
            return False
        watch.show(case)
    return next(rest, None) is None and not watch.spared


def sweep(watch: Watch, source: Source, *, examples: int, seed: int) -> None:
    """Show cases drawn from a source until there are enough or every check has failed."""

    def show(case: Any) -> None:
        watch.show(case)
        if not watch.live:
            raise _Enough

    _draw(show, watch.subject, source, examples=examples, seed=seed, phases=[Phase.generate])


def shrink(
    finding: Finding,
    check: Check,
    subject: Subject,
    source: Source,
    *,
    examples: int,
    seed: int,
    calls: int,
) -> Finding:
    """Return the smallest case on which a check fails that was found within some calls.

    The cases are those of the sweep once more. Up to the one that failed they are known to pass,
    unless the check is costly and did not look at all of them.
    """
    best, number, called = finding, 0, 0
    first = 1 if check.costly else finding.number

    def fails(case: Any) -> None:
        nonlocal best, number, called
        if beyond(subject, case) is not None:
            return
        number += 1
        if number < first:
            return
        called += 1
        if called > calls:
            raise _Enough
        trial = Trial(subject, case)
        judgement = look(check, trial)
        called += int(calls * waited(trial.outcome))
        if isinstance(judgement, Violation):
            best = Finding(case, trial.outcome, judgement, finding.number)
            raise _Fails

    # A subject that answers one case in two ways is flaky: the last failure stands.
    with suppress(_Fails, Flaky):
        phases = [Phase.generate, Phase.shrink]
        _draw(fails, subject, source, examples=examples, seed=seed, phases=phases)
    return best


def _draw(
    show: Callable[[Any], None],
    subject: Subject,
    source: Source,
    *,
    examples: int,
    seed: int,
    phases: Collection[Phase],
) -> None:
    """Run Hypothesis in silence, with no memory of earlier runs."""
    broken: list[Exception] = []

    def attempt(case: Any) -> None:
        try:
            show(case)
        except _Fails:
            raise
        except Exception as error:
            # A defect of a check surfaces as it is, not shrunk and not reported by Hypothesis.
            broken.append(error)
            raise _Enough from None

    run = seeded(seed)(
        settings(
            max_examples=examples,
            database=None,
            deadline=None,
            derandomize=False,
            phases=phases,
            print_blob=False,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
        )(given(source.draw(subject.asked).map(subject.pinned))(attempt))
    )
    with suppress(_Enough):
        run()
    if broken:
        raise broken[0]
