"""The ledger of the θ paper: every row's evidence is run as a doctest, from the checkout's root."""

from __future__ import annotations

import doctest
import json
import os
from pathlib import Path

import pytest

from kproof.models.papers.claims import THETA_PAPER
from kproof.theory.ledger import Claim, Ruling

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("claim", THETA_PAPER.claims, ids=lambda claim: claim.id)
def test_the_evidence_holds(claim: Claim) -> None:
    assert claim.evidence
    for one in claim.evidence:
        example = doctest.DocTestParser().get_doctest(one.example, {}, claim.id, None, None)
        told: list[str] = []
        failed, tried = doctest.DocTestRunner().run(example, out=told.append)
        assert (failed, tried) == (0, len(one.imports) + 1), "".join(told)


def test_the_ledger_is_whole() -> None:
    assert [claim.id for claim in THETA_PAPER.claims] == [
        f"T{number}" for number in range(1, len(THETA_PAPER.claims) + 1)
    ]
    assert sum(THETA_PAPER.rulings.values()) == len(THETA_PAPER.claims)
    for claim in THETA_PAPER.claims:
        assert claim.place
        assert claim.statement
        assert claim.corrected.endswith((".", "?"))


def test_the_json_form_is_what_a_reader_is_told() -> None:
    document = json.loads(THETA_PAPER.to_json())
    assert document["schema"] == 1
    first = document["claims"][0]
    names = {"id", "place", "statement", "verdict", "evidence", "kernel", "corrected", "theorems"}
    assert set(first) == names
    assert {row["verdict"] for row in document["claims"]} <= {str(one) for one in Ruling}


def test_the_docs_show_the_ledger() -> None:
    page = ROOT / "docs" / "theory" / "theta-claims.md"
    text = page.read_text(encoding="utf-8")
    head, _, _ = text.partition("| id |")
    now = head + THETA_PAPER.to_markdown()
    if os.environ.get("KPROOF_UPDATE_SNAPSHOTS"):
        page.write_text(now, encoding="utf-8")
    else:
        assert now == text
