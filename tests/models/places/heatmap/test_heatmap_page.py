"""The page of a heat map in a browser: what is read off it, and that nothing leaves its box."""

import json
import math
import re

import numpy as np
import pytest
from browser import Window, needs_chromium

from kproof.models.places.heatmap.files import geojson
from kproof.models.places.heatmap.fixed import map_on
from kproof.models.places.heatmap.map_files import map_of
from kproof.models.places.heatmap.page import heatmap_page
from kproof.models.places.heatmap.quadtree import quadtree
from kproof.models.places.points import Points

LONG = "Cabs_of_San_Francisco_on_8_June_2008_every_square_with_five_or_more_<people>.parquet"
PROBE = """<script>
addEventListener("load", () => {
  const found = {wide: document.documentElement.scrollWidth, boxes: {}, keys: {}};
  const text = id => document.getElementById(id).textContent;
  for (const id of ["head", "scale", "where"]) {
    const box = document.getElementById(id), at = box.getBoundingClientRect();
    found.boxes[id] = [at.left, at.right, at.top, at.bottom, box.scrollWidth - box.clientWidth];
  }
  found.legend = text("unit"); found.nobody = document.getElementById("nobody").hidden;
  found.unknown = text("unknown"); found.half = text("half");
  const ruler = () => document.getElementById("ruler").getBoundingClientRect().width;
  draw();
  found.ruler = [ruler(), text("metres"), scale, squeeze, -(top_ + innerHeight / 2 / scale)];
  const press = key => {
    document.getElementById("map").dispatchEvent(new KeyboardEvent("keydown", {key}));
    draw();
    found.keys[key] = [text("spot"), text("tip"), scale, left, top_];
  };
  ["+", "-", "ArrowRight", "ArrowDown", "0"].forEach(press);
  document.body.textContent = JSON.stringify(found);
});
</script></body>"""


def points(seed):
    rng = np.random.default_rng(seed)
    lat, lon = 37.7 + 0.01 * rng.normal(size=400), -122.4 + 0.01 * rng.normal(size=400)
    return Points.of(lat, lon, users=rng.integers(60, size=400))


HEAT = quadtree(points(1), min_k=5)


def probed(page, tmp_path, width=400, height=700):
    document = Window(width, height).document(str.replace(page, "</body>", PROBE), tmp_path)
    found = re.search(r"<body>(\{.*\})</body>", document, re.DOTALL)
    assert found, document[-500:]
    return json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">"))


@needs_chromium
def test_nothing_leaves_its_box_and_the_ruler_is_true(tmp_path):
    found = probed(heatmap_page(HEAT, title=LONG), tmp_path)
    # Headless windows may be wider than they were asked to be.
    width = found["wide"]
    boxes = found["boxes"]
    for left, right, _, _, beyond in boxes.values():
        assert left >= 0
        assert right <= width
        assert beyond <= 0
    assert boxes["where"][2] >= boxes["head"][3] or boxes["where"][0] >= boxes["head"][1]
    assert found["legend"] == "users by km², logarithmic scale"
    assert (found["nobody"], found["unknown"]) == (False, "no data")
    ruler, text, scale, squeeze, lat = found["ruler"]
    number, unit = text.split()
    metres = float(number.replace(",", "")) * {"m": 1, "km": 1000}[unit]
    # A box of as many degrees of longitude, on a sphere.
    degrees = (ruler - 2) / (scale * squeeze)
    assert degrees * 6_371_007 * math.radians(1) * math.cos(math.radians(lat)) == pytest.approx(
        metres, rel=0.05
    )
    density = HEAT.counts[HEAT.counts > 0] / HEAT.areas[HEAT.counts > 0] * 1e6
    half = math.sqrt(density.min() * density.max())
    assert float(found["half"].replace(",", "")) == pytest.approx(half, rel=0.01)


@needs_chromium
def test_keys_move_the_map_and_tell_the_square_in_the_middle(tmp_path):
    keys = probed(heatmap_page(HEAT), tmp_path, 1280, 800)["keys"]
    assert keys["+"][2] == pytest.approx(1.5 * keys["-"][2])
    assert keys["ArrowRight"][3] > keys["-"][3]
    assert keys["ArrowDown"][4] > keys["ArrowRight"][4]
    assert keys["0"][2] == keys["-"][2]
    for spot, tip, *_ in keys.values():
        assert re.fullmatch(r"37\.\d{5}° N, 122\.\d{5}° W", spot)
        assert re.match(r"\d+ users[\d.,]+ by km²|nobody0 by km²", tip)


def test_what_nothing_is_said_of_is_named():
    assert '<span id="unknown">no data</span>' in heatmap_page(HEAT)
    left_out = quadtree(points(1), min_k=5, empty="omit")
    assert '<span id="unknown">no data, or empty</span>' in heatmap_page(left_out)
    fixed = map_on(map_of("a", geojson(HEAT)), points(2), min_k=5)
    assert '<span id="unknown">no data, or fewer than 5</span>' in heatmap_page(fixed)
