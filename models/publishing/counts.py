"""Counts in place of rows: how many people have which value, one column at a time.

Where no table of rows is safe, columns by themselves may be: each is generalized and judged as a
release of its own, and its rows are given as one number for each label. Two columns whose labels
lie within one another give away what is left between them by subtraction: then one is not counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from kproof.errors import DataError
from kproof.models.base.arrays import Codes
from kproof.models.judgement.judgement import Judgement
from kproof.models.judgement.thresholds import THRESHOLDS
from kproof.models.publishing.known import formed, offered
from kproof.models.publishing.order import order_of
from kproof.models.publishing.publisher import TablePublisher
from kproof.models.tables.release import Release
from kproof.models.tables.table import Table
from kproof.models.tables.writers import csv_text, inert
from kproof.notebooks import NotebookText
from kproof.outputs import write_text


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

    def __str__(self) -> str:
        """Return what is counted, and what is not."""
        names = ", ".join(self.judged)
        gone = f"; not counted: {', '.join(self.left_out)}" if self.left_out else ""
        return f"publish counts of {names}: each cell counts {self.least} people at least{gone}"

    def write(self, path: str | Path) -> None:
        """Write the cells as CSV, whole or not at all."""
        rows = ((inert(name), inert(label), count) for name, label, count in self.cells)
        write_text(path, csv_text(("column", "label", "people"), rows))


def counts(
    publisher: TablePublisher, *, sizes: tuple[int, ...] = (5, 11, 15, 20, 30, 50)
) -> SafeCounts:
    """Return counts of the columns that may be counted.

    Parameters
    ----------
    publisher
        Whose table it is.
    sizes
        Fewest people in a cell that are tried.

    Raises
    ------
    DataError
        If no column may be counted.
    """
    table = offered(publisher.table)
    least = -(-1 // THRESHOLDS[publisher.audience].largest)
    counted: list[tuple[str, Release, Judgement]] = []
    left_out = []
    for column in (*table.quasi_identifiers, *table.secrets):
        alone = offered(
            replace(
                table, quasi_identifiers=(column,), sensitive=None, further=(), both=(), beside=()
            )
        )
        release, judgement = _first_safe(publisher, alone, [k for k in sizes if k >= least])
        if (
            release is None
            or judgement is None
            or any(_gives_away(release, other, least) for _, other, _ in counted)
        ):
            left_out.append(column.name)
        else:
            counted.append((column.name, release, judgement))
    if not counted:
        raise DataError("no column has labels that enough people share; publish nothing of it")
    cells = [
        (name, release.recoded[0].label(index), int(people))
        for name, release, _ in counted
        for index, people in enumerate(release.classes().real_sizes.tolist())
    ]
    judged = {name: judgement for name, _, judgement in counted}
    return SafeCounts(tuple(cells), int(least), judged, tuple(left_out))


def _first_safe(
    publisher: TablePublisher, alone: Table, sizes: list[int]
) -> tuple[Release | None, Judgement | None]:
    people = alone.rows if alone.person is None else len(alone.person.values)
    for k in sizes:
        if k > people:
            break
        release = formed(alone, k)
        publication = publisher.publication(
            release, order=order_of(release.rows), permuted=True, from_known_alone=True
        )
        judgement = publisher.judge(publication)
        if judgement.green:
            return release, judgement
    return None, None


def _gives_away(one: Release, other: Release, least: int) -> bool:
    """Say whether a cell of a release, less those of another within it, leaves too few rows."""
    pairs = ((one.class_of, one.count), (other.class_of, other.count))
    return any(_remainder(*outer, *inner, least) for outer, inner in (pairs, pairs[::-1]))


def _remainder(outer: Codes, cells: int, inner: Codes, within: int, least: int) -> bool:
    both = np.bincount(outer * within + inner, minlength=cells * within).reshape(cells, within)
    inside = np.where(both == both.sum(axis=0), both, 0).sum(axis=1)
    rest = both.sum(axis=1) - inside
    return bool(((rest > 0) & (rest < least) & (inside > 0)).any())
