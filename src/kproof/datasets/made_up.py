"""Tables that are made up on request: as large as one likes, and nobody's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kproof.datasets.hospital import COLUMNS, hospital


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A table that is made up.

    Attributes
    ----------
    name
        What a user types.
    title
        What it shows.
    columns
        Their names.
    rows
        How many there are if nobody says.
    text
        ``text(rows, seed=seed)`` returns it as CSV.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: int
    text: Callable[..., str] = field(repr=False)


MADE_UP = {
    "hospital": MadeUp(
        name="hospital",
        title="stays in a hospital, made up with a seed: names, numbers, dates of birth, notes",
        columns=COLUMNS,
        rows=2000,
        text=hospital,
    )
}
"""Tables that are made up, by name."""
