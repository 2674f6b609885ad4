"""Which runs are alive: a lock in each folder that a run writes to, gone with its process.

A run's files in a folder are called ``.kproof-ID.…``. Its lock, ``.kproof-ID.lock``, is there
first and goes last, and holds the path of the folder that the run's journal would be in. The system
gives up the lock of a process that ends, however it ends, so that nothing is guessed from process
numbers or from the time.
"""

import os
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass

PREFIX = ".kproof-"
_LONGEST = 1 << 16
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock that this process has."""

    folder: str
    """The folder it is for."""
    run: str
    """Of which run."""
    _handle: int

    @property
    def path(self) -> str:
        """The file."""
        return lock_path(self.folder, self.run)

    def journal_in(self) -> str:
        """Return the folder that the run's journal would be in, or nothing if that was not told."""
        os.lseek(self._handle, 0, os.SEEK_SET)
        return os.fsdecode(os.read(self._handle, _LONGEST))

    def sync(self) -> None:
        """Put it on the disk."""
        os.fsync(self._handle)

    def close(self) -> None:
        """Give it up and leave the file, for a run to come."""
        os.close(self._handle)

    def remove(self) -> None:
        """Give it up and remove the file."""
        if sys.platform == "win32":
            os.close(self._handle)  # an open file cannot be removed there
        with suppress(OSError):
            os.unlink(self.path)
        if sys.platform != "win32":
            os.close(self._handle)


def lock_path(folder: str, run: str) -> str:
    """Return the path of a run's lock in a folder."""
    return os.path.join(folder, f"{PREFIX}{run}.lock")


def make(folder: str, run: str, journal_in: str) -> Lock | None:
    """Make a run's lock in a folder; None if another process took it for a dead one's."""
    path = lock_path(folder, run)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINKS, 0o600)
    try:
        _acquire(handle)
        os.write(handle, os.fsencode(journal_in))
        # Between opening and locking, another process may have found the file unlocked, taken it
        # for a dead run's and removed it: this lock would be on a file that has no name.
        still_there = os.path.exists(path) and os.path.samestat(os.stat(path), os.fstat(handle))
    except BaseException:
        with suppress(OSError):
            os.unlink(path)
        os.close(handle)
        raise
    if still_there:
        return Lock(folder, run, handle)
    os.close(handle)
    return None


def take(folder: str, run: str) -> Lock | None:
    """Take over the lock of a run that has ended; None if it is alive, or another user's."""
    if sys.platform == "win32" and _open_elsewhere(lock_path(folder, run)):
        return None
    try:
        handle = os.open(lock_path(folder, run), os.O_RDWR | _NO_LINKS)
    except OSError:
        return None
    # Whose it is goes first: even to try the lock of another user's file would hold that user up.
    if own(os.fstat(handle)) and _free(handle):
        return Lock(folder, run, handle)
    os.close(handle)
    return None


def claim(path: str) -> int | None:
    """Return a handle of a lock file by which this process alone does what the file is for.

    None while another process has it, or where it cannot be written. The system gives it up with
    the process; the number of the process stands in it.
    """
    if sys.platform == "win32" and os.path.exists(path) and _open_elsewhere(path):
        return None
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | _NO_LINKS, 0o600)
    except OSError:
        return None
    if own(os.fstat(handle)) and _free(handle):
        # Only now: before the lock is held, the number in the file is that of whoever holds it.
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
        return handle
    os.close(handle)
    return None


def own(there: os.stat_result) -> bool:
    """Whether a file is a plain one of this user: others' are neither trusted nor touched."""
    mine = sys.platform == "win32" or there.st_uid == os.geteuid()
    return mine and stat.S_ISREG(there.st_mode)


def _open_elsewhere(path: str) -> bool:
    """Whether a process has the file open: such a file cannot be renamed on Windows."""
    try:
        os.rename(path, path)
    except OSError:
        return True
    return False


if sys.platform == "win32":

    def _acquire(_: int) -> None:
        """Do nothing: a file that is open cannot be removed or renamed."""

    def _free(_: int) -> bool:
        return True

else:
    import fcntl

    def _acquire(handle: int) -> None:
        # A file system without locks: then nobody can take it for a dead run's either.
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)

    def _free(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
