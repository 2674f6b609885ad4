"""The pages of docs/findings: a report about each anonymizer of the corpus, made of what is stored.

What came out stands in ``findings.json``, how it was looked for in ``libraries.json``, what people
wrote about it in ``reports.toml``, and what a page looks like in ``page.md.jinja``, all in
``benchmarks/corpus``.
"""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from links import slug
from shell import kproof

CORPUS = Path(__file__).parents[2] / "benchmarks" / "corpus"
FINDINGS: list[dict[str, Any]] = json.loads((CORPUS / "findings.json").read_text(encoding="utf-8"))
LIBRARIES = json.loads((CORPUS / "libraries.json").read_text(encoding="utf-8"))
REPORTS = tomllib.loads((CORPUS / "reports.toml").read_text(encoding="utf-8"))


def findings_of(name: str) -> list[dict[str, Any]]:
    """Return the findings of a library, with what people wrote about them."""
    adapters = LIBRARIES[name]["adapters"]
    return [f | REPORTS[f["id"]] for f in FINDINGS if f["adapter"] in adapters]


def csv(columns: Mapping[str, list[Any]]) -> str:
    """Return a table as text; a cell may be a list of texts, as anonypy has it."""
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "\n".join(",".join(map(_cell, row)) for row in rows)


def _cell(value: Any) -> str:
    return "|".join(value) if isinstance(value, list) else "" if value is None else str(value)


def judging(finding: Mapping[str, Any]) -> list[str]:
    """Return the command that judges what came out."""
    known = ",".join(column for column in finding["output"] if column != "s")
    asks = finding["calls"][-1]["asks"]
    models = [
        word for ask, n in asks.items() for word in ("--l" if ask == "ell" else "--k", str(n))
    ]
    return [
        "check",
        f"{finding['id']}.csv",
        "--qi",
        known,
        "--sensitive",
        "s",
        "--models-only",
        *models,
    ]


def said(finding: Mapping[str, Any]) -> str:
    """Return what the command prints, in a folder that may be written to."""
    Path(f"{finding['id']}.csv").write_text(f"{csv(finding['output'])}\n", encoding="utf-8")
    return "\n".join(line.rstrip() for line in kproof(*judging(finding)).out.splitlines())


def page_of(name: str) -> str:
    """Return the page about a library; its tables are written to the folder one is in."""
    templates = Environment(loader=FileSystemLoader(CORPUS), trim_blocks=True, autoescape=False)
    templates.globals |= {"csv": csv, "judging": judging, "said": said}
    page = templates.get_template("page.md.jinja").render(
        name=name, library=LIBRARIES[name], report=REPORTS[name], findings=findings_of(name)
    )
    return f"{page.rstrip()}\n"


def index_row(name: str) -> str:
    """Return the line of the index about a library."""
    titles = "; ".join(
        f"[{finding['title']}](findings/{name}.md#{slug(finding['title'])})"
        for finding in findings_of(name)
    )
    return (
        f"| [{name} {LIBRARIES[name]['version']}](findings/{name}.md) | {titles or 'none seen'} |"
    )
