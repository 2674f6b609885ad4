"""A CSV file of exits: its columns are those of its first line, and no line is lost unsaid.

DuckDB guesses how a file is written from its first lines, so that a quotation mark far below could
stop all rows. It is told here. Where a cell opens with a quotation mark and nothing closes it, the
lines behind it become part of that cell; so lines are counted, too, and held against rows.
"""

import csv
import gzip
from collections.abc import Iterator, Sequence
from glob import escape
from typing import IO, Any

import numpy as np

from kproof.errors import DataError, show

_DELIMITERS = ",;\t|"
_BLOCK = 1 << 24
_LONGEST_HEADER = 100_000
_FEED, _RETURN = b"\n\r"


def open_lines(backend: Any, path: str, required: Sequence[str]) -> Any:
    """Return the rows of a file as a table of texts of DuckDB, behind Ibis.

    Lines that are no rows come to its table ``reject_errors``.

    Raises:
        OSError: If it cannot be read.
        DataError: If its first line is no UTF-8 or names a column twice.
    """
    names, delimiter = _read_header(path, required)
    return backend.read_csv(
        # DuckDB takes names for patterns, and another file may be of this one's.
        escape(path),
        columns=dict.fromkeys(names, "VARCHAR"),
        delim=delimiter,
        header=True,
        skip=0,
        quote='"',
        escape='"',
        store_rejects=True,
    )


def _read_header(path: str, required: Sequence[str]) -> tuple[list[str], str]:
    """Return the columns of a file, and what is between its cells."""
    with _open_bytes(path) as file:
        line = file.read(_LONGEST_HEADER)
    try:
        text = line.splitlines()[0].decode("utf-8-sig") if line else ""
    except UnicodeDecodeError:
        raise DataError(f"{show(path)}: its first line is no UTF-8: save it as UTF-8") from None
    cells = {sign: next(csv.reader([text], delimiter=sign), []) for sign in _DELIMITERS}
    delimiter = max(cells, key=lambda sign: (len({*cells[sign]} & {*required}), len(cells[sign])))
    names: list[str] = []
    stripped = [cell.strip() for cell in cells[delimiter]]
    wanted = {*stripped} & {*required}
    for number, cell in enumerate(stripped, start=1):
        if cell in required and cell in names:
            raise DataError(f"{show(path)}: column {show(cell)} stands there twice; rename one")
        used_names = {name.casefold() for name in (*names, *wanted)}
        # DuckDB ignores case, and takes no column without a name; nothing is read of the others.
        free = cell and (cell in wanted or cell.casefold() not in used_names)
        names.append(cell if free else f"{cell} ({number})")
    return names, delimiter


def count_lines(path: str) -> int:
    """Return how many lines of a file are not empty, the first one included.

    Raises:
        OSError: If it cannot be read.
        DataError: If its lines end in several ways: DuckDB reads no row of such a file.
    """
    # As if a line had ended before the file, so that its first sign begins one.
    number, last, ends = 0, _FEED, set()
    with _open_bytes(path) as file:
        for block in _blocks(file):
            pairs = block.count(b"\r\n")
            counts = {"CRLF": pairs, "LF": block.count(b"\n") - pairs}
            counts["CR"] = block.count(b"\r") - pairs
            ends |= {name for name, count in counts.items() if count}
            signs = np.frombuffer(block, np.uint8)
            between = (signs == _FEED) | (signs == _RETURN)
            # A line begins where a sign follows the end of one: counted so, empty lines are none.
            number += int(np.sum(~between[1:] & between[:-1]))
            number += int(not between[0] and last in (_FEED, _RETURN))
            last = block[-1]
    if len(ends) > 1:
        endings = " and ".join(sorted(ends))
        need = "write it with one of them, and no cell with a line feed in it"
        raise DataError(f"{show(path)}: its lines end with {endings}: {need}")
    return number


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(_BLOCK):
        # A pair is not divided.
        yield block + file.read(1) if block.endswith(b"\r") else block


def _open_bytes(path: str) -> Any:
    return gzip.open(path) if path.endswith(".gz") else open(path, "rb")
