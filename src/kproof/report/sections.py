"""The report: the list of its sections, and the page that they make.

A new section is a function from :class:`~kproof.report.context.Context` to an HTML fragment in a
module of its own, and one line in :func:`sections`.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from kproof.outputs import write_folder
from kproof.report.context import Context, Section
from kproof.report.page import render
from kproof.waiting import telling

FILE_NAME = "report.html"


USUAL = ("decision", "table", "bounds", "nets")
"""The sections that are shown unless others are asked for."""

DATA_NAME = "report.json"


@telling
def write_report(
    context: Context, folder: str | Path, names: Collection[str] | None = None
) -> Path:
    """Build sections and write the page.

    The page is written whole or not at all, so that an error leaves an earlier page as it was.

    Parameters
    ----------
    context
        Data and settings.
    folder
        Where ``report.html`` goes; made if it is not there. With a decision its figures are
        written beside it, as ``report.json``.
    names
        The sections that are shown, in the order of :func:`sections`; None for all.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    DataError
        If the folder cannot be made or written to, or a named column is not numeric.
    """
    parts = tuple(one for one in sections() if names is None or one.id in names)
    files: dict[str, str | bytes] = {FILE_NAME: render(context, parts)}
    if context.decision is not None:
        document = context.decision.to_dict()
        files[DATA_NAME] = f"{json.dumps(document, indent=2, ensure_ascii=False)}\n"
    return write_folder(folder, files)[0]


def ids() -> tuple[str, ...]:
    """Return what sections are called, in the order of the page."""
    return tuple(one.id for one in sections())


def sections() -> tuple[Section, ...]:
    """Return the sections in the order of the page."""
    # Whatever they show is computed by modules that take long to import.
    from kproof.report import audit, bounds, first_page, nets, places, tables

    return (
        Section("decision", "The decision", first_page.build),
        Section("table", "Your table", tables.build),
        Section("bounds", "Bounds for your data", bounds.build),
        Section("nets", "Every run of the θ-sensitive publisher", nets.build),
        Section("places", "Places and people", places.build),
        Section("audit", "What the papers claim", audit.build),
    )
