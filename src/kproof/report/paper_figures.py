"""Figures 2 to 5 of the bounds paper, drawn: as their captions set them, and with data that exist.

``write_figures`` writes one SVG and one PNG for each figure and ``captions.md``. The same version
writes the same bytes. A caption says what is drawn, which of the paper's settings no data can have,
and why.
"""

from __future__ import annotations

import re
from functools import cache
from math import floor, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kproof.outputs import write_folder
from kproof.pictures import CHART, as_png, as_svg, style
from kproof.theory.papers.figure_settings import objection
from kproof.theory.papers.figures import (
    SETTINGS,
    SIZES,
    Abscissa,
    CertifiedPoints,
    Curve,
    CurveOrigin,
    Panel,
    printed,
)
from kproof.theory.papers.figures_possible import possible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

FIGURES = ("2", "3", "4", "5")
"""The numbers of the figures."""

SAMPLES = 72
"""Points at which a formula is evaluated, every one certified."""

_SHADES = dict(zip(SIZES, ("#e58a5f", "#c2372b", "#5b0f1d"), strict=True))
_POSSIBLE: dict[tuple[CurveOrigin, bool], dict[str, Any]] = {
    (CurveOrigin.PRINTED, False): {
        "label": "as printed",
        "color": "#c2372b",
        "linestyle": (0, (1, 1.3)),
        "linewidth": 1.9,
    },
    (CurveOrigin.CORRECTED, False): {"label": "corrected", "color": "#0f7b5f", "linewidth": 1.6},
    (CurveOrigin.CORRECTED, True): {
        "label": "corrected, 10⁸ times as many",
        "color": "#0f7b5f",
        "linestyle": (0, (5, 1.5)),
        "linewidth": 1.6,
    },
    (CurveOrigin.EXACT, False): {
        "label": "exact",
        "color": "#1d2733",
        "linewidth": 0.8,
        "marker": "o",
        "markersize": 2.6,
        "clip_on": False,
    },
}
_IMPOSSIBLE = (0, (4, 2))

_AXES = {
    Abscissa.SHIFT: "shift s",
    Abscissa.SIZE: "k",
    Abscissa.DEPENDENT: "λ₁",
    Abscissa.NEIGHBOURHOOD: "group size D",
    Abscissa.KNOWN: "known share λ₂",
    Abscissa.EPSILON: "ε",
}
_QUANTITIES = {"epsilon": "ε", "delta": "δ"}

NOTES = {
    "2a": "“ε increases with s”: it does",
    "2b": "“δ increases with s”: here it does",
    "2c": "“a larger ε”: constant at first",
    "3a": "“δ increases”: the formula does",
    "3b": "“δ increases”: the formula does",
    "3c": "“ε increases with s”: it does",
    "4a": "“δ increases with λ₂”: it falls",
    "4b": "“ε decreases with λ₂”: because V = 10λ₂ grows",
    "5a": "“turns in the band”: if n suits",
    "5b": "“δ increases”: the formula does",
    "5c": "“ε decreases”: because σ² grows",
}
"""What the text says of each panel, and what is so."""

_TURN = {"5a": (0.2, 0.3)}
"""Between these ends the text has the curve turn."""


def write_figures(folder: str | Path) -> tuple[Path, ...]:
    """Draw the figures and write them, with their captions, into a folder.

    Everything is drawn before the first file is written; the folder is made if need be. The files
    are ``figure-2.svg``, ``figure-2.png``, ..., ``captions.md``.
    """
    files: dict[str, str | bytes] = {}
    for number in FIGURES:
        files[f"figure-{number}.svg"], files[f"figure-{number}.png"] = draw(number)
    return write_folder(folder, files | {"captions.md": captions()})


@cache
def captions() -> str:
    """Return the captions of all figures as Markdown."""
    page = Path(__file__).with_name("templates") / "captions.md"
    return page.read_text(encoding="utf-8")


def title_of(number: str) -> str:
    """Return what a screen reader says of a figure, which opens its caption."""
    [title] = re.findall(rf"!\[(.+)\]\(figure-{number}.svg\)", captions())
    return str(title)


