"""Positions from any file, through the commands that use them; each row failed or was accepted."""

import json
from pathlib import Path

import numpy as np
import pytest
from shell import kproof, refused

QUADTREE = ("anonymize", "quadtree", "--audience", "study")
DENSITY = ("anonymize", "density", "--audience", "study", "--json")


def positions(count: int) -> list[tuple[str, float, float]]:
    away = 0.003 * np.random.default_rng(5).normal(size=(count, 2))
    return [(f"p{row % 30}", 52.5 + north, 13.4 + east) for row, (north, east) in enumerate(away)]


def write_csv(path: Path, rows: list[tuple[str, float, float]]) -> Path:
    lines = [
        f"{lon},{lat},{user},2024-01-01 10:{row // 60:02}:{row % 60:02}"
        for row, (user, lat, lon) in enumerate(rows)
    ]
    path.write_text("\n".join(["x,y,device,datetime", *lines]))
    return path


def test_one_map_of_every_format(tmp_path):
    rows = positions(120)
    write_csv(tmp_path / "log.csv", rows)
    objects = [{"device": user, "latitude": lat, "lng": lon} for user, lat, lon in rows]
    (tmp_path / "log.ndjson").write_text("\n".join(map(json.dumps, objects)))
    tracks = "".join(
        f'<trk><name>{user}</name><trkseg><trkpt lat="{lat}" lon="{lon}"/></trkseg></trk>'
        for user, lat, lon in rows
    )
    (tmp_path / "log.gpx").write_text(f'<gpx xmlns="{GPX}">{tracks}</gpx>')
    maps = []
    for kind, words in {"csv": (), "ndjson": (), "gpx": ("--user", "name")}.items():
        out = tmp_path / f"{kind}.geojson"
        ran = kproof(*QUADTREE, str(tmp_path / f"log.{kind}"), *words, "-o", str(out), "--json")
        assert (ran.status, ran.document["users"]) == (0, 30), ran.err
        maps.append(out.read_bytes())
    assert maps[0] == maps[1] == maps[2]


GPX = "http://www.topografix.com/GPX/1/1"


def test_a_log_at_no_place_is_refused(tmp_path):
    log = write_csv(tmp_path / "log.csv", [(f"p{row}", 0, 0) for row in range(21)])
    line = refused(*QUADTREE, str(log), "-o", str(tmp_path / "map"))
    assert line == (f"{log}: no position is usable: 21 at (0, 0) (lines 2, 3, 4, 5, 6 and 16 more)")
    assert not (tmp_path / "map").exists()


def test_a_row_1000_km_away_is_set_apart_unless_it_is_asked_for(tmp_path):
    log = write_csv(tmp_path / "log.csv", [*positions(120), ("p0", 43.5, 13.4), ("p1", 0, 0)])
    out = tmp_path / "map.geojson"
    ran = kproof(*QUADTREE, str(log), "-o", str(out))
    assert "set apart: 1 at (0, 0) (line 123)" in ran.out.splitlines()
    far = "set apart: 1 farther than 50 times the median distance (line 122)"
    assert far in ran.out.splitlines()

    def south() -> float:
        features = json.loads(out.read_text())["features"]
        rings = [feature["geometry"]["coordinates"] for feature in features]
        return min(float(np.ravel(np.array(ring).ravel())[1]) for ring in rings if len(ring) == 1)

    assert south() > 52
    ran = kproof(*QUADTREE, str(log), "-o", str(out), "--keep-far", "--json")
    assert [rows["lines"] for rows in ran.document["set_apart"]] == [[123]]
    assert south() < 44
    line = refused(*QUADTREE, str(log), "-o", str(out), "--far", "0.5")
    assert line.startswith("--far = 0.5: need")


def test_a_date_is_nobody(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("lat,lon,date,seen,who\n" + "52,13,2024-01-01,2024/01/01 10:00,ann\n" * 9)
    line = refused(*QUADTREE, str(log), "-o", str(tmp_path / "map"))
    assert line.endswith("or name the column of users, which may be who")


@pytest.fixture
def city(tmp_path: Path) -> tuple[str, ...]:
    """Return the options of nine crossings, 0.001 degrees apart."""
    nodes, edges = tmp_path / "nodes.csv", tmp_path / "edges.csv"
    spots = [
        f"{row * 3 + col},{13 + col / 1000},{52 + row / 1000}"
        for row in range(3)
        for col in range(3)
    ]
    nodes.write_text("\n".join(["id,lon,lat", *spots]))
    across = [f"{node},{node + 1}" for node in range(9) if node % 3 < 2]
    edges.write_text("\n".join(["from,to", *across, *(f"{node},{node + 3}" for node in range(6))]))
    return "--nodes", str(nodes), "--edges", str(edges)


def test_users_of_a_city_from_a_log(city, tmp_path):
    rng = np.random.default_rng(3)
    log = tmp_path / "log.ndjson"
    last: dict[int, tuple[int, ...]] = {}
    rows = []
    for _ in range(200):
        user, time = int(rng.integers(40)), int(rng.integers(1_700_000_000, 1_700_003_600))
        lat, lon = 52 + 0.002 * rng.random(), 13 + 0.002 * rng.random()
        rows.append({"uid": user, "timestamp": time, "lat": lat, "lon": lon})
        if time > last.get(user, (0,))[0]:
            last[user] = time, round((lat - 52) * 1000) * 3 + round((lon - 13) * 1000)
    rows.append({"uid": "far", "timestamp": 1_700_000_000, "lat": 52.02, "lon": 13})
    log.write_text("\n".join(map(json.dumps, rows)))
    out = tmp_path / "regions.csv"
    words = (*DENSITY, *city, "--users", str(log), "--k", "3", "-o", str(out))
    document = kproof(*words).document
    assert document["city"]["users"] == len(last) == 40
    assert document["city"]["empty_nodes"] == 9 - len({node for *_, node in last.values()})
    [apart] = document["located"]["set_apart"]
    assert (apart["lines"], apart["reason"]) == ([201], "last seen more than 500 m from a crossing")
    assert out.exists()
    # Who goes where a row is set apart is no longer where they were.
    late = [{"uid": 0, "timestamp": 1_700_009_999, "lat": 0, "lon": 0}]
    log.write_text("\n".join(map(json.dumps, rows + late)))
    document = kproof(*words).document
    assert document["city"]["users"] == 39
    reasons = [one["reason"] for one in document["located"]["set_apart"]]
    assert "whose last row was set apart" in reasons
    line = refused(*words, "--snap", "0")
    assert line == f"{log}: nobody is within 0 m of a crossing of the city"


def test_users_that_are_neither_a_number_nor_a_log(city):
    for users, says in {
        "many": "--users = many: need a whole number",
        "1.5": "--users = 1.5: need a whole number",
        "none.csv": "none.csv: no such file",
    }.items():
        assert refused(*DENSITY, *city, "--users", users, "--k", "3").startswith(says)
