"""The page as a whole: sections put into one HTML file that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kproof import __version__
from kproof.pages import fill
from kproof.report.context import BuiltSection, Context, Section
from kproof.stages import stage

if TYPE_CHECKING:
    from markupsafe import Markup


def build_sections(context: Context, sections: Iterable[Section]) -> dict[Section, BuiltSection]:
    """Compute sections, each of them once."""
    parts = {}
    for section in sections:
        with stage(f"the page: {section.title}"):
            parts[section] = section.build(context)
    return parts


def render(context: Context, parts: Mapping[Section, BuiltSection]) -> str:
    """Return the page with sections that were built."""
    listed = [
        {"id": section.id, "title": section.title, "body": part.body}
        for section, part in parts.items()
        if part.body
    ]
    # What readers are sent says nothing of the file that the release was made of.
    sent = context.decision is not None and context.decision.sent
    tables = () if sent else context.tables
    return fragment("page.html", sections=listed, named=tables, version=__version__)


def fragment(template: str, **values: object) -> Markup:
    """Fill a template; every value is escaped unless it is markup already."""
    return fill("kproof.report", template, **values)
