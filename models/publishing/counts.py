"""Counts in place of rows: how many people have which value, one column at a time.

Where no table of rows is safe, columns by themselves may be: each is generalized and judged as a
release of its own, and its rows are given as one number for each label. Two columns whose labels
lie within one another give away what is left between them by subtraction: then one is not counted.
Beside what was published of the same people before, counts of a secret column are judged as any
release is: what they have more or less is of those who came or left.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import numpy as np

from kproof.errors import DataError
from kproof.models.base.arrays import Codes
from kproof.models.judgement.findings import JudgedFinding, Judgement
from kproof.models.judgement.publication import ColumnKnowledge
from kproof.models.judgement.releases.composition import composition
from kproof.models.judgement.releases.receipts import COUNTED, COUNTS, Receipt
from kproof.models.judgement.thresholds import THRESHOLDS
from kproof.models.publishing.known import form_classes, prepare
from kproof.models.publishing.published import lines_against
from kproof.models.publishing.publisher import TablePublisher
from kproof.models.tables.encoding import is_number
from kproof.models.tables.release import Release
from kproof.models.tables.table import Table
from kproof.models.tables.writers import csv_text, inert
from kproof.notebooks import NotebookText
from kproof.outputs import together, write_text


@dataclass(frozen=True, eq=False)
class SafeCounts(NotebookText):
    """How many people have which value."""

    cells: tuple[tuple[str, str, int], ...]
    """Column, label and people of each cell."""
    least: int
    """The fewest people that a cell may count."""
    judged: dict[str, Judgement]
    """By column what was judged of it alone."""
    left_out: tuple[str, ...]
    """Columns that are not counted."""
    columns: dict[str, ColumnKnowledge]
    """What is known of each column that is."""
    beside: tuple[JudgedFinding, ...]
    """What secret columns tell beside what was published before."""

    def __str__(self) -> str:
        """Return what is counted and what is not, or what stands against it."""
        if against := lines_against(self.beside):
            return "\n".join(against)
        names = ", ".join(self.judged)
        gone = f"; not counted: {', '.join(self.left_out)}" if self.left_out else ""
        return f"publish counts of {names}: each cell counts {self.least} people at least{gone}"

    def write(self, path: str | Path, *, receipt: bool = True) -> None:
        """Write the cells as CSV with their receipt, both or neither, whatever was judged."""
        rows = ((inert(name), inert(label), count) for name, label, count in self.cells)
        text = csv_text(COUNTED, rows)
        with together():
            write_text(path, text)
            if receipt:
                Receipt(
                    sha256=sha256(text.encode()).hexdigest(),
                    day=date.today().isoformat(),
                    columns=self.columns,
                    method=COUNTS,
                    parameters={},
                    permuted=True,
                    from_known_alone=True,
                    classes=(),
                ).write(path)


def counts(
    publisher: TablePublisher, *, sizes: tuple[int, ...] = (5, 11, 15, 20, 30, 50)
) -> SafeCounts:
    """Return counts of the columns of a publisher's table that may be counted.

    ``sizes`` are the fewest people in a cell that are tried. If no column may be counted, that is a
    DataError.
    """
    table = prepare(publisher.table)
    # The ceiling of 1/largest: a cell of fewer people would give each a larger share.
    fewest = -(-1 // THRESHOLDS[publisher.audience].largest)
    counted: list[tuple[str, Release, Judgement]] = []
    left_out = []
    for column in (*table.quasi_identifiers, *table.secrets):
        alone = prepare(table.with_columns([column], [], both=(), beside=()))
        safe = _first_safe(publisher, alone, [k for k in sizes if k >= fewest])
        # Beside those that are counted already: of two that lie within one another the first stays.
        if safe is None or any(_gives_away(safe[0], release, fewest) for _, release, _ in counted):
            left_out.append(column.name)
        else:
            counted.append((column.name, *safe))
    if not counted:
        raise DataError("no column has labels that enough people share; publish nothing of it")
    cells = [
        (name, release.recoded[0].label(index), int(people))
        for name, release, _ in counted
        for index, people in enumerate(release.classes().real_sizes.tolist())
    ]
    judged = {name: judgement for name, _, judgement in counted}
    secret = {column.name for column in table.secrets}
    columns = dict.fromkeys(judged, ColumnKnowledge.KNOWN)
    columns |= dict.fromkeys(secret & columns.keys(), ColumnKnowledge.SECRET)
    # Last, over what it was as one of the secrets: both of its parts are judged.
    columns |= dict.fromkeys({*publisher.table.both} & columns.keys(), ColumnKnowledge.BOTH)
    beside = tuple(_beside(publisher, counted, columns))
    return SafeCounts(tuple(cells), int(fewest), judged, tuple(left_out), columns, beside)


def _beside(
    publisher: TablePublisher,
    counted: list[tuple[str, Release, Judgement]],
    columns: dict[str, ColumnKnowledge],
) -> Iterator[JudgedFinding]:
    """Yield what the counts of each secret column tell beside releases that are out."""
    for name, release, _ in counted:
        if columns[name] is not ColumnKnowledge.KNOWN:
            publication = publisher.publication(release, asking=False)
            [column] = publication.columns
            numeric = all(map(is_number, column.texts))
            numbers = tuple(map(Fraction, column.texts)) if numeric else None
            secret = replace(column, knowledge=ColumnKnowledge.SECRET, numbers=numbers, atoms=None)
            alone = replace(publication, columns=(secret,))
            yield from composition(alone, THRESHOLDS[publisher.audience])


def _first_safe(
    publisher: TablePublisher, alone: Table, sizes: list[int]
) -> tuple[Release, Judgement] | None:
    people = alone.rows if alone.person is None else len(alone.person.values)
    for k in [size for size in sizes if size <= people]:
        release = form_classes(alone, k)
        judgement = publisher.judge(publisher.shuffle(release)[1])
        if judgement.green:
            return release, judgement
    return None


def _gives_away(release: Release, counted: Release, fewest: int) -> bool:
    """Say whether a cell of a release, less those of another within it, leaves too few rows."""
    pairs = ((release.class_of, release.count), (counted.class_of, counted.count))
    return any(_remainder(*outer, *inner, fewest) for outer, inner in (pairs, pairs[::-1]))


def _remainder(outer: Codes, cells: int, inner: Codes, within: int, fewest: int) -> bool:
    rows = np.bincount(outer * within + inner, minlength=cells * within).reshape(cells, within)
    # Only inner cells that lie in one outer cell can be subtracted from it.
    subtracted = np.where(rows == rows.sum(axis=0), rows, 0).sum(axis=1)
    remainder = rows.sum(axis=1) - subtracted
    return bool(((remainder > 0) & (remainder < fewest) & (subtracted > 0)).any())
