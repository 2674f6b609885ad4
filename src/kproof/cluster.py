"""Work that several processes or machines share: the one place that knows Dask and Spark.

A task is a function of this package and one item. It may be run again, because the process that had
it was ended, so that it must not matter whether it ran once or twice. What goes wrong on the way is
told in one line, whichever machine it went wrong on.
"""

import asyncio
import multiprocessing
import os
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from queue import Empty, Queue
from typing import Any, TypeVar
from uuid import uuid4

from kproof.errors import DataError, InvalidArgument, KProofError, Wording, speak, spoken
from kproof.stages import stage

Item = TypeVar("Item")
Answer = TypeVar("Answer")

SPARK = "spark:"
"""How the address of a master of Spark begins; ``spark:local[2]`` is this machine."""

PATIENCE = 20
"""Seconds within which a scheduler has to answer, and after which one looks where tasks are."""

LOOKS = 3
"""How often a task is seen waiting for nothing, or no process is there, until one gives it up."""


def processors() -> int:
    """Return how many processors this process may use."""
    # A batch system may bind this process to a part of the machine, and `cpu_count` counts all of
    # it; macOS and Windows have no such call.
    affinity = getattr(os, "sched_getaffinity", None)
    return (len(affinity(0)) if affinity else os.cpu_count()) or 1


@dataclass
class Cluster:
    """Processes that answer."""

    client: Any = field(repr=False)
    """Of Dask, or the context of Spark."""
    where: str
    """What they are called in an account."""
    processes: int
    """How many there were at the start."""
    runs: int = 0
    tasks: int = 0
    """How often tasks were begun, and how many were asked for."""

    @property
    def retried(self) -> int:
        """How often a task was begun anew, because the process that had it was ended."""
        # Fewer runs than tasks are no error: whoever stops asking leaves tasks that nobody began.
        return max(self.runs - self.tasks, 0)

    def answers(
        self, task: Callable[..., Answer], items: Sequence[Item], *shared: object, doing: str
    ) -> Generator[tuple[int, Answer], None, None]:
        """Yield the place of each item and what ``task(item, *shared)`` returns, as they are done.

        The task is a function at the top of a module; what is shared is sent once to each process.
        ``doing`` says what is done to an item, such as ``"reading a part"``, for messages: such as
        that a process is ended again and again, or the scheduler goes away.
        """
        topic, wording = f"kproof-{uuid4().hex}", spoken()

        def submit(place: int) -> Any:
            call = (task, items[place], *copies)
            # Not `pure`: equal calls have one key, and a task begun anew would be the try that was
            # lost.
            return self.client.submit(
                _begin, *call, place=place, topic=topic, wording=wording, pure=False
            )

        tries = _Tries(self.client, submit)
        # Before anything is submitted: a task whose beginning nobody heard would be taken for lost,
        # and begun a second time.
        self.client.subscribe_topic(topic, tries.hear)
        with warnings.catch_warnings():
            # What is shared is part of the graph on purpose: scattered, it would be lost with the
            # process that holds it.
            warnings.filterwarnings("ignore", message="Sending large graph")
            copies = [self.client.submit(_same, constant, pure=False) for constant in shared]
            for place in range(len(items)):
                tries.start(place)
        self.tasks += len(items)
        try:
            with stage(doing, len(items)) as progress:
                while tries.open:
                    with self._explain_errors(doing):
                        place, future = tries.next()
                        answer = future.result()
                        if isinstance(answer, _Refused):
                            raise answer.error
                    yield place, answer
                    # Only now: what the caller has, no process has to keep.
                    future.release()
                    progress.advance(progress.done + 1)
        finally:
            self.runs += tries.begun
            # Whoever stops asking may come here when all is over.
            if self.client.status == "running":
                self.client.cancel(list(tries.open.values()), force=True, reason="not asked for")
                self.client.unsubscribe_topic(topic)

    @contextmanager
    def _explain_errors(self, doing: str) -> Iterator[None]:
        """Say in one line why there is no answer."""
        from dask.distributed import CancelledError, KilledWorker
        from distributed.comm.core import CommClosedError

        try:
            yield
        except _Deserted:
            raise DataError(f"{doing}: {self.where} has no processes left") from None
        except KilledWorker:
            raise DataError(
                f"{doing}: one process after the other was ended, perhaps for lack of memory; need "
                "smaller parts, fewer processes, or more memory for each"
            ) from None
        except (CancelledError, CommClosedError):
            raise DataError(f"{doing}: {self.where} went away") from None
        except OSError as error:
            reason = error.strerror or " ".join(str(error).split())
            raise DataError(f"{doing}: {reason}") from None


