"""Cities and points in the suite: what is drawn, what is checked, and who passes."""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import Any

import networkx as nx
import pytest
from cases import cases
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from judgements import violation_of
from nights import spread
from reference_places import CELLS, REFERENCES, breadth_first_region, cells

from kproof.models.places.heatmap.release import seal_sectors
from kproof.models.places.plane import Box, Plane, globe_area
from kproof.models.places.regions import seal_regions
from kproof.models.registry import Kind, Promise
from kproof.proptests import check_anonymizer
from kproof.proptests.cases import CityCase, PointsCase, Publication, with_group_size
from kproof.proptests.checks import by_name
from kproof.proptests.contract import Refusal, Subject, Trial
from kproof.proptests.judgement import Kept, NotApplicable, Violation
from kproof.proptests.rendering import sketch
from kproof.proptests.sources import sources
from kproof.proptests.strategies.places import (
    cities,
    city_cases,
    gabriel_roads,
    grids,
    planar_roads,
    point_cases,
    point_clouds,
    separate_parts,
)
from kproof.proptests.subjects.native import native_subject
from kproof.proptests.zoo.heatmaps import Tree

QUICK = settings(
    deadline=None, database=None, max_examples=2000, suppress_health_check=list(HealthCheck)
)
EVERY = frozenset(
    {"k", "min_k", "depth", "min_sector_length", "merge_sectors", "split_n_locations", "count"}
)
BY_NAME = {source.name: source for kind in (Kind.CITY, Kind.POINTS) for source in sources(kind)}


# What is drawn.


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=9, unique=True)
)
def test_gabriel_roads_are_what_they_are_called(spots):
    expected = []
    for one, other in combinations(range(len(spots)), 2):
        middle = [(a + b) / 2 for a, b in zip(spots[one], spots[other], strict=True)]
        others = [spot for place, spot in enumerate(spots) if place not in (one, other)]
        if all(math.dist(middle, at) > math.dist(middle, spots[one]) + 1e-9 for at in others):
            expected.append((one, other))
    assert list(gabriel_roads(tuple(spots))) == expected
    roads = nx.Graph(expected)
    roads.add_nodes_from(range(len(spots)))
    assert nx.is_connected(roads)
    assert nx.check_planarity(roads)[0]


@pytest.mark.parametrize("kind", [Kind.CITY, Kind.POINTS])
def test_every_case_of_every_source_can_be_built(kind):
    for source in sources(kind):

        @settings(QUICK, max_examples=6)
        @given(source.draw(EVERY))
        def build(case: Any) -> None:
            if kind is Kind.CITY:
                assert case.city.nodes == len(case.users)
                assert set(case.targets) <= set(range(len(case.users)))
                assert {"k", "min_k", "depth"} <= case.parameters.keys()
            else:
                assert case.points.count == len(case.positions) > 0
                assert case.parameters["split_n_locations"] >= case.parameters["min_k"]

        build()


def test_finite_sources_run_through_everything_once():
    streets = list(BY_NAME["every street of three nodes"].exhaust(frozenset({"k"})))
    assert len(streets) == 3**3 * 3
    assert len({(case.users, case.targets) for case in streets}) == len(streets)
    assert [sum(case.users) for case in streets] == sorted(sum(case.users) for case in streets)
    assert all(case.parameters == {"k": 2} for case in streets)
    squares = list(BY_NAME["every three points on a square"].exhaust(frozenset({"min_k", "count"})))
    # Multisets of 1, 2 and 3 out of 4 corners x 2 users, counted two ways.
    assert len(squares) == 2 * sum(math.comb(8 + size - 1, size) for size in (1, 2, 3))
    assert {case.parameters["count"] for case in squares} == {"users", "locations"}


