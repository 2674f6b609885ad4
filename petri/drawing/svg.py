"""Shapes of a layered drawing as SVG text: circles, boxes, words, arcs with heads."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

from kproof.petri.drawing.layered import Arc, Box, Layout
from kproof.petri.drawing.wording import shortened
from kproof.petri.pnml.vocabulary import printable

Point = tuple[float, float]

_INK, _SOFT = "#1d2733", "#566270"
_MARGIN = 14.0
_ROW = 20.0
_HEAD = 8.0
_SANS = 'system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",Arial,sans-serif'
_MONO = 'ui-monospace,"DejaVu Sans Mono","Liberation Mono",Menlo,Consolas,monospace'
_KINDS = {
    # size, width of a character by the size with room to spare, line height, look
    "n": (13, 0.61, 17.0, f"font-family='{_SANS}' font-weight='600'"),
    "s": (11, 0.57, 14.0, f"font-family='{_SANS}' fill='{_SOFT}'"),
    "m": (11, 0.61, 14.0, f"font-family='{_MONO}'"),
    "c": (10, 0.6, 12.0, f"font-family='{_SANS}' text-anchor='middle'"),
}


@dataclass(frozen=True)
class Line:
    """A line of text.

    Attributes
    ----------
    text
        What is shown.
    kind
        ``n`` for names, ``s`` for what is said softly, ``m`` for terms, ``c`` for centred numbers.
    """

    text: str
    kind: str

    @classmethod
    def cut(cls, text: str, kind: str, longest: int) -> Line:
        """Return a line of at most so many characters."""
        return cls(shortened(" ".join(text.split()), longest), kind)

    @property
    def width(self) -> float:
        """Room it takes."""
        size, wide, _, _ = _KINDS[self.kind]
        return len(self.text) * size * wide


@dataclass(frozen=True)
class Strand:
    """How an arc looks.

    Attributes
    ----------
    heads
        Whether there is one at its start and one at its end.
    colour, dashes
        Of its line; no dashes for a whole one.
    tip
        What a browser shows of it.
    """

    heads: tuple[bool, bool] = (False, True)
    colour: str = _SOFT
    dashes: str = ""
    tip: str = ""


def box_of(lines: Sequence[Line], *, padding: float) -> Box:
    """Return the room of some lines around their middle."""
    half = max((line.width for line in lines), default=0.0) / 2 + padding
    return Box(half, half, sum(_KINDS[line.kind][2] for line in lines) + 1.2 * padding)


class Shapes:
    """A drawing in the making.

    Parameters
    ----------
    layout
        Where everything is.
    boxes
        Room of each node.
    radii
        Of each node: its radius, or None for a box.
    arcs
        Those of the layout.
    """

    def __init__(
        self,
        layout: Layout,
        boxes: Sequence[Box],
        radii: Sequence[float | None],
        arcs: Sequence[Arc],
    ) -> None:
        self._layout = layout
        self._boxes = boxes
        self._radii = radii
        self._arcs = arcs
        self._shapes: list[str] = []
        self._width, self._height = layout.width, layout.height
        self._ports = self._spread()

    def arc(self, number: int, strand: Strand) -> None:
        """Draw an arc of the layout along its route."""
        arc = self._arcs[number]
        if arc.source == arc.target:
            path, heads = self._loop(arc.source)
        else:
            points = [
                self._ports[number, False],
                *self._layout.routes[number],
                self._ports[number, True],
            ]
            path, heads = _curve(points), (_head(*points[:2]), _head(*points[:-3:-1]))
        dashes = f" stroke-dasharray='{strand.dashes}'" if strand.dashes else ""
        look = f"fill='none' stroke='{strand.colour}' stroke-width='1.2'{dashes}"
        drawn = "".join(
            f"<path d='{head}' fill='{strand.colour}'/>"
            for head, there in zip(heads, strand.heads, strict=True)
            if there
        )
        self._add(f"<path d='{path}' {look}/>{drawn}", strand.tip)

    def circle(
        self,
        middle: Point,
        radius: float,
        *,
        fill: str,
        colour: str = "none",
        dashes: str = "",
        tip: str = "",
    ) -> None:
        """Draw a circle."""
        x, y = middle
        dashed = f" stroke-dasharray='{dashes}'" if dashes else ""
        self._add(
            f"<circle cx='{_n(x)}' cy='{_n(y)}' r='{_n(radius)}' fill='{fill}' stroke='{colour}' "
            f"stroke-width='1.5'{dashed}/>",
            tip,
        )

    def rectangle(self, middle: Point, box: Box, *, tip: str = "") -> None:
        """Draw the box of a node."""
        x, y = middle[0] - box.left, middle[1] - box.height / 2
        self._add(
            f"<rect x='{_n(x)}' y='{_n(y)}' width='{_n(box.left + box.right)}' "
            f"height='{_n(box.height)}' rx='3' fill='#eef2f6' stroke='{_INK}' stroke-width='1.4'/>",
            tip,
        )

    def text(
        self, lines: Sequence[Line], at: Point, *, left: bool = False, covering: bool = False
    ) -> None:
        """Write lines around a point in the middle, or to the right of one at their left.

        Parameters
        ----------
        lines, at
            What and where.
        left
            Whether the point is at their left.
        covering
            Whether what is behind them is covered.
        """
        x, y = at
        height = sum(_KINDS[line.kind][2] for line in lines)
        wide = max(line.width for line in lines)
        if covering:
            begin = x if left else x - wide / 2
            self._shapes.append(
                f"<rect x='{_n(begin - 2)}' y='{_n(y - height / 2)}' "
                f"width='{_n(wide + 4)}' height='{_n(height)}' fill='#ffffff'/>"
            )
        top = y - height / 2
        for line in lines:
            size, _, high, look = _KINDS[line.kind]
            anchor = "" if left or line.kind == "c" else " text-anchor='middle'"
            base = top + high / 2 + 0.36 * size
            self._shapes.append(
                f"<text x='{_n(x)}' y='{_n(base)}' font-size='{size}' {look}{anchor}>"
                f"{html.escape(printable(line.text))}</text>"
            )
            top += high

    def legend(self, entries: Sequence[tuple[str, str, str]]) -> None:
        """Write below the drawing what lines mean: name, colour, dashes."""
        x, y = 0.0, self._height + 1.5 * _ROW
        widest = max(self._width, 600.0)
        for name, colour, dashes in entries:
            line = Line.cut(name, "s", 60)
            if x and x + 34 + line.width > widest:
                x, y = 0.0, y + _ROW
            dashed = f" stroke-dasharray='{dashes}'" if dashes else ""
            self._shapes.append(
                f"<path d='M{_n(x)},{_n(y)}h26' stroke='{colour}' stroke-width='2'{dashed}/>"
            )
            self.text((line,), (x + 32, y), left=True)
            self._width = max(self._width, x + 32 + line.width)
            x += 32 + line.width + 18
        self._height = y + _ROW / 2

    def svg(self, title: str) -> str:
        """Return the drawing as an element; its title is what a screen reader says."""
        label = html.escape(" ".join(printable(title).split()))
        wide, high = _n(self._width + 2 * _MARGIN), _n(self._height + 2 * _MARGIN)
        # Where there is less room than for three quarters of it, one has to scroll, not to guess.
        least = _n(0.75 * (self._width + 2 * _MARGIN))
        body = "\n".join(self._shapes)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{_n(-_MARGIN)} {_n(-_MARGIN)} '
            f'{wide} {high}" width="{wide}" height="{high}" role="img" aria-label="{label}" '
            f'fill="{_INK}" style="min-width:{least}px">\n<rect x="{_n(-_MARGIN)}" '
            f'y="{_n(-_MARGIN)}" width="{wide}" height="{high}" fill="#ffffff"/>\n{body}\n</svg>\n'
        )

    def _add(self, shape: str, tip: str) -> None:
        if tip:
            told = html.escape(" ".join(printable(shortened(tip, _TIP)).split()))
            shape = f"<g><title>{told}</title>{shape}</g>"
        self._shapes.append(shape)

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
            for node, there, is_target in (
                (arc.source, points[1], False),
                (arc.target, points[-2], True),
            ):
                below = there[1] > layout.nodes[node][1]
                sides.setdefault((node, below), []).append((there[0], number, is_target))
        ports = {}
        for (node, below), found in sides.items():
            x, y = layout.nodes[node]
            radius, box = self._radii[node], self._boxes[node]
            reach = 0.8 * box.right if radius is None else 0.75 * radius
            gap = min(2 * reach / len(found), 26.0)
            for at, (_, number, is_target) in enumerate(sorted(found)):
                aside = (at - (len(found) - 1) / 2) * gap
                away = box.height / 2 if radius is None else sqrt(radius**2 - aside**2)
                ports[number, is_target] = (x + aside, y + away if below else y - away)
        return ports

    def _loop(self, node: int) -> tuple[str, tuple[str, str]]:
        """Return the path of a loop at the right of a circle, and its heads."""
        x, y = self._layout.nodes[node]
        aside = 0.6 * (self._radii[node] or self._boxes[node].right)
        high = sqrt(max((self._radii[node] or 0.0) ** 2 - aside**2, 0.0))
        start, end = (x + aside, y + high), (x + aside, y - high)
        bow = (x + 2.6 * aside, y)
        path = (
            f"M{_p(start)}C{_p((bow[0], y + 2.2 * high))} {_p((bow[0], y - 2.2 * high))} {_p(end)}"
        )
        return path, (_head(start, (start[0], y + 99)), _head(end, (end[0], y - 99)))


_TIP = 600


def _curve(points: Sequence[Point]) -> str:
    """Return a smooth path through points, vertical at its ends."""
    if len(points) == 3 and (points[1][1] > points[0][1]) == (points[1][1] > points[2][1]):
        # There and back again: one bow that comes near the point between.
        (x, y), (_, low), (far, end) = points
        return f"M{_p((x, y))}C{_p((x, low))} {_p((far, low))} {_p((far, end))}"
    slopes = [
        0.0,
        *(_slope(*around) for around in zip(points, points[1:], points[2:], strict=False)),
        0.0,
    ]
    path = f"M{_p(points[0])}"
    for (start, out), (stop, into) in pairwise(zip(points, slopes, strict=True)):
        third = (stop[1] - start[1]) / 3
        leaving = (start[0] + out * third, start[1] + third)
        coming = (stop[0] - into * third, stop[1] - third)
        path += f"C{_p(leaving)} {_p(coming)} {_p(stop)}"
    return path


def _slope(before: Point, at: Point, after: Point) -> float:
    """Return dx/dy in a point such that the path does not overshoot: Fritsch and Butland's."""
    one = (at[0] - before[0]) / (at[1] - before[1])
    other = (after[0] - at[0]) / (after[1] - at[1])
    return 2 * one * other / (one + other) if one * other > 0 else 0.0


def _head(at: Point, coming: Point) -> str:
    """Return an arrowhead that touches a point, for a line that comes to it vertically."""
    away = _HEAD if coming[1] > at[1] else -_HEAD
    return f"M{_p(at)}l{_n(-_HEAD / 2.4)},{_n(away)}h{_n(_HEAD / 1.2)}z"


def _p(point: Point) -> str:
    return f"{_n(point[0])},{_n(point[1])}"


def _n(number: float) -> str:
    return f"{number:.1f}".rstrip("0").rstrip(".") if abs(number) >= 0.05 else "0"
