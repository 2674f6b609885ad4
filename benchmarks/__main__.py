"""Run the benchmarks, all or those that are named, and write what they found to one page.

``python -m benchmarks`` runs each script of this folder in a process of its own and writes
``results/benchmarks.md``: the versions, the machine, a table of ratios beside named peers, every
figure, and what was not measured and why. ``--quick`` shrinks the inputs, and the page says so.
Files that some scripts need are looked for in ``--data``, or in the folder that ``KPROOF_DATA``
names; a script whose files are not there is told among what was not measured.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import kproof
from kproof.outputs import write_text

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "results" / "benchmarks.md"
ADULT, HIERARCHIES = "adult.data", "adult_hierarchies"


@dataclass(frozen=True)
class Script:
    """One script: what it measures, its options, and the files that it needs or can use."""

    about: str
    quick: Sequence[str] = ()
    needs: Sequence[str] = ()
    uses: Sequence[tuple[str, str]] = ()
    """An option and the file that it takes; without the file the script measures less."""


SCRIPTS = {
    "theory": Script(
        "exact and certified values",
        ("--repetitions=1", "--only=count", "--only=composition", "--only=lemma1"),
        uses=(("--adult", ADULT),),
    ),
    "tables": Script(
        "checking and anonymizing tables",
        (
            *("--repetitions=1", "--rows=10000", "--k-means-rows=2000", "--patience=120"),
            *("--only=first_calls", "--only=checks", "--only=mondrian", "--only=kaca"),
        ),
        (ADULT,),
    ),
    "report": Script("the report as a command", ("--rows=110000",), (ADULT,)),
    "full_domain": Script(
        "the best levels", ("--repetitions=1", "--rows=3000"), (ADULT, HIERARCHIES)
    ),
    "releases": Script(
        "roles and comparisons", ("--repetitions=1", "--rows=3000"), (ADULT, HIERARCHIES)
    ),
    "uniqueness": Script(
        "rows that columns single out, labels and cells at scale",
        ("--repetitions=1", "--rows=10000", "--columns=200", "--labels=10000", "--texts=50000"),
    ),
    "judgement": Script("the judge of a million rows", ("--rows=20000",)),
    "petri": Script("Petri nets", ("--repetitions=1", "--only=ten", "--only=theta")),
    "places": Script(
        "cities, heat maps, social graphs and attacks on them",
        ("--quick", "--sample=500"),
        uses=(
            ("--nodes", "pgh_nodes.csv"),
            ("--edges", "pgh_edges.csv"),
            ("--friends", "gowalla_users0-4514.tsv"),
        ),
    ),
    "moving": Script(
        "people who move",
        ("--people=1000",),
        (
            *("pgh_nodes.csv", "pgh_edges.csv"),
            *("cabs_dataset_20080608.parquet", "gowalla_checkins_average.csv"),
        ),
    ),
    "engines": Script("data where they are", ("--rows=100000",)),
    "cluster": Script("tables by regions", ("--rows=100000",)),
    "serve": Script("served flows", ("--rows=20000", "--queries=50", "--seconds=3")),
    "soak": Script("served flows while the database fails", ("--seconds=35", "--clients=3")),
    "calculator": Script("the calculator in a browser"),
    "suite": Script("the property suite", ("--seeds=0",)),
    "mechanisms": Script("random answers", ("--seeds=1", "--profile=quick")),
    "audit": Script("the audit", ("--searches",)),
}


@dataclass(frozen=True)
class Outcome:
    """What became of a script: its document, or the reason why there is none."""

    name: str
    seconds: float
    found: dict[str, Any] | None
    problem: str = ""


def main() -> None:
    """Read the options, run the scripts, write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SCRIPTS)}")
    parser.add_argument("--quick", action="store_true", help="small inputs, one repetition")
    data = os.environ.get("KPROOF_DATA", ".")
    parser.add_argument("--data", type=Path, default=Path(data), help="folder of the files")
    parser.add_argument("--output", type=Path, default=PAGE, help="results/benchmarks.md if absent")
    parser.add_argument("--patience", type=float, default=3600, help="seconds for each script")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in SCRIPTS]
    if unknown:
        parser.error(f"{', '.join(unknown)}: need names of {', '.join(SCRIPTS)}")
    before = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    outcomes = []
    for name in options.names or SCRIPTS:
        print(f"{name}: {SCRIPTS[name].about}", file=sys.stderr, flush=True)
        outcomes.append(run(name, options))
    write_text(options.output, page(outcomes, quick=options.quick, load=before))
    print(f"wrote {options.output}", file=sys.stderr)


