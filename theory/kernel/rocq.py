"""Rocq in a private folder: only what is installed with it is loaded, nothing of the caller's.

The environment is written anew, not inherited: no ``COQPATH``, ``COQLIB``, ``ROCQPATH``,
``OCAMLPATH`` or ``XDG_*`` of the caller reaches Rocq, no ``.coqrc`` is read, and the folder it
runs in was empty. :class:`Rocq` compiles files there and asks about what they define.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from kproof.errors import DataError
from kproof.outputs import scratch_folder, write_scratch

INSTALL = (
    "apt install coq libcoq-mathcomp-algebra-tactics libcoq-mathcomp-zify (Debian, Ubuntu), "
    "or opam install coq-mathcomp-algebra-tactics coq-mathcomp-zify"
)
"""How Rocq and the libraries of the proofs are installed."""

LIBRARIES = ("all_ssreflect", "all_algebra", "ring", "zify")
"""What the proofs require of MathComp."""

SECONDS = 600
"""Longest time for one file."""

REFUSALS = 8
"""After so many commands that Rocq refuses, what is left is not asked: each costs a run."""

_MARK = "== "
_REFUSED_AT = re.compile(r'^File "\./Asked\.v", line (\d+)', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Rocq:
    """Rocq, and the two folders that it may write to."""

    coqc: str
    """The compiler."""
    proofs: Path
    """Where files are compiled, as the library ``kproof``."""
    home: Path
    """What Rocq takes for the caller's home and data; empty."""

    @classmethod
    def within(cls, folder: Path) -> Rocq:
        """Return Rocq for an empty folder of one's own.

        Raises:
            DataError: If ``coqc`` is not installed, or a library of the proofs is not.
        """
        coqc = shutil.which("coqc")
        if coqc is None:
            raise DataError(f"coqc is not installed; to check the proofs: {INSTALL}")
        rocq = cls(
            coqc, Path(scratch_folder(folder / "proofs")), Path(scratch_folder(folder / "home"))
        )
        requirements = {name: f"From mathcomp Require {name}." for name in LIBRARIES}
        lacking = rocq.ask("", requirements)[1]
        if lacking:
            raise DataError(
                f"Rocq {rocq.version()} loads no {', '.join(lacking)} of mathcomp "
                f"({next(iter(lacking.values()))}); to check the proofs: {INSTALL}"
            )
        return rocq

    def environment(self) -> dict[str, str]:
        """Return all variables that Rocq sees: none of the caller's."""
        # XDG_DATA_DIRS is set, not left out: without it Rocq searches /usr/local/share/coq.
        kinds = ("HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS")
        path = os.pathsep.join((os.path.dirname(os.path.abspath(self.coqc)), os.defpath))
        return {**dict.fromkeys(kinds, str(self.home)), "PATH": path, "LC_ALL": "C.UTF-8"}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run ``coqc`` in the private folder.

        Raises:
            subprocess.TimeoutExpired: If it takes longer than :data:`SECONDS`.
        """
        return subprocess.run(
            [self.coqc, *arguments],
            cwd=self.proofs,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS,
            check=False,
        )

    def version(self) -> str:
        """Return the version of Rocq."""
        words = self.run("--print-version").stdout.split()
        return words[0] if words else "of unknown version"

    def compile(self, name: str, text: str) -> str:
        """Compile a file of the proofs; return what Rocq says against it, or nothing."""
        write_scratch(self.proofs / name, text)
        try:
            # `-q`: no file of settings, which could load what it likes.
            ran = self.run("-q", "-w", "-all", "-R", ".", "kproof", name)
        except subprocess.TimeoutExpired:
            return f"it took more than {SECONDS} s"
        message = " ".join(ran.stderr.split())[:400]
        return (message or f"it ended with {ran.returncode}") if ran.returncode else ""

    def ask(self, before: str, commands: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
        """Return what Rocq answers to each command, by key, and what it says of those it refuses.

        Args:
            before: What comes before the commands; if Rocq refuses that, it refuses all of them.
            commands: Each is one line, and what it prints is its answer.
        """
        refused: dict[str, str] = {}
        while len(refused) < min(REFUSALS, len(commands)):
            pending = [key for key in commands if key not in refused]
            head = [*before.splitlines(), ""]
            # One line each: the line that Rocq refuses says which command it was.
            # A goal that is given up prints the key in front of what the command prints.
            lines = [f'Goal True. idtac "{_MARK}{key}". Abort. {commands[key]}' for key in pending]
            write_scratch(self.proofs / "Asked.v", "\n".join([*head, *lines]) + "\n")
            try:
                ran = self.run("-q", "-w", "-all", "-R", ".", "kproof", "Asked.v")
            except subprocess.TimeoutExpired:
                return {}, dict.fromkeys(commands, f"it took more than {SECONDS} s")
            if not ran.returncode:
                parts = f"\n{ran.stdout}".split(f"\n{_MARK}")[1:]
                return dict(part.partition("\n")[::2] for part in parts), refused
            message = " ".join(ran.stderr.split())[:400]
            position = _REFUSED_AT.search(ran.stderr)
            place = int(position[1]) - len(head) - 1 if position else -1
            if place < 0:
                return {}, dict.fromkeys(commands, message)
            refused[pending[place]] = message
        return {}, {key: refused.get(key, "not asked") for key in commands}

    def foreign_paths(self) -> list[str]:
        """Return the folders that Rocq searches and that are not its own: none, if all is well."""
        installed = self.run("-where").stdout.strip()
        answers, refused = self.ask("Set Printing Width 1000000.", {"paths": "Print LoadPath."})
        if refused or not installed:
            # Without an answer an empty list would say that all is well.
            return ["unknown"]
        # The first line is a heading; a logical path has no space, a folder may have.
        folders = [line.partition(" ")[2] for line in answers["paths"].splitlines()[1:]]
        own_folders = (Path(installed), self.proofs.resolve())
        return [
            name
            for name in folders
            if not any(
                Path(name).resolve().is_relative_to(folder.resolve()) for folder in own_folders
            )
        ]
