"""What somebody's code prints is no part of what the command prints that runs it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from typing import TextIO

from kproof.outputs import nowhere

_OUTPUT: ContextVar[TextIO | None] = ContextVar("output", default=None)


@contextmanager
def silence() -> Iterator[None]:
    """Keep what is printed from standard output, but for what :func:`own_output` lets through."""
    token = _OUTPUT.set(sys.stdout)
    try:
        # Not closed: whoever takes standard output for a document gives it back later than we do.
        with redirect_stdout(nowhere()):
            yield
    finally:
        _OUTPUT.reset(token)


@contextmanager
def own_output() -> Iterator[None]:
    """Let what is printed be the command's own."""
    output = _OUTPUT.get()
    # A document may have standard output for itself, and the text be a notice on the other one.
    if output is None or sys.stdout is sys.stderr:
        yield
        return
    with redirect_stdout(output):
        yield
