"""A process that judges releases for another: a table comes in, then attempts, one by one.

Both sides speak pickle through the pipes of the process, which nobody else can write to. It ends
when its input does, so that none is left if whoever started it is gone.
"""

from __future__ import annotations

import os
import pickle
import sys
import traceback


def serve() -> None:
    """Answer whoever started this process until its input ends."""
    from kproof.models.frontier.judging import judged
    from kproof.models.methods import METHODS

    given = sys.stdin.buffer
    # Whatever a library prints must not come between answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    table, entries = pickle.load(given)
    for entry in entries:
        if entry.name not in METHODS:
            METHODS.register(entry)
    while True:
        try:
            attempt = pickle.load(given)
        except EOFError:
            return
        answer: tuple[object, str] = (None, "")
        try:
            answer = (judged(table, attempt), "")
        except Exception as error:
            answer = (None, "".join(traceback.format_exception_only(error)).strip())
        pickle.dump(answer, answers)
        answers.flush()
