"""Every check that decides whether a change is good; ``.ci/run`` calls all of them.

``nox -l`` lists them, ``nox -s lint`` runs one. The two set-up commands of the README are run word
for word with pip, in environments that are made for them; uv fills every other environment. Only
``tests`` installs the checkout itself: the other sessions work on copies, so that sessions which
run side by side share neither build files nor compiled kernels.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv"
# No Python is fetched: a machine without the newest one says so and passes.
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False

ROOT = Path(__file__).parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kproof"
TOOLS: list[str] = PYPROJECT["project"]["optional-dependencies"]["test"]
HOOKS = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")

# Pages that use each library, every kind of frame: enough to notice a version that does not fit.
SMOKE_FILES = (
    "tests/docs/test_docs.py",
    "tests/models/tables/test_frames.py",
    "tests/cli/test_quadtree.py",
    "tests/models/base/test_uniqueness.py",
)
SMOKE_WORDS = "README or density or smt or exact or frame or quadtree or narrow"


def readme_command(session: nox.Session, then: str) -> str:
    """Return the set-up command of the README that goes on with a word."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.findall(rf"^pip install .*&& {re.escape(then)}.*$", readme, flags=re.MULTILINE)
    if len(found) != 1:
        session.error(f"README has {len(found)} commands for {then!r}, not one")
    command: str = found[0]
    return command


def run_as_typed(session: nox.Session, command: str) -> None:
    """Run a line as a newcomer's shell would, in the environment of the session."""
    session.log(command)
    session.run("bash", "-euo", "pipefail", "-c", command, external=True, log=False)


def requirement(name: str) -> str:
    """Return what pyproject.toml asks of a tool that the tests need."""
    (found,) = (line for line in TOOLS if line.partition(">")[0] == name)
    return found


def copy_of_checkout(session: nox.Session) -> Path:
    """Return a copy of what git knows or would add, without the symbolic links."""
    copy = Path(session.create_tmp()) / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        source = ROOT / name
        # A file that was deleted is listed until the deletion is staged.
        if source.is_file() and not source.is_symlink():
            target = copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    return copy


def newest_python() -> str:
    """Return the newest Python that pyproject.toml names: its path, or else its version."""
    version = nox.project.python_versions(PYPROJECT)[-1]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    on_path = shutil.which(f"python{version}")
    places = ([Path(on_path)] if on_path else []) + [
        *pyenv.glob(f"versions/{version}.*/bin/python")
    ]
    for place in places:
        # A shim of pyenv is on the path whether or not its version is switched on.
        if subprocess.run([place, "--version"], capture_output=True, check=False).returncode == 0:
            return str(place)
    return version


@nox.session(venv_backend="venv")
def tests(session: nox.Session) -> None:
    """Run the second set-up command of the README: every test."""
    run_as_typed(session, readme_command(session, "pytest"))


@nox.session(venv_backend="venv")
def main_job(session: nox.Session) -> None:
    """Run the first set-up command of the README: a report, from a wheel."""
    command = readme_command(session, "kproof report")
    session.chdir(copy_of_checkout(session))
    report = Path("results/report.html")
    # The copy holds the report of the repository, which would pass for a new one.
    report.unlink()
    run_as_typed(session, command)
    if not report.stat().st_size:
        session.error("the report is empty")


@nox.session(reuse_venv=True)
def lint(session: nox.Session) -> None:
    """Check rules and layout of the source with ruff."""
    # The version of the hooks, so that what passes before a commit passes here.
    session.install(*set(re.findall(r"ruff==[\d.]+", HOOKS)))
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session(reuse_venv=True)
def imports(session: nox.Session) -> None:
    """Check who may import whom with import-linter."""
    session.install(requirement("import-linter"))
    session.run("lint-imports", env={"PYTHONPATH": "src"})


@nox.session(reuse_venv=True)
def types(session: nox.Session) -> None:
    """Check types with mypy, strictly."""
    session.install("-r", "pyproject.toml", "--extra", "test")
    session.run("mypy")


