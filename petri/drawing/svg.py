"""A layered graph as a picture: circles, boxes, words, and arcs with heads, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import hypot, sqrt
from typing import Any

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Patch
from matplotlib.path import Path
from matplotlib.textpath import text_to_path
from scipy.interpolate import PchipInterpolator

from kproof.petri.drawing.layered import Arc, Extent, Layout
from kproof.petri.drawing.wording import shorten
from kproof.pictures import Picture, stand_in

Point = tuple[float, float]

INK, SOFT = "#1d2733", "#566270"
_MARGIN = 14.0
_BAR = 3.5
_ROW = 20.0
_HEAD = ",head_length=7,head_width=2.8"
_TIP = 600
ON_PAPER = "@media print { svg:root { min-width: 0 !important; width: 100%; height: 100% } }"
"""Makes a file fit the page it is printed on; inside an HTML page the root is another element."""

_FONTS: dict[str, tuple[float, dict[str, Any]]] = {
    # height of a line, and its look
    "n": (17.0, {"size": 13, "weight": "bold", "color": INK}),
    "s": (14.0, {"size": 11, "color": SOFT}),
    "m": (14.0, {"size": 11, "family": "monospace", "color": INK}),
    "c": (12.0, {"size": 10, "color": INK}),
}


@dataclass(frozen=True)
class Line:
    """A line of text."""

    text: str
    """What is shown."""
    kind: str
    """``n`` for names, ``s`` for what is said softly, ``m`` for terms, ``c`` for numbers."""

    @classmethod
    def cut(cls, text: str, kind: str, longest: int) -> Line:
        """Return a line of at most so many characters."""
        return cls(shorten(" ".join(text.split()), longest), kind)

    @property
    def width(self) -> float:
        """Room it takes."""
        return _width(stand_in(self.text), self.kind)


@cache
def _width(text: str, kind: str) -> float:
    font = FontProperties(**{key: of for key, of in _FONTS[kind][1].items() if key != "color"})
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


def box_of(lines: Sequence[Line], *, padding: float) -> Extent:
    """Return the room of some lines around their middle."""
    half = max((line.width for line in lines), default=0.0) / 2 + padding
    return Extent(half, half, sum(_FONTS[line.kind][0] for line in lines) + 1.2 * padding)


class Shapes(Picture):
    """A drawing in the making; a node whose radius is None is a box, others are circles."""

    def __init__(
        self,
        layout: Layout,
        boxes: Sequence[Extent],
        radii: Sequence[float | None],
        arcs: Sequence[Arc],
    ) -> None:
        super().__init__("net", 1, 1)
        self._layout = layout
        self._boxes = boxes
        self._radii = radii
        self._arcs = arcs
        self._axes = self.figure.add_axes((0, 0, 1, 1))
        self._axes.axis("off")
        self._width, self._height = layout.width, layout.height
        self._ports = self._spread()

    def add(self, shape: Patch, kind: str, tip: str = "") -> None:
        """Draw a shape of some kind; the tip is what a browser shows of it."""
        self._axes.add_artist(shape).set_clip_on(False)
        self.tell(shape, kind, " ".join(shorten(tip, _TIP).split()))

    def circle(self, node: int, kind: str, tip: str = "", **look: Any) -> None:
        """Draw the circle of a node, or one around its middle."""
        defaults: dict[str, Any] = {"radius": self._radii[node], "lw": 1.5, "fc": "w", "zorder": 3}
        self.add(Circle(self._layout.nodes[node], **defaults | look), kind, tip)

    def rectangle(self, node: int, kind: str, tip: str) -> None:
        """Draw the box of a node."""
        (x, y), box = self._layout.nodes[node], self._boxes[node]
        look: dict[str, Any] = {"fc": "#eef2f6", "ec": INK, "lw": 1.4, "zorder": 3}
        look["boxstyle"] = "round,pad=0,rounding_size=3"
        corner = x - box.left, y - box.height / 2
        self.add(FancyBboxPatch(corner, box.left + box.right, box.height, **look), kind, tip)

    def arc(
        self, number: int, label: Sequence[Line], tip: str, *, heads: str = "-|>", **look: Any
    ) -> None:
        """Draw an arc of the layout along its route.

        ``<|-|>`` has two heads, ``-`` none, and ``-o`` the small circle of an inhibitor arc.
        """
        arc, route = self._arcs[number], self._layout.routes[number]
        if arc.source == arc.target:
            path = self._loop(arc.source)
        else:
            path = _curve([self._ports[number, False], *route, self._ports[number, True]])
        defaults: dict[str, Any] = {
            "color": SOFT,
            "lw": 1.2,
            "joinstyle": "miter",
            "mutation_scale": 1,
            "zorder": 1,
        }
        defaults["arrowstyle"] = heads + _HEAD if ">" in heads else "-"
        if heads == "-o":
            (x, y), (u, v) = self._ports[number, True], (route or [self._ports[number, False]])[-1]
            # At most the whole way, and no division by zero where both ends are in one spot.
            share = _BAR / max(hypot(u - x, v - y), _BAR)
            middle = x + share * (u - x), y + share * (v - y)
            self.add(Circle(middle, _BAR, fc="w", ec=SOFT, lw=1.2, zorder=2), "bar")
        self.add(FancyArrowPatch(path=path, **defaults | look), "arc", tip)
        if arc.label is not None and route:
            self.text(label, route[len(route) // 2], covering=True)

    def text(
        self, lines: Sequence[Line], at: Point, *, left: bool = False, covering: bool = False
    ) -> None:
        """Write lines around a point, or to the right of it, perhaps covering what is behind."""
        common: dict[str, Any] = {"ha": "left" if left else "center", "va": "center_baseline"}
        common |= {"zorder": 2 if covering else 4, "clip_on": False}
        if covering:
            common["bbox"] = {"fc": "w", "ec": "none", "boxstyle": "square,pad=0.2"}
        y = at[1] - sum(_FONTS[line.kind][0] for line in lines) / 2
        for line in lines:
            high, look = _FONTS[line.kind]
            self.write(self._axes.text(at[0], y + high / 2, "", **common | look), line.text)
            y += high

    def legend(self, entries: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Write below the drawing what lines mean: name and look."""
        x, y = 0.0, self._height + 1.5 * _ROW
        widest = max(self._width, 600.0)
        for name, look in entries:
            line = Line.cut(name, "s", 60)
            if x and x + 34 + line.width > widest:
                x, y = 0.0, y + _ROW
            self._axes.plot([x, x + 26], [y, y], clip_on=False, **{"lw": 2, **look})
            self.text((line,), (x + 32, y), left=True)
            self._width = max(self._width, x + 32 + line.width)
            x += 32 + line.width + 18
        self._height = y + _ROW / 2

    def to_svg(self, title: str) -> str:
        """Return the drawing as an element; its title is what a screen reader says."""
        wide, high = self._width + 2 * _MARGIN, self._height + 2 * _MARGIN
        self.figure.set_size_inches(wide / 72, high / 72)
        self._axes.set(xlim=(-_MARGIN, wide - _MARGIN), ylim=(high - _MARGIN, -_MARGIN))
        return self.svg(
            title,
            rules=ON_PAPER,
            width=f"{wide:.1f}",
            height=f"{high:.1f}",
            # Where there is less room than for three quarters of it, one has to scroll, not guess.
            style=f"min-width:{0.75 * wide:.1f}px",
        )

    def _spread(self) -> dict[tuple[int, bool], Point]:
        """Return where each arc touches its source (False) and its target (True).

        Arcs that leave a node on one side do so beside each other, in the order of where they go.
        """
        sides: dict[tuple[int, bool], list[tuple[float, int, bool]]] = {}
        layout = self._layout
        for number, arc in enumerate(self._arcs):
            if arc.source == arc.target:
                continue
            ends = (layout.nodes[arc.source], layout.nodes[arc.target])
            points = [ends[0], *layout.routes[number], ends[1]]
            for node, neighbour, is_target in (
                (arc.source, points[1], False),
                (arc.target, points[-2], True),
            ):
                below = neighbour[1] > layout.nodes[node][1]
                sides.setdefault((node, below), []).append((neighbour[0], number, is_target))
        ports = {}
        for (node, below), touching in sides.items():
            x, y = layout.nodes[node]
            radius, box = self._radii[node], self._boxes[node]
            reach = 0.8 * box.right if radius is None else 0.75 * radius
            gap = min(2 * reach / len(touching), 26.0)
            for rank, (_, number, is_target) in enumerate(sorted(touching)):
                # Less than `reach`, hence than the radius, so that the root below is of a positive
                # number.
                aside = (rank - (len(touching) - 1) / 2) * gap
                away = box.height / 2 if radius is None else sqrt(radius**2 - aside**2)
                ports[number, is_target] = (x + aside, y + away if below else y - away)
        return ports

    def _loop(self, node: int) -> Path:
        """Return the path of a loop at the right of a circle."""
        x, y = self._layout.nodes[node]
        radius = self._radii[node] or self._boxes[node].right
        aside, high = 0.6 * radius, 0.8 * radius
        bow, far = x + 3 * aside, 2.6 * high
        return _bezier((x + aside, y + high), (bow, y + far), (bow, y - far), (x + aside, y - high))


def _curve(points: Sequence[Point]) -> Path:
    """Return a smooth path through points, vertical at its ends."""
    if len(points) == 3 and (points[1][1] > points[0][1]) == (points[1][1] > points[2][1]):
        # There and back again: one bow that comes near the point between.
        (x, y), (_, low), (far, end) = points
        return _bezier((x, y), (x, low), (far, low), (far, end))
    # The other curves go one way only, as PCHIP needs it; it overshoots no point, where a plain
    # spline would swing into the nodes beside.
    x, y = np.transpose(points)
    down = 1 if y[-1] > y[0] else -1
    slopes = PchipInterpolator(down * y, x).derivative()(down * y)
    slopes[[0, -1]] = 0
    third = np.diff(y) / 3
    after = np.column_stack([x[:-1] + down * slopes[:-1] * third, y[:-1] + third])
    before = np.column_stack([x[1:] - down * slopes[1:] * third, y[1:] - third])
    corners = np.stack([after, before, np.column_stack([x[1:], y[1:]])], axis=1)
    return _bezier(points[0], *corners.reshape(-1, 2).tolist())


def _bezier(*corners: Sequence[float]) -> Path:
    return Path(corners, [Path.MOVETO] + [Path.CURVE4] * (len(corners) - 1))
