"""Quadtree heat maps: the sectors of a plain one, promises at every seam, and the readings."""

import math

import numpy as np
import pandas as pd
import pytest
import quadtree_oracles as plain
from cases import cases, error_line
from hypothesis import example, given
from hypothesis import strategies as st

import kproof
from kproof.errors import DataError, Infeasible, InvalidArgument
from kproof.models.places.heatmap.quadtree import quadtree
from kproof.models.places.heatmap.release import Counted, SectorRelease
from kproof.models.places.plane import EARTH_RADIUS, plane_around
from kproof.models.places.points import Points

SIDE = 100
METRE = math.degrees(1 / EARTH_RADIUS)

clouds = st.lists(
    st.tuples(st.integers(0, 15), st.integers(0, 15), st.sampled_from("abcdefghij")),
    min_size=1,
    max_size=40,
)


def cloud(rows: list[tuple[int, int, str]]) -> Points:
    """Return points in the middles of cells of 100 m near the equator."""
    return Points.of(
        [(100 * north + 50) * METRE for _, north, _ in rows],
        [0.5 + (100 * east + 50) * METRE for east, _, _ in rows],
        users=[user for _, _, user in rows],
    )


def drawn(heat: SectorRelease) -> set[tuple[frozenset[tuple[int, int]], int]]:
    """Return the sectors as unit cells and counts."""
    found = []
    for index in range(heat.sectors):
        sector = heat.sector(index)
        cells = [
            (x, y)
            for box in sector.boxes
            for x in range(round(box.west) // SIDE, round(box.east) // SIDE)
            for y in range(round(box.south) // SIDE, round(box.north) // SIDE)
        ]
        assert len(cells) == len(set(cells))
        found.append((frozenset(cells), sector.count))
    assert len(found) == len(set(found))
    return set(found)


@example([(0, 3, "a"), *[(2, 3, one) for one in "bcd"]], 3, 0, True, "publish", Counted.USERS)
@example(
    [*[(0, 1, "a")] * 6, (2, 1, "b"), (3, 1, "c"), (3, 0, "d")],
    2,
    0,
    True,
    "publish",
    Counted.USERS,
)
@given(
    clouds,
    st.integers(1, 5),
    st.integers(0, 4),
    st.booleans(),
    st.sampled_from(["publish", "merge"]),
    st.sampled_from(list(Counted)),
)
def test_sectors_are_those_of_a_plain_quadtree(rows, k, more, merge, empty, count):
    whose = [user for _, _, user in rows] if count is Counted.USERS else list(range(len(rows)))
    if len(set(whose)) < k:
        return
    asked = {"min_k": k, "split_n_locations": k + more, "merge_sectors": merge}
    heat = quadtree(cloud(rows), **asked, empty=empty, count=count)
    spots = [(east, north) for east, north, _ in rows]
    wanted = {"k": k, "split": k + more, "merge": merge, "fill": empty == "merge"}
    root, sectors = plain.sectors(spots, whose, **wanted)
    assert drawn(heat) == sectors
    west, south, side = root
    # Cells are a centimetre larger than asked for, which is what rounding may take from them.
    cells = (west, south, west + side, south + side)
    assert [round(at) for at in heat.root.sides] == [at * SIDE for at in cells]
    areas = [
        sum(box.width * box.height for box in heat.sector(index).boxes)
        for index in range(heat.sectors)
    ]
    assert heat.areas.tolist() == pytest.approx(areas, rel=1e-14)


def test_a_stray_user_costs_little():
    # Of 21 users 20 are in five full corners; the one elsewhere joins the smallest neighbour.
    rows = [(east, north, f"{east}{north}{n}") for east, north in
            ((8, 8), (9, 9), (14, 8), (15, 15), (8, 15)) for n in range(4)]  # fmt: skip
    heat = quadtree(cloud([*rows, (1, 1, "stray")]), min_k=4)
    assert sorted(heat.counts[heat.counts > 0].tolist()) == [4, 4, 4, 4, 5]
    [stray] = np.flatnonzero(heat.counts == 5)
    assert len(heat.sector(int(stray)).boxes) > 1
    whole = quadtree(cloud([*rows, (1, 1, "stray")]), min_k=4, merge_sectors=False)
    assert whole.counts.tolist() == [21]


def test_boxes_of_a_merged_sector_tell_its_area_and_no_more():
    # All but one user are in one cell. Whichever it is, empty quarters join it and it is the root.
    for place in ((0, 0), (2, 1), (3, 3)):
        rows = [(*place, str(n)) for n in range(5)]
        heat = quadtree(cloud([*rows, (0, 3, "x"), (3, 0, "y")]), min_k=4, empty="merge")
        assert (heat.sectors, len(heat.boxes)) == (1, 1)


def test_whoever_stands_on_a_line_is_left_and_below():
    # At longitude 0.5 and latitude 0 are lines of every lattice, for the map's middle is there.
    points = Points.of([0, 0, 50 * METRE, 50 * METRE], [0.5, 0.5, 0.5 + 50 * METRE, 0.5])
    heat = quadtree(points, min_k=1, count="locations")
    found = {tuple(map(round, heat.sector(index).boxes[0].sides)): int(count)
             for index, count in enumerate(heat.counts) if count}  # fmt: skip
    assert found == {(-100, -100, 0, 0): 2, (0, 0, 100, 100): 1, (-100, 0, 0, 100): 1}


@pytest.mark.parametrize("latitude", [0, 40, -60, 80])
def test_areas_and_sides_are_metres_of_the_globe(latitude):
    rng = np.random.default_rng(3)
    lat, lon = latitude + rng.normal(0, 0.05, 300), 7.5 + rng.normal(0, 0.1, 300)
    heat = quadtree(Points.of(lat, lon), min_k=5, min_sector_length=250, count="locations")
    # Lengths are true where the points are, and areas everywhere.
    assert heat.plane.latitude == latitude
    lats, lons = heat.plane.degrees(heat.boxes[:, [0, 2]], heat.boxes[:, [1, 3]])
    spans = np.radians(np.diff(lons, axis=1)[:, 0])
    bands = np.diff(np.sin(np.radians(lats)), axis=1)[:, 0]
    true = np.add.reduceat(EARTH_RADIUS**2 * spans * bands, heat.offsets[:-1])
    assert heat.areas == pytest.approx(true, rel=1e-9)
    assert heat.densities == pytest.approx(heat.counts / true, rel=1e-9)
    widths = (heat.boxes[:, 2] - heat.boxes[:, 0]) / 250
    assert widths.min() >= 1
    assert np.log2(widths) == pytest.approx(np.round(np.log2(widths)), abs=0.001)
    assert heat.counts.sum() == 300


def test_one_user_with_a_thousand_points_is_one():
    rows = [(0, 0, "courier")] * 1000 + [(15, 15, str(n)) for n in range(6)]
    assert (quadtree(cloud(rows), min_k=5, count="locations").counts == 1000).any()
    heat = quadtree(cloud(rows), min_k=5)
    assert heat.counted is Counted.USERS
    assert heat.counts[heat.counts > 0].tolist() == [7]


def test_the_root_does_not_follow_the_extreme_user():
    still = [(5, 5, str(n)) for n in range(6)]
    roots = set()
    for shift in range(0, 90, 10):
        points = cloud(still)
        lat = points.lat.copy()
        lat[0] += shift * METRE * 0.5
        heat = quadtree(Points.of(lat, points.lon, users=range(6)))
        roots.add(heat.root)
        assert {round(side) % SIDE for side in heat.root.sides} == {0}
    assert len(roots) == 1


@cases(
    ([-17.0] * 6, [179.999, 179.9995, 180.0, -180.0, -179.9995, -179.999], 180),
    ([89.999] * 3 + [90.0] * 3, [0, 60, 120, 180, -120, -60], None),
    ([-89.9995] * 6, [-170, -110, -50, 10, 70, 130], None),
    ([1.0] * 6, [2.0] * 6, 2.5),
    ([1.0] * 6, [2.0, 2.001, 2.002, 2.003, 2.004, 2.005], 2.5),
    ([-60, -30, 0, 0, 30, 60], [-180, -120, -60, 0, 60, 120], None),
)
def test_seams_poles_and_lines(lat, lon, middle):
    points = Points.of(lat, lon, users=range(6))
    heat = quadtree(points, min_k=2, min_sector_length=50)
    if middle is not None:
        assert abs(heat.plane.longitude) == middle
    x, y = heat.plane.metres(points.lat, points.lon)
    inside = [
        sum(west < x[row] <= east and south < y[row] <= north
            for west, south, east, north in heat.boxes.tolist()) for row in range(6)
    ]  # fmt: skip
    assert inside == [1] * 6
    assert heat.counts[heat.counts > 0].min() >= 2
    assert heat.counts.sum() == 6
    if middle == 180:
        assert heat.root.width < 1000


def test_the_map_is_cut_where_nobody_is():
    rng = np.random.default_rng(5)
    for start in rng.uniform(-180, 180, 20):
        lon = (start + rng.uniform(0, 200, 50) + 180) % 360 - 180
        plane = plane_around(Points.of(np.zeros(50), lon))
        assert np.abs((lon - plane.longitude + 180) % 360 - 180).max() < 180 - 50
        assert (2 * plane.longitude) % 1 == 0


@cases(
    ({"min_k": 0}, "min_k = 0: need"),
    ({"min_k": "5.5"}, "min_k = 5.5: need"),
    ({"min_k": 3, "split_n_locations": 2}, "split_n_locations = 2: need at least min_k = 3"),
    ({"min_sector_length": 0}, "min_sector_length = 0: need 1 to 10000000 metres"),
    ({"min_sector_length": "nan"}, "min_sector_length = nan: need"),
    ({"merge_sectors": 7}, "merge_sectors = 7: need True or False"),
    ({"count": "people"}, "count = people: need users or locations"),
    ({"empty": "hide"}, "empty = hide: need publish, merge or omit"),
    ({"reading": "lazy"}, "reading = lazy: need printed or corrected"),
    ({"count": "users"}, "count = users: need locations, as nothing is known of users"),
)
def test_parameters_out_of_range(asked, says):
    points = Points.of([0.0] * 9, [0.5] * 9)
    assert error_line(
        InvalidArgument, quadtree, points, **({"count": "locations"} | asked)
    ).startswith(says)


@pytest.mark.parametrize("reading", ["corrected", "printed"])
def test_nobody_is_counted_as_many_without_being_asked(reading):
    """One person with six points is no sector of five, whatever their column is called."""
    one = {"lat": [0.0005] * 6, "lon": [0.5005] * 6, "who": ["ann"] * 6, "when": range(6)}
    frame = pd.DataFrame(one)
    unknown = Points.of(frame["lat"], frame["lon"])
    says = r"^count is not given: need locations, as nothing is known of users"
    for data, more in ((frame, "; or name the column of users, which may be who, when$"),
                       (unknown, "$")):  # fmt: skip
        with pytest.raises(InvalidArgument, match=says + more):
            kproof.anonymize("quadtree", data, reading=reading)
    heat = kproof.anonymize("quadtree", frame, count="locations", reading="corrected")
    assert heat.counted is Counted.LOCATIONS
    assert "counted: locations, not persons: 6; 6 to 6 in a sector" in heat.summary()
    with pytest.raises(Infeasible, match="1 users; need at least min_k = 5"):
        kproof.anonymize("quadtree", frame.rename(columns={"who": " USER_id"}))


def test_a_message_names_some_of_many_columns():
    points = Points.of([0.0], [0.0], others=[f"a b{number}" for number in range(30)])
    with pytest.raises(InvalidArgument, match=r"may be 'a b0', .*'a b19' or one of 10 more$"):
        quadtree(points)


def test_too_few_are_refused():
    points = Points.of([0.0] * 9, [0.5] * 9, users="aaaaaabcd")
    assert error_line(Infeasible, quadtree, points) == "4 users; need at least min_k = 5"
    with pytest.raises(Infeasible, match=r"^0 locations; need at least min_k = 1$"):
        quadtree(Points.of([], []), min_k=1, count="locations")


def test_the_printed_reading_shows_the_bounding_box_and_mercator_areas():
    rng = np.random.default_rng(8)
    lat, lon = 60 + rng.normal(0, 0.02, 400), 10 + rng.normal(0, 0.04, 400)
    heat = quadtree(Points.of(lat, lon, users=range(400)), reading="printed", empty="publish")
    assert heat.counted is Counted.LOCATIONS
    assert heat.root.sides == pytest.approx((lon.min(), lat.min(), lon.max(), lat.max()))
    bands = np.diff(np.sin(np.radians(heat.boxes[:, [1, 3]])), axis=1)[:, 0]
    true = np.add.reduceat(
        EARTH_RADIUS**2 * np.radians(heat.boxes[:, 2] - heat.boxes[:, 0]) * bands, heat.offsets[:-1]
    )
    assert (heat.areas / true).min() > 3.9
    assert (heat.areas / true).max() < 4.1
    omitted = quadtree(Points.of(lat, lon), reading="printed", count="locations")
    assert omitted.root is None
    assert omitted.counts.min() >= 5


@cases(
    ([0.0] * 6, Infeasible, "the points are on one line"),
    ([0, 1, 2, 3, 4, 86], DataError, "point 5 has latitude 86.0; a Web-Mercator map ends"),
)
def test_what_the_printed_reading_cannot_draw(lat, error, says):
    with pytest.raises(error, match=says):
        quadtree(Points.of(lat, [0, 1, 2, 3, 4, 5], users=range(6)), reading="printed")


def test_the_front_door():
    points = cloud([(place, place, str(place)) for place in range(12)])
    heat = kproof.anonymize("quadtree", points, min_k=3)
    assert heat.to_dict() == quadtree(points, min_k=3).to_dict()
    with pytest.raises(InvalidArgument, match="need a parameter of quadtree: min_k, "):
        kproof.anonymize("quadtree", points, k=3)
