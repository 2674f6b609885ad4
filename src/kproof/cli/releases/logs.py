"""What commands on logs of positions share: the columns of the log, and the cells."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Group, Parameter

from kproof.cli.base.common import REPEATED, OptionGroup, option_group
from kproof.errors import InvalidArgument
from kproof.models.base.parameters import L, T
from kproof.models.moving.terms import GRID
from kproof.models.registry import by_name
from kproof.stages import stage

if TYPE_CHECKING:
    from kproof.models.moving.cells import GridCells, RoadCells
    from kproof.models.moving.knowing import PlacesKnown
    from kproof.models.places.city.city import City
    from kproof.models.places.kinds import KindsAsked, KindsJudged
    from kproof.models.places.log import PositionLog

CELLS = ".cells.geojson"
"""What the name of a file of cells has after that of a release."""

CELLS_GROUP = Group("The cells: from roads, a grid, or a file", sort_key=1)
RULES_GROUP = Group("What is asked of the method", sort_key=2)
Roads: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(consume_multiple=True, negative=(), show_default=False, group=CELLS_GROUP),
]
"""The option ``--roads NODES EDGES``, or one file of both."""
_COLUMNS = Group("The log", sort_key=3)


@option_group(_COLUMNS)
class LogColumns(OptionGroup):
    """Which columns of a log are what, if their names do not say."""

    lat: str | None = None
    """Column of latitudes, if not called lat, latitude or y."""
    lon: str | None = None
    """Column of longitudes, if not called lon, lng, long, longitude or x."""
    user: str | None = None
    """Column of users, if its name does not say so."""
    time: str | None = None
    """Column of times, if its name does not say so."""

    def read(self, path: str, far: Fraction | None = None) -> PositionLog:
        """Return the log in a file; where ``far`` is 0 nobody is set apart as far from others."""
        from kproof.models.places.log import read_log

        limit: dict[str, Any] = {} if far is None else {"far": far or None}
        with stage(f"reading {path}"):
            return read_log(path, **self.keywords(), **limit)


@option_group(Group("What somebody knows of a person in a cloaked log", sort_key=2.5))
class PlacesKnownOptions(OptionGroup):
    """Who else is judged beside the observers of a cloaked log."""

    knows: REPEATED = ()
    """Judge who knows any positions of a person, so many at most, or home-work: the commonest cell
    by night and by day, and when the person was there; may be repeated."""
    night: str = "22-6"
    """Hours of UTC from which, and before which, it is night, for home-work."""
    sybils: str = "0"
    """Judge who controls so many of the people with one record."""

    def read(self) -> PlacesKnown:
        """Return what is known, for the judge."""
        from kproof.models.moving.knowing import PlacesKnown

        return PlacesKnown.of(self.knows, night=self.night, sybils=self.sybils)


_KINDS = Group("Kinds of place, which regions may tell", sort_key=2.7)
OF_KINDS = (
    _KINDS,
    by_name(*(term.but(purpose=", of the kinds of place in a region") for term in (L, T))),
)
"""What a release is asked of kinds of place; else it is not written."""


@option_group(_KINDS)
class KindsOptions(OptionGroup):
    """Where kinds of place come from."""

    kinds: str | None = None
    """Judge the kinds of place in each region: a column of the positions; or a file of places with
    a latitude, a longitude and a kind. A kind that is not known counts as no other."""
    kinds_within: str = "100"
    """Metres from a position to the place that it is at, if kinds come from a file."""

    def pop_kinds(self, typed: dict[str, Any]) -> KindsAsked | None:
        """Return what is asked, and take it out of what was typed; None if nothing is."""
        from kproof.models.places.kinds import KindsAsked

        ell, t = typed.pop("l", None), typed.pop("t", None)
        if self.kinds is not None:
            return KindsAsked.of(self.kinds, self.kinds_within, ell, t)
        if (ell, t) != (None, None):
            raise InvalidArgument("kinds", None, "a column or a file, of which --l or --t is asked")
        return None

    @property
    def reads(self) -> tuple[str, ...]:
        """The file that is read, if it is there."""
        # What is no file is the name of a column.
        return () if self.kinds is None or not Path(self.kinds).is_file() else (self.kinds,)


def text_of(kinds: KindsJudged | None) -> str:
    """Return the lines on kinds of place behind others; empty if they were not judged."""
    lines = list(kinds.sentences) if kinds else []
    if kinds and not kinds.holds:
        lines.append("not written, as a region lacks kinds of place that are asked for")
    return "".join(f"\n{line}" for line in lines)


def cells_asked(
    typed: dict[str, Any], roads: tuple[str, ...], cells: str | None
) -> tuple[str | None, dict[str, str]]:
    """Take the grid and what is asked of leaves of roads out of what was typed.

    Cells that were not asked for in just one way are refused.
    """
    grid: str | None = typed.pop("grid", None)
    least = ("least_nodes", "least_street")
    leaves: dict[str, str] = {name: typed.pop(name) for name in least if name in typed}
    chosen = [name for name, value in (("grid", grid), ("roads", roads), ("cells", cells)) if value]
    if len(chosen) != 1:
        text = " ".join(f"--{name}" for name in chosen) or None
        raise InvalidArgument("cells", text, "--roads NODES EDGES, or --grid METRES, or --cells")
    if len(roads) > 2:
        raise InvalidArgument("roads", " ".join(roads), "nodes and edges, or one file of both")
    for name, value in leaves.items():
        if not roads:
            raise InvalidArgument(name, value, "--roads, whose smallest cells it is about")
    return grid, leaves


def make_cells(
    grid: str | None, roads: tuple[str, ...], leaves: dict[str, str]
) -> RoadCells | GridCells:
    """Return the cells of a grid or of roads, as they were asked for."""
    from kproof.models.moving.cells import GridCells, RoadCells

    if grid is not None:
        return GridCells(float(GRID.read(grid)))
    return RoadCells.of(city_of_roads(roads), **leaves)


def city_of_roads(roads: tuple[str, ...]) -> City:
    """Return the city of one file of roads, or of nodes and edges."""
    from kproof.models.places.city.files import read_city

    if not 1 <= len(roads) <= 2:
        raise InvalidArgument("roads", " ".join(roads), "nodes and edges, or one file of both")
    with stage(f"reading {roads[0]}"):
        return read_city(roads[0], edges=roads[1] if len(roads) > 1 else None)
