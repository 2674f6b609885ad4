"""The ledger of the measurements of Section IV: its evidence is run on what was measured."""

from __future__ import annotations

import csv
import doctest
import os
from importlib import resources
from pathlib import Path

import pytest

from kproof.models.papers.claims import INFERENCE
from kproof.theory.ledger import Claim

RESULTS = Path(__file__).parents[3] / "results" / "inference"


@pytest.mark.parametrize("claim", INFERENCE.claims, ids=lambda claim: claim.id)
def test_the_evidence_holds(claim: Claim) -> None:
    assert claim.evidence
    for one in claim.evidence:
        example = doctest.DocTestParser().get_doctest(one.example, {}, claim.id, None, None)
        told: list[str] = []
        failed, tried = doctest.DocTestRunner().run(example, out=told.append)
        assert (failed, tried) == (0, len(one.imports) + 1), "".join(told)


def test_the_ledger_is_whole() -> None:
    numbers = [claim.id for claim in INFERENCE.claims]
    assert numbers == [f"E{number}" for number in range(1, len(numbers) + 1)]


def test_the_docs_show_the_ledger() -> None:
    page = RESULTS.parents[1] / "docs" / "models" / "inference-attacks.md"
    text = page.read_text(encoding="utf-8")
    head, _, _ = text.partition("| id |")
    now = head + INFERENCE.to_markdown()
    if os.environ.get("KPROOF_UPDATE_SNAPSHOTS"):
        page.write_text(now, encoding="utf-8")
    else:
        assert now == text


@pytest.mark.parametrize("name", ["means.csv", "bounds.csv"])
def test_what_comes_with_kproof_is_what_was_found(name: str) -> None:
    shipped = resources.files("kproof.datasets") / "inference" / name
    assert shipped.read_bytes() == (RESULTS / name).read_bytes()


def test_counts_by_hand() -> None:
    """Table III anew, counted without the functions that the ledger calls."""
    with (RESULTS / "means.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    first = {
        (row["technique"], row["attack"]): float(row["mean"])
        for row in rows
        if (row["level"], row["k"], row["prior"]) == ("I", "6", "class")
    }
    # 752 clusters of CA and BE, and 111 degrees of IA, among 4,515 users.
    for attack in ("mle", "bas"):
        assert first["CA", attack] == first["BE", attack] == pytest.approx(752 / 4515, abs=1e-9)
        assert first["IA", attack] == pytest.approx(111 / 4515, abs=1e-9)
    second = {row["mean"] for row in rows if row["level"] == "II" and row["prior"] == "all"}
    assert second == {f"{1 / 4515:.9f}"}
