"""What a command reads that is no file: standard input, typed as ``-``, and texts of callers.

A command may read its data more than once, as to learn the names of columns first. What comes
through a pipe comes once, so that it is kept. A caller in Python has frames, which commands read
as the texts that they would be written as.
"""

import sys
from collections.abc import Iterator, Mapping
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
# The default is shared by all contexts, and nothing writes to it: `text_files` sets another.
_TEXTS: ContextVar[Mapping[str, bytes]] = ContextVar("texts", default={})  # noqa: B039


@contextmanager
def standard_input() -> Iterator[None]:
    """Let a text file called ``<->`` be standard input, which is read if it is asked for."""
    token = _CURRENT.set(_Piped())
    try:
        yield
    finally:
        _CURRENT.reset(token)


@contextmanager
def text_files(texts: Mapping[str, bytes]) -> Iterator[None]:
    """Let texts be files of names that no file has, such as ``<data>``."""
    token = _TEXTS.set(texts)
    try:
        yield
    finally:
        _TEXTS.reset(token)


def read_piped(source: str) -> bytes | None:
    """Return the bytes of standard input, or of a caller's text, if that is what a source is.

    None if it is neither.

    Raises:
        DataError: If there is no standard input, or it is empty.

    >>> read_piped("patients.csv") is None, read_piped("<->") is None  # here it is no file
    (True, True)
    """
    if source in _TEXTS.get():
        return _TEXTS.get()[source]
    current = _CURRENT.get()
    if source != STREAM or current is None:
        return None
    if current.data is None:
        if sys.stdin is None:
            raise DataError(f"{STREAM}: there is no standard input")
        # Kept: a pipe is read once, and a command may ask for it again.
        current.data = sys.stdin.buffer.read()
    if not current.data:
        raise DataError(f"{STREAM}: standard input is empty")
    return current.data


def is_piped(source: str) -> bool:
    """Say whether a source is standard input, or a text of a caller."""
    return source == STREAM or source in _TEXTS.get()


def command_word(source: str) -> str:
    """Return how a source is typed again on a command line.

    >>> command_word("<->"), command_word("patients.csv")
    ('-', 'patients.csv')
    """
    if source in _TEXTS.get():  # whoever types the line has to save it first
        return f"{source.strip('<>')}.csv"
    return "-" if source == STREAM else source
