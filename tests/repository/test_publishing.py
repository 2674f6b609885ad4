"""What a public repository needs: notes of a release, a workflow, forms, rules for people."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest
from apart import python
from cases import cases

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / ".ci" / "notes.py"
notes = runpy.run_path(str(SCRIPT))["notes"]
LOG = (
    "# Changelog\n\n## [Unreleased]\n\n- d\n\n## [0.2.0] - 2026-01-31\n\n### Added\n\n- b\n\n"
    "## [0.1.0] - 2026-01-01\n\n- a\n\n[0.1.0]: https://example.org/v0.1.0\n"
)


def test_the_notes_of_a_release_are_its_section():
    assert notes("v0.2.0", LOG, "0.2.0") == "### Added\n\n- b\n"
    assert notes("v0.1.0", LOG, "0.1.0") == "- a\n"


@cases(
    ("0.2.0", LOG, "need v and a version"),
    ("v0.2", LOG, "need v and a version"),
    ("v0.2.0\n", LOG, "need v and a version"),
    ("v0.1.0", LOG, "the sources are of version 0.2.0"),
    ("v0.2.0", LOG.replace("[0.2.0]", "[0.2.1]"), r"0 sections for \[0.2.0\]"),
    ("v0.2.0", LOG.replace("[0.1.0] -", "[0.2.0] -"), r"2 sections for \[0.2.0\]"),
    ("v0.2.0", LOG.replace("2026-01-31", "unreleased"), "has no date"),
    ("v0.2.0", LOG.replace("- b", ""), "lists no change"),
)
def test_notes_that_could_be_wrong_are_refused(tag, log, says):
    with pytest.raises(ValueError, match=says):
        notes(tag, log, "0.2.0")


def test_a_version_that_is_not_released_has_no_notes_yet():
    for words, says in ((("v9.9.9",), "the sources are of version"), ((), "need a tag")):
        done = python(str(SCRIPT), *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert says in done.stderr
        assert done.stderr.count("\n") == 1


def read_yaml(path: Path) -> Any:
    return pytest.importorskip("yaml").safe_load(path.read_text(encoding="utf-8"))


def test_the_workflow_runs_the_checks_and_trusts_nobody():
    workflow = read_yaml(ROOT / ".github" / "workflows" / "ci.yml")
    assert workflow["permissions"] == {}
    (job,) = workflow["jobs"].values()
    assert job["timeout-minutes"] <= 120
    assert [step["run"] for step in job["steps"]][-1] == ".ci/run"
    # An action of others could change, and an expression inside a script would be pasted into it.
    assert not any("uses" in step or "${{" in step["run"] for step in job["steps"])
    # YAML takes the key "on" for a truth value.
    assert {"push", "pull_request"} <= set(workflow[True])


def test_forms_ask_for_made_up_data_and_name_nobody():
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    for path in forms:
        form = read_yaml(path)
        if path.stem == "config":
            assert form == {"blank_issues_enabled": False}
            continue
        fields = [part for part in form["body"] if part["type"] != "markdown"]
        assert len({part["id"] for part in fields}) == len(fields)
        assert all(part["attributes"]["label"] for part in fields)
    (fault,) = (path for path in forms if path.stem == "fault")
    assert "SECURITY.md" in fault.read_text(encoding="utf-8")
    papers = [ROOT / "CODE_OF_CONDUCT.md", ROOT / "GOVERNANCE.md"]
    for path in (*forms, *papers, ROOT / ".github" / "workflows" / "ci.yml"):
        # There is no public repository and no address yet; none is made up.
        assert not re.search(r"https?://|\S@\S", path.read_text(encoding="utf-8")), path
