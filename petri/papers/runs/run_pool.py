"""Runs made in several processes, each of which has the whole table.

Processes are started afresh, as :mod:`kproof.models.frontier.pool` does and says why. Each makes
every n-th run, and a run is the same whoever makes it.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any

from kproof.errors import DataError, NetError, spell
from kproof.models.frontier.pool import end, start
from kproof.models.frontier.worker import end_with
from kproof.petri.papers.runs.publisher_runs import RunFacts, Runner, Task

WORTHWHILE = 150_000
"""Rows of all runs together from which on starting processes pays."""

_START = (
    "import sys; sys.path[:] = {path!r}; from kproof.petri.papers.runs.run_pool import serve; "
    "serve({parent}, {first}, {step}, {total})"
)


def processes(rows: int, runs: int, jobs: int | None) -> int:
    """Return how many processes make runs of a table; 1 is this one.

    >>> processes(32_561, 1, None), processes(24, 1_000, None), processes(24, 1_000, 2)
    (1, 1, 2)
    """
    if jobs is None:
        affinity = getattr(os, "sched_getaffinity", None)
        available = (len(affinity(0)) if affinity else os.cpu_count()) or 1
        jobs = available if rows * runs >= WORTHWHILE else 1
    return max(1, min(jobs, runs))


def carry_out(task: Task, runs: int, jobs: int) -> Iterator[RunFacts]:
    """Yield what is known of the runs 1, 2, ..., as some processes do them; one is this one.

    DataError if a process is ended from outside, which machines do that run out of memory.
    """
    if jobs == 1:
        runner = Runner(task)
        for number in range(1, runs + 1):
            yield runner.run(number)
        return
    answers: SimpleQueue[Any] = SimpleQueue()
    # Without the caller's own frame: no run looks at it, and it may be large or beyond pickling.
    table = task.classes.table
    alone = replace(task.classes, table=None if table is None else replace(table, source=None))
    payload = pickle.dumps(replace(task, classes=alone))
    begin = partial(_START.format, path=sys.path, parent=os.getpid(), step=jobs, total=runs)
    workers = [start(begin(first=first)) for first in range(1, jobs + 1)]
    try:
        for first, process in enumerate(workers, start=1):
            due = len(range(first, runs + 1, jobs))
            Thread(target=_pass_on, args=(process, payload, due, answers), daemon=True).start()
        for _ in range(runs):
            # A worker owes a known number of answers, and None is put for one that does not come.
            facts = answers.get()
            if facts is None:
                raise DataError(
                    "a process of the simulation was ended, perhaps for lack of memory: need fewer "
                    f"of them ({spell('jobs', 1)})"
                )
            if isinstance(facts, str):
                raise NetError(facts)
            yield facts
    finally:
        end(workers)


def serve(parent: int, first: int, step: int, total: int) -> None:
    """Make the runs ``first``, ``first + step``, ... for the process that started this one."""
    end_with(parent)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever a library prints must not come between answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        # The pipe of the process that started this one; nobody else writes to it.
        runner = Runner(pickle.load(sys.stdin.buffer))
        for number in range(first, total + 1, step):
            pickle.dump(runner.run(number), answers)
            answers.flush()
    except Exception as error:
        pickle.dump(str(error) or type(error).__name__, answers)
        answers.flush()


def _pass_on(
    process: subprocess.Popen[bytes], payload: bytes, due: int, answers: SimpleQueue[Any]
) -> None:
    """Hand a process its task, and pass on what it finds; None if it ends before all is there."""
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(payload)
        process.stdin.flush()
        for _ in range(due):
            # From the process started above, through a pipe of its own.
            answers.put(pickle.load(process.stdout))
    except Exception:
        # Whatever is wrong with a pipe, somebody waits for an answer.
        answers.put(None)
