"""The page of benchmarks says what was measured, on what, and what was not."""

import importlib.util
import json
import re
import sys
from argparse import Namespace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import kproof

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks"
FOUND: dict[str, Any] = {
    "machine": {"processor": "a processor", "cores": "2", "python": "3", "numpy": "2.4"},
    "no_peer": {"other": "could not be installed: no network"},
    "rows": [
        {
            "job": "one | job",
            "seconds": 0.5,
            "limit": 1,
            "ratio": 12.34,
            "note": "fine",
            "peer": "another 1.2, in loops",
        },
        {"job": "alone", "seconds": 1234.5, "limit": None, "ratio": None, "note": "", "peer": ""},
        {
            "job": "  slow",
            "seconds": None,
            "limit": None,
            "ratio": None,
            "note": "stopped after 9 s",
            "peer": "",
        },
    ],
}


@pytest.fixture(scope="module")
def benchmarks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("benchmarks_main", FOLDER / "__main__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_every_script_is_run(benchmarks):
    shared = {"__main__", "common"}
    parts = {path.stem for path in FOLDER.glob("p*_*.py")}
    assert set(benchmarks.SCRIPTS) == {path.stem for path in FOLDER.glob("*.py")} - shared - parts


def test_every_script_is_in_the_docs_and_prints_a_document():
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    for path in FOLDER.glob("*.py"):
        if "def main() -> None" in (text := path.read_text(encoding="utf-8")):
            if path.stem.startswith("peer_") or path.stem == "__main__":
                continue
            assert "with_json(" in text, path.stem
            assert f"python benchmarks/{path.name}" in page, path.stem


def test_a_page_says_what_was_measured_and_what_was_not(benchmarks):
    outcomes = [
        benchmarks.Outcome("theory", 3, FOUND),
        benchmarks.Outcome("tables", 0, None, "needs adult.data in the folder --data"),
    ]
    page = benchmarks.page(outcomes, quick=True, load=100.0)
    assert f"| kproof | {kproof.__version__} |" in page
    assert "| peers | another 1.2 |" in page
    assert "| theory | one \\| job | 0.5 | another 1.2, in loops | 12.3 |" in page
    assert "| alone | 1,234 |  |  |" in page
    assert "| theory | other | could not be installed: no network |" in page
    assert "| theory | slow | stopped after 9 s |" in page
    assert "| tables | all of it | needs adult.data in the folder --data |" in page
    assert "| petri | all of it | not asked for in this run |" in page
    assert "**Quick sizes:**" in page
    assert "**A busy machine:** its load was 100.0" in page
    alone = benchmarks.page(outcomes, quick=False, load=0.0)
    assert "**" not in alone
    assert "| sizes | full |" in alone


def test_a_script_that_fails_says_why(benchmarks, tmp_path, monkeypatch):
    monkeypatch.setattr(benchmarks, "HERE", tmp_path)
    options = Namespace(data=tmp_path, quick=False, patience=60)
    script = tmp_path / "theory.py"
    script.write_text("raise SystemExit('no way')")
    assert benchmarks.run("theory", options).problem == "no way"
    script.write_text(f"print({json.dumps(json.dumps(FOUND))})\nraise SystemExit(1)")
    found = benchmarks.run("theory", options)
    assert (found.found, found.problem) == (FOUND, "exit status 1")
    assert benchmarks.run("full_domain", options).problem == (
        "needs adult.data and adult_hierarchies in the folder --data"
    )


def test_the_page_that_is_there_was_written_by_the_command():
    page = (ROOT / "results" / "benchmarks.md").read_text(encoding="utf-8")
    assert page.startswith("# Benchmarks, as measured\n\nMade by `python -m benchmarks`")
    for title in ("## Beside named peers", "## Not measured", "## Every figure"):
        assert f"\n{title}\n" in page
    assert re.search(r"^\| sizes \| (quick|full) \|$", page, re.MULTILINE)
