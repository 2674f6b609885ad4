"""How a set of files takes its place: all of them or none, whenever the process ends.

Once every file is whole beside its destination, a journal says which is to go where; when it is
there, the set counts as written. A run that ends before leaves parts, which the next run removes;
one that ends later leaves the journal, by which the next run finishes. A run that meets an error
while it puts files in their places renames the journal first, which takes no room on a full disk,
and then restores what was there. Every step may be taken twice.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from kproof.errors import DataError
from kproof.outputs import locks

SCHEMA = 1

_OWN = re.compile(
    rf"{re.escape(locks.PREFIX)}([0-9a-f]{{16}})\.(lock|forward|back|draft|\d+\.(?:part|old))"
)
"""What files of a run are called."""


class Course(StrEnum):
    """What is to become of a set of files."""

    FORWARD = "forward"
    BACK = "back"


@dataclass(frozen=True, slots=True)
class Mark:
    """A file at a moment: another one, or one that was changed since, has another mark."""

    inode: int
    size: int
    changed: int

    @classmethod
    def of(cls, path: str) -> Mark | None:
        """Return the mark of what is there; None if nothing is."""
        try:
            # Not `stat`: a link that somebody put in the place is not the file that it leads to.
            status = os.lstat(path)
        except FileNotFoundError:
            return None
        return cls(status.st_ino, status.st_size, status.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class Placement:
    """One file on its way to its place."""

    folder: str
    name: str
    """The place."""
    number: int
    """Of the file in its run, which its part and what it replaces are called by."""
    before: Mark | None
    """What was in the place; None if nothing was."""
    after: Mark
    """The new file."""

    @property
    def target(self) -> str:
        """The path of the place."""
        return os.path.join(self.folder, self.name)

    def part(self, run: str) -> str:
        """Return the path of the new file while it is not in its place."""
        return part_path(self.folder, run, self.number)

    def old(self, run: str) -> str:
        """Return the path at which what was there before is kept."""
        return _path(self.folder, run, f"{self.number}.old")

    def forward(self, run: str) -> None:
        """Put the new file in its place, and keep what was there."""
        if self.before is not None:
            try:
                # A second name and not a rename, so that readers find a file in the place at every
                # moment.
                os.link(self.target, self.old(run))
            except OSError:  # a file system without links: for a moment nothing is in the place
                os.rename(self.target, self.old(run))
        os.replace(self.part(run), self.target)

    def finish(self, run: str) -> None:
        """Put the new file in its place after another process began to; once is as good as twice.

        What somebody changed in the meantime is newer than the new file, and stays.
        """
        mark = Mark.of(self.target)
        # Nothing is in the place if nothing ever was, or if the process ended between the two
        # renames of a file system without links.
        if Mark.of(self.part(run)) is not None and (mark is None or mark == self.before):
            os.replace(self.part(run), self.target)

    def back(self, run: str) -> None:
        """Restore what was there, unless somebody else has put something in the place since."""
        old, mark = self.old(run), Mark.of(self.target)
        # With a file before and no `old`, this move had not begun, and its place is as it was.
        if Mark.of(old) is not None and mark in (None, self.after):
            os.replace(old, self.target)
        elif self.before is None and mark == self.after:
            os.unlink(self.target)


@dataclass(frozen=True, slots=True)
class Journal:
    """A set of files on its way; every method raises OSError where the disk refuses."""

    run: str
    """The run they are of."""
    folder: str
    """Where the journal is."""
    course: Course
    """Where they are going."""
    moves: tuple[Placement, ...]
    """One for each file."""

    @property
    def path(self) -> str:
        """The file, whose name tells the course."""
        return _path(self.folder, self.run, self.course)

    @property
    def folders(self) -> tuple[str, ...]:
        """Every folder that has to do with it."""
        return tuple(dict.fromkeys([self.folder, *(move.folder for move in self.moves)]))

    def write(self) -> None:
        """Put the journal on the disk, whole or not at all."""
        draft = _path(self.folder, self.run, "draft")
        try:
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(handle, "w", encoding="utf-8") as file:
                json.dump({"schema": SCHEMA, "moves": [asdict(move) for move in self.moves]}, file)
                file.flush()
                os.fsync(handle)
            os.replace(draft, self.path)
            sync_folder(self.folder)
        except BaseException:
            # The journal too: where its folder cannot be synced the set is told as not written, and
            # a journal that stays would have the next run write it.
            for path in (draft, self.path):
                with suppress(OSError):
                    os.unlink(path)
            raise

    @classmethod
    def read(cls, folder: str, run: str) -> Journal | None:
        """Return a run's journal; None if there is none.

        What is no journal raises ValueError, KeyError or TypeError.
        """
        for course in (Course.BACK, Course.FORWARD):
            with suppress(FileNotFoundError), open(_path(folder, run, course), "rb") as file:
                # Asked of the open file: what the path leads to may be exchanged between two looks.
                if locks.own(os.fstat(file.fileno())):
                    return cls(run, folder, course, _moves(json.load(file)))
        return None

    def carry_out(self) -> None:
        """Put every file in its place."""
        for move in self.moves:
            move.forward(self.run)
        self.sync()

    def turn(self) -> Journal:
        """Change the course, so that whoever has to go on knows that the way is back now."""
        back = replace(self, course=Course.BACK)
        os.replace(self.path, back.path)
        sync_folder(self.folder)
        return back

    def undo(self) -> None:
        """Restore what was in every place."""
        for move in reversed(self.moves):
            move.back(self.run)
        self.sync()

    def recover(self) -> None:
        """Go on where a process ended."""
        if self.course is Course.BACK:
            self.undo()
            return
        for move in self.moves:
            move.finish(self.run)
        self.sync()

    def sync(self) -> None:
        """Put on the disk what files are called in every folder."""
        for folder in self.folders:
            sync_folder(folder)

    def remove(self) -> None:
        """Remove it, and then whatever the run left behind but its locks."""
        # Not synced: a journal that comes back after a power failure finds nothing left to do.
        with suppress(FileNotFoundError):
            os.unlink(self.path)
        for move in self.moves:
            for path in (move.part(self.run), move.old(self.run)):
                with suppress(FileNotFoundError):
                    os.unlink(path)


def part_path(folder: str, run: str, number: int) -> str:
    """Return where a file of a run is while it is not in its place."""
    return _path(folder, run, f"{number}.part")


def sync_folder(folder: str) -> None:
    """Put on the disk what files in a folder are called; Windows does so by itself."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sweep(folders: Iterable[str]) -> None:
    """Finish or undo what runs that ended left in these folders, and remove their left-overs."""
    for folder in folders:
        for run in _runs(folder):
            lock = locks.take(folder, run)
            if lock is not None:
                _clear(lock)


