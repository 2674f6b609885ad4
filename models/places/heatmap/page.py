"""A heat map as a page of its own: one HTML file with pan, zoom and hover, and no network access.

The page, ``templates/page.html``, holds the outlines and figures as JSON and a script that draws
them on a canvas. Its content security policy forbids it to load anything.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from kproof.models.places.heatmap.files import COLOURS
from kproof.models.places.heatmap.release import SectorRelease
from kproof.models.places.heatmap.shapes import frame, shapes
from kproof.outputs import write_text
from kproof.pages import fill

STOPS = 32
"""Colours of the scale."""


def heatmap_page(release: SectorRelease, *, title: str = "Heat map") -> str:
    """Return an HTML document that shows a heat map.

    The wheel, two fingers and the keys + and - zoom, dragging and the arrow keys pan, 0 goes
    back. A sector tells its count, area and density when it is pointed at, or in the middle after
    a key. What is published as empty looks otherwise than what nothing is said of.
    """
    outlines = shapes(release, split=False)
    document = {
        "lon": outlines.lon.tolist(),
        "lat": outlines.lat.tolist(),
        "corners": outlines.corners.ravel().tolist(),
        "starts": outlines.starts.tolist(),
        "sector": outlines.rings[:, 0].tolist(),
        "count": release.counts.tolist(),
        "area": release.areas.tolist(),
        "counted": str(release.counted),
        "frame": frame(release),
    }
    k = release.parameters.get("min_k")
    about = f"{release.sectors:,} sectors; {release.whom}; k = {k}"
    # On fixed squares the empty ones are left out with those of fewer than k, and tell no more.
    unknown = "no data" if "cells" not in release.parameters else f"no data, or fewer than {k}"
    if release.parameters.get("empty") == "omit":
        unknown = "no data, or empty"
    return map_page(document, title=title, about=about, unknown=unknown)


def map_page(
    document: Mapping[str, object], *, title: str, about: str, unknown: str, slots: int = 0
) -> str:
    """Return an HTML document that shows a map of areas.

    Args:
        document: What the script of the page draws: outlines, figures, frame; the colours are
            added.
        title, about: What stands above the map.
        unknown: What the legend calls the ground.
        slots: Number of moments that can be chosen, each with figures of its own; 0 for one map.
    """
    data, room = {**document, "colours": _colours()}, "kproof.models.places.heatmap"
    return fill(
        room, "page.html", data=data, title=title, about=about, unknown=unknown, slots=slots
    )


def write_page(release: SectorRelease, path: str | Path, *, title: str = "Heat map") -> None:
    """Write a heat map as an HTML document."""
    write_text(path, heatmap_page(release, title=title))


def _colours() -> list[str]:
    import matplotlib as mpl
    from matplotlib.colors import to_hex

    return [to_hex(mpl.colormaps[COLOURS](place)) for place in np.linspace(0.02, 0.95, STOPS)]
