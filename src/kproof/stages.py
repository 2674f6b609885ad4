"""What is being done while somebody waits: stages with a name and, where it is known, a share.

Code that takes long says so with :func:`stage` or :func:`count_parts`, which cost next to nothing
if nobody listens. Who waits listens: the command line with a line on the terminal, a notebook or a
service with a function of its own.

>>> with listen(print):
...     with stage("reading my.csv"):
...         pass
...     for group in count_parts("cutting groups", ["a", "b"]):
...         pass
reading my.csv 0 None
 0 None
cutting groups 0 2
cutting groups 1 2
cutting groups 2 2
 0 None
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Listener: TypeAlias = Callable[[str, int, int | None], object]
"""``listener(name, done, total)`` is called whenever there is something new to say.

The name is that of the stage that work is in, and empty when nothing is being done any more. The
total is how many parts the stage has, ``done`` of which are done; None if nobody knows how many.
"""


class Stage:
    """A stage that work is in, and how many of its parts, if that is known, are done."""

    __slots__ = ("_audience", "done", "name", "total")

    def __init__(self, name: str, total: int | None, audience: _Audience | None) -> None:
        self.name = name
        self.done = 0
        self.total = total
        self._audience = audience

    def advance(self, done: int, name: str | None = None) -> None:
        """Say how many parts are done, and what is being done now if that has a name of its own.

        >>> with listen(print), stage("frontier", 50) as trying:
        ...     trying.advance(7, "frontier: mondrian k = 5")
        frontier 0 50
        frontier: mondrian k = 5 7 50
         0 None
        """
        # `_UNHEARD` is one object for all who are not heard, threads included: nothing may be
        # written to it.
        if self._audience is None:
            return
        self.done = done
        if name is not None:
            self.name = name
        self._audience.tell()


class _Audience:
    """A listener, and the stages that work is in, the outermost first."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.process = os.getpid()
        self.stages: list[Stage] = []

    def tell(self) -> None:
        if self.stages:
            last = self.stages[-1]
            self.listener(last.name, last.done, last.total)
        else:
            self.listener("", 0, None)


_CURRENT: ContextVar[_Audience | None] = ContextVar("audience", default=None)
_UNHEARD = Stage("", None, None)


@contextmanager
def listen(listener: Listener | None) -> Iterator[None]:
    """Have a listener told of stages; with None nobody is.

    The listener is called by the code that works, which waits for it: it has to be quick, and
    to pass over what comes faster than it can show. Threads and processes that this code begins
    are not listened to, their parent is.
    """
    token = _CURRENT.set(None if listener is None else _Audience(listener))
    try:
        yield
    finally:
        _CURRENT.reset(token)


@contextmanager
def stage(name: str, total: int | None = None, *, always: bool = False) -> Iterator[Stage]:
    """Say that work is in a stage until the block ends.

    What is inside a stage that counts its parts is not told: the count goes on saying how far work
    is, and a part of a part would hide it.

    The name is a phrase such as ``reading my.csv``; the total only what is known: a guess would be
    a share that is not true. ``always`` is for what happens once and takes long: it is told inside
    a stage that counts, too. What is yielded says how many parts are done.
    """
    audience = _CURRENT.get()
    # A process that was forked has its parent's listener, and must not speak for it.
    if audience is None or audience.process != os.getpid():
        yield _UNHEARD
        return
    if not always and audience.stages and audience.stages[-1].total is not None:
        yield _UNHEARD
        return
    entered = Stage(name, total, audience)
    audience.stages.append(entered)
    audience.tell()
    try:
        yield entered
    finally:
        # Not always the last one: a loop that nobody ends leaves its stage to the collector.
        if entered in audience.stages:
            del audience.stages[audience.stages.index(entered) :]
            audience.tell()


def count_parts(name: str, parts: Collection[T]) -> Iterator[T]:
    """Yield the parts of some work, saying after each how many are done."""
    with stage(name, len(parts)) as counting:
        for done, part in enumerate(parts):
            yield part
            counting.advance(done + 1)
