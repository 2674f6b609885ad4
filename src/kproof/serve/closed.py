"""A file of closed days that several processes share.

It is opened for as long as it is read or written. Days are sealed by whoever has the lock beside
it; the others read what was sealed, and one of them takes over when the system gives up the lock of
a process that is dead.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import date, timedelta
from typing import Any, ClassVar

from kproof.errors import DataError, InvalidArgument, KProofError, show
from kproof.models.tables.engines.opening import without_password
from kproof.outputs import close_to_others
from kproof.outputs.locks import claim

EPOCH = date(1970, 1, 1)

_SEALING = "CREATE TABLE IF NOT EXISTS sealing (until BIGINT NOT NULL, source VARCHAR NOT NULL);"
_TABLES = "SELECT table_name FROM information_schema.tables ORDER BY table_name"
_UNTIL = "SELECT until, source FROM sealing"

_NOTHING = -(10**9)
"""A day before all days: where nothing is sealed yet."""


@contextmanager
def _for_the_owner() -> Iterator[None]:
    """Let files that are made meanwhile, the database's log too, be read by their owner alone."""
    # The mask is that of the whole process: what another thread makes meanwhile is closed, too, and
    # never more open than it was to be.
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


class NotSealed(KProofError):
    """A day could not be sealed; what was sealed before is as it was."""


_OF_SAMPLES = "; a section on a day"
"""What the terms of sampled days begin with, behind the name of their source."""

_PATIENCE = 10.0
"""Seconds to wait for another process that has the file open for a moment."""


