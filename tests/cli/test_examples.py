"""Examples at the end of help pages can be typed; scripts complete what there is to complete."""

import re
import shlex
import shutil
import subprocess

import pytest
from shell import kproof, refused

from kproof.cli.app import app
from kproof.cli.base import commands

LINES = [line for command in commands.COMMANDS.values() for line in command["examples"]]
COMMANDS = sorted(name for name in app if not name.startswith("-"))
FILES = re.compile(
    r"verify|audit Z6|visits|first\.csv|all\.db|package\.module|release\.csv|run\.json|> |serve"
)
"""Lines about what is not there, or that take long, are read and not run."""


def test_every_command_has_an_example():
    assert sorted(commands.COMMANDS) == COMMANDS


@pytest.mark.parametrize("line", LINES)
def test_an_example_can_be_typed(line, here):
    assert len(line) <= 76
    program, *words = shlex.split(line.partition(" > ")[0])
    assert program == "kproof"
    assert "Examples:" in kproof(words[0], "--help").out
    if not FILES.search(line):
        ran = kproof(*words)
        assert ran.status in (0, 1, 4), ran.err
        return
    command, bound, unused = app.parse_known_args(words)[:3]
    assert unused == []
    assert callable(command)
    assert bound is not None


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell, tmp_path):
    script = kproof("completion", shell).out
    for word in ("anonymize", "theta-sensitive", "--audience", "study", "--sensitive", "--qi"):
        assert word.removeprefix("--") in script
    if shutil.which(shell) is not None:
        file = tmp_path / "kproof"
        file.write_text(script, encoding="utf-8")
        subprocess.run([shell, "-n", str(file)], check=True)


def test_other_shells_are_refused():
    assert "bash" in refused("completion", "tcsh")
