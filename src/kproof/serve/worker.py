"""One command in a process with limits: ``python -m kproof.serve.worker BYTES SECONDS COMMAND``.

The limits are the process's own, so they hold also when the server that started it was killed.
Where the system knows no such limits there are none.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from runpy import run_module


def limit(memory: int, seconds: int) -> None:
    """Let this process have so many bytes of address space and so many seconds of a processor."""
    if find_spec("resource") is None:
        return
    import resource

    for kind, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds)):
        _, hard = resource.getrlimit(kind)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (allowed, hard))


def main() -> None:
    """Run the command under its limits, as ``python -m kproof`` does."""
    limit(int(sys.argv[1]), int(sys.argv[2]))
    # Messages quote the words of the command alone.
    del sys.argv[1:3]
    run_module("kproof", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
