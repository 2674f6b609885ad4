"""Differences of maps against all subsets of squares, and fixed squares against plain loops."""

import json
import random
from itertools import chain, combinations

import numpy as np
import pytest
from cases import cases, error_line
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.errors import DataError, Infeasible, InvalidArgument
from kproof.models.places.heatmap.files import geojson
from kproof.models.places.heatmap.fixed import map_on
from kproof.models.places.heatmap.map_files import map_of
from kproof.models.places.heatmap.quadtree import quadtree
from kproof.models.places.heatmap.series import (
    DifferenceOutcome,
    _small_union,
    judge_difference,
    judge_series,
    refuse_changes,
)
from kproof.models.places.points import Points

Cell = tuple[int, int]


def feature(cells, count=None):
    """Return a feature of unit squares; those that touch cancel their common side."""
    polygons = [
        [[[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1], [x, y]]] for x, y in sorted(cells)
    ]
    properties = {} if count is None else {"count": count}
    geometry = {"type": "MultiPolygon", "coordinates": polygons}
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def drawn(squares, *, source="a", counted="users", k=5, period=None):
    document = {"type": "FeatureCollection", "counted": counted, "k": k}
    if period is not None:
        document |= {"from": f"2024-01-01T{period[0]}", "to": f"2024-01-01T{period[1]}"}
    document["features"] = [feature(cells, count) for cells, count in squares]
    return map_of(source, json.dumps(document))


def partition(rng, width, height, parts):
    """Return disjoint sets of cells, at random; some cells are in none."""
    squares: dict[int, set[Cell]] = {}
    for x in range(width):
        for y in range(height):
            if (part := rng.randrange(parts + 1)) < parts:
                squares.setdefault(part, set()).add((x, y))
    return [frozenset(cells) for cells in squares.values()]


def subsets(items):
    return chain.from_iterable(combinations(items, size) for size in range(1, len(items) + 1))


def areas(squares):
    """Return the sums of counts by area, for all unions of squares."""
    sums: dict[frozenset[Cell], int] = {}
    for union in subsets(squares):
        sums[frozenset().union(*(cells for cells, _ in union))] = sum(count for _, count in union)
    return sums


def by_brute_force(first, second, counted, k):
    """Return the outcome by every union of squares in both, and their changes."""
    a, b = areas(first), areas(second)
    if counted == "users":
        # Only squares that are in both are counts of the same people's squares.
        same = {cells for cells, _ in first} & {cells for cells, _ in second}
        a, b = (areas([square for square in side if square[0] in same]) for side in (first, second))
    changes = {area: b[area] - a[area] for area in a.keys() & b.keys()}
    if any(1 <= abs(change) < k for change in changes.values()):
        return DifferenceOutcome.CHANGED, changes
    minimal = [area for area in changes if not any(other < area for other in changes)]
    covered = frozenset().union(*minimal)
    doubtful = any(
        one & other and not one | other <= covered for one, _ in first for other, _ in second
    )
    # All locations that changed may be of one person.
    unsure = doubtful or counted == "locations"
    return DifferenceOutcome.OPEN if unsure else DifferenceOutcome.SAFE, changes


@pytest.mark.parametrize("counted", ["users", "locations"])
@pytest.mark.parametrize("seed", range(10))
def test_every_union_is_judged(seed, counted):
    rng = random.Random(seed)
    outcomes = {judged_as_by_brute_force(rng, counted, rng.randrange(1, 5)) for _ in range(30)}
    assert len(outcomes) == (3 if counted == "users" else 2)


def judged_as_by_brute_force(rng, counted, k):
    """Return the outcome of two random maps, after comparing it with that of all unions."""
    size = rng.choice([(2, 2), (3, 1), (3, 2)])
    cells = partition(rng, *size, rng.randrange(1, 6))
    others = cells if (rng.random() < 0.5) else partition(rng, *size, rng.randrange(1, 6))
    if len(cells) > 1 and rng.random() < 0.3:
        # Two squares of one map are one of the other.
        others = [cells[0] | cells[1], *cells[2:]]
    pick = [0, k, k + 1, 2 * k, 3 * k + 1, 5]
    first = [(each, rng.choice(pick)) for each in cells]
    second = [(each, rng.choice(pick)) for each in others]
    if not first or not second:
        return DifferenceOutcome.OPEN
    maps = drawn(first, counted=counted, k=k), drawn(second, source="b", counted=counted, k=k)
    expected, changes = by_brute_force(first, second, counted, k)
    difference = judge_difference(*maps)
    assert difference.outcome is expected
    if expected is DifferenceOutcome.CHANGED:
        numbers = [int(name.split()[1]) for name in difference.squares]
        area = frozenset().union(*(first[number][0] for number in numbers))
        assert changes[area] == difference.change
        assert 1 <= abs(difference.change) < k
    return expected


