"""Tables that are sent and questions of theory: each is a command in a process of its own.

The process has a folder that is gone with the answer, so nothing is stored, and it ends when it
takes too long. Only the options that are listed here reach it, each as one word ``--name=value``.
"""

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kproof.errors import InvalidArgument
from kproof.outputs import write_bytes

ROLES = ("qi", "sensitive", "person", "identifier", "other", "drop", "missing-as", "header")
"""Options that say what the columns are."""

MODELS = ("k", "l", "entropy-l", "c", "t", "p", "alpha", "share", "beta", "mu")

ANSWERS = {0: "done", 1: "violated", 4: "open"}
"""What an exit status says that is an answer: 1 that something does not hold, 4 that it is open."""

_PARQUET = b"PAR1"
_LONGEST_VALUE = 1000


class BodyTooLarge(Exception):
    """A file is larger than the server takes."""


class TookTooLong(Exception):
    """A command was ended."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a command answered.

    Attributes
    ----------
    status
        Its exit status.
    out, err
        What it printed.
    files
        What it wrote, by name.
    """

    status: int
    out: str
    err: str
    files: Mapping[str, str]

    @property
    def parameter(self) -> str | None:
        """What its line says was wrong."""
        found = re.match(r"kproof: (?:--)?([\w-]+)(?: = | is not given: )", self.err)
        return None if found is None else found[1]

    @property
    def message(self) -> str:
        """Its line."""
        return self.err.strip().removeprefix("kproof: ")

    def document(self) -> dict[str, Any]:
        """Return the JSON answer of the service."""
        return {
            "success": True,
            "status": ANSWERS[self.status],
            "result": json.loads(self.out),
        }


@dataclass(frozen=True)
class Workers:
    """Runs commands, a few at a time.

    Attributes
    ----------
    most_bytes
        Largest file.
    seconds
        When a command is ended, and when a file has to be there.
    turns
        How many run at a time.
    """

    most_bytes: int
    seconds: float
    turns: asyncio.Semaphore

    async def run(
        self,
        words: Sequence[str],
        options: Mapping[str, str],
        body: AsyncIterator[bytes] | None = None,
        results: Sequence[str] = (),
    ) -> Answered:
        """Run one command.

        Parameters
        ----------
        words
            The command; ``FILE`` stands for the file that was sent.
        options
            Options by name, without dashes.
        body
            The file.
        results
            Names of files that the command writes.

        Raises
        ------
        BodyTooLarge, TookTooLong
            If the file is too large, or does not come, or the command does not end.
        """
        held = b"" if body is None else await self._received(body)
        async with self.turns:
            with TemporaryDirectory(prefix="kproof-") as folder:
                if body is not None:
                    name = "table.parquet" if held[:4] == _PARQUET else "table.csv"
                    write_bytes(Path(folder, name), held)
                    words = [name if word == "FILE" else word for word in words]
                given = [f"--{key}={value}" for key, value in options.items()]
                return await self._ended(folder, [*words, *given], results)

    async def _received(self, body: AsyncIterator[bytes]) -> bytes:
        held = bytearray()
        try:
            async with asyncio.timeout(self.seconds):
                async for part in body:
                    held += part
                    if len(held) > self.most_bytes:
                        raise BodyTooLarge
        except TimeoutError:
            raise TookTooLong from None
        return bytes(held)

    async def _ended(self, folder: str, words: Sequence[str], results: Sequence[str]) -> Answered:
        safe = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "kproof",
            *words,
            cwd=folder,
            env=safe | {"PYTHONUTF8": "1"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(self.seconds):
                out, err = await process.communicate()
        except TimeoutError:
            raise TookTooLong from None
        finally:
            # Also when whoever asked is gone.
            if process.returncode is None:
                process.kill()
                await process.wait()
        files = {
            name: Path(folder, name).read_text(encoding="utf-8")
            for name in results
            if Path(folder, name).is_file()
        }
        return Answered(process.returncode or 0, out.decode(), err.decode(), files)


def options_of(query: Sequence[tuple[str, str]], allowed: Sequence[str]) -> dict[str, str]:
    """Return the options of a query; names may be written with ``_``.

    Raises
    ------
    InvalidArgument
        If one is not allowed, given twice or too long.

    Examples
    --------
    >>> options_of([("qi", "Age,Sex"), ("entropy_l", "2")], ["qi", "entropy-l"])
    {'qi': 'Age,Sex', 'entropy-l': '2'}
    >>> options_of([("output", "x")], ["qi"])
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: output = x: need a parameter among qi
    """
    found: dict[str, str] = {}
    for name, value in query:
        option = name.replace("_", "-")
        if option not in allowed:
            raise InvalidArgument(name, value, f"a parameter among {', '.join(allowed)}")
        if option in found:
            raise InvalidArgument(name, value, "one value; separate names by commas")
        if len(value) > _LONGEST_VALUE or "\x00" in value or not value.isprintable():
            raise InvalidArgument(name, value, f"at most {_LONGEST_VALUE} printable signs")
        found[option] = value
    return found
