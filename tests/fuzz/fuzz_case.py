"""One call of the command line on files of its own, and what every call owes whoever made it.

A case is data: words and files. It is run in an empty folder, so that what it read, changed and
left behind can be told apart, and it can be stored and run again.
"""

from __future__ import annotations

import base64
import json
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from shell import Ran, kproof, require_schema

STATUSES = {0, 1, 2, 4}
"""Everything but 3, which is a fault of kproof's own, and the statuses of signals."""
SECONDS = 60
"""Processor time of one call; no case asks for much work."""


@dataclass(frozen=True)
class Case:
    """Words of a command line and the files of the folder it is called in."""

    words: tuple[str, ...]
    files: tuple[tuple[str, bytes], ...]

    def to_json(self) -> str:
        """Return a document from which the case can be run again."""
        files = {name: base64.b64encode(data).decode() for name, data in self.files}
        return json.dumps({"words": self.words, "files": files}, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Case:
        """Read what :meth:`to_json` wrote."""
        document = json.loads(text)
        files = {name: base64.b64decode(data) for name, data in document["files"].items()}
        return cls(tuple(document["words"]), tuple(files.items()))


class EndlessError(BaseException):
    """A call used up its processor time; not an Exception, so that nothing takes it for its own."""


@dataclass(frozen=True)
class Answer:
    """What came of a case: its status, if it ended, and what it owes and did not keep."""

    status: int | None
    faults: tuple[str, ...]


def answer(case: Case, folder: Path) -> Answer:
    """Run a case in an empty folder, which is the current one."""
    for name, data in case.files:
        (folder / name).write_bytes(data)
    before = _content(folder)
    try:
        with _processor_time(SECONDS), _warnings_as_errors():
            ran = kproof(*case.words, judged=False)
    except EndlessError:
        return Answer(None, (f"no answer after {SECONDS} seconds of processor time",))
    except SystemExit as error:
        return Answer(None, (f"left by SystemExit({error.code})",))
    after = _content(folder)
    return Answer(ran.status, (*_said(case, ran), *_written(case, ran, before, after)))


def _said(case: Case, ran: Ran) -> Iterator[str]:
    if ran.status not in STATUSES:
        yield f"status {ran.status}: {ran.err.strip()[:300]}"
    if "Traceback" in ran.err:
        yield f"a traceback: {ran.err.strip()[-300:]}"
    lines = ran.err.splitlines()
    if ran.status == 2:
        if ran.out:
            yield f"refused, and yet printed {ran.out[:80]!r}"
        if len(lines) != 1 or not ran.err.startswith("kproof: ") or not ran.err.endswith("\n"):
            yield f"refused in other than one line: {ran.err[:300]!r}"
    elif ran.status in STATUSES and "--json" in case.words and not _asks_for_help(case):
        try:
            document = json.loads(ran.out, parse_constant=_no_number)
        except ValueError as error:
            yield f"no JSON document: {error}: {ran.out[:80]!r}"
            return
        try:
            require_schema(document)
        except (AssertionError, KeyError) as error:
            yield f"a document of no known form: {error}"


def _written(
    case: Case, ran: Ran, before: dict[str, bytes | None], after: dict[str, bytes | None]
) -> Iterator[str]:
    for name, data in before.items():
        if name in after and after[name] == data:
            continue
        if ran.status == 2:
            yield f"refused, and yet changed {name}"
        elif not name.startswith("out"):
            yield f"changed its input {name}"
    for name in after.keys() - before.keys():
        if ran.status == 2:
            yield f"refused, and yet left {name}"
        elif not any(_names(word, name) for word in (*case.words, *_unnamed(case))):
            yield f"left {name}, which nobody named"


def _unnamed(case: Case) -> tuple[str, ...]:
    """Return the folder that a command writes if nobody names one."""
    return ("results",) if case.words[:1] == ("report",) and "--output" not in case.words else ()


def _names(word: str, path: str) -> bool:
    """Whether a word names a path, alone or behind an equals sign, or a folder above or below."""
    candidates = [Path(one) for one in (word, word.partition("=")[2]) if one]
    near = {Path(path), *Path(path).parents} - {Path(".")}
    return any(one in near or Path(path) in one.parents for one in candidates)


def _asks_for_help(case: Case) -> bool:
    return any(word in case.words for word in ("--help", "-h", "--version"))


def _content(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


@contextmanager
def _warnings_as_errors() -> Iterator[None]:
    """A warning would be a line that nobody asked for."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@contextmanager
def _processor_time(seconds: int) -> Iterator[None]:
    """Interrupt what does not end; processor time, so that a busy machine changes nothing."""

    def stop(*_: object) -> None:
        raise EndlessError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