@cases(
    (cities(), lambda city: city.components[1] >= 3),
    (cities(), lambda city: len(city.one_way) >= 2),
    (cities(), lambda city: (city.users == 0).sum() >= 3 and city.population >= 3),
    (cities(layouts=grids()), lambda city: (city.roads.degrees == 4).any()),
    (city_cases(layouts=planar_roads()), lambda case: len(case.roads) > len(case.users)),
    (city_cases(), lambda case: any(case.users[target] == 0 for target in case.targets)),
    (city_cases(), lambda case: case.parameters["k"] > sum(case.users) > 0),
    (point_clouds(), lambda points: {-180.0} < set(points.lon.tolist()) and points.count > 2),
    (point_clouds(), lambda points: 90.0 in points.lat and points.count > 2),
    (point_clouds(), lambda points: -90.0 in points.lat),
    (point_clouds(), lambda points: len(set(points.lat.tolist())) == 1 < points.count - 4),
    (
        point_cases(owners=st.sampled_from("aaaaaab")),
        lambda case: len(set(case.users)) == 1 and len(case.users) >= 6,
    ),
    (point_cases(), lambda case: len(set(case.positions)) == 1 and len(case.positions) >= 4),
    (
        city_cases(layouts=planar_roads(), one_way=True),
        lambda case: 4 < len(case.roads) == len(case.one_way),
    ),
    (
        BY_NAME["points on borders"].draw(frozenset({"min_k"})),
        lambda case: {(lat > 0) - (lat < 0) for lat, _ in case.positions} == {-1, 0, 1},
    ),
    (point_cases(), lambda case: len(set(case.users)) < case.parameters["min_k"]),
)
def test_each_feature_is_drawn(strategy, wanted):
    find(strategy, wanted, settings=settings(QUICK, phases=[Phase.generate]), random=Random(0))


@pytest.mark.parametrize(
    ("strategy", "wanted", "expected"),
    spread(
        [
            (
                city_cases(),
                lambda case: sum(case.users) >= 3,
                CityCase((3,), (), (0,), ((0, 0),), (), {"k": 2}),
            ),
            (
                city_cases(layouts=separate_parts()),
                lambda case: case.city.components[1] >= 2,
                CityCase((0, 0), (), (0,), ((0, 0), (10, 0)), (), {"k": 2}),
            ),
            (
                city_cases(layouts=planar_roads()),
                lambda case: len(case.roads) >= 1 and min(case.users) >= 1,
                CityCase((1, 1), ((0, 1),), (0,), ((0, 0), (0, 1)), (), {"k": 2}),
            ),
            (
                city_cases(layouts=planar_roads(), one_way=True),
                lambda case: len(case.one_way) >= 1,
                CityCase((0, 0), ((0, 1),), (0,), ((0, 0), (0, 1)), ((0, 1),), {"k": 2}),
            ),
            (
                point_cases(),
                lambda case: len(case.positions) >= 2,
                PointsCase(((0.0, 0.0), (0.0, 0.0)), ("a", "a"), {"min_k": 2}),
            ),
            (
                point_cases(),
                lambda case: len(set(case.users)) >= 2,
                PointsCase(((0.0, 0.0), (0.0, 0.0)), ("a", "b"), {"min_k": 2}),
            ),
            (
                point_cases(centres=("antimeridian",)),
                lambda case: any(lon < 0 for _, lon in case.positions),
                PointsCase(((-17.0, -180.0),), ("a",), {"min_k": 2}),
            ),
            (
                point_cases(),
                lambda case: len(case.positions) >= 1 and case.parameters["min_k"] == 5,
                PointsCase(((0.0, 0.0),), ("a",), {"min_k": 5}),
            ),
        ],
        2,
    ),
)
def test_planted_faults_shrink_to_the_smallest(strategy, wanted, expected):
    assert find(strategy, wanted, settings=QUICK, random=Random(1)) == expected


# Who passes.


@pytest.mark.parametrize("subject", REFERENCES, ids=lambda subject: subject.name)
def test_the_references_keep_their_promises(subject):
    check_anonymizer(subject, profile="quick", max_examples=10)


