"""The page on what sources draw says of each of them what a few new cases say."""

from pathlib import Path

import pytest

from kproof.models.registry import Kind
from kproof.proptests.coverage import CLASSES, counts_of
from kproof.proptests.sources import sources

PAGE = Path(__file__).parents[2] / "docs" / "proptests" / "drawn.md"


@pytest.mark.parametrize("kind", Kind)
def test_no_source_draws_what_the_page_says_it_never_does(kind):
    _, _, section = PAGE.read_text(encoding="utf-8").partition(f"\n## {kind.title()}\n")
    lines = [line.strip("| ").split(" | ") for line in section.partition("\n## ")[0].splitlines()]
    totals = {
        cells[0]: int(cells[1].replace(",", ""))
        for cells in lines
        if len(cells) == 3 and cells[1].replace(",", "").isdigit()
    }
    never = {cells[0]: cells[1].split(", ") for cells in lines if len(cells) == 2}
    assert totals.keys() == CLASSES[kind].keys()
    assert {source.name for source in sources(kind)} == never.keys() - {"source", "---"}
    undrawn = {name for name, total in totals.items() if not total}
    for source in sources(kind):
        assert not (+counts_of(source, 6)).keys() & {*never[source.name], *undrawn}, source.name
