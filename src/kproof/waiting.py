"""What a notebook shows while a long call is at work: one line, which goes when the call is done.

Only Jupyter's kernels can change what they have shown, so that nothing is shown elsewhere; IPython
is never imported where it is not loaded. Users find :func:`show_progress` in ``kproof.notebooks``.
"""

import sys
import threading
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from functools import wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

from kproof.stages import listen

P = ParamSpec("P")
R = TypeVar("R")

PATIENCE = 1.0
"""Seconds after which a call is long."""

EVERY = 0.3
"""Seconds between two looks at how far it is."""

_INSIDE = ContextVar("inside", default=False)
"""Whether this is inside a call that shows a line."""


class _Switch:
    # Not in the context, which is another one in each cell.
    on = True


def show_progress(on: bool) -> None:
    """Have long calls show a line in a notebook that says how far they are, or have them not.

    They do unless told otherwise, after a second; outside a notebook nothing is shown.

    >>> show_progress(False)
    >>> show_progress(True)
    """
    _Switch.on = on


def show_stages(function: Callable[P, R]) -> Callable[P, R]:
    """Have a function show a notebook which stage it is in.

    >>> @show_stages
    ... def double(number):
    ...     return 2 * number
    >>> double(2)
    4
    """

    @wraps(function)
    def show_and_call(*args: P.args, **kwargs: P.kwargs) -> R:
        display = _display() if _Switch.on and not _INSIDE.get() else None
        if display is None:
            return function(*args, **kwargs)
        line = _Line(display)
        token = _INSIDE.set(True)
        # What is displayed belongs to the cell that was run, which the context knows.
        watcher = threading.Thread(target=copy_context().run, args=(line.watch,), daemon=True)
        watcher.start()
        try:
            with listen(line.hear):
                return function(*args, **kwargs)
        finally:
            _INSIDE.reset(token)
            line.ended.set()
            # Waited for, so that the line is cleared before the cell shows its result below it.
            watcher.join()

    return show_and_call


def _display() -> Callable[..., Any] | None:
    """Return what displays in the notebook that this runs in; None if it runs in none."""
    loaded = sys.modules.get("IPython")
    shell = None if loaded is None else loaded.get_ipython()
    if not hasattr(shell, "kernel"):
        return None
    display: Callable[..., Any] = import_module("IPython.display").display
    return display


class _Line:
    """A line that is displayed once there is reason to, and changed from then on."""

    def __init__(self, display: Callable[..., Any]) -> None:
        self.ended = threading.Event()
        self._display = display
        self._text = ""

    def hear(self, name: str, done: int, total: int | None) -> None:
        """Take down what is being done."""
        share = "" if total is None else f": {done:,} of {total:,}"
        # One assignment of a whole text: the watcher in the other thread needs no lock to read it.
        self._text = f"{name}{share}" if name else ""

    def watch(self) -> None:
        """Show what was heard last until the call ends, and nothing after that."""
        handle, last_text, wait = None, "", PATIENCE
        while not self.ended.wait(wait):
            wait = EVERY
            text = self._text
            if text in ("", last_text):
                continue
            if handle is None:
                handle = self._display({"text/plain": text}, raw=True, display_id=True)
            else:
                handle.update({"text/plain": text}, raw=True)
            last_text = text
        if handle is not None:
            handle.update({"text/plain": ""}, raw=True)
