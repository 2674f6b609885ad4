"""What has been read of a city, before it is one: the part that all formats share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kproof.errors import DataError, InvalidArgument, show
from kproof.models.places.city.city import MOST_USERS, City, Coordinates
from kproof.theory.exact.typed import integer, rational

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "node": ("osmid", "node", "node_id", "id", "name"),
    "x": ("lon", "longitude", "lng", "x"),
    "y": ("lat", "latitude", "y"),
    "users": ("users", "population"),
    "start": ("from_", "from", "u", "source", "start"),
    "end": ("to_", "to", "v", "target", "end"),
    "one_way": ("oneway", "one_way"),
}
"""What each column may be called, in any case; the first that is there counts."""

DEGREES = ("lon", "longitude", "lng", "lat", "latitude")
"""Names that say that coordinates are degrees."""


@dataclass
class Draft:
    """What has been read of a city."""

    names: list[str] = field(default_factory=list)
    """Of the nodes."""
    x: list[float] = field(default_factory=list)
    y: list[float] = field(default_factory=list)
    """Of each node; empty if the file has none."""
    kind: Coordinates = Coordinates.PLANE
    """What they are."""
    users: list[int] = field(default_factory=list)
    """At each node; empty if the file has none."""
    streets: list[tuple[int, int]] = field(default_factory=list)
    """Pairs of node indexes."""
    one_way: list[bool] = field(default_factory=list)
    """Whether each street may be driven in this direction only."""

    def add(self, ends: tuple[int, int], towards: int) -> None:
        """Add a street: one-way along its ends (1), against them (-1), or not (0)."""
        self.streets.append(ends[::-1] if towards < 0 else ends)
        self.one_way.append(towards != 0)


def city_of(draft: Draft) -> City:
    """Return the city, or raise the errors of :meth:`City.of`."""
    ways = {
        way
        for (u, v), one_way in zip(draft.streets, draft.one_way, strict=True)
        for way in (((u, v),) if one_way else ((u, v), (v, u)))
    }
    city = City.of(
        draft.users or np.zeros(len(draft.names), dtype=np.int64),
        draft.streets,
        x=draft.x or None,
        y=draft.y or None,
        coordinates=draft.kind,
        one_way=sorted((u, v) for u, v in ways if u != v and (v, u) not in ways),
        names=draft.names,
    )
    return city.merge_by_way(set(draft.streets))


def direction(text: str) -> int | None:
    """Return 1 for a one-way street, -1 for one against its direction, 0 for none."""
    word = text.strip().lower()
    if word in ("yes", "true", "1"):
        return 1
    if word in ("-1", "reverse"):
        return -1
    return 0 if word in ("no", "false", "0", "") else None


def known(place: Mapping[str, int], name: str, location: str) -> int:
    """Return the index of a node at which a street ends."""
    if name not in place:
        raise DataError(f"{location}: a street leads to {show(name)}, which is no node")
    return place[name]


def people(text: str, location: str) -> int:
    """Read a number of users."""
    try:
        return integer("users", text, least=0, most=MOST_USERS)
    except InvalidArgument:
        need = f"a whole number, 0 to {MOST_USERS}"
        raise DataError(f"{location}: {show(text)} users; need {need}") from None


def decimal(text: str, column: str, location: str = "") -> float:
    """Read a coordinate."""
    try:
        return float(rational(column, text))
    except (InvalidArgument, OverflowError):
        before = f"{location}: " if location else ""
        raise DataError(f"{before}{column} is {show(text)}; need a number") from None