def _path(folder: str, run: str, kind: str) -> str:
    return os.path.join(folder, f"{locks.PREFIX}{run}.{kind}")


def _runs(folder: str) -> Sequence[str]:
    """Return the runs that have a lock in a folder."""
    try:
        names = os.listdir(folder)
    except OSError:
        return ()
    matches = map(_OWN.fullmatch, sorted(names))
    return [match[1] for match in matches if match and match[2] == "lock"]


def _clear(lock: locks.Lock) -> None:
    """Recover a run whose lock in one of its folders was taken over."""
    folder = lock.journal_in() or lock.folder
    stale = None
    try:
        if folder != lock.folder:
            # The lock of the journal's folder decides who recovers; whoever has it clears all.
            stale = locks.take(folder, lock.run)
            if stale is None and os.path.exists(locks.lock_path(folder, lock.run)):
                lock.close()
                return
        _recover(folder, lock.run)
    except BaseException:
        lock.close()
        if stale is not None:
            stale.close()
        raise
    if stale is not None:
        _remove(stale)
    _remove(lock)


def _recover(folder: str, run: str) -> None:
    try:
        journal = Journal.read(folder, run)
        if journal is None:
            return
        journal.recover()
        journal.remove()
    # RecursionError: a file of this name may hold JSON that is nested deeper than the parser goes.
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or "no journal is there"
        raise DataError(
            f"{_path(folder, run, '*')}: files of a run that was broken off cannot be put in their"
            f" places: {reason}; remove these files to leave the places as they are"
        ) from None
    for folder_lock in journal.folders:
        if folder_lock != folder and (lock := locks.take(folder_lock, run)) is not None:
            _remove(lock)


def _moves(document: dict[str, Any]) -> tuple[Placement, ...]:
    if document["schema"] != SCHEMA:
        raise ValueError(f"schema {document['schema']}")
    moves = []
    for move in document["moves"]:
        before = None if move["before"] is None else Mark(**move["before"])
        # A member too many or too few raises: a journal of another form is not half obeyed.
        moves.append(Placement(**move | {"before": before, "after": Mark(**move["after"])}))
    return tuple(moves)


def _remove(lock: locks.Lock) -> None:
    """Remove what a run left in a folder, the lock last."""
    with suppress(OSError):
        for name in os.listdir(lock.folder):
            match = _OWN.fullmatch(name)
            path = os.path.join(lock.folder, name)
            if match and match[1] == lock.run and path != lock.path:
                with suppress(OSError):
                    os.unlink(path)
    lock.remove()