@settings(max_examples=2000, deadline=None)
@given(st.lists(st.integers(-12, 12), max_size=8), st.integers(1, 6))
def test_a_union_of_gains_and_losses(changes, k):
    changes = [change for change in changes if not 1 <= abs(change) < k]
    sums = {sum(changes[at] for at in union) for union in subsets(range(len(changes)))}
    union = _small_union(changes, k)
    assert (union is not None) == any(1 <= abs(total) < k for total in sums)
    if union is not None:
        assert len(set(union)) == len(union)
        assert 1 <= abs(sum(changes[at] for at in union)) < k


LEFT, RIGHT = frozenset({(0, 0)}), frozenset({(1, 0)})
EARLY, LATE, LONG = ("08:00", "08:15"), ("08:15", "08:30"), ("08:00", "08:16")


@cases(
    # Two squares that are safe alone are not together.
    ([(LEFT, 12), (RIGHT, 12)], [(LEFT, 19), (RIGHT, 7)], EARLY, LONG, "CHANGED"),
    ([(LEFT, 12), (RIGHT, 12)], [(LEFT, 17), (RIGHT, 19)], EARLY, LONG, "SAFE"),
    ([(LEFT, 12), (RIGHT, 12)], [(LEFT, 13), (RIGHT, 12)], EARLY, LONG, "CHANGED"),
    ([(LEFT, 12), (RIGHT, 12)], [(LEFT, 13), (RIGHT, 12)], EARLY, LATE, "APART"),
    ([(LEFT, 12), (RIGHT, 12)], [(LEFT, 13)], LATE, EARLY, "APART"),
    ([(LEFT, 12), (RIGHT, 12)], [(LEFT, 13), (RIGHT, 12)], None, LATE, "CHANGED"),
    ([(LEFT, 12), (RIGHT, 12)], [(LEFT | RIGHT, 24)], EARLY, LONG, "OPEN"),
    ([(LEFT, 12), (RIGHT, 12)], [(LEFT | RIGHT, 24)], EARLY, LATE, "OPEN"),
    ([(LEFT, 12)], [(LEFT | RIGHT, 24)], EARLY, LONG, "OPEN"),
    ([(LEFT, None)], [(LEFT, 24)], EARLY, LONG, "OPEN"),
)
def test_what_two_maps_show(first, second, period, other, outcome):
    a, b = drawn(first, period=period), drawn(second, source="b", period=other)
    assert judge_difference(a, b).outcome is DifferenceOutcome[outcome]
    if outcome in ("CHANGED", "OPEN"):
        assert error_line(DataError, refuse_changes, b, [a]).startswith("a, b: ")
    else:
        refuse_changes(b, [a])


def test_changes_are_whole_numbers_beyond_those_of_floats():
    a = drawn([(LEFT, 2**53), (RIGHT, 1)], counted="locations", period=EARLY)
    b = drawn([(LEFT | RIGHT, 2**53)], source="b", counted="locations", period=LONG)
    difference = judge_difference(a, b)
    assert (difference.outcome, difference.change) == (DifferenceOutcome.CHANGED, -1)


def test_three_maps_tell_what_two_do_not():
    """C less A and B is one person, though each pair differs by k or more."""
    maps = [
        drawn([(LEFT, count)], source=name, period=period)
        for name, count, period in [
            ("a", 10, EARLY),
            ("b", 10, LATE),
            ("c", 21, ("08:00", "08:31")),
        ]
    ]
    series = judge_series(maps)
    outcomes = [difference.outcome.name for difference in series.differences]
    assert outcomes == ["APART", "SAFE", "SAFE", "OPEN"]
    assert series.outcome is DifferenceOutcome.OPEN
    assert judge_series(maps[:2]).outcome is DifferenceOutcome.APART


def test_what_is_counted_has_to_be_the_same_and_k_known():
    a, b = drawn([(LEFT, 9)]), drawn([(LEFT, 9)], source="b", counted="locations")
    assert judge_difference(a, b).outcome is DifferenceOutcome.OPEN
    c = drawn([(LEFT, 9)], source="c", k=None)
    assert judge_difference(c, c).outcome is DifferenceOutcome.OPEN
    assert judge_difference(c, c, k=3).outcome is DifferenceOutcome.SAFE


RING = [[5, 0], [6, 0], [6, 1], [5, 1], [5, 0]]
TWICE = {"geometry": {"type": "Polygon", "coordinates": [RING, RING]}, "properties": {"count": 7}}


