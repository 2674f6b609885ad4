"""Spreadsheets as tables of text: the sheet that has rows, its cells as they would be in a CSV."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from kproof.datasets.limits import Allowance, decode_apart, require_columns, require_length
from kproof.errors import DataError, show, spell

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
"""Endings of the files that are read as spreadsheets."""


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
    # Of which argument a sheet is the value is known to this process alone.
    sheets = spell("sheet", "NAME") if sheet is None else ""
    with decode_apart(__name__, path, sheets, *([] if sheet is None else [sheet])) as lines:
        for line in lines:
            if not line.endswith(b"\n"):
                break  # the process was ended within it
            number, cells = json.loads(line)
            yield number, cells


def decode(path: str, argument: str, sheet: str | None = None) -> None:
    """Write the rows of a sheet to standard output, a line of JSON for each."""
    packed: list[ZipInfo] = []
    with suppress(BadZipFile, NotImplementedError, ValueError), ZipFile(path) as file:
        packed = file.infolist()
    Allowance.of(path).count(decoded=sum(part.file_size for part in packed))
    grids = _grids(path, sheet)
    if len(grids) > 1:
        listed = ", ".join(map(show, grids))
        raise DataError(f"{len(grids)} sheets have cells: {listed}; say {argument}")
    allowance = Allowance.of(path)
    for worksheet, grid in grids.values():
        require_columns(max(map(len, grid)))
        # The grid begins at the first cell in use, which may stand below empty rows.
        for number, row in enumerate(grid, 1 + (worksheet.start or (0, 0))[0]):
            cells = [_text(cell) for cell in row]
            if any(cell.strip() for cell in cells):
                allowance.count(cells=len(cells))
                require_length(max(map(len, cells)), f"row {number}")
                sys.stdout.write(json.dumps([number, cells]) + "\n")


def _grids(path: str, sheet: str | None) -> dict[str, tuple[CalamineSheet, list[list[Any]]]]:
    """Return each sheet that has cells, or the one that is named, with its cells."""
    from python_calamine import CalamineError, WorksheetNotFound, load_workbook

    try:
        book = load_workbook(path)
        names = book.sheet_names
        if sheet is not None and sheet not in names:
            listed = ", ".join(map(show, names))
            raise DataError(f"no sheet {show(sheet)}; there are {listed}")
        sheets = {}
        for name in names if sheet is None else [sheet]:
            worksheet = book.get_sheet_by_name(name)
            sheets[name] = worksheet, worksheet.to_python()
    except WorksheetNotFound as error:
        raise DataError(f"cannot be read: sheet {show(str(error))} is not in the file") from None
    except CalamineError as error:
        raise DataError(f"cannot be read: {error}") from None
    filled = {name: pair for name, pair in sheets.items() if pair[1]}
    # With several, `decode` asks which one is meant, and only that one has to be without merged
    # cells.
    if len(filled) == 1:
        for worksheet, grid in filled.values():
            _require_unmerged(worksheet, grid)
    return filled


def _require_unmerged(sheet: CalamineSheet, grid: Sequence[Sequence[object]]) -> None:
    """Refuse merged cells: only the first holds the value, and the others would count as missing.

    Merged cells without a value are harmless.
    """
    # The grid begins at the first cell in use, ranges are counted from A1.
    top, leftmost = sheet.start or (0, 0)
    for first, last in sheet.merged_cell_ranges or ():
        row, column = first[0] - top, first[1] - leftmost
        within = 0 <= row < len(grid) and 0 <= column < len(grid[row])
        if within and _text(grid[row][column]).strip():
            value = show(_text(grid[row][column]))
            raise DataError(
                f"cells {_cell(*first)}:{_cell(*last)} are merged, and only the first "
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
    # From 2^53 on floats skip whole numbers: as an integer it would show digits that nobody typed.
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date().isoformat()
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    return cell.isoformat() if isinstance(cell, (date, time)) else str(cell)
