"""The page as a whole: sections put into one HTML file that needs nothing but itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kproof import __version__
from kproof.outputs import write_folder
from kproof.pages import filled
from kproof.report.sections import Context, Section, sections

if TYPE_CHECKING:
    from markupsafe import Markup

FILE_NAME = "report.html"


def write_report(context: Context, folder: str | Path) -> Path:
    """Build every section and write the page.

    The page is written whole or not at all, so that an error leaves an earlier page as it was.

    Parameters
    ----------
    context
        Data and settings.
    folder
        Where ``report.html`` goes; made if it is not there.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    DataError
        If the folder cannot be made or written to, or a named column is not numeric.
    """
    (path,) = write_folder(folder, {FILE_NAME: render(context, sections())})
    return path


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
