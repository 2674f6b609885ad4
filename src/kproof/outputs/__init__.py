"""The one gate for every write: a set of files is written whole, or not at all.

Every command and every function that writes goes through here (``tests/outputs/test_contract.py``
holds the source to that). What is promised:

- No output is an input, and no two outputs are one file, through links and spellings too.
- Destinations are checked before work starts; of special files only the null device is accepted.
- Files are written beside their destinations, put on the disk, and only then renamed. A set has
  taken its places altogether or not at all, also when the process is killed or the disk is full:
  the next run that writes to one of the folders finishes what was broken off.
- A file that is replaced keeps its permissions and owner, and a symbolic link still leads to it. Of
  a file with several names (hard links) the one that was named is replaced; the others keep what
  they had.
- What is for its owner only is so from the first byte.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile, mkdtemp
from typing import IO

from kproof.errors import DataError, InvalidArgument
from kproof.outputs.destinations import (
    FileIdentity,
    PathLike,
    check_folder,
    destination,
    identities,
    refuse_clashes,
    tell_unwritable,
)
from kproof.outputs.journal import sweep, sync_folder
from kproof.outputs.printed import is_standard_output, take_standard_output
from kproof.outputs.printed import standard_output as standard_output
from kproof.outputs.transaction import Access as Access
from kproof.outputs.transaction import Transaction, sync_file

_CURRENT: ContextVar[Transaction | None] = ContextVar("current", default=None)


@dataclass(frozen=True, slots=True)
class Outputs:
    """What a command will write, checked before it starts to work; from :func:`check_outputs`."""

    reads: frozenset[FileIdentity]

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let whatever is written inside take its place at the end, all of it or none."""
        with together(self.reads):
            yield


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that files are written to; it is made if it is not there."""

    path: PathLike | None
    """The folder; None if none was asked for."""
    names: tuple[str, ...] = ()
    """Those of the files."""


def check_outputs(
    files: Mapping[str, PathLike | None],
    *,
    folders: Mapping[str, Folder] | None = None,
    reads: Iterable[PathLike | None] = (),
) -> Outputs:
    """Check what a command is to write, before it starts to work.

    What a run that was killed left in those folders is finished, undone or removed. Files and
    folders that are to be written come by the option that names them; None is left out, and of what
    is read whatever is no file. A destination that is an input or another destination, also through
    links, raises InvalidArgument; one that cannot be written, DataError.

    >>> check_outputs({"output": "nowhere/a.csv"})
    Traceback (most recent call last):
        ...
    kproof.errors.DataError: nowhere/a.csv: cannot be written: there is no folder nowhere
    """
    if any(file is not None and is_standard_output(os.fspath(file)) for file in files.values()):
        take_standard_output()
    destinations = {name: destination(file) for name, file in files.items() if file is not None}
    homes = [place.folder for place in destinations.values() if not place.nowhere]
    for option, folder in (folders or {}).items():
        if folder.path is None:
            continue
        check_folder(folder.path)
        homes.append(os.path.realpath(folder.path))
        for name in folder.names:
            path = os.path.join(folder.path, name)
            destinations[f"{option}, {name}"] = destination(path, within=folder.path)
    inputs = identities(reads)
    # Before folders are swept: a command that is refused leaves them as they are.
    refuse_clashes(destinations, inputs)
    sweep(dict.fromkeys(homes))
    return Outputs(inputs)


@contextmanager
def together(reads: frozenset[FileIdentity] = frozenset()) -> Iterator[Transaction]:
    """Let whatever is written inside take its place at the end, all of it or none.

    Inside another ``together``, files take their places at the end of the outer one.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with together():
    ...         write_text(f"{folder}/a", "1")
    ...         write_text(f"{folder}/b", "2")
    ...         before = [name for name in os.listdir(folder) if name[0] != "."]
    ...     before, sorted(os.listdir(folder))
    ([], ['a', 'b'])
    """
    outer = _CURRENT.get()
    if outer is not None:
        yield outer
        return
    transaction = Transaction(reads)
    token = _CURRENT.set(transaction)
    try:
        yield transaction
        transaction.commit()
    # An interruption leaves parts behind as well as an error does.
    except BaseException:
        transaction.abort()
        raise
    finally:
        _CURRENT.reset(token)


@contextmanager
def replace_file(path: PathLike, *, access: Access = Access.AS_USUAL) -> Iterator[IO[str]]:
    """Open a text file in UTF-8 that takes the place of ``path`` when it is whole, and not before.

    Where it cannot be written, DataError is raised, and what was there before is unchanged: that
    holds of every function here.
    """
    with together() as run, run.text(path, access=access) as file:
        yield file


def write_text(path: PathLike, text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with replace_file(path) as file:
        file.write(text)


def write_bytes(path: PathLike, data: bytes) -> None:
    """Write a file of bytes, such as an image, whole or not at all."""
    with together() as run, run.binary(path) as file:
        file.write(data)


def write_folder(folder: PathLike, files: Mapping[str, str | bytes]) -> tuple[Path, ...]:
    """Write files to a folder, which is made if it is not there: all of them or none.

    What is in each comes by its name, which may name a folder in the folder. Returns them in order.
    """
    home = Path(folder)
    with together() as run:
        for inner in dict.fromkeys([home, *((home / name).parent for name in files)]):
            run.folder(inner)
        for name, data in files.items():
            if isinstance(data, str):
                write_text(home / name, data)
            else:
                write_bytes(home / name, data)
    return tuple(home / name for name in files)


def append_line(path: PathLike, line: bytes) -> None:
    """Add a whole line to a log, in the place of one that was not finished."""
    with together() as run:
        run.folder(os.path.dirname(os.path.realpath(path)))
    place = destination(path)
    if place.nowhere:
        return
    with tell_unwritable(path), open(place.path, "ab+") as file:
        file.seek(0)
        # What stands after the last line break is of a run that was ended; without any break
        # `rfind` is -1, and all of it goes.
        file.truncate(file.read().rfind(b"\n") + 1)
        file.write(line + b"\n")
        sync_file(file)


def log_file(path: PathLike) -> IO[str]:
    """Open a log, to which lines are added and which nobody but its owner may read."""
    with tell_unwritable(path):
        if os.path.isfile(path):
            # The mode given to `os.open` counts for a new file only.
            os.chmod(path, 0o600)
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    return os.fdopen(handle, "a", encoding="utf-8", buffering=1)


def close_to_others(path: PathLike, *, name: str) -> None:
    """Let nobody but its owner read or write a file, if it is there already.

    Raises:
        InvalidArgument: If it is somebody else's; ``name`` is what it was asked for by.
    """
    try:
        if os.path.isfile(path):
            os.chmod(path, 0o600)
    except OSError as error:
        need = f"a file of your own, which others cannot read: {error.strerror}"
        raise InvalidArgument(name, str(path), need) from None


def write_new(path: PathLike, text: str) -> None:
    """Write a text file where none is yet, readable by its owner only."""
    if os.path.lexists(path):
        raise DataError(f"{os.fspath(path)}: is there already")
    with replace_file(path, access=Access.OWNER) as file:
        file.write(text)


def write_scratch(path: PathLike, text: str) -> None:
    """Write a text file in a temporary folder of one's own, which nobody will miss."""
    # No translation: on Windows each line break would become two signs.
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def scratch_folder(beside: PathLike) -> str:
    """Make a temporary folder of one's own beside a file or folder; return its path."""
    with tell_unwritable(beside):
        # Not in the system's folder for such things: a rename works within one file system.
        return mkdtemp(prefix="kproof-", dir=os.path.dirname(os.path.abspath(beside)))


