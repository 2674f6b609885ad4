"""The ledger of the nets: every row's evidence is run as a doctest."""

from __future__ import annotations

import doctest

import pytest

from kproof.models.papers.claims import THETA_PAPER
from kproof.petri.papers.claims import NETS
from kproof.theory.ledger import Claim


@pytest.mark.parametrize("claim", NETS.claims, ids=lambda claim: claim.id)
def test_the_evidence_holds(claim: Claim) -> None:
    assert claim.evidence
    for one in claim.evidence:
        example = doctest.DocTestParser().get_doctest(one.example, {}, claim.id, None, None)
        told: list[str] = []
        failed, tried = doctest.DocTestRunner().run(example, out=told.append)
        assert (failed, tried) == (0, len(one.imports) + 1), "".join(told)


def test_the_rows_add_to_the_paper_s_ledger() -> None:
    both = THETA_PAPER + NETS
    assert [claim.id for claim in NETS.claims] == ["N1", "N2", "N3", "N4"]
    assert both["N3"].corrected.endswith(".")
