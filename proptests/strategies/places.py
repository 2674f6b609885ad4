"""Strategies for cities and point clouds, and the sources of cases made of them.

Everything is drawn as small whole numbers, so that cases shrink to few nodes, few users and
points near (0, 0). Road networks are Gabriel graphs: two junctions are joined if no third lies in
the circle between them, which is planar, connected and irregular as roads are.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import combinations, combinations_with_replacement, product
from typing import Any, NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from kproof.models.places.city.city import City
from kproof.models.places.points import Points
from kproof.models.registry import Kind
from kproof.proptests.cases import CityCase, PointsCase
from kproof.proptests.contract import Source

Pair = tuple[int, int]


class Roads(NamedTuple):
    """Roads before anybody lives there."""

    positions: tuple[Pair, ...]
    roads: tuple[Pair, ...]


GROUP_SIZES = st.sampled_from((2, 3, 4, 5, 1, 12))
"""Small ones first; 1 asks for nothing, 12 is often infeasible."""

_CITY_PARAMETERS: Mapping[str, SearchStrategy[Any]] = {
    "k": GROUP_SIZES,
    "min_k": GROUP_SIZES,
    "depth": st.integers(0, 3),
    "seed": st.integers(0, 3),
}
_POINTS_PARAMETERS: Mapping[str, SearchStrategy[Any]] = {
    "k": GROUP_SIZES,
    "min_k": GROUP_SIZES,
    "min_sector_length": st.sampled_from((100, 25, 1000)),
    "merge_sectors": st.booleans(),
    "count": st.sampled_from(("users", "locations")),
    "seed": st.integers(0, 3),
}


@st.composite
def grids(draw: DrawFn, *, most: int = 4) -> Roads:
    """Draw a grid of streets, possibly with some closed.

    Args:
        most: Rows and columns, at most.
    """
    rows, cols = draw(st.integers(1, most)), draw(st.integers(1, most))
    spots = tuple((col, row) for row in range(rows) for col in range(cols))
    roads = tuple(
        (i, j)
        for i, j in combinations(range(len(spots)), 2)
        if abs(spots[i][0] - spots[j][0]) + abs(spots[i][1] - spots[j][1]) == 1
    )
    return _with_closed_roads(draw, Roads(spots, roads))


@st.composite
def planar_roads(draw: DrawFn, *, nodes: int = 9) -> Roads:
    """Draw junctions on a lattice and the Gabriel graph over them, possibly with roads closed.

    Args:
        nodes: Junctions, at most.
    """
    spot = st.tuples(st.integers(0, 9), st.integers(0, 9))
    spots = tuple(draw(st.lists(spot, min_size=1, max_size=nodes, unique=True)))
    return _with_closed_roads(draw, Roads(spots, gabriel_roads(spots)))


def gabriel_roads(spots: tuple[Pair, ...]) -> tuple[Pair, ...]:
    """Return the pairs of spots with no third spot in the circle of which they are a diameter.

    >>> gabriel_roads(((0, 0), (2, 0), (1, 1), (9, 9)))
    ((0, 2), (1, 2), (2, 3))
    """

    def apart(a: Pair, b: Pair, third: Pair) -> bool:
        # An angle of 90 degrees or more at the third spot puts it in the circle.
        (ax, ay), (bx, by), (cx, cy) = a, b, third
        return (ax - cx) * (bx - cx) + (ay - cy) * (by - cy) > 0

    return tuple(
        (i, j)
        for i, j in combinations(range(len(spots)), 2)
        if all(
            apart(spots[i], spots[j], third)
            for place, third in enumerate(spots)
            if place not in (i, j)
        )
    )


@st.composite
def separate_parts(draw: DrawFn) -> Roads:
    """Draw two or three networks without a road between them."""
    positions: tuple[Pair, ...] = ()
    roads: tuple[Pair, ...] = ()
    for part in draw(st.lists(planar_roads(nodes=4), min_size=2, max_size=3)):
        # East of all that is there, so that no two parts have a spot in common.
        start, east = len(positions), max((x for x, _ in positions), default=-10) + 10
        positions += tuple((x + east, y) for x, y in part.positions)
        roads += tuple((i + start, j + start) for i, j in part.roads)
    return Roads(positions, roads)


@st.composite
def city_cases(
    draw: DrawFn,
    parameters: frozenset[str] = frozenset({"k"}),
    *,
    layouts: SearchStrategy[Roads] | None = None,
    users: SearchStrategy[int] | None = None,
    one_way: bool = False,
) -> CityCase:
    """Draw a city with requests from some of its nodes.

    Parameters that are not known are left out. The roads are grids, planar roads or separate parts
    unless layouts are given; ``users`` is how many are at one node.
    """
    layout = draw(
        st.one_of(grids(), planar_roads(), separate_parts()) if layouts is None else layouts
    )
    number = st.integers(0, 4) if users is None else users
    count = len(layout.positions)
    people = tuple(draw(number) for _ in range(count))
    targets = draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=3, unique=True))
    ways: tuple[Pair, ...] = ()
    if one_way and layout.roads:
        # For each street: open both ways, or one way or the other.
        choice = st.lists(st.integers(0, 2), min_size=len(layout.roads), max_size=len(layout.roads))
        directions = zip(layout.roads, draw(choice), strict=True)
        ways = tuple((i, j) if way == 1 else (j, i) for (i, j), way in directions if way)
    return CityCase(
        users=people,
        roads=layout.roads,
        targets=tuple(targets),
        positions=layout.positions,
        one_way=ways,
        parameters=_parameters(draw, _CITY_PARAMETERS, parameters),
    )


def cities(
    *, layouts: SearchStrategy[Roads] | None = None, users: SearchStrategy[int] | None = None
) -> SearchStrategy[City]:
    """Return the strategy of cities: grids, irregular networks, separate parts, empty nodes.

    Args:
        layouts, users: As for :func:`city_cases`.
    """
    cases = city_cases(frozenset(), layouts=layouts, users=users, one_way=True)
    return cases.map(lambda case: case.city)


def _with_closed_roads(draw: DrawFn, layout: Roads) -> Roads:
    if not layout.roads:
        return layout
    closed = draw(st.sets(st.integers(0, len(layout.roads) - 1), max_size=len(layout.roads) // 2))
    return layout._replace(
        roads=tuple(road for place, road in enumerate(layout.roads) if place not in closed)
    )


def _parameters(
    draw: DrawFn, strategies: Mapping[str, SearchStrategy[Any]], names: frozenset[str]
) -> dict[str, Any]:
    values = {name: draw(strategy) for name, strategy in strategies.items() if name in names}
    if "split_n_locations" in names:
        values["split_n_locations"] = values.get("min_k", 2) + draw(st.integers(0, 4))
    return values


_PLACES: Mapping[str, tuple[float, float]] = {
    "origin": (0.0, 0.0),
    "middle latitude": (52.5, 13.4),
    "south": (-54.8, -68.3),
    "antimeridian": (-17.0, 180.0),
    "north pole": (90.0, 0.0),
    "south pole": (-90.0, 25.0),
}


@st.composite
def point_cases(
    draw: DrawFn,
    parameters: frozenset[str] = frozenset({"min_k"}),
    *,
    centres: Iterable[str] = ("origin", "middle latitude", "south"),
    offsets: SearchStrategy[Pair] | None = None,
    owners: SearchStrategy[str] | None = None,
    least: int = 1,
    most: int = 16,
) -> PointsCase:
    """Draw points on a lattice around a place, each with its user.

    Parameters that are not known are left out. Centres are also called ``"antimeridian"``,
    ``"north pole"`` and ``"south pole"``; offsets are steps north and east of them. Users are the
    letters a to h unless given.
    """
    lat, lon = _PLACES[draw(st.sampled_from(tuple(centres)))]
    step = draw(st.sampled_from((0.001, 0.0002, 0.02)))
    offset = st.tuples(st.integers(0, 9), st.integers(0, 9)) if offsets is None else offsets
    owner = st.sampled_from("abcdefgh") if owners is None else owners
    rows = draw(st.lists(st.tuples(offset, owner), min_size=least, max_size=most))
    return PointsCase(
        positions=tuple(_on_the_globe(lat + step * i, lon + step * j) for (i, j), _ in rows),
        users=tuple(user for _, user in rows),
        parameters=_parameters(draw, _POINTS_PARAMETERS, parameters),
    )


@st.composite
def near_k(draw: DrawFn, parameters: frozenset[str] = frozenset({"min_k"})) -> PointsCase:
    """Draw more than 3k points of as many users, about k of whom are at each of some places.

    >>> from hypothesis import find
    >>> len(find(near_k(), lambda case: True).positions)
    8
    """
    k = draw(st.sampled_from((2, 3, 4, 5)))
    # Three places of exactly k, so that with a fourth there are more than 3k points.
    sizes = [k, k, k, *draw(st.lists(st.sampled_from((k, k - 1, k + 1)), min_size=1, max_size=4))]
    spots = [spot for place, size in enumerate(sizes) for spot in [(place * 3, place % 3)] * size]
    case = draw(point_cases(parameters, offsets=st.just((0, 0)), least=1, most=1))
    (lat, lon), *_ = case.positions
    values = {name: k if name in ("k", "min_k") else v for name, v in case.parameters.items()}
    if "split_n_locations" in values:
        values["split_n_locations"] = k + draw(st.integers(0, 4))
    positions = tuple(_on_the_globe(lat + 0.001 * i, lon + 0.001 * j) for i, j in spots)
    users = tuple(f"u{number}" for number in range(len(spots)))
    return PointsCase(positions=positions, users=users, parameters=values)


def point_clouds(*, most: int = 16) -> SearchStrategy[Points]:
    """Return the strategy of points: clusters, lines, coincident, at the seams of the globe.

    Args:
        most: Points, at most.
    """
    everywhere = point_cases(frozenset(), centres=tuple(_PLACES), offsets=_NEAR | _LINE, most=most)
    return everywhere.map(lambda case: case.points)


def _on_the_globe(lat: float, lon: float) -> tuple[float, float]:
    """Return a point with its latitude cut at the poles and its longitude wrapped, in decimals."""
    return round(max(-90.0, min(90.0, lat)), 6), round((lon + 180) % 360 - 180, 6)


_SMALL = st.integers(0, 2)
_NEAR = st.one_of(
    st.tuples(_SMALL, _SMALL),
    st.tuples(_SMALL, _SMALL).map(lambda pair: (pair[0] + 30, pair[1] + 30)),
    st.tuples(st.integers(-40, 40), st.integers(-40, 40)),
)
"""Two clusters and some strays."""
_CROSS = st.tuples(st.sampled_from((0, -1, 1)), st.sampled_from((0, -1, 1)))
"""On both sides of the equator and of the meridian, and on them: quarters meet where points are."""
_LINE = st.integers(0, 30).map(lambda step: (0, step))


def _every_path(parameters: frozenset[str]) -> Iterable[CityCase]:
    """Run through a street of three nodes with 0 to 2 users each and a request from any."""
    defaults = {"k": 2, "min_k": 2, "depth": 1, "seed": 0}
    values = {name: value for name, value in defaults.items() if name in parameters}
    everything = product(product(range(3), repeat=3), range(3))
    # Few users first: Hypothesis makes no smaller case of what it did not draw.
    for users, target in sorted(everything, key=lambda pair: (sum(pair[0]), pair)):
        yield CityCase(users, ((0, 1), (1, 2)), (target,), parameters=values)


def _every_square(parameters: frozenset[str]) -> Iterable[PointsCase]:
    """Run through up to three points of two users on the corners of a square of 222 m."""
    defaults = {"k": 2, "min_k": 2, "min_sector_length": 100, "seed": 0, "split_n_locations": 2}
    values = {name: value for name, value in defaults.items() if name in parameters}
    choices = [("merge_sectors", (False, True)), ("count", ("users", "locations"))]
    open_to = [(name, options) for name, options in choices if name in parameters]
    corners = [(lat, lon) for lat in (0.0, 0.002) for lon in (0.0, 0.002)]
    for count in range(1, 4):
        for rows in combinations_with_replacement(product(corners, "ab"), count):
            for chosen in product(*(options for _, options in open_to)):
                extra = dict(zip((name for name, _ in open_to), chosen, strict=True))
                positions = tuple(spot for spot, _ in rows)
                users = tuple(user for _, user in rows)
                yield PointsCase(positions=positions, users=users, parameters={**values, **extra})


_CITIES: Mapping[str, Mapping[str, Any]] = {
    "grids": {"layouts": grids()},
    "planar roads": {"layouts": planar_roads()},
    "separate parts": {"layouts": separate_parts()},
    "empty nodes": {"users": st.sampled_from((0, 0, 0, 1, 2, 6))},
    "one-way streets": {"layouts": planar_roads(), "users": st.integers(0, 2), "one_way": True},
}
_AT_THE_CUT = st.tuples(st.integers(0, 5), st.integers(-5, 5))
_AT_THE_POLES = st.tuples(st.integers(-5, 5), st.integers(0, 9000))
_CLOUDS: Mapping[str, Mapping[str, Any]] = {
    "clusters": {"offsets": _NEAR, "most": 24},
    "points on borders": {"centres": ("origin",), "offsets": _CROSS, "least": 4},
    "lines": {"offsets": _LINE},
    "coincident points": {"offsets": st.sampled_from(((0, 0), (0, 0), (7, 7)))},
    "one user with many points": {"owners": st.sampled_from("aaaaaab"), "most": 20},
    "antimeridian": {"centres": ("antimeridian",), "offsets": _AT_THE_CUT},
    "poles": {"centres": ("north pole", "south pole"), "offsets": _AT_THE_POLES},
    "fewer than k": {"most": 3},
}

SOURCES: tuple[Source, ...] = (
    *(Source(name, Kind.CITY, partial(city_cases, **how)) for name, how in _CITIES.items()),
    Source.finite("every street of three nodes", Kind.CITY, _every_path),
    *(Source(name, Kind.POINTS, partial(point_cases, **how)) for name, how in _CLOUDS.items()),
    Source("about k at each of many places", Kind.POINTS, near_k),
    Source.finite("every three points on a square", Kind.POINTS, _every_square),
)
"""The ways to draw cities and points."""
