"""One command in a process that may take only so much memory: ``python -m kproof.serve.worker``.

The first word is the number of bytes, the others are those of the command. Where the system knows
no such limit there is none.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec


def limit_memory(most: int) -> None:
    """Let no allocation of this process go beyond so many bytes of address space."""
    if find_spec("resource") is None:
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))


def main() -> int:
    """Run the command under its limit."""
    limit_memory(int(sys.argv[1]))
    from kproof.cli import main as command

    # Messages quote the words of the command alone.
    del sys.argv[1]
    return command()


if __name__ == "__main__":
    sys.exit(main())
