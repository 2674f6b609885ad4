"""The ledger of the bounds paper: every row's evidence is run, and the docs show the rows."""

from pathlib import Path

import pytest
from cases import cases
from shell import same_as_page
from side_by_side import repairs, summary

from kproof.theory.audit import run_rows
from kproof.theory.derivations.proofs.catalogue import derivations
from kproof.theory.ledger import Ruling
from kproof.theory.papers.claims import BLOCKS, BOUNDS_PAPER, RELEASES

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "claim", [*BOUNDS_PAPER.claims, *BLOCKS.claims, *RELEASES.claims], ids=lambda claim: claim.id
)
def test_the_evidence_holds(claim):
    (row,) = run_rows([claim])
    assert row.stands, "".join(row.failures)


def test_what_is_unsound_has_a_witness():
    """A false point of a step, a claim below the truth, or a setting that no data have."""
    for claim in BOUNDS_PAPER.claims:
        if claim.ruling in (Ruling.UNSOUND, Ruling.REFUTED):
            calls = " ".join(one.call for one in claim.evidence)
            assert any(
                "kproof.theory.derivations.evidence" not in " ".join(one.imports)
                for one in claim.evidence
            ) or ("printed(" in calls), claim.id


@cases(
    ("bounds-claims", "| id |", BOUNDS_PAPER.to_markdown),
    ("block-bounds", "| id |", BLOCKS.to_markdown),
    ("releases", "| id |", RELEASES.to_markdown),
    ("derivations", "| derivation |", summary),
    ("steps", "## ", repairs),
)
def test_the_docs_show_what_is_there(name, start, rows):
    same_as_page(ROOT / "docs" / "theory" / f"{name}.md", rows(), start=start)


def test_every_printed_step_that_is_false_is_shown_once():
    text = repairs()
    steps = {
        step.because for one in derivations() for step in one.steps if step.printed is not None
    }
    assert len(steps) > 30
    for because in steps:
        assert text.count(because) == 1
    assert text.count("- false at ") == len(steps)
