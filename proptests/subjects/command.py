"""External programs as functions from a frame to a frame: a CSV file in, a CSV file out.

The program gets the names of both files and what is asked for as words of its command line; no
shell reads them. A cell that it writes as the text of a value of the same column counts as that
value, since a CSV file has no types.

A program refuses by ending with a status from 1 to 125 and a message, or by writing a file without
rows. Whatever else keeps it from publishing is a fault: a traceback, a signal, another status,
silence, a file that is not there or no table.
"""

from __future__ import annotations

import csv
import io
import os
import re
import shlex
import signal
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import IO

from kproof.errors import InvalidArgument, KProofError, show
from kproof.models.base.missing import text
from kproof.outputs import write_scratch
from kproof.proptests.contract import NoAnswer, TableCase, seconds
from kproof.proptests.subjects.binding import OF_LOGS, Binding, describe_argument
from kproof.theory.exact.typed import Number

_PLACE = re.compile(r"\{(\w+)\}")


_SAID = 65_536
"""Bytes of what a program printed that are looked at."""
_LARGEST_REFUSAL = 125
"""Shells and systems use the statuses above for programs that are not there or were ended."""
_CRASHED = re.compile(
    rb"^Traceback \(most recent call last\)|^Exception in thread |^Unhandled exception"
    rb"|^(?:thread .* )?panicked at |^goroutine \d+ \["
    rb"|^\s+at \S.*\(\S+:\d+\)\s*$|^\s+at \S+/\S+:\d+:\d+\s*$",
    re.MULTILINE,
)
"""What the common languages print of an error that nobody caught."""


class Failed(KProofError):
    """An external program ended with another exit status than 0; says what it said last."""


class Crashed(Exception):  # never among the errors that a program documents
    """An external program neither published nor refused; says what it did."""


@dataclass(frozen=True)
class Command:
    """An anonymizer that is run as a program, once for each table.

    Args:
        line: The command line, split into words as a POSIX shell would, with ``{input}`` and
            ``{output}`` for the files and a name in braces for whatever else it needs: ``{qi}`` and
            ``{identifiers}`` (names separated by commas), ``{sensitive}``, ``{k}``, ``{l}``,
            ``{t}``, ``{p}``, ``{alpha}``, ``{mu}``, ``{seed}``; of a log ``{age}``, ``{session}``,
            ``{deadline}``, ``{widest}``.
        timeout: Seconds after which the program is ended, and what it started with it: 0.01 to
            86,400.

    Raises:
        InvalidArgument: If a file is not mentioned, a name is unknown, or the timeout is out of
            range.

    >>> Command("java -jar tool.jar {input} {output} -k {k} --qi {qi}").binding.parameters
    frozenset({'k'})
    >>> Command("tool {input}")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: command = 'tool {input}': need {output} in it
    """

    line: str
    timeout: Number = 60

    def __post_init__(self) -> None:
        """Refuse a line that cannot be filled in."""
        seconds(self.timeout)
        try:
            shlex.split(self.line)
        except ValueError as error:
            raise InvalidArgument("command", self.line, f"balanced quotes: {error}") from None
        for name in ("input", "output"):
            if name not in self.places:
                raise InvalidArgument("command", self.line, f"{{{name}}} in it")
        for name in self.places:
            is_file_or_log = name in ("input", "output") or name in OF_LOGS
            if not is_file_or_log and describe_argument(name) is None:
                raise InvalidArgument(
                    "command", self.line, f"names it can be given, not {{{name}}}"
                )

    @property
    def __name__(self) -> str:
        """What a reader knows it by: the line."""
        return self.line

    @cached_property
    def places(self) -> frozenset[str]:
        """The names in braces."""
        return frozenset(_PLACE.findall(self.line))

    @property
    def binding(self) -> Binding:
        """What each name in braces stands for."""
        names = self.places - {"input", "output"}
        return Binding({name: describe_argument(name) or name for name in names}, names)

    def publish(self, case: TableCase) -> Mapping[str, tuple[object, ...]] | None:
        """Run the program on a case; None if it wrote no rows.

        Raises:
            Failed: If it refuses: its exit status is from 1 to 125, and it says why.
            Crashed: If it ends in another way, or what it writes is no table.
            NoAnswer: If it takes longer than allowed.
            OSError: If there is no such program.
        """
        values = self.binding.of(case).items()
        words = {name: ",".join(v) if isinstance(v, list) else str(v) for name, v in values}
        with tempfile.TemporaryDirectory(prefix="kproof-") as folder:
            source, target = Path(folder, "input.csv"), Path(folder, "output.csv")
            _write(source, case)
            words |= {"input": str(source), "output": str(target)}
            _run(
                [
                    # After the line was split: a name with blanks or quotes stays within its word.
                    _PLACE.sub(lambda place: words[place[1]], word)
                    for word in shlex.split(self.line)
                ],
                seconds(self.timeout),
            )
            if not target.exists():
                raise Crashed("it ended with status 0 and wrote no file")
            return _read(target, case)


