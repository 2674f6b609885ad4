"""Calls that do not come to an end: interrupted, reported on their own, and made smaller."""

import json
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cases import cases, error_line
from hypothesis import strategies as st
from shell import kproof as run
from shell import refused

from kproof.errors import InvalidArgument
from kproof.models.registry import Kind, Promise
from kproof.proptests import Command, parametrize_with_checks
from kproof.proptests.api import check_anonymizer, subject_of
from kproof.proptests.checks import by_name, elsewhere
from kproof.proptests.checks.elsewhere import LATE, answers_alone, ask_process
from kproof.proptests.contract import (
    Check,
    CheckResult,
    CheckStatus,
    NoAnswer,
    Refusal,
    Severity,
    Source,
    Subject,
    TableCase,
    TablePublication,
    TableVerdict,
    Trial,
)
from kproof.proptests.engine import hold
from kproof.proptests.judgement import UNPUBLISHED, Judgement, Kept, NotApplicable, Violation
from kproof.proptests.parametrize import suite_of
from kproof.proptests.profiles import Profile
from kproof.proptests.running import look
from kproof.proptests.time_limit import NAME, Delayed, check_of, measure_again, with_limit

SHORT = Fraction(1, 20)
SMALL = Profile("small", examples=40, costly=3, finite=1_000, shrinking=2_000)
CASE = TableCase({"age": (3, 4), "ill": ("a", "b")}, ("age",), "ill", parameters={"k": 2})
TWO_ROWS = "every table of up to 4 rows over 2 values"

posix = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="no signal of a timer on this system"
)
pytestmark = posix


def forever(*_: object) -> None:
    while True:
        time.sleep(0.001)


