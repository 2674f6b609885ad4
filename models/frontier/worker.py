"""A process that judges releases for another: a table comes in, then attempts, one by one.

Both sides speak pickle through the pipes of the process, which nobody else can write to. It ends
when its input does, or when whoever started it is gone.
"""

import ctypes
import os
import pickle
import signal
import sys
import traceback
from contextlib import suppress

_SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux's ``prctl``."""


def end_with(parent: int) -> None:
    """Have this process end at once when its parent does, in the middle of a kernel.

    Elsewhere than on Linux it ends when its attempt is done. The parent, a process number, may be
    gone already.
    """
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
    # Afterwards: a parent that ended before the signal was asked for sends none.
    if os.getppid() != parent:
        os._exit(0)


def serve(parent: int) -> None:
    """Answer whoever started this process until its input ends."""
    end_with(parent)
    from kproof.errors import speak
    from kproof.models.frontier.judging import candidate_of
    from kproof.models.methods import METHODS

    requests = sys.stdin.buffer
    # Whatever a library prints must not come between answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    # Standard input is the pipe of the process that started this one; nobody else writes to it.
    table, entries, wording = pickle.load(requests)
    for entry in entries:
        if entry.name not in METHODS:
            METHODS.register(entry)
    # From here on it is the attempts that take time.
    pickle.dump(True, answers)
    answers.flush()
    while True:
        try:
            # From the same pipe.
            attempt = pickle.load(requests)
        except EOFError:
            return
        answer: tuple[object, str] = (None, "")
        try:
            with speak(wording):
                answer = (candidate_of(attempt, table), "")
        except Exception as error:
            # As text: not every exception can be pickled.
            answer = (None, "".join(traceback.format_exception_only(error)).strip())
        pickle.dump(answer, answers)
        answers.flush()