def _run(words: Sequence[str], limit: Fraction) -> None:
    with (
        tempfile.TemporaryFile() as output,
        subprocess.Popen(
            words,
            # Whoever asks something must not wait for an answer.
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            # So that all that it starts can be ended with it.
            start_new_session=True,
        ) as process,
    ):
        try:
            _, complaint = process.communicate(timeout=float(limit))
        # Whatever ends the wait, an interruption as well: no program outlives its call.
        except BaseException as stop:
            _end(process)
            if isinstance(stop, subprocess.TimeoutExpired):
                raise NoAnswer(limit) from None
            raise
        if process.returncode != 0:
            # What a program has to say belongs on standard error, and is often on standard output.
            raise _failure_of(process.returncode, complaint.strip() or _last_of(output))


def _last_of(file: IO[bytes]) -> bytes:
    file.seek(max(file.seek(0, os.SEEK_END) - _SAID, 0))
    return file.read()


def _failure_of(status: int, message: bytes) -> Failed | Crashed:
    """Return what it means that a program ended so."""
    lines = [
        line.strip() for line in message.decode("utf-8", "replace").splitlines() if line.strip()
    ]
    last = f": {lines[-1]}" if lines else ""
    if status < 0:
        return Crashed(f"it was ended by signal {-status}{last}")
    if status > _LARGEST_REFUSAL:
        return Crashed(f"it ended with status {status}{last}")
    if not lines:
        return Crashed(f"it ended with status {status} and without a word")
    if _CRASHED.search(message):
        return Crashed(f"it ended with status {status} and a traceback{last}")
    return Failed(f"exit status {status}{last}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program; a script that only starts another one would leave that one running."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def _write(path: Path, case: TableCase) -> None:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(case.columns)
    for row in zip(*case.columns.values(), strict=True):
        writer.writerow(["" if value is None else text(value) for value in row])
    write_scratch(path, written.getvalue())


def _read(path: Path, case: TableCase) -> Mapping[str, tuple[object, ...]] | None:
    try:
        # A byte order mark, as spreadsheets write it, is no letter of the first name.
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = [line for line in csv.reader(file, strict=True) if line]
    except (csv.Error, UnicodeDecodeError) as error:
        raise Crashed(f"it wrote what is no CSV file in UTF-8: {error}") from None
    if not lines:
        raise Crashed("it ended with status 0 and wrote an empty file")
    names, *rows = lines
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise Crashed(f"it wrote column {show(twice[0])} {names.count(twice[0])} times")
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            raise Crashed(f"it wrote {len(row)} cells in row {number} under {len(names)} names")
    if not rows:
        return None
    columns = {}
    for place, name in enumerate(names):
        # Of values with one text any will do: a CSV file cannot tell them apart.
        values = {text(value): value for value in case.columns.get(name, ()) if value is not None}
        # Where nothing was missing, an empty cell is an empty text.
        missing = None in case.columns.get(name, ())
        columns[name] = tuple(
            None if missing and row[place] == "" else values.get(row[place], row[place])
            for row in rows
        )
    return columns
