"""Points, maps of them in metres, and sectors."""

import math

import numpy as np
import pytest
from cases import cases, error_line
from hypothesis import given
from hypothesis import strategies as st

from kproof.errors import DataError, InvalidArgument
from kproof.models.places.heatmap.release import Counted, seal_sectors
from kproof.models.places.plane import EARTH_RADIUS, Box, Plane, globe_area
from kproof.models.places.points import Points

TWO = Points.of([0.0, 0.001], [0.0, 0.001], users=["a", "b"])


@cases(
    ([91], [0], None, "point 0 has latitude 91.0; need -90 to 90"),
    ([0, math.nan], [0, 0], None, "point 1 has latitude nan"),
    ([0], [math.inf], None, "point 0 has longitude inf; need -180 to 180"),
    ([0], [-180.5], None, "point 0 has longitude -180.5"),
    (["north"], [0], None, "a latitude is not a number; need -90 to 90"),
    ([0, 1], [0], None, "lon = '1 longitudes': need 2, as in lat"),
    ([[0]], [0], None, "latitude = (1, 1): need one number for each point"),
    ([0], [0], ["a", "b"], "users = '2 users': need one for 1 points"),
    ([0, 0], [0, 0], ["a", None], "point 1 has no user"),
    ([0], [0], [math.nan], "point 0 has no user"),
    ([0], [0], [["a"]], "point 0 has a list for a user"),
)
def test_what_is_not_on_the_globe_is_refused(lat, lon, users, says):
    assert error_line((DataError, InvalidArgument), Points.of, lat, lon, users=users).startswith(
        says
    )


def test_users_are_coded_by_first_appearance():
    points = Points.of([1, 2, 3], [-180, 180, 0], users=["b", "a", "b"])
    assert (points.users.tolist(), points.names, points.people) == ([0, 1, 0], ("b", "a"), 2)
    assert points.to_dict() == {"schema": 2, "points": 3, "users": 2, "set_apart": []}
    assert Points.of([], []).count == 0
    assert Points.of([1], [1]).people is None
    assert "unknown" in Points.of([1], [1]).summary()
    assert Points.of([1], [1], others=["uid"]).others == ("uid",)
    assert Points.of([1], [1], users=["a"], others=["uid"]).others == ()


def test_points_cannot_be_changed():
    source = np.array([1.0])
    points = Points.of(source, source)
    source[0] = 2
    assert points.lat.tolist() == [1.0]
    with pytest.raises(ValueError, match="read-only"):
        points.lat[0] = 0


@given(st.floats(-89, 89), st.floats(-180, 180), st.floats(-89.9, 89.9), st.floats(-180, 180))
def test_degrees_to_metres_and_back(middle, meridian, lat, lon):
    plane = Plane(middle, meridian)
    x, y = plane.metres(lat, lon)
    found, turned = plane.degrees(x, y)
    assert math.isclose(found, lat, abs_tol=1e-6)
    assert abs(math.remainder(float(turned) - lon, 360)) < 1e-9
    assert -180 <= turned <= 180
    # The way round that is shorter.
    assert abs(float(x)) <= math.pi * EARTH_RADIUS * math.cos(math.radians(middle)) * (1 + 1e-12)


@given(st.floats(-80, 80), st.floats(-89, 88), st.floats(0.01, 1), st.floats(0.01, 1))
def test_areas_are_those_of_the_globe(middle, south, height, width):
    x, y = Plane(middle, 0).metres([south, south + height], [0, width])
    on_the_map = float((x[1] - x[0]) * (y[1] - y[0]))
    # A narrow band of the sphere, as a sum of thin trapezia.
    steps = np.linspace(math.radians(south), math.radians(south + height), 2001)
    widths = EARTH_RADIUS * np.cos(steps) * math.radians(width)
    area = float(np.sum((widths[1:] + widths[:-1]) / 2 * np.diff(steps)) * EARTH_RADIUS)
    assert math.isclose(on_the_map, area, rel_tol=1e-5)
    assert math.isclose(globe_area(Box(0, south, width, south + height)), area, rel_tol=1e-5)


