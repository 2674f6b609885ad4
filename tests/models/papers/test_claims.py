"""The ledgers of models and nets: every row's evidence is run, and the docs show the rows."""

import doctest
import json
from pathlib import Path

import pytest
from cases import cases
from shell import same_as_page

from kproof.models.papers import claims
from kproof.models.papers.claims import THETA_PAPER
from kproof.petri.papers.claims import NETS
from kproof.theory.ledger import Ruling

DOCS = Path(__file__).parents[3] / "docs"
LEDGERS = {
    "T": THETA_PAPER,
    "D": claims.DENSITY_NOTES,
    "G": claims.SOCIAL_GRAPHS,
    "E": claims.INFERENCE,
    "Q": claims.QUADTREE_NOTES,
    "R": claims.REGIONS,
    "M": claims.MOVING,
    "N": NETS,
}
"""By the letter that the names of their rows begin with."""


@pytest.mark.parametrize(
    "claim",
    [claim for ledger in LEDGERS.values() for claim in ledger.claims],
    ids=lambda claim: claim.id,
)
def test_the_evidence_holds(claim):
    assert claim.evidence
    for evidence in claim.evidence:
        example = doctest.DocTestParser().get_doctest(evidence.example, {}, claim.id, None, None)
        output = []
        failed, tried = doctest.DocTestRunner().run(example, out=output.append)
        assert (failed, tried) == (0, len(evidence.imports) + 1), "".join(output)


@pytest.mark.parametrize("letter", LEDGERS)
def test_a_ledger_is_whole(letter):
    ledger = LEDGERS[letter]
    numbers = range(1, len(ledger.claims) + 1)
    assert [claim.id for claim in ledger.claims] == [f"{letter}{number}" for number in numbers]
    assert sum(ledger.rulings.values()) == len(ledger.claims)
    for claim in ledger.claims:
        assert claim.place
        assert claim.statement
        assert claim.corrected.endswith((".", "?"))


def test_the_rows_of_the_nets_add_to_the_paper_s_ledger():
    assert [claim.id for claim in NETS.claims] == ["N1", "N2", "N3", "N4"]
    assert (THETA_PAPER + NETS)["N3"].corrected.endswith(".")


def test_the_json_form_is_what_a_reader_is_told():
    document = json.loads(THETA_PAPER.to_json())
    assert document["schema"] == 1
    first = document["claims"][0]
    names = {"id", "place", "statement", "verdict", "evidence", "kernel", "corrected", "theorems"}
    assert set(first) == names
    assert {row["verdict"] for row in document["claims"]} <= {str(one) for one in Ruling}


@cases(
    ("theory/theta-claims.md", THETA_PAPER),
    ("models/inference-attacks.md", claims.INFERENCE),
    ("models/regions.md", claims.REGIONS),
    ("models/moving.md", claims.MOVING),
)
def test_the_docs_show_the_ledger(page, ledger):
    same_as_page(DOCS / page, ledger.to_markdown(), start="| id |")
