"""The core does without large libraries, and whoever needs one is told what to type."""

import json
import re
import shlex
import tomllib
from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from apart import python
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from kproof.extras import EXTRAS, JOBS

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BROUGHT: dict[str, list[str]] = PROJECT["optional-dependencies"]

SCRIPT = """
import sys
from importlib.machinery import PathFinder

class Installed(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        missing = name.partition(".")[0] in {missing!r}
        return None if missing else PathFinder.find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Installed
from kproof.models.base import compiled
compiled.PATIENCE = {patience}
from kproof.cli import main
for line in sys.stdin:
    words = line.rstrip("\\n").split("\\t")
    print("status", main(words), *words, file=sys.stderr)
"""
"""Runs commands where libraries are not installed: finders are asked, and none has them."""


def run_without(
    missing: Iterable[str], commands: list[str], folder: Path, *, patience: int = 1_000_000
) -> list[str]:
    """Run commands in a folder; return what stands on stderr."""
    ran = python(
        "-c",
        SCRIPT.format(missing=sorted(missing), patience=patience),
        cwd=folder,
        input="".join("\t".join(shlex.split(command)) + "\n" for command in commands),
    )
    lines = ran.stderr.splitlines()
    assert sum(line.startswith("status") for line in lines) == len(commands), ran.stderr
    return lines


def distributions(extra: str) -> set[str]:
    """Return the names of what an extra installs of itself, those of other extras included."""
    names: set[str] = set()
    for requirement in map(Requirement, BROUGHT[extra]):
        if requirement.name == "kproof":
            names = names.union(*map(distributions, requirement.extras))
        else:
            names.add(canonicalize_name(requirement.name))
    return names


DISTRIBUTION = {
    name: canonicalize_name(found[0]) for name, found in packages_distributions().items()
}


@pytest.mark.parametrize("library", EXTRAS)
def test_an_extra_that_is_named_brings_the_library(library):
    name = DISTRIBUTION.get(library, canonicalize_name(library))
    assert name not in {
        canonicalize_name(Requirement(line).name) for line in PROJECT["dependencies"]
    }
    assert set(EXTRAS[library]) <= {
        extra for extra in BROUGHT if extra not in ("all", "test") and name in distributions(extra)
    }
    assert name in distributions("all")


def test_rooms_with_a_task_exist():
    assert set(JOBS.values()) <= set(RUNS) - {"core"} <= set(BROUGHT)
    for room in JOBS:
        import_module(room)


ROLES = "--qi 'Age,Zip Code' --sensitive Disease --identifier ID,Name"
RUNS: dict[str, list[str]] = json.loads((ROOT / "tests" / "extras.json").read_text())
"""What ``nox -s core extras`` runs where the core, or it and one extra, is all there is."""

CORE = [line.removeprefix("kproof ").replace("ROLES", ROLES) for line in RUNS["core"]]
NEEDS = {
    "bound 2 --data table-1a --column Age --shift 1": "sympy theory",
    "audit Z6 --run": "sympy theory",
    f"anonymize kaca table-1a {ROLES} -o x.csv --k 2 --set clustering=k-means": "scipy report",
    f"report table-1a {ROLES} --k 3 --output r": "networkx report",
    "net explore theta-sensitive --data table-4b --k 4": "scipy nets",
    "verify mondrian --profile quick": "hypothesis suite",
    "anonymize density --users 40 --seed 2 -o x.csv": "scipy places",
    "serve --demo": "fastapi serve",
    "roles x.parquet": "pyarrow parquet",
    "check postgres://a@localhost/b?table=t --qi a --k 2": "ibis engines",
}


def test_the_core_needs_no_extra(tmp_path):
    lines = run_without(EXTRAS, CORE, tmp_path)
    assert [line for line in lines if not re.match("status [014] ", line)] == []


def test_what_needs_an_extra_says_which(tmp_path):
    lines = run_without(EXTRAS, list(NEEDS), tmp_path)
    for said, status, needs in zip(lines[::2], lines[1::2], NEEDS.values(), strict=True):
        library, extra = needs.split()
        assert said == f"kproof: {library} is not installed: pip install 'kproof[{extra}]'"
        assert status.startswith("status 2 ")
    assert [path.name for path in tmp_path.iterdir()] == []


def test_others_find_nothing_where_nothing_is(tmp_path):
    """Who asks whether a library is there is not refused."""
    code = "import kproof.models.tables.frames; from importlib.util import find_spec"
    names = {"numba", "nothing"}
    script = SCRIPT.format(missing=names, patience=0).partition("from kproof")[0]
    assert python(
        "-c", f"{script}\n{code}\nprint(*map(find_spec, {sorted(names)!r}))", check=True
    ).stdout.split() == ["None", "None"]


def test_kernels_that_nobody_compiles_do_the_same(tmp_path):
    commands = [
        f"anonymize mondrian table-1a {ROLES} -o mondrian.csv --k 2 --audience study",
        f"anonymize full-domain table-1a {ROLES} -o full.csv --k 2 --audience study",
        f"anonymize kaca-hierarchical table-1a {ROLES} -o kaca.csv --k 2 --audience study",
    ]
    (tmp_path / "plain").mkdir()
    (tmp_path / "fast").mkdir()
    lines = run_without({"numba"}, commands, tmp_path / "plain", patience=0)
    (said,) = (line for line in lines if not line.startswith("status"))
    assert said.endswith(": pip install 'kproof[fast]'")
    run_without((), commands, tmp_path / "fast", patience=0)
    for path in (tmp_path / "plain").iterdir():
        assert path.read_bytes() == (tmp_path / "fast" / path.name).read_bytes()


PAGES = [*(ROOT / "docs" / "how-to").glob("*.md"), *(ROOT / "docs" / "tutorial").glob("*.md")]
IN_A_CHECKOUT = {"add-a-method.md", "release.md"}
TASKS = {"verify": "suite", "net": "nets", "report": "report", "serve": "serve"} | dict.fromkeys(
    ("bound", "design", "calculator"), "theory"
)


def test_pages_name_the_extras_of_their_commands():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        commands = set(re.findall(r"^(?:\$ )?kproof (\w+) ", text, flags=re.MULTILINE))
        asked = {TASKS[command] for command in commands & set(TASKS)}
        named = {extra for extra in asked if f"kproof[{extra}]" in text}
        assert page.name in IN_A_CHECKOUT or asked == named, page.name
