"""The reader of positions against plain loops: formats, times, and what is set apart."""

import csv
import json
import math
import statistics
import struct
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cases import cases, error_line
from hypothesis import given, settings
from hypothesis import strategies as st
from public_data import data_file
from pyarrow import parquet

from kproof import read_log
from kproof.errors import DataError, InvalidArgument
from kproof.models import PositionLog

ROWS = [
    ("ann", "2008-06-08 23:40:39", 52.5, 13.4),
    ("bob", "2008-06-08 23:40:40", 52.51, 13.41),
    ("ann", "2008-06-08 23:39:00", 52.52, 13.42),
]
SECONDS = [1212968439, 1212968440, 1212968340]


def rows_of(log):
    names = [log.names[code] for code in log.person]
    return list(zip(names, log.time.tolist(), log.lat.tolist(), log.lon.tolist(), strict=True))


EXPECTED = [("ann", SECONDS[2], 52.52, 13.42), ("ann", SECONDS[0], 52.5, 13.4)]
EXPECTED += [("bob", SECONDS[1], 52.51, 13.41)]


def _wkb(lon, lat):
    return struct.pack("<BIdd", 1, 1, lon, lat)


def _gpx(rows, document=""):
    points = "".join(
        f'<trk><name>{user}</name><trkseg><trkpt lat="{lat}" lon="{lon}"><ele>3</ele>'
        f"<time>{when.replace(' ', 'T')}Z</time></trkpt></trkseg></trk>\n"
        for user, when, lat, lon in rows
    )
    return f'{document}<gpx xmlns="http://www.topografix.com/GPX/1/1">\n{points}</gpx>'


def _written(kind, folder):
    path = folder / f"log.{kind}"
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [lon, lat, 3]},
            "properties": {"device": user, "datetime": when},
        }
        for user, when, lat, lon in ROWS
    ]
    table = {"uid": [row[0] for row in ROWS], "Time": pd.to_datetime([row[1] for row in ROWS])}
    if kind == "csv":
        path.write_text(
            "x;y;device;date_time\n"
            + "".join(f"{lon};{lat};{user} ;{when}\n" for user, when, lat, lon in ROWS)
        )
    elif kind == "parquet":
        places = {"LNG": [row[3] for row in ROWS], "LAT": [row[2] for row in ROWS]}
        pd.DataFrame(table | places).to_parquet(path)
    elif kind == "pq":
        columns = pa.table(table | {"geometry": [_wkb(row[3], row[2]) for row in ROWS]})
        geo = {"primary_column": "geometry", "columns": {"geometry": {"encoding": "WKB"}}}
        parquet.write_table(columns.replace_schema_metadata({"geo": json.dumps(geo)}), path)
    elif kind == "ndjson":
        objects = [
            {"taxi_id": user, "timestamp": 1000 * seconds + 999, "lat": lat, "long": lon}
            for (user, _, lat, lon), seconds in zip(ROWS, SECONDS, strict=True)
        ]
        path.write_text("\n".join(map(json.dumps, objects)))
    elif kind == "geojsonl":
        path.write_text("\x1e" + "\n\x1e".join(map(json.dumps, features)))
    elif kind == "geojson":
        path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    else:
        path.write_text(_gpx(ROWS))
    return path


@pytest.mark.parametrize("kind", ["csv", "parquet", "pq", "ndjson", "geojsonl", "geojson", "gpx"])
def test_the_same_log_from_any_format(kind, tmp_path):
    log = read_log(_written(kind, tmp_path), user="name" if kind == "gpx" else None)
    assert (rows_of(log), log.apart) == (EXPECTED, ())


