"""Points: positions on the globe, each possibly with the user it belongs to.

Degrees in, degrees kept. Where a plane in metres is needed,
:class:`~kproof.models.places.plane.Plane` makes one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from kproof.errors import DataError, InvalidArgument
from kproof.forms import JsonForm
from kproof.models.base.adjacency import read_only
from kproof.models.base.arrays import Codes, Floats, number_by_first
from kproof.models.base.missing import is_missing
from kproof.models.base.verdict import SCHEMA

_NAMED_LINES = 5
"""Lines that a message names of many."""


@dataclass(frozen=True, eq=False)
class SetApart:
    """Rows of a file that are not used, for one reason."""

    reason: str
    """Why, in a few words."""
    lines: Codes
    """Where they stand in the file."""
    unit: str
    """What ``lines`` count: line, row or feature."""

    def __str__(self) -> str:
        """Return the number, the reason and the first lines."""
        named = ", ".join(map(str, self.lines[:_NAMED_LINES].tolist()))
        more = len(self.lines) - _NAMED_LINES
        plural = "" if len(self.lines) == 1 else "s"
        tail = f" and {more} more" if more > 0 else ""
        return f"{len(self.lines)} {self.reason} ({self.unit}{plural} {named}{tail})"


@dataclass(frozen=True, eq=False)
class Points:
    """Positions and whose they are; built by :meth:`of`."""

    lat: Floats = field(repr=False)
    lon: Floats = field(repr=False)
    """Shape (points,): degrees, -90 to 90 and -180 to 180."""
    users: Codes | None = field(default=None, repr=False)
    """Shape (points,): index into ``names``; None if nothing is known of users."""
    names: tuple[object, ...] = field(default=(), repr=False)
    """The users, by first appearance."""
    others: tuple[str, ...] = field(default=(), repr=False)
    """Where no users are known: other columns of the source, one of which may name them."""
    apart: tuple[SetApart, ...] = ()
    """Rows of the source that are not among the points, by reason."""
    period: tuple[int, int] | None = None
    """Seconds since 1970 from which, and before which, positions were chosen; None if all were."""
    recognised: str = ""
    """Which column was taken for what, if they were columns."""
    line: Codes | None = field(default=None, repr=False)
    """Shape (points,): where each stands in the file; None if there is none."""

    @classmethod
    def of(
        cls,
        lat: ArrayLike,
        lon: ArrayLike,
        *,
        users: Iterable[object] | None = None,
        others: Iterable[str] = (),
    ) -> Points:
        """Return the points of two columns of degrees, of one length.

        ``users`` says whose each point is: anything hashable; None, NaN or NA is not a user.
        Without them nobody can say how many people points are, and ``others`` names columns that
        were not read. An error names the row, counted from 0.

        >>> trips = Points.of([52.5, 52.5, 48.1], [13.4, 13.4, 11.6], users=["ada", "bob", "ada"])
        >>> trips.count, trips.people, trips.users.tolist()
        (3, 2, [0, 1, 0])
        """
        north = _degrees("latitude", lat, 90)
        east = _degrees("longitude", lon, 180)
        if len(north) != len(east):
            raise InvalidArgument("lon", f"{len(east)} longitudes", f"{len(north)}, as in lat")
        if users is None:
            return cls(north, east, others=tuple(others))
        owners = users if isinstance(users, np.ndarray) else list(users)
        if len(owners) != len(north):
            raise InvalidArgument("users", f"{len(owners)} users", f"one for {len(north)} points")
        # An array of whole numbers has no missing ones, and is numbered without a loop.
        if isinstance(owners, np.ndarray) and owners.dtype.kind in "iu":
            numbers, distinct = number_by_first(owners)
            return cls(north, east, read_only(numbers), tuple(distinct.tolist()))
        code_of: dict[object, int] = {}
        codes = np.empty(len(owners), dtype=np.int64)
        for row, user in enumerate(owners):
            if is_missing(user):
                raise DataError(f"point {row} has no user; need one for every point")
            try:
                codes[row] = code_of.setdefault(user, len(code_of))
            except TypeError:
                raise DataError(f"point {row} has a {type(user).__name__} for a user") from None
        return cls(north, east, read_only(codes), tuple(code_of))

    @property
    def count(self) -> int:
        """Number of points."""
        return len(self.lat)

    @property
    def people(self) -> int | None:
        """Number of users, or None if nothing is known of them."""
        return None if self.users is None else len(self.names)

    def summary(self) -> str:
        """Return what the points are, in a few lines."""
        people = "unknown" if self.users is None else str(len(self.names))
        lines = [f"recognised: {self.recognised}"] if self.recognised else []
        lines += [f"points: {self.count}", f"users: {people}"]
        return "\n".join([*lines, *(f"set apart: {rows}" for rows in self.apart)])

    to_dict = JsonForm("points=count users=people set_apart=apart", schema=SCHEMA)


def _degrees(name: str, values: ArrayLike, limit: int) -> Floats:
    try:
        # A copy: it becomes read-only below, and the caller's own must not.
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"a {name} is not a number; need -{limit} to {limit}") from None
    if array.ndim != 1:
        raise InvalidArgument(name, array.shape, "one number for each point")
    # Written so that NaN is bad as well.
    bad = np.flatnonzero(~(np.abs(array) <= limit))
    if len(bad):
        row = int(bad[0])
        raise DataError(f"point {row} has {name} {array[row]}; need -{limit} to {limit}")
    array.flags.writeable = False
    return array
