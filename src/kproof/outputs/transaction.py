"""A set of files that is being written: staged beside their destinations, then put in place."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import IO, Any

from kproof.errors import InvalidArgument
from kproof.outputs import locks
from kproof.outputs.destinations import (
    Destination,
    FileIdentity,
    PathLike,
    check_folder,
    destination,
    folder_error,
    unwritable,
)
from kproof.outputs.interruptions import defer_interrupts
from kproof.outputs.journal import Course, Journal, Mark, Placement, part_path, sweep

_TRIES = 100
_FOR_OWNER = 0o600


class Access(StrEnum):
    """Who may read a file.

    Attributes:
        AS_USUAL: Whoever could read the file that was there; for a new one, whom the umask admits.
        OWNER: Its owner only, from the first byte, whatever was there: a key to what is published.
    """

    AS_USUAL = "as-usual"
    OWNER = "owner"


@dataclass(frozen=True, slots=True)
class _Staged:
    place: Destination
    number: int
    access: Access


class Transaction:
    """Files that take their places together, none of which is read; use ``outputs.together``."""

    def __init__(self, reads: frozenset[FileIdentity] = frozenset()) -> None:
        self._reads = reads
        self._run = secrets.token_hex(8)
        self._locks: dict[str, locks.Lock] = {}
        self._made: list[str] = []
        self._staged: list[_Staged] = []
        self._taken: dict[object, str] = {}
        self._broken = False
        self._count = 0

    def folder(self, named: PathLike) -> None:
        """Make a folder, and those above it, if it is not there; it goes if the rest fails."""
        check_folder(named)
        path = os.path.realpath(named)
        missing = []
        while not os.path.isdir(path):
            missing.append(path)
            path = os.path.dirname(path)
        try:
            for folder in reversed(missing):
                # Noted before it is made: an interruption in between costs `abort` a call that
                # fails, and the other order would leave a folder behind.
                self._made.append(folder)
                os.mkdir(folder)
        except OSError as error:
            raise folder_error(os.fspath(named), error.strerror or str(error)) from None

    @contextmanager
    def text(self, named: PathLike, *, access: Access = Access.AS_USUAL) -> Iterator[IO[str]]:
        """Open a text file in UTF-8 that will be at ``named``."""
        with (
            self._part(named, access) as handle,
            open(handle, "w", encoding="utf-8", newline="") as file,
        ):
            yield file
            sync_file(file)

    @contextmanager
    def binary(self, named: PathLike, *, access: Access = Access.AS_USUAL) -> Iterator[IO[bytes]]:
        """Open a file of bytes that will be at ``named``."""
        with self._part(named, access) as handle, open(handle, "wb") as file:
            yield file
            sync_file(file)

    @contextmanager
    def _part(self, named: PathLike, access: Access) -> Iterator[int]:
        """Stage a file; what goes wrong with one is told with its name."""
        place = destination(named)
        if place.nowhere:
            yield os.open(os.devnull, os.O_WRONLY)
            return
        self._refuse(place)
        staged = _Staged(place, self._count, access)
        self._count += 1
        path = part_path(place.folder, self._run, staged.number)
        try:
            with defer_interrupts():
                # An interruption between making the lock and noting it would leave a lock that
                # nobody removes.
                self._enter(place.folder)
            # What replaces a file gets that one's permissions only in `_dress`, and may not be
            # readable by more people before.
            guarded = access is Access.OWNER or place.identity is not None
            mode = _FOR_OWNER if guarded else 0o666
            # O_EXCL does not follow a link, which somebody else could have put there under this
            # name.
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            if place.identity is not None:
                _dress(path, place.path, access)
            yield handle
        except BaseException as error:
            with suppress(OSError):
                os.unlink(path)
            if isinstance(error, OSError):
                raise unwritable(place.named, error.strerror or str(error)) from None
            raise
        # Once it is whole: a part whose writer failed takes no place.
        self._staged.append(staged)
        self._taken |= dict.fromkeys((place.alike, place.identity or place.alike), place.named)

    def _refuse(self, place: Destination) -> None:
        if place.identity in self._reads:
            raise InvalidArgument("output", place.named, "another file than those that are read")
        # Without an identity the second look asks for None, which `_part` never notes.
        earlier = self._taken.get(place.alike, self._taken.get(place.identity))
        if earlier is not None:
            raise InvalidArgument("output", place.named, f"another file than {earlier}")

    def _enter(self, folder: str) -> None:
        """Lock a folder, and clear what runs that ended have left there."""
        if folder in self._locks:
            return
        sweep([folder])
        first = next(iter(self._locks), folder)
        for _ in range(_TRIES):
            lock = locks.make(folder, self._run, first)
            if lock is not None:
                self._locks[folder] = lock
                return
        raise OSError("its folder changes all the time")

    def commit(self) -> None:
        """Put every file in its place, or leave every place as it was."""
        with defer_interrupts():
            if self._staged:
                self._commit()
            self._made.clear()
            self._release()

    def _commit(self) -> None:
        target = ""
        moves = []
        try:
            for staged in self._staged:
                target = staged.place.named
                # Somebody may have put something else there, or changed where a link leads.
                if destination(target).path != staged.place.path:
                    raise unwritable(target, "it leads elsewhere than before")
                moves.append(self._move(staged))
            target = ", ".join(staged.place.named for staged in self._staged)
            journal = Journal(self._run, next(iter(self._locks)), Course.FORWARD, tuple(moves))
            if len(self._locks) > 1:
                # Writing the journal syncs its own folder, and whatever is new there with it.
                for lock in self._locks.values():
                    lock.sync()
                journal.sync()
            journal.write()
            self._carry_out(journal)
        except OSError as error:
            raise unwritable(target, error.strerror or str(error)) from None

    def _move(self, staged: _Staged) -> Placement:
        place = staged.place
        after = Mark.of(part_path(place.folder, self._run, staged.number))
        if after is None:
            raise OSError("its part was taken away")
        return Placement(place.folder, place.name, staged.number, Mark.of(place.path), after)

    def _carry_out(self, journal: Journal) -> None:
        """Put files in their places; after an error, what was there."""
        # Whatever goes wrong from here on is put right by the next run, if not by this one.
        self._broken = True
        try:
            journal.carry_out()
        except BaseException:
            back = journal.turn()
            back.undo()
            back.remove()
            self._broken = False
            raise
        with suppress(OSError):
            journal.remove()
            self._broken = False

    def abort(self) -> None:
        """Remove whatever was staged and every folder that was made."""
        with defer_interrupts():
            # After a commit that broke off, parts belong to the journal, by which the next run
            # finishes.
            for staged in () if self._broken else self._staged:
                with suppress(OSError):
                    os.unlink(part_path(staged.place.folder, self._run, staged.number))
            self._staged.clear()
            self._release()
            for folder in reversed(self._made):
                with suppress(OSError):
                    os.rmdir(folder)
            self._made.clear()

    def _release(self) -> None:
        while self._locks:
            # The first folder's lock, which a journal goes by, is the last to go.
            _, lock = self._locks.popitem()
            if self._broken:
                lock.close()
            else:
                lock.remove()


def sync_file(file: IO[Any]) -> None:
    """Have the system write what is still in its memory, of a file that is one."""
    file.flush()
    # Linux refuses to sync a device, such as the null device.
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        os.fsync(file.fileno())


def _dress(path: str, target: str, access: Access) -> None:
    """Give a new file the owner and the permissions of the one whose place it takes."""
    status = os.stat(target)
    mode = stat.S_IMODE(status.st_mode)
    if access is Access.OWNER:
        mode &= _FOR_OWNER
    elif not (_same_owner(path, status) and _same_lists(path, target)):
        # Bits meant for another group, or read through a list, would admit others here.
        mode &= ~stat.S_IRWXG
    # Last, as a change of owner or of the access list changes the mode, too. Bits beyond these nine
    # would let new content run as the owner of the old.
    os.chmod(path, mode & 0o777)


def _same_owner(path: str, status: os.stat_result) -> bool:
    own_status = os.stat(path)
    if (own_status.st_uid, own_status.st_gid) == (status.st_uid, status.st_gid):
        return True
    try:
        os.chown(path, status.st_uid, status.st_gid)
    except (OSError, AttributeError):
        # Only root gives files away; if the group is the same, its bits admit the same people as
        # before.
        return own_status.st_gid == status.st_gid
    return True


def _same_lists(path: str, target: str) -> bool:
    """Take over a file's access list and further attributes, where the system has any."""
    try:
        for name in os.listxattr(target):
            os.setxattr(path, name, os.getxattr(target, name))
    except AttributeError:
        return True
    except OSError:
        return "system.posix_acl_access" not in os.listxattr(target)
    return True