@cases(
    ("2008/06/08 23:40:39", 1212968439),
    ("2008-06-08T23:40:39Z", 1212968439),
    ("2008-06-08 23:40:39 UTC", 1212968439),
    ("2008-06-09T01:40:39.900+02:00", 1212968439),
    ("2008-06-08", 1212883200),
    ("1212968439", 1212968439),
    ("1212968439.9", 1212968439),
    ("1212968439999", 1212968439),
    ("1212968439999999", 1212968439),
    ("1212968439999999999", 1212968439),
    ("-0.5", -1),
    ("1969-12-31T23:59:59.5", -1),
)
def test_times(written, seconds, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(f"lat,lon,user,time\n1,2,a,{written}\n")
    assert read_log(path).time.tolist() == [seconds]


@cases(
    ("lat,lon,user,time\n1,2,a,20080608\n", "line 2: time is 20080608, 2008-06-08 or a number"),
    ("lat,lon,user,time\n1,2,a,08.06.2008\n", "line 2: time is 08.06.2008; need seconds since"),
    ("lat,lon,user,time\n1,2,a,7\n1,2,a,noon\n", "line 3: time is noon; need a number, as in"),
    ("lat,lon,user,time\n1,2,a,7\n1,2,a,1212968439999\n", "line 3: time is 1212968439999, which"),
    (
        "lat,lon,user,time\n1,2,a,2008-06-08\n1,2,a,2008-06-08T01:00Z\n",
        "line 3: time is 2008-06-08T01:00Z: a time zone, unlike",
    ),
    ("lat,lon,user,time\n1_0,2,a,7\n", "line 2: lat is 1_0; need a number"),
    ("lat,lon,time\n1,2,3\n", "no column for the user; need user, user_id, "),
    (
        "lat,lon,user\n1,2,3\n",
        "no column for the time; need time, timestamp, datetime or date_time",
    ),
    ("lat,user,time\n1,2,3\n", "no column for lon: need lon, lng, long, longitude or x"),
    (
        "day,lat,lon,time,since,who,trajectory_id\n2008-06-08,1,2,3,2008/06/08 10:00,ann,1\n",
        "or its name as user: who, trajectory_id",
    ),
    ("lat,lon,user,time\n100,2,a,3\n", "1 with a latitude beyond 90 degrees; swapped"),
    ("lat,lon,user,time\n" + "0,0,a,3\n" * 21, "21 at (0, 0) (lines 2, 3, 4, 5, 6 and 16 more)"),
)
def test_what_is_no_log_is_refused(text, says, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(text)
    line = error_line(DataError, read_log, path)
    assert line.startswith(f"{path}")
    assert says in line
    assert "\n" not in line


@cases(
    ("gpx", _gpx(ROWS, '<!DOCTYPE gpx [<!ENTITY a "aaa">]>'), "line 1: a document type (DOCTYPE)"),
    ("gpx", "<kml></kml>", "kml is no GPX file"),
    ("gpx", "<gpx><trk>", "not well-formed XML"),
    ("gpx", "<gpx></gpx>", "no points; need wpt, rtept or trkpt"),
    ("ndjson", '{"lat": 1, "lon": 2}\n{"lat"', "line 2: not a JSON document"),
    ("ndjson", "[1]", "line 1: not a JSON object"),
    ("ndjson", "", "the file has no rows"),
    ("ndjson", '{"lat": [1], "lon": 2, "user": 1, "time": 2}', "line 1: lat is [1]; need a number"),
    ("ndjson", "[" * 100_000, "line 1: not a JSON document"),
    ("parquet", "PAR1", "not a Parquet file"),
)
def test_broken_files(kind, text, says, tmp_path):
    path = tmp_path / f"log.{kind}"
    path.write_text(text)
    assert says in error_line(DataError, read_log, path)


def test_degrees_of_another_globe_are_refused(tmp_path):
    column = {"encoding": "WKB", "crs": {"id": {"authority": "EPSG", "code": 32633}}}
    geo = json.dumps({"primary_column": "geometry", "columns": {"geometry": column}})
    table = pa.table({"geometry": [_wkb(1.0, 2.0)], "user": ["a"], "time": [1]})
    path = tmp_path / "log.parquet"
    parquet.write_table(table.replace_schema_metadata({"geo": geo}), path)
    assert "coordinates of EPSG:32633; need OGC:CRS84" in error_line(DataError, read_log, path)


def test_a_gpx_file_is_one_person_unless_its_tracks_are_named(tmp_path):
    path = tmp_path / "my phone.gpx"
    path.write_text(_gpx(ROWS))
    log = read_log(path)
    assert log.names == ("my phone",)
    assert (log.apart, str(log.back)) == ((), "1 with a time that goes back (line 4)")
    [back] = read_log(path, ordered=True).apart
    assert str(back) == str(log.back)


def test_an_element_of_an_extension_is_no_route(tmp_path):
    path = tmp_path / "log.gpx"
    point = '<trkpt lat="{0}" lon="1"><time>2020-01-01T00:0{0}:00Z</time>{1}</trkpt>'
    points = point.format(1, '<x:rte xmlns:x="http://example.org/x"/>') + point.format(2, "")
    path.write_text(f"<gpx><trk><name>ada</name><trkseg>{points}</trkseg></trk></gpx>")
    log = read_log(path, user="name")
    assert (log.names, log.rows, log.apart) == (("ada",), 2, ())


def _of_users(tmp_path, *users):
    path = tmp_path / "log.ndjson"
    rows = [{"user": own, "lat": 52, "lon": 13, "time": at} for at, own in enumerate(users)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return read_log(path)


@pytest.mark.parametrize(
    "pair", [("ann", "Ann"), ("7", "007"), ("ann", "\u0430nn"), (1, True)], ids=ascii
)
def test_a_user_of_two_spellings_is_not_two_people(pair, tmp_path):
    with pytest.raises(DataError, match="look like two spellings of one user; write them alike"):
        _of_users(tmp_path, *pair)


def test_users_are_told_apart_by_signs_but_not_by_types(tmp_path):
    log = _of_users(tmp_path, "ann.lee", "ann_lee", 7, "7", 7.0, True)
    assert (log.names, log.people) == (("ann.lee", "ann_lee", "7", "True"), 4)


def test_unsigned_times_beyond_64_bits_do_not_turn_into_the_past(tmp_path):
    path = tmp_path / "log.parquet"
    time = np.array([2**63, 2**63 + 10**18], dtype=np.uint64)
    table = {"lat": [1, 2], "lon": [1, 2], "user": ["a", "b"], "time": time}
    pd.DataFrame(table).to_parquet(path)
    line = error_line(DataError, read_log, path)
    assert "row 1: time is 9223372036854775808; need seconds since 1970" in line


def _metres(lat, lon, middle_lat, middle_lon):
    """Return great-circle metres by the angle between two vectors."""
    vectors = []
    for north, east in ((lat, lon), (middle_lat, middle_lon)):
        up, turn = math.radians(north), math.radians(east)
        vectors.append((math.cos(up) * math.cos(turn), math.cos(up) * math.sin(turn), math.sin(up)))
    cross = np.cross(*vectors)
    return 6_371_007.2 * math.atan2(float(np.linalg.norm(cross)), float(np.dot(*vectors)))


def _by_hand(rows, *, far, ordered):
    """Return the lines that are used, and those of each reason, row by row."""
    apart: dict[str, list[int]] = {}
    usable, latest, seen = [], {}, set()
    for line, (user, time, lat, lon) in enumerate(rows, 2):
        reason = None
        if math.isnan(lat) or math.isnan(lon):
            reason = "without a position"
        elif abs(lat) > 90:
            reason = "latitude"
        elif abs(lon) > 180:
            reason = "longitude"
        elif user == "":
            reason = "without a user"
        elif time is None:
            reason = "without a time"
        elif lat == lon == 0:
            reason = "at (0, 0)"
        elif ordered and time < latest.get(user, time):
            reason = "goes back"
        elif (user, time) in seen:
            reason = "before"
        if reason is None:
            usable.append((line, user, time, lat, lon))
            seen.add((user, time))
            latest[user] = time
        else:
            apart.setdefault(reason, []).append(line)
    if usable and far is not None:
        middle = [statistics.median_low([row[axis] for row in usable]) for axis in (3, 4)]
        away = [_metres(row[3], row[4], *middle) for row in usable]
        limit = max(1000, far * statistics.median(away))
        if any(abs(metres - limit) < 1e-3 for metres in away):
            return None
        if beyond := [row[0] for row, metres in zip(usable, away, strict=True) if metres > limit]:
            apart["farther"] = beyond
        usable = [row for row, metres in zip(usable, away, strict=True) if metres <= limit]
    return usable, apart


DEGREES = st.sampled_from([0.0, 0.001, -0.002, 0.003, 0.1, 12.0, 89.0, 91.0, 179.9, -179.9, 181.0])
ROW = st.tuples(
    st.sampled_from(["a", "b", "c", ""]),
    st.sampled_from([0, 60, 61, 3600, None]),
    st.one_of(DEGREES, st.just(math.nan)),
    DEGREES,
)


@settings(max_examples=1000, deadline=None)
@given(st.lists(ROW, min_size=1, max_size=12), st.sampled_from([1, 3, 50, None]), st.booleans())
def test_what_is_set_apart_is_what_a_loop_sets_apart(tmp_path_factory, rows, far, ordered):
    path = tmp_path_factory.mktemp("logs") / "log.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("user", "time", "lat", "lon"))
        writer.writerows(("" if cell is None else cell for cell in row) for row in rows)
    by_hand = _by_hand(rows, far=far, ordered=ordered)
    if by_hand is None:
        return
    usable, apart = by_hand
    if not usable:
        assert "no position is usable" in error_line(DataError, read_log, path)
        return
    log = read_log(path, far=far, ordered=ordered)
    first = list(dict.fromkeys(row[1] for row in usable))
    assert log.names == tuple(first)
    in_order = sorted(usable, key=lambda row: (first.index(row[1]), row[2]))
    assert rows_of(log) == [row[1:] for row in in_order]
    assert log.line.tolist() == [row[0] for row in in_order]
    assert len(log.apart) == len(apart)
    for rows_apart in log.apart:
        assert any(
            word in rows_apart.reason and rows_apart.lines.tolist() == lines
            for word, lines in apart.items()
        )


def test_a_log_of_arrays():
    log = PositionLog.of([1, 2], [3, 4], users=[7, 8], time=[9, 10])
    assert rows_of(log) == [("7", 9, 1.0, 3.0), ("8", 10, 2.0, 4.0)]
    with pytest.raises(ValueError, match="read-only"):
        log.time[0] = 0
    wrong = error_line(InvalidArgument, PositionLog.of, [1], [3, 4], users=[7], time=[9])
    assert wrong == "lon = '2 rows': need 1, as in lat"
    assert log.to_dict()["people"] == 2
    assert log.summary().startswith("recognised: lat from the format")


def test_a_cab_600_km_away_is_set_apart():
    path = data_file("cabs_dataset_20080608.parquet")
    log = read_log(path)
    frame = pd.read_parquet(path)
    assert [str(rows) for rows in log.apart] == [
        "1 farther than 50 times the median distance (row 60039)"
    ]
    assert frame["lon"][60038] == frame["lon"].max() == -115.56218
    assert log.rows == len(frame) - 1
    first = datetime.strptime(frame["timestamp"].min(), "%Y/%m/%d %H:%M:%S").replace(tzinfo=UTC)
    assert int(log.time.min()) == int(first.timestamp())
