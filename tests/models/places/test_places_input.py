"""Input of city, point and graph methods that is just inside or outside of what they take."""

import math

import numpy as np
import pandas as pd
import pytest
from cases import cases
from shell import typed

from kproof import anonymize
from kproof.cli.app import main
from kproof.errors import DataError, InvalidArgument
from kproof.models.graphs.kdegree.method import least_anonymous_degrees
from kproof.models.graphs.social import SocialGraph
from kproof.models.places.city.city import MOST_USERS, City
from kproof.models.places.city.files import MOST_SPREAD, read_city, spread
from kproof.models.places.points import Points
from kproof.models.places.points_files import read_points


@cases(
    [MOST_USERS + 1, 0],
    [MOST_USERS, 1],
    [2**62, 2**62],
    [2**70, 1],
    np.array([2**64 - 1, 1], dtype=np.uint64),
    np.array([2**62] * 8),
)
def test_a_city_of_more_users_than_can_be_summed(users):
    with pytest.raises((DataError, InvalidArgument), match=r"need (fewer|a whole number)"):
        City.of(users, [(0, 1)])


def test_the_largest_city_is_counted_exactly():
    city = City.of([MOST_USERS - 3, 1], [(0, 1)])
    assert city.population == MOST_USERS - 2
    [_, *answers] = anonymize("density", city, k=MOST_USERS - 2).users.tolist()
    assert answers == [MOST_USERS - 2]


@pytest.mark.parametrize("users", ["9" * 30, str(MOST_USERS + 1), "1e300"])
def test_users_of_a_file_beyond_all_measure(tmp_path, users):
    nodes, edges = tmp_path / "nodes.csv", tmp_path / "edges.csv"
    nodes.write_text(f"id,users\na,5\nb,{users}\n")
    edges.write_text("from,to\na,b\n")
    with pytest.raises(DataError, match=r"nodes.csv, line 3: .* users; need a whole number, 0 to"):
        read_city(nodes, edges=edges)


def test_more_users_than_can_be_spread():
    with pytest.raises(InvalidArgument, match=r"users = \d+: need a whole number"):
        spread(City.grid(2, 2), MOST_SPREAD + 1)


def test_a_name_that_is_there_twice_in_a_large_city():
    names = [*range(200_000), 199_998]
    with pytest.raises(DataError, match="two nodes are called 199998"):
        City.of(np.zeros(len(names), dtype=np.int64), [], names=names)


@pytest.mark.parametrize("missing", [None, math.nan, pd.NA, pd.NaT])
def test_who_is_missing_is_nobody(missing):
    with pytest.raises(DataError, match="point 1 has no user"):
        Points.of([1, 2], [1, 2], users=["a", missing])
    graph = SocialGraph.from_edges([(0, 1)], attributes={"age": [30, missing]})
    assert repr(graph.attributes[0].values) == "(30, ?)"


def test_a_frame_with_missing_users():
    users = pd.array([1, None, 3], dtype="Int64")
    frame = pd.DataFrame({"lat": [1.0] * 3, "lon": [2.0] * 3, "user": users})
    points = anonymize("quadtree", frame, min_k=2).points
    assert (points.names, [str(rows) for rows in points.apart]) == (
        ("1", "3"),
        ["1 without a user (row 1)"],
    )


def test_one_user_with_spaces_is_one_user(tmp_path):
    """One person written in five ways must not make a sector of five."""
    file = tmp_path / "trips.csv"
    file.write_text("lat,lon,user\n" + "".join(f"1,2,{name}\n" for name in _WRITTEN))
    assert read_points(file).names == ("ann",)
    friends = tmp_path / "friends.csv"
    friends.write_text('ann,bob\n"bob ",cyd\ncyd ,"ann "\n')
    assert anonymize("k-degree", friends, k=3).graph.names == ("ann", "bob", "cyd")


_WRITTEN = ("ann", "ann ", " ann", '"ann  "', "ann\t")


@cases(
    (f'{{"geometry":{{"type":"Point","coordinates":[1{"0" * 400},2]}}}}', "need a number"),
    (
        '{"geometry":{"type":"Point","coordinates":[1,2]},"properties":[1]}',
        "feature 0 has properties",
    ),
    (
        '{"geometry":{"type":"Point","coordinates":[1,2]},"properties":"ab"}',
        "feature 0 has properties",
    ),
    (
        '{"geometry":{"type":"Point","coordinates":[1,2]},"properties":7}',
        "feature 0 has properties",
    ),
)
def test_geojson_that_is_none(feature, message, tmp_path):
    file = tmp_path / "points.geojson"
    file.write_text(f'{{"type":"FeatureCollection","features":[{feature}]}}')
    with pytest.raises(DataError, match=message):
        read_points(file)


@pytest.mark.parametrize("kind", [np.uint8, np.uint64, np.int8])
def test_degrees_of_any_whole_type(kind):
    assert least_anonymous_degrees(np.array([0, 5, 5, 1], dtype=kind), 2).tolist() == [1, 5, 5, 1]


@pytest.mark.parametrize("bad", ["--png", "--html"])
def test_a_heat_map_is_written_whole_or_not(tmp_path, bad):
    trips, out = tmp_path / "trips.csv", tmp_path / "out"
    trips.write_text("lat,lon,user\n" + "".join(f"1,2,u{user}\n" for user in range(6)))
    out.mkdir()
    line = "anonymize quadtree --audience study {trips} -o {out}/map.geojson"
    asked = typed(line, trips=trips, out=out)
    assert main([*asked, bad, str(out / "none" / "map")]) == 2
    assert not list(out.iterdir())
    assert main([*asked, bad, str(out / "map")]) == 0
    assert sorted(path.name for path in out.iterdir()) == ["map", "map.geojson"]


@pytest.mark.parametrize("bad", ["output", "figures"])
def test_regions_and_figures_are_written_together(tmp_path, bad):
    (tmp_path / "file").touch()
    places = {"output": tmp_path / "regions.csv", "figures": tmp_path / "figures"}
    places[bad] = tmp_path / "file" / "below"
    asked = ["anonymize", "density", "--audience", "study", "--users", "40", "--requests", "2"]
    assert main([*asked, "-o", str(places["output"]), "--figures", str(places["figures"])]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
