"""The section on the papers: which claims are refuted, by what witness, and how all others stand.

Nothing is run for it. The rows are those of the ledgers, whose evidence the test suite and
``kproof audit --run`` run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kproof.report.context import Context
from kproof.report.ledgers import Document, documents
from kproof.report.page import fragment
from kproof.theory.ledger import Claim, Ruling

if TYPE_CHECKING:
    from markupsafe import Markup

FALSE = (Ruling.REFUTED, Ruling.UNSOUND)


def build(context: Context) -> Markup:
    """Return the section as HTML; the data of the context have no part in it."""
    del context
    papers = documents()
    return fragment(
        "audit.html",
        papers=papers,
        rulings=tuple(Ruling),
        count=_count,
        wrong=_wrong,
    )


def _count(document: Document, ruling: Ruling) -> int:
    return document.ledger.rulings.get(ruling, 0)


def _wrong(document: Document) -> list[Claim]:
    return [claim for claim in document.ledger.claims if claim.ruling in FALSE]
