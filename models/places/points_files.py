"""Points from files and frames, for methods that take positions of one moment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kproof.models.places.points import Points
from kproof.models.places.position_files import PositionColumns, read_columns
from kproof.models.places.positions import FAR, during, recognise, set_apart
from kproof.theory.exact.typed import Number


def read_points(
    source: str | Path,
    *,
    lat: str | None = None,
    lon: str | None = None,
    user: str | None = None,
    time: str | None = None,
    far: Number | None = FAR,
    period: tuple[int, int] | None = None,
) -> Points:
    """Read points from a file as :func:`~kproof.read_log` does, whatever their times.

    Without a column of users nothing is known of them, and the other columns are kept as
    :attr:`~kproof.models.places.points.Points.others`. ``period`` chooses positions from a second
    since 1970 on, and before another; then the file needs times.

    >>> read_points("table-1a")
    Traceback (most recent call last):
    kproof.errors.DataError: table-1a: no column for lat: need lat, latitude or y
    """
    return points_of(
        read_columns(source),
        {"lat": lat, "lon": lon, "user": user, "time": time},
        far=far,
        period=period,
    )


def points_of(
    columns: PositionColumns,
    named: Mapping[str, str | None] | None = None,
    *,
    far: Number | None = FAR,
    period: tuple[int, int] | None = None,
) -> Points:
    """Return the points in columns, of a period or all, without those that cannot be right."""
    positions = recognise(columns, named, time=period is not None)
    usable, apart = set_apart(positions, far=far)
    # After rows are set apart: what is far must not depend on the period that is chosen.
    if period is not None:
        usable = during(usable, *period)
    for array in (usable.lat, usable.lon, usable.user):
        if array is not None:
            array.flags.writeable = False
    return Points(
        lat=usable.lat,
        lon=usable.lon,
        users=usable.user,
        names=usable.names,
        others=usable.others,
        apart=apart,
        period=period,
        recognised=usable.recognised,
        line=usable.lines,
    )
