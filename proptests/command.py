"""External programs as functions from a frame to a frame: a CSV file in, a CSV file out.

The program gets the names of both files and what is asked for as words of its command line; no
shell reads them. A cell that it writes as the text of a value of the same column counts as that
value, since a CSV file has no types.
"""

from __future__ import annotations

import csv
import os
import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from kproof.errors import InvalidArgument, KProofError
from kproof.models.table import text
from kproof.proptests.binding import Binding, meaning_of
from kproof.proptests.contract import TableCase
from kproof.proptests.time_limit import NoAnswer, seconds
from kproof.theory.numbers import Number

_PLACE = re.compile(r"\{(\w+)\}")


class Failed(KProofError):
    """An external program ended with another exit status than 0; says what it said last."""


@dataclass(frozen=True)
class Command:
    """An anonymizer that is run as a program, once for each table.

    Parameters
    ----------
    line
        The command line, split into words as a POSIX shell would, with ``{input}`` and
        ``{output}`` for the files and a name in braces for whatever else it needs: ``{qi}`` and
        ``{identifiers}`` (names separated by commas), ``{sensitive}``, ``{k}``, ``{l}``, ``{t}``,
        ``{p}``, ``{alpha}``, ``{mu}``, ``{seed}``.
    timeout
        Seconds after which the program is ended, and what it started with it: 0.01 to 86,400.

    Raises
    ------
    InvalidArgument
        If a file is not mentioned, a name is unknown, or the timeout is out of range.

    Examples
    --------
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
            if name not in ("input", "output") and meaning_of(name) is None:
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
        return Binding({name: meaning_of(name) or name for name in names}, names)

    def publish(self, case: TableCase) -> Mapping[str, tuple[object, ...]] | None:
        """Run the program on a case; None if it wrote no rows.

        Raises
        ------
        Failed
            If its exit status is not 0.
        NoAnswer
            If it takes longer than allowed.
        OSError
            If there is no such program.
        """
        words = {name: _word(value) for name, value in self.binding.of(case).items()}
        with tempfile.TemporaryDirectory(prefix="kproof-") as folder:
            source, target = Path(folder, "input.csv"), Path(folder, "output.csv")
            _write(source, case)
            words |= {"input": str(source), "output": str(target)}
            _run(
                [
                    _PLACE.sub(lambda place: words[place[1]], word)
                    for word in shlex.split(self.line)
                ],
                seconds(self.timeout),
            )
            return _read(target, case) if target.exists() else None


def _run(words: Sequence[str], limit: Fraction) -> None:
    with subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            _, said = process.communicate(timeout=float(limit))
        except BaseException as stop:
            _end(process)
            if isinstance(stop, subprocess.TimeoutExpired):
                raise NoAnswer(limit) from None
            raise
    if process.returncode != 0:
        lines = said.decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "no word")
        raise Failed(f"exit status {process.returncode}: {last}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program; a script that only starts another one would leave that one running."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def _word(value: Any) -> str:
    return ",".join(value) if isinstance(value, list) else str(value)


def _write(path: Path, case: TableCase) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(case.columns)
        for row in zip(*case.columns.values(), strict=True):
            writer.writerow(["" if value is None else text(value) for value in row])


def _read(path: Path, case: TableCase) -> Mapping[str, tuple[object, ...]] | None:
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = [line for line in csv.reader(file, strict=True) if line]
    if len(lines) < 2:
        return None
    names, *rows = lines
    columns = {}
    for place, name in enumerate(names):
        values = {text(value): value for value in case.columns.get(name, ()) if value is not None}
        missing = None in case.columns.get(name, ())
        columns[name] = tuple(
            None if missing and row[place] == "" else values.get(row[place], row[place])
            for row in rows
        )
    return columns
