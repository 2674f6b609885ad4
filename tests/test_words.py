"""The house's words: one name, one meaning."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path


def test_no_public_class_name_stands_in_two_modules() -> None:
    """Whoever reads a name knows which class it is; a module's own helper is ``_Name``."""
    root = Path(__file__).parents[1]
    modules: dict[str, list[str]] = defaultdict(list)
    for folder in ("theory", "models", "petri", "proptests", "src"):
        for path in sorted((root / folder).rglob("*.py")):
            for statement in ast.parse(path.read_text()).body:
                if isinstance(statement, ast.ClassDef) and not statement.name.startswith("_"):
                    modules[statement.name].append(str(path.relative_to(root)))
    assert modules
    assert {name: where for name, where in modules.items() if len(where) > 1} == {}
