"""Positive words on classes: verdicts on a release, and the report's section on a table."""

import html
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from positive import READER, Positive, either
from shell import kproof as run

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
    run(
        *(
            "anonymize",
            "mondrian",
            "--audience",
            "study",
            "data.csv",
            "-o",
            "out.csv",
            "--taxonomy",
            "leaf=tree.csv",
        ),
        *(*roles, *asked),
    )
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

of_reader = partial(Positive, adversary=READER)

ROWS = (
    of_reader(
        word="holds",
        printed_by="kproof.check of a release",
        modules=("kproof.models.base.verdict",),
        judged="The model was judged exactly, on the classes that a reader can tell apart. All "
        "published rows with equal labels are one class, whatever groups the method made.",
        mutant="two groups that reach theta separately but not together get equal labels",
        **either(_verdict, ("Bonn",), ("Ulm",)),
    ),
    of_reader(
        word="holds",
        printed_by="kproof anonymize mondrian --mu, then kproof check",
        modules=("kproof.cli.releases.check",),
        judged="Theta was computed for every class of rows with equal labels in the written file.",
        mutant="mondrian is not asked for theta and leaves parts that look alike",
        **either(_written, ("with",), ("without",)),
    ),
    of_reader(
        word="holds",
        printed_by="the report's section on a table",
        modules=("kproof.report.tables",),
        judged="The requested model was judged exactly, on the classes that a reader can tell "
        "apart.",
        mutant="no two people share quasi-identifiers, and all values are equal",
        **either(_section, (_TOWNS, _MIXED), (["Ulm", "Bonn", "Jena", "Kiel"], ["flu"] * 4)),
    ),
    of_reader(
        word="nobody; No … is certain",
        printed_by="the report's section on a table, for each attack",
        modules=("kproof.report.tables",),
        judged="Everyone in the table is attacked through the classes that a reader can tell "
        "apart. The exact posterior of the best guess is below what counts as disclosure. That "
        "no value is certain is said if that posterior is below 1 and the judge infers nothing.",
        mutant="every class has one value",
        absent="; the best guess is right",
        **either(_section, (_TOWNS, _MIXED), (_TOWNS, ["flu", "flu", "hiv", "hiv"])),
    ),
    of_reader(
        word="Everyone is among … people or more",
        printed_by="the report's section on a table, in its summary",
        modules=("kproof.report.tables",),
        judged="The people of every class that a reader can tell apart were counted; noise rows "
        "were not.",
        mutant="one person is alone with their quasi-identifiers",
        **either(_section, (_TOWNS, _MIXED), (["Ulm", "Ulm", "Bonn", "Jena"], _MIXED)),
        absent="Everyone is among",
    ),
    of_reader(
        word="as formed",
        printed_by='kproof.check(release, models, classes="formed")',
        modules=("kproof.models.tables.release",),
        judged="The groups were judged as the method left them; no reader can tell them apart. A "
        "verdict without this word judges the classes of the published labels.",
        mutant="the classes are judged as published, which is the default",
        **either(_formed, ("formed",), ("published",)),
    ),
)
