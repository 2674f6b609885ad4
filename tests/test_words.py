"""The house's words: one name, one meaning."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_no_public_class_name_stands_in_two_modules() -> None:
    """Whoever reads a name knows which class it is; a module's own helper is ``_Name``."""
    modules: dict[str, list[str]] = defaultdict(list)
    for folder in ("theory", "models", "petri", "proptests", "src"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for statement in ast.parse(path.read_text()).body:
                if isinstance(statement, ast.ClassDef) and not statement.name.startswith("_"):
                    modules[statement.name].append(str(path.relative_to(ROOT)))
    assert modules
    assert {name: where for name, where in modules.items() if len(where) > 1} == {}


def test_the_glossary_and_the_architecture_name_places_that_exist() -> None:
    for page in ("docs/glossary.md", "docs/architecture.md", "CONTRIBUTING.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        places = re.findall(r"`((?:theory|models|petri|proptests|src|tests|docs)/[\w./-]*)`", text)
        assert places
        assert [place for place in places if not (ROOT / place).exists()] == [], page