class SparkCluster(Cluster):
    """Executors of Spark that answer. All answers come at the end."""

    def answers(
        self, task: Callable[..., Answer], items: Sequence[Item], *shared: object, doing: str
    ) -> Generator[tuple[int, Answer], None, None]:
        """Yield the place of each item and what ``task(item, *shared)`` returns."""
        # Spark refuses to cut a list into no partitions.
        if not items:
            return
        wording, copies = spoken(), self.client.broadcast(shared)
        begun = self.client.accumulator(0)

        def run(place_and_item: tuple[int, Item]) -> tuple[int, Answer | _Refused]:
            begun.add(1)
            place, item = place_and_item
            return place, _attempt(task, item, *copies.value, wording=wording)

        self.tasks += len(items)
        # A partition for each item: Spark runs a lost partition again as a whole.
        tasks = self.client.parallelize(list(enumerate(items)), len(items))
        try:
            with stage(doing, len(items)):
                answers = tasks.map(run).collect()
        except Exception as error:
            # What a driver of Java says has a trace of fifty lines.
            raise DataError(f"{doing}: {self.where}: {_of_java(error)}") from error
        finally:
            self.runs += begun.value
            copies.unpersist()
        for place, answer in answers:
            if isinstance(answer, _Refused):
                raise answer.error
            yield place, answer


class _Deserted(Exception):
    """There is nobody left to work."""


class _Tries:
    """Tasks that are not done, by their place, and who was heard to begin them.

    Dask begins a task anew when the process that has it is ended. Now and then it fails to notice,
    or a task is lost on its way to a process; and with no process left it waits for one without
    end. So whoever waits for long looks where the tasks are.
    """

    def __init__(self, client: Any, submit: Callable[[int], Any]) -> None:
        self.open: dict[int, Any] = {}
        self.begun = 0
        self._client = client
        self._submit = submit
        self._done: Queue[tuple[int, Any]] = Queue()
        self._begun_by: dict[int, str] = {}
        self._waited: Counter[int] = Counter()
        self._deserted = 0

    def start(self, place: int) -> None:
        """Ask for an answer to a task, from now on to this try alone."""
        future = self.open[place] = self._submit(place)
        # Dask calls back in a thread of its own, hence the queue.
        future.add_done_callback(lambda future_done: self._done.put((place, future_done)))

    def hear(self, event: tuple[float, dict[str, Any]]) -> None:
        """Take note of who begins a task."""
        self.begun += 1
        self._begun_by[event[1]["place"]] = event[1]["by"]

    def next(self) -> tuple[int, Any]:
        """Return the place of the task that is done next, and what answers."""
        while True:
            try:
                place, future = self._done.get(timeout=PATIENCE)
            except Empty:
                self._look()
                continue
            # What was given up may be done after all.
            if self.open.get(place) is future:
                del self.open[place]
                return place, future

    def _look(self) -> None:
        """Begin anew what a process was given and has not begun, although it had nothing to do."""
        try:
            assigned = self._client.processing()
        except OSError:
            return  # the scheduler went away: whatever is open will be done, without an answer
        # Processes without work are listed, too: an empty answer means that there are none.
        self._deserted = 0 if assigned else self._deserted + 1
        if self._deserted >= LOOKS:
            raise _Deserted
        process_of = {key: process for process, keys in assigned.items() for key in keys}
        assigned_to = {
            place: process_of[future.key]
            for place, future in self.open.items()
            if future.key in process_of
        }
        # What waits in the queue of a process that has begun another task is not lost.
        busy = {at for place, at in assigned_to.items() if self._begun_by.get(place) == at}
        idle = [place for place, process in assigned_to.items() if process not in busy]
        # Counted anew from what is idle now, so that a task that was begun in between starts from
        # none.
        self._waited = Counter({place: self._waited[place] + 1 for place in idle})
        for place in idle:
            if self._waited[place] >= LOOKS:
                del self._waited[place]
                lost = self.open[place]
                self.start(place)
                lost.cancel(force=True, reason="lost on the way")


