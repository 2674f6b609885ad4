"""The ledger of tables by regions: every row's evidence is run, and the docs show the rows."""

from __future__ import annotations

import doctest
import os
from pathlib import Path

import pytest

from kproof.models.papers.claims import REGIONS
from kproof.theory.ledger import Claim

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("claim", REGIONS.claims, ids=lambda claim: claim.id)
def test_the_evidence_holds(claim: Claim) -> None:
    assert claim.evidence
    for one in claim.evidence:
        example = doctest.DocTestParser().get_doctest(one.example, {}, claim.id, None, None)
        told: list[str] = []
        failed, tried = doctest.DocTestRunner().run(example, out=told.append)
        assert (failed, tried) == (0, len(one.imports) + 1), "".join(told)


def test_the_docs_show_the_ledger() -> None:
    page = ROOT / "docs" / "models" / "regions.md"
    text = page.read_text(encoding="utf-8")
    head, _, _ = text.partition("| id |")
    now = head + REGIONS.to_markdown()
    if os.environ.get("KPROOF_UPDATE_SNAPSHOTS"):
        page.write_text(now, encoding="utf-8")
    else:
        assert now == text