def test_what_the_broken_heat_maps_override_is_whole():
    def publish(frame: Any, min_k: int, min_sector_length: int) -> Any:
        return Tree(frame, min_k, min_sector_length).release()

    promises = frozenset({Promise.K_ANONYMITY, Promise.PARTITION, Promise.ORDER_INDEPENDENT})
    subject = native_subject(publish, kind=Kind.POINTS, promises=promises)
    check_anonymizer(subject, profile="quick", max_examples=10)


def test_the_reference_forms_cells():
    graph = nx.path_graph(7)
    nx.set_node_attributes(graph, dict(enumerate((1, 1, 0, 1, 1, 1, 0))), "users")
    assert cells(graph, 2) == [{0, 1}, {2, 3, 4, 5, 6}]
    assert breadth_first_region(graph, 2, 2) == {1, 2, 3}


# What is checked: publications by hand, of a case on which the right answer is plain.

STREET = CityCase((2, 0, 1, 1), ((0, 1), (1, 2), (2, 3)), (0,), parameters={"k": 2})


def regions(case: CityCase, *nodes: list[int], **options: Any) -> Publication:
    told = {"k": 2, "method": "by hand", "parameters": {}} | options
    return Publication(seal_regions(case.city, case.targets, nodes, **told))


def judged(name: str, case: Any, publish: Callable[[Any], Any], kind: Kind) -> Violation | None:
    subject = Subject("by hand", kind, frozenset(Promise), publish)
    return violation_of(by_name(name, kind).function(Trial(subject, case)))


@cases(
    ("connected region", [0, 1], {}, None, ()),
    ("connected region", [0, 2], {}, "2 pieces", (0, 2)),
    ("contains target", [0], {}, None, ()),
    ("contains target", [2, 3], {}, "outside", (0, 2, 3)),
    ("region k", [0], {}, None, ()),
    ("region k", [1, 2], {}, "1", (1, 2)),
    ("region k", [0], {"k": 3}, "2", (0,)),
    ("region k", [], {}, "0", ()),
    ("region k", [], {"insufficient": [True]}, None, ()),
    ("region k", [1], {"insufficient": [True]}, "1 nodes", (1,)),
    ("publishes when it can", [], {"insufficient": [True]}, "insufficient", (0,)),
    ("publishes when it can", [0], {}, None, ()),
)
def test_regions(name, nodes, options, found, rows):
    def publish(case: CityCase) -> Publication:
        short = [bool(options.get("insufficient"))] * len(case.targets)
        given = options | ({"insufficient": short} if "insufficient" in options else {})
        return regions(case, *[nodes] * len(case.targets), **given)

    seen = judged(name, STREET, publish, Kind.CITY)
    assert (None if seen is None else seen.found) == found
    assert (() if seen is None else seen.input_rows) == rows


def test_a_lower_k_in_the_release_than_was_asked_for_helps_nobody():
    seen = judged("region k", STREET, lambda case: regions(case, [2], k=1), Kind.CITY)
    assert seen is not None
    assert (seen.found, seen.wanted) == ("1", ">= 2")


def test_reciprocity_asks_everybody_in_the_region():
    def by_parity(case: CityCase) -> Publication:
        return regions(case, *[[0, 2] if target % 2 == 0 else [1, 3] for target in case.targets])

    def own(case: CityCase) -> Publication:
        return regions(case, *[sorted({target, 0}) for target in case.targets])

    case = replace(STREET, targets=(2,))
    assert judged("reciprocal", case, by_parity, Kind.CITY) is None
    seen = judged("reciprocal", case, own, Kind.CITY)
    assert seen is not None
    assert seen.sentence == "node 2 gets {0, 2}, but node 0 in it gets {0}"
    # Where nobody is, nobody asks.
    empty = replace(STREET, users=(0, 0, 1, 0), targets=(2,))
    assert judged("reciprocal", empty, own, Kind.CITY) is None


