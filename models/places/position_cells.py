"""Cells of positions as numbers, as times and as the codes of users."""

import json
import math
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from kproof.datasets import LOOK_MISSING, MISSING_CELLS
from kproof.errors import DataError, InvalidArgument, show
from kproof.models.base.arrays import Codes, Floats, number_by_first
from kproof.models.base.missing import is_missing
from kproof.models.places.position_files import PositionColumns

NO_TIME = np.iinfo(np.int64).min
"""Stands for the time of a row that has none."""

_EPOCHS = np.array([1e11, 1e14, 1e17])
"""Least sizes of milliseconds, microseconds and nanoseconds since 1970 (after March 1973)."""
_LAST = 2.0**63
_UNITS = ("seconds", "milliseconds", "microseconds", "nanoseconds")

_ORIGIN = datetime(1970, 1, 1, tzinfo=UTC)
_NAIVE_ORIGIN = datetime(1970, 1, 1)
_SECOND = datetime(1970, 1, 1, 0, 0, 1) - datetime(1970, 1, 1)


def is_absent(cell: object) -> bool:
    """Say whether a cell stands for a value that is not recorded."""
    if isinstance(cell, str):
        text = cell.strip()
        return text in MISSING_CELLS or text.lower() in LOOK_MISSING
    return is_missing(cell)


def numbers_of(columns: PositionColumns, name: str, cells: Sequence[Any]) -> Floats:
    """Return numbers, NaN where none is recorded; ``name`` is the column's, for messages."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iuf":
        return cells.astype(np.float64)
    values = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells):
        if (number := _as_float(cell)) is not None:
            values[row] = number
        elif not is_absent(cell):
            raise DataError(f"{columns.place_of(row)}: {name} is {show(cell)}; need a number")
    return values


def codes_of(cells: Sequence[Any]) -> tuple[Codes, tuple[str, ...]]:
    """Return the codes of texts, such as users, -1 for none, and the texts by first appearance."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iu":
        numbers, distinct = number_by_first(cells)
        return numbers, tuple(map(str, distinct.tolist()))
    code_of: dict[str, int] = {}
    # By cell as it is: a user has many rows, and one of them is spelled out.
    code_of_cell: dict[Any, int] = {}
    codes = np.full(len(cells), -1, dtype=np.int64)
    values = cells.tolist() if isinstance(cells, np.ndarray) else cells
    for row, cell in enumerate(values):
        # JSON's true is no 1, though Python takes them for equal.
        cell = str(cell) if isinstance(cell, bool) else cell
        try:
            code = code_of_cell.get(cell)
        except TypeError:
            # Of lists and objects in a file, equal ones are one user.
            cell = json.dumps(cell, sort_keys=True, default=str)
            code = code_of_cell.get(cell)
        if code is None:
            if is_absent(cell):
                code = -1
            else:
                # Who is written with a space behind is not somebody else, and 7.0 is 7.
                whole = isinstance(cell, float) and cell.is_integer()
                name = str(int(cell) if whole else cell).strip()
                code = code_of.setdefault(name, len(code_of))
            code_of_cell[cell] = code
        codes[row] = code
    return codes, tuple(code_of)


