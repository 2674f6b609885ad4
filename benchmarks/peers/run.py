"""Hold published libraries to what they promise, each in an environment of its own.

Run from the folder above as ``python -m peers.run``. Environments are made in the cache folder
and take kproof from this checkout. Every library runs in three processes with the same seed; a
failure counts if all of them end with the same smallest input. With ``--out`` every outcome is
kept as a line of a CSV file.
"""

import csv
import json
import subprocess
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from os import environ
from pathlib import Path
from typing import Any

from common import interpreter, reason
from rich.console import Console
from rich.table import Table

from kproof.outputs import replace_file, together

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


@dataclass(frozen=True)
class Outcome:
    """How a method fared in one check."""

    library: str
    version: str
    method: str
    input: str
    check: str
    """Which; the kinds of input are those of :mod:`peers.holding`."""
    outcome: str
    """*kept*, *not judged*, *as documented* or *failed*; *failed differently* if the processes did
    not end with one smallest input."""
    cases: int
    published: int
    judged: int
    """Cases the check looked at, those of them that were published, and those that it judged."""
    sentence: str = ""
    """What is wrong, or mostly why nothing was judged."""
    source: str = ""
    case: str = ""
    """Where the smallest failing input was drawn from, and it, as JSON."""

    @property
    def failed(self) -> bool:
        """Whether there is something to report."""
        return self.outcome not in ("kept", "not judged")


def main() -> None:
    """Run the libraries, print what is not in order, and keep every outcome if asked to."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=LIBRARIES, action="append", help="only this library")
    parser.add_argument("--times", type=int, default=3, help="processes for each library")
    parser.add_argument("--out", type=Path, metavar="FILE", help="keep every outcome in this file")
    asked, passed_on = parser.parse_known_args()
    table = Table("library", "method", "input", "check", "outcome", box=None)
    found: list[Outcome] = []
    for name in asked.only or LIBRARIES:
        try:
            runs = [list(_run(name, passed_on)) for _ in range(asked.times)]
        except (OSError, subprocess.CalledProcessError) as failure:
            table.add_row(name, "", "", "", f"could not be run: {reason(failure)}")
            continue
        for documents in zip(*runs, strict=True):
            outcomes = tuple(_outcomes(documents))
            for row in _rows(outcomes):
                table.add_row(*row)
            found += outcomes
    Console(width=160).print(table)
    if asked.out is not None:
        _write(asked.out, found)


def _run(name: str, words: list[str]) -> Iterator[dict[str, Any]]:
    cache = Path(environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    needed = [*LIBRARIES[name], "-e", str(HERE.parents[1])]
    python = interpreter(cache / "kproof-benchmarks" / f"peers-{name}", needed)
    command = [str(python), "-m", f"peers.{name}", *words]
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=True)
    yield from map(json.loads, done.stdout.splitlines())


def _outcomes(documents: tuple[dict[str, Any], ...]) -> Iterator[Outcome]:
    """Yield the outcome of each check of one method on one kind of input."""
    first = documents[0]
    for results in zip(*(one["results"] for one in documents), strict=True):
        result = results[0]
        check, violation, word = result["check"], result["violation"], "kept"
        if violation is not None:
            word = "failed"
            if check in first["expected"]:
                word = "as documented"
            elif any(other["case"] != result["case"] for other in results):
                word = "failed differently"
        elif not result["judged"]:
            word = "not judged"
        yield Outcome(
            first["package"],
            first["version"],
            first["method"],
            first["input"],
            check,
            word,
            result["examples"],
            result["published"],
            result["judged"],
            _said(result),
            "" if violation is None else result["source"],
            "" if violation is None else json.dumps(_asked(result["case"])),
        )


def _said(result: dict[str, Any]) -> str:
    if result["violation"] is not None:
        return str(result["violation"]["sentence"])
    return "" if result["judged"] else next(iter(result["unjudged"]), "")


def _asked(case: dict[str, Any]) -> dict[str, Any]:
    """Return what tells a case from others: its columns, its request, and its row labels."""
    return {
        name: case[name] for name in ("columns", "parameters", "index") if case[name] is not None
    }


def _rows(outcomes: tuple[Outcome, ...]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each outcome that is to be reported, and one that counts the others."""
    words = [one.outcome for one in outcomes]
    head = (f"{outcomes[0].library} {outcomes[0].version}", outcomes[0].method, outcomes[0].input)
    for one in outcomes:
        if one.failed:
            told = f"{one.outcome}: {one.sentence}" if one.sentence else one.outcome
            yield (*head, one.check, told)
    counts = f"{words.count('kept')} of {len(words)} kept, {words.count('not judged')} not judged"
    yield (*head, "", counts)


def _write(path: Path, outcomes: Iterable[Outcome]) -> None:
    with together() as files:
        files.folder(path.parent)
    with replace_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(one.name for one in fields(Outcome))
        writer.writerows(map(astuple, outcomes))


if __name__ == "__main__":
    main()