def test_someone_else_may_need_the_whole_component():
    """Cells that are shared have to satisfy whoever asks for most."""

    def adaptive(case: CityCase) -> Publication:
        wanted = [9 if target == 3 else 2 for target in case.targets]
        return regions(case, *[[]] * len(wanted), k=wanted, insufficient=[True] * len(wanted))

    assert judged("publishes when it can", STREET, adaptive, Kind.CITY) is None


TOWN = PointsCase(
    ((0.0005, 0.0005), (0.0005, 0.0005), (0.0005, 0.0015), (0.0005, 0.0015)),
    ("a", "b", "a", "a"),
    {"min_k": 2, "min_sector_length": 100},
)
"""Two points at about (56 m, 56 m), two at about (167 m, 56 m), of three and one users."""

WEST, EAST = Box(0, 0, 111, 111), Box(111, 0, 222, 111)
ROOT = Box(0, 0, 222, 111)


def heat(**changes: Any) -> Callable[[PointsCase], Publication]:
    def publish(case: PointsCase) -> Publication:
        told: dict[str, Any] = {
            "sectors": [[WEST], [EAST]],
            "counts": [2, 2],
            "areas": [12321.0, 12321.0],
            "plane": Plane(0, 0),
            "root": ROOT,
            "counted": "locations",
            "method": "by hand",
            "parameters": {},
        } | changes
        return Publication(seal_sectors(case.points, told.pop("sectors"), **told))

    return publish


@cases(
    "partition",
    "sector in one piece",
    "points counted once",
    "sector k",
    "sector side",
    "sector density",
    "order of points",
    "deterministic",
    "input unchanged",
    "refuses clearly",
    "publishes when it can",
    "monotone in k",
)
def test_a_right_heat_map_passes(name):
    def publish(case: PointsCase) -> Publication:
        if case.parameters["min_k"] > 2:
            raise ValueError("min_k is more than 2")
        return heat()(case)

    subject = Subject("by hand", Kind.POINTS, frozenset(Promise), publish, errors=(ValueError,))
    # The map counts locations, which is right where they are asked for.
    case = replace(TOWN, parameters={**TOWN.parameters, "count": "locations"})
    judgement = by_name(name, Kind.POINTS).function(Trial(subject, case))
    # It refuses min_k = 3, so that there is nothing for k = 2 to be served like.
    assert isinstance(judgement, NotApplicable if name == "monotone in k" else Kept)


@cases(
    ("partition", {"sectors": [[WEST], [Box(100, 0, 222, 111)]]}, "an overlap", (0, 1)),
    ("partition", {"sectors": [[WEST], [Box(112, 0, 222, 111)]]}, "24531", ()),
    ("partition", {"sectors": [[WEST], [Box(111, 0, 223, 111)]]}, "outside", (1,)),
    # An overlap less than any float of metres can show, were it computed by areas.
    (
        "partition",
        {"sectors": [[WEST], [Box(math.nextafter(111.0, 0), 0, 222, 111)]]},
        "an overlap",
        (0, 1),
    ),
    (
        "sector in one piece",
        {"sectors": [[WEST], [EAST, Box(222, 111, 300, 200)]]},
        "2 pieces",
        (1,),
    ),
    ("points counted once", {"sectors": [[WEST]], "counts": [4], "areas": [1.0]}, None, ()),
    ("points counted once", {"counts": [2, 1]}, "3", ()),
    ("points counted once", {"counts": [1, 0], "counted": "users"}, "1", ()),
    ("points counted once", {"counts": [2, 1], "counted": "users"}, None, ()),
    ("sector k", {"counts": [2, 1]}, "1", (1,)),
    ("sector k", {"counts": [2, 2], "counted": "users"}, "1", (1,)),
    ("sector k", {"counts": [2, 0]}, None, ()),
    ("sector side", {"sectors": [[WEST], [Box(111, 0, 222, 99)]]}, "99 m", (1,)),
    ("sector density", {"counts": [3, 2]}, "3", (0,)),
    ("sector density", {"areas": [12321.0, 12322.0]}, "12322", (1,)),
    ("sector density", {"densities": [2 / 12321, 1.0]}, "1", (1,)),
)
def test_a_wrong_heat_map_is_caught(name, changes, found, rows):
    seen = judged(name, TOWN, heat(**changes), Kind.POINTS)
    if name == "points counted once" and len(changes.get("sectors", ())) == 1:
        assert seen is not None
        assert seen.input_rows == (2, 3)
        return
    assert (None if seen is None else seen.found) == found
    assert (() if seen is None else seen.output_rows) == rows


