"""Tables that are sent and questions of theory: each is a command in a process of its own.

The process has a folder that is gone with the answer, so nothing is stored, and it ends when it
takes too long or too much memory. A table is received into a file without a name, which is gone
with the server however that ends, and the process writes it to its folder. Only the options that
are listed here reach it, each as one word ``--name=value``.
"""

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from inspect import signature
from io import BytesIO
from math import ceil
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir
from typing import IO, Any

from kproof.errors import InvalidArgument
from kproof.outputs import open_unnamed, remove_scratch
from kproof.theory.theorems.registry import BOUNDS as REGISTERED_BOUNDS
from kproof.theory.theorems.registry import OwnBound

ROLES = (
    "qi",
    "both",
    "sensitive",
    "person",
    "identifier",
    "other",
    "drop",
    "missing-as",
    "header",
    "encoding",
)
"""Options that say what the columns are."""

MOMENTS = ("mean", "second", "third", "fourth", "absolute-third")
SUMS = (
    "sum-variance",
    "sum-third",
    "sum-absolute-third",
    "sum-sigma-cubed",
    "sum-fourth",
    "sum-raw-third",
    "sum-raw-fourth",
    "variance-of-sum",
)
SHIPPED = ("data", "column", "header", "missing")
"""Options that name a column of a shipped table."""

BOUNDS = {
    "theorem": (
        *("n", "p", "k", "epsilon", "delta", "law", "epsilon1", "events", "others-only", "assume"),
        *("closed-form", "exact", *SHIPPED, *MOMENTS, *SUMS),
        *("shift", "neighbourhood", "lambda1", "dependency", "lambda2", "known"),
    ),
    "blocks": (
        *("n", "epsilon", "delta", "others-only", "assume", "block-mass", "block", "least-share"),
        *(*SHIPPED, "law", "field", "groups"),
        *("shift", "neighbourhood", "lambda1", "dependency", "lambda2", "known"),
    ),
}
"""Options of ``kproof bound`` with a theorem, and of ``kproof bound blocks``."""


def options_of_bounds() -> dict[str, tuple[str, ...]]:
    """Return the options of every bound, those of its function if nothing else is said."""
    options = {}
    for entry in REGISTERED_BOUNDS.values():
        if isinstance(entry, OwnBound) and entry.name not in BOUNDS:
            keywords = signature(entry.bound.target).parameters
            options[entry.name] = tuple(name.replace("_", "-") for name in keywords)
        else:
            options[entry.name] = BOUNDS.get(entry.name, BOUNDS["theorem"])
    return options


_PROFILE = ("epsilon", "delta", "shift", "direction", "relative-width")

LAWS = {
    "binomial": ("n", "p", *_PROFILE),
    "truncated-binomial": ("n", "p", "k", *_PROFILE),
    "poisson-binomial": ("p", *SHIPPED, *_PROFILE),
    "normal": ("sigma", "variance", *_PROFILE),
    "data": ("n", *SHIPPED, *_PROFILE),
    "file": ("file", *_PROFILE),
    "several": (*SHIPPED, "epsilon", "by", "sums", "shift", "others-only"),
}
"""Options of ``kproof exact`` by law."""

TEXTS = ("law", "dependency", "field", "groups", "sums", "file")
"""Options whose value is the text of the file that the command reads."""

_SEVERAL = ("assume", "missing")
"""Options that the command takes more than once."""

MODELS = ("k", "l", "entropy-l", "c", "t", "p", "alpha", "share", "beta", "mu")

ANSWERS = {0: "done", 1: "violated", 4: "open"}
"""What an exit status says that is an answer: 1 that something does not hold, 4 that it is open."""

_PARQUET = b"PAR1"
_PART = 1 << 16
_LONGEST_VALUE = 1000
_LONGEST_TEXT = 20_000
_PROCESSORS = 4
"""Seconds of a processor that a command may take in each second."""


class BodyTooLarge(Exception):
    """A file is larger than the server takes."""


class TookTooLong(Exception):
    """A command was ended."""