@contextmanager
def connect(
    scheduler: str | None = None,
    *,
    workers: int = 2,
    memory: str | None = None,
    spill: str | None = None,
) -> Iterator[Cluster]:
    """Connect to a scheduler of Dask or Spark, or start one with some processes of this machine.

    Args:
        scheduler: Its address, such as ``tcp://10.0.0.1:8786``, or ``tls://…`` with the
            certificates that Dask's own configuration names, or ``spark://host:7077`` or
            ``spark:local[2]``; None for processes of this machine, which end with the connection.
            Processes of a scheduler have to have this version of kproof, and to see the same files
            by the same names.
        workers, memory: Processes on this machine, and the memory of all of them together, such as
            ``8GB``; None for what the machine has.
        spill: Folder for what they cannot hold; None for one of the system's.

    Raises:
        DataError: If Dask is not installed, nobody answers at the address, or processes do not
            start.
    """
    if scheduler is not None and scheduler.startswith(SPARK):
        with _on_spark(scheduler) as cluster:
            yield cluster
        return
    # Before anything is started: whoever has not installed it is told so.
    import distributed  # noqa: F401

    # Set while a process that was started imports its parent's script: without this check each of
    # them would start processes of its own.
    if multiprocessing.process.current_process().__dict__.get("_inheriting"):
        raise RuntimeError(
            "processes are started afresh and import the script that starts them: put what it does "
            'under if __name__ == "__main__":'
        )
    from dask import config
    from dask.utils import parse_bytes

    # Both are without types.
    library: Any = import_module("dask.distributed")

    memory_of_process: object = "auto"
    if memory is not None:
        try:
            memory_of_process = parse_bytes(memory) // workers
        except ValueError:
            raise InvalidArgument("memory", memory, "a size such as 8GB") from None
    with ExitStack() as opened:
        settings = {
            "distributed.comm.timeouts.connect": f"{PATIENCE}s",
            # After so long a process whose end was not noticed is given up.
            "distributed.scheduler.worker-ttl": "2 minutes",
        }
        settings |= {} if spill is None else {"temporary-directory": spill}
        opened.enter_context(config.set(settings))
        if scheduler is not None:
            address, description = scheduler, f"the scheduler at {scheduler}"
            _require_scheduler(address)
        else:
            try:
                local = opened.enter_context(
                    library.LocalCluster(
                        n_workers=workers,
                        threads_per_worker=1,
                        memory_limit=memory_of_process,
                        # Any free port: two runs at once would want the same one.
                        dashboard_address="127.0.0.1:0",
                        # Above CRITICAL, which is 50: what matters of Dask's log is told as an
                        # error of ours.
                        silence_logs=60,
                    )
                )
            except (OSError, RuntimeError, TimeoutError) as error:
                reason = " ".join(str(error).split())
                raise DataError(f"processes of this machine do not start: {reason}") from None
            address, description = local.scheduler_address, "processes of this machine"
        try:
            client = opened.enter_context(
                # Whoever calls may have a client of her own, which stays the default.
                library.Client(address, timeout=PATIENCE, set_as_default=False)
            )
        except OSError:
            raise DataError(f"{address}: no scheduler of Dask answers there") from None
        processes = len(client.scheduler_info(n_workers=-1)["workers"])
        if not processes:
            raise DataError(f"{description} has no processes to work with")
        yield Cluster(client, description, processes)


