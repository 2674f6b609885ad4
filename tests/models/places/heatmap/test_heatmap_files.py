"""Heat maps on disk: GeoJSON that covers what was published, once; images; a page of its own."""

import json
import re
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quadtree_oracles import pieces, ring_area

from kproof.errors import DataError
from kproof.models.places.heatmap.files import geojson, to_geopandas, write_geojson, write_png
from kproof.models.places.heatmap.outline_kernel import outlines
from kproof.models.places.heatmap.page import heatmap_page, write_page
from kproof.models.places.heatmap.quadtree import quadtree
from kproof.models.places.heatmap.release import SectorRelease
from kproof.models.places.plane import EARTH_RADIUS
from kproof.models.places.points import Points


def heat(lat: float, lon: float, *, seed: int = 0, spread: float = 0.01, **asked: Any) -> Any:
    rng = np.random.default_rng(seed)
    lats = np.clip(lat + rng.normal(0, spread, 300), -90, 90)
    lons = (lon + rng.normal(0, 2 * spread, 300) + 180) % 360 - 180
    return quadtree(Points.of(lats, lons), count="locations", **asked)


@settings(max_examples=200)
@given(st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1))
def test_outlines_are_those_of_their_cells(cells):
    boxes = np.array([(x, y, x + 1, y + 1) for x, y in sorted(cells)])
    corners, starts, rings = outlines(np.array([0, len(boxes)]), boxes)
    parts = pieces([(x, y, 1) for x, y in sorted(cells, key=lambda cell: cell[::-1])])
    assert rings[:, 0].max() == 0
    assert rings[:, 1].max() + 1 == len(parts)
    edges = []
    areas = {}
    for ring, (first, last) in enumerate(pairwise(starts.tolist())):
        rows = [tuple(map(Fraction, row)) for row in corners[first:last].tolist()]
        assert len(rows) == len(set(rows)), "a ring touches itself"
        for before, here, after in zip(
            rows[-1:] + rows[:-1], rows, rows[1:] + rows[:1], strict=True
        ):
            assert (before[0] == here[0]) != (before[1] == here[1])
            assert (before[0] == here[0]) == (here[1] == after[1]), "a corner on a straight side"
        areas.setdefault(int(rings[ring, 1]), []).append(ring_area([*rows, rows[0]]))
        for (x, y), (z, w) in zip(rows, rows[1:] + rows[:1], strict=True):
            steps = int(abs(z - x) + abs(w - y))
            path = [(x + (z - x) * step / steps, y + (w - y) * step / steps)
                    for step in range(steps + 1)]  # fmt: skip
            edges += pairwise(path)
    expected = []
    for x, y in cells:
        for dx, dy, side in (
            (0, -1, ((x, y), (x + 1, y))),
            (1, 0, ((x + 1, y), (x + 1, y + 1))),
            (0, 1, ((x + 1, y + 1), (x, y + 1))),
            (-1, 0, ((x, y + 1), (x, y))),
        ):
            if (x + dx, y + dy) not in cells:
                expected.append(side)
    assert sorted(edges) == sorted(expected)
    for part, squares in enumerate(parts):
        first_area, *holes = areas[part]
        assert first_area > 0
        assert all(hole < 0 for hole in holes)
        assert first_area + sum(holes) == len(squares)


def polygons(feature: dict[str, Any]) -> list[list[list[tuple[Fraction, Fraction]]]]:
    geometry = feature["geometry"]
    found = geometry["coordinates"]
    if geometry["type"] == "Polygon":
        found = [found]
    return [
        [[(Fraction(str(x)), Fraction(str(y))) for x, y in ring] for ring in polygon]
        for polygon in found
    ]


MAPS = {
    "city": (48.1, 11.5),
    "south": (-33.9, 151.2),
    "antimeridian": (-17.0, 180.0),
    "north pole": (90.0, 0.0),
    "south pole": (-90.0, 40.0),
}


@pytest.mark.parametrize("place", MAPS)
@pytest.mark.parametrize("empty", ["publish", "merge"])
def test_geojson_covers_the_root_once(place, empty):
    release = heat(*MAPS[place], min_k=3, min_sector_length=200, empty=empty)
    document = json.loads(geojson(release), parse_float=str)
    assert document["type"] == "FeatureCollection"
    assert document["counted"] == "locations"
    total, spans = Fraction(0), []
    for feature in document["features"]:
        for outer, *holes in polygons(feature):
            assert outer[0] == outer[-1]
            assert ring_area(outer) > 0
            assert all(ring_area(hole) < 0 for hole in holes)
            total += sum(map(ring_area, [outer, *holes]))
            spans += outer
            assert max(x for x, _ in outer) - min(x for x, _ in outer) <= 360
    assert all(-180 <= x <= 180 and -90 <= y <= 90 for x, y in spans)
    assert sum(feature["properties"]["count"] for feature in document["features"]) == 300
    # In degrees of the cylinder the root is a rectangle, and the shapes add up to it exactly.
    parallel = EARTH_RADIUS * np.cos(np.radians(release.plane.latitude))
    edge, top = np.pi * parallel, EARTH_RADIUS**2 / parallel
    west, south, east, north = release.root.sides
    width = np.degrees((min(east, edge) - max(west, -edge)) / parallel)
    low, high = (np.degrees(np.arcsin(np.clip(side / top, -1, 1))) for side in (south, north))
    assert float(total) == pytest.approx((high - low) * width, rel=1e-6)
    # What is cut at the antimeridian is on both sides of it.
    sides = {x for x, _ in spans}
    if "pole" not in place:
        assert (sides >= {Fraction(180), Fraction(-180)}) == (place == "antimeridian")


