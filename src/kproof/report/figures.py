"""Curves and bars as inline SVG.

Same data, same bytes; text stays text, colours are not the only cue.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, log10
from typing import Any

from kproof.models.tables.plots import BAR, draw_bars
from kproof.pictures import CHART, Picture, style
from kproof.report.findings import power_of_ten

SMALLEST = 1e-300
"""Values below this are not drawn: the axis is logarithmic."""


@dataclass(frozen=True, slots=True)
class PlottedCurve:
    """One line of a figure."""

    kind: str
    """``exact``, the name of a reading or of another bound; decides colour and dashes, the same
    across the page."""
    x: tuple[float, ...]
    y: tuple[float, ...]
    """Same length; points with ``y <= SMALLEST`` are left out."""

    @property
    def drawable(self) -> list[tuple[float, float]]:
        """The points that can be drawn."""
        points = zip(self.x, self.y, strict=True)
        return [(x, y) for x, y in points if x < inf and SMALLEST < y < inf]


_LEAST_SPAN = 100
"""Top over bottom of the axis, at least; a narrower one has too few powers of ten to read."""

Look = Mapping[str, Any]
"""Colour, width and dashes of a line, as matplotlib takes them; dashes are counted in widths."""

STYLES: Mapping[str, Look] = {
    "exact": {"color": "#1d2733", "linewidth": 2.8, "zorder": 2},
    "printed": {"color": "#b3261e", "linewidth": 2.0, "zorder": 5, "linestyle": (0, (1, 1.4))},
    "derived": {"color": "#c47a06", "linewidth": 2.0, "zorder": 4, "linestyle": (0, (5, 3))},
    "corrected": {"color": "#0f7b5f", "linewidth": 2.0, "zorder": 3, "linestyle": (0, (9, 3))},
    "blocks": {"color": "#1f5fa8", "linewidth": 2.0, "zorder": 3, "linestyle": (0, (9, 2, 2, 2))},
}
"""Line styles by kind of curve."""


def _line(color: str, *dashes: float) -> Look:
    dashed = {"linestyle": (0, dashes)} if dashes else {}
    return {"color": color, "linewidth": 1.9, **dashed}


LINES: Mapping[str, Look] = {
    "mondrian": _line("#1f5fa8"),
    "theta-sensitive": _line("#0f7b5f", 5, 1.6),
    "p-plus-sensitive": _line("#c85ab4", 5, 1.5, 1, 1.5),
    "p-alpha-sensitive": _line("#7c0f2b", 5, 1.5, 1, 1.5, 1, 1.5),
    "full-domain": _line("#1d2733", 10, 2.5),
    "kaca": _line("#b8720a", 1.4, 1.2),
}
"""Line styles by method."""

OTHER = _line("#5b6470", 2.5, 2.5)
"""The line of a method or a bound that has no style of its own."""


def look_of(kind: str) -> Look:
    """Return the style of a kind of curve."""
    return STYLES.get(kind, OTHER)


def key_svg(look: Look) -> str:
    """Return a piece of a line for a legend: drawn from the look that the chart draws it with.

    >>> "stroke-dasharray" in key_svg(LINES["kaca"]), "stroke-dasharray" in key_svg(STYLES["exact"])
    (True, False)
    """
    width = look["linewidth"]
    _, dashes = look.get("linestyle", (0, ()))
    dashed = " ".join(f"{width * length:.2f}".rstrip("0").rstrip(".") for length in dashes)
    array = f' stroke-dasharray="{dashed}"' if dashes else ""
    line = f'd="M1 4H47" fill="none" stroke="{look["color"]}" stroke-width="{width}"{array}'
    return f'<svg viewBox="0 0 48 8" aria-hidden="true"><path {line}/></svg>'


def bar_key_svg() -> str:
    """Return a piece of a bar for a legend."""
    bar = f'd="M1 1H47V7H1Z" fill="{BAR["color"]}" stroke="{BAR["edgecolor"]}"'
    return f'<svg viewBox="0 0 48 8" aria-hidden="true"><path {bar}/></svg>'


def curves_svg(
    name: str, title: str, curves: Sequence[PlottedCurve], *, x_label: str, y_label: str
) -> str:
    """Draw curves with a logarithmic y axis, in the order given, as an ``<svg>`` that scales.

    The name is unique in the page, as ids inside are derived from it; the title is what a screen
    reader says. Empty if no curve has a point to draw.
    """
    drawable = [(curve, points) for curve in curves if (points := curve.drawable)]
    if not drawable:
        return ""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    with style(name, CHART):
        picture = Picture(name, 374.4, 230.4)
        # Room for every label, the last one of an axis too, which stands half beyond its end.
        picture.figure.set_layout_engine("constrained")
        axes = picture.figure.add_subplot()
        for curve, points in drawable:
            # A line through one point has no length, and would not be seen.
            marker = "o" if len(points) == 1 else None
            axes.plot(*zip(*points, strict=True), marker=marker, **look_of(curve.kind))
        axes.set_yscale("log")
        # As plain text: a formula would be cut into single glyphs.
        axes.yaxis.set_major_formatter(FuncFormatter(_power))
        axes.yaxis.set_minor_formatter(NullFormatter())
        low, high = axes.get_ylim()
        axes.set_ylim(min(low, high / _LEAST_SPAN), high)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label, rotation=0, ha="right", va="center", labelpad=6)
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
        picture, _ = draw_bars(name, labels, before, stairs)
        return picture.svg(title)


def _power(y: float, _: object) -> str:
    """Name a power of ten; a tick below every float is at 0 and has no name."""
    return power_of_ten(round(log10(y))) if y > 0 else ""
