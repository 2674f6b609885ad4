"""``kproof anonymize quadtree``: from files of points to maps on disk, whole or not at all."""

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cases import cases
from public_data import data_file
from shell import kproof, printed, refused

import kproof as package
from kproof.models.places.points_files import read_points

WORDS = ("anonymize", "quadtree", "--audience", "study")


@pytest.fixture
def trips(tmp_path: Path) -> Path:
    rng = np.random.default_rng(2)
    path = tmp_path / "trips.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("who", "Latitude", "lng"))
        for row in range(200):
            lat, lon = 52.5 + 0.01 * rng.normal(), 13.4 + 0.02 * rng.normal()
            writer.writerow((f"u{row % 40}", f"{lat:.6f}", f"{lon:.6f}"))
    return path


def test_a_map_is_written_and_accounted_for(trips, tmp_path):
    out, page = tmp_path / "map.geojson", tmp_path / "map.html"
    words = (str(trips), "--user", "who", "--min-k", "4", "-o", str(out), "--html", str(page))
    lines = printed(*WORDS, *words).splitlines()
    recognised = "recognised: lat from Latitude, lon from lng, user from who"
    assert lines[:3] == [recognised, "points: 200", "users: 40"]
    assert lines[3].startswith("method: quadtree(min_k=4, min_sector_length=100, ")
    assert lines[-2:] == [f"written: {out}", f"written: {page}"]
    document = json.loads(out.read_text())
    counts = [feature["properties"]["count"] for feature in document["features"]]
    assert document["counted"] == "users"
    assert min(count for count in counts if count) >= 4
    assert "trips.csv" in page.read_text()


def test_json(trips, tmp_path):
    out = tmp_path / "map.geojson"
    words = (str(trips), "--no-merge-sectors", "--min-sector-length", "250", "-o", str(out))
    words += ("--count", "locations")
    document = kproof(*WORDS, *words, "--json").document
    assert document["schema"] == 2
    assert document["parameters"]["merge_sectors"] is False
    assert document["parameters"]["min_sector_length"] == 250
    assert document["counted"] == "locations"
    assert document["sectors"] == len(json.loads(out.read_text())["features"])
    assert document["written"] == [str(out)]


@cases(
    ((), "--output is not given: need --output, --png or --html FILE"),
    (("-o", "{trips}"), "--output = "),
    (("-o", "a", "--png", "a"), "--png = a: need another file than the output"),
    (("-o", "{out}", "--user", "driver"), "{trips}: no column driver; there are"),
    (("-o", "{out}", "--lat", "who"), "{trips}, line 2: who is u0; need a number"),
    (
        ("-o", "{out}", "--min-k", "201", "--count", "locations"),
        "200 locations; need at least min_k = 201",
    ),
    (
        ("-o", "{out}"),
        "--count is not given: need locations, as nothing is known of users; or name the",
    ),
    (("-o", "{out}", "--reading", "printed"), "--count is not given: need locations, as nothing"),
    (("-o", "{out}", "--min-k", "0"), "--min-k = 0: need"),
    (("-o", "{out}", "--count", "users"), "--count = users: need locations"),
)
def test_refusals(words, says, trips, tmp_path):
    out = tmp_path / "out"
    names = {"trips": trips, "out": out}
    line = refused(*WORDS, str(trips), *(word.format(**names) for word in words))
    assert line.startswith(says.format(**names))
    assert not out.exists()