class NoRoom(Exception):
    """A file that was sent cannot be put down."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a command answered."""

    status: int
    """Its exit status."""
    out: str
    err: str
    """What it printed."""
    files: Mapping[str, str]
    """What it wrote, by name."""

    @property
    def parameter(self) -> str | None:
        """What its line says was wrong."""
        match = re.match(r"kproof: (?:--)?([\w-]+)(?: = | is not given: )", self.err)
        return None if match is None else match[1]

    @property
    def message(self) -> str:
        """Its line."""
        return self.err.strip().removeprefix("kproof: ")

    @property
    def answers(self) -> bool:
        """Whether it is an answer: a process that cannot start ends with status 1, too."""
        with suppress(ValueError):
            return self.status in ANSWERS and isinstance(json.loads(self.out), dict | list)
        return False

    @property
    def fault(self) -> str:
        """What ended it, for a log: a module that is not there, or the name of an error alone."""
        # Not its message: that may quote the table that was sent, and logs are kept.
        last = (self.err.strip().splitlines() or [""])[-1]
        name = re.match(r"(?:ModuleNotFound|Import)Error: .*|[\w.]+(?=:|$)", last)
        printed = "".join(filter(str.isprintable, name[0]))[:160] if name else "without a reason"
        return f"status {self.status}, {printed}"

    def document(self) -> dict[str, Any]:
        """Return the JSON answer of the service."""
        return {"success": True, "status": ANSWERS[self.status], "result": json.loads(self.out)}


@dataclass(frozen=True)
class Workers:
    """Runs commands, a few at a time."""

    most_bytes: int
    """Largest file."""
    seconds: float
    """When a command is ended, and when a file has to be there."""
    turns: asyncio.Semaphore
    """How many run at a time."""
    most_memory: int = 1_500_000_000
    """Bytes of address space that a command may take."""

    async def run(
        self,
        words: Sequence[str],
        options: Mapping[str, str],
        body: AsyncIterator[bytes] | None = None,
        results: Sequence[str] = (),
    ) -> Answered:
        """Run one command.

        Args:
            words: The command; ``FILE`` stands for the file that was sent.
            options: Options by name, without dashes; those of :data:`TEXTS` have the text of a
                file.
            body: The file.
            results: Names of files that the command writes.

        Raises:
            BodyTooLarge, TookTooLong: If the file is too large, or does not come, or the command
                does not end.
            NoRoom: If the disk has no room for the file.
        """
        try:
            with open_unnamed() as file:
                name = "FILE" if body is None else await self._receive(body, file)
                more, texts = _words(options)
                line = [name if word == "FILE" else word for word in (*words, *more)]
                async with self.turns:
                    return await self._run_apart(line, {name: file} if body else {}, texts, results)
        except OSError:
            raise NoRoom from None

    async def _receive(self, body: AsyncIterator[bytes], file: IO[bytes]) -> str:
        """Put a file down as it arrives; return what it is to be called."""
        size = 0
        try:
            async with asyncio.timeout(self.seconds):
                async for part in body:
                    # Counted as it comes: the length in the head is what a client says.
                    size += len(part)
                    if size > self.most_bytes:
                        raise BodyTooLarge
                    file.write(part)
        except TimeoutError:
            # It is an OSError, too, which is told as a lack of room where this is called.
            raise TookTooLong from None
        file.seek(0)
        beginning = file.read(len(_PARQUET))
        return "table.parquet" if beginning == _PARQUET else "table.csv"

    async def _run_apart(
        self,
        words: Sequence[str],
        files: Mapping[str, IO[bytes]],
        texts: Mapping[str, str],
        results: Sequence[str],
    ) -> Answered:
        # The environment of the server may hold secrets, and a command runs on what strangers send.
        safe = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        modules = os.pathsep.join(map(os.path.abspath, sys.path))
        # The worker makes the folder: whoever has files on the disk ends with the server.
        folder = Path(gettempdir(), f"kproof-{token_hex(8)}")
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                # Its modules are the server's, and none of the folder that it starts in.
                "-P",
                "-m",
                "kproof.serve.worker",
                str(self.most_memory),
                str(_PROCESSORS * ceil(self.seconds)),
                str(folder),
                *words,
                env=safe | {"PYTHONUTF8": "1", "PYTHONPATH": modules},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                # Whoever stops the server lets it finish what it works on.
                start_new_session=True,
            )
            sent = {name: BytesIO(text.encode()) for name, text in texts.items()}
            out, err = await self._exchange(process, {**files, **sent})
            written = {
                name: (folder / name).read_text(encoding="utf-8")
                for name in results
                if (folder / name).is_file()
            }
        finally:
            remove_scratch(folder)
        return Answered(process.returncode or 0, out.decode(), err.decode(), written)

    async def _exchange(
        self, process: asyncio.subprocess.Process, files: Mapping[str, IO[bytes]]
    ) -> tuple[bytes, bytes]:
        """Send files to a process; return what it prints until it ends, in time or by force."""
        # Its input stays open: it ends when nobody holds the other end (see the worker).
        ours, out, err = process.stdin, process.stdout, process.stderr
        assert ours is not None
        assert out is not None
        assert err is not None
        try:
            async with asyncio.timeout(self.seconds):
                sizes = {name: file.seek(0, os.SEEK_END) for name, file in files.items()}
                with suppress(ConnectionError):
                    # One that has ended before has said why.
                    ours.write(json.dumps(sizes).encode() + b"\n")
                    for file in files.values():
                        file.seek(0)
                        while part := file.read(_PART):
                            ours.write(part)
                            await ours.drain()
                    await ours.drain()
                # Both at once: a process that fills one pipe while only the other is read waits for
                # ever.
                printed = await asyncio.gather(out.read(), err.read())
                await process.wait()
                return printed[0], printed[1]
        except TimeoutError:
            raise TookTooLong from None
        finally:
            # Also when whoever asked is gone.
            if process.returncode is None:
                process.kill()
                await process.wait()
            ours.close()


