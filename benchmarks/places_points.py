"""Heat maps of points, export included, beside a quadtree of objects into which points are put."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from common import Row, median, peak_memory

from kproof.models.places.heatmap.files import write_geojson, write_png
from kproof.models.places.heatmap.page import write_page
from kproof.models.places.heatmap.quadtree import quadtree
from kproof.models.places.heatmap.release import SectorRelease
from kproof.models.places.plane import Box, plane_around
from kproof.models.places.points import Points

POINTS, LIMIT = 1_000_000, 1.0
K, LEAST = 5, 100


def city(count: int, *, users: int | None = None, seed: int = 0) -> Points:
    """Return points around forty places of a region, of so many users."""
    rng = np.random.default_rng(seed)
    places, spread = rng.normal(0, 0.15, (40, 2)), 0.03 * rng.random(40)
    chosen = rng.integers(0, 40, count)
    lat, lon = (places[chosen] + rng.normal(0, 1, (count, 2)) * spread[chosen, None]).T
    owners = None if users is None else rng.integers(0, users, count)
    return Points.of(48 + lat, 11 + 1.4 * lon, users=owners)


class Node:
    """A sector of the document's quadtree, into which locations are put one at a time."""

    def __init__(self, west: float, south: float, side: float) -> None:
        self.west, self.south, self.side = west, south, side
        self.spots: list[tuple[float, float]] = []
        self.children: list[Node] = []
        self.count = 0

    def insert(self, x: float, y: float) -> None:
        self.count += 1
        if self.children:
            half = self.side / 2
            at = (x > self.west + half) + 2 * (y > self.south + half)
            self.children[at].insert(x, y)
            return
        self.spots.append((x, y))
        if len(self.spots) > K and self.side >= 2 * LEAST:
            half = self.side / 2
            self.children = [
                Node(self.west + half * i, self.south + half * j, half)
                for j in (0, 1)
                for i in (0, 1)
            ]
            spots, self.spots = self.spots, []
            self.count -= len(spots)
            for spot in spots:
                self.insert(*spot)

    def sectors(self) -> Iterator[Node]:
        short = any(0 < child.count < K for child in self.children)
        if short or not self.children:
            yield self
            return
        for child in self.children:
            yield from child.sectors()


def inserted(points: Points, root: Box, path: Path) -> int:
    """Do without arrays what the document says, merging left out; return the number of sectors."""
    plane, tree = plane_around(points), Node(root.west, root.south, root.width)
    for spot in zip(*(axis.tolist() for axis in plane.metres(points.lat, points.lon)), strict=True):
        tree.insert(*spot)
    features = []
    for node in tree.sectors():
        lat, lon = plane.degrees(
            [node.west, node.west + node.side], [node.south, node.south + node.side]
        )
        (south, north), (west, east) = lat.tolist(), lon.tolist()
        ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
        features.append(
            {
                "type": "Feature",
                "geometry": {"type": "Polygon", "coordinates": [ring]},
                "properties": {"count": node.count, "density": node.count / node.side**2},
            }
        )
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return len(features)


def mapped(points: Points, path: Path, *, merge: bool = True) -> int:
    """Return the number of sectors of a heat map that is made and written."""
    return write_geojson(heat_map(points, merge=merge), path)


def heat_map(points: Points, *, merge: bool = True) -> SectorRelease:
    """Return a heat map of users, or of locations where nothing is known of users."""
    count = "locations" if points.users is None else "users"
    return quadtree(points, merge_sectors=merge, count=count)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """Yield the figures of heat maps; that of the largest takes some minutes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "map.geojson"
        start = time.perf_counter()
        mapped(city(100), path)
        yield Row(
            "first call of a process", time.perf_counter() - start, note="kernels load or compile"
        )
        count = POINTS // 10 if options.quick else POINTS
        for users in (None, count // 5):
            points = city(count, users=users)
            whose = "" if users is None else f" of {users:,} users"
            spent, release = median(lambda points=points: heat_map(points))
            yield Row(f"{count:,} points{whose}, sectors", spent, note=f"{release.sectors:,}")
            spent, _ = median(lambda points=points: mapped(points, path))
            note = f"{path.stat().st_size / 1e6:.0f} MB"
            yield Row("  with GeoJSON", spent, LIMIT, note=note)
        spent, _ = median(lambda: write_png(release, path), 1)
        yield Row("  PNG", spent)
        spent, _ = median(lambda: write_page(release, path), 1)
        yield Row("  page", spent, note=f"{path.stat().st_size / 1e6:.0f} MB")
        points = city(count)
        ours, sectors = median(lambda: mapped(points, path, merge=False))
        slow, found = median(lambda: inserted(points, release.root, path), 1)
        note = f"{found:,} sectors" + ("" if found == sectors else f", ours {sectors:,}")
        job = f"{count:,} points without merging, with GeoJSON"
        yield Row(job, ours, LIMIT, slow / ours, note, "insertion into a tree of objects")
        yield Row("  by insertion into a tree of objects", slow)
    yield Row("", None, note=f"peak {peak_memory() / 1e9:.2f} GB")
    if options.points:
        points = city(options.points, users=options.points // 10)
        spent, release = median(lambda: heat_map(points), 1)
        note = f"{release.sectors:,} sectors, peak {peak_memory() / 1e9:.2f} GB"
        yield Row(f"{options.points:,} points, {release.points.people:,} users", spent, note=note)
