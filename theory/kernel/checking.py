"""Rocq, run on the proofs that come with kproof.

Every file is compiled from its source in an empty folder, and Rocq is asked which axioms each
listed theorem needs. A theorem counts as checked if Rocq accepted its file and names no axiom for
it; an ``Admitted`` is an axiom to Rocq.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from kproof.errors import DataError
from kproof.outputs import write_scratch
from kproof.stages import counted
from kproof.theory.kernel.statements import SOURCES, STATEMENTS, KernelStatement

INSTALL = (
    "apt install coq libcoq-mathcomp-algebra-tactics libcoq-mathcomp-zify (Debian, Ubuntu), "
    "or opam install coq-mathcomp-algebra-tactics coq-mathcomp-zify"
)
"""How Rocq and the libraries of the proofs are installed."""

SECONDS = 600
"""Longest time for one file."""

_CLOSED = "Closed under the global context"
_MARK = "== "


@dataclass(frozen=True)
class CheckedStatement:
    """A theorem, and what Rocq said of it.

    Attributes
    ----------
    name, file
        Of the theorem, and of the file it stands in.
    axioms
        What it takes without proof, as Rocq prints it; empty if it takes nothing.
    """

    name: str
    file: str
    axioms: tuple[str, ...]


@dataclass(frozen=True)
class KernelReport:
    """What Rocq said of the proofs.

    Attributes
    ----------
    version
        Of Rocq.
    seconds
        Time for each file, by name.
    statements
        The listed theorems of all files that were accepted.
    failures
        One text for a file that was not accepted, or a listed theorem that is not there.
    """

    version: str
    seconds: dict[str, float]
    statements: tuple[CheckedStatement, ...]
    failures: tuple[str, ...]

    @property
    def accepted(self) -> bool:
        """Whether every listed theorem is there and needs no axiom."""
        proved = sum(not one.axioms for one in self.statements)
        return not self.failures and proved == len(STATEMENTS)

    def __str__(self) -> str:
        """Return a line for each theorem, and one for all."""
        lines = [f"{one.file}.v, {one.name}: {_worth(one)}" for one in self.statements]
        lines += self.failures
        took = sum(self.seconds.values())
        checked = sum(not one.axioms for one in self.statements)
        lines.append(
            f"{checked} of {len(STATEMENTS)} theorems checked by Rocq {self.version} without an "
            f"axiom, in {took:.0f} s"
        )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        return {"schema": 1, "accepted": self.accepted, **asdict(self)}


def check_kernel(*, progress: Callable[[str], None] | None = None) -> KernelReport:
    """Compile all proofs and ask for the axioms of the listed theorems.

    Parameters
    ----------
    progress
        Told the name of each file before it is compiled.

    Raises
    ------
    DataError
        If ``coqc`` is not installed.
    """
    coqc = shutil.which("coqc")
    if coqc is None:
        raise DataError(f"coqc is not installed; to check the proofs: {INSTALL}")
    seconds: dict[str, float] = {}
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="kproof-kernel-") as name:
        folder = Path(name)
        for source in counted("checking theorems with Rocq", SOURCES):
            if progress is not None:
                progress(source.name)
            write_scratch(folder / source.name, source.read_text(encoding="utf-8"))
            start = time.perf_counter()
            failure = _compiled(coqc, folder, source.name)
            seconds[source.stem] = round(time.perf_counter() - start, 2)
            if failure:
                failures.append(f"{source.name}: not accepted: {failure}")
                break
        known = [one for one in STATEMENTS if (folder / f"{one.file}.vo").exists()]
        found: list[CheckedStatement] = []
        if not failures:
            found, missing = _axioms(coqc, folder, known)
            failures += missing
    return KernelReport(_version(coqc), seconds, tuple(found), tuple(failures))


def _worth(one: CheckedStatement) -> str:
    return f"needs {', '.join(one.axioms)}" if one.axioms else "checked, no axiom"


def _run(coqc: str, folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    # Only what is installed with Rocq and this folder are searched: no file of the caller's.
    known = {key: value for key, value in os.environ.items() if not key.startswith("COQ")}
    return subprocess.run(
        [coqc, "-q", "-w", "-all", "-R", ".", "kproof", name],
        cwd=folder,
        env=known,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def _compiled(coqc: str, folder: Path, name: str) -> str:
    """Compile a file; return what Rocq says against it, or nothing."""
    try:
        ran = _run(coqc, folder, name)
    except subprocess.TimeoutExpired:
        return f"it took more than {SECONDS} s"
    return " ".join(ran.stderr.split())[:400] if ran.returncode else ""


def _axioms(
    coqc: str, folder: Path, wanted: list[KernelStatement]
) -> tuple[list[CheckedStatement], list[str]]:
    lines = [f"From kproof Require {one}." for one in dict.fromkeys(x.file for x in wanted)]
    for one in wanted:
        lines += [
            f'Goal True. idtac "{_MARK}{one.name}". Abort.',
            f"Print Assumptions kproof.{one.file}.{one.name}.",
        ]
    write_scratch(folder / "Asked.v", "\n".join(lines) + "\n")
    ran = _run(coqc, folder, "Asked.v")
    if ran.returncode:
        return [], [f"a listed theorem is not there: {' '.join(ran.stderr.split())[:400]}"]
    said = dict(part.partition("\n")[::2] for part in ran.stdout.split(_MARK)[1:])
    found = []
    for one in wanted:
        answer = said[one.name].strip()
        # Each axiom begins a line with its name and a colon; its type may go on in others.
        named = re.findall(r"^([\w.']+)\s*:", answer.removeprefix("Axioms:"), flags=re.MULTILINE)
        axioms = () if answer == _CLOSED else tuple(named) or (answer[:200] or "nothing said",)
        found.append(CheckedStatement(one.name, one.file, axioms))
    return found, []


def _version(coqc: str) -> str:
    ran = subprocess.run(
        [coqc, "--print-version"], capture_output=True, text=True, timeout=60, check=False
    )
    return ran.stdout.split()[0] if ran.stdout.split() else "of unknown version"
