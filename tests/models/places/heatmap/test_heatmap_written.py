"""What a heat map says of its sectors holds for the sectors as they are written."""

import json
import math
import re
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nights import spread
from public_data import data_file
from shell import kproof
from written_maps import area, features, rows_inside, turned

from kproof.models.places.heatmap.files import geojson, png_image
from kproof.models.places.heatmap.page import heatmap_page
from kproof.models.places.heatmap.quadtree import quadtree
from kproof.models.places.heatmap.release import SectorRelease
from kproof.models.places.plane import EARTH_RADIUS, Plane
from kproof.models.places.points import Points

NEAR = 1e-8
"""Of areas: on the map around a pole a metre is ten digits below the coordinates."""

PLACES = {
    "town": (48.1, 11.5, 0.02),
    "north pole": (90.0, 0.0, 0.3),
    "near the north pole": (89.7, 30.0, 0.2),
    "south pole": (-90.0, 40.0, 0.02),
    "antimeridian": (-17.0, 180.0, 0.05),
    "equator": (0.0, 0.5, 0.01),
    "everywhere": (0.0, 0.0, 80.0),
}


def cloud(place: str, *, seed: int, digits: int = 6, count: int = 200) -> Points:
    """Return points around a place, in so many decimals, of a quarter as many users."""
    lat, lon, spread = PLACES[place]
    rng = np.random.default_rng(seed)
    lats = lat + rng.normal(0, spread, count)
    lats = np.where(np.abs(lats) > 90, np.sign(lats) * 180 - lats, lats)
    lons = (lon + rng.normal(0, 180 if "pole" in place else 2 * spread, count) + 180) % 360 - 180
    lats[:4] = np.clip([lat, 90, -90, lat], lats.min(), lats.max())
    return Points.of(
        np.clip(lats.round(digits), -90, 90),
        np.clip(lons.round(digits), -180, 180),
        users=rng.integers(0, count // 4, count),
    )


def held(points: Points, text: str) -> list[tuple[dict[str, Any], set[object]]]:
    """Return each feature of a file with whom it has, every point in one of them."""
    spots = [
        (*turned(repr(lon), repr(lat)), row)
        for row, (lat, lon) in enumerate(zip(points.lat.tolist(), points.lon.tolist(), strict=True))
    ]
    spots.sort()
    found, seen = [], []
    for feature in features(text):
        inside = [spots[row][2] for row in rows_inside(feature["rings"], [s[:2] for s in spots])]
        seen += inside
        whose = inside if points.users is None else points.users[inside].tolist()
        found.append((feature, set(whose)))
    assert sorted(seen) == list(range(points.count))
    return found


def hold_to_it(points: Points, heat: SectorRelease, k: int, near: float = NEAR) -> None:
    """Check counts, areas and densities of the written file, and that the release says the same."""
    text = geojson(heat)
    counts = []
    for feature, whose in held(points, text):
        assert feature["count"] == len(whose)
        assert feature["count"] == 0 or feature["count"] >= k
        true = area(feature["rings"])
        assert float(feature["area"]) == pytest.approx(true, rel=near)
        assert float(feature["density"]) == pytest.approx(len(whose) / true, rel=near)
        counts.append(int(feature["count"]))
    assert counts == heat.counts.tolist()
    drawn = json.loads(re.search(r'id="data">(.*?)</script>', heatmap_page(heat), re.DOTALL)[1])
    assert (drawn["count"], drawn["area"]) == (counts, heat.areas.tolist())


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("asked", [{}, {"empty": "merge"}, {"merge_sectors": False}])
def test_counts_and_areas_are_those_of_the_written_shapes(place, asked):
    sides = ((0, 100), (1, 25), (2, 100_000))
    offset = [*PLACES].index(place) + len(asked) + ("empty" in asked)
    for seed, side in spread(sides, 3, offset=offset):
        points = cloud(place, seed=seed)
        hold_to_it(points, quadtree(points, min_k=3, min_sector_length=side, **asked), 3)


@settings(max_examples=15)
@example("town", 0, 10**6)  # The last square of a map around the 54th parallel ends at the pole.
@given(st.sampled_from(sorted(PLACES)), st.integers(0, 10**6), st.sampled_from([1, 30, 500, 10**6]))
def test_points_on_the_lines_as_they_are_written(place, seed, side):
    """Where lines are rounded, whoever stands next to one may come to stand on its other side."""
    rng = np.random.default_rng(seed)
    points = cloud(place, seed=seed, count=60)
    rings = [ring for one in features(geojson(quadtree(points, min_k=2, min_sector_length=side)))
             for ring in one["rings"]]  # fmt: skip
    corners = [corner for ring in rings for corner in ring]
    near = [corners[at] for at in rng.integers(0, len(corners), 40)]
    shift = [Fraction(int(step), 10**8) for step in rng.integers(-12, 13, 80)]
    lon = [float(min(max(x + by, Fraction(-180)), Fraction(180)))
           for (x, _), by in zip(near, shift[:40], strict=True)]  # fmt: skip
    lat = [float(min(max(y + by, Fraction(-90)), Fraction(90)))
           for (_, y), by in zip(near, shift[40:], strict=True)]  # fmt: skip
    both = Points.of([*points.lat.tolist(), *lat], [*points.lon.tolist(), *lon], users=range(100))
    # Of a side of one metre there are two digits fewer.
    near = 100 * NEAR if side == 1 else NEAR
    hold_to_it(both, quadtree(both, min_k=2, min_sector_length=side), 2, near)


def test_a_pole_is_no_larger_than_it_is():
    """A square that reaches beyond the pole of the map has the area of what is on the globe."""
    rng = np.random.default_rng(0)
    points = Points.of(89.999 + 0.0009 * rng.random(40), rng.uniform(-180, 180, 40),
                       users=range(40))  # fmt: skip
    heat = quadtree(points, min_k=5, min_sector_length=100, empty="merge")
    shown = sum(area(one["rings"]) for one in features(geojson(heat)))
    assert heat.areas.sum() == pytest.approx(shown, rel=NEAR)
    assert heat.root.width * heat.root.height == pytest.approx(shown, rel=NEAR)
    # Nothing of the map is beyond its edges.
    x, y = Plane(heat.plane.latitude, 0).metres([90], [180])
    assert abs(heat.boxes[:, [1, 3]]).max() <= y[0]
    assert abs(heat.boxes[:, [0, 2]]).max() <= x[0] * (1 + 1e-12)


@pytest.mark.parametrize("latitude", [0, 40, 70, -89])
@pytest.mark.parametrize("side", [1, 100, 2_000])
def test_no_side_is_shorter_than_asked_for(latitude, side):
    """Sides are measured on the map, of the lines as they are written."""
    rng = np.random.default_rng(1)
    spread = side * 40 / EARTH_RADIUS * 180 / math.pi
    lat = np.clip(latitude + rng.normal(0, spread, 300), -90, 90)
    lon = 7 + rng.normal(0, spread / math.cos(math.radians(latitude)), 300)
    heat = quadtree(Points.of(lat, lon), min_k=1, min_sector_length=side, count="locations")
    scale = math.cos(math.radians(heat.plane.latitude))
    for one in features(geojson(heat)):
        xs, ys = (sorted({corner[axis] for ring in one["rings"] for corner in ring})
                  for axis in (0, 1))  # fmt: skip
        wide = min(float(b - a) for a, b in pairwise(xs))
        assert EARTH_RADIUS * scale * math.radians(wide) >= side * (1 - 1e-9)
        sines = [math.sin(math.radians(y)) for y in ys]
        assert EARTH_RADIUS / scale * min(b - a for a, b in pairwise(sines)) >= side * (1 - 1e-9)


def test_an_image_shows_the_densities_of_the_file():
    """The same colour scale, from the least to the most dense of the written sectors."""
    from unittest import mock

    from matplotlib import colors

    heat = quadtree(cloud("north pole", seed=3), min_k=3, min_sector_length=1000)
    true = [1e6 * float(one["count"]) / area(one["rings"]) for one in features(geojson(heat))]
    with mock.patch("matplotlib.colors.LogNorm", wraps=colors.LogNorm) as scale:
        png_image(heat)
    least, most = scale.call_args.args
    assert least == pytest.approx(min(value for value in true if value), rel=NEAR)
    assert most == pytest.approx(max(true), rel=NEAR)


def test_the_printed_reading_counts_by_its_lines_too():
    points = cloud("town", seed=5)
    heat = quadtree(points, reading="printed", empty="publish")
    counts = []
    # Those on the western and southern side of the bounding box are not beyond it.
    inside = Fraction(1, 10**30)
    low = [Fraction(repr(min(axis.tolist()))) + inside for axis in (points.lon, points.lat)]
    spots = sorted(
        (max(Fraction(repr(lon)), low[0]), max(Fraction(repr(lat)), low[1]))
        for lat, lon in zip(points.lat.tolist(), points.lon.tolist(), strict=True)
    )
    for feature in features(geojson(heat)):
        counts.append(len(rows_inside(feature["rings"], spots)))
        assert feature["count"] == counts[-1]
    assert sum(counts) == points.count


def test_a_file_from_the_command_line_is_right_about_the_cabs(tmp_path):
    cabs = data_file("cabs_dataset_20080608_0700_0715.csv")
    out = tmp_path / "map.geojson"
    assert (
        kproof("anonymize", "quadtree", "--audience", "study", str(cabs), "-o", str(out)).status
        == 0
    )
    names, *lines = cabs.read_text().splitlines()
    place = {name: index for index, name in enumerate(names.split(","))}
    rows = [line.split(",") for line in lines]
    spots = sorted(
        (*turned(row[place["lon"]], row[place["lat"]]), row[place["user_id"]]) for row in rows
    )
    seen = 0
    for feature in features(out.read_text()):
        inside = rows_inside(feature["rings"], [spot[:2] for spot in spots])
        seen += len(inside)
        assert feature["count"] == len({spots[row][2] for row in inside})
        assert float(feature["area"]) == pytest.approx(area(feature["rings"]), rel=NEAR)
    assert seen == len(rows)