def test_both_sides_of_the_antimeridian_are_near():
    x, _ = Plane(0, 180).metres([0, 0], [179.999, -179.999])
    assert math.isclose(float(x[1] - x[0]), 2 * math.pi * EARTH_RADIUS * 0.002 / 360, rel_tol=1e-6)


def test_lengths_are_true_on_the_middle_parallel():
    x, y = Plane(60, 10).metres([60, 60.0001], [10.0001, 10])
    assert math.isclose(float(x[0]), EARTH_RADIUS * math.radians(1e-4) / 2, rel_tol=1e-9)
    assert math.isclose(float(y[1] - y[0]), EARTH_RADIUS * math.radians(1e-4), rel_tol=1e-5)


@pytest.mark.parametrize(("lat", "lon"), [(89.5, 0), (math.nan, 0), (0, 181)])
def test_maps_that_are_none(lat, lon):
    with pytest.raises(InvalidArgument):
        Plane(lat, lon)


@pytest.mark.parametrize("sides", [(0, 0, 0, 1), (0, 1, 1, 0), (0, 0, math.inf, 1)])
def test_boxes_that_are_none(sides):
    assert "need finite west < east and south < north" in error_line(InvalidArgument, Box, *sides)


def test_quarters_cut_a_box_in_four():
    parts = Box(0, 0, 4, 2).quarters()
    sides = [part.sides for part in parts]
    assert sides == [(0, 0, 2, 1), (2, 0, 4, 1), (0, 1, 2, 2), (2, 1, 4, 2)]
    assert {(part.width, part.height) for part in parts} == {(2, 1)}


def heat(points: Points = TWO, **changes: object) -> object:
    given = {
        "sectors": [[Box(0, 0, 1, 1)], [Box(1, 0, 2, 1), Box(1, 1, 2, 2)]],
        "counts": [2, 0],
        "areas": [1.0, 2.0],
        "plane": Plane(0, 0),
        "root": None,
        "counted": "users",
        "method": "by hand",
        "parameters": {"min_k": 2},
    }
    given |= changes
    return seal_sectors(points, given.pop("sectors"), **given)


def test_the_account_of_sectors():
    release = heat()
    assert release.counted is Counted.USERS
    assert release.sector(0).density == 2.0
    assert [box.sides for box in release.sector(1).boxes] == [(1, 0, 2, 1), (1, 1, 2, 2)]
    assert release.to_dict()["sectors"][1]["boxes"] == [[1, 0, 2, 1], [1, 1, 2, 2]]
    assert release.summary().splitlines()[1:] == [
        "published: 2 sectors, 1 of them merged",
        "counted: persons, by user: 2 with 2 points; 2 to 2 in a sector, none in 1",
    ]
    assert heat(sectors=[], counts=[], areas=[]).sectors == 0
    assert heat(counts=[0, 0]).summary().endswith("2 points; nobody in any sector")


@cases(
    ({"counted": "cars"}, "counted = cars: need users or locations"),
    ({"sectors": [[], []]}, "sectors = 'one without a box'"),
    ({"counts": [1]}, "counts = [1]: need 2 whole numbers"),
    ({"counts": [0.5, 1]}, "counts = [0.5, 1]"),
    ({"areas": [1, 0]}, "areas = [1, 0]: need 2 finite numbers above 0"),
    ({"areas": [1, math.nan]}, "areas = [1, nan]"),
    ({"densities": [1]}, "densities = (1,): need shape (2,)"),
)
def test_sectors_that_do_not_fit(changes, says):
    assert error_line(InvalidArgument, heat, **changes).startswith(says)


def test_users_nobody_knows_of_cannot_be_counted():
    with pytest.raises(InvalidArgument, match="need locations, as nothing is known of users"):
        heat(Points.of([0], [0]), sectors=[[Box(0, 0, 1, 1)]], counts=[1], areas=[1], plane=None)
