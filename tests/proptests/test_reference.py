"""The pages on checks and sources say what there is."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kproof.models.registry import Kind
from kproof.proptests.profiles import PROFILES
from kproof.proptests.reference import (
    attacks_table,
    checks_table,
    methods_table,
    models_table,
    sources_table,
)

PAGES = Path(__file__).parents[2] / "docs" / "proptests"
MARK = "<!-- generated: kproof.proptests.reference -->\n"


@pytest.mark.parametrize(("name", "table"), [("checks", checks_table), ("sources", sources_table)])
def test_the_pages_are_up_to_date(name: str, table: Callable[[Kind], str]) -> None:
    page = PAGES / f"{name}.md"
    text = page.read_text(encoding="utf-8")
    head, mark, _ = text.partition(MARK)
    assert mark
    now = head + mark + "".join(f"\n## {str(kind).title()}\n\n{table(kind)}\n" for kind in Kind)
    _same(page, now)


def test_the_page_of_the_registries_is_up_to_date() -> None:
    page = PAGES.parent / "reference" / "registered.md"
    head, mark, _ = page.read_text(encoding="utf-8").partition(MARK)
    assert mark
    parts = {"Methods": methods_table, "Privacy models": models_table, "Attacks": attacks_table}
    _same(page, head + mark + "".join(f"\n## {name}\n\n{of()}\n" for name, of in parts.items()))


def _same(page: Path, now: str) -> None:
    if os.environ.get("KPROOF_UPDATE_SNAPSHOTS"):
        page.write_text(now, encoding="utf-8")
    else:
        assert now == page.read_text(encoding="utf-8")


def test_the_profiles_are_those_of_the_page() -> None:
    text = (PAGES / "checks.md").read_text(encoding="utf-8")
    for one in PROFILES.values():
        figures = (one.examples, one.costly, one.finite, one.shrinking)
        assert f"| {one.name} | {' | '.join(f'{figure:,}' for figure in figures)} |" in text
