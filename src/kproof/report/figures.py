"""Curves and bars as inline SVG.

Same data, same bytes; text stays text, colours are not the only cue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kproof.pictures import CHART, Picture, stand_in, style

SMALLEST = 1e-300
"""Values below this are not drawn: the axis is logarithmic."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of a figure.

    Attributes
    ----------
    kind
        ``exact`` or the name of a variant; decides colour and dashes, the same across the page.
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
    "as_printed": {"color": "#c2372b", "linewidth": 2.0, "zorder": 5, "linestyle": (0, (1, 1.4))},
    "as_derived": {"color": "#b8720a", "linewidth": 2.0, "zorder": 4, "linestyle": (0, (5, 3))},
    "corrected": {"color": "#0f7b5f", "linewidth": 2.0, "zorder": 3, "linestyle": (0, (9, 3))},
}
"""Line styles by kind; the page's legend draws the same colours and dashes."""


METHODS: Mapping[str, Mapping[str, Any]] = {
    "mondrian": {"color": "#1f5fa8", "linewidth": 1.9},
    "theta-sensitive": {"color": "#0f7b5f", "linewidth": 1.9, "linestyle": (0, (5, 1.6))},
    "p-plus-sensitive": {"color": "#8b3fa0", "linewidth": 1.9, "linestyle": (0, (5, 1.5, 1, 1.5))},
    "kaca": {"color": "#b8720a", "linewidth": 1.9, "linestyle": (0, (1.4, 1.2))},
}
"""Line styles by method; the page's legend draws the same colours and dashes."""

_MOST_LABELS = 12
_LONGEST_LABEL = 18


def curves_svg(
    name: str, title: str, curves: Sequence[Curve], *, x_label: str, y_label: str
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
        axes.spines[["top", "right"]].set_visible(False)
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
    """Draw bars of counts, and a stair over them for each of some releases.

    Parameters
    ----------
    name, title
        As for :func:`curves_svg`.
    labels, before
        One for each bar.
    after
        Counts of the same bars by method, drawn in the order given.

    Returns
    -------
    str
        As :func:`curves_svg`.
    """
    from matplotlib.ticker import StrMethodFormatter

    with style(name, CHART):
        picture = Picture(name, 374.4, 230.4)
        axes = picture.figure.add_axes((0.12, 0.3, 0.87, 0.67))
        places = range(len(labels))
        axes.bar(places, before, width=0.92, color="#d3dbe4", zorder=2)
        edges = [place - 0.5 for place in range(len(labels) + 1)]
        for method, counts in after.items():
            axes.stairs(counts, edges, baseline=None, zorder=3, **METHODS[method])
        # Every so many labels, so that they do not run into one another.
        step = -(-len(labels) // _MOST_LABELS)
        shown = [_cut(label) for label in labels[::step]]
        stand_ins = [stand_in(label) for label in shown]
        turned = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
        for tick, label in zip(
            axes.set_xticks(places[::step], stand_ins, **turned), shown, strict=True
        ):
            picture.write(tick.label1, label)
        axes.set_xlim(edges[0], edges[-1])
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
        axes.tick_params(axis="x", length=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color="#e5e9ed", linewidth=0.8, zorder=0)
        return picture.svg(title)


def _drawable(curve: Curve) -> list[tuple[float, float]]:
    far = float("inf")
    points = zip(curve.x, curve.y, strict=True)
    return [(x, y) for x, y in points if x < far and SMALLEST < y < far]


def _cut(label: str) -> str:
    """Return a label that fits below a bar."""
    return label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + "…"
