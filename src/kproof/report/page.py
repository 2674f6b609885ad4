"""The page as a whole: sections put into one HTML file that needs nothing but itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kproof import __version__
from kproof.pages import filled
from kproof.report.context import Context, Section

if TYPE_CHECKING:
    from markupsafe import Markup


def render(context: Context, parts: tuple[Section, ...]) -> str:
    """Return the page with the given sections."""
    built = [
        {"id": section.id, "title": section.title, "body": section.build(context)}
        for section in parts
    ]
    return fragment("page.html", sections=built, tables=context.tables, version=__version__)


def fragment(template: str, **values: object) -> Markup:
    """Fill a template; every value is escaped unless it is markup already."""
    return filled("kproof.report", template, **values)
