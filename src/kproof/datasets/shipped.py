"""Tables that have a name in place of a file: those that come with kproof, and those it makes up.

The published ones are those of Khan et al., Electronics 2020, 9(5), 716, in ``electronics/``.
Labels are the paper's, with ``<=`` for its ``=<`` so that no cell opens like a formula. The column
Class numbers the equivalence classes, which the paper shows as blocks of rows; the rows of Table 8
are not those persons' of Table 1a that have the same number.

The sample is a piece of the hospital that is made up, of a fixed size, so that a first report is
about a table that looks like somebody's own.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from kproof.datasets import exits as toll_roads
from kproof.datasets import hospital as stays

SAMPLE = "hospital-sample"
"""The table that a report is about if nobody names one."""

_SAMPLE_ROWS, _SAMPLE_SEED = 240, 1
"""So few that everything about them is computed before a compiler would have been loaded."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """A table that comes with kproof."""

    title: str
    """What it shows."""
    origin: str
    """Where it was published, or what makes it up."""
    text: str
    """The table as CSV."""
    made_up: bool = False
    """Whether nobody in it exists."""


def _load_tables() -> dict[str, Shipped]:
    folder = Path(__file__).with_name("electronics")
    titles: dict[str, str] = json.loads((folder / "titles.json").read_text(encoding="utf-8"))
    paper = "Electronics 2020, 9(5), 716, Table"
    return {
        name: Shipped(
            title,
            f"{paper} {name.removeprefix('table-')}",
            (folder / f"{name}.csv").read_text(encoding="utf-8"),
        )
        for name, title in titles.items()
    }


SHIPPED = _load_tables() | {
    SAMPLE: Shipped(
        f"{_SAMPLE_ROWS} stays in a hospital, all made up",
        f"kproof datasets hospital --rows {_SAMPLE_ROWS} --seed {_SAMPLE_SEED}",
        stays.hospital(_SAMPLE_ROWS, seed=_SAMPLE_SEED),
        made_up=True,
    )
}
"""Shipped tables by the name that stands for a file wherever one is asked for."""


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A table that is made up on request: as large as one likes, and nobody's."""

    name: str
    """What a user types."""
    title: str
    """What it shows."""
    columns: tuple[str, ...]
    """Their names."""
    text: Callable[..., str] = field(repr=False)
    """``text(rows, seed=seed)`` returns it as CSV."""
    rows: int = 2000
    """How many there are if nobody says."""


MADE_UP = {
    "hospital": MadeUp(
        "hospital",
        "stays in a hospital, made up with a seed: names, numbers, dates of birth, notes",
        stays.COLUMNS,
        stays.hospital,
    ),
    "exits": MadeUp(
        "exits",
        "exits of trucks from toll roads, made up with a seed: sections, times, tolls",
        toll_roads.COLUMNS,
        toll_roads.exits,
    ),
}
"""Tables that are made up, by name."""
