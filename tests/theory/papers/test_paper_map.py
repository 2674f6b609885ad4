"""The paper map names what is there, and the docs show it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name

import pytest

from kproof.report.ledgers import documents
from kproof.theory.derivations.proofs.catalogue import derivations
from kproof.theory.kernel.page import side_by_side
from kproof.theory.kernel.statements import STATEMENTS
from kproof.theory.papers.paper_map import PAPER_MAP, to_markdown

ROOT = Path(__file__).parents[3]


def test_all_that_the_map_names_is_there() -> None:
    for one in PAPER_MAP:
        assert all(resolve_name(name) is not None for name in one.python)
        assert all((ROOT / test).is_file() for test in one.tests)


def test_every_derivation_and_every_theorem_is_on_the_map_once() -> None:
    derived = [name for one in PAPER_MAP for name in one.derivations]
    assert sorted(derived) == sorted(one.name for one in derivations())
    checked = [name for one in PAPER_MAP for name in one.kernel]
    assert sorted(checked) == sorted(one.name for one in STATEMENTS)


def test_theorems_name_rows_and_functions_that_are_there() -> None:
    known = {claim.id for one in documents() for claim in one.ledger.claims}
    for one in STATEMENTS:
        assert set(one.rows) <= known, one.name
        assert all(resolve_name(name) is not None for name in one.python)


@pytest.mark.parametrize(
    ("name", "start", "shown"),
    [("kernel", "## Definitions", side_by_side), ("paper-map", "| statement |", to_markdown)],
)
def test_the_docs_show_it(name: str, start: str, shown: Callable[[], str]) -> None:
    page = ROOT / "docs" / "theory" / f"{name}.md"
    text = page.read_text(encoding="utf-8")
    now = text.partition(start)[0] + shown()
    if os.environ.get("KPROOF_UPDATE_SNAPSHOTS"):
        page.write_text(now, encoding="utf-8")
    else:
        assert now == text