def test_the_border_counts_on_either_side():
    on_it = replace(TOWN, positions=((0.0, 0.0),) * 4)
    for counts in ([4, 0], [0, 4], [2, 2]):
        sectors = [[Box(-9, -9, 0, 9)], [Box(0, -9, 9, 9)]]
        seen = judged(
            "sector density",
            on_it,
            heat(sectors=sectors, counts=counts, areas=[162.0, 162.0]),
            Kind.POINTS,
        )
        assert seen is None


def test_sectors_in_degrees_are_on_the_globe():
    """A sector that crosses the antimeridian is two boxes that touch there."""
    boxes = [Box(179.9, 0, 180, 0.1), Box(-180, 0, -179.9, 0.1)]
    case = PointsCase(((0.05, 179.95), (0.05, -180.0)), None, {"min_k": 2})
    whole = heat(
        sectors=[boxes], counts=[2], areas=[sum(map(globe_area, boxes))], plane=None, root=None
    )
    for name in ("partition", "sector in one piece", "sector k", "sector density"):
        assert judged(name, case, whole, Kind.POINTS) is None
    apart = heat(
        sectors=[[boxes[0], Box(0, 0, 0.1, 0.1)]], counts=[2], areas=[1], plane=None, root=None
    )
    assert judged("sector in one piece", case, apart, Kind.POINTS) is not None
    high = replace(case, parameters={"min_k": 2, "min_sector_length": 1000})
    narrow = heat(sectors=[[Box(0, 80, 0.05, 80.1)]], counts=[2], areas=[1], plane=None, root=None)
    seen = judged("sector side", high, narrow, Kind.POINTS)
    assert seen is not None
    assert math.isclose(
        float(seen.found.removesuffix(" m")),
        math.radians(0.05) * math.cos(math.radians(80)) * 6_371_007.2,
        rel_tol=1e-4,
    )


def test_conduct():
    calls: list[int] = []

    def by_turns(case: CityCase) -> Publication:
        calls.append(0)
        return regions(case, [0] if len(calls) % 2 else [0, 1])

    seen = judged("deterministic", STREET, by_turns, Kind.CITY)
    assert seen is not None
    assert "differ in their offsets" in seen.sentence

    def fails(case: CityCase) -> Publication:
        raise KeyError("nothing here")

    seen = judged("refuses clearly", STREET, fails, Kind.CITY)
    assert seen is not None
    assert seen.found == "KeyError"

    def for_three(case: CityCase) -> Publication:
        if case.parameters["k"] != 3:
            raise ValueError("three")
        return regions(case, [0, 1, 2])

    assert judged("monotone in k", STREET, for_three, Kind.CITY) is not None
    assert judged("publishes when it can", STREET, for_three, Kind.CITY) is not None
    assert judged("monotone in k", with_group_size(STREET, 1), for_three, Kind.CITY) is None

    def whatever(case: CityCase) -> Publication:
        return regions(case, [0, 1, 2, 3], k=0)

    seen = judged("refuses clearly", STREET, whatever, Kind.CITY)
    assert seen is not None
    assert "k = 5" in seen.sentence


# Other people's functions.