@cases(
    ("[1]", "not a GeoJSON FeatureCollection of squares"),
    ('{"features": [', "not a JSON document"),
    ('{"features": [{"geometry": {"type": "Point", "coordinates": [1, 2]}}]}', "is a Point; need"),
    (json.dumps({"features": [feature({(0, 0)}, 1), feature({(1, 0)})]}), "feature 1 has no count"),
    (json.dumps({"features": [feature({(0, 0)}, -1), feature({(1, 0)}, 2)]}), "feature 0 has no"),
    (json.dumps({"features": [feature({(0, 0)}, 1), feature({(1, 0)}, True)]}), "feature 1 has no"),
    (json.dumps({"features": [feature({(0, 0)}, 1), feature({(1, 0)}, 1.0)]}), "feature 1 has no"),
    (json.dumps({"features": [feature({(0, 0), (2, 0)}, 1), TWICE]}), "feature 1 has no inside"),
    (json.dumps({"k": 0, "features": [feature({(0, 0)}, 1)]}), "k is 0, which no map says"),
    (json.dumps({"counted": "cats", "features": [feature({(0, 0)}, 1)]}), "counted is cats"),
    (json.dumps({"from": "x", "to": "y", "features": [feature({(0, 0)}, 1)]}), "from = x: need"),
    (json.dumps({"features": [{"geometry": {"type": "Polygon", "coordinates": []}}]}), "no inside"),
    (json.dumps({"features": [{"geometry": {"type": "Polygon", "coordinates": 7}}]}), "no rings"),
    (json.dumps({"features": [feature({(0, 0)}, 10**40)]}), "feature 0 has no count"),
    (json.dumps({"features": [feature({(10**400, 0)}, 1)]}), "a ring without coordinates"),
    (json.dumps({"features": [feature({(181, 0)}, 1)]}), "a corner that is not on the globe"),
    (json.dumps({"features": [feature({(1e308, 0)}, 1)]}), "a corner that is not on the globe"),
    (
        '{"features": [{"geometry": {"type": "Polygon", "coordinates": '
        "[[[0, 0], [1, 0], [1, 1], [0.5, 1.5], [0, 0]]]}}]}",
        "feature 0 has a side that is not along an axis",
    ),
    (
        '{"features": [{"geometry": {"type": "Polygon", "coordinates": '
        "[[[0, 0], [1.00000004, 0], [1.00000004, 1], [0, 1], [0, 0]]]}}]}",
        "feature 0 has coordinates of more than 7 decimals",
    ),
)
def test_maps_that_cannot_be_judged_are_refused(text, says):
    line = error_line(DataError, map_of, "m.geojson", text)
    assert line.startswith("m.geojson: ")
    assert says in line


def trips(seed, users=40):
    rng = np.random.default_rng(seed)
    lat, lon = 52.5 + 0.004 * rng.normal(size=300), 13.4 + 0.006 * rng.normal(size=300)
    return Points.of(lat, lon, users=rng.integers(users, size=300))


@pytest.mark.parametrize("count", ["users", "locations"])
def test_a_map_is_counted_again_on_its_own_squares(count):
    points = trips(1)
    heat = quadtree(points, min_k=5, count=count, min_sector_length=200)
    squares = map_of("a", geojson(heat))
    again = map_on(squares, points, min_k=5, count=count)
    assert again.counts.tolist() == [n for n in heat.counts.tolist() if n]
    assert np.allclose(again.areas, heat.areas[heat.counts > 0], rtol=1e-3)
    # The file of the second map has the same squares, without those of nobody.
    written = map_of("b", geojson(again))
    expected = DifferenceOutcome.SAFE if count == "users" else DifferenceOutcome.OPEN
    assert judge_difference(squares, written).outcome is expected


def test_squares_with_fewer_than_k_are_left_out_with_the_empty_ones():
    others = trips(2)
    squares = map_of("a", geojson(quadtree(trips(1), min_k=5, min_sector_length=200)))
    heat = map_on(squares, others, min_k=7)
    expected = []
    for square in range(squares.squares):
        people = set()
        for at in range(squares.offsets[square], squares.offsets[square + 1]):
            west, south, east, north = (squares.rectangles[at] / 1e7).tolist()
            for lat, lon, user in zip(others.lat, others.lon, others.users, strict=True):
                if west < lon <= east and south < lat <= north:
                    people.add(user)
        expected.append(len(people))
    assert heat.counts.tolist() == [number for number in expected if number >= 7]
    with pytest.raises(Infeasible, match="no square of a has min_k = 41"):
        map_on(squares, others, min_k=41)
    assert "count" in error_line(InvalidArgument, map_on, squares, Points.of([52.5], [13.4]))


def test_points_on_lines_are_left_and_below():
    squares = drawn([(LEFT, 1), (RIGHT, 1)])
    points = Points.of([1, 1, 0.5, 0, 0.5], [1, 1.5, 0, 1, 2])
    assert map_on(squares, points, min_k=1, count="locations").counts.tolist() == [1, 2]
