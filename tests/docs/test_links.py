"""Links lead somewhere, and addresses of other sites can be right."""

from pathlib import Path

import pytest
from links import anchors, dead_in_html, dead_in_markdown, ill_formed, slug

ROOT = Path(__file__).parents[2]
MARKDOWN = [
    *sorted(ROOT.glob("*.md")),
    *(path for room in ("docs", "results") for path in sorted((ROOT / room).rglob("*.md"))),
]
SOURCES = [
    ROOT / "CITATION.cff",
    ROOT / "pyproject.toml",
    *(
        path
        for room in ("theory", "models", "petri", "proptests", "src", "docs", "benchmarks")
        for path in sorted((ROOT / room).rglob("*.py"))
    ),
]


def told(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", MARKDOWN, ids=told)
def test_links_and_anchors_of_a_page_are_there(page):
    assert dead_in_markdown(page) == []


def test_links_and_anchors_of_the_report_are_there():
    assert list(dead_in_html(ROOT / "results")) == []


def test_addresses_of_other_sites_are_whole_and_secure_and_dois_are_dois():
    found = {
        told(path): wrong
        for path in (*MARKDOWN, *SOURCES)
        if (wrong := list(ill_formed(path.read_text(encoding="utf-8"))))
    }
    assert found == {}


def test_headings_have_the_anchors_that_github_and_sphinx_give_them(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# A page, *mine*\n\n```\n# no heading\n```\n\n## Same\n\n## Same\n\n(label-1)=\n\n"
        "## [Linked](there.md) {doc}`words <there>`\n"
    )
    assert anchors(page) == {"a-page-mine", "same", "same-1", "label-1", "linked-words"}
    assert slug("Exit status") == "exit-status"


def test_a_link_that_leads_nowhere_is_found_in_markdown(tmp_path):
    (tmp_path / "there.md").write_text("## Here\n")
    page = tmp_path / "page.md"
    page.write_text(
        "# Top\n[a](there.md) [b](there.md#here) [c](#top) [d](https://example.org/x)\n"
        "[e](gone.md) [f](there.md#gone) [g](#gone)\n"
    )
    assert dead_in_markdown(page) == ["gone.md", "there.md#gone", "#gone"]


def test_a_link_that_leads_nowhere_is_found_in_html(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "there.html").write_text('<p id="here">&amp;</p><a name="old"></a>')
    (tmp_path / "page.html").write_text(
        '<a href="folder/there.html#here">1</a><a href="folder/there.html#old">2</a>'
        '<a href="#">3</a>'
        '<a href="https://example.org/">4</a><img src="gone.png"><a href="#gone">5</a>'
        '<a href="folder/there.html#gone">6</a>'
    )
    assert list(dead_in_html(tmp_path)) == [
        "page.html: gone.png",
        "page.html: #gone",
        "page.html: folder/there.html#gone",
    ]


def test_what_is_wrong_with_an_address_is_found():
    right = "https://example.org/a?c#d, http://127.0.0.1:8000/x, doi: 10.3390/electronics9050716"
    wrong = "http://example.org/a, https://example/b, doi:10.33/x and https://doi.org/9.1234/y."
    assert list(ill_formed(right)) == []
    assert list(ill_formed(wrong)) == [
        "http://example.org/a",
        "https://example/b",
        "10.33/x",
        "9.1234/y",
    ]
