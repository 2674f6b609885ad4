"""The section on the papers: every false claim with its witness, and counts that add up."""

import re
from html import unescape

import pytest

from kproof.report.context import Context
from kproof.report.ledgers import documents
from kproof.report.sections import FALSE, papers


@pytest.fixture(scope="module")
def section() -> str:
    return str(papers(Context(())))


def test_every_false_claim_is_shown_with_all_its_evidence(section):
    shown = unescape(section)
    rows = [claim for one in documents() for claim in one.ledger.claims if claim.ruling in FALSE]
    assert rows
    assert section.count("<details>") == len(rows)
    for claim in rows:
        assert f"<summary>{claim.id}, {claim.place}: " in shown
        assert claim.statement in shown
        assert claim.corrected in shown
        for one in claim.evidence:
            assert f"<pre>{one.example}</pre>" in shown


def test_the_counts_are_those_of_the_ledgers(section):
    table = section.partition("<tbody>")[2].partition("</tbody>")[0]
    for row, one in zip(table.split("</tr>"), documents(), strict=False):
        cells = [int(cell or 0) for cell in re.findall(r"<td[^>]*>(\d*)</td>", row)]
        assert sum(cells) == len(one.ledger.claims)


def test_what_holds_is_not_listed_as_false(section):
    for one in documents():
        for claim in one.ledger.claims:
            if claim.ruling not in FALSE:
                assert f"<summary>{claim.id}, " not in section
