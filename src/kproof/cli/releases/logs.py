"""What commands on logs of positions share: the columns of the log, and the cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Group, Parameter

from kproof.cli.base.common import OptionGroup, option_group
from kproof.errors import InvalidArgument
from kproof.models.moving.terms import GRID
from kproof.stages import stage

if TYPE_CHECKING:
    from kproof.models.moving.cells import GridCells, RoadCells
    from kproof.models.places.city.city import City
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

    def read(self, path: str, *, all_rows: bool = False) -> PositionLog:
        """Return the log in a file; with ``all_rows`` nobody is set apart as far from others."""
        from kproof.models.places.log import read_log

        far: dict[str, Any] = {"far": None} if all_rows else {}
        with stage(f"reading {path}"):
            return read_log(path, **self.keywords(), **far)


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
