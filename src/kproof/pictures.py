"""Figures of matplotlib as SVG and PNG: the same data, the same bytes, and text that stays text.

Inside a page, an element of a figure can have a tip, which a browser shows and a screen reader
reads.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width
from xml.etree import ElementTree as ET

from kproof.outputs import write_text

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure
    from matplotlib.text import Text

_SVG, _LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_FONT = "system-ui, 'DejaVu Sans', 'Liberation Sans', Arial, sans-serif"
_GEOMETRY = ("d", "x", "y", "width", "height", "transform")

CHART: Mapping[str, Any] = {
    "font.size": 11,
    "axes.edgecolor": "#8a94a0",
    "axes.labelcolor": "#3b4754",
    "xtick.color": "#5b6773",
    "ytick.color": "#5b6773",
}
"""Settings of matplotlib for charts in soft colours."""


@contextmanager
def style(name: str, settings: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Draw what follows in one style, whatever the user's own settings of matplotlib are.

    The name is unique in the page: ids inside the SVG are derived from it.
    """
    import matplotlib as mpl

    own: dict[Any, Any] = {
        # Without it matplotlib draws the ids of elements at random.
        "svg.hashsalt": name,
        "svg.fonttype": "none",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        **(settings or {}),
    }
    with mpl.rc_context():
        # A user's own settings would change the bytes of a figure from one machine to the next.
        mpl.rcdefaults()
        mpl.rcParams.update(own)
        yield


class Picture:
    """A figure in the making, sized in pixels, that knows what its elements say."""

    def __init__(
        self, name: str, width: float, height: float, settings: Mapping[str, Any] = CHART
    ) -> None:
        from matplotlib.figure import Figure

        self._style = name, settings
        # At 72 dots per inch a point of matplotlib is a pixel of the page.
        self.figure: Figure = Figure(figsize=(width / 72, height / 72), dpi=72)
        self._tips: dict[str, tuple[str, str]] = {}
        self._texts: dict[str, str] = {}

    def tell(self, artist: Artist, kind: str, tip: str = "") -> None:
        """Give an element its kind, the ``class`` in the SVG, and a tip if it is not empty."""
        self._tips[name := f"tip-{len(self._tips)}"] = kind, tip
        artist.set_gid(name)

    def write(self, artist: Text, text: str) -> None:
        """Give a text element its text, which may have characters that no font here has."""
        self._texts[name := f"text-{len(self._texts)}"] = text
        artist.set_text(stand_in(text))
        artist.set_gid(name)

    def png(self) -> bytes:
        """Return the figure as :func:`as_png` does."""
        with style(*self._style):
            return as_png(self.figure)

    def svg(self, title: str, *, rules: str = "", **attributes: str) -> str:
        """Return the figure as an ``<svg>`` element that scales with what holds it.

        The title is what a screen reader says; rules are style rules of its own.
        """
        with style(*self._style):
            root = ET.fromstring(as_svg(self.figure))
        # Every figure would repeat who made it and how lines join.
        for repeated in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}defs[{{{_SVG}}}style]"):
            for element in root.findall(repeated):
                root.remove(element)
        for element in root.iter():
            element.tail = "\n"
            for name, value in element.attrib.items():
                if name in _GEOMETRY:
                    element.set(name, " ".join(_NUMBER.sub(_round_match, value).split()))
                elif name == "style":
                    # The font is that of the whole drawing.
                    element.set(name, re.sub(r"font-family: [^;]*sans-serif; ", "", value))
            if element.tag == f"{{{_SVG}}}g":
                element.text = None
                self._say(element, element.attrib.pop("id", ""))
        # Without a size of its own the element takes that of what holds it, and `viewBox` the
        # proportions.
        for name in ("width", "height", "version"):
            del root.attrib[name]
        label = " ".join(title.translate(_NO_XML).split())
        root.attrib |= {"font-family": _FONT, "role": "img", "aria-label": label, **attributes}
        if rules:
            sheet = ET.Element(f"{{{_SVG}}}style")
            sheet.text = rules
            root.insert(0, sheet)
        # Otherwise elements are called `ns0:svg`, which is no SVG to a reader of HTML.
        ET.register_namespace("", _SVG)
        ET.register_namespace("xlink", _LINK)
        return ET.tostring(root, encoding="unicode")

    def _say(self, group: ET.Element, name: str) -> None:
        """Give the group of an element what it says."""
        kind, tip = self._tips.get(name, ("", ""))
        if kind:
            group.set("class", kind)
        if tip:
            title = ET.Element(f"{{{_SVG}}}title")
            title.text = tip.translate(_NO_XML)
            group.insert(0, title)
        if name in self._texts:
            (element,) = group.iter(f"{{{_SVG}}}text")
            element.text = self._texts[name].translate(_NO_XML)


class Drawing:
    """A picture as an ``<svg>`` element, which a notebook shows."""

    def __init__(self, svg: str) -> None:
        self.svg = str(svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        title = re.search('aria-label="([^"]*)"|<title[^>]*>([^<]*)', self.svg)
        return f"Drawing({next(filter(None, title.groups()), '') if title else ''})"

    def save(self, path: str | Path) -> None:
        """Write it to a file, whole or not at all."""
        write_text(path, self.svg)


def as_svg(figure: Figure, title: str | None = None) -> str:
    """Return a figure as an SVG document."""
    buffer = io.StringIO()
    metadata = {} if title is None else {"Title": title}
    # With a date no two files would be alike.
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, **metadata})
    return buffer.getvalue()


def as_png(figure: Figure, *, dpi: int = 120) -> bytes:
    """Return a figure as a PNG image."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
    return buffer.getvalue()


def stand_in(text: str) -> str:
    """Return a text about as wide, of characters that every font has and no formula begins with.

    matplotlib warns of glyphs that its own font lacks. It needs them only to measure: the text is
    drawn by whoever shows the SVG.
    """
    return "".join(
        sign if sign in _MEASURED else "W" if east_asian_width(sign) in "WF" else "n"
        for sign in text
    )


_MEASURED = frozenset(map(chr, range(32, 127))) - {"$"}
# XML 1.0 cannot write these at all, not even as references.
_NO_XML = dict.fromkeys(
    [*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF], "\ufffd"
)
_NUMBER = re.compile(r"\d+\.\d{3,}")


def _round_match(match: re.Match[str]) -> str:
    return f"{float(match[0]):.2f}".rstrip("0").rstrip(".")