def draw(number: str) -> tuple[bytes, bytes]:
    """Draw one of :data:`FIGURES`; return it as SVG and as PNG."""
    from matplotlib.figure import Figure

    names = [name for name in SETTINGS if name.startswith(number)]
    with style(f"figure-{number}", {**CHART, "font.size": 8, "axes.titlesize": 8}):
        figure = Figure(figsize=(7.16, 4.6))
        grid = figure.subplots(2, len(names), squeeze=False)
        for column, name in enumerate(names):
            _plot_as_set(grid[0][column], printed(name))
            _plot_possible(grid[1][column], possible(name))
        _row(figure, 0.975, "as the captions set it", _sizes())
        _row(figure, 0.44, "with data that exist", _kinds(many=number in "35"))
        figure.subplots_adjust(
            left=0.075, right=0.985, top=0.855, bottom=0.085, wspace=0.33, hspace=0.76
        )
        return as_svg(figure, title_of(number)).encode(), as_png(figure, dpi=220)


def _plot_as_set(axes: Axes, panel: Panel) -> None:
    for curve in panel.curves:
        if isinstance(curve, Curve):
            middle = (curve.lower + curve.upper) / 2
            doubtful = objection(panel.name, curve.n, middle)
            axes.plot(
                *_sample_curve(curve),
                color=_SHADES[curve.n],
                linewidth=1.6,
                linestyle=_IMPOSSIBLE if doubtful else "-",
            )
    if panel.name in _TURN:
        axes.axvspan(*_TURN[panel.name], color="#dfe5ec", zorder=0)
    _frame(axes, panel)
    quantity, across = _QUANTITIES[panel.quantity], _AXES[panel.axis]
    axes.set_title(f"({panel.name[1]}) {quantity} against {across}", loc="left", pad=16)
    axes.annotate(
        NOTES[panel.name],
        (0, 1),
        xycoords="axes fraction",
        xytext=(0, 6),
        textcoords="offset points",
        fontsize=7,
        color="#5b6773",
    )


def _plot_possible(axes: Axes, panel: Panel) -> None:
    fewest = min(curve.n for curve in panel.curves)
    for curve in panel.curves:
        style = _POSSIBLE[curve.kind, curve.n > fewest]
        axes.plot(*(_sample_curve(curve) if isinstance(curve, Curve) else _floats(curve)), **style)
    _frame(axes, panel)
    axes.set_title(f"({panel.name[1]})", loc="left")
    if panel.quantity == "delta" and axes.get_ylim()[1] > 1:
        axes.axhspan(1, axes.get_ylim()[1], color="#f1f3f5", zorder=0)


def _frame(axes: Axes, panel: Panel) -> None:
    from matplotlib.ticker import NullLocator

    if panel.quantity == "delta":
        axes.set_yscale("log")
        axes.yaxis.set_minor_locator(NullLocator())
        low, high = axes.get_ylim()
        # Whole powers of ten, so that the axis begins and ends at a tick with a label.
        axes.set_ylim(10.0 ** floor(log10(low)), 10.0 ** -floor(log10(1 / high)))
    else:
        axes.set_ylim(bottom=0)
    axes.set_xlabel(_AXES[panel.axis])
    axes.set_ylabel(_QUANTITIES[panel.quantity], rotation=0, labelpad=6)
    axes.grid(axis="y", color="#e5e9ed", linewidth=0.6)
    axes.margins(x=0.02)


def _row(figure: Figure, height: float, heading: str, handles: list[Line2D]) -> None:
    """Write a heading with the legend of its row beside it."""
    figure.text(0.012, height, heading, fontweight="bold", va="center")
    figure.legend(
        handles=handles,
        loc="center right",
        bbox_to_anchor=(1, height),
        ncols=len(handles),
        borderpad=0,
        handlelength=2.4,
        columnspacing=1.4,
        fontsize=7.5,
    )


def _sizes() -> list[Line2D]:
    from matplotlib.lines import Line2D

    sizes = [Line2D([], [], color=c, linewidth=1.6, label=f"n = {n:,}") for n, c in _SHADES.items()]
    dashes: dict[str, Any] = {"color": "#5b6773", "linestyle": _IMPOSSIBLE, "linewidth": 1.6}
    return [*sizes, Line2D([], [], label="no such data exist", **dashes)]


def _kinds(*, many: bool) -> list[Line2D]:
    from matplotlib.lines import Line2D

    return [Line2D([], [], **style) for key, style in _POSSIBLE.items() if many or not key[1]]


def _sample_curve(curve: Curve) -> tuple[list[float], list[float]]:
    step = (curve.upper - curve.lower) / SAMPLES
    places = [curve.lower + step * j for j in range(SAMPLES + 1)]
    return [float(x) for x in places], [float(curve.at(x)) for x in places]


def _floats(points: CertifiedPoints) -> tuple[list[float], list[float]]:
    return [float(x) for x, _ in points.values], [float(y) for _, y in points.values]