@nox.session(reuse_venv=True)
def metadata(session: nox.Session) -> None:
    """Check the files that others read: CITATION.cff, hooks, the action, the workflow, forms."""
    session.install("check-jsonschema>=0.39", "pre-commit>=4")
    session.run("pre-commit", "validate-config")
    forms = ROOT / ".github" / "ISSUE_TEMPLATE"
    for schema, paths in {
        "citation-file-format": [ROOT / "CITATION.cff"],
        "github-actions": [ROOT / "action.yml"],
        "github-workflows": sorted((ROOT / ".github" / "workflows").glob("*.yml")),
        "github-issue-config": [forms / "config.yml"],
        "github-issue-forms": [
            path for path in sorted(forms.glob("*.yml")) if path.stem != "config"
        ],
    }.items():
        # The schemas come with the tool: no network is asked.
        named = ("--builtin-schema", f"vendor.{schema}")
        session.run("check-jsonschema", *named, *map(str, paths))


@nox.session(reuse_venv=True)
def docs(session: nox.Session) -> None:
    """Build the documentation into docs/_build/html; a warning or a dead link is an error."""
    copy = copy_of_checkout(session)
    session.install("--reinstall-package", "kproof", f"{copy}[docs]")
    built = ROOT / "docs" / "_build" / "html"
    session.run("sphinx-build", "-q", "-W", "-b", "html", str(copy / "docs"), str(built))
    for script in ("links.py", "search_words.py"):
        session.run("python", str(ROOT / "tests" / "support" / script), str(built))


@nox.session(default=False)
def links(session: nox.Session) -> None:
    """Ask other sites whether they have the pages and anchors that the docs lead to.

    It needs the network, and sites come and go: no part of ``.ci/run``. Run it before a release.
    """
    copy = copy_of_checkout(session)
    session.install("--reinstall-package", "kproof", f"{copy}[docs]")
    told = Path(session.create_tmp()) / "links"
    session.run("sphinx-build", "-q", "-b", "linkcheck", str(copy / "docs"), str(told))


@nox.session
def package(session: nox.Session) -> None:
    """Build the source distribution, and from it the wheel; run what the wheel installs."""
    session.install("build[uv]>=1.2", "twine>=6")
    copy = copy_of_checkout(session)
    session.chdir(copy)
    command = ("python", "-m", "build", "--installer", "uv", "--outdir", "dist", ".")
    session.run(*command, silent=True)
    built = sorted(str(path) for path in Path("dist").iterdir())
    session.run("twine", "check", "--strict", *built)
    session.install(*(path for path in built if path.endswith(".whl")))
    session.run("kproof", "exact", "normal", "--sigma", "2", "--epsilon", "0.5")


@nox.session
def core(session: nox.Session) -> None:
    """Install the core alone, weigh it, and run what it is for."""
    session.install(str(copy_of_checkout(session)))
    megabytes = float(str(session.run("python", "-c", WEIGH, silent=True)))
    session.log(f"the core has {megabytes:.1f} MB")
    if megabytes > MOST_MEGABYTES:
        session.error(f"need at most {MOST_MEGABYTES} MB")
    run_what_is_for(session, "core")


@nox.session(default=False)
def extras(session: nox.Session) -> None:
    """Install each extra by job alone, and run what it is for; nightly goes on with it."""
    copy = copy_of_checkout(session)
    for extra in json.loads(COMMANDS.read_text(encoding="utf-8")):
        if extra != "core":
            # What other extras have brought goes.
            session.install("--exact", f"{copy}[{extra}]")
            run_what_is_for(session, extra)


def run_what_is_for(session: nox.Session, extra: str) -> None:
    """Run the commands of the core or of an extra, in a folder of their own."""
    folder = Path(session.create_tmp()) / extra
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    commands = json.loads(COMMANDS.read_text(encoding="utf-8"))[extra]
    lines = [command.replace("ROLES", ROLES) for command in commands]
    with session.chdir(folder):
        session.run("python", "-c", RUN, *lines, silent=True)


COMMANDS = ROOT / "tests" / "extras.json"
ROLES = "--qi 'Age,Zip Code' --sensitive Disease --identifier ID,Name"
MOST_MEGABYTES = 110
WEIGH = """
from importlib.metadata import distributions
print(sum(file.size or 0 for it in distributions() for file in it.files or ()) / 1e6)
"""
"""Adds up the files of all that is installed, without the byte code that Python makes of them."""


RUN = """
import shlex, sys
from kproof.cli import main
for line in sys.argv[1:]:
    program, *words = shlex.split(line)
    # 1 and 4 are answers, too: something does not hold, or rests on somebody's word.
    if program == "python":
        exec(words[1])
    elif (status := main(words)) not in (0, 1, 4):
        sys.exit(f"{line}: status {status}")
"""
"""Runs commands in one process, which imports what they share once."""


