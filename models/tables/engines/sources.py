"""What a name stands for: a table of a database, a folder of files, or a frame as it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from kproof.models.tables.engines.folders import is_folder, open_folder
from kproof.models.tables.engines.opening import DUCKDB, SQLITE, open_table, without_password


def is_address(text: str) -> bool:
    """Say whether a text names a table in a database, in an object store or of a lake.

    >>> is_address("duckdb:warehouse.db?table=visits"), is_address("https://example.org/a.csv")
    (True, False)
    """
    if text.startswith((DUCKDB, SQLITE)) or is_folder(text):
        return True
    return "://" in text and urlsplit(text).scheme not in ("", "file", "http", "https")


@contextmanager
def open_source(source: object) -> Iterator[tuple[str, object]]:
    """Open what a name stands for; yield how it is called and its lazy frame."""
    if not isinstance(source, (str, Path)):
        yield "the frame", source
        return
    text = str(source)
    folder = is_folder(text) or not is_address(text)
    with open_folder(text) if folder else open_table(text) as relation:
        yield without_password(text), relation