def stubborn(*_: object) -> str:
    """Catch what is caught by careless code, for a while."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            forever()
        except BaseException:
            if time.monotonic() > started + 0.3:
                raise
    return "in the end"


started = 0.0


def subject(publish: Callable[[Any], Any], **more: Any) -> Subject:
    return Subject("it", Kind.TABLE, frozenset({Promise.K_ANONYMITY}), publish, **more)


def check(name: str, wrong: Callable[[Trial], object]) -> Check:
    def function(trial: Trial) -> Judgement:
        if not trial.published:
            return UNPUBLISHED
        return Violation(f"saw {trial.case}", "this", "that") if wrong(trial) else Kept()

    kinds = frozenset({Kind.TABLE})
    return Check(name, "It is.", "is", "here", kinds, frozenset(), Severity.TRUTH, function)


def numbers() -> Source:
    drawn = st.lists(st.integers(0, 1000), max_size=8).map(tuple)
    return Source("numbers", Kind.TABLE, lambda parameters: drawn)


def one_by_one() -> Source:
    return Source("one by one", Kind.TABLE, numbers().draw, lambda _: ((one,) for one in range(99)))


def held(it: Subject, *checks: Check, source: Source | None = None) -> tuple[CheckResult, ...]:
    assert it.timeout is not None
    return hold(it, [*checks, check_of(it.timeout)], [source or numbers()], profile=SMALL)


def test_a_call_is_interrupted_and_the_next_one_is_not():
    it = with_limit(subject(lambda case: forever() if case else "at once"), SHORT)
    handler = signal.getsignal(signal.SIGALRM)
    outcome = Trial(it, 1).outcome
    assert isinstance(outcome, Refusal)
    assert isinstance(outcome.error, NoAnswer)
    assert str(outcome) == "NoAnswer: did not answer within 0.05 s"
    assert not outcome.documented
    assert Trial(it, 0).outcome == "at once"
    assert signal.getsignal(signal.SIGALRM) is handler
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    time.sleep(2 * float(SHORT))  # nothing is left that could interrupt this


def test_what_is_raised_in_time_goes_through():
    def refuse(case: object) -> None:
        raise ValueError("no")

    outcome = Trial(with_limit(subject(refuse, errors=(ValueError,)), 5), 1).outcome
    assert (str(outcome), outcome.documented) == ("ValueError: no", True)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_code_that_catches_everything_is_interrupted_again():
    global started
    started = time.monotonic()
    with pytest.raises(NoAnswer):
        with_limit(subject(stubborn), SHORT).publish(0)

    def swallows(case: object) -> str:
        try:
            forever()
        except BaseException:
            return "too late"
        return "never"

    def renames(case: object) -> None:
        try:
            forever()
        except BaseException:
            raise ValueError("something else") from None

    for late in (swallows, renames):
        with pytest.raises(NoAnswer):
            with_limit(subject(late), SHORT).publish(0)


def test_code_that_catches_exceptions_catches_no_interruption():
    caught: list[Exception] = []

    def retries(case: object) -> None:
        while len(caught) < 20:
            try:
                forever()
            except Exception as error:
                caught.append(error)

    with pytest.raises(NoAnswer):
        with_limit(subject(retries), SHORT).publish(0)
    assert caught == []


def test_an_alarm_that_was_set_before_still_comes():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(time.monotonic()))
    try:
        begun = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 1.5)
        with pytest.raises(NoAnswer):
            with_limit(subject(forever), SHORT).publish(0)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] < 1.5
        while not rung and time.monotonic() < begun + 20:
            time.sleep(0.01)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    (when,) = rung
    assert when - begun >= 1.499


def test_a_missing_answer_is_a_failure_of_its_own_made_smaller():
    it = with_limit(subject(lambda case: forever() if sum(case) >= 700 else case), SHORT)
    seen: list[Any] = []
    fine, late = held(it, check("other", lambda trial: seen.append(trial.outcome)))
    assert (fine.status, late.status) == (CheckStatus.PASSED, CheckStatus.FAILED)
    assert late.case == (700,)
    assert late.check.name == NAME
    assert late.violation == Violation(
        "it did not answer within 0.05 s", "no answer", "an answer within 0.05 s"
    )
    # The other check was never shown what did not come.
    assert seen
    assert not any(isinstance(one, Refusal) for one in seen)
    assert fine.published == len(seen) < fine.examples


def test_an_answer_in_time_is_none():
    (late,) = held(with_limit(subject(list), 5))
    assert (late.status, late.examples) == (CheckStatus.PASSED, 40)
    assert held(with_limit(subject(list), 5))[0].check.claim == "Every call is answered within 5 s."


def test_another_failure_is_made_smaller_past_calls_without_an_answer():
    it = with_limit(subject(lambda case: forever() if case[-1:] == (0,) else case), SHORT)
    found, _ = held(it, check("large", lambda trial: sum(trial.case) >= 700))
    assert (found.status, found.case) == (CheckStatus.FAILED, (700,))


def test_patience_ends():
    """After three calls of 60 s, or any number that take two minutes together."""

    def never(limit: Fraction) -> Callable[[Any], Any]:
        def publish(case: Any) -> Any:
            calls.append(case)
            raise NoAnswer(limit)

        return publish

    for seconds, most in ((3600, 3), (60, 3), (30, 4), (5, 24)):
        calls: list[Any] = []
        limit = Fraction(seconds)
        first, _ = held(
            subject(never(limit), timeout=limit), check("first", bool), source=one_by_one()
        )
        assert (first.status, first.examples, len(calls)) == (
            CheckStatus.NOT_APPLICABLE,
            most,
            most,
        )
        assert calls == [(one,) for one in range(most)]


def test_patience_is_for_all_sources_together():
    calls: list[Any] = []

    def never(case: Any) -> Any:
        calls.append(case)
        raise NoAnswer(Fraction(30))

    sources = [replace(one_by_one(), name=name) for name in ("first", "second")]
    few = replace(SMALL, finite=3)
    hold(subject(never, timeout=Fraction(30)), [check("first", bool)], sources, profile=few)
    assert len(calls) == 4


def test_patience_ends_while_a_failure_is_made_smaller():
    calls: list[Any] = []

    def heavy(case: Any) -> Any:
        if sum(case) < 700:
            return case
        calls.append(case)
        raise NoAnswer(Fraction(60))

    (late,) = held(subject(heavy, timeout=Fraction(60)))
    assert late.status is CheckStatus.FAILED
    assert late.case in calls
    assert 4 <= len(calls) <= 7  # three in the search, three and the one that ends it in shrinking


def test_a_short_limit_has_much_patience():
    def publish(case: Any) -> Any:
        raise NoAnswer(Fraction(1))

    first, _ = held(
        subject(publish, timeout=Fraction(1)), check("first", bool), source=one_by_one()
    )
    assert first.examples == 99


def slow(frame: Any, quasi_identifiers: list[str], k: int) -> Any:
    """As it is; without end on three rows that are all the same."""
    if len(frame) == 3 and len(set(frame[quasi_identifiers[0]])) == len(set(frame["s"])) == 1:
        forever()
    return frame


FEW: dict[str, Any] = {
    "sources": [TWO_ROWS],
    "profile": "quick",
    "promises": ["k-anonymity"],
    "timeout": "0.3",
}


def test_every_door_has_the_limit():
    found = check_anonymizer(slow, **FEW, on_fail="return")
    result = found[NAME]
    assert (result.status, result.case.rows) == (CheckStatus.FAILED, 3)
    assert "it did not answer within 0.3 s" in found.report()
    assert "nothing: NoAnswer: did not answer within 0.3 s" in found.report()
    assert NAME not in [one.check.name for one in check_anonymizer(one_row, **{**FEW, **FREE})]
    assert [one.check for one in suite_of(slow, **FEW)] == [one.check.name for one in found]


FREE: dict[str, Any] = {"timeout": None, "on_fail": "return", "checks": ["shared labels"]}


def one_row(frame: Any, quasi_identifiers: list[str], k: int) -> Any:
    return frame


@parametrize_with_checks(
    [slow], **FEW, checks=[NAME, "shared labels"], expected_failures={NAME: "issue 7"}
)
def test_an_expected_failure(check):
    if check.check == NAME:
        assert "issue 7" in error_line(pytest.xfail.Exception, check)
    else:
        check()


def test_checkers_are_interrupted_too():
    def decide(case: TableCase) -> TableVerdict:
        if case.rows == 3 and len({*case.columns["q1"], *case.columns["s"]}) == 2:
            forever()
        people = min(case.columns["q1"].count(one) for one in case.columns["q1"])
        return TableVerdict("k-anonymity", people >= case.parameters["k"], case.parameters)

    it = replace(subject(decide), promises=frozenset({Promise.DECIDES}))
    given: dict[str, Any] = {"sources": [TWO_ROWS], "profile": "quick", "on_fail": "return"}
    found = check_anonymizer(it, timeout=0.3, checks=["agrees with brute force", NAME], **given)
    assert (found[NAME].status, found[NAME].case.rows) == (CheckStatus.FAILED, 3)
    assert found["agrees with brute force"].ok


@pytest.mark.parametrize("limit", [0, -1, "x", float("nan"), float("inf"), "1/101", 86_401, True])
def test_limits_out_of_range(limit):
    for anonymizer in (slow, Command("tool {input} {output} {k}"), "mondrian"):
        with pytest.raises(InvalidArgument, match=r"^timeout = .*: need 1/100 <= timeout <= 86400"):
            check_anonymizer(anonymizer, timeout=limit)


def test_elsewhere_than_in_the_main_thread_it_is_refused():
    said = []

    def attempt() -> None:
        for anonymizer in (slow, Command("tool {input} {output} {k}")):
            try:
                said.append(subject_of(anonymizer, timeout=5).timeout)
            except InvalidArgument as error:
                said.append(str(error))

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    # A program is ended by the system, wherever it was started from.
    assert said == [
        "timeout = 5: need None here: only the main thread of a POSIX system can be interrupted",
        Fraction(5),
    ]


def test_another_process_has_the_limit():
    it = subject_of("foreign:without_end", timeout="0.5")
    assert it.recipe is not None
    (said,) = ask_process(it.recipe, (CASE,), seed="1")
    assert said == LATE


@pytest.fixture
def on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1] / "support"))


def test_the_command_that_is_printed_has_the_limit():
    words = ("--source", TWO_ROWS, "--profile", "quick", "--check", NAME)
    ran = run("verify", "foreign:without_end", "--timeout", "0.5", *words, "--json")
    (entry,) = json.loads(ran.out)["results"]
    assert (ran.status, entry["status"], entry["violation"]["found"]) == (1, "failed", "no answer")
    assert entry["outcome"]["refused"] == "NoAnswer: did not answer within 0.5 s"
    asked = shlex.split(entry["command"])
    assert asked[: asked.index("--check")] == [
        *("kproof", "verify", "foreign:without_end", "--timeout", "1/2")
    ]
    assert json.loads(run(*asked[1:], "--json").out)["results"][0]["case"] == entry["case"]


def test_a_program_is_ended_with_what_it_started(tmp_path):
    """The program only starts another one, which writes a file a second later."""
    later = tmp_path / "later"
    child = f"import time; time.sleep(1); open({str(later)!r}, 'w')"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-S', '-c', {child!r}])"
    line = shlex.join([sys.executable, "-S", "-c", parent]) + " {input} {output} {k}"
    it = subject_of(Command(line), timeout="0.3")
    assert it.timeout == Fraction(3, 10)
    assert "within 0.3 s" in error_line(NoAnswer, it.publish, CASE)
    time.sleep(1.3)
    assert not later.exists()


def test_a_program_has_a_minute_unless_said():
    line = "no-such-tool {input} {output} {k}"
    given: dict[str, Any] = {"sources": [TWO_ROWS], "checks": ["refuses clearly"]}
    for limit, told in ((None, False), (60, False), (5, True)):
        found = check_anonymizer(Command(line), timeout=limit, **given, on_fail="return")
        assert found.subject.timeout == (limit or 60)
        command = found.command(found["refuses clearly"])
        assert command is not None
        assert ("--timeout 5" in command) is told


def test_the_command_line_refuses_a_limit_that_is_none():
    said = refused("verify", "foreign:one_class", "--timeout", "0")
    assert said.startswith("--timeout = 0: need 1/100 <= timeout <= 86400")


def test_a_call_that_is_late_once_is_measured_again():
    calls: list[Any] = []

    def slow_at_first(case: Any) -> Any:
        calls.append(case)
        return forever() if len(calls) == 1 else case

    (late,) = held(measure_again(with_limit(subject(slow_at_first), SHORT)))
    assert (late.status, late.violation) == (CheckStatus.PASSED, None)
    assert calls[0] == calls[1]


def test_a_call_that_is_late_twice_is_a_finding_where_no_process_can_repeat_it():
    calls: list[Any] = []

    def never(case: Any) -> Any:
        calls.append(case)
        forever()

    outcome = Trial(measure_again(with_limit(subject(never), SHORT)), 1).outcome
    assert calls == [1, 1]
    assert isinstance(outcome.error, NoAnswer)
    assert not isinstance(outcome.error, Delayed)


@pytest.mark.usefixtures("on_the_path")
def test_a_process_that_has_done_nothing_has_the_last_word():
    """It is late here alone, as on a machine that is busy with something else."""
    there = subject_of("foreign:one_class", timeout=60)
    assert there.recipe is not None
    assert answers_alone(there.recipe, CASE)
    here = replace(with_limit(subject(forever), SHORT), recipe=there.recipe)
    trial = Trial(measure_again(here), CASE)
    assert isinstance(trial.outcome.error, Delayed)
    # Nobody makes a finding of it, neither this check nor any other.
    said = check_of(SHORT).function(trial)
    assert said == NotApplicable("it was late here, and in time when it was measured again alone")
    for name in ("refuses clearly", "publishes when it can"):
        assert look(by_name(name), trial) == NotApplicable("there was no answer in time")
    endless = subject_of("foreign:without_end", timeout="0.5")
    assert endless.recipe is not None
    assert not answers_alone(endless.recipe, CASE)
    assert not answers_alone(("foreign:absent",), CASE)


@cases("deterministic", "permutation", "monotone in k", "input unchanged")
def test_an_answer_that_a_check_waits_for_in_vain_is_no_finding(name):
    """Only the case as it stands is answered; in another order, or asked again, it is not."""
    asked: list[Any] = []

    def once(case: TableCase) -> TablePublication:
        asked.append(case)
        if len(asked) > 1:
            raise NoAnswer(SHORT)
        return TablePublication({"age": ("3-4", "3-4"), "ill": case.columns["ill"]})

    promises = frozenset({Promise.K_ANONYMITY, Promise.ORDER_INDEPENDENT})
    trial = Trial(replace(subject(once), promises=promises), CASE)
    assert trial.published
    assert look(by_name(name), trial) == NotApplicable("there was no answer in time")


@pytest.mark.usefixtures("on_the_path")
def test_a_late_process_is_no_second_answer(monkeypatch):
    answers = iter([["an answer"] * 3, [LATE] * 3])
    monkeypatch.setattr(elsewhere, "ask_process", lambda *_, **__: next(answers))
    trial = Trial(subject_of("foreign:one_class"), CASE)
    assert elsewhere.hash_seed(trial) == NotApplicable("another process did not answer in time")
