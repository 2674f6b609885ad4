"""Opening text files as people export them: compressed, and in whatever encoding they say.

An encoding is never guessed. A byte-order mark states it; without one a file is UTF-8, and if it
is not, the error says which option names another.
"""

import bz2
import codecs
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

from kproof.datasets.limits import Allowance
from kproof.errors import DataError, InvalidArgument, KProofError, show, spell
from kproof.piped import read_piped

_Opened = gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile | io.FileIO
_OPENERS: Mapping[str, Callable[[str], _Opened]] = {
    ".gz": gzip.GzipFile,
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}
"""What reads a file of each ending; any other is a plain file."""

_BETWEEN_CELLS = (b",", b";", b"\t", b"\n")

_PACKED = {".gz": b"\x1f\x8b", ".xz": b"\xfd7zXZ\x00"}
"""How compressed files begin that no text begins like."""

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte-order marks; that of UTF-32 begins with that of UTF-16."""

_DAMAGED = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error)


def check_encoding(encoding: str | None) -> str | None:
    """Check the name of an encoding; None is for what the file itself says.

    >>> check_encoding("Latin1"), check_encoding(None)
    ('Latin1', None)
    >>> check_encoding("ebcdic")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: encoding = ebcdic: need an encoding of text, such as utf-8,
    utf-16, cp1252 or latin-1
    """
    if encoding is None:
        return None
    try:
        # Codecs that are not of text, such as base64, have names, too, and fail only when they are
        # used.
        "".encode(encoding).decode(encoding)
    except (LookupError, UnicodeError, ValueError, TypeError):
        admissible = "an encoding of text, such as utf-8, utf-16, cp1252 or latin-1"
        raise InvalidArgument("encoding", encoding, admissible) from None
    return encoding


@contextmanager
def open_text(path: str, encoding: str | None = None) -> Iterator[IO[str]]:
    """Open a text file, which may be compressed (``.gz``, ``.bz2``, ``.xz``).

    Without an encoding it is what its byte-order mark says, UTF-8 if it has none. What cannot be
    read or decoded, also while it is being read, raises DataError; what is not there,
    FileNotFoundError.
    """
    codec = check_encoding(encoding)
    suffix = next((ending for ending in _OPENERS if path.lower().endswith(ending)), "")
    contents = read_piped(path)
    try:
        with (
            _OPENERS.get(suffix, io.FileIO)(path)
            if contents is None
            else io.BytesIO(contents) as raw,
            io.BufferedReader(_Measured(raw, path) if suffix else raw) as file,
        ):
            # No mark and no magic number is longer; what is peeked at is still there to be read.
            start = file.peek(6)[:6]
            packed = [ending for ending, magic in _PACKED.items() if start.startswith(magic)]
            if packed and not suffix:
                raise DataError(
                    f"{path}: it is compressed, though its name does not say so; need a name that "
                    f"ends in {packed[0]}"
                )
            marked = next((name for mark, name in _MARKS if start.startswith(mark)), None)
            if codec is not None and marked is not None and _family(codec) != _family(marked):
                raise DataError(
                    f"{path}: its byte-order mark is that of {_family(marked)}, not {codec}; "
                    f"leave {spell('encoding')} out"
                )
            # The mark's codec goes first, as it skips the mark, which utf-16-le leaves in the first
            # cell.
            with io.TextIOWrapper(file, marked or codec or "utf-8", newline="") as text:
                yield text
    except UnicodeDecodeError as error:
        byte = f"0x{error.object[error.start]:02x}"
        # `marked` has a value here: nothing is decoded before it gets one.
        if codec is None and marked is None:
            raise DataError(
                f"{path}: byte {byte} is not UTF-8; save the file as UTF-8, or say its encoding: "
                f"{spell('encoding', 'cp1252')} (Windows, Western Europe) or latin-1"
            ) from None
        raise DataError(f"{path}: byte {byte} is not {codec or _family(str(marked))}") from None
    except UnicodeError as error:
        raise DataError(f"{path}: is not {codec or 'UTF-8'} text: {error}") from None
    except (KProofError, FileNotFoundError):
        raise
    except _DAMAGED:
        raise DataError(f"{show(path)}: cannot be read: not a whole {suffix} file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        # What bz2 raises of damaged data is an error of no system.
        if suffix and isinstance(error, OSError) and error.errno is None:
            reason = f"not a whole {suffix} file"
        raise DataError(f"{show(path)}: cannot be read: {reason}") from None


class _Measured(io.RawIOBase):
    """What is unpacked of a file, counted as it is read.

    Each separator is taken for a cell, before anybody makes one of it.
    """

    def __init__(self, raw: Any, path: str) -> None:
        self._raw, self._allowance = raw, Allowance.of(path, f"{path}: ")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Read a piece, unless the file was to stand for too much with it."""
        count: int = self._raw.readinto(buffer)
        piece = bytes(buffer[:count])
        self._allowance.count(decoded=count, cells=sum(map(piece.count, _BETWEEN_CELLS)))
        return count


def _family(encoding: str) -> str:
    """Return a name that encodings share which differ in their byte-order mark alone."""
    name = codecs.lookup(encoding).name
    marked = [family for family in ("utf-8", "utf-16", "utf-32") if name.startswith(family)]
    return marked[0] if marked else name
