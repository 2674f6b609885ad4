"""Commands that run somebody's code: in a process of their own, watched from this one.

Whoever writes ``os._exit(0)``, loops for ever or crashes the interpreter must not be able to make
this process say *yes*: a command is answered only if its process says so itself, at its end. It is
given the words that were typed, and sends lines of JSON: stages while it works, and one answer.
"""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

from kproof.cli.base.printing import ExitStatus
from kproof.cli.base.waiting import tell
from kproof.errors import KProofError
from kproof.stages import stage

TYPED: ContextVar[tuple[str, ...]] = ContextVar("typed", default=())
"""The words of the command that is being run."""

_APART: ContextVar[bool] = ContextVar("apart", default=False)
_START = (
    "import sys; sys.path[:] = {path!r}; from kproof.cli.app import answer_apart; "
    "answer_apart({answers}, {parent}, {words!r})"
)
_CHUNK = 1 << 16


def is_apart() -> bool:
    """Say whether this is the process of such a command."""
    return _APART.get()


def be_apart() -> None:
    """Make this the process of such a command."""
    _APART.set(True)


def run_apart(whose: str, *, patience: float) -> int:
    """Run the command that was typed in a process of its own, and return its exit status.

    ``whose`` is what the code is called. It is ended after so many seconds without a sign; then,
    and if it refuses or ends without an answer, there is a KProofError.
    """
    tell(f"{whose} is code, which is run with your rights; run no code that you do not trust")
    reads, writes = os.pipe()
    words = list(TYPED.get())
    code = _START.format(path=sys.path, answers=writes, parent=os.getpid(), words=words)
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        # What the code prints is no answer, and must not look like one.
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(writes,),
        # With whatever it starts it is ended as a group.
        start_new_session=True,
    )
    # While this process has that end open, too, the end of the other one would go unnoticed.
    os.close(writes)
    answer: dict[str, Any] = {}
    try:
        with stage(f"running {whose}") as running:
            for message in _messages(reads, patience, whose):
                if "stage" in message:
                    running.total = message["total"]
                    running.advance(message["done"], message["stage"] or f"running {whose}")
                else:
                    answer = message
        if not answer:
            raise KProofError(f"{whose}: {_end_of(process)}")
    finally:
        with suppress(ProcessLookupError):
            # Also after an answer: the code may have started what goes on without it.
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(reads)
    if answer["status"] == ExitStatus.REFUSED:
        raise KProofError(answer["line"])
    sys.stdout.write(answer["out"])
    sys.stderr.write(answer["err"])
    if answer["line"]:
        tell(answer["line"])
    return int(answer["status"])


def send(answers: int, message: dict[str, object]) -> None:
    """Send a message to the process that started this one."""
    line = memoryview(json.dumps(message).encode() + b"\n")
    while line:
        # A pipe takes as much as it has room for.
        line = line[os.write(answers, line) :]


def _messages(reads: int, patience: float, whose: str) -> Iterator[dict[str, Any]]:
    """Run through what a process says, until it has answered or says nothing more."""
    begun, last = b"", "beginning"
    while True:
        if not select.select([reads], [], [], patience)[0]:
            raise KProofError(
                f"{whose}: no sign of it for {patience:g} seconds while {last}, so that it was "
                "ended; a longer budget (--budget seconds=S) gives it longer"
            )
        chunk = os.read(reads, _CHUNK)
        if not chunk:
            return
        *lines, begun = (begun + chunk).split(b"\n")
        for line in lines:
            try:
                message = dict(json.loads(line))
            except (ValueError, TypeError):
                raise KProofError(f"{whose}: its code wrote where kproof does") from None
            last = message.get("stage") or last
            yield message
            if "status" in message:
                return


def _end_of(process: subprocess.Popen[bytes]) -> str:
    """Say how a process ended that did not answer."""
    with suppress(subprocess.TimeoutExpired):
        # The pipe ends a moment before the process is gone.
        process.wait(timeout=1)
    status = process.returncode
    if status is not None and status < 0:
        name = signal.Signals(-status).name
        return f"the process of its code was ended by {name}, such as by a crash or lack of memory"
    if status is None:
        return "its code closed what kproof answers through"
    return f"its code ended the process, with status {status}, before there was an answer"
