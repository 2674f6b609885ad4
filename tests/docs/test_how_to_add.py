"""The pages on what is added to kproof itself, followed word for word in a copy of the repository.

A page says `Write FILE:` above what is in a new file, and `in FILE:` above a difference, whose
lines without a sign are the place. Its shell blocks have to succeed.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from apart import EACH_LINE

ROOT = Path(__file__).parents[2]
FOLDERS = ("theory", "models", "petri", "proptests", "src", "tests", "docs")
BLOCK = re.compile(r"^(?P<ticks>`{3,4})(?P<kind>\w+)\n(?P<code>.*?)^(?P=ticks)$", re.M | re.S)
PLACE = re.compile(r"(?P<verb>Write|[Ii]n) `(?P<file>[^`]+)`:\s*$")


def changed(text: str, difference: str) -> str:
    """Return a text with a difference applied at the one place that it fits."""
    lines = difference.splitlines()
    old = "".join(f"{line[1:]}\n" for line in lines if line[:1] != "+")
    new = "".join(f"{line[1:]}\n" for line in lines if line[:1] != "-")
    assert text.count(old) == 1, f"{text.count(old)} places for:\n{old}"
    return text.replace(old, new)


def shell(lines: str, folder: Path) -> str:
    """Return what a block of commands prints where the copy is the package."""
    bin_folder = str(Path(sys.executable).parent)
    done = subprocess.run(
        ["bash", "-e", "-c", lines],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{bin_folder}:{os.environ['PATH']}",
            "PYTHONPATH": str(folder / "src"),
            "PYTEST_ADDOPTS": "-p no:cacheprovider -n 0",
            "COLUMNS": "100",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{lines}\n{done.stdout[-4000:]}\n{done.stderr[-2000:]}"
    return done.stdout


def kproof(*lines: str, folder: Path) -> list[str]:
    """Return what each of some commands prints, in one process."""
    return shell(shlex.join(("python", "-c", EACH_LINE, *lines)), folder).split("\0")[:-1]


def followed(page: str, folder: Path) -> list[str]:
    """Do in a copy of the repository what a page says, and return what its commands print."""
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, symlinks=True)
    for path in ROOT.glob("*.*"):
        if path.is_file():
            shutil.copy2(path, folder)
    text = (ROOT / "docs" / "how-to" / page).read_text(encoding="utf-8")
    printed = []
    for block in BLOCK.finditer(text):
        code = block["code"]
        if block["kind"] == "sh":
            printed.append(shell(code, folder))
            continue
        place = PLACE.search(text[: block.start()])
        assert place is not None, f"no file is named above:\n{code}"
        path = folder / place["file"]
        if place["verb"] == "Write":
            assert not path.exists()
            path.parent.mkdir(exist_ok=True)
            path.write_text(code, encoding="utf-8")
        else:
            path.write_text(changed(path.read_text(encoding="utf-8"), code), encoding="utf-8")
    return printed


def test_a_privacy_model(tmp_path):
    _, printed, suite = followed("add-a-privacy-model.md", tmp_path)
    assert "minority(minority=1)" in printed
    assert "agrees with brute force  passed" in suite
    roles = "--qi Age --sensitive Disease --drop ID,Name"
    *helped, _ = kproof(
        "check --help",
        "compare --help",
        "anonymize full-domain --help",
        f"report table-1a {roles} --k 3 -o page --sections table",
        folder=tmp_path,
    )
    assert all("--minority" in page for page in helped)
    assert "Fewest rows beside the commonest" in helped[0]
    page = (tmp_path / "docs" / "reference" / "registered.md").read_text(encoding="utf-8")
    assert "every class has so many rows beside those of its commonest value" in page
    assert "rows beside the commonest value" in (tmp_path / "page" / "report.html").read_text()


def test_a_method(tmp_path):
    _, printed = followed("add-a-method.md", tmp_path)
    assert "method: runs(k=4" in printed
    assert "checks in order" in printed
    assert (tmp_path / "runs.csv").read_text(encoding="utf-8").count("\n") == 13
    roles = "--qi Age --sensitive Disease --drop ID,Name"
    helped, attacked, compared, _ = kproof(
        "anonymize --help",
        f"attack homogeneity runs table-1a {roles} --k 4 --audience study",
        f"compare table-1a {roles} --methods runs,mondrian --k 2 --audience study",
        f"report table-1a {roles} --k 3 -o page --sections table",
        folder=tmp_path,
    )
    assert "runs" in helped
    assert "homogeneity: 0 of 12 people disclosed" in attacked
    assert re.search(r"\bruns\b", compared)
    page = (tmp_path / "docs" / "reference" / "registered.md").read_text(encoding="utf-8")
    assert "| `runs` | table |" in page
    assert 'data-label="runs"' in (tmp_path / "page" / "report.html").read_text(encoding="utf-8")


def test_a_step_that_fits_nowhere_is_no_step():
    assert changed("a\nb\n", " a\n+c\n-b\n") == "a\nc\n"
    with pytest.raises(AssertionError, match="0 places"):
        changed("a\nb\n", " c\n+d\n")
    with pytest.raises(AssertionError, match="2 places"):
        changed("a\na\n", " a\n+d\n")
