"""Files out: a release as CSV, whole or not at all."""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from errno import EISDIR
from pathlib import Path
from typing import IO, TypeVar

import numpy as np

from kproof.errors import DataError
from kproof.models.table import Column, text

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_BATCH = 1 << 18

P = TypeVar("P", bound=str | Path)


def write_csv(path: str | Path, columns: Sequence[Column]) -> int:
    """Write columns as a CSV file in UTF-8 with a header row.

    Missing cells are ``?``. A text that a spreadsheet would run as a formula is written with an
    apostrophe before it; numbers and labels of numbers are left alone.

    Returns
    -------
    int
        How many cells were written with an apostrophe, the header's included.

    Raises
    ------
    DataError
        If the file cannot be written; one that was there before is then unchanged.
    """
    guarded = 0
    texts = []
    for column in columns:
        shown = [text(value) for value in column.values]
        if not column.numeric:
            safe = [inert(one) for one in shown]
            changed = [one != other for one, other in zip(shown, safe, strict=True)]
            # A text stands in as many cells as rows carry its code, or in none.
            guarded += int(np.count_nonzero(np.array(changed, dtype=np.bool_)[column.codes]))
            shown = safe
        texts.append(shown)
    names = [inert(column.name) for column in columns]
    guarded += sum(name != column.name for name, column in zip(names, columns, strict=True))
    rows = len(columns[0].codes)
    with replaced(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for start in range(0, rows, _BATCH):
            cells = [
                map(shown.__getitem__, column.codes[start : start + _BATCH].tolist())
                for shown, column in zip(texts, columns, strict=True)
            ]
            writer.writerows(zip(*cells, strict=True))
    return guarded


@contextmanager
def replaced(path: str | Path) -> Iterator[IO[str]]:
    """Open a text file that takes the place of ``path`` when it is complete, and not before."""
    target = Path(path)
    name = ""
    try:
        if target.is_dir():
            raise IsADirectoryError(EISDIR, "is a folder")
        # Beside the target, because a rename is atomic only within one file system.
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with open(handle, "w", encoding="utf-8", newline="") as file:
            yield file
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException as error:
        if name:
            with suppress(FileNotFoundError):
                os.unlink(name)
        if isinstance(error, OSError):
            raise DataError(f"{path}: cannot be written: {error.strerror}") from None
        raise


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file of bytes, such as an image, that takes the place of one before.

    Raises
    ------
    DataError
        If it cannot be written; one that was there before is then unchanged.
    """
    write_together({path: data})


def write_together(files: Mapping[P, bytes]) -> None:
    """Write several files, all or none of them.

    Raises
    ------
    DataError
        If one cannot be written; those that were there before are then unchanged.
    """
    with ExitStack() as opened:
        for path, data in files.items():
            file = opened.enter_context(replaced(path))
            # Nothing has been written as text, so that the layer beneath is at its beginning.
            if not isinstance(file, io.TextIOWrapper):
                raise TypeError(f"{file!r} has no bytes beneath it")
            file.buffer.write(data)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def inert(cell: str) -> str:
    """Return a text with an apostrophe before it if a spreadsheet would run it as a formula."""
    # Apostrophes that are there already count: else '=x and =x would be one text in the file.
    return f"'{cell}" if cell.lstrip("'").startswith(_FORMULA) else cell
