"""The line on which a terminal shows what a command is doing, written over and away at the end.

Nothing is shown where nobody waits: what a script finds on stderr must not depend on how busy the
machine was.
"""

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from shutil import get_terminal_size
from time import monotonic
from typing import TextIO

from kproof.errors import printable
from kproof.stages import listen

DELAY = 0.5
"""Seconds before the first stage is shown: most commands are done by then."""

OFTEN = 0.1
"""Seconds between two lines, at least."""

TICK = 0.2
"""Seconds after which the line is looked at, whether or not something was said."""

PATIENCE = 1.0
"""Seconds after which a stage that says nothing new says how long it has been at it."""


class StatusLine:
    """One line of a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._stage: tuple[str, int, int | None] = ("", 0, None)
        self._begun = monotonic()
        self._first = self._begun + DELAY
        self._last = -OFTEN
        self._shown = ""
        # Whoever is interrupted while it holds the line comes back to take it away.
        self._own = threading.RLock()
        self._over = threading.Event()
        self._watcher: threading.Thread | None = None

    def hear(self, name: str, done: int, total: int | None) -> None:
        """Take what is being done, and show it unless that was done just now."""
        now = monotonic()
        with self._own:
            if name != self._stage[0]:
                self._begun = now
            self._stage = (name, done, total)
            if not name:
                self._write("")
            elif now >= self._first and now - self._last >= OFTEN:
                self._show(now)
        if name and self._watcher is None:
            self._watcher = threading.Thread(target=self._watch, daemon=True)
            self._watcher.start()

    def end(self) -> None:
        """Take the line away for good."""
        # In this order: the watcher must not write once more after the line was taken away.
        self._over.set()
        self.hear("", 0, None)
        if self._watcher is not None:
            self._watcher.join()

    def above(self, text: str) -> None:
        """Write a line that stays."""
        with self._own:
            self._write("")
            self._stream.write(f"{text}\n")
            self._stream.flush()

    def _watch(self) -> None:
        """Show what came too fast to be shown, and for how long nothing new has come."""
        while not self._over.wait(TICK):
            now = monotonic()
            with self._own:
                if self._stage[0] and now >= self._first and not self._over.is_set():
                    self._show(now)

    def _show(self, now: float) -> None:
        name, done, total = self._stage
        if total is None:
            share = f", {done:,} so far" if done else ""
        else:
            share = f", {done:,} of {total:,}"
        if total:
            share += f" ({100 * done // total} %)"
        seconds = now - self._begun
        if seconds >= PATIENCE:
            share += f", {seconds:.0f} s"
        self._write(_clip(name, share, _width(self._stream)))
        self._last = now

    def _write(self, text: str) -> None:
        if text == self._shown:
            return
        # A terminal that went away is no reason to stop working.
        with suppress(OSError, ValueError):
            self._stream.write(f"\r\x1b[2K{text}")
            self._stream.flush()
        self._shown = text


def _clip(name: str, share: str, width: int) -> str:
    """Return a stage with its share, the name clipped so that a line has room for both.

    >>> _clip("reading a-file-with-a-long-name.csv", ", 1 of 2 (50 %)", 40)
    'reading a-file-with-a-l…, 1 of 2 (50 %)'
    """
    from rich.cells import cell_len, set_cell_size

    plain = "".join(letter if letter.isprintable() else "?" for letter in name)
    # The last column stays free: some terminals begin a new line after it.
    room = max(width - 1 - cell_len(share), 8)
    if cell_len(plain) > room:
        plain = set_cell_size(plain, room - 1).rstrip() + "…"
    return plain + share


_CURRENT: ContextVar[StatusLine | None] = ContextVar("line", default=None)


@contextmanager
def status_line(words: Sequence[str]) -> Iterator[None]:
    """Show on stderr what a command is doing, if somebody waits there.

    With ``--json`` for another program nobody is shown anything.
    """
    stream = sys.stderr
    piped = "--json" in words and not _is_terminal(sys.stdout)
    if piped or not _is_terminal(stream) or os.environ.get("TERM") == "dumb":
        yield
        return
    line = StatusLine(stream)
    token = _CURRENT.set(line)
    try:
        with listen(line.hear):
            yield
    finally:
        _CURRENT.reset(token)
        line.end()


def say_above(text: str) -> None:
    """Write a line that stays to stderr, if that is a terminal; with ``--json``, too."""
    line = _CURRENT.get()
    if sys.stderr is None or not _is_terminal(sys.stderr):
        return
    lines = "\n".join(lines_on(text, sys.stderr))
    if line is not None:
        line.above(lines)
    else:
        print(lines, file=sys.stderr, flush=True)


def tell(line: str) -> None:
    """Write a line of kproof's to stderr."""
    if sys.stderr is not None:
        for part in lines_on(f"kproof: {printable(line)}", sys.stderr):
            sys.stderr.write(f"{part}\n")


def lines_on(text: str, stream: TextIO) -> list[str]:
    """Return a text as the lines that it has on a terminal; elsewhere it is one line."""
    if not _is_terminal(stream):
        return [text]
    from kproof.cli.base.narrow import fold

    return fold(text, _width(stream))


def _width(stream: TextIO) -> int:
    with suppress(OSError, ValueError, AttributeError):
        return os.get_terminal_size(stream.fileno()).columns or get_terminal_size().columns
    return get_terminal_size().columns


def _is_terminal(stream: TextIO | None) -> bool:
    with suppress(ValueError):  # a stream that is closed
        return stream is not None and stream.isatty()
    return False
