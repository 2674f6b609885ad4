"""The drawn figures: same bytes, whole files, words that agree with the numbers."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from shell import same_as_page

from kproof.errors import DataError
from kproof.report import paper_figures
from kproof.report.paper_figures import NOTES, captions, title_of
from kproof.theory.papers.claims import FIGURES
from kproof.theory.papers.figure_settings import least_n, least_neighbourhood
from kproof.theory.papers.figures import SETTINGS, SIZES, CertifiedPoints
from kproof.theory.papers.figures_possible import possible
from kproof.theory.papers.trends import Monotonicity, trend

ROOT = Path(__file__).parents[1]
CAPTIONS = {n: captions().split(f"(figure-{n}.svg)\n\n")[1].split("\n")[0] for n in "2345"}


def test_figures_are_written_whole_and_twice_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(paper_figures, "SAMPLES", 3)
    paths = paper_figures.write_figures(tmp_path / "new")
    assert [path.name for path in paths] == [
        *(f"figure-{n}.{kind}" for n in "2345" for kind in ("svg", "png")),
        "captions.md",
    ]
    for path in paths:
        assert path.parent == tmp_path / "new"
    assert paper_figures.draw("4") == (paths[4].read_bytes(), paths[5].read_bytes())
    for number, svg in zip("2345", paths[::2], strict=False):
        text = svg.read_text(encoding="utf-8")
        ET.fromstring(text)
        assert title_of(number) in text
        assert "<dc:date>" not in text
        assert all(NOTES[name] in text for name in SETTINGS if name.startswith(number))
    for png in paths[1:8:2]:
        assert png.read_bytes().startswith(b"\x89PNG")


def test_a_folder_that_cannot_be(tmp_path, monkeypatch):
    monkeypatch.setattr(paper_figures, "draw", lambda number: (b"", b""))
    (tmp_path / "taken").write_text("")
    with pytest.raises(DataError, match="taken: cannot be made"):
        paper_figures.write_figures(tmp_path / "taken")


def test_captions_say_what_was_computed():
    assert f"{least_n('2b', 1):,}" in CAPTIONS["2"]
    assert f"{least_n('3a', 1)}," in CAPTIONS["3"]
    needed = [str(least_neighbourhood("3a", n, 1)) for n in SIZES]
    assert f"{needed[0]}, {needed[1]} and {needed[2]}" in CAPTIONS["3"]
    turns = [int(trend("2c", n).runs[0].upper) for n in SIZES[:2]]
    assert f"{turns[0]} for n = 100 and {turns[1]} for n = 20,000" in CAPTIONS["2"]
    assert trend("4a", SIZES[0]).on("0.05", "0.6") is Monotonicity.FALLS
    proved = possible("4b").curve("corrected")
    assert isinstance(proved, CertifiedPoints)
    last = proved.values[-1][0]
    assert f"beyond λ₂ = {float(last)}" in CAPTIONS["4"]


def test_the_shipped_captions_are_these():
    shipped = (ROOT / "results" / "figures" / "captions.md").read_text(encoding="utf-8")
    assert shipped == paper_figures.captions()


def test_the_page_shows_captions_and_ledger():
    page = ROOT / "docs" / "theory" / "figures.md"
    now = ""
    for number in "2345":
        picture = f"![{title_of(number)}](../../results/figures/figure-{number}.svg)"
        now += f"## {title_of(number)}\n\n{picture}\n\n{CAPTIONS[number]}\n\n"
    now += f"## Every sentence\n\n{FIGURES.to_markdown()}"
    same_as_page(page, now, start="## Figure 2")
