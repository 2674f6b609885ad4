"""Pages of the report with chosen sections, and what stands in them."""

import html
import re
from collections.abc import Iterable
from html.parser import HTMLParser

from kproof.report.context import Context, Section
from kproof.report.sections import build_sections, render

VOID = {"meta", "link", "br", "img", "input", "hr"}
"""Elements that nothing closes."""


def page_with(context: Context, sections: Iterable[Section]) -> str:
    """Return the page with these sections."""
    # A plain text: what is put into markup would be escaped.
    return str(render(context, build_sections(context, sections)))


class Page(HTMLParser):
    """Collects tags, ids and links, and checks that every element is closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what it has."""
        self.tags.append(tag)
        values = dict(attrs)
        self.ids += [values["id"] or ""] if "id" in values else []
        self.links += [values[name] or "" for name in ("src", "href") if name in values]
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take it for one that is closed."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        """Check that it closes what was opened last."""
        assert self._open.pop() == tag


def visible_text(page: str) -> str:
    """Return what a reader sees but for pictures, on one line."""
    body = re.sub(r"<(style|svg).*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())
