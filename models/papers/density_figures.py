"""The three figures of the experiment with density-aware cloaking, under their document's names.

``density_vs_k.png`` and ``k_vs_region_size.png`` show the runs, ``region_visualization.png`` the
city with one region: the target yellow, the other nodes of its region red, the rest blue. The same
experiment gives the same pictures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.arrays import Floats
from kproof.models.places.city.city import City, Coordinates
from kproof.outputs import write_folder
from kproof.pictures import CHART, Picture, style

if TYPE_CHECKING:
    from kproof.models.papers.density_experiment import DensityExperiment
    from kproof.models.places.regions import RegionRelease

FIGURES = ("density_vs_k.png", "k_vs_region_size.png", "region_visualization.png")
"""File names, in the order of the document."""

TABLE = "runs.csv"
"""File name of the table."""

TARGET, REGION, REST = "#ffd400", "#d62728", "#4c8bd6"
"""Yellow, red and blue."""

MARKS = {"target": ("D", TARGET), "region": ("s", REGION), "rest of the city": ("o", REST)}
"""The mark and the colour of a node by its kind: not the colour alone tells them apart."""

_SQUARE = 0.785
"""A square of this share of a circle's size covers as much."""

NEAR = 400
"""Nodes around the target that are shown of a larger city."""

FEW = 60
"""Nodes of the largest city in which each says how many users it has."""


def figures(results: DensityExperiment) -> dict[str, bytes]:
    """Draw the figures, with the region of the first run served; return PNG images by file name."""
    served = [run for run in results.runs if not run.insufficient]
    density = [(run.density, run.k) for run in results.runs]
    sizes = [(run.k, run.region_size) for run in served]
    first = served[0].run - 1 if served else None
    pictures = (
        scatter(density, "users around the target", "k"),
        scatter(sizes, "k", "nodes of the region"),
        region_map(results.release, first),
    )
    return {name: picture.png() for name, picture in zip(FIGURES, pictures, strict=True)}


def save(results: DensityExperiment, folder: str | Path) -> tuple[Path, ...]:
    """Write the figures and the table into a folder, made if need be: all files or none."""
    contents: dict[str, str | bytes] = {**figures(results), TABLE: results.table().encode()}
    return write_folder(folder, contents)


@style("region", CHART)
def region_map(release: RegionRelease, request: int | None) -> Picture:
    """Draw the city with the region of a request, or without one.

    A larger city is shown around the region only, by some :data:`NEAR` nodes; a smaller one says
    how many users each node has. The request is the index of one that was served.
    """
    from matplotlib.collections import LineCollection

    city = release.city
    if city.x is None or city.y is None:
        raise DataError("the city has no coordinates; need x and y of every node to draw it")
    if request is not None and not 0 <= request < release.requests:
        raise InvalidArgument("request", request, f"0 to {release.requests - 1}")
    positions = _flat(city)
    picture, axes = _picture("region", 430)
    in_region = np.zeros(city.nodes, dtype=np.bool_)
    visible = np.ones(city.nodes, dtype=np.bool_)
    if request is not None:
        in_region[release.region(request)] = True
        away = np.abs(positions - positions[release.targets[request]]).max(axis=1)
        # A region is shown as a whole, however far it reaches, with some of what is around.
        reach = max(np.sort(away)[:NEAR][-1], 1.2 * away[in_region].max())
        visible = away <= reach
    ends = city.roads.edges
    # With one end outside a street leaves the picture; it must not widen what is shown.
    ends = ends[visible[ends].any(axis=1)]
    scale = min(1.0, (60 / np.count_nonzero(visible)) ** 0.5)
    lines = list(positions[ends])
    streets = LineCollection(lines, colors="#b9c2cc", linewidths=1.5 * scale, zorder=1)
    axes.add_collection(streets, autolim=False)
    layers = [(visible & ~in_region, "rest of the city")]
    if request is not None:
        target = np.arange(city.nodes) == release.targets[request]
        layers += [(in_region & ~target, "region"), (target, "target")]
    few = np.count_nonzero(visible) <= FEW
    for layer, (nodes, label) in enumerate(layers, start=2):
        mark, colour = MARKS[label]
        factor = 1 if mark == "o" else _SQUARE
        size = factor * (220 + 120 * city.users[nodes] if few else 120 * scale)
        look = {"marker": mark, "c": colour, "ec": "black" if label == "target" else "none"}
        dots = axes.scatter(*positions[nodes].T, s=size, label=label, zorder=layer, **look)
        picture.tell(dots, label)
    for node in np.flatnonzero(visible) if few else ():
        ink = "black" if request is not None and node == release.targets[request] else "white"
        words = {"color": ink, "weight": "bold", "ha": "center", "va": "center", "zorder": 9}
        axes.text(*positions[node], str(city.users[node]), **words)
    axes.margins(0.08)
    axes.set_aspect("equal")
    axes.axis("off")
    picture.figure.legend(loc="outside lower center", ncols=3)
    return picture


@style("scatter", CHART)
def scatter(points: Iterable[tuple[int, int]], across: str, up: str) -> Picture:
    """Draw whole numbers against one another; the area of a dot is how often a pair occurs."""
    picture, axes = _picture(f"scatter {across} {up}", 230)
    for spot, times in sorted(Counter(points).items()):
        look = {"c": REST, "alpha": 0.75, "ec": "white", "zorder": 2, "clip_on": False}
        tip = f"{across} {spot[0]}, {up} {spot[1]}: {times} of the requests"
        picture.tell(axes.scatter(*spot, s=81 * times, **look), "dot", tip)
        if times > 1:
            axes.annotate(str(times), spot, ha="center", va="center", fontsize=8)
    axes.set_xlabel(across)
    axes.set_title(up, loc="left", fontsize="medium", color=CHART["axes.labelcolor"])
    axes.margins(0.16)
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    for axis in (axes.xaxis, axes.yaxis):
        axis.get_major_locator().set_params(integer=True, nbins=6)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.grid(axis="y", color="#e5e9ed")
    return picture


def _flat(city: City) -> Floats:
    """Return coordinates in which a picture is true to scale around the city's middle."""
    x, y = np.asarray(city.x), np.asarray(city.y)
    if city.coordinates is Coordinates.DEGREES:
        middle = (y.min() + y.max()) / 2
        # Longitudes on the other side of the antimeridian are brought to this one.
        x = (x - x[0] + 180) % 360 * np.cos(np.radians(middle))
    return np.column_stack([x, y])


def _picture(name: str, height: float) -> tuple[Picture, Any]:
    picture = Picture(name, 430, height)
    picture.figure.set_layout_engine("constrained")
    return picture, picture.figure.add_subplot()
