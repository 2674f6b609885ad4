"""The pages of docs/findings: a report about each anonymizer of the corpus, made of what is stored.

What came out stands in ``findings.json``, how it was looked for in ``libraries.json``, and what
people wrote about it in ``reports.toml``, all in ``benchmarks/corpus``.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from links import slug
from shell import kproof

CORPUS = Path(__file__).parents[2] / "benchmarks" / "corpus"
FINDINGS: list[dict[str, Any]] = json.loads((CORPUS / "findings.json").read_text(encoding="utf-8"))
LIBRARIES = json.loads((CORPUS / "libraries.json").read_text(encoding="utf-8"))
REPORTS = tomllib.loads((CORPUS / "reports.toml").read_text(encoding="utf-8"))
STATUS = {0: "no promise was broken", 1: "a promise is broken"}


def findings_of(name: str) -> list[dict[str, Any]]:
    """Return the findings of a library."""
    return [finding for finding in FINDINGS if finding["adapter"] in LIBRARIES[name]["adapters"]]


def page_of(name: str, folder: Path) -> str:
    """Return the page about a library; a folder has the tables that its commands judge."""
    library, report = LIBRARIES[name], REPORTS[name]
    return "\n".join(
        [
            f"# {name} {library['version']}\n",
            "This page has what the package promises, how it was held to that, and what came out.",
            "What it ran with, and which faults no run of the suite showed, is in",
            "{doc}`../findings-corpus`.\n",
            f"## Claim\n\n{report['promise']} ({report['source']})\n",
            "## Design of the test\n",
            "An adapter of a few lines calls the package as its documentation shows it",
            "(`benchmarks/corpus/adapters.py`). The file of the package has the SHA-256",
            f"`{library['sha256']}`.",
            "The suite draws tables, looks at what is published, and makes a failure small:\n",
            *_runs(library["adapters"]),
            *((f"{report['kept']}\n",) if "kept" in report else ()),
            *(line for finding in findings_of(name) for line in _finding(finding, folder)),
        ]
    )


def _runs(adapters: Mapping[str, Any]) -> Iterator[str]:
    yield "```sh\ncd benchmarks"
    for adapter, run in adapters.items():
        words = ["kproof", "verify", f"corpus.adapters:{adapter}", *run["options"]]
        yield f"{' '.join(words)}   # status {run['status']}: {STATUS[run['status']]}"
    yield "```\n"


def _finding(finding: Mapping[str, Any], folder: Path) -> Iterator[str]:
    report, output = REPORTS[finding["id"]], finding["output"]
    yield f"## {report['title']}\n"
    if report.get("beyond"):
        yield "*Beyond the claim*: the documentation does not speak of such input.\n"
    for number, call in enumerate(finding["calls"], 1):
        asks = ", ".join(
            f"{'l' if name == 'ell' else name} = {n}" for name, n in call["asks"].items()
        )
        before = "Smallest case" if len(finding["calls"]) == 1 else f"Call {number}"
        yield f"{before}, {asks}:\n\n```text\n{_csv(call['columns'])}```\n"
    if isinstance(output, str):
        yield f"What came out: `{output}`\n"
    elif finding["breaks"] in ("k-anonymity", "l-diversity"):
        yield from _judged(finding, folder)
    else:
        yield f"What came out:\n\n```text\n{_csv(output)}```\n"
    again = f"python -m corpus.run --only {finding['id']}"
    yield f"To call the package again, run `{again}` in `benchmarks`.\n"
    for word, member in (
        ("Consequence", "consequence"),
        ("Cause", "cause"),
        ("What to do", "advice"),
    ):
        if member in report:
            yield f"**{word}.** {report[member]}\n"


def _judged(finding: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """Yield what came out as a file, and what kproof says of it."""
    output, asks = finding["output"], finding["calls"][-1]["asks"]
    name = f"{finding['id']}.csv"
    (folder / name).write_text(_csv(output), encoding="utf-8")
    known = ",".join(column for column in output if column != "s")
    words = [
        "check",
        name,
        "--qi",
        known,
        "--sensitive",
        "s",
        "--models-only",
        "--k",
        str(asks["k"]),
    ]
    words += ["--l", str(asks["ell"])] if "ell" in asks else []
    said = "\n".join(line.rstrip() for line in kproof(*words).out.splitlines())
    yield f"What came out, as a file:\n\n```{{code-block}} text\n:caption: {name}\n"
    yield f"{_csv(output)}```\n\n```console\n$ kproof {' '.join(words)}\n{said}\n```\n"


def _csv(columns: Mapping[str, list[Any]]) -> str:
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "".join(f"{','.join(map(_cell, row))}\n" for row in rows)


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return "|".join(map(str, value))
    return "" if value is None else str(value)


def index_row(name: str) -> str:
    """Return the line of the index about a library."""
    titles = "; ".join(
        f"[{title}](findings/{name}.md#{slug(title)})"
        for title in (REPORTS[finding["id"]]["title"] for finding in findings_of(name))
    )
    return (
        f"| [{name} {LIBRARIES[name]['version']}](findings/{name}.md) | {titles or 'none seen'} |"
    )
