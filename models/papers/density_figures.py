"""The three figures of the experiment with density-aware cloaking, under their document's names.

``density_vs_k.png`` and ``k_vs_region_size.png`` show the runs, ``region_visualization.png`` the
city with one region: the target yellow, the other nodes of its region red, the rest blue. The same
experiment gives the same pictures.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kproof.errors import DataError, InvalidArgument
from kproof.models.places.city.city import City, Coordinates
from kproof.outputs import write_folder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from kproof.models.papers.density_experiment import Experiment
    from kproof.models.places.regions import RegionRelease

FIGURES = ("density_vs_k.png", "k_vs_region_size.png", "region_visualization.png")
"""File names, in the order of the document."""

TABLE = "runs.csv"
"""File name of the table."""

TARGET, REGION, REST = "#ffd400", "#d62728", "#4c8bd6"
"""Yellow, red and blue."""

NEAR = 400
"""Nodes around the target that are shown of a larger city."""


def figures(found: Experiment) -> dict[str, bytes]:
    """Draw the figures; return PNG images by file name.

    The region shown is that of the first run that was served.

    Raises
    ------
    DataError
        If the city has no coordinates.
    """
    served = [run for run in found.runs if not run.insufficient]
    density = [(run.density, run.k) for run in found.runs]
    sizes = [(run.k, run.region_size) for run in served]
    first = served[0].run - 1 if served else None
    drawn = (
        _scatter(density, "users around the target", "k"),
        _scatter(sizes, "k", "nodes of the region"),
        region_map(found.release, first),
    )
    return dict(zip(FIGURES, drawn, strict=True))


def save(found: Experiment, folder: str | Path) -> tuple[Path, ...]:
    """Write the figures and the table into a folder, which is made if need be.

    All files are written or none.

    Raises
    ------
    DataError
        If the city has no coordinates, or the folder cannot be made or written to.
    """
    drawn: dict[str, str | bytes] = {**figures(found), TABLE: found.table().encode()}
    return write_folder(folder, drawn)


def region_map(release: RegionRelease, request: int | None) -> bytes:
    """Draw the city with the region of a request, or without one; return a PNG image.

    Of a larger city the surroundings of the region are shown, some :data:`NEAR` nodes.

    Parameters
    ----------
    release
        Of a city with coordinates.
    request
        Index of a request that was served; None for the city alone.

    Raises
    ------
    DataError
        If the city has no coordinates.
    InvalidArgument
        If there is no such request.
    """
    from matplotlib.collections import LineCollection

    city = release.city
    if city.x is None or city.y is None:
        raise DataError("the city has no coordinates; need x and y of every node to draw it")
    if request is not None and not 0 <= request < release.requests:
        raise InvalidArgument("request", request, f"0 to {release.requests - 1}")
    where = _flat(city)
    figure, axes = _figure((6.4, 6.4))
    inside = np.zeros(city.nodes, dtype=np.bool_)
    visible = np.ones(city.nodes, dtype=np.bool_)
    if request is not None:
        inside[release.region(request)] = True
        away = np.abs(where - where[release.targets[request]]).max(axis=1)
        reach = max(np.sort(away)[:NEAR][-1], 1.2 * away[inside].max())
        visible = away <= reach
    ends = city.roads.edges
    ends = ends[visible[ends].any(axis=1)]
    scale = min(1.0, (60 / np.count_nonzero(visible)) ** 0.5)
    streets = LineCollection(list(where[ends]), colors="#b9c2cc", linewidths=1.5 * scale, zorder=1)
    axes.add_collection(streets)
    layers = [(visible & ~inside, REST, "rest of the city")]
    if request is not None:
        target = np.arange(city.nodes) == release.targets[request]
        layers += [(inside & ~target, REGION, "region"), (target, TARGET, "target")]
    for layer, (nodes, colour, label) in enumerate(layers, start=2):
        size = 120 * scale * (1.4 if colour == TARGET else 1)
        edge = "black" if colour == TARGET else "none"
        axes.scatter(*where[nodes].T, s=size, c=colour, edgecolors=edge, label=label, zorder=layer)
    spots = where[visible]
    for limits, low, high in zip(
        (axes.set_xlim, axes.set_ylim), spots.min(axis=0), spots.max(axis=0), strict=True
    ):
        margin = 0.05 * float(np.ptp(spots, axis=0).max()) or 1.0
        limits(low - margin, high + margin)
    axes.set_aspect("equal")
    axes.axis("off")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return _png(figure)


def _scatter(points: Sequence[tuple[int, int]], across: str, up: str) -> bytes:
    """Draw whole numbers against one another; runs on one spot are one larger dot with a count."""
    figure, axes = _figure((6.4, 4.0))
    spots = Counter(points)
    if spots:
        x, y = zip(*spots, strict=True)
        axes.scatter(x, y, s=[60 + 25 * times for times in spots.values()], c=REST, alpha=0.8)
    for spot, times in spots.items():
        if times > 1:
            axes.annotate(str(times), spot, ha="center", va="center", fontsize=8)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.margins(0.12)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.spines[["top", "right"]].set_visible(False)
    return _png(figure)


def _flat(city: City) -> NDArray[np.float64]:
    """Return coordinates in which a picture is true to scale around the city's middle."""
    x, y = np.asarray(city.x), np.asarray(city.y)
    if city.coordinates is Coordinates.DEGREES:
        middle = (y.min() + y.max()) / 2
        # Longitudes on the other side of the antimeridian are brought to this one.
        x = (x - x[0] + 180) % 360 * np.cos(np.radians(middle))
    return np.column_stack([x, y])


def _figure(size: tuple[float, float]) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.add_subplot()


def _png(figure: Figure) -> bytes:
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=120, metadata={"Software": None})
    return image.getvalue()
