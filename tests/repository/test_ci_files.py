"""The action, the hook and the badge: what they run, what they refuse, what they say."""

import json
import os
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from cases import cases

from kproof.cli.hook import main as hook
from kproof.proptests.contract import CheckStatus
from kproof.report.badge import badge_of, message_of

ROOT = Path(__file__).parents[2]
ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")
HOOKS = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "how-to" / "use-it-in-ci.md").read_text(encoding="utf-8")
ASKS = ("--qi", "age", "--sensitive", "ill", "--models-only", "--k", "2")


@pytest.fixture
def tables(tmp_path: Path) -> dict[str, str]:
    """Two tables with columns age and ill: one satisfies k = 2, one does not."""
    cells = {"good": "30,a\n30,b\n", "bad": "30,a\n31,b\n"}
    for name, rows in cells.items():
        (tmp_path / f"{name}.csv").write_text(f"age,ill\n{rows}")
    return {name: str(tmp_path / f"{name}.csv") for name in cells}


def test_the_hook_stops_what_fails(tables):
    assert hook([*ASKS, "--", tables["good"]]) == 0
    assert hook([*ASKS, "--"]) == 0
    assert hook([*ASKS, "--", tables["good"], tables["bad"]]) == 1
    assert hook([*ASKS, "--", tables["bad"], tables["good"]]) == 1
    assert hook([*ASKS, "--", tables["bad"], tables["good"] + ".none"]) == 2


def test_the_hook_refuses_what_nothing_can_fail(tables, capsys):
    # Without a model kproof check says what a table attains, and ends with 0.
    for words in (ASKS[:5], (*ASKS, tables["good"])):
        assert hook([*words, *(("--", tables["bad"]) if words == ASKS[:5] else ())]) == 2
        assert "the hook needs a model and -- at its end" in capsys.readouterr().err
    assert re.search("^  entry: python -m kproof.cli.hook$", HOOKS, re.MULTILINE)


def script() -> str:
    """Return the last script of the action, without its indentation."""
    lines = ACTION.rpartition("run: |\n")[2].splitlines()
    return "\n".join(line.strip() if line.strip() else "" for line in lines)


def run_action(folder: Path, **inputs: str) -> tuple[int, list[str], str]:
    """Run it with a python that prints its arguments; return the status, them and the output."""
    fake = folder / "python"
    fake.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\nexit "${ENDS:-0}"\n')
    fake.chmod(0o755)
    names = ("ANONYMIZER", "COMMAND", "PROMISES", "SUPPORTS", "HTML", "BADGE")
    plain = {**dict.fromkeys(names, ""), "PROFILE": "quick", "SEED": "0"}
    files = {"GITHUB_OUTPUT": str(folder / "out"), "GITHUB_STEP_SUMMARY": str(folder / "summary")}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script()],
        env={**os.environ, **plain, **files, "PYTHON": str(fake), **inputs},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.splitlines(), (folder / "out").read_text()


def test_the_action_hands_its_inputs_on_as_words(tmp_path):
    evil = '$(touch pwned) "; touch pwned #'
    status, words, output = run_action(tmp_path, ANONYMIZER=evil, HTML="a b.html")
    ours = ["-m", "kproof", "verify", "--profile=quick", "--seed=0", "--html=a b.html", "--", evil]
    assert (status, words, output) == (0, ours, "status=0\n")
    for ends in ("1", "2", "4"):
        status, words, output = run_action(tmp_path, COMMAND="run {input} {output}", ENDS=ends)
        assert (status, output.splitlines()[-1]) == (int(ends), f"status={ends}")
        assert words[-1] == "--command=run {input} {output}"
    assert not list(tmp_path.glob("pwned*"))


def test_the_action_uses_nothing_of_others():
    assert "uses:" not in ACTION
    assert "using: composite" in ACTION
    # An expression inside a script would be pasted into it.
    for block in re.findall(r"run: \|\n((?: {8}.*\n)+)", ACTION):
        assert "${{" not in block
    inputs = re.findall(r"^  (\w+):$", ACTION.partition("outputs:")[0], re.MULTILINE)
    assert all(f"`{name}`" in PAGE for name in inputs)
    # No address is made up: there is none in pyproject.toml yet.
    assert "https://" not in ACTION + HOOKS + PAGE


def results(answer: str, *checks: tuple[str, int, bool]) -> Any:
    """Return what a badge reads of a run: checks that answer for one promise."""
    return _Run(
        [
            SimpleNamespace(
                check=SimpleNamespace(name=name, answers_for=lambda promise: True),
                judged=judged,
                broken=fails and answer == "broken",
                violation="a violation" if fails else None,
                status=CheckStatus.PASSED,
            )
            for name, judged, fails in checks
        ],
        answer,
    )


class _Run(list[Any]):
    def __init__(self, checks: list[Any], answer: str) -> None:
        super().__init__(checks)
        self.answer = SimpleNamespace(value=answer)
        self.subject = SimpleNamespace(promises=frozenset({"k-anonymity"}))
        self.profile = "quick"


@cases(
    (results("kept", ("k-anonymity", 1234, False)), "no fault in 1,234 cases (quick)"),
    (results("kept", ("k-anonymity", 1, False)), "no fault in 1 case (quick)"),
    (results("open", ("k-anonymity", 0, False)), "not judged"),
    (results("broken", ("k-anonymity", 3, True)), "broken: k-anonymity"),
    # A failure that was expected is one all the same.
    (results("kept", ("a", 9, False), ("b<", 9, True), ("c", 9, True)), "broken: b< and 1 more"),
)
def test_a_badge_says_no_more_than_the_run(run, says):
    assert message_of(run) == says
    document = json.loads(badge_of(run, "badge.json"))
    assert (document["schemaVersion"], document["message"]) == (1, says)
    assert ET.fromstring(badge_of(run, "badge.svg")).attrib["aria-label"] == f"kproof: {says}"
    assert (document["color"] == "#2b7a3d") == says.startswith("no fault")
