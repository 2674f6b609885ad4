"""Putting an interruption (Control-C) off until something that must not be cut in two is done."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Put an interruption off until the block is left, which should not take long."""
    if threading.current_thread() is not threading.main_thread():
        yield  # interruptions come to the main thread
        return
    before = signal.getsignal(signal.SIGINT)
    if before is None:
        yield  # not Python's to put off
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        # Put back first: the interruption is for whoever would have had it.
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)
