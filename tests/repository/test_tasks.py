"""The tasks of noxfile.py, .ci/run, the hooks and CONTRIBUTING name one another correctly."""

import ast
import os
import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]
NOXFILE = (ROOT / "noxfile.py").read_text(encoding="utf-8")
SCRIPT = ROOT / ".ci" / "run"


BY_HAND = {"corpus", "extras", "links", "nightly"}
"""Sessions that need what CI has not: sites and files of others, or half an hour."""


def sessions() -> dict[str, str]:
    """Every session of noxfile.py, with the first line of its docstring."""
    found = {}
    for node in ast.parse(NOXFILE).body:
        if isinstance(node, ast.FunctionDef):
            named = [ast.unparse(one).partition("(")[0] for one in node.decorator_list]
            if "nox.session" in named:
                found[node.name] = ast.get_docstring(node) or ""
    return found


def called_by_ci() -> list[str]:
    script = SCRIPT.read_text(encoding="utf-8")
    lines = re.findall("^sessions ([a-z_ ]+[a-z_])", script, flags=re.MULTILINE)
    return [name for line in lines for name in line.split()]


def test_ci_calls_every_session_once():
    assert sorted(called_by_ci()) == sorted(set(sessions()) - BY_HAND)
    assert os.access(SCRIPT, os.X_OK)


def test_a_bare_nox_leaves_out_what_is_run_by_hand():
    assert set(re.findall(r"@nox\.session\(default=False.*\)\ndef (\w+)", NOXFILE)) == BY_HAND


def test_every_session_says_what_it_does():
    assert [name for name, about in sessions().items() if not about] == []


def test_contributing_names_every_session():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `nox -s (\w+)` \|", text, flags=re.MULTILINE) == list(sessions())


def test_the_smoke_sets_files_exist():
    (found,) = re.findall(r"^SMOKE_FILES = (\(.+?\))$", NOXFILE, flags=re.MULTILINE | re.DOTALL)
    files = ast.literal_eval(found)
    assert files
    assert [name for name in files if not (ROOT / name).is_file()] == []


def test_hooks_are_pinned_and_ruff_is_one_that_pyproject_admits():
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert len(re.findall("- id: ", hooks)) == len(re.findall(r"\[[a-z-]+==[\d.]+\]", hooks))
    (pinned,) = set(re.findall(r"ruff==([\d.]+)", hooks))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    admitted = [Requirement(line) for line in project["optional-dependencies"]["test"]]
    (ruff,) = (one for one in admitted if one.name == "ruff")
    assert Version(pinned) in ruff.specifier
