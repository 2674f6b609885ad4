"""The page as a whole: sections put into one HTML file that needs nothing but itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kproof import __version__
from kproof.pages import filled
from kproof.report.context import Context, Section
from kproof.stages import stage

if TYPE_CHECKING:
    from markupsafe import Markup


def render(context: Context, parts: tuple[Section, ...]) -> str:
    """Return the page with the given sections."""
    built = [
        {"id": section.id, "title": section.title, "body": body}
        for section in parts
        if (body := _built(section, context))
    ]
    # What readers are sent says nothing of the file that the release was made of.
    sent = context.decision is not None and context.decision.sent
    named = () if sent else context.tables
    return fragment("page.html", sections=built, named=named, version=__version__)


def _built(section: Section, context: Context) -> str:
    with stage(f"the page: {section.title}"):
        return section.build(context)


def fragment(template: str, **values: object) -> Markup:
    """Fill a template; every value is escaped unless it is markup already."""
    return filled("kproof.report", template, **values)