def test_figures_are_written_in_full():
    release = heat(48.1, 11.5, min_k=4)
    features = json.loads(geojson(release))["features"]
    assert [
        [one["properties"][name] for one in features] for name in ("count", "area", "density")
    ] == [release.counts.tolist(), release.areas.tolist(), release.densities.tolist()]


def test_points_are_in_the_shape_that_counts_them():
    release = heat(48.1, 11.5, min_k=4)
    features = json.loads(geojson(release), parse_float=str)["features"]
    spots = [
        (Fraction(str(lon)), Fraction(str(lat)))
        for lat, lon in zip(release.points.lat.tolist(), release.points.lon.tolist(), strict=True)
    ]
    for feature in features:
        if not feature["properties"]["count"]:
            continue
        [rings] = polygons(feature)
        inside = 0
        for x, y in spots:
            crossed = sum(
                (one[1] > y) != (other[1] > y) and one[0] > x
                for ring in rings
                for one, other in pairwise(ring)
                if one[0] == other[0]
            )
            inside += crossed % 2
        assert inside == feature["properties"]["count"]


def test_the_printed_reading_is_written_as_it_is():
    release = heat(48.1, 11.5, reading="printed")
    document = json.loads(geojson(release))
    assert len(document["features"]) == release.sectors
    assert min(one["properties"]["count"] for one in document["features"]) >= 5


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    (tmp_path / "out").write_text("before")
    return tmp_path / "out"


@pytest.mark.parametrize("write", [write_geojson, write_png, write_page])
def test_files_are_whole_or_not_at_all(write, kept):
    release = heat(48.1, 11.5)
    broken = SectorRelease(**{**vars(release), "densities": None, "areas": None})
    with pytest.raises((TypeError, ValueError, AttributeError)):
        write(broken, kept)
    assert kept.read_text() == "before"
    with pytest.raises(DataError, match=r"cannot be written: there is no folder"):
        write(release, kept.parent / "none" / "out")
    write(release, kept)
    assert kept.read_bytes() != b"before"
    assert [path.name for path in kept.parent.iterdir()] == ["out"]


def test_an_image_has_the_colours_of_its_sectors(tmp_path):
    from matplotlib.image import imread

    release = heat(48.1, 11.5, min_k=5, min_sector_length=1000)
    write_png(release, tmp_path / "map.png", title="$x")
    image = imread(tmp_path / "map.png")[..., :3]
    assert image.shape[:2] == (1050, 1200)
    colours = np.unique(np.round(255 * image.reshape(-1, 3)) @ [65536, 256, 1])
    assert len(colours) > len(set(release.densities.tolist()))


def test_a_page_needs_no_network_and_says_what_it_shows(tmp_path):
    release = heat(48.1, 11.5)
    page = heatmap_page(release, title="</script><b>&")
    assert page.count("</script>") == 2
    assert "<title>&lt;/script&gt;&lt;b&gt;&amp;</title>" in page
    assert not re.search(r"https?:|//[a-z]+\.|\bsrc=|<link|@import|url\(|fetch|XMLHttp", page)
    assert "default-src 'none'" in page
    held = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    data = json.loads(held[1])
    assert data["count"] == release.counts.tolist()
    assert data["area"] == release.areas.tolist()
    assert "sectors; locations, not persons: 300; k = 5" in page
    assert sorted(set(data["sector"])) == list(range(release.sectors))
    assert data["starts"][-1] * 2 == len(data["corners"])
    west, south, east, north = data["frame"]
    assert west < 11.5 < east
    assert south < 48.1 < north


@pytest.fixture
def geopandas(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A stand-in that keeps what it is handed."""
    module = ModuleType("geopandas")

    class GeoDataFrame:
        @staticmethod
        def from_features(features: Any, crs: str) -> tuple[Any, str]:
            return features, crs

    module.GeoDataFrame = GeoDataFrame
    monkeypatch.setitem(sys.modules, "geopandas", module)
    return module


def test_geopandas_gets_the_features(geopandas):
    release = heat(48.1, 11.5)
    features, crs = to_geopandas(release)
    assert crs == "EPSG:4326"
    assert features == json.loads(geojson(release))["features"]
