"""The section on the papers: which claims are refuted, by what witness, and how all others stand.

Nothing is run for it. The rows are those of the ledgers, whose evidence the test suite and
``kproof audit --run`` run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kproof.report.context import Context
from kproof.report.ledgers import documents
from kproof.report.page import fragment
from kproof.theory.ledger import Ruling

if TYPE_CHECKING:
    from markupsafe import Markup

FALSE = (Ruling.REFUTED, Ruling.UNSOUND)


def build(context: Context) -> Markup:
    """Return the section as HTML; the data of the context have no part in it."""
    del context
    return fragment("audit.html", papers=documents(), rulings=tuple(Ruling), refuted=FALSE)