def test_a_function_of_a_city_is_called_by_its_names():
    asked: list[tuple[object, ...]] = []

    def cloak(graph: nx.Graph, node: int, min_k: int, depth: int = 1) -> set[int] | None:
        asked.append((sorted(graph.nodes(data="users")), node, min_k, depth))
        return {0, 1} if node == 0 else None

    subject = native_subject(cloak, kind=Kind.CITY)
    assert subject.parameters == {"min_k", "depth"} or subject.parameters == {"k", "depth"}
    name = next(iter(subject.parameters - {"depth"}))
    case = replace(STREET, targets=(0, 2), parameters={name: 2, "depth": 3})
    release = subject.publish(case).release
    users = [(0, 2), (1, 0), (2, 1), (3, 1)]
    assert asked == [(users, 0, 2, 3), (users, 2, 2, 3)]
    assert (release.region(0).tolist(), release.insufficient.tolist()) == ([0, 1], [False, True])


def test_nodes_that_are_not_there_are_no_answer():
    outcome = Trial(native_subject(lambda graph, target, k: {"x"}, kind=Kind.CITY), STREET).outcome
    assert isinstance(outcome, Refusal)
    assert not outcome.documented
    assert "no node of the city" in str(outcome)


def test_a_region_that_cannot_be_read_is_no_documented_refusal() -> None:
    subject = native_subject(lambda graph, target, k: 5, kind=Kind.CITY, errors=(TypeError,))
    trial = Trial(subject, STREET)
    assert "it returned what nobody can read: 'int' object is not iterable" in str(trial.outcome)
    assert isinstance(by_name("refuses clearly", Kind.CITY).function(trial), Violation)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda graph: graph.nodes[1].update(users=5), "node 1 of the graph"),
        (lambda graph: graph.remove_edge(2, 3), "edge 2, 3 of the graph"),
        (lambda graph: graph.add_node(9), "node 9 of the graph"),
        (lambda graph: None, ""),
    ],
)
def test_what_is_changed_is_told(change, says):
    def cloak(graph: Any, target: int, k: int) -> set[int]:
        change(graph)
        return {0}

    assert native_subject(cloak, kind=Kind.CITY).publish(STREET).changed == says


def geojson(*coordinates: object, **properties: object) -> dict[str, object]:
    kind = "MultiPolygon" if len(coordinates) > 1 else "Polygon"
    shape = list(coordinates) if len(coordinates) > 1 else coordinates[0]
    return {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "geometry": {"type": kind, "coordinates": shape},
                "properties": properties,
            }
        ],
    }


def ring(west: float, south: float, east: float, north: float) -> list[list[list[float]]]:
    return [[[west, south], [east, south], [east, north], [west, north], [west, south]]]


def test_geojson_is_read():
    found = geojson(ring(0, 0, 1, 1), ring(1, 0, 2, 1), users=3, density=0.5)
    release = native_subject(lambda frame, min_k: found, kind=Kind.POINTS).publish(TOWN).release
    (sector,) = [release.sector(0)]
    assert [box.sides for box in sector.boxes] == [(0, 0, 1, 1), (1, 0, 2, 1)]
    assert (sector.count, sector.density, str(release.counted)) == (3, 0.5, "users")
    assert math.isclose(sector.area, sum(map(globe_area, sector.boxes)))


