"""Checks that ask other processes: ones that order sets apart, and ones that have no past.

A subject with a recipe is made again in interpreters with a ``PYTHONHASHSEED`` of their own, which
live as long as this one: one start pays for all subjects and cases, and for those that are tried
to make one smaller. Two of them are asked the same, so that what one remembers the other does. A
third answers nothing itself and forks a child for each question, which has never answered before.
Cases travel as JSON.
"""

import atexit
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib import import_module
from threading import Timer
from typing import Any, TypeAlias

from kproof.errors import InvalidArgument
from kproof.models.registry import Kind
from kproof.proptests.cases import Case, CityCase, Publication, group_size, with_group_size
from kproof.proptests.contract import (
    CONDUCT,
    Check,
    Declarations,
    NoAnswer,
    Refusal,
    Severity,
    Subject,
    TableCase,
    TablePublication,
    Trial,
)
from kproof.proptests.judgement import (
    UNPUBLISHED,
    Judgement,
    Kept,
    NotApplicable,
    Unjudged,
    Violation,
)
from kproof.proptests.replay import of_json, to_json
from kproof.proptests.subjects.loading import load

AnyCase: TypeAlias = TableCase | Case

SEEDS = ("1", "2")
"""Hash seeds of the two processes; any two would do."""
LATE = "no answer in time"
"""What is said of an answer that did not come."""

_check = Declarations(frozenset(Kind), Severity.CONDUCT)
_SECONDS = 300
_BEFORE_FORKS = "pandas"
"""Is slow to import and has no threads of its own, unlike Polars."""
_START = "from kproof.proptests.checks.elsewhere import main; main()"


@_check(
    "hash seed",
    "f(case) with one PYTHONHASHSEED = f(case) with another, to the letter",
    CONDUCT,
    costly=True,
)
def hash_seed(trial: Trial) -> Judgement:
    """The same case is answered the same way in every process."""
    recipe = trial.subject.recipe
    if recipe is None:
        return NotApplicable("another process cannot make it")
    case: AnyCase = trial.case
    cases: tuple[AnyCase, ...] = (case,)
    if isinstance(case, TableCase):
        # A set of few texts often has one order under both seeds: filled in another order, and with
        # more in it, it has further chances to show.
        cases += (case.take(reversed(range(case.rows))), case.take([*range(case.rows)] * 2))
    if isinstance(case, CityCase):
        # From every node, for a few people and for more: orders of neighbours show sooner.
        everywhere = replace(case, targets=tuple(range(len(case.users))))
        sizes = range(2, 6) if trial.subject.varies("k", "min_k") else ()
        cases += (everywhere, *(with_group_size(everywhere, k) for k in sizes))
    with ThreadPoolExecutor(len(SEEDS)) as pool:
        answers = list(pool.map(lambda seed: ask_process(recipe, cases, seed=seed), SEEDS))
    for first, second in zip(*answers, strict=True):
        if LATE in (first, second):
            return NotApplicable("another process did not answer in time")
        if first != second:
            this, that = _apart(first, second)
            sentence = f"with PYTHONHASHSEED={SEEDS[0]} it answers {this}, with {SEEDS[1]} {that}"
            return Violation(sentence, "two answers", "one answer")
    return Kept(len(cases)) if trial.published else UNPUBLISHED


@_check(
    "fresh process",
    "f(case) after other cases = f(case) asked again = f(case) asked first of all",
    CONDUCT,
    costly=True,
)
def fresh_process(trial: Trial) -> Judgement:
    """What was answered before changes nothing: a new process gives the same answer."""
    if trial.subject.recipe is None:
        return NotApplicable("another process cannot make it")
    case: AnyCase = trial.case
    # What was answered when the case was drawn counts, too: this process had a past by then.
    answers = [("at first", _letters(trial.outcome))]
    for earlier in _earlier_cases(trial):
        trial.answer(earlier)
    answers.append(("when asked again", _letters(trial.answer(case))))
    (new,) = ask_process(trial.subject.recipe, (case,), seed=SEEDS[0], past=False)
    if new == LATE:
        return NotApplicable("another process did not answer in time")
    for when, answer in answers:
        if answer != new:
            this, that = _apart(answer, new)
            sentence = (
                f"a process that has answered other cases gives {this} {when}, a new one {that}"
            )
            return Violation(sentence, "two answers", "one answer")
    return Kept(len(answers)) if trial.published else UNPUBLISHED


def _earlier_cases(trial: Trial) -> Iterator[AnyCase]:
    """Yield what a process may have been asked before: more rows, and a larger k."""
    case: AnyCase = trial.case
    if isinstance(case, TableCase):
        yield case.take([*range(case.rows)] * 2)
        if "k" in case.parameters and trial.subject.varies("k"):
            yield replace(case, parameters={**case.parameters, "k": case.parameters["k"] + 1})
        return
    k = group_size(case)
    if k is not None and trial.subject.varies("k", "min_k"):
        yield with_group_size(case, k + 1)


def _apart(first: str, second: str) -> tuple[str, str]:
    """Return two texts around the first letter in which they differ."""
    pairs = enumerate(zip(first, second, strict=False))
    place = next((i for i, pair in pairs if pair[0] != pair[1]), min(len(first), len(second)))
    start = max(place - 20, 0)
    return f"…{first[start : place + 20]}…", f"…{second[start : place + 20]}…"


