"""A heat map as a page of its own: one HTML file with pan, zoom and hover, and no network access.

The page holds the outlines and figures as JSON and a script that draws them on a canvas. Its
content security policy forbids it to load anything.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

import numpy as np

from kproof.models.places.heatmap.release import SectorRelease
from kproof.models.places.heatmap.shapes import frame, shapes
from kproof.outputs import write_text

STOPS = 32
"""Colours of the scale."""


def heatmap_page(release: SectorRelease, *, title: str = "Heat map") -> str:
    """Return an HTML document that shows a heat map.

    The wheel, two fingers and the keys + and - zoom, dragging and the arrow keys pan, 0 goes
    back. A sector tells its count, area and density when it is pointed at.

    Parameters
    ----------
    release
        A heat map.
    title
        Of the page.
    """
    found = shapes(release, split=False)
    document = {
        "lon": found.lon.tolist(),
        "lat": found.lat.tolist(),
        "corners": found.corners.ravel().tolist(),
        "starts": found.starts.tolist(),
        "sector": found.rings[:, 0].tolist(),
        "count": release.counts.tolist(),
        "area": release.areas.tolist(),
        "counted": str(release.counted),
        "frame": frame(release),
        "colours": _colours(),
    }
    # Numbers, colours and "users" or "locations": nothing that could end the script element.
    data = json.dumps(document, separators=(",", ":"))
    k = release.parameters.get("min_k")
    about = f"{release.sectors:,} sectors; {release.whom}; k = {k}"
    return (
        _PAGE.replace("@title@", escape(title))
        .replace("@about@", escape(about))
        # The data are last, so that nothing in them is taken for a place to fill.
        .replace("@data@", data)
    )


def write_page(release: SectorRelease, path: str | Path, *, title: str = "Heat map") -> None:
    """Write a heat map as an HTML document.

    Raises
    ------
    DataError
        If the file cannot be written; one that was there before is then unchanged.
    """
    write_text(path, heatmap_page(release, title=title))


def _colours() -> list[str]:
    import matplotlib as mpl
    from matplotlib.colors import to_hex

    from kproof.models.places.heatmap.files import COLOURS

    return [to_hex(mpl.colormaps[COLOURS](place)) for place in np.linspace(0.02, 0.95, STOPS)]


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@title@</title>
<style>
html, body { margin: 0; height: 100%; overflow: hidden; font: 14px system-ui, sans-serif;
  color: #1d2430; background: #eef0f2; }
canvas { display: block; width: 100%; height: 100%; touch-action: none; cursor: grab; }
canvas:focus-visible { outline: 2px solid #2a6fdb; outline-offset: -2px; }
.card { position: fixed; padding: 10px 12px; background: #fffffff2; border-radius: 8px;
  box-shadow: 0 1px 6px #0003; pointer-events: none; }
#head { top: 12px; left: 12px; max-width: 60vw; }
#head h1 { font-size: 16px; margin: 0 0 2px; }
#head p, #tip p { margin: 0; color: #556; }
#scale { bottom: 12px; left: 12px; }
#bar { display: flex; width: 256px; height: 12px; margin: 4px 0 2px; }
#bar i { flex: 1; }
#ends { display: flex; justify-content: space-between; font-variant-numeric: tabular-nums; }
#tip { visibility: hidden; font-variant-numeric: tabular-nums; white-space: nowrap; }
#tip b { display: block; }
</style>
</head>
<body>
<canvas id="map" tabindex="0" role="img" aria-label="@title@: @about@"></canvas>
<div id="head" class="card"><h1>@title@</h1><p>@about@</p></div>
<div id="scale" class="card"><span id="unit"></span><div id="bar"></div>
<div id="ends"><span id="low"></span><span id="high"></span></div></div>
<div id="tip" class="card" role="status"></div>
<script type="application/json" id="data">@data@</script>
<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const canvas = document.getElementById("map"), pen = canvas.getContext("2d");
const tip = document.getElementById("tip"), sectors = data.count.length;
const density = data.count.map((count, i) => 1e6 * count / data.area[i]);
const some = density.filter(value => value > 0);
const low = some.reduce((a, b) => Math.min(a, b), Infinity);
const high = some.reduce((a, b) => Math.max(a, b), 0);
const span = Math.log(high / low) || 1, steps = data.colours.length;
const level = density.map(value => value > 0
  ? Math.min(steps - 1, Math.floor(steps * Math.log(value / low) / span)) : -1);
const middle = (data.frame[1] + data.frame[3]) / 2;
const squeeze = Math.max(0.05, Math.cos(middle * Math.PI / 180));
const xs = data.lon.map(lon => lon * squeeze), ys = data.lat.map(lat => -lat);
const around = new Float64Array(4 * sectors), rings = Array.from({length: sectors}, () => []);
for (let i = 0; i < sectors; i++) around.set([Infinity, Infinity, -Infinity, -Infinity], 4 * i);
data.sector.forEach((sector, ring) => {
  rings[sector].push(ring);
  const a = 4 * sector;
  for (let c = data.starts[ring]; c < data.starts[ring + 1]; c++) {
    const x = xs[data.corners[2 * c]], y = ys[data.corners[2 * c + 1]];
    around[a] = Math.min(around[a], x); around[a + 1] = Math.min(around[a + 1], y);
    around[a + 2] = Math.max(around[a + 2], x); around[a + 3] = Math.max(around[a + 3], y);
  }
});
let scale = 1, left = 0, top_ = 0, marked = -1, waiting = false;
function home() {
  const [west, east] = [data.frame[0] * squeeze, data.frame[2] * squeeze];
  const [north, south] = [-data.frame[3], -data.frame[1]], width = innerWidth, height = innerHeight;
  scale = Math.min(width / (east - west), height / (south - north));
  left = (west + east) / 2 - width / 2 / scale;
  top_ = (north + south) / 2 - height / 2 / scale;
  later();
}
function later() {
  if (!waiting) { waiting = true; requestAnimationFrame(draw); }
}
function trace(ring, ratio) {
  // Corners are on whole pixels, so that no seam is seen between neighbours.
  for (let c = data.starts[ring]; c < data.starts[ring + 1]; c++) {
    const x = Math.round(ratio * scale * (xs[data.corners[2 * c]] - left));
    const y = Math.round(ratio * scale * (ys[data.corners[2 * c + 1]] - top_));
    if (c === data.starts[ring]) pen.moveTo(x, y); else pen.lineTo(x, y);
  }
  pen.closePath();
}
function draw() {
  waiting = false;
  const ratio = devicePixelRatio || 1, width = innerWidth, height = innerHeight;
  canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
  const right = left + width / scale, bottom = top_ + height / scale;
  const layers = Array.from({length: steps + 1}, () => []);
  for (let i = 0; i < sectors; i++) {
    const a = 4 * i;
    if (around[a] < right && around[a + 2] > left && around[a + 1] < bottom && around[a + 3] > top_)
      layers[level[i] + 1].push(i);
  }
  const lines = layers.reduce((sum, layer) => sum + layer.length, 0) < 4000;
  layers.forEach((layer, index) => {
    pen.beginPath();
    for (const i of layer) for (const ring of rings[i]) trace(ring, ratio);
    pen.fillStyle = index ? data.colours[index - 1] : "#fafbfc";
    pen.fill();
    if (lines) { pen.strokeStyle = "#5c667333"; pen.lineWidth = ratio; pen.stroke(); }
  });
  if (marked >= 0) {
    pen.beginPath();
    for (const ring of rings[marked]) trace(ring, ratio);
    pen.strokeStyle = "#2a6fdb"; pen.lineWidth = 2.5 * ratio; pen.stroke();
  }
}
function inside(i, x, y) {
  let found = false;
  for (const ring of rings[i]) {
    const first = data.starts[ring], last = data.starts[ring + 1];
    for (let c = first, before = last - 1; c < last; before = c++) {
      const ax = xs[data.corners[2 * c]], ay = ys[data.corners[2 * c + 1]];
      const bx = xs[data.corners[2 * before]], by = ys[data.corners[2 * before + 1]];
      // All sides run along the axes; those that go up or down count.
      if (ax === bx && ax > x && (ay > y) !== (by > y)) found = !found;
    }
  }
  return found;
}
const short = value => value.toLocaleString("en", {maximumSignificantDigits: 3});
function point(x, y) {
  const mx = left + x / scale, my = top_ + y / scale, was = marked;
  marked = -1;
  for (let i = 0; i < sectors && marked < 0; i++) {
    const a = 4 * i;
    if (around[a] <= mx && mx <= around[a + 2] && around[a + 1] <= my && my <= around[a + 3]
        && inside(i, mx, my)) marked = i;
  }
  if (marked !== was) later();
  tip.style.visibility = marked < 0 ? "hidden" : "visible";
  if (marked < 0) return;
  const bold = document.createElement("b"), line = document.createElement("p");
  bold.textContent = `${data.count[marked].toLocaleString("en")} ${data.counted}`;
  line.textContent = `${short(density[marked])} by km², ${short(data.area[marked] / 1e6)} km²`;
  tip.replaceChildren(bold, line);
  tip.style.left = `${Math.min(x + 14, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(y + 14, innerHeight - tip.offsetHeight - 8)}px`;
}
function zoom(factor, x, y) {
  left += x / scale - x / scale / factor; top_ += y / scale - y / scale / factor;
  scale *= factor;
  later();
}
const held = new Map();
canvas.addEventListener("pointerdown", event => {
  canvas.setPointerCapture(event.pointerId);
  held.set(event.pointerId, [event.clientX, event.clientY]);
});
canvas.addEventListener("pointermove", event => {
  const before = held.get(event.pointerId), x = event.clientX, y = event.clientY;
  if (!before) return point(x, y);
  const other = [...held].find(([id]) => id !== event.pointerId);
  if (other) {
    const [ox, oy] = other[1], was = Math.hypot(before[0] - ox, before[1] - oy);
    if (was > 0) zoom(Math.max(0.5, Math.hypot(x - ox, y - oy) / was), ox, oy);
  } else {
    left -= (x - before[0]) / scale; top_ -= (y - before[1]) / scale;
    later();
  }
  held.set(event.pointerId, [x, y]);
});
for (const end of ["pointerup", "pointercancel"])
  canvas.addEventListener(end, event => held.delete(event.pointerId));
canvas.addEventListener("pointerleave", () => {
  tip.style.visibility = "hidden"; marked = -1; later();
});
canvas.addEventListener("wheel", event => {
  event.preventDefault();
  zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.002)), event.clientX, event.clientY);
}, {passive: false});
canvas.addEventListener("keydown", event => {
  const step = 60 / scale, x = innerWidth / 2, y = innerHeight / 2;
  const keys = {
    "+": () => zoom(1.5, x, y), "=": () => zoom(1.5, x, y), "-": () => zoom(1 / 1.5, x, y),
    "0": home, ArrowLeft: () => { left -= step; }, ArrowRight: () => { left += step; },
    ArrowUp: () => { top_ -= step; }, ArrowDown: () => { top_ += step; },
  };
  if (!(event.key in keys)) return;
  event.preventDefault();
  keys[event.key]();
  later();
});
addEventListener("resize", later);
for (const colour of data.colours) {
  const part = document.createElement("i");
  part.style.background = colour;
  document.getElementById("bar").append(part);
}
document.getElementById("unit").textContent = `${data.counted} by km²`;
document.getElementById("low").textContent = short(low);
document.getElementById("high").textContent = short(high);
home();
</script>
</body>
</html>
"""
