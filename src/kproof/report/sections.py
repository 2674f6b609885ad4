"""The report: the list of its sections, and the page that they make.

A new section is a function from :class:`~kproof.report.context.Context` to a
:class:`~kproof.report.context.BuiltSection`, in a module of its own, and one line in
:func:`sections`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path

from kproof import __version__
from kproof.outputs import write_folder
from kproof.report.context import BuiltSection, Context, Section
from kproof.report.page import built, render
from kproof.waiting import telling

FILE_NAME = "report.html"


USUAL = ("decision", "table", "bounds", "nets")
"""The sections that are shown unless others are asked for."""

DATA_NAME = "report.json"

SCHEMA = 2
"""Version of the JSON form."""


@telling
def write_report(
    context: Context, folder: str | Path, names: Collection[str] | None = None
) -> tuple[Path, dict[str, object]]:
    """Build sections, and write the page and its results.

    Both are written or none is, so that an error leaves an earlier report as it was.

    Parameters
    ----------
    context
        Data and settings.
    folder
        Where ``report.html`` and ``report.json`` go; made if it is not there.
    names
        The sections that are shown, in the order of :func:`sections`; None for all.

    Returns
    -------
    Path
        The page.
    dict
        The results, as in ``report.json``: :func:`kproof.json_schema` has their form.

    Raises
    ------
    DataError
        If the folder cannot be made or written to, or a named column is not numeric.
    """
    parts = built(context, (one for one in sections() if names is None or one.id in names))
    document = _document(context, parts)
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    files: dict[str, str | bytes] = {FILE_NAME: render(context, parts), DATA_NAME: f"{text}\n"}
    return write_folder(folder, files)[0], document


def _document(context: Context, parts: Mapping[Section, BuiltSection]) -> dict[str, object]:
    """Return all results; what readers are sent names no file that the release was made of."""
    sent = context.decision is not None and context.decision.sent
    return {
        "schema": SCHEMA,
        "document": "report",
        "version": __version__,
        "tables": [
            {"source": table.source, "rows": len(table.lines), "columns": list(table.names)}
            for table in (() if sent else context.tables)
        ],
        "sections": {section.id: part.results for section, part in parts.items()},
    }


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
