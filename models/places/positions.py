"""Where somebody was, as a file says it: what columns mean, and which rows are set apart.

A row that cannot be right is never published; it is set apart, with its line and the reason, and
whoever publishes is told. What is no number and no time at all is an error: then a column is not
what its name says.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from kproof.datasets import LOOK_MISSING, MISSING_CELLS
from kproof.errors import DataError, InvalidArgument, did_you_mean, show
from kproof.models.base.arrays import Codes, Flags, Floats, number_by_first
from kproof.models.base.missing import is_missing
from kproof.models.places.plane import EARTH_RADIUS
from kproof.models.places.points import SetApart
from kproof.models.places.position_files import PositionColumns
from kproof.theory.exact.typed import Number, rational

COLUMNS: Mapping[str, Sequence[str]] = {
    "lat": ("lat", "latitude", "y"),
    "lon": ("lon", "lng", "long", "longitude", "x"),
    "user": (*("user", "user_id", "userid", "users", "uid"), "driver", "device", "taxi_id"),
    "time": ("time", "timestamp", "datetime", "date_time"),
}
"""What columns are called, in any case, if nothing is said; the first that is there counts."""

FAR = 50
"""Times the median distance from the median point, beyond which a position is set apart."""

NEAR = 1000
"""Metres from the median point within which no position is far, whatever the median distance."""

NO_TIME = np.iinfo(np.int64).min
"""Stands for the time of a row that has none."""

_EPOCHS = np.array([1e11, 1e14, 1e17])
"""Least sizes of milliseconds, microseconds and nanoseconds since 1970 (after March 1973)."""
_LAST = 2.0**63
_UNITS = ("seconds", "milliseconds", "microseconds", "nanoseconds")


@dataclass(frozen=True, eq=False)
class Positions:
    """The rows of a file as positions, before any is set apart."""

    source: str
    """The file, for messages."""
    lat: Floats = field(repr=False)
    lon: Floats = field(repr=False)
    """Shape (rows,): degrees; NaN if missing."""
    user: Codes | None = field(repr=False)
    """Shape (rows,): index into ``names``, -1 if missing; None without such a column."""
    names: tuple[str, ...] = field(repr=False)
    """The users, by first appearance."""
    time: Codes | None = field(repr=False)
    """Shape (rows,): seconds since 1970 in UTC, :data:`NO_TIME` if missing; None without one."""
    lines: Codes = field(repr=False)
    """Shape (rows,): where each row stands in the file."""
    unit: str
    """What ``lines`` count."""
    others: tuple[str, ...]
    """Columns that may name users: those of no other meaning that hold no dates."""
    recognised: str
    """Which column was taken for what."""
    back: SetApart | None = None
    """Rows with a time before an earlier row's of their user, where that is no reason to set them
    apart: no order was claimed, and methods sort."""


def recognise(
    columns: PositionColumns, named: Mapping[str, str | None] | None = None, *, time: bool = True
) -> Positions:
    """Return the positions in columns, of which ``named`` holds names beside :data:`COLUMNS`.

    Without ``time`` no column of times is read.
    """
    spelled = {field: name for field, name in (named or {}).items() if name is not None}
    places = _places(columns, spelled)
    cells: dict[str, Sequence[Any]] = dict(columns.by_meaning)
    words = {meaning: meaning for meaning in cells}
    for meaning, place in places.items():
        if meaning == "time" and not time:
            continue
        cells[meaning] = columns.column(place)
        words[meaning] = show(columns.names[place])
    lat, lon = (_numbers(columns, words[meaning], cells[meaning]) for meaning in ("lat", "lon"))
    user, names = (None, ()) if "user" not in cells else codes_of(cells["user"])
    seconds, how = None, dict.fromkeys(COLUMNS, "")
    if time and "time" in cells:
        seconds, written = _seconds(columns, words["time"], cells["time"])
        how["time"] = f" ({written})"
    recognised = ", ".join(
        f"{meaning} from {words[meaning] if meaning in places else 'the format'}{how[meaning]}"
        for meaning in COLUMNS
        if meaning in words
    )
    return Positions(
        source=columns.source,
        lat=lat,
        lon=lon,
        user=user,
        names=names,
        time=seconds,
        lines=columns.lines,
        unit=columns.unit,
        others=() if user is not None else _others(columns, places),
        recognised=recognised,
    )


def set_apart(
    positions: Positions, *, far: Number | None = FAR, ordered: bool = False
) -> tuple[Positions, tuple[SetApart, ...]]:
    """Return the positions that can be right, and the others by reason.

    A row has the first reason that applies. Of rows with one user and one time the first stays.

    Args:
        positions: As recognised.
        far: How many times the median distance from the median point is far, of at least
            :data:`NEAR` metres; None if no distance is.
        ordered: Whether the file claims the order of time, so that a row with a time before an
            earlier row's of its user is wrong; else such rows are only named, in ``back``.
    """
    lat, lon, user, time = positions.lat, positions.lon, positions.user, positions.time
    remaining = np.ones(len(lat), dtype=np.bool_)
    apart: list[SetApart] = []

    def drop(reason: str, rows: Flags) -> None:
        # A row has one reason, the first: so those of all reasons add up to the file.
        rows = rows & remaining
        if rows.any():
            apart.append(SetApart(reason, positions.lines[rows], positions.unit))
            remaining[rows] = False

    drop("without a position", np.isnan(lat) | np.isnan(lon))
    drop("with a latitude beyond 90 degrees; swapped with the longitude?", np.abs(lat) > 90)
    drop("with a longitude beyond 180 degrees", np.abs(lon) > 180)
    if user is not None:
        drop("without a user", user < 0)
    if time is not None:
        drop("without a time", time == NO_TIME)
    # Where a device says it is as long as it does not know.
    drop("at (0, 0)", (lat == 0) & (lon == 0))
    behind = None
    if user is not None and time is not None:
        back = _flag_going_back(user, time, remaining)
        if ordered:
            drop("with a time that goes back", back)
        elif back.any():
            behind = SetApart("with a time that goes back", positions.lines[back], positions.unit)
        drop("with a user and a time that were there before", _flag_repeats(user, time, remaining))
    # Last: rows that are wrong anyway must not move the median.
    if far is not None:
        multiple = float(rational("far", far, least=1))
        drop(
            f"farther than {multiple:g} times the median distance",
            _far(lat, lon, remaining, multiple),
        )
    if not remaining.any():
        reasons = "; ".join(map(str, apart)) or "the file has no rows"
        raise DataError(f"{positions.source}: no position is usable: {reasons}")
    return replace(_rows(positions, remaining), back=behind), tuple(apart)


def find_lost_sight(positions: Positions, usable: Positions) -> tuple[Codes, Codes]:
    """Return whose rows were set apart, and when, of users with usable ones.

    From then on nobody knows where they are, until their next row: who is taken to be still where
    they were before would hide others who are there. A row that repeats the user and the time of a
    usable one tells nothing. Without a column of times, the times are those of the lines.
    """
    if positions.user is None or usable.user is None:
        return (np.zeros(0, dtype=np.int64),) * 2
    code_of = {name: code for code, name in enumerate(usable.names)}
    codes = np.array([code_of.get(name, -1) for name in positions.names], dtype=np.int64)
    # The -1 of no user reads the last code, which the condition passes over. There is a last one:
    # a usable row has a user.
    user = np.where(positions.user >= 0, codes[positions.user], -1)
    apart = (user >= 0) & ~np.isin(positions.lines, usable.lines)
    time, usual = positions.lines, usable.lines
    if positions.time is not None and usable.time is not None:
        apart &= positions.time != NO_TIME
        time, usual = positions.time, usable.time
    user, time = user[apart], time[apart]
    # As a rule few users lose a row: of theirs alone, pairs are made and compared in Python.
    rows = np.isin(usable.user, user)
    usable_pairs = set(zip(usable.user[rows].tolist(), usual[rows].tolist(), strict=True))
    new = [pair not in usable_pairs for pair in zip(user.tolist(), time.tolist(), strict=True)]
    return user[new], time[new]


def during(positions: Positions, start: int, end: int) -> Positions:
    """Return the positions from one second since 1970 on, and before another; DataError if none."""
    if (time := positions.time) is None:
        raise DataError(
            f"{positions.source}: no column for the time; need {any_of(COLUMNS['time'])}"
        )
    rows = (start <= time) & (time < end)
    if not rows.any():
        first, last = iso_text(int(time.min())), iso_text(int(time.max()))
        raise DataError(
            f"{positions.source}: no position from {iso_text(start)} to {iso_text(end)}; they are "
            f"from {first} to {last}"
        )
    return _rows(positions, rows)


def any_of(names: Sequence[str]) -> str:
    """Return names as a choice: a, b or c."""
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _rows(positions: Positions, rows: Flags) -> Positions:
    """Return some of the rows, with the users that are in them."""
    user, names = positions.user, positions.names
    if user is not None:
        present, first, codes = np.unique(user[rows], return_index=True, return_inverse=True)
        # By first appearance, so that setting rows apart and reading a smaller file are the same.
        order = np.argsort(first)
        user, names = np.argsort(order)[codes], tuple(names[code] for code in present[order])
    return replace(
        positions,
        lat=positions.lat[rows],
        lon=positions.lon[rows],
        user=user,
        names=names,
        time=None if positions.time is None else positions.time[rows],
        lines=positions.lines[rows],
    )


def _flag_going_back(user: Codes, time: Codes, remaining: Flags) -> Flags:
    rows = np.flatnonzero(remaining)
    # Stable: whether times go back is a matter of the file's order.
    rows = rows[np.argsort(user[rows], kind="stable")]
    # The latest time so far within each user: the running maximum of (user, rank of the time).
    ranks = np.unique(time[rows], return_inverse=True)[1]
    # Ranks, since times are too large to stand beside a user in 64 bits.
    keys = user[rows] * (len(rows) + 1) + ranks
    back = np.zeros(len(user), dtype=np.bool_)
    back[rows] = keys < np.maximum.accumulate(keys)
    return back


def _flag_repeats(user: Codes, time: Codes, remaining: Flags) -> Flags:
    rows = np.flatnonzero(remaining)
    # By row last: of equal ones the first of the file stays.
    rows = rows[np.lexsort((rows, time[rows], user[rows]))]
    again = np.zeros(len(user), dtype=np.bool_)
    again[rows[1:]] = (np.diff(user[rows]) == 0) & (np.diff(time[rows]) == 0)
    return again


def _far(lat: Floats, lon: Floats, remaining: Flags, multiple: float) -> Flags:
    rows = np.flatnonzero(remaining)
    beyond = np.zeros(len(lat), dtype=np.bool_)
    if not len(rows):
        return beyond
    # The lower medians are degrees of the file: of two halves of the Pacific, 180 and -180, the
    # mean would be on the other side of the globe.
    middle = [np.sort(column[rows])[(len(rows) - 1) // 2] for column in (lat, lon)]
    metres = _distances(lat[rows], lon[rows], *middle)
    beyond[rows] = metres > max(NEAR, multiple * float(np.median(metres)))
    return beyond


def _distances(lat: Floats, lon: Floats, middle_lat: float, middle_lon: float) -> Floats:
    """Return metres along great circles from a point."""
    # Half angles: next to one, an arc cosine would lose the metres between neighbours.
    up, across = np.radians(lat - middle_lat), np.radians(lon - middle_lon)
    cosines = np.cos(np.radians(lat)) * np.cos(np.radians(middle_lat))
    half = np.sin(up / 2) ** 2 + cosines * np.sin(across / 2) ** 2
    metres: Floats = 2 * EARTH_RADIUS * np.arcsin(np.sqrt(np.clip(half, 0, 1)))
    return metres


def _places(columns: PositionColumns, named: Mapping[str, str]) -> dict[str, int]:
    """Return the place of the column of each meaning that is there."""
    lower = [name.strip().lower() for name in columns.names]
    places = {}
    for meaning, headings in COLUMNS.items():
        if meaning in named:
            name = named[meaning]
            # A user or a time may be named in place of the format's: tracks of a GPX file.
            if meaning in ("lat", "lon") and meaning in columns.by_meaning:
                admissible = f"nothing; the format of {columns.source} says it"
                raise InvalidArgument(meaning, name, admissible)
            if name not in columns.names:
                available = show(", ".join(columns.names)) + did_you_mean(name, columns.names)
                raise DataError(f"{columns.source}: no column {show(name)}; there are {available}")
            places[meaning] = columns.names.index(name)
            continue
        if meaning in columns.by_meaning:
            continue
        place = next((lower.index(name) for name in headings if name in lower), None)
        if place is not None:
            places[meaning] = place
        elif meaning in ("lat", "lon"):
            raise DataError(f"{columns.source}: no column for {meaning}: need {any_of(headings)}")
    return places


def _others(columns: PositionColumns, places: Mapping[str, int]) -> tuple[str, ...]:
    """Return the columns that may name users: a day or an hour is nobody."""
    used = set(places.values())
    free = [place for place in range(len(columns.names)) if place not in used]
    return tuple(columns.names[place] for place in free if not _holds_dates(columns, place))


def _holds_dates(columns: PositionColumns, place: int) -> bool:
    name = columns.names[place].strip().lower()
    if name in COLUMNS["time"] or name in ("date", "day", "hour"):
        return True
    cell = next((cell for cell in columns.column(place) if not is_absent(cell)), None)
    if not isinstance(cell, str):
        return isinstance(cell, (date, np.datetime64))
    try:
        # A number may be a date, and far more often it is a number.
        return not cell.strip().isdecimal() and _moment(cell) is not None
    except ValueError:
        return False


def is_absent(cell: object) -> bool:
    """Say whether a cell stands for a value that is not recorded."""
    if isinstance(cell, str):
        text = cell.strip()
        return text in MISSING_CELLS or text.lower() in LOOK_MISSING
    return is_missing(cell)


def _at(columns: PositionColumns, row: int) -> str:
    """Return where a row stands, for messages."""
    return f"{columns.source}, {columns.unit} {columns.lines[row]}"


def _numbers(columns: PositionColumns, name: str, cells: Sequence[Any]) -> Floats:
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iuf":
        return cells.astype(np.float64)
    values = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells):
        if (number := _as_float(cell)) is not None:
            values[row] = number
        elif not is_absent(cell):
            raise DataError(f"{_at(columns, row)}: {name} is {show(cell)}; need a number")
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


def _seconds(columns: PositionColumns, name: str, cells: Sequence[Any]) -> tuple[Codes, str]:
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
                raise DataError(f"{_at(columns, row)}: {need}")
            numbers[row] = number
        return _from_epoch(columns, name, values, rows, numbers)
    zoned: bool | None = None
    for row in rows.tolist():
        try:
            moment = _moment(values[row])
        except ValueError:
            need = "seconds since 1970, or a date and a time of day"
            where = _at(columns, row)
            raise DataError(f"{where}: {name} is {show(values[row])}; need {need}") from None
        has_zone = moment.tzinfo is not None
        if zoned is None:
            zoned = has_zone
        elif zoned is not has_zone:
            # The times of one file are of one kind: hours may be between two that look alike.
            unlike = "no time zone, unlike" if zoned else "a time zone, unlike"
            where = _at(columns, row)
            raise DataError(f"{where}: {name} is {show(values[row])}: {unlike} the rows before")
        # A second begins at its full number, before 1970 as well: this rounds down.
        seconds[row] = (moment - (_ORIGIN if has_zone else _NAIVE_ORIGIN)) // _SECOND
    return seconds, "dates with a time zone" if zoned else "dates, taken as UTC"


_ORIGIN = datetime(1970, 1, 1, tzinfo=UTC)
_NAIVE_ORIGIN = datetime(1970, 1, 1)
_SECOND = datetime(1970, 1, 1, 0, 0, 1) - datetime(1970, 1, 1)


def _moment(cell: object) -> datetime:
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
        moment = _moment(text)
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
    _refuse_digits_of_dates(_at(columns, int(rows[0])), name, cells[rows[0]])
    sizes = np.searchsorted(_EPOCHS, np.abs(numbers[rows]), side="right")
    deviating = np.flatnonzero(sizes != sizes[0])
    size = int(sizes[0])
    if len(deviating):
        row = int(rows[deviating[0]])
        units = f"{_UNITS[sizes[deviating[0]]]}, and {_UNITS[size]} in the rows before"
        raise DataError(
            f"{_at(columns, row)}: {name} is {show(cells[row])}, which looks like {units}"
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
