"""Code and commands in a process of their own, in which something else is registered."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SUPPORT = Path(__file__).parent
EACH_LINE = """
import shlex, sys
from kproof.cli import main
for line in sys.argv[1:]:
    main(shlex.split(line))
    print(end="\\0")
"""
"""Runs each argument as a line of kproof, with a zero byte behind what it prints."""


def python(*words: str, check: bool = False, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run Python with some words in a process of its own, and return how that ended."""
    command = [sys.executable, *words]
    return subprocess.run(command, capture_output=True, text=True, check=check, **options)


def python_prints(code: str, *words: str, toys: str, folder: Path | None = None) -> str:
    """Return what code prints where a module of this folder has registered its toys."""
    places = filter(None, [os.environ.get("PYTHONPATH")])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(SUPPORT), *places))}
    registered = f"import {toys}\n{toys}.register()\n{code}"
    done = python("-c", registered, *words, env=environment, cwd=folder)
    assert done.stderr == ""
    return done.stdout


def kproof_prints(*lines: str, toys: str, folder: Path | None = None) -> Sequence[str]:
    """Return what each of some commands prints where toys are registered, in one process."""
    return python_prints(EACH_LINE, *lines, toys=toys, folder=folder).split("\0")[:-1]
