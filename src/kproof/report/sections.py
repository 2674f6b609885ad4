"""The report: the list of its sections, and the page that they make.

A new section is a function from :class:`~kproof.report.context.Context` to an HTML fragment in a
module of its own, and one line in :func:`sections`.
"""

from __future__ import annotations

from pathlib import Path

from kproof.outputs import write_folder
from kproof.report.context import Context, Section
from kproof.report.page import render

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


def sections() -> tuple[Section, ...]:
    """Return the sections in the order of the page."""
    # Whatever they show is computed by modules that take long to import.
    from kproof.report import audit, bounds, nets, places, tables

    return (
        Section("table", "Your table", tables.build),
        Section("bounds", "Bounds for your data", bounds.build),
        Section("nets", "Every run of the θ-sensitive publisher", nets.build),
        Section("places", "Places and people", places.build),
        Section("audit", "What the papers claim", audit.build),
    )