def run(name: str, options: argparse.Namespace) -> Outcome:
    """Run a script in a process of its own."""
    script = SCRIPTS[name]
    absent = [one for one in script.needs if not (options.data / one).exists()]
    if absent:
        return Outcome(name, 0, None, f"needs {' and '.join(absent)} in the folder --data")
    words = [sys.executable, str(HERE / f"{name}.py"), "--json"]
    words += [str(options.data / one) for one in script.needs]
    for option, one in script.uses:
        if (options.data / one).exists():
            words += [option, str(options.data / one)]
    words += script.quick if options.quick else ()
    start = time.perf_counter()
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=options.patience)
    except subprocess.TimeoutExpired:
        return Outcome(name, options.patience, None, f"stopped after {options.patience:g} s")
    spent = time.perf_counter() - start
    try:
        found = json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[-1]
        return Outcome(name, spent, None, last)
    problem = f"exit status {done.returncode}" if done.returncode else ""
    return Outcome(name, spent, found, problem)


def page(outcomes: Sequence[Outcome], *, quick: bool, load: float | None) -> str:
    """Return the page."""
    return (
        "\n\n".join(
            [
                "# Benchmarks, as measured",
                "Made by `python -m benchmarks`; do not edit. What the jobs are, and which limits "
                "they are held to: [Benchmarks](../docs/benchmarks.md).",
                *conditions(quick=quick, load=load),
                table(("", ""), facts(outcomes, quick=quick, load=load)),
                "## Beside named peers",
                "The ratio is the peer's time over ours, on the same job in the same run; of nets "
                "it is our states per second over the peer's.",
                table(
                    ("benchmark", "job", "seconds", "peer", "ratio"),
                    [
                        (
                            one.name,
                            row["job"].strip(),
                            number(row["seconds"]),
                            row["peer"],
                            number(r),
                        )
                        for one in outcomes
                        for row in figures(one)
                        if row["peer"] and (r := row["ratio"]) is not None
                    ],
                ),
                "## Not measured",
                table(("benchmark", "what", "why"), list(missing(outcomes))),
                "## Every figure",
                *sections(outcomes),
            ]
        ).replace("\n\n\n", "\n\n")
        + "\n"
    )


def conditions(*, quick: bool, load: float | None) -> Iterator[str]:
    """Yield what a reader has to know before any figure."""
    if quick:
        yield (
            "**Quick sizes:** small inputs and one repetition, to see that everything runs. The "
            "figures of the docs are from full sizes; these say little about large data, and "
            "what a process does once, such as loading kernels, weighs more."
        )
    cores = os.cpu_count() or 1
    if load is not None and load > cores / 2:
        yield (
            f"**A busy machine:** its load was {load:.1f} on {cores} cores before the run began, "
            "so that times are too long, and ratios may be off either way."
        )


def facts(outcomes: Sequence[Outcome], *, quick: bool, load: float | None) -> list[tuple[str, str]]:
    """Return what the figures depend on."""
    machine: dict[str, str] = {}
    for one in outcomes:
        machine |= one.found["machine"] if one.found else {}
    peers = sorted({row["peer"].split(",")[0] for one in outcomes for row in figures(one)} - {""})
    return [
        ("kproof", kproof.__version__),
        ("date", date.today().isoformat()),
        ("sizes", "quick" if quick else "full"),
        ("Python", platform.python_version()),
        ("cores", str(os.cpu_count())),
        ("load before the run", "unknown" if load is None else f"{load:.1f}"),
        ("peers", ", ".join(peers) or "none"),
        *((name, value) for name, value in machine.items() if name not in {"python", "cores"}),
    ]


def figures(outcome: Outcome) -> list[dict[str, Any]]:
    """Return the rows of a script."""
    return [] if outcome.found is None else outcome.found["rows"]


def missing(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, str, str]]:
    """Yield scripts that did not run or were not asked for, and peers that have no time."""
    for one in outcomes:
        if one.problem:
            yield one.name, "all of it" if one.found is None else "part of it", one.problem
        if one.found is None:
            continue
        for peer, why in one.found["no_peer"].items():
            yield one.name, peer, why
        for row in figures(one):
            name = row["job"].strip()
            known = any(name.startswith(peer) for peer in one.found["no_peer"])
            if row["seconds"] is None and name and row["note"].startswith("stopped") and not known:
                yield one.name, name, row["note"]
    asked = {one.name for one in outcomes}
    for name in SCRIPTS:
        if name not in asked:
            yield name, "all of it", "not asked for in this run"


def sections(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a table for each script that ran."""
    for one in outcomes:
        if one.found is None:
            continue
        yield f"### {one.name}: {SCRIPTS[one.name].about}"
        yield f"`benchmarks/{one.name}.py` took {one.seconds:.0f} s."
        yield table(
            ("job", "seconds", "limit", "note"),
            [
                (row["job"].strip(), number(row["seconds"]), number(row["limit"]), row["note"])
                for row in figures(one)
            ],
        )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table, or a word if it would be empty."""
    if not rows:
        return "None."
    lines = [head, ["---"] * len(head), *rows]
    cells = [[str(cell).replace("|", "\\|").replace("\n", " ") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def number(value: float | None) -> str:
    """Return a figure as it is read: three digits, thousands apart."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    main()
