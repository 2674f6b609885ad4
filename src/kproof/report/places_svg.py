"""Pictures of places and people as inline SVG, written element by element.

They are small enough to need no plotting library, scale with the page, and tell in titles what a
pointer rests on. Same data, same bytes; colour is never the only cue.
"""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from kproof.models.places.heatmap.release import SectorRelease
    from kproof.models.places.regions import RegionRelease

INK, SOFT, LINE = "#1d2733", "#566270", "#c9d1d9"
HEAT = ("#fdf0d5", "#f9cf94", "#f2a35e", "#dc6b45", "#b23a48", "#6f1d4f")
"""From few to many people by area."""
NOBODY = "#eef0f2"
TARGET, REGION, REST = "#ffd400", "#d62728", "#4c8bd6"
"""Yellow, red and blue, as in the method's own figures."""
MLE, BAS, ALLOWED = "#c2372b", "#1f5fa8", "#dfe6ec"


@dataclass(frozen=True)
class Found:
    """One line of a chart of attacks: shares of 1.

    Attributes
    ----------
    group, name
        Lines of one group follow one another.
    mle, bas
        What the attacks find.
    cap
        What the bound allows.
    """

    group: str
    name: str
    mle: float
    bas: float
    cap: float


def heat_maps(release: SectorRelease) -> tuple[str, str]:
    """Draw the people of a heat map, and the heat map itself, of one place at one scale."""
    from kproof.models.places.heatmap.release import Counted
    from kproof.models.places.heatmap.shapes import frame, shapes

    west, south, east, north = frame(release)
    narrow = math.cos(math.radians((south + north) / 2))
    scale = 420 / ((east - west) * narrow)
    width, height = 420.0, (north - south) * scale

    def spot(lon: NDArray[np.float64], lat: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.column_stack([(lon - west) * narrow, north - lat]) * scale

    dots = [
        _element("circle", cx=x, cy=y, r=1.8, fill=INK, fill_opacity=0.45)
        for x, y in spot(release.points.lon, release.points.lat).tolist()
    ]
    found = shapes(release, split=False)
    corners = spot(found.lon[found.corners[:, 0]], found.lat[found.corners[:, 1]])
    rings: dict[int, list[str]] = {}
    for ring, sector in enumerate(found.rings[:, 0].tolist()):
        inside = corners[found.starts[ring] : found.starts[ring + 1]].tolist()
        around = "L".join(f"{_short(x)} {_short(y)}" for x, y in inside)
        rings.setdefault(sector, []).append(f"M{around}Z")
    whom = "people" if release.counted is Counted.USERS else "locations"
    density = 1e6 * release.densities
    steps = _steps(density[density > 0])
    colours = HEAT[len(HEAT) - len(steps) - 1 :]
    areas = []
    for sector, paths in rings.items():
        people = int(release.counts[sector])
        step = int(np.searchsorted(steps, density[sector], side="right")) if people else -1
        title = f"{people} {whom}, {density[sector]:,.0f} by km²" if people else "nobody"
        areas.append(
            _element(
                "path",
                _title(title),
                d="".join(paths),
                fill=colours[step] if people else NOBODY,
                fill_rule="evenodd",
                stroke="#fff",
                stroke_width=0.8,
            )
        )
    edges = [f"{value:,.0f}" for value in steps]
    box = _element("rect", width=width, height=height, fill="#fff", stroke=LINE)
    counted = release.points.people if whom == "people" else release.points.count
    clear = _text(f"{counted} {whom}", 0, height + 22, fill=SOFT)
    return (
        _svg(width, height + 40, f"Where {whom} are", [box, *dots, clear]),
        _svg(
            width,
            height + 40,
            "The heat map that is published",
            [box, *areas, _scale(edges, colours, height)],
        ),
    )


def region(release: RegionRelease, request: int) -> str:
    """Draw a small city, how many users are at each node, and the region of one request."""
    city = release.city
    assert city.x is not None
    assert city.y is not None
    x, y = np.asarray(city.x), np.asarray(city.y)
    side = 320 / max(float(np.ptp(x)), float(np.ptp(y)))
    at = np.column_stack([50 + (x - x.min()) * side, 38 + (y.max() - y) * side])
    inside = set(release.region(request).tolist())
    target = int(release.targets[request])
    parts = [
        _element("line", x1=a[0], y1=a[1], x2=b[0], y2=b[1], stroke=LINE, stroke_width=3)
        for a, b in at[city.roads.edges].tolist()
    ]
    for node, (across, down) in enumerate(at.tolist()):
        users = int(city.users[node])
        colour = TARGET if node == target else REGION if node in inside else REST
        mark: dict[str, str | float] = {"stroke": INK, "stroke_width": 2} if node == target else {}
        parts.append(
            _element(
                "circle", cx=across, cy=down, r=9 + 2.2 * math.sqrt(users), fill=colour, **mark
            )
        )
        ink = INK if node == target else "#fff"
        parts.append(_middle(str(users), across, down + 4.5, fill=ink, font_weight=600))
    for place, (colour, label) in enumerate(
        ((TARGET, "asks"), (REGION, "published with it"), (REST, "rest of the city"))
    ):
        left = (40, 115, 262)[place]
        parts.append(_element("circle", cx=left, cy=416, r=7, fill=colour, stroke=INK))
        parts.append(_text(label, left + 13, 420))
    return _svg(420, 430, "Users at each crossing, and one published region", parts)


def scatter(points: Iterable[tuple[int, int]], across: str, up: str) -> str:
    """Draw pairs of whole numbers; the area of a dot is how often a pair occurs."""
    spots = Counter(points)
    most = [max((spot[axis] for spot in spots), default=1) for axis in (0, 1)]
    steps = [max(1, math.ceil(one / 5)) for one in most]
    tops = [step * (one // step + 1) for one, step in zip(most, steps, strict=True)]

    def place(value: float, axis: int) -> float:
        share = value / tops[axis]
        return 40 + 370 * share if axis == 0 else 166 - 132 * share

    parts = []
    for value in range(0, tops[1] + 1, steps[1]):
        down = place(value, 1)
        parts.append(_element("line", x1=40, y1=down, x2=410, y2=down, stroke="#e5e9ed"))
        parts.append(_text(str(value), 32, down + 4, fill=SOFT, text_anchor="end"))
    parts += [
        _middle(str(value), place(value, 0), 186, fill=SOFT)
        for value in range(0, tops[0] + 1, steps[0])
    ]
    for (first, second), times in sorted(spots.items()):
        parts.append(
            _element(
                "circle",
                _title(f"{across} {first}, {up} {second}: {times} of the requests"),
                cx=place(first, 0),
                cy=place(second, 1),
                r=4.5 * math.sqrt(times),
                fill=REST,
                fill_opacity=0.75,
                stroke="#fff",
            )
        )
    parts.append(_middle(across, 225, 206))
    parts.append(_text(up, 4, 14))
    return _svg(420, 214, f"{up} against {across}", parts)


def attacks(lines: Sequence[Found], sanity: float, title: str) -> str:
    """Draw what attacks find beside what the bound allows and what guessing in a class gives."""
    left, wide, high, gap = 58, 350, 21, 16
    parts: list[str] = []
    down, group = 8.0, None
    marks: list[str] = []
    for line in lines:
        if line.group != group:
            down += gap if group is not None else 0
            group = line.group
            parts.append(_text(group, 0, down + 14, font_weight=600))
        told = (
            f"{line.group}, level {line.name}: MLE {line.mle:.1%}, BAS {line.bas:.1%}, "
            f"allowed {line.cap:.1%}"
        )
        parts.append(
            _element(
                "rect",
                _title(told),
                x=left,
                y=down + 2,
                width=wide * line.cap,
                height=high - 4,
                fill=ALLOWED,
            )
        )
        parts.append(_text(line.name, left - 8, down + 15, fill=SOFT, text_anchor="end"))
        middle = down + high / 2
        spot = left + wide * line.bas
        marks.append(
            _element("circle", cx=spot, cy=middle, r=6.5, fill="none", stroke=BAS, stroke_width=2)
        )
        marks.append(_element("circle", cx=left + wide * line.mle, cy=middle, r=3.6, fill=MLE))
        down += high
    guess = left + wide * sanity
    parts.append(
        _element(
            "line", x1=guess, y1=4, x2=guess, y2=down + 4, stroke=INK, stroke_dasharray="1.5 3"
        )
    )
    parts += marks
    parts += [
        _middle(f"{share} %", left + wide * share / 100, down + 22, fill=SOFT)
        for share in (0, 25, 50, 75, 100)
    ]
    parts.append(_legend(down + 46))
    return _svg(430, down + 54, title, parts)


def _legend(down: float) -> str:
    words = (("found by MLE", 19), ("found by BAS", 139), ("allowed", 262), ("1/k", 352))
    parts = [
        _element("circle", cx=10, cy=down - 4, r=3.6, fill=MLE),
        _element("circle", cx=126, cy=down - 4, r=6.5, fill="none", stroke=BAS, stroke_width=2),
        _element("rect", x=238, y=down - 12, width=16, height=16, fill=ALLOWED),
        _element(
            "line", x1=343, y1=down - 12, x2=343, y2=down + 4, stroke=INK, stroke_dasharray="1.5 3"
        ),
    ]
    parts += [_text(word, x, down) for word, x in words]
    return "".join(parts)


def _steps(values: NDArray[np.float64]) -> list[float]:
    """Return at most five limits, rounded to one digit, between about as many values each."""
    inner = np.quantile(values, np.linspace(0, 1, len(HEAT) + 1)[1:-1])
    powers = 10.0 ** np.floor(np.log10(inner))
    limits: list[float] = np.unique(np.round(inner / powers) * powers).tolist()
    return limits


def _scale(edges: Sequence[str], colours: Sequence[str], height: float) -> str:
    boxes = [
        _element("rect", x=60 * place, y=height + 10, width=60, height=8, fill=colour)
        for place, colour in enumerate(colours)
    ]
    words = [
        _middle(edge, 60 * place, height + 34, fill=SOFT) for place, edge in enumerate(edges, 1)
    ]
    unit = _text("by km²", 60 * len(colours) + 8, height + 19, fill=SOFT)
    return "".join([*boxes, *words, unit])


def _text(text: str, x: float, y: float, **style: str | float) -> str:
    given: dict[str, str | float] = {"fill": INK, "font_size": 13, **style}
    return _element("text", html.escape(text), x=x, y=y, **given)


def _middle(text: str, x: float, y: float, **style: str | float) -> str:
    return _text(text, x, y, text_anchor="middle", **style)


def _title(text: str) -> str:
    return _element("title", html.escape(text))


def _svg(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    opening = f'<svg viewBox="0 0 {_short(width)} {_short(height)}" role="img"'
    return f'{opening} aria-label="{html.escape(title)}">\n' + "\n".join(parts) + "\n</svg>"


def _element(tag: str, inside: str = "", /, **attributes: str | float) -> str:
    words = [tag]
    for name, value in attributes.items():
        written = html.escape(value) if isinstance(value, str) else _short(value)
        words.append(f'{name.replace("_", "-")}="{written}"')
    return f"<{' '.join(words)}>{inside}</{tag}>"


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
