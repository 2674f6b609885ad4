"""Hold published libraries to what they promise, each in an environment of its own.

Run from the folder above as ``python -m peers.run``. Environments are made in the cache folder
and take kproof from this checkout. Every library runs in three processes with the same seed; a
failure counts if all of them end with the same smallest input.
"""

from __future__ import annotations

import json
import subprocess
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from os import environ
from pathlib import Path
from typing import Any

from common import interpreter, reason
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
PANDAS = "pandas==2.3.3"
LIBRARIES: Mapping[str, tuple[str, ...]] = {
    "anonypy": ("anonypy==0.2.1", PANDAS),
    "anonypyx": ("anonypyx==0.2.11", PANDAS),
    "anjana": ("anjana==1.2.3",),
    "anonymity_api": ("anonymity-api==1.0.4", PANDAS),
    "pycanon": ("pycanon==1.3.6",),
}
"""What each script needs; a pandas where the library does not say which."""


def main() -> None:
    """Run the libraries and print a table: library, method, input, check, outcome."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=LIBRARIES, action="append", help="only this library")
    parser.add_argument("--times", type=int, default=3, help="processes for each library")
    asked, passed_on = parser.parse_known_args()
    table = Table("library", "method", "input", "check", "outcome", box=None)
    for name in asked.only or LIBRARIES:
        try:
            runs = [list(_run(name, passed_on)) for _ in range(asked.times)]
        except (OSError, subprocess.CalledProcessError) as failure:
            table.add_row(name, "", "", "", f"could not be run: {reason(failure)}")
            continue
        for documents in zip(*runs, strict=True):
            for row in _outcomes(documents):
                table.add_row(*row)
    Console(width=160).print(table)


def _run(name: str, words: list[str]) -> Iterator[dict[str, Any]]:
    cache = Path(environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    needed = [*LIBRARIES[name], "-e", str(HERE.parents[1])]
    python = interpreter(cache / "kproof-benchmarks" / f"peers-{name}", needed)
    command = [str(python), "-m", f"peers.{name}", *words]
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=True)
    yield from map(json.loads, done.stdout.splitlines())


def _outcomes(documents: tuple[dict[str, Any], ...]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each check that is not in order, and one for those that are."""
    first = documents[0]
    head = (f"{first['package']} {first['version']}", first["method"], first["input"])
    kept = 0
    for results in zip(*(one["results"] for one in documents), strict=True):
        result = results[0]
        if result["violation"] is None:
            refused = result["status"] == "vacuous" and first["input"] == "infeasible"
            kept += result["ok"] or refused
            if not (result["ok"] or refused):
                yield (*head, result["check"], result["status"])
            continue
        if result["check"] in first["expected"]:
            outcome = f"as documented: {first['expected'][result['check']]}"
        elif any(other["case"] != result["case"] for other in results):
            outcome = "failed, not each time on the same input"
        else:
            outcome = result["violation"]["sentence"]
        yield (*head, result["check"], outcome)
    yield (*head, "", f"{kept} of {len(first['results'])} in order")


if __name__ == "__main__":
    main()
