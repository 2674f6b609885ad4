"""Ten tasks of a newcomer are two links from the front page of the docs, each with a command."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
INDEX = DOCS / "index.md"
DOC = re.compile(r"\{doc\}`(?:[^`<>]*<)?([^`<>]+?)>?`")
TASKS = {
    "is my table safe": ("how-to/read-the-report", "kproof report"),
    "release a table": ("how-to/anonymize-a-table", "kproof anonymize"),
    "check somebody's release": ("how-to/check-a-release", "kproof check"),
    "attack it": ("how-to/attack-a-release", "kproof attack"),
    "what does k = 5 mean": ("how-to/what-k-is-worth", "kproof bound release"),
    "test my anonymizer": ("how-to/verify-your-anonymizer", "kproof verify"),
    "publish a log of movements": ("how-to/publish-a-log", "kproof anonymize moving"),
    "serve counts over HTTP": ("how-to/serve-flows", "kproof serve"),
    "account for a training run": ("how-to/account-for-a-training-run", "kproof account"),
    "explore my own net": ("how-to/your-own-net", "kproof net explore"),
}
"""The page that does a task, and what somebody types."""


def links_of(page: Path) -> set[Path]:
    """Return the pages that the text of a page leads to; its table of contents does not count."""
    named = DOC.findall(page.read_text(encoding="utf-8"))
    return {(page.parent / name).with_suffix(".md").resolve() for name in named}


@pytest.mark.parametrize("task", TASKS)
def test_a_task_is_two_links_away_and_says_what_to_type(task):
    name, typed = TASKS[task]
    page = (DOCS / f"{name}.md").resolve()
    near = links_of(INDEX)
    assert page in near.union(*map(links_of, near))
    assert typed in page.read_text(encoding="utf-8")


def test_everyday_words_lead_to_pages():
    # That the search finds them: tests/support/search_words.py, after the docs are built.
    page = DOCS / "reference" / "words.md"
    words = page.read_text(encoding="utf-8")
    for word in ("vendor", "GDPR", "graphviz", "own mechanism", "HIPAA", "pseudonym", "DP-SGD"):
        (row,) = re.findall(rf"^\|[^|]*\b{word}\b[^|]*\|.*$", words, re.MULTILINE)
        assert DOC.findall(row), word
    assert page.resolve() in links_of(INDEX)
