"""The house's words: one name, one meaning."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_PLAIN = (
    "sure bet",
    "surest bet",
    "yours to answer",
    "to answer for",
    "looks for nobody",
    "labels lose",
    "explored wholly",
    "classes forgotten",
    "does not know that they are in it",
    "no better chance",
    "lacks k-anonymity",
    "of what the columns tell",
    "left out of account",
    "for whatever is worst",
    "judged of a reader",
    "is called --",
    "nobody tells them",
    "left out whole",
    "in the mean ",
    "is the word of whoever",
    "is told as well which",
    "what is typed as well",
    "two normal laws, (shift",
    "epsilon at each delta, delta at",
    "none of them alone",
    "whatever restarts",
)
"""What a reader had to read twice; none of it may come back to what is printed."""


def test_no_public_class_name_stands_in_two_modules():
    """Whoever reads a name knows which class it is; a module's own helper is ``_Name``."""
    modules: dict[str, list[str]] = defaultdict(list)
    for folder in ("theory", "models", "petri", "proptests", "src"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for statement in ast.parse(path.read_text()).body:
                if isinstance(statement, ast.ClassDef) and not statement.name.startswith("_"):
                    modules[statement.name].append(str(path.relative_to(ROOT)))
    assert modules
    assert {name: where for name, where in modules.items() if len(where) > 1} == {}


def test_the_glossary_and_the_architecture_name_places_that_exist():
    for page in ("docs/glossary.md", "docs/architecture.md", "CONTRIBUTING.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        places = re.findall(r"`((?:theory|models|petri|proptests|src|tests|docs)/[\w./-]*)`", text)
        assert places
        assert [place for place in places if not (ROOT / place).exists()] == [], page


def _not_plain(text: str) -> list[str]:
    folded = text.casefold()
    return [phrase for phrase in NOT_PLAIN if phrase in folded]


def _printed() -> Iterator[tuple[Path, str]]:
    """Yield what people read, with its place: strings but docstrings, templates, help, pages."""
    for folder in ("theory", "models", "petri", "proptests", "src"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            source = path.read_text(encoding="utf-8")
            # To read all of the source as a tree takes seconds, and hardly a file has such words.
            tree = ast.parse(source if _not_plain(source) else "")
            silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and id(node) not in silent:
                    yield path, str(node.value)
    history = {"findings.md", "findings-corpus.md"}
    pages = (path for path in (ROOT / "docs").rglob("*.md") if path.name not in history)
    templates = (ROOT / "src" / "kproof" / "report" / "templates").rglob("*.html")
    for path in (*pages, *templates, *(ROOT / "tests" / "snapshots").glob("*.txt")):
        if path.parent.name != "adr":
            yield path, path.read_text(encoding="utf-8")


def test_nothing_printed_needs_a_second_reading():
    found = [(path.name, _not_plain(text)) for path, text in _printed()]
    assert len(found) > 200
    assert [(name, phrases) for name, phrases in found if phrases] == []


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "theory").glob("*.md")), ids=lambda page: page.stem
)
def test_a_page_of_theory_opens_without_symbols(page):
    assert re.search(r"[$εδσλβμπφ≤≥∑]", page.read_text(encoding="utf-8").split("\n\n")[1]) is None
