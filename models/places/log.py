"""A log of positions: who was where and when, read from whatever file holds it.

The one reader for methods that publish positions of people. What was recognised, and what was set
apart and why, are part of a log, so that whoever publishes it sees them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kproof.arguments import FLAG, PATH, TEXT, check_arguments
from kproof.errors import DataError, show
from kproof.forms import JsonForm
from kproof.models.base.adjacency import read_only
from kproof.models.base.arrays import Codes, Floats
from kproof.models.base.verdict import SCHEMA
from kproof.models.places.points import SetApart
from kproof.models.places.position_files import columns_of_arrays, read_columns
from kproof.models.places.positions import (
    COLUMNS,
    FAR,
    Positions,
    any_of,
    find_lost_sight,
    recognise,
    set_apart,
)
from kproof.notebooks import NotebookText
from kproof.theory.exact.typed import Number


@dataclass(frozen=True, eq=False)
class PositionLog(NotebookText):
    """Who was where and when, in the order of people and times."""

    person: Codes = field(repr=False)
    """Shape (rows,): index into ``names``."""
    names: tuple[str, ...] = field(repr=False)
    """The people, by first appearance; each has a row."""
    time: Codes = field(repr=False)
    """Shape (rows,): seconds since 1970 in UTC; no two are equal within a person."""
    lat: Floats = field(repr=False)
    lon: Floats = field(repr=False)
    """Shape (rows,): degrees."""
    line: Codes = field(repr=False)
    """Shape (rows,): where each row stands in the file."""
    lost_person: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)
    lost_time: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)
    """Shape (lost,): when a row of a person was set apart. From then on nobody knows where they
    are, until their next row."""
    apart: tuple[SetApart, ...] = ()
    """What is not used, by reason."""
    back: SetApart | None = None
    """Used rows that stood behind later ones of their person, if the file claimed no order."""
    recognised: str = ""
    """Which column was taken for what."""

    @classmethod
    def of(
        cls,
        lat: ArrayLike,
        lon: ArrayLike,
        *,
        users: Iterable[object],
        time: ArrayLike,
        far: Number | None = FAR,
        source: str = "the log",
    ) -> PositionLog:
        """Return the log of four columns of one length; rows are set apart as of a file.

        Args:
            lat, lon: Degrees.
            users: Whose each position is; texts, or anything with a text of its own.
            time: Seconds since 1970 in UTC, whole numbers.
            far: As for :func:`read_log`.
            source: What messages call it.

        >>> log = PositionLog.of([52, 52, 0], [13, 13, 0], users="aba", time=[60, 0, 0])
        >>> log.names, log.time.tolist(), [str(rows) for rows in log.apart]
        (('a', 'b'), [60, 0], ['1 at (0, 0) (row 3)'])
        """
        columns: dict[str, Any] = {"lat": np.asarray(lat), "lon": np.asarray(lon)}
        # No array of users: NumPy makes texts of numbers beside texts, and rows of pairs.
        owners = users if isinstance(users, np.ndarray) else list(users)
        columns |= {"user": owners, "time": np.asarray(time)}
        return _log(recognise(columns_of_arrays(source, columns)), far=far, ordered=False)

    @property
    def people(self) -> int:
        """Number of people."""
        return len(self.names)

    @property
    def rows(self) -> int:
        """Number of positions."""
        return len(self.person)

    def __str__(self) -> str:
        """Return what the log is and what was set apart, in a few lines."""
        lines = [f"recognised: {self.recognised}", f"positions: {self.rows}"]
        lines += [f"people: {self.people}", *(f"set apart: {rows}" for rows in self.apart)]
        lines += [f"sorted: {self.back}"] if self.back is not None else []
        return "\n".join(lines)

    def summary(self) -> str:
        """Return what the log prints as."""
        return str(self)

    to_dict = JsonForm(
        "positions=rows people recognised set_apart=apart sorted=back", schema=SCHEMA
    )


@check_arguments(path=PATH, lat=TEXT, lon=TEXT, user=TEXT, time=TEXT, ordered=FLAG)
def read_log(
    path: str | Path,
    *,
    lat: str | None = None,
    lon: str | None = None,
    user: str | None = None,
    time: str | None = None,
    far: Number | None = FAR,
    ordered: bool = False,
) -> PositionLog:
    """Read a log of positions from a CSV, Parquet, GeoParquet, NDJSON, GeoJSON or GPX file.

    Columns are known by :data:`~kproof.models.places.positions.COLUMNS`. Times are seconds,
    milliseconds, microseconds or nanoseconds since 1970, or dates such as ``2008/06/08 23:40:39``
    or ``2008-06-08T23:40:39+02:00``; UTC without a time zone. A GPX file is one person's, of the
    file's name; ``user="name"`` takes its tracks for people.

    Set apart are rows without a position, user or time, those off the globe, at (0, 0), with a user
    and a time that were there before, and far ones. Rows whose time goes back are sorted and
    named, and set apart where the file claims the order of time.

    Args:
        path: The file; its ending tells the format, CSV if it is none of the others.
        lat, lon, user, time: Names of columns, if they have others.
        far: How many times the median distance from the median point is too far, though never
            within 1 km of it; None if nothing is.
        ordered: Whether the file claims the order of time.

    Raises:
        DataError: If the file cannot be read, a column is missing, a cell is no number or no time,
            or no row can be used; it names the line.

    >>> read_log("nowhere.csv")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    kproof.errors.DataError: nowhere.csv: no such file, and not a shipped table (table-1a, ...)
    """
    named = {"lat": lat, "lon": lon, "user": user, "time": time}
    return _log(recognise(read_columns(path), named), far=far, ordered=ordered)


def _log(positions: Positions, *, far: Number | None, ordered: bool) -> PositionLog:
    for meaning, column in (("user", positions.user), ("time", positions.time)):
        if column is None:
            headings = any_of(COLUMNS[meaning])
            hint = f", or its name as {meaning}: {', '.join(map(show, positions.others))}"
            raise DataError(
                f"{positions.source}: no column for the {meaning}; need {headings}"
                f"{hint if positions.others and meaning == 'user' else ''}"
            )
    # Both columns are there from here on, so that rows without a user or a time are set apart.
    usable, apart = set_apart(positions, far=far, ordered=ordered)
    assert usable.user is not None
    assert usable.time is not None
    order = np.lexsort((usable.time, usable.user))
    lat, lon = usable.lat[order], usable.lon[order]
    # From all rows, since those that were set apart are who was lost sight of, and when.
    lost_person, lost_time = find_lost_sight(positions, usable)
    lat.flags.writeable = lon.flags.writeable = False
    return PositionLog(
        person=read_only(usable.user[order]),
        names=usable.names,
        time=read_only(usable.time[order]),
        lat=lat,
        lon=lon,
        line=read_only(usable.lines[order]),
        lost_person=read_only(lost_person),
        lost_time=read_only(lost_time),
        apart=apart,
        back=usable.back,
        recognised=usable.recognised,
    )
