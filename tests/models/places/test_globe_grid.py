"""Cells of the globe: every point in one, whatever else is there; traces rounded to them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from trace_oracles import cell_of, walks

from kproof.errors import InvalidArgument
from kproof.models.attacks.inference.api import infer
from kproof.models.attacks.inference.base import Scoring
from kproof.models.attacks.inference.traces import Traces, publish_traces
from kproof.models.places.globe_grid import GlobeGrid
from kproof.models.places.plane import EARTH_RADIUS

decimals = st.tuples(
    st.integers(-90 * 10**6, 90 * 10**6), st.integers(-180 * 10**6, 180 * 10**6)
).map(lambda one: (one[0] / 10**6, one[1] / 10**6))


@given(st.lists(decimals, min_size=1, max_size=20), st.sampled_from([0.5, 400, 30_000, 10**8]))
def test_a_point_is_in_the_cell_that_it_is_given(spots, side):
    grid = GlobeGrid(side)
    lat, lon = (np.array(axis) for axis in zip(*spots, strict=True))
    rows, columns = grid.cells(lat, lon)
    west, south, east, north = grid.boxes(rows, columns)
    assert (((south < lat) | (lat == -90)) & (lat <= north)).all()
    turned = np.where(lon == -180, 180, lon)
    assert ((west < turned) & (turned <= east)).all()
    # Sides are as long as was asked for, unless the globe is not.
    heights = EARTH_RADIUS * np.radians(north - south)
    assert heights.min() >= min(side, math.pi * EARTH_RADIUS) * (1 - 1e-9)
    middles = np.cos(np.radians((south + north) / 2))
    widths = EARTH_RADIUS * np.radians(east - west) * middles
    assert (widths >= np.minimum(side, 2 * np.pi * EARTH_RADIUS * middles) * (1 - 1e-6)).all()
    # Nobody decides it but the point itself.
    for row, spot in enumerate(spots):
        alone = grid.cells(*spot)
        assert (int(alone[0]), int(alone[1])) == (rows[row], columns[row])


def test_lines_belong_to_one_side():
    # A quarter of the globe from pole to pole: lines at -45, 0, 45 and every so often.
    grid = GlobeGrid(math.pi * EARTH_RADIUS / 4 * (1 - 1e-12))
    assert grid.rows == 4
    lat = [-90, -45, math.nextafter(-45, 0), 0, 45, 90]
    assert grid.cells(lat, [1.0] * 6)[0].tolist() == [0, 0, 1, 1, 2, 3]
    # In the middle rows there are seven columns, and the antimeridian is in the last.
    [wide] = grid.columns(np.array([1])).tolist()
    lines = [-180, -180 + 360 / wide, 180]
    assert grid.cells([-1.0] * 3, lines)[1].tolist() == [wide - 1, 0, wide - 1]


def alike(traces: Traces, side: int, period: int) -> Fraction:
    """Return FU of who was seen at all times, exactly: one in those of the same cells."""
    first = {}
    for row in sorted(range(traces.points.count), key=lambda row: (traces.seconds[row], row)):
        when = int(traces.seconds[row]) // period
        cell = cell_of(traces.points.lat[row], traces.points.lon[row], side)
        first.setdefault((int(traces.points.users[row]), when), (*cell, when))
    cells = [
        {cell for (whose, _), cell in first.items() if whose == user}
        for user in range(traces.users)
    ]
    total = sum(Fraction(1, sum(mine <= other for other in cells)) for mine in cells)
    return total / traces.users


@cases((5, 4, 60), (5, 4, 900), (3, 1, 30), (4, 3, 900), (9, 11, 900), (8, 5, 30))
@pytest.mark.parametrize("seed", [119, 110, 3])
def test_whoever_is_seen_exactly_is_in_one_cell(users, times, period, seed):
    traces = walks(users, times, seed)
    release = publish_traces(traces, cell=400, period=period)
    for attack in Scoring:
        measured = infer(attack, release, observations=release.periods)
        assert measured.value == alike(traces, 400, period)


def test_the_cells_do_not_follow_the_data():
    traces = walks(5, 4, 0)
    who = traces.points.users.tolist()
    alone = publish_traces(traces, cell=400, period=30)
    for lat, lon in ((37.71, -122.3), (-33.9, 151.2), (89.9, 0), (38.9, 179.99)):
        more = Traces.of(
            [*traces.points.lat.tolist(), lat],
            [*traces.points.lon.tolist(), lon],
            users=[*who, 99],
            seconds=[*traces.seconds.tolist(), 0],
        )
        both = publish_traces(more, cell=400, period=30)
        for one, other in ((alone.lat, both.lat), (alone.lon, both.lon)):
            assert np.array_equal(one, other[:5], equal_nan=True)
    # No published coordinate is anybody's.
    assert not set(alone.lat[~np.isnan(alone.lat)].tolist()) & set(traces.points.lat.tolist())


def test_cells_too_small_are_refused():
    with pytest.raises(InvalidArgument, match=r"cell = 0.0001: need 0, or 0.001 metres or more"):
        publish_traces(walks(2, 2, 0), cell="0.0001")
