"""The paper map: where each statement is evaluated, derived, certified, checked and tested.

First what is proved here, then what the documents number. The rows are the ``.map`` files beside
this module, which consist of paragraphs (:mod:`kproof.theory.paragraphs`):

| ``[NAME] WHAT IT SAYS``
|     ``- rows: Z2 Z3``

with the other fields of :class:`MapRow` as further lists. Tests resolve every name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kproof.theory.kernel.statements import statement
from kproof.theory.paragraphs import read_statements


@dataclass(frozen=True, slots=True)
class MapRow:
    """One statement; in documents without numbers, a part that they name."""

    name: str
    says: str
    """What it is called here, or as the document numbers it, and what it says."""
    rows: tuple[str, ...] = ()
    """Rows of the ledger about it."""
    python: tuple[str, ...] = ()
    """Names of the functions that evaluate it."""
    derivations: tuple[str, ...] = ()
    """Derivations that derive it, or ``derivation/step``; certificates have the same names."""
    kernel: tuple[str, ...] = ()
    """Names of the theorems that Rocq has checked."""
    tests: tuple[str, ...] = ()
    """Tests that hold the functions against something else, as ``file::function``."""


_LISTS = ("rows", "python", "derivations", "kernel", "tests")


def read(text: str) -> tuple[MapRow, ...]:
    r"""Return the rows of a ``.map`` file.

    >>> (row,) = read("[(1)] Half of it\n    - rows: Z1 Z2\n    - tests: a.py::b")
    >>> row.says, row.rows, row.python, row.tests
    ('Half of it', ('Z1', 'Z2'), (), ('a.py::b',))
    >>> read("[(1)] Half of it - row: Z1")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: line 1 = row: need names of lists
    """
    return tuple(
        MapRow(name, says, **{label: tuple(names.split()) for label, names in lists.items()})
        for name, says, lists in read_statements(text, _LISTS)
    )


def _of(document: str) -> tuple[MapRow, ...]:
    return read(Path(__file__).with_name(f"{document}.map").read_text(encoding="utf-8"))


PAPER_MAP = _of("mechanised")
"""What is proved here, in the order of the documents."""

NUMBERED = {
    "Zhao et al.: k-anonymity against inference attacks": _of("bounds"),
    "Khan et al.: θ-sensitive k-anonymity": _of("theta"),
    "Density-aware adaptive k-anonymity": _of("density"),
    "QuadTreeHeatMap": _of("quadtree"),
    "KACA": _of("kaca"),
}
"""The statements of each document, in its order."""


def to_markdown() -> str:
    """Return the map as Markdown: a table of what is proved, then a table for each document."""
    lines = [
        "| statement | says | Python | derivation and certificate | Rocq | test |",
        "|---|---|---|---|---|---|",
    ]
    for proved in PAPER_MAP:
        theorems = [f"{statement(name).file}.v: {name}" for name in proved.kernel]
        cells = (proved.python, proved.derivations, theorems, proved.tests)
        lines.append(f"| {proved.name} | {proved.says} | {_cells(*cells)} |")
    lines += [
        "",
        "## What the documents number",
        "",
        "A row for each definition, equation, rule and table that the toolkit takes from a "
        "document. The ledger's rows say what became of its claims (`kproof audit ROW`). Of a "
        "derivation the step is named, if it is one. Documents without numbers stand here with "
        "the names of their parts.",
    ]
    for document, statements in NUMBERED.items():
        heading = "| number | says | ledger | Python | derivation | test |"
        lines += ["", f"### {document}", "", heading, "|---|---|---|---|---|---|"]
        for row in statements:
            rows = ", ".join(row.rows) or "none"
            links = _cells(row.python, row.derivations, row.tests)
            lines.append(f"| {row.name} | {row.says} | {rows} | {links} |")
    return "\n".join(lines) + "\n"


def _cells(*cells: Sequence[str]) -> str:
    return " | ".join("<br>".join(f"`{text}`" for text in cell) or "none" for cell in cells)