def _words(options: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return options as words of a command, and the texts of the files that they name."""
    words: list[str] = []
    texts: dict[str, str] = {}
    for name, value in options.items():
        if name in TEXTS:
            kind = ".json" if value.lstrip()[:1] == "{" else ".graphml"
            file = name + (kind if name in ("law", "field", "file") else ".txt")
            texts[file] = value
            words.append(f"--{'law' if name == 'file' else name}={file}")
        elif name in _SEVERAL:
            words += [f"--{name}={item.strip()}" for item in value.split(",")]
        else:
            words.append(f"--{name}={value}")
    return words, texts


def options_of(query: Sequence[tuple[str, str]], allowed: Sequence[str]) -> dict[str, str]:
    """Return the options of a query; names may be written with ``_``.

    Raises:
        InvalidArgument: If one is not allowed, given twice or too long.

    >>> options_of([("qi", "Age,Sex"), ("entropy_l", "2")], ["qi", "entropy-l"])
    {'qi': 'Age,Sex', 'entropy-l': '2'}
    >>> options_of([("output", "x")], ["qi"])
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: output = x: need a parameter among qi
    """
    options: dict[str, str] = {}
    for name, value in query:
        option = name.replace("_", "-")
        if option not in allowed:
            raise InvalidArgument(name, value, f"a parameter among {', '.join(allowed)}")
        if option in options:
            raise InvalidArgument(name, value, "one value; separate names by commas")
        text = option in TEXTS
        longest = _LONGEST_TEXT if text else _LONGEST_VALUE
        # Lines of a file end; nothing else that is not printable is taken.
        signs = value.replace("\n", "").replace("\r", "") if text else value
        if len(value) > longest or not signs.isprintable():
            raise InvalidArgument(name, value[:40], f"at most {longest} printable signs")
        if option == "known" and value.startswith("@"):
            raise InvalidArgument(name, value, "indexes i,j,...; no file of the server is read")
        if option == "data" and re.fullmatch(r"[A-Za-z0-9_-]+", value) is None:
            raise InvalidArgument(name, value, "the name of a shipped table")
        options[option] = value
    return options
