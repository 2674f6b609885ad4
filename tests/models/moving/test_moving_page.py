"""The page of a cloaked log: what stands on it is what is published, slot by slot."""

import json
import re
from collections import Counter

import numpy as np
import pytest
from browser import Window, needs_chromium
from hypothesis import given
from hypothesis import strategies as st

from kproof.models.moving.cells import CellTree, GridCells, RoadCells
from kproof.models.moving.labels import labels_at, name
from kproof.models.moving.page import log_page
from kproof.models.moving.release import CloakedLog
from kproof.models.moving.terms import LogTerms
from kproof.models.places.city.city import City

TERMS = LogTerms(900, k=2, session=2)
GRID = GridCells(500)
TOWN = City.grid(9, 7, users=0)
STREETS = RoadCells.of(
    City.of(
        [0] * TOWN.nodes,
        TOWN.roads.edges,
        x=np.asarray(TOWN.x) / 800,
        y=np.asarray(TOWN.y) / 1000,
        coordinates="degrees",
    ),
    least_nodes=1,
    least_street=0,
)
PROBE = """<script>
addEventListener("load", () => {
  const text = id => document.getElementById(id).textContent, said = [];
  const press = key => {
    document.getElementById("map").dispatchEvent(new KeyboardEvent("keydown", {key}));
    draw();
    said.push([text("moment"), text("tip"), text("spot"), chosen.getAttribute("aria-valuetext")]);
  };
  ["0", "PageUp", "PageUp", "PageDown", "PageDown"].forEach(press);
  chosen.value = 0;
  chosen.dispatchEvent(new Event("input"));
  said.push([text("moment"), "", "", ""]);
  const box = document.getElementById("when").getBoundingClientRect();
  document.body.textContent = JSON.stringify({said, unit: text("unit"), unknown: text("unknown"),
    nobody: document.getElementById("nobody").hidden, right: box.right,
    wide: document.documentElement.scrollWidth});
});
</script></body>"""


def sample():
    """Two cells, one in the other, in the second slot; one record hidden in the first."""
    code, _ = GRID.codes(np.array([37.7]), np.array([-122.4]))
    small, large = (int(labels_at(code, GRID.height - up, GRID.height)[0]) for up in (0, 4))
    label = np.array([small, small, 0, small, small, large])
    return CloakedLog.of(np.tile(np.arange(3), 2), np.repeat([1, 2], 3), label)


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def test_the_page_has_what_is_published_and_no_address():
    page = log_page(sample(), TERMS, GRID, title="a <log>")
    assert "://" not in page
    assert "a &lt;log&gt;" in page
    assert "3 records of up to 2 slots; k = 2" in page
    data = data_of(page)
    assert data["wide"] == sorted(data["wide"], reverse=True) == [2000, 500]
    first, second = data["slots"]
    assert (first["name"], first["shown"], first["hidden"]) == ("1970-01-01 00:15 UTC", 2, 1)
    assert Counter(dict(zip(second["cells"], second["counts"], strict=True))) == {0: 1, 1: 2}
    assert data_of(log_page(CloakedLog.of([0], [0], [0]), TERMS, GRID))["slots"][0]["hidden"] == 1


@given(st.integers(0, 10**6), st.integers(0, 14))
def test_a_square_has_its_positions_and_is_no_wider_than_it_is_called(seed, up):
    rng = np.random.default_rng(seed)
    lat, lon = rng.uniform(-90, 90, 1), rng.uniform(-180, 180, 1)
    code, _ = GRID.codes(lat, lon)
    label = labels_at(code, GRID.height - up, GRID.height)
    south_north, west_east = GRID.outline(int(label[0]))
    assert south_north.min() <= lat[0] <= south_north.max()
    assert west_east.min() <= lon[0] <= west_east.max()
    inside = [rng.uniform(axis.min(), axis.max(), 20) for axis in (south_north, west_east)]
    assert (labels_at(GRID.codes(*inside)[0], GRID.height - up, GRID.height) == label).all()
    assert np.radians(np.ptp(south_north)) * 6_371_008 <= GRID.widths(label)[0] * 1.001


def test_a_cell_of_roads_has_its_crossings_at_every_depth():
    cells = STREETS
    codes, _ = cells.codes(cells.lat, cells.lon)
    for depth in range(cells.height + 1):
        labels = labels_at(codes, depth, cells.height)
        for label in np.unique(labels).tolist():
            lat, lon = cells.outline(label)
            for node in np.flatnonzero(labels == label):
                # To the left of every side, in the order of the corners.
                turn = (np.roll(lat, -1) - lat) * (cells.lon[node] - lon)
                turn -= (np.roll(lon, -1) - lon) * (cells.lat[node] - lat)
                assert (turn >= -1e-12).all() or (turn <= 1e-12).all(), name(label)


@given(st.integers(0, 10**6), st.sampled_from([0.5, 1, 120, 375, 1000, 5000, 10**6, np.inf]))
def test_the_widest_cells_are_those_of_a_search_by_depth(seed, metres):
    rng = np.random.default_rng(seed)
    for cells in (GRID, GridCells(120), STREETS):
        lat, lon = rng.uniform(0, 0.01, (2, 9))
        codes, _ = cells.codes(lat, lon)
        assert (cells.widest(codes, metres) == CellTree.widest(cells, codes, metres)).all()


@needs_chromium
@pytest.mark.parametrize("width", [400, 1280])
def test_the_slider_and_keys_choose_the_slot(width, tmp_path):
    page = str.replace(log_page(sample(), TERMS, GRID), "</body>", PROBE)
    document = Window(width, 800).document(page, tmp_path)
    found = json.loads(re.search(r"<body>(\{.*\})</body>", document, re.DOTALL)[1])
    both = [
        f"1970-01-01 00:{start} UTC: {rest}"
        for start, rest in (("15", "2 people shown, 1 hidden"), ("30", "3 people shown, 0 hidden"))
    ]
    # It begins with the slot that shows most, and stops at its ends.
    assert [said[0] for said in found["said"]] == [both[place] for place in [1, 0, 0, 1, 1, 0]]
    assert all(said[3] == said[0] for said in found["said"][:-1])
    # The middle of the map is in the large cell; in the first slot nobody is shown there.
    assert re.match(r"1 people2,000 m wide|2 people500 m wide", found["said"][0][1])
    assert found["unit"] == "people shown in a cell, logarithmic scale"
    assert found["unknown"] == "nobody is shown; who is hidden may be here"
    assert found["nobody"] is True
    assert found["right"] <= found["wide"]
