"""How much a file of any format may ask for before it is refused.

A small file may stand for a large table: what is compressed, repeated or merely claimed costs its
sender nothing. So a file may stand for as much as :data:`LIMITS` says of its size, which an
uncompressed text file never exceeds. Decoders of binary formats work in a process of their own,
which has a limit of memory and time whatever the file claims.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from os import environ, fstat, stat
from stat import S_ISREG
from typing import IO

from kproof.errors import DataError

MOST_COLUMNS = 16_384
"""As many as a spreadsheet has. Nobody judges more, and each has to be given a part."""

MOST_CHARACTERS = 131_072
"""Of a cell, as Python's reader of CSV has it; a spreadsheet holds a quarter of that."""

MOST_LINE = 1 << 24
"""Characters of a line of a text file."""

LIMITS = {"cells": (10_000_000, 20), "bytes": (100_000_000, 200)}
"""How much a file may stand for however small it is, and for each of its bytes.

Ten columns of a release with its classes in order, each of a few bits, make 16 cells of a byte.
"""

_MEMORY = (1 << 30, 32)
"""Bytes that a process may take while it decodes a file, and more for each byte of the file."""
_SECONDS = (100, 1e-6)
"""Seconds of a processor that it may take, and more for each byte."""


@dataclass
class Allowance:
    """What was counted of the table that a file stands for.

    >>> Allowance(1_000).count(cells=9_000_000).count(cells=2_000_000)
    Traceback (most recent call last):
        ...
    kproof.errors.DataError: more than 10,000,000 cells in a file of 1,000 bytes; write them
    as a plain CSV file, or take fewer rows
    """

    size: int
    """Bytes of the file."""
    source: str = ""
    """How messages begin."""
    cells: int = 0
    """Cells so far."""
    decoded: int = 0
    """Bytes that they take unpacked."""

    @classmethod
    def of(cls, path: str, source: str = "") -> Allowance:
        """Return the allowance of a file of which nothing was counted yet."""
        return cls(stat(path).st_size, source)

    def count(self, *, cells: int = 0, decoded: int = 0) -> Allowance:
        """Add what was read, or what a file says that will be; refuse what is too much."""
        self.cells += cells
        self.decoded += decoded
        for unit, total in (("cells", self.cells), ("bytes", self.decoded)):
            always, per_byte = LIMITS[unit]
            most = max(always, per_byte * self.size)
            if total > most:
                raise DataError(
                    f"{self.source}more than {most:,} {unit} in a file of {self.size:,} bytes; "
                    "write them as a plain CSV file, or take fewer rows"
                )
        return self


def require_columns(count: int, source: str = "") -> None:
    """Refuse more columns than :data:`MOST_COLUMNS`; the message begins with the source."""
    if count > MOST_COLUMNS:
        raise DataError(f"{source}{count:,} columns; need at most {MOST_COLUMNS:,}")


def require_length(characters: int, place: str) -> None:
    """Refuse a cell of more than :data:`MOST_CHARACTERS`."""
    if characters > MOST_CHARACTERS:
        raise DataError(
            f"{place}: a cell of {characters:,} characters; need at most {MOST_CHARACTERS:,}"
        )


@contextmanager
def decode_apart(module: str, path: str, *arguments: str) -> Iterator[IO[bytes]]:
    """Give what ``decode`` of a module writes about a file, in a process of its own.

    It gets the path and the arguments, writes to its standard output and says with a DataError what
    is wrong with the file. Libraries make room for whatever a file claims, and end their process
    where there is not so much room: one cell at XFD1048576 of a spreadsheet asks for 549 GB.

    Raises:
        DataError: If the file was refused, or took too much; only where all of the output is read.
    """
    # Of a pipe this process would take what the other one is to read.
    if not S_ISREG(stat(path).st_mode):
        raise DataError(f"{path}: cannot be read: need a regular file")
    with open(path, "rb") as file:  # whether it is there and may be read is told in Python's words
        size = fstat(file.fileno()).st_size
    memory, seconds = (int(always + per_byte * size) for always, per_byte in (_MEMORY, _SECONDS))
    # The same path: the other process would begin with the current folder, where anything may lie.
    code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import work; work()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(memory), str(seconds), module, path, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Threads that nobody uses would take room for their stacks and heaps.
        env={**environ, "ARROW_DEFAULT_MEMORY_POOL": "system", "OPENBLAS_NUM_THREADS": "1"},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            yield process.stdout
            # Drained first: with its output in a full pipe the other process could not end, nor say
            # why.
            process.stdout.read()
            # Libraries write there as well, so that the reason is the last line; a process that was
            # ended has none.
            *_, last = (b"", *process.stderr.read().splitlines())
        finally:
            # Whoever stops reading half-way leaves a process that waits for a reader.
            process.kill()
    try:
        refusal = json.loads(last)
    except ValueError:
        raise DataError(
            f"{path}: cannot be read in {memory / 2**30:.2g} GB and {seconds} s: it may be damaged,"
            " or a cell may stand far from the others; need a CSV file of the rows"
        ) from None
    if refusal is not None:
        # The path as an error shows it: signs that cannot be printed are escaped there.
        named = refusal.startswith(str(DataError(path)))
        raise DataError(refusal if named else f"{path}: {refusal}")


def limit_process(memory: int, seconds: int) -> None:
    """Let this process have so many bytes of memory and seconds of a processor, where it can."""
    with suppress(ImportError):
        import resource

        for limit, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds)):
            # No process may set its limit above the hard one, which is negative where there is
            # none.
            hard = resource.getrlimit(limit)[1]
            resource.setrlimit(limit, (most if hard < 0 else min(most, hard), hard))


def work() -> None:
    """Decode a file within limits, then write to standard error why it was refused, or null.

    The arguments of the process are bytes, seconds, a module, the file and the rest of ``decode``.
    """
    memory, seconds, module, *arguments = sys.argv[1:]
    limit_process(int(memory), int(seconds))
    refusal = None
    try:
        import_module(module).decode(*arguments)
    except DataError as error:
        refusal = str(error)
    # Whoever reads the output to its end reads the reason next.
    sys.stdout.close()
    sys.stderr.write(f"\n{json.dumps(refusal)}\n")