def test_lists_of_sectors_are_read():
    rows = [{"west": 0, "south": 0, "east": 1, "north": 1, "count": 4, "area": 2.0}]
    subject = native_subject(lambda frame, min_k: rows, kind=Kind.POINTS)
    release = subject.publish(TOWN).release
    # A bare count is of people where the points say whose they are.
    assert (release.sector(0).density, str(release.counted)) == (2.0, "users")
    assert str(subject.publish(replace(TOWN, users=None)).release.counted) == "locations"
    rows[0]["locations"] = rows[0].pop("count")
    assert str(subject.publish(TOWN).release.counted) == "locations"


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (None, "NothingPublished: it returned None"),
        ([], "NothingPublished: it returned no sectors"),
        ({"type": "Feature"}, "no GeoJSON FeatureCollection"),
        (geojson([0, 0], users=1) | {"features": [{"geometry": {"type": "Point"}}]}, "type Point"),
        (geojson([[[0, 0], [1, 0], [0, 1], [0, 0]]], users=1), "no rectangle"),
        (geojson(ring(0, 0, 1, 1)), "a sector without a count"),
        (
            {
                "features": [
                    {
                        "geometry": {"type": "Polygon", "coordinates": ring(0, 0, 1, 1)},
                        "properties": None,
                    }
                ]
            },
            "a sector without a count",
        ),
    ],
)
def test_what_is_no_heat_map(found, says):
    outcome = Trial(native_subject(lambda frame, min_k: found, kind=Kind.POINTS), TOWN).outcome
    assert isinstance(outcome, Refusal)
    assert says in str(outcome)


def test_what_cannot_be_read_is_no_documented_refusal():
    """An empty box is refused by kproof's own Box, not by the anonymizer that returned it."""
    sides = {"west": 1, "south": 0, "east": 1, "north": 1, "count": 4, "area": 2.0}
    outcome = Trial(native_subject(lambda frame, min_k: [sides], kind=Kind.POINTS), TOWN).outcome
    assert isinstance(outcome, Refusal)
    assert not outcome.documented
    assert str(outcome).startswith("NoPublication: it returned what nobody can read: box = ")
    nothing = Trial(native_subject(lambda frame, min_k: None, kind=Kind.POINTS), TOWN).outcome
    assert nothing.documented


@pytest.mark.parametrize(
    ("altered", "says"),
    [({"count": "many"}, "invalid literal"), ({"area": 0}, "division by zero"), ({"east": ()}, "")],
)
def test_a_number_that_cannot_be_read_is_no_documented_refusal(altered: Any, says: str) -> None:
    """ValueError is what it documents, and int("many") raises one."""
    sides = {"west": 0, "south": 0, "east": 1, "north": 1, "count": 4} | altered
    trial = Trial(native_subject(lambda frame, min_k: [sides], kind=Kind.POINTS), TOWN)
    assert not trial.outcome.documented
    assert says in str(trial.outcome)
    found = by_name("refuses clearly", Kind.POINTS).function(trial)
    assert isinstance(found, Violation)
    assert found.found == "what cannot be read"


def test_a_sorted_frame_is_a_changed_input() -> None:
    def publish(frame: Any, min_k: int) -> Any:
        for name in frame:
            frame[name] = frame[name].to_numpy()[::-1]
        return [{"west": 0, "south": 0, "east": 1, "north": 1, "count": 4}]

    seen = judged(
        "input unchanged", TOWN, native_subject(publish, kind=Kind.POINTS).publish, Kind.POINTS
    )
    assert seen is not None


def test_cases_and_publications_are_shown_as_tables():
    case = replace(STREET, one_way=((1, 0),), positions=((0, 0), (1, 0), (2, 0), (3, 1)))
    assert sketch(case, (2,)).splitlines() == [
        "      users  streets to  request  at    one-way to",
        "  0   2      1           yes      0, 0  -",
        "  1   0      0, 2        -        1, 0  0",
        "> 2   1      1, 3        -        2, 0  -",
        "  3   1      2           -        3, 1  -",
    ]
    assert sketch(CELLS.publish(case), ()).splitlines() == [
        "      from node  k  region  users",
        "  0   0          2  0       2",
    ]
    assert sketch(heat()(TOWN), (1,)).splitlines() == [
        "      west, south, east, north  locations  m²     per m²",
        "  0   0, 0, 111, 111            2          12321  0.000162324",
        "> 1   111, 0, 222, 111          2          12321  0.000162324",
    ]
