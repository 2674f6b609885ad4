"""Standard input as a file, typed as ``-``, for commands; a library's caller has files and frames.

A command may read its data more than once, as to learn the names of columns first. What comes
through a pipe comes once, so that it is kept.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from kproof.errors import DataError
from kproof.outputs.printed import STREAM


@dataclass
class _Piped:
    """What came through standard input; None before anybody asked for it."""

    data: bytes | None = None


_CURRENT: ContextVar[_Piped | None] = ContextVar("piped", default=None)


@contextmanager
def standard_input() -> Iterator[None]:
    """Let a text file called ``<->`` be standard input, which is read if it is asked for."""
    token = _CURRENT.set(_Piped())
    try:
        yield
    finally:
        _CURRENT.reset(token)


def read_piped(source: str) -> bytes | None:
    """Return the bytes of standard input if that is what a source is; None if it is not.

    Raises:
        DataError: If there is no standard input, or it is empty.

    >>> read_piped("patients.csv") is None, read_piped("<->") is None  # here it is no file
    (True, True)
    """
    current = _CURRENT.get()
    if source != STREAM or current is None:
        return None
    if current.data is None:
        if sys.stdin is None:
            raise DataError(f"{STREAM}: there is no standard input")
        current.data = sys.stdin.buffer.read()
    if not current.data:
        raise DataError(f"{STREAM}: standard input is empty")
    return current.data


def command_word(source: str) -> str:
    """Return how a source is typed again on a command line.

    >>> command_word("<->"), command_word("patients.csv")
    ('-', 'patients.csv')
    """
    return "-" if source == STREAM else source
