"""Tables that are made up on request: as large as one likes, and nobody's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kproof.datasets import exits as toll_roads
from kproof.datasets import hospital as stays


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A table that is made up."""

    name: str
    """What a user types."""
    title: str
    """What it shows."""
    columns: tuple[str, ...]
    """Their names."""
    rows: int
    """How many there are if nobody says."""
    text: Callable[..., str] = field(repr=False)
    """``text(rows, seed=seed)`` returns it as CSV."""


MADE_UP = {
    "hospital": MadeUp(
        name="hospital",
        title="stays in a hospital, made up with a seed: names, numbers, dates of birth, notes",
        columns=stays.COLUMNS,
        rows=2000,
        text=stays.hospital,
    ),
    "exits": MadeUp(
        name="exits",
        title="exits of trucks from toll roads, made up with a seed: sections, times, tolls",
        columns=toll_roads.COLUMNS,
        rows=2000,
        text=toll_roads.exits,
    ),
}
"""Tables that are made up, by name."""
