"""Where a file may go: what is told of a destination before any work is done."""

import os
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeAlias

from kproof.errors import DataError, InvalidArgument, show
from kproof.outputs.printed import is_standard_output, place_of

PathLike: TypeAlias = str | os.PathLike[str]

_KINDS = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """What tells a file from others, whatever it is called."""

    device: int
    inode: int


@dataclass(frozen=True, slots=True)
class Destination:
    """A place that a file can be written to."""

    named: str
    """As the caller wrote it, for messages."""
    path: str
    """Absolute and without symbolic links: a link stays, and what it leads to is written."""
    identity: FileIdentity | None
    """Of the file that is there; None if there is none."""

    @property
    def folder(self) -> str:
        """The folder the file is in."""
        return os.path.dirname(self.path)

    @property
    def name(self) -> str:
        """The name of the file in its folder."""
        return os.path.basename(self.path)

    @property
    def nowhere(self) -> bool:
        """Whether this is the null device, which keeps nothing."""
        return self.path == os.path.realpath(os.devnull)

    @property
    def alike(self) -> str:
        """The path as file systems see it that tell neither case nor composition apart."""
        return unicodedata.normalize("NFC", self.path).casefold()


def destination(named: PathLike, *, within: PathLike | None = None) -> Destination:
    """Return where a file goes, or say in one line why it cannot.

    ``within`` is a folder that will be made, so that it need not be there yet. Refused are folders,
    FIFOs, sockets, devices other than the null device, and what may not be written.
    """
    text = os.fspath(named)
    try:
        with tell_unwritable(text):
            return _destination(text, None if within is None else os.fspath(within))
    except DataError:
        raise
    except ValueError as error:  # a NUL in the name
        raise unwritable(show(text), str(error)) from None


def unwritable(named: str, reason: str) -> DataError:
    """Return the error of a file that cannot be written."""
    return DataError(f"{named}: cannot be written: {reason}")


@contextmanager
def tell_unwritable(named: PathLike) -> Iterator[None]:
    """Tell of an error of the system as one of a file that cannot be written."""
    try:
        yield
    except OSError as error:
        raise unwritable(os.fspath(named), error.strerror or str(error)) from None


def folder_error(named: str, reason: str) -> DataError:
    """Return the error of a folder that cannot be made or written to."""
    return DataError(f"{named}: cannot be made: {reason}")


def _destination(text: str, within: str | None) -> Destination:
    path = os.path.realpath(place_of(text))
    if not text:
        raise unwritable("''", "need the name of a file")
    if path == os.path.realpath(os.devnull):
        return Destination(text, path, None)
    # The text, since `realpath` drops the separator: `results/` means a folder even where none is.
    if text.endswith((os.sep, os.altsep or os.sep)):
        raise unwritable(text, "is a folder")
    try:
        status = os.stat(path)
    except FileNotFoundError:
        status = None
    except NotADirectoryError:
        raise unwritable(text, f"{_nearest(path)} is no folder") from None
    if status is not None:
        if stat.S_ISDIR(status.st_mode):
            raise unwritable(text, "is a folder")
        if not stat.S_ISREG(status.st_mode):
            kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
            raise unwritable(text, f"is {kind}, not a file")
        # A rename asks for rights to the folder only, and would replace a file that its owner
        # protects.
        if not os.access(path, os.W_OK):
            raise unwritable(text, "it may not be changed (Permission denied)")
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        if within is None:
            raise unwritable(text, f"there is no folder {os.path.dirname(text) or folder}")
        check_folder(within)
    elif not os.access(folder, os.W_OK | os.X_OK):
        raise unwritable(text, f"nothing may be written to {folder} (Permission denied)")
    return Destination(text, path, None if status is None else identity_of(status))


def check_folder(named: PathLike) -> None:
    """Say in one line why a folder cannot be made, or files not be written there."""
    text = os.fspath(named)
    if is_standard_output(text):
        raise folder_error(text, "standard output takes one file and no folder; need its name")
    try:
        existing = _nearest(os.path.realpath(text))
    except (OSError, ValueError) as error:
        raise folder_error(show(text), getattr(error, "strerror", "") or str(error)) from None
    if not os.path.isdir(existing):
        blocking = "it" if existing == os.path.realpath(text) else existing
        raise folder_error(text, f"{blocking} is no folder")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise folder_error(text, f"nothing may be written to {existing} (Permission denied)")


def _nearest(path: str) -> str:
    """Return the nearest of a path and what is above it that is there."""
    # The root is its own parent, and ends the walk where even that is missing, as a drive of
    # Windows.
    while not os.path.lexists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return path


def identity_of(there: os.stat_result) -> FileIdentity:
    """Return what tells a file from others."""
    return FileIdentity(there.st_dev, there.st_ino)


def identities(reads: Iterable[PathLike | None]) -> frozenset[FileIdentity]:
    """Return what tells files that are read from others; what is no file is left out."""
    read_files = set()
    for file in reads:
        if file is not None:
            # Else a shipped table's name, or an error of the reader's.
            with suppress(OSError, ValueError):
                read_files.add(identity_of(os.stat(file)))
    return frozenset(read_files)


def refuse_clashes(files: Mapping[str, Destination], reads: frozenset[FileIdentity]) -> None:
    """Refuse a destination that is read, and two that are one, through links or spellings too.

    Files come by the option that names each.
    """
    option_of: dict[object, str] = {}
    for option, place in files.items():
        if place.nowhere:
            continue
        if place.identity in reads:
            raise InvalidArgument(option, place.named, "another file than those that are read")
        # Two names of one file on the disk, or names that only case tells apart.
        for key in (place.identity, place.alike):
            if key is not None and (earlier := option_of.setdefault(key, option)) is not option:
                raise InvalidArgument(option, place.named, f"another file than the {earlier}")
