"""Spreadsheets as tables of text: the sheet that has rows, its cells as they would be in a CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import TYPE_CHECKING

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
    from python_calamine import CalamineError, load_workbook

    with open(path, "rb"):
        pass  # whether it is there and may be read is told in Python's words
    try:
        book = load_workbook(path)
        names = book.sheet_names
        if sheet is not None and sheet not in names:
            listed = ", ".join(map(show, names))
            raise DataError(f"{path}: no sheet {show(sheet)}; there are {listed}")
        sheet_names = [sheet] if sheet is not None else names
        sheets = {name: book.get_sheet_by_name(name) for name in sheet_names}
        grids = {name: worksheet.to_python() for name, worksheet in sheets.items()}
    except CalamineError as error:
        raise DataError(f"{path}: cannot be read: {error}") from None
    filled = {name: grid for name, grid in grids.items() if grid}
    if len(filled) > 1:
        several = ", ".join(map(show, filled))
        raise DataError(
            f"{path}: {len(filled)} sheets have cells: {several}; say {spell('sheet', 'NAME')}"
        )
    for name, grid in filled.items():
        _require_unmerged(path, sheets[name], grid)
        for number, row in enumerate(grid, 1):
            cells = [_text(cell) for cell in row]
            if any(cell.strip() for cell in cells):
                yield number, cells


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
