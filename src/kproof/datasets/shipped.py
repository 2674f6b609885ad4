"""The small tables that come with kproof, as CSV text with their origin: published ones, a sample.

The sample is a piece of the hospital that is made up, of a fixed size, so that a first report is
about a table that looks like somebody's own.
"""

from __future__ import annotations

from dataclasses import dataclass

from kproof.datasets.electronics import TABLES
from kproof.datasets.hospital import hospital

SAMPLE = "hospital-sample"
"""The table that a report is about if nobody names one."""

_SAMPLE_ROWS, _SAMPLE_SEED = 240, 1
"""So few that everything about them is computed before a compiler would have been loaded."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """A table that comes with kproof."""

    title: str
    """What it shows."""
    origin: str
    """Where it was published, or what makes it up."""
    text: str
    """The table as CSV."""
    made_up: bool = False
    """Whether nobody in it exists."""


SHIPPED = (
    {
        "table-1a": Shipped(
            title="12 patients: the original microdata of a 2-anonymous release",
            origin="Electronics 2020, 9(5), 716, Table 1a",
            text="""\
ID,Name,Age,Zip Code,Country,Disease
1,JULIAN,34,14247,USA,HIV
2,KALEEM,40,14208,Pakistan,HIV
3,JOHANNA,26,14205,USA,Cancer
4,MICHAEL,25,14242,Canada,Cancer
5,JUDITH,40,14054,USA,Hepatitis
6,EVA,48,13073,Japan,Phthisis
7,HARIS,45,14066,Pakistan,Asthma
8,PAUL,40,14063,USA,Obesity
9,YIN LI,40,14243,China,Flu
10,BEVERLY,37,14203,Canada,Flu
11,DENISE,36,14204,Canada,Flu
12,JANETTE,35,14247,USA,Indigestion
""",
        )
    }
    | {
        name: Shipped(
            title, f"Electronics 2020, 9(5), 716, Table {name.removeprefix('table-')}", text
        )
        for name, (title, text) in TABLES.items()
    }
    | {
        SAMPLE: Shipped(
            title=f"{_SAMPLE_ROWS} stays in a hospital, all made up",
            origin=f"kproof datasets hospital --rows {_SAMPLE_ROWS} --seed {_SAMPLE_SEED}",
            text=hospital(_SAMPLE_ROWS, seed=_SAMPLE_SEED),
            made_up=True,
        )
    }
)
"""Shipped tables by the name that stands for a file wherever one is asked for."""
