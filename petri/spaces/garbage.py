"""Keeping the collector of cyclic garbage away from large state spaces.

A search makes millions of tuples that nobody drops. A collector that walks over all of them takes
seconds, which no budget sees coming, and finds nothing.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG = 2**20
"""New objects after which the collector looks at these."""
OLD = 2**10
"""Such looks after which it looks at older objects as well."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Let the collector look less often, and at new objects only."""
    before = gc.get_threshold()
    if before[0]:
        gc.set_threshold(max(before[0], YOUNG), max(before[1], OLD), before[2])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def spare(owner: object) -> None:
    """Let the collector pass over all objects there are now for as long as ``owner`` lives.

    Garbage among them is kept as long. The owner has to be so new that none of them refers to it.
    """
    gc.freeze()
    # Of several owners the first to go ends it for all: then the collector is slow, and no more.
    weakref.finalize(owner, gc.unfreeze).atexit = False
