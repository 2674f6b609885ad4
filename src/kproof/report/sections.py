"""The report: the list of its sections, and the page that they make.

A new section is a function from :class:`~kproof.report.context.Context` to a
:class:`~kproof.report.context.BuiltSection`, in a module of its own, and one line in
:func:`sections`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kproof.forms import ABSENT, JsonForm
from kproof.outputs import write_folder
from kproof.report.context import BuiltSection, Context, Section, fragment
from kproof.report.ledgers import documents
from kproof.stages import stage
from kproof.theory.ledger import Ruling
from kproof.version import __version__
from kproof.waiting import show_stages

if TYPE_CHECKING:
    from kproof.datasets import TextTable
    from kproof.report.bounds import BoundsResults
    from kproof.report.decision import PublicationDecision
    from kproof.report.nets import NetsResults
    from kproof.report.places import PlacesResults
    from kproof.report.tables import TableResults
    from kproof.theory.ledger import Claim

FILE_NAME = "report.html"

USUAL = ("decision", "table", "bounds", "nets")
"""The sections that are shown unless others are asked for."""

DATA_NAME = "report.json"

SCHEMA = 2
"""Version of the JSON form."""


@dataclass(frozen=True, slots=True)
class SectionResults:
    """Results by section; only those that were asked for."""

    decision: PublicationDecision | None = ABSENT
    """The first page; None if nobody asked about one table."""
    table: TableResults | None = ABSENT
    """The table and its releases; None if it has no roles."""
    bounds: BoundsResults = ABSENT
    nets: NetsResults = ABSENT
    places: PlacesResults = ABSENT
    audit: Mapping[str, tuple[Claim, ...]] = ABSENT
    """Claims by document."""

    to_dict = JsonForm("decision~ table~ bounds~ nets~ places~ audit~")


@dataclass(frozen=True, slots=True)
class ReportResults:
    """What the report shows."""

    version: str
    """Version of kproof."""
    tables: tuple[TextTable, ...]
    """What was read; empty in the edition for readers."""
    sections: SectionResults
    report: str | None = None
    """The page; only in what the command prints."""

    to_dict = JsonForm("version tables sections report?", schema=SCHEMA)


@show_stages
def write_report(
    context: Context, folder: str | Path, names: Collection[str] | None = None
) -> tuple[Path, ReportResults]:
    """Build the named sections, by default all, and write ``report.html`` and ``report.json``.

    Both are written or none is, so that an error leaves an earlier report as it was. Returns the
    page, and the results as in ``report.json``, whose form :func:`kproof.json_schema` has.
    """
    parts = build_sections(
        context, (section for section in sections() if names is None or section.id in names)
    )
    by_section: dict[str, Any] = {section.id: part.results for section, part in parts.items()}
    results = ReportResults(__version__, _named_tables(context), SectionResults(**by_section))
    document = {"schema": SCHEMA, "document": "report"} | results.to_dict()
    # NaN and Infinity are Python's own: other readers of JSON refuse the whole file for them.
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    files: dict[str, str | bytes] = {FILE_NAME: render(context, parts), DATA_NAME: f"{text}\n"}
    return write_folder(folder, files)[0], results


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
    return fragment("page.html", sections=listed, named=_named_tables(context))


def _named_tables(context: Context) -> tuple[TextTable, ...]:
    """Return the tables that are named: what readers are sent says nothing of any source."""
    sent = context.decision is not None and context.decision.sent
    return () if sent else context.tables


FALSE = (Ruling.REFUTED, Ruling.UNSOUND)


def papers(_: Context) -> BuiltSection:
    """Return the section on the papers: which claims are refuted, by what witness, and the rest.

    Nothing is run for it: the test suite and ``kproof audit --run`` run the evidence.
    """
    ledgers = documents()
    page = fragment("audit.html", papers=ledgers, rulings=tuple(Ruling), refuted=FALSE)
    return BuiltSection(page, {paper.key: paper.ledger.claims for paper in ledgers})


def ids() -> tuple[str, ...]:
    """Return what sections are called, in the order of the page."""
    return tuple(section.id for section in sections())


def sections() -> tuple[Section, ...]:
    """Return the sections in the order of the page."""
    # Whatever they show is computed by modules that take long to import.
    from kproof.report import bounds, first_page, nets, places, tables

    return (
        Section("decision", "The decision", first_page.build),
        Section("table", "Your table", tables.build),
        Section("bounds", "Bounds for your data", bounds.build),
        Section("nets", "Every run of the θ-sensitive publisher", nets.build),
        Section("places", "Places and people", places.build),
        Section("audit", "What the papers claim", papers),
    )
