"""The command line called in process, and snapshots of what it prints."""

import io
import json
import os
import shlex
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from kproof.cli import main
from kproof.schemas import json_schema

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"


@dataclass(frozen=True)
class Ran:
    """What one command did."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The JSON document; the command printed it and nothing else."""
        assert self.status == 0, self.err
        assert self.err == ""
        return json.loads(self.out)


def kproof(*words: str, columns: int = 80, judged: bool = True) -> Ran:
    """Run ``kproof WORDS`` with its output going to a pipe of so many columns.

    A document that it prints is held to its schema, unless somebody else judges it.
    """
    out, err = io.StringIO(), io.StringIO()
    environment = {k: v for k, v in os.environ.items() if k != "FORCE_COLOR"}
    environment["COLUMNS"] = str(columns)
    with (
        mock.patch.dict(os.environ, environment, clear=True),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        status = main(words)
    if judged and "--json" in words and status not in (2, 3):
        # Where the release itself goes to standard output, the account goes to the other stream.
        document = out if out.getvalue().startswith("{") else err
        require_schema(json.loads(document.getvalue()))
    return Ran(status, out.getvalue(), err.getvalue())


@cache
def _validator(document: str) -> Any:
    return Draft202012Validator(json_schema(document))


def require_schema(document: dict[str, Any]) -> None:
    """Hold a document to the schema that is shipped for its kind."""
    best = best_match(_validator(document["document"]).iter_errors(document))
    assert best is None, f"{document['document']}: {best.json_path}: {best.message}"


def typed(line: str, **places: object) -> list[str]:
    """Return the words of a line as somebody types it; names in braces stand for places."""
    return [word.format(**places) for word in shlex.split(line)]


def printed(*words: str, status: int = 0, columns: int = 80) -> str:
    """Run a command that ends with a status, and return what it prints; errors it has none."""
    ran = kproof(*words, columns=columns)
    assert (ran.status, ran.err) == (status, ""), ran.out
    return ran.out


def refused(*words: str) -> str:
    """Run a command that must be refused, and return its one line without the name."""
    ran = kproof(*words)
    assert ran.status == 2, ran.out
    assert ran.out == ""
    assert ran.err.startswith("kproof: ")
    assert ran.err.endswith("\n")
    assert ran.err.count("\n") == 1
    return ran.err.removeprefix("kproof: ").rstrip()


def same_as_snapshot(name: str, text: str, *, layout: bool = True) -> None:
    """Compare with the stored text; ``KPROOF_UPDATE_SNAPSHOTS=1`` stores it instead.

    Without ``layout`` only the words count: how a help page is framed is its library's affair.
    """
    path = SNAPSHOTS / name
    lines = "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
    if os.environ.get("KPROOF_UPDATE_SNAPSHOTS"):
        path.write_text(lines, encoding="utf-8")
    stored = path.read_text(encoding="utf-8")
    if layout:
        assert lines == stored
    else:
        assert _words(lines) == _words(stored)


def same_as_page(page: Path, text: str, *, start: str = "") -> None:
    """Compare what a page of the docs says from ``start`` on; storing as with a snapshot."""
    stored = page.read_text(encoding="utf-8")
    now = stored.partition(start)[0] + text if start else text
    if os.environ.get("KPROOF_UPDATE_SNAPSHOTS"):
        page.write_text(now, encoding="utf-8")
    else:
        assert now == stored


def _words(text: str) -> list[str]:
    return text.translate({ord(c): " " for c in "╭╮╰╯│─"}).split()
