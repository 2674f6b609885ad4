"""A cloaked log as a page: how many people each cell shows, slot by slot, with no network access.

The page is that of a heat map with a slider. It has what is published, the cloaked log and its
cells, and nothing of the log they were made of.
"""

from datetime import UTC, datetime

import numpy as np

from kproof.models.moving.cells import CellTree
from kproof.models.moving.labels import HIDDEN
from kproof.models.moving.release import CloakedLog, by_slot
from kproof.models.moving.terms import LogTerms
from kproof.models.places.heatmap.page import map_page
from kproof.models.places.plane import DECIMALS

MARGIN = 0.03
"""Share of the height and width that is left around the cells."""


def log_page(
    release: CloakedLog, terms: LogTerms, cells: CellTree, *, title: str = "Cloaked log"
) -> str:
    """Return an HTML document that shows the cells of a cloaked log, a slot at a time.

    The slider, or page up and page down on the map, chooses the slot. Who is hidden in it is
    counted beside it, as a place for them would say something; a cell that nobody is shown in is
    not drawn, for those who are hidden may be there.
    """
    shown = np.unique(release.label[release.label != HIDDEN])
    widths = cells.widths(shown)
    # The largest first: the page draws small ones on top of those around them.
    order = np.lexsort((shown, -widths))
    labels, widths = shown[order], widths[order]
    place = np.empty(len(shown), dtype=np.int64)
    place[order] = np.arange(len(shown))
    outlines = [cells.outline(label) for label in labels.tolist()]
    # A log of hidden records alone has no corners.
    corners = [np.concatenate([[], *axis]) for axis in zip(*outlines, strict=True)]
    lat, lon = (
        np.unique(np.round(axis, DECIMALS), return_inverse=True)
        for axis in corners or [np.zeros(0)] * 2
    )
    sizes = [len(latitudes) for latitudes, _ in outlines]
    clock = "%H:%M:%S" if terms.period % 60 else "%H:%M"
    slots = []
    for rows in by_slot(release.slot):
        label = release.label[rows]
        used, counts = np.unique(label[label != HIDDEN], return_counts=True)
        begins = datetime.fromtimestamp(int(release.slot[rows.start]) * terms.period, UTC)
        slots.append(
            {
                "name": f"{begins:%Y-%m-%d} {begins:{clock}} UTC",
                "cells": place[np.searchsorted(shown, used)].tolist(),
                "counts": counts.tolist(),
                "shown": int(counts.sum()),
                "hidden": int(np.count_nonzero(label == HIDDEN)),
            }
        )
    west, east, south, north = (
        float(end) for axis, _ in (lon, lat) for end in (axis[[0, -1]] if len(axis) else (0, 1))
    )
    aside, above = MARGIN * (east - west) or MARGIN, MARGIN * (north - south) or MARGIN
    document = {
        "lon": lon[0].tolist(),
        "lat": lat[0].tolist(),
        "corners": np.column_stack([lon[1].reshape(-1), lat[1].reshape(-1)]).ravel().tolist(),
        "starts": np.cumsum([0, *sizes]).tolist(),
        "sector": list(range(len(labels))),
        "wide": np.round(widths).astype(np.int64).tolist(),
        "counted": "people",
        "frame": (west - aside, south - above, east + aside, north + above),
        "slots": slots,
    }
    records = len(np.unique(release.record))
    k = "" if terms.k is None else f"; k = {terms.k}"
    about = f"{records:,} records of up to {terms.session or len(slots)} slots{k}"
    unknown = "nobody is shown; who is hidden may be here"
    return map_page(document, title=title, about=about, unknown=unknown, slots=len(slots))
