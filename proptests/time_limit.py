"""A limit of time on each call of a subject, and the check that it is kept.

A call that takes too long is interrupted by a signal. Python delivers it in the main thread of a
POSIX system, between two steps of the interpreter: a library that is at work in compiled code is
interrupted when it comes back. A program that is run as a command is ended by the system instead,
anywhere.

A machine that is busy makes whatever runs on it late. So a call without an answer is measured
again, while nothing else of the suite runs: here, and then in a process that has done nothing yet.
"""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from importlib import import_module
from threading import current_thread, main_thread
from types import FrameType
from typing import Any

from kproof.errors import InvalidArgument
from kproof.models.registry import Kind
from kproof.proptests.contract import Check, NoAnswer, Refusal, Severity, Subject, Trial, seconds
from kproof.proptests.judgement import Judgement, Kept, NotApplicable, Violation
from kproof.proptests.subjects.loading import load
from kproof.theory.exact.typed import Number

NAME = "answers in time"
"""Of the check."""

_PATIENCE, _CALLS = 120, 3
_AGAIN = 0.05
"""Seconds after which a call is interrupted once more, should it go on."""


class _Interruption(BaseException):
    """What is raised inside a call: no ``except Exception`` of somebody's may stop it."""


def limit_text(limit: Fraction) -> str:
    """Return a limit for a reader.

    >>> limit_text(Fraction(5)), limit_text(Fraction(1, 2))
    ('5 s', '0.5 s')
    """
    return f"{float(limit):g} s"


def can_interrupt() -> bool:
    """Say whether calls can be interrupted: in the main thread of a POSIX system."""
    return hasattr(signal, "setitimer") and current_thread() is main_thread()


def with_limit(subject: Subject, limit: Number) -> Subject:
    """Return a subject that is interrupted when a call takes longer than a limit of seconds.

    Refused where calls cannot be interrupted: outside the main thread of a POSIX system.
    """
    exact = seconds(limit)
    if not can_interrupt():
        raise InvalidArgument(
            "timeout", limit, "None here: only the main thread of a POSIX system can be interrupted"
        )
    recipe = None
    if subject.recipe is not None:
        recipe = ("kproof.proptests.time_limit:reload", str(exact), *subject.recipe)
    publish = partial(call_in_time, subject.publish, exact)
    return replace(subject, publish=publish, timeout=exact, recipe=recipe)


def reload(limit: str, maker: str, *arguments: str) -> Subject:
    """Return the limited subject of a recipe in another process."""
    return with_limit(load(maker)(*arguments), limit)


class Delayed(NoAnswer):
    """A subject did not answer in time here, and did where nothing else had run."""


def measure_again(subject: Subject) -> Subject:
    """Return a limited subject whose calls are late only if they are when measured again alone.

    A call is repeated here; if it is late once more, a new process is asked for an answer, for
    subjects that another process can make. A program is a new process each time.
    """
    return replace(subject, publish=partial(_again, subject))


def _again(subject: Subject, case: Any) -> Any:
    try:
        return subject.publish(case)
    except NoAnswer:
        # What the suite has left behind is cleared away now and not during the call.
        gc.collect()
    try:
        return subject.publish(case)
    except NoAnswer as error:
        from kproof.proptests.checks.elsewhere import answers_alone

        if subject.recipe is not None and answers_alone(subject.recipe, case):
            raise Delayed(error.limit) from None
        raise


def late(outcome: object) -> bool:
    """Say whether an outcome is that there was no answer in time."""
    return share_of_patience(outcome) > 0


def share_of_patience(outcome: object) -> Fraction:
    """Return which share of the patience with a subject an outcome has taken.

    Patience ends after two minutes, or three calls, without an answer. It goes by the limit and
    not by the clock, so that a run can be had again.
    """
    if not (isinstance(outcome, Refusal) and isinstance(outcome.error, NoAnswer)):
        return Fraction(0)
    # A third at most, so that a limit of an hour leaves three calls: one alone may be a hiccup.
    return min(outcome.error.limit / _PATIENCE, Fraction(1, _CALLS))


def check_of(limit: Fraction) -> Check:
    """Return the check that every call is answered within a limit."""
    return Check(
        name=NAME,
        claim=f"Every call is answered within {limit_text(limit)}.",
        formula=f"time of a call <= {limit_text(limit)}",
        source="the limit that was set for this run",
        kinds=frozenset(Kind),
        promises=frozenset(),
        severity=Severity.CONDUCT,
        function=_answers,
    )


def _answers(trial: Trial) -> Judgement:
    if not late(trial.outcome):
        return Kept()
    if isinstance(trial.outcome.error, Delayed):
        return NotApplicable("it was late here, and in time when it was measured again alone")
    message = f"{trial.outcome.error}"
    return Violation(f"it {message}", "no answer", message.replace("did not answer", "an answer"))


def call_in_time(publish: Callable[[Any], Any], limit: Fraction, case: Any) -> Any:
    """Call a function of a case, and interrupt it when the time is up: then NoAnswer."""
    over = fired = False

    def interrupt(_: int, frame: FrameType | None) -> None:
        nonlocal fired
        # The answer is there: an alarm on the way out is late.
        if over:
            return
        fired = True
        # Hypothesis has a hook in garbage collection and weak references have callbacks; what is
        # raised in those reaches nobody. The next alarm comes soon.
        module = "" if frame is None else str(frame.f_globals.get("__name__", ""))
        if not module.startswith(("hypothesis.", "weakref")):
            raise _Interruption

    # Half an import cannot be made good; what a case is made of is not the subject's time anyway.
    if case is not None:
        import_module(getattr(case, "container", "networkx"))
    span, start, theirs, every = float(limit), time.monotonic(), 0.0, 0.0
    handler = signal.signal(signal.SIGALRM, interrupt)
    try:
        # Again and again, for code that catches whatever is raised and tries anew.
        theirs, every = signal.setitimer(signal.ITIMER_REAL, span, _AGAIN)
        try:
            answer = publish(case)
        finally:
            over = True
    except (Exception, _Interruption):
        if fired:
            # A library may turn the interruption into an error of its own: it is the alarm that
            # counts.
            raise NoAnswer(limit) from None
        raise
    finally:
        # The timer before the handler: an alarm in between would go off in somebody else's.
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if theirs:
            # Somebody else's alarm, such as that of a test runner, still comes when it is due:
            # never in 0 seconds, which would switch it off.
            remaining = max(theirs - (time.monotonic() - start), 1e-3)
            signal.setitimer(signal.ITIMER_REAL, remaining, every)
    if fired:
        raise NoAnswer(limit)
    return answer
