"""Attempts carried out in several processes, each of which keeps the table.

The processes are started afresh rather than forked: a fork of a process with threads may hang, and
one that imports its caller's script would run it again. Their number is bounded by processors and
by the memory that is free.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from queue import Empty, SimpleQueue
from threading import Event, Thread, Timer
from typing import IO, TYPE_CHECKING

from kproof.errors import DataError, spell, spoken
from kproof.models.frontier.attempts import Attempt
from kproof.models.frontier.judging import Candidate, candidate_of
from kproof.models.methods import METHODS
from kproof.models.registry import Home
from kproof.models.tables.table import Table
from kproof.stages import stage

if TYPE_CHECKING:
    from kproof.cluster import Cluster

Tell = Callable[[int, int, Candidate], None]
"""``told(done, total, candidate)`` is called after each attempt."""

WORTHWHILE = 100_000
"""Rows of all attempts together from which on starting processes pays."""

_BASE, _CELL = 300 << 20, 200
"""Bytes that a process takes without a table, and for each cell of one, at most, as measured."""

_START = (
    "import sys; sys.path[:] = {path!r}; from kproof.models.frontier.worker import serve; "
    "serve({parent})"
)


def processes(table: Table, attempts: int, limit: int | None) -> int:
    """Return how many processes carry out attempts; 1 is this one.

    Each keeps the table. At most ``limit``, or, if that is None, as many as there are processors
    and free memory.
    """
    if limit is None:
        if table.rows * attempts < WORTHWHILE:
            return 1
        # Here, since Dask's module takes its time and little work needs no processes.
        from kproof.cluster import processors

        limit = processors()
        with suppress(ValueError, OSError, AttributeError):
            free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
            cells = table.rows * (len(table.quasi_identifiers) + 1)
            limit = min(limit, int(free // (_BASE + _CELL * cells)))
    return max(1, min(limit, attempts))


def carry_out(
    table: Table,
    attempts: Sequence[Attempt],
    *,
    jobs: int,
    report: Tell,
    patience: float | None = None,
    cluster: Cluster | None = None,
) -> tuple[Candidate, ...]:
    """Return what came of each attempt, in their order.

    ``patience`` is how many seconds a process is given for an attempt; one that takes longer is
    ended, and another started in its place. A cluster is asked in place of processes. A process
    that is ended from outside, as machines do that run out of memory, is a DataError.
    """
    candidates: dict[int, Candidate] = {}
    # A method that somebody registered as a function of their own is known in this process only.
    away = [
        place
        for place, attempt in enumerate(attempts)
        if (jobs > 1 or patience or cluster) and isinstance(METHODS[attempt.method].run, Home)
    ]
    # The largest k first, of all methods in turn, so that no method's slowest come last.
    first = sorted(away, key=lambda place: -attempts[place].k)
    with stage("frontier", len(attempts)) as trying:
        for place, candidate in _elsewhere(table, attempts, first, jobs, patience, cluster):
            candidates[place] = candidate
            trying.advance(len(candidates), f"frontier: last {candidate.name}")
            report(len(candidates), len(attempts), candidate)
        for place, attempt in enumerate(attempts):
            if place not in candidates:
                trying.advance(len(candidates), f"frontier: {attempt.name}")
                candidates[place] = candidate_of(attempt, table)
                trying.advance(len(candidates))
                report(len(candidates), len(attempts), candidates[place])
    return tuple(candidates[place] for place in range(len(attempts)))


def _elsewhere(
    table: Table,
    attempts: Sequence[Attempt],
    order: Sequence[int],
    jobs: int,
    patience: float | None,
    cluster: Cluster | None,
) -> Iterator[tuple[int, Candidate]]:
    """Yield what came of attempts in other processes, as they are done."""
    if not order:
        return
    if cluster is None:
        with _Pool(table, min(jobs, len(order)), patience) as pool:
            yield from pool.answers([(place, attempts[place]) for place in order])
        return
    tried, bare = [attempts[place] for place in order], replace(table, source=None)
    for position, candidate in cluster.answers(candidate_of, tried, bare, doing="comparing"):
        yield order[position], candidate


def start(code: str) -> subprocess.Popen[bytes]:
    """Start Python on some code of ours, with a pipe to it and one from it.

    The code has to end with this process (:func:`.worker.end_with`).
    """
    # One thread each for linear algebra: the processes share the processors already.
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **single},
        # What interrupts this process is not sent to them: they are ended by :func:`end`.
        start_new_session=True,
    )


def end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """End processes, whatever they are doing, and close their pipes."""
    # All at first: they end at the same time, and not one after another's end.
    for process in processes:
        process.kill()
    for process in processes:
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


class _Pool:
    """Some processes with the table, and a thread for each that hands it attempts."""

    def __init__(self, table: Table, jobs: int, patience: float | None) -> None:
        entries = [entry for entry in METHODS.values() if isinstance(entry.run, Home)]
        # Once for all processes, those included that are started in place of another.
        self._payload = pickle.dumps((replace(table, source=None), entries, spoken()))
        self._jobs = jobs
        self._patience = patience
        self._processes: list[subprocess.Popen[bytes]] = []
        self._over = Event()

    def __enter__(self) -> _Pool:
        for _ in range(self._jobs):
            self._start()
        return self

    def _start(self) -> subprocess.Popen[bytes]:
        """Start a process; it waits for the table."""
        process = start(_START.format(path=sys.path, parent=os.getpid()))
        self._processes.append(process)
        return process

    def _ready(self, process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
        """Give a process the table; return its pipes when it has it."""
        if process.stdin is None or process.stdout is None:
            raise OSError("a process without pipes")
        process.stdin.write(self._payload)
        process.stdin.flush()
        # From a process started above, through a pipe of its own: no file and no stranger's data.
        pickle.load(process.stdout)
        return process.stdin, process.stdout

    def __exit__(self, *_: object) -> None:
        self._over.set()
        end(self._processes)

    def answers(self, attempts: Sequence[tuple[int, Attempt]]) -> Iterator[tuple[int, Candidate]]:
        """Yield what came of attempts, as they are done."""
        waiting: SimpleQueue[tuple[int, Attempt]] = SimpleQueue()
        for attempt in attempts:
            waiting.put(attempt)
        outcomes: SimpleQueue[tuple[int, Candidate | None, str]] = SimpleQueue()
        # A copy: threads lengthen the list when they start a process anew.
        for process in tuple(self._processes):
            Thread(target=self._hand_over, args=(process, waiting, outcomes), daemon=True).start()
        for _ in attempts:
            place, candidate, problem = outcomes.get()
            if candidate is None and problem:
                raise RuntimeError(problem)
            if candidate is None:
                raise DataError(
                    "a process of the comparison was ended, perhaps for lack of memory: need fewer "
                    f"of them ({spell('jobs', 1)}), or less data"
                )
            yield place, candidate

    def _hand_over(
        self,
        process: subprocess.Popen[bytes],
        waiting: SimpleQueue[tuple[int, Attempt]],
        outcomes: SimpleQueue[tuple[int, Candidate | None, str]],
    ) -> None:
        """Give a process one attempt after the other, and pass on its answers."""
        place = -1
        try:
            stdin, stdout = self._ready(process)
            while not self._over.is_set():
                place, attempt = waiting.get_nowait()
                with _limit(process, self._patience) as struck:
                    try:
                        pickle.dump(attempt, stdin)
                        stdin.flush()
                        # The pipe of a process that this one started.
                        candidate, problem = pickle.load(stdout)
                    except (OSError, EOFError):
                        # Ended, but not by the clock: that is no answer of the attempt.
                        if not struck.is_set() or self._over.is_set():
                            raise
                        candidate, problem = late(attempt, self._patience), ""
                outcomes.put((place, candidate, problem))
                # Struck just behind its answer it is gone all the same.
                if struck.is_set():
                    process.wait()
                    process = self._start()
                    stdin, stdout = self._ready(process)
        except Empty:
            return
        except Exception:
            # Whatever is wrong with a pipe, somebody waits for an answer.
            outcomes.put((place, None, ""))


def late(attempt: Attempt, patience: float | None) -> Candidate:
    """Return what an attempt comes to that was not done in time."""
    problem = f"not done within {patience:g} s"
    return Candidate(*attempt.request, problem=problem, seconds=patience or 0.0)


@contextmanager
def _limit(process: subprocess.Popen[bytes], patience: float | None) -> Iterator[Event]:
    """End a process that takes longer than so many seconds; the event says whether it did."""
    struck = Event()

    def strike() -> None:
        struck.set()
        process.kill()

    timer = None if patience is None else Timer(patience, strike)
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield struck
    finally:
        if timer is not None:
            timer.cancel()
            # A strike that has begun is over before anybody asks whether it struck.
            timer.join()
