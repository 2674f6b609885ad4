"""Spreadsheets as tables of text: the sheet that has rows, its cells as they would be in a CSV."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from kproof.errors import DataError, show, spell

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
"""Endings of the files that are read as spreadsheets."""

_MOST_MEMORY = 2 << 30
"""Bytes that a spreadsheet may take while it is read."""
_MOST_SECONDS = 100
"""Seconds of a processor that it may take."""


def is_workbook(path: str) -> bool:
    """Say whether a file is read as a spreadsheet, by its ending.

    >>> is_workbook("patients.XLSX"), is_workbook("patients.csv")
    (True, False)
    """
    return path.lower().endswith(SUFFIXES)


def rows_of_workbook(path: str, sheet: str | None = None) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a sheet that have a cell, each with its number.

    A whole number that the file stores as a float is written without a point, a date as
    YYYY-MM-DD. Formulas are their last values; none is run. The name of the sheet may be left out
    if only one has cells.
    """
    with open(path, "rb"):
        pass  # whether it is there and may be read is told in Python's words
    # The library makes room for every cell up to the last one, and ends the process where there is
    # not so much room: one cell at XFD1048576 asks for 549 GB. So it has a process of its own.
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import write_rows; write_rows()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, path, *([] if sheet is None else [sheet])],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as reader:
        assert reader.stdout is not None
        try:
            message: Any = None
            for line in reader.stdout:
                message = json.loads(line)
                if isinstance(message, dict):
                    break
                yield message[0], message[1]
        finally:
            reader.kill()
    if not isinstance(message, dict):
        raise DataError(
            f"{path}: cannot be read in {_MOST_MEMORY >> 30} GB and {_MOST_SECONDS} s: it may be"
            " damaged, or a cell may stand far from the others; need a CSV file of the rows"
        )
    if "several" in message:
        listed = ", ".join(map(show, message["several"]))
        raise DataError(
            f"{path}: {len(message['several'])} sheets have cells: {listed}; say"
            f" {spell('sheet', 'NAME')}"
        )
    if "refused" in message:
        raise DataError(message["refused"])


def write_rows() -> None:
    """Write the rows of a sheet, a line of JSON for each, then how it ended.

    The arguments of the process are the file and, if it is said, the sheet.
    """
    with suppress(ImportError):
        import resource

        for limit, most in (
            (resource.RLIMIT_AS, _MOST_MEMORY),
            (resource.RLIMIT_CPU, _MOST_SECONDS),
        ):
            hard = resource.getrlimit(limit)[1]
            resource.setrlimit(limit, (most if hard < 0 else min(most, hard), hard))
    path, *sheet = sys.argv[1:]
    end: dict[str, object] = {}
    try:
        grids = _grids(path, sheet[0] if sheet else None)
        if len(grids) > 1:
            end["several"] = list(grids)
        else:
            for grid in grids.values():
                for number, row in enumerate(grid, 1):
                    cells = [_text(cell) for cell in row]
                    if any(cell.strip() for cell in cells):
                        sys.stdout.write(json.dumps([number, cells]) + "\n")
    except DataError as error:
        end["refused"] = str(error)
    sys.stdout.write(json.dumps(end) + "\n")


def _grids(path: str, sheet: str | None) -> dict[str, list[list[Any]]]:
    """Return the cells of each sheet that has some, or of the one that is named."""
    from python_calamine import CalamineError, load_workbook

    try:
        book = load_workbook(path)
        names = book.sheet_names
        if sheet is not None and sheet not in names:
            listed = ", ".join(map(show, names))
            raise DataError(f"{path}: no sheet {show(sheet)}; there are {listed}")
        sheets = {}
        for name in names if sheet is None else [sheet]:
            worksheet = book.get_sheet_by_name(name)
            sheets[name] = worksheet, worksheet.to_python()
    except CalamineError as error:
        raise DataError(f"{path}: cannot be read: {error}") from None
    filled = {name: pair for name, pair in sheets.items() if pair[1]}
    if len(filled) == 1:
        for worksheet, grid in filled.values():
            _require_unmerged(path, worksheet, grid)
    return {name: grid for name, (_, grid) in filled.items()}


def _require_unmerged(path: str, sheet: CalamineSheet, grid: Sequence[Sequence[object]]) -> None:
    """Refuse merged cells: only the first holds the value, and the others would count as missing.

    Merged cells without a value are harmless.
    """
    top, leftmost = sheet.start or (0, 0)
    for first, last in sheet.merged_cell_ranges or ():
        row, column = first[0] - top, first[1] - leftmost
        within = 0 <= row < len(grid) and 0 <= column < len(grid[row])
        if within and _text(grid[row][column]).strip():
            value = show(_text(grid[row][column]))
            raise DataError(
                f"{path}: cells {_cell(*first)}:{_cell(*last)} are merged, and only the first "
                f"holds {value}; unmerge them and write the value in each that it is for"
            )


def _cell(row: int, column: int) -> str:
    """Return the name of a cell, both counted from 0.

    >>> _cell(0, 0), _cell(4, 27)
    ('A1', 'AB5')
    """
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"


def _text(cell: object) -> str:
    """Return a cell as a CSV file would have it."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date().isoformat()
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    return cell.isoformat() if isinstance(cell, (date, time)) else str(cell)
