"""Positive words on classes: verdicts on a release, and the report's section on a table."""

import html
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from positive import either, rows
from shell import kproof as run
from shell import typed

import kproof
from kproof.models.privacy import KAnonymity, ThetaSensitivity
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table
from kproof.report.context import Context, Microdata
from kproof.report.tables import build

_FIRST, _SECOND = ["flu", "flu", "gout", "hiv"], ["flu", "gout", "gout", "hiv"]
"""Two groups with V = 11/16 each and 39/64 together."""


def _table(labels: Sequence[str], ills: Sequence[str]) -> Table:
    frame = pd.DataFrame({"town": labels, "ill": ills})
    return Table.from_frame(frame, quasi_identifiers=["town"], sensitive="ill")


def _verdict(second: str) -> str:
    table = _table(["Ulm"] * 4 + [second] * 4, _FIRST + _SECOND)
    release = seal(table, np.repeat([0, 1], 4), method="m", parameters={})
    return str(kproof.check(release, ThetaSensitivity(4, "11/20"))[0])


def _formed(classes: Literal["published", "formed"]) -> str:
    table = _table(["Ulm"] * 4, _FIRST)
    release = seal(table, np.repeat([0, 1], 2), method="m", parameters={})
    (verdict,) = kproof.check(release, KAnonymity(2), classes=classes)
    return str(verdict)


def _written(mode: str) -> str:
    """Publish what has groups that look alike, with theta or without, and check the file."""
    leaves = "aabbccccddeeffff"
    others = ["itch", "jaundice", "kuru", "lupus"]
    ills = [*_FIRST, *others, *_SECOND, *others]
    rows = zip(leaves, ills, strict=True)
    Path("data.csv").write_text("leaf,ill\n" + "".join(f"{a},{b}\n" for a, b in rows))
    Path("tree.csv").write_text("".join(f"{leaf};*\n" for leaf in "abcdef"))
    roles = ("--qi", "leaf", "--sensitive", "ill", "--k", "4")
    asked = () if mode == "without" else ("--mu", "11/20")
    line = "anonymize mondrian --audience study data.csv -o out.csv --taxonomy leaf=tree.csv"
    run(*typed(line), *roles, *asked)
    out = run("check", "--models-only", "out.csv", *roles, "--mu", "11/20").out
    return "\n".join(line for line in out.splitlines() if "theta" in line)


def _section(labels: Sequence[str], ills: Sequence[str]) -> str:
    """The section's first column: the table as it is."""
    given = Microdata.of("people", _table(labels, ills), k=2)
    page = str(build(Context((), (), microdata=given)))
    first = re.search(r"<dt>as it is</dt><dd>(.*?)</dd>", page, re.DOTALL)
    cells = re.findall(r'data-label="as it is"><span class="value">.*?</td>', page, re.DOTALL)
    assert first is not None
    texts = [first[1], *(re.sub(r"<[^>]+>", " ", cell) for cell in cells)]
    return html.unescape(" ".join(texts))


_TOWNS = ["Ulm", "Ulm", "Bonn", "Bonn"]
_MIXED = ["flu", "hiv", "flu", "hiv"]


ROWS = rows(
    "classes",
    release_holds=either(_verdict, ("Bonn",), ("Ulm",)),
    file_holds=either(_written, ("with",), ("without",)),
    section_holds=either(
        _section, (_TOWNS, _MIXED), (["Ulm", "Bonn", "Jena", "Kiel"], ["flu"] * 4)
    ),
    nobody_is_certain=either(_section, (_TOWNS, _MIXED), (_TOWNS, ["flu", "flu", "hiv", "hiv"])),
    everyone_is_among=either(_section, (_TOWNS, _MIXED), (["Ulm", "Ulm", "Bonn", "Jena"], _MIXED)),
    as_formed=either(_formed, ("formed",), ("published",)),
)