def answers_alone(recipe: tuple[str, ...], case: AnyCase) -> bool:
    """Say whether a process that has done nothing yet answers a case in time.

    A subject that cannot be made there answers nothing.
    """
    fresh = _Answering(SEEDS[0])
    try:
        return fresh.ask(recipe, _documents([case])) != [LATE]
    except (InvalidArgument, Unjudged):
        return False
    finally:
        fresh.close()


def ask_process(
    recipe: tuple[str, ...], cases: tuple[AnyCase, ...], *, seed: str, past: bool = True
) -> list[str]:
    """Return the answers of another process to some cases, as texts.

    ``recipe`` says how to make the subject there, ``seed`` is its ``PYTHONHASHSEED``, and ``past``
    whether it may be a process that has answered before.
    """
    documents = _documents(cases)
    # Where modules come from is a part of it: elsewhere another subject may have that name.
    key = (seed, past, tuple(sys.path), os.getcwd())
    if key not in _RUNNING:
        _RUNNING[key] = _Answering(seed)
    forks = hasattr(os, "fork")
    try:
        answers = _RUNNING[key].ask(recipe, documents, past or not forks)
    # An answer that was not read would be taken for that to the next question.
    except BaseException:
        _RUNNING.pop(key).close()
        raise
    if not past and not forks:
        _RUNNING.pop(key).close()
    return answers


def _documents(cases: Sequence[AnyCase]) -> list[dict[str, object]]:
    """Return cases as JSON; what holds a value that has no form leaves the check unjudged."""
    documents = [document for case in cases if (document := to_json(case)) is not None]
    if len(documents) < len(cases):
        raise Unjudged(NotApplicable("another process cannot be handed such values"))
    return documents


class _Answering:
    """A process that makes subjects and answers cases, a line of JSON each way."""

    def __init__(self, seed: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
        )

    def ask(
        self, recipe: tuple[str, ...], cases: list[dict[str, object]], itself: bool = True
    ) -> list[str]:
        """Return the answers of a subject to some cases, its own or those of a child it forks."""
        question = {"path": sys.path, "recipe": recipe, "cases": cases, "itself": itself}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        # Reading a line has no limit of its own.
        late = Timer(_SECONDS, self.process.kill)
        late.start()
        try:
            # A process that has ended already says so when it is read from.
            with suppress(BrokenPipeError):
                self.process.stdin.write(json.dumps(question) + "\n")
                self.process.stdin.flush()
            reply = json.loads(self.process.stdout.readline() or '{"error": "it ended"}')
        finally:
            late.cancel()
        if "error" in reply:
            raise InvalidArgument(
                "recipe", recipe[0], f"a subject that another process can make; {reply['error']}"
            )
        answers: list[str] = reply["answers"]
        return answers

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        with suppress(BrokenPipeError):
            self.process.communicate()


_RUNNING: dict[tuple[Any, ...], _Answering] = {}


@atexit.register
def _close_all() -> None:
    while _RUNNING:
        _RUNNING.popitem()[1].close()


def main() -> None:
    """Make subjects and answer cases from standard input until there are no more."""
    # What the subject itself prints goes elsewhere.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin:
        question = json.loads(line)
        sys.path[:] = question["path"]
        answers.write((_reply(question) if question["itself"] else _ask_child(question)) + "\n")
        answers.flush()


def _reply(question: dict[str, Any]) -> str:
    """Answer a question, as a line of JSON."""
    try:
        subject = _make(tuple(question["recipe"]))
        cases = map(of_json, question["cases"])
        return json.dumps({"answers": [_letters(Trial(subject, case).outcome) for case in cases]})
    # A subject that ends the process ends this one, and the asker reads that no line comes.
    except Exception as error:
        return json.dumps({"error": f"{type(error).__name__}: {error}"})


def _ask_child(question: dict[str, Any]) -> str:
    """Have a child answer a question; what is made and imported here it need not make again."""
    with suppress(Exception):  # what cannot be made is told by the child
        _make(tuple(question["recipe"]))
        import_module(_BEFORE_FORKS)
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        # A library with threads of its own may not survive a fork: that is nobody's fault here.
        signal.alarm(_SECONDS // 3)
        with os.fdopen(writes, "w", encoding="utf-8") as pipe:
            pipe.write(_reply(question))
        # Without what runs at an exit: it is the parent's.
        os._exit(0)
    # As long as the parent holds its end open, the child's is not the last one, and reading never
    # ends.
    os.close(writes)
    with os.fdopen(reads, encoding="utf-8") as answer:
        line = answer.read()
    os.waitpid(child, 0)
    return line or json.dumps({"answers": [LATE] * len(question["cases"])})


@cache
def _make(recipe: tuple[str, ...]) -> Subject:
    maker, *arguments = recipe
    subject: Subject = load(maker)(*arguments)
    return subject


def _letters(outcome: object) -> str:
    if isinstance(outcome, Refusal) and isinstance(outcome.error, NoAnswer):
        return LATE
    if isinstance(outcome, TablePublication):
        return repr(list(outcome.everything.items()))
    if isinstance(outcome, Publication):
        from kproof.proptests.checks.releases import fingerprint

        return repr(fingerprint(outcome))
    return f"refused: {outcome}" if isinstance(outcome, Refusal) else repr(outcome)


CHECKS: tuple[Check, ...] = tuple(_check.checks)
