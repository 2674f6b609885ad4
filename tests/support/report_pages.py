"""Pages of the report with chosen sections."""

from collections.abc import Iterable

from kproof.report.context import Context, Section
from kproof.report.sections import build_sections, render


def page_with(context: Context, sections: Iterable[Section]) -> str:
    """Return the page with these sections."""
    # A plain text: what is put into markup would be escaped.
    return str(render(context, build_sections(context, sections)))
