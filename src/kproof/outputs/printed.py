"""Standard output as a file, typed as ``-``: the document alone, with notices on standard error.

Until a command has ended, what it writes there is a file in a folder of its own, so that it is
printed whole or not at all, like any output.
"""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from contextvars import ContextVar
from tempfile import TemporaryDirectory

STREAM = "<->"
"""What commands call standard input and output, typed as ``-``; ``./-`` is a file of that name."""


class _Printed:
    """Where what is to be printed is kept, once somebody asks for it."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.path: str | None = None

    def take(self) -> None:
        """From now on whatever else is printed goes to standard error."""
        if self.path is None:
            folder = self._stack.enter_context(TemporaryDirectory(prefix="kproof-"))
            self.path = os.path.join(os.path.realpath(folder), "output")
            self._stack.enter_context(redirect_stdout(sys.stderr))


_CURRENT: ContextVar[_Printed | None] = ContextVar("printed", default=None)


@contextmanager
def standard_output() -> Iterator[None]:
    """Let an output called :data:`STREAM` be standard output, printed if all went well."""
    with ExitStack() as stack:
        printed = _Printed(stack)
        token = _CURRENT.set(printed)
        stdout = sys.stdout
        try:
            yield
        finally:
            _CURRENT.reset(token)
        # Not in the `finally`: after an error nothing is printed.
        if printed.path is not None and os.path.exists(printed.path):
            with open(printed.path, "rb") as file:
                data = file.read()
            if isinstance(stdout, io.TextIOWrapper):
                # The wrapper may hold text that was printed earlier; bytes that pass it by would
                # come first.
                stdout.flush()
                stdout.buffer.write(data)
            elif stdout is not None:  # such as a notebook's
                stdout.write(data.decode("utf-8", "replace"))


def take_standard_output() -> None:
    """Keep standard output for an output called :data:`STREAM`."""
    current = _CURRENT.get()
    if current is not None:
        current.take()


def place_of(named: str) -> str:
    """Return the file that an output is written to: itself, unless it is standard output."""
    current = _CURRENT.get()
    if named != STREAM or current is None or current.path is None:
        return named
    return current.path


def is_standard_output(named: str) -> bool:
    """Say whether a name is that of standard output; without a command it is a file's."""
    return named == STREAM and _CURRENT.get() is not None