class ClosedDays:
    """Closed days in a DuckDB file.

    Args:
        path: The file, which is made if it is not there; None for memory.
        source: What they are of, kept as an attribute: a name, by which the source is recognised
            at a glance, and behind it terms that have to be the same.

    Raises:
        InvalidArgument: If the path names no file.
        DataError: If the file cannot be used, or was made on other terms.
    """

    _tables: ClassVar[str]

    def __init__(self, path: str | None, source: str) -> None:
        self.source = source
        if path is not None and (not path.strip() or path.startswith(":memory:")):
            raise InvalidArgument("cells", path, "the name of a file")
        self.path = ":memory:" if path is None else path
        self.until: date | None = None
        self.renamed = False
        """Whether the file was written under another name: of the same source, if it has the same
        content."""
        self._origin = source
        self._lock: int | None = None
        self._version: Any = None
        self._memory: Any = None
        with self._translate_errors(DataError, "used"):
            if path is None:
                self._memory = self._connect(write=True)
                self._memory.execute(_SEALING + self._tables)
                self.reread()
            elif os.path.exists(self.path) and not os.path.isfile(self.path):
                raise DataError(f"cells: {show(path)} cannot be used: it is no file")
            elif not self.lead():
                self.reread()

    @property
    def leads(self) -> bool:
        """Whether this process seals days; if not, it reads what another one seals."""
        return self._memory is not None or self._lock is not None

    def lead(self) -> bool:
        """Return whether this process seals days: the first that asks, until it is dead.

        Raises:
            DataError: If the file cannot be used.
        """
        if self.leads:
            return True
        if self._version is None:
            self._require_own()
        # Beside the file itself: through a link two processes would have a lock each.
        lock = f"{os.path.realpath(self.path)}.lock"
        self._lock = claim(lock)
        if self._lock is None:
            # Nobody holds the lock and none can be made: the folder cannot be written to.
            if not os.path.exists(lock) and not os.path.exists(self.path):
                raise DataError(f"cells: {show(self.path)} cannot be used: it cannot be made")
            return False
        try:
            with self._translate_errors(DataError, "used"):
                with self._open_file(write=True) as store:
                    close_to_others(self.path, name="cells")
                    store.execute(_SEALING + self._tables)
                self.reread()
        except BaseException:
            # A lock that is held by who cannot seal would keep all others from it.
            self.close()
            raise
        return True

    def _require_own(self) -> None:
        """Refuse a file that somebody else made, before anything is written to it or beside it."""
        with suppress(OSError):
            # An empty file, such as a temporary one that was just made, is nobody's yet.
            if not os.path.getsize(self.path):
                return
            with self._translate_errors(DataError, "used"), self._open_file() as store:
                tables = store.execute(_TABLES).fetchall()
            if tables and ("sealing",) not in tables:
                raise DataError(
                    f"cells: {show(self.path)} cannot be used: it is a database of something else "
                    f"(table {show(tables[0][0])}); need a file of cells, or a new one"
                )

    def reread(self) -> bool:
        """Look what is sealed; return whether that is more than before.

        Raises:
            DataError: If the file cannot be used, or was made on other terms.
        """
        # Before the file is read: what is sealed in between is found at the next look, and not
        # missed.
        version = self._version_on_disk()
        if version is None or version == self._version:
            return False
        with self._translate_errors(DataError, "used"), self._open_file() as store:
            tables = {name for (name,) in store.execute("SHOW TABLES").fetchall()}
            # A file that another process is about to fill.
            row = store.execute(_UNTIL).fetchone() if "sealing" in tables else None
            if row is not None:
                self._origin = row[1]
                self._require_terms()
                self._check_form(store)
        before, self._version = self.until, version
        if row is not None:
            self.until = EPOCH + timedelta(days=int(row[0]))
            self.renamed = self._origin != self.source
        return self.until != before

    def _version_on_disk(self) -> Any:
        """Return something that changes with the file and its log; None if there is no file."""
        if self._memory is not None:
            return self.path
        versions = []
        for path in (self.path, f"{self.path}.wal"):
            with suppress(OSError):
                there = os.stat(path)
                versions.append((there.st_ino, there.st_mtime_ns, there.st_size))
        return versions or None

    def _require_terms(self) -> None:
        origin, terms = (
            source.partition(_OF_SAMPLES)[1:] for source in (self._origin, self.source)
        )
        # A file with a secret, which an earlier version wrote, is not used again.
        if origin != terms or without_password(self._origin) != self._origin:
            raise self.other_source("it was made on other terms")

    def _check_form(self, store: Any) -> None:
        """Hold a file that has days against what is asked for now."""

    def other_source(self, reason: str) -> DataError:
        """Return the error that the file is of another source."""
        origin = show(without_password(self._origin), 200)
        return DataError(f"cells: {show(self.path)} is of another source, {origin}: {reason}")

    def take_name(self) -> None:
        """Take the source for the one that the file is of, also next time."""
        self.renamed = False
        if self.leads:
            with self._translate_errors(NotSealed, "written"), self._open_file(write=True) as store:
                store.execute("UPDATE sealing SET source = $1", [self.source])
            self._version = self._version_on_disk()

    @contextmanager
    def _translate_errors(self, kind: type[KProofError], action: str) -> Iterator[None]:
        import duckdb

        try:
            yield
        except duckdb.Error as error:
            first = str(error).strip().splitlines()[0]
            raise kind(f"cells: {show(self.path)} cannot be {action}: {show(first, 160)}") from None

    @contextmanager
    def _open_file(self, *, write: bool = False) -> Iterator[Any]:
        """Open the file for as long as it takes: nobody else can write meanwhile."""
        if self._memory is not None:
            yield self._memory
            return
        with _for_the_owner() if write else nullcontext():
            store = self._connect(write=write)
            try:
                yield store
            finally:
                store.close()

    def _connect(self, *, write: bool) -> Any:
        import duckdb

        until = time.monotonic() + _PATIENCE
        while True:
            try:
                return duckdb.connect(self.path, read_only=not write)
            except duckdb.Error as error:
                # Others hold it for moments; whoever holds it longer is no process of kproof.
                busy = "lock" in str(error) or "different configuration" in str(error)
                if not busy or time.monotonic() > until:
                    raise
                time.sleep(0.02)

    @property
    def _first_unsealed_day(self) -> int:
        """The first day that is not sealed, since 1970-01-01."""
        return _NOTHING if self.until is None else (self.until - EPOCH).days

    @contextmanager
    def _seal_until(self, rows: Any, until: date) -> Iterator[Any]:
        """Let the days before one be sealed from rows, which SQL calls found, or nothing change."""
        import duckdb

        with self._translate_errors(NotSealed, "written"), self._open_file(write=True) as store:
            store.begin()
            try:
                # A file system without locks lets two seal: the second stops here.
                row = store.execute(_UNTIL).fetchone()
                if (_NOTHING if row is None else row[0]) != self._first_unsealed_day:
                    raise NotSealed("cells cannot be written: somebody else has sealed days")
                store.register("found", rows)
                yield store
                store.execute("DELETE FROM sealing")
                store.execute(
                    "INSERT INTO sealing VALUES ($1, $2)", [(until - EPOCH).days, self.source]
                )
                store.commit()
            except BaseException:
                with suppress(duckdb.Error):
                    store.rollback()
                raise
            finally:
                with suppress(duckdb.Error):
                    # In memory the connection stays, and would hold on to the rows.
                    store.unregister("found")
        self.until, self._version = until, self._version_on_disk()

    def close(self) -> None:
        """Give the file back."""
        if self._memory is not None:
            self._memory.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
