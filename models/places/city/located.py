"""The users of a city from a log: each at the crossing next to where they were last."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from kproof.errors import DataError
from kproof.forms import JsonForm
from kproof.models.base.adjacency import read_only
from kproof.models.base.arrays import Codes, Floats
from kproof.models.places.city.city import City, Coordinates
from kproof.models.places.plane import next_places
from kproof.models.places.points import SetApart
from kproof.models.places.position_files import read_columns
from kproof.models.places.positions import (
    COLUMNS,
    FAR,
    any_of,
    find_lost_sight,
    recognise,
    set_apart,
)
from kproof.theory.exact.typed import Number, rational

SNAP = 500
"""Metres from the next crossing, beyond which somebody is not in the city."""


@dataclass(frozen=True, eq=False)
class LocatedUsers:
    """A city whose users come from a log, and how far they were from their crossings."""

    city: City
    """With the users that were near it."""
    recognised: str
    """Which column was taken for what."""
    apart: tuple[SetApart, ...]
    """Rows that are not used, by reason."""
    metres: Floats
    """Shape (users,): from where each user was last to the crossing."""
    node: Codes
    """Shape (users,): the crossing of each."""
    line: Codes
    """Shape (users,): where that row stands in the log."""

    def summary(self) -> str:
        """Return what was read, and how far users were moved, in a few lines."""
        lines = [f"recognised: {self.recognised}"]
        lines += [f"set apart: {rows}" for rows in self.apart]
        middle, most = float(np.median(self.metres)), float(self.metres.max())
        lines += [f"moved to a crossing: {middle:.0f} m in the median, {most:.0f} m at most"]
        return "\n".join(lines)

    to_dict = JsonForm("recognised set_apart=apart")


def read_users(
    city: City, path: str | Path, *, far: Number | None = FAR, snap: Number = SNAP
) -> LocatedUsers:
    """Place each user of a log once, at the crossing next to their last position.

    Last is by time if the log has times, else by row. Who was more than ``snap`` metres from every
    crossing then is set apart; the rows of a log that cannot be right are, as by
    :func:`~kproof.read_log`. A city without degrees is a DataError.
    """
    limit = float(rational("snap", snap, least=0))
    if city.coordinates is not Coordinates.DEGREES or city.x is None or city.y is None:
        raise DataError(f"{path}: users by position need a city with longitudes and latitudes")
    everything = recognise(read_columns(path))
    positions, apart = set_apart(everything, far=far)
    if positions.user is None:
        raise DataError(f"{path}: no column for the user; need {any_of(COLUMNS['user'])}")
    rows = np.arange(len(positions.user))
    # By row last: of two at one time the later of the file counts.
    order = np.lexsort((rows, rows if positions.time is None else positions.time, positions.user))
    # Users are numbered from 0, so that the -1 behind them ends the last one's rows as well, and
    # place i of what follows is user i.
    last = order[np.flatnonzero(np.diff(positions.user[order], append=-1))]
    nearest, metres = next_crossings(city, positions.lat[last], positions.lon[last])
    # Whose last row was set apart is no longer where they were.
    who, when = find_lost_sight(everything, positions)
    last_time = (positions.lines if positions.time is None else positions.time)[last]
    gone = np.zeros(len(last), dtype=np.bool_)
    gone[who[when > last_time[who]]] = True
    within = (metres <= limit) & ~gone
    unused = {
        "whose last row was set apart": gone,
        f"last seen more than {limit:g} m from a crossing": ~within & ~gone,
    }
    lines, unit = positions.lines[last], positions.unit
    more = (SetApart(why, lines[rows], unit) for why, rows in unused.items() if rows.any())
    if not within.any():
        raise DataError(f"{path}: nobody is within {limit:g} m of a crossing of the city")
    users = read_only(np.bincount(nearest[within], minlength=city.nodes))
    return LocatedUsers(
        replace(city, users=users),
        positions.recognised,
        (*apart, *more),
        metres[within],
        nearest[within],
        lines[within],
    )


def next_crossings(city: City, lat: Floats, lon: Floats) -> tuple[Codes, Floats]:
    """Return the crossing of a city in degrees next to each position, and the metres to it."""
    return next_places(*city.degrees, lat, lon)