def seconds_since_1970(
    columns: PositionColumns, name: str, cells: Sequence[Any]
) -> tuple[Codes, str]:
    """Return whole seconds since 1970 in UTC, and how times were written."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind == "M":
        seconds = cells.astype("datetime64[s]").astype(np.int64)
        return np.where(np.isnat(cells), NO_TIME, seconds), "times of the file"
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iu":
        sizes = cells.astype(np.float64)
        # From 2**63 on an unsigned number would turn into a time before 1970: those are read one by
        # one below, where they are refused with their row.
        if (np.abs(sizes) < _LAST).all():
            return _from_epoch(columns, name, cells, np.arange(len(cells)), sizes)
    values = cells.tolist() if isinstance(cells, np.ndarray) else cells
    absent = np.fromiter(map(is_absent, values), dtype=np.bool_, count=len(values))
    seconds = np.full(len(values), NO_TIME, dtype=np.int64)
    rows = np.flatnonzero(~absent)
    if not len(rows):
        return seconds, "empty"
    if _as_number(values[rows[0]]) is not None:
        numbers = np.full(len(values), np.nan)
        for row in rows.tolist():
            if (number := _as_number(values[row])) is None:
                need = f"{name} is {show(values[row])}; need a number, as in the rows before"
                raise DataError(f"{columns.place_of(row)}: {need}")
            numbers[row] = number
        return _from_epoch(columns, name, values, rows, numbers)
    zoned: bool | None = None
    for row in rows.tolist():
        try:
            moment = moment_of(values[row])
        except ValueError:
            need = "seconds since 1970, or a date and a time of day"
            where = columns.place_of(row)
            raise DataError(f"{where}: {name} is {show(values[row])}; need {need}") from None
        has_zone = moment.tzinfo is not None
        if zoned is None:
            zoned = has_zone
        elif zoned is not has_zone:
            # The times of one file are of one kind: hours may be between two that look alike.
            unlike = "no time zone, unlike" if zoned else "a time zone, unlike"
            where = columns.place_of(row)
            raise DataError(f"{where}: {name} is {show(values[row])}: {unlike} the rows before")
        # A second begins at its full number, before 1970 as well: this rounds down.
        seconds[row] = (moment - (_ORIGIN if has_zone else _NAIVE_ORIGIN)) // _SECOND
    return seconds, "dates with a time zone" if zoned else "dates, taken as UTC"


def moment_of(cell: object) -> datetime:
    """Read a date and a time of day; ValueError if it is none."""
    if isinstance(cell, datetime):
        return cell
    if isinstance(cell, date):
        return datetime(cell.year, cell.month, cell.day)
    if not isinstance(cell, str):
        raise ValueError
    text = cell.strip()
    if text.endswith(" UTC"):
        text = text[:-4] + "Z"
    return datetime.fromisoformat(text.replace("/", "-"))


def seconds_of(name: str, text: str) -> int:
    """Read one moment, such as 2008-06-08T08:00, as seconds since 1970; UTC without a zone.

    >>> seconds_of("from", "2008-06-08T10:00+02:00")
    1212912000
    """
    try:
        moment = moment_of(text)
    except ValueError:
        raise InvalidArgument(name, text, "a moment such as 2008-06-08T08:00") from None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - _ORIGIN) // _SECOND


def iso_text(seconds: int) -> str:
    """Return seconds since 1970 as text.

    >>> iso_text(1212912000)
    '2008-06-08T08:00:00Z'
    """
    return (_ORIGIN + seconds * _SECOND).strftime("%Y-%m-%dT%H:%M:%SZ")


def _as_float(cell: Any) -> float | None:
    # Python reads 1_0 as ten and True as one; nobody writes degrees or times like that.
    if isinstance(cell, bool) or (isinstance(cell, str) and "_" in cell):
        return None
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return None


def _as_number(cell: object) -> float | None:
    """Return a cell as a number of an epoch, None if it is none."""
    number = _as_float(cell)
    # Written so that NaN is none as well.
    return number if number is not None and abs(number) < _LAST else None


def _from_epoch(
    columns: PositionColumns, name: str, cells: Sequence[Any], rows: Codes, numbers: Floats
) -> tuple[Codes, str]:
    """Return numbers as seconds since 1970; their size tells what they count."""
    seconds = np.full(len(cells), NO_TIME, dtype=np.int64)
    if not len(rows):
        return seconds, "empty"
    _refuse_digits_of_dates(columns.place_of(int(rows[0])), name, cells[rows[0]])
    sizes = np.searchsorted(_EPOCHS, np.abs(numbers[rows]), side="right")
    deviating = np.flatnonzero(sizes != sizes[0])
    size = int(sizes[0])
    if len(deviating):
        row = int(rows[deviating[0]])
        units = f"{_UNITS[sizes[deviating[0]]]}, and {_UNITS[size]} in the rows before"
        raise DataError(
            f"{columns.place_of(row)}: {name} is {show(cells[row])}, which looks like {units}"
        )
    scale = 1000**size
    if isinstance(cells, np.ndarray):
        return cells.astype(np.int64) // scale, f"{_UNITS[size]} since 1970"
    for row in rows.tolist():
        cell = cells[row]
        # A float has too few digits for nanoseconds.
        whole = isinstance(cell, int) or (isinstance(cell, str) and cell.strip().isdecimal())
        # Both round down: before 1970, int() of a quotient would be a second late.
        seconds[row] = int(cell) // scale if whole else math.floor(numbers[row] / scale)
    return seconds, f"{_UNITS[size]} since 1970"


def _refuse_digits_of_dates(where: str, name: str, cell: object) -> None:
    """Refuse 20080608, which is a day to who wrote it and an hour of 1970 as seconds."""
    digits = str(cell).strip()
    if (form := {8: "%Y%m%d", 14: "%Y%m%d%H%M%S"}.get(len(digits))) is None:
        return
    try:
        day = datetime.strptime(digits, form).date()
    except ValueError:
        return
    if 1900 <= day.year < 2100:
        raise DataError(f"{where}: {name} is {digits}, {day} or a number of seconds; write {day}")
