"""Pictures of places and people as inline SVG.

They scale with the page, and tell in titles what a pointer rests on. Same data, same bytes; colour
is never the only cue.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kproof.models.places.heatmap.release import Counted
from kproof.models.places.heatmap.shapes import frame, shapes
from kproof.pictures import CHART, Picture, style
from kproof.report.findings import of_crowd

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from kproof.models.places.heatmap.release import SectorRelease

INK, SOFT, LINE = "#1d2733", "#566270", "#c9d1d9"
HEAT = ("#fdf0d5", "#f9cf94", "#f2a35e", "#dc6b45", "#b23a48", "#6f1d4f")
"""From few to many people by area."""
NOBODY = "#eef0f2"
MLE, BAS, ALLOWED = "#c2372b", "#1f5fa8", "#dfe6ec"

_WIDE = 420
_LOOK = {**CHART, "font.size": 13, "axes.labelsize": 13, "axes.titlesize": 13}


@dataclass(frozen=True)
class Row:
    """One technique at one level: FU by attack, and what the bound allows, as shares of 1."""

    technique: str
    level: str
    """What is attacked, and by whom."""
    mle: float
    bas: float
    """Means over what the adversary may have drawn."""
    cap: float
    """The same of what the bound allows."""
    telling: int
    classes: int
    """Number of classes about which the bound says something, and of all, over these draws."""


@dataclass(frozen=True)
class MapDrawing:
    """A drawing with what it shows, in a sentence."""

    finding: str
    svg: str


def heat_maps(release: SectorRelease) -> tuple[MapDrawing, MapDrawing]:
    """Draw the people of a heat map, and the heat map itself, of one place at one scale."""
    by_user = release.counted is Counted.USERS
    whom = "people" if by_user else "locations"
    crowd, sectors = of_crowd(release.counts, release.densities, whom)
    with style("heat-people", _LOOK):
        picture, axes = _map("heat-people", release)
        axes.scatter(release.points.lon, release.points.lat, s=10, color=INK, alpha=0.45, lw=0)
        count = release.points.people if by_user else release.points.count
        axes.set_xlabel(f"{count} {whom}", loc="left")
        people = MapDrawing(crowd, picture.svg(f"{crowd}. Map of where {whom} are"))
    with style("heat-sectors", _LOOK):
        picture, axes = _map("heat-sectors", release)
        _sectors(picture, axes, release, whom)
        return people, MapDrawing(
            sectors, picture.svg(f"{sectors}. The heat map that is published")
        )


def _map(name: str, release: SectorRelease) -> tuple[Picture, Axes]:
    """Return a picture with axes for what is shown first of a heat map, and room below."""
    west, south, east, north = frame(release)
    # A degree of longitude is shorter than one of latitude by this factor.
    narrow = np.cos(np.radians((south + north) / 2))
    high = _WIDE * (north - south) / ((east - west) * narrow)
    picture = Picture(name, _WIDE, high + 40, _LOOK)
    axes = picture.figure.add_axes((0, 40 / (high + 40), 1, high / (high + 40)))
    axes.set(xlim=(west, east), ylim=(south, north), xticks=[], yticks=[])
    axes.spines[:].set(visible=True, color=LINE)
    return picture, axes


def _sectors(picture: Picture, axes: Axes, release: SectorRelease, whom: str) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm, ListedColormap
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    density = 1e6 * release.densities
    limits = _limits(density[density > 0])
    # With fewer steps the lightest colours go: the densest sector is always the darkest.
    colours = HEAT[len(HEAT) - len(limits) - 1 :]
    outlines = shapes(release, split=False)
    corners = np.column_stack(
        [outlines.lon[outlines.corners[:, 0]], outlines.lat[outlines.corners[:, 1]]]
    )
    rings: dict[int, list[Path]] = {}
    for ring, sector in enumerate(outlines.rings[:, 0].tolist()):
        outline = corners[outlines.starts[ring] : outlines.starts[ring + 1]]
        rings.setdefault(sector, []).append(Path([*outline, outline[0]], closed=True))
    for sector, paths in rings.items():
        people = int(release.counts[sector])
        # To the right, as BoundaryNorm does it: a density at a limit has the colour above it in the
        # key, too.
        step = int(np.searchsorted(limits, density[sector], side="right"))
        colour = colours[step] if people else NOBODY
        area = PathPatch(Path.make_compound_path(*paths), facecolor=colour, edgecolor="w", lw=0.8)
        axes.add_patch(area)
        tip = f"{people} {whom}, {density[sector]:,.0f} by km²" if people else "nobody"
        picture.tell(area, "sector", tip)
    edges = [0, *limits, limits[-1] + 1]
    scale = ScalarMappable(BoundaryNorm(edges, len(colours)), ListedColormap(colours))
    beside = axes.inset_axes((0, -0.05, 0.1 * len(colours), 0.025))
    bar = picture.figure.colorbar(
        scale, beside, orientation="horizontal", spacing="uniform", format="{x:,.0f}", ticks=limits
    )
    bar.outline.set_visible(False)
    beside.tick_params(length=0)
    beside.annotate("by km²", (1.03, 0), xycoords="axes fraction", color=SOFT)


def attacks(lines: Sequence[Row], sanity: float, title: str) -> str:
    """Draw what attacks find beside what the bound allows and what guessing in a class gives."""
    from matplotlib.ticker import PercentFormatter

    groups = list(dict.fromkeys(line.technique for line in lines))
    # A gap stands before each group.
    rows = np.array(
        [position + 0.8 * groups.index(line.technique) for position, line in enumerate(lines)]
    )
    high = 21 * (rows[-1] + 1)
    with style(f"attacks {title}", _LOOK):
        picture = Picture(f"attacks {title}", 430, high + 62, _LOOK)
        axes = picture.figure.add_axes((0.14, 54 / (high + 62), 0.81, high / (high + 62)))
        allowed = axes.barh(rows, [line.cap for line in lines], 0.8, color=ALLOWED, label="allowed")
        for bar, line in zip(allowed, lines, strict=True):
            label = (
                f"{line.technique}, level {line.level}: MLE {line.mle:.1%}, BAS {line.bas:.1%}, "
                f"allowed {line.cap:.1%}"
            )
            picture.tell(bar, "allowed", label)
        guess = axes.axvline(sanity, color=INK, ls=":", lw=1, label="1/k")
        ring: dict[str, Any] = {
            "s": 150,
            "facecolor": "none",
            "edgecolor": BAS,
            "linewidth": 2,
            "clip_on": False,
        }
        bas = axes.scatter([x.bas for x in lines], rows, label="found by BAS", zorder=3, **ring)
        dot: dict[str, Any] = {"s": 52, "color": MLE, "linewidth": 0, "clip_on": False}
        mle = axes.scatter([x.mle for x in lines], rows, label="found by MLE", zorder=3, **dot)
        picture.tell(bas, "bas", "")
        picture.tell(mle, "mle", "")
        axes.set(xlim=(0, 1), ylim=(rows[-1] + 0.6, -0.6))
        axes.set_yticks(rows, [line.level for line in lines])
        for group in groups:
            first = rows[[line.technique for line in lines].index(group)]
            axes.text(-0.16, first, group, va="center", weight="bold", color=INK)
        axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        picture.figure.legend(
            handles=[mle, bas, allowed, guess],
            loc="lower center",
            ncols=4,
            handlelength=1.2,
            columnspacing=1.4,
        )
        return picture.svg(title)


def _limits(values: NDArray[np.float64]) -> list[float]:
    """Return at most five limits, rounded to one digit, between about as many values each."""
    inner = np.quantile(values, np.linspace(0, 1, len(HEAT) + 1)[1:-1])
    powers = 10.0 ** np.floor(np.log10(inner))
    # Rounding may make two limits equal, and between them there would be a colour of no sector.
    limits: list[float] = np.unique(np.round(inner / powers) * powers).tolist()
    return limits
