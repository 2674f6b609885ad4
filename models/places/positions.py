"""Where somebody was, as a file says it: what columns mean, and which rows are set apart.

A row that cannot be right is never published; it is set apart, with its line and the reason, and
whoever publishes is told. What is no number and no time at all is an error: then a column is not
what its name says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import numpy as np

from kproof.errors import DataError, InvalidArgument, did_you_mean, show
from kproof.models.base.arrays import Codes, Flags, Floats
from kproof.models.places.plane import EARTH_RADIUS
from kproof.models.places.points import SetApart
from kproof.models.places.position_cells import (
    NO_TIME,
    codes_of,
    is_absent,
    iso_text,
    moment_of,
    numbers_of,
    seconds_since_1970,
)
from kproof.models.places.position_files import PositionColumns
from kproof.models.tables.doubts import spelt_twice
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
    lat, lon = (numbers_of(columns, words[meaning], cells[meaning]) for meaning in ("lat", "lon"))
    user, names = (None, ()) if "user" not in cells else codes_of(cells["user"])
    seconds, how = None, dict.fromkeys(COLUMNS, "")
    if time and "time" in cells:
        seconds, written = seconds_since_1970(columns, words["time"], cells["time"])
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
    # As of a table: somebody who is written in two ways would be two of k people.
    if user is not None and (twice := spelt_twice(positions.names, words=False)):
        raise DataError(
            f"{positions.source}: {twice} user; write them alike, or so that a reader can tell "
            "them apart"
        )
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
        return not cell.strip().isdecimal() and moment_of(cell) is not None
    except ValueError:
        return False
