"""What is known of the database, without waiting for it.

A database that hangs keeps whoever asks it. So one thread asks, one at a time: whether it can be
read, and for the records of days that were closed since. Requests start it, and read from memory
what became of it.
"""

import sys
import threading
import time
from collections.abc import Callable

from kproof.errors import KProofError
from kproof.serve.closed import NotSealed
from kproof.serve.flows import Flows
from kproof.serve.source import SourceGone


class SourceWatch:
    """Asks the database of flows in the background.

    Args:
        flows: What answers about it.
        failed: Called when days that were closed could not be sealed.
    """

    deadline = 5.0
    """Seconds after which a database that has not answered counts as gone."""
    every = 10.0
    """Seconds from one look to the next."""
    pause = 10.0
    """Seconds until it is looked again whether a day was closed."""
    patience = 2.0
    """Seconds that the request waits that starts to seal days: the first one after midnight should
    have them. Nobody else waits."""

    def __init__(self, flows: Flows, failed: Callable[[], None] = lambda: None) -> None:
        self._flows = flows
        self._failed = failed
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._begun = time.monotonic()
        self._last_reason = ""

    @property
    def database(self) -> str:
        """Whether the database can be read: starting, ok or gone."""
        if not self._flows.ready:
            return "starting"
        overdue = self._is_running and time.monotonic() - self._begun > self.deadline
        return "ok" if self._flows.reached and not overdue else "gone"

    @property
    def _is_running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def look(self) -> None:
        """Start to ask whether the database can be read, if that was long ago."""
        if self._flows.ready and time.monotonic() - self._begun > self.every:
            self._start(self._flows.look)

    def refresh(self) -> None:
        """Start to seal the days that were closed since; wait a moment for it."""
        self._flows.warn()
        if self._flows.due:
            thread = self._start(self._seal)
            if thread is not None:
                # With a limit: a request is answered from the days that are there, rather than not
                # at all.
                thread.join(self.patience)

    def keep(self) -> None:
        """Seal days when they are closed, also if nobody asks: other processes read them."""

        def run() -> None:
            while True:
                time.sleep(self.pause)
                if self._flows.ready:
                    self.refresh()

        threading.Thread(target=run, daemon=True, name="kproof-days").start()

    def _seal(self) -> None:
        try:
            self._flows.refresh()
        except NotSealed as error:
            # The database was read; it is the file of cells that has no room.
            self._tell(error)
        except KProofError as error:
            self._tell(error)
            raise

    def _tell(self, error: KProofError) -> None:
        """Count a failure, and say it once: whoever keeps the service reads the standard error."""
        self._failed()
        # What a driver says may quote a row.
        reason = "the database cannot be read" if isinstance(error, SourceGone) else str(error)
        if reason != self._last_reason:
            self._last_reason = reason
            sys.stderr.write(f"kproof: days that were closed could not be sealed: {reason}\n")

    def _start(self, work: Callable[[], None]) -> threading.Thread | None:
        """Return the thread that does some work, or None while another one runs."""

        def run() -> None:
            try:
                work()
            except Exception as error:
                self._flows.reached = False
                if not isinstance(error, KProofError):
                    sys.stderr.write(f"kproof: a fault of kproof itself, {type(error).__name__}\n")

        with self._starting:
            if self._is_running:
                return None
            self._begun = time.monotonic()
            # One that hangs for good does not keep the process from its end.
            self._thread = threading.Thread(target=run, daemon=True, name="kproof-source")
            self._thread.start()
            return self._thread
