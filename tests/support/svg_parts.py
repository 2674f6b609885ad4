"""What an SVG says and where: its parts by class, their tips, texts, fills and outlines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from xml.etree import ElementTree as ET

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath
from numpy.typing import NDArray

from kproof.pictures import stand_in

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"

Point = tuple[float, float]


def parts(root: ET.Element, *kinds: str) -> list[ET.Element]:
    """The groups of some classes."""
    return [one for one in root.iter(f"{SVG}g") if one.get("class") in kinds]


def texts(root: ET.Element) -> list[str]:
    return [one.text or "" for one in root.iter(f"{SVG}text")]


def tips(root: ET.Element) -> list[str]:
    return [one.text or "" for one in root.iter(f"{SVG}title")]


def styles(part: ET.Element) -> Iterator[dict[str, str]]:
    """How the paths of a part look."""
    for one in [*part.iter(f"{SVG}path"), *part.iter(f"{SVG}use")]:
        yield dict(entry.split(": ", 1) for entry in (one.get("style") or "").split("; ") if entry)


def fill(part: ET.Element) -> str:
    """With what a part is filled that is a single shape."""
    (found,) = {look["fill"] for look in styles(part) if "fill" in look}
    return found


def outline(path: ET.Element) -> list[Point]:
    """The points of a path, those that bend its curves among them."""
    numbers = [float(one) for one in re.findall(r"-?[\d.]+", path.get("d", ""))]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def box(path: ET.Element) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a path."""
    xs, ys = zip(*outline(path), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def spots(part: ET.Element) -> list[Point]:
    """Where markers are."""
    if uses := list(part.iter(f"{SVG}use")):
        return [(float(one.get("x", "")), float(one.get("y", ""))) for one in uses]
    # Those of different sizes are paths of their own.
    around = [box(path) for path in part.iter(f"{SVG}path")]
    return [((left + right) / 2, (top + bottom) / 2) for left, top, right, bottom in around]


def radius(root: ET.Element, part: ET.Element) -> float:
    """The radius of the markers of a part."""
    (name,) = {one.get(LINK, "").removeprefix("#") for one in part.iter(f"{SVG}use")}
    (marker,) = (one for one in root.iter(f"{SVG}path") if one.get("id") == name)
    left, _, right, _ = box(marker)
    return (right - left) / 2


@dataclass(frozen=True)
class Label:
    """A text of a drawing and the corners of the box around its glyphs."""

    text: str
    corners: NDArray[np.float64]

    def within(self, root: ET.Element) -> bool:
        """Whether all of it is inside the drawing."""
        left, top, width, height = map(float, (root.get("viewBox") or "").split())
        low, high = self.corners.min(axis=0), self.corners.max(axis=0)
        return bool((low >= (left, top)).all() and (high <= (left + width, top + height)).all())

    def meets(self, other: Label) -> bool:
        """Whether two boxes overlap: no side of either has all of the other beyond it."""
        for one in (self.corners, other.corners):
            for side in (one[1] - one[0], one[3] - one[0]):
                mine, others = self.corners @ side, other.corners @ side
                if mine.max() <= others.min() or others.max() <= mine.min():
                    return False
        return True


def labels(root: ET.Element) -> list[Label]:
    """The texts of a drawing of matplotlib, each with its box in DejaVu Sans, a wide font."""
    return [_label(one) for one in root.iter(f"{SVG}text") if (one.text or "").strip()]


def crossing(root: ET.Element) -> list[tuple[str, ...]]:
    """Labels that are not whole: cut at the border, or pairs that run into one another."""
    found = labels(root)
    cut: list[tuple[str, ...]] = [(one.text,) for one in found if not one.within(root)]
    return cut + [(one.text, two.text) for one, two in combinations(found, 2) if one.meets(two)]


def _label(element: ET.Element) -> Label:
    look = dict(one.split(": ", 1) for one in (element.get("style") or "").split("; "))
    size = re.search(r"([\d.]+)px", look.get("font-size") or look["font"])
    assert size is not None
    bold = re.search(r"\b(bold|[6-9]00)\b", element.get("style") or "") is not None
    font = FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal")
    text = element.text or ""
    around = TextPath((0, 0), stand_in(text), size=float(size[1]), prop=font).get_extents()
    share = {"middle": 0.5, "end": 1.0}.get(look.get("text-anchor", "start"), 0.0)
    left, right = around.x0 - share * around.width, around.x1 - share * around.width
    # Upwards in fonts, downwards in drawings.
    corners = np.array(
        [(left, -around.y0), (right, -around.y0), (right, -around.y1), (left, -around.y1)]
    )
    corners = corners + np.array([float(element.get("x", 0)), float(element.get("y", 0))])
    for name, values in reversed(_STEP.findall(element.get("transform") or "")):
        numbers = [float(one) for one in re.findall(r"-?[\d.]+", values)]
        if name == "translate":
            corners = corners + numbers
            continue
        angle, centre = np.radians(numbers[0]), np.array(numbers[1:] or (0, 0))
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        corners = (corners - centre) @ turn + centre
    return Label(text, corners)


_STEP = re.compile(r"(translate|rotate)\(([^)]*)\)")
