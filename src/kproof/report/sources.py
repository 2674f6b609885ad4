"""Where a table comes from, and the day a page is made, as pages and documents name them."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from kproof.datasets import SHIPPED
from kproof.forms import JsonForm
from kproof.outputs.printed import STREAM
from kproof.piped import read_piped


@dataclass(frozen=True)
class SourceFile:
    """Where a table comes from, without the folder that it is in."""

    name: str
    """Of the file, or of a table that comes with kproof."""
    digest: str | None = None
    """SHA-256 of the file's bytes; None if there is no file."""
    origin: str | None = None
    """Where a table that comes with kproof is from; None if it is somebody's own."""
    made_up: bool = False
    """Whether it is about nobody."""

    @classmethod
    def of(cls, source: str) -> SourceFile:
        """Return what names a file, or a shipped table."""
        path = Path(source)
        if (contents := read_piped(source)) is not None:
            name = "standard input" if source == STREAM else "a frame"
            return cls(name, hashlib.sha256(contents).hexdigest())
        if source in SHIPPED:
            return cls(source, origin=SHIPPED[source].origin, made_up=SHIPPED[source].made_up)
        if not path.is_file():
            return cls(source)
        with path.open("rb") as file:
            return cls(path.name, hashlib.file_digest(file, "sha256").hexdigest())

    to_dict = JsonForm("name sha256=digest origin made_up")


def today() -> str:
    """Return the day in UTC, or that of ``SOURCE_DATE_EPOCH``, so that pages can be made again."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
    return now.date().isoformat()
