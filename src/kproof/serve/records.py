"""What a server keeps of requests and of keys: two logs without data, and a file that is watched.

A line of the access log has when, who, how, the path as it is registered, status and seconds: no
parameter, no address and no key, of which a digest says who it is. A line of the audit log has what
was asked and a digest of what was answered, so that an answer can be held against it later.
"""

import json
import os
import re
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import IO, Any

from kproof.errors import InvalidArgument, KProofError
from kproof.outputs import log_file

AUDITED = "kproof.audited"
"""Where a request keeps what was asked and answered, for the audit log."""


def read_keys(path: str) -> tuple[str, ...]:
    """Return the API keys of a file.

    Raises:
        InvalidArgument: If it has none, or one that is none; no key stands in the message.
    """
    try:
        with open(path, encoding="utf-8") as lines:
            open_to_others = os.name == "posix" and os.fstat(lines.fileno()).st_mode & 0o077
            keys = tuple(line.strip() for line in lines if line.strip())
    except (OSError, UnicodeDecodeError):
        # A key in place of its file would be printed.
        raise InvalidArgument("api_keys", None, "a file that can be read") from None
    if open_to_others:
        raise InvalidArgument("api_keys", path, "a file of mode 0600 (chmod 600)")
    # A comment that was taken for a key would be one that is easily guessed.
    if not keys or any(re.fullmatch('[!"$-~]{16,}', key) is None for key in keys):
        # Which key is wrong is not printed: it would stand in a log.
        need = "one key or more, each of 16 ASCII signs or more, without spaces and #"
        raise InvalidArgument("api_keys", path, need)
    return keys


@dataclass
class KeyFile:
    """API keys in a file, which are read again when it changes.

    A file that is wrong changes nothing: those who had keys keep them, and one line says so.
    """

    path: str
    """The file."""
    _keys: tuple[str, ...] = field(init=False, repr=False)
    _version: object = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._version = self._version_on_disk()
        self._keys = read_keys(self.path)

    def __call__(self) -> tuple[str, ...]:
        """Return the keys that are accepted now."""
        version = self._version_on_disk()
        if version != self._version:
            # Before the keys are read: a file that changes in between is read again the next time.
            self._version = version
            try:
                self._keys = read_keys(self.path)
            except InvalidArgument as error:
                sys.stderr.write(f"kproof: the keys stay as they were: {error}\n")
        return self._keys

    def _version_on_disk(self) -> object:
        with suppress(OSError):
            there = os.stat(self.path)
            return there.st_ino, there.st_mtime_ns, there.st_size, there.st_mode
        return None


def digest(key: str) -> str:
    """Return what stands for a key in a log."""
    return sha256(key.encode()).hexdigest()[:12]


@dataclass
class RequestLog:
    """A log of JSON lines; opened again after ``SIGHUP``, for whoever rotates it."""

    path: str
    """The file, or ``-`` for the standard error."""
    _file: IO[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._file = sys.stderr if self.path == "-" else log_file(self.path)

    def write(self, line: Mapping[str, Any]) -> None:
        """Write a line; a log that finds no room does not keep an answer from leaving."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        with suppress(OSError):
            self._file.write(json.dumps({"at": at, **line}) + "\n")
            self._file.flush()

    def reopen(self) -> None:
        """Open the file again by its name."""
        if self.path != "-":
            with suppress(OSError, KProofError):
                # If it cannot be opened nothing is assigned, and lines go on to the former file.
                before, self._file = self._file, log_file(self.path)
                before.close()


def reopen_on_signal(*logs: RequestLog) -> None:
    """Open logs again whenever the process gets ``SIGHUP``, which then does not end it."""

    def reopen(*_: object) -> None:
        for log in logs:
            log.reopen()

    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, reopen)