@contextmanager
def _on_spark(address: str) -> Iterator[SparkCluster]:
    try:
        sql: Any = import_module("pyspark.sql")
    except ImportError:
        raise DataError(
            "PySpark is not installed; to share work on Spark: pip install pyspark"
        ) from (None)
    master = address if address.startswith(f"{SPARK}//") else address.removeprefix(SPARK)
    if not master.startswith(f"{SPARK}//"):
        # Its processes are of this machine, where another Python may come first on the path.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # A session that is there already belongs to somebody who goes on with it.
    session = sql.SparkSession.getActiveSession()
    try:
        opened = session or (
            sql.SparkSession.builder.master(master)
            .appName("kproof")
            .config("spark.ui.showConsoleProgress", "false")
            .getOrCreate()
        )
    except Exception as error:
        reason = _of_java(error)
        raise DataError(f"{address}: no master of Spark answers there ({reason})") from error
    try:
        context = opened.sparkContext
        yield SparkCluster(context, f"Spark at {context.master}", context.defaultParallelism)
    finally:
        if session is None:
            opened.stop()


def _of_java(error: Exception) -> str:
    """Return what went wrong: the last line of Python in a trace of Java, or else the first one."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    # Traces of Java are indented, and so is each line of Python's but the one that says why.
    python_lines = [
        line for line in str(error).splitlines() if re.match(r"\w[\w.]*(Error|Exception): ", line)
    ]
    return (python_lines or lines or [type(error).__name__])[-1 if python_lines else 0]


def _require_scheduler(address: str) -> None:
    """Ask who answers at an address.

    A client waits without end for one that takes the connection and says nothing; and a client that
    failed to connect closes itself when it is collected, which may be while another one is being
    started, and then both wait for each other.
    """
    library: Any = import_module("dask.distributed")

    async def identity() -> Any:
        certificates = library.Security().get_connection_args("client")
        remote = library.rpc(address, connection_args=certificates)
        async with asyncio.timeout(PATIENCE), remote:
            return await remote.identity()

    try:
        # In a thread of its own: there may be a loop in this one, as in notebooks.
        with ThreadPoolExecutor(1) as thread:
            reached = thread.submit(lambda: asyncio.run(identity())).result()
    except TypeError as error:
        if "ssl_context" not in str(error):
            raise InvalidArgument("scheduler", address, f"an address of Dask ({error})") from None
        needed = "certificates in Dask's configuration: distributed.comm.tls.ca-file and client"
        raise InvalidArgument("scheduler", address, needed) from None
    except ValueError as error:
        raise InvalidArgument(
            "scheduler", address, f"an address such as tcp://10.0.0.1:8786 ({error})"
        ) from None
    except OSError:
        raise DataError(f"{address}: no scheduler of Dask answers there") from None
    if reached.get("type") != "Scheduler":
        raise DataError(f"{address}: a {reached.get('type')} of Dask answers there, no scheduler")


def _same(value: Answer) -> Answer:
    return value


@dataclass(frozen=True)
class _Refused:
    """What a task says in place of an answer."""

    error: Exception


def _begin(
    task: Callable[..., Answer],
    item: object,
    *constants: object,
    place: int,
    topic: str,
    wording: Wording,
) -> Answer | _Refused:
    """Run a task, and say who begins it."""
    from dask.distributed import get_worker

    process = get_worker()
    process.log_event(topic, {"place": place, "by": process.address})
    return _attempt(task, item, *constants, wording=wording)


def _attempt(
    task: Callable[..., Answer], item: object, *constants: object, wording: Wording
) -> Answer | _Refused:
    try:
        with speak(wording):
            return task(item, *constants)
    except (KProofError, OSError) as error:
        # Raised here, it would be written to the log of every process as a fault of ours.
        return _Refused(error)
