"""What an SVG says and where: its parts by class, their tips, texts, fills and outlines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

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
