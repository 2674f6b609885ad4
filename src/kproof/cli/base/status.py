"""The exit statuses of ``kproof``, so that a script can tell *yes* from *not judged*."""

from __future__ import annotations

from enum import IntEnum


class ExitStatus(IntEnum):
    """What a command's exit status says.

    Attributes:
        DONE: What was asked for is there; whatever was judged holds.
        VIOLATED: Something that was judged does not hold.
        REFUSED: Bad input or bad usage: one line on stderr, nothing written.
        DEFECT: A fault of kproof itself.
        OPEN: Nothing that was judged fails, but the question is not answered: the answer rests on
            hypotheses that nobody answered for, a budget ended the search, or nothing was judged.
    """

    DONE = 0
    VIOLATED = 1
    REFUSED = 2
    DEFECT = 3
    OPEN = 4