@pytest.mark.parametrize("name", ["trajectory_id", "Kunde"])
@pytest.mark.parametrize("kind", ["csv", "parquet", "geojson"])
def test_a_column_of_users_under_another_name(name, kind, tmp_path):
    """Eight people with 30 points each are not 240, in whatever file they come."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "lat": 52.5 + 0.001 * rng.normal(size=240),
            "lon": 13.4 + 0.001 * rng.normal(size=240),
            name: [f"person {row % 8}" for row in range(240)],
            "speed": 1.0,
        }
    )
    path, out = tmp_path / f"trips.{kind}", tmp_path / "map.geojson"
    if kind == "csv":
        frame.to_csv(path, index=False)
    elif kind == "parquet":
        frame.to_parquet(path)
    else:
        features = [
            {
                "type": "Feature",
                "geometry": {"type": "Point", "coordinates": [row.lon, row.lat]},
                "properties": {name: person, "speed": 1.0},
            }
            for row, person in zip(frame.itertuples(), frame[name], strict=True)
        ]
        path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    line = refused(*WORDS, str(path), "-o", str(out))
    assert line.startswith(
        "--count is not given: need locations, as nothing is known of users; or name"
    )
    assert name in line
    assert not out.exists()
    named = kproof(*WORDS, str(path), "-o", str(out), "--user", name)
    assert "counted: persons, by user: 8 with 240 points" in named.out
    assert json.loads(out.read_text())["counted"] == "users"
    asked = kproof(*WORDS, str(path), "-o", str(out), "--count", "locations")
    assert "counted: locations, not persons: 240" in asked.out
    assert json.loads(out.read_text())["counted"] == "locations"
    told = kproof(*WORDS, str(path), "-o", str(out), "--user", name, "--json").document
    assert (told["counted"], told["users"]) == ("users", 8)


BROKEN = {
    "nan.csv": "lat,lon\n1,nan\n",
    "range.csv": "lat,lon\n91,0\n",
    "ragged.csv": "lat,lon\n1\n",
    "nobody.csv": "lat,lon,user\n1,2,\n",
    "header.csv": "a,b\n1,2\n",
    "cut.geojson": '{"type": "FeatureCollection", "features": [{"ty',
    "list.geojson": "[1, 2]",
    "deep.geojson": "[" * 100_000,
    "line.geojson": '{"features": [{"geometry": {"type": "LineString", "coordinates": [[1, 2]]}}]}',
    "text.geojson": '{"features": [{"geometry": {"type": "Point", "coordinates": ["1", "2"]}}]}',
    "bytes.parquet": "PAR1",
    "absent.csv": None,
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_named(name, tmp_path):
    path, text = tmp_path / name, BROKEN[name]
    if text is not None:
        path.write_text(text)
    assert str(path) in refused(*WORDS, str(path), "-o", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_the_same_points_from_any_format(trips, tmp_path):
    from_csv = read_points(trips, user="who")
    frame = pd.read_csv(trips)
    frame.to_parquet(tmp_path / "trips.parquet")
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [row.lng, row.Latitude]},
            "properties": {"USER_ID": row.who},
        }
        for row in frame.itertuples()
    ]
    (tmp_path / "trips.geojson").write_text(json.dumps({"features": features}))
    for found in (
        read_points(tmp_path / "trips.parquet", user="who"),
        read_points(tmp_path / "trips.geojson"),
    ):
        assert found.lat.tolist() == from_csv.lat.tolist() == frame["Latitude"].tolist()
        assert found.lon.tolist() == from_csv.lon.tolist()
        assert found.names == from_csv.names
        assert found.users is not None
        assert from_csv.users is not None
        assert found.users.tolist() == from_csv.users.tolist()


def test_cab_traces(tmp_path):
    cabs = data_file("cabs_dataset_20080608_0700_0715.csv")
    heat = package.anonymize("quadtree", str(cabs))
    frame = pd.read_csv(cabs)
    assert (heat.points.count, heat.points.people) == (len(frame), frame["user_id"].nunique())
    x, y = heat.plane.metres(frame["lat"], frame["lon"])
    for index in range(heat.sectors):
        inside = np.zeros(len(frame), dtype=bool)
        for west, south, east, north in heat.boxes[heat.offsets[index] : heat.offsets[index + 1]]:
            inside |= (west < x) & (x <= east) & (south < y) & (y <= north)
        people = frame["user_id"][inside].nunique()
        assert people == heat.counts[index]
        assert people == 0 or people >= 5


def test_a_square_may_hold_more_than_there_are(trips, tmp_path):
    maps = []
    for most in ("200", "1e9999"):
        out = tmp_path / most
        words = (str(trips), "--count", "locations", "--split-n-locations", most)
        assert kproof(*WORDS, *words, "-o", str(out)).status == 0
        maps.append(out.read_bytes())
    assert maps[0] == maps[1]