@nox.session(default=False)
def nightly(session: nox.Session) -> None:
    """Look ten times as hard as the tests do, and elsewhere every day.

    10,000 false steps for each method are drawn, and none may be accepted. Every member of the zoo
    is hunted, every property has its examples, and every figure of the judge has to be that of an
    adversary who tries all assignments of rows, on 10,000 tables.
    """
    session.notify("extras")
    session.install(f"{copy_of_checkout(session)}[test]")
    attack = str(ROOT / "tests" / "support" / "attack.py")
    seed = str(datetime.now(tz=UTC).date().toordinal())
    session.run("python", attack, "--cases", "10000", "--seed", seed, *session.posargs)
    # Without CI, with which Hypothesis would draw what it draws by day.
    harder = {"KPROOF_EXAMPLES": "10", "KPROOF_TABLES": "10000", "KPROOF_SEED": seed, "CI": None}
    session.run("pytest", "-q", f"--hypothesis-seed={seed}", str(ROOT / "tests"), env=harder)


@nox.session(default=False, python="3.12", venv_backend="venv")
def corpus(session: nox.Session) -> None:
    """Call the anonymizers of ``benchmarks/corpus`` again and compare with what is stored.

    Each is a file whose digest is known, and nothing that it needs is taken from it: some ask for
    versions, or for Pythons, that exclude one another. It needs the package index and half an hour.
    """
    folder = ROOT / "benchmarks" / "corpus"
    libraries = json.loads((folder / "libraries.json").read_text(encoding="utf-8"))
    pinned = Path(session.create_tmp()) / "pinned.txt"
    pinned.write_text(
        "".join(
            f"{name}=={library['version']} --hash=sha256:{library['sha256']}\n"
            for name, library in libraries.items()
        ),
        encoding="utf-8",
    )
    session.install("-r", str(folder / "requirements.txt"), str(copy_of_checkout(session)))
    session.install("--no-deps", "--ignore-requires-python", "--require-hashes", "-r", str(pinned))
    session.chdir(folder.parent)
    session.run("python", "-m", "corpus.run", *session.posargs)


@nox.session
def kernel(session: nox.Session) -> None:
    """Let Rocq check the theorems that come with kproof, as they are installed.

    What this machine's Rocq has said of the same texts is kept, and said again: it takes minutes.
    """
    if shutil.which("coqc") is None:
        session.skip("coqc is not installed")
    said = CACHE / "kernel" / f"{checked_by_rocq()}.txt"
    if not said.exists():
        session.install(str(copy_of_checkout(session)))
        answer = session.run("kproof", "audit", "--kernel", silent=True)
        said.parent.mkdir(parents=True, exist_ok=True)
        said.write_text(str(answer), encoding="utf-8")
    session.log(said.read_text(encoding="utf-8"))


def checked_by_rocq() -> str:
    """Return a digest of all that decides what Rocq says: our texts, its version, its libraries."""
    digest = hashlib.sha256()
    texts = [*(ROOT / "theory" / "kernel").iterdir(), *(ROOT / "theory" / "rocq").iterdir()]
    for path in sorted(path for path in texts if path.is_file()):
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    for option in ("-print-version", "-where"):
        printed = subprocess.run(["coqc", option], check=True, capture_output=True, text=True)
        digest.update(printed.stdout.encode())
    for path in sorted(Path(printed.stdout.strip()).rglob("*.vo")):
        digest.update(f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}\0".encode())
    return digest.hexdigest()


def smoke(session: nox.Session, *options: str) -> None:
    """Run a few tests against a wheel, with the versions that uv chooses."""
    copy = copy_of_checkout(session)
    session.install(*options, f"{copy}[test]")
    session.chdir(copy)
    # Old versions know nothing of their successors, and a new Python may deprecate more. A single
    # process, since a second one would compile the same kernels again.
    warnings = ("-o", "filterwarnings=default")
    session.run("pytest", "-q", *warnings, *SMOKE_FILES, "-k", SMOKE_WORDS)


@nox.session
def lowest(session: nox.Session) -> None:
    """Run a few tests with the oldest versions that pyproject.toml admits."""
    smoke(session, "--resolution", "lowest-direct")


@nox.session(python=newest_python())
def newest(session: nox.Session) -> None:
    """Run a few tests with the newest Python that pyproject.toml names."""
    smoke(session)