def scratch(path: PathLike) -> IO[bytes]:
    """Open a file for writing in a temporary folder of one's own."""
    return open(path, "wb")


def open_unnamed() -> IO[bytes]:
    """Open a file without a name, for writing and reading; it is gone with the process."""
    return TemporaryFile()


def make_scratch(folder: PathLike) -> None:
    """Make a temporary folder of one's own by its name, which nobody else has chosen."""
    os.mkdir(folder, 0o700)


def rename_scratch(path: PathLike, name: str) -> None:
    """Give a file in a temporary folder of one's own another name in the same folder."""
    os.rename(path, os.path.join(os.path.dirname(os.fspath(path)), name))


def remove_scratch(folder: PathLike) -> None:
    """Remove a temporary folder that ``kproof`` made, and what is in it as far as possible."""
    # What follows removes a tree without asking, and a caller's slip could name a folder of the
    # user.
    if not os.path.basename(os.fspath(folder)).startswith("kproof-"):
        raise DataError(f"{os.fspath(folder)}: is no temporary folder of kproof")
    shutil.rmtree(folder, ignore_errors=True)


def publish_folder(files: Mapping[str, PathLike], folder: PathLike) -> None:
    """Put files from a temporary folder of one's own into a new folder, which appears whole.

    Where each is comes by the name it is to have: all in one folder, on the file system of the new
    one, which is not there yet, or empty.
    """
    first = os.path.dirname(os.fspath(next(iter(files.values()))))
    staged = os.path.join(first, "whole")
    with tell_unwritable(folder):
        os.mkdir(staged)
        for name, path in files.items():
            os.rename(path, os.path.join(staged, name))
        sync_folder(staged)
        # A folder takes the place of one that is empty, and of no other.
        os.rename(staged, folder)
        sync_folder(os.path.dirname(os.path.realpath(folder)))


def nowhere() -> IO[str]:
    """Open the null device, for what nobody is to read."""
    return open(os.devnull, "w", encoding="utf-8")
