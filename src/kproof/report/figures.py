"""Curves and bars as inline SVG.

Same data, same bytes; text stays text, colours are not the only cue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kproof.models.tables.plots import drawn_bars
from kproof.pictures import CHART, Picture, style

SMALLEST = 1e-300
"""Values below this are not drawn: the axis is logarithmic."""


@dataclass(frozen=True, slots=True)
class PlottedCurve:
    """One line of a figure.

    Attributes
    ----------
    kind
        ``exact``, ``blocks`` or the name of a reading; decides colour and dashes, the same across
        the page.
    x, y
        Same length; points with ``y <= SMALLEST`` are left out.
    """

    kind: str
    x: tuple[float, ...]
    y: tuple[float, ...]


_LEAST_SPAN = 100
"""Top over bottom of the axis, at least; a narrower one has too few powers of ten to read."""

STYLES: Mapping[str, Mapping[str, Any]] = {
    "exact": {"color": "#1d2733", "linewidth": 2.8, "zorder": 2},
    "printed": {"color": "#c2372b", "linewidth": 2.0, "zorder": 5, "linestyle": (0, (1, 1.4))},
    "derived": {"color": "#b8720a", "linewidth": 2.0, "zorder": 4, "linestyle": (0, (5, 3))},
    "corrected": {"color": "#0f7b5f", "linewidth": 2.0, "zorder": 3, "linestyle": (0, (9, 3))},
    "blocks": {"color": "#1f5fa8", "linewidth": 2.0, "zorder": 3, "linestyle": (0, (9, 2, 2, 2))},
}
"""Line styles by kind; the page's legend draws the same colours and dashes."""


LINES: Mapping[str, Mapping[str, Any]] = {
    "mondrian": {"color": "#1f5fa8", "linewidth": 1.9},
    "theta-sensitive": {"color": "#0f7b5f", "linewidth": 1.9, "linestyle": (0, (5, 1.6))},
    "p-plus-sensitive": {"color": "#8b3fa0", "linewidth": 1.9, "linestyle": (0, (5, 1.5, 1, 1.5))},
    "kaca": {"color": "#b8720a", "linewidth": 1.9, "linestyle": (0, (1.4, 1.2))},
}
"""Line styles by method; the page's legend draws the same colours and dashes."""

OTHER: Mapping[str, Any] = {"color": "#5b6470", "linewidth": 1.9}
"""The line of a method that has no style of its own."""


def curves_svg(
    name: str, title: str, curves: Sequence[PlottedCurve], *, x_label: str, y_label: str
) -> str:
    """Draw curves with a logarithmic y axis.

    Parameters
    ----------
    name
        Unique in the page: ids inside the SVG are derived from it.
    title
        What a screen reader says.
    curves
        Drawn in the order given.
    x_label, y_label
        Axis labels, plain text.

    Returns
    -------
    str
        An ``<svg>`` element that scales with its container; the same for the same input. Empty
        if no curve has a point to draw.
    """
    drawn = [(curve, kept) for curve in curves if (kept := _drawable(curve))]
    if not drawn:
        return ""
    from matplotlib.ticker import NullFormatter

    with style(name, CHART):
        picture = Picture(name, 374.4, 230.4)
        axes = picture.figure.add_axes((0.155, 0.155, 0.835, 0.82))
        for curve, points in drawn:
            marker = "o" if len(points) == 1 else None
            axes.plot(*zip(*points, strict=True), marker=marker, **STYLES[curve.kind])
        axes.set_yscale("log")
        axes.yaxis.set_minor_formatter(NullFormatter())
        low, high = axes.get_ylim()
        axes.set_ylim(min(low, high / _LEAST_SPAN), high)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label, rotation=0, labelpad=10)
        axes.grid(axis="y", color="#e5e9ed", linewidth=0.8)
        axes.margins(x=0.01)
        return picture.svg(title)


def bars_svg(
    name: str,
    title: str,
    labels: Sequence[str],
    before: Sequence[float],
    after: Mapping[str, Sequence[float]],
) -> str:
    """Draw a bar of each count before, and a stair over the bars for each method's release."""
    with style(name, CHART):
        stairs = [(counts, LINES.get(method, OTHER)) for method, counts in after.items()]
        picture, _ = drawn_bars(name, labels, before, stairs)
        return picture.svg(title)


def _drawable(curve: PlottedCurve) -> list[tuple[float, float]]:
    far = float("inf")
    points = zip(curve.x, curve.y, strict=True)
    return [(x, y) for x, y in points if x < far and SMALLEST < y < far]
