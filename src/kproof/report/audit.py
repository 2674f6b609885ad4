"""The section on the papers: which claims are refuted, by what witness, and how all others stand.

Nothing is run for it. The rows are those of the ledgers, whose evidence the test suite and
``kproof audit --run`` run.
"""

from __future__ import annotations

from kproof.report.context import BuiltSection, Context
from kproof.report.ledgers import documents
from kproof.report.page import fragment
from kproof.theory.ledger import Ruling

FALSE = (Ruling.REFUTED, Ruling.UNSOUND)


def build(_: Context) -> BuiltSection:
    """Return the section; the data of the context have no part in it."""
    papers = documents()
    page = fragment("audit.html", papers=papers, rulings=tuple(Ruling), refuted=FALSE)
    return BuiltSection(page, {paper.key: paper.ledger.claims for paper in papers})
