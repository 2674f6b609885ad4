"""Heat maps on disk: GeoJSON after RFC 7946, PNG images, GeoPandas frames; whole or not at all."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from kproof.models.places.heatmap.outline_kernel import TEXTS, concatenate, pieces_of
from kproof.models.places.heatmap.release import Counted, SectorRelease
from kproof.models.places.heatmap.shapes import degrees, frame, shapes
from kproof.models.places.plane import DECIMALS
from kproof.models.places.position_cells import iso_text
from kproof.outputs import write_bytes
from kproof.pictures import as_png

encode = partial(json.dumps, separators=(",", ":"))

COLOURS, NOBODY = "inferno_r", "#eef0f2"
"""The colours of images, and that of sectors without anybody."""


def geojson(release: SectorRelease) -> str:
    """Return a heat map as a GeoJSON feature collection, a sector in each line.

    Shapes follow RFC 7946: WGS 84 degrees, outer rings counterclockwise, cut at the antimeridian.
    A feature has the ``count`` of its sector, its ``area`` in square metres and its ``density`` by
    square metre; the collection says what is ``counted``, ``k`` if the method has one, and the
    period ``from`` and ``to`` if it was chosen. Sectors beyond the edges of the map,
    where nobody is, are left out.
    """
    return _encode(release)[0].decode()


def write_geojson(release: SectorRelease, path: str | Path) -> int:
    """Write a heat map as GeoJSON; return the number of features."""
    text, features = _encode(release)
    write_bytes(path, text)
    return features


def to_geopandas(release: SectorRelease) -> Any:
    """Return a heat map as a GeoDataFrame with the columns count, area and density."""
    import geopandas

    features = json.loads(geojson(release))["features"]
    return geopandas.GeoDataFrame.from_features(features, crs="EPSG:4326")


def write_png(release: SectorRelease, path: str | Path, *, title: str | None = None) -> None:
    """Write the image that :func:`png_image` draws."""
    write_bytes(path, png_image(release, title=title))


def png_image(release: SectorRelease, *, title: str | None = None) -> bytes:
    """Draw a heat map as a PNG image: people by square kilometre, on a logarithmic scale.

    What is shown is where most people are; the same release has the same image.
    """
    import matplotlib as mpl
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import LogNorm
    from matplotlib.figure import Figure

    sides = degrees(release)
    sector = np.repeat(np.arange(release.sectors), np.diff(release.offsets))
    density = 1e6 * release.densities[sector]
    west, south, east, north = frame(release)
    # What is published as empty is not what nothing is said of.
    colours = mpl.colormaps[COLOURS].with_extremes(under=NOBODY)
    lowest = density[density > 0].min()
    figure = Figure(figsize=(8, 7), layout="compressed")
    axes = figure.add_subplot()
    patches = PolyCollection(
        list(sides[:, [[0, 1], [2, 1], [2, 3], [0, 3]]]),
        # Below the scale and above 0, where a logarithm is one.
        array=np.where(density > 0, density, lowest / 2),
        cmap=colours,
        # A scale has two ends, also where all densities are one.
        norm=LogNorm(lowest, max(density.max(), 1.001 * lowest)),
        antialiased=False,
    )
    axes.add_collection(patches)
    # A degree of longitude is shorter than one of latitude.
    narrow = max(0.05, np.cos(np.radians((south + north) / 2)))
    axes.set(xlim=(west, east), ylim=(south, north), aspect=1 / narrow)
    # Of a narrow map the numbers along it would stand in one another.
    axes.locator_params(axis="x", nbins=5 if 2 * narrow * (east - west) > north - south else 2)
    axes.set_xlabel("longitude")
    axes.set_ylabel("latitude")
    if title is not None:
        axes.set_title(title, parse_math=False)
    label = "users by km²" if release.counted is Counted.USERS else "locations, not users, by km²"
    figure.colorbar(patches, ax=axes, label=label, shrink=0.8)
    return as_png(figure, dpi=150)


def _encode(release: SectorRelease) -> tuple[bytes, int]:
    outlines = shapes(release, split=True)
    texts = list(TEXTS)
    lon, lat = len(texts), len(texts) + len(outlines.lon)
    texts += [f"[{decimal(value)}," for value in outlines.lon.tolist()]
    texts += [f"{decimal(value)}]" for value in outlines.lat.tolist()]
    figures = []
    for column in (release.counts, release.areas, release.densities):
        distinct, index = np.unique(column, return_inverse=True)
        figures.append(len(texts) + index)
        # The shortest text that is read back as the very float.
        texts += map(repr, distinct.tolist())
    corners, columns = outlines.corners + np.array([lon, lat]), np.column_stack(figures)
    pieces, features = pieces_of(corners, outlines.starts, outlines.rings, columns)
    encoded = [text.encode() for text in texts]
    joined = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    body = concatenate(pieces, joined, np.cumsum([0, *map(len, encoded)]))
    about: dict[str, object] = {"counted": release.counted}
    if "min_k" in release.parameters:
        about["k"] = release.parameters["min_k"]
    if release.points.period is not None:
        about |= zip(("from", "to"), map(iso_text, release.points.period), strict=True)
    # What is counted is always said, so that a comma may stand on both sides.
    head = f'{{"type":"FeatureCollection",{encode(about)[1:-1]},"features":[\n'
    # The last feature ends with a comma and a line break.
    return head.encode() + body[:-2].tobytes() + b"\n]}\n", features


def decimal(value: float) -> str:
    """Return a coordinate in degrees without zeros at its end.

    >>> decimal(13.4), decimal(-180.0)
    ('13.4', '-180')
    """
    return f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
