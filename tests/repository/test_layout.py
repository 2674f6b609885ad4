"""The house: folders, links, build script, layers and the README tell one story."""

import ast
import importlib
import os
import re
import runpy
import tomllib
from collections import Counter
from collections.abc import Container, Iterator
from pathlib import Path
from types import ModuleType

import networkx as nx
import pytest
from apart import python
from listed_names import MODULES

import kproof

ROOT = Path(__file__).parents[2]
PARTS = ("theory", "models", "petri", "proptests")
SOURCES = [
    path
    for folder in ("src", "tests", "benchmarks", "docs", *PARTS)
    for path in sorted((ROOT / folder).rglob("*.py"))
]
# Which sources are worth parsing: most have no line like it.
BARE = re.compile(
    rf"(?:^|[;:])\s*(?:from\s+(?:\.|(?:{'|'.join(PARTS)})\b)"
    rf"|import\b.*(?<![\w.])(?:{'|'.join(PARTS)})\b)",
    re.MULTILINE,
)
HEAVY = {"flint", "matplotlib", "networkx", "numpy", "pandas", "scipy", "sympy"}


def packages() -> set[str]:
    """Every package as the file system has it."""
    found = set()
    for folder, _, files in os.walk(ROOT / "src" / "kproof", followlinks=True):
        if "__init__.py" in files:
            found.add(".".join(Path(folder).relative_to(ROOT / "src").parts))
    return found


def loaded_after(statement: str) -> set[str]:
    """Top-level modules a fresh interpreter holds after a statement."""
    code = (
        f"import sys\n{statement}\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    )
    done = python("-c", code, check=True)
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("part", PARTS)
def test_each_part_is_linked_and_imported_by_its_full_name(part):
    link = ROOT / "src" / "kproof" / part
    assert link.is_symlink()
    assert os.readlink(link) == f"../../{part}"
    origin = importlib.import_module(f"kproof.{part}").__file__
    assert origin is not None
    assert Path(origin).resolve() == ROOT / part / "__init__.py"
    assert importlib.import_module(f"kproof.{part}").__doc__


def test_the_build_script_maps_the_same_folders(monkeypatch):
    setuptools = pytest.importorskip("setuptools")
    told: dict[str, object] = {}
    monkeypatch.setattr(setuptools, "setup", told.update)
    monkeypatch.chdir(ROOT)
    runpy.run_path("setup.py")
    named = told["packages"]
    assert isinstance(named, list)
    assert sorted(named) == sorted(packages())
    assert told["package_dir"] == {"": "src"} | {f"kproof.{part}": part for part in PARTS}


def test_every_package_has_a_layer():
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    assert isinstance(table, dict)
    (contract,) = (one for one in table["contracts"] if one["name"] == "layers")
    layers = set(contract["layers"])
    own = {name for name in packages() if name.count(".") == 1}
    modules = {f"kproof.{path.stem}" for path in (ROOT / "src" / "kproof").glob("[!_]*.py")}
    assert layers == own | modules


def test_the_layers_hold():
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    done = python("-c", code, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def modules() -> dict[str, Path]:
    """Every module of the package by its full name."""
    found = {}
    for folder, _, files in os.walk(ROOT / "src" / "kproof", followlinks=True):
        for name in files:
            if name.endswith(".py"):
                path = Path(folder) / name
                parts = path.relative_to(ROOT / "src").with_suffix("").parts
                found[".".join(parts[:-1] if name == "__init__.py" else parts)] = path
    return found


def imported(path: Path, known: Container[str]) -> set[str]:
    """The modules that a file imports: at the top, in functions or for types only."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in known else node.module for name in names}
    return {name for name in found if name in known}


def test_no_import_cycles():
    """Import-linter says it of siblings; this counts modules, packages included as modules."""
    known = modules()
    graph = nx.DiGraph((name, one) for name, path in known.items() for one in imported(path, known))
    assert not [sorted(part) for part in nx.strongly_connected_components(graph) if len(part) > 1]


def bare_imports(text: str) -> Iterator[str]:
    """Yield the imports in a source that are relative, or name a part without the package."""
    if not BARE.search(text):
        return
    for node in ast.walk(ast.parse(text)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = ["." * node.level + (node.module or "")]
        yield from (name for name in names if name.split(".")[0] in {"", *PARTS})


def test_no_file_imports_a_part_by_its_bare_name():
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in SOURCES}
    assert {name: bare for name, text in texts.items() if (bare := [*bare_imports(text)])} == {}


@pytest.mark.parametrize(
    "line",
    [
        *("import theory", "import os, models.base as base", "from petri.net import net"),
        *(
            "from . import api",
            "from .theory import exact",
            "def run():\n    from theory import exact",
        ),
        *("if True: import proptests", "x = 1; from models import base"),
    ],
)
def test_a_bare_import_is_seen(line):
    assert list(bare_imports(line))


def test_no_module_and_no_folder_of_the_product_is_too_large_to_look_through() -> None:
    product = [path for part in ("src", *PARTS) for path in sorted((ROOT / part).rglob("*.py"))]
    assert max(Counter(path.parent for path in product).values()) <= 30
    long = {path.relative_to(ROOT).as_posix() for path in product
            if path.read_text(encoding="utf-8").count("\n") > 500}  # fmt: skip
    # It imports nothing, so that a reader has all of it in one file.
    assert long == {"theory/recheck.py"}


@pytest.mark.parametrize("package", [*MODULES, kproof.proptests], ids=lambda one: one.__name__)
def test_public_names_are_lazy_and_agree(package):
    for name in package.__all__:
        assert not isinstance(getattr(package, name), ModuleType)
    assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = package.nothing


def test_what_a_newcomer_sees_is_not_too_much():
    assert len(dir(kproof)) <= 40
    for former in ("frontier", "Binomial", "design", "Frontier", "anonymize_folder"):
        assert callable(getattr(kproof, former))
        assert former not in dir(kproof)


def test_importing_kproof_imports_nothing_heavy():
    assert not loaded_after("import kproof") & HEAVY
    assert not loaded_after("import kproof, kproof.cli, kproof.errors") & HEAVY


def test_what_prints_tables_is_imported_when_there_is_one():
    """It takes as long as the whole start of a command that prints a line."""
    assert "rich" not in loaded_after("import kproof.cli")


def test_help_imports_nothing_heavy():
    assert not loaded_after("from kproof.cli import main; main(['--help'])") & HEAVY


def test_ledgers_load_none_of_the_modules_that_they_quote():
    """Only flint, which reads the numbers of the command line as well."""
    listing = "from kproof.report.ledgers import documents; documents()"
    assert loaded_after(listing) & HEAVY <= {"flint"}


def test_the_readme_has_two_set_up_commands():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^pip install .*$", readme, flags=re.MULTILINE)
    assert len(commands) == 2
    assert re.fullmatch(r"pip install '\.\[report\]' && kproof report .*", commands[0])
    assert re.fullmatch(r"pip install -e '\.\[test\]' && pytest.*", commands[1])


def test_version_is_in_the_changelog():
    assert f"## [{kproof.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
